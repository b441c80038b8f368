// SPDX-License-Identifier: MIT
#include "debug/session/exported.h"

#include <stdlib.h>

#include "base/error.h"
#include "debug/session/travel_priv.h"

enum { ROOM = 4096 };

static bool is_exported(const struct lull_wrote *by)
{
    return by->how >= LULL_BY_COLOR && by->how <= LULL_BY_STENCIL && by->pc != 0;
}

/* The last of what was found that is of the wave of @p by. */
static const struct lull_found *last_of(const struct lull_found_list *l,
                                        const struct lull_wrote *by)
{
    const struct lull_found *best = NULL;
    for (size_t i = 0; i < l->n; i++) {
        best = l->all[i].hw_id1 == by->hw_id1 && l->all[i].time < by->time ? &l->all[i] : best;
    }
    return best;
}

/* Where @p by exported, back to time @p first. */
LULL_MUST_USE static struct lull_error *look_for_export(struct lull_debug *d, uint64_t first,
                                                        const struct lull_wrote *by,
                                                        struct lull_found *ret, bool *ret_is)
{
    struct lull_search *what = calloc(1, sizeof *what);
    struct lull_found_list l = {.all = calloc(ROOM, sizeof *l.all), .room = ROOM};
    struct lull_error *err = what == NULL || l.all == NULL ? &lull_enomem : NULL;
    uint64_t until = by->time;
    while (err == NULL && !*ret_is && until > first) {
        what->ncodes = 1;
        what->codes[0] = by->pc;
        err = d->target->ops->search(d->target, what, until, &l);
        const struct lull_found *f = err == NULL ? last_of(&l, by) : NULL;
        *ret_is = f != NULL;
        *ret = f != NULL ? *f : *ret;
        until = err == NULL && l.from < until ? l.from : first;
    }
    ret->lanes = UINT64_C(1) << by->lane % 64;
    free(what);
    free(l.all);
    return err;
}

struct lull_error *lull_debug_exported(struct lull_debug *d, uint64_t va, uint64_t size,
                                       uint64_t until, struct lull_wrote *ret_by,
                                       struct lull_found *ret, bool *ret_is)
{
    struct lull_travel t = {0};
    *ret_is = false;
    struct lull_error *err =
        d->target->ops->wrote == NULL
            ? lull_error_new(LULL_ERR_UNSUPPORTED, "nothing is noted")
            : d->target->ops->wrote(d->target, va, size, false, UINT64_MAX, ret_by);
    if (err != NULL) { // Then nothing is known of it.
        lull_error_free(err);
        return NULL;
    }
    err = lull_travel_state(d, &t);
    return err != NULL || !is_exported(ret_by) || ret_by->time > until || ret_by->time < t.first
               ? err
               : look_for_export(d, t.first, ret_by, ret, ret_is);
}
