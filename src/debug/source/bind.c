// SPDX-License-Identifier: MIT
/* The driver's descriptors into the tables of lull's code. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/source/priv.h"
#include "hw/desc11_regs.h"
#include "hw/field.h"

/** VkDescriptorType. */
enum { DYNAMIC_UNIFORM = 8, DYNAMIC_STORAGE = 9 };

enum { BUFFER_BYTES = 16, SAMPLER_BYTES = 16, IMAGE_BYTES = 32, MAX_ELEMENTS = 65536 };

/** Bindings as they are collected. */
struct list {
    struct lull_pal_binding *all; ///< Owned.
    size_t n, room;
};

LULL_MUST_USE static struct lull_error *add(struct list *l, const struct lull_pal_binding *b)
{
    if (l->n == l->room) {
        const size_t room = l->room != 0 ? 2 * l->room : 16;
        struct lull_pal_binding *all = reallocarray(l->all, room, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        l->all = all;
        l->room = room;
    }
    l->all[l->n++] = *b;
    return NULL;
}

static bool is_dynamic(uint32_t type)
{
    return type == DYNAMIC_UNIFORM || type == DYNAMIC_STORAGE;
}

static enum lull_pal_descriptor kind_of(uint32_t type)
{
    switch (type) {
    case LULL_SPIRV_DESC_SAMPLER:
        return LULL_PAL_SAMPLER;
    case LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER:
    case LULL_SPIRV_DESC_SAMPLED_IMAGE:
    case LULL_SPIRV_DESC_STORAGE_IMAGE:
    case LULL_SPIRV_DESC_INPUT_ATTACHMENT:
        return LULL_PAL_IMAGE;
    case LULL_SPIRV_DESC_UNIFORM_TEXEL_BUFFER:
    case LULL_SPIRV_DESC_STORAGE_TEXEL_BUFFER:
        return LULL_PAL_TEXELS;
    default:
        return LULL_PAL_BUFFER;
    }
}

/** Address of a set, or of the memory with the dynamic buffers; 0: the driver's code uses none. */
static uint64_t memory_of(const struct lull_source_work *w, const struct lull_source_slot *s)
{
    const bool dynamic = is_dynamic(s->at.slot.type);
    for (unsigned i = 0; i < w->bindings.ndescs; i++) {
        const struct lull_desc *desc = &w->bindings.desc[i];
        const struct lull_binding_name *n = &w->known[i];
        if (desc->set_va != 0 &&
            (dynamic ? !n->known && desc->user >= 0 && desc->kind == LULL_DESC_BUFFER
                     : n->known && n->set == s->set)) {
            return desc->set_va;
        }
    }
    return 0;
}

/** Where element @p i is, from memory_of(). */
static uint64_t place_of(const struct lull_source_work *w, const struct lull_source_slot *s,
                         uint32_t i)
{
    if (!is_dynamic(s->at.slot.type)) {
        return s->at.offset + (uint64_t)i * s->at.stride;
    }
    const uint64_t behind = (w->push_bytes + BUFFER_BYTES - 1) / BUFFER_BYTES * BUFFER_BYTES;
    return behind + ((uint64_t)s->dynamic + i) * BUFFER_BYTES;
}

uint32_t lull_source_elements(const struct lull_names_slot *s)
{
    return s->type == LULL_SOURCE_INLINE_BLOCK ? 1 : s->count;
}

/** A descriptor of @p bytes of memory at @p va. */
static void buffer_at(uint64_t va, uint32_t bytes, uint32_t words[4])
{
    uint32_t w =
        lull_set(0, LULL_DESC11_BUF_WORD3__DST_SEL_X_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_X__X);
    w = lull_set(w, LULL_DESC11_BUF_WORD3__DST_SEL_Y_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_Y__Y);
    w = lull_set(w, LULL_DESC11_BUF_WORD3__DST_SEL_Z_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_Z__Z);
    w = lull_set(w, LULL_DESC11_BUF_WORD3__DST_SEL_W_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_W__W);
    w = lull_set(w, LULL_DESC11_BUF_WORD3__FORMAT_MASK, LULL_DESC11_BUF_WORD3__FORMAT__32_UINT);
    words[0] = (uint32_t)va;
    words[1] = lull_set(0, LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK, (uint32_t)(va >> 32));
    words[2] = bytes;
    words[3] =
        lull_set(w, LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK, LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW);
}

/** Element @p i of a binding, whose memory is at @p va. */
LULL_MUST_USE static struct lull_error *take(const struct lull_source_work *w,
                                             const struct lull_source_slot *s, uint64_t va,
                                             uint32_t i, struct list *l)
{
    const struct lull_target_ops *ops = w->d->target->ops;
    const enum lull_pal_descriptor kind = kind_of(s->at.slot.type);
    struct lull_pal_binding b = {
        .set = s->set, .binding = s->at.slot.binding, .element = i, .kind = kind};
    const uint64_t at = va + place_of(w, s, i);
    const size_t bytes = kind == LULL_PAL_IMAGE ? IMAGE_BYTES : BUFFER_BYTES;
    if (s->at.slot.type == LULL_SOURCE_INLINE_BLOCK) { // Its bytes stand in the set.
        buffer_at(at, s->at.slot.count, b.words);
        return add(l, &b);
    }
    const struct lull_names_sampler *own = s->at.slot.samplers;
    if (own != NULL) {
        lull_source_sampler(&own[i], kind == LULL_PAL_SAMPLER ? b.words : b.sampler);
    }
    if (own != NULL && kind == LULL_PAL_SAMPLER) {
        return add(l, &b);
    }
    struct lull_error *err = ops->read(w->d->target, at, b.words, bytes);
    if (err == NULL && own == NULL && s->at.slot.type == LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER) {
        err = ops->read(w->d->target, at + s->at.stride - SAMPLER_BYTES, b.sampler, SAMPLER_BYTES);
    }
    err = lull_error_in(err, "descriptor of set %" PRIu32 ", binding %" PRIu32, s->set,
                        s->at.slot.binding);
    return err != NULL ? err : add(l, &b);
}

bool lull_source_buffer(const struct lull_source_work *w, const struct lull_source_slot *s,
                        uint32_t i, uint64_t *ret_va, uint64_t *ret_bytes)
{
    uint32_t words[4] = {0};
    const uint64_t va = memory_of(w, s);
    if (va == 0 || kind_of(s->at.slot.type) != LULL_PAL_BUFFER) {
        return false;
    }
    const uint64_t at = va + place_of(w, s, i);
    if (s->at.slot.type == LULL_SOURCE_INLINE_BLOCK) {
        *ret_va = at;
        *ret_bytes = s->at.slot.count;
        return true;
    }
    struct lull_error *err = w->d->target->ops->read(w->d->target, at, words, sizeof words);
    *ret_va = words[0] | (uint64_t)lull_get(words[1], LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK)
                             << 32;
    *ret_bytes = words[2];
    const bool ok = err == NULL && *ret_va != 0;
    lull_error_free(err);
    return ok;
}

bool lull_source_texel(const struct lull_source_work *w, const struct lull_source_slot *s,
                       uint32_t i, struct lull_texel *ret)
{
    const enum lull_pal_descriptor kind = kind_of(s->at.slot.type);
    const struct lull_names_sampler *own = s->at.slot.samplers;
    const uint64_t va = memory_of(w, s);
    struct list l = {0};
    if (kind == LULL_PAL_BUFFER || s->at.slot.type == LULL_SOURCE_INLINE_BLOCK ||
        (va == 0 && !(kind == LULL_PAL_SAMPLER && own != NULL))) {
        return false;
    }
    struct lull_error *err = take(w, s, va, i, &l);
    const bool ok = err == NULL && l.n == 1;
    lull_error_free(err);
    if (ok && kind == LULL_PAL_SAMPLER) {
        lull_sampler_desc_parse(l.all->words, &ret->sampler);
    } else if (ok && kind == LULL_PAL_TEXELS) {
        ret->kind = LULL_TEXEL_BUFFER;
        lull_buffer_desc_parse(l.all->words, &ret->buffer);
    } else if (ok) {
        lull_image_desc_parse(l.all->words, &ret->image);
        lull_sampler_desc_parse(l.all->sampler, &ret->sampler);
    }
    free(l.all);
    return ok;
}

LULL_MUST_USE static struct lull_error *collect(const struct lull_source_work *w,
                                                struct lull_str *notes, struct list *l)
{
    struct lull_error *err = NULL;
    for (unsigned k = 0; err == NULL && k < w->nslots; k++) {
        const struct lull_source_slot *s = &w->slots[k];
        const uint64_t va = memory_of(w, s);
        const bool in_layout =
            s->at.slot.samplers != NULL && s->at.slot.type == LULL_SPIRV_DESC_SAMPLER;
        if (va == 0 && !in_layout) {
            lull_str_addf(notes,
                          "set %" PRIu32 ", binding %" PRIu32
                          ": the driver's code does not load it; lull's finds it empty\n",
                          s->set, s->at.slot.binding);
        }
        for (uint32_t i = 0;
             err == NULL && (va != 0 || in_layout) && i < lull_source_elements(&s->at.slot); i++) {
            err = i < MAX_ELEMENTS ? take(w, s, va, i, l)
                                   : lull_error_new(LULL_ERR_UNSUPPORTED,
                                                    "set %" PRIu32 ", binding %" PRIu32
                                                    ": more than %d elements",
                                                    s->set, s->at.slot.binding, MAX_ELEMENTS);
        }
    }
    return err;
}

struct lull_error *lull_source_bind(const struct lull_source_work *w,
                                    const struct lull_source_code *c, struct lull_str *notes,
                                    struct lull_other_code *ret)
{
    const struct lull_dispatch_info *i = &w->d->dispatch;
    struct list l = {0};
    struct lull_amd_bo code = {.va = c->at.va, .map = c->at.map};
    struct lull_amd_bo tables = {.va = c->at.va + c->tables,
                                 .map = (uint8_t *)c->at.map + c->tables};
    const struct lull_pal_placed placed = {.code = &code, .tables = &tables};
    struct lull_amd_dispatch made = {0};
    memset(tables.map, 0, lull_pal_tables_bytes(&c->layout));
    struct lull_error *err = collect(w, notes, &l);
    if (err == NULL) {
        const size_t pushed = w->names.record->npush;
        const struct lull_pal_launch launch = {
            .pipeline = c->pal,
            .layout = &c->layout,
            .bindings = l.all,
            .nbindings = l.n,
            .push = w->names.record->push,
            .push_bytes = pushed < w->push_bytes ? pushed : w->push_bytes,
            .groups = {i->grid[0], i->grid[1], i->grid[2]},
            .block = {i->block[0], i->block[1], i->block[2]},
        };
        err = lull_pal_prepare(&launch, &placed, &made);
    }
    free(l.all);
    if (err != NULL) {
        return err;
    }
    *ret = (struct lull_other_code){.code_va = made.code_va,
                                    .rsrc1 = made.rsrc1,
                                    .rsrc2 = made.rsrc2,
                                    .rsrc3 = made.rsrc3,
                                    .scratch_bytes = made.scratch_bytes,
                                    .lds_bytes = made.lds_bytes};
    memcpy(ret->user_data, made.user_data, sizeof ret->user_data);
    return NULL;
}
