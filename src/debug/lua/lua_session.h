// SPDX-License-Identifier: MIT
/** @file
 * Lua scripts over a session: what a script may call, docs/lua.md. One Lua state lives as long as
 * the session, so what one script defines the next one has.
 */
#ifndef LULL_DEBUG_LUA_LUA_SESSION_H
#define LULL_DEBUG_LUA_LUA_SESSION_H

#include "debug/session/debug.h"

struct lull_lua;

struct lull_lua_host {
    /** Do one command of the debugger, its text appended to @p out. */
    struct lull_error *(*command)(void *ctx, const char *line, struct lull_str *out);
    /** Show what the script prints. */
    void (*show)(void *ctx, const char *text, size_t size);
    /** Is the script to end: Ctrl-C? */
    bool (*ends)(void *ctx);
    void *ctx;
};

/** @p d outlives it. @p host is copied. */
struct lull_error *lull_lua_new(struct lull_debug *d, const struct lull_lua_host *host,
                                struct lull_lua **ret) LULL_MUST_USE;
void lull_lua_free(struct lull_lua *l);

/** Run a file. @return LULL_ERR_BAD_DATA with Lua's message, which has file and line. */
struct lull_error *lull_lua_file(struct lull_lua *l, const char *path) LULL_MUST_USE;
/** Run a text; values that it returns are shown. */
struct lull_error *lull_lua_text(struct lull_lua *l, const char *text) LULL_MUST_USE;

#endif
