// SPDX-License-Identifier: MIT
// Tables of format strings: ids, collisions, documents written byte by byte here.
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "printf/id.h"
#include "printf/table.h"

static const struct lull_printf_type s32 = {LULL_PRINTF_I32, LULL_PRINTF_SIGNED, 1};
static const struct lull_printf_type f64x3 = {LULL_PRINTF_DOUBLE, LULL_PRINTF_SIGN_UNKNOWN, 3};
static const struct lull_printf_type u8 = {LULL_PRINTF_I8, LULL_PRINTF_UNSIGNED, 1};

static struct lull_printf_table *new_table(void)
{
    struct lull_printf_table *t = NULL;
    if (lull_printf_table_new(&t) != NULL) {
        abort();
    }
    return t;
}

static uint64_t add(struct lull_printf_table *t, const char *text,
                    const struct lull_printf_type *type, unsigned records)
{
    uint64_t id = 0;
    struct lull_error *err =
        lull_printf_table_add(t, text, strlen(text), type, type != NULL, records, &id);
    if (err != NULL) {
        abort();
    }
    return id;
}

static void adding(void)
{
    struct lull_printf_table *t = new_table(), *other = new_table();
    const uint64_t a = add(t, "%d", &s32, 0);
    test_case(a == lull_printf_id("%d", 2, 0) && add(t, "%d", &s32, 0) == a &&
                  lull_printf_table_count(t) == 1 && lull_printf_table_warnings(t) == 0,
              "one string, one shape: one id", "0x%" PRIx64, a);
    const uint64_t b = add(t, "%d", &u8, 0), c = add(t, "%d", &s32, LULL_PRINTF_LANE);
    test_case(b != a && c != a && c != b && add(t, "%d", &u8, 0) == b &&
                  lull_printf_table_warnings(t) == 2 &&
                  strstr(lull_printf_table_warning(t, 0),
                         "(u8) has another shape of arguments than (s32)") != NULL,
              "other shapes: other ids, and warnings", "%s",
              lull_printf_table_warnings(t) > 0 ? lull_printf_table_warning(t, 0) : "none");
    add(other, "%d", &s32, 0);
    test_case(add(other, "%d", &u8, 0) == b, "the salt is that of the shape", "0x%" PRIx64, b);
    const uint64_t d = add(t, "%d", &s32, LULL_PRINTF_STREAM);
    test_case(d != a && d != b && d != c && lull_printf_table_warnings(t) == 2,
              "C's printf of the same text: another id, no warning", "0x%" PRIx64, d);
    uint64_t lit = 0;
    struct lull_error *err = lull_printf_table_add_literal(t, "%d", 2, &lit);
    test_case(err == NULL && lit != a && lit != b && lull_printf_table_warnings(t) == 2,
              "a literal that is a format, too", "0x%" PRIx64, lit);
    struct lull_printf_type big = {LULL_PRINTF_I64, LULL_PRINTF_SIGNED, 32766};
    err = lull_printf_table_add(t, "%d", 2, &big, 1, 0, &lit);
    test_case(err == NULL, "65534 dwords", "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    err = lull_printf_table_add(t, "%d", 2, &big, 1, LULL_PRINTF_LANE, &lit);
    test_case(err == NULL, "65535 dwords", "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    err = lull_printf_table_add(t, "%d", 2, &big, 1, LULL_PRINTF_LANE | LULL_PRINTF_WAVE, &lit);
    test_case(err != NULL && lull_error_code(err) == LULL_ERR_INVALID, "65536 dwords", "no error");
    lull_error_free(err);
    const struct lull_printf_type huge[3] = {{LULL_PRINTF_I32, LULL_PRINTF_SIGNED, 0xffffffff},
                                             {LULL_PRINTF_I32, LULL_PRINTF_SIGNED, 0xffffffff},
                                             {LULL_PRINTF_I32, LULL_PRINTF_SIGNED, 3}};
    err = lull_printf_table_add(t, "%d", 2, huge, 3, 0, &lit);
    test_case(err != NULL && lull_error_code(err) == LULL_ERR_INVALID, "sizes that wrap",
              "no error");
    lull_error_free(err);
    lull_printf_table_free(t);
    lull_printf_table_free(other);
}

// {"amdpal.format_strings": {".strings": [{...}], ".version": 1}, "lull.format_strings": {...}}
static void written(void)
{
    struct lull_printf_table *t = new_table();
    struct lull_str out = {0};
    const uint64_t id = add(t, "x%v3f\n", &f64x3, LULL_PRINTF_WORKGROUP);
    lull_printf_table_document(t, &out);
    uint8_t want[256] = "\x82\xb5"
                        "amdpal.format_strings"
                        "\x82\xa8"
                        ".strings"
                        "\x91\x84\xb0"
                        ".64bit_arguments"
                        "\x91\x07\xaf"
                        ".argument_count"
                        "\x03\xa6"
                        ".index"
                        "\xcf";
    size_t n = strlen((char *)want);
    for (int i = 7; i >= 0; i--) {
        want[n++] = (uint8_t)(id >> 8 * i);
    }
    static const char rest[] = "\xa7"
                               ".string"
                               "\xa6"
                               "x%v3f\n"
                               "\xa8"
                               ".version"
                               "\x01"
                               "\xb3"
                               "lull.format_strings"
                               "\x82\xa8"
                               ".strings"
                               "\x91\x83\xa6"
                               ".index"
                               "\xcf";
    memcpy(want + n, rest, sizeof rest - 1);
    n += sizeof rest - 1;
    for (int i = 7; i >= 0; i--) {
        want[n++] = (uint8_t)(id >> 8 * i);
    }
    static const char last[] = "\xa8"
                               ".records"
                               "\x02\xa6"
                               ".types"
                               "\xa5"
                               "f64x3"
                               "\xa8"
                               ".version"
                               "\x01";
    memcpy(want + n, last, sizeof last - 1);
    n += sizeof last - 1;
    test_case(out.err == NULL && out.size == n && memcmp(out.text, want, n) == 0,
              "document, byte by byte", "%zu bytes, want %zu", out.size, n);
    lull_str_free(&out);
    lull_printf_table_free(t);
}

static size_t load(struct lull_printf_table *t, const void *data, size_t size, char *message,
                   size_t room)
{
    size_t n = 0;
    struct lull_error *err = lull_printf_table_load(t, data, size, "doc", &n);
    snprintf(message, room, "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    return n;
}

static bool same_tables(const struct lull_printf_table *a, const struct lull_printf_table *b)
{
    struct lull_str x = {0}, y = {0};
    lull_printf_table_document(a, &x);
    lull_printf_table_document(b, &y);
    const bool same = x.size == y.size && memcmp(x.text, y.text, x.size) == 0;
    lull_str_free(&x);
    lull_str_free(&y);
    return same;
}

static void round_trip(void)
{
    struct lull_printf_table *t = new_table(), *again = new_table();
    char text[64] = "", message[200] = "";
    uint64_t lit = 0;
    for (unsigned i = 0; i < 1000; i++) {
        const struct lull_printf_type type = {(enum lull_printf_scalar)(i % LULL_PRINTF_NSCALARS),
                                              LULL_PRINTF_SIGN_UNKNOWN, 1 + i % 70};
        snprintf(text, sizeof text, "string %u\x01\xff", i / 2);
        add(t, text, &type, i % 128); // records, LULL_PRINTF_STREAM
    }
    struct lull_error *err = lull_printf_table_add_literal(t, "a\0b", 3, &lit);
    lull_printf_table_set_user_data_offset(t, 7);
    struct lull_str out = {0};
    lull_printf_table_document(t, &out);
    size_t n = load(again, out.text, out.size, message, sizeof message);
    test_case(err == NULL && n == 1001 && message[0] == '\0' && same_tables(t, again) &&
                  lull_printf_table_user_data_offset(again) == 7,
              "written, read, written", "%zu strings: %s", n, message);
    n = load(again, out.text, out.size, message, sizeof message);
    test_case(n == 1001 && lull_printf_table_count(again) == 1001 && same_tables(t, again),
              "read twice: a union", "%zu strings", lull_printf_table_count(again));
    unsigned wrong = 0;
    for (size_t size = 0; size < 3000; size++) {
        struct lull_printf_table *cut = new_table();
        wrong += load(cut, out.text, size, message, sizeof message) > 1000 || message[0] == '\0';
        lull_printf_table_free(cut);
    }
    test_case(wrong == 0, "cut documents are errors", "%u are not", wrong);
    lull_str_free(&out);
    lull_printf_table_free(t);
    lull_printf_table_free(again);
}

// As LLPC writes them: plain, with .user_data_offset, a NUL at the end of a string, ids of its own.
#define PLAIN(index, string, count, mask)                                                          \
    "\x84\xa6.index" index "\xa7.string" string "\xaf.argument_count" count                        \
    "\xb0.64bit_arguments" mask

static void plain(void)
{
    static const char doc[] =
        "\x82\xae"
        "amdpal.version"
        "\x92\x03\x00\xb5"
        "amdpal.format_strings"
        "\x83\xa8"
        ".version"
        "\x01\xb1"
        ".user_data_offset"
        "\x04\xa8"
        ".strings"
        "\x93" PLAIN("\xcf\x00\x00\xa1\xaf\x6b\x13\xf3\xe4",
                     "\xa9"
                     "size:%f\n\0",
                     "\x02", "\x91\x03") PLAIN("\x05",
                                               "\xa2"
                                               "%d",
                                               "\x01", "\x91\x00") PLAIN("\x05",
                                                                         "\xa2"
                                                                         "%u",
                                                                         "\x01", "\x90");
    char message[200] = "";
    struct lull_printf_table *t = new_table();
    const struct lull_printf_string *found[4] = {0};
    const size_t n = load(t, doc, sizeof doc - 1, message, sizeof message);
    const size_t ids = lull_printf_table_find(t, 5, found, 4);
    test_case(n == 3 && message[0] == '\0' && ids == 2 && lull_printf_table_warnings(t) == 1 &&
                  strstr(lull_printf_table_warning(t, 0), "have one id, 0x000000000005") != NULL,
              "two strings with one id: a warning, and both are there",
              "%zu strings, %zu with the id: %s", n, ids, message);
    const size_t first = lull_printf_table_find(t, 0xa1af6b13f3e4, found, 4);
    test_case(first == 1 && found[0]->size == 8 && found[0]->types == NULL && !found[0]->own &&
                  lull_printf_entry_dwords(found[0]) == 6 &&
                  lull_printf_table_user_data_offset(t) == 4,
              "a plain string", "%zu found", first);
    lull_printf_table_free(t);
}

struct bad {
    const char *name, *doc;
    size_t size;
    const char *want; // in the message, or in the first warning
};

#define BAD(name, doc, want)                                                                       \
    {                                                                                              \
        name, doc, sizeof doc - 1, want                                                            \
    }
#define ROOT                                                                                       \
    "\x81\xb5"                                                                                     \
    "amdpal.format_strings"
#define ROWS(rows)                                                                                 \
    ROOT "\x82\xa8"                                                                                \
         ".version"                                                                                \
         "\x01\xa8"                                                                                \
         ".strings" rows

static const struct bad bads[] = {
    BAD("empty", "", "truncated at byte 0"),
    BAD("no map", "\x01", "not a map at byte 1"),
    BAD("value is not a map", ROOT "\x01", "not a map at byte 24"),
    BAD("version 2",
        ROOT "\x81\xa8"
             ".version"
             "\x02",
        "version 2"),
    BAD("strings is not a list",
        ROOT "\x81\xa8"
             ".strings"
             "\x80",
        ".strings is not a list"),
    BAD("row is not a map", ROWS("\x91\x90"), "string 0: not a map"),
    BAD("index is text",
        ROWS("\x91\x81\xa6"
             ".index"
             "\xa1"
             "x"),
        ".index is not a number"),
    BAD("no index",
        ROWS("\x91\x82\xa7"
             ".string"
             "\xa1"
             "x"
             "\xaf"
             ".argument_count"
             "\x00"),
        "string 0 has no .index"),
    BAD("no string",
        ROWS("\x91\x82\xa6"
             ".index"
             "\x01\xaf"
             ".argument_count"
             "\x00"),
        "string 0 has no .string"),
    BAD("no count",
        ROWS("\x91\x82\xa6"
             ".index"
             "\x01\xa7"
             ".string"
             "\xa0"),
        "string 0 has no .argument_count"),
    BAD("index of 49 bits",
        ROWS("\x91" PLAIN("\xcf\x00\x01\x00\x00\x00\x00\x00\x00",
                          "\xa1"
                          "x",
                          "\x00", "\x90")),
        "more than 48 bits"),
    BAD("count that no entry holds",
        ROWS("\x91" PLAIN("\x01",
                          "\xa1"
                          "x",
                          "\xce\x00\x01\x00\x00", "\x90")),
        "more arguments than"),
    BAD("mask is not a list",
        ROWS("\x91" PLAIN("\x01",
                          "\xa1"
                          "x",
                          "\x01", "\x00")),
        ".64bit_arguments is not a list"),
    BAD("more strings than bytes", ROWS("\xdd\xff\xff\xff\xff"), "truncated"),
    BAD("a key that is a list, cut", "\x81\x91", "truncated"),
};

static void refused(void)
{
    for (size_t i = 0; i < TEST_ROWS(bads); i++) {
        struct lull_printf_table *t = new_table();
        char message[200] = "";
        load(t, bads[i].doc, bads[i].size, message, sizeof message);
        const char *said = message[0] != '\0'                  ? message
                           : lull_printf_table_warnings(t) > 0 ? lull_printf_table_warning(t, 0)
                                                               : "";
        test_case(strstr(said, bads[i].want) != NULL && lull_printf_table_count(t) == 0,
                  bads[i].name, "'%s', want '%s'", said, bads[i].want);
        lull_printf_table_free(t);
    }
}

// Extras that contradict the plain list are dropped with a warning; the plain string stays.
static void contradictions(void)
{
    static const char *const types[] = {"\xa3"
                                        "f64",
                                        "\xa7"
                                        "s32,s32",
                                        "\xa0",
                                        "\xa3"
                                        "foo",
                                        "\xa4"
                                        "s32,"};
    unsigned wrong = 0;
    for (size_t i = 0; i < TEST_ROWS(types); i++) {
        struct lull_str doc = {0};
        static const char head[] = "\x82\xb5"
                                   "amdpal.format_strings"
                                   "\x81\xa8"
                                   ".strings"
                                   "\x91" PLAIN("\x05",
                                                "\xa2"
                                                "%d",
                                                "\x01", "\x90") "\xb3"
                                                                "lull.format_strings"
                                                                "\x81\xa8"
                                                                ".strings"
                                                                "\x91\x82\xa6"
                                                                ".index"
                                                                "\x05\xa6"
                                                                ".types";
        lull_str_add(&doc, head, sizeof head - 1);
        lull_str_add(&doc, types[i], strlen(types[i]));
        struct lull_printf_table *t = new_table();
        char message[200] = "";
        const size_t n = load(t, doc.text, doc.size, message, sizeof message);
        const bool good = i == 4; // one comma at the end changes nothing
        wrong += n != 1 || message[0] != '\0' || (lull_printf_table_warnings(t) == 0) != good ||
                 (lull_printf_table_at(t, 0)->types != NULL) != good;
        lull_printf_table_free(t);
        lull_str_free(&doc);
    }
    test_case(wrong == 0, "types that contradict the plain list", "%u wrong", wrong);
}

int main(void)
{
    adding();
    written();
    round_trip();
    plain();
    refused();
    contradictions();
    return test_end();
}
