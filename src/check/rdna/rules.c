// SPDX-License-Identifier: MIT
// Sequences that gfx11 leaves to the compiler. Distances and what ends a hazard: LLVM 19,
// GCNHazardRecognizer.cpp, the function named at each rule.
#include <string.h>

#include "check/rdna/state.h"

enum {
    TRANS_VALUS = 5, // fixVALUTransUseHazard
    TRANS_TRANS = 1,
    FORWARD_BEFORE = 2, // fixVALUPartialForwardingHazard: intv1 + intv2
    FORWARD_AFTER = 4,  // intv3
    FORWARD_ALL = 8,
    DIRECT_VALUS = 15, // fixLdsDirectVALUHazard
    MASK_REGS = 128,
};

static bool is_vgpr(unsigned reg)
{
    return reg >= LULL_RDNA_VGPR0;
}

static bool covers(const struct lull_rdna_use *use, unsigned reg)
{
    return reg >= use->reg && reg - use->reg < use->count;
}

static bool touches(const struct lull_haz_event *e, unsigned reg, bool writes_only)
{
    for (unsigned i = 0; i < e->plan->nranges; i++) {
        const struct lull_rdna_use *range = &e->plan->ranges[i];
        if ((range->write || !writes_only) && covers(range, reg)) {
            return true;
        }
    }
    return false;
}

// Event i back from now, 0 the newest.
static const struct lull_haz_event *back(const struct lull_haz_wave *s, unsigned i)
{
    return &s->events[(s->at + 2 * LULL_HAZ_EVENTS - 1 - i) % LULL_HAZ_EVENTS];
}

// A transcendental result is used by one of the next VALU instructions.
static void trans_use(const struct lull_haz_now *n, unsigned reg)
{
    unsigned valus = 0, trans = 0;
    for (unsigned i = 0; i < n->s->nevents; i++) {
        const struct lull_haz_event *e = back(n->s, i);
        if (valus > TRANS_VALUS || trans > TRANS_TRANS) {
            return;
        }
        if (e->plan->valu && touches(e, reg, true)) {
            if (e->plan->trans) {
                lull_hazard_found(n->now, LULL_HAZARD_TRANS_USE, reg, e->pc);
            }
            return;
        }
        valus += e->plan->valu;
        trans += e->plan->trans;
    }
}

// VALU instructions since reg was written; UINT32_MAX: not lately.
static unsigned written_ago(const struct lull_haz_wave *s, unsigned reg)
{
    unsigned valus = 0;
    for (unsigned i = 0; i < s->nevents && valus <= FORWARD_ALL; i++) {
        const struct lull_haz_event *e = back(s, i);
        if (e->plan->valu && touches(e, reg, true)) {
            return valus;
        }
        valus += e->plan->valu;
    }
    return UINT32_MAX;
}

// VALU instructions since EXEC was last written by a scalar instruction before the write of the
// newest source; UINT32_MAX: not lately.
static unsigned exec_ago(const struct lull_haz_wave *s, unsigned newest, uint64_t *ret_pc)
{
    unsigned valus = 0;
    for (unsigned i = 0; i < s->nevents && valus <= FORWARD_ALL; i++) {
        const struct lull_haz_event *e = back(s, i);
        if (!e->plan->valu && valus > newest) {
            *ret_pc = e->pc;
            return valus;
        }
        valus += e->plan->valu;
    }
    return UINT32_MAX;
}

// Sources written before and after a scalar write of EXEC, all shortly ago. Wave64 only.
static void partial_forward(const struct lull_haz_now *n)
{
    unsigned reg[LULL_RDNA_MAX_USES] = {0}, ago[LULL_RDNA_MAX_USES] = {0}, count = 0;
    unsigned newest = UINT32_MAX;
    for (unsigned i = 0; i < n->nuses; i++) {
        if (!n->uses[i].write && is_vgpr(n->uses[i].reg)) {
            reg[count] = n->uses[i].reg;
            ago[count] = written_ago(n->s, n->uses[i].reg);
            newest = ago[count] < newest ? ago[count] : newest;
            count++;
        }
    }
    uint64_t pc = 0;
    const unsigned exec = newest <= FORWARD_AFTER ? exec_ago(n->s, newest, &pc) : UINT32_MAX;
    if (exec == UINT32_MAX || exec - newest - 1 > FORWARD_BEFORE) {
        return;
    }
    const unsigned between = exec - newest - 1;
    for (unsigned i = 0; i < count; i++) {
        if (ago[i] != UINT32_MAX && ago[i] >= exec && ago[i] - exec + between <= FORWARD_BEFORE) {
            lull_hazard_found(n->now, LULL_HAZARD_PARTIAL_FORWARD, reg[i], pc);
            return;
        }
    }
}

// fixWMMAHazards: A or B of a WMMA is D of the one in front of it.
static void matrix(const struct lull_haz_now *n)
{
    for (unsigned i = 0; n->s->matrix != 0 && i < 2; i++) {
        const unsigned a = n->in->src[i];
        for (unsigned r = 0; r < 8 && is_vgpr(a); r++) {
            if (covers(&n->s->matrix_dst, a + r)) {
                lull_hazard_found(n->now, LULL_HAZARD_MATRIX, a + r, n->s->matrix);
                return;
            }
        }
    }
}

static void valu_checks(const struct lull_haz_now *n)
{
    for (unsigned i = 0; n->s->trans_left != 0 && i < n->nuses; i++) {
        for (unsigned r = 0; r < n->uses[i].count && !n->uses[i].write; r++) {
            if (is_vgpr(n->uses[i].reg)) {
                trans_use(n, n->uses[i].reg + r);
            }
        }
    }
    if (n->at->lanes == 64 && n->s->exec_left != 0) {
        partial_forward(n);
    }
    // fixVcmpxPermlaneHazards
    if (n->s->cmpx != 0 && n->plan->permute) {
        lull_hazard_found(n->now, LULL_HAZARD_CMPX_PERMLANE, LULL_HAZARD_NO_REG, n->s->cmpx);
    }
    if (n->plan->matrix) {
        matrix(n);
    }
}

static void push_event(const struct lull_haz_now *n)
{
    struct lull_haz_wave *s = n->s;
    s->events[s->at] = (struct lull_haz_event){.plan = n->plan, .pc = n->at->pc};
    s->at = (s->at + 1) % LULL_HAZ_EVENTS;
    s->nevents += s->nevents < LULL_HAZ_EVENTS;
    s->trans_left = n->plan->trans ? LULL_HAZ_EVENTS : s->trans_left - (s->trans_left != 0);
    s->exec_left = !n->plan->valu ? LULL_HAZ_EVENTS : s->exec_left - (s->exec_left != 0);
}

void lull_haz_forget_sources(struct lull_haz_wave *s)
{
    if (s->vmem_some) {
        memset(s->vmem_src, 0, sizeof s->vmem_src);
        s->vmem_some = false;
    }
}

// Remembers a VALU instruction for the rules.
static void valu_happens(const struct lull_haz_now *n)
{
    struct lull_haz_wave *s = n->s;
    push_event(n);
    if (n->in->op != LULL_RDNA_OP_V_NOP) {
        s->cmpx = 0;
    }
    if ((n->info->writes & LULL_RDNA_S_EXEC) != 0) {
        s->cmpx = n->at->pc;
    }
    s->matrix = 0;
    for (unsigned i = 0; i < n->nuses && n->plan->matrix; i++) {
        if (n->uses[i].write) {
            s->matrix = n->at->pc;
            s->matrix_dst = n->uses[i];
        }
    }
    lull_haz_forget_sources(s);
}

// fixLdsDirectVALUHazard, fixLdsDirectVMEMHazard: the destination is in use by earlier
// instructions.
static void lds_direct(const struct lull_haz_now *n)
{
    const struct lull_haz_wave *s = n->s;
    const unsigned reg = n->in->dst;
    unsigned valus = 0;
    bool trans = false;
    for (unsigned i = 0; i < s->nevents && valus < DIRECT_VALUS; i++) {
        const struct lull_haz_event *e = back(s, i);
        trans = trans || e->plan->trans;
        if (e->plan->valu && touches(e, reg, false)) {
            if (n->in->wait_vdst > (trans ? 0 : valus)) {
                lull_hazard_found(n->now, LULL_HAZARD_LDS_DIRECT, reg, e->pc);
            }
            break;
        }
        valus += e->plan->valu;
    }
    if (reg < LULL_HAZ_REGS && (s->vmem_src[reg / 64] >> reg % 64 & 1) != 0) {
        lull_hazard_found(n->now, LULL_HAZARD_LDS_DIRECT, reg, 0);
    }
}

static void set_bits(uint64_t bits[2], unsigned reg, unsigned count, bool on)
{
    for (unsigned r = reg; r < reg + count && r < MASK_REGS; r++) {
        const uint64_t bit = UINT64_C(1) << r % 64;
        bits[r / 64] = on ? bits[r / 64] | bit : bits[r / 64] & ~bit;
    }
}

// Scalar source that the instruction reads lane by lane; NONE: it has none.
static unsigned mask_source(const struct lull_rdna_insn *in)
{
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    if ((info->type[LULL_RDNA_SLOT_SRC2] == LULL_RDNA_T_MASK) && in->src[2] < LULL_RDNA_INT0) {
        return in->src[2];
    }
    return (info->reads & LULL_RDNA_S_VCC) != 0 ? LULL_RDNA_VCC : LULL_RDNA_NONE;
}

// Does a VALU instruction name a literal? Like reading an SGPR, that brings it in step with the
// SALU.
static bool has_literal(const struct lull_rdna_insn *in)
{
    return in->src[0] == LULL_RDNA_LITERAL || in->src[1] == LULL_RDNA_LITERAL ||
           in->src[2] == LULL_RDNA_LITERAL || in->y.src[0] == LULL_RDNA_LITERAL;
}

void lull_haz_add_masks(struct lull_haz_masks *m, const struct lull_rdna_insn *in,
                        const struct lull_haz_plan *p, unsigned lanes)
{
    const unsigned mask = mask_source(in);
    bool in_step = has_literal(in);
    for (unsigned i = 0; i < p->nuses; i++) {
        const struct lull_rdna_use *u = &p->uses[i];
        const bool scalar = u->reg < MASK_REGS && u->reg < LULL_RDNA_M0;
        in_step = in_step || (scalar && !u->write);
        if (scalar && u->write) {
            set_bits(m->gone, u->reg, u->count, true);
        }
    }
    m->in_step = m->in_step || in_step;
    if (in_step) {
        memset(m->read, 0, sizeof m->read);
    }
    if (mask != LULL_RDNA_NONE) {
        set_bits(m->read, mask, lanes / 32, true);
    }
}

void lull_haz_pass_masks(struct lull_haz_wave *s, const struct lull_haz_masks *m)
{
    for (unsigned i = 0; i < 2; i++) {
        s->mask_written[i] = m->in_step ? 0 : s->mask_written[i] & ~m->gone[i];
        s->mask_read[i] = (m->in_step ? 0 : s->mask_read[i]) | m->read[i];
    }
}

// fixVALUMaskWriteHazard, wave64: a VALU reads an SGPR as a mask, a SALU writes it, a SALU reads
// it.
static void mask_write(const struct lull_haz_now *n)
{
    struct lull_haz_wave *s = n->s;
    if (n->plan->valu) {
        struct lull_haz_masks m = {0};
        lull_haz_add_masks(&m, n->in, n->plan, n->at->lanes);
        lull_haz_pass_masks(s, &m);
        return;
    }
    for (unsigned i = 0; i < n->nuses; i++) {
        const struct lull_rdna_use *u = &n->uses[i];
        if (u->reg >= MASK_REGS || u->reg >= LULL_RDNA_M0) {
            continue;
        }
        if (u->write && !n->plan->salu) {
            set_bits(s->mask_written, u->reg, u->count, false); // Not the SALU's any more.
        }
        for (unsigned r = u->reg; n->plan->salu && r < u->reg + u->count && r < MASK_REGS; r++) {
            if (!u->write && (s->mask_written[r / 64] >> r % 64 & 1) != 0) {
                lull_hazard_found(n->now, LULL_HAZARD_MASK_WRITE, r, s->mask_pc);
                set_bits(s->mask_written, r, 1, false);
            }
        }
    }
    for (unsigned i = 0; n->plan->salu && i < n->nuses; i++) {
        const struct lull_rdna_use *u = &n->uses[i];
        for (unsigned r = u->reg; u->write && u->reg < LULL_RDNA_M0 && r < u->reg + u->count; r++) {
            if (r < MASK_REGS && (s->mask_read[r / 64] >> r % 64 & 1) != 0) {
                set_bits(s->mask_written, r, 1, true);
                s->mask_pc = n->at->pc;
            }
        }
    }
}

// What empties the VALU, or orders scalar writes.
static void expire(const struct lull_haz_now *n)
{
    struct lull_haz_wave *s = n->s;
    const bool memory = n->plan->memory;
    if (!memory && n->in->enc != LULL_RDNA_EXP && !n->plan->waits && !n->plan->va_vdst) {
        return;
    }
    if (memory || n->in->enc == LULL_RDNA_EXP || n->plan->va_vdst) {
        s->nevents = s->trans_left = s->exec_left = 0;
    }
    if (n->plan->sa_sdst) {
        memset(s->mask_read, 0, sizeof s->mask_read);
        memset(s->mask_written, 0, sizeof s->mask_written);
    }
    const bool all = lull_haz_waits_for_all(n->in);
    if (all || n->in->enc == LULL_RDNA_EXP || n->plan->vm_vsrc) {
        lull_haz_forget_sources(s);
    }
    s->vmem_some = s->vmem_some || memory;
    for (unsigned i = LULL_RDNA_VGPR0 / 64; memory && i < LULL_HAZ_REGS / 64; i++) {
        s->vmem_src[i] |= n->plan->names[i];
    }
}

void lull_haz_rules(struct lull_haz_now *n)
{
    if (n->at->lanes == 64) {
        mask_write(n);
    }
    if (n->plan->valu) {
        valu_checks(n);
        valu_happens(n);
    } else if (n->in->enc == LULL_RDNA_LDSDIR) {
        lds_direct(n);
    } else if (n->plan->exec) {
        push_event(n);
    }
    expire(n);
}
