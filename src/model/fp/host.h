// SPDX-License-Identifier: MIT
/** @file
 * f32 operations by the host's floating-point unit, as gen/isa calls them in lane loops.
 *
 * The run loop has done lull_fp_host_begin(), so these give what fp.h gives; add, sub, mul and fma
 * do so unless the result is a NaN: callers look for NaNs and then ask fp.h. Hosts without SSE use
 * fp.h.
 */
#ifndef LULL_MODEL_AMD_EXEC_HOST_H
#define LULL_MODEL_AMD_EXEC_HOST_H

#include <stdint.h>

#include "model/fp/fp_host.h"

/** All ones if @p a is a NaN. */
static inline int32_t lull_host_nan(uint32_t a)
{
    const float f = lull_f32_value(a);
    return -(int32_t)(f != f);
}

static inline uint32_t lull_host_f32_add(uint32_t a, uint32_t b, uint32_t m)
{
#ifdef LULL_FP_HOST
    (void)m;
    return lull_f32_add_raw(a, b);
#else
    return lull_f32_add(a, b, m);
#endif
}

static inline uint32_t lull_host_f32_sub(uint32_t a, uint32_t b, uint32_t m)
{
    return lull_host_f32_add(a, b ^ 0x80000000, m);
}

static inline uint32_t lull_host_f32_mul(uint32_t a, uint32_t b, uint32_t m)
{
#ifdef LULL_FP_HOST
    (void)m;
    return lull_f32_mul_raw(a, b);
#else
    return lull_f32_mul(a, b, m);
#endif
}

static inline uint32_t lull_host_f32_fma(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return lull_fp_host_ok(m) ? lull_f32_fma_raw(a, b, c) : lull_f32_fma(a, b, c, m);
}

static inline uint32_t lull_host_f32_min(uint32_t a, uint32_t b, uint32_t m)
{
    return lull_f32_min_host(a, b, m);
}

static inline uint32_t lull_host_f32_max(uint32_t a, uint32_t b, uint32_t m)
{
    return lull_f32_max_host(a, b, m);
}

static inline uint32_t lull_host_f32_cmp(uint32_t a, uint32_t b, enum lull_fp_cmp op, uint32_t m)
{
    const uint32_t keep = m >> LULL_FP_DENORM_F32_SHIFT & 1;
    const float x = lull_f32_value(lull_f32_flush(a, keep)),
                y = lull_f32_value(lull_f32_flush(b, keep));
    const uint32_t lt = x<y, eq = x == y, gt = x> y;
    const uint32_t un = (uint32_t)(x != x) | (uint32_t)(y != y);
    return (op & 1 ? lt : 0) | (op & 2 ? eq : 0) | (op & 4 ? gt : 0) | (op & 8 ? un : 0);
}

static inline uint32_t lull_host_f32_from_i32(uint32_t a, uint32_t m)
{
#ifdef LULL_FP_HOST
    (void)m;
    return lull_f32_bits((float)(int32_t)a);
#else
    return lull_f32_from_i32(a, m);
#endif
}

/** By halves: both are exact, the sum is rounded once. */
static inline uint32_t lull_host_f32_from_u32(uint32_t a, uint32_t m)
{
#ifdef LULL_FP_HOST
    const float high = (float)(int32_t)(a >> 16) * 65536.0f;
    (void)m;
    return lull_f32_bits(high + (float)(int32_t)(a & 0xffff));
#else
    return lull_f32_from_u32(a, m);
#endif
}

static inline uint32_t lull_host_i32_from_f32(uint32_t a, uint32_t m)
{
    const float f = lull_f32_value(a);
    const int fits = (f < 2147483648.0f) & (f >= -2147483648.0f);
    const int32_t t = (int32_t)(fits ? f : 0.0f);
    const int32_t limit = (a & 0x80000000) != 0 ? INT32_MIN : INT32_MAX;
    (void)m;
    return (uint32_t)(fits ? t : f != f ? 0 : limit);
}

/** The upper half of the range is moved down; that is exact. */
static inline uint32_t lull_host_u32_from_f32(uint32_t a, uint32_t m)
{
    const float f = lull_f32_value(a);
    const int fits = (f < 4294967296.0f) & (f > -1.0f);
    const int big = fits & (f >= 2147483648.0f);
    const int32_t t = (int32_t)((fits ? f : 0.0f) - (big ? 2147483648.0f : 0.0f));
    const uint32_t r = (uint32_t)t + (big ? 0x80000000 : 0);
    (void)m;
    return fits ? r : f >= 4294967296.0f ? UINT32_MAX : 0;
}

/** MODE with the rounding and denormals of f64 where those of f32 are, for lull_fp_host_begin(). */
static inline uint32_t lull_host_mode64(uint32_t m)
{
    return (m >> LULL_FP_ROUND_F64_SHIFT & 3) << LULL_FP_ROUND_F32_SHIFT |
           (m >> LULL_FP_DENORM_F64_SHIFT & 3) << LULL_FP_DENORM_F32_SHIFT;
}

static inline double lull_host_f64_value(uint64_t a)
{
    double f = 0;
    memcpy(&f, &a, sizeof f);
    return f;
}

static inline uint64_t lull_host_f64_bits(double f)
{
    uint64_t a = 0;
    memcpy(&a, &f, sizeof a);
    return a;
}

/** All ones if @p a is a NaN. */
static inline int64_t lull_host_nan64(uint64_t a)
{
    const double f = lull_host_f64_value(a);
    return -(int64_t)(f != f);
}

static inline uint64_t lull_host_f64_add(uint64_t a, uint64_t b, uint32_t m)
{
#ifdef LULL_FP_HOST
    (void)m;
    return lull_host_f64_bits(lull_host_f64_value(a) + lull_host_f64_value(b));
#else
    return lull_f64_add(a, b, m);
#endif
}

static inline uint64_t lull_host_f64_mul(uint64_t a, uint64_t b, uint32_t m)
{
#ifdef LULL_FP_HOST
    (void)m;
    return lull_host_f64_bits(lull_host_f64_value(a) * lull_host_f64_value(b));
#else
    return lull_f64_mul(a, b, m);
#endif
}

/** NaN, which asks for fp.h, unless @p a is such that the result is surely normal. */
static inline uint64_t lull_host_f64_rcp(uint64_t a, uint32_t m)
{
    const uint64_t e = a >> 52 & 2047;
    const uint64_t doubt = e - 4 < 2036 && (m >> LULL_FP_ROUND_F64_SHIFT & 3) == 0 ? 0 : UINT64_MAX;
    return lull_host_f64_bits(1.0 / lull_host_f64_value(a)) | doubt;
}

static inline uint64_t lull_host_f64_sqrt(uint64_t a, uint32_t m)
{
    const uint64_t e = a >> 52; // With the sign, which is 0.
    const uint64_t doubt = e - 4 < 2036 && (m >> LULL_FP_ROUND_F64_SHIFT & 3) == 0 ? 0 : UINT64_MAX;
    return lull_host_f64_bits(__builtin_sqrt(lull_host_f64_value(a))) | doubt;
}

static inline uint64_t lull_host_f64_fma(uint64_t a, uint64_t b, uint64_t c, uint32_t m)
{
#ifdef LULL_FP_HOST_FMA
    (void)m;
    return lull_host_f64_bits(
        __builtin_fma(lull_host_f64_value(a), lull_host_f64_value(b), lull_host_f64_value(c)));
#else
    return lull_f64_fma(a, b, c, m);
#endif
}

#endif
