// SPDX-License-Identifier: MIT
// GLSL.std.450: functions of each component.
#include <math.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

static const double PI = 3.14159265358979323846;

enum { HALF_TURN = 180, MOST_OPERANDS = 3, FIRST = 5 };

/** Functions of C's library. */
static const struct {
    uint32_t op;
    double (*fn)(double x);
} functions[] = {
    {GLSLstd450Round, nearbyint}, {GLSLstd450RoundEven, nearbyint},
    {GLSLstd450Trunc, trunc},     {GLSLstd450FAbs, fabs},
    {GLSLstd450Floor, floor},     {GLSLstd450Ceil, ceil},
    {GLSLstd450Sin, sin},         {GLSLstd450Cos, cos},
    {GLSLstd450Tan, tan},         {GLSLstd450Asin, asin},
    {GLSLstd450Acos, acos},       {GLSLstd450Atan, atan},
    {GLSLstd450Sinh, sinh},       {GLSLstd450Cosh, cosh},
    {GLSLstd450Tanh, tanh},       {GLSLstd450Asinh, asinh},
    {GLSLstd450Acosh, acosh},     {GLSLstd450Atanh, atanh},
    {GLSLstd450Exp, exp},         {GLSLstd450Log, log},
    {GLSLstd450Exp2, exp2},       {GLSLstd450Log2, log2},
    {GLSLstd450Sqrt, sqrt},
};

static double of_one(uint32_t op, double x, bool *ret_known)
{
    *ret_known = true;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (functions[i].op == op) {
            return functions[i].fn(x);
        }
    }
    switch (op) {
    case GLSLstd450FSign:
        return x > 0 ? 1 : x < 0 ? -1 : 0;
    case GLSLstd450Fract:
        return x - floor(x);
    case GLSLstd450Radians:
        return x * (PI / HALF_TURN);
    case GLSLstd450Degrees:
        return x * (HALF_TURN / PI);
    case GLSLstd450InverseSqrt:
        return 1 / sqrt(x);
    default:
        *ret_known = false;
        return 0;
    }
}

/** 0 below, 1 above, smooth between. */
static double smooth(double low, double high, double x)
{
    const double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

/** Of two and three operands. */
static double of_more(uint32_t op, const double v[MOST_OPERANDS], bool *ret_known)
{
    *ret_known = true;
    switch (op) {
    case GLSLstd450Atan2:
        return atan2(v[0], v[1]);
    case GLSLstd450Pow:
        return pow(v[0], v[1]);
    case GLSLstd450FMin:
    case GLSLstd450NMin:
        return fmin(v[0], v[1]);
    case GLSLstd450FMax:
    case GLSLstd450NMax:
        return fmax(v[0], v[1]);
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
        return fmin(fmax(v[0], v[1]), v[2]);
    case GLSLstd450FMix:
        return v[0] * (1 - v[2]) + v[1] * v[2];
    case GLSLstd450Step:
        return v[1] < v[0] ? 0 : 1;
    case GLSLstd450SmoothStep:
        return smooth(v[0], v[1], v[2]);
    default:
        *ret_known = false;
        return 0;
    }
}

/** The highest bit that is set; -1: none. */
static uint64_t high_bit(uint64_t v)
{
    return v == 0 ? UINT64_MAX : 63 - (uint64_t)__builtin_clzll(v);
}

static bool integers(uint32_t op, const struct lull_fr_type *t, const uint64_t v[MOST_OPERANDS],
                     uint64_t *ret)
{
    const int64_t a = lull_fr_extend(t, v[0]), b = lull_fr_extend(t, v[1]),
                  c = lull_fr_extend(t, v[2]);
    switch (op) {
    case GLSLstd450SAbs:
        *ret = a < 0 ? -(uint64_t)a : (uint64_t)a;
        return true;
    case GLSLstd450SSign:
        *ret = a > 0 ? 1 : a < 0 ? UINT64_MAX : 0;
        return true;
    case GLSLstd450UMin:
        *ret = v[0] < v[1] ? v[0] : v[1];
        return true;
    case GLSLstd450SMin:
        *ret = (uint64_t)(a < b ? a : b);
        return true;
    case GLSLstd450UMax:
        *ret = v[0] > v[1] ? v[0] : v[1];
        return true;
    case GLSLstd450SMax:
        *ret = (uint64_t)(a > b ? a : b);
        return true;
    case GLSLstd450UClamp:
        *ret = v[0] < v[1] ? v[1] : v[0];
        *ret = *ret > v[2] ? v[2] : *ret;
        return true;
    case GLSLstd450SClamp:
        *ret = (uint64_t)(a < b ? b : a);
        *ret = (int64_t)*ret > c ? (uint64_t)c : *ret;
        return true;
    case GLSLstd450FindILsb:
        *ret = v[0] == 0 ? UINT64_MAX : (uint64_t)__builtin_ctzll(v[0]);
        return true;
    case GLSLstd450FindSMsb:
        *ret = high_bit(lull_ev_cut(t, (uint64_t)(a < 0 ? ~a : a)));
        return true;
    case GLSLstd450FindUMsb:
        *ret = high_bit(v[0]);
        return true;
    default:
        return false;
    }
}

/** How many operands it has; 0: not one of these. */
static uint32_t count(uint32_t op)
{
    const double none[MOST_OPERANDS] = {0};
    const uint64_t zero[MOST_OPERANDS] = {0};
    const struct lull_fr_type t = {.kind = LULL_FR_INT, .bits = 32};
    uint64_t ret = 0;
    bool known = false;
    (void)of_one(op, 0, &known);
    const bool single = op == GLSLstd450SAbs || op == GLSLstd450SSign || op == GLSLstd450FindILsb ||
                        op == GLSLstd450FindSMsb || op == GLSLstd450FindUMsb;
    const bool triple = op == GLSLstd450FClamp || op == GLSLstd450NClamp ||
                        op == GLSLstd450UClamp || op == GLSLstd450SClamp || op == GLSLstd450FMix ||
                        op == GLSLstd450SmoothStep || op == GLSLstd450Fma;
    if (known || single) {
        return 1;
    }
    if (triple) {
        return 3;
    }
    (void)of_more(op, none, &known);
    return known || integers(op, &t, zero, &ret) ? 2 : 0;
}

static uint64_t one(uint32_t op, const struct lull_fr_type *t, const uint64_t v[MOST_OPERANDS])
{
    uint64_t ret = 0;
    bool known = false;
    if (t->kind == LULL_FR_INT) {
        (void)integers(op, t, v, &ret);
        return lull_ev_cut(t, ret);
    }
    if (op == GLSLstd450Fma) {
        return lull_ev_fma(t, v[0], v[1], v[2]);
    }
    const double x[MOST_OPERANDS] = {lull_ev_float(t, v[0]), lull_ev_float(t, v[1]),
                                     lull_ev_float(t, v[2])};
    const double single = of_one(op, x[0], &known);
    return lull_ev_bits(t, known ? single : of_more(op, x, &known));
}

/** Does the function take integers? */
static bool takes_integers(uint32_t op)
{
    const struct lull_fr_type t = {.kind = LULL_FR_INT, .bits = 32};
    const uint64_t zero[MOST_OPERANDS] = {0};
    uint64_t ret = 0;
    return integers(op, &t, zero, &ret);
}

struct lull_error *lull_ev_glsl(struct lull_ev *ev, bool *ret_known)
{
    const bool extended = ev->in->op == SpvOpExtInst && ev->in->w[3] == ev->m->glsl;
    const uint32_t op = extended ? ev->in->w[4] : 0, n = extended ? count(op) : 0;
    struct lull_ev_operand o[MOST_OPERANDS] = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = NULL;
    *ret_known = n != 0;
    for (uint32_t i = 0; i < n && err == NULL; i++) {
        err = lull_ev_get_kind(ev, lull_spv_word(ev->in, FIRST + i), takes_integers(op) ? 'i' : 'f',
                               &o[i]);
        if (err == NULL && (o[i].words != o[0].words ||
                            lull_fr_scalar(o[i].type)->bits != lull_fr_scalar(o[0].type)->bits)) {
            err = lull_ev_bad(ev, "operands of different types");
        }
    }
    if (err != NULL || n == 0) {
        return err;
    }
    err = lull_ev_result(ev, &result, &ret);
    if (err == NULL && (!lull_fr_is_plain(result.type) || result.words != o[0].words ||
                        lull_fr_scalar(result.type)->bits != lull_fr_scalar(o[0].type)->bits)) {
        err = lull_ev_bad(ev, "operands that do not fit the type of the result");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        for (size_t i = 0; i < result.words; i++) {
            uint64_t v[MOST_OPERANDS] = {0};
            for (uint32_t j = 0; j < n; j++) {
                v[j] = lull_ev_of(&o[j], lane)[i];
            }
            ret[result.words * lane + i] = one(op, lull_fr_scalar(o[0].type), v);
        }
    }
    return err;
}
