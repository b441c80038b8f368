// SPDX-License-Identifier: MIT
/** @file
 * A GPU as debugfs shows it now, whoever uses it: waves of all processes, their code, the last
 * fault. Nothing of it is changed, no handler is installed, no wave is stopped.
 *
 * Not yet run on hardware. Source of the files: docs/formats/debugfs.md.
 */
#ifndef LULL_TARGET_AMD_LIVE_H
#define LULL_TARGET_AMD_LIVE_H

#include "drm/core/kernel.h"
#include "target/target.h"

/**
 * Its ops: running (waves of all VMIDs), read, walk and bos in the address space of the wave or
 * VMID chosen last, dispatches (virtual driver only).
 *
 * @param dri N of /sys/kernel/debug/dri/N.
 * @param[out] ret Free with ret->ops->destroy().
 * @return LULL_ERR_OS: the files cannot be opened; the message says what would help.
 */
struct lull_error *lull_amd_live_new(struct lull_kernel *k, unsigned dri,
                                     struct lull_target **ret) LULL_MUST_USE;

/** Memory and buffers are those of @p vmid from now on. */
void lull_amd_live_select(struct lull_target *t, unsigned vmid);

/** What the GPU says of itself, as registers have it. */
struct lull_amd_live_state {
    uint32_t grbm_status;
    uint32_t fault_status; ///< GCVM_L2_PROTECTION_FAULT_STATUS; 0: no fault since the last reset.
    uint64_t fault_page;   ///< The address of its page.
};
struct lull_error *lull_amd_live_state(struct lull_target *t,
                                       struct lull_amd_live_state *ret) LULL_MUST_USE;

#endif
