// SPDX-License-Identifier: MIT
#include "isa/rdna/ops.h"

/** A register's field: low bits of operand numbers, those of VGPRs too; 0 if there is none. */
static uint32_t register_bits(uint32_t reg, uint32_t scale)
{
    return reg == LULL_RDNA_NONE ? 0 : reg / scale;
}

#include "isa/rdna_makers.h"

static bool has_literal(const struct lull_rdna_insn *in)
{
    return in->src[0] == LULL_RDNA_LITERAL || in->src[1] == LULL_RDNA_LITERAL ||
           in->src[2] == LULL_RDNA_LITERAL ||
           lull_rdna_info(in)->type[LULL_RDNA_SLOT_LITERAL] != LULL_RDNA_T_NONE;
}

unsigned lull_rdna_encode(const struct lull_rdna_insn *in, uint32_t ret[LULL_RDNA_MAX_MADE])
{
    const bool known = in->enc < sizeof makers / sizeof makers[0] && in->op < LULL_RDNA_NOPS &&
                       makers[in->enc].put != NULL && makers[in->enc].opcodes[in->op] != 0;
    if (!known || in->dpp != LULL_RDNA_NO_DPP || (in->enc == LULL_RDNA_VOP1 && in->op_sel != 0)) {
        return 0;
    }
    struct lull_rdna_insn one = *in;
    if (in->enc == LULL_RDNA_MUBUF && in->vdata == LULL_RDNA_NONE) {
        one.vdata = in->dst; // One field for both ways.
    }
    makers[in->enc].put(&one, ret);
    unsigned n = makers[in->enc].words;
    if (in->enc != LULL_RDNA_MUBUF && has_literal(in)) {
        ret[n++] = in->literal;
    }
    return n;
}
