// SPDX-License-Identifier: MIT
/*
 * LLVM 19 makes a vector of an array of the function. First it notes the index of each access; then
 * it replaces the loads, and an index that is itself such a load, as in table[table[i]], is gone
 * when it is needed: a segmentation fault, or another value. So each index is a value of its own,
 * of which LLVM knows nothing but what it is.
 *
 * Source: LLVM 19, AMDGPUPromoteAlloca.cpp (GEPVectorIdx), seen with a shader of SPIRV-Cross.
 */
#include "cc/cc.h"
#include "cc/ir.h"

// Whether numbers of it may be indices.
static bool has_integers(LLVMTypeRef t)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(t);
    if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
        return has_integers(LLVMGetElementType(t));
    }
    for (unsigned i = 0; kind == LLVMStructTypeKind && i < LLVMCountStructElementTypes(t); i++) {
        if (has_integers(LLVMStructGetTypeAtIndex(t, i))) {
            return true;
        }
    }
    return kind == LLVMIntegerTypeKind;
}

static void indices(LLVMBuilderRef b, LLVMValueRef place)
{
    for (LLVMUseRef use = LLVMGetFirstUse(place); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef in = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(in) == NULL || LLVMGetOperand(in, 0) != place) {
            continue;
        }
        for (int i = 1; i < LLVMGetNumOperands(in); i++) {
            LLVMValueRef index = LLVMGetOperand(in, (unsigned)i);
            if (!LLVMIsConstant(index)) {
                LLVMPositionBuilderBefore(b, in);
                LLVMSetOperand(in, (unsigned)i, LLVMBuildFreeze(b, index, ""));
            }
        }
        indices(b, in);
    }
}

void lull_cc_own_index(struct lull_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
             block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef in = LLVMGetFirstInstruction(block); in != NULL;
                 in = LLVMGetNextInstruction(in)) {
                if (LLVMIsAAllocaInst(in) != NULL && has_integers(LLVMGetAllocatedType(in))) {
                    indices(b, in);
                }
            }
        }
    }
    LLVMDisposeBuilder(b);
}
