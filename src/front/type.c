// SPDX-License-Identifier: MIT
// Types.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/module_priv.h"

enum { MAX_VECTOR = 16, MAX_BITS = 64, MAX_COLUMNS = 4 };

const struct lull_fr_decor lull_fr_no_decor = {
    .set = LULL_FR_NONE,
    .binding = LULL_FR_NONE,
    .spec_id = LULL_FR_NONE,
    .builtin = LULL_FR_NONE,
    .offset = LULL_FR_NONE,
    .rounding = LULL_FR_NONE,
    .location = LULL_FR_NONE,
};

LULL_MUST_USE static struct lull_error *bad(const struct lull_spv_insn *in, const char *what)
{
    return lull_spv_error(LULL_ERR_BAD_DATA, in, "%s", what);
}

/** The type that word @p i names. Pointers may name one that comes later. */
LULL_MUST_USE static struct lull_error *operand(const struct lull_fr_module *m,
                                                const struct lull_spv_insn *in, uint32_t i,
                                                const struct lull_fr_type **ret)
{
    *ret = lull_fr_type_of(m, lull_spv_word(in, i));
    return *ret != NULL && (*ret)->kind != LULL_FR_NO_TYPE
               ? NULL
               : lull_spv_error(LULL_ERR_BAD_DATA, in, "%%%u is not a type that stands before",
                                lull_spv_word(in, i));
}

LULL_MUST_USE static struct lull_error *number(const struct lull_spv_insn *in,
                                               struct lull_fr_type *t)
{
    t->kind = in->op == SpvOpTypeInt ? LULL_FR_INT : LULL_FR_FLOAT;
    t->bits = in->w[2];
    t->is_signed = in->op == SpvOpTypeInt && in->w[3] != 0;
    t->scalars = 1;
    if (in->op == SpvOpTypeFloat && in->n > 3) {
        t->brain = in->w[3] == 0 && t->bits == 16; // FPEncoding: BFloat16KHR
        return t->brain ? NULL
                        : lull_spv_error(LULL_ERR_UNSUPPORTED, in, "%u bits of FPEncoding %u",
                                         t->bits, in->w[3]);
    }
    const bool ok = t->bits == 16 || t->bits == 32 || t->bits == MAX_BITS ||
                    (t->bits == 8 && in->op == SpvOpTypeInt);
    return ok ? NULL : lull_spv_error(LULL_ERR_UNSUPPORTED, in, "%u bits", t->bits);
}

/** Vector, matrix, array. */
LULL_MUST_USE static struct lull_error *repeated(const struct lull_fr_module *m,
                                                 const struct lull_spv_insn *in,
                                                 struct lull_fr_type *t)
{
    const struct lull_fr_constant *length = NULL;
    struct lull_error *err = operand(m, in, 2, &t->element);
    if (err != NULL) {
        return err;
    }
    const enum lull_fr_kind e = t->element->kind;
    bool ok = e != LULL_FR_VOID && e != LULL_FR_FUNCTION && e != LULL_FR_RUNTIME_ARRAY;
    t->count = in->op == SpvOpTypeRuntimeArray ? 1 : in->w[3];
    switch (in->op) {
    case SpvOpTypeVector:
        t->kind = LULL_FR_VECTOR;
        ok = (e == LULL_FR_INT || e == LULL_FR_FLOAT || e == LULL_FR_BOOL) && t->count >= 2 &&
             t->count <= MAX_VECTOR;
        break;
    case SpvOpTypeMatrix:
        t->kind = LULL_FR_MATRIX;
        ok = e == LULL_FR_VECTOR && t->element->element->kind == LULL_FR_FLOAT && t->count >= 2 &&
             t->count <= MAX_COLUMNS && t->element->count <= MAX_COLUMNS;
        break;
    case SpvOpTypeArray:
        t->kind = LULL_FR_ARRAY;
        length = lull_fr_constant_of(m, in->w[3]);
        if (length != NULL && length->parts == NULL && length->bits == 0) {
            return bad(in, "an array of no elements; are specialization constants missing?");
        }
        ok = ok && length != NULL && length->type->kind == LULL_FR_INT && length->bits != 0 &&
             length->bits < UINT32_MAX && length->parts == NULL;
        t->count = ok ? (uint32_t)length->bits : 0;
        break;
    default:
        t->kind = LULL_FR_RUNTIME_ARRAY;
        break;
    }
    t->cooperates = t->element->cooperates;
    t->stride = m->ids[t->id].decor.array_stride;
    t->depth = t->element->depth + 1;
    t->scalars = t->element->scalars * t->count; // both below 2^32
    return ok ? NULL : bad(in, "a type that cannot be");
}

LULL_MUST_USE static struct lull_error *members(struct lull_fr_module *m,
                                                const struct lull_spv_insn *in, uint32_t first,
                                                struct lull_fr_type *t)
{
    t->count = in->n - first;
    t->members = lull_arena_calloc(&m->arena, (size_t)t->count + 1, sizeof *t->members);
    struct lull_fr_decor *d = lull_arena_calloc(&m->arena, (size_t)t->count + 1, sizeof *d);
    t->names = lull_arena_calloc(&m->arena, (size_t)t->count + 1, sizeof *t->names);
    if (t->members == NULL || d == NULL || t->names == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = NULL;
    for (uint32_t i = 0; i < t->count && err == NULL; i++) {
        d[i] = lull_fr_no_decor;
        err = operand(m, in, first + i, &t->members[i]);
        if (err == NULL &&
            (t->members[i]->kind == LULL_FR_VOID || t->members[i]->kind == LULL_FR_FUNCTION)) {
            err = bad(in, "a member that cannot be");
        }
        if (err == NULL) {
            t->scalars += t->members[i]->scalars;
            t->cooperates |= t->members[i]->cooperates;
            t->depth = t->members[i]->depth >= t->depth ? t->members[i]->depth + 1 : t->depth;
        }
    }
    for (const struct lull_fr_member_decor *o = m->ids[t->id].members; o != NULL; o = o->next) {
        if (o->index < t->count) {
            d[o->index] = o->decor;
        }
    }
    for (const struct lull_fr_member_name *n = m->ids[t->id].member_names; n != NULL; n = n->next) {
        if (n->index < t->count) {
            t->names[n->index] = n->text;
        }
    }
    t->decor = d;
    return err;
}

LULL_MUST_USE static struct lull_error *pointer(struct lull_fr_module *m,
                                                const struct lull_spv_insn *in,
                                                struct lull_fr_type *t)
{
    struct lull_fr_id *to = &m->ids[in->w[3]];
    t->kind = LULL_FR_POINTER;
    t->storage = in->w[2];
    t->scalars = 1;
    t->stride = m->ids[t->id].decor.array_stride;
    if (to->type == NULL) { // by OpTypeForwardPointer; filled in when it comes
        to->type = lull_arena_calloc(&m->arena, 1, sizeof *to->type);
        if (to->type == NULL) {
            return &lull_enomem;
        }
        to->type->id = in->w[3];
    }
    t->element = to->type;
    return NULL;
}

/** A pointer that structs may have before the struct that it points to is known. */
static void forward(const struct lull_fr_module *m, const struct lull_spv_insn *in,
                    struct lull_fr_type *t)
{
    const struct lull_fr_type *known = m->ids[t->id].type;
    if (known != NULL && known->kind == LULL_FR_POINTER) {
        *t = *known;
        return;
    }
    t->kind = LULL_FR_POINTER;
    t->storage = in->w[2];
    t->scalars = 1;
}

LULL_MUST_USE static struct lull_error *image(const struct lull_fr_module *m,
                                              const struct lull_spv_insn *in,
                                              struct lull_fr_type *t)
{
    struct lull_error *err = operand(m, in, 2, &t->element);
    t->kind = LULL_FR_OTHER;
    t->op = in->op;
    if (err != NULL) {
        return err;
    }
    if (in->op == SpvOpTypeSampledImage) {
        return t->element->op == SpvOpTypeImage ? NULL : bad(in, "not of an image");
    }
    t->image = (struct lull_fr_image){.dim = in->w[3],
                                      .arrayed = in->w[5] != 0,
                                      .multisampled = in->w[6] != 0,
                                      .sampled = in->w[7],
                                      .format = in->w[8]};
    const enum lull_fr_kind e = t->element->kind;
    return e == LULL_FR_INT || e == LULL_FR_FLOAT || e == LULL_FR_VOID
               ? NULL
               : bad(in, "an image of what is not a number");
}

/** A number of a cooperative matrix' type, which may be a specialization constant. */
LULL_MUST_USE static struct lull_error *said(const struct lull_fr_module *m,
                                             const struct lull_spv_insn *in, uint32_t i,
                                             uint32_t *ret)
{
    const struct lull_fr_constant *c = lull_fr_constant_of(m, in->w[i]);
    if (c == NULL || c->type->kind != LULL_FR_INT || c->undefined || c->bits > UINT32_MAX) {
        return lull_spv_error(LULL_ERR_BAD_DATA, in, "%%%u is not an integer constant", in->w[i]);
    }
    *ret = (uint32_t)c->bits;
    return NULL;
}

LULL_MUST_USE static struct lull_error *cooperative(const struct lull_fr_module *m,
                                                    const struct lull_spv_insn *in,
                                                    struct lull_fr_type *t)
{
    enum { MOST = 16, USES = 3 };
    struct lull_fr_cooperative *c = &t->cooperative;
    struct lull_error *err = operand(m, in, 2, &t->element);
    err = err != NULL ? err : said(m, in, 3, &c->scope);
    err = err != NULL ? err : said(m, in, 4, &c->rows);
    err = err != NULL ? err : said(m, in, 5, &c->columns);
    err = err != NULL ? err : said(m, in, 6, &c->use);
    if (err != NULL) {
        return err;
    }
    t->kind = LULL_FR_COOPERATIVE;
    t->cooperates = true;
    t->count = 1;
    t->scalars = MOST; // of a lane
    t->depth = 1;
    const enum lull_fr_kind e = t->element->kind;
    return (e == LULL_FR_INT || e == LULL_FR_FLOAT) && c->use < USES
               ? NULL
               : bad(in, "a type that cannot be");
}

LULL_MUST_USE static struct lull_error *fill(struct lull_fr_module *m,
                                             const struct lull_spv_insn *in, struct lull_fr_type *t)
{
    struct lull_error *err = NULL;
    switch (in->op) {
    case SpvOpTypeVoid:
        t->kind = LULL_FR_VOID;
        return NULL;
    case SpvOpTypeBool:
        t->kind = LULL_FR_BOOL;
        t->scalars = 1;
        return NULL;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return number(in, t);
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        return repeated(m, in, t);
    case SpvOpTypeStruct:
        t->kind = LULL_FR_STRUCT;
        t->block = m->ids[t->id].decor.block;
        t->buffer_block = m->ids[t->id].decor.buffer_block;
        return members(m, in, 2, t);
    case SpvOpTypePointer:
        return pointer(m, in, t);
    case SpvOpTypeForwardPointer:
        forward(m, in, t);
        return NULL;
    case SpvOpTypeFunction:
        err = operand(m, in, 2, &t->element);
        err = err != NULL ? err : members(m, in, 3, t);
        t->kind = LULL_FR_FUNCTION;
        return err;
    case SpvOpTypeImage:
    case SpvOpTypeSampledImage:
        return image(m, in, t);
    default:
        if (strcmp(lull_spv_op(in->op)->name, "OpTypeCooperativeMatrixKHR") == 0) {
            return cooperative(m, in, t);
        }
        t->kind = LULL_FR_OTHER;
        t->op = in->op;
        return NULL;
    }
}

struct lull_error *lull_fr_add_type(struct lull_fr_module *m, const struct lull_spv_insn *in)
{
    struct lull_fr_id *id = &m->ids[in->w[1]];
    struct lull_fr_type t = {.id = in->w[1]};
    struct lull_error *err = fill(m, in, &t);
    if (err == NULL && (t.depth > LULL_FR_MAX_DEPTH || t.scalars > UINT32_MAX)) {
        err = lull_spv_error(LULL_ERR_UNSUPPORTED, in, "a type of %llu numbers, nested %u deep",
                             (unsigned long long)t.scalars, t.depth);
    }
    if (err != NULL) {
        return err;
    }
    if (id->type == NULL) {
        id->type = lull_arena_calloc(&m->arena, 1, sizeof *id->type);
    }
    if (id->type == NULL) {
        return &lull_enomem;
    }
    *id->type = t;
    return NULL;
}
