// SPDX-License-Identifier: MIT
// Task shaders: dispatches on a compute ring whose workgroups ask for meshes, which the gfx ring
// draws at the same time (gfx_task.c).
//
// Both rings know a control buffer in memory, which has three counters of entries and the address
// of a ring of them. A dispatch takes as many entries as it has workgroups, in their order; each
// workgroup writes what it asks for into its own, and its ready bit last, which is 1 in one pass
// through the ring and 0 in the next. Only as many workgroups run as there are free entries; the
// gfx ring frees them when their meshes are drawn. An entry with the end bit comes after the last
// of a packet.
//
// Sources: Mesa 25.0.7 ac_nir_lower_taskmesh_io_to_mem.c (entries, bits), radv_queue.c
// (radv_initialise_task_control_buffer: the counters), radv_cmd_buffer.c (packets), PAL's
// gfx9CmdUtil.cpp. Chosen here: the entry with the end bit is one of the ring's, like the others.
#include "model/amd/cp/cp.h"

enum {
    STEPS = 64, // draws of a packet, before others get their turn
    // the control buffer, in bytes
    WRITE = 0,
    READ = 8,
    FREE = 16,
    ENTRIES = 24,
    DRAWS = 28,
    // an entry, in dwords
    GRID = 0,
    BITS = 3,
    ENTRY_DWORDS = 4,
    READY_BIT = 1,
    END_BIT = 2,
};

static uint64_t address(uint32_t lo, uint32_t hi)
{
    return lo | (uint64_t)hi << 32;
}

enum lull_cp_result lull_cp_task_init(struct lull_cp *cp)
{
    cp->r->task_control = address(cp->p.body[LULL_PM4_DISPATCH_TASK_STATE_INIT_ADDR_LO] &
                                      LULL_PM4_DISPATCH_TASK_STATE_INIT_ADDR_LO__ADDR_MASK,
                                  cp->p.body[LULL_PM4_DISPATCH_TASK_STATE_INIT_ADDR_HI]);
    return LULL_CP_NEXT;
}

enum lull_cp_result lull_cp_task_open(struct lull_cp *cp, struct lull_cp_task_ring *ret)
{
    const uint64_t va = cp->r->task_control;
    uint32_t draws[2] = {0};
    *ret = (struct lull_cp_task_ring){.control = va};
    if (va == 0) {
        return lull_cp_bad(cp, "no DISPATCH_TASK_STATE_INIT came before");
    }
    if (!lull_vm_read(cp->vm, va + WRITE, &ret->write, sizeof ret->write) ||
        !lull_vm_read(cp->vm, va + READ, &ret->read, sizeof ret->read) ||
        !lull_vm_read(cp->vm, va + FREE, &ret->free, sizeof ret->free) ||
        !lull_vm_read(cp->vm, va + ENTRIES, &ret->entries, sizeof ret->entries) ||
        !lull_vm_read(cp->vm, va + DRAWS, draws, sizeof draws)) {
        return lull_cp_fault(cp);
    }
    ret->draws = address(draws[0], draws[1]);
    if (ret->entries == 0 || (ret->entries & (ret->entries - 1)) != 0) {
        return lull_cp_bad(cp, "a ring of %u task entries, which is not a power of two",
                           ret->entries);
    }
    return LULL_CP_NEXT;
}

static uint64_t place(const struct lull_cp_task_ring *t, uint64_t n)
{
    return t->draws + n % t->entries * ENTRY_DWORDS * sizeof(uint32_t);
}

/** The ready bit of entry @p n. */
static uint32_t ready_bit(const struct lull_cp_task_ring *t, uint64_t n)
{
    return (n / t->entries & 1) != 0 ? READY_BIT : 0;
}

bool lull_cp_task_entry(struct lull_cp *cp, const struct lull_cp_task_ring *t, uint64_t n,
                        struct lull_cp_task_entry *ret)
{
    uint32_t dword[ENTRY_DWORDS] = {0};
    if (!lull_vm_read(cp->vm, place(t, n), dword, sizeof dword)) {
        return false;
    }
    *ret = (struct lull_cp_task_entry){
        .ready = (dword[BITS] & READY_BIT) == ready_bit(t, n),
        .end = (dword[BITS] & END_BIT) != 0,
        .grid = {dword[GRID], dword[GRID + 1], dword[GRID + 2]},
    };
    return true;
}

bool lull_cp_task_done(struct lull_cp *cp, const struct lull_cp_task_ring *t, uint64_t n)
{
    return lull_cp_put(cp, t->control + READ, &n, sizeof n) &&
           lull_cp_put(cp, t->control + FREE, &n, sizeof n);
}

/** Entries up to number @p n have been given out. */
static bool taken(struct lull_cp *cp, const struct lull_cp_task_ring *t, uint64_t n)
{
    return lull_cp_put(cp, t->control + WRITE, &n, sizeof n);
}

/** A packet on a compute ring. */
struct task {
    bool (*read)(struct lull_cp *cp, uint32_t draw, uint32_t dim[3]); ///< False: memory refused.
    uint32_t ndraws, initiator;
    uint32_t entry_reg, dim_reg, draw_reg; ///< As lull_cp_write_user() takes them.
};

/** Let as many more workgroups of @p d run as there are free entries. */
static void allow(struct lull_work *d, const struct lull_cp_task_ring *t)
{
    const uint64_t next = d->first_entry + d->range[LULL_WORK_REST].next; // Nothing is cut off.
    d->limited = 1;
    d->left = next - t->free < t->entries ? (uint32_t)(t->free + t->entries - next) : 0;
}

/** Its last draw has been launched: say so behind the entries of its workgroups. */
static enum lull_cp_result end_packet(struct lull_cp *cp, const struct lull_cp_task_ring *t)
{
    if (t->write - t->free >= t->entries) {
        return LULL_CP_AGAIN;
    }
    const uint32_t dword[ENTRY_DWORDS] = {[BITS] = END_BIT | ready_bit(t, t->write)};
    return lull_cp_put(cp, place(t, t->write), dword, sizeof dword) && taken(cp, t, t->write + 1)
               ? LULL_CP_NEXT
               : lull_cp_fault(cp);
}

/** Draw number @p draw of the packet. NEXT: it is being launched, or has no workgroup. */
static enum lull_cp_result launch(struct lull_cp *cp, const struct task *p,
                                  const struct lull_cp_task_ring *t, uint32_t draw)
{
    uint32_t dim[3] = {0};
    if (!p->read(cp, draw, dim)) {
        return lull_cp_fault(cp);
    }
    const uint64_t n = (uint64_t)dim[0] * dim[1] * dim[2];
    if (n == 0) {
        return LULL_CP_NEXT;
    }
    lull_cp_write_user(cp, p->entry_reg, (uint32_t)t->write);
    lull_cp_write_user(cp, p->draw_reg, draw);
    for (unsigned i = 0; i < 3 && p->dim_reg != 0; i++) {
        lull_cp_write_user(cp, p->dim_reg + i, dim[i]);
    }
    const enum lull_cp_result result = lull_cp_dispatch(cp, dim, p->initiator);
    struct lull_work *d = lull_cp_launching(cp->r);
    if (result != LULL_CP_NEXT || d == NULL) {
        return result;
    }
    d->first_entry = t->write;
    allow(d, t);
    return taken(cp, t, t->write + n) ? LULL_CP_NEXT : lull_cp_fault(cp);
}

/** Begin @p p or go on with it: ring.part counts the draws that have been launched. */
static enum lull_cp_result go_on(struct lull_cp *cp, const struct task *p)
{
    struct lull_cp_task_ring t = {0};
    enum lull_cp_result result = lull_cp_task_open(cp, &t);
    if (result != LULL_CP_NEXT) {
        return result;
    }
    struct lull_work *d = lull_cp_launching(cp->r);
    if (d != NULL) {
        if (d->limited != 0) {
            allow(d, &t);
        }
        return LULL_CP_AGAIN;
    }
    for (unsigned i = 0; i < STEPS && cp->r->part < p->ndraws; i++) {
        result = launch(cp, p, &t, cp->r->part);
        if (result != LULL_CP_NEXT) {
            return result;
        }
        cp->r->part++;
        if (lull_cp_launching(cp->r) != NULL) {
            return LULL_CP_MORE;
        }
    }
    return cp->r->part < p->ndraws ? LULL_CP_MORE : end_packet(cp, &t);
}

static bool read_direct(struct lull_cp *cp, uint32_t draw, uint32_t dim[3])
{
    (void)draw;
    for (unsigned i = 0; i < 3; i++) {
        dim[i] = cp->p.body[LULL_PM4_DISPATCH_TASKMESH_DIRECT_ACE_DIM_X + i];
    }
    return true;
}

static bool read_indirect(struct lull_cp *cp, uint32_t draw, uint32_t dim[3])
{
    const uint32_t *body = cp->p.body;
    const uint64_t va = address(body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_ADDR_LO],
                                body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_ADDR_HI]);
    const uint64_t at = (uint64_t)draw * body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_STRIDE];
    return lull_vm_read(cp->vm, va + at, dim, 3 * sizeof dim[0]);
}

/** Entries are made on compute rings only. */
static bool computes(const struct lull_cp *cp)
{
    return cp->r->id != LULL_RING_GFX;
}

enum lull_cp_result lull_cp_task_direct(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    if (!computes(cp)) {
        return lull_cp_bad(cp, "task shaders are for compute rings");
    }
    const struct task p = {
        .read = read_direct,
        .ndraws = 1,
        .initiator = body[LULL_PM4_DISPATCH_TASKMESH_DIRECT_ACE_INITIATOR],
        .entry_reg = lull_field(body[LULL_PM4_DISPATCH_TASKMESH_DIRECT_ACE_REGS],
                                LULL_PM4_DISPATCH_TASKMESH_DIRECT_ACE_REGS__RING_ENTRY_REG_MASK),
    };
    return go_on(cp, &p);
}

enum lull_cp_result lull_cp_task_indirect(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t enable = body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_ENABLE];
    uint32_t n = body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_COUNT];
    if (!computes(cp)) {
        return lull_cp_bad(cp, "task shaders are for compute rings");
    }
    if ((enable &
         LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_ENABLE__COUNT_INDIRECT_ENABLE_MASK) != 0) {
        const uint32_t most = n;
        const uint64_t va =
            address(body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_COUNT_LO] & ~UINT32_C(3),
                    body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_COUNT_HI]);
        if (!lull_vm_read(cp->vm, va, &n, sizeof n)) {
            return lull_cp_fault(cp);
        }
        n = n < most ? n : most;
    }
    const bool dim =
        (enable & LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_ENABLE__XYZ_DIM_ENABLE_MASK) != 0;
    const bool draw =
        (enable & LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_ENABLE__DRAW_INDEX_ENABLE_MASK) !=
        0;
    const struct task p = {
        .read = read_indirect,
        .ndraws = n,
        .initiator = body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_INITIATOR],
        .entry_reg =
            lull_field(body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_REGS],
                       LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_REGS__RING_ENTRY_REG_MASK),
        .dim_reg =
            !dim ? 0
                 : lull_field(
                       body[LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_DIM_REGS],
                       LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_DIM_REGS__XYZ_DIM_REG_MASK),
        .draw_reg =
            !draw ? 0
                  : lull_field(
                        enable,
                        LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_ENABLE__DRAW_INDEX_REG_MASK),
    };
    return go_on(cp, &p);
}
