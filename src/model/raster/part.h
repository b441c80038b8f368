// SPDX-License-Identifier: MIT
/** @file
 * Between the files: vertices in homogeneous window coordinates, and the makers of
 * parts.
 */
#ifndef LULL_MODEL_RASTER_PART_H
#define LULL_MODEL_RASTER_PART_H

#include "model/raster/raster.h"

/** Values of a corner, all linear in clip space. */
enum {
    LULL_CORNER_X, ///< Window coordinate times w.
    LULL_CORNER_Y,
    LULL_CORNER_Z,
    LULL_CORNER_W,
    LULL_CORNER_CLIP_Z,
    LULL_CORNER_DISTANCE,                                      ///< LULL_RASTER_PLANES of them.
    LULL_CORNER_I = LULL_CORNER_DISTANCE + LULL_RASTER_PLANES, ///< Of the primitive it is of.
    LULL_CORNER_J,
    LULL_CORNER_VALUES,
};

struct lull_raster_corner {
    double v[LULL_CORNER_VALUES];
};

/** @p v as a corner, vertex @p index of its primitive. False: not finite. */
bool lull_raster_corner_of(const struct lull_raster_state *s, const struct lull_raster_vertex *v,
                           unsigned index, struct lull_raster_corner *ret);

/** Cut a polygon of @p n corners by all planes, in place; @p cut: something was cut off.
 * @return Corners left; 0: nothing. Edges that two polygons share are cut in the same place. */
unsigned lull_raster_clip(const struct lull_raster_state *s,
                          struct lull_raster_corner c[LULL_RASTER_CORNERS], unsigned n, bool *cut);
/** The same of a line. */
bool lull_raster_clip_line(const struct lull_raster_state *s, struct lull_raster_corner c[2]);
/** Whether a corner is in front of all planes. */
bool lull_raster_clip_point(const struct lull_raster_state *s, const struct lull_raster_corner *c);

static inline int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/** Where a corner stands, in 1/256 pixel: rounded to even, never beyond the bound. */
void lull_raster_place(const struct lull_raster_corner *c, int32_t ret[2]);

/** Twice the area, positive if clockwise with y down. */
int64_t lull_raster_area(const int32_t (*corner)[2], unsigned n);

/** Make @p n corners the polygon of @p p: order, convexity, box. False: no area, nothing visible.
 */
bool lull_raster_polygon(const struct lull_raster_state *s, const int32_t (*corner)[2], unsigned n,
                         struct lull_raster_prim *p);

/** Depth bias of a face, or of lines and points (para), for a slope and the largest depth. */
double lull_raster_bias(const struct lull_raster_state *s, bool front, double slope, double zmax);

/** What a line or point takes from the primitive that it is of. */
struct lull_raster_thin {
    double w[2];   ///< Of vertices 1 and 2.
    double bias;   ///< Of the triangle.
    bool own_bias; ///< Or that of lines and points.
    float size;    ///< Of a point.
    bool front;
    uint32_t shape;
};

/** False: not visible. @p c is not clipped yet. */
bool lull_raster_line(const struct lull_raster_state *s, const struct lull_raster_corner c[2],
                      const struct lull_raster_thin *of, struct lull_raster_prim *ret);
bool lull_raster_dot(const struct lull_raster_state *s, const struct lull_raster_corner *c,
                     const struct lull_raster_thin *of, struct lull_raster_prim *ret);

/** Whether a Bresenham line has a pixel. */
bool lull_raster_on_line(const struct lull_raster_prim *p, int32_t x, int32_t y);
/** Whether its pattern has this pixel of it. */
bool lull_raster_in_pattern(const struct lull_raster_state *s, const struct lull_raster_prim *p,
                            int32_t x, int32_t y);

/** Whether a polygon has any place of a pixel, edges and corners of both included. */
bool lull_raster_meets(const struct lull_raster_prim *p, int32_t x, int32_t y);

#endif
