// SPDX-License-Identifier: MIT
#include "isa/rdna/text.h"

#include "isa/rdna_names.h"

static void cache_bits(const struct lull_rdna_text *t)
{
    lull_rdna_flag(t, t->in->glc, "glc");
    lull_rdna_flag(t, t->in->slc, "slc");
    lull_rdna_flag(t, t->in->dlc, "dlc");
}

static void signed_hex(const struct lull_rdna_text *t, int32_t value)
{
    lull_rdna_hex(t, value < 0 ? "-" : "", value < 0 ? 0 - (uint32_t)value : (uint32_t)value);
}

static void smem(const struct lull_rdna_text *t)
{
    const struct lull_rdna_insn *in = t->in;
    if (in->sbase == LULL_RDNA_NONE) {
        return;
    }
    lull_rdna_add(t, " ");
    if (t->info->type[LULL_RDNA_SLOT_DST] == LULL_RDNA_T_PERM) {
        lull_rdna_show_small(t, in->dst);
    } else {
        lull_rdna_show_source(t, in->dst, t->info->type[LULL_RDNA_SLOT_DST]);
    }
    lull_rdna_add(t, ", ");
    lull_rdna_show_source(t, in->sbase, t->info->type[LULL_RDNA_SLOT_SBASE]);
    lull_rdna_add(t, ", ");
    if (in->soffset == LULL_RDNA_NULL && in->imm != 0) {
        signed_hex(t, in->imm);
    } else {
        lull_rdna_show_reg(t, in->soffset, 1);
        if (in->imm != 0) {
            lull_rdna_add(t, " offset:");
            signed_hex(t, in->imm);
        }
    }
    cache_bits(t);
}

static void swizzle(const struct lull_rdna_text *t)
{
    const unsigned imm = (unsigned)t->in->imm;
    const unsigned and_mask = imm & 31, or_mask = imm >> 5 & 31, xor_mask = imm >> 10 & 31,
                   group = 32 - and_mask;
    if (imm == 0) {
        return;
    }
    lull_rdna_add(t, " offset:");
    if ((imm & 0xff00) == 0x8000) {
        lull_str_addf(t->out, "swizzle(QUAD_PERM,%u,%u,%u,%u)", imm & 3, imm >> 2 & 3, imm >> 4 & 3,
                      imm >> 6 & 3);
    } else if ((imm & 0x8000) != 0) {
        lull_str_addf(t->out, "%u", imm);
    } else if (and_mask == 31 && or_mask == 0 && xor_mask != 0 &&
               (xor_mask & (xor_mask - 1)) == 0) {
        lull_str_addf(t->out, "swizzle(SWAP,%u)", xor_mask);
    } else if (and_mask == 31 && or_mask == 0 && xor_mask != 0 &&
               (xor_mask & (xor_mask + 1)) == 0) {
        lull_str_addf(t->out, "swizzle(REVERSE,%u)", xor_mask + 1);
    } else if (group > 1 && (group & (group - 1)) == 0 && or_mask < group && xor_mask == 0) {
        lull_str_addf(t->out, "swizzle(BROADCAST,%u,%u)", group, or_mask);
    } else {
        lull_rdna_add(t, "swizzle(BITMASK_PERM,\"");
        for (unsigned i = 5; i-- > 0;) {
            const unsigned zero = (or_mask ^ xor_mask) >> i & 1,
                           one = ((and_mask | or_mask) ^ xor_mask) >> i & 1;
            lull_rdna_add(t, zero == one ? (zero != 0 ? "1" : "0") : zero == 0 ? "p" : "i");
        }
        lull_rdna_add(t, "\")");
    }
}

/** Registers of one memory slot, if the instruction has it. */
static void memory_reg(const struct lull_rdna_text *t, const char **gap, unsigned number,
                       unsigned dwords)
{
    if (number != LULL_RDNA_NONE) {
        lull_rdna_add(t, *gap);
        lull_rdna_show_reg(t, number, dwords);
        *gap = ", ";
    }
}

static unsigned dwords_of(const struct lull_rdna_text *t, unsigned slot)
{
    return lull_rdna_type_dwords[t->info->type[slot]];
}

static void ds(const struct lull_rdna_text *t)
{
    const struct lull_rdna_insn *in = t->in;
    const char *gap = " ";
    memory_reg(t, &gap, in->dst, dwords_of(t, LULL_RDNA_SLOT_DST));
    memory_reg(t, &gap, in->vaddr, dwords_of(t, LULL_RDNA_SLOT_VADDR));
    memory_reg(t, &gap, in->vdata, dwords_of(t, LULL_RDNA_SLOT_VDATA));
    memory_reg(t, &gap, in->vdata2, dwords_of(t, LULL_RDNA_SLOT_VDATA2));
    if (lull_rdna_has(t, LULL_RDNA_F_SWIZZLE)) {
        swizzle(t);
    } else if (lull_rdna_has(t, LULL_RDNA_F_TWO)) {
        if (in->offset0 != 0) {
            lull_rdna_dec(t, " offset0:", in->offset0);
        }
        if (in->offset1 != 0) {
            lull_rdna_dec(t, " offset1:", in->offset1);
        }
    } else if (in->imm != 0) {
        lull_rdna_dec(t, " offset:", (uint32_t)in->imm);
    }
    lull_rdna_flag(t, in->gds, "gds");
}

static void flat(const struct lull_rdna_text *t)
{
    const struct lull_rdna_insn *in = t->in;
    const bool off = in->saddr == LULL_RDNA_NULL;
    const char *gap = " ";
    memory_reg(t, &gap, in->dst, dwords_of(t, LULL_RDNA_SLOT_DST));
    if (in->vaddr != LULL_RDNA_NONE) {
        memory_reg(t, &gap, in->vaddr, in->enc != LULL_RDNA_SCRATCH && off ? 2 : 1);
    } else if (in->enc == LULL_RDNA_SCRATCH) {
        lull_rdna_add(t, gap);
        lull_rdna_add(t, "off");
        gap = ", ";
    }
    memory_reg(t, &gap, in->vdata, dwords_of(t, LULL_RDNA_SLOT_VDATA));
    if (in->enc != LULL_RDNA_FLAT) {
        lull_rdna_add(t, gap);
        if (off) {
            lull_rdna_add(t, "off");
        } else {
            lull_rdna_show_reg(t, in->saddr, in->enc == LULL_RDNA_SCRATCH ? 1 : 2);
        }
    }
    if (in->imm != 0) {
        lull_rdna_signed(t, " offset:", in->imm);
    }
    cache_bits(t);
}

static void buffer(const struct lull_rdna_text *t)
{
    const struct lull_rdna_insn *in = t->in;
    const bool store = t->info->type[LULL_RDNA_SLOT_VDATA] != LULL_RDNA_T_NONE;
    const char *gap = " ";
    if (in->sbase == LULL_RDNA_NONE) {
        return;
    }
    memory_reg(t, &gap, in->vdata,
               dwords_of(t, store ? LULL_RDNA_SLOT_VDATA : LULL_RDNA_SLOT_DST) + in->tfe);
    if (in->vaddr == LULL_RDNA_NONE) {
        lull_rdna_add(t, gap);
        lull_rdna_add(t, "off");
        gap = ", ";
    } else {
        memory_reg(t, &gap, in->vaddr, (unsigned)in->offen + in->idxen);
    }
    memory_reg(t, &gap, in->sbase, 4);
    lull_rdna_add(t, ", ");
    lull_rdna_show_source(t, in->soffset, LULL_RDNA_T_B32);
    if (in->enc == LULL_RDNA_MTBUF && in->format != 1) {
        const char *name =
            lull_rdna_name_of(names_format, LULL_RDNA_COUNT(names_format), in->format);
        if (name != NULL) {
            lull_rdna_add(t, " format:[");
            lull_rdna_add(t, name);
            lull_rdna_add(t, "]");
        } else {
            lull_rdna_dec(t, " format:", in->format);
        }
    }
    lull_rdna_flag(t, in->idxen, "idxen");
    lull_rdna_flag(t, in->offen, "offen");
    if (in->imm != 0) {
        lull_rdna_dec(t, " offset:", (uint32_t)in->imm);
    }
    cache_bits(t);
    lull_rdna_flag(t, in->tfe, "tfe");
}

static void image_addr(const struct lull_rdna_text *t, unsigned naddrs)
{
    const struct lull_rdna_insn *in = t->in;
    if (in->naddr == 0) {
        lull_rdna_show_reg(t, in->vaddr, naddrs);
        return;
    }
    const bool bvh = lull_rdna_has(t, LULL_RDNA_F_BVH);
    const unsigned node = dwords_of(t, LULL_RDNA_SLOT_VADDR);
    lull_rdna_add(t, "[");
    for (unsigned i = 0; i < in->naddr; i++) {
        lull_rdna_add(t, i == 0 ? "" : ", ");
        lull_rdna_show_reg(t, in->nsa[i],
                           bvh      ? (i == 0   ? node
                                       : i == 1 ? 1
                                                : 3)
                           : i == 4 ? naddrs - 4
                                    : 1);
    }
    lull_rdna_add(t, "]");
}

static void image(const struct lull_rdna_text *t)
{
    const struct lull_rdna_insn *in = t->in;
    const char *gap = " ";
    memory_reg(t, &gap, in->vdata, lull_rdna_image_data_dwords(in));
    lull_rdna_add(t, gap);
    image_addr(t, lull_rdna_image_addr_dwords(in));
    memory_reg(t, &gap, in->sbase, dwords_of(t, LULL_RDNA_SLOT_SBASE));
    memory_reg(t, &gap, in->ssamp, 4);
    if (lull_rdna_has(t, LULL_RDNA_F_BVH)) {
        lull_rdna_flag(t, in->a16, "a16");
        return;
    }
    if (in->dmask != 0) {
        lull_rdna_hex(t, " dmask:", in->dmask);
    }
    lull_rdna_add(t, " dim:");
    lull_rdna_add(t, parts_dim[in->dim].name);
    lull_rdna_flag(t, in->unorm, "unorm");
    cache_bits(t);
    lull_rdna_flag(t, in->r128, "r128");
    lull_rdna_flag(t, in->a16, "a16");
    lull_rdna_flag(t, in->tfe, "tfe");
    lull_rdna_flag(t, in->lwe, "lwe");
    lull_rdna_flag(t, in->d16, "d16");
}

static void export(const struct lull_rdna_text *t)
{
    const struct lull_rdna_insn *in = t->in;
    const char *name =
        lull_rdna_name_of(names_target, LULL_RDNA_COUNT(names_target), in->exp_target);
    if (name != NULL) {
        lull_rdna_add(t, " ");
        lull_rdna_add(t, name);
    } else {
        lull_rdna_dec(t, " invalid_target_", in->exp_target);
    }
    for (unsigned i = 0; i < 4; i++) {
        lull_rdna_add(t, i == 0 ? " " : ", ");
        if ((in->exp_en >> i & 1) != 0) {
            lull_rdna_show_reg(t, in->nsa[i], 1);
        } else {
            lull_rdna_add(t, "off");
        }
    }
    lull_rdna_flag(t, in->exp_done, "done");
    lull_rdna_flag(t, in->exp_row, "row_en");
}

static void ldsdir(const struct lull_rdna_text *t)
{
    lull_rdna_add(t, " ");
    lull_rdna_show_reg(t, t->in->dst, 1);
    if (lull_rdna_has(t, LULL_RDNA_F_ATTR)) {
        lull_rdna_dec(t, ", attr", t->in->attr);
        lull_str_put(t->out, ".", 1);
        lull_str_put(t->out, &"xyzw"[t->in->attr_chan & 3], 1);
    }
    lull_rdna_dec(t, " wait_vdst:", t->in->wait_vdst);
}

void lull_rdna_show_memory(const struct lull_rdna_text *t)
{
    switch (t->in->enc) {
    case LULL_RDNA_SMEM:
        smem(t);
        break;
    case LULL_RDNA_LDSDIR:
        ldsdir(t);
        break;
    case LULL_RDNA_DS:
        ds(t);
        break;
    case LULL_RDNA_FLAT:
    case LULL_RDNA_GLOBAL:
    case LULL_RDNA_SCRATCH:
        flat(t);
        break;
    case LULL_RDNA_MUBUF:
    case LULL_RDNA_MTBUF:
        buffer(t);
        break;
    case LULL_RDNA_MIMG:
        image(t);
        break;
    case LULL_RDNA_EXP:
        export(t);
        break;
    default:
        break;
    }
}
