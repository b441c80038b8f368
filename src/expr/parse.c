// SPDX-License-Identifier: MIT
// From text to the tree. Precedence is C's; {TYPE}ADDRESS and casts bind as C's unary operators.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "expr/tree.h"
#include "symbols/show.h"

enum { MAX_DEPTH = 256, MAX_NESTING = 200, NAME_ROOM = 256, SELECT_LEVEL = 0 };

struct parser {
    const struct lull_expr_scope *scope;
    struct lull_expr *expr;
    const char *start, *at;
    unsigned nesting;
};

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
    case LULL_EXPR_MEMBER:
    case LULL_EXPR_ELEMENT:
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
    n->is_place = n->op == LULL_EXPR_REF || n->op == LULL_EXPR_DEREF || n->op == LULL_EXPR_MEMBER ||
                  n->op == LULL_EXPR_ELEMENT ||
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
    struct lull_location at = {0};
    bool is = false;
    struct lull_error *err =
        p->scope->locate != NULL ? p->scope->locate(p->scope->ctx, ref, true, &is, &at) : NULL;
    if (err == NULL && !is) {
        err = p->scope->read(p->scope->ctx, ref, true, &v);
    }
    node.type = is ? at.type : v.type;
    return err != NULL ? err : make(p, node, ret);
}

LULL_MUST_USE static struct lull_error *parse_level(struct parser *p, unsigned level,
                                                    const struct lull_expr_node **ret);
LULL_MUST_USE static struct lull_error *parse_unary(struct parser *p,
                                                    const struct lull_expr_node **ret);

/* "'FILE'::NAME" and "FUNCTION::NAME" at *@p at, which is moved behind it, into @p ret as
 * "FILE::NAME". False: it is not one. */
static bool qualified(const char **at, char ret[NAME_ROOM])
{
    const bool quoted = **at == '\'';
    const char *from = *at + quoted;
    size_t n = quoted ? strcspn(from, "'") : 0, word = 0;
    while (!quoted && (isalnum((unsigned char)from[n]) || from[n] == '_')) {
        n++;
    }
    const char *colons = from + n + (quoted && from[n] == '\'');
    const char *name = strncmp(colons, "::", 2) == 0 ? colons + 2 : "";
    while (isalnum((unsigned char)name[word]) || name[word] == '_') {
        word++;
    }
    if (n == 0 || word == 0 || n + word + 3 > NAME_ROOM) {
        return false;
    }
    memcpy(ret, from, n);
    memcpy(ret + n, "::", 2);
    memcpy(ret + n + 2, name, word);
    ret[n + 2 + word] = '\0';
    *at = name + word;
    return true;
}

LULL_MUST_USE static struct lull_error *parse_qualified(struct parser *p, const char *name,
                                                        const struct lull_expr_node **ret)
{
    const void *ref = NULL;
    struct lull_error *err = p->scope->find_name(p->scope->ctx, &p->expr->arena, name, &ref);
    return err != NULL ? err : make_ref(p, ref, ret);
}

LULL_MUST_USE static struct lull_error *parse_name(struct parser *p,
                                                   const struct lull_expr_node **ret)
{
    char name[NAME_ROOM] = {0};
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_') {
        n++;
    }
    const size_t dot = n; // of a variable with members; symbols may have dots
    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_' || p->at[n] == '.') {
        n++;
    }
    if (n == 0 || n >= sizeof name) {
        return bad(p, n == 0 ? "expected a number, register or symbol" : "name too long");
    }
    memcpy(name, p->at, n);
    const void *ref = NULL;
    struct lull_error *err = p->scope->find_name(p->scope->ctx, &p->expr->arena, name, &ref);
    if (err != NULL && dot != 0 && dot < n) {
        name[dot] = '\0';
        struct lull_error *again = p->scope->find_name(p->scope->ctx, &p->expr->arena, name, &ref);
        lull_error_free(again == NULL ? err : again);
        n = again == NULL ? dot : n;
        err = again == NULL ? NULL : err;
    }
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
    char name[NAME_ROOM];
    if (qualified(&p->at, name)) {
        return parse_qualified(p, name, ret);
    }
    const bool digit =
        isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1]));
    return digit || *p->at == '\'' ? parse_literal(p, ret) : parse_name(p, ret);
}

/* The program's type that a node has; NULL: it has another. */
static const struct lull_symtype *source_of(struct parser *p, const struct lull_expr_node *n)
{
    struct lull_ctype type = {0};
    struct lull_error *err = lull_expr_node_type(p->scope, n, &type);
    const struct lull_symtype *of = err == NULL ? lull_ctype_source(type) : NULL;
    lull_error_free(err);
    return of;
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') {
        n++;
    }
    return n;
}

/* "'a.z': struct point has no member 'z', but x, y" */
LULL_NEW_ERROR static struct lull_error *no_member(const struct parser *p,
                                                   const struct lull_symtype *of, size_t n)
{
    enum { SHOWN = 24, ALPHABET = 4 };
    struct lull_str text = {0};
    lull_str_addf(&text, "'%s': ", p->start);
    lull_symtype_name(of, &text);
    lull_str_addf(&text, " has no member '%.*s'", (int)n, p->at);
    const bool vector = of->kind == LULL_SYMTYPE_VECTOR;
    const bool named = !vector && of->kind != LULL_SYMTYPE_ARRAY;
    const size_t all = vector ? (size_t)of->count : named ? of->nmembers : 0;
    for (size_t i = 0; i < all && i < (vector ? ALPHABET : SHOWN); i++) {
        const char *name = vector ? (const char *[]){"x", "y", "z", "w"}[i] : of->members[i].name;
        lull_str_addf(&text, "%s%s", i == 0 ? ", but " : ", ", name[0] != '\0' ? name : "{...}");
    }
    lull_str_addf(&text, all > (vector ? ALPHABET : SHOWN) ? ", ..." : "");
    struct lull_error *err = lull_error_new(LULL_ERR_INVALID, "%s", lull_str_text(&text));
    lull_str_free(&text);
    return err;
}

/* ".name" of a struct, ".x" of a vector: p->at stands at the name. */
LULL_MUST_USE static struct lull_error *parse_member(struct parser *p,
                                                     const struct lull_symtype *of,
                                                     const struct lull_expr_node **ret)
{
    const size_t n = word_length(p->at);
    uint64_t offset = 0;
    const struct lull_symmember *m = lull_symtype_member(of, p->at, n, &offset);
    const int component = m == NULL ? lull_symtype_component(of, p->at, n) : -1;
    const struct lull_symtype *some =
        m == NULL && component < 0 ? lull_symtype_swizzle(&p->expr->arena, of, p->at, n) : NULL;
    if (m == NULL && component < 0 && some == NULL) {
        return no_member(p, of, n);
    }
    struct lull_expr_node node = {.op = LULL_EXPR_MEMBER, .a = *ret, .number = offset};
    node.type = lull_ctype_of(m != NULL ? m->type : some != NULL ? some : of->of);
    node.number =
        m != NULL || some != NULL ? offset : lull_symtype_element(of, (uint64_t)component);
    node.bit = m != NULL ? m->bit : 0;
    node.nbits = m != NULL ? m->nbits : 0;
    p->at += n;
    return make(p, node, ret);
}

/* An address that a name is becomes the object there, if it is one with parts and these are asked
 * for; @p any: whatever follows. */
LULL_MUST_USE static struct lull_error *as_object(struct parser *p, bool any,
                                                  const struct lull_expr_node **ret)
{
    const void *ref = NULL;
    const struct lull_expr_node *there = NULL;
    struct lull_ctype type = {0};
    const bool dot = *p->at == '.', index = *p->at == '[';
    const bool asked = any || index || strncmp(p->at, "->", 2) == 0 ||
                       (dot && !lull_ctype_find(p->at + 1, word_length(p->at + 1), &type));
    if ((*ret)->op != LULL_EXPR_REF || p->scope->object == NULL || !asked) {
        return NULL;
    }
    struct lull_error *err = p->scope->object(p->scope->ctx, &p->expr->arena, (*ret)->ref, &ref);
    err = err != NULL || ref == NULL ? err : make_ref(p, ref, &there);
    const struct lull_symtype *of = there != NULL ? source_of(p, there) : NULL;
    if (err == NULL && of != NULL && (any || !index || of->kind == LULL_SYMTYPE_ARRAY)) {
        *ret = there;
    }
    return err;
}

/* "->name". As in gdb, it is ".name" where the left side is not a pointer, and ".name" of a pointer
 * is this. */
LULL_MUST_USE static struct lull_error *parse_arrow(struct parser *p,
                                                    const struct lull_expr_node **ret)
{
    const struct lull_expr_node node = {.op = LULL_EXPR_DEREF, .a = *ret};
    const struct lull_symtype *here = source_of(p, *ret);
    const bool whole = here != NULL && (here->nmembers != 0 || here->kind == LULL_SYMTYPE_VECTOR);
    struct lull_error *err = whole ? NULL : make(p, node, ret);
    const struct lull_symtype *of = err == NULL ? source_of(p, *ret) : NULL;
    if (err == NULL && of == NULL) {
        return bad(p, "'->' is of a pointer to a struct of the program");
    }
    p->at += *p->at == '.' ? 1 : 2;
    skip_space(p);
    return err != NULL ? err : parse_member(p, of, ret);
}

/* Is it ".name" of a pointer to a struct, and not a view? */
static bool is_dot_of_pointer(const struct parser *p, const struct lull_symtype *of)
{
    const struct lull_symtype *to =
        of != NULL && of->kind == LULL_SYMTYPE_POINTER ? lull_symtype_plain(of->of) : NULL;
    struct lull_ctype view = {0};
    return to != NULL && to->nmembers != 0 && *p->at == '.' &&
           !lull_ctype_find(p->at + 1, word_length(p->at + 1), &view);
}

/* ".f32" and "[...]" behind an operand. */
LULL_MUST_USE static struct lull_error *parse_postfix(struct parser *p,
                                                      const struct lull_expr_node **ret)
{
    struct lull_error *err = parse_primary(p, ret);
    err = err != NULL ? err : as_object(p, false, ret);
    while (err == NULL) {
        struct lull_expr_node node = {.op = LULL_EXPR_VIEW, .a = *ret};
        const bool dot = *p->at == '.';
        const struct lull_symtype *of = dot || *p->at == '[' ? source_of(p, *ret) : NULL;
        const bool array =
            of != NULL && (of->kind == LULL_SYMTYPE_ARRAY || of->kind == LULL_SYMTYPE_VECTOR);
        const bool arrow = strncmp(p->at, "->", 2) == 0 || is_dot_of_pointer(p, of);
        if (arrow || (dot && of != NULL && (of->nmembers != 0 || array))) {
            p->at += !arrow;
            err = arrow ? parse_arrow(p, ret) : parse_member(p, of, ret);
            continue;
        }
        if (dot) {
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
            node.op = array ? LULL_EXPR_ELEMENT : LULL_EXPR_INDEX;
            node.type = array ? lull_ctype_of(of->of) : node.type;
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

/* The program's type at *@p at, which is moved behind it, with its stars; NULL: none. In front may
 * stand where a pointer leads to. */
static bool source_type(struct parser *p, const char **at, struct lull_ctype *ret)
{
    char name[NAME_ROOM] = {0};
    const char *from = *at + strspn(*at, " ");
    const bool is_local = strncmp(from, "local ", 6) == 0;
    const bool is_global = strncmp(from, "global ", 7) == 0;
    from += is_local ? 6 : is_global ? 7 : 0;
    from += strspn(from, " ");
    size_t n = word_length(from);
    const bool tagged = (n == 6 && strncmp(from, "struct", n) == 0) ||
                        (n == 5 && strncmp(from, "union", n) == 0) ||
                        (n == 4 && strncmp(from, "enum", n) == 0);
    n += tagged ? strspn(from + n, " ") : 0;
    n += tagged ? word_length(from + n) : 0;
    if (p->scope->find_type == NULL || n == 0 || n >= sizeof name) {
        return false;
    }
    memcpy(name, from, n);
    const struct lull_symtype *of = p->scope->find_type(p->scope->ctx, name);
    if (of == NULL) {
        return false;
    }
    *ret = lull_ctype_of(of);
    from += n + strspn(from + n, " ");
    while (*from == '*' && ret->stars < UINT8_MAX) {
        *ret = lull_ctype_pointer(*ret, is_local, false);
        from += 1 + strspn(from + 1, " ");
    }
    if (ret->stars == 0 && ret->kind == LULL_CTYPE_VOID) {
        return false;
    }
    *at = from;
    return true;
}

bool lull_expr_type_named(const struct lull_expr_scope *scope, const char *text,
                          struct lull_ctype *ret)
{
    struct parser p = {.scope = scope, .start = text, .at = text};
    const char *at = text + strspn(text, " \t");
    return (lull_ctype_parse(&at, ret) || source_type(&p, &at, ret)) &&
           at[strspn(at, " \t")] == '\0';
}

/* "(type)" or "{type}", if it is one: then p->at stands behind it. */
static bool parse_type(struct parser *p, char open, char close, struct lull_ctype *ret)
{
    const char *at = p->at;
    if (*at++ != open || !(lull_ctype_parse(&at, ret) || source_type(p, &at, ret)) ||
        *at != close) {
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
    cast.type = type.of != NULL ? lull_ctype_pointer(type, false, false) : cast.type;
    cast.type.stars = type.of != NULL ? cast.type.stars : (uint8_t)(type.stars + 1);
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
        const struct lull_symtype *of = lull_ctype_source(type);
        node.number = of != NULL ? of->size : lull_ctype_bits(type) / 8;
        return make(p, node, ret);
    }
    node.op = LULL_EXPR_SIZEOF;
    struct lull_error *err = parse_unary(p, &node.a);
    return err != NULL ? err : make(p, node, ret);
}

/* The value of @p a as a type with parts: what is in memory there, *(TYPE *)&a. */
LULL_MUST_USE static struct lull_error *make_parts(struct parser *p, struct lull_ctype type,
                                                   const struct lull_expr_node *a,
                                                   const struct lull_expr_node **ret)
{
    struct lull_expr_node address = {.op = LULL_EXPR_ADDRESS, .a = a};
    struct lull_expr_node cast = {.op = LULL_EXPR_CAST,
                                  .type = lull_ctype_pointer(type, false, false)};
    struct lull_expr_node deref = {.op = LULL_EXPR_DEREF};
    struct lull_ctype from = {0};
    struct lull_error *err = lull_expr_node_type(p->scope, a, &from);
    if (err != NULL) {
        return err;
    }
    const struct lull_symtype *of = lull_ctype_source(from);
    const uint64_t size = of != NULL ? of->size : lull_ctype_bits(from) / 8;
    if (!a->is_place || size < lull_ctype_source(type)->size) {
        return bad(p, "a cast to a type with parts takes something in memory that is as large, in "
                      "front");
    }
    err = make(p, address, &cast.a);
    err = err != NULL ? err : make(p, cast, &deref.a);
    return err != NULL ? err : make(p, deref, ret);
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
    size_t length = 0;
    const enum lull_float_class class = lull_expr_class_at(p->at, &length);
    bool found = class != LULL_FLOAT_CLASSES;
    if (found) {
        node.op = LULL_EXPR_CLASS;
        node.number = class;
        p->at += length;
    }
    found = found || parse_type(p, '(', ')', &node.type);
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
    const struct lull_expr_node *name = NULL;
    struct lull_error *err = parse_unary(p, &node.a);
    if (err == NULL && node.op == LULL_EXPR_DEREF && node.a->op == LULL_EXPR_REF) {
        name = node.a;
        err = as_object(p, true, &name);
    }
    if (err == NULL && name != NULL && name != node.a) { // "*NAME"
        *ret = name;
        return NULL;
    }
    const bool parts =
        node.op == LULL_EXPR_CAST && node.type.kind == LULL_CTYPE_PARTS && node.type.stars == 0;
    return err != NULL ? err : parts ? make_parts(p, node.type, node.a, ret) : make(p, node, ret);
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
    const struct lull_expr_operator *found = NULL;
    skip_space(p);
    while (err == NULL && (found = lull_expr_operator_at(p->at, level)) != NULL) {
        struct lull_expr_node node = {.op = found->op, .a = *ret};
        p->at += strlen(found->token);
        err = parse_level(p, found->level + 1, &node.b);
        err = err != NULL ? err : make(p, node, ret);
        skip_space(p);
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
