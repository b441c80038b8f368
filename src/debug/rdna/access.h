// SPDX-License-Identifier: MIT
/** @file
 * Where the lanes of a memory instruction go: addresses worked out from the wave's registers.
 */
#ifndef LULL_DEBUG_ACCESS_H
#define LULL_DEBUG_ACCESS_H

#include "debug/session/debug.h"
#include "isa/rdna/rdna.h"

/** Where the lanes of one memory instruction go. */
struct lull_access {
    struct lull_debug *d;
    const struct lull_debug_wave *wave;
    struct lull_rdna_insn in;
    unsigned lanes; ///< 1 for scalar loads.
    uint64_t mask;  ///< Lanes that have an address in memory.
    unsigned bytes; ///< Of one lane: of a texel where the instruction converts.
    unsigned ndata; ///< Dwords of the registers that one lane's data is in.
    bool reads, writes;
    uint64_t outside; ///< Lanes that the buffer's descriptor keeps out: they read 0, write nothing.
    uint64_t va[LULL_MAX_LANES];
};

/**
 * Addresses of all lanes of @p a->in, for the registers as they are now. Set d, wave and in; zero
 * the rest.
 *
 * @param[out] ret_known False if the instruction has no addresses that can be told.
 */
struct lull_error *lull_access_find(struct lull_access *a, bool *ret_known) LULL_MUST_USE;

#endif
