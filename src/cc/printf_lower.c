// SPDX-License-Identifier: MIT
// Calls of printf become writes into the printf buffer.
//
// Each call becomes calls of two helper functions that are always inlined: one allocates the entry,
// one stores. So no basic block of the caller is split here.
#include <stdlib.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/printf_pass.h"

enum { CC_PIXEL = 89 /* llvm::CallingConv::AMDGPU_PS */ };

// The arguments of a helper that say where the buffer is; their number.
static unsigned place_args(const struct lull_printf_place *at, LLVMValueRef *args)
{
    args[0] = at->rsrc != NULL ? at->rsrc : at->address;
    args[1] = at->offset;
    return at->rsrc != NULL ? 2 : 1;
}

static LLVMValueRef call(struct lull_printf_pass *p, LLVMValueRef f, LLVMValueRef *args, unsigned n)
{
    return LLVMBuildCall2(p->builder, LLVMGlobalGetValueType(f), f, args, n, "");
}

// Header and payload, already in p->dwords behind two free places.
static void write_entry(struct lull_printf_pass *p, const struct lull_printf_place *at,
                        struct lull_printf_kind kind, LLVMValueRef *dwords, size_t ndwords)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    LLVMValueRef args[4 + LULL_PRINTF_CHUNK_DWORDS] = {NULL};
    const unsigned n = place_args(at, args);
    args[n] = dwords[0];
    args[n + 1] = dwords[1];
    LLVMValueRef got = call(p, lull_printf_reserve(p, kind), args, n + 2);
    LLVMValueRef offset = LLVMBuildExtractValue(p->builder, got, 0, "");
    LLVMValueRef fits = LLVMBuildExtractValue(p->builder, got, 1, "");
    for (size_t i = 0; i < ndwords; i += LULL_PRINTF_CHUNK_DWORDS) {
        const size_t left = ndwords - i;
        kind.dwords = (unsigned)(left < LULL_PRINTF_CHUNK_DWORDS ? left : LULL_PRINTF_CHUNK_DWORDS);
        args[n] = LLVMBuildAdd(p->builder, offset, LLVMConstInt(i32, i, 0), "");
        args[n + 1] = fits;
        memcpy(args + n + 2, dwords + i, kind.dwords * sizeof *dwords);
        call(p, lull_printf_store(p, kind), args, n + 2 + kind.dwords);
    }
}

// Is the function a pixel shader, or may a pixel shader call it?
static bool may_be_pixel(const struct lull_printf_pass *p, LLVMValueRef f)
{
    if (p->cc->amdhsa) {
        return false;
    }
    return LLVMGetFunctionCallConv(f) == CC_PIXEL;
}

// Inlining the helpers ends the entry block at the call: variables behind it would no longer have a
// fixed place in the frame. So those of constant size go to the front.
static void hoist_variables(struct lull_printf_pass *p, LLVMValueRef f)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);
    LLVMValueRef front = LLVMGetFirstInstruction(entry);
    for (LLVMValueRef next = NULL, i = front; i != NULL; i = next) {
        next = LLVMGetNextInstruction(i);
        if (i == front || LLVMIsAAllocaInst(i) == NULL || !LLVMIsConstant(LLVMGetOperand(i, 0))) {
            continue;
        }
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(p->builder, front);
        LLVMInsertIntoBuilder(p->builder, i);
    }
}

LULL_MUST_USE static struct lull_error *lower_call(struct lull_printf_pass *p,
                                                   const struct lull_printf_site *s)
{
    struct lull_printf_place at = {0};
    uint64_t id = 0;
    const unsigned records = p->cc->options->printf_records | (s->c ? LULL_PRINTF_STREAM : 0u);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    hoist_variables(p, lull_ir_function(s->call));
    LLVMPositionBuilderBefore(p->builder, s->call); // and its place in the source
    LLVMValueRef *entry = p->dwords;
    p->dwords += LULL_PRINTF_ENTRY_HEADER_DWORDS;
    struct lull_error *err = lull_printf_args(p, s);
    err = err != NULL ? err : lull_printf_compare(p, s);
    err = err != NULL ? err : lull_printf_place(p, s, &at);
    err = err != NULL ? err : lull_printf_records(p, s, &at);
    err = err != NULL ? err
                      : lull_printf_table_add(p->table, s->format, s->format_size, p->types,
                                              s->nargs, records, &id);
    if (err == NULL) {
        const size_t n = p->ndwords + LULL_PRINTF_ENTRY_HEADER_DWORDS;
        const struct lull_printf_kind kind = {
            .descriptor = at.rsrc != NULL,
            .wave = !p->cc->options->printf_lane && at.uniform,
            .pixel = may_be_pixel(p, lull_ir_function(s->call)),
        };
        entry[0] = LLVMConstInt(i32, (id << 16 | n) & UINT32_MAX, 0);
        entry[1] = LLVMConstInt(i32, id >> 16, 0);
        write_entry(p, &at, kind, entry, n);
        if (LLVMGetTypeKind(LLVMTypeOf(s->call)) != LLVMVoidTypeKind) {
            LLVMReplaceAllUsesWith(s->call, LLVMConstNull(LLVMTypeOf(s->call)));
        }
        LLVMInstructionEraseFromParent(s->call);
    }
    p->dwords = entry;
    return err;
}

// What was found out about functions before they printed: not so any more.
static void forget_attributes(struct lull_printf_pass *p)
{
    static const char *const enums[] = {"memory", "speculatable"};
    static const char *const strings[] = {
        "amdgpu-no-implicitarg-ptr", "amdgpu-no-workgroup-id-x", "amdgpu-no-workgroup-id-y",
        "amdgpu-no-workgroup-id-z",  "amdgpu-no-workitem-id-x",  "amdgpu-no-workitem-id-y",
        "amdgpu-no-workitem-id-z",
    };
    const LLVMAttributeIndex where = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    const unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
    LLVMAttributeRef is_convergent = LLVMCreateEnumAttribute(p->cc->context, convergent, 0);
    LLVMValueRef f = LLVMGetFirstFunction(p->cc->module);
    for (; f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) {
            continue;
        }
        for (size_t i = 0; i < sizeof enums / sizeof enums[0]; i++) {
            const unsigned id = LLVMGetEnumAttributeKindForName(enums[i], strlen(enums[i]));
            LLVMRemoveEnumAttributeAtIndex(f, where, id);
        }
        for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
            LLVMRemoveStringAttributeAtIndex(f, where, strings[i], (unsigned)strlen(strings[i]));
        }
        LLVMAddAttributeAtIndex(f, where, is_convergent);
    }
}

struct lull_error *lull_cc_printf(struct lull_cc *cc)
{
    struct lull_printf_pass p = {.cc = cc,
                                 .builder = LLVMCreateBuilderInContext(cc->context),
                                 .dwords = calloc(LULL_PRINTF_MAX_DWORDS, sizeof *p.dwords)};
    struct lull_error *err = p.dwords == NULL ? &lull_enomem : lull_printf_table_new(&p.table);
    err = err != NULL ? err : lull_printf_raise(&p);
    err = err != NULL ? err : lull_printf_find(&p);
    if (err == NULL && p.nsites != 0) {
        forget_attributes(&p);
        err = lull_printf_known(&p);
    }
    for (size_t i = 0; err == NULL && i < p.nsites; i++) {
        err = lower_call(&p, &p.sites[i]);
    }
    if (err == NULL && p.nsites != 0) {
        err = lull_printf_strings(&p);
    }
    lull_printf_table_free(p.table);
    free(p.dwords);
    LLVMDisposeBuilder(p.builder);
    lull_arena_done(&p.arena);
    return err;
}
