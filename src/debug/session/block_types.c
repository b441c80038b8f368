// SPDX-License-Identifier: MIT
#include "debug/session/block_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 32, BYTE_BITS = 8 };

/* A struct that was made, or is being made: pointers in it may lead to it. */
struct lull_block_struct {
    const struct lull_spirv_type *of;
    uint64_t bytes;
    const struct lull_symtype *type;
    struct lull_block_struct *next;
};

/* How a matrix lies in its struct. */
struct layout {
    uint32_t stride;
    bool row_major;
};

static const struct lull_symtype *type_of(struct lull_block_types *to,
                                          const struct lull_spirv_type *t, struct layout how,
                                          unsigned depth);

static const char *copy_of(struct lull_block_types *to, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = lull_arena_calloc(to->arena, n, 1);
    return copy != NULL ? memcpy(copy, text, n) : NULL;
}

static struct lull_symtype *new_type(struct lull_block_types *to, enum lull_symtype_kind kind,
                                     const char *name, uint64_t size)
{
    struct lull_symtype *ret = lull_arena_calloc(to->arena, 1, sizeof *ret);
    if (ret != NULL) {
        *ret = (struct lull_symtype){.kind = kind, .name = copy_of(to, name), .size = size};
    }
    return ret != NULL && ret->name != NULL ? ret : NULL;
}

/* "int", "uint64_t", "float16_t": as GLSL calls them. */
static const struct lull_symtype *number(struct lull_block_types *to,
                                         const struct lull_spirv_type *t)
{
    char name[16] = "";
    const bool real = t->kind == LULL_SPIRV_FLOAT;
    const char *sign = real || t->is_signed ? "" : "u";
    if (t->bits == 32 || (real && t->bits == 64)) {
        snprintf(name, sizeof name, "%s%s", sign,
                 !real           ? "int"
                 : t->bits == 64 ? "double"
                                 : "float");
    } else {
        snprintf(name, sizeof name, "%s%s%" PRIu32 "_t", sign, real ? "float" : "int", t->bits);
    }
    return new_type(to,
                    real           ? LULL_SYMTYPE_FLOAT
                    : t->is_signed ? LULL_SYMTYPE_SIGNED
                                   : LULL_SYMTYPE_UNSIGNED,
                    name, t->bits / BYTE_BITS);
}

/* What GLSL writes in front of "vec" and "mat". */
static const char *prefix(const struct lull_spirv_type *t)
{
    const bool real = t->kind == LULL_SPIRV_FLOAT;
    return real && t->bits == 32 ? ""
           : real                ? t->bits == 64 ? "d" : "f16"
           : t->bits == 8        ? t->is_signed ? "i8" : "u8"
           : t->bits == 16       ? t->is_signed ? "i16" : "u16"
           : t->bits == 64       ? t->is_signed ? "i64" : "u64"
           : t->is_signed        ? "i"
                                 : "u";
}

static const struct lull_symtype *vector(struct lull_block_types *to,
                                         const struct lull_spirv_type *t, uint32_t stride)
{
    char name[16] = "";
    snprintf(name, sizeof name, "%svec%" PRIu32, prefix(t->element), t->count);
    const uint64_t step = stride != 0 ? stride : t->element->bits / BYTE_BITS;
    struct lull_symtype *ret =
        new_type(to, LULL_SYMTYPE_VECTOR, name,
                 t->count == 0 ? 0 : step * (t->count - 1) + t->element->bits / BYTE_BITS);
    if (ret != NULL) {
        ret->of = number(to, t->element);
        ret->count = t->count;
        ret->stride = stride;
    }
    return ret != NULL && ret->of != NULL ? ret : NULL;
}

/* Columns, one behind the other; in rows, each column's numbers are a row apart. */
static const struct lull_symtype *matrix(struct lull_block_types *to,
                                         const struct lull_spirv_type *t, struct layout how)
{
    if (how.stride == 0) {
        return NULL;
    }
    const uint32_t rows = t->element->count;
    const uint64_t size = (uint64_t)how.stride * (how.row_major ? rows : t->count);
    struct lull_symtype *ret = new_type(to, LULL_SYMTYPE_ARRAY, "", size);
    if (ret != NULL) {
        ret->of = vector(to, t->element, how.row_major ? how.stride : 0);
        ret->count = t->count;
        ret->stride = how.row_major ? t->element->element->bits / BYTE_BITS : how.stride;
    }
    return ret != NULL && ret->of != NULL ? ret : NULL;
}

/* Elements of an array with the pipeline's constants; 0: not known. */
static uint64_t count_of(const struct lull_block_types *to, const struct lull_spirv_type *t)
{
    for (size_t i = 0;
         t->count_spec != UINT32_MAX && to->pipeline != NULL && i < to->pipeline->nspecs; i++) {
        if (to->pipeline->specs[i].id == t->count_spec) {
            return to->pipeline->specs[i].value;
        }
    }
    return t->count;
}

static const struct lull_symtype *array(struct lull_block_types *to,
                                        const struct lull_spirv_type *t, struct layout how,
                                        uint64_t count, unsigned depth)
{
    uint64_t size = 0;
    struct lull_symtype *ret =
        t->stride != 0 && !__builtin_mul_overflow(count, (uint64_t)t->stride, &size)
            ? new_type(to, LULL_SYMTYPE_ARRAY, "", size)
            : NULL;
    if (ret != NULL) {
        ret->of = type_of(to, t->element, how, depth + 1);
        ret->count = count;
        ret->stride = t->stride;
    }
    return ret != NULL && ret->of != NULL ? ret : NULL;
}

/* How many elements the runtime array that ends a buffer has. */
static uint64_t rest_of(const struct lull_spirv_member *m, uint64_t bytes)
{
    return m->type->stride != 0 && bytes > m->offset ? (bytes - m->offset) / m->type->stride : 0;
}

static const struct lull_symtype *structure(struct lull_block_types *to,
                                            const struct lull_spirv_type *t, uint64_t bytes,
                                            unsigned depth)
{
    for (const struct lull_block_struct *s = to->structs; s != NULL; s = s->next) {
        if (s->of == t && s->bytes == bytes) {
            return s->type;
        }
    }
    struct lull_block_struct *made = lull_arena_calloc(to->arena, 1, sizeof *made);
    struct lull_symtype *ret =
        new_type(to, LULL_SYMTYPE_STRUCT, t->name, bytes > t->size ? bytes : t->size);
    if (made == NULL || ret == NULL) {
        return NULL;
    }
    *made = (struct lull_block_struct){.of = t, .bytes = bytes, .type = ret, .next = to->structs};
    to->structs = made;
    ret->members = lull_arena_calloc(to->arena, t->nmembers + 1, sizeof *ret->members);
    for (size_t i = 0; ret->members != NULL && i < t->nmembers; i++) {
        const struct lull_spirv_member *m = &t->members[i];
        const struct layout how = {.stride = m->matrix_stride, .row_major = m->row_major};
        char name[24] = "";
        snprintf(name, sizeof name, "_m%zu", i);
        const struct lull_symtype *type = m->type->kind == LULL_SPIRV_RUNTIME_ARRAY
                                              ? array(to, m->type, how, rest_of(m, bytes), depth)
                                              : type_of(to, m->type, how, depth + 1);
        ret->members[i].name = copy_of(to, m->name[0] != '\0' ? m->name : name);
        ret->members[i].type = type;
        ret->members[i].offset = m->offset;
        if (m->offset == UINT32_MAX || type == NULL || ret->members[i].name == NULL) {
            to->structs = made->next; // What was made of it meanwhile goes, too.
            return NULL;
        }
    }
    ret->nmembers = ret->members != NULL ? t->nmembers : 0;
    return ret->members != NULL ? ret : NULL;
}

static const struct lull_symtype *pointer(struct lull_block_types *to,
                                          const struct lull_spirv_type *t, unsigned depth)
{
    struct lull_symtype *ret = new_type(to, LULL_SYMTYPE_POINTER, "", sizeof(uint64_t));
    if (ret != NULL) {
        const struct layout none = {0};
        ret->of = t->element != NULL ? type_of(to, t->element, none, depth + 1) : NULL;
        ret->of = ret->of != NULL ? ret->of : new_type(to, LULL_SYMTYPE_VOID, "void", 0);
    }
    return ret != NULL && ret->of != NULL ? ret : NULL;
}

static const struct lull_symtype *type_of(struct lull_block_types *to,
                                          const struct lull_spirv_type *t, struct layout how,
                                          unsigned depth)
{
    if (depth > MAX_DEPTH) {
        return NULL;
    }
    switch (t->kind) {
    case LULL_SPIRV_INT:
    case LULL_SPIRV_FLOAT:
        return number(to, t);
    case LULL_SPIRV_VECTOR:
        return vector(to, t, 0);
    case LULL_SPIRV_MATRIX:
        return matrix(to, t, how);
    case LULL_SPIRV_ARRAY:
        return array(to, t, how, count_of(to, t), depth);
    case LULL_SPIRV_RUNTIME_ARRAY:
        return array(to, t, how, 0, depth);
    case LULL_SPIRV_STRUCT:
        return structure(to, t, 0, depth);
    case LULL_SPIRV_POINTER:
        return pointer(to, t, depth);
    case LULL_SPIRV_VOID:
    case LULL_SPIRV_BOOL:
    case LULL_SPIRV_IMAGE:
    case LULL_SPIRV_SAMPLER:
    case LULL_SPIRV_SAMPLED_IMAGE:
    case LULL_SPIRV_ACCELERATION_STRUCTURE:
    case LULL_SPIRV_OTHER:
        break;
    }
    return NULL;
}

const struct lull_symtype *lull_block_type(struct lull_block_types *to,
                                           const struct lull_spirv_type *t, uint64_t bytes)
{
    return t->kind == LULL_SPIRV_STRUCT ? structure(to, t, bytes, 0) : NULL;
}
