// SPDX-License-Identifier: MIT
/** @file
 * Formats of printf in shaders: taken apart, compared with arguments, and filled in.
 *
 * One grammar for what C, OpenCL C and the Vulkan layer's debugPrintfEXT take:
 * `%[flags][width][.precision][vN][length]conversion`, `%%`, and the layer's `%ul`.
 * Source: C17 7.21.6.1; OpenCL C 3.0, 6.15.14 "printf"; GLSL_EXT_debug_printf;
 * docs/debug_printf.md of Vulkan-ValidationLayers.
 */
#ifndef LULL_PRINTF_FORMAT_H
#define LULL_PRINTF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/** What a value is in the shader. */
enum lull_printf_scalar {
    LULL_PRINTF_I1,
    LULL_PRINTF_I8,
    LULL_PRINTF_I16,
    LULL_PRINTF_I32,
    LULL_PRINTF_I64,
    LULL_PRINTF_HALF,
    LULL_PRINTF_BFLOAT,
    LULL_PRINTF_FLOAT,
    LULL_PRINTF_DOUBLE,
    LULL_PRINTF_POINTER, ///< 64 bits. Shorter pointers are extended with zeros by the lowering.
    LULL_PRINTF_STRING,  ///< A literal; the payload holds its id (64 bits, high 16 zero).
    LULL_PRINTF_NSCALARS,
};

/** Of I8 to I64. Unknown: the conversion decides. */
enum lull_printf_sign {
    LULL_PRINTF_SIGN_UNKNOWN,
    LULL_PRINTF_SIGNED,
    LULL_PRINTF_UNSIGNED,
};

/** Type of one argument of a call. */
struct lull_printf_type {
    enum lull_printf_scalar scalar;
    enum lull_printf_sign sign;
    uint32_t count; ///< Components: 1 for a scalar, up to LULL_PRINTF_MAX_DWORDS.
};

enum {
    LULL_PRINTF_MAX_DWORDS = 65535, ///< Of an entry, with its header: the size has 16 bits.
    LULL_PRINTF_MAX_WIDTH = 65535,  ///< Characters; of a precision, too.
    LULL_PRINTF_MAX_TEXT =
        1 << 22, ///< Bytes of one call's text; it stops at the conversion that exceeds it.
};

/** Dwords of one scalar in the payload: 1 or 2. */
unsigned lull_printf_scalar_dwords(enum lull_printf_scalar scalar);

/** Append the name of a type: i1, i8 (s8, u8 with sign), ..., f16, bf16, f32, f64, ptr, str; a
 * vector adds "x4". */
void lull_printf_type_name(struct lull_str *to, const struct lull_printf_type *type);

/** Read such a name. False: it is none. */
bool lull_printf_type_parse(const char *text, size_t size, struct lull_printf_type *ret);

enum lull_printf_length {
    LULL_PRINTF_NO_LENGTH,
    LULL_PRINTF_HH,
    LULL_PRINTF_H,
    LULL_PRINTF_HL, ///< OpenCL: 32-bit components of a vector.
    LULL_PRINTF_L,
    LULL_PRINTF_LL,
    LULL_PRINTF_J,
    LULL_PRINTF_Z,
    LULL_PRINTF_T,
    LULL_PRINTF_LONG_DOUBLE,
};

enum lull_printf_flag {
    LULL_PRINTF_MINUS = 1,
    LULL_PRINTF_PLUS = 2,
    LULL_PRINTF_SPACE = 4,
    LULL_PRINTF_HASH = 8,
    LULL_PRINTF_ZERO = 16,
};

/** One conversion of a format. */
struct lull_printf_conv {
    size_t offset;   ///< Of its '%', in bytes from the start of the format.
    size_t size;     ///< Bytes from '%' to the conversion's last letter.
    char conversion; ///< One of "diouxXfFeEgGaAcsp", or '%', which takes no argument.
    uint8_t flags;   ///< enum lull_printf_flag.
    int width;       ///< -1 if there is none.
    int precision;   ///< -1 if there is none.
    enum lull_printf_length length;
    unsigned vector; ///< 2, 3, 4, 8 or 16; 1 if it is none.
    bool ul;         ///< "%ul": a 64-bit value in hex; with a 32-bit value, C's %u and a letter l.
};

/** What is wrong with a format, or with a call. */
struct lull_printf_diag {
    bool error;        ///< Else a warning: what is printed may not be what was meant.
    size_t offset;     ///< In the format, bytes.
    char message[128]; ///< Words, no period.
};

/** The first ones found. Zero-initialise. */
struct lull_printf_diags {
    struct lull_printf_diag list[16];
    size_t count;  ///< In list.
    size_t errors; ///< All errors, also those that list has no room for.
};

/**
 * The next conversion at or behind byte *@p at.
 *
 * @param[in,out] at Start with 0; then where to go on.
 * @return 1; 0 at the end; -1 for a '%' that begins no conversion: @p ret then has offset and
 *         size (bytes to print as they are), and @p diag says why.
 */
int lull_printf_next(const char *format, size_t size, size_t *at, struct lull_printf_conv *ret,
                     struct lull_printf_diag *diag);

/**
 * Compare a format with the arguments of a call, as a compiler does.
 *
 * Errors: an empty format, a malformed conversion, fewer arguments than conversions, a vector for
 * a scalar conversion or the reverse, a %s without a literal or the reverse, a %p without a pointer
 * or the reverse (but %lx and the like only warn of a pointer). Warnings: more arguments, another
 * number of components, an integer for a float conversion or the reverse, 64 bits for 32 or the
 * reverse.
 *
 * @return No errors. @p ret has both, in the order of the format.
 */
bool lull_printf_check(const char *format, size_t size, const struct lull_printf_type *types,
                       size_t ntypes, struct lull_printf_diags *ret);

/** Only what is wrong with the format itself. */
bool lull_printf_check_format(const char *format, size_t size, struct lull_printf_diags *ret);

/** The values of one call. */
struct lull_printf_payload {
    const uint32_t *dwords;
    size_t ndwords;
    /** Types of the call's arguments, or NULL: then mask64 says how wide each scalar is. */
    const struct lull_printf_type *types;
    size_t ntypes;
    const uint64_t *mask64; ///< Bit j % 64 of word j / 64: scalar j has 64 bits. NULL: none has.
    size_t nmask;           ///< Words of mask64; scalars beyond them have 32 bits.
    /** Without types, as mask64: which scalars are signed integers of 8 and of 16 bits. */
    const uint64_t *signed8, *signed16;
    size_t nsigned8, nsigned16;
    /** The literal of an id, for %s; NULL, or returning NULL: not known. */
    const char *(*literal)(const void *arg, uint64_t id, size_t *ret_size);
    const void *literal_arg;
};

/**
 * Append the text of one call.
 *
 * A vector conversion takes zeros for components that are missing. A conversion without a value is
 * an error, and it and malformed ones are printed as they stand in the format. Values that are left
 * over are a warning.
 *
 * @return No errors. Memory: @p to says.
 */
bool lull_printf_text(const char *format, size_t size, const struct lull_printf_payload *payload,
                      struct lull_str *to, struct lull_printf_diags *ret);

#endif
