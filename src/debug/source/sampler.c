// SPDX-License-Identifier: MIT
/* Samplers that a set layout has itself, as gfx11 wants them: the driver keeps them in its code. */
#include <math.h>

#include "debug/source/priv.h"
#include "hw/field.h"
#include "hw/samp11_regs.h"

/** VkSamplerAddressMode, VkFilter. */
enum { WRAPS = 5, LINEAR = 1 };

/** Levels in 256ths, within @p low and @p high. */
static uint32_t level(float v, float low, float high)
{
    const float in = !(v >= low) ? low : v > high ? high : v;
    return (uint32_t)(int32_t)(in * 256);
}

static uint32_t clamp_of(uint32_t mode)
{
    static const uint32_t clamps[WRAPS] = {
        LULL_SAMP11_WORD0__CLAMP_X__WRAP, LULL_SAMP11_WORD0__CLAMP_X__MIRROR,
        LULL_SAMP11_WORD0__CLAMP_X__CLAMP_LAST_TEXEL, LULL_SAMP11_WORD0__CLAMP_X__CLAMP_BORDER,
        LULL_SAMP11_WORD0__CLAMP_X__MIRROR_ONCE_LAST_TEXEL};
    return clamps[mode < WRAPS ? mode : 0];
}

/** Steps of anisotropy: 1, 2, 4, 8, 16. */
static uint32_t ratio_of(float most)
{
    enum { RATIOS = 5 };
    uint32_t ratio = 0;
    while (ratio + 1 < RATIOS && most >= ldexpf(2, (int)ratio)) {
        ratio++;
    }
    return ratio;
}

void lull_source_sampler(const struct lull_names_sampler *s, uint32_t words[4])
{
    const float most = 4095.0f / 256;
    const uint32_t ratio = ratio_of(s->anisotropy);
    const bool point = s->mag != LINEAR && s->min != LINEAR && s->unnormalized == 0;
    const uint32_t linear = ratio != 0 ? LULL_SAMP11_WORD2__XY_MAG_FILTER__ANISO_BILINEAR
                                       : LULL_SAMP11_WORD2__XY_MAG_FILTER__BILINEAR;
    const uint32_t nearest = ratio != 0 ? LULL_SAMP11_WORD2__XY_MAG_FILTER__ANISO_POINT
                                        : LULL_SAMP11_WORD2__XY_MAG_FILTER__POINT;
    uint32_t w = lull_set(0, LULL_SAMP11_WORD0__CLAMP_X_MASK, clamp_of(s->wrap[0]));
    w = lull_set(w, LULL_SAMP11_WORD0__CLAMP_Y_MASK, clamp_of(s->wrap[1]));
    w = lull_set(w, LULL_SAMP11_WORD0__CLAMP_Z_MASK, clamp_of(s->wrap[2]));
    w = lull_set(w, LULL_SAMP11_WORD0__MAX_ANISO_RATIO_MASK, ratio);
    w = lull_set(w, LULL_SAMP11_WORD0__DEPTH_COMPARE_FUNC_MASK, s->compare);
    w = lull_set(w, LULL_SAMP11_WORD0__FORCE_UNNORMALIZED_MASK, s->unnormalized != 0);
    words[0] = lull_set(w, LULL_SAMP11_WORD0__TRUNC_COORD_MASK, point); // as Vulkan wants it
    w = lull_set(0, LULL_SAMP11_WORD1__MIN_LOD_MASK, level(s->min_lod, 0, most));
    words[1] = lull_set(w, LULL_SAMP11_WORD1__MAX_LOD_MASK, level(s->max_lod, 0, most));
    w = lull_set(0, LULL_SAMP11_WORD2__LOD_BIAS_MASK, level(s->bias, -16, most));
    w = lull_set(w, LULL_SAMP11_WORD2__XY_MAG_FILTER_MASK, s->mag == LINEAR ? linear : nearest);
    w = lull_set(w, LULL_SAMP11_WORD2__XY_MIN_FILTER_MASK, s->min == LINEAR ? linear : nearest);
    words[2] = lull_set(w, LULL_SAMP11_WORD2__MIP_FILTER_MASK,
                        s->mip == LINEAR ? LULL_SAMP11_WORD2__MIP_FILTER__LINEAR
                                         : LULL_SAMP11_WORD2__MIP_FILTER__POINT);
    // Two VkBorderColors, of floats and of integers, are one here.
    words[3] = lull_set(0, LULL_SAMP11_WORD3__BORDER_COLOR_TYPE_MASK, s->border / 2 % 3);
}
