// SPDX-License-Identifier: MIT
/** @file
 * Watching a model GPU: checks, trace writers, coverage. Nothing here is one vendor's.
 *
 * Checks are observers, never `if`s inside an engine: a wave that is watched has handlers of its
 * own, chosen when the observer comes, and one that is not pays nothing.
 */
#ifndef LULL_MODEL_OBSERVER_H
#define LULL_MODEL_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lull_arch;
struct lull_insn;

/** A wave and the instruction that it is about to execute, or executes. Valid during the call. */
struct lull_observed {
    const struct lull_arch *arch; ///< What it says of insn and of registers: arch/arch.h.
    const struct lull_insn *insn;
    uint64_t pc;
    uint64_t ninsns;   ///< Instructions that the wave has executed so far.
    const void *wave;  ///< Names the wave's place, which another has when this one has ended.
    const void *group; ///< The same of its workgroup.
    uint32_t workgroup[3];
    uint32_t lanes;
    uint64_t active;      ///< Lanes that are on.
    uint64_t active_high; ///< Lanes 64 and up.
    bool joins;           ///< Lanes that waited here go on together with those that come.
    uint32_t space;       ///< Its address space: VMID.
    uint32_t
        place; ///< Where on the GPU, as the vendor writes it: HW_ID1; ir3: number in its workgroup.
    bool handler;        ///< In a trap handler: not the program's instruction.
    uint64_t local_base; ///< Address of local memory (LDS), as access() tells it.
    uint32_t local_bytes;
    /** Register @p reg, a number of the arch, in @p lane. False: the wave does not have it. */
    bool (*read)(const struct lull_observed *at, unsigned reg, unsigned lane, uint32_t *ret);
};

/** Any call may be NULL. */
struct lull_observer {
    /** Called in front of each instruction. */
    void (*before)(struct lull_observer *o, const struct lull_observed *at);
    /** @p address GPU virtual address; @p size bytes, 1 to 16; @p store 0 or 1. */
    void (*access)(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                   uint64_t address, size_t size, int store);
    struct lull_observer *next; ///< Called after this one, in order of attachment.
};

#endif
