// SPDX-License-Identifier: MIT
// Who does an instruction in waves that nobody watches.
#include "model/amd/mem/mem.h"

lull_exec_fn *lull_mem_plain_handler(const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    if (in->op == LULL_RDNA_OP_EXP) {
        return lull_gfx_export;
    }
    if (in->op == LULL_RDNA_OP_LDS_PARAM_LOAD) {
        return lull_gfx_param;
    }
    if (op->kind == LULL_MEM_NONE) {
        return NULL;
    }
    if (op->kind == LULL_MEM_CACHE) {
        return lull_mem_nothing;
    }
    switch ((unsigned)in->enc) {
    case LULL_RDNA_SMEM:
        return lull_mem_smem_handler(in);
    case LULL_RDNA_DS:
        return in->gds ? lull_mem_gds_handler(in) : lull_mem_fast().ds(in);
    case LULL_RDNA_FLAT:
        return lull_mem_flat;
    case LULL_RDNA_SCRATCH:
        return lull_mem_scratch;
    case LULL_RDNA_GLOBAL:
        return lull_mem_fast().global(in);
    case LULL_RDNA_MUBUF:
        return (op->flags & LULL_MEM_F_FORMAT) != 0 ? lull_mem_format : lull_mem_fast().buffer(in);
    case LULL_RDNA_MTBUF:
        return lull_mem_format;
    case LULL_RDNA_MIMG:
        return op->kind == LULL_MEM_INTERSECT ? lull_mem_bvh : lull_mem_image;
    default:
        return NULL;
    }
}
