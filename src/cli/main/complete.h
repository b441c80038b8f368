// SPDX-License-Identifier: MIT
/** @file
 * Completions for shells, made of the table of commands and their help: what an option is called
 * stands in one place.
 */
#ifndef LULL_CLI_COMPLETE_H
#define LULL_CLI_COMPLETE_H

#include "base/str.h"

/** The script for @p shell: bash, zsh or fish. LULL_ERR_INVALID: another one. */
struct lull_error *lull_complete(const char *shell, struct lull_str *out) LULL_MUST_USE;

#endif
