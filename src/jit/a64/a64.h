// SPDX-License-Identifier: MIT
/** @file
 * Regions for aarch64, strips of four lanes, and units of them, as code that is called:
 *
 *     void code(struct lull_wave *, struct lull_jit_area *, const uint8_t *constants,
 *               struct lull_exec_exit *);
 *
 * A region alone looks at no exit. The caller has set FPCR by lull_a64_fpcr(), and the area says
 * what is called. engine.c does not know of it, so lull on such a host has no engine yet.
 *
 * With FZ the host flushes results that are tiny before they are rounded; x86 and the interpreter
 * round first. FPSR says that it has flushed one, and the strip is done again.
 */
#ifndef LULL_JIT_A64_A64_H
#define LULL_JIT_A64_A64_H

#include "jit/unit.h"

/** FPCR for @p mode of a wave. */
uint64_t lull_a64_fpcr(uint32_t mode);

/**
 * Code of a region between those that it begins and ends with; and all of it.
 *
 * @return instructions for which there was room and were enough registers, and that can be here;
 * all, or the code is of no use.
 */
uint32_t lull_a64_emit_strips(struct lull_x86 *x, struct lull_jit_pool *pool,
                              struct lull_jit_item *items, const struct lull_jit_region *r,
                              unsigned lanes);
/** What code begins and ends with, but for what it returns. */
void lull_a64_enter(struct lull_x86 *x);
void lull_a64_leave(struct lull_x86 *x);
uint32_t lull_a64_emit_region(struct lull_x86 *x, struct lull_jit_pool *pool,
                              struct lull_jit_item *items, const struct lull_jit_region *r,
                              unsigned lanes);

/** Whether @p u is a scalar instruction with a stencil that fits its operands; and that. X0 to T1
 * are lost. */
bool lull_a64_has_scalar(const struct lull_uop *u);
void lull_a64_emit_scalar(struct lull_x86 *x, const struct lull_uop *u);

/** Before the strips of a region with loads from LDS. */
void lull_a64_lds_begin(struct lull_x86 *x);
void lull_a64_emit_lds(struct lull_jit_window *q, const struct lull_jit_lds *l);

/** Blocks, calls of the interpreter's functions and jumps, as lull_jit_emit_unit() does. */
bool lull_a64_emit_unit(const struct lull_jit_maker *m, struct lull_jit_unit *unit);

/** T0 is the bits of a mask, this strip's the lowest; and register @p p the mask of bits in T0. */
void lull_a64_mask_bits(struct lull_x86 *x, struct lull_x86_mem bits);
void lull_a64_mask_vector(struct lull_x86 *x, unsigned p);

#endif
