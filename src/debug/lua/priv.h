// SPDX-License-Identifier: MIT
/** @file
 * Inside of the Lua scripts. For src/debug/lua/ only.
 */
#ifndef LULL_DEBUG_LUA_PRIV_H
#define LULL_DEBUG_LUA_PRIV_H

#include "debug/lua/lua_session.h"

struct lua_State;

struct lull_lua {
    struct lua_State *lua;
    struct lull_debug *d; ///< Borrowed.
    struct lull_lua_host host;
    bool deciding; ///< A handler of a breakpoint runs: waves must not be let go.
};

/** A wave that is not said: the one in focus. */
#define LULL_LUA_FOCUS UINT_MAX

struct lull_lua *lull_lua_of(struct lua_State *lua);
/** Raise @p err as an error of Lua, if there is one. It is freed. */
void lull_lua_check(struct lua_State *lua, struct lull_error *err);
/** Raise an error if a handler runs. @p what: "run". */
void lull_lua_not_deciding(struct lua_State *lua, const char *what);
/** Push why everything stands: a table. */
void lull_lua_push_stop(struct lull_lua *l, struct lua_State *lua);

/** Functions about values, registers, memory, waves and code go into the table on the stack. */
void lull_lua_add_values(struct lua_State *lua);
void lull_lua_add_waves(struct lua_State *lua);

/** Push a value: a number, or a table of lanes. */
void lull_lua_push_value(struct lua_State *lua, const struct lull_value *v);
/** What "eval", "set", "reg" and "setreg" do in a wave, with the arguments from @p first on. */
int lull_lua_eval(struct lua_State *lua, unsigned wave, int first);
int lull_lua_set(struct lua_State *lua, unsigned wave, int first);
int lull_lua_reg(struct lua_State *lua, unsigned wave, int first);
int lull_lua_setreg(struct lua_State *lua, unsigned wave, int first);

#endif
