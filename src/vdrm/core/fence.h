// SPDX-License-Identifier: MIT
/** @file
 * Fences, and sets of them.
 */
#ifndef LULL_VDRM_CORE_FENCE_H
#define LULL_VDRM_CORE_FENCE_H

#include <stdbool.h>
#include <stddef.h>

struct lull_vd_fence {
    unsigned refs;
    bool scheduled; ///< On a ring, or past that.
    bool done;
    int error; ///< 0 or negative errno, once done.
};

struct lull_vd_fence *lull_vd_fence_new(bool done);
struct lull_vd_fence *lull_vd_fence_get(struct lull_vd_fence *f);
void lull_vd_fence_put(struct lull_vd_fence *f);

/** Fences not yet done, with those that are done dropped now and then. */
struct lull_vd_fence_set {
    struct lull_vd_fence **fences;
    size_t n, room;
};

bool lull_vd_fence_set_add(struct lull_vd_fence_set *s, struct lull_vd_fence *f);
bool lull_vd_fence_set_idle(const struct lull_vd_fence_set *s);
void lull_vd_fence_set_done(struct lull_vd_fence_set *s);

#endif
