// SPDX-License-Identifier: MIT
#include "debug/session/writer.h"

#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/why_priv.h"

struct lull_error *lull_debug_writer_place(struct lull_debug *d, const char *text, uint64_t *ret_va,
                                           uint64_t *ret_size)
{
    struct lull_why_place p = {0};
    struct lull_error *err = lull_why_find_place(d, text, &p);
    if (err == NULL && p.where != LULL_WHY_MEMORY) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "'%s' is not in memory: 'why %s' says what made it", text, text);
    }
    *ret_va = p.address;
    *ret_size = p.size;
    return err;
}

/* Has memory other bytes than their last writers left? */
static bool is_changed(struct lull_debug *d, const struct lull_debug_writer *w)
{
    uint8_t now[LULL_WROTE_VALUES] = {0};
    const size_t n = w->size < sizeof now ? (size_t)w->size : sizeof now;
    struct lull_error *err = lull_debug_read_memory(d, false, w->va, now, n);
    bool changed = false;
    for (size_t i = 0; err == NULL && i < n; i++) {
        changed = changed || ((w->by.known >> i & 1) != 0 && w->by.values[i] != now[i]);
    }
    lull_error_free(err);
    return changed;
}

/* What is known of the launch. */
LULL_MUST_USE static struct lull_error *look_up(struct lull_debug *d, struct lull_debug_writer *w)
{
    const struct lull_target_ops *ops = d->target->ops;
    struct lull_error *err = NULL;
    size_t n = 0;
    if (w->by.how == LULL_BY_WAVE && !w->by.before_run && ops->dispatches != NULL) {
        err = ops->dispatches(d->target, w->by.launch, &w->dispatch, 1, &n);
        w->has_dispatch = err == NULL && n != 0;
    } else if (w->by.how >= LULL_BY_DRAW && w->by.how <= LULL_BY_STENCIL && !w->by.before_run &&
               ops->draws != NULL) {
        err = ops->draws(d->target, w->by.launch, &w->draw, 1, &n);
        w->has_draw = err == NULL && n != 0;
    }
    if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) { // Too long ago.
        lull_error_free(err);
        err = NULL;
    }
    return err;
}

struct lull_error *lull_debug_writers(struct lull_debug *d, uint64_t va, uint64_t size, bool before,
                                      struct lull_debug_writer ret[LULL_WRITER_HOPS], size_t *ret_n)
{
    uint64_t below = UINT64_MAX;
    struct lull_error *err =
        d->target->ops->wrote == NULL
            ? lull_error_new(LULL_ERR_UNSUPPORTED, "this target does not note who writes memory")
            : NULL;
    bool more = err == NULL;
    *ret_n = 0;
    while (err == NULL && more && *ret_n < LULL_WRITER_HOPS) {
        struct lull_debug_writer *w = &ret[(*ret_n)++];
        *w = (struct lull_debug_writer){.va = va, .size = size};
        err = d->target->ops->wrote(d->target, va, size, before, below, &w->by);
        err = err != NULL ? err : look_up(d, w);
        w->changed = err == NULL && *ret_n == 1 && is_changed(d, w);
        more = w->by.how == LULL_BY_COPY && !w->changed;
        below = w->by.number;
        va = w->by.from - (w->by.address - va);
    }
    return err;
}
