// SPDX-License-Identifier: MIT
// Pointers that are chosen, compared, kept in variables, or point to nothing (capability
// VariablePointers). In memory a pointer into a buffer is its descriptor and its offset.
#include <llvm-c/Target.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

struct lull_error *lull_fl_choose_pointer(struct lull_fl *f, const struct lull_fr_type *t)
{
    const struct lull_fl_pointer *a = NULL, *b = NULL;
    LLVMValueRef c = NULL;
    if (f->in->op == SpvOpCopyObject) {
        struct lull_error *err = lull_fl_get_pointer(f, f->in->w[3], &a);
        return err != NULL ? err : lull_fl_set_pointer(f, f->in->w[2], t, a);
    }
    struct lull_error *err = lull_fl_get_kind(f, f->in->w[3], 'b', &c);
    err = err != NULL ? err : lull_fl_get_pointer(f, f->in->w[4], &a);
    err = err != NULL ? err : lull_fl_get_pointer(f, f->in->w[5], &b);
    if (err != NULL) {
        return err;
    }
    struct lull_fl_pointer p = *a;
    if (lull_fl_count(LLVMTypeOf(c)) != 1 || !lull_fl_alike(a, b) || p.base == NULL) {
        return lull_fl_refuse(f, "a choice between pointers of different kinds");
    }
    p.base = LLVMBuildSelect(f->b, c, a->base, b->base, "");
    if (p.offset != NULL) {
        p.offset = LLVMBuildSelect(f->b, c, a->offset, b->offset, "");
    }
    p.is_volatile |= b->is_volatile;
    return lull_fl_set_pointer(f, f->in->w[2], t, &p);
}

LULL_MUST_USE static struct lull_error *get_two(struct lull_fl *f, const struct lull_fl_pointer **a,
                                                const struct lull_fl_pointer **b)
{
    struct lull_error *err = lull_fl_get_pointer(f, f->in->w[3], a);
    err = err != NULL ? err : lull_fl_get_pointer(f, f->in->w[4], b);
    if (err == NULL && (!lull_fl_alike(*a, *b) || (*a)->base == NULL)) {
        err = lull_fl_bad(f, "pointers of different kinds");
    }
    return err;
}

/** Its descriptor, or its address, as an integer. */
static LLVMValueRef number_of(struct lull_fl *f, const struct lull_fl_pointer *p)
{
    const bool buffer = p->where == LULL_FL_BUFFER;
    LLVMValueRef v = buffer ? p->base : lull_fl_address(f, p);
    const unsigned bits =
        (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(f->module), LLVMTypeOf(v));
    return LLVMBuildPtrToInt(f->b, v, LLVMIntTypeInContext(f->c, bits), "");
}

/** How many elements one is behind the other. */
LULL_MUST_USE static struct lull_error *distance(struct lull_fl *f, const struct lull_fl_pointer *a,
                                                 const struct lull_fl_pointer *b, LLVMValueRef *ret)
{
    const struct lull_fr_type *t = NULL;
    const struct lull_fr_type *want = lull_fr_type_of(f->m, f->in->w[1]);
    LLVMTypeRef type = NULL, result = NULL;
    struct lull_error *err = lull_fl_type_of(f, f->in->w[3], &t);
    err = err != NULL ? err : lull_fl_type(f, want, &result);
    err = err != NULL ? err : lull_fl_memory_type(f, a->type, &type);
    if (err != NULL) {
        return err;
    }
    uint64_t stride = t->stride;
    if (a->where == LULL_FL_NATURAL) {
        stride = LLVMABISizeOfType(LLVMGetModuleDataLayout(f->module), type);
    }
    if (stride == 0 || want->kind != LULL_FR_INT) {
        return lull_fl_bad(
            f, "the type of the pointer has no ArrayStride, or the result is not an integer");
    }
    LLVMValueRef x = a->where == LULL_FL_BUFFER ? a->offset : number_of(f, a);
    LLVMValueRef y = b->where == LULL_FL_BUFFER ? b->offset : number_of(f, b);
    LLVMValueRef bytes = LLVMBuildSub(f->b, x, y, "");
    *ret = LLVMBuildSDiv(f->b, bytes, LLVMConstInt(LLVMTypeOf(bytes), stride, false), "");
    *ret = LLVMBuildIntCast2(f->b, *ret, result, true, "");
    return NULL;
}

struct lull_error *lull_fl_compare_pointers(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    const struct lull_fl_pointer *a = NULL, *b = NULL;
    const uint32_t op = f->in->op;
    *ret_known = op == SpvOpPtrEqual || op == SpvOpPtrNotEqual || op == SpvOpPtrDiff;
    if (!*ret_known) {
        return NULL;
    }
    struct lull_error *err = get_two(f, &a, &b);
    if (err != NULL || op == SpvOpPtrDiff) {
        return err != NULL ? err : distance(f, a, b, ret);
    }
    *ret = LLVMBuildICmp(f->b, LLVMIntEQ, number_of(f, a), number_of(f, b), "");
    if (a->where == LULL_FL_BUFFER) {
        LLVMValueRef offsets = LLVMBuildICmp(f->b, LLVMIntEQ, a->offset, b->offset, "");
        *ret = LLVMBuildAnd(f->b, *ret, offsets, "");
    }
    *ret = op == SpvOpPtrEqual ? *ret : LLVMBuildNot(f->b, *ret, "");
    return NULL;
}

/** What a pointer in memory is: by the storage class alone. */
static struct lull_fl_pointer plain(const struct lull_fr_type *t)
{
    struct lull_fl_pointer p = {.type = t->element, .where = LULL_FL_BUFFER};
    if (t->storage == SpvStorageClassWorkgroup) {
        p.where = lull_fl_is_explicit(t->element) ? LULL_FL_BYTES : LULL_FL_NATURAL;
    }
    return p;
}

struct lull_error *lull_fl_load_pointer(struct lull_fl *f, const struct lull_fl_pointer *from,
                                        struct lull_fl_pointer *ret)
{
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_memory_type(f, from->type, &type);
    if (err != NULL || from->where != LULL_FL_NATURAL) {
        return err != NULL ? err : lull_fl_bad(f, "a pointer that is not in a lane's own memory");
    }
    LLVMValueRef v = LLVMBuildLoad2(f->b, type, from->base, "");
    *ret = plain(from->type);
    ret->is_volatile = true; // which variable it points into is not known
    const bool buffer = ret->where == LULL_FL_BUFFER;
    ret->base = buffer ? LLVMBuildExtractValue(f->b, v, 0, "") : v;
    ret->offset = buffer ? LLVMBuildExtractValue(f->b, v, 1, "") : NULL;
    return NULL;
}

struct lull_error *lull_fl_store_pointer(struct lull_fl *f, const struct lull_fl_pointer *to,
                                         const struct lull_fl_pointer *v)
{
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_memory_type(f, to->type, &type);
    if (err != NULL || to->where != LULL_FL_NATURAL) {
        return err != NULL ? err : lull_fl_bad(f, "a pointer that is not in a lane's own memory");
    }
    struct lull_fl_pointer like = plain(to->type);
    like.base = v->base;
    like.offset = v->offset;
    if (v->base == NULL || !lull_fl_alike(&like, v)) {
        return lull_fl_refuse(f, "a pointer into a matrix, or an array's elements, in a variable");
    }
    LLVMValueRef all = v->base;
    if (like.where == LULL_FL_BUFFER) {
        all = LLVMBuildInsertValue(f->b, LLVMGetPoison(type), v->base, 0, "");
        all = LLVMBuildInsertValue(f->b, all, v->offset, 1, "");
    }
    LLVMBuildStore(f->b, all, to->base);
    return NULL;
}
