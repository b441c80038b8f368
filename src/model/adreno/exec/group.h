// SPDX-License-Identifier: MIT
/** @file
 * A workgroup of ir3: its waves from their first registers to their end.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_GROUP_H
#define LULL_MODEL_ADRENO_EXEC_GROUP_H

#include "model/adreno/exec/wave.h"

struct lull_order;

enum { LULL_IR3_NO_REGID = 0xfc }; ///< r63.x.

/** What registers say of all groups of a dispatch. */
struct lull_ir3_dispatch {
    uint32_t local[3];  ///< Invocations of a group.
    unsigned fibers;    ///< Of a wave: 64 or 128.
    uint8_t local_reg;  ///< LOCALIDREGID; LULL_IR3_NO_REGID: none. x, y, z from there on.
    uint8_t linear_reg; ///< LINEARLOCALIDREGID.
    uint8_t group_reg;  ///< WGIDCONSTID: a shared register, or none.
    uint64_t seed;      ///< Order of waves; 0: one after the other.
    unsigned written;   ///< Registers that waves may have written, the first so many.
    unsigned place;     ///< Of the group among those under way.
    struct lull_ir3_assumptions assume;
};

/** The waves of a group. Owns them. */
struct lull_ir3_group {
    struct lull_ir3_wave *waves;
    unsigned n;
    uint32_t id[3];
    uint64_t turns;  ///< Choices that were made.
    unsigned wave;   ///< Whose turn it is,
    unsigned left;   ///< and for how many instructions.
    uint64_t number; ///< Of all groups of the GPU; the caller's.
    /** Who waits for whom, model/order.h, and what the dispatch is called there; NULL: nobody. The
     * caller's. */
    struct lull_order *order;
    uint64_t dispatch;
};

/** Group @p id at its first instruction. @p ret: all zero, or a group of the same dispatch that has
 * ended, whose memory it takes. */
struct lull_error *lull_ir3_group_new(const struct lull_ir3_dispatch *d, const uint32_t id[3],
                                      struct lull_ir3_group *ret) LULL_MUST_USE;
void lull_ir3_group_done(struct lull_ir3_group *g);

/** Can one of its waves go on, at once or because all have come to the barrier? */
bool lull_ir3_group_can(const struct lull_ir3_group *g);
/** The first wave that would run if no order made it wait, which it does; NULL: none. */
const struct lull_ir3_wave *lull_ir3_group_waits(const struct lull_ir3_group *g);
/** What makes @p w of @p g, which lull_ir3_group_waits() gave, wait is dropped. */
void lull_ir3_group_drop(const struct lull_ir3_group *g, const struct lull_ir3_wave *w);
/** @p w of @p g has executed what is behind its @p before first instructions. */
void lull_ir3_group_ran(const struct lull_ir3_group *g, const struct lull_ir3_wave *w,
                        uint64_t before);

/** If all that have not ended are at the barrier, they go on. @return They were. */
bool lull_ir3_group_released(struct lull_ir3_group *g);

/** The wave whose turn it is, for one instruction; NULL: none can run. Who goes when does not
 * depend on when the caller takes a rest. */
struct lull_ir3_wave *lull_ir3_group_turn(struct lull_ir3_group *g, uint64_t seed);

/**
 * Execute up to @p most instructions of waves; a wave whose program has code (engine.h) to the end
 * of what has begun, also if that is more than @p most or more than its turn.
 *
 * @return How many; less than @p most: all waves have ended, or one has faulted.
 */
uint64_t lull_ir3_group_run(struct lull_ir3_group *g, struct lull_ir3_env *env, uint64_t seed,
                            uint64_t most);

/** The wave that cannot go on; NULL: none. */
const struct lull_ir3_wave *lull_ir3_group_fault(const struct lull_ir3_group *g);
bool lull_ir3_group_ended(const struct lull_ir3_group *g);

#endif
