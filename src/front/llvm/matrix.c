// SPDX-License-Identifier: MIT
// Linear algebra. A matrix is an array of columns.
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

enum { MAX_COLUMNS = 4 };

/** Columns of a matrix; of a vector itself. */
struct columns {
    LLVMValueRef v[MAX_COLUMNS];
    unsigned n, rows;
};

LULL_MUST_USE static struct lull_error *get(struct lull_fl *f, uint32_t id, enum lull_fr_kind kind,
                                            struct columns *ret)
{
    const struct lull_fr_type *t = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_type_of(f, id, &t);
    err = err != NULL ? err : lull_fl_get(f, id, &v);
    if (err != NULL) {
        return err;
    }
    if (t->kind != kind || (kind == LULL_FR_VECTOR && t->element->kind != LULL_FR_FLOAT)) {
        return lull_fl_bad(f, "%%%u is of a wrong type", id);
    }
    ret->n = kind == LULL_FR_MATRIX ? t->count : 1;
    ret->rows = kind == LULL_FR_MATRIX ? t->element->count : t->count;
    for (unsigned i = 0; i < ret->n; i++) {
        ret->v[i] = kind == LULL_FR_MATRIX ? LLVMBuildExtractValue(f->b, v, i, "") : v;
    }
    return NULL;
}

static LLVMValueRef matrix_of(const struct lull_fl *f, const struct columns *c)
{
    LLVMValueRef m = LLVMGetPoison(LLVMArrayType2(LLVMTypeOf(c->v[0]), c->n));
    for (unsigned i = 0; i < c->n; i++) {
        m = LLVMBuildInsertValue(f->b, m, c->v[i], i, "");
    }
    return m;
}

/** Sum of the columns, each times a component of @p by. */
static LLVMValueRef weigh(const struct lull_fl *f, const struct columns *c, LLVMValueRef by)
{
    LLVMValueRef sum = NULL;
    for (unsigned i = 0; i < c->n; i++) {
        LLVMValueRef w = lull_fl_splat(f, lull_fl_part(f, by, i), c->rows);
        sum = sum == NULL ? lull_fl_contract(f, LLVMBuildFMul(f->b, c->v[i], w, ""))
                          : lull_fl_mad(f, c->v[i], w, sum);
    }
    return sum;
}

/** A vector of the dot products of @p v with each column. */
static LLVMValueRef dots(const struct lull_fl *f, LLVMValueRef v, const struct columns *c)
{
    LLVMTypeRef scalar = lull_fl_scalar_of(LLVMTypeOf(v));
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(scalar, c->n));
    for (unsigned i = 0; i < c->n; i++) {
        all = lull_fl_put(f, all, lull_fl_dot(f, v, c->v[i]), i);
    }
    return all;
}

static LLVMValueRef transpose(const struct lull_fl *f, const struct columns *c)
{
    struct columns t = {.n = c->rows, .rows = c->n};
    LLVMTypeRef scalar = lull_fl_scalar_of(LLVMTypeOf(c->v[0]));
    for (unsigned r = 0; r < c->rows; r++) {
        t.v[r] = LLVMGetPoison(LLVMVectorType(scalar, c->n));
        for (unsigned i = 0; i < c->n; i++) {
            t.v[r] = lull_fl_put(f, t.v[r], lull_fl_part(f, c->v[i], r), i);
        }
    }
    return matrix_of(f, &t);
}

/** A vector or matrix times a number. */
LULL_MUST_USE static struct lull_error *scale(struct lull_fl *f, enum lull_fr_kind kind,
                                              LLVMValueRef *ret)
{
    struct columns c = {0};
    LLVMValueRef s = NULL;
    struct lull_error *err = get(f, f->in->w[3], kind, &c);
    err = err != NULL ? err : lull_fl_get_kind(f, f->in->w[4], 'f', &s);
    if (err == NULL && LLVMTypeOf(s) != lull_fl_scalar_of(LLVMTypeOf(c.v[0]))) {
        err = lull_fl_bad(f, "operands that do not fit");
    }
    if (err != NULL) {
        return err;
    }
    LLVMValueRef all = lull_fl_splat(f, s, c.rows);
    for (unsigned i = 0; i < c.n; i++) {
        c.v[i] = lull_fl_contract(f, LLVMBuildFMul(f->b, c.v[i], all, ""));
    }
    *ret = kind == LULL_FR_MATRIX ? matrix_of(f, &c) : c.v[0];
    return NULL;
}

LULL_MUST_USE static struct lull_error *product(struct lull_fl *f, LLVMValueRef *ret)
{
    const uint32_t op = f->in->op;
    const bool left = op == SpvOpMatrixTimesVector || op == SpvOpMatrixTimesMatrix;
    const bool right = op == SpvOpVectorTimesMatrix || op == SpvOpMatrixTimesMatrix;
    struct columns a = {0}, b = {0}, c = {0};
    struct lull_error *err = get(f, f->in->w[3], left ? LULL_FR_MATRIX : LULL_FR_VECTOR, &a);
    err = err != NULL ? err : get(f, f->in->w[4], right ? LULL_FR_MATRIX : LULL_FR_VECTOR, &b);
    if (err != NULL) {
        return err;
    }
    const unsigned inner = left ? a.n : a.rows;
    const bool fit = op == SpvOpOuterProduct || inner == b.rows;
    if (!fit || (op == SpvOpOuterProduct && b.rows > MAX_COLUMNS) ||
        lull_fl_scalar_of(LLVMTypeOf(a.v[0])) != lull_fl_scalar_of(LLVMTypeOf(b.v[0]))) {
        return lull_fl_bad(f, "operands that do not fit");
    }
    if (op == SpvOpDot) {
        *ret = lull_fl_dot(f, a.v[0], b.v[0]);
    } else if (op == SpvOpVectorTimesMatrix) {
        *ret = dots(f, a.v[0], &b);
    } else if (op == SpvOpMatrixTimesVector) {
        *ret = weigh(f, &a, b.v[0]);
    } else {
        c.n = op == SpvOpOuterProduct ? b.rows : b.n;
        for (unsigned i = 0; i < c.n; i++) {
            LLVMValueRef one = op == SpvOpOuterProduct
                                   ? lull_fl_splat(f, lull_fl_part(f, b.v[0], i), a.rows)
                                   : NULL;
            c.v[i] = one != NULL ? lull_fl_contract(f, LLVMBuildFMul(f->b, a.v[0], one, ""))
                                 : weigh(f, &a, b.v[i]);
        }
        *ret = matrix_of(f, &c);
    }
    return NULL;
}

struct lull_error *lull_fl_matrix(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    const struct lull_fr_type *t = lull_fr_type_of(f->m, lull_spv_word(f->in, 1));
    struct columns c = {0};
    struct lull_error *err = NULL;
    *ret_known = true;
    switch (f->in->op) {
    case SpvOpVectorTimesScalar:
        return scale(f, LULL_FR_VECTOR, ret);
    case SpvOpMatrixTimesScalar:
        if (t->kind == LULL_FR_COOPERATIVE) {
            *ret_known = false; // cooperative.c
            return NULL;
        }
        return scale(f, LULL_FR_MATRIX, ret);
    case SpvOpDot:
    case SpvOpVectorTimesMatrix:
    case SpvOpMatrixTimesVector:
    case SpvOpMatrixTimesMatrix:
    case SpvOpOuterProduct:
        return product(f, ret);
    case SpvOpTranspose:
        err = get(f, f->in->w[3], LULL_FR_MATRIX, &c);
        *ret = err == NULL ? transpose(f, &c) : NULL;
        return err;
    default:
        *ret_known = false;
        return NULL;
    }
}
