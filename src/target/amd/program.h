// SPDX-License-Identifier: MIT
/** @file
 * Programs that use the GPU through their own driver, as a debug target: all processes and address
 * spaces of one GPU.
 *
 * Every dispatch is held in front of its first wave (lull_control). With the first one of an
 * address space the process's DRM file is adopted, and the trap handler goes into its memory; from
 * then on its waves are debugged like our own. The client is not asked and does not notice, but for
 * one address window, a VMID and time. Source of the calls: kernel.h (adopt),
 * docs/formats/debugfs.md, docs/formats/trap-handler.md.
 */
#ifndef LULL_TARGET_AMD_PROGRAM_H
#define LULL_TARGET_AMD_PROGRAM_H

#include "drm/core/kernel.h"
#include "target/target.h"

struct lull_program_watch {
    /** False when the debugged program is gone: the target's wait() then says LULL_EVENT_DONE. */
    bool (*alive)(void *ctx);
    /** NULL, or: a process is gone, or the target is, and memory that was allocated in its address
     * space is going to be. As struct lull_dispatch_info has both numbers. */
    void (*leaves)(void *ctx, uint32_t pid, uint32_t client);
    void *ctx;
};

/**
 * Hold all dispatches from now on.
 *
 * @param dri N of /sys/kernel/debug/dri/N.
 * @param[out] ret Free with ret->ops->destroy(): what is held goes on, processes are let alone.
 * @return LULL_ERR_OS if there is no lull_control: the kernel is not the virtual driver.
 */
struct lull_error *lull_amd_program_new(struct lull_kernel *k, unsigned dri,
                                        const struct lull_program_watch *watch,
                                        struct lull_target **ret) LULL_MUST_USE;

#endif
