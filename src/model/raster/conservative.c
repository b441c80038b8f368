// SPDX-License-Identifier: MIT
// Conservative rasterisation: whether a polygon has something, or all, of a pixel, edges and
// corners of both among them. Source: Vulkan 1.3, "Conservative Rasterization".
#include "model/raster/part.h"

enum { ONE = LULL_RASTER_ONE };

// From the first to the last of the values of a function.
struct range {
    int64_t lo, hi;
};

static void widen(struct range *r, int64_t v)
{
    r->lo = v < r->lo ? v : r->lo;
    r->hi = v > r->hi ? v : r->hi;
}

// How far a point is on the inner side of the edge between two corners.
static int64_t beyond(const int32_t *from, const int32_t *to, int64_t x, int64_t y)
{
    return ((int64_t)from[1] - to[1]) * (x - from[0]) + ((int64_t)to[0] - from[0]) * (y - from[1]);
}

// The same of all places of a pixel.
static struct range pixel_beyond(const int32_t *from, const int32_t *to, int32_t x, int32_t y)
{
    const int64_t x0 = (int64_t)x * ONE, y0 = (int64_t)y * ONE;
    const int64_t first = beyond(from, to, x0, y0);
    struct range r = {first, first};
    widen(&r, beyond(from, to, x0 + ONE, y0));
    widen(&r, beyond(from, to, x0, y0 + ONE));
    widen(&r, beyond(from, to, x0 + ONE, y0 + ONE));
    return r;
}

// Whether an edge of a triangle, or the middle of a pixel's, keeps both apart: if none does, they
// touch. A triangle may be a line or a point.
static bool meets(const int32_t *const c[3], int32_t x, int32_t y)
{
    for (unsigned axis = 0; axis < 2; axis++) {
        struct range r = {c[0][axis], c[0][axis]};
        const int64_t at = (int64_t)(axis == 0 ? x : y) * ONE;
        widen(&r, c[1][axis]);
        widen(&r, c[2][axis]);
        if (r.hi < at || r.lo > at + ONE) {
            return false;
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        const int32_t *from = c[i], *to = c[(i + 1) % 3], *third = c[(i + 2) % 3];
        const struct range pixel = pixel_beyond(from, to, x, y);
        struct range own = {0, 0};
        widen(&own, beyond(from, to, third[0], third[1]));
        if (pixel.hi < own.lo || pixel.lo > own.hi) {
            return false;
        }
    }
    return true;
}

bool lull_raster_meets(const struct lull_raster_prim *p, int32_t x, int32_t y)
{
    const unsigned last = p->ncorners - 1;
    for (unsigned i = 1; i == 1 || i < last; i++) {
        const int32_t *const c[3] = {p->corner[0], p->corner[i < last ? i : last],
                                     p->corner[i + 1 < last ? i + 1 : last]};
        if (meets(c, x, y)) {
            return true;
        }
    }
    return false;
}

bool lull_raster_fills(const struct lull_raster_prim *p, int32_t x, int32_t y)
{
    if (lull_raster_area(p->corner, p->ncorners) == 0) {
        return false;
    }
    for (unsigned i = 0; i < p->ncorners; i++) {
        const int32_t *to = p->corner[i + 1 == p->ncorners ? 0 : i + 1];
        if (pixel_beyond(p->corner[i], to, x, y).lo < 0) {
            return false;
        }
    }
    return true;
}
