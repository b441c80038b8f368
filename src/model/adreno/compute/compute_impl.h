// SPDX-License-Identifier: MIT
/** @file
 * Inside of compute.h.
 *
 *   compute.c      a dispatch from registers to its end
 *   compute_turn.c groups under way, and which of them goes on
 *   compute_past.c all of it saved and put back
 *
 * One group is under way at a time. With an order (model/order.h) there are more, as a wave may
 * wait for one of another group: the first that can goes on, which gives the same where nothing
 * waits, and one more begins when none can.
 */
#ifndef LULL_MODEL_ADRENO_COMPUTE_COMPUTE_IMPL_H
#define LULL_MODEL_ADRENO_COMPUTE_COMPUTE_IMPL_H

#include "model/adreno/compute/compute.h"

enum { LULL_ACOMPUTE_OPEN = 32 }; ///< Groups under way.

/** A group under way. */
struct lull_acompute_open {
    struct lull_ir3_group group;
    uint8_t *local; ///< Its shared memory; owned.
    unsigned place; ///< No two have the same.
    bool clean;     ///< Shared memory is as it was before the first group.
};

struct lull_acompute {
    struct lull_acompute_source source;
    struct lull_ir3_program program;
    struct lull_arch_ir3_insn *insns; ///< The same for observers; owned.
    struct lull_ir3_dispatch dispatch;
    struct lull_ir3_env env;
    uint32_t groups[3];
    uint64_t next, total; ///< Groups.
    uint64_t time;        ///< Instructions so far.
    uint64_t number;      ///< Of all dispatches and draws.
    /** Those under way, in the order in which they began, and behind them memory for others. */
    struct lull_acompute_open open[LULL_ACOMPUTE_OPEN];
    unsigned nopen, most; ///< most: there may be so many.
    unsigned at;          ///< Of open: whose wave ran last.
    uint32_t left;        ///< With an order: instructions until another may have its turn.
    bool preamble_done;
    bool stores;              ///< The program may write shared memory.
    unsigned written;         ///< Registers that it may write, the first so many.
    bool watched;             ///< Somebody may have written what no instruction does.
    char fault[96], told[96]; ///< Who made the first that is not told; the last that was.
};

/** The group under way that waves of now are of; NULL: none is. */
static inline struct lull_acompute_open *lull_acompute_now(struct lull_acompute *c)
{
    return c->nopen != 0 ? &c->open[c->at] : NULL;
}

/* compute_turn.c */

/** Group @p i of those under way has its turn. */
void lull_acompute_focus(struct lull_acompute *c, unsigned i);
/** If a wave ever can, one of the group that has its turn can go on: the next group begins, or what
 * makes a wave wait is dropped. */
struct lull_error *lull_acompute_ready(struct lull_acompute *c) LULL_MUST_USE;
/** The group that had its turn has executed @p n instructions. */
void lull_acompute_ran(struct lull_acompute *c, uint64_t n);
/** Somebody may write what no instruction does. */
void lull_acompute_note_watched(struct lull_acompute *c);
/** Observers: waves of @p g start; or those that have not ended never will. */
void lull_acompute_tell(struct lull_acompute *c, const struct lull_acompute_open *g, bool starts);

#endif
