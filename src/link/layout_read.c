// SPDX-License-Identifier: MIT
// A pipeline layout out of JSON. Every message begins with the path of the value that is wrong.
#include "link/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "link/layout_pipe.h"
#include "link/layout_priv.h"

enum {
    MAX_NODES = 1 << 14,   // in one table
    MAX_TABLE = 1 << 26,   // dwords of a table: a descriptor offset in bytes fits 32 bits
    MAX_SAMPLERS = 1 << 12 // immutable ones of one node
};

static const char *keep(struct lull_arena *a, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = lull_arena_calloc(a, size, 1);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

enum node_key {
    KEY_TYPE,
    KEY_OFFSET,
    KEY_SIZE,
    KEY_SET,
    KEY_BINDING,
    KEY_STRIDE,
    KEY_COUNT,
    KEY_NODES,
    KEY_IMMUTABLE,
    KEY_YCBCR,
    KEY_INDIRECT_SIZE,
    KEY_SAMPLER_OFFSET,
    KEY_VISIBILITY,
    KEY_NAME,
    NODE_KEYS,
};

static const struct lull_layout_word node_words[NODE_KEYS] = {
    [KEY_TYPE] = {"type", NULL},
    [KEY_OFFSET] = {"offset", "offsetInDwords"},
    [KEY_SIZE] = {"size", "sizeInDwords"},
    [KEY_SET] = {"set", NULL},
    [KEY_BINDING] = {"binding", NULL},
    [KEY_STRIDE] = {"stride", "strideInDwords"},
    [KEY_COUNT] = {"count", NULL},
    [KEY_NODES] = {"nodes", "next"},
    [KEY_IMMUTABLE] = {"immutable", NULL},
    [KEY_YCBCR] = {"ycbcr", NULL},
    [KEY_INDIRECT_SIZE] = {"indirect_size", "indirectUserDataCount"},
    [KEY_SAMPLER_OFFSET] = {"sampler_offset", NULL},
    [KEY_VISIBILITY] = {"visibility", NULL},
    [KEY_NAME] = {"name", NULL},
};

// What keys a node of each kind may have.
static bool key_fits(enum lull_layout_type type, enum node_key key)
{
    const bool descriptor = lull_layout_is_descriptor(type);
    const bool push = type == LULL_LAYOUT_PUSH_CONSTANTS; // LLPC writes them there, too
    switch (key) {
    case KEY_SET:
        return descriptor || push || type == LULL_LAYOUT_TABLE;
    case KEY_BINDING:
    case KEY_STRIDE:
        return descriptor || push;
    case KEY_COUNT:
        return descriptor;
    case KEY_NODES:
        return type == LULL_LAYOUT_TABLE;
    case KEY_IMMUTABLE:
    case KEY_YCBCR:
        return type == LULL_LAYOUT_SAMPLER || type == LULL_LAYOUT_COMBINED_TEXTURE;
    case KEY_SAMPLER_OFFSET:
        return type == LULL_LAYOUT_COMBINED_TEXTURE;
    case KEY_INDIRECT_SIZE:
        return type == LULL_LAYOUT_INDIRECT_USER_DATA;
    case KEY_TYPE:
    case KEY_OFFSET:
    case KEY_SIZE:
    case KEY_VISIBILITY:
    case KEY_NAME:
    case NODE_KEYS:
        break;
    }
    return true;
}

LULL_MUST_USE static struct lull_error *get_type(const struct lull_layout_reader *r,
                                                 const json_t *v, struct lull_layout_node *node)
{
    const char *text = json_string_value(v);
    if (text == NULL) {
        return lull_layout_bad(r, "type", v == NULL ? "missing" : "not a string");
    }
    if (!lull_layout_type_named(text, node)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s.type: no such type of node: \"%s\"", r->path,
                              text);
    }
    return NULL;
}

// [[dword, dword, dword, dword], ...]
LULL_MUST_USE static struct lull_error *get_immutable(const struct lull_layout_reader *r,
                                                      const json_t *v,
                                                      struct lull_layout_node *node)
{
    if (v == NULL) {
        return NULL;
    }
    const uint32_t words = node->ycbcr ? 8 : 4;
    const size_t n = json_array_size(v);
    if (!json_is_array(v) || n == 0 || n > MAX_SAMPLERS) {
        return lull_layout_bad(r, "immutable", "not a list of samplers");
    }
    uint32_t *out = lull_arena_calloc(&r->layout->arena, n * words, sizeof *out);
    struct lull_error *err = out == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; err == NULL && i < n; i++) {
        const json_t *sampler = json_array_get(v, i);
        if (json_array_size(sampler) != words) {
            return lull_error_new(LULL_ERR_BAD_DATA, "%s.immutable[%zu]: not %u dwords", r->path, i,
                                  words);
        }
        for (size_t k = 0; err == NULL && k < words; k++) {
            err = lull_layout_get_number(r, json_array_get(sampler, k), "immutable", UINT32_MAX,
                                         &out[i * words + k]);
        }
    }
    if (err == NULL && n > node->size / node->stride) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s.immutable: %zu samplers, and room for %u",
                              r->path, n, node->size / node->stride);
    }
    node->immutable = out;
    node->nimmutable = (uint32_t)n;
    return err;
}

// Where the sampler of a combined texture is: behind the resource, if it is not said.
LULL_MUST_USE static struct lull_error *get_sampler(const struct lull_layout_reader *r,
                                                    json_t *const *v, bool has_stride,
                                                    struct lull_layout_node *node)
{
    const uint32_t resource = lull_layout_type_size(LULL_LAYOUT_RESOURCE);
    const uint32_t sampler = lull_layout_type_size(LULL_LAYOUT_SAMPLER);
    if (node->type != LULL_LAYOUT_COMBINED_TEXTURE) {
        return NULL;
    }
    node->sampler_offset = resource;
    struct lull_error *err = lull_layout_get_number(r, v[KEY_SAMPLER_OFFSET], "sampler_offset",
                                                    MAX_TABLE, &node->sampler_offset);
    if (err != NULL) {
        return err;
    }
    if (node->sampler_offset < resource) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "%s.sampler_offset: %u dwords, and a resource has %u", r->path,
                              node->sampler_offset, resource);
    }
    node->stride = has_stride ? node->stride : node->sampler_offset + sampler;
    if (node->stride < node->sampler_offset + sampler ||
        (node->size != 0 && node->size < node->sampler_offset + sampler)) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "%s.sampler_offset: the sampler ends at dword %u, behind its element",
                              r->path, node->sampler_offset + sampler);
    }
    return NULL;
}

// Size and stride of a descriptor or an array of them.
LULL_MUST_USE static struct lull_error *get_size(const struct lull_layout_reader *r,
                                                 json_t *const *v, struct lull_layout_node *node)
{
    const uint32_t one = lull_layout_type_size(node->type);
    uint32_t count = 1;
    node->stride = 0;
    node->size = 0;
    struct lull_error *err =
        lull_layout_get_number(r, v[KEY_STRIDE], "stride", MAX_TABLE, &node->stride);
    err = err != NULL ? err : lull_layout_get_number(r, v[KEY_COUNT], "count", MAX_TABLE, &count);
    err =
        err != NULL ? err : lull_layout_get_number(r, v[KEY_SIZE], "size", MAX_TABLE, &node->size);
    if (err != NULL) {
        return err;
    }
    const bool has_stride = node->stride != 0 && node->type != LULL_LAYOUT_PUSH_CONSTANTS;
    node->stride = has_stride ? node->stride : one; // LLPC writes 0 for the type's own
    if (node->stride < one) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s.stride: %u dwords, and a %s has %u", r->path,
                              node->stride, lull_layout_type_name(node->type), one);
    }
    err = get_sampler(r, v, has_stride, node);
    if (err != NULL) {
        return err;
    }
    if (v[KEY_COUNT] != NULL && count == 0) {
        return lull_layout_bad(r, "count", "0");
    }
    const uint64_t size = (uint64_t)count * node->stride;
    if (v[KEY_SIZE] == NULL) {
        node->size = size <= MAX_TABLE ? (uint32_t)size : UINT32_MAX;
    } else if (v[KEY_COUNT] != NULL && size != node->size) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s.size: %u dwords, and %u of %u dwords each",
                              r->path, node->size, count, node->stride);
    }
    if (node->size == 0 || node->size > MAX_TABLE) {
        return lull_layout_bad(r, "size",
                               v[KEY_SIZE] == NULL && one == 0 ? "missing" : "0, or too large");
    }
    if (one != 0 && node->size < one) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s.size: %u dwords, and a %s has %u", r->path,
                              node->size, lull_layout_type_name(node->type), one);
    }
    node->stride = node->stride != 0 ? node->stride : node->size;
    return NULL;
}

LULL_MUST_USE static struct lull_error *get_descriptor(const struct lull_layout_reader *r,
                                                       json_t *const *v,
                                                       const struct lull_layout_node *table,
                                                       struct lull_layout_node *node)
{
    if (v[KEY_SET] == NULL && (table == NULL || !r->table_has_set)) {
        return lull_layout_bad(r, "set", "missing");
    }
    if (v[KEY_BINDING] == NULL) {
        return lull_layout_bad(r, "binding", "missing");
    }
    node->set = table != NULL ? table->set : 0;
    struct lull_error *err = lull_layout_get_number(r, v[KEY_SET], "set", UINT32_MAX, &node->set);
    err = err != NULL
              ? err
              : lull_layout_get_number(r, v[KEY_BINDING], "binding", UINT32_MAX, &node->binding);
    err = err != NULL ? err : get_immutable(r, v[KEY_IMMUTABLE], node);
    return err;
}

// Set and binding of push constants say nothing.
LULL_MUST_USE static struct lull_error *skip_place(const struct lull_layout_reader *r,
                                                   json_t *const *v)
{
    uint32_t number = 0;
    struct lull_error *err = lull_layout_get_number(r, v[KEY_SET], "set", UINT32_MAX, &number);
    return err != NULL ? err
                       : lull_layout_get_number(r, v[KEY_BINDING], "binding", UINT32_MAX, &number);
}

static bool fits_push_area(enum lull_layout_type type)
{
    return type == LULL_LAYOUT_PUSH_CONSTANTS || type == LULL_LAYOUT_BUFFER ||
           type == LULL_LAYOUT_CONST_BUFFER || type == LULL_LAYOUT_BUFFER_COMPACT ||
           type == LULL_LAYOUT_CONST_BUFFER_COMPACT;
}

// All of a node but the nodes of a table.
LULL_MUST_USE static struct lull_error *get_node(struct lull_layout_reader *r, json_t *const *v,
                                                 const struct lull_layout_node *table,
                                                 struct lull_layout_node *node)
{
    const bool root = table == NULL;
    struct lull_error *err = get_type(r, v[KEY_TYPE], node);
    for (unsigned k = 0; err == NULL && k < NODE_KEYS; k++) {
        if (v[k] != NULL && !key_fits(node->type, k)) {
            err = lull_layout_bad(r, node_words[k].name, "has no meaning for a node of this type");
        }
    }
    if (err == NULL && !root && !lull_layout_is_descriptor(node->type) &&
        node->type != LULL_LAYOUT_PUSH_CONSTANTS) {
        err = lull_layout_bad(r, "type", "stands only in the root table");
    }
    if (err == NULL && !root && table->push_area && !fits_push_area(node->type)) {
        err = lull_layout_bad(r, "type", "a push area holds push constants and buffers");
    }
    if (err == NULL && node->push_area && v[KEY_SET] != NULL) {
        err = lull_layout_bad(r, "set", "has no meaning for a node of this type");
    }
    err = err != NULL ? err : lull_layout_get_bool(r, v[KEY_YCBCR], "ycbcr", &node->ycbcr);
    err = err != NULL ? err : get_size(r, v, node);
    err = err != NULL
              ? err
              : lull_layout_get_number(r, v[KEY_OFFSET], "offset",
                                       root ? LULL_LAYOUT_MAX_ROOT : MAX_TABLE, &node->offset);
    err = err != NULL ? err
                      : lull_layout_get_number(r, v[KEY_INDIRECT_SIZE], "indirect_size", UINT32_MAX,
                                               &node->indirect_size);
    err = err != NULL ? err
                      : lull_layout_get_number(r, v[KEY_VISIBILITY], "visibility", UINT32_MAX,
                                               &node->visibility);
    if (err == NULL && node->type == LULL_LAYOUT_PUSH_CONSTANTS) {
        err = skip_place(r, v);
    }
    node->visibility = root ? node->visibility : 0; // its table's counts
    if (err == NULL &&
        (uint64_t)node->offset + node->size > (root ? LULL_LAYOUT_MAX_ROOT : MAX_TABLE)) {
        err = lull_layout_bad(r, "offset", "the node ends behind the largest table");
    }
    if (err == NULL && lull_layout_is_descriptor(node->type)) {
        err = get_descriptor(r, v, table, node);
    }
    if (v[KEY_NAME] != NULL && !json_is_string(v[KEY_NAME])) {
        lull_error_free(err);
        return lull_layout_bad(r, "name", "not a string");
    }
    node->name = keep(&r->layout->arena, v[KEY_NAME] != NULL ? json_string_value(v[KEY_NAME]) : "");
    node->path = keep(&r->layout->arena, r->path);
    return err != NULL ? err : node->name == NULL || node->path == NULL ? &lull_enomem : NULL;
}

struct sorted {
    const struct lull_layout_node *node;
};

static int compare_offsets(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    return x->node->offset < y->node->offset ? -1 : x->node->offset > y->node->offset;
}

struct lull_error *lull_layout_check_overlap(const struct lull_layout *layout)
{
    const struct lull_layout_node *nodes = layout->nodes;
    const uint32_t n = layout->nnodes;
    struct sorted *sorted = calloc((size_t)n + 1, sizeof *sorted);
    struct lull_error *err = sorted == NULL ? &lull_enomem : NULL;
    for (uint32_t i = 0; err == NULL && i < n; i++) {
        sorted[i].node = &nodes[i];
    }
    if (err == NULL) {
        qsort(sorted, n, sizeof *sorted, compare_offsets);
    }
    for (uint32_t i = 1; err == NULL && i < n; i++) {
        const struct lull_layout_node *a = sorted[i - 1].node, *b = sorted[i].node;
        if (a->offset + a->size > b->offset) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "%s: dwords %u to %u overlap those of %s",
                                 b->path, b->offset, b->offset + b->size - 1, a->path);
        }
    }
    free(sorted);
    return err;
}

static int compare_bindings(const void *a, const void *b)
{
    const struct lull_layout_node *x = ((const struct sorted *)a)->node;
    const struct lull_layout_node *y = ((const struct sorted *)b)->node;
    if (x->set != y->set) {
        return x->set < y->set ? -1 : 1;
    }
    if (x->binding != y->binding) {
        return x->binding < y->binding ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

// A shader that asks for a binding finds one node of a table.
LULL_MUST_USE static struct lull_error *check_bindings(const struct lull_layout *l,
                                                       const struct lull_layout_node *nodes,
                                                       uint32_t n)
{
    struct sorted *sorted = calloc((size_t)n + 1, sizeof *sorted);
    struct lull_error *err = sorted == NULL ? &lull_enomem : NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; err == NULL && i < n; i++) {
        if (lull_layout_is_descriptor(nodes[i].type)) {
            sorted[count++].node = &nodes[i];
        }
    }
    if (err == NULL) {
        qsort(sorted, count, sizeof *sorted, compare_bindings);
    }
    for (uint32_t i = 0; err == NULL && i < count; i++) {
        const struct lull_layout_node *a = sorted[i].node;
        const uint64_t end = a->binding + lull_layout_bindings(l, a);
        for (uint32_t k = i + 1; err == NULL && k < count; k++) {
            const struct lull_layout_node *b = sorted[k].node;
            if (b->set != a->set || b->binding >= end) {
                break;
            }
            const bool meet =
                a->visibility == 0 || b->visibility == 0 || (a->visibility & b->visibility) != 0;
            if (meet && lull_layout_both_fit(a->type, b->type)) {
                err = lull_error_new(LULL_ERR_BAD_DATA, "%s: set %u binding %u is that of %s, too",
                                     b->path, b->set, b->binding, a->path);
            }
        }
    }
    free(sorted);
    return err;
}

LULL_MUST_USE static struct lull_error *read_nodes(struct lull_layout_reader *r, json_t *list,
                                                   struct lull_layout_node *table,
                                                   const struct lull_layout_node **ret,
                                                   uint32_t *ret_count);

LULL_MUST_USE static struct lull_error *read_node(struct lull_layout_reader *r, json_t *o,
                                                  const struct lull_layout_node *table,
                                                  struct lull_layout_node *node)
{
    json_t *v[NODE_KEYS] = {NULL};
    if (!json_is_object(o)) {
        return lull_layout_bad(r, "", "not an object");
    }
    struct lull_error *err = lull_layout_take_keys(r, o, node_words, NODE_KEYS, v);
    err = err != NULL ? err : get_node(r, v, table, node);
    if (err != NULL || node->type != LULL_LAYOUT_TABLE) {
        return err;
    }
    if (v[KEY_NODES] == NULL) {
        return lull_layout_bad(r, "nodes", "missing");
    }
    r->table_has_set = v[KEY_SET] != NULL;
    err = lull_layout_get_number(r, v[KEY_SET], "set", UINT32_MAX, &node->set);
    return err != NULL ? err : read_nodes(r, v[KEY_NODES], node, &node->inner, &node->ninner);
}

// Offsets that are not given continue where the node before ends.
struct lull_error *read_nodes(struct lull_layout_reader *r, json_t *list,
                              struct lull_layout_node *table, const struct lull_layout_node **ret,
                              uint32_t *ret_count)
{
    const size_t n = json_array_size(list), outer = strlen(r->path);
    if (!json_is_array(list) || n > MAX_NODES) {
        return lull_layout_bad(r, "nodes", json_is_array(list) ? "too many" : "not a list");
    }
    struct lull_layout_node *nodes = lull_arena_calloc(&r->layout->arena, n + 1, sizeof *nodes);
    struct lull_error *err = nodes == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; err == NULL && i < n; i++) {
        const char *word = !r->pipe ? "nodes" : table == NULL ? "userDataNode" : "next";
        (void)snprintf(r->path + outer, sizeof r->path - outer, "%s%s[%zu]", outer != 0 ? "." : "",
                       word, i);
        nodes[i].offset = i > 0 ? nodes[i - 1].offset + nodes[i - 1].size : 0;
        err = read_node(r, json_array_get(list, i), table, &nodes[i]);
    }
    r->path[outer] = '\0';
    err = err != NULL ? err : check_bindings(r->layout, nodes, (uint32_t)n);
    *ret = nodes;
    *ret_count = (uint32_t)n;
    if (err == NULL && table != NULL && n > 0 && lull_layout_is_descriptor(nodes[0].type)) {
        table->set = nodes[0].set;
    }
    return err;
}

enum layout_key {
    KEY_ROOT,
    KEY_SCHEME,
    KEY_TOPOLOGY,
    KEY_RANGES,
    KEY_SHADOW,
    KEY_DEVICE,
    KEY_SAMPLES,
    KEY_PATTERN,
    KEY_LAYOUT_NAME,
    KEY_VERTEX_INPUT,
    KEY_VERTEX_BINDINGS,
    KEY_VERTEX_ATTRIBUTES,
    KEY_COLORS,
    KEY_COVERAGE,
    KEY_DUAL_SOURCE,
    KEY_PATCH,
    KEY_OVERLAP,
    KEY_MULTIVIEW,
    KEY_VIEW_MASK,
    LAYOUT_KEYS,
};

static const struct lull_layout_word layout_words[LAYOUT_KEYS] = {
    [KEY_ROOT] = {"nodes", "userDataNode"},
    [KEY_SCHEME] = {"scheme", "resourceLayoutScheme"},
    [KEY_TOPOLOGY] = {"topology", NULL},
    [KEY_RANGES] = {"binding_ranges", "useResourceBindingRange"},
    [KEY_SHADOW] = {"shadow_table", "shadowDescriptorTable"},
    [KEY_DEVICE] = {"device_index", "deviceIndex"},
    [KEY_SAMPLES] = {"num_samples", "numSamples"},
    [KEY_PATTERN] = {"sample_pattern_index", "samplePatternIdx"},
    [KEY_LAYOUT_NAME] = {"name", NULL},
    [KEY_VERTEX_INPUT] = {"vertex_input", NULL},
    [KEY_VERTEX_BINDINGS] = {"vertexBindings", NULL},
    [KEY_VERTEX_ATTRIBUTES] = {"vertexAttributes", NULL},
    [KEY_COLORS] = {"color_targets", "colorBuffer"},
    [KEY_COVERAGE] = {"alpha_to_coverage", "alphaToCoverageEnable"},
    [KEY_DUAL_SOURCE] = {"dual_source", "dualSourceBlendEnable"},
    [KEY_PATCH] = {"patch_control_points", "patchControlPoints"},
    [KEY_OVERLAP] = {"overlap", NULL},
    [KEY_MULTIVIEW] = {"multiview", "enableMultiView"},
    [KEY_VIEW_MASK] = {"view_mask", NULL},
};

LULL_MUST_USE static struct lull_error *get_choice(const struct lull_layout_reader *r,
                                                   const json_t *v, const char *key,
                                                   const char *const *names, size_t n,
                                                   unsigned *ret)
{
    for (size_t i = 0; v != NULL && i < n; i++) {
        if (json_is_string(v) && strcmp(json_string_value(v), names[i]) == 0) {
            *ret = (unsigned)i;
            return NULL;
        }
    }
    return v == NULL ? NULL : lull_layout_bad(r, key, "none of the words that it may be");
}

LULL_MUST_USE static struct lull_error *read_options(struct lull_layout_reader *r, json_t *const *v)
{
    struct lull_layout *l = r->layout;
    unsigned scheme = 0, topology = 0;
    struct lull_error *err =
        get_choice(r, v[KEY_SCHEME], "scheme", lull_layout_schemes, 2, &scheme);
    err = err != NULL
              ? err
              : get_choice(r, v[KEY_TOPOLOGY], "topology", lull_layout_topologies, 5, &topology);
    err = err != NULL
              ? err
              : lull_layout_get_bool(r, v[KEY_RANGES], "binding_ranges", &l->binding_ranges);
    err = err != NULL ? err : lull_layout_get_bool(r, v[KEY_OVERLAP], "overlap", &l->overlap);
    if (err == NULL && v[KEY_SHADOW] != NULL && !json_is_null(v[KEY_SHADOW])) {
        err =
            lull_layout_get_number(r, v[KEY_SHADOW], "shadow_table", UINT32_MAX, &l->shadow_table);
    }
    err = err != NULL ? err
                      : lull_layout_get_number(r, v[KEY_DEVICE], "device_index", UINT32_MAX,
                                               &l->device_index);
    err = err != NULL ? err
                      : lull_layout_get_number(r, v[KEY_SAMPLES], "num_samples", UINT32_MAX,
                                               &l->num_samples);
    err = err != NULL ? err
                      : lull_layout_get_number(r, v[KEY_PATTERN], "sample_pattern_index",
                                               UINT32_MAX, &l->sample_pattern_index);
    if (err == NULL && v[KEY_LAYOUT_NAME] != NULL && !json_is_string(v[KEY_LAYOUT_NAME])) {
        err = lull_layout_bad(r, "name", "not a string");
    }
    l->scheme = scheme;
    l->topology = topology;
    l->has_shadow_table = l->shadow_table != UINT32_MAX;
    return err;
}

// What a draw's pipeline says besides.
LULL_MUST_USE static struct lull_error *read_drawing(struct lull_layout_reader *r, json_t *const *v)
{
    struct lull_layout *l = r->layout;
    struct lull_error *err =
        lull_layout_get_bool(r, v[KEY_COVERAGE], "alpha_to_coverage", &l->alpha_to_coverage);
    err = err != NULL ? err
                      : lull_layout_get_bool(r, v[KEY_DUAL_SOURCE], "dual_source", &l->dual_source);
    err = err != NULL ? err
                      : lull_layout_get_number(r, v[KEY_PATCH], "patch_control_points",
                                               LULL_LAYOUT_PATCH_POINTS, &l->patch_control_points);
    err = err != NULL ? err : lull_layout_get_bool(r, v[KEY_MULTIVIEW], "multiview", &l->multiview);
    err = err != NULL
              ? err
              : lull_layout_get_number(r, v[KEY_VIEW_MASK], "view_mask", UINT32_MAX, &l->view_mask);
    l->multiview = l->multiview || l->view_mask != 0;
    if (err == NULL && v[KEY_VERTEX_INPUT] != NULL &&
        (v[KEY_VERTEX_BINDINGS] != NULL || v[KEY_VERTEX_ATTRIBUTES] != NULL)) {
        err = lull_layout_bad(r, "vertex_input", "given twice, by another name");
    }
    if (err == NULL && v[KEY_VERTEX_INPUT] != NULL) {
        err = lull_layout_read_vertex_input(r, v[KEY_VERTEX_INPUT]);
    } else if (err == NULL &&
               (v[KEY_VERTEX_BINDINGS] != NULL || v[KEY_VERTEX_ATTRIBUTES] != NULL)) {
        err = lull_layout_read_vertex_lists(r, v[KEY_VERTEX_BINDINGS], v[KEY_VERTEX_ATTRIBUTES]);
    }
    if (err == NULL && v[KEY_COLORS] != NULL) {
        err = lull_layout_read_colors(r, v[KEY_COLORS]);
    }
    return err;
}

static bool same_node(const struct lull_layout_node *a, const struct lull_layout_node *b)
{
    bool same = a->type == b->type && a->offset == b->offset && a->size == b->size &&
                a->set == b->set && a->binding == b->binding && a->stride == b->stride &&
                a->indirect_size == b->indirect_size && a->ycbcr == b->ycbcr &&
                a->ninner == b->ninner && a->nimmutable == b->nimmutable;
    for (uint32_t i = 0; same && i < a->ninner; i++) {
        same = same_node(&a->inner[i], &b->inner[i]);
    }
    const size_t dwords = (size_t)a->nimmutable * (a->ycbcr ? 8 : 4);
    return same && (dwords == 0 || memcmp(a->immutable, b->immutable, 4 * dwords) == 0);
}

// Stages in LLPC's old files name each their nodes: those that are alike are one.
static void join_stages(struct lull_layout *l)
{
    struct lull_layout_node *nodes = (struct lull_layout_node *)l->nodes;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->nnodes; i++) {
        uint32_t k = 0;
        while (k < n && (nodes[k].visibility == 0 || nodes[i].visibility == 0 ||
                         nodes[k].offset != nodes[i].offset || !same_node(&nodes[k], &nodes[i]))) {
            k++;
        }
        if (k < n) {
            nodes[k].visibility |= nodes[i].visibility;
        } else {
            nodes[n++] = nodes[i];
        }
    }
    l->nnodes = n;
}

LULL_MUST_USE static struct lull_error *read_layout(struct lull_layout_reader *r, json_t *top)
{
    struct lull_layout *l = r->layout;
    json_t *v[LAYOUT_KEYS] = {NULL};
    if (json_is_array(top)) {
        return read_nodes(r, top, NULL, &l->nodes, &l->nnodes);
    }
    if (!json_is_object(top)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "neither an object nor a list of nodes");
    }
    struct lull_error *err = lull_layout_take_keys(r, top, layout_words, LAYOUT_KEYS, v);
    err = err != NULL ? err : read_options(r, v);
    err = err != NULL ? err : read_drawing(r, v);
    if (err == NULL && v[KEY_ROOT] == NULL) {
        err = lull_layout_bad(r, "nodes", "missing");
    }
    return err != NULL ? err : read_nodes(r, v[KEY_ROOT], NULL, &l->nodes, &l->nnodes);
}

// The JSON form of either form.
LULL_MUST_USE static struct lull_error *parse(const char *text, size_t size, bool pipe,
                                              struct lull_layout_lines *lines, json_t **ret)
{
    json_error_t where = {0};
    if (pipe) {
        return lull_layout_pipe_read(text, size, ret, lines);
    }
    *ret = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
    return *ret != NULL ? NULL
                        : lull_error_new(LULL_ERR_BAD_DATA, "line %d column %d: %s", where.line,
                                         where.column, where.text);
}

struct lull_error *lull_layout_read(const char *text, size_t size, struct lull_layout *ret)
{
    struct lull_layout layout = {.num_samples = 1, .shadow_table = UINT32_MAX};
    struct lull_layout_reader r = {.layout = &layout, .pipe = lull_layout_is_pipe(text, size)};
    struct lull_layout_lines lines = {0};
    json_t *top = NULL;
    struct lull_error *err = parse(text, size, r.pipe, &lines, &top);
    if (err == NULL) {
        err = read_layout(&r, top);
        if (err == NULL && !layout.overlap) { // descriptor tables may: LLPC has no rule
            err = lull_layout_check_overlap(&layout);
        }
        const unsigned line =
            err != NULL ? lull_layout_line_of(&lines, lull_error_message(err)) : 0;
        err = line != 0 ? lull_error_in(err, "line %u", line) : err;
    }
    json_decref(top);
    lull_layout_lines_done(&lines);
    if (err != NULL) {
        lull_layout_done(&layout);
        return err;
    }
    if (r.pipe) {
        join_stages(&layout);
    }
    *ret = layout;
    return NULL;
}
