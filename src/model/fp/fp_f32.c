// SPDX-License-Identifier: MIT
#include "model/fp/fp.h"

#include "hw/hwreg_regs.h"
#include "model/fp/fp_generic.h"

// fp.h stands alone, for the lane loops; here its bits of MODE meet the table of registers.
_Static_assert(LULL_FP_ROUND_F32_SHIFT == LULL_HWREG_MODE__FP_ROUND_SHIFT, "MODE.FP_ROUND");
_Static_assert(LULL_FP_DENORM_F32_SHIFT == LULL_HWREG_MODE__FP_DENORM_SHIFT, "MODE.FP_DENORM");
_Static_assert(LULL_FP_DX10_CLAMP == LULL_HWREG_MODE__DX10_CLAMP_MASK, "MODE.DX10_CLAMP");
_Static_assert(LULL_FP_IEEE == LULL_HWREG_MODE__IEEE_MASK, "MODE.IEEE");
_Static_assert(LULL_FP_FP16_OVFL == LULL_HWREG_MODE__FP16_OVFL_MASK, "MODE.FP16_OVFL");

static const struct lull_fp_div div32 = {64, 96, 23};

uint32_t lull_f32_add(uint32_t a, uint32_t b, uint32_t m)
{
    return (uint32_t)lull_fp_add(lull_fp32, a, b, m);
}

uint32_t lull_f32_sub(uint32_t a, uint32_t b, uint32_t m)
{
    return (uint32_t)lull_fp_sub(lull_fp32, a, b, m);
}

uint32_t lull_f32_mul(uint32_t a, uint32_t b, uint32_t m)
{
    return (uint32_t)lull_fp_mul(lull_fp32, a, b, m);
}

uint32_t lull_f32_fma(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return (uint32_t)lull_fp_fma(lull_fp32, a, b, c, 0, m);
}

static bool is_zero(uint32_t a, uint32_t m)
{
    return (lull_fp_flush_in(lull_fp32, a, m) & 0x7fffffff) == 0;
}

uint32_t lull_f32_mul_dx9(uint32_t a, uint32_t b, uint32_t m)
{
    return is_zero(a, m) || is_zero(b, m) ? 0 : lull_f32_mul(a, b, m);
}

uint32_t lull_f32_fma_dx9(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    if (is_zero(a, m) || is_zero(b, m)) {
        // The product is +0: adding it leaves c, quieted or flushed where the adder does that.
        return (uint32_t)lull_fp_add(lull_fp32, c, c & 0x80000000, m);
    }
    return lull_f32_fma(a, b, c, m);
}

uint32_t lull_f32_mullit(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    const uint32_t lowest = 0xff7fffff;
    bool positive = lull_f32_cmp(c, 0, LULL_CMP_GT, m);
    bool above = lull_f32_cmp(b, lowest, LULL_CMP_GT, m);
    return positive && above ? lull_f32_mul(a, b, m) : lowest;
}

uint32_t lull_f32_min(uint32_t a, uint32_t b, uint32_t m)
{
    return (uint32_t)lull_fp_minmax(lull_fp32, a, b, false, m);
}

uint32_t lull_f32_max(uint32_t a, uint32_t b, uint32_t m)
{
    return (uint32_t)lull_fp_minmax(lull_fp32, a, b, true, m);
}

uint32_t lull_f32_min3(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return lull_f32_min(lull_f32_min(a, b, m), c, m);
}

uint32_t lull_f32_max3(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return lull_f32_max(lull_f32_max(a, b, m), c, m);
}

uint32_t lull_f32_med3(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return (uint32_t)lull_fp_med3(lull_fp32, a, b, c, m);
}

uint32_t lull_f32_minmax(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return lull_f32_max(lull_f32_min(a, b, m), c, m);
}

uint32_t lull_f32_maxmin(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return lull_f32_min(lull_f32_max(a, b, m), c, m);
}

uint32_t lull_f32_clamp(uint32_t a, uint32_t m)
{
    return (uint32_t)lull_fp_clamp(lull_fp32, a, m);
}

uint32_t lull_f32_omod(uint32_t a, unsigned omod, uint32_t m)
{
    return (uint32_t)lull_fp_omod(lull_fp32, a, omod, m);
}

uint32_t lull_f32_out(uint32_t a, unsigned omod, bool clamp, uint32_t m)
{
    return (uint32_t)lull_fp_out(lull_fp32, a, omod, clamp, m);
}

uint32_t lull_f32_floor(uint32_t a, uint32_t m)
{
    return (uint32_t)lull_fp_integral(lull_fp32, a, LULL_ROUND_DOWN, m);
}

uint32_t lull_f32_ceil(uint32_t a, uint32_t m)
{
    return (uint32_t)lull_fp_integral(lull_fp32, a, LULL_ROUND_UP, m);
}

uint32_t lull_f32_trunc(uint32_t a, uint32_t m)
{
    return (uint32_t)lull_fp_integral(lull_fp32, a, LULL_ROUND_ZERO, m);
}

uint32_t lull_f32_rndne(uint32_t a, uint32_t m)
{
    return (uint32_t)lull_fp_integral(lull_fp32, a, LULL_ROUND_NEAREST, m);
}

uint32_t lull_f32_fract(uint32_t a, uint32_t m)
{
    return (uint32_t)lull_fp_fract(lull_fp32, a, m);
}

uint32_t lull_f32_ldexp(uint32_t a, int32_t e, uint32_t m)
{
    return (uint32_t)lull_fp_ldexp(lull_fp32, a, e, m);
}

int32_t lull_f32_frexp_exp(uint32_t a, uint32_t m)
{
    return lull_fp_frexp_exp(lull_fp32, a, m);
}

uint32_t lull_f32_frexp_mant(uint32_t a, uint32_t m)
{
    return (uint32_t)lull_fp_frexp_mant(lull_fp32, a, m);
}

bool lull_f32_cmp(uint32_t a, uint32_t b, enum lull_fp_cmp op, uint32_t m)
{
    return lull_fp_cmp(lull_fp32, a, b, op, m);
}

bool lull_f32_class(uint32_t a, uint32_t mask)
{
    return lull_fp_class(lull_fp32, a, mask);
}

/** Major axis of a cube-map direction: 0 x, 1 y, 2 z. */
static unsigned cube_axis(uint32_t x, uint32_t y, uint32_t z, uint32_t m)
{
    const uint32_t abs = 0x7fffffff;
    if (lull_f32_cmp(z & abs, x & abs, LULL_CMP_GE, m) &&
        lull_f32_cmp(z & abs, y & abs, LULL_CMP_GE, m)) {
        return 2;
    }
    return lull_f32_cmp(y & abs, x & abs, LULL_CMP_GE, m) ? 1 : 0;
}

static bool negative(uint32_t a, uint32_t m)
{
    return lull_f32_cmp(a, 0, LULL_CMP_LT, m);
}

/** Result of a cube instruction that is an operand or its negative. */
static uint32_t cube_pass(uint32_t a, bool neg, uint32_t m)
{
    if (lull_fp_is_nan(lull_fp32, a)) {
        a = (uint32_t)lull_fp_quiet(lull_fp32, a, m);
    }
    a = (uint32_t)lull_fp_flush_out(lull_fp32, lull_fp_flush_in(lull_fp32, a, m), m);
    return neg ? a ^ 0x80000000 : a;
}

uint32_t lull_f32_cubeid(uint32_t x, uint32_t y, uint32_t z, uint32_t m)
{
    // Faces 0 to 5 as f32.
    static const uint32_t face[3][2] = {
        {0, 0x3f800000}, {0x40000000, 0x40400000}, {0x40800000, 0x40a00000}};
    uint32_t v[3] = {x, y, z};
    unsigned axis = cube_axis(x, y, z, m);
    return face[axis][negative(v[axis], m)];
}

uint32_t lull_f32_cubesc(uint32_t x, uint32_t y, uint32_t z, uint32_t m)
{
    switch (cube_axis(x, y, z, m)) {
    case 2:
        return cube_pass(x, negative(z, m), m);
    case 1:
        return cube_pass(x, false, m);
    default:
        return cube_pass(z, !negative(x, m), m);
    }
}

uint32_t lull_f32_cubetc(uint32_t x, uint32_t y, uint32_t z, uint32_t m)
{
    if (cube_axis(x, y, z, m) == 1) {
        return cube_pass(z, negative(y, m), m);
    }
    return cube_pass(y, true, m);
}

uint32_t lull_f32_cubema(uint32_t x, uint32_t y, uint32_t z, uint32_t m)
{
    uint32_t v[3] = {x, y, z};
    return lull_f32_mul(v[cube_axis(x, y, z, m)], 0x40000000, m);
}

uint32_t lull_f32_div_scale(uint32_t a, uint32_t b, uint32_t c, uint32_t m, bool *vcc)
{
    const uint64_t s[3] = {a, b, c};
    return (uint32_t)lull_fp_div_scale(lull_fp32, &div32, s, m, vcc);
}

uint32_t lull_f32_div_fmas(uint32_t a, uint32_t b, uint32_t c, bool vcc, uint32_t m)
{
    bool up = (c & 0x7fffffff) >= 0x40000000;
    return (uint32_t)lull_fp_fma(lull_fp32, a, b, c, !vcc ? 0 : up ? 64 : -64, m);
}

uint32_t lull_f32_div_fixup(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return (uint32_t)lull_fp_div_fixup(lull_fp32, a, b, c, -150, m);
}

/** fma(f16 * f16 of one half, c), in f32. */
static uint32_t dot_step_f16(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return lull_f32_fma(lull_f32_from_f16((uint16_t)a, m), lull_f32_from_f16((uint16_t)b, m), c, m);
}

uint32_t lull_f32_dot2_f16(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return dot_step_f16(a >> 16, b >> 16, dot_step_f16(a, b, c, m), m);
}

uint32_t lull_f32_dot2_bf16(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    c = lull_f32_fma(a << 16, b << 16, c, m);
    return lull_f32_fma(a & 0xffff0000, b & 0xffff0000, c, m);
}

/** fma in bf16, which is f32 without its lower half. */
static uint16_t fma_bf16(uint32_t a, uint32_t b, uint32_t c)
{
    // To nearest even, denormals kept, whatever MODE says.
    static const struct lull_fp_format bf16 = {LULL_BF16_NAN, 7, 8, 0, 4, false};
    return (uint16_t)lull_fp_fma(bf16, a & 0xffff, b & 0xffff, c & 0xffff, 0,
                                 3u << bf16.denorm_shift | LULL_FP_IEEE);
}

uint16_t lull_bf16_dot2(uint32_t a, uint32_t b, uint16_t c, uint32_t m)
{
    (void)m;
    return fma_bf16(a >> 16, b >> 16, fma_bf16(a, b, c));
}

uint32_t lull_f32_mix(uint32_t a, bool op_sel, bool op_sel_hi, uint32_t m)
{
    return op_sel_hi ? lull_f32_from_f16((uint16_t)(op_sel ? a >> 16 : a), m) : a;
}

uint16_t lull_f16_fma_mix(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    return lull_f16_from_f32(lull_f32_fma(a, b, c, m), m);
}
