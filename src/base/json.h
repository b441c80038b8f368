// SPDX-License-Identifier: MIT
/** @file
 * JSON writer: objects and arrays into a string builder, commas and escapes taken care of.
 */
#ifndef LULL_BASE_JSON_H
#define LULL_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/** Set out, zero the rest. Nesting up to 32 levels. */
struct lull_json {
    struct lull_str *out;
    unsigned depth;
    uint32_t filled; ///< Bit n: level n has a member already.
    bool after_key;
};

void lull_json_open(struct lull_json *j, char bracket);  ///< '{' or '['.
void lull_json_close(struct lull_json *j, char bracket); ///< '}' or ']'.
void lull_json_key(struct lull_json *j, const char *key);
void lull_json_str(struct lull_json *j, const char *text); ///< What is not UTF-8 becomes U+FFFD.
/** @p size bytes, which may hold NULs; what is not UTF-8 becomes U+FFFD, byte by byte.
 * @return False if something did. */
bool lull_json_bytes(struct lull_json *j, const char *text, size_t size);
void lull_json_u64(struct lull_json *j, uint64_t v);
void lull_json_i64(struct lull_json *j, int64_t v);
void lull_json_float(struct lull_json *j,
                     float v); ///< Infinities and NaN, which JSON has not: null.
void lull_json_bool(struct lull_json *j, bool v);
void lull_json_null(struct lull_json *j);
/** As a string "0x...": numbers above 2^53 do not survive JSON readers. */
void lull_json_hex(struct lull_json *j, uint64_t v);

/** key and value at once. */
void lull_json_put_str(struct lull_json *j, const char *key, const char *text);
void lull_json_put_u64(struct lull_json *j, const char *key, uint64_t v);
void lull_json_put_hex(struct lull_json *j, const char *key, uint64_t v);
void lull_json_put_bool(struct lull_json *j, const char *key, bool v);

#endif
