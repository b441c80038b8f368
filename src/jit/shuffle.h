// SPDX-License-Identifier: MIT
/** @file
 * Sources that lanes take from other lanes (DPP): they are made for all lanes before the strips of
 * a region, from a register that nothing in front of the instruction has written.
 */
#ifndef LULL_JIT_SHUFFLE_H
#define LULL_JIT_SHUFFLE_H

#include "jit/window.h"
#include "model/amd/exec/uop.h"

/** Whether source 0 of @p u is shuffled, and can be made so. */
bool lull_jit_is_shuffled(const struct lull_uop *u);
/** Whether all lanes write its result, that are on. */
bool lull_jit_all_write(const struct lull_rdna_insn *in);
/** A wave must have so many VGPRs that a strip of @p u can be done again. */
unsigned lull_jit_shuffle_nvgprs(const struct lull_uop *u);

/** Make the source of @p u for all lanes. Called by code. */
void lull_jit_make_shuffled(struct lull_wave *w, const struct lull_uop *u,
                            struct lull_jit_shuffled *to);
/** Code that does so, @p u being number @p n of the region. */
void lull_jit_emit_shuffle(struct lull_x86 *x, const struct lull_uop *u, struct lull_jit_area *area,
                           unsigned n);
/** This strip of source @p n, in a register of its own. */
unsigned lull_jit_load_shuffled(struct lull_jit_window *q, unsigned n);
/** The result in @p p in lanes that write it, in a register of its own, and in others what VGPR @p
 * vgpr was. */
unsigned lull_jit_merge_shuffled(struct lull_jit_window *q, unsigned n, unsigned p, uint32_t vgpr);

/** Execute @p u on lanes that EXEC has with the source that was made. */
void lull_jit_redo_shuffled(struct lull_wave *w, const struct lull_uop *u,
                            const struct lull_jit_shuffled *from);

#endif
