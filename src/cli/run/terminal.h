// SPDX-License-Identifier: MIT
/** @file
 * The debugger's text on a terminal: in colour, and page by page. Elsewhere it stays as it is.
 */
#ifndef LULL_CLI_RUN_TERMINAL_H
#define LULL_CLI_RUN_TERMINAL_H

#include <stdbool.h>

enum lull_terminal_answer { LULL_TERMINAL_MORE, LULL_TERMINAL_ALL, LULL_TERMINAL_QUIT };

struct lull_terminal {
    bool colours; ///< Standard output is a terminal that has them, and NO_COLOR is not set.
    /** Page by page: asks whether to go on; NULL: all at once. */
    enum lull_terminal_answer (*ask)(void *ctx);
    void *ctx;
};

/** From standard output and the environment. */
void lull_terminal_open(struct lull_terminal *t);
/** Write @p text, whole lines, to standard output. */
void lull_terminal_write(const struct lull_terminal *t, const char *text);

#endif
