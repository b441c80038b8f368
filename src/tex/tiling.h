// SPDX-License-Identifier: MIT
/** @file
 * Where the texels of an image lie: linear, and gfx11's swizzle modes for GB_ADDR_CONFIG 0x545
 * (Navi31: 32 pipes).
 *
 * Facts: data/tile/gfx11.tile (gen/tile.py; docs/formats/images.md). A struct lull_tiling is made
 * for one mip level and lives on the stack; nothing is allocated.
 */
#ifndef LULL_TEX_TILING_H
#define LULL_TEX_TILING_H

#include "tex/descriptor.h"

/** One level of an image. Everything in elements: texels, or blocks of a block-compressed format.
 */
struct lull_tiling {
    uint64_t base; ///< VA of the image: the descriptor's, without the XOR bits.
    uint64_t size; ///< Bytes from base that the whole image (all levels and slices) takes.
    uint64_t
        level; ///< Bytes from the start of a slice (thick: of a layer of blocks) to this level.
    uint64_t slice;         ///< Bytes from one slice to the next; thick: from one layer of blocks.
    uint64_t row;           ///< Bytes from one row to the next; tiled: from one row of blocks.
    uint32_t width, height; ///< Of this level.
    uint32_t depth;         ///< 3D: of this level; else slices of the image that can be named.
    uint32_t samples;
    uint32_t tail_x, tail_y;    ///< Where the level begins inside the mip tail's block.
    uint32_t xor_bits;          ///< Pipe and bank XOR, in place.
    uint8_t bytes;              ///< Of an element.
    uint8_t block_bits;         ///< log2 of a block's bytes; 0: linear.
    uint8_t block_log2[3];      ///< log2 of a block's width, height, depth in elements.
    uint8_t texels_x, texels_y; ///< Texels in an element: 1, or 4 for BC.
    bool in_tail;
    uint8_t first_in_tail; ///< First level in the mip tail; the number of levels: none is.
    const struct lull_tile_pattern *pattern; ///< NULL: linear.
};

/**
 * Level @p level (absolute: the descriptor's base_level not added) of the image @p d.
 * @return LULL_TEX_OK, else *ret is not changed. DCC is not looked at.
 */
enum lull_tex_status lull_tiling_prepare(const struct lull_image_desc *d, unsigned level,
                                         struct lull_tiling *ret);

/**
 * Byte offset from t->base of an element. Coordinates count from the corner of the level, @p z is
 * the depth of 3D images and the absolute slice (BASE_ARRAY added) of others; the caller has
 * checked them against width, height and depth: then offset + element bytes <= t->size.
 */
uint64_t lull_tiling_offset(const struct lull_tiling *t, uint32_t x, uint32_t y, uint32_t z,
                            uint32_t sample);

/** The part of an offset that x and y make inside a block, by five bits of each: for whoever needs
 * many. */
struct lull_tiling_steps {
    uint32_t x[2][32], y[2][32];
};

void lull_tiling_steps_make(const struct lull_tiling *t, struct lull_tiling_steps *ret);

/** lull_tiling_offset() of @p x, @p y where @p corner is that of 0, 0 in the same slice and sample.
 */
static inline uint64_t lull_tiling_step(const struct lull_tiling *t,
                                        const struct lull_tiling_steps *s, uint64_t corner,
                                        uint32_t x, uint32_t y)
{
    const uint32_t tx = x + t->tail_x, ty = y + t->tail_y;
    if (t->pattern == NULL) {
        return corner + y * t->row + (uint64_t)x * t->bytes;
    }
    const uint32_t in =
        s->x[0][tx % 32] ^ s->x[1][tx / 32 % 32] ^ s->y[0][ty % 32] ^ s->y[1][ty / 32 % 32];
    return (corner ^ in) + (y >> t->block_log2[1]) * t->row +
           ((uint64_t)(x >> t->block_log2[0]) << t->block_bits);
}

/** lull_tiling_offset() for texels: divides by the block's size. VA, with base added. */
uint64_t lull_tiling_texel_va(const struct lull_tiling *t, uint32_t x, uint32_t y, uint32_t z,
                              uint32_t sample);

/** Name of an SW_MODE: "64KB_R_X"; "?" for reserved numbers. */
const char *lull_sw_mode_name(unsigned sw_mode);

#endif
