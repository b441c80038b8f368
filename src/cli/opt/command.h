// SPDX-License-Identifier: MIT
/** @file
 * A sub-command of the lull program. One file each: cmd_<name>.c.
 */
#ifndef LULL_CLI_COMMAND_H
#define LULL_CLI_COMMAND_H

#include "base/error.h"
#include "cli/opt/opt.h"

/** Exit statuses of the program. */
enum lull_exit {
    LULL_EXIT_CLEAN = 0,
    LULL_EXIT_FINDINGS = 1, ///< It found something: a fault, a difference (LULL_ERR_DAMAGED, too).
    LULL_EXIT_USAGE = 2,    ///< The command line is wrong (LULL_ERR_INVALID).
    LULL_EXIT_FAILED = 3,   ///< It could not run (any other error).
    LULL_EXIT_TIMEOUT = 124,
    LULL_EXIT_INTERRUPTED = 130,
};

struct lull_command {
    char name[12];     ///< Here, not somewhere else: it is looked for at each start.
    const char *help;  ///< One line, no period.
    const char *about; ///< In --help, above the options: paragraphs; may be NULL.
    const char *after; ///< Below them: exit status, examples; may be NULL.
    /** Ways to use it, ended by NULL: either all with a word, its sub-commands, or all without. */
    const struct lull_form *const *forms;
    /**
     * Run with the arguments after the command's name. NULL: the form of their first word, or the
     * only one, runs.
     *
     * Results go to stdout; nothing else does. main() prints the message of an error, and after
     * LULL_ERR_INVALID where there is help.
     *
     * @param[out] status enum lull_exit if there is no error; starts as LULL_EXIT_CLEAN.
     */
    struct lull_error *(*run)(int argc, char **argv, int *status);
};

/** Commands of one subject, in the order of `lull --help`. */
struct lull_command_group {
    const char *title;
    const struct lull_command *commands[12]; ///< Ended by NULL.
};

/** All sub-commands, ended by one without a title (commands.c). */
extern const struct lull_command_group lull_command_groups[];

#endif
