// SPDX-License-Identifier: MIT
/** @file
 * Values of C's types, one number or one number a lane, and how they are shown.
 */
#ifndef LULL_EXPR_VALUE_H
#define LULL_EXPR_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { LULL_VALUE_LANES = 64, LULL_POINTER_BITS = 64 };

enum lull_ctype_kind {
    LULL_CTYPE_UNSIGNED,
    LULL_CTYPE_SIGNED,
    LULL_CTYPE_FLOAT,
    LULL_CTYPE_VOID, ///< Of pointers only.
};

/** A scalar type, or a pointer to one, to a pointer to one ... */
struct lull_ctype {
    enum lull_ctype_kind kind;
    uint8_t bits;  ///< 8, 16, 32, 64; 0: void. Of what a pointer leads to in the end.
    uint8_t stars; ///< How many times it is a pointer.
    bool lds;      ///< An offset in LDS, or a pointer to something there.
};

/** What a value occupies: 64 for pointers. */
unsigned lull_ctype_bits(struct lull_ctype t);
static inline bool lull_ctype_is_float(struct lull_ctype t)
{
    return t.stars == 0 && t.kind == LULL_CTYPE_FLOAT;
}
/** An integer's value may be negative. */
static inline bool lull_ctype_is_signed(struct lull_ctype t)
{
    return t.stars == 0 && t.kind == LULL_CTYPE_SIGNED;
}
/** "u32", "f16", "i8*", "void*". */
void lull_ctype_show(struct lull_ctype t, struct lull_str *out);

/** A value: one number, or one number a lane. */
struct lull_value {
    struct lull_ctype type;
    unsigned lanes;  ///< 1, or the wave's 32 or 64.
    uint64_t active; ///< Lanes that are on in EXEC; 1 if lanes is 1.
    uint64_t valid;  ///< Lanes that have a value: what an inactive one would fault at is not read.
    uint64_t v[LULL_VALUE_LANES]; ///< As many bits as the type has; those above are 0.
};

/** Active lanes that are not 0. */
uint64_t lull_value_truth(const struct lull_value *v);
/** Bits of a value of type @p from as C converts it to @p to; a float that does not fit an integer
 * becomes the nearest that does, NaN 0, as GPUs convert. */
uint64_t lull_value_convert(struct lull_ctype from, uint64_t bits, struct lull_ctype to);

/** Bits of one value as /x /d /u /t show its bits, /f as a float of that size, /c its number and
 * the character, 0 as its type is. */
void lull_value_show_one(uint64_t v, struct lull_ctype t, char format, struct lull_str *out);
/** The whole value: one line, or some lanes a line with inactive lanes in brackets. */
void lull_value_show(const struct lull_value *v, char format, unsigned lane, struct lull_str *out);

/** Bits of the half-precision float nearest to @p value, ties to even. */
uint16_t lull_half_of(double value);
double lull_half_value(uint16_t bits);

#endif
