// SPDX-License-Identifier: MIT
/** @file
 * Which texels of a level a coordinate means, and their weights; of no vendor.
 *
 * Texel coordinates have 8 bits of fraction, rounded to nearest. Cube faces are seamless: a texel
 * beyond an edge is the one next to it on the other face; the share of the one that a corner lacks
 * goes to the other three, and a square takes the nearest on its own face.
 * Source: Vulkan 1.3, "Image operations".
 */
#ifndef LULL_MODEL_SAMPLE_TAPS_H
#define LULL_MODEL_SAMPLE_TAPS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LULL_SAMPLE_FRACTION = 8, ///< Bits of texel coordinates and levels of detail.
    LULL_SAMPLE_ONE = 1 << LULL_SAMPLE_FRACTION,
    LULL_TAPS = 8,
};

/** What is at coordinates outside of a level. */
enum lull_wrap {
    LULL_WRAP_REPEAT,
    LULL_WRAP_MIRROR,
    LULL_WRAP_EDGE,
    LULL_WRAP_MIRROR_ONCE_EDGE,
    LULL_WRAP_HALF_BORDER,
    LULL_WRAP_MIRROR_ONCE_HALF_BORDER,
    LULL_WRAP_BORDER,
    LULL_WRAP_MIRROR_ONCE_BORDER,
};

/** A place in a level. */
struct lull_spot {
    double coord[3];
    int32_t size[3];   ///< Of the level, in texels: at least 1.
    int32_t offset[3]; ///< Texels.
    int32_t slice;     ///< What taps have as z if there are less than 3 dimensions.
    uint8_t dims;      ///< Without slices: 1 to 3.
    uint8_t wrap[3];   ///< enum lull_wrap.
    bool normal;       ///< 0 to 1 are the level; else coordinates are in texels.
    bool cube;         ///< Seamless faces: the slice is 6 times a layer and a face.
    bool trunc;        ///< Points are taken down to the texel, without rounding first.
    bool linear[3];    ///< Between two texels; else the nearest.
};

/** A texel that takes part. */
struct lull_tap {
    int32_t x, y, z;
    double weight;
    bool border; ///< It is outside: the border's colour counts.
};

/** Texels of @p s with their weights. @return How many; the first is the nearest if no axis is
 * linear. */
unsigned lull_taps(const struct lull_spot *s, struct lull_tap ret[LULL_TAPS]);

/** The four texels of a gather, whose axes must be linear: from lower left against the clock, as
 * Vulkan has it; @p row: four side by side. */
void lull_taps_square(const struct lull_spot *s, bool row, struct lull_tap ret[4]);

/** Where a direction from the centre of a cube meets it. */
struct lull_cube_point {
    unsigned face;  ///< +X -X +Y -Y +Z -Z.
    float coord[2]; ///< 0 to 1.
    float d[2][3];  ///< Their gradients; the third is 0.
};

/** @p d: gradients of the direction. Source: Vulkan 1.3, "Cube map face selection", "Cube map
 * derivative transformation". */
struct lull_cube_point lull_cube_point(const float direction[3], const float d[2][3]);

/** What values become. */
enum lull_reduction {
    LULL_REDUCE_MEAN,
    LULL_REDUCE_MINIMUM, ///< Of those that weigh something.
    LULL_REDUCE_MAXIMUM,
};

double lull_taps_reduce(unsigned reduction, const double *v, const double *weight, unsigned n);

/** Comparison @p func: a set of bits, 1 less, 2 equal, 4 greater; of a NaN "always" and "not equal"
 * are true. */
bool lull_taps_compare(unsigned func, double reference, double texel);

#endif
