// SPDX-License-Identifier: MIT
// Operators as they are written, and how close they bind.
#include <string.h>

#include "expr/tree.h"

/* Operators with two operands, by rising precedence; longer tokens first. */
static const struct lull_expr_operator operators[] = {
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
        [LULL_EXPR_INDEX] = "[]", [LULL_EXPR_SELECT] = "?:", [LULL_EXPR_CLASS] = "isnan",
    };
    return (size_t)op < sizeof unary / sizeof unary[0] && unary[op] != NULL ? unary[op] : "?:";
}

const struct lull_expr_operator *lull_expr_operator_at(const char *at, unsigned level)
{
    for (size_t i = 0; i < NOPERATORS; i++) {
        if (strncmp(at, operators[i].token, strlen(operators[i].token)) == 0) {
            return operators[i].level >= level ? &operators[i] : NULL;
        }
    }
    return NULL;
}

enum lull_float_class lull_expr_class_at(const char *at, size_t *ret_length)
{
    static const char *const names[] = {[LULL_FLOAT_ISNAN] = "isnan",
                                        [LULL_FLOAT_ISINF] = "isinf",
                                        [LULL_FLOAT_ISFINITE] = "isfinite",
                                        [LULL_FLOAT_SIGNBIT] = "signbit"};
    for (unsigned i = 0; i < LULL_FLOAT_CLASSES; i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(at, names[i], n) == 0 && at[n + strspn(at + n, " ")] == '(') {
            *ret_length = n;
            return i;
        }
    }
    return LULL_FLOAT_CLASSES;
}
