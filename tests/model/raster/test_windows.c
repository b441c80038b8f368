// SPDX-License-Identifier: MIT
// What cuts coverage or adds to it: windows, patterns of lines, conservative rasterisation; against
// rules of another shape, sample by sample.
#include "raster_fixture.h"

#include "test.h"

enum { TRIANGLES = 200, SUB = 16 };

static void paint(const struct lull_raster_state *s, enum lull_raster_shape shape,
                  const int32_t (*corner)[2], unsigned n, struct raster_window *w)
{
    struct lull_raster_vertex v[3];
    memset(v, 0, sizeof(v));
    for (unsigned i = 0; i < n; i++) {
        v[i].pos[0] = (float)corner[i][0] / 256;
        v[i].pos[1] = (float)corner[i][1] / 256;
        v[i].pos[3] = 1;
    }
    memset(w, 0, sizeof(*w));
    raster_paint(s, shape, v, w);
}

static bool in_box(const struct lull_raster_box *b, int x, int y)
{
    return b->x0 <= x && x < b->x1 && b->y0 <= y && y < b->y1;
}

/** Every combination of three overlapping windows has its own bit. */
static void test_windows(void)
{
    static const int32_t all[3][2] = {{-99999, -99999}, {199999, -99999}, {-99999, 199999}};
    struct lull_raster_state s = raster_state(2);
    s.window_coords = true;
    s.windowed = true;
    s.window[0] = (struct lull_raster_box){3, 5, 40, 41};
    s.window[1] = (struct lull_raster_box){20, 1, 64, 30};
    s.window[2] = (struct lull_raster_box){11, 11, 33, 63};
    s.window[3] = (struct lull_raster_box){0, 0, 0, 0};
    for (unsigned rule = 0; rule < 256; rule++) {
        struct raster_window w;
        unsigned bad = 0;
        s.window_rule = (uint16_t)rule;
        paint(&s, LULL_RASTER_TRIANGLE, all, 3, &w);
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                const unsigned in = in_box(&s.window[0], x, y) + 2u * in_box(&s.window[1], x, y) +
                                    4u * in_box(&s.window[2], x, y);
                bad += w.times[y][x][1] != (rule >> in & 1);
            }
        }
        if (bad != 0 || rule == 255) {
            test_case(bad == 0 && w.outside == 0, "windows", "rule 0x%02x: %u pixels are wrong",
                      rule, bad);
        }
    }
}

/** Lines between centres along axes and diagonals, both ways. */
static void test_stipple(void)
{
    static const struct {
        const char *name;
        int from[2], step[2];
        unsigned n;
    } lines[] = {
        {"to the right", {3, 4}, {1, 0}, 50},
        {"to the left", {60, 4}, {-1, 0}, 50},
        {"down", {7, 2}, {0, 1}, 61},
        {"up", {7, 63}, {0, -1}, 17},
        {"down to the right", {1, 1}, {1, 1}, 60},
        {"up to the left", {62, 60}, {-1, -1}, 33},
        {"down to the left", {50, 9}, {-1, 1}, 40},
        {"one", {5, 5}, {1, 0}, 1},
    };
    for (size_t i = 0; i < TEST_ROWS(lines); i++) {
        const int *from = lines[i].from, *step = lines[i].step;
        const int32_t n = (int32_t)lines[i].n;
        const int32_t ends[2][2] = {
            {from[0] * 256 + 128, from[1] * 256 + 128},
            {(from[0] + step[0] * n) * 256 + 128, (from[1] + step[1] * n) * 256 + 128}};
        struct lull_raster_state s = raster_state(0);
        struct lull_raster_vertex v[3];
        struct lull_raster_prim p[LULL_RASTER_PARTS];
        struct raster_window w;
        unsigned bad = 0;
        memset(v, 0, sizeof(v));
        memset(&w, 0, sizeof(w));
        s.window_coords = s.line_bresenham = s.center_only = true;
        s.stipple = 0xb1c5;
        s.stipple_repeat = 3;
        for (unsigned k = 0; k < 2; k++) {
            v[k].pos[0] = (float)ends[k][0] / 256;
            v[k].pos[1] = (float)ends[k][1] / 256;
            v[k].pos[3] = 1;
        }
        const unsigned parts = lull_raster_setup(&s, LULL_RASTER_LINE, v, p);
        p[0].stipple = 20; // fragments before it
        raster_paint_part(&s, p, &w);
        for (int k = 0; k < n; k++) {
            const unsigned want = 0xb1c5u >> (unsigned)(k + 20) / 3 % 16 & 1;
            bad += w.times[from[1] + step[1] * k][from[0] + step[0] * k][0] != want;
        }
        test_case(parts == 1 && bad == 0 && lull_raster_fragments(p) == lines[i].n, lines[i].name,
                  "%u wrong, %u fragments", bad, lull_raster_fragments(p));
    }
}

/** How many of a pixel's SUB * SUB places, borders among them, are in a triangle. */
static unsigned places(const int32_t (*c)[2], int x, int y)
{
    unsigned n = 0;
    for (int i = 0; i <= SUB; i++) {
        for (int j = 0; j <= SUB; j++) {
            const int64_t px = x * 256 + i * (256 / SUB), py = y * 256 + j * (256 / SUB);
            unsigned left = 0, right = 0;
            for (unsigned k = 0; k < 3; k++) {
                const int32_t *a = c[k], *b = c[(k + 1) % 3];
                const int64_t of =
                    (int64_t)(b[0] - a[0]) * (py - a[1]) - (int64_t)(b[1] - a[1]) * (px - a[0]);
                left += of >= 0;
                right += of <= 0;
            }
            n += left == 3 || right == 3;
        }
    }
    return n;
}

/** Pixels with a place in the triangle are met, those with all of them are filled; of met ones
 * without a place (slivers) there are few. */
static void test_conservative(uint64_t seed)
{
    struct lull_raster_state s = raster_state(2);
    unsigned bad[3] = {0}, met = 0, slivers = 0;
    s.window_coords = true;
    for (unsigned t = 0; t < TRIANGLES; t++) {
        int32_t c[3][2];
        struct raster_window over, under;
        for (unsigned i = 0; i < 3; i++) {
            c[i][0] = (int32_t)raster_random_in(&seed, 0, t % 2 == 0 ? 64 * 256 : 4000);
            c[i][1] = (int32_t)raster_random_in(&seed, 0, t % 2 == 0 ? 64 * 256 : 4000);
        }
        s.conservative = LULL_RASTER_OVER;
        paint(&s, LULL_RASTER_TRIANGLE, (const int32_t(*)[2])c, 3, &over);
        s.conservative = LULL_RASTER_UNDER;
        paint(&s, LULL_RASTER_TRIANGLE, (const int32_t(*)[2])c, 3, &under);
        for (int y = 0; y < 64; y += 3) {
            for (int x = 0; x < 64; x++) {
                const unsigned n = places((const int32_t(*)[2])c, x, y);
                const bool all = n == (SUB + 1) * (SUB + 1);
                bad[0] += n != 0 && over.times[y][x][t % 4] != 1;
                bad[1] += under.times[y][x][t % 4] != (all ? 1 : 0);
                bad[2] += over.times[y][x][0] != over.times[y][x][3];
                slivers += n == 0 && over.times[y][x][0] != 0;
                met += over.times[y][x][0];
            }
        }
    }
    test_case(bad[0] == 0 && bad[2] == 0 && slivers < met / 50, "met pixels",
              "%u are not covered, %u in part; %u of %u have no place", bad[0], bad[2], slivers,
              met);
    test_case(bad[1] == 0, "filled pixels", "%u are wrong", bad[1]);
}

/** A point and a flat triangle meet pixels, too; touching is enough. */
static void test_degenerate(void)
{
    static const struct {
        const char *name;
        int32_t corner[3][2];
        unsigned over;
    } rows[] = {
        {"a point", {{2600, 2600}, {2600, 2600}, {2600, 2600}}, 1},
        {"a point on a corner of pixels", {{2560, 2560}, {2560, 2560}, {2560, 2560}}, 4},
        {"a flat one", {{100, 300}, {1300, 300}, {700, 300}}, 6},
        {"one whose edges lie between pixels", {{512, 512}, {512, 1024}, {1024, 512}}, 13},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_raster_state s = raster_state(0);
        struct raster_window w;
        unsigned n = 0;
        s.window_coords = true;
        s.conservative = LULL_RASTER_OVER;
        paint(&s, LULL_RASTER_TRIANGLE, rows[i].corner, 3, &w);
        for (unsigned k = 0; k < SIDE * SIDE; k++) {
            n += w.times[k / SIDE][k % SIDE][0];
        }
        test_case(n == rows[i].over, rows[i].name, "%u pixels, not %u", n, rows[i].over);
    }
}

int main(void)
{
    test_windows();
    test_stipple();
    test_conservative(7);
    test_degenerate();
    return test_end();
}
