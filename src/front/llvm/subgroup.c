// SPDX-License-Identifier: MIT
// Subgroups, which are waves: votes, ballots, values of other lanes.
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

/** The lanes that are on and have a condition: one bit each. */
static LLVMValueRef ballot(const struct lull_fl *f, LLVMValueRef condition)
{
    return lull_fl_call(f, "llvm.amdgcn.ballot", f->i64, &condition, 1);
}

static LLVMValueRef everyone(const struct lull_fl *f)
{
    return ballot(f, LLVMConstInt(f->i1, 1, false));
}

static LLVMValueRef number64(const struct lull_fl *f, uint64_t v)
{
    return LLVMConstInt(f->i64, v, false);
}

/** Four words, as SPIR-V has ballots. */
static LLVMValueRef as_words(const struct lull_fl *f, LLVMValueRef mask)
{
    LLVMValueRef words = LLVMConstNull(LLVMVectorType(f->i32, 4));
    words = lull_fl_put(f, words, LLVMBuildTrunc(f->b, mask, f->i32, ""), 0);
    mask = LLVMBuildLShr(f->b, mask, number64(f, 32), "");
    return lull_fl_put(f, words, LLVMBuildTrunc(f->b, mask, f->i32, ""), 1);
}

/** ... and back, without what is behind the wave. */
LULL_MUST_USE static struct lull_error *mask_of(struct lull_fl *f, uint32_t id, LLVMValueRef *ret)
{
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_kind(f, id, 'i', &v);
    if (err == NULL && LLVMTypeOf(v) != LLVMVectorType(f->i32, 4)) {
        err = lull_fl_bad(f, "%%%u is not a ballot", id);
    }
    if (err != NULL) {
        return err;
    }
    *ret = LLVMBuildZExt(f->b, lull_fl_part(f, v, 0), f->i64, "");
    if (f->wave == 64) {
        LLVMValueRef high = LLVMBuildZExt(f->b, lull_fl_part(f, v, 1), f->i64, "");
        *ret = LLVMBuildOr(f->b, *ret, LLVMBuildShl(f->b, high, number64(f, 32), ""), "");
    }
    return NULL;
}

static LLVMValueRef bit_of(const struct lull_fl *f, LLVMValueRef mask, LLVMValueRef lane)
{
    LLVMValueRef at = LLVMBuildAnd(f->b, lane, lull_fl_int(f, 63), "");
    at = LLVMBuildZExt(f->b, at, f->i64, "");
    return LLVMBuildTrunc(f->b, LLVMBuildLShr(f->b, mask, at, ""), f->i1, "");
}

/** The first lane that is on? */
static LLVMValueRef elect(const struct lull_fl *f)
{
    LLVMValueRef args[2] = {everyone(f), LLVMConstInt(f->i1, 1, false)};
    LLVMValueRef first = lull_fl_call(f, "llvm.cttz", f->i64, args, 2);
    first = LLVMBuildTrunc(f->b, first, f->i32, "");
    return LLVMBuildICmp(f->b, LLVMIntEQ, first, lull_fl_lane(f), "");
}

/** OpGroupNonUniformAll, Any, AllEqual. */
LULL_MUST_USE static struct lull_error *vote(struct lull_fl *f, LLVMValueRef *ret)
{
    const uint32_t op = f->in->op;
    const bool equal = op == SpvOpGroupNonUniformAllEqual;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[4], equal ? '?' : 'b', &v);
    if (err == NULL && !equal && lull_fl_count(LLVMTypeOf(v)) != 1) {
        err = lull_fl_bad(f, "its condition is a vector");
    }
    if (err != NULL) {
        return err;
    }
    if (equal) {
        LLVMValueRef first = lull_fl_first(f, v), same = NULL;
        for (unsigned i = 0; i < lull_fl_count(LLVMTypeOf(v)); i++) {
            LLVMValueRef a = lull_fl_part(f, v, i), b = lull_fl_part(f, first, i);
            const bool whole = LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMIntegerTypeKind;
            LLVMValueRef one = whole ? LLVMBuildICmp(f->b, LLVMIntEQ, a, b, "")
                                     : LLVMBuildFCmp(f->b, LLVMRealOEQ, a, b, "");
            same = same == NULL ? one : LLVMBuildAnd(f->b, same, one, "");
        }
        v = same;
    }
    LLVMValueRef who = ballot(f, v);
    *ret = op == SpvOpGroupNonUniformAny ? LLVMBuildICmp(f->b, LLVMIntNE, who, number64(f, 0), "")
                                         : LLVMBuildICmp(f->b, LLVMIntEQ, who, everyone(f), "");
    return NULL;
}

/** Bits of a ballot: all, or those of lanes before this one. */
LULL_MUST_USE static struct lull_error *count(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef mask = NULL;
    struct lull_error *err = mask_of(f, f->in->w[5], &mask);
    if (err != NULL) {
        return err;
    }
    const uint32_t how = f->in->w[4];
    if (how != SpvGroupOperationReduce) {
        LLVMValueRef lane = LLVMBuildZExt(f->b, lull_fl_lane(f), f->i64, "");
        LLVMValueRef bit = LLVMBuildShl(f->b, number64(f, 1), lane, "");
        LLVMValueRef below = LLVMBuildSub(f->b, bit, number64(f, 1), "");
        below = how == SpvGroupOperationInclusiveScan ? LLVMBuildOr(f->b, below, bit, "") : below;
        mask = LLVMBuildAnd(f->b, mask, below, "");
    }
    *ret = LLVMBuildTrunc(f->b, lull_fl_call(f, "llvm.ctpop", f->i64, &mask, 1), f->i32, "");
    return how <= SpvGroupOperationExclusiveScan ? NULL
                                                 : lull_fl_refuse(f, "group operation %u", how);
}

LULL_MUST_USE static struct lull_error *of_ballot(struct lull_fl *f, LLVMValueRef *ret)
{
    const uint32_t op = f->in->op;
    LLVMValueRef mask = NULL, lane = lull_fl_lane(f), args[2] = {0};
    struct lull_error *err = mask_of(f, f->in->w[4], &mask);
    if (err == NULL && op == SpvOpGroupNonUniformBallotBitExtract) {
        err = lull_fl_get_kind(f, f->in->w[5], 'i', &lane);
        if (err == NULL && LLVMTypeOf(lane) != f->i32) {
            err = lull_fl_bad(f, "not a lane");
        }
    }
    if (err != NULL) {
        return err;
    }
    args[0] = mask;
    args[1] = LLVMConstInt(f->i1, 0, false);
    switch (op) {
    case SpvOpGroupNonUniformBallotFindLSB:
        mask = lull_fl_call(f, "llvm.cttz", f->i64, args, 2);
        *ret = LLVMBuildTrunc(f->b, mask, f->i32, "");
        return NULL;
    case SpvOpGroupNonUniformBallotFindMSB:
        mask =
            LLVMBuildSub(f->b, number64(f, 63), lull_fl_call(f, "llvm.ctlz", f->i64, args, 2), "");
        *ret = LLVMBuildTrunc(f->b, mask, f->i32, "");
        return NULL;
    default: // InverseBallot, BallotBitExtract
        *ret = bit_of(f, mask, lane);
        return NULL;
    }
}

/** Which lane a shuffle reads. */
LULL_MUST_USE static struct lull_error *source(struct lull_fl *f, LLVMValueRef *ret)
{
    const uint32_t op = f->in->op;
    LLVMValueRef lane = lull_fl_lane(f), by = NULL, base = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[5], 'i', &by);
    if (err == NULL && LLVMTypeOf(by) != f->i32) {
        err = lull_fl_bad(f, "not a number of 32 bits");
    }
    if (err != NULL) {
        return err;
    }
    switch (op) {
    case SpvOpGroupNonUniformShuffleXor:
        *ret = LLVMBuildXor(f->b, lane, by, "");
        return NULL;
    case SpvOpGroupNonUniformShuffleUp:
        *ret = LLVMBuildSub(f->b, lane, by, "");
        return NULL;
    case SpvOpGroupNonUniformShuffleDown:
        *ret = LLVMBuildAdd(f->b, lane, by, "");
        return NULL;
    case SpvOpGroupNonUniformQuadBroadcast:
        base = LLVMBuildAnd(f->b, lane, lull_fl_int(f, UINT32_MAX - 3), "");
        *ret = LLVMBuildOr(f->b, base, LLVMBuildAnd(f->b, by, lull_fl_int(f, 3), ""), "");
        return NULL;
    case SpvOpGroupNonUniformQuadSwap: // 0 horizontal, 1 vertical, 2 diagonal: 1, 2, 3
        by = LLVMBuildAdd(f->b, by, lull_fl_int(f, 1), "");
        *ret = LLVMBuildXor(f->b, lane, by, "");
        return NULL;
    default:
        *ret = by;
        return NULL;
    }
}

LULL_MUST_USE static struct lull_error *value_of_other(struct lull_fl *f, LLVMValueRef *ret)
{
    const uint32_t op = f->in->op;
    LLVMValueRef v = NULL, lane = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[4], '?', &v);
    if (err == NULL && op != SpvOpGroupNonUniformBroadcastFirst) {
        err = source(f, &lane);
    }
    if (err == NULL && op >= SpvOpGroupNonUniformShuffle && op <= SpvOpGroupNonUniformShuffleDown) {
        err = lull_fl_check_reach(f, f->wave);
    }
    if (err != NULL) {
        return err;
    }
    *ret = op == SpvOpGroupNonUniformBroadcastFirst ? lull_fl_first(f, v)
           : op == SpvOpGroupNonUniformBroadcast ? lull_fl_lane_value(f, v, lull_fl_first(f, lane))
                                                 : lull_fl_shuffle(f, v, lane);
    return NULL;
}

LULL_MUST_USE static struct lull_error *one(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    LLVMValueRef v = NULL;
    struct lull_error *err = NULL;
    switch (f->in->op) {
    case SpvOpGroupNonUniformElect:
        *ret = elect(f);
        return NULL;
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny:
    case SpvOpGroupNonUniformAllEqual:
        return vote(f, ret);
    case SpvOpGroupNonUniformBallot:
        err = lull_fl_get_kind(f, f->in->w[4], 'b', &v);
        if (err == NULL && lull_fl_count(LLVMTypeOf(v)) != 1) {
            err = lull_fl_bad(f, "its condition is a vector");
        }
        *ret = err == NULL ? as_words(f, ballot(f, v)) : NULL;
        return err;
    case SpvOpGroupNonUniformBallotBitCount:
        return count(f, ret);
    case SpvOpGroupNonUniformInverseBallot:
    case SpvOpGroupNonUniformBallotBitExtract:
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return of_ballot(f, ret);
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpGroupNonUniformShuffle:
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown:
    case SpvOpGroupNonUniformQuadBroadcast:
    case SpvOpGroupNonUniformQuadSwap:
        return value_of_other(f, ret);
    default:
        return lull_fl_reduce(f, ret, ret_known);
    }
}

/**
 * The instruction of the core that one of SPV_KHR_shader_ballot, SPV_KHR_subgroup_vote or
 * SPV_AMD_shader_ballot is; 0: it is none of these. Those of KHR have no scope.
 */
static uint32_t core_op(uint32_t op, bool *ret_scope)
{
    static const uint32_t ops[][3] = {
        {SpvOpSubgroupBallotKHR, SpvOpGroupNonUniformBallot, 0},
        {SpvOpSubgroupFirstInvocationKHR, SpvOpGroupNonUniformBroadcastFirst, 0},
        {SpvOpSubgroupAllKHR, SpvOpGroupNonUniformAll, 0},
        {SpvOpSubgroupAnyKHR, SpvOpGroupNonUniformAny, 0},
        {SpvOpSubgroupAllEqualKHR, SpvOpGroupNonUniformAllEqual, 0},
        {SpvOpSubgroupReadInvocationKHR, SpvOpGroupNonUniformBroadcast, 0},
        {SpvOpGroupIAddNonUniformAMD, SpvOpGroupNonUniformIAdd, 1},
        {SpvOpGroupFAddNonUniformAMD, SpvOpGroupNonUniformFAdd, 1},
        {SpvOpGroupFMinNonUniformAMD, SpvOpGroupNonUniformFMin, 1},
        {SpvOpGroupUMinNonUniformAMD, SpvOpGroupNonUniformUMin, 1},
        {SpvOpGroupSMinNonUniformAMD, SpvOpGroupNonUniformSMin, 1},
        {SpvOpGroupFMaxNonUniformAMD, SpvOpGroupNonUniformFMax, 1},
        {SpvOpGroupUMaxNonUniformAMD, SpvOpGroupNonUniformUMax, 1},
        {SpvOpGroupSMaxNonUniformAMD, SpvOpGroupNonUniformSMax, 1},
    };
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (ops[i][0] == op) {
            *ret_scope = ops[i][2] != 0;
            return ops[i][1];
        }
    }
    return 0;
}

/** An instruction of an extension, as the one of the core that it is. */
LULL_MUST_USE static struct lull_error *as_core(struct lull_fl *f, uint32_t op, bool scope,
                                                LLVMValueRef *ret, bool *ret_known)
{
    enum { SCOPE = 3, WORDS = 6 };
    const struct lull_spv_insn *saved = f->in;
    struct lull_spv_insn in = *saved;
    uint32_t w[WORDS] = {0};
    for (uint32_t i = 1; i < WORDS; i++) {
        const bool skip = !scope && i >= SCOPE;
        w[i] = skip && i == SCOPE ? 0 : lull_spv_word(saved, skip ? i - 1 : i);
    }
    in.op = op;
    in.w = w;
    in.n = WORDS;
    f->in = &in;
    struct lull_error *err = one(f, ret, ret_known);
    f->in = saved;
    *ret_known = true;
    return err;
}

struct lull_error *lull_fl_subgroup(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    uint64_t scope = SpvScopeSubgroup;
    bool scoped = true;
    const uint32_t op = core_op(f->in->op, &scoped);
    *ret_known = op != 0 || (f->in->op >= SpvOpGroupNonUniformElect &&
                             f->in->op <= SpvOpGroupNonUniformQuadSwap);
    if (!*ret_known) {
        return NULL;
    }
    struct lull_error *err = scoped ? lull_fl_number(f, f->in->w[3], &scope) : NULL;
    if (err == NULL && scope != SpvScopeSubgroup) {
        err = lull_fl_refuse(f, "of scope %u", (unsigned)scope);
    }
    if (err != NULL) {
        return err;
    }
    return op != 0 ? as_core(f, op, scoped, ret, ret_known) : one(f, ret, ret_known);
}
