// SPDX-License-Identifier: MIT
// Barycentric coordinates, depth and its bias, against long double: the point of the triangle that
// is seen at a place, found from vertices in clip space; areas for what is linear on the screen.
#include "raster_fixture.h"

#include <inttypes.h>
#include <math.h>

#include "test.h"

enum { TRIANGLES = 2000 };

struct want {
    long double by[3], w, z; ///< In space.
    long double linear[3];   ///< On the screen.
};

static long double area(const long double a[2], const long double b[2], const long double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** Values at x, y of a triangle in clip space; its window is raster_state()'s. */
static struct want want_at(const struct lull_raster_vertex v[3], long double x, long double y)
{
    struct want ret = {.w = 0};
    long double at[3][2], here[2] = {x, y}, sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 2; j++) {
            at[i][j] = ((long double)v[i].pos[j] / v[i].pos[3] + 1) * (SIDE / 2.0L);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        ret.linear[i] = area(here, at[(i + 1) % 3], at[(i + 2) % 3]) / area(at[0], at[1], at[2]);
        ret.by[i] = ret.linear[i] / v[i].pos[3];
        sum += ret.by[i];
    }
    for (unsigned i = 0; i < 3; i++) {
        ret.by[i] /= sum;
        ret.w += ret.by[i] * v[i].pos[3];
        ret.z += ret.by[i] * v[i].pos[2];
    }
    ret.z /= ret.w;
    return ret;
}

static bool near(long double got, long double want, long double scale)
{
    return fabsl(got - want) <= 2e-6L * fmaxl(fabsl(want), scale);
}

/** Whether all values at a point are those. */
static bool all_near(const struct lull_raster_point *p, const struct want *w)
{
    return near(p->i, w->by[1], 1) && near(p->j, w->by[2], 1) && near(p->one_w, 1 / w->w, 0) &&
           near(p->i_w, w->by[1] / w->w, 1 / w->w) && near(p->j_w, w->by[2] / w->w, 1 / w->w) &&
           near(p->z, w->z, 1) && near(p->i_linear, w->linear[1], 1) &&
           near(p->j_linear, w->linear[2], 1);
}

/** Corners on 1/256 pixel, so that nothing is rounded: w is 2^n. */
static void exact_vertices(uint64_t *seed, struct lull_raster_vertex v[3])
{
    memset(v, 0, 3 * sizeof(*v));
    for (unsigned i = 0; i < 3; i++) {
        const float w = (float)ldexp(1, (int)(raster_random(seed) % 5) - 2);
        for (unsigned j = 0; j < 2; j++) {
            const int32_t at = (int32_t)(raster_random(seed) % (SIDE * 2 * 256)) - SIDE * 128;
            v[i].pos[j] = ((float)at / 256 / (SIDE / 2.0f) - 1) * w;
        }
        v[i].pos[2] = (float)raster_random_in(seed, 0, w);
        v[i].pos[3] = w;
    }
}

/** Corners on all sides of all planes, well away from w = 0. */
static void cut_vertices(uint64_t *seed, struct lull_raster_vertex v[3])
{
    memset(v, 0, 3 * sizeof(*v));
    for (unsigned i = 0; i < 3; i++) {
        v[i].pos[0] = (float)raster_random_in(seed, -6, 6);
        v[i].pos[1] = (float)raster_random_in(seed, -6, 6);
        v[i].pos[2] = (float)raster_random_in(seed, -2, 4);
        v[i].pos[3] = (float)(raster_random(seed) % 4 == 0 ? raster_random_in(seed, -3, -.5)
                                                           : raster_random_in(seed, .5, 6));
    }
}

static void test_planes(bool cut, uint64_t seed)
{
    const struct lull_raster_state s = raster_state(0);
    unsigned bad = 0, points = 0, cuts = 0;
    for (unsigned n = 0; n < TRIANGLES; n++) {
        struct lull_raster_vertex v[3];
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        (cut ? cut_vertices : exact_vertices)(&seed, v);
        const bool some = lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part) != 0;
        cuts += some && part[0].ncorners > 3;
        struct lull_raster_cursor cursor = {0};
        struct lull_raster_quad quad[64];
        // What was not cut has planes through rounded corners: this is of exact_vertices().
        const unsigned nquads = some && (!cut || part[0].ncorners > 3)
                                    ? lull_raster_cover(&s, part, &cursor, quad, 64)
                                    : 0;
        for (unsigned i = 0; i < nquads; i++) {
            if ((quad[i].mask & 1) != 0) {
                struct lull_raster_point p;
                lull_raster_at(part, quad[i].x + .5, quad[i].y + .5, &p);
                const struct want w = want_at(v, quad[i].x + .5L, quad[i].y + .5L);
                bad += !all_near(&p, &w);
                points++;
            }
        }
    }
    test_case(bad == 0 && points > 5000 && (cuts > 300) == cut, cut ? "cut" : "whole",
              "%u of %u points wrong, %u cut", bad, points, cuts);
}

/** At the vertices themselves, in window coordinates, with w and with 1/w. */
static void test_vertices(bool reciprocal, uint64_t seed)
{
    struct lull_raster_state s = raster_state(0);
    s.window_coords = true;
    s.w_is_reciprocal = reciprocal;
    unsigned bad = 0;
    for (unsigned n = 0; n < TRIANGLES; n++) {
        struct lull_raster_vertex v[3];
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        memset(v, 0, sizeof(v));
        for (unsigned i = 0; i < 3; i++) {
            v[i].pos[0] = (float)(raster_random(&seed) % (SIDE * 256)) / 256;
            v[i].pos[1] = (float)(raster_random(&seed) % (SIDE * 256)) / 256;
            v[i].pos[2] = (float)raster_random_in(&seed, -1, 2);
            v[i].pos[3] = (float)raster_random_in(&seed, .1, 10);
        }
        if (lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part) == 0) {
            continue;
        }
        for (unsigned i = 0; i < 3; i++) {
            struct lull_raster_point p;
            lull_raster_at(part, v[i].pos[0], v[i].pos[1], &p);
            const float w = reciprocal ? v[i].pos[3] : 1 / v[i].pos[3];
            bad += fabsf(p.i - (float)(i == 1)) > 1e-6f || fabsf(p.j - (float)(i == 2)) > 1e-6f ||
                   fabsf(p.i_linear - (float)(i == 1)) > 1e-6f ||
                   fabsf(p.j_linear - (float)(i == 2)) > 1e-6f || !near(p.z, v[i].pos[2], 1) ||
                   !near(p.one_w, w, 0);
        }
    }
    test_case(bad == 0, reciprocal ? "vertices, 1/w" : "vertices", "%u of %d wrong", bad,
              TRIANGLES * 3);
}

/** Places are rounded to 1/256 pixel, ties to even; facing is by them. */
static void test_rounding(void)
{
    static const struct {
        double at; ///< 1/256 pixel.
        int32_t want;
    } rows[] = {{0.5, 0},    {1.5, 2},         {2.5, 2},        {0.25, 0},    {0.75, 1},
                {-0.5, 0},   {-1.5, -2},       {257.5, 258},    {258.5, 258}, {255.501, 256},
                {-2.51, -3}, {16383.5, 16384}, {16382.5, 16382}};
    struct lull_raster_state s = raster_state(0);
    s.window_coords = true;
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        const float at = (float)(rows[i].at / 256);
        const struct lull_raster_vertex v[3] = {
            {.pos = {at, at, 0, 1}}, {.pos = {at + 60, at, 0, 1}}, {.pos = {at, at + 60, 0, 1}}};
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        s.viewport.scissor = (struct lull_raster_box){0, 0, 999, 999};
        const unsigned n = lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part);
        test_case(n == 1 && part[0].corner[0][0] == rows[i].want &&
                      part[0].corner[0][1] == rows[i].want,
                  "rounding", "%g: %u parts, at %d %d, not %d", rows[i].at, n, part[0].corner[0][0],
                  part[0].corner[0][1], rows[i].want);
    }
}

/** Source: Vulkan 1.3, "Depth Bias". z is zx * x + zy * y + z0 on the screen. */
static const struct {
    const char *name;
    double zx, zy, z0;
    bool on, is_float;
    uint8_t bits;
    float constant, slope[2], clamp;
    bool front;
} biases[] = {
    {"off", .001, 0, .5, false, false, 16, 1000, {9, 9}, 0, true},
    {"constant, 16 bits", .001, 0, .5, true, false, 16, 100, {0, 0}, 0, true},
    {"constant, float", 0, 0, .75, true, true, 23, 5000, {0, 0}, 0, true},
    {"constant, float, small z", .00001, 0, .01, true, true, 23, 90000, {0, 0}, 0, true},
    {"slope by x", .002, -.001, .4, true, false, 16, 0, {3, 5}, 0, true},
    {"slope by y", .002, -.003, .4, true, false, 16, 0, {3, 5}, 0, true},
    {"slope of back faces", .002, -.003, .4, true, false, 16, 0, {3, 5}, 0, false},
    {"clamped", .002, -.003, .4, true, true, 23, 1000, {3, 5}, .001f, true},
    {"clamped from below", .002, -.003, .4, true, true, 23, 0, {-3, -5}, -.002f, false},
    {"not clamped", .002, -.003, .4, true, true, 23, 0, {-3, -5}, .002f, false},
};

static double want_bias(unsigned row, double zmax)
{
    const double m = fmax(fabs(biases[row].zx), fabs(biases[row].zy));
    const double unit = exp2((biases[row].is_float ? floor(log2(zmax)) : 0) - biases[row].bits);
    const double o = m * biases[row].slope[!biases[row].front] + unit * biases[row].constant;
    if (!biases[row].on || biases[row].clamp == 0) {
        return biases[row].on ? o : 0;
    }
    return biases[row].clamp > 0 ? fmin(o, biases[row].clamp) : fmax(o, biases[row].clamp);
}

/** A triangle, its edges as lines, its corners as points: all have the triangle's bias. */
static void test_bias(unsigned row, enum lull_raster_fill fill)
{
    static const float at[3][2] = {{2, 2}, {62, 2}, {2, 62}};
    struct lull_raster_state s = raster_state(0);
    struct lull_raster_vertex v[3];
    struct lull_raster_prim part[LULL_RASTER_PARTS];
    double zmax = 0;
    memset(v, 0, sizeof(v));
    s.window_coords = true;
    s.front_clockwise = biases[row].front; // So it is, with y down.
    s.fill_front = s.fill_back = fill;
    s.bias_front = biases[row].on && biases[row].front;
    s.bias_back = biases[row].on && !biases[row].front;
    s.bias_float = biases[row].is_float;
    s.bias_bits = biases[row].bits;
    s.bias_constant = biases[row].constant;
    s.bias_clamp = biases[row].clamp;
    memcpy(s.bias_slope, biases[row].slope, sizeof(s.bias_slope));
    for (unsigned i = 0; i < 3; i++) {
        const double z = biases[row].zx * at[i][0] + biases[row].zy * at[i][1] + biases[row].z0;
        memcpy(v[i].pos, at[i], sizeof(at[i]));
        v[i].pos[2] = (float)z;
        v[i].pos[3] = 1;
        zmax = fmax(zmax, fabs(z));
    }
    const unsigned n = lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part);
    bool ok = n == (fill == LULL_RASTER_FILL ? 1 : 3);
    double got = 0;
    for (unsigned i = 0; i < n && i < 3; i++) {
        struct lull_raster_point p;
        lull_raster_at(&part[i], at[i][0], at[i][1], &p);
        got = (double)p.z - v[i].pos[2];
        ok = ok && fabs(got - want_bias(row, zmax)) < 2e-7 && part[i].front == biases[row].front;
    }
    test_case(ok, biases[row].name, "fill %d: %u parts, bias %g, not %g", fill, n, got,
              want_bias(row, zmax));
}

/** Depth is clamped behind the bias. */
static void test_clamp(void)
{
    struct lull_raster_state s = raster_state(0);
    const struct lull_raster_vertex v[3] = {
        {.pos = {0, 0, -1, 1}}, {.pos = {64, 0, 2, 1}}, {.pos = {0, 64, -1, 1}}};
    struct lull_raster_prim part[LULL_RASTER_PARTS];
    s.window_coords = true;
    s.viewport.zmin = .25f;
    s.viewport.zmax = .5f;
    const bool some = lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part) == 1;
    for (unsigned x = 1; x < SIDE; x += 6) {
        struct lull_raster_point p = {0};
        const double z = x / 64. * 3 - 1;
        const double want = z < .25 ? .25 : z > .5 ? .5 : z;
        float tested = 0;
        if (some) {
            lull_raster_at(part, x, 9, &p);
            tested = lull_raster_depth_at(part, x, 9);
        }
        test_case(fabs(tested - want) < 1e-6, "clamp", "at %u: %g, not %g", x, (double)tested,
                  want);
        test_case(fabs(p.z - z) < 1e-6, "no clamp", "at %u: %g, not %g", x, (double)p.z, z);
    }
}

int main(void)
{
    const uint64_t seed = 4711;
    printf("# seed %" PRIu64 "\n", seed);
    test_planes(false, seed);
    test_planes(true, seed);
    test_vertices(false, seed);
    test_vertices(true, seed);
    test_rounding();
    for (unsigned i = 0; i < TEST_ROWS(biases); i++) {
        test_bias(i, LULL_RASTER_FILL);
        test_bias(i, LULL_RASTER_FILL_LINE);
        test_bias(i, LULL_RASTER_FILL_POINT);
    }
    test_clamp();
    return test_end();
}
