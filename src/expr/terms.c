// SPDX-License-Identifier: MIT
// Conditions as relations of registers to numbers.
#include "expr/tree.h"

/** What is written down so far. */
struct terms {
    const struct lull_expr_scope *scope;
    struct lull_expr_term *all;
    size_t n;
};

static struct lull_expr_term *add(struct terms *t, enum lull_expr_term_kind kind)
{
    static struct lull_expr_term none;
    struct lull_expr_term *one = t->n < LULL_EXPR_TERMS ? &t->all[t->n] : &none;
    t->n++;
    *one = (struct lull_expr_term){.kind = kind};
    return one;
}

/** A whole number, perhaps with a sign in front. */
static bool is_number(const struct lull_expr_node *n, struct lull_ctype *ret_type, uint64_t *ret)
{
    const bool minus = n->op == LULL_EXPR_MINUS;
    const struct lull_expr_node *number = minus ? n->a : n;
    if (number->op != LULL_EXPR_NUMBER || number->type.stars != 0 ||
        lull_ctype_is_float(number->type)) {
        return false;
    }
    *ret_type = lull_ctype_promote(number->type);
    *ret = minus ? -number->number : number->number;
    return true;
}

/** A ref of 32 bits that is no float, or such a lane of one, or view of it. */
static bool is_ref(const struct terms *t, const struct lull_expr_node *n,
                   struct lull_ctype *ret_type, struct lull_expr_term *ret)
{
    struct lull_ctype type = {0};
    uint64_t lane = 0;
    if (n->op == LULL_EXPR_INDEX && is_number(n->b, &type, &lane) && lane < LULL_VALUE_LANES) {
        ret->one_lane = true;
        ret->lane = (uint32_t)lane;
        n = n->a;
    }
    const struct lull_expr_node *view = n->op == LULL_EXPR_VIEW ? n : NULL;
    n = view != NULL ? view->a : n;
    struct lull_value v = {0};
    struct lull_error *err =
        n->op == LULL_EXPR_REF ? t->scope->read(t->scope->ctx, n->ref, true, &v) : NULL;
    const bool good = n->op == LULL_EXPR_REF && err == NULL && v.type.stars == 0;
    lull_error_free(err);
    *ret_type = view != NULL ? view->type : v.type;
    ret->ref = n->ref;
    return good && lull_ctype_bits(v.type) == 32 && lull_ctype_bits(*ret_type) == 32 &&
           ret_type->stars == 0 &&
           (ret_type->kind == LULL_CTYPE_SIGNED || ret_type->kind == LULL_CTYPE_UNSIGNED) &&
           (!ret->one_lane || v.lanes > 1);
}

/** As it is with its operands exchanged. */
static enum lull_expr_term_kind turned(enum lull_expr_term_kind k)
{
    return k == LULL_TERM_LESS       ? LULL_TERM_GREATER
           : k == LULL_TERM_GREATER  ? LULL_TERM_LESS
           : k == LULL_TERM_AT_MOST  ? LULL_TERM_AT_LEAST
           : k == LULL_TERM_AT_LEAST ? LULL_TERM_AT_MOST
                                     : k;
}

static void add_relation(struct terms *t, enum lull_expr_term_kind kind,
                         const struct lull_expr_node *n)
{
    struct lull_ctype a = {0}, b = {0};
    struct lull_expr_term one = {.kind = kind};
    uint64_t number = 0;
    bool good = is_ref(t, n->a, &a, &one) && is_number(n->b, &b, &number);
    if (!good) {
        one = (struct lull_expr_term){.kind = turned(kind)};
        good = is_ref(t, n->b, &a, &one) && is_number(n->a, &b, &number);
    }
    const struct lull_ctype common = lull_ctype_common(a, b);
    if (!good || lull_ctype_bits(common) != 32) {
        (void)add(t, LULL_TERM_ANY);
        return;
    }
    one.is_signed = lull_ctype_is_signed(common);
    one.number = (uint32_t)number;
    *add(t, one.kind) = one;
}

static void add_node(struct terms *t, const struct lull_expr_node *n)
{
    static const enum lull_expr_term_kind kinds[] = {
        [LULL_EXPR_LESS] = LULL_TERM_LESS,       [LULL_EXPR_GREATER] = LULL_TERM_GREATER,
        [LULL_EXPR_AT_MOST] = LULL_TERM_AT_MOST, [LULL_EXPR_AT_LEAST] = LULL_TERM_AT_LEAST,
        [LULL_EXPR_EQUAL] = LULL_TERM_EQUAL,     [LULL_EXPR_DIFFERENT] = LULL_TERM_DIFFERENT,
        [LULL_EXPR_LOGICAL_AND] = LULL_TERM_AND, [LULL_EXPR_LOGICAL_OR] = LULL_TERM_OR,
        [LULL_EXPR_SELECT] = LULL_TERM_ANY,
    };
    const enum lull_expr_term_kind kind = kinds[n->op];
    if (kind == LULL_TERM_AND || kind == LULL_TERM_OR) {
        add_node(t, n->a);
        add_node(t, n->b);
        (void)add(t, kind);
    } else if (kind != LULL_TERM_ANY) {
        add_relation(t, kind, n);
    } else {
        (void)add(t, LULL_TERM_ANY);
    }
}

size_t lull_expr_terms(const struct lull_expr_scope *scope, const struct lull_expr *e,
                       struct lull_expr_term ret[LULL_EXPR_TERMS])
{
    struct terms t = {.scope = scope, .all = ret};
    add_node(&t, e->root);
    return t.n <= LULL_EXPR_TERMS ? t.n : 0;
}
