// SPDX-License-Identifier: MIT
/** @file
 * Loads outside of the range of a descriptor, of a wave: where each was, and how that is told.
 * What becomes of the values is followed by marks, which each instruction set has its own of.
 */
#ifndef LULL_CHECK_BOUNDS_OUTSIDE_LOAD_H
#define LULL_CHECK_BOUNDS_OUTSIDE_LOAD_H

#include "check/checks.h"

enum { LULL_OUTSIDE_LANES = 128, LULL_OUTSIDE_LOADS = 32 };

/** Such a load, as it was executed last. */
struct lull_outside_load {
    uint64_t pc, lanes[2], address[LULL_OUTSIDE_LANES], base, available;
    uint64_t ninsns; ///< Instructions in front of it.
    unsigned bytes, descriptor;
    bool scalar;
};

/** Zero: none. */
struct lull_outside_loads {
    unsigned n;
    struct lull_outside_load at[LULL_OUTSIDE_LOADS];
};

/** The entry of the load at @p pc, which is number 1 and up; 0: there are too many. */
uint32_t lull_outside_number(struct lull_outside_loads *all, uint64_t pc);

/** Is dword @p d of lane @p l of @p t, by its own count, beyond the range? One that begins in it is
 * not. */
bool lull_outside_beyond(const struct lull_touch *t, unsigned l, unsigned d);

/** Does every lane stay within the range? */
bool lull_outside_inside(const struct lull_touch *t);

/** The load at hand is number @p number; @p lanes of @p t, by its own count, are outside. */
void lull_outside_note(const struct lull_check_now *n, const struct lull_touch *t,
                       struct lull_outside_loads *all, uint32_t number, uint64_t lanes);

/** What load @p number gave is used at @p n's instruction by @p lanes; none: by the wave. */
void lull_outside_tell(const struct lull_check_now *n, const struct lull_outside_loads *all,
                       uint32_t number, const uint64_t lanes[2], const char *does);

#endif
