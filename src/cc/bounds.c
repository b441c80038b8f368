// SPDX-License-Identifier: MIT
/*
 * Accesses through pointers that leave the variable they point into: what clang's array-bounds,
 * which knows arrays by their names, cannot see. LLVM's bounds-checking, behind inlining, asks at
 * each access whether it is in its variable, and traps; here a trap becomes the mark of an index
 * (compile/opencl/undefined.clh). Accesses whose indices are all of arrays clang has asked for.
 *
 * Source: LLVM 19, BoundsChecking.cpp: a branch on comparisons with the offset to a block with a
 * trap, in front of the access.
 */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cc/cc.h"
#include "cc/ir.h"

enum { GLOBAL_MEMORY = 1, INDEX_INFO = 13 }; // 2 * log2(64) + 1: a signed number of 64 bits.

/** A trap's access: what it is in, and by how much it is beyond the start of that. */
struct access {
    LLVMValueRef branch, offset;
    LLVMValueRef base; ///< A variable, or NULL.
    LLVMTypeRef type;  ///< Of base, or of what is taken.
    bool through;      ///< By a pointer, somewhere.
    bool there;        ///< It is one of the pass.
};

static bool is_trap(LLVMValueRef in)
{
    return LLVMIsACallInst(in) != NULL && LLVMGetCalledValue(in) != NULL &&
           strcmp(lull_ir_name(LLVMGetCalledValue(in)), "llvm.trap") == 0;
}

/** The offset that @p condition compares with a size. */
static LLVMValueRef offset_of(LLVMValueRef condition)
{
    if (LLVMIsAInstruction(condition) == NULL) {
        return NULL;
    }
    if (LLVMGetInstructionOpcode(condition) == LLVMOr) {
        LLVMValueRef first = offset_of(LLVMGetOperand(condition, 0));
        return first != NULL ? first : offset_of(LLVMGetOperand(condition, 1));
    }
    if (LLVMIsAICmpInst(condition) == NULL) {
        return NULL;
    }
    LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
    if (LLVMGetICmpPredicate(condition) == LLVMIntSLT) {
        return left;
    }
    const bool rest = LLVMIsAInstruction(left) != NULL && LLVMGetInstructionOpcode(left) == LLVMSub;
    return LLVMGetICmpPredicate(condition) != LLVMIntULT ? NULL
           : rest                                        ? LLVMGetOperand(left, 1)
           : LLVMIsAConstantInt(left) != NULL            ? right
                                                         : NULL;
}

/** The place that an access is to; NULL: it is none. */
static LLVMValueRef place_of(LLVMValueRef in)
{
    if (LLVMIsAStoreInst(in) != NULL) {
        return LLVMGetOperand(in, 1);
    }
    const bool first = LLVMIsALoadInst(in) != NULL || LLVMIsAAtomicRMWInst(in) != NULL ||
                       LLVMIsAAtomicCmpXchgInst(in) != NULL;
    return first ? LLVMGetOperand(in, 0) : NULL;
}

static bool is_address(LLVMValueRef p, LLVMOpcode opcode)
{
    return (LLVMIsAInstruction(p) != NULL && LLVMGetInstructionOpcode(p) == opcode) ||
           (LLVMIsAConstantExpr(p) != NULL && LLVMGetConstOpcode(p) == opcode);
}

/** Whether @p gep goes on from its pointer by elements, not into an array or a structure. */
static bool counts(LLVMValueRef gep)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetGEPSourceElementType(gep));
    LLVMValueRef first = LLVMGetOperand(gep, 1);
    const bool none = LLVMIsAConstantInt(first) != NULL && LLVMConstIntGetZExtValue(first) == 0;
    return !none || (kind != LLVMArrayTypeKind && kind != LLVMStructTypeKind);
}

static void find_base(struct access *a, LLVMValueRef p)
{
    while (is_address(p, LLVMGetElementPtr) || is_address(p, LLVMAddrSpaceCast)) {
        a->through = a->through || (is_address(p, LLVMGetElementPtr) && counts(p));
        p = LLVMGetOperand(p, 0);
    }
    if (LLVMIsAAllocaInst(p) != NULL) {
        a->base = p;
        a->type = LLVMGetAllocatedType(p);
    } else if (LLVMIsAGlobalVariable(p) != NULL) {
        a->base = p;
        a->type = LLVMGlobalGetValueType(p);
    } else {
        a->through = true; // One of several.
    }
}

/** What @p trap, the first instruction of its block, is there for. */
static struct access access_of(LLVMValueRef trap)
{
    struct access a = {0};
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(LLVMGetInstructionParent(trap)));
    if (use == NULL || LLVMGetNextUse(use) != NULL) {
        return a;
    }
    a.branch = LLVMGetUser(use);
    if (LLVMIsABranchInst(a.branch) == NULL || !LLVMIsConditional(a.branch)) {
        return a;
    }
    a.offset = offset_of(LLVMGetCondition(a.branch));
    LLVMValueRef in = LLVMGetFirstInstruction(LLVMGetSuccessor(a.branch, 1));
    LLVMValueRef place = in != NULL ? place_of(in) : NULL;
    if (place != NULL) {
        a.type = LLVMTypeOf(LLVMIsAStoreInst(in) != NULL ? LLVMGetOperand(in, 0) : in);
        find_base(&a, place);
    }
    a.there = place != NULL && a.offset != NULL;
    return a;
}

/** The type of an element as a program calls it. */
static void put_element(LLVMTypeRef t, struct lull_str *ret)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(t);
    if (kind == LLVMVectorTypeKind) {
        put_element(LLVMGetElementType(t), ret);
        lull_str_addf(ret, "%u", LLVMGetVectorSize(t));
    } else if (kind == LLVMIntegerTypeKind) {
        const unsigned bits = LLVMGetIntTypeWidth(t);
        lull_str_addf(ret, "%s",
                      bits <= 8    ? "char"
                      : bits == 16 ? "short"
                      : bits == 32 ? "int"
                                   : "long");
    } else if (kind == LLVMStructTypeKind) {
        const char *name = LLVMGetStructName(t), *dot = name != NULL ? strrchr(name, '.') : NULL;
        lull_str_addf(ret, "%s", dot != NULL ? dot + 1 : name != NULL ? name : "struct");
    } else {
        lull_str_addf(ret, "%s",
                      kind == LLVMHalfTypeKind     ? "half"
                      : kind == LLVMFloatTypeKind  ? "float"
                      : kind == LLVMDoubleTypeKind ? "double"
                                                   : "pointer");
    }
}

/** "'name, int[4]'", as the mark has it, and bytes of an element. */
static void describe(const struct access *a, LLVMTargetDataRef layout, struct lull_str *ret,
                     uint64_t *ret_bytes)
{
    LLVMTypeRef t = a->type;
    uint64_t n = 1;
    while (a->base != NULL && LLVMGetTypeKind(t) == LLVMArrayTypeKind) {
        n *= LLVMGetArrayLength2(t);
        t = LLVMGetElementType(t);
    }
    *ret_bytes = LLVMABISizeOfType(layout, t);
    if (a->base == NULL) {
        lull_str_addf(ret, "'what it points into'");
        return;
    }
    const char *name = lull_ir_name(a->base);
    const bool global = LLVMIsAGlobalVariable(a->base) != NULL;
    const char *dot = strchr(name, '.'); // "kernel.name", "name.i"
    const char *from = global && dot != NULL ? dot + 1 : name;
    lull_str_addf(ret, "'%.*s, ", (int)strcspn(from, "."), from);
    put_element(t, ret);
    lull_str_addf(ret, "[%llu]'", (unsigned long long)n);
}

/** A constant in memory, that its address is passed of. */
static LLVMValueRef constant(const struct lull_cc *cc, LLVMValueRef v)
{
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(cc->module, LLVMTypeOf(v), "", GLOBAL_MEMORY);
    LLVMSetInitializer(g, v);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    return g;
}

/** A type as clang describes it: kind, information, name. */
static LLVMValueRef described(const struct lull_cc *cc, unsigned info, const char *name)
{
    LLVMTypeRef half = LLVMInt16TypeInContext(cc->context);
    LLVMValueRef all[] = {LLVMConstInt(half, info != 0 ? 0 : UINT16_MAX, 0),
                          LLVMConstInt(half, info, 0),
                          LLVMConstStringInContext(cc->context, name, (unsigned)strlen(name), 0)};
    return constant(cc, LLVMConstStructInContext(cc->context, all, 3, 0));
}

/** What the mark says of @p a: 16 bytes of no use here, and the types of array and index. */
static LLVMValueRef where(const struct lull_cc *cc, const char *name)
{
    LLVMTypeRef place = LLVMArrayType2(LLVMInt64TypeInContext(cc->context), 2);
    LLVMValueRef all[] = {LLVMConstNull(place), described(cc, 0, name),
                          described(cc, INDEX_INFO, "'long'")};
    return constant(cc, LLVMConstStructInContext(cc->context, all, 3, 0));
}

static void mark(const struct lull_cc *cc, LLVMBuilderRef b, LLVMValueRef handler,
                 LLVMValueRef trap, const struct access *a)
{
    lull_cleanup(lull_str_free) struct lull_str name = {0};
    uint64_t bytes = 1;
    LLVMTypeRef number = LLVMInt64TypeInContext(cc->context);
    describe(a, LLVMGetModuleDataLayout(cc->module), &name, &bytes);
    LLVMPositionBuilderBefore(b, trap);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(trap));
    LLVMValueRef wide = LLVMBuildIntCast2(b, a->offset, number, 1, "");
    LLVMValueRef args[] = {
        where(cc, lull_str_text(&name)),
        LLVMBuildSDiv(b, wide, LLVMConstInt(number, bytes != 0 ? bytes : 1, 0), "")};
    LLVMBuildCall2(b, LLVMGlobalGetValueType(handler), handler, args, 2, "");
    LLVMInstructionEraseFromParent(trap);
}

/** Calls @p each for all traps. */
static void traps(struct lull_cc *cc, void (*each)(struct lull_cc *cc, LLVMValueRef trap, void *to),
                  void *to)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
             block = LLVMGetNextBasicBlock(block)) {
            LLVMValueRef in = LLVMGetFirstInstruction(block);
            if (in != NULL && is_trap(in)) {
                each(cc, in, to);
            }
        }
    }
}

static const char own[] = "lull.own";

/** One of the program's. */
static void keep(struct lull_cc *cc, LLVMValueRef trap, void *to)
{
    (void)to;
    LLVMMetadataRef none = LLVMMDNodeInContext2(cc->context, NULL, 0);
    LLVMSetMetadata(trap, LLVMGetMDKindIDInContext(cc->context, own, sizeof own - 1),
                    LLVMMetadataAsValue(cc->context, none));
}

static void change(struct lull_cc *cc, LLVMValueRef trap, void *to)
{
    LLVMValueRef handler = LLVMGetNamedFunction(cc->module, "__ubsan_handle_out_of_bounds_abort");
    const unsigned kind = LLVMGetMDKindIDInContext(cc->context, own, sizeof own - 1);
    if (handler == NULL || LLVMGetMetadata(trap, kind) != NULL) {
        return;
    }
    const struct access a = access_of(trap);
    if (a.there && a.through) {
        mark(cc, to, handler, trap, &a);
    } else if (a.there) {
        LLVMSetCondition(a.branch, LLVMConstInt(LLVMInt1TypeInContext(cc->context), 0, 0));
    }
}

/** All of it. */
LULL_MUST_USE static struct lull_error *bounds(struct lull_cc *cc)
{
    struct lull_error *err = lull_ir_passes(
        cc, "always-inline,cgscc(inline),function(sroa,early-cse,infer-address-spaces)");
    if (err == NULL) {
        traps(cc, keep, NULL);
        err = lull_ir_passes(cc, "function(bounds-checking)");
    }
    if (err == NULL) {
        LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->context);
        traps(cc, change, b);
        LLVMDisposeBuilder(b);
        err = lull_cc_verify(cc, "what the pass of bounds made");
    }
    return err;
}

// LLVM 19's pass makes no valid code of a pointer that may point into two kinds of memory, the
// addresses of which have different sizes.
struct lull_error *lull_cc_bounds(struct lull_cc *cc)
{
    LLVMModuleRef before = LLVMCloneModule(cc->module);
    struct lull_error *err = bounds(cc);
    LLVMModuleRef other = err == NULL ? before : cc->module;
    if (err != NULL) {
        cc->module = before;
        fprintf(stderr, "warning: --check index does not look at accesses through pointers here: "
                        "LLVM's pass bounds-checking fails\n");
        lull_error_free(err);
    }
    LLVMDisposeModule(other);
    return NULL;
}
