// SPDX-License-Identifier: MIT
/** @file
 * Registers by the names that a user writes: s3, v[4:5], ttmp2, exec, scc.
 */
#ifndef LULL_DEBUG_RDNA_REGS_H
#define LULL_DEBUG_RDNA_REGS_H

#include <stdbool.h>

#include "target/target.h"

struct lull_reg_name {
    struct lull_wave_reg reg; ///< The first.
    bool vector;              ///< One value a lane.
    uint8_t count;            ///< Registers: 1, or 2 for a pair of 64 bits.
    uint8_t bit, nbits;       ///< A piece of a register ($scc); nbits 0: all of it.
    uint8_t bits;             ///< Of one register; 0: 32, or those of the pair.
};

/**
 * The register at *@p at (behind the '$'), which is moved behind it.
 *
 * @return LULL_ERR_INVALID with the name if there is none of it; then @p at is unchanged.
 */
struct lull_error *lull_reg_find(const char **at, struct lull_reg_name *ret) LULL_MUST_USE;
/** Registers of 32 bits that it is in a wave of so many lanes: EXEC and VCC are as wide as it. */
unsigned lull_reg_count(const struct lull_reg_name *r, unsigned lanes);
/** PC and FLAT_SCRATCH are one register of 64 bits. */
bool lull_reg_is_wide(struct lull_wave_reg reg);
/** Does a write to it change which lanes are on? */
bool lull_reg_is_exec(struct lull_wave_reg reg);
/** EXEC of a stopped wave. */
struct lull_error *lull_reg_read_exec(struct lull_target *t, const struct lull_wave_info *wave,
                                      uint64_t *ret) LULL_MUST_USE;
/** A register, or the pair that begins with it. */
struct lull_error *lull_reg_read(struct lull_target *t, lull_wave_key wave,
                                 struct lull_wave_reg reg, unsigned count,
                                 uint64_t *ret) LULL_MUST_USE;
struct lull_error *lull_reg_write(struct lull_target *t, lull_wave_key wave,
                                  struct lull_wave_reg reg, unsigned count,
                                  uint64_t value) LULL_MUST_USE;

/** Does the wave wait at a barrier for others? */
bool lull_reg_in_barrier(const struct lull_wave_info *wave);

#endif
