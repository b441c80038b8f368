// SPDX-License-Identifier: MIT
// Which calls print, and what.
#include <string.h>

#include "cc/ir.h"
#include "cc/printf_pass.h"

static const char lgc_name[] = "lgc.debug.printf";

static bool is_lgc(const char *name)
{
    const size_t n = sizeof lgc_name - 1;
    return strncmp(name, lgc_name, n) == 0 && (name[n] == '\0' || name[n] == '.');
}

// Is the function a printf that somebody else should have written?
static bool prints(LLVMValueRef f)
{
    const char *name = lull_ir_name(f);
    return LLVMIsDeclaration(f) && (is_lgc(name) || strcmp(name, "printf") == 0);
}

// Bytes that a constant GEP adds, and its base; false if it is not a plain step into a string.
static bool constant_step(LLVMValueRef gep, uint64_t *bytes)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    const int n = LLVMGetNumOperands(gep);
    uint64_t index[2] = {0, 0};
    if (n > 3) {
        return false;
    }
    for (int i = 1; i < n; i++) {
        LLVMValueRef v = LLVMGetOperand(gep, (unsigned)i);
        if (LLVMIsAConstantInt(v) == NULL) {
            return false;
        }
        index[i - 1] = LLVMConstIntGetZExtValue(v);
    }
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8 && n == 2) {
        *bytes += index[0];
        return true;
    }
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind) {
        return index[0] == 0 && index[1] == 0;
    }
    LLVMTypeRef element = LLVMGetElementType(type);
    if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(element) != 8) {
        return false;
    }
    *bytes += index[0] * LLVMGetArrayLength2(type) + index[1];
    return true;
}

// The global that a constant pointer points into, and where; NULL if there is none.
static LLVMValueRef global_of(LLVMValueRef v, uint64_t *bytes)
{
    for (unsigned steps = 0; steps < 16; steps++) {
        if (LLVMIsAGlobalVariable(v) != NULL) {
            return v;
        }
        const bool cast =
            (LLVMIsAConstantExpr(v) != NULL && (LLVMGetConstOpcode(v) == LLVMBitCast ||
                                                LLVMGetConstOpcode(v) == LLVMAddrSpaceCast)) ||
            LLVMIsAAddrSpaceCastInst(v) != NULL || LLVMIsABitCastInst(v) != NULL;
        const bool gep =
            (LLVMIsAConstantExpr(v) != NULL && LLVMGetConstOpcode(v) == LLVMGetElementPtr) ||
            LLVMIsAGetElementPtrInst(v) != NULL;
        if (!cast && !(gep && constant_step(v, bytes))) {
            return NULL;
        }
        v = LLVMGetOperand(v, 0);
    }
    return NULL;
}

// The bytes of an initialiser that is an array of i8; NULL if it is none.
static const char *array_bytes(struct lull_printf_pass *p, LLVMValueRef init, size_t *size)
{
    LLVMTypeRef type = LLVMTypeOf(init);
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMGetElementType(type)) != 8) {
        return NULL;
    }
    if (LLVMIsAConstantDataArray(init) != NULL) {
        return LLVMGetAsString(init, size);
    }
    if (!LLVMIsNull(init)) { // undef, poison, constant expressions
        return NULL;
    }
    *size = LLVMGetArrayLength2(type);
    return *size == 0 ? "" : lull_arena_calloc(&p->arena, *size, 1);
}

bool lull_printf_string(struct lull_printf_pass *p, LLVMValueRef pointer, bool need_end,
                        const char **ret, size_t *ret_size)
{
    uint64_t at = 0;
    LLVMValueRef global = global_of(pointer, &at);
    if (global == NULL || !LLVMIsGlobalConstant(global) || LLVMIsDeclaration(global)) {
        return false;
    }
    size_t size = 0;
    const char *bytes = array_bytes(p, LLVMGetInitializer(global), &size);
    if (bytes == NULL || at > size) {
        return false;
    }
    const char *end = memchr(bytes + at, '\0', size - at);
    if (end == NULL && need_end) {
        return false;
    }
    const size_t n = end != NULL ? (size_t)(end - bytes - (ptrdiff_t)at) : size - at;
    char *copy = lull_arena_calloc(&p->arena, n + 1, 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, bytes + at, n);
    *ret = copy;
    *ret_size = n;
    return true;
}

static bool is_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

static bool is_descriptor(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind && LLVMGetVectorSize(t) == 4 &&
           LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(t)) == 32;
}

// Buffer, format and arguments of a call.
LULL_MUST_USE static struct lull_error *take_apart(struct lull_printf_pass *p, LLVMValueRef call,
                                                   bool lgc, struct lull_printf_site *s)
{
    const char *name = lgc ? lgc_name : "printf";
    const unsigned n = LLVMGetNumArgOperands(call);
    unsigned at = 0;
    *s = (struct lull_printf_site){.call = call, .c = !lgc};
    if (n == 0) {
        return lull_ir_error(p->cc, call, "%s without a format", name);
    }
    LLVMValueRef first = LLVMGetOperand(call, 0);
    if (!lull_printf_string(p, first, !lgc, &s->format, &s->format_size)) {
        const bool buffer = lgc && n > 1 && is_pointer(LLVMGetOperand(call, 1)) &&
                            (is_pointer(first) || is_descriptor(first));
        if (!buffer ||
            !lull_printf_string(p, LLVMGetOperand(call, 1), false, &s->format, &s->format_size)) {
            return lull_ir_error(p->cc, call, "the format of %s is not a constant string%s", name,
                                 lgc ? "" : " with an end");
        }
        s->buffer = first;
        at = 1;
    }
    s->first_arg = at + 1;
    s->nargs = n - s->first_arg;
    const LLVMTypeKind result = LLVMGetTypeKind(LLVMTypeOf(call));
    return result == LLVMVoidTypeKind || result == LLVMIntegerTypeKind
               ? NULL
               : lull_ir_error(p->cc, call, "%s gives neither an integer nor nothing", name);
}

// A use of printing function f must be a plain call of it.
LULL_MUST_USE static struct lull_error *check_use(struct lull_printf_pass *p, LLVMValueRef f,
                                                  LLVMValueRef user)
{
    const char *name = lull_ir_name(f);
    if (LLVMIsAInstruction(user) == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: the address of '%s' is taken",
                              p->cc->options->input, name);
    }
    if (LLVMIsACallInst(user) == NULL) {
        return lull_ir_error(p->cc, user, "'%s' is used other than by a plain call", name);
    }
    const unsigned n = LLVMGetNumArgOperands(user);
    bool passed = LLVMGetCalledValue(user) != f;
    for (unsigned i = 0; i < n; i++) {
        passed |= LLVMGetOperand(user, i) == f;
    }
    return passed ? lull_ir_error(p->cc, user, "'%s' is an argument of a call", name) : NULL;
}

// Check all uses, and count them.
LULL_MUST_USE static struct lull_error *check_uses(struct lull_printf_pass *p, size_t *ret)
{
    struct lull_error *err = NULL;
    LLVMValueRef f = LLVMGetFirstFunction(p->cc->module);
    for (; f != NULL; f = LLVMGetNextFunction(f)) {
        LLVMUseRef u = prints(f) ? LLVMGetFirstUse(f) : NULL;
        for (; err == NULL && u != NULL; u = LLVMGetNextUse(u)) {
            err = check_use(p, f, LLVMGetUser(u));
            ++*ret;
        }
    }
    return err;
}

// Take the calls of function f apart, in its order.
LULL_MUST_USE static struct lull_error *calls_of(struct lull_printf_pass *p, LLVMValueRef f,
                                                 size_t room)
{
    struct lull_error *err = NULL;
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f);
    for (; b != NULL; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef i = LLVMGetFirstInstruction(b);
        for (; err == NULL && i != NULL; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) != NULL ? LLVMGetCalledValue(i) : NULL;
            if (callee != NULL && LLVMIsAFunction(callee) != NULL && prints(callee) &&
                p->nsites < room) {
                err = take_apart(p, i, is_lgc(lull_ir_name(callee)), &p->sites[p->nsites++]);
            }
        }
    }
    return err;
}

struct lull_error *lull_printf_find(struct lull_printf_pass *p)
{
    LLVMModuleRef m = p->cc->module;
    size_t room = 0;
    struct lull_error *err = check_uses(p, &room);
    p->sites = lull_arena_calloc(&p->arena, room + 1, sizeof *p->sites);
    if (p->sites == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    LLVMValueRef f = room != 0 ? LLVMGetFirstFunction(m) : NULL;
    for (; err == NULL && f != NULL; f = LLVMGetNextFunction(f)) {
        err = calls_of(p, f, room);
    }
    return err;
}
