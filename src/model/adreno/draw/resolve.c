// SPDX-License-Identifier: MIT
// BLIT events: a tile is cleared, loaded from memory, or stored there, whole or resolved.
//
// Source: shared facts on Adreno's draws, 1.6; Mesa vulkan/tu_clear_blit.cc (what is set for them).
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/blit.h"
#include "model/adreno/exec/texel.h"

static uint32_t value(const struct lull_arop_source *s, uint32_t number)
{
    return s->reg(s->ctx, number);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/** What is cleared or moved, on the screen: tile and scissor. */
static struct lull_ablit_box region(const struct lull_arop_source *s)
{
    const uint32_t bin = value(s, LULL_A6XX_RB_BIN_CONTROL2),
                   window = value(s, LULL_A6XX_RB_WINDOW_OFFSET2),
                   tl = value(s, LULL_A6XX_RB_BLIT_SCISSOR_TL),
                   br = value(s, LULL_A6XX_RB_BLIT_SCISSOR_BR);
    const uint32_t x = lull_a6xx_reg_xy__x(window), y = lull_a6xx_reg_xy__y(window);
    return (struct lull_ablit_box){
        larger(x, lull_a6xx_reg_xy__x(tl)), larger(y, lull_a6xx_reg_xy__y(tl)),
        smaller(x + lull_a6xx_rb_bin_control2__binw(bin), lull_a6xx_reg_xy__x(br) + 1),
        smaller(y + lull_a6xx_rb_bin_control2__binh(bin), lull_a6xx_reg_xy__y(br) + 1)};
}

/** The surface in the tile. */
LULL_MUST_USE static struct lull_error *open_tile(const struct lull_arop_source *s,
                                                  struct lull_asurface_is is,
                                                  struct lull_asurface *ret)
{
    const uint32_t width = lull_a6xx_rb_bin_control2__binw(value(s, LULL_A6XX_RB_BIN_CONTROL2));
    is.name = "BLIT: the tile";
    is.tile = LULL_TILE6_LINEAR;
    is.swap = LULL_WZYX;
    is.samples =
        lull_a6xx_rb_blit_gmem_msaa_cntl__samples(value(s, LULL_A6XX_RB_BLIT_GMEM_MSAA_CNTL));
    struct lull_error *err = lull_asurface_open(lull_ir3_chip(s->gpu_id), &is, ret);
    if (err == NULL && s->gmem == NULL) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "BLIT: the pass does not render to tiles");
    }
    if (err == NULL) {
        ret->gmem = s->gmem;
        ret->base = value(s, LULL_A6XX_RB_BLIT_BASE_GMEM);
        ret->pitch = width * ret->bytes * ret->samples;
    }
    return err;
}

/** The surface in memory. */
LULL_MUST_USE static struct lull_error *open_memory(const struct lull_arop_source *s,
                                                    const struct lull_asurface_is *is,
                                                    struct lull_asurface *ret)
{
    struct lull_error *err = lull_asurface_open(lull_ir3_chip(s->gpu_id), is, ret);
    if (err == NULL) {
        ret->base = value(s, LULL_A6XX_RB_BLIT_DST) | (uint64_t)value(s, LULL_A6XX_RB_BLIT_DST + 1)
                                                          << 32;
        ret->pitch = (value(s, LULL_A6XX_RB_BLIT_DST_PITCH) & UINT16_MAX) << 6;
    }
    return err;
}

/** The tile's pixels are set to packed texels, or to a part of them. */
static void clear(const struct lull_arop_source *s, uint32_t info, struct lull_ablit *b)
{
    uint32_t words[LULL_ASURFACE_WORDS];
    for (unsigned i = 0; i < LULL_ASURFACE_WORDS; i++) {
        words[i] = value(s, LULL_A6XX_RB_BLIT_CLEAR_COLOR_DW0 + i);
    }
    memcpy(b->texel, words, sizeof b->texel);
    b->solid = true;
    (void)lull_asurface_keep(&b->to, lull_a6xx_rb_blit_info__clear_mask(info), b->keep);
}

/** Whether what is moved is averaged: neither depth nor integers are. */
static bool averages(uint32_t info)
{
    return lull_a6xx_rb_blit_info__sample_0(info) == 0 && lull_a6xx_rb_blit_info__depth(info) == 0;
}

/** From or to memory. */
LULL_MUST_USE static struct lull_error *transfer(const struct lull_arop_source *s, uint32_t info,
                                                 const struct lull_asurface_is *is,
                                                 struct lull_ablit *b)
{
    const bool load = lull_a6xx_rb_blit_info__type(info) == LULL_BLIT_EVENT_LOAD;
    struct lull_error *err = open_tile(s, *is, load ? &b->to : &b->from);
    if (err == NULL) {
        err = open_memory(s, is, load ? &b->from : &b->to);
    }
    if (err != NULL) {
        return err;
    }
    if (b->from.samples < b->to.samples) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "BLIT: %u samples to %u", b->from.samples,
                              b->to.samples);
    }
    b->average = averages(info) && b->from.samples > b->to.samples;
    b->raw = !b->average && memcmp(b->from.from, b->to.from, sizeof b->to.from) == 0;
    return NULL;
}

struct lull_error *lull_ablit_event(const struct lull_arop_source *source, struct lull_ablit *ret)
{
    const uint32_t info = value(source, LULL_A6XX_RB_BLIT_INFO),
                   dst = value(source, LULL_A6XX_RB_BLIT_DST_INFO),
                   window = value(source, LULL_A6XX_RB_WINDOW_OFFSET2),
                   format = lull_a6xx_rb_blit_dst_info__color_format(dst),
                   type = lull_a6xx_rb_blit_info__type(info);
    const struct lull_asurface_is is = {
        .name = "BLIT: the image",
        .format = format == LULL_FMT6_Z24_UNORM_S8_UINT ? LULL_FMT6_Z24_UNORM_S8_UINT_AS_R8G8B8A8
                                                        : format,
        .tile = lull_a6xx_rb_blit_dst_info__tile_mode(dst),
        .swap = lull_a6xx_rb_blit_dst_info__color_swap(dst),
        .samples = lull_a6xx_rb_blit_dst_info__samples(dst),
    };
    const uint32_t x = lull_a6xx_reg_xy__x(window), y = lull_a6xx_reg_xy__y(window);
    const struct lull_ablit_box on_screen = region(source);
    const struct lull_ablit_box in_tile = {on_screen.x0 - x, on_screen.y0 - y, on_screen.x1 - x,
                                           on_screen.y1 - y};
    struct lull_ablit b = {.memory = source->memory};
    struct lull_error *err = NULL;
    if (type == LULL_BLIT_EVENT_STORE_AND_CLEAR) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "BLIT: a tile that is stored and cleared");
    } else if (type == LULL_BLIT_EVENT_CLEAR) {
        err = open_tile(source, is, &b.to);
    } else {
        err = transfer(source, info, &is, &b);
    }
    if (err != NULL) {
        return err;
    }
    if (type == LULL_BLIT_EVENT_CLEAR) {
        clear(source, info, &b);
    }
    const struct lull_ablit_box from = type == LULL_BLIT_EVENT_LOAD ? on_screen : in_tile;
    b.dst = b.part = type == LULL_BLIT_EVENT_STORE ? on_screen : in_tile;
    b.under_way = on_screen.x0 < on_screen.x1 && on_screen.y0 < on_screen.y1;
    b.x = b.part.x0;
    b.y = b.part.y0;
    b.src_x = from.x0;
    b.src_y = from.y0;
    b.src_w = from.x1 - from.x0;
    b.src_h = from.y1 - from.y0;
    *ret = b;
    return NULL;
}
