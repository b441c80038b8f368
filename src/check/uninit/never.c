// SPDX-License-Identifier: MIT
#include "check/uninit/never.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FOUND = 4096 };

void lull_never_starts(struct lull_never *v, const struct lull_check_now *n)
{
    if (v->launch != n->group->launch) {
        v->launch = n->group->launch;
        lull_fresh_clear(&v->fresh);
    }
}

struct lull_never_found *lull_never_find(struct lull_never *v, const struct lull_check_now *n,
                                         const char *what, uint64_t pc, uint64_t other)
{
    for (size_t i = v->n; i-- > 0;) {
        struct lull_never_found *f = &v->found[i];
        if (f->launch == n->group->launch && f->space == n->space && f->sites[0].pc == pc &&
            f->sites[1].pc == other && strcmp(f->what, what) == 0) {
            f->count++;
            return f;
        }
    }
    if (v->n == v->room) {
        const size_t room = 2 * v->room + 16;
        struct lull_never_found *more =
            room > MAX_FOUND ? NULL : realloc(v->found, room * sizeof *more);
        if (more == NULL) {
            lull_checks_lose(n->all);
            return NULL;
        }
        v->found = more;
        v->room = room;
    }
    struct lull_never_found *f = &v->found[v->n++];
    *f = (struct lull_never_found){
        .launch = n->group->launch, .what = what, .space = n->space, .count = 1};
    return f;
}

void lull_never_done(struct lull_never *v)
{
    for (size_t i = 0; i < v->n; i++) {
        for (unsigned k = 0; k < 2; k++) {
            free(v->found[i].sites[k].insn);
            free(v->found[i].sites[k].does);
        }
    }
    free(v->found);
    lull_fresh_done(&v->fresh);
    *v = (struct lull_never){0};
}
