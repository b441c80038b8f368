// SPDX-License-Identifier: MIT
/** @file
 * The fixed-function tessellator: levels of a patch to points of its domain, and to the points,
 * lines or triangles between them.
 *
 * A plan of a patch says how many there are; the caller brings the arrays. Points are on a grid of
 * 1/65536, as Direct3D 11 places them: what is left open by Vulkan (how fractional spacing splits,
 * which diagonals are drawn) is done in its way, so that pictures agree with other implementations.
 *
 * Source: Vulkan 1.3, "Tessellation"; Direct3D 11.3, "Tessellator", and Mesa 22.3.6
 * src/gallium/auxiliary/tessellator, as behaviour.
 */
#ifndef LULL_MODEL_RASTER_TESS_H
#define LULL_MODEL_RASTER_TESS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LULL_TESS_LEVEL_MAX = 64,
    LULL_TESS_SIDES = 4,
    LULL_TESS_POINTS_MAX = 65 * 65,          ///< Of a patch.
    LULL_TESS_INDICES_MAX = 64 * 64 * 2 * 3, ///< Of a patch.
};

enum lull_tess_domain {
    LULL_TESS_ISOLINES,
    LULL_TESS_TRIANGLES,
    LULL_TESS_QUADS,
};

enum lull_tess_spacing {
    LULL_TESS_EQUAL, ///< Also powers of two: who writes levels rounds them.
    LULL_TESS_FRACTIONAL_ODD,
    LULL_TESS_FRACTIONAL_EVEN,
};

/** What comes out. Isolines become points or else lines; others never lines. */
enum lull_tess_output {
    LULL_TESS_POINTS,
    LULL_TESS_LINES,
    LULL_TESS_CLOCKWISE, ///< Where u goes to the right and v down.
    LULL_TESS_COUNTERCLOCKWISE,
};

/** Of all patches of a draw. */
struct lull_tess_mode {
    enum lull_tess_domain domain;
    enum lull_tess_spacing spacing;
    enum lull_tess_output output;
};

/** As shaders write them. outer: of the sides where u, v, and then w (triangles) or 1 - u, 1 - v
 * (quads) are 0; of isolines: how many lines, parts of each. inner: along u and v. */
struct lull_tess_levels {
    float outer[LULL_TESS_SIDES], inner[2];
};

/** Points on a line of length 1: from both ends to the middle the same. */
struct lull_tess_split {
    bool odd;           ///< Number of parts.
    uint8_t half;       ///< Points before the middle.
    uint8_t npoints;    ///< On the whole line, both ends with it.
    uint8_t newest;     ///< The point of this half that moves out of the one before it.
    uint32_t few, many; ///< 1 / parts before and after the newest points came.
    uint32_t grown;     ///< From few to many, 0 to 1.
};

/** All there is to know of a patch. No pointers; same levels, same plan. */
struct lull_tess_plan {
    struct lull_tess_mode mode;
    struct lull_tess_split outer[LULL_TESS_SIDES], inner[2];
    uint8_t nrings;   ///< The outline, and rings or a row or a point inside.
    uint8_t corners;  ///< Of a primitive: 1, 2, 3.
    uint32_t npoints; ///< 0: the patch is culled.
    uint32_t nindices;
};

struct lull_tess_point {
    float u, v;
};

/** A patch is culled if a level of @p levels that counts as outer is not above 0. */
void lull_tess_plan(const struct lull_tess_mode *mode, const struct lull_tess_levels *levels,
                    struct lull_tess_plan *ret);

/** All plan->npoints points; those of the outline come first, in the order of its sides. */
void lull_tess_points(const struct lull_tess_plan *plan, struct lull_tess_point *ret);

/** plan->nindices numbers of points, plan->corners for each primitive; the first of a primitive is
 * the same in both windings. */
void lull_tess_indices(const struct lull_tess_plan *plan, uint16_t *ret);

#endif
