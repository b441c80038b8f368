// SPDX-License-Identifier: MIT
/* What the functions for Lua have in common: the session behind a state, errors, stops. */
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "base/error.h"
#include "debug/lua/priv.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/shell/shell.h"

struct lull_lua *lull_lua_of(lua_State *lua)
{
    struct lull_lua *l = NULL;
    memcpy(&l, lua_getextraspace(lua), sizeof(void *));
    return l;
}

void lull_lua_check(lua_State *lua, struct lull_error *err)
{
    if (err != NULL) {
        luaL_where(lua, 1);
        lua_pushstring(lua, lull_error_message(err));
        lull_error_free(err);
        lua_concat(lua, 2);
        lua_error(lua);
    }
}

void lull_lua_not_deciding(lua_State *lua, const char *what)
{
    if (lull_lua_of(lua)->deciding) {
        luaL_error(lua,
                   "%s: a handler looks and writes, and returns true to stop; it cannot let "
                   "waves run or change breakpoints and the focus",
                   what);
    }
}

static const char *outcome_name(enum lull_outcome o)
{
    static const char *const names[] = {
        [LULL_OUT_NOTHING] = "not started", [LULL_OUT_STOPPED] = "stopped",
        [LULL_OUT_DONE] = "done",           [LULL_OUT_LOST] = "lost",
        [LULL_OUT_TIMEOUT] = "timeout",     [LULL_OUT_HELD] = "held",
        [LULL_OUT_ENDED] = "wave ended",    [LULL_OUT_PACKET] = "packet",
    };
    return (size_t)o < sizeof names / sizeof names[0] ? names[o] : "?";
}

static void put_integer(lua_State *lua, const char *key, uint64_t n)
{
    lua_pushinteger(lua, (lua_Integer)n);
    lua_setfield(lua, -2, key);
}

void lull_lua_push_stop(struct lull_lua *l, lua_State *lua)
{
    struct lull_debug *d = l->d;
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    lua_createtable(lua, 0, 8);
    lua_pushstring(lua, outcome_name(d->outcome));
    lua_setfield(lua, -2, "kind");
    lua_pushboolean(lua, d->was_interrupted);
    lua_setfield(lua, -2, "interrupted");
    if (w != NULL && w->stopped) {
        const struct lull_breakpoint *b = lull_debug_breakpoint_of(d, w);
        put_integer(lua, "wave", w->number);
        put_integer(lua, "lane", d->lane);
        put_integer(lua, "pc", w->info.pc);
        put_integer(lua, "lanes", lull_debug_lanes_hit(d, w));
        lua_pushstring(lua, lull_stop_name(w->info.stop));
        lua_setfield(lua, -2, "stop");
        if (b != NULL || d->watch_hit != 0) {
            put_integer(lua, "breakpoint", b != NULL ? b->number : d->watch_hit);
        }
    } else if (d->held && !d->at_draw) {
        put_integer(lua, "dispatch", d->dispatch.number);
    } else if (d->held && d->at_draw) {
        put_integer(lua, "draw", d->draw.number);
    }
}
