// SPDX-License-Identifier: MIT
/** @file
 * What the functions of strips (gen/isa/sem/strips.py) call, where it differs from what lanes of
 * the interpreter call (host.h). Compiled into templates only, never into lull.
 *
 * While templates run, MXCSR flushes by MODE, and a lane with a NaN in an operand of min or max is
 * done again by the interpreter. So comparing needs no flush of its own, and min and max are two
 * comparisons.
 */
#ifndef LULL_JIT_STRIP_H
#define LULL_JIT_STRIP_H

#define LULL_HOST_HALVES 1
#ifdef __aarch64__
#define LULL_FP_HOST_ALL 1
#endif
#include "model/fp/fp.h"
#include "model/fp/host_trans.h"

static inline uint32_t lull_strip_f32_cmp(uint32_t a, uint32_t b, enum lull_fp_cmp op, uint32_t m)
{
    const float x = lull_f32_value(a), y = lull_f32_value(b);
    const uint32_t lt = x<y, eq = x == y, gt = x> y;
    const uint32_t un = (uint32_t)(x != x) | (uint32_t)(y != y);
    (void)m;
    return (op & 1 ? lt : 0) | (op & 2 ? eq : 0) | (op & 4 ? gt : 0) | (op & 8 ? un : 0);
}

/** Both orders, so that the zero of the right sign comes out. Selecting does not flush. */
static inline uint32_t lull_strip_f32_min(uint32_t a, uint32_t b, uint32_t m)
{
    const float x = lull_f32_value(a), y = lull_f32_value(b);
    const uint32_t r = lull_f32_bits(x < y ? x : y) | lull_f32_bits(y < x ? y : x);
    return lull_f32_flush(r, m >> LULL_FP_DENORM_F32_SHIFT & 1);
}

static inline uint32_t lull_strip_f32_max(uint32_t a, uint32_t b, uint32_t m)
{
    const float x = lull_f32_value(a), y = lull_f32_value(b);
    const uint32_t r = lull_f32_bits(x > y ? x : y) & lull_f32_bits(y > x ? y : x);
    return lull_f32_flush(r, m >> LULL_FP_DENORM_F32_SHIFT & 1);
}

/** Numbers that compare as halves do; both zeros are 0. */
static inline int32_t lull_strip_f16_order(uint16_t a, uint32_t m)
{
    const uint32_t mag = a & 0x7fffu, least = (m >> LULL_FP_DENORM_F64_SHIFT & 1) != 0 ? 1 : 0x400;
    const int32_t v = (int16_t)a;
    return mag < least ? 0 : v ^ (v >> 15 & 0x7fff);
}

static inline uint32_t lull_strip_f16_cmp(uint16_t a, uint16_t b, enum lull_fp_cmp op, uint32_t m)
{
    const int32_t x = lull_strip_f16_order(a, m), y = lull_strip_f16_order(b, m);
    const uint32_t un = ((a & 0x7fffu) > 0x7c00) | ((b & 0x7fffu) > 0x7c00);
    const uint32_t lt = x<y, eq = x == y, gt = x> y;
    const uint32_t ordered = (op & 1 ? lt : 0) | (op & 2 ? eq : 0) | (op & 4 ? gt : 0);
    return (ordered & (un ^ 1)) | (op & 8 ? un : 0);
}

/** Bit of @p mask for @p a, a number with @p mant bits of mantissa whose infinity is @p inf. */
static inline uint32_t lull_strip_class(uint32_t a, uint32_t mask, unsigned mant, uint32_t inf)
{
    const uint32_t mag = a & (inf | ((1u << mant) - 1)), quiet = a >> (mant - 1) & 1;
    const uint32_t up = 6 + (mag != 0) + (mag >= 1u << mant) + (mag == inf);
    const uint32_t k = mag > inf ? quiet : mag == (a & (2 * inf | mag)) ? up : 11 - up;
    return mask >> k & 1;
}

static inline uint32_t lull_strip_f32_class(uint32_t a, uint32_t mask)
{
    return lull_strip_class(a, mask, 23, 0x7f800000);
}

static inline uint32_t lull_strip_f16_class(uint16_t a, uint32_t mask)
{
    return lull_strip_class(a, mask, 10, 0x7c00);
}

/** lull_host_f32_rsq() from @p near on, 1 / sqrt(a) to 2^-14. The series of (1 - e)^(-1/2) to the
 * cube is good to 2^-53. Where @p a has no root it is bad, whatever is near. */
static inline uint32_t lull_strip_f32_rsq(uint32_t a, uint32_t m, uint32_t near, int32_t *bad)
{
    const bool fits = a - 0x00800000 < LULL_EXP_MASK - 0x00800000;
    const double x = (double)lull_f32_value(a), y = (double)lull_f32_value(near);
    const double e = __builtin_fma(-x * y, y, 1.0);
    const double sum = __builtin_fma(__builtin_fma(e, 0.3125, 0.375), e, 0.5);
    const double r = __builtin_fma(sum * e, y, y);
    *bad |= lull_host_odd_round(m) | -(int32_t)!fits | lull_host_undecided(r);
    return lull_f32_bits((float)r);
}

/** The same in float, from @p near to 1.5 * 2^-12 on. One step makes @p y good to 2^-22.5; what it
 * is off by is known to 2^-44, as products are taken apart in two floats. The result is sure if the
 * sum is rounded to one number from both ends, 2^-42 apart from it. What is no normal number above
 * 0 makes infinities or NaNs of @p near, then NaNs of both ends, which are not one number. */
static inline uint32_t lull_strip_f32_rsq_single(uint32_t a, uint32_t m, uint32_t near,
                                                 int32_t *bad)
{
    const float x = lull_f32_value(a), first = lull_f32_value(near);
    const float far = __builtin_fmaf(-x * first, first, 1.0f);
    const float y = __builtin_fmaf(__builtin_fmaf(far, 0.375f, 0.5f) * far, first, first);
    const float high = x * y, low = __builtin_fmaf(x, y, -high);
    const float e = __builtin_fmaf(-low, y, __builtin_fmaf(-high, y, 1.0f));
    const float half = 0.5f * y;
    const float up = __builtin_fmaf(half, e + 0x1p-41f, y);
    const float down = __builtin_fmaf(half, e - 0x1p-41f, y);
    *bad |= lull_host_odd_round(m) | -(int32_t)(up != down);
    return lull_f32_bits(up);
}

/** Toward zero: what came out greater is the next number below. */
static inline uint32_t lull_strip_cut(double exact)
{
    const float near = (float)exact;
    return lull_f32_bits(near) - (__builtin_fabs((double)near) > __builtin_fabs(exact) ? 1u : 0u);
}

static inline uint32_t lull_strip_f32_from_u32_cut(uint32_t a)
{
    return lull_strip_cut((double)a);
}

static inline uint32_t lull_strip_f32_from_i32_cut(int32_t a)
{
    return lull_strip_cut((double)a);
}

/** Toward zero, denormals flushed. A NaN is bad. */
static inline uint16_t lull_strip_f16_from_f32_cut(uint32_t a, int32_t *bad)
{
    const uint32_t mag = a & 0x7fffffff, sign = a >> 16 & 0x8000u;
    const uint32_t number = lull_f32_pick(mag < 0x38800000, 0, (mag >> 13) - (112u << 10));
    const uint32_t most = lull_f32_pick(mag == 0x7f800000, 0x7c00, 0x7bff);
    *bad |= -(int32_t)(mag > 0x7f800000);
    return (uint16_t)(sign | lull_f32_pick(mag >= 0x47800000, most, number));
}

/* Of f16 that stand in f32: what is exact, or was rounded to odd, is rounded to f16. A NaN stays
 * one.
 */

static inline uint32_t lull_wide_round(uint32_t a)
{
    const _Float16 h = (_Float16)lull_f32_value(a);
    return lull_f32_bits((float)h);
}

/** The sum of two has no more bits than f32 near where f16 has its last, so it is rounded once. */
static inline uint32_t lull_wide_f16_add(uint32_t a, uint32_t b)
{
    return lull_wide_round(lull_f32_bits(lull_f32_value(a) + lull_f32_value(b)));
}

static inline uint32_t lull_wide_f16_sub(uint32_t a, uint32_t b)
{
    return lull_wide_round(lull_f32_bits(lull_f32_value(a) - lull_f32_value(b)));
}

static inline uint32_t lull_wide_f16_mul(uint32_t a, uint32_t b)
{
    return lull_wide_round(lull_f32_bits(lull_f32_value(a) * lull_f32_value(b)));
}

/** Infinities and NaNs have no error term: the sum is right without. */
static inline uint32_t lull_wide_f16_fma(uint32_t a, uint32_t b, uint32_t c)
{
    int32_t bad = 0;
    const float x = lull_f32_value(a) * lull_f32_value(b), y = lull_f32_value(c);
    const uint32_t odd = lull_host_sum_odd(x, y, &bad);
    return lull_wide_round(lull_f32_pick(bad != 0, lull_f32_bits(x + y), odd));
}

/** The same, rounded to f32 and then to f16. That is wrong where the first stands between two f16,
 * which it may have been rounded to; f16 that are denormal, 0, infinite or NaN are not made. */
static inline uint32_t lull_quick_f16_fma(uint32_t a, uint32_t b, uint32_t c, int32_t *bad)
{
    enum { REST = 0x1fff, HALF = 0x1000 };                 // Bits that f16 has not.
    const uint32_t least = 0x38800000, limit = 0x477ff000; // 2^-14, 65520.
    const uint32_t s = lull_f32_fma_raw(a, b, c);
    const int32_t half = (s & REST) == HALF;
    const int32_t far = (s & 0x7fffffff) - least >= limit - least;
    *bad |= -(half | far);
    return (s + HALF) & ~(uint32_t)REST;
}

static inline uint32_t lull_wide_f16_min(uint32_t a, uint32_t b)
{
    const float x = lull_f32_value(a), y = lull_f32_value(b);
    return lull_f32_bits(x < y ? x : y) | lull_f32_bits(y < x ? y : x);
}

static inline uint32_t lull_wide_f16_max(uint32_t a, uint32_t b)
{
    const float x = lull_f32_value(a), y = lull_f32_value(b);
    return lull_f32_bits(x > y ? x : y) & lull_f32_bits(y > x ? y : x);
}

static inline uint32_t lull_wide_f16_cmp(uint32_t a, uint32_t b, enum lull_fp_cmp op)
{
    return lull_strip_f32_cmp(a, b, op, 0);
}

#define lull_f16_cmp lull_strip_f16_cmp
#define lull_f16_class lull_strip_f16_class
#define lull_f32_class lull_strip_f32_class
#define lull_host_f32_cmp lull_strip_f32_cmp
#define lull_host_f32_min lull_strip_f32_min
#define lull_host_f32_max lull_strip_f32_max

#endif
