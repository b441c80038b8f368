// SPDX-License-Identifier: MIT
#include "file/msgpack_write.h"

#include <math.h>
#include <string.h>

// A head byte, and size bytes of value after it, the greatest first.
static void put_head(struct lull_str *to, unsigned head, uint64_t value, size_t size)
{
    char bytes[9] = {(char)head};
    for (size_t i = 0; i < size; i++) {
        bytes[1 + i] = (char)(value >> 8 * (size - 1 - i));
    }
    lull_str_add(to, bytes, 1 + size);
}

// A count after one of three heads, for 1, 2 and 4 bytes; head8 is 0 if there is none.
static bool put_count(struct lull_str *to, unsigned head8, unsigned head16, size_t count)
{
    if (count > UINT32_MAX) {
        if (to->err == NULL) {
            to->err = lull_error_new(LULL_ERR_INVALID, "%zu is too many for MessagePack", count);
        }
        return false;
    }
    if (head8 != 0 && count <= UINT8_MAX) {
        put_head(to, head8, count, 1);
    } else if (count <= UINT16_MAX) {
        put_head(to, head16, count, 2);
    } else {
        put_head(to, head16 + 1, count, 4);
    }
    return true;
}

void lull_msgpack_put_nil(struct lull_str *to)
{
    put_head(to, 0xc0, 0, 0);
}

void lull_msgpack_put_bool(struct lull_str *to, bool value)
{
    put_head(to, value ? 0xc3 : 0xc2, 0, 0);
}

void lull_msgpack_put_uint(struct lull_str *to, uint64_t value)
{
    if (value < 0x80) {
        put_head(to, (unsigned)value, 0, 0);
    } else if (value <= UINT8_MAX) {
        put_head(to, 0xcc, value, 1);
    } else if (value <= UINT16_MAX) {
        put_head(to, 0xcd, value, 2);
    } else if (value <= UINT32_MAX) {
        put_head(to, 0xce, value, 4);
    } else {
        put_head(to, 0xcf, value, 8);
    }
}

void lull_msgpack_put_int(struct lull_str *to, int64_t value)
{
    if (value >= 0) {
        lull_msgpack_put_uint(to, (uint64_t)value);
    } else if (value >= -32) {
        put_head(to, (unsigned)value & 0xff, 0, 0);
    } else if (value >= INT8_MIN) {
        put_head(to, 0xd0, (uint64_t)value, 1);
    } else if (value >= INT16_MIN) {
        put_head(to, 0xd1, (uint64_t)value, 2);
    } else if (value >= INT32_MIN) {
        put_head(to, 0xd2, (uint64_t)value, 4);
    } else {
        put_head(to, 0xd3, (uint64_t)value, 8);
    }
}

void lull_msgpack_put_float(struct lull_str *to, double value)
{
    const float single = (float)value;
    uint64_t bits = 0;
    uint32_t low = 0;
    if (!isnan(value) && (double)single == value) {
        memcpy(&low, &single, sizeof low);
        put_head(to, 0xca, low, 4);
    } else {
        memcpy(&bits, &value, sizeof bits);
        put_head(to, 0xcb, bits, 8);
    }
}

void lull_msgpack_put_str(struct lull_str *to, const void *text, size_t size)
{
    if (size < 32) {
        put_head(to, 0xa0 | (unsigned)size, 0, 0);
    } else if (!put_count(to, 0xd9, 0xda, size)) {
        return;
    }
    lull_str_add(to, text, size);
}

void lull_msgpack_put_text(struct lull_str *to, const char *text)
{
    lull_msgpack_put_str(to, text, strlen(text));
}

void lull_msgpack_put_bin(struct lull_str *to, const void *data, size_t size)
{
    if (put_count(to, 0xc4, 0xc5, size)) {
        lull_str_add(to, data, size);
    }
}

void lull_msgpack_put_ext(struct lull_str *to, int8_t type, const void *data, size_t size)
{
    const bool fixed = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    if (fixed) {
        unsigned log = 0;
        while ((size_t)1 << log < size) {
            log++;
        }
        put_head(to, 0xd4 + log, 0, 0);
    } else if (!put_count(to, 0xc7, 0xc8, size)) {
        return;
    }
    lull_str_add(to, (const char *)&type, 1);
    lull_str_add(to, data, size);
}

void lull_msgpack_put_array(struct lull_str *to, size_t count)
{
    if (count < 16) {
        put_head(to, 0x90 | (unsigned)count, 0, 0);
    } else {
        put_count(to, 0, 0xdc, count);
    }
}

void lull_msgpack_put_map(struct lull_str *to, size_t count)
{
    if (count < 16) {
        put_head(to, 0x80 | (unsigned)count, 0, 0);
    } else {
        put_count(to, 0, 0xde, count);
    }
}

void lull_msgpack_put(struct lull_str *to, const struct lull_msgpack *m)
{
    switch (m->kind) {
    case LULL_MSGPACK_NIL:
        lull_msgpack_put_nil(to);
        break;
    case LULL_MSGPACK_BOOL:
        lull_msgpack_put_bool(to, m->u != 0);
        break;
    case LULL_MSGPACK_UINT:
        lull_msgpack_put_uint(to, m->u);
        break;
    case LULL_MSGPACK_INT:
        lull_msgpack_put_int(to, m->i);
        break;
    case LULL_MSGPACK_FLOAT:
        if (m->width == 0) {
            lull_msgpack_put_float(to, m->f);
        } else {
            put_head(to, m->width == 4 ? 0xca : 0xcb, m->u, m->width);
        }
        break;
    case LULL_MSGPACK_STR:
        lull_msgpack_put_str(to, m->data, m->size);
        break;
    case LULL_MSGPACK_BIN:
        lull_msgpack_put_bin(to, m->data, m->size);
        break;
    case LULL_MSGPACK_EXT:
        lull_msgpack_put_ext(to, m->ext, m->data, m->size);
        break;
    case LULL_MSGPACK_ARRAY:
        lull_msgpack_put_array(to, m->size);
        break;
    case LULL_MSGPACK_MAP:
        lull_msgpack_put_map(to, m->size);
        break;
    }
}

int lull_msgpack_copy(struct lull_cur *c, struct lull_str *to)
{
    uint64_t pending = 1;
    while (pending > 0) {
        struct lull_msgpack m = {0};
        const int n = lull_msgpack_next(c, &m);
        if (n < 0) {
            return n;
        }
        lull_msgpack_put(to, &m);
        pending += m.kind == LULL_MSGPACK_ARRAY ? m.size
                   : m.kind == LULL_MSGPACK_MAP ? 2 * (uint64_t)m.size
                                                : 0;
        pending--;
        if (pending > lull_cur_left(c)) {
            c->bad = true;
            return LULL_MSGPACK_TRUNCATED;
        }
    }
    return 0;
}
