// SPDX-License-Identifier: MIT
/** @file
 * Which fiber an instruction of ir3 reads that shuffles fibers. Inline: the model calls it for
 * each.
 *
 * Source: Mesa isa/ir3-cat5.xml (quad_shuffle), ir3-cat6.xml (shfl).
 */
#ifndef LULL_ISA_IR3_LANES_H
#define LULL_ISA_IR3_LANES_H

#include "isa/ir3/decode.h"

/** Of shfl and quad_shuffle: the fiber that fiber @p i takes its value from, of @p n, a power of
 * two; @p amount: its second source. */
static inline unsigned lull_ir3_partner(const struct lull_ir3_insn *in, unsigned i, uint32_t amount,
                                        unsigned n)
{
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_QUAD_SHUFFLE_BRCST:
        return (i & ~3u) | (amount & 3);
    case LULL_IR3_OP_QUAD_SHUFFLE_HORIZ:
        return i ^ 1;
    case LULL_IR3_OP_QUAD_SHUFFLE_VERT:
        return i ^ 2;
    case LULL_IR3_OP_QUAD_SHUFFLE_DIAG:
        return i ^ 3;
    default:
        break;
    }
    const unsigned by = amount & (n - 1);
    switch (in->m.mode) {
    case LULL_IR3_SHFL_XOR:
        return i ^ by;
    case LULL_IR3_SHFL_UP:
        return i >= by ? i - by : i;
    case LULL_IR3_SHFL_DOWN:
        return i + by < n ? i + by : i;
    case LULL_IR3_SHFL_RUP:
        return (i - by) & (n - 1);
    default:
        return (i + by) & (n - 1);
    }
}

#endif
