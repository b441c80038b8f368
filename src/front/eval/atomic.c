// SPDX-License-Identifier: MIT
// Atomics: one lane after the other, in their order.
#include <math.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

/** Where the operands of an atomic are; 0: it has none of it. */
struct shape {
    uint32_t pointer, value, comparator;
    bool gives; ///< It has a result.
};

static bool shape_of(uint32_t op, struct shape *ret)
{
    switch (op) {
    case SpvOpAtomicLoad:
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
        *ret = (struct shape){3, 0, 0, true};
        return true;
    case SpvOpAtomicStore:
        *ret = (struct shape){1, 4, 0, false};
        return true;
    case SpvOpAtomicCompareExchange:
        *ret = (struct shape){3, 7, 8, true};
        return true;
    case SpvOpAtomicExchange:
    case SpvOpAtomicIAdd:
    case SpvOpAtomicISub:
    case SpvOpAtomicSMin:
    case SpvOpAtomicUMin:
    case SpvOpAtomicSMax:
    case SpvOpAtomicUMax:
    case SpvOpAtomicAnd:
    case SpvOpAtomicOr:
    case SpvOpAtomicXor:
    case SpvOpAtomicFAddEXT:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        *ret = (struct shape){3, 6, 0, true};
        return true;
    default:
        return false;
    }
}

/** What is there afterwards. */
static uint64_t after(uint32_t op, const struct lull_fr_type *t, uint64_t old, uint64_t v,
                      uint64_t comparator)
{
    const int64_t a = lull_fr_extend(t, old), b = lull_fr_extend(t, v);
    switch (op) {
    case SpvOpAtomicLoad:
        return old;
    case SpvOpAtomicIIncrement:
        return old + 1;
    case SpvOpAtomicIDecrement:
        return old - 1;
    case SpvOpAtomicCompareExchange:
        return old == comparator ? v : old;
    case SpvOpAtomicIAdd:
        return old + v;
    case SpvOpAtomicISub:
        return old - v;
    case SpvOpAtomicSMin:
        return a < b ? old : v;
    case SpvOpAtomicUMin:
        return old < v ? old : v;
    case SpvOpAtomicSMax:
        return a > b ? old : v;
    case SpvOpAtomicUMax:
        return old > v ? old : v;
    case SpvOpAtomicAnd:
        return old & v;
    case SpvOpAtomicOr:
        return old | v;
    case SpvOpAtomicXor:
        return old ^ v;
    case SpvOpAtomicFAddEXT:
        return lull_ev_add(t, old, v);
    case SpvOpAtomicFMinEXT:
        return lull_ev_bits(t, fmin(lull_ev_float(t, old), lull_ev_float(t, v)));
    case SpvOpAtomicFMaxEXT:
        return lull_ev_bits(t, fmax(lull_ev_float(t, old), lull_ev_float(t, v)));
    default: // OpAtomicStore, OpAtomicExchange
        return v;
    }
}

static bool of_floats(uint32_t op)
{
    return op == SpvOpAtomicFAddEXT || op == SpvOpAtomicFMinEXT || op == SpvOpAtomicFMaxEXT;
}

struct lull_error *lull_ev_atomic(struct lull_ev *ev, bool *ret_known)
{
    struct shape s = {0};
    struct lull_ev_operand p = {0}, v = {0}, comparator = {0}, result = {0};
    uint64_t *ret = NULL;
    *ret_known = shape_of(ev->in->op, &s);
    if (!*ret_known) {
        return NULL;
    }
    struct lull_error *err = lull_ev_get(ev, ev->in->w[s.pointer], &p);
    err = err == NULL && s.value != 0 ? lull_ev_get(ev, ev->in->w[s.value], &v) : err;
    err = err == NULL && s.comparator != 0 ? lull_ev_get(ev, ev->in->w[s.comparator], &comparator)
                                           : err;
    err = err == NULL && s.gives ? lull_ev_result(ev, &result, &ret) : err;
    if (err != NULL) {
        return err;
    }
    const struct lull_fr_type *t = p.type->kind == LULL_FR_POINTER ? p.type->element : NULL;
    const bool number = t != NULL && (t->kind == LULL_FR_INT || t->kind == LULL_FR_FLOAT);
    if (!number || (s.value != 0 && v.type != t) || (s.comparator != 0 && comparator.type != t) ||
        (s.gives && result.type != t) || (of_floats(ev->in->op) && t->kind != LULL_FR_FLOAT)) {
        return lull_ev_bad(ev, "operands of different types");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const struct lull_ev_pointer at = lull_ev_unpack(lull_ev_of(&p, lane));
        uint64_t old = 0;
        err = lull_ev_load(ev, &at, t, lane, &old);
        const uint64_t now =
            lull_ev_cut(t, after(ev->in->op, t, old, s.value != 0 ? *lull_ev_of(&v, lane) : 0,
                                 s.comparator != 0 ? *lull_ev_of(&comparator, lane) : 0));
        if (err == NULL && ev->in->op != SpvOpAtomicLoad) {
            err = lull_ev_store(ev, &at, t, lane, &now);
        }
        if (s.gives) {
            ret[lane] = old;
        }
    }
    return err;
}
