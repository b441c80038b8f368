// SPDX-License-Identifier: MIT
// Expressions: what C computes is in as_c.c; the rest is worked out by hand. `test_expr -` reads
// expressions and prints types and values: random.py asks.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "expr/check.h"
#include "expr/stub.h"
#include "test.h"

static struct stub stub;

static struct lull_error *eval(const char *text, struct lull_value *ret)
{
    const struct lull_expr_scope scope = stub_scope(&stub);
    struct lull_expr *e = NULL;
    struct lull_error *err = lull_expr_parse(&scope, text, NULL, &e);
    err = err != NULL ? err : lull_expr_check(&scope, e);
    err = err != NULL ? err : lull_expr_eval(&scope, e, ret);
    lull_expr_free(e);
    return err;
}

void check_value(const char *text, const char *type, const void *want, size_t size)
{
    struct lull_value v = {0};
    struct lull_str got = {0};
    uint64_t bits = 0;
    struct lull_error *err = eval(text, &v);
    memcpy(&bits, want, size);
    lull_ctype_show(v.type, &got);
    test_case(err == NULL && v.lanes == 1 && v.valid == 1 &&
                  strcmp(lull_str_text(&got), type) == 0 && v.v[0] == bits,
              text, "got %s 0x%" PRIx64 ", want %s 0x%" PRIx64 "%s%s", lull_str_text(&got), v.v[0],
              type, bits, err != NULL ? ": " : "", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    lull_str_free(&got);
}

// What gives a number that C does not: the sizes, views, addresses, what C leaves undefined.
static const struct {
    const char *text, *type;
    uint64_t bits;
} own[] = {
    {"0b101", "i32", 5},
    {"1.5f16", "f16", 0x3e00},
    {"(f16)1.0 + 1", "f16", 0x4000},
    {"(f16)1 + 1.0f", "f32", 0x40000000},
    {"2147483647 + 1", "i32", 0x80000000},
    {"-2147483647 - 1", "i32", 0x80000000},
    {"(-2147483647 - 1) / -1", "i32", 0x80000000},
    {"(-2147483647 - 1) % -1", "i32", 0},
    {"(-9223372036854775807 - 1) / -1", "i64", 0x8000000000000000},
    {"18446744073709551615", "u64", UINT64_MAX},
    {"-1 << 4", "i32", 0xfffffff0},
    {"1 << 31", "i32", 0x80000000},
    // A float too big becomes the nearest integer, NaN 0.
    {"(int)1e10", "i32", 0x7fffffff},
    {"(int)-1e10", "i32", 0x80000000},
    {"(unsigned)-1.0", "u32", 0},
    {"(unsigned)1e10f", "u32", 0xffffffff},
    {"(int)2147483648.0", "i32", 0x7fffffff},
    {"(int)-2147483648.0", "i32", 0x80000000},
    {"(u8)256.0f", "u8", 255},
    {"(ulong)18446744073709551616.0", "u64", UINT64_MAX},
    {"(i8)-128.5", "i8", 0x80},
    {"(i8)300.0", "i8", 0x7f},
    {"(i8)-300.0", "i8", 0x80},
    {"(long)1e30", "i64", INT64_MAX},
    {"(ulong)1e30", "u64", UINT64_MAX},
    {"(int)(0.0 / zero)", "i32", 0},
    // Bits as another type.
    {"(1.0f).u32", "u32", 0x3f800000},
    {"(0x3f800000).f32", "f32", 0x3f800000},
    {"(1.0).u64", "u64", 0x3ff0000000000000},
    {"(1.0).u8", "u8", 0},
    {"$s0.i32", "i32", 7},
    {"$s0.f16 < 1", "i32", 1},
    {"(0x12345678).u16", "u16", 0x5678},
    {"(0x1234abcd >> 16).i16", "i16", 0x1234},
    {"$s0.u16 << 24", "i32", 0x7000000},
    // Memory: byte n is 7n + 3.
    {"{u8}0x1000", "u8", 3},
    {"{u8}0x1000 + 1", "i32", 4},
    {"{u8}(0x1000 + 1)", "u8", 10},
    {"{i8}(0x1000 + 20)", "i8", 143},
    {"{u32}0x1000 == 0x18110a03", "i32", 1},
    {"{float}0x1000 > 0.5", "i32", 0},
    {"{f32}0x1004 < 1", "i32", 1},
    {"*(u16*)0x1000", "u16", 0x0a03},
    {"*(unsigned short *)0x1000", "u16", 0x0a03},
    {"*0x1000", "i64", 0x342d261f18110a03},
    {"((u16*)0x1000)[1]", "u16", 0x1811},
    {"*((u16*)0x1000 + 1)", "u16", 0x1811},
    {"*(1 + (u16*)0x1000)", "u16", 0x1811},
    {"*((u16*)0x1002 - 1)", "u16", 0x0a03},
    {"(u64*)0x1010 - (u64*)0x1000", "i64", 2},
    {"(u64*)0x1000 - (u64*)0x1010", "i64", (uint64_t)-2},
    {"(float*)0x1000 + 2", "f32*", 0x1008},
    {"(void*)0x1000 + 2", "void*", 0x1002},
    {"(int**)0x1000 + 1", "i32**", 0x1008},
    {"(char*)-1", "i8*", UINT64_MAX},
    {"(u8*)0x1000 == 0x1000", "i32", 1},
    {"!(u8*)0", "i32", 1},
    {"&{u16}(0x1000 + 4)", "u16*", 0x1004},
    {"&*(i32*)0x1000", "i32*", 0x1000},
    {"&((i32*)0x1000)[3]", "i32*", 0x100c},
    {"(long)(char*)5", "i64", 5},
    {"0 ? (u8*)1 : 0", "u8*", 0},
    {"({u32}0x1000).u8", "u8", 3},
    {"({u32}0x1000).i16", "i16", 0x0a03},
    {"sizeof({u16}0)", "u64", 2},
    {"sizeof $v[0:1]", "u64", 8},
    {"sizeof(f16)", "u64", 2},
    // LDS.
    {"{u8}lds:2", "u8", 17},
    {"{u8}(lds:2 + 1)", "u8", 24},
    {"{u8}lds:(1 + 1)", "u8", 17},
    {"*(u8*)lds:2", "u8", 17},
    {"((local u8*)0)[2]", "u8", 17},
    {"((global u8*)0x1000)[2]", "u8", 17},
    {"lds:4 + 4", "i32", 8},
    // Registers.
    {"$s0", "u32", 7},
    {"$s0 - 8 < 0", "i32", 0},
    {"(int)$s0 - 8 < 0", "i32", 1},
    {"$v1[5]", "u32", 1005},
    {"$v1[$s0]", "u32", 1007},
    {"$v1[$v0[3]]", "u32", 1003},
    {"$v1[5].f32.u32", "u32", 1005},
    {"$v1.i16[5]", "i16", 1005},
    {"$v[0:1][3]", "u64", 1003ull << 32 | 3},
    {"$v[0:1].u32[3]", "u32", 3},
    {"($v1 + 1)[5]", "u32", 1006},
    {"($v1 + 1.0f)[5].u32", "u32", 0x447b8000},
    {"$v1[*][5]", "u32", 1005},
};

static void check_own(void)
{
    for (size_t k = 0; k < TEST_ROWS(own); k++) {
        check_value(own[k].text, own[k].type, &own[k].bits, sizeof own[k].bits);
    }
}

// Text that is no expression, and what cannot be computed. The words say what is wrong and where.
static const struct {
    const char *text, *want;
} bad[] = {
    {"", "expected a number, register or symbol at column 1"},
    {"1 +", "expected a number, register or symbol at column 4"},
    {"(1 + 2", "missing bracket at column 7"},
    {"1 2", "'2' is left over"},
    {"i = 2", "'= 2' is left over; '==' compares, 'set' assigns"},
    {"1 ? 2", "expected ':' at column 6"},
    {"nosuch", "no symbol 'nosuch'"},
    {"i + nosuch", "no symbol 'nosuch'"},
    {"$v99", "no register '$v99'"},
    {"99999999999999999999", "number out of range at column 1"},
    {"1 + 0x10000000000000000", "number out of range at column 5"},
    {"1e999", "number out of range"},
    {"1e39f", "number out of range"},
    {"65520.0f16", "number out of range"},
    {"08", "not a number"},
    {"0x", "not a number"},
    {"0xg", "not a number"},
    {"0b2", "not a number"},
    {"12abc", "not a number"},
    {"1ulu", "not a number"},
    {"1lul", "not a number"},
    {"1lL", "not a number"},
    {"1.5u", "not a number"},
    {"1f16", "not a number"},
    {"1..2", "not a number"},
    {"0x1000.u8", "not a number"},
    {"1e", "not a number"},
    {"''", "not a character"},
    {"'ab'", "not a character"},
    {"'\\q'", "not a character"},
    {"'\\400'", "not a character"},
    {"'", "not a character"},
    {"{u33}0", "unknown type"},
    {"{u32 0", "unknown type"},
    {"{}0", "unknown type"},
    {"{unsigned float}0", "unknown type"},
    {"{short long}0", "unknown type"},
    {"{void}0", "unknown type"},
    {"(u32)", "expected a number, register or symbol at column 6"},
    {"$s0.f33", "expected a type, as in .f32 at column 4"},
    {"$s0.f64", "a place of 32 bits has no view of 64"},
    {"(1.0f).f64", "a value of 32 bits has no view of 64"},
    {"$v1[32]", "lane 32: the wave has lanes 0 to 31"},
    {"$v1[-1]", "lane -1: the wave has lanes 0 to 31"},
    {"($v1 + 1)[32]", "lane 32: the wave has lanes 0 to 31"},
    {"$v1[1.0]", "'[N]' is a lane"},
    {"$v1[$v0]", "'[N]' is a lane"},
    {"$s0[0]", "'[N]' is a lane"},
    {"i[0]", "'[N]' is a lane"},
    {"(1 + 2)[0]", "'[N]' is a lane"},
    {"$s0[*]", "'[*]' is of a register with lanes"},
    {"(1)[*]", "'[*]' is of a register with lanes"},
    {"1 / 0", "division by zero"},
    {"1 % zero", "division by zero"},
    {"1u / (u - u)", "division by zero"},
    {"7 / $v0", "lane 0: division by zero"},
    {"1 << 32", "shift by 32: a number of 32 bits is shifted by 0 to 31"},
    {"1 << -1", "shift by -1: a number of 32 bits is shifted by 0 to 31"},
    {"l >> 64", "shift by 64: a number of 64 bits is shifted by 0 to 63"},
    {"1 >> $v1", "lane 0: shift by 1000"},
    {"1.5 % 2", "'%' takes integers, not f64"},
    {"2 & f", "'&' takes integers, not f32"},
    {"f << 1", "'<<' takes integers, not f32"},
    {"~1.5", "'~' takes integers, not f64"},
    {"-(u8*)0", "'-' takes numbers, not u8*"},
    {"(u8*)0 * 2", "'*' takes numbers, not u8*"},
    {"(u8*)0 + 1.5", "'+' takes numbers, not u8*"},
    {"(u8*)0 + (u8*)0", "'+' takes numbers, not u8*"},
    {"1 - (u8*)0", "'-' takes numbers, not u8*"},
    {"(u8*)0 - (u16*)0", "'-' takes pointers to one type, not u16*"},
    {"(u8*)1.5", "an address is an integer, not a float"},
    {"(float)(u8*)0", "an address is an integer, not a float"},
    {"{u8}1.5", "an address is an integer, not a float"},
    {"*1.5", "an address is an integer, not a float"},
    {"lds:1.5", "an LDS offset is an integer, not a float"},
    {"lds:", "expected a number, register or symbol at column 5"},
    {"*(void*)0x1000", "void has no size"},
    {"{u8}0", "0x0 is not mapped"},
    {"{u8}lds:64", "0x40 is not mapped"},
    {"{u8}(0x10fc + $v0)", "lane 4: 0x1100 is not mapped"},
    {"&1", "'&' takes a place in memory, not a value"},
    {"&$s0", "a register has no address"},
};

// Wrong types are seen without a value being read: so conditions can be refused when they are set.
static const char *const wrong_when_read[] = {"$v0 & 1.5",    "zero && *1.5", "$v1 ? 1 : ~1.5",
                                              "$s0.f64",      "(1 + 2)[0]",   "{u8}(0x1000 * 1.0)",
                                              "1 || -(u8*)0", "$nosuch",      "1 +"};
static const char *const right_when_read[] = {"1 / zero", "{u8}0", "7 / $v0", "$v1[99]", "1 << 99"};

static char *repeat(const char *before, const char *what, const char *behind, unsigned n)
{
    struct lull_str out = {0};
    for (unsigned k = 0; k < n; k++) {
        lull_str_addf(&out, "%s", before);
    }
    lull_str_addf(&out, "%s", what);
    for (unsigned k = 0; k < n; k++) {
        lull_str_addf(&out, "%s", behind);
    }
    return out.text;
}

static void check_bad(void)
{
    for (size_t k = 0; k < TEST_ROWS(bad); k++) {
        struct lull_value v = {0};
        struct lull_error *err = eval(bad[k].text, &v);
        const char *got = err != NULL ? lull_error_message(err) : "no error";
        test_case(err != NULL && strstr(got, bad[k].want) != NULL, bad[k].text,
                  "got '%s', want '%s'", got, bad[k].want);
        lull_error_free(err);
    }
    static const char *const deep[][3] = {
        {"(", "1", ")"}, {"-", "1", ""}, {"1+(", "1", ")"}, {"", "1", "+1"}, {"1?1:", "1", ""}};
    for (size_t k = 0; k < TEST_ROWS(deep); k++) {
        char *text = repeat(deep[k][0], deep[k][1], deep[k][2], 10000);
        struct lull_value v = {0};
        struct lull_error *err = eval(text, &v);
        test_case(err != NULL && strstr(lull_error_message(err), "too deeply nested") != NULL,
                  "deep nesting", "%s%s%s 10000 times: %.80s", deep[k][0], deep[k][1], deep[k][2],
                  err != NULL ? lull_error_message(err) : "no error");
        lull_error_free(err);
        free(text);
    }
}

static void check_types_alone(void)
{
    const struct lull_expr_scope scope = stub_scope(&stub);
    const unsigned reads = stub.reads;
    for (size_t k = 0; k < TEST_ROWS(wrong_when_read) + TEST_ROWS(right_when_read); k++) {
        const bool wrong = k < TEST_ROWS(wrong_when_read);
        const char *text =
            wrong ? wrong_when_read[k] : right_when_read[k - TEST_ROWS(wrong_when_read)];
        struct lull_expr *e = NULL;
        struct lull_error *err = lull_expr_parse(&scope, text, NULL, &e);
        err = err != NULL ? err : lull_expr_check(&scope, e);
        test_case((err != NULL) == wrong, text, "%s",
                  err != NULL ? lull_error_message(err) : "no error");
        lull_error_free(err);
        lull_expr_free(e);
    }
    test_case(stub.reads == reads, "nothing is read", "%u reads", stub.reads - reads);
}

// Lane by lane, by C: v0 and v1 are the registers' values in lane k.
#define LANES(text, mask, e)                                                                       \
    do {                                                                                           \
        struct lull_value got = {0};                                                               \
        struct lull_error *err = eval(text, &got);                                                 \
        unsigned wrong = 99;                                                                       \
        for (unsigned k = 0; err == NULL && k < STUB_LANES; k++) {                                 \
            const uint32_t v0 = k, v1 = 1000 + k;                                                  \
            uint64_t want = 0;                                                                     \
            if (((uint64_t)(mask) >> k & 1) != 0) {                                                \
                memcpy(&want, &(__typeof__(e)){(e)}, sizeof(e));                                   \
                wrong = got.v[k] != want ? k : wrong;                                              \
            }                                                                                      \
        }                                                                                          \
        test_case(err == NULL && got.lanes == STUB_LANES && got.valid == (mask) && wrong == 99,    \
                  text, "%s, valid 0x%" PRIx64 ", lane %u: 0x%" PRIx64,                            \
                  err != NULL ? lull_error_message(err) : "", got.valid, wrong,                    \
                  got.v[wrong % STUB_LANES]);                                                      \
        lull_error_free(err);                                                                      \
    } while (0)

static void lanes(void)
{
    LANES("$v0", 0xffffffff, v0);
    LANES("$v1 * 2 + $v0", 0xffffffff, v1 * 2 + v0);
    LANES("$v0 - 8", 0xffffffff, v0 - 8);
    LANES("$v0 - 8 < 0", 0xffffffff, v0 - 8 < 0);
    LANES("(int)$v0 - 8 < 0", 0xffffffff, (int)v0 - 8 < 0);
    LANES("$v0 * 0.5f", 0xffffffff, v0 * 0.5f);
    LANES("(float)$v0 / 3", 0xffffffff, (float)v0 / 3);
    LANES("-$v0", 0xffffffff, -v0);
    LANES("!$v0", 0xffffffff, !v0);
    LANES("$v0 && $v1", 0xffffffff, v0 && v1);
    LANES("$v0 % 2 == 0 || $v0 > 20", 0xffffffff, v0 % 2 == 0 || v0 > 20);
    LANES("$v0 < 16 ? $v1 : -1", 0xffffffff, v0 < 16 ? v1 : -1);
    LANES("$v0 < 16 ? 1.0 : $v1", 0xffffffff, v0 < 16 ? 1.0 : v1);
    LANES("1 ? $v0 : 2", 0xffffffff, 1 ? v0 : 2);
    LANES("$v0 ? 100 / $v0 : 0", 0xffffffff, v0 ? 100 / v0 : 0);
    LANES("$v0 != 0 && 100 / $v0 > 9", 0xffffffff, v0 != 0 && 100 / v0 > 9);
    LANES("$v0 == 0 || 100 % $v0 == 0", 0xffffffff, v0 == 0 || 100 % v0 == 0);
    // In lane 9 it is not active.
    LANES("100 / ($v0 - 9)", 0xfffffdff, 100 / (v0 - 9));
    LANES("1 << $v0 << ($v0 > 20 ? 40 : 0)", 0x001fffff, (int)(1u << v0));
    // Memory is read for active lanes.
    LANES("{u8}(0x1000 + $v0)", 0xff, STUB_BYTE(v0));
    LANES("((u8*)0x1000)[$v0 * 3]", 0xff, STUB_BYTE(v0 * 3));
    LANES("{u8}lds:$v0", 0xff, STUB_BYTE(v0));
    LANES("{u8}(0x1000 + $v0 + 1000 * ($v0 > 7))", 0xff, STUB_BYTE(v0));
    LANES("$v0 < 4 ? {u8}(0x10fc + $v0) : 0", 0xffffffff, v0 < 4 ? STUB_BYTE(0xfc + v0) : 0);
    LANES("{u16}(0x1000 + $v0) + 1 > 5000", 0xff,
          (STUB_BYTE(v0) | STUB_BYTE(v0 + 1) << 8) + 1 > 5000);
}

// What is written, and what then stands at a place.
static const struct {
    const char *set, *look;
    uint64_t want;
} writes[] = {
    {"$s0 = 9", "$s0", 9},
    {"$s0 = -1", "$s0", 0xffffffff},
    {"$s0 = 2.9", "$s0", 2},
    {"$s0.f32 = 3", "$s0", 0x40400000},
    {"$s0.f32 = $s0.f32 / 2", "$s0.f32 == 1.5", 1},
    {"$s0.u8 = 0xff", "$s0", 0x3fc000ff},
    {"$s0.f16 = 1", "$s0", 0x3fc03c00},
    {"$v0 = 77", "$v0[0]", 77},
    {"$v0 = 0", "$v0[1]", 1},
    {"$v0[5] = 1.9", "$v0[5]", 1},
    {"$v0[5].f32 = 1", "$v0[5]", 0x3f800000},
    {"$v0.u16[5] = 7", "$v0[5]", 0x3f800007},
    {"$v0[5] = 5", "$v0[4]", 4},
    {"$v1[*] = 3", "$v1[7]", 3},
    {"$v1[*] = 3", "$v1[8]", 1008},
    {"$v1 = $v1 + 1", "$v1[8]", 1009},
    {"$v1 = $v0 * 0.5", "$v1[9]", 4},
    {"$v1.f32 = $v0 * 0.5f", "$v1[9]", 0x40900000},
    {"$v1.u16 = $v0", "$v1[9]", 0x40900009},
    {"$v[0:1][2] = 0x500000006", "$v1[2]", 5},
    {"$v[0:1][2].f64 = 1", "$v1[2]", 0x3ff00000},
    {"$v1[$v0[3]] = 4", "$v1[3]", 4},
    {"{f32}0x1010 = 3", "{u32}0x1010", 0x40400000},
    {"{f32}0x1010 = {f32}0x1010 + 1", "{f32}0x1010 == 4", 1},
    {"{f64}0x1010 = 1", "{u64}0x1010", 0x3ff0000000000000},
    {"{f16}0x1010 = 1.0f / 3", "{u16}0x1010", 0x3555},
    {"{u8}0x1010 = 256 + 5", "{u16}0x1010", 0x3505},
    {"{u32}(0x1010) = -1", "{u64}0x1010 & 0xffffffff", 0xffffffff},
    {"*(short *)0x1020 = -2", "{u16}0x1020", 0xfffe},
    {"((u8*)0x1020)[3] = 9", "{u8}0x1023", 9},
    {"((u8*)0x1040)[$v0] = $v0 * 2", "{u8}0x1047", 14},
    {"((u8*)0x1040)[$v0] = 1", "{u8}0x1048", STUB_BYTE(0x48)},
    {"{u32}lds:8 = 0x12345678", "{u16}lds:10", 0x1234},
};

static const struct {
    const char *set, *want;
} refused[] = {
    {"$s0", "expected '=' after the place"},
    {"$s0 5", "expected '=' after the place"},
    {"$s0 == 5", "expected '=' after the place"},
    {"$s0 = ", "expected a number"},
    {"$s0 = 1 2", "'2' is left over"},
    {"1 = 2", "this is a value, not a place"},
    {"$s0 + 1 = 2", "this is a value, not a place"},
    {"{u32}0x1000 + 4 = 2", "this is a value, not a place"},
    {"(int)$s0 = 2", "this is a value, not a place"},
    {"i = 2", "a constant cannot be set"},
    {"$s0 = $v0", "a value of 32 lanes fits a vector register only"},
    {"$v0[3] = $v1", "a value of 32 lanes fits a vector register only"},
    {"{u32}0x1000 = $v0", "a value of 32 lanes fits a vector register only"},
    {"{u32}0 = 2", "0x0 is not mapped"},
    {"{u8*}0x1000 = 1.5", "an address is an integer, not a float"},
    {"($v0 + 1)[2] = 1", "this is a value, not a place"},
};

static void check_writes(void)
{
    const struct lull_expr_scope scope = stub_scope(&stub);
    for (size_t k = 0; k < TEST_ROWS(writes); k++) {
        struct lull_value v = {0};
        struct lull_error *err = lull_expr_assign(&scope, writes[k].set);
        err = err != NULL ? err : eval(writes[k].look, &v);
        test_case(err == NULL && v.v[0] == writes[k].want, writes[k].set,
                  "%s is 0x%" PRIx64 ", want 0x%" PRIx64 " %s", writes[k].look, v.v[0],
                  writes[k].want, err != NULL ? lull_error_message(err) : "");
        lull_error_free(err);
    }
    for (size_t k = 0; k < TEST_ROWS(refused); k++) {
        struct lull_error *err = lull_expr_assign(&scope, refused[k].set);
        const char *got = err != NULL ? lull_error_message(err) : "no error";
        test_case(strstr(got, refused[k].want) != NULL, refused[k].set, "got '%s', want '%s'", got,
                  refused[k].want);
        lull_error_free(err);
    }
    stub_init(&stub);
}

// As gdb prints: x d u t the bits, f the bits as a float of that size, c the number and its
// character. Source: GDB manual, "Output Formats".
static const struct {
    const char *text;
    char format;
    const char *want;
} shown[] = {
    {"5", 0, "0x00000005  (5)\n"},
    {"-1", 0, "0xffffffff  (-1)\n"},
    {"-1L", 0, "0xffffffffffffffff  (-1)\n"},
    {"0xffffffff", 0, "0xffffffff  (4294967295)\n"},
    {"uc", 0, "0xc8  (200)\n"},
    {"c", 0, "0x9c  (-100)\n"},
    {"1.5 + 1.5", 0, "3\n"},
    {"0.1f", 0, "0.100000001\n"},
    {"0.1", 0, "0.10000000000000001\n"},
    {"(f16)0.1", 0, "0.099976\n"},
    {"0.0 / zero", 'f', "-nan\n"},
    {"-(0.0 / zero)", 0, "nan\n"},
    {"1 / 0.0", 0, "inf\n"},
    {"(float*)0x1000", 0, "0x0000000000001000\n"},
    {"1.5f", 'x', "0x3fc00000\n"},
    {"1.5f", 'd', "1069547520\n"},
    {"-1.5f", 'd', "-1077936128\n"},
    {"-1.5f", 'u', "3217031168\n"},
    {"(f16)1", 't', "0b0011110000000000\n"},
    {"0x3fc00000", 'f', "1.5\n"},
    {"0x3ff8000000000000", 'f', "1.5\n"},
    {"(u16)0x3e00", 'f', "1.5\n"},
    {"c", 'f', "-100\n"},
    {"uc", 'f', "200\n"},
    {"c", 'u', "156\n"},
    {"c", 'x', "0x9c\n"},
    {"65", 'c', "65 'A'\n"},
    {"65.9", 'c', "65 'A'\n"},
    {"10", 'c', "10 '\\012'\n"},
    {"-1", 'c', "-1 '\\377'\n"},
    {"$v0 * 0.5f", 0, "\n  lane  0: *0  0.5  1  1.5  2  2.5  3  3.5\n  lane  8:  (4)  (4.5)"},
    {"(int)$v0 - 2", 0, "\n  lane  0: *-2  -1  0  1"},
    {"{u8}(0x1000 + $v0)", 0, "0x26  0x2d  0x34\n  lane  8:  (-)  (-)"},
};

static void check_shown(void)
{
    for (size_t k = 0; k < TEST_ROWS(shown); k++) {
        struct lull_value v = {0};
        struct lull_str out = {0};
        struct lull_error *err = eval(shown[k].text, &v);
        lull_value_show(&v, shown[k].format, 0, &out);
        const size_t n = strlen(shown[k].want);
        const char *got = lull_str_text(&out);
        test_case(err == NULL && (v.lanes > 1 ? strstr(got, shown[k].want) != NULL
                                              : strncmp(got, shown[k].want, n + 1) == 0),
                  shown[k].text, "/%c: got '%s', want '%s'", shown[k].format, got, shown[k].want);
        lull_error_free(err);
        lull_str_free(&out);
    }
}

// Each half to a double and back; between two of them the nearest, and in the middle the even one.
static void halves(void)
{
    unsigned wrong = 0;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        const double here = lull_half_value((uint16_t)bits);
        const double next = bits + 1 == 0x7c00 ? 65536 : lull_half_value((uint16_t)(bits + 1));
        const double middle = (here + next) / 2, step = (next - here) / 64;
        const unsigned even = bits + (bits & 1);
        wrong += lull_half_of(here) != bits || lull_half_of(-here) != (bits | 0x8000) ||
                 lull_half_of(middle) != even || lull_half_of(middle - step) != bits ||
                 lull_half_of(middle + step) != bits + 1 || !(here < next);
    }
    test_case(wrong == 0, "every half", "%u of 31744", wrong);
    test_case(lull_half_value(1) == 0x1p-24 && lull_half_value(0x3c00) == 1 &&
                  lull_half_value(0x7bff) == 65504 && lull_half_value(0xc000) == -2,
              "halves as IEEE 754 says", "1 is %g", lull_half_value(0x3c00));
    test_case(lull_half_of(1e300) == 0x7c00 && lull_half_of(-65520) == 0xfc00 &&
                  lull_half_of(1e-300) == 0 && (lull_half_of(0.0 / zero) & 0x7fff) == 0x7e00,
              "beyond halves", "%x", lull_half_of(0.0 / zero));
}

static int answer(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct lull_value v = {0};
        struct lull_str type = {0};
        line[strcspn(line, "\n")] = '\0';
        struct lull_error *err = eval(line, &v);
        lull_ctype_show(v.type, &type);
        if (err != NULL) {
            printf("error %s\n", lull_error_message(err));
        } else {
            printf("%s %" PRIx64 "\n", lull_str_text(&type), v.v[0]);
        }
        lull_error_free(err);
        lull_str_free(&type);
    }
    return 0;
}

int main(int argc, char **argv)
{
    stub_init(&stub);
    if (argc > 1 && strcmp(argv[1], "-") == 0) {
        return answer();
    }
    check_as_c();
    check_own();
    check_bad();
    check_types_alone();
    lanes();
    check_writes();
    check_shown();
    halves();
    return test_end();
}
