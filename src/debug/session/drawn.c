// SPDX-License-Identifier: MIT
/* A draw, or what is left of a frame, runs to its end while what it draws is counted. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "debug/session/drawn.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"

/** Where it ends. */
struct end {
    bool frame;
    uint64_t number; ///< Of the draw, or the frame.
};

LULL_MUST_USE static struct lull_error *is_over(struct lull_debug *d, const struct end *end,
                                                bool *ret)
{
    struct lull_draw_info info = {0};
    size_t n = 0;
    *ret = d->outcome == LULL_OUT_DONE || d->outcome == LULL_OUT_LOST;
    if (*ret || d->outcome != LULL_OUT_HELD) {
        return NULL;
    }
    if (end->frame) {
        *ret = (d->at_draw ? d->draw.frame : d->dispatch.frame) > end->number;
        return NULL;
    }
    struct lull_error *err = d->target->ops->draws(d->target, end->number, &info, 1, &n);
    *ret =
        err == NULL && n != 0 && (info.phase == LULL_PHASE_DONE || info.phase == LULL_PHASE_KILLED);
    return err;
}

/* Stop in front of whatever comes: catchpoints that nobody sees. */
LULL_MUST_USE static struct lull_error *go_on(struct lull_debug *d, const struct end *end)
{
    bool over = false;
    struct lull_error *err = NULL;
    while (err == NULL && !over) {
        d->catches_all = true;
        err = lull_debug_resume(d, LULL_RESUME_CONTINUE);
        d->catches_all = false;
        err = err != NULL ? err : is_over(d, end, &over);
        if (err == NULL && !over && d->outcome != LULL_OUT_HELD) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "stopped before %s %" PRIu64 " was over: nothing is written",
                                  end->frame ? "frame" : "draw", end->number);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *check(const struct lull_debug *d, bool frame)
{
    if (d->target->ops->count_drawn == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target draws nothing",
                              lull_debug_kind(d));
    }
    if (frame ? !d->has_draw : !d->held || d->packets.stands || !d->at_draw) {
        return lull_error_new(LULL_ERR_INVALID, "%s",
                              frame ? "no draw has come yet"
                                    : "no draw is held: it is counted from its beginning on, so "
                                      "'catch draw' first");
    }
    return !d->held ? lull_error_new(LULL_ERR_INVALID, "nothing is held: 'catch frame' first")
                    : NULL;
}

struct lull_error *lull_debug_count_drawn(struct lull_debug *d, bool frame, uint32_t width,
                                          uint32_t height)
{
    struct lull_error *err = check(d, frame);
    if (err != NULL) {
        return err;
    }
    const struct lull_drawn_range range = {
        .draw = d->draw.number, .surface = frame, .width = width, .height = height};
    const struct end end = {.frame = frame,
                            .number = !frame       ? d->draw.number
                                      : d->at_draw ? d->draw.frame
                                                   : d->dispatch.frame};
    err = d->target->ops->count_drawn(d->target, &range);
    err = err != NULL ? err : go_on(d, &end);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

struct lull_error *lull_debug_drawn_pixels(struct lull_debug *d, struct lull_shaded_pixel *ret,
                                           size_t room, size_t *ret_n)
{
    return d->target->ops->drawn_pixels(d->target, ret, room, ret_n);
}

struct lull_error *lull_debug_drawn_primitives(struct lull_debug *d,
                                               struct lull_exported_primitive *ret, size_t room,
                                               size_t *ret_n)
{
    return d->target->ops->drawn_primitives(d->target, ret, room, ret_n);
}

void lull_debug_counted(struct lull_debug *d)
{
    if (d->target->ops->count_drawn != NULL) {
        lull_error_free(d->target->ops->count_drawn(d->target, NULL));
    }
}
