// SPDX-License-Identifier: MIT
/** @file
 * `lull exec --each FILE`: many programs, each as lull exec runs one, by many processes.
 */
#ifndef LULL_CLI_RUN_EXEC_EACH_H
#define LULL_CLI_RUN_EXEC_EACH_H

#include <stdint.h>

#include "base/error.h"
#include "cli/opt/opt.h"

/** Zero-initialise. */
struct lull_exec_each {
    const char *path; ///< A command line for sh(1) on each line; NULL: not given.
    const char *sql, *html;
    uint64_t jobs;
};

/** Its rows, for a group of struct lull_exec_each. */
extern const struct lull_opt lull_exec_each_opts[];

/** Run them, with the other options of @p argv. @p status: 1 if one did not end with 0. */
struct lull_error *lull_exec_each(const struct lull_exec_each *e, const struct lull_form *form,
                                  int argc, char **argv, int *status) LULL_MUST_USE;

#endif
