// SPDX-License-Identifier: MIT
// exp and lds_param_load: instructions of graphics waves only.
#include "model/amd/mem/mem.h"

enum lull_exec_result lull_gfx_export(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    if (w->host == NULL || w->host->export_lanes == NULL) {
        return LULL_EXEC_ILLEGAL;
    }
    return w->host->export_lanes(w, in) ? LULL_EXEC_NEXT : LULL_EXEC_MEMORY;
}

/** P0, P10 and P20 go to lanes 0, 1 and 2 of each quad. Source: RDNA3 ISA guide 12.2. */
enum lull_exec_result lull_gfx_param(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    if (w->host == NULL || w->host->param == NULL || !lull_vgprs_exist(w, in->dst, 1)) {
        return LULL_EXEC_ILLEGAL;
    }
    w->host->param(w, in->attr, in->attr_chan,
                   w->vgpr + (size_t)(in->dst - LULL_RDNA_VGPR0) * w->lanes);
    return LULL_EXEC_NEXT;
}
