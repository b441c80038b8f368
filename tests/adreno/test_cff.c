// SPDX-License-Identifier: MIT
// Command streams in words: a capture put together here, with the text that its packets must give;
// broken ones; and Mesa's logs of real captures, where they are there.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "adreno/cffdump/cff.h"
#include "adreno/cffdump/script.h"
#include "adreno/file/rd.h"
#include "hw/rd_regs.h"
#include "rd_section.h"
#include "test.h"

enum { BASE = 0x10000, MOST = 64 << 20, PAGE = 4096, CUTS = 8 };
enum { DAMAGED = 512 << 10 };

/** A capture of one buffer at BASE that is the stream. @p said: dwords that the stream claims. */
static char *capture(uint32_t gpu, const uint32_t *words, uint32_t n, uint32_t said, size_t *size)
{
    char *data = NULL;
    FILE *f = open_memstream(&data, size);
    const uint32_t range[] = {BASE, n * 4, 0}, stream[] = {BASE, said, 0};
    section(f, LULL_RD_GPU_ID, &gpu, sizeof gpu);
    section(f, LULL_RD_CMD, "test/1\0", 8);
    section(f, LULL_RD_GPUADDR, range, sizeof range);
    section(f, LULL_RD_BUFFER_CONTENTS, words, n * 4);
    section(f, LULL_RD_CMDSTREAM_ADDR, stream, sizeof stream);
    fclose(f);
    return data;
}

/** Text and messages of a capture. */
static char *decode(const char *data, size_t size, const struct lull_cff_options *o, char **log)
{
    struct lull_stream *s = NULL;
    char *text = NULL;
    size_t text_size = 0, log_size = 0;
    FILE *out = open_memstream(&text, &text_size), *err = open_memstream(log, &log_size);
    struct lull_error *e = lull_stream_of(data, size, &s);
    e = e != NULL ? e : lull_cff_decode(s, o, out, err);
    if (e != NULL) {
        fprintf(err, "%s", lull_error_message(e));
        lull_error_free(e);
    }
    lull_stream_free(s);
    fclose(out);
    fclose(err);
    return text;
}

static void small(void)
{
    // pkt4 of one dword to 0x8004, CP_WAIT_FOR_IDLE, CP_EVENT_WRITE: parity bits by hand.
    static const uint32_t words[] = {0x48800401, 0x10003, 0x70268000, 0x70460001, 0x31};
    static const char want[] = "gpu_id: 630\ncmd: test/1\n"
                               "############################################################\n"
                               "cmdstream[0]: 5 dwords\n"
                               "\t\twrite GRAS_MAX_LAYER_INDEX (8004)\n"
                               "\t\t\tGRAS_MAX_LAYER_INDEX: 3 | 0x10000\n"
                               "0000000000010000:\t\t0000: 48800401 00010003\n"
                               "\t\topcode: CP_WAIT_FOR_IDLE (26) (1 dwords)\n"
                               "0000000000010008:\t\t0000: 70268000\n"
                               "\t\topcode: CP_EVENT_WRITE (46) (2 dwords)\n"
                               "\t\t\t{ EVENT = CACHE_INVALIDATE }\n"
                               "\t\tevent CACHE_INVALIDATE\n"
                               "000000000001000c:\t\t0000: 70460001 00000031\n"
                               "############################################################\n"
                               "vertices: 0\n";
    const struct lull_cff_options o = {.last = -1};
    size_t size = 0;
    char *log = NULL, *data = capture(630, words, 5, 5, &size);
    char *text = decode(data, size, &o, &log);
    test_case(strcmp(text, want) == 0 && log[0] == '\0', "a small capture", "got:\n%s%s", text,
              log);
    free(text);
    free(log);
    free(data);
}

static void broken(void)
{
    static const uint32_t self[] = {0x70bf8003, BASE, 0, 4}, bad[] = {0x82345678, 0x70268000};
    static const uint32_t cut[] = {0x48800402, 1};
    const struct {
        const char *name;
        uint32_t gpu;
        const uint32_t *words;
        uint32_t n, said;
        const char *log, *text;
    } rows[] = {
        {"an indirect buffer that calls itself", 630, self, 4, 4, "that calls itself", "vertices"},
        {"a stream longer than its buffer", 630, bad, 2, 1000, "1000 dwords, 2 are in a buffer",
         "CP_WAIT"},
        {"no packet: on to the next", 630, bad, 2, 2, "",
         "bad type! 82345678\n\t\topcode: CP_WAIT"},
        {"a packet beyond the end", 630, cut, 2, 2, "a packet of 3 dwords, 2 are left", "8004"},
        {"a GPU that nobody knows", 9900, bad, 2, 2, "", "gpu_id: 9900"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const struct lull_cff_options o = {.last = -1};
        size_t size = 0;
        char *log = NULL;
        char *data = capture(rows[i].gpu, rows[i].words, rows[i].n, rows[i].said, &size);
        char *text = decode(data, size, &o, &log);
        test_case(strstr(log, rows[i].log) != NULL && strstr(text, rows[i].text) != NULL,
                  rows[i].name, "got:\n%.400s\n%.400s", text, log);
        free(text);
        free(log);
        free(data);
    }
}

/** A decode of damaged bytes ends, and says the same each time. */
static bool steady(const char *data, size_t size)
{
    const struct lull_cff_options o = {.last = -1, .once = true, .most_work = 1 << 20};
    char *logs[2] = {0}, *texts[2] = {0};
    for (int i = 0; i < 2; i++) {
        texts[i] = decode(data, size, &o, &logs[i]);
    }
    const bool same = strcmp(texts[0], texts[1]) == 0 && strcmp(logs[0], logs[1]) == 0;
    for (int i = 0; i < 2; i++) {
        free(texts[i]);
        free(logs[i]);
    }
    return same;
}

/** Cut at multiples of 4 KiB, and with bits flipped, 20 at a time. */
static void damaged(const char *name, char *data, size_t size, uint32_t seed)
{
    const size_t step = (size / CUTS / PAGE + 1) * PAGE;
    size_t bad = 0;
    for (size_t n = step; n < size; n += step) {
        bad += !steady(data, n);
    }
    test_case(bad == 0, name, "%zu cuts do not decode the same twice", bad);
    for (int run = 0; run < 10; run++) {
        char *copy = malloc(size);
        memcpy(copy, data, size);
        for (int flip = 0; flip < 20; flip++) {
            seed = seed * 1664525 + 1013904223; // Knuth's
            const size_t at = ((uint64_t)seed << 8 ^ seed >> 7) % size;
            copy[at] ^= (char)(1 << (seed >> 29));
        }
        bad += !steady(copy, size);
        free(copy);
    }
    test_case(bad == 0, name, "%zu with bits flipped do not decode the same twice", bad);
}

static void work(void)
{
    // Each of ten levels calls the next one 200 times.
    enum { EACH = 200, LEVELS = 10 };
    static uint32_t words[LEVELS * EACH * 4];
    for (uint32_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < EACH; i++) {
            uint32_t *w = &words[(level * EACH + i) * 4];
            w[0] = level + 1 < LEVELS ? 0x70bf8003 : 0x70108003;
            w[1] = BASE + (level + 1) * EACH * 16;
            w[3] = EACH * 4;
        }
    }
    const struct lull_cff_options o = {.last = -1, .most_work = 1 << 20};
    size_t size = 0;
    char *log = NULL, *data = capture(630, words, EACH * 4 * LEVELS, EACH * 4, &size);
    char *text = decode(data, size, &o, &log);
    test_case(strstr(log, "cut short") != NULL && strlen(text) < 32 << 20,
              "indirect buffers that multiply", "%zu bytes, %.400s", strlen(text), log);
    free(text);
    free(log);
    free(data);
}

// Options, and packets that run or load what is elsewhere. Headers by hand.
static const char *const asked[] = {"GRAS_MAX_LAYER_INDEX"};
static const uint32_t draw_words[16] = {0x48800401, 1, 0x70388003, 4, 1, 3};
static const uint32_t table_words[16] = {0x707f0004, BASE + 20,  0,         1 << 20,
                                         2,          0x70268000, 0x70138000};
static const uint32_t load_words[16] = {
    0x70b0800f, 1 << 22 | 4 << 18, 1, 0, 0xa, 0xb, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const uint32_t sampler_words[16] = {0xc0033000, 1 << 22 | 4 << 18, 0, 0x123, 0x456};
// The texts of the next five are what cffdump 25.0.7 prints for these words.
static const uint32_t texture_words[16] = {0xc0062d00, 0x10000,  0x400400, 0x12345006,
                                           0xe07f,     0x280d10, 0,        0x8007};
static const uint32_t vertex_words[16] = {0xc0022d00, 0x10078, BASE | 1, 8};
static const uint32_t half_words[16] = {0x40a81d01, 5}, reg_test_words[16] = {0x70b90001, 0x10};
static const uint32_t mem_to_reg_words[16] = {0xc0014200, 0x80123, BASE};
static const char query_text[] = "querystr: GRAS_MAX_LAYER_INDEX -> 0x8004\n"
                                 "   0: DI_PT_TRILIST(0,0-0,0):3:(null):\t00000001!+\t"
                                 "GRAS_MAX_LAYER_INDEX: 1\n";
// CP_SET_BIN of (7, 11) to (307, 219), a register, CP_DRAW_INDX of three vertices, on a220.
static const char *const asked_bin[] = {"0x2040"};
static const uint32_t bin_words[16] = {
    0xc0024c00, 0, 11 << 16 | 7, 219 << 16 | 307, 0x2040, 5, 0xc0022200, 0, 0x84, 3};
static const struct {
    const char *name;
    struct lull_cff_options o;
    const uint32_t *words;
    uint32_t n, gpu;
    const char *has, *hasnt;
} chosen_rows[] = {
    {"a query in a bin",
     {.queries = asked_bin, .nqueries = 1},
     bin_words,
     10,
     220,
     "   0: DI_PT_TRILIST(7,11-307,219):3:\t00000005!+\t",
     "opcode"},
    {"a query", {.queries = asked, .nqueries = 1}, draw_words, 6, 630, query_text, "opcode"},
    {"no more draws than were asked for",
     {.one_draw = true, .draw = 1},
     draw_words,
     6,
     630,
     "",
     "\t"},
    {"another process", {.exe = "other"}, draw_words, 6, 630, "cmd: test/1", "opcode"},
    {"this process", {.exe = "test"}, draw_words, 6, 630, "opcode: CP_DRAW_INDX_OFFSET", "\n###\n"},
    {"a table of draws",
     {0},
     table_words,
     5,
     730,
     "\t\tdraw 1\n\t\t\topcode: CP_WAIT_FOR_ME",
     "draw 2"},
    {"a texture of a5xx",
     {0},
     load_words,
     16,
     530,
     "\n0000000000010010:\t\t\t0000: 0000000a 0000000b 00000003 00000004 00000005 00000006 "
     "00000007 00000008\n0000000000010030:\t\t\t0020: 00000009 0000000a 0000000b 0000000c\n",
     "WARNING"},
    {"a texture constant of a2xx",
     {0},
     texture_words,
     8,
     220,
     "\t\tset texture const 0000\n\t\t\tclamp x/y/z: mirror/wrap/wrap\n"
     "\t\t\tfilter min/mag: bilinear/bilinear\n\t\t\tswizzle: xyzw\n"
     "\t\t\taddr=12345000 (flags=006), size=128x8, pitch=32, format=FMT_8_8_8_8\n"
     "\t\t\tmipaddr=00008000 (flags=007)\n",
     "WARNING"},
    {"vertices of a2xx",
     {0},
     vertex_words,
     4,
     220,
     "\t\tset shader const 0078\n\t\t\taddr=00010000, size=8, format=FMT_1\n"
     "00010000:\t\t\t0000: c0022d00 00010078\n00010000:\t\t\t-2.033997 0.000000\n",
     "..."},
    {"an upper half alone",
     {0},
     half_words,
     2,
     630,
     "WARNING: 64b discontinuity (no _LO dword for a81d)\n\t\t\tSP_VS_OBJ_START_HI: 0x5\n",
     "Stats"},
    {"fields that only a6xx has",
     {0},
     reg_test_words,
     2,
     530,
     "CP_REG_TEST (39) (2 dwords)\n0000000000010000:",
     "REG = "},
    {"memory to a register of a4xx",
     {0},
     mem_to_reg_words,
     3,
     420,
     "\t\t\t{ SRC = 0x10000 }\n\t\tbase register: RBBM_PERFCTR_TP_7_HI\n"
     "\t\tgpuaddr:0000000000010000\n00010000:\t\t\t0000: c0014200\n",
     "WARNING"},
    {"a sampler of a4xx",
     {0},
     sampler_words,
     5,
     420,
     "\n0001000c:\t\t\t0000: 00000123 00000456\n",
     "WARNING"},
};

static void chosen(void)
{
    for (size_t i = 0; i < TEST_ROWS(chosen_rows); i++) {
        struct lull_cff_options o = chosen_rows[i].o;
        size_t size = 0;
        char *log = NULL,
             *data = capture(chosen_rows[i].gpu, chosen_rows[i].words, 16, chosen_rows[i].n, &size);
        o.last = -1;
        char *text = decode(data, size, &o, &log);
        test_case(strstr(text, chosen_rows[i].has) != NULL &&
                      strstr(text, chosen_rows[i].hasnt) == NULL && log[0] == '\0',
                  chosen_rows[i].name, "got:\n%.1000s\n%.400s", text, log);
        free(text);
        free(log);
        free(data);
    }
}

/** A script: what it asks for and what it prints, in the order in which Mesa's cffdump calls it. */
static void scripts(void)
{
    static const char lua[] =
        "local r = rnn.init('a630')\n"
        "function start_cmdstream(name) print('start', name) end\n"
        "function start_submit() io.write('submit\\n') end\n"
        "function CP_DRAW_INDX_OFFSET(p, n) print('packet', n, tostring(p[0].PRIM_TYPE), "
        "p[2].NUM_INDICES) "
        "end\n"
        "function draw(prim, n)\n"
        "  print(prim, n, r.GRAS_MAX_LAYER_INDEX, regs.val(0x8004), regs.written(0x8004),\n"
        "        regs.written(0x8003), bos.base(0x10004), bos.size(0x10004))\n"
        "  print(r.RB_MRT[0].CONTROL.ROP_CODE, r.RB_MRT[1].BASE, r.NOBODY, r.RB_MRT[0].NOBODY)\n"
        "  print(rnn.enumname(r, 'a6xx_marker', 4))\n"
        "end\n"
        "function finish() print('finish') end\n";
    static const char want[] = "start\tthis one\nsubmit\npacket\t3.0\tDI_PT_TRILIST\t3\n"
                               "DI_PT_TRILIST\t3.0\t1\t1.0\t1.0\t0.0\t65536.0\t20.0\n"
                               "ROP_CLEAR\t0\tnil\tnil\nRM6_BIN_RENDER_START\nfinish\n";
    static const uint32_t draw[] = {0x48800401, 1, 0x70388003, 4, 1, 3};
    char path[] = "/tmp/lull-test-XXXXXX";
    const int fd = mkstemp(path);
    test_case(fd >= 0 && write(fd, lua, sizeof lua - 1) == (ssize_t)sizeof lua - 1, "a script",
              "%s: cannot be written", path);
    close(fd);
    char *text = NULL, *log = NULL;
    size_t size = 0, text_size = 0;
    FILE *out = open_memstream(&text, &text_size);
    struct lull_cff_options o = {.last = -1, .name = "this one"};
    struct lull_stream *s = NULL;
    char *data = capture(630, draw, TEST_ROWS(draw), TEST_ROWS(draw), &size);
    struct lull_error *err = lull_cff_script_new(path, out, &o.script);
    err = err != NULL ? err : lull_stream_of(data, size, &s);
    err = err != NULL ? err : lull_cff_decode(s, &o, out, stderr);
    err = err != NULL ? err : lull_cff_script_finish(o.script);
    fclose(out);
    test_case(err == NULL && strcmp(text, want) == 0, "what a script sees", "got:\n%s%s", text,
              err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    lull_cff_script_free(o.script);
    lull_stream_free(s);
    unlink(path);
    free(text);
    free(log);
    free(data);
}

static char *slurp(const char *folder, const char *name, size_t *size)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/../shared/traces/%s", folder, name);
    gzFile f = gzopen(path, "rb");
    char *data = f != NULL ? malloc(MOST) : NULL;
    const int n = data != NULL ? gzread(f, data, MOST - 1) : 0;
    *size = n > 0 ? (size_t)n : 0;
    if (data != NULL) {
        data[*size] = '\0';
    }
    if (f != NULL) {
        gzclose(f);
    }
    return data;
}

static void real(const char *folder)
{
    static const char deqp[] =
        "dEQP-VK.draw.indirect_draw.indexed.indirect_draw_count.triangle_list";
    const struct {
        const char *name, *suffix;
        struct lull_cff_options o;
    } rows[] = {
        {"comp630_computerator_combined", ".cffdump.txt.gz", {.last = -1}},
        {"tu740-bc", ".cffdump.txt.gz", {.last = -1}},
        {"tu660-stomp", ".cffdump.txt.gz", {.last = -1}},
        {"tu630-gmem", ".cffdump.txt.gz", {.last = -1}},
        {"fd-clouds", ".log", {.once = true}},
        {deqp, ".log", {.once = true}},
        {"es2gears-a320", ".log", {.once = true}},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        char file[256];
        size_t size = 0, want_size = 0;
        (void)snprintf(file, sizeof file, "%s.rd.gz", rows[i].name);
        char *data = slurp(folder, file, &size);
        (void)snprintf(file, sizeof file, "%s%s", rows[i].name, rows[i].suffix);
        char *want = slurp(folder, file, &want_size), *log = NULL;
        if (data == NULL || want == NULL) {
            test_skip("no capture %s in ../shared/traces", rows[i].name);
        } else {
            char *text = decode(data, size, &rows[i].o, &log);
            size_t at = 0;
            while (text[at] != '\0' && text[at] == want[at]) {
                at++;
            }
            test_case(strcmp(text, want) == 0, rows[i].name,
                      "differs at %zu: got '%.60s', want '%.60s'", at, text + at, want + at);
            free(text);
            free(log);
            damaged(rows[i].name, data, size < DAMAGED ? size : DAMAGED, (uint32_t)i);
        }
        free(data);
        free(want);
    }
}

int main(void)
{
    small();
    broken();
    work();
    chosen();
    scripts();
    const char *source = getenv("LULL_SOURCE");
    real(source != NULL ? source : ".");
    return test_end();
}
