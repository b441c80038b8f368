// SPDX-License-Identifier: MIT
// GLSL.std.450: functions with two results, and of matrices.
#include <spirv/unified1/GLSL.std.450.h>

#include "front/llvm/lower_priv.h"

enum { FIRST = 5, SIZE = 4 };

/** Two results in a struct. */
static LLVMValueRef pair(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef members[2] = {LLVMTypeOf(a), LLVMTypeOf(b)};
    LLVMValueRef s = LLVMGetPoison(LLVMStructTypeInContext(f->c, members, 2, false));
    return LLVMBuildInsertValue(f->b, LLVMBuildInsertValue(f->b, s, a, 0, ""), b, 1, "");
}

/** The one with a pointer stores its second result. */
LULL_MUST_USE static struct lull_error *give(struct lull_fl *f, bool as_struct, LLVMValueRef a,
                                             LLVMValueRef b, LLVMValueRef *ret)
{
    const struct lull_fl_pointer *p = NULL;
    if (as_struct) {
        *ret = pair(f, a, b);
        return NULL;
    }
    *ret = a;
    struct lull_error *err = lull_fl_get_pointer(f, lull_spv_word(f->in, FIRST + 1), &p);
    return err != NULL ? err : lull_fl_store(f, p, b);
}

LULL_MUST_USE static struct lull_error *modf_of(struct lull_fl *f, uint32_t op, LLVMValueRef *ret)
{
    LLVMValueRef x = NULL;
    struct lull_error *err = lull_fl_get_kind(f, lull_spv_word(f->in, FIRST), 'f', &x);
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef whole = lull_fl_call(f, "llvm.trunc", type, &x, 1);
    LLVMValueRef args[2] = {x, LLVMBuildFSub(f->b, x, whole, "")};
    LLVMValueRef infinite = lull_fl_call(f, "llvm.fabs", type, args, 1);
    infinite = LLVMBuildFCmp(f->b, LLVMRealOEQ, infinite, lull_fl_float(type, __builtin_inf()), "");
    args[0] = LLVMBuildSelect(f->b, infinite, lull_fl_float(type, 0), args[1], "");
    args[1] = x;
    LLVMValueRef part = lull_fl_call(f, "llvm.copysign", type, args, 2);
    return give(f, op == GLSLstd450ModfStruct, part, whole, ret);
}

LULL_MUST_USE static struct lull_error *frexp_of(struct lull_fl *f, uint32_t op, LLVMValueRef *ret)
{
    LLVMValueRef x = NULL;
    struct lull_error *err = lull_fl_get_kind(f, lull_spv_word(f->in, FIRST), 'f', &x);
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef types[2] = {LLVMTypeOf(x), lull_fl_like(LLVMTypeOf(x), f->i32)};
    LLVMValueRef both = lull_fl_call_types(f, "llvm.frexp", types, 2, &x, 1);
    return give(f, op == GLSLstd450FrexpStruct, LLVMBuildExtractValue(f->b, both, 0, ""),
                LLVMBuildExtractValue(f->b, both, 1, ""), ret);
}

LULL_MUST_USE static struct lull_error *ldexp_of(struct lull_fl *f, LLVMValueRef *ret)
{
    LLVMValueRef v[2] = {0};
    struct lull_error *err = lull_fl_get_kind(f, lull_spv_word(f->in, FIRST), 'f', &v[0]);
    err = err != NULL ? err : lull_fl_get_kind(f, lull_spv_word(f->in, FIRST + 1), 'i', &v[1]);
    if (err == NULL && lull_fl_count(LLVMTypeOf(v[0])) != lull_fl_count(LLVMTypeOf(v[1]))) {
        err = lull_fl_bad(f, "vectors of different sizes");
    }
    if (err == NULL) {
        LLVMTypeRef types[2] = {LLVMTypeOf(v[0]), lull_fl_like(LLVMTypeOf(v[0]), f->i32)};
        LLVMTypeRef own = LLVMTypeOf(v[1]);
        if (LLVMGetIntTypeWidth(lull_fl_scalar_of(own)) >
            32) { // beyond what i32 has is all the same
            v[1] = lull_fl_call_types(
                f, "llvm.smax", &own, 1,
                (LLVMValueRef[]){v[1], lull_fl_whole(own, (uint64_t)(int64_t)INT32_MIN)}, 2);
            v[1] = lull_fl_call_types(f, "llvm.smin", &own, 1,
                                      (LLVMValueRef[]){v[1], lull_fl_whole(own, INT32_MAX)}, 2);
        }
        v[1] = LLVMBuildIntCast2(f->b, v[1], types[1], true, "");
        *ret = lull_fl_call_types(f, "llvm.ldexp", types, 2, v, 2);
    }
    return err;
}

/** A square matrix, number by number. */
struct square {
    LLVMValueRef v[SIZE][SIZE]; ///< By column, then row.
    unsigned n;
};

/** Without one column and one row. */
static struct square minor_of(const struct square *m, unsigned column, unsigned row)
{
    struct square s = {.n = m->n - 1};
    for (unsigned c = 0; c < s.n; c++) {
        for (unsigned r = 0; r < s.n; r++) {
            s.v[c][r] = m->v[c + (c >= column)][r + (r >= row)];
        }
    }
    return s;
}

/** By the first column: as deep as the matrix is wide. */
static LLVMValueRef determinant(const struct lull_fl *f, const struct square *m)
{
    LLVMValueRef sum = NULL;
    if (m->n == 1) {
        return m->v[0][0];
    }
    for (unsigned r = 0; r < m->n; r++) {
        const struct square s = minor_of(m, 0, r);
        LLVMValueRef d = determinant(f, &s), x = m->v[0][r];
        x = r % 2 != 0 ? LLVMBuildFNeg(f->b, x, "") : x;
        sum = sum == NULL ? LLVMBuildFMul(f->b, x, d, "") : lull_fl_mad(f, x, d, sum);
    }
    return sum;
}

static LLVMValueRef inverse(const struct lull_fl *f, const struct square *m, LLVMTypeRef column)
{
    LLVMValueRef all = LLVMGetPoison(LLVMArrayType2(column, m->n));
    LLVMValueRef d = determinant(f, m);
    LLVMValueRef one = lull_fl_divide(f, lull_fl_float(LLVMTypeOf(d), 1), d);
    for (unsigned c = 0; c < m->n; c++) {
        LLVMValueRef v = LLVMGetPoison(column);
        for (unsigned r = 0; r < m->n; r++) {
            const struct square s = minor_of(m, r, c); // of the transposed matrix
            LLVMValueRef x = LLVMBuildFMul(f->b, determinant(f, &s), one, "");
            x = (c + r) % 2 != 0 ? LLVMBuildFNeg(f->b, x, "") : x;
            v = lull_fl_put(f, v, x, r);
        }
        all = LLVMBuildInsertValue(f->b, all, v, c, "");
    }
    return all;
}

LULL_MUST_USE static struct lull_error *of_matrix(struct lull_fl *f, uint32_t op, LLVMValueRef *ret)
{
    const struct lull_fr_type *t = NULL;
    struct square m = {0};
    LLVMValueRef v = NULL;
    LLVMTypeRef column = NULL;
    struct lull_error *err = lull_fl_type_of(f, lull_spv_word(f->in, FIRST), &t);
    err = err != NULL ? err : lull_fl_get(f, f->in->w[FIRST], &v);
    if (err == NULL && (t->kind != LULL_FR_MATRIX || t->count != t->element->count)) {
        err = lull_fl_bad(f, "not a square matrix");
    }
    err = err != NULL ? err : lull_fl_type(f, t->element, &column);
    if (err != NULL) {
        return err;
    }
    m.n = t->count;
    for (unsigned c = 0; c < m.n; c++) {
        LLVMValueRef one = LLVMBuildExtractValue(f->b, v, c, "");
        for (unsigned r = 0; r < m.n; r++) {
            m.v[c][r] = lull_fl_part(f, one, r);
        }
    }
    *ret = op == GLSLstd450Determinant ? determinant(f, &m) : inverse(f, &m, column);
    return NULL;
}

struct lull_error *lull_fl_parts(struct lull_fl *f, uint32_t op, LLVMValueRef *ret, bool *ret_known)
{
    *ret_known = true;
    switch (op) {
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
        return modf_of(f, op, ret);
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
        return frexp_of(f, op, ret);
    case GLSLstd450Ldexp:
        return ldexp_of(f, ret);
    case GLSLstd450Determinant:
    case GLSLstd450MatrixInverse:
        return of_matrix(f, op, ret);
    default:
        *ret_known = false;
        return NULL;
    }
}
