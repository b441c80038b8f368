// SPDX-License-Identifier: MIT
#include "file/msgpack.h"

#include <string.h>

// Big-endian, the order of the format; 0 when the cursor is bad.
static uint64_t take_be(struct lull_cur *c, size_t size)
{
    const uint8_t *p = lull_cur_take(c, size);
    uint64_t value = 0;
    for (size_t i = 0; p != NULL && i < size; i++) {
        value = value << 8 | p[i];
    }
    return value;
}

static void take_bytes(struct lull_cur *c, enum lull_msgpack_kind kind, uint64_t size,
                       struct lull_msgpack *ret)
{
    ret->kind = kind;
    ret->size = (size_t)size;
    ret->data = lull_cur_take(c, ret->size);
}

static void take_ext(struct lull_cur *c, uint64_t size, struct lull_msgpack *ret)
{
    ret->ext = (int8_t)lull_cur_u8(c);
    take_bytes(c, LULL_MSGPACK_EXT, size, ret);
}

static void take_items(struct lull_cur *c, enum lull_msgpack_kind kind, uint64_t count,
                       struct lull_msgpack *ret)
{
    ret->kind = kind;
    ret->size = (size_t)count;
    if (count > lull_cur_left(c) / (kind == LULL_MSGPACK_MAP ? 2 : 1)) {
        c->bad = true; // each item is a byte at least
    }
}

static void take_uint(uint64_t value, struct lull_msgpack *ret)
{
    ret->kind = LULL_MSGPACK_UINT;
    ret->u = value;
}

static void take_int(int64_t value, struct lull_msgpack *ret)
{
    ret->kind = value < 0 ? LULL_MSGPACK_INT : LULL_MSGPACK_UINT;
    ret->i = value;
    ret->u = (uint64_t)value;
}

static void take_float(struct lull_cur *c, size_t size, struct lull_msgpack *ret)
{
    uint64_t bits = take_be(c, size);
    uint32_t low = (uint32_t)bits;
    float single = 0;
    ret->kind = LULL_MSGPACK_FLOAT;
    ret->u = bits;
    ret->width = (unsigned)size;
    if (size == sizeof single) {
        memcpy(&single, &low, sizeof single);
        ret->f = (double)single;
    } else {
        memcpy(&ret->f, &bits, sizeof ret->f);
    }
}

static int64_t sign_extended(uint64_t value, size_t bytes)
{
    const unsigned shift = 64 - 8 * (unsigned)bytes;
    return (int64_t)(value << shift) >> shift;
}

// Heads 0xc0 to 0xdf. False for the one that is never used.
static bool take_tagged(struct lull_cur *c, uint8_t head, struct lull_msgpack *ret)
{
    size_t bytes = (size_t)1 << (head & 3); // of the four integers in a row
    switch (head) {
    case 0xc0:
        ret->kind = LULL_MSGPACK_NIL;
        return true;
    case 0xc1:
        return false;
    case 0xc2:
    case 0xc3:
        ret->kind = LULL_MSGPACK_BOOL;
        ret->u = head & 1;
        return true;
    case 0xc4:
    case 0xc5:
    case 0xc6:
        take_bytes(c, LULL_MSGPACK_BIN, take_be(c, bytes), ret);
        return true;
    case 0xc7:
    case 0xc8:
    case 0xc9:
        take_ext(c, take_be(c, (size_t)1 << (head - 0xc7)), ret);
        return true;
    case 0xca:
    case 0xcb:
        take_float(c, head == 0xca ? 4 : 8, ret);
        return true;
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        take_uint(take_be(c, bytes), ret);
        return true;
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        take_int(sign_extended(take_be(c, bytes), bytes), ret);
        return true;
    case 0xd9:
    case 0xda:
    case 0xdb:
        take_bytes(c, LULL_MSGPACK_STR, take_be(c, (size_t)1 << (head - 0xd9)), ret);
        return true;
    case 0xdc:
    case 0xdd:
        take_items(c, LULL_MSGPACK_ARRAY, take_be(c, head == 0xdc ? 2 : 4), ret);
        return true;
    case 0xde:
    case 0xdf:
        take_items(c, LULL_MSGPACK_MAP, take_be(c, head == 0xde ? 2 : 4), ret);
        return true;
    default: // 0xd4 to 0xd8
        take_ext(c, (uint64_t)1 << (head - 0xd4), ret);
        return true;
    }
}

int lull_msgpack_next(struct lull_cur *c, struct lull_msgpack *ret)
{
    const uint8_t *start = c->pos;
    struct lull_msgpack m = {0};
    uint8_t head = lull_cur_u8(c);
    bool known = true;
    if (head < 0x80) {
        take_uint(head, &m);
    } else if (head >= 0xe0) {
        take_int((int8_t)head, &m);
    } else if (head >= 0xc0) {
        known = take_tagged(c, head, &m);
    } else if (head >= 0xa0) {
        take_bytes(c, LULL_MSGPACK_STR, head & 31, &m);
    } else if (head >= 0x90) {
        take_items(c, LULL_MSGPACK_ARRAY, head & 15, &m);
    } else {
        take_items(c, LULL_MSGPACK_MAP, head & 15, &m);
    }
    if (c->bad || !known) {
        c->pos = start;
        return known ? LULL_MSGPACK_TRUNCATED : LULL_MSGPACK_RESERVED;
    }
    *ret = m;
    // Bytes of a string can exceed an int; all that matters then is that it is positive.
    size_t size = (size_t)(c->pos - start);
    return size > INT32_MAX ? INT32_MAX : (int)size;
}

static uint64_t items_of(const struct lull_msgpack *m)
{
    return m->kind == LULL_MSGPACK_ARRAY ? m->size
           : m->kind == LULL_MSGPACK_MAP ? 2 * (uint64_t)m->size
                                         : 0;
}

// Counts what is still to come instead of recursing: depth costs nothing.
static int skip_items(struct lull_cur *c, uint64_t pending)
{
    while (pending > 0) {
        struct lull_msgpack m = {0};
        int n = lull_msgpack_next(c, &m);
        if (n < 0) {
            return n;
        }
        pending += items_of(&m) - 1;
        if (pending > lull_cur_left(c)) {
            c->bad = true;
            return LULL_MSGPACK_TRUNCATED;
        }
    }
    return 0;
}

int lull_msgpack_skip(struct lull_cur *c)
{
    return skip_items(c, 1);
}

int lull_msgpack_skip_rest(struct lull_cur *c, const struct lull_msgpack *head)
{
    return skip_items(c, items_of(head));
}

bool lull_msgpack_is(const struct lull_msgpack *m, const char *text)
{
    size_t size = strlen(text);
    return m->kind == LULL_MSGPACK_STR && m->size == size && memcmp(m->data, text, size) == 0;
}
