// SPDX-License-Identifier: MIT
// From text to the tree. Precedence is C's; {TYPE}ADDRESS and casts bind as C's unary operators.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "expr/tree.h"

enum { MAX_DEPTH = 256, MAX_NESTING = 200, NAME_ROOM = 256, SELECT_LEVEL = 0 };

struct parser {
    const struct lull_expr_scope *scope;
    struct lull_expr *expr;
    const char *start, *at;
    unsigned nesting;
};

/* Operators with two operands, by rising precedence; longer tokens first. */
static const struct {
    const char *token;
    enum lull_expr_op op;
    unsigned level;
} operators[] = {
    {"||", LULL_EXPR_LOGICAL_OR, 1}, {"&&", LULL_EXPR_LOGICAL_AND, 2},
    {"==", LULL_EXPR_EQUAL, 6},      {"!=", LULL_EXPR_DIFFERENT, 6},
    {"<=", LULL_EXPR_AT_MOST, 7},    {">=", LULL_EXPR_AT_LEAST, 7},
    {"<<", LULL_EXPR_SHL, 8},        {">>", LULL_EXPR_SHR, 8},
    {"|", LULL_EXPR_OR, 3},          {"^", LULL_EXPR_XOR, 4},
    {"&", LULL_EXPR_AND, 5},         {"<", LULL_EXPR_LESS, 7},
    {">", LULL_EXPR_GREATER, 7},     {"+", LULL_EXPR_ADD, 9},
    {"-", LULL_EXPR_SUB, 9},         {"*", LULL_EXPR_MUL, 10},
    {"/", LULL_EXPR_DIV, 10},        {"%", LULL_EXPR_MOD, 10},
};

enum { NOPERATORS = sizeof operators / sizeof operators[0] };

const char *lull_expr_token(enum lull_expr_op op)
{
    for (size_t i = 0; i < NOPERATORS; i++) {
        if (operators[i].op == op) {
            return operators[i].token;
        }
    }
    static const char *const unary[] = {
        [LULL_EXPR_PLUS] = "+",   [LULL_EXPR_MINUS] = "-",   [LULL_EXPR_COMPLEMENT] = "~",
        [LULL_EXPR_NOT] = "!",    [LULL_EXPR_DEREF] = "*",   [LULL_EXPR_ADDRESS] = "&",
        [LULL_EXPR_INDEX] = "[]", [LULL_EXPR_SELECT] = "?:",
    };
    return (size_t)op < sizeof unary / sizeof unary[0] && unary[op] != NULL ? unary[op] : "?:";
}

LULL_NEW_ERROR static struct lull_error *bad(const struct parser *p, const char *what)
{
    return lull_error_new(LULL_ERR_INVALID, "'%s': %s at column %zu", p->start, what,
                          (size_t)(p->at - p->start) + 1);
}

static void skip_space(struct parser *p)
{
    while (isspace((unsigned char)*p->at)) {
        p->at++;
    }
}

static bool eat(struct parser *p, const char *token)
{
    skip_space(p);
    const size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0) {
        return false;
    }
    p->at += n;
    return true;
}

/* Pointers and places are known from the text alone. */
static void classify(struct lull_expr_node *n)
{
    const unsigned a = n->a != NULL ? n->a->stars : 0;
    const unsigned b = n->b != NULL ? n->b->stars : 0;
    const unsigned c = n->c != NULL ? n->c->stars : 0;
    unsigned stars = 0;
    switch ((unsigned)n->op) {
    case LULL_EXPR_REF:
    case LULL_EXPR_CAST:
        stars = n->type.stars;
        break;
    case LULL_EXPR_LDS:
    case LULL_EXPR_ALL_LANES:
        stars = a;
        break;
    case LULL_EXPR_DEREF:
    case LULL_EXPR_INDEX:
        stars = a - (a != 0);
        break;
    case LULL_EXPR_ADDRESS:
        stars = a + 1;
        break;
    case LULL_EXPR_ADD:
        stars = a > b ? a : b;
        break;
    case LULL_EXPR_SUB:
        stars = b != 0 ? 0 : a;
        break;
    case LULL_EXPR_SELECT:
        stars = b > c ? b : c;
        break;
    default:
        break;
    }
    n->stars = (uint8_t)(stars < UINT8_MAX ? stars : UINT8_MAX);
    const bool part = n->op == LULL_EXPR_VIEW || n->op == LULL_EXPR_ALL_LANES;
    const bool of_place = n->a != NULL && n->a->is_place;
    n->is_place = n->op == LULL_EXPR_REF || n->op == LULL_EXPR_DEREF ||
                  (n->op == LULL_EXPR_INDEX && (a != 0 || of_place)) || (part && of_place);
}

/* A node with what it is of; NULL for operands that it has not. */
LULL_MUST_USE static struct lull_error *make(struct parser *p, struct lull_expr_node node,
                                             const struct lull_expr_node **ret)
{
    const struct lull_expr_node *const below[] = {node.a, node.b, node.c};
    for (size_t i = 0; i < 3; i++) {
        if (below[i] != NULL && below[i]->depth > node.depth) {
            node.depth = below[i]->depth;
        }
    }
    if (++node.depth > MAX_DEPTH) {
        return bad(p, "too deeply nested");
    }
    struct lull_expr_node *n = lull_arena_calloc(&p->expr->arena, 1, sizeof *n);
    if (n == NULL) {
        return &lull_enomem;
    }
    *n = node;
    classify(n);
    *ret = n;
    return NULL;
}

/* A register or a name, of which the scope knows the type. */
LULL_MUST_USE static struct lull_error *make_ref(struct parser *p, const void *ref,
                                                 const struct lull_expr_node **ret)
{
    struct lull_expr_node node = {.op = LULL_EXPR_REF, .ref = ref};
    struct lull_value v = {0};
    struct lull_error *err = p->scope->read(p->scope->ctx, ref, true, &v);
    node.type = v.type;
    return err != NULL ? err : make(p, node, ret);
}

LULL_MUST_USE static struct lull_error *parse_level(struct parser *p, unsigned level,
                                                    const struct lull_expr_node **ret);
LULL_MUST_USE static struct lull_error *parse_unary(struct parser *p,
                                                    const struct lull_expr_node **ret);

LULL_MUST_USE static struct lull_error *parse_name(struct parser *p,
                                                   const struct lull_expr_node **ret)
{
    char name[NAME_ROOM] = {0};
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_' || p->at[n] == '.') {
        n++;
    }
    if (n == 0 || n >= sizeof name) {
        return bad(p, n == 0 ? "expected a number, register or symbol" : "name too long");
    }
    memcpy(name, p->at, n);
    const void *ref = NULL;
    struct lull_error *err = p->scope->find_name(p->scope->ctx, &p->expr->arena, name, &ref);
    if (err == NULL) {
        p->at += n;
        err = make_ref(p, ref, ret);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *parse_literal(struct parser *p,
                                                      const struct lull_expr_node **ret)
{
    struct lull_expr_node node = {.op = LULL_EXPR_NUMBER, .type = lull_ctype_int};
    const char *wrong = *p->at == '\'' ? lull_expr_character(&p->at, &node.number)
                                       : lull_expr_number(&p->at, &node.type, &node.number);
    return wrong != NULL ? bad(p, wrong) : make(p, node, ret);
}

LULL_MUST_USE static struct lull_error *parse_primary(struct parser *p,
                                                      const struct lull_expr_node **ret)
{
    skip_space(p);
    if (*p->at == '$') {
        const void *ref = NULL;
        p->at++;
        struct lull_error *err =
            p->scope->find_register(p->scope->ctx, &p->expr->arena, &p->at, &ref);
        return err != NULL ? err : make_ref(p, ref, ret);
    }
    if (eat(p, "(")) {
        struct lull_error *err = parse_level(p, SELECT_LEVEL, ret);
        return err != NULL || eat(p, ")") ? err : bad(p, "missing bracket");
    }
    if (strncmp(p->at, "lds:", 4) == 0) {
        struct lull_expr_node node = {.op = LULL_EXPR_LDS};
        p->at += 4;
        struct lull_error *err = parse_unary(p, &node.a);
        return err != NULL ? err : make(p, node, ret);
    }
    const bool digit =
        isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1]));
    return digit || *p->at == '\'' ? parse_literal(p, ret) : parse_name(p, ret);
}

/* ".f32" and "[...]" behind an operand. */
LULL_MUST_USE static struct lull_error *parse_postfix(struct parser *p,
                                                      const struct lull_expr_node **ret)
{
    struct lull_error *err = parse_primary(p, ret);
    while (err == NULL) {
        struct lull_expr_node node = {.op = LULL_EXPR_VIEW, .a = *ret};
        if (*p->at == '.') {
            size_t n = 1;
            while (isalnum((unsigned char)p->at[n])) {
                n++;
            }
            if (!lull_ctype_find(p->at + 1, n - 1, &node.type) ||
                node.type.kind == LULL_CTYPE_VOID) {
                return bad(p, "expected a type, as in .f32");
            }
            p->at += n;
        } else if (strncmp(p->at, "[*]", 3) == 0) {
            node.op = LULL_EXPR_ALL_LANES;
            p->at += 3;
        } else if (*p->at == '[') {
            node.op = LULL_EXPR_INDEX;
            p->at++;
            err = parse_level(p, SELECT_LEVEL, &node.b);
            err = err != NULL || eat(p, "]") ? err : bad(p, "missing bracket");
        } else {
            return NULL;
        }
        err = err != NULL ? err : make(p, node, ret);
    }
    return err;
}

/* "(type)" or "{type}", if it is one: then p->at stands behind it. */
static bool parse_type(struct parser *p, char open, char close, struct lull_ctype *ret)
{
    const char *at = p->at;
    if (*at++ != open || !lull_ctype_parse(&at, ret) || *at != close) {
        return false;
    }
    p->at = at + 1;
    return true;
}

/* {type}address is *(type*)address. */
LULL_MUST_USE static struct lull_error *parse_at(struct parser *p, struct lull_ctype type,
                                                 const struct lull_expr_node **ret)
{
    struct lull_expr_node cast = {.op = LULL_EXPR_CAST, .type = type};
    struct lull_expr_node deref = {.op = LULL_EXPR_DEREF};
    cast.type.stars++;
    struct lull_error *err = parse_unary(p, &cast.a);
    err = err != NULL ? err : make(p, cast, &deref.a);
    return err != NULL ? err : make(p, deref, ret);
}

LULL_MUST_USE static struct lull_error *parse_sizeof(struct parser *p,
                                                     const struct lull_expr_node **ret)
{
    struct lull_expr_node node = {.op = LULL_EXPR_NUMBER, .type = lull_ctype_u64};
    struct lull_ctype type = {0};
    skip_space(p);
    if (parse_type(p, '(', ')', &type)) {
        node.number = lull_ctype_bits(type) / 8;
        return make(p, node, ret);
    }
    node.op = LULL_EXPR_SIZEOF;
    struct lull_error *err = parse_unary(p, &node.a);
    return err != NULL ? err : make(p, node, ret);
}

LULL_MUST_USE static struct lull_error *parse_prefix(struct parser *p,
                                                     const struct lull_expr_node **ret)
{
    static const struct {
        char token;
        enum lull_expr_op op;
    } unary[] = {{'+', LULL_EXPR_PLUS}, {'-', LULL_EXPR_MINUS}, {'~', LULL_EXPR_COMPLEMENT},
                 {'!', LULL_EXPR_NOT},  {'*', LULL_EXPR_DEREF}, {'&', LULL_EXPR_ADDRESS}};
    struct lull_expr_node node = {.op = LULL_EXPR_CAST};
    skip_space(p);
    if (*p->at == '{') {
        return parse_type(p, '{', '}', &node.type)
                   ? parse_at(p, node.type, ret)
                   : bad(p, "unknown type (u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64, or as in C)");
    }
    const bool is_sizeof = strncmp(p->at, "sizeof", 6) == 0 && !isalnum((unsigned char)p->at[6]) &&
                           p->at[6] != '_' && p->at[6] != '.';
    if (is_sizeof) {
        p->at += 6;
        return parse_sizeof(p, ret);
    }
    bool found = parse_type(p, '(', ')', &node.type);
    for (size_t i = 0; !found && i < sizeof unary / sizeof unary[0]; i++) {
        if (*p->at == unary[i].token) {
            p->at++;
            node.op = unary[i].op;
            found = true;
        }
    }
    if (!found) {
        return parse_postfix(p, ret);
    }
    struct lull_error *err = parse_unary(p, &node.a);
    return err != NULL ? err : make(p, node, ret);
}

LULL_MUST_USE static struct lull_error *parse_unary(struct parser *p,
                                                    const struct lull_expr_node **ret)
{
    if (++p->nesting > MAX_NESTING) {
        return bad(p, "too deeply nested");
    }
    struct lull_error *err = parse_prefix(p, ret);
    p->nesting--;
    return err;
}

/* The operator at p->at if it binds at least as @p level; NOPERATORS: none. */
static size_t operator_at(struct parser *p, unsigned level)
{
    skip_space(p);
    for (size_t i = 0; i < NOPERATORS; i++) {
        if (strncmp(p->at, operators[i].token, strlen(operators[i].token)) == 0) {
            return operators[i].level >= level ? i : NOPERATORS;
        }
    }
    return NOPERATORS;
}

LULL_MUST_USE static struct lull_error *parse_select(struct parser *p,
                                                     const struct lull_expr_node **ret)
{
    struct lull_expr_node node = {.op = LULL_EXPR_SELECT, .a = *ret};
    struct lull_error *err = parse_level(p, SELECT_LEVEL, &node.b);
    if (err == NULL && !eat(p, ":")) {
        err = bad(p, "expected ':'");
    }
    err = err != NULL ? err : parse_level(p, SELECT_LEVEL, &node.c);
    return err != NULL ? err : make(p, node, ret);
}

/* Operands with operators that bind at least as @p level. */
LULL_MUST_USE static struct lull_error *parse_level(struct parser *p, unsigned level,
                                                    const struct lull_expr_node **ret)
{
    if (++p->nesting > MAX_NESTING) {
        return bad(p, "too deeply nested");
    }
    struct lull_error *err = parse_unary(p, ret);
    size_t i = 0;
    while (err == NULL && (i = operator_at(p, level)) != NOPERATORS) {
        struct lull_expr_node node = {.op = operators[i].op, .a = *ret};
        p->at += strlen(operators[i].token);
        err = parse_level(p, operators[i].level + 1, &node.b);
        err = err != NULL ? err : make(p, node, ret);
    }
    if (err == NULL && level == SELECT_LEVEL && eat(p, "?")) {
        err = parse_select(p, ret);
    }
    p->nesting--;
    return err;
}

struct lull_error *lull_expr_parse(const struct lull_expr_scope *scope, const char *text,
                                   const char **ret_end, struct lull_expr **ret)
{
    struct parser p = {.scope = scope, .start = text, .at = text};
    p.expr = calloc(1, sizeof *p.expr);
    if (p.expr == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = parse_level(&p, SELECT_LEVEL, &p.expr->root);
    skip_space(&p);
    if (err == NULL && ret_end == NULL && *p.at != '\0') {
        const bool assigns = *p.at == '=';
        err = lull_error_new(LULL_ERR_INVALID, "'%s': '%s' is left over%s", text, p.at,
                             assigns ? "; '==' compares, 'set' assigns" : "");
    }
    if (err != NULL) {
        lull_expr_free(p.expr);
        return err;
    }
    if (ret_end != NULL) {
        *ret_end = p.at;
    }
    *ret = p.expr;
    return NULL;
}

void lull_expr_free(struct lull_expr *e)
{
    if (e != NULL) {
        lull_arena_done(&e->arena);
        free(e);
    }
}
