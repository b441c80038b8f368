// SPDX-License-Identifier: MIT
// Fences, and sets of them.
#include "vdrm/core/fence.h"

#include <stdlib.h>

struct lull_vd_fence *lull_vd_fence_new(bool done)
{
    struct lull_vd_fence *f = calloc(1, sizeof *f);
    if (f != NULL) {
        *f = (struct lull_vd_fence){.refs = 1, .scheduled = done, .done = done};
    }
    return f;
}

struct lull_vd_fence *lull_vd_fence_get(struct lull_vd_fence *f)
{
    f->refs++;
    return f;
}

void lull_vd_fence_put(struct lull_vd_fence *f)
{
    if (f != NULL && --f->refs == 0) {
        free(f);
    }
}

bool lull_vd_fence_set_add(struct lull_vd_fence_set *s, struct lull_vd_fence *f)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->fences[i]->done) {
            lull_vd_fence_put(s->fences[i]);
        } else {
            s->fences[n++] = s->fences[i];
        }
    }
    s->n = n;
    if (s->n == s->room) {
        const size_t room = s->room * 2 + 4;
        struct lull_vd_fence **fences = realloc(s->fences, room * sizeof(struct lull_vd_fence *));
        if (fences == NULL) {
            return false;
        }
        s->fences = fences;
        s->room = room;
    }
    s->fences[s->n++] = lull_vd_fence_get(f);
    return true;
}

bool lull_vd_fence_set_idle(const struct lull_vd_fence_set *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!s->fences[i]->done) {
            return false;
        }
    }
    return true;
}

void lull_vd_fence_set_done(struct lull_vd_fence_set *s)
{
    for (size_t i = 0; i < s->n; i++) {
        lull_vd_fence_put(s->fences[i]);
    }
    free(s->fences);
    *s = (struct lull_vd_fence_set){0};
}
