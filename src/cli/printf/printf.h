// SPDX-License-Identifier: MIT
/** @file
 * The actions of `lull printf`, one file each, and what they share.
 */
#ifndef LULL_CLI_PRINTF_H
#define LULL_CLI_PRINTF_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/opt/opt.h"
#include "printf/decode.h"

/** One file each. */
extern const struct lull_form lull_cli_printf_format, lull_cli_printf_decode, lull_cli_printf_run;

/** Add the strings of file @p path to @p t. Errors name the path. */
struct lull_error *lull_cli_printf_strings(struct lull_printf_table *t,
                                           const char *path) LULL_MUST_USE;

/** Print the table's warnings from number @p from on to stderr, with the command's name. */
void lull_cli_printf_warnings(const struct lull_printf_table *t, size_t from);

/** A buffer as lines of text. Zero-initialise, but for name and raw. */
struct lull_printf_lines {
    const char *name; ///< Of the buffer, in messages.
    bool raw;         ///< Control characters as they are, not as \xNN.
    struct {
        uint64_t count, first, last; ///< Offsets of those that have no line of their own.
    } told[LULL_PRINTF_KINDS];       ///< Of each kind of problem.
};

/**
 * An event of the decoder as text: entries to @p out, one line each, with their place in front;
 * what is wrong to @p problems, each line with "lull printf: NAME: ", but only the first of a kind.
 */
void lull_cli_printf_line(struct lull_printf_lines *l, const struct lull_printf_event *e,
                          struct lull_str *out, struct lull_str *problems);

/** At the end: how many more problems of each kind there were. */
void lull_cli_printf_rest(const struct lull_printf_lines *l, struct lull_str *problems);

/** The same as a JSON object. */
void lull_cli_printf_json(const struct lull_printf_event *e, struct lull_json *j);

#endif
