// SPDX-License-Identifier: MIT
#include "check/uninit/wave.h"

#include "isa/rdna/regs.h"

/** Where a scratch instruction goes to, without what each lane adds. */
static uint64_t scratch_from(const struct lull_uninit_wave *w, const struct lull_uninit_plan *p)
{
    const struct lull_wave *of = w->twin->of;
    const uint32_t base =
        p->in.saddr < LULL_TWIN_SGPRS && p->in.saddr != LULL_RDNA_NULL ? of->sgpr[p->in.saddr] : 0;
    return (uint64_t)base + (uint64_t)(int64_t)p->in.imm;
}

/** Does scratch memory differ in no lane that loads? */
bool lull_uninit_scratch_same(const struct lull_uninit_wave *w, const struct lull_uninit_plan *p,
                              uint64_t active)
{
    const struct lull_wave *of = w->twin->of;
    const uint64_t from = scratch_from(w, p);
    uint64_t lanes = 0;
    if (p->in.vaddr != LULL_RDNA_NONE || p->stores || from + 16 > of->scratch_bytes) {
        return false;
    }
    for (uint64_t d = from / 4; d <= (from + 15) / 4; d++) {
        lanes |= w->scratch_dirty[d];
    }
    return (lanes & active) == 0;
}

/** The first register that goes there, or comes from there. */
static unsigned data_of(const struct lull_uninit_plan *p)
{
    return p->quick == LULL_QUICK_STORE ? p->in.vdata : p->in.dst;
}

/** The instruction stores registers to scratch memory: what differs does so there. */
static void spill(const struct lull_check_now *n, struct lull_uninit_wave *w, uint32_t from)
{
    const struct lull_uninit_plan *p = w->plan;
    const uint64_t active = n->at->active;
    const uint64_t all = n->wave->lanes == 64 ? UINT64_MAX : UINT32_MAX;
    w->from = 0;
    for (unsigned d = 0; d < p->part; d++) {
        const unsigned reg = data_of(p) + d;
        const uint64_t differ = lull_uninit_reads(n, w, reg);
        uint64_t *dirty = &w->scratch_dirty[from / 4 + d];
        lull_twin_store_scratch(w->twin, from + 4 * d, reg, active);
        *dirty = (*dirty & ~active) | differ;
        w->scratch_part[from / 4 + d] = w->scratch_part[from / 4 + d] && active != all;
        if (differ != 0) {
            w->scratch[from / 4 + d] = *lull_uninit_origin_of(w, reg);
        }
    }
}

/** It loads what differs. */
static void unspill(const struct lull_check_now *n, struct lull_uninit_wave *w, uint32_t from)
{
    const struct lull_uninit_plan *p = w->plan;
    for (unsigned d = 0; d < p->part; d++) {
        const unsigned reg = data_of(p) + d;
        const uint64_t differ = w->scratch_dirty[from / 4 + d] & n->at->active;
        uint32_t *origin = &w->scratch[from / 4 + d];
        lull_twin_load_scratch(w->twin, from + 4 * d, reg, n->at->active, differ);
        if (differ != 0 && *origin == 0) {
            *origin = lull_uninit_origin_here(n, LULL_WHERE_SCRATCH, from + 4 * d,
                                              (unsigned)__builtin_ctzll(differ));
        }
        if (differ != 0) {
            *lull_uninit_origin_of(w, reg) = *origin;
        }
    }
}

/** Scratch memory at an address that does not differ, the same of all lanes. */
bool lull_uninit_scratch(const struct lull_check_now *n, struct lull_uninit_wave *w)
{
    const struct lull_uninit_plan *p = w->plan;
    const uint64_t active = n->at->active;
    const uint64_t from = scratch_from(w, p), end = from + 4 * (uint64_t)p->part;
    const bool by = p->in.saddr < LULL_TWIN_SGPRS && lull_twin_dirty(w->twin, p->in.saddr);
    const unsigned data = data_of(p);
    uint64_t differ = 0;
    bool some = false, part = false; // Of the registers that it loads.
    if (p->in.vaddr != LULL_RDNA_NONE || by || from % 4 != 0 || from >= end ||
        end > w->twin->of->scratch_bytes || data < LULL_RDNA_VGPR0 ||
        data - LULL_RDNA_VGPR0 + p->part > w->twin->w.nvgprs) {
        return false;
    }
    if (p->quick == LULL_QUICK_STORE) {
        spill(n, w, (uint32_t)from);
        return true;
    }
    for (unsigned d = 0; d < p->part; d++) {
        differ |= w->scratch_dirty[from / 4 + d];
        part = part || w->scratch_part[from / 4 + d];
        some = some || lull_twin_dirty(w->twin, data + d);
    }
    if ((differ & active) == 0) {
        w->way = some ? LULL_WAY_LOADS : w->way;
        w->active = active;
        w->from = 0;
        w->some = some;
        return true;
    }
    if (!part) {
        unspill(n, w, (uint32_t)from);
    }
    return !part;
}
