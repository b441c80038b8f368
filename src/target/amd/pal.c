// SPDX-License-Identifier: MIT
#include "target/amd/pal.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "hw/userdata_regs.h"
#include "target/amd/pal_priv.h"

enum {
    DWORD = 4,
    CODE_TAIL = 256, // the instruction cache reads ahead
    HIGH = 32,
    MAX_ITEMS = 1024,
};

struct lull_error *lull_pal_place(struct lull_amd_device *d, const struct lull_pal *pipeline,
                                  const struct lull_layout *layout, struct lull_pal_placed *ret)
{
    const struct lull_pal_map m = lull_pal_map_of(layout);
    struct lull_error *err = lull_amd_bo_new(d, "code", lull_pal_size(pipeline) + CODE_TAIL,
                                             LULL_AMD_BO_EXEC, &ret->code);
    if (err == NULL) {
        err = lull_amd_bo_new(d, "tables", m.size, LULL_AMD_BO_GTT | LULL_AMD_BO_READONLY,
                              &ret->tables);
    }
    if (err != NULL) {
        return err;
    }
    if (ret->code->va >> HIGH != (ret->tables->va + m.size) >> HIGH) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "code and tables lie in different 4 GiB");
    }
    memset(ret->tables->map, 0, m.size);
    return lull_pal_load(pipeline, ret->code->va, ret->code->map);
}

void lull_pal_write_spill(uint32_t threshold, uint32_t limit, const uint32_t *root, uint32_t size,
                          uint32_t *spill)
{
    for (uint32_t i = 0; i < size; i++) {
        spill[i] = i >= threshold && i < limit ? root[i] : LULL_PAL_POISON;
    }
}

/** Of the root table. */
LULL_MUST_USE static struct lull_error *fill_root(const struct lull_pal_user *u, unsigned i)
{
    const uint32_t v = u->map[i], size = lull_layout_root_size(u->launch->layout);
    if (v >= size || v >= u->limit || v >= LULL_USERDATA_ROOT_END) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "user SGPR %u is given dword %u; the layout has %u, the pipeline's "
                              "limit is %u, PAL's %d",
                              i, v, size, u->limit, LULL_USERDATA_ROOT_END);
    }
    u->to[i] = u->root[v];
    return NULL;
}

/** What only draws have; false: it is not one of those. */
static bool fill_draw(const struct lull_pal_user *u, unsigned i)
{
    const struct lull_pal_map m = lull_pal_map_of(u->launch->layout);
    if (u->drawing == NULL) {
        return false;
    }
    switch (u->map[i]) {
    case LULL_USERDATA_BASE_VERTEX:
        u->to[i] = u->drawing->first_vertex;
        return true;
    case LULL_USERDATA_BASE_INSTANCE:
        u->to[i] = u->drawing->first_instance;
        return true;
    case LULL_USERDATA_VERTEX_BUFFER_TABLE:
        u->to[i] = (uint32_t)(u->placed->tables->va + m.vertices);
        return true;
    case LULL_USERDATA_MESH_TASK_DISPATCH_DIMS:
        memcpy(&u->to[i], u->drawing->groups,
               (u->n - i < 3 ? u->n - i : 3) * sizeof u->drawing->groups[0]);
        return u->drawing->groups[0] != 0;
    case LULL_USERDATA_VIEW_ID:
        *u->view_at = i + 1;
        return true; // with each view
    case LULL_USERDATA_DRAW_INDEX:
        return true; // 0
    default:
        return false;
    }
}

/** One user SGPR, or two. */
LULL_MUST_USE static struct lull_error *fill_sgpr(const struct lull_pal_user *u, unsigned i)
{
    const struct lull_pal_map m = lull_pal_map_of(u->launch->layout);
    const uint32_t v = u->map[i];
    const uint64_t tables = u->placed->tables->va;
    if (v < LULL_USERDATA_GLOBAL_TABLE) {
        return fill_root(u, i);
    }
    if (v == LULL_USERDATA_UNUSED || fill_draw(u, i)) {
        return NULL;
    }
    if (v == LULL_USERDATA_GLOBAL_TABLE || v == LULL_USERDATA_PER_SHADER_TABLE) {
        u->to[i] = (uint32_t)(tables + m.internal);
    } else if (v == LULL_USERDATA_SPILL_TABLE) {
        u->to[i] = (uint32_t)(tables + m.spill);
    } else if (v == LULL_USERDATA_WORKGROUP && u->drawing == NULL) {
        if (i + 1 == u->n) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "user SGPR %u is given an address, which takes two", i);
        }
        u->to[i] = (uint32_t)(tables + m.groups);
        u->to[i + 1] = (uint32_t)((tables + m.groups) >> HIGH);
    } else if (v >= LULL_USERDATA_DESCRIPTOR_SET) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "user SGPR %u is given %#x: the pipeline is not linked", i, v);
    } else {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "user SGPR %u is given %#x, which %s shaders do not have", i, v,
                              u->drawing == NULL ? "compute" : "these");
    }
    return NULL;
}

struct lull_error *lull_pal_fill_user(const struct lull_pal_user *u)
{
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < u->n; i++) {
        const uint32_t what = u->map[i];
        err = fill_sgpr(u, i);
        i += what == LULL_USERDATA_WORKGROUP                 ? 1
             : what == LULL_USERDATA_MESH_TASK_DISPATCH_DIMS ? 2
                                                             : 0;
    }
    return err;
}

/** Sizes of grid and workgroup. */
LULL_MUST_USE static struct lull_error *fill_grid(const struct lull_pal_launch *l,
                                                  struct lull_amd_dispatch *d)
{
    const struct lull_pal_compute *c = lull_pal_compute(l->pipeline);
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t said = c->block[i] != 0 ? c->block[i] : c->block[0] != 0 ? 1 : 0;
        if (said != 0 && l->block[i] != 0 && l->block[i] != said) {
            return lull_error_new(
                LULL_ERR_INVALID, "a workgroup of %u,%u,%u work-items; the pipeline's has %u,%u,%u",
                l->block[0], l->block[1], l->block[2], c->block[0], c->block[1], c->block[2]);
        }
        d->block[i] = said != 0 ? said : l->block[i];
        const uint64_t grid = (uint64_t)l->groups[i] * d->block[i];
        if (grid == 0 || grid > UINT32_MAX || d->block[i] > MAX_ITEMS) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "%u workgroups of %u work-items in dimension %u", l->groups[i],
                                  d->block[i], i);
        }
        d->grid[i] = (uint32_t)grid; // checked
        items *= d->block[i];
    }
    return items <= MAX_ITEMS
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "workgroup of %llu work-items: at most %d",
                                (unsigned long long)items, MAX_ITEMS);
}

struct lull_error *lull_pal_prepare(const struct lull_pal_launch *l,
                                    const struct lull_pal_placed *placed,
                                    struct lull_amd_dispatch *ret)
{
    const struct lull_pal_compute *c = lull_pal_compute(l->pipeline);
    const uint32_t size = lull_layout_root_size(l->layout);
    const struct lull_pal_map m = lull_pal_map_of(l->layout);
    lull_cleanup(lull_freep) uint32_t *root = calloc((size_t)size + 1, sizeof *root);
    if (root == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_pal_tables(l, placed, root);
    uint8_t *const tables = placed->tables->map;
    *ret = (struct lull_amd_dispatch){
        .code_va = placed->code->va + c->entry,
        .rsrc1 = c->rsrc1,
        .rsrc2 = c->rsrc2,
        .rsrc3 = c->rsrc3,
        .wave32 = c->wave32,
        .scratch_bytes = c->scratch_bytes,
        .lds_bytes = c->lds_bytes,
        .nuser_data = c->nuser_data,
    };
    if (err == NULL) {
        lull_pal_write_spill(c->spill_threshold, c->user_data_limit, root, size,
                             (uint32_t *)(void *)(tables + m.spill));
        memcpy(tables + m.groups, l->groups, sizeof l->groups);
        err = fill_grid(l, ret);
    }
    const struct lull_pal_user user = {
        .launch = l,
        .placed = placed,
        .root = root,
        .limit = c->user_data_limit,
        .map = c->user_data,
        .n = c->nuser_data,
        .to = ret->user_data,
    };
    return err != NULL ? err : lull_pal_fill_user(&user);
}
