// SPDX-License-Identifier: MIT
// Vectors, arrays, structs made and taken apart: words that go from one place to another.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/eval/priv.h"

/** The part that the words of the instruction from @p i on name: where its words begin. */
LULL_MUST_USE static struct lull_error *find(const struct lull_ev *ev, uint32_t i,
                                             const struct lull_fr_type **t, size_t *at)
{
    for (; i < ev->in->n; i++) {
        const struct lull_fr_type *from = *t;
        const uint32_t index = ev->in->w[i];
        const bool composite = from->kind == LULL_FR_STRUCT || from->kind == LULL_FR_ARRAY ||
                               from->kind == LULL_FR_MATRIX || from->kind == LULL_FR_VECTOR;
        if (!composite || index >= from->count) {
            return lull_ev_bad(ev, "a part that there is not");
        }
        for (uint32_t k = 0; from->kind == LULL_FR_STRUCT && k < index; k++) {
            *at += (size_t)lull_ev_words(from->members[k]);
        }
        *t = from->kind == LULL_FR_STRUCT ? from->members[index] : from->element;
        *at += from->kind == LULL_FR_STRUCT ? 0 : (size_t)lull_ev_words(*t) * index;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *construct(struct lull_ev *ev)
{
    struct lull_ev_operand result = {0};
    uint64_t *ret = NULL;
    size_t at = 0;
    struct lull_error *err = lull_ev_result(ev, &result, &ret);
    for (uint32_t i = 3; i < ev->in->n && err == NULL; i++) {
        struct lull_ev_operand part = {0};
        err = lull_ev_get(ev, ev->in->w[i], &part);
        if (err == NULL && part.words > result.words - at) {
            err = lull_ev_bad(ev, "parts that the type has not");
        }
        for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
            memcpy(ret + result.words * ev->lanes[k] + at, lull_ev_of(&part, ev->lanes[k]),
                   part.words * sizeof *ret);
        }
        at += part.words;
    }
    return err == NULL && at != result.words ? lull_ev_bad(ev, "parts that the type has not") : err;
}

LULL_MUST_USE static struct lull_error *extract(struct lull_ev *ev)
{
    struct lull_ev_operand from = {0}, result = {0};
    uint64_t *ret = NULL;
    size_t at = 0;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &from);
    const struct lull_fr_type *t = from.type;
    err = err != NULL ? err : find(ev, 4, &t, &at);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && t != result.type) {
        err = lull_ev_bad(ev, "its type is not that of the part");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        memcpy(ret + result.words * ev->lanes[k], lull_ev_of(&from, ev->lanes[k]) + at,
               result.words * sizeof *ret);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *insert(struct lull_ev *ev)
{
    struct lull_ev_operand part = {0}, from = {0}, result = {0};
    uint64_t *ret = NULL;
    size_t at = 0;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &part);
    err = err != NULL ? err : lull_ev_get(ev, ev->in->w[4], &from);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    const struct lull_fr_type *t = from.type;
    err = err != NULL ? err : find(ev, 5, &t, &at);
    if (err == NULL && (t != part.type || from.type != result.type)) {
        err = lull_ev_bad(ev, "its type is not that of the part");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        uint64_t *to = ret + result.words * ev->lanes[k];
        memmove(to, lull_ev_of(&from, ev->lanes[k]), result.words * sizeof *ret);
        memcpy(to + at, lull_ev_of(&part, ev->lanes[k]), part.words * sizeof *ret);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *shuffle(struct lull_ev *ev)
{
    struct lull_ev_operand a = {0}, b = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &a);
    err = err != NULL ? err : lull_ev_get(ev, ev->in->w[4], &b);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL &&
        (a.type->kind != LULL_FR_VECTOR || b.type->kind != LULL_FR_VECTOR ||
         result.type->kind != LULL_FR_VECTOR || a.type->element != result.type->element ||
         b.type->element != result.type->element || ev->in->n != 5 + result.type->count)) {
        err = lull_ev_bad(ev, "vectors that do not fit");
    }
    for (size_t i = 0; err == NULL && i < result.words; i++) {
        const uint32_t which = ev->in->w[5 + i];
        if (which != UINT32_MAX && which >= a.words + b.words) {
            return lull_ev_bad(ev, "a part that there is not");
        }
        for (uint32_t k = 0; k < ev->n; k++) {
            const uint32_t lane = ev->lanes[k];
            ret[result.words * lane + i] = which == UINT32_MAX ? 0
                                           : which < a.words
                                               ? lull_ev_of(&a, lane)[which]
                                               : lull_ev_of(&b, lane)[which - a.words];
        }
    }
    return err;
}

/** OpVectorExtractDynamic, OpVectorInsertDynamic. An index behind the end: 0, nothing. */
LULL_MUST_USE static struct lull_error *dynamic(struct lull_ev *ev)
{
    const bool inserts = ev->in->op == SpvOpVectorInsertDynamic;
    struct lull_ev_operand v = {0}, part = {0}, index = {0}, result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &v);
    err = err == NULL && inserts ? lull_ev_get(ev, ev->in->w[4], &part) : err;
    err = err != NULL ? err : lull_ev_get_kind(ev, ev->in->w[inserts ? 5 : 4], 'i', &index);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (v.type->kind != LULL_FR_VECTOR || index.words != 1 ||
                        result.type != (inserts ? v.type : v.type->element) ||
                        (inserts && part.type != v.type->element))) {
        err = lull_ev_bad(ev, "operands that do not fit the type of the result");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const uint64_t i = *lull_ev_of(&index, lane);
        uint64_t *to = ret + result.words * lane;
        if (!inserts) {
            to[0] = i < v.words ? lull_ev_of(&v, lane)[i] : 0;
            continue;
        }
        memmove(to, lull_ev_of(&v, lane), result.words * sizeof *to);
        if (i < v.words) {
            to[i] = *lull_ev_of(&part, lane);
        }
    }
    return err;
}

struct lull_error *lull_ev_composite(struct lull_ev *ev, bool *ret_known)
{
    *ret_known = true;
    switch (ev->in->op) {
    case SpvOpCompositeConstruct:
        return construct(ev);
    case SpvOpCompositeExtract:
        return extract(ev);
    case SpvOpCompositeInsert:
        return insert(ev);
    case SpvOpVectorShuffle:
        return shuffle(ev);
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        return dynamic(ev);
    default:
        *ret_known = false;
        return NULL;
    }
}
