// SPDX-License-Identifier: MIT
/** @file
 * Clocks, timeouts by them, and waits, in which alone the GPU's time passes.
 */
#ifndef LULL_VDRM_CORE_WAIT_H
#define LULL_VDRM_CORE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "vdrm/core/thread.h"

struct lull_vd;
struct lull_vd_file;
struct lull_vd_fence;

/** Wake-up time of a wait. */
struct lull_vd_deadline {
    bool forever;
    uint64_t cycles; ///< From now; 0: poll once.
    uint64_t ns;     ///< Threaded: CLOCK_MONOTONIC; 0: do not wait.
    bool host;       ///< Threaded: for something that a client does, not the GPU.
};

/** CLOCK_MONOTONIC of the host. */
uint64_t lull_vd_host_ns(void);
/** CLOCK_MONOTONIC as clients see it. */
uint64_t lull_vd_now_ns(const struct lull_vd *d);
/** When lull_vd_now_ns() is @p timeout_ns; at once if it is past. */
struct lull_vd_deadline lull_vd_until(const struct lull_vd *d, uint64_t timeout_ns);
/** drm_timeout_abs_to_jiffies(): 0 is poll, INT64_MAX forever. */
struct lull_vd_deadline lull_vd_drm_deadline(const struct lull_vd *d, int64_t timeout_ns);

/** Let the GPU run for one poll. */
void lull_vd_poll(struct lull_vd *d);
/**
 * Let the GPU run until @p ready. Threaded, others call meanwhile: @p arg must own what it needs.
 *
 * @return False: time is up, nothing will move, or @p f was closed.
 */
bool lull_vd_wait(struct lull_vd_file *f, lull_vd_ready *ready, void *arg,
                  struct lull_vd_deadline deadline);
/** lull_vd_wait() until @p fence is done; the caller's reference keeps it. */
bool lull_vd_wait_fence(struct lull_vd_file *f, struct lull_vd_fence *fence,
                        struct lull_vd_deadline deadline);

#endif
