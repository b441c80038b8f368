// SPDX-License-Identifier: MIT
// What a lane knows of itself.
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"
#include "spirv/grammar.h"

/** A part of an id. */
static LLVMValueRef part_of(const struct lull_fl *f, enum lull_fl_id which, unsigned i)
{
    const char *name = which == LULL_FL_LOCAL_ID       ? "lull.local.id"
                       : which == LULL_FL_WORKGROUP_ID ? "lull.workgroup.id"
                                                       : "lull.num.workgroups";
    if (f->stage != NULL) {
        return lull_fl_mesh_part(f, which, i);
    }
    LLVMValueRef dimension = lull_fl_int(f, i);
    return lull_fl_extern(f, name, f->i32, &dimension, 1);
}

LLVMValueRef lull_fl_lane(const struct lull_fl *f)
{
    LLVMValueRef low[2] = {lull_fl_whole(f->i32, UINT32_MAX), lull_fl_int(f, 0)};
    LLVMValueRef n = lull_fl_call(f, "llvm.amdgcn.mbcnt.lo", NULL, low, 2);
    LLVMValueRef high[2] = {low[0], n};
    return f->wave == 64 ? lull_fl_call(f, "llvm.amdgcn.mbcnt.hi", NULL, high, 2) : n;
}

LLVMValueRef lull_fl_local_index(const struct lull_fl *f)
{
    const uint32_t *size = f->m->local_size;
    LLVMValueRef at = lull_fl_int(f, 0);
    for (unsigned i = 3; i-- > 0;) {
        if (size[i] != 1) { // else its part is 0
            at = LLVMBuildMul(f->b, at, lull_fl_int(f, size[i]), "");
            at = LLVMBuildAdd(f->b, at, part_of(f, LULL_FL_LOCAL_ID, i), "");
        }
    }
    return at;
}

/** Lanes compared with this one, as two halves and two zeros: gl_SubgroupEqMask and its like. */
static LLVMValueRef mask(const struct lull_fl *f, uint32_t builtin)
{
    LLVMValueRef one = LLVMConstInt(f->i64, 1, false);
    LLVMValueRef bit =
        LLVMBuildShl(f->b, one, LLVMBuildZExt(f->b, lull_fl_lane(f), f->i64, ""), "");
    LLVMValueRef below = LLVMBuildSub(f->b, bit, one, "");
    LLVMValueRef all = LLVMConstInt(f->i64, f->wave == 64 ? UINT64_MAX : UINT32_MAX, false);
    LLVMValueRef le = LLVMBuildOr(f->b, below, bit, ""), v = bit;
    if (builtin == SpvBuiltInSubgroupLtMask) {
        v = below;
    } else if (builtin == SpvBuiltInSubgroupLeMask) {
        v = le;
    } else if (builtin == SpvBuiltInSubgroupGeMask) {
        v = LLVMBuildAnd(f->b, LLVMBuildNot(f->b, below, ""), all, "");
    } else if (builtin == SpvBuiltInSubgroupGtMask) {
        v = LLVMBuildAnd(f->b, LLVMBuildNot(f->b, le, ""), all, "");
    }
    LLVMTypeRef four = LLVMVectorType(f->i32, 4);
    LLVMValueRef ret = LLVMConstNull(four);
    ret = lull_fl_put(f, ret, LLVMBuildTrunc(f->b, v, f->i32, ""), 0);
    v = LLVMBuildLShr(f->b, v, LLVMConstInt(f->i64, 32, false), "");
    return lull_fl_put(f, ret, LLVMBuildTrunc(f->b, v, f->i32, ""), 1);
}

/** Three numbers. */
static LLVMValueRef triple(const struct lull_fl *f, uint32_t builtin)
{
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(f->i32, 3));
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef v = NULL, size = lull_fl_int(f, f->m->local_size[i]);
        switch (builtin) {
        case SpvBuiltInNumWorkgroups:
            v = part_of(f, LULL_FL_NUM_WORKGROUPS, i);
            break;
        case SpvBuiltInWorkgroupId:
            v = part_of(f, LULL_FL_WORKGROUP_ID, i);
            break;
        case SpvBuiltInWorkgroupSize:
            v = size;
            break;
        case SpvBuiltInLocalInvocationId:
            v = part_of(f, LULL_FL_LOCAL_ID, i);
            break;
        default: // GlobalInvocationId
            v = LLVMBuildMul(f->b, part_of(f, LULL_FL_WORKGROUP_ID, i), size, "");
            v = LLVMBuildAdd(f->b, v, part_of(f, LULL_FL_LOCAL_ID, i), "");
            break;
        }
        all = lull_fl_put(f, all, v, i);
    }
    return all;
}

/** A number, or NULL. */
static LLVMValueRef number(const struct lull_fl *f, uint32_t builtin)
{
    const uint32_t *size = f->m->local_size;
    const uint32_t lanes = size[0] * size[1] * size[2];
    switch (builtin) {
    case SpvBuiltInLocalInvocationIndex:
        return lull_fl_local_index(f);
    case SpvBuiltInSubgroupSize:
        return lull_fl_int(f, f->wave);
    case SpvBuiltInSubgroupLocalInvocationId:
        return lull_fl_lane(f);
    case SpvBuiltInNumSubgroups:
        return lull_fl_int(f, (lanes + f->wave - 1) / f->wave);
    case SpvBuiltInSubgroupId: // lanes are packed in the order of the local index
        return LLVMBuildUDiv(f->b, lull_fl_local_index(f), lull_fl_int(f, f->wave), "");
    case SpvBuiltInDeviceIndex:
        return lull_fl_extern(f, "lull.device.index", f->i32, NULL, 0);
    case SpvBuiltInViewIndex:
        return f->stage != NULL ? lull_fl_view(f) : NULL;
    default:
        return NULL;
    }
}

static bool of_workgroups(uint32_t builtin)
{
    return (builtin >= SpvBuiltInNumWorkgroups && builtin <= SpvBuiltInLocalInvocationIndex) ||
           builtin == SpvBuiltInNumSubgroups || builtin == SpvBuiltInSubgroupId;
}

struct lull_error *lull_fl_builtin(struct lull_fl *f, uint32_t builtin,
                                   const struct lull_fr_type *type, LLVMValueRef *ret)
{
    LLVMTypeRef want = NULL;
    struct lull_error *err = lull_fl_type(f, type, &want);
    if (err != NULL) {
        return err;
    }
    if (f->stage != NULL && !f->stage->mesh && of_workgroups(builtin)) {
        return lull_fl_refuse(f, "built-in %u (%s), of compute and mesh shaders only", builtin,
                              lull_spv_builtin_name(builtin));
    }
    switch (builtin) {
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInGlobalInvocationId:
        *ret = triple(f, builtin);
        break;
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        *ret = mask(f, builtin);
        break;
    default:
        *ret = number(f, builtin);
        break;
    }
    if (*ret == NULL) {
        return lull_fl_refuse(f, "built-in %u (%s)", builtin, lull_spv_builtin_name(builtin));
    }
    return LLVMTypeOf(*ret) == want ? NULL : lull_fl_bad(f, "not the type of the built-in");
}
