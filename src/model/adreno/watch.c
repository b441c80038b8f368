// SPDX-License-Identifier: MIT
#include "model/adreno/watch.h"

#include <stdio.h>
#include <string.h>

enum { INSN_BYTES = 8 };

static struct lull_ir3_group *group_of(const struct lull_agpu_waves *now)
{
    return now->compute != NULL ? lull_acompute_group(now->compute)
           : now->draw != NULL  ? lull_adraw_group(now->draw)
                                : NULL;
}

static struct lull_ir3_env *env_of(const struct lull_agpu_waves *now)
{
    return now->compute != NULL ? lull_acompute_env(now->compute)
           : now->draw != NULL  ? lull_adraw_env(now->draw)
                                : NULL;
}

static struct lull_agpu_dispatch *record(struct lull_agpu_watch *w, uint64_t number)
{
    return &w->records[number % LULL_AGPU_DISPATCHES];
}

bool lull_agpu_watch_release(struct lull_agpu_watch *w)
{
    const bool was = w->held;
    w->held = false;
    if (was && w->open) {
        record(w, w->n - 1)->phase = LULL_AGPU_RUNNING;
    }
    if (was && w->open_draw) {
        w->drawn[(w->ndraws - 1) % LULL_AGPU_RECORDS].phase = LULL_AGPU_RUNNING;
    }
    return was;
}

void lull_agpu_watch_set(struct lull_agpu_watch *w, const struct lull_agpu_waves *now,
                         const struct lull_agpu_stops *s)
{
    struct lull_ir3_group *g = group_of(now);
    w->stops.on = s != NULL;
    w->stops.starts = s != NULL && s->starts;
    w->stops.n = s != NULL ? s->n : 0;
    w->dispatches = s != NULL && s->dispatches;
    w->draws = s != NULL && s->draws;
    if ((w->open && !w->dispatches) || (w->open_draw && !w->draws)) {
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
    w->ttbr0 = ttbr0;
}

void lull_agpu_watch_drew(struct lull_agpu_watch *w, const struct lull_adraw *d, bool tiled,
                          uint64_t ttbr0, uint64_t clock)
{
    const struct lull_adraw_summary s = lull_adraw_summary(d);
    struct lull_agpu_draw *r = &w->drawn[w->ndraws % LULL_AGPU_RECORDS];
    *r = (struct lull_agpu_draw){.number = w->ndraws++,
                                 .phase = w->draws ? LULL_AGPU_HELD : LULL_AGPU_RUNNING,
                                 .ttbr0 = ttbr0,
                                 .began = clock,
                                 .prim = s.call.prim,
                                 .vertices = s.call.vertices,
                                 .instances = s.call.instances,
                                 .index_bytes = s.call.index_bytes,
                                 .index = s.call.index +
                                          (uint64_t)s.call.first_index * s.call.index_bytes,
                                 .packet = s.call.packet,
                                 .part = s.call.part,
                                 .tiled = tiled};
    for (unsigned i = LULL_AGPU_VS; i <= LULL_AGPU_FS; i++) {
        r->stage[i].code = s.stage[i].code;
        r->stage[i].ninsns = s.stage[i].ninsns;
        r->stage[i].fibers = s.stage[i].fibers;
        r->stage[i].full = s.stage[i].full;
        r->stage[i].half = s.stage[i].half;
    }
    memcpy(r->window, s.window, sizeof r->window);
    w->held = w->draws;
    w->open_draw = true;
    w->ttbr0 = ttbr0;
}

void lull_agpu_watch_ended(struct lull_agpu_watch *w, bool killed, uint64_t clock)
{
    if (w->open) {
        struct lull_agpu_dispatch *d = record(w, w->n - 1);
        d->phase = killed ? LULL_AGPU_KILLED : LULL_AGPU_DONE;
        d->ended = clock;
    }
    if (w->open_draw) {
        struct lull_agpu_draw *d = &w->drawn[(w->ndraws - 1) % LULL_AGPU_RECORDS];
        d->phase = killed ? LULL_AGPU_KILLED : LULL_AGPU_DONE;
        d->ended = clock;
    }
    w->open = w->open_draw = w->held = false;
}

bool lull_agpu_watch_stands(const struct lull_agpu_watch *w, const struct lull_agpu_waves *now)
{
    return w->held || lull_ir3_stops_stands(&w->stops, group_of(now));
}

bool lull_agpu_watch_dispatch(const struct lull_agpu_watch *w, uint64_t number,
                              struct lull_agpu_dispatch *ret)
{
    if (number >= w->n) {
        return false;
    }
    *ret = w->n - number > LULL_AGPU_DISPATCHES
               ? (struct lull_agpu_dispatch){.number = number, .phase = LULL_AGPU_LOST}
               : w->records[number % LULL_AGPU_DISPATCHES];
    return true;
}

bool lull_agpu_watch_draw(const struct lull_agpu_watch *w, uint64_t number,
                          struct lull_agpu_draw *ret)
{
    if (number >= w->ndraws) {
        return false;
    }
    *ret = w->ndraws - number > LULL_AGPU_RECORDS
               ? (struct lull_agpu_draw){.number = number, .phase = LULL_AGPU_LOST}
               : w->drawn[number % LULL_AGPU_RECORDS];
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
    const struct lull_ir3_mask on = lull_ir3_active(wave);
    struct lull_agpu_wave r = {.group = g->number,
                               .id = {g->id[0], g->id[1], g->id[2]},
                               .number = wave->number,
                               .fibers = wave->fibers,
                               .stop = stop_of(wave->hold.stop),
                               .barrier = wave->status == LULL_IR3_BARRIER,
                               .pc = code + (uint64_t)INSN_BYTES * wave->pc,
                               .exec = {on.w[0], on.w[1]},
                               .helpers = {wave->helpers.w[0], wave->helpers.w[1]},
                               .ninsns = wave->ninsns,
                               .fault_address = f->address,
                               .fault_pc = code + (uint64_t)INSN_BYTES * f->pc,
                               .fault_fiber = f->fiber,
                               .fault_write = f->write};
    snprintf(r.wrong, sizeof r.wrong, "%s", wave->wrong);
    return r;
}

static enum lull_agpu_stage stage_of(const struct lull_agpu_waves *now)
{
    struct lull_adraw_invocation who;
    return now->draw == NULL ? LULL_AGPU_CS
           : !lull_adraw_invocation(now->draw, 0, &who) || who.stage == LULL_ASTAGE_VS
               ? LULL_AGPU_VS
               : LULL_AGPU_FS;
}

unsigned lull_agpu_watch_waves(const struct lull_agpu_watch *w, const struct lull_agpu_waves *now,
                               struct lull_agpu_wave *ret, unsigned room)
{
    const struct lull_ir3_group *g = group_of(now);
    unsigned n = 0;
    for (unsigned i = 0; g != NULL && i < g->n && n < room; i++) {
        if (g->waves[i].status != LULL_IR3_ENDED) {
            ret[n] = wave_of(g, &g->waves[i], env_of(now)->code);
            ret[n].stage = stage_of(now);
            ret[n++].work = (now->draw != NULL ? w->ndraws : w->n) - 1;
        }
    }
    return n;
}

bool lull_agpu_watch_go(const struct lull_agpu_waves *now, uint32_t wave, bool step)
{
    struct lull_ir3_group *g = group_of(now);
    if (g == NULL || wave >= g->n || g->waves[wave].hold.stop == LULL_IR3_STOP_NOT) {
        return false;
    }
    lull_ir3_stops_go(&g->waves[wave], step);
    return true;
}

void lull_agpu_watch_interrupt(const struct lull_agpu_waves *now)
{
    struct lull_ir3_group *g = group_of(now);
    if (g != NULL) {
        (void)lull_ir3_stops_all(g);
    }
}

bool lull_agpu_watch_invocation(const struct lull_agpu_waves *now, uint32_t wave, uint32_t fiber,
                                struct lull_agpu_invocation *ret)
{
    struct lull_adraw_invocation who;
    if (now->draw == NULL || wave != 0 || !lull_adraw_invocation(now->draw, fiber, &who)) {
        return false;
    }
    *ret = (struct lull_agpu_invocation){.stage = who.stage == LULL_ASTAGE_VS ? LULL_AGPU_VS
                                                                              : LULL_AGPU_FS,
                                         .vertex = who.vertex,
                                         .instance = who.instance,
                                         .x = who.x,
                                         .y = who.y,
                                         .sample = who.sample,
                                         .primitive = who.primitive,
                                         .layer = who.layer,
                                         .per_sample = who.per_sample,
                                         .helper = who.helper};
    return true;
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

static bool ubo(const struct lull_agpu_waves *now, const struct lull_agpu_reg *r, uint32_t *value)
{
    const bool drawn = r->fiber == LULL_AGPU_VS || r->fiber == LULL_AGPU_FS;
    if (r->number >= 2 * 32 || drawn != (now->draw != NULL)) {
        return false;
    }
    const struct lull_ir3_env *env =
        !drawn ? env_of(now)
               : lull_adraw_stage(now->draw,
                                  r->fiber == LULL_AGPU_VS ? LULL_ASTAGE_VS : LULL_ASTAGE_FS);
    *value = (uint32_t)(env->ubo[r->number / 2] >> 32 * (r->number & 1));
    return true;
}

bool lull_agpu_watch_reg(const struct lull_agpu_waves *now, const struct lull_agpu_reg *r,
                         bool write, uint32_t *value)
{
    struct lull_ir3_group *g = group_of(now);
    struct lull_ir3_env *env = env_of(now);
    if (env != NULL && r->bank == LULL_AGPU_CONST) {
        return constant(env, r->number, write, value);
    }
    if (env != NULL && r->bank == LULL_AGPU_UBO && !write) {
        return ubo(now, r, value);
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

uint8_t *lull_agpu_watch_local(const struct lull_agpu_waves *now, uint32_t *ret_bytes)
{
    struct lull_ir3_env *env = group_of(now) != NULL ? env_of(now) : NULL;
    *ret_bytes = env != NULL ? env->local_bytes : 0;
    return env != NULL ? env->local : NULL;
}
