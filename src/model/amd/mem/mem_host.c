// SPDX-License-Identifier: MIT
// The quick ways that were compiled for this kind of host.
#include "base/cpu.h"
#include "model/amd/mem/mem.h"

struct lull_mem_fast lull_mem_fast(void)
{
#ifdef __x86_64__
    if (lull_cpu_is_v3()) {
        return (struct lull_mem_fast){lull_mem_v3_global,      lull_mem_v3_ds,
                                      lull_mem_v3_buffer,      lull_mem_v3_last,
                                      lull_mem_v3_global_last, lull_mem_v3_quick};
    }
#endif
    return (struct lull_mem_fast){lull_mem_base_global,      lull_mem_base_ds,
                                  lull_mem_base_buffer,      lull_mem_base_last,
                                  lull_mem_base_global_last, lull_mem_base_quick};
}
