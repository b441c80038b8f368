// SPDX-License-Identifier: MIT
/** @file
 * Two captures compared: draws that belong together, and what is different at them.
 */
#ifndef LULL_ADRENO_SHOW_DIFF_H
#define LULL_ADRENO_SHOW_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "file/stream.h"

struct lull_diff_options {
    bool json;
    bool ignore_addresses; ///< Buffers of another run lie elsewhere.
    uint64_t most_work;    ///< As in struct lull_cap_options.
};

/** One of the two. */
struct lull_diff_side {
    struct lull_stream *s;
    const char *name;
};

/**
 * Compare @p a and @p b; differences go to @p out, what is wrong with a capture to @p log.
 *
 * @param[out] ret_different They are, or something is wrong with one of them.
 */
struct lull_error *lull_diff_captures(const struct lull_diff_side *a,
                                      const struct lull_diff_side *b,
                                      const struct lull_diff_options *o, FILE *out, FILE *log,
                                      bool *ret_different) LULL_MUST_USE;

#endif
