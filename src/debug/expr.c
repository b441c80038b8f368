// SPDX-License-Identifier: MIT
/* Expressions of the debugger: C's operators over numbers, registers, symbols and memory.
 *
 * A vector register is a value of one number a lane; operators work lane by
 * lane, and a single number goes with every lane.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/debug.h"
#include "debug/place.h"

enum { MAX_DEPTH = 64 };

struct parser {
    struct lull_debug *d;
    const char *start, *at;
    unsigned depth;
};

static struct lull_value number(uint64_t v, unsigned bits)
{
    struct lull_value value = {.lanes = 1, .bits = bits, .active = 1, .v = {v}};
    return value;
}

static void skip_space(struct parser *p)
{
    while (isspace((unsigned char)*p->at)) {
        p->at++;
    }
}

LULL_MUST_USE static struct lull_error *bad(const struct parser *p, const char *what)
{
    return lull_error_new(LULL_ERR_INVALID, "'%s': %s at column %zu", p->start, what,
                          (size_t)(p->at - p->start) + 1);
}

static bool eat(struct parser *p, const char *token)
{
    skip_space(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0) {
        return false;
    }
    p->at += n;
    return true;
}

LULL_MUST_USE static struct lull_error *parse_binary(struct parser *p, unsigned level,
                                                     struct lull_value *ret);

LULL_MUST_USE static struct lull_error *parse_number(struct parser *p, struct lull_value *ret)
{
    char *end = NULL;
    errno = 0;
    uint64_t v = strtoull(p->at, &end, 0);
    bool is_float = *end == '.' || (*end == 'e' && strncmp(p->at, "0x", 2) != 0);
    if (is_float) {
        float f = strtof(p->at, &end);
        uint32_t word = 0;
        memcpy(&word, &f, sizeof word);
        v = word;
    }
    if (errno == ERANGE) {
        return bad(p, "number out of range");
    }
    if (is_float && *end == 'f') {
        end++;
    }
    p->at = end;
    *ret = number(v, v > UINT32_MAX ? 64 : 32);
    return NULL;
}

LULL_MUST_USE static struct lull_error *parse_symbol(struct parser *p, struct lull_value *ret)
{
    char name[128] = {0};
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_' || p->at[n] == '.') {
        n++;
    }
    if (n == 0 || n >= sizeof name) {
        return bad(p, n == 0 ? "expected a number, register or symbol" : "name too long");
    }
    memcpy(name, p->at, n);
    uint64_t va = 0;
    if (!lull_debug_find_symbol(p->d, name, &va)) {
        return lull_error_new(LULL_ERR_INVALID, "no symbol or buffer '%s'", name);
    }
    p->at += n;
    *ret = number(va, 64);
    return NULL;
}

LULL_MUST_USE static struct lull_error *parse_group(struct parser *p, const char *close,
                                                    struct lull_value *ret)
{
    struct lull_error *err = parse_binary(p, 0, ret);
    if (err == NULL && !eat(p, close)) {
        err = bad(p, "missing bracket");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *parse_primary(struct parser *p, struct lull_value *ret)
{
    skip_space(p);
    if (*p->at == '$' || *p->at == '{' || strncmp(p->at, "*(", 2) == 0) {
        struct lull_place place = {0};
        struct lull_error *err = lull_place_parse(p->d, p->at, &p->at, &place);
        return err != NULL ? err : lull_place_read(p->d, &place, ret);
    }
    if (eat(p, "(")) {
        return parse_group(p, ")", ret);
    }
    return isdigit((unsigned char)*p->at) ? parse_number(p, ret) : parse_symbol(p, ret);
}

LULL_MUST_USE static struct lull_error *parse_unary(struct parser *p, struct lull_value *ret)
{
    skip_space(p);
    char op = *p->at;
    if (op != '-' && op != '~' && op != '!') {
        return parse_primary(p, ret);
    }
    if (++p->depth > MAX_DEPTH) {
        return bad(p, "too deeply nested");
    }
    p->at++;
    struct lull_error *err = parse_unary(p, ret);
    for (unsigned i = 0; err == NULL && i < ret->lanes; i++) {
        ret->v[i] = op == '-' ? 0 - ret->v[i] : op == '~' ? ~ret->v[i] : (uint64_t)(ret->v[i] == 0);
        if (ret->bits == 32) {
            ret->v[i] = (uint32_t)ret->v[i];
        }
    }
    p->depth--;
    return err;
}

/* Binary operators by rising precedence; longer tokens first within a level. */
static const struct {
    const char *token;
    unsigned level;
} operators[] = {
    {"||", 0}, {"&&", 1}, {"|", 2}, {"^", 3}, {"&", 4}, {"==", 5}, {"!=", 5}, {"<=", 6}, {">=", 6},
    {"<<", 7}, {">>", 7}, {"<", 6}, {">", 6}, {"+", 8}, {"-", 8},  {"*", 9},  {"/", 9},  {"%", 9},
};

enum { NOPERATORS = sizeof operators / sizeof operators[0], TOP_LEVEL = 10 };

static const char *operator_at(struct parser *p, unsigned level)
{
    skip_space(p);
    for (size_t i = 0; i < NOPERATORS; i++) {
        size_t n = strlen(operators[i].token);
        if (strncmp(p->at, operators[i].token, n) != 0) {
            continue;
        }
        bool longer = n == 1 && strchr("|&", *p->at) != NULL && p->at[1] == *p->at;
        if (operators[i].level == level && !longer) {
            return operators[i].token;
        }
        if (n == 2) {
            return NULL; // a two-character operator of another level
        }
    }
    return NULL;
}

static uint64_t logic(const char *op, uint64_t a, uint64_t b)
{
    switch (op[0]) {
    case '|':
        return op[1] == '|' ? (a != 0 || b != 0) : (a | b);
    case '&':
        return op[1] == '&' ? (a != 0 && b != 0) : (a & b);
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return op[1] == '<' ? (b < 64 ? a << b : 0) : op[1] == '=' ? a <= b : a < b;
    default:
        return op[1] == '>' ? (b < 64 ? a >> b : 0) : op[1] == '=' ? a >= b : a > b;
    }
}

static uint64_t apply(const char *op, uint64_t a, uint64_t b)
{
    switch (op[0]) {
    case '^':
        return a ^ b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    case '%':
        return a % b;
    default:
        return logic(op, a, b);
    }
}

LULL_MUST_USE static struct lull_error *combine(const struct parser *p, const char *op,
                                                const struct lull_value *b, struct lull_value *a)
{
    unsigned lanes = a->lanes > b->lanes ? a->lanes : b->lanes;
    struct lull_value r = {.lanes = lanes,
                           .bits = a->bits > b->bits ? a->bits : b->bits,
                           .active = a->lanes >= b->lanes ? a->active : b->active};
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t x = a->v[a->lanes == 1 ? 0 : i];
        uint64_t y = b->v[b->lanes == 1 ? 0 : i];
        if (y == 0 && (op[0] == '/' || op[0] == '%')) {
            return bad(p, "division by zero");
        }
        uint64_t v = apply(op, x, y);
        r.v[i] = r.bits == 32 ? (uint32_t)v : v;
    }
    *a = r;
    return NULL;
}

LULL_MUST_USE static struct lull_error *parse_binary(struct parser *p, unsigned level,
                                                     struct lull_value *ret)
{
    if (level == TOP_LEVEL) {
        return parse_unary(p, ret);
    }
    if (++p->depth > MAX_DEPTH * TOP_LEVEL) {
        return bad(p, "too deeply nested");
    }
    struct lull_error *err = parse_binary(p, level + 1, ret);
    const char *op = NULL;
    while (err == NULL && (op = operator_at(p, level)) != NULL) {
        p->at += strlen(op);
        struct lull_value right = {0};
        err = parse_binary(p, level + 1, &right);
        if (err == NULL) {
            err = combine(p, op, &right, ret);
        }
    }
    p->depth--;
    return err;
}

struct lull_error *lull_debug_eval_part(struct lull_debug *d, const char *text,
                                        const char **ret_rest, struct lull_value *ret)
{
    struct parser p = {.d = d, .start = text, .at = text};
    struct lull_value value = {0};
    struct lull_error *err = parse_binary(&p, 0, &value);
    if (err == NULL) {
        skip_space(&p);
        *ret_rest = p.at;
        *ret = value;
    }
    return err;
}

struct lull_error *lull_debug_eval(struct lull_debug *d, const char *text, struct lull_value *ret)
{
    const char *rest = NULL;
    struct lull_error *err = lull_debug_eval_part(d, text, &rest, ret);
    if (err == NULL && *rest != '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s': '%s' is left over", text, rest);
    }
    return err;
}

struct lull_error *lull_debug_assign(struct lull_debug *d, const char *text)
{
    struct lull_place place = {0};
    const char *rest = text;
    struct lull_error *err = lull_place_parse(d, text, &rest, &place);
    if (err != NULL) {
        return err;
    }
    while (isspace((unsigned char)*rest)) {
        rest++;
    }
    if (*rest != '=') {
        return lull_error_new(LULL_ERR_INVALID, "'%s': expected '=' after the place", text);
    }
    struct lull_value value = {0};
    err = lull_debug_eval(d, rest + 1, &value);
    return err != NULL ? err : lull_place_write(d, &place, &value);
}
