// SPDX-License-Identifier: MIT
// Constants, and values for specialization constants.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/module_priv.h"

enum { WORD_BITS = 32 };

LULL_MUST_USE static struct lull_error *bad(const struct lull_spv_insn *in, const char *what)
{
    return lull_spv_error(LULL_ERR_BAD_DATA, in, "%s", what);
}

static bool has_parts(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_VECTOR || t->kind == LULL_FR_MATRIX || t->kind == LULL_FR_ARRAY ||
           t->kind == LULL_FR_STRUCT || t->kind == LULL_FR_COOPERATIVE;
}

static const struct lull_fr_type *part_type(const struct lull_fr_type *t, uint32_t i)
{
    return t->kind == LULL_FR_STRUCT ? t->members[i] : t->element;
}

/** A constant of @p type with all bits 0. NULL: no memory. */
static struct lull_fr_constant *zero(struct lull_fr_module *m, const struct lull_fr_type *type)
{
    struct lull_fr_constant *c = lull_arena_calloc(&m->arena, 1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->type = type;
    if (has_parts(type)) {
        c->parts = lull_arena_calloc(&m->arena, (size_t)type->count + 1, sizeof *c->parts);
        const struct lull_fr_constant *same = NULL;
        for (uint32_t i = 0; c->parts != NULL && i < type->count; i++) {
            if (same == NULL || type->kind == LULL_FR_STRUCT) {
                same = zero(m, part_type(type, i));
            }
            c->parts[i] = same;
            if (same == NULL) {
                return NULL;
            }
        }
        return c->parts != NULL ? c : NULL;
    }
    return c;
}

/** The text of --spec as bits of @p t. */
static bool spec_bits(const struct lull_fr_type *t, const char *text, uint64_t *ret)
{
    char *end = NULL;
    if (t->kind == LULL_FR_BOOL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        *ret = text[0] == 't';
        return true;
    }
    if (t->kind == LULL_FR_FLOAT) {
        const double v = strtod(text, &end);
        *ret = lull_fr_float_bits(t, v);
        return end != text && *end == '\0';
    }
    errno = 0;
    const bool negative = text[0] == '-';
    const uint64_t v = negative ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (end == text || *end != '\0' || errno != 0) {
        return false;
    }
    *ret = t->kind == LULL_FR_BOOL ? v != 0 : lull_fr_cut(t, v);
    const uint64_t high = t->bits < 64 && t->kind == LULL_FR_INT ? v >> t->bits : 0;
    return high == 0 || negative;
}

/** What the pipeline has for a specialization constant. */
LULL_MUST_USE static struct lull_error *specialize(const struct lull_fr_module *m, uint32_t id,
                                                   struct lull_fr_constant *c)
{
    const uint32_t spec = m->ids[id].decor.spec_id;
    for (size_t i = 0; i < m->nspecs && spec != LULL_FR_NONE; i++) {
        if (m->specs[i].id != spec) {
            continue;
        }
        m->specs[i].used = true;
        if (!spec_bits(c->type, m->specs[i].text, &c->bits)) {
            return lull_error_new(LULL_ERR_INVALID, "--spec %u=%s: not a value of its type", spec,
                                  m->specs[i].text);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *composite(struct lull_fr_module *m,
                                                  const struct lull_spv_insn *in,
                                                  struct lull_fr_constant *c)
{
    if (!has_parts(c->type) || c->type->count != in->n - 3) {
        return bad(in, "parts that the type has not");
    }
    c->parts = lull_arena_calloc(&m->arena, (size_t)c->type->count + 1, sizeof *c->parts);
    if (c->parts == NULL) {
        return &lull_enomem;
    }
    for (uint32_t i = 0; i < c->type->count; i++) {
        c->parts[i] = lull_fr_constant_of(m, in->w[i + 3]);
        if (c->parts[i] == NULL || c->parts[i]->type != part_type(c->type, i)) {
            return bad(in, "a part that is not a constant of the part's type");
        }
    }
    return NULL;
}

/** All parts are the one that the instruction has. */
LULL_MUST_USE static struct lull_error *replicate(struct lull_fr_module *m,
                                                  const struct lull_spv_insn *in,
                                                  struct lull_fr_constant *c)
{
    const struct lull_fr_constant *part = lull_fr_constant_of(m, in->w[3]);
    if (!has_parts(c->type) || part == NULL) {
        return bad(in, "parts that the type has not");
    }
    c->parts = lull_arena_calloc(&m->arena, (size_t)c->type->count + 1, sizeof *c->parts);
    if (c->parts == NULL) {
        return &lull_enomem;
    }
    for (uint32_t i = 0; i < c->type->count; i++) {
        c->parts[i] = part;
        if (part->type != part_type(c->type, i)) {
            return bad(in, "a part that is not a constant of the part's type");
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *scalar(const struct lull_fr_module *m,
                                               const struct lull_spv_insn *in,
                                               struct lull_fr_constant *c)
{
    const bool truth = in->op == SpvOpConstantTrue || in->op == SpvOpConstantFalse ||
                       in->op == SpvOpSpecConstantTrue || in->op == SpvOpSpecConstantFalse;
    if (truth != (c->type->kind == LULL_FR_BOOL)) {
        return bad(in, "a value that the type has not");
    }
    if (truth) {
        c->bits = in->op == SpvOpConstantTrue || in->op == SpvOpSpecConstantTrue;
    } else { // lull_spv_check(): a number, and its words are there
        c->bits = in->w[3] | (in->n > 4 ? (uint64_t)in->w[4] << WORD_BITS : 0);
        c->bits = lull_fr_cut(c->type, c->bits);
    }
    return specialize(m, in->w[2], c);
}

LULL_MUST_USE static struct lull_error *value(struct lull_fr_module *m,
                                              const struct lull_spv_insn *in,
                                              const struct lull_fr_type *type,
                                              const struct lull_fr_constant **ret)
{
    struct lull_fr_constant *c = NULL;
    struct lull_error *err = NULL;
    if (in->op == SpvOpSpecConstantOp) {
        return lull_fr_fold(m, in, ret);
    }
    if (in->op == SpvOpConstantNull || in->op == SpvOpUndef) {
        c = zero(m, type);
    } else {
        c = lull_arena_calloc(&m->arena, 1, sizeof *c);
    }
    if (c == NULL) {
        return &lull_enomem;
    }
    *ret = c;
    c->type = type;
    c->undefined = in->op == SpvOpUndef;
    c->null = in->op == SpvOpConstantNull;
    if (in->op == SpvOpConstantComposite || in->op == SpvOpSpecConstantComposite) {
        err = composite(m, in, c);
    } else if (strstr(lull_spv_op(in->op)->name, "CompositeReplicate") != NULL) {
        err = replicate(m, in, c);
    } else if (in->op != SpvOpConstantNull && in->op != SpvOpUndef) {
        err = scalar(m, in, c);
    }
    return err;
}

struct lull_error *lull_fr_add_constant(struct lull_fr_module *m, const struct lull_spv_insn *in)
{
    const struct lull_fr_type *type = lull_fr_type_of(m, in->w[1]);
    if (type == NULL || type->kind == LULL_FR_NO_TYPE || type->kind == LULL_FR_VOID ||
        type->kind == LULL_FR_FUNCTION) {
        return bad(in, "a type that a constant cannot have");
    }
    if (type->scalars > LULL_FR_MAX_SCALARS) {
        return lull_spv_error(LULL_ERR_UNSUPPORTED, in, "a constant of %llu numbers",
                              (unsigned long long)type->scalars);
    }
    const struct lull_fr_constant *c = NULL;
    struct lull_error *err = value(m, in, type, &c);
    if (err == NULL) {
        m->ids[in->w[2]].constant = c;
    }
    return err;
}
