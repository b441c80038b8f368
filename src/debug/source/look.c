// SPDX-License-Identifier: MIT
/* What is known of a dispatch, and the pipeline layout that lull's code is compiled for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/pipeline.h"
#include "debug/source/priv.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"

/** VkDescriptorType; those of shaders are LULL_SPIRV_DESC_*. */
enum { DYNAMIC_UNIFORM = 8, DYNAMIC_STORAGE = 9 };

enum { MAX_SETS = 32, DWORD = 4 };

static bool is_dynamic(uint32_t type)
{
    return type == DYNAMIC_UNIFORM || type == DYNAMIC_STORAGE;
}

/** As docs/formats/pipeline-layout.md has it; NULL: lull's code cannot use it. */
static const char *node_type(uint32_t type)
{
    switch (type) {
    case LULL_SPIRV_DESC_SAMPLER:
        return "sampler";
    case LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER:
        return "combined_texture";
    case LULL_SPIRV_DESC_SAMPLED_IMAGE:
    case LULL_SPIRV_DESC_STORAGE_IMAGE:
    case LULL_SPIRV_DESC_INPUT_ATTACHMENT:
        return "resource";
    case LULL_SPIRV_DESC_UNIFORM_TEXEL_BUFFER:
    case LULL_SPIRV_DESC_STORAGE_TEXEL_BUFFER:
        return "texel_buffer";
    case LULL_SPIRV_DESC_UNIFORM_BUFFER:
    case LULL_SPIRV_DESC_STORAGE_BUFFER:
    case DYNAMIC_UNIFORM:
    case DYNAMIC_STORAGE:
    case LULL_SOURCE_INLINE_BLOCK:
        return "buffer";
    default:
        return NULL;
    }
}

static bool is_used(const struct lull_spirv *m, uint32_t set, uint32_t binding)
{
    return lull_spirv_find_binding(m, set, binding) != NULL;
}

/** The slots of one set that the module has. @p dynamic: descriptors of dynamic buffers so far. */
LULL_MUST_USE static struct lull_error *look_at_set(struct lull_source_work *w, uint32_t set,
                                                    uint32_t *dynamic)
{
    struct lull_set_slot *all = calloc(LULL_SOURCE_SLOTS, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    const size_t n =
        lull_dispatch_set(&w->names, &w->bindings, w->known, set, all, LULL_SOURCE_SLOTS);
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < n && i < LULL_SOURCE_SLOTS; i++) {
        const struct lull_names_slot *s = &all[i].slot;
        const uint32_t first = *dynamic;
        *dynamic += is_dynamic(s->type) ? s->count : 0;
        if (!is_used(w->names.spirv, set, s->binding)) {
            continue;
        }
        if (s->immutable != 0 && (s->samplers == NULL || s->immutable < s->count)) {
            err = lull_error_new(LULL_ERR_UNSUPPORTED,
                                 "set %" PRIu32 ", binding %" PRIu32
                                 ": its samplers are immutable, and what they are is not known",
                                 set, s->binding);
            continue;
        }
        if (node_type(s->type) == NULL || w->nslots == LULL_SOURCE_SLOTS) {
            err = lull_error_new(LULL_ERR_UNSUPPORTED, "set %" PRIu32 ", binding %" PRIu32 ": %s",
                                 set, s->binding,
                                 w->nslots == LULL_SOURCE_SLOTS ? "more bindings than there is room"
                                                                : "its type cannot be bound");
            continue;
        }
        w->slots[w->nslots++] =
            (struct lull_source_slot){.set = set, .at = all[i], .dynamic = first};
    }
    free(all);
    return err;
}

static void put_node(struct lull_str *out, const struct lull_source_slot *s, const char *comma)
{
    lull_str_addf(out,
                  "%s{\"type\": \"%s\", \"set\": %" PRIu32 ", \"binding\": %" PRIu32
                  ", \"count\": %" PRIu32 "}",
                  comma, node_type(s->at.slot.type), s->set, s->at.slot.binding,
                  lull_source_elements(&s->at.slot));
}

/** The root table: push constants, dynamic buffers, a table for each set. */
static void put_layout(struct lull_source_work *w)
{
    const char *comma = "";
    lull_str_addf(&w->json, "{\"nodes\": [");
    if (w->push_bytes != 0) {
        lull_str_addf(&w->json, "{\"type\": \"push_constants\", \"size\": %" PRIu32 "}",
                      (w->push_bytes + DWORD - 1) / DWORD);
        comma = ", ";
    }
    for (unsigned i = 0; i < w->nslots; i++) {
        if (is_dynamic(w->slots[i].at.slot.type)) {
            put_node(&w->json, &w->slots[i], comma);
            comma = ", ";
        }
    }
    for (uint32_t set = 0; set < MAX_SETS; set++) {
        const char *inner = "";
        for (unsigned i = 0; i < w->nslots; i++) {
            if (w->slots[i].set != set || is_dynamic(w->slots[i].at.slot.type)) {
                continue;
            }
            if (*inner == '\0') {
                lull_str_addf(&w->json,
                              "%s{\"type\": \"table\", \"set\": %" PRIu32 ", \"nodes\": [", comma,
                              set);
                comma = ", ";
            }
            put_node(&w->json, &w->slots[i], inner);
            inner = ", ";
        }
        lull_str_addf(&w->json, "%s", *inner != '\0' ? "]}" : "");
    }
    lull_str_addf(&w->json, "]}\n");
}

/** What is needed, or which of it is not known. */
LULL_MUST_USE static struct lull_error *find_pipeline(struct lull_source_work *w)
{
    const struct lull_names_dispatch *r = w->names.record;
    const struct lull_names_pipeline *p = r != NULL ? r->pipeline : NULL;
    if (p == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "this dispatch is the driver's own, or the layer has not seen it");
    }
    if (p->shader == NULL || p->shader->file[0] == '\0' || w->names.spirv == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "its SPIR-V was not saved");
    }
    if (p->layout == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "its pipeline layout is not known");
    }
    if (p->layout->nsets > MAX_SETS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "more than %d descriptor sets", MAX_SETS);
    }
    w->pipeline = p;
    return NULL;
}

struct lull_error *lull_source_look_at(struct lull_debug *d, struct lull_source_work *ret)
{
    struct lull_source_work *w = ret;
    w->d = d;
    if (d->target->ops->redirect == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "that is for programs on gfx1100: 'lull debug -- PROGRAM'");
    }
    lull_debug_names_of(d, &d->dispatch, &w->names);
    struct lull_error *err = find_pipeline(w);
    err = err != NULL ? err : lull_debug_bindings(d, &d->dispatch, &w->bindings);
    if (err != NULL) {
        return err;
    }
    lull_dispatch_bindings(&w->names, &w->bindings, w->known);
    w->lanes =
        lull_get(d->dispatch.initiator, LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK) != 0
            ? 32
            : 64;
    const struct lull_names_layout *layout = w->pipeline->layout;
    for (size_t i = 0; i < layout->nranges; i++) {
        const uint32_t end = layout->ranges[i].offset + layout->ranges[i].size;
        w->push_bytes = end > w->push_bytes ? end : w->push_bytes;
    }
    uint32_t dynamic = 0;
    for (uint32_t set = 0; err == NULL && set < layout->nsets; set++) {
        err = look_at_set(w, set, &dynamic);
    }
    if (err == NULL) {
        put_layout(w);
        err = w->json.err;
    }
    return err;
}

struct lull_error *lull_source_look(struct lull_debug *d, struct lull_source_work *ret)
{
    if (d->target->ops->redirect != NULL && (!d->held || d->at_draw)) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no dispatch is held: 'catch dispatch' first");
    }
    return lull_source_look_at(d, ret);
}

void lull_source_work_done(struct lull_source_work *w)
{
    lull_str_free(&w->json);
}
