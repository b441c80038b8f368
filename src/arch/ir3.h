// SPDX-License-Identifier: MIT
/** @file
 * What the opaque instructions of lull_arch_ir3 are, for code that knows ir3.
 */
#ifndef LULL_ARCH_IR3_H
#define LULL_ARCH_IR3_H

#include "arch/arch.h"
#include "isa/ir3/decode.h"

struct lull_arch_ir3_insn {
    struct lull_ir3_insn in;
    uint64_t word;
    unsigned gen; ///< 630, 740.
};

/** @{ Numbers of registers: full ones from 0 on, and the first of the others. */
enum {
    LULL_ARCH_IR3_GPRS = 61 * 4, ///< r61 is a0, r62 is p0.
    LULL_ARCH_IR3_ADDRESS = LULL_ARCH_IR3_GPRS,
    LULL_ARCH_IR3_PREDICATE = LULL_ARCH_IR3_ADDRESS + 4,
    LULL_ARCH_IR3_HALVES = 256,
    LULL_ARCH_IR3_CONSTANTS = 2 * LULL_ARCH_IR3_HALVES,
};
/** @} */

/** @{ Numbers of descriptors: those that are bindless have their base from bit 24 on, below it
 * their number; the others have these instead of the base. */
enum {
    LULL_ARCH_IR3_BASE_SHIFT = 24,
    LULL_ARCH_IR3_BASE_UBO = 8,
    LULL_ARCH_IR3_BASE_IBO,
    LULL_ARCH_IR3_BASE_TEXTURE,
};
/** @} */

static inline const struct lull_arch_ir3_insn *lull_arch_ir3_of(const struct lull_insn *in)
{
    return (const struct lull_arch_ir3_insn *)in;
}

/** Bytes of a value of @p type, enum lull_ir3_type, in memory. */
static inline unsigned lull_arch_ir3_type_bytes(unsigned type)
{
    switch (type) {
    case LULL_IR3_TYPE_F32:
    case LULL_IR3_TYPE_U32:
    case LULL_IR3_TYPE_S32:
        return 4;
    case LULL_IR3_TYPE_F16:
    case LULL_IR3_TYPE_U16:
    case LULL_IR3_TYPE_S16:
        return 2;
    default:
        return 1;
    }
}

#endif
