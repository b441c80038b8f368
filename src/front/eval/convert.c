// SPDX-License-Identifier: MIT
// From one type of number to another.
#include <math.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

enum { SINGLE_BITS = 32, WORD_BITS = 64, MOST_BYTES = 256 };

/** A number as the nearest integer towards 0 that the type has; what is not a number is 0. */
static uint64_t whole(const struct lull_fr_type *t, double v, bool is_signed)
{
    const double top = ldexp(1.0, (int)t->bits - (is_signed ? 1 : 0));
    const double least = is_signed ? -top : 0;
    if (isnan(v)) {
        return 0;
    }
    if (v >= top) {
        return is_signed ? (UINT64_C(1) << (t->bits - 1)) - 1 : UINT64_MAX;
    }
    if (v <= least) {
        return is_signed ? UINT64_C(1) << (t->bits - 1) : 0;
    }
    return is_signed ? (uint64_t)(int64_t)v : (uint64_t)v;
}

/** An integer as the nearest float, in one rounding. */
static uint64_t from_whole(const struct lull_fr_type *to, const struct lull_fr_type *t, uint64_t v,
                           bool is_signed)
{
    const int64_t s = lull_fr_extend(t, v);
    if (to->bits == SINGLE_BITS) {
        const float f = is_signed ? (float)s : (float)v;
        return lull_ev_bits(to, (double)f);
    }
    return lull_ev_bits(to, is_signed ? (double)s : (double)v);
}

/** What a half has of it; what is too small for a normal one is 0, with its sign. */
static uint64_t quantized(const struct lull_fr_type *t, uint64_t v)
{
    enum { HALF_BITS = 16, HALF_EXPONENT = 0x7c00 };
    const struct lull_fr_type half = {.kind = LULL_FR_FLOAT, .bits = HALF_BITS};
    const uint64_t h = lull_ev_bits(&half, lull_ev_float(t, v));
    const double d = lull_ev_float(&half, h);
    return lull_ev_bits(t, (h & HALF_EXPONENT) == 0 ? copysign(0, d) : d);
}

static uint64_t one(uint32_t op, const struct lull_fr_type *to, const struct lull_fr_type *t,
                    uint64_t v)
{
    switch (op) {
    case SpvOpConvertFToU:
        return whole(to, lull_ev_float(t, v), false);
    case SpvOpConvertFToS:
        return whole(to, lull_ev_float(t, v), true);
    case SpvOpConvertSToF:
        return from_whole(to, t, v, true);
    case SpvOpConvertUToF:
        return from_whole(to, t, v, false);
    case SpvOpSConvert:
        return (uint64_t)lull_fr_extend(t, v);
    case SpvOpFConvert:
        return lull_ev_bits(to, lull_ev_float(t, v));
    case SpvOpQuantizeToF16:
        return quantized(t, v);
    default: // OpUConvert
        return v;
    }
}

/** The kinds of what it takes and gives; false: another instruction. */
static bool kinds(uint32_t op, char *from, char *to)
{
    const bool floats = op == SpvOpFConvert || op == SpvOpQuantizeToF16;
    *from = op == SpvOpConvertFToU || op == SpvOpConvertFToS || floats ? 'f' : 'i';
    *to = op == SpvOpConvertSToF || op == SpvOpConvertUToF || floats ? 'f' : 'i';
    return op == SpvOpConvertFToU || op == SpvOpConvertFToS || op == SpvOpConvertSToF ||
           op == SpvOpConvertUToF || op == SpvOpUConvert || op == SpvOpSConvert || floats;
}

/** Bits of one number of it; 0: no numbers. */
static unsigned bits_of(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_POINTER ? WORD_BITS
           : lull_fr_is_plain(t) && lull_fr_scalar(t)->kind != LULL_FR_BOOL
               ? lull_fr_scalar(t)->bits
               : 0;
}

/** The bytes of a value, and a value of bytes. */
static void to_bytes(const struct lull_fr_type *t, const uint64_t *v, size_t n, uint8_t *ret)
{
    const unsigned size = bits_of(t) / 8;
    for (size_t i = 0; i < n; i++) {
        memcpy(ret + i * size, t->kind == LULL_FR_POINTER ? &v[1] : &v[i], size); // little-endian
    }
}

static void of_bytes(const struct lull_fr_type *t, const uint8_t *bytes, size_t n, uint64_t *ret)
{
    const unsigned size = bits_of(t) / 8;
    for (size_t i = 0; i < n; i++) {
        uint64_t v = 0;
        memcpy(&v, bytes + i * size, size);
        if (t->kind == LULL_FR_POINTER) {
            const struct lull_ev_pointer p = {.space = LULL_EV_MEMORY, .at = v};
            lull_ev_pack(&p, ret);
        } else {
            ret[i] = v;
        }
    }
}

/** OpBitcast, and between addresses and integers. */
LULL_MUST_USE static struct lull_error *bits(struct lull_ev *ev)
{
    struct lull_ev_operand from = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &from);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err != NULL) {
        return err;
    }
    const bool address = from.type->kind == LULL_FR_POINTER,
               pointer = result.type->kind == LULL_FR_POINTER;
    const size_t n = address ? 1 : from.words, to = pointer ? 1 : result.words;
    if (bits_of(from.type) == 0 || n * bits_of(from.type) != to * bits_of(result.type) ||
        n * bits_of(from.type) > (uint64_t)MOST_BYTES * 8) {
        return lull_ev_bad(ev, "types of different sizes");
    }
    for (uint32_t k = 0; k < ev->n; k++) {
        const uint32_t lane = ev->lanes[k];
        const uint64_t *v = lull_ev_of(&from, lane);
        uint8_t bytes[MOST_BYTES] = {0};
        const enum lull_ev_space space =
            address ? lull_ev_unpack(v).space : (enum lull_ev_space)LULL_EV_MEMORY;
        if (address && pointer) { // of one storage class
            memcpy(ret + result.words * lane, v, LULL_EV_POINTER * sizeof *v);
            continue;
        }
        if (space != LULL_EV_MEMORY && space != LULL_EV_NULL) {
            return lull_ev_refuse(ev, "a pointer that is not an address in memory");
        }
        to_bytes(from.type, v, n, bytes);
        of_bytes(result.type, bytes, to, ret + result.words * lane);
    }
    return NULL;
}

struct lull_error *lull_ev_convert(struct lull_ev *ev, bool *ret_known)
{
    const uint32_t op = ev->in->op;
    struct lull_ev_operand from = {0}, result = {0};
    uint64_t *ret = NULL;
    char takes = 0, gives = 0;
    *ret_known = true;
    if (op == SpvOpBitcast || op == SpvOpConvertPtrToU || op == SpvOpConvertUToPtr) {
        return bits(ev);
    }
    if (!kinds(op, &takes, &gives)) {
        *ret_known = false;
        return NULL;
    }
    const uint32_t rounding = ev->m->ids[ev->in->w[2]].decor.rounding;
    struct lull_error *err = lull_ev_get_kind(ev, ev->in->w[3], takes, &from);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (result.words != from.words || lull_ev_kind(result.type) != gives)) {
        err = lull_ev_bad(ev, "operands that do not fit the type of the result");
    }
    if (err == NULL && rounding != LULL_FR_NONE && rounding != SpvFPRoundingModeRTE) {
        err = lull_ev_refuse(ev, "another rounding than to nearest");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const struct lull_fr_type *to = lull_fr_scalar(result.type), *t = lull_fr_scalar(from.type);
        for (size_t i = 0; i < result.words; i++) {
            ret[result.words * lane + i] =
                lull_ev_cut(to, one(op, to, t, lull_ev_of(&from, lane)[i]));
        }
    }
    return err;
}
