// SPDX-License-Identifier: MIT
// Arithmetic that LLVM leaves undefined where SPIR-V does not, or has not at all.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

static LLVMValueRef zero(LLVMValueRef like)
{
    return LLVMConstNull(LLVMTypeOf(like));
}

static unsigned bits_of(LLVMValueRef v)
{
    return LLVMGetIntTypeWidth(lull_fl_scalar_of(LLVMTypeOf(v)));
}

LLVMValueRef lull_fl_mad(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef product = lull_fl_contract(f, LLVMBuildFMul(f->b, a, b, ""));
    return lull_fl_contract(f, LLVMBuildFAdd(f->b, product, c, ""));
}

LLVMValueRef lull_fl_dot(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef sum = NULL;
    for (unsigned i = 0; i < lull_fl_count(LLVMTypeOf(a)); i++) {
        LLVMValueRef x = lull_fl_part(f, a, i), y = lull_fl_part(f, b, i);
        sum = sum == NULL ? lull_fl_contract(f, LLVMBuildFMul(f->b, x, y, ""))
                          : lull_fl_mad(f, x, y, sum);
    }
    return sum;
}

/** How many ULP a result may be off. */
static LLVMValueRef precision(const struct lull_fl *f, LLVMValueRef v, double ulp)
{
    const unsigned kind = LLVMGetMDKindIDInContext(f->c, "fpmath", strlen("fpmath"));
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstReal(f->f32, ulp));
    if (LLVMIsAInstruction(v) != NULL && lull_fl_scalar_of(LLVMTypeOf(v)) == f->f32) {
        LLVMSetMetadata(v, kind, LLVMMetadataAsValue(f->c, LLVMMDNodeInContext2(f->c, &one, 1)));
    }
    return v;
}

LLVMValueRef lull_fl_divide(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b)
{
    return precision(f, LLVMBuildFDiv(f->b, a, b, ""), 2.5);
}

LLVMValueRef lull_fl_root(const struct lull_fl *f, LLVMValueRef a)
{
    return precision(f, lull_fl_call(f, "llvm.sqrt", LLVMTypeOf(a), &a, 1), 3.0);
}

/** A divisor that does not trap: 1 in place of 0, and of -1 if that would overflow. */
static LLVMValueRef divisor(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(b);
    LLVMValueRef bad = LLVMBuildICmp(f->b, LLVMIntEQ, b, zero(b), "");
    if (is_signed) {
        const uint64_t least = UINT64_C(1) << (bits_of(b) - 1);
        LLVMValueRef minus = LLVMBuildICmp(f->b, LLVMIntEQ, b, LLVMConstAllOnes(type), "");
        LLVMValueRef low = LLVMBuildICmp(f->b, LLVMIntEQ, a, lull_fl_whole(type, least), "");
        bad = LLVMBuildOr(f->b, bad, LLVMBuildAnd(f->b, minus, low, ""), "");
    }
    return LLVMBuildSelect(f->b, bad, lull_fl_whole(type, 1), b, "");
}

static LLVMValueRef divide(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b)
{
    const uint32_t op = f->in->op;
    LLVMValueRef d = divisor(f, a, b, op != SpvOpUDiv && op != SpvOpUMod);
    if (op == SpvOpUDiv) {
        return LLVMBuildUDiv(f->b, a, d, "");
    }
    if (op == SpvOpUMod) {
        return LLVMBuildURem(f->b, a, d, "");
    }
    if (op == SpvOpSDiv) {
        return LLVMBuildSDiv(f->b, a, d, "");
    }
    LLVMValueRef rest = LLVMBuildSRem(f->b, a, d, "");
    if (op == SpvOpSRem) {
        return rest;
    }
    // OpSMod has the sign of the divisor.
    LLVMValueRef differ =
        LLVMBuildICmp(f->b, LLVMIntSLT, LLVMBuildXor(f->b, rest, d, ""), zero(d), "");
    LLVMValueRef any = LLVMBuildICmp(f->b, LLVMIntNE, rest, zero(rest), "");
    return LLVMBuildSelect(f->b, LLVMBuildAnd(f->b, differ, any, ""),
                           LLVMBuildAdd(f->b, rest, d, ""), rest, "");
}

/** @p amount as the type of @p like, its low bits only: of a shift. */
static LLVMValueRef shift_amount(const struct lull_fl *f, LLVMValueRef amount, LLVMValueRef like)
{
    LLVMValueRef a = LLVMBuildIntCast2(f->b, amount, LLVMTypeOf(like), false, "");
    return LLVMBuildAnd(f->b, a, lull_fl_whole(LLVMTypeOf(like), bits_of(like) - 1), "");
}

LULL_MUST_USE static struct lull_error *shift(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef v = NULL, by = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], 'i', &v);
    err = err != NULL ? err : lull_fl_get_kind(f, f->in->w[4], 'i', &by);
    if (err != NULL) {
        return err;
    }
    if (lull_fl_count(LLVMTypeOf(v)) != lull_fl_count(LLVMTypeOf(by))) {
        return lull_fl_bad(f, "vectors of different sizes");
    }
    by = shift_amount(f, by, v);
    *ret = f->in->op == SpvOpShiftLeftLogical    ? LLVMBuildShl(f->b, v, by, "")
           : f->in->op == SpvOpShiftRightLogical ? LLVMBuildLShr(f->b, v, by, "")
                                                 : LLVMBuildAShr(f->b, v, by, "");
    return NULL;
}

/** Two operands of one type. */
LULL_MUST_USE static struct lull_error *two(struct lull_fl *f, char kind, LLVMValueRef v[2])
{
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], kind, &v[0]);
    err = err != NULL ? err : lull_fl_get_kind(f, f->in->w[4], kind, &v[1]);
    return err == NULL && LLVMTypeOf(v[0]) != LLVMTypeOf(v[1])
               ? lull_fl_bad(f, "operands of different types")
               : err;
}

LULL_MUST_USE static struct lull_error *float_divide(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef v[2] = {0};
    struct lull_error *err = two(f, 'f', v);
    if (err != NULL) {
        return err;
    }
    *ret = lull_fl_divide(f, v[0], v[1]);
    if (f->in->op == SpvOpFMod) {
        LLVMValueRef whole = lull_fl_call(f, "llvm.floor", LLVMTypeOf(*ret), ret, 1);
        *ret = lull_fl_mad(f, LLVMBuildFNeg(f->b, v[1], ""), whole, v[0]);
    }
    return NULL;
}

/** Offset or count of a bit field, for each component. */
LULL_MUST_USE static struct lull_error *field_number(struct lull_fl *f, uint32_t id,
                                                     LLVMValueRef like, LLVMValueRef *ret)
{
    struct lull_error *err = lull_fl_get_kind(f, id, 'i', ret);
    if (err == NULL && lull_fl_count(LLVMTypeOf(*ret)) != 1) {
        err = lull_fl_bad(f, "a vector where a number is needed");
    }
    if (err == NULL) {
        LLVMTypeRef type = lull_fl_scalar_of(LLVMTypeOf(like));
        *ret = lull_fl_splat(f, LLVMBuildIntCast2(f->b, *ret, type, false, ""),
                             lull_fl_count(LLVMTypeOf(like)));
    }
    return err;
}

LULL_MUST_USE static struct lull_error *bit_field(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_spv_insn *in = f->in;
    const bool insert = in->op == SpvOpBitFieldInsert;
    LLVMValueRef base = NULL, put = NULL, at = NULL, n = NULL;
    struct lull_error *err = lull_fl_get_kind(f, in->w[3], 'i', &base);
    err = err == NULL && insert ? lull_fl_get_kind(f, in->w[4], 'i', &put) : err;
    err = err != NULL ? err : field_number(f, in->w[insert ? 5 : 4], base, &at);
    err = err != NULL ? err : field_number(f, in->w[insert ? 6 : 5], base, &n);
    if (err != NULL || (insert && LLVMTypeOf(put) != LLVMTypeOf(base))) {
        return err != NULL ? err : lull_fl_bad(f, "operands of different types");
    }
    LLVMTypeRef type = LLVMTypeOf(base);
    LLVMValueRef bits = lull_fl_whole(type, bits_of(base)), one = lull_fl_whole(type, 1);
    LLVMValueRef none = LLVMBuildICmp(f->b, LLVMIntEQ, n, zero(n), "");
    at = shift_amount(f, at, base);
    if (in->op == SpvOpBitFieldSExtract) {
        LLVMValueRef left = LLVMBuildSub(f->b, LLVMBuildSub(f->b, bits, at, ""), n, "");
        LLVMValueRef up = LLVMBuildShl(f->b, base, shift_amount(f, left, base), "");
        LLVMValueRef down = shift_amount(f, LLVMBuildSub(f->b, bits, n, ""), base);
        *ret = LLVMBuildSelect(f->b, none, zero(base), LLVMBuildAShr(f->b, up, down, ""), "");
        return NULL;
    }
    LLVMValueRef low =
        LLVMBuildSub(f->b, LLVMBuildShl(f->b, one, shift_amount(f, n, base), ""), one, "");
    LLVMValueRef all = LLVMBuildICmp(f->b, LLVMIntUGE, n, bits, "");
    LLVMValueRef mask = LLVMBuildSelect(f->b, all, LLVMConstAllOnes(type), low, "");
    if (!insert) {
        *ret = LLVMBuildAnd(f->b, LLVMBuildLShr(f->b, base, at, ""), mask, "");
        return NULL;
    }
    LLVMValueRef in_place = LLVMBuildShl(f->b, LLVMBuildAnd(f->b, put, mask, ""), at, "");
    LLVMValueRef keep = LLVMBuildNot(f->b, LLVMBuildShl(f->b, mask, at, ""), "");
    *ret = LLVMBuildOr(f->b, LLVMBuildAnd(f->b, base, keep, ""), in_place, "");
    return NULL;
}

/** Two results in a struct: the low part, and carry, borrow or the high part. */
LULL_MUST_USE static struct lull_error *extended(struct lull_fl *f, LLVMValueRef *ret)
{
    const uint32_t op = f->in->op;
    LLVMValueRef v[2] = {0}, low = NULL, high = NULL;
    struct lull_error *err = two(f, 'i', v);
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef type = LLVMTypeOf(v[0]);
    if (op == SpvOpIAddCarry) {
        low = LLVMBuildAdd(f->b, v[0], v[1], "");
        high = LLVMBuildZExt(f->b, LLVMBuildICmp(f->b, LLVMIntULT, low, v[0], ""), type, "");
    } else if (op == SpvOpISubBorrow) {
        low = LLVMBuildSub(f->b, v[0], v[1], "");
        high = LLVMBuildZExt(f->b, LLVMBuildICmp(f->b, LLVMIntULT, v[0], v[1], ""), type, "");
    } else {
        const bool is_signed = op == SpvOpSMulExtended;
        LLVMTypeRef wide = lull_fl_like(type, LLVMIntTypeInContext(f->c, 2 * bits_of(v[0])));
        LLVMValueRef a = LLVMBuildIntCast2(f->b, v[0], wide, is_signed, "");
        LLVMValueRef b = LLVMBuildIntCast2(f->b, v[1], wide, is_signed, "");
        LLVMValueRef product = LLVMBuildMul(f->b, a, b, "");
        low = LLVMBuildTrunc(f->b, product, type, "");
        high = LLVMBuildTrunc(
            f->b, LLVMBuildLShr(f->b, product, lull_fl_whole(wide, bits_of(v[0])), ""), type, "");
    }
    LLVMTypeRef members[2] = {type, type};
    *ret = LLVMGetPoison(LLVMStructTypeInContext(f->c, members, 2, false));
    *ret = LLVMBuildInsertValue(f->b, *ret, low, 0, "");
    *ret = LLVMBuildInsertValue(f->b, *ret, high, 1, "");
    return NULL;
}

/** OpAny, OpAll. */
LULL_MUST_USE static struct lull_error *any_or_all(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], 'b', &v);
    for (unsigned i = 0; err == NULL && i < lull_fl_count(LLVMTypeOf(v)); i++) {
        LLVMValueRef one = lull_fl_part(f, v, i);
        *ret = i == 0                  ? one
               : f->in->op == SpvOpAny ? LLVMBuildOr(f->b, *ret, one, "")
                                       : LLVMBuildAnd(f->b, *ret, one, "");
    }
    return err;
}

/** One operand. */
LULL_MUST_USE static struct lull_error *unary(struct lull_fl *f, char kind, LLVMValueRef *ret)
{
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], kind, &v);
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef type = LLVMTypeOf(v);
    switch (f->in->op) {
    case SpvOpSNegate:
        *ret = LLVMBuildNeg(f->b, v, "");
        return NULL;
    case SpvOpFNegate:
        *ret = LLVMBuildFNeg(f->b, v, "");
        return NULL;
    case SpvOpIsNan:
        *ret = LLVMBuildFCmp(f->b, LLVMRealUNO, v, v, "");
        return NULL;
    case SpvOpIsInf:
        v = lull_fl_call(f, "llvm.fabs", type, &v, 1);
        *ret = LLVMBuildFCmp(f->b, LLVMRealOEQ, v, lull_fl_float(type, __builtin_inf()), "");
        return NULL;
    case SpvOpBitCount: {
        const struct lull_fr_type *t = lull_fr_type_of(f->m, f->in->w[1]);
        LLVMTypeRef want = NULL;
        err = t != NULL ? lull_fl_type(f, t, &want) : lull_fl_bad(f, "no type");
        if (err == NULL && (lull_fl_count(want) != lull_fl_count(type) ||
                            LLVMGetTypeKind(lull_fl_scalar_of(want)) != LLVMIntegerTypeKind)) {
            err = lull_fl_bad(f, "operands that do not fit the type of the result");
        }
        v = err == NULL ? lull_fl_call(f, "llvm.ctpop", type, &v, 1) : NULL;
        *ret = err == NULL ? LLVMBuildIntCast2(f->b, v, want, false, "") : NULL;
        return err;
    }
    default: // OpNot, OpLogicalNot
        *ret = LLVMBuildNot(f->b, v, "");
        return NULL;
    }
}

/** OpReadClockKHR: of the wave, which few bits may hold, or of the whole GPU. */
LULL_MUST_USE static struct lull_error *read_clock(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_fr_type *t = lull_fr_type_of(f->m, f->in->w[1]);
    LLVMTypeRef type = NULL;
    uint64_t scope = 0;
    struct lull_error *err = lull_fl_number(f, f->in->w[3], &scope);
    err = err != NULL ? err : lull_fl_type(f, t, &type);
    if (err != NULL) {
        return err;
    }
    if (type != f->i64 && type != LLVMVectorType(f->i32, 2)) {
        return lull_fl_bad(f, "its result is not of 64 bits");
    }
    if (scope != SpvScopeSubgroup && scope != SpvScopeDevice) {
        return lull_fl_refuse(f, "a clock of scope %u", (unsigned)scope);
    }
    LLVMValueRef v = lull_fl_call(
        f, scope == SpvScopeSubgroup ? "llvm.readcyclecounter" : "llvm.readsteadycounter", NULL,
        NULL, 0);
    *ret = LLVMBuildBitCast(f->b, v, type, "");
    return NULL;
}

struct lull_error *lull_fl_special(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    LLVMValueRef v[2] = {0};
    struct lull_error *err = NULL;
    *ret_known = true;
    switch (f->in->op) {
    case SpvOpUDiv:
    case SpvOpUMod:
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        err = two(f, 'i', v);
        *ret = err == NULL ? divide(f, v[0], v[1]) : NULL;
        return err;
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return shift(f, ret);
    case SpvOpFDiv:
    case SpvOpFMod:
        return float_divide(f, ret);
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
        return bit_field(f, ret);
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
        return extended(f, ret);
    case SpvOpAny:
    case SpvOpAll:
        return any_or_all(f, ret);
    case SpvOpReadClockKHR:
        return read_clock(f, ret);
    case SpvOpSNegate:
    case SpvOpNot:
    case SpvOpBitCount:
        return unary(f, 'i', ret);
    case SpvOpFNegate:
    case SpvOpIsNan:
    case SpvOpIsInf:
        return unary(f, 'f', ret);
    case SpvOpLogicalNot:
        return unary(f, 'b', ret);
    default:
        *ret_known = false;
        return NULL;
    }
}
