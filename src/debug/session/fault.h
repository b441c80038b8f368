// SPDX-License-Identifier: MIT
/** @file
 * Where memory instructions go, and memory violations: which lanes the page tables refused, and
 * by which entry.
 */
#ifndef LULL_DEBUG_SESSION_FAULT_H
#define LULL_DEBUG_SESSION_FAULT_H

#include "debug/rdna/access.h"
#include "debug/session/debug.h"

/** Why one lane's address was refused. */
struct lull_refusal {
    bool refused;
    const char *missing; ///< Name of the bit that is clear.
    struct lull_walk_step step;
};

/** The instruction whose addresses the page tables refuse. */
struct lull_debug_fault {
    struct lull_access a;
    uint64_t va;
    unsigned n; ///< Lanes refused; 0: none was found.
    struct lull_refusal refusals[LULL_MAX_LANES];
};

/** The newest instruction of @p wave up to where it stands that has a refused lane: hardware may
 * report it some instructions late. Zero @p ret, which is large: allocate it. */
struct lull_error *lull_debug_find_fault(struct lull_debug *d, const struct lull_debug_wave *wave,
                                         struct lull_debug_fault *ret) LULL_MUST_USE;
/** Lanes that a memory violation hit; 0 if that is not known, or no matter of lanes. */
uint64_t lull_debug_fault_lanes(struct lull_debug *d, const struct lull_debug_wave *wave);

/** Walk of one address; an error if the target cannot walk. */
struct lull_error *lull_debug_walk(struct lull_debug *d, uint64_t va,
                                   struct lull_walk *ret) LULL_MUST_USE;

/** Where the lanes of the instruction at @p va go, if @p ret_known. */
struct lull_error *lull_debug_access(struct lull_debug *d, const struct lull_debug_wave *wave,
                                     uint64_t va, struct lull_access *ret,
                                     bool *ret_known) LULL_MUST_USE;
/** Dword @p dword of what @p lane is about to store, or of what stands where it reads; zero @p ret
 * before. */
struct lull_error *lull_debug_access_data(struct lull_debug *d, const struct lull_access *a,
                                          unsigned lane, unsigned dword,
                                          uint64_t *ret) LULL_MUST_USE;

#endif
