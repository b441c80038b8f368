// SPDX-License-Identifier: MIT
// Reductions and scans over a wave. All lanes are on meanwhile; those that were off have what
// changes nothing.
#include <math.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

/** One operation: how two values become one. */
struct way {
    uint32_t op;
    char kind;
    LLVMOpcode opcode;
    const char *name; ///< An intrinsic instead; NULL.
    enum { ZERO, ONE, ALL_ONES, LEAST, GREATEST, INFINITE, MINUS_INFINITE } identity;
};

static const struct way ways[] = {
    {SpvOpGroupNonUniformIAdd, 'i', LLVMAdd, NULL, ZERO},
    {SpvOpGroupNonUniformFAdd, 'f', LLVMFAdd, NULL, ZERO},
    {SpvOpGroupNonUniformIMul, 'i', LLVMMul, NULL, ONE},
    {SpvOpGroupNonUniformFMul, 'f', LLVMFMul, NULL, ONE},
    {SpvOpGroupNonUniformSMin, 'i', LLVMAdd, "llvm.smin", GREATEST},
    {SpvOpGroupNonUniformUMin, 'i', LLVMAdd, "llvm.umin", ALL_ONES},
    {SpvOpGroupNonUniformFMin, 'f', LLVMAdd, "llvm.minnum", INFINITE},
    {SpvOpGroupNonUniformSMax, 'i', LLVMAdd, "llvm.smax", LEAST},
    {SpvOpGroupNonUniformUMax, 'i', LLVMAdd, "llvm.umax", ZERO},
    {SpvOpGroupNonUniformFMax, 'f', LLVMAdd, "llvm.maxnum", MINUS_INFINITE},
    {SpvOpGroupNonUniformBitwiseAnd, 'i', LLVMAnd, NULL, ALL_ONES},
    {SpvOpGroupNonUniformBitwiseOr, 'i', LLVMOr, NULL, ZERO},
    {SpvOpGroupNonUniformBitwiseXor, 'i', LLVMXor, NULL, ZERO},
    {SpvOpGroupNonUniformLogicalAnd, 'b', LLVMAnd, NULL, ALL_ONES},
    {SpvOpGroupNonUniformLogicalOr, 'b', LLVMOr, NULL, ZERO},
    {SpvOpGroupNonUniformLogicalXor, 'b', LLVMXor, NULL, ZERO},
};

static LLVMValueRef identity_of(const struct way *w, LLVMTypeRef type)
{
    LLVMTypeRef scalar = lull_fl_scalar_of(type);
    const bool whole = LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind;
    const uint64_t sign = whole ? UINT64_C(1) << (LLVMGetIntTypeWidth(scalar) - 1) : 0;
    switch (w->identity) {
    case ONE:
        return whole ? lull_fl_whole(type, 1) : lull_fl_float(type, 1);
    case ALL_ONES:
        return LLVMConstAllOnes(type);
    case LEAST:
        return lull_fl_whole(type, sign);
    case GREATEST:
        return lull_fl_whole(type, sign - 1);
    case INFINITE:
        return lull_fl_float(type, (double)INFINITY);
    case MINUS_INFINITE:
        return lull_fl_float(type, -(double)INFINITY);
    case ZERO:
    default:
        return LLVMConstNull(type);
    }
}

static LLVMValueRef join(const struct lull_fl *f, const struct way *w, LLVMValueRef a,
                         LLVMValueRef b)
{
    LLVMValueRef args[2] = {a, b};
    return w->name != NULL ? lull_fl_call(f, w->name, LLVMTypeOf(a), args, 2)
                           : LLVMBuildBinOp(f->b, w->opcode, a, b, "");
}

/** Over @p lanes neighbours: after each step twice as many have the same. */
static LLVMValueRef reduce(const struct lull_fl *f, const struct way *w, LLVMValueRef v,
                           unsigned lanes)
{
    LLVMValueRef x = lull_fl_fill(f, v, identity_of(w, LLVMTypeOf(v)));
    for (unsigned k = 1; k < lanes; k *= 2) {
        x = join(f, w, x, lull_fl_swap(f, x, k));
    }
    return lull_fl_end_whole(f, x);
}

static LLVMValueRef scan(const struct lull_fl *f, const struct way *w, LLVMValueRef v,
                         bool inclusive)
{
    LLVMValueRef identity = identity_of(w, LLVMTypeOf(v));
    LLVMValueRef x = lull_fl_fill(f, v, identity);
    for (unsigned k = 1; k < f->wave; k *= 2) {
        x = join(f, w, lull_fl_before(f, x, identity, k), x);
    }
    return inclusive ? lull_fl_end_whole(f, x) : lull_fl_previous(f, x, identity);
}

struct lull_error *lull_fl_reduce(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    const struct lull_spv_insn *in = f->in;
    const struct way *w = NULL;
    LLVMValueRef v = NULL;
    uint64_t lanes = f->wave;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        w = ways[i].op == in->op ? &ways[i] : w;
    }
    *ret_known = w != NULL;
    if (w == NULL) {
        return NULL;
    }
    struct lull_error *err = lull_fl_get_kind(f, in->w[5], w->kind, &v);
    if (err == NULL && in->w[4] == SpvGroupOperationClusteredReduce) {
        err = lull_fl_number(f, lull_spv_word(in, 6), &lanes);
        if (err == NULL && (lanes == 0 || (lanes & (lanes - 1)) != 0)) {
            err = lull_fl_bad(f, "clusters of %u lanes", (unsigned)lanes);
        }
        lanes = lanes < f->wave ? lanes : f->wave;
    }
    err = err != NULL ? err : lull_fl_check_reach(f, (unsigned)lanes);
    if (err != NULL) {
        return err;
    }
    switch (in->w[4]) {
    case SpvGroupOperationReduce:
    case SpvGroupOperationClusteredReduce:
        *ret = reduce(f, w, v, (unsigned)lanes);
        return NULL;
    case SpvGroupOperationInclusiveScan:
    case SpvGroupOperationExclusiveScan:
        *ret = scan(f, w, v, in->w[4] == SpvGroupOperationInclusiveScan);
        return NULL;
    default:
        return lull_fl_refuse(f, "group operation %u", in->w[4]);
    }
}
