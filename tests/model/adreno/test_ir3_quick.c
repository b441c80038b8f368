// SPDX-License-Identifier: MIT
// Rows by the host's floating-point unit are, bit for bit, what the rows of ir3.sem compute with
// model/fp, on random values, in place, or leave them alone: test_ir3_quick [SEED].
#include <inttypes.h>
#include <stdlib.h>

#include "model/adreno/exec/alu.h"
#include "model/fp/fp.h"
#include "test.h"

#include "ir3_values.h"

enum { FIBERS = 32, ROUNDS = 4000 };

/** Modifiers, and fibers of which a half have a NaN somewhere. */
static void fill(struct lull_ir3_alu_in *x, uint32_t v[3][FIBERS], unsigned type, uint64_t *seed)
{
    const bool nans = ir3_next(seed) % 2 == 0;
    const uint64_t bits = ir3_next(seed);
    x->cond = (uint32_t)(bits % 6);
    x->round = bits >> 3 & 3;
    x->sat = bits >> 5 & 1;
    x->ei = bits >> 6 & 1;
    x->mixed = bits >> 7 & 1;
    x->high = bits >> 8 & 1;
    x->fused = bits >> 9 & 1;
    for (unsigned k = 0; k < 3 * FIBERS; k++) {
        v[k / FIBERS][k % FIBERS] = ir3_value(seed, type, nans);
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
        const uint32_t r = n % 8 == 0 ? (uint32_t)ir3_next(&seed) & 3 : 0;
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
