// SPDX-License-Identifier: MIT
// MessagePack heads: every format of the specification, with bytes written down from its text.
#include <math.h>
#include <string.h>

#include "file/msgpack.h"
#include "file/msgpack_write.h"
#include "test.h"

struct row {
    const char *name;
    uint8_t bytes[12];
    size_t size;
    int result; // bytes read, or a fault
    struct lull_msgpack want;
};

#define UINT(v)                                                                                    \
    {                                                                                              \
        .kind = LULL_MSGPACK_UINT, .u = v                                                          \
    }
#define INT(v)                                                                                     \
    {                                                                                              \
        .kind = LULL_MSGPACK_INT, .i = v                                                           \
    }
#define REAL(v)                                                                                    \
    {                                                                                              \
        .kind = LULL_MSGPACK_FLOAT, .f = v                                                         \
    }
#define READ(v, bytes, bits)                                                                       \
    {                                                                                              \
        .kind = LULL_MSGPACK_FLOAT, .f = v, .width = bytes, .u = bits                              \
    }
#define SIZED(k, n)                                                                                \
    {                                                                                              \
        .kind = LULL_MSGPACK_##k, .size = n                                                        \
    }

static const struct row rows[] = {
    {"positive fixint 0", {0x00}, 1, 1, UINT(0)},
    {"positive fixint 127", {0x7f}, 1, 1, UINT(127)},
    {"negative fixint -1", {0xff}, 1, 1, INT(-1)},
    {"negative fixint -32", {0xe0}, 1, 1, INT(-32)},
    {"nil", {0xc0}, 1, 1, {.kind = LULL_MSGPACK_NIL}},
    {"never used", {0xc1}, 1, LULL_MSGPACK_RESERVED, {0}},
    {"false", {0xc2}, 1, 1, {.kind = LULL_MSGPACK_BOOL, .u = 0}},
    {"true", {0xc3}, 1, 1, {.kind = LULL_MSGPACK_BOOL, .u = 1}},
    {"uint 8", {0xcc, 200}, 2, 2, UINT(200)},
    {"uint 16", {0xcd, 0x12, 0x34}, 3, 3, UINT(0x1234)},
    {"uint 32", {0xce, 0xde, 0xad, 0xbe, 0xef}, 5, 5, UINT(0xdeadbeef)},
    {"uint 64", {0xcf, 0xff, 0, 0, 0, 0, 0, 0, 1}, 9, 9, UINT(0xff00000000000001)},
    {"int 8", {0xd0, 0x80}, 2, 2, INT(-128)},
    {"int 8, positive", {0xd0, 0x05}, 2, 2, UINT(5)},
    {"int 16", {0xd1, 0x80, 0x00}, 3, 3, INT(-32768)},
    {"int 32", {0xd2, 0xff, 0xff, 0xff, 0xfe}, 5, 5, INT(-2)},
    {"int 64", {0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0}, 9, 9, INT(INT64_MIN)},
    {"float 32", {0xca, 0x3f, 0xc0, 0, 0}, 5, 5, READ(1.5, 4, 0x3fc00000)},
    {"float 64",
     {0xcb, 0xc0, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18},
     9,
     9,
     READ(-3.141592653589793, 8, 0xc00921fb54442d18)},
    {"fixstr", {0xa3, 'a', 'b', 'c'}, 4, 4, SIZED(STR, 3)},
    {"empty fixstr", {0xa0}, 1, 1, SIZED(STR, 0)},
    {"str 8", {0xd9, 2, 'a', 'b'}, 4, 4, SIZED(STR, 2)},
    {"str 16", {0xda, 0, 1, 'a'}, 4, 4, SIZED(STR, 1)},
    {"str 32", {0xdb, 0, 0, 0, 1, 'a'}, 6, 6, SIZED(STR, 1)},
    {"bin 8", {0xc4, 1, 9}, 3, 3, SIZED(BIN, 1)},
    {"bin 16", {0xc5, 0, 1, 9}, 4, 4, SIZED(BIN, 1)},
    {"bin 32", {0xc6, 0, 0, 0, 1, 9}, 6, 6, SIZED(BIN, 1)},
    {"fixext 1", {0xd4, 5, 9}, 3, 3, {.kind = LULL_MSGPACK_EXT, .size = 1, .ext = 5}},
    {"fixext 2", {0xd5, 0xff, 9, 9}, 4, 4, {.kind = LULL_MSGPACK_EXT, .size = 2, .ext = -1}},
    {"fixext 4", {0xd6, 5, 9, 9, 9, 9}, 6, 6, {.kind = LULL_MSGPACK_EXT, .size = 4, .ext = 5}},
    {"fixext 8",
     {0xd7, 5, 1, 2, 3, 4, 5, 6, 7, 8},
     10,
     10,
     {.kind = LULL_MSGPACK_EXT, .size = 8, .ext = 5}},
    {"fixext 16, cut", {0xd8, 5, 1, 2, 3, 4, 5, 6, 7, 8}, 10, LULL_MSGPACK_TRUNCATED, {0}},
    {"ext 8", {0xc7, 3, 5, 1, 2, 3}, 6, 6, {.kind = LULL_MSGPACK_EXT, .size = 3, .ext = 5}},
    {"ext 16", {0xc8, 0, 1, 5, 1}, 5, 5, {.kind = LULL_MSGPACK_EXT, .size = 1, .ext = 5}},
    {"ext 32", {0xc9, 0, 0, 0, 1, 5, 1}, 7, 7, {.kind = LULL_MSGPACK_EXT, .size = 1, .ext = 5}},
    {"fixarray", {0x92, 1, 2}, 3, 1, SIZED(ARRAY, 2)},
    {"array 16", {0xdc, 0, 2, 1, 2}, 5, 3, SIZED(ARRAY, 2)},
    {"array 32", {0xdd, 0, 0, 0, 1, 1}, 6, 5, SIZED(ARRAY, 1)},
    {"array 32 of too many", {0xdd, 0xff, 0xff, 0xff, 0xff, 1}, 6, LULL_MSGPACK_TRUNCATED, {0}},
    {"fixmap", {0x81, 1, 2}, 3, 1, SIZED(MAP, 1)},
    {"fixmap, cut", {0x82, 1, 2}, 3, LULL_MSGPACK_TRUNCATED, {0}},
    {"map 16", {0xde, 0, 1, 1, 2}, 5, 3, SIZED(MAP, 1)},
    {"map 32", {0xdf, 0, 0, 0, 1, 1, 2}, 7, 5, SIZED(MAP, 1)},
    {"nothing", {0}, 0, LULL_MSGPACK_TRUNCATED, {0}},
    {"uint 64, cut", {0xcf, 1, 2, 3}, 4, LULL_MSGPACK_TRUNCATED, {0}},
    {"str 32 of 4 GiB", {0xdb, 0xff, 0xff, 0xff, 0xff, 'a'}, 6, LULL_MSGPACK_TRUNCATED, {0}},
};

static bool same(const struct lull_msgpack *a, const struct lull_msgpack *b)
{
    bool number = a->kind == LULL_MSGPACK_UINT || a->kind == LULL_MSGPACK_BOOL ||
                  a->kind == LULL_MSGPACK_FLOAT;
    return a->kind == b->kind && (!number || a->u == b->u) &&
           (a->kind != LULL_MSGPACK_INT || a->i == b->i) && !(a->f < b->f) && !(a->f > b->f) &&
           a->size == b->size && a->ext == b->ext && a->width == b->width;
}

static void skip_cases(void)
{
    // {"a": [1, {"b": nil}], 2: "xyz"} and one more object
    static const uint8_t nested[] = {0x82, 0xa1, 'a',  0x92, 1,   0x81, 0xa1, 'b',
                                     0xc0, 2,    0xa3, 'x',  'y', 'z',  0x2a};
    struct lull_cur c = lull_cur_of(nested, sizeof nested);
    struct lull_msgpack m = {0};
    int r = lull_msgpack_skip(&c);
    test_case(r == 0 && lull_msgpack_next(&c, &m) == 1 && m.u == 42, "skip nested", "%d, then %llu",
              r, (unsigned long long)m.u);
    for (size_t size = 0; size < sizeof nested - 1; size++) {
        c = lull_cur_of(nested, size);
        r = lull_msgpack_skip(&c);
        test_case(r == LULL_MSGPACK_TRUNCATED, "skip, cut", "%zu bytes: %d", size, r);
    }
    // A million arrays in each other: no recursion, so no stack to run out of.
    static uint8_t deep[1000001];
    memset(deep, 0x91, sizeof deep - 1);
    c = lull_cur_of(deep, sizeof deep);
    r = lull_msgpack_skip(&c);
    test_case(r == 0 && lull_cur_left(&c) == 0, "skip deep", "%d, %zu left", r, lull_cur_left(&c));
}

// Heads at the borders between forms, from the specification's table; bytes before the contents.
static const struct written {
    const char *name;
    struct lull_msgpack value;
    uint8_t head[9];
    size_t size;
} written[] = {
    {"write nil", {.kind = LULL_MSGPACK_NIL}, {0xc0}, 1},
    {"write false", {.kind = LULL_MSGPACK_BOOL}, {0xc2}, 1},
    {"write true", {.kind = LULL_MSGPACK_BOOL, .u = 1}, {0xc3}, 1},
    {"write 127", UINT(127), {0x7f}, 1},
    {"write 128", UINT(128), {0xcc, 0x80}, 2},
    {"write 255", UINT(255), {0xcc, 0xff}, 2},
    {"write 256", UINT(256), {0xcd, 1, 0}, 3},
    {"write 65535", UINT(65535), {0xcd, 0xff, 0xff}, 3},
    {"write 65536", UINT(65536), {0xce, 0, 1, 0, 0}, 5},
    {"write 2^32-1", UINT(UINT32_MAX), {0xce, 0xff, 0xff, 0xff, 0xff}, 5},
    {"write 2^32", UINT(0x100000000), {0xcf, 0, 0, 0, 1, 0, 0, 0, 0}, 9},
    {"write -1", INT(-1), {0xff}, 1},
    {"write -32", INT(-32), {0xe0}, 1},
    {"write -33", INT(-33), {0xd0, 0xdf}, 2},
    {"write -128", INT(-128), {0xd0, 0x80}, 2},
    {"write -129", INT(-129), {0xd1, 0xff, 0x7f}, 3},
    {"write -32768", INT(-32768), {0xd1, 0x80, 0}, 3},
    {"write -32769", INT(-32769), {0xd2, 0xff, 0xff, 0x7f, 0xff}, 5},
    {"write -2^31", INT(INT32_MIN), {0xd2, 0x80, 0, 0, 0}, 5},
    {"write -2^31-1", INT(-2147483649), {0xd3, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff}, 9},
    {"write 1.5", REAL(1.5), {0xca, 0x3f, 0xc0, 0, 0}, 5},
    {"write 0.1", REAL(0.1), {0xcb, 0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a}, 9},
    {"write NaN", REAL(NAN), {0xcb, 0x7f, 0xf8}, 9},
    {"write 1.5 as read in 64 bits", READ(1.5, 8, 0x3ff8000000000000), {0xcb, 0x3f, 0xf8}, 9},
    {"write a NaN of 32 bits", READ(NAN, 4, 0xffffffff), {0xca, 0xff, 0xff, 0xff, 0xff}, 5},
    {"write a signalling NaN", READ(NAN, 4, 0x7f800001), {0xca, 0x7f, 0x80, 0, 1}, 5},
    {"write a NaN of 64 bits",
     READ(NAN, 8, 0x7ff0000000000001),
     {0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 1},
     9},
    {"write infinity", REAL(INFINITY), {0xca, 0x7f, 0x80, 0, 0}, 5},
    {"write str of 0", SIZED(STR, 0), {0xa0}, 1},
    {"write str of 31", SIZED(STR, 31), {0xbf}, 1},
    {"write str of 32", SIZED(STR, 32), {0xd9, 32}, 2},
    {"write str of 255", SIZED(STR, 255), {0xd9, 255}, 2},
    {"write str of 256", SIZED(STR, 256), {0xda, 1, 0}, 3},
    {"write str of 65536", SIZED(STR, 65536), {0xdb, 0, 1, 0, 0}, 5},
    {"write bin of 0", SIZED(BIN, 0), {0xc4, 0}, 2},
    {"write bin of 256", SIZED(BIN, 256), {0xc5, 1, 0}, 3},
    {"write bin of 65536", SIZED(BIN, 65536), {0xc6, 0, 1, 0, 0}, 5},
    {"write ext of 1", {.kind = LULL_MSGPACK_EXT, .size = 1, .ext = 5}, {0xd4, 5}, 2},
    {"write ext of 3", {.kind = LULL_MSGPACK_EXT, .size = 3, .ext = -1}, {0xc7, 3, 0xff}, 3},
    {"write ext of 16", {.kind = LULL_MSGPACK_EXT, .size = 16, .ext = 5}, {0xd8, 5}, 2},
    {"write ext of 17", {.kind = LULL_MSGPACK_EXT, .size = 17, .ext = 5}, {0xc7, 17, 5}, 3},
    {"write ext of 256", {.kind = LULL_MSGPACK_EXT, .size = 256, .ext = 5}, {0xc8, 1, 0, 5}, 4},
    {"write array of 15", SIZED(ARRAY, 15), {0x9f}, 1},
    {"write array of 16", SIZED(ARRAY, 16), {0xdc, 0, 16}, 3},
    {"write array of 65536", SIZED(ARRAY, 65536), {0xdd, 0, 1, 0, 0}, 5},
    {"write map of 15", SIZED(MAP, 15), {0x8f}, 1},
    {"write map of 16", SIZED(MAP, 16), {0xde, 0, 16}, 3},
    {"write map of 65535", SIZED(MAP, 65535), {0xde, 0xff, 0xff}, 3},
    {"write map of 65536", SIZED(MAP, 65536), {0xdf, 0, 1, 0, 0}, 5},
};

static void write_cases(void)
{
    static uint8_t contents[65536];
    for (size_t i = 0; i < TEST_ROWS(written); i++) {
        struct lull_msgpack m = written[i].value;
        const bool items = m.kind == LULL_MSGPACK_ARRAY || m.kind == LULL_MSGPACK_MAP;
        struct lull_str out = {0};
        m.data = contents;
        lull_msgpack_put(&out, &m);
        const size_t want = written[i].size + (items ? 0 : m.size);
        test_case(out.err == NULL && out.size == want &&
                      memcmp(out.text, written[i].head, written[i].size) == 0,
                  written[i].name, "%zu bytes, want %zu; head 0x%02x", out.size, want,
                  out.size > 0 ? (uint8_t)out.text[0] : 0);
        lull_str_free(&out);
    }
    // {"a": [1, "bc"], "d": a NaN} in forms that are longer than need be; not so the float.
    static const uint8_t wide[] = {0xdf, 0,    0,    0,    2,    0xd9, 1,    'a', 0xdc,
                                   0,    2,    0xcd, 0,    1,    0xda, 0,    2,   'b',
                                   'c',  0xa1, 'd',  0xca, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t narrow[] = {0x82, 0xa1, 'a',  0x92, 1,    0xa2, 'b', 'c',
                                     0xa1, 'd',  0xca, 0xff, 0xff, 0xff, 0xff};
    struct lull_cur c = lull_cur_of(wide, sizeof wide);
    struct lull_str out = {0};
    int r = lull_msgpack_copy(&c, &out);
    test_case(r == 0 && lull_cur_left(&c) == 0 && out.size == sizeof narrow &&
                  memcmp(out.text, narrow, sizeof narrow) == 0,
              "copy takes the shortest form", "%d, %zu bytes", r, out.size);
    lull_str_free(&out);
    c = lull_cur_of(wide, sizeof wide - 1);
    r = lull_msgpack_copy(&c, &out);
    test_case(r == LULL_MSGPACK_TRUNCATED, "copy, cut", "%d", r);
    lull_str_free(&out);
}

int main(void)
{
    write_cases();
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_cur c = lull_cur_of(rows[i].bytes, rows[i].size);
        struct lull_msgpack got = {0};
        int r = lull_msgpack_next(&c, &got);
        test_case(r == rows[i].result && same(&got, &rows[i].want), rows[i].name,
                  "%d bytes, want %d; kind %d, want %d; size %zu", r, rows[i].result, (int)got.kind,
                  (int)rows[i].want.kind, got.size);
    }
    skip_cases();
    return test_end();
}
