// SPDX-License-Identifier: MIT
/** @file
 * Where the code of waves begins.
 */
#ifndef LULL_CHECK_CODES_H
#define LULL_CHECK_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise; lull_codes_done(). */
struct lull_codes {
    uint64_t *at; ///< Ascending. Owned.
    size_t n, room;
    uint64_t last; ///< Added last.
};

/** A wave's code begins at @p begin. False: no memory. */
bool lull_codes_add(struct lull_codes *c, uint64_t begin);

/** The nearest beginning in front of @p pc, or at it; 0: none. */
uint64_t lull_codes_of(const struct lull_codes *c, uint64_t pc);

void lull_codes_done(struct lull_codes *c);

#endif
