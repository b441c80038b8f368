// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "base/cleanup.h"
#include "front/llvm/lower_priv.h"

enum { GLOBAL_SPACE = 1, SHARED_SPACE = 3, BUFFER_SPACE = 8 };

LULL_MUST_USE static struct lull_error *constant(struct lull_fl *f,
                                                 const struct lull_fr_constant *c,
                                                 LLVMValueRef *ret)
{
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_type(f, c->type, &type);
    if (err != NULL) {
        return err;
    }
    if (c->undefined || c->type->kind == LULL_FR_OTHER) {
        *ret = LLVMConstNull(type); // one value for all its uses
        return NULL;
    }
    if (c->parts == NULL) {
        *ret =
            c->type->kind == LULL_FR_FLOAT
                ? LLVMConstBitCast(
                      LLVMConstInt(LLVMIntTypeInContext(f->c, c->type->bits), c->bits, false), type)
                : LLVMConstInt(type, c->bits, false);
        return NULL;
    }
    lull_cleanup(lull_freep) LLVMValueRef *parts = calloc(c->type->count + 1, sizeof(LLVMValueRef));
    if (parts == NULL) {
        return &lull_enomem;
    }
    for (uint32_t i = 0; i < c->type->count && err == NULL; i++) {
        err = constant(f, c->parts[i], &parts[i]);
    }
    if (err != NULL) {
        return err;
    }
    if (c->type->kind == LULL_FR_COOPERATIVE) {
        *ret = lull_fl_all_of(parts[0], lull_fl_count(type));
        return NULL;
    }
    *ret = c->type->kind == LULL_FR_VECTOR ? LLVMConstVector(parts, c->type->count)
           : c->type->kind == LULL_FR_STRUCT
               ? LLVMConstNamedStruct(type, parts, c->type->count)
               : LLVMConstArray2(LLVMGetElementType(type), parts, c->type->count);
    return NULL;
}

struct lull_fl_pointer lull_fl_at_address(const struct lull_fl *f, const struct lull_fr_type *type,
                                          LLVMValueRef address)
{
    return (struct lull_fl_pointer){
        .type = type,
        .where = LULL_FL_BYTES,
        .base = LLVMBuildIntToPtr(f->b, address, LLVMPointerTypeInContext(f->c, GLOBAL_SPACE), "")};
}

bool lull_fl_is_logical(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_POINTER &&
           (t->storage == SpvStorageClassStorageBuffer || t->storage == SpvStorageClassWorkgroup);
}

struct lull_error *lull_fl_set_pointer(struct lull_fl *f, uint32_t id,
                                       const struct lull_fr_type *type,
                                       const struct lull_fl_pointer *p)
{
    struct lull_fl_pointer *copy = lull_arena_calloc(&f->arena, 1, sizeof *copy);
    if (copy == NULL) {
        return &lull_enomem;
    }
    if (type->kind != LULL_FR_POINTER || type->element != p->type) {
        return lull_fl_bad(f, "the pointer's type is not of what it points to");
    }
    *copy = *p;
    f->values[id] = (struct lull_fl_value){.type = type, .p = copy};
    return NULL;
}

struct lull_error *lull_fl_null_pointer(struct lull_fl *f, uint32_t id,
                                        const struct lull_fr_type *t)
{
    const bool shared = t->storage == SpvStorageClassWorkgroup;
    struct lull_fl_pointer p = {.type = t->element, .where = LULL_FL_BUFFER};
    LLVMTypeRef type = LLVMPointerTypeInContext(f->c, shared ? SHARED_SPACE : BUFFER_SPACE);
    if (shared) { // 0 is a place there
        p.where = lull_fl_is_explicit(t->element) ? LULL_FL_BYTES : LULL_FL_NATURAL;
        p.base = LLVMConstIntToPtr(lull_fl_int(f, UINT32_MAX), type);
    } else {
        p.base = LLVMConstNull(type);
        p.offset = lull_fl_int(f, 0);
    }
    return lull_fl_set_pointer(f, id, t, &p);
}

/** What an id is; constants are made when they are used first. */
LULL_MUST_USE static struct lull_error *find(struct lull_fl *f, uint32_t id,
                                             struct lull_fl_value **ret)
{
    const struct lull_fr_constant *c = lull_fr_constant_of(f->m, id);
    if (id >= f->m->spv.bound) {
        return lull_fl_bad(f, "operands are missing");
    }
    *ret = &f->values[id];
    if ((*ret)->type != NULL) {
        return NULL;
    }
    if (c == NULL) {
        return lull_fl_bad(f, "%%%u is used before it is defined", id);
    }
    if (lull_fl_is_logical(c->type)) {
        return lull_fl_null_pointer(f, id, c->type);
    }
    LLVMValueRef v = NULL;
    struct lull_error *err = constant(f, c, &v);
    return err != NULL ? err : lull_fl_set(f, id, c->type, v);
}

struct lull_error *lull_fl_get(struct lull_fl *f, uint32_t id, LLVMValueRef *ret)
{
    struct lull_fl_value *value = NULL;
    struct lull_error *err = find(f, id, &value);
    if (err != NULL) {
        return err;
    }
    if (value->v == NULL && value->type->kind == LULL_FR_POINTER &&
        value->type->storage == SpvStorageClassPhysicalStorageBuffer) {
        *ret = LLVMBuildPtrToInt(f->b, value->p->base, f->i64, "");
        return NULL;
    }
    *ret = value->v;
    return value->v != NULL ? NULL : lull_fl_bad(f, "%%%u is a pointer, and is not one here", id);
}

struct lull_error *lull_fl_type_of(struct lull_fl *f, uint32_t id, const struct lull_fr_type **ret)
{
    struct lull_fl_value *value = NULL;
    struct lull_error *err = find(f, id, &value);
    if (err == NULL) {
        *ret = value->type;
    }
    return err;
}

bool lull_fl_is_each(const struct lull_fl *f, const struct lull_fr_type *t)
{
    if (t->kind != LULL_FR_COOPERATIVE) {
        return false;
    }
    switch (f->in->op) {
    case SpvOpFNegate:
    case SpvOpSNegate:
    case SpvOpFAdd:
    case SpvOpIAdd:
    case SpvOpFSub:
    case SpvOpISub:
    case SpvOpFMul:
    case SpvOpIMul:
    case SpvOpFDiv:
    case SpvOpSDiv:
    case SpvOpUDiv:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertUToF:
    case SpvOpConvertSToF:
    case SpvOpFConvert:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpBitcast:
        return true;
    default:
        return false;
    }
}

struct lull_error *lull_fl_get_kind(struct lull_fl *f, uint32_t id, char kind, LLVMValueRef *ret)
{
    const struct lull_fr_type *type = NULL;
    struct lull_error *err = lull_fl_type_of(f, id, &type);
    if (err != NULL) {
        return err;
    }
    const enum lull_fr_kind k = lull_fr_scalar(type)->kind;
    const bool parts = lull_fr_is_plain(type) || lull_fl_is_each(f, type);
    const bool ok = parts && (kind == 'i'   ? k == LULL_FR_INT
                              : kind == 'f' ? k == LULL_FR_FLOAT
                              : kind == 'b' ? k == LULL_FR_BOOL
                                            : true);
    return ok ? lull_fl_get(f, id, ret) : lull_fl_bad(f, "%%%u is of a wrong type", id);
}

struct lull_error *lull_fl_get_pointer(struct lull_fl *f, uint32_t id,
                                       const struct lull_fl_pointer **ret)
{
    struct lull_fl_value *value = NULL;
    struct lull_error *err = find(f, id, &value);
    if (err == NULL) {
        *ret = value->p;
    }
    return err != NULL || *ret != NULL ? err : lull_fl_bad(f, "%%%u is not a pointer", id);
}

struct lull_error *lull_fl_set(struct lull_fl *f, uint32_t id, const struct lull_fr_type *type,
                               LLVMValueRef v)
{
    LLVMTypeRef want = NULL;
    struct lull_error *err = lull_fl_type(f, type, &want);
    if (err != NULL) {
        return err;
    }
    if (LLVMTypeOf(v) != want) {
        return lull_fl_bad(f, "operands that do not fit the type of the result");
    }
    if (type->kind == LULL_FR_POINTER) {
        const struct lull_fl_pointer p = lull_fl_at_address(f, type->element, v);
        return lull_fl_set_pointer(f, id, type, &p);
    }
    f->values[id] = (struct lull_fl_value){.type = type, .v = v};
    return NULL;
}

struct lull_error *lull_fl_number(struct lull_fl *f, uint32_t id, uint64_t *ret)
{
    const struct lull_fr_constant *c = lull_fr_constant_of(f->m, id);
    if (c == NULL || c->type->kind != LULL_FR_INT) {
        return lull_fl_refuse(f, "%%%u is not an integer constant", id);
    }
    *ret = c->bits;
    return NULL;
}

bool lull_fl_is_resource(const struct lull_fl_pointer *p)
{
    return p->where == LULL_FL_TABLE || p->where == LULL_FL_DESCRIPTOR || p->where == LULL_FL_TEXEL;
}

bool lull_fl_alike(const struct lull_fl_pointer *a, const struct lull_fl_pointer *b)
{
    return a->type == b->type && a->where == b->where && !lull_fl_is_resource(a) &&
           a->matrix_stride == b->matrix_stride && a->row_major == b->row_major &&
           a->component_stride == b->component_stride &&
           (a->offset == NULL) == (b->offset == NULL) &&
           (a->base == NULL || LLVMTypeOf(a->base) == LLVMTypeOf(b->base));
}
