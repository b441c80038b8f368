// SPDX-License-Identifier: MIT
// Where the buffer of a printf call is.
//
// Source: LLVM AMDGPUUsage, "Code Object V5 Hidden Kernel Arguments", "Buffer Fat Pointer".
#include <stdlib.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/printf_pass.h"

enum {
    HIDDEN_BUFFER = 72,   // byte of hidden_printf_buffer in the implicit arguments
    IMPLICIT_BYTES = 256, // of version 5
    MAX_DEPTH = 12,       // steps of the search for uniform values
    ADDRESS_GLOBAL = 1,
    ADDRESS_CONSTANT = 4,
    ADDRESS_PRIVATE = 5,
    ADDRESS_FAT = 7,
    ADDRESS_RSRC = 8,
    CC_KERNEL = 91, // llvm::CallingConv::AMDGPU_KERNEL
};

static bool uniform(LLVMValueRef v, unsigned depth);

static bool uniform_operands(LLVMValueRef v, unsigned depth)
{
    const int n = LLVMGetNumOperands(v);
    for (int i = 0; i < n; i++) {
        if (!uniform(LLVMGetOperand(v, (unsigned)i), depth)) {
            return false;
        }
    }
    return true;
}

// Of a call: intrinsics that give one value to the wave.
static bool uniform_call(LLVMValueRef call)
{
    static const char *const names[] = {
        "llvm.amdgcn.readfirstlane",
        "llvm.amdgcn.readfirstlane.i32",
        "llvm.amdgcn.readfirstlane.i64",
        "llvm.amdgcn.implicitarg.ptr",
        "llvm.amdgcn.kernarg.segment.ptr",
        "llvm.amdgcn.dispatch.ptr",
        "llvm.amdgcn.s.getpc",
        "llvm.amdgcn.reloc.constant",
        "lull.buffer.desc",
        "lull.texel.desc",
        "lull.desc.table",
        "lull.push.constant",
        "lull.push.pointer",
        "lull.user.data",
    };
    LLVMValueRef f = LLVMGetCalledValue(call);
    const char *name = f != NULL && LLVMIsAFunction(f) != NULL ? lull_ir_name(f) : "";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool uniform_argument(LLVMValueRef v)
{
    LLVMValueRef f = LLVMGetParamParent(v);
    if (LLVMGetFunctionCallConv(f) == CC_KERNEL) {
        return true;
    }
    const unsigned inreg = LLVMGetEnumAttributeKindForName("inreg", 5);
    for (unsigned i = 0; i < LLVMCountParams(f); i++) {
        if (LLVMGetParam(f, i) == v) {
            return LLVMGetEnumAttributeAtIndex(f, i + 1, inreg) != NULL;
        }
    }
    return false;
}

// Is v known to be the same in all lanes? false: perhaps.
static bool uniform(LLVMValueRef v, unsigned depth)
{
    if (LLVMIsConstant(v)) {
        return true;
    }
    if (depth == 0) {
        return false;
    }
    if (LLVMIsAArgument(v) != NULL) {
        return uniform_argument(v);
    }
    if (LLVMIsALoadInst(v) != NULL) {
        const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(v, 0)));
        const bool own = space == 0 || space == ADDRESS_PRIVATE; // may be a lane's own memory
        return !own && uniform(LLVMGetOperand(v, 0), depth - 1);
    }
    if (LLVMIsACallInst(v) != NULL) {
        return uniform_call(v);
    }
    const bool plain = LLVMIsACastInst(v) != NULL || LLVMIsABinaryOperator(v) != NULL ||
                       LLVMIsAGetElementPtrInst(v) != NULL || LLVMIsAInsertElementInst(v) != NULL ||
                       LLVMIsAExtractElementInst(v) != NULL || LLVMIsASelectInst(v) != NULL ||
                       LLVMIsAShuffleVectorInst(v) != NULL || LLVMIsAFreezeInst(v) != NULL;
    return plain && uniform_operands(v, depth - 1);
}

static LLVMTypeRef descriptor_type(const struct lull_printf_pass *p)
{
    return LLVMVectorType(LLVMInt32TypeInContext(p->cc->context), 4);
}

// Descriptor and offset of a fat pointer.
static void from_fat(struct lull_printf_pass *p, LLVMValueRef v, struct lull_printf_place *ret)
{
    LLVMContextRef c = p->cc->context;
    LLVMTypeRef i160 = LLVMIntTypeInContext(c, 160), i128 = LLVMInt128TypeInContext(c);
    LLVMValueRef bits = LLVMBuildPtrToInt(p->builder, v, i160, "");
    LLVMValueRef high = LLVMBuildLShr(p->builder, bits, LLVMConstInt(i160, 32, 0), "");
    ret->offset = LLVMBuildTrunc(p->builder, bits, LLVMInt32TypeInContext(c), "");
    ret->rsrc = LLVMBuildBitCast(p->builder, LLVMBuildTrunc(p->builder, high, i128, ""),
                                 descriptor_type(p), "");
}

// The buffer that a call names.
LULL_MUST_USE static struct lull_error *given(struct lull_printf_pass *p,
                                              const struct lull_printf_site *s,
                                              struct lull_printf_place *ret)
{
    LLVMContextRef c = p->cc->context;
    LLVMValueRef v = s->buffer;
    LLVMTypeRef type = LLVMTypeOf(v);
    *ret = (struct lull_printf_place){.offset = LLVMConstInt(LLVMInt32TypeInContext(c), 0, 0),
                                      .uniform = uniform(v, MAX_DEPTH)};
    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind) {
        ret->rsrc = v;
        return NULL;
    }
    switch (LLVMGetPointerAddressSpace(type)) {
    case ADDRESS_FAT:
        from_fat(p, v, ret);
        return NULL;
    case ADDRESS_RSRC:
        v = LLVMBuildPtrToInt(p->builder, v, LLVMInt128TypeInContext(c), "");
        ret->rsrc = LLVMBuildBitCast(p->builder, v, descriptor_type(p), "");
        return NULL;
    case 0:
    case ADDRESS_GLOBAL:
    case ADDRESS_CONSTANT:
        if (p->cc->options->printf_size == 0) {
            return lull_ir_error(
                p->cc, s->call, "the printf buffer is an address: say its size with --printf-size");
        }
        ret->address = LLVMGetPointerAddressSpace(type) == ADDRESS_GLOBAL
                           ? v
                           : LLVMBuildAddrSpaceCast(
                                 p->builder, v, LLVMPointerTypeInContext(c, ADDRESS_GLOBAL), "");
        return NULL;
    default:
        return lull_ir_error(p->cc, s->call, "a printf buffer in address space %u",
                             LLVMGetPointerAddressSpace(type));
    }
}

// Version of the code object times 100, as the module says.
static uint64_t code_object_version(struct lull_cc *cc)
{
    static const char *const keys[] = {"amdhsa_code_object_version", "amdgpu_code_object_version"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        LLVMMetadataRef md = LLVMGetModuleFlag(cc->module, keys[i], strlen(keys[i]));
        LLVMValueRef v = md != NULL ? LLVMMetadataAsValue(cc->context, md) : NULL;
        // A constant as metadata: its text is "i32 500".
        char *text = v != NULL ? LLVMPrintValueToString(v) : NULL;
        const char *space = text != NULL ? strchr(text, ' ') : NULL;
        const uint64_t version = space != NULL ? strtoull(space, NULL, 10) : 0;
        LLVMDisposeMessage(text);
        if (version != 0) {
            return version;
        }
    }
    return 500;
}

LLVMValueRef lull_printf_implicit(struct lull_printf_pass *p)
{
    static const char bytes_key[] = "amdgpu-implicitarg-num-bytes";
    LLVMModuleRef m = p->cc->module;
    const LLVMAttributeIndex where = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL; f = LLVMGetNextFunction(f)) {
        const char *bytes = lull_ir_attribute(f, bytes_key);
        if (bytes != NULL && strtoul(bytes, NULL, 10) < IMPLICIT_BYTES) {
            LLVMRemoveStringAttributeAtIndex(f, where, bytes_key, (unsigned)strlen(bytes_key));
            LLVMAddTargetDependentFunctionAttr(f, bytes_key, "256");
        }
    }
    return lull_ir_intrinsic(p->cc, p->builder, "llvm.amdgcn.implicitarg.ptr", NULL, 0, NULL, 0);
}

LLVMValueRef lull_printf_implicit_load(struct lull_printf_pass *p, LLVMTypeRef type, unsigned at)
{
    LLVMContextRef c = p->cc->context;
    LLVMValueRef args = lull_printf_implicit(p);
    LLVMValueRef step = LLVMConstInt(LLVMInt64TypeInContext(c), at, 0);
    LLVMValueRef where =
        LLVMBuildInBoundsGEP2(p->builder, LLVMInt8TypeInContext(c), args, &step, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(p->builder, type, where, "");
    const unsigned id = LLVMGetMDKindIDInContext(c, "invariant.load", strlen("invariant.load"));
    LLVMSetMetadata(v, id, LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
    LLVMSetAlignment(v, LLVMGetTypeKind(type) == LLVMPointerTypeKind ? 8 : 2);
    return v;
}

// amdhsa: the hidden argument is the address of a descriptor. Metadata must say that it is wanted.
LULL_MUST_USE static struct lull_error *hidden(struct lull_printf_pass *p,
                                               const struct lull_printf_site *s,
                                               struct lull_printf_place *ret)
{
    LLVMContextRef c = p->cc->context;
    if (code_object_version(p->cc) < 500) {
        return lull_ir_error(p->cc, s->call, "printf needs code object version 5");
    }
    LLVMGetOrInsertNamedMetadata(p->cc->module, "llvm.printf.fmts", strlen("llvm.printf.fmts"));
    LLVMValueRef at =
        lull_printf_implicit_load(p, LLVMPointerTypeInContext(c, ADDRESS_CONSTANT), HIDDEN_BUFFER);
    LLVMValueRef v = LLVMBuildLoad2(p->builder, descriptor_type(p), at, "");
    LLVMSetAlignment(v, 16);
    *ret = (struct lull_printf_place){
        .rsrc = v,
        .offset = LLVMConstInt(LLVMInt32TypeInContext(c), 0, 0),
        .uniform = true,
    };
    return NULL;
}

LLVMValueRef lull_printf_ask(struct lull_printf_pass *p, const char *name, LLVMTypeRef result,
                             const uint32_t *operands, unsigned n)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    LLVMTypeRef types[3] = {i32, i32, i32};
    LLVMValueRef args[3] = {NULL};
    LLVMTypeRef type = LLVMFunctionType(result, types, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(p->cc->module, name);
    f = f != NULL ? f : LLVMAddFunction(p->cc->module, name, type);
    for (unsigned i = 0; i < n; i++) {
        args[i] = LLVMConstInt(i32, operands[i], 0);
    }
    return LLVMBuildCall2(p->builder, type, f, args, n, "");
}

// amdpal: the descriptor at a set and binding of the pipeline's layout.
static void from_layout(struct lull_printf_pass *p, struct lull_printf_place *ret)
{
    LLVMContextRef c = p->cc->context;
    p->cc->printf_in_layout = true;
    const uint32_t where[] = {(uint32_t)p->cc->options->printf_set, // fits: options.c
                              (uint32_t)p->cc->options->printf_binding, 0};
    *ret = (struct lull_printf_place){
        .rsrc = lull_printf_ask(p, "lull.buffer.desc", descriptor_type(p), where, 3),
        .offset = LLVMConstInt(LLVMInt32TypeInContext(c), 0, 0),
        .uniform = true,
    };
}

struct lull_error *lull_printf_place(struct lull_printf_pass *p, const struct lull_printf_site *s,
                                     struct lull_printf_place *ret)
{
    if (s->buffer != NULL) {
        return given(p, s, ret);
    }
    if (p->cc->amdhsa) {
        return hidden(p, s, ret);
    }
    if (p->cc->amdpal && (p->cc->options->relocatable || p->cc->options->layout != NULL)) {
        from_layout(p, ret);
        return NULL;
    }
    return lull_ir_error(p->cc, s->call,
                         "printf without a buffer: only amdhsa has an argument for it, and amdpal "
                         "with --relocatable or --layout a set and binding");
}

LLVMValueRef lull_printf_head(struct lull_printf_pass *p, const struct lull_printf_place *at,
                              unsigned index)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    LLVMValueRef step = LLVMConstInt(i32, 4 * index, 0);
    if (at->rsrc != NULL) {
        LLVMValueRef args[] = {at->rsrc, LLVMBuildAdd(p->builder, at->offset, step, ""),
                               LLVMConstInt(i32, 0, 0), LLVMConstInt(i32, 0, 0)};
        return lull_ir_intrinsic(p->cc, p->builder, "llvm.amdgcn.raw.buffer.load", &i32, 1, args,
                                 4);
    }
    LLVMValueRef where = LLVMBuildInBoundsGEP2(p->builder, LLVMInt8TypeInContext(p->cc->context),
                                               at->address, &step, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(p->builder, i32, where, "");
    LLVMSetAlignment(v, 4);
    return v;
}
