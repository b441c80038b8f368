// SPDX-License-Identifier: MIT
/** @file
 * Between ir3.c (what rules there are), tell.c (findings) and rules.c (what is kept of registers).
 */
#ifndef LULL_CHECK_IR3_STATE_H
#define LULL_CHECK_IR3_STATE_H

#include "arch/ir3_uses.h"
#include "check/hazards.h"

enum { LULL_IR3H_CONSTS = 512 * 4 };

/** Who did something to a register; seq 0: nobody. */
struct lull_ir3h_mark {
    uint64_t lanes[2];
    uint64_t pc, word;
    uint32_t seq; ///< Which instruction of the wave it was.
};

/** Half of a component: the unit in which registers overlap. */
struct lull_ir3h_place {
    struct lull_ir3h_mark alu;      ///< The last write by the ALU,
    uint64_t cycle;                 ///< its slot,
    bool half;                      ///< its size.
    struct lull_ir3h_mark result;   ///< What comes later,
    enum lull_ir3_wait wait;        ///< and must be waited for so.
    bool scalar;                    ///< By the scalar ALU, which need not wait itself.
    struct lull_ir3h_mark late_ss;  ///< Who reads it late, until (ss);
    struct lull_ir3h_mark late_any; ///< until (ss) or (sy).
    bool late_scalar;               ///< late_ss is the scalar ALU.
};

/** What is kept of a wave. */
struct lull_ir3h_wave {
    struct lull_ir3h_place places[LULL_ARCH_IR3_PLACES];
    struct lull_ir3h_mark const_ss, const_sy; ///< Who wrote constants last, until (ss), (sy);
    uint64_t const_ss_set[LULL_IR3H_CONSTS / 64], const_sy_set[LULL_IR3H_CONSTS / 64]; ///< which.
    uint64_t cycle;             ///< Slots so far.
    uint32_t seq, ss_at, sy_at; ///< Instructions so far; before the last (ss), (sy).
    bool preamble;
    struct lull_arch_ir3_aliases aliases; ///< For the next texture instruction.
};

/** The instruction at hand. */
struct lull_ir3h_now {
    const struct lull_hazard_now *now;
    const struct lull_observed *at;
    struct lull_ir3h_wave *s;
    const struct lull_arch_ir3_insn *insn;
    const struct lull_ir3_insn *in;
    struct lull_arch_ir3_uses u;
};

/** rules.c: looks at the instruction, and remembers what later ones depend on. */
void lull_ir3h_rules(struct lull_ir3h_now *n);

/** tell.c: tell it. @p number of the register; @p missing "(ss)", or NULL: @p slots. */
void lull_ir3h_tell(const struct lull_ir3h_now *n, enum lull_hazard_kind kind, unsigned number,
                    const struct lull_ir3h_mark *cause, const char *missing, unsigned slots);

#endif
