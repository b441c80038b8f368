// SPDX-License-Identifier: MIT
/** @file
 * Values that depend on what nothing wrote: registers at the start of a wave, local memory at the
 * start of a workgroup, scratch memory.
 *
 * Each wave has a twin (twin.h) that executes the same instructions, in which all that nothing
 * wrote has other values. Whatever differs between the two depends on it, bit for bit, so there are
 * no rules for instructions: copies, packed bytes, masks and choices are right by themselves. Told
 * is where it matters: branches and lanes that are switched, addresses, and stores to memory that
 * others see. A store is told where byte 0 of a dword differs, and of a wide store where all its
 * dwords do: the padding of structures is copied by right programs.
 *
 * Of ir3 (uninit_ir3.c) there is no twin: what nothing wrote has the marks of check/shadow.
 *
 * Loads of memory that others see are taken as defined, and so are the results of images. A value
 * that happens to be the same in both, as of a comparison, is missed.
 */
#ifndef LULL_CHECK_UNINIT_UNINIT_H
#define LULL_CHECK_UNINIT_UNINIT_H

#include "check/checks.h"

extern const struct lull_check_module lull_check_uninit, lull_check_uninit_ir3;

/** Where what nothing wrote was: the kinds of lull_origin_add(). */
enum lull_uninit_where {
    LULL_WHERE_REGISTER,
    LULL_WHERE_LOCAL,
    LULL_WHERE_SCRATCH,
    LULL_WHERE_MEMORY,
    LULL_WHERE_LANE
};

/** How the program depends on it. */
enum lull_uninit_use { LULL_UNINIT_STORES, LULL_UNINIT_BRANCHES, LULL_UNINIT_ADDRESSES };

/** Lane @p lane of the instruction at @p pc, or the wave if @p whole, depends on what comes from
 * @p origin; 0: it is the instruction itself. */
void lull_uninit_tell(const struct lull_check_now *n, uint32_t origin, uint64_t pc,
                      enum lull_uninit_use use, unsigned lane, bool whole, const char *does);

/** At the instruction at hand, an origin that is there, or is made with @p does, which is taken. */
uint32_t lull_uninit_origin(const struct lull_check_now *n, enum lull_uninit_where where,
                            unsigned lane, char *does);

/** Text for local memory at byte @p place; NULL: no memory. */
char *lull_uninit_local_text(const struct lull_check_now *n, uint64_t place);

#endif
