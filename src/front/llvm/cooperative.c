// SPDX-License-Identifier: MIT
// Matrices that the lanes of a wave have together, 16 x 16. Each lane has a vector of numbers:
//
//   matrix A         row lane % 16, columns in the vector
//   B, accumulators  column lane % 16, rows in the vector
//
// gfx11 wants all 16 numbers of A and B in each group of 16 lanes; number i of an accumulator is
// row i * groups + lane / 16. gfx12 has no number twice: a group has rows (of A columns) one behind
// the other, groups 0 to 3 from 0, 8, 4, 12 on.
//
// Source: SPV_KHR_cooperative_matrix, revision 8; AMD, "RDNA3 Instruction Set Architecture", 7.9;
// Mesa, src/amd/vulkan/nir/radv_nir_lower_cooperative_matrix.c, for gfx12.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Target.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

enum {
    GFX11 = 11,
    WORD_BITS = 32,
    SHARED_SPACE = 3,
    LANES_LOG2 = 4, // of a group
    MATRIX_A = 0,
    MATRIX_B = 1,
    // Cooperative Matrix Layout.
    ROW_MAJOR = 0,
    COLUMN_MAJOR = 1,
    // Cooperative Matrix Operands.
    SIGNED_A = 1,
    SIGNED_B = 2,
    SIGNED_RESULT = 8,
    SATURATING = 16,
    ALIGNMENT = 16, // of rows, or columns, in memory: VUID-RuntimeSpirv-08986
};

/** Where the numbers of a lane's vector are in memory: number i at start + i * step bytes. */
struct place {
    struct lull_fl_pointer start; ///< Of one number.
    LLVMValueRef step;
    bool together; ///< One behind the other.
};

/** In the lane's vector: which row, of A column, the first number is. */
static LLVMValueRef first_inner(const struct lull_fl *f, const struct lull_fr_type *t)
{
    LLVMValueRef group = LLVMBuildLShr(f->b, lull_fl_lane(f), lull_fl_int(f, LANES_LOG2), "");
    if (f->gfx == GFX11) {
        return t->cooperative.use == LULL_FL_ACCUMULATOR ? group : lull_fl_int(f, 0);
    }
    LLVMValueRef one = lull_fl_int(f, 1);
    LLVMValueRef odd = LLVMBuildAnd(f->b, group, one, "");
    LLVMValueRef upper = LLVMBuildLShr(f->b, group, one, "");
    return LLVMBuildAdd(f->b, LLVMBuildShl(f->b, odd, lull_fl_int(f, 3), ""),
                        LLVMBuildShl(f->b, upper, lull_fl_int(f, 2), ""), "");
}

/** How many rows, of A columns, number i + 1 is behind number i. */
static unsigned inner_step(const struct lull_fl *f, const struct lull_fr_type *t)
{
    return f->gfx == GFX11 && t->cooperative.use == LULL_FL_ACCUMULATOR ? f->wave >> LANES_LOG2 : 1;
}

/** The pointer of a load or store, as one to bytes. @p ret_bytes: of what it points to. */
LULL_MUST_USE static struct lull_error *bytes_at(struct lull_fl *f, uint32_t id,
                                                 struct lull_fl_pointer *ret, uint64_t *ret_bytes)
{
    const struct lull_fl_pointer *p = NULL;
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_get_pointer(f, id, &p);
    if (err != NULL) {
        return err;
    }
    const enum lull_fr_kind k = lull_fr_scalar(p->type)->kind;
    const bool memory =
        p->where == LULL_FL_NATURAL || p->where == LULL_FL_BYTES || p->where == LULL_FL_BUFFER;
    if (!memory || !lull_fr_is_plain(p->type) || k == LULL_FR_BOOL || p->component_stride != 0) {
        return lull_fl_bad(f, "%%%u does not point to numbers in a buffer or shared memory", id);
    }
    *ret = *p;
    if (p->where != LULL_FL_NATURAL) {
        *ret_bytes = lull_fl_explicit_size(p->type, 0, false);
        ret->offset = p->offset != NULL ? p->offset : lull_fl_int(f, 0);
        return NULL;
    }
    err = lull_fl_memory_type(f, p->type, &type);
    if (err == NULL) {
        *ret_bytes = LLVMABISizeOfType(LLVMGetModuleDataLayout(f->module), type);
        ret->where = LULL_FL_BYTES;
        ret->offset = lull_fl_int(f, 0);
    }
    return err;
}

/** Memory operands at word @p at: may the access not be left out? Shared memory is one for all. */
static bool is_strict(const struct lull_fl *f, uint32_t at, const struct lull_fl_pointer *p)
{
    const bool lds = p->where == LULL_FL_BYTES &&
                     LLVMGetPointerAddressSpace(LLVMTypeOf(p->base)) == SHARED_SPACE;
    const uint32_t seen =
        SpvMemoryAccessMakePointerVisibleMask | SpvMemoryAccessMakePointerAvailableMask;
    return (lull_spv_word(f->in, at) & (SpvMemoryAccessVolatileMask | (lds ? 0 : seen))) != 0;
}

/** Of a load or store of a matrix of type @p t: pointer, layout and stride from word @p at on. */
LULL_MUST_USE static struct lull_error *find(struct lull_fl *f, const struct lull_fr_type *t,
                                             uint32_t pointer, uint32_t at, struct place *ret)
{
    uint64_t layout = 0, bytes = 0;
    LLVMValueRef stride = NULL;
    struct lull_fl_pointer p = {0};
    struct lull_error *err = bytes_at(f, pointer, &p, &bytes);
    err = err != NULL ? err : lull_fl_number(f, f->in->w[at], &layout);
    if (err == NULL && layout != ROW_MAJOR && layout != COLUMN_MAJOR) {
        err = lull_fl_refuse(f, "memory layout %u of cooperative matrices", (unsigned)layout);
    }
    if (err == NULL && f->in->n <= at + 1) {
        err = lull_fl_bad(f, "the stride is missing");
    }
    err = err != NULL ? err : lull_fl_get_kind(f, lull_spv_word(f->in, at + 1), 'i', &stride);
    if (err == NULL && lull_fl_count(LLVMTypeOf(stride)) != 1) {
        err = lull_fl_bad(f, "the stride is a vector");
    }
    if (err != NULL) {
        return err;
    }
    LLVMValueRef size = lull_fl_int(f, t->element->bits / 8);
    stride = LLVMBuildMul(f->b, LLVMBuildIntCast2(f->b, stride, f->i32, false, ""),
                          lull_fl_int(f, bytes), "");
    // A has its columns in the vector, the others their rows.
    const bool dense = (t->cooperative.use == MATRIX_A) == (layout == ROW_MAJOR);
    LLVMValueRef inner = dense ? size : stride;
    LLVMValueRef outer = LLVMBuildAnd(f->b, lull_fl_lane(f), lull_fl_int(f, LULL_FL_SIDE - 1), "");
    outer = LLVMBuildMul(f->b, outer, dense ? stride : size, "");
    LLVMValueRef first = LLVMBuildMul(f->b, first_inner(f, t), inner, "");
    p.is_volatile |= is_strict(f, at + 2, &p);
    p.offset = LLVMBuildAdd(f->b, p.offset, LLVMBuildAdd(f->b, outer, first, ""), "");
    p.type = t->element;
    ret->start = p;
    ret->step = LLVMBuildMul(f->b, inner, lull_fl_int(f, inner_step(f, t)), "");
    ret->together = dense && inner_step(f, t) == 1;
    return NULL;
}

/** Type of the result, or of the object stored: a matrix. */
LULL_MUST_USE static struct lull_error *matrix_type(struct lull_fl *f, const struct lull_fr_type *t)
{
    return t != NULL && t->kind == LULL_FR_COOPERATIVE ? NULL
                                                       : lull_fl_bad(f, "not a cooperative matrix");
}

/** All numbers of the lane at once, as words. @p v: what to store, NULL to load. */
LULL_MUST_USE static struct lull_error *together(struct lull_fl *f, const struct place *at,
                                                 LLVMTypeRef type, LLVMValueRef v,
                                                 LLVMValueRef *ret)
{
    static const struct lull_fr_type word = {.kind = LULL_FR_INT, .bits = WORD_BITS, .scalars = 1};
    const unsigned bytes = at->start.type->bits / 8 * lull_fl_count(type);
    const struct lull_fr_type words = {
        .kind = LULL_FR_VECTOR, .element = &word, .count = bytes * 8 / WORD_BITS};
    struct lull_fl_pointer p = at->start;
    LLVMTypeRef whole = NULL;
    p.type = words.count == 1 ? &word : &words;
    p.align = bytes < ALIGNMENT ? bytes : ALIGNMENT;
    struct lull_error *err = lull_fl_type(f, p.type, &whole);
    if (err == NULL && v != NULL) {
        return lull_fl_store_leaf(f, &p, LLVMBuildBitCast(f->b, v, whole, ""));
    }
    err = err != NULL ? err : lull_fl_load_leaf(f, &p, &v);
    *ret = err == NULL ? LLVMBuildBitCast(f->b, v, type, "") : NULL;
    return err;
}

/** Each number of the lane, or all at once. */
LULL_MUST_USE static struct lull_error *access(struct lull_fl *f, const struct place *at,
                                               LLVMTypeRef type, LLVMValueRef v, LLVMValueRef *ret)
{
    if (at->together) {
        return together(f, at, type, v, ret);
    }
    struct lull_fl_pointer p = at->start;
    struct lull_error *err = NULL;
    *ret = LLVMGetPoison(type);
    for (unsigned i = 0; i < lull_fl_count(type) && err == NULL; i++) {
        LLVMValueRef one = v != NULL ? lull_fl_part(f, v, i) : NULL;
        err = v != NULL ? lull_fl_store_leaf(f, &p, one) : lull_fl_load_leaf(f, &p, &one);
        *ret = err == NULL && v == NULL ? lull_fl_put(f, *ret, one, i) : *ret;
        p.offset = LLVMBuildAdd(f->b, p.offset, at->step, "");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *load(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_fr_type *t = lull_fr_type_of(f->m, f->in->w[1]);
    struct place at = {0};
    LLVMTypeRef type = NULL;
    struct lull_error *err = matrix_type(f, t);
    err = err != NULL ? err : lull_fl_type(f, t, &type);
    err = err != NULL ? err : find(f, t, f->in->w[3], 4, &at);
    return err != NULL ? err : access(f, &at, type, NULL, ret);
}

LULL_MUST_USE static struct lull_error *store(struct lull_fl *f)
{
    const struct lull_fr_type *t = NULL;
    struct place at = {0};
    LLVMValueRef v = NULL, none = NULL;
    struct lull_error *err = lull_fl_type_of(f, f->in->w[2], &t);
    err = err != NULL ? err : matrix_type(f, t);
    err = err != NULL ? err : lull_fl_get(f, f->in->w[2], &v);
    err = err != NULL ? err : find(f, t, f->in->w[1], 3, &at);
    return err != NULL ? err : access(f, &at, LLVMTypeOf(v), v, &none);
}

/** A * B + C. */
struct product {
    const struct lull_fr_type *of[3]; ///< Types of A, B, C.
    LLVMValueRef v[3];
    uint32_t flags;
};

/** How LLVM's intrinsics call numbers. */
static const char *number_name(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_INT ? (t->bits == 8 ? "iu8" : "i32")
           : t->brain             ? "bf16"
           : t->bits == 16        ? "f16"
                                  : "f32";
}

/** A name for people. */
static const char *kind_name(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_INT ? "integers" : t->brain ? "bfloat16" : "floats";
}

/** Numbers as words, or as integers of 16 bits, where LLVM's intrinsic has those. */
static LLVMValueRef as_operand(const struct lull_fl *f, const struct lull_fr_type *t,
                               LLVMValueRef v)
{
    const unsigned n = lull_fl_count(LLVMTypeOf(v));
    if (t->element->brain) {
        return LLVMBuildBitCast(f->b, v, LLVMVectorType(f->i16, n), "");
    }
    if (t->element->kind == LULL_FR_INT && t->element->bits == 8) {
        const unsigned words = n * 8 / WORD_BITS;
        return LLVMBuildBitCast(f->b, v, words == 1 ? f->i32 : LLVMVectorType(f->i32, words), "");
    }
    return v;
}

/** Every second number of a vector, which gfx11 has of accumulators of 16 bits; and back. */
static LLVMValueRef spread(const struct lull_fl *f, LLVMValueRef v, bool back)
{
    const unsigned n = lull_fl_count(LLVMTypeOf(v)), m = back ? n / 2 : n * 2;
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(lull_fl_scalar_of(LLVMTypeOf(v)), m));
    for (unsigned i = 0; i < n; i += back ? 2 : 1) {
        all = lull_fl_put(f, all, lull_fl_part(f, v, i), back ? i / 2 : i * 2);
    }
    return all;
}

/** The call of LLVM's intrinsic. */
static LLVMValueRef multiply(const struct lull_fl *f, const struct product *p)
{
    char name[64] = "";
    const struct lull_fr_type *a = p->of[0]->element, *c = p->of[2]->element;
    const bool halves = c->bits == 16, spreads = halves && f->gfx == GFX11;
    LLVMValueRef va = as_operand(f, p->of[0], p->v[0]), vb = as_operand(f, p->of[1], p->v[1]);
    LLVMValueRef vc = as_operand(f, p->of[2], p->v[2]), no = LLVMConstInt(f->i1, 0, false);
    snprintf(name, sizeof name, "llvm.amdgcn.wmma.%s.16x16x16.%s", number_name(c), number_name(a));
    vc = spreads ? spread(f, vc, false) : vc;
    LLVMTypeRef types[2] = {LLVMTypeOf(vc), LLVMTypeOf(va)};
    if (a->kind == LULL_FR_INT) {
        LLVMValueRef args[6] = {LLVMConstInt(f->i1, (p->flags & SIGNED_A) != 0, false),
                                va,
                                LLVMConstInt(f->i1, (p->flags & SIGNED_B) != 0, false),
                                vb,
                                vc,
                                LLVMConstInt(f->i1, (p->flags & SATURATING) != 0, false)};
        return lull_fl_call_types(f, name, types, 2, args, 6);
    }
    LLVMValueRef args[4] = {va, vb, vc, no};
    LLVMValueRef v = lull_fl_call_types(f, name, types, 2, args, halves ? 4 : 3);
    v = spreads ? spread(f, v, true) : v;
    return LLVMBuildBitCast(f->b, v, LLVMTypeOf(p->v[2]), "");
}

/** Has the processor an instruction for it? */
LULL_MUST_USE static struct lull_error *check_product(struct lull_fl *f, const struct product *p)
{
    const struct lull_fr_type *a = p->of[0]->element, *b = p->of[1]->element,
                              *c = p->of[2]->element;
    const bool bytes = a->kind == LULL_FR_INT && a->bits == 8;
    const bool halves = a->kind == LULL_FR_FLOAT && a->bits == 16;
    const bool same = a->kind == b->kind && a->bits == b->bits && a->brain == b->brain;
    const bool sum = c->kind == a->kind &&
                     (c->bits == WORD_BITS || (halves && c->bits == 16 && c->brain == a->brain));
    if (!same || !sum || (!bytes && !halves)) {
        return lull_fl_refuse(f,
                              "a product of cooperative matrices: %s of %u bits by %s of %u bits "
                              "to %s of %u bits",
                              kind_name(a), a->bits, kind_name(b), b->bits, kind_name(c), c->bits);
    }
    return bytes && (p->flags & SATURATING) != 0 && (p->flags & SIGNED_RESULT) == 0
               ? lull_fl_refuse(f, "saturation of results without a sign")
               : NULL;
}

LULL_MUST_USE static struct lull_error *muladd(struct lull_fl *f, LLVMValueRef *ret)
{
    static const uint32_t uses[3] = {MATRIX_A, MATRIX_B, LULL_FL_ACCUMULATOR};
    struct product p = {.flags = lull_spv_word(f->in, 6)};
    struct lull_error *err = NULL;
    for (uint32_t i = 0; i < 3 && err == NULL; i++) {
        err = lull_fl_type_of(f, f->in->w[3 + i], &p.of[i]);
        err = err != NULL ? err : matrix_type(f, p.of[i]);
        err = err != NULL ? err : lull_fl_get(f, f->in->w[3 + i], &p.v[i]);
        if (err == NULL && p.of[i]->cooperative.use != uses[i]) {
            err = lull_fl_bad(f, "%%%u is of another use", f->in->w[3 + i]);
        }
    }
    if (err == NULL && p.of[2] != lull_fr_type_of(f->m, f->in->w[1])) {
        err = lull_fl_bad(f, "operands that do not fit the type of the result");
    }
    err = err != NULL ? err : check_product(f, &p);
    *ret = err == NULL ? multiply(f, &p) : NULL;
    return err;
}

LULL_MUST_USE static struct lull_error *length(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_fr_type *t = lull_fr_type_of(f->m, f->in->w[3]);
    LLVMTypeRef type = NULL;
    struct lull_error *err = matrix_type(f, t);
    err = err != NULL ? err : lull_fl_type(f, t, &type);
    *ret = err == NULL ? lull_fl_int(f, lull_fl_count(type)) : NULL;
    return err;
}

/** Each number times the same. */
LULL_MUST_USE static struct lull_error *scale(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_fr_type *t = NULL, *of = NULL;
    LLVMValueRef v = NULL, by = NULL;
    struct lull_error *err = lull_fl_type_of(f, f->in->w[3], &t);
    err = err != NULL ? err : lull_fl_type_of(f, f->in->w[4], &of);
    err = err != NULL ? err : lull_fl_get(f, f->in->w[3], &v);
    err = err != NULL ? err : lull_fl_get(f, f->in->w[4], &by);
    if (err == NULL && (of != t->element || t != lull_fr_type_of(f->m, f->in->w[1]))) {
        err = lull_fl_bad(f, "operands that do not fit");
    }
    if (err != NULL) {
        return err;
    }
    by = lull_fl_splat(f, by, lull_fl_count(LLVMTypeOf(v)));
    *ret = of->kind == LULL_FR_FLOAT ? lull_fl_contract(f, LLVMBuildFMul(f->b, v, by, ""))
                                     : LLVMBuildMul(f->b, v, by, "");
    return NULL;
}

/** Are both matrices of the same rows, columns and use? */
static bool alike(const struct lull_fr_type *a, const struct lull_fr_type *b)
{
    const struct lull_fr_cooperative *x = &a->cooperative, *y = &b->cooperative;
    return a->kind == b->kind && x->scope == y->scope && x->rows == y->rows &&
           x->columns == y->columns && x->use == y->use;
}

struct lull_error *lull_fl_check_each(struct lull_fl *f)
{
    bool typed = false;
    const bool result = lull_spv_has_result(f->in->op, &typed) && typed;
    const struct lull_fr_type *to = result ? lull_fr_type_of(f->m, f->in->w[1]) : NULL;
    struct lull_error *err = NULL;
    if (to == NULL || !lull_fl_is_each(f, to)) {
        return NULL;
    }
    for (uint32_t i = 3; i < f->in->n && err == NULL; i++) {
        const struct lull_fr_type *t = NULL;
        err = lull_fl_type_of(f, f->in->w[i], &t);
        if (err == NULL && (!alike(to, t) || (f->in->n > 4 && t != to))) {
            err = lull_fl_bad(f, "operands that do not fit the type of the result");
        }
    }
    return err;
}

struct lull_error *lull_fl_cooperative(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    const char *name = lull_spv_op(f->in->op)->name; // lull_spv_check(): it is known
    *ret_known = true;
    if (f->in->op == SpvOpMatrixTimesScalar) { // matrix.c leaves it alone
        return scale(f, ret);
    }
    if (strcmp(name, "OpCooperativeMatrixLoadKHR") == 0) {
        return load(f, ret);
    }
    if (strcmp(name, "OpCooperativeMatrixStoreKHR") == 0) {
        return store(f);
    }
    if (strcmp(name, "OpCooperativeMatrixMulAddKHR") == 0) {
        return muladd(f, ret);
    }
    if (strcmp(name, "OpCooperativeMatrixLengthKHR") == 0) {
        return length(f, ret);
    }
    *ret_known = false;
    return NULL;
}
