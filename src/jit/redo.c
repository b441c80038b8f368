// SPDX-License-Identifier: MIT
#include "jit/redo.h"

#include <string.h>

#include "jit/shuffle.h"

/** Pair @p pair of SGPRs as it is between save @p n of it and the next; @p last: the pairs behind
 * all saves. */
static void behind(struct lull_wave *w, const struct lull_jit_region *r, unsigned n,
                   const uint32_t *last)
{
    const unsigned pair = r->saves[n].pair;
    unsigned k = n + 1;
    while (k < r->nsaves && r->saves[k].pair != pair) {
        k++;
    }
    const void *from = k < r->nsaves ? (const void *)&r->area->saved[k] : last + 2 * pair;
    memcpy(&w->sgpr[2 * pair], from, sizeof r->area->saved[0]);
}

void lull_jit_redo(struct lull_wave *w, const struct lull_jit_region *r, unsigned first)
{
    uint32_t saved[sizeof w->sgpr / sizeof w->sgpr[0]];
    memcpy(saved, w->sgpr, sizeof saved);
    const uint64_t mask = (UINT64_C(1) << r->target->lanes) - 1;
    const uint64_t exec = lull_wave_exec(w) & mask << first;
    w->sgpr[LULL_RDNA_EXEC] = (uint32_t)exec;
    w->sgpr[LULL_RDNA_EXEC + 1] = (uint32_t)(exec >> 32);
    for (unsigned k = r->nsaves; k-- != 0;) { // As they were at first.
        memcpy(&w->sgpr[2u * r->saves[k].pair], &r->area->saved[k], sizeof r->area->saved[0]);
    }
    const struct lull_uop *u = r->first;
    unsigned nsaves = 0, nshuffles = 0;
    for (uint32_t i = 0; i < r->ninsns; i++) {
        while (nsaves < r->nsaves && r->saves[nsaves].at == i) {
            behind(w, r, nsaves++, saved);
        }
        const bool scalar = lull_sem[u->in->op].kind == LULL_SEM_SCALAR; // They were done before.
        if (!scalar && lull_sem[u->in->op].kind == LULL_SEM_LANES && u->in->dpp != 0) {
            lull_jit_redo_shuffled(w, u, &r->area->shuffled[nshuffles++]);
        } else if (!scalar && u->cls != LULL_UOP_SKIP) {
            u->fn(w, u);
        }
        u += u->ndwords;
    }
    for (unsigned k = 0; k < LULL_JIT_MASKS && k < r->nmasks; k++) {
        r->area->redone[k] = (uint16_t)(w->sgpr[r->masks[k] + first / 32] >> first % 32 & mask);
    }
    memcpy(w->sgpr, saved, sizeof saved);
}
