// SPDX-License-Identifier: MIT
/* Values, registers and memory for Lua. Nothing that must be freed is held when Lua may raise an
 * error: that is a jump. */
#include <lauxlib.h>
#include <limits.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/lua/priv.h"
#include "debug/session/engine.h"
#include "expr/value.h"

enum { MAX_BYTES = 64 << 20 };

static void push_number(lua_State *lua, struct lull_ctype t, uint64_t bits)
{
    const struct lull_ctype real = {.kind = LULL_CTYPE_FLOAT, .bits = 64};
    const struct lull_ctype integer = {.kind = LULL_CTYPE_SIGNED, .bits = 64};
    if (lull_ctype_is_float(t)) {
        const uint64_t wide = lull_value_convert(t, bits, real);
        double d = 0;
        memcpy(&d, &wide, sizeof d);
        lua_pushnumber(lua, d);
    } else {
        const uint64_t n = lull_ctype_is_signed(t) ? lull_value_convert(t, bits, integer) : bits;
        lua_pushinteger(lua, (lua_Integer)n);
    }
}

void lull_lua_push_value(lua_State *lua, const struct lull_value *v)
{
    if (v->lanes == 1) {
        if ((v->valid & 1) != 0) {
            push_number(lua, v->type, v->v[0]);
        } else {
            lua_pushnil(lua);
        }
        return;
    }
    lua_createtable(lua, (int)v->lanes, 3);
    for (unsigned i = 0; i < v->lanes; i++) {
        if ((v->valid >> i & 1) != 0) {
            push_number(lua, v->type, v->v[i]);
            lua_rawseti(lua, -2, i);
        }
    }
    lua_pushinteger(lua, v->lanes);
    lua_setfield(lua, -2, "lanes");
    lua_pushinteger(lua, (lua_Integer)v->active);
    lua_setfield(lua, -2, "active");
}

/* The wave that is meant has the focus, or an error. */
LULL_MUST_USE static struct lull_error *look(struct lull_debug *d, unsigned wave,
                                             struct lull_debug_look *was)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = NULL;
    if (wave == LULL_LUA_FOCUS) {
        err = d->has_focus ? lull_debug_focused(d, &w) : NULL; // without one: symbols, memory
    } else {
        w = lull_debug_wave_by_number(d, wave);
        err = w != NULL && w->stopped
                  ? NULL
                  : lull_error_new(LULL_ERR_NOT_FOUND, "wave %u %s", wave,
                                   w == NULL ? "is not known" : "runs or has ended");
    }
    *was = (struct lull_debug_look){
        .has_focus = d->has_focus, .focus = d->focus, .lane = d->lane, .frame = d->frame};
    if (err == NULL && w != NULL) {
        lull_debug_look_at(d, w, was);
    }
    return err;
}

int lull_lua_eval(lua_State *lua, unsigned wave, int first)
{
    struct lull_lua *l = lull_lua_of(lua);
    const char *text = luaL_checkstring(lua, first);
    struct lull_debug_look was = {0};
    struct lull_value v = {0};
    struct lull_error *err = look(l->d, wave, &was);
    if (err == NULL) {
        err = lull_debug_eval(l->d, text, &v);
        lull_debug_look_back(l->d, &was);
    }
    lull_lua_check(lua, err);
    lull_lua_push_value(lua, &v);
    return 1;
}

int lull_lua_set(lua_State *lua, unsigned wave, int first)
{
    struct lull_lua *l = lull_lua_of(lua);
    const char *text = luaL_checkstring(lua, first);
    struct lull_debug_look was = {0};
    struct lull_error *err = look(l->d, wave, &was);
    if (err == NULL) {
        err = lull_debug_assign(l->d, text);
        lull_debug_look_back(l->d, &was);
    }
    lull_lua_check(lua, err);
    return 0;
}

int lull_lua_reg(lua_State *lua, unsigned wave, int first)
{
    struct lull_lua *l = lull_lua_of(lua);
    const char *name = luaL_checkstring(lua, first);
    struct lull_debug_look was = {0};
    struct lull_typed_value v = {0};
    struct lull_error *err = look(l->d, wave, &was);
    if (err == NULL) {
        err = lull_debug_read_register(l->d, name, &v);
        lull_debug_look_back(l->d, &was);
    }
    lull_lua_check(lua, err);
    lull_lua_push_value(lua, &v.value);
    return 1;
}

/* Bits of a number: of a float those of an f32. */
static uint64_t bits_at(lua_State *lua, int at)
{
    if (lua_isinteger(lua, at)) {
        return (uint64_t)lua_tointeger(lua, at);
    }
    const float f = (float)luaL_checknumber(lua, at);
    uint32_t word = 0;
    memcpy(&word, &f, sizeof word);
    return word;
}

static void value_at(lua_State *lua, int at, struct lull_value *v)
{
    if (lua_type(lua, at) != LUA_TTABLE) {
        *v = (struct lull_value){
            .lanes = 1, .active = 1, .valid = UINT64_MAX, .v = {bits_at(lua, at)}};
        return;
    }
    v->lanes = LULL_VALUE_LANES;
    for (unsigned i = 0; i < LULL_VALUE_LANES; i++) {
        if (lua_rawgeti(lua, at, i) != LUA_TNIL) {
            v->v[i] = bits_at(lua, -1);
            v->valid |= UINT64_C(1) << i;
        }
        lua_pop(lua, 1);
    }
}

int lull_lua_setreg(lua_State *lua, unsigned wave, int first)
{
    struct lull_lua *l = lull_lua_of(lua);
    const char *name = luaL_checkstring(lua, first);
    struct lull_debug_look was = {0};
    struct lull_value v = {0};
    value_at(lua, first + 1, &v);
    struct lull_error *err = look(l->d, wave, &was);
    if (err == NULL) {
        struct lull_debug_wave *w = NULL;
        err = lull_debug_focused(l->d, &w);
        if (err == NULL && v.lanes == LULL_VALUE_LANES && w->info.lanes < LULL_VALUE_LANES) {
            v.lanes = w->info.lanes;
            v.valid &= (UINT64_C(1) << v.lanes) - 1;
        } else if (err == NULL && v.lanes == 1) {
            v.valid = w->info.exec | 1; // of a vector register the active lanes
            v.valid = w->info.exec != 0 ? w->info.exec : v.valid;
        }
        err = err != NULL ? err : lull_debug_write_register(l->d, name, &v);
        lull_debug_look_back(l->d, &was);
    }
    lull_lua_check(lua, err);
    return 0;
}

static int eval(lua_State *lua)
{
    return lull_lua_eval(lua, LULL_LUA_FOCUS, 1);
}

static int set(lua_State *lua)
{
    return lull_lua_set(lua, LULL_LUA_FOCUS, 1);
}

static int reg(lua_State *lua)
{
    return lull_lua_reg(lua, LULL_LUA_FOCUS, 1);
}

static int setreg(lua_State *lua)
{
    return lull_lua_setreg(lua, LULL_LUA_FOCUS, 1);
}

/* Bytes of memory or LDS as a string. */
static int read_bytes(lua_State *lua, bool lds)
{
    struct lull_lua *l = lull_lua_of(lua);
    const uint64_t address = (uint64_t)luaL_checkinteger(lua, 1);
    const lua_Integer size = luaL_checkinteger(lua, 2);
    luaL_argcheck(lua, size >= 0 && size <= MAX_BYTES, 2, "a number of bytes, at most 64 MiB");
    luaL_Buffer b;
    char *to = luaL_buffinitsize(lua, &b, (size_t)size);
    lull_lua_check(lua,
                   size == 0 ? NULL : lull_debug_read_memory(l->d, lds, address, to, (size_t)size));
    luaL_pushresultsize(&b, (size_t)size);
    return 1;
}

static int write_bytes(lua_State *lua, bool lds)
{
    struct lull_lua *l = lull_lua_of(lua);
    const uint64_t address = (uint64_t)luaL_checkinteger(lua, 1);
    size_t size = 0;
    const char *bytes = luaL_checklstring(lua, 2, &size);
    lull_lua_check(lua,
                   size == 0 ? NULL : lull_debug_write_memory(l->d, lds, address, bytes, size));
    return 0;
}

static int read_memory(lua_State *lua)
{
    return read_bytes(lua, false);
}

static int write_memory(lua_State *lua)
{
    return write_bytes(lua, false);
}

static int read_lds(lua_State *lua)
{
    return read_bytes(lua, true);
}

static int write_lds(lua_State *lua)
{
    return write_bytes(lua, true);
}

void lull_lua_add_values(lua_State *lua)
{
    static const luaL_Reg functions[] = {
        {"eval", eval},        {"set", set},
        {"reg", reg},          {"setreg", setreg},
        {"read", read_memory}, {"write", write_memory},
        {"readlds", read_lds}, {"writelds", write_lds},
        {NULL, NULL},
    };
    luaL_setfuncs(lua, functions, 0);
}
