// SPDX-License-Identifier: MIT
/** @file
 * A program run twice under `lull exec`: once for the listings of its shaders, and, when they are
 * instrumented, once more for what these write.
 */
#ifndef LULL_CLI_IR3_LIVE_H
#define LULL_CLI_IR3_LIVE_H

#include "base/error.h"

struct lull_ir3_live {
    unsigned gen;         ///< Of the model: 630, 660 or 740.
    char *const *program; ///< Ended by NULL.
    const char *dir;      ///< Everything is there afterwards; NULL: nothing stays.
    /** Instrument what is meant of the listings in @p log, into @p dir. */
    struct lull_error *(*instrument)(void *ctx, const char *log, const char *dir);
    void *ctx;
};

/** Run all that, and print the records. @p status: the program's, of the second time. */
struct lull_error *lull_ir3_live(const struct lull_ir3_live *l, int *status) LULL_MUST_USE;

#endif
