// SPDX-License-Identifier: MIT
// FLAT and SCRATCH. GLOBAL, which must be fast, is in mem_global.c.
#include "model/amd/mem/mem.h"

enum {
    ALL_DWORDS = 0xff,
};

/** Registers of the instruction; false if the wave does not have them. */
static bool find_regs(const struct lull_wave *w, const struct lull_rdna_insn *in,
                      const struct lull_mem_op *op, struct lull_mem_regs *r)
{
    const unsigned n = lull_mem_dwords(op);
    const bool atomic = op->group == LULL_MEM_CLASS_ATOMIC;
    const unsigned ndata = (op->flags & LULL_MEM_F_PAIR) != 0 ? 2 * n : n;
    const bool needs_data = op->kind != LULL_MEM_LOAD;
    *r = (struct lull_mem_regs){.returns = atomic && in->glc};
    if (needs_data) {
        if (!lull_vgprs_exist(w, in->vdata, ndata)) {
            return false;
        }
        r->a = in->vdata - LULL_RDNA_VGPR0;
        r->b = ndata > n ? r->a + n : r->a;
    }
    if (r->returns || !needs_data) {
        if (!lull_vgprs_exist(w, in->dst, n)) {
            return false;
        }
        r->dst = in->dst - LULL_RDNA_VGPR0;
    }
    return true;
}

static void set_scratch(const struct lull_wave *w, struct lull_places *p, unsigned lane,
                        uint32_t offset)
{
    p->space[lane] = LULL_SPACE_SWIZZLED;
    p->address[lane] = w->flat_scratch + 4 * lane;
    p->offset[lane] = offset;
}

static void init_lanes(const struct lull_wave *w, struct lull_places *p)
{
    p->mask = lull_exec_mask(w);
    p->element = 4;
    p->stride = w->lanes;
    p->limit = w->scratch_bytes;
    memset(p->valid, ALL_DWORDS, sizeof(p->valid));
}

/**
 * Which memory a flat address means is decided before the offset is added.
 * An aperture is the 4 GiB from its base, as SRC_SHARED_BASE to SRC_SHARED_LIMIT say.
 */
static void set_flat(const struct lull_wave *w, struct lull_places *p, unsigned lane, uint64_t va,
                     uint32_t offset)
{
    if (va - w->vm->shared_base <= UINT32_MAX) {
        p->space[lane] = LULL_SPACE_LDS;
        p->address[lane] = (va & UINT32_MAX) + offset;
    } else if (va - w->vm->private_base <= UINT32_MAX) {
        const uint64_t at = (va & UINT32_MAX) + offset;
        set_scratch(w, p, lane, at > UINT32_MAX ? UINT32_MAX : (uint32_t)at);
    } else {
        p->space[lane] = LULL_SPACE_MEMORY;
        p->address[lane] = va + offset;
    }
}

/** Whether an active lane means LDS or scratch. */
static bool any_aperture(const struct lull_wave *w, const uint32_t *hi)
{
    const uint32_t shared = (uint32_t)(w->vm->shared_base >> 32);
    const uint32_t private = (uint32_t)(w->vm->private_base >> 32);
    const uint64_t exec = lull_exec_mask(w);
    uint64_t hits = 0;
    for (uint64_t l = 0; l < w->lanes; l++) {
        hits |= (uint64_t)(hi[l] == shared || hi[l] == private) << l;
    }
    return (hits & exec) != 0;
}

bool lull_flat_places(const struct lull_wave *w, const struct lull_rdna_insn *in,
                      struct lull_places *p)
{
    if (!lull_vgprs_exist(w, in->vaddr, 2)) {
        return false;
    }
    const uint32_t *lo = lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0);
    const uint32_t *hi = lo + w->lanes;
    init_lanes(w, p);
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        set_flat(w, p, l, (uint64_t)hi[l] << 32 | lo[l], (uint32_t)in->imm & LULL_MEM_FLAT_OFFSET);
    }
    return true;
}

enum lull_exec_result lull_mem_flat(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    struct lull_places p;
    struct lull_mem_regs r;
    if (!lull_vgprs_exist(w, in->vaddr, 2) || !find_regs(w, in, op, &r)) {
        return LULL_EXEC_ILLEGAL;
    }
    if (!any_aperture(w, lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0 + 1u))) {
        return lull_mem_fast().global(in)(w, in);
    }
    (void)lull_flat_places(w, in, &p);
    return lull_mem_run(w, op, &p, &r);
}

/** Scratch is a wave's own, and another's as soon as it has ended: nothing of that is kept. */
enum lull_exec_result lull_mem_flat_last(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return lull_vgprs_exist(w, in->vaddr, 2) &&
                   !any_aperture(w, lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0 + 1u))
               ? lull_mem_fast().global_last(in)(w, in)
               : lull_mem_flat(w, in);
}

/**
 * Scratch at an offset that all lanes share: dword @p d of all lanes stands in one run.
 *
 * @return The run's host address, or NULL if the plain way must be taken.
 */
static uint8_t *scratch_run(const struct lull_wave *w, uint64_t offset, unsigned d, uint32_t access)
{
    const uint64_t va = w->flat_scratch + (offset + 4 * d) * w->lanes;
    const unsigned bytes = 4 * w->lanes;
    if (va % LULL_PAGE_SIZE + bytes > LULL_PAGE_SIZE) {
        return NULL;
    }
    return lull_vm_host(w->vm, va, access);
}

/** Dwords at one offset for all lanes. False: nothing done, take the plain way. */
static bool scratch_fast(const struct lull_wave *w, const struct lull_mem_op *op,
                         const struct lull_mem_regs *r, uint64_t mask, uint64_t offset)
{
    const bool store = op->kind == LULL_MEM_STORE;
    const unsigned n = op->bytes / 4;
    uint8_t *run[LULL_MEM_DWORDS] = {0};
    if (op->bytes % 4 != 0 || offset % 4 != 0 || offset + op->bytes > w->scratch_bytes) {
        return false;
    }
    for (unsigned d = 0; d < n; d++) {
        run[d] = scratch_run(w, offset, d, store ? LULL_ACCESS_WRITE : LULL_ACCESS_READ);
        if (run[d] == NULL) {
            return false;
        }
    }
    for (unsigned d = 0; d < n; d++) {
        uint32_t *row = lull_vgpr(w, (store ? r->a : r->dst) + d);
        if (mask == lull_all_lanes(w)) {
            memcpy(store ? (void *)run[d] : row, store ? (void *)row : run[d], 4 * w->lanes);
            continue;
        }
        for (uint64_t m = mask; m != 0; m &= m - 1) {
            const unsigned l = lull_first_lane(m);
            memcpy(store ? (void *)(run[d] + 4 * l) : row + l,
                   store ? (void *)(row + l) : run[d] + 4 * l, 4);
        }
    }
    return true;
}

/** What all lanes of a scratch instruction add to their own. */
static int64_t scratch_base(const struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const bool has_saddr = in->saddr != LULL_RDNA_NONE && in->saddr != LULL_RDNA_NULL;
    return (int64_t)in->imm + (has_saddr ? lull_mem_scalar(w, in->saddr) : 0);
}

static bool scratch_has_vaddr(const struct lull_rdna_insn *in)
{
    return in->vaddr != LULL_RDNA_NONE && in->svs;
}

bool lull_scratch_one(const struct lull_wave *w, const struct lull_rdna_insn *in, int64_t *at)
{
    *at = scratch_base(w, in);
    return !scratch_has_vaddr(in);
}

bool lull_scratch_places(const struct lull_wave *w, const struct lull_rdna_insn *in,
                         struct lull_places *p)
{
    const bool has_vaddr = scratch_has_vaddr(in);
    const int64_t base = scratch_base(w, in);
    if (has_vaddr && !lull_vgprs_exist(w, in->vaddr, 1)) {
        return false;
    }
    init_lanes(w, p);
    const uint32_t *v = has_vaddr ? lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0) : NULL;
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        const int64_t at = base + (v == NULL ? 0 : v[l]);
        set_scratch(w, p, l, at < 0 || at > UINT32_MAX ? UINT32_MAX : (uint32_t)at);
    }
    return true;
}

enum lull_exec_result lull_mem_scratch(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    struct lull_places p;
    struct lull_mem_regs r;
    const uint64_t exec = lull_exec_mask(w);
    if (!find_regs(w, in, op, &r)) {
        return LULL_EXEC_ILLEGAL;
    }
    if (!scratch_has_vaddr(in) && exec != 0 &&
        scratch_fast(w, op, &r, exec, (uint64_t)scratch_base(w, in))) {
        return LULL_EXEC_NEXT;
    }
    return lull_scratch_places(w, in, &p) ? lull_mem_run(w, op, &p, &r) : LULL_EXEC_ILLEGAL;
}
