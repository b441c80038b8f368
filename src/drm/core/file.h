// SPDX-License-Identifier: MIT
/** @file
 * DRM files of any driver.
 */
#ifndef LULL_DRM_CORE_FILE_H
#define LULL_DRM_CORE_FILE_H

#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"

struct lull_drm_version {
    int major, minor, patchlevel;
    char name[32]; ///< Of the driver.
};

struct lull_error *lull_drm_version(struct lull_kernel *k, int fd,
                                    struct lull_drm_version *ret) LULL_MUST_USE;

/** Open @p path and check that its driver is @p driver; @p ret is the file descriptor. */
struct lull_error *lull_drm_open(struct lull_kernel *k, const char *path, const char *driver,
                                 int *ret) LULL_MUST_USE;

/** Buffers of any driver: the handle is gone; the buffer too when nobody else has it. */
struct lull_error *lull_drm_gem_close(struct lull_kernel *k, int fd, uint32_t handle) LULL_MUST_USE;

#endif
