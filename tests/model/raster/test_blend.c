// SPDX-License-Identifier: MIT
// Blending against the tables of Vulkan 1.3, 27.1, computed in doubles; logic operations against
// those of 27.2, bit by bit.
#include "model/raster/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { FACTORS = LULL_RASTER_F_ONE_MINUS_CONSTANT_ALPHA + 1, COMBINES = 5, RANGES = 3 };

static double limit(unsigned range, double v)
{
    return range == LULL_RASTER_ANY ? v : fmin(fmax(v, range == LULL_RASTER_UNORM ? 0 : -1), 1);
}

/** Table 39, "Blend Factors": the value whose factor it is, which component, and whether 1 minus.
 * 's', 't' (the second source), 'd', 'c'; '0': none. */
static const struct {
    char value;
    bool alpha, rest;
} table[FACTORS] = {
    [LULL_RASTER_F_ZERO] = {'0', false, false},
    [LULL_RASTER_F_ONE] = {'0', false, true},
    [LULL_RASTER_F_SRC] = {'s', false, false},
    [LULL_RASTER_F_ONE_MINUS_SRC] = {'s', false, true},
    [LULL_RASTER_F_DST] = {'d', false, false},
    [LULL_RASTER_F_ONE_MINUS_DST] = {'d', false, true},
    [LULL_RASTER_F_SRC_ALPHA] = {'s', true, false},
    [LULL_RASTER_F_ONE_MINUS_SRC_ALPHA] = {'s', true, true},
    [LULL_RASTER_F_DST_ALPHA] = {'d', true, false},
    [LULL_RASTER_F_ONE_MINUS_DST_ALPHA] = {'d', true, true},
    [LULL_RASTER_F_CONSTANT] = {'c', false, false},
    [LULL_RASTER_F_ONE_MINUS_CONSTANT] = {'c', false, true},
    [LULL_RASTER_F_CONSTANT_ALPHA] = {'c', true, false},
    [LULL_RASTER_F_ONE_MINUS_CONSTANT_ALPHA] = {'c', true, true},
    [LULL_RASTER_F_SRC_ALPHA_SATURATE] = {'m', false, false},
    [LULL_RASTER_F_SRC1] = {'t', false, false},
    [LULL_RASTER_F_ONE_MINUS_SRC1] = {'t', false, true},
    [LULL_RASTER_F_SRC1_ALPHA] = {'t', true, false},
    [LULL_RASTER_F_ONE_MINUS_SRC1_ALPHA] = {'t', true, true},
};

struct colors {
    float src[4], src1[4], dst[4], constant[4];
};

static double value_of(const struct colors *x, unsigned range, char which, unsigned c)
{
    const float *v = which == 's'   ? x->src
                     : which == 't' ? x->src1
                     : which == 'd' ? x->dst
                                    : x->constant;
    return which == '0' ? 0 : limit(range, (double)v[c]);
}

static double factor(const struct colors *x, unsigned range, unsigned f, unsigned c)
{
    if (table[f].value == 'm') {
        return c == 3
                   ? 1
                   : limit(range, fmin(value_of(x, range, 's', 3), 1 - value_of(x, range, 'd', 3)));
    }
    const double v = value_of(x, range, table[f].value, table[f].alpha ? 3 : c);
    return limit(range, table[f].rest ? 1 - v : v);
}

static double blended(const struct colors *x, const struct lull_raster_blend *b, unsigned c)
{
    const unsigned part = c < 3 ? 0 : 1;
    const double s = value_of(x, b->range, 's', c), d = value_of(x, b->range, 'd', c);
    const double fs = factor(x, b->range, b->src[part], c);
    const double fd = factor(x, b->range, b->dst[part], c);
    const double by[COMBINES] = {
        [LULL_RASTER_ADD] = s * fs + d * fd,
        [LULL_RASTER_SUBTRACT] = s * fs - d * fd,
        [LULL_RASTER_REVERSE_SUBTRACT] = d * fd - s * fs,
        [LULL_RASTER_MIN] = fmin(s, d),
        [LULL_RASTER_MAX] = fmax(s, d),
    };
    return limit(b->range, by[b->op[part]]);
}

static uint32_t state = 1;

static uint32_t next(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/** Mostly 0 to 1, some beyond, some exact. */
static void fill(float v[4])
{
    static const float exact[] = {0, 1, 0.5f, -0.5f, -1.0f, 2.0f, -3.0f, 0.25f};
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t r = next();
        v[i] = r % 4 == 0 ? exact[r / 4 % 8] : (float)(next() % 4096) / 3072.0f - 0.125f;
    }
}

static void test_range(unsigned range, const char *name)
{
    unsigned bad = 0;
    char first[160] = "";
    for (unsigned i = 0; i < FACTORS * FACTORS * COMBINES * 8; i++) {
        struct colors x;
        fill(x.src);
        fill(x.src1);
        fill(x.dst);
        fill(x.constant);
        struct lull_raster_blend b = {.on = true, .range = (uint8_t)range};
        b.src[0] = (uint8_t)(i % FACTORS);
        b.dst[0] = (uint8_t)(i / FACTORS % FACTORS);
        b.op[0] = (uint8_t)(i / FACTORS / FACTORS % COMBINES);
        b.src[1] = (uint8_t)(next() % FACTORS);
        b.dst[1] = (uint8_t)(next() % FACTORS);
        b.op[1] = (uint8_t)(next() % COMBINES);
        memcpy(b.constant, x.constant, sizeof b.constant);
        float ret[4] = {0};
        lull_raster_blend(&b, x.src, x.src1, x.dst, ret);
        for (unsigned c = 0; c < 4; c++) {
            const double want = blended(&x, &b, c);
            if (fabs((double)ret[c] - want) > 0x1p-20 && bad++ == 0) {
                snprintf(first, sizeof first, "component %u, %u %u %u: %g, want %g", c,
                         b.src[c == 3], b.op[c == 3], b.dst[c == 3], (double)ret[c], want);
            }
        }
    }
    test_case(bad == 0, name, "%u wrong; the first: %s", bad, first);
}

/** By hand: what programs use most, exactly. */
static void test_rows(void)
{
    static const struct {
        const char *name;
        struct lull_raster_blend b;
        struct colors x;
        float want[4];
    } rows[] = {
        {"alpha over",
         {.on = true, .src = {4, 1}, .dst = {5, 5}, .range = LULL_RASTER_UNORM},
         {{1, 0.5f, 0, 0.25f}, {0}, {0, 1, 0.5f, 1}, {0}},
         {0.25f, 0.875f, 0.375f, 1}},
        {"additive, clamped",
         {.on = true, .src = {1, 1}, .dst = {1, 1}, .range = LULL_RASTER_UNORM},
         {{0.75f, 0.5f, 2, 0}, {0}, {0.75f, 0.25f, 0, 0}, {0}},
         {1, 0.75f, 1, 0}},
        {"additive, of floats",
         {.on = true, .src = {1, 1}, .dst = {1, 1}},
         {{0.75f, 0.5f, 2, -4}, {0}, {0.75f, 0.25f, 0, 1}, {0}},
         {1.5f, 0.75f, 2, -3}},
        {"off",
         {.on = false, .src = {4, 1}, .dst = {5, 5}, .range = LULL_RASTER_UNORM},
         {{1.5f, 0.5f, -1, 0.25f}, {0}, {0, 1, 0.5f, 1}, {0}},
         {1.5f, 0.5f, -1, 0.25f}},
        {"zero is of nothing, even of infinity",
         {.on = true, .src = {1, 1}, .dst = {0, 0}},
         {{1, 2, 3, 4}, {0}, {INFINITY, NAN, -INFINITY, 0}, {0}},
         {1, 2, 3, 4}},
        {"what is not a number is 0 in UNORM",
         {.on = true, .src = {1, 1}, .dst = {1, 1}, .range = LULL_RASTER_UNORM},
         {{NAN, 0.5f, NAN, 1}, {0}, {0.5f, NAN, NAN, 0}, {0}},
         {0.5f, 0.5f, 0, 1}},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        float ret[4] = {9, 9, 9, 9};
        const struct colors *x = &rows[i].x;
        lull_raster_blend(&rows[i].b, x->src, x->src1, x->dst, ret);
        test_case(memcmp(ret, rows[i].want, sizeof ret) == 0, rows[i].name, "%g %g %g %g",
                  (double)ret[0], (double)ret[1], (double)ret[2], (double)ret[3]);
    }
}

/** Table 41, "Logic Operations", as C. */
static uint32_t logic(unsigned row, uint32_t s, uint32_t d)
{
    const uint32_t of[16] = {0,        s & d,    s & ~d, s,      ~s & d, d,      s ^ d,    s | d,
                             ~(s | d), ~(s ^ d), ~d,     s | ~d, ~s,     ~s | d, ~(s & d), ~0u};
    return of[row];
}

static void test_logic(void)
{
    // VkLogicOp in its order, as the truth table of source and destination.
    static const uint8_t codes[16] = {0x0, 0x8, 0x4, 0xc, 0x2, 0xa, 0x6, 0xe,
                                      0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf};
    for (unsigned i = 0; i < 16; i++) {
        const uint32_t s = 0xf0cc3355, d = 0x0faa5533;
        const uint32_t got = lull_raster_logic(codes[i], s, d);
        char name[32];
        snprintf(name, sizeof name, "VkLogicOp %u", i);
        test_case(got == logic(i, s, d), name, "0x%08" PRIx32 ", want 0x%08" PRIx32, got,
                  logic(i, s, d));
    }
}

int main(int argc, char **argv)
{
    state = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 1;
    printf("# seed %" PRIu32 "\n", state);
    test_range(LULL_RASTER_ANY, "floats");
    test_range(LULL_RASTER_UNORM, "UNORM");
    test_range(LULL_RASTER_SNORM, "SNORM");
    test_rows();
    test_logic();
    return test_end();
}
