// SPDX-License-Identifier: MIT
/** @file
 * The command line of a sub-command as rows: what it takes, what that is called and where it goes.
 *
 * Of the same rows are made: parsing (here), --help (help.h), completion in shells
 * (main/complete.h) and the test that compares them with the man pages.
 *
 * Habits are those of GNU: "--name value" and "--name=value", "-n value" and "-nvalue", letters
 * without values in one word ("-sa"), options and operands in any order, "--" ends the options.
 * An option with a value that is given twice is refused, unless its row says otherwise.
 */
#ifndef LULL_CLI_OPT_H
#define LULL_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** What becomes of an option or an operand. */
enum lull_opt_kind {
    LULL_OPT_PASS,   ///< Nothing: it is accepted, or passed on to another program.
    LULL_OPT_FLAG,   ///< bool: true.
    LULL_OPT_OFF,    ///< bool: false.
    LULL_OPT_SET,    ///< An integer becomes min.
    LULL_OPT_TEXT,   ///< const char *: the value.
    LULL_OPT_IN,     ///< The same: a file that is read.
    LULL_OPT_OUT,    ///< The same: a file that is written, which must not be one that is read.
    LULL_OPT_NUMBER, ///< An integer from min to max; decimal, or 0x.
    LULL_OPT_CHOICE, ///< An integer: which of the words of value, "wave|lane", from min on; or
                     ///< call, if there is one.
    LULL_OPT_CALL,   ///< The function call.
    LULL_OPT_REST,   ///< An operand only, the last one. char **: this word and all after it.
};

enum {
    LULL_OPT_NEEDED = 1, ///< It must be given.
    LULL_OPT_MANY = 2,   ///< May be given many times; an operand goes to struct lull_opt_words.
    LULL_OPT_LAST = 4,   ///< May be given many times; the last one counts.
    LULL_OPT_HIDDEN = 8, ///< lull gives it to itself: in no help.
};

/** One option, or, if its name does not begin with '-', an operand. */
struct lull_opt {
    const char *name;  ///< "--seed", "-x"; of an operand, what usage calls it.
    const char *other; ///< Another name of an option; NULL: none.
    const char *value; ///< What help calls the value; NULL: it takes none.
    const char *help;  ///< Of an operand: NULL, or it is said elsewhere.
    enum lull_opt_kind kind;
    size_t size, at; ///< Where it goes, in the struct of the group: LULL_OPT_AT().
    unsigned flags;
    uint64_t min, max; ///< Of numbers; max 0: any.
    /** @p base: the struct of the group. LULL_ERR_INVALID names the option: @p o->name. */
    struct lull_error *(*call)(void *base, const struct lull_opt *o, const char *value);
};

/** Members size and at of a row: member @p m of type @p s. */
#define LULL_OPT_AT(s, m) .size = sizeof(((s *)0)->m), .at = offsetof(s, m)

/** Operands of which there may be many; they lie in argv. */
struct lull_opt_words {
    char **at;
    size_t n;
};

/** Rows that belong together, and may be of several commands. */
struct lull_opt_group {
    const char *title;           ///< Text above them in help; NULL: none.
    const struct lull_opt *opts; ///< Ended by one without a name.
    size_t at;                   ///< Of their struct in the struct of the command.
};

enum {
    LULL_FORM_PROGRAM = 1,   ///< The first operand ends the options.
    LULL_FORM_DASHES = 2,    ///< An operand may begin with '-', if it is not an option.
    LULL_FORM_SHORTENED = 4, ///< Long options may be shortened, as getopt_long() has it.
};

/** A sub-command, or one way to use a command that has none. */
struct lull_form {
    const char *word;                    ///< Of the sub-command; NULL: none.
    const char *usage;                   ///< In place of what the rows say; NULL: they do.
    const char *about;                   ///< In help, above the options; NULL: nothing.
    const struct lull_opt_group *groups; ///< Ended by one without opts.
    const char *after;                   ///< In help, below the options; NULL: nothing.
    unsigned flags;
    /** Arguments behind the word, and this form; otherwise as struct lull_command has it. */
    struct lull_error *(*run)(const struct lull_form *form, int argc, char **argv, int *status);
};

/** One thing on a command line. */
struct lull_opt_item {
    const struct lull_opt *opt; ///< NULL: an operand, or an option that is in no row.
    const struct lull_opt_group *group;
    const char *word;    ///< As it stands there.
    const char *value;   ///< NULL: none, though it may need one.
    int first, last;     ///< Its words.
    bool operand, extra; ///< extra: with "=VALUE", which it does not take.
};

/** Where lull_opt_next() is. Set form, argc and argv. */
struct lull_opt_scan {
    const struct lull_form *form;
    int argc;
    char **argv;
    int at;
    const char *letters; ///< Rest of a word of letters; NULL: none.
    bool operands;       ///< From here on there are no options.
};

/** The next thing on the command line; nothing is stored. False: the end. */
bool lull_opt_next(struct lull_opt_scan *s, struct lull_opt_item *ret);

enum { LULL_OPT_MOST = 96 };

/** A command line that is being read. Set form and base. */
struct lull_opts {
    const struct lull_form *form;
    void *base;                    ///< The struct of the command.
    uint8_t seen[LULL_OPT_MOST];   ///< By the row's number in the form.
    const struct lull_opt *newest; ///< The last option that was read; NULL: none.
};

/**
 * Read a command line into @p o->base. Files of LULL_OPT_IN and LULL_OPT_OUT are compared.
 *
 * @param argv Is changed: operands of LULL_OPT_MANY come first.
 * @return LULL_ERR_INVALID, in one sentence that names the option.
 */
struct lull_error *lull_opts_parse(struct lull_opts *o, int argc, char **argv) LULL_MUST_USE;

/** The same, if only what is stored counts. */
struct lull_error *lull_opt_parse(const struct lull_form *form, void *base, int argc,
                                  char **argv) LULL_MUST_USE;

/** Was the option @p name given? */
bool lull_opts_given(const struct lull_opts *o, const char *name);

/** One of @p opts that was given, by its name; NULL: none of them. */
const char *lull_opts_given_of(const struct lull_opts *o, const struct lull_opt *opts);

/** Number in decimal or 0x..., @p min to @p max. @p what: the option or part, for the error. */
struct lull_error *lull_opt_number(const char *what, const char *text, uint64_t min, uint64_t max,
                                   uint64_t *ret) LULL_MUST_USE;

#endif
