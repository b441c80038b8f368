// SPDX-License-Identifier: MIT
/** @file
 * Usage and --help of a sub-command, of its rows.
 */
#ifndef LULL_CLI_HELP_H
#define LULL_CLI_HELP_H

#include "base/str.h"
#include "cli/opt/command.h"

/** --help of @p c, or of its sub-command @p form; NULL: of all of them. Lines have 100 columns at
 * most. */
void lull_help(const struct lull_command *c, const struct lull_form *form, struct lull_str *out);

/** The list of all commands, in groups. */
void lull_help_commands(struct lull_str *out);

#endif
