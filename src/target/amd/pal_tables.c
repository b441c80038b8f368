// SPDX-License-Identifier: MIT
// Descriptor tables and the root table.
#include <string.h>

#include "hw/desc11_regs.h"
#include "link/stages.h"
#include "target/amd/pal_priv.h"

enum {
    DWORD = 4,
    RESOURCE_DWORDS = 8, // of a combined texture, in front of the sampler
    SAMPLER_DWORDS = 4,
    INTERNAL_BYTES = 256, // tables of the driver's own: zeros
};

static uint64_t round_up(uint64_t v, uint64_t to)
{
    return (v + to - 1) / to * to;
}

struct lull_pal_map lull_pal_map_of(const struct lull_layout *layout)
{
    struct lull_pal_map m = {0};
    const uint64_t root = (uint64_t)lull_layout_root_size(layout) * DWORD;
    m.groups = round_up(root, LULL_PAL_TABLE_ALIGN);
    m.internal = m.groups + LULL_PAL_TABLE_ALIGN;
    m.vertices = m.internal + INTERNAL_BYTES;
    m.table = m.size = m.vertices + sizeof((struct lull_pal_drawing *)NULL)->vertex_buffers;
    for (uint32_t i = 0; i < layout->nnodes; i++) {
        if (layout->nodes[i].type == LULL_LAYOUT_TABLE) {
            m.size += round_up((uint64_t)lull_layout_table_size(&layout->nodes[i]) * DWORD,
                               LULL_PAL_TABLE_ALIGN);
        }
    }
    return m;
}

uint64_t lull_pal_tables_bytes(const struct lull_layout *layout)
{
    return lull_pal_map_of(layout).size;
}

uint64_t lull_pal_table_at(const struct lull_layout *layout, const struct lull_layout_node *node)
{
    uint64_t at = lull_pal_map_of(layout).table;
    for (uint32_t i = 0; i < layout->nnodes && &layout->nodes[i] != node; i++) {
        if (layout->nodes[i].type == LULL_LAYOUT_TABLE) {
            at += round_up((uint64_t)lull_layout_table_size(&layout->nodes[i]) * DWORD,
                           LULL_PAL_TABLE_ALIGN);
        }
    }
    return at;
}

/** Samplers that the layout knows. */
static void write_immutable(const struct lull_layout_node *n, uint32_t *table)
{
    const uint32_t skip = n->sampler_offset; // 0 of others
    for (uint32_t i = 0; i < n->nimmutable && !n->ycbcr; i++) {
        memcpy(table + n->offset + i * n->stride + skip, n->immutable + (size_t)i * SAMPLER_DWORDS,
               SAMPLER_DWORDS * DWORD);
    }
}

static bool is_buffer(enum lull_layout_type t)
{
    return t == LULL_LAYOUT_BUFFER || t == LULL_LAYOUT_CONST_BUFFER ||
           t == LULL_LAYOUT_BUFFER_COMPACT || t == LULL_LAYOUT_CONST_BUFFER_COMPACT;
}

/** Does node @p n hold what is bound? */
static bool fits(const struct lull_layout_node *n, enum lull_pal_descriptor kind)
{
    const bool combined = n->type == LULL_LAYOUT_COMBINED_TEXTURE;
    if (n->type == LULL_LAYOUT_MUTABLE) {
        return kind != LULL_PAL_IMAGE || n->stride >= RESOURCE_DWORDS;
    }
    return kind == LULL_PAL_BUFFER   ? is_buffer(n->type)
           : kind == LULL_PAL_TEXELS ? n->type == LULL_LAYOUT_TEXEL_BUFFER
           : kind == LULL_PAL_IMAGE  ? n->type == LULL_LAYOUT_RESOURCE || combined
                                     : n->type == LULL_LAYOUT_SAMPLER || combined;
}

/** Put one binding's descriptor at @p to. */
static void write_descriptor(const struct lull_layout_node *n, const struct lull_pal_binding *b,
                             uint32_t *to)
{
    const bool combined = n->type == LULL_LAYOUT_COMBINED_TEXTURE;
    const bool image = combined || b->kind == LULL_PAL_IMAGE;
    if (is_buffer(n->type) && lull_layout_type_size(n->type) == 2) {
        to[0] = b->words[0];
        to[1] = b->words[1] & LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK;
        return;
    }
    if (b->kind == LULL_PAL_SAMPLER) {
        if (n->nimmutable == 0) {
            memcpy(to + n->sampler_offset, b->words, SAMPLER_DWORDS * DWORD);
        }
        return;
    }
    memcpy(to, b->words, (image ? RESOURCE_DWORDS : lull_layout_type_size(n->type)) * DWORD);
    if (combined && n->nimmutable == 0) {
        memcpy(to + n->sampler_offset, b->sampler, sizeof b->sampler);
    }
}

LULL_MUST_USE static struct lull_error *bind_at(const struct lull_pal_launch *l,
                                                const struct lull_pal_binding *b,
                                                const struct lull_layout_place p, uint8_t *tables,
                                                uint32_t *root)
{
    const struct lull_layout_node *n = p.node;
    if (!fits(n, b->kind)) {
        static const char *const names[] = {"a buffer", "a texel buffer", "an image", "a sampler"};
        return lull_error_new(LULL_ERR_INVALID,
                              "set %u, binding %u is %s in the layout, and %s is bound", b->set,
                              b->binding, lull_layout_type_name(n->type), names[b->kind]);
    }
    const uint64_t element = (uint64_t)(b->binding - n->binding) + b->element;
    if (n->stride == 0 || element >= n->size / n->stride) {
        return lull_error_new(LULL_ERR_INVALID, "set %u, binding %u[%u]: the layout has %u", b->set,
                              b->binding, b->element, n->stride != 0 ? n->size / n->stride : 0);
    }
    uint32_t *const table =
        p.root == n ? root : (uint32_t *)(void *)(tables + lull_pal_table_at(l->layout, p.root));
    write_descriptor(n, b, table + n->offset + element * n->stride);
    return NULL;
}

/** A binding, for all stages that see one there: stages may have nodes of their own. */
LULL_MUST_USE static struct lull_error *bind(const struct lull_pal_launch *l,
                                             const struct lull_pal_binding *b, uint8_t *tables,
                                             uint32_t *root)
{
    const bool by_stage = lull_layout_by_stage(l->layout);
    bool found = false;
    struct lull_error *err = NULL;
    for (uint32_t bit = 1; err == NULL && bit <= LULL_STAGE_COMPUTE; bit <<= 1) {
        struct lull_layout_place p = {0};
        if ((bit == 1 || by_stage) && lull_layout_find(l->layout, by_stage ? bit : 0,
                                                       LULL_LAYOUT_ANY, b->set, b->binding, &p)) {
            found = true;
            err = bind_at(l, b, p, tables, root);
        }
    }
    return found ? err
                 : lull_error_new(LULL_ERR_INVALID, "the layout has no set %u, binding %u", b->set,
                                  b->binding);
}

LULL_MUST_USE static struct lull_error *push_at(const struct lull_pal_launch *l,
                                                const struct lull_layout_place p, uint8_t *tables,
                                                uint32_t *root)
{
    if (l->push_bytes > (uint64_t)p.node->size * DWORD) {
        return lull_error_new(LULL_ERR_INVALID,
                              "%zu bytes of push constants, the layout has room for %llu",
                              l->push_bytes, (unsigned long long)p.node->size * DWORD);
    }
    uint32_t *const table =
        p.root == p.node ? root
                         : (uint32_t *)(void *)(tables + lull_pal_table_at(l->layout, p.root));
    memcpy(table + p.node->offset, l->push, l->push_bytes);
    return NULL;
}

LULL_MUST_USE static struct lull_error *write_push(const struct lull_pal_launch *l, uint8_t *tables,
                                                   uint32_t *root)
{
    const bool by_stage = lull_layout_by_stage(l->layout);
    bool found = l->push_bytes == 0;
    struct lull_error *err = NULL;
    for (uint32_t bit = 1; err == NULL && l->push_bytes != 0 && bit <= LULL_STAGE_COMPUTE;
         bit <<= 1) {
        struct lull_layout_place p = {0};
        if ((bit == 1 || by_stage) &&
            lull_layout_first(l->layout, by_stage ? bit : 0, LULL_LAYOUT_PUSH_CONSTANTS, &p)) {
            found = true;
            err = push_at(l, p, tables, root);
        }
    }
    return found ? err : lull_error_new(LULL_ERR_INVALID, "the layout has no push constants");
}

struct lull_error *lull_pal_tables(const struct lull_pal_launch *l,
                                   const struct lull_pal_placed *placed, uint32_t *root)
{
    uint8_t *const tables = placed->tables->map;
    for (uint32_t i = 0; i < l->layout->nnodes; i++) {
        const struct lull_layout_node *n = &l->layout->nodes[i];
        if (n->type != LULL_LAYOUT_TABLE) {
            write_immutable(n, root);
            continue;
        }
        const uint64_t at = lull_pal_table_at(l->layout, n);
        root[n->offset] = (uint32_t)(placed->tables->va + at);
        for (uint32_t k = 0; k < n->ninner; k++) {
            write_immutable(&n->inner[k], (uint32_t *)(void *)(tables + at));
        }
    }
    struct lull_error *err = write_push(l, tables, root);
    for (size_t i = 0; err == NULL && i < l->nbindings; i++) {
        err = bind(l, &l->bindings[i], tables, root);
    }
    return err;
}
