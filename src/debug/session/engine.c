// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"

enum {
    ROOM_AT_FIRST = 64,
    SETTLE_MS = 5,
    SLICE_MS = 50,
    DEFAULT_TIMEOUT_MS = 2000,
    MAX_RUNNING = 4096,
    MAX_ROUNDS = 100000
};

struct lull_error *lull_debug_new(struct lull_target *target, const struct lull_image *image,
                                  uint64_t image_va, struct lull_debug **ret)
{
    struct lull_debug *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return &lull_enomem;
    }
    d->target = target;
    d->image = image;
    d->image_va = image_va;
    d->locking = LULL_LOCK_STEP;
    d->next_breakpoint = 1;
    d->timeout_ms = DEFAULT_TIMEOUT_MS;
    *ret = d;
    return NULL;
}

void lull_debug_delete_breakpoint(struct lull_breakpoint *b)
{
    free(b->condition);
    lull_expr_free(b->test);
    free(b->what);
    *b = (struct lull_breakpoint){0};
}

struct lull_error *lull_debug_set_condition(struct lull_debug *d, struct lull_breakpoint *b,
                                            const char *text)
{
    struct lull_expr *test = NULL;
    char *copy = text != NULL ? strdup(text) : NULL;
    struct lull_error *err = text != NULL && copy == NULL ? &lull_enomem : NULL;
    if (err == NULL && text != NULL) {
        err = lull_debug_parse(d, text, &test);
    }
    if (err != NULL) {
        free(copy);
        return err;
    }
    free(b->condition);
    lull_expr_free(b->test);
    b->condition = copy;
    b->test = test;
    return NULL;
}

void lull_debug_free_display(struct lull_display *display)
{
    free(display->text);
    lull_expr_free(display->expr);
    *display = (struct lull_display){0};
}

void lull_debug_free(struct lull_debug *d)
{
    if (d == NULL) {
        return;
    }
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        lull_debug_delete_breakpoint(&d->breakpoints[i]);
    }
    for (size_t i = 0; i < LULL_MAX_DISPLAYS; i++) {
        lull_debug_free_display(&d->displays[i]);
    }
    lull_pipelines_free(d->pipelines);
    lull_debug_names_free(d->names);
    free(d->waves);
    free(d);
}

struct lull_debug_wave *lull_debug_wave_by_number(struct lull_debug *d, unsigned number)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        if (d->waves[i].number == number) {
            return &d->waves[i];
        }
    }
    return NULL;
}

struct lull_error *lull_debug_focused(struct lull_debug *d, struct lull_debug_wave **ret)
{
    struct lull_debug_wave *wave = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    if (wave == NULL || !wave->stopped) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "%s",
                              d->held      ? "the held dispatch has no waves yet: 'stepi' goes to "
                                             "its first instruction"
                              : d->started ? "no wave stands: 'interrupt' stops those that run"
                                           : "not started: 'run'");
    }
    *ret = wave;
    return NULL;
}

static struct lull_debug_wave *find_key(struct lull_debug *d, lull_wave_key key)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        if (d->waves[i].info.key == key) {
            return &d->waves[i];
        }
    }
    return NULL;
}

static int by_place(const void *pa, const void *pb)
{
    const struct lull_wave_info *a = pa;
    const struct lull_wave_info *b = pb;
    for (int i = 2; i >= 0; i--) {
        if (a->workgroup[i] != b->workgroup[i]) {
            return a->workgroup[i] < b->workgroup[i] ? -1 : 1;
        }
    }
    return a->wave_in_group < b->wave_in_group ? -1 : a->wave_in_group > b->wave_in_group;
}

LULL_MUST_USE static struct lull_error *read_infos(struct lull_debug *d,
                                                   struct lull_wave_info **ret, size_t *ret_n)
{
    size_t room = ROOM_AT_FIRST;
    size_t n = 0;
    for (;;) {
        struct lull_wave_info *infos = calloc(room, sizeof *infos);
        if (infos == NULL) {
            return &lull_enomem;
        }
        struct lull_error *err = d->target->ops->waves(d->target, infos, room, &n);
        if (err == NULL && n <= room) {
            *ret = infos;
            *ret_n = n;
            return NULL;
        }
        free(infos);
        if (err != NULL) {
            return err;
        }
        room = n;
    }
}

LULL_MUST_USE static struct lull_error *add_wave(struct lull_debug *d,
                                                 const struct lull_wave_info *info)
{
    if (d->nwaves == d->room) {
        size_t room = d->room == 0 ? ROOM_AT_FIRST : 2 * d->room;
        struct lull_debug_wave *waves = realloc(d->waves, room * sizeof *waves);
        if (waves == NULL) {
            return &lull_enomem;
        }
        d->waves = waves;
        d->room = room;
    }
    d->waves[d->nwaves++] = (struct lull_debug_wave){
        .number = d->next_wave++,
        .info = *info,
        .stopped = true,
        .unreported = info->stop != LULL_STOP_HOST,
    };
    return NULL;
}

struct lull_error *lull_debug_refresh(struct lull_debug *d)
{
    struct lull_wave_info *infos = NULL;
    size_t n = 0;
    struct lull_error *err = read_infos(d, &infos, &n);
    if (err != NULL) {
        return err;
    }
    qsort(infos, n, sizeof *infos, by_place);
    bool *was = calloc(d->nwaves + 1, sizeof *was);
    for (size_t i = 0; was != NULL && i < d->nwaves; i++) {
        was[i] = d->waves[i].stopped;
        d->waves[i].stopped = false;
    }
    size_t nold = d->nwaves;
    for (size_t i = 0; was != NULL && err == NULL && i < n; i++) {
        struct lull_debug_wave *w = find_key(d, infos[i].key);
        if (w == NULL) {
            err = add_wave(d, &infos[i]);
            continue;
        }
        size_t at = (size_t)(w - d->waves);
        w->info = infos[i];
        w->stopped = true;
        if (at < nold && !was[at]) {
            w->unreported = infos[i].stop != LULL_STOP_HOST;
        }
    }
    err = was == NULL ? &lull_enomem : err;
    free(was);
    free(infos);
    return err;
}

struct lull_error *lull_debug_free_breakpoint(struct lull_debug *d, struct lull_breakpoint **ret)
{
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        if (d->breakpoints[i].number == 0) {
            *ret = &d->breakpoints[i];
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "all %d breakpoints are in use", LULL_MAX_BREAKPOINTS);
}

static bool is_at(const struct lull_breakpoint *b, uint64_t va)
{
    return b->number != 0 && b->kind == LULL_BREAK_CODE && b->enabled &&
           ((b->va ^ va) & 0xffffffffffff) == 0;
}

struct lull_breakpoint *lull_debug_breakpoint_at(struct lull_debug *d, uint64_t va)
{
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        if (is_at(&d->breakpoints[i], va)) {
            return &d->breakpoints[i];
        }
    }
    return NULL;
}

const struct lull_breakpoint *lull_debug_stopped_at(struct lull_debug *d,
                                                    const struct lull_debug_wave *w)
{
    const struct lull_breakpoint *found = NULL;
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        const struct lull_breakpoint *b = &d->breakpoints[i];
        bool counts = (w->hit >> i & 1) != 0 || w->hit == 0; // 0: none was counted yet
        if (counts && is_at(b, w->info.pc) && (found == NULL || b->number < found->number)) {
            found = b;
        }
    }
    return found;
}

struct lull_error *lull_debug_sync_breakpoints(struct lull_debug *d)
{
    uint64_t vas[LULL_MAX_BREAKPOINTS];
    size_t n = 0;
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        const struct lull_breakpoint *b = &d->breakpoints[i];
        bool first = b->number != 0 && lull_debug_breakpoint_at(d, b->va) == b;
        if (first && b->kind == LULL_BREAK_CODE && b->enabled) {
            vas[n++] = b->va;
        }
    }
    struct lull_error *err = lull_debug_sync_watchpoints(d);
    if (err != NULL) {
        return err;
    }
    if (d->target->ops->set_breakpoints == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target has no breakpoints",
                              d->target->ops->kind);
    }
    return d->target->ops->set_breakpoints(d->target, vas, n);
}

/* Lanes that the stop of @p w is about; 0: no lane more than another. */
static uint64_t lanes_hit(struct lull_debug *d, const struct lull_debug_wave *w)
{
    if (d->watch_hit != 0 && d->watch_wave == w->number) {
        return d->watch_lanes;
    }
    return w->info.stop == LULL_STOP_MEMORY ? lull_debug_fault_lanes(d, w) : w->lanes;
}

unsigned lull_debug_first_lane(struct lull_debug *d, const struct lull_debug_wave *w)
{
    uint64_t lanes = lanes_hit(d, w);
    lanes = lanes != 0 ? lanes : w->info.exec;
    return lanes != 0 ? (unsigned)__builtin_ctzll(lanes) : 0;
}

void lull_debug_focus_stop(struct lull_debug *d, struct lull_debug_wave *w)
{
    lull_debug_set_focus(d, w);
    if (lanes_hit(d, w) != 0) {
        d->lane = lull_debug_first_lane(d, w);
    }
}

void lull_debug_set_focus(struct lull_debug *d, struct lull_debug_wave *w)
{
    if (!d->has_focus || d->focus != w->number) {
        d->lane = lull_debug_first_lane(d, w);
    }
    d->focus = w->number;
    d->has_focus = true;
    w->unreported = false;
    d->outcome = LULL_OUT_STOPPED;
    if (d->target->ops->select != NULL) {
        lull_error_free(d->target->ops->select(d->target, w->info.key));
    }
}

LULL_MUST_USE static struct lull_error *condition_holds(struct lull_debug *d,
                                                        struct lull_debug_wave *w,
                                                        const struct lull_breakpoint *b, bool *ret)
{
    unsigned focus = d->focus;
    bool had = d->has_focus;
    d->focus = w->number;
    d->has_focus = true;
    struct lull_value v = {0};
    struct lull_error *err = lull_debug_value(d, b->test, &v);
    d->focus = focus;
    d->has_focus = had;
    const uint64_t lanes = err == NULL ? lull_value_truth(&v) : 0;
    *ret = err != NULL || lanes != 0;
    w->lanes = v.lanes > 1 ? lanes : 0;
    return lull_error_in(err, "condition of breakpoint %u", b->number);
}

struct lull_error *lull_debug_hit(struct lull_debug *d, struct lull_debug_wave *w,
                                  struct lull_breakpoint *b, bool *ret)
{
    struct lull_error *err = NULL;
    *ret = true;
    if (b->test != NULL) {
        err = condition_holds(d, w, b, ret);
    }
    if (*ret) {
        b->hits++;
        *ret = b->ignore == 0;
        b->ignore -= b->ignore > 0;
    }
    return err;
}

/* Several breakpoints may be at one place: each counts for itself. */
LULL_MUST_USE static struct lull_error *code_counts(struct lull_debug *d, struct lull_debug_wave *w,
                                                    bool *ret)
{
    struct lull_error *err = NULL;
    uint64_t lanes = 0;
    w->hit = 0;
    for (size_t i = 0; err == NULL && i < LULL_MAX_BREAKPOINTS; i++) {
        struct lull_breakpoint *b = &d->breakpoints[i];
        bool user = false;
        if (is_at(b, w->info.pc)) {
            err = lull_debug_hit(d, w, b, &user);
            w->hit |= (uint64_t)user << i;
            lanes |= user ? w->lanes : 0;
        }
    }
    w->lanes = lanes;
    *ret = w->hit != 0;
    return err;
}

/* A breakpoint with a condition that does not hold, with an ignore count, or deleted since, does
 * not stop for the user; nor does an access that was only near what is watched. */
struct lull_error *lull_debug_counts(struct lull_debug *d, struct lull_debug_wave *w, bool *ret)
{
    enum lull_stop stop = w->info.stop;
    bool code = stop == LULL_STOP_BREAKPOINT || stop == LULL_STOP_START || stop == LULL_STOP_STEP;
    w->hit = 0;
    *ret = true;
    if (stop == LULL_STOP_EXCEPTION && w->info.watch != 0) {
        struct lull_breakpoint *b = NULL;
        struct lull_error *err = lull_debug_watch_hit(d, w, &b);
        if (err == NULL && b != NULL) {
            err = lull_debug_hit(d, w, b, ret);
            d->watch_hit = *ret ? b->number : d->watch_hit;
            d->watch_wave = *ret ? w->number : d->watch_wave;
        }
        if (err != NULL || b != NULL) {
            return err;
        }
        code = true; // it came to a breakpoint at the same time, or to nothing
        *ret = false;
    }
    if (code && lull_debug_breakpoint_at(d, w->info.pc) != NULL) {
        return code_counts(d, w, ret);
    }
    *ret = *ret && stop != LULL_STOP_BREAKPOINT;
    return NULL;
}

struct lull_error *lull_debug_let_go(struct lull_debug *d, struct lull_debug_wave *w,
                                     enum lull_resume how)
{
    w->stopped = false;
    w->unreported = false;
    w->hit = 0;
    w->lanes = 0;
    return d->target->ops->resume(d->target, w->info.key, how);
}

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

void lull_debug_ended(struct lull_debug *d, enum lull_outcome outcome)
{
    d->outcome = outcome;
    d->nwaves = 0;
    d->has_focus = false;
    d->started = false;
    d->held = false;
    d->hold_pending = false;
}

static bool any_stands(const struct lull_debug *d)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        if (d->waves[i].stopped) {
            return true;
        }
    }
    return false;
}

struct lull_error *lull_debug_settle(struct lull_debug *d)
{
    if (d->target->ops->interrupt == NULL || d->locking == LULL_LOCK_ON) {
        return NULL;
    }
    struct lull_error *err = d->target->ops->interrupt(d->target);
    enum lull_event event = LULL_EVENT_STOPPED;
    for (unsigned i = 0; err == NULL && event == LULL_EVENT_STOPPED && i < MAX_ROUNDS; i++) {
        err = d->target->ops->wait(d->target, SETTLE_MS, &event);
        d->hold_pending = d->hold_pending || event == LULL_EVENT_HELD;
        event = event == LULL_EVENT_HELD ? LULL_EVENT_STOPPED : event;
    }
    return err != NULL ? err : lull_debug_refresh(d);
}

/* Nothing is in the hardware's slot of wave @p number, which was let go; what stands cannot go on
 * by itself. */
LULL_MUST_USE static struct lull_error *has_ended(struct lull_debug *d, unsigned number, bool *ret)
{
    *ret = false;
    const struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
    if (d->target->ops->running == NULL || w == NULL || w->stopped || !any_stands(d)) {
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
        const struct lull_wave_info *a = &infos[i];
        const struct lull_wave_info *b = &w->info;
        *ret = a->se != b->se || a->sa != b->sa || a->wgp != b->wgp || a->simd != b->simd ||
               a->slot != b->slot;
    }
    return err;
}

struct lull_error *lull_debug_wait(struct lull_debug *d, const unsigned *only, enum lull_event *ret)
{
    unsigned left = d->timeout_ms;
    bool asked = false;
    bool gone = false;
    struct lull_error *err = NULL;
    d->outcome = LULL_OUT_TIMEOUT;
    *ret = d->hold_pending ? LULL_EVENT_HELD : LULL_EVENT_TIMEOUT;
    while (err == NULL && *ret == LULL_EVENT_TIMEOUT && !asked && !gone) {
        bool slices = d->interrupted != NULL || d->timeout_ms == 0;
        unsigned slice = slices && (left > SLICE_MS || d->timeout_ms == 0) ? SLICE_MS : left;
        err = d->target->ops->wait(d->target, slice, ret);
        left -= slice;
        asked = d->interrupted != NULL && d->interrupted(d->run_ctx);
        d->was_interrupted = d->was_interrupted || asked;
        if (err == NULL && *ret == LULL_EVENT_TIMEOUT && only != NULL && !asked) {
            err = has_ended(d, *only, &gone);
            d->outcome = gone ? LULL_OUT_ENDED : d->outcome;
        }
        if (d->timeout_ms != 0 && left == 0) {
            break;
        }
    }
    return err;
}

/* Only this wave counts; where it stopped may not: then it goes on, unless it steps. */
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
        if (event == LULL_EVENT_HELD) {
            bool user = false;
            err = lull_debug_look_at_held(d, &user);
            if (err != NULL || user) {
                d->outcome = LULL_OUT_HELD;
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
        bool gone = false;
        lull_debug_focus_stop(d, w);
        for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
            struct lull_breakpoint *b = &d->breakpoints[i];
            if ((w->hit >> i & 1) != 0 && b->temporary && is_at(b, w->info.pc)) {
                lull_debug_delete_breakpoint(b);
                gone = true;
            }
        }
        err = gone ? lull_debug_sync_breakpoints(d) : NULL;
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

/* The focused wave has ended: another that stands gets the focus, if there is one. */
static void focus_any(struct lull_debug *d)
{
    d->has_focus = false;
    for (size_t i = 0; !d->has_focus && i < d->nwaves; i++) {
        if (d->waves[i].stopped) {
            lull_debug_set_focus(d, &d->waves[i]);
        }
    }
}

struct lull_error *lull_debug_begin_resume(struct lull_debug *d)
{
    if (d->target->ops->resume == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target cannot run", d->target->ops->kind);
    }
    d->watch_hit = 0;
    d->was_interrupted = false;
    lull_debug_look_at_watched(d);
    return NULL;
}

LULL_MUST_USE static struct lull_error *resume(struct lull_debug *d, enum lull_resume how)
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
        d->held = false;
        err = d->target->ops->release(d->target);
    }
    if (err == NULL) {
        err = run_on(d, alone ? &focus : NULL, how, &w);
    }
    if (err != NULL) {
        return err;
    }
    if (w == NULL && d->outcome == LULL_OUT_HELD) {
        d->has_focus = false;
        return lull_debug_settle(d);
    }
    if (w == NULL && d->outcome == LULL_OUT_ENDED) {
        focus_any(d);
        d->outcome = LULL_OUT_ENDED;
        return NULL;
    }
    if (w == NULL) {
        return d->outcome == LULL_OUT_TIMEOUT ? lull_debug_timed_out(d) : NULL;
    }
    return lull_debug_arrive(d, w->number, alone);
}

struct lull_error *lull_debug_resume(struct lull_debug *d, enum lull_resume how)
{
    struct lull_error *err = lull_debug_begin_resume(d);
    if (err != NULL) {
        return err;
    }
    return how == LULL_RESUME_CONTINUE && lull_debug_watches_in_software(d)
               ? lull_debug_resume_watching(d)
               : resume(d, how);
}

struct lull_error *lull_debug_resume_to_start(struct lull_debug *d)
{
    struct lull_error *err = lull_debug_begin_resume(d);
    err = err != NULL ? err : resume(d, LULL_RESUME_CONTINUE);
    struct lull_error *off = d->target->ops->stop_new_waves(d->target, false);
    if (err != NULL) {
        lull_error_free(off);
        return err;
    }
    struct lull_debug_wave *first = NULL;
    for (size_t i = 0; i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        if (w->info.stop == LULL_STOP_START) {
            w->unreported = false;
            first = first == NULL && w->stopped ? w : first;
        }
    }
    if (off == NULL && first != NULL && d->outcome == LULL_OUT_STOPPED) {
        lull_debug_set_focus(d, first);
    }
    return off;
}

struct lull_error *lull_debug_step_out(struct lull_debug *d, struct lull_debug_wave *w)
{
    bool others = false;
    for (size_t i = 0; i < d->nwaves; i++) {
        others = others || (&d->waves[i] != w && d->waves[i].stopped);
    }
    if (!others && !d->held) { // then it is as continue: the end of the dispatch, or what comes
        return lull_debug_resume(d, LULL_RESUME_CONTINUE);
    }
    enum lull_event event = LULL_EVENT_TIMEOUT;
    struct lull_error *err = lull_debug_let_go(d, w, LULL_RESUME_CONTINUE);
    err = err != NULL ? err : d->target->ops->wait(d->target, SETTLE_MS, &event);
    d->hold_pending = d->hold_pending || event == LULL_EVENT_HELD;
    err = err != NULL ? err : lull_debug_refresh(d);
    if (err == NULL) {
        focus_any(d);
    }
    return err;
}
