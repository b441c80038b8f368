// SPDX-License-Identifier: MIT
// Orders of waves that are given from outside (model/order.h), as far as they are this GPU's: which
// wave is which, and what is done when all that could run waits.
#include "model/amd/gpu/gpu_impl.h"
#include "model/order.h"

/** Which wave @p s has. False: none of a dispatch. */
static bool identify(const struct lull_gpu *g, const struct lull_gpu_slot *s,
                     struct lull_order_wave *ret)
{
    const struct lull_gpu_group *group = s->group;
    if (group == NULL || group->work->kind != LULL_WORK_COMPUTE) {
        return false;
    }
    *ret = (struct lull_order_wave){.dispatch = (uint64_t)(group->work->ring - g->rings) << 32 |
                                                group->work->index};
    for (unsigned i = 0; i < 3; i++) {
        ret->workgroup[i] = group->wg.id[i];
    }
    while (ret->index < group->nslots && group->slots[ret->index] != s) {
        ret->index++;
    }
    return true;
}

uint64_t lull_gpu_order_may(const struct lull_gpu *g, const struct lull_gpu_slot *s)
{
    struct lull_order_wave w;
    return identify(g, s, &w) ? lull_order_may(g->config.order, &w, s->w.ninsns) : UINT64_MAX;
}

void lull_gpu_order_ran(struct lull_gpu *g, const struct lull_gpu_slot *s, uint64_t from)
{
    struct lull_order_wave w;
    g->order_stuck = false;
    if (identify(g, s, &w)) {
        lull_order_ran(g->config.order, &w, from, s->w.ninsns, false);
    }
}

void lull_gpu_order_ended(struct lull_gpu *g, const struct lull_gpu_slot *s)
{
    struct lull_order_wave w;
    if (identify(g, s, &w)) {
        lull_order_ran(g->config.order, &w, s->w.ninsns, s->w.ninsns, true);
    }
}

bool lull_gpu_order_free(struct lull_gpu *g)
{
    const struct lull_gpu_slot *first = NULL;
    for (unsigned i = 0; i < g->nopen; i++) {
        for (unsigned k = 0; k < g->groups[i]->nslots; k++) {
            const struct lull_gpu_slot *s = g->groups[i]->slots[k];
            if (s == NULL) {
                continue;
            }
            if (s->trapped || s->w.state == LULL_WAVE_SLEEP || s->w.state == LULL_WAVE_HALTED) {
                return false; // it goes on by itself, or somebody makes it
            }
            if (first == NULL && s->w.state == LULL_WAVE_RUNNING && lull_gpu_order_may(g, s) == 0) {
                first = s;
            }
        }
    }
    struct lull_order_wave w;
    if (first == NULL || !identify(g, first, &w)) {
        return false;
    }
    if (g->order_stuck) {
        lull_order_drop(g->config.order, &w, first->w.ninsns);
    }
    g->want_more = !g->order_stuck; // it may wait for a workgroup that has not been launched
    g->order_stuck = !g->order_stuck;
    return true;
}

struct lull_gpu_slot *lull_gpu_order_pick(struct lull_gpu *g, bool (*can)(const struct lull_gpu *g,
                                                                          struct lull_gpu_slot *s))
{
    struct lull_gpu_slot *best = NULL;
    uint64_t greatest = 0;
    g->wave_left = g->wave_left != 0 ? g->wave_left : lull_order_length(g->config.order);
    for (unsigned i = 0; i < g->nopen; i++) {
        struct lull_gpu_group *group = g->groups[i];
        for (unsigned k = 0; k < group->nslots; k++) {
            struct lull_gpu_slot *s = group->slots[k];
            struct lull_order_wave w = {0};
            if (!can(g, s)) {
                continue;
            }
            (void)identify(g, s, &w);
            const uint64_t rank = lull_order_rank(g->config.order, &w);
            if (best == NULL || rank > greatest) {
                best = s;
                greatest = rank;
                g->group_at = i;
                group->next = k;
            }
        }
    }
    g->turn_left = g->wave_left;
    return best;
}
