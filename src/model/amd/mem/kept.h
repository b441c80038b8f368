// SPDX-License-Identifier: MIT
/** @file
 * Adds to memory that a thread keeps for a while, where several run waves: what its workgroups add
 * to the same words goes there at once, and the host's caches do not hand the words to and fro.
 *
 * Kept is only what nobody can know of: adds of dwords to buffers and to global memory, also by
 * FLAT, but none to scratch, which another wave has next. It is the last thing that a wave does but
 * end (lull_mem_last_handler()), and gives nothing back. So nothing of its own wave comes after it:
 * no store that another wave might wait for, no load that would have to be after it, no barrier.
 * What may come after the wave's end, and then has to find it in memory (s_endpgm waits for all
 * that the wave wrote: RDNA3 ISA guide, s_endpgm):
 * - waves of its group behind a barrier that does not wait for it any more: it is told before they
 *   go on;
 * - whatever comes after the dispatch, and any wave that looks at the words again and again: it is
 *   told when the thread ends its stretch of groups, which is before any of the stretch's groups
 *   count as ended, and after a bounded number of cycles.
 * Other waves are not ordered with it: it may be before or after whatever they do to the words,
 * and several of one thread may follow each other with nothing between them. Sums of integers are
 * the same in any order; nothing else is kept.
 */
#ifndef LULL_MODEL_AMD_KEPT_H
#define LULL_MODEL_AMD_KEPT_H

#include <stdint.h>

enum {
    LULL_KEPT_LINES = 64,
    LULL_KEPT_DWORDS = 16, ///< Of a line: as the host's caches have them.
};

/** What one thread keeps. All 0: nothing. */
struct lull_kept {
    uint64_t used; ///< Bit n: line n. The others' sums are 0.
    uint32_t *line[LULL_KEPT_LINES];
    uint32_t sum[LULL_KEPT_LINES][LULL_KEPT_DWORDS];
};

/** Add @p v to as many dwords @p n of the host's memory from @p to on, some time. */
void lull_kept_add(struct lull_kept *k, uint32_t *to, const uint32_t *v, unsigned n);

/** Add all that is kept to memory. */
void lull_kept_tell(struct lull_kept *k);

#endif
