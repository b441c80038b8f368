// SPDX-License-Identifier: MIT
// Vectors, structs, arrays and matrices as values.
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "base/cleanup.h"
#include "front/llvm/lower_priv.h"

/** Is it a vector of LLVM's? */
static bool is_vector(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_VECTOR || t->kind == LULL_FR_COOPERATIVE;
}

/** The value at the path of words @p i on. */
LULL_MUST_USE static struct lull_error *extract(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fr_type *t = NULL;
    struct lull_error *err = lull_fl_type_of(f, in->w[3], &t);
    err = err != NULL ? err : lull_fl_get(f, in->w[3], ret);
    for (uint32_t i = 4; i < in->n && err == NULL; i++) {
        if (in->w[i] >= lull_fl_parts_of(f, t)) {
            return lull_fl_bad(f, "a part that there is not");
        }
        *ret = is_vector(t) ? lull_fl_part(f, *ret, in->w[i])
                            : LLVMBuildExtractValue(f->b, *ret, in->w[i], "");
        t = lull_fl_part_type(t, in->w[i]);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *insert(struct lull_fl *f, LLVMValueRef *ret)
{
    enum { MAX_PATH = 64 };
    const struct lull_spv_insn *in = f->in;
    const struct lull_fr_type *t = NULL;
    LLVMValueRef one = NULL, level[MAX_PATH] = {0};
    const struct lull_fr_type *types[MAX_PATH] = {0};
    const uint32_t n = in->n - 5;
    LLVMTypeRef want = NULL;
    struct lull_error *err = lull_fl_get(f, in->w[3], &one);
    err = err != NULL ? err : lull_fl_type_of(f, in->w[4], &t);
    err = err != NULL ? err : lull_fl_get(f, in->w[4], &level[0]);
    if (err != NULL || n >= MAX_PATH) {
        return err != NULL ? err : lull_fl_bad(f, "a part that there is not");
    }
    for (uint32_t i = 0; i < n; i++) {
        if (in->w[5 + i] >= lull_fl_parts_of(f, t)) {
            return lull_fl_bad(f, "a part that there is not");
        }
        types[i] = t;
        t = lull_fl_part_type(t, in->w[5 + i]);
        if (i + 1 < n && !is_vector(types[i])) {
            level[i + 1] = LLVMBuildExtractValue(f->b, level[i], in->w[5 + i], "");
        }
    }
    err = lull_fl_type(f, t, &want);
    if (err == NULL && LLVMTypeOf(one) != want) {
        err = lull_fl_bad(f, "operands that do not fit the type of the result");
    }
    for (uint32_t i = n; err == NULL && i-- > 0;) {
        one = is_vector(types[i]) ? lull_fl_put(f, level[i], one, in->w[5 + i])
                                  : LLVMBuildInsertValue(f->b, level[i], one, in->w[5 + i], "");
    }
    *ret = one;
    return err;
}

/** A vector of scalars and vectors. */
LULL_MUST_USE static struct lull_error *join(struct lull_fl *f, const struct lull_fr_type *t,
                                             LLVMValueRef *ret)
{
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_type(f, t, &type);
    unsigned at = 0;
    *ret = err == NULL ? LLVMGetPoison(type) : NULL;
    for (uint32_t i = 3; i < f->in->n && err == NULL; i++) {
        LLVMValueRef v = NULL;
        err = lull_fl_get_kind(f, f->in->w[i], '?', &v);
        const unsigned n = err == NULL ? lull_fl_count(LLVMTypeOf(v)) : 0;
        if (err == NULL &&
            (n > t->count - at || lull_fl_scalar_of(LLVMTypeOf(v)) != lull_fl_scalar_of(type))) {
            err = lull_fl_bad(f, "parts that the type has not");
        }
        for (unsigned k = 0; k < n && err == NULL; k++) {
            *ret = lull_fl_put(f, *ret, lull_fl_part(f, v, k), at++);
        }
    }
    return err == NULL && at != t->count ? lull_fl_bad(f, "parts are missing") : err;
}

/** All parts are the one that the instruction has. */
LULL_MUST_USE static struct lull_error *replicate(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_fr_type *t = lull_fr_type_of(f->m, f->in->w[1]), *part = NULL;
    LLVMTypeRef type = NULL;
    LLVMValueRef v = NULL;
    const uint32_t n = t != NULL ? lull_fl_parts_of(f, t) : 0;
    struct lull_error *err = lull_fl_type_of(f, f->in->w[3], &part);
    err = err != NULL ? err : lull_fl_get(f, f->in->w[3], &v);
    bool fit = n != 0 && f->in->n == 4;
    for (uint32_t i = 0; err == NULL && fit && i < t->count; i++) {
        fit = lull_fl_part_type(t, i) == part;
    }
    err = err == NULL && !fit ? lull_fl_bad(f, "parts that the type has not") : err;
    err = err != NULL ? err : lull_fl_type(f, t, &type);
    *ret = err == NULL ? LLVMGetPoison(type) : NULL;
    for (uint32_t i = 0; err == NULL && i < n; i++) {
        *ret =
            is_vector(t) ? lull_fl_put(f, *ret, v, i) : LLVMBuildInsertValue(f->b, *ret, v, i, "");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *construct(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_fr_type *t = lull_fr_type_of(f->m, f->in->w[1]);
    LLVMTypeRef type = NULL, want = NULL;
    if (t == NULL) {
        return lull_fl_bad(f, "it has no type");
    }
    if (t->kind == LULL_FR_VECTOR) {
        return join(f, t, ret);
    }
    struct lull_error *err = lull_fl_type(f, t, &type);
    if (err != NULL) {
        return err;
    }
    if (t->kind == LULL_FR_COOPERATIVE) {
        return replicate(f, ret);
    }
    if ((t->kind != LULL_FR_STRUCT && t->kind != LULL_FR_ARRAY && t->kind != LULL_FR_MATRIX) ||
        f->in->n - 3 != t->count) {
        return lull_fl_bad(f, "parts that the type has not");
    }
    *ret = LLVMGetPoison(type);
    for (uint32_t i = 0; i < t->count && err == NULL; i++) {
        LLVMValueRef v = NULL;
        err = lull_fl_get(f, f->in->w[3 + i], &v);
        err = err != NULL ? err : lull_fl_type(f, lull_fl_part_type(t, i), &want);
        if (err == NULL && LLVMTypeOf(v) != want) {
            err = lull_fl_bad(f, "parts that the type has not");
        }
        *ret = err == NULL ? LLVMBuildInsertValue(f->b, *ret, v, i, "") : NULL;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *shuffle(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef a = NULL, b = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], '?', &a);
    err = err != NULL ? err : lull_fl_get_kind(f, f->in->w[4], '?', &b);
    const uint32_t n = f->in->n - 5;
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef scalar = lull_fl_scalar_of(LLVMTypeOf(a));
    const unsigned na = lull_fl_count(LLVMTypeOf(a)), nb = lull_fl_count(LLVMTypeOf(b));
    if (n < 2 || n > LULL_FL_MAX_COMPONENTS || scalar != lull_fl_scalar_of(LLVMTypeOf(b))) {
        return lull_fl_bad(f, "vectors that do not fit");
    }
    *ret = LLVMConstNull(LLVMVectorType(scalar, n));
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = f->in->w[5 + i];
        if (k == UINT32_MAX) {
            continue; // not defined
        }
        if (k >= na + nb) {
            return lull_fl_bad(f, "a part that there is not");
        }
        LLVMValueRef one = k < na ? lull_fl_part(f, a, k) : lull_fl_part(f, b, k - na);
        *ret = lull_fl_put(f, *ret, one, i);
    }
    return NULL;
}

/**
 * An element by its number; any if there is none of that number. LLVM 19 fails to select a number
 * that is not known of a vector of three, whose parts are the same ("Cannot select").
 */
static LLVMValueRef pick(struct lull_fl *f, LLVMValueRef v, LLVMValueRef i)
{
    enum { FAILS = 3 };
    if (LLVMIsConstant(i) || LLVMGetVectorSize(LLVMTypeOf(v)) != FAILS) {
        return LLVMBuildFreeze(f->b, LLVMBuildExtractElement(f->b, v, i, ""), "");
    }
    LLVMValueRef ret = lull_fl_part(f, v, 0);
    for (unsigned k = 1; k < FAILS; k++) {
        LLVMValueRef number = LLVMConstInt(LLVMTypeOf(i), k, false);
        LLVMValueRef is = LLVMBuildICmp(f->b, LLVMIntEQ, i, number, "");
        ret = LLVMBuildSelect(f->b, is, lull_fl_part(f, v, k), ret, "");
    }
    return ret;
}

/** OpVectorExtractDynamic, OpVectorInsertDynamic. */
LULL_MUST_USE static struct lull_error *dynamic(struct lull_fl *f, LLVMValueRef *ret)
{
    const bool put = f->in->op == SpvOpVectorInsertDynamic;
    LLVMValueRef v = NULL, one = NULL, i = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], '?', &v);
    err = err == NULL && put ? lull_fl_get_kind(f, f->in->w[4], '?', &one) : err;
    err = err != NULL ? err : lull_fl_get_kind(f, f->in->w[put ? 5 : 4], 'i', &i);
    if (err != NULL) {
        return err;
    }
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind || lull_fl_count(LLVMTypeOf(i)) != 1 ||
        (put && LLVMTypeOf(one) != LLVMGetElementType(LLVMTypeOf(v)))) {
        return lull_fl_bad(f, "operands that do not fit");
    }
    *ret = put ? LLVMBuildInsertElement(f->b, v, one, i, "") : pick(f, v, i);
    return NULL;
}

/** Of values; pointers are chosen in step.c. */
LULL_MUST_USE static struct lull_error *choose(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef c = NULL, a = NULL, b = NULL;
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], 'b', &c);
    err = err != NULL ? err : lull_fl_get(f, f->in->w[4], &a);
    err = err != NULL ? err : lull_fl_get(f, f->in->w[5], &b);
    if (err == NULL && (LLVMTypeOf(a) != LLVMTypeOf(b) ||
                        (lull_fl_count(LLVMTypeOf(c)) != 1 &&
                         lull_fl_count(LLVMTypeOf(c)) != lull_fl_count(LLVMTypeOf(a))))) {
        err = lull_fl_bad(f, "operands that do not fit");
    }
    *ret = err == NULL ? LLVMBuildSelect(f->b, c, a, b, "") : NULL;
    return err;
}

struct lull_error *lull_fl_composite(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    *ret_known = true;
    switch (f->in->op) {
    case SpvOpCompositeExtract:
        return extract(f, ret);
    case SpvOpCompositeInsert:
        return insert(f, ret);
    case SpvOpCompositeConstruct:
        return construct(f, ret);
    case SpvOpVectorShuffle:
        return shuffle(f, ret);
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        return dynamic(f, ret);
    case SpvOpSelect:
        return choose(f, ret);
    case SpvOpCopyObject:
    case SpvOpExpectKHR:
    case SpvOpCopyLogical: // the same for LLVM: layouts differ, not members
        return lull_fl_get(f, f->in->w[3], ret);
    default:
        if (strcmp(lull_spv_op(f->in->op)->name, "OpCompositeConstructReplicateEXT") == 0) {
            return replicate(f, ret);
        }
        *ret_known = false;
        return NULL;
    }
}
