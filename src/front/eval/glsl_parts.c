// SPDX-License-Identifier: MIT
// GLSL.std.450: functions of whole vectors and matrices, and those that pack bits.
#include <math.h>
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

enum { FIRST = 5, MOST_ROWS = 4, WORD_BITS = 32 };

/** Operands and the result of one instruction. */
struct work {
    struct lull_ev_operand o[3], result;
    uint64_t *ret;
    const struct lull_fr_type *t; ///< Of the numbers of the first operand.
};

static const struct lull_fr_type *number_of(const struct lull_fr_type *t)
{
    t = t->kind == LULL_FR_MATRIX ? t->element : t;
    return lull_fr_scalar(t);
}

/** @p n operands and room for the result. */
LULL_MUST_USE static struct lull_error *prepare(struct lull_ev *ev, uint32_t n, struct work *k)
{
    struct lull_error *err = NULL;
    for (uint32_t i = 0; i < n && err == NULL; i++) {
        err = lull_ev_get(ev, lull_spv_word(ev->in, FIRST + i), &k->o[i]);
    }
    err = err != NULL ? err : lull_ev_result(ev, &k->result, &k->ret);
    k->t = err == NULL ? number_of(k->o[0].type) : NULL;
    return err == NULL && k->t == NULL ? lull_ev_bad(ev, "operands that are not numbers") : err;
}

static double dot(const struct lull_fr_type *t, const uint64_t *a, const uint64_t *b, size_t n)
{
    uint64_t sum = lull_ev_multiply(t, a[0], b[0]);
    for (size_t i = 1; i < n; i++) {
        sum = lull_ev_add(t, sum, lull_ev_multiply(t, a[i], b[i]));
    }
    return lull_ev_float(t, sum);
}

/** One lane of Length, Distance, Normalize, FaceForward, Reflect, Refract. */
static void geometry(uint32_t op, const struct work *k, uint32_t lane, uint64_t *ret)
{
    const struct lull_fr_type *t = k->t;
    const size_t n = k->o[0].words;
    const uint64_t *a = lull_ev_of(&k->o[0], lane);
    const uint64_t *b = k->o[1].v != NULL ? lull_ev_of(&k->o[1], lane) : a;
    uint64_t d[MOST_ROWS] = {0};
    const double product = dot(t, b, a, n);
    for (size_t i = 0; i < n; i++) {
        d[i] = lull_ev_bits(t, lull_ev_float(t, a[i]) - lull_ev_float(t, b[i]));
    }
    if (op == GLSLstd450Length || op == GLSLstd450Distance) {
        const uint64_t *v = op == GLSLstd450Length ? a : d;
        ret[0] = lull_ev_bits(t, sqrt(dot(t, v, v, n)));
        return;
    }
    const double length = sqrt(dot(t, a, a, n));
    const double eta = op == GLSLstd450Refract ? lull_ev_float(t, *lull_ev_of(&k->o[2], lane)) : 0;
    const double under = 1 - eta * eta * (1 - product * product);
    const bool flips =
        op == GLSLstd450FaceForward && !(dot(t, lull_ev_of(&k->o[2], lane), b, n) < 0);
    for (size_t i = 0; i < n; i++) {
        const double x = lull_ev_float(t, a[i]), y = lull_ev_float(t, b[i]);
        const double v = op == GLSLstd450Normalize     ? x / length
                         : op == GLSLstd450FaceForward ? (flips ? -x : x)
                         : op == GLSLstd450Reflect     ? x - 2 * product * y
                         : under < 0                   ? 0
                                     : eta * x - (eta * product + sqrt(under)) * y;
        ret[i] = lull_ev_bits(t, v);
    }
}

static void cross(const struct work *k, uint32_t lane, uint64_t *ret)
{
    const uint64_t *a = lull_ev_of(&k->o[0], lane), *b = lull_ev_of(&k->o[1], lane);
    for (unsigned i = 0; i < 3; i++) {
        const unsigned x = (i + 1) % 3, y = (i + 2) % 3;
        ret[i] = lull_ev_bits(k->t, lull_ev_float(k->t, lull_ev_multiply(k->t, a[x], b[y])) -
                                        lull_ev_float(k->t, lull_ev_multiply(k->t, a[y], b[x])));
    }
}

LULL_MUST_USE static struct lull_error *vectors(struct lull_ev *ev, uint32_t op)
{
    const bool single = op == GLSLstd450Length || op == GLSLstd450Normalize;
    const bool triple = op == GLSLstd450FaceForward || op == GLSLstd450Refract;
    const bool number = op == GLSLstd450Length || op == GLSLstd450Distance;
    struct work k = {0};
    struct lull_error *err = prepare(ev, single ? 1 : triple ? 3 : 2, &k);
    if (err != NULL) {
        return err;
    }
    const size_t n = k.o[0].words;
    const bool alike = single || (k.o[1].type == k.o[0].type &&
                                  (op != GLSLstd450FaceForward || k.o[2].type == k.o[0].type) &&
                                  (op != GLSLstd450Refract || k.o[2].type == k.t));
    if (!lull_fr_is_plain(k.o[0].type) || k.t->kind != LULL_FR_FLOAT || !alike || n > MOST_ROWS ||
        k.result.type != (number ? k.t : k.o[0].type) || (op == GLSLstd450Cross && n != 3)) {
        return lull_ev_bad(ev, "operands that do not fit");
    }
    for (uint32_t i = 0; i < ev->n; i++) {
        uint64_t *to = k.ret + k.result.words * ev->lanes[i];
        if (op == GLSLstd450Cross) {
            cross(&k, ev->lanes[i], to);
        } else {
            geometry(op, &k, ev->lanes[i], to);
        }
    }
    return NULL;
}

/** The determinant, and what is left of the other columns when Gauss and Jordan are done. */
static double eliminate(double *m, uint32_t n, uint32_t columns)
{
    double determinant = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = i;
        for (uint32_t r = i + 1; r < n; r++) {
            best = fabs(m[i * n + r]) > fabs(m[i * n + best]) ? r : best;
        }
        const double pivot = m[i * n + best];
        determinant *= best != i ? -pivot : pivot;
        for (uint32_t c = 0; c < columns && pivot != 0; c++) {
            const double other = m[c * n + i];
            m[c * n + i] = m[c * n + best] / pivot;
            m[c * n + best] = best != i ? other : m[c * n + best];
        }
        for (uint32_t r = 0; r < n && pivot != 0; r++) {
            const double factor = r != i ? m[i * n + r] : 0;
            for (uint32_t c = 0; c < columns; c++) {
                m[c * n + r] -= factor * m[c * n + i];
            }
        }
    }
    return determinant;
}

/** Determinant, MatrixInverse, in 53 bits. */
LULL_MUST_USE static struct lull_error *matrices(struct lull_ev *ev, uint32_t op)
{
    struct work k = {0};
    struct lull_error *err = prepare(ev, 1, &k);
    if (err != NULL) {
        return err;
    }
    const struct lull_fr_type *m = k.o[0].type;
    if (m->kind != LULL_FR_MATRIX || m->count != m->element->count || m->count > MOST_ROWS ||
        k.result.type != (op == GLSLstd450Determinant ? k.t : m)) {
        return lull_ev_bad(ev, "operands that do not fit");
    }
    const uint32_t n = m->count;
    for (uint32_t i = 0; i < ev->n; i++) {
        double both[2 * MOST_ROWS * MOST_ROWS] = {0};
        const uint64_t *from = lull_ev_of(&k.o[0], ev->lanes[i]);
        uint64_t *to = k.ret + k.result.words * ev->lanes[i];
        for (uint32_t j = 0; j < n * n; j++) {
            both[j] = lull_ev_float(k.t, from[j]);
            both[n * n + j] = j / n == j % n;
        }
        const double determinant = eliminate(both, n, 2 * n);
        to[0] = lull_ev_bits(k.t, determinant);
        for (uint32_t j = 0; op == GLSLstd450MatrixInverse && j < n * n; j++) {
            to[j] = lull_ev_bits(k.t, both[n * n + j]);
        }
    }
    return NULL;
}

/** The numbers that one word holds: so many, of so many bits, as what. */
struct packing {
    unsigned n, bits;
    bool is_signed, half, packs;
};

static bool packing_of(uint32_t op, struct packing *ret)
{
    switch (op) {
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450UnpackSnorm4x8:
        *ret = (struct packing){4, 8, true, false, op == GLSLstd450PackSnorm4x8};
        return true;
    case GLSLstd450PackUnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
        *ret = (struct packing){4, 8, false, false, op == GLSLstd450PackUnorm4x8};
        return true;
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450UnpackSnorm2x16:
        *ret = (struct packing){2, 16, true, false, op == GLSLstd450PackSnorm2x16};
        return true;
    case GLSLstd450PackUnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
        *ret = (struct packing){2, 16, false, false, op == GLSLstd450PackUnorm2x16};
        return true;
    case GLSLstd450PackHalf2x16:
    case GLSLstd450UnpackHalf2x16:
        *ret = (struct packing){2, 16, false, true, op == GLSLstd450PackHalf2x16};
        return true;
    default:
        return false;
    }
}

/** One number's bits, of a float; and the other way round. */
static uint64_t packed(const struct packing *p, double v)
{
    static const struct lull_fr_type half = {.kind = LULL_FR_FLOAT, .bits = 16};
    const double most = (double)((1U << (p->bits - (p->is_signed ? 1 : 0))) - 1);
    const double least = p->is_signed ? -1 : 0;
    return p->half ? lull_ev_bits(&half, v)
                   : (uint64_t)(int64_t)nearbyint(fmin(fmax(v, least), 1) * most) &
                         ((1U << p->bits) - 1);
}

static double unpacked(const struct packing *p, uint64_t bits)
{
    static const struct lull_fr_type half = {.kind = LULL_FR_FLOAT, .bits = 16};
    const struct lull_fr_type whole = {.kind = LULL_FR_INT, .bits = p->bits};
    const double most = (double)((1U << (p->bits - (p->is_signed ? 1 : 0))) - 1);
    return p->half        ? lull_ev_float(&half, bits)
           : p->is_signed ? fmax((double)lull_fr_extend(&whole, bits) / most, -1)
                          : (double)bits / most;
}

LULL_MUST_USE static struct lull_error *pack(struct lull_ev *ev, const struct packing *p)
{
    struct work k = {0};
    struct lull_error *err = prepare(ev, 1, &k);
    const struct lull_fr_type *to = err == NULL ? number_of(k.result.type) : NULL;
    if (err == NULL && (to == NULL || k.o[0].words != (p->packs ? p->n : 1) ||
                        k.result.words != (p->packs ? 1 : p->n) ||
                        k.t->kind != (p->packs ? LULL_FR_FLOAT : LULL_FR_INT) ||
                        to->kind != (p->packs ? LULL_FR_INT : LULL_FR_FLOAT))) {
        err = lull_ev_bad(ev, "operands that do not fit");
    }
    for (uint32_t i = 0; i < ev->n && err == NULL; i++) {
        const uint64_t *from = lull_ev_of(&k.o[0], ev->lanes[i]);
        uint64_t *ret = k.ret + k.result.words * ev->lanes[i], word = 0;
        for (unsigned j = 0; j < p->n; j++) {
            if (p->packs) {
                word |= packed(p, lull_ev_float(k.t, from[j])) << j * p->bits;
            } else {
                const uint64_t bits = from[0] >> j * p->bits & ((1U << p->bits) - 1);
                ret[j] = lull_ev_bits(to, unpacked(p, bits));
            }
        }
        ret[0] = p->packs ? word : ret[0];
    }
    return err;
}

/** PackDouble2x32, UnpackDouble2x32. */
LULL_MUST_USE static struct lull_error *doubles(struct lull_ev *ev, bool packs)
{
    struct work k = {0};
    struct lull_error *err = prepare(ev, 1, &k);
    if (err == NULL && (k.o[0].words != (packs ? 2 : 1) || k.result.words != (packs ? 1 : 2))) {
        err = lull_ev_bad(ev, "operands that do not fit");
    }
    for (uint32_t i = 0; i < ev->n && err == NULL; i++) {
        const uint64_t *from = lull_ev_of(&k.o[0], ev->lanes[i]);
        uint64_t *ret = k.ret + k.result.words * ev->lanes[i];
        const uint64_t v = packs ? from[0] | from[1] << WORD_BITS : from[0];
        ret[0] = packs ? v : (uint32_t)v;
        if (!packs) {
            ret[1] = v >> WORD_BITS;
        }
    }
    return err;
}

/** Modf, Frexp (through a pointer), ModfStruct, FrexpStruct (both parts), Ldexp. */
LULL_MUST_USE static struct lull_error *apart(struct lull_ev *ev, uint32_t op)
{
    const bool modf_ = op == GLSLstd450Modf || op == GLSLstd450ModfStruct;
    const bool through = op == GLSLstd450Modf || op == GLSLstd450Frexp;
    struct work k = {0};
    struct lull_error *err = prepare(ev, through ? 2 : 1, &k);
    const size_t n = k.o[0].words;
    const struct lull_fr_type *second = NULL;
    if (err == NULL) {
        second = through && k.o[1].type->kind == LULL_FR_POINTER ? k.o[1].type->element
                 : !through && k.result.type->kind == LULL_FR_STRUCT && k.result.type->count == 2
                     ? k.result.type->members[1]
                     : NULL;
    }
    if (err == NULL && (second == NULL || k.t->kind != LULL_FR_FLOAT || n > MOST_ROWS ||
                        lull_ev_words(second) != n || k.result.words != (through ? n : 2 * n) ||
                        !lull_fr_is_plain(second))) {
        err = lull_ev_bad(ev, "operands that do not fit");
    }
    for (uint32_t i = 0; i < ev->n && err == NULL; i++) {
        const uint32_t lane = ev->lanes[i];
        uint64_t *ret = k.ret + k.result.words * lane, other[MOST_ROWS] = {0};
        for (size_t j = 0; j < n; j++) {
            const double v = lull_ev_float(k.t, lull_ev_of(&k.o[0], lane)[j]);
            double whole = 0;
            int exponent = 0;
            const double first = modf_ ? modf(v, &whole) : frexp(v, &exponent);
            ret[j] = lull_ev_bits(k.t, first);
            other[j] = modf_ ? lull_ev_bits(k.t, whole)
                             : lull_ev_cut(lull_fr_scalar(second), (uint64_t)(int64_t)exponent);
        }
        if (through) {
            const struct lull_ev_pointer p = lull_ev_unpack(lull_ev_of(&k.o[1], lane));
            err = lull_ev_store(ev, &p, second, lane, other);
        } else {
            memcpy(ret + n, other, n * sizeof *ret);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *scale(struct lull_ev *ev)
{
    struct work k = {0};
    struct lull_error *err = prepare(ev, 2, &k);
    if (err == NULL && (k.t->kind != LULL_FR_FLOAT || k.o[1].words != k.o[0].words ||
                        k.result.type != k.o[0].type || lull_ev_kind(k.o[1].type) != 'i')) {
        err = lull_ev_bad(ev, "operands that do not fit");
    }
    for (uint32_t i = 0; i < ev->n && err == NULL; i++) {
        const uint32_t lane = ev->lanes[i];
        for (size_t j = 0; j < k.result.words; j++) {
            const int64_t by =
                lull_fr_extend(lull_fr_scalar(k.o[1].type), lull_ev_of(&k.o[1], lane)[j]);
            k.ret[k.result.words * lane + j] = lull_ev_bits(
                k.t, scalbln(lull_ev_float(k.t, lull_ev_of(&k.o[0], lane)[j]), (long)by));
        }
    }
    return err;
}

struct lull_error *lull_ev_glsl_parts(struct lull_ev *ev, bool *ret_known)
{
    struct packing p = {0};
    const uint32_t op = ev->in->op == SpvOpExtInst ? ev->in->w[4] : 0;
    *ret_known = ev->in->op == SpvOpExtInst;
    if (!*ret_known) {
        return NULL;
    }
    if (packing_of(op, &p)) {
        return pack(ev, &p);
    }
    switch (op) {
    case GLSLstd450Length:
    case GLSLstd450Distance:
    case GLSLstd450Cross:
    case GLSLstd450Normalize:
    case GLSLstd450FaceForward:
    case GLSLstd450Reflect:
    case GLSLstd450Refract:
        return vectors(ev, op);
    case GLSLstd450Determinant:
    case GLSLstd450MatrixInverse:
        return matrices(ev, op);
    case GLSLstd450PackDouble2x32:
    case GLSLstd450UnpackDouble2x32:
        return doubles(ev, op == GLSLstd450PackDouble2x32);
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
        return apart(ev, op);
    case GLSLstd450Ldexp:
        return scale(ev);
    default:
        *ret_known = false;
        return NULL;
    }
}
