// SPDX-License-Identifier: MIT
/** @file
 * A GPU behind msm's interface that captured submits are given to: their buffers at the addresses
 * that they had, with what they had in them.
 *
 * Source: shared facts on freedreno, section 14 (what Mesa's replay does: decode/replay.c).
 */
#ifndef LULL_ADRENO_REPLAY_DEVICE_H
#define LULL_ADRENO_REPLAY_DEVICE_H

#include <stdbool.h>

#include "adreno/replay/submit.h"
#include "drm/core/kernel.h"
#include "drm/msm/msm.h"

struct lull_rp_device;

/** Open @p path on @p k, which is borrowed. LULL_ERR_UNSUPPORTED: this kernel does not let programs
 * choose addresses. */
struct lull_error *lull_rp_device_open(struct lull_kernel *k, const char *path,
                                       struct lull_rp_device **ret) LULL_MUST_USE;
void lull_rp_device_close(struct lull_rp_device *d);

/**
 * Put the buffers of @p s there. Those of the submit before that it does not name are gone; what it
 * names without contents keeps what it had, or is zeros.
 *
 * Ranges that share a page become one buffer of the kernel.
 */
struct lull_error *lull_rp_device_place(struct lull_rp_device *d,
                                        const struct lull_rp_submit *s) LULL_MUST_USE;

/** Submit its streams, and do not wait. @p ret_fence: of its end. */
struct lull_error *lull_rp_device_submit(struct lull_rp_device *d, const struct lull_rp_submit *s,
                                         uint32_t *ret_fence) LULL_MUST_USE;
/** Wait for a fence, up to @p timeout_ns. @p ret_done: it came. @p ret_hangs: that the kernel has
 * counted so far. */
struct lull_error *lull_rp_device_wait(struct lull_rp_device *d, uint32_t fence,
                                       uint64_t timeout_ns, bool *ret_done,
                                       uint64_t *ret_hangs) LULL_MUST_USE;

/**
 * Submit its streams, and wait, up to @p timeout_ns. @p ret_done false: the time is over.
 * @p ret_hang: the kernel counted one hang more.
 */
struct lull_error *lull_rp_device_run(struct lull_rp_device *d, const struct lull_rp_submit *s,
                                      uint64_t timeout_ns, bool *ret_done,
                                      bool *ret_hang) LULL_MUST_USE;

/** Memory as it is now. @p ret_size: bytes from @p address on that lie in one buffer; NULL if it is
 * in none. */
const uint8_t *lull_rp_device_memory(const struct lull_rp_device *d, uint64_t address,
                                     uint64_t *ret_size);

/** Buffer @p i of the kernel, by address. False: there are not so many. */
bool lull_rp_device_buffer(const struct lull_rp_device *d, size_t i, uint64_t *ret_start,
                           uint64_t *ret_size);

/** The largest hole between the buffers, in what programs may use. */
void lull_rp_device_hole(const struct lull_rp_device *d, uint64_t *ret_start, uint64_t *ret_size);

#endif
