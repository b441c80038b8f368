// SPDX-License-Identifier: MIT
// Lines, points, and triangles as lines and points, by Vulkan 1.3, "Line Segments", "Points" and
// "Polygon Mode": diamonds in long double with ends that are really moved, polygons by their
// corners, distances from a line.
#include "raster_fixture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "test.h"

enum { LINES = 300 };

/** A line in 1/256 pixel as vertices in window coordinates. */
static void line_vertices(const int32_t end[2][2], struct lull_raster_vertex v[3])
{
    memset(v, 0, 3 * sizeof(*v));
    for (unsigned i = 0; i < 2; i++) {
        v[i].pos[0] = (float)end[i][0] / 256;
        v[i].pos[1] = (float)end[i][1] / 256;
        v[i].pos[3] = 1;
    }
}

/** Kinds: anywhere, on half pixels, within some pixels, far out. */
static void random_line(uint64_t *seed, unsigned kind, int32_t end[2][2])
{
    static const int32_t spread[] = {80, 40, 3, 300};
    for (unsigned i = 0; i < 4; i++) {
        const double at = raster_random_in(seed, 32 - spread[kind], 32 + spread[kind]);
        end[i / 2][i % 2] =
            kind % 2 == 1 && kind < 3 ? (int32_t)(at * 2) * 128 : (int32_t)(at * 256);
    }
}

/** Whether a segment leaves the diamond around a point: |x| + |y| < 1/2 in four half planes. Both
 * ends are moved by (-e, -e * e). */
static bool leaves(const long double end[2][2], long double x, long double y)
{
    const long double e = 0x1p-20L;
    long double from = 0, to = 1;
    bool last = true;
    for (int k = 0; k < 4; k++) {
        long double f[2];
        for (unsigned i = 0; i < 2; i++) {
            const long double dx = end[i][0] - e - x, dy = end[i][1] - e * e - y;
            f[i] = (k % 2 != 0 ? dx : -dx) + (k / 2 != 0 ? dy : -dy) - .5L;
        }
        last = last && f[1] < 0;
        if (f[0] >= 0 && f[1] >= 0) {
            return false;
        }
        if (f[0] >= 0) {
            from = fmaxl(from, f[0] / (f[0] - f[1]));
        } else if (f[1] >= 0) {
            to = fminl(to, f[0] / (f[0] - f[1]));
        }
    }
    return from < to && !last;
}

/** The same of a line of some beside each other. */
static bool has_pixel(const int32_t at[2][2], unsigned width, int x, int y)
{
    const bool x_major = abs(at[1][0] - at[0][0]) >= abs(at[1][1] - at[0][1]);
    const long double back = (width - 1) / 2.0L;
    long double end[2][2];
    for (unsigned i = 0; i < 2; i++) {
        end[i][0] = at[i][0] / 256.0L - (x_major ? 0 : back);
        end[i][1] = at[i][1] / 256.0L - (x_major ? back : 0);
    }
    for (unsigned k = 0; k < width; k++) {
        if (leaves((const long double(*)[2])end, x + .5L - (x_major ? 0 : k),
                   y + .5L - (x_major ? k : 0))) {
            return true;
        }
    }
    return false;
}

static void test_bresenham(unsigned kind, unsigned width, uint64_t seed)
{
    struct lull_raster_state s = raster_state(kind % 4);
    unsigned bad = 0, some = 0;
    s.window_coords = true;
    s.line_bresenham = true;
    s.line_width = (float)width;
    for (unsigned n = 0; n < LINES; n++) {
        int32_t end[2][2];
        struct lull_raster_vertex v[3];
        struct raster_window w = {.outside = 0};
        random_line(&seed, kind, end);
        line_vertices((const int32_t(*)[2])end, v);
        raster_paint(&s, LULL_RASTER_LINE, v, &w);
        bad += w.outside;
        for (int i = 0; i < SIDE * SIDE; i++) {
            const bool want = has_pixel((const int32_t(*)[2])end, width, i % SIDE, i / SIDE);
            for (unsigned k = 0; k < s.nsamples; k++) {
                bad += w.times[i / SIDE][i % SIDE][k] != want;
            }
            some += want;
        }
    }
    test_case(bad == 0 && some > LINES / 2, "bresenham", "kind %u, width %u: %u of %u wrong", kind,
              width, bad, some);
}

/** Lines one behind the other have each column once, or each row. */
static void test_chain(bool upright, uint64_t seed)
{
    struct lull_raster_state s = raster_state(0);
    struct raster_window w = {.outside = 0};
    int32_t end[2][2] = {{-3 * 256, 32 * 256}, {0}};
    s.window_coords = true;
    s.line_bresenham = true;
    while (end[0][0] < 70 * 256) {
        const int32_t step = 64 * (int32_t)(1 + raster_random(&seed) % 24);
        const int32_t rise = (int32_t)(raster_random(&seed) % 9) - 4;
        end[1][0] = end[0][0] + step;
        end[1][1] = end[0][1] + step * (end[0][1] > 32 * 256 ? -abs(rise) : abs(rise)) / 4;
        const int32_t turned[2][2] = {{end[0][1], end[0][0]}, {end[1][1], end[1][0]}};
        struct lull_raster_vertex v[3];
        line_vertices(upright ? turned : (const int32_t(*)[2])end, v);
        raster_paint(&s, LULL_RASTER_LINE, v, &w);
        memcpy(end[0], end[1], sizeof(end[0]));
    }
    unsigned bad = w.outside;
    for (unsigned i = 0; i < SIDE; i++) {
        unsigned times = 0;
        for (unsigned k = 0; k < SIDE; k++) {
            times += upright ? w.times[i][k][0] : w.times[k][i][0];
        }
        bad += times != 1;
    }
    test_case(bad == 0, upright ? "chain of rows" : "chain of columns", "%u not once", bad);
}

static void test_parallelogram(unsigned kind, unsigned log2, uint64_t seed)
{
    struct lull_raster_state s = raster_state(log2);
    unsigned bad = 0;
    s.window_coords = true;
    for (unsigned n = 0; n < LINES; n++) {
        int32_t at[2][2];
        struct lull_raster_vertex v[3];
        struct raster_window w = {.outside = 0};
        random_line(&seed, kind, at);
        line_vertices((const int32_t(*)[2])at, v);
        const int32_t h = 32 * (int32_t)(1 + raster_random(&seed) % 20);
        s.line_width = (float)h / 128;
        raster_paint(&s, LULL_RASTER_LINE, v, &w);
        const bool x_major = abs(at[1][0] - at[0][0]) >= abs(at[1][1] - at[0][1]);
        const int32_t x = x_major ? 0 : h, y = x_major ? h : 0;
        const int32_t corner[4][2] = {{at[0][0] - x, at[0][1] - y},
                                      {at[1][0] - x, at[1][1] - y},
                                      {at[1][0] + x, at[1][1] + y},
                                      {at[0][0] + x, at[0][1] + y}};
        bad += raster_differences(&s, corner, 4, &w);
    }
    test_case(bad == 0, "parallelogram", "kind %u, %u samples: %u wrong", kind, s.nsamples, bad);
}

static void test_rectangular(unsigned log2, uint64_t seed)
{
    struct lull_raster_state s = raster_state(log2);
    unsigned bad = 0, in = 0;
    s.window_coords = true;
    s.line_rectangular = true;
    for (unsigned n = 0; n < LINES; n++) {
        int32_t at[2][2];
        struct lull_raster_vertex v[3];
        struct raster_window w = {.outside = 0};
        random_line(&seed, 0, at);
        line_vertices((const int32_t(*)[2])at, v);
        s.line_width = (float)raster_random_in(&seed, .5, 9);
        raster_paint(&s, LULL_RASTER_LINE, v, &w);
        const double dx = (at[1][0] - at[0][0]) / 256., dy = (at[1][1] - at[0][1]) / 256.;
        const double length = sqrt(dx * dx + dy * dy);
        for (unsigned i = 0; i < SIDE * SIDE; i++) {
            const double x = i % SIDE + .5 + s.sample[0][0] / 16. - at[0][0] / 256.;
            const unsigned row = i / SIDE;
            const double y = row + .5 + s.sample[0][1] / 16. - at[0][1] / 256.;
            const double along = (x * dx + y * dy) / length;
            const double beside = s.line_width / 2 - fabs(x * dy - y * dx) / length;
            const double depth = fmin(beside, fmin(along, length - along));
            bad += fabs(depth) > .01 && w.times[i / SIDE][i % SIDE][0] != (depth > 0);
            in += depth > 0;
        }
    }
    test_case(bad == 0 && in > LINES, "rectangular", "%u samples: %u wrong", s.nsamples, bad);
}

/** Along a line in space, cut by near and far planes or not. Source: Vulkan 1.3, "Basic Line
 * Segment Rasterization". */
static void test_values(bool rectangular, bool bresenham, uint64_t seed)
{
    struct lull_raster_state s = raster_state(0);
    unsigned bad = 0, points = 0, wrong_side = 0;
    s.line_rectangular = rectangular;
    s.line_bresenham = bresenham;
    s.line_width = 3;
    for (unsigned n = 0; n < LINES; n++) {
        struct lull_raster_vertex v[3] = {{.point_size = 1}};
        double at[2][2];
        for (unsigned i = 0; i < 2; i++) {
            const double w = i == 0 ? .5 : 4;
            for (unsigned j = 0; j < 2; j++) {
                at[i][j] = floor(raster_random_in(&seed, 0, SIDE));
                v[i].pos[j] = (float)((at[i][j] / (SIDE / 2.0) - 1) * w);
            }
            v[i].pos[2] = (float)raster_random_in(&seed, -2, 4);
            v[i].pos[3] = (float)w;
        }
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        struct lull_raster_cursor cursor = {0};
        struct lull_raster_quad quad[64];
        const unsigned nquads = lull_raster_setup(&s, LULL_RASTER_LINE, v, part) == 0
                                    ? 0
                                    : lull_raster_cover(&s, part, &cursor, quad, 64);
        const double dx = at[1][0] - at[0][0], dy = at[1][1] - at[0][1];
        for (unsigned i = 0; i < nquads; i++) {
            const double x = quad[i].x + .5 - at[0][0], y = quad[i].y + .5 - at[0][1];
            const double t = rectangular            ? (x * dx + y * dy) / (dx * dx + dy * dy)
                             : fabs(dx) >= fabs(dy) ? x / dx
                                                    : y / dy;
            const double space = t / 4 / ((1 - t) / .5 + t / 4);
            const double w = .5 + space * 3.5;
            const double z = (v[0].pos[2] + space * (v[1].pos[2] - v[0].pos[2])) / w;
            struct lull_raster_point p;
            lull_raster_at(part, quad[i].x + .5, quad[i].y + .5, &p);
            // Ends that are cut were rounded anew: 1/512 pixel of a length.
            const double room = .01 / fmin(1, sqrt(dx * dx + dy * dy) / 20);
            bad += fabs(p.i_linear - t) > room || fabs(p.one_w - 1 / w) > room * 4 ||
                   fabs(p.i - space) > room * 8 || p.j < 0 || p.j > 0 || fabs(p.z - z) > room * 40;
            wrong_side += (quad[i].mask & 1) != 0 && fabs(z - .5) > (bresenham ? 1 : .6);
            points++;
        }
    }
    test_case(bad == 0 && wrong_side == 0 && points > LINES, "values along lines",
              "%s: %u of %u wrong, %u cut off",
              rectangular ? "rectangular"
              : bresenham ? "bresenham"
                          : "parallelogram",
              bad, points, wrong_side);
}

static void test_points(unsigned log2, uint64_t seed)
{
    struct lull_raster_state s = raster_state(log2);
    unsigned bad = 0;
    s.window_coords = true;
    s.point_min = 2;
    s.point_max = 20;
    for (unsigned n = 0; n < LINES; n++) {
        int32_t at[2][2];
        struct lull_raster_vertex v[3];
        struct raster_window w = {.outside = 0};
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        struct lull_raster_point p;
        random_line(&seed, n % 3, at);
        line_vertices((const int32_t(*)[2])at, v);
        v[0].point_size = (float)(raster_random(&seed) % 200) / 8;
        const double size = fmin(fmax(v[0].point_size, 2), 20);
        const int32_t h = (int32_t)(size * 128), x = at[0][0], y = at[0][1];
        const int32_t corner[4][2] = {
            {x - h, y - h}, {x + h, y - h}, {x + h, y + h}, {x - h, y + h}};
        if (raster_paint(&s, LULL_RASTER_POINT, v, &w) != 0) {
            lull_raster_setup(&s, LULL_RASTER_POINT, v, part);
            lull_raster_at(part, 20.5, 30.5, &p);
            bad += fabs(p.s - (.5 + (20.5 - x / 256.) / size)) > 1e-5 ||
                   fabs(p.t - (.5 + (30.5 - y / 256.) / size)) > 1e-5;
        }
        bad += raster_differences(&s, corner, 4, &w);
    }
    test_case(bad == 0, "points", "%u samples: %u wrong", s.nsamples, bad);
}

/** A triangle's outline is its edges drawn as lines, its corners drawn as points, before and behind
 * the planes. */
static void test_outline(enum lull_raster_fill fill, uint64_t seed)
{
    struct lull_raster_state s = raster_state(1);
    unsigned bad = 0, cut = 0;
    s.fill_front = s.fill_back = fill;
    for (unsigned n = 0; n < LINES; n++) {
        struct lull_raster_vertex v[3];
        struct raster_window whole = {.outside = 0}, parts = {.outside = 0};
        memset(v, 0, sizeof(v));
        for (unsigned i = 0; i < 12; i++) {
            v[i / 4].pos[i % 4] = (float)raster_random_in(&seed, i % 4 > 1 ? -1 : -3, 3);
            v[i / 4].point_size = (float)(2 + 3 * (i >> 2));
        }
        const unsigned nwhole = raster_paint(&s, LULL_RASTER_TRIANGLE, v, &whole);
        unsigned nparts = 0;
        for (unsigned i = 0; i < 3; i++) {
            const struct lull_raster_vertex two[3] = {v[i], v[(i + 1) % 3]};
            nparts += raster_paint(
                &s, fill == LULL_RASTER_FILL_LINE ? LULL_RASTER_LINE : LULL_RASTER_POINT, two,
                &parts);
        }
        bad += nwhole != nparts || memcmp(&whole, &parts, sizeof(whole)) != 0;
        cut += nparts > 0 && nparts < 3;
    }
    test_case(bad == 0 && cut > 20, "outline", "fill %d: %u wrong, %u cut", fill, bad, cut);
}

/** Barycentric coordinates on the outline are the triangle's. */
static void test_outline_values(enum lull_raster_fill fill)
{
    static const float at[3][2] = {{3, 5}, {51, 9}, {17, 60}};
    static const float w[3] = {.5f, 2, 4};
    struct lull_raster_state s = raster_state(0);
    struct lull_raster_vertex v[3];
    struct lull_raster_prim face[LULL_RASTER_PARTS], part[LULL_RASTER_PARTS];
    memset(v, 0, sizeof(v));
    for (unsigned i = 0; i < 3; i++) {
        const float pos[4] = {at[i][0], at[i][1], .3f + .2f * (float)i, w[i]};
        memcpy(v[i].pos, pos, sizeof(pos));
        v[i].point_size = 5;
    }
    s.window_coords = true;
    s.line_rectangular = true;
    lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, face);
    s.fill_front = s.fill_back = fill;
    const unsigned n = lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part);
    for (unsigned i = 0; i < n && i < 3; i++) {
        const double t = fill == LULL_RASTER_FILL_LINE ? .3 : 0;
        const double x = at[i][0] + t * (at[(i + 1) % 3][0] - at[i][0]);
        const double y = at[i][1] + t * (at[(i + 1) % 3][1] - at[i][1]);
        struct lull_raster_point want, p;
        lull_raster_at(face, x, y, &want);
        lull_raster_at(&part[i], x, y, &p);
        const double d = fabs(p.i - want.i) + fabs(p.j - want.j) + fabs(p.one_w - want.one_w) +
                         fabs(p.i_linear - want.i_linear) + fabs(p.j_linear - want.j_linear) +
                         fabs(p.z - want.z) + fabs(p.i_w - want.i_w) + fabs(p.j_w - want.j_w);
        test_case(n == 3 && d < 1e-5 && part[i].shape == LULL_RASTER_TRIANGLE, "outline's values",
                  "fill %d, part %u of %u: %g beside", fill, i, n, d);
    }
}

/** Source: Vulkan 1.3, "Basic Polygon Rasterization": a = -1/2 sum of cross products; front faces
 * that are counter-clockwise have a > 0. */
static void test_facing(void)
{
    static const float at[2][3][2] = {{{9, 9}, {50, 9}, {9, 50}}, {{9, 9}, {9, 50}, {50, 9}}};
    for (unsigned n = 0; n < 16; n++) {
        struct lull_raster_state s = raster_state(0);
        struct lull_raster_vertex v[3];
        struct lull_raster_prim part[LULL_RASTER_PARTS] = {{.ncorners = 0}};
        memset(v, 0, sizeof(v));
        double a = 0;
        for (unsigned i = 0; i < 3; i++) {
            const float *p = at[n & 1][i], *q = at[n & 1][(i + 1) % 3];
            a -= .5 * (p[0] * q[1] - q[0] * p[1]);
            memcpy(v[i].pos, p, sizeof(at[0][0]));
            v[i].pos[3] = 1;
        }
        s.window_coords = true;
        s.front_clockwise = (n & 2) != 0;
        s.cull_front = (n & 4) != 0;
        s.cull_back = (n & 8) != 0;
        const bool front = s.front_clockwise ? a < 0 : a > 0;
        const bool want = !(front ? s.cull_front : s.cull_back);
        const unsigned got = lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part);
        test_case(got == want && (!want || part[0].front == front), "facing",
                  "row %u: %u parts, front %u, not %d", n, got, part[0].front, front);
    }
}

/** What has no area or length, or no size. */
static void test_nothing(void)
{
    static const struct {
        const char *name;
        enum lull_raster_shape shape;
        enum lull_raster_fill fill;
        float at[3][2];
        float size;
        unsigned parts;
    } rows[] = {
        {"three in a line", LULL_RASTER_TRIANGLE, LULL_RASTER_FILL, {{1, 1}, {2, 2}, {9, 9}}, 1, 0},
        {"all in one place",
         LULL_RASTER_TRIANGLE,
         LULL_RASTER_FILL,
         {{1, 1}, {1, 1}, {1, 1}},
         1,
         0},
        {"less than 1/256",
         LULL_RASTER_TRIANGLE,
         LULL_RASTER_FILL,
         {{1, 1}, {1.001f, 1}, {9, 9}},
         1,
         0},
        {"seen from its edge",
         LULL_RASTER_TRIANGLE,
         LULL_RASTER_FILL_LINE,
         {{1, 1}, {2, 2}, {9, 9}},
         1,
         3},
        {"its corners",
         LULL_RASTER_TRIANGLE,
         LULL_RASTER_FILL_POINT,
         {{1, 1}, {2, 2}, {9, 9}},
         1,
         3},
        {"flat rectangle", LULL_RASTER_RECT, LULL_RASTER_FILL, {{1, 1}, {9, 1}, {5, 1}}, 1, 0},
        {"line to itself", LULL_RASTER_LINE, LULL_RASTER_FILL, {{1, 1}, {1, 1}}, 1, 0},
        {"line without width", LULL_RASTER_LINE, LULL_RASTER_FILL, {{1, 1}, {9, 1}}, 0, 0},
        {"point without size", LULL_RASTER_POINT, LULL_RASTER_FILL, {{1, 1}}, 0, 0},
        {"point beside the scissor", LULL_RASTER_POINT, LULL_RASTER_FILL, {{66, 1}}, 3, 0},
        {"point at the scissor", LULL_RASTER_POINT, LULL_RASTER_FILL, {{65, 1}}, 3, 1},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_raster_state s = raster_state(0);
        struct lull_raster_vertex v[3];
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        memset(v, 0, sizeof(v));
        s.window_coords = true;
        s.line_width = rows[i].size;
        s.point_min = 0;
        s.fill_front = s.fill_back = rows[i].fill;
        for (unsigned n = 0; n < 3; n++) {
            memcpy(v[n].pos, rows[i].at[n], sizeof(rows[i].at[n]));
            v[n].pos[3] = 1;
            v[n].point_size = rows[i].size;
        }
        const unsigned got = lull_raster_setup(&s, rows[i].shape, v, part);
        test_case(got == rows[i].parts, rows[i].name, "%u parts, not %u", got, rows[i].parts);
    }
}

int main(void)
{
    const uint64_t seed = 99;
    printf("# seed %" PRIu64 "\n", seed);
    for (unsigned kind = 0; kind < 4; kind++) {
        test_bresenham(kind, 1, seed + kind);
        test_bresenham(kind, 4, seed + kind);
        test_parallelogram(kind, kind, seed + kind);
    }
    for (unsigned n = 0; n < 8; n++) {
        test_chain(n % 2 != 0, seed + n);
    }
    for (unsigned log2 = 0; log2 < 4; log2++) {
        test_rectangular(log2, seed + log2);
        test_points(log2, seed + log2);
    }
    test_values(false, false, seed);
    test_values(true, false, seed);
    test_values(false, true, seed);
    test_outline(LULL_RASTER_FILL_LINE, seed);
    test_outline(LULL_RASTER_FILL_POINT, seed);
    test_outline_values(LULL_RASTER_FILL_LINE);
    test_outline_values(LULL_RASTER_FILL_POINT);
    test_facing();
    test_nothing();
    return test_end();
}
