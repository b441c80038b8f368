// SPDX-License-Identifier: MIT
#include "check/uninit/plan.h"

#include <string.h>

#include "isa/rdna/ops.h"

static bool is_memory(const struct lull_rdna_insn *in)
{
    return in->enc == LULL_RDNA_FLAT || in->enc == LULL_RDNA_GLOBAL ||
           in->enc == LULL_RDNA_SCRATCH || in->enc == LULL_RDNA_MUBUF ||
           in->enc == LULL_RDNA_MTBUF || in->enc == LULL_RDNA_MIMG || in->enc == LULL_RDNA_DS ||
           in->enc == LULL_RDNA_SMEM;
}

/** Registers chosen by M0: not all that it may touch is known before. */
static bool moves_by_m0(unsigned op)
{
    return (op >= LULL_RDNA_OP_S_MOVRELS_B32 && op <= LULL_RDNA_OP_S_MOVRELSD_2_B32) ||
           (op >= LULL_RDNA_OP_V_MOVRELD_B32 && op <= LULL_RDNA_OP_V_MOVRELSD_2_B32);
}

static void add(struct lull_uninit_regs *to, unsigned reg, unsigned count)
{
    for (unsigned r = reg; r < reg + count; r++) {
        if (r < LULL_TWIN_SGPRS) {
            to->s[r / 64] |= UINT64_C(1) << r % 64;
        } else if (r >= LULL_RDNA_VGPR0 && r - LULL_RDNA_VGPR0 < LULL_TWIN_VGPRS) {
            const unsigned word = (r - LULL_RDNA_VGPR0) / 64;
            to->v[word] |= UINT64_C(1) << (r - LULL_RDNA_VGPR0) % 64;
            to->nv = (uint8_t)(to->nv > word ? to->nv : word + 1);
        }
    }
}

static bool is_valu(const struct lull_rdna_insn *in)
{
    return in->enc == LULL_RDNA_VOP1 || in->enc == LULL_RDNA_VOP2 || in->enc == LULL_RDNA_VOP3 ||
           in->enc == LULL_RDNA_VOP3SD || in->enc == LULL_RDNA_VOP3P || in->enc == LULL_RDNA_VOPC ||
           in->enc == LULL_RDNA_VOPD;
}

static bool by_lane(const struct lull_rdna_insn *in)
{
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    return is_valu(in) && in->dpp == LULL_RDNA_NO_DPP && !moves_by_m0(in->op) &&
           !lull_rdna_type_is_16(info->type[LULL_RDNA_SLOT_DST]) &&
           in->op != LULL_RDNA_OP_V_WRITELANE_B32 && in->op != LULL_RDNA_OP_V_PERMLANE16_B32 &&
           in->op != LULL_RDNA_OP_V_PERMLANEX16_B32 && in->op != LULL_RDNA_OP_V_PERMLANE64_B32;
}

/** How far behind its address an instruction of local memory goes; false: not known. */
static bool reach(const struct lull_rdna_insn *in, uint32_t *ret)
{
    enum { WIDEST = 16, PAIR = 8, STRIDE = 64 };
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    const unsigned offset = in->offset0 > in->offset1 ? in->offset0 : in->offset1;
    const bool two = (info->flags & LULL_RDNA_F_TWO) != 0;
    const bool strides = two && strstr(info->name, "stride64") != NULL;
    *ret = two ? PAIR * (strides ? STRIDE : 1) * (offset + 1) : (uint32_t)in->imm + WIDEST;
    return in->vaddr != LULL_RDNA_NONE && (info->flags & LULL_RDNA_F_ADDTID) == 0;
}

/** What the code at -O0 consists of, for which there are quick ways. */
static enum lull_uninit_quick quick_of(const struct lull_rdna_insn *in, unsigned lanes,
                                       unsigned *part)
{
    enum { LAST_INT = 64 };
    switch (in->op) {
    case LULL_RDNA_OP_V_READLANE_B32:
    case LULL_RDNA_OP_V_WRITELANE_B32:
        *part = (in->src[1] - LULL_RDNA_INT0) % lanes;
        return in->src[1] < LULL_RDNA_INT0 || in->src[1] > LULL_RDNA_INT0 + LAST_INT
                   ? LULL_QUICK_NONE
               : in->op == LULL_RDNA_OP_V_READLANE_B32 ? LULL_QUICK_READ_LANE
                                                       : LULL_QUICK_WRITE_LANE;
    case LULL_RDNA_OP_SCRATCH_LOAD_B32:
    case LULL_RDNA_OP_SCRATCH_LOAD_B64:
    case LULL_RDNA_OP_SCRATCH_LOAD_B96:
    case LULL_RDNA_OP_SCRATCH_LOAD_B128:
        *part = 1 + in->op - LULL_RDNA_OP_SCRATCH_LOAD_B32;
        return LULL_QUICK_LOAD;
    case LULL_RDNA_OP_SCRATCH_STORE_B32:
    case LULL_RDNA_OP_SCRATCH_STORE_B64:
    case LULL_RDNA_OP_SCRATCH_STORE_B96:
    case LULL_RDNA_OP_SCRATCH_STORE_B128:
        *part = 1 + in->op - LULL_RDNA_OP_SCRATCH_STORE_B32;
        return LULL_QUICK_STORE;
    default:
        return LULL_QUICK_NONE;
    }
}

bool lull_uninit_plan(const struct lull_check_now *n, void *to)
{
    struct lull_uninit_plan *p = to;
    p->in = *(const struct lull_rdna_insn *)n->at->insn;
    const struct lull_rdna_op_info *info = lull_rdna_info(&p->in);
    const uint64_t vccs = n->at->lanes / 32;
    p->nuses = lull_rdna_uses(&p->in, n->at->lanes, p->uses);
    for (unsigned i = 0; i < p->nuses; i++) {
        add(p->uses[i].write ? &p->writes : &p->reads, p->uses[i].reg, p->uses[i].count);
    }
    add(&p->reads, LULL_RDNA_VCC, (info->reads & LULL_RDNA_S_VCC) != 0 ? 2 : 0);
    add(&p->writes, LULL_RDNA_VCC, (info->writes & LULL_RDNA_S_VCC) != 0 ? (unsigned)vccs : 0);
    p->reads.scc = (info->reads & LULL_RDNA_S_SCC) != 0;
    p->writes.scc = (info->writes & LULL_RDNA_S_SCC) != 0;
    p->names = p->reads;
    for (unsigned i = 0; i < LULL_TWIN_VGPRS / 64; i++) {
        p->names.v[i] |= p->writes.v[i];
    }
    for (unsigned i = 0; i < LULL_TWIN_SGPRS / 64; i++) {
        p->names.s[i] |= p->writes.s[i];
    }
    p->names.nv = p->reads.nv > p->writes.nv ? p->reads.nv : p->writes.nv;
    p->names.scc = p->reads.scc || p->writes.scc;
    p->memory = is_memory(&p->in);
    p->moves = moves_by_m0(p->in.op);
    p->local = p->in.enc == LULL_RDNA_DS && !p->in.gds;
    p->looks =
        p->moves || p->local || p->in.enc == LULL_RDNA_SCRATCH || p->in.enc == LULL_RDNA_FLAT;
    p->by_lane = by_lane(&p->in);
    p->stores = (info->flags & LULL_RDNA_F_STORE) != 0 && (info->flags & LULL_RDNA_F_ATOMIC) == 0;
    p->keeps = p->in.op == LULL_RDNA_OP_S_CMOV_B32 || p->in.op == LULL_RDNA_OP_S_CMOV_B64 ||
               (p->memory && strstr(info->name, "d16") != NULL);
    p->knows = p->local && reach(&p->in, &p->reach);
    p->lanes = p->in.op == LULL_RDNA_OP_V_READLANE_B32 || p->in.op == LULL_RDNA_OP_DS_BPERMUTE_B32;
    p->typed = p->in.enc == LULL_RDNA_MTBUF || strstr(info->name, "_format_") != NULL;
    for (unsigned i = 0; p->in.op != LULL_RDNA_OP_V_WRITELANE_B32 && i < LULL_TWIN_VGPRS / 64;
         i++) {
        p->sets[i] = p->writes.v[i];
    }
    p->quick = quick_of(&p->in, n->at->lanes, &p->part);
    return true;
}
