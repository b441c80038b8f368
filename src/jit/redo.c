// SPDX-License-Identifier: MIT
#include "jit/redo.h"

#include <string.h>

void lull_jit_redo(struct lull_wave *w, const struct lull_jit_region *r, unsigned strip)
{
    uint32_t saved[sizeof w->sgpr / sizeof w->sgpr[0]];
    memcpy(saved, w->sgpr, sizeof saved);
    const uint64_t exec = lull_wave_exec(w) & UINT64_C(0xff) << (8 * strip);
    w->sgpr[LULL_RDNA_EXEC] = (uint32_t)exec;
    w->sgpr[LULL_RDNA_EXEC + 1] = (uint32_t)(exec >> 32);
    const struct lull_uop *u = r->first;
    for (uint32_t i = 0; i < r->ninsns; i++) {
        const bool scalar = lull_sem[u->in->op].kind == LULL_SEM_SCALAR; // They were done before.
        if (!scalar && u->cls != LULL_UOP_SKIP) {
            u->fn(w, u);
        }
        u += u->ndwords;
    }
    for (unsigned k = 0; k < LULL_JIT_MASKS && k < r->nmasks; k++) {
        r->area->redone[k] = (uint8_t)(w->sgpr[r->masks[k] + strip / 4] >> (8 * (strip & 3)));
    }
    memcpy(w->sgpr, saved, sizeof saved);
}
