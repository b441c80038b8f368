// SPDX-License-Identifier: MIT
/** @file
 * What --check lint makes of a dispatch as a whole.
 */
#ifndef LULL_CLI_CHECK_LINT_H
#define LULL_CLI_CHECK_LINT_H

#include "check/checks.h"
#include "check/lint/lint.h"
#include "image/names.h"

/** Findings of dispatch number @p which of @p all, which is @p record of the program, go to @p c.
 */
void lull_check_lint_judge(struct lull_checks *c, struct lull_names *names,
                           const struct lull_names_dispatch *record, const struct lull_lint *all,
                           size_t which);

#endif
