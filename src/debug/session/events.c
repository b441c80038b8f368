// SPDX-License-Identifier: MIT
#include "debug/session/events.h"
#include "debug/session/travel_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/fault.h"

enum { ROOM_AT_FIRST = 16, PAGE = 64 };

void lull_debug_keep_events(struct lull_debug *d)
{
    d->events.kept = true;
}

void lull_debug_on_event(struct lull_debug *d,
                         void (*told)(void *ctx, const struct lull_debug_event *event), void *ctx)
{
    d->events.told = told;
    d->events.ctx = ctx;
}

bool lull_debug_next_event(struct lull_debug *d, struct lull_debug_event *ret)
{
    struct lull_debug_events *e = &d->events;
    free(e->text);
    e->text = NULL;
    if (e->first == e->n) {
        e->first = e->n = 0;
        return false;
    }
    *ret = e->all[e->first++];
    e->text = (char *)(uintptr_t)ret->text;
    return true;
}

void lull_debug_free_events(struct lull_debug *d)
{
    struct lull_debug_event e = {0};
    while (lull_debug_next_event(d, &e)) {
    }
    free(d->events.all);
}

struct lull_error *lull_debug_tell(struct lull_debug *d, const struct lull_debug_event *event)
{
    struct lull_debug_events *e = &d->events;
    if (e->told != NULL) {
        e->told(e->ctx, event);
        return NULL;
    }
    if (!e->kept) {
        return NULL;
    }
    if (e->n == e->room) {
        size_t room = e->room == 0 ? ROOM_AT_FIRST : 2 * e->room;
        struct lull_debug_event *all = realloc(e->all, room * sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        e->all = all;
        e->room = room;
    }
    char *text = NULL;
    if (event->text != NULL) {
        text = calloc(1, event->text_size + 1);
        if (text == NULL) {
            return &lull_enomem;
        }
        memcpy(text, event->text, event->text_size);
    }
    e->all[e->n] = *event;
    e->all[e->n++].text = text;
    return NULL;
}

const struct lull_breakpoint *lull_debug_breakpoint_of(struct lull_debug *d,
                                                       const struct lull_debug_wave *w)
{
    const struct lull_breakpoint *b = lull_debug_stopped_at(d, w);
    enum lull_stop stop = w->info.stop;
    bool near = stop == LULL_STOP_EXCEPTION && d->watch_hit == 0 &&
                (w->info.excp != 0 ? w->any_hit : w->info.watch != 0);
    const bool code = stop == LULL_STOP_BREAKPOINT && (w->any_hit || !lull_debug_is_checked(d, w));
    bool at_one = code || stop == LULL_STOP_START || near || (stop == LULL_STOP_STEP && w->any_hit);
    return b != NULL && b->number != LULL_PASSING_BREAKPOINT && at_one ? b : NULL;
}

/* The address of the first lane that the page tables refuse; 0: not known. */
static uint64_t refused_address(struct lull_debug *d, const struct lull_debug_wave *w)
{
    if (w->info.fault_known) {
        return w->info.fault_va;
    }
    lull_cleanup(lull_freep) struct lull_debug_fault *f = calloc(1, sizeof *f);
    uint64_t va = 0;
    struct lull_error *err = f != NULL ? lull_debug_find_fault(d, w, f) : NULL;
    for (unsigned i = LULL_MAX_LANES; f != NULL && err == NULL && f->n != 0 && i-- > 0;) {
        va = f->refusals[i].refused ? f->a.va[i] : va;
    }
    lull_error_free(err);
    return va;
}

/* Where the wave in focus stands and why. */
static void add_wave(struct lull_debug *d, struct lull_debug_event *e)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    if (w == NULL || !w->stopped) {
        return;
    }
    const struct lull_breakpoint *b = lull_debug_breakpoint_of(d, w);
    const bool watch = d->watch_hit != 0 && d->watch_wave == w->number;
    b = b == NULL && w->info.excp != 0 ? lull_debug_catchpoint_of(d, w) : b;
    e->stop = w->info.stop;
    e->wave = w->number;
    e->lane = d->lane;
    e->pc = w->info.pc;
    e->lanes = lull_debug_lanes_hit(d, w);
    e->exceptions = w->info.stop == LULL_STOP_EXCEPTION ? w->info.excp : 0;
    e->breakpoint = watch ? d->watch_hit : b != NULL ? b->number : 0;
    if (e->kind == LULL_DEBUG_STOPPED && b == NULL && !watch &&
        (e->stop == LULL_STOP_MEMORY || e->stop == LULL_STOP_ILLEGAL)) {
        e->kind = LULL_DEBUG_FAULT;
        e->address = e->stop == LULL_STOP_MEMORY ? refused_address(d, w) : 0;
    }
}

/* Dispatches of a program that have ended since the last time, as long as all before them have. */
LULL_MUST_USE static struct lull_error *tell_ended(struct lull_debug *d)
{
    const struct lull_target_ops *ops = d->target->ops;
    lull_cleanup(lull_freep) struct lull_dispatch_info *infos = calloc(PAGE, sizeof *infos);
    struct lull_error *err = infos == NULL ? &lull_enomem : NULL;
    for (bool more = true; err == NULL && more;) {
        size_t n = 0;
        err = ops->dispatches(d->target, d->events.next_ended, infos, PAGE, &n);
        more = n > PAGE;
        for (size_t i = 0; err == NULL && i < n && i < PAGE; i++) {
            if (infos[i].phase != LULL_PHASE_DONE && infos[i].phase != LULL_PHASE_KILLED) {
                return NULL;
            }
            const struct lull_debug_event e = {.kind = LULL_DEBUG_DISPATCH_ENDED,
                                               .dispatch = infos[i].number};
            err = lull_debug_tell(d, &e);
            d->events.next_ended = infos[i].number + 1;
        }
    }
    return err;
}

const struct lull_breakpoint *lull_debug_came_to(struct lull_debug *d)
{
    const struct lull_debug_wave *w = d->outcome == LULL_OUT_STOPPED && d->has_focus
                                          ? lull_debug_wave_by_number(d, d->focus)
                                          : NULL;
    return d->outcome == LULL_OUT_HELD     ? lull_debug_breakpoint(d, d->caught)
           : d->outcome == LULL_OUT_PACKET ? lull_debug_breakpoint(d, d->packets.hit)
           : w == NULL                     ? NULL
           : d->watch_hit != 0             ? lull_debug_breakpoint(d, d->watch_hit)
                                           : lull_debug_breakpoint_of(d, w);
}

bool lull_debug_stops_silently(struct lull_debug *d)
{
    const struct lull_breakpoint *b = lull_debug_came_to(d);
    return b != NULL && b->commands != NULL && strncmp(b->commands, "silent\n", 7) == 0;
}

struct lull_error *lull_debug_tell_outcome(struct lull_debug *d)
{
    static const enum lull_debug_event_kind kinds[] = {
        [LULL_OUT_STOPPED] = LULL_DEBUG_STOPPED,    [LULL_OUT_DONE] = LULL_DEBUG_ENDED,
        [LULL_OUT_LOST] = LULL_DEBUG_LOST,          [LULL_OUT_TIMEOUT] = LULL_DEBUG_TIMED_OUT,
        [LULL_OUT_HELD] = LULL_DEBUG_DISPATCH_HELD, [LULL_OUT_ENDED] = LULL_DEBUG_WAVE_ENDED,
        [LULL_OUT_PACKET] = LULL_DEBUG_PACKET,
    };
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    if (d->outcome == LULL_OUT_STOPPED && w != NULL && lull_debug_is_checked(d, w)) {
        lull_travel_note_found(d);
    }
    if (d->outcome == LULL_OUT_NOTHING || (!d->events.kept && d->events.told == NULL)) {
        return NULL;
    }
    const bool program = lull_debug_is_program(d);
    struct lull_error *err =
        d->drain != NULL ? d->drain(d->run_ctx, d->outcome != LULL_OUT_DONE) : NULL;
    if (err == NULL && program) {
        err = tell_ended(d);
    } else if (err == NULL && d->outcome == LULL_OUT_DONE) {
        const struct lull_debug_event e = {.kind = LULL_DEBUG_DISPATCH_ENDED};
        err = lull_debug_tell(d, &e);
    }
    struct lull_debug_event e = {.kind = kinds[d->outcome], .interrupted = d->was_interrupted};
    e.kind = e.kind == LULL_DEBUG_TIMED_OUT && e.interrupted ? LULL_DEBUG_STOPPED : e.kind;
    add_wave(d, &e);
    e.dispatch = program && d->has_dispatch ? d->dispatch.number : 0;
    if (e.kind == LULL_DEBUG_DISPATCH_HELD && d->at_draw) {
        e.kind = LULL_DEBUG_DRAW_HELD;
        e.draw = d->draw.number;
    }
    return err != NULL ? err : lull_debug_tell(d, &e);
}
