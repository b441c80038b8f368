// SPDX-License-Identifier: MIT
#include "check/nan/nan.h"

#include <stdlib.h>
#include <string.h>

#include "check/nan/values.h"
#include "check/origin.h"
#include "isa/rdna/regs.h"

static const char name[] = "nan";

enum { VGPRS = 256, SCRATCH = 16384 };

/** What is known of an instruction; in front what is always looked at. */
struct plan {
    unsigned n;
    bool across; // Lanes read others'.
    struct op {
        struct lull_nan_op op;
        enum lull_nan_kind kind; // Of what it gives; NONE: no float.
        unsigned saves;          // Registers from op.dst on that the instruction reads, too.
    } ops[2];
    struct lull_rdna_insn in;
};

/** An operation that is being executed. */
struct pending {
    uint64_t marks; // Lanes of the operands that are marked.
    uint32_t from;  // Of the marks.
    uint32_t old[2][LULL_NAN_LANES];
    // When it has been:
    unsigned nsources;
    struct lull_nan_value source[LULL_NAN_SOURCES];
    uint64_t clean; // Lanes that are on and have no NaN among the operands.
};

/** Of the run. */
struct own {
    struct lull_origins origins; // First.
    struct wave *spare;
};

struct wave {
    struct own *own;
    struct wave *next; // Of those that no wave has.
    uint64_t v[VGPRS]; // Lanes whose NaN was made by the program.
    uint32_t origin[VGPRS];
    uint64_t *scratch; // The same, by dword of a lane; NULL: none yet.
    uint32_t *scratch_origin;
    bool any, some;
    uint64_t pc, active;
    const struct plan *plan; // Of what is being executed.
    struct pending p[2];
};

static void free_wave(struct wave *w)
{
    free(w->scratch);
    free(w->scratch_origin);
    free(w);
}

/** Most have never marked anything: they are kept for other waves, as they are. */
static void drop_wave(void *of_wave)
{
    struct wave *w = of_wave;
    if (w->any) {
        free_wave(w);
        return;
    }
    w->some = false;
    w->next = w->own->spare;
    w->own->spare = w;
}

static void starts(const struct lull_check_now *n)
{
    struct own *own = n->own;
    struct wave *w = own->spare;
    if (w != NULL) {
        own->spare = w->next;
        *n->of_wave = w;
        return;
    }
    lull_check_keep_wave(n, sizeof *w);
    w = *n->of_wave;
    if (w != NULL) {
        w->own = own;
    }
}

static void done(void *of_run)
{
    struct own *own = of_run;
    while (own->spare != NULL) {
        struct wave *w = own->spare;
        own->spare = w->next;
        free_wave(w);
    }
    lull_origins_done(&own->origins);
}

static char *made_of(const struct pending *p, unsigned lane)
{
    struct lull_str s = {0};
    lull_str_addf(&s, "makes a NaN of ");
    for (unsigned i = 0; i < p->nsources; i++) {
        lull_str_addf(&s, "%s", i == 0 ? "" : i + 1 < p->nsources ? ", " : " and ");
        lull_nan_text(&p->source[i], lane, &s);
    }
    char *text = s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
    return text;
}

/** Number of the birth at @p w's instruction, which is new or was there. 0: no memory. */
static uint32_t birth(const struct lull_check_now *n, const struct wave *w, const struct pending *p,
                      unsigned lane)
{
    struct lull_origins *births = n->own;
    const uint32_t there = lull_origin_find(births, w->pc, 0);
    return there != 0 ? there : lull_origin_add(births, n, w->pc, 0, lane, made_of(p, lane));
}

static uint64_t marks_of(const struct wave *w, unsigned reg, uint32_t *from)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    if (reg < LULL_RDNA_VGPR0 || n >= VGPRS || w->v[n] == 0) {
        return 0;
    }
    *from = w->origin[n];
    return w->v[n];
}

/** Operand slot @p i of @p o, as its register; NONE: there is none. The last is what it writes. */
static unsigned operand(const struct op *o, unsigned i, unsigned *slot)
{
    const struct lull_rdna_op_info *info = &lull_rdna_ops[o->op.op];
    const bool dst = i == o->op.nsrc;
    *slot = dst ? LULL_RDNA_SLOT_DST : LULL_RDNA_SLOT_SRC0 + i;
    const bool there =
        info->type[*slot] != LULL_RDNA_T_NONE && (!dst || (info->reads & LULL_RDNA_S_DST) != 0);
    return !there ? LULL_RDNA_NONE : dst ? o->op.dst : o->op.src[i];
}

/** Is one of @p count registers from @p reg on among those that @p p reads? */
static bool reads(const struct plan *p, unsigned reg, unsigned count)
{
    for (unsigned k = 0; k < p->n; k++) {
        for (unsigned i = 0; i <= p->ops[k].op.nsrc; i++) {
            unsigned slot = 0;
            const unsigned r = operand(&p->ops[k], i, &slot);
            const bool wide = lull_nan_kind(p->ops[k].op.op, slot) == LULL_NAN_F64;
            if (r != LULL_RDNA_NONE && r < reg + count && reg < r + 1 + wide) {
                return true;
            }
        }
    }
    return false;
}

static bool plan(const struct lull_check_now *n, void *to)
{
    struct plan *p = to;
    struct lull_nan_op ops[2];
    bool floats = false;
    p->in = *(const struct lull_rdna_insn *)n->at->insn;
    p->n = lull_nan_ops(&p->in, ops);
    p->across = p->in.dpp != LULL_RDNA_NO_DPP;
    for (unsigned i = 0; i < p->n; i++) {
        p->ops[i] = (struct op){ops[i], lull_nan_kind(ops[i].op, LULL_RDNA_SLOT_DST), 0};
        p->across = p->across || (lull_rdna_ops[ops[i].op].flags & LULL_RDNA_F_CROSS) != 0;
        floats = floats || (p->ops[i].kind != LULL_NAN_NONE && ops[i].dst >= LULL_RDNA_VGPR0);
    }
    for (unsigned i = 0; i < p->n; i++) {
        const unsigned count = p->ops[i].kind == LULL_NAN_F64 ? 2 : 1;
        p->ops[i].saves = reads(p, p->ops[i].op.dst, count) ? count : 0;
    }
    if (floats) {
        lull_check_keep_insn(n); // For a birth, which is told later.
    }
    return floats;
}

/** Operand @p reg as it was before the instruction. */
static void read_old(const struct lull_wave *of, const struct wave *w, unsigned reg,
                     enum lull_nan_kind kind, struct lull_nan_value *ret)
{
    const size_t bytes = of->lanes * sizeof ret->low[0];
    lull_nan_read(of, &w->plan->in, reg, kind, ret);
    for (unsigned k = 0; k < w->plan->n; k++) {
        for (unsigned d = 0; d < w->plan->ops[k].saves; d++) {
            const unsigned saved = w->plan->ops[k].op.dst + d;
            if (reg == saved) {
                memcpy(ret->low, w->p[k].old[d], bytes);
            } else if (kind == LULL_NAN_F64 && reg + 1 == saved) {
                memcpy(ret->high, w->p[k].old[d], bytes);
            }
        }
    }
}

/** What the operation has read. */
static void read_sources(const struct lull_wave *of, struct wave *w, unsigned k)
{
    const struct op *o = &w->plan->ops[k];
    struct pending *p = &w->p[k];
    uint64_t nans = 0;
    p->nsources = 0;
    for (unsigned i = 0; o->kind != LULL_NAN_NONE && i <= o->op.nsrc; i++) {
        unsigned slot = 0;
        const unsigned reg = operand(o, i, &slot);
        const enum lull_nan_kind kind = lull_nan_kind(o->op.op, slot);
        if (reg != LULL_RDNA_NONE && kind != LULL_NAN_NONE) {
            struct lull_nan_value *v = &p->source[p->nsources++];
            read_old(of, w, reg, kind, v);
            if (lull_rdna_ops[o->op.op].type[slot] == LULL_RDNA_T_MIX) {
                lull_nan_mix(&w->plan->in, i, v);
            }
            nans |= lull_nan_lanes(v, of->lanes);
        }
    }
    p->clean = w->plan->across && nans != 0 ? 0 : w->active & ~nans;
}

/** The instruction at hand is about to be executed. */
static void begin(const struct lull_check_now *n, struct wave *w)
{
    const struct plan *plan = n->plan;
    const struct lull_wave *of = n->at->wave;
    w->plan = plan;
    w->pc = n->at->pc;
    w->active = n->at->active;
    w->some = plan->n != 0;
    for (unsigned k = 0; k < plan->n; k++) {
        const struct op *o = &plan->ops[k];
        for (unsigned d = 0; d < o->saves && o->kind != LULL_NAN_NONE; d++) {
            const unsigned row = o->op.dst + d - LULL_RDNA_VGPR0;
            if (o->op.dst >= LULL_RDNA_VGPR0 && row < of->nvgprs) {
                memcpy(w->p[k].old[d], of->vgpr + (size_t)row * of->lanes,
                       of->lanes * sizeof *of->vgpr);
            }
        }
        w->p[k].marks = 0;
        for (unsigned i = 0; w->any && i <= o->op.nsrc; i++) {
            unsigned slot = 0;
            const unsigned reg = operand(o, i, &slot);
            w->p[k].marks |= reg != LULL_RDNA_NONE ? marks_of(w, reg, &w->p[k].from) : 0;
        }
        w->p[k].marks = plan->across && w->p[k].marks != 0 ? UINT64_MAX : w->p[k].marks;
    }
}

/** Put marks on one register of what @p p gives. */
static void put(struct wave *w, const struct pending *p, unsigned reg, uint64_t lanes)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    if (reg < LULL_RDNA_VGPR0 || n >= VGPRS) {
        return;
    }
    w->v[n] = (w->v[n] & ~w->active) | (lanes & w->active);
    if ((lanes & w->active) != 0) {
        w->origin[n] = p->from;
        w->any = true;
    }
}

/** Is there a NaN in what operation @p o has given, perhaps? */
static bool may_have(const struct lull_wave *of, const struct op *o)
{
    const unsigned row = o->op.dst + (o->kind == LULL_NAN_F64) - LULL_RDNA_VGPR0;
    return row < of->nvgprs && lull_nan_may(of->vgpr + (size_t)row * of->lanes, of->lanes, o->kind);
}

static void finish_one(const struct lull_check_now *n, struct wave *w, unsigned k)
{
    const struct lull_wave *of = n->at->wave;
    const struct op *o = &w->plan->ops[k];
    struct pending *p = &w->p[k];
    const bool is_float = o->kind != LULL_NAN_NONE;
    struct lull_nan_value v;
    if (o->op.dst < LULL_RDNA_VGPR0 || (!w->any && (!is_float || !may_have(of, o)))) {
        return;
    }
    read_sources(of, w, k);
    lull_nan_read(of, &w->plan->in, o->op.dst, is_float ? o->kind : LULL_NAN_F32, &v);
    uint64_t nans = lull_nan_lanes(&v, of->lanes);
    if (o->kind == LULL_NAN_F16) { // Of the half that was written.
        const unsigned shift = (w->plan->in.op_sel & 8) != 0 ? 16 : 0;
        for (unsigned l = 0; l < of->lanes; l++) {
            v.low[l] = v.low[l] >> shift & UINT16_MAX;
        }
        nans = lull_nan_lanes(&v, of->lanes);
    } else if (!is_float) { // A move: of a float of any size.
        v.kind = LULL_NAN_PAIR;
        nans |= lull_nan_lanes(&v, of->lanes);
    }
    uint64_t lanes = nans & p->marks & w->active;
    const uint64_t born = is_float ? nans & p->clean : 0;
    if (born != 0) {
        p->from = birth(n, w, p, (unsigned)__builtin_ctzll(born));
        lanes |= born;
    }
    put(w, p, o->op.dst, lanes);
    if (o->kind == LULL_NAN_F64) {
        put(w, p, o->op.dst + 1u, lanes);
    }
}

/** Spilled registers keep their marks. */
static void spill(const struct lull_check_now *n, struct wave *w, const struct lull_touch *t)
{
    if (w->scratch == NULL) {
        w->scratch = calloc(SCRATCH, sizeof *w->scratch);
        w->scratch_origin = calloc(SCRATCH, sizeof *w->scratch_origin);
    }
    if (w->scratch == NULL || w->scratch_origin == NULL) {
        lull_checks_lose(n->all);
        free(w->scratch);
        w->scratch = NULL;
        return;
    }
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        const uint64_t bit = UINT64_C(1) << l;
        for (unsigned d = 0; d < (t->bytes + 3) / 4; d++) {
            const uint64_t place = t->address[l] / 4 + d;
            const unsigned reg = t->data - LULL_RDNA_VGPR0 + d;
            if (place >= SCRATCH || reg >= VGPRS) {
                continue;
            }
            const bool load = t->kind == LULL_TOUCH_LOAD;
            uint64_t *to = load ? &w->v[reg] : &w->scratch[place];
            const uint64_t from = load ? w->scratch[place] : w->v[reg];
            *to = (*to & ~bit) | (from & bit);
            if ((from & bit) != 0 && load) {
                w->origin[reg] = w->scratch_origin[place];
            } else if ((from & bit) != 0) {
                w->scratch_origin[place] = w->origin[reg];
            }
        }
    }
}

void lull_nan_tell(const struct lull_check_now *n, uint32_t from, unsigned lane)
{
    const struct lull_origins *births = n->own;
    struct lull_finding *f =
        from == 0
            ? NULL
            : lull_check_found(n, name, "a NaN comes of operands that are none, and is stored",
                               lull_origin_pc(births, from), n->at->pc);
    if (f == NULL || f->count != 1) {
        return;
    }
    f->warning = true;
    f->sites[0] = lull_origin_site(births, from);
    f->sites[1] = lull_check_site(n, n->at->pc, lane);
    f->sites[1].does = lull_check_text("stores it");
}

static void tell(const struct lull_check_now *n, const struct wave *w, unsigned reg, uint64_t lanes)
{
    lull_nan_tell(n, w->origin[reg], (unsigned)__builtin_ctzll(lanes));
}

/** A shader of a draw gives it away. */
static void exports(const struct lull_check_now *n, struct wave *w)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned count = lull_rdna_uses(in, n->at->lanes, uses);
    for (unsigned i = 0; i < count; i++) {
        const unsigned reg = uses[i].reg - LULL_RDNA_VGPR0;
        if (!uses[i].write && uses[i].reg >= LULL_RDNA_VGPR0 && reg < VGPRS &&
            (w->v[reg] & n->at->active) != 0) {
            tell(n, w, reg, w->v[reg] & n->at->active);
        }
    }
}

static void before(const struct lull_check_now *n)
{
    struct wave *w = *n->of_wave;
    if (w == NULL) {
        return;
    }
    for (unsigned i = 0; w->some && i < w->plan->n; i++) {
        finish_one(n, w, i);
    }
    if (w->any && ((const struct lull_rdna_insn *)n->at->insn)->enc == LULL_RDNA_EXP) {
        exports(n, w);
    }
    begin(n, w);
    lull_check_call(n, w->any || w->some);
}

/** What an operation reads that it overwrites is two registers: there is room for one. */
static bool stands(const void *plan)
{
    const struct plan *p = plan;
    bool narrow = true;
    for (unsigned i = 0; i < p->n; i++) {
        narrow = narrow && p->ops[i].saves < 2;
    }
    return narrow;
}

static bool may(const uint32_t *v, unsigned lanes, unsigned kind)
{
    return lull_nan_may(v, lanes, (enum lull_nan_kind)kind);
}

/** What is looked at behind the instructions, and kept in front of them. */
static void sum(const struct lull_check_now *n, struct lull_check_stretch *s, unsigned count,
                void *ret)
{
    (void)ret;
    s->s.may = may;
    for (unsigned k = 0; k < count; k++) {
        const struct plan *p = lull_check_plan(n, s, k);
        for (unsigned i = 0; i < LULL_STRETCH_REGS; i++) {
            const struct op *o = &p->ops[i];
            const bool looks = i < p->n && o->kind != LULL_NAN_NONE && o->op.dst >= LULL_RDNA_VGPR0;
            const unsigned reg = o->op.dst + (o->kind == LULL_NAN_F64);
            s->s.look[k][i].reg = looks ? (uint16_t)reg : LULL_STRETCH_NO_REG;
            s->s.look[k][i].kind = (uint16_t)o->kind;
            s->s.keep[k][i] = looks && o->saves != 0 ? (uint16_t)o->op.dst : LULL_STRETCH_NO_REG;
            s->s.looks |= (uint32_t)looks << k;
            s->s.keeps |= (uint32_t)(looks && o->saves != 0) << k;
        }
    }
}

static bool calm(const struct lull_check_now *n, struct lull_check_stretch *s, const void *sum)
{
    struct wave *w = *n->of_wave;
    (void)sum;
    if (w == NULL) {
        return false;
    }
    for (unsigned i = 0; w->some && i < w->plan->n; i++) {
        finish_one(n, w, i);
    }
    w->some = false;
    for (unsigned i = 0; i < LULL_STRETCH_REGS; i++) {
        s->s.kept[i] = w->p[i].old[0];
    }
    return !w->any;
}

/** One of its results may be a NaN, while none was made before. */
static bool gave(const struct lull_check_now *n, const struct lull_check_stretch *s, unsigned k)
{
    struct wave *w = *n->of_wave;
    w->plan = lull_check_plan(n, s, k);
    w->pc = s->pc[k];
    w->active = n->at->active;
    for (unsigned i = 0; i < w->plan->n; i++) {
        w->p[i].marks = 0;
        finish_one(n, w, i);
    }
    return w->any;
}

static void passed(const struct lull_check_now *n, const void *sum)
{
    const struct wave *w = *n->of_wave;
    (void)sum;
    lull_check_call(n, w->any);
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    if (w == NULL || !w->any || t->scalar || t->data < LULL_RDNA_VGPR0) {
        return;
    }
    if (t->priv) {
        spill(n, w, t);
        return;
    }
    for (unsigned d = 0; d < (t->bytes + 3) / 4; d++) {
        const unsigned reg = t->data - LULL_RDNA_VGPR0 + d;
        if (reg >= VGPRS) {
            return;
        }
        if (t->kind == LULL_TOUCH_STORE && (w->v[reg] & t->lanes) != 0) {
            tell(n, w, reg, w->v[reg] & t->lanes);
        } else if (t->kind == LULL_TOUCH_LOAD) {
            w->v[reg] &= ~t->lanes;
        }
    }
}

const struct lull_check_module lull_check_nan = {.name = name,
                                                 .draws = true,
                                                 .priv = true,
                                                 .called = true,
                                                 .plan_bytes = sizeof(struct plan),
                                                 .plan = plan,
                                                 .own_bytes = sizeof(struct own),
                                                 .starts = starts,
                                                 .before = before,
                                                 .memory = memory,
                                                 .stands = stands,
                                                 .sum = sum,
                                                 .calm = calm,
                                                 .gave = gave,
                                                 .passed = passed,
                                                 .drop_wave = drop_wave,
                                                 .done = done};
