// SPDX-License-Identifier: MIT
/** @file
 * What tests of the rasteriser share: a state, random numbers, a window that counts how often each
 * sample is covered.
 */
#ifndef LULL_TESTS_RASTER_FIXTURE_H
#define LULL_TESTS_RASTER_FIXTURE_H

#include <string.h>

#include "model/raster/raster.h"

enum { SIDE = 64, SAMPLES = LULL_RASTER_SAMPLES };

/** Vulkan's standard places, 1/16 pixel from the centre. */
static const int8_t standard_samples[4][SAMPLES][2] = {
    {{0, 0}},
    {{4, 4}, {-4, -4}},
    {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}},
    {{1, -3}, {-1, 3}, {5, 1}, {-3, -5}, {-5, 5}, {-7, -1}, {3, 7}, {7, -7}},
};

/** A window of SIDE by SIDE, 1 << log2 samples; clip coordinates -1 to 1, 0 <= z <= w. */
static inline struct lull_raster_state raster_state(unsigned log2)
{
    struct lull_raster_state s = {
        .viewport = {.scale = {SIDE / 2, SIDE / 2, 1},
                     .offset = {SIDE / 2, SIDE / 2, 0},
                     .zmin = -1e30f,
                     .zmax = 1e30f,
                     .scissor = {0, 0, SIDE, SIDE}},
        .z_zero_to_one = true,
        .clip_near = true,
        .clip_far = true,
        .fill_front = LULL_RASTER_FILL,
        .fill_back = LULL_RASTER_FILL,
        .line_width = 1,
        .point_min = 1,
        .point_max = 1024,
        .nsamples = (uint8_t)(1U << log2),
    };
    memcpy(s.sample, standard_samples[log2], sizeof(s.sample));
    return s;
}

static inline uint32_t raster_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(*seed >> 33);
}

/** A number from lo to before hi. */
static inline double raster_random_in(uint64_t *seed, double lo, double hi)
{
    return lo + (hi - lo) * (raster_random(seed) / 0x1p31);
}

/** How often each sample was covered. */
struct raster_window {
    uint8_t times[SIDE][SIDE][SAMPLES];
    unsigned outside; ///< Quads and samples where none may be.
};

/** Cover a part, some quads a call. */
static inline void raster_paint_part(const struct lull_raster_state *s,
                                     const struct lull_raster_prim *p, struct raster_window *w)
{
    struct lull_raster_cursor cursor = {0};
    while (cursor.done == 0) {
        struct lull_raster_quad quad[5];
        const unsigned n = lull_raster_cover(s, p, &cursor, quad, 5);
        w->outside += n < 5 && cursor.done == 0;
        for (unsigned i = 0; i < n; i++) {
            w->outside += quad[i].mask == 0 || quad[i].x % 2 != 0 || quad[i].y % 2 != 0;
            for (unsigned bit = 0; bit < 32; bit++) {
                if ((quad[i].mask >> bit & 1) == 0) {
                    continue;
                }
                const unsigned x = quad[i].x + bit / 8 % 2;
                const unsigned y = quad[i].y + bit / 16;
                if (x >= SIDE || y >= SIDE || bit % 8 >= s->nsamples) {
                    w->outside++;
                } else {
                    w->times[y][x][bit % 8]++;
                }
            }
        }
    }
}

/** Set up and cover a primitive. Returns its parts. */
static inline unsigned raster_paint(const struct lull_raster_state *s, enum lull_raster_shape shape,
                                    const struct lull_raster_vertex v[3], struct raster_window *w)
{
    struct lull_raster_prim part[LULL_RASTER_PARTS];
    const unsigned n = lull_raster_setup(s, shape, v, part);
    for (unsigned i = 0; i < n; i++) {
        raster_paint_part(s, &part[i], w);
    }
    return n;
}

/** Whether a closed polygon is around a point: the edges that a ray to the left meets. On an edge a
 * point is inside if its right neighbour is, on a flat one if its lower neighbour is. */
static inline bool raster_around(const int32_t (*corner)[2], unsigned n, int64_t x, int64_t y)
{
    bool in = false;
    for (unsigned i = 0; i < n; i++) {
        const int32_t *a = corner[i], *b = corner[(i + 1) % n];
        if ((a[1] <= y) == (b[1] <= y)) {
            continue;
        }
        // x of the edge at y, times the edge's height, is at or left of the point?
        const int64_t height = (int64_t)b[1] - a[1];
        const int64_t d = (x - a[0]) * height - (y - a[1]) * ((int64_t)b[0] - a[0]);
        in ^= height > 0 ? d >= 0 : d <= 0;
    }
    return in;
}

/** Samples that are not covered once, or at all, as the polygon in 1/256 pixel says. */
static inline unsigned raster_differences(const struct lull_raster_state *s,
                                          const int32_t (*corner)[2], unsigned n,
                                          const struct raster_window *w)
{
    unsigned bad = w->outside;
    const struct lull_raster_box *box = &s->viewport.scissor;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            for (unsigned i = 0; i < s->nsamples; i++) {
                const bool open = x >= box->x0 && x < box->x1 && y >= box->y0 && y < box->y1;
                const bool in =
                    open && raster_around(corner, n, x * 256 + 128 + s->sample[i][0] * 16,
                                          y * 256 + 128 + s->sample[i][1] * 16);
                bad += w->times[y][x][i] != in;
            }
        }
    }
    return bad;
}

#endif
