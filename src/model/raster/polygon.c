// SPDX-License-Identifier: MIT
// Polygons in 1/256 pixel, and depth bias: what faces, lines and points have in common.
#include "model/raster/part.h"

#include <math.h>
#include <string.h>

int64_t lull_raster_area(const int32_t (*corner)[2], unsigned n)
{
    int64_t area = 0;
    for (unsigned i = 1; i + 1 < n; i++) {
        const int64_t ax = (int64_t)corner[i][0] - corner[0][0];
        const int64_t ay = (int64_t)corner[i][1] - corner[0][1];
        const int64_t bx = (int64_t)corner[i + 1][0] - corner[0][0];
        const int64_t by = (int64_t)corner[i + 1][1] - corner[0][1];
        area += ax * by - ay * bx;
    }
    return area;
}

// Whether all corners are on the inner side of all edges: so after clipping, but for rounding.
static bool convex(const struct lull_raster_prim *p)
{
    for (unsigned i = 0; p->ncorners > 3 && i < p->ncorners; i++) {
        for (unsigned j = 0; j < p->ncorners; j++) {
            const int32_t(*next)[2] = &p->corner[i + 1 == p->ncorners ? 0 : i + 1];
            const int32_t three[3][2] = {{p->corner[i][0], p->corner[i][1]},
                                         {(*next)[0], (*next)[1]},
                                         {p->corner[j][0], p->corner[j][1]}};
            if (lull_raster_area(three, 3) < 0) {
                return false;
            }
        }
    }
    return true;
}

// The pixels that have something of the polygon. False: none.
static bool make_box(const struct lull_raster_box *scissor, struct lull_raster_prim *p)
{
    int32_t lo[2] = {INT32_MAX, INT32_MAX};
    int32_t hi[2] = {INT32_MIN, INT32_MIN};
    for (unsigned n = 0; n < p->ncorners; n++) {
        for (unsigned i = 0; i < 2; i++) {
            lo[i] = smaller(lo[i], p->corner[n][i]);
            hi[i] = larger(hi[i], p->corner[n][i]);
        }
    }
    const int32_t touch = p->conservative == LULL_RASTER_OVER ? 1 : 0; // of pixels before it
    lo[0] -= touch;
    lo[1] -= touch;
    // A quad's place has 16 bits.
    p->box.x0 = larger(larger(scissor->x0, 0), lo[0] >> 8);
    p->box.y0 = larger(larger(scissor->y0, 0), lo[1] >> 8);
    p->box.x1 = smaller(smaller(scissor->x1, UINT16_MAX + 1), (hi[0] >> 8) + 1);
    p->box.y1 = smaller(smaller(scissor->y1, UINT16_MAX + 1), (hi[1] >> 8) + 1);
    return p->box.x0 < p->box.x1 && p->box.y0 < p->box.y1;
}

bool lull_raster_polygon(const struct lull_raster_state *s, const int32_t (*corner)[2], unsigned n,
                         struct lull_raster_prim *p)
{
    const int64_t area = lull_raster_area(corner, n);
    p->ncorners = n;
    for (unsigned i = 0; i < n; i++) {
        memcpy(p->corner[area < 0 ? n - 1 - i : i], corner[i], sizeof(*corner));
    }
    p->convex = convex(p);
    p->zmin = s->viewport.zmin;
    p->zmax = s->viewport.zmax;
    return (area != 0 || p->conservative == LULL_RASTER_OVER) && make_box(&s->viewport.scissor, p);
}

double lull_raster_bias(const struct lull_raster_state *s, bool front, double slope, double zmax)
{
    int exponent = 0; // Of 1: zmax stands for values below 1 there.
    if (s->bias_float) {
        (void)frexp(fmax(zmax, 0x1p-126), &exponent);
        exponent--;
    }
    const double unit = ldexp(1, exponent - s->bias_bits);
    const double bias = slope * s->bias_slope[front ? 0 : 1] + unit * s->bias_constant;
    if (s->bias_clamp > 0) {
        return fmin(bias, s->bias_clamp);
    }
    return s->bias_clamp < 0 ? fmax(bias, s->bias_clamp) : bias;
}
