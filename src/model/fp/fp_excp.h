// SPDX-License-Identifier: MIT
/** @file
 * Exceptions that the functions of fp.h raise, found by asking them twice: with LULL_FP_PROBE they
 * turn bits of the result for what rounding raises; the rest follows from operands and result.
 *
 * The rules (source: RDNA3 ISA guide 3.4.9, MODE.EXCP_EN; 16, V_DIV_FIXUP and V_RCP_IFLAG_F32):
 *  - invalid: an operand is a signalling NaN, or the result is a NaN and no operand is one; to an
 *    integer: NaN, or beyond its range (IEEE 754-2008 7.2 j: the guide has nothing on it);
 *  - input denormal: an operand is denormal, whether MODE flushes it or not;
 *  - division by zero: infinite result of finite operands that is no overflow; so also log(0), as
 *    IEEE 754-2008 7.3 has it;
 *  - overflow: the rounded result is larger than the largest finite number;
 *  - underflow: the exact result is not zero and below the smallest normal number, even if it is
 *    not rounded;
 *  - inexact: the result is not the exact one, or was flushed. For rsq, exp, log, sin and cos the
 *    exact one is what the model has before it rounds, which is nearly that.
 * Compares, min and max raise the first two only; classes, moves and selections nothing. Left out,
 * because the guide does not say: dot products, v_div_scale, matrices, interpolation, float atomics
 * of memory and LDS. An f16 operand of v_fma_mix counts as the f32 that it becomes.
 */
#ifndef LULL_MODEL_FP_EXCP_H
#define LULL_MODEL_FP_EXCP_H

#include "model/fp/fp_core.h"

/** What is known of the operands of one operation. */
struct lull_excp {
    uint32_t bits; ///< enum lull_fp_excp.
    bool nan, inf;
};

static inline void lull_excp_operand(struct lull_excp *e, struct lull_fp_format f, uint64_t a)
{
    const uint64_t magnitude = a & (lull_fp_sign_bit(f) - 1);
    const bool denormal = magnitude != 0 && magnitude < (uint64_t)1 << f.mant;
    e->bits |= lull_fp_is_snan(f, a) ? (uint32_t)LULL_EXCP_INVALID : 0;
    e->bits |= denormal ? (uint32_t)LULL_EXCP_DENORMAL : 0;
    e->nan = e->nan || magnitude > lull_fp_inf(f, false);
    e->inf = e->inf || magnitude == lull_fp_inf(f, false);
}

/** What the probe shows: @p turned are the bits that LULL_FP_PROBE changed in a result. */
static inline void lull_excp_probed(struct lull_excp *e, uint64_t turned)
{
    const uint32_t t = (uint32_t)turned;
    e->bits |= (t | t >> 8 | t >> 16 | t >> 24) & LULL_EXCP_ALL;
}

/** After operands and probe: the result @p r is a float. */
static inline void lull_excp_result(struct lull_excp *e, struct lull_fp_format f, uint64_t r)
{
    const uint64_t magnitude = r & (lull_fp_sign_bit(f) - 1), inf = lull_fp_inf(f, false);
    if (magnitude > inf && !e->nan) {
        e->bits |= LULL_EXCP_INVALID;
    }
    if (magnitude == inf && !e->nan && !e->inf && (e->bits & LULL_EXCP_OVERFLOW) == 0) {
        e->bits |= LULL_EXCP_DIVZERO;
    }
}

/* Those that follow rules of their own: operands as in fp.h. */
uint32_t lull_excp_f16_div_fixup(uint16_t a, uint16_t b, uint16_t c, uint32_t m);
uint32_t lull_excp_f32_div_fixup(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
uint32_t lull_excp_f64_div_fixup(uint64_t a, uint64_t b, uint64_t c, uint32_t m);
uint32_t lull_excp_f32_rcp_iflag(uint32_t a, uint32_t m);
uint32_t lull_excp_f16_fma_mix(uint32_t a, uint32_t b, uint32_t c, uint32_t m);

/* OMOD, a second rounding. */
uint32_t lull_excp_f16_omod(uint16_t a, unsigned omod, uint32_t m);
uint32_t lull_excp_f32_omod(uint32_t a, unsigned omod, uint32_t m);
uint32_t lull_excp_f64_omod(uint64_t a, unsigned omod, uint32_t m);

#endif
