// SPDX-License-Identifier: MIT
/** @file
 * Work that may never come back, in a child process; the parent ends in any case.
 *
 * A driver may wait in the kernel where no signal reaches it. The child gives signs of life, and a
 * parent that sees none for too long ends it, and does not wait for its end.
 */
#ifndef LULL_CLI_PRINTF_WATCHED_H
#define LULL_CLI_PRINTF_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/** Zero-initialise, but for sign: -1. */
struct lull_watched {
    bool parent; ///< This is the parent, and the child has ended or was given up.
    bool stuck;  ///< In the parent: it was given up. pid says who.
    int pid, status;
    int sign; ///< In the child: where its signs go; -1 without a child.
};

/**
 * Make the child. Returns in it at once, and in the parent when it has ended, or without a sign of
 * life for @p start_ms at first and for @p wait_ms later. SIGTERM is passed on to the child.
 *
 * @return LULL_ERR_OS: no process; or, in the parent, the child ended by a signal.
 */
struct lull_error *lull_watched_start(uint64_t start_ms, uint64_t wait_ms,
                                      struct lull_watched *ret) LULL_MUST_USE;

/** The child is alive. */
void lull_watched_beat(const struct lull_watched *w);

/** The child no longer waits for a driver: it may take as long as it likes. */
void lull_watched_work(const struct lull_watched *w);

/** The child has told all, and ends with @p status, whether its driver comes back or not. */
void lull_watched_told(const struct lull_watched *w, int status);

#endif
