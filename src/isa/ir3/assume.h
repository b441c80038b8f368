// SPDX-License-Identifier: MIT
/** @file
 * What nobody says of ir3, and what is taken for granted instead: --assume.
 *
 * The switches, their values and why: data/isa/ir3.assume.
 */
#ifndef LULL_ISA_IR3_ASSUME_H
#define LULL_ISA_IR3_ASSUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "isa/ir3_assume.h"

enum { LULL_IR3_ASSUME_VALUES = 4 };

struct lull_ir3_assume_row {
    const char *name;
    const char *values[LULL_IR3_ASSUME_VALUES]; ///< The default first; NULL: no more.
    const char *decides, *why, *source;
};

extern const struct lull_ir3_assume_row lull_ir3_assume_rows[LULL_IR3_NASSUME];

/** What is assumed: which of the values. All zero: the defaults. Plain data. */
struct lull_ir3_assumptions {
    uint8_t choice[LULL_IR3_NASSUME];
};

static inline bool lull_ir3_assumes(const struct lull_ir3_assumptions *a, enum lull_ir3_assume what,
                                    unsigned value)
{
    return a->choice[what] == value;
}

/** "name=value". LULL_ERR_INVALID: there is no such; the message says which there are. */
struct lull_error *lull_ir3_assume_set(struct lull_ir3_assumptions *a,
                                       const char *text) LULL_MUST_USE;

/** The table as text, with what @p a chose. */
void lull_ir3_assume_list(const struct lull_ir3_assumptions *a, struct lull_str *out);

#endif
