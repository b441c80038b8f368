// SPDX-License-Identifier: MIT
/** @file
 * Instructions of a region that are one operation together.
 */
#ifndef LULL_JIT_FUSE_H
#define LULL_JIT_FUSE_H

#include "jit/region.h"

/**
 * A number that is shifted to the right, and or-ed with itself shifted to the left by the rest of
 * 32, is rotated: v_lshrrev_b32 and v_lshl_or_b32 become v_alignbit_b32, and the first is left out
 * where the second has its result's register.
 */
void lull_jit_fuse(const struct lull_jit_target *t, struct lull_jit_item *items, unsigned n);

#endif
