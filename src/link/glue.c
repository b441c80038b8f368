// SPDX-License-Identifier: MIT
#include "link/glue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "link/link_priv.h"
#include "link/stages.h"

enum {
    MAX_VALUES = 64,
    SYSTEM_SGPRS = 8, // of a merged stage
    LATE_SGPRS = 6,   // of others, behind user data: for streamout
    MAX_USER_SGPRS = 32,
    MAX_VGPRS = 256,
    GFX9 = 9,
    GFX12 = 12,
};

/** One attribute or colour. */
struct value {
    uint32_t location, component;
    char type[8]; ///< "v4f32"
    char base;    ///< 'f' or 'i'
    unsigned n, bits;
    unsigned first; ///< VGPR, of those of all values.
    bool second;    ///< The second source of blending.
};

struct glue {
    enum lull_link_glue which;
    struct value values[MAX_VALUES];
    size_t nvalues;
    unsigned nvgprs;
    uint32_t map[MAX_USER_SGPRS];
    unsigned nmap;
    bool wave64;
    const char *stage;          ///< Hardware stage: "hs", "gs", "vs", "ps".
    unsigned sgprs, late_sgprs; ///< Before user data, and behind them.
    unsigned vgprs;             ///< Before attributes.
};

static const char *key_of(enum lull_link_glue which)
{
    return which == LULL_LINK_FETCH ? ".vertexInputs" : ".colorExports";
}

/** "f32", "v3i16": components, kind and bits. */
static bool parse_type(const struct lull_msgpack *m, struct value *v)
{
    const bool fits = m->kind == LULL_MSGPACK_STR && m->size < sizeof v->type;
    unsigned n = 1;
    if (!fits) {
        return false;
    }
    memcpy(v->type, m->data, m->size);
    const char *p = v->type;
    if (p[0] == 'v') {
        n = (unsigned)(p[1] - '0');
        p += 2;
    }
    v->n = n;
    if ((v->type[0] == 'v' && (n < 2 || n > 8)) ||
        (strcmp(p, "f32") != 0 && strcmp(p, "f16") != 0 && strcmp(p, "i32") != 0 &&
         strcmp(p, "i16") != 0)) {
        return false;
    }
    v->base = p[0];
    v->bits = p[1] == '3' ? 32 : 16;
    return true;
}

static bool is_number(const struct lull_msgtree *t)
{
    return t != NULL && t->m.kind == LULL_MSGPACK_UINT && t->m.u <= UINT32_MAX;
}

/** [location, component, type], or [target, location, signed, type]: the second source of
 * location 0 is for target 1. */
LULL_MUST_USE static struct lull_error *read_value(struct glue *g, const struct lull_msgtree *t,
                                                   size_t index)
{
    const size_t size = g->which == LULL_LINK_FETCH ? 3 : 4;
    const struct lull_msgtree *a = t->m.kind == LULL_MSGPACK_ARRAY ? t->first : NULL;
    const struct lull_msgtree *b = a != NULL ? a->next : NULL;
    struct value v = {.first = g->nvgprs};
    if (t->m.kind != LULL_MSGPACK_ARRAY || t->m.size != size || !is_number(a) || !is_number(b) ||
        !parse_type(&t->last->m, &v)) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "metadata '%s[%zu]': not a list of %zu numbers and "
                              "a type such as v4f32",
                              key_of(g->which), index, size - 1);
    }
    v.location = (uint32_t)(g->which == LULL_LINK_FETCH ? a->m.u : b->m.u);
    v.component = (uint32_t)b->m.u;
    v.second = g->which == LULL_LINK_EXPORT && b->m.u == 0 && a->m.u == 1;
    g->nvgprs += v.n;
    g->values[g->nvalues++] = v;
    if (g->nvgprs + g->vgprs > MAX_VGPRS) {
        return lull_error_new(LULL_ERR_BAD_DATA, "metadata '%s[%zu]': more than %d VGPRs",
                              key_of(g->which), index, MAX_VGPRS);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_values(struct glue *g, const struct lull_msgtree *list)
{
    struct lull_error *err = NULL;
    size_t index = 0;
    if (list->m.kind != LULL_MSGPACK_ARRAY || list->m.size > MAX_VALUES) {
        return lull_error_new(LULL_ERR_BAD_DATA, "metadata '%s': not a list of up to %d",
                              key_of(g->which), MAX_VALUES);
    }
    for (const struct lull_msgtree *i = list->first; err == NULL && i != NULL; i = i->next) {
        err = read_value(g, i, index++);
    }
    return err;
}

/** What the shader is given in registers. */
LULL_MUST_USE static struct lull_error *read_stage(struct glue *g,
                                                   const struct lull_msgtree *pipeline)
{
    const char *name = g->stage;
    const struct lull_msgtree *stage =
        lull_msgtree_get(lull_msgtree_get(pipeline, ".hardware_stages"), name);
    const struct lull_msgtree *wave = lull_msgtree_get(stage, ".wavefront_size");
    const struct lull_msgtree *count = lull_msgtree_get(stage, ".user_sgprs");
    const struct lull_msgtree *map = lull_msgtree_get(stage, ".user_data_reg_map");
    if (stage == NULL) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED,
            "metadata '%s': such a part is made for the hardware stage '%s' only, "
            "which is not there",
            key_of(g->which), name);
    }
    g->wave64 = is_number(wave) && wave->m.u == 64;
    if (g->which == LULL_LINK_EXPORT) {
        return NULL;
    }
    if (!is_number(count) || count->m.u > MAX_USER_SGPRS || map == NULL ||
        map->m.kind != LULL_MSGPACK_ARRAY || map->m.size < count->m.u) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "metadata '.hardware_stages/%s': '.user_sgprs' and "
                              "'.user_data_reg_map' do not say what is in SGPRs",
                              name);
    }
    const struct lull_msgtree *i = map->first;
    for (; g->nmap < count->m.u; i = i->next) {
        if (!is_number(i)) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "metadata '.hardware_stages/%s/.user_data_reg_map': not numbers",
                                  name);
        }
        g->map[g->nmap++] = (uint32_t)i->m.u;
    }
    return NULL;
}

/** The layout has what the part is made from. */
LULL_MUST_USE static struct lull_error *check_layout(const struct glue *g,
                                                     const struct lull_layout *l)
{
    const bool fetch = g->which == LULL_LINK_FETCH;
    if (l == NULL || (fetch && !l->has_vertex_input)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "metadata '%s': the %s, which needs %s",
                              key_of(g->which),
                              fetch ? "vertex shader takes attributes in registers"
                                    : "pixel shader leaves colours in registers",
                              fetch ? "the layout's vertex_input" : "a layout");
    }
    for (size_t i = 0; fetch && i < g->nvalues; i++) {
        const struct lull_layout_binding *b = NULL;
        if (lull_layout_attribute_at(l, g->values[i].location, &b) == NULL) {
            return lull_error_new(LULL_ERR_NOT_FOUND,
                                  "metadata '.vertexInputs': the layout has no vertex attribute at "
                                  "location %" PRIu32,
                                  g->values[i].location);
        }
    }
    return NULL;
}

/** The type in IR: "<4 x float>". */
static void put_type(struct lull_str *s, const struct value *v)
{
    const char *one =
        v->base == 'f' ? (v->bits == 32 ? "float" : "half") : (v->bits == 32 ? "i32" : "i16");
    if (v->type[0] == 'v') {
        lull_str_addf(s, "<%u x %s>", v->n, one);
    } else {
        lull_str_addf(s, "%s", one);
    }
}

static const char *one_type(const struct value *v)
{
    return v->base == 'f' ? (v->bits == 32 ? "float" : "half") : (v->bits == 32 ? "i32" : "i16");
}

static void put_declarations(struct lull_str *s, const struct glue *g)
{
    for (size_t i = 0; i < g->nvalues; i++) {
        const struct value *v = &g->values[i];
        bool again = false;
        for (size_t k = 0; k < i; k++) {
            again = again || strcmp(g->values[k].type, v->type) == 0;
        }
        if (again) {
            continue;
        }
        lull_str_addf(s, "declare ");
        if (g->which == LULL_LINK_FETCH) {
            put_type(s, v);
            lull_str_addf(s, " @lull.vertex.input.%s(i32, i32)\n", v->type);
        } else {
            lull_str_addf(s, "void @lull.color.export.%s(i32, i32, ", v->type);
            put_type(s, v);
            lull_str_addf(s, ")\n");
        }
    }
}

/** "{ i32, ..., float, ... }": what the shader behind is given. */
static void put_structure(struct lull_str *s, const struct glue *g)
{
    const char *comma = "";
    lull_str_addf(s, "{ ");
    for (unsigned i = 0; i < g->sgprs + g->nmap + g->late_sgprs; i++, comma = ", ") {
        lull_str_addf(s, "%si32", comma);
    }
    for (unsigned i = 0; i < g->vgprs + g->nvgprs; i++) {
        lull_str_addf(s, ", float");
    }
    lull_str_addf(s, " }");
}

/** The next value of the structure. */
static void put_insert(struct lull_str *s, const struct glue *g, unsigned *at, const char *type,
                       const char *name)
{
    lull_str_addf(s, "  %%r%u = insertvalue ", *at + 1);
    put_structure(s, g);
    if (*at == 0) {
        lull_str_addf(s, " poison, %s %s, 0\n", type, name);
    } else {
        lull_str_addf(s, " %%r%u, %s %s, %u\n", *at, type, name, *at);
    }
    ++*at;
}

/** Component @p k of attribute @p i as a float that holds its bits. */
static void put_component(struct lull_str *s, const struct value *v, size_t i, unsigned k)
{
    const char *one = one_type(v);
    if (v->type[0] == 'v') {
        lull_str_addf(s, "  %%e%zu_%u = extractelement ", i, k);
        put_type(s, v);
        lull_str_addf(s, " %%a%zu, i32 %u\n", i, k);
    } else {
        lull_str_addf(s, "  %%e%zu_%u = bitcast %s %%a%zu to %s\n", i, k, one, i, one);
    }
    if (v->bits == 32) {
        lull_str_addf(s, "  %%f%zu_%u = bitcast %s %%e%zu_%u to float\n", i, k, one, i, k);
    } else if (v->base == 'f') {
        lull_str_addf(s, "  %%f%zu_%u = fpext half %%e%zu_%u to float\n", i, k, i, k);
    } else {
        lull_str_addf(s, "  %%z%zu_%u = zext i16 %%e%zu_%u to i32\n", i, k, i, k);
        lull_str_addf(s, "  %%f%zu_%u = bitcast i32 %%z%zu_%u to float\n", i, k, i, k);
    }
}

/** All that hardware gives goes on, and attributes behind it. */
static void put_fetch(struct lull_str *s, const struct glue *g)
{
    unsigned at = 0;
    char name[48] = "";
    lull_str_addf(s, "define amdgpu_%s ", g->stage + 1);
    put_structure(s, g);
    lull_str_addf(s, " @fetch(");
    for (unsigned i = 0; i < g->sgprs + g->nmap + g->late_sgprs; i++) {
        lull_str_addf(s, "i32 inreg %%s%u, ", i);
    }
    for (unsigned i = 0; i < g->vgprs; i++) {
        lull_str_addf(s, "%si32 %%v%u", i != 0 ? ", " : "", i);
    }
    lull_str_addf(s, ") #0 {\n");
    for (size_t i = 0; i < g->nvalues; i++) {
        const struct value *v = &g->values[i];
        lull_str_addf(s, "  %%a%zu = call ", i);
        put_type(s, v);
        lull_str_addf(s, " @lull.vertex.input.%s(i32 %" PRIu32 ", i32 %" PRIu32 ")\n", v->type,
                      v->location, v->component);
        for (unsigned k = 0; k < v->n; k++) {
            put_component(s, v, i, k);
        }
    }
    for (unsigned i = 0; i < g->sgprs + g->nmap + g->late_sgprs; i++) {
        (void)snprintf(name, sizeof name, "%%s%u", i);
        put_insert(s, g, &at, "i32", name);
    }
    for (unsigned i = 0; i < g->vgprs; i++) {
        lull_str_addf(s, "  %%w%u = bitcast i32 %%v%u to float\n", i, i);
        (void)snprintf(name, sizeof name, "%%w%u", i);
        put_insert(s, g, &at, "float", name);
    }
    for (size_t i = 0; i < g->nvalues; i++) {
        for (unsigned k = 0; k < g->values[i].n; k++) {
            (void)snprintf(name, sizeof name, "%%f%zu_%u", i, k);
            put_insert(s, g, &at, "float", name);
        }
    }
    lull_str_addf(s, "  ret ");
    put_structure(s, g);
    lull_str_addf(s, " %%r%u\n}\n", at);
}

/** The colour with number @p i out of VGPRs, as %c<i>. */
static void put_color(struct lull_str *s, const struct value *v, size_t i)
{
    const char *one = one_type(v);
    for (unsigned k = 0; k < v->n; k++) {
        const unsigned from = v->first + k;
        if (v->bits == 32) {
            lull_str_addf(s, "  %%e%zu_%u = bitcast float %%v%u to %s\n", i, k, from, one);
        } else if (v->base == 'f') {
            lull_str_addf(s, "  %%e%zu_%u = fptrunc float %%v%u to half\n", i, k, from);
        } else {
            lull_str_addf(s, "  %%z%zu_%u = bitcast float %%v%u to i32\n", i, k, from);
            lull_str_addf(s, "  %%e%zu_%u = trunc i32 %%z%zu_%u to i16\n", i, k, i, k);
        }
    }
    for (unsigned k = 0; v->type[0] == 'v' && k < v->n; k++) {
        lull_str_addf(s, "  %%c%zu_%u = insertelement ", i, k);
        put_type(s, v);
        if (k == 0) {
            lull_str_addf(s, " poison");
        } else {
            lull_str_addf(s, " %%c%zu_%u", i, k - 1);
        }
        lull_str_addf(s, ", %s %%e%zu_%u, i32 %u\n", one, i, k, k);
    }
}

static void put_export(struct lull_str *s, const struct glue *g)
{
    lull_str_addf(s, "define amdgpu_ps void @color_export_shader(");
    for (unsigned i = 0; i < g->nvgprs; i++) {
        lull_str_addf(s, "%sfloat %%v%u", i != 0 ? ", " : "", i);
    }
    lull_str_addf(s, ") #0 {\n");
    for (size_t i = 0; i < g->nvalues; i++) {
        put_color(s, &g->values[i], i);
    }
    for (size_t i = 0; i < g->nvalues; i++) {
        const struct value *v = &g->values[i];
        lull_str_addf(s, "  call void @lull.color.export.%s(i32 %" PRIu32 ", i32 %d, ", v->type,
                      v->location, v->second);
        put_type(s, v);
        lull_str_addf(s, " %%%c%zu_%u)\n", v->type[0] == 'v' ? 'c' : 'e', i, v->n - 1);
    }
    lull_str_addf(s, "  ret void\n}\n");
}

static void put_module(struct lull_str *s, const struct glue *g, const char *cpu)
{
    const bool fetch = g->which == LULL_LINK_FETCH;
    lull_str_addf(s, "target triple = \"amdgcn-amd-amdpal\"\n");
    put_declarations(s, g);
    if (fetch) {
        put_fetch(s, g);
    } else {
        put_export(s, g);
    }
    lull_str_addf(s, "attributes #0 = { \"target-cpu\"=\"%s\" \"lull-glue\"=\"%s\"", cpu,
                  fetch ? "fetch" : "export");
    for (unsigned i = 0; i < g->nmap; i++) {
        lull_str_addf(s, "%s%" PRIu32, i != 0 ? "," : " \"lull-user-data\"=\"", g->map[i]);
    }
    lull_str_addf(s, "%s%s%s }\n", g->nmap != 0 ? "\"" : "",
                  fetch ? "" : " \"InitialPSInputAddr\"=\"16777215\"",
                  g->wave64 ? " \"target-features\"=\"+wavefrontsize64\"" : "");
}

/** The hardware stage that the part is for, and what registers it has. */
LULL_MUST_USE static struct lull_error *choose_stage(struct glue *g, unsigned gfx,
                                                     const struct lull_msgtree *stages)
{
    // The first that is there runs vertex shaders. VGPRs by generation: lull_rl_vertex_vgprs().
    static const struct {
        const char *name;
        uint8_t vgprs[GFX12 - GFX9 + 1];
    } rows[] = {{".hs", {6, 6, 6, 4}}, {".gs", {9, 9, 9, 5}}, {".vs", {4, 4, 0, 0}}};
    g->stage = ".ps";
    for (size_t i = 0; g->which == LULL_LINK_FETCH && i < sizeof rows / sizeof rows[0]; i++) {
        if (lull_msgtree_get(stages, rows[i].name) == NULL) {
            continue;
        }
        g->stage = rows[i].name;
        g->vgprs = rows[i].vgprs[gfx - GFX9];
        if (g->vgprs == 0) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "metadata '.hardware_stages': gfx%u has no stage '%s': write %s",
                                  gfx, g->stage, lull_stage_instead(gfx, g->stage + 1));
        }
        const bool merged = strcmp(g->stage, ".vs") != 0;
        g->sgprs = merged ? SYSTEM_SGPRS : 0;
        g->late_sgprs = merged ? 0 : LATE_SGPRS;
        return NULL;
    }
    return g->which == LULL_LINK_EXPORT
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED,
                                "metadata '%s': such a part is made for the hardware stages '.hs', "
                                "'.gs' and '.vs' only, none of which is there",
                                key_of(g->which));
}

LULL_MUST_USE static struct lull_error *make(const struct lull_elf *elf, struct lull_arena *a,
                                             const struct lull_layout *layout, struct glue *g,
                                             struct lull_link_glue_text *ret)
{
    struct lull_msgtree *pipeline = NULL;
    struct lull_error *err = lull_link_pipeline(a, elf, &pipeline);
    const struct lull_msgtree *list = lull_msgtree_get(pipeline, key_of(g->which));
    if (err != NULL || list == NULL || list->first == NULL) {
        return err;
    }
    (void)lull_link_gpu(elf->flags, ret->cpu);
    const unsigned gfx = lull_link_generation(elf->flags);
    if (gfx < GFX9 || gfx > GFX12) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "metadata '%s': parts that load attributes or export colours are "
                              "made for gfx%d to gfx%d only; this is for %s",
                              key_of(g->which), GFX9, GFX12,
                              ret->cpu[0] != '\0' ? ret->cpu : "an unknown GPU");
    }
    err = choose_stage(g, gfx, lull_msgtree_get(pipeline, ".hardware_stages"));
    err = err != NULL ? err : read_values(g, list);
    err = err != NULL ? err : read_stage(g, pipeline);
    err = err != NULL ? err : check_layout(g, layout);
    if (err == NULL) {
        put_module(&ret->ir, g, ret->cpu);
        err = ret->ir.err;
        ret->ir.err = NULL;
    }
    return err;
}

struct lull_error *lull_link_glue_make(const struct lull_link_input *in,
                                       const struct lull_layout *layout, enum lull_link_glue which,
                                       struct lull_link_glue_text *ret)
{
    struct lull_elf elf = {0};
    struct lull_arena arena = {0};
    struct lull_error *err = lull_elf_parse(in->data, in->size, &elf);
    *ret = (struct lull_link_glue_text){0};
    if (err == NULL && elf.machine == LULL_ELF_AMDGPU) {
        struct glue *g = lull_arena_calloc(&arena, 1, sizeof *g);
        if (g == NULL) {
            err = &lull_enomem;
        } else {
            g->which = which;
            err = make(&elf, &arena, layout, g, ret);
        }
    }
    lull_elf_done(&elf);
    lull_arena_done(&arena);
    return lull_error_in(err, "%s", in->name);
}
