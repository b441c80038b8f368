// SPDX-License-Identifier: MIT
/** @file
 * Exceptions of the ALU: which instruction raised them, and which lanes show it.
 *
 * A GPU tells that a wave raised an exception, not where. It stops behind the instruction, and what
 * that left in its destination is looked at: an infinity, a NaN, a number below the normal ones.
 */
#ifndef LULL_DEBUG_RDNA_RAISED_H
#define LULL_DEBUG_RDNA_RAISED_H

#include "target/target.h"

/**
 * Active lanes in which what the instruction at @p va left shows one of @p excp (enum
 * lull_exception); 0: none does, or it is not known.
 *
 * Division by zero: infinite; overflow: infinite or the largest; invalid: NaN; underflow: below the
 * smallest normal number. Not lanes whose operands, as far as they were not overwritten, have it
 * already. Denormal operand: an operand that is still there. Inexact: no lane.
 */
struct lull_error *lull_raised_lanes(struct lull_target *t, const struct lull_wave_info *wave,
                                     uint64_t va, uint32_t excp, uint64_t *ret) LULL_MUST_USE;

#endif
