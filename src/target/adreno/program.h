// SPDX-License-Identifier: MIT
/** @file
 * Programs that compute on an Adreno through their own driver, as a debug target.
 *
 * This is the observer path: real hardware of this family cannot stop a wave, so it is the model
 * that looks in front of each instruction (drm/msm/debug_abi.h). All waves of a group stand
 * together. A wave of 128 fibers is shown as two of 64 lanes, which move together.
 */
#ifndef LULL_TARGET_ADRENO_PROGRAM_H
#define LULL_TARGET_ADRENO_PROGRAM_H

#include "drm/core/kernel.h"
#include "target/target.h"

struct lull_adreno_watch {
    /** False when the debugged program is gone: the target's wait() then says LULL_EVENT_DONE. */
    bool (*alive)(void *ctx);
    void *ctx;
    bool alone; ///< Nobody but the GPU writes memory: a wait that it cannot end is a hang.
};

/**
 * Watch all dispatches from now on.
 *
 * @param dri N of /sys/kernel/debug/dri/N.
 * @param[out] ret Free with ret->ops->destroy(): what stands goes on.
 * @return LULL_ERR_UNSUPPORTED: the kernel is not the virtual driver.
 */
struct lull_error *lull_adreno_program_new(struct lull_kernel *k, unsigned dri,
                                           const struct lull_adreno_watch *watch,
                                           struct lull_target **ret) LULL_MUST_USE;

/** Go on with @p k, another kernel of the same GPU that knows nothing yet; what is to stop is the
 * same. The one before is still there. */
struct lull_error *lull_adreno_program_move(struct lull_target *t,
                                            struct lull_kernel *k) LULL_MUST_USE;

/** What its kernel says of the GPU: 630 or the like, 0 where only the chip id counts; that id. */
struct lull_error *lull_adreno_ids(struct lull_kernel *k, uint64_t *ret_gpu,
                                   uint64_t *ret_chip) LULL_MUST_USE;

/** Is it a kernel of such a GPU? */
bool lull_adreno_is(struct lull_kernel *k);

#endif
