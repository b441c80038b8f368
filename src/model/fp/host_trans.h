// SPDX-License-Identifier: MIT
/** @file
 * f32 functions in double on the host's floating-point unit, as gen/isa calls them in lane
 * loops: transcendentals, rounding to integers, minima of three, f16.
 *
 * Each gives what fp.h gives, or sets *bad: then the caller asks fp.h for all its lanes. Double is
 * good to 2^-44 of the result at least; a result so near the middle of two floats that this does
 * not decide is bad, and so are rare operands (NaN, negative logarithms, rounding not to nearest).
 * No branches, so that loops over these become vector instructions.
 */
#ifndef LULL_MODEL_AMD_EXEC_HOST_TRANS_H
#define LULL_MODEL_AMD_EXEC_HOST_TRANS_H

#include "model/fp/host.h"

#define LULL_EXP_MASK 0x7f800000u
#define LULL_SIGN 0x80000000u

/** Whether both kinds of rounding are to nearest even: 0 or -1. */
static inline int32_t lull_host_odd_round(uint32_t m)
{
    return -(int32_t)((m & 15) != 0);
}

static inline uint64_t lull_host_bits64(double f)
{
    uint64_t a = 0;
    memcpy(&a, &f, sizeof a);
    return a;
}

static inline double lull_host_double(uint64_t a)
{
    double f = 0;
    memcpy(&f, &a, sizeof f);
    return f;
}

/** a * b + c, rounded once or twice. */
static inline double lull_host_mad(double a, double b, double c)
{
#ifdef LULL_FP_HOST_FMA
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/** Whether @p r is so near the middle of two floats that an error of 2^-44 counts: 0 or -1. */
static inline int32_t lull_host_undecided(double r)
{
    enum { BELOW_F32 = 29, NEAR = 1 << 12 };
    const uint32_t low = (uint32_t)lull_host_bits64(r) & ((1u << BELOW_F32) - 1);
    return -(int32_t)(low - ((1u << (BELOW_F32 - 1)) - NEAR) < 2 * NEAR);
}

/** Whether @p a is denormal or zero: 0 or 1. */
static inline uint32_t lull_host_tiny(uint32_t a)
{
    return (a & LULL_EXP_MASK) == 0;
}

static inline uint32_t lull_host_denormal(uint32_t a)
{
    return (a & ~LULL_SIGN) - 1 < 0x007fffff;
}

/** Nearest integer of a double below 2^51, to nearest even. */
static inline double lull_host_nearest(double x)
{
    const double magic = 0x1.8p52;
    return (x + magic) - magic;
}

static inline uint32_t lull_host_f32_rcp(uint32_t a, uint32_t m, int32_t *bad)
{
    const uint32_t e = a & LULL_EXP_MASK;
    const double r = 1.0 / (double)lull_f32_value(e == 0 ? 0x3f800000 : a);
    // The reciprocals of what is above are denormal.
    *bad |= lull_host_odd_round(m) | -(int32_t)(e >= 0x7e000000);
    return lull_f32_pick(e == 0, (a & LULL_SIGN) | LULL_EXP_MASK, lull_f32_bits((float)r));
}

static inline uint32_t lull_host_f32_rcp_iflag(uint32_t a, uint32_t m, int32_t *bad)
{
    return lull_host_f32_rcp(a, m, bad);
}

static inline uint32_t lull_host_f32_sqrt(uint32_t a, uint32_t m, int32_t *bad)
{
    const bool zero = lull_host_tiny(a);
    const bool fits = a < LULL_EXP_MASK;
    const double r = __builtin_sqrt((double)lull_f32_value(lull_f32_pick(fits, a, 0x3f800000)));
    *bad |= lull_host_odd_round(m) | -(int32_t)(!fits & !zero);
    return lull_f32_pick(zero, a & LULL_SIGN, lull_f32_bits((float)r));
}

/**
 * 1 / sqrt(x) of a normal float, to 2^-50: halving the exponent gives it to 2^-4.8, each of two
 * steps of Newton's in float doubles the digits, one of Halley's in double makes them three times
 * as many. That is several times as quick as a root and a division in double.
 */
static inline double lull_host_inverse_root(uint32_t x)
{
    const uint32_t half_exponent = 0x5f375a86;
    const float f = lull_f32_value(x);
    float y = lull_f32_value(half_exponent - (x >> 1));
    y = y * (1.5f - 0.5f * (f * y * y));
    y = y * (1.5f - 0.5f * (f * y * y));
    const double d = (double)y, e = lull_host_mad(-(double)f * d, d, 1.0);
    return lull_host_mad(lull_host_mad(e, 0.375, 0.5) * e, d, d);
}

static inline uint32_t lull_host_f32_rsq(uint32_t a, uint32_t m, int32_t *bad)
{
    const bool fits = a - 0x00800000 < LULL_EXP_MASK - 0x00800000;
    const double r = lull_host_inverse_root(lull_f32_pick(fits, a, 0x3f800000));
    *bad |= lull_host_odd_round(m) | -(int32_t)!fits | lull_host_undecided(r);
    return lull_f32_bits((float)r);
}

/** 2^x: the nearest integer goes into the exponent, the rest into a Taylor polynomial. */
static inline uint32_t lull_host_f32_exp(uint32_t a, uint32_t m, int32_t *bad)
{
    const double magic = 0x1.8p52;
    const float x = lull_f32_value(a);
    const bool low = x < -126.0f, high = x >= 128.0f;
    const float y = lull_f32_value(lull_f32_pick(low | high | (x != x), 0, a));
    const double t = (double)y + magic;
    const double z = ((double)y - (t - magic)) * 0x1.62e42fefa39efp-1;
    double r = 1.0 / 479001600.0;
    r = lull_host_mad(r, z, 1.0 / 39916800.0);
    r = lull_host_mad(r, z, 1.0 / 3628800.0);
    r = lull_host_mad(r, z, 1.0 / 362880.0);
    r = lull_host_mad(r, z, 1.0 / 40320.0);
    r = lull_host_mad(r, z, 1.0 / 5040.0);
    r = lull_host_mad(r, z, 1.0 / 720.0);
    r = lull_host_mad(r, z, 1.0 / 120.0);
    r = lull_host_mad(r, z, 1.0 / 24.0);
    r = lull_host_mad(r, z, 1.0 / 6.0);
    r = lull_host_mad(r, z, 0.5);
    r = lull_host_mad(r, z, 1.0);
    r = lull_host_mad(r, z, 1.0);
    r = lull_host_double(lull_host_bits64(r) + (lull_host_bits64(t) << 52));
    *bad |= lull_host_odd_round(m) | -(int32_t)(x != x) | lull_host_undecided(r);
    return lull_f32_pick(low, 0, lull_f32_pick(high, LULL_EXP_MASK, lull_f32_bits((float)r)));
}

/** Base 2: the exponent, and 2 artanh((x - 1) / (x + 1)) / ln 2 of the mantissa. */
static inline uint32_t lull_host_f32_log(uint32_t a, uint32_t m, int32_t *bad)
{
    const bool zero = lull_host_tiny(a), fits = a - 0x00800000 < LULL_EXP_MASK - 0x00800000;
    const uint32_t x = lull_f32_pick(fits, a, 0x3f800000);
    // The exponent by which the mantissa is in [sqrt(1/2), sqrt(2)).
    const int32_t e = (int32_t)(x - 0x3f3504f3) >> 23;
    const double y = (double)lull_f32_value(x - ((uint32_t)e << 23));
    const double u = (y - 1.0) / (y + 1.0), z = u * u;
    double r = 1.0 / 21.0;
    r = lull_host_mad(r, z, 1.0 / 19.0);
    r = lull_host_mad(r, z, 1.0 / 17.0);
    r = lull_host_mad(r, z, 1.0 / 15.0);
    r = lull_host_mad(r, z, 1.0 / 13.0);
    r = lull_host_mad(r, z, 1.0 / 11.0);
    r = lull_host_mad(r, z, 1.0 / 9.0);
    r = lull_host_mad(r, z, 1.0 / 7.0);
    r = lull_host_mad(r, z, 1.0 / 5.0);
    r = lull_host_mad(r, z, 1.0 / 3.0);
    r = lull_host_mad(r, z, 1.0);
    r = r * u * 0x1.71547652b82fep1 + (double)e;
    *bad |= lull_host_odd_round(m) | -(int32_t)(!fits & !zero) |
            (lull_host_undecided(r) & -(int32_t)(x != 0x3f800000));
    return lull_f32_pick(zero, 0xff800000, lull_f32_bits((float)r));
}

/** Sine of @p t revolutions, at most a quarter. */
static inline double lull_host_sine(double t)
{
    const double x = t * 0x1.921fb54442d18p2, z = x * x;
    double r = 1.0 / 51090942171709440000.0;
    r = lull_host_mad(r, z, -1.0 / 121645100408832000.0);
    r = lull_host_mad(r, z, 1.0 / 355687428096000.0);
    r = lull_host_mad(r, z, -1.0 / 1307674368000.0);
    r = lull_host_mad(r, z, 1.0 / 6227020800.0);
    r = lull_host_mad(r, z, -1.0 / 39916800.0);
    r = lull_host_mad(r, z, 1.0 / 362880.0);
    r = lull_host_mad(r, z, -1.0 / 5040.0);
    r = lull_host_mad(r, z, 1.0 / 120.0);
    r = lull_host_mad(r, z, -1.0 / 6.0);
    return r * z * x + x;
}

/** @p a as a part of a revolution, within half of one. */
static inline double lull_host_turn(uint32_t a, uint32_t m, int32_t *bad)
{
    const bool fits = (a & ~LULL_SIGN) < 0x4b000000; // Below 2^23.
    const double x = (double)lull_f32_value(lull_f32_pick(fits & !lull_host_tiny(a), a, 0));
    *bad |= lull_host_odd_round(m) | -(int32_t)!fits;
    return x - lull_host_nearest(x);
}

static inline uint32_t lull_host_f32_sin(uint32_t a, uint32_t m, int32_t *bad)
{
    const double r = lull_host_turn(a, m, bad), q = lull_host_nearest(2 * r);
    const double t = r - 0.5 * q;
    const double s = lull_host_sine(t * (1.0 - 2 * q * q));
    // Results that are denormal would be flushed; turns below 2^-120 are left to fp.h.
    *bad |= lull_host_undecided(s) & -(int32_t)(t != 0);
    *bad |= -(int32_t)((a & ~LULL_SIGN) < 0x03800000 && !lull_host_tiny(a));
    return lull_f32_pick(t == 0, a & LULL_SIGN, lull_f32_bits((float)s));
}

static inline uint32_t lull_host_f32_cos(uint32_t a, uint32_t m, int32_t *bad)
{
    const double r = lull_host_turn(a, m, bad), t = 0.25 - __builtin_fabs(r);
    const double s = lull_host_sine(t);
    *bad |= lull_host_undecided(s) & -(int32_t)(t != 0.25 && t != -0.25) & -(int32_t)(t != 0);
    return lull_f32_bits((float)s);
}

/** Whether @p a is a NaN: 0 or -1. */
static inline int32_t lull_host_nan_bad(uint32_t a)
{
    return -(int32_t)lull_f32_is_nan(a);
}

/** Without an instruction for it the compiler rounds by adding, which MODE may disturb: 0 or -1. */
static inline int32_t lull_host_floor_bad(uint32_t m)
{
#ifdef LULL_FP_HOST_ROUNDS
    (void)m;
    return 0;
#else
    return lull_host_odd_round(m);
#endif
}

static inline uint32_t lull_host_f32_floor(uint32_t a, uint32_t m, int32_t *bad)
{
    a = lull_f32_flush(a, m >> LULL_FP_DENORM_F32_SHIFT & 1);
    *bad |= lull_host_nan_bad(a) | lull_host_floor_bad(m);
    return lull_f32_bits(__builtin_floorf(lull_f32_value(a)));
}

static inline uint32_t lull_host_f32_ceil(uint32_t a, uint32_t m, int32_t *bad)
{
    a = lull_f32_flush(a, m >> LULL_FP_DENORM_F32_SHIFT & 1);
    *bad |= lull_host_nan_bad(a) | lull_host_floor_bad(m);
    return lull_f32_bits(__builtin_ceilf(lull_f32_value(a)));
}

static inline uint32_t lull_host_f32_trunc(uint32_t a, uint32_t m, int32_t *bad)
{
    *bad |= lull_host_nan_bad(a) | lull_host_floor_bad(m);
    return lull_f32_bits(__builtin_truncf(lull_f32_value(a)));
}

static inline uint32_t lull_host_f32_rndne(uint32_t a, uint32_t m, int32_t *bad)
{
    *bad |= lull_host_nan_bad(a) | lull_host_odd_round(m);
    return lull_f32_bits(__builtin_nearbyintf(lull_f32_value(a)));
}

static inline uint32_t lull_host_f32_fract(uint32_t a, uint32_t m, int32_t *bad)
{
    const uint32_t below_one = 0x3f7fffff;
    a = lull_f32_flush(a, m >> LULL_FP_DENORM_F32_SHIFT & 1);
    const float x = lull_f32_value(a);
    const uint32_t r = lull_f32_bits(x - __builtin_floorf(x));
    *bad |= lull_host_odd_round(m) | -(int32_t)((a & LULL_EXP_MASK) == LULL_EXP_MASK) |
            -(int32_t)((m >> LULL_FP_DENORM_F32_SHIFT & 3) % 3 != 0);
    return lull_f32_pick(r > below_one, below_one, r);
}

static inline uint32_t lull_host_f32_min3(uint32_t a, uint32_t b, uint32_t c, uint32_t m,
                                          int32_t *bad)
{
    (void)bad;
    return lull_f32_min_host(lull_f32_min_host(a, b, m), c, m);
}

static inline uint32_t lull_host_f32_max3(uint32_t a, uint32_t b, uint32_t c, uint32_t m,
                                          int32_t *bad)
{
    (void)bad;
    return lull_f32_max_host(lull_f32_max_host(a, b, m), c, m);
}

static inline uint32_t lull_host_f32_minmax(uint32_t a, uint32_t b, uint32_t c, uint32_t m,
                                            int32_t *bad)
{
    (void)bad;
    return lull_f32_max_host(lull_f32_min_host(a, b, m), c, m);
}

static inline uint32_t lull_host_f32_maxmin(uint32_t a, uint32_t b, uint32_t c, uint32_t m,
                                            int32_t *bad)
{
    (void)bad;
    return lull_f32_min_host(lull_f32_max_host(a, b, m), c, m);
}

/** The middle one; zeros of both signs are left to fp.h. */
static inline uint32_t lull_host_f32_med3(uint32_t a, uint32_t b, uint32_t c, uint32_t m,
                                          int32_t *bad)
{
    const uint32_t lo = lull_f32_min_host(a, b, m), hi = lull_f32_max_host(a, b, m);
    const uint32_t r = lull_f32_max_host(lo, lull_f32_min_host(hi, c, m), m);
    *bad |= lull_host_nan_bad(a) | lull_host_nan_bad(b) | lull_host_nan_bad(c);
    // Denormals may be flushed on the way.
    *bad |= -(int32_t)(lull_host_tiny(r) | lull_host_denormal(a) | lull_host_denormal(b) |
                       lull_host_denormal(c));
    return r;
}

/** Rounded once: the product is exact in double. Results near the denormals are left to fp.h. */
static inline uint32_t lull_host_f32_ldexp(uint32_t a, int32_t e, uint32_t m, int32_t *bad)
{
    const int32_t limit = 300;
    const int32_t by = e > limit ? limit : e < -limit ? -limit : e;
    const double scale = lull_host_double((uint64_t)(uint32_t)(1023 + by) << 52);
    const double r = (double)lull_f32_value(lull_f32_pick(lull_host_tiny(a), 0, a)) * scale;
    const uint32_t v = lull_f32_bits((float)r);
    const bool zero = (a & ~LULL_SIGN) == 0;
    (void)m;
    *bad |= lull_host_nan_bad(a) | -(int32_t)((v & ~LULL_SIGN) < 0x01000000 && !zero);
    return lull_f32_pick(zero, a, v);
}

/** Whether MODE has another rounding, overflow or denormals for f16 than hosts' arithmetic. */
static inline int32_t lull_host_f16_odd_mode(uint32_t m)
{
    const uint32_t kept = 2u << LULL_FP_DENORM_F64_SHIFT;
    return lull_host_odd_round(m) | -(int32_t)((m & (LULL_FP_FP16_OVFL | kept)) != kept);
}

#if defined(LULL_HOST_HALVES)
// The host has conversions, and the compiler makes vectors of them. They keep denormals.

static inline uint32_t lull_host_f32_from_f16(uint16_t a, uint32_t m, int32_t *bad)
{
    _Float16 h = 0;
    memcpy(&h, &a, sizeof h);
    *bad |=
        -(int32_t)((a & 0x7fffu) > 0x7c00) | -(int32_t)((m >> LULL_FP_DENORM_F64_SHIFT & 1) == 0);
    return lull_f32_bits((float)h);
}

static inline uint16_t lull_host_f16_from_f32(uint32_t a, uint32_t m, int32_t *bad)
{
    const float x = lull_f32_value(a);
    const _Float16 h = (_Float16)x;
    uint16_t r = 0;
    memcpy(&r, &h, sizeof r);
    *bad |= -(int32_t)(x != x) | lull_host_f16_odd_mode(m);
    return r;
}
#else
/** Exact. Denormals by MODE of f16. */
static inline uint32_t lull_host_f32_from_f16(uint16_t a, uint32_t m, int32_t *bad)
{
    const uint32_t mag = a & 0x7fffu, sign = (uint32_t)(a & 0x8000u) << 16;
    const uint32_t normal = (mag << 13) + (112u << 23);
    const uint32_t keep = 0u - (m >> LULL_FP_DENORM_F64_SHIFT & 1);
    const uint32_t small = lull_f32_bits((float)(int32_t)mag * 0x1p-24f) & keep;
    const uint32_t big = mag + 0x38000u >= 0x3fc00u ? 112u << 23 : 0;
    *bad |= -(int32_t)(mag > 0x7c00);
    return sign | lull_f32_pick(mag < 0x400, small, normal + big);
}

/** To nearest even; only if denormal results are kept and overflow is infinite. */
static inline uint16_t lull_host_f16_from_f32(uint32_t a, uint32_t m, int32_t *bad)
{
    const uint32_t mag = a & ~LULL_SIGN, sign = a >> 16 & 0x8000u;
    const uint32_t rounded = (mag + 0xfffu + (mag >> 13 & 1)) >> 13;
    const uint32_t normal = rounded - (112u << 10);
    // The last bit of 0.5 is the last bit of a denormal f16.
    const uint32_t small = lull_f32_bits(lull_f32_value(mag) + 0.5f) - 0x3f000000u;
    const uint32_t r = lull_f32_pick(mag < 0x38800000, small, normal);
    *bad |= -(int32_t)(mag > 0x7f800000) | lull_host_f16_odd_mode(m);
    return (uint16_t)(sign | lull_f32_pick(mag >= 0x477ff000, 0x7c00, r));
}
#endif

/** Towards 0, whatever MODE says; 0, and what has the exponent of a normal f16. */
static inline uint32_t lull_host_f16_cut(uint32_t a, int32_t *bad)
{
    const int32_t mag = (int32_t)(a & ~LULL_SIGN);
    const uint32_t cut = ((uint32_t)mag >> 13) - (112u << 10);
    *bad |= -(int32_t)(mag != 0) & (-(int32_t)(mag < 0x38800000) | -(int32_t)(mag >= 0x47800000));
    return (a >> 16 & 0x8000u) | lull_f32_pick(mag == 0, 0, cut);
}

static inline uint32_t lull_host_pk_f16_from_f32_rtz(uint32_t a, uint32_t b, uint32_t m,
                                                     int32_t *bad)
{
    (void)m;
    return lull_host_f16_cut(a, bad) | lull_host_f16_cut(b, bad) << 16;
}

/** @p a in f32. A NaN stays one, for who looks at the result. */
static inline float lull_host_half(uint16_t a, uint32_t m, int32_t *bad)
{
    int32_t nan = 0;
    const float x = lull_f32_value(lull_host_f32_from_f16(a, m, &nan));
#if defined(LULL_HOST_HALVES)
    *bad |= -(int32_t)((m >> LULL_FP_DENORM_F64_SHIFT & 1) == 0);
#else
    (void)bad;
#endif
    return x;
}

/** a + b in f32, rounded to odd, so that rounding it to f16 is right. Infinities and NaNs have no
 * error term: they are bad. */
static inline uint32_t lull_host_sum_odd(float a, float b, int32_t *bad)
{
    const float s = a + b, back = s - a;
    const float error = (a - (s - back)) + (b - back);
    const uint32_t bits = lull_f32_bits(s), e = lull_f32_bits(error);
    // Of an inexact sum: towards 0, then the odd one of what is left and its neighbour.
    const uint32_t inexact = lull_f32_pick(error != 0, UINT32_MAX, 0);
    const uint32_t less = (uint32_t)((int32_t)(e ^ bits) >> 31) & inexact;
    *bad |= -(int32_t)(error != error);
    return (bits + less) | (inexact & 1);
}

static inline uint16_t lull_host_f16_fma(uint16_t a, uint16_t b, uint16_t c, uint32_t m,
                                         int32_t *bad)
{
    const float x = lull_host_half(a, m, bad), y = lull_host_half(b, m, bad);
    const uint32_t s = lull_host_sum_odd(x * y, lull_host_half(c, m, bad), bad);
    int32_t nan = 0; // Bad already; the rest depends on MODE alone.
    const uint16_t r = lull_host_f16_from_f32(s, m, &nan);
    *bad |= lull_host_f16_odd_mode(m);
    return r;
}

/** As fp.h has it: one fma in f32, then rounded to f16. */
static inline uint16_t lull_host_f16_fma_mix(uint32_t a, uint32_t b, uint32_t c, uint32_t m,
                                             int32_t *bad)
{
    const uint32_t r = lull_f32_fma_raw(a, b, c);
    *bad |= -(int32_t)!lull_fp_host_ok(m);
    return lull_host_f16_from_f32(r, m, bad);
}

/** As fp.h has it: two steps, each one fma. */
static inline uint32_t lull_host_f32_dot2_f16(uint32_t a, uint32_t b, uint32_t c, uint32_t m,
                                              int32_t *bad)
{
    const uint32_t al = lull_f32_bits(lull_host_half((uint16_t)a, m, bad));
    const uint32_t bl = lull_f32_bits(lull_host_half((uint16_t)b, m, bad));
    const uint32_t ah = lull_f32_bits(lull_host_half((uint16_t)(a >> 16), m, bad));
    const uint32_t bh = lull_f32_bits(lull_host_half((uint16_t)(b >> 16), m, bad));
    const uint32_t r = lull_f32_fma_raw(ah, bh, lull_f32_fma_raw(al, bl, c));
    *bad |= lull_host_nan_bad(r) | -(int32_t)!lull_fp_host_ok(m);
    return r;
}

static inline uint16_t lull_host_f16_add(uint16_t a, uint16_t b, uint32_t m, int32_t *bad)
{
    const float x = lull_host_half(a, m, bad), y = lull_host_half(b, m, bad);
    return lull_host_f16_from_f32(lull_f32_bits(x + y), m, bad);
}

static inline uint16_t lull_host_f16_sub(uint16_t a, uint16_t b, uint32_t m, int32_t *bad)
{
    return lull_host_f16_add(a, b ^ 0x8000, m, bad);
}

static inline uint16_t lull_host_f16_mul(uint16_t a, uint16_t b, uint32_t m, int32_t *bad)
{
    const float x = lull_host_half(a, m, bad), y = lull_host_half(b, m, bad);
    return lull_host_f16_from_f32(lull_f32_bits(x * y), m, bad);
}

/** Whether @p a is denormal or a NaN: left to fp.h. */
static inline int32_t lull_host_f16_rare(uint16_t a)
{
    const uint32_t mag = a & 0x7fffu;
    return -(int32_t)((mag > 0x7c00) | (mag - 1 < 0x3ff));
}

static inline uint16_t lull_host_f16_minmax2(uint16_t a, uint16_t b, bool max, int32_t *bad)
{
    const int32_t x = (int16_t)a, y = (int16_t)b;
    const int32_t p = x ^ (x >> 15 & 0x7fff), q = y ^ (y >> 15 & 0x7fff);
    *bad |= lull_host_f16_rare(a) | lull_host_f16_rare(b);
    return (uint16_t)lull_f32_pick((p < q) != max, a, b);
}

static inline uint16_t lull_host_f16_min(uint16_t a, uint16_t b, uint32_t m, int32_t *bad)
{
    (void)m;
    return lull_host_f16_minmax2(a, b, false, bad);
}

static inline uint16_t lull_host_f16_max(uint16_t a, uint16_t b, uint32_t m, int32_t *bad)
{
    (void)m;
    return lull_host_f16_minmax2(a, b, true, bad);
}

/** Exact; denormals are left to fp.h. */
static inline uint64_t lull_host_f64_from_f32(uint32_t a, uint32_t m, int32_t *bad)
{
    (void)m;
    *bad |= -(int32_t)(lull_host_tiny(a) & ((a & ~LULL_SIGN) != 0)) | lull_host_nan_bad(a);
    return lull_host_f64_bits((double)lull_f32_value(a));
}

static inline uint64_t lull_host_f64_from_i32(uint32_t a, uint32_t m, int32_t *bad)
{
    (void)m;
    (void)bad;
    return lull_host_f64_bits((double)(int32_t)a);
}

static inline uint64_t lull_host_f64_from_u32(uint32_t a, uint32_t m, int32_t *bad)
{
    (void)m;
    (void)bad;
    return lull_host_f64_bits((double)(int32_t)(a >> 16) * 65536.0 + (double)(int32_t)(a & 0xffff));
}

static inline uint32_t lull_host_f32_from_f64(uint64_t a, uint32_t m, int32_t *bad)
{
    const uint32_t v = lull_f32_bits((float)lull_host_f64_value(a));
    (void)m;
    *bad |= lull_host_nan_bad(v) | -(int32_t)(((v & ~LULL_SIGN) < 0x01000000) & (a << 1 != 0));
    return v;
}

/** As a number that compares as the double does, but for NaN; -0 is below +0. */
static inline int64_t lull_host_order64(uint64_t a)
{
    return (int64_t)(a ^ ((0 - (a >> 63)) & 0x7fffffffffffffff));
}

/** NaN or denormal. */
static inline int32_t lull_host_f64_rare(uint64_t a)
{
    const uint64_t mag = a << 1 >> 1;
    return -(int32_t)((mag > 0x7ff0000000000000) | (mag - 1 < 0xfffffffffffff));
}

static inline uint64_t lull_host_f64_min(uint64_t a, uint64_t b, uint32_t m, int32_t *bad)
{
    (void)m;
    *bad |= lull_host_f64_rare(a) | lull_host_f64_rare(b);
    return lull_host_order64(a) < lull_host_order64(b) ? a : b;
}

static inline uint64_t lull_host_f64_max(uint64_t a, uint64_t b, uint32_t m, int32_t *bad)
{
    (void)m;
    *bad |= lull_host_f64_rare(a) | lull_host_f64_rare(b);
    return lull_host_order64(a) < lull_host_order64(b) ? b : a;
}

static inline uint32_t lull_host_f64_cmp(uint64_t a, uint64_t b, enum lull_fp_cmp op, uint32_t m,
                                         int32_t *bad)
{
    const int64_t x = lull_host_order64(a << 1 == 0 ? 0 : a);
    const int64_t y = lull_host_order64(b << 1 == 0 ? 0 : b);
    const uint32_t lt = x<y, eq = x == y, gt = x> y;
    (void)m;
    *bad |= lull_host_f64_rare(a) | lull_host_f64_rare(b);
    return (op & 1 ? lt : 0) | (op & 2 ? eq : 0) | (op & 4 ? gt : 0);
}

/** Biased exponent. */
static inline int32_t lull_host_exponent(uint32_t a)
{
    return (int32_t)(a >> 23 & 255);
}

/** Whether @p a is zero, denormal, infinite or NaN. */
static inline uint32_t lull_host_special(uint32_t a)
{
    return (((a >> 23) + 1) & 255) < 2;
}

/** Where nothing is to be scaled; all else is left to fp.h. */
static inline uint32_t lull_host_f32_div_scale(uint32_t a, uint32_t b, uint32_t c, uint32_t m,
                                               bool *vcc, int32_t *bad)
{
    enum { LARGE = 96, SMALL = -126, TINY = 23, HUGE_DENOMINATOR = 253 };
    const int32_t d = lull_host_exponent(b), n = lull_host_exponent(c);
    (void)m;
    *vcc = false;
    *bad |= -(int32_t)(lull_host_special(a) | lull_host_special(b) | lull_host_special(c) |
                       (n - d >= LARGE) | (n - d <= SMALL) | (n <= TINY) | (d >= HUGE_DENOMINATOR));
    return a;
}

static inline uint32_t lull_host_f32_div_fmas(uint32_t a, uint32_t b, uint32_t c, bool vcc,
                                              uint32_t m, int32_t *bad)
{
    const uint32_t r = lull_f32_fma_raw(a, b, c);
    *bad |= lull_host_nan_bad(r) | -(int32_t)vcc | -(int32_t)!lull_fp_host_ok(m);
    return r;
}

static inline uint32_t lull_host_f32_div_fixup(uint32_t a, uint32_t b, uint32_t c, uint32_t m,
                                               int32_t *bad)
{
    enum { UNDERFLOW = -150 };
    (void)m;
    *bad |= -(int32_t)(lull_host_special(a) | lull_host_special(b) | lull_host_special(c) |
                       (lull_host_exponent(c) - lull_host_exponent(b) <= UNDERFLOW));
    return (a & ~LULL_SIGN) | ((b ^ c) & LULL_SIGN);
}

#endif
