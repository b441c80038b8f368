// SPDX-License-Identifier: MIT
// GLSL.std.450: numbers packed into words.
#include <spirv/unified1/GLSL.std.450.h>

#include "front/llvm/lower_priv.h"

enum { OPERAND = 5 };

/** One way to pack: bits of a part, how many, whether they are halves, or numbers with a sign. */
static const struct way {
    uint32_t pack, unpack;
    unsigned n, bits;
    bool is_signed, half, raw;
} ways[] = {
    {GLSLstd450PackHalf2x16, GLSLstd450UnpackHalf2x16, 2, 16, false, true, false},
    {GLSLstd450PackUnorm4x8, GLSLstd450UnpackUnorm4x8, 4, 8, false, false, false},
    {GLSLstd450PackSnorm4x8, GLSLstd450UnpackSnorm4x8, 4, 8, true, false, false},
    {GLSLstd450PackUnorm2x16, GLSLstd450UnpackUnorm2x16, 2, 16, false, false, false},
    {GLSLstd450PackSnorm2x16, GLSLstd450UnpackSnorm2x16, 2, 16, true, false, false},
    {GLSLstd450PackDouble2x32, GLSLstd450UnpackDouble2x32, 2, 32, false, false, true},
};

static LLVMValueRef between(const struct lull_fl *f, LLVMValueRef v, double low)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef args[2] = {v, lull_fl_float(type, low)};
    args[0] = lull_fl_call(f, "llvm.maxnum", type, args, 2);
    args[1] = lull_fl_float(type, 1);
    return lull_fl_call(f, "llvm.minnum", type, args, 2);
}

static double greatest(const struct way *w)
{
    return (double)((1u << (w->bits - w->is_signed)) - 1);
}

static LLVMValueRef pack(const struct lull_fl *f, const struct way *w, LLVMValueRef v)
{
    LLVMTypeRef parts = LLVMVectorType(LLVMIntTypeInContext(f->c, w->bits), w->n);
    if (w->half) {
        v = LLVMBuildFPTrunc(f->b, lull_fl_with_sign(f, v), LLVMVectorType(f->f16, w->n), "");
    } else if (!w->raw) {
        v = between(f, v, w->is_signed ? -1 : 0);
        v = LLVMBuildFMul(f->b, v, lull_fl_float(LLVMTypeOf(v), greatest(w)), "");
        v = lull_fl_call(f, "llvm.roundeven", LLVMTypeOf(v), &v, 1);
        v = w->is_signed ? LLVMBuildFPToSI(f->b, v, parts, "")
                         : LLVMBuildFPToUI(f->b, v, parts, "");
        v = LLVMBuildFreeze(f->b, v, "");
    }
    return LLVMBuildBitCast(f->b, v, w->raw ? f->f64 : f->i32, "");
}

static LLVMValueRef unpack(const struct lull_fl *f, const struct way *w, LLVMValueRef v)
{
    LLVMTypeRef want = LLVMVectorType(f->f32, w->n);
    if (w->half) {
        v = LLVMBuildBitCast(f->b, v, LLVMVectorType(f->f16, w->n), "");
        return LLVMBuildFPExt(f->b, v, want, "");
    }
    v = LLVMBuildBitCast(f->b, v, LLVMVectorType(LLVMIntTypeInContext(f->c, w->bits), w->n), "");
    if (w->raw) {
        return v;
    }
    v = w->is_signed ? LLVMBuildSIToFP(f->b, v, want, "") : LLVMBuildUIToFP(f->b, v, want, "");
    v = LLVMBuildFDiv(f->b, v, lull_fl_float(want, greatest(w)), "");
    return w->is_signed ? between(f, v, -1) : v;
}

struct lull_error *lull_fl_pack(struct lull_fl *f, uint32_t op, LLVMValueRef *ret, bool *ret_known)
{
    const struct way *w = NULL;
    LLVMValueRef v = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        w = ways[i].pack == op || ways[i].unpack == op ? &ways[i] : w;
    }
    *ret_known = w != NULL;
    if (w == NULL) {
        return NULL;
    }
    struct lull_error *err = lull_fl_get_kind(f, lull_spv_word(f->in, OPERAND), '?', &v);
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef whole = w->raw ? f->f64 : f->i32, scalar = w->raw ? f->i32 : f->f32;
    LLVMTypeRef want = op == w->pack ? LLVMVectorType(scalar, w->n) : whole;
    if (LLVMTypeOf(v) != want) {
        return lull_fl_bad(f, "an operand of a wrong type");
    }
    *ret = op == w->pack ? pack(f, w, v) : unpack(f, w, v);
    return NULL;
}
