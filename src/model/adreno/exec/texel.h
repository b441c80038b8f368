// SPDX-License-Identifier: MIT
/** @file
 * Images of a6xx and a7xx: what a descriptor says of one, and where its texels are.
 *
 * Source: Mesa fdl/fd6_layout.c (levels), fdl/fd6_view.c (descriptors), fdl/fd6_tiled_memcpy.cc
 * (TILE6_3). TILE6_2: shared facts on Adreno's draws, 1.6.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_TEXEL_H
#define LULL_MODEL_ADRENO_EXEC_TEXEL_H

#include "hw/achips.h"
#include "model/adreno/exec/wave.h"
#include "tex/a6xx_format.h"

/** An image, or a buffer of texels, which is one row of them. */
struct lull_ir3_image {
    const struct lull_achip *chip;
    const struct lull_format_info *format;
    unsigned type; ///< enum lull_a6xx_tex_type.
    bool tiled;    ///< TILE6_3, except narrow levels.
    bool tile_all; ///< They too.
    bool in_tile;  ///< TILE6_2: what the pass has drawn, in the memory of tiles.
    bool w_first;  ///< The lowest component is W, the others X to Z.
    bool null;     ///< No image: all of it is outside.
    bool ubwc;     ///< Tiled levels begin on pages. What is in them is never compressed.
    uint8_t swap;  ///< enum lull_a3xx_color_swap.
    uint8_t swizzle[4];
    uint64_t base, array_pitch;
    uint32_t width, height, depth, levels;
    unsigned samples;                       ///< Of a texel: 1, 2, 4 ..., one after the other.
    uint32_t pitch, pitch_align, min_layer; ///< Bytes.
    uint32_t min_lod;                       ///< In 1/256 of a level.
};

/** A texel: `z` is the slice of 3D images, of cubes 6 times the cube and the face, else the layer.
 */
struct lull_ir3_spot {
    uint32_t x, y, z, level, sample;
};

/** @p f with the curve of sRGB; NULL: there is none. */
const struct lull_format_info *lull_ir3_srgb(const struct lull_format_info *f);

/** The chip of GPU @p gen: its banks say where tiled texels are. */
const struct lull_achip *lull_ir3_chip(unsigned gen);

/** Byte of texel @p x, @p y of a level or surface in TILE6_3; @p bytes of a texel: 1 to 16. */
uint64_t lull_tile6_3(const struct lull_achip *chip, unsigned bytes, uint32_t pitch, uint32_t x,
                      uint32_t y);

/** Descriptor @p words of 16 dwords; false: lull does not do such images, and @p w has stopped. */
bool lull_ir3_image_of(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                       const uint32_t *words, struct lull_ir3_image *ret);

/** Size of level @p level in texels. */
void lull_ir3_image_size(const struct lull_ir3_image *m, uint32_t level, uint32_t ret[3]);

/** Address of a texel; 0: it is outside of the image, or in the memory of tiles. */
uint64_t lull_ir3_texel_at(const struct lull_ir3_image *m, const struct lull_ir3_spot *s);

/** Bytes of a texel of an image that is in the memory of tiles; NULL: it is not in the tile. */
const uint8_t *lull_ir3_texel_in_tile(const struct lull_ir3_image *m,
                                      const struct lull_ir3_tile *tile,
                                      const struct lull_ir3_spot *s);

/** Components of a texel from the order in memory to X Y Z W, or the other way. */
void lull_ir3_swapped(unsigned swap, bool to_memory, uint32_t rgba[4]);

#endif
