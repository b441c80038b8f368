// SPDX-License-Identifier: MIT
// Scheduler: whose turn it is. Order depends on the seed, the job's stream and the numbers of
// instructions of programs, and on nothing else: not on the cycles that a call of lull_gpu_run()
// gives, not on what trap handlers do (gpu_trap.c).
//
// A group keeps the processor for a turn, a wave of it for a part of the turn: a few waves'
// registers and one group's LDS stay in the host's cache. With seed 0 groups and waves go round;
// with another the group, the wave and the length of its part are drawn at random. A turn that
// runs out lets one more group onto the GPU than the dispatcher would, so waves that spin until
// another group comes do not spin for ever. An order that is given (gpu_order.c) makes waves wait,
// or draws in a way of its own.
#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_spi.h"
#include "model/fp/fp_host.h"
#include "model/order.h"

enum {
    GROUP_TURN = LULL_GROUP_TURN,
    WAVE_TURN = LULL_WAVE_TURN,
    RANDOM_GROUP_TURN = 512,
    EXACT = 63, // of lull_wave_run(): a budget that is kept to the instruction
};

/** Could @p s execute an instruction of its program now? Wakes it if its sleep is over. */
static bool runnable(struct lull_gpu_slot *s, uint64_t now)
{
    if (s == NULL || s->trapped) {
        return false;
    }
    if (s->w.state == LULL_WAVE_SLEEP && s->wake_at <= now) {
        s->w.state = LULL_WAVE_RUNNING;
    }
    return (s->w.state == LULL_WAVE_RUNNING || (s->w.state == LULL_WAVE_HALTED && s->steps != 0)) &&
           (s->gpu->config.order == NULL || lull_gpu_order_may(s->gpu, s) != 0);
}

static bool runnable_now(const struct lull_gpu *g, struct lull_gpu_slot *s)
{
    return runnable(s, g->time);
}

struct lull_gpu_slot *lull_sched_find_wave(struct lull_gpu_group *group, unsigned first,
                                           uint64_t now)
{
    unsigned n = first;
    for (unsigned i = 0; i < group->nslots; i++) {
        n = n < group->nslots ? n : n - group->nslots;
        if (runnable(group->slots[n], now)) {
            group->next = n;
            return group->slots[n];
        }
        n++;
    }
    return NULL;
}

/** The wave that runs next, with group_at, turn_left and wave_left set for it; NULL: none can. */
static struct lull_gpu_slot *pick(struct lull_gpu *g)
{
    const bool draw = g->config.seed != 0;
    const uint64_t rng = g->rng;
    if (g->nopen == 0) {
        return NULL;
    }
    if (g->config.order != NULL && lull_order_drawn(g->config.order)) {
        return lull_gpu_order_pick(g, runnable_now);
    }
    unsigned first = g->group_at;
    if (g->turn_left == 0 && draw) {
        first = (unsigned)(lull_gpu_random(g) % g->nopen);
    }
    for (unsigned i = 0; i < g->nopen; i++) {
        const unsigned n = first + i < g->nopen ? first + i : (first + i) % g->nopen;
        struct lull_gpu_group *group = g->groups[n];
        const bool same = i == 0 && g->turn_left != 0;
        unsigned wave = group->next;
        if (group->fresh) {
            lull_spi_start_fresh(g, group);
        }
        if (draw && !(same && g->wave_left != 0)) {
            wave = (unsigned)(lull_gpu_random(g) % group->nslots);
        }
        const struct lull_gpu_slot *before = group->slots[group->next];
        struct lull_gpu_slot *s = lull_sched_find_wave(group, wave, g->time);
        if (s == NULL) {
            continue;
        }
        if (!same) {
            g->group_at = n;
            g->turn_left = draw ? RANDOM_GROUP_TURN : GROUP_TURN;
        }
        if (!same || s != before || g->wave_left == 0) {
            g->wave_left =
                draw ? 1 + (uint32_t)(lull_gpu_random(g) % WAVE_TURN) : lull_sched_wave_turn(group);
        }
        return s;
    }
    g->rng = rng; // looking again changes nothing
    return NULL;
}

/** @p s, which waited at a barrier, goes on. */
static void release(struct lull_gpu_slot *s)
{
    const uint32_t halts = LULL_HWREG_STATUS__HALT_MASK | LULL_HWREG_STATUS__FATAL_HALT_MASK;
    s->w.state = LULL_WAVE_RUNNING;
    if ((s->w.status & halts) != 0) {
        lull_gpu_follow_halt(s);
    }
    if ((s->w.mode & LULL_HWREG_MODE__TRAP_AFTER_INST_EN_MASK) != 0) {
        s->w.pending |= LULL_TRAP_AFTER_INST; // s_barrier is done now, not when it was come to
    }
    if (s->w.pending != 0) {
        lull_trap_add(s->gpu, s);
    }
}

static bool waits(const struct lull_gpu_slot *s)
{
    return s != NULL && (s->w.state == LULL_WAVE_BARRIER || s->was == LULL_WAVE_BARRIER);
}

void lull_sched_barrier(struct lull_gpu_group *group)
{
    unsigned waiting = 0;
    for (unsigned i = 0; i < group->nslots; i++) {
        waiting += waits(group->slots[i]);
    }
    group->wg.nbarrier = waiting;
    if (waiting == 0 || waiting + group->wg.nended < group->nslots) {
        return;
    }
    for (unsigned i = 0; i < group->nslots; i++) {
        struct lull_gpu_slot *s = group->slots[i];
        if (s == NULL) {
            continue;
        }
        s->was = s->was == LULL_WAVE_BARRIER ? LULL_WAVE_RUNNING : s->was;
        s->w.status &= ~(uint32_t)LULL_HWREG_STATUS__IN_BARRIER_MASK;
        if (s->w.state == LULL_WAVE_BARRIER) {
            release(s);
        }
    }
    group->wg.nbarrier = 0;
}

/** One instruction of a wave that SQ_CMD halted and single-steps. */
static uint32_t step(struct lull_gpu *g, struct lull_gpu_slot *s)
{
    const uint32_t halts = LULL_HWREG_STATUS__HALT_MASK | LULL_HWREG_STATUS__FATAL_HALT_MASK;
    const uint32_t was = s->w.status & halts;
    s->steps--;
    s->w.status &= ~halts;
    s->w.state = LULL_WAVE_RUNNING;
    const uint32_t n = g->engine(&s->w, 1);
    if (s->w.state != LULL_WAVE_ENDED) {
        s->w.status |= was;
        lull_gpu_follow_halt(s);
    }
    return n;
}

/** What the engine left: ended, asleep, at a barrier. */
static void settle(struct lull_gpu *g, struct lull_gpu_slot *s)
{
    switch (s->w.state) {
    case LULL_WAVE_ENDED:
        lull_spi_retire(g, s);
        break;
    case LULL_WAVE_BARRIER:
        lull_sched_come(s->group);
        break;
    case LULL_WAVE_SLEEP:
        s->wake_at = g->time + s->w.sleep_cycles;
        break;
    case LULL_WAVE_HALTED:
        lull_gpu_note_halt(g);
        break;
    case LULL_WAVE_RUNNING:
        break;
    }
}

/** One instruction of @p s, which lull_gpu_trace() may want. @return Instructions executed. */
static uint32_t traced(struct lull_gpu *g, struct lull_gpu_slot *s)
{
    struct lull_gpu_traced t = {0};
    lull_trace_before(g, s, &t);
    const uint32_t done = s->w.state == LULL_WAVE_HALTED ? step(g, s) : g->engine(&s->w, 1);
    if (done != 0) {
        lull_trace_after(g, &t);
    }
    return done;
}

/** Somebody goes back in time, or will: what runs again has to come to each time with the same
 * instruction done, which compiled code goes beyond. */
static bool kept_exactly(const struct lull_gpu *g)
{
    return g->config.engine != NULL && (g->memory.dirty != NULL || g->stop_at != UINT64_MAX);
}

/** The part of @p s's turn that fits into @p budget instructions. @return Cycles used. */
static uint32_t part(struct lull_gpu *g, struct lull_gpu_slot *s, uint64_t budget)
{
    uint32_t n = g->wave_left < g->turn_left ? g->wave_left : g->turn_left;
    n = n < budget ? n : (uint32_t)budget;
    n = g->trace != NULL && n > 1 ? 1 : n;
    n = kept_exactly(g) && n > EXACT ? EXACT : n;
    const uint64_t before = s->w.ninsns;
    if (g->config.order != NULL) {
        const uint64_t may = lull_gpu_order_may(g, s);
        n = n < may ? n : (uint32_t)may;
    }
    g->began = g->began < g->time ? g->began : g->time;
    uint32_t done = g->trace != NULL                 ? traced(g, s)
                    : s->w.state == LULL_WAVE_HALTED ? step(g, s)
                                                     : g->engine(&s->w, n);
    if (g->config.order != NULL) {
        lull_gpu_order_ran(g, s, before);
    }
    const bool entered = lull_trap_inside(s);
    if (entered) {
        lull_trap_pass(g, s);
    }
    if (lull_trap_inside(s) || (s->w.pending != 0 && s->w.state == LULL_WAVE_RUNNING)) {
        lull_trap_add(g, s);
    } else if (done == 0 && !entered) {
        done = 1; // time passes even if the engine did nothing
    }
    return done < n ? done : n;
}

/** Whether others have their turn when a group has ended. They can wait while many waves are in
 * flight: short groups are launched, and looked after, several at once. */
static bool few_waves(const struct lull_gpu *g)
{
    return g->config.seed != 0 || g->config.order != NULL || g->nwaves <= LULL_TARGET_WAVES / 2;
}

/** Whether nothing but waves computes with floats in a turn: what draws' waves have made is worked
 * on when they end. */
static bool only_waves(const struct lull_gpu *g)
{
    bool only = g->observer == NULL && g->written == NULL;
    for (unsigned i = 0; i < LULL_RING_COUNT && only; i++) {
        const struct lull_work *d = (g->with_works >> i & 1) != 0 ? g->rings[i].works : NULL;
        while (d != NULL && d->kind == LULL_WORK_COMPUTE) {
            d = d->next;
        }
        only = d == NULL;
    }
    return only;
}

static uint64_t turn(struct lull_gpu *g, uint64_t budget)
{
    uint64_t used = 0;
    const uint64_t to_stop = g->stop_at > g->time ? g->stop_at - g->time : 0;
    budget = budget < to_stop ? budget : to_stop;
    while (used < budget && !lull_trap_due(g)) {
        struct lull_gpu_slot *s = pick(g);
        if (s == NULL) {
            g->round.over = true;
            g->round.moved |= g->config.order != NULL && lull_gpu_order_free(g);
            break;
        }
        struct lull_gpu_group *group = s->group;
        const uint32_t done = part(g, s, budget - used);
        used += done;
        lull_gpu_tick(g, done);
        g->turn_left -= done;
        g->wave_left -= done;
        const uint32_t left = g->turn_left;
        if (g->wave_left == 0 || (s->w.state != LULL_WAVE_RUNNING && !s->trapped)) {
            g->wave_left = 0;
            group->next = lull_sched_behind(group);
        }
        settle(g, s);
        if (left == 0) { // the turn ran out: waves that wait for groups not yet launched get them
            g->want_more = true;
            if (g->group_at < g->nopen && g->groups[g->group_at] == group) {
                g->group_at = (g->group_at + 1) % g->nopen;
            }
        }
        if (g->turn_left == 0 && (left == 0 || few_waves(g))) {
            g->round.over = true;
            break;
        }
    }
    return used;
}

uint64_t lull_sched_turn(struct lull_gpu *g, uint64_t budget)
{
    if (!only_waves(g)) {
        return turn(g, budget);
    }
    const uint32_t saved = lull_fp_host_hold();
    const uint64_t used = turn(g, budget);
    lull_fp_host_release(saved);
    return used;
}

bool lull_sched_sleep(struct lull_gpu *g, uint64_t end)
{
    uint64_t wake = UINT64_MAX;
    for (unsigned i = 0; i < g->nopen; i++) {
        for (unsigned k = 0; k < g->groups[i]->nslots; k++) {
            const struct lull_gpu_slot *s = g->groups[i]->slots[k];
            if (s != NULL && !s->trapped && s->w.state == LULL_WAVE_SLEEP && s->wake_at < wake) {
                wake = s->wake_at;
            }
        }
    }
    if (wake == UINT64_MAX) {
        return false;
    }
    end = end < g->trap_wake ? end : g->trap_wake;
    const uint64_t most = end > g->cycles ? end - g->cycles : 0;
    const uint64_t n = wake > g->time ? wake - g->time : 0;
    g->slept += n < most ? n : most;
    lull_gpu_tick(g, n < most ? n : most);
    return true;
}

void lull_sched_begin(struct lull_gpu *g, uint64_t stream)
{
    bool idle = true;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        idle = idle && !g->rings[i].started;
    }
    if (idle) { // whatever ran before has no part in it
        g->rng = g->config.seed;
        g->launch_rng = g->config.seed;
        g->wgp_next = g->launch_next = 0;
        g->group_at = g->turn_left = g->wave_left = 0;
        g->want_more = g->commanded = false;
    }
    // L'Ecuyer, "Tables of linear congruential generators", 1999
    const uint64_t far = stream * UINT64_C(0xda942042e4dd58b5);
    g->rng ^= far;
    g->launch_rng ^= ~far; // not the same sequence
}
