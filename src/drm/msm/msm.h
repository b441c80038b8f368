// SPDX-License-Identifier: MIT
/** @file
 * msm's ioctls as typed C calls: what a client of an Adreno's kernel driver does.
 * Errors as drm/core/call.h says them.
 *
 * Source: Linux 6.12, include/uapi/drm/msm_drm.h and drivers/gpu/drm/msm.
 */
#ifndef LULL_DRM_MSM_MSM_H
#define LULL_DRM_MSM_MSM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"

/** Open @p path, whose driver must be msm; @p ret is the file descriptor. */
struct lull_error *lull_msm_open(struct lull_kernel *k, const char *path, int *ret) LULL_MUST_USE;

/** What the kernel says of its GPU. */
struct lull_msm_gpu {
    uint64_t gpu_id; ///< 630; 0: only the chip id counts.
    uint64_t chip_id;
    uint64_t gmem_bytes, gmem_base;
    uint64_t va_start, va_size; ///< Addresses that clients may choose; size 0: none.
    unsigned priorities;
};

struct lull_error *lull_msm_gpu(struct lull_kernel *k, int fd,
                                struct lull_msm_gpu *ret) LULL_MUST_USE;
/** Hangs and the like so far, of all that this file has submitted. */
struct lull_error *lull_msm_faults(struct lull_kernel *k, int fd, uint64_t *ret) LULL_MUST_USE;

struct lull_error *lull_msm_queue_new(struct lull_kernel *k, int fd, unsigned priority,
                                      uint32_t *ret) LULL_MUST_USE;
struct lull_error *lull_msm_queue_close(struct lull_kernel *k, int fd, uint32_t id) LULL_MUST_USE;

enum lull_msm_bo_flags {
    LULL_MSM_CACHED = 1,   ///< The CPU's cache, coherent; else write combined.
    LULL_MSM_READONLY = 2, ///< For the GPU.
};

/** A buffer. */
struct lull_msm_bo {
    uint32_t handle;
    uint64_t size, iova;
    void *map; ///< NULL: not mapped.
};

/**
 * A buffer of @p size bytes, mapped.
 *
 * @param iova Where the GPU sees it; 0: where the kernel wants.
 */
struct lull_error *lull_msm_bo_new(struct lull_kernel *k, int fd, uint64_t size, unsigned flags,
                                   uint64_t iova, struct lull_msm_bo *ret) LULL_MUST_USE;
/** Zeros are no buffer. */
void lull_msm_bo_free(struct lull_kernel *k, int fd, struct lull_msm_bo *bo);

/** A command buffer in a buffer. */
struct lull_msm_cmd {
    unsigned bo;           ///< In the submit's list.
    uint32_t offset, size; ///< Bytes.
};

struct lull_msm_submit {
    uint32_t queue; ///< 0 is always there.
    const struct lull_msm_bo *const *bos;
    size_t nbos; ///< All that the GPU will touch.
    const struct lull_msm_cmd *cmds;
    size_t ncmds;
};

/** @p ret: the fence's number in its queue. */
struct lull_error *lull_msm_submit(struct lull_kernel *k, int fd, const struct lull_msm_submit *s,
                                   uint32_t *ret) LULL_MUST_USE;
/** @p ret_done false: time is up. */
struct lull_error *lull_msm_wait(struct lull_kernel *k, int fd, uint32_t queue, uint32_t fence,
                                 uint64_t timeout_ns, bool *ret_done) LULL_MUST_USE;

#endif
