// SPDX-License-Identifier: MIT
// Instructions of pixel shaders: derivatives, discards, interpolation at other places.
//
// Four lanes are a block of two by two pixels: lane 1 is to the right of lane 0, lane 2 below it.
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

enum { ALL_ROWS = 0xf };

/** quad_perm of LLVM's DPP: two bits for each lane, which lane's value it gets. */
enum {
    FIRST = 0x00,  // 0 0 0 0
    SECOND = 0x55, // 1 1 1 1
    THIRD = 0xaa,  // 2 2 2 2
    LEFT = 0xa0,   // 0 0 2 2
    RIGHT = 0xf5,  // 1 1 3 3
    ABOVE = 0x44,  // 0 1 0 1
    BELOW = 0xee,  // 2 3 2 3
};

static LLVMValueRef of_lane(const struct lull_fl *f, LLVMValueRef v, unsigned perm)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef bits =
        type == f->f32 ? LLVMBuildBitCast(f->b, v, f->i32, "")
                       : LLVMBuildZExt(f->b, LLVMBuildBitCast(f->b, v, f->i16, ""), f->i32, "");
    LLVMValueRef args[5] = {bits, lull_fl_int(f, perm), lull_fl_int(f, ALL_ROWS),
                            lull_fl_int(f, ALL_ROWS), LLVMConstInt(f->i1, 1, false)};
    bits = lull_fl_call(f, "llvm.amdgcn.mov.dpp", f->i32, args, 5);
    return type == f->f32
               ? LLVMBuildBitCast(f->b, bits, f->f32, "")
               : LLVMBuildBitCast(f->b, LLVMBuildTrunc(f->b, bits, f->i16, ""), type, "");
}

LLVMValueRef lull_fl_derivative(const struct lull_fl *f, LLVMValueRef v, bool y, bool fine)
{
    const unsigned from = !fine ? FIRST : y ? ABOVE : LEFT;
    const unsigned to = fine ? (y ? BELOW : RIGHT) : (y ? THIRD : SECOND);
    LLVMValueRef all = LLVMGetPoison(LLVMTypeOf(v));
    for (unsigned i = 0; i < lull_fl_count(LLVMTypeOf(v)); i++) {
        LLVMValueRef one = lull_fl_part(f, v, i);
        one = LLVMBuildFSub(f->b, of_lane(f, one, to), of_lane(f, one, from), "");
        one = lull_fl_call(f, "llvm.amdgcn.wqm", LLVMTypeOf(one), &one, 1);
        all = lull_fl_put(f, all, one, i);
    }
    return all;
}

LULL_MUST_USE static struct lull_error *derivative(struct lull_fl *f, LLVMValueRef *ret)
{
    const uint32_t op = f->in->op;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], 'f', &v);
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef scalar = lull_fl_scalar_of(LLVMTypeOf(v));
    if (scalar != f->f32 && scalar != f->f16) {
        return lull_fl_refuse(f, "derivatives of other floats than of 16 and 32 bits");
    }
    const bool fine = op == SpvOpDPdxFine || op == SpvOpDPdyFine || op == SpvOpFwidthFine;
    const bool width = op == SpvOpFwidth || op == SpvOpFwidthFine || op == SpvOpFwidthCoarse;
    const bool y = op == SpvOpDPdy || op == SpvOpDPdyFine || op == SpvOpDPdyCoarse;
    *ret = lull_fl_derivative(f, v, y, fine);
    if (width) {
        LLVMTypeRef type = LLVMTypeOf(v);
        LLVMValueRef other = lull_fl_derivative(f, v, true, fine);
        *ret = LLVMBuildFAdd(f->b, lull_fl_call(f, "llvm.fabs", type, ret, 1),
                             lull_fl_call(f, "llvm.fabs", type, &other, 1), "");
    }
    return NULL;
}

/** Where sample @p id is, in pixels from the pixel's centre: Vulkan's standard places, of as many
 * samples as the layout says. Numbers are four bits each, sixteenths, x below y. */
static LLVMValueRef sample_offset(const struct lull_fl *f, LLVMValueRef id)
{
    static const struct {
        unsigned samples;
        uint64_t places;
    } known[] = {{2, 0xcc44}, {4, 0x622ae6ae}, {8, UINT64_C(0x9773f95bbd153fd1)}};
    LLVMTypeRef i64 = LLVMInt64TypeInContext(f->c), pair = LLVMVectorType(f->f32, 2);
    LLVMValueRef n = lull_fl_extern(f, "lull.num.samples", f->i32, NULL, 0);
    LLVMValueRef all = LLVMConstInt(i64, 0, false);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        LLVMValueRef is = LLVMBuildICmp(f->b, LLVMIntEQ, n, lull_fl_int(f, known[i].samples), "");
        all = LLVMBuildSelect(f->b, is, LLVMConstInt(i64, known[i].places, false), all, "");
    }
    LLVMValueRef shift = LLVMBuildShl(f->b, id, lull_fl_int(f, 3), "");
    shift = LLVMBuildAnd(f->b, shift, lull_fl_int(f, 63), "");
    LLVMValueRef byte = LLVMBuildLShr(f->b, all, LLVMBuildZExt(f->b, shift, i64, ""), "");
    byte = LLVMBuildTrunc(f->b, byte, f->i32, "");
    LLVMValueRef both = LLVMGetPoison(pair);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef v = LLVMBuildShl(f->b, byte, lull_fl_int(f, i == 0 ? 28 : 24), "");
        v = LLVMBuildAShr(f->b, v, lull_fl_int(f, 28), "");
        v = LLVMBuildFMul(f->b, LLVMBuildSIToFP(f->b, v, f->f32, ""),
                          LLVMConstReal(f->f32, 1.0 / 16), "");
        both = lull_fl_put(f, both, v, i);
    }
    return both;
}

/** Weights where an instruction interpolates. */
LULL_MUST_USE static struct lull_error *weights_of(struct lull_fl *f, uint32_t op, bool linear,
                                                   LLVMValueRef *ret)
{
    if (op == GLSLstd450InterpolateAtCentroid) {
        *ret = lull_fl_weights(f, LULL_FL_CENTROID, linear);
        return NULL;
    }
    LLVMValueRef by = NULL, at = lull_fl_weights(f, LULL_FL_CENTER, linear);
    const bool sample = op == GLSLstd450InterpolateAtSample;
    struct lull_error *err = lull_fl_get_kind(f, lull_spv_word(f->in, 6), sample ? 'i' : 'f', &by);
    if (err != NULL) {
        return err;
    }
    if (sample) {
        by = sample_offset(f, by);
    }
    if (LLVMTypeOf(by) != LLVMTypeOf(at)) {
        return lull_fl_bad(f, "its offset is not two floats");
    }
    LLVMTypeRef type = LLVMTypeOf(at);
    LLVMValueRef base = at;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef d = lull_fl_derivative(f, base, i == 1, false);
        LLVMValueRef step = lull_fl_splat(f, lull_fl_part(f, by, i), lull_fl_count(type));
        at = LLVMBuildFAdd(f->b, at, LLVMBuildFMul(f->b, d, step, ""), "");
    }
    *ret = at;
    return NULL;
}

/** The whole variable is interpolated again, into its copy; the pointer's place in it is read. */
LULL_MUST_USE static struct lull_error *interpolate(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_fl_pointer *p = NULL;
    LLVMValueRef ij = NULL;
    struct lull_error *err = lull_fl_get_pointer(f, lull_spv_word(f->in, 5), &p);
    if (err != NULL) {
        return err;
    }
    if (p->input == 0 || p->again == NULL || f->stage == NULL || !f->stage->pixel) {
        return lull_fl_bad(f, "its operand is not an input of a pixel shader");
    }
    const bool linear = f->m->ids[p->input].decor.noperspective;
    err = weights_of(f, f->in->w[4], linear, &ij);
    if (err != NULL) {
        return err;
    }
    f->stage->ij = ij;
    f->stage->again = p->input;
    err = lull_fl_fill_inputs(f);
    f->stage->ij = NULL;
    f->stage->again = 0;
    struct lull_fl_pointer other = *p;
    other.base = p->again;
    return err != NULL ? err : lull_fl_load(f, &other, ret);
}

struct lull_error *lull_fl_fragment(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    const uint32_t op = f->in->op;
    *ret_known = f->stage != NULL && f->stage->pixel;
    if (!*ret_known) {
        return NULL;
    }
    switch (op) {
    case SpvOpDPdx:
    case SpvOpDPdy:
    case SpvOpFwidth:
    case SpvOpDPdxFine:
    case SpvOpDPdyFine:
    case SpvOpFwidthFine:
    case SpvOpDPdxCoarse:
    case SpvOpDPdyCoarse:
    case SpvOpFwidthCoarse:
        return derivative(f, ret);
    case SpvOpDemoteToHelperInvocationEXT: {
        LLVMValueRef no = LLVMConstInt(f->i1, 0, false);
        lull_fl_call(f, "llvm.amdgcn.wqm.demote", NULL, &no, 1);
        return NULL;
    }
    case SpvOpIsHelperInvocationEXT:
        *ret = LLVMBuildNot(f->b, lull_fl_call(f, "llvm.amdgcn.live.mask", NULL, NULL, 0), "");
        return NULL;
    case SpvOpExtInst:
        *ret_known = f->in->w[4] >= GLSLstd450InterpolateAtCentroid &&
                     f->in->w[4] <= GLSLstd450InterpolateAtOffset;
        return *ret_known ? interpolate(f, ret) : NULL;
    default:
        *ret_known = false;
        return NULL;
    }
}
