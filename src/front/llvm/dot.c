// SPDX-License-Identifier: MIT
// Sums of products of small numbers.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

enum {
    WORD_BITS = 32,
    BYTES = 4, // of a packed word
    WITH_DOT4 = 11,
};

/** Of SPV_VALVE_mixed_float_dot_product, which is newer than spirv-headers. */
static const char acc32[] = "OpFDot2MixAcc32VALVE", acc16[] = "OpFDot2MixAcc16VALVE";

/** Two vectors of integers, or words that hold four bytes each. */
struct operands {
    LLVMValueRef v[2], sum; ///< sum: NULL without one to add to.
    bool is_signed[2], packed;
    LLVMTypeRef type; ///< Of the result.
};

static bool adds(uint32_t op)
{
    return op == SpvOpSDotAccSat || op == SpvOpUDotAccSat || op == SpvOpSUDotAccSat;
}

LULL_MUST_USE static struct lull_error *read(struct lull_fl *f, struct operands *o)
{
    const struct lull_spv_insn *in = f->in;
    const bool sum = adds(in->op);
    const uint32_t format = sum ? 6 : 5;
    const struct lull_fr_type *t = lull_fr_type_of(f->m, in->w[1]);
    struct lull_error *err = t != NULL && t->kind == LULL_FR_INT
                                 ? lull_fl_type(f, t, &o->type)
                                 : lull_fl_bad(f, "a result that is not an integer");
    err = err != NULL ? err : lull_fl_get_kind(f, in->w[3], 'i', &o->v[0]);
    err = err != NULL ? err : lull_fl_get_kind(f, in->w[4], 'i', &o->v[1]);
    err = err == NULL && sum ? lull_fl_get_kind(f, in->w[5], 'i', &o->sum) : err;
    if (err != NULL) {
        return err;
    }
    o->packed = in->n > format;
    o->is_signed[0] = in->op != SpvOpUDot && in->op != SpvOpUDotAccSat;
    o->is_signed[1] = in->op == SpvOpSDot || in->op == SpvOpSDotAccSat;
    const LLVMTypeRef a = LLVMTypeOf(o->v[0]), b = LLVMTypeOf(o->v[1]);
    const bool shape = o->packed ? a == f->i32 && in->w[format] == 0 : lull_fl_count(a) > 1;
    const bool wide = o->packed || LLVMGetIntTypeWidth(lull_fl_scalar_of(a)) <= t->bits;
    const bool fits = a == b && shape && wide && (!sum || LLVMTypeOf(o->sum) == o->type);
    return fits ? NULL : lull_fl_bad(f, "operands that do not fit");
}

/** The instruction for four bytes, which newer processors have. */
static LLVMValueRef dot4(const struct lull_fl *f, const struct operands *o)
{
    LLVMValueRef a = LLVMBuildBitCast(f->b, o->v[0], f->i32, "");
    LLVMValueRef b = LLVMBuildBitCast(f->b, o->v[1], f->i32, "");
    LLVMValueRef sum = o->sum != NULL ? o->sum : lull_fl_int(f, 0);
    LLVMValueRef clamp = LLVMConstInt(f->i1, o->sum != NULL, false);
    if (!o->is_signed[0]) {
        LLVMValueRef args[4] = {a, b, sum, clamp};
        return lull_fl_call(f, "llvm.amdgcn.udot4", NULL, args, 4);
    }
    LLVMValueRef args[6] = {LLVMConstInt(f->i1, 1, false),
                            a,
                            LLVMConstInt(f->i1, o->is_signed[1], false),
                            b,
                            sum,
                            clamp};
    return lull_fl_call(f, "llvm.amdgcn.sudot4", NULL, args, 6);
}

/** Product by product. */
static LLVMValueRef expand(const struct lull_fl *f, struct operands *o)
{
    LLVMValueRef all = NULL;
    for (unsigned k = 0; k < 2 && o->packed; k++) {
        o->v[k] = LLVMBuildBitCast(f->b, o->v[k], LLVMVectorType(f->i8, BYTES), "");
    }
    for (unsigned i = 0; i < lull_fl_count(LLVMTypeOf(o->v[0])); i++) {
        LLVMValueRef one[2] = {0};
        for (unsigned k = 0; k < 2; k++) {
            one[k] = lull_fl_part(f, o->v[k], i);
            one[k] = LLVMBuildIntCast2(f->b, one[k], o->type, o->is_signed[k], "");
        }
        LLVMValueRef product = LLVMBuildMul(f->b, one[0], one[1], "");
        all = all == NULL ? product : LLVMBuildAdd(f->b, all, product, "");
    }
    if (o->sum != NULL) {
        LLVMValueRef args[2] = {all, o->sum};
        all =
            lull_fl_call(f, o->is_signed[0] ? "llvm.sadd.sat" : "llvm.uadd.sat", o->type, args, 2);
    }
    return all;
}

LULL_MUST_USE static struct lull_error *integers(struct lull_fl *f, LLVMValueRef *ret)
{
    struct operands o = {0};
    struct lull_error *err = read(f, &o);
    if (err != NULL) {
        return err;
    }
    const LLVMTypeRef type = LLVMTypeOf(o.v[0]);
    const bool bytes = o.packed || type == LLVMVectorType(f->i8, BYTES);
    *ret = bytes && o.type == f->i32 && f->gfx >= WITH_DOT4 ? dot4(f, &o) : expand(f, &o);
    return NULL;
}

/** Halves, summed as floats or as halves: fused, each sum rounded. */
LULL_MUST_USE static struct lull_error *floats(struct lull_fl *f, bool wide, LLVMValueRef *ret)
{
    LLVMValueRef v[2] = {0};
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[5], 'f', ret);
    for (unsigned k = 0; k < 2 && err == NULL; k++) {
        err = lull_fl_get_kind(f, f->in->w[3 + k], 'f', &v[k]);
    }
    if (err != NULL) {
        return err;
    }
    const LLVMTypeRef type = LLVMTypeOf(*ret), parts = LLVMTypeOf(v[0]);
    const bool fits = parts == LLVMTypeOf(v[1]) && lull_fl_count(parts) == 2 &&
                      lull_fl_scalar_of(parts) != f->f32 && lull_fl_scalar_of(parts) != f->f64 &&
                      type == (wide ? f->f32 : lull_fl_scalar_of(parts));
    if (!fits) {
        return lull_fl_bad(f, "operands that do not fit");
    }
    const LLVMTypeRef as = type == f->f16 ? f->f16 : f->f32;
    *ret = LLVMBuildFPCast(f->b, *ret, as, "");
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef args[3] = {LLVMBuildFPCast(f->b, lull_fl_part(f, v[0], i), as, ""),
                                LLVMBuildFPCast(f->b, lull_fl_part(f, v[1], i), as, ""), *ret};
        *ret = lull_fl_contract(f, lull_fl_call(f, "llvm.fma", as, args, 3));
    }
    *ret = LLVMBuildFPCast(f->b, *ret, type, "");
    return NULL;
}

struct lull_error *lull_fl_dot_products(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    *ret_known = true;
    switch (f->in->op) {
    case SpvOpSDot:
    case SpvOpUDot:
    case SpvOpSUDot:
    case SpvOpSDotAccSat:
    case SpvOpUDotAccSat:
    case SpvOpSUDotAccSat:
        return integers(f, ret);
    default:
        break;
    }
    const struct lull_spv_op *row = lull_spv_op(f->in->op);
    const char *name = row != NULL ? row->name : "";
    *ret_known = strcmp(name, acc32) == 0 || strcmp(name, acc16) == 0;
    return *ret_known ? floats(f, strcmp(name, acc32) == 0, ret) : NULL;
}
