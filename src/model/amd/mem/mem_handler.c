// SPDX-License-Identifier: MIT
// Who does an instruction, by who watches the wave.
#include "base/cpu.h"
#include "model/amd/mem/mem.h"

static lull_exec_fn *observed_handler(const struct lull_rdna_insn *in)
{
#ifdef __x86_64__
    if (lull_cpu_is_v3()) {
        return lull_mem_v3_observed(in);
    }
#endif
    return lull_mem_base_observed(in);
}

lull_exec_fn *lull_mem_handler(const struct lull_rdna_insn *in, enum lull_wave_table table)
{
    static lull_exec_fn *(*const tables[LULL_TABLES])(const struct lull_rdna_insn *in) = {
        [LULL_TABLE_PLAIN] = lull_mem_plain_handler,
        [LULL_TABLE_OBSERVED] = observed_handler,
    };
    lull_exec_fn *plain = lull_mem_plain_handler(in);
    return plain != NULL ? tables[table](in) : NULL;
}

lull_exec_fn *lull_mem_last_handler(const struct lull_rdna_insn *in)
{
    const struct lull_mem_fast fast = lull_mem_fast();
    switch ((unsigned)in->enc) {
    case LULL_RDNA_MUBUF:
        return fast.last(in);
    case LULL_RDNA_GLOBAL:
        return fast.global_last(in);
    case LULL_RDNA_FLAT:
        return fast.global_last(in) != NULL ? lull_mem_flat_last : NULL;
    default:
        return NULL;
    }
}
