// SPDX-License-Identifier: MIT
/** @file
 * The errors in a driver's log, /dev/kmsg: hangs, page faults, packets that it refuses.
 */
#ifndef LULL_CLI_DRIVER_LOG_H
#define LULL_CLI_DRIVER_LOG_H

#include "drm/core/kernel.h"

/** A place in the log of @p k, which is borrowed. */
struct lull_driver_log {
    struct lull_kernel *k;
    int fd; ///< Negative: there is no log.
    char line[512];
};

/** From the first record on. Close with lull_driver_log_close(). */
struct lull_driver_log lull_driver_log_open(struct lull_kernel *k);
void lull_driver_log_close(struct lull_driver_log *log);

/** The next error, a line with its newline, until the next call; NULL: no more now. */
const char *lull_driver_log_next(struct lull_driver_log *log);

#endif
