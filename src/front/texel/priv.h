// SPDX-License-Identifier: MIT
/** @file
 * Between the files that access texels.
 */
#ifndef LULL_FRONT_TEXEL_PRIV_H
#define LULL_FRONT_TEXEL_PRIV_H

#include "front/texel/texel.h"

enum { LULL_TEXEL_LEVELS = 16 };

/** One access on its way. */
struct lull_texel_work {
    const struct lull_texel *t;
    const struct lull_texel_memory *memory;
    struct lull_format_info format; ///< The descriptor's, with the sampler's wishes about sRGB.
    unsigned dims;                  ///< Coordinates without the slice: 1 to 3.
    int32_t levels;                 ///< Of the view.
    uint32_t slices;                ///< Of the view; of cubes faces.
    bool known[LULL_TEXEL_LEVELS];
    struct lull_tiling level[LULL_TEXEL_LEVELS];
    struct lull_error *err; ///< The first.
};

/** A texel of the view. */
struct lull_texel_at {
    int32_t x, y, z, level;
    uint32_t sample;
};

/** Size of a level in texels; NULL: there is none. */
const struct lull_tiling *lull_texel_level(struct lull_texel_work *w, int32_t level,
                                           struct lull_extent *ret);

/** Its address; false: it is outside, or an error was noted. */
bool lull_texel_va(struct lull_texel_work *w, const struct lull_texel_at *at, uint64_t *ret);

/** Keep the first error. */
void lull_texel_note(struct lull_texel_work *w, struct lull_error *err);

/** Does the texel stand in memory as it is? Else metadata says what it is, or an error was noted.
 */
bool lull_texel_is_open(struct lull_texel_work *w, const struct lull_texel_at *at,
                        uint8_t texel[16]);

/** What is there, in front of DST_SEL; 0 outside. */
void lull_texel_fetch(struct lull_texel_work *w, const struct lull_texel_at *at, uint32_t rgba[4]);

/** SAMPLE and GATHER. */
void lull_texel_sample(struct lull_texel_work *w, struct lull_ev_image *io);

static inline float lull_texel_float(uint32_t bits)
{
    union {
        uint32_t u;
        float f;
    } v = {.u = bits};
    return v.f;
}

static inline uint32_t lull_texel_bits(float value)
{
    union {
        float f;
        uint32_t u;
    } v = {.f = value};
    return v.u;
}

#endif
