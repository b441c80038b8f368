// SPDX-License-Identifier: MIT
// The clip volume. For each sample the point of the triangle there is found in long double, from
// the vertices in clip space, and looked at: inside of the triangle, before all planes? And sheets
// of triangles, cut by planes, cover each sample once or never.
#include "raster_fixture.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "test.h"

enum { TRIANGLES = 300, GRID = 9 };

/** The point of a triangle that is seen at x, y: what it has of each vertex (their sum is 1).
 * Source: x_k - x * w_k, summed with these, is 0, and so for y. */
static bool point_at(const struct lull_raster_vertex v[3], long double x, long double y,
                     long double ret[3])
{
    long double p[3], q[3];
    for (unsigned i = 0; i < 3; i++) {
        const long double w = v[i].pos[3];
        p[i] = (v[i].pos[0] + w) * (SIDE / 2.0L) - x * w;
        q[i] = (v[i].pos[1] + w) * (SIDE / 2.0L) - y * w;
    }
    long double sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned a = (i + 1) % 3, b = (i + 2) % 3;
        ret[i] = p[a] * q[b] - p[b] * q[a];
        sum += ret[i];
    }
    for (unsigned i = 0; i < 3; i++) {
        ret[i] /= sum;
    }
    return sum != 0;
}

static long double mix(const struct lull_raster_vertex v[3], const long double by[3], unsigned n)
{
    return by[0] * v[0].pos[n] + by[1] * v[1].pos[n] + by[2] * v[2].pos[n];
}

/** Whether a triangle is seen at x, y. */
static bool seen(const struct lull_raster_state *s, const struct lull_raster_vertex v[3],
                 long double x, long double y)
{
    long double by[3];
    if (!point_at(v, x, y, by) || by[0] < 0 || by[1] < 0 || by[2] < 0) {
        return false;
    }
    const long double z = mix(v, by, 2), w = mix(v, by, 3);
    const bool clip = !s->no_clip;
    if (w <= 0 || (clip && s->clip_near && z < (s->z_zero_to_one ? 0 : -w)) ||
        (clip && s->clip_far && z > w)) {
        return false;
    }
    for (unsigned i = 0; clip && i < LULL_RASTER_PLANES; i++) {
        const long double d =
            by[0] * v[0].distance[i] + by[1] * v[1].distance[i] + by[2] * v[2].distance[i];
        if ((s->clip_planes >> i & 1) != 0 && d < 0) {
            return false;
        }
    }
    return true;
}

/** The same of a sample: 0, 1, or -1 if it is so near to an edge that rounding decides. */
static int sample_seen(const struct lull_raster_state *s, const struct lull_raster_vertex v[3],
                       unsigned px, unsigned py, unsigned n)
{
    const long double margin = 1.0L / 64;
    const long double x = px + .5L + s->sample[n][0] / 16.0L;
    const long double y = py + .5L + s->sample[n][1] / 16.0L;
    const bool ret = seen(s, v, x, y);
    for (unsigned i = 0; i < 4; i++) {
        if (seen(s, v, x + (i % 2 != 0 ? margin : -margin), y + (i / 2 != 0 ? margin : -margin)) !=
            ret) {
            return -1;
        }
    }
    return ret;
}

static void random_vertices(uint64_t *seed, struct lull_raster_vertex v[3])
{
    memset(v, 0, 3 * sizeof(*v));
    for (unsigned i = 0; i < 3; i++) {
        v[i].pos[0] = (float)raster_random_in(seed, -6, 6);
        v[i].pos[1] = (float)raster_random_in(seed, -6, 6);
        v[i].pos[2] = (float)raster_random_in(seed, -2, 4);
        v[i].pos[3] = (float)raster_random_in(seed, -2, 6);
        for (unsigned n = 0; n < LULL_RASTER_PLANES; n++) {
            v[i].distance[n] = (float)raster_random_in(seed, -1, 3);
        }
    }
}

/** A part again, as if rounding had bent it; such ones against their own corners. */
static unsigned wound(const struct lull_raster_state *s, const struct lull_raster_prim *part,
                      const struct raster_window *w)
{
    struct lull_raster_prim bent = *part;
    struct raster_window again = {.outside = 0};
    bent.convex = false;
    raster_paint_part(s, &bent, &again);
    return part->convex
               ? memcmp(&again, w, sizeof(again)) != 0
               : raster_differences(s, (const int32_t(*)[2])part->corner, part->ncorners, w);
}

static const struct {
    const char *name;
    bool none, minus, near, far;
    uint8_t planes;
    float scale; ///< Of x and y: what is far beyond the window.
} rows[] = {
    {"only w", true, false, true, true, 0xff, 1},
    {"near and far", false, false, true, true, 0, 1},
    {"near and far from -w", false, true, true, true, 0, 1},
    {"near", false, false, true, false, 0, 1},
    {"far", false, false, false, true, 0, 1},
    {"one user plane", false, false, false, false, 0x10, 1},
    {"all user planes", false, false, true, true, 0xff, 1},
    {"far beyond the window", false, false, true, true, 0, 1e6f},
};

static void test_planes(unsigned row, unsigned log2, uint64_t seed)
{
    struct lull_raster_state s = raster_state(log2);
    s.no_clip = rows[row].none;
    s.z_zero_to_one = !rows[row].minus;
    s.clip_near = rows[row].near;
    s.clip_far = rows[row].far;
    s.clip_planes = rows[row].planes;
    unsigned bad = 0, in = 0, near = 0;
    for (unsigned n = 0; n < TRIANGLES; n++) {
        struct lull_raster_vertex v[3];
        struct raster_window w = {.outside = 0};
        random_vertices(&seed, v);
        for (unsigned i = 0; i < 6; i++) {
            v[i / 2].pos[i % 2] *= rows[row].scale;
        }
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        if (lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part) != 0) {
            raster_paint_part(&s, part, &w);
            bad += w.outside + wound(&s, part, &w);
        }
        for (unsigned i = 0; i < SIDE * SIDE; i += 3) {
            const unsigned x = i % SIDE, y = i / SIDE, k = i % s.nsamples;
            const int want = sample_seen(&s, v, x, y, k);
            bad += w.times[y][x][k] > 1 || (want >= 0 && w.times[y][x][k] != want);
            in += want == 1;
            near += want < 0;
        }
    }
    test_case(bad == 0 && in > near, rows[row].name,
              "%u samples: %u wrong, %u inside, %u near edges", s.nsamples, bad, in, near);
}

/** A sheet that goes through near and far planes and two of the user's, some of it behind the
 * eye. */
static struct lull_raster_vertex sheet_at(double x, double y, double far)
{
    struct lull_raster_vertex v = {.point_size = 1};
    const double w = .9 + .4 * x + .7 * y;
    const float pos[4] = {(float)(x * far), (float)(y * far), (float)(w * .6 + .3 * x), (float)w};
    memcpy(v.pos, pos, sizeof(pos));
    v.distance[1] = (float)(1.2 - x - .3 * y);
    v.distance[6] = (float)(x + .8 + .2 * y);
    return v;
}

static void test_sheet(unsigned log2, double far, uint64_t seed)
{
    struct lull_raster_state s = raster_state(log2);
    struct lull_raster_vertex at[GRID + 1][GRID + 1];
    s.clip_planes = 0x42;
    for (unsigned y = 0; y <= GRID; y++) {
        for (unsigned x = 0; x <= GRID; x++) {
            const double at_x = (x + raster_random_in(&seed, -.3, .3)) / GRID * 12 - 6;
            const double at_y = (y + raster_random_in(&seed, -.3, .3)) / GRID * 12 - 6;
            at[y][x] = sheet_at(at_x, at_y, far);
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
    // One triangle that has all of the sheet.
    const struct lull_raster_vertex all[3] = {sheet_at(-5, -5, far), sheet_at(15, -5, far),
                                              sheet_at(-5, 15, far)};
    unsigned bad = w.outside, once = 0;
    for (unsigned i = 0; i < SIDE * SIDE * s.nsamples; i++) {
        const unsigned x = i / s.nsamples % SIDE, y = i / s.nsamples / SIDE, n = i % s.nsamples;
        const int want = sample_seen(&s, all, x, y, n);
        bad += w.times[y][x][n] > 1 || (want >= 0 && w.times[y][x][n] != want);
        once += want == 1;
    }
    test_case(bad == 0 && once > 200, far > 1 ? "a sheet, cut, and far" : "a sheet, cut",
              "%u samples: %u wrong, %u seen", s.nsamples, bad, once);
}

/** Triangles around the middle, with corners far beyond what 1/256 pixel in 32 bits can say. */
static void test_far_fan(unsigned log2, double far, uint64_t seed)
{
    struct lull_raster_state s = raster_state(log2);
    struct lull_raster_vertex rim[12];
    struct raster_window w = {.outside = 0};
    memset(rim, 0, sizeof(rim));
    for (unsigned i = 0; i < 12; i++) {
        const double turn = (i + raster_random_in(&seed, -.3, .3)) / 12 * 6.283185307;
        rim[i].pos[0] = (float)(far * cos(turn));
        rim[i].pos[1] = (float)(far * sin(turn));
        rim[i].pos[3] = 1;
    }
    for (unsigned i = 0; i < 12; i++) {
        const struct lull_raster_vertex v[3] = {
            rim[i], rim[(i + 1) % 12], {.pos = {.013f, -.02f, 0, 1}}};
        raster_paint(&s, LULL_RASTER_TRIANGLE, v, &w);
    }
    unsigned bad = w.outside;
    for (unsigned i = 0; i < SIDE * SIDE * s.nsamples; i++) {
        bad += w.times[i / s.nsamples / SIDE][i / s.nsamples % SIDE][i % s.nsamples] != 1;
    }
    test_case(bad == 0, "a fan, far", "to %g, %u samples: %u not covered once", far, s.nsamples,
              bad);
}

/** A tip that is cut off by less than 1/256 pixel: as if it were not. */
static void test_tip(unsigned n)
{
    struct lull_raster_state s = raster_state(2);
    struct raster_window cut = {.outside = 0}, whole = {.outside = 0};
    struct lull_raster_vertex v[3] = {
        {.pos = {-.9f, -.8f, 0, 1}}, {.pos = {.9f, -.7f, 0, 1}}, {.pos = {.1f, .9f, 0, 1}}};
    raster_paint(&s, LULL_RASTER_TRIANGLE, v, &whole);
    for (unsigned i = 0; i < 3; i++) {
        v[i].distance[3] = i == n ? -1e-7f : 1;
    }
    s.clip_planes = 8;
    raster_paint(&s, LULL_RASTER_TRIANGLE, v, &cut);
    test_case(whole.times[SIDE / 2][SIDE / 2][0] == 1 && memcmp(&cut, &whole, sizeof(cut)) == 0,
              "a tip is cut", "vertex %u: not the same", n);
}

/** Tips cut off by some 1/256 pixel: rounding bends what is left. */
static void test_bent(unsigned log2, uint64_t seed)
{
    struct lull_raster_state s = raster_state(log2);
    unsigned bad = 0, bent = 0;
    s.clip_planes = 1;
    for (unsigned n = 0; n < 2 * TRIANGLES; n++) {
        struct lull_raster_vertex v[3];
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        struct raster_window w = {.outside = 0};
        memset(v, 0, sizeof(v));
        for (unsigned i = 0; i < 3; i++) {
            // Corners on places of 1/16 pixel: long edges go through samples.
            v[i].pos[0] = (float)(raster_random(&seed) % (SIDE * 16)) / (SIDE * 8) - 1;
            v[i].pos[1] = (float)(raster_random(&seed) % (SIDE * 16)) / (SIDE * 8) - 1;
            v[i].pos[3] = 1;
            v[i].distance[0] = i == 0 ? -1e-4f : (float)raster_random_in(&seed, .5, 2);
        }
        if (lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part) != 0) {
            raster_paint_part(&s, part, &w);
            bad += w.outside + wound(&s, part, &w);
            bent += !part[0].convex;
        }
    }
    test_case(bad == 0 && bent > 10, "bent by rounding", "%u samples: %u wrong, %u bent",
              s.nsamples, bad, bent);
}

static const struct lull_raster_vertex plain[3] = {
    {.pos = {-1, -1, 0, 1}}, {.pos = {1, -1, 0, 1}}, {.pos = {-1, 1, 0, 1}}};

/** Numbers that no position should be. */
static void test_odd_numbers(void)
{
    static const float odd[] = {NAN,     INFINITY, -INFINITY, 1e30f,      -1e30f,
                                FLT_MAX, -FLT_MAX, 0x1p-149f, -0x1p-149f, 0};
    const struct lull_raster_state base = raster_state(3);
    for (unsigned i = 0; i < TEST_ROWS(odd) * 4; i++) {
        unsigned bad = 0;
        for (unsigned mode = 0; mode < 96; mode++) {
            struct lull_raster_state s = base;
            struct lull_raster_vertex v[3];
            struct raster_window w = {.outside = 0};
            memcpy(v, plain, sizeof(v));
            s.no_clip = (mode & 1) != 0;
            s.window_coords = (mode & 2) != 0;
            s.w_is_reciprocal = (mode & 4) != 0;
            s.fill_front = s.fill_back = (enum lull_raster_fill)(mode / 8 % 3);
            v[0].pos[i % 4] = v[1].pos[i % 4] = odd[i / 4];
            v[2].pos[(i + 1) % 4] = odd[i / 4];
            v[0].point_size = s.line_width = odd[i / 4];
            const unsigned n = raster_paint(&s, (enum lull_raster_shape)(mode / 24), v, &w);
            bad += w.outside + (n != 0 && !isfinite(odd[i / 4]));
        }
        test_case(bad == 0, "an odd number", "%g as %c: %u wrong", (double)odd[i / 4],
                  "xyzw"[i % 4], bad);
    }
}

static void test_distances(void)
{
    static const struct {
        const char *name;
        uint8_t clip, cull;
        float distance[3];
        unsigned parts;
    } distances[] = {
        {"cull: one vertex in", 0, 4, {-1, 0, -1}, 1},
        {"cull: all out", 0, 4, {-1, -2, -0x1p-149f}, 0},
        {"cull: not enabled", 0, 2, {-1, -2, -3}, 1},
        {"cull: not numbers", 0, 4, {-1, NAN, NAN}, 0},
        {"clip: all on the plane", 4, 0, {0, 0, 0}, 1},
        {"clip: one corner in", 4, 0, {-1, -1, 1}, 1},
        {"clip: all out", 4, 0, {-1, -1, -1}, 0},
        {"clip: endless", 4, 0, {INFINITY, -INFINITY, 1}, 1},
        {"clip: not a number", 4, 0, {1, 1, NAN}, 0},
        {"clip: not enabled", 2, 0, {-1, -1, NAN}, 1},
    };
    for (unsigned i = 0; i < TEST_ROWS(distances); i++) {
        struct lull_raster_state s = raster_state(0);
        struct lull_raster_vertex v[3];
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        memcpy(v, plain, sizeof(v));
        s.clip_planes = distances[i].clip;
        s.cull_planes = distances[i].cull;
        for (unsigned n = 0; n < 3; n++) {
            v[n].distance[2] = distances[i].distance[n];
        }
        const unsigned n = lull_raster_setup(&s, LULL_RASTER_TRIANGLE, v, part);
        test_case(n == distances[i].parts, distances[i].name, "%u parts, not %u", n,
                  distances[i].parts);
    }
}

int main(void)
{
    const uint64_t seed = 81;
    printf("# seed %" PRIu64 "\n", seed);
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        test_planes(i, i % 4, seed + i);
    }
    for (unsigned log2 = 0; log2 < 4; log2++) {
        test_bent(log2, seed + log2);
        test_sheet(log2, 1, seed + log2);
        test_sheet(log2, 1e5, seed + log2);
        test_far_fan(log2, 1e4, seed + log2);
        test_far_fan(log2, 1e9, seed + log2);
        test_far_fan(log2, 1e37, seed + log2);
    }
    for (unsigned n = 0; n < 3; n++) {
        test_tip(n);
    }
    test_odd_numbers();
    test_distances();
    return test_end();
}
