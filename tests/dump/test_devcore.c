// SPDX-License-Identifier: MIT
// ascii85 as the kernel writes it, and the lines of crash dumps.
#include <string.h>

#include "dump/ascii85.h"
#include "dump/devcore.h"
#include "test.h"

static void ascii85(void)
{
    // 85^4 = 52200625, 85^5 - 1 > 2^32 - 1 = "s8W-!"; the others from a dump that a kernel made.
    static const struct {
        const char *text;
        uint32_t words[3];
        size_t n, used;
        bool bad; ///< Not what the encoder makes.
    } rows[] = {
        {"", {0}, 0, 0, false},
        {"z!!!!\"z", {0, 1, 0}, 3, 7, false},
        {"\"!!!!!!!!v", {52200625}, 1, 5, true},
        {"s8W-!", {0xffffffff}, 1, 5, false},
        {"s8W-\"", {0}, 0, 0, true},
        {"uuuuu", {0}, 0, 0, true},
        {"hQ>-6E\"IO\"", {0xdeadd00d, 0x70108000}, 2, 10, false},
        {"hQ=N\\!!!", {0xdeadbeef}, 1, 5, true},
        {"zzzz", {0, 0, 0}, 3, 3, true},
        {"z z", {0}, 1, 1, true},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        uint32_t words[3] = {0};
        size_t n = 0;
        const size_t used = lull_ascii85_decode(rows[i].text, strlen(rows[i].text), words, 3, &n);
        struct lull_str again = {0};
        lull_ascii85_encode(words, n, &again);
        const bool same = strcmp(lull_str_text(&again), rows[i].text) == 0;
        test_case(n == rows[i].n && used == rows[i].used && same == !rows[i].bad &&
                      memcmp(words, rows[i].words, sizeof words) == 0,
                  rows[i].text, "%zu dwords of %zu, %08x %08x, again '%s'", n, used, words[0],
                  words[1], lull_str_text(&again));
        lull_str_free(&again);
    }
}

static void lines(void)
{
    static const char text[] = "---\nrevision: 630 (6.3.0.2)\nbos:\n  - iova: 0x1000\r\n"
                               "    data: !!ascii85 |\n     z!!!!\"\n"
                               "registers:\n  - { offset: 0x000840, value: 0x00800005 }\n"
                               "    data: !!ascii85 |\nclusters:\n\n  odd line";
    static const struct {
        enum lull_devcore_kind kind;
        uint64_t number;
        const char *section, *key, *value;
    } want[] = {
        {LULL_DEVCORE_HEAD, 1, "", "", "---"},
        {LULL_DEVCORE_HEAD, 2, "revision", "revision", "630 (6.3.0.2)"},
        {LULL_DEVCORE_HEAD, 3, "bos", "bos", ""},
        {LULL_DEVCORE_KEY, 4, "bos", "iova", "0x1000"},
        {LULL_DEVCORE_DATA, 6, "bos", "data", "!!ascii85 |"},
        {LULL_DEVCORE_HEAD, 7, "registers", "registers", ""},
        {LULL_DEVCORE_REGISTER, 8, "registers", "", ""},
        {LULL_DEVCORE_DATA, 9, "registers", "data", "!!ascii85 |"},
        {LULL_DEVCORE_HEAD, 10, "clusters", "clusters", ""},
        {LULL_DEVCORE_HEAD, 11, "", "", ""},
        {LULL_DEVCORE_TEXT, 12, "", "", "odd line"},
    };
    struct lull_stream *s = NULL;
    struct lull_devcore *d = NULL;
    struct lull_error *err = lull_stream_of(text, sizeof text - 1, &s);
    err = err != NULL ? err : lull_devcore_new(s, 0, &d);
    size_t size = 0;
    bool more = err == NULL;
    for (size_t i = 0; i < TEST_ROWS(want) && more; i++) {
        struct lull_devcore_line l = {0};
        err = lull_devcore_next(d, &l, &more);
        if (err != NULL || !more) {
            break;
        }
        const bool same = memcmp(l.text, text + size, l.size) == 0;
        size += l.size;
        test_case(
            same && l.kind == want[i].kind && l.number == want[i].number &&
                strcmp(l.section, want[i].section) == 0 && strcmp(l.key, want[i].key) == 0 &&
                strcmp(l.value, want[i].value) == 0 &&
                (l.kind != LULL_DEVCORE_REGISTER || (l.offset == 0x840 && l.content == 0x800005)) &&
                l.cut == (i + 1 == TEST_ROWS(want)) &&
                l.data_size == (i == 4 ? strlen("z!!!!\"") : 0),
            want[i].value, "line %u: kind %d, section '%s', key '%s', value '%s', data %zu",
            (unsigned)l.number, (int)l.kind, l.section, l.key, l.value, l.data_size);
    }
    test_case(err == NULL && size == sizeof text - 1, "all of it", "%zu bytes", size);
    lull_devcore_free(d);
    lull_stream_free(s);
}

static void limit(void)
{
    static char text[1 << 18];
    struct lull_stream *s = NULL;
    struct lull_devcore *d = NULL;
    memset(text, 'z', sizeof text);
    memcpy(text + sizeof text - 8, "z\nbos:\nz", 8);
    struct lull_error *err = lull_stream_of(text, sizeof text, &s);
    err = err != NULL ? err : lull_devcore_new(s, 1000, &d);
    struct lull_devcore_line l = {0};
    bool more = false;
    err = err != NULL ? err : lull_devcore_next(d, &l, &more);
    test_case(err == NULL && more && l.size == 1000 && l.overlong && !l.cut,
              "a line over the limit", "%zu bytes", l.size);
    err = err != NULL ? err : lull_devcore_next(d, &l, &more);
    test_case(err == NULL && more && l.number == 2 && strcmp(l.key, "bos") == 0 && !l.overlong,
              "the line after it", "line %u: '%s'", (unsigned)l.number, l.key);
    lull_error_free(err);
    lull_devcore_free(d);
    lull_stream_free(s);
}

int main(void)
{
    ascii85();
    lines();
    limit();
    return test_end();
}
