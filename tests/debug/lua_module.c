// SPDX-License-Identifier: MIT
// A Lua module in C, as others are installed: its functions of Lua's library come from the program.
#include <lauxlib.h>
#include <lua.h>

int luaopen_lua_module(lua_State *l);

static int join(lua_State *l)
{
    luaL_Buffer b;
    luaL_buffinit(l, &b);
    for (int i = 1; i <= lua_gettop(l); i++) {
        luaL_addstring(&b, i > 1 ? "+" : "");
        luaL_addstring(&b, luaL_checkstring(l, i));
    }
    luaL_pushresult(&b);
    lua_compare(l, -1, -1, LUA_OPEQ); // lull itself has no use for it
    return 1;
}

__attribute__((visibility("default"))) int luaopen_lua_module(lua_State *l)
{
    lua_pushcfunction(l, join);
    return 1;
}
