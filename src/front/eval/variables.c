// SPDX-License-Identifier: MIT
// Variables: where they are, and what is in them when a workgroup begins.
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/eval/priv.h"

enum { TRIPLE = 3, MASK_WORDS = 4, WORD_BITS = 32 };
static const uint64_t MOST_MEMORY = UINT64_C(1) << 29; // bytes of all lanes together

/** A place of its own for @p words words; false: too many. */
static bool reserve(size_t *words, uint64_t n, struct lull_ev_pointer *p)
{
    p->at = *words;
    p->end = *words + n;
    *words += n;
    return n != 0 && *words < MOST_MEMORY;
}

LULL_MUST_USE static struct lull_error *place(struct lull_ev *ev, const struct lull_fr_type *t,
                                              uint32_t id, struct lull_ev_pointer *p)
{
    const struct lull_fr_decor *d = &ev->m->ids[id].decor;
    switch (t->storage) {
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
    case SpvStorageClassInput:
    case SpvStorageClassOutput:
        p->space = LULL_EV_LANE;
        return reserve(&ev->lane_words, lull_ev_words(t->element), p)
                   ? NULL
                   : lull_ev_refuse(ev, "a variable of such a type");
    case SpvStorageClassWorkgroup:
        if (t->element->kind == LULL_FR_STRUCT && t->element->block) { // all at the same place
            p->space = LULL_EV_GROUP_BYTES;
            p->end = lull_ev_bytes(t->element);
            ev->ngroup_bytes = p->end > ev->ngroup_bytes ? p->end : ev->ngroup_bytes;
            return p->end != 0 && p->end < MOST_MEMORY
                       ? NULL
                       : lull_ev_refuse(ev, "a variable of such a type");
        }
        p->space = LULL_EV_GROUP;
        return reserve(&ev->group_words, lull_ev_words(t->element), p)
                   ? NULL
                   : lull_ev_refuse(ev, "a variable of such a type");
    case SpvStorageClassPushConstant:
        p->space = LULL_EV_PUSH;
        p->end = ev->d.push_bytes;
        return NULL;
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniform:
    case SpvStorageClassUniformConstant:
        p->space = LULL_EV_BINDING;
        p->at = (uint64_t)d->set << WORD_BITS | d->binding;
        return d->set != LULL_FR_NONE && d->binding != LULL_FR_NONE
                   ? NULL
                   : lull_ev_bad(ev, "no set, or no binding");
    default:
        return lull_ev_refuse(ev, "a variable of such a storage class");
    }
}

LULL_MUST_USE static struct lull_error *add(struct lull_ev *ev, const struct lull_spv_insn *in)
{
    struct lull_ev_pointer p = {0};
    const struct lull_fr_type *t = lull_fr_type_of(ev->m, in->w[1]);
    uint64_t *words = lull_arena_calloc(&ev->arena, LULL_EV_POINTER, sizeof *words);
    ev->in = in;
    if (words == NULL) {
        return &lull_enomem;
    }
    if (t == NULL || t->kind != LULL_FR_POINTER || t->storage != in->w[3] || t->element == NULL) {
        return lull_ev_bad(ev, "its type is not a pointer to its storage class");
    }
    struct lull_error *err = place(ev, t, in->w[2], &p);
    lull_ev_pack(&p, words);
    ev->values[in->w[2]] = words;
    ev->shared[in->w[2]] = true;
    return err;
}

struct lull_error *lull_ev_variables(struct lull_ev *ev)
{
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         err == NULL && lull_spv_next(&ev->m->spv, &pos, &in);) {
        err = in.op == SpvOpVariable ? add(ev, &in) : NULL;
    }
    ev->in = NULL;
    if (err == NULL && ((uint64_t)ev->lane_words * ev->nlanes > MOST_MEMORY / sizeof(uint64_t) ||
                        ev->group_words > MOST_MEMORY / sizeof(uint64_t))) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "its variables would take too much memory");
    }
    ev->lane_memory = calloc((size_t)ev->lane_words * ev->nlanes + 1, sizeof *ev->lane_memory);
    ev->group_memory = calloc(ev->group_words + 1, sizeof *ev->group_memory);
    ev->group_bytes = calloc(ev->ngroup_bytes + 1, 1);
    return err != NULL ? err
           : ev->lane_memory == NULL || ev->group_memory == NULL || ev->group_bytes == NULL
               ? &lull_enomem
               : NULL;
}

/** The lanes of a subgroup that compare so with @p lane, as four words. */
static void mask(uint32_t builtin, uint32_t lane, uint32_t wave, uint64_t *ret)
{
    for (uint32_t i = 0; i < wave; i++) {
        const bool in = builtin == SpvBuiltInSubgroupEqMask   ? i == lane
                        : builtin == SpvBuiltInSubgroupGeMask ? i >= lane
                        : builtin == SpvBuiltInSubgroupGtMask ? i > lane
                        : builtin == SpvBuiltInSubgroupLeMask ? i <= lane
                                                              : i < lane;
        ret[i / WORD_BITS] |= in ? UINT64_C(1) << i % WORD_BITS : 0;
    }
}

/** What a built-in is in a lane; false: not known. */
static bool builtin(const struct lull_ev *ev, uint32_t which, uint32_t lane, uint64_t *ret)
{
    const uint32_t *size = ev->m->local_size;
    const uint32_t local[TRIPLE] = {lane % size[0], lane / size[0] % size[1],
                                    lane / size[0] / size[1]};
    for (unsigned i = 0; i < TRIPLE; i++) {
        const uint32_t group = ev->d.base[i] + ev->group[i];
        ret[i] = which == SpvBuiltInNumWorkgroups        ? ev->d.groups[i]
                 : which == SpvBuiltInWorkgroupId        ? group
                 : which == SpvBuiltInWorkgroupSize      ? size[i]
                 : which == SpvBuiltInLocalInvocationId  ? local[i]
                 : which == SpvBuiltInGlobalInvocationId ? (uint32_t)(group * size[i] + local[i])
                                                         : 0;
    }
    switch (which) {
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInDeviceIndex:
        return true;
    case SpvBuiltInLocalInvocationIndex:
        ret[0] = lane;
        return true;
    case SpvBuiltInSubgroupSize:
        ret[0] = ev->d.wave;
        return true;
    case SpvBuiltInNumSubgroups:
        ret[0] = (ev->nlanes + ev->d.wave - 1) / ev->d.wave;
        return true;
    case SpvBuiltInSubgroupId:
        ret[0] = lane / ev->d.wave;
        return true;
    case SpvBuiltInSubgroupLocalInvocationId:
        ret[0] = lane % ev->d.wave;
        return true;
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        mask(which, lane % ev->d.wave, ev->d.wave, ret);
        return true;
    default:
        return false;
    }
}

LULL_MUST_USE static struct lull_error *fill_input(struct lull_ev *ev, uint32_t id,
                                                   const struct lull_fr_type *t,
                                                   const struct lull_ev_pointer *p)
{
    const uint32_t which = ev->m->ids[id].decor.builtin;
    const uint64_t n = p->end - p->at;
    const bool whole = lull_fr_is_plain(t) && lull_fr_scalar(t)->kind == LULL_FR_INT;
    for (uint32_t lane = 0; lane < ev->nlanes; lane++) {
        uint64_t words[MASK_WORDS] = {0};
        if (!whole || n > MASK_WORDS || !builtin(ev, which, lane, words)) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "%%%u: built-in %u as an input", id, which);
        }
        memcpy(ev->lane_memory + ev->lane_words * lane + p->at, words, n * sizeof *words);
    }
    return NULL;
}

/** What @p id, a constant, has as words, into a variable. */
LULL_MUST_USE static struct lull_error *fill(struct lull_ev *ev, uint32_t id,
                                             const struct lull_fr_type *t,
                                             const struct lull_ev_pointer *p)
{
    struct lull_ev_operand from = {0};
    struct lull_error *err = lull_ev_get(ev, id, &from);
    if (err != NULL || from.type != t) {
        return err != NULL ? err : lull_ev_bad(ev, "an initializer of another type");
    }
    const uint32_t n = p->space == LULL_EV_LANE ? ev->nlanes : 1;
    for (uint32_t lane = 0; lane < n && err == NULL; lane++) {
        err = lull_ev_store(ev, p, t, lane, lull_ev_of(&from, lane));
    }
    return err;
}

struct lull_error *lull_ev_begin(struct lull_ev *ev)
{
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    memset(ev->lane_memory, 0, ev->lane_words * ev->nlanes * sizeof *ev->lane_memory);
    memset(ev->group_memory, 0, ev->group_words * sizeof *ev->group_memory);
    memset(ev->group_bytes, 0, ev->ngroup_bytes);
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         err == NULL && pos < ev->m->spv.functions && lull_spv_next(&ev->m->spv, &pos, &in);) {
        if (in.op != SpvOpVariable) {
            continue;
        }
        const struct lull_fr_type *t = lull_fr_type_of(ev->m, in.w[1])->element;
        const struct lull_ev_pointer p = lull_ev_unpack(ev->values[in.w[2]]);
        ev->in = &in;
        if (in.w[3] == SpvStorageClassInput) {
            err = fill_input(ev, in.w[2], t, &p);
        } else if (in.n > 4 && (p.space == LULL_EV_LANE || p.space == LULL_EV_GROUP) &&
                   lull_fr_constant_of(ev->m, in.w[4]) != NULL) {
            err = fill(ev, in.w[4], t, &p);
        }
    }
    ev->in = NULL;
    return err;
}
