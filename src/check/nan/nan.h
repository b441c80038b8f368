// SPDX-License-Identifier: MIT
/** @file
 * NaNs that an instruction makes of operands that are none, and that the program then stores: nan.c
 * of gfx11, nan_ir3.c of ir3.
 *
 * A lane is marked where a float instruction gives a NaN and none of its operands is one; the mark
 * goes with the value as long as that is a NaN. So a NaN in the middle of a division that its last
 * step puts right is not told, nor one that a choice, a minimum or a comparison takes away, nor one
 * that comes from memory. Correct programs make NaNs on purpose: findings are warnings.
 *
 * Marks stay in vector registers and scratch memory; of ir3 they are those of check/shadow.
 */
#ifndef LULL_CHECK_NAN_NAN_H
#define LULL_CHECK_NAN_NAN_H

#include "check/checks.h"

extern const struct lull_check_module lull_check_nan, lull_check_nan_ir3;

/** The instruction at hand stores the NaN with the number @p from of lull_origin_add(), in lane
 * @p lane; 0: nothing is told. */
void lull_nan_tell(const struct lull_check_now *n, uint32_t from, unsigned lane);

#endif
