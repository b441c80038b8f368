// SPDX-License-Identifier: MIT
#include "model/fp/fp.h"

#include "model/fp/fp_generic.h"

uint16_t lull_f16_add(uint16_t a, uint16_t b, uint32_t m)
{
    return (uint16_t)lull_fp_add(lull_fp16, a, b, m);
}

uint16_t lull_f16_sub(uint16_t a, uint16_t b, uint32_t m)
{
    return (uint16_t)lull_fp_sub(lull_fp16, a, b, m);
}

uint16_t lull_f16_mul(uint16_t a, uint16_t b, uint32_t m)
{
    return (uint16_t)lull_fp_mul(lull_fp16, a, b, m);
}

uint16_t lull_f16_fma(uint16_t a, uint16_t b, uint16_t c, uint32_t m)
{
    return (uint16_t)lull_fp_fma(lull_fp16, a, b, c, 0, m);
}

uint16_t lull_f16_min(uint16_t a, uint16_t b, uint32_t m)
{
    return (uint16_t)lull_fp_minmax(lull_fp16, a, b, false, m);
}

uint16_t lull_f16_max(uint16_t a, uint16_t b, uint32_t m)
{
    return (uint16_t)lull_fp_minmax(lull_fp16, a, b, true, m);
}

uint16_t lull_f16_min3(uint16_t a, uint16_t b, uint16_t c, uint32_t m)
{
    return lull_f16_min(lull_f16_min(a, b, m), c, m);
}

uint16_t lull_f16_max3(uint16_t a, uint16_t b, uint16_t c, uint32_t m)
{
    return lull_f16_max(lull_f16_max(a, b, m), c, m);
}

uint16_t lull_f16_med3(uint16_t a, uint16_t b, uint16_t c, uint32_t m)
{
    return (uint16_t)lull_fp_med3(lull_fp16, a, b, c, m);
}

uint16_t lull_f16_minmax(uint16_t a, uint16_t b, uint16_t c, uint32_t m)
{
    return lull_f16_max(lull_f16_min(a, b, m), c, m);
}

uint16_t lull_f16_maxmin(uint16_t a, uint16_t b, uint16_t c, uint32_t m)
{
    return lull_f16_min(lull_f16_max(a, b, m), c, m);
}

uint16_t lull_f16_clamp(uint16_t a, uint32_t m)
{
    return (uint16_t)lull_fp_clamp(lull_fp16, a, m);
}

uint16_t lull_f16_out(uint16_t a, unsigned omod, bool clamp, uint32_t m)
{
    return (uint16_t)lull_fp_out(lull_fp16, a, omod, clamp, m);
}

uint16_t lull_f16_floor(uint16_t a, uint32_t m)
{
    return (uint16_t)lull_fp_integral(lull_fp16, a, LULL_ROUND_DOWN, m);
}

uint16_t lull_f16_ceil(uint16_t a, uint32_t m)
{
    return (uint16_t)lull_fp_integral(lull_fp16, a, LULL_ROUND_UP, m);
}

uint16_t lull_f16_trunc(uint16_t a, uint32_t m)
{
    return (uint16_t)lull_fp_integral(lull_fp16, a, LULL_ROUND_ZERO, m);
}

uint16_t lull_f16_rndne(uint16_t a, uint32_t m)
{
    return (uint16_t)lull_fp_integral(lull_fp16, a, LULL_ROUND_NEAREST, m);
}

uint16_t lull_f16_fract(uint16_t a, uint32_t m)
{
    return (uint16_t)lull_fp_fract(lull_fp16, a, m);
}

uint16_t lull_f16_ldexp(uint16_t a, int32_t e, uint32_t m)
{
    return (uint16_t)lull_fp_ldexp(lull_fp16, a, e, m);
}

int32_t lull_f16_frexp_exp(uint16_t a, uint32_t m)
{
    return lull_fp_frexp_exp(lull_fp16, a, m);
}

uint16_t lull_f16_frexp_mant(uint16_t a, uint32_t m)
{
    return (uint16_t)lull_fp_frexp_mant(lull_fp16, a, m);
}

bool lull_f16_cmp(uint16_t a, uint16_t b, enum lull_fp_cmp op, uint32_t m)
{
    return lull_fp_cmp(lull_fp16, a, b, op, m);
}

bool lull_f16_class(uint16_t a, uint32_t mask)
{
    return lull_fp_class(lull_fp16, a, mask);
}

uint16_t lull_f16_div_fixup(uint16_t a, uint16_t b, uint16_t c, uint32_t m)
{
    return (uint16_t)lull_fp_div_fixup(lull_fp16, a, b, c, 0, m);
}

static uint32_t pair(uint16_t lo, uint16_t hi)
{
    return lo | (uint32_t)hi << 16;
}

uint32_t lull_pk_f16_add(uint32_t a, uint32_t b, uint32_t m)
{
    uint16_t lo = lull_f16_add((uint16_t)a, (uint16_t)b, m);
    return pair(lo, lull_f16_add((uint16_t)(a >> 16), (uint16_t)(b >> 16), m));
}

uint32_t lull_pk_f16_mul(uint32_t a, uint32_t b, uint32_t m)
{
    uint16_t lo = lull_f16_mul((uint16_t)a, (uint16_t)b, m);
    return pair(lo, lull_f16_mul((uint16_t)(a >> 16), (uint16_t)(b >> 16), m));
}

uint32_t lull_pk_f16_fma(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    uint16_t lo = lull_f16_fma((uint16_t)a, (uint16_t)b, (uint16_t)c, m);
    return pair(lo, lull_f16_fma((uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16), m));
}

uint32_t lull_pk_f16_min(uint32_t a, uint32_t b, uint32_t m)
{
    uint16_t lo = lull_f16_min((uint16_t)a, (uint16_t)b, m);
    return pair(lo, lull_f16_min((uint16_t)(a >> 16), (uint16_t)(b >> 16), m));
}

uint32_t lull_pk_f16_max(uint32_t a, uint32_t b, uint32_t m)
{
    uint16_t lo = lull_f16_max((uint16_t)a, (uint16_t)b, m);
    return pair(lo, lull_f16_max((uint16_t)(a >> 16), (uint16_t)(b >> 16), m));
}

uint32_t lull_pk_f16_clamp(uint32_t a, uint32_t m)
{
    uint16_t lo = lull_f16_clamp((uint16_t)a, m);
    return pair(lo, lull_f16_clamp((uint16_t)(a >> 16), m));
}

uint16_t lull_f16_dot2(uint32_t a, uint32_t b, uint16_t c, uint32_t m)
{
    c = lull_f16_fma((uint16_t)a, (uint16_t)b, c, m);
    return lull_f16_fma((uint16_t)(a >> 16), (uint16_t)(b >> 16), c, m);
}
