// SPDX-License-Identifier: MIT
// Values of ids.
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/eval/priv.h"

enum { MOST_NUMBERS = 1 << 20, COST = 16 };            // of a value; of so many a step more
static const uint64_t MOST_VALUES = UINT64_C(1) << 29; // bytes of all values together

struct lull_error *lull_ev_bad(const struct lull_ev *ev, const char *what)
{
    return lull_spv_error(LULL_ERR_BAD_DATA, ev->in, "%s", what);
}

struct lull_error *lull_ev_refuse(const struct lull_ev *ev, const char *what)
{
    return lull_spv_error(LULL_ERR_UNSUPPORTED, ev->in, "%s", what);
}

uint64_t lull_ev_words(const struct lull_fr_type *t)
{
    uint64_t n = 0;
    if (t->scalars > MOST_NUMBERS) {
        return 0;
    }
    switch ((int)t->kind) {
    case LULL_FR_BOOL:
    case LULL_FR_INT:
    case LULL_FR_FLOAT:
        return 1;
    case LULL_FR_VECTOR:
    case LULL_FR_MATRIX:
    case LULL_FR_ARRAY:
        return t->count * lull_ev_words(t->element);
    case LULL_FR_STRUCT:
        for (uint32_t i = 0; t->scalars != 0 && i < t->count; i++) {
            n += lull_ev_words(t->members[i]);
        }
        return n;
    case LULL_FR_POINTER:
        return LULL_EV_POINTER;
    case LULL_FR_OTHER:
        return t->op == SpvOpTypeSampledImage ? 2 * LULL_EV_POINTER : LULL_EV_POINTER;
    default:
        return 0;
    }
}

void lull_ev_flatten(const struct lull_fr_constant *c, uint64_t *ret)
{
    const struct lull_fr_type *t = c->type;
    const uint64_t n = lull_ev_words(t);
    if (c->parts == NULL) {
        memset(ret, 0, n * sizeof *ret);
        if (n == 1) {
            ret[0] = c->bits;
        }
        return;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        lull_ev_flatten(c->parts[i], ret);
        ret += lull_ev_words(c->parts[i]->type);
    }
}

char lull_ev_kind(const struct lull_fr_type *t)
{
    switch ((int)lull_fr_scalar(t)->kind) {
    case LULL_FR_BOOL:
        return 'b';
    case LULL_FR_INT:
        return 'i';
    case LULL_FR_FLOAT:
        return 'f';
    default:
        return 0;
    }
}

LULL_MUST_USE static struct lull_error *constant(struct lull_ev *ev, uint32_t id,
                                                 const struct lull_fr_constant *c)
{
    const uint64_t n = lull_ev_words(c->type);
    uint64_t *words = n != 0 ? lull_arena_calloc(&ev->arena, n, sizeof *words) : NULL;
    if (words == NULL) {
        return n == 0 ? lull_ev_refuse(ev, "a constant of such a type") : &lull_enomem;
    }
    lull_ev_flatten(c, words);
    ev->values[id] = words;
    ev->shared[id] = true;
    return NULL;
}

struct lull_error *lull_ev_get(struct lull_ev *ev, uint32_t id, struct lull_ev_operand *ret)
{
    const struct lull_fr_module *m = ev->m;
    const struct lull_fr_constant *c = lull_fr_constant_of(m, id);
    if (id >= m->spv.bound) {
        return lull_ev_bad(ev, "an operand that there is not");
    }
    if (ev->values[id] == NULL && c != NULL) {
        struct lull_error *err = constant(ev, id, c);
        if (err != NULL) {
            return err;
        }
    }
    const struct lull_fr_type *t = lull_fr_type_of(m, m->spv.type[id]);
    if (ev->values[id] == NULL || t == NULL) {
        return lull_spv_error(LULL_ERR_BAD_DATA, ev->in, "%%%u has no value here", id);
    }
    ev->steps += t->scalars / COST;
    ret->type = t;
    ret->v = ev->values[id];
    ret->words = (size_t)lull_ev_words(t);
    ret->stride = ev->shared[id] ? 0 : ret->words;
    return NULL;
}

struct lull_error *lull_ev_get_kind(struct lull_ev *ev, uint32_t id, char kind,
                                    struct lull_ev_operand *ret)
{
    struct lull_error *err = lull_ev_get(ev, id, ret);
    return err != NULL ? err
           : !lull_fr_is_plain(ret->type) || lull_ev_kind(ret->type) != kind
               ? lull_ev_bad(ev, "an operand of another type than it takes")
               : NULL;
}

struct lull_error *lull_ev_room(struct lull_ev *ev, uint32_t id, const struct lull_fr_type *t,
                                uint64_t **ret)
{
    const uint64_t n = lull_ev_words(t);
    ev->steps += t->scalars / COST;
    if (ev->values[id] == NULL) {
        const uint64_t bytes = n * ev->nlanes * sizeof(uint64_t); // n is below 2^34
        ev->value_bytes += bytes;
        if (n == 0 || n > UINT32_MAX || ev->value_bytes > MOST_VALUES) {
            return lull_ev_refuse(ev, n == 0 ? "a result of such a type"
                                             : "its values would take too much memory");
        }
        ev->values[id] = lull_arena_calloc(&ev->arena, ev->nlanes, n * sizeof(uint64_t));
        if (ev->values[id] == NULL) {
            return &lull_enomem;
        }
    } else if (ev->shared[id]) {
        return lull_ev_bad(ev, "its result is a constant or a variable already");
    }
    *ret = ev->values[id];
    return NULL;
}

struct lull_error *lull_ev_result(struct lull_ev *ev, struct lull_ev_operand *ret,
                                  uint64_t **ret_words)
{
    const struct lull_fr_type *t = lull_fr_type_of(ev->m, ev->in->w[1]);
    if (t == NULL) {
        return lull_ev_bad(ev, "its result has no type");
    }
    ret->type = t;
    ret->words = ret->stride = (size_t)lull_ev_words(t);
    struct lull_error *err = lull_ev_room(ev, ev->in->w[2], t, ret_words);
    ret->v = *ret_words;
    return err;
}
