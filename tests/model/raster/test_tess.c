// SPDX-License-Identifier: MIT
// The tessellator, by what Vulkan 1.3 ("Tessellation") says of it: how many points and triangles,
// where points of sides are, and that triangles cover the domain once. Which of several right
// answers it gives is compared with another implementation in tess_oracle.c.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/raster/tess.h"
#include "test.h"

enum { ONE = 65536, RANDOM_PATCHES = 300, EDGES = LULL_TESS_INDICES_MAX };

static const char *const domains[] = {"isolines", "triangles", "quads"};
static const char *const spacings[] = {"equal", "odd", "even"};

/** A patch, tessellated. */
struct patch {
    struct lull_tess_mode mode;
    struct lull_tess_levels levels;
    struct lull_tess_plan plan;
    struct lull_tess_point point[LULL_TESS_POINTS_MAX];
    uint16_t index[LULL_TESS_INDICES_MAX];
};

static void tessellate(struct patch *p)
{
    lull_tess_plan(&p->mode, &p->levels, &p->plan);
    lull_tess_points(&p->plan, p->point);
    lull_tess_indices(&p->plan, p->index);
}

static unsigned nsides(const struct patch *p)
{
    return p->mode.domain == LULL_TESS_QUADS ? 4 : p->mode.domain == LULL_TESS_TRIANGLES ? 3 : 2;
}

/** Parts that a level splits a side into. */
static unsigned parts(enum lull_tess_spacing spacing, float level)
{
    const float low = spacing == LULL_TESS_FRACTIONAL_EVEN ? 2 : 1;
    const float high = spacing == LULL_TESS_FRACTIONAL_ODD ? 63 : 64;
    const unsigned n = (unsigned)ceilf(level > low ? level < high ? level : high : low);
    return n + (spacing == LULL_TESS_FRACTIONAL_EVEN  ? n % 2
                : spacing == LULL_TESS_FRACTIONAL_ODD ? 1 - n % 2
                                                      : 0);
}

/** Points of the outline. */
static uint32_t outline(const struct patch *p)
{
    uint32_t n = 0;
    for (unsigned s = 0; s < nsides(p); s++) {
        n += parts(p->mode.spacing, p->levels.outer[s]);
    }
    return n;
}

/** Points of a patch: those of the sides, and those of the rings inside. */
static unsigned expected_points(const struct patch *p)
{
    const enum lull_tess_spacing spacing = p->mode.spacing;
    unsigned m[2] = {parts(spacing, p->levels.inner[0]), parts(spacing, p->levels.inner[1])};
    unsigned n = outline(p);
    const bool whole = n == nsides(p);
    if (p->mode.domain == LULL_TESS_ISOLINES) {
        return parts(LULL_TESS_EQUAL, p->levels.outer[0]) *
               (parts(spacing, p->levels.outer[1]) + 1);
    }
    const bool quads = p->mode.domain == LULL_TESS_QUADS;
    if (whole && m[0] == 1 && (!quads || m[1] == 1)) {
        return n;
    }
    for (unsigned i = 0; i < 2; i++) { // an inner level of 1 counts as a little more
        m[i] = m[i] == 1 ? parts(spacing, 1.5F) : m[i];
    }
    if (quads) {
        return n + (m[0] - 1) * (m[1] - 1);
    }
    for (; m[0] > 2; m[0] -= 2) {
        n += 3 * (m[0] - 2);
    }
    return n + (m[0] == 2);
}

static int64_t fixed(float f)
{
    return (int64_t)(f * ONE);
}

/** Twice the area of triangle @p t, above 0 where u goes to the right, v down and it goes
 * clockwise. */
static int64_t area(const struct patch *p, size_t t)
{
    const struct lull_tess_point *a = &p->point[p->index[3 * t]];
    const struct lull_tess_point *b = &p->point[p->index[3 * t + 1]];
    const struct lull_tess_point *c = &p->point[p->index[3 * t + 2]];
    return fixed(b->u - a->u) * fixed(c->v - a->v) - fixed(c->u - a->u) * fixed(b->v - a->v);
}

static bool is_bad(const struct patch *p, const char *what)
{
    return test_case(false, what, "%s %s, outer %a %a %a %a inner %a %a: %u points, %u indices",
                     domains[p->mode.domain], spacings[p->mode.spacing], p->levels.outer[0],
                     p->levels.outer[1], p->levels.outer[2], p->levels.outer[3], p->levels.inner[0],
                     p->levels.inner[1], p->plan.npoints, p->plan.nindices);
}

/** Areas of one sign and of the right sum: each place is covered once. */
static bool covers(const struct patch *p)
{
    const int64_t whole = (int64_t)ONE * ONE * (p->mode.domain == LULL_TESS_QUADS ? 2 : 1);
    const int64_t sign = p->mode.output == LULL_TESS_CLOCKWISE ? 1 : -1;
    int64_t sum = 0;
    bool same = true;
    for (uint32_t t = 0; t < p->plan.nindices / 3; t++) {
        sum += area(p, t) * sign;
        same &= area(p, t) * sign >= 0;
    }
    return same && sum == whole;
}

static int compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/** Each edge of a triangle is that of one other, the other way round, or on the outline: then its
 * points come first, and follow one another. */
static bool joins(const struct patch *p)
{
    static uint32_t edge[EDGES];
    const uint32_t n = p->plan.nindices;
    const uint32_t around = outline(p);
    uint32_t alone = 0;
    for (uint32_t i = 0; i < n; i++) {
        edge[i] = (uint32_t)p->index[i] << 16 | p->index[i % 3 == 2 ? i - 2 : i + 1];
    }
    qsort(edge, n, sizeof(edge[0]), compare_u32);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = edge[i] >> 16;
        const uint32_t b = edge[i] & 0xffff;
        const uint32_t twin = b << 16 | a;
        if (i > 0 && edge[i] == edge[i - 1]) {
            return false;
        }
        if (bsearch(&twin, edge, n, sizeof(edge[0]), compare_u32) == NULL) {
            alone++;
            if ((a + 1) % around != b && (b + 1) % around != a) {
                return false;
            }
        }
    }
    return alone == around;
}

/** Points of side @p side, which follow those of the sides before: how far on it, sorted. */
static unsigned side_points(const struct patch *p, unsigned side, uint32_t *ret)
{
    const unsigned n = parts(p->mode.spacing, p->levels.outer[side]) + 1;
    uint32_t first = 0;
    for (unsigned s = 0; s < side; s++) {
        first += parts(p->mode.spacing, p->levels.outer[s]);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct lull_tess_point *point = &p->point[(first + i) % outline(p)];
        const int64_t u = fixed(point->u);
        const int64_t v = fixed(point->v);
        const bool quads = p->mode.domain == LULL_TESS_QUADS;
        const int64_t from[4] = {u, v, quads ? ONE - u : ONE - u - v, ONE - v};
        if (from[side] != 0) {
            return 0; // it is elsewhere
        }
        ret[i] = (uint32_t)(side == 0 || (side == 2 && quads) ? v : u);
    }
    qsort(ret, n, sizeof(ret[0]), compare_u32);
    return n;
}

/** The length of a part is rounded once, and added up for up to half a side, from both ends. */
static bool near(int64_t a, int64_t b)
{
    return llabs(a - b) <= LULL_TESS_LEVEL_MAX / 2 + 1;
}

/** Parts of the same length, of which two, as far from both ends, may be shorter. */
static bool is_split(const uint32_t *at, unsigned n, enum lull_tess_spacing spacing, float level)
{
    int64_t longest = 0;
    unsigned shorter = 0;
    for (unsigned i = 1; i < n; i++) {
        const int64_t length = (int64_t)at[i] - at[i - 1];
        longest = length > longest ? length : longest;
    }
    for (unsigned i = 1; i < n; i++) {
        const int64_t length = (int64_t)at[i] - at[i - 1];
        const int64_t mirrored = (int64_t)at[n - i] - at[n - i - 1];
        if (!near(length, mirrored) || at[i] + at[n - 1 - i] != ONE) {
            return false;
        }
        shorter += !near(length, longest);
    }
    return n == parts(spacing, level) + 1 && at[0] == 0 && at[n - 1] == ONE &&
           (spacing == LULL_TESS_EQUAL ? shorter == 0 : shorter <= 2);
}

static float random_level(uint32_t *seed)
{
    static const float edges[] = {1, 2, 3, 4, 63, 64, 65, 0.25F, 1.00001F, 62.5F, 63.999F};
    *seed = *seed * 1664525 + 1013904223;
    const uint32_t r = *seed >> 8;
    return r % 5 == 0   ? edges[r / 5 % TEST_ROWS(edges)]
           : r % 5 == 1 ? (float)(1 + r / 5 % 64)
                        : (float)(r % 4000) / (r / 5 % 4 == 0 ? 61.F : 700.F) + 0.01F;
}

static void random_levels(struct patch *p, uint32_t *seed)
{
    for (unsigned i = 0; i < 4; i++) {
        p->levels.outer[i] = random_level(seed);
    }
    p->levels.inner[0] = random_level(seed);
    p->levels.inner[1] = random_level(seed);
}

/** Points on each side, when the rest of the patch is another. */
static bool sides_agree(const struct patch *p, uint32_t *seed)
{
    static uint32_t at[LULL_TESS_POINTS_MAX], other_at[LULL_TESS_POINTS_MAX];
    static struct patch other;
    for (unsigned s = 0; s < nsides(p); s++) {
        other.mode = p->mode;
        random_levels(&other, seed);
        other.levels.outer[s] = p->levels.outer[s];
        tessellate(&other);
        const unsigned n = side_points(p, s, at);
        if (n == 0 || side_points(&other, s, other_at) != n ||
            memcmp(at, other_at, n * sizeof(at[0])) != 0 ||
            !is_split(at, n, p->mode.spacing, p->levels.outer[s])) {
            return false;
        }
    }
    return true;
}

/** The same triangles the other way round, the same first corners. */
static bool is_reverse(const struct patch *p)
{
    static struct patch other;
    other.mode = p->mode;
    other.mode.output =
        p->mode.output == LULL_TESS_CLOCKWISE ? LULL_TESS_COUNTERCLOCKWISE : LULL_TESS_CLOCKWISE;
    other.levels = p->levels;
    tessellate(&other);
    bool ok = other.plan.nindices == p->plan.nindices && covers(&other);
    for (uint32_t i = 0; ok && i < p->plan.nindices; i += 3) {
        ok = other.index[i] == p->index[i] && other.index[i + 1] == p->index[i + 2] &&
             other.index[i + 2] == p->index[i + 1];
    }
    return ok;
}

static bool inside(const struct patch *p)
{
    for (uint32_t i = 0; i < p->plan.npoints; i++) {
        const float u = p->point[i].u;
        const float v = p->point[i].v;
        if (!(u >= 0 && v >= 0 && u <= 1 && v <= 1) ||
            (p->mode.domain == LULL_TESS_TRIANGLES && u + v > 1)) {
            return false;
        }
    }
    return true;
}

static bool surface(struct patch *p, uint32_t *seed)
{
    random_levels(p, seed);
    tessellate(p);
    const uint32_t triangles = 2 * p->plan.npoints - 2 - outline(p); // Euler's formula
    if (p->plan.npoints != expected_points(p) || p->plan.nindices != 3 * triangles) {
        return is_bad(p, "points and triangles are as many as Vulkan says");
    }
    return (inside(p) || is_bad(p, "points are in the domain")) &&
           (covers(p) || is_bad(p, "triangles cover the domain once")) &&
           (joins(p) || is_bad(p, "triangles share edges")) &&
           (sides_agree(p, seed) || is_bad(p, "a side's points depend on its level alone")) &&
           (is_reverse(p) || is_bad(p, "counter-clockwise is clockwise reversed"));
}

static void surfaces(uint32_t seed)
{
    static struct patch p;
    for (unsigned d = LULL_TESS_TRIANGLES; d <= LULL_TESS_QUADS; d++) {
        for (unsigned s = LULL_TESS_EQUAL; s <= LULL_TESS_FRACTIONAL_EVEN; s++) {
            p.mode = (struct lull_tess_mode){(enum lull_tess_domain)d, (enum lull_tess_spacing)s,
                                             LULL_TESS_CLOCKWISE};
            bool ok = true;
            for (unsigned i = 0; i < RANDOM_PATCHES && ok; i++) {
                ok = surface(&p, &seed);
            }
            char name[80];
            snprintf(name, sizeof(name), "random levels: %s, %s", domains[d], spacings[s]);
            test_case(ok, name, "see above");
        }
    }
}

/** Lines of points at the v of equal parts, each split along u. */
static bool lines(const struct patch *p)
{
    static uint32_t at[LULL_TESS_POINTS_MAX];
    const unsigned nlines = parts(LULL_TESS_EQUAL, p->levels.outer[0]);
    const unsigned n = p->plan.npoints / nlines;
    bool ok = p->plan.npoints == expected_points(p) && p->plan.corners == 2 &&
              p->plan.nindices == 2 * nlines * (n - 1);
    for (unsigned l = 0; ok && l < nlines; l++) {
        for (unsigned i = 0; i < n; i++) {
            const struct lull_tess_point *point = &p->point[l * n + i];
            at[i] = (uint32_t)fixed(point->u);
            ok &= near(fixed(point->v), (int64_t)llround((double)l * ONE / nlines));
            if (i + 1 < n) {
                const uint16_t *index = p->index + (size_t)2 * (l * (n - 1) + i);
                ok &= index[0] == l * n + i && index[1] == l * n + i + 1;
            }
        }
        ok &= is_split(at, n, p->mode.spacing, p->levels.outer[1]);
    }
    return ok;
}

static void isolines(uint32_t seed)
{
    static struct patch p;
    for (unsigned s = LULL_TESS_EQUAL; s <= LULL_TESS_FRACTIONAL_EVEN; s++) {
        bool ok = true;
        for (unsigned i = 0; i < RANDOM_PATCHES && ok; i++) {
            p.mode = (struct lull_tess_mode){LULL_TESS_ISOLINES, (enum lull_tess_spacing)s,
                                             LULL_TESS_LINES};
            random_levels(&p, &seed);
            tessellate(&p);
            ok = lines(&p) || is_bad(&p, "lines are where Vulkan says");
        }
        char name[80];
        snprintf(name, sizeof(name), "random levels: isolines, %s", spacings[s]);
        test_case(ok, name, "see above");
    }
}

/** Points alone: the same, each once. */
static void points(void)
{
    static struct patch p, q;
    for (unsigned d = LULL_TESS_ISOLINES; d <= LULL_TESS_QUADS; d++) {
        p.mode = (struct lull_tess_mode){(enum lull_tess_domain)d, LULL_TESS_FRACTIONAL_ODD,
                                         d == LULL_TESS_ISOLINES ? LULL_TESS_LINES
                                                                 : LULL_TESS_CLOCKWISE};
        p.levels = (struct lull_tess_levels){{3.5F, 6, 2, 7}, {5.25F, 4}};
        q = p;
        q.mode.output = LULL_TESS_POINTS;
        tessellate(&p);
        tessellate(&q);
        bool ok = q.plan.corners == 1 && q.plan.npoints == p.plan.npoints &&
                  q.plan.nindices == q.plan.npoints &&
                  memcmp(p.point, q.point, p.plan.npoints * sizeof(p.point[0])) == 0;
        for (uint32_t i = 0; i < q.plan.nindices; i++) {
            ok &= q.index[i] == i;
        }
        char name[80];
        snprintf(name, sizeof(name), "points of %s", domains[d]);
        test_case(ok, name, "%u points, %u indices", q.plan.npoints, q.plan.nindices);
    }
}

// Computed by hand after the specification's text and pictures.
static const struct {
    const char *name;
    enum lull_tess_domain domain;
    enum lull_tess_spacing spacing;
    struct lull_tess_levels levels;
    uint32_t npoints, nprimitives;
    struct lull_tess_point has[4]; // Points that are there.
} rows[] = {
    {"a whole triangle",
     LULL_TESS_TRIANGLES,
     LULL_TESS_EQUAL,
     {{1, 1, 1}, {1}},
     3,
     1,
     {{0, 1}, {0, 0}, {1, 0}, {0, 0}}},
    {"a whole triangle, odd",
     LULL_TESS_TRIANGLES,
     LULL_TESS_FRACTIONAL_ODD,
     {{1, 1, 1}, {1}},
     3,
     1,
     {{0, 1}, {0, 0}, {1, 0}, {0, 0}}},
    {"a whole quad",
     LULL_TESS_QUADS,
     LULL_TESS_EQUAL,
     {{1, 1, 1, 1}, {1, 1}},
     4,
     2,
     {{0, 1}, {0, 0}, {1, 0}, {1, 1}}},
    {"levels below 1 are 1",
     LULL_TESS_QUADS,
     LULL_TESS_EQUAL,
     {{.1F, .5F, .9F, 1e-40F}, {0, -1}},
     4,
     2,
     {{0, 1}, {0, 0}, {1, 0}, {1, 1}}},
    {"even: levels below 2 are 2",
     LULL_TESS_QUADS,
     LULL_TESS_FRACTIONAL_EVEN,
     {{1, 1, 1, 1}, {1, 1}},
     9,
     8,
     {{0, .5F}, {.5F, 0}, {.5F, .5F}, {1, .5F}}},
    {"an inner level that is not a number is the lowest",
     LULL_TESS_QUADS,
     LULL_TESS_FRACTIONAL_EVEN,
     {{1, 1, 1, 1}, {NAN, NAN}},
     9,
     8,
     {{0, .5F}, {.5F, 0}, {.5F, .5F}, {1, .5F}}},
    {"inner 1, one side split: a point in the middle",
     LULL_TESS_TRIANGLES,
     LULL_TESS_EQUAL,
     {{2, 1, 1}, {1}},
     5,
     4,
     {{0, .5F}, {0, 0}, {1, 0}, {0, 1}}},
    {"inner 2 of a triangle: three triangles",
     LULL_TESS_TRIANGLES,
     LULL_TESS_EQUAL,
     {{1, 1, 1}, {2}},
     4,
     3,
     {{0, 1}, {0, 0}, {1, 0}, {0, 0}}},
    {"inner 4 by 2 of a quad",
     LULL_TESS_QUADS,
     LULL_TESS_EQUAL,
     {{2, 4, 2, 4}, {4, 2}},
     15,
     16,
     {{.25F, .5F}, {.5F, .5F}, {.75F, .5F}, {.25F, 0}}},
    {"rounded up",
     LULL_TESS_QUADS,
     LULL_TESS_EQUAL,
     {{1.5F, 3.1F, 2, 3.9F}, {3.01F, 1.2F}},
     15,
     16,
     {{.25F, .5F}, {.5F, .5F}, {.75F, .5F}, {.25F, 0}}},
    {"rounded up from hardly more than 1",
     LULL_TESS_ISOLINES,
     LULL_TESS_EQUAL,
     {{1.000001F, 1.000001F}, {0}},
     6,
     4,
     {{0, 0}, {.5F, .5F}, {1, 0}, {1, .5F}}},
    {"the most of a quad",
     LULL_TESS_QUADS,
     LULL_TESS_EQUAL,
     {{64, 65, 1e30F, INFINITY}, {64, INFINITY}},
     LULL_TESS_POINTS_MAX,
     8192,
     {{.25F, .25F}, {.5F, .5F}, {.75F, .5F}, {.015625F, 0.984375F}}},
    {"three lines of two parts",
     LULL_TESS_ISOLINES,
     LULL_TESS_EQUAL,
     {{3, 2}, {0}},
     9,
     6,
     {{0, 0}, {.5F, 0}, {1, 0}, {1, 0}}},
    {"lines are never fractional",
     LULL_TESS_ISOLINES,
     LULL_TESS_FRACTIONAL_EVEN,
     {{2.5F, 1}, {0}},
     9,
     6,
     {{0, 0}, {.5F, 0}, {1, 0}, {1, 0}}},
    {"culled by 0", LULL_TESS_TRIANGLES, LULL_TESS_EQUAL, {{1, 0, 1}, {1}}, 0, 0, {{0, 0}}},
    {"culled by less", LULL_TESS_QUADS, LULL_TESS_EQUAL, {{1, 1, 1, -1}, {1, 1}}, 0, 0, {{0, 0}}},
    {"culled by what is not a number",
     LULL_TESS_QUADS,
     LULL_TESS_FRACTIONAL_ODD,
     {{NAN, 1, 1, 1}, {1, 1}},
     0,
     0,
     {{0, 0}}},
    {"no lines", LULL_TESS_ISOLINES, LULL_TESS_EQUAL, {{0, 2}, {0}}, 0, 0, {{0, 0}}},
    {"a triangle has no fourth level",
     LULL_TESS_TRIANGLES,
     LULL_TESS_EQUAL,
     {{1, 1, 1, 0}, {1}},
     3,
     1,
     {{0, 1}, {0, 0}, {1, 0}, {0, 0}}},
};

static bool has(const struct patch *p, struct lull_tess_point want)
{
    for (uint32_t i = 0; i < p->plan.npoints; i++) {
        if (near(fixed(p->point[i].u), fixed(want.u)) &&
            near(fixed(p->point[i].v), fixed(want.v))) {
            return true;
        }
    }
    return p->plan.npoints == 0;
}

static void by_hand(void)
{
    static struct patch p;
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        p.mode = (struct lull_tess_mode){
            rows[i].domain, rows[i].spacing,
            rows[i].domain == LULL_TESS_ISOLINES ? LULL_TESS_LINES : LULL_TESS_COUNTERCLOCKWISE};
        p.levels = rows[i].levels;
        tessellate(&p);
        const unsigned corners = p.mode.domain == LULL_TESS_ISOLINES ? 2 : 3;
        bool ok =
            p.plan.npoints == rows[i].npoints && p.plan.nindices == rows[i].nprimitives * corners;
        for (unsigned k = 0; k < TEST_ROWS(rows[i].has); k++) {
            ok &= has(&p, rows[i].has[k]);
        }
        test_case(ok, rows[i].name, "%u points (%u wanted), %u indices (%u primitives wanted)",
                  p.plan.npoints, rows[i].npoints, p.plan.nindices, rows[i].nprimitives);
    }
}

int main(int argc, char **argv)
{
    const uint32_t seed = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 1;
    printf("# seed %" PRIu32 "\n", seed);
    by_hand();
    points();
    surfaces(seed);
    isolines(seed);
    return test_end();
}
