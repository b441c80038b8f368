// SPDX-License-Identifier: MIT
// Floats as bits: one rounding for each operation.
#include <math.h>
#include <string.h>

#include "front/arith.h"
#include "front/eval/priv.h"

enum { SINGLE_BITS = 32, WORD_BITS = 64 };

uint64_t lull_ev_cut(const struct lull_fr_type *t, uint64_t bits)
{
    const uint32_t n = t->kind == LULL_FR_BOOL ? 1 : t->bits;
    return n == 0 || n >= WORD_BITS ? bits : bits & ((UINT64_C(1) << n) - 1);
}

double lull_ev_float(const struct lull_fr_type *t, uint64_t bits)
{
    return lull_fr_float_value(t, bits);
}

uint64_t lull_ev_bits(const struct lull_fr_type *t, double v)
{
    return lull_fr_float_bits(t, v);
}

// Of floats with 24 bits or fewer, sums, products, quotients and roots in 53 bits, rounded again,
// are what one rounding gives.

uint64_t lull_ev_add(const struct lull_fr_type *t, uint64_t a, uint64_t b)
{
    return lull_ev_bits(t, lull_ev_float(t, a) + lull_ev_float(t, b));
}

uint64_t lull_ev_multiply(const struct lull_fr_type *t, uint64_t a, uint64_t b)
{
    return lull_ev_bits(t, lull_ev_float(t, a) * lull_ev_float(t, b));
}

uint64_t lull_ev_fma(const struct lull_fr_type *t, uint64_t a, uint64_t b, uint64_t c)
{
    const double x = lull_ev_float(t, a), y = lull_ev_float(t, b), z = lull_ev_float(t, c);
    return lull_ev_bits(t, t->bits == SINGLE_BITS ? (double)fmaf((float)x, (float)y, (float)z)
                                                  : fma(x, y, z));
}
