// SPDX-License-Identifier: MIT
// Shaders that were compiled apart number their parameters apart: the pixel shader's inputs get the
// slots that the primitive shader has for the same semantics (PAL: .preraster_output_semantic,
// .ps_input_semantic).
#include "link/link_priv.h"

enum { DEFAULT_0 = 0x20 }; // SPI_PS_INPUT_CNTL_n.OFFSET: no slot, the value is 0

static bool number(const struct lull_msgtree *t, uint64_t *ret)
{
    const bool ok = t != NULL && t->m.kind == LULL_MSGPACK_UINT;
    *ret = ok ? t->m.u : 0;
    return ok;
}

static const struct lull_msgtree *list(const struct lull_msgtree *t, const char *key)
{
    const struct lull_msgtree *found = lull_msgtree_get(t, key);
    return found != NULL && found->m.kind == LULL_MSGPACK_ARRAY ? found : NULL;
}

/** Slots from this one on are of primitives. */
static uint64_t first_of_primitives(const struct lull_msgtree *registers)
{
    const struct lull_msgtree *config = lull_msgtree_get(registers, ".spi_vs_out_config");
    uint64_t vertex = 0, primitive = 0;
    return number(lull_msgtree_get(config, ".vs_export_count"), &vertex) &&
                   number(lull_msgtree_get(config, ".prim_export_count"), &primitive) &&
                   primitive != 0
               ? vertex + 1
               : DEFAULT_0;
}

/** A parameter is of vertices for both shaders, or of primitives. */
LULL_MUST_USE static struct lull_error *check_kind(uint64_t semantic, uint64_t slot, uint64_t first,
                                                   bool of_primitive)
{
    if (slot >= DEFAULT_0 || (slot >= first) == of_primitive) {
        return NULL;
    }
    return lull_error_new(LULL_ERR_BAD_DATA,
                          "parameter %llu: the pixel shader reads it as one of %s, the shader "
                          "before it writes it as one of %s",
                          (unsigned long long)semantic, of_primitive ? "primitives" : "vertices",
                          of_primitive ? "vertices" : "primitives");
}

/** The slot of an output; DEFAULT_0: nothing writes it. */
static uint64_t slot_of(const struct lull_msgtree *outputs, uint64_t semantic)
{
    for (const struct lull_msgtree *o = outputs->first; o != NULL; o = o->next) {
        uint64_t have = 0, index = 0;
        if (number(lull_msgtree_get(o, ".semantic"), &have) && have == semantic &&
            number(lull_msgtree_get(o, ".index"), &index)) {
            return index;
        }
    }
    return DEFAULT_0;
}

struct lull_error *lull_link_match_interface(struct lull_linker *l)
{
    const struct lull_msgtree *pipelines = lull_msgtree_get(l->metadata, "amdpal.pipelines");
    const struct lull_msgtree *p = pipelines != NULL ? pipelines->first : NULL;
    const struct lull_msgtree *outputs = list(p, ".preraster_output_semantic");
    const struct lull_msgtree *inputs = list(p, ".ps_input_semantic");
    const struct lull_msgtree *controls =
        list(lull_msgtree_get(p, ".graphics_registers"), ".spi_ps_input_cntl");
    if (outputs == NULL || inputs == NULL || controls == NULL) {
        return NULL;
    }
    const uint64_t first = first_of_primitives(lull_msgtree_get(p, ".graphics_registers"));
    struct lull_msgtree *c = controls->first;
    for (const struct lull_msgtree *i = inputs->first; i != NULL && c != NULL;
         i = i->next, c = c->next) {
        uint64_t semantic = 0;
        if (c->m.kind != LULL_MSGPACK_MAP || !number(lull_msgtree_get(i, ".semantic"), &semantic)) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "metadata '.ps_input_semantic': an item without '.semantic', or "
                                  "'.spi_ps_input_cntl' has one that is not a map");
        }
        if (lull_msgtree_get(c, ".pt_sprite_tex") != NULL) {
            continue; // the hardware makes it
        }
        struct lull_msgtree *offset = lull_msgtree_number(l->arena, c, ".offset");
        if (offset == NULL) {
            return &lull_enomem;
        }
        offset->m.u = slot_of(outputs, semantic);
        struct lull_error *err =
            check_kind(semantic, offset->m.u, first, lull_msgtree_get(c, ".prim_attr") != NULL);
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}
