// SPDX-License-Identifier: MIT
/** @file
 * Masks of the lanes of a strip: what differs between strips of eight lanes, where a mask is a
 * vector, and of sixteen, where it is a k register.
 */
#ifndef LULL_JIT_MASKS_H
#define LULL_JIT_MASKS_H

#include "jit/window.h"

enum {
    // Strips of eight lanes.
    LULL_JIT_DOUBT = 14, ///< ymm14: lanes in doubt.
    LULL_JIT_EXEC = 15,  ///< ymm15: lanes that are on.
    // Of sixteen.
    LULL_JIT_GOOD = LULL_JIT_K + 6, ///< k6: lanes that are on and not in doubt.
    LULL_JIT_ON = LULL_JIT_K + 7,   ///< k7: lanes that are on.
};

/** Before all strips, and behind calls among them, where all lanes of all are on. */
void lull_jit_masks_full(struct lull_jit_window *q);
/** The register of lanes that are on, at the beginning of a strip. None is in doubt: what says
 * which are has nothing yet. */
void lull_jit_masks_begin(struct lull_jit_window *q);

/** Load register @p p: bits of the strip; all or none, by a dword. */
void lull_jit_mask_load(struct lull_jit_window *q, unsigned p, struct lull_x86_mem bits);
void lull_jit_mask_uniform(struct lull_jit_window *q, unsigned p, struct lull_x86_mem dword);
/** Its bits to eax. */
void lull_jit_mask_bits(struct lull_jit_window *q, unsigned p);
/** Lanes that are off leave it. */
void lull_jit_mask_on(struct lull_jit_window *q, unsigned p);

/** Lanes of mask @p p are in doubt. */
void lull_jit_in_doubt(struct lull_jit_window *q, unsigned p);
/** The same of lanes in which @p a or @p b is a NaN; @p temp is lost, where masks are vectors. */
void lull_jit_unordered(struct lull_jit_window *q, unsigned a, unsigned b, unsigned temp);
/** @return the jump of a strip with a lane that is on and in doubt. */
size_t lull_jit_doubt_jump(struct lull_jit_window *q);

/** @return the jump of strips in which no lane of mask @p p is set. */
size_t lull_jit_none_jump(struct lull_jit_window *q, unsigned p);

/** @p to is @p b in lanes of mask @p mask, and @p a in others. @p to is neither. */
void lull_jit_blend(struct lull_jit_window *q, unsigned to, unsigned a, unsigned b, unsigned mask);

/** Vector @p p to memory, in lanes that are on. At the end of a strip: lanes in doubt are lost. */
void lull_jit_store_on(struct lull_jit_window *q, unsigned p, struct lull_x86_mem to);

#endif
