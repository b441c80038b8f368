// SPDX-License-Identifier: MIT
/** @file
 * Floating point that only ir3 has: sine and cosine of radians, signs. All else: model/fp/fp.h.
 *
 * Adreno's accuracy is not published; these give the nearest value, or nearly.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_NUM_H
#define LULL_MODEL_ADRENO_EXEC_NUM_H

#include <stdint.h>

/* @p m is MODE as in model/fp/fp.h. Infinity gives a NaN. */
uint32_t lull_ir3_f32_sin(uint32_t a, uint32_t m);
uint32_t lull_ir3_f32_cos(uint32_t a, uint32_t m);
uint16_t lull_ir3_f16_sin(uint16_t a, uint32_t m);
uint16_t lull_ir3_f16_cos(uint16_t a, uint32_t m);

/** -1, 1, or the zero that @p a is; +0 of a NaN. A denormal is a zero. */
static inline uint32_t lull_ir3_f32_sign(uint32_t a)
{
    const uint32_t sign = a & 0x80000000, rest = a & 0x7fffffff;
    return rest > 0x7f800000 ? 0 : rest < 0x00800000 ? sign : sign | 0x3f800000;
}

static inline uint16_t lull_ir3_f16_sign(uint16_t a)
{
    const unsigned sign = a & 0x8000u, rest = a & 0x7fffu;
    return (uint16_t)(rest > 0x7c00 ? 0 : rest < 0x0400 ? sign : sign | 0x3c00);
}

#endif
