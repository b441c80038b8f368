// SPDX-License-Identifier: MIT
// Merging of PAL metadata, key by key. Source: LLPC, lgc/state/PalMetadata.cpp (mergeFromBlob).
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hw/pal_regs.h"
#include "link/link_priv.h"

enum how {
    OR,    // bits of all files
    MAX,   // enough for each file
    MIN,   // the lowest of any
    EQUAL, // a difference is an error
    MIX,   // a hash of both
};

struct rule {
    const char *key;
    enum how how;
};

static const struct rule rules[] = {
    {".user_data_limit", MAX},     {".sgpr_count", MAX},
    {".sgpr_limit", MAX},          {".vgpr_count", MAX},
    {".vgpr_limit", MAX},          {".agpr_count", MAX},
    {".scratch_memory_size", MAX}, {".lds_size", MAX},
    {".es_gs_lds_size", MAX},      {".frontend_stack_size", MAX},
    {".backend_stack_size", MAX},  {".stack_frame_size_in_bytes", MAX},
    {".num_interpolants", MAX},    {".spill_threshold", MIN},
    {".wavefront_size", EQUAL},    {".user_sgprs", EQUAL},
    {".user_data_reg_map", EQUAL}, {".float_mode", EQUAL},
    {".api_shader_hash", EQUAL},   {".threadgroup_dimensions", EQUAL},
    {"amdpal.version", EQUAL},     {".internal_pipeline_hash", MIX},
    {".128_bit_cache_hash", MIX},  {".resource_hash", MIX},
};

static const char registers_key[] = ".registers";

// Where the merge is in the tree: rules of a key hold for all below it.
struct place {
    char path[256];
    size_t size;
    enum how how;
    bool registers; // below .registers
    uint32_t reg;   // its number
};

static struct place below(const struct place *p, const struct lull_msgtree *key, size_t index)
{
    struct place in = *p;
    char text[80];
    if (key == NULL) {
        (void)snprintf(text, sizeof text, "[%zu]", index);
    } else if (key->m.kind == LULL_MSGPACK_STR) {
        (void)snprintf(text, sizeof text, "%s%.*s", p->size > 0 ? "/" : "",
                       key->m.size < 64 ? (int)key->m.size : 64, (const char *)key->m.data);
    } else {
        (void)snprintf(text, sizeof text, "/0x%" PRIx64, key->m.u);
    }
    const int n = snprintf(in.path + in.size, sizeof in.path - in.size, "%s", text);
    in.size = in.size + (size_t)n < sizeof in.path ? in.size + (size_t)n : sizeof in.path - 1;
    for (size_t i = 0; key != NULL && i < sizeof rules / sizeof rules[0]; i++) {
        in.how = lull_msgpack_is(&key->m, rules[i].key) ? rules[i].how : in.how;
    }
    in.reg = in.registers && key != NULL && key->m.kind == LULL_MSGPACK_UINT ? (uint32_t)key->m.u
                                                                             : in.reg;
    in.registers = in.registers || (key != NULL && lull_msgpack_is(&key->m, registers_key));
    return in;
}

static void value_text(const struct lull_msgpack *m, char *out, size_t room)
{
    switch (m->kind) {
    case LULL_MSGPACK_STR:
        (void)snprintf(out, room, "'%.*s'", m->size < 64 ? (int)m->size : 64,
                       (const char *)m->data);
        return;
    case LULL_MSGPACK_UINT:
        (void)snprintf(out, room, "0x%" PRIx64, m->u);
        return;
    case LULL_MSGPACK_BOOL:
        (void)snprintf(out, room, "%s", m->u != 0 ? "true" : "false");
        return;
    case LULL_MSGPACK_ARRAY:
    case LULL_MSGPACK_MAP:
        (void)snprintf(out, room, "%s of %zu", m->kind == LULL_MSGPACK_MAP ? "a map" : "a list",
                       m->size);
        return;
    case LULL_MSGPACK_NIL:
    case LULL_MSGPACK_INT:
    case LULL_MSGPACK_FLOAT:
    case LULL_MSGPACK_BIN:
    case LULL_MSGPACK_EXT:
        break;
    }
    (void)snprintf(out, room, "another value");
}

LULL_NEW_ERROR static struct lull_error *conflict(const struct place *p,
                                                  const struct lull_msgtree *to,
                                                  const struct lull_msgtree *from)
{
    char a[96], b[96];
    value_text(&to->m, a, sizeof a);
    value_text(&from->m, b, sizeof b);
    return lull_error_new(LULL_ERR_BAD_DATA, "metadata '%s': %s here, %s in the files before",
                          p->path, b, a);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); // FNV-1a
    for (unsigned i = 0; i < 16; i++) {
        h = (h ^ (uint8_t)((i < 8 ? a : b) >> 8 * (i % 8))) * UINT64_C(0x100000001b3);
    }
    return h;
}

static bool user_data_register(uint32_t reg)
{
    const struct lull_reg_entry *e = lull_reg_at(&lull_regs_pal, 0, reg);
    return e != NULL && strstr(e->name, "_USER_DATA_") != NULL;
}

static bool resource_register(uint32_t reg)
{
    const struct lull_reg_entry *e = lull_reg_at(&lull_regs_pal, 0, reg);
    return e != NULL && strstr(e->name, "_PGM_RSRC1") != NULL;
}

static uint64_t max_field(uint64_t to, uint64_t from, uint32_t mask)
{
    const uint64_t a = to & mask, b = from & mask;
    return ((to | from) & ~(uint64_t)mask) | (a > b ? a : b);
}

// RSRC1 of a stage counts registers; its other fields are bits.
static uint64_t merge_rsrc1(uint64_t to, uint64_t from)
{
    const uint32_t vgprs = LULL_PAL_COMPUTE_PGM_RSRC1__VGPRS_MASK,
                   sgprs = LULL_PAL_COMPUTE_PGM_RSRC1__SGPRS_MASK;
    const uint64_t v = max_field(to, from, vgprs), s = max_field(to, from, sgprs);
    return (v & ~(uint64_t)sgprs) | (s & sgprs);
}

LULL_MUST_USE static struct lull_error *merge_number(struct lull_linker *l, const char *file,
                                                     const struct place *p, struct lull_msgtree *to,
                                                     const struct lull_msgtree *from)
{
    const uint64_t a = to->m.u, b = from->m.u;
    const char *rule = "bits of both";
    enum how how = p->how;
    if (a == b) {
        return NULL;
    }
    if (p->registers && user_data_register(p->reg)) {
        how = EQUAL;
    }
    if (how == EQUAL) {
        return conflict(p, to, from);
    }
    if (p->registers && resource_register(p->reg)) {
        to->m.u = merge_rsrc1(a, b);
        rule = "the larger counts, and bits of both";
    } else if (how == MAX) {
        to->m.u = a > b ? a : b;
        rule = "the larger";
    } else if (how == MIN) {
        to->m.u = a < b ? a : b;
        rule = "the smaller";
    } else if (how == MIX) {
        to->m.u = mix(a, b);
        rule = "a hash of both";
    } else {
        to->m.u = a | b;
    }
    lull_link_note(l, "metadata", file, p->path, to->m.u, "0x%" PRIx64 " and 0x%" PRIx64 ": %s", a,
                   b, rule);
    return NULL;
}

LULL_MUST_USE static struct lull_error *merge(struct lull_linker *l, const char *file,
                                              const struct place *p, struct lull_msgtree *to,
                                              struct lull_msgtree *from);

LULL_MUST_USE static struct lull_error *merge_maps(struct lull_linker *l, const char *file,
                                                   const struct place *p, struct lull_msgtree *to,
                                                   struct lull_msgtree *from)
{
    struct lull_error *err = NULL;
    for (struct lull_msgtree *i = from->first, *next = NULL; err == NULL && i != NULL; i = next) {
        next = i->next;
        struct lull_msgtree *mine = lull_msgtree_same(to, i->key);
        if (mine == NULL) {
            lull_msgtree_insert(to, i->key, i);
        } else {
            const struct place in = below(p, i->key, 0);
            err = merge(l, file, &in, mine, i);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *merge_arrays(struct lull_linker *l, const char *file,
                                                     const struct place *p, struct lull_msgtree *to,
                                                     struct lull_msgtree *from)
{
    struct lull_error *err = NULL;
    struct lull_msgtree *mine = to->first;
    if (p->how == EQUAL && to->m.size != from->m.size) {
        return conflict(p, to, from);
    }
    size_t index = 0;
    for (struct lull_msgtree *i = from->first, *next = NULL; err == NULL && i != NULL; i = next) {
        next = i->next;
        if (mine == NULL) {
            i->next = NULL;
            lull_msgtree_append(to, i);
            continue;
        }
        const struct place in = below(p, NULL, index++);
        err = merge(l, file, &in, mine, i);
        mine = mine->next;
    }
    return err;
}

// No deeper than lull_msgtree_read() allows.
struct lull_error *merge(struct lull_linker *l, const char *file, const struct place *p,
                         struct lull_msgtree *to, struct lull_msgtree *from)
{
    if (to->m.kind != from->m.kind) {
        return conflict(p, to, from);
    }
    switch (to->m.kind) {
    case LULL_MSGPACK_MAP:
        return merge_maps(l, file, p, to, from);
    case LULL_MSGPACK_ARRAY:
        return merge_arrays(l, file, p, to, from);
    case LULL_MSGPACK_BOOL:
    case LULL_MSGPACK_UINT:
        return merge_number(l, file, p, to, from);
    case LULL_MSGPACK_NIL:
    case LULL_MSGPACK_INT:
    case LULL_MSGPACK_FLOAT:
    case LULL_MSGPACK_STR:
    case LULL_MSGPACK_BIN:
    case LULL_MSGPACK_EXT:
        break;
    }
    return lull_msgtree_equal(&to->m, &from->m) ? NULL : conflict(p, to, from);
}

struct lull_error *lull_link_merge_tree(struct lull_linker *l, const char *file,
                                        struct lull_msgtree *to, struct lull_msgtree *from)
{
    const struct place top = {.how = OR};
    return merge(l, file, &top, to, from);
}
