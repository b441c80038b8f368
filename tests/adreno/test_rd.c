// SPDX-License-Identifier: MIT
// rd captures: bytes laid out by hand are read as they are meant, cut and packed ones too.
#include "test.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "adreno/file/rd.h"

// clang-format off
static const uint8_t capture[] = {
    14, 0, 0, 0, 8, 0, 0, 0, 0xff, 0, 3, 6, 0, 0, 0, 0,                      // 0: CHIP_ID
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,                         // 16: filler
    3, 0, 0, 0, 12, 0, 0, 0, 0, 0x10, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0,          // 24: GPUADDR
    12, 0, 0, 0, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,                         // 44: BUFFER_CONTENTS
    6, 0, 0, 0, 8, 0, 0, 0, 0, 0x10, 0, 0, 2, 0, 0, 0,                       // 60: CMDSTREAM_ADDR
    8, 0, 0, 0, 0, 0, 0, 0,                                                  // 76: FLUSH
}; // 84
// clang-format on

static const unsigned ends[] = {0, 16, 24, 44, 60, 76, 84};

struct result {
    unsigned sections;
    char message[200];
    char *bytes;
    size_t size;
};

static struct result read_all(struct lull_stream *stream, uint32_t limit)
{
    struct result r = {0};
    struct lull_rd *rd = NULL;
    FILE *to = open_memstream(&r.bytes, &r.size);
    struct lull_error *err = lull_rd_new(stream, limit, &rd);
    bool more = true;
    while (err == NULL && more) {
        struct lull_rd_section s = {0};
        err = lull_rd_next(rd, &s, &more);
        if (err == NULL && more) {
            r.sections++;
            err = lull_rd_write(to, &s);
        }
    }
    snprintf(r.message, sizeof r.message, "%s", err != NULL ? lull_error_message(err) : "");
    fclose(to);
    lull_error_free(err);
    lull_rd_free(rd);
    lull_stream_free(stream);
    return r;
}

static struct result read_bytes(const void *data, size_t size, uint32_t limit)
{
    struct lull_stream *stream = NULL;
    struct lull_error *err = lull_stream_of(data, size, &stream);
    if (err != NULL) {
        abort();
    }
    return read_all(stream, limit);
}

static void same(const char *name, const void *data, size_t size)
{
    struct result r = read_bytes(data, size, 0);
    test_case(r.message[0] == '\0' && r.sections == 6 && r.size == sizeof capture &&
                  memcmp(r.bytes, capture, r.size) == 0,
              name, "%u sections, %zu bytes, %s", r.sections, r.size, r.message);
    free(r.bytes);
}

static void cut(void)
{
    unsigned wrong = 0;
    for (unsigned n = 0; n < sizeof capture; n++) {
        unsigned whole = 0;
        while (ends[whole + 1] <= n) {
            whole++;
        }
        char want[40] = "";
        snprintf(want, sizeof want, "byte %u: section %u:", ends[whole], whole);
        struct result r = read_bytes(capture, n, 0);
        const bool clean = ends[whole] == n;
        wrong += r.sections != whole ||
                 (clean ? r.message[0] != '\0' : strncmp(r.message, want, strlen(want)) != 0);
        free(r.bytes);
    }
    test_case(wrong == 0, "cut at each byte: the whole sections, and where the rest is missing",
              "%u lengths wrong", wrong);
}

static size_t gzip(const void *data, size_t size, uint8_t *to, size_t room)
{
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)data,
                  .avail_in = (unsigned)size,
                  .next_out = to,
                  .avail_out = (unsigned)room};
    if (deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&z, Z_FINISH) != Z_STREAM_END) {
        abort();
    }
    deflateEnd(&z);
    return room - z.avail_out;
}

static void packed(void)
{
    uint8_t buf[1024] = {0};
    size_t n = gzip(capture, sizeof capture, buf, sizeof buf);
    same("gzip", buf, n);
    struct result r = read_bytes(buf, n - 6, 0); // within the checksum: all sections are there
    test_case(r.sections == 6 && strstr(r.message, "gzip data end too early") != NULL, "gzip, cut",
              "%u sections, %s", r.sections, r.message);
    free(r.bytes);
    buf[n - 8] ^= 1;
    r = read_bytes(buf, n, 0);
    test_case(r.sections == 6 && strstr(r.message, "incorrect data check") != NULL,
              "gzip, bad checksum", "%u sections, %s", r.sections, r.message);
    free(r.bytes);
    n = gzip(capture, 50, buf, sizeof buf);
    n += gzip(capture + 50, sizeof capture - 50, buf + n, sizeof buf - n);
    same("gzip of two members", buf, n);
    same("zstd", buf, ZSTD_compress(buf, sizeof buf, capture, sizeof capture, 3));
}

static void refused(void)
{
    static const uint8_t huge[] = {12, 0, 0, 0, 0, 0, 0, 0x20, 1, 2};
    static const uint8_t over[] = {12, 0, 0, 0, 1, 1, 0, 0, 1, 2};
    struct result r = read_bytes(huge, sizeof huge, 0);
    test_case(strstr(r.message, "payload of 536870912 bytes, 2 left") != NULL,
              "size beyond the file", "%s", r.message);
    free(r.bytes);
    r = read_bytes(over, sizeof over, 256);
    test_case(strstr(r.message, "payload of 257 bytes, the limit is 256") != NULL,
              "size beyond the limit", "%s", r.message);
    free(r.bytes);
}

static void decoded(void)
{
    const struct lull_rd_section narrow = {.type = 3, .size = 8, .payload = capture + 32};
    const struct lull_rd_section wide = {.type = 3, .size = 12, .payload = capture + 32};
    const struct lull_rd_section chip = {.type = 14, .size = 8, .payload = capture + 8};
    struct lull_rd_range a = {0}, b = {0};
    uint64_t id = 0;
    const bool ok = lull_rd_range(&narrow, &a) && lull_rd_range(&wide, &b);
    test_case(ok && a.address == 0x1000 && b.address == 0x100001000 && a.size == 8, "ranges",
              "0x%jx 0x%jx", (uintmax_t)a.address, (uintmax_t)b.address);
    test_case(lull_rd_number(&chip, &id) && id == 0x060300ff, "chip id", "0x%jx", (uintmax_t)id);
}

// Captures of real GPUs, if they are there.
static void real(const char *source)
{
    char pattern[4096] = "";
    snprintf(pattern, sizeof pattern, "%s/../shared/traces/*.rd.gz", source != NULL ? source : ".");
    glob_t found = {0};
    if (glob(pattern, 0, NULL, &found) != 0) {
        test_skip("no captures of real GPUs: %s", pattern);
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct lull_stream *stream = NULL;
        struct lull_error *err = lull_stream_open(found.gl_pathv[i], &stream);
        gzFile f = gzopen(found.gl_pathv[i], "rb");
        if (err != NULL || f == NULL) {
            abort();
        }
        struct result r = read_all(stream, 0);
        char *want = malloc(r.size + 1);
        const int n = want != NULL ? gzread(f, want, (unsigned)r.size + 1) : -1;
        test_case(n == (int)r.size && r.message[0] == '\0' && memcmp(want, r.bytes, r.size) == 0,
                  strrchr(found.gl_pathv[i], '/') + 1, "%d bytes, got %zu: %s", n, r.size,
                  r.message);
        gzclose(f);
        free(want);
        free(r.bytes);
    }
    globfree(&found);
}

int main(void)
{
    same("read and written again", capture, sizeof capture);
    cut();
    packed();
    refused();
    decoded();
    real(getenv("LULL_SOURCE"));
    return test_end();
}
