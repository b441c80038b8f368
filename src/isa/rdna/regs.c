// SPDX-License-Identifier: MIT
#include "isa/rdna/regs.h"

#include <string.h>

#include "isa/rdna/ops.h"
#include "isa/rdna/text.h"
#include "isa/rdna_names.h"

struct uses {
    const struct lull_rdna_insn *in;
    const struct lull_rdna_op_info *info;
    unsigned lanes, count;
    struct lull_rdna_use *to;
};

static void add(struct uses *u, unsigned reg, unsigned dwords, bool write)
{
    bool scalar = reg < LULL_RDNA_INT0 && reg != LULL_RDNA_NULL;
    bool vector = reg >= LULL_RDNA_VGPR0 && reg < LULL_RDNA_VGPR0 + 256;
    if ((scalar || vector) && dwords > 0 && u->count < LULL_RDNA_MAX_USES) {
        u->to[u->count++] =
            (struct lull_rdna_use){.reg = (uint16_t)reg, .count = (uint8_t)dwords, .write = write};
    }
}

static unsigned dwords_of(const struct uses *u, const struct lull_rdna_op_info *info,
                          enum lull_rdna_slot slot)
{
    unsigned type = info->type[slot];
    if (type == LULL_RDNA_T_MASK) {
        return u->lanes / 32;
    }
    unsigned dwords = lull_rdna_type_dwords[type];
    return type == LULL_RDNA_T_ACC && u->lanes == 64 ? dwords / 2 : dwords;
}

// VCC, where no operand names it: as v_div_fmas has it, or as the mask of VOPD's
// v_dual_cndmask_b32.
static void vcc(struct uses *u, const struct lull_rdna_op_info *info, bool names_mask)
{
    const bool mask = info->type[LULL_RDNA_SLOT_SRC2] == LULL_RDNA_T_MASK && !names_mask;
    if ((info->reads & LULL_RDNA_S_VCC) != 0 || mask) {
        add(u, LULL_RDNA_VCC, u->lanes / 32, false);
    }
}

static void alu(struct uses *u)
{
    const struct lull_rdna_insn *in = u->in;
    static const enum lull_rdna_slot slots[3] = {LULL_RDNA_SLOT_SRC0, LULL_RDNA_SLOT_SRC1,
                                                 LULL_RDNA_SLOT_SRC2};
    const bool swap = (u->info->writes & LULL_RDNA_S_SRC0) != 0;
    for (unsigned i = 0; i < 3; i++) {
        if (in->src[i] != LULL_RDNA_NONE) {
            add(u, in->src[i], dwords_of(u, u->info, slots[i]), false);
            if (swap) {
                add(u, in->src[i], dwords_of(u, u->info, slots[i]), true);
            }
        }
    }
    unsigned dst = dwords_of(u, u->info, LULL_RDNA_SLOT_DST);
    if (in->dst != LULL_RDNA_NONE && (u->info->writes & LULL_RDNA_S_DST) != 0) {
        add(u, in->dst, dst, true);
    }
    if (in->dst != LULL_RDNA_NONE && (u->info->reads & LULL_RDNA_S_DST) != 0) {
        add(u, in->dst, dst, false);
    }
    if (in->sdst != LULL_RDNA_NONE) {
        add(u, in->sdst, dwords_of(u, u->info, LULL_RDNA_SLOT_SDST), true);
    }
    vcc(u, u->info, in->src[2] != LULL_RDNA_NONE);
}

static void second_half(struct uses *u)
{
    const struct lull_rdna_y *y = &u->in->y;
    const struct lull_rdna_op_info *info = &lull_rdna_ops[y->op];
    add(u, y->dst, 1, true);
    for (unsigned i = 0; i < 2; i++) {
        if (y->src[i] != LULL_RDNA_NONE) {
            add(u, y->src[i], 1, false);
        }
    }
    if ((info->reads & LULL_RDNA_S_DST) != 0) {
        add(u, y->dst, 1, false);
    }
    vcc(u, info, false);
}

// What a memory instruction returns and sends.
static void data(struct uses *u, unsigned dst_dwords, unsigned data_dwords)
{
    const struct lull_rdna_insn *in = u->in;
    const bool atomic = (u->info->flags & LULL_RDNA_F_ATOMIC) != 0;
    const bool image =
        in->enc == LULL_RDNA_MIMG || in->enc == LULL_RDNA_MUBUF || in->enc == LULL_RDNA_MTBUF;
    const bool store = (u->info->flags & LULL_RDNA_F_STORE) != 0;
    // Buffer and image instructions have one field for both ways.
    const unsigned reg = image && in->dst == LULL_RDNA_NONE ? in->vdata : in->dst;
    const bool returns = atomic && in->enc != LULL_RDNA_DS ? in->glc : !store;
    if (returns && reg != LULL_RDNA_NONE) {
        add(u, reg, dst_dwords, true);
    }
    if ((store || atomic || !image) && in->vdata != LULL_RDNA_NONE) {
        add(u, in->vdata, data_dwords, false);
    }
    if (in->vdata2 != LULL_RDNA_NONE) {
        add(u, in->vdata2, dwords_of(u, u->info, LULL_RDNA_SLOT_VDATA2), false);
    }
}

static void image_address(struct uses *u)
{
    const struct lull_rdna_insn *in = u->in;
    const unsigned dwords = lull_rdna_image_addr_dwords(in);
    if (in->naddr == 0 && in->vaddr != LULL_RDNA_NONE) {
        add(u, in->vaddr, dwords, false);
    }
    const bool bvh = (u->info->flags & LULL_RDNA_F_BVH) != 0;
    for (unsigned i = 0; i < in->naddr; i++) {
        const unsigned node = dwords_of(u, u->info, LULL_RDNA_SLOT_VADDR);
        const unsigned last = dwords > 4 ? dwords - 4 : 1;
        add(u, in->nsa[i], bvh ? (i == 0 ? node : i == 1 ? 1 : 3) : i == 4 ? last : 1, false);
    }
}

static void address(struct uses *u)
{
    const struct lull_rdna_insn *in = u->in;
    const bool flat = in->enc == LULL_RDNA_FLAT || in->enc == LULL_RDNA_GLOBAL;
    const bool buffer = in->enc == LULL_RDNA_MUBUF || in->enc == LULL_RDNA_MTBUF;
    if (in->enc == LULL_RDNA_MIMG) {
        image_address(u);
    } else if (in->vaddr != LULL_RDNA_NONE) {
        const bool off = in->enc == LULL_RDNA_FLAT || in->saddr == LULL_RDNA_NULL;
        const unsigned dwords = buffer ? (unsigned)in->offen + in->idxen : flat && off ? 2 : 1;
        add(u, in->vaddr, dwords, false);
    }
    if (in->saddr != LULL_RDNA_NONE) {
        add(u, in->saddr, in->enc == LULL_RDNA_SCRATCH ? 1 : 2, false);
    }
    if (in->sbase != LULL_RDNA_NONE) {
        add(u, in->sbase, buffer ? 4 : dwords_of(u, u->info, LULL_RDNA_SLOT_SBASE), false);
    }
    if (in->soffset != LULL_RDNA_NONE) {
        add(u, in->soffset, 1, false);
    }
    if (in->ssamp != LULL_RDNA_NONE) {
        add(u, in->ssamp, 4, false);
    }
}

static void memory(struct uses *u)
{
    const struct lull_rdna_insn *in = u->in;
    unsigned dst = dwords_of(u, u->info, LULL_RDNA_SLOT_DST);
    unsigned sent = dwords_of(u, u->info, LULL_RDNA_SLOT_VDATA);
    if (in->enc == LULL_RDNA_MIMG) {
        dst = sent = lull_rdna_image_data_dwords(in);
    } else if (in->tfe) {
        dst++;
    }
    data(u, dst, sent);
    address(u);
}

unsigned lull_rdna_uses(const struct lull_rdna_insn *in, unsigned lanes, struct lull_rdna_use *ret)
{
    struct uses u = {.in = in, .info = lull_rdna_info(in), .lanes = lanes, .to = ret};
    switch (in->enc) {
    case LULL_RDNA_SMEM:
    case LULL_RDNA_DS:
    case LULL_RDNA_FLAT:
    case LULL_RDNA_GLOBAL:
    case LULL_RDNA_SCRATCH:
    case LULL_RDNA_MUBUF:
    case LULL_RDNA_MTBUF:
    case LULL_RDNA_MIMG:
        memory(&u);
        break;
    case LULL_RDNA_EXP:
        for (unsigned i = 0; i < 4; i++) {
            if ((in->exp_en >> i & 1) != 0) {
                add(&u, in->nsa[i], 1, false);
            }
        }
        break;
    case LULL_RDNA_VOPD:
        alu(&u);
        second_half(&u);
        break;
    case LULL_RDNA_LDSDIR:
        add(&u, in->dst, 1, true);
        break;
    default:
        alu(&u);
        break;
    }
    return u.count;
}

static bool in_parts(const struct lull_rdna_part *parts, size_t count, const char *name,
                     uint32_t value, uint32_t *ret)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(parts[i].name, name) == 0) {
            const uint32_t most = (1u << parts[i].bits) - 1;
            *ret = value >> parts[i].lo & most;
            return *ret != most;
        }
    }
    return false;
}

bool lull_rdna_waits(const struct lull_rdna_insn *in, const char *name, uint32_t *ret)
{
    if (in->op == LULL_RDNA_OP_S_WAITCNT) {
        return in_parts(parts_waitcnt, LULL_RDNA_COUNT(parts_waitcnt), name, (uint32_t)in->imm,
                        ret);
    }
    if (in->op == LULL_RDNA_OP_S_WAITCNT_DEPCTR) {
        return in_parts(parts_depctr, LULL_RDNA_COUNT(parts_depctr), name, (uint32_t)in->imm, ret);
    }
    return false;
}
