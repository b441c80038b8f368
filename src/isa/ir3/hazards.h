// SPDX-License-Identifier: MIT
/** @file
 * What shaders of ir3 must wait for, as rows: data/isa/ir3.haz.
 */
#ifndef LULL_ISA_IR3_HAZARDS_H
#define LULL_ISA_IR3_HAZARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/ir3_insn.h"

enum lull_ir3_writer {
    LULL_IR3_BY_ALU,
    LULL_IR3_BY_ADDRESS, ///< What writes a0.x, a1.x or p0.
};

enum lull_ir3_reader {
    LULL_IR3_TO_ALU,    ///< Categories 1 to 3, of the size that was written.
    LULL_IR3_TO_OTHER,  ///< Of another size; other categories.
    LULL_IR3_TO_MEMORY, ///< Category 6.
};

/** Slots between a writer and a reader. */
struct lull_ir3_slots {
    enum lull_ir3_writer writer;
    enum lull_ir3_reader reader;
    uint16_t first_gen, last_gen, first_lanes, last_lanes;
    uint8_t slots;
};

/** Slots after which the third source is read. */
struct lull_ir3_late_read {
    bool all; ///< Of all of category 3; else of mad and madsh.
    uint16_t first_gen, last_gen, first_lanes, last_lanes;
    uint8_t slots;
};

enum lull_ir3_wait {
    LULL_IR3_WAIT_NONE,
    LULL_IR3_WAIT_SS,
    LULL_IR3_WAIT_SY,
    LULL_IR3_WAIT_SS_OR_SY,
};

/** How many components an operand has; docs/formats/ir3-haz.md. */
enum lull_ir3_count {
    LULL_IR3_COUNT_NONE,
    LULL_IR3_COUNT_FIXED,
    LULL_IR3_COUNT_SIZE,
    LULL_IR3_COUNT_MASK,
    LULL_IR3_COUNT_DIMS,
    LULL_IR3_COUNT_COORD,
    LULL_IR3_COUNT_DATA,
    LULL_IR3_COUNT_OLD,
    LULL_IR3_COUNT_AFTER,
    LULL_IR3_COUNT_CLUSTER,
    LULL_IR3_COUNT_CONST,
};

struct lull_ir3_components {
    enum lull_ir3_count count;
    uint8_t fixed;
    bool typed; ///< As wide as the type of the instruction.
};

/** Of one instruction. */
struct lull_ir3_op_waits {
    bool known;                 ///< Else it is one of the ALU.
    enum lull_ir3_wait result;  ///< NONE: slots.
    enum lull_ir3_wait sources; ///< What must stand before they are overwritten.
    struct lull_ir3_components written, read[4];
};

extern const struct lull_ir3_slots lull_ir3_slot_rows[];
extern const unsigned lull_ir3_nslot_rows;
extern const struct lull_ir3_late_read lull_ir3_late_rows[];
extern const unsigned lull_ir3_nlate_rows;
extern const struct lull_ir3_op_waits lull_ir3_op_waits[LULL_IR3_NOPS]; ///< By enum lull_ir3_op.

#endif
