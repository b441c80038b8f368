// SPDX-License-Identifier: MIT
/* Operations that take each other's operands. */
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>
#include <stddef.h>

#include "spirv/mutate_priv.h"

struct pair {
    uint32_t from, to;
};

// clang-format off
static const struct pair core[] = {
    {SpvOpIAdd, SpvOpISub}, {SpvOpISub, SpvOpIAdd}, {SpvOpIMul, SpvOpIAdd},
    {SpvOpFAdd, SpvOpFSub}, {SpvOpFSub, SpvOpFAdd}, {SpvOpFMul, SpvOpFAdd}, {SpvOpFDiv, SpvOpFMul},
    {SpvOpUDiv, SpvOpUMod}, {SpvOpUMod, SpvOpUDiv}, {SpvOpSDiv, SpvOpSRem}, {SpvOpSRem, SpvOpSDiv},
    {SpvOpSMod, SpvOpSRem}, {SpvOpFMod, SpvOpFAdd}, {SpvOpFRem, SpvOpFAdd},
    {SpvOpBitwiseAnd, SpvOpBitwiseOr}, {SpvOpBitwiseOr, SpvOpBitwiseXor}, {SpvOpBitwiseXor, SpvOpBitwiseAnd},
    {SpvOpShiftRightLogical, SpvOpShiftRightArithmetic}, {SpvOpShiftRightArithmetic, SpvOpShiftRightLogical},
    {SpvOpShiftLeftLogical, SpvOpShiftRightLogical},
    {SpvOpIEqual, SpvOpINotEqual}, {SpvOpINotEqual, SpvOpIEqual},
    {SpvOpULessThan, SpvOpUGreaterThanEqual}, {SpvOpUGreaterThanEqual, SpvOpULessThan},
    {SpvOpUGreaterThan, SpvOpULessThanEqual}, {SpvOpULessThanEqual, SpvOpUGreaterThan},
    {SpvOpSLessThan, SpvOpSGreaterThanEqual}, {SpvOpSGreaterThanEqual, SpvOpSLessThan},
    {SpvOpSGreaterThan, SpvOpSLessThanEqual}, {SpvOpSLessThanEqual, SpvOpSGreaterThan},
    {SpvOpFOrdEqual, SpvOpFOrdNotEqual}, {SpvOpFOrdNotEqual, SpvOpFOrdEqual},
    {SpvOpFUnordEqual, SpvOpFUnordNotEqual}, {SpvOpFUnordNotEqual, SpvOpFUnordEqual},
    {SpvOpFOrdLessThan, SpvOpFOrdGreaterThanEqual}, {SpvOpFOrdGreaterThanEqual, SpvOpFOrdLessThan},
    {SpvOpFOrdGreaterThan, SpvOpFOrdLessThanEqual}, {SpvOpFOrdLessThanEqual, SpvOpFOrdGreaterThan},
    {SpvOpLogicalAnd, SpvOpLogicalOr}, {SpvOpLogicalOr, SpvOpLogicalAnd},
    {SpvOpLogicalEqual, SpvOpLogicalNotEqual}, {SpvOpLogicalNotEqual, SpvOpLogicalEqual},
    {SpvOpSNegate, SpvOpNot}, {SpvOpNot, SpvOpSNegate},
    {SpvOpFNegate, SpvOpCopyObject}, {SpvOpLogicalNot, SpvOpCopyObject}, {SpvOpBitReverse, SpvOpNot},
    {SpvOpConvertFToU, SpvOpConvertFToS}, {SpvOpConvertSToF, SpvOpConvertUToF},
    {SpvOpConvertUToF, SpvOpConvertSToF}, {SpvOpUConvert, SpvOpSConvert},
    {SpvOpAny, SpvOpAll}, {SpvOpAll, SpvOpAny}, {SpvOpIsNan, SpvOpIsInf}, {SpvOpIsInf, SpvOpIsNan},
    {SpvOpAtomicIAdd, SpvOpAtomicOr}, {SpvOpAtomicISub, SpvOpAtomicOr},
    {SpvOpAtomicSMin, SpvOpAtomicSMax}, {SpvOpAtomicSMax, SpvOpAtomicSMin},
    {SpvOpAtomicUMin, SpvOpAtomicUMax}, {SpvOpAtomicUMax, SpvOpAtomicUMin},
    {SpvOpAtomicAnd, SpvOpAtomicOr}, {SpvOpAtomicOr, SpvOpAtomicXor}, {SpvOpAtomicXor, SpvOpAtomicAnd},
    {SpvOpGroupNonUniformAll, SpvOpGroupNonUniformAny}, {SpvOpGroupNonUniformAny, SpvOpGroupNonUniformAll},
    {SpvOpGroupNonUniformUMin, SpvOpGroupNonUniformUMax}, {SpvOpGroupNonUniformUMax, SpvOpGroupNonUniformUMin},
    {SpvOpGroupNonUniformSMin, SpvOpGroupNonUniformSMax}, {SpvOpGroupNonUniformSMax, SpvOpGroupNonUniformSMin},
    {SpvOpGroupNonUniformFMin, SpvOpGroupNonUniformFMax}, {SpvOpGroupNonUniformFMax, SpvOpGroupNonUniformFMin},
    {SpvOpGroupNonUniformFAdd, SpvOpGroupNonUniformFMin},
    {SpvOpGroupNonUniformBitwiseAnd, SpvOpGroupNonUniformBitwiseOr},
    {SpvOpGroupNonUniformBitwiseOr, SpvOpGroupNonUniformBitwiseXor},
    {SpvOpGroupNonUniformBitwiseXor, SpvOpGroupNonUniformBitwiseAnd},
};

static const struct pair glsl[] = {
    {GLSLstd450Round, GLSLstd450Floor}, {GLSLstd450RoundEven, GLSLstd450Trunc}, {GLSLstd450Trunc, GLSLstd450RoundEven},
    {GLSLstd450Floor, GLSLstd450Ceil}, {GLSLstd450Ceil, GLSLstd450Floor}, {GLSLstd450Fract, GLSLstd450Floor},
    {GLSLstd450FAbs, GLSLstd450FSign}, {GLSLstd450FSign, GLSLstd450FAbs}, {GLSLstd450SAbs, GLSLstd450SSign},
    {GLSLstd450SSign, GLSLstd450SAbs}, {GLSLstd450Radians, GLSLstd450Degrees}, {GLSLstd450Degrees, GLSLstd450Radians},
    {GLSLstd450Sin, GLSLstd450Cos}, {GLSLstd450Cos, GLSLstd450Sin}, {GLSLstd450Tan, GLSLstd450Sin},
    {GLSLstd450Asin, GLSLstd450Acos}, {GLSLstd450Acos, GLSLstd450Asin}, {GLSLstd450Atan, GLSLstd450Sin},
    {GLSLstd450Sinh, GLSLstd450Cosh}, {GLSLstd450Cosh, GLSLstd450Sinh}, {GLSLstd450Tanh, GLSLstd450Sinh},
    {GLSLstd450Exp, GLSLstd450Log}, {GLSLstd450Log, GLSLstd450Exp}, {GLSLstd450Exp2, GLSLstd450Log2},
    {GLSLstd450Log2, GLSLstd450Exp2}, {GLSLstd450Sqrt, GLSLstd450InverseSqrt},
    {GLSLstd450InverseSqrt, GLSLstd450Sqrt}, {GLSLstd450Pow, GLSLstd450FMin}, {GLSLstd450Atan2, GLSLstd450FMin},
    {GLSLstd450FMin, GLSLstd450FMax}, {GLSLstd450FMax, GLSLstd450FMin}, {GLSLstd450UMin, GLSLstd450UMax},
    {GLSLstd450UMax, GLSLstd450UMin}, {GLSLstd450SMin, GLSLstd450SMax}, {GLSLstd450SMax, GLSLstd450SMin},
    {GLSLstd450NMin, GLSLstd450NMax}, {GLSLstd450NMax, GLSLstd450NMin}, {GLSLstd450Step, GLSLstd450FMin},
    {GLSLstd450FMix, GLSLstd450Fma}, {GLSLstd450Fma, GLSLstd450FMix}, {GLSLstd450FClamp, GLSLstd450Fma},
    {GLSLstd450NClamp, GLSLstd450Fma}, {GLSLstd450SmoothStep, GLSLstd450Fma},
    {GLSLstd450PackHalf2x16, GLSLstd450PackUnorm2x16}, {GLSLstd450PackUnorm2x16, GLSLstd450PackHalf2x16},
    {GLSLstd450PackSnorm2x16, GLSLstd450PackUnorm2x16}, {GLSLstd450PackUnorm4x8, GLSLstd450PackSnorm4x8},
    {GLSLstd450PackSnorm4x8, GLSLstd450PackUnorm4x8}, {GLSLstd450UnpackHalf2x16, GLSLstd450UnpackUnorm2x16},
    {GLSLstd450UnpackUnorm2x16, GLSLstd450UnpackHalf2x16}, {GLSLstd450UnpackSnorm2x16, GLSLstd450UnpackUnorm2x16},
    {GLSLstd450UnpackUnorm4x8, GLSLstd450UnpackSnorm4x8}, {GLSLstd450UnpackSnorm4x8, GLSLstd450UnpackUnorm4x8},
    {GLSLstd450Normalize, GLSLstd450FAbs}, {GLSLstd450Cross, GLSLstd450FMin}, {GLSLstd450Reflect, GLSLstd450FMin},
};
// clang-format on

static uint32_t look(const struct pair *p, size_t n, uint32_t from)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i].from == from) {
            return p[i].to;
        }
    }
    return 0;
}

uint32_t lull_spv_other_op(uint32_t op)
{
    return look(core, sizeof core / sizeof core[0], op);
}

uint32_t lull_spv_other_glsl(uint32_t op)
{
    return look(glsl, sizeof glsl / sizeof glsl[0], op);
}
