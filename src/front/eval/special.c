// SPDX-License-Identifier: MIT
// Instructions on numbers that are not the same for each component, or give more than one.
#include <math.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

enum { WORD_BITS = 64, HALF_BITS = 32 };

/** OpSelect: of anything, by one truth value or by one for each component. */
LULL_MUST_USE static struct lull_error *select(struct lull_ev *ev)
{
    struct lull_ev_operand which = {0}, a = {0}, b = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get_kind(ev, ev->in->w[3], 'b', &which);
    err = err != NULL ? err : lull_ev_get(ev, ev->in->w[4], &a);
    err = err != NULL ? err : lull_ev_get(ev, ev->in->w[5], &b);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (a.type != result.type || b.type != result.type ||
                        (which.words != 1 && which.words != result.words))) {
        err = lull_ev_bad(ev, "operands of different types");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const uint64_t *w = lull_ev_of(&which, lane);
        for (size_t i = 0; i < result.words; i++) {
            const bool first = w[which.words == 1 ? 0 : i] != 0;
            ret[result.words * lane + i] = lull_ev_of(first ? &a : &b, lane)[i];
        }
    }
    return err;
}

/** The high half of a product. */
static uint64_t high(uint64_t a, uint64_t b)
{
    const uint64_t al = (uint32_t)a, ah = a >> HALF_BITS, bl = (uint32_t)b, bh = b >> HALF_BITS;
    const uint64_t middle = ah * bl + (al * bl >> HALF_BITS); // no carry: at most 2^64 - 2^32
    const uint64_t other = al * bh + (uint32_t)middle;
    return ah * bh + (middle >> HALF_BITS) + (other >> HALF_BITS);
}

/** The low and the high word of a result of two, each of @p t. */
static void extended(uint32_t op, const struct lull_fr_type *t, const uint64_t v[2],
                     uint64_t ret[2])
{
    if (op == SpvOpIAddCarry || op == SpvOpISubBorrow) {
        ret[0] = lull_ev_cut(t, op == SpvOpIAddCarry ? v[0] + v[1] : v[0] - v[1]);
        ret[1] = op == SpvOpIAddCarry ? ret[0] < v[0] : v[0] < v[1];
        return;
    }
    ret[0] = lull_ev_cut(t, v[0] * v[1]);
    ret[1] = high(v[0], v[1]);
    if (t->bits < WORD_BITS) {
        const int64_t a = lull_fr_extend(t, v[0]), b = lull_fr_extend(t, v[1]);
        const uint64_t product = op == SpvOpSMulExtended ? (uint64_t)(a * b) : v[0] * v[1];
        ret[1] = lull_ev_cut(t, product >> t->bits);
    } else if (op == SpvOpSMulExtended) {
        ret[1] -=
            (v[0] >> (WORD_BITS - 1) != 0 ? v[1] : 0) + (v[1] >> (WORD_BITS - 1) != 0 ? v[0] : 0);
    }
}

LULL_MUST_USE static struct lull_error *two_words(struct lull_ev *ev)
{
    struct lull_ev_operand o[2] = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get_kind(ev, ev->in->w[3], 'i', &o[0]);
    err = err != NULL ? err : lull_ev_get_kind(ev, ev->in->w[4], 'i', &o[1]);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (o[0].words != o[1].words || result.words != 2 * o[0].words ||
                        lull_fr_scalar(o[0].type)->bits != lull_fr_scalar(o[1].type)->bits)) {
        err = lull_ev_bad(ev, "operands that do not fit the type of the result");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        for (size_t i = 0; i < o[0].words; i++) {
            const uint64_t v[2] = {lull_ev_of(&o[0], lane)[i], lull_ev_of(&o[1], lane)[i]};
            uint64_t both[2] = {0};
            extended(ev->in->op, lull_fr_scalar(o[0].type), v, both);
            ret[result.words * lane + i] = both[0];
            ret[result.words * lane + o[0].words + i] = both[1];
        }
    }
    return err;
}

/** Bits @p at to @p at + @p n of a number of @p bits bits. */
static uint64_t field_mask(uint64_t at, uint64_t n, unsigned bits)
{
    const uint64_t all = n >= WORD_BITS ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    return at >= bits ? 0 : all << at;
}

static uint64_t field(uint32_t op, const struct lull_fr_type *t, const uint64_t v[4])
{
    // v: base, insert (or base again), offset, count
    const uint64_t mask = field_mask(v[2], v[3], t->bits);
    if (op == SpvOpBitFieldInsert) {
        return (v[0] & ~mask) | (v[2] < t->bits ? v[1] << v[2] & mask : 0);
    }
    if (v[2] >= t->bits || v[3] == 0) {
        return 0;
    }
    const uint64_t bits = (v[0] & mask) >> v[2];
    const bool negative = v[3] < WORD_BITS && (bits >> (v[3] - 1) & 1) != 0;
    return op == SpvOpBitFieldSExtract && negative ? bits | UINT64_MAX << v[3] : bits;
}

LULL_MUST_USE static struct lull_error *bit_field(struct lull_ev *ev)
{
    const bool insert = ev->in->op == SpvOpBitFieldInsert;
    const uint32_t word[4] = {3, insert ? 4 : 3, insert ? 5 : 4, insert ? 6 : 5};
    struct lull_ev_operand o[4] = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = NULL;
    for (unsigned i = 0; i < 4 && err == NULL; i++) {
        err = lull_ev_get_kind(ev, ev->in->w[word[i]], 'i', &o[i]);
    }
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (o[0].type != result.type || o[1].type != result.type || o[2].words != 1 ||
                        o[3].words != 1)) {
        err = lull_ev_bad(ev, "operands of different types");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const struct lull_fr_type *t = lull_fr_scalar(result.type);
        for (size_t i = 0; i < result.words; i++) {
            const uint64_t v[4] = {lull_ev_of(&o[0], lane)[i], lull_ev_of(&o[1], lane)[i],
                                   *lull_ev_of(&o[2], lane), *lull_ev_of(&o[3], lane)};
            ret[result.words * lane + i] = lull_ev_cut(t, field(ev->in->op, t, v));
        }
    }
    return err;
}

static uint64_t single(uint32_t op, const struct lull_fr_type *t, uint64_t v)
{
    uint64_t reversed = 0;
    switch (op) {
    case SpvOpIsNan:
        return isnan(lull_ev_float(t, v)) != 0;
    case SpvOpIsInf:
        return isinf(lull_ev_float(t, v)) != 0;
    case SpvOpBitCount:
        return (uint64_t)__builtin_popcountll(v);
    default: // OpBitReverse
        for (uint32_t i = 0; i < t->bits; i++) {
            reversed |= (v >> i & 1) << (t->bits - 1 - i);
        }
        return reversed;
    }
}

LULL_MUST_USE static struct lull_error *of_one(struct lull_ev *ev, char kind)
{
    struct lull_ev_operand from = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get_kind(ev, ev->in->w[3], kind, &from);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (!lull_fr_is_plain(result.type) || result.words != from.words)) {
        err = lull_ev_bad(ev, "operands that do not fit the type of the result");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        for (size_t i = 0; i < result.words; i++) {
            ret[result.words * lane + i] =
                single(ev->in->op, lull_fr_scalar(from.type), lull_ev_of(&from, lane)[i]);
        }
    }
    return err;
}

/** OpAny, OpAll. */
LULL_MUST_USE static struct lull_error *any_or_all(struct lull_ev *ev)
{
    struct lull_ev_operand from = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get_kind(ev, ev->in->w[3], 'b', &from);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && result.type->kind != LULL_FR_BOOL) {
        err = lull_ev_bad(ev, "its result is not a truth value");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        size_t set = 0;
        for (size_t i = 0; i < from.words; i++) {
            set += lull_ev_of(&from, lane)[i] != 0;
        }
        ret[lane] = ev->in->op == SpvOpAny ? set != 0 : set == from.words;
    }
    return err;
}

/** OpCopyObject, OpCopyLogical: the same words. OpUndef: 0. */
LULL_MUST_USE static struct lull_error *same(struct lull_ev *ev, bool undefined)
{
    struct lull_ev_operand from = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_result(ev, &result, &ret);
    err = err == NULL && !undefined ? lull_ev_get(ev, ev->in->w[3], &from) : err;
    if (err == NULL && !undefined &&
        (from.words != result.words || from.type->kind != result.type->kind)) {
        err = lull_ev_bad(ev, "operands of different types");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        uint64_t *to = ret + result.words * ev->lanes[k];
        if (undefined) {
            memset(to, 0, result.words * sizeof *to);
        } else {
            memcpy(to, lull_ev_of(&from, ev->lanes[k]), result.words * sizeof *to);
        }
    }
    return err;
}

/** OpReadClockKHR: steps done. */
LULL_MUST_USE static struct lull_error *read_clock(struct lull_ev *ev)
{
    struct lull_ev_operand result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_result(ev, &result, &ret);
    if (err == NULL && (lull_ev_kind(result.type) != 'i' || result.words > 2)) {
        err = lull_ev_bad(ev, "its result is not of 64 bits");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        uint64_t *to = ret + result.words * ev->lanes[k];
        to[0] = lull_ev_cut(lull_fr_scalar(result.type), ev->steps);
        if (result.words == 2) {
            to[1] = ev->steps >> 32;
        }
    }
    return err;
}

struct lull_error *lull_ev_special(struct lull_ev *ev, bool *ret_known)
{
    *ret_known = true;
    switch (ev->in->op) {
    case SpvOpSelect:
        return select(ev);
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
        return two_words(ev);
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
        return bit_field(ev);
    case SpvOpBitReverse:
    case SpvOpBitCount:
        return of_one(ev, 'i');
    case SpvOpIsNan:
    case SpvOpIsInf:
        return of_one(ev, 'f');
    case SpvOpAny:
    case SpvOpAll:
        return any_or_all(ev);
    case SpvOpCopyObject:
    case SpvOpExpectKHR:
    case SpvOpCopyLogical:
        return same(ev, false);
    case SpvOpUndef:
        return same(ev, true);
    case SpvOpReadClockKHR:
        return read_clock(ev);
    default:
        *ret_known = false;
        return NULL;
    }
}
