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

#define lull_host_f32_cmp lull_strip_f32_cmp
#define lull_host_f32_min lull_strip_f32_min
#define lull_host_f32_max lull_strip_f32_max

#endif
