// SPDX-License-Identifier: MIT
// s_waitcnt. What of a class that returns in order has not arrived is at least the first one
// missing and all after it, so "at most n are under way" means that all but the last n of the class
// are there. Of a class that returns in any order, only 0 tells anything.

#include <string.h>

#include "check/rdna/state.h"

static bool arrived(const struct lull_haz_wave *s, const struct lull_haz_pending *p)
{
    return p->order <= s->done[p->cls];
}

static void at_most(struct lull_haz_wave *s, enum lull_haz_class cls, uint32_t n)
{
    const uint32_t done = s->issued[cls] > n ? s->issued[cls] - n : 0;
    s->done[cls] = s->done[cls] > done ? s->done[cls] : done;
}

static void all_of(struct lull_haz_wave *s, enum lull_haz_class cls)
{
    s->done[cls] = s->issued[cls];
}

static void flat_arrives(struct lull_haz_wave *s)
{
    if (s->flat_vm && s->flat_lgkm) {
        all_of(s, LULL_HAZ_FLAT);
    }
}

static void vm_at_most(struct lull_haz_wave *s, uint32_t n)
{
    at_most(s, LULL_HAZ_VMEM, n);
    s->flat_vm = s->flat_vm || n == 0;
    flat_arrives(s);
}

static void lgkm_at_most(struct lull_haz_wave *s, uint32_t n)
{
    at_most(s, LULL_HAZ_LDS, n);
    if (n == 0) {
        all_of(s, LULL_HAZ_SCALAR);
        s->flat_lgkm = true;
        flat_arrives(s);
    }
}

// s_waitcnt_*cnt: the limit is the sum of a register, which is mostly null, and the immediate.
static uint32_t limit_of(const struct lull_haz_now *n)
{
    uint32_t base = 0;
    const bool scalar = n->in->dst < LULL_RDNA_INT0;
    return (scalar && n->at->read(n->at, n->in->dst, 0, &base) ? base : 0) + (uint32_t)n->in->imm;
}

void lull_haz_waits(struct lull_haz_wave *s, const struct lull_haz_plan *p)
{
    if (p->vm != LULL_HAZ_NO_WAIT) {
        vm_at_most(s, p->vm);
    }
    if (p->lgkm != LULL_HAZ_NO_WAIT) {
        lgkm_at_most(s, p->lgkm);
    }
    if (p->exp != LULL_HAZ_NO_WAIT) {
        at_most(s, LULL_HAZ_DIRECT, p->exp);
    }
    s->under_way = memcmp(s->issued, s->done, sizeof s->issued) != 0;
}

static void waits(const struct lull_haz_now *n)
{
    struct lull_haz_wave *s = n->s;
    lull_haz_waits(s, n->plan);
    switch (n->in->op) {
    case LULL_RDNA_OP_S_WAITCNT_VMCNT:
        vm_at_most(s, limit_of(n));
        break;
    case LULL_RDNA_OP_S_WAITCNT_LGKMCNT:
        lgkm_at_most(s, limit_of(n));
        break;
    case LULL_RDNA_OP_S_WAITCNT_EXPCNT:
        at_most(s, LULL_HAZ_DIRECT, limit_of(n));
        break;
    case LULL_RDNA_OP_S_WAIT_IDLE:
        vm_at_most(s, 0);
        lgkm_at_most(s, 0);
        at_most(s, LULL_HAZ_DIRECT, 0);
        break;
    default:
        break;
    }
    if (n->in->enc == LULL_RDNA_VINTERP) {
        at_most(s, LULL_HAZ_DIRECT, n->in->wait_exp);
    }
    s->under_way = memcmp(s->issued, s->done, sizeof s->issued) != 0;
}

static bool returns(const struct lull_rdna_insn *in)
{
    const uint64_t flags = lull_rdna_info(in)->flags;
    if ((flags & LULL_RDNA_F_ATOMIC) != 0) {
        return in->glc;
    }
    return (flags & (LULL_RDNA_F_STORE | LULL_RDNA_F_CACHE)) == 0;
}

uint8_t lull_haz_class_of(const struct lull_rdna_insn *in)
{
    switch (in->enc) {
    case LULL_RDNA_SMEM:
        return in->dst != LULL_RDNA_NONE ? LULL_HAZ_SCALAR : LULL_HAZ_NONE;
    case LULL_RDNA_DS:
        return in->op == LULL_RDNA_OP_DS_NOP ? LULL_HAZ_NONE : LULL_HAZ_LDS;
    case LULL_RDNA_FLAT:
        return LULL_HAZ_FLAT;
    case LULL_RDNA_LDSDIR:
        return LULL_HAZ_DIRECT;
    case LULL_RDNA_SOP1:
        return in->op == LULL_RDNA_OP_S_SENDMSG_RTN_B32 || in->op == LULL_RDNA_OP_S_SENDMSG_RTN_B64
                   ? LULL_HAZ_SCALAR
                   : LULL_HAZ_NONE;
    default:
        return lull_haz_is_vmem(in) && returns(in) ? LULL_HAZ_VMEM : LULL_HAZ_NONE;
    }
}

static uint8_t type_of(const struct lull_haz_now *n)
{
    return lull_haz_is(n, LULL_RDNA_F_BVH) ? 2 : n->in->ssamp != LULL_RDNA_NONE ? 1 : 0;
}

// May an instruction of class cls write a register that p has yet to write? In order, it may.
static bool in_order(const struct lull_haz_now *n, const struct lull_haz_pending *p,
                     enum lull_haz_class cls)
{
    return p->cls == cls && (cls == LULL_HAZ_LDS || cls == LULL_HAZ_DIRECT ||
                             (cls == LULL_HAZ_VMEM && p->type == type_of(n)));
}

// Lanes of a vector register that the instruction looks at: those that are on, but any if it looks
// at others' too.
static uint64_t lanes_of(const struct lull_haz_now *n, unsigned reg, bool write)
{
    const bool across =
        !write && (n->in->dpp != LULL_RDNA_NO_DPP || lull_haz_is(n, LULL_RDNA_F_CROSS) ||
                   n->in->op == LULL_RDNA_OP_V_READLANE_B32 || n->plan->permute);
    const bool all = reg < LULL_RDNA_VGPR0 || across || n->in->op == LULL_RDNA_OP_V_WRITELANE_B32 ||
                     n->plan->matrix;
    return all ? UINT64_MAX : n->at->active;
}

static void check_use(const struct lull_haz_now *n, const struct lull_rdna_use *use,
                      enum lull_haz_class cls)
{
    struct lull_haz_wave *s = n->s;
    for (unsigned i = 0; i < use->count && use->reg + i < LULL_HAZ_REGS; i++) {
        struct lull_haz_pending *p = &s->pending[use->reg + i];
        if (p->cls == LULL_HAZ_NONE) {
            continue;
        }
        if (!arrived(s, p) && (p->lanes & lanes_of(n, use->reg, use->write)) == 0) {
            continue; // Other lanes': a loop that takes lane after lane.
        }
        if (!arrived(s, p)) {
            if (use->write && in_order(n, p, cls)) {
                continue;
            }
            lull_hazard_found(n->now, use->write ? LULL_HAZARD_WAIT_WRITE : LULL_HAZARD_WAIT_READ,
                              use->reg + i, p->pc);
        }
        *p = (struct lull_haz_pending){0};
        s->some[(use->reg + i) / 64] &= ~(UINT64_C(1) << (use->reg + i) % 64);
    }
}

static void start(const struct lull_haz_now *n, enum lull_haz_class cls)
{
    struct lull_haz_wave *s = n->s;
    s->issued[cls]++;
    s->under_way = true;
    if (cls == LULL_HAZ_FLAT) {
        s->flat_vm = s->flat_lgkm = false;
    }
    const uint8_t type = type_of(n);
    for (unsigned u = 0; u < n->nuses; u++) {
        const uint64_t own = n->uses[u].write ? lanes_of(n, n->uses[u].reg, true) : 0;
        for (unsigned i = 0; n->uses[u].write && i < n->uses[u].count; i++) {
            const unsigned reg = n->uses[u].reg + i;
            if (reg < LULL_HAZ_REGS) {
                const struct lull_haz_pending *p = &s->pending[reg];
                const bool before = p->cls == cls && !arrived(s, p);
                const uint64_t lanes = own | (before ? p->lanes : 0);
                s->some[reg / 64] |= UINT64_C(1) << reg % 64;
                s->pending[reg] = (struct lull_haz_pending){.cls = (uint8_t)cls,
                                                            .type = type,
                                                            .order = s->issued[cls],
                                                            .lanes = lanes,
                                                            .pc = n->at->pc};
            }
        }
    }
}

bool lull_haz_arrived(struct lull_haz_wave *s, const uint64_t names[LULL_HAZ_REGS / 64])
{
    bool all = true;
    for (unsigned i = 0; i < LULL_HAZ_REGS / 64; i++) {
        for (uint64_t m = s->some[i] & names[i]; m != 0 && all; m &= m - 1) {
            struct lull_haz_pending *p = &s->pending[64 * i + (unsigned)__builtin_ctzll(m)];
            all = arrived(s, p);
            if (all) {
                *p = (struct lull_haz_pending){0};
                s->some[i] &= ~(m & -m);
            }
        }
    }
    return all;
}

void lull_haz_forget(struct lull_haz_wave *s)
{
    for (unsigned i = 0; i < LULL_HAZ_REGS / 64; i++) {
        for (uint64_t m = s->some[i]; m != 0; m &= m - 1) {
            s->pending[64 * i + (unsigned)__builtin_ctzll(m)] = (struct lull_haz_pending){0};
        }
        s->some[i] = 0;
    }
}

void lull_haz_wait(struct lull_haz_now *n)
{
    if (n->plan->waits || n->in->enc == LULL_RDNA_VINTERP) {
        waits(n);
    }
    const enum lull_haz_class cls = n->plan->cls;
    const bool some = n->s->under_way && !lull_haz_arrived(n->s, n->plan->names);
    for (unsigned i = 0; i < n->nuses && some; i++) {
        check_use(n, &n->uses[i], cls);
    }
    if (cls != LULL_HAZ_NONE) {
        start(n, cls);
    }
}
