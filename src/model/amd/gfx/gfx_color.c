// SPDX-License-Identifier: MIT
// What pixel shaders export becomes texels of the colour target.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/reg.h"
#include "model/amd/gfx/gfx.h"

enum { MAX_TEXEL = 16, RGBA = 4 };

#define FIELD(word, NAME) lull_get((word), LULL_DRAW11_##NAME##_MASK)

/** Name of a field's value in draw11.reg: "8_8_8_8". */
static const char *value_name(const char *reg, const char *field, uint32_t v)
{
    const struct lull_reg_entry *e = lull_reg_named(&lull_regs_draw11, 0, reg);
    const struct lull_field *f =
        e == NULL ? NULL : lull_reg_field(lull_reg_of(&lull_regs_draw11, e), field);
    return f == NULL ? NULL : lull_field_value_name(f, v);
}

static const struct lull_format_info *target_format(uint32_t info)
{
    const char *bits = value_name("CB_COLOR0_INFO", "FORMAT", FIELD(info, CB_COLOR0_INFO__FORMAT));
    const char *kind =
        value_name("CB_COLOR0_INFO", "NUMBER_TYPE", FIELD(info, CB_COLOR0_INFO__NUMBER_TYPE));
    char name[64] = "";
    if (bits == NULL || kind == NULL) {
        return NULL;
    }
    snprintf(name, sizeof(name), "%s_%s", bits, kind);
    const struct lull_format_info *f = lull_format_by_name(name);
    return f != NULL && lull_format_writable(f) ? f : NULL;
}

/** Which of R G B A goes to components X Y Z W. Source: Mesa 22.3.6 radv_translate_colorswap(). */
static void swap_components(unsigned components, unsigned swap, uint8_t from[RGBA])
{
    enum { R, G, B, A };
    static const uint8_t orders[4][4][RGBA] = {
        {{R}, {G}, {B}, {A}},
        {{R, G}, {R, A}, {G, R}, {A, R}},
        {{R, G, B}, {R, G, A}, {B, G, R}, {A, G, R}},
        {{R, G, B, A}, {B, G, R, A}, {A, B, G, R}, {A, R, G, B}},
    };
    memcpy(from, orders[components - 1][swap], RGBA);
}

/** The view of the target as an image. */
static void describe(const struct lull_gpu *g, const struct lull_format_info *f,
                     struct lull_image_desc *d)
{
    const uint32_t attrib2 = lull_gfx_reg(g, LULL_DRAW11_CB_COLOR0_ATTRIB2);
    const uint32_t attrib3 = lull_gfx_reg(g, LULL_DRAW11_CB_COLOR0_ATTRIB3);
    const uint64_t high = lull_gfx_reg(g, LULL_DRAW11_CB_COLOR0_BASE_EXT) & UINT8_MAX;
    const uint64_t va = (high << 32 | lull_gfx_reg(g, LULL_DRAW11_CB_COLOR0_BASE)) << 8;
    static const uint8_t types[4] = {LULL_IMAGE_1D_ARRAY, LULL_IMAGE_2D_ARRAY, LULL_IMAGE_3D, 0};
    *d = (struct lull_image_desc){
        .base = (uint64_t)((int64_t)(va << 16) >> 16),
        .format = f,
        .format_code = f->code,
        .type = types[FIELD(attrib3, CB_COLOR0_ATTRIB3__RESOURCE_TYPE)],
        .sw_mode = (uint8_t)FIELD(attrib3, CB_COLOR0_ATTRIB3__COLOR_SW_MODE),
        .width = FIELD(attrib2, CB_COLOR0_ATTRIB2__MIP0_WIDTH) + 1,
        .height = FIELD(attrib2, CB_COLOR0_ATTRIB2__MIP0_HEIGHT) + 1,
        .depth = 1,
        .last_slice = FIELD(attrib3, CB_COLOR0_ATTRIB3__MIP0_DEPTH),
        .max_mip = (uint8_t)FIELD(attrib2, CB_COLOR0_ATTRIB2__MAX_MIP),
        .samples = 1,
    };
    if (d->type == LULL_IMAGE_3D) {
        d->depth = d->last_slice + 1;
    }
}

const char *lull_gfx_open_target(struct lull_gpu *g)
{
    struct lull_gfx_target *t = calloc(1, sizeof(*t));
    free(g->target);
    g->target = t;
    if (t == NULL) {
        return "without memory of the host";
    }
    const uint32_t control = lull_gfx_reg(g, LULL_DRAW11_CB_COLOR_CONTROL);
    const uint32_t info = lull_gfx_reg(g, LULL_DRAW11_CB_COLOR0_INFO);
    const uint32_t view = lull_gfx_reg(g, LULL_DRAW11_CB_COLOR0_VIEW);
    const uint32_t mask =
        lull_gfx_reg(g, LULL_DRAW11_CB_TARGET_MASK) & lull_gfx_reg(g, LULL_DRAW11_CB_SHADER_MASK);
    const uint32_t mode = FIELD(control, CB_COLOR_CONTROL__MODE);
    t->export_format = FIELD(lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_COL_FORMAT),
                             SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT);
    if (mask == 0 || mode == LULL_DRAW11_CB_COLOR_CONTROL__MODE__DISABLE ||
        FIELD(info, CB_COLOR0_INFO__FORMAT) == LULL_DRAW11_CB_COLOR0_INFO__FORMAT__INVALID) {
        return NULL;
    }
    if (mode != LULL_DRAW11_CB_COLOR_CONTROL__MODE__NORMAL ||
        FIELD(control, CB_COLOR_CONTROL__ROP3) != LULL_DRAW11_CB_COLOR_CONTROL__ROP3__COPY) {
        return "with a raster operation, or to decompress";
    }
    if ((mask & ~LULL_DRAW11_CB_TARGET_MASK__TARGET0_ENABLE_MASK) != 0) {
        return "to more than one target";
    }
    if ((lull_gfx_reg(g, LULL_DRAW11_CB_BLEND0_CONTROL) &
         LULL_DRAW11_CB_BLEND0_CONTROL__ENABLE_MASK) != 0) {
        return "with blending";
    }
    t->format = target_format(info);
    if (t->format == NULL) {
        return "to a format that it does not know";
    }
    swap_components(t->format->components, FIELD(info, CB_COLOR0_INFO__COMP_SWAP), t->from);
    for (unsigned i = 0; i < t->format->components; i++) {
        if ((mask >> t->from[i] & 1) == 0) {
            return "to some components of its target";
        }
    }
    struct lull_image_desc d = {0};
    describe(g, t->format, &d);
    t->slice = FIELD(view, CB_COLOR0_VIEW__SLICE_START);
    t->slice_max = FIELD(view, CB_COLOR0_VIEW__SLICE_MAX);
    const enum lull_tex_status status =
        lull_tiling_prepare(&d, FIELD(view, CB_COLOR0_VIEW__MIP_LEVEL), &t->tiling);
    t->any = status == LULL_TEX_OK;
    return t->any ? NULL : lull_tex_status_text(status);
}

static uint32_t single(float f)
{
    uint32_t u = 0;
    memcpy(&u, &f, sizeof(u));
    return u;
}

/** Component @p c of an export with 16 bits for each. */
static uint32_t half_component(const struct lull_gfx_target *t, const struct lull_gfx_colors *x,
                               unsigned lane, unsigned c)
{
    const uint16_t v = (uint16_t)(x->color[c / 2][lane] >> 16 * (c % 2));
    const float s = (float)(int16_t)v / INT16_MAX;
    switch (t->export_format) {
    case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__FP16_ABGR:
        return single(lull_format_from_half(v));
    case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__UNORM16_ABGR:
        return single((float)v / UINT16_MAX);
    case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__SNORM16_ABGR:
        return single(s < -1 ? -1 : s);
    case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__SINT16_ABGR:
        return (uint32_t)(int32_t)(int16_t)v;
    default: // UINT16_ABGR
        return v;
    }
}

/** R G B A of one lane, as singles or integers. */
static void exported(const struct lull_gfx_target *t, const struct lull_gfx_colors *x,
                     unsigned lane, uint32_t rgba[RGBA])
{
    for (unsigned c = 0; c < RGBA; c++) {
        switch (t->export_format) {
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__ZERO:
            rgba[c] = 0;
            break;
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__32_R:
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__32_GR:
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__32_ABGR:
            rgba[c] = x->color[c][lane];
            break;
        case LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__32_AR:
            rgba[c] = c == 0 ? x->color[0][lane] : c == 3 ? x->color[1][lane] : 0;
            break;
        default:
            rgba[c] = half_component(t, x, lane, c);
            break;
        }
    }
}

bool lull_gfx_write(struct lull_gpu *g, struct lull_vm *vm, uint64_t lanes,
                    const struct lull_gfx_colors *x)
{
    if (g->target == NULL && lull_gfx_open_target(g) != NULL) { // restored
        return true;
    }
    const struct lull_gfx_target *t = g->target;
    const uint32_t slice = t->slice + g->draw.layer;
    if (!t->any || slice > t->slice_max || slice >= t->tiling.depth) {
        return true;
    }
    for (uint64_t m = x->covered & lanes; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        uint32_t rgba[RGBA] = {0};
        uint32_t xyzw[RGBA] = {0};
        uint8_t texel[MAX_TEXEL] = {0};
        if ((uint32_t)x->x[l] >= t->tiling.width || (uint32_t)x->y[l] >= t->tiling.height) {
            continue;
        }
        exported(t, x, l, rgba);
        for (unsigned c = 0; c < t->format->components; c++) {
            xyzw[c] = rgba[t->from[c]];
        }
        lull_format_pack(t->format, xyzw, texel);
        const uint64_t va = t->tiling.base + lull_tiling_offset(&t->tiling, (uint32_t)x->x[l],
                                                                (uint32_t)x->y[l], slice, 0);
        if (!lull_vm_write(vm, va, texel, t->tiling.bytes)) {
            return false;
        }
    }
    return true;
}
