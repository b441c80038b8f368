// SPDX-License-Identifier: MIT
#include "model/adreno/watch.h"

#include <stdio.h>
#include <string.h>

enum { INSN_BYTES = 8 };

static struct lull_ir3_group *group_of(struct lull_acompute *c)
{
    return c != NULL ? lull_acompute_group(c) : NULL;
}

static struct lull_agpu_dispatch *record(struct lull_agpu_watch *w, uint64_t number)
{
    return &w->records[number % LULL_AGPU_RECORDS];
}

bool lull_agpu_watch_release(struct lull_agpu_watch *w)
{
    const bool was = w->held;
    w->held = false;
    if (was && w->open) {
        record(w, w->n - 1)->phase = LULL_AGPU_RUNNING;
    }
    return was;
}

void lull_agpu_watch_set(struct lull_agpu_watch *w, struct lull_acompute *c,
                         const struct lull_agpu_stops *s)
{
    struct lull_ir3_group *g = group_of(c);
    w->stops.on = s != NULL;
    w->stops.starts = s != NULL && s->starts;
    w->stops.n = s != NULL ? s->n : 0;
    w->dispatches = s != NULL && s->dispatches;
    if (!w->dispatches) {
        (void)lull_agpu_watch_release(w);
    }
    for (unsigned i = 0; i < w->stops.n; i++) {
        w->stops.at[i] = s->at[i];
    }
    for (unsigned i = 0; s == NULL && g != NULL && i < g->n; i++) {
        g->waves[i].hold = (struct lull_ir3_hold){.stop = LULL_IR3_STOP_NOT};
    }
}

void lull_agpu_watch_began(struct lull_agpu_watch *w, struct lull_acompute *c, uint64_t ttbr0,
                           uint64_t clock)
{
    const struct lull_acompute_shape s = lull_acompute_shape(c);
    struct lull_agpu_dispatch *d = record(w, w->n);
    *d = (struct lull_agpu_dispatch){.number = w->n++,
                                     .phase = w->dispatches ? LULL_AGPU_HELD : LULL_AGPU_RUNNING,
                                     .ttbr0 = ttbr0,
                                     .code = s.code,
                                     .began = clock,
                                     .ninsns = s.ninsns,
                                     .fibers = s.fibers,
                                     .full = s.full,
                                     .half = s.half,
                                     .local_bytes = lull_acompute_env(c)->local_bytes};
    memcpy(d->groups, s.groups, sizeof d->groups);
    memcpy(d->local, s.local, sizeof d->local);
    w->held = w->dispatches;
    w->open = true;
}

void lull_agpu_watch_ended(struct lull_agpu_watch *w, bool killed, uint64_t clock)
{
    if (w->open) {
        struct lull_agpu_dispatch *d = record(w, w->n - 1);
        d->phase = killed ? LULL_AGPU_KILLED : LULL_AGPU_DONE;
        d->ended = clock;
    }
    w->open = w->held = false;
}

bool lull_agpu_watch_stands(const struct lull_agpu_watch *w, const struct lull_acompute *c)
{
    return w->held || (c != NULL && lull_acompute_stands(c));
}

bool lull_agpu_watch_dispatch(const struct lull_agpu_watch *w, uint64_t number,
                              struct lull_agpu_dispatch *ret)
{
    if (number >= w->n) {
        return false;
    }
    *ret = w->n - number > LULL_AGPU_RECORDS
               ? (struct lull_agpu_dispatch){.number = number, .phase = LULL_AGPU_LOST}
               : w->records[number % LULL_AGPU_RECORDS];
    return true;
}

static enum lull_agpu_stop stop_of(enum lull_ir3_stop s)
{
    static const enum lull_agpu_stop stops[] = {
        [LULL_IR3_STOP_NOT] = LULL_AGPU_STOP_NOT,
        [LULL_IR3_STOP_START] = LULL_AGPU_STOP_START,
        [LULL_IR3_STOP_STEP] = LULL_AGPU_STOP_STEP,
        [LULL_IR3_STOP_BREAKPOINT] = LULL_AGPU_STOP_BREAKPOINT,
        [LULL_IR3_STOP_HOST] = LULL_AGPU_STOP_HOST,
        [LULL_IR3_STOP_MEMORY] = LULL_AGPU_STOP_MEMORY,
        [LULL_IR3_STOP_ILLEGAL] = LULL_AGPU_STOP_ILLEGAL,
    };
    return stops[s];
}

static struct lull_agpu_wave wave_of(const struct lull_ir3_group *g,
                                     const struct lull_ir3_wave *wave, uint64_t code)
{
    const struct lull_ir3_fault *f = &wave->hold.fault;
    struct lull_agpu_wave r = {.group = g->number,
                               .id = {g->id[0], g->id[1], g->id[2]},
                               .number = wave->number,
                               .fibers = wave->fibers,
                               .stop = stop_of(wave->hold.stop),
                               .barrier = wave->status == LULL_IR3_BARRIER,
                               .pc = code + (uint64_t)INSN_BYTES * wave->pc,
                               .exec = {wave->exec.w[0], wave->exec.w[1]},
                               .ninsns = wave->ninsns,
                               .fault_address = f->address,
                               .fault_pc = code + (uint64_t)INSN_BYTES * f->pc,
                               .fault_fiber = f->fiber,
                               .fault_write = f->write};
    snprintf(r.wrong, sizeof r.wrong, "%s", wave->wrong);
    return r;
}

unsigned lull_agpu_watch_waves(struct lull_acompute *c, struct lull_agpu_wave *ret, unsigned room)
{
    const struct lull_ir3_group *g = group_of(c);
    unsigned n = 0;
    for (unsigned i = 0; g != NULL && i < g->n && n < room; i++) {
        if (g->waves[i].status != LULL_IR3_ENDED) {
            ret[n++] = wave_of(g, &g->waves[i], lull_acompute_env(c)->code);
        }
    }
    return n;
}

bool lull_agpu_watch_go(struct lull_acompute *c, uint32_t wave, bool step)
{
    struct lull_ir3_group *g = group_of(c);
    if (g == NULL || wave >= g->n || g->waves[wave].hold.stop == LULL_IR3_STOP_NOT) {
        return false;
    }
    lull_ir3_stops_go(&g->waves[wave], step);
    return true;
}

void lull_agpu_watch_interrupt(struct lull_acompute *c)
{
    struct lull_ir3_group *g = group_of(c);
    if (g != NULL) {
        (void)lull_ir3_stops_all(g);
    }
}

/** A full or half register, or a shared one. */
static bool vector_reg(struct lull_ir3_wave *wave, const struct lull_agpu_reg *r, bool write,
                       uint32_t *value)
{
    const bool half = r->bank == LULL_AGPU_HALF;
    const uint32_t shared = LULL_IR3_GPRS; // By number, halves too.
    const uint32_t end = r->number < shared ? shared : shared + LULL_IR3_SHARED * (half ? 2u : 1u);
    if (r->number >= end) {
        return false;
    }
    if (write) {
        lull_ir3_set(wave, r->number, half, r->fiber, *value);
    } else {
        *value = lull_ir3_get(wave, r->number, half, r->fiber);
    }
    return true;
}

static bool constant(struct lull_ir3_env *env, uint32_t n, bool write, uint32_t *value)
{
    const bool shared = env->shared_first != 0 && n >= env->shared_first;
    if (n >= LULL_IR3_CONSTS || (!shared && n >= env->nconsts)) {
        return false;
    }
    uint32_t *at = shared ? &env->shared_consts[n - env->shared_first] : &env->consts[n];
    *(write ? at : value) = *(write ? value : at);
    return true;
}

static bool address(struct lull_ir3_wave *wave, const struct lull_agpu_reg *r, bool write,
                    uint32_t *value)
{
    if (r->number > 1) {
        return false;
    }
    if (write && r->number == 0) {
        wave->a0[r->fiber] = (int16_t)*value;
    } else if (write) {
        wave->a1 = (uint16_t)*value;
    } else {
        *value = r->number == 0 ? (uint16_t)wave->a0[r->fiber] : wave->a1;
    }
    return true;
}

static bool predicate(struct lull_ir3_wave *wave, const struct lull_agpu_reg *r, bool write,
                      uint32_t *value)
{
    if (r->number > 3) {
        return false;
    }
    uint64_t *at = &wave->p[r->number].w[r->fiber / 64];
    const uint64_t bit = UINT64_C(1) << (r->fiber & 63);
    if (write) {
        *at = *value != 0 ? *at | bit : *at & ~bit;
    } else {
        *value = (*at & bit) != 0;
    }
    return true;
}

/** Fibers that are elsewhere stay there. */
static bool pc(struct lull_ir3_wave *wave, uint64_t code, const struct lull_agpu_reg *r, bool write,
               uint32_t *value)
{
    const uint64_t now = code + (uint64_t)INSN_BYTES * wave->pc;
    if (r->number > 1) {
        return false;
    }
    if (write && r->number == 0) {
        wave->pc = (*value - (uint32_t)code) / INSN_BYTES;
    } else if (!write) {
        *value = (uint32_t)(now >> 32 * r->number);
    }
    return true;
}

bool lull_agpu_watch_reg(struct lull_acompute *c, const struct lull_agpu_reg *r, bool write,
                         uint32_t *value)
{
    struct lull_ir3_group *g = group_of(c);
    struct lull_ir3_env *env = c != NULL ? lull_acompute_env(c) : NULL;
    if (env != NULL && r->bank == LULL_AGPU_CONST) {
        return constant(env, r->number, write, value);
    }
    if (env != NULL && r->bank == LULL_AGPU_UBO && r->number < 2 * 32 && !write) {
        *value = (uint32_t)(env->ubo[r->number / 2] >> 32 * (r->number & 1));
        return true;
    }
    if (g == NULL || r->wave >= g->n || r->fiber >= g->waves[r->wave].fibers) {
        return false;
    }
    struct lull_ir3_wave *wave = &g->waves[r->wave];
    switch (r->bank) {
    case LULL_AGPU_FULL:
    case LULL_AGPU_HALF:
        return vector_reg(wave, r, write, value);
    case LULL_AGPU_ADDRESS:
        return address(wave, r, write, value);
    case LULL_AGPU_PREDICATE:
        return predicate(wave, r, write, value);
    case LULL_AGPU_PC:
        return pc(wave, env->code, r, write, value);
    case LULL_AGPU_CONST:
    case LULL_AGPU_UBO:
    default:
        return false;
    }
}

uint8_t *lull_agpu_watch_local(struct lull_acompute *c, uint32_t *ret_bytes)
{
    struct lull_ir3_env *env = group_of(c) != NULL ? lull_acompute_env(c) : NULL;
    *ret_bytes = env != NULL ? env->local_bytes : 0;
    return env != NULL ? env->local : NULL;
}
