// SPDX-License-Identifier: MIT
/** @file
 * What gdb's scripts have besides commands: lines kept for a breakpoint (`commands`), commands of
 * one's own (`define`, `document`), `if`, `while`, `source`. It goes line by line, as a prompt and
 * files do; a command itself is done by whoever made the script.
 */
#ifndef LULL_DEBUG_SHELL_SCRIPT_H
#define LULL_DEBUG_SHELL_SCRIPT_H

#include "debug/session/debug.h"

struct lull_script;

struct lull_script_host {
    /** Do one command and show its output; an error ends the script. */
    struct lull_error *(*command)(void *ctx, const char *line);
    /** Run a Lua script: the file @p path, or the text @p text. NULL: there is no Lua. */
    struct lull_error *(*lua)(void *ctx, const char *path, const char *text);
    /** Show text. */
    void (*show)(void *ctx, const char *text);
    /** Is the script to end here: Ctrl-C? */
    bool (*ends)(void *ctx);
    void *ctx;
};

/** @p d and @p host outlive it. */
struct lull_error *lull_script_new(struct lull_debug *d, const struct lull_script_host *host,
                                   struct lull_script **ret) LULL_MUST_USE;
void lull_script_free(struct lull_script *s);

/**
 * One line. Behind `commands`, `define`, `document`, `if` and `while` lines are kept until their
 * `end`. When a command has come to a breakpoint with commands, these are done, too.
 *
 * @return What a command's error is; LULL_ERR_INVALID for an `end` without a beginning and for more
 * than 64 files or commands in each other.
 */
struct lull_error *lull_script_line(struct lull_script *s, const char *line) LULL_MUST_USE;
/** Does it wait for an `end`? */
bool lull_script_waits(const struct lull_script *s);
/** All lines of a file. Errors name the line, and the lines behind it are not done. */
struct lull_error *lull_script_file(struct lull_script *s, const char *path) LULL_MUST_USE;
/** Call @p found with each command of one's own. */
void lull_script_users(const struct lull_script *s, void (*found)(void *ctx, const char *name),
                       void *ctx);

#endif
