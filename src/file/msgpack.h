// SPDX-License-Identifier: MIT
/** @file
 * MessagePack: the encoding of AMD's code object metadata.
 *
 * A pull reader over a cursor: each call reads one object's head; the items of an array or a map
 * follow as objects of their own. Nothing is allocated and nothing recurses.
 */
#ifndef LULL_FILE_MSGPACK_H
#define LULL_FILE_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cur.h"

enum lull_msgpack_kind {
    LULL_MSGPACK_NIL,
    LULL_MSGPACK_BOOL,  ///< u is 0 or 1.
    LULL_MSGPACK_UINT,  ///< u; any integer that is not negative.
    LULL_MSGPACK_INT,   ///< i, negative.
    LULL_MSGPACK_FLOAT, ///< f; width, u.
    LULL_MSGPACK_STR,   ///< data, size; not terminated.
    LULL_MSGPACK_BIN,   ///< data, size.
    LULL_MSGPACK_EXT,   ///< data, size, ext.
    LULL_MSGPACK_ARRAY, ///< size objects follow.
    LULL_MSGPACK_MAP,   ///< size pairs follow: key, value.
};

struct lull_msgpack {
    enum lull_msgpack_kind kind;
    uint64_t u; ///< Of a FLOAT that was read, its bits: a signalling NaN is another one in f.
    int64_t i;
    double f;
    unsigned width;      ///< Bytes of a FLOAT that was read, 4 or 8; 0: only f counts.
    const uint8_t *data; ///< Inside the cursor's bytes.
    size_t size;         ///< Bytes of data, items of an array, pairs of a map.
    int8_t ext;          ///< Application type of EXT.
};

/** Why there is no object. */
enum lull_msgpack_fault {
    LULL_MSGPACK_TRUNCATED =
        -1, ///< The bytes end inside the object, or hold fewer items than it says.
    LULL_MSGPACK_RESERVED = -2, ///< Byte 0xc1, which the format never uses.
};

/**
 * Read one object's head.
 *
 * An array or map that claims more items than bytes are left is LULL_MSGPACK_TRUNCATED, so a
 * count may be used to allocate.
 *
 * @return Bytes read, greater than 0, or an enum lull_msgpack_fault.
 *
 * Source: MessagePack specification, "Formats".
 */
int lull_msgpack_next(struct lull_cur *c, struct lull_msgpack *ret);

/** Step over one object with everything in it. 0 or an enum lull_msgpack_fault. */
int lull_msgpack_skip(struct lull_cur *c);

/** Step over the items of @p head, which was just read; nothing for a scalar. */
int lull_msgpack_skip_rest(struct lull_cur *c, const struct lull_msgpack *head);

/** Is @p m the string @p text? */
bool lull_msgpack_is(const struct lull_msgpack *m, const char *text);

#endif
