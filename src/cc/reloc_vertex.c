// SPDX-License-Identifier: MIT
// Registers of primitive shaders, of hull shaders before them, and of hardware vertex shaders.
//
// Source: LLPC at 40cb8d95a, lgc/lowering/RegisterMetadataBuilder.cpp (what PAL is given, by chip);
// Mesa 25.0.7, src/amd/vulkan/radv_shader.c (VGPR_COMP_CNT of gfx9); RADV's draws.
#include <stdlib.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_graphics.h"
#include "file/msgpack_write.h"

enum {
    POSITION_4 = 4, // four components
    GFX10 = 10,
    GFX11 = 11,
    GFX12 = 12,
    ES_REAL = 2,
    ES_EVALUATES = 1,
    VS_REAL = 0,
    VS_EVALUATES = 1,
    VS_COPIES = 2,
    SCENARIO_A = 1, // of VGT_GS_MODE: each primitive has vertices of its own
    SCENARIO_G = 3, // ... a geometry shader
    LS_ON = 1,
    LEVEL_64 = 0x42800000, // a float
    SUBGROUP = 128,        // vertices and primitives, as RADV has it
    MAX_THREADS = 256,
    FAST_LAUNCH = 2, // like a compute shader
    FAST_LAUNCH_12 = 1,
};

/** Attributes in which the front end says what mesh, geometry and tessellation shaders are. */
static const char mesh[] = "lull-mesh", geometry[] = "lull-geometry";
static const char hull[] = "lull-hull", tessellation[] = "lull-tessellation";
static const char reads[] = "lull-reads", reads_id[] = "primitive-id";

/** The number behind @p word in an attribute of the shader, which it has. */
static unsigned number_of(LLVMValueRef fn, const char *name, const char *word)
{
    const char *at = strstr(lull_ir_attribute(fn, name), word);
    return at != NULL ? (unsigned)strtoul(at + strlen(word), NULL, 10) : 0;
}

/** What the positions behind the first are. */
static void put_positions(struct lull_str *s, LLVMValueRef fn)
{
    enum { DISTANCES = 8 };
    static const char name[] = "lull-positions";
    const unsigned clip = number_of(fn, name, "clip="), cull = number_of(fn, name, "cull=");
    const bool size = lull_rl_says(fn, name, "size"), layer = lull_rl_says(fn, name, "layer");
    const bool viewport = lull_rl_says(fn, name, "viewport");
    char clip_key[] = ".clip_dist_ena_0", cull_key[] = ".cull_dist_ena_0";
    lull_rl_map(s, ".pa_cl_vs_out_cntl", 6 + 2 * DISTANCES);
    lull_rl_put_bool(s, ".use_vtx_point_size", size);
    lull_rl_put_bool(s, ".use_vtx_render_target_indx", layer);
    lull_rl_put_bool(s, ".use_vtx_viewport_indx", viewport);
    lull_rl_put_bool(s, ".vs_out_misc_vec_ena", size || layer || viewport);
    lull_rl_put_bool(s, ".vs_out_cc_dist0_vec_ena", ((clip | cull) & 0xf) != 0);
    lull_rl_put_bool(s, ".vs_out_cc_dist1_vec_ena", ((clip | cull) & 0xf0) != 0);
    for (unsigned i = 0; i < DISTANCES; i++) {
        clip_key[sizeof clip_key - 2] = cull_key[sizeof cull_key - 2] = (char)('0' + i);
        lull_rl_put_bool(s, clip_key, (clip >> i & 1) != 0);
        lull_rl_put_bool(s, cull_key, (cull >> i & 1) != 0);
    }
}

/** What comes out of a shader that makes primitives itself. */
static void put_out_type(struct lull_str *s, unsigned corners)
{
    lull_msgpack_put_text(s, ".vgt_gs_out_prim_type");
    lull_msgpack_put_map(s, 1);
    lull_msgpack_put_text(s, ".outprim_type");
    lull_msgpack_put_text(s, corners == 1 ? "PointList" : corners == 2 ? "LineStrip" : "TriStrip");
}

/** The hull shader of a pipeline; NULL: it has none. */
static const struct lull_rl_entry *hull_of(const struct lull_rl *rl)
{
    for (size_t i = 0; i < rl->nentries; i++) {
        if (lull_ir_attribute(rl->entries[i].fn, hull) != NULL) {
            return &rl->entries[i];
        }
    }
    return NULL;
}

/** What VGT_SHADER_STAGES_EN says, with @p n fields more, which follow. Which stages come first is
 * said before gfx12 only. */
static void begin_stages(struct lull_str *s, const struct lull_rl_entry *hs,
                         const struct lull_rl_entry *e, bool is_mesh, size_t n)
{
    const bool names_stages = e->gfx < GFX12 && !is_mesh, has_wave32 = e->gfx >= GFX10;
    const bool is_vertex = !has_wave32 && lull_ir_attribute(e->fn, geometry) == NULL;
    lull_rl_map(s, ".vgt_shader_stages_en",
                n + 1 + names_stages + has_wave32 +
                    (hs != NULL ? 1u + has_wave32 + 2u * (e->gfx < GFX12) : 0));
    lull_rl_put(s, ".max_primgroup_in_wave", 2);
    if (names_stages) {
        lull_rl_put(s, is_vertex ? ".vs_stage_en" : ".es_stage_en",
                    is_vertex ? (hs != NULL ? VS_EVALUATES : VS_REAL)
                              : (hs != NULL ? ES_EVALUATES : ES_REAL));
    }
    if (has_wave32) {
        lull_rl_put_bool(s, ".gs_w32_en", e->wave_size == 32);
    }
    if (hs == NULL) {
        return;
    }
    lull_rl_put_bool(s, ".hs_stage_en", true);
    if (has_wave32) {
        lull_rl_put_bool(s, ".hs_w32_en", hs->wave_size == 32);
    }
    if (e->gfx < GFX12) {
        lull_rl_put(s, ".ls_stage_en", LS_ON);
        lull_rl_put_bool(s, ".dynamic_hs", true); // outputs go off chip
    }
}

/** VGPRs of a hull shader's vertices, but the first: up to the instance's. */
static unsigned hull_vgprs(unsigned gfx)
{
    return gfx >= GFX12 ? 1 : gfx >= GFX10 ? 3 : 2;
}

/** VGPRs of vertices or of points of patches, but the first. @p numbered: with the primitive's
 * number, which is among them on gfx9. */
static unsigned vertex_vgprs(unsigned gfx, bool evaluates, bool numbered)
{
    return evaluates ? 3 : gfx >= GFX12 ? 1 : gfx < GFX10 ? 1u + numbered : 3;
}

/** How patches are tessellated, and what comes out; how many keys that are. */
static size_t put_tessellation(struct lull_str *s, const struct lull_rl *rl,
                               const struct lull_rl_entry *hs, LLVMValueRef fn, bool puts_type)
{
    enum { INTEGER = 0, ODD = 2, EVEN = 3 };
    enum { ISOLINE, TRIANGLE, QUAD };
    enum { POINT, LINE, CW, CCW };
    const bool points = lull_rl_says(fn, tessellation, "points"),
               lines = lull_rl_says(fn, tessellation, "lines");
    const bool isolines = lull_rl_says(fn, tessellation, "isolines");
    lull_rl_map(s, ".vgt_tf_param", 3);
    lull_rl_put(s, ".type",
                isolines                                  ? ISOLINE
                : lull_rl_says(fn, tessellation, "quads") ? QUAD
                                                          : TRIANGLE);
    lull_rl_put(s, ".partitioning",
                lull_rl_says(fn, tessellation, "odd")    ? ODD
                : lull_rl_says(fn, tessellation, "even") ? EVEN
                                                         : INTEGER);
    lull_rl_put(s, ".topology",
                points                                   ? POINT
                : lines && isolines                      ? LINE
                : lull_rl_says(fn, tessellation, " ccw") ? CCW
                                                         : CW);
    lull_rl_map(s, ".vgt_ls_hs_config", 3);
    lull_rl_put(s, ".num_patches", number_of(hs->fn, hull, "patches="));
    lull_rl_put(s, ".hs_num_input_cp", rl->layout != NULL ? rl->layout->patch_control_points : 0);
    lull_rl_put(s, ".hs_num_output_cp", number_of(hs->fn, hull, "points="));
    lull_rl_put(s, ".vgt_hos_max_tess_level", LEVEL_64);
    lull_rl_put(s, ".vgt_hos_min_tess_level", 0);
    lull_rl_put(s, ".ls_vgpr_comp_cnt", hull_vgprs(hs->gfx));
    if (!puts_type) {
        return 5;
    }
    put_out_type(s, points ? 1 : isolines ? 2 : 3);
    return 6;
}

/** Of a primitive shader that is a vertex shader: each primitive goes out as it came in. */
static size_t put_passthrough(struct lull_str *s, const struct lull_rl_entry *hs,
                              const struct lull_rl_entry *e, const struct lull_rl_code *c)
{
    const bool says_passthrough = e->gfx < GFX12, has_no_msg = e->gfx >= GFX11;
    begin_stages(s, hs, e, false, 1u + says_passthrough + has_no_msg);
    lull_rl_put_bool(s, ".primgen_en", true);
    if (says_passthrough) {
        lull_rl_put_bool(s, ".primgen_passthru_en", true);
    }
    if (has_no_msg) {
        lull_rl_put_bool(s, ".primgen_passthru_no_msg", !c->message);
    }
    const bool numbered = hs == NULL && lull_rl_says(e->fn, reads, reads_id);
    lull_rl_put(s, ".gs_vgpr_comp_cnt", e->gfx >= GFX12 ? numbered : numbered ? 2 : 1);
    lull_rl_map(s, ".vgt_gs_onchip_cntl", 2);
    lull_rl_put(s, ".es_verts_per_subgroup", SUBGROUP);
    lull_rl_put(s, ".gs_prims_per_subgroup", SUBGROUP);
    lull_rl_put(s, ".max_verts_per_subgroup", SUBGROUP);
    lull_rl_put(s, ".vgt_gs_max_vert_out", 1);
    lull_rl_put(s, ".spi_shader_idx_format", 1);
    return 6;
}

/** Of a mesh shader: its workgroups, and what they put out at most. */
static size_t put_mesh(struct lull_str *s, const struct lull_rl_entry *e)
{
    const unsigned x = number_of(e->fn, mesh, "x="), y = number_of(e->fn, mesh, "y=");
    const unsigned z = number_of(e->fn, mesh, "z=");
    const unsigned vertices = number_of(e->fn, mesh, "vertices=");
    const bool payload = lull_rl_says(e->fn, mesh, "payload");
    begin_stages(s, NULL, e, true, 3);
    lull_rl_put_bool(s, ".gs_stage_en", true);
    lull_rl_put_bool(s, ".primgen_en", true);
    lull_rl_put(s, ".gs_fast_launch", e->gfx < GFX12 ? FAST_LAUNCH : FAST_LAUNCH_12);
    lull_rl_put(s, ".gs_vgpr_comp_cnt", 0);
    lull_rl_map(s, ".spi_shader_gs_meshlet_dim", 4);
    lull_rl_put(s, ".num_thread_x", x - 1);
    lull_rl_put(s, ".num_thread_y", y - 1);
    lull_rl_put(s, ".num_thread_z", z - 1);
    lull_rl_put(s, ".threadgroup_size", x * y * z - 1);
    lull_rl_map(s, ".spi_shader_gs_meshlet_exp_alloc", 2);
    lull_rl_put(s, ".max_exp_verts", vertices);
    lull_rl_put(s, ".max_exp_prims", number_of(e->fn, mesh, "primitives="));
    lull_rl_put(s, ".max_verts_per_subgroup", vertices);
    lull_rl_put(s, ".vgt_gs_max_vert_out", vertices);
    lull_rl_put(s, ".spi_shader_idx_format", payload ? 2 : 1);
    lull_rl_put_bool(s, ".vgt_draw_prim_payload_en", payload);
    put_out_type(s, number_of(e->fn, mesh, "corners="));
    return 9;
}

/** Of a geometry shader with the vertex shader before it. */
static size_t put_geometry(struct lull_str *s, const struct lull_rl_entry *hs,
                           const struct lull_rl_entry *e)
{
    const unsigned vertices = number_of(e->fn, geometry, "vertices=");
    const unsigned invocations = number_of(e->fn, geometry, "invocations=");
    begin_stages(s, hs, e, false, 2);
    lull_rl_put_bool(s, ".gs_stage_en", true);
    lull_rl_put_bool(s, ".primgen_en", true);
    lull_rl_put(s, ".gs_vgpr_comp_cnt", e->gfx < GFX12 ? 3 : 2);
    lull_rl_map(s, ".vgt_gs_onchip_cntl", 2);
    lull_rl_put(s, ".es_verts_per_subgroup", number_of(e->fn, geometry, "vertices-in="));
    lull_rl_put(s, ".gs_prims_per_subgroup", number_of(e->fn, geometry, "primitives-in="));
    lull_rl_map(s, ".vgt_gs_instance_cnt", 3);
    lull_rl_put_bool(s, ".enable", invocations > 1);
    lull_rl_put(s, ".count", invocations > 1 ? invocations : 0);
    lull_rl_put_bool(s, ".en_max_vert_out_per_gs_instance", lull_rl_says(e->fn, geometry, "alone"));
    lull_rl_put(s, ".max_verts_per_subgroup", number_of(e->fn, geometry, "places="));
    lull_rl_put(s, ".vgt_gs_max_vert_out", vertices);
    lull_rl_put(s, ".spi_shader_idx_format", 1);
    put_out_type(s, number_of(e->fn, geometry, "corners="));
    return 8;
}

/** How primitives are assembled, clipped and snapped; how many keys that are. */
static size_t put_assembly(struct lull_str *s, const struct lull_rl_entry *hs,
                           const struct lull_rl_entry *e)
{
    enum { GROUP = 128, TO_EVEN = 2, PARTS_256 = 5 };
    const bool is_mesh = lull_ir_attribute(e->fn, mesh) != NULL;
    const bool is_geometry = lull_ir_attribute(e->fn, geometry) != NULL;
    const bool viewport = is_mesh ? lull_rl_says(e->fn, mesh, "viewport")
                                  : lull_rl_says(e->fn, "lull-positions", "viewport");
    const bool evaluates = hs != NULL && !is_geometry && e->gfx < GFX10; // in the vertex stage
    const struct lull_rl_entry *last = hs == NULL || is_geometry || evaluates ? e : hs;
    const bool numbered = lull_rl_says(last->fn, reads, reads_id);
    lull_rl_put_bool(s, ".vgt_reuse_off", is_mesh || viewport);
    lull_rl_map(s, ".pa_cl_clip_cntl", 3);
    lull_rl_put_bool(s, ".dx_linear_attr_clip_ena", true);
    lull_rl_put_bool(s, ".rasterization_kill", false);
    lull_rl_put_bool(s, ".vte_vport_provoke_disable", viewport);
    lull_rl_map(s, ".pa_su_vtx_cntl", 3);
    lull_rl_put(s, ".pix_center", 1);
    lull_rl_put(s, ".round_mode", TO_EVEN);
    lull_rl_put(s, ".quant_mode", PARTS_256);
    lull_rl_map(s, ".ia_multi_vgt_param", hs != NULL ? 1u + evaluates : 1u);
    if (hs == NULL) {
        lull_rl_put(s, ".primgroup_size", GROUP - 1);
    } else {
        lull_rl_put_bool(s, ".switch_on_eoi", numbered);
    }
    if (evaluates) {
        lull_rl_put_bool(s, ".partial_es_wave_on", numbered);
    }
    if (!numbered || (hs != NULL && !is_geometry)) {
        return 4;
    }
    lull_rl_put_bool(s, ".vgt_primitive_id_en", true);
    if (is_geometry) {
        return 5;
    }
    if (e->gfx < GFX10) {
        lull_rl_map(s, ".vgt_gs_mode", 1);
        lull_rl_put(s, ".mode", SCENARIO_A);
    } else {
        lull_rl_put_bool(s, ".ngg_disable_provok_reuse", true);
    }
    return 6;
}

/** Of all shaders that put out positions and parameters. */
static size_t put_outputs(struct lull_str *s, const struct lull_rl_entry *hs,
                          const struct lull_rl_entry *e, const struct lull_rl_code *c)
{
    static const char *const enables[] = {".x_scale_ena",  ".x_offset_ena", ".y_scale_ena",
                                          ".y_offset_ena", ".z_scale_ena",  ".z_offset_ena",
                                          ".vtx_w0_fmt"};
    struct lull_rl_parameter list[LULL_RL_MAX_KEYS] = {0};
    const unsigned primitives = lull_rl_of_primitives(e->fn, lull_rl_writes);
    const int listed = lull_rl_parameter_list(e->fn, lull_rl_writes, list);
    const unsigned all = e->gfx >= GFX11 ? e->attributes : listed > 0 ? (unsigned)listed : 0;
    const unsigned slots = all - primitives;
    lull_rl_map(s, ".spi_vs_out_config", 2u + (e->gfx >= GFX11));
    lull_rl_put(s, ".vs_export_count", slots != 0 ? slots - 1 : 0);
    if (e->gfx >= GFX11) {
        lull_rl_put(s, ".prim_export_count", primitives);
    }
    lull_rl_put_bool(s, ".no_pc_export", all == 0);
    lull_rl_map(s, ".pa_cl_vte_cntl", sizeof enables / sizeof enables[0]);
    for (size_t i = 0; i < sizeof enables / sizeof enables[0]; i++) {
        lull_rl_put_bool(s, enables[i], true);
    }
    lull_msgpack_put_text(s, ".spi_shader_pos_format");
    lull_msgpack_put_array(s, LULL_RL_POSITIONS);
    for (unsigned i = 0; i < LULL_RL_POSITIONS; i++) {
        lull_msgpack_put_uint(s, i < c->positions ? POSITION_4 : 0);
    }
    const size_t n = put_assembly(s, hs, e);
    if (lull_ir_attribute(e->fn, "lull-positions") != NULL) {
        put_positions(s, e->fn);
        return n + 4;
    }
    if (c->positions > 1) {
        return n + 3; // what the second position is only its author knows
    }
    lull_rl_map(s, ".pa_cl_vs_out_cntl", 1);
    lull_rl_put_bool(s, ".vs_out_misc_vec_ena", false);
    return n + 4;
}

size_t lull_rl_put_primitive(struct lull_str *s, const struct lull_rl *rl,
                             const struct lull_rl_entry *e, const struct lull_rl_code *c)
{
    const bool is_mesh = lull_ir_attribute(e->fn, mesh) != NULL;
    const bool is_geometry = lull_ir_attribute(e->fn, geometry) != NULL;
    const bool evaluates = lull_ir_attribute(e->fn, tessellation) != NULL;
    const struct lull_rl_entry *hs = hull_of(rl);
    size_t n = is_mesh       ? put_mesh(s, e)
               : is_geometry ? put_geometry(s, hs, e)
                             : put_passthrough(s, hs, e, c);
    n += hs != NULL ? put_tessellation(s, rl, hs, e->fn, !is_geometry) : 0;
    lull_rl_put(s, ".es_vgpr_comp_cnt", is_mesh ? 0 : vertex_vgprs(e->gfx, evaluates, false));
    lull_rl_map(s, ".ge_ngg_subgrp_cntl", 2);
    lull_rl_put(s, ".prim_amp_factor", is_geometry ? number_of(e->fn, geometry, "vertices=") : 1);
    lull_rl_put(s, ".threads_per_subgroup", MAX_THREADS);
    if (e->gfx < GFX12) {
        lull_rl_put(s, ".vgt_esgs_ring_itemsize", 1);
    }
    return n + 2 + (e->gfx < GFX12) + put_outputs(s, hs, e, c);
}

/** How much a geometry shader of gfx9 takes in and emits. */
static size_t put_rings(struct lull_str *s, LLVMValueRef fn)
{
    enum { STREAMS = 4, PER_VERTEX_SHADER = 2 };
    const unsigned vertices = number_of(fn, geometry, "vertices=");
    const unsigned words = number_of(fn, geometry, "ring=");
    const unsigned item = number_of(fn, geometry, "item=");
    lull_msgpack_put_text(s, ".vgt_gs_vert_itemsize");
    lull_msgpack_put_array(s, STREAMS);
    for (unsigned i = 0; i < STREAMS; i++) {
        lull_msgpack_put_uint(s, i == 0 ? words : 0);
    }
    lull_msgpack_put_text(s, ".vgt_gsvs_ring_offset");
    lull_msgpack_put_array(s, STREAMS - 1);
    for (unsigned i = 1; i < STREAMS; i++) {
        lull_msgpack_put_uint(s, words * vertices);
    }
    lull_rl_put(s, ".vgt_gsvs_ring_itemsize", words * vertices);
    lull_rl_put(s, ".vgt_esgs_ring_itemsize", item != 0 ? item : 1);
    lull_rl_put(s, ".vgt_gs_per_vs", PER_VERTEX_SHADER);
    return 5;
}

size_t lull_rl_put_emitter(struct lull_str *s, const struct lull_rl *rl,
                           const struct lull_rl_entry *e)
{
    enum { FEW = 128, CUT_1024 = 0, CUT_512 = 1, CUT_256 = 2, CUT_128 = 3 };
    const struct lull_rl_entry *hs = hull_of(rl);
    const unsigned vertices = number_of(e->fn, geometry, "vertices=");
    const unsigned invocations = number_of(e->fn, geometry, "invocations=");
    const unsigned primitives = number_of(e->fn, geometry, "primitives-in=");
    lull_rl_map(s, ".vgt_gs_mode", 5);
    lull_rl_put(s, ".mode", SCENARIO_G);
    lull_rl_put(s, ".onchip", 0);
    lull_rl_put_bool(s, ".es_write_optimize", false);
    lull_rl_put_bool(s, ".gs_write_optimize", true);
    lull_rl_put(s, ".cut_mode",
                vertices <= FEW       ? CUT_128
                : vertices <= 2 * FEW ? CUT_256
                : vertices <= 4 * FEW ? CUT_512
                                      : CUT_1024);
    lull_rl_map(s, ".vgt_gs_onchip_cntl", 3);
    lull_rl_put(s, ".es_verts_per_subgroup", number_of(e->fn, geometry, "vertices-in="));
    lull_rl_put(s, ".gs_prims_per_subgroup", primitives);
    lull_rl_put(s, ".gs_inst_prims_per_subgrp", primitives * invocations);
    lull_rl_map(s, ".vgt_gs_instance_cnt", 2);
    lull_rl_put_bool(s, ".enable", invocations > 1);
    lull_rl_put(s, ".count", invocations > 1 ? invocations : 0);
    lull_rl_put(s, ".max_verts_per_subgroup", primitives * invocations * vertices);
    lull_rl_put(s, ".vgt_gs_max_vert_out", vertices);
    lull_rl_put(s, ".gs_vgpr_comp_cnt", 3);
    lull_rl_put(s, ".es_vgpr_comp_cnt", vertex_vgprs(e->gfx, hs != NULL, false));
    put_out_type(s, number_of(e->fn, geometry, "corners="));
    const size_t n = put_rings(s, e->fn);
    return n + 8 + (hs != NULL ? put_tessellation(s, rl, hs, e->fn, false) : 0);
}

size_t lull_rl_put_vertex(struct lull_str *s, const struct lull_rl *rl,
                          const struct lull_rl_entry *e, const struct lull_rl_code *c)
{
    const struct lull_rl_entry *hs = hull_of(rl);
    const bool copies = lull_ir_attribute(e->fn, geometry) != NULL;
    begin_stages(s, hs, e, false, copies ? 2 : 0);
    if (copies) {
        lull_rl_put_bool(s, ".gs_stage_en", true);
        lull_rl_put(s, ".vs_stage_en", VS_COPIES);
    }
    const size_t n = hs != NULL && !copies ? put_tessellation(s, rl, hs, e->fn, false) : 0;
    const bool numbered = lull_rl_says(e->fn, reads, reads_id);
    lull_rl_put(s, ".vs_vgpr_comp_cnt", copies ? 0 : vertex_vgprs(e->gfx, hs != NULL, numbered));
    return n + 2 + put_outputs(s, hs, e, c);
}
