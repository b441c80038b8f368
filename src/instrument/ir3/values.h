// SPDX-License-Identifier: MIT
/** @file
 * The values that an instruction of ir3 reads and writes, one by one, as records have them.
 */
#ifndef LULL_INSTRUMENT_IR3_VALUES_H
#define LULL_INSTRUMENT_IR3_VALUES_H

#include "instrument/ir3/flow.h"

/** Kinds of values, as bits. */
enum lull_ir3_values_kind {
    LULL_IR3_VALUES_GPR = 1, ///< Registers of a fiber, full and half.
    LULL_IR3_VALUES_SHARED = 2,
    LULL_IR3_VALUES_CONST = 4,
    LULL_IR3_VALUES_PRED = 8,
    LULL_IR3_VALUES_ADDR = 16, ///< a0.x and a1.x, where they are written.
    LULL_IR3_VALUES_ALL = 31,
};

enum { LULL_IR3_VALUES = 64, LULL_IR3_VALUE_NAME = 40 };

struct lull_ir3_value {
    enum lull_ir3_values_kind kind;
    bool half;
    unsigned pred;                  ///< PRED: its component.
    char name[LULL_IR3_VALUE_NAME]; ///< "hr2.w", "c<a0.x + 4>".
    char from[LULL_IR3_VALUE_NAME]; ///< The operand of a mov that has it; of ADDR another one's.
};

/** Values of the kinds @p kinds that @p s writes (@p dst) or reads. @return How many. */
unsigned lull_ir3_values_of(const struct lull_ir3_step *s, unsigned kinds, bool dst,
                            struct lull_ir3_value ret[LULL_IR3_VALUES]);

#endif
