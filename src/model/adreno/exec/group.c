// SPDX-License-Identifier: MIT
#include "model/adreno/exec/group.h"

#include <stdlib.h>
#include <string.h>

enum { TURN = 64 }; // Instructions of a wave before it is another's turn.

static void set_vector(struct lull_ir3_wave *w, uint8_t reg, unsigned fiber, const uint32_t v[3])
{
    for (unsigned k = 0; k < 3 && reg != LULL_IR3_NO_REGID; k++) {
        lull_ir3_set(w, reg + k, false, fiber, v[k]);
    }
}

/** Local ids in the order of x, y, z. */
static void start(const struct lull_ir3_dispatch *d, const uint32_t id[3], unsigned number,
                  uint32_t total, struct lull_ir3_wave *w)
{
    struct lull_ir3_mask live = {{0, 0}};
    const uint32_t first = number * d->fibers;
    for (unsigned i = 0; i < d->fibers && first + i < total; i++) {
        live.w[i / 64] |= UINT64_C(1) << (i & 63);
    }
    lull_ir3_wave_start(w, d->fibers, &live);
    w->number = w->slot = number;
    memcpy(w->group, id, sizeof w->group);
    w->first = first;
    for (unsigned i = 0; i < d->fibers; i++) {
        const uint32_t n = first + i;
        const uint32_t local[3] = {n % d->local[0], n / d->local[0] % d->local[1],
                                   n / d->local[0] / d->local[1]};
        set_vector(w, d->local_reg, i, local);
        if (d->linear_reg != LULL_IR3_NO_REGID) {
            lull_ir3_set(w, d->linear_reg, false, i, n);
        }
    }
    set_vector(w, d->group_reg, 0, id);
}

struct lull_error *lull_ir3_group_new(const struct lull_ir3_dispatch *d, const uint32_t id[3],
                                      struct lull_ir3_group *ret)
{
    const uint32_t total = d->local[0] * d->local[1] * d->local[2];
    const unsigned n = (total + d->fibers - 1) / d->fibers;
    struct lull_ir3_wave *waves = calloc(n > 0 ? n : 1, sizeof *waves);
    if (waves == NULL) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "%u waves", n);
    }
    for (unsigned i = 0; i < n; i++) {
        start(d, id, i, total, &waves[i]);
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

/** The wave whose turn it is; NULL: none runs. */
static struct lull_ir3_wave *next(struct lull_ir3_group *g, uint64_t seed)
{
    const unsigned running = count(g, LULL_IR3_RUNS);
    if (running == 0) {
        return NULL;
    }
    const uint64_t turn = g->turns++;
    unsigned k = (unsigned)((seed != 0 ? mixed(seed + turn * UINT64_C(0x9e3779b97f4a7c15)) : turn) %
                            running);
    for (unsigned i = 0; i < g->n; i++) {
        if (g->waves[i].status == LULL_IR3_RUNS && k-- == 0) {
            return &g->waves[i];
        }
    }
    return NULL;
}

/** All that have not ended are at the barrier: they go on. */
static bool released(struct lull_ir3_group *g)
{
    const unsigned waiting = count(g, LULL_IR3_BARRIER);
    if (waiting == 0 || waiting + count(g, LULL_IR3_ENDED) != g->n) {
        return false;
    }
    for (unsigned i = 0; i < g->n; i++) {
        if (g->waves[i].status == LULL_IR3_BARRIER) {
            g->waves[i].status = LULL_IR3_RUNS;
        }
    }
    return true;
}

uint64_t lull_ir3_group_run(struct lull_ir3_group *g, struct lull_ir3_env *env,
                            const struct lull_ir3_dispatch *d, uint64_t most)
{
    uint64_t done = 0;
    while (done < most && lull_ir3_group_fault(g) == NULL) {
        struct lull_ir3_wave *w = next(g, d->seed);
        if (w == NULL) {
            if (!released(g)) {
                return done;
            }
            continue;
        }
        for (unsigned i = 0; i < TURN && done < most && w->status == LULL_IR3_RUNS; i++, done++) {
            lull_ir3_wave_step(w, env);
        }
    }
    return done;
}
