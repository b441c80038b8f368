// SPDX-License-Identifier: MIT
/** @file
 * `record save FILE` and `lull debug --replay FILE`: a kernel's dispatch in one file.
 */
#ifndef LULL_CLI_RUN_RECORD_H
#define LULL_CLI_RUN_RECORD_H

#include "cli/opt/options.h"

/** A record that is replayed. Zero-initialise; lull_replayed_done() at the end. */
struct lull_replayed {
    char *dir;                      ///< What was in it, as files.
    char *path, *kernel, *schedule; ///< Of the options.
    bool has_time;
    uint64_t time;
};

/** Write what runs by @p o, loaded as @p p, and stands at @p time, if it is recorded. */
struct lull_error *lull_record_save(const struct lull_options *o, const struct lull_program *p,
                                    const uint64_t *time, const char *path) LULL_MUST_USE;

/** Read @p path; @p o, which has no program and no arguments yet, is then what was recorded. */
struct lull_error *lull_replayed_open(const char *path, struct lull_options *o,
                                      struct lull_replayed *ret) LULL_MUST_USE;
void lull_replayed_done(struct lull_replayed *r);

#endif
