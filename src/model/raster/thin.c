// SPDX-License-Identifier: MIT
#include "model/raster/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The largest size and width, in pixels: a position at the bound and this are still within 64 bits.
#define SIZE_MAX_PIXELS ((float)LULL_RASTER_BOUND)

// Half a width in 1/256 pixel; 0: nothing can be seen, or not a number.
static int32_t half(float width)
{
    return width > 0 ? (int32_t)rint(fmin(width, SIZE_MAX_PIXELS) * (LULL_RASTER_ONE / 2.0)) : 0;
}

// A value of both ends as a plane along t.
static struct lull_raster_plane along(const struct lull_raster_plane *t, double from, double to)
{
    return (struct lull_raster_plane){t->a * (to - from), t->b * (to - from),
                                      t->c * (to - from) + from};
}

static double over_w(const struct lull_raster_corner *c, unsigned n)
{
    return c->v[n] / c->v[LULL_CORNER_W];
}

static void planes(const struct lull_raster_state *s, const struct lull_raster_plane *t,
                   const struct lull_raster_corner c[2], const struct lull_raster_thin *of,
                   struct lull_raster_prim *p)
{
    p->i_w = along(t, over_w(&c[0], LULL_CORNER_I), over_w(&c[1], LULL_CORNER_I));
    p->j_w = along(t, over_w(&c[0], LULL_CORNER_J), over_w(&c[1], LULL_CORNER_J));
    p->one_w = along(t, 1 / c[0].v[LULL_CORNER_W], 1 / c[1].v[LULL_CORNER_W]);
    p->z = along(t, over_w(&c[0], LULL_CORNER_Z), over_w(&c[1], LULL_CORNER_Z));
    p->z.c += of->bias;
    if (of->own_bias) {
        const double zmax =
            fmax(fabs(over_w(&c[0], LULL_CORNER_Z)), fabs(over_w(&c[1], LULL_CORNER_Z)));
        p->z.c += lull_raster_bias(s, true, fmax(fabs(p->z.a), fabs(p->z.b)), zmax);
    }
    // What is linear on the screen is 1 where the vertex itself is.
    p->i = along(&p->i_w, 0, of->w[0]);
    p->j = along(&p->j_w, 0, of->w[1]);
}

bool lull_raster_dot(const struct lull_raster_state *s, const struct lull_raster_corner *c,
                     const struct lull_raster_thin *of, struct lull_raster_prim *ret)
{
    int32_t at[2] = {0};
    const int32_t h = half(fminf(fmaxf(of->size, s->point_min), s->point_max));
    if (h == 0 || !lull_raster_clip_point(s, c)) {
        return false;
    }
    lull_raster_place(c, at);
    const int32_t corner[4][2] = {{at[0] - h, at[1] - h},
                                  {at[0] + h, at[1] - h},
                                  {at[0] + h, at[1] + h},
                                  {at[0] - h, at[1] + h}};
    const struct lull_raster_plane nowhere = {0, 0, 0};
    const struct lull_raster_corner both[2] = {*c, *c};
    *ret = (struct lull_raster_prim){.front = of->front, .shape = of->shape};
    for (unsigned i = 0; i < 2; i++) {
        ret->origin[i] = (double)at[i] / LULL_RASTER_ONE;
    }
    planes(s, &nowhere, both, of, ret);
    const double slope = LULL_RASTER_ONE / (2.0 * h);
    ret->s = (struct lull_raster_plane){slope, 0, .5};
    ret->t = (struct lull_raster_plane){0, slope, .5};
    return lull_raster_polygon(s, corner, 4, ret);
}

// From the middle of a line to its side, for a parallelogram or square to it.
static void side(const struct lull_raster_state *s, const int32_t at[2][2], int32_t ret[2])
{
    const double dx = (double)at[1][0] - at[0][0];
    const double dy = (double)at[1][1] - at[0][1];
    const int32_t h = half(s->line_width);
    if (s->line_rectangular) {
        const double length = hypot(dx, dy);
        ret[0] = length > 0 ? (int32_t)rint(-dy / length * h) : 0;
        ret[1] = length > 0 ? (int32_t)rint(dx / length * h) : 0;
        return;
    }
    ret[0] = fabs(dx) >= fabs(dy) ? 0 : h;
    ret[1] = fabs(dx) >= fabs(dy) ? h : 0;
}

// How far a point is along a line: 0 and 1 at its ends, the same for all points square to it (a
// rectangle), or beside it along the minor axis: so nothing is beyond the ends.
static struct lull_raster_plane progress(const struct lull_raster_state *s, const int32_t at[2][2])
{
    const double dx = ((double)at[1][0] - at[0][0]) / LULL_RASTER_ONE;
    const double dy = ((double)at[1][1] - at[0][1]) / LULL_RASTER_ONE;
    if (s->line_rectangular && !s->line_bresenham) {
        const double square = dx * dx + dy * dy;
        return (struct lull_raster_plane){dx / square, dy / square, 0};
    }
    return fabs(dx) >= fabs(dy) ? (struct lull_raster_plane){1 / dx, 0, 0}
                                : (struct lull_raster_plane){0, 1 / dy, 0};
}

// A Bresenham line's own data, and corners around all of its pixels: by a pixel beyond its ends,
// by two beside it more than half its width.
static bool bresenham(const struct lull_raster_state *s, const int32_t at[2][2],
                      struct lull_raster_prim *p)
{
    const double width = s->line_width > 1 ? rint(fmin(s->line_width, SIZE_MAX_PIXELS / 2)) : 1;
    const int major = abs(at[1][0] - at[0][0]) >= abs(at[1][1] - at[0][1]) ? 0 : 1;
    const int32_t beside = (int32_t)width * (LULL_RASTER_ONE / 2) + 2 * LULL_RASTER_ONE;
    int32_t corner[4][2];
    for (unsigned i = 0; i < 4; i++) {
        const int32_t *here = at[i == 1 || i == 2];
        const int32_t *there = at[!(i == 1 || i == 2)];
        corner[i][major] =
            here[major] + (here[major] > there[major] ? LULL_RASTER_ONE : -LULL_RASTER_ONE);
        corner[i][!major] = here[!major] + (i < 2 ? -beside : beside);
    }
    p->bresenham = (uint32_t)width;
    memcpy(p->line, at, sizeof(p->line));
    return lull_raster_polygon(s, (const int32_t(*)[2])corner, 4, p);
}

bool lull_raster_line(const struct lull_raster_state *s, const struct lull_raster_corner c[2],
                      const struct lull_raster_thin *of, struct lull_raster_prim *ret)
{
    struct lull_raster_corner end[2] = {c[0], c[1]};
    int32_t at[2][2] = {{0}};
    int32_t to[2] = {0};
    if (!lull_raster_clip_line(s, end)) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        lull_raster_place(&end[i], at[i]);
    }
    if (at[0][0] == at[1][0] && at[0][1] == at[1][1]) {
        return false;
    }
    *ret = (struct lull_raster_prim){.front = of->front, .shape = of->shape};
    ret->origin[0] = (double)at[0][0] / LULL_RASTER_ONE;
    ret->origin[1] = (double)at[0][1] / LULL_RASTER_ONE;
    const struct lull_raster_plane t = progress(s, (const int32_t(*)[2])at);
    planes(s, &t, end, of, ret);
    if (s->line_bresenham) {
        return bresenham(s, (const int32_t(*)[2])at, ret);
    }
    side(s, (const int32_t(*)[2])at, to);
    const int32_t corner[4][2] = {{at[0][0] - to[0], at[0][1] - to[1]},
                                  {at[1][0] - to[0], at[1][1] - to[1]},
                                  {at[1][0] + to[0], at[1][1] + to[1]},
                                  {at[0][0] + to[0], at[0][1] + to[1]}};
    return lull_raster_polygon(s, corner, 4, ret);
}
