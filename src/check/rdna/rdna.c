// SPDX-License-Identifier: MIT
#include "check/rdna/rdna.h"

#include <string.h>

#include "arch/arch.h"
#include "check/rdna/state.h"

static void plan_waits(const struct lull_rdna_insn *in, struct lull_haz_plan *p)
{
    uint32_t most = 0;
    p->vm = lull_rdna_waits(in, "vmcnt", &most) ? most : LULL_HAZ_NO_WAIT;
    p->lgkm = lull_rdna_waits(in, "lgkmcnt", &most) ? most : LULL_HAZ_NO_WAIT;
    p->exp = lull_rdna_waits(in, "expcnt", &most) ? most : LULL_HAZ_NO_WAIT;
    // LDSDIR waits for vector results, too, down to its wait_vdst (Mesa aco_insert_NOPs.cpp).
    p->va_vdst = (lull_rdna_waits(in, "depctr_va_vdst", &most) && most == 0) ||
                 (in->enc == LULL_RDNA_LDSDIR && in->wait_vdst == 0);
    p->sa_sdst = lull_rdna_waits(in, "depctr_sa_sdst", &most);
    p->vm_vsrc = lull_rdna_waits(in, "depctr_vm_vsrc", &most) && most == 0;
}

/** What later instructions look at. */
static void plan_event(const struct lull_rdna_insn *in, struct lull_haz_plan *p)
{
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    p->trans = p->valu && (info->flags & LULL_RDNA_F_TRANS) != 0;
    p->exec = p->salu && ((info->writes & LULL_RDNA_S_EXEC) != 0 || in->dst == LULL_RDNA_EXEC ||
                          in->dst == LULL_RDNA_EXEC + 1);
    for (unsigned i = 0; p->valu && i < p->nuses && p->nranges < LULL_HAZ_RANGES; i++) {
        if (p->uses[i].reg >= LULL_RDNA_VGPR0) {
            p->ranges[p->nranges++] = p->uses[i];
        }
    }
}

static void plan(const struct lull_observed *at, void *to)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)at->insn;
    const char *mnemonic = lull_rdna_info(in)->name;
    struct lull_haz_plan *p = to;
    p->nuses = lull_rdna_uses(in, at->lanes, p->uses);
    for (unsigned i = 0; i < p->nuses; i++) {
        const unsigned end = p->uses[i].reg + (unsigned)p->uses[i].count;
        for (unsigned r = p->uses[i].reg; r < end && r < LULL_HAZ_REGS; r++) {
            p->names[r / 64] |= UINT64_C(1) << r % 64;
        }
    }
    p->matrix = strncmp(mnemonic, "v_wmma_", 7) == 0;
    p->waits = strncmp(mnemonic, "s_wait", 6) == 0;
    p->permute = strncmp(mnemonic, "v_permlane", 10) == 0;
    p->valu = lull_haz_is_valu(in);
    p->salu = lull_haz_is_salu(in);
    p->memory = lull_haz_is_vmem(in) || in->enc == LULL_RDNA_DS;
    p->cls = lull_haz_class_of(in);
    p->quick = !p->waits && in->enc != LULL_RDNA_VINTERP && p->cls == LULL_HAZ_NONE;
    p->info = lull_rdna_info(in);
    plan_waits(in, p);
    plan_event(in, p);
    p->nop = in->op == LULL_RDNA_OP_V_NOP;
    // In wave64 scalar instructions may read masks that were written too early.
    p->stands = (p->quick || in->op == LULL_RDNA_OP_S_WAITCNT) &&
                (p->valu || (p->salu && (at->lanes == 32 || p->nuses == 0))) && !p->trans &&
                !p->matrix && !p->permute && in->op != LULL_RDNA_OP_V_READFIRSTLANE_B32 &&
                (p->salu || (lull_rdna_info(in)->writes & LULL_RDNA_S_EXEC) == 0);
    p->wide = at->lanes == 64;
    p->in = *in;
    p->inert = p->quick && p->salu && !p->exec && at->lanes == 32; // Masks are looked at in wave64.
}

static void before(const struct lull_hazard_now *now)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)now->at->insn;
    const struct lull_haz_plan *p = now->plan;
    if (p->inert && !((const struct lull_haz_wave *)now->state)->under_way) {
        return;
    }
    struct lull_haz_now n = {.now = now,
                             .at = now->at,
                             .s = now->state,
                             .in = in,
                             .info = p->info,
                             .plan = p,
                             .uses = p->uses,
                             .nuses = p->nuses};
    if (!p->quick || n.s->under_way) {
        lull_haz_wait(&n);
    }
    lull_haz_rules(&n);
    if (in->op == LULL_RDNA_OP_V_READFIRSTLANE_B32 && now->at->active == 0) {
        lull_hazard_found(now, LULL_HAZARD_EXEC_0, LULL_HAZARD_NO_REG, 0);
    }
}

/** Most of it is pending, of which most waves leave nothing. */
static void clear(void *state)
{
    struct lull_haz_wave *s = state;
    lull_haz_forget(s);
    memset((char *)state + sizeof s->pending, 0, sizeof *s - sizeof s->pending);
}

static const char *const sentences[LULL_HAZARD_KINDS] = {
    [LULL_HAZARD_WAIT_READ] =
        "reads %R, which the instruction at %C has yet to write: s_waitcnt is missing",
    [LULL_HAZARD_WAIT_WRITE] =
        "writes %R, which the instruction at %C may write later: s_waitcnt is missing",
    [LULL_HAZARD_TRANS_USE] = "uses %R of the transcendental instruction at %C too early: "
                              "s_waitcnt_depctr depctr_va_vdst(0) is missing",
    [LULL_HAZARD_PARTIAL_FORWARD] =
        "reads %R, written before EXEC changed at %C, and a register written after: "
        "s_waitcnt_depctr depctr_va_vdst(0) is missing",
    [LULL_HAZARD_CMPX_PERMLANE] =
        "follows the v_cmpx at %C: a VALU instruction between, but v_nop, is missing",
    [LULL_HAZARD_MATRIX] = "reads %R of the matrix instruction at %C at once: v_nop is missing",
    [LULL_HAZARD_LDS_DIRECT] = "writes %R, which the instruction at %C may still use: wait_vdst or "
                               "s_waitcnt_depctr is missing",
    [LULL_HAZARD_MASK_WRITE] =
        "reads %R, written at %C under a VALU instruction that uses it as a mask: "
        "s_waitcnt_depctr depctr_sa_sdst(0) is missing",
    [LULL_HAZARD_EXEC_0] = "no lane is on (EXEC is 0): lane 0 is read",
    [LULL_HAZARD_LDS_RANGE] = "outside of the workgroup's LDS: reads give 0, writes do nothing",
};

const struct lull_hazard_rules lull_hazard_rules_rdna3 = {
    .arch = &lull_arch_rdna3,
    .state_bytes = sizeof(struct lull_haz_wave),
    .clear = clear,
    .plan_bytes = sizeof(struct lull_haz_plan),
    .plan = plan,
    .before = before,
    .stands = lull_haz_stands,
    .sum_bytes = lull_haz_sum_bytes,
    .sum = lull_haz_sum,
    .calm = lull_haz_calm,
    .passed = lull_haz_passed,
    .sentences = sentences,
};
