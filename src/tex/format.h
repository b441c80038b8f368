// SPDX-License-Identifier: MIT
/** @file
 * Texel formats of gfx11: the unified format numbers of buffer and image descriptors and of MTBUF
 * instructions, and what a texel's bits mean to a shader.
 *
 * The rows are data/fmt/gfx11.fmt (gen/fmt.py; docs/formats/fmt.md). A shader sees four dwords,
 * X Y Z W before DST_SEL: IEEE singles for normalised, scaled and float formats, integers
 * (extended to 32 bits) for UINT and SINT. A component that the format does not have is 0, and 1
 * (1.0f, or the integer 1) if it is W.
 *
 * Conversions, where more than one would be right, are those that Direct3D 11.3 asks of hardware
 * (functional specification, section 3.2, "Data conversion"):
 * - float to UNORM, SNORM: clamped, scaled exactly, rounded to nearest with halves away from 0;
 *   NaN is 0. SNORM's lowest value is the same -1.0 as the one above it when read.
 * - float to USCALED, SSCALED: clamped and rounded as UNORM is, without the scale.
 * - float to half, 11-bit and 10-bit float: towards 0; a finite value too big becomes the
 *   biggest finite one; NaN stays NaN; the unsigned ones make 0 of what is negative.
 * - integers that do not fit: the nearest that does.
 * - 5_9_9_9: as OpenGL's EXT_texture_shared_exponent.
 *
 * All tables are constant; any thread may call everything here.
 */
#ifndef LULL_TEX_FORMAT_H
#define LULL_TEX_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a component's bits are. */
enum lull_format_kind {
    LULL_FORMAT_UNORM,
    LULL_FORMAT_SNORM,
    LULL_FORMAT_USCALED,
    LULL_FORMAT_SSCALED,
    LULL_FORMAT_UINT,
    LULL_FORMAT_SINT,
    LULL_FORMAT_FLOAT,      ///< 32 or 16 bits.
    LULL_FORMAT_UFLOAT,     ///< 11 or 10 bits: 5 of exponent, no sign.
    LULL_FORMAT_SRGB,       ///< UNORM through the sRGB curve.
    LULL_FORMAT_SHARED_EXP, ///< 9 bits, with the exponent of 5 bits at bit 27 of the texel.
};

/** How blocks of texels are stored. */
enum lull_format_codec {
    LULL_FORMAT_PLAIN, ///< Each texel for itself.
    LULL_FORMAT_BC1,
    LULL_FORMAT_BC2,
    LULL_FORMAT_BC3,
    LULL_FORMAT_BC4,
    LULL_FORMAT_BC5,
    LULL_FORMAT_BC6,
    LULL_FORMAT_BC7,
    LULL_FORMAT_OTHER, ///< Known by name only: subsampled, video, 1-bit. Neither read nor written.
};

struct lull_format_component {
    uint8_t lo;   ///< Lowest bit in the texel, which is little-endian.
    uint8_t bits; ///< 0: the format has no such component.
    uint8_t kind; ///< enum lull_format_kind.
};

struct lull_format_info {
    const char *name;   ///< "8_8_8_8_UNORM".
    uint16_t code;      ///< Unified format number of gfx11.
    uint8_t bytes;      ///< Of a texel, or of a block if block_width is not 1: 1 to 16.
    uint8_t codec;      ///< enum lull_format_codec.
    uint8_t kind;       ///< enum lull_format_kind of component X.
    uint8_t components; ///< 1 to 4.
    uint8_t block_width, block_height;         ///< In texels: 1 and 1, or 4 and 4.
    struct lull_format_component component[4]; ///< X Y Z W.
};

/** Format with number @p code; NULL if gfx11 has none. */
const struct lull_format_info *lull_format_by_code(unsigned code);
/** Format called @p name, in any case of letters; NULL if there is none. */
const struct lull_format_info *lull_format_by_name(const char *name);

/** Whether texels can be read by this library (lull_format_unpack()). */
bool lull_format_readable(const struct lull_format_info *f);
/** Whether texels can be written (lull_format_pack()): plain formats only. */
bool lull_format_writable(const struct lull_format_info *f);
/** Whether shaders see integers (UINT, SINT), else floats. */
bool lull_format_is_integer(const struct lull_format_info *f);

/**
 * Texel as a shader sees it.
 * @param texel f->bytes bytes; of a block for block formats.
 * @param rgba X Y Z W; all 0 if the format is not readable.
 */
void lull_format_unpack(const struct lull_format_info *f, const uint8_t *texel, uint32_t rgba[4]);

/** The same for texel (@p x, @p y) of a block; x and y are taken modulo the block's size. */
void lull_format_unpack_block(const struct lull_format_info *f, const uint8_t *block, unsigned x,
                              unsigned y, uint32_t rgba[4]);

/**
 * Texel of a shader's values.
 * @param texel f->bytes bytes are written, components that are not there as 0; nothing is written
 *              if the format is not writable.
 */
void lull_format_pack(const struct lull_format_info *f, const uint32_t rgba[4], uint8_t *texel);

/**
 * What D16 loads put into 16 bits for a value of lull_format_unpack(): a half if the format is one
 * of floats, towards 0 if its components are singles, else to nearest even; or the low 16 bits of
 * the integer.
 * Source: RDNA3.5 and RDNA4 ISA guides 9.3.1; Mesa folds conversions into D16 loads if they may
 * round towards 0 (radv, nir_fold_16bit_tex_image_options).
 */
uint16_t lull_format_to_d16(const struct lull_format_info *f, uint32_t value);
/** The reverse for D16 stores: a half made single, or an integer extended as the format says. */
uint32_t lull_format_from_d16(const struct lull_format_info *f, uint16_t value);

/** 1 as DST_SEL_ONE and missing W have it: 1.0f, or 1 for integer formats. */
uint32_t lull_format_one(const struct lull_format_info *f);

/** The 8-bit sRGB code nearest to linear @p value on the curve; NaN is 0. Source: IEC 61966-2-1. */
uint8_t lull_format_srgb_code(float value);

/** Bits of the half-precision float nearest to @p value towards 0, as format conversion makes it.
 */
uint16_t lull_format_half(float value);
/** Value of a half-precision float; exact. A signalling NaN is made quiet. */
float lull_format_from_half(uint16_t bits);

#endif
