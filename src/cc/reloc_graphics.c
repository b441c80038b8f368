// SPDX-License-Identifier: MIT
// Registers of shaders that draw, as far as their code says them: exports, parameters, kills.
//
// Source: LLPC lgc/state/RegisterMetadataBuilder.cpp (what PAL is given); RADV's draws.
#include <stdlib.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_graphics.h"
#include "file/msgpack_write.h"

enum {
    MRTZ = 8, // targets of exports
    POS0 = 12,
    GS_ALLOC_REQ = 9,
    FORMAT_32_R = 1,
    FORMAT_32_GR = 2,
    FORMAT_32_AR = 3,
    FORMAT_FP16 = 4,
    FORMAT_32_ABGR = 9,
    GFX9 = 9,
    GFX10 = 10,
    GFX11 = 11,
    LATE = 0, // Z_ORDER
    EARLY_THEN_LATE = 1,
    MAX_CALLS = 8, // in each other
    SAMPLE_LOCATION = 2,
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
static void export(LLVMValueRef call, bool halves, struct lull_rl_code *c)
{
    unsigned target = 0, mask = 0;
    if (!operand(call, 0, &target) || !operand(call, 1, &mask)) {
        return;
    }
    if (target >= POS0 && target < POS0 + LULL_RL_POSITIONS && target - POS0 >= c->positions) {
        c->positions = target - POS0 + 1;
    } else if (target == MRTZ) {
        c->z_mask |= mask;
    } else if (target < LULL_RL_TARGETS && mask != 0) {
        const unsigned format = halves        ? FORMAT_FP16
                                : mask == 0x1 ? FORMAT_32_R
                                : mask == 0x3 ? FORMAT_32_GR
                                : mask == 0x9 ? FORMAT_32_AR
                                              : FORMAT_32_ABGR;
        c->format[target] = format > c->format[target] ? format : c->format[target];
    }
}

/** Which operand of an intrinsic is the number of a parameter; -1: it reads none. */
static int attribute_operand(const char *name)
{
    static const struct {
        const char *name;
        int operand;
    } rows[] = {{"lds.param.load", 1}, {"interp.p1", 2},     {"interp.p2", 3},
                {"interp.mov", 2},     {"interp.p1.f16", 2}, {"interp.p2.f16", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            return rows[i].operand;
        }
    }
    return -1;
}

/** An intrinsic of the hardware, by what stands behind "llvm.amdgcn.". */
static void intrinsic(const char *name, LLVMValueRef call, struct lull_rl_code *c)
{
    unsigned n = 0;
    if (strncmp(name, "exp.", 4) == 0) {
        export(call, strncmp(name, "exp.compr", 9) == 0, c);
    } else if (attribute_operand(name) >= 0 &&
               operand(call, (unsigned)attribute_operand(name), &n)) {
        c->interps = n >= c->interps ? n + 1 : c->interps;
    } else if (strcmp(name, "s.sendmsg") == 0 && operand(call, 0, &n)) {
        c->message |= (n & 0xff) == GS_ALLOC_REQ;
    } else if (strcmp(name, "kill") == 0 || strcmp(name, "wqm.demote") == 0) {
        c->kill = true;
    } else if (strstr(name, "buffer.store") != NULL || strstr(name, "atomic") != NULL) {
        c->writes = true;
    }
}

/** A function and those that it calls: shaders do not recurse. */
static void read_code(LLVMValueRef fn, unsigned depth, struct lull_rl_code *c)
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

static void put_targets(struct lull_str *s, const struct lull_rl_entry *e,
                        const struct lull_rl_code *c)
{
    char format[] = ".col_0_export_format", enable[] = ".output0_enable";
    lull_rl_map(s, ".spi_shader_col_format", LULL_RL_TARGETS);
    for (unsigned i = 0; i < LULL_RL_TARGETS; i++) {
        format[sizeof ".col_" - 1] = (char)('0' + i);
        lull_rl_put(s, format, e->has_colors ? e->color_format[i] : c->format[i]);
    }
    lull_rl_map(s, ".cb_shader_mask", LULL_RL_TARGETS);
    for (unsigned i = 0; i < LULL_RL_TARGETS; i++) {
        enable[sizeof ".output" - 1] = (char)('0' + i);
        lull_rl_put(s, enable, e->has_colors ? e->color_mask[i] : c->format[i] != 0 ? 0xf : 0);
    }
}

/** SPI_PS_INPUT_CNTL_n: parameters in the order in which they are read; the linker knows better. */
static unsigned put_inputs(struct lull_str *s, const struct lull_rl_entry *e,
                           const struct lull_rl_code *c)
{
    struct lull_rl_parameter list[LULL_RL_MAX_KEYS] = {0};
    const int listed = lull_rl_parameter_list(e->fn, lull_rl_reads, list);
    const unsigned n = listed > (int)c->interps ? (unsigned)listed : c->interps;
    lull_msgpack_put_text(s, ".spi_ps_input_cntl");
    lull_msgpack_put_array(s, n != 0 ? n : 1); // PAL expects one
    for (unsigned i = 0; i < (n != 0 ? n : 1); i++) {
        const bool known = listed > 0 && i < (unsigned)listed;
        const bool point = known && list[i].key == LULL_RL_KEY_POINT;
        const bool primitive = known && list[i].primitive;
        lull_msgpack_put_map(s, 1u + (known && list[i].flat) + point + primitive);
        lull_rl_put(s, ".offset", i);
        if (primitive) {
            lull_rl_put_bool(s, ".prim_attr", true);
        }
        if (known && list[i].flat) {
            lull_rl_put_bool(s, ".flat_shade", true);
        }
        if (point) {
            lull_rl_put_bool(s, ".pt_sprite_tex", true);
        }
    }
    return n;
}

static bool reads_point(LLVMValueRef fn)
{
    struct lull_rl_parameter list[LULL_RL_MAX_KEYS] = {0};
    const int n = lull_rl_parameter_list(fn, lull_rl_reads, list);
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
    lull_rl_map(s, ".spi_interp_control", 5);
    lull_rl_put_bool(s, ".point_sprite_ena", true);
    lull_rl_put(s, ".point_sprite_override_x", S);
    lull_rl_put(s, ".point_sprite_override_y", T);
    lull_rl_put(s, ".point_sprite_override_z", ZERO);
    lull_rl_put(s, ".point_sprite_override_w", ONE);
}

/** Is alpha coverage? @p open: the part that exports the colours says it. */
static void put_coverage(struct lull_str *s, const struct lull_rl *rl, bool open)
{
    const bool coverage = open || (rl->layout != NULL && rl->layout->alpha_to_coverage);
    lull_rl_put_bool(s, ".alpha_to_mask_disable", !coverage);
}

static size_t put_pixel(struct lull_str *s, const struct lull_rl *rl, const struct lull_rl_entry *e,
                        const struct lull_rl_code *c)
{
    const bool early = lull_rl_says(e->fn, "lull-fragment", "early");
    const bool sample = lull_rl_says(e->fn, "lull-fragment", "sample");
    const unsigned n = put_inputs(s, e, c);
    const unsigned primitives = lull_rl_of_primitives(e->fn, lull_rl_reads);
    const bool counts_both = e->gfx >= GFX11, has_wave32 = e->gfx >= GFX10;
    lull_rl_map(s, ".spi_ps_in_control", 1u + counts_both + has_wave32);
    lull_rl_put(s, ".num_interps", n - primitives);
    if (counts_both) {
        lull_rl_put(s, ".num_prim_interp", primitives);
    }
    if (has_wave32) {
        lull_rl_put_bool(s, ".ps_w32_en", e->wave_size == 32);
    }
    put_targets(s, e, c);
    lull_rl_put(s, ".spi_shader_z_format",
                c->z_mask == 0   ? 0
                : c->z_mask <= 1 ? FORMAT_32_R
                : c->z_mask <= 3 ? FORMAT_32_GR
                                 : FORMAT_32_ABGR);
    lull_rl_map(s, ".db_shader_control", 8);
    lull_rl_put(s, ".z_order", c->writes && !early ? LATE : EARLY_THEN_LATE);
    lull_rl_put_bool(s, ".exec_on_hier_fail", c->writes && !early);
    lull_rl_put_bool(s, ".depth_before_shader", early);
    lull_rl_put_bool(s, ".kill_enable", c->kill);
    lull_rl_put_bool(s, ".z_export_enable", (c->z_mask & 1) != 0);
    lull_rl_put_bool(s, ".stencil_test_val_export_enable", (c->z_mask & 2) != 0);
    lull_rl_put_bool(s, ".mask_export_enable", (c->z_mask & 4) != 0);
    put_coverage(s, rl, rl->layout == NULL && e->has_colors);
    lull_rl_map(s, ".spi_baryc_cntl", 2);
    lull_rl_put(s, ".pos_float_location", sample ? SAMPLE_LOCATION : 0);
    lull_rl_put_bool(s, ".front_face_all_bits", true);
    if (sample) {
        lull_rl_put_bool(s, ".ps_iter_sample", true);
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
    struct lull_rl_parameter list[LULL_RL_MAX_KEYS] = {0};
    const int n = lull_rl_parameter_list(fn, attribute, list);
    const uint64_t first = n > 0 && list[0].primitive; // a vertex has one, though nobody writes it
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_array(s, (size_t)n);
    for (int i = 0; i < n; i++) {
        const bool out = strcmp(attribute, lull_rl_writes) == 0;
        lull_msgpack_put_map(s, out ? 2 : 1);
        if (out) {
            lull_rl_put(s, ".index", first + (uint64_t)i);
        }
        lull_rl_put(s, ".semantic", list[i].key);
    }
}

size_t lull_rl_put_interface(struct lull_str *s, const struct lull_rl *rl)
{
    size_t n = 0;
    const struct {
        const char *key, *attribute;
    } lists[] = {{".preraster_output_semantic", lull_rl_writes},
                 {".ps_input_semantic", lull_rl_reads}};
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
        struct lull_rl_code c = {0};
        read_code(e->fn, 0, &c);
        const bool known = lull_ir_attribute(e->fn, lull_rl_writes) != NULL;
        if (e->gfx < GFX9) {
            continue;
        }
        if (e->glue == LULL_RL_EXPORT) {
            put_targets(&inner, e, &c);
            lull_rl_map(&inner, ".db_shader_control", 1);
            put_coverage(&inner, rl, false);
            n += 3;
        } else if (strcmp(e->stage, "gs") == 0 && e->gfx < GFX10 &&
                   lull_ir_attribute(e->fn, "lull-geometry") != NULL) {
            n += lull_rl_put_emitter(&inner, rl, e);
        } else if (strcmp(e->stage, "gs") == 0 && (e->gfx >= GFX11 || known)) {
            n += lull_rl_put_primitive(&inner, rl, e, &c);
        } else if (strcmp(e->stage, "vs") == 0 && known) {
            n += lull_rl_put_vertex(&inner, rl, e, &c);
        } else if (strcmp(e->stage, "ps") == 0) {
            n += put_pixel(&inner, rl, e, &c);
        }
    }
    lull_rl_map(s, ".graphics_registers", n);
    lull_str_add(s, lull_str_text(&inner), inner.size);
    s->err = s->err != NULL ? s->err : inner.err;
    lull_str_free(&inner);
}
