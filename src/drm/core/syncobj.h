// SPDX-License-Identifier: MIT
/** @file
 * Sync objects as typed C calls, on the DRM file of any driver.
 * Errors as drm/core/call.h says them.
 *
 * Source: Linux 6.12, include/uapi/drm/drm.h and drivers/gpu/drm/drm_syncobj.c.
 */
#ifndef LULL_DRM_CORE_SYNCOBJ_H
#define LULL_DRM_CORE_SYNCOBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"

/** A sync object, or with point != 0 a point on its timeline. */
struct lull_syncobj_point {
    uint32_t handle;
    uint64_t point;
};

struct lull_error *lull_syncobj_create(struct lull_kernel *k, int fd, bool signalled,
                                       uint32_t *ret) LULL_MUST_USE;
struct lull_error *lull_syncobj_destroy(struct lull_kernel *k, int fd,
                                        uint32_t handle) LULL_MUST_USE;
struct lull_error *lull_syncobj_reset(struct lull_kernel *k, int fd, const uint32_t *handles,
                                      size_t n) LULL_MUST_USE;
struct lull_error *lull_syncobj_signal(struct lull_kernel *k, int fd, const uint32_t *handles,
                                       size_t n) LULL_MUST_USE;

struct lull_syncobj_wait {
    const uint32_t *handles;
    const uint64_t *points; ///< NULL: binary.
    size_t n;
    bool all;        ///< Else any.
    bool for_submit; ///< Wait also for a fence to appear; else its lack is EINVAL.
    bool available;  ///< Timeline only: enough that a fence is there.
    uint64_t timeout_ns;
};

/** @p ret_done false: time is up. @p ret_first: index of one that is done, if not @p w->all; may be
 * NULL. */
struct lull_error *lull_syncobj_wait(struct lull_kernel *k, int fd,
                                     const struct lull_syncobj_wait *w, bool *ret_done,
                                     uint32_t *ret_first) LULL_MUST_USE;
struct lull_error *lull_syncobj_timeline_signal(struct lull_kernel *k, int fd,
                                                const uint32_t *handles, const uint64_t *points,
                                                size_t n) LULL_MUST_USE;
/** Newest point reached of each, or with @p submitted the newest there is. */
struct lull_error *lull_syncobj_query(struct lull_kernel *k, int fd, const uint32_t *handles,
                                      size_t n, bool submitted, uint64_t *ret_points) LULL_MUST_USE;
/** Copy a fence from one (point of a) sync object to another. */
struct lull_error *lull_syncobj_transfer(struct lull_kernel *k, int fd,
                                         struct lull_syncobj_point from,
                                         struct lull_syncobj_point to) LULL_MUST_USE;

#endif
