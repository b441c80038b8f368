// SPDX-License-Identifier: MIT
// Of ir3.
#include <stdlib.h>
#include <string.h>

#include "check/divzero/divzero.h"
#include "check/shadow/shadow.h"

enum { FIBERS = LULL_SHADOW_FIBERS, RECIPROCALS = 8 };

/** A register, or a half of one, that is 1 / 0 of a float. */
struct reciprocal {
    int32_t number;
    bool half;
    uint64_t lanes[2];
};

struct wave {
    struct lull_shadow *shadow; // NULL: nothing was marked yet.
    struct lull_shadow_memory priv;
    struct reciprocal of[RECIPROCALS];
    unsigned n;
    struct lull_divzero_place last;
};

static void starts(const struct lull_check_now *n)
{
    lull_check_keep_wave(n, sizeof(struct wave));
}

static void drop_wave(void *of_wave)
{
    struct wave *w = of_wave;
    free(w->shadow);
    lull_shadow_memory_done(&w->priv);
    free(w);
}

static bool none(const uint64_t lanes[2])
{
    return (lanes[0] | lanes[1]) == 0;
}

static unsigned first(const uint64_t lanes[2])
{
    return lanes[0] != 0 ? (unsigned)__builtin_ctzll(lanes[0])
                         : 64 + (unsigned)__builtin_ctzll(lanes[1]);
}

static void born(const struct lull_check_now *n, struct wave *w, const struct lull_ir3_operand *dst,
                 int32_t number, const uint64_t lanes[2])
{
    if (none(lanes) || dst->kind != LULL_IR3_K_GPR) {
        return;
    }
    if (w->shadow == NULL) {
        w->shadow = calloc(1, sizeof *w->shadow);
    }
    if (w->shadow == NULL) {
        lull_checks_lose(n->all);
        return;
    }
    lull_check_keep_insn(n);
    w->last = (struct lull_divzero_place){n->at->pc, first(lanes)};
    lull_shadow_mark_operand(w->shadow, number, dst->half, lanes, 1);
}

static const struct reciprocal *reciprocal_of(const struct wave *w,
                                              const struct lull_ir3_operand *o, int32_t number)
{
    for (unsigned i = 0; o->kind == LULL_IR3_K_GPR && i < w->n; i++) {
        if (w->of[i].number == number && w->of[i].half == o->half) {
            return &w->of[i];
        }
    }
    return NULL;
}

/** Is @p o, of all lanes, what @p in multiplies reciprocals of integers by, or adds to them? */
static bool is_factor(const struct lull_check_now *n, const struct lull_ir3_insn *in,
                      const struct lull_ir3_operand *o, unsigned step)
{
    uint32_t v[FIBERS];
    lull_shadow_value(n->at, o, o->r ? step : 0, v);
    return v[0] == (in->op == LULL_IR3_OP_MUL_F ? LULL_DIVZERO_BELOW_2_32 : 1);
}

/** A reciprocal becomes that of an integer. */
static void scales(const struct lull_check_now *n, struct wave *w, const struct lull_ir3_insn *in)
{
    const bool scale =
        in->op == LULL_IR3_OP_MUL_F || in->op == LULL_IR3_OP_ADD_U || in->op == LULL_IR3_OP_ADD_S;
    for (unsigned step = 0; scale && step <= in->m.repeat; step++) {
        for (unsigned k = 0; k < 2; k++) {
            const struct lull_ir3_operand *o = &in->src[k];
            const struct reciprocal *r = reciprocal_of(w, o, o->value + (o->r ? (int32_t)step : 0));
            if (r != NULL && is_factor(n, in, &in->src[1 - k], step)) {
                const uint64_t lanes[2] = {r->lanes[0] & n->at->active,
                                           r->lanes[1] & n->at->active_high};
                born(n, w, &in->dst[0], in->dst[0].value + (int32_t)step, lanes);
            }
        }
    }
}

/** What the instruction writes is no such reciprocal any more; half registers are of others. */
static void overwrites(struct wave *w, const struct lull_observed *at,
                       const struct lull_shadow_plan *p)
{
    for (unsigned i = 0; i < w->n;) {
        struct reciprocal *r = &w->of[i];
        const unsigned reg = (unsigned)(r->half ? r->number / 2 : r->number);
        if (reg < LULL_SHADOW_REGS && (p->writes[reg / 64] >> reg % 64 & 1) != 0) {
            r->lanes[0] &= ~at->active;
            r->lanes[1] &= ~at->active_high;
        }
        if (none(r->lanes)) {
            *r = w->of[--w->n];
        } else {
            i++;
        }
    }
}

static void divides(const struct lull_check_now *n, struct wave *w, const struct lull_ir3_insn *in)
{
    for (unsigned step = 0; in->op == LULL_IR3_OP_RCP && step <= in->m.repeat; step++) {
        const struct lull_ir3_operand *o = &in->src[0];
        const uint32_t size = o->half ? INT16_MAX : INT32_MAX;
        uint32_t v[FIBERS];
        struct reciprocal r = {.number = in->dst[0].value + (int32_t)step, .half = in->dst[0].half};
        lull_shadow_value(n->at, o, o->r ? step : 0, v);
        for (unsigned i = 0; i < n->at->lanes; i++) {
            r.lanes[i / 64] |= (uint64_t)((v[i] & size) == 0) << i % 64;
        }
        r.lanes[0] &= n->at->active;
        r.lanes[1] &= n->at->active_high;
        if (!none(r.lanes) && in->dst[0].kind == LULL_IR3_K_GPR && w->n < RECIPROCALS) {
            w->of[w->n++] = r;
        }
    }
}

static bool plan(const struct lull_check_now *n, void *to)
{
    lull_shadow_plan(n->at, to);
    return lull_arch_ir3_of(n->at->insn)->in.op == LULL_IR3_OP_RCP;
}

static void use(const struct lull_check_now *n, struct wave *w, const struct lull_shadow_plan *p)
{
    static const char *const hows[] = {
        [LULL_SHADOW_BRANCH] = "branches on what came out",
        [LULL_SHADOW_ADDRESS] = "takes what came out for an address",
        [LULL_SHADOW_DATA] = "stores what came out",
    };
    const struct lull_shadow_found f = lull_shadow_used(w->shadow, n->at, p, false);
    const bool spill = p->kind == LULL_SHADOW_PRIVATE && f.use == LULL_SHADOW_DATA;
    if (f.use == LULL_SHADOW_MOVES || spill) {
        lull_shadow_move(w->shadow, n->at, p);
        return;
    }
    const bool atomic = p->loads && p->stores && f.use == LULL_SHADOW_DATA;
    lull_divzero_tell(n, &w->last, first(f.lanes), f.use == LULL_SHADOW_BRANCH,
                      atomic ? "gives what came out to an atomic operation" : hows[f.use]);
    lull_shadow_clear(w->shadow);
    lull_shadow_memory_done(&w->priv);
}

static void before(const struct lull_check_now *n)
{
    struct wave *w = *n->of_wave;
    const struct lull_shadow_plan *p = n->plan;
    const struct lull_ir3_insn *in = &lull_arch_ir3_of(n->at->insn)->in;
    if (w == NULL) {
        return;
    }
    if (w->shadow != NULL && n->wave->stage != NULL) {
        const struct lull_shadow_found f = lull_shadow_given(w->shadow, n->at);
        if (f.use == LULL_SHADOW_DATA) {
            lull_divzero_tell(n, &w->last, first(f.lanes), false, "exports what came out");
        }
    }
    if (w->shadow != NULL && lull_shadow_meets(w->shadow, n->at, p)) {
        use(n, w, p);
    }
    scales(n, w, in);
    overwrites(w, n->at, p);
    divides(n, w, in);
    const bool left = w->shadow != NULL && (w->priv.bits != NULL || lull_shadow_left(w->shadow));
    lull_check_call(n, w->n != 0 || left);
}

/** Spilled registers keep their marks. */
static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    const struct lull_shadow_plan *p = n->plan;
    struct lull_shadow_never never = {0};
    if (w == NULL || w->shadow == NULL || p->kind != LULL_SHADOW_PRIVATE) {
        return;
    }
    if (!lull_shadow_memory_private(&w->priv, n->at, 0)) {
        lull_checks_lose(n->all);
        return;
    }
    lull_shadow_access(w->shadow, &w->priv, n->at, p, t, &never);
}

const struct lull_check_module lull_check_divzero_ir3 = {.name = "divzero",
                                                         .draws = true,
                                                         .priv = true,
                                                         .called = true,
                                                         .plan_bytes =
                                                             sizeof(struct lull_shadow_plan),
                                                         .plan = plan,
                                                         .starts = starts,
                                                         .before = before,
                                                         .memory = memory,
                                                         .drop_wave = drop_wave};
