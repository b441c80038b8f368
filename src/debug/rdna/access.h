// SPDX-License-Identifier: MIT
/** @file
 * Where the lanes of a memory instruction go: addresses worked out from the wave's registers.
 */
#ifndef LULL_DEBUG_RDNA_ACCESS_H
#define LULL_DEBUG_RDNA_ACCESS_H

#include <stdbool.h>

#include "isa/rdna/rdna.h"
#include "target/target.h"

enum { LULL_ACCESS_LANES = 64 };

/** Where the lanes of one memory instruction go. */
struct lull_access {
    struct lull_target *target;
    const struct lull_wave_info *wave;
    struct lull_rdna_insn in;
    const char *name;               ///< Mnemonic.
    bool scalar;                    ///< One access of the whole wave.
    unsigned lanes;                 ///< 1 for scalar loads.
    uint64_t mask;                  ///< Lanes that have an address in memory.
    unsigned bytes;                 ///< Of one lane: of a texel where the instruction converts.
    unsigned ndata;                 ///< Dwords of the registers that one lane's data is in.
    int data;                       ///< Register that the data of a store begins in; -1: none.
    enum lull_reg_class data_class; ///< Of that register: VGPR or ARCH.
    bool reads, writes;
    uint64_t outside; ///< Lanes that the buffer's descriptor keeps out: they read 0, write nothing.
    uint64_t va[LULL_ACCESS_LANES];
};

/**
 * Addresses of all lanes of the instruction at @p va, for the registers as they are now.
 *
 * @param wave Borrowed by @p ret.
 * @param[out] ret_known False if it cannot be read, or has no addresses that can be told.
 */
struct lull_error *lull_access_find(struct lull_target *t, const struct lull_wave_info *wave,
                                    uint64_t va, struct lull_access *ret,
                                    bool *ret_known) LULL_MUST_USE;
/** The instruction at @p va; false if it cannot be read or is none. */
bool lull_access_insn(struct lull_target *t, uint64_t va, struct lull_rdna_insn *ret);
/** Bytes of one lane. */
unsigned lull_access_size(const struct lull_rdna_insn *in);
/** May the load at @p va have overwritten the registers that its address came from? */
bool lull_access_hides(struct lull_target *t, uint64_t va);

#endif
