// SPDX-License-Identifier: MIT
/** @file
 * The same as assume.h of an Adreno: its model says behind an instruction which rows of
 * data/isa/ir3.assume its result rested on.
 */
#ifndef LULL_CHECK_ASSUME_ASSUME_IR3_H
#define LULL_CHECK_ASSUME_ASSUME_IR3_H

#include "check/assume/assume.h"

/** An observer; what it tells goes to @c checks. */
struct lull_assume_ir3 {
    struct lull_observer o; ///< First.
    struct lull_checks *checks;
    struct lull_assumed *sums;
};

/** @p checks and @p sums live as long as @p a. */
void lull_assume_ir3_init(struct lull_assume_ir3 *a, struct lull_checks *checks,
                          struct lull_assumed *sums);

#endif
