// SPDX-License-Identifier: MIT
// Meshes that task shaders ask for: DISPATCH_TASKMESH_GFX takes up entries that their workgroups
// write (cp_task.c), each a grid of mesh workgroups and so a draw of the packet, until one says
// that it is the last.
//
// Sources: as cp_task.c. The entry of a draw goes back once its pixels are done, as its payload is
// read by its meshes.
#include "model/amd/gfx/gfx.h"

void lull_gfx_call_mesh(const uint32_t dim[3], struct lull_gfx_call *call)
{
    for (unsigned i = 0; i < 3; i++) {
        call->grid[i] = dim[i];
    }
    call->count = dim[0] != 0 && dim[1] != 0 && dim[2] != 0;
    call->instances = 1;
}

enum lull_gfx_result lull_gfx_next_task(struct lull_cp *cp, struct lull_gfx_call *call)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    struct lull_cp_task_ring t = {0};
    struct lull_cp_task_entry e = {0};
    if (lull_cp_task_open(cp, &t) != LULL_CP_NEXT) {
        return LULL_GFX_ENDED;
    }
    if (x->draw == 0) {
        x->first_entry = t.read;
    }
    const uint64_t n = x->first_entry + x->draw;
    if (n != t.read && !lull_cp_task_done(cp, &t, n)) {
        return LULL_GFX_FAULT;
    }
    if (!lull_cp_task_entry(cp, &t, n, &e)) {
        return LULL_GFX_FAULT;
    }
    if (!e.ready) {
        return LULL_GFX_MORE;
    }
    if (e.end) {
        return lull_cp_task_done(cp, &t, n + 1) ? LULL_GFX_NONE : LULL_GFX_FAULT;
    }
    const uint32_t *body = cp->p.body;
    const uint32_t regs = body[LULL_PM4_DISPATCH_TASKMESH_GFX_REGS];
    const uint32_t dim = lull_get(regs, LULL_PM4_DISPATCH_TASKMESH_GFX_REGS__XYZ_DIM_REG_MASK);
    const bool give = (body[LULL_PM4_DISPATCH_TASKMESH_GFX_ENABLE] &
                       LULL_PM4_DISPATCH_TASKMESH_GFX_ENABLE__XYZ_DIM_ENABLE_MASK) != 0;
    lull_cp_write_user(cp, lull_get(regs, LULL_PM4_DISPATCH_TASKMESH_GFX_REGS__RING_ENTRY_REG_MASK),
                       (uint32_t)n);
    for (unsigned i = 0; i < 3 && give && dim != 0; i++) {
        lull_cp_write_user(cp, dim + i, e.grid[i]);
    }
    lull_gfx_call_mesh(e.grid, call);
    return LULL_GFX_LAUNCHED;
}
