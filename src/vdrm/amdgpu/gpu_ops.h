// SPDX-License-Identifier: MIT
/** @file
 * The GPU as the virtual driver sees it: the model, or a test's.
 */
#ifndef LULL_VDRM_AMDGPU_GPU_OPS_H
#define LULL_VDRM_AMDGPU_GPU_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"
#include "model/amd/gpu/gpu.h"
#include "vdrm/amdgpu/vdrm.h"

/** A GPU and its memory. The driver owns gpu from then on and destroys it. */
struct lull_vda_gpu {
    const struct lull_gpu_ops *ops;
    struct lull_gpu *gpu;
    const struct lull_chip *chip; ///< What the driver says of it.
    struct lull_phys *phys;       ///< Both sizes multiples of 2 MiB.
    int memfd;                    ///< VRAM at 0, system memory at phys->vram_size. Borrowed.
    unsigned se, sa_per_se, wgp_per_sa;
};

/** A kernel with the virtual driver on @p gpu; destroys gpu even if it fails. */
struct lull_error *lull_vda_new(const struct lull_vdrm_options *options, struct lull_vda_gpu gpu,
                                struct lull_kernel **ret) LULL_MUST_USE;

#endif
