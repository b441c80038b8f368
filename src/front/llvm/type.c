// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "base/cleanup.h"
#include "front/llvm/lower_priv.h"
#include "spirv/grammar.h"

enum { GFX11 = 11, SHARED_SPACE = 3, BUFFER_SPACE = 8 };

const struct lull_fr_type *lull_fl_part_type(const struct lull_fr_type *t, uint32_t i)
{
    return t->kind == LULL_FR_STRUCT ? t->members[i] : t->element;
}

unsigned lull_fl_cooperative_length(const struct lull_fl *f, const struct lull_fr_type *t)
{
    // gfx11: of matrices A and B each group of 16 lanes has all numbers.
    return f->gfx == GFX11 && t->cooperative.use != LULL_FL_ACCUMULATOR
               ? LULL_FL_SIDE
               : LULL_FL_SIDE * LULL_FL_SIDE / f->wave;
}

/** Has the processor matrices of that kind? */
LULL_MUST_USE static struct lull_error *check_cooperative(const struct lull_fl *f,
                                                          const struct lull_fr_type *t)
{
    const struct lull_fr_cooperative *c = &t->cooperative;
    if (f->gfx < GFX11) {
        return lull_fl_refuse(f, "a cooperative matrix, for gfx%u; gfx11 and gfx12 have them",
                              f->gfx);
    }
    if (c->scope != SpvScopeSubgroup) {
        return lull_fl_refuse(f,
                              "a cooperative matrix of scope %u; those of a subgroup (%u) are "
                              "compiled",
                              c->scope, SpvScopeSubgroup);
    }
    return c->rows == LULL_FL_SIDE && c->columns == LULL_FL_SIDE
               ? NULL
               : lull_fl_refuse(f,
                                "a cooperative matrix of %u x %u; the processor has those of %u "
                                "x %u; are specialization constants missing?",
                                c->rows, c->columns, LULL_FL_SIDE, LULL_FL_SIDE);
}

uint32_t lull_fl_parts_of(const struct lull_fl *f, const struct lull_fr_type *t)
{
    switch ((unsigned)t->kind) {
    case LULL_FR_VECTOR:
    case LULL_FR_MATRIX:
    case LULL_FR_ARRAY:
    case LULL_FR_STRUCT:
        return t->count;
    case LULL_FR_COOPERATIVE:
        return lull_fl_cooperative_length(f, t);
    default:
        return 0;
    }
}

/** A pointer into a buffer, or shared memory, in a lane's own memory; NULL: another pointer. */
static LLVMTypeRef logical(const struct lull_fl *f, const struct lull_fr_type *t)
{
    LLVMTypeRef parts[2] = {LLVMPointerTypeInContext(f->c, BUFFER_SPACE), f->i32};
    return t->storage == SpvStorageClassStorageBuffer
               ? LLVMStructTypeInContext(f->c, parts, 2, false)
           : t->storage == SpvStorageClassWorkgroup ? LLVMPointerTypeInContext(f->c, SHARED_SPACE)
                                                    : NULL;
}

/** Numbers, and pointers that are numbers; NULL: the type is something else. */
static LLVMTypeRef scalar(const struct lull_fl *f, const struct lull_fr_type *t, bool memory)
{
    switch ((unsigned)t->kind) {
    case LULL_FR_BOOL:
        return memory ? f->i32 : f->i1;
    case LULL_FR_INT:
        return t->bits == 8 ? f->i8 : t->bits == 16 ? f->i16 : t->bits == 32 ? f->i32 : f->i64;
    case LULL_FR_FLOAT:
        return t->brain        ? LLVMBFloatTypeInContext(f->c)
               : t->bits == 16 ? f->f16
               : t->bits == 32 ? f->f32
                               : f->f64;
    case LULL_FR_POINTER:
        return t->storage == SpvStorageClassPhysicalStorageBuffer ? f->i64
               : memory                                           ? logical(f, t)
                                                                  : NULL;
    case LULL_FR_VOID:
        return LLVMVoidTypeInContext(f->c);
    default:
        return NULL;
    }
}

/** A type that no value has here. Of images the dimension says why. */
LULL_MUST_USE static struct lull_error *refuse(const struct lull_fl *f,
                                               const struct lull_fr_type *t)
{
    const struct lull_spv_op *row = lull_spv_op(t->op);
    const struct lull_fr_type *image = t->op == SpvOpTypeSampledImage ? t->element : t;
    if (image != NULL && image->op == SpvOpTypeImage) {
        return lull_fl_refuse(f, "%s of dimension %s is not supported", row->name,
                              lull_spv_dim_name(image->image.dim));
    }
    return lull_fl_refuse(f, "%s is not supported", row != NULL ? row->name : "its type");
}

LULL_MUST_USE static struct lull_error *make(const struct lull_fl *f, const struct lull_fr_type *t,
                                             bool memory, LLVMTypeRef *ret)
{
    struct lull_error *err = NULL;
    LLVMTypeRef element = NULL;
    *ret = scalar(f, t, memory);
    if (*ret != NULL) {
        return NULL;
    }
    if (t->kind == LULL_FR_STRUCT) {
        lull_cleanup(lull_freep) LLVMTypeRef *members = calloc(t->count + 1, sizeof *members);
        if (members == NULL) {
            return &lull_enomem;
        }
        for (uint32_t i = 0; i < t->count && err == NULL; i++) {
            err = make(f, t->members[i], memory, &members[i]);
        }
        *ret = err == NULL ? LLVMStructTypeInContext(f->c, members, t->count, false) : NULL;
        return err;
    }
    if (t->kind == LULL_FR_COOPERATIVE) {
        err = check_cooperative(f, t);
        err = err != NULL ? err : make(f, t->element, memory, &element);
        *ret = err == NULL ? LLVMVectorType(element, lull_fl_cooperative_length(f, t)) : NULL;
        return err;
    }
    if (t->kind == LULL_FR_OTHER) {
        *ret = lull_fl_descriptor_type(f, t);
        if (*ret != NULL) {
            return NULL;
        }
    }
    if (t->kind != LULL_FR_VECTOR && t->kind != LULL_FR_MATRIX && t->kind != LULL_FR_ARRAY) {
        return t->kind == LULL_FR_OTHER ? refuse(f, t)
                                        : lull_fl_bad(f, "%%%u is not a type of values", t->id);
    }
    err = make(f, t->element, memory, &element);
    if (err == NULL) {
        *ret = t->kind == LULL_FR_VECTOR ? LLVMVectorType(element, t->count)
                                         : LLVMArrayType2(element, t->count);
    }
    return err;
}

struct lull_error *lull_fl_type(const struct lull_fl *f, const struct lull_fr_type *t,
                                LLVMTypeRef *ret)
{
    return make(f, t, false, ret);
}

struct lull_error *lull_fl_memory_type(const struct lull_fl *f, const struct lull_fr_type *t,
                                       LLVMTypeRef *ret)
{
    return make(f, t, true, ret);
}

bool lull_fl_is_explicit(const struct lull_fr_type *t)
{
    while (t->kind == LULL_FR_ARRAY || t->kind == LULL_FR_RUNTIME_ARRAY) {
        t = t->element;
    }
    return t->kind == LULL_FR_STRUCT && t->count != 0 && t->decor[0].offset != LULL_FR_NONE;
}

unsigned lull_fl_scalar_bytes(const struct lull_fr_type *t)
{
    const struct lull_fr_type *s = lull_fr_scalar(t);
    return s->kind == LULL_FR_INT || s->kind == LULL_FR_FLOAT ? s->bits / 8 : 4;
}

uint64_t lull_fl_explicit_size(const struct lull_fr_type *t, uint32_t matrix_stride, bool row_major)
{
    uint64_t size = 0;
    switch ((unsigned)t->kind) {
    case LULL_FR_STRUCT:
        for (uint32_t i = 0; i < t->count; i++) {
            const struct lull_fr_decor *d = &t->decor[i];
            const uint64_t end =
                (uint64_t)(d->offset != LULL_FR_NONE ? d->offset : 0) +
                lull_fl_explicit_size(t->members[i], d->matrix_stride, d->row_major);
            size = end > size ? end : size;
        }
        return size;
    case LULL_FR_ARRAY:
        return (uint64_t)t->count * t->stride;
    case LULL_FR_RUNTIME_ARRAY:
        return 0;
    case LULL_FR_MATRIX:
        return (uint64_t)matrix_stride * (row_major ? t->element->count : t->count);
    case LULL_FR_VECTOR:
        return (uint64_t)t->count * lull_fl_scalar_bytes(t);
    default:
        return t->kind == LULL_FR_POINTER ? 8 : lull_fl_scalar_bytes(t);
    }
}
