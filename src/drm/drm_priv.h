// SPDX-License-Identifier: MIT
/** @file
 * One ioctl, and an error that explains its errno. Private to drm/.
 */
#ifndef LULL_DRM_DRM_PRIV_H
#define LULL_DRM_DRM_PRIV_H

#include <stdint.h>

#include "base/error.h"
#include "drm/kernel.h"

/**
 * k->ioctl, and on failure "NAME of <fmt>: <what the errno means there>: <strerror>".
 *
 * @param fmt The arguments in words, for example "handle 3, 4096 bytes at 0x200000".
 */
struct lull_error *lull_drm_call(struct lull_kernel *k, int fd, unsigned long request, void *arg,
                                 const char *fmt, ...) LULL_PRINTF(5, 6) LULL_MUST_USE;

/** What errno @p errnum of ioctl @p request says, or "". */
const char *lull_drm_hint(unsigned long request, int errnum);

/** Deadline on the kernel's clock, @p timeout_ns from now; never in the past, at most INT64_MAX. */
uint64_t lull_drm_deadline(struct lull_kernel *k, uint64_t timeout_ns);

/** User pointer as ioctls carry it. */
static inline uint64_t lull_drm_ptr(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#endif
