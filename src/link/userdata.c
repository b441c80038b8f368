// SPDX-License-Identifier: MIT
// User-data registers get numbers of the root table. Source: LLPC, PalMetadata::fixUpRegisters.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hw/pal_regs.h"
#include "hw/userdata_regs.h"
#include "link/link_priv.h"
#include "link/stages.h"

struct fix {
    struct lull_linker *l;
    uint32_t limit;
    bool spill_register; // some stage is given the address of the spill table
    bool any_register;
    uint32_t stages; // of the register that is looked at; 0: any
};

// A root node whose address or contents user data of set n means; NULL if there is none.
static const struct lull_layout_node *set_node(const struct lull_layout *layout, uint32_t stages,
                                               uint32_t n)
{
    const struct lull_layout_node *table = lull_link_set_table(layout, stages, n);
    for (uint32_t i = 0; table == NULL && i < layout->nnodes; i++) {
        const struct lull_layout_node *node = &layout->nodes[i];
        const bool descriptor = lull_layout_type_size(node->type) > 1;
        table = descriptor && node->set == n && lull_layout_visible(node, stages) ? node : NULL;
    }
    return table;
}

// The number of the root table for a value that only unlinked shaders have.
LULL_MUST_USE static struct lull_error *dword_for(struct fix *f, uint32_t stages, uint32_t value,
                                                  uint32_t *ret, char *why, size_t room)
{
    const struct lull_layout *layout = f->l->layout;
    uint32_t end = 0;
    if (value < LULL_USERDATA_PUSH_CONSTANT) {
        const uint32_t set = value - LULL_USERDATA_DESCRIPTOR_SET;
        const struct lull_layout_node *node = set_node(layout, stages, set);
        if (node == NULL) {
            return lull_error_new(LULL_ERR_NOT_FOUND,
                                  "descriptor set %" PRIu32 ": the layout has no table for it",
                                  set);
        }
        *ret = node->offset;
        end = node->offset + node->size;
        (void)snprintf(why, room, "descriptor set %" PRIu32 ", %s", set, node->path);
    } else {
        const uint32_t dword = value - LULL_USERDATA_PUSH_CONSTANT;
        struct lull_layout_place at = {0};
        if (!lull_layout_first(layout, stages, LULL_LAYOUT_PUSH_CONSTANTS, &at) ||
            at.root != at.node) {
            return lull_error_new(LULL_ERR_NOT_FOUND,
                                  "push constant dword %" PRIu32
                                  ": the layout has no push constants in its root table",
                                  dword);
        }
        if (dword >= at.node->size) {
            return lull_error_new(LULL_ERR_NOT_FOUND,
                                  "push constant dword %" PRIu32 ": %s has %" PRIu32, dword,
                                  at.node->path, at.node->size);
        }
        *ret = at.node->offset + dword;
        end = at.node->offset + at.node->size;
        (void)snprintf(why, room, "push constant dword %" PRIu32 ", %s", dword, at.node->path);
    }
    if (*ret >= LULL_USERDATA_ROOT_END) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "dword %" PRIu32
                              " of the root table: registers are given only the first %u",
                              *ret, LULL_USERDATA_ROOT_END);
    }
    f->limit = end > f->limit ? end : f->limit;
    return NULL;
}

// The same, where stages see nodes of their own: those that see one must agree.
LULL_MUST_USE static struct lull_error *root_dword(struct fix *f, uint32_t value, uint32_t *ret,
                                                   char *why, size_t room)
{
    struct lull_error *first = NULL;
    bool found = false;
    if (f->stages == 0 || !lull_layout_by_stage(f->l->layout)) {
        return dword_for(f, 0, value, ret, why, room);
    }
    for (uint32_t bit = 1; bit <= f->stages; bit <<= 1) {
        uint32_t dword = 0;
        if ((f->stages & bit) == 0) {
            continue;
        }
        struct lull_error *err = dword_for(f, bit, value, &dword, why, room);
        if (err == NULL && found && dword != *ret) {
            lull_error_free(first);
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "dwords %" PRIu32 " and %" PRIu32
                                  " of the root table, for different stages; the metadata do not "
                                  "say which of the two it is",
                                  *ret, dword);
        }
        *ret = err == NULL ? dword : *ret;
        found = found || err == NULL;
        if (first == NULL) {
            first = err;
        } else {
            lull_error_free(err);
        }
    }
    if (found) {
        lull_error_free(first);
        first = NULL;
    }
    return first;
}

// One register; name is for messages.
LULL_MUST_USE static struct lull_error *fix_register(struct fix *f, const char *name,
                                                     struct lull_msgtree *t)
{
    if (t->m.kind != LULL_MSGPACK_UINT || t->m.u > UINT32_MAX) {
        return lull_error_new(LULL_ERR_BAD_DATA, "metadata '%s': not a number of 32 bits", name);
    }
    const uint32_t value = (uint32_t)t->m.u;
    f->any_register = true;
    f->spill_register = f->spill_register || value == LULL_USERDATA_SPILL_TABLE;
    if (value < LULL_USERDATA_DESCRIPTOR_SET || value >= LULL_USERDATA_PUSH_CONSTANT_END) {
        return NULL;
    }
    uint32_t dword = 0;
    char why[128] = "";
    struct lull_error *err = root_dword(f, value, &dword, why, sizeof why);
    if (err != NULL) {
        return lull_error_in(err, "metadata '%s'", name);
    }
    t->m.u = dword;
    lull_link_note(f->l, "user-data", "", name, dword, "dword %" PRIu32 " of the root table: %s",
                   dword, why);
    return NULL;
}

// File that the stage's code came from; "" if that is not known.
static const char *file_of(const struct lull_linker *l, const struct lull_msgtree *stage)
{
    const struct lull_msgtree *entry = lull_msgtree_get(stage, ".entry_point");
    entry = entry != NULL ? entry : lull_msgtree_get(stage, ".entry_point_symbol");
    char name[256] = "";
    if (entry == NULL || entry->m.kind != LULL_MSGPACK_STR || entry->m.size >= sizeof name) {
        return "";
    }
    memcpy(name, entry->m.data, entry->m.size);
    const struct lull_link_symbol *s = lull_link_global(l, name);
    return s != NULL ? s->file : "";
}

LULL_MUST_USE static struct lull_error *fix_stage(struct fix *f, const struct lull_msgtree *stage)
{
    struct lull_msgtree *map = lull_msgtree_get(stage, ".user_data_reg_map");
    if (map == NULL) {
        return NULL;
    }
    if (map->m.kind != LULL_MSGPACK_ARRAY) {
        return lull_error_new(LULL_ERR_BAD_DATA, "metadata '.user_data_reg_map': not a list");
    }
    struct lull_error *err = NULL;
    unsigned n = 0;
    for (struct lull_msgtree *i = map->first; err == NULL && i != NULL; i = i->next, n++) {
        char name[96];
        (void)snprintf(name, sizeof name, "%.*s/.user_data_reg_map[%u]",
                       stage->key->m.size < 32 ? (int)stage->key->m.size : 32,
                       (const char *)stage->key->m.data, n);
        err = fix_register(f, name, i);
    }
    const char *file = err != NULL ? file_of(f->l, stage) : "";
    return file[0] != '\0' ? lull_error_in(err, "%s", file) : err;
}

LULL_MUST_USE static struct lull_error *fix_registers(struct fix *f, struct lull_msgtree *registers)
{
    struct lull_error *err = NULL;
    const bool map = registers != NULL && registers->m.kind == LULL_MSGPACK_MAP;
    for (struct lull_msgtree *i = map ? registers->first : NULL; err == NULL && i != NULL;
         i = i->next) {
        const struct lull_reg_entry *e =
            i->key->m.kind == LULL_MSGPACK_UINT && i->key->m.u <= UINT32_MAX
                ? lull_reg_at(&lull_regs_pal, 0, (uint32_t)i->key->m.u)
                : NULL;
        if (e != NULL && strstr(e->name, "_USER_DATA_") != NULL) {
            const char *stage = strstr(e->name, "_USER_DATA_") + strlen("_USER_DATA_");
            f->stages = lull_stage_bits(strncmp(e->name, "COMPUTE", 7) == 0 ? "cs" : stage);
            err = fix_register(f, e->name, i);
        } else if (e != NULL && e->offset == LULL_PAL_VGT_GS_OUT_PRIM_TYPE &&
                   f->l->layout->topology != LULL_LAYOUT_NO_TOPOLOGY) {
            static const uint8_t types[] = {
                [LULL_LAYOUT_POINTS] = LULL_PAL_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__POINTLIST,
                [LULL_LAYOUT_LINES] = LULL_PAL_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__LINESTRIP,
                [LULL_LAYOUT_TRIANGLES] = LULL_PAL_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__TRISTRIP,
                [LULL_LAYOUT_RECTANGLES] = LULL_PAL_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__RECTLIST,
            };
            i->m.u = types[f->l->layout->topology];
            lull_link_note(f->l, "user-data", "", e->name, i->m.u, "from the layout's topology");
        }
    }
    return err;
}

// What reaches the rasterizer, by name.
static void fix_topology(struct lull_linker *l, const struct lull_msgtree *pipeline)
{
    static const char *const names[] = {
        [LULL_LAYOUT_POINTS] = "PointList",
        [LULL_LAYOUT_LINES] = "LineStrip",
        [LULL_LAYOUT_TRIANGLES] = "TriStrip",
        [LULL_LAYOUT_RECTANGLES] = "RectList",
    };
    const struct lull_msgtree *fields = lull_msgtree_get(pipeline, ".graphics_registers");
    struct lull_msgtree *type =
        lull_msgtree_get(lull_msgtree_get(fields, ".vgt_gs_out_prim_type"), ".outprim_type");
    if (type != NULL && type->m.kind == LULL_MSGPACK_STR &&
        l->layout->topology != LULL_LAYOUT_NO_TOPOLOGY) {
        const char *name = names[l->layout->topology];
        type->m.data = (const uint8_t *)name;
        type->m.size = strlen(name);
        lull_link_note(l, "user-data", "", ".vgt_gs_out_prim_type", l->layout->topology,
                       "%s: from the layout's topology", name);
    }
}

// Key of the pipeline as it was merged; `none` if no file has it.
static uint32_t number_of(const struct lull_msgtree *pipeline, const char *key, uint32_t none)
{
    const struct lull_msgtree *t = lull_msgtree_get(pipeline, key);
    return t != NULL && t->m.kind == LULL_MSGPACK_UINT && t->m.u < UINT32_MAX ? (uint32_t)t->m.u
                                                                              : none;
}

static uint32_t spill_end(const struct lull_layout *layout, uint32_t limit)
{
    for (uint32_t i = 0; i < layout->nnodes; i++) {
        const struct lull_layout_node *n = &layout->nodes[i];
        if (n->type != LULL_LAYOUT_INDIRECT_USER_DATA && n->type != LULL_LAYOUT_STREAM_OUT_TABLE &&
            n->offset + n->size > limit) {
            limit = n->offset + n->size;
        }
    }
    return limit;
}

LULL_MUST_USE static struct lull_error *put(struct fix *f, struct lull_msgtree *pipeline,
                                            const char *key, uint32_t value, const char *why)
{
    struct lull_msgtree *t = lull_msgtree_number(f->l->arena, pipeline, key);
    if (t == NULL) {
        return &lull_enomem;
    }
    t->m = (struct lull_msgpack){.kind = LULL_MSGPACK_UINT, .u = value};
    lull_link_note(f->l, "user-data", "", key, value, "0x%" PRIx32 ": %s", value, why);
    return NULL;
}

LULL_MUST_USE static struct lull_error *finish(struct fix *f, struct lull_msgtree *pipeline)
{
    const struct lull_layout *layout = f->l->layout;
    uint32_t spill = number_of(pipeline, ".spill_threshold", LULL_LINK_NO_SPILL);
    uint32_t limit = number_of(pipeline, ".user_data_limit", 0);
    spill = f->l->spill_threshold < spill ? f->l->spill_threshold : spill;
    limit = f->limit > limit ? f->limit : limit;
    const char *why = "end of the last node that a register is given";
    if (spill < LULL_LINK_NO_SPILL) {
        limit = spill_end(layout, limit);
        why = "end of the last node, as there is a spill table";
    } else if (limit == 0 && layout->nnodes > 0) {
        limit = 1;
        why = "a layout that is not empty";
    }
    if (spill < LULL_LINK_NO_SPILL && f->any_register && !f->spill_register) {
        lull_link_warn(f->l,
                       "the spill table is read from dword %" PRIu32
                       " on, and no stage is given its address",
                       spill);
    }
    struct lull_error *err =
        put(f, pipeline, ".spill_threshold", spill,
            spill < LULL_LINK_NO_SPILL ? "lowest dword that is read from the spill table"
                                       : "nothing is read from the spill table");
    err = err != NULL ? err : put(f, pipeline, ".user_data_limit", limit, why);
    f->l->result->spill_threshold = spill;
    f->l->result->user_data_limit = limit;
    return err;
}

struct lull_error *lull_link_fix_user_data(struct lull_linker *l)
{
    struct fix f = {.l = l};
    struct lull_msgtree *pipelines = lull_msgtree_get(l->metadata, "amdpal.pipelines");
    l->result->spill_threshold = l->spill_threshold;
    if (pipelines == NULL) {
        return NULL;
    }
    struct lull_msgtree *pipeline = pipelines->first;
    const struct lull_msgtree *stages = lull_msgtree_get(pipeline, ".hardware_stages");
    const bool map = stages != NULL && stages->m.kind == LULL_MSGPACK_MAP;
    struct lull_error *err = NULL;
    for (const struct lull_msgtree *i = map ? stages->first : NULL; err == NULL && i != NULL;
         i = i->next) {
        f.stages = lull_link_stages(pipeline, &i->key->m);
        err = i->key->m.kind == LULL_MSGPACK_STR ? fix_stage(&f, i) : NULL;
    }
    fix_topology(l, pipeline);
    err = err != NULL ? err : fix_registers(&f, lull_msgtree_get(pipeline, ".registers"));
    return err != NULL ? err : finish(&f, pipeline);
}
