// SPDX-License-Identifier: MIT
// Rows by the host's floating-point unit: what fp.h computes, bit for bit.
#include "base/cpu.h"
#include "model/adreno/exec/rows.h"
#include "model/fp/fp_host.h"

const struct lull_ir3_host_tools *lull_ir3_host(void)
{
#if defined(__x86_64__)
    // Asked several times for each instruction.
    static _Thread_local const struct lull_ir3_host_tools *known;
    if (known == NULL) {
        known = lull_cpu_is_v3() ? &lull_ir3_v3_tools : &lull_ir3_base_tools;
    }
    return known;
#else
    return &lull_ir3_base_tools;
#endif
}

bool lull_ir3_alu_quick(const struct lull_ir3_alu_row *row, const struct lull_ir3_alu_in *x,
                        uint32_t *d)
{
    lull_ir3_host_fn *fn = lull_ir3_host()->rows[row - lull_ir3_alu_rows];
    if (fn == NULL) {
        return false;
    }
    if (!row->mode) {
        return fn(x, d) == 0;
    }
    const uint32_t saved = lull_fp_host_begin(x->mode);
    const int32_t bad = fn(x, d);
    lull_fp_host_end(saved);
    return bad == 0; // What it is, fp.h knows.
}
