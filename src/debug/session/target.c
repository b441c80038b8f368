// SPDX-License-Identifier: MIT
/* What the target knows, asked in the session's name. */
#include "base/error.h"
#include "debug/session/engine.h"

const char *lull_debug_kind(const struct lull_debug *d)
{
    return d->target->ops->kind;
}

const char *lull_debug_path(const struct lull_debug *d)
{
    return d->target->ops->path != NULL
               ? d->target->ops->path
               : "kernel path: a trap handler stops waves, as on real hardware";
}

bool lull_debug_is_program(const struct lull_debug *d)
{
    return d->target->ops->dispatches != NULL;
}

struct lull_error *lull_debug_bos(struct lull_debug *d, struct lull_bo_info *infos, size_t room,
                                  size_t *ret)
{
    return d->target->ops->bos != NULL
               ? d->target->ops->bos(d->target, infos, room, ret)
               : lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target knows no buffers",
                                lull_debug_kind(d));
}

struct lull_error *lull_debug_running(struct lull_debug *d, struct lull_wave_info *infos,
                                      size_t room, size_t *ret)
{
    *ret = 0;
    return d->target->ops->running != NULL && d->started
               ? d->target->ops->running(d->target, infos, room, ret)
               : NULL;
}

struct lull_error *lull_debug_dispatches(struct lull_debug *d, uint64_t first,
                                         struct lull_dispatch_info *infos, size_t room, size_t *ret)
{
    return lull_debug_is_program(d)
               ? d->target->ops->dispatches(d->target, first, infos, room, ret)
               : lull_error_new(LULL_ERR_UNSUPPORTED,
                                "that is for programs: 'lull debug -- PROGRAM'");
}

struct lull_error *lull_debug_draws(struct lull_debug *d, uint64_t first,
                                    struct lull_draw_info *infos, size_t room, size_t *ret)
{
    return d->target->ops->draws != NULL
               ? d->target->ops->draws(d->target, first, infos, room, ret)
               : lull_error_new(LULL_ERR_UNSUPPORTED,
                                "that is for programs: 'lull debug -- PROGRAM'");
}

struct lull_error *lull_debug_draw_regs(struct lull_debug *d, uint64_t number,
                                        struct lull_draw_regs *ret)
{
    return d->target->ops->draw_regs != NULL
               ? d->target->ops->draw_regs(d->target, number, ret)
               : lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target knows no draws",
                                lull_debug_kind(d));
}

struct lull_error *lull_debug_watch_pixel(struct lull_debug *d, bool on, uint32_t x, uint32_t y)
{
    if (d->target->ops->watch_pixel == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target draws no pixels",
                              lull_debug_kind(d));
    }
    struct lull_error *err = d->target->ops->watch_pixel(d->target, on, x, y);
    d->pixel_watched = err == NULL && on;
    d->pixel_x = x;
    d->pixel_y = y;
    return err;
}

struct lull_error *lull_debug_fragments(struct lull_debug *d, uint64_t first,
                                        struct lull_fragment *ret, size_t room, size_t *ret_n)
{
    return d->target->ops->fragments(d->target, first, ret, room, ret_n);
}

struct lull_error *lull_debug_arrived(struct lull_debug *d, struct lull_debug_wave *w, bool *ret)
{
    struct lull_aimed a = {0};
    struct lull_error *err = d->target->ops->aimed(d->target, &a);
    *ret = err == NULL && a.found && a.hw_id1 == w->info.hw_id1 && a.vmid == w->info.vmid;
    if (*ret) {
        d->aimed = a;
        w->lanes = UINT64_C(1) << a.lane;
    }
    return err;
}
