// SPDX-License-Identifier: MIT
/** @file
 * Surfaces that the back end and the 2D engine read and write: where a sample lies, and what its
 * bytes mean.
 *
 * Samples of a pixel lie side by side, as if they were one texel. What UBWC's flags say is never
 * looked at, because all who write write plain texels.
 * Source: shared facts on Adreno's draws, 3.7; Mesa fdl/fd6_layout.c, fdl/fd6_tiled_memcpy.cc.
 */
#ifndef LULL_MODEL_ADRENO_DRAW_SURFACE_H
#define LULL_MODEL_ADRENO_DRAW_SURFACE_H

#include "base/error.h"
#include "hw/achips.h"
#include "model/adreno/exec/wave.h"
#include "tex/a6xx_format.h"

enum {
    LULL_ASURFACE_TEXEL = 16, ///< Bytes of the largest sample.
    LULL_ASURFACE_WORDS = LULL_ASURFACE_TEXEL / 4,
};

/** The memory of tiles. Only the back end, BLIT events and textures of tiles see it, so its layout
 * is the model's: rows of samples. Borrows. */
struct lull_agmem {
    uint8_t *bytes;
    uint32_t size;
};

/** A surface: one level, all its layers. Borrows `gmem`. */
struct lull_asurface {
    const struct lull_achip *chip;
    const struct lull_format_info *format; ///< Of a sample; NULL: depth or stencil of the back end.
    uint8_t from[4];                       ///< Which of R G B A a component of the format is.
    bool tiled;                            ///< TILE6_3, else linear.
    uint8_t bytes;                         ///< Of a sample.
    uint8_t samples;                       ///< Of a pixel: 1, 2, 4.
    uint32_t pitch;                        ///< Bytes of a row.
    uint64_t base, layer_bytes;
    const struct lull_agmem *gmem; ///< NULL: in memory; else `base` is an offset.
};

/** A surface as registers describe it; the numbers are those of their fields. */
struct lull_asurface_is {
    const char *name; ///< In errors: "CP_BLIT: the source".
    unsigned format;  ///< enum lull_a6xx_format.
    unsigned tile;    ///< enum lull_a6xx_tile_mode.
    unsigned swap;    ///< enum lull_a3xx_color_swap.
    unsigned samples; ///< Base 2 logarithm.
    bool srgb;
};

/** Set format, samples and layout of @p ret. @return What is refused, by name. */
struct lull_error *lull_asurface_open(const struct lull_achip *chip,
                                      const struct lull_asurface_is *is,
                                      struct lull_asurface *ret) LULL_MUST_USE;

/** Address, or offset in the memory of tiles, of a sample. */
uint64_t lull_asurface_at(const struct lull_asurface *s, uint32_t x, uint32_t y, uint32_t layer,
                          unsigned sample);

/** The bytes of a sample @p at its place.
 * @return False: nothing is there, which memory has told; @p texel is zeros. */
bool lull_asurface_load(const struct lull_asurface *s, const struct lull_ir3_memory *m, uint64_t at,
                        uint8_t texel[LULL_ASURFACE_TEXEL]);
bool lull_asurface_store(const struct lull_asurface *s, const struct lull_ir3_memory *m,
                         uint64_t at, const uint8_t texel[LULL_ASURFACE_TEXEL]);

/** Bits of a texel that stay if only components @p mask, R G B A, are written. @return Any do. */
bool lull_asurface_keep(const struct lull_asurface *s, unsigned mask,
                        uint32_t ret[LULL_ASURFACE_WORDS]);

/** lull_asurface_store(), but bits @p keep stay. */
bool lull_asurface_store_but(const struct lull_asurface *s, const struct lull_ir3_memory *m,
                             uint64_t at, const uint32_t keep[LULL_ASURFACE_WORDS],
                             const uint8_t texel[LULL_ASURFACE_TEXEL]);

/** R G B A of a texel as shaders see them; what is not there is 0, and 1 as alpha. */
void lull_asurface_unpack(const struct lull_asurface *s, const uint8_t texel[LULL_ASURFACE_TEXEL],
                          uint32_t rgba[4]);
void lull_asurface_pack(const struct lull_asurface *s, const uint32_t rgba[4],
                        uint8_t texel[LULL_ASURFACE_TEXEL]);

#endif
