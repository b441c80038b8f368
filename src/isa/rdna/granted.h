// SPDX-License-Identifier: MIT
/** @file
 * What no document says of instructions, and what is taken for granted: data/isa/rdna3.granted.
 */
#ifndef LULL_ISA_RDNA_GRANTED_H
#define LULL_ISA_RDNA_GRANTED_H

/** When it matters. */
enum lull_rdna_granted_when {
    LULL_RDNA_GRANTED_ALWAYS,
    LULL_RDNA_GRANTED_TWO_NANS,          ///< Two operands of a lane are NaNs, not the same.
    LULL_RDNA_GRANTED_ONE_PLACE,         ///< Atomics of two lanes meet at one address.
    LULL_RDNA_GRANTED_ONE_PLACE_RETURNS, ///< The same, if they give what was there before.
    LULL_RDNA_GRANTED_ONE_PLACE_STORES,  ///< Two lanes store different values to one address.
    LULL_RDNA_GRANTED_CLOCK,             ///< It reads a clock.
};

struct lull_rdna_granted {
    const char *name;
    enum lull_rdna_granted_when when;
    const char *patterns; ///< Of mnemonics, with blanks between; * is any text.
    const char *what, *why, *source;
};

extern const struct lull_rdna_granted lull_rdna_granted[];
extern const unsigned lull_rdna_ngranted;

#endif
