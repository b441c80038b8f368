// SPDX-License-Identifier: MIT
/* Waves and code for Lua. */
#include <lauxlib.h>
#include <limits.h>
#include <lua.h>

#include "base/error.h"
#include "debug/lua/priv.h"
#include "debug/session/engine.h"
#include "debug/shell/shell.h"

static const char WAVE[] = "lull.wave";

static void put_integer(lua_State *lua, const char *key, uint64_t n)
{
    lua_pushinteger(lua, (lua_Integer)n);
    lua_setfield(lua, -2, key);
}

static void push_wave(struct lull_lua *l, lua_State *lua, const struct lull_debug_wave *w)
{
    const struct lull_wave_info *i = &w->info;
    lua_createtable(lua, 0, 10);
    put_integer(lua, "number", w->number);
    put_integer(lua, "pc", i->pc);
    put_integer(lua, "exec", i->exec);
    put_integer(lua, "lanes", i->lanes);
    put_integer(lua, "wave_in_group", i->wave_in_group);
    lua_pushstring(lua, lull_stop_name(i->stop));
    lua_setfield(lua, -2, "stop");
    lua_pushboolean(lua, l->d->has_focus && l->d->focus == w->number);
    lua_setfield(lua, -2, "in_focus");
    lua_createtable(lua, 3, 0);
    for (int k = 0; k < 3; k++) {
        lua_pushinteger(lua, i->workgroup[k]);
        lua_rawseti(lua, -2, k + 1);
    }
    lua_setfield(lua, -2, "workgroup");
    lua_newtable(lua);
    lua_Integer n = 0;
    for (unsigned lane = 0; lane < i->lanes; lane++) {
        if ((i->exec >> lane & 1) != 0) {
            lua_pushinteger(lua, lane);
            lua_rawseti(lua, -2, ++n);
        }
    }
    lua_setfield(lua, -2, "active");
    luaL_setmetatable(lua, WAVE);
}

/* All that stand, by number. */
static int waves(lua_State *lua)
{
    struct lull_lua *l = lull_lua_of(lua);
    lua_Integer n = 0;
    lua_newtable(lua);
    for (size_t i = 0; i < l->d->nwaves; i++) {
        if (l->d->waves[i].stopped) {
            push_wave(l, lua, &l->d->waves[i]);
            lua_rawseti(lua, -2, ++n);
        }
    }
    return 1;
}

/* The one of a number, or the one in focus; nil: none stands. */
static int wave(lua_State *lua)
{
    struct lull_lua *l = lull_lua_of(lua);
    const lua_Integer in_focus = l->d->has_focus ? (lua_Integer)l->d->focus : -1;
    const lua_Integer number = luaL_optinteger(lua, 1, in_focus);
    const struct lull_debug_wave *w =
        number >= 0 && number < UINT_MAX ? lull_debug_wave_by_number(l->d, (unsigned)number) : NULL;
    if (w == NULL || !w->stopped) {
        lua_pushnil(lua);
    } else {
        push_wave(l, lua, w);
    }
    return 1;
}

static void focus_on(lua_State *lua, lua_Integer number, int lane)
{
    struct lull_lua *l = lull_lua_of(lua);
    const struct lull_debug_wave *w =
        number >= 0 && number < UINT_MAX ? lull_debug_wave_by_number(l->d, (unsigned)number) : NULL;
    lull_lua_not_deciding(lua, "focus");
    const unsigned first = w != NULL && w->stopped ? lull_debug_first_lane(l->d, w) : 0;
    const lua_Integer n = luaL_optinteger(lua, lane, first);
    luaL_argcheck(lua, n >= 0 && n < UINT_MAX, lane, "the number of a lane");
    luaL_argcheck(lua, number >= 0 && number < UINT_MAX, 1, "the number of a wave");
    lull_lua_check(lua, lull_debug_select(l->d, (unsigned)number, (unsigned)n));
}

/* focus(wave [, lane]); without arguments: which have it. */
static int focus(lua_State *lua)
{
    const struct lull_lua *l = lull_lua_of(lua);
    if (lua_isnone(lua, 1)) {
        if (!l->d->has_focus) {
            return 0;
        }
        lua_pushinteger(lua, l->d->focus);
        lua_pushinteger(lua, l->d->lane);
        return 2;
    }
    focus_on(lua, luaL_checkinteger(lua, 1), 2);
    return 0;
}

/* Number of the wave that a method is of. */
static unsigned self(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_getfield(lua, 1, "number");
    const lua_Integer n = luaL_checkinteger(lua, -1);
    lua_pop(lua, 1);
    return n >= 0 && n < UINT_MAX ? (unsigned)n : UINT_MAX - 1;
}

static int wave_eval(lua_State *lua)
{
    return lull_lua_eval(lua, self(lua), 2);
}

static int wave_set(lua_State *lua)
{
    return lull_lua_set(lua, self(lua), 2);
}

static int wave_reg(lua_State *lua)
{
    return lull_lua_reg(lua, self(lua), 2);
}

static int wave_setreg(lua_State *lua)
{
    return lull_lua_setreg(lua, self(lua), 2);
}

static int wave_focus(lua_State *lua)
{
    focus_on(lua, self(lua), 2);
    return 0;
}

static int location(lua_State *lua)
{
    struct lull_lua *l = lull_lua_of(lua);
    uint64_t va = 0;
    lull_lua_check(lua, lull_debug_location(l->d, luaL_checkstring(lua, 1), &va));
    lua_pushinteger(lua, (lua_Integer)va);
    return 1;
}

/* An address, or that of the wave in focus. */
static uint64_t address(lua_State *lua)
{
    struct lull_lua *l = lull_lua_of(lua);
    struct lull_debug_wave *w = NULL;
    if (!lua_isnoneornil(lua, 1)) {
        return (uint64_t)luaL_checkinteger(lua, 1);
    }
    lull_lua_check(lua, lull_debug_focused(l->d, &w));
    return w->info.pc;
}

/* line(address): file and line; nothing: not known. */
static int line(lua_State *lua)
{
    struct lull_lua *l = lull_lua_of(lua);
    struct lull_line at = {0};
    if (!lull_debug_line_at(l->d, address(lua), &at)) {
        return 0;
    }
    lua_pushstring(lua, at.file);
    lua_pushinteger(lua, at.line);
    return 2;
}

static int disassemble(lua_State *lua)
{
    struct lull_lua *l = lull_lua_of(lua);
    struct lull_debug_insn in = {0};
    lull_lua_check(lua, lull_debug_disassemble(l->d, address(lua), &in));
    lua_createtable(lua, 0, 5);
    put_integer(lua, "va", in.va);
    put_integer(lua, "size", in.size);
    put_integer(lua, "offset", in.offset);
    lua_pushstring(lua, in.text);
    lua_setfield(lua, -2, "text");
    lua_pushstring(lua, in.symbol);
    lua_setfield(lua, -2, "symbol");
    return 1;
}

void lull_lua_add_waves(lua_State *lua)
{
    static const luaL_Reg functions[] = {
        {"waves", waves},       {"wave", wave}, {"focus", focus},
        {"location", location}, {"line", line}, {"disassemble", disassemble},
        {NULL, NULL},
    };
    static const luaL_Reg methods[] = {
        {"eval", wave_eval},     {"set", wave_set},     {"reg", wave_reg},
        {"setreg", wave_setreg}, {"focus", wave_focus}, {NULL, NULL},
    };
    luaL_setfuncs(lua, functions, 0);
    luaL_newmetatable(lua, WAVE);
    luaL_newlib(lua, methods);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 1);
}
