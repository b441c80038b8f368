// SPDX-License-Identifier: MIT
// Which samples triangles and rectangles cover, against a rule of another shape: for a sample,
// edges to its left are counted; and meshes, whose samples are covered once.
#include "raster_fixture.h"

#include <inttypes.h>

#include "test.h"

enum { TRIANGLES = 400, GRID = 9 };

/** A triangle in 1/256 pixel as a primitive in window coordinates. */
static void vertices_at(const int32_t (*corner)[2], struct lull_raster_vertex v[3])
{
    memset(v, 0, 3 * sizeof(*v));
    for (unsigned i = 0; i < 3; i++) {
        v[i].pos[0] = (float)corner[i][0] / 256;
        v[i].pos[1] = (float)corner[i][1] / 256;
        v[i].pos[3] = 1;
    }
}

/** Random triangles: fine corners, corners on samples, thin ones, far ones. */
static void random_triangle(uint64_t *seed, unsigned kind, int32_t corner[3][2])
{
    static const double spread[] = {80, 80, 12, 1000000};
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 2; j++) {
            const double at = raster_random_in(seed, 32 - spread[kind], 32 + spread[kind]);
            const double step = kind == 1 || kind == 2 ? 16 : 1;
            corner[i][j] = (int32_t)(at * 256 / step) * (int32_t)step;
        }
    }
}

static void test_triangles(unsigned log2, uint64_t seed)
{
    static const char *const kinds[] = {"fine", "on samples", "small", "far"};
    static const unsigned order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                         {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    struct lull_raster_state s = raster_state(log2);
    s.window_coords = true;
    for (unsigned kind = 0; kind < 4; kind++) {
        unsigned bad = 0, some = 0;
        for (unsigned n = 0; n < TRIANGLES; n++) {
            int32_t corner[3][2], turned[3][2];
            random_triangle(&seed, kind, corner);
            for (unsigned i = 0; i < 3; i++) {
                memcpy(turned[i], corner[order[n % 6][i]], sizeof(turned[i]));
            }
            s.viewport.scissor = n % 4 != 0 ? (struct lull_raster_box){0, 0, SIDE, SIDE}
                                            : (struct lull_raster_box){7, 3, 38, 41};
            struct lull_raster_vertex v[3];
            struct raster_window w = {.outside = 0};
            vertices_at((const int32_t(*)[2])turned, v);
            some += raster_paint(&s, LULL_RASTER_TRIANGLE, v, &w);
            bad += raster_differences(&s, (const int32_t(*)[2])corner, 3, &w);
        }
        test_case(bad == 0 && some > TRIANGLES / 20, kinds[kind],
                  "%u samples: %u are wrong, %u triangles seen", s.nsamples, bad, some);
    }
}

/** A sheet of triangles that reaches beyond the window: each sample once. */
static void test_mesh(unsigned log2, bool project, uint64_t seed)
{
    struct lull_raster_state s = raster_state(log2);
    struct lull_raster_vertex at[GRID + 1][GRID + 1];
    memset(at, 0, sizeof(at));
    for (unsigned y = 0; y <= GRID; y++) {
        for (unsigned x = 0; x <= GRID; x++) {
            const double w = project ? raster_random_in(&seed, .5, 9) : 1;
            const double at_x = (x + raster_random_in(&seed, -.3, .3)) / (GRID - 3) * 2 - 1.5;
            const double at_y = (y + raster_random_in(&seed, -.3, .3)) / (GRID - 3) * 2 - 1.5;
            const float pos[4] = {(float)(at_x * w), (float)(at_y * w), (float)(.5 * w), (float)w};
            memcpy(at[y][x].pos, pos, sizeof(pos));
        }
    }
    struct raster_window w = {.outside = 0};
    for (unsigned i = 0; i < GRID * GRID * 2; i++) {
        const unsigned x = i / 2 % GRID, y = i / 2 / GRID;
        struct lull_raster_vertex v[3] = {at[y][x], at[y + 1][x + 1], at[y][x + 1]};
        if (i % 2 != 0) {
            v[2] = at[y + 1][x];
        }
        raster_paint(&s, LULL_RASTER_TRIANGLE, v, &w);
    }
    unsigned bad = w.outside;
    for (unsigned i = 0; i < SIDE * SIDE * s.nsamples; i++) {
        bad += w.times[i / s.nsamples / SIDE][i / s.nsamples % SIDE][i % s.nsamples] != 1;
    }
    test_case(bad == 0, project ? "mesh in space" : "mesh", "%u samples: %u not covered once",
              s.nsamples, bad);
}

static void test_rectangles(unsigned log2, uint64_t seed)
{
    struct lull_raster_state s = raster_state(log2);
    s.window_coords = true;
    s.cull_front = s.cull_back = true; // Of triangles.
    unsigned bad = 0;
    for (unsigned n = 0; n < TRIANGLES; n++) {
        int32_t c[3][2];
        random_triangle(&seed, n % 2, c);
        // Corners 1 and 2 are opposite: 0 is the right angle.
        const int32_t three[3][2] = {{c[0][0], c[0][1]}, {c[1][0], c[0][1]}, {c[0][0], c[1][1]}};
        const int32_t four[4][2] = {
            {c[0][0], c[0][1]}, {c[1][0], c[0][1]}, {c[1][0], c[1][1]}, {c[0][0], c[1][1]}};
        struct lull_raster_vertex v[3];
        struct raster_window w = {.outside = 0};
        vertices_at(three, v);
        raster_paint(&s, LULL_RASTER_RECT, v, &w);
        bad += raster_differences(&s, four, 4, &w);
    }
    test_case(bad == 0, "rectangles", "%u samples: %u are wrong", s.nsamples, bad);
}

int main(void)
{
    const uint64_t seed = 20221;
    printf("# seed %" PRIu64 "\n", seed);
    for (unsigned log2 = 0; log2 < 4; log2++) {
        test_triangles(log2, seed + log2);
        test_mesh(log2, false, seed + log2);
        test_mesh(log2, true, seed + log2);
        test_rectangles(log2, seed + log2);
    }
    return test_end();
}
