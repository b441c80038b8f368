// SPDX-License-Identifier: MIT
#include "cc/ir.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

const char *lull_ir_name(LLVMValueRef value)
{
    size_t size = 0;
    return LLVMGetValueName2(value, &size);
}

const char *lull_ir_attribute(LLVMValueRef function, const char *key)
{
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(
        function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, key, (unsigned)strlen(key));
    unsigned size = 0;
    return a != NULL ? LLVMGetStringAttributeValue(a, &size) : NULL;
}

unsigned lull_ir_generation(const char *cpu)
{
    const size_t n = cpu != NULL ? strlen(cpu) : 0;
    unsigned gfx = 0;
    for (size_t i = 3; i + 2 < n && cpu[i] >= '0' && cpu[i] <= '9'; i++) {
        gfx = gfx * 10 + (unsigned)(cpu[i] - '0');
    }
    return gfx;
}

void lull_ir_keep(const struct lull_cc *cc, LLVMValueRef global)
{
    static const char name[] = "llvm.compiler.used";
    LLVMValueRef old = LLVMGetNamedGlobal(cc->module, name);
    LLVMValueRef list = old != NULL ? LLVMGetInitializer(old) : NULL;
    const unsigned n = list != NULL ? (unsigned)LLVMGetNumOperands(list) : 0;
    LLVMTypeRef type = LLVMPointerTypeInContext(cc->context, 0);
    LLVMValueRef *members = calloc(n + 1, sizeof *members);
    for (unsigned i = 0; members != NULL && i < n; i++) {
        members[i] = LLVMGetOperand(list, i);
        type = LLVMTypeOf(members[i]);
    }
    if (members != NULL) {
        members[n] = LLVMConstPointerCast(global, type);
        LLVMValueRef all = LLVMConstArray2(type, members, n + 1);
        if (old != NULL) {
            LLVMDeleteGlobal(old);
        }
        LLVMValueRef g = LLVMAddGlobal(cc->module, LLVMTypeOf(all), name);
        LLVMSetInitializer(g, all);
        LLVMSetLinkage(g, LLVMAppendingLinkage);
        LLVMSetSection(g, "llvm.metadata");
    }
    free(members);
}

LLVMValueRef lull_ir_function(LLVMValueRef instruction)
{
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

char *lull_ir_place(const struct lull_cc *cc, LLVMValueRef instruction)
{
    struct lull_str s = {0};
    const unsigned line = LLVMGetDebugLocLine(instruction);
    unsigned size = 0;
    const char *file = line != 0 ? LLVMGetDebugLocFilename(instruction, &size) : NULL;
    if (file != NULL && size != 0) {
        lull_str_addf(&s, "%.*s:%u:%u: in function '%s'", (int)size, file, line,
                      LLVMGetDebugLocColumn(instruction),
                      lull_ir_name(lull_ir_function(instruction)));
    } else {
        lull_str_addf(&s, "%s: in function '%s'", cc->options->input,
                      lull_ir_name(lull_ir_function(instruction)));
    }
    if (s.err != NULL) {
        lull_str_free(&s);
        return NULL;
    }
    return s.text; // the caller's now
}

struct lull_error *lull_ir_error(const struct lull_cc *cc, LLVMValueRef instruction,
                                 const char *fmt, ...)
{
    lull_cleanup(lull_freep) char *place = lull_ir_place(cc, instruction);
    lull_cleanup(lull_freep) char *text = NULL;
    va_list args;
    va_start(args, fmt);
    const int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0) {
        text = NULL;
    }
    return place == NULL || text == NULL ? &lull_enomem
                                         : lull_error_new(LULL_ERR_BAD_DATA, "%s: %s", place, text);
}

LLVMValueRef lull_ir_intrinsic(const struct lull_cc *cc, LLVMBuilderRef b, const char *name,
                               LLVMTypeRef *types, unsigned ntypes, LLVMValueRef *args,
                               unsigned nargs)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(cc->module, id, types, ntypes);
    return LLVMBuildCall2(b, LLVMIntrinsicGetType(cc->context, id, types, ntypes), f, args, nargs,
                          "");
}

struct lull_error *lull_ir_passes(struct lull_cc *cc, const char *passes)
{
    LLVMPassBuilderOptionsRef how = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(cc->module, passes, cc->machine, how);
    LLVMDisposePassBuilderOptions(how);
    if (failed == NULL) {
        return NULL;
    }
    char *why = LLVMGetErrorMessage(failed);
    struct lull_error *err = lull_error_new(LULL_ERR_BAD_DATA, "%s: %s", cc->options->input, why);
    LLVMDisposeErrorMessage(why);
    return err;
}
