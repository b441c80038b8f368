// SPDX-License-Identifier: MIT
/* Draws of a program: what is held in front of one. */
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"

struct lull_error *lull_debug_look_at_draw(struct lull_debug *d, uint64_t number, bool *ret_user)
{
    size_t n = 0;
    struct lull_error *err = d->target->ops->draws(d->target, number, &d->draw, 1, &n);
    if (err != NULL || n == 0) {
        return err;
    }
    d->has_draw = d->at_draw = true;
    lull_debug_names_meet(d, d->draw.pid);
    struct lull_held h = {.draw = true,
                          .pid = d->draw.pid,
                          .number = number,
                          .frame = d->draw.frame,
                          .drawn = &d->draw};
    uint64_t seen[LULL_STAGES] = {0};
    for (unsigned i = 0; i < LULL_STAGES; i++) {
        struct lull_pipeline *p = NULL;
        err = d->draw.code_va[i] == 0
                  ? NULL
                  : lull_pipeline_stage(d, d->draw.code_va[i], (enum lull_draw_stage)i, &p);
        if (err != NULL) { // code that cannot be read: the wave will fault by itself
            lull_error_free(err);
            continue;
        }
        seen[i] = p != NULL ? p->va : 0;
    }
    for (unsigned i = 0; i < LULL_STAGES; i++) { // now that none moves any more
        h.code[i] = seen[i] != 0 ? lull_pipeline_of(d, seen[i]) : NULL;
    }
    err = lull_debug_caught(d, &h, ret_user);
    if (err == NULL && *ret_user) {
        d->held = true;
        return NULL;
    }
    return err != NULL ? err : d->target->ops->release(d->target);
}
