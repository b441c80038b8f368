// SPDX-License-Identifier: MIT
/** @file
 * The debugger's prompt: lines from a terminal, with history and completion, or from a pipe.
 */
#ifndef LULL_CLI_RUN_PROMPT_H
#define LULL_CLI_RUN_PROMPT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/run/terminal.h"

/** Set complete and ctx, zero the rest. One at a time. */
struct lull_prompt {
    /** Call @p found with each word that the last word of @p line could be. */
    void (*complete)(void *ctx, const char *line, void (*found)(void *to, const char *word),
                     void *to);
    void *ctx;
    bool terminal;
    char *last;    ///< The line before. Owned.
    char *history; ///< Its file; NULL: there is none. Owned.
};

/** History is kept in the file that LULL_HISTORY names ("": nowhere), ~/.lull_history without it.
 */
void lull_prompt_open(struct lull_prompt *p);
/** The next line, which the caller frees; NULL: the end, or Ctrl-C, which @p ret_interrupted tells.
 * On a terminal an empty line is the last one again, if @p again. */
char *lull_prompt_line(struct lull_prompt *p, const char *text, bool again, bool *ret_interrupted);
void lull_prompt_close(struct lull_prompt *p);
/** As lull_debug.shell: what @p command prints goes to @p out. */
struct lull_error *lull_prompt_shell(void *ctx, const char *command,
                                     struct lull_str *out) LULL_MUST_USE;

/** Ask whether more is to be shown (terminal.h): a line of standard input. */
enum lull_terminal_answer lull_prompt_more(void *ctx);

#endif
