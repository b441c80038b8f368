// SPDX-License-Identifier: MIT
/** @file
 * Random values of the types of ir3: for tests.
 */
#ifndef IR3_VALUES_H
#define IR3_VALUES_H

#include "model/adreno/exec/alu.h"
#include "test.h"

static inline uint64_t ir3_next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 24;
}

/** Zeros, denormals, the least and greatest numbers, infinities, now and then a NaN. */
static inline uint32_t ir3_number(uint64_t *seed)
{
    static const uint32_t exponents[] = {0, 0, 1, 2, 24, 63, 64, 126, 127, 128, 150, 190, 253, 254};
    const uint64_t v = ir3_next(seed);
    const uint32_t sign = (uint32_t)(v & 1) << 31, kind = v >> 1 & 63;
    const uint32_t fraction = (uint32_t)(v >> 8) & 0x7fffff;
    const uint32_t exponent = exponents[ir3_next(seed) % TEST_ROWS(exponents)];
    return kind == 0   ? sign | 0x7f800000 | (ir3_next(seed) % 4 == 0 ? fraction : 0)
           : kind < 6  ? sign | exponent << 23
           : kind < 20 ? sign | (uint32_t)(ir3_next(seed) % 255) << 23 | fraction
                       : sign | exponent << 23 | fraction;
}

/** A half of the same kinds. */
static inline uint32_t ir3_half(uint64_t *seed)
{
    static const uint32_t exponents[] = {0, 0, 1, 2, 5, 14, 15, 16, 24, 25, 26, 29, 30};
    const uint64_t v = ir3_next(seed);
    const uint32_t sign = (uint32_t)(v & 1) << 15, kind = v >> 1 & 63;
    const uint32_t fraction = (uint32_t)(v >> 8) & 0x3ff;
    const uint32_t exponent = exponents[ir3_next(seed) % TEST_ROWS(exponents)];
    return kind == 0   ? sign | 0x7c00 | (ir3_next(seed) % 4 == 0 ? fraction : 0)
           : kind < 20 ? sign | exponent << 10
                       : sign | exponent << 10 | fraction;
}

/** A value of enum lull_ir3_type @p type, with or without NaNs. */
static inline uint32_t ir3_value(uint64_t *seed, unsigned type, bool nans)
{
    switch (type) {
    case LULL_IR3_TYPE_F32:
        for (;;) {
            const uint32_t v = ir3_number(seed);
            if (nans || (v & 0x7fffffff) <= 0x7f800000) {
                return v;
            }
        }
    case LULL_IR3_TYPE_F16:
        for (;;) {
            const uint32_t v = ir3_half(seed);
            if (nans || (v & 0x7fff) <= 0x7c00) {
                return v;
            }
        }
    default: {
        const uint32_t v = (uint32_t)ir3_next(seed) >> (ir3_next(seed) % 32);
        const uint32_t w = ir3_next(seed) % 4 == 0 ? 0 - v : v;
        return lull_ir3_type_bits(type) == 32 ? w : w & 0xffff;
    }
    }
}

#endif
