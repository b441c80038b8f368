// SPDX-License-Identifier: MIT
// Registers of shaders that draw, as far as their code says them: exports, parameters, kills.
//
// Source: LLPC lgc/state/RegisterMetadataBuilder.cpp (what PAL is given); RADV's draws.
#include <stdlib.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_priv.h"
#include "file/msgpack_write.h"

enum {
    TARGETS = 8,
    MRTZ = 8, // targets of exports
    POS0 = 12,
    POSITIONS = 5,
    GS_ALLOC_REQ = 9,
    FORMAT_32_R = 1,
    FORMAT_32_GR = 2,
    FORMAT_32_AR = 3,
    FORMAT_FP16 = 4,
    FORMAT_32_ABGR = 9,
    POSITION_4 = 4, // four components
    GFX11 = 11,
    ES_REAL = 2,
    ES_EVALUATES = 1,
    LS_ON = 1,
    LEVEL_64 = 0x42800000, // a float
    LATE = 0,              // Z_ORDER
    EARLY_THEN_LATE = 1,
    SUBGROUP = 128, // vertices and primitives, as RADV has it
    MAX_THREADS = 256,
    MAX_CALLS = 8, // in each other
    MAX_KEYS = 64, // of parameters
    SAMPLE_LOCATION = 2,
    FAST_LAUNCH = 2, // like a compute shader
};

/** Attributes in which the front end says what parameters there are. */
static const char writes[] = "lull-parameters", reads[] = "lull-interpolants";

/** ... and what mesh, geometry and tessellation shaders are. */
static const char mesh[] = "lull-mesh", geometry[] = "lull-geometry";
static const char hull[] = "lull-hull", tessellation[] = "lull-tessellation";

/** What the code of a shader says. */
struct code {
    unsigned positions, interps;
    unsigned format[TARGETS], z_mask;
    bool message, kill, writes;
};

/** A parameter that one of the two shaders names: docs/formats/lull-intrinsics.md. */
struct parameter {
    unsigned key;
    bool flat;
    bool primitive; ///< Of a primitive, not of a vertex; those are the last.
};

/** The constant operand @p i; false if it is not one. */
static bool operand(LLVMValueRef call, unsigned i, unsigned *ret)
{
    LLVMValueRef v = i < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, i) : NULL;
    const bool ok = v != NULL && LLVMIsAConstantInt(v) != NULL;
    *ret = ok ? (unsigned)LLVMConstIntGetZExtValue(v) : 0;
    return ok;
}

/** An export of 32-bit components, or of pairs of halves. */
static void export(LLVMValueRef call, bool halves, struct code *c)
{
    unsigned target = 0, mask = 0;
    if (!operand(call, 0, &target) || !operand(call, 1, &mask)) {
        return;
    }
    if (target >= POS0 && target < POS0 + POSITIONS && target - POS0 >= c->positions) {
        c->positions = target - POS0 + 1;
    } else if (target == MRTZ) {
        c->z_mask |= mask;
    } else if (target < TARGETS && mask != 0) {
        const unsigned format = halves        ? FORMAT_FP16
                                : mask == 0x1 ? FORMAT_32_R
                                : mask == 0x3 ? FORMAT_32_GR
                                : mask == 0x9 ? FORMAT_32_AR
                                              : FORMAT_32_ABGR;
        c->format[target] = format > c->format[target] ? format : c->format[target];
    }
}

/** An intrinsic of the hardware, by what stands behind "llvm.amdgcn.". */
static void intrinsic(const char *name, LLVMValueRef call, struct code *c)
{
    unsigned n = 0;
    if (strncmp(name, "exp.", 4) == 0) {
        export(call, strncmp(name, "exp.compr", 9) == 0, c);
    } else if (strcmp(name, "lds.param.load") == 0 && operand(call, 1, &n)) {
        c->interps = n >= c->interps ? n + 1 : c->interps;
    } else if (strcmp(name, "s.sendmsg") == 0 && operand(call, 0, &n)) {
        c->message |= (n & 0xff) == GS_ALLOC_REQ;
    } else if (strcmp(name, "kill") == 0 || strcmp(name, "wqm.demote") == 0) {
        c->kill = true;
    } else if (strstr(name, "buffer.store") != NULL || strstr(name, "atomic") != NULL) {
        c->writes = true;
    }
}

/** The parameters that an attribute of the shader lists; -1: it has no such attribute. */
static int parameters(LLVMValueRef fn, const char *name, struct parameter list[MAX_KEYS])
{
    const char *at = lull_ir_attribute(fn, name);
    int n = 0;
    if (at == NULL) {
        return -1;
    }
    while (n < MAX_KEYS && *at >= '0' && *at <= '9') {
        char *end = NULL;
        list[n].key = (unsigned)strtoul(at, &end, 10);
        list[n].primitive = *end == 'p';
        list[n++].flat = *end == 'f';
        at = end + (*end == 'f' || *end == 'p');
        at += *at == ',';
    }
    return n;
}

static bool says(LLVMValueRef fn, const char *name, const char *word)
{
    const char *text = lull_ir_attribute(fn, name);
    return text != NULL && strstr(text, word) != NULL;
}

/** A function and those that it calls: shaders do not recurse. */
static void read_code(LLVMValueRef fn, unsigned depth, struct code *c)
{
    static const char prefix[] = "llvm.amdgcn.";
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL;
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) != NULL ? LLVMGetCalledValue(i) : NULL;
            callee = callee != NULL ? LLVMIsAFunction(callee) : NULL;
            const char *name = callee != NULL ? lull_ir_name(callee) : "";
            if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
                intrinsic(name + sizeof prefix - 1, i, c);
            } else if (callee != NULL && depth < MAX_CALLS) {
                read_code(callee, depth + 1, c);
            }
        }
    }
}

static void map(struct lull_str *s, const char *key, size_t n)
{
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_map(s, n);
}

static void put(struct lull_str *s, const char *key, uint64_t value)
{
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_uint(s, value);
}

static void put_bool(struct lull_str *s, const char *key, bool value)
{
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_bool(s, value);
}

/** How many of the parameters are of primitives; 0 without a list. */
static unsigned of_primitives(LLVMValueRef fn, const char *name)
{
    struct parameter list[MAX_KEYS] = {0};
    const int n = parameters(fn, name, list);
    unsigned primitives = 0;
    for (int i = 0; i < n; i++) {
        primitives += list[i].primitive;
    }
    return primitives;
}

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
    const bool size = says(fn, name, "size"), layer = says(fn, name, "layer");
    const bool viewport = says(fn, name, "viewport");
    char clip_key[] = ".clip_dist_ena_0", cull_key[] = ".cull_dist_ena_0";
    map(s, ".pa_cl_vs_out_cntl", 6 + 2 * DISTANCES);
    put_bool(s, ".use_vtx_point_size", size);
    put_bool(s, ".use_vtx_render_target_indx", layer);
    put_bool(s, ".use_vtx_viewport_indx", viewport);
    put_bool(s, ".vs_out_misc_vec_ena", size || layer || viewport);
    put_bool(s, ".vs_out_cc_dist0_vec_ena", ((clip | cull) & 0xf) != 0);
    put_bool(s, ".vs_out_cc_dist1_vec_ena", ((clip | cull) & 0xf0) != 0);
    for (unsigned i = 0; i < DISTANCES; i++) {
        clip_key[sizeof clip_key - 2] = cull_key[sizeof cull_key - 2] = (char)('0' + i);
        put_bool(s, clip_key, (clip >> i & 1) != 0);
        put_bool(s, cull_key, (cull >> i & 1) != 0);
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

enum { HULL_STAGES = 4 };

/** What VGT_SHADER_STAGES_EN says of stages before the primitive shader: HULL_STAGES fields more
 * with a hull shader, and one in any case. */
static void put_stages(struct lull_str *s, const struct lull_rl_entry *hs)
{
    put(s, ".es_stage_en", hs != NULL ? ES_EVALUATES : ES_REAL);
    if (hs != NULL) {
        put(s, ".ls_stage_en", LS_ON);
        put_bool(s, ".hs_stage_en", true);
        put_bool(s, ".hs_w32_en", hs->wave_size == 32);
        put_bool(s, ".dynamic_hs", true); // outputs go off chip
    }
}

/** How patches are tessellated, and what comes out; how many keys that are. */
static size_t put_tessellation(struct lull_str *s, const struct lull_rl *rl,
                               const struct lull_rl_entry *hs, LLVMValueRef fn, bool geometry_too)
{
    enum { INTEGER = 0, ODD = 2, EVEN = 3 };
    enum { ISOLINE, TRIANGLE, QUAD };
    enum { POINT, LINE, CW, CCW };
    const bool points = says(fn, tessellation, "points"), lines = says(fn, tessellation, "lines");
    const bool isolines = says(fn, tessellation, "isolines");
    map(s, ".vgt_tf_param", 3);
    put(s, ".type", isolines ? ISOLINE : says(fn, tessellation, "quads") ? QUAD : TRIANGLE);
    put(s, ".partitioning",
        says(fn, tessellation, "odd")    ? ODD
        : says(fn, tessellation, "even") ? EVEN
                                         : INTEGER);
    put(s, ".topology",
        points                           ? POINT
        : lines && isolines              ? LINE
        : says(fn, tessellation, " ccw") ? CCW
                                         : CW);
    map(s, ".vgt_ls_hs_config", 3);
    put(s, ".num_patches", number_of(hs->fn, hull, "patches="));
    put(s, ".hs_num_input_cp", rl->layout != NULL ? rl->layout->patch_control_points : 0);
    put(s, ".hs_num_output_cp", number_of(hs->fn, hull, "points="));
    put(s, ".vgt_hos_max_tess_level", LEVEL_64);
    put(s, ".vgt_hos_min_tess_level", 0);
    if (!geometry_too) {
        put_out_type(s, points ? 1 : isolines ? 2 : 3);
    }
    return geometry_too ? 4 : 5;
}

/** Of a primitive shader that is a vertex shader: each primitive goes out as it came in. */
static size_t put_passthrough(struct lull_str *s, const struct lull_rl_entry *hs,
                              const struct lull_rl_entry *e, const struct code *c)
{
    map(s, ".vgt_shader_stages_en", 6 + (hs != NULL ? HULL_STAGES : 0));
    put_stages(s, hs);
    put_bool(s, ".primgen_en", true);
    put_bool(s, ".primgen_passthru_en", true);
    put_bool(s, ".primgen_passthru_no_msg", !c->message);
    put_bool(s, ".gs_w32_en", e->wave_size == 32);
    put(s, ".max_primgroup_in_wave", 2);
    map(s, ".vgt_gs_onchip_cntl", 2);
    put(s, ".es_verts_per_subgroup", SUBGROUP);
    put(s, ".gs_prims_per_subgroup", SUBGROUP);
    put(s, ".max_verts_per_subgroup", SUBGROUP);
    put(s, ".vgt_gs_max_vert_out", 1);
    put(s, ".spi_shader_idx_format", 1);
    return 5;
}

/** Of a mesh shader: its workgroups, and what they put out at most. */
static size_t put_mesh(struct lull_str *s, const struct lull_rl_entry *e)
{
    const unsigned x = number_of(e->fn, mesh, "x="), y = number_of(e->fn, mesh, "y=");
    const unsigned z = number_of(e->fn, mesh, "z=");
    const unsigned vertices = number_of(e->fn, mesh, "vertices=");
    const bool payload = says(e->fn, mesh, "payload");
    map(s, ".vgt_shader_stages_en", 5);
    put_bool(s, ".gs_stage_en", true);
    put_bool(s, ".primgen_en", true);
    put(s, ".gs_fast_launch", FAST_LAUNCH);
    put_bool(s, ".gs_w32_en", e->wave_size == 32);
    put(s, ".max_primgroup_in_wave", 2);
    map(s, ".spi_shader_gs_meshlet_dim", 4);
    put(s, ".num_thread_x", x - 1);
    put(s, ".num_thread_y", y - 1);
    put(s, ".num_thread_z", z - 1);
    put(s, ".threadgroup_size", x * y * z - 1);
    map(s, ".spi_shader_gs_meshlet_exp_alloc", 2);
    put(s, ".max_exp_verts", vertices);
    put(s, ".max_exp_prims", number_of(e->fn, mesh, "primitives="));
    put(s, ".max_verts_per_subgroup", vertices);
    put(s, ".vgt_gs_max_vert_out", vertices);
    put(s, ".spi_shader_idx_format", payload ? 2 : 1);
    put_bool(s, ".vgt_draw_prim_payload_en", payload);
    put_out_type(s, number_of(e->fn, mesh, "corners="));
    return 8;
}

/** Of a geometry shader with the vertex shader before it. */
static size_t put_geometry(struct lull_str *s, const struct lull_rl_entry *hs,
                           const struct lull_rl_entry *e)
{
    const unsigned vertices = number_of(e->fn, geometry, "vertices=");
    const unsigned invocations = number_of(e->fn, geometry, "invocations=");
    map(s, ".vgt_shader_stages_en", 5 + (hs != NULL ? HULL_STAGES : 0));
    put_stages(s, hs);
    put_bool(s, ".gs_stage_en", true);
    put_bool(s, ".primgen_en", true);
    put_bool(s, ".gs_w32_en", e->wave_size == 32);
    put(s, ".max_primgroup_in_wave", 2);
    map(s, ".vgt_gs_onchip_cntl", 2);
    put(s, ".es_verts_per_subgroup", number_of(e->fn, geometry, "vertices-in="));
    put(s, ".gs_prims_per_subgroup", number_of(e->fn, geometry, "primitives-in="));
    map(s, ".vgt_gs_instance_cnt", 3);
    put_bool(s, ".enable", invocations > 1);
    put(s, ".count", invocations > 1 ? invocations : 0);
    put_bool(s, ".en_max_vert_out_per_gs_instance", says(e->fn, geometry, "alone"));
    put(s, ".max_verts_per_subgroup", number_of(e->fn, geometry, "places="));
    put(s, ".vgt_gs_max_vert_out", vertices);
    put(s, ".spi_shader_idx_format", 1);
    put_out_type(s, number_of(e->fn, geometry, "corners="));
    return 7;
}

/** Of all primitive shaders. */
static size_t put_primitive(struct lull_str *s, const struct lull_rl *rl,
                            const struct lull_rl_entry *e, const struct code *c)
{
    static const char *const enables[] = {".x_scale_ena",  ".x_offset_ena", ".y_scale_ena",
                                          ".y_offset_ena", ".z_scale_ena",  ".z_offset_ena",
                                          ".vtx_w0_fmt"};
    const bool is_mesh = lull_ir_attribute(e->fn, mesh) != NULL;
    const bool is_geometry = lull_ir_attribute(e->fn, geometry) != NULL;
    const struct lull_rl_entry *hs = hull_of(rl);
    size_t n = is_mesh       ? put_mesh(s, e)
               : is_geometry ? put_geometry(s, hs, e)
                             : put_passthrough(s, hs, e, c);
    n += hs != NULL ? put_tessellation(s, rl, hs, e->fn, is_geometry) : 0;
    const unsigned primitives = of_primitives(e->fn, writes), slots = e->attributes - primitives;
    map(s, ".ge_ngg_subgrp_cntl", 2);
    put(s, ".prim_amp_factor", is_geometry ? number_of(e->fn, geometry, "vertices=") : 1);
    put(s, ".threads_per_subgroup", MAX_THREADS);
    put(s, ".vgt_esgs_ring_itemsize", 1);
    map(s, ".spi_vs_out_config", 3);
    put(s, ".vs_export_count", slots != 0 ? slots - 1 : 0);
    put(s, ".prim_export_count", primitives);
    put_bool(s, ".no_pc_export", e->attributes == 0);
    map(s, ".pa_cl_vte_cntl", sizeof enables / sizeof enables[0]);
    for (size_t i = 0; i < sizeof enables / sizeof enables[0]; i++) {
        put_bool(s, enables[i], true);
    }
    lull_msgpack_put_text(s, ".spi_shader_pos_format");
    lull_msgpack_put_array(s, POSITIONS);
    for (unsigned i = 0; i < POSITIONS; i++) {
        lull_msgpack_put_uint(s, i < c->positions ? POSITION_4 : 0);
    }
    if (lull_ir_attribute(e->fn, "lull-positions") != NULL) {
        put_positions(s, e->fn);
        return n + 6;
    }
    if (c->positions > 1) {
        return n + 5; // what the second position is only its author knows
    }
    map(s, ".pa_cl_vs_out_cntl", 1);
    put_bool(s, ".vs_out_misc_vec_ena", false);
    return n + 6;
}

static void put_targets(struct lull_str *s, const struct lull_rl_entry *e, const struct code *c)
{
    char format[] = ".col_0_export_format", enable[] = ".output0_enable";
    map(s, ".spi_shader_col_format", TARGETS);
    for (unsigned i = 0; i < TARGETS; i++) {
        format[sizeof ".col_" - 1] = (char)('0' + i);
        put(s, format, e->has_colors ? e->color_format[i] : c->format[i]);
    }
    map(s, ".cb_shader_mask", TARGETS);
    for (unsigned i = 0; i < TARGETS; i++) {
        enable[sizeof ".output" - 1] = (char)('0' + i);
        put(s, enable, e->has_colors ? e->color_mask[i] : c->format[i] != 0 ? 0xf : 0);
    }
}

/** SPI_PS_INPUT_CNTL_n: parameters in the order in which they are read; the linker knows better. */
static unsigned put_inputs(struct lull_str *s, const struct lull_rl_entry *e, const struct code *c)
{
    struct parameter list[MAX_KEYS] = {0};
    const int listed = parameters(e->fn, reads, list);
    const unsigned n = listed > (int)c->interps ? (unsigned)listed : c->interps;
    lull_msgpack_put_text(s, ".spi_ps_input_cntl");
    lull_msgpack_put_array(s, n != 0 ? n : 1); // PAL expects one
    for (unsigned i = 0; i < (n != 0 ? n : 1); i++) {
        const bool known = listed > 0 && i < (unsigned)listed;
        const bool point = known && list[i].key == LULL_RL_KEY_POINT;
        const bool primitive = known && list[i].primitive;
        lull_msgpack_put_map(s, 1u + (known && list[i].flat) + point + primitive);
        put(s, ".offset", i);
        if (primitive) {
            put_bool(s, ".prim_attr", true);
        }
        if (known && list[i].flat) {
            put_bool(s, ".flat_shade", true);
        }
        if (point) {
            put_bool(s, ".pt_sprite_tex", true);
        }
    }
    return n;
}

static bool reads_point(LLVMValueRef fn)
{
    struct parameter list[MAX_KEYS] = {0};
    const int n = parameters(fn, reads, list);
    bool point = false;
    for (int i = 0; i < n; i++) {
        point |= list[i].key == LULL_RL_KEY_POINT;
    }
    return point;
}

/** gl_PointCoord is (s, t, 0, 1), as RADV has it. */
static void put_point_sprite(struct lull_str *s)
{
    enum { ZERO, ONE, S, T };
    map(s, ".spi_interp_control", 5);
    put_bool(s, ".point_sprite_ena", true);
    put(s, ".point_sprite_override_x", S);
    put(s, ".point_sprite_override_y", T);
    put(s, ".point_sprite_override_z", ZERO);
    put(s, ".point_sprite_override_w", ONE);
}

/** Is alpha coverage? @p open: the part that exports the colours says it. */
static void put_coverage(struct lull_str *s, const struct lull_rl *rl, bool open)
{
    const bool coverage = open || (rl->layout != NULL && rl->layout->alpha_to_coverage);
    put_bool(s, ".alpha_to_mask_disable", !coverage);
}

static size_t put_pixel(struct lull_str *s, const struct lull_rl *rl, const struct lull_rl_entry *e,
                        const struct code *c)
{
    const bool early = says(e->fn, "lull-fragment", "early");
    const bool sample = says(e->fn, "lull-fragment", "sample");
    const unsigned n = put_inputs(s, e, c);
    const unsigned primitives = of_primitives(e->fn, reads);
    map(s, ".spi_ps_in_control", 3);
    put(s, ".num_interps", n - primitives);
    put(s, ".num_prim_interp", primitives);
    put_bool(s, ".ps_w32_en", e->wave_size == 32);
    put_targets(s, e, c);
    put(s, ".spi_shader_z_format",
        c->z_mask == 0   ? 0
        : c->z_mask <= 1 ? FORMAT_32_R
        : c->z_mask <= 3 ? FORMAT_32_GR
                         : FORMAT_32_ABGR);
    map(s, ".db_shader_control", 8);
    put(s, ".z_order", c->writes && !early ? LATE : EARLY_THEN_LATE);
    put_bool(s, ".exec_on_hier_fail", c->writes && !early);
    put_bool(s, ".depth_before_shader", early);
    put_bool(s, ".kill_enable", c->kill);
    put_bool(s, ".z_export_enable", (c->z_mask & 1) != 0);
    put_bool(s, ".stencil_test_val_export_enable", (c->z_mask & 2) != 0);
    put_bool(s, ".mask_export_enable", (c->z_mask & 4) != 0);
    put_coverage(s, rl, rl->layout == NULL && e->has_colors);
    map(s, ".spi_baryc_cntl", 2);
    put(s, ".pos_float_location", sample ? SAMPLE_LOCATION : 0);
    put_bool(s, ".front_face_all_bits", true);
    if (sample) {
        put_bool(s, ".ps_iter_sample", true);
    }
    const bool point = reads_point(e->fn);
    if (point) {
        put_point_sprite(s);
    }
    return 7u + sample + point;
}

/** One list of semantics, for the linker. */
static void put_semantics(struct lull_str *s, const char *key, LLVMValueRef fn,
                          const char *attribute)
{
    struct parameter list[MAX_KEYS] = {0};
    const int n = parameters(fn, attribute, list);
    const uint64_t first = n > 0 && list[0].primitive; // a vertex has one, though nobody writes it
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_array(s, (size_t)n);
    for (int i = 0; i < n; i++) {
        const bool out = strcmp(attribute, writes) == 0;
        lull_msgpack_put_map(s, out ? 2 : 1);
        if (out) {
            put(s, ".index", first + (uint64_t)i);
        }
        put(s, ".semantic", list[i].key);
    }
}

size_t lull_rl_put_interface(struct lull_str *s, const struct lull_rl *rl)
{
    size_t n = 0;
    const struct {
        const char *key, *attribute;
    } lists[] = {{".preraster_output_semantic", writes}, {".ps_input_semantic", reads}};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        for (size_t i = 0; i < rl->nentries; i++) {
            if (lull_ir_attribute(rl->entries[i].fn, lists[k].attribute) != NULL) {
                put_semantics(s, lists[k].key, rl->entries[i].fn, lists[k].attribute);
                n++;
                break;
            }
        }
    }
    return n;
}

void lull_rl_put_graphics(struct lull_str *s, const struct lull_rl *rl)
{
    struct lull_str inner = {0};
    size_t n = 0;
    for (size_t i = 0; i < rl->nentries; i++) {
        const struct lull_rl_entry *e = &rl->entries[i];
        struct code c = {0};
        read_code(e->fn, 0, &c);
        if (e->gfx != GFX11 && e->has_colors) { // more is known of gfx11 only
            put_targets(&inner, e, &c);
            n += 2;
        } else if (e->gfx != GFX11) {
            continue;
        } else if (e->glue == LULL_RL_EXPORT) {
            put_targets(&inner, e, &c);
            map(&inner, ".db_shader_control", 1);
            put_coverage(&inner, rl, false);
            n += 3;
        } else if (strcmp(e->stage, "gs") == 0) {
            n += put_primitive(&inner, rl, e, &c);
        } else if (strcmp(e->stage, "ps") == 0) {
            n += put_pixel(&inner, rl, e, &c);
        }
    }
    map(s, ".graphics_registers", n);
    lull_str_add(s, lull_str_text(&inner), inner.size);
    s->err = s->err != NULL ? s->err : inner.err;
    lull_str_free(&inner);
}
