// SPDX-License-Identifier: MIT
// NonSemantic.DebugPrintf: a call of lgc.debug.printf, for the printf pass of lull-cc.
#include <spirv/unified1/NonSemanticDebugPrintf.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

#include "front/llvm/lower_priv.h"

enum {
    // OpExtInst: type, result, set, instruction, format, arguments.
    SET_AT = 3,
    INSTRUCTION_AT = 4,
    FORMAT_AT = 5,
    GLOBAL_SPACE = 1,
    CONSTANT_SPACE = 4,
};

static const char name[] = "lgc.debug.printf";

bool lull_fl_is_printf(const struct lull_fl *f)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_spv_insn set = lull_spv_def(&f->m->spv, lull_spv_word(in, SET_AT));
    const char *called = set.op == SpvOpExtInstImport ? lull_spv_string(&set, 2) : NULL;
    return f->printf && in->op == SpvOpExtInst && called != NULL &&
           strcmp(called, "NonSemantic.DebugPrintf") == 0 &&
           lull_spv_word(in, INSTRUCTION_AT) == NonSemanticDebugPrintfDebugPrintf;
}

/** The text of an OpString as a constant; NULL if @p id is none. */
static LLVMValueRef text_of(const struct lull_fl *f, uint32_t id)
{
    const struct lull_spv_insn in = lull_spv_def(&f->m->spv, id);
    const char *text = in.op == SpvOpString ? lull_spv_string(&in, 2) : NULL;
    if (text == NULL) {
        return NULL;
    }
    LLVMValueRef init = LLVMConstStringInContext(f->c, text, (unsigned)strlen(text), false);
    LLVMValueRef v = LLVMAddGlobalInAddressSpace(f->module, LLVMTypeOf(init), "", CONSTANT_SPACE);
    LLVMSetInitializer(v, init);
    LLVMSetGlobalConstant(v, true);
    LLVMSetLinkage(v, LLVMPrivateLinkage);
    return v;
}

/** Argument @p i: text, a number, an address, or a vector of numbers. */
LULL_MUST_USE static struct lull_error *argument(struct lull_fl *f, uint32_t i, LLVMValueRef *ret,
                                                 const char **ret_sign)
{
    const uint32_t id = f->in->w[i];
    const struct lull_fr_type *t = NULL;
    *ret = text_of(f, id);
    *ret_sign = NULL;
    if (*ret != NULL) {
        return NULL;
    }
    struct lull_error *err = lull_fl_type_of(f, id, &t);
    if (err != NULL) {
        return err;
    }
    const bool address =
        t->kind == LULL_FR_POINTER && t->storage == SpvStorageClassPhysicalStorageBuffer;
    if (!address && !lull_fr_is_plain(t)) {
        return lull_fl_bad(f, "printf: argument %u: %%%u is of a type that cannot be printed",
                           i - FORMAT_AT, id);
    }
    err = lull_fl_get(f, id, ret);
    if (err == NULL && address) {
        LLVMTypeRef type = LLVMPointerTypeInContext(f->c, GLOBAL_SPACE);
        *ret = LLVMBuildIntToPtr(f->b, *ret, type, "");
    }
    if (!address && lull_fr_scalar(t)->kind == LULL_FR_INT) {
        *ret_sign = lull_fr_scalar(t)->is_signed ? "s" : "u";
    }
    return err;
}

/** What the call says of the sign of operand @p i. */
static void set_sign(const struct lull_fl *f, LLVMValueRef call, unsigned i, const char *sign)
{
    static const char key[] = "lull-sign";
    if (sign != NULL) {
        LLVMAddCallSiteAttribute(call, i + 1,
                                 LLVMCreateStringAttribute(f->c, key, sizeof key - 1, sign, 1));
    }
}

struct lull_error *lull_fl_printf(struct lull_fl *f)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fr_type *result = lull_fr_type_of(f->m, in->w[1]);
    const uint32_t n = in->n - FORMAT_AT; // lull_spv_check(): OpExtInst has four operands
    LLVMValueRef format = text_of(f, lull_spv_word(in, FORMAT_AT));
    if (format == NULL) {
        return lull_fl_bad(f, "printf: %%%u is not an OpString", lull_spv_word(in, FORMAT_AT));
    }
    if (result == NULL || result->kind != LULL_FR_VOID) {
        return lull_fl_bad(f, "printf: %%%u is not void", in->w[1]);
    }
    LLVMValueRef *args = lull_arena_calloc(&f->arena, n, sizeof(LLVMValueRef));
    const char **signs = lull_arena_calloc(&f->arena, n, sizeof *signs);
    if (args == NULL || signs == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = NULL;
    args[0] = format;
    for (uint32_t i = 1; err == NULL && i < n; i++) {
        err = argument(f, FORMAT_AT + i, &args[i], &signs[i]);
    }
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef pointer = LLVMTypeOf(format);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->c), &pointer, 1, true);
    LLVMValueRef fn = LLVMGetNamedFunction(f->module, name);
    fn = fn != NULL ? fn : LLVMAddFunction(f->module, name, type);
    LLVMValueRef call = LLVMBuildCall2(f->b, type, fn, args, n, "");
    for (uint32_t i = 1; i < n; i++) {
        set_sign(f, call, i, signs[i]);
    }
    return NULL;
}
