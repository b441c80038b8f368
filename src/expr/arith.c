// SPDX-License-Identifier: MIT
// One number and another. Source: ISO C17, 6.3.1 (conversions), 6.5 (operators). What C leaves
// undefined: integers wrap, and -2^63 / -1 is -2^63; right shifts of negative numbers keep the
// sign.
#include <math.h>
#include <string.h>

#include "expr/tree.h"

struct lull_ctype lull_ctype_promote(struct lull_ctype t)
{
    t.lds = false;
    t.of = t.stars == 0 ? NULL : t.of;
    return t.stars == 0 && t.kind != LULL_CTYPE_FLOAT && t.bits < 32 ? lull_ctype_int : t;
}

struct lull_ctype lull_ctype_common(struct lull_ctype a, struct lull_ctype b)
{
    a = lull_ctype_promote(a);
    b = lull_ctype_promote(b);
    if (a.kind == LULL_CTYPE_FLOAT || b.kind == LULL_CTYPE_FLOAT) {
        const bool first = b.kind != LULL_CTYPE_FLOAT;
        const bool both = a.kind == b.kind;
        return first || (both && a.bits > b.bits) ? a : b;
    }
    if (a.bits != b.bits) {
        return a.bits > b.bits ? a : b;
    }
    return a.kind == LULL_CTYPE_UNSIGNED ? a : b;
}

static enum lull_arith whole(enum lull_expr_op op, bool is_signed, uint64_t a, uint64_t b,
                             uint64_t *ret)
{
    const int64_t x = (int64_t)a, y = (int64_t)b;
    switch ((unsigned)op) {
    case LULL_EXPR_MUL:
        *ret = a * b;
        break;
    case LULL_EXPR_DIV:
        if (b == 0) {
            return LULL_ARITH_BY_ZERO;
        }
        *ret = !is_signed ? a / b : y == -1 ? 0 - a : (uint64_t)(x / y);
        break;
    case LULL_EXPR_MOD:
        if (b == 0) {
            return LULL_ARITH_BY_ZERO;
        }
        *ret = !is_signed ? a % b : y == -1 ? 0 : (uint64_t)(x % y);
        break;
    case LULL_EXPR_ADD:
        *ret = a + b;
        break;
    case LULL_EXPR_SUB:
        *ret = a - b;
        break;
    case LULL_EXPR_AND:
        *ret = a & b;
        break;
    case LULL_EXPR_XOR:
        *ret = a ^ b;
        break;
    default:
        *ret = a | b;
        break;
    }
    return LULL_ARITH_GOOD;
}

static bool compare(enum lull_expr_op op, bool less, bool equal, bool ordered)
{
    switch ((unsigned)op) {
    case LULL_EXPR_LESS:
        return less;
    case LULL_EXPR_GREATER:
        return ordered && !less && !equal;
    case LULL_EXPR_AT_MOST:
        return less || equal;
    case LULL_EXPR_AT_LEAST:
        return ordered && !less;
    case LULL_EXPR_EQUAL:
        return equal;
    default:
        return !equal;
    }
}

static float single(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float f = 0;
    memcpy(&f, &word, sizeof f);
    return f;
}

static uint64_t single_bits(float f)
{
    uint32_t word = 0;
    memcpy(&word, &f, sizeof word);
    return word;
}

static float single_op(enum lull_expr_op op, float a, float b)
{
    return op == LULL_EXPR_MUL   ? a * b
           : op == LULL_EXPR_DIV ? a / b
           : op == LULL_EXPR_ADD ? a + b
                                 : a - b;
}

static double double_op(enum lull_expr_op op, double a, double b)
{
    return op == LULL_EXPR_MUL   ? a * b
           : op == LULL_EXPR_DIV ? a / b
           : op == LULL_EXPR_ADD ? a + b
                                 : a - b;
}

static double number(struct lull_ctype t, uint64_t bits)
{
    double d = 0;
    if (t.bits == 64) {
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    return t.bits == 16 ? lull_half_value((uint16_t)bits) : (double)single(bits);
}

static bool is_comparison(enum lull_expr_op op)
{
    return op >= LULL_EXPR_LESS && op <= LULL_EXPR_DIFFERENT;
}

static uint64_t real(enum lull_expr_op op, struct lull_ctype t, uint64_t a, uint64_t b)
{
    const double x = number(t, a), y = number(t, b);
    uint64_t bits = 0;
    if (is_comparison(op)) {
        return compare(op, x < y, x == y, !isnan(x) && !isnan(y));
    }
    if (t.bits == 32) {
        return single_bits(single_op(op, (float)x, (float)y));
    }
    const double d = double_op(op, x, y);
    if (t.bits == 16) { // a double is wide enough to be rounded twice without harm
        return lull_half_of(d);
    }
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static uint64_t low_bits(uint64_t v, unsigned bits)
{
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

enum lull_arith lull_arith_binary(enum lull_expr_op op, struct lull_ctype t, uint64_t a, uint64_t b,
                                  uint64_t *ret)
{
    if (lull_ctype_is_float(t)) {
        *ret = real(op, t, a, b);
        return LULL_ARITH_GOOD;
    }
    const unsigned bits = lull_ctype_bits(t);
    const bool is_signed = lull_ctype_is_signed(t);
    const struct lull_ctype wide = is_signed ? lull_ctype_i64 : lull_ctype_u64;
    a = lull_value_convert(t, a, wide);
    if (op == LULL_EXPR_SHL || op == LULL_EXPR_SHR) {
        if (b >= bits) {
            return LULL_ARITH_SHIFT;
        }
        const uint64_t right = is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
        *ret = low_bits(op == LULL_EXPR_SHL ? a << b : right, bits);
        return LULL_ARITH_GOOD;
    }
    b = lull_value_convert(t, b, wide);
    if (is_comparison(op)) {
        *ret = compare(op, is_signed ? (int64_t)a < (int64_t)b : a < b, a == b, true);
        return LULL_ARITH_GOOD;
    }
    uint64_t v = 0;
    const enum lull_arith r = whole(op, is_signed, a, b, &v);
    *ret = low_bits(v, bits);
    return r;
}

uint64_t lull_arith_unary(enum lull_expr_op op, struct lull_ctype t, uint64_t a)
{
    const unsigned bits = lull_ctype_bits(t);
    if (op == LULL_EXPR_PLUS) {
        return a;
    }
    if (lull_ctype_is_float(t)) {
        return a ^ UINT64_C(1) << (bits - 1);
    }
    return low_bits(op == LULL_EXPR_MINUS ? 0 - a : ~a, bits);
}
