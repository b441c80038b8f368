// SPDX-License-Identifier: MIT
/** @file
 * Values of <lull/value.h>: converted and shown.
 */
#ifndef LULL_EXPR_VALUE_H
#define LULL_EXPR_VALUE_H

#include <stddef.h>

#include <lull/value.h>

#include "base/str.h"
#include "symbols/symbols.h"

enum { LULL_POINTER_BITS = 64 };

/** A type of the program. */
struct lull_ctype lull_ctype_of(const struct lull_symtype *t);
/** What a value occupies: 64 for pointers; 0 for void and what has parts. */
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
/** "u32", "f16", "i8*", "void*"; of the program "struct node *". */
void lull_ctype_show(struct lull_ctype t, struct lull_str *out);

/** Active lanes that are not 0. */
uint64_t lull_value_truth(const struct lull_value *v);
/** Bits of a value of type @p from as C converts it to @p to; a float that does not fit an integer
 * becomes the nearest that does, NaN 0, as GPUs convert. */
uint64_t lull_value_convert(struct lull_ctype from, uint64_t bits, struct lull_ctype to);

/** Bits of one value as /x /d /u /t show its bits, /f as a float of that size, /c its number and
 * the character, 0 as its type is. */
void lull_value_show_one(uint64_t v, struct lull_ctype t, char format, struct lull_str *out);
/** Active lanes of a value, equal ones and rows of numbers together: "0…31", "[0-3] 5 [4] 7". */
void lull_value_show_active(const struct lull_value *v, char format, struct lull_str *out);
/** The whole value: one line, or some lanes a line with inactive lanes in brackets. */
void lull_value_show(const struct lull_value *v, char format, unsigned lane, struct lull_str *out);

/** Bits of the half-precision float nearest to @p value, ties to even. */
uint16_t lull_half_of(double value);
double lull_half_value(uint16_t bits);

#endif
