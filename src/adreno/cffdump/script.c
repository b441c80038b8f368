// SPDX-License-Identifier: MIT
// Values of registers and packets as Lua objects. An object belongs to a view: the registers of a
// generation, or the dwords of a packet while its function runs.
#include "adreno/cffdump/script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/cffdump/walk.h"
#include "base/cleanup.h"
#include "base/files.h"
#include "hw/adreno_chip.h"

enum { MAX_GEN = 7, TEXT = 128 };

struct lull_cff_script {
    lua_State *lua;
    struct lull_cff *c;
    FILE *out;
};

struct view {
    struct lull_dom_state state;
    const struct lull_dom *doms[2];
    const uint32_t *words; ///< Of a packet.
    uint32_t n;            ///< 0: registers.
};

/** A register, an array, an element of one: of the view that is its user value. */
struct object {
    const struct view *view;
    const struct lull_dom *dom;
    const struct lull_dom_reg *reg;
    uint64_t offset;
};

struct number {
    const char *name;
    uint32_t value;
};

static const char VIEW[] = "lull.view", PACKET[] = "lull.packet", REG[] = "lull.reg";
static const char ARRAY[] = "lull.array", ELEMENT[] = "lull.element", ENUM[] = "lull.enum";

static struct lull_cff_script *script(lua_State *lua)
{
    struct lull_cff_script *s = NULL;
    memcpy(&s, lua_getextraspace(lua), sizeof(void *));
    return s;
}

static uint32_t value_at(const struct lull_cff_script *s, const struct view *v, uint64_t offset)
{
    if (v->n == 0) {
        return s->c != NULL ? s->c->vals[offset % LULL_CFF_REGS] : 0;
    }
    return offset < v->n ? v->words[offset] : UINT32_MAX;
}

/** A new object on the stack, of the view at stack index @p view. */
static int push_object(lua_State *lua, int view, const char *type, struct object o)
{
    view = lua_absindex(lua, view);
    struct object *made = lua_newuserdata(lua, sizeof *made);
    *made = o;
    lua_pushvalue(lua, view);
    lua_setuservalue(lua, -2);
    luaL_setmetatable(lua, type);
    return 1;
}

static int push_enum(lua_State *lua, unsigned which, uint64_t value)
{
    const struct lull_dom_enum *e = &lull_dom_adreno.enums[which];
    struct number *made = lua_newuserdata(lua, sizeof *made);
    *made = (struct number){.value = (uint32_t)value};
    for (unsigned i = 0; i < e->n && made->name == NULL; i++) { // of any generation, as in Mesa
        made->name = e->values[i].value == value ? e->values[i].name : NULL;
    }
    luaL_setmetatable(lua, ENUM);
    return 1;
}

/** A value, if Lua has something for its kind; 0: it has not. */
static int push_value(lua_State *lua, unsigned kind, unsigned sub, uint64_t value)
{
    const uint32_t word = (uint32_t)value;
    float f = 0;
    switch (kind) {
    case LULL_DOM_ENUM:
        return push_enum(lua, sub, value);
    case LULL_DOM_INT:
    case LULL_DOM_UINT:
    case LULL_DOM_HEX:
    case LULL_DOM_ADDRESS:
    case LULL_DOM_WADDRESS:
        lua_pushinteger(lua, (lua_Integer)value);
        return 1;
    case LULL_DOM_FLOAT:
        memcpy(&f, &word, sizeof f);
        lua_pushnumber(lua, (lua_Number)f);
        return 1;
    case LULL_DOM_BOOL:
        lua_pushboolean(lua, word != 0);
        return 1;
    default:
        return 0;
    }
}

/** The register of @p o: a number, a name, or an object with fields. */
static int push_register(lua_State *lua, int view, struct object o)
{
    const struct lull_cff_script *s = script(lua);
    uint64_t value = value_at(s, o.view, o.offset);
    if (o.reg->width == 64) {
        value |= (uint64_t)value_at(s, o.view, o.offset + 1) << 32;
    }
    const int n = push_value(lua, o.reg->kind, o.reg->sub, value << o.reg->shr);
    return n != 0 ? n : push_object(lua, view, REG, o);
}

static bool is_array(const struct lull_dom_reg *r)
{
    return r->count != 0 && (r->after[0] == '.' || r->kind == LULL_DOM_NONE);
}

static int push_entry(lua_State *lua, int view, struct object o)
{
    return is_array(o.reg) ? push_object(lua, view, ARRAY, o) : push_register(lua, view, o);
}

static int view_index(lua_State *lua)
{
    const struct view *v = luaL_checkudata(lua, 1, VIEW);
    const char *name = luaL_checkstring(lua, 2);
    for (unsigned d = 0; d < 2 && v->doms[d] != NULL; d++) {
        for (unsigned i = 0; i < v->doms[d]->n; i++) {
            const struct lull_dom_reg *r = &v->doms[d]->regs[i];
            if (strcmp(r->name, name) == 0) {
                return push_entry(lua, 1, (struct object){v, v->doms[d], r, r->offset});
            }
        }
    }
    return 0;
}

static int packet_index(lua_State *lua)
{
    const struct view *v = luaL_checkudata(lua, 1, PACKET);
    const uint32_t offset = (uint32_t)(int64_t)luaL_checknumber(lua, 2);
    for (unsigned i = 0; i < v->doms[0]->n; i++) {
        const struct lull_dom_reg *r = &v->doms[0]->regs[i];
        if (r->offset == offset) {
            return push_entry(lua, 1, (struct object){v, v->doms[0], r, offset});
        }
    }
    return 0;
}

/** Is @p r another register of the same array? */
static bool same_array(const struct lull_dom_reg *a, const struct lull_dom_reg *r)
{
    return strcmp(a->name, r->name) == 0;
}

static int array_index(lua_State *lua)
{
    const struct object *a = luaL_checkudata(lua, 1, ARRAY);
    struct object o = *a;
    o.offset += (uint64_t)lua_tointeger(lua, 2) * a->reg->stride;
    lua_getuservalue(lua, 1);
    const bool more = a->reg + 1 < a->dom->regs + a->dom->n && same_array(a->reg, a->reg + 1);
    return more ? push_object(lua, -1, ELEMENT, o) : push_register(lua, -1, o);
}

static int element_index(lua_State *lua)
{
    const struct object *e = luaL_checkudata(lua, 1, ELEMENT);
    const char *name = luaL_checkstring(lua, 2);
    lua_getuservalue(lua, 1);
    for (const struct lull_dom_reg *r = e->reg;
         r < e->dom->regs + e->dom->n && same_array(e->reg, r); r++) {
        if (r->after[0] == '.' && strcmp(r->after + 1, name) == 0) {
            struct object o = *e;
            o.reg = r;
            o.offset += r->offset - e->reg->offset;
            return push_register(lua, -1, o);
        }
    }
    return 0;
}

/** A message among what the script prints. */
static int complain(const struct lull_cff_script *s, const char *what, const char *name)
{
    fprintf(s->out, "%s: %s\n", what, name);
    return 0;
}

static int reg_index(lua_State *lua)
{
    const struct object *o = luaL_checkudata(lua, 1, REG);
    const char *name = luaL_checkstring(lua, 2);
    const bool bitset = o->reg->kind == LULL_DOM_BITSET;
    if (!bitset && o->reg->kind != LULL_DOM_FIELDS) {
        return complain(script(lua), "invalid register type", o->reg->name);
    }
    const struct lull_dom_bitset *b = bitset ? &lull_dom_adreno.bitsets[o->reg->sub] : NULL;
    const struct lull_dom_field *f = bitset ? b->fields : o->reg->fields;
    for (unsigned i = 0; i < (bitset ? b->n : o->reg->nfields); i++, f++) {
        if (strcmp(f->name, name) == 0) {
            const uint64_t value = value_at(script(lua), o->view, o->offset); // the lower half
            const uint64_t mask =
                f->hi - f->lo == 63 ? UINT64_MAX : (UINT64_C(1) << (f->hi - f->lo + 1)) - 1;
            const uint64_t bits = f->lo < 32 ? value >> f->lo & mask : 0;
            return push_value(lua, f->kind, f->sub, (uint32_t)(bits << f->shr));
        }
    }
    return complain(script(lua), "invalid member", name);
}

static void push_text(lua_State *lua, struct lull_str *text)
{
    lua_pushlstring(lua, lull_str_text(text), text->size);
    lull_str_free(text);
}

/** The register at @p offset in words. */
static void push_shown(lua_State *lua, const struct view *v, uint32_t offset, uint32_t value)
{
    struct lull_dom_state state = v->state;
    struct lull_str text = {0};
    struct lull_dom_hit hit = {0};
    for (unsigned d = 0; d < 2 && v->doms[d] != NULL && hit.reg == NULL; d++) {
        hit = lull_dom_at(&lull_dom_adreno, &state, v->doms[d], offset);
    }
    if (hit.reg != NULL) {
        lull_dom_show(&lull_dom_adreno, &state, hit.reg, value, &text);
    } else {
        lull_str_addf(&text, "%08x", value);
    }
    push_text(lua, &text);
}

static int reg_text(lua_State *lua)
{
    const struct object *o = luaL_checkudata(lua, 1, REG);
    push_shown(lua, o->view, (uint32_t)o->offset, value_at(script(lua), o->view, o->offset));
    return 1;
}

static int enum_text(lua_State *lua)
{
    const struct number *e = luaL_checkudata(lua, 1, ENUM);
    if (e->name != NULL) {
        lua_pushstring(lua, e->name);
    } else {
        lua_pushfstring(lua, "%I", (LUAI_UACINT)e->value);
    }
    return 1;
}

static void domains(unsigned gen, struct view *v)
{
    // Mesa's scripts see its colours.
    v->state = (struct lull_dom_state){.chip = gen, .like_mesa = true, .colors = lull_cff_colors()};
    (void)lull_adreno_spaces(gen, v->doms);
}

/** rnn.init(name): the registers of "a630" and the like. */
static int rnn_init(lua_State *lua)
{
    const char *name = luaL_checkstring(lua, 1);
    unsigned gen = 2;
    char text[] = "a2";
    while (gen <= MAX_GEN && strstr(name, text) == NULL) {
        text[1] = (char)('0' + ++gen);
    }
    if (gen > MAX_GEN) {
        return luaL_error(lua, "rnn.init: '%s' is not an Adreno", name);
    }
    struct view *v = lua_newuserdata(lua, sizeof *v);
    *v = (struct view){0};
    domains(gen, v);
    luaL_setmetatable(lua, VIEW);
    return 1;
}

static int rnn_enumname(lua_State *lua)
{
    const struct view *v = luaL_checkudata(lua, 1, VIEW);
    const char *name = luaL_checkstring(lua, 2);
    const uint32_t value = (uint32_t)(int64_t)luaL_checknumber(lua, 3);
    for (unsigned i = 0; i < lull_dom_adreno.nenums; i++) {
        if (strcmp(lull_dom_adreno.enums[i].name, name) == 0) {
            lua_pushstring(lua, lull_dom_enum_name(&lull_dom_adreno, &v->state, i, value));
            return 1;
        }
    }
    lua_pushnil(lua);
    return 1;
}

static int rnn_regname(lua_State *lua)
{
    const struct view *v = luaL_checkudata(lua, 1, VIEW);
    const uint32_t reg = (uint32_t)(int64_t)luaL_checknumber(lua, 2);
    struct lull_dom_hit hit = {0};
    struct lull_str text = {0};
    for (unsigned d = 0; d < 2 && v->doms[d] != NULL && hit.reg == NULL; d++) {
        hit = lull_dom_at(&lull_dom_adreno, &v->state, v->doms[d], reg);
    }
    lull_cff_name(v->state.colors, &hit, reg, &text);
    push_text(lua, &text);
    return 1;
}

static int rnn_regval(lua_State *lua)
{
    const struct view *v = luaL_checkudata(lua, 1, VIEW);
    push_shown(lua, v, (uint32_t)(int64_t)luaL_checknumber(lua, 2),
               (uint32_t)(int64_t)luaL_checknumber(lua, 3));
    return 1;
}

static uint32_t reg_number(lua_State *lua)
{
    return (uint32_t)(int64_t)luaL_checknumber(lua, 1) % LULL_CFF_REGS;
}

static int regs_val(lua_State *lua)
{
    const struct lull_cff *c = script(lua)->c;
    lua_pushnumber(lua, c != NULL ? (lua_Number)c->vals[reg_number(lua)] : 0);
    return 1;
}

static int regs_lastval(lua_State *lua)
{
    const struct lull_cff *c = script(lua)->c;
    lua_pushnumber(lua, c != NULL ? (lua_Number)c->lastvals[reg_number(lua)] : 0);
    return 1;
}

static int regs_written(lua_State *lua)
{
    const struct lull_cff *c = script(lua)->c;
    lua_pushnumber(lua, c != NULL && lull_cff_was_written(c, reg_number(lua)) ? 1 : 0);
    return 1;
}

static const struct lull_cff_bo *bo(lua_State *lua, uint64_t *address)
{
    const struct lull_cff *c = script(lua)->c;
    const lua_Number n = luaL_checknumber(lua, 1);
    *address = n >= 0 && n < 18446744073709551616.0 ? (uint64_t)n : 0;
    return c != NULL ? lull_cff_bo_at(c, *address) : NULL;
}

static int bos_base(lua_State *lua)
{
    uint64_t address = 0;
    const struct lull_cff_bo *b = bo(lua, &address);
    lua_pushnumber(lua, b != NULL ? (lua_Number)b->address : 0);
    return 1;
}

static int bos_size(lua_State *lua)
{
    uint64_t address = 0;
    const struct lull_cff_bo *b = bo(lua, &address);
    lua_pushnumber(lua, b != NULL ? (lua_Number)(b->size - (address - b->address)) : 0);
    return 1;
}

/** print() as Lua has it, to where the text goes. */
static int print(lua_State *lua)
{
    FILE *out = script(lua)->out;
    const int n = lua_gettop(lua);
    for (int i = 1; i <= n; i++) {
        size_t size = 0;
        const char *text = luaL_tolstring(lua, i, &size);
        fputs(i > 1 ? "\t" : "", out);
        fwrite(text, 1, size, out);
        lua_pop(lua, 1);
    }
    fputc('\n', out);
    return 0;
}

static void library(lua_State *lua, const char *name, const luaL_Reg *functions)
{
    lua_newtable(lua);
    luaL_setfuncs(lua, functions, 0);
    lua_setglobal(lua, name);
}

static void type(lua_State *lua, const char *name, lua_CFunction index, lua_CFunction text)
{
    luaL_newmetatable(lua, name);
    if (index != NULL) {
        lua_pushcfunction(lua, index);
        lua_setfield(lua, -2, "__index");
    }
    if (text != NULL) {
        lua_pushcfunction(lua, text);
        lua_setfield(lua, -2, "__tostring");
    }
    lua_pop(lua, 1);
}

static int keep_open(lua_State *lua)
{
    ((luaL_Stream *)luaL_checkudata(lua, 1, LUA_FILEHANDLE))->closef = keep_open;
    return 0;
}

/** What io.write() writes to. */
static void set_output(lua_State *lua, FILE *out)
{
    lua_getglobal(lua, "io");
    lua_getfield(lua, -1, "output");
    luaL_Stream *stream = lua_newuserdata(lua, sizeof *stream);
    *stream = (luaL_Stream){.f = out, .closef = keep_open};
    luaL_setmetatable(lua, LUA_FILEHANDLE);
    lua_call(lua, 1, 0);
    lua_pop(lua, 1);
}

/** In protected mode: all of Lua's own can fail. */
static int prepare(lua_State *lua)
{
    static const luaL_Reg rnn[] = {{"init", rnn_init},
                                   {"enumname", rnn_enumname},
                                   {"regname", rnn_regname},
                                   {"regval", rnn_regval},
                                   {NULL, NULL}};
    static const luaL_Reg regs[] = {
        {"written", regs_written}, {"lastval", regs_lastval}, {"val", regs_val}, {NULL, NULL}};
    static const luaL_Reg bos[] = {{"base", bos_base}, {"size", bos_size}, {NULL, NULL}};
    const char *path = lua_touserdata(lua, 1);
    luaL_openlibs(lua);
    library(lua, "rnn", rnn);
    library(lua, "regs", regs);
    library(lua, "bos", bos);
    type(lua, VIEW, view_index, NULL);
    type(lua, PACKET, packet_index, NULL);
    type(lua, REG, reg_index, reg_text);
    type(lua, ARRAY, array_index, NULL);
    type(lua, ELEMENT, element_index, NULL);
    type(lua, ENUM, NULL, enum_text);
    lua_register(lua, "print", print);
    set_output(lua, script(lua)->out);
    if (luaL_loadfile(lua, path) != LUA_OK) {
        return lua_error(lua);
    }
    lua_call(lua, 0, 0);
    return 0;
}

/** Lua's message as an error; the stack is as before. */
LULL_MUST_USE static struct lull_error *failed(lua_State *lua)
{
    const char *text = lua_tostring(lua, -1);
    struct lull_error *err =
        lull_error_new(LULL_ERR_BAD_DATA, "%s", text != NULL ? text : "the script failed");
    lua_pop(lua, 1);
    return err;
}

struct lull_error *lull_cff_script_new(const char *path, FILE *out, struct lull_cff_script **ret)
{
    lull_cleanup(lull_closep) int fd = -1; // while Lua reads the file
    struct lull_error *err = lull_files_open(path, &fd);
    if (err != NULL) {
        return err;
    }
    struct lull_cff_script *s = calloc(1, sizeof *s);
    lua_State *lua = s != NULL ? luaL_newstate() : NULL;
    if (lua == NULL) {
        free(s);
        return &lull_enomem;
    }
    *s = (struct lull_cff_script){.lua = lua, .out = out};
    memcpy(lua_getextraspace(lua), &s, sizeof(void *));
    lua_pushcfunction(lua, prepare);
    lua_pushlightuserdata(lua, (void *)path);
    err = lua_pcall(lua, 1, 0, 0) != LUA_OK ? failed(lua) : NULL;
    if (err != NULL) {
        lull_cff_script_free(s);
        return err;
    }
    *ret = s;
    return NULL;
}

void lull_cff_script_free(struct lull_cff_script *s)
{
    if (s != NULL) {
        lua_close(s->lua);
        free(s);
    }
}

void lull_cff_script_use(struct lull_cff_script *s, struct lull_cff *c)
{
    if (s != NULL) {
        s->c = c;
    }
}

/** Push function @p name; false: the script has none. */
static bool function(struct lull_cff_script *s, const char *name)
{
    if (lua_getglobal(s->lua, name) == LUA_TFUNCTION) {
        if (s->c != NULL) {
            lull_cff_flush(s->c); // text in its order
        }
        return true;
    }
    lua_pop(s->lua, 1);
    return false;
}

LULL_MUST_USE static struct lull_error *call(struct lull_cff_script *s, int arguments)
{
    return lua_pcall(s->lua, arguments, 0, 0) != LUA_OK ? failed(s->lua) : NULL;
}

struct lull_error *lull_cff_script_call(struct lull_cff_script *s, const char *name,
                                        const char *text)
{
    if (s == NULL || !function(s, name)) {
        return NULL;
    }
    if (text != NULL) {
        lua_pushstring(s->lua, text);
    }
    return call(s, text != NULL);
}

struct lull_error *lull_cff_script_finish(struct lull_cff_script *s)
{
    return lull_cff_script_call(s, "finish", NULL);
}

struct lull_error *lull_cff_script_draw(struct lull_cff_script *s, const char *primitive,
                                        uint32_t indices)
{
    if (s == NULL || !function(s, "draw")) {
        return NULL;
    }
    lua_pushstring(s->lua, primitive);
    lua_pushnumber(s->lua, (lua_Number)indices);
    return call(s, 2);
}

struct lull_error *lull_cff_script_packet(struct lull_cff_script *s, const struct lull_dom *dom,
                                          const uint32_t *words, uint32_t n)
{
    if (s == NULL || !function(s, dom->name)) {
        return NULL;
    }
    struct view *v = lua_newuserdata(s->lua, sizeof *v);
    *v = (struct view){.state = s->c->dom, .doms = {dom}, .words = words, .n = n};
    luaL_setmetatable(s->lua, PACKET);
    lua_pushvalue(s->lua, -1);
    lua_insert(s->lua, -3); // it outlives the call, that its words may be taken away
    lua_pushnumber(s->lua, (lua_Number)n);
    struct lull_error *err = call(s, 2);
    v->words = NULL;
    v->n = 0;
    lua_pop(s->lua, 1);
    return err;
}
