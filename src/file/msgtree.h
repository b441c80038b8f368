// SPDX-License-Identifier: MIT
/** @file
 * A MessagePack document as a tree that can be searched and changed.
 */
#ifndef LULL_FILE_MSGTREE_H
#define LULL_FILE_MSGTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "file/msgpack.h"

/** An object. Strings and binary data lie in the bytes that were read. */
struct lull_msgtree {
    struct lull_msgpack m;      ///< Its size is kept up to date for arrays and maps.
    struct lull_msgtree *key;   ///< In a map.
    struct lull_msgtree *first; ///< Items of an array, values of a map.
    struct lull_msgtree *last;
    struct lull_msgtree *next; ///< In the same array or map.
    const struct lull_str
        *raw; ///< Written instead of all the above if not NULL: an encoded object.
};

enum { LULL_MSGTREE_DEPTH = 64 /**< Deeper documents are refused. */ };

/**
 * Read one object with everything in it. After an error *ret holds what came before it, or NULL.
 *
 * @param c Its bytes must outlive the tree.
 * @return LULL_ERR_BAD_DATA with the byte if it is malformed or too deep; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_msgtree_read(struct lull_arena *a, struct lull_cur *c,
                                     struct lull_msgtree **ret) LULL_MUST_USE;

/** Append the encoded tree. */
void lull_msgtree_write(const struct lull_msgtree *t, struct lull_str *to);

/** Value of string @p key in map @p t; NULL if there is none, or @p t is NULL or no map. */
struct lull_msgtree *lull_msgtree_get(const struct lull_msgtree *t, const char *key);

/** Value with the same key as @p key; NULL if there is none. */
struct lull_msgtree *lull_msgtree_same(const struct lull_msgtree *t,
                                       const struct lull_msgtree *key);

/** Are two scalars equal in kind and value? */
bool lull_msgtree_equal(const struct lull_msgpack *a, const struct lull_msgpack *b);

/** Put @p value into map @p t under @p key, before the first greater key: maps stay sorted. */
void lull_msgtree_insert(struct lull_msgtree *t, struct lull_msgtree *key,
                         struct lull_msgtree *value);

/** Append @p item to array @p t. */
void lull_msgtree_append(struct lull_msgtree *t, struct lull_msgtree *item);

/** Take @p key out of map @p t; nothing if it is not there. */
void lull_msgtree_remove(struct lull_msgtree *t, const char *key);

/** New objects; NULL if memory is short. @p text is not copied. */
struct lull_msgtree *lull_msgtree_text(struct lull_arena *a, const char *text);
struct lull_msgtree *lull_msgtree_uint(struct lull_arena *a, uint64_t value);

/** The value of @p key in map @p t as a number; made as 0 if it is not there, NULL if memory is
 * short. */
struct lull_msgtree *lull_msgtree_number(struct lull_arena *a, struct lull_msgtree *t,
                                         const char *key);

#endif
