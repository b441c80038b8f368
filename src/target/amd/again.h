// SPDX-License-Identifier: MIT
/** @file
 * A dispatch that ran elsewhere, again: memory at the same addresses, the same registers.
 */
#ifndef LULL_TARGET_AMD_AGAIN_H
#define LULL_TARGET_AMD_AGAIN_H

#include "target/amd/device.h"

/** As its packet found them; lull_dispatch_info has the same in other words. */
struct lull_amd_again {
    bool gfx;     ///< On the gfx ring, else compute.
    uint64_t job; ///< Number of its submission; those in front of it are empty. 0: is not needed.
    uint64_t code_va, scratch_va;
    uint32_t rsrc[3], initiator, tmpring;
    uint32_t grid[3], block[3], start[3];
    uint32_t cus[8]; ///< COMPUTE_STATIC_THREAD_MGMT_SE0 to 7.
    uint32_t user_data[16];
};

/** A device whose own memory is out of the way of drivers' addresses. As lull_amd_device_open(). */
struct lull_error *lull_amd_device_open_beside(struct lull_kernel *k, const char *path,
                                               struct lull_amd_device **ret) LULL_MUST_USE;

/** A buffer of @p size bytes at @p va, both multiples of 4096, which must be free. */
struct lull_error *lull_amd_bo_new_at(struct lull_amd_device *d, uint64_t va, uint64_t size,
                                      unsigned flags, struct lull_amd_bo **ret) LULL_MUST_USE;

/** Submit it; lull_amd_wait() waits for its end. */
struct lull_error *lull_amd_submit_again(struct lull_amd_device *d,
                                         const struct lull_amd_again *a) LULL_MUST_USE;

#endif
