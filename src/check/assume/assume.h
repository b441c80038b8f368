// SPDX-License-Identifier: MIT
/** @file
 * How far a run can be trusted: which of its instructions rest on what the model takes for granted
 * where no document says what hardware does (data/isa/rdna3.granted). Nothing that is told is wrong
 * with the program.
 */
#ifndef LULL_CHECK_ASSUME_ASSUME_H
#define LULL_CHECK_ASSUME_ASSUME_H

#include "check/checks.h"
#include "check/objects.h"

/** Kept beside the findings. Zero-initialise. */
struct lull_assumed {
    uint64_t executed; ///< Instructions of waves that were watched.
    uint64_t rest;     ///< Those of them that rest on something.
    uint32_t rows;     ///< Bit n: row n of the table was needed.
};

/** Configuration: struct lull_check_objects. */
extern const struct lull_check_module lull_check_assume;

/** Rows of the table of gfx1100. */
unsigned lull_assume_rows(void);

#endif
