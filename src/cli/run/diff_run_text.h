// SPDX-License-Identifier: MIT
/** @file
 * What `lull diff-run` says.
 */
#ifndef LULL_CLI_DIFF_RUN_TEXT_H
#define LULL_CLI_DIFF_RUN_TEXT_H

#include "base/json.h"
#include "base/str.h"
#include "check/trace/part.h"

enum { LULL_DIFF_RUN_HOPS = 8 };

/** A store of another invocation that a load of the one before depends on. */
struct lull_diff_run_hop {
    struct lull_tr_step load[2];
    bool stored[2];
    struct lull_tr_store store[2];
};

/** All that was found. */
struct lull_diff_run {
    const struct lull_tr_run *runs[2]; ///< With steps; for texts of code.
    struct lull_part_place place;
    struct lull_part part;
    const struct lull_tr_run *lines;
    struct lull_part_line line; ///< Of the shader's source, by the interpreter.
    bool hops;                  ///< The load at the place where they part: who wrote what it reads.
    struct lull_diff_run_hop hop;
};

void lull_diff_run_text(const struct lull_diff_run *d, struct lull_str *out);
void lull_diff_run_json(const struct lull_diff_run *d, struct lull_json *j);

#endif
