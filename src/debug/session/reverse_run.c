// SPDX-License-Identifier: MIT
// Running backwards, to a breakpoint or to who wrote what is watched.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/rdna/regs.h"
#include "debug/session/back.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/session/exported.h"
#include "debug/session/reverse.h"
#include "debug/session/watch_value.h"

/** What stops, and which watchpoint each range is of. */
struct stops {
    struct lull_back back;
    struct lull_breakpoint *of[LULL_SEARCH_RANGES];
    struct lull_travel_wave was; // In focus at first.
    bool had;
    struct lull_breakpoint *pixel_of; ///< What is watched was written by the back end of a draw,
    struct lull_found pixel;          ///< of what this has exported. NULL: it was not.
    struct lull_wrote pixel_by;
};

LULL_MUST_USE static struct lull_error *full(const char *what, unsigned most)
{
    return lull_error_new(LULL_ERR_UNSUPPORTED,
                          "more than %u %s: 'disable' some to go back to the others", most, what);
}

LULL_MUST_USE static struct lull_error *add_codes(struct lull_search *s,
                                                  const struct lull_breakpoint *b)
{
    uint64_t va = 0;
    bool on = false;
    for (size_t i = 0; lull_debug_break_place(b, i, &va, &on); i++) {
        if (on && s->ncodes == LULL_SEARCH_CODES) {
            return full("places of breakpoints", LULL_SEARCH_CODES);
        }
        if (on) {
            s->codes[s->ncodes++] = va;
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *add_range(struct stops *s, struct lull_breakpoint *b,
                                                  const struct lull_search_range *r)
{
    struct lull_search *to = &s->back.what;
    if (to->nranges == LULL_SEARCH_RANGES) {
        return full("watched places", LULL_SEARCH_RANGES);
    }
    s->of[to->nranges] = b;
    to->ranges[to->nranges++] = *r;
    return NULL;
}

/** The search is about registers or scratch of the wave of @p v; another's cannot be in it. */
LULL_MUST_USE static struct lull_error *need_wave(struct lull_search *what,
                                                  const struct lull_watched *v)
{
    if (what->has_wave && (what->hw_id1 != v->hw_id1 ||
                           memcmp(what->workgroup, v->workgroup, sizeof what->workgroup) != 0)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "values of several waves are watched: 'disable' those of all but one "
                              "to go back");
    }
    what->has_wave = true;
    what->hw_id1 = v->hw_id1;
    memcpy(what->workgroup, v->workgroup, sizeof what->workgroup);
    return NULL;
}

LULL_MUST_USE static struct lull_error *add_watch(struct stops *s, struct lull_breakpoint *b)
{
    const struct lull_watched *v = b->value;
    if (v == NULL) {
        const struct lull_search_range r = {
            .va = b->va, .size = b->size, .loads = b->watch != LULL_WATCH_WRITE};
        return add_range(s, b, &r);
    }
    if (!v->has_range) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "'%s' is not kept in one place: 'reverse-continue' cannot watch it",
                              b->what);
    }
    struct lull_error *err = v->lds ? NULL : need_wave(&s->back.what, v);
    return err != NULL ? err : add_range(s, b, &v->range);
}

LULL_MUST_USE static struct lull_error *collect(struct stops *s)
{
    struct lull_debug *d = s->back.d;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        if (b->number == 0 || !b->enabled || b->print != NULL || b->agent) {
            continue;
        }
        err = b->kind == LULL_BREAK_CODE    ? add_codes(&s->back.what, b)
              : b->kind == LULL_BREAK_WATCH ? add_watch(s, b)
                                            : NULL;
    }
    return err;
}

/** Does it count for the user, with the wave in focus: conditions, ignore counts. */
LULL_MUST_USE static struct lull_error *watch_counts(struct stops *s, struct lull_debug_wave *w,
                                                     const struct lull_found *f,
                                                     struct lull_breakpoint *b, bool *ret)
{
    struct lull_debug *d = s->back.d;
    uint64_t lanes = f->lanes;
    struct lull_error *err = NULL;
    *ret = true;
    if (b->value != NULL) {
        uint64_t changed = 0;
        *ret = lull_watched_changed(d, w, f->pc, b->value, &changed) || b->value->lds;
        lanes = b->value->lds ? lanes : changed;
        *ret = *ret && (b->value->lds || changed != 0);
    } else if (b->watch != LULL_WATCH_WRITE) {
        err = lull_debug_touching(d, w, f->pc, b, &lanes);
        *ret = lanes != 0;
    }
    if (err == NULL && *ret) {
        err = lull_debug_hit(d, w, b, ret);
    }
    if (err == NULL && *ret) {
        d->watch_hit = b->number;
        d->watch_wave = w->number;
        d->watch_pc = f->pc;
        d->watch_lanes = lanes;
        w->info.stop = LULL_STOP_EXCEPTION;
        w->info.watch = 1;
        w->info.excp = 0;
        d->lane = lanes != 0 ? (unsigned)__builtin_ctzll(lanes) : d->lane;
    }
    return err;
}

/** Go in front of @p f. @p ret: it stops there. */
LULL_MUST_USE static struct lull_error *try(struct stops *s, const struct lull_found *f, bool *ret)
{
    struct lull_debug *d = s->back.d;
    struct lull_travel_wave who = {.hw_id1 = f->hw_id1};
    memcpy(who.workgroup, f->workgroup, sizeof who.workgroup);
    *ret = false;
    if (d->locking == LULL_LOCK_ON && s->had && memcmp(&who, &s->was, sizeof who) != 0) {
        return NULL;
    }
    struct lull_error *err = lull_travel_arrive(d, f->time, &who);
    struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    if (err != NULL || w == NULL) {
        return err;
    }
    for (unsigned i = 0; err == NULL && !*ret && i < s->back.what.nranges; i++) {
        if ((f->ranges >> i & 1) != 0) {
            err = watch_counts(s, w, f, s->of[i], ret);
        }
    }
    if (err == NULL && !*ret && f->code) {
        w->info.stop = LULL_STOP_BREAKPOINT;
        err = lull_debug_counts(d, w, ret);
        if (err == NULL && *ret) {
            lull_debug_focus_stop(d, w);
            err = lull_debug_drop_used(d, w);
        }
    }
    return err;
}

/** The last pixel that was written to what is watched. */
LULL_MUST_USE static struct lull_error *look_for_pixels(struct stops *s)
{
    struct lull_debug *d = s->back.d;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        struct lull_found f = {0};
        struct lull_wrote by = {0};
        bool is = false;
        if (b->number == 0 || !b->enabled || b->kind != LULL_BREAK_WATCH || b->value != NULL) {
            continue;
        }
        err = lull_debug_exported(d, b->va, b->size, s->back.until, &by, &f, &is);
        if (err == NULL && is && (s->pixel_of == NULL || f.time > s->pixel.time)) {
            s->pixel_of = b;
            s->pixel = f;
            s->pixel_by = by;
        }
    }
    return err;
}

/** To the export of that pixel. */
LULL_MUST_USE static struct lull_error *stop_at_pixel(struct stops *s, bool *ret)
{
    struct lull_debug *d = s->back.d;
    struct lull_travel_wave who = {.hw_id1 = s->pixel.hw_id1};
    memcpy(who.workgroup, s->pixel.workgroup, sizeof who.workgroup);
    struct lull_error *err = lull_travel_arrive(d, s->pixel.time, &who);
    struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    bool user = w != NULL;
    err = err != NULL || w == NULL ? err : lull_debug_hit(d, w, s->pixel_of, &user);
    if (err == NULL && user) {
        d->watch_hit = s->pixel_of->number;
        d->watch_wave = w->number;
        d->watch_pc = s->pixel.pc;
        d->watch_lanes = s->pixel.lanes;
        d->watch_pixel = s->pixel_by;
        w->info.stop = LULL_STOP_EXCEPTION;
        w->info.watch = 1;
        w->info.excp = 0;
        d->lane = s->pixel_by.lane;
        *ret = true;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(struct stops *s)
{
    struct lull_debug *d = s->back.d;
    const struct lull_found *f = NULL;
    bool stop = false;
    struct lull_error *err = NULL;
    const struct lull_debug_found *check = lull_travel_found_before(d, s->back.until);
    check = check != NULL && check->time >= s->back.first ? check : NULL;
    err = look_for_pixels(s);
    const uint64_t least = s->pixel_of != NULL ? s->pixel.time : 0;
    for (bool more = s->back.what.ncodes + s->back.what.nranges != 0; err == NULL && more;) {
        err = lull_back_next(&s->back, &f);
        more = err == NULL && f != NULL && f->time >= least &&
               (check == NULL || f->time >= check->time);
        if (more) {
            const struct lull_found found = *f;
            err = try(s, &found, &stop);
            more = !stop;
        }
    }
    if (err == NULL && !stop && s->pixel_of != NULL && (check == NULL || check->time < least)) {
        err = stop_at_pixel(s, &stop);
    }
    if (err == NULL && !stop && check != NULL) {
        return lull_travel_to_found(d, check);
    }
    if (err == NULL && !stop) {
        err = lull_travel_arrive(d, s->back.first, s->had ? &s->was : NULL);
        d->at_first = true;
    }
    return err;
}

struct lull_error *lull_debug_reverse_continue(struct lull_debug *d)
{
    struct stops s = {.back = {.d = d}};
    struct lull_error *err = lull_back_begin(&s.back, d, LULL_BACK_NOW);
    s.was = s.back.who;
    s.had = s.was.hw_id1 != UINT32_MAX;
    s.back.what = (struct lull_search){0};
    err = err != NULL ? err : collect(&s);
    err = err != NULL ? err : run(&s);
    lull_back_done(&s.back);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}
