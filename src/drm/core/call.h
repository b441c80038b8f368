// SPDX-License-Identifier: MIT
/** @file
 * One ioctl, and an error that explains its errno.
 */
#ifndef LULL_DRM_CORE_CALL_H
#define LULL_DRM_CORE_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"

struct lull_drm_name {
    unsigned long request;
    const char *name;
};

struct lull_drm_hint {
    unsigned long request; ///< 0: of any.
    int errnum;
    const char *hint;
};

/** How a driver's calls are named, and what their errnos mean. */
struct lull_drm_words {
    const struct lull_drm_name *names;
    size_t nnames;
    const struct lull_drm_hint *hints;
    size_t nhints;
};

/** Those of DRM itself. Its hints hold for every driver's calls that have none of their own. */
extern const struct lull_drm_words lull_drm_words;

/**
 * k->ioctl, and on failure "NAME of <fmt>: <what the errno means there>: <strerror>".
 *
 * @param words Of the driver that has this request.
 * @param fmt The arguments in words, for example "handle 3, 4096 bytes at 0x200000".
 */
struct lull_error *lull_drm_call(struct lull_kernel *k, int fd, const struct lull_drm_words *words,
                                 unsigned long request, void *arg, const char *fmt, ...)
    LULL_PRINTF(6, 7) LULL_MUST_USE;

/** Deadline on the kernel's clock, @p timeout_ns from now; never in the past, at most INT64_MAX. */
uint64_t lull_drm_deadline(struct lull_kernel *k, uint64_t timeout_ns);

/** User pointer as ioctls carry it. */
static inline uint64_t lull_drm_ptr(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#endif
