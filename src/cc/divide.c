// SPDX-License-Identifier: MIT
/*
 * LLVM 19 divides integers of 32 bits by floats if they fit in 24 bits, and for that counts copies
 * of the sign bit, also where it divides without signs: 0xffa023e4 / 0xffa023e5 became 1. So the
 * dividend of such a division is hidden from what counts them.
 *
 * Source: LLVM 19, AMDGPUCodeGenPrepare.cpp and AMDGPUISelLowering.cpp (getDivNumBits(),
 * LowerDIVREM24()), seen with a random shader that RADV and lavapipe compute otherwise.
 */
#include "cc/cc.h"
#include "cc/ir.h"

enum { WORD_BITS = 32, FLOAT_BITS = 23 };

// Zeros are at its top, so that it may be a float.
static bool is_small(LLVMValueRef v)
{
    if (LLVMIsAZExtInst(v) != NULL) {
        LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0));
        from = LLVMGetTypeKind(from) == LLVMVectorTypeKind ? LLVMGetElementType(from) : from;
        return LLVMGetIntTypeWidth(from) <= FLOAT_BITS;
    }
    LLVMValueRef by = LLVMIsAInstruction(v) != NULL && LLVMGetNumOperands(v) == 2
                          ? LLVMIsAConstantInt(LLVMGetOperand(v, 1))
                          : NULL;
    return by != NULL && ((LLVMGetInstructionOpcode(v) == LLVMAnd &&
                           LLVMConstIntGetZExtValue(by) < UINT64_C(1) << FLOAT_BITS) ||
                          (LLVMGetInstructionOpcode(v) == LLVMLShr &&
                           LLVMConstIntGetZExtValue(by) >= WORD_BITS - FLOAT_BITS));
}

// The same word, of which nothing is known.
static LLVMValueRef hidden_word(LLVMBuilderRef b, LLVMValueRef v)
{
    static const char same[] = "=v,0";
    LLVMTypeRef type = LLVMTypeOf(v), f = LLVMFunctionType(type, &type, 1, 0);
    LLVMValueRef code =
        LLVMGetInlineAsm(f, "", 0, same, sizeof same - 1, 0, 0, LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(b, f, code, &v, 1, "");
}

static LLVMValueRef hidden(LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v), word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        return hidden_word(b, v);
    }
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef at = LLVMConstInt(word, i, 0);
        LLVMValueRef one = hidden_word(b, LLVMBuildExtractElement(b, v, at, ""));
        v = LLVMBuildInsertElement(b, v, one, at, "");
    }
    return v;
}

static bool is_wrong(LLVMValueRef in)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(in);
    if ((op != LLVMUDiv && op != LLVMURem) || LLVMIsConstant(LLVMGetOperand(in, 1))) {
        return false;
    }
    LLVMTypeRef type = LLVMTypeOf(in);
    type = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
    return LLVMGetIntTypeWidth(type) == WORD_BITS && !is_small(LLVMGetOperand(in, 0));
}

void lull_cc_divide(struct lull_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
             block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef in = LLVMGetFirstInstruction(block); in != NULL;
                 in = LLVMGetNextInstruction(in)) {
                if (is_wrong(in)) {
                    LLVMPositionBuilderBefore(b, in);
                    LLVMSetOperand(in, 0, hidden(b, LLVMGetOperand(in, 0)));
                }
            }
        }
    }
    LLVMDisposeBuilder(b);
}
