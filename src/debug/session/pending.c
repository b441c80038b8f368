// SPDX-License-Identifier: MIT
/* Breakpoints at lines that no code has yet: of a program whose dispatches are still to come. */
#include "debug/session/pending.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"

/** May one at @p place wait for its code? */
static bool may_wait(const struct lull_debug *d, const char *place)
{
    const bool in_hand = d->held || d->has_focus;
    return d->target->ops->dispatches != NULL && lull_debug_is_line(place) &&
           (d->pending == LULL_PENDING_ON || (d->pending == LULL_PENDING_AUTO && !in_hand));
}

/** One that waits; its condition is read when the code is there. */
LULL_MUST_USE static struct lull_error *break_later(struct lull_debug *d, const char *place,
                                                    const char *condition, bool temporary,
                                                    unsigned *ret_number)
{
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = lull_debug_free_breakpoint(d, &b);
    if (err != NULL) {
        return err;
    }
    *b = (struct lull_breakpoint){.kind = LULL_BREAK_PENDING,
                                  .enabled = true,
                                  .temporary = temporary,
                                  .what = strdup(place),
                                  .condition = condition != NULL ? strdup(condition) : NULL,
                                  .number = d->next_breakpoint};
    if (b->what == NULL || (condition != NULL && b->condition == NULL)) {
        lull_debug_delete_breakpoint(b);
        return &lull_enomem;
    }
    *ret_number = d->next_breakpoint++;
    return NULL;
}

struct lull_error *lull_debug_break(struct lull_debug *d, const char *place, const char *condition,
                                    bool temporary, unsigned *ret_number)
{
    struct lull_error *err = lull_debug_break_now(d, place, condition, temporary, ret_number);
    if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND && may_wait(d, place)) {
        lull_error_free(err);
        err = break_later(d, place, condition, temporary, ret_number);
    }
    return err;
}

/** @p b gets the places @p vas, if its condition can be read there. */
LULL_MUST_USE static struct lull_error *settle(struct lull_debug *d, struct lull_breakpoint *b,
                                               const uint64_t *vas, size_t n)
{
    lull_cleanup(lull_freep) char *condition = b->condition != NULL ? strdup(b->condition) : NULL;
    struct lull_break_place *more = n > 1 ? calloc(n - 1, sizeof *more) : NULL;
    if ((n > 1 && more == NULL) || (b->condition != NULL && condition == NULL)) {
        free(more);
        return &lull_enomem;
    }
    for (size_t i = 1; i < n; i++) {
        more[i - 1].va = vas[i];
    }
    b->kind = LULL_BREAK_CODE;
    b->va = vas[0];
    b->more = more;
    b->nmore = n - 1;
    struct lull_error *err = lull_debug_set_condition(d, b, condition);
    if (err != NULL) { // Another shader's line of that name.
        b->kind = LULL_BREAK_PENDING;
        b->va = 0;
        b->more = NULL;
        b->nmore = 0;
        free(more);
    }
    return err;
}

struct lull_error *lull_debug_settle_pending(struct lull_debug *d)
{
    bool any = false;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        lull_cleanup(lull_freep) uint64_t *vas = NULL;
        size_t n = 0;
        if (b->number == 0 || b->kind != LULL_BREAK_PENDING) {
            continue;
        }
        struct lull_error *no = lull_debug_stop_places(d, b->what, &vas, &n);
        if (no == NULL && !any && d->beside_ops != NULL) {
            d->beside_ops->keep(d);
        }
        no = no != NULL ? no : settle(d, b, vas, n);
        any = any || no == NULL;
        lull_error_free(no); // It waits on.
    }
    return any ? lull_debug_sync_breakpoints(d) : NULL;
}
