// SPDX-License-Identifier: MIT
/** @file
 * Loads outside of the range of a descriptor, which give 0, and what becomes of them.
 *
 * Compilers load more than the source does, and earlier: such a load is wrong only if its value is
 * used. So the lanes get marks (check/marks.h; of ir3 check/shadow), and told is what is stored,
 * branched on, or taken for an address.
 */
#ifndef LULL_CHECK_BOUNDS_OUTSIDE_H
#define LULL_CHECK_BOUNDS_OUTSIDE_H

#include "check/checks.h"

/** For struct lull_check_module: while there are marks it is called for each instruction. */
void lull_outside_before(const struct lull_check_now *n);
void lull_outside_drop(void *of_wave);

/** Any access. */
void lull_outside_memory(const struct lull_check_now *n, const struct lull_touch *t);

/** @{ The same of ir3; plan: a struct lull_shadow_plan. */
enum { LULL_OUTSIDE_IR3_BYTES = 1 << 17 }; ///< Of what it keeps of the run, at most.
bool lull_outside_ir3_plan(const struct lull_check_now *n, void *plan);
void lull_outside_ir3_starts(const struct lull_check_now *n);
void lull_outside_ir3_before(const struct lull_check_now *n);
void lull_outside_ir3_drop(void *of_wave);
void lull_outside_ir3_memory(const struct lull_check_now *n, const struct lull_touch *t);
/** @} */

#endif
