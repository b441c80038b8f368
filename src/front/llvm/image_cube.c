// SPDX-License-Identifier: MIT
// Directions in cubes.
#include "front/llvm/image_priv.h"

enum { FACES_BETWEEN_LAYERS = 8 };

/** x, y or z of a face's coordinate or axis, and its sign. */
struct axis {
    unsigned part;
    bool negative;
};

/** Of each face +x -x +y -y +z -z: to the right, down, out of the middle. Source: Vulkan 1.3,
 * "Cube Map Face Selection". */
static const struct axis faces[6][3] = {
    {{2, true}, {1, true}, {0, false}},   {{2, false}, {1, true}, {0, true}},
    {{0, false}, {2, false}, {1, false}}, {{0, false}, {2, true}, {1, true}},
    {{0, false}, {1, true}, {2, false}},  {{0, true}, {1, true}, {2, true}},
};

/** What axis @p which (0 right, 1 down, 2 out) of a face takes of @p v. */
static LLVMValueRef along(const struct lull_fl *f, LLVMValueRef face, unsigned which,
                          LLVMValueRef *v)
{
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < 6; i++) {
        const struct axis *a = &faces[i][which];
        LLVMValueRef x = a->negative ? LLVMBuildFNeg(f->b, v[a->part], "") : v[a->part];
        LLVMValueRef is = LLVMBuildFCmp(f->b, LLVMRealOEQ, face, lull_fl_float(f->f32, i), "");
        all = all == NULL ? x : LLVMBuildSelect(f->b, is, x, all, "");
    }
    return all;
}

/** How fast sc / ma moves, where @p d is how the direction does: (dsc - sc / ma * dma) / ma. */
static void derivative(const struct lull_fl *f, LLVMValueRef face, const LLVMValueRef *where,
                       LLVMValueRef per_axis, LLVMValueRef *d)
{
    LLVMValueRef two = lull_fl_float(f->f32, 2), ret[2] = {0};
    LLVMValueRef out = LLVMBuildFMul(f->b, along(f, face, 2, d), two, ""); // ma is twice the axis
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef moved = LLVMBuildFMul(f->b, where[i], out, "");
        moved = LLVMBuildFSub(f->b, along(f, face, i, d), moved, "");
        ret[i] = LLVMBuildFMul(f->b, moved, per_axis, "");
    }
    d[0] = ret[0];
    d[1] = ret[1];
}

void lull_fl_cube(const struct lull_fl *f, bool layered, LLVMValueRef *v, LLVMValueRef *dx,
                  LLVMValueRef *dy)
{
    LLVMValueRef face = lull_fl_call(f, "llvm.amdgcn.cubeid", NULL, v, 3);
    LLVMValueRef at[2] = {lull_fl_call(f, "llvm.amdgcn.cubesc", NULL, v, 3),
                          lull_fl_call(f, "llvm.amdgcn.cubetc", NULL, v, 3)};
    LLVMValueRef axis = lull_fl_call(f, "llvm.amdgcn.cubema", NULL, v, 3);
    axis = lull_fl_call(f, "llvm.fabs", f->f32, &axis, 1);
    LLVMValueRef per_axis = lull_fl_call(f, "llvm.amdgcn.rcp", f->f32, &axis, 1);
    LLVMValueRef id = face;
    if (dx != NULL) {
        LLVMValueRef where[2] = {LLVMBuildFMul(f->b, at[0], per_axis, ""),
                                 LLVMBuildFMul(f->b, at[1], per_axis, "")};
        derivative(f, face, where, per_axis, dx);
        derivative(f, face, where, per_axis, dy);
    }
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef args[3] = {at[i], per_axis, lull_fl_float(f->f32, 1.5)};
        v[i] = lull_fl_call(f, "llvm.fma", f->f32, args, 3);
    }
    if (layered) {
        LLVMValueRef args[3] = {v[3], lull_fl_float(f->f32, FACES_BETWEEN_LAYERS), face};
        LLVMValueRef least[2] = {args[0], lull_fl_float(f->f32, 0)};
        args[0] = lull_fl_call(f, "llvm.maxnum", f->f32, least, 2);
        id = lull_fl_call(f, "llvm.fma", f->f32, args, 3);
    }
    v[2] = id;
}
