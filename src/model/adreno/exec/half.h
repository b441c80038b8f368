// SPDX-License-Identifier: MIT
/** @file
 * f16 of ir3 by the host's floating-point unit, as gen/isa calls it in loops over fibers: denormals
 * are flushed, where the forms of model/fp/host_trans.h keep them.
 *
 * Each gives what fp.h gives, or sets *bad: NaNs, and rounding other than to nearest even. No
 * branches, so that loops over these become vector instructions.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_HALF_H
#define LULL_MODEL_ADRENO_EXEC_HALF_H

#include "model/fp/host_trans.h"

static inline int32_t lull_ir3_half_nan(uint16_t a)
{
    return -(int32_t)((a & 0x7fffu) > 0x7c00);
}

/** In f32, exactly; a NaN is anything. */
static inline uint32_t lull_ir3_half_wide(uint16_t a)
{
    const uint32_t mag = a & 0x7fffu, sign = (uint32_t)(a & 0x8000u) << 16;
    const uint32_t normal = (mag << 13) + ((mag >= 0x7c00 ? 224u : 112u) << 23);
    return sign | lull_f32_pick(mag < 0x400, 0, normal);
}

/** To nearest even; what is below the least number after rounding to 11 bits is a zero. */
static inline uint16_t lull_ir3_half_round(uint32_t a)
{
    const uint32_t mag = a & ~LULL_SIGN, sign = a >> 16 & 0x8000u;
    const uint32_t rounded = (mag + 0xfffu + (mag >> 13 & 1)) >> 13;
    const uint32_t normal = lull_f32_pick(rounded < 113u << 10, 0, rounded - (112u << 10));
    return (uint16_t)(sign | lull_f32_pick(mag >= 0x477ff000, 0x7c00, normal));
}

/** Does MODE round, overflow and flush as these do? 0 or -1. */
static inline int32_t lull_ir3_half_odd(uint32_t m)
{
    return lull_host_odd_round(m) |
           -(int32_t)((m & (LULL_FP_FP16_OVFL | 3u << LULL_FP_DENORM_F64_SHIFT)) != 0);
}

static inline uint32_t lull_ir3_host_f32_from_f16(uint16_t a, uint32_t m, int32_t *bad)
{
    *bad |= lull_ir3_half_nan(a) | lull_ir3_half_odd(m);
    return lull_ir3_half_wide(a);
}

static inline uint16_t lull_ir3_host_f16_from_f32(uint32_t a, uint32_t m, int32_t *bad)
{
    *bad |= lull_host_nan_bad(a) | lull_ir3_half_odd(m);
    return lull_ir3_half_round(a);
}

static inline uint16_t lull_ir3_host_f16_add(uint16_t a, uint16_t b, uint32_t m, int32_t *bad)
{
    const float s = lull_f32_value(lull_ir3_half_wide(a)) + lull_f32_value(lull_ir3_half_wide(b));
    *bad |= lull_ir3_half_nan(a) | lull_ir3_half_nan(b);
    return lull_ir3_host_f16_from_f32(lull_f32_bits(s), m, bad);
}

static inline uint16_t lull_ir3_host_f16_mul(uint16_t a, uint16_t b, uint32_t m, int32_t *bad)
{
    const float p = lull_f32_value(lull_ir3_half_wide(a)) * lull_f32_value(lull_ir3_half_wide(b));
    *bad |= lull_ir3_half_nan(a) | lull_ir3_half_nan(b);
    return lull_ir3_host_f16_from_f32(lull_f32_bits(p), m, bad);
}

static inline uint16_t lull_ir3_host_f16_fma(uint16_t a, uint16_t b, uint16_t c, uint32_t m,
                                             int32_t *bad)
{
    const float p = lull_f32_value(lull_ir3_half_wide(a)) * lull_f32_value(lull_ir3_half_wide(b));
    *bad |= lull_ir3_half_nan(a) | lull_ir3_half_nan(b) | lull_ir3_half_nan(c);
    const uint32_t s = lull_host_sum_odd(p, lull_f32_value(lull_ir3_half_wide(c)), bad);
    return lull_ir3_host_f16_from_f32(s, m, bad);
}

/** A number that is greater for a greater half, -0 below 0; denormals are zeros. */
static inline int32_t lull_ir3_half_order(uint16_t a)
{
    const int32_t v = (int16_t)((a & 0x7fffu) < 0x400 ? a & 0x8000u : a);
    return v ^ (v >> 15 & 0x7fff);
}

static inline uint16_t lull_ir3_half_of(int32_t order)
{
    return (uint16_t)(order ^ (order >> 15 & 0x7fff));
}

static inline uint16_t lull_ir3_host_f16_min(uint16_t a, uint16_t b, uint32_t m, int32_t *bad)
{
    const int32_t x = lull_ir3_half_order(a), y = lull_ir3_half_order(b);
    *bad |= lull_ir3_half_nan(a) | lull_ir3_half_nan(b) | lull_ir3_half_odd(m);
    return lull_ir3_half_of(x < y ? x : y);
}

static inline uint16_t lull_ir3_host_f16_max(uint16_t a, uint16_t b, uint32_t m, int32_t *bad)
{
    const int32_t x = lull_ir3_half_order(a), y = lull_ir3_half_order(b);
    *bad |= lull_ir3_half_nan(a) | lull_ir3_half_nan(b) | lull_ir3_half_odd(m);
    return lull_ir3_half_of(x > y ? x : y);
}

static inline uint32_t lull_ir3_host_f16_cmp(uint16_t a, uint16_t b, uint32_t op, uint32_t m,
                                             int32_t *bad)
{
    const float x = lull_f32_value(lull_ir3_half_wide(a)),
                y = lull_f32_value(lull_ir3_half_wide(b));
    const uint32_t lt = x<y, eq = x == y, gt = x> y;
    *bad |= lull_ir3_half_nan(a) | lull_ir3_half_nan(b) | lull_ir3_half_odd(m);
    return (op & 1 ? lt : 0) | (op & 2 ? eq : 0) | (op & 4 ? gt : 0);
}

/** A function that gives whole numbers, done in f32: what comes out is exact in f16. */
static inline uint16_t lull_ir3_half_whole(uint32_t (*fn)(uint32_t a, uint32_t m, int32_t *bad),
                                           uint16_t a, uint32_t m, int32_t *bad)
{
    const uint32_t r = fn(lull_ir3_host_f32_from_f16(a, m, bad), m, bad);
    return lull_ir3_host_f16_from_f32(r, m, bad);
}

static inline uint16_t lull_ir3_host_f16_floor(uint16_t a, uint32_t m, int32_t *bad)
{
    return lull_ir3_half_whole(lull_host_f32_floor, a, m, bad);
}

static inline uint16_t lull_ir3_host_f16_ceil(uint16_t a, uint32_t m, int32_t *bad)
{
    return lull_ir3_half_whole(lull_host_f32_ceil, a, m, bad);
}

static inline uint16_t lull_ir3_host_f16_trunc(uint16_t a, uint32_t m, int32_t *bad)
{
    return lull_ir3_half_whole(lull_host_f32_trunc, a, m, bad);
}

static inline uint16_t lull_ir3_host_f16_rndne(uint16_t a, uint32_t m, int32_t *bad)
{
    return lull_ir3_half_whole(lull_host_f32_rndne, a, m, bad);
}

#endif
