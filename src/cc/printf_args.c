// SPDX-License-Identifier: MIT
// Arguments of printf as the payload has them: dwords.
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cc/ir.h"
#include "cc/printf_pass.h"

struct lull_error *lull_printf_push(struct lull_printf_pass *p, const struct lull_printf_site *s,
                                    LLVMValueRef dword)
{
    if (p->ndwords == LULL_PRINTF_MAX_DWORDS - LULL_PRINTF_ENTRY_HEADER_DWORDS) {
        return lull_ir_error(p->cc, s->call, "an entry of this printf has more than %d dwords",
                             LULL_PRINTF_MAX_DWORDS);
    }
    p->dwords[p->ndwords++] = dword;
    return NULL;
}

// An integer of at most 64 bits: one dword or two.
LULL_MUST_USE static struct lull_error *integer(struct lull_printf_pass *p,
                                                const struct lull_printf_site *s, LLVMValueRef v,
                                                bool wide)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(p->cc->context);
    if (!wide) {
        return lull_printf_push(p, s, LLVMBuildZExtOrBitCast(p->builder, v, i32, ""));
    }
    v = LLVMBuildZExtOrBitCast(p->builder, v, i64, "");
    struct lull_error *err = lull_printf_push(p, s, LLVMBuildTrunc(p->builder, v, i32, ""));
    if (err != NULL) {
        return err;
    }
    v = LLVMBuildLShr(p->builder, v, LLVMConstInt(i64, 32, 0), "");
    return lull_printf_push(p, s, LLVMBuildTrunc(p->builder, v, i32, ""));
}

// What a type of LLVM's is to printf; false: it cannot be printed.
static bool scalar_of(const struct lull_cc *cc, LLVMTypeRef type, enum lull_printf_scalar *ret)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = 0;
    switch ((int)kind) { // of many kinds, few print
    case LLVMIntegerTypeKind:
        bits = LLVMGetIntTypeWidth(type);
        *ret = bits == 1    ? LULL_PRINTF_I1
               : bits <= 8  ? LULL_PRINTF_I8
               : bits <= 16 ? LULL_PRINTF_I16
               : bits <= 32 ? LULL_PRINTF_I32
                            : LULL_PRINTF_I64;
        return bits <= 64;
    case LLVMHalfTypeKind:
        *ret = LULL_PRINTF_HALF;
        return true;
    case LLVMBFloatTypeKind:
        *ret = LULL_PRINTF_BFLOAT;
        return true;
    case LLVMFloatTypeKind:
        *ret = LULL_PRINTF_FLOAT;
        return true;
    case LLVMDoubleTypeKind:
        *ret = LULL_PRINTF_DOUBLE;
        return true;
    case LLVMPointerTypeKind:
        *ret = LULL_PRINTF_POINTER;
        return LLVMPointerSizeForAS(LLVMGetModuleDataLayout(cc->module),
                                    LLVMGetPointerAddressSpace(type)) <= 8;
    default:
        return false;
    }
}

// Append one scalar.
LULL_MUST_USE static struct lull_error *scalar(struct lull_printf_pass *p,
                                               const struct lull_printf_site *s,
                                               enum lull_printf_scalar kind, LLVMValueRef v)
{
    LLVMContextRef c = p->cc->context;
    switch (kind) {
    case LULL_PRINTF_HALF:
    case LULL_PRINTF_BFLOAT:
        v = LLVMBuildFPExt(p->builder, v, LLVMFloatTypeInContext(c), "");
        return integer(p, s, LLVMBuildBitCast(p->builder, v, LLVMInt32TypeInContext(c), ""), false);
    case LULL_PRINTF_FLOAT:
        return integer(p, s, LLVMBuildBitCast(p->builder, v, LLVMInt32TypeInContext(c), ""), false);
    case LULL_PRINTF_DOUBLE:
        return integer(p, s, LLVMBuildBitCast(p->builder, v, LLVMInt64TypeInContext(c), ""), true);
    case LULL_PRINTF_POINTER:
        return integer(p, s, LLVMBuildPtrToInt(p->builder, v, LLVMInt64TypeInContext(c), ""), true);
    case LULL_PRINTF_I1:
    case LULL_PRINTF_I8:
    case LULL_PRINTF_I16:
    case LULL_PRINTF_I32:
    case LULL_PRINTF_I64:
    case LULL_PRINTF_STRING:
    case LULL_PRINTF_NSCALARS:
        break;
    }
    return integer(p, s, v, kind == LULL_PRINTF_I64);
}

// Does the conversion for argument i take a string?
static bool wants_string(const struct lull_printf_site *s, unsigned i)
{
    struct lull_printf_conv conv = {0};
    struct lull_printf_diag diag = {0};
    size_t at = 0;
    unsigned n = 0;
    for (int got = 0;
         (got = lull_printf_next(s->format, s->format_size, &at, &conv, &diag)) != 0;) {
        if (got > 0 && conv.conversion != '%' && n++ == i) {
            return conv.conversion == 's';
        }
    }
    return false;
}

// A string literal: its id. false: it is none.
LULL_MUST_USE static struct lull_error *literal(struct lull_printf_pass *p,
                                                const struct lull_printf_site *s, unsigned i,
                                                LLVMValueRef v, bool *done)
{
    const char *text = NULL;
    size_t size = 0;
    uint64_t id = 0;
    *done = wants_string(s, i) && lull_printf_string(p, v, true, &text, &size);
    if (!*done) {
        return NULL;
    }
    p->types[i] = (struct lull_printf_type){.scalar = LULL_PRINTF_STRING, .count = 1};
    struct lull_error *err = lull_printf_table_add_literal(p->table, text, size, &id);
    return err != NULL
               ? err
               : integer(p, s, LLVMConstInt(LLVMInt64TypeInContext(p->cc->context), id, 0), true);
}

// Signed or unsigned, as far as the call says.
static enum lull_printf_sign sign_of(const struct lull_printf_site *s, unsigned operand)
{
    static const struct {
        const char *name;
        enum lull_printf_sign sign;
    } attributes[] = {{"signext", LULL_PRINTF_SIGNED}, {"zeroext", LULL_PRINTF_UNSIGNED}};
    for (size_t i = 0; i < 2; i++) {
        const unsigned id =
            LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));
        if (LLVMGetCallSiteEnumAttribute(s->call, operand + 1, id) != NULL) {
            return attributes[i].sign;
        }
    }
    // What src/front/llvm says, of vectors too.
    LLVMAttributeRef said = LLVMGetCallSiteStringAttribute(s->call, operand + 1, "lull-sign", 9);
    unsigned n = 0;
    const char *sign = said != NULL ? LLVMGetStringAttributeValue(said, &n) : "";
    return n != 1         ? LULL_PRINTF_SIGN_UNKNOWN
           : *sign == 's' ? LULL_PRINTF_SIGNED
                          : LULL_PRINTF_UNSIGNED;
}

LULL_MUST_USE static struct lull_error *argument(struct lull_printf_pass *p,
                                                 const struct lull_printf_site *s, unsigned i)
{
    LLVMValueRef v = LLVMGetOperand(s->call, s->first_arg + i);
    LLVMTypeRef type = LLVMTypeOf(v);
    const bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    bool done = false;
    struct lull_error *err =
        LLVMGetTypeKind(type) == LLVMPointerTypeKind ? literal(p, s, i, v, &done) : NULL;
    if (err != NULL || done) {
        return err;
    }
    enum lull_printf_scalar kind = LULL_PRINTF_I32;
    if (!scalar_of(p->cc, vector ? LLVMGetElementType(type) : type, &kind)) {
        char *text = LLVMPrintTypeToString(type);
        err = lull_ir_error(p->cc, s->call,
                            "argument %u of printf is of type %s, which cannot be printed", i + 1,
                            text);
        LLVMDisposeMessage(text);
        return err;
    }
    const unsigned n = vector ? LLVMGetVectorSize(type) : 1;
    p->types[i] =
        (struct lull_printf_type){.scalar = kind, .sign = sign_of(s, s->first_arg + i), .count = n};
    for (unsigned j = 0; err == NULL && j < n; j++) {
        LLVMValueRef at = LLVMConstInt(LLVMInt32TypeInContext(p->cc->context), j, 0);
        err = scalar(p, s, kind, vector ? LLVMBuildExtractElement(p->builder, v, at, "") : v);
    }
    return err;
}

struct lull_error *lull_printf_args(struct lull_printf_pass *p, const struct lull_printf_site *s)
{
    struct lull_error *err = NULL;
    p->ndwords = 0;
    p->types = lull_arena_calloc(&p->arena, s->nargs + 1, sizeof *p->types);
    if (p->types == NULL) {
        return &lull_enomem;
    }
    for (unsigned i = 0; err == NULL && i < s->nargs; i++) {
        err = argument(p, s, i);
    }
    return err;
}

struct lull_error *lull_printf_compare(struct lull_printf_pass *p, const struct lull_printf_site *s)
{
    struct lull_printf_diags diags = {0};
    if (s->c && s->format_size == 0) {
        return NULL;
    }
    (void)lull_printf_check(s->format, s->format_size, p->types, s->nargs, &diags);
    for (size_t i = 0; i < diags.count; i++) {
        const struct lull_printf_diag *d = &diags.list[i];
        if (d->error) {
            return lull_ir_error(p->cc, s->call, "printf: %s (at byte %zu of the format)",
                                 d->message, d->offset);
        }
        lull_cleanup(lull_freep) char *place = lull_ir_place(p->cc, s->call);
        fprintf(stderr, "lull cc: warning: %s: printf: %s (at byte %zu of the format)\n",
                place != NULL ? place : "", d->message, d->offset);
    }
    return NULL;
}
