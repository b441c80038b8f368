// SPDX-License-Identifier: MIT
// Streams that are packed, whole, cut and damaged: they give what zlib's inflate() gives of the
// same bytes, and are good where it says so.
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "file/stream.h"

enum { SIZE = 400 << 10, ROOM = SIZE + (SIZE >> 2), MEMBERS = 4, PLACES = 150 };

struct bytes {
    uint8_t *at;
    size_t n;
    bool good;
};

static uint64_t seed = 1;

static uint32_t chance(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

// Noise, zeros, words that come again from far and near.
static void make(uint8_t *to, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t left = n - i, run = 1 + chance(3000);
        const size_t m = run < left ? run : left;
        const uint32_t kind = i < 64 ? 0 : chance(4);
        const size_t back = 1 + chance(i < 32768 ? (uint32_t)i + 1 : 32768);
        for (size_t k = 0; k < m; k++) {
            to[i + k] = kind == 0   ? (uint8_t)chance(256)
                        : kind == 1 ? 0
                        : kind == 2 ? (uint8_t)("lull of rings"[(i + k) % 13])
                                    : to[i + k - (back <= i ? back : 1)];
        }
        i += m;
    }
}

static size_t pack(const uint8_t *from, size_t n, uint8_t *to, size_t room, int level, int strategy)
{
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)from,
                  .avail_in = (unsigned)n,
                  .next_out = to,
                  .avail_out = (unsigned)room};
    if (deflateInit2(&z, level, Z_DEFLATED, 31, 8, strategy) != Z_OK ||
        deflate(&z, Z_FINISH) != Z_STREAM_END) {
        abort();
    }
    deflateEnd(&z);
    return room - z.avail_out;
}

// By zlib: members one behind the other.
static struct bytes by_zlib(const uint8_t *from, size_t n)
{
    struct bytes r = {.at = malloc(ROOM), .good = true};
    while (n != 0 && r.good) {
        z_stream z = {.next_in = (uint8_t *)(uintptr_t)from,
                      .avail_in = (unsigned)n,
                      .next_out = r.at + r.n,
                      .avail_out = (unsigned)(ROOM - r.n)};
        r.good = inflateInit2(&z, 31) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END;
        r.n = (size_t)(z.next_out - r.at);
        from += n - z.avail_in;
        n = z.avail_in;
        inflateEnd(&z);
    }
    return r;
}

// By lull, @p piece bytes at a time.
static struct bytes by_lull(const uint8_t *from, size_t n, size_t piece, char *message, size_t room)
{
    struct bytes r = {.at = malloc(ROOM)};
    struct lull_stream *s = NULL;
    if (lull_stream_of(from, n, &s) != NULL) {
        abort();
    }
    size_t got = 1;
    while (got != 0 && r.n < ROOM) {
        got = lull_stream_read(s, r.at + r.n, piece < ROOM - r.n ? piece : ROOM - r.n);
        r.n += got;
    }
    struct lull_error *err = lull_stream_error(s);
    r.good = err == NULL;
    snprintf(message, room, "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    lull_stream_free(s);
    return r;
}

// What is good is given whole. What is not is given as far as zlib gives it, but for the 258 bytes
// of one copy.
static bool alike(const struct bytes *want, const struct bytes *got)
{
    const size_t n = want->n < got->n ? want->n : got->n;
    return want->good == got->good && memcmp(want->at, got->at, n) == 0 &&
           (want->good ? want->n == got->n : got->n + 258 >= want->n);
}

static void judge(const char *name, const uint8_t *packed, size_t n, size_t piece)
{
    char message[200];
    struct bytes want = by_zlib(packed, n),
                 got = by_lull(packed, n, piece, message, sizeof message);
    test_case(alike(&want, &got), name, "%zu packed bytes by %zu: %zu bytes, %s; zlib: %zu, %s", n,
              piece, got.n, message, want.n, want.good ? "good" : "bad");
    free(want.at);
    free(got.at);
}

// Cut, and with a byte changed, at many places: one case for all, with the first that is wrong.
static void harmed(const char *name, uint8_t *packed, size_t n, bool cut)
{
    unsigned wrong = 0;
    size_t first = 0, said = 0;
    char message[200], text[300] = "";
    for (unsigned i = 0; i < PLACES; i++) {
        const size_t place = i < 40 ? 2 + i : i < 80 ? n - 1 - (i - 40) : chance((uint32_t)n);
        const uint8_t was = packed[place];
        packed[place] = (uint8_t)(was ^ (cut ? 0u : 1u << chance(8)));
        const size_t m = cut ? place : n;
        struct bytes want = by_zlib(packed, m),
                     got = by_lull(packed, m, 70000, message, sizeof message);
        if (!alike(&want, &got) || (!got.good && strstr(message, "packed byte") == NULL)) {
            first = wrong++ == 0 ? place : first;
            snprintf(text, sizeof text, "%zu, %zu: %s", want.n, got.n, message);
        }
        said += !got.good;
        free(want.at);
        free(got.at);
        packed[place] = was;
    }
    test_case(wrong == 0 && said > PLACES / 2, name,
              "%u of %u, the first at byte %zu (%s); %zu are bad", wrong, PLACES, first, text,
              said);
}

int main(void)
{
    static const struct {
        const char *name;
        int level, strategy;
    } rows[] = {{"stored", 0, Z_DEFAULT_STRATEGY},
                {"fast", 1, Z_DEFAULT_STRATEGY},
                {"best", 9, Z_DEFAULT_STRATEGY},
                {"no copies", 6, Z_HUFFMAN_ONLY},
                {"fixed codes", 6, Z_FIXED}};
    uint8_t *plain = malloc(SIZE), *packed = malloc((size_t)2 * ROOM);
    make(plain, SIZE);
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        size_t n = 0;
        for (size_t k = 0; k < MEMBERS; k++) {
            n += pack(plain + k * (SIZE / MEMBERS), SIZE / MEMBERS, packed + n, ROOM, rows[i].level,
                      rows[i].strategy);
        }
        judge(rows[i].name, packed, n, ROOM);
        judge(rows[i].name, packed, n, 1);
        judge(rows[i].name, packed, n, 4093);
        harmed("cut", packed, n, true);
        harmed("changed", packed, n, false);
    }
    free(packed);
    free(plain);
    return test_end();
}
