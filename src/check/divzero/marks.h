// SPDX-License-Identifier: MIT
/** @file
 * Marks on the registers of a wave that move with the values: divzero.c makes and finds them.
 */
#ifndef LULL_CHECK_DIVZERO_MARKS_H
#define LULL_CHECK_DIVZERO_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/rdna/ops.h"
#include "isa/rdna/regs.h"
#include "model/observer.h"

enum { LULL_MARKS_VGPRS = 256, LULL_MARKS_SGPRS = 128, LULL_MARKS_SCRATCH = 16384 };

/** Zero: nothing is marked. */
struct lull_marks {
    bool any;                     ///< Something may be marked.
    uint64_t v[LULL_MARKS_VGPRS]; ///< Lanes.
    uint32_t s[LULL_MARKS_SGPRS]; ///< Bits: of masks lanes, of numbers all or none.
    bool scc;
    uint64_t *scratch; ///< Lanes of each dword, LULL_MARKS_SCRATCH of them; NULL: none yet.
};

/** Lanes of register @p reg of any kind, as a source that is a number or a mask. */
uint64_t lull_marks_of(const struct lull_marks *m, unsigned reg, unsigned lanes);

/** The instruction at hand, which does not access memory, moves marks; nothing was executed yet. */
void lull_marks_move(struct lull_marks *m, const struct lull_observed *at,
                     const struct lull_rdna_insn *in);

/** Does it branch by a mark, or put one into EXEC? */
bool lull_marks_branch(const struct lull_marks *m, const struct lull_observed *at,
                       const struct lull_rdna_insn *in);

#endif
