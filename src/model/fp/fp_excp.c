// SPDX-License-Identifier: MIT
#include "model/fp/fp_excp.h"

/** Denominator @p d and numerator @p n; the quotient is what other instructions made. */
static uint32_t div_fixup(struct lull_fp_format f, uint64_t d, uint64_t n, uint32_t m)
{
    struct lull_excp e = {0};
    lull_excp_operand(&e, f, d);
    lull_excp_operand(&e, f, n);
    const struct lull_fp_num a = lull_fp_unpack(f, n, m), b = lull_fp_unpack(f, d, m);
    if (e.nan) {
        return e.bits;
    }
    if (a.kind != LULL_FP_FINITE && a.kind == b.kind) {
        e.bits |= LULL_EXCP_INVALID; // 0 / 0, infinity / infinity
    } else if (b.kind == LULL_FP_ZERO && a.kind == LULL_FP_FINITE) {
        e.bits |= LULL_EXCP_DIVZERO;
    }
    return e.bits;
}

uint32_t lull_excp_f16_div_fixup(uint16_t a, uint16_t b, uint16_t c, uint32_t m)
{
    (void)a;
    return div_fixup(lull_fp16, b, c, m);
}

uint32_t lull_excp_f32_div_fixup(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    (void)a;
    return div_fixup(lull_fp32, b, c, m);
}

uint32_t lull_excp_f64_div_fixup(uint64_t a, uint64_t b, uint64_t c, uint32_t m)
{
    (void)a;
    return div_fixup(lull_fp64, b, c, m);
}

uint32_t lull_excp_f32_rcp_iflag(uint32_t a, uint32_t m)
{
    (void)m;
    return (a & 0x7fffffff) == 0 ? LULL_EXCP_INT_DIVZERO : 0;
}

uint32_t lull_excp_f16_fma_mix(uint32_t a, uint32_t b, uint32_t c, uint32_t m)
{
    struct lull_excp e = {0};
    lull_excp_operand(&e, lull_fp32, a);
    lull_excp_operand(&e, lull_fp32, b);
    lull_excp_operand(&e, lull_fp32, c);
    const uint32_t wide = lull_f32_fma(a, b, c, m);
    lull_excp_probed(&e, wide ^ lull_f32_fma(a, b, c, m | LULL_FP_PROBE));
    lull_excp_result(&e, lull_fp32, wide);
    lull_excp_probed(&e, (uint64_t)lull_f16_from_f32(wide, m) ^
                             lull_f16_from_f32(wide, m | LULL_FP_PROBE));
    return e.bits;
}

uint32_t lull_excp_f16_omod(uint16_t a, unsigned omod, uint32_t m)
{
    const uint16_t probed = lull_f16_out(a, omod, false, m | LULL_FP_PROBE);
    return (uint32_t)(lull_f16_out(a, omod, false, m) ^ probed) & LULL_EXCP_ALL;
}

uint32_t lull_excp_f32_omod(uint32_t a, unsigned omod, uint32_t m)
{
    const uint32_t probed = lull_f32_omod(a, omod, m | LULL_FP_PROBE);
    return (lull_f32_omod(a, omod, m) ^ probed) & LULL_EXCP_ALL;
}

uint32_t lull_excp_f64_omod(uint64_t a, unsigned omod, uint32_t m)
{
    const uint64_t probed = lull_f64_out(a, omod, false, m | LULL_FP_PROBE);
    return (uint32_t)(lull_f64_out(a, omod, false, m) ^ probed) & LULL_EXCP_ALL;
}
