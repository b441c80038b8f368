// SPDX-License-Identifier: MIT
#include "model/adreno/exec/group.h"

#include <stdlib.h>
#include <string.h>

#include "model/order.h"

enum { TURN = 64 }; // Instructions of a wave before it is another's turn.

static void set_vector(struct lull_ir3_wave *w, uint8_t reg, unsigned fiber, const uint32_t v[3])
{
    for (unsigned k = 0; k < 3 && reg != LULL_IR3_NO_REGID; k++) {
        lull_ir3_set(w, reg + k, false, fiber, v[k]);
    }
}

/** Local ids in the order of x, y, z. */
static void set_ids(const struct lull_ir3_dispatch *d, struct lull_ir3_wave *w)
{
    const bool plain = d->local_reg + 3u <= LULL_IR3_GPRS;
    uint32_t local[3] = {w->first % d->local[0], w->first / d->local[0] % d->local[1],
                         w->first / d->local[0] / d->local[1]};
    for (unsigned i = 0; i < d->fibers; i++) {
        for (unsigned k = 0; plain && k < 3; k++) {
            w->r[d->local_reg + k][i] = local[k];
        }
        if (!plain) {
            set_vector(w, d->local_reg, i, local);
        }
        if (d->linear_reg != LULL_IR3_NO_REGID) {
            lull_ir3_set(w, d->linear_reg, false, i, w->first + i);
        }
        local[0]++;
        for (unsigned k = 0; k < 2 && local[k] == d->local[k]; k++) {
            local[k] = 0;
            local[k + 1]++;
        }
    }
}

/** @p nregs: registers that are not as they were when it was started before. */
static void start(const struct lull_ir3_dispatch *d, const uint32_t id[3], unsigned number,
                  unsigned nregs, struct lull_ir3_wave *w)
{
    const uint32_t total = d->local[0] * d->local[1] * d->local[2], first = number * d->fibers;
    struct lull_ir3_mask live = {{0, 0}};
    for (unsigned i = 0; i < d->fibers && first + i < total; i++) {
        live.w[i / 64] |= UINT64_C(1) << (i & 63);
    }
    lull_ir3_wave_again(w, d->fibers, &live, nregs);
    lull_ir3_wave_assume(w, &d->assume);
    w->number = number;
    w->slot = d->place * ((total + d->fibers - 1) / d->fibers) + number;
    memcpy(w->group, id, sizeof w->group);
    w->first = first;
    set_ids(d, w);
    set_vector(w, d->group_reg, 0, id);
}

/** Registers that start() or the program may have written. */
static unsigned written(const struct lull_ir3_dispatch *d)
{
    const unsigned regs[] = {d->written, d->local_reg + 3u, d->linear_reg + 1u};
    unsigned most = 0;
    for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        most = regs[i] < LULL_IR3_GPRS && regs[i] > most ? regs[i] : most;
    }
    return d->written >= LULL_IR3_GPRS ? LULL_IR3_GPRS : most;
}

struct lull_error *lull_ir3_group_new(const struct lull_ir3_dispatch *d, const uint32_t id[3],
                                      struct lull_ir3_group *ret)
{
    const uint32_t total = d->local[0] * d->local[1] * d->local[2];
    const unsigned n = (total + d->fibers - 1) / d->fibers;
    const unsigned nregs = ret->waves != NULL ? written(d) : LULL_IR3_GPRS;
    // Not cleared: start() sets all that there is.
    struct lull_ir3_wave *waves =
        ret->waves != NULL ? ret->waves : malloc((n > 0 ? n : 1) * sizeof *waves);
    if (waves == NULL) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "%u waves", n);
    }
    for (unsigned i = 0; i < n; i++) {
        start(d, id, i, nregs, &waves[i]);
    }
    *ret = (struct lull_ir3_group){.waves = waves, .n = n, .id = {id[0], id[1], id[2]}};
    return NULL;
}

void lull_ir3_group_done(struct lull_ir3_group *g)
{
    free(g->waves);
    *g = (struct lull_ir3_group){.waves = NULL};
}

const struct lull_ir3_wave *lull_ir3_group_fault(const struct lull_ir3_group *g)
{
    for (unsigned i = 0; i < g->n; i++) {
        if (g->waves[i].status == LULL_IR3_FAULT) {
            return &g->waves[i];
        }
    }
    return NULL;
}

static unsigned count(const struct lull_ir3_group *g, enum lull_ir3_status s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < g->n; i++) {
        n += g->waves[i].status == s;
    }
    return n;
}

bool lull_ir3_group_ended(const struct lull_ir3_group *g)
{
    return count(g, LULL_IR3_ENDED) == g->n;
}

/** A number that depends on seed and turn alone. */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static struct lull_order_wave who(const struct lull_ir3_group *g, const struct lull_ir3_wave *w)
{
    return (struct lull_order_wave){
        .dispatch = g->dispatch, .workgroup = {g->id[0], g->id[1], g->id[2]}, .index = w->number};
}

/** How many instructions of @p w the order allows. */
static uint64_t may(const struct lull_ir3_group *g, const struct lull_ir3_wave *w)
{
    const struct lull_order_wave name = who(g, w);
    return g->order != NULL ? lull_order_may(g->order, &name, w->ninsns) : UINT64_MAX;
}

static bool would_run(const struct lull_ir3_wave *w)
{
    return w->status == LULL_IR3_RUNS && w->hold.stop == LULL_IR3_STOP_NOT;
}

static bool can_run(const struct lull_ir3_group *g, const struct lull_ir3_wave *w)
{
    return would_run(w) && (g->order == NULL || may(g, w) != 0);
}

const struct lull_ir3_wave *lull_ir3_group_waits(const struct lull_ir3_group *g)
{
    for (unsigned i = 0; i < g->n; i++) {
        if (would_run(&g->waves[i]) && may(g, &g->waves[i]) == 0) {
            return &g->waves[i];
        }
    }
    return NULL;
}

void lull_ir3_group_drop(const struct lull_ir3_group *g, const struct lull_ir3_wave *w)
{
    const struct lull_order_wave name = who(g, w);
    lull_order_drop(g->order, &name, w->ninsns);
}

void lull_ir3_group_ran(const struct lull_ir3_group *g, const struct lull_ir3_wave *w,
                        uint64_t before)
{
    if (g->order != NULL) {
        const struct lull_order_wave name = who(g, w);
        lull_order_ran(g->order, &name, before, w->ninsns, w->status == LULL_IR3_ENDED);
    }
}

/** The next turn is that of the @p k-th of those that can run. */
static unsigned choose(const struct lull_ir3_group *g, unsigned k)
{
    unsigned i = 0;
    while (!can_run(g, &g->waves[i]) || k-- != 0) {
        i++;
    }
    return i;
}

/** All that have not ended are at the barrier. */
static bool all_have_come(const struct lull_ir3_group *g)
{
    const unsigned waiting = count(g, LULL_IR3_BARRIER);
    return waiting != 0 && waiting + count(g, LULL_IR3_ENDED) == g->n;
}

bool lull_ir3_group_can(const struct lull_ir3_group *g)
{
    bool can = all_have_come(g);
    for (unsigned i = 0; !can && i < g->n; i++) {
        can = can_run(g, &g->waves[i]);
    }
    return can;
}

bool lull_ir3_group_released(struct lull_ir3_group *g)
{
    if (!all_have_come(g)) {
        return false;
    }
    for (unsigned i = 0; i < g->n; i++) {
        if (g->waves[i].status == LULL_IR3_BARRIER) {
            g->waves[i].status = LULL_IR3_RUNS;
        }
    }
    return true;
}

struct lull_ir3_wave *lull_ir3_group_turn(struct lull_ir3_group *g, uint64_t seed)
{
    while (g->left == 0 || !can_run(g, &g->waves[g->wave])) {
        unsigned running = 0;
        for (unsigned i = 0; i < g->n; i++) {
            running += can_run(g, &g->waves[i]);
        }
        if (running == 0 && !lull_ir3_group_released(g)) {
            return NULL;
        }
        if (running != 0) {
            const uint64_t turn = g->turns++;
            const uint64_t number =
                seed != 0 ? mixed(seed + turn * UINT64_C(0x9e3779b97f4a7c15)) : turn;
            g->wave = choose(g, (unsigned)(number % running));
            g->left = TURN;
        }
    }
    g->left--;
    return &g->waves[g->wave];
}

/** What @p w does next as compiled code of at most @p most instructions. @return how many that
 * was; 0: there is none. */
static uint32_t run_code(struct lull_ir3_wave *w, struct lull_ir3_env *env, uint64_t most)
{
    const struct lull_ir3_codes *codes = &env->program->codes;
    const struct lull_ir3_code *c =
        codes->at != NULL && env->observers == NULL && w->pc < env->program->n ? codes->at[w->pc]
                                                                               : NULL;
    return c != NULL && c->n <= most && c->run(w, env, c) ? c->n : 0;
}

uint64_t lull_ir3_group_run(struct lull_ir3_group *g, struct lull_ir3_env *env, uint64_t seed,
                            uint64_t most)
{
    uint64_t done = 0;
    for (bool good = true; good && done < most;) {
        struct lull_ir3_wave *w = lull_ir3_group_turn(g, seed);
        if (w == NULL) {
            break;
        }
        // The rest of its turn, as long as it runs.
        uint64_t n = (uint64_t)g->left + 1 < most - done ? g->left + 1 : most - done;
        const uint64_t before = w->ninsns, allowed = may(g, w);
        n = n < allowed ? n : allowed;
        g->left++;
        while (n > 0 && w->status == LULL_IR3_RUNS) {
            const uint32_t at_once = run_code(w, env, g->order != NULL ? n : UINT64_MAX);
            const uint32_t k = at_once != 0 ? at_once : 1;
            if (at_once == 0) {
                lull_ir3_wave_step(w, env);
            }
            done += k;
            n -= k < n ? k : n;
            g->left -= k < g->left ? k : g->left;
        }
        lull_ir3_group_ran(g, w, before);
        good = w->status != LULL_IR3_FAULT;
    }
    return done;
}
