// SPDX-License-Identifier: MIT
#include "check/divzero/divzero.h"

#include <stdlib.h>
#include <string.h>

#include "check/divzero/marks.h"

static const char name[] = "divzero";

enum {
    SIGN = 31,
    BELOW_2_32 = 0x4f7ffffe, // By which reciprocals of integers are multiplied.
    BELOW_2_64 = 0x5f7ffffc,
};

struct wave {
    struct lull_marks marks;
    uint64_t of[LULL_MARKS_VGPRS]; // Lanes whose value is 1 / 0, of an integer or of a float.
    bool some;
    uint64_t pc; // Of the last division by 0.
    unsigned lane;
};

static void starts(const struct lull_check_now *n)
{
    *n->of_wave = calloc(1, sizeof(struct wave));
    if (*n->of_wave == NULL) {
        lull_checks_lose(n->all);
    }
}

static void drop_wave(void *of_wave)
{
    struct wave *w = of_wave;
    free(w->marks.scratch);
    free(w);
}

/** Lanes in which @p reg is 0, of either sign. */
static uint64_t zeros(const struct lull_observed *at, unsigned reg)
{
    uint64_t lanes = 0;
    for (uint64_t m = at->active; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        uint32_t v = 1;
        if (at->read(at, reg, l, &v) && v << (32 - SIGN) == 0) {
            lanes |= UINT64_C(1) << l;
        }
    }
    return lanes;
}

static void born(const struct lull_check_now *n, struct wave *w, unsigned dst, uint64_t lanes)
{
    if (lanes == 0 || dst < LULL_RDNA_VGPR0) {
        return;
    }
    lull_check_keep_insn(n);
    w->pc = n->at->pc;
    w->lane = (unsigned)__builtin_ctzll(lanes);
    w->marks.any = true;
    w->marks.v[(dst - LULL_RDNA_VGPR0) & (LULL_MARKS_VGPRS - 1)] |= lanes;
}

/** Does @p op of @p in multiply by what only reciprocals of integers are multiplied by? */
static bool scales(const struct lull_rdna_insn *in, unsigned op)
{
    const bool product = op == LULL_RDNA_OP_V_MUL_F32 || op == LULL_RDNA_OP_V_DUAL_MUL_F32;
    return product && (in->literal == BELOW_2_32 || in->literal == BELOW_2_64);
}

/** A reciprocal times what only integers are multiplied by. */
static uint64_t scaled(const struct lull_rdna_insn *in, const struct wave *w, unsigned op,
                       const uint16_t src[2])
{
    if (!scales(in, op)) {
        return 0;
    }
    uint64_t lanes = 0;
    for (unsigned i = 0; i < 2; i++) {
        const bool by = src[1 - i] == LULL_RDNA_LITERAL || src[1 - i] < LULL_MARKS_SGPRS;
        const bool vgpr = src[i] >= LULL_RDNA_VGPR0 && src[i] < LULL_RDNA_VGPR0 + LULL_MARKS_VGPRS;
        lanes |= by && vgpr ? w->of[src[i] - LULL_RDNA_VGPR0] : 0;
    }
    return lanes;
}

/** Does the instruction at hand divide by 0? Before: marks of its destination are of old values. */
static void divides(const struct lull_check_now *n, struct wave *w, const struct lull_rdna_insn *in)
{
    const bool integer = in->op == LULL_RDNA_OP_V_RCP_IFLAG_F32;
    if (integer || in->op == LULL_RDNA_OP_V_RCP_F32) {
        const uint64_t lanes = zeros(n->at, in->src[0]);
        uint64_t *of = &w->of[(in->dst - LULL_RDNA_VGPR0) & (LULL_MARKS_VGPRS - 1)];
        *of = (*of & ~n->at->active) | (integer ? 0 : lanes);
        w->some = w->some || lanes != 0;
        if (integer) {
            born(n, w, in->dst, lanes);
        }
        return;
    }
    if (w->some && (in->enc == LULL_RDNA_VOP2 || in->enc == LULL_RDNA_VOP3)) {
        born(n, w, in->dst, scaled(in, w, in->op, in->src) & n->at->active);
    } else if (w->some && in->enc == LULL_RDNA_VOPD) {
        born(n, w, in->dst, scaled(in, w, in->op, in->src) & n->at->active);
        born(n, w, in->y.dst, scaled(in, w, in->y.op, in->y.src) & n->at->active);
    }
}

static void forget(struct wave *w)
{
    uint64_t *scratch = w->marks.scratch;
    if (scratch != NULL) {
        memset(scratch, 0, LULL_MARKS_SCRATCH * sizeof *scratch);
    }
    memset(&w->marks, 0, sizeof w->marks);
    w->marks.scratch = scratch;
}

static void tell(const struct lull_check_now *n, struct wave *w, uint64_t lanes, const char *how)
{
    struct lull_finding *f = lull_check_found(
        n, name, "an integer is divided by 0, and the result is used", w->pc, n->at->pc);
    if (f != NULL && f->count == 1) {
        const unsigned lane = lanes != 0 ? (unsigned)__builtin_ctzll(lanes) : w->lane;
        f->sites[0] = lull_check_site(n, w->pc, w->lane);
        f->sites[0].does = lull_check_text("divides by 0");
        f->sites[1] = lull_check_site(n, n->at->pc, lane);
        f->sites[1].whole = lanes == 0;
        f->sites[1].does = lull_check_text("%s", how);
        f->note = lull_check_text("what comes out is not defined");
    }
    forget(w);
}

static bool is_memory(const struct lull_rdna_insn *in)
{
    return in->enc == LULL_RDNA_FLAT || in->enc == LULL_RDNA_GLOBAL ||
           in->enc == LULL_RDNA_SCRATCH || in->enc == LULL_RDNA_MUBUF ||
           in->enc == LULL_RDNA_MTBUF || in->enc == LULL_RDNA_DS || in->enc == LULL_RDNA_SMEM;
}

/** Only these make marks; while there are some, all instructions move them. */
static bool plan(const struct lull_check_now *n, void *plan)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    (void)plan;
    return in->op == LULL_RDNA_OP_V_RCP_IFLAG_F32 || in->op == LULL_RDNA_OP_V_RCP_F32 ||
           scales(in, in->op) || (in->enc == LULL_RDNA_VOPD && scales(in, in->y.op));
}

static void before(const struct lull_check_now *n)
{
    struct wave *w = *n->of_wave;
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    if (w == NULL) {
        return;
    }
    if (w->marks.any && !is_memory(in)) {
        if (lull_marks_branch(&w->marks, n->at, in)) {
            tell(n, w, 0, "branches on what came out");
        } else {
            lull_marks_move(&w->marks, n->at, in);
        }
    }
    divides(n, w, in);
    lull_check_call(n, w->marks.any);
}

/** Lanes of @p t in which a register that @p in reads is marked; @p data: those of the data. */
static uint64_t used(const struct lull_check_now *n, const struct wave *w,
                     const struct lull_rdna_insn *in, uint64_t lanes, bool data)
{
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned count = lull_rdna_uses(in, n->at->lanes, uses);
    uint64_t t = 0;
    for (unsigned i = 0; i < count; i++) {
        const bool is_data = uses[i].reg == in->vdata || uses[i].reg == in->vdata2;
        for (unsigned r = 0; !uses[i].write && is_data == data && r < uses[i].count; r++) {
            t |= lull_marks_of(&w->marks, uses[i].reg + r, n->at->lanes);
        }
    }
    return t & lanes;
}

/** Spilled registers keep their marks. */
static void spill(struct wave *w, const struct lull_touch *t)
{
    if (w->marks.scratch == NULL) {
        w->marks.scratch = calloc(LULL_MARKS_SCRATCH, sizeof *w->marks.scratch);
    }
    for (uint64_t m = t->lanes; w->marks.scratch != NULL && m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        const uint64_t bit = UINT64_C(1) << l;
        for (unsigned d = 0; d < (t->bytes + 3) / 4; d++) {
            const uint64_t place = t->address[l] / 4 + d;
            const unsigned reg = t->data - LULL_RDNA_VGPR0 + d;
            if (place >= LULL_MARKS_SCRATCH || reg >= LULL_MARKS_VGPRS) {
                continue;
            }
            uint64_t *from = &w->marks.scratch[place], *to = &w->marks.v[reg];
            if (t->kind != LULL_TOUCH_LOAD) {
                uint64_t *swap = from;
                from = to;
                to = swap;
            }
            *to = (*to & ~bit) | (*from & bit);
        }
    }
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    if (w == NULL || !w->marks.any) {
        return;
    }
    const uint64_t lanes = t->scalar ? UINT64_MAX : t->lanes;
    const uint64_t address = used(n, w, in, lanes, false), data = used(n, w, in, lanes, true);
    if (address != 0) {
        tell(n, w, t->scalar ? 0 : address, "takes what came out for an address");
    } else if (t->priv) {
        spill(w, t);
        return;
    } else if (data != 0 && t->kind != LULL_TOUCH_LOAD) {
        tell(n, w, data,
             t->kind == LULL_TOUCH_STORE ? "stores what came out"
                                         : "gives what came out to an atomic operation");
    }
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned count = lull_rdna_uses(in, n->at->lanes, uses);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned r = uses[i].reg; uses[i].write && r < (unsigned)uses[i].reg + uses[i].count;
             r++) {
            if (r >= LULL_RDNA_VGPR0 && r - LULL_RDNA_VGPR0 < LULL_MARKS_VGPRS) {
                w->marks.v[r - LULL_RDNA_VGPR0] &= ~lanes;
            } else if (r < LULL_MARKS_SGPRS) {
                w->marks.s[r] = 0;
            }
        }
    }
}

const struct lull_check_module lull_check_divzero = {.name = name,
                                                     .priv = true,
                                                     .plan = plan,
                                                     .starts = starts,
                                                     .before = before,
                                                     .memory = memory,
                                                     .drop_wave = drop_wave};
