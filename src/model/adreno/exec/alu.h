// SPDX-License-Identifier: MIT
/** @file
 * What ALU instructions of ir3 compute, over the fibers of a wave: made from data/isa/ir3.sem.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_ALU_H
#define LULL_MODEL_ADRENO_EXEC_ALU_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/ir3/decode.h"

/** Sources with their modifiers done, and the modifiers of the instruction. */
struct lull_ir3_alu_in {
    const uint32_t *a, *b, *c; ///< A value for each fiber; of 16 bits in the lower half.
    unsigned n;                ///< Fibers.
    uint32_t mode;             ///< MODE of model/fp/fp.h: rounding.
    uint32_t cond, round;
    uint32_t sat, ei, mixed, high; ///< 0 or 1.
    uint32_t fused;                ///< mad rounds once.
};

/** What (neg) and (abs) mean. */
enum lull_ir3_modifier {
    LULL_IR3_MOD_F, ///< The sign bit.
    LULL_IR3_MOD_S, ///< Two's complement.
    LULL_IR3_MOD_B, ///< (neg): all bits.
};

/** An instruction with sources of one type. */
struct lull_ir3_alu_row {
    uint16_t op;            ///< enum lull_ir3_op.
    uint8_t source, result; ///< enum lull_ir3_type.
    uint8_t modifier;       ///< enum lull_ir3_modifier.
    bool mode;              ///< MODE counts.
    void (*fn)(const struct lull_ir3_alu_in *x, uint32_t *d);
};

extern const struct lull_ir3_alu_row lull_ir3_alu_rows[];
extern const unsigned lull_ir3_nalu_rows;

/** Bits of a value of enum lull_ir3_type @p type in a register. */
static inline unsigned lull_ir3_type_bits(unsigned type)
{
    return type == LULL_IR3_TYPE_F32 || type == LULL_IR3_TYPE_U32 || type == LULL_IR3_TYPE_S32 ? 32
                                                                                               : 16;
}

/** The row of @p in; NULL: nobody says what it computes, or it is not of the ALU. */
const struct lull_ir3_alu_row *lull_ir3_alu_find(const struct lull_ir3_insn *in);

/** Does @p in, of @p row, move a float into an integer? */
bool lull_ir3_alu_to_int(const struct lull_ir3_insn *in, const struct lull_ir3_alu_row *row);

/**
 * What @p row computes of @p x, 32 fibers or a multiple of that, by the host's floating-point unit.
 *
 * @param d May be one of the sources.
 * @return false: that cannot say it (some rows, and NaNs), @p d is as it was.
 */
bool lull_ir3_alu_quick(const struct lull_ir3_alu_row *row, const struct lull_ir3_alu_in *x,
                        uint32_t *d);

#endif
