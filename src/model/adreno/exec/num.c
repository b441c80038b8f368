// SPDX-License-Identifier: MIT
#include "model/adreno/exec/num.h"

#include <math.h>
#include <string.h>

#include "model/fp/fp.h"

static float value(uint32_t a)
{
    float f;
    memcpy(&f, &a, sizeof f);
    return f;
}

static uint32_t bits(double d)
{
    if (d != d) {
        return LULL_F32_NAN;
    }
    const float f = (float)d;
    uint32_t a;
    memcpy(&a, &f, sizeof a);
    return (a & 0x7f800000) == 0 ? a & 0x80000000 : a; // Denormals are flushed.
}

uint32_t lull_ir3_f32_sin(uint32_t a, uint32_t m)
{
    (void)m;
    return (a & 0x7f800000) == 0 ? a & 0x80000000 : bits(sin((double)value(a)));
}

uint32_t lull_ir3_f32_cos(uint32_t a, uint32_t m)
{
    (void)m;
    return bits(cos((double)value(a)));
}

uint16_t lull_ir3_f16_sin(uint16_t a, uint32_t m)
{
    return lull_f16_from_f32(lull_ir3_f32_sin(lull_f32_from_f16(a, m), m), m);
}

uint16_t lull_ir3_f16_cos(uint16_t a, uint32_t m)
{
    return lull_f16_from_f32(lull_ir3_f32_cos(lull_f32_from_f16(a, m), m), m);
}
