// SPDX-License-Identifier: MIT
// Of ir3.
#include <stdlib.h>
#include <string.h>

#include "check/nan/nan.h"
#include "check/nan/values.h"
#include "check/origin.h"
#include "check/shadow/shadow.h"
#include "model/adreno/exec/observed.h"

enum { FIBERS = LULL_SHADOW_FIBERS, STEPS = 4, SOURCES = 3, HALF = 16 };

/** What is known of an instruction; in front what is always looked at. */
struct plan {
    struct lull_shadow_plan shadow;
    bool computes;                // A float.
    bool overlaps;                // It may overwrite what it reads.
    struct lull_ir3_op_step step; // If so.
};

/** What an instruction has read that it overwrites. */
struct old {
    uint32_t v[STEPS][SOURCES][FIBERS];
};

struct wave {
    struct lull_shadow *shadow; // NULL: nothing was marked yet.
    struct lull_shadow_memory priv;
    const struct plan *plan; // Of what is being executed; NULL: nothing is.
    uint64_t pc, active[2];
    struct old old;
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

static const struct lull_ir3_seen *seen_of(const struct lull_check_now *n)
{
    return (const struct lull_ir3_seen *)(const void *)n->at;
}

static bool is_float(unsigned type)
{
    return type == LULL_IR3_TYPE_F32 || type == LULL_IR3_TYPE_F16;
}

static bool is_nan(uint32_t v, bool half)
{
    return half ? (v & 0x7fff) > 0x7c00 : (v & 0x7fffffff) > 0x7f800000;
}

/** Does it compute a float, into a register that it names? A move computes nothing. */
static bool computes(const struct lull_ir3_op_step *s)
{
    const bool move = s->in.category == 1 && s->in.m.src_type == s->in.m.type;
    return s->alu != NULL && is_float(s->alu->result) && !move && s->in.ndst == 1 &&
           s->in.dst[0].kind == LULL_IR3_K_GPR && s->in.m.repeat < STEPS;
}

static bool plan(const struct lull_check_now *n, void *to)
{
    struct plan *p = to;
    const struct lull_ir3_seen *seen = seen_of(n);
    const struct lull_ir3_op_step *s = &seen->env->program->steps[seen->wave->pc];
    lull_shadow_plan(n->at, &p->shadow);
    if (!computes(s)) {
        return false;
    }
    p->computes = true;
    p->step = *s;
    p->overlaps = p->shadow.relative;
    for (unsigned i = 0; i < LULL_SHADOW_WORDS; i++) {
        p->overlaps = p->overlaps || (p->shadow.reads[i] & p->shadow.writes[i]) != 0;
    }
    lull_check_keep_insn(n); // For a birth, which is told later.
    return true;
}

/** The instruction at hand is about to be executed. */
static void begin(const struct lull_check_now *n, struct wave *w)
{
    const struct lull_ir3_seen *seen = seen_of(n);
    const struct plan *p = n->plan;
    w->plan = p;
    w->pc = n->at->pc;
    w->active[0] = n->at->active;
    w->active[1] = n->at->active_high;
    if (!p->computes || !p->overlaps) {
        return;
    }
    const struct lull_ir3_insn *in = &p->step.in;
    for (unsigned step = 0; step <= in->m.repeat; step++) {
        for (unsigned k = 0; k < in->nsrc && k < SOURCES; k++) {
            (void)lull_ir3_alu_source(seen->wave, seen->env, &p->step, k, step, w->old.v[step][k]);
        }
    }
}

/** Lanes of @p v that are NaNs. */
static void nans_of(const uint32_t *v, unsigned lanes, bool half, uint64_t ret[2])
{
    ret[0] = ret[1] = 0;
    for (unsigned i = 0; i < lanes; i++) {
        ret[i / 64] |= (uint64_t)is_nan(v[i], half) << i % 64;
    }
}

/** Is one of @p v, of all lanes, a NaN? Quickly. */
static bool may_have(const uint32_t *v, unsigned lanes, bool half)
{
    const uint32_t mask = half ? 0x7fff : 0x7fffffff, most = half ? 0x7c00 : 0x7f800000;
    int32_t some = 0;
    for (unsigned i = 0; i < lanes; i++) {
        some |= (int32_t)(most - (v[i] & mask));
    }
    return some < 0;
}

static char *made_of(const struct plan *p, uint32_t (*v)[FIBERS], unsigned lane)
{
    struct lull_str s = {0};
    const unsigned nsrc = p->step.in.nsrc;
    const bool half = p->step.alu->source == LULL_IR3_TYPE_F16;
    lull_str_addf(&s, "makes a NaN of ");
    for (unsigned i = 0; i < nsrc && i < SOURCES; i++) {
        lull_str_addf(&s, "%s", i == 0 ? "" : i + 1 < nsrc ? ", " : " and ");
        lull_nan_number(half ? LULL_NAN_F16 : LULL_NAN_F32, v[i][lane], &s);
    }
    char *text = s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
    return text;
}

/** Component @p reg has NaNs of operands that are none in @p lanes. */
static void born(const struct lull_check_now *n, struct wave *w, unsigned step, int32_t number,
                 const uint64_t lanes[2])
{
    struct lull_origins *births = n->own;
    const bool half = w->plan->step.in.dst[0].half;
    const unsigned lane = lanes[0] != 0 ? (unsigned)__builtin_ctzll(lanes[0])
                                        : 64 + (unsigned)__builtin_ctzll(lanes[1]);
    w->shadow = w->shadow != NULL ? w->shadow : calloc(1, sizeof *w->shadow);
    if (w->shadow == NULL) {
        lull_checks_lose(n->all);
        return;
    }
    uint32_t from = lull_origin_find(births, w->pc, 0);
    if (from == 0) {
        from = lull_origin_add(births, n, w->pc, 0, lane, made_of(w->plan, w->old.v[step], lane));
    }
    lull_shadow_mark_operand(w->shadow, number, half, lanes, from);
}

/** Repetition @p step of what has been executed. */
static void look(const struct lull_check_now *n, struct wave *w, unsigned step)
{
    const struct lull_ir3_seen *seen = seen_of(n);
    const struct plan *p = w->plan;
    const struct lull_ir3_operand *dst = &p->step.in.dst[0];
    const unsigned lanes = n->at->lanes;
    uint32_t v[FIBERS];
    uint64_t nans[2], of[2];
    lull_shadow_value(n->at, dst, step, v);
    if (!may_have(v, lanes, dst->half)) {
        return;
    }
    nans_of(v, lanes, dst->half, nans);
    uint64_t clean[2] = {nans[0] & w->active[0], nans[1] & w->active[1]};
    for (unsigned k = 0; k < p->step.in.nsrc && k < SOURCES; k++) {
        if (!p->overlaps) {
            (void)lull_ir3_alu_source(seen->wave, seen->env, &p->step, k, step, w->old.v[step][k]);
        }
        nans_of(w->old.v[step][k], lanes, p->step.alu->source == LULL_IR3_TYPE_F16, of);
        clean[0] &= ~of[0];
        clean[1] &= ~of[1];
    }
    if ((clean[0] | clean[1]) != 0) {
        born(n, w, step, dst->value + (int32_t)step, clean);
    }
}

/** Of what was written, only NaNs keep marks: floats of any size. */
static void filter(const struct lull_check_now *n, struct wave *w)
{
    for (unsigned r = 0; r < LULL_SHADOW_REGS; r++) {
        const bool written = (w->plan->shadow.writes[r / 64] >> r % 64 & 1) != 0;
        if (!written || (w->shadow->marked[r / 64] >> r % 64 & 1) == 0) {
            continue;
        }
        const struct lull_ir3_operand o = {.kind = LULL_IR3_K_GPR, .value = (int32_t)r};
        uint32_t v[FIBERS];
        uint64_t keep[2] = {0};
        lull_shadow_value(n->at, &o, 0, v);
        for (unsigned i = 0; i < n->at->lanes; i++) {
            const bool nan = is_nan(v[i], false) || is_nan(v[i] & UINT16_MAX, true) ||
                             is_nan(v[i] >> HALF, true);
            keep[i / 64] |= (uint64_t)nan << i % 64;
        }
        lull_shadow_keep(w->shadow, r, UINT32_MAX, keep);
    }
}

/** What was about to be executed has been. */
static void finish(const struct lull_check_now *n, struct wave *w)
{
    if (w->plan == NULL) {
        return;
    }
    if (w->shadow != NULL) {
        filter(n, w);
    }
    for (unsigned step = 0; w->plan->computes && step <= w->plan->step.in.m.repeat; step++) {
        look(n, w, step);
    }
    w->plan = NULL;
}

static void tell(const struct lull_check_now *n, const struct lull_shadow_found *f)
{
    lull_nan_tell(n, f->from,
                  f->lanes[0] != 0 ? (unsigned)__builtin_ctzll(f->lanes[0])
                                   : 64 + (unsigned)__builtin_ctzll(f->lanes[1]));
}

static void before(const struct lull_check_now *n)
{
    struct wave *w = *n->of_wave;
    const struct plan *p = n->plan;
    if (w == NULL) {
        return;
    }
    finish(n, w);
    if (w->shadow != NULL && n->wave->stage != NULL) {
        const struct lull_shadow_found f = lull_shadow_given(w->shadow, n->at);
        if (f.use == LULL_SHADOW_DATA) {
            tell(n, &f);
        }
    }
    if (w->shadow != NULL && lull_shadow_meets(w->shadow, n->at, &p->shadow)) {
        const struct lull_shadow_found f = lull_shadow_used(w->shadow, n->at, &p->shadow, false);
        if (f.use == LULL_SHADOW_DATA && p->shadow.kind != LULL_SHADOW_PRIVATE) {
            tell(n, &f);
        }
        lull_shadow_move(w->shadow, n->at, &p->shadow);
    }
    begin(n, w);
    const bool left = w->shadow != NULL && (w->priv.bits != NULL || lull_shadow_left(w->shadow));
    lull_check_call(n, left || p->computes);
}

/** Spilled registers keep their marks. */
static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    const struct plan *p = n->plan;
    struct lull_shadow_never never = {0};
    if (w == NULL || w->shadow == NULL || p->shadow.kind != LULL_SHADOW_PRIVATE) {
        return;
    }
    if (!lull_shadow_memory_private(&w->priv, n->at, 0)) {
        lull_checks_lose(n->all);
        return;
    }
    lull_shadow_access(w->shadow, &w->priv, n->at, &p->shadow, t, &never);
}

const struct lull_check_module lull_check_nan_ir3 = {.name = "nan",
                                                     .draws = true,
                                                     .priv = true,
                                                     .called = true,
                                                     .plan_bytes = sizeof(struct plan),
                                                     .plan = plan,
                                                     .own_bytes = sizeof(struct lull_origins),
                                                     .starts = starts,
                                                     .before = before,
                                                     .memory = memory,
                                                     .drop_wave = drop_wave,
                                                     .done = lull_origins_done};
