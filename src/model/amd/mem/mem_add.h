// SPDX-License-Identifier: MIT
/** @file
 * Adds of all lanes of a wave to dwords that stand one after the other: for the files that are
 * compiled once per kind of host.
 */
#ifndef LULL_MODEL_AMD_MEM_ADD_H
#define LULL_MODEL_AMD_MEM_ADD_H

#include "model/amd/mem/kept.h"
#include "model/amd/mem/mem_fast.h"

#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
__extension__ typedef unsigned __int128 lull_together;
#else
typedef uint64_t lull_together;
#endif

enum { LULL_TOGETHER = sizeof(lull_together) / sizeof(uint32_t) };

/** Dwords of @p row are added to as many at @p to, which is aligned to them all, in one step for
 * all threads. */
LULL_INLINE void lull_add_together(lull_together *to, const uint32_t *row)
{
    lull_together old = 0, found = 0;
    uint64_t part[sizeof(lull_together) / sizeof(uint64_t)];
    for (unsigned i = 0; i < sizeof part / sizeof part[0]; i++) {
        part[i] = __atomic_load_n((const uint64_t *)(const void *)to + i, __ATOMIC_RELAXED);
    }
    memcpy(&found, part, sizeof found); // The parts may be of different times: found out below.
    do {
        uint32_t sum[LULL_TOGETHER];
        lull_together new = 0;
        old = found;
        memcpy(sum, &old, sizeof sum);
        for (unsigned i = 0; i < LULL_TOGETHER; i++) {
            sum[i] += row[i];
        }
        memcpy(&new, sum, sizeof new);
        found = __sync_val_compare_and_swap(to, old, new);
    } while (found != old);
}

/** Each lane of the wave adds its dword of @p row to that at @p to, while other threads may use
 * them. The host changes several at once, which takes hardly longer than one. */
static inline void lull_add_shared(const struct lull_wave *w, uint32_t *to, const uint32_t *row)
{
    const bool aligned = (uintptr_t)to % sizeof(lull_together) == 0;
    for (unsigned l = 0; aligned && l < w->lanes; l += LULL_TOGETHER) {
        lull_add_together((lull_together *)(void *)&to[l], &row[l]);
    }
    for (unsigned l = 0; !aligned && l < w->lanes; l++) {
        __atomic_fetch_add(&to[l], row[l], __ATOMIC_SEQ_CST);
    }
}

/** Each lane adds its dword of @p row to that at @p to, aligned, and wants no result. @p kept: who
 * may keep them; NULL: nobody. */
LULL_INLINE void lull_run_add(const struct lull_wave *w, uint32_t *to, const uint32_t *row,
                              struct lull_kept *kept)
{
    if (kept != NULL) {
        lull_kept_add(kept, to, row, w->lanes);
    } else if (w->shared) {
        lull_add_shared(w, to, row);
    } else {
        for (unsigned l = 0; l < w->lanes; l++) {
            to[l] += row[l];
        }
    }
}

#endif
