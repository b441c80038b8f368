// SPDX-License-Identifier: MIT
#include "model/sample/level.h"

#include <math.h>

static double length(const float d[3], const double size[3], unsigned dims)
{
    double sum = 0;
    for (unsigned c = 0; c < dims; c++) {
        sum += (double)d[c] * size[c] * ((double)d[c] * size[c]);
    }
    return sqrt(sum);
}

struct lull_footprint lull_footprint(const float d[2][3], const double size[3], unsigned dims,
                                     unsigned most)
{
    const double h = length(d[0], size, dims), v = length(d[1], size, dims);
    const double longer = h > v ? h : v, shorter = h > v ? v : h;
    struct lull_footprint f = {.ntaps = 1, .along = h > v ? 0 : 1};
    if (most > 1 && longer > 0 && isfinite(longer)) {
        const double ratio = ceil(longer / shorter);
        f.ntaps = ratio < most ? (unsigned)ratio : most;
    }
    f.lod = log2(longer / f.ntaps);
    return f;
}

int32_t lull_level_nearest(int32_t lod, int32_t levels)
{
    const int32_t i = (lod + LULL_SAMPLE_ONE / 2 - 1) >> LULL_SAMPLE_FRACTION;
    return i < 0 ? 0 : i < levels ? i : levels - 1;
}

unsigned lull_levels_linear(int32_t lod, int32_t levels, int32_t level[2], double weight[2])
{
    const int32_t first = lod >> LULL_SAMPLE_FRACTION;
    const double fraction = (double)(lod & (LULL_SAMPLE_ONE - 1)) / LULL_SAMPLE_ONE;
    level[0] = first < 0 ? 0 : first < levels ? first : levels - 1;
    weight[0] = 1;
    if (first < 0 || level[0] + 1 >= levels || fraction <= 0) {
        return 1;
    }
    level[1] = level[0] + 1;
    weight[0] = 1 - fraction;
    weight[1] = fraction;
    return 2;
}
