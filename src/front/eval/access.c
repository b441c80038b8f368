// SPDX-License-Identifier: MIT
// Instructions about memory: pointers into variables, loads and stores.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

enum { FIRST_INDEX = 4, FIRST_INDEX_BEHIND_ELEMENT = 5 };

/** One step of an access chain: to the part @p i of @p *t. */
LULL_MUST_USE static struct lull_error *into(struct lull_ev *ev, struct lull_ev_pointer *p,
                                             const struct lull_fr_type **t, int64_t i)
{
    const struct lull_fr_type *from = *t;
    const bool words = p->space == LULL_EV_LANE || p->space == LULL_EV_GROUP;
    struct lull_error *err = lull_ev_resolve(ev, from, p);
    const bool member = from->kind == LULL_FR_STRUCT;
    if (err != NULL || (member && (i < 0 || i >= from->count))) {
        return err != NULL ? err : lull_ev_bad(ev, "a member that there is not");
    }
    *t = member ? from->members[i] : from->element;
    if (from->kind != LULL_FR_STRUCT && from->kind != LULL_FR_ARRAY &&
        from->kind != LULL_FR_RUNTIME_ARRAY && from->kind != LULL_FR_VECTOR &&
        from->kind != LULL_FR_MATRIX) {
        return lull_ev_bad(ev, "an index into what has no parts");
    }
    if (p->space == LULL_EV_BINDING) { // an array of descriptors
        p->end = p->end + (uint64_t)i;
        return from->kind == LULL_FR_ARRAY || from->kind == LULL_FR_RUNTIME_ARRAY
                   ? NULL
                   : lull_ev_bad(ev, "an index into a descriptor");
    }
    if (words) {
        uint64_t before = 0;
        for (int64_t k = 0; member && k < i; k++) {
            before += lull_ev_words(from->members[k]);
        }
        p->at += member ? before : (uint64_t)i * lull_ev_words(*t);
        return NULL;
    }
    if (member) {
        const struct lull_fr_decor *d = &from->decor[i];
        p->at += d->offset;
        p->stride = d->matrix_stride;
        p->row_major = d->row_major;
        return d->offset != LULL_FR_NONE ? NULL : lull_ev_bad(ev, "a member without an offset");
    }
    const unsigned size = (*t)->bits / 8;
    const unsigned inner = from->kind == LULL_FR_MATRIX ? (*t)->element->bits / 8 : 0;
    p->at += (uint64_t)i * (from->kind == LULL_FR_VECTOR   ? (p->row_major ? p->stride : size)
                            : from->kind == LULL_FR_MATRIX ? (p->row_major ? inner : p->stride)
                                                           : from->stride);
    return NULL;
}

/** The steps of one lane. @p first: word of the first index. */
LULL_MUST_USE static struct lull_error *steps(struct lull_ev *ev, uint32_t first, uint32_t lane,
                                              struct lull_ev_pointer *p,
                                              const struct lull_fr_type **t)
{
    struct lull_error *err = NULL;
    for (uint32_t i = first; i < ev->in->n && err == NULL; i++) {
        struct lull_ev_operand index = {0};
        err = lull_ev_get(ev, ev->in->w[i], &index);
        if (err == NULL && index.type->kind != LULL_FR_INT) {
            err = lull_ev_bad(ev, "an index that is not an integer");
        }
        err = err != NULL ? err
                          : into(ev, p, t, lull_fr_extend(index.type, *lull_ev_of(&index, lane)));
    }
    return err;
}

LULL_MUST_USE static struct lull_error *chain(struct lull_ev *ev)
{
    struct lull_ev_operand base = {0}, result = {0}, element = {0};
    uint64_t *ret = NULL;
    const bool by_element =
        ev->in->op == SpvOpPtrAccessChain || ev->in->op == SpvOpInBoundsPtrAccessChain;
    struct lull_error *err = lull_ev_get(ev, ev->in->w[3], &base);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    err = err == NULL && by_element ? lull_ev_get_kind(ev, ev->in->w[4], 'i', &element) : err;
    if (err == NULL && (base.type->kind != LULL_FR_POINTER || base.type->element == NULL ||
                        result.type->kind != LULL_FR_POINTER)) {
        err = lull_ev_bad(ev, "not a pointer");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        struct lull_ev_pointer p = lull_ev_unpack(lull_ev_of(&base, lane));
        const struct lull_fr_type *t = base.type->element;
        if (by_element) {
            const bool words = p.space == LULL_EV_LANE || p.space == LULL_EV_GROUP;
            const int64_t i =
                lull_fr_extend(lull_fr_scalar(element.type), *lull_ev_of(&element, lane));
            const uint64_t stride =
                words ? lull_ev_words(t) : ev->m->ids[base.type->id].decor.array_stride;
            p.at += (uint64_t)i * stride;
        }
        err = steps(ev, by_element ? FIRST_INDEX_BEHIND_ELEMENT : FIRST_INDEX, lane, &p, &t);
        if (err == NULL && t != result.type->element) {
            err = lull_ev_bad(ev, "its type is not that of the part");
        }
        lull_ev_pack(&p, ret + result.stride * lane);
    }
    return err;
}

/** The pointer @p id, to what is of type @p *ret_to. */
LULL_MUST_USE static struct lull_error *pointer(struct lull_ev *ev, uint32_t id,
                                                struct lull_ev_operand *ret,
                                                const struct lull_fr_type **ret_to)
{
    struct lull_error *err = lull_ev_get(ev, id, ret);
    if (err == NULL && (ret->type->kind != LULL_FR_POINTER || ret->type->element == NULL)) {
        err = lull_ev_bad(ev, "not a pointer");
    }
    *ret_to = err == NULL ? ret->type->element : NULL;
    return err;
}

LULL_MUST_USE static struct lull_error *load(struct lull_ev *ev)
{
    struct lull_ev_operand from = {0}, result = {0};
    const struct lull_fr_type *t = NULL;
    uint64_t *ret = NULL;
    struct lull_error *err = pointer(ev, ev->in->w[3], &from, &t);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && t != result.type) {
        err = lull_ev_bad(ev, "not of the type of what is there");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const struct lull_ev_pointer p = lull_ev_unpack(lull_ev_of(&from, lane));
        err = lull_ev_load(ev, &p, t, lane, ret + result.stride * lane);
    }
    return err;
}

/**
 * Are they one type, or two that are the same but for their layout? Compilers store structs into
 * such without OpCopyLogical, which is wrong, and drivers take it.
 */
static bool alike(const struct lull_fr_type *a, const struct lull_fr_type *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || a->count != b->count ||
        (a->kind != LULL_FR_STRUCT && a->kind != LULL_FR_ARRAY)) {
        return false;
    }
    if (a->kind == LULL_FR_ARRAY) {
        return alike(a->element, b->element);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (!alike(a->members[i], b->members[i])) {
            return false;
        }
    }
    return true;
}

LULL_MUST_USE static struct lull_error *store(struct lull_ev *ev)
{
    struct lull_ev_operand to = {0}, v = {0};
    const struct lull_fr_type *t = NULL;
    struct lull_error *err = pointer(ev, ev->in->w[1], &to, &t);
    err = err != NULL ? err : lull_ev_get(ev, ev->in->w[2], &v);
    if (err == NULL && (lull_ev_words(t) != v.words || !alike(t, v.type))) {
        err = lull_ev_bad(ev, "not of the type of what is there");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const struct lull_ev_pointer p = lull_ev_unpack(lull_ev_of(&to, lane));
        err = lull_ev_store(ev, &p, t, lane, lull_ev_of(&v, lane));
    }
    return err;
}

LULL_MUST_USE static struct lull_error *copy(struct lull_ev *ev)
{
    enum { MOST = 4096 };
    struct lull_ev_operand to = {0}, from = {0};
    const struct lull_fr_type *t = NULL, *of = NULL;
    uint64_t v[MOST];
    struct lull_error *err = pointer(ev, ev->in->w[1], &to, &t);
    err = err != NULL ? err : pointer(ev, ev->in->w[2], &from, &of);
    if (err == NULL && (t != of || lull_ev_words(t) > MOST)) {
        err = lull_ev_refuse(ev, "a copy of such types");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const struct lull_ev_pointer p = lull_ev_unpack(lull_ev_of(&to, lane)),
                                     q = lull_ev_unpack(lull_ev_of(&from, lane));
        err = lull_ev_load(ev, &q, t, lane, v);
        err = err != NULL ? err : lull_ev_store(ev, &p, t, lane, v);
    }
    return err;
}

/** OpArrayLength: elements of the runtime array that a buffer ends with. */
LULL_MUST_USE static struct lull_error *length(struct lull_ev *ev)
{
    struct lull_ev_operand of = {0}, result = {0};
    const struct lull_fr_type *t = NULL;
    uint64_t *ret = NULL;
    const uint32_t member = ev->in->w[4];
    struct lull_error *err = pointer(ev, ev->in->w[3], &of, &t);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL &&
        (t->kind != LULL_FR_STRUCT || member >= t->count || result.words != 1 ||
         t->members[member]->kind != LULL_FR_RUNTIME_ARRAY || t->members[member]->stride == 0)) {
        err = lull_ev_bad(ev, "not a struct with such a member");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        struct lull_ev_pointer p = lull_ev_unpack(lull_ev_of(&of, lane));
        err = lull_ev_resolve(ev, t, &p);
        const uint64_t at = p.at + t->decor[member].offset;
        ret[lane] = p.end > at ? (p.end - at) / t->members[member]->stride : 0;
    }
    return err;
}

/** Whether, or how far, two pointers differ. */
LULL_MUST_USE static struct lull_error *compare(struct lull_ev *ev)
{
    struct lull_ev_operand a = {0}, b = {0}, result = {0};
    const struct lull_fr_type *t = NULL, *of = NULL;
    uint64_t *ret = NULL;
    struct lull_error *err = pointer(ev, ev->in->w[3], &a, &t);
    err = err != NULL ? err : pointer(ev, ev->in->w[4], &b, &of);
    err = err != NULL ? err : lull_ev_result(ev, &result, &ret);
    if (err == NULL && (t != of || result.words != 1)) {
        err = lull_ev_bad(ev, "pointers to different types");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        struct lull_ev_pointer p = lull_ev_unpack(lull_ev_of(&a, lane)),
                               q = lull_ev_unpack(lull_ev_of(&b, lane));
        err = lull_ev_resolve(ev, t, &p);
        err = err != NULL ? err : lull_ev_resolve(ev, t, &q);
        const bool equal =
            p.space == q.space && p.at == q.at && (p.space != LULL_EV_BINDING || p.end == q.end);
        const uint64_t stride = p.space == LULL_EV_LANE || p.space == LULL_EV_GROUP
                                    ? lull_ev_words(t)
                                    : ev->m->ids[a.type->id].decor.array_stride;
        const int64_t apart = (int64_t)(p.at - q.at) / (int64_t)(stride != 0 ? stride : 1);
        ret[lane] = ev->in->op == SpvOpPtrDiff    ? (uint64_t)apart
                    : ev->in->op == SpvOpPtrEqual ? equal
                                                  : !equal;
        if (result.type->kind == LULL_FR_INT && result.type->bits == 32) {
            ret[lane] = (uint32_t)ret[lane];
        }
    }
    return err;
}

struct lull_error *lull_ev_access(struct lull_ev *ev, bool *ret_known)
{
    *ret_known = true;
    switch (ev->in->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return chain(ev);
    case SpvOpLoad:
        return load(ev);
    case SpvOpStore:
        return store(ev);
    case SpvOpCopyMemory:
        return copy(ev);
    case SpvOpArrayLength:
        return length(ev);
    case SpvOpPtrEqual:
    case SpvOpPtrNotEqual:
    case SpvOpPtrDiff:
        return compare(ev);
    default:
        *ret_known = false;
        return NULL;
    }
}
