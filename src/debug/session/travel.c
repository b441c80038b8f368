// SPDX-License-Identifier: MIT
#include "debug/session/travel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/session/travel_priv.h"

struct lull_error *lull_debug_when(struct lull_debug *d, struct lull_when *ret)
{
    struct lull_travel t = {0};
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_travel_state(d, &t);
    if (err != NULL) {
        return err;
    }
    *ret = (struct lull_when){.now = t.now - t.start,
                              .first = t.first - t.start,
                              .last = t.last - t.start,
                              .marks = t.marks,
                              .bytes = t.bytes,
                              .ended = t.ended};
    err = lull_debug_focused(d, &w);
    if (err != NULL) {
        lull_error_free(err);
        return NULL;
    }
    ret->has_wave = true;
    return d->target->ops->executed(d->target, w->info.key, &ret->executed);
}

struct lull_error *lull_debug_set_record_bytes(struct lull_debug *d, uint64_t bytes)
{
    if (d->target->ops->remember == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "this target does not remember what waves did");
    }
    d->record_bytes = bytes;
    return d->target->ops->remember(d->target, bytes, d->record_writers);
}

struct lull_error *lull_debug_set_record_writers(struct lull_debug *d, bool on)
{
    if (on && d->target->ops->wrote == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "this target does not note who writes memory");
    }
    d->record_writers = on;
    return d->target->ops->remember != NULL ? lull_debug_set_record_bytes(d, d->record_bytes)
                                            : NULL;
}

/* Breakpoints and what else stops waves are set again. */
LULL_MUST_USE static struct lull_error *set_again(struct lull_debug *d)
{
    struct lull_error *err = lull_debug_sync_breakpoints(d);
    err = err != NULL ? err : lull_debug_sync_watchpoints(d);
    return err != NULL ? err : lull_debug_sync_exceptions(d);
}

static struct lull_debug_wave *wave_at(struct lull_debug *d, const struct lull_travel_wave *who)
{
    for (size_t i = 0; who != NULL && i < d->nwaves; i++) {
        const struct lull_wave_info *w = &d->waves[i].info;
        if (w->hw_id1 == who->hw_id1 &&
            memcmp(w->workgroup, who->workgroup, sizeof w->workgroup) == 0) {
            return &d->waves[i];
        }
    }
    return NULL;
}

/* With checks all is gone through once more, so that they know what they knew then. */
LULL_MUST_USE static struct lull_error *travel(struct lull_debug *d, uint64_t time)
{
    if (d->check_again == NULL) {
        return d->target->ops->travel(d->target, time);
    }
    d->check_again(d->run_ctx, true);
    struct lull_error *err = d->target->ops->travel_again(d->target, time);
    d->check_again(d->run_ctx, false);
    return err;
}

struct lull_error *lull_travel_arrive(struct lull_debug *d, uint64_t time,
                                      const struct lull_travel_wave *who)
{
    struct lull_error *err = lull_debug_begin_resume(d);
    err = err != NULL ? err : travel(d, time);
    if (err != NULL) {
        return err;
    }
    d->started = true;
    d->held = d->hold_pending = false;
    d->nwaves = 0;
    d->outcome = LULL_OUT_STOPPED;
    const unsigned lane = d->lane;
    err = lull_debug_look_at_running(d);
    err = err != NULL ? err : lull_debug_refresh(d);
    err = err != NULL ? err : set_again(d);
    for (size_t i = 0; i < d->nwaves; i++) {
        d->waves[i].unreported = false;
        d->waves[i].info.stop = LULL_STOP_HOST;
    }
    struct lull_travel now = {0};
    err = err != NULL ? err : d->target->ops->travelled(d->target, &now);
    if (err == NULL && now.held) { // The next one is, when all waves are gone.
        d->has_focus = false;
        return lull_debug_hold_again(d);
    }
    struct lull_debug_wave *w = wave_at(d, who);
    const bool same = w != NULL;
    w = w == NULL && d->nwaves != 0 ? &d->waves[0] : w;
    d->has_focus = false;
    if (err == NULL && w != NULL) {
        lull_debug_set_focus(d, w);
        d->lane = same && lane < w->info.lanes ? lane : d->lane;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *go(struct lull_debug *d, uint64_t time)
{
    struct lull_travel_wave who = {0};
    const bool has = lull_travel_focus(d, &who);
    struct lull_error *err = lull_travel_arrive(d, time, has ? &who : NULL);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

/* The latest time: at the end of the dispatch no wave is there. */
LULL_MUST_USE static struct lull_error *go_to_last(struct lull_debug *d,
                                                   const struct lull_travel *t)
{
    struct lull_travel now = {0};
    struct lull_error *err = go(d, t->last);
    err = err != NULL ? err : lull_travel_state(d, &now);
    if (err == NULL && now.ended) {
        lull_debug_ended(d, LULL_OUT_DONE);
    }
    return err;
}

struct lull_error *lull_debug_travel_to(struct lull_debug *d, uint64_t time)
{
    struct lull_travel t = {0};
    struct lull_error *err = lull_travel_state(d, &t);
    if (err != NULL) {
        return err;
    }
    if (time > t.last - t.start || time + t.start < t.first) {
        return lull_error_new(LULL_ERR_INVALID,
                              "time %" PRIu64 ": what is remembered is %" PRIu64 " to %" PRIu64,
                              time, t.first - t.start, t.last - t.start);
    }
    time += t.start;
    return time == t.last ? go_to_last(d, &t) : go(d, time);
}

struct lull_error *lull_debug_travel_to_end(struct lull_debug *d, bool last)
{
    struct lull_travel t = {0};
    struct lull_error *err = lull_travel_state(d, &t);
    return err != NULL ? err : last ? go_to_last(d, &t) : go(d, t.first);
}

struct lull_error *lull_travel_to_found(struct lull_debug *d, const struct lull_debug_found *f)
{
    const struct lull_debug_found found = *f;
    struct lull_error *err = lull_travel_arrive(d, found.time, &found.who);
    if (err == NULL && d->has_focus) {
        d->lane = found.lane;
        (void)d->check_stands(d->run_ctx, found.n);
    }
    return err;
}
