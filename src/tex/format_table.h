// SPDX-License-Identifier: MIT
/** @file
 * Inside the formats: the table that gen/fmt.py makes, and block codecs.
 */
#ifndef LULL_TEX_FORMAT_TABLE_H
#define LULL_TEX_FORMAT_TABLE_H

#include "tex/format.h"

extern const struct lull_format_info lull_formats[]; ///< By number.
extern const size_t lull_nformats;
extern const uint8_t lull_format_index[256]; ///< By number: index in lull_formats + 1, or 0.
extern const float lull_srgb_values[256];    ///< Linear value of an 8-bit sRGB code.
extern const float
    lull_srgb_limits[256]; ///< From which value on the next code is nearer; the last: beyond 1.
enum { LULL_SRGB_STEPS = 1024 };
extern const uint8_t lull_srgb_first[LULL_SRGB_STEPS]; ///< Code of n / LULL_SRGB_STEPS.

/** Texel (x, y), both below 4, of a block of BC1 to BC5: X Y Z W, those that the format has. */
void lull_bc_texel(const struct lull_format_info *f, const uint8_t *block, unsigned x, unsigned y,
                   float rgba[4]);

/** Linear value of an sRGB one between 0 and 1. */
float lull_srgb_linear(float value);

#endif
