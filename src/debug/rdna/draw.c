// SPDX-License-Identifier: MIT
#include "debug/rdna/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "hw/reg.h"

enum {
    CONTEXT = 0x28000,
    SH = 0xb000,
    UCONFIG = 0x30900,
    NEXT_TARGET = 0x3c, // bytes between the registers of two targets
    STENCIL_BITS = 8,
};

#define FIELD(word, NAME) lull_get((word), LULL_DRAW11_##NAME##_MASK)

uint32_t lull_draw_reg(const struct lull_draw_regs *r, uint32_t offset)
{
    if (offset >= CONTEXT && offset - CONTEXT < sizeof r->context) {
        return r->context[(offset - CONTEXT) / 4];
    }
    if (offset >= SH && offset - SH < sizeof r->sh) {
        return r->sh[(offset - SH) / 4];
    }
    return offset >= UCONFIG && offset - UCONFIG < sizeof r->uconfig
               ? r->uconfig[(offset - UCONFIG) / 4]
               : 0;
}

static float reg_float(const struct lull_draw_regs *r, uint32_t offset)
{
    const uint32_t v = lull_draw_reg(r, offset);
    float f = 0;
    memcpy(&f, &v, sizeof f);
    return f;
}

/** The name of the value of a field: "8_8_8_8"; "?" without one. */
static const char *value_name(const char *reg, const char *field, uint32_t word)
{
    const struct lull_reg_entry *e = lull_reg_named(&lull_regs_draw11, 0, reg);
    const struct lull_field *f =
        e == NULL ? NULL : lull_reg_field(lull_reg_of(&lull_regs_draw11, e), field);
    const char *name = f == NULL ? NULL : lull_field_value_name(f, lull_field_of(f, word));
    return name != NULL ? name : "?";
}

static uint64_t address(uint32_t lo, uint32_t hi)
{
    const uint64_t va = ((uint64_t)(hi & UINT8_MAX) << 32 | lo) << 8;
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

/** Which of R G B A goes to components X Y Z W. Source: Mesa 22.3.6 radv_translate_colorswap(). */
static void component_order(unsigned components, unsigned swap, uint8_t ret[4])
{
    enum { R, G, B, A };
    static const uint8_t orders[4][4][4] = {
        {{R}, {G}, {B}, {A}},
        {{R, G}, {R, A}, {G, R}, {A, R}},
        {{R, G, B}, {R, G, A}, {B, G, R}, {A, G, R}},
        {{R, G, B, A}, {B, G, R, A}, {A, B, G, R}, {A, R, G, B}},
    };
    memcpy(ret, orders[components - 1][swap], 4);
}

static void sized(struct lull_image_desc *d, uint32_t attrib2, uint32_t attrib3)
{
    static const uint8_t types[4] = {LULL_IMAGE_1D_ARRAY, LULL_IMAGE_2D_ARRAY, LULL_IMAGE_3D, 0};
    d->type = types[FIELD(attrib3, CB_COLOR0_ATTRIB3__RESOURCE_TYPE)];
    d->sw_mode = (uint8_t)FIELD(attrib3, CB_COLOR0_ATTRIB3__COLOR_SW_MODE);
    d->width = FIELD(attrib2, CB_COLOR0_ATTRIB2__MIP0_WIDTH) + 1;
    d->height = FIELD(attrib2, CB_COLOR0_ATTRIB2__MIP0_HEIGHT) + 1;
    d->last_slice = FIELD(attrib3, CB_COLOR0_ATTRIB3__MIP0_DEPTH);
    d->max_mip = (uint8_t)FIELD(attrib2, CB_COLOR0_ATTRIB2__MAX_MIP);
    d->last_level = d->max_mip;
    d->depth = d->type == LULL_IMAGE_3D ? d->last_slice + 1 : 1;
}

/** What a load of the image gives as R G B A. */
static void select_components(const uint8_t order[4], unsigned n, uint8_t dst_sel[4])
{
    for (unsigned c = 0; c < 4; c++) {
        dst_sel[c] = c == 3 ? LULL_DST_SEL_1 : LULL_DST_SEL_0;
        for (unsigned i = 0; i < n; i++) {
            dst_sel[c] = order[i] == c ? (uint8_t)(LULL_DST_SEL_X + i) : dst_sel[c];
        }
    }
}

bool lull_draw_target(const struct lull_draw_regs *r, unsigned n, struct lull_draw_target *ret)
{
    const uint32_t at = n * NEXT_TARGET;
    const uint32_t info = lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_INFO + at);
    const uint32_t view = lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_VIEW + at);
    const uint32_t attrib = lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_ATTRIB + at);
    *ret = (struct lull_draw_target){0};
    if (FIELD(info, CB_COLOR0_INFO__FORMAT) == 0) {
        return false;
    }
    snprintf(ret->format, sizeof ret->format, "%s_%s", value_name("CB_COLOR0_INFO", "FORMAT", info),
             value_name("CB_COLOR0_INFO", "NUMBER_TYPE", info));
    ret->bound = true;
    ret->mask = (lull_draw_reg(r, LULL_DRAW11_CB_TARGET_MASK) &
                 lull_draw_reg(r, LULL_DRAW11_CB_SHADER_MASK)) >>
                    4 * n &
                0xf;
    ret->level = FIELD(view, CB_COLOR0_VIEW__MIP_LEVEL);
    ret->slice = FIELD(view, CB_COLOR0_VIEW__SLICE_START);
    ret->slice_max = FIELD(view, CB_COLOR0_VIEW__SLICE_MAX);
    ret->blend = (lull_draw_reg(r, LULL_DRAW11_CB_BLEND0_CONTROL + 4 * n) &
                  LULL_DRAW11_CB_BLEND0_CONTROL__ENABLE_MASK) != 0;
    struct lull_image_desc *d = &ret->image;
    d->base = address(lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_BASE + at),
                      lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_BASE_EXT + 4 * n));
    sized(d, lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_ATTRIB2 + 4 * n),
          lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_ATTRIB3 + 4 * n));
    d->samples = (uint8_t)(1u << FIELD(attrib, CB_COLOR0_ATTRIB__NUM_FRAGMENTS));
    d->compressed = FIELD(lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_FDCC_CONTROL + at),
                          CB_COLOR0_FDCC_CONTROL__FDCC_ENABLE) != 0;
    if (d->compressed) {
        d->metadata = address(lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_DCC_BASE + at),
                              lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_DCC_BASE_EXT + 4 * n));
        d->meta_pipe_aligned = FIELD(lull_draw_reg(r, LULL_DRAW11_CB_COLOR0_ATTRIB3 + 4 * n),
                                     CB_COLOR0_ATTRIB3__DCC_PIPE_ALIGNED) != 0;
    }
    d->format = lull_format_by_name(ret->format);
    if (d->format != NULL) {
        d->format_code = d->format->code;
        component_order(d->format->components, FIELD(info, CB_COLOR0_INFO__COMP_SWAP), ret->order);
        select_components(ret->order, d->format->components, d->dst_sel);
    }
    return true;
}

/** HTILE of a plane, if it has bits for it. */
static void plane_words(const struct lull_draw_regs *r, bool stencil, struct lull_image_desc *d)
{
    const uint32_t z = lull_draw_reg(r, LULL_DRAW11_DB_Z_INFO);
    const uint32_t s = lull_draw_reg(r, LULL_DRAW11_DB_STENCIL_INFO);
    d->compressed = FIELD(z, DB_Z_INFO__TILE_SURFACE_ENABLE) != 0 &&
                    (!stencil || FIELD(s, DB_STENCIL_INFO__TILE_STENCIL_DISABLE) == 0);
    if (d->compressed) {
        const uint32_t clear = lull_draw_reg(r, LULL_DRAW11_DB_STENCIL_CLEAR);
        d->metadata = address(lull_draw_reg(r, LULL_DRAW11_DB_HTILE_DATA_BASE),
                              lull_draw_reg(r, LULL_DRAW11_DB_HTILE_DATA_BASE_HI));
        d->clear =
            (struct lull_depth_clear){.known = true,
                                      .depth = reg_float(r, LULL_DRAW11_DB_DEPTH_CLEAR),
                                      .stencil = (uint8_t)FIELD(clear, DB_STENCIL_CLEAR__CLEAR)};
    }
}

bool lull_draw_plane(const struct lull_draw_regs *r, bool stencil, struct lull_draw_plane *ret)
{
    const uint32_t z = lull_draw_reg(r, LULL_DRAW11_DB_Z_INFO);
    const uint32_t s = lull_draw_reg(r, LULL_DRAW11_DB_STENCIL_INFO);
    const uint32_t view = lull_draw_reg(r, LULL_DRAW11_DB_DEPTH_VIEW);
    const uint32_t size = lull_draw_reg(r, LULL_DRAW11_DB_DEPTH_SIZE_XY);
    static const char *const formats[4] = {NULL, "16_UNORM", NULL, "32_FLOAT"};
    const char *format = stencil ? FIELD(s, DB_STENCIL_INFO__FORMAT) != 0 ? "8_UINT" : NULL
                                 : formats[FIELD(z, DB_Z_INFO__FORMAT)];
    *ret = (struct lull_draw_plane){.bound = format != NULL};
    if (format == NULL) {
        return false;
    }
    ret->level = FIELD(view, DB_DEPTH_VIEW__MIPID);
    ret->slice = FIELD(view, DB_DEPTH_VIEW__SLICE_START);
    ret->slice_max = FIELD(view, DB_DEPTH_VIEW__SLICE_MAX);
    ret->read_only = stencil ? FIELD(view, DB_DEPTH_VIEW__STENCIL_READ_ONLY) != 0
                             : FIELD(view, DB_DEPTH_VIEW__Z_READ_ONLY) != 0;
    ret->image = (struct lull_image_desc){
        .base = stencil ? address(lull_draw_reg(r, LULL_DRAW11_DB_STENCIL_READ_BASE),
                                  lull_draw_reg(r, LULL_DRAW11_DB_STENCIL_READ_BASE_HI))
                        : address(lull_draw_reg(r, LULL_DRAW11_DB_Z_READ_BASE),
                                  lull_draw_reg(r, LULL_DRAW11_DB_Z_READ_BASE_HI)),
        .format = lull_format_by_name(format),
        .type = LULL_IMAGE_2D_ARRAY,
        .sw_mode =
            (uint8_t)(stencil ? FIELD(s, DB_STENCIL_INFO__SW_MODE) : FIELD(z, DB_Z_INFO__SW_MODE)),
        .dst_sel = {LULL_DST_SEL_X, LULL_DST_SEL_0, LULL_DST_SEL_0, LULL_DST_SEL_1},
        .width = FIELD(size, DB_DEPTH_SIZE_XY__X_MAX) + 1,
        .height = FIELD(size, DB_DEPTH_SIZE_XY__Y_MAX) + 1,
        .depth = 1,
        .last_slice = ret->slice_max,
        .max_mip = (uint8_t)FIELD(z, DB_Z_INFO__MAXMIP),
        .last_level = (uint8_t)FIELD(z, DB_Z_INFO__MAXMIP),
        .samples = (uint8_t)(1u << FIELD(z, DB_Z_INFO__NUM_SAMPLES)),
    };
    plane_words(r, stencil, &ret->image);
    ret->image.format_code = ret->image.format != NULL ? ret->image.format->code : 0;
    return true;
}

enum lull_draw_owner lull_draw_owner(const struct lull_draw_regs *r)
{
    const uint32_t type =
        FIELD(lull_draw_reg(r, LULL_DRAW11_VGT_PRIMITIVE_TYPE), VGT_PRIMITIVE_TYPE__PRIM_TYPE);
    const uint32_t mode =
        FIELD(lull_draw_reg(r, LULL_DRAW11_CB_COLOR_CONTROL), CB_COLOR_CONTROL__MODE);
    if (mode == LULL_DRAW11_CB_COLOR_CONTROL__MODE__ELIMINATE_FAST_CLEAR ||
        mode == LULL_DRAW11_CB_COLOR_CONTROL__MODE__DCC_DECOMPRESS) {
        return LULL_DRAW_EXPANDS;
    }
    // Source: Mesa 22.3.6 and 25.0.7 radv_meta_*.c: all use VK_PRIMITIVE_TOPOLOGY_META_RECT_LIST.
    return type == LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__RECTLIST ? LULL_DRAW_DRIVER
                                                                       : LULL_DRAW_PROGRAM;
}

const char *lull_draw_topology(const struct lull_draw_regs *r)
{
    // Values of VGT_PRIMITIVE_TYPE. Source: Mesa 22.3.6 sid.h V_008958_DI_PT_*.
    static const char *const names[] = {
        [1] = "point list",
        [2] = "line list",
        [3] = "line strip",
        [4] = "triangle list",
        [5] = "triangle fan",
        [6] = "triangle strip",
        [9] = "patches",
        [10] = "line list with adjacency",
        [11] = "line strip with adjacency",
        [12] = "triangle list with adjacency",
        [13] = "triangle strip with adjacency",
        [17] = "rectangles",
    };
    const uint32_t n =
        FIELD(lull_draw_reg(r, LULL_DRAW11_VGT_PRIMITIVE_TYPE), VGT_PRIMITIVE_TYPE__PRIM_TYPE);
    return n < sizeof names / sizeof names[0] && names[n] != NULL ? names[n] : "primitives";
}

static void blend_part(uint32_t control, bool alpha, struct lull_str *out)
{
    const char *src =
        value_name("CB_BLEND0_CONTROL", alpha ? "ALPHA_SRCBLEND" : "COLOR_SRCBLEND", control);
    const char *dst =
        value_name("CB_BLEND0_CONTROL", alpha ? "ALPHA_DESTBLEND" : "COLOR_DESTBLEND", control);
    const char *op =
        value_name("CB_BLEND0_CONTROL", alpha ? "ALPHA_COMB_FCN" : "COLOR_COMB_FCN", control);
    if (strcmp(op, "MIN") == 0 || strcmp(op, "MAX") == 0) {
        lull_str_addf(out, "%s(source, target)", strcmp(op, "MIN") == 0 ? "min" : "max");
    } else if (strcmp(op, "REVERSE_SUBTRACT") == 0) {
        lull_str_addf(out, "%s * target - %s * source", dst, src);
    } else {
        lull_str_addf(out, "%s * source %c %s * target", src, strcmp(op, "ADD") == 0 ? '+' : '-',
                      dst);
    }
}

void lull_draw_show_blend(const struct lull_draw_regs *r, unsigned target, struct lull_str *out)
{
    const uint32_t control = lull_draw_reg(r, LULL_DRAW11_CB_BLEND0_CONTROL + 4 * target);
    if (FIELD(control, CB_BLEND0_CONTROL__ENABLE) == 0) {
        lull_str_addf(out, "off");
        return;
    }
    blend_part(control, false, out);
    if (FIELD(control, CB_BLEND0_CONTROL__SEPARATE_ALPHA_BLEND) != 0) {
        lull_str_addf(out, ", alpha ");
        blend_part(control, true, out);
    }
    const float c[4] = {
        reg_float(r, LULL_DRAW11_CB_BLEND_RED), reg_float(r, LULL_DRAW11_CB_BLEND_GREEN),
        reg_float(r, LULL_DRAW11_CB_BLEND_BLUE), reg_float(r, LULL_DRAW11_CB_BLEND_ALPHA)};
    if (strstr(lull_str_text(out), "CONSTANT") != NULL) {
        lull_str_addf(out, ", constant %g %g %g %g", (double)c[0], (double)c[1], (double)c[2],
                      (double)c[3]);
    }
}

void lull_draw_show_depth(const struct lull_draw_regs *r, struct lull_str *out)
{
    const uint32_t control = lull_draw_reg(r, LULL_DRAW11_DB_DEPTH_CONTROL);
    const bool test = FIELD(control, DB_DEPTH_CONTROL__Z_ENABLE) != 0;
    lull_str_addf(out, "test %s, %s",
                  test ? value_name("DB_DEPTH_CONTROL", "ZFUNC", control) : "off",
                  test && FIELD(control, DB_DEPTH_CONTROL__Z_WRITE_ENABLE) != 0 ? "writes"
                                                                                : "does not write");
    if (FIELD(control, DB_DEPTH_CONTROL__DEPTH_BOUNDS_ENABLE) != 0) {
        lull_str_addf(out, ", bounds %g to %g",
                      (double)reg_float(r, LULL_DRAW11_DB_DEPTH_BOUNDS_MIN),
                      (double)reg_float(r, LULL_DRAW11_DB_DEPTH_BOUNDS_MAX));
    }
}

static void stencil_face(const struct lull_draw_regs *r, bool back, struct lull_str *out)
{
    const uint32_t depth = lull_draw_reg(r, LULL_DRAW11_DB_DEPTH_CONTROL);
    const uint32_t ops = lull_draw_reg(r, LULL_DRAW11_DB_STENCIL_CONTROL);
    const uint32_t ref =
        lull_draw_reg(r, back ? LULL_DRAW11_DB_STENCILREFMASK_BF : LULL_DRAW11_DB_STENCILREFMASK);
    lull_str_addf(out, "%s %s 0x%02x & 0x%02x, fail %s, depth fail %s, pass %s, writes 0x%02x",
                  back ? "back" : "front",
                  value_name("DB_DEPTH_CONTROL", back ? "STENCILFUNC_BF" : "STENCILFUNC", depth),
                  (unsigned)FIELD(ref, DB_STENCILREFMASK__TESTVAL),
                  (unsigned)FIELD(ref, DB_STENCILREFMASK__MASK),
                  value_name("DB_STENCIL_CONTROL", back ? "STENCILFAIL_BF" : "STENCILFAIL", ops),
                  value_name("DB_STENCIL_CONTROL", back ? "STENCILZFAIL_BF" : "STENCILZFAIL", ops),
                  value_name("DB_STENCIL_CONTROL", back ? "STENCILZPASS_BF" : "STENCILZPASS", ops),
                  (unsigned)FIELD(ref, DB_STENCILREFMASK__WRITEMASK));
}

void lull_draw_show_stencil(const struct lull_draw_regs *r, struct lull_str *out)
{
    const uint32_t control = lull_draw_reg(r, LULL_DRAW11_DB_DEPTH_CONTROL);
    if (FIELD(control, DB_DEPTH_CONTROL__STENCIL_ENABLE) == 0) {
        lull_str_addf(out, "test off");
        return;
    }
    stencil_face(r, false, out);
    if (FIELD(control, DB_DEPTH_CONTROL__BACKFACE_ENABLE) != 0) {
        lull_str_addf(out, "; ");
        stencil_face(r, true, out);
    }
}

void lull_draw_show_viewport(const struct lull_draw_regs *r, struct lull_str *out)
{
    const double sx = (double)reg_float(r, LULL_DRAW11_PA_CL_VPORT_XSCALE);
    const double ox = (double)reg_float(r, LULL_DRAW11_PA_CL_VPORT_XOFFSET);
    const double sy = (double)reg_float(r, LULL_DRAW11_PA_CL_VPORT_YSCALE);
    const double oy = (double)reg_float(r, LULL_DRAW11_PA_CL_VPORT_YOFFSET);
    lull_str_addf(out, "%g,%g %gx%g", ox - sx, oy - sy, 2 * sx, 2 * sy);
    const uint32_t tl = lull_draw_reg(r, LULL_DRAW11_PA_SC_VPORT_SCISSOR_TL);
    const uint32_t br = lull_draw_reg(r, LULL_DRAW11_PA_SC_VPORT_SCISSOR_BR);
    const unsigned x0 = FIELD(tl, PA_SC_VPORT_SCISSOR_TL__X);
    const unsigned y0 = FIELD(tl, PA_SC_VPORT_SCISSOR_TL__Y);
    const unsigned x1 = FIELD(br, PA_SC_VPORT_SCISSOR_BR__X);
    const unsigned y1 = FIELD(br, PA_SC_VPORT_SCISSOR_BR__Y);
    if (FIELD(lull_draw_reg(r, LULL_DRAW11_PA_SC_MODE_CNTL_0),
              PA_SC_MODE_CNTL_0__VPORT_SCISSOR_ENABLE) != 0) {
        lull_str_addf(out, ", scissor %u,%u %ux%u", x0, y0, x1 > x0 ? x1 - x0 : 0,
                      y1 > y0 ? y1 - y0 : 0);
    }
}

void lull_draw_show_raster(const struct lull_draw_regs *r, struct lull_str *out)
{
    const uint32_t mode = lull_draw_reg(r, LULL_DRAW11_PA_SU_SC_MODE_CNTL);
    const bool front = FIELD(mode, PA_SU_SC_MODE_CNTL__CULL_FRONT) != 0;
    const bool back = FIELD(mode, PA_SU_SC_MODE_CNTL__CULL_BACK) != 0;
    const unsigned samples = 1u << FIELD(lull_draw_reg(r, LULL_DRAW11_PA_SC_AA_CONFIG),
                                         PA_SC_AA_CONFIG__MSAA_NUM_SAMPLES);
    lull_str_addf(out, "culls %s, front is %s, %u sample%s",
                  front && back ? "all"
                  : front       ? "front"
                  : back        ? "back"
                                : "nothing",
                  FIELD(mode, PA_SU_SC_MODE_CNTL__FACE) != 0 ? "clockwise" : "counter-clockwise",
                  samples, samples == 1 ? "" : "s");
}

void lull_draw_show_state(const struct lull_draw_regs *r, struct lull_str *out)
{
    for (unsigned i = 0; i < lull_regs_draw11.nentries; i++) {
        const struct lull_reg_entry *e = &lull_regs_draw11.by_offset[i];
        const uint32_t v = lull_draw_reg(r, e->offset);
        if (v != 0) {
            lull_str_addf(out, "%-32s ", e->name);
            lull_reg_show(lull_reg_of(&lull_regs_draw11, e), v, out);
            lull_str_addf(out, "\n");
        }
    }
}
