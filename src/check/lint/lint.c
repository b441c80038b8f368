// SPDX-License-Identifier: MIT
#include "check/lint/lint.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DISPATCHES = 65536, FIRST_ROOM = 64 };

static struct lull_lint *lint_of(const struct lull_check_now *n)
{
    const struct lull_check_objects *known = n->config;
    return known != NULL ? known->lint : NULL;
}

/** The dispatch at hand, one of the last; NULL: no memory, or there were too many. */
static struct lull_lint_dispatch *dispatch_of(struct lull_lint *l, const struct lull_check_now *n)
{
    for (size_t i = l->n; i-- > 0 && i + FIRST_ROOM >= l->n;) {
        if (l->at[i]->launch == n->group->launch) {
            return l->at[i];
        }
    }
    if (l->n == l->room) {
        const size_t room = l->room != 0 ? 2 * l->room : FIRST_ROOM;
        struct lull_lint_dispatch **more =
            room > MAX_DISPATCHES ? NULL : realloc(l->at, room * sizeof(void *));
        if (more == NULL) {
            return NULL;
        }
        l->at = more;
        l->room = room;
    }
    struct lull_lint_dispatch *d = calloc(1, sizeof *d);
    if (d != NULL) {
        d->launch = n->group->launch;
        memcpy(d->size, n->group->full, sizeof d->size);
        d->space = n->space;
        l->at[l->n++] = d;
    }
    return d;
}

static void starts(const struct lull_check_now *n)
{
    struct lull_lint *l = lint_of(n);
    struct lull_lint_dispatch *d = l != NULL ? dispatch_of(l, n) : NULL;
    if (d != NULL) {
        d->items += (unsigned)__builtin_popcountll(n->wave->launched) +
                    (unsigned)__builtin_popcountll(n->wave->launched_high);
    }
    *n->of_wave = NULL;
}

static struct lull_lint_buffer *buffer_of(struct lull_lint_dispatch *d, const struct lull_touch *t)
{
    for (size_t i = 0; i < d->nbuffers; i++) {
        struct lull_lint_buffer *b = &d->buffers[i];
        if (b->base == t->base && b->available == t->available && b->reg == t->descriptor) {
            return b;
        }
    }
    if (d->nbuffers == LULL_LINT_BUFFERS) {
        d->lost = true;
        return NULL;
    }
    struct lull_lint_buffer *b = &d->buffers[d->nbuffers++];
    *b = (struct lull_lint_buffer){
        .reg = t->descriptor, .base = t->base, .available = t->available, .low = UINT64_MAX};
    return b;
}

/** @p lane of the wave. */
static void take_site(struct lull_check_site *to, const struct lull_check_now *n, unsigned lane)
{
    if (to->there && to->pc == n->at->pc) {
        memcpy(to->workgroup, n->group->workgroup, sizeof to->workgroup);
        to->wave = n->wave->index;
        to->lane = lane;
        to->touched = lull_check_touched(n->touch, lane);
        return;
    }
    free(to->insn);
    *to = lull_check_site(n, n->at->pc, lane);
}

static void stored(const struct lull_check_now *n, const struct lull_touch *t,
                   struct lull_lint_buffer *b)
{
    bool higher = false;
    unsigned last = 0;
    b->element = b->stores == 0 || b->element == t->bytes ? t->bytes : 0;
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        const uint64_t from = t->address[lane] - b->base;
        if (t->valid[lane] == 0) {
            continue;
        }
        b->stores++;
        b->bytes += t->bytes;
        b->low = from < b->low ? from : b->low;
        if (from + t->bytes > b->high) {
            b->high = from + t->bytes;
            higher = true;
            last = lane;
        }
    }
    if (higher) {
        take_site(&b->last, n, t->from + last);
    }
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct lull_lint *l = t->local ? NULL : lint_of(n);
    struct lull_lint_dispatch *d = l != NULL ? dispatch_of(l, n) : NULL;
    if (d == NULL) {
        return;
    }
    if (!d->at.there) {
        d->at = lull_check_site(n, n->at->pc, 0);
        d->at.whole = true;
    }
    if (!t->described) {
        d->elsewhere += t->kind != LULL_TOUCH_LOAD;
        return;
    }
    struct lull_lint_buffer *b = buffer_of(d, t);
    if (b != NULL && t->kind != LULL_TOUCH_STORE) {
        b->loads += (unsigned)__builtin_popcountll(t->lanes);
    }
    if (b != NULL && t->kind != LULL_TOUCH_LOAD) {
        stored(n, t, b);
    }
}

static void cut(const void *config, uint64_t launch)
{
    const struct lull_check_objects *known = config;
    const struct lull_lint *l = known != NULL ? known->lint : NULL;
    for (size_t i = 0; l != NULL && i < l->n; i++) {
        l->at[i]->cut = l->at[i]->cut || l->at[i]->launch == launch;
    }
}

static void free_dispatch(struct lull_lint_dispatch *d)
{
    for (size_t k = 0; k < d->nbuffers; k++) {
        free(d->buffers[k].last.insn);
        free(d->buffers[k].last.does);
    }
    free(d->at.insn);
    free(d->at.does);
    free(d);
}

static void again(const void *config, uint64_t launch)
{
    const struct lull_check_objects *known = config;
    struct lull_lint *l = known != NULL ? known->lint : NULL;
    size_t n = 0;
    for (size_t i = 0; l != NULL && i < l->n; i++) {
        if (l->at[i]->launch < launch) {
            l->at[n++] = l->at[i];
        } else {
            free_dispatch(l->at[i]);
        }
    }
    if (l != NULL) {
        l->n = n;
    }
}

const struct lull_check_module lull_check_lint = {
    .name = "lint", .images = true, .starts = starts, .memory = memory, .cut = cut, .again = again};

void lull_lint_done(struct lull_lint *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free_dispatch(l->at[i]);
    }
    free(l->at);
    *l = (struct lull_lint){0};
}
