// SPDX-License-Identifier: MIT
/** @file
 * Watching the model GPU: checks, trace writers, coverage.
 *
 * Checks are observers, never `if`s inside the interpreter. With no observer
 * the model pays one test of a NULL pointer per instruction.
 */
#ifndef LULL_MODEL_OBSERVER_H
#define LULL_MODEL_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

struct lull_rdna_insn;
struct lull_wave;

/** Any call may be NULL. */
struct lull_observer {
    /** Called in front of each instruction. */
    void (*before)(struct lull_observer *o, const struct lull_wave *w,
                   const struct lull_rdna_insn *in);
    /** @p address GPU virtual address; @p size bytes, 1 to 16; @p store 0 or 1. */
    void (*access)(struct lull_observer *o, const struct lull_wave *w, unsigned lane,
                   uint64_t address, size_t size, int store);
    struct lull_observer *next; ///< Called after this one, in order of attachment.
};

#endif
