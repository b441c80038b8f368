// SPDX-License-Identifier: MIT
/** @file
 * Numbers on the command line: types, values, series to fill a buffer with.
 */
#ifndef LULL_CLI_SERIES_H
#define LULL_CLI_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Type of a number: i8 u8 i16 u16 f16 i32 u32 f32 i64 u64 f64. */
struct lull_type {
    const char *name;
    uint8_t size; ///< Bytes.
    char kind;    ///< 'i', 'u', 'f'.
};

/** NULL if the name is not known, or NULL. */
const struct lull_type *lull_type_find(const char *name);

/** Little-endian bytes of the value @p text. */
struct lull_error *lull_type_parse(const struct lull_type *t, const char *text,
                                   uint8_t *bytes) LULL_MUST_USE;

/** A number of any of the floating-point types. */
double lull_type_float(const struct lull_type *t, const uint8_t *bytes);

/** @p bytes in decimal, with 9 or 17 digits; @p text has room for 32 bytes. */
void lull_type_print(const struct lull_type *t, const uint8_t *bytes, char text[32]);

/** The nearest f16, ties to even. */
uint16_t lull_type_half(double v);

/**
 * Elements 0, 1, 2 ...; or, with @p seed, random: all bits of an integer, [0, 1) of a
 * floating-point number.
 */
void lull_series_fill(const struct lull_type *t, const uint64_t *seed, uint64_t count,
                      uint8_t *bytes);

/** The part of *@p rest up to the next colon, which is cut off; NULL at the end. */
char *lull_next_part(char **rest);

#endif
