// SPDX-License-Identifier: MIT
// Conversions of numbers, and of pointers to numbers.
#include <llvm-c/Target.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

static char kind_of(uint32_t op)
{
    switch (op) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpFConvert:
    case SpvOpQuantizeToF16:
        return 'f';
    case SpvOpBitcast:
        return '?';
    default:
        return 'i';
    }
}

/** As many bits? Then they may be taken for each other. */
static bool same_bits(const struct lull_fl *f, LLVMTypeRef a, LLVMTypeRef b)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(f->module);
    return LLVMSizeOfTypeInBits(layout, a) == LLVMSizeOfTypeInBits(layout, b);
}

/** From double to half LLVM computes with integers, which know nothing of denormals. */
static LLVMValueRef flushed(const struct lull_fl *f, LLVMValueRef from, LLVMValueRef v)
{
    const bool wide = lull_fl_scalar_of(LLVMTypeOf(from)) == f->f64;
    const bool half = lull_fl_scalar_of(LLVMTypeOf(v)) == f->f16;
    return wide && half && lull_fl_flushes(f)
               ? lull_fl_call(f, "llvm.canonicalize", LLVMTypeOf(v), &v, 1)
               : v;
}

/** Is a conversion to a smaller float to be rounded toward zero? */
static bool cuts_off(const struct lull_fl *f, LLVMTypeRef from, LLVMTypeRef want)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(f->module);
    const LLVMTypeKind k = LLVMGetTypeKind(lull_fl_scalar_of(want));
    const bool smaller = LLVMSizeOfTypeInBits(layout, lull_fl_scalar_of(want)) <
                         LLVMSizeOfTypeInBits(layout, lull_fl_scalar_of(from));
    return smaller && (k == LLVMHalfTypeKind || k == LLVMFloatTypeKind) &&
           (f->m->ids[f->in->w[2]].decor.rounding == SpvFPRoundingModeRTZ ||
            lull_fl_rounds_to_zero(f, want));
}

/** What a half has of it; what is too small for a normal one is 0, with its sign. */
static LLVMValueRef quantized(const struct lull_fl *f, LLVMValueRef v)
{
    static const double smallest = 0x1p-14;
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef half = LLVMBuildFPTrunc(f->b, v, lull_fl_like(type, f->f16), "");
    LLVMValueRef wide = LLVMBuildFPExt(f->b, half, type, "");
    LLVMValueRef magnitude = lull_fl_call(f, "llvm.fabs", type, &wide, 1);
    LLVMValueRef least = lull_fl_float(type, smallest);
    LLVMValueRef zero[] = {LLVMConstNull(type), v};
    return LLVMBuildSelect(f->b, LLVMBuildFCmp(f->b, LLVMRealOLT, magnitude, least, ""),
                           lull_fl_call(f, "llvm.copysign", type, zero, 2), wide, "");
}

static LLVMValueRef build(const struct lull_fl *f, LLVMValueRef v, LLVMTypeRef want)
{
    LLVMValueRef n = NULL;
    switch (f->in->op) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS: // what does not fit is not defined, and not poison
        n = f->in->op == SpvOpConvertFToU ? LLVMBuildFPToUI(f->b, v, want, "")
                                          : LLVMBuildFPToSI(f->b, v, want, "");
        return LLVMBuildFreeze(f->b, n, "");
    case SpvOpConvertUToF:
        return LLVMBuildUIToFP(f->b, v, want, "");
    case SpvOpConvertSToF:
        return LLVMBuildSIToFP(f->b, v, want, "");
    case SpvOpFConvert:
        if (cuts_off(f, LLVMTypeOf(v), want)) {
            return flushed(f, v, lull_fl_cut_off(f, v, want));
        }
        if (LLVMTypeOf(v) != want && same_bits(f, LLVMTypeOf(v), want)) { // half and bfloat
            v = LLVMBuildFPExt(f->b, v, lull_fl_like(want, f->f32), "");
        }
        if (lull_fl_scalar_of(want) == f->f16) {
            v = lull_fl_with_sign(f, v);
        }
        return flushed(f, v, LLVMBuildFPCast(f->b, v, want, ""));
    case SpvOpQuantizeToF16:
        return quantized(f, v);
    case SpvOpUConvert:
        return LLVMBuildIntCast2(f->b, v, want, false, "");
    case SpvOpSConvert:
        return LLVMBuildIntCast2(f->b, v, want, true, "");
    default:
        return LLVMBuildBitCast(f->b, v, want, "");
    }
}

/** Is the wanted type what the instruction gives? */
static bool fits(const struct lull_fl *f, LLVMTypeRef got, LLVMTypeRef want)
{
    const LLVMTypeKind k = LLVMGetTypeKind(lull_fl_scalar_of(want));
    const bool whole = k == LLVMIntegerTypeKind && lull_fl_scalar_of(want) != f->i1;
    const bool real = k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind || k == LLVMFloatTypeKind ||
                      k == LLVMDoubleTypeKind;
    if (f->in->op == SpvOpBitcast) {
        return (whole || real) && lull_fl_scalar_of(got) != f->i1 && same_bits(f, got, want);
    }
    if (f->in->op == SpvOpQuantizeToF16) {
        return got == want && lull_fl_scalar_of(want) == f->f32;
    }
    const bool to_real = f->in->op == SpvOpConvertUToF || f->in->op == SpvOpConvertSToF ||
                         f->in->op == SpvOpFConvert;
    return (to_real ? real : whole) && lull_fl_count(got) == lull_fl_count(want);
}

/** Addresses, which are integers of 64 bits. */
LULL_MUST_USE static struct lull_error *address(struct lull_fl *f, const struct lull_fr_type *to,
                                                LLVMValueRef *ret)
{
    LLVMTypeRef want = NULL;
    struct lull_error *err = lull_fl_get(f, f->in->w[3], ret);
    err = err != NULL ? err : lull_fl_type(f, to, &want);
    if (err == NULL && LLVMGetTypeKind(want) == LLVMIntegerTypeKind &&
        LLVMGetTypeKind(LLVMTypeOf(*ret)) == LLVMIntegerTypeKind) {
        *ret = LLVMBuildIntCast2(f->b, *ret, want, false, "");
    } else if (err == NULL && same_bits(f, LLVMTypeOf(*ret), want)) {
        *ret = LLVMBuildBitCast(f->b, *ret, want, "");
    } else if (err == NULL) {
        err = lull_fl_bad(f, "operands that do not fit the type of the result");
    }
    return err;
}

struct lull_error *lull_fl_convert(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    const struct lull_fr_type *to = NULL, *from = NULL;
    LLVMTypeRef want = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = NULL;
    switch (f->in->op) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertUToF:
    case SpvOpConvertSToF:
    case SpvOpFConvert:
    case SpvOpQuantizeToF16:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpBitcast:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        *ret_known = true;
        break;
    default:
        *ret_known = false;
        return NULL;
    }
    to = lull_fr_type_of(f->m, f->in->w[1]);
    err = to != NULL ? lull_fl_type_of(f, f->in->w[3], &from) : lull_fl_bad(f, "it has no type");
    if (err != NULL) {
        return err;
    }
    if (to->kind == LULL_FR_POINTER || from->kind == LULL_FR_POINTER) {
        return address(f, to, ret);
    }
    const uint32_t rounding = f->m->ids[f->in->w[2]].decor.rounding;
    const bool zero = rounding == SpvFPRoundingModeRTZ && f->in->op == SpvOpFConvert;
    if (rounding != LULL_FR_NONE && rounding != SpvFPRoundingModeRTE && !zero) {
        return lull_fl_refuse(f, "FPRoundingMode %u", rounding);
    }
    err = lull_fl_get_kind(f, f->in->w[3], kind_of(f->in->op), &v);
    err = err != NULL ? err : lull_fl_type(f, to, &want);
    if (err == NULL && !fits(f, LLVMTypeOf(v), want)) {
        err = lull_fl_bad(f, "operands that do not fit the type of the result");
    }
    if (err == NULL && rounding == SpvFPRoundingModeRTE && lull_fl_rounds_to_zero(f, want)) {
        err = lull_fl_refuse(f, "FPRoundingMode RTE where execution modes say RTZ");
    }
    *ret = err == NULL ? build(f, v, want) : NULL;
    return err;
}
