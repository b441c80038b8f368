// SPDX-License-Identifier: MIT
// Sums and products by the host's floating-point unit are, bit for bit, what the rows of ir3.sem
// compute with model/fp, on random values: test_ir3_quick [SEED].
#include <inttypes.h>
#include <stdlib.h>

#include "model/adreno/exec/alu.h"
#include "model/fp/fp.h"
#include "test.h"

enum { FIBERS = 8, ROUNDS = 20000 };

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

static bool any_nan(const uint32_t *v)
{
    bool nan = false;
    for (unsigned i = 0; i < FIBERS; i++) {
        nan |= (v[i] & 0x7fffffff) > 0x7f800000;
    }
    return nan;
}

static void check(const struct lull_ir3_alu_row *row, const char *name, uint64_t first)
{
    uint32_t v[3][FIBERS] = {{0}}, got[FIBERS] = {0}, want[FIBERS] = {0};
    const struct lull_ir3_alu_in x = {
        .a = v[0], .b = v[1], .c = v[2], .n = FIBERS, .mode = LULL_FP_DX10_CLAMP};
    uint64_t seed = first;
    unsigned quick = 0, i = 0;
    bool good = true;
    for (unsigned n = 0; good && n < ROUNDS; n++) {
        for (unsigned k = 0; k < 3 * FIBERS; k++) {
            v[k / FIBERS][k % FIBERS] = number(&seed);
        }
        row->fn(&x, want);
        // Without a NaN the host can say it, with one it must not.
        const bool done = lull_ir3_alu_quick(row, &x, got);
        quick += done;
        good = done == !any_nan(want);
        for (i = 0; good && done && i < FIBERS; i++) {
            good = got[i] == want[i];
        }
    }
    i -= i > 0;
    test_case(good, name, "seed %" PRIu64 ": %#x %#x %#x got %#x want %#x, %u done", first, v[0][i],
              v[1][i], v[2][i], got[i], want[i], quick);
    test_case(quick > ROUNDS / 4 && quick < ROUNDS, "both ways are taken", "%u of %u", quick,
              ROUNDS);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned n = 0;
    for (unsigned i = 0; i < lull_ir3_nalu_rows; i++) {
        const struct lull_ir3_alu_row *r = &lull_ir3_alu_rows[i];
        if (r->source == LULL_IR3_TYPE_F32 &&
            (r->op == LULL_IR3_OP_ADD_F || r->op == LULL_IR3_OP_MUL_F ||
             r->op == LULL_IR3_OP_MAD_F32)) {
            check(r, lull_ir3_op_names[r->op], seed + i);
            n++;
        }
    }
    test_case(n == 3, "rows", "%u", n);
    return test_end();
}
