// SPDX-License-Identifier: MIT
/** @file
 * Traces of runs for `lull diff-run`, which asks for them by the environment of the run: LULL_TRACE
 * names the file, LULL_TRACE_WHO the invocation, LULL_TRACE_MOST how many bytes it may have.
 */
#ifndef LULL_CLI_TRACE_H
#define LULL_CLI_TRACE_H

#include <stdbool.h>

#include "base/error.h"
#include "check/objects.h"
#include "check/trace/trace.h"

/** "DISPATCH:X,Y,Z:ITEM". */
enum { LULL_TRACE_WHO_TEXT = 80 };

struct lull_trace_wanted {
    char *path; ///< NULL: no trace is wanted.
    struct lull_trace trace;
    struct lull_trace_config config;
};

/** Look into the environment, and take it out there: programs that this one starts make no trace.
 */
struct lull_error *lull_trace_wanted(struct lull_trace_wanted *w) LULL_MUST_USE;

/** Write the file. */
struct lull_error *lull_trace_write(struct lull_trace_wanted *w,
                                    const struct lull_check_objects *objects,
                                    lull_trace_line_fn *line, const void *ctx) LULL_MUST_USE;
void lull_trace_wanted_done(struct lull_trace_wanted *w);

#endif
