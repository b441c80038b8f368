// SPDX-License-Identifier: MIT
// Chosen here, because nobody says: filters weigh texels exactly; results are rounded once, by the
// target's format.
#include "model/adreno/draw/blit.h"

#include <math.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "model/adreno/exec/texel.h"

enum {
    RGBA = 4,
    ALPHA = 3,
    RGB_MASK = 7,
    ALPHA_MASK = 8,
    FRACTION = 8, ///< Bits of the registers of a source's corners.
    // RB_2D_UNKNOWN_8C01, of D24S8. Source: Mesa vulkan/tu_clear_blit.cc r2d_setup_common().
    KEEP_STENCIL = 0x08000041,
    KEEP_DEPTH = 0x00084001,
};

static uint32_t value(const struct lull_arop_source *s, uint32_t number)
{
    return s->reg(s->ctx, number);
}

static uint32_t value67(const struct lull_arop_source *s, uint32_t a6, uint32_t a7)
{
    return value(s, s->gpu_id >= 700 ? a7 : a6);
}

static uint64_t address(const struct lull_arop_source *s, uint32_t number)
{
    return value(s, number) | (uint64_t)value(s, number + 1) << 32;
}

static float single(uint32_t bits)
{
    float f = 0;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t v = 0;
    memcpy(&v, &f, sizeof v);
    return v;
}

/** A value of RB_2D_SRC_SOLID_Cn as texel formats have it. */
LULL_MUST_USE static struct lull_error *solid_value(uint32_t v, uint32_t ifmt, bool is_signed,
                                                    uint32_t *ret)
{
    const float snorm = (float)(int8_t)v / INT8_MAX;
    switch (ifmt) {
    case LULL_R2D_UNORM8:
    case LULL_R2D_UNORM8_SRGB: // Codes of the curve: the target is as one without it.
        *ret = bits_of(is_signed ? (snorm < -1 ? -1 : snorm) : (float)(v & UINT8_MAX) / UINT8_MAX);
        return NULL;
    case LULL_R2D_FLOAT16:
        *ret = bits_of(lull_format_from_half((uint16_t)v));
        return NULL;
    case LULL_R2D_FLOAT32:
    case LULL_R2D_INT8:
    case LULL_R2D_INT16:
    case LULL_R2D_INT32:
        *ret = v;
        return NULL;
    default:
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: a colour in units of IFMT %u", ifmt);
    }
}

LULL_MUST_USE static struct lull_error *read_solid(const struct lull_arop_source *s, uint32_t ifmt,
                                                   struct lull_ablit *b)
{
    uint32_t rgba[RGBA] = {0};
    for (unsigned k = 0; k < RGBA; k++) {
        struct lull_error *err = solid_value(value(s, LULL_A6XX_RB_2D_SRC_SOLID_C0 + k), ifmt,
                                             b->to.format->kind == LULL_FORMAT_SNORM, &rgba[k]);
        if (err != NULL) {
            return err;
        }
    }
    lull_asurface_pack(&b->to, rgba, b->texel);
    return NULL;
}

static int64_t corner(const struct lull_arop_source *s, uint32_t number)
{
    return (int32_t)(value(s, number) << 7) >> (7 + FRACTION); // 17 bits, signed
}

/** The rectangle of the source, and how it is read. */
LULL_MUST_USE static struct lull_error *read_shape(const struct lull_arop_source *s, uint32_t info,
                                                   struct lull_ablit *b)
{
    const uint32_t size =
        value67(s, LULL_A6XX_SP_PS_2D_SRC_SIZE, LULL_A6XX_SP_PS_2D_SRC_SIZE__A7XX);
    const int64_t x1 = corner(s, LULL_A6XX_GRAS_2D_SRC_BR_X),
                  y1 = corner(s, LULL_A6XX_GRAS_2D_SRC_BR_Y);
    b->src_x = corner(s, LULL_A6XX_GRAS_2D_SRC_TL_X);
    b->src_y = corner(s, LULL_A6XX_GRAS_2D_SRC_TL_Y);
    b->width = lull_a6xx_sp_ps_2d_src_size__width(size);
    b->height = lull_a6xx_sp_ps_2d_src_size__height(size);
    if (x1 < b->src_x || y1 < b->src_y) {
        return lull_error_new(LULL_ERR_BAD_DATA, "CP_BLIT: a source from %lld,%lld to %lld,%lld",
                              (long long)b->src_x, (long long)b->src_y, (long long)x1,
                              (long long)y1);
    }
    b->src_w = (uint32_t)(x1 - b->src_x + 1);
    b->src_h = (uint32_t)(y1 - b->src_y + 1);
    b->linear = lull_a6xx_2d_src_surf_info__filter(info) != 0;
    b->average = lull_a6xx_2d_src_surf_info__samples_average(info) != 0;
    return NULL;
}

/** A source in the memory of tiles: its address is that of textures there, and coordinates are
 * those of the screen. */
LULL_MUST_USE static struct lull_error *in_tile(const struct lull_arop_source *s,
                                                struct lull_ablit *b)
{
    const struct lull_achip *chip = lull_ir3_chip(s->gpu_id);
    const uint32_t window =
        value67(s, LULL_A6XX_SP_TP_WINDOW_OFFSET, LULL_A6XX_SP_PS_2D_WINDOW_OFFSET);
    if (s->gmem == NULL || b->from.base < chip->gmem_base ||
        b->from.base - chip->gmem_base >= s->gmem->size) {
        return lull_error_new(LULL_ERR_BAD_DATA, "CP_BLIT: a tile at 0x%llx",
                              (unsigned long long)b->from.base);
    }
    b->from.gmem = s->gmem;
    b->from.base -= chip->gmem_base;
    b->src_x -= lull_a6xx_reg_xy__x(window);
    b->src_y -= lull_a6xx_reg_xy__y(window);
    return NULL;
}

/** Texels from the address on to the first one: a buffer's may begin anywhere. */
static uint32_t first_texel(const struct lull_arop_source *s)
{
    const uint32_t cntl = s->gpu_id >= 700 ? value(s, LULL_A6XX_TPL1_2D_SRC_CNTL) : 0;
    return lull_a6xx_tpl1_2d_src_cntl__type(cntl) == LULL_A6XX_TEX_IMG_BUFFER
               ? lull_a6xx_tpl1_2d_src_cntl__start_offset_texels(cntl)
               : 0;
}

LULL_MUST_USE static struct lull_error *read_source(const struct lull_arop_source *s,
                                                    struct lull_ablit *b)
{
    const uint32_t info =
        value67(s, LULL_A6XX_SP_PS_2D_SRC_INFO, LULL_A6XX_SP_PS_2D_SRC_INFO__A7XX);
    const uint32_t pitch =
        value67(s, LULL_A6XX_SP_PS_2D_SRC_PITCH, LULL_A6XX_SP_PS_2D_SRC_PITCH__A7XX);
    const uint32_t tile = lull_a6xx_2d_src_surf_info__tile_mode(info);
    const struct lull_asurface_is is = {
        .name = "CP_BLIT: the source",
        .format = lull_a6xx_2d_src_surf_info__color_format(info),
        .tile = tile == LULL_TILE6_2 ? (unsigned)LULL_TILE6_LINEAR : tile,
        .swap = lull_a6xx_2d_src_surf_info__color_swap(info),
        .samples = lull_a6xx_2d_src_surf_info__samples(info),
        .srgb = lull_a6xx_2d_src_surf_info__srgb(info) != 0,
    };
    struct lull_asurface *f = &b->from;
    struct lull_error *err = lull_asurface_open(lull_ir3_chip(s->gpu_id), &is, f);
    if (err == NULL) {
        err = read_shape(s, info, b);
    }
    if (err != NULL) {
        return err;
    }
    f->pitch = s->gpu_id >= 700 ? lull_a6xx_sp_ps_2d_src_pitch__pitch__a7xx(pitch)
                                : lull_a6xx_sp_ps_2d_src_pitch__pitch(pitch);
    f->base = address(s, s->gpu_id >= 700 ? LULL_A6XX_SP_PS_2D_SRC__A7XX : LULL_A6XX_SP_PS_2D_SRC) +
              first_texel(s) * f->bytes;
    if (tile == LULL_TILE6_2) {
        err = in_tile(s, b);
    }
    if (err == NULL && lull_format_is_integer(f->format) != lull_format_is_integer(b->to.format)) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: %s to %s", f->format->name,
                             b->to.format->name);
    }
    b->raw = f->format == b->to.format && memcmp(f->from, b->to.from, sizeof f->from) == 0 &&
             b->src_w == b->dst.x1 - b->dst.x0 && b->src_h == b->dst.y1 - b->dst.y0 &&
             !(b->average && f->samples > 1);
    return err;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/** A rectangle of two registers, whose second corner is inside. */
static struct lull_ablit_box box(const struct lull_arop_source *s, uint32_t tl, uint32_t br)
{
    const uint32_t from = value(s, tl), to = value(s, br);
    return (struct lull_ablit_box){lull_a6xx_reg_xy__x(from), lull_a6xx_reg_xy__y(from),
                                   lull_a6xx_reg_xy__x(to) + 1, lull_a6xx_reg_xy__y(to) + 1};
}

LULL_MUST_USE static struct lull_error *read_place(const struct lull_arop_source *s, uint32_t cntl,
                                                   struct lull_ablit *b)
{
    const uint32_t turn = lull_a6xx_2d_blit_cntl__rotate(cntl);
    b->dst = b->part = box(s, LULL_A6XX_GRAS_2D_DST_TL, LULL_A6XX_GRAS_2D_DST_BR);
    b->mirror_x = turn == LULL_ROTATE_HFLIP || turn == LULL_ROTATE_180;
    b->mirror_y = turn == LULL_ROTATE_VFLIP || turn == LULL_ROTATE_180;
    if (turn != LULL_ROTATE_0 && !b->mirror_x && !b->mirror_y) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: turned by ROTATE %u", turn);
    }
    if (b->dst.x1 <= b->dst.x0 || b->dst.y1 <= b->dst.y0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "CP_BLIT: from %u,%u to %u,%u", b->dst.x0,
                              b->dst.y0, b->dst.x1 - 1, b->dst.y1 - 1);
    }
    if (lull_a6xx_2d_blit_cntl__scissor(cntl) != 0) {
        const struct lull_ablit_box cut =
            box(s, LULL_A6XX_GRAS_2D_RESOLVE_CNTL_1, LULL_A6XX_GRAS_2D_RESOLVE_CNTL_2);
        b->part = (struct lull_ablit_box){larger(cut.x0, b->dst.x0), larger(cut.y0, b->dst.y0),
                                          smaller(cut.x1, b->dst.x1), smaller(cut.y1, b->dst.y1)};
    }
    b->x = b->part.x0;
    b->y = b->part.y0;
    b->under_way = b->part.x0 < b->part.x1 && b->part.y0 < b->part.y1;
    return NULL;
}

/** Components that are written. */
LULL_MUST_USE static struct lull_error *read_mask(const struct lull_arop_source *s, uint32_t cntl,
                                                  struct lull_ablit *b)
{
    const uint32_t kept = value(s, LULL_A6XX_RB_2D_UNKNOWN_8C01);
    uint32_t mask = lull_a6xx_2d_blit_cntl__mask(cntl);
    if (kept != 0 && kept != KEEP_STENCIL && kept != KEEP_DEPTH) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: RB_2D_UNKNOWN_8C01 is 0x%08x", kept);
    }
    mask &= kept == KEEP_STENCIL ? RGB_MASK : kept == KEEP_DEPTH ? ALPHA_MASK : mask;
    lull_asurface_keep(&b->to, mask, b->keep);
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_target(const struct lull_arop_source *s, uint32_t cntl,
                                                    struct lull_ablit *b)
{
    const uint32_t info = value(s, LULL_A6XX_RB_2D_DST_INFO);
    const struct lull_asurface_is is = {
        .name = "CP_BLIT: the destination",
        .format = lull_a6xx_2d_dst_surf_info__color_format(info),
        .tile = lull_a6xx_2d_dst_surf_info__tile_mode(info),
        .swap = lull_a6xx_2d_dst_surf_info__color_swap(info),
        .srgb = lull_a6xx_2d_dst_surf_info__srgb(info) != 0 && !b->solid,
    };
    if (lull_a6xx_2d_dst_surf_info__samples(info) != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: the destination has samples");
    }
    struct lull_error *err = lull_asurface_open(lull_ir3_chip(s->gpu_id), &is, &b->to);
    if (err != NULL) {
        return err;
    }
    b->to.base = address(s, LULL_A6XX_RB_2D_DST);
    b->to.pitch = (value(s, LULL_A6XX_RB_2D_DST_PITCH) & UINT16_MAX) << 6;
    return read_mask(s, cntl, b);
}

struct lull_error *lull_ablit_start(const struct lull_arop_source *source, struct lull_ablit *ret)
{
    const uint32_t cntl = value(source, LULL_A6XX_RB_2D_BLIT_CNTL);
    struct lull_ablit b = {.memory = source->memory,
                           .solid = lull_a6xx_2d_blit_cntl__solid_color(cntl) != 0};
    struct lull_error *err = read_place(source, cntl, &b);
    if (err == NULL) {
        err = read_target(source, cntl, &b);
    }
    if (err == NULL) {
        err = b.solid ? read_solid(source, lull_a6xx_2d_blit_cntl__ifmt(cntl), &b)
                      : read_source(source, &b);
    }
    if (err == NULL) {
        *ret = b;
    }
    return err;
}

static uint32_t clamped(int64_t v, uint32_t size)
{
    const int64_t most = size != 0 ? (int64_t)size - 1 : INT32_MAX;
    return (uint32_t)(v < 0 ? 0 : v > most ? most : v);
}

/** The sample of the source that sample @p s of the target is made of, if it is one. */
static unsigned sample_of(const struct lull_ablit *b, unsigned s)
{
    return b->from.samples == b->to.samples ? s : 0;
}

/** Texel @p x, @p y of the source, for sample @p sample of the target. */
static void fetch(const struct lull_ablit *b, int64_t x, int64_t y, unsigned sample,
                  uint32_t rgba[RGBA])
{
    const struct lull_asurface *f = &b->from;
    const uint32_t sx = clamped(x, b->width), sy = clamped(y, b->height);
    const unsigned n = b->average && !lull_format_is_integer(f->format) ? f->samples : 1;
    float sum[RGBA] = {0};
    for (unsigned i = 0; i < n; i++) {
        uint8_t texel[LULL_ASURFACE_TEXEL];
        const uint64_t at = lull_asurface_at(f, sx, sy, 0, n > 1 ? i : sample_of(b, sample));
        (void)lull_asurface_load(f, &b->memory, at, texel);
        lull_asurface_unpack(f, texel, rgba);
        for (unsigned k = 0; k < RGBA && n > 1; k++) {
            sum[k] += single(rgba[k]) / (float)n;
        }
    }
    for (unsigned k = 0; k < RGBA && n > 1; k++) {
        rgba[k] = bits_of(sum[k]);
    }
}

/** Four texels around a place, which is in texels from their corner on. */
static void filter(const struct lull_ablit *b, double u, double v, uint32_t rgba[RGBA])
{
    const double x = floor(u - 0.5), y = floor(v - 0.5), fx = u - 0.5 - x, fy = v - 0.5 - y;
    double sum[RGBA] = {0};
    for (unsigned i = 0; i < 4; i++) {
        const double weight = ((i & 1) != 0 ? fx : 1 - fx) * ((i & 2) != 0 ? fy : 1 - fy);
        fetch(b, b->src_x + (int64_t)x + (i & 1), b->src_y + (int64_t)y + (i >> 1), 0, rgba);
        for (unsigned k = 0; k < RGBA; k++) {
            sum[k] += weight * (double)single(rgba[k]);
        }
    }
    for (unsigned k = 0; k < RGBA; k++) {
        rgba[k] = bits_of((float)sum[k]);
    }
}

/** What the source is where @p x, @p y of the target is. */
static void source_at(const struct lull_ablit *b, uint32_t x, uint32_t y, unsigned sample,
                      uint8_t texel[LULL_ASURFACE_TEXEL])
{
    const uint32_t w = b->dst.x1 - b->dst.x0, h = b->dst.y1 - b->dst.y0;
    const uint32_t dx = b->mirror_x ? b->dst.x1 - 1 - x : x - b->dst.x0,
                   dy = b->mirror_y ? b->dst.y1 - 1 - y : y - b->dst.y0;
    // The nearest: what (d + 1/2) * size / size is in.
    const int64_t sx = b->src_x + (int64_t)((2 * (uint64_t)dx + 1) * b->src_w / (2 * (uint64_t)w)),
                  sy = b->src_y + (int64_t)((2 * (uint64_t)dy + 1) * b->src_h / (2 * (uint64_t)h));
    uint32_t rgba[RGBA];
    if (b->raw) {
        const uint64_t at = lull_asurface_at(&b->from, clamped(sx, b->width),
                                             clamped(sy, b->height), 0, sample_of(b, sample));
        (void)lull_asurface_load(&b->from, &b->memory, at, texel);
        return;
    }
    if (b->linear && !lull_format_is_integer(b->from.format)) {
        filter(b, (dx + 0.5) * b->src_w / w, (dy + 0.5) * b->src_h / h, rgba);
    } else {
        fetch(b, sx, sy, sample, rgba);
    }
    lull_asurface_pack(&b->to, rgba, texel);
}

/** The sample @p sample of a texel of the target. */
static void put(const struct lull_ablit *b, uint32_t x, uint32_t y, unsigned sample)
{
    const uint64_t at = lull_asurface_at(&b->to, x, y, 0, sample);
    uint8_t texel[LULL_ASURFACE_TEXEL];
    if (b->solid) {
        memcpy(texel, b->texel, sizeof texel);
    } else {
        source_at(b, x, y, sample, texel);
    }
    (void)lull_asurface_store_but(&b->to, &b->memory, at, b->keep, texel);
}

uint64_t lull_ablit_run(struct lull_ablit *b, uint64_t most)
{
    uint64_t done = 0;
    while (b->under_way && done < most) {
        for (unsigned s = 0; s < b->to.samples; s++) {
            put(b, b->x, b->y, s);
        }
        done++;
        if (++b->x == b->part.x1) {
            b->x = b->part.x0;
            b->under_way = ++b->y < b->part.y1;
        }
    }
    return done;
}

/** Are texels in memory, one behind the other? */
static bool in_rows(const struct lull_asurface *s)
{
    return s->gmem == NULL && !s->tiled && s->samples == 1;
}

bool lull_ablit_row(const struct lull_ablit *b, uint32_t y, struct lull_transfer *ret)
{
    const uint32_t width = b->dst.x1 - b->dst.x0, height = b->dst.y1 - b->dst.y0;
    const bool same = b->raw && in_rows(&b->from) && b->from.bytes == b->to.bytes && !b->mirror_x &&
                      !b->mirror_y && b->src_w == width && b->src_h == height;
    if (!in_rows(&b->to) || (!b->solid && !same)) {
        return false;
    }
    ret->to = lull_asurface_at(&b->to, b->part.x0, y, 0, 0);
    ret->bytes = (uint64_t)(b->part.x1 - b->part.x0) * b->to.bytes;
    ret->copies = !b->solid;
    if (ret->copies) {
        const int64_t x = b->src_x + b->part.x0 - b->dst.x0, from_y = b->src_y + y - b->dst.y0;
        ret->from = lull_asurface_at(&b->from, (uint32_t)x, (uint32_t)from_y, 0, 0);
    }
    return true;
}
