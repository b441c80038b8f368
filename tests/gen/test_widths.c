// SPDX-License-Identifier: MIT
// C of the language of semantics tables (gen/lang): values of odd widths, slices, cat() of
// widths.sem, against remainders and products computed here.
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "test.h"
#include "widths.h"

enum { NROWS = 19, ROUNDS = 4000 };

struct row {
    const char *name;
    uint64_t got, want;
};

#define POWER(n) ((uint64_t)1 << (n))

static void compute(uint64_t a, uint64_t b, struct row rows[NROWS])
{
    const uint64_t a5 = a % 32, b5 = b % 32, a7 = a % 128, a18 = a % POWER(18), b18 = b % POWER(18);
    const uint64_t a33 = a % POWER(33), b33 = b % POWER(33), a32 = a % POWER(32), n = b % 64;
    const int8_t s8 = (int8_t)(a % 256 < 128 ? (int)(a % 256) : (int)(a % 256) - 256);
    const struct row made[NROWS] = {
        {"+ of u5", lull_w_add((uint32_t)a5, (uint32_t)b5), (a5 + b5) % 32},
        {"- of u33", lull_w_sub(a33, b33), (a33 + POWER(33) - b33) % POWER(33)},
        {"* of u18", lull_w_mul((uint32_t)a18, (uint32_t)b18), a18 * b18 % POWER(18)},
        {"-x of u18", lull_w_neg((uint32_t)a18), (POWER(18) - a18) % POWER(18)},
        {"~ of u33", lull_w_not(a33), POWER(33) - 1 - a33},
        {"<< of u7", lull_w_shl((uint32_t)a7, b % 4), a7 * POWER(b % 4) % 128},
        {"/ of u18", lull_w_div((uint32_t)a18), a18 / 7},
        {"< of u5", lull_w_less((uint32_t)a5, (uint32_t)b5), (a5 + 32 - b5) % 32 < b5},
        {"slice of u32", lull_w_slice((uint32_t)a32), a32 / 32 % POWER(18)},
        {"slice of u16", lull_w_slice_half((uint16_t)(a % POWER(16))), a % POWER(16) / POWER(11)},
        {"slice of i32", lull_w_slice_signed((int32_t)(uint32_t)a32), a32 / POWER(23)},
        {"slice of u64", lull_w_slice_wide(a), a / POWER(27) % POWER(24)},
        {"slice of one bit", lull_w_flag(a33), a33 / POWER(32)},
        {"bit()", lull_w_bit(a, (uint32_t)n), a / POWER(n) % 2},
        {"cat()", lull_w_cat((uint32_t)a7, b % 2, a33), (a7 * 2 + b % 2) * POWER(33) + a33},
        {"cat() of 64 bits", lull_w_cat_full((uint32_t)a32, (uint32_t)(b % POWER(32))),
         a32 * POWER(32) + b % POWER(32)},
        {"cast to u33", lull_w_cut(a), a33},
        {"cast of i8 to u33", lull_w_cut_signed(s8),
         s8 < 0 ? POWER(33) - (uint64_t)-s8 : (uint64_t)s8},
        {"u18 as i32", (uint64_t)(int64_t)lull_w_widen((uint32_t)a18), a18 - 1},
    };
    for (unsigned i = 0; i < NROWS; i++) {
        rows[i] = made[i];
    }
}

int main(void)
{
    struct row rows[NROWS], wrong[NROWS] = {0};
    uint64_t state = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t v[2];
        for (unsigned i = 0; i < 2; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            v[i] = round < 4 ? (round >> i & 1) * UINT64_MAX : state ^ state >> 29;
        }
        compute(v[0], v[1], rows);
        for (unsigned i = 0; i < NROWS; i++) {
            if (rows[i].got != rows[i].want) {
                wrong[i] = rows[i];
            }
        }
    }
    for (unsigned i = 0; i < NROWS; i++) {
        test_case(wrong[i].name == NULL, rows[i].name, "got %#" PRIx64 ", want %#" PRIx64,
                  wrong[i].got, wrong[i].want);
    }
    return test_end();
}
