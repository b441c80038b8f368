// SPDX-License-Identifier: MIT
// Formats: taken apart, compared with arguments, filled in. Expected texts are what ISO C
// (7.21.6.1), OpenCL C 3.0 (6.15.14) and the debugPrintf documents of Vulkan-ValidationLayers say,
// by hand.
#include "test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "printf/format.h"
#include "printf/id.h"
#include "printf/plan.h"

struct row {
    const char *format;
    const char *types; // NULL: mask
    uint64_t mask;
    const char *dwords; // in hex
    const char *want;   // NULL: an error
    unsigned warnings;
};

// clang-format off
static const struct row rows[] = {
    // flags, width, precision
    {"%d|%5d|%-5d|%05d|%+d|% d", NULL, 0, "2a 2a 2a 2a 2a 2a", "42|   42|42   |00042|+42| 42", 0},
    {"%d|%5d|%-5d|%05d|%+d|% d", NULL, 0, "ffffffd6 ffffffd6 ffffffd6 ffffffd6 ffffffd6 ffffffd6", "-42|  -42|-42  |-0042|-42|-42", 0},
    {"%.3d|%8.3d|%-8.3d|%08.3d|%.0d|%.d", NULL, 0, "5 5 5 5 0 0", "005|     005|005     |     005||", 0},
    {"%#x %#X %#o %#x %x %X", NULL, 0, "beef beef 8 0 beef beef", "0xbeef 0XBEEF 010 0 beef BEEF", 0},
    {"%+-6d|%-+6d|%--6d|%- 6d|", NULL, 0, "7 7 7 7", "+7    |+7    |7     | 7    |", 0},
    {"%i %u %o", NULL, 0, "80000000 80000000 80000000", "-2147483648 2147483648 20000000000", 0},
    {"%10s|", "str", 0, "1 0", "        hi|", 0},
    {"%-10s|%.1s|%5.1s|%s", "str,str,str,str", 0, "1 0 1 0 1 0 1 0", "hi        |h|    h|hi", 0},
    {"%3s|%-3s|%2s|%-1s|", "str,str,str,str", 0, "1 0 1 0 1 0 1 0", " hi|hi |hi|hi|", 0},
    {"%.0s|%3.s|%-3.0s|%.3s|", "str,str,str,str", 0, "1 0 1 0 1 0 1 0", "|   |   |hi|", 0},
    {"%s", "str", 0, "2 0", NULL, 0}, // no such literal
    {"%c%c|%3c|%-3c|", NULL, 0, "41 142 43 44", "AB|  C|D  |", 0}, // 0x142: the low byte
    // lengths: hh and h take the low bits, as C's conversion of the promoted argument does
    {"%hhd %hhu %hhx %hd %hu", NULL, 0, "fff 1ff 1ff 18000 18000", "-1 255 ff -32768 32768", 0},
    {"%ld %lu %lx %lld %llu %llx", NULL, 63, "ffffffff ffffffff ffffffff ffffffff 1 20000000 0 80000000 0 80000000 0 1",
     "-1 18446744073709551615 2000000000000001 -9223372036854775808 9223372036854775808 100000000", 0},
    {"%jd %zu %td", NULL, 7, "ffffffff ffffffff 0 1 fffffffe ffffffff", "-1 4294967296 -2", 0},
    {"%ul|%ul", NULL, 1, "1 20000000 7", "2000000000000001|7l", 0}, // the layer's, and C's
    {"%d %lu", NULL, 1, "0 1 ffffffff", "4294967296 4294967295", 2}, // the mask is right, not the format
    {"%ld", NULL, 0, "ffffffff", "-1", 0}, // and no mask at all warns of nothing
    {"%Lf %lf %.1Le", NULL, 5, "0 3ff80000 3fc00000 0 40000000", "1.500000 1.500000 2.0e+00", 0},
    // floats
    {"%f %F %e %E %g %G %a %A", NULL, 0, "3fc00000 3fc00000 3fc00000 3fc00000 3fc00000 3fc00000 3fc00000 3fc00000",
     "1.500000 1.500000 1.500000e+00 1.500000E+00 1.5 1.5 0x1.8p+0 0X1.8P+0", 0},
    {"%f %F %e %G %5g|%-5g|%05f", NULL, 0, "7f800000 7f800000 ff800000 ff800000 7f800000 7f800000 ff800000",
     "inf INF -inf -INF   inf|inf  | -inf", 0},
    {"%f %F %g", NULL, 0, "7fc00000 7fc00000 7fc00000", "nan NAN nan", 0},
    {"%f %.0f %#.0f %.1f %+.2f %010.3f", NULL, 0, "80000000 40200000 40200000 3e800000 3f800000 c0490fdb",
     "-0.000000 2 2. 0.2 +1.00 -00003.142", 0}, // ties to even
    {"%g %g %g %#g %.3g %g", NULL, 0, "38d1b717 3727c5ac 49742400 3f800000 42f6e979 4b189680",
     "0.0001 1e-05 1e+06 1.00000 123 1e+07", 0},
    {"%f %f", NULL, 3, "0 7ff00000 0 fff80000", "inf -nan", 0},
    {"%e", NULL, 0, "1", "1.401298e-45", 0}, // the least denormal
    {"%f", NULL, 0, "7f7fffff", "340282346638528859811704183484516925440.000000", 0},
    {"%.17g", NULL, 1, "9999999a 3fb99999", "0.10000000000000001", 0},
    // vectors
    {"%v2d|%v3u|%v4x", NULL, 0, "ffffffff 2 1 2 3 a b c d", "-1, 2|1, 2, 3|a, b, c, d", 0},
    {"%v8hhd", NULL, 0, "ff 1 2 3 4 5 6 80", "-1, 1, 2, 3, 4, 5, 6, -128", 0},
    {"%v16u", NULL, 0, "1 2 3 4 5 6 7 8 9 a b c d e f 10", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16", 0},
    {"%5.1v2f|%-5v2d|%+v2d", NULL, 0, "3f800000 40000000 1 2 1 2", "  1.0,   2.0|1    , 2    |+1, +2", 0},
    {"%v4hld %v2hlx %v2hf", NULL, 0, "1 2 3 4 a b 3f800000 3f800000", "1, 2, 3, 4 a, b 1.000000, 1.000000", 0},
    {"%v2ld %v2ul", NULL, 15, "ffffffff ffffffff 0 1 0 1 0 2", "-1, 4294967296 100000000, 200000000", 0},
    {"%v2f", NULL, 3, "0 3ff00000 0 40000000", "1.000000, 2.000000", 0},
    {"%v4f", NULL, 0, "3f800000", "1.000000, 0.000000, 0.000000, 0.000000", 0},
    {"%v4f", NULL, 0, "", NULL, 0},
    {"%v4f %d", "f32x2,i32", 0, "3f800000 40000000 5", "1.000000, 2.000000, 0.000000, 0.000000 5", 1},
    {"%v2f %d", "f32x4,i32", 0, "3f800000 40000000 1 2 5", "1.000000, 2.000000 5", 1},
    // %%, and what surrounds it
    {"100%%", NULL, 0, "", "100%", 0},
    {"%%d%%%d%%", NULL, 0, "1", "%d%1%", 0},
    {"no conversion", NULL, 0, "", "no conversion", 0},
    {"a\xff\xfe\x01 %d \xc3", NULL, 0, "1", "a\xff\xfe\x01 1 \xc3", 0},
    // numbers of dwords
    {"%d %d", NULL, 0, "1 2 3 4", "1 2", 1},
    {"%d %d", NULL, 0, "1", NULL, 0},
    {"%d", NULL, 0, "", NULL, 0},
    {"%d", NULL, 1, "1", NULL, 0}, // half of 64 bits
    {"x", NULL, 0, "1", "x", 1},
    // pointers
    {"%p %p", NULL, 1, "12345600 7f00 1000", "0x7f0012345600 0x1000", 0},
    {"%20p|%-12p|", NULL, 3, "1000 0 1000 0", "              0x1000|0x1000      |", 0},
    // malformed
    {"%", NULL, 0, "1", NULL, 0},
    {"x %d %", NULL, 0, "1", NULL, 0},
    {"%5%", NULL, 0, "", NULL, 0},
    {"%-%", NULL, 0, "", NULL, 0},
    {"%*d", NULL, 0, "1 2", NULL, 0},
    {"%.*f", NULL, 0, "1 2", NULL, 0},
    {"%1$d", NULL, 0, "1", NULL, 0},
    {"%n", NULL, 0, "1", NULL, 0},
    {"%U", NULL, 0, "1", NULL, 0},
    {"%y", NULL, 0, "1", NULL, 0},
    {"%l", NULL, 0, "1", NULL, 0},
    {"%lll", NULL, 0, "1", NULL, 0},
    {"%llld", NULL, 0, "1", NULL, 0},
    {"%hhhd", NULL, 0, "1", NULL, 0},
    {"%v", NULL, 0, "1", NULL, 0},
    {"%v1f", NULL, 0, "1", NULL, 0},
    {"%v5f", NULL, 0, "1", NULL, 0},
    {"%v32f", NULL, 0, "1", NULL, 0},
    {"%v99999999999f", NULL, 0, "1", NULL, 0},
    {"%v3\n", NULL, 0, "1 2 3", NULL, 0},
    {"%v2s", NULL, 0, "1 2 3 4", NULL, 0},
    {"%v2c", NULL, 0, "1 2", NULL, 0},
    {"%v2p", NULL, 0, "1 2", NULL, 0},
    {"%5,3d", NULL, 0, "1", NULL, 0},
    {"%99999999999999999999d", NULL, 0, "1", NULL, 0},
    {"%.99999999999999999999d", NULL, 0, "1", NULL, 0},
    {"%.-5d", NULL, 0, "1", NULL, 0},
    {"test % this", NULL, 0, "1", NULL, 0},
    {"", NULL, 0, "", NULL, 0},
    // types decide the sign of narrow integers; hexadecimal shows the bits of the type
    {"%d %d %d %d", "s8,u8,s16,u16", 0, "85 85 ff85 ff85", "-123 133 -123 65413", 0},
    {"%d %u", "i8,i8", 0, "85 85", "-123 133", 0}, // without a sign the conversion decides
    {"%x %u %o", "s8,s8,s16", 0, "85 85 ff85", "85 133 177605", 0},
    {"%d %u", "u32,s32", 0, "ffffffff ffffffff", "-1 4294967295", 0},
    {"%d %u %x", "i1,i1,i1", 0, "1 1 0", "1 1 0", 0},
    {"%d %ld", "u32,u32", 0, "ffffffff ffffffff", "-1 4294967295", 1},
    {"%v2d %v3f", "s8x2,f16x3", 0, "85 1 3f800000 40000000 40400000", "-123, 1 1.000000, 2.000000, 3.000000", 0},
    {"%f %f %f %f", "f16,bf16,f32,f64", 0, "3f800000 3f800000 3f800000 0 3ff00000", "1.000000 1.000000 1.000000 1.000000", 0},
    {"%lu %ld %lx", "u64,s64,i64", 0, "0 1 ffffffff ffffffff 0 1", "4294967296 -1 100000000", 0},
    {"%p", "ptr", 0, "1000 0", "0x1000", 0},
    // mismatches
    {"%f", "i32", 0, "3f800000", "1.000000", 1},
    {"%d", "f32", 0, "3f800000", "1065353216", 1},
    {"%d", "i64", 0, "5 1", "4294967301", 1},
    {"%lu", "i32", 0, "5", "5", 1},
    {"%lx", "ptr", 0, "1000 1", "100001000", 1},
    {"%d", "ptr", 0, "1000 1", NULL, 0},
    {"%f", "ptr", 0, "1000 1", NULL, 0},
    {"%lv2x %hhv2d", NULL, 3, "0 1 0 2 ff 1", "100000000, 200000000 -1, 1", 0},
    {"%lv2lx", NULL, 0, "0 1", NULL, 0},
    {"%d", "i32,i32", 0, "1 2", "1", 2}, // once for the call, once for the payload
    {"%f", "f32x3", 0, "0 0 0", NULL, 0},
    {"%v3f", "f32", 0, "0", NULL, 0},
    {"%p", "u64", 0, "1 2", NULL, 0},
    {"%s", "i32", 0, "1", NULL, 0},
    {"%d", "str", 0, "1 0", NULL, 0},
    {"%d %d", "i32", 0, "1", NULL, 0},
};
// clang-format on

static size_t parse_dwords(const char *text, uint32_t *to)
{
    size_t n = 0;
    char *end = NULL;
    for (const char *p = text; *p != '\0'; p = end) {
        to[n++] = (uint32_t)strtoul(p, &end, 16);
    }
    return n;
}

static size_t parse_types(const char *text, struct lull_printf_type *to)
{
    size_t n = 0;
    while (text != NULL && *text != '\0') {
        const size_t size = strcspn(text, ",");
        if (!lull_printf_type_parse(text, size, &to[n++])) {
            abort();
        }
        text += size + (text[size] == ',');
    }
    return n;
}

enum { ALPHABET = 26, FIRST_PREFIX = 16 };

// 1: "hi"; 16 and more: so many letters less 16.
static const char *literal(const void *arg, uint64_t id, size_t *ret_size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    (void)arg;
    const bool prefix = id >= FIRST_PREFIX && id <= FIRST_PREFIX + ALPHABET;
    *ret_size = prefix ? (size_t)(id - FIRST_PREFIX) : 2;
    return id == 1 ? "hi" : prefix ? letters : NULL;
}

// The same by a plan of the format, if there is one for it: as good as nothing else.
static bool plan_agrees(const char *format, size_t size, const struct lull_printf_payload *in,
                        const char *want, size_t want_size, unsigned *planned)
{
    struct lull_arena arena = {0};
    struct lull_str out = {0};
    const struct lull_printf_plan *plan = lull_printf_plan_new(&arena, format, size, in);
    const bool printed = plan != NULL && lull_printf_plan_text(plan, in->dwords, in->ndwords, &out);
    const bool good = printed ? out.size == want_size && out.err == NULL &&
                                    memcmp(lull_str_text(&out), want, want_size) == 0
                              : out.size == 0;
    *planned += printed;
    lull_str_free(&out);
    lull_arena_done(&arena);
    return good;
}

static void check_row(const struct row *r)
{
    unsigned planned = 0;
    uint32_t dwords[32] = {0};
    struct lull_printf_type types[8] = {0};
    const size_t size = strlen(r->format);
    const struct lull_printf_payload in = {.dwords = dwords,
                                           .ndwords = parse_dwords(r->dwords, dwords),
                                           .types = r->types != NULL ? types : NULL,
                                           .ntypes = parse_types(r->types, types),
                                           .mask64 = &r->mask,
                                           .nmask = r->mask != 0,
                                           .literal = literal};
    struct lull_printf_diags diags = {0};
    struct lull_str out = {0};
    bool good = r->types != NULL ? lull_printf_check(r->format, size, types, in.ntypes, &diags)
                                 : lull_printf_check_format(r->format, size, &diags);
    good = good && lull_printf_text(r->format, size, &in, &out, &diags);
    const bool right = r->want == NULL
                           ? !good && diags.errors > 0 && diags.list[diags.count - 1].error &&
                                 diags.list[0].offset <= size
                           : good && out.size == strlen(r->want) &&
                                 memcmp(lull_str_text(&out), r->want, out.size) == 0 &&
                                 diags.count == r->warnings &&
                                 plan_agrees(r->format, size, &in, out.text, out.size, &planned);
    test_case(right, r->format, "%s with %s: got '%s', want '%s'; %zu diagnoses, the first: %s",
              r->dwords, r->types != NULL ? r->types : "no types", lull_str_text(&out),
              r->want != NULL ? r->want : "an error", diags.count, diags.list[0].message);
    lull_str_free(&out);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33 ^ *state << 20;
}

static unsigned below(uint64_t *state, unsigned n)
{
    return (unsigned)(next_random(state) % n);
}

// A random conversion as C writes it, and its value: in dwords for us, printed by libc for want.
struct trial {
    char format[400], want[4096];
    size_t size, want_size, ndwords, nscalars;
    uint32_t dwords[32];
    uint64_t mask;
};

static void add_dwords(struct trial *t, uint64_t v, bool wide)
{
    t->dwords[t->ndwords++] = (uint32_t)v;
    if (wide) {
        t->dwords[t->ndwords++] = (uint32_t)(v >> 32);
        t->mask |= (uint64_t)1 << t->nscalars;
    }
    t->nscalars++;
}

static void add_want(struct trial *t, int n)
{
    t->want_size += n > 0 ? (size_t)n : 0;
}

static void add_integer(struct trial *t, uint64_t *state, char *spec, size_t at)
{
    static const char *const lengths[] = {"", "hh", "h", "l", "ll"};
    const unsigned length = below(state, 5);
    const bool wide = length >= 3;
    const uint64_t v = below(state, 4) == 0 ? below(state, 3) - (uint64_t)1 : next_random(state);
    snprintf(spec + at, 8, "%s%c", lengths[length], "diouxX"[below(state, 6)]);
    char *to = t->want + t->want_size;
    const size_t room = sizeof t->want - t->want_size;
    add_want(t, wide ? snprintf(to, room, spec, v) : snprintf(to, room, spec, (uint32_t)v));
    add_dwords(t, v, wide);
}

static void add_real(struct trial *t, uint64_t *state, char *spec, size_t at)
{
    static const uint64_t special[] = {
        0, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
        1, 0x3ff0000000000000, 0x4330000000000001};
    const bool wide = below(state, 2) != 0;
    uint64_t bits = below(state, 4) == 0 ? special[below(state, 8)]
                                         : next_random(state) << 8 ^ next_random(state);
    double v = 0;
    memcpy(&v, &bits, sizeof v);
    if (!wide) {
        const float single = below(state, 2) != 0 ? (float)v : (float)(int32_t)bits / 1024;
        uint32_t low = 0;
        memcpy(&low, &single, sizeof low);
        bits = low;
        v = (double)single;
    }
    snprintf(spec + at, 8, "%c", "fFeEgGaA"[below(state, 8)]);
    add_want(t, snprintf(t->want + t->want_size, sizeof t->want - t->want_size, spec, v));
    add_dwords(t, bits, wide);
}

// Other flags than '-' mean nothing here, and C leaves them undefined.
static void add_text(struct trial *t, uint64_t *state)
{
    char spec[40] = "%", argument[ALPHABET + 1] = "";
    const bool string = below(state, 4) != 0;
    size_t at = 1, size = 0;
    spec[at] = '-';
    at += below(state, 2);
    if (below(state, 4) != 0) {
        at += (size_t)snprintf(spec + at, 8, "%u", 1 + below(state, 30));
    }
    if (string && below(state, 2) != 0) {
        at += (size_t)snprintf(spec + at, 8, below(state, 8) == 0 ? "." : ".%u", below(state, 30));
    }
    snprintf(spec + at, 8, "%c", string ? 's' : 'c');
    const uint64_t id = string ? FIRST_PREFIX + below(state, ALPHABET + 1) : '!' + below(state, 90);
    char *to = t->want + t->want_size;
    const size_t room = sizeof t->want - t->want_size;
    if (string) {
        const char *letters = literal(NULL, id, &size);
        memcpy(argument, letters, size);
        add_want(t, snprintf(to, room, spec, argument));
    } else {
        add_want(t, snprintf(to, room, spec, (int)id));
    }
    add_dwords(t, id, string);
    t->size += (size_t)snprintf(t->format + t->size, sizeof t->format - t->size, "%s", spec);
}

static void add_conversion(struct trial *t, uint64_t *state)
{
    if (below(state, 4) == 0) {
        add_text(t, state);
        return;
    }
    char spec[40] = "%";
    size_t at = 1;
    const bool bare = below(state, 3) == 0;
    for (unsigned n = bare ? 0 : below(state, 3); n > 0; n--) {
        spec[at++] = "-+ #0"[below(state, 5)];
    }
    if (!bare && below(state, 2) != 0) {
        at += (size_t)snprintf(spec + at, 8, "%u", 1 + below(state, 30));
    }
    if (!bare && below(state, 2) != 0) {
        at += (size_t)snprintf(spec + at, 8, below(state, 8) == 0 ? "." : ".%u", below(state, 25));
    }
    if (below(state, 2) != 0) {
        add_integer(t, state, spec, at);
    } else {
        add_real(t, state, spec, at);
    }
    t->size += (size_t)snprintf(t->format + t->size, sizeof t->format - t->size, "%s", spec);
}

static void add_literal(struct trial *t, uint64_t *state)
{
    static const char *const texts[] = {"", " ", "abc", "%%", "\n", "l", "%%d", "0x", "v2f"};
    const char *text = texts[below(state, 9)];
    t->size += (size_t)snprintf(t->format + t->size, sizeof t->format - t->size, "%s", text);
    const int skip = text[0] == '%';
    add_want(t, snprintf(t->want + t->want_size, sizeof t->want - t->want_size, "%s", text + skip));
}

// "%u" and an l is a thing of its own; and so is a digit or a letter that changes the next length.
static bool ambiguous(const char *format)
{
    return strstr(format, "ul") != NULL;
}

static void differential(uint64_t seed, unsigned rounds)
{
    uint64_t state = seed;
    unsigned wrong = 0, tried = 0, planned = 0;
    for (unsigned i = 0; i < rounds; i++) {
        struct trial t = {0};
        for (unsigned n = below(&state, 6); n > 0; n--) {
            add_literal(&t, &state);
            add_conversion(&t, &state);
        }
        add_literal(&t, &state);
        if (ambiguous(t.format) || t.size == 0) {
            continue;
        }
        const struct lull_printf_payload in = {.dwords = t.dwords,
                                               .ndwords = t.ndwords,
                                               .mask64 = &t.mask,
                                               .nmask = 1,
                                               .literal = literal};
        struct lull_printf_diags diags = {0};
        struct lull_str out = {0};
        const bool good = lull_printf_text(t.format, t.size, &in, &out, &diags);
        tried++;
        if ((!good || out.size != t.want_size ||
             memcmp(lull_str_text(&out), t.want, out.size) != 0 ||
             !plan_agrees(t.format, t.size, &in, t.want, t.want_size, &planned)) &&
            wrong++ < 5) {
            printf("# '%s': got '%s', want '%s': %s\n", t.format, lull_str_text(&out), t.want,
                   diags.list[0].message);
        }
        lull_str_free(&out);
    }
    test_case(wrong == 0 && tried > rounds / 2 && planned > rounds / 20,
              "random formats print as libc prints them",
              "seed %" PRIu64 ": %u of %u wrong; %u have a plan", seed, wrong, tried, planned);
}

static void bounds(void)
{
    struct lull_str out = {0};
    const uint32_t one = 1;
    const struct lull_printf_payload in = {.dwords = &one, .ndwords = 1};
    struct lull_printf_diags diags = {0};
    bool good = lull_printf_text("%65535d", 7, &in, &out, &diags);
    test_case(good && out.size == 65535 && out.text[0] == ' ' && out.text[65534] == '1',
              "the greatest width", "%zu bytes", out.size);
    lull_str_free(&out);
    good = lull_printf_text("%65536d", 7, &in, &out, &diags);
    test_case(!good && out.size == 7, "a greater width", "%zu bytes", out.size);
    lull_str_free(&out);
    struct lull_str bomb = {0};
    static const uint32_t zeros[2000];
    const struct lull_printf_payload plenty = {.dwords = zeros, .ndwords = 2000};
    for (unsigned i = 0; i < 100; i++) {
        lull_str_addf(&bomb, "%%65535v16d");
    }
    diags = (struct lull_printf_diags){0};
    good = lull_printf_text(bomb.text, bomb.size, &plenty, &out, &diags);
    test_case(!good && out.size > LULL_PRINTF_MAX_TEXT &&
                  out.size < LULL_PRINTF_MAX_TEXT + (2 << 20) &&
                  strstr(diags.list[0].message, "4 MiB") != NULL,
              "a text of 100 MB", "%zu bytes", out.size);
    lull_str_free(&bomb);
    lull_str_free(&out);
    char many[400] = "";
    for (unsigned i = 0; i < 100; i++) {
        memcpy(many + 3 * i, "%y ", 3);
    }
    diags = (struct lull_printf_diags){0};
    good = lull_printf_check_format(many, 300, &diags);
    test_case(!good && diags.count == 16 && diags.errors == 100, "many errors", "%zu and %zu",
              diags.count, diags.errors);
    const char nul[] = "a%\0d";
    diags = (struct lull_printf_diags){0};
    good = lull_printf_check_format(nul, 4, &diags);
    test_case(!good && strstr(diags.list[0].message, "byte 0x00") != NULL &&
                  diags.list[0].offset == 2,
              "NUL in a conversion", "%s", diags.list[0].message);
}

static void type_names(void)
{
    static const char *const names[] = {
        "i1",  "i8",  "s8",  "u8",   "i16", "s16", "u16", "i32", "s32",   "u32",   "i64",
        "s64", "u64", "f16", "bf16", "f32", "f64", "ptr", "str", "f32x4", "u8x16", "i64x65535"};
    static const char *const none[] = {"",          "i",    "x",       "i32x",   "i32x0",
                                       "i32x65536", "s1",   "u1",      "f8",     "sf32",
                                       "utr",       "i128", "i32x4x4", "i32x4 ", "I32"};
    struct lull_printf_type type = {0};
    unsigned wrong = 0;
    for (size_t i = 0; i < TEST_ROWS(names); i++) {
        struct lull_str out = {0};
        const bool known = lull_printf_type_parse(names[i], strlen(names[i]), &type);
        lull_printf_type_name(&out, &type);
        wrong += !known || strcmp(lull_str_text(&out), names[i]) != 0;
        lull_str_free(&out);
    }
    for (size_t i = 0; i < TEST_ROWS(none); i++) {
        wrong += lull_printf_type_parse(none[i], strlen(none[i]), &type);
    }
    test_case(wrong == 0, "names of types", "%u wrong", wrong);
}

// The paper's vector (appendix A), and ids computed by another implementation (Python, from the
// paper).
static void ids(void)
{
    uint8_t bytes[16] = {0};
    uint64_t k0 = 0, k1 = 0;
    for (unsigned i = 0; i < 16; i++) {
        bytes[i] = (uint8_t)i;
    }
    memcpy(&k0, bytes, 8);
    memcpy(&k1, bytes + 8, 8);
    const uint64_t got = lull_siphash(k0, k1, bytes, 15);
    test_case(got == 0xa129ca6149be45e5, "SipHash-2-4", "0x%" PRIx64, got);
    static const struct {
        const char *text;
        size_t size;
        uint64_t id;
    } known[] = {
        {"", 0, 0xf76cc52774f7},
        {"Test: %u", 8, 0xeeab7df08bcd},
        {"Output:%d\n", 10, 0x5e2b17ac31d2},
        {"workgroup size:%f,%f\n", 21, 0x30fe48a39070},
        {"a\0b", 3, 0xdd31665a2387},
        {"12345678", 8, 0x2b13dccb258c},
    };
    for (size_t i = 0; i < TEST_ROWS(known); i++) {
        const uint64_t id = lull_printf_id(known[i].text, known[i].size, 0);
        test_case(id == known[i].id, "id", "'%s' 0x%" PRIx64, known[i].text, id);
    }
    test_case(lull_printf_id("x", 1, 1) != lull_printf_id("x", 1, 0), "salted id", "equal");
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check_row(&rows[i]);
    }
    bounds();
    type_names();
    ids();
    differential(argc > 1 ? strtoull(argv[1], NULL, 0) : 1, 20000);
    return test_end();
}
