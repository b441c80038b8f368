// SPDX-License-Identifier: MIT
// Extensions of AMD and Intel that RADV has, too.
// Source: Khronos' registry: SPV_AMD_gcn_shader, SPV_AMD_shader_ballot,
// SPV_AMD_shader_trinary_minmax, SPV_INTEL_shader_integer_functions2.
#include <spirv/unified1/AMD_gcn_shader.h>
#include <spirv/unified1/AMD_shader_ballot.h>
#include <spirv/unified1/AMD_shader_trinary_minmax.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

enum { FIRST = 5, MOST = 3 };

static LLVMValueRef call2(const struct lull_fl *f, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[2] = {a, b};
    return lull_fl_call(f, name, LLVMTypeOf(a), args, 2);
}

/** @p n operands from word @p first on, of one type. */
LULL_MUST_USE static struct lull_error *operands(struct lull_fl *f, uint32_t first, unsigned n,
                                                 char kind, LLVMValueRef *v)
{
    struct lull_error *err = NULL;
    for (unsigned i = 0; i < n && err == NULL; i++) {
        err = lull_fl_get_kind(f, lull_spv_word(f->in, first + i), kind, &v[i]);
        if (err == NULL && LLVMTypeOf(v[i]) != LLVMTypeOf(v[0])) {
            err = lull_fl_bad(f, "operands of different types");
        }
    }
    return err;
}

/** (a + b) / 2, rounded down or up, without what is carried out: a + b = 2 (a & b) + (a ^ b). */
static LLVMValueRef average(const struct lull_fl *f, bool is_signed, bool up, LLVMValueRef *v)
{
    LLVMValueRef half = LLVMBuildXor(f->b, v[0], v[1], ""), at = lull_fl_whole(LLVMTypeOf(half), 1);
    half = is_signed ? LLVMBuildAShr(f->b, half, at, "") : LLVMBuildLShr(f->b, half, at, "");
    return up ? LLVMBuildSub(f->b, LLVMBuildOr(f->b, v[0], v[1], ""), half, "")
              : LLVMBuildAdd(f->b, LLVMBuildAnd(f->b, v[0], v[1], ""), half, "");
}

/** The first, times the low 16 bits of the second. */
static LLVMValueRef product(const struct lull_fl *f, bool is_signed, LLVMValueRef *v)
{
    LLVMValueRef at = lull_fl_whole(LLVMTypeOf(v[1]), 16), low = LLVMBuildShl(f->b, v[1], at, "");
    low = is_signed ? LLVMBuildAShr(f->b, low, at, "") : LLVMBuildLShr(f->b, low, at, "");
    return LLVMBuildMul(f->b, v[0], low, "");
}

/** SPV_INTEL_shader_integer_functions2, without those that are one instruction of LLVM's. */
LULL_MUST_USE static struct lull_error *intel(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    const uint32_t op = f->in->op;
    const bool one = op == SpvOpUCountLeadingZerosINTEL || op == SpvOpUCountTrailingZerosINTEL;
    const bool multiplies = op == SpvOpIMul32x16INTEL || op == SpvOpUMul32x16INTEL;
    LLVMValueRef v[2] = {0};
    const bool between = op >= SpvOpIAverageINTEL && op <= SpvOpUAverageRoundedINTEL;
    *ret_known = one || multiplies || between || op == SpvOpAbsISubINTEL || op == SpvOpAbsUSubINTEL;
    struct lull_error *err = *ret_known ? operands(f, 3, one ? 1 : 2, 'i', v) : NULL;
    if (err != NULL || !*ret_known) {
        return err;
    }
    const unsigned bits = LLVMGetIntTypeWidth(lull_fl_scalar_of(LLVMTypeOf(v[0])));
    LLVMValueRef args[2] = {v[0], LLVMConstInt(f->i1, 0, false)};
    if ((one || multiplies) && bits != 32) {
        return lull_fl_bad(f, "integers of %u bits", bits);
    }
    switch (op) {
    case SpvOpUCountLeadingZerosINTEL:
    case SpvOpUCountTrailingZerosINTEL:
        *ret = lull_fl_call(f, op == SpvOpUCountLeadingZerosINTEL ? "llvm.ctlz" : "llvm.cttz",
                            LLVMTypeOf(v[0]), args, 2);
        break;
    case SpvOpAbsISubINTEL:
        *ret = LLVMBuildSub(f->b, call2(f, "llvm.smax", v[0], v[1]),
                            call2(f, "llvm.smin", v[0], v[1]), "");
        break;
    case SpvOpAbsUSubINTEL:
        *ret = LLVMBuildSub(f->b, call2(f, "llvm.umax", v[0], v[1]),
                            call2(f, "llvm.umin", v[0], v[1]), "");
        break;
    case SpvOpIMul32x16INTEL:
    case SpvOpUMul32x16INTEL:
        *ret = product(f, op == SpvOpIMul32x16INTEL, v);
        break;
    default:
        *ret = average(f, op == SpvOpIAverageINTEL || op == SpvOpIAverageRoundedINTEL,
                       op == SpvOpIAverageRoundedINTEL || op == SpvOpUAverageRoundedINTEL, v);
        break;
    }
    return NULL;
}

/** Of three numbers the least, the most, or the one between. */
LULL_MUST_USE static struct lull_error *of_three(struct lull_fl *f, LLVMValueRef *ret)
{
    enum { KINDS = 3, LEAST = 0, GREATEST = 1 };
    static const char *const names[KINDS][2] = {
        {"llvm.minnum", "llvm.maxnum"}, {"llvm.umin", "llvm.umax"}, {"llvm.smin", "llvm.smax"}};
    const uint32_t op = f->in->w[4] - AMD_shader_trinary_minmaxFMin3AMD;
    LLVMValueRef v[MOST] = {0};
    if (op > AMD_shader_trinary_minmaxSMid3AMD - AMD_shader_trinary_minmaxFMin3AMD) {
        return lull_fl_bad(f, "instruction %u of SPV_AMD_shader_trinary_minmax", f->in->w[4]);
    }
    const char *const *name = names[op % KINDS];
    struct lull_error *err = operands(f, FIRST, MOST, op % KINDS == 0 ? 'f' : 'i', v);
    if (err != NULL) {
        return err;
    }
    LLVMValueRef least = call2(f, name[LEAST], v[0], v[1]);
    LLVMValueRef most = call2(f, name[GREATEST], v[0], v[1]);
    *ret = op / KINDS == LEAST ? call2(f, name[LEAST], least, v[2])
           : op / KINDS == GREATEST
               ? call2(f, name[GREATEST], most, v[2])
               : call2(f, name[GREATEST], least, call2(f, name[LEAST], most, v[2]));
    return NULL;
}

/**
 * Which face of a cube a direction meets, and where, from 0 to 1; the time. The axis has its sign,
 * as LLPC and RADV have it: faces of negative axes are mirrored.
 */
LULL_MUST_USE static struct lull_error *gcn(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef v = NULL, part[MOST] = {0};
    if (f->in->w[4] == AMD_gcn_shaderTimeAMD) {
        *ret = lull_fl_call(f, "llvm.readcyclecounter", NULL, NULL, 0);
        return NULL;
    }
    if (f->in->w[4] != AMD_gcn_shaderCubeFaceIndexAMD &&
        f->in->w[4] != AMD_gcn_shaderCubeFaceCoordAMD) {
        return lull_fl_bad(f, "instruction %u of SPV_AMD_gcn_shader", f->in->w[4]);
    }
    struct lull_error *err = lull_fl_get_kind(f, lull_spv_word(f->in, FIRST), 'f', &v);
    if (err == NULL && LLVMTypeOf(v) != LLVMVectorType(f->f32, MOST)) {
        err = lull_fl_bad(f, "not a vector of three floats of 32 bits");
    }
    if (err != NULL) {
        return err;
    }
    for (unsigned i = 0; i < MOST; i++) {
        part[i] = lull_fl_part(f, v, i);
    }
    if (f->in->w[4] == AMD_gcn_shaderCubeFaceIndexAMD) {
        *ret = lull_fl_call(f, "llvm.amdgcn.cubeid", NULL, part, MOST);
        return NULL;
    }
    LLVMValueRef at[2] = {lull_fl_call(f, "llvm.amdgcn.cubesc", NULL, part, MOST),
                          lull_fl_call(f, "llvm.amdgcn.cubetc", NULL, part, MOST)};
    LLVMValueRef twice = lull_fl_call(f, "llvm.amdgcn.cubema", NULL, part, MOST);
    *ret = LLVMGetPoison(LLVMVectorType(f->f32, 2));
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef x = lull_fl_divide(f, at[i], twice);
        x = LLVMBuildFAdd(f->b, x, lull_fl_float(f->f32, 0.5), "");
        *ret = lull_fl_put(f, *ret, x, i);
    }
    return NULL;
}

/** Which lane SwizzleInvocationsAMD (in its quad) or ~MaskedAMD reads. */
LULL_MUST_USE static struct lull_error *source(struct lull_fl *f, LLVMValueRef *ret)
{
    enum { QUAD = 4, LANES_OF_MASK = 32 };
    const bool quad = f->in->w[4] == AMD_shader_ballotSwizzleInvocationsAMD;
    LLVMValueRef by = NULL, lane = lull_fl_lane(f);
    struct lull_error *err = lull_fl_get_kind(f, lull_spv_word(f->in, FIRST + 1), 'i', &by);
    if (err == NULL && LLVMTypeOf(by) != LLVMVectorType(f->i32, quad ? QUAD : MOST)) {
        err = lull_fl_bad(f, "not a vector of %u integers of 32 bits", quad ? QUAD : MOST);
    }
    if (err != NULL) {
        return err;
    }
    if (quad) {
        LLVMValueRef in_quad = LLVMBuildAnd(f->b, lane, lull_fl_int(f, QUAD - 1), "");
        LLVMValueRef base = LLVMBuildAnd(f->b, lane, lull_fl_int(f, UINT32_MAX - (QUAD - 1)), "");
        LLVMValueRef at = LLVMBuildExtractElement(f->b, by, in_quad, "");
        at = LLVMBuildAnd(f->b, at, lull_fl_int(f, QUAD - 1), "");
        *ret = LLVMBuildOr(f->b, base, at, "");
        return NULL;
    }
    LLVMValueRef low = LLVMBuildAnd(f->b, lane, lull_fl_int(f, LANES_OF_MASK - 1), "");
    LLVMValueRef base = LLVMBuildXor(f->b, lane, low, "");
    low = LLVMBuildAnd(f->b, low, lull_fl_part(f, by, 0), "");
    low = LLVMBuildOr(f->b, low, lull_fl_part(f, by, 1), "");
    low = LLVMBuildXor(f->b, low, lull_fl_part(f, by, 2), "");
    low = LLVMBuildAnd(f->b, low, lull_fl_int(f, LANES_OF_MASK - 1), "");
    *ret = LLVMBuildOr(f->b, base, low, "");
    return NULL;
}

/** How many bits of a mask stand for lanes before this one. */
LULL_MUST_USE static struct lull_error *count_below(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef mask = NULL;
    struct lull_error *err = lull_fl_get_kind(f, lull_spv_word(f->in, FIRST), 'i', &mask);
    if (err == NULL && LLVMTypeOf(mask) != f->i64) {
        err = lull_fl_bad(f, "not an integer of 64 bits");
    }
    if (err == NULL) {
        LLVMValueRef one = LLVMConstInt(f->i64, 1, false);
        LLVMValueRef lane = LLVMBuildZExt(f->b, lull_fl_lane(f), f->i64, "");
        LLVMValueRef below = LLVMBuildShl(f->b, one, lane, "");
        mask = LLVMBuildAnd(f->b, mask, LLVMBuildSub(f->b, below, one, ""), "");
        mask = lull_fl_call(f, "llvm.ctpop", f->i64, &mask, 1);
        *ret = LLVMBuildTrunc(f->b, mask, f->i32, "");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *ballot(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef v[2] = {0}, lane = NULL;
    struct lull_error *err = NULL;
    switch (f->in->w[4]) {
    case AMD_shader_ballotSwizzleInvocationsAMD:
    case AMD_shader_ballotSwizzleInvocationsMaskedAMD:
        err = operands(f, FIRST, 1, '?', v);
        err = err != NULL ? err : source(f, &lane);
        *ret = err == NULL ? lull_fl_shuffle(f, v[0], lane) : NULL;
        return err;
    case AMD_shader_ballotWriteInvocationAMD:
        err = operands(f, FIRST, 2, '?', v);
        err = err != NULL ? err : lull_fl_get_kind(f, lull_spv_word(f->in, FIRST + 2), 'i', &lane);
        if (err == NULL && LLVMTypeOf(lane) != f->i32) {
            err = lull_fl_bad(f, "not a lane");
        }
        if (err == NULL) {
            LLVMValueRef here = LLVMBuildICmp(f->b, LLVMIntEQ, lane, lull_fl_lane(f), "");
            *ret = LLVMBuildSelect(f->b, here, v[1], v[0], "");
        }
        return err;
    case AMD_shader_ballotMbcntAMD:
        return count_below(f, ret);
    default:
        return lull_fl_bad(f, "instruction %u of SPV_AMD_shader_ballot", f->in->w[4]);
    }
}

struct lull_error *lull_fl_vendor(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    if (f->in->op != SpvOpExtInst) {
        return intel(f, ret, ret_known);
    }
    const uint32_t set = f->in->w[3], *amd = f->m->amd;
    *ret_known = set != f->m->glsl;
    return !*ret_known                      ? NULL
           : set == amd[LULL_FR_AMD_GCN]    ? gcn(f, ret)
           : set == amd[LULL_FR_AMD_BALLOT] ? ballot(f, ret)
                                            : of_three(f, ret);
}
