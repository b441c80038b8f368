// SPDX-License-Identifier: MIT
// Bresenham's lines by diamonds: a line has the pixels whose diamonds it leaves or goes through.
// Source: Vulkan 1.3, "Bresenham Line Segment Rasterization".
#include "model/raster/part.h"

enum { ONE = LULL_RASTER_ONE, HALF = ONE / 2 };

// On which side of a line a point is: -1 or 1. The line is moved to smaller x by a step that is
// smaller than all differences, and to smaller y by its square, so it meets no point.
static int side(const int32_t line[2][2], int64_t x, int64_t y)
{
    const int64_t dx = (int64_t)line[1][0] - line[0][0];
    const int64_t dy = (int64_t)line[1][1] - line[0][1];
    const int64_t at = dx * (y - line[0][1]) - dy * (x - line[0][0]);
    const int64_t moved = at != 0 ? at : dy != 0 ? -dy : dx;
    return moved < 0 ? -1 : 1;
}

// Whether an end, moved so too, is inside the diamond around x, y.
static bool in_diamond(const int32_t end[2], int64_t x, int64_t y)
{
    const int64_t dx = end[0] - x;
    const int64_t dy = end[1] - y;
    const int64_t reach = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
    return reach < HALF || (reach == HALF && dx > 0);
}

static bool leaves_diamond(const int32_t line[2][2], int64_t x, int64_t y)
{
    if (in_diamond(line[1], x, y)) {
        return false;
    }
    const bool beside = (line[0][0] <= x) != (line[1][0] <= x);
    const bool above = (line[0][1] <= y) != (line[1][1] <= y);
    return in_diamond(line[0], x, y) ||
           (beside && side(line, x, y - HALF) != side(line, x, y + HALF)) ||
           (above && side(line, x - HALF, y) != side(line, x + HALF, y));
}

bool lull_raster_on_line(const struct lull_raster_prim *p, int32_t x, int32_t y)
{
    const int64_t d[2] = {(int64_t)p->line[1][0] - p->line[0][0],
                          (int64_t)p->line[1][1] - p->line[0][1]};
    const unsigned minor = d[0] * d[0] >= d[1] * d[1];
    int64_t at[2] = {(int64_t)x * ONE + HALF, (int64_t)y * ONE + HALF};
    const double t = (double)(at[!minor] - p->line[0][!minor]) / (double)d[!minor];
    at[minor] += ((int64_t)p->bresenham - 1) * HALF;
    // Which of the lines beside each other is the nearest; diamonds reach no further than the next.
    const double nth = ((double)(at[minor] - p->line[0][minor]) - t * (double)d[minor]) / ONE;
    if (!(nth > -2 && nth < p->bresenham + 2.0)) {
        return false;
    }
    for (int64_t n = (int64_t)nth - 2; n <= (int64_t)nth + 2; n++) {
        const int64_t back = n * ONE;
        if (n >= 0 && n < p->bresenham &&
            leaves_diamond(p->line, at[0] - (minor == 0 ? back : 0),
                           at[1] - (minor == 1 ? back : 0))) {
            return true;
        }
    }
    return false;
}
