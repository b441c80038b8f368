// SPDX-License-Identifier: MIT
// How floats are rounded, and what becomes of denormals: execution modes of
// SPV_KHR_float_controls, and the decoration FPRoundingMode.
//
// The processor has a mode for floats of 32 bits, and one for those of 16 and 64. It is in the
// metadata of the code object: LLVM knows denormals, and cc/reloc_pal.c adds the rounding. LLVM
// thinks that floats are rounded to the nearest; its constrained intrinsics keep it from computing
// with that.
//
// Source: Vulkan 1.3, VkPhysicalDeviceFloatControlsProperties; AMD, "RDNA3 Instruction Set
// Architecture", 3.5.1 (MODE); LLVM 19, language reference, "Constrained Floating-Point
// Intrinsics".
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

enum { MAX_ARGS = 3 };

/** What is said of the floats that share a mode: those of 32 bits, or those of 16 and 64. */
static struct lull_fr_floats shared_mode(const struct lull_fl *f, bool single)
{
    const struct lull_fr_floats *half = &f->m->floats[LULL_FR_FLOATS_16],
                                *wide = &f->m->floats[LULL_FR_FLOATS_64];
    return single ? f->m->floats[LULL_FR_FLOATS_32]
                  : (struct lull_fr_floats){.keeps = half->keeps || wide->keeps,
                                            .flushes = half->flushes || wide->flushes,
                                            .to_even = half->to_even || wide->to_even,
                                            .to_zero = half->to_zero || wide->to_zero};
}

static void attribute(const struct lull_fl *f, const char *name, const char *value)
{
    LLVMAddTargetDependentFunctionAttr(f->fn, name, value);
}

struct lull_error *lull_fl_float_modes(struct lull_fl *f)
{
    static const char flush[] = "preserve-sign,preserve-sign", keep[] = "ieee,ieee";
    const struct lull_fr_floats single = shared_mode(f, true), others = shared_mode(f, false);
    if ((others.keeps && others.flushes) || (others.to_even && others.to_zero)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "execution modes: floats of 16 bits and those of 64 %s differently; "
                              "the processor has one mode for both",
                              others.to_even && others.to_zero ? "are rounded" : "treat denormals");
    }
    if (single.flushes || others.flushes) {
        attribute(f, "denormal-fp-math", others.flushes ? flush : keep);
        attribute(f, "denormal-fp-math-f32", single.flushes ? flush : keep);
    }
    if (single.to_zero) {
        attribute(f, "lull-fp-round-f32", "towardzero");
    }
    if (others.to_zero) {
        attribute(f, "lull-fp-round-f16-f64", "towardzero");
    }
    return NULL;
}

bool lull_fl_rounds_to_zero(const struct lull_fl *f, LLVMTypeRef type)
{
    const LLVMTypeKind k = LLVMGetTypeKind(lull_fl_scalar_of(type));
    const bool real = k == LLVMHalfTypeKind || k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
    return real && shared_mode(f, k == LLVMFloatTypeKind).to_zero;
}

bool lull_fl_flushes(const struct lull_fl *f)
{
    return shared_mode(f, false).flushes;
}

static LLVMValueRef word(const struct lull_fl *f, const char *text)
{
    return LLVMMetadataAsValue(f->c, LLVMMDStringInContext2(f->c, text, strlen(text)));
}

LLVMValueRef lull_fl_rounded(const struct lull_fl *f, const char *name, LLVMValueRef *v, unsigned n)
{
    char full[64] = "";
    LLVMTypeRef type = LLVMTypeOf(v[0]);
    LLVMValueRef all = LLVMGetPoison(type), args[MAX_ARGS + 2] = {0};
    snprintf(full, sizeof full, "llvm.experimental.constrained.%s", name);
    for (unsigned i = 0; i < lull_fl_count(type); i++) {
        for (unsigned k = 0; k < n && k < MAX_ARGS; k++) {
            args[k] = lull_fl_part(f, v[k], i);
        }
        args[n] = word(f, "round.dynamic");
        args[n + 1] = word(f, "fpexcept.ignore");
        LLVMValueRef one = lull_fl_call(f, full, LLVMTypeOf(args[0]), args, n + 2);
        all = lull_fl_put(f, all, one, i);
    }
    return all;
}

LLVMValueRef lull_fl_with_sign(const struct lull_fl *f, LLVMValueRef v)
{
    const bool matters =
        f->m->floats[LULL_FR_FLOATS_16].keeps_signs || f->m->floats[LULL_FR_FLOATS_32].keeps_signs;
    return matters && lull_fl_scalar_of(LLVMTypeOf(v)) == f->f32
               ? lull_fl_call(f, "llvm.arithmetic.fence", LLVMTypeOf(v), &v, 1)
               : v;
}

LLVMValueRef lull_fl_cut_off(const struct lull_fl *f, LLVMValueRef v, LLVMTypeRef want)
{
    const LLVMTypeKind k = LLVMGetTypeKind(lull_fl_scalar_of(want));
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeRef whole = lull_fl_like(want, k == LLVMFloatTypeKind ? f->i32 : f->i16);
    LLVMValueRef near = LLVMBuildFPTrunc(f->b, v, want, "");
    LLVMValueRef back = LLVMBuildFPExt(f->b, near, type, "");
    LLVMValueRef beyond =
        LLVMBuildFCmp(f->b, LLVMRealOGT, lull_fl_call(f, "llvm.fabs", type, &back, 1),
                      lull_fl_call(f, "llvm.fabs", type, &v, 1), "");
    // One step nearer to zero; of infinity the greatest number.
    LLVMValueRef bits = LLVMBuildBitCast(f->b, near, whole, "");
    LLVMValueRef less = LLVMBuildSub(f->b, bits, lull_fl_whole(whole, 1), "");
    return LLVMBuildBitCast(f->b, LLVMBuildSelect(f->b, beyond, less, bits, ""), want, "");
}
