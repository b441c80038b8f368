// SPDX-License-Identifier: MIT
// Arithmetic and comparisons, component by component.
#include <math.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

/** What an instruction takes, and how it is computed. */
enum class {
    NONE,
    INTEGERS,
    INTEGER,
    COMPARE,
    LOGICAL,
    NOT,
    FLOATS,
    NEGATE,
    COMPARE_FLOATS,
};

static enum class class_of(uint32_t op) {
    switch (op){
        case SpvOpIAdd : case SpvOpISub : case SpvOpIMul : case SpvOpUDiv : case SpvOpUMod : case
        SpvOpSDiv : case SpvOpSRem : case SpvOpSMod : case SpvOpShiftLeftLogical : case
        SpvOpShiftRightLogical : case SpvOpShiftRightArithmetic : case SpvOpBitwiseAnd : case
        SpvOpBitwiseOr : case SpvOpBitwiseXor : return INTEGERS;
        case SpvOpSNegate : case SpvOpNot : return INTEGER;
        case SpvOpLogicalEqual : case SpvOpLogicalNotEqual : case SpvOpLogicalOr : case
        SpvOpLogicalAnd : return LOGICAL;
        case SpvOpLogicalNot : return NOT;
        case SpvOpFAdd : case SpvOpFSub : case SpvOpFMul : case SpvOpFDiv : case SpvOpFRem : case
        SpvOpFMod : return FLOATS;
        case SpvOpFNegate : return NEGATE;
        case SpvOpOrdered : case SpvOpUnordered : case SpvOpLessOrGreater : return COMPARE_FLOATS;
        default : return op >= SpvOpIEqual && op <= SpvOpSLessThanEqual ? COMPARE
        : op >= SpvOpFOrdEqual && op <= SpvOpFUnordGreaterThanEqual     ? COMPARE_FLOATS
                                                                        : NONE;
    }
}

static double floats(uint32_t op, double a, double b)
{
    switch (op) {
    case SpvOpFAdd:
        return a + b;
    case SpvOpFSub:
        return a - b;
    case SpvOpFMul:
        return a * b;
    case SpvOpFDiv:
        return a / b;
    case SpvOpFRem:
        return fmod(a, b);
    default: { // OpFMod: the sign of b
        const double rest = fmod(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    }
}

/** Unordered comparisons hold of what is not a number. */
static bool compare_floats(uint32_t op, double a, double b)
{
    const bool unordered = isnan(a) || isnan(b);
    switch (op) {
    case SpvOpFOrdEqual:
        return a == b;
    case SpvOpFUnordEqual:
        return unordered || a == b;
    case SpvOpFOrdNotEqual:
    case SpvOpLessOrGreater:
        return !unordered && a != b;
    case SpvOpFUnordNotEqual:
        return a != b;
    case SpvOpFOrdLessThan:
        return a < b;
    case SpvOpFUnordLessThan:
        return unordered || a < b;
    case SpvOpFOrdGreaterThan:
        return a > b;
    case SpvOpFUnordGreaterThan:
        return unordered || a > b;
    case SpvOpFOrdLessThanEqual:
        return a <= b;
    case SpvOpFUnordLessThanEqual:
        return unordered || a <= b;
    case SpvOpFOrdGreaterThanEqual:
        return a >= b;
    case SpvOpFUnordGreaterThanEqual:
        return unordered || a >= b;
    case SpvOpOrdered:
        return !unordered;
    default: // OpUnordered
        return unordered;
    }
}

/** One component. */
static uint64_t one(enum class class, uint32_t op, const struct lull_fr_type *t,
                    const uint64_t v[2])
{
    uint64_t ret = 0;
    switch (class) {
    case INTEGERS:
        (void)lull_fr_integers(op, t, v, &ret);
        return ret;
    case INTEGER:
    case NOT:
        (void)lull_fr_integer(op, t, v[0], &ret);
        return ret;
    case COMPARE:
    case LOGICAL:
        (void)lull_fr_compare(op, t, v, &ret);
        return ret;
    case FLOATS:
        return lull_ev_bits(t, floats(op, lull_ev_float(t, v[0]), lull_ev_float(t, v[1])));
    case NEGATE:
        return v[0] ^ UINT64_C(1) << (t->bits - 1);
    case COMPARE_FLOATS:
        return compare_floats(op, lull_ev_float(t, v[0]), lull_ev_float(t, v[1]));
    case NONE:
    default:
        return 0;
    }
}

struct lull_error *lull_ev_alu(struct lull_ev *ev, bool *ret_known)
{
    const enum class class = class_of(ev->in->op);
    const char kind = class == INTEGERS || class == INTEGER || class == COMPARE ? 'i'
                      : class == LOGICAL || class == NOT                        ? 'b'
                                                                                : 'f';
    const char gives = class == COMPARE || class == COMPARE_FLOATS ? 'b' : kind;
    struct lull_ev_operand o[2] = {0}, result = {0};
    const uint32_t n = class == INTEGER || class == NOT || class == NEGATE ? 1 : 2;
    uint64_t *ret = NULL;
    struct lull_error *err = NULL;
    *ret_known = class != NONE;
    for (uint32_t i = 0; i < n && class != NONE && err == NULL; i++) {
        err = lull_ev_get_kind(ev, ev->in->w[3 + i], kind, &o[i]);
    }
    if (err != NULL || class == NONE) {
        return err;
    }
    o[1] = n == 1 ? o[0] : o[1];
    err = lull_ev_result(ev, &result, &ret);
    const struct lull_fr_type *t = lull_fr_scalar(o[0].type);
    if (err == NULL &&
        (o[0].words != o[1].words || result.words != o[0].words ||
         lull_ev_kind(result.type) != gives || (kind == 'f' && lull_fr_scalar(o[1].type) != t))) {
        err = lull_ev_bad(ev, "operands of different types");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        for (size_t i = 0; i < result.words; i++) {
            const uint64_t v[2] = {lull_ev_of(&o[0], lane)[i], lull_ev_of(&o[1], lane)[i]};
            ret[result.words * lane + i] =
                lull_ev_cut(lull_fr_scalar(result.type), one(class, ev->in->op, t, v));
        }
    }
    return err;
}
