// SPDX-License-Identifier: MIT
#include "model/adreno/past_now.h"

#include <stdlib.h>

#include "model/adreno/gpu_impl.h"

struct lull_agpu_saved {
    struct lull_acompute_saved *compute; ///< One of them is there.
    struct lull_adraw_saved *draw;
};

uint64_t lull_agpu_now_time(const struct lull_agpu *g)
{
    return g->compute != NULL ? lull_acompute_time(g->compute) : lull_adraw_time(g->draws.now);
}

bool lull_agpu_now_ended(const struct lull_agpu *g)
{
    return g->compute != NULL ? lull_acompute_ended(g->compute) : lull_adraw_ended(g->draws.now);
}

struct lull_agpu_saved *lull_agpu_now_save(const struct lull_agpu *g, uint64_t *ret_bytes)
{
    struct lull_agpu_saved *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    if (g->compute != NULL) {
        s->compute = lull_acompute_save(g->compute, ret_bytes);
    } else {
        s->draw = lull_adraw_save(g->draws.now, ret_bytes);
    }
    if (s->compute == NULL && s->draw == NULL) {
        free(s);
        return NULL;
    }
    return s;
}

void lull_agpu_saved_free(struct lull_agpu_saved *s)
{
    if (s != NULL) {
        lull_acompute_saved_free(s->compute);
        free(s->draw);
        free(s);
    }
}

struct lull_error *lull_agpu_now_put_back(struct lull_agpu *g, const struct lull_agpu_saved *s)
{
    if (s->compute != NULL) {
        return lull_acompute_put_back(g->compute, s->compute);
    }
    lull_adraw_put_back(g->draws.now, s->draw);
    return NULL;
}

struct lull_error *lull_agpu_now_settle(struct lull_agpu *g)
{
    if (g->compute != NULL) {
        return lull_acompute_settle(g->compute);
    }
    lull_adraw_settle(g->draws.now);
    return NULL;
}

struct lull_error *lull_agpu_now_run(struct lull_agpu *g, uint64_t most, uint64_t *ret_done)
{
    return g->compute != NULL ? lull_acompute_run(g->compute, most, ret_done)
                              : lull_adraw_run(g->draws.now, most, ret_done);
}

struct lull_ir3_wave *lull_agpu_now_next(struct lull_agpu *g)
{
    struct lull_ir3_group *group = lull_agpu_now_group(g);
    if (g->compute != NULL) {
        return lull_acompute_next(g->compute);
    }
    return group != NULL && group->waves->status == LULL_IR3_RUNS ? group->waves : NULL;
}

struct lull_ir3_group *lull_agpu_now_group(struct lull_agpu *g)
{
    return g->compute != NULL ? lull_acompute_group(g->compute) : lull_adraw_group(g->draws.now);
}

void lull_agpu_now_let_others_go(struct lull_agpu *g)
{
    if (g->compute != NULL) {
        lull_acompute_let_others_go(g->compute);
    }
}

struct lull_ir3_env *lull_agpu_now_env(struct lull_agpu *g)
{
    return g->compute != NULL ? lull_acompute_env(g->compute) : lull_adraw_env(g->draws.now);
}

void lull_agpu_now_memory(struct lull_agpu *g, const struct lull_ir3_memory *m)
{
    if (g->compute != NULL) {
        lull_acompute_env(g->compute)->memory = *m;
    } else {
        lull_adraw_set_memory(g->draws.now, m);
    }
}

void lull_agpu_now_observe(struct lull_agpu *g, struct lull_observer *observers)
{
    if (g->compute != NULL) {
        lull_acompute_env(g->compute)->observers = observers;
    } else {
        lull_adraw_set_observers(g->draws.now, observers);
    }
}

void lull_agpu_now_told(struct lull_agpu *g)
{
    if (g->compute != NULL) {
        (void)lull_acompute_fault(g->compute);
    } else {
        (void)lull_adraw_fault(g->draws.now);
    }
}
