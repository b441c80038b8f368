// SPDX-License-Identifier: MIT
/** @file
 * Fixed function from vertices to pixels: clipping, set-up, coverage, interpolation. No vendor's
 * registers, no memory: a GPU reads its own registers into struct lull_raster_state, and hands in
 * vertices; it gets quads of pixels back.
 *
 *   clip.c    viewport, the view volume, user planes
 *   polygon.c  polygons of all of them, depth bias
 *   setup.c   triangles and rectangles: facing, culling, bias, polygon modes
 *   thin.c    lines and points as polygons
 *   diamond.c Bresenham's lines
 *   stipple.c their patterns
 *   conservative.c  pixels that a polygon meets, or fills
 *   cover.c   quads, sample by sample
 *   interp.c  barycentric coordinates and depth at a point
 *
 * Coverage is exact: positions are rounded once to 1/256 pixel, all that follows is in integers.
 * There is no guard band that could be seen: what reaches beyond LULL_RASTER_BOUND pixels is cut
 * there, so that 64 bits hold all products; the scissor does the rest.
 * Source: Vulkan 1.3, "Fixed-Function Vertex Post-Processing" and "Rasterization".
 */
#ifndef LULL_MODEL_RASTER_H
#define LULL_MODEL_RASTER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LULL_RASTER_ONE = 256, ///< Of a pixel, in fixed point.
    LULL_RASTER_SAMPLES = 8,
    LULL_RASTER_PLANES = 8,      ///< Clip and cull distances.
    LULL_RASTER_CORNERS = 24,    ///< Three, and one more for each plane that cuts (15), and some.
    LULL_RASTER_PARTS = 3,       ///< Of one primitive: the lines or points of a triangle.
    LULL_RASTER_BOUND = 1 << 20, ///< Pixels from the origin to where positions can be.
};

enum lull_raster_shape {
    LULL_RASTER_POINT,
    LULL_RASTER_LINE,
    LULL_RASTER_TRIANGLE,
    LULL_RASTER_RECT, ///< The bounding box of three vertices; their plane is extended.
};

enum lull_raster_fill { LULL_RASTER_FILL_POINT, LULL_RASTER_FILL_LINE, LULL_RASTER_FILL };

/** Which pixels a triangle covers, with all samples: those it meets, those it fills. */
enum lull_raster_conservative { LULL_RASTER_EXACT, LULL_RASTER_OVER, LULL_RASTER_UNDER };

/** What a vertex is after the last stage before rasterisation. */
struct lull_raster_vertex {
    float pos[4];                       ///< x y z w of clip space.
    float distance[LULL_RASTER_PLANES]; ///< As clip_planes and cull_planes of the state say.
    float point_size;                   ///< Pixels; of points.
};

/** Pixels, from the first to before the last. */
struct lull_raster_box {
    int32_t x0, y0, x1, y1;
};

enum { LULL_RASTER_WINDOWS = 4 };

struct lull_raster_viewport {
    float scale[3], offset[3]; ///< Window coordinate = clip / w * scale + offset.
    float zmin, zmax;          ///< Range that depth is clamped to.
    struct lull_raster_box scissor;
};

/** Of one draw (the viewport: of one primitive). */
struct lull_raster_state {
    struct lull_raster_viewport viewport;
    bool no_clip;       ///< No near, far or user planes, only w > 0.
    bool z_zero_to_one; ///< 0 <= z <= w, else -w <= z <= w.
    bool clip_near, clip_far;
    bool window_coords;   ///< pos is in pixels (x, y), depth (z): no viewport, no division.
    bool w_is_reciprocal; ///< pos[3] is 1/w.
    uint8_t clip_planes, cull_planes; ///< Bit n: distance[n] counts.
    bool front_clockwise, cull_front, cull_back;
    enum lull_raster_fill fill_front, fill_back;
    bool bias_front, bias_back, bias_para; ///< Depth bias of faces, and of points and lines.
    bool bias_float;   ///< Unit of the constant: 2^(exponent of the largest z - bias_bits); else
                       ///< 2^-bias_bits.
    uint8_t bias_bits; ///< 16 of 16-bit depth, 23 of float.
    float bias_constant, bias_slope[2], bias_clamp; ///< slope: front, back. clamp 0: none.
    float line_width;
    bool line_bresenham;   ///< Width 1, one pixel a step along the major axis.
    bool line_rectangular; ///< Ends are square to the line; else a parallelogram (Vulkan: not
                           ///< strict).
    uint16_t stipple; ///< Of Bresenham's lines: bit n for the n-th stipple_repeat fragments, and
                      ///< again after 16.
    uint16_t stipple_repeat; ///< 0: no pattern.
    bool windowed;           ///< Only pixels by window_rule are drawn:
    uint16_t window_rule;    ///< bit n for those that are in window[i] for each bit i of n, only.
    struct lull_raster_box window[LULL_RASTER_WINDOWS];
    enum lull_raster_conservative conservative;
    float point_min, point_max;
    uint8_t provoking;                     ///< Vertex 0, 1 or 2: only handed on.
    uint8_t nsamples;                      ///< 1, 2, 4, 8.
    int8_t sample[LULL_RASTER_SAMPLES][2]; ///< Place in the pixel, 1/16 from its centre.
    bool center_only;                      ///< All samples stand at the centre.
};

/** A function that is linear on the screen: a * x + b * y + c, x and y in pixels from the origin of
 * its primitive. */
struct lull_raster_plane {
    double a, b, c;
};

/** A part of a primitive, ready to be covered: a polygon, what is inside by the rule of top and
 * left edges. No pointers: it can be saved as it is. */
struct lull_raster_prim {
    int32_t corner[LULL_RASTER_CORNERS][2];   ///< 1/256 pixel; clockwise with y down.
    int32_t line[2][2];                       ///< Of a Bresenham line: ends, 1/256 pixel.
    struct lull_raster_box box;               ///< Pixels that may be covered, cut by the scissor.
    double origin[2];                         ///< Of the planes, in pixels.
    struct lull_raster_plane i_w, j_w, one_w; ///< I/w, J/w, 1/w: of perspective.
    struct lull_raster_plane i, j;            ///< Linear on the screen.
    struct lull_raster_plane z;               ///< Depth, biased, not clamped.
    struct lull_raster_plane s, t; ///< Of points: 0 to 1 from left to right, from top to bottom.
    float zmin, zmax;              ///< What depth is clamped to.
    uint32_t ncorners;
    bool convex;           ///< Else rounding bent it: windings are counted.
    uint32_t bresenham;    ///< Width of such a line, in pixels; 0: none. The corners lie around it.
    uint32_t stipple;      ///< Of a line: how many fragments of its strip come before it.
    uint32_t conservative; ///< enum lull_raster_conservative.
    uint32_t shape;        ///< enum lull_raster_shape, of the primitive before its polygon mode.
    uint32_t front;        ///< 0 or 1: of the triangle; rectangles, points and lines: 1.
};

/** Two by two pixels from an even place on: pixel n is at x + (n & 1), y + (n >> 1). */
struct lull_raster_quad {
    uint16_t x, y;
    uint32_t mask; ///< Bit n * 8 + s: sample s of pixel n is covered.
};

/** Where lull_raster_cover() goes on: all 0 at the start. */
struct lull_raster_cursor {
    int32_t x, y; ///< From box.x0 & ~1 and box.y0 & ~1.
    uint32_t done;
};

/** Values at a point. */
struct lull_raster_point {
    float i, j;               ///< Perspective: P = P0 + i * (P1 - P0) + j * (P2 - P0).
    float i_linear, j_linear; ///< Linear on the screen.
    float i_w, j_w, one_w;    ///< I/w, J/w, 1/w.
    float s, t;               ///< Point coordinates.
    float z;                  ///< Depth as shaders see it, not clamped.
};

/**
 * Clip and set up a primitive: @p v has 1, 2, or 3 vertices by @p shape.
 *
 * @return Parts in @p ret, in order; 0: culled, clipped away, degenerate, not finite.
 */
unsigned lull_raster_setup(const struct lull_raster_state *s, enum lull_raster_shape shape,
                           const struct lull_raster_vertex v[3],
                           struct lull_raster_prim ret[LULL_RASTER_PARTS]);

/** The next at most @p max quads of @p p that have covered samples, row by row of quads.
 * @return How many; fewer than @p max: it was the end, and cursor->done is set. */
unsigned lull_raster_cover(const struct lull_raster_state *s, const struct lull_raster_prim *p,
                           struct lull_raster_cursor *cursor, struct lull_raster_quad *ret,
                           unsigned max);

/** How many fragments a Bresenham line has, wherever: what the next of its strip counts from. */
uint32_t lull_raster_fragments(const struct lull_raster_prim *p);

/** The polygon has all of a pixel, edges and corners included. */
bool lull_raster_fills(const struct lull_raster_prim *p, int32_t x, int32_t y);

/** Values at x, y in pixels (.5: centres). One plane for all points: neighbours differ exactly. */
void lull_raster_at(const struct lull_raster_prim *p, double x, double y,
                    struct lull_raster_point *ret);
/** Depth as tests and targets have it: clamped to zmin and zmax. Source: Vulkan 1.3, "Depth
 * Clamping and Range Adjustment": a step of the depth test, behind the fragment shader. */
float lull_raster_depth_at(const struct lull_raster_prim *p, double x, double y);

#endif
