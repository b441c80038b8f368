// SPDX-License-Identifier: MIT
// Depth bounds, stencil and depth of one sample, against the words of Vulkan 1.3, 26.10 to 26.12,
// written down a second time: all comparisons, all operations, all ways through the tests.
#include "model/raster/output.h"

#include <inttypes.h>
#include <math.h>

#include "test.h"

/** VkCompareOp, "the test evaluates A op B". */
static bool compare(unsigned op, double a, double b)
{
    switch (op) {
    case LULL_RASTER_NEVER:
        return false;
    case LULL_RASTER_LESS:
        return a < b;
    case LULL_RASTER_EQUAL:
        return a == b;
    case LULL_RASTER_LESS_EQUAL:
        return a <= b;
    case LULL_RASTER_GREATER:
        return a > b;
    case LULL_RASTER_NOT_EQUAL:
        return a != b;
    case LULL_RASTER_GREATER_EQUAL:
        return a >= b;
    default:
        return true;
    }
}

static const float depths[] = {0.0f, 0.25f, 0.5f, 0x1.fffffep-1f, 1.0f, -3.0f, 1e30f, NAN};
enum { DEPTHS = sizeof depths / sizeof depths[0] };

static bool same(float a, float b)
{
    return (isnan(a) && isnan(b)) || (a <= b && a >= b);
}

static void test_depth_compare(void)
{
    static const char *const names[8] = {
        "never", "less", "equal", "less or equal", "greater", "not equal", "greater or equal",
        "always"};
    for (unsigned op = 0; op < 8; op++) {
        unsigned bad = 0;
        for (unsigned i = 0; i < DEPTHS * DEPTHS * 4; i++) {
            const float z = depths[i / 4 % DEPTHS], was = depths[i / 4 / DEPTHS];
            const bool test = (i & 1) != 0, write = (i & 2) != 0;
            const struct lull_raster_depth_state s = {
                .depth_test = test, .depth_write = write, .compare = (uint8_t)op};
            struct lull_raster_depth at = {was, 7};
            const enum lull_raster_verdict v = lull_raster_test(&s, true, z, &at);
            const bool pass = !test || compare(op, (double)z, (double)was);
            bad += v != (pass ? LULL_RASTER_PASS : LULL_RASTER_FAIL_DEPTH);
            bad += !same(at.z, pass && test && write ? z : was) || at.stencil != 7;
        }
        test_case(bad == 0, names[op], "%u of %d depth tests are wrong", bad, DEPTHS * DEPTHS * 4);
    }
}

static void test_bounds(void)
{
    static const struct {
        const char *name;
        float was, lo, hi;
        bool pass;
    } rows[] = {
        {"inside the bounds", 0.5f, 0.25f, 0.75f, true},
        {"at the lower bound", 0.25f, 0.25f, 1, true},
        {"at the upper bound", 1, 0.25f, 1, true},
        {"below the bounds", 0.1f, 0.25f, 1, false},
        {"above the bounds", 0.8f, 0.25f, 0.75f, false},
        {"no depth is in the bounds", NAN, 0, 1, false},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        // What is tested is the depth in the buffer; nothing is changed if it fails.
        const struct lull_raster_depth_state s = {
            .depth_test = true,
            .depth_write = true,
            .stencil_test = true,
            .bounds_test = true,
            .compare = LULL_RASTER_ALWAYS,
            .bounds_min = rows[i].lo,
            .bounds_max = rows[i].hi,
            .front = {LULL_RASTER_ALWAYS, LULL_RASTER_ONES, LULL_RASTER_ONES, LULL_RASTER_ONES, 0,
                      0, 255, 255},
        };
        struct lull_raster_depth at = {rows[i].was, 3};
        const enum lull_raster_verdict v = lull_raster_test(&s, true, 0.9f, &at);
        test_case(v == (rows[i].pass ? LULL_RASTER_PASS : LULL_RASTER_FAIL_BOUNDS) &&
                      same(at.z, rows[i].pass ? 0.9f : rows[i].was) &&
                      at.stencil == (rows[i].pass ? 255 : 3),
                  rows[i].name, "verdict %d, depth %g, stencil %u", (int)v, (double)at.z,
                  at.stencil);
    }
}

/** VkStencilOp, and those that Vulkan has not, with any number to add. */
static int stencil_op(unsigned op, int old, int reference, int value)
{
    switch (op) {
    case LULL_RASTER_KEEP:
        return old;
    case LULL_RASTER_ZERO:
        return 0;
    case LULL_RASTER_ONES:
        return 255;
    case LULL_RASTER_REPLACE:
        return reference;
    case LULL_RASTER_REPLACE_VALUE:
        return value;
    case LULL_RASTER_ADD_CLAMP:
        return old + value > 255 ? 255 : old + value;
    case LULL_RASTER_SUB_CLAMP:
        return old - value < 0 ? 0 : old - value;
    case LULL_RASTER_INVERT:
        return 255 - old;
    case LULL_RASTER_ADD_WRAP:
        return (old + value) % 256;
    case LULL_RASTER_SUB_WRAP:
        return (old - value + 256) % 256;
    default:
        break;
    }
    // The rest by the bits' truth tables: 2 * old + value.
    static const uint8_t truth[] = {0x8, 0xe, 0x6, 0x7, 0x1, 0x9};
    int r = 0;
    for (int bit = 1; bit < 256; bit *= 2) {
        const int row = 2 * ((old / bit) % 2) + (value / bit) % 2;
        r += truth[op - LULL_RASTER_AND] >> row & 1 ? bit : 0;
    }
    return r;
}

static void test_stencil_ops(void)
{
    static const uint8_t values[] = {0, 1, 0x0f, 0x80, 0xa5, 0xff};
    static const uint8_t masks[] = {0xff, 0x00, 0x3c};
    for (unsigned op = LULL_RASTER_KEEP; op <= LULL_RASTER_XNOR; op++) {
        unsigned bad = 0;
        for (unsigned i = 0; i < 256 * 6 * 3 * 3; i++) {
            const uint8_t old = (uint8_t)i, value = values[i / 256 % 6];
            const uint8_t mask = masks[i / 256 / 6 % 3];
            const unsigned way = i / 256 / 6 / 3; // pass, depth fails, stencil fails
            struct lull_raster_depth_state s = {.stencil_test = true, .depth_test = true};
            s.compare = way == 1 ? LULL_RASTER_NEVER : LULL_RASTER_ALWAYS;
            s.back = (struct lull_raster_stencil){way == 2 ? LULL_RASTER_NEVER : LULL_RASTER_ALWAYS,
                                                  (uint8_t)(way == 2 ? op : LULL_RASTER_INVERT),
                                                  (uint8_t)(way == 1 ? op : LULL_RASTER_INVERT),
                                                  (uint8_t)(way == 0 ? op : LULL_RASTER_INVERT),
                                                  0x5a,
                                                  value,
                                                  0xff,
                                                  mask};
            struct lull_raster_depth at = {0.5f, old};
            const enum lull_raster_verdict v = lull_raster_test(&s, false, 0.5f, &at);
            static const enum lull_raster_verdict verdicts[] = {
                LULL_RASTER_PASS, LULL_RASTER_FAIL_DEPTH, LULL_RASTER_FAIL_STENCIL};
            int want = 0;
            for (int bit = 1; bit < 256; bit *= 2) {
                const int from = (mask & bit) != 0 ? stencil_op(op, old, 0x5a, value) : old;
                want += from & bit;
            }
            bad += v != verdicts[way] || at.stencil != want;
        }
        char name[32];
        snprintf(name, sizeof name, "stencil operation %u", op);
        test_case(bad == 0, name, "%u of %d are wrong", bad, 256 * 6 * 3 * 3);
    }
}

/** All comparisons of stencils, with masks, of either face. */
static void test_stencil_compare(void)
{
    static const uint8_t masks[] = {0xff, 0x0f, 0x80, 0x00};
    for (unsigned op = 0; op < 8; op++) {
        unsigned bad = 0;
        for (unsigned i = 0; i < 65536 * 4; i += 7) {
            const uint8_t old = (uint8_t)i, ref = (uint8_t)(i >> 8), mask = masks[i >> 16];
            const bool front = (i & 1) != 0;
            struct lull_raster_depth_state s = {.stencil_test = true};
            const struct lull_raster_stencil never = {.compare = LULL_RASTER_NEVER};
            const struct lull_raster_stencil f = {.compare = (uint8_t)op,
                                                  .fail = LULL_RASTER_ONES,
                                                  .pass = LULL_RASTER_ZERO,
                                                  .reference = ref,
                                                  .read_mask = mask,
                                                  .write_mask = 0xff};
            s.front = front ? f : never;
            s.back = front ? never : f;
            struct lull_raster_depth at = {0, old};
            const enum lull_raster_verdict v = lull_raster_test(&s, front, 0, &at);
            const bool pass = compare(op, ref & mask, old & mask);
            bad += v != (pass ? LULL_RASTER_PASS : LULL_RASTER_FAIL_STENCIL) ||
                   at.stencil != (pass ? 0 : 255);
        }
        char name[32];
        snprintf(name, sizeof name, "stencil comparison %u", op);
        test_case(bad == 0, name, "%u are wrong", bad);
    }
}

int main(void)
{
    test_depth_compare();
    test_bounds();
    test_stencil_ops();
    test_stencil_compare();
    return test_end();
}
