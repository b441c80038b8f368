// SPDX-License-Identifier: MIT
// ascii85 as the kernel writes it, and the lines of crash dumps.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/file/ascii85.h"
#include "adreno/file/devcore.h"
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

/** @p line, of its meaning: data and registers are taken apart and written anew. */
static void write_line(const struct lull_devcore_line *line, struct lull_str *out)
{
    const unsigned indent = (unsigned)strspn(line->text, " ");
    if (line->kind == LULL_DEVCORE_REGISTER) {
        lull_devcore_put_register(out, indent, line->offset, line->content);
    } else if (line->kind == LULL_DEVCORE_DATA) {
        uint32_t *words = calloc(line->data_size + 1, sizeof *words);
        const char *second = memchr(line->text, '\n', line->size);
        const unsigned data_indent = second != NULL ? (unsigned)strspn(second + 1, " ") : 0;
        size_t n = 0;
        if (words != NULL) {
            (void)lull_ascii85_decode(line->data, line->data_size, words, line->data_size, &n);
            lull_devcore_put_data(out, indent, data_indent, words, n);
        }
        free(words);
    } else {
        lull_str_add(out, line->text, line->size);
    }
}

/** Read and written, a dump has the same bytes. */
static void identity(const char *name, const char *data, size_t size)
{
    struct lull_stream *s = NULL;
    struct lull_devcore *d = NULL;
    struct lull_error *err = lull_stream_of(data, size, &s);
    err = err != NULL ? err : lull_devcore_new(s, 0, &d);
    bool more = err == NULL, same = true;
    size_t at = 0;
    struct lull_devcore_line l = {0};
    while (same && more) {
        struct lull_str out = {0};
        err = lull_devcore_next(d, &l, &more);
        if (err != NULL || !more) {
            break;
        }
        write_line(&l, &out);
        same = out.size == l.size && at + l.size <= size &&
               memcmp(lull_str_text(&out), data + at, l.size) == 0;
        at += l.size;
        lull_str_free(&out);
    }
    test_case(same && err == NULL && at == size, name, "line %u, %zu of %zu bytes",
              (unsigned)l.number, at, size);
    lull_error_free(err);
    lull_devcore_free(d);
    lull_stream_free(s);
}

/** A dump that is written here, and all those that are given. */
static void identities(const char *source)
{
    const uint32_t words[] = {0, 1, 0xffffffff, 0, 0xdeadbeef, 0};
    struct lull_str own = {0};
    lull_str_addf(&own, "---\nrevision: 630 (6.3.0.2)\nbos:\n  - iova: 0x1000\n    size: 24\n");
    lull_devcore_put_data(&own, 4, 5, words, 6);
    lull_devcore_put_data(&own, 6, 7, words, 1); // nothing but zeros: no line
    lull_devcore_put_register(&own, 2, 0x840, 5);
    identity("written, read and written", own.text, own.size);
    lull_str_free(&own);
    char folder[4096];
    unsigned n = 0;
    (void)snprintf(folder, sizeof folder, "%s/../shared/traces", source);
    DIR *dir = opendir(folder);
    for (struct dirent *e = NULL; dir != NULL && (e = readdir(dir)) != NULL;) {
        char path[sizeof folder + 300];
        const size_t length = strlen(e->d_name);
        if (length < 8 || strcmp(e->d_name + length - 8, ".devcore") != 0) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = fopen(path, "rb");
        char *data = NULL;
        size_t size = 0;
        if (f != NULL && fseek(f, 0, SEEK_END) == 0 && ftell(f) > 0) {
            size = (size_t)ftell(f);
            data = calloc(size, 1);
            rewind(f);
            size = data != NULL ? fread(data, 1, size, f) : 0;
            identity(e->d_name, data, size);
            n++;
        }
        free(data);
        if (f != NULL) {
            fclose(f);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    if (n == 0) {
        test_skip("no dumps in %s", folder);
    }
}

int main(void)
{
    ascii85();
    lines();
    limit();
    const char *source = getenv("LULL_SOURCE");
    identities(source != NULL ? source : ".");
    return test_end();
}
