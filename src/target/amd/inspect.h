// SPDX-License-Identifier: MIT
/** @file
 * Looking at a device after a job went wrong: page fault, buffers, waves.
 *
 * Not yet run on hardware, where the waves need root (debugfs).
 */
#ifndef LULL_TARGET_AMD_INSPECT_H
#define LULL_TARGET_AMD_INSPECT_H

#include "drm/amdgpu/amdgpu.h"
#include "drm/amdgpu/debugfs.h"
#include "target/amd/device.h"

/** Last page fault of this client; status 0: none. */
struct lull_error *lull_amd_last_fault(struct lull_amd_device *d,
                                       struct lull_amdgpu_vm_fault *ret) LULL_MUST_USE;

/** Buffers of the device in the order they were made, by rising address. */
size_t lull_amd_nbos(const struct lull_amd_device *d);
const struct lull_amd_bo *lull_amd_bo_at(const struct lull_amd_device *d, size_t i);

struct lull_amd_wave {
    struct lull_wave_slot slot;
    struct lull_wave_status status;
};

/**
 * Look into every hardware slot for waves whose PC is from @p start to before @p end.
 *
 * Slow: thousands of reads, and time passes for running waves meanwhile.
 *
 * @param dri N of /sys/kernel/debug/dri/N.
 * @param room Waves that fit @p ret; @p ret_n counts those written.
 */
struct lull_error *lull_amd_scan(struct lull_amd_device *d, unsigned dri, uint64_t start,
                                 uint64_t end, struct lull_amd_wave *ret, size_t room,
                                 size_t *ret_n) LULL_MUST_USE;

#endif
