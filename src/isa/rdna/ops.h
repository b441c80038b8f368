// SPDX-License-Identifier: MIT
/** @file
 * What is known of each RDNA instruction: the rows of data/isa/rdna3.isa.
 */
#ifndef LULL_ISA_RDNA_OPS_H
#define LULL_ISA_RDNA_OPS_H

#include <stdint.h>

#include "isa/rdna_ops.h"

#include "isa/rdna/rdna.h"

/** One row. Slots are enum lull_rdna_slot, types enum lull_rdna_type. */
struct lull_rdna_op_info {
    const char *name; ///< Base mnemonic: "v_add_f32", without _e32, _e64 or _dpp.
    uint32_t encs;    ///< Bit n: exists in encoding n (enum lull_rdna_enc).
    uint64_t flags;   ///< LULL_RDNA_F_*.
    uint8_t type[LULL_RDNA_NSLOTS]; ///< Type by slot; 0: no such operand.
    uint8_t order[6];               ///< Slots + 1 in the order of the text, ended by 0.
    uint16_t scalar;                ///< Bit n: slot n takes no VGPR, although others of its kind do.
    uint16_t vector;                ///< Bit n: slot n takes only a VGPR.
};

/** By enum lull_rdna_op. */
extern const struct lull_rdna_op_info lull_rdna_ops[LULL_RDNA_NOPS];

/** Registers that an operand of each enum lull_rdna_type takes; 0: depends, or none. */
extern const uint8_t lull_rdna_type_dwords[LULL_RDNA_NTYPES];

#endif
