// SPDX-License-Identifier: MIT
#include "model/amd/mem.h"

enum lull_exec_result lull_mem_nothing(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    (void)w;
    (void)in;
    return LULL_EXEC_NEXT;
}

lull_exec_fn *lull_mem_handler(const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
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
        return lull_mem_ds_handler(in);
    case LULL_RDNA_FLAT:
        return lull_mem_flat;
    case LULL_RDNA_SCRATCH:
        return lull_mem_scratch;
    case LULL_RDNA_GLOBAL:
        return lull_mem_global_handler(in);
    case LULL_RDNA_MUBUF:
        return (op->flags & LULL_MEM_F_FORMAT) != 0 ? NULL : lull_mem_buffer;
    default:
        return NULL;
    }
}
