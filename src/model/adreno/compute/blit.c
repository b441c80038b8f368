// SPDX-License-Identifier: MIT
#include "model/adreno/compute/blit.h"

#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "model/adreno/exec/format.h"

struct surface {
    uint64_t address;
    uint32_t pitch; ///< Bytes of a row.
    uint32_t x, y;  ///< Its first texel.
    const struct lull_format_info *format;
};

struct blit {
    const struct lull_acompute_source *source;
    struct surface from, to;
    uint32_t width, height;
    bool solid;
    uint8_t texel[16]; ///< SOLID: what is written.
};

static uint32_t reg(const struct lull_acompute_source *s, uint32_t a6, uint32_t a7)
{
    return s->reg(s->ctx, s->gpu_id >= 700 ? a7 : a6);
}

LULL_MUST_USE static struct lull_error *surface(uint32_t info, const char *name, struct surface *s)
{
    const uint32_t format = lull_a6xx_2d_src_surf_info__color_format(info);
    s->format = lull_afmt(format);
    if (s->format == NULL || !lull_format_writable(s->format)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: %s of format %u", name, format);
    }
    if (lull_a6xx_2d_src_surf_info__tile_mode(info) != LULL_TILE6_LINEAR) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: %s is tiled (%u)", name,
                              lull_a6xx_2d_src_surf_info__tile_mode(info));
    }
    if (lull_a6xx_2d_src_surf_info__flags(info) != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: %s is compressed", name);
    }
    if (lull_a6xx_2d_src_surf_info__color_swap(info) != LULL_WZYX ||
        lull_a6xx_2d_src_surf_info__samples(info) != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: %s has swapped components or samples",
                              name);
    }
    return NULL;
}

/** A value of RB_2D_SRC_SOLID_Cn as texel formats have it. */
static uint32_t solid_value(uint32_t v, uint32_t ifmt)
{
    float f = 0;
    if (ifmt == LULL_R2D_UNORM8 || ifmt == LULL_R2D_UNORM8_SRGB) {
        f = (float)(v & 255) / 255.0f;
    } else if (ifmt == LULL_R2D_FLOAT16) {
        f = lull_format_from_half((uint16_t)v);
    } else {
        return v; // Integers, and singles as their bits.
    }
    memcpy(&v, &f, sizeof v);
    return v;
}

LULL_MUST_USE static struct lull_error *source_of(struct blit *b)
{
    const struct lull_acompute_source *s = b->source;
    const uint32_t info = reg(s, LULL_A6XX_SP_PS_2D_SRC_INFO, LULL_A6XX_SP_PS_2D_SRC_INFO__A7XX);
    const uint32_t at = s->gpu_id >= 700 ? LULL_A6XX_SP_PS_2D_SRC__A7XX : LULL_A6XX_SP_PS_2D_SRC;
    const uint32_t pitch = reg(s, LULL_A6XX_SP_PS_2D_SRC_PITCH, LULL_A6XX_SP_PS_2D_SRC_PITCH__A7XX);
    b->from.address = s->reg(s->ctx, at) | (uint64_t)s->reg(s->ctx, at + 1) << 32;
    b->from.pitch = s->gpu_id >= 700 ? lull_a6xx_sp_ps_2d_src_pitch__pitch__a7xx(pitch)
                                     : lull_a6xx_sp_ps_2d_src_pitch__pitch(pitch);
    const uint32_t x0 = s->reg(s->ctx, LULL_A6XX_GRAS_2D_SRC_TL_X) >> 8 & 0x1ffff,
                   x1 = s->reg(s->ctx, LULL_A6XX_GRAS_2D_SRC_BR_X) >> 8 & 0x1ffff,
                   y0 = s->reg(s->ctx, LULL_A6XX_GRAS_2D_SRC_TL_Y) >> 8 & 0x1ffff,
                   y1 = s->reg(s->ctx, LULL_A6XX_GRAS_2D_SRC_BR_Y) >> 8 & 0x1ffff;
    b->from.x = x0;
    b->from.y = y0;
    if (x1 - x0 + 1 != b->width || y1 - y0 + 1 != b->height) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: %ux%u scaled to %ux%u", x1 - x0 + 1,
                              y1 - y0 + 1, b->width, b->height);
    }
    return surface(info, "the source", &b->from);
}

LULL_MUST_USE static struct lull_error *parse(struct blit *b)
{
    const struct lull_acompute_source *s = b->source;
    const uint32_t cntl = s->reg(s->ctx, LULL_A6XX_RB_2D_BLIT_CNTL);
    const uint32_t tl = s->reg(s->ctx, LULL_A6XX_GRAS_2D_DST_TL),
                   br = s->reg(s->ctx, LULL_A6XX_GRAS_2D_DST_BR);
    b->solid = lull_a6xx_2d_blit_cntl__solid_color(cntl) != 0;
    b->to.x = lull_a6xx_reg_xy__x(tl);
    b->to.y = lull_a6xx_reg_xy__y(tl);
    b->width = lull_a6xx_reg_xy__x(br) - b->to.x + 1;
    b->height = lull_a6xx_reg_xy__y(br) - b->to.y + 1;
    b->to.address = s->reg(s->ctx, LULL_A6XX_RB_2D_DST) |
                    (uint64_t)s->reg(s->ctx, LULL_A6XX_RB_2D_DST + 1) << 32;
    if (lull_a6xx_reg_xy__x(br) < b->to.x || lull_a6xx_reg_xy__y(br) < b->to.y) {
        return lull_error_new(LULL_ERR_BAD_DATA, "CP_BLIT: from %u,%u to %u,%u", b->to.x, b->to.y,
                              lull_a6xx_reg_xy__x(br), lull_a6xx_reg_xy__y(br));
    }
    b->to.pitch = (s->reg(s->ctx, LULL_A6XX_RB_2D_DST_PITCH) & 0xffff) << 6;
    if (lull_a6xx_2d_blit_cntl__rotate(cntl) != 0 || lull_a6xx_2d_blit_cntl__mask(cntl) != 0xf) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "CP_BLIT: turned, or a part of components");
    }
    struct lull_error *err =
        surface(s->reg(s->ctx, LULL_A6XX_RB_2D_DST_INFO), "the destination", &b->to);
    if (err != NULL || !b->solid) {
        return err != NULL ? err : source_of(b);
    }
    uint32_t rgba[4] = {0};
    for (unsigned k = 0; k < 4; k++) {
        rgba[k] = solid_value(s->reg(s->ctx, LULL_A6XX_RB_2D_SRC_SOLID_C0 + k),
                              lull_a6xx_2d_blit_cntl__ifmt(cntl));
    }
    lull_format_pack(b->to.format, rgba, b->texel);
    return NULL;
}

/** A texel from or to memory, in the largest pieces that are surely on one page. */
static bool move(const struct lull_ir3_memory *m, uint64_t address, uint8_t *bytes, unsigned n,
                 bool write)
{
    const unsigned step = address % 4 == 0 && n % 4 == 0 ? 4 : 1;
    for (unsigned i = 0; i < n; i += step) {
        uint8_t *at = m->at(m->ctx, address + i, step, write);
        if (at == NULL) {
            return false;
        }
        memcpy(write ? at : bytes + i, write ? bytes + i : at, step);
    }
    return true;
}

static void texel(const struct blit *b, uint32_t x, uint32_t y)
{
    const struct lull_ir3_memory *m = &b->source->memory;
    const struct surface *f = &b->from, *t = &b->to;
    uint8_t bytes[16] = {0};
    if (b->solid) {
        memcpy(bytes, b->texel, sizeof bytes);
    } else {
        const uint64_t at =
            f->address + (uint64_t)(f->y + y) * f->pitch + (uint64_t)(f->x + x) * f->format->bytes;
        (void)move(m, at, bytes, f->format->bytes, false);
        if (f->format != t->format) {
            uint32_t rgba[4] = {0};
            lull_format_unpack(f->format, bytes, rgba);
            lull_format_pack(t->format, rgba, bytes);
        }
    }
    const uint64_t to =
        t->address + (uint64_t)(t->y + y) * t->pitch + (uint64_t)(t->x + x) * t->format->bytes;
    (void)move(m, to, bytes, t->format->bytes, true);
}

struct lull_error *lull_ablit(const struct lull_acompute_source *source)
{
    struct blit b = {.source = source};
    struct lull_error *err = parse(&b);
    for (uint32_t y = 0; err == NULL && y < b.height; y++) {
        for (uint32_t x = 0; x < b.width; x++) {
            texel(&b, x, y);
        }
    }
    return err;
}
