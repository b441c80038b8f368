// SPDX-License-Identifier: MIT
/** @file
 * An Adreno behind msm's interface: buffers, dispatches of kernels, what the kernel says of them.
 */
#ifndef LULL_TARGET_ADRENO_DEVICE_H
#define LULL_TARGET_ADRENO_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"
#include "drm/msm/msm.h"
#include "target/adreno/kernel.h"

/** An open device and its buffers. */
struct lull_adreno_device;

/** Open @p path on @p k, which is borrowed; its GPU is @p chip. */
struct lull_error *lull_adreno_device_open(struct lull_kernel *k, const char *path,
                                           const struct lull_achip *chip,
                                           struct lull_adreno_device **ret) LULL_MUST_USE;
void lull_adreno_device_close(struct lull_adreno_device *d);

/**
 * A buffer of at least @p bytes, zeros, which belongs to the device.
 *
 * @param address Where the GPU sees it; 0: somewhere, with nothing around it.
 */
struct lull_error *lull_adreno_buffer_new(struct lull_adreno_device *d, uint64_t bytes,
                                          uint64_t address,
                                          const struct lull_msm_bo **ret) LULL_MUST_USE;

/** What runs. */
struct lull_adreno_launch {
    const struct lull_adreno_kernel *kernel;
    const uint64_t *words; ///< Its code: that of the kernel, or what stands for it.
    size_t nwords;
    uint32_t groups[3];
    const struct lull_msm_bo *const *buffers; ///< One for each of kernel->buffers.
};

/** Where the code of the last lull_adreno_run() lies. */
uint64_t lull_adreno_code(const struct lull_adreno_device *d);

/** Submit it, and wait. @p ret_done false: @p timeout_ns have passed. */
struct lull_error *lull_adreno_run(struct lull_adreno_device *d, const struct lull_adreno_launch *l,
                                   uint64_t timeout_ns, bool *ret_done) LULL_MUST_USE;

#endif
