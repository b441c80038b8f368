// SPDX-License-Identifier: MIT
// lull_str_addf() against snprintf(): formats made at random, of what it does itself and of what it
// leaves to printf.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "test.h"

static uint64_t state;

static uint32_t random32(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

static uint64_t value(void)
{
    const uint64_t v = (uint64_t)random32() << 32 | random32();
    const uint64_t few = v >> (random32() % 64);
    return random32() % 4 == 0 ? 0 - few : few;
}

/** Of the conversions below: how each takes its argument. */
static const char *const kinds[] = {
    "d",  "i",  "u",  "x", "X", "hhd", "hhu", "hd", "hx", "ld",  "lu",  "lx",  "llX", "zu",
    "zd", "jd", "ju", "c", "s", ".3s", ".0s", "o",  "#x", ".4x", ".3d", "lli", "td",  "ti"};

/** One random conversion between texts; what both make of it is the same. */
static bool same(void)
{
    static const char *const texts[] = {"", "a", "longer than four", "%d"};
    const char *kind = kinds[random32() % TEST_ROWS(kinds)];
    const char *flags[] = {"", "", "0", "-", "+", " "};
    char fmt[64], want[600], width[8] = "";
    if (random32() % 2 == 0) {
        snprintf(width, sizeof width, "%u", random32() % 30);
    }
    const bool is_text = strchr("sc", kind[strlen(kind) - 1]) != NULL;
    const char *flag = is_text || *kind == '#' || *kind == '.' ? "" : flags[random32() % 6];
    snprintf(fmt, sizeof fmt, "x%%%%%%%s%s%s:%%s", flag, *kind == '#' ? "" : width, kind);
    const char *text = texts[random32() % TEST_ROWS(texts)];
    const uint64_t v = value();
    struct lull_str s = {0};
    lull_str_addf(&s, "before");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (kind[strlen(kind) - 1] == 's') {
        snprintf(want, sizeof want, fmt, text, "end");
        lull_str_addf(&s, fmt, text, "end");
    } else if (strpbrk(kind, "lzjt") != NULL) {
        snprintf(want, sizeof want, fmt, v, "end");
        lull_str_addf(&s, fmt, v, "end");
    } else {
        const unsigned u = *kind == 'c' ? 'a' + (unsigned)(v % 26) : (unsigned)v;
        snprintf(want, sizeof want, fmt, u, "end");
        lull_str_addf(&s, fmt, u, "end");
    }
#pragma GCC diagnostic pop
    const bool ok = s.err == NULL && strcmp(lull_str_text(&s) + strlen("before"), want) == 0 &&
                    s.size == strlen("before") + strlen(want);
    if (!ok) {
        printf("# %s of 0x%" PRIx64 ": got '%s', want '%s'\n", fmt, v,
               lull_str_text(&s) + strlen("before"), want);
    }
    lull_str_free(&s);
    return ok;
}

/** Of all sizes, halves of the last digit, what a shader writes, and what is no number. */
static double real(void)
{
    const uint64_t bits = (uint64_t)random32() << 32 | random32();
    const uint32_t single = random32();
    double v = 0;
    float f = 0;
    switch (random32() % 5) {
    case 0:
        memcpy(&v, &bits, sizeof v);
        return v;
    case 1:
        memcpy(&f, &single, sizeof f);
        return (double)f;
    case 2: // a tie, or next to one
        return ((double)(int32_t)random32() + 0.5) / (double)(1u << random32() % 24);
    case 3:
        return (double)(int32_t)random32() / 1e6;
    default:
        return ldexp((double)random32(), (int)(random32() % 200) - 120);
    }
}

/** One random number with a point; what both make of it is the same. */
static bool same_real(void)
{
    static const char *const formats[] = {"%f",      "%.0f",  "%.1f", "%.3f", "%.6f",
                                          "%.9f",    "%.10f", "%lf",  "%12f", "%-12.2f",
                                          "%012.4f", "%+f",   "%5.0f"};
    const char *fmt = formats[random32() % TEST_ROWS(formats)];
    const double v = real();
    char want[400];
    struct lull_str s = {0};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(want, sizeof want, fmt, v);
    lull_str_addf(&s, fmt, v);
#pragma GCC diagnostic pop
    const bool ok = s.err == NULL && strcmp(lull_str_text(&s), want) == 0 && s.size == strlen(want);
    if (!ok) {
        printf("# %s of %a: got '%s', want '%s'\n", fmt, v, lull_str_text(&s), want);
    }
    lull_str_free(&s);
    return ok;
}

static void test_stars(void)
{
    struct lull_str s = {0};
    char want[300];
    lull_str_addf(&s, "%*d|%-*s|%.*s|%.*s|%*s|%f", 6, -42, 8, "ab", 2, "xyz", -1, "whole", -5, "q",
                  1.5);
    snprintf(want, sizeof want, "%*d|%-*s|%.*s|%.*s|%*s|%f", 6, -42, 8, "ab", 2, "xyz", -1, "whole",
             -5, "q", 1.5);
    test_case(strcmp(lull_str_text(&s), want) == 0, "stars, and a float", "%s", lull_str_text(&s));
    lull_str_free(&s);
    lull_str_addf(&s, "%*d|%-*s|%.*s|%.*s|%*s|%%", 6, -42, 8, "ab", 2, "xyz", -1, "whole", -5, "q");
    snprintf(want, sizeof want, "%*d|%-*s|%.*s|%.*s|%*s|%%", 6, -42, 8, "ab", 2, "xyz", -1, "whole",
             -5, "q");
    test_case(strcmp(lull_str_text(&s), want) == 0, "stars", "%s", lull_str_text(&s));
    lull_str_free(&s);
    lull_str_addf(&s, "%s", "");
    test_case(s.text != NULL && s.size == 0 && *s.text == '\0', "an empty text is there",
              "no text");
    lull_str_free(&s);
}

static void test_page(void)
{
    static const char text[] = "<a href=\"x\">\xc3\xa4 & 'b'\n\t\x1b[31m</a>";
    struct lull_str s = {0};
    lull_str_page(&s, text);
    test_case(strcmp(lull_str_text(&s), "&lt;a href=&quot;x&quot;&gt;\xc3\xa4 &amp; "
                                        "&#39;b&#39;\n\t\\x1b[31m&lt;/a&gt;") == 0,
              "text in a page", "%s", lull_str_text(&s));
    lull_str_free(&s);
}

// Each byte at each place of a text: only ASCII that can be seen, newlines and tabs stay.
static void test_printable(void)
{
    enum { SIZE = 19 };
    unsigned wrong = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        for (unsigned at = 0; at < SIZE; at++) {
            char text[SIZE], want[2 * SIZE + 8];
            memset(text, at % 2 != 0 ? '~' : ' ', SIZE);
            text[at] = (char)byte;
            const bool seen = (byte >= 0x20 && byte <= 0x7e) || byte == '\n' || byte == '\t';
            snprintf(want, sizeof want, seen ? "%.*s%c%.*s" : "%.*s\\x%02x%.*s", (int)at, text,
                     byte, (int)(SIZE - at - 1), text + at + 1);
            struct lull_str s = {0};
            lull_str_printable(&s, text, SIZE);
            wrong += strcmp(lull_str_text(&s), want) != 0;
            lull_str_free(&s);
        }
    }
    test_case(wrong == 0, "each byte at each place, printable", "%u differ", wrong);
}

// Numbers of each length, with zeros in front to each number of digits.
static void test_hex(void)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t v =
            (i % 2 != 0 ? UINT64_MAX : (uint64_t)random32() << 32 | random32()) >> (i / 2 % 64);
        const unsigned digits = 1 + i % 16;
        char want[40];
        struct lull_str s = {0};
        snprintf(want, sizeof want, "<%0*" PRIx64 "|%#" PRIx64 ">", (int)digits, v, v);
        lull_str_put(&s, "<", 1);
        lull_str_hex(&s, v, digits);
        lull_str_put(&s, "|", 1);
        lull_str_prefixed(&s, v);
        lull_str_put(&s, ">", 1);
        wrong += strcmp(lull_str_text(&s), want) != 0 || s.size != strlen(want);
        lull_str_free(&s);
    }
    test_case(wrong == 0, "hexadecimal as snprintf() prints it", "%u differ", wrong);
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 20261128;
    printf("# seed %" PRIu64 "\n", state);
    unsigned n = 0;
    while (n < 20000 && same()) {
        n++;
    }
    test_case(n == 20000, "random formats as snprintf() prints them", "differs");
    n = 0;
    while (n < 100000 && same_real()) {
        n++;
    }
    test_case(n == 100000, "random numbers with a point as snprintf() prints them", "differs");
    test_stars();
    test_hex();
    test_page();
    test_printable();
    return test_end();
}
