// SPDX-License-Identifier: MIT
// OpSpecConstantOp: constants computed from constants.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/module_priv.h"

enum { FIRST = 4, MAX_OPERANDS = 3 };

LULL_MUST_USE static struct lull_error *bad(const struct lull_spv_insn *in, const char *what)
{
    const struct lull_spv_op *row = lull_spv_op(lull_spv_word(in, 3));
    return lull_spv_error(LULL_ERR_BAD_DATA, in, "%s: %s", row != NULL ? row->name : "?", what);
}

/** A number of the operands' numbers. */
LULL_MUST_USE static struct lull_error *scalar(struct lull_fr_module *m,
                                               const struct lull_spv_insn *in, uint32_t n,
                                               const struct lull_fr_constant *const c[],
                                               struct lull_fr_constant *ret)
{
    const uint32_t op = in->w[3];
    const struct lull_fr_type *t = n != 0 ? c[0]->type : NULL;
    uint64_t v[MAX_OPERANDS] = {0};
    bool numbers = n != 0;
    for (uint32_t i = 0; i < n; i++) {
        numbers &= c[i]->type->kind == LULL_FR_INT || c[i]->type->kind == LULL_FR_BOOL;
        v[i] = c[i]->bits;
    }
    const bool whole = numbers && t->kind == LULL_FR_INT && ret->type->kind == LULL_FR_INT;
    const bool truth = numbers && ret->type->kind == LULL_FR_BOOL;
    const bool two = n == 2 && c[0]->type->kind == c[1]->type->kind;
    bool ok = (two && whole && lull_fr_integers(op, t, v, &ret->bits)) ||
              (two && truth && lull_fr_compare(op, t, v, &ret->bits)) ||
              (n == 1 && (whole || (truth && op == SpvOpLogicalNot)) &&
               lull_fr_integer(op, t, v[0], &ret->bits));
    if (op == SpvOpSelect && n == 3 && t->kind == LULL_FR_BOOL && c[1]->type == ret->type &&
        c[2]->type == ret->type) {
        ret->bits = c[v[0] != 0 ? 1 : 2]->bits;
        ok = true;
    }
    ret->bits = lull_fr_cut(ret->type, ret->bits);
    (void)m;
    return ok ? NULL
              : lull_spv_error(LULL_ERR_UNSUPPORTED, in, "%s of constants of these types",
                               lull_spv_op(op)->name);
}

/** One number for each part of a vector. */
LULL_MUST_USE static struct lull_error *vector(struct lull_fr_module *m,
                                               const struct lull_spv_insn *in, uint32_t n,
                                               const struct lull_fr_constant *const c[],
                                               struct lull_fr_constant *ret)
{
    for (uint32_t i = 0; i < n; i++) {
        const bool whole = in->w[3] == SpvOpSelect && i == 0 && c[i]->parts == NULL;
        if (!whole &&
            (c[i]->type->kind != LULL_FR_VECTOR || c[i]->type->count != ret->type->count)) {
            return bad(in, "vectors of different sizes");
        }
    }
    ret->parts = lull_arena_calloc(&m->arena, ret->type->count, sizeof *ret->parts);
    struct lull_fr_constant *all = lull_arena_calloc(&m->arena, ret->type->count, sizeof *all);
    if (ret->parts == NULL || all == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = NULL;
    for (uint32_t k = 0; k < ret->type->count && err == NULL; k++) {
        const struct lull_fr_constant *part[MAX_OPERANDS] = {0};
        for (uint32_t i = 0; i < n; i++) {
            part[i] = c[i]->parts != NULL ? c[i]->parts[k] : c[i];
        }
        all[k].type = ret->type->element;
        ret->parts[k] = &all[k];
        err = scalar(m, in, n, part, &all[k]);
    }
    return err;
}

/** The part that the words from @p at on name. */
LULL_MUST_USE static struct lull_error *extract(const struct lull_fr_module *m,
                                                const struct lull_spv_insn *in,
                                                const struct lull_fr_constant **ret)
{
    const struct lull_fr_constant *c = lull_fr_constant_of(m, lull_spv_word(in, FIRST));
    for (uint32_t i = FIRST + 1; c != NULL && i < in->n; i++) {
        if (c->parts == NULL || in->w[i] >= c->type->count) {
            return bad(in, "a part that there is not");
        }
        c = c->parts[in->w[i]];
    }
    if (c == NULL || c->type != lull_fr_type_of(m, in->w[1])) {
        return bad(in, "not of the result's type");
    }
    *ret = c;
    return NULL;
}

/** @p into with another constant at the place that the words from @p i on name. */
LULL_MUST_USE static struct lull_error *insert(struct lull_fr_module *m,
                                               const struct lull_spv_insn *in, uint32_t i,
                                               const struct lull_fr_constant *into,
                                               const struct lull_fr_constant **ret)
{
    struct lull_fr_constant *copy = NULL;
    for (const struct lull_fr_constant **at = ret; i <= in->n; i++) {
        if (i == in->n) {
            *at = lull_fr_constant_of(m, in->w[FIRST]);
            return *at != NULL && (*at)->type == into->type ? NULL
                                                            : bad(in, "not of the part's type");
        }
        if (into->parts == NULL || in->w[i] >= into->type->count) {
            return bad(in, "a part that there is not");
        }
        copy = lull_arena_calloc(&m->arena, 1, sizeof *copy);
        const struct lull_fr_constant **parts =
            lull_arena_calloc(&m->arena, into->type->count, sizeof *parts);
        if (copy == NULL || parts == NULL) {
            return &lull_enomem;
        }
        *copy = *into;
        memcpy(parts, into->parts, into->type->count * sizeof(const void *));
        copy->parts = parts;
        *at = copy;
        at = &parts[in->w[i]];
        into = *at;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *shuffle(struct lull_fr_module *m,
                                                const struct lull_spv_insn *in,
                                                struct lull_fr_constant *ret)
{
    const struct lull_fr_constant *a = lull_fr_constant_of(m, lull_spv_word(in, FIRST));
    const struct lull_fr_constant *b = lull_fr_constant_of(m, lull_spv_word(in, FIRST + 1));
    bool ok = a != NULL && b != NULL && a->type->kind == LULL_FR_VECTOR &&
              b->type->kind == LULL_FR_VECTOR && ret->type->kind == LULL_FR_VECTOR &&
              in->n == FIRST + 2 + ret->type->count;
    ret->parts = ok ? lull_arena_calloc(&m->arena, ret->type->count, sizeof *ret->parts) : NULL;
    for (uint32_t i = 0; ok && ret->parts != NULL && i < ret->type->count; i++) {
        const uint32_t k = in->w[FIRST + 2 + i] == UINT32_MAX ? 0 : in->w[FIRST + 2 + i];
        ok = k < (uint64_t)a->type->count + b->type->count;
        ret->parts[i] = !ok                  ? NULL
                        : k < a->type->count ? a->parts[k]
                                             : b->parts[k - a->type->count];
        ok = ok && ret->parts[i]->type == ret->type->element;
    }
    return !ok ? bad(in, "vectors that do not fit") : ret->parts == NULL ? &lull_enomem : NULL;
}

struct lull_error *lull_fr_fold(struct lull_fr_module *m, const struct lull_spv_insn *in,
                                const struct lull_fr_constant **ret)
{
    const struct lull_fr_type *type = lull_fr_type_of(m, in->w[1]);
    const struct lull_fr_constant *c[MAX_OPERANDS] = {0};
    const uint32_t op = in->w[3], n = in->n - FIRST;
    if (lull_spv_op(op) == NULL) {
        return bad(in, "an instruction that there is not");
    }
    if (op == SpvOpCompositeExtract) {
        return extract(m, in, ret);
    }
    if (op == SpvOpCompositeInsert) {
        const struct lull_fr_constant *into = lull_fr_constant_of(m, lull_spv_word(in, FIRST + 1));
        return into == NULL || into->type != type ? bad(in, "not of the result's type")
                                                  : insert(m, in, FIRST + 2, into, ret);
    }
    struct lull_fr_constant *made = lull_arena_calloc(&m->arena, 1, sizeof *made);
    if (made == NULL) {
        return &lull_enomem;
    }
    *ret = made;
    made->type = type;
    if (op == SpvOpVectorShuffle) {
        return shuffle(m, in, made);
    }
    for (uint32_t i = 0; i < n && i < MAX_OPERANDS; i++) {
        c[i] = lull_fr_constant_of(m, in->w[FIRST + i]);
        if (c[i] == NULL) {
            return bad(in, "an operand that is not a constant");
        }
    }
    if (n == 0 || n > MAX_OPERANDS) {
        return bad(in, "too few or too many operands");
    }
    return type->kind == LULL_FR_VECTOR ? vector(m, in, n, c, made) : scalar(m, in, n, c, made);
}
