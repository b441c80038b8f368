// SPDX-License-Identifier: MIT
/** @file
 * Between shadow.c (registers), alu.c (what is computed), step.c (all else) and memory.c.
 */
#ifndef LULL_CHECK_SHADOW_SHADOW_PRIV_H
#define LULL_CHECK_SHADOW_SHADOW_PRIV_H

#include "check/shadow/shadow.h"
#include "model/adreno/exec/observed.h"

/** The instruction at hand. */
struct lull_shadow_now {
    struct lull_shadow *s;
    const struct lull_observed *at;
    const struct lull_ir3_wave *w;
    const struct lull_ir3_env *env;
    const struct lull_ir3_insn *in;
    uint64_t active[2];
    uint32_t from; ///< Of the first mark that it has read; 0: none.
};

/** Full component that register @p number, 4 times the register and 0 to 3, is or is a half of.
 * LULL_SHADOW_REGS: none. */
unsigned lull_shadow_reg(int32_t number, bool half);

/** The marks of @p reg are in s->r from now on. */
void lull_shadow_hold(struct lull_shadow *s, unsigned reg);

/** Marks of source @p o, @p step components further on, of all lanes into @p ret. @return Some. */
bool lull_shadow_source(struct lull_shadow_now *n, const struct lull_ir3_operand *o, unsigned step,
                        uint32_t ret[LULL_SHADOW_FIBERS]);

/** What @p o gets in lanes that are on: @p bits, NULL: none. */
void lull_shadow_result(struct lull_shadow_now *n, const struct lull_ir3_operand *o, unsigned step,
                        const uint32_t *bits);

/** Categories 1 to 4. */
void lull_shadow_alu(struct lull_shadow_now *n);

#endif
