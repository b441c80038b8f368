// SPDX-License-Identifier: MIT
// What is known of a target's time, and when checks stopped waves.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/travel_priv.h"

struct lull_error *lull_travel_state(struct lull_debug *d, struct lull_travel *ret)
{
    *ret = (struct lull_travel){0};
    struct lull_error *err =
        d->target->ops->travelled != NULL ? d->target->ops->travelled(d->target, ret) : NULL;
    if (err != NULL || ret->on) {
        return err;
    }
    return lull_error_new(
        LULL_ERR_UNSUPPORTED, "%s",
        d->target->ops->travelled == NULL ? "this target does not remember what waves did"
        : d->record_bytes == 0            ? "nothing is recorded: 'set record-memory MIB', "
                                            "then 'run'"
        : d->started ? "nothing is recorded here: of a program it is what comes behind a held "
                       "dispatch or draw until its submission has ended, where the program itself "
                       "goes on, and no more than 'set record-memory' allows. 'info writer PLACE' "
                       "says who wrote memory in an earlier one, with 'set record-writers on'"
                     : "not started: 'run'");
}

bool lull_travel_focus(struct lull_debug *d, struct lull_travel_wave *ret)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    *ret = (struct lull_travel_wave){0};
    if (w != NULL) {
        ret->hw_id1 = w->info.hw_id1;
        memcpy(ret->workgroup, w->info.workgroup, sizeof ret->workgroup);
    }
    return w != NULL;
}

void lull_travel_note_found(struct lull_debug *d)
{
    struct lull_travel t = {0};
    struct lull_debug_found f = {.lane = d->lane};
    const bool can = d->check_stands != NULL && lull_travel_focus(d, &f.who);
    struct lull_error *err = can ? lull_travel_state(d, &t) : NULL;
    if (!can || err != NULL) {
        lull_error_free(err);
        return;
    }
    f.time = t.now;
    f.n = d->check_stands(d->run_ctx, 0);
    while (d->nfound != 0 && d->found[d->nfound - 1].time >= f.time) {
        d->nfound--; // It goes on otherwise than it did.
    }
    struct lull_debug_found *more = reallocarray(d->found, d->nfound + 1, sizeof *more);
    if (more != NULL) {
        d->found = more;
        d->found[d->nfound++] = f;
    }
}

const struct lull_debug_found *lull_travel_found_before(const struct lull_debug *d, uint64_t time)
{
    size_t n = d->nfound;
    while (n > 0 && d->found[n - 1].time >= time) {
        n--;
    }
    return n > 0 ? &d->found[n - 1] : NULL;
}
