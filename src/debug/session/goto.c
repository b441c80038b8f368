// SPDX-License-Identifier: MIT
/* Running to the lane of one pixel, vertex or primitive. Which wave has it the target says. */
#include <inttypes.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"

/* A draw that is asked for by number and does not come any more. */
LULL_MUST_USE static struct lull_error *check(struct lull_debug *d,
                                              const struct lull_debug_goal *goal)
{
    struct lull_draw_info info = {0};
    size_t n = 0;
    if (d->target->ops->aim == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "a %s target does not say which wave has a pixel or a vertex: only "
                              "the model's draw control does",
                              lull_debug_kind(d));
    }
    struct lull_error *err = lull_debug_need_started(d);
    if (err == NULL && goal->draw != UINT64_MAX) {
        err = lull_debug_draws(d, goal->draw, &info, 1, &n);
    }
    return err == NULL && n != 0 &&
                   (info.phase == LULL_PHASE_DONE || info.phase == LULL_PHASE_KILLED)
               ? lull_error_new(LULL_ERR_NOT_FOUND, "draw %" PRIu64 " is over", goal->draw)
               : err;
}

/* Others that stopped at their start are not to be told of, unless a breakpoint is there. */
LULL_MUST_USE static struct lull_error *forget_starts(struct lull_debug *d)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        bool mine = false;
        if (w->stopped && w->unreported && w->info.stop == LULL_STOP_START &&
            lull_debug_breakpoint_at(d, w->info.pc) == NULL) {
            err = lull_debug_arrived(d, w, &mine); // it came while another was to be shown
            w->unreported = mine;
        }
    }
    return err;
}

struct lull_error *lull_debug_go_to(struct lull_debug *d, const struct lull_debug_goal *goal)
{
    struct lull_error *err = check(d, goal);
    err = err != NULL ? err : d->target->ops->aim(d->target, goal);
    if (err != NULL) {
        return err;
    }
    const enum lull_locking locking = d->locking;
    d->locking = locking == LULL_LOCK_ON ? LULL_LOCK_STEP : locking; // others have to run
    d->aimed.found = false;
    d->going = true;
    err = lull_debug_resume(d, LULL_RESUME_CONTINUE);
    d->going = false;
    d->locking = locking;
    err = err != NULL ? err : forget_starts(d);
    struct lull_error *off = d->target->ops->aim(d->target, NULL);
    if (err != NULL || d->outcome == LULL_OUT_DONE) { // the GPU may have gone with the program
        lull_error_free(off);
        off = NULL;
    }
    err = err != NULL ? err : off;
    return err != NULL ? err : lull_debug_tell_outcome(d);
}
