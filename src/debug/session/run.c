// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/regs.h"
#include "debug/session/agent.h"
#include "debug/session/engine.h"

enum { SLICE_MS = 50, MAX_RUNNING = 4096, MAX_ROUNDS = 100000 };

/* The standing wave to tell the user about next; those that do not count go on. */
LULL_MUST_USE static struct lull_error *pick(struct lull_debug *d, struct lull_debug_wave **ret)
{
    *ret = NULL;
    for (size_t i = 0; i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        if (!w->stopped || !w->unreported) {
            continue;
        }
        bool user = true;
        struct lull_error *err = lull_debug_counts(d, w, &user);
        if (err != NULL || user) {
            *ret = w;
            return err;
        }
        err = lull_debug_let_go(d, w, LULL_RESUME_CONTINUE);
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}

struct lull_error *lull_debug_settle(struct lull_debug *d)
{
    if (d->target->ops->interrupt == NULL || d->locking == LULL_LOCK_ON) {
        return NULL;
    }
    struct lull_error *err = d->target->ops->interrupt(d->target);
    enum lull_event event = LULL_EVENT_STOPPED;
    for (unsigned i = 0; err == NULL && event == LULL_EVENT_STOPPED && i < MAX_ROUNDS; i++) {
        err = d->target->ops->wait(d->target, LULL_SETTLE_MS, &event);
        d->hold_pending = d->hold_pending || event == LULL_EVENT_HELD;
        d->packets.pending = d->packets.pending || event == LULL_EVENT_PACKET;
        event = event == LULL_EVENT_HELD ? LULL_EVENT_STOPPED : event;
    }
    return err != NULL ? err : lull_debug_refresh(d);
}

static bool same_slot(const struct lull_wave_info *a, const struct lull_wave_info *b)
{
    return a->se == b->se && a->sa == b->sa && a->wgp == b->wgp && a->simd == b->simd &&
           a->slot == b->slot;
}

/* Nothing is in the hardware's slot of wave @p number, which was let go; what stands cannot go on
 * by itself. */
struct lull_error *lull_debug_has_ended(struct lull_debug *d, unsigned number, bool *ret)
{
    *ret = false;
    const struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
    if (d->target->ops->running == NULL || w == NULL || w->stopped || !lull_debug_any_stands(d)) {
        return NULL;
    }
    lull_cleanup(lull_freep) struct lull_wave_info *infos = calloc(MAX_RUNNING, sizeof *infos);
    if (infos == NULL) {
        return &lull_enomem;
    }
    size_t n = 0;
    struct lull_error *err = d->target->ops->running(d->target, infos, MAX_RUNNING, &n);
    *ret = err == NULL && n <= MAX_RUNNING;
    for (size_t i = 0; *ret && i < n; i++) {
        *ret = !same_slot(&infos[i], &w->info);
    }
    return err;
}

/* Wave @p number runs, but it waits at a barrier for waves that stand, and shall. */
LULL_MUST_USE static struct lull_error *waits_for_standing(struct lull_debug *d, unsigned number,
                                                           bool *ret)
{
    const struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
    size_t n = 0;
    *ret = false;
    if (d->locking != LULL_LOCK_ON || d->target->ops->running == NULL || w == NULL || w->stopped) {
        return NULL;
    }
    lull_cleanup(lull_freep) struct lull_wave_info *infos = calloc(MAX_RUNNING, sizeof *infos);
    struct lull_error *err =
        infos == NULL ? &lull_enomem : d->target->ops->running(d->target, infos, MAX_RUNNING, &n);
    for (size_t i = 0; err == NULL && i < n && i < MAX_RUNNING; i++) {
        *ret = *ret || (same_slot(&infos[i], &w->info) && lull_reg_in_barrier(&infos[i]));
    }
    return err;
}

struct lull_error *lull_debug_wait(struct lull_debug *d, const unsigned *only, enum lull_event *ret)
{
    unsigned left = d->timeout_ms;
    bool asked = false;
    bool gone = false, waits = false;
    struct lull_error *err = NULL;
    d->outcome = LULL_OUT_TIMEOUT;
    *ret = d->packets.pending ? LULL_EVENT_PACKET
           : d->hold_pending  ? LULL_EVENT_HELD
                              : LULL_EVENT_TIMEOUT;
    while (err == NULL && *ret == LULL_EVENT_TIMEOUT && !asked && !gone && !waits) {
        bool slices = d->interrupted != NULL || d->timeout_ms == 0;
        unsigned slice = slices && (left > SLICE_MS || d->timeout_ms == 0) ? SLICE_MS : left;
        err = d->target->ops->wait(d->target, slice, ret);
        left -= slice;
        asked = d->interrupted != NULL && d->interrupted(d->interrupt_ctx);
        d->was_interrupted = d->was_interrupted || asked;
        if (err == NULL && *ret == LULL_EVENT_TIMEOUT && only != NULL && !asked) {
            err = lull_debug_has_ended(d, *only, &gone);
            d->outcome = gone ? LULL_OUT_ENDED : d->outcome;
            err = err != NULL || gone ? err : waits_for_standing(d, *only, &waits);
        }
        if (d->timeout_ms != 0 && left == 0) {
            break;
        }
    }
    return err;
}

/* Only this wave counts; where it stopped may not: then it goes on, unless it steps. Others that
 * stop on the way, since they did not come to it at the last stop, stand. */
LULL_MUST_USE static struct lull_error *pick_only(struct lull_debug *d, struct lull_debug_wave *w,
                                                  enum lull_resume how,
                                                  struct lull_debug_wave **ret)
{
    bool user = true;
    struct lull_error *err = NULL;
    if (w->stopped && w->info.stop != LULL_STOP_STEP) {
        err = lull_debug_counts(d, w, &user);
    }
    if (err == NULL && w->stopped && !user && how == LULL_RESUME_CONTINUE) {
        return lull_debug_let_go(d, w, how);
    }
    *ret = w->stopped ? w : NULL;
    if (err == NULL && *ret == NULL && d->target->ops->stand != NULL) {
        err = d->target->ops->stand(d->target);
    }
    return err;
}

/* Waves that the interrupt of an earlier stop reached only now, when all were let go already. */
LULL_MUST_USE static struct lull_error *late_go_on(struct lull_debug *d)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        if (w->stopped && !w->unreported && w->info.stop == LULL_STOP_HOST) {
            err = lull_debug_let_go(d, w, LULL_RESUME_CONTINUE);
        }
    }
    return err;
}

/* Wait until a wave stops for the user; with @p only, that one counts and no other. */
LULL_MUST_USE static struct lull_error *run_on(struct lull_debug *d, const unsigned *only,
                                               enum lull_resume how, struct lull_debug_wave **ret)
{
    struct lull_error *err = NULL;
    *ret = NULL;
    while (err == NULL && *ret == NULL) {
        enum lull_event event = LULL_EVENT_TIMEOUT;
        err = lull_debug_wait(d, only, &event);
        if (err != NULL) {
            return err;
        }
        if (event == LULL_EVENT_DONE || event == LULL_EVENT_LOST) {
            lull_debug_ended(d, event == LULL_EVENT_DONE ? LULL_OUT_DONE : LULL_OUT_LOST);
            return NULL;
        }
        if (event == LULL_EVENT_TIMEOUT) {
            return NULL; // lull_debug_wait() has said why
        }
        if (event == LULL_EVENT_HELD || event == LULL_EVENT_PACKET) {
            bool user = false;
            err = event == LULL_EVENT_HELD ? lull_debug_look_at_held(d, &user)
                                           : lull_debug_look_at_packet(d, &user);
            if (err != NULL || user) {
                d->outcome = event == LULL_EVENT_HELD ? LULL_OUT_HELD : LULL_OUT_PACKET;
                return err;
            }
            continue;
        }
        err = lull_debug_refresh(d);
        struct lull_debug_wave *w = only != NULL ? lull_debug_wave_by_number(d, *only) : NULL;
        if (err == NULL && w != NULL) {
            err = pick_only(d, w, how, ret);
        } else if (err == NULL) {
            err = pick(d, ret);
        }
        if (err == NULL && *ret == NULL && only == NULL && how == LULL_RESUME_CONTINUE &&
            d->locking != LULL_LOCK_ON) {
            err = late_go_on(d);
        }
        if (err == NULL && *ret == NULL && d->was_interrupted) { // at a stop that does not count
            d->outcome = LULL_OUT_TIMEOUT;
            return NULL;
        }
    }
    return err;
}

struct lull_error *lull_debug_arrive(struct lull_debug *d, unsigned number, bool alone)
{
    struct lull_error *err = alone && d->locking != LULL_LOCK_OFF ? NULL : lull_debug_settle(d);
    struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
    if (err == NULL && w != NULL) {
        lull_debug_focus_stop(d, w);
        err = lull_debug_drop_used(d, w);
    }
    return err;
}

struct lull_error *lull_debug_timed_out(struct lull_debug *d)
{
    struct lull_error *err = lull_debug_interrupt(d);
    d->outcome = LULL_OUT_TIMEOUT;
    return err;
}

struct lull_error *lull_debug_interrupt(struct lull_debug *d)
{
    if (d->target->ops->interrupt == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target cannot be interrupted",
                              d->target->ops->kind);
    }
    enum lull_locking locking = d->locking;
    d->locking = LULL_LOCK_STEP;
    struct lull_error *err = lull_debug_settle(d);
    d->locking = locking;
    struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    for (size_t i = 0; (w == NULL || !w->stopped) && i < d->nwaves; i++) {
        w = &d->waves[i];
    }
    if (err == NULL && w != NULL && w->stopped) {
        lull_debug_set_focus(d, w);
    }
    return err;
}

/* It has something to tell the user first. */
static bool holds(struct lull_debug *d, const struct lull_debug_wave *w)
{
    bool gone =
        w->info.stop == LULL_STOP_BREAKPOINT && lull_debug_breakpoint_at(d, w->info.pc) == NULL;
    return w->unreported && !gone;
}

LULL_MUST_USE static struct lull_error *go(struct lull_debug *d, enum lull_resume how)
{
    bool others =
        how == LULL_RESUME_CONTINUE ? d->locking != LULL_LOCK_ON : d->locking == LULL_LOCK_OFF;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        bool focused = d->has_focus && w->number == d->focus;
        if (w->stopped && (focused || (others && !holds(d, w)))) {
            err = lull_debug_let_go(d, w, focused ? how : LULL_RESUME_CONTINUE);
        }
    }
    return err;
}

struct lull_error *lull_debug_begin_resume(struct lull_debug *d)
{
    if (d->target->ops->resume == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target cannot run", d->target->ops->kind);
    }
    d->frame = 0;
    d->watch_hit = 0;
    d->watch_pixel = (struct lull_wrote){0};
    d->was_interrupted = false;
    d->at_first = false;
    d->resumes++;
    lull_debug_look_at_watched(d);
    return NULL;
}

struct lull_error *lull_debug_run_on(struct lull_debug *d, enum lull_resume how)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = NULL;
    if (how == LULL_RESUME_CONTINUE && d->locking != LULL_LOCK_ON) {
        err = pick(d, &w); // stopped by itself while another was shown
        if (err != NULL) {
            return err;
        }
        if (w != NULL) {
            lull_debug_focus_stop(d, w);
            return NULL;
        }
    }
    unsigned focus = d->focus;
    bool alone = d->has_focus && (how == LULL_RESUME_STEP || d->locking == LULL_LOCK_ON);
    err = go(d, how);
    if (err == NULL && d->held && how == LULL_RESUME_CONTINUE) {
        err = d->at_draw ? lull_agent_meet_draw(d, &d->draw) : lull_agent_meet(d, &d->dispatch);
        err = err != NULL ? err : lull_debug_release(d);
    }
    if (err == NULL) {
        err = run_on(d, alone ? &focus : NULL, how, &w);
    }
    if (err != NULL) {
        return err;
    }
    if (w == NULL && d->outcome == LULL_OUT_PACKET) {
        d->has_focus = false;
        return NULL; // nothing else runs
    }
    if (w == NULL && d->outcome == LULL_OUT_HELD) {
        d->has_focus = false;
        return lull_debug_settle(d);
    }
    if (w == NULL && d->outcome == LULL_OUT_ENDED) {
        lull_debug_focus_any(d);
        d->outcome = LULL_OUT_ENDED;
        return NULL;
    }
    if (w == NULL) {
        return d->outcome == LULL_OUT_TIMEOUT ? lull_debug_timed_out(d) : NULL;
    }
    return lull_debug_arrive(d, w->number, alone);
}
