// SPDX-License-Identifier: MIT
/** @file
 * Parts of lull rd.
 */
#ifndef LULL_CLI_RD_H
#define LULL_CLI_RD_H

#include <stdbool.h>

#include "base/error.h"
#include "cli/opt/command.h"

/** List the sections of the capture at @p path. */
struct lull_error *lull_rd_sections(const char *path, bool json, int *status) LULL_MUST_USE;

/** Print what is stale or not waited for in the capture at @p path. */
struct lull_error *lull_rd_check(const char *path, bool json, int *status) LULL_MUST_USE;
extern const struct lull_form lull_rd_form_decompile, lull_rd_form_names;

#endif
