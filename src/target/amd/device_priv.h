// SPDX-License-Identifier: MIT
/** @file
 * Inside of an open device. For src/target/ only.
 */
#ifndef LULL_TARGET_AMD_DEVICE_PRIV_H
#define LULL_TARGET_AMD_DEVICE_PRIV_H

#include "drm/amdgpu/amdgpu.h"
#include "target/amd/device.h"

struct lull_amd_device {
    struct lull_kernel *k; ///< Borrowed.
    int fd;
    uint32_t ctx;
    bool has_ctx;
    struct lull_amdgpu_device_info info;
    bool apart;       ///< lull_amd_device_apart().
    unsigned napart;  ///< Buffers that lie apart.
    uint64_t next_va; ///< Where the next buffer goes.
    size_t nbos;
    struct lull_amd_bo **bos;
    struct lull_amd_bo *ib, *scratch;
    uint64_t seq; ///< Of the job last submitted, on:
    enum lull_amdgpu_ip ip;
};

enum {
    LULL_AMD_SCRATCH_WAVES = 512,   ///< Per shader engine: all that fit on 8 WGPs.
    LULL_AMD_SCRATCH_GRANULE = 256, ///< Of COMPUTE_TMPRING_SIZE.WAVESIZE, bytes.
};

/** Scratch for one wave, rounded as TMPRING_SIZE needs it; a bigger ring is made when needed. */
struct lull_error *lull_amd_need_scratch(struct lull_amd_device *d,
                                         uint64_t wave_bytes) LULL_MUST_USE;

/** Submit the first @p bytes of the IB with all buffers. */
struct lull_error *lull_amd_submit_ib(struct lull_amd_device *d, enum lull_amdgpu_ip ip,
                                      uint32_t bytes) LULL_MUST_USE;

/** A context of its own for the next job: jobs of a context are run in an order that depends on how
 * many came before. */
struct lull_error *lull_amd_new_context(struct lull_amd_device *d) LULL_MUST_USE;

#endif
