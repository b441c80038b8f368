// SPDX-License-Identifier: MIT
/** @file
 * What is known of each RDNA instruction: the rows of data/isa/rdna3.isa.
 */
#ifndef LULL_ISA_RDNA_OPS_H
#define LULL_ISA_RDNA_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/rdna_ops.h"

#include "isa/rdna/rdna.h"

/** One row. Slots are enum lull_rdna_slot, types enum lull_rdna_type. */
struct lull_rdna_op_info {
    const char *name;               ///< Base mnemonic: "v_add_f32", without _e32, _e64 or _dpp.
    uint32_t encs;                  ///< Bit n: exists in encoding n (enum lull_rdna_enc).
    uint64_t flags;                 ///< LULL_RDNA_F_*.
    uint8_t type[LULL_RDNA_NSLOTS]; ///< Type by slot; 0: no such operand.
    uint8_t order[6];               ///< Slots + 1 in the order of the text, ended by 0.
    uint16_t scalar;    ///< Bit n: slot n takes no VGPR, although others of its kind do.
    uint16_t vector;    ///< Bit n: slot n takes only a VGPR.
    uint16_t no_scalar; ///< Bit n: slot n takes a VGPR or a constant.
    // Modifier fields. Bit n: source n; bit 3: the destination.
    uint8_t mod;      ///< neg and abs work (bit 3 has no meaning).
    uint8_t neg_only; ///< neg works as sign extension, abs is ignored; in mod, too: with DPP only.
    uint8_t mod_ignored; ///< neg and abs are ignored; in no set: they must be 0.
    uint8_t op_sel;      ///< op_sel works.
    // From the rows of semantics. VCC and EXEC: as the instruction itself, not as an operand.
    uint16_t reads;  ///< LULL_RDNA_S_*: read before it is written.
    uint16_t writes; ///< LULL_RDNA_S_*.
};

/** By enum lull_rdna_op. */
extern const struct lull_rdna_op_info lull_rdna_ops[LULL_RDNA_NOPS];

/** Named bits of an immediate, in the order of the text. */
struct lull_rdna_part {
    const char *name;
    uint8_t lo, bits;
};

/** Row of @p in. */
static inline const struct lull_rdna_op_info *lull_rdna_info(const struct lull_rdna_insn *in)
{
    return &lull_rdna_ops[in->op];
}

/** True for types of 16 bits, which name half a VGPR. */
bool lull_rdna_type_is_16(unsigned type);

/** VGPRs that the data of image instruction @p in takes. */
unsigned lull_rdna_image_data_dwords(const struct lull_rdna_insn *in);

/** VGPRs that the addresses of image instruction @p in take. Source: rdna3 10.9. */
unsigned lull_rdna_image_addr_dwords(const struct lull_rdna_insn *in);

/** Coordinates of image instruction @p in by its dim, with slice and sample; 0: it has none. */
unsigned lull_rdna_image_coords(const struct lull_rdna_insn *in);
/** Gradients that dim has: two for each coordinate but slice and sample. */
unsigned lull_rdna_image_grads(const struct lull_rdna_insn *in);

/** Registers that an operand of each enum lull_rdna_type takes; 0: depends, or none. */
extern const uint8_t lull_rdna_type_dwords[LULL_RDNA_NTYPES];

#endif
