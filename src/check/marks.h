// SPDX-License-Identifier: MIT
/** @file
 * Marks on the registers of a wave that move with the values: who looks for something makes them,
 * each with a number of its own that says where, and finds what the program does with them.
 */
#ifndef LULL_CHECK_MARKS_H
#define LULL_CHECK_MARKS_H

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
    /** @{ Numbers that the marks were made with, by register. */
    uint32_t v_from[LULL_MARKS_VGPRS], s_from[LULL_MARKS_SGPRS], scc_from, *scratch_from;
    /** @} */
    uint32_t used; ///< Of what lull_marks_branch() or lull_marks_access() has found.
};

/** What is done with a mark by an access to memory. */
enum lull_marks_use { LULL_MARKS_NOTHING, LULL_MARKS_ADDRESS, LULL_MARKS_DATA };

/** Nothing is marked any more. */
void lull_marks_forget(struct lull_marks *m);
/** Free what it holds. */
void lull_marks_done(struct lull_marks *m);

/** Lanes @p lanes of vector register @p reg get a mark. */
void lull_marks_make(struct lull_marks *m, unsigned reg, uint64_t lanes, uint32_t from);
/** Scalar register @p reg gets one. */
void lull_marks_make_scalar(struct lull_marks *m, unsigned reg, uint32_t from);

/** Is anything marked? */
bool lull_marks_left(const struct lull_marks *m);

/** Is it for lull_marks_access(), and not for lull_marks_move()? */
bool lull_marks_is_access(const struct lull_rdna_insn *in);

/** Lanes of register @p reg of any kind, as a source that is a number or a mask. */
uint64_t lull_marks_of(const struct lull_marks *m, unsigned reg, unsigned lanes);

/** The instruction at hand, which does not access memory, moves marks; nothing was executed yet. */
void lull_marks_move(struct lull_marks *m, const struct lull_observed *at,
                     const struct lull_rdna_insn *in);

/** Does it branch by a mark, or put one into EXEC? */
bool lull_marks_branch(struct lull_marks *m, const struct lull_observed *at,
                       const struct lull_rdna_insn *in);

/** An access to memory. Scratch memory keeps marks; what comes from elsewhere has none.
 * @p lanes: those in which an address or what is stored is marked. */
enum lull_marks_use lull_marks_access(struct lull_marks *m, const struct lull_observed *at,
                                      const struct lull_rdna_insn *in, const struct lull_touch *t,
                                      uint64_t *lanes);

/** Lanes in which an export, the instruction at hand, gives away what is marked. */
uint64_t lull_marks_exported(struct lull_marks *m, const struct lull_observed *at,
                             const struct lull_rdna_insn *in);

#endif
