// SPDX-License-Identifier: MIT
// Waves of a subgroup of vertices and primitives: their numbers, ids of meshes, and what they
// export together.
#include "front/llvm/stage.h"

/** Parameters of the function: SGPRs are 0 to 7. */
enum { WAVE_INFO = 3, GROUP_XY = 4, GROUP_Z = 5, LOCAL_IDS = 8 };

enum {
    HIGH = 16,
    LOW_MASK = 0xffff,
    ID_BITS = 10,
    ID_MASK = 0x3ff,
    WAVE_SHIFT = 24,
    WAVE_MASK = 0xf,
    GS_ALLOC_REQ = 9, // a message
    PRIMITIVES_SHIFT = 12,
};

LLVMValueRef lull_fl_field(const struct lull_fl *f, LLVMValueRef v, unsigned shift, uint32_t mask)
{
    v = shift != 0 ? LLVMBuildLShr(f->b, v, lull_fl_int(f, shift), "") : v;
    return LLVMBuildAnd(f->b, v, lull_fl_int(f, mask), "");
}

LLVMValueRef lull_fl_wave_number(const struct lull_fl *f)
{
    return lull_fl_field(f, lull_fl_param(f, WAVE_INFO), WAVE_SHIFT, WAVE_MASK);
}

LLVMValueRef lull_fl_mesh_part(const struct lull_fl *f, enum lull_fl_id which, unsigned i)
{
    LLVMValueRef dimension = lull_fl_int(f, i);
    switch (which) {
    case LULL_FL_LOCAL_ID:
        return lull_fl_field(f, lull_fl_param(f, LOCAL_IDS), ID_BITS * i, ID_MASK);
    case LULL_FL_WORKGROUP_ID:
        return lull_fl_field(f, lull_fl_param(f, i < 2 ? GROUP_XY : GROUP_Z), i == 0 ? 0 : HIGH,
                             LOW_MASK);
    case LULL_FL_NUM_WORKGROUPS:
    default:
        return lull_fl_extern(f, "lull.num.workgroups", f->i32, &dimension, 1);
    }
}

unsigned lull_fl_corner_bits(const struct lull_fl *f)
{
    enum { BEFORE = 10, GFX12 = 9 };
    return f->gfx >= LULL_FL_GFX12 ? GFX12 : BEFORE;
}

void lull_fl_request(const struct lull_fl *f, LLVMValueRef nvertices, LLVMValueRef nprimitives)
{
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(f->c, f->fn, "request");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(f->c, f->fn, "requested");
    LLVMValueRef wave = lull_fl_wave_number(f);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, wave, lull_fl_int(f, 0), ""), first,
                    after);
    LLVMPositionBuilderAtEnd(f->b, first);
    LLVMValueRef n = LLVMBuildShl(f->b, nprimitives, lull_fl_int(f, PRIMITIVES_SHIFT), "");
    LLVMValueRef args[2] = {lull_fl_int(f, GS_ALLOC_REQ), LLVMBuildOr(f->b, n, nvertices, "")};
    lull_fl_call(f, "llvm.amdgcn.s.sendmsg", NULL, args, 2);
    LLVMBuildBr(f->b, after);
    LLVMPositionBuilderAtEnd(f->b, after);
}

void lull_fl_rows_begin(const struct lull_fl *f, LLVMValueRef count, unsigned nwaves,
                        struct lull_fl_rows *ret)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(f->b);
    LLVMBasicBlockRef in_row = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMValueRef wave = lull_fl_wave_number(f);
    ret->head = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    ret->next = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    ret->after = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMBuildBr(f->b, ret->head);
    LLVMPositionBuilderAtEnd(f->b, ret->head);
    ret->row = LLVMBuildPhi(f->b, f->i32, "");
    LLVMPositionBuilderAtEnd(f->b, ret->next);
    LLVMValueRef further = LLVMBuildAdd(f->b, ret->row, lull_fl_int(f, nwaves), "");
    LLVMBuildBr(f->b, ret->head);
    LLVMValueRef rows[2] = {wave, further};
    LLVMBasicBlockRef from[2] = {before, ret->next};
    LLVMAddIncoming(ret->row, rows, from, 2);
    LLVMPositionBuilderAtEnd(f->b, ret->head);
    LLVMValueRef first = LLVMBuildMul(f->b, ret->row, lull_fl_int(f, f->wave), "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, first, count, ""), in_row, ret->after);
    LLVMPositionBuilderAtEnd(f->b, in_row);
    ret->index = LLVMBuildAdd(f->b, first, f->stage->lane, "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, ret->index, count, ""), inside,
                    ret->next);
    LLVMPositionBuilderAtEnd(f->b, inside);
}

void lull_fl_rows_end(const struct lull_fl *f, const struct lull_fl_rows *r)
{
    LLVMBuildBr(f->b, r->next);
    LLVMPositionBuilderAtEnd(f->b, r->after);
}
