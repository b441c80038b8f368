// SPDX-License-Identifier: MIT
/** @file
 * A crash dump of an Adreno under the debugger: it becomes a capture that goes on where the GPU
 * was (adreno/resume), and is debugged as one.
 */
#ifndef LULL_CLI_RUN_DEBUG_DUMP_H
#define LULL_CLI_RUN_DEBUG_DUMP_H

#include <stdbool.h>

#include "adreno/resume/resume.h"
#include "debug/session/debug.h"

struct lull_debug_dump_how {
    const char *firmware; ///< File of the SQE's, to show what is at its PC; NULL: not known.
    bool zeros;           ///< Buffers without contents are zeros.
};

/** Zero-initialise; lull_debug_dump_done() at the end. */
struct lull_debug_dump {
    struct lull_resumed r;
    struct lull_str capture;   ///< The same as an rd capture.
    struct lull_error *damage; ///< The dump is damaged, and goes on all the same; NULL: it is not.
};

/** LULL_ERR_UNSUPPORTED: it is not known where the GPU was, and why. */
struct lull_error *lull_debug_dump_open(const char *file, const struct lull_debug_dump_how *how,
                                        struct lull_debug_dump *ret) LULL_MUST_USE;
void lull_debug_dump_done(struct lull_debug_dump *dump);
/** @p d, a debugger of that capture, knows what the dump says, for as long as @p dump lives. */
void lull_debug_dump_attach(struct lull_debug_dump *dump, struct lull_debug *d);

#endif
