// SPDX-License-Identifier: MIT
/** @file
 * Texels read and written, against format_vec.py; block formats against values worked out by hand
 * from the Khronos Data Format Specification.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "tex/format.h"

enum { LINE = 512, TEXEL = 16, KEPT = 0xa5 };

struct tally {
    const char *what;
    char name[64];
    unsigned rows, bad;
    char first[LINE];
};

static void tally_end(struct tally *t)
{
    char name[LINE] = "";
    snprintf(name, sizeof(name), "%s %s: %u rows", t->what, t->name, t->rows);
    test_case(t->rows > 0 && t->bad == 0, name, "%u wrong, first: %s", t->bad, t->first);
}

/** A little-endian number of up to 16 bytes in hex. */
static void texel_of(const char *hex, uint8_t texel[TEXEL])
{
    memset(texel, 0, TEXEL);
    const size_t n = strlen(hex);
    for (size_t i = 0; i < n && i < 2 * TEXEL; i++) {
        const char digit[2] = {hex[n - 1 - i], 0};
        texel[i / 2] |= (uint8_t)(strtoul(digit, NULL, 16) << i % 2 * 4);
    }
}

static bool check_load(const struct lull_format_info *f, char **word, char *what, size_t room)
{
    uint8_t texel[TEXEL] = {0};
    uint32_t got[4] = {0};
    bool ok = true;
    texel_of(word[2], texel);
    lull_format_unpack(f, texel, got);
    for (unsigned i = 0; i < 4; i++) {
        ok = ok && got[i] == strtoul(word[3 + i], NULL, 16);
    }
    snprintf(what, room, "%s is %x %x %x %x, want %s %s %s %s", word[2], got[0], got[1], got[2],
             got[3], word[3], word[4], word[5], word[6]);
    return ok;
}

static bool check_store(const struct lull_format_info *f, char **word, char *what, size_t room)
{
    uint8_t want[TEXEL] = {0};
    uint8_t got[TEXEL] = {0};
    uint32_t rgba[4] = {0};
    texel_of(word[6], want);
    memset(want + f->bytes, KEPT, TEXEL - f->bytes);
    memset(got, KEPT, sizeof(got));
    for (unsigned i = 0; i < 4; i++) {
        rgba[i] = (uint32_t)strtoul(word[2 + i], NULL, 16);
    }
    lull_format_pack(f, rgba, got);
    uint64_t low = 0;
    memcpy(&low, got, sizeof(low));
    snprintf(what, room, "%s %s %s %s is %llx, want %s", word[2], word[3], word[4], word[5],
             (unsigned long long)low, word[6]);
    return memcmp(got, want, TEXEL) == 0;
}

/** Towards 0 ("half") is also what D16 does to singles, to nearest what it does to all else. */
static bool check_half(char **word, char *what, size_t room)
{
    const uint32_t bits = (uint32_t)strtoul(word[1], NULL, 16);
    const uint32_t want = (uint32_t)strtoul(word[2], NULL, 16);
    float value = 0;
    memcpy(&value, &bits, sizeof(value));
    const bool half = strcmp(word[0], "half") == 0;
    const uint32_t d16 =
        lull_format_to_d16(lull_format_by_name(half ? "32_FLOAT" : "8_SNORM"), bits);
    const uint32_t got = half ? lull_format_half(value) : d16;
    snprintf(what, room, "%08x is %x, with D16 %x, want %x", bits, got, d16, want);
    return got == want && d16 == want;
}

static void run_line(char *line, struct tally *t)
{
    char *word[8] = {0};
    char *save = NULL;
    unsigned n = 0;
    for (char *w = strtok_r(line, " \n", &save); w != NULL && n < 8;
         w = strtok_r(NULL, " \n", &save)) {
        word[n++] = w;
    }
    const bool named = n == 7;
    const char *name = named ? word[1] : word[0];
    if (n != 7 && n != 3) {
        test_case(false, "line", "%u words", n);
        return;
    }
    if (strcmp(t->name, name) != 0 || (named && strcmp(t->what, word[0]) != 0)) {
        if (t->rows != 0) {
            tally_end(t);
        }
        *t = (struct tally){0};
        t->what = !named ? "convert" : word[0][0] == 'l' ? "load" : "store";
        snprintf(t->name, sizeof(t->name), "%s", name);
    }
    const struct lull_format_info *f = named ? lull_format_by_name(name) : NULL;
    char what[LINE] = "no such format";
    bool ok = !named && check_half(word, what, sizeof(what));
    if (f != NULL) {
        ok = word[0][0] == 'l' ? check_load(f, word, what, sizeof(what))
                               : check_store(f, word, what, sizeof(what));
    }
    t->rows++;
    if (!ok && t->bad++ == 0) {
        memcpy(t->first, what, sizeof(t->first));
    }
}

struct bc_row {
    const char *name, *format, *block; // Bytes in hex, in order.
    unsigned x, y;
    float want[4];
};

/**
 * BC1 ends: f800 is red, 001f is blue. Indices: two bits a texel, from texel (0, 0) upwards.
 * BC4 ends 200 and 100; 3-bit indices 0 to 7 in the first texels: octal 76543210.
 */
static const struct bc_row bc_rows[] = {
    {"bc1 end 0", "BC1_UNORM", "00f81f00e4000000", 0, 0, {1, 0, 0, 1}},
    {"bc1 end 1", "BC1_UNORM", "00f81f00e4000000", 1, 0, {0, 0, 1, 1}},
    {"bc1 third", "BC1_UNORM", "00f81f00e4000000", 2, 0, {2 / 3.0f, 0, 1 / 3.0f, 1}},
    {"bc1 two thirds", "BC1_UNORM", "00f81f00e4000000", 3, 0, {1 / 3.0f, 0, 2 / 3.0f, 1}},
    {"bc1 half", "BC1_UNORM", "1f0000f8e4000000", 2, 0, {0.5f, 0, 0.5f, 1}},
    {"bc1 hole", "BC1_UNORM", "1f0000f8e4000000", 3, 0, {0, 0, 0, 0}},
    {"bc1 last texel", "BC1_UNORM", "00f81f0000000040", 3, 3, {0, 0, 1, 1}},
    {"bc1 green", "BC1_UNORM", "e0070000000000e4", 0, 3, {0, 1, 0, 1}},
    {"bc2 alpha 0", "BC2_UNORM", "100000000000000f00f81f0000000000", 0, 0, {1, 0, 0, 0}},
    {"bc2 alpha 1/15", "BC2_UNORM", "100000000000000f00f81f0000000000", 1, 0, {1, 0, 0, 1 / 15.0f}},
    {"bc2 alpha 1", "BC2_UNORM", "100000000000000f00f81f0000000000", 2, 3, {1, 0, 0, 1}},
    {"bc2 never has holes",
     "BC2_UNORM",
     "00000000000000001f0000f8e4000000",
     3,
     0,
     {2 / 3.0f, 0, 1 / 3.0f, 0}},
    {"bc3 alpha",
     "BC3_UNORM",
     "c86488c6fa00000000f81f0000000000",
     2,
     0,
     {1, 0, 0, (200 * 6 + 100) / 7.0f / 255.0f}},
    {"bc4 end", "BC4_UNORM", "c86488c6fa000000", 0, 0, {200 / 255.0f, 0, 0, 1}},
    {"bc4 end 1", "BC4_UNORM", "c86488c6fa000000", 1, 0, {100 / 255.0f, 0, 0, 1}},
    {"bc4 7", "BC4_UNORM", "c86488c6fa000000", 3, 1, {(200 + 6 * 100) / 7.0f / 255.0f, 0, 0, 1}},
    {"bc4 6 values",
     "BC4_UNORM",
     "64c888c6fa000000",
     1,
     1,
     {(100 + 4 * 200) / 5.0f / 255.0f, 0, 0, 1}},
    {"bc4 low", "BC4_UNORM", "64c888c6fa000000", 2, 1, {0, 0, 0, 1}},
    {"bc4 high", "BC4_UNORM", "64c888c6fa000000", 3, 1, {1, 0, 0, 1}},
    {"bc4 snorm",
     "BC4_SNORM",
     "7f8188c6fa000000",
     2,
     0,
     {(127 * 6 - 127) / 7.0f / 127.0f, 0, 0, 1}},
    {"bc4 snorm low", "BC4_SNORM", "817f88c6fa000000", 2, 1, {-1, 0, 0, 1}},
    {"bc4 snorm lowest", "BC4_SNORM", "807f000000000000", 0, 0, {-1, 0, 0, 1}},
    {"bc5",
     "BC5_UNORM",
     "c86488c6fa00000064c888c6fa000000",
     0,
     0,
     {200 / 255.0f, 100 / 255.0f, 0, 1}},
    {"bc1 srgb", "BC1_SRGB", "1f0000f8e4000000", 2, 0, {0.21404114f, 0, 0.21404114f, 1}},
};

static void test_bc(const struct bc_row *r)
{
    const struct lull_format_info *f = lull_format_by_name(r->format);
    uint8_t block[TEXEL] = {0};
    uint32_t bits[4] = {0};
    float got[4] = {0};
    for (size_t i = 0; i < strlen(r->block) / 2; i++) {
        const char byte[3] = {r->block[2 * i], r->block[2 * i + 1], 0};
        block[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    lull_format_unpack_block(f, block, r->x, r->y, bits);
    memcpy(got, bits, sizeof(got));
    bool ok = true;
    for (unsigned i = 0; i < 4; i++) {
        const float d = got[i] - r->want[i];
        ok = ok && d < 1e-6f && d > -1e-6f;
    }
    test_case(ok, r->name, "%g %g %g %g, want %g %g %g %g", (double)got[0], (double)got[1],
              (double)got[2], (double)got[3], (double)r->want[0], (double)r->want[1],
              (double)r->want[2], (double)r->want[3]);
}

static void test_refused(void)
{
    static const char *const names[] = {"BC6_UFLOAT", "BC7_UNORM", "GB_GR_UNORM", "MM_8_UNORM"};
    for (size_t i = 0; i < TEST_ROWS(names); i++) {
        const struct lull_format_info *f = lull_format_by_name(names[i]);
        uint32_t rgba[4] = {1, 1, 1, 1};
        uint8_t texel[TEXEL] = {7};
        lull_format_unpack(f, texel, rgba);
        lull_format_pack(f, rgba, texel);
        test_case(!lull_format_readable(f) && !lull_format_writable(f) && rgba[0] == 0 &&
                      rgba[3] == 0 && texel[0] == 7,
                  names[i], "is read or written");
    }
    unsigned count = 0;
    for (unsigned i = 0; i < 1000; i++) {
        const struct lull_format_info *f = lull_format_by_code(i);
        count += f != NULL && f->code == i && lull_format_by_name(f->name) == f;
    }
    test_case(count == 133 && lull_format_by_code(0) == NULL, "numbers", "%u formats", count);
}

static void test_d16(void)
{
    const struct lull_format_info *u = lull_format_by_name("32_UINT");
    const struct lull_format_info *s = lull_format_by_name("16_SINT");
    test_case(lull_format_to_d16(u, 0x12345) == 0x2345, "d16 of uint", "0x%x",
              lull_format_to_d16(u, 0x12345));
    test_case(lull_format_from_d16(s, 0x8001) == 0xffff8001, "d16 to sint", "0x%x",
              lull_format_from_d16(s, 0x8001));
    test_case(lull_format_from_d16(u, 0x8001) == 0x8001, "d16 to uint", "0x%x",
              lull_format_from_d16(u, 0x8001));
    const uint32_t got = lull_format_from_d16(lull_format_by_name("8_UNORM"), 0xc000);
    test_case(got == 0xc0000000, "d16 to float", "0x%x", got);
}

/** IEC 61966-2-1, in doubles: where rounding is not on the edge, it is the nearest code. */
static void test_srgb(void)
{
    unsigned bad = 0, seen = 0, state = 7;
    double worst = 0;
    for (unsigned i = 0; i < 300000; i++) {
        state = state * 1664525 + 1013904223;
        const double of = (state >> 8) / 16777216.0;
        const float v = (float)(i % 3 == 0 ? of : i % 3 == 1 ? of * of * of : of / 300);
        const double c =
            (double)v <= 0.0031308 ? (double)v * 12.92 : 1.055 * pow((double)v, 1 / 2.4) - 0.055;
        const double nearest = floor(c * 255 + 0.5);
        const bool clear = fabs(c * 255 + 0.5 - nearest) > 1e-6;
        seen += clear;
        if (clear && lull_format_srgb_code(v) != (unsigned)nearest && bad++ == 0) {
            worst = (double)v;
        }
    }
    test_case(bad == 0 && seen > 290000, "sRGB codes", "%u of %u wrong, the first of %.9g", bad,
              seen, worst);
    test_case(lull_format_srgb_code(NAN) == 0 && lull_format_srgb_code(-1) == 0 &&
                  lull_format_srgb_code(INFINITY) == 255 && lull_format_srgb_code(1) == 255,
              "sRGB codes beyond", "%u", lull_format_srgb_code(1));
}

int main(int argc, char **argv)
{
    FILE *f = fopen(argc > 1 ? argv[1] : "", "r");
    char line[LINE] = "";
    struct tally t = {.what = ""};
    if (f == NULL) {
        test_case(false, "format.vec", "cannot be opened");
        return test_end();
    }
    while (fgets(line, sizeof(line), f) != NULL) {
        run_line(line, &t);
    }
    tally_end(&t);
    fclose(f);
    for (size_t i = 0; i < TEST_ROWS(bc_rows); i++) {
        test_bc(&bc_rows[i]);
    }
    test_refused();
    test_d16();
    test_srgb();
    return test_end();
}
