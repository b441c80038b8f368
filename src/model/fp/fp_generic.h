// SPDX-License-Identifier: MIT
/** @file
 * Operations that are the same for f16, f32 and f64: rounding to integers, exponents, classes,
 * comparison, output modifiers. fp.h says what they do; here is the format as a constant.
 */
#ifndef LULL_MODEL_FP_GENERIC_H
#define LULL_MODEL_FP_GENERIC_H

#include "model/fp/fp_core.h"

static inline uint64_t lull_fp_neg(struct lull_fp_format f, uint64_t a)
{
    return a ^ lull_fp_sign_bit(f);
}

/** a - b: as a + -b, but a NaN b keeps its sign. */
static inline uint64_t lull_fp_sub(struct lull_fp_format f, uint64_t a, uint64_t b, uint32_t m)
{
    return lull_fp_add(f, a, lull_fp_is_nan(f, b) ? b : lull_fp_neg(f, b), m);
}

/** Round to an integral value in direction @p rm. Zero results keep the sign. */
static inline uint64_t lull_fp_integral(struct lull_fp_format f, uint64_t a, unsigned rm,
                                        uint32_t m)
{
    if (lull_fp_is_nan(f, a)) {
        return lull_fp_quiet(f, a, m);
    }
    struct lull_fp_num n = lull_fp_unpack(f, a, m);
    uint64_t zero = n.sign ? lull_fp_sign_bit(f) : 0;
    if (n.kind == LULL_FP_ZERO) {
        return zero;
    }
    if (n.kind == LULL_FP_INF || n.exp >= (int32_t)f.mant) {
        return a;
    }
    uint64_t i = lull_fp_to_int(n, rm);
    return i ? lull_fp_norm_pack(f, n.sign, 62, i, m) : zero;
}

static inline uint64_t lull_fp_one(struct lull_fp_format f)
{
    return (((uint64_t)1 << (f.ebits - 1)) - 1) << f.mant;
}

static inline uint64_t lull_fp_fract(struct lull_fp_format f, uint64_t a, uint32_t m)
{
    if (lull_fp_is_nan(f, a)) {
        return lull_fp_quiet(f, a, m);
    }
    uint64_t inf = lull_fp_inf(f, false);
    if ((a & inf) == inf) {
        return (f.nan & ~lull_fp_sign_bit(f)) | (a & lull_fp_sign_bit(f));
    }
    uint64_t r = lull_fp_sub(f, a, lull_fp_integral(f, a, LULL_ROUND_DOWN, m), m);
    uint64_t one = lull_fp_one(f);
    // Rounded up to 1, which LULL_FP_PROBE shows as inexact.
    bool up = r == one || r == (one ^ LULL_EXCP_INEXACT);
    return up ? (one - 1) ^ (r ^ one) : r;
}

static inline uint64_t lull_fp_ldexp(struct lull_fp_format f, uint64_t a, int32_t e, uint32_t m)
{
    if (lull_fp_is_nan(f, a)) {
        return lull_fp_quiet(f, a, m);
    }
    struct lull_fp_num n = lull_fp_unpack(f, a, m);
    if (n.kind != LULL_FP_FINITE) {
        return lull_fp_flush_in(f, a, m);
    }
    const int32_t far = 1 << 13; // Beyond any exponent, small enough to add.
    e = e > far ? far : e < -far ? -far : e;
    return lull_fp_pack(f, n.sign, n.exp + e, n.sig, m);
}

static inline int32_t lull_fp_frexp_exp(struct lull_fp_format f, uint64_t a, uint32_t m)
{
    struct lull_fp_num n = lull_fp_unpack(f, a, m);
    return n.kind == LULL_FP_FINITE ? n.exp + 1 : 0;
}

static inline uint64_t lull_fp_frexp_mant(struct lull_fp_format f, uint64_t a, uint32_t m)
{
    if (lull_fp_is_nan(f, a)) {
        return lull_fp_quiet(f, a, m);
    }
    struct lull_fp_num n = lull_fp_unpack(f, a, m);
    return n.kind == LULL_FP_FINITE ? lull_fp_pack(f, n.sign, -1, n.sig, m)
                                    : lull_fp_flush_in(f, a, m);
}

/** Bit of enum lull_fp_cmp: 1 less, 2 equal, 4 greater, 8 unordered. */
static inline unsigned lull_fp_relation(struct lull_fp_format f, uint64_t a, uint64_t b, uint32_t m)
{
    if (lull_fp_is_nan(f, a) || lull_fp_is_nan(f, b)) {
        return 8;
    }
    a = lull_fp_flush_in(f, a, m);
    b = lull_fp_flush_in(f, b, m);
    int64_t x = lull_fp_key(f, a) + (int64_t)(a >> (f.mant + f.ebits) & 1); // -0 and +0 are both 0.
    int64_t y = lull_fp_key(f, b) + (int64_t)(b >> (f.mant + f.ebits) & 1);
    return x < y ? 1 : x > y ? 4 : 2;
}

static inline bool lull_fp_cmp(struct lull_fp_format f, uint64_t a, uint64_t b, unsigned op,
                               uint32_t m)
{
    return lull_fp_relation(f, a, b, m) & op;
}

static inline bool lull_fp_class(struct lull_fp_format f, uint64_t a, uint32_t mask)
{
    uint64_t inf = lull_fp_inf(f, false);
    uint64_t magnitude = a & (lull_fp_sign_bit(f) - 1);
    bool sign = a & lull_fp_sign_bit(f);
    unsigned bit = 0;
    if (magnitude > inf) {
        return mask >> (lull_fp_is_snan(f, a) ? 0 : 1) & 1;
    }
    if (magnitude == inf) {
        bit = 9;
    } else if (magnitude >= (uint64_t)1 << f.mant) {
        bit = 8;
    } else {
        bit = magnitude ? 7 : 6;
    }
    return mask >> (sign ? 11 - bit : bit) & 1;
}

static inline uint64_t lull_fp_clamp(struct lull_fp_format f, uint64_t a, uint32_t m)
{
    if (lull_fp_is_nan(f, a)) {
        return m & LULL_FP_DX10_CLAMP ? 0 : a;
    }
    if (a & lull_fp_sign_bit(f)) {
        return 0;
    }
    return a > lull_fp_one(f) ? lull_fp_one(f) : a;
}

static inline uint64_t lull_fp_omod(struct lull_fp_format f, uint64_t a, unsigned omod, uint32_t m)
{
    bool keep = m >> f.denorm_shift & 2;
    if (omod == 0 || keep || (m & LULL_FP_IEEE) || lull_fp_is_nan(f, a)) {
        return a;
    }
    uint64_t r = lull_fp_ldexp(f, a, omod == 3 ? -1 : (int32_t)omod, m);
    return (r & (lull_fp_sign_bit(f) - 1)) == 0 ? 0 : r;
}

static inline uint64_t lull_fp_out(struct lull_fp_format f, uint64_t a, unsigned omod, bool clamp,
                                   uint32_t m)
{
    a = lull_fp_omod(f, a, omod, m);
    return clamp ? lull_fp_clamp(f, a, m) : a;
}

/** v_med3. Source: RDNA3 ISA guide 16.9; its order of tests decides between zeros of both signs. */
static inline uint64_t lull_fp_med3(struct lull_fp_format f, uint64_t a, uint64_t b, uint64_t c,
                                    uint32_t m)
{
    if (lull_fp_is_nan(f, a) || lull_fp_is_nan(f, b) || lull_fp_is_nan(f, c)) {
        return lull_fp_minmax(f, lull_fp_minmax(f, a, b, false, m), c, false, m);
    }
    uint64_t top = lull_fp_minmax(f, lull_fp_minmax(f, a, b, true, m), c, true, m);
    if (lull_fp_relation(f, top, a, m) == 2) {
        return lull_fp_minmax(f, b, c, true, m);
    }
    return lull_fp_minmax(f, a, lull_fp_relation(f, top, b, m) == 2 ? c : b, true, m);
}

/** v_div_fixup: quotient @p q of n / d. Source: RDNA3 ISA guide 16.9; NaN @p q: tinygrad's tests.
 */
static inline uint64_t lull_fp_div_fixup(struct lull_fp_format f, uint64_t q, uint64_t d,
                                         uint64_t n, int32_t underflow, uint32_t m)
{
    bool sign = (d ^ n) & lull_fp_sign_bit(f);
    uint64_t sbit = sign ? lull_fp_sign_bit(f) : 0;
    uint64_t quiet = (uint64_t)1 << (f.mant - 1);
    if (lull_fp_is_nan(f, n)) {
        return n | quiet;
    }
    if (lull_fp_is_nan(f, d)) {
        return d | quiet;
    }
    struct lull_fp_num a = lull_fp_unpack(f, n, m);
    struct lull_fp_num b = lull_fp_unpack(f, d, m);
    if (a.kind != LULL_FP_FINITE && a.kind == b.kind) {
        return f.nan;
    }
    if (b.kind == LULL_FP_ZERO || a.kind == LULL_FP_INF) {
        return lull_fp_inf(f, sign);
    }
    if (b.kind == LULL_FP_INF || a.kind == LULL_FP_ZERO) {
        return sbit;
    }
    if (underflow && a.exp - b.exp < underflow) {
        return lull_fp_pack(f, sign, underflow, (uint64_t)1 << 62, m);
    }
    if (underflow && lull_fp_is_nan(f, q)) {
        return lull_fp_inf(f, sign);
    }
    q &= lull_fp_sign_bit(f) - 1;
    return sbit | lull_fp_flush_out(f, q, m);
}

/** How v_div_scale and v_div_fmas of a format work. */
struct lull_fp_div {
    int32_t scale; ///< Power of two to scale by.
    int32_t large; ///< Difference of exponents from which on a quotient is near overflow.
    int32_t tiny;  ///< Biased exponent up to which a numerator is tiny.
};

/** Biased exponent, below 1 for denormals. */
static inline int32_t lull_fp_biased(struct lull_fp_format f, struct lull_fp_num n)
{
    return n.exp + (1 << (f.ebits - 1)) - 1;
}

static inline uint64_t lull_fp_div_scale(struct lull_fp_format f, const struct lull_fp_div *k,
                                         const uint64_t s[3], uint32_t m, bool *vcc)
{
    struct lull_fp_num a = lull_fp_unpack(f, s[0], m);
    struct lull_fp_num d = lull_fp_unpack(f, s[1], m);
    struct lull_fp_num n = lull_fp_unpack(f, s[2], m);
    int32_t bias = (1 << (f.ebits - 1)) - 1;
    bool is_d = lull_fp_relation(f, s[0], s[1], m) == 2;
    bool is_n = lull_fp_relation(f, s[0], s[2], m) == 2;
    int32_t by = 0;
    *vcc = false;
    if (d.kind == LULL_FP_ZERO || n.kind == LULL_FP_ZERO) {
        *vcc = true;
        return f.nan;
    }
    if (a.kind != LULL_FP_FINITE || d.kind != LULL_FP_FINITE || n.kind != LULL_FP_FINITE) {
        *vcc = a.kind != LULL_FP_FINITE;
        return a.kind == LULL_FP_NAN ? lull_fp_quiet(f, s[0], m) : s[0];
    }
    bool small_quotient = n.exp - d.exp <= 1 - bias;
    bool small_reciprocal = d.exp >= bias - 1;
    if (n.exp - d.exp >= k->large) {
        *vcc = true;
        by = is_d ? k->scale : 0;
    } else if (small_reciprocal && small_quotient) {
        *vcc = true;
        by = is_d ? -k->scale : 0;
    } else if (small_reciprocal) {
        by = -k->scale;
    } else if (small_quotient) {
        *vcc = true;
        by = is_n ? k->scale : 0;
    } else if (lull_fp_biased(f, d) < 1 || lull_fp_biased(f, n) <= k->tiny) {
        by = k->scale;
    }
    return lull_fp_ldexp(f, s[0], by, m);
}

#endif
