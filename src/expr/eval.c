// SPDX-License-Identifier: MIT
// From the tree to a value. A mask says which lanes are wanted: of those that an operator leaves
// out, nothing is computed or read. With no lanes the types are worked out, and nothing else.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "expr/tree.h"

/* A value of one number goes with every lane. */
static uint64_t lane_of(const struct lull_value *v, unsigned i)
{
    return v->v[v->lanes == 1 ? 0 : i];
}

static bool valid_in(const struct lull_value *v, unsigned i)
{
    return (v->valid >> (v->lanes == 1 ? 0 : i) & 1) != 0;
}

static bool wanted(uint64_t mask, unsigned lanes, unsigned i)
{
    return lanes == 1 ? mask != 0 : (mask >> i & 1) != 0;
}

/* Lanes that are not 0, of all of them: with one number all or none. */
static uint64_t truth(const struct lull_value *v)
{
    struct lull_value all = *v;
    all.active = UINT64_MAX;
    const uint64_t lanes = lull_value_truth(&all);
    return v->lanes == 1 && lanes != 0 ? UINT64_MAX : lanes;
}

/* Lanes of an operator's value, from those of its operands. */
static struct lull_value shape(struct lull_ctype type, const struct lull_value *a,
                               const struct lull_value *b)
{
    const struct lull_value *most = a->lanes >= b->lanes ? a : b;
    return (struct lull_value){.type = type, .lanes = most->lanes, .active = most->active};
}

LULL_NEW_ERROR static struct lull_error *not_for(enum lull_expr_op op, const char *what,
                                                 struct lull_ctype type)
{
    struct lull_str name = {0};
    lull_ctype_show(type, &name);
    struct lull_error *err = lull_error_new(LULL_ERR_INVALID, "'%s' takes %s, not %s",
                                            lull_expr_token(op), what, lull_str_text(&name));
    lull_str_free(&name);
    return err;
}

LULL_NEW_ERROR static struct lull_error *refused(enum lull_arith why, struct lull_ctype t,
                                                 uint64_t b, unsigned lanes, unsigned lane)
{
    struct lull_error *err =
        why == LULL_ARITH_BY_ZERO
            ? lull_error_new(LULL_ERR_INVALID, "division by zero")
            : lull_error_new(LULL_ERR_INVALID,
                             "shift by %" PRId64 ": a number of %u bits is shifted by 0 to %u",
                             (int64_t)b, lull_ctype_bits(t), lull_ctype_bits(t) - 1);
    err = lanes > 1 ? lull_error_in(err, "lane %u", lane) : err;
    return err != NULL ? err : &lull_enomem;
}

/* What lane i lacks is an error if the lane is active. */
LULL_MUST_USE static struct lull_error *missing(struct lull_value *v, unsigned i,
                                                struct lull_error *err)
{
    if ((v->active >> i & 1) != 0) {
        return err;
    }
    lull_error_free(err);
    return NULL;
}

LULL_MUST_USE static struct lull_error *by_lanes(enum lull_expr_op op, struct lull_ctype t,
                                                 const struct lull_value *a,
                                                 const struct lull_value *b, uint64_t mask,
                                                 struct lull_value *ret)
{
    const bool shift = op == LULL_EXPR_SHL || op == LULL_EXPR_SHR;
    const struct lull_ctype tb = shift ? lull_ctype_i64 : t;
    for (unsigned i = 0; i < ret->lanes; i++) {
        if (!wanted(mask, ret->lanes, i) || !valid_in(a, i) || !valid_in(b, i)) {
            continue;
        }
        const uint64_t x = lull_value_convert(a->type, lane_of(a, i), t);
        const uint64_t y = lull_value_convert(b->type, lane_of(b, i), tb);
        const enum lull_arith r = lull_arith_binary(op, t, x, y, &ret->v[i]);
        struct lull_error *err =
            r == LULL_ARITH_GOOD ? NULL : missing(ret, i, refused(r, t, y, ret->lanes, i));
        if (err != NULL) {
            return err;
        }
        ret->valid |= (uint64_t)(r == LULL_ARITH_GOOD) << i;
    }
    return NULL;
}

static bool is_integer(struct lull_ctype t)
{
    return t.stars == 0 && t.kind != LULL_CTYPE_FLOAT;
}

static bool is_comparison(enum lull_expr_op op)
{
    return op >= LULL_EXPR_LESS && op <= LULL_EXPR_DIFFERENT;
}

/* Bytes of what a pointer leads to; void counts bytes. */
static uint64_t step_of(struct lull_ctype pointer)
{
    const struct lull_ctype to = lull_ctype_pointee(pointer);
    const struct lull_symtype *of = lull_ctype_source(to);
    const uint64_t bytes = of != NULL ? of->size : lull_ctype_bits(to) / 8;
    return bytes != 0 && bytes <= INT64_MAX ? bytes : 1;
}

/* All lanes of @p v times @p factor, or divided by -factor, as an i64. */
static void scale(struct lull_value *v, int64_t factor)
{
    for (unsigned i = 0; i < v->lanes; i++) {
        const int64_t n = (int64_t)lull_value_convert(v->type, v->v[i], lull_ctype_i64);
        v->v[i] = (uint64_t)(factor < 0 ? n / -factor : (int64_t)((uint64_t)n * (uint64_t)factor));
    }
    v->type = lull_ctype_i64;
}

/* +, - and comparisons with pointers. */
LULL_MUST_USE static struct lull_error *with_pointers(enum lull_expr_op op, struct lull_value *a,
                                                      struct lull_value *b, uint64_t mask,
                                                      struct lull_value *ret)
{
    const bool pa = a->type.stars != 0, pb = b->type.stars != 0;
    const struct lull_ctype type = pa ? a->type : b->type;
    const bool difference = op == LULL_EXPR_SUB && pa && pb;
    const bool moved = (op == LULL_EXPR_ADD && pa != pb) || (op == LULL_EXPR_SUB && pa && !pb);
    if ((!pa && !is_integer(a->type)) || (!pb && !is_integer(b->type)) ||
        (!is_comparison(op) && !difference && !moved)) {
        return not_for(op, "numbers", type);
    }
    if (difference && step_of(a->type) != step_of(b->type)) {
        return not_for(op, "pointers to one type", b->type);
    }
    if (moved) {
        scale(pa ? b : a, (int64_t)step_of(type));
    }
    *ret = shape(moved ? type : is_comparison(op) ? lull_ctype_int : lull_ctype_i64, a, b);
    struct lull_error *err = by_lanes(op, lull_ctype_u64, a, b, mask, ret);
    if (err == NULL && difference) {
        scale(ret, -(int64_t)step_of(type));
    }
    return err;
}

/* Of values that are there already. */
LULL_MUST_USE static struct lull_error *combine(enum lull_expr_op op, struct lull_value *a,
                                                struct lull_value *b, uint64_t mask,
                                                struct lull_value *ret)
{
    if (a->type.stars != 0 || b->type.stars != 0) {
        return with_pointers(op, a, b, mask, ret);
    }
    const bool shift = op == LULL_EXPR_SHL || op == LULL_EXPR_SHR;
    const bool integers = shift || op == LULL_EXPR_MOD || op == LULL_EXPR_AND ||
                          op == LULL_EXPR_XOR || op == LULL_EXPR_OR;
    if (integers && !(is_integer(a->type) && is_integer(b->type))) {
        return not_for(op, "integers", is_integer(a->type) ? b->type : a->type);
    }
    const struct lull_ctype t =
        shift ? lull_ctype_promote(a->type) : lull_ctype_common(a->type, b->type);
    *ret = shape(is_comparison(op) ? lull_ctype_int : t, a, b);
    struct lull_error *err = by_lanes(op, t, a, b, mask, ret);
    ret->type.lds = (op == LULL_EXPR_ADD || op == LULL_EXPR_SUB) && is_integer(ret->type) &&
                    (a->type.lds || b->type.lds);
    return err;
}

LULL_MUST_USE static struct lull_error *binary(const struct lull_expr_scope *s,
                                               const struct lull_expr_node *n, uint64_t mask,
                                               struct lull_value *ret)
{
    struct lull_value b = {0};
    struct lull_value a = {0};
    struct lull_error *err = lull_expr_value(s, n->a, mask, &a);
    err = err != NULL ? err : lull_expr_value(s, n->b, mask, &b);
    return err != NULL ? err : combine(n->op, &a, &b, mask, ret);
}

/* && and ||: the second operand only where the first leaves it open. */
LULL_MUST_USE static struct lull_error *logical(const struct lull_expr_scope *s,
                                                const struct lull_expr_node *n, uint64_t mask,
                                                struct lull_value *ret)
{
    struct lull_value a = {0};
    struct lull_value b = {0};
    struct lull_error *err = lull_expr_value(s, n->a, mask, &a);
    const bool is_and = n->op == LULL_EXPR_LOGICAL_AND;
    const uint64_t open = is_and ? truth(&a) : ~truth(&a);
    err = err != NULL ? err : lull_expr_value(s, n->b, mask & open, &b);
    if (err != NULL) {
        return err;
    }
    *ret = shape(lull_ctype_int, &a, &b);
    const uint64_t ta = truth(&a), tb = truth(&b);
    for (unsigned i = 0; i < ret->lanes; i++) {
        const bool goes_on = wanted(open, ret->lanes, i);
        const bool known = valid_in(&a, i) && (!goes_on || valid_in(&b, i));
        const bool value = goes_on ? wanted(tb, ret->lanes, i) : wanted(ta, ret->lanes, i);
        ret->v[i] = known && value;
        ret->valid |= (uint64_t)(known && wanted(mask, ret->lanes, i)) << i;
    }
    return NULL;
}

/* ?: */
LULL_MUST_USE static struct lull_error *choose(const struct lull_expr_scope *s,
                                               const struct lull_expr_node *n, uint64_t mask,
                                               struct lull_value *ret)
{
    struct lull_value a = {0};
    struct lull_value v[2] = {{.lanes = 0}, {.lanes = 0}};
    struct lull_error *err = lull_expr_value(s, n->a, mask, &a);
    const uint64_t yes = truth(&a);
    err = err != NULL ? err : lull_expr_value(s, n->b, mask & yes, &v[1]);
    err = err != NULL ? err : lull_expr_value(s, n->c, mask & ~yes, &v[0]);
    if (err != NULL) {
        return err;
    }
    const bool pointers = v[0].type.stars != 0 || v[1].type.stars != 0;
    const struct lull_ctype type = !pointers              ? lull_ctype_common(v[1].type, v[0].type)
                                   : v[1].type.stars != 0 ? v[1].type
                                                          : v[0].type;
    *ret = shape(type, &v[0], &v[1]);
    *ret = shape(type, ret, &a);
    for (unsigned i = 0; i < ret->lanes; i++) {
        const struct lull_value *from = &v[wanted(yes, ret->lanes, i)];
        ret->v[i] = lull_value_convert(from->type, lane_of(from, i), type);
        const bool known = valid_in(&a, i) && valid_in(from, i) && wanted(mask, ret->lanes, i);
        ret->valid |= (uint64_t)known << i;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *unary(const struct lull_expr_node *n, struct lull_value *v)
{
    const bool not = n->op == LULL_EXPR_NOT;
    const bool complement = n->op == LULL_EXPR_COMPLEMENT;
    if (!not &&(v->type.stars != 0 || (complement && !is_integer(v->type)))) {
        return not_for(n->op, complement ? "integers" : "numbers", v->type);
    }
    const uint64_t set = truth(v);
    const struct lull_ctype t = not ? lull_ctype_int : lull_ctype_promote(v->type);
    for (unsigned i = 0; i < v->lanes; i++) {
        v->v[i] = not ? (uint64_t)!wanted(set, v->lanes, i)
                      : lull_arith_unary(n->op, t, lull_value_convert(v->type, v->v[i], t));
    }
    v->type = t;
    return NULL;
}

LULL_MUST_USE static struct lull_error *cast(const struct lull_expr_node *n, struct lull_value *v)
{
    struct lull_ctype t = n->type;
    if ((t.stars != 0 && lull_ctype_is_float(v->type)) ||
        (v->type.stars != 0 && lull_ctype_is_float(t))) {
        return lull_error_new(LULL_ERR_INVALID, "an address is an integer, not a float");
    }
    t.lds = t.lds || (t.stars != 0 && v->type.lds);
    t.scratch = t.scratch || (t.stars != 0 && v->type.scratch);
    for (unsigned i = 0; i < v->lanes; i++) {
        v->v[i] = lull_value_convert(v->type, v->v[i], t);
    }
    v->type = t;
    return NULL;
}

/* isnan() and the like. Every float is a double, too; integers are numbers. */
LULL_MUST_USE static struct lull_error *of_class(const struct lull_expr_node *n,
                                                 struct lull_value *v)
{
    const struct lull_ctype wide = {.kind = LULL_CTYPE_FLOAT, .bits = 64};
    if (v->type.stars != 0) {
        return not_for(n->op, "numbers", v->type);
    }
    for (unsigned i = 0; i < v->lanes; i++) {
        const uint64_t bits = lull_value_convert(v->type, v->v[i], wide);
        double d = 0;
        memcpy(&d, &bits, sizeof d);
        v->v[i] = n->number == LULL_FLOAT_ISNAN      ? isnan(d) != 0
                  : n->number == LULL_FLOAT_ISINF    ? isinf(d) != 0
                  : n->number == LULL_FLOAT_ISFINITE ? isfinite(d) != 0
                                                     : signbit(d) != 0;
    }
    v->type = lull_ctype_int;
    return NULL;
}

LULL_MUST_USE static struct lull_error *as_lds(struct lull_value *v)
{
    if (lull_ctype_is_float(v->type)) {
        return lull_error_new(LULL_ERR_INVALID, "an LDS offset is an integer, not a float");
    }
    v->type = v->type.stars != 0 ? v->type : lull_ctype_promote(v->type);
    v->type.lds = true;
    return NULL;
}

/* The bits of a value that is kept nowhere, as another type. */
LULL_MUST_USE static struct lull_error *view(const struct lull_expr_node *n, struct lull_value *v)
{
    const unsigned bits = lull_ctype_bits(n->type);
    if (bits > lull_ctype_bits(v->type)) {
        return lull_error_new(LULL_ERR_INVALID, "a value of %u bits has no view of %u",
                              lull_ctype_bits(v->type), bits);
    }
    for (unsigned i = 0; bits < 64 && i < v->lanes; i++) {
        v->v[i] &= (UINT64_C(1) << bits) - 1;
    }
    v->type = n->type;
    return NULL;
}

/* One lane of a value that is kept nowhere. */
LULL_MUST_USE static struct lull_error *pick_lane(const struct lull_expr_scope *s,
                                                  const struct lull_expr_node *n, uint64_t mask,
                                                  struct lull_value *v)
{
    unsigned lane = 0;
    struct lull_error *err = lull_expr_lane(s, n->b, mask, v->lanes, &lane);
    if (err != NULL) {
        return err;
    }
    *v = (struct lull_value){
        .type = v->type, .lanes = 1, .active = 1, .valid = v->valid >> lane & 1, .v = {v->v[lane]}};
    return NULL;
}

LULL_MUST_USE static struct lull_error *address_at(const struct lull_location *at, uint64_t mask,
                                                   struct lull_value *ret)
{
    if (at->nbits != 0) {
        return lull_error_new(LULL_ERR_INVALID, "'&': a bit field has no address");
    }
    const bool one_lane = at->scratch && at->lanes == 1 && at->which == LULL_LANES_ONE;
    *ret =
        (struct lull_value){.type = lull_ctype_pointer(at->type, at->lds, at->scratch && !one_lane),
                            .lanes = at->lanes,
                            .active = at->active};
    ret->valid = mask != 0 ? at->active : 0;
    memcpy(ret->v, at->address, sizeof ret->v);
    return NULL;
}

LULL_MUST_USE static struct lull_error *of_place(const struct lull_expr_scope *s,
                                                 const struct lull_expr_node *n, uint64_t mask,
                                                 struct lull_value *ret)
{
    struct lull_location at = {0};
    struct lull_error *err = lull_expr_place(s, n, mask, &at);
    const struct lull_symtype *of = err == NULL ? lull_ctype_source(at.type) : NULL;
    if (of != NULL && of->kind == LULL_SYMTYPE_ARRAY && at.ref == NULL && at.held == NULL) {
        at.type = lull_ctype_element(at.type); // an array is the address of its first element
        return address_at(&at, mask, ret);
    }
    return err != NULL ? err : lull_expr_load(s, &at, mask, ret);
}

LULL_MUST_USE static struct lull_error *address_of(const struct lull_expr_scope *s,
                                                   const struct lull_expr_node *n, uint64_t mask,
                                                   struct lull_value *ret)
{
    struct lull_location at = {0};
    struct lull_error *err =
        n->a->is_place
            ? lull_expr_place(s, n->a, mask, &at)
            : lull_error_new(LULL_ERR_INVALID, "'&' takes a place in memory, not a value");
    if (err == NULL && (at.ref != NULL || at.held != NULL)) {
        err = lull_error_new(LULL_ERR_INVALID, "'&': a register has no address");
    }
    if (err != NULL) {
        return err;
    }
    return address_at(&at, mask, ret);
}

LULL_MUST_USE static struct lull_error *size_of(const struct lull_expr_scope *s,
                                                const struct lull_expr_node *n, uint64_t mask,
                                                struct lull_value *ret)
{
    struct lull_ctype type = {0};
    struct lull_error *err = lull_expr_node_type(s, n->a, &type);
    const struct lull_symtype *of = err == NULL ? lull_ctype_source(type) : NULL;
    *ret = (struct lull_value){.type = lull_ctype_u64,
                               .lanes = 1,
                               .active = 1,
                               .valid = mask != 0,
                               .v = {of != NULL ? of->size : lull_ctype_bits(type) / 8}};
    return err;
}

/* Operators on one value. */
LULL_MUST_USE static struct lull_error *of_one(const struct lull_expr_scope *s,
                                               const struct lull_expr_node *n, uint64_t mask,
                                               struct lull_value *ret)
{
    if (n->op == LULL_EXPR_SIZEOF) {
        return size_of(s, n, mask, ret);
    }
    struct lull_error *err = lull_expr_value(s, n->a, mask, ret);
    if (err != NULL) {
        return err;
    }
    switch ((unsigned)n->op) {
    case LULL_EXPR_CAST:
        return cast(n, ret);
    case LULL_EXPR_VIEW:
        return view(n, ret);
    case LULL_EXPR_CLASS:
        return of_class(n, ret);
    case LULL_EXPR_LDS:
        return as_lds(ret);
    case LULL_EXPR_INDEX:
        return pick_lane(s, n, mask, ret);
    case LULL_EXPR_ALL_LANES:
        return lull_error_new(LULL_ERR_INVALID, "'[*]' is of a register with lanes");
    default:
        return unary(n, ret);
    }
}

struct lull_error *lull_expr_value(const struct lull_expr_scope *s, const struct lull_expr_node *n,
                                   uint64_t mask, struct lull_value *ret)
{
    if (n->is_place) {
        return of_place(s, n, mask, ret);
    }
    switch ((unsigned)n->op) {
    case LULL_EXPR_NUMBER:
        *ret = (struct lull_value){
            .type = n->type, .lanes = 1, .active = 1, .valid = 1, .v = {n->number}};
        return NULL;
    case LULL_EXPR_ADDRESS:
        return address_of(s, n, mask, ret);
    case LULL_EXPR_SELECT:
        return choose(s, n, mask, ret);
    case LULL_EXPR_LOGICAL_AND:
    case LULL_EXPR_LOGICAL_OR:
        return logical(s, n, mask, ret);
    default:
        return n->op >= LULL_EXPR_MUL ? binary(s, n, mask, ret) : of_one(s, n, mask, ret);
    }
}

struct lull_error *lull_expr_eval(const struct lull_expr_scope *s, const struct lull_expr *e,
                                  struct lull_value *ret)
{
    struct lull_value v = {0};
    struct lull_error *err = lull_expr_value(s, e->root, UINT64_MAX, &v);
    if (err == NULL) {
        *ret = v;
    }
    return err;
}

struct lull_error *lull_expr_node_type(const struct lull_expr_scope *s,
                                       const struct lull_expr_node *n, struct lull_ctype *ret)
{
    struct lull_location at = {0};
    struct lull_value v = {0};
    struct lull_error *err =
        n->is_place ? lull_expr_place(s, n, 0, &at) : lull_expr_value(s, n, 0, &v);
    if (err == NULL) {
        *ret = n->is_place ? at.type : v.type;
    }
    return err;
}

struct lull_error *lull_expr_type(const struct lull_expr_scope *s, const struct lull_expr *e,
                                  struct lull_ctype *ret)
{
    return lull_expr_node_type(s, e->root, ret);
}

struct lull_error *lull_expr_check(const struct lull_expr_scope *s, const struct lull_expr *e)
{
    struct lull_value v = {0};
    struct lull_ctype type = {0};
    struct lull_error *err = lull_expr_node_type(s, e->root, &type);
    const bool parts = err == NULL && type.kind == LULL_CTYPE_PARTS && type.stars == 0;
    return err != NULL || parts ? err : lull_expr_value(s, e->root, 0, &v);
}
