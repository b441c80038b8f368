// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "front/llvm/lower_priv.h"

enum { MAX_ARGS = 16 };

LULL_PRINTF(3, 0)
LULL_NEW_ERROR static struct lull_error *fail(const struct lull_fl *f, enum lull_error_code code,
                                              const char *fmt, va_list args)
{
    char text[256] = "";
    vsnprintf(text, sizeof text, fmt, args);
    return f->in != NULL ? lull_spv_error(code, f->in, "%s", text)
                         : lull_error_new(code, "%s", text);
}

struct lull_error *lull_fl_bad(const struct lull_fl *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    struct lull_error *err = fail(f, LULL_ERR_BAD_DATA, fmt, args);
    va_end(args);
    return err;
}

struct lull_error *lull_fl_refuse(const struct lull_fl *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    struct lull_error *err = fail(f, LULL_ERR_UNSUPPORTED, fmt, args);
    va_end(args);
    return err;
}

LLVMValueRef lull_fl_int(const struct lull_fl *f, uint64_t v)
{
    return LLVMConstInt(f->i32, v, false);
}

LLVMValueRef lull_fl_call_types(const struct lull_fl *f, const char *name, LLVMTypeRef *types,
                                unsigned ntypes, LLVMValueRef *args, unsigned n)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(f->module, id, types, ntypes);
    LLVMTypeRef type = LLVMIntrinsicGetType(f->c, id, types, ntypes);
    return LLVMBuildCall2(f->b, type, fn, args, n, "");
}

LLVMValueRef lull_fl_call(const struct lull_fl *f, const char *name, LLVMTypeRef type,
                          LLVMValueRef *args, unsigned n)
{
    return lull_fl_call_types(f, name, &type, type != NULL, args, n);
}

LLVMValueRef lull_fl_extern(const struct lull_fl *f, const char *name, LLVMTypeRef result,
                            LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef params[MAX_ARGS] = {0};
    for (unsigned i = 0; i < n && i < MAX_ARGS; i++) {
        params[i] = LLVMTypeOf(args[i]);
    }
    LLVMTypeRef type = LLVMFunctionType(result, params, n, false);
    LLVMValueRef fn = LLVMGetNamedFunction(f->module, name);
    fn = fn != NULL ? fn : LLVMAddFunction(f->module, name, type);
    return LLVMBuildCall2(f->b, type, fn, args, n, "");
}

LLVMValueRef lull_fl_part(const struct lull_fl *f, LLVMValueRef vector, unsigned i)
{
    return LLVMGetTypeKind(LLVMTypeOf(vector)) == LLVMVectorTypeKind
               ? LLVMBuildExtractElement(f->b, vector, lull_fl_int(f, i), "")
               : vector;
}

LLVMValueRef lull_fl_put(const struct lull_fl *f, LLVMValueRef vector, LLVMValueRef v, unsigned i)
{
    return LLVMGetTypeKind(LLVMTypeOf(vector)) == LLVMVectorTypeKind
               ? LLVMBuildInsertElement(f->b, vector, v, lull_fl_int(f, i), "")
               : v;
}

LLVMValueRef lull_fl_splat(const struct lull_fl *f, LLVMValueRef v, unsigned n)
{
    LLVMValueRef all = n == 1 ? v : LLVMGetPoison(LLVMVectorType(LLVMTypeOf(v), n));
    for (unsigned i = 0; n != 1 && i < n; i++) {
        all = lull_fl_put(f, all, v, i);
    }
    return all;
}

LLVMValueRef lull_fl_all_of(LLVMValueRef one, unsigned n)
{
    LLVMValueRef parts[LULL_FL_MAX_COMPONENTS] = {0};
    for (unsigned i = 0; i < n && i < LULL_FL_MAX_COMPONENTS; i++) {
        parts[i] = one;
    }
    return LLVMConstVector(parts, n);
}

static LLVMValueRef repeat(LLVMTypeRef type, LLVMValueRef one)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? lull_fl_all_of(one, lull_fl_count(type))
                                                       : one;
}

LLVMValueRef lull_fl_float(LLVMTypeRef type, double v)
{
    return repeat(type, LLVMConstReal(lull_fl_scalar_of(type), v));
}

LLVMValueRef lull_fl_whole(LLVMTypeRef type, uint64_t v)
{
    return repeat(type, LLVMConstInt(lull_fl_scalar_of(type), v, false));
}

unsigned lull_fl_count(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

LLVMTypeRef lull_fl_scalar_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMTypeRef lull_fl_like(LLVMTypeRef shape, LLVMTypeRef scalar)
{
    return LLVMGetTypeKind(shape) == LLVMVectorTypeKind
               ? LLVMVectorType(scalar, LLVMGetVectorSize(shape))
               : scalar;
}
