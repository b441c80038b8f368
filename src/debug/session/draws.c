// SPDX-License-Identifier: MIT
/* Draws of a program: what is held in front of one. */
#include "base/error.h"
#include "debug/session/agent.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/session/lines.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"

struct lull_error *lull_debug_look_at_draw(struct lull_debug *d, uint64_t number, bool *ret_user)
{
    struct lull_error *err = lull_pipeline_draw(d, number);
    if (err != NULL) {
        return err;
    }
    lull_debug_names_meet(d, d->draw.pid);
    struct lull_held h = {.draw = true,
                          .pid = d->draw.pid,
                          .number = number,
                          .frame = d->draw.frame,
                          .drawn = &d->draw};
    for (unsigned i = 0; i < LULL_STAGES; i++) {
        const uint64_t va = d->draw.code_va[i];
        h.code[i] = va != 0 ? lull_pipeline_of(d, va) : NULL;
        if (h.code[i] != NULL) {
            lull_debug_lines_meet(d, d->draw.pid, h.code[i]);
        }
    }
    err = lull_debug_caught(d, &h, ret_user);
    if (err == NULL && *ret_user) {
        d->held = true;
        return NULL;
    }
    err = err != NULL ? err : lull_agent_meet_draw(d, &d->draw);
    return err != NULL ? err : d->target->ops->release(d->target);
}
