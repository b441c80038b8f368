// SPDX-License-Identifier: MIT
/* Software watchpoints: every wave is stepped in turn, and the values are looked at. */
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/watch_value.h"

enum { STEP_MS = 5, MAX_ROUNDS = 1000000 };

/* The other half of an Adreno's wave, which moved with it. */
static struct lull_debug_wave *other_half(struct lull_debug *d, const struct lull_debug_wave *w)
{
    for (size_t i = 0; lull_debug_is_ir3(d) && i < d->nwaves; i++) {
        struct lull_debug_wave *o = &d->waves[i];
        if (o->stopped && o->info.slot == (w->info.slot ^ 1) && o->info.pc == w->info.pc) {
            return o;
        }
    }
    return NULL;
}

/* No lane of @p w did it. */
LULL_MUST_USE static struct lull_error *touched_by_half(struct lull_debug *d,
                                                        const struct lull_debug_wave *w,
                                                        uint64_t pc,
                                                        const struct lull_breakpoint *b)
{
    const struct lull_debug_wave *o = other_half(d, w);
    struct lull_error *err = o != NULL ? lull_debug_touching(d, o, pc, b, &d->watch_lanes) : NULL;
    d->watch_wave = err == NULL && d->watch_lanes != 0 ? o->number : d->watch_wave;
    return err;
}

/* Wave @p number has ended: a watchpoint on what only it had stops, and is no more. */
static void value_gone(struct lull_debug *d, unsigned number, uint64_t pc, bool *ret)
{
    for (size_t i = 0; !*ret && i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        if (lull_debug_is_watch(b, true) && b->value != NULL && !b->value->lds &&
            b->value->wave == number) {
            b->value->ended = true;
            b->enabled = false;
            d->watch_hit = b->number;
            d->watch_wave = number;
            d->watch_pc = pc;
            d->watch_lanes = 0;
            *ret = true;
        }
    }
}

/* The same of a value that is not in memory. */
LULL_MUST_USE static struct lull_error *value_changed(struct lull_debug *d,
                                                      struct lull_breakpoint *b, unsigned number,
                                                      uint64_t pc, bool *ret)
{
    struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
    uint64_t lanes = 0;
    struct lull_error *err = NULL;
    if (w != NULL && lull_watched_changed(d, w, pc, b->value, &lanes)) {
        err = lull_debug_hit(d, w, b, ret);
        b->value->was = *ret ? b->value->was : b->value->now;
    }
    if (*ret) {
        d->watch_hit = b->number;
        d->watch_wave = number;
        d->watch_pc = pc;
        d->watch_lanes = lanes;
    }
    return err;
}

/* A software watchpoint on reads or accesses, which the next instruction of @p w does. */
LULL_MUST_USE static struct lull_error *will_touch(struct lull_debug *d,
                                                   const struct lull_debug_wave *w,
                                                   struct lull_breakpoint **ret,
                                                   uint64_t *ret_lanes)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; i < d->nbreakpoints && *ret == NULL && err == NULL; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        if (lull_debug_is_watch(b, true) && b->watch != LULL_WATCH_WRITE) {
            err = b->value != NULL ? lull_watched_touching(d, w, w->info.pc, b, ret_lanes)
                                   : lull_debug_touching(d, w, w->info.pc, b, ret_lanes);
            *ret = err == NULL && *ret_lanes != 0 ? b : NULL;
        }
    }
    return err;
}

/* It has done so. */
LULL_MUST_USE static struct lull_error *has_touched(struct lull_debug *d, unsigned number,
                                                    uint64_t pc, struct lull_breakpoint *b,
                                                    uint64_t lanes, bool *ret)
{
    struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
    struct lull_error *err = w != NULL ? lull_debug_hit(d, w, b, ret) : NULL;
    if (err == NULL && *ret) {
        if (b->value != NULL) {
            lull_watched_now(d, w, b->value);
        }
        d->watch_hit = b->number;
        d->watch_wave = number;
        d->watch_pc = pc;
        d->watch_lanes = lanes;
    }
    return err;
}

/* A software watchpoint whose value is another now; the wave that just stepped did it. */
LULL_MUST_USE static struct lull_error *changed(struct lull_debug *d, unsigned number, uint64_t pc,
                                                bool *ret)
{
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        uint64_t now = 0;
        if (b->watch != LULL_WATCH_WRITE) {
            continue; // those stop whatever the value is then
        }
        if (lull_debug_is_watch(b, true) && b->value != NULL) {
            struct lull_error *failed = value_changed(d, b, number, pc, ret);
            if (failed != NULL || *ret) {
                return failed;
            }
            continue;
        }
        struct lull_error *err =
            lull_debug_is_watch(b, true) ? lull_debug_watched_value(d, b, &now) : NULL;
        if (err != NULL) {
            return err;
        }
        struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
        if (!lull_debug_is_watch(b, true) || now == b->old_value || w == NULL) {
            continue;
        }
        err = lull_debug_hit(d, w, b, ret);
        if (err != NULL || *ret) {
            d->watch_hit = b->number;
            d->watch_wave = number;
            d->watch_pc = pc;
            err = err != NULL ? err : lull_debug_touching(d, w, pc, b, &d->watch_lanes);
            return err != NULL || d->watch_lanes != 0 ? err : touched_by_half(d, w, pc, b);
        }
        b->old_value = now;
    }
    return NULL;
}

/* One instruction of one wave. @p ret: the user should see where it stands now. */
LULL_MUST_USE static struct lull_error *step_wave(struct lull_debug *d, unsigned number, bool *ret)
{
    struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
    uint64_t pc = w->info.pc;
    enum lull_event event = LULL_EVENT_TIMEOUT;
    struct lull_breakpoint *touched = NULL;
    uint64_t lanes = 0;
    struct lull_error *err = will_touch(d, w, &touched, &lanes);
    err = err != NULL ? err : lull_debug_let_go(d, w, LULL_RESUME_STEP);
    // At a barrier it comes back only after the others have stepped to it, too.
    if (err == NULL) {
        err = d->target->ops->wait(d->target, STEP_MS, &event);
    }
    if (err != NULL) {
        return err;
    }
    if (event == LULL_EVENT_DONE || event == LULL_EVENT_LOST) {
        lull_debug_ended(d, event == LULL_EVENT_DONE ? LULL_OUT_DONE : LULL_OUT_LOST);
        return NULL;
    }
    d->hold_pending = d->hold_pending || event == LULL_EVENT_HELD;
    d->packets.pending = d->packets.pending || event == LULL_EVENT_PACKET;
    err = lull_debug_refresh(d);
    w = lull_debug_wave_by_number(d, number);
    bool gone = w == NULL;
    if (err == NULL && w != NULL && !w->stopped) {
        err = lull_debug_has_ended(d, number, &gone);
    }
    if (err == NULL && gone) {
        value_gone(d, number, pc, ret);
    }
    if (err != NULL || w == NULL || gone) {
        return err;
    }
    enum lull_stop stop = w->info.stop;
    struct lull_breakpoint *b = lull_debug_breakpoint_at(d, w->info.pc);
    bool user = w->stopped && (b != NULL || (stop != LULL_STOP_STEP && stop != LULL_STOP_START &&
                                             stop != LULL_STOP_HOST));
    w->unreported = false;
    err = touched != NULL ? has_touched(d, number, pc, touched, lanes, ret) : NULL;
    err = err != NULL || *ret ? err : changed(d, number, pc, ret);
    if (err == NULL && !*ret && user) {
        err = lull_debug_counts(d, w, ret);
    }
    return err;
}

/* Nothing stands: wait for a wave, or for the end. @p ret: it came, or is told to the user. */
LULL_MUST_USE static struct lull_error *wait_for_first(struct lull_debug *d, bool *ret)
{
    enum lull_event event = d->packets.pending ? LULL_EVENT_PACKET
                            : d->hold_pending  ? LULL_EVENT_HELD
                                               : LULL_EVENT_TIMEOUT;
    unsigned ms = d->timeout_ms != 0 ? d->timeout_ms : STEP_MS;
    struct lull_error *err =
        event != LULL_EVENT_TIMEOUT ? NULL : d->target->ops->wait(d->target, ms, &event);
    if (err == NULL && event == LULL_EVENT_PACKET) {
        err = lull_debug_look_at_packet(d, ret);
        d->outcome = *ret ? LULL_OUT_PACKET : d->outcome;
    } else if (err == NULL && event == LULL_EVENT_HELD) {
        err = lull_debug_look_at_held(d, ret);
        d->outcome = *ret ? LULL_OUT_HELD : d->outcome;
    } else if (err == NULL && event == LULL_EVENT_STOPPED) {
        err = lull_debug_refresh(d);
    } else if (err == NULL && event == LULL_EVENT_TIMEOUT) {
        *ret = d->timeout_ms != 0;
        d->outcome = *ret ? LULL_OUT_TIMEOUT : d->outcome;
    } else if (err == NULL) {
        *ret = true;
        lull_debug_ended(d, event == LULL_EVENT_DONE ? LULL_OUT_DONE : LULL_OUT_LOST);
    }
    return err;
}

struct lull_error *lull_debug_resume_watching(struct lull_debug *d)
{
    struct lull_target *t = d->target;
    bool hit = false;
    unsigned focus = d->focus;
    struct lull_error *err =
        t->ops->stop_new_waves != NULL ? t->ops->stop_new_waves(t, true) : NULL;
    if (err == NULL && d->held) {
        err = lull_debug_release(d);
    }
    for (unsigned round = 0; err == NULL && !hit && round < MAX_ROUNDS; round++) {
        bool over = false;
        if (!lull_debug_any_stands(d)) {
            err = wait_for_first(d, &over);
        }
        if (d->interrupted != NULL && d->interrupted(d->interrupt_ctx)) {
            d->was_interrupted = true;
            d->outcome = LULL_OUT_TIMEOUT;
        }
        if (over || d->was_interrupted) {
            break;
        }
        for (size_t i = 0; err == NULL && !hit && i < d->nwaves; i++) {
            focus = d->waves[i].number;
            err = d->waves[i].stopped ? step_wave(d, focus, &hit) : NULL;
        }
        if (!d->started) {
            break;
        }
    }
    if (t->ops->stop_new_waves != NULL) {
        struct lull_error *off = t->ops->stop_new_waves(t, false);
        if (err == NULL) {
            err = off;
        } else {
            lull_error_free(off);
        }
    }
    focus = hit && d->watch_hit != 0 ? d->watch_wave : focus;
    struct lull_debug_wave *w = hit ? lull_debug_wave_by_number(d, focus) : NULL;
    for (size_t i = 0; hit && (w == NULL || !w->stopped) && i < d->nwaves; i++) {
        w = &d->waves[i]; // the one that did it has ended: any that stands
    }
    if (err == NULL && w != NULL && w->stopped) {
        lull_debug_focus_stop(d, w);
    }
    return err;
}
