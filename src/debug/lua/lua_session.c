// SPDX-License-Identifier: MIT
/* The Lua state: what lets waves run, breakpoints with handlers, print, errors. */
#include "debug/lua/lua_session.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/lua/priv.h"
#include "debug/session/engine.h"

enum { HOOK_INSTRUCTIONS = 100000 };

static const char HANDLERS[] = "lull.handlers";

/* A command of the debugger; its text is pushed. */
static void command(lua_State *lua, const char *text)
{
    struct lull_lua *l = lull_lua_of(lua);
    struct lull_str out = {0};
    lull_lua_not_deciding(lua, "command");
    if (!lua_pushthread(lua)) { // handlers are called on the main one
        luaL_error(lua, "a coroutine cannot do commands or let waves run");
    }
    lua_pop(lua, 1);
    struct lull_error *err = l->host.command(l->host.ctx, text, &out);
    if (err == NULL) {
        lua_pushlstring(lua, lull_str_text(&out), out.size);
    }
    lull_str_free(&out);
    lull_lua_check(lua, err);
}

static int do_command(lua_State *lua)
{
    command(lua, luaL_checkstring(lua, 1));
    return 1;
}

/* A command that lets waves run, with what the arguments say; why they stand is what it gives. */
static int verb(lua_State *lua, const char *name)
{
    const char *arguments = luaL_optstring(lua, 1, "");
    command(lua, lua_pushfstring(lua, "%s %s", name, arguments));
    lull_lua_push_stop(lull_lua_of(lua), lua);
    return 1;
}

/* The verb whose name is the function's upvalue. */
static int any_verb(lua_State *lua)
{
    return verb(lua, lua_tostring(lua, lua_upvalueindex(1)));
}

static struct lull_breakpoint *breakpoint_of(struct lull_debug *d, lua_Integer number)
{
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        if (number > 0 && d->breakpoints[i]->number == number) {
            return d->breakpoints[i];
        }
    }
    return NULL;
}

/* Message of an error that lies on the stack, which is popped. */
LULL_NEW_ERROR static struct lull_error *failed(lua_State *lua)
{
    const char *text = lua_tostring(lua, -1);
    struct lull_error *err = lull_error_new(LULL_ERR_BAD_DATA, "%s",
                                            text != NULL ? text : "an error that is not a text");
    lua_pop(lua, 1);
    return err;
}

/* Call the handler of a breakpoint: in protected mode. Argument: number. */
static int call_handler(lua_State *lua)
{
    const lua_Integer number = lua_tointeger(lua, 1);
    lua_getfield(lua, LUA_REGISTRYINDEX, HANDLERS);
    if (lua_rawgeti(lua, -1, number) != LUA_TFUNCTION) {
        lua_pushboolean(lua, true);
        return 1;
    }
    lull_lua_push_stop(lull_lua_of(lua), lua);
    lua_pushinteger(lua, number);
    lua_setfield(lua, -2, "breakpoint");
    lua_pushstring(lua, "stopped");
    lua_setfield(lua, -2, "kind");
    lua_call(lua, 1, 1);
    return 1;
}

LULL_MUST_USE static struct lull_error *decide(void *ctx, unsigned number, bool *ret_stop)
{
    struct lull_lua *l = ctx;
    l->deciding = true;
    lua_pushcfunction(l->lua, call_handler);
    lua_pushinteger(l->lua, number);
    struct lull_error *err = NULL;
    if (lua_pcall(l->lua, 1, 1, 0) != LUA_OK) {
        err = failed(l->lua);
    } else {
        *ret_stop = lua_toboolean(l->lua, -1);
        lua_pop(l->lua, 1);
    }
    l->deciding = false;
    return lull_error_in(err, "handler of breakpoint %u", number);
}

/* on(number, function): nil for none. */
static int on(lua_State *lua)
{
    struct lull_lua *l = lull_lua_of(lua);
    const lua_Integer number = luaL_checkinteger(lua, 1);
    struct lull_breakpoint *b = breakpoint_of(l->d, number);
    lull_lua_not_deciding(lua, "on");
    if (b == NULL) {
        return luaL_error(lua, "no breakpoint %d", (int)number);
    }
    if (b->kind == LULL_BREAK_CATCH || b->kind == LULL_BREAK_PACKET ||
        b->kind == LULL_BREAK_PENDING) {
        return luaL_error(lua,
                          "%d: handlers are for breakpoints in code, watchpoints and 'catch "
                          "fp'",
                          (int)number);
    }
    if (!lua_isnil(lua, 2)) {
        luaL_checktype(lua, 2, LUA_TFUNCTION);
    }
    lua_getfield(lua, LUA_REGISTRYINDEX, HANDLERS);
    lua_pushvalue(lua, 2);
    lua_rawseti(lua, -2, number);
    b->decide = lua_isnil(lua, 2) ? NULL : decide;
    b->decide_ctx = l;
    return 0;
}

/* Number of a new one on the stack: its handler is at @p handler, if there is one. */
static int with_handler(lua_State *lua, unsigned number, int handler)
{
    if (!lua_isnoneornil(lua, handler)) {
        lua_pushcfunction(lua, on);
        lua_pushinteger(lua, number);
        lua_pushvalue(lua, handler);
        lua_call(lua, 2, 0);
    }
    lua_pushinteger(lua, number);
    return 1;
}

/* breakpoint(place [, condition] [, handler]) */
static int breakpoint(lua_State *lua)
{
    struct lull_lua *l = lull_lua_of(lua);
    unsigned number = 0;
    const char *place = luaL_checkstring(lua, 1);
    const bool has_condition = lua_type(lua, 2) == LUA_TSTRING;
    const int handler = has_condition || lua_isnil(lua, 2) ? 3 : 2;
    lull_lua_not_deciding(lua, "breakpoint");
    if (!lua_isnoneornil(lua, handler)) {
        luaL_checktype(lua, handler, LUA_TFUNCTION);
    }
    lull_lua_check(lua, lull_debug_break(l->d, place, has_condition ? lua_tostring(lua, 2) : NULL,
                                         false, &number));
    return with_handler(lua, number, handler);
}

/* watch(place [, kind] [, handler]): kind "read", "access", or as if not given "write" */
static int watch(lua_State *lua)
{
    static const char *const kinds[] = {"write", "read", "access", NULL};
    struct lull_lua *l = lull_lua_of(lua);
    unsigned number = 0;
    const bool has_kind = lua_type(lua, 2) == LUA_TSTRING;
    const int handler = has_kind || lua_isnil(lua, 2) ? 3 : 2;
    lull_lua_not_deciding(lua, "watch");
    if (!lua_isnoneornil(lua, handler)) {
        luaL_checktype(lua, handler, LUA_TFUNCTION);
    }
    const int kind = has_kind ? luaL_checkoption(lua, 2, NULL, kinds) : 0;
    lull_lua_check(lua, lull_debug_watch(l->d, luaL_checkstring(lua, 1), (enum lull_watch_kind)kind,
                                         false, NULL, &number));
    return with_handler(lua, number, handler);
}

static int delete_breakpoint(lua_State *lua)
{
    lull_lua_not_deciding(lua, "delete");
    lull_lua_check(lua,
                   lull_debug_delete(lull_lua_of(lua)->d, (unsigned)luaL_checkinteger(lua, 1)));
    return 0;
}

static int enable(lua_State *lua)
{
    lull_lua_not_deciding(lua, "enable");
    lull_lua_check(lua, lull_debug_enable(lull_lua_of(lua)->d, (unsigned)luaL_checkinteger(lua, 1),
                                          lua_isnone(lua, 2) || lua_toboolean(lua, 2)));
    return 0;
}

static int stop(lua_State *lua)
{
    lull_lua_push_stop(lull_lua_of(lua), lua);
    return 1;
}

/* Lua's print, to where the debugger's text goes. */
static int print(lua_State *lua)
{
    struct lull_lua *l = lull_lua_of(lua);
    const int n = lua_gettop(lua);
    luaL_Buffer b;
    luaL_buffinit(lua, &b);
    for (int i = 1; i <= n; i++) {
        if (i > 1) {
            luaL_addchar(&b, '\t');
        }
        (void)luaL_tolstring(lua, i, NULL);
        luaL_addvalue(&b);
    }
    luaL_addchar(&b, '\n');
    luaL_pushresult(&b);
    size_t size = 0;
    const char *text = lua_tolstring(lua, -1, &size);
    l->host.show(l->host.ctx, text, size);
    return 0;
}

/* Ctrl-C ends what runs too long. */
static void hook(lua_State *lua, lua_Debug *ar)
{
    struct lull_lua *l = lull_lua_of(lua);
    (void)ar;
    if (l->host.ends(l->host.ctx)) {
        luaL_error(lua, "interrupted");
    }
}

/* In protected mode: the libraries, `lull`, print. */
static int prepare(lua_State *lua)
{
    static const luaL_Reg functions[] = {
        {"command", do_command},       {"breakpoint", breakpoint}, {"watch", watch}, {"on", on},
        {"delete", delete_breakpoint}, {"enable", enable},         {"stop", stop},   {NULL, NULL},
    };
    static const char *const verbs[] = {"run",   "start",  "continue", "step",      "next", "stepi",
                                        "nexti", "finish", "advance",  "interrupt", "kill"};
    luaL_openlibs(lua);
    lua_newtable(lua);
    lua_setfield(lua, LUA_REGISTRYINDEX, HANDLERS);
    luaL_newlib(lua, functions);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        lua_pushstring(lua, verbs[i]);
        lua_pushcclosure(lua, any_verb, 1);
        lua_setfield(lua, -2, verbs[i]);
    }
    lull_lua_add_values(lua);
    lull_lua_add_waves(lua);
    lua_setglobal(lua, "lull");
    lua_pushcfunction(lua, print);
    lua_setglobal(lua, "print");
    lua_sethook(lua, hook, LUA_MASKCOUNT, HOOK_INSTRUCTIONS);
    return 0;
}

struct lull_error *lull_lua_new(struct lull_debug *d, const struct lull_lua_host *host,
                                struct lull_lua **ret)
{
    struct lull_lua *l = calloc(1, sizeof *l);
    lua_State *lua = l != NULL ? luaL_newstate() : NULL;
    if (lua == NULL) {
        free(l);
        return &lull_enomem;
    }
    *l = (struct lull_lua){.lua = lua, .d = d, .host = *host};
    memcpy(lua_getextraspace(lua), &l, sizeof(void *));
    lua_pushcfunction(lua, prepare);
    struct lull_error *err = lua_pcall(lua, 0, 0, 0) != LUA_OK ? failed(lua) : NULL;
    if (err != NULL) {
        lua_close(lua);
        free(l);
        return err;
    }
    *ret = l;
    return NULL;
}

void lull_lua_free(struct lull_lua *l)
{
    if (l == NULL) {
        return;
    }
    for (size_t i = 0; i < l->d->nbreakpoints; i++) {
        if (l->d->breakpoints[i]->decide_ctx == l) {
            l->d->breakpoints[i]->decide = NULL;
        }
    }
    lua_close(l->lua);
    free(l);
}

LULL_MUST_USE static struct lull_error *run(struct lull_lua *l, int loaded)
{
    return loaded != LUA_OK || lua_pcall(l->lua, 0, 0, 0) != LUA_OK ? failed(l->lua) : NULL;
}

struct lull_error *lull_lua_file(struct lull_lua *l, const char *path)
{
    return run(l, luaL_loadfilex(l->lua, path, "t"));
}

struct lull_error *lull_lua_text(struct lull_lua *l, const char *text)
{
    // As Lua's own prompt: an expression is one that is shown.
    lull_cleanup(lull_str_free) struct lull_str shown = {0};
    lull_str_addf(&shown,
                  "local v = table.pack(%s) if v.n > 0 then print(table.unpack(v, 1, v.n)) end",
                  text);
    if (luaL_loadbufferx(l->lua, lull_str_text(&shown), shown.size, "=lua", "t") == LUA_OK) {
        return run(l, LUA_OK);
    }
    lua_pop(l->lua, 1);
    return run(l, luaL_loadbufferx(l->lua, text, strlen(text), "=lua", "t"));
}
