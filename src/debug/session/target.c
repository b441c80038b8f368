// SPDX-License-Identifier: MIT
/* What the target knows, asked in the session's name. */
#include <inttypes.h>

#include "arch/arch.h"
#include "base/error.h"
#include "debug/ir3/descriptors.h"
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

bool lull_debug_is_ir3(const struct lull_debug *d)
{
    return d->target->ops->arch == &lull_arch_ir3;
}

void lull_debug_ir3_desc_show(const struct lull_debug *d, const struct lull_ir3_desc *desc,
                              struct lull_str *out)
{
    lull_ir3_desc_show(d->target, desc, out);
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

bool lull_debug_invocation(const struct lull_debug *d, const struct lull_wave_info *wave,
                           unsigned lane, struct lull_invocation *ret)
{
    return wave->of_draw && d->target->ops->invocation != NULL &&
           d->target->ops->invocation(d->target, wave->key, lane, ret);
}

struct lull_error *lull_debug_ir3_descs(struct lull_debug *d,
                                        const struct lull_dispatch_info *dispatch,
                                        struct lull_ir3_desc *ret, unsigned *ret_n)
{
    const bool draw = dispatch->adreno.of_draw;
    struct lull_dispatch_info now = {0};
    struct lull_draw_info drawn = {0};
    size_t n = 0;
    struct lull_error *err = draw ? lull_debug_draws(d, dispatch->number, &drawn, 1, &n)
                                  : lull_debug_dispatches(d, dispatch->number, &now, 1, &n);
    const enum lull_dispatch_phase phase = draw ? drawn.phase : now.phase;
    if (err == NULL && (n == 0 || (phase != LULL_PHASE_HELD && phase != LULL_PHASE_RUNNING))) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "%s %" PRIu64 " is over, and its registers are others': 'catch "
                              "%s' stops in front of one",
                              draw ? "draw" : "dispatch", dispatch->number,
                              draw ? "draw" : "dispatch");
    }
    return err != NULL
               ? err
               : lull_ir3_descs(d->target, dispatch->code_va, &dispatch->adreno, ret, ret_n);
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
               : lull_error_new(LULL_ERR_UNSUPPORTED,
                                d->target->ops->draws != NULL
                                    ? "a %s target does not show what registers hold at a draw"
                                    : "a %s target knows no draws",
                                lull_debug_kind(d));
}

struct lull_error *lull_debug_watch_pixel(struct lull_debug *d, bool on, uint32_t x, uint32_t y)
{
    if (d->target->ops->watch_pixel == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target keeps no history of pixels",
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
