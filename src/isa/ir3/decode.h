// SPDX-License-Identifier: MIT
/** @file
 * An instruction of ir3 as a plain struct: what it does, its operands, its numbers.
 *
 * Which bits are which operand is said by the rows dst, src, both, target and operand of
 * data/isa/ir3.spec, the numbers by its rows member; isa/ir3_insn.h is made from them.
 */
#ifndef LULL_ISA_IR3_DECODE_H
#define LULL_ISA_IR3_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "isa/ir3_insn.h"

enum { LULL_IR3_MAX_DST = 4, LULL_IR3_MAX_SRC = 6 };

struct lull_ir3_operand {
    uint8_t kind;  ///< enum lull_ir3_kind.
    bool half;     ///< 16 bits.
    bool neg, abs; ///< -|x|: both.
    bool r;        ///< (r): the next register at each repetition.
    bool last;     ///< (last): the value is not used again.
    bool inv;      ///< !: of a predicate.
    /** Registers and constants: 4 times the number, and 0 to 3 for x to w; relative ones: offset to
     * a0.x. Immediates: the number, of floats the bits; FLUT: index in the table of floats. */
    int32_t value;
};

struct lull_ir3_insn {
    enum lull_ir3_op op;
    uint8_t category; ///< 0 to 7.
    uint8_t ndst, nsrc;
    /** In the order of the text. An operand that is read and written is in both. */
    struct lull_ir3_operand dst[LULL_IR3_MAX_DST], src[LULL_IR3_MAX_SRC];
    bool branches;  ///< It has a target,
    int32_t target; ///< in instructions from this one.
    struct lull_ir3_members m;
};

/**
 * Decode a word for GPU @p gen (630 ...).
 *
 * @return False: no instruction of this generation; *ret is zero. A word whose unused bits are set,
 *         or with an operand of kind LULL_IR3_K_NONE, is decoded as far as it goes.
 */
bool lull_ir3_decode(uint64_t word, unsigned gen, struct lull_ir3_insn *ret);

/** The decoded instruction as an object of JSON; numbers that are 0 are left out. */
void lull_ir3_insn_json(const struct lull_ir3_insn *in, struct lull_json *j);

/* Made from the table. */

enum lull_ir3_member_type {
    LULL_IR3_MEMBER_BOOL,
    LULL_IR3_MEMBER_UINT8,
    LULL_IR3_MEMBER_INT32,
};

/** A number in struct lull_ir3_members, and the fields of words that it may come from. */
struct lull_ir3_member {
    const char *name;
    enum lull_ir3_member_type type;
    uint8_t nfields;
    const uint8_t *fields; ///< Names; the first that a word has.
    size_t offset;
};

extern const struct lull_ir3_member lull_ir3_member_table[];
extern const unsigned lull_ir3_nmembers;
extern const char *const lull_ir3_op_names[LULL_IR3_NOPS];     ///< By enum lull_ir3_op.
extern const char *const lull_ir3_kind_names[LULL_IR3_NKINDS]; ///< By enum lull_ir3_kind.
extern const uint16_t lull_ir3_op_of[];                        ///< By bitset.
extern const uint8_t lull_ir3_category_of[];                   ///< By bitset.

#endif
