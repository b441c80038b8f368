// SPDX-License-Identifier: MIT
// Shaders that were compiled apart number their parameters apart: the pixel shader's inputs get the
// slots that the primitive shader has for the same semantics (PAL: .preraster_output_semantic,
// .ps_input_semantic).
#include "link/link_priv.h"

/** Semantics of built-ins that mesh shaders give by primitive (docs/formats/lull-intrinsics.md). */
enum { LAYER = 32, VIEWPORT = 33, PRIMITIVE_ID = 37 };

enum { DEFAULT_0 = 0x20 }; // SPI_PS_INPUT_CNTL_n.OFFSET: no slot, the value is 0

static bool number(const struct lull_msgtree *t, uint64_t *ret)
{
    const bool ok = t != NULL && t->m.kind == LULL_MSGPACK_UINT;
    *ret = ok ? t->m.u : 0;
    return ok;
}

static const struct lull_msgtree *list(const struct lull_msgtree *t, const char *key)
{
    const struct lull_msgtree *found = lull_msgtree_get(t, key);
    return found != NULL && found->m.kind == LULL_MSGPACK_ARRAY ? found : NULL;
}

/** Slots from this one on are of primitives. */
static uint64_t first_of_primitives(const struct lull_msgtree *registers)
{
    const struct lull_msgtree *config = lull_msgtree_get(registers, ".spi_vs_out_config");
    uint64_t vertex = 0, primitive = 0;
    return number(lull_msgtree_get(config, ".vs_export_count"), &vertex) &&
                   number(lull_msgtree_get(config, ".prim_export_count"), &primitive) &&
                   primitive != 0
               ? vertex + 1
               : DEFAULT_0;
}

/** One parameter fewer is of vertices, and one more of primitives. */
static void count_primitive(const struct lull_msgtree *registers)
{
    const struct lull_msgtree *in = lull_msgtree_get(registers, ".spi_ps_in_control");
    struct lull_msgtree *vertices = lull_msgtree_get(in, ".num_interps");
    struct lull_msgtree *primitives = lull_msgtree_get(in, ".num_prim_interp");
    uint64_t n = 0;
    if (number(vertices, &n) && n != 0 && number(primitives, &n)) {
        vertices->m.u--;
        primitives->m.u++;
    }
}

/** A built-in: the pixel shader does not know whether a mesh shader gives it, by primitive. */
LULL_MUST_USE static struct lull_error *match_builtin(struct lull_linker *l,
                                                      const struct lull_msgtree *registers,
                                                      uint64_t semantic, bool of_primitive,
                                                      struct lull_msgtree *control)
{
    const uint64_t slot = lull_msgtree_get(control, ".offset")->m.u;
    if (semantic == PRIMITIVE_ID && slot == DEFAULT_0) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED,
            "the pixel shader reads gl_PrimitiveID, which must be written by a "
            "geometry or mesh shader before it, or given by a vertex or evaluation "
            "shader that was compiled with --primitive-id, and is not");
    }
    if (!of_primitive || slot >= DEFAULT_0) {
        return NULL;
    }
    struct lull_msgtree *attr = lull_msgtree_number(l->arena, control, ".prim_attr");
    if (attr == NULL) {
        return &lull_enomem;
    }
    attr->m.kind = LULL_MSGPACK_BOOL;
    attr->m.u = 1;
    count_primitive(registers);
    return NULL;
}

/** A parameter is of vertices for both shaders, or of primitives. */
LULL_MUST_USE static struct lull_error *check_kind(uint64_t semantic, uint64_t slot, uint64_t first,
                                                   bool of_primitive)
{
    if (slot >= DEFAULT_0 || (slot >= first) == of_primitive) {
        return NULL;
    }
    return lull_error_new(LULL_ERR_BAD_DATA,
                          "parameter %llu: the pixel shader reads it as one of %s, the shader "
                          "before it writes it as one of %s",
                          (unsigned long long)semantic, of_primitive ? "primitives" : "vertices",
                          of_primitive ? "vertices" : "primitives");
}

/** The slot of an output; DEFAULT_0: nothing writes it. */
static uint64_t slot_of(const struct lull_msgtree *outputs, uint64_t semantic)
{
    for (const struct lull_msgtree *o = outputs->first; o != NULL; o = o->next) {
        uint64_t have = 0, index = 0;
        if (number(lull_msgtree_get(o, ".semantic"), &have) && have == semantic &&
            number(lull_msgtree_get(o, ".index"), &index)) {
            return index;
        }
    }
    return DEFAULT_0;
}

struct lull_error *lull_link_match_interface(struct lull_linker *l)
{
    const struct lull_msgtree *pipelines = lull_msgtree_get(l->metadata, "amdpal.pipelines");
    const struct lull_msgtree *p = pipelines != NULL ? pipelines->first : NULL;
    const struct lull_msgtree *outputs = list(p, ".preraster_output_semantic");
    const struct lull_msgtree *inputs = list(p, ".ps_input_semantic");
    const struct lull_msgtree *registers = lull_msgtree_get(p, ".graphics_registers");
    const struct lull_msgtree *controls = list(registers, ".spi_ps_input_cntl");
    if (outputs == NULL || inputs == NULL || controls == NULL) {
        return NULL;
    }
    const uint64_t first = first_of_primitives(registers);
    struct lull_msgtree *c = controls->first;
    for (const struct lull_msgtree *i = inputs->first; i != NULL && c != NULL;
         i = i->next, c = c->next) {
        uint64_t semantic = 0;
        if (c->m.kind != LULL_MSGPACK_MAP || !number(lull_msgtree_get(i, ".semantic"), &semantic)) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "metadata '.ps_input_semantic': an item without '.semantic', or "
                                  "'.spi_ps_input_cntl' has one that is not a map");
        }
        if (lull_msgtree_get(c, ".pt_sprite_tex") != NULL) {
            continue; // the hardware makes it
        }
        struct lull_msgtree *offset = lull_msgtree_number(l->arena, c, ".offset");
        if (offset == NULL) {
            return &lull_enomem;
        }
        offset->m.u = slot_of(outputs, semantic);
        const bool builtin = semantic == LAYER || semantic == VIEWPORT || semantic == PRIMITIVE_ID;
        struct lull_error *err =
            builtin ? match_builtin(l, registers, semantic, offset->m.u >= first, c) : NULL;
        if (err != NULL) {
            return err;
        }
        err = check_kind(semantic, offset->m.u, first, lull_msgtree_get(c, ".prim_attr") != NULL);
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}

static bool is_set(const struct lull_msgtree *map, const char *key)
{
    const struct lull_msgtree *t = lull_msgtree_get(map, key);
    return t != NULL && t->m.kind == LULL_MSGPACK_BOOL && t->m.u != 0;
}

struct lull_error *lull_link_check_views(struct lull_linker *l)
{
    const struct lull_msgtree *pipelines = lull_msgtree_get(l->metadata, "amdpal.pipelines");
    const struct lull_msgtree *registers =
        lull_msgtree_get(pipelines != NULL ? pipelines->first : NULL, ".graphics_registers");
    const struct lull_msgtree *out = lull_msgtree_get(registers, ".pa_cl_vs_out_cntl");
    if (!l->layout->multiview || out == NULL || is_set(out, ".use_vtx_render_target_indx") ||
        is_set(registers, ".vgt_draw_prim_payload_en")) {
        return NULL;
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED,
                          "the layout draws views, and the shader before the rasteriser puts its "
                          "primitives to no layer: it does not read gl_ViewIndex; compile it with "
                          "--multiview");
}

struct lull_error *lull_link_set_patch(struct lull_linker *l)
{
    const struct lull_msgtree *pipelines = lull_msgtree_get(l->metadata, "amdpal.pipelines");
    const struct lull_msgtree *registers =
        lull_msgtree_get(pipelines != NULL ? pipelines->first : NULL, ".graphics_registers");
    const struct lull_msgtree *config = lull_msgtree_get(registers, ".vgt_ls_hs_config");
    struct lull_msgtree *points = lull_msgtree_get(config, ".hs_num_input_cp");
    uint64_t n = 0;
    const uint32_t want = l->layout->patch_control_points;
    if (!number(points, &n)) {
        return NULL;
    }
    if (n != 0 && want != 0 && n != want) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "metadata '.vgt_ls_hs_config/.hs_num_input_cp' is %llu, and the "
                              "layout's patch_control_points is %u",
                              (unsigned long long)n, want);
    }
    if (n == 0 && want != 0) {
        points->m.u = want;
    }
    return NULL;
}
