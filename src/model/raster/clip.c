// SPDX-License-Identifier: MIT
#include "model/raster/part.h"

#include <math.h>
#include <string.h>

// The planes of the clip volume, in the order in which they cut.
enum {
    PLANE_W,     // Before the eye.
    PLANE_BOUND, // Four: left, right, top, bottom.
    PLANE_NEAR = PLANE_BOUND + 4,
    PLANE_FAR,
    PLANE_USER,
    PLANES = PLANE_USER + LULL_RASTER_PLANES,
};

// What w must be at least. All that is cut here has coordinates far below 2^1024 then.
#define W_MIN 0x1p-100

bool lull_raster_corner_of(const struct lull_raster_state *s, const struct lull_raster_vertex *v,
                           unsigned index, struct lull_raster_corner *ret)
{
    const struct lull_raster_viewport *port = &s->viewport;
    const double w = s->w_is_reciprocal ? 1 / (double)v->pos[3] : v->pos[3];
    memset(ret, 0, sizeof(*ret));
    bool finite = isfinite(w);
    for (unsigned i = 0; i < 3; i++) {
        ret->v[LULL_CORNER_X + i] = s->window_coords
                                        ? v->pos[i] * w
                                        : (double)v->pos[i] * port->scale[i] + port->offset[i] * w;
        finite = finite && isfinite(ret->v[LULL_CORNER_X + i]);
    }
    ret->v[LULL_CORNER_W] = w;
    ret->v[LULL_CORNER_CLIP_Z] = v->pos[2];
    for (unsigned i = 0; i < LULL_RASTER_PLANES; i++) {
        if ((s->clip_planes >> i & 1) != 0) {
            // Not a number: cut off.
            ret->v[LULL_CORNER_DISTANCE + i] = fmin(fmax(v->distance[i], -0x1p128), 0x1p128);
        }
    }
    ret->v[LULL_CORNER_I] = index == 1;
    ret->v[LULL_CORNER_J] = index == 2;
    return finite;
}

// Whether a plane cuts at all.
static bool plane_on(const struct lull_raster_state *s, unsigned plane)
{
    if (plane < PLANE_NEAR) {
        return true;
    }
    if (s->no_clip || s->window_coords) {
        return false;
    }
    if (plane < PLANE_USER) {
        return plane == PLANE_NEAR ? s->clip_near : s->clip_far;
    }
    return (s->clip_planes >> (plane - PLANE_USER) & 1) != 0;
}

// How far a corner is in front of a plane: 0 and more is in.
static double distance(const struct lull_raster_state *s, const struct lull_raster_corner *c,
                       unsigned plane)
{
    const double w = c->v[LULL_CORNER_W];
    const double bound = LULL_RASTER_BOUND * w;
    switch (plane) {
    case PLANE_W:
        return w - W_MIN;
    case PLANE_BOUND:
        return bound + c->v[LULL_CORNER_X];
    case PLANE_BOUND + 1:
        return bound - c->v[LULL_CORNER_X];
    case PLANE_BOUND + 2:
        return bound + c->v[LULL_CORNER_Y];
    case PLANE_BOUND + 3:
        return bound - c->v[LULL_CORNER_Y];
    case PLANE_NEAR:
        return c->v[LULL_CORNER_CLIP_Z] + (s->z_zero_to_one ? 0 : w);
    case PLANE_FAR:
        return w - c->v[LULL_CORNER_CLIP_Z];
    default:
        return c->v[LULL_CORNER_DISTANCE + plane - PLANE_USER];
    }
}

// Where an edge meets a plane; da and db, of different signs, are the distances of its ends. As a
// sum of both ends, which is the same from either side, so that polygons that share the edge meet
// there; and as exact as its ends are, however far one of them is.
static struct lull_raster_corner meet(const struct lull_raster_corner *a, double da,
                                      const struct lull_raster_corner *b, double db)
{
    struct lull_raster_corner ret = {{0}};
    for (unsigned i = 0; i < LULL_CORNER_VALUES; i++) {
        ret.v[i] = a->v[i] * (db / (db - da)) + b->v[i] * (da / (da - db));
    }
    ret.v[LULL_CORNER_W] = fmax(ret.v[LULL_CORNER_W], W_MIN); // Rounding may have made it 0.
    return ret;
}

// Cut a polygon by one plane.
static unsigned cut_by(const struct lull_raster_state *s, unsigned plane,
                       struct lull_raster_corner c[LULL_RASTER_CORNERS], unsigned n)
{
    struct lull_raster_corner out[2 * LULL_RASTER_CORNERS];
    unsigned nout = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct lull_raster_corner *next = &c[i + 1 == n ? 0 : i + 1];
        const double here = distance(s, &c[i], plane);
        const double there = distance(s, next, plane);
        if (here >= 0) {
            out[nout++] = c[i];
        }
        if ((here < 0) != (there < 0)) {
            out[nout++] = meet(&c[i], here, next, there);
        }
    }
    // A convex polygon gains one corner at most. One that rounding bent may gain more: never so
    // many, but nothing is written beyond the end.
    nout = nout < LULL_RASTER_CORNERS ? nout : LULL_RASTER_CORNERS;
    memcpy(c, out, nout * sizeof(*c));
    return nout;
}

unsigned lull_raster_clip(const struct lull_raster_state *s,
                          struct lull_raster_corner c[LULL_RASTER_CORNERS], unsigned n, bool *cut)
{
    *cut = false;
    for (unsigned plane = 0; plane < PLANES && n != 0; plane++) {
        unsigned nout = 0;
        for (unsigned i = 0; plane_on(s, plane) && i < n; i++) {
            nout += distance(s, &c[i], plane) < 0;
        }
        if (nout == n) {
            return 0;
        }
        if (nout != 0) {
            *cut = true;
            n = cut_by(s, plane, c, n);
        }
    }
    return n;
}

bool lull_raster_clip_line(const struct lull_raster_state *s, struct lull_raster_corner c[2])
{
    for (unsigned plane = 0; plane < PLANES; plane++) {
        if (!plane_on(s, plane)) {
            continue;
        }
        const double d[2] = {distance(s, &c[0], plane), distance(s, &c[1], plane)};
        if (d[0] < 0 && d[1] < 0) {
            return false;
        }
        if ((d[0] < 0) != (d[1] < 0)) {
            c[d[1] < 0] = meet(&c[0], d[0], &c[1], d[1]);
        }
    }
    return true;
}

bool lull_raster_clip_point(const struct lull_raster_state *s, const struct lull_raster_corner *c)
{
    for (unsigned plane = 0; plane < PLANES; plane++) {
        if (plane_on(s, plane) && distance(s, c, plane) < 0) {
            return false;
        }
    }
    return true;
}

void lull_raster_place(const struct lull_raster_corner *c, int32_t ret[2])
{
    const double bound = (double)LULL_RASTER_BOUND * LULL_RASTER_ONE;
    for (unsigned i = 0; i < 2; i++) {
        const double at = rint(c->v[LULL_CORNER_X + i] / c->v[LULL_CORNER_W] * LULL_RASTER_ONE);
        ret[i] = (int32_t)fmin(fmax(at, -bound), bound);
    }
}
