// SPDX-License-Identifier: MIT
// Stippled lines: the fragments of a Bresenham line are counted from its first vertex on, and a
// pattern says which are there. Source: Vulkan 1.3, "Line Stipple".
#include <math.h>
#include <stdlib.h>

#include "model/raster/part.h"

enum {
    ONE = LULL_RASTER_ONE,
    PATTERN_BITS = 16,
    NEAR = 2, // Pixels from an end in which its fragment is.
};

// The fragments of a line along its major axis.
struct walk {
    unsigned major;
    int32_t step;        // 1 or -1.
    int32_t first, last; // Places on the axis.
};

// Whether the line has a fragment at place @p c of its major axis.
static bool has(const struct lull_raster_prim *p, const struct walk *w, int32_t c)
{
    const double d[2] = {(double)p->line[1][0] - p->line[0][0],
                         (double)p->line[1][1] - p->line[0][1]};
    const double t = ((double)c * ONE + ONE / 2 - p->line[0][w->major]) / d[w->major];
    const int32_t row = (int32_t)floor((p->line[0][!w->major] + t * d[!w->major]) / ONE);
    for (int32_t r = row - 1; r <= row + 1; r++) {
        if (lull_raster_on_line(p, w->major == 0 ? c : r, w->major == 0 ? r : c)) {
            return true;
        }
    }
    return false;
}

static struct walk walk_of(const struct lull_raster_prim *p)
{
    const int64_t dx = (int64_t)p->line[1][0] - p->line[0][0];
    const int64_t dy = (int64_t)p->line[1][1] - p->line[0][1];
    struct walk w = {.major = llabs(dx) >= llabs(dy) ? 0 : 1};
    w.step = (w.major == 0 ? dx : dy) >= 0 ? 1 : -1;
    w.first = p->line[0][w.major] >> 8;
    w.last = p->line[1][w.major] >> 8;
    for (unsigned i = 0; i < NEAR && !has(p, &w, w.first); i++) {
        w.first += w.step;
    }
    for (unsigned i = 0; i < NEAR && !has(p, &w, w.last); i++) {
        w.last -= w.step;
    }
    return w;
}

uint32_t lull_raster_fragments(const struct lull_raster_prim *p)
{
    if (p->bresenham == 0) {
        return 0;
    }
    const struct walk w = walk_of(p);
    const int64_t n = ((int64_t)w.last - w.first) * w.step + 1;
    return n > 0 ? (uint32_t)n : 0;
}

bool lull_raster_in_pattern(const struct lull_raster_state *s, const struct lull_raster_prim *p,
                            int32_t x, int32_t y)
{
    const struct walk w = walk_of(p);
    const int64_t n = ((int64_t)(w.major == 0 ? x : y) - w.first) * w.step + p->stipple;
    return n < 0 || (s->stipple >> (n / s->stipple_repeat % PATTERN_BITS) & 1) != 0;
}
