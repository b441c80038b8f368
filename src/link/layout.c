// SPDX-License-Identifier: MIT
#include "link/layout.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "link/layout_priv.h"
#include "link/stages.h"

struct type {
    const char *name, *llpc;
    uint8_t size; // dwords
    bool descriptor;
};

// Sizes: LLPC, lgc/include/lgc/state/Defs.h.
static const struct type types[LULL_LAYOUT_NTYPES] = {
    [LULL_LAYOUT_ANY] = {"any", "Unknown", 0, false},
    [LULL_LAYOUT_RESOURCE] = {"resource", "DescriptorResource", 8, true},
    [LULL_LAYOUT_SAMPLER] = {"sampler", "DescriptorSampler", 4, true},
    [LULL_LAYOUT_COMBINED_TEXTURE] = {"combined_texture", "DescriptorCombinedTexture", 12, true},
    [LULL_LAYOUT_TEXEL_BUFFER] = {"texel_buffer", "DescriptorTexelBuffer", 4, true},
    [LULL_LAYOUT_FMASK] = {"fmask", "DescriptorFmask", 8, true},
    [LULL_LAYOUT_BUFFER] = {"buffer", "DescriptorBuffer", 4, true},
    [LULL_LAYOUT_BUFFER_COMPACT] = {"buffer_compact", "DescriptorBufferCompact", 2, true},
    [LULL_LAYOUT_CONST_BUFFER] = {"const_buffer", "DescriptorConstBuffer", 4, true},
    [LULL_LAYOUT_CONST_BUFFER_COMPACT] = {"const_buffer_compact", "DescriptorConstBufferCompact", 2,
                                          true},
    [LULL_LAYOUT_MUTABLE] = {"mutable", "DescriptorMutable", 4, true},
    [LULL_LAYOUT_INLINE_BUFFER] = {"inline_buffer", "InlineBuffer", 0, true},
    [LULL_LAYOUT_TABLE] = {"table", "DescriptorTableVaPtr", 1, false},
    [LULL_LAYOUT_PUSH_CONSTANTS] = {"push_constants", "PushConst", 0, false},
    [LULL_LAYOUT_INDIRECT_USER_DATA] = {"indirect_user_data", "IndirectUserDataVaPtr", 1, false},
    [LULL_LAYOUT_STREAM_OUT_TABLE] = {"stream_out_table", "StreamOutTableVaPtr", 1, false},
};

// Words of LLPC's for what is one type here. Source: LLPC, convertResourceNode() in
// llpcPipelineContext.cpp at 40cb8d95a.
static const struct {
    const char *llpc;
    enum lull_layout_type type;
} others[] = {
    {"DescriptorImage", LULL_LAYOUT_RESOURCE},
    {"DescriptorConstTexelBuffer", LULL_LAYOUT_TEXEL_BUFFER},
    {"DescriptorAtomicCounter", LULL_LAYOUT_BUFFER},
};

static const char push_area[] = "push_area";

const char *const lull_layout_schemes[2] = {
    [LULL_LAYOUT_COMPACT] = "compact",
    [LULL_LAYOUT_INDIRECT] = "indirect",
};

const char *const lull_layout_topologies[5] = {
    [LULL_LAYOUT_NO_TOPOLOGY] = "none",      [LULL_LAYOUT_POINTS] = "points",
    [LULL_LAYOUT_LINES] = "lines",           [LULL_LAYOUT_TRIANGLES] = "triangles",
    [LULL_LAYOUT_RECTANGLES] = "rectangles",
};

const char *lull_layout_type_name(enum lull_layout_type type)
{
    return types[type].name;
}

uint32_t lull_layout_type_size(enum lull_layout_type type)
{
    return types[type].size;
}

bool lull_layout_is_descriptor(enum lull_layout_type type)
{
    return types[type].descriptor;
}

bool lull_layout_type_named(const char *text, struct lull_layout_node *node)
{
    node->ycbcr = strcmp(text, "ycbcr_sampler") == 0 || strcmp(text, "DescriptorYCbCrSampler") == 0;
    node->push_area = strcmp(text, push_area) == 0;
    if (node->ycbcr || node->push_area) {
        node->type = node->ycbcr ? LULL_LAYOUT_COMBINED_TEXTURE : LULL_LAYOUT_TABLE;
        return true;
    }
    for (unsigned i = LULL_LAYOUT_ANY + 1; i < LULL_LAYOUT_NTYPES; i++) {
        if (strcmp(text, types[i].name) == 0 || strcmp(text, types[i].llpc) == 0) {
            node->type = i;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(text, others[i].llpc) == 0) {
            node->type = others[i].type;
            return true;
        }
    }
    return false;
}

void lull_layout_done(struct lull_layout *layout)
{
    lull_arena_done(&layout->arena);
    *layout = (struct lull_layout){0};
}

// May a shader that asks for `want` use a node of `type`?
static bool compatible(enum lull_layout_type want, enum lull_layout_type type)
{
    const bool constant = type == LULL_LAYOUT_CONST_BUFFER ||
                          type == LULL_LAYOUT_CONST_BUFFER_COMPACT ||
                          type == LULL_LAYOUT_INLINE_BUFFER;
    if (want == LULL_LAYOUT_ANY || want == type) {
        return lull_layout_is_descriptor(type);
    }
    if (type == LULL_LAYOUT_MUTABLE) {
        return want == LULL_LAYOUT_RESOURCE || want == LULL_LAYOUT_SAMPLER ||
               want == LULL_LAYOUT_TEXEL_BUFFER || want == LULL_LAYOUT_FMASK ||
               want == LULL_LAYOUT_BUFFER || want == LULL_LAYOUT_CONST_BUFFER;
    }
    if (want == LULL_LAYOUT_CONST_BUFFER) {
        return constant;
    }
    if (want == LULL_LAYOUT_BUFFER) {
        // A relocation has one letter for all buffers; constant ones are meant by it, too.
        return type == LULL_LAYOUT_BUFFER_COMPACT || constant;
    }
    return (want == LULL_LAYOUT_RESOURCE || want == LULL_LAYOUT_TEXEL_BUFFER ||
            want == LULL_LAYOUT_SAMPLER) &&
           type == LULL_LAYOUT_COMBINED_TEXTURE;
}

bool lull_layout_both_fit(enum lull_layout_type a, enum lull_layout_type b)
{
    for (enum lull_layout_type want = LULL_LAYOUT_ANY + 1; want < LULL_LAYOUT_NTYPES; want++) {
        if (compatible(want, a) && compatible(want, b)) {
            return true;
        }
    }
    return false;
}

uint64_t lull_layout_bindings(const struct lull_layout *l, const struct lull_layout_node *n)
{
    return l->binding_ranges && n->stride != 0 && n->size > n->stride
               ? (n->size - 1) / n->stride + 1
               : 1;
}

static bool matches(const struct lull_layout *l, const struct lull_layout_node *n,
                    enum lull_layout_type want, uint32_t set, uint32_t binding)
{
    const bool room = n->type != LULL_LAYOUT_MUTABLE || types[want].size <= n->stride;
    return room && compatible(want, n->type) && n->set == set && binding >= n->binding &&
           binding - n->binding < lull_layout_bindings(l, n);
}

bool lull_layout_visible(const struct lull_layout_node *root, uint32_t stages)
{
    const uint32_t all = root->visibility;
    const uint32_t rays = (all & LULL_STAGE_RAY_TRACING) != 0 ? LULL_STAGE_COMPUTE : 0;
    return all == 0 || stages == 0 || ((all | rays) & stages) != 0;
}

bool lull_layout_by_stage(const struct lull_layout *layout)
{
    for (uint32_t i = 0; i < layout->nnodes; i++) {
        const uint32_t stages = layout->nodes[i].visibility;
        if (stages != 0 && (stages & LULL_STAGE_ALL) != LULL_STAGE_ALL) {
            return true;
        }
    }
    return false;
}

static bool find(const struct lull_layout *l, uint32_t stages, enum lull_layout_type want,
                 uint32_t set, uint32_t binding, struct lull_layout_place *ret)
{
    for (uint32_t i = 0; i < l->nnodes; i++) {
        const struct lull_layout_node *root = &l->nodes[i];
        if (!lull_layout_visible(root, stages)) {
            continue;
        }
        const bool table = root->type == LULL_LAYOUT_TABLE;
        const struct lull_layout_node *nodes = table ? root->inner : root;
        const uint32_t n = table ? root->ninner : 1;
        for (uint32_t k = 0; k < n; k++) {
            if (matches(l, &nodes[k], want, set, binding)) {
                *ret = (struct lull_layout_place){.root = root, .node = &nodes[k]};
                return true;
            }
        }
    }
    return false;
}

bool lull_layout_find(const struct lull_layout *layout, uint32_t stages, enum lull_layout_type want,
                      uint32_t set, uint32_t binding, struct lull_layout_place *ret)
{
    return find(layout, stages, want, set, binding, ret) ||
           (want == LULL_LAYOUT_FMASK && layout->has_shadow_table &&
            find(layout, stages, LULL_LAYOUT_RESOURCE, set, binding, ret));
}

const struct lull_layout_node *lull_layout_table(const struct lull_layout *layout, uint32_t stages,
                                                 uint32_t set)
{
    for (uint32_t i = 0; i < layout->nnodes; i++) {
        const struct lull_layout_node *n = &layout->nodes[i];
        if (n->type == LULL_LAYOUT_TABLE && !n->push_area && n->ninner > 0 &&
            lull_layout_visible(n, stages) && lull_layout_is_descriptor(n->inner[0].type) &&
            n->inner[0].set == set) {
            return n;
        }
    }
    return NULL;
}

bool lull_layout_first(const struct lull_layout *layout, uint32_t stages,
                       enum lull_layout_type type, struct lull_layout_place *ret)
{
    for (uint32_t i = 0; i < layout->nnodes; i++) {
        const struct lull_layout_node *root = &layout->nodes[i];
        if (!lull_layout_visible(root, stages)) {
            continue;
        }
        if (root->type == type) {
            *ret = (struct lull_layout_place){.root = root, .node = root};
            return true;
        }
        for (uint32_t k = 0; k < root->ninner; k++) {
            if (root->inner[k].type == type) {
                *ret = (struct lull_layout_place){.root = root, .node = &root->inner[k]};
                return true;
            }
        }
    }
    return false;
}

static uint32_t end_of(const struct lull_layout_node *nodes, uint32_t n)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t e = nodes[i].offset + nodes[i].size;
        end = e > end ? e : end;
    }
    return end;
}

uint32_t lull_layout_root_size(const struct lull_layout *layout)
{
    return end_of(layout->nodes, layout->nnodes);
}

struct lull_error *lull_layout_add_buffer(struct lull_layout *layout, uint32_t set,
                                          uint32_t binding)
{
    struct lull_layout_place place = {0};
    if (lull_layout_find(layout, 0, LULL_LAYOUT_BUFFER, set, binding, &place)) {
        return NULL;
    }
    const uint32_t at = lull_layout_root_size(layout), size = types[LULL_LAYOUT_BUFFER].size;
    if (at > LULL_LAYOUT_MAX_ROOT - size) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "layout: the root table ends at dword %u, with no room behind it "
                              "for a buffer at set %u, binding %u",
                              at, set, binding);
    }
    struct lull_layout_node *nodes =
        lull_arena_calloc(&layout->arena, layout->nnodes + 1, sizeof *nodes);
    if (nodes == NULL) {
        return &lull_enomem;
    }
    if (layout->nnodes != 0) {
        memcpy(nodes, layout->nodes, layout->nnodes * sizeof *nodes);
    }
    nodes[layout->nnodes++] = (struct lull_layout_node){.type = LULL_LAYOUT_BUFFER,
                                                        .offset = at,
                                                        .size = size,
                                                        .set = set,
                                                        .binding = binding,
                                                        .stride = size,
                                                        .path = "added",
                                                        .name = ""};
    layout->nodes = nodes;
    return NULL;
}

uint32_t lull_layout_table_size(const struct lull_layout_node *table)
{
    return end_of(table->inner, table->ninner);
}

LULL_NEW_ERROR static struct lull_error *refuse(const struct lull_layout_node *n, const char *why)
{
    return lull_error_new(LULL_ERR_UNSUPPORTED,
                          "%s (%s, set %" PRIu32 " binding %" PRIu32 "): %s; relocatable shaders "
                          "cannot use this layout",
                          n->path, n->ycbcr ? "ycbcr sampler" : lull_layout_type_name(n->type),
                          n->set, n->binding, why);
}

LULL_MUST_USE static struct lull_error *check_node(const struct lull_layout_node *n, bool root)
{
    if (n->ycbcr) {
        return refuse(n, "its conversion is part of the code");
    }
    if (n->type == LULL_LAYOUT_INLINE_BUFFER) {
        return refuse(n, "an inline buffer has no descriptor");
    }
    if (root && (n->type == LULL_LAYOUT_SAMPLER || n->type == LULL_LAYOUT_COMBINED_TEXTURE ||
                 n->type == LULL_LAYOUT_TEXEL_BUFFER || n->type == LULL_LAYOUT_MUTABLE)) {
        return refuse(n, "stands in the root table");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_table(const struct lull_layout *layout,
                                                    const struct lull_layout_node *table)
{
    struct lull_error *err = NULL;
    const struct lull_layout_node *first = NULL;
    for (uint32_t i = 0; err == NULL && i < table->ninner; i++) {
        const struct lull_layout_node *n = &table->inner[i];
        if (!lull_layout_is_descriptor(n->type)) {
            continue;
        }
        err = check_node(n, false);
        first = first != NULL ? first : n;
        if (err == NULL && table->push_area &&
            lull_layout_table(layout, table->visibility, n->set) != NULL) {
            return refuse(n, "stands in the push area, and its set has a table, too");
        }
        if (err == NULL && !table->push_area && n->set != first->set) {
            err = refuse(n, "its table holds another set, too");
        }
    }
    const struct lull_layout_node *other = NULL;
    if (err == NULL && first != NULL && !table->push_area) {
        other = lull_layout_table(layout, table->visibility, first->set);
    }
    return other != NULL && other != table ? refuse(first, "the set is in two tables") : err;
}

struct lull_error *lull_layout_check_relocatable(const struct lull_layout *layout)
{
    struct lull_error *err = NULL;
    for (uint32_t i = 0; err == NULL && i < layout->nnodes; i++) {
        const struct lull_layout_node *n = &layout->nodes[i];
        err = n->type == LULL_LAYOUT_TABLE ? check_table(layout, n) : check_node(n, true);
    }
    return err;
}

static void write_node(struct lull_json *j, const struct lull_layout_node *n)
{
    lull_json_open(j, '{');
    lull_json_put_str(j, "type", n->push_area ? push_area : lull_layout_type_name(n->type));
    lull_json_put_u64(j, "offset", n->offset);
    if (n->type != LULL_LAYOUT_TABLE) {
        lull_json_put_u64(j, "size", n->size);
    }
    if (n->visibility != 0) {
        lull_json_put_u64(j, "visibility", n->visibility);
    }
    if (lull_layout_is_descriptor(n->type)) {
        lull_json_put_u64(j, "set", n->set);
        lull_json_put_u64(j, "binding", n->binding);
        lull_json_put_u64(j, "stride", n->stride);
    }
    if (n->type == LULL_LAYOUT_COMBINED_TEXTURE) {
        lull_json_put_u64(j, "sampler_offset", n->sampler_offset);
    }
    if (n->ycbcr) {
        lull_json_put_bool(j, "ycbcr", true);
    }
    if (n->nimmutable > 0) {
        const uint32_t words = n->ycbcr ? 8 : 4;
        lull_json_key(j, "immutable");
        lull_json_open(j, '[');
        for (uint32_t i = 0; i < n->nimmutable * words; i++) {
            if (i % words == 0) {
                lull_json_open(j, '[');
            }
            lull_json_u64(j, n->immutable[i]);
            if (i % words == words - 1) {
                lull_json_close(j, ']');
            }
        }
        lull_json_close(j, ']');
    }
    if (n->type == LULL_LAYOUT_INDIRECT_USER_DATA) {
        lull_json_put_u64(j, "indirect_size", n->indirect_size);
    }
    if (n->name[0] != '\0') {
        lull_json_put_str(j, "name", n->name);
    }
    if (n->type == LULL_LAYOUT_TABLE) {
        lull_json_key(j, "nodes");
        lull_json_open(j, '[');
        for (uint32_t i = 0; i < n->ninner; i++) {
            write_node(j, &n->inner[i]);
        }
        lull_json_close(j, ']');
    }
    lull_json_close(j, '}');
}

void lull_layout_write(const struct lull_layout *layout, struct lull_str *out)
{
    struct lull_json j = {.out = out};
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "scheme", lull_layout_schemes[layout->scheme]);
    lull_json_put_str(&j, "topology", lull_layout_topologies[layout->topology]);
    lull_json_put_bool(&j, "binding_ranges", layout->binding_ranges);
    if (layout->overlap) {
        lull_json_put_bool(&j, "overlap", true);
    }
    if (layout->has_shadow_table) {
        lull_json_put_u64(&j, "shadow_table", layout->shadow_table);
    }
    lull_json_put_u64(&j, "device_index", layout->device_index);
    lull_json_put_u64(&j, "num_samples", layout->num_samples);
    lull_json_put_u64(&j, "sample_pattern_index", layout->sample_pattern_index);
    lull_layout_write_drawing(layout, &j);
    lull_json_key(&j, "nodes");
    lull_json_open(&j, '[');
    for (uint32_t i = 0; i < layout->nnodes; i++) {
        write_node(&j, &layout->nodes[i]);
    }
    lull_json_close(&j, ']');
    lull_json_close(&j, '}');
}
