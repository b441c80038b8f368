// SPDX-License-Identifier: MIT
/** @file
 * Levels of detail, of no vendor: how many texels a pixel covers, and which levels that means.
 *
 * Levels of detail are fixed point with LULL_SAMPLE_FRACTION bits. Source: Vulkan 1.3, "Scale
 * factor operation", "Level of detail operation".
 */
#ifndef LULL_MODEL_SAMPLE_LEVEL_H
#define LULL_MODEL_SAMPLE_LEVEL_H

#include "model/sample/taps.h"

/** What a pixel covers of level 0. */
struct lull_footprint {
    double lod;     ///< log2 of its texels; not a number, or infinite, where gradients are.
    unsigned ntaps; ///< Samples along the longer gradient, at least 1.
    unsigned along; ///< The longer gradient: 0 or 1.
};

/** By gradients @p d towards the right and below. @p size: texels for a step of 1 in each of
 * @p dims coordinates. @p most: samples that an anisotropic filter may take; 1: it is not one. */
struct lull_footprint lull_footprint(const float d[2][3], const double size[3], unsigned dims,
                                     unsigned most);

/** How far sample @p t (from 1) of @p n along a gradient is from the middle, in gradients. */
static inline float lull_footprint_step(unsigned t, unsigned n)
{
    return (float)t / (float)(n + 1) - 0.5f;
}

/** The nearest of @p levels, halves down. */
int32_t lull_level_nearest(int32_t lod, int32_t levels);

/** Two levels to blend and their weights. @return How many of them are needed. */
unsigned lull_levels_linear(int32_t lod, int32_t levels, int32_t level[2], double weight[2]);

#endif
