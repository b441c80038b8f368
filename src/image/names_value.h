// SPDX-License-Identifier: MIT
/** @file
 * Values of JSON as names_line.c and names_submit.c read them: each says by its key what is wrong.
 */
#ifndef LULL_IMAGE_NAMES_VALUE_H
#define LULL_IMAGE_NAMES_VALUE_H

#include "image/names_priv.h"

/** @p key is not @p want. */
LULL_NEW_ERROR struct lull_error *lull_names_bad(const char *key, const char *want);

/** @{ Member @p key of @p o. */
struct lull_error *lull_names_text(const json_t *o, const char *key,
                                   const char **ret) LULL_MUST_USE;
struct lull_error *lull_names_handle_in(const json_t *o, const char *key,
                                        uint64_t *ret) LULL_MUST_USE;
struct lull_error *lull_names_u64(const json_t *o, const char *key, uint64_t *ret) LULL_MUST_USE;
struct lull_error *lull_names_u32(const json_t *o, const char *key, uint32_t *ret) LULL_MUST_USE;
/** A list of at most @p most. */
struct lull_error *lull_names_list_in(const json_t *o, const char *key, size_t most,
                                      const json_t **ret) LULL_MUST_USE;
struct lull_error *lull_names_three(const json_t *o, const char *key,
                                    uint32_t ret[3]) LULL_MUST_USE;
/** Hexadecimal digits, of at most @p room bytes. */
struct lull_error *lull_names_bytes(const json_t *o, const char *key, uint8_t *ret, size_t room,
                                    size_t *ret_size) LULL_MUST_USE;
/** @} */

/** @p v, from 0 to @p most. */
struct lull_error *lull_names_number(const json_t *v, const char *key, uint64_t most,
                                     uint64_t *ret) LULL_MUST_USE;

/** In the arena, zero. NULL: no memory. */
void *lull_names_make(struct lull_names *n, size_t count, size_t size);

#endif
