// SPDX-License-Identifier: MIT
// Rounding with LULL_FP_PROBE.
#include "model/fp/fp_core.h"

/** What rounding raises: operands as those of lull_fp_round_to(). */
static uint32_t rounding(struct lull_fp_format f, bool sign, int32_t exp, uint64_t sig, unsigned rm,
                         uint32_t m)
{
    const unsigned shift = 62 - f.mant;
    const uint64_t below = ((uint64_t)1 << shift) - 1;
    const int32_t bias = (1 << (f.ebits - 1)) - 1, emin = 1 - bias;
    if (exp < emin) {
        const bool keep = m >> f.denorm_shift & 2;
        const bool exact = keep && (lull_fp_jam(sig, (unsigned)(emin - exp)) & below) == 0;
        return LULL_EXCP_UNDERFLOW | (exact ? 0 : LULL_EXCP_INEXACT);
    }
    exp += lull_fp_shift_round(sig, shift, sign, rm) >> (f.mant + 1) != 0;
    if (exp > bias) {
        return LULL_EXCP_OVERFLOW | LULL_EXCP_INEXACT;
    }
    return (sig & below) != 0 ? LULL_EXCP_INEXACT : 0;
}

uint64_t lull_fp_probed(struct lull_fp_format f, bool sign, int32_t exp, uint64_t sig, unsigned rm,
                        uint32_t m)
{
    m &= ~LULL_FP_PROBE;
    return lull_fp_round_to(f, sign, exp, sig, rm, m) ^ rounding(f, sign, exp, sig, rm, m);
}
