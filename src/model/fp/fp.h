// SPDX-License-Identifier: MIT
/** @file
 * Floating point of RDNA3: pure functions from bit patterns and MODE to bit patterns.
 *
 * Everything here is integer arithmetic: results depend neither on the host's
 * floating-point unit nor on its MXCSR, so they are the same on every host.
 * fp_host.h has vectorisable forms of the f32 operations that use the host's unit.
 *
 * @c m is always the wave's MODE register as s_getreg shows it. Only the fields
 * of enum lull_fp_mode are read: rounding and denormals of f32 for f32 results
 * and operands, those of f64/f16 for both of these types.
 *
 * NaN: an operation without NaN operand that is invalid yields the quiet NaN with
 * sign (LULL_F32_NAN). With NaN operands the result is the first NaN in operand
 * order (src0, src1, src2) with its payload; it is quieted if MODE.IEEE is set,
 * and passed on unchanged otherwise.
 * Source: V_DIV_FIXUP pseudo code in the RDNA3 ISA guide 16 (0xffc00000); CLRX
 * documentation of V_SQRT/LOG/RSQ/SIN ("-NaN"); LLVM issue 139622 (no instruction
 * quiets with IEEE = 0) and pull request 214608 (the payload survives).
 * Which of two NaNs wins is not documented.
 *
 * Accuracy: "exact" below means correctly rounded by MODE, or no rounding at all.
 */
#ifndef LULL_MODEL_FP_FP_H
#define LULL_MODEL_FP_FP_H

#include <stdbool.h>
#include <stdint.h>

/** Fields of MODE that arithmetic looks at. Source: RDNA3 ISA guide 3.3.2. */
enum lull_fp_mode {
    LULL_FP_ROUND_F32_SHIFT = 0,  ///< 2 bits: 0 nearest even, 1 up, 2 down, 3 to zero.
    LULL_FP_ROUND_F64_SHIFT = 2,  ///< The same for f64 and f16.
    LULL_FP_DENORM_F32_SHIFT = 4, ///< 2 bits: +1 keep denormal operands, +2 keep denormal results.
    LULL_FP_DENORM_F64_SHIFT = 6, ///< The same for f64 and f16.
    LULL_FP_DX10_CLAMP = 1 << 8,  ///< The clamp modifier turns NaN into 0.
    LULL_FP_IEEE = 1 << 9,        ///< Quiet signalling NaNs.
    LULL_FP_FP16_OVFL = 1 << 23,  ///< Finite f16 results that overflow become the largest finite.
};

/** Exceptions, as in TRAPSTS.EXCP and MODE.EXCP_EN. Source: data/reg/hwreg.reg. */
enum lull_fp_excp {
    LULL_EXCP_INVALID = 1,
    LULL_EXCP_DENORMAL = 2, ///< An operand was denormal.
    LULL_EXCP_DIVZERO = 4,
    LULL_EXCP_OVERFLOW = 8,
    LULL_EXCP_UNDERFLOW = 16,
    LULL_EXCP_INEXACT = 32,
    LULL_EXCP_INT_DIVZERO = 64, ///< Only v_rcp_iflag_f32.
    LULL_EXCP_ALL = 127,
};

/**
 * Not in MODE: added to @c m, the result has those bits turned that enum lull_fp_excp has for what
 * rounding it raises, and a conversion to integers also for invalid; of two results in a dword
 * each. fp_excp.h makes exceptions of that; a function that rounds twice has no use for it.
 */
#define LULL_FP_PROBE 0x80000000u

#define LULL_F16_NAN 0xfe00u
#define LULL_BF16_NAN 0xffc0u
#define LULL_F32_NAN 0xffc00000u
#define LULL_F64_NAN 0xfff8000000000000u

/* f32: exact. */
uint32_t lull_f32_add(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_f32_sub(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_f32_mul(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_f32_fma(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
/** v_mul_dx9_zero_f32: +0 if a or b is zero, even times infinity or NaN. */
uint32_t lull_f32_mul_dx9(uint32_t a, uint32_t b, uint32_t m);
/** v_fma_dx9_zero_f32: c if a or b is zero. */
uint32_t lull_f32_fma_dx9(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
/** v_mullit_f32. Source: RDNA3 ISA guide 16.9. */
uint32_t lull_f32_mullit(uint32_t a, uint32_t b, uint32_t c, uint32_t m);

/*
 * Minimum and maximum: -0 is below +0; a NaN loses against a number; with MODE.IEEE a
 * signalling NaN wins and is quieted; two NaNs give a. Denormal operands are flushed by MODE.
 * Source: pseudo code of V_MIN_F32 in the RDNA3 ISA guide 16.7.
 */
uint32_t lull_f32_min(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_f32_max(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_f32_min3(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
uint32_t lull_f32_max3(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
/** v_med3_f32: with a NaN among the operands it is min3. */
uint32_t lull_f32_med3(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
/** v_minmax_f32: max(min(a, b), c). */
uint32_t lull_f32_minmax(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
/** v_maxmin_f32: min(max(a, b), c). */
uint32_t lull_f32_maxmin(uint32_t a, uint32_t b, uint32_t c, uint32_t m);

/** The CLAMP modifier: into [+0, 1]; NaN gives 0 with MODE.DX10_CLAMP, else stays. */
uint32_t lull_f32_clamp(uint32_t a, uint32_t m);
/**
 * The OMOD modifier: 0 none, 1 times 2, 2 times 4, 3 divided by 2.
 * Ignored if MODE.IEEE is set or denormal results are kept; otherwise denormal results become +0,
 * and so does -0. Source: RDNA3 ISA guide 7.2.3 (output modifiers).
 */
uint32_t lull_f32_omod(uint32_t a, unsigned omod, uint32_t m);
/** OMOD, then CLAMP, as a VOP3 result passes them. */
uint32_t lull_f32_out(uint32_t a, unsigned omod, bool clamp, uint32_t m);

uint32_t lull_f32_floor(uint32_t a, uint32_t m);
uint32_t lull_f32_ceil(uint32_t a, uint32_t m);
uint32_t lull_f32_trunc(uint32_t a, uint32_t m);
uint32_t lull_f32_rndne(uint32_t a, uint32_t m);
/** a - floor(a), below 1: what would round to 1 is 0x3f7fffff. Infinity: NaN of its sign. */
uint32_t lull_f32_fract(uint32_t a, uint32_t m);
/** a * 2^e, rounded once. */
uint32_t lull_f32_ldexp(uint32_t a, int32_t e, uint32_t m);
/** Exponent for a mantissa in [0.5, 1); 0 for zero, infinity and NaN. */
int32_t lull_f32_frexp_exp(uint32_t a, uint32_t m);
uint32_t lull_f32_frexp_mant(uint32_t a, uint32_t m);

/**
 * Comparison by the low 4 bits of a float VOPC opcode: 1 less, 2 equal, 4 greater, 8 unordered,
 * so F 0, LT 1, EQ 2, LE 3, GT 4, LG 5, GE 6, O 7, U 8, NGE 9, NLG 10, NGT 11, NLE 12, NEQ 13,
 * NLT 14, T 15. Denormal operands are flushed by MODE.
 */
enum lull_fp_cmp {
    // clang-format off
    LULL_CMP_F, LULL_CMP_LT, LULL_CMP_EQ, LULL_CMP_LE, LULL_CMP_GT, LULL_CMP_LG, LULL_CMP_GE,
    LULL_CMP_O, LULL_CMP_U, LULL_CMP_NGE, LULL_CMP_NLG, LULL_CMP_NGT, LULL_CMP_NLE, LULL_CMP_NEQ,
    LULL_CMP_NLT, LULL_CMP_T,
    // clang-format on
};
bool lull_f32_cmp(uint32_t a, uint32_t b, enum lull_fp_cmp op, uint32_t m);
bool lull_f16_cmp(uint16_t a, uint16_t b, enum lull_fp_cmp op, uint32_t m);
bool lull_f64_cmp(uint64_t a, uint64_t b, enum lull_fp_cmp op, uint32_t m);
/**
 * v_cmp_class: whether bit @c mask has of 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0,
 * 6 +0, 7 +denormal, 8 +normal, 9 +inf is set for @p a. Looks at the bits: nothing is flushed.
 */
bool lull_f32_class(uint32_t a, uint32_t mask);
bool lull_f16_class(uint16_t a, uint32_t mask);
bool lull_f64_class(uint64_t a, uint32_t mask);

/*
 * Transcendentals of f32. Hardware promises 1 ULP; these give the nearest even value (at most
 * 0.50001 ULP away; rcp and sqrt are correctly rounded), whatever MODE says about rounding.
 * Denormal operands and results are flushed, whatever MODE says.
 * Source: LLVM AMDGPUUsage (log2, exp2, sqrt: 1 ULP, no denormals), CLRX documentation.
 */
uint32_t lull_f32_rcp(uint32_t a, uint32_t m); ///< +-0: infinity of that sign.
/** v_rcp_iflag_f32: the same value; other exceptions. */
static inline uint32_t lull_f32_rcp_iflag(uint32_t a, uint32_t m)
{
    return lull_f32_rcp(a, m);
}
uint32_t lull_f32_rsq(uint32_t a, uint32_t m);  ///< +-0: infinity of that sign; negative: NaN.
uint32_t lull_f32_sqrt(uint32_t a, uint32_t m); ///< -0: -0; negative: NaN.
uint32_t lull_f32_exp(uint32_t a, uint32_t m);  ///< 2^a; +0 below -126.
uint32_t lull_f32_log(uint32_t a, uint32_t m);  ///< Base 2; +-0: -infinity; negative: NaN.
/**
 * Sine of @p a revolutions, reduced exactly over the whole range; infinity: NaN. Source: LLVM does
 * not reduce operands from gfx9 on (its feature trig-reduced-range); tinygrad's tests on gfx1100.
 */
uint32_t lull_f32_sin(uint32_t a, uint32_t m);
uint32_t lull_f32_cos(uint32_t a, uint32_t m);

/* Cube maps: operands x, y, z. Source: RDNA3 ISA guide 16.9. */
uint32_t lull_f32_cubeid(uint32_t x, uint32_t y, uint32_t z, uint32_t m);
uint32_t lull_f32_cubesc(uint32_t x, uint32_t y, uint32_t z, uint32_t m);
uint32_t lull_f32_cubetc(uint32_t x, uint32_t y, uint32_t z, uint32_t m);
uint32_t lull_f32_cubema(uint32_t x, uint32_t y, uint32_t z, uint32_t m);

/**
 * v_div_scale: @p a (which is b or c) scaled for the quotient c / b; *vcc: scale it back.
 *
 * Source: RDNA3 ISA guide 16.9, corrected where division would come out wrong by it and by what
 * tinygrad's tests saw on gfx1100: a zero operand sets vcc, a quotient or reciprocal counts as
 * denormal by exponents alone, and a huge denominator is scaled down, not up.
 */
uint32_t lull_f32_div_scale(uint32_t a, uint32_t b, uint32_t c, uint32_t m, bool *vcc);
/** v_div_fmas: fma, with @p vcc times 2^64 (f64: 2^128) if |c| >= 2 and 2^-64 if not; exact. */
uint32_t lull_f32_div_fmas(uint32_t a, uint32_t b, uint32_t c, bool vcc, uint32_t m);
/** v_div_fixup: quotient estimate @p a of c / b, special cases put right. */
uint32_t lull_f32_div_fixup(uint32_t a, uint32_t b, uint32_t c, uint32_t m);

/* f16: as f32 with the rounding and denormals of f64/f16, and FP16_OVFL. */
uint16_t lull_f16_add(uint16_t a, uint16_t b, uint32_t m);
uint16_t lull_f16_sub(uint16_t a, uint16_t b, uint32_t m);
uint16_t lull_f16_mul(uint16_t a, uint16_t b, uint32_t m);
uint16_t lull_f16_fma(uint16_t a, uint16_t b, uint16_t c, uint32_t m);
uint16_t lull_f16_min(uint16_t a, uint16_t b, uint32_t m);
uint16_t lull_f16_max(uint16_t a, uint16_t b, uint32_t m);
uint16_t lull_f16_min3(uint16_t a, uint16_t b, uint16_t c, uint32_t m);
uint16_t lull_f16_max3(uint16_t a, uint16_t b, uint16_t c, uint32_t m);
uint16_t lull_f16_med3(uint16_t a, uint16_t b, uint16_t c, uint32_t m);
uint16_t lull_f16_minmax(uint16_t a, uint16_t b, uint16_t c, uint32_t m);
uint16_t lull_f16_maxmin(uint16_t a, uint16_t b, uint16_t c, uint32_t m);
uint16_t lull_f16_clamp(uint16_t a, uint32_t m);
uint16_t lull_f16_out(uint16_t a, unsigned omod, bool clamp, uint32_t m);
uint16_t lull_f16_floor(uint16_t a, uint32_t m);
uint16_t lull_f16_ceil(uint16_t a, uint32_t m);
uint16_t lull_f16_trunc(uint16_t a, uint32_t m);
uint16_t lull_f16_rndne(uint16_t a, uint32_t m);
uint16_t lull_f16_fract(uint16_t a, uint32_t m);
uint16_t lull_f16_ldexp(uint16_t a, int32_t e, uint32_t m); ///< e: src1 sign-extended from 16 bits.
int32_t lull_f16_frexp_exp(uint16_t a, uint32_t m);         ///< To be stored as 16 bits.
uint16_t lull_f16_frexp_mant(uint16_t a, uint32_t m);
/* As those of f32, to nearest even, but denormals go by MODE. */
uint16_t lull_f16_rcp(uint16_t a, uint32_t m);
uint16_t lull_f16_rsq(uint16_t a, uint32_t m);
uint16_t lull_f16_sqrt(uint16_t a, uint32_t m);
uint16_t lull_f16_exp(uint16_t a, uint32_t m);
uint16_t lull_f16_log(uint16_t a, uint32_t m);
uint16_t lull_f16_sin(uint16_t a, uint32_t m);
uint16_t lull_f16_cos(uint16_t a, uint32_t m);
uint16_t lull_f16_div_fixup(uint16_t a, uint16_t b, uint16_t c, uint32_t m);

/* Two f16 in a dword (VOP3P, after op_sel and neg have been applied). */
uint32_t lull_pk_f16_add(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_pk_f16_mul(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_pk_f16_fma(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
uint32_t lull_pk_f16_min(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_pk_f16_max(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_pk_f16_clamp(uint32_t a, uint32_t m);

/*
 * Dot products: accumulator c, then low product, then high product, each step one fma
 * (products are not rounded). Source: RDNA3 ISA guide 16.10; that each step rounds is an
 * assumption.
 */
uint32_t lull_f32_dot2_f16(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
uint32_t lull_f32_dot2_bf16(uint32_t a, uint32_t b, uint32_t c, uint32_t m);
uint16_t lull_f16_dot2(uint32_t a, uint32_t b, uint16_t c, uint32_t m);
/** v_dot2_bf16_bf16: bf16 rounds to nearest even and keeps denormals. */
uint16_t lull_bf16_dot2(uint32_t a, uint32_t b, uint16_t c, uint32_t m);

/** Operand of v_fma_mix*: @p op_sel_hi (one bit): an f16, the upper half if @p op_sel; else f32. */
uint32_t lull_f32_mix(uint32_t a, bool op_sel, bool op_sel_hi, uint32_t m);
/** v_fma_mixlo/hi_f16: fma of f32 operands, rounded to f32, then to f16. */
uint16_t lull_f16_fma_mix(uint32_t a, uint32_t b, uint32_t c, uint32_t m);

/* f64: exact, but for the transcendentals. */
uint64_t lull_f64_add(uint64_t a, uint64_t b, uint32_t m);
uint64_t lull_f64_mul(uint64_t a, uint64_t b, uint32_t m);
uint64_t lull_f64_fma(uint64_t a, uint64_t b, uint64_t c, uint32_t m);
uint64_t lull_f64_min(uint64_t a, uint64_t b, uint32_t m);
uint64_t lull_f64_max(uint64_t a, uint64_t b, uint32_t m);
uint64_t lull_f64_clamp(uint64_t a, uint32_t m);
uint64_t lull_f64_out(uint64_t a, unsigned omod, bool clamp, uint32_t m);
uint64_t lull_f64_floor(uint64_t a, uint32_t m);
uint64_t lull_f64_ceil(uint64_t a, uint32_t m);
uint64_t lull_f64_trunc(uint64_t a, uint32_t m);
uint64_t lull_f64_rndne(uint64_t a, uint32_t m);
uint64_t lull_f64_fract(uint64_t a, uint32_t m);
uint64_t lull_f64_ldexp(uint64_t a, int32_t e, uint32_t m);
int32_t lull_f64_frexp_exp(uint64_t a, uint32_t m);
uint64_t lull_f64_frexp_mant(uint64_t a, uint32_t m);
/*
 * Hardware is good to about 2^-27 here; these are correctly rounded to nearest even
 * (rsq: at most 0.51 ULP away). Denormals go by MODE.
 */
uint64_t lull_f64_rcp(uint64_t a, uint32_t m);
uint64_t lull_f64_rsq(uint64_t a, uint32_t m);
uint64_t lull_f64_sqrt(uint64_t a, uint32_t m);
uint64_t lull_f64_div_scale(uint64_t a, uint64_t b, uint64_t c, uint32_t m, bool *vcc);
uint64_t lull_f64_div_fmas(uint64_t a, uint64_t b, uint64_t c, bool vcc, uint32_t m);
uint64_t lull_f64_div_fixup(uint64_t a, uint64_t b, uint64_t c, uint32_t m);
/** v_trig_preop_f64: 53 bits of 2/pi, segment @p seg (bits 4:0), further right for a huge @p a. */
uint64_t lull_f64_trig_preop(uint64_t a, uint32_t seg, uint32_t m);

/* Conversions between floats: exact; rounding and denormals go by the type of the result. */
uint32_t lull_f32_from_f16(uint16_t a, uint32_t m);
uint16_t lull_f16_from_f32(uint32_t a, uint32_t m);
uint16_t lull_f16_from_f32_rtz(uint32_t a, uint32_t m); ///< Half of v_cvt_pk_rtz_f16_f32.
uint32_t lull_pk_f16_from_f32_rtz(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_f32_from_f64(uint64_t a, uint32_t m);
uint64_t lull_f64_from_f32(uint32_t a, uint32_t m);
/* Conversions from integers: exact. */
uint32_t lull_f32_from_i32(uint32_t a, uint32_t m);
uint32_t lull_f32_from_u32(uint32_t a, uint32_t m);
uint64_t lull_f64_from_i32(uint32_t a, uint32_t m);
uint64_t lull_f64_from_u32(uint32_t a, uint32_t m);
uint16_t lull_f16_from_i16(uint16_t a, uint32_t m);
uint16_t lull_f16_from_u16(uint16_t a, uint32_t m);
uint32_t lull_f32_ubyte(uint32_t a, unsigned n); ///< v_cvt_f32_ubyteN.
uint32_t lull_f32_off_i4(uint32_t a);            ///< v_cvt_off_f32_i4: low 4 bits signed, / 16.
/* Conversions to integers: toward zero, saturated, NaN gives 0. */
uint32_t lull_i32_from_f32(uint32_t a, uint32_t m);
uint32_t lull_u32_from_f32(uint32_t a, uint32_t m);
uint32_t lull_i32_from_f64(uint64_t a, uint32_t m);
uint32_t lull_u32_from_f64(uint64_t a, uint32_t m);
uint16_t lull_i16_from_f16(uint16_t a, uint32_t m);
uint16_t lull_u16_from_f16(uint16_t a, uint32_t m);
/**
 * v_cvt_nearest_i32_f32: floor(a + 0.5), the sum rounded as f32; v_cvt_floor_i32_f32: floor(a).
 * NaN: INT32_MAX, or INT32_MIN with sign. Source: RDNA3 ISA guide 16.8; CLRX documentation (NaN).
 */
uint32_t lull_i32_nearest_f32(uint32_t a, uint32_t m);
uint32_t lull_i32_floor_f32(uint32_t a, uint32_t m);
uint32_t lull_pk_i16_from_f32(uint32_t a, uint32_t b, uint32_t m); ///< v_cvt_pk_i16_f32.
uint32_t lull_pk_u16_from_f32(uint32_t a, uint32_t b, uint32_t m); ///< v_cvt_pk_u16_f32.
uint32_t lull_pk_i16_from_i32(uint32_t a, uint32_t b);             ///< v_cvt_pk_i16_i32: saturated.
uint32_t lull_pk_u16_from_u32(uint32_t a, uint32_t b);             ///< v_cvt_pk_u16_u32: saturated.
/*
 * Normalised: a * 32767 (65535) to nearest even, within [-32767, 32767] ([0, 65535]); NaN gives 0.
 * Rounding is an assumption (CLRX: nearest even).
 */
uint16_t lull_i16_norm_f16(uint16_t a, uint32_t m);
uint16_t lull_u16_norm_f16(uint16_t a, uint32_t m);
uint32_t lull_pk_i16_norm_f16(uint16_t a, uint16_t b, uint32_t m);
uint32_t lull_pk_u16_norm_f16(uint16_t a, uint16_t b, uint32_t m);
uint32_t lull_pk_i16_norm_f32(uint32_t a, uint32_t b, uint32_t m);
uint32_t lull_pk_u16_norm_f32(uint32_t a, uint32_t b, uint32_t m);
/** v_cvt_pk_u8_f32: a, rounded by MODE to [0, 255], into byte b[1:0] of c. */
uint32_t lull_pk_u8_from_f32(uint32_t a, uint32_t b, uint32_t c, uint32_t m);

#endif
