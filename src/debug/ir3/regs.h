// SPDX-License-Identifier: MIT
/** @file
 * Registers of an Adreno's waves by the names that a user writes: r1.x, hr2.y, c3.w, a0.x, p0.x,
 * pc.
 *
 * hr2.y is a half of r1.x: half component n is the lower (n even) or upper half of full component
 * n / 2. r48.x and above are shared: one value for all fibers.
 */
#ifndef LULL_DEBUG_IR3_REGS_H
#define LULL_DEBUG_IR3_REGS_H

#include "debug/rdna/regs.h"

/** As lull_reg_find(). */
struct lull_error *lull_ir3_reg_find(const char **at, struct lull_reg_name *ret) LULL_MUST_USE;

#endif
