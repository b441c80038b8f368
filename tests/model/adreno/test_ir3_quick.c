// SPDX-License-Identifier: MIT
// Rows by the host's floating-point unit are, bit for bit, what the rows of ir3.sem compute with
// model/fp, on random values, in place, or leave them alone: test_ir3_quick [SEED].
#include <inttypes.h>
#include <stdlib.h>

#include "model/adreno/exec/alu.h"
#include "model/fp/fp.h"
#include "test.h"

enum { FIBERS = 32, ROUNDS = 4000 };

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 24;
}

/** Zeros, denormals, the least and greatest numbers, infinities, now and then a NaN. */
static uint32_t number(uint64_t *seed)
{
    static const uint32_t exponents[] = {0, 0, 1, 2, 24, 63, 64, 126, 127, 128, 150, 190, 253, 254};
    const uint64_t v = next(seed);
    const uint32_t sign = (uint32_t)(v & 1) << 31, kind = v >> 1 & 63;
    const uint32_t fraction = (uint32_t)(v >> 8) & 0x7fffff;
    const uint32_t exponent = exponents[next(seed) % TEST_ROWS(exponents)];
    return kind == 0   ? sign | 0x7f800000 | (next(seed) % 4 == 0 ? fraction : 0)
           : kind < 6  ? sign | exponent << 23
           : kind < 20 ? sign | (uint32_t)(next(seed) % 255) << 23 | fraction
                       : sign | exponent << 23 | fraction;
}

/** A half of the same kinds. */
static uint32_t half(uint64_t *seed)
{
    static const uint32_t exponents[] = {0, 0, 1, 2, 5, 14, 15, 16, 24, 25, 26, 29, 30};
    const uint64_t v = next(seed);
    const uint32_t sign = (uint32_t)(v & 1) << 15, kind = v >> 1 & 63;
    const uint32_t fraction = (uint32_t)(v >> 8) & 0x3ff;
    const uint32_t exponent = exponents[next(seed) % TEST_ROWS(exponents)];
    return kind == 0   ? sign | 0x7c00 | (next(seed) % 4 == 0 ? fraction : 0)
           : kind < 20 ? sign | exponent << 10
                       : sign | exponent << 10 | fraction;
}

static uint32_t value(uint64_t *seed, unsigned type, bool nans)
{
    switch (type) {
    case LULL_IR3_TYPE_F32:
        for (;;) {
            const uint32_t v = number(seed);
            if (nans || (v & 0x7fffffff) <= 0x7f800000) {
                return v;
            }
        }
    case LULL_IR3_TYPE_F16:
        for (;;) {
            const uint32_t v = half(seed);
            if (nans || (v & 0x7fff) <= 0x7c00) {
                return v;
            }
        }
    default: {
        const uint32_t v = (uint32_t)next(seed) >> (next(seed) % 32);
        const uint32_t w = next(seed) % 4 == 0 ? 0 - v : v;
        return lull_ir3_type_bits(type) == 32 ? w : w & 0xffff;
    }
    }
}

/** Modifiers, and fibers of which a half have a NaN somewhere. */
static void fill(struct lull_ir3_alu_in *x, uint32_t v[3][FIBERS], unsigned type, uint64_t *seed)
{
    const bool nans = next(seed) % 2 == 0;
    const uint64_t bits = next(seed);
    x->cond = (uint32_t)(bits % 6);
    x->round = bits >> 3 & 3;
    x->sat = bits >> 5 & 1;
    x->ei = bits >> 6 & 1;
    x->mixed = bits >> 7 & 1;
    x->high = bits >> 8 & 1;
    x->fused = bits >> 9 & 1;
    for (unsigned k = 0; k < 3 * FIBERS; k++) {
        v[k / FIBERS][k % FIBERS] = value(seed, type, nans);
    }
}

/** @return How often the host said it. @p rounds: MODE's, but for the first in which it differs. */
static unsigned check(const struct lull_ir3_alu_row *row, uint64_t first, bool *good)
{
    uint32_t v[3][FIBERS] = {{0}}, got[FIBERS] = {0}, want[FIBERS] = {0};
    struct lull_ir3_alu_in x = {.a = v[0], .b = v[1], .c = v[2], .n = FIBERS};
    uint64_t seed = first;
    unsigned quick = 0, i = 0;
    for (unsigned n = 0; *good && n < ROUNDS; n++) {
        const uint32_t r = n % 8 == 0 ? (uint32_t)next(&seed) & 3 : 0;
        x.mode = LULL_FP_DX10_CLAMP | r << LULL_FP_ROUND_F32_SHIFT | r << LULL_FP_ROUND_F64_SHIFT;
        fill(&x, v, row->source, &seed);
        row->fn(&x, want);
        // In place, as waves do it.
        for (i = 0; i < FIBERS; i++) {
            got[i] = v[n % 3][i];
        }
        x.a = n % 3 == 0 ? got : v[0], x.b = n % 3 == 1 ? got : v[1], x.c = n % 3 == 2 ? got : v[2];
        const bool done = lull_ir3_alu_quick(row, &x, got);
        quick += done;
        for (i = 0; *good && i < FIBERS; i++) {
            *good = got[i] == (done ? want[i] : v[n % 3][i]);
        }
        x.a = v[0], x.b = v[1], x.c = v[2];
    }
    i -= i > 0;
    if (!*good) {
        test_case(false, lull_ir3_op_names[row->op],
                  "types %u to %u, seed %" PRIu64
                  ": %#x %#x %#x got %#x want %#x, mode %#x round %u",
                  row->source, row->result, first, v[0][i], v[1][i], v[2][i], got[i], want[i],
                  x.mode, x.round);
    }
    return quick;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned able = 0, often = 0;
    for (unsigned i = 0; i < lull_ir3_nalu_rows; i++) {
        bool good = true;
        const unsigned quick = check(&lull_ir3_alu_rows[i], seed + i, &good);
        able += quick > 0;
        often += quick > ROUNDS / 4;
    }
    // Not: functions of halves that are done in f32 one by one, sines and cosines.
    test_case(able > 120 && often > 110 && able < lull_ir3_nalu_rows, "rows that the host can do",
              "%u, often %u, of %u", able, often, lull_ir3_nalu_rows);
    return test_end();
}
