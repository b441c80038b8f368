// SPDX-License-Identifier: MIT
// Colour targets: what registers say of them, and what samples become.
//
// Source: Mesa vulkan/tu_pipeline.cc (what is set for blending and logic operations); Vulkan 1.3,
// "Blending", "Logical Operations": none of them for floats and sRGB.
#include <stdio.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/rop_part.h"
#include "model/adreno/exec/texel.h"

enum {
    RGBA = 4,
    ALPHA = 3,
    PIXEL_BITS = 8, ///< Of a quad's mask.
    MRT_STRIDE = 8, ///< Registers of a target.
    LOGIC_COPY = 0xc,
    FACTORS = 32,
};

/** Blend factor of Adreno as those of output.h; FACTORS: there is none of this number. */
static uint8_t factor(uint32_t f)
{
    static const uint8_t factors[FACTORS] = {
        [LULL_FACTOR_ONE] = LULL_RASTER_F_ONE,
        [LULL_FACTOR_SRC_COLOR] = LULL_RASTER_F_SRC,
        [LULL_FACTOR_ONE_MINUS_SRC_COLOR] = LULL_RASTER_F_ONE_MINUS_SRC,
        [LULL_FACTOR_SRC_ALPHA] = LULL_RASTER_F_SRC_ALPHA,
        [LULL_FACTOR_ONE_MINUS_SRC_ALPHA] = LULL_RASTER_F_ONE_MINUS_SRC_ALPHA,
        [LULL_FACTOR_DST_COLOR] = LULL_RASTER_F_DST,
        [LULL_FACTOR_ONE_MINUS_DST_COLOR] = LULL_RASTER_F_ONE_MINUS_DST,
        [LULL_FACTOR_DST_ALPHA] = LULL_RASTER_F_DST_ALPHA,
        [LULL_FACTOR_ONE_MINUS_DST_ALPHA] = LULL_RASTER_F_ONE_MINUS_DST_ALPHA,
        [LULL_FACTOR_CONSTANT_COLOR] = LULL_RASTER_F_CONSTANT,
        [LULL_FACTOR_ONE_MINUS_CONSTANT_COLOR] = LULL_RASTER_F_ONE_MINUS_CONSTANT,
        [LULL_FACTOR_CONSTANT_ALPHA] = LULL_RASTER_F_CONSTANT_ALPHA,
        [LULL_FACTOR_ONE_MINUS_CONSTANT_ALPHA] = LULL_RASTER_F_ONE_MINUS_CONSTANT_ALPHA,
        [LULL_FACTOR_SRC_ALPHA_SATURATE] = LULL_RASTER_F_SRC_ALPHA_SATURATE,
        [LULL_FACTOR_SRC1_COLOR] = LULL_RASTER_F_SRC1,
        [LULL_FACTOR_ONE_MINUS_SRC1_COLOR] = LULL_RASTER_F_ONE_MINUS_SRC1,
        [LULL_FACTOR_SRC1_ALPHA] = LULL_RASTER_F_SRC1_ALPHA,
        [LULL_FACTOR_ONE_MINUS_SRC1_ALPHA] = LULL_RASTER_F_ONE_MINUS_SRC1_ALPHA,
    };
    return f == LULL_FACTOR_ZERO || factors[f % FACTORS] != 0 ? factors[f % FACTORS] : FACTORS;
}

/** FACTORS: there is none of this number. */
static uint8_t combine(uint32_t op)
{
    switch (op) {
    case LULL_BLEND_DST_PLUS_SRC:
        return LULL_RASTER_ADD;
    case LULL_BLEND_SRC_MINUS_DST:
        return LULL_RASTER_SUBTRACT;
    case LULL_BLEND_DST_MINUS_SRC:
        return LULL_RASTER_REVERSE_SUBTRACT;
    case LULL_BLEND_MIN_DST_SRC:
        return LULL_RASTER_MIN;
    case LULL_BLEND_MAX_DST_SRC:
        return LULL_RASTER_MAX;
    default:
        return FACTORS;
    }
}

/** What values of a format are clamped to before they are blended. */
static uint8_t range_of(unsigned kind)
{
    return kind == LULL_FORMAT_UNORM || kind == LULL_FORMAT_SRGB ? LULL_RASTER_UNORM
           : kind == LULL_FORMAT_SNORM                           ? LULL_RASTER_SNORM
                                                                 : LULL_RASTER_ANY;
}

LULL_MUST_USE static struct lull_error *read_blend(const struct lull_arop *r, unsigned n,
                                                   struct lull_arop_target *t)
{
    const uint32_t v = lull_arop_reg(r, LULL_A6XX_RB_MRT_BLEND_CONTROL + n * MRT_STRIDE);
    t->blend = (struct lull_raster_blend){
        .on = true,
        .src = {factor(lull_a6xx_rb_mrt_blend_control__rgb_src_factor(v)),
                factor(lull_a6xx_rb_mrt_blend_control__alpha_src_factor(v))},
        .dst = {factor(lull_a6xx_rb_mrt_blend_control__rgb_dest_factor(v)),
                factor(lull_a6xx_rb_mrt_blend_control__alpha_dest_factor(v))},
        .op = {combine(lull_a6xx_rb_mrt_blend_control__rgb_blend_opcode(v)),
               combine(lull_a6xx_rb_mrt_blend_control__alpha_blend_opcode(v))},
        .range = range_of(t->at.format->kind),
    };
    for (unsigned c = 0; c < RGBA; c++) {
        t->blend.constant[c] = lull_arop_single(lull_arop_reg(r, LULL_A6XX_RB_BLEND_RED_F32 + c));
    }
    const struct lull_raster_blend *b = &t->blend;
    for (unsigned i = 0; i < 2; i++) {
        if (b->src[i] == FACTORS || b->dst[i] == FACTORS || b->op[i] == FACTORS) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "RB_MRT[%u].BLEND_CONTROL is 0x%08x", n, v);
        }
    }
    if (lull_format_is_integer(t->at.format)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "RB_MRT[%u] blends integers", n);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_target(struct lull_arop *r, unsigned n)
{
    const uint32_t at = n * MRT_STRIDE;
    const uint32_t control = lull_arop_reg(r, LULL_A6XX_RB_MRT_CONTROL + at);
    const uint32_t info = lull_arop_reg(r, LULL_A6XX_RB_MRT_BUF_INFO + at);
    const uint32_t shader = lull_arop_reg(r, LULL_A6XX_RB_RENDER_COMPONENTS) >> 4 * n & 0xf;
    const uint32_t mask = lull_a6xx_rb_mrt_control__component_enable(control) & shader;
    struct lull_arop_target *t = &r->target[n];
    char name[32];
    snprintf(name, sizeof name, "target RB_MRT[%u]", n);
    const struct lull_asurface_is is = {
        .name = name,
        .format = lull_a6xx_rb_mrt_buf_info__color_format(info),
        .tile = lull_a6xx_rb_mrt_buf_info__color_tile_mode(info),
        .swap = lull_a6xx_rb_mrt_buf_info__color_swap(info),
        .samples = (unsigned)__builtin_ctz(r->samples),
        .srgb = (lull_arop_reg(r, LULL_A6XX_RB_SRGB_CNTL) >> n & 1) != 0,
    };
    if (mask == 0 || is.format == 0 || is.format == LULL_FMT6_NONE) {
        return NULL;
    }
    struct lull_error *err = lull_asurface_open(lull_ir3_chip(r->source.gpu_id), &is, &t->at);
    if (err != NULL) {
        return err;
    }
    t->at.pitch = lull_arop_reg(r, LULL_A6XX_RB_MRT_PITCH + at) << 6;
    t->at.layer_bytes = (uint64_t)lull_arop_reg(r, LULL_A6XX_RB_MRT_ARRAY_PITCH + at) << 6;
    lull_arop_place(r, &t->at, lull_arop_reg64(r, LULL_A6XX_RB_MRT_BASE + at),
                    lull_arop_reg(r, LULL_A6XX_RB_MRT_BASE_GMEM + at));
    const unsigned kind = t->at.format->kind;
    const bool logic = lull_a6xx_rb_mrt_control__rop_enable(control) != 0 &&
                       kind != LULL_FORMAT_FLOAT && kind != LULL_FORMAT_UFLOAT &&
                       kind != LULL_FORMAT_SHARED_EXP && kind != LULL_FORMAT_SRGB;
    t->any = true;
    t->logic = logic ? (uint8_t)lull_a6xx_rb_mrt_control__rop_code(control) : LOGIC_COPY;
    t->reads = t->logic != LOGIC_COPY;
    t->reads = lull_asurface_keep(&t->at, mask, t->keep) || t->reads;
    if (lull_a6xx_rb_mrt_control__blend(control) != 0) {
        t->reads = true;
        return read_blend(r, n, t);
    }
    return NULL;
}

struct lull_error *lull_arop_read_targets(struct lull_arop *ret)
{
    const uint32_t n =
        lull_a6xx_rb_fs_output_cntl1__mrt(lull_arop_reg(ret, LULL_A6XX_RB_FS_OUTPUT_CNTL1));
    for (unsigned i = 0; i < LULL_AROP_TARGETS; i++) {
        ret->half[i] = lull_a6xx_sp_fs_output_reg__half_precision(
                           lull_arop_reg(ret, LULL_A6XX_SP_FS_OUTPUT_REG + i)) != 0;
    }
    for (unsigned i = 0; i < n && i < LULL_AROP_TARGETS && !(ret->dual && i > 0); i++) {
        struct lull_error *err = read_target(ret, i);
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}

float lull_arop_number(const struct lull_arop *r, const struct lull_arop_quad *q, unsigned n,
                       unsigned pixel, unsigned c)
{
    const uint32_t v = q->out[n][pixel][c];
    return r->half[n] ? lull_format_from_half((uint16_t)v) : lull_arop_single(v);
}

/** Output @p n of a pixel as texel formats have it. */
static void colors(const struct lull_arop *r, const struct lull_arop_quad *q, unsigned n,
                   unsigned pixel, uint32_t rgba[RGBA])
{
    const struct lull_format_info *f = r->target[r->dual ? 0 : n].at.format;
    for (unsigned c = 0; c < RGBA; c++) {
        const uint32_t v = q->out[n][pixel][c];
        if (!lull_format_is_integer(f)) {
            const float s = lull_arop_number(r, q, n, pixel, c);
            memcpy(&rgba[c], &s, sizeof s);
        } else if (r->half[n]) {
            rgba[c] = f->kind == LULL_FORMAT_SINT ? (uint32_t)(int16_t)v : v & UINT16_MAX;
        } else {
            rgba[c] = v;
        }
    }
    if (r->alpha_to_one && n == 0 && !lull_format_is_integer(f)) {
        rgba[ALPHA] = lull_format_one(f);
    }
}

/** Blend R G B A with what @p texel was. */
static void mix(const struct lull_arop_target *t, const uint32_t second[RGBA], const uint8_t *texel,
                uint32_t rgba[RGBA])
{
    uint32_t was[RGBA];
    float src[RGBA], src1[RGBA], dst[RGBA], ret[RGBA];
    lull_asurface_unpack(&t->at, texel, was);
    memcpy(src, rgba, sizeof src);
    memcpy(src1, second, sizeof src1);
    memcpy(dst, was, sizeof dst);
    lull_raster_blend(&t->blend, src, src1, dst, ret);
    memcpy(rgba, ret, sizeof ret);
}

/** Make of what @p texel was what it is to be. */
static void become(const struct lull_arop_target *t, uint32_t color[2][RGBA], uint8_t *texel)
{
    enum { WORDS = LULL_ASURFACE_TEXEL / sizeof(uint32_t) };
    uint32_t rgba[RGBA], was[WORDS], now[WORDS];
    memcpy(rgba, color[0], sizeof rgba);
    memcpy(was, texel, sizeof was);
    if (t->blend.on) {
        mix(t, color[1], texel, rgba);
    }
    lull_asurface_pack(&t->at, rgba, texel);
    memcpy(now, texel, sizeof now);
    for (unsigned i = 0; i < WORDS; i++) {
        const uint32_t to =
            t->logic == LOGIC_COPY ? now[i] : lull_raster_logic(t->logic, now[i], was[i]);
        now[i] = (to & ~t->keep[i]) | (was[i] & t->keep[i]);
    }
    memcpy(texel, now, sizeof now);
}

static void write_target(const struct lull_arop *r, const struct lull_arop_quad *q, unsigned n,
                         uint32_t mask)
{
    const struct lull_arop_target *t = &r->target[n];
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        const unsigned bit = (unsigned)__builtin_ctz(m), pixel = bit / PIXEL_BITS;
        uint8_t texel[LULL_ASURFACE_TEXEL] = {0};
        uint32_t color[2][RGBA] = {{0}};
        uint64_t at = 0;
        if (!lull_arop_sample_at(r, &t->at, q, pixel, bit % PIXEL_BITS, &at) ||
            (t->reads && !lull_asurface_load(&t->at, &r->source.memory, at, texel))) {
            continue;
        }
        colors(r, q, n, pixel, color[0]);
        if (r->dual) {
            colors(r, q, 1, pixel, color[1]);
        }
        become(t, color, texel);
        (void)lull_asurface_store(&t->at, &r->source.memory, at, texel);
    }
}

void lull_arop_write(const struct lull_arop *r, const struct lull_arop_quad *q, uint32_t mask)
{
    for (unsigned n = 0; n < LULL_AROP_TARGETS; n++) {
        if (r->target[n].any) {
            write_target(r, q, n, mask);
        }
    }
}
