// SPDX-License-Identifier: MIT
/** @file
 * Free ranges, and handles: what is given out again, in logarithmic time.
 */
#ifndef LULL_VDRM_CORE_HEAP_H
#define LULL_VDRM_CORE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tree.h"

/** A free range. Its key is where it starts, its weight how long it is. */
struct lull_vd_extent;

struct lull_vd_heap {
    uint64_t size, used;
    struct lull_tree free;        ///< Of struct lull_vd_extent; none touches another.
    struct lull_vd_extent *spare; ///< With those in free: one more than allocations, so that giving
                                  ///< back cannot fail.
};

bool lull_vd_heap_init(struct lull_vd_heap *h, uint64_t size);
void lull_vd_heap_done(struct lull_vd_heap *h);
/** First fit, or from the top. @p align: a power of two. @return False if there is no room. */
bool lull_vd_heap_take(struct lull_vd_heap *h, uint64_t size, uint64_t align, bool top,
                       uint64_t *ret);
void lull_vd_heap_give(struct lull_vd_heap *h, uint64_t start, uint64_t size);

/** Handles: small numbers from 1, the lowest free one first, as idr_alloc() gives them. */
struct lull_vd_idr {
    void **slots; ///< Of handle 1, 2, ...; NULL: free.
    uint32_t n;   ///< Room in slots.
    struct lull_vd_heap numbers;
};

/** @return Handle, or 0 if memory is short. */
uint32_t lull_vd_idr_add(struct lull_vd_idr *idr, void *object);
void *lull_vd_idr_find(const struct lull_vd_idr *idr, uint32_t handle);
void *lull_vd_idr_remove(struct lull_vd_idr *idr, uint32_t handle);
/** Remove the object of the greatest handle; NULL: there is none. After it only itself may be
 * called, and done. */
void *lull_vd_idr_remove_any(struct lull_vd_idr *idr);
/** Forget all handles; the objects are the caller's. */
void lull_vd_idr_done(struct lull_vd_idr *idr);

#endif
