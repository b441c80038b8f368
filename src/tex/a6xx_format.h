// SPDX-License-Identifier: MIT
/** @file
 * Texel formats of a6xx and a7xx: data/fmt/a6xx.fmt.
 */
#ifndef LULL_TEX_A6XX_FORMAT_H
#define LULL_TEX_A6XX_FORMAT_H

#include <stdint.h>

#include "tex/format.h"

enum { LULL_AFMTS = 256 };

/** By enum a6xx_format: number of the format in gfx11.fmt; 0: none. */
extern const uint16_t lull_afmt_codes[LULL_AFMTS];

/** Format @p n of enum a6xx_format; NULL: the machine does not have it. */
static inline const struct lull_format_info *lull_afmt(unsigned n)
{
    return n < LULL_AFMTS && lull_afmt_codes[n] != 0 ? lull_format_by_code(lull_afmt_codes[n])
                                                     : NULL;
}

#endif
