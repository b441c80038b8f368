// SPDX-License-Identifier: MIT
/** @file
 * Which components of registers an instruction of ir3 reads and writes, and when.
 *
 * Source: data/isa/ir3.haz (how many components an operand has; docs/formats/ir3-haz.md).
 */
#ifndef LULL_ARCH_IR3_USES_H
#define LULL_ARCH_IR3_USES_H

#include "arch/ir3.h"
#include "isa/ir3/hazards.h"

enum {
    LULL_ARCH_IR3_FIRST_SHARED = 48 * 4,            ///< r48.x.
    LULL_ARCH_IR3_REGS = 56 * 4,                    ///< Full components, shared ones too.
    LULL_ARCH_IR3_SPECIAL = 2 * LULL_ARCH_IR3_REGS, ///< a0.x, a1.x, p0.x to .w.
    LULL_ARCH_IR3_PLACES = LULL_ARCH_IR3_SPECIAL + 6,
    LULL_ARCH_IR3_SPANS = 16,
    LULL_ARCH_IR3_ALIASES = 16,
    LULL_ARCH_IR3_IMPLIED = 255,
};

/** Components of registers that an instruction reads or writes. */
struct lull_arch_ir3_span {
    unsigned number; ///< As lull_arch_ir3 has it, of the first.
    unsigned count;
    bool half, relative; ///< relative: added to a0.x of each fiber.
    uint8_t operand;     ///< Of src or dst; LULL_ARCH_IR3_IMPLIED: none of them.
    unsigned at, step;   ///< Slots after the first until the first is read or written; to the next.
    uint32_t mask;       ///< Those that are meant.
};

/** What alias.tex says of the next texture instruction: registers, and what is read instead. */
struct lull_arch_ir3_aliases {
    unsigned n;
    struct lull_ir3_operand of[LULL_ARCH_IR3_ALIASES], by[LULL_ARCH_IR3_ALIASES];
};

struct lull_arch_ir3_uses {
    const struct lull_ir3_op_waits *row;
    bool alu, scalar; ///< Categories 1 to 3; the scalar ALU of a650 and later.
    bool writes_const;
    unsigned nread, nwritten;
    struct lull_arch_ir3_span read[LULL_ARCH_IR3_SPANS], written[LULL_ARCH_IR3_SPANS];
};

/** Of an instruction for GPU @p gen in a wave of @p lanes. @p aliases: may be NULL. */
void lull_arch_ir3_uses(const struct lull_ir3_insn *in, unsigned gen, unsigned lanes,
                        const struct lull_arch_ir3_aliases *aliases,
                        struct lull_arch_ir3_uses *ret);

/** To be called after each instruction: what alias.tex says until the texture instruction. */
void lull_arch_ir3_alias(struct lull_arch_ir3_aliases *a, const struct lull_ir3_insn *in);

/**
 * Half of a component is the unit in which registers overlap: the first one of component @p k of
 * @p span, full ones have two.
 *
 * @return LULL_ARCH_IR3_PLACES: it has none.
 */
unsigned lull_arch_ir3_place(const struct lull_arch_ir3_span *span, unsigned k);

#endif
