// SPDX-License-Identifier: MIT
/** @file
 * Reference results for the float tests: MPFR computes, with the target's precision, exponent
 * range and rounding direction; only flushing and NaN rules are written out here.
 */
#ifndef LULL_TEST_FP_REF_H
#define LULL_TEST_FP_REF_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Format: total bits, mantissa bits, and the MODE shifts of rounding and denormals. */
struct ref_format {
    unsigned bits, mant, round, denorm;
};

static const struct ref_format ref16 = {16, 10, 2, 6};
static const struct ref_format ref32 = {32, 23, 0, 4};
static const struct ref_format ref64 = {64, 52, 2, 6};

static inline uint64_t ref_sign(struct ref_format f)
{
    return (uint64_t)1 << (f.bits - 1);
}

static inline int ref_bias(struct ref_format f)
{
    return (1 << (f.bits - f.mant - 2)) - 1;
}

static inline uint64_t ref_inf(struct ref_format f)
{
    return (uint64_t)(2 * ref_bias(f) + 1) << f.mant;
}

static inline bool ref_is_nan(struct ref_format f, uint64_t a)
{
    return (a & (ref_sign(f) - 1)) > ref_inf(f);
}

static inline uint64_t ref_nan(struct ref_format f)
{
    return ref_sign(f) | ref_inf(f) | (uint64_t)1 << (f.mant - 1);
}

static inline mpfr_rnd_t ref_round(struct ref_format f, uint32_t mode)
{
    static const mpfr_rnd_t rnd[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
    return rnd[mode >> f.round & 3];
}

/** The operand as the operation sees it: denormals flushed by MODE. */
static inline uint64_t ref_operand(struct ref_format f, uint64_t a, uint32_t mode)
{
    bool denormal = (a & (ref_sign(f) - 1)) < (uint64_t)1 << f.mant;
    return denormal && !(mode >> f.denorm & 1) ? a & ref_sign(f) : a;
}

/** @p r = value of the bits, exactly; @p r has at least 53 bits. */
static inline void ref_set(mpfr_t r, struct ref_format f, uint64_t a)
{
    int e = (int)((a & (ref_sign(f) - 1)) >> f.mant);
    double m = (double)(a & (((uint64_t)1 << f.mant) - 1));
    double v = e ? ldexp(m + ldexp(1, (int)f.mant), e - ref_bias(f) - (int)f.mant)
                 : ldexp(m, 1 - ref_bias(f) - (int)f.mant);
    if (a & ref_sign(f)) {
        v = -v;
    }
    mpfr_set_d(r, v, MPFR_RNDN);
    if ((a & (ref_sign(f) - 1)) == ref_inf(f)) {
        mpfr_set_inf(r, a & ref_sign(f) ? -1 : 1);
    }
}

/** Bits of @p r, which the format can represent. */
static inline uint64_t ref_bits(struct ref_format f, mpfr_t r)
{
    uint64_t sign = mpfr_signbit(r) ? ref_sign(f) : 0;
    if (mpfr_nan_p(r)) {
        return ref_nan(f);
    }
    if (mpfr_inf_p(r)) {
        return sign | ref_inf(f);
    }
    if (mpfr_zero_p(r)) {
        return sign;
    }
    double v = fabs(mpfr_get_d(r, MPFR_RNDN));
    int e = 0;
    frexp(v, &e);
    int biased = e - 1 + ref_bias(f);
    if (biased < 1) {
        return sign | (uint64_t)ldexp(v, ref_bias(f) - 1 + (int)f.mant);
    }
    uint64_t mant = (uint64_t)ldexp(v, (int)f.mant - (e - 1));
    return sign | (uint64_t)biased << f.mant | (mant & (((uint64_t)1 << f.mant) - 1));
}

/** r = operation on a, b, c, rounded to r's precision; returns MPFR's ternary value. */
typedef int ref_op(mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c, mpfr_rnd_t rnd);

/** Bits of op(a, b, c) in format @p to. Denormal results: kept, or zero. */
static inline uint64_t ref_apply(struct ref_format to, ref_op *op, const mpfr_t a, const mpfr_t b,
                                 const mpfr_t c, mpfr_rnd_t rnd, bool keep)
{
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t r;
    mpfr_init2(r, to.mant + 1);
    int t = op(r, a, b, c, rnd); // Exponent unlimited.
    bool tiny = mpfr_regular_p(r) && mpfr_get_exp(r) < 2 - ref_bias(to);
    bool sign = mpfr_signbit(r);
    mpfr_set_emin(1 - ref_bias(to) - (int)to.mant + 1);
    mpfr_set_emax(ref_bias(to) + 1);
    t = mpfr_check_range(r, t, rnd);
    mpfr_subnormalize(r, t, rnd);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    uint64_t v = ref_bits(to, r);
    mpfr_clear(r);
    return tiny && !keep ? (sign ? ref_sign(to) : 0) : v;
}

/** The same from and to bit patterns of one format; NaN operands are not for here. */
static inline uint64_t ref_compute(struct ref_format f, ref_op *op, const uint64_t s[3],
                                   uint32_t mode)
{
    mpfr_t v[3];
    for (unsigned i = 0; i < 3; i++) {
        mpfr_init2(v[i], 64);
        ref_set(v[i], f, ref_operand(f, s[i], mode));
    }
    uint64_t r = ref_apply(f, op, v[0], v[1], v[2], ref_round(f, mode), mode >> f.denorm & 2);
    for (unsigned i = 0; i < 3; i++) {
        mpfr_clear(v[i]);
    }
    return r;
}

/** splitmix64. */
static inline uint64_t ref_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/** A number of the format that is often special: few bits, near a power, edge exponents. */
static inline uint64_t ref_number(struct ref_format f, uint64_t *seed)
{
    uint64_t r = ref_random(seed), how = r >> 60;
    uint64_t all = f.bits == 64 ? UINT64_MAX : ((uint64_t)1 << f.bits) - 1;
    uint64_t mant = ((uint64_t)1 << f.mant) - 1;
    uint64_t v = ref_random(seed) & all;
    int bias = ref_bias(f);
    if (how < 4) { // Near 1, so that sums cancel and products round.
        uint64_t e = (uint64_t)(bias + (int)(r % 17) - 8);
        v = (v & (ref_sign(f) | mant)) | e << f.mant;
    } else if (how < 6) { // Few bits set.
        v &= ~mant | 0x7u | (uint64_t)7 << (f.mant - 3);
    } else if (how < 7) { // Near the end of the range.
        v = (v & (ref_sign(f) | mant)) | (uint64_t)(2 * bias - (int)(r % 3)) << f.mant;
    } else if (how < 9) { // Denormal, or nearly.
        v &= ref_sign(f) | (mant << 1 | 1);
    } else if (how < 10) {
        uint64_t edge[] = {0, ref_inf(f), ref_inf(f) - 1, (uint64_t)1 << f.mant};
        v = edge[r & 3] | (v & ref_sign(f));
    }
    return v;
}

/** As ref_number(), but no NaN. */
static inline uint64_t ref_finite(struct ref_format f, uint64_t *seed)
{
    uint64_t v = 0;
    do {
        v = ref_number(f, seed);
    } while (ref_is_nan(f, v));
    return v;
}

/** MODE with any rounding and denormals. */
static inline uint32_t ref_mode(uint64_t *seed)
{
    return (uint32_t)ref_random(seed) & 0xff;
}

#endif
