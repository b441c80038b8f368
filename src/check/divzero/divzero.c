// SPDX-License-Identifier: MIT
#include "check/divzero/divzero.h"

#include <stdlib.h>
#include <string.h>

#include "check/marks.h"
#include "check/objects.h"

static const char name[] = "divzero";

enum { SIGN = 31 };

struct wave {
    struct lull_marks marks;
    uint64_t of[LULL_MARKS_VGPRS]; // Lanes whose value is 1 / 0, of an integer or of a float.
    bool some;
    uint64_t marked; // Lanes with a mark in the code, at marked_pc, and no reciprocal since.
    uint64_t marked_pc;
    struct lull_divzero_place last;
};

static void drop_wave(void *of_wave)
{
    struct wave *w = of_wave;
    lull_marks_done(&w->marks);
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
    w->last = (struct lull_divzero_place){n->at->pc, (unsigned)__builtin_ctzll(lanes)};
    lull_marks_make(&w->marks, dst, lanes, 1);
}

/** Does @p op of @p in multiply by what only reciprocals of integers are multiplied by? */
static bool scales(const struct lull_rdna_insn *in, unsigned op)
{
    const bool product = op == LULL_RDNA_OP_V_MUL_F32 || op == LULL_RDNA_OP_V_DUAL_MUL_F32;
    return product &&
           (in->literal == LULL_DIVZERO_BELOW_2_32 || in->literal == LULL_DIVZERO_BELOW_2_64);
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

/** Is the instruction at hand the mark of a division? */
static bool is_mark(const struct lull_check_now *n)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    const struct lull_check_objects *o = n->config;
    return o->divisions && in->op == LULL_RDNA_OP_S_TTRACEDATA_IMM && in->imm == LULL_DIVZERO_MARK;
}

/** Lanes of which the reciprocal at hand is of a division with a mark. */
static uint64_t take_marked(const struct lull_check_now *n, struct wave *w)
{
    const bool near = n->at->pc - w->marked_pc < LULL_DIVZERO_MARK_REACH;
    const uint64_t lanes = near ? w->marked & n->at->active : 0;
    w->marked &= near ? ~n->at->active : 0;
    return lanes;
}

/** Does the instruction at hand divide by 0? Before: marks of its destination are of old values. */
static void divides(const struct lull_check_now *n, struct wave *w, const struct lull_rdna_insn *in)
{
    const bool integer = in->op == LULL_RDNA_OP_V_RCP_IFLAG_F32;
    if (integer || in->op == LULL_RDNA_OP_V_RCP_F32) {
        const uint64_t lanes = zeros(n->at, in->src[0]), marked = take_marked(n, w);
        uint64_t *of = &w->of[(in->dst - LULL_RDNA_VGPR0) & (LULL_MARKS_VGPRS - 1)];
        *of = (*of & ~n->at->active) | (integer ? 0 : lanes & ~marked);
        w->some = w->some || lanes != 0;
        born(n, w, in->dst, integer ? lanes : lanes & marked);
        return;
    }
    if (w->some && (in->enc == LULL_RDNA_VOP2 || in->enc == LULL_RDNA_VOP3)) {
        born(n, w, in->dst, scaled(in, w, in->op, in->src) & n->at->active);
    } else if (w->some && in->enc == LULL_RDNA_VOPD) {
        born(n, w, in->dst, scaled(in, w, in->op, in->src) & n->at->active);
        born(n, w, in->y.dst, scaled(in, w, in->y.op, in->y.src) & n->at->active);
    }
}

void lull_divzero_tell(const struct lull_check_now *n, const struct lull_divzero_place *of,
                       unsigned lane, bool whole, const char *how)
{
    struct lull_finding *f = lull_check_found(
        n, name, "an integer is divided by 0, and the result is used", of->pc, n->at->pc);
    if (f != NULL && f->count == 1) {
        f->sites[0] = lull_check_site(n, of->pc, of->lane);
        f->sites[0].does = lull_check_text("divides by 0");
        f->sites[1] = lull_check_site(n, n->at->pc, lane);
        f->sites[1].whole = whole;
        f->sites[1].does = lull_check_text("%s", how);
        f->note = lull_check_text("what comes out is not defined");
    }
}

static void tell(const struct lull_check_now *n, struct wave *w, uint64_t lanes, const char *how)
{
    const unsigned lane = lanes != 0 ? (unsigned)__builtin_ctzll(lanes) : w->last.lane;
    lull_divzero_tell(n, &w->last, lane, lanes == 0, how);
    lull_marks_forget(&w->marks);
}

/** Only these make marks; while there are some, all instructions move them. */
static bool plan(const struct lull_check_now *n, void *plan)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    (void)plan;
    return in->op == LULL_RDNA_OP_V_RCP_IFLAG_F32 || in->op == LULL_RDNA_OP_V_RCP_F32 ||
           is_mark(n) || scales(in, in->op) || (in->enc == LULL_RDNA_VOPD && scales(in, in->y.op));
}

/** Of most waves it is called for nothing: they keep nothing. */
static void before(const struct lull_check_now *n)
{
    if (*n->of_wave == NULL) {
        lull_check_keep_wave(n, sizeof(struct wave));
    }
    struct wave *w = *n->of_wave;
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    if (w == NULL) {
        return;
    }
    if (w->marks.any && !lull_marks_is_access(in)) {
        const uint64_t out =
            in->enc == LULL_RDNA_EXP ? lull_marks_exported(&w->marks, n->at, in) : 0;
        if (out != 0) {
            tell(n, w, out, "exports what came out");
        } else if (lull_marks_branch(&w->marks, n->at, in)) {
            tell(n, w, 0, "branches on what came out");
        } else {
            lull_marks_move(&w->marks, n->at, in);
        }
    }
    if (is_mark(n)) {
        w->marked = n->at->active;
        w->marked_pc = n->at->pc;
    }
    divides(n, w, in);
    lull_check_call(n, w->marks.any);
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    uint64_t lanes = 0;
    if (w == NULL || !w->marks.any) {
        return;
    }
    const enum lull_marks_use use = lull_marks_access(&w->marks, n->at, in, t, &lanes);
    if (use == LULL_MARKS_ADDRESS) {
        tell(n, w, t->scalar ? 0 : lanes, "takes what came out for an address");
    } else if (use == LULL_MARKS_DATA) {
        tell(n, w, lanes,
             t->kind == LULL_TOUCH_STORE ? "stores what came out"
                                         : "gives what came out to an atomic operation");
    }
}

const struct lull_check_module lull_check_divzero = {.name = name,
                                                     .draws = true,
                                                     .images = true,
                                                     .priv = true,
                                                     .called = true,
                                                     .plan = plan,
                                                     .before = before,
                                                     .memory = memory,
                                                     .drop_wave = drop_wave};
