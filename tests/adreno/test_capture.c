// SPDX-License-Identifier: MIT
// Damaged captures: bits flipped and cut at each byte, they are shown twice in the same words, in
// bounded time; two threads do not see each other; a long capture takes no more memory.
#include "rd_section.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "adreno/show/diff.h"
#include "adreno/show/show.h"
#include "hw/rd_regs.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

enum { BASE = 0x10000, FLIPS = 2000, LONG = 400, MIB = 1 << 20 };

/** A capture that has a bit of everything. Headers by hand: parity is odd. */
static const uint32_t words[] = {
    0x70e50001, 4,                         // CP_SET_MARKER RM6_BIN_RENDER_START
    0x70438003, 0x03210004, BASE + 108, 0, // CP_SET_DRAW_STATE group 3
    0x48800401, 7,                         // GRAS_MAX_LAYER_INDEX
    0x70320007, 0x00604002, 0,          0, 0x3f800000, 1, 2, 3, // CP_LOAD_STATE6_GEOM, VS constants
    0x70c70002, 0x34000000, 2,                                  // CP_COND_REG_EXEC GMEM
    0x70388003, 0x84,       1,          3,                      // CP_DRAW_INDX_OFFSET
    0x70bf8003, BASE + 108, 0,          4,                      // CP_INDIRECT_BUFFER
    0x48800401, 9,                                              // and what it and the group run
    0x70268000, 0x70268000,
};

static void submit(FILE *f, const uint32_t *data, uint32_t bytes)
{
    const uint32_t gpu = 630, range[] = {BASE, bytes, 0}, stream[] = {BASE, 27, 0};
    section(f, LULL_RD_GPU_ID, &gpu, sizeof gpu);
    section(f, LULL_RD_CMD, "test/1\0", 8);
    section(f, LULL_RD_GPUADDR, range, sizeof range);
    section(f, LULL_RD_BUFFER_CONTENTS, data, bytes);
    section(f, LULL_RD_CMDSTREAM_ADDR, stream, sizeof stream);
}

static struct lull_show_options option(unsigned way)
{
    struct lull_show_options o = {.frame = -1, .submit = -1, .draw = -1, .most_work = 1 << 16};
    o.json = way % 2 == 1;
    o.mode = way / 2 == 1 ? LULL_SHOW_SUMMARY : LULL_SHOW_WHOLE;
    o.draw = way / 2 == 2 ? 0 : -1;
    return o;
}

/** Text, and what was wrong, of a capture. free() */
static char *show(const char *data, size_t size, unsigned way)
{
    const struct lull_show_options o = option(way);
    struct lull_stream *s = NULL;
    char *text = NULL;
    size_t text_size = 0;
    uint64_t findings = 0;
    FILE *out = open_memstream(&text, &text_size);
    struct lull_error *err = lull_stream_of(data, size, &s);
    err = err != NULL ? err : lull_show_capture(s, "x", &o, out, out, &findings);
    fprintf(out, "%s %d\n", err != NULL ? lull_error_message(err) : "", (int)findings);
    fclose(out);
    lull_error_free(err);
    lull_stream_free(s);
    return text;
}

static bool steady(const char *data, size_t size, unsigned way)
{
    char *a = show(data, size, way), *b = show(data, size, way);
    const bool same = strcmp(a, b) == 0;
    free(a);
    free(b);
    return same;
}

static void damaged(const char *data, size_t size)
{
    char *copy = malloc(size);
    uint32_t seed = 11;
    unsigned wrong = 0;
    for (unsigned i = 0; i < FLIPS; i++) {
        memcpy(copy, data, size);
        for (unsigned k = 0; k <= i % 3; k++) {
            seed = seed * 1664525 + 1013904223; // Knuth's
            copy[(seed >> 8) % size] ^= (char)(1 << (seed >> 29));
        }
        wrong += !steady(copy, size, i % 6);
    }
    test_case(wrong == 0, "bits flipped", "%u of %d are not shown the same twice", wrong, FLIPS);
    wrong = 0;
    for (size_t n = 0; n < size; n++) {
        char *text = show(data, n, 0);
        // All but the cuts between sections are told.
        wrong += strstr(text, "byte") == NULL;
        free(text);
    }
    test_case(wrong == 0, "cut at each byte", "%u of %zu are not told", wrong, size);
    free(copy);
}

static void *thread(void *arg)
{
    const char *const *data = arg;
    return show(data[0], (size_t)(data[1] - data[0]), 0);
}

static void threads(const char *data, size_t size)
{
    const char *range[] = {data, data + size};
    pthread_t t[4];
    char *alone = show(data, size, 0);
    unsigned same = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (pthread_create(&t[i], NULL, thread, range) != 0) {
            abort();
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        void *text = NULL;
        pthread_join(t[i], &text);
        same += strcmp(text, alone) == 0;
        free(text);
    }
    test_case(same == 4, "four threads at once", "%u got the text", same);
    free(alone);
}

static long resident(void)
{
    struct rusage u = {0};
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss; // KiB, the most there ever was
}

/** 400 submits of 1 MiB from a file: as much memory as for 20. */
static void memory(void)
{
    uint32_t *big = calloc(1, MIB);
    FILE *f = tmpfile();
    memcpy(big, words, sizeof words);
    for (unsigned i = 0; i < LONG; i++) {
        submit(f, big, MIB);
    }
    fflush(f);
    free(big);
    long before = 0;
    for (unsigned n = 20; n <= LONG; n += LONG - 20) {
        char path[32] = "";
        struct lull_stream *s = NULL;
        struct lull_show_options o = option(2);
        uint64_t findings = 0;
        FILE *null = fopen("/dev/null", "w");
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(f));
        o.submit = n - 1; // all before it are gone through
        struct lull_error *err = lull_stream_open(path, &s);
        err = err != NULL ? err : lull_show_capture(s, "x", &o, null, null, &findings);
        if (err != NULL || findings != 0) {
            test_case(false, "a long capture", "%s", err != NULL ? lull_error_message(err) : "?");
        }
        lull_error_free(err);
        lull_stream_free(s);
        fclose(null);
        before = before == 0 ? resident() : before;
    }
    const long grown = resident() - before;
    if (SANITIZED) { // it keeps what is freed for a while
        test_skip("memory of a long capture: a sanitizer's allocator");
        fclose(f);
        return;
    }
    test_case(grown < 8 << 10, "a long capture takes no more memory", "%ld KiB more", grown);
    fclose(f);
}

int main(void)
{
    char *data = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&data, &size);
    submit(f, words, sizeof words);
    fclose(f);
    char *text = show(data, size, 0);
    test_case(strstr(text, "draw 0: CP_DRAW_INDX_OFFSET TRILIST") != NULL &&
                  strstr(text, "IB2 group 3") != NULL && strstr(text, "c2.x  1 #1 #2 #3") != NULL,
              "the capture by itself", "got:\n%.1500s", text);
    free(text);
    memory();
    damaged(data, size);
    threads(data, size);
    free(data);
    return test_end();
}
