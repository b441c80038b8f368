// SPDX-License-Identifier: MIT
/** @file
 * A sub-command of the lull program. One file each: cmd_<name>.c.
 */
#ifndef LULL_CLI_COMMAND_H
#define LULL_CLI_COMMAND_H

#include "base/error.h"

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
    const char *name;
    const char *args; ///< As printed after the name in the usage line.
    const char *help; ///< One line, no period.
    const char *more; ///< Text of --help below the usage line: options and an example; may be NULL.
    const char *more2; ///< What does not fit into one string literal; may be NULL.
    /**
     * Run with the arguments after the command's name.
     *
     * Results go to stdout; nothing else does. LULL_ERR_INVALID makes main()
     * print the usage line; every other error, its message.
     *
     * @param[out] status enum lull_exit if there is no error; starts as LULL_EXIT_CLEAN.
     */
    struct lull_error *(*run)(int argc, char **argv, int *status);
};

/** All sub-commands in the order of `lull --help`, ended by NULL (commands.c). */
extern const struct lull_command *const lull_commands[];

#endif
