// SPDX-License-Identifier: MIT
/* The waves that stand: their numbers, the one in focus. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/rdna/regs.h"
#include "debug/session/engine.h"
#include "debug/session/fault.h"
#include "debug/session/pipeline.h"

enum { ROOM_AT_FIRST = 64 };

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
                              d->packets.stands       ? "no wave is there: the command processor "
                                                        "stands at a packet"
                              : d->held && d->at_draw ? "the held draw has no waves yet: 'stepi' "
                                                        "goes to its first instruction"
                              : d->held    ? "the held dispatch has no waves yet: 'stepi' goes to "
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

/* The number of @p key: the one that it had, if it comes back. */
LULL_MUST_USE static struct lull_error *number_of(struct lull_debug *d, lull_wave_key key,
                                                  unsigned *ret)
{
    if (d->target->ops->travelled == NULL) {
        *ret = d->next_wave++;
        return NULL;
    }
    for (size_t i = 0; i < d->nknown; i++) {
        if (d->known[i].key == key) {
            *ret = d->known[i].number;
            return NULL;
        }
    }
    if (d->nknown == d->known_room) {
        const size_t room = d->known_room == 0 ? ROOM_AT_FIRST : 2 * d->known_room;
        struct lull_debug_known *known = reallocarray(d->known, room, sizeof *known);
        if (known == NULL) {
            return &lull_enomem;
        }
        d->known = known;
        d->known_room = room;
    }
    *ret = d->next_wave++;
    d->known[d->nknown++] = (struct lull_debug_known){.key = key, .number = *ret};
    return NULL;
}

/** Is it a stop that is told? One that was asked for is not, unless a check asked. */
static bool reports(struct lull_debug *d, const struct lull_wave_info *i)
{
    return i->stop != LULL_STOP_HOST || (d->checked != NULL && d->checked(d->run_ctx, i) != 0);
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
        memset(waves + d->room, 0, (room - d->room) * sizeof *waves);
        d->waves = waves;
        d->room = room;
    }
    unsigned number = 0;
    struct lull_error *err = number_of(d, info->key, &number);
    if (err != NULL) {
        return err;
    }
    struct lull_debug_wave *w = &d->waves[d->nwaves++];
    *w = (struct lull_debug_wave){
        .hit = w->hit,
        .hit_room = w->hit_room,
        .number = number,
        .info = *info,
        .stopped = true,
        .unreported = reports(d, info),
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
        // One that has moved with another, as halves of an Adreno's wave do, has nothing to tell.
        const bool moved = w->info.pc != infos[i].pc && infos[i].stop == LULL_STOP_HOST;
        w->unreported = w->unreported && !moved;
        w->info = infos[i];
        w->stopped = true;
        if (at < nold && !was[at]) {
            w->unreported = reports(d, &infos[i]);
        }
    }
    err = was == NULL ? &lull_enomem : err;
    free(was);
    free(infos);
    return err;
}

bool lull_debug_is_checked(const struct lull_debug *d, const struct lull_debug_wave *w)
{
    // In front of a breakpoint the target says that it came to that.
    const bool may = w->info.stop == LULL_STOP_HOST || w->info.stop == LULL_STOP_BREAKPOINT;
    return may && d->checked != NULL && d->checked(d->run_ctx, &w->info) != 0;
}

uint64_t lull_debug_lanes_hit(struct lull_debug *d, const struct lull_debug_wave *w)
{
    if (d->watch_hit != 0 && d->watch_wave == w->number) {
        return d->watch_lanes;
    }
    if (lull_debug_is_checked(d, w)) {
        return d->checked(d->run_ctx, &w->info);
    }
    return w->info.stop == LULL_STOP_MEMORY ? lull_debug_fault_lanes(d, w)
           : w->info.excp != 0              ? lull_debug_raised_lanes(d, w)
                                            : w->lanes;
}

unsigned lull_debug_first_lane(struct lull_debug *d, const struct lull_debug_wave *w)
{
    uint64_t lanes = lull_debug_lanes_hit(d, w);
    lanes = lanes != 0 ? lanes : w->info.exec;
    return lanes != 0 ? (unsigned)__builtin_ctzll(lanes) : 0;
}

/* Memory is that of the wave's address space; its draw, if it is of one, is what is looked at. */
static void enter_space(struct lull_debug *d, const struct lull_debug_wave *w)
{
    if (w->info.of_draw && (!d->has_draw || d->draw.number != w->info.draw)) {
        lull_error_free(lull_pipeline_draw(d, w->info.draw)); // It came before the debugger did.
    }
    if (d->target->ops->select != NULL) {
        lull_error_free(d->target->ops->select(d->target, w->info.key));
    }
}

void lull_debug_look_at(struct lull_debug *d, const struct lull_debug_wave *w,
                        struct lull_debug_look *was)
{
    *was = (struct lull_debug_look){
        .has_focus = d->has_focus, .focus = d->focus, .lane = d->lane, .frame = d->frame};
    if (d->has_focus && d->focus == w->number) {
        return;
    }
    d->has_focus = true;
    d->focus = w->number;
    d->lane = w->info.exec != 0 ? (unsigned)__builtin_ctzll(w->info.exec) : 0;
    d->frame = 0;
    enter_space(d, w);
}

void lull_debug_look_back(struct lull_debug *d, const struct lull_debug_look *was)
{
    const struct lull_debug_wave *w =
        was->has_focus && d->focus != was->focus ? lull_debug_wave_by_number(d, was->focus) : NULL;
    d->has_focus = was->has_focus;
    d->focus = was->focus;
    d->lane = was->lane;
    d->frame = was->frame;
    if (w != NULL) {
        enter_space(d, w);
    }
}

void lull_debug_set_focus(struct lull_debug *d, struct lull_debug_wave *w)
{
    if (!d->has_focus || d->focus != w->number) {
        d->lane = lull_debug_first_lane(d, w);
    }
    d->frame = 0;
    d->focus = w->number;
    d->has_focus = true;
    w->unreported = false;
    d->outcome = LULL_OUT_STOPPED;
    enter_space(d, w);
}

void lull_debug_focus_stop(struct lull_debug *d, struct lull_debug_wave *w)
{
    lull_debug_set_focus(d, w);
    if (lull_debug_lanes_hit(d, w) != 0) {
        d->lane = lull_debug_first_lane(d, w);
    }
}

struct lull_error *lull_debug_let_go(struct lull_debug *d, struct lull_debug_wave *w,
                                     enum lull_resume how)
{
    w->stopped = false;
    w->unreported = false;
    lull_debug_forget_hits(w);
    w->lanes = 0;
    if (how == LULL_RESUME_STEP && d->within != NULL) {
        return d->target->ops->step_within(d->target, w->info.key, d->within);
    }
    return d->target->ops->resume(d->target, w->info.key, how);
}

void lull_debug_ended(struct lull_debug *d, enum lull_outcome outcome)
{
    d->outcome = outcome;
    d->nwaves = 0;
    d->has_focus = false;
    d->started = false;
    d->held = false;
    d->hold_pending = false;
    d->packets.stands = d->packets.pending = false;
}

bool lull_debug_any_stands(const struct lull_debug *d)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        if (d->waves[i].stopped) {
            return true;
        }
    }
    return false;
}

void lull_debug_focus_any(struct lull_debug *d)
{
    d->has_focus = false;
    for (size_t i = 0; !d->has_focus && i < d->nwaves; i++) {
        if (d->waves[i].stopped) {
            lull_debug_set_focus(d, &d->waves[i]);
        }
    }
}

struct lull_error *lull_debug_read_reg(struct lull_debug *d, const struct lull_debug_wave *wave,
                                       enum lull_reg_class cls, unsigned index, unsigned lane,
                                       uint64_t *ret)
{
    struct lull_wave_reg reg = {.cls = cls, .index = (uint16_t)index, .lane = (uint8_t)lane};
    return d->target->ops->read_reg(d->target, wave->info.key, reg, ret);
}

struct lull_error *lull_debug_need_started(const struct lull_debug *d)
{
    return d->started ? NULL : lull_error_new(LULL_ERR_INVALID, "not started: 'run'");
}

bool lull_debug_in_barrier(const struct lull_debug_wave *w)
{
    return lull_reg_in_barrier(&w->info);
}

struct lull_error *lull_debug_select(struct lull_debug *d, unsigned wave, unsigned lane)
{
    struct lull_debug_wave *w = lull_debug_wave_by_number(d, wave);
    if (w == NULL || !w->stopped) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "wave %u %s", wave,
                              w == NULL ? "is not known" : "runs or has ended");
    }
    if (lane >= w->info.lanes) {
        return lull_error_new(LULL_ERR_INVALID, "wave %u has lanes 0 to %u", w->number,
                              w->info.lanes - 1);
    }
    d->lane = lane;
    d->focus = wave;
    d->has_focus = true;
    w->unreported = false;
    enter_space(d, w);
    return NULL;
}
