// SPDX-License-Identifier: MIT
/** @file
 * Completion of the command line in shells, of the rows of the commands. The scripts for the
 * shells are small: they ask `lull --complete` what may come next.
 */
#ifndef LULL_CLI_COMPLETE_H
#define LULL_CLI_COMPLETE_H

#include "base/str.h"
#include "cli/opt/opt.h"

struct lull_command;

/** The script for @p shell: bash, zsh or fish. LULL_ERR_INVALID: another one. */
struct lull_error *lull_complete_script(const char *shell, struct lull_str *out) LULL_MUST_USE;

/**
 * What the last of @p words, which follow "lull", may become: a line each, with a tab and its help
 * behind it. Nothing: a file, or what nobody can know.
 */
void lull_complete(int nwords, char **words, struct lull_str *out);

/** All rows, for tests: command, word, names, value, kind, flags, with tabs. */
void lull_complete_rows(struct lull_str *out);

/** The command called @p name; NULL: none. */
const struct lull_command *lull_command_find(const char *name);

/** The form of @p c that @p word chooses; NULL: none. */
const struct lull_form *lull_command_form(const struct lull_command *c, const char *word);

#endif
