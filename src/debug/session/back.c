// SPDX-License-Identifier: MIT
#include "debug/session/back.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { ROOM = 1 << 16 };

struct lull_error *lull_back_begin(struct lull_back *b, struct lull_debug *d,
                                   enum lull_back_from from)
{
    struct lull_travel t = {0};
    *b = (struct lull_back){.d = d, .what = {.wave = true}};
    struct lull_error *err = lull_travel_state(d, &t);
    const bool has = lull_travel_focus(d, &b->who);
    b->who.hw_id1 = has ? b->who.hw_id1 : UINT32_MAX; // At the end: the one that ended last.
    b->what.hw_id1 = b->who.hw_id1;
    memcpy(b->what.workgroup, b->who.workgroup, sizeof b->what.workgroup);
    b->until = from == LULL_BACK_LATEST ? t.last : t.now;
    b->first = t.first;
    b->found = err == NULL ? calloc(ROOM, sizeof *b->found) : NULL;
    return err == NULL && b->found == NULL ? &lull_enomem : err;
}

void lull_back_done(struct lull_back *b)
{
    free(b->found);
    b->found = NULL;
}

struct lull_error *lull_back_next(struct lull_back *b, const struct lull_found **ret)
{
    struct lull_error *err = NULL;
    while (err == NULL && b->n == 0 && b->until > b->first) {
        struct lull_found_list list = {.all = b->found, .room = ROOM};
        err = b->d->target->ops->search(b->d->target, &b->what, b->until, &list);
        b->n = list.n;
        if (err == NULL && list.from >= b->until) {
            break;
        }
        b->until = list.from;
    }
    *ret = err == NULL && b->n != 0 ? &b->found[--b->n] : NULL;
    if (*ret != NULL && b->what.wave && b->who.hw_id1 == UINT32_MAX) {
        b->who.hw_id1 = b->what.hw_id1 = (*ret)->hw_id1;
        memcpy(b->who.workgroup, (*ret)->workgroup, sizeof b->who.workgroup);
        memcpy(b->what.workgroup, (*ret)->workgroup, sizeof b->what.workgroup);
        b->until = (*ret)->time; // What else was found is of all waves.
        b->n = 0;
    }
    return err;
}
