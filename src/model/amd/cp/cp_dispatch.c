// SPDX-License-Identifier: MIT
// Dispatch packets, and who watches them.
#include "model/amd/cp/cp.h"
#include "model/amd/gpu/gpu_spi.h"

#include <stdlib.h>
#include <string.h>

enum { DRAW_UCONFIG = 0x30900 }; // first UCONFIG register that watchers of draws are shown

// Only one dispatch of a ring is launching: the next waits until all its groups are on the GPU.
struct lull_work *lull_cp_launching(const struct lull_gpu_ring *r)
{
    return lull_spi_launching(r);
}

static uint64_t address_of(const struct lull_gpu_ring *r, uint32_t lo, uint32_t hi)
{
    const uint64_t a = (lull_sh(r, lo) | (uint64_t)lull_sh(r, hi) << 32) << 8;
    return (uint64_t)((int64_t)(a << 16) >> 16);
}

/** What the watcher is told: the packet, and registers as they are now. */
static struct lull_gpu_launch describe(const struct lull_cp *cp, const uint32_t dim[3],
                                       uint32_t initiator)
{
    const struct lull_gpu_ring *r = cp->r;
    struct lull_gpu_launch l = {
        .cookie = r->head->job.cookie,
        .ring = r->id,
        .vmid = r->head->job.vmid,
        .packet = cp->ib->va + UINT64_C(4) * cp->p.offset,
        .code = address_of(r, LULL_GC11_COMPUTE_PGM_LO, LULL_GC11_COMPUTE_PGM_HI),
        .scratch = address_of(r, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_LO,
                              LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_HI),
        .rsrc = {lull_sh(r, LULL_GC11_COMPUTE_PGM_RSRC1), lull_sh(r, LULL_GC11_COMPUTE_PGM_RSRC2),
                 lull_sh(r, LULL_GC11_COMPUTE_PGM_RSRC3)},
        .initiator = initiator,
        .tmpring = lull_sh(r, LULL_GC11_COMPUTE_TMPRING_SIZE),
    };
    for (unsigned i = 0; i < 3; i++) {
        l.grid[i] = dim[i];
        l.block[i] = lull_sh(r, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i);
        l.start[i] = lull_sh(r, LULL_GC11_COMPUTE_START_X + 4 * i);
    }
    for (unsigned i = 0; i < LULL_GPU_SES; i++) {
        l.cus[i] = lull_sh(r, lull_spi_thread_mgmt[i]);
    }
    for (unsigned i = 0; i < LULL_GPU_USER_DATA; i++) {
        l.user_data[i] = lull_sh(r, LULL_GC11_COMPUTE_USER_DATA_0 + 4 * i);
    }
    return l;
}

void lull_gpu_dispatch_ended(struct lull_gpu *g, uint64_t id, uint64_t groups, bool killed)
{
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        g->rings[i].under_way = g->rings[i].under_way && g->rings[i].launch_id != id;
    }
    if (g->watcher.ended != NULL) {
        lull_spi_start_all(g); // It may want to look.
        g->watcher.ended(g->watcher.ctx, id, groups, killed);
    }
}

bool lull_cp_ask_draw(struct lull_cp *cp, struct lull_gpu_draw_launch *l)
{
    struct lull_gpu *g = cp->g;
    struct lull_gpu_ring *r = cp->r;
    if (g->watcher.draw == NULL) {
        return true;
    }
    const bool again = r->held;
    l->cookie = r->head->job.cookie;
    l->vmid = r->head->job.vmid;
    l->packet = cp->ib->va + UINT64_C(4) * cp->p.offset;
    l->context = g->mmio + LULL_CONTEXT_BASE / sizeof *g->mmio;
    l->uconfig = g->mmio + DRAW_UCONFIG / sizeof *g->mmio;
    l->sh = r->sh;
    lull_spi_start_all(g);
    r->held = !g->watcher.draw(g->watcher.ctx, l, again, &g->draw_id);
    g->draw_open = 1;
    if (again && !r->held) {
        r->started_at = g->cycles; // the time it was held is not the job's
    }
    return !r->held;
}

void lull_gpu_draw_ended(struct lull_gpu *g, bool killed)
{
    if (g->draw_open != 0 && g->watcher.draw_ended != NULL) {
        lull_spi_start_all(g);
        g->watcher.draw_ended(g->watcher.ctx, g->draw_id, killed);
    }
    g->draw_open = 0;
}

static void put_sh(struct lull_gpu_ring *r, uint32_t reg, uint32_t value)
{
    r->sh[(reg % LULL_SH_BYTES) / sizeof *r->sh] = value;
}

static void put_address(struct lull_gpu_ring *r, uint32_t lo, uint32_t hi, uint64_t va)
{
    put_sh(r, lo, (uint32_t)(va >> 8));
    put_sh(r, hi, (uint32_t)(va >> 40) & 0xff);
}

/** Start it with the registers that the watcher gives, which last for this start alone. */
LULL_MUST_USE static struct lull_error *start_other(struct lull_cp *cp, const uint32_t dim[3],
                                                    uint32_t initiator,
                                                    const struct lull_gpu_relaunch *how)
{
    struct lull_gpu_ring *r = cp->r;
    uint32_t *was = malloc(sizeof r->sh);
    if (was == NULL) {
        return &lull_enomem;
    }
    memcpy(was, r->sh, sizeof r->sh);
    put_address(r, LULL_GC11_COMPUTE_PGM_LO, LULL_GC11_COMPUTE_PGM_HI, how->code);
    put_address(r, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_LO,
                LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_HI, how->scratch);
    put_sh(r, LULL_GC11_COMPUTE_PGM_RSRC1, how->rsrc[0]);
    put_sh(r, LULL_GC11_COMPUTE_PGM_RSRC2, how->rsrc[1]);
    put_sh(r, LULL_GC11_COMPUTE_PGM_RSRC3, how->rsrc[2]);
    put_sh(r, LULL_GC11_COMPUTE_TMPRING_SIZE, how->tmpring);
    for (unsigned i = 0; i < LULL_GPU_USER_DATA; i++) {
        put_sh(r, LULL_GC11_COMPUTE_USER_DATA_0 + 4 * i, how->user_data[i]);
    }
    struct lull_error *err = lull_spi_dispatch(cp->g, r, dim, initiator);
    memcpy(r->sh, was, sizeof r->sh);
    free(was);
    return err;
}

enum lull_cp_result lull_cp_dispatch(struct lull_cp *cp, const uint32_t dim[3], uint32_t initiator)
{
    struct lull_gpu_ring *r = cp->r;
    struct lull_gpu_relaunch how = {0};
    if (r->under_way) {
        return LULL_CP_AGAIN;
    }
    if (cp->g->watcher.launch != NULL) {
        const struct lull_gpu_launch l = describe(cp, dim, initiator);
        const bool again = r->held || r->stays;
        lull_spi_start_all(cp->g);
        r->held = !cp->g->watcher.launch(cp->g->watcher.ctx, &l, again, &r->launch_id, &how);
        if (r->held) {
            return LULL_CP_AGAIN;
        }
        if (again) {
            r->started_at = cp->g->cycles; // the time it was held is not the job's
        }
    }
    r->stays = r->under_way = how.stay;
    struct lull_error *err = how.other ? start_other(cp, dim, initiator, &how)
                                       : lull_spi_dispatch(cp->g, r, dim, initiator);
    if (err != NULL) {
        lull_gpu_dispatch_ended(cp->g, r->launch_id, 0, true);
        r->stays = false;
        const enum lull_cp_result result = lull_cp_bad(cp, "%s", lull_error_message(err));
        lull_error_free(err);
        return result;
    }
    return how.stay ? LULL_CP_AGAIN : LULL_CP_NEXT;
}

enum lull_cp_result lull_cp_dispatch_direct(struct lull_cp *cp)
{
    if (lull_cp_launching(cp->r) != NULL) {
        return LULL_CP_AGAIN;
    }
    return lull_cp_dispatch(cp, &cp->p.body[LULL_PM4_DISPATCH_DIRECT_DIM_X],
                            cp->p.body[LULL_PM4_DISPATCH_DIRECT_INITIATOR]);
}

/** The gfx ring gives an offset from SET_BASE 1, compute rings an address. */
enum lull_cp_result lull_cp_dispatch_indirect(struct lull_cp *cp)
{
    const bool gfx = cp->r->id == LULL_RING_GFX;
    const uint32_t *body = cp->p.body;
    uint32_t dim[3] = {0};
    if (cp->p.nbody != (gfx ? 2 : 3)) {
        return lull_cp_bad(cp, "%u dwords on this ring", cp->p.nbody);
    }
    if (lull_cp_launching(cp->r) != NULL) {
        return LULL_CP_AGAIN;
    }
    const uint64_t va = gfx ? cp->r->indirect_base + body[0] : (body[0] | (uint64_t)body[1] << 32);
    if (!lull_vm_read(cp->vm, va, dim, sizeof dim)) {
        return lull_cp_fault(cp);
    }
    return lull_cp_dispatch(cp, dim, body[cp->p.nbody - 1]);
}
