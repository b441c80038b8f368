// SPDX-License-Identifier: MIT
#include "check/nan/nan.h"

#include <stdlib.h>
#include <string.h>

#include "check/nan/values.h"
#include "check/origin.h"
#include "isa/rdna/regs.h"

static const char name[] = "nan";

enum { VGPRS = 256, SCRATCH = 16384 };

/** An operation that is being executed. */
struct pending {
    struct lull_nan_op op;
    enum lull_nan_kind kind; // Of what it gives; NONE: no float.
    unsigned nsources;
    struct lull_nan_value source[LULL_NAN_SOURCES];
    uint64_t clean; // Lanes that are on and have no NaN among the operands.
    uint64_t marks; // Lanes of the operands that are marked.
    uint32_t from;  // Of the marks.
};

struct wave {
    uint64_t v[VGPRS]; // Lanes whose NaN was made by the program.
    uint32_t origin[VGPRS];
    uint64_t *scratch; // The same, by dword of a lane.
    uint32_t *scratch_origin;
    bool any, some;
    uint64_t pc, active;
    struct lull_rdna_insn in;
    unsigned n;
    struct pending p[2];
};

static void drop_wave(void *of_wave)
{
    struct wave *w = of_wave;
    free(w->scratch);
    free(w->scratch_origin);
    free(w);
}

static void starts(const struct lull_check_now *n)
{
    struct wave *w = calloc(1, sizeof *w);
    if (w != NULL) {
        w->scratch = calloc(SCRATCH, sizeof *w->scratch);
        w->scratch_origin = calloc(SCRATCH, sizeof *w->scratch_origin);
    }
    if (w == NULL || w->scratch == NULL || w->scratch_origin == NULL) {
        lull_checks_lose(n->all);
        if (w != NULL) {
            drop_wave(w);
        }
        return;
    }
    *n->of_wave = w;
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

/** What the operation reads, before it is executed. */
static void read_sources(const struct lull_wave *of, struct wave *w, struct pending *p)
{
    const struct lull_rdna_op_info *info = &lull_rdna_ops[p->op.op];
    const bool across = w->in.dpp != LULL_RDNA_NO_DPP || (info->flags & LULL_RDNA_F_CROSS) != 0;
    uint64_t nans = 0;
    p->nsources = 0;
    p->marks = 0;
    p->kind = lull_nan_kind(p->op.op, LULL_RDNA_SLOT_DST);
    for (unsigned i = 0; i < p->op.nsrc + 1; i++) {
        const bool dst = i == p->op.nsrc;
        const unsigned reg = dst ? p->op.dst : p->op.src[i];
        const unsigned slot = dst ? LULL_RDNA_SLOT_DST : LULL_RDNA_SLOT_SRC0 + i;
        if (info->type[slot] == LULL_RDNA_T_NONE || reg == LULL_RDNA_NONE ||
            (dst && (info->reads & LULL_RDNA_S_DST) == 0)) {
            continue;
        }
        p->marks |= marks_of(w, reg, &p->from);
        const enum lull_nan_kind kind = lull_nan_kind(p->op.op, slot);
        if (p->kind != LULL_NAN_NONE && kind != LULL_NAN_NONE) {
            struct lull_nan_value *v = &p->source[p->nsources++];
            lull_nan_read(of, &w->in, reg, kind, v);
            nans |= lull_nan_lanes(v, of->lanes);
        }
    }
    p->clean = across && nans != 0 ? 0 : w->active & ~nans;
    p->marks = across && p->marks != 0 ? UINT64_MAX : p->marks;
}

static void begin(const struct lull_check_now *n, struct wave *w)
{
    struct lull_nan_op ops[2];
    w->in = *(const struct lull_rdna_insn *)n->at->insn;
    w->pc = n->at->pc;
    w->active = n->at->active;
    w->n = lull_nan_ops(&w->in, ops);
    w->some = w->n != 0;
    for (unsigned i = 0; i < w->n; i++) {
        w->p[i].op = ops[i];
        read_sources(n->at->wave, w, &w->p[i]);
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

static void finish_one(const struct lull_check_now *n, struct wave *w, struct pending *p)
{
    const struct lull_wave *of = n->at->wave;
    const bool is_float = p->kind != LULL_NAN_NONE;
    struct lull_nan_value v;
    if (p->op.dst < LULL_RDNA_VGPR0 || (!is_float && !w->any)) {
        return;
    }
    lull_nan_read(of, &w->in, p->op.dst, is_float ? p->kind : LULL_NAN_F32, &v);
    uint64_t nans = lull_nan_lanes(&v, of->lanes);
    const bool narrow = p->kind == LULL_NAN_F16;
    if (narrow) { // Of the half that was written.
        const unsigned shift = (w->in.op_sel & 8) != 0 ? 16 : 0;
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
    put(w, p, p->op.dst, lanes);
    if (p->kind == LULL_NAN_F64) {
        put(w, p, p->op.dst + 1u, lanes);
    }
}

static void before(const struct lull_check_now *n)
{
    struct wave *w = *n->of_wave;
    if (w == NULL) {
        return;
    }
    for (unsigned i = 0; w->some && i < w->n; i++) {
        finish_one(n, w, &w->p[i]);
    }
    lull_check_keep_insn(n);
    begin(n, w);
}

/** Spilled registers keep their marks. */
static void spill(struct wave *w, const struct lull_touch *t)
{
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

static void tell(const struct lull_check_now *n, const struct wave *w, unsigned reg, uint64_t lanes)
{
    const struct lull_origins *births = n->own;
    const uint32_t from = w->origin[reg];
    struct lull_finding *f =
        from == 0
            ? NULL
            : lull_check_found(n, name, "a NaN comes of operands that are none, and is stored",
                               lull_origin_pc(births, from), n->at->pc);
    if (f == NULL || f->count != 1) {
        return;
    }
    const unsigned lane = (unsigned)__builtin_ctzll(lanes);
    f->warning = true;
    f->sites[0] = lull_origin_site(births, from);
    f->sites[1] = lull_check_site(n, n->at->pc, lane);
    f->sites[1].does = lull_check_text("stores it");
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    if (w == NULL || !w->any || t->scalar || t->data < LULL_RDNA_VGPR0) {
        return;
    }
    if (t->priv) {
        spill(w, t);
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
                                                 .priv = true,
                                                 .own_bytes = sizeof(struct lull_origins),
                                                 .starts = starts,
                                                 .before = before,
                                                 .memory = memory,
                                                 .drop_wave = drop_wave,
                                                 .done = lull_origins_done};
