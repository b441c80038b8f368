// SPDX-License-Identifier: MIT
// Products of vectors and matrices: sums from the first part on, each rounded.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/eval/priv.h"

/** A vector is a matrix of one column, or of one row. */
struct shape {
    uint32_t rows, columns;
};

static struct shape shape_of(const struct lull_fr_type *t, bool row)
{
    if (t->kind == LULL_FR_MATRIX) {
        return (struct shape){t->element->count, t->count};
    }
    const uint32_t n = t->kind == LULL_FR_VECTOR ? t->count : 1;
    return row ? (struct shape){1, n} : (struct shape){n, 1};
}

static const struct lull_fr_type *number_of(const struct lull_fr_type *t)
{
    t = t->kind == LULL_FR_MATRIX ? t->element : t;
    return lull_fr_scalar(t);
}

/** a times b, as matrices in words, column by column. */
static void product(const struct lull_fr_type *t, struct shape a, struct shape b, const uint64_t *x,
                    const uint64_t *y, uint64_t *ret)
{
    for (uint32_t c = 0; c < b.columns; c++) {
        for (uint32_t r = 0; r < a.rows; r++) {
            uint64_t sum = lull_ev_multiply(t, x[r], y[c * b.rows]);
            for (uint32_t i = 1; i < a.columns; i++) {
                sum =
                    lull_ev_add(t, sum, lull_ev_multiply(t, x[i * a.rows + r], y[c * b.rows + i]));
            }
            ret[c * a.rows + r] = sum;
        }
    }
}

/** All products of two operands. */
LULL_MUST_USE static struct lull_error *multiply(struct lull_ev *ev, bool first_is_row,
                                                 bool second_is_row)
{
    struct lull_ev_operand a = {0}, b = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &a);
    err = err != NULL ? err : lull_ev_get(ev, ev->in->w[4], &b);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err != NULL) {
        return err;
    }
    const struct shape x = shape_of(a.type, first_is_row), y = shape_of(b.type, second_is_row);
    const struct lull_fr_type *t = number_of(a.type);
    if (t == NULL || t->kind != LULL_FR_FLOAT || number_of(b.type) != t ||
        number_of(result.type) != t || x.columns != y.rows ||
        result.words != (size_t)x.rows * y.columns) {
        return lull_ev_bad(ev, "operands that do not fit");
    }
    for (uint32_t k = 0; k < ev->n; k++) {
        const uint32_t lane = ev->lanes[k];
        product(t, x, y, lull_ev_of(&a, lane), lull_ev_of(&b, lane), ret + result.words * lane);
    }
    return NULL;
}

/** Each number of the first by the second, a number. */
LULL_MUST_USE static struct lull_error *scale(struct lull_ev *ev)
{
    struct lull_ev_operand a = {0}, b = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &a);
    err = err != NULL ? err : lull_ev_get_kind(ev, ev->in->w[4], 'f', &b);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (a.type != result.type || number_of(a.type) != b.type || b.words != 1)) {
        err = lull_ev_bad(ev, "operands that do not fit");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        for (size_t i = 0; i < result.words; i++) {
            ret[result.words * lane + i] =
                lull_ev_multiply(b.type, lull_ev_of(&a, lane)[i], *lull_ev_of(&b, lane));
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *transpose(struct lull_ev *ev)
{
    struct lull_ev_operand a = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &a);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (a.type->kind != LULL_FR_MATRIX || result.words != a.words)) {
        err = lull_ev_bad(ev, "operands that do not fit");
    }
    const struct shape s = err == NULL ? shape_of(a.type, false) : (struct shape){1, 1};
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint64_t *from = lull_ev_of(&a, ev->lanes[k]);
        uint64_t *to = ret + result.words * ev->lanes[k];
        for (uint32_t i = 0; to != from && i < s.rows * s.columns; i++) {
            to[i % s.rows * s.columns + i / s.rows] = from[i];
        }
    }
    return err;
}

struct lull_error *lull_ev_matrix(struct lull_ev *ev, bool *ret_known)
{
    *ret_known = true;
    switch (ev->in->op) {
    case SpvOpDot:
    case SpvOpVectorTimesMatrix:
        return multiply(ev, true, false);
    case SpvOpMatrixTimesVector:
    case SpvOpMatrixTimesMatrix:
        return multiply(ev, false, false);
    case SpvOpOuterProduct:
        return multiply(ev, false, true);
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
        return scale(ev);
    case SpvOpTranspose:
        return transpose(ev);
    default:
        *ret_known = false;
        return NULL;
    }
}
