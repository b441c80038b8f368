// SPDX-License-Identifier: MIT
/** @file
 * An AMD device as a debug target: our trap handler under every wave of our VMID.
 *
 * All through the kernel's interface: TBA/TMA and SQ_CMD by debugfs amdgpu_regs2, wave state by
 * the handler in memory (trap_layout.h) and amdgpu_wave, page tables from amdgpu_vram.
 */
#ifndef LULL_TARGET_AMD_DEBUG_H
#define LULL_TARGET_AMD_DEBUG_H

#include "target/amd/device.h"
#include "target/target.h"

/**
 * Install the trap handler for the device's VMID.
 *
 * @param dri N of /sys/kernel/debug/dri/N.
 * @param[out] ret Free with ret->ops->destroy(); the device must live longer.
 * @return LULL_ERR_OS if debugfs is not readable: it needs root and a mounted debugfs.
 */
struct lull_error *lull_amd_debug_new(struct lull_amd_device *d, unsigned dri,
                                      struct lull_target **ret) LULL_MUST_USE;

/** Submit with TRAP_PRESENT; waves pass the handler at their start if there is a reason. */
struct lull_error *lull_amd_debug_submit(struct lull_target *t,
                                         const struct lull_amd_dispatch *dispatch) LULL_MUST_USE;

#endif
