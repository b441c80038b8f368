// SPDX-License-Identifier: MIT
/** @file
 * What an Adreno's kernel driver leaves behind, as files: crash dumps and submits. To a directory
 * of the user's, or into the session's folder, where programs find them as on a machine.
 *
 * All of it is read as a program that has root would read it: through struct lull_kernel.
 */
#ifndef LULL_CLI_RUN_LEAVINGS_H
#define LULL_CLI_RUN_LEAVINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "drm/core/kernel.h"

/** What the user asks for. */
struct lull_leave {
    const char *crash_dir; ///< Dumps go there, devcd1.devcore and so on; NULL: no.
    const char *rd;        ///< All submits go there; NULL: no.
    bool rd_full;          ///< With what is in all buffers.
    uint64_t longest_ms;   ///< That a submit may run; 0: no matter.
};

struct lull_leavings;

/**
 * Take what @p k leaves, which is an Adreno's; both borrowed.
 *
 * @param folder Of the session, with a tree sys below; NULL: none.
 * LULL_ERR_OS: the directory or the file cannot be written.
 */
struct lull_error *lull_leavings_new(struct lull_kernel *k, const struct lull_leave *what,
                                     const char *folder, struct lull_leavings **ret) LULL_MUST_USE;
/** Take what is new, and say on standard error what dumps came. */
void lull_leavings_take(struct lull_leavings *l);
/** The last of it. @return The first thing that could not be written. */
struct lull_error *lull_leavings_free(struct lull_leavings *l) LULL_MUST_USE;

#endif
