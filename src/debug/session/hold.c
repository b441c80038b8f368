// SPDX-License-Identifier: MIT
/* Dispatches of a program: what is held in front of one. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/agent.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/session/lines.h"
#include "debug/session/names.h"
#include "debug/session/pending.h"
#include "debug/session/pipeline.h"

enum { FAR_BACK = 64 }; // dispatches of one job

/* The first in @p phase from number @p first on. */
LULL_MUST_USE static struct lull_error *find(struct lull_debug *d, enum lull_dispatch_phase phase,
                                             uint64_t first, struct lull_dispatch_info *ret,
                                             bool *ret_any)
{
    enum { ROOM = 64 };
    lull_cleanup(lull_freep) struct lull_dispatch_info *infos = calloc(ROOM, sizeof *infos);
    if (infos == NULL) {
        return &lull_enomem;
    }
    for (size_t n = ROOM; n >= ROOM; first += ROOM) {
        struct lull_error *err = d->target->ops->dispatches(d->target, first, infos, ROOM, &n);
        if (err != NULL) {
            return err;
        }
        for (size_t i = 0; i < n && i < ROOM; i++) {
            if (infos[i].phase == phase) {
                *ret = infos[i];
                *ret_any = true;
                return NULL;
            }
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *held_dispatch(struct lull_debug *d,
                                                      struct lull_dispatch_info *ret, bool *ret_any)
{
    *ret_any = false;
    // It is among the newest, unless counting has begun anew.
    uint64_t last = d->has_dispatch ? d->dispatch.number : 0;
    struct lull_error *err = find(d, LULL_PHASE_HELD, last, ret, ret_any);
    return err != NULL || *ret_any || last == 0 ? err : find(d, LULL_PHASE_HELD, 0, ret, ret_any);
}

struct lull_error *lull_debug_look_at_running(struct lull_debug *d)
{
    struct lull_dispatch_info info = {0};
    bool any = false;
    if (!d->has_dispatch || d->target->ops->dispatches == NULL) {
        return NULL;
    }
    const uint64_t now = d->dispatch.number;
    struct lull_error *err =
        find(d, LULL_PHASE_RUNNING, now > FAR_BACK ? now - FAR_BACK : 0, &info, &any);
    if (err == NULL && any) {
        d->dispatch = info;
        d->at_draw = false;
    }
    return err;
}

struct lull_error *lull_debug_hold_again(struct lull_debug *d)
{
    bool any = false;
    uint64_t draw = 0;
    struct lull_error *err = NULL;
    if (d->target->ops->held_draw != NULL && d->target->ops->held_draw(d->target, &draw)) {
        err = lull_pipeline_draw(d, draw);
        any = err == NULL;
    } else {
        err = held_dispatch(d, &d->dispatch, &any);
        d->at_draw = d->at_draw && !any;
    }
    d->held = any;
    d->outcome = any ? LULL_OUT_HELD : d->outcome;
    return err;
}

struct lull_error *lull_debug_look_at_held(struct lull_debug *d, bool *ret_user)
{
    bool any = false;
    struct lull_dispatch_info info = {0};
    struct lull_pipeline *p = NULL;
    uint64_t draw = 0;
    *ret_user = false;
    d->hold_pending = false;
    if (d->target->ops->held_draw != NULL && d->target->ops->held_draw(d->target, &draw)) {
        return lull_debug_look_at_draw(d, draw, ret_user);
    }
    struct lull_error *err = held_dispatch(d, &info, &any);
    if (err != NULL || !any) {
        return err;
    }
    d->dispatch = info;
    d->has_dispatch = true;
    d->at_draw = false;
    lull_debug_names_meet(d, info.pid);
    const struct lull_debug_event came = {.kind = LULL_DEBUG_DISPATCH_BEGAN,
                                          .dispatch = info.number};
    err = lull_debug_tell(d, &came);
    if (err != NULL) {
        return err;
    }
    err = lull_pipeline_at(d, info.code_va, &p);
    if (err != NULL) { // code that cannot be read: the wave will fault by itself
        lull_error_free(err);
        return d->target->ops->release(d->target);
    }
    p->dispatches++;
    lull_debug_lines_meet(d, info.pid, p);
    const struct lull_held h = {.pid = info.pid,
                                .number = info.number,
                                .frame = info.frame,
                                .code = {p},
                                .dispatch = &info};
    err = lull_debug_settle_pending(d);
    err = err != NULL ? err : lull_debug_caught(d, &h, ret_user);
    if (err == NULL && *ret_user) {
        d->held = true;
        return NULL;
    }
    err = err != NULL ? err : lull_agent_meet(d, &info);
    return err != NULL ? err : d->target->ops->release(d->target);
}
