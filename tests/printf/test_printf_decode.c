// SPDX-License-Identifier: MIT
// Printf buffers: built here as a shader would, then damaged; every entry that is whole must come
// out.
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "printf/decode.h"

enum { ROOM = 1 << 20 };

// A buffer being written, as a lowering writes it.
struct buffer {
    uint32_t *words;
    uint64_t capacity; // dwords behind the header
    uint64_t offset;
    uint32_t lost;
    bool own; // write what fits whole, count what does not
};

static struct buffer new_buffer(uint64_t capacity, bool own)
{
    struct buffer b = {.capacity = capacity, .own = own};
    b.words = calloc((size_t)capacity + 4, sizeof *b.words);
    if (b.words == NULL) {
        abort();
    }
    return b;
}

static void finish(struct buffer *b)
{
    memcpy(b->words, &b->offset, 8);
    b->words[2] = b->lost;
    b->words[3] = 77;
}

static void entry(struct buffer *b, uint64_t id, uint32_t size, const uint32_t *payload)
{
    const uint64_t head = id << 16 | size;
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t v = i == 0   ? (uint32_t)head
                           : i == 1 ? (uint32_t)(head >> 32)
                                    : payload[i - 2];
        const bool whole = b->offset + size <= b->capacity;
        if (b->offset + i < b->capacity &&
            (whole || !b->own || (i < 2 && b->offset + 2 <= b->capacity))) {
            b->words[4 + b->offset + i] = v;
        }
    }
    b->lost += b->offset + size > b->capacity && b->own;
    b->offset += size;
}

struct log {
    struct lull_str text;
    uint64_t lost, lost_max;
};

static const char *const kinds[] = {"",      "ambiguous ", "candidate ", "short ",
                                    "long ", "cut ",       "format ",    "unknown ",
                                    "zero ", "garbage ",   "lost ",      "header "};

static struct lull_error *on_event(void *arg, const struct lull_printf_event *e)
{
    struct log *log = arg;
    if (e->kind == LULL_PRINTF_LOST) {
        log->lost += e->lost;
        log->lost_max += e->lost_max;
        lull_str_addf(&log->text, "lost %" PRIu64 " %" PRIu64 "; ", e->lost, e->lost_max);
        return NULL;
    }
    lull_str_addf(&log->text, "%s", kinds[e->kind]);
    if (e->kind >= LULL_PRINTF_SHORT) {
        lull_str_addf(&log->text, "@%" PRIu64 " ", (e->offset - 16) / 4);
    }
    if (e->records == LULL_PRINTF_RECORD_ALL) {
        lull_str_addf(&log->text, "[%u %u %u.%u.%u %u %u %u] ", e->site, e->dispatch,
                      e->workgroup[0], e->workgroup[1], e->workgroup[2], e->wave, e->lane,
                      e->pipeline);
    }
    lull_str_add(&log->text, e->text, e->text_size);
    lull_str_addf(&log->text, "; ");
    return NULL;
}

static struct lull_printf_table *new_table(void)
{
    struct lull_printf_table *t = NULL;
    if (lull_printf_table_new(&t) != NULL) {
        abort();
    }
    return t;
}

static uint64_t add(struct lull_printf_table *t, const char *text, const char *types,
                    unsigned records)
{
    struct lull_printf_type list[8] = {0};
    size_t n = 0;
    uint64_t id = 0;
    while (*types != '\0') {
        const size_t size = strcspn(types, ",");
        if (!lull_printf_type_parse(types, size, &list[n++])) {
            abort();
        }
        types += size + (types[size] == ',');
    }
    if (lull_printf_table_add(t, text, strlen(text), list, n, records, &id) != NULL) {
        abort();
    }
    return id;
}

static void run(struct lull_printf_decoder *d, const struct lull_printf_table *t,
                const struct buffer *b, bool live, struct log *log)
{
    struct lull_error *err =
        lull_printf_decode(d, t, b->words, ((size_t)b->capacity + 4) * 4, live, on_event, log);
    if (err != NULL) {
        lull_str_addf(&log->text, "error %s", lull_error_message(err));
        lull_error_free(err);
    }
}

static void expect(const char *name, const struct lull_printf_table *t, struct buffer *b,
                   const char *want)
{
    struct lull_printf_decoder d = {0};
    struct log log = {0};
    finish(b);
    run(&d, t, b, false, &log);
    test_case(strcmp(lull_str_text(&log.text), want) == 0, name, "got '%s', want '%s'",
              lull_str_text(&log.text), want);
    lull_str_free(&log.text);
    free(b->words);
}

static const uint32_t one[] = {1}, two[] = {2}, three[] = {3}, nine[] = {9, 9, 9, 9, 9, 9, 9, 9, 9};

/** Entries that are whole but wrong. */
static void damaged(void)
{
    struct lull_printf_table *t = new_table();
    const uint64_t a = add(t, "a%d", "s32", 0), v = add(t, "v%v2d", "s32x2", 0),
                   none = 0x123456789abc;
    struct buffer b = new_buffer(64, true);
    entry(&b, a, 3, one);
    entry(&b, v, 4, nine);
    entry(&b, a, 3, two);
    expect("nothing is wrong", t, &b, "a1; v9, 9; a2; ");

    b = new_buffer(64, true);
    expect("nothing was printed", t, &b, "");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    entry(&b, none, 5, nine);
    entry(&b, none, 2, NULL);
    entry(&b, a, 3, two);
    entry(&b, none, 3, nine);
    expect("unknown ids", t, &b, "a1; unknown @3 ; unknown @8 ; a2; unknown @13 ; ");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    b.offset += 3;
    entry(&b, a, 3, two);
    b.offset += 4;
    expect("size 0, in the middle and at the end", t, &b, "a1; zero @3 ; a2; zero @9 ; ");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    entry(&b, a, 0, NULL);
    entry(&b, a, 3, two);
    b.words[4 + 3] = 0; // of the second header: known id, size 0
    expect("a known id with size 0", t, &b, "a1; zero @3 ; ");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    entry(&b, v, 3, nine); // its payload is a dword short
    entry(&b, a, 3, two);
    expect("a payload too short", t, &b, "a1; short @3 v9, 0; a2; ");

    b = new_buffer(64, true);
    entry(&b, v, 2, NULL);
    entry(&b, a, 3, two);
    expect("no payload at all", t, &b, "short @0 v%v2d; a2; ");

    lull_printf_table_free(t);
}

/** Sizes that lead nowhere, and what no entry begins with. */
static void garbage(void)
{
    struct lull_printf_table *t = new_table();
    const uint64_t a = add(t, "a%d", "s32", 0), v = add(t, "v%v2d", "s32x2", 0);
    struct buffer b = new_buffer(64, true);
    entry(&b, a, 6, nine);
    entry(&b, a, 3, two);
    expect("a payload too long", t, &b, "long @0 a9; a2; ");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    entry(&b, a, 3, two);
    entry(&b, a, 3, three);
    b.words[4 + 3] = (b.words[4 + 3] & 0xffff0000) | 40; // the size of the second is wrong
    expect("a size that leads nowhere", t, &b, "a1; garbage @3 ; a3; ");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    entry(&b, a, 3, two);
    entry(&b, a, 3, three);
    b.words[4 + 3] = (b.words[4 + 3] & 0xffff0000) | 4; // leads into the third
    expect("a size that is one too large", t, &b, "a1; long @3 a2; a3; ");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    entry(&b, a, 1, NULL);
    entry(&b, a, 3, two);
    expect("a size of 1", t, &b, "a1; garbage @3 ; a2; ");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    for (unsigned i = 0; i < 7; i++) {
        b.words[4 + b.offset++] = 0xdeadbeef + i;
    }
    entry(&b, a, 3, two);
    expect("garbage between entries", t, &b, "a1; garbage @3 ; a2; ");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    entry(&b, v, 4, nine);
    b.offset--;
    expect("the offset ends within an entry", t, &b, "a1; short @3 v9, 0; ");

    b = new_buffer(64, true);
    entry(&b, a, 3, one);
    b.offset++;
    expect("one dword at the end", t, &b, "a1; garbage @3 ; ");
    lull_printf_table_free(t);
}

static void headers(void)
{
    struct lull_printf_table *t = new_table();
    const uint64_t a = add(t, "a%d", "s32", 0);
    for (size_t size = 0; size < 20; size++) {
        const uint32_t words[5] = {0};
        struct lull_printf_decoder d = {0};
        struct log log = {0};
        struct lull_error *err = lull_printf_decode(&d, t, words, size, false, on_event, &log);
        const char *want = size < 16 ? "header @4611686018427387900 ; " : "";
        test_case(err == NULL && strcmp(lull_str_text(&log.text), want) == 0,
                  "a buffer of a few bytes", "%zu: '%s'", size, lull_str_text(&log.text));
        lull_str_free(&log.text);
    }
    struct buffer b = new_buffer(9, true);
    entry(&b, a, 3, one);
    entry(&b, a, 3, two);
    entry(&b, a, 3, three);
    b.offset = 0xfeedfacecafebeef;
    expect("an offset of garbage: the buffer is read to its end", t, &b,
           "garbage @4611686018427387900 ; a1; a2; a3; ");
    lull_printf_table_free(t);
}

static void records(void)
{
    struct lull_printf_table *t = new_table();
    const uint64_t r = add(t, "r%d", "s32", LULL_PRINTF_RECORD_ALL),
                   l = add(t, "l%ld", "s64", LULL_PRINTF_LANE);
    const uint32_t payload[] = {5, 6, 77, 1, 2, 3, 4, 31, 8}, wide[] = {0xffffffff, 0xffffffff, 8};
    struct buffer b = new_buffer(64, true);
    entry(&b, r, 11, payload);
    entry(&b, l, 5, wide);
    entry(&b, r, 3, payload); // without its records
    expect("records", t, &b, "[6 77 1.2.3 4 31 8] r5; l-1; short @16 r5; ");
    lull_printf_table_free(t);
}

// Strings of two pipelines under one id: as two tables write them, read into one.
static struct lull_printf_table *both(const char *one_types, const char *other_types,
                                      const char *text, uint64_t *id)
{
    struct lull_printf_table *x = new_table(), *y = new_table(), *t = new_table();
    struct lull_str doc = {0};
    *id = add(x, text, one_types, 0);
    add(y, text, other_types, 0);
    lull_printf_table_document(x, &doc);
    struct lull_error *err = lull_printf_table_read(t, doc.text, doc.size, "x", NULL);
    doc.size = 0;
    lull_printf_table_document(y, &doc);
    err = err != NULL ? err : lull_printf_table_read(t, doc.text, doc.size, "y", NULL);
    if (err != NULL) {
        abort();
    }
    lull_str_free(&doc);
    lull_printf_table_free(x);
    lull_printf_table_free(y);
    return t;
}

static void pipelines(void)
{
    uint64_t id = 0;
    struct lull_printf_table *t = both("s32", "s64", "n%d", &id);
    struct buffer b = new_buffer(64, true);
    entry(&b, id, 3, one);
    entry(&b, id, 4, nine);
    test_case(lull_printf_table_warnings(t) == 1, "two shapes of one string: a warning", "%zu",
              lull_printf_table_warnings(t));
    expect("two shapes: the size decides", t, &b, "n1; n38654705673; ");
    lull_printf_table_free(t);

    static const uint32_t minus[] = {0xff};
    t = both("s8", "u8", "n%d", &id);
    b = new_buffer(64, true);
    entry(&b, id, 3, minus);
    entry(&b, id, 3, one);
    finish(&b);
    struct lull_printf_decoder d = {.source = 2};
    struct log log = {0};
    run(&d, t, &b, false, &log);
    test_case(strcmp(lull_str_text(&log.text), "n255; n1; ") == 0,
              "two shapes of one size: the pipeline decides", "'%s'", lull_str_text(&log.text));
    lull_str_free(&log.text);
    expect("and without a pipeline both are told, where they differ", t, &b,
           "ambiguous n-1; candidate n255; n1; ");
    lull_printf_table_free(t);
}

static void live(void)
{
    struct lull_printf_table *t = new_table();
    const uint64_t a = add(t, "a%d", "s32", 0);
    struct lull_printf_decoder d = {0};
    struct log log = {0};
    struct buffer b = new_buffer(12, true);
    finish(&b);
    run(&d, t, &b, true, &log);
    entry(&b, a, 3, one);
    finish(&b);
    run(&d, t, &b, true, &log);
    lull_str_addf(&log.text, "| ");
    run(&d, t, &b, true, &log);
    b.offset += 3; // asked for, not written yet
    entry(&b, a, 3, three);
    finish(&b);
    run(&d, t, &b, true, &log);
    lull_str_addf(&log.text, "| ");
    b.offset -= 6;
    entry(&b, a, 3, two);
    b.offset += 3;
    run(&d, t, &b, true, &log);
    lull_str_addf(&log.text, "| ");
    entry(&b, a, 3, one);
    entry(&b, a, 3, one);
    entry(&b, a, 3, one);
    finish(&b);
    run(&d, t, &b, true, &log);
    entry(&b, a, 3, one);
    finish(&b);
    run(&d, t, &b, true, &log);
    test_case(strcmp(lull_str_text(&log.text), "a1; | | a2; a3; | a1; lost 2 2; lost 1 1; ") == 0,
              "live: each entry once, none before it is there", "'%s'", lull_str_text(&log.text));
    log.text.size = 0;
    memset(b.words, 0, 64);
    b.offset = 0;
    b.lost = 0;
    entry(&b, a, 3, three);
    finish(&b);
    run(&d, t, &b, true, &log);
    test_case(strcmp(lull_str_text(&log.text), "a3; ") == 0, "live: the buffer was emptied", "'%s'",
              lull_str_text(&log.text));
    lull_str_free(&log.text);
    free(b.words);
    lull_printf_table_free(t);
}

/** A header whose arguments are not there yet is not read before its reader says so. */
static void held(void)
{
    struct lull_printf_table *t = new_table();
    const uint64_t a = add(t, "a%d", "s32", 0);
    struct lull_printf_decoder d = {.until = 3};
    struct log log = {0};
    struct buffer b = new_buffer(12, true);
    entry(&b, a, 3, one);
    entry(&b, a, 3, (const uint32_t[]){0});
    finish(&b);
    run(&d, t, &b, true, &log);
    run(&d, t, &b, true, &log);
    lull_str_addf(&log.text, "| ");
    b.offset -= 3;
    entry(&b, a, 3, two);
    entry(&b, a, 3, three);
    finish(&b);
    d.until = 6;
    run(&d, t, &b, true, &log);
    lull_str_addf(&log.text, "| ");
    run(&d, t, &b, false, &log);
    test_case(strcmp(lull_str_text(&log.text), "a1; | a2; | a3; ") == 0,
              "live: entries from a place on wait", "'%s'", lull_str_text(&log.text));
    lull_str_free(&log.text);
    free(b.words);
    lull_printf_table_free(t);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

// 100,000 entries of four sizes into buffers of every kind of length; stale memory behind the
// header.
static void overruns(uint64_t seed)
{
    struct lull_printf_table *t = new_table();
    const uint64_t ids[] = {add(t, "p", "", 0), add(t, "a%d", "s32", 0),
                            add(t, "v%v2d", "s32x2", 0), add(t, "w%v4ld", "s64x4", 15)};
    const uint32_t sizes[] = {2, 3, 4, 16}, payload[16] = {0};
    uint64_t state = seed;
    unsigned wrong = 0, problems = 0;
    for (unsigned trial = 0; trial < 40; trial++) {
        struct buffer b = new_buffer(next_random(&state) % (trial < 30 ? 200 : ROOM), true);
        for (uint64_t i = 0; i < b.capacity; i++) { // an old buffer's entries
            b.words[4 + i] = i % 3 == 0   ? (uint32_t)(ids[1] << 16 | 3)
                             : i % 3 == 1 ? (uint32_t)(ids[1] >> 16)
                                          : 7;
        }
        const unsigned total = trial < 30 ? 100 : 100000;
        for (unsigned i = 0; i < total; i++) {
            const uint64_t k = next_random(&state) % 4;
            entry(&b, ids[k], sizes[k], payload);
        }
        finish(&b);
        struct lull_printf_decoder d = {0};
        struct log log = {0};
        run(&d, t, &b, false, &log);
        wrong += log.lost != b.lost || log.lost_max != b.lost || d.entries != total - b.lost;
        problems += d.problems != (b.lost > 0);
        lull_str_free(&log.text);
        free(b.words);
    }
    test_case(wrong == 0 && problems == 0, "own lowering: losses are counted exactly",
              "seed %" PRIu64 ": %u wrong, %u with other problems", seed, wrong, problems);
    lull_printf_table_free(t);
}

// Plain metadata with two strings, and with one.
static const char plain_two[] = "\x81\xb5"
                                "amdpal.format_strings"
                                "\x82\xa8"
                                ".version"
                                "\x01\xa8"
                                ".strings"
                                "\x92"
                                "\x83\xa6"
                                ".index"
                                "\x05\xa7"
                                ".string"
                                "\xa3"
                                "a%d"
                                "\xaf"
                                ".argument_count"
                                "\x01"
                                "\x83\xa6"
                                ".index"
                                "\x06\xa7"
                                ".string"
                                "\xa5"
                                "b%v3d"
                                "\xaf"
                                ".argument_count"
                                "\x03";
static const char plain_one[] = "\x81\xb5"
                                "amdpal.format_strings"
                                "\x81\xa8"
                                ".strings"
                                "\x91"
                                "\x83\xa6"
                                ".index"
                                "\x05\xa7"
                                ".string"
                                "\xa3"
                                "a%d"
                                "\xaf"
                                ".argument_count"
                                "\x01";

// LLPC's lowering: what fits is stored, cut at the end. Known exactly if all entries have one size.
static void plain_overruns(uint64_t seed)
{
    uint64_t state = seed;
    unsigned wrong = 0;
    for (unsigned trial = 0; trial < 200; trial++) {
        struct lull_printf_table *t = new_table();
        struct lull_error *err =
            lull_printf_table_read(t, plain_two, sizeof plain_two - 1, "doc", NULL);
        if (err != NULL) {
            abort();
        }
        struct buffer b = new_buffer(next_random(&state) % 100, false);
        unsigned whole = 0;
        for (unsigned i = 0; i < 100; i++) {
            const bool big = next_random(&state) % 2 != 0;
            entry(&b, big ? 6 : 5, big ? 5 : 3, nine);
            whole += b.offset <= b.capacity;
        }
        finish(&b);
        struct lull_printf_decoder d = {0};
        struct log log = {0};
        run(&d, t, &b, false, &log);
        wrong += d.entries != whole || log.lost > 100 - whole || log.lost_max < 100 - whole;
        lull_str_free(&log.text);
        free(b.words);
        lull_printf_table_free(t);
    }
    test_case(wrong == 0, "plain lowering: losses lie within the bounds",
              "seed %" PRIu64 ": %u wrong", seed, wrong);
}

static void plain_overruns_one_size(void)
{
    for (unsigned capacity = 0; capacity < 12; capacity++) {
        struct lull_printf_table *t = new_table();
        struct lull_error *err =
            lull_printf_table_read(t, plain_one, sizeof plain_one - 1, "doc", NULL);
        struct buffer b = new_buffer(capacity, false);
        for (unsigned i = 0; i < 10; i++) {
            entry(&b, 5, 3, nine);
        }
        finish(&b);
        struct lull_printf_decoder d = {0};
        struct log log = {0};
        run(&d, t, &b, false, &log);
        test_case(err == NULL && log.lost == 10 - capacity / 3 && log.lost_max == log.lost &&
                      d.entries == capacity / 3,
                  "plain lowering, one size: exactly", "%u dwords: %s", capacity,
                  lull_str_text(&log.text));
        lull_str_free(&log.text);
        free(b.words);
        lull_printf_table_free(t);
    }
}

static void literals(void)
{
    struct lull_printf_table *t = new_table();
    uint64_t lit = 0;
    const uint64_t s = add(t, "%s is %d", "str,s32", 0);
    struct lull_error *err = lull_printf_table_add_literal(t, "100%", 4, &lit);
    uint32_t payload[] = {(uint32_t)lit, (uint32_t)(lit >> 32), 5};
    struct buffer b = new_buffer(64, true);
    entry(&b, s, 5, payload);
    payload[0]++;
    entry(&b, s, 5, payload);
    finish(&b);
    struct lull_printf_decoder d = {0};
    struct log log = {0};
    run(&d, t, &b, false, &log);
    test_case(err == NULL &&
                  strncmp(lull_str_text(&log.text), "100% is 5; format @5 <string 0x", 31) == 0 &&
                  d.problems == 1,
              "literals of %s", "'%s'", lull_str_text(&log.text));
    lull_str_free(&log.text);
    free(b.words);
    lull_printf_table_free(t);
}

// Sizes of 3 and 5 dwords, and the first is whole: how many entries make up the rest?
static void sums(void)
{
    static const char doc[] = "\x81\xa8.strings\x92"
                              "\x83\xa6.index\x05\xa7.string\xa3"
                              "a%d"
                              "\xaf.argument_count\x01"
                              "\x83\xa6.index\x06\xa7.string\xa5"
                              "b%v3d"
                              "\xaf.argument_count\x03";
    static const struct {
        unsigned rest, least, most;
    } rows[] = {{3, 1, 1},  {5, 1, 1},  {6, 2, 2},  {8, 2, 2}, {9, 3, 3},
                {10, 2, 2}, {12, 4, 4}, {15, 3, 5}, {7, 2, 2}, {100000, 20000, 33332}};
    struct lull_printf_table *t = new_table();
    struct lull_error *err = lull_printf_table_read(t, doc, sizeof doc - 1, "doc", NULL);
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct buffer b = new_buffer(3, false);
        entry(&b, 5, 3, one);
        b.offset += rows[i].rest; // 7 is no sum of these sizes: something between the bounds
        finish(&b);
        struct lull_printf_decoder d = {0};
        struct log log = {0};
        run(&d, t, &b, false, &log);
        test_case(err == NULL && log.lost == rows[i].least && log.lost_max == rows[i].most,
                  "sums of sizes", "%u dwords: %s", rows[i].rest, lull_str_text(&log.text));
        lull_str_free(&log.text);
        free(b.words);
    }
    lull_printf_table_free(t);
}

int main(int argc, char **argv)
{
    sums();
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    damaged();
    garbage();
    headers();
    records();
    pipelines();
    literals();
    live();
    held();
    overruns(seed);
    plain_overruns(seed);
    plain_overruns_one_size();
    return test_end();
}
