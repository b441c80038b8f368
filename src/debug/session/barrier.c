// SPDX-License-Identifier: MIT
/* Stepping over a barrier. It opens when the whole workgroup is there, so the whole workgroup runs
 * to it; the wave that steps stops when it opens, and with it the others, just behind it. */
#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"

/* Waves of one workgroup are on one WGP. */
static bool same_group(const struct lull_wave_info *a, const struct lull_wave_info *b)
{
    return memcmp(a->workgroup, b->workgroup, sizeof a->workgroup) == 0 && a->vmid == b->vmid &&
           a->se == b->se && a->sa == b->sa && a->wgp == b->wgp;
}

/* It stands because of the debugger or at a breakpoint, not because of what it did. */
static bool may_pass(const struct lull_debug_wave *w)
{
    enum lull_stop stop = w->info.stop;
    return !w->unreported || stop == LULL_STOP_BREAKPOINT || stop == LULL_STOP_HOST ||
           stop == LULL_STOP_STEP || stop == LULL_STOP_START;
}

/* Let the waves that stand in the group of @p self go on; @p ret: the number of one that cannot,
 * with
 * @p ret_any. */
LULL_MUST_USE static struct lull_error *let_go(struct lull_debug *d,
                                               const struct lull_wave_info *self, bool *ret_any,
                                               unsigned *ret)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && !*ret_any && i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        bool focused = w->info.key == self->key;
        bool others = d->locking == LULL_LOCK_OFF && !w->unreported;
        if (!w->stopped || !(same_group(&w->info, self) || others)) {
            continue;
        }
        if (!focused && !may_pass(w)) {
            *ret_any = true;
            *ret = w->number;
            continue;
        }
        bool user = false; // counted as a hit, no more
        err = !focused && w->unreported ? lull_debug_counts(d, w, &user) : NULL;
        err = err != NULL
                  ? err
                  : lull_debug_let_go(d, w, focused ? LULL_RESUME_STEP : LULL_RESUME_CONTINUE);
    }
    return err;
}

/* What ended the wait, if it was not a wave: then @p ret_over, and d->outcome says what. */
LULL_MUST_USE static struct lull_error *other_event(struct lull_debug *d, enum lull_event event,
                                                    bool *ret_over)
{
    struct lull_error *err = NULL;
    bool user = false;
    *ret_over = event != LULL_EVENT_HELD && event != LULL_EVENT_PACKET;
    switch (event) {
    case LULL_EVENT_DONE:
    case LULL_EVENT_LOST:
        lull_debug_ended(d, event == LULL_EVENT_DONE ? LULL_OUT_DONE : LULL_OUT_LOST);
        return NULL;
    case LULL_EVENT_TIMEOUT:
        return lull_debug_timed_out(d);
    case LULL_EVENT_HELD:
        err = lull_debug_look_at_held(d, &user);
        *ret_over = user;
        if (err != NULL || !user) {
            return err;
        }
        d->outcome = LULL_OUT_HELD;
        d->has_focus = false;
        return lull_debug_settle(d);
    case LULL_EVENT_PACKET:
        err = lull_debug_look_at_packet(d, &user);
        *ret_over = user;
        d->outcome = user ? LULL_OUT_PACKET : d->outcome;
        d->has_focus = d->has_focus && !user;
        return err;
    case LULL_EVENT_STOPPED:
    default:
        return NULL;
    }
}

struct lull_error *lull_debug_step_over_barrier(struct lull_debug *d)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_begin_resume(d);
    err = err != NULL ? err : lull_debug_focused(d, &w);
    if (err != NULL || w == NULL) {
        return err;
    }
    const struct lull_wave_info self = w->info;
    unsigned number = w->number;
    unsigned told = number;
    bool any = false;
    err = let_go(d, &self, &any, &told);
    while (err == NULL && !any) {
        enum lull_event event = LULL_EVENT_TIMEOUT;
        bool over = false;
        err = lull_debug_wait(d, NULL, &event);
        if (err == NULL && event != LULL_EVENT_STOPPED) {
            err = other_event(d, event, &over);
        } else if (err == NULL) {
            err = lull_debug_refresh(d);
        }
        if (err != NULL || over) {
            return err;
        }
        w = lull_debug_wave_by_number(d, number);
        any = w != NULL && w->stopped;
        if (!any) {
            err = let_go(d, &self, &any, &told);
        }
        if (err == NULL && !any && d->was_interrupted) {
            return lull_debug_timed_out(d);
        }
    }
    return err != NULL ? err : lull_debug_arrive(d, told, false);
}
