// SPDX-License-Identifier: MIT
// Crash dumps in words: a dump put together here, with the text that its lines must give; broken
// ones; and Mesa's log of a real one, where it is there.
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash.h"
#include "adreno/file/devcore.h"
#include "test.h"

enum { RING_DWORDS = 64, CUT = 4096, FLIPS = 300 };

static char *decode(const char *data, size_t size, const struct lull_crash_options *o, char **log)
{
    struct lull_stream *s = NULL;
    char *text = NULL;
    size_t text_size = 0, log_size = 0;
    FILE *out = open_memstream(&text, &text_size), *err = open_memstream(log, &log_size);
    struct lull_error *e = lull_stream_of(data, size, &s);
    e = e != NULL ? e : lull_crash_decode(s, o, out, err);
    if (e != NULL) {
        fprintf(err, "%s", lull_error_message(e));
        lull_error_free(e);
    }
    lull_stream_free(s);
    fclose(out);
    fclose(err);
    return text;
}

static void reg64(struct lull_str *s, uint32_t dword, uint64_t value)
{
    lull_devcore_put_register(s, 2, dword * 4, (uint32_t)value);
    lull_devcore_put_register(s, 2, dword * 4 + 4, (uint32_t)(value >> 32));
}

static void put_bo(struct lull_str *s, uint64_t iova, const uint32_t *words, uint32_t n)
{
    lull_str_addf(s, "  - iova: 0x%016llx\n    size: %u\n", (unsigned long long)iova, n * 4);
    lull_devcore_put_data(s, 4, 5, words, n);
}

/** Where the GPU is: what CP_IBn_BASE, the rest and the ROQ say. */
struct where {
    uint64_t ib1, ib2;
    uint32_t rem1, rem2, roq1, roq2;
};

/**
 * A dump of an a630 whose ring calls 0x10000 (8 dwords), 0x11000 (6) and 0x12000 (4), back to back.
 * The last one calls 0x20000 (4) and 0x21000 (4), and the second none. Headers' parity by hand.
 */
static char *dump(const struct where *w, size_t *size)
{
    static const uint32_t nop = 0x70108000, call = 0x70bf8003;
    const uint32_t first[] = {nop, nop, nop, nop, nop, nop, nop, nop};
    const uint32_t second[] = {nop, nop, nop, nop, nop, nop};
    const uint32_t third[] = {call, 0x20000, 0, 4, call, 0x21000, 0, 4};
    const uint32_t ring[RING_DWORDS] = {
        nop, nop,  nop,     nop, nop, nop,  nop,     nop, nop, nop,  nop,     nop, nop, nop, nop,
        nop, call, 0x10000, 0,   8,   call, 0x11000, 0,   6,   call, 0x12000, 0,   8,   nop};
    struct lull_str s = {0};
    lull_str_addf(&s,
                  "---\nkernel: 6.12\nrevision: 630 (6.3.0.2)\nfault-info:\n  - far: 0x20014\n"
                  "ringbuffer:\n  - id: 0\n    iova: 0x1000\n    rptr: 28\n    wptr: 29\n"
                  "    size: %d\n",
                  RING_DWORDS * 4);
    lull_devcore_put_data(&s, 4, 5, ring, RING_DWORDS);
    lull_str_addf(&s, "bos:\n");
    put_bo(&s, 0x10000, first, 8);
    put_bo(&s, 0x11000, second, 6);
    put_bo(&s, 0x12000, third, 8);
    put_bo(&s, 0x20000, first, 4);
    put_bo(&s, 0x21000, first, 4);
    lull_str_addf(&s, "registers:\n");
    reg64(&s, 0x800, 0x1000);
    reg64(&s, 0x928, w->ib1);
    lull_devcore_put_register(&s, 2, 0x92a * 4, w->rem1);
    reg64(&s, 0x92b, w->ib2);
    lull_devcore_put_register(&s, 2, 0x92d * 4, w->rem2);
    lull_devcore_put_register(&s, 2, 0x949 * 4, w->roq1 << 16);
    lull_devcore_put_register(&s, 2, 0x94a * 4, w->roq2 << 16);
    lull_devcore_put_register(&s, 2, 0x804 * 4, 7);
    lull_devcore_put_register(&s, 2, 0x210 * 4, 0x800005);
    lull_str_addf(&s, "debugbus:\n");
    *size = s.size;
    return s.text;
}

/** The address of the packet after the mark; 0: no mark, 1: several. */
static unsigned long long mark(const char *text)
{
    static const char said[] = "ESTIMATED CRASH LOCATION!\n";
    const char *at = strstr(text, said);
    if (at == NULL || strstr(at + 1, said) != NULL) {
        return at != NULL;
    }
    return strtoull(at + sizeof said - 1, NULL, 16);
}

static void location(void)
{
    const struct {
        const char *name;
        struct where w;
        unsigned long long want;
    } rows[] = {
        {"three dwords of the second are left", {.ib1 = 0x11000, .rem1 = 3}, 0x1100c},
        {"two of them are in the ROQ", {.ib1 = 0x11000, .rem1 = 1, .roq1 = 3}, 0x1100c},
        {"fetched ahead: all of the second, two of the first",
         {.ib1 = 0x11000, .rem1 = 8},
         0x10018},
        {"fetched two ahead", {.ib1 = 0x12000, .rem1 = 8 + 6 + 1}, 0x1001c},
        {"at the second level", {.ib1 = 0x12000, .rem1 = 4, .ib2 = 0x20000, .rem2 = 1}, 0x2000c},
        {"at the second level, fetched ahead",
         {.ib1 = 0x12000, .ib2 = 0x21000, .rem2 = 4 + 2},
         0x20008},
        {"a buffer that nobody calls", {.ib1 = 0x99000, .rem1 = 3}, 0},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const struct lull_crash_options o = {.summary = true};
        size_t size = 0;
        char *log = NULL, *data = dump(&rows[i].w, &size), *text = decode(data, size, &o, &log);
        test_case(mark(text) == rows[i].want && log[0] == '\0', rows[i].name,
                  "at 0x%llx, want 0x%llx %s\n%s", mark(text), rows[i].want, log, text);
        free(text);
        free(log);
        free(data);
    }
}

static char *sections_of(const char *data, size_t size, enum lull_crash_style style,
                         unsigned sections)
{
    struct lull_stream *s = NULL;
    struct lull_str out = {0};
    const struct lull_crash_look look = {.style = style, .sections = sections};
    struct lull_error *e = lull_stream_of(data, size, &s);
    e = e != NULL ? e : lull_crash_page(s, &look, &out);
    lull_error_free(e);
    lull_stream_free(s);
    lull_str_addf(&out, "%s", "");
    return out.text;
}

static char *page(const char *data, size_t size, enum lull_crash_style style)
{
    return sections_of(data, size, style, 0);
}

static void pages(void)
{
    static const struct {
        const char *name;
        struct where w;
        enum lull_crash_style style;
        const char *want;
    } rows[] = {
        {"busy, fault",
         {.ib1 = 0x11000, .rem1 = 3},
         LULL_CRASH_PAGE,
         "busy      CP\n"
         "fault     0x20014: in no buffer of the dump; 0x4 bytes behind the end of 0x20000; "
         "0xfec bytes before 0x21000\n"},
        {"fetched ahead",
         {.ib1 = 0x11000, .rem1 = 6, .roq1 = 3},
         LULL_CRASH_PAGE,
         "IB1       0x11000: 6 dwords not fetched, 3 in the ROQ; that was fetched ahead, from "
         "0x10000; 2 dwords to do, so at dword 6 of 8\nESTIMATED CRASH LOCATION\n"
         "at        IB1   0x10018  CP_NOP\n"
         "how       CP_IB1_BASE 0x11000, left of it 6 + ROQ (3 - 1) = 8, less 6 that were fetched "
         "ahead = 2 of 0x10000; 0x10000 + 4 * (8 - 2) = 0x10018\nsure      likely"},
        {"a buffer that nobody calls",
         {.ib1 = 0x99000, .rem1 = 3},
         LULL_CRASH_PAGE,
         "sure      unknown: what was left of the ring does not call this buffer\n"},
        {"no indirect buffer",
         {0},
         LULL_CRASH_PAGE,
         "sure      unknown: the GPU was in no indirect buffer\n"},
        {"a signature",
         {.ib1 = 0x12000, .rem1 = 4, .ib2 = 0x20000, .rem2 = 1},
         LULL_CRASH_SIGNATURE,
         "adreno 630; fault outside; busy CP; after IB2 -\n"},
        {"a signature without a place",
         {.ib1 = 0x99000, .rem1 = 3},
         LULL_CRASH_SIGNATURE,
         "adreno 630; fault outside; busy CP; at ?\n"},
        {"json",
         {.ib1 = 0x11000, .rem1 = 3},
         LULL_CRASH_JSON,
         "\"busy\":[\"CP\"],\"fault\":{\"address\":\"0x20014\",\"below\":\"0x20000\","
         "\"above\":\"0x21000\"},\"levels\":[{\"base\":\"0x11000\",\"rem_size\":3,\"roq\":0,"
         "\"from\":\"0x11000\",\"to_do\":3,\"dwords\":6,\"found\":true}"},
        {"json, the packet",
         {.ib1 = 0x11000, .rem1 = 3},
         LULL_CRASH_JSON,
         "\"at\":{\"level\":1,\"address\":\"0x1100c\",\"header\":\"0x70108000\",\"packet\":\"CP_"
         "NOP\","
         "\"fields\":\"\"},\"packets\":[]"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        size_t size = 0;
        char *data = dump(&rows[i].w, &size), *text = page(data, size, rows[i].style);
        test_case(text != NULL && strstr(text, rows[i].want) != NULL, rows[i].name,
                  "want:\n%s\ngot:\n%s", rows[i].want, text != NULL ? text : "nothing");
        free(text);
        free(data);
    }
}

static uint32_t p7(uint32_t op, uint32_t n)
{
    const uint32_t op_odd = (uint32_t)__builtin_parity(op) ^ 1;
    return 7u << 28 | op_odd << 23 | op << 16 | ((uint32_t)__builtin_parity(n) ^ 1) << 15 | n;
}

/** Write @p i of a chunk of CP_MEMPOOL: bits as docs/formats/devcore.md has them. */
static void put_write(uint32_t *chunk, unsigned i, uint32_t reg, uint32_t value)
{
    const struct {
        unsigned at, size;
        uint32_t value;
    } rows[] = {{i, 1, 1}, {2 + 32 * i, 32, value}, {66 + 18 * i, 18, reg}};
    for (size_t r = 0; r < TEST_ROWS(rows); r++) {
        for (unsigned b = 0; b < rows[r].size; b++) {
            const unsigned at = rows[r].at + b;
            chunk[at / 32] |= (rows[r].value >> b & 1) << at % 32;
        }
    }
}

enum { SQE_IB = 27, NEXT_AT = 25 };

/** A blit, two events, a tile, a draw that is not for this mode, a wait, and @p next. */
static void put_commands(struct lull_str *s, uint32_t next)
{
    const uint32_t words[SQE_IB] = {
        p7(0x2c, 1),
        3, // CP_BLIT
        p7(0x46, 1),
        0x31, // CP_EVENT_WRITE CACHE_INVALIDATE
        p7(0x46, 1),
        0x26, // LRZ_FLUSH
        0x4080f002,
        32 << 16 | 16,
        95 << 16 | 143, // GRAS_SC_WINDOW_SCISSOR_TL, _BR: y, x
        p7(0x65, 1),
        4, // CP_SET_MARKER RM6_BIN_RENDER_START
        p7(0x47, 2),
        0x38000000, // CP_COND_REG_EXEC SYSMEM
        4,
        p7(0x38, 3),
        4,
        1,
        3, // CP_DRAW_INDX_OFFSET
        p7(0x3c, 6),
        0x13,
        0x20000,
        0,
        7,
        0xff,
        16, // CP_WAIT_REG_MEM, == 7
        next,
        p7(0x10, 0),
    };
    const uint32_t memory[] = {5};
    lull_str_addf(s, "bos:\n");
    put_bo(s, 0x10000, words, SQE_IB);
    put_bo(s, 0x20000, memory, 1);
}

/** A dump whose GPU waits in the packet before the one that the registers point to. */
static char *waiting(uint32_t header, uint32_t next, size_t *size)
{
    enum { POOL = 0x2060 };
    static uint32_t pool[POOL];
    const uint32_t ring[8] = {p7(0x10, 0), p7(0x3f, 3), 0x10000, 0, SQE_IB, p7(0x10, 0)};
    const uint32_t sqe[51] = {0x123, header};
    struct lull_str s = {0};
    lull_str_addf(&s, "revision: 630 (6.3.0.2)\nringbuffer:\n  - id: 0\n    iova: 0x1000\n"
                      "    rptr: 5\n    wptr: 6\n    size: 32\n");
    lull_devcore_put_data(&s, 4, 5, ring, 8);
    put_commands(&s, next);
    lull_str_addf(&s, "registers:\n");
    reg64(&s, 0x800, 0x1000);
    lull_devcore_put_register(&s, 2, 0x889 * 4, 0x66); // CP_SCRATCH 6, 7
    lull_devcore_put_register(&s, 2, 0x88a * 4, 0x77);
    reg64(&s, 0x928, 0x10000);
    lull_devcore_put_register(&s, 2, 0x92a * 4, SQE_IB - NEXT_AT);
    memset(pool, 0, sizeof pool);
    put_write(&pool[(8 + 6) * 4], 0, 0xd701, 0);    // CP_2D_EVENT_END
    put_write(&pool[(8 + 6) * 4], 1, 0xbb02, 0x31); // HLSQ_EVENT_CMD
    put_write(&pool[(8 + 7) * 4], 0, 0xbb02, 0x26);
    pool[0x1000 + 1] = 2;      // after block 1
    pool[0x1808 + 5] = 1 << 3; // PS: written at chunk 0 of the second block
    pool[0x1818 + 5] = 2;
    pool[0x1828 + 5] = 1 << 3 | 6; // read at chunk 6 of the first block
    pool[0x2018 + 5] = 2;
    lull_str_addf(&s, "indexed-registers:\n  - regs-name: CP_SQE_STAT\n    dwords: 51\n");
    lull_devcore_put_data(&s, 4, 5, sqe, 51);
    lull_str_addf(&s, "  - regs-name: CP_MEMPOOL\n    dwords: %d\n", POOL);
    lull_devcore_put_data(&s, 4, 5, pool, POOL);
    lull_str_addf(&s, "debugbus:\n");
    *size = s.size;
    return s.text;
}

static void culprit(void)
{
    static const char *const want[] = {
        "waits     for memory at 0x20000 & 0xff to be WRITE_EQ 0x7; the dump has 0x00000005 "
        "there\n",
        "in        IB1   0x10048  CP_WAIT_REG_MEM  FUNCTION = WRITE_EQ | POLL = POLL_MEMORY",
        "next      IB1   0x10064  CP_NOP\n",
        "sure      surely",
        "trigger   may be earlier",
        "TU_DEBUG=flushall",
        "mode      RM6_BIN_RENDER_START\n",
        "tile      16,32 to 143,95\n",
        "scratch   6: 0x66, 7: 0x77\n",
        "draw      IB1   0x10000  CP_BLIT", // not the one behind a condition that is false
        "before    IB1   0x1002c  CP_COND_REG_EXEC",
        "on way    register writes: PS 2 chunks\n",
        "cluster   PS: 3 to do, first CP_2D_EVENT_END, of CP_BLIT at IB1 0x10000, 2 draws, blits "
        "and events before\n",
    };
    const uint32_t wait = p7(0x3c, 6);
    size_t size = 0;
    char *data = waiting(wait, p7(0x10, 0), &size), *text = page(data, size, LULL_CRASH_PAGE);
    for (size_t i = 0; i < TEST_ROWS(want); i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "culprit %zu", i);
        test_case(strstr(text, want[i]) != NULL, name, "want:\n%s\ngot:\n%s", want[i], text);
    }
    test_case(strstr(text, "CP_DRAW") == NULL, "a packet under a false condition", "%s", text);
    char *one = page(data, size, LULL_CRASH_SIGNATURE);
    free(data);
    data = waiting(wait, p7(0x26, 0), &size);
    char *other = page(data, size, LULL_CRASH_SIGNATURE);
    test_case(strcmp(one, other) == 0 &&
                  strstr(one, "; in IB1 CP_WAIT_REG_MEM < CP_COND_REG_EXEC < CP_SET_MARKER") !=
                      NULL,
              "a signature without the packet that is next", "%s%s", one, other);
    free(data);
    data = waiting(p7(0x70, 3), p7(0x10, 0), &size); // a packet that is not in the buffer
    free(text);
    text = page(data, size, LULL_CRASH_PAGE);
    test_case(strstr(text, "at        IB1   0x10064  CP_NOP\n") != NULL, "another header", "%s",
              text);
    free(one);
    free(other);
    free(text);
    free(data);
}

static void lines(void)
{
    static const char *const want[] = {
        "revision: 630 (6.3.0.2)\nGot chip_id=0x6030002\n",
        "  - iova: 0x0000000000020000-0x0000000000020010\t>=\n    size: 16 (0x10)\n",
        "  - iova: 0x0000000000012000-0x0000000000012020\n",
        "\t00001000\tCP_RB_BASE: 0x1000\n",
        "\t500000003\tCP_IB1_BASE: 0x500000003\n",
        "WARNING: 64b discontinuity (210, expected 805)\n\t00000007\tCP_RB_RPTR_ADDR: 0x7\ngot",
        "got rb_base=1000\nIB1: 500000003, 2\nIB2: 0, 0\nfound ring!\ngot cmdszdw=13\n",
    };
    const struct where w = {.ib1 = 0x500000003, .rem1 = 2};
    const struct lull_crash_options o = {.summary = true};
    size_t size = 0;
    char *log = NULL, *data = dump(&w, &size), *text = decode(data, size, &o, &log);
    for (size_t i = 0; i < TEST_ROWS(want); i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "text %zu", i);
        test_case(strstr(text, want[i]) != NULL, name, "want:\n%s\ngot:\n%s", want[i], text);
    }
    free(text);
    free(log);
    free(data);
}

/** Three register writes on their way, through two blocks; chunks by hand. */
static void state(void)
{
    enum { POOL = 0x2060 };
    static const char *const want[] = {
        "  - regs-name: CP_SQE_STAT\n    dwords: 51\n\t PC: 0123\n\tPKT: CP_WAIT_FOR_IDLE\n"
        "\t$01: 70268000\t\t$11: 00000000\n\t$02: 00000007\t\t$12: 00000000\n",
        "\t0000c0: 00000000 00000000 00000000         \t|............|\n  - regs-name: "
        "CP_MEMPOOL\n",
        "\tCLUSTER_FE:\n\n"
        "\t\twrite GRAS_MAX_LAYER_INDEX (08004) context 1\n\t\t\tGRAS_MAX_LAYER_INDEX: 3\n"
        "\t000a8: 0000000d 00000000 00020010 00000100\n"
        "\t\twrite WAIT_FOR_IDLE (80) pipe\n"
        "\t000ac: 00000002 00000000 08000000 00000080\n"
        "\t\twrite NRT_DATA (a2) pipe\n\t\t\tNRT_DATA: 0xdeadbeef\n"
        "\t00110: 7ab6fbbd 00000003 00000288 00000040\n"
        "\n\tCLUSTER_SP_VS:\n\n\t\tCALCULATED SIZE 0 DOES NOT MATCH!\n\n",
        "\tCLUSTER_PC_VS:\n\n\n\tCLUSTER_GRAS:\n\n\n",
    };
    static const uint32_t chunks[] = {0xd,       0,    0x20010,    0x100, 2,     0,
                                      0x8000000, 0x80, 0x7ab6fbbd, 3,     0x288, 0x40};
    const uint32_t sqe[51] = {0x123, 0x70268000, 7};
    static uint32_t pool[POOL];
    memcpy(&pool[(8 + 6) * 4], chunks, sizeof chunks);
    pool[0x1000 + 1] = 2;      // after block 1
    pool[0x1808] = 5 << 3 | 1; // written at chunk 1 of the second block
    pool[0x1818] = 2;
    pool[0x1828] = 1 << 3 | 6; // read at chunk 6 of the first block
    pool[0x2018] = 3;
    pool[0x2019] = 2;
    pool[0x182a] = 1; // queue 2 is read from a block that there is not
    pool[0x183a] = 0x90;
    struct lull_str s = {0};
    lull_str_addf(&s, "revision: 630 (6.3.0.2)\nindexed-registers:\n  - regs-name: CP_SEQ_STAT\n"
                      "    dwords: 51\n");
    lull_devcore_put_data(&s, 4, 5, sqe, 51);
    lull_str_addf(&s, "  - regs-name: CP_MEMPOOL\n    dwords: %d\n", POOL);
    lull_devcore_put_data(&s, 4, 5, pool, POOL);
    const struct lull_crash_options o = {0};
    char *log = NULL, *text = decode(s.text, s.size, &o, &log);
    for (size_t i = 0; i < TEST_ROWS(want); i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "state %zu", i);
        test_case(strstr(text, want[i]) != NULL, name, "want:\n%s\ngot:\n%s", want[i], text);
    }
    test_case(strstr(log, "queue 2 of CP_MEMPOOL: block 0x90, there are 128") != NULL,
              "a block that there is not", "%s", log);
    free(text);
    free(log);
    lull_str_free(&s);
}

/** Two queues between kernel and GMU; the first one goes around its end. Sizes as the header says.
 */
static void gmu(void)
{
    enum { DWORDS = 0x80, QUEUE0 = 0x40, SIZE = 16 };
    static const char *const want[] = {
        "\tversion:       7\n\tsize:          30\n\tqhdr0_offset:  6\n\tqhdr_size:     12\n"
        "\tnum_queues:    2\n\tactive_queues: 2\n\tqueue[0]:\n\t\tstatus:       0x1\n"
        "\t\tiova:         0x60000100\n",
        "\t\t\t------ H2F_MSG_GX_BW_PERF_VOTE (id=30, size=4, type=0, seqnum=4095)\n"
        "\t\t\t\tack_type: 1\n\t\t\t\tfreq:     2\n\t\t\t\tbw:       3\n"
        "\t\t\t\t-----------------------------------------------\n\t\t\t\t16 (0x10) bytes\n"
        "\t\t\t\t000000: fff0041e 00000001 00000002 00000003\t|................|\n"
        "\t\t\t------ F2H_MSG_ACK (id=126, size=3, type=0, seqnum=0)\n"
        "\t\t\t\tret_header: H2F_MSG_TEST  (id=5, size=1, type=1, seqnum=2)\n"
        "\t\t\t\terror:      9\n",
        "\tqueue[1]:\n\t\tstatus:       0x0\n",
    };
    uint32_t w[DWORDS] = {7, 30, 6, 12, 2, 2, 1, 0x60000000 + QUEUE0 * 4, 0, SIZE};
    w[6 + 11] = 4; // written up to here
    const uint32_t vote[] = {0xfff0041e, 1, 2, 3}, ack[] = {0x0000037e, 0x00210105, 9};
    memcpy(&w[QUEUE0 + 12], vote, sizeof vote);
    memcpy(&w[QUEUE0], ack, sizeof ack);
    struct lull_str s = {0};
    lull_str_addf(&s,
                  "revision: 660 (6.6.0.1)\ngmu-hfi:\n    iova: 0x60000000\n    size: %d\n"
                  "    queue-history[0]: -1 -1 -1 -1 -1 8 12 0\n"
                  "    queue-history[1]: -1 -1 -1 -1 -1 -1 -1 -1\n",
                  DWORDS * 4);
    lull_devcore_put_data(&s, 4, 5, w, DWORDS);
    lull_str_addf(&s, "debugbus:\n");
    const struct lull_crash_options o = {0};
    char *log = NULL, *text = decode(s.text, s.size, &o, &log);
    for (size_t i = 0; i < TEST_ROWS(want); i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "gmu %zu", i);
        test_case(strstr(text, want[i]) != NULL, name, "want:\n%s\ngot:\n%s", want[i], text);
    }
    test_case(strstr(log, "queue 1 of gmu-hfi lies outside of it") != NULL,
              "a queue without a place", "%s", log);
    free(text);
    free(log);
    lull_str_free(&s);
}

/** What --all adds: each section of a dump of an a740, with pipes, banks and contexts. */
static void all_sections(void)
{
    static const char text[] =
        "revision: 0 (67.5.10.1)\nringbuffer:\n  - id: 0\n    iova: 0x1000\n    last-fence: 7\n"
        "    retired-fence: 6\n    rptr: 3\n    wptr: 1\n    size: 16\n    data: !!ascii85 |\n"
        "     !!!!\"!!!!#!!!!$!!!!%\nbos:\n  - iova: 0x9000\n    size: 16\n    name: cmd          "
        "\n"
        "registers:\n  - { offset: 0x000840, value: 0x00000005 }\nindexed-registers:\n"
        "  - regs-name: CP_BV_SQE_STAT_ADDR\n    dwords: 51\n    data: !!ascii85 |\n"
        "      !!!!#E\"IO\"\nshader-blocks:\n  - type: A7XX_SP_LB\n    - location: USPTP\n"
        "    - pipe: A7XX_PIPE_BR\n    - bank: 0\n      size: 2\n    data: !!ascii85 |\n"
        "      z!!!!\"\n    - bank: 1\n      size: 2\nclusters:\n  - cluster-name: CLUSTER_FE\n"
        "  - pipe: A7XX_PIPE_BR\n    - context: 0\n    - { offset: 0x000840, value: 0x00000001 }\n"
        "    - context: 1\n    - { offset: 0x000840, value: 0x00000004 }\ndebugbus:\n"
        "  - debugbus-block: A7XX_DBGBUS_CP\n    count: 8\n    data: !!ascii85 |\n      !!!!\"\n";
    static const char *const want[] = {
        "ring 0    0x1000: rptr 3, wptr 1 of 4 dwords, 2 not fetched; fence 6 of 7 done\n",
        "SQE BV    PC 0x0002, $01 0x70108000: CP_NOP\n",
        "retired fence 6\n    00000c: 00000004 00000001\n", // around the end
        "  0x0000000000009000 to 0x0000000000009010         16  -  cmd\n",
        " A7XX_SP_LB pipe A7XX_PIPE_BR at USPTP bank 0: 2 dwords\n    000000: 00000000 00000001\n",
        " A7XX_SP_LB pipe A7XX_PIPE_BR at USPTP bank 1: 2 dwords\n    all zero",
        " CLUSTER_FE pipe A7XX_PIPE_BR context 0: 1 registers\n  00210 00000001",
        " CLUSTER_FE pipe A7XX_PIPE_BR context 1: 1 registers\n  00210 00000004",
        " A7XX_DBGBUS_CP: 8 dwords\n    000000: 00000001 00000000",
    };
    char *got = sections_of(text, sizeof text - 1, LULL_CRASH_PAGE, LULL_CRASH_ALL);
    for (size_t i = 0; i < TEST_ROWS(want); i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "sections %zu", i);
        test_case(strstr(got, want[i]) != NULL, name, "want:\n%s\ngot:\n%s", want[i], got);
    }
    free(got);
}

static void broken(void)
{
    static const struct {
        const char *name, *text, *log, *out;
    } rows[] = {
        {"no revision", "registers:\n  - { offset: 0x840, value: 0x1 }\n",
         "line 2: registers of an unknown GPU", "value: 0x1 }"},
        {"a GPU that nobody knows", "revision: 0 (153.1.2.3)\nbos:\n", "line 1: nothing is known",
         "bos:"},
        {"half a revision", "revision: 630 (6.3\nbos:\n", "line 1: '630 (6.3' is not a revision",
         "bos:"},
        {"more data than its size",
         "revision: 630 (6.3.0.2)\nbos:\n  - iova: 0x1000\n    size: 4\n    data: !!ascii85 |\n"
         "     zz\ndebugbus:\n",
         "line 6: data ends after 1 of 1 dwords, at character 1", "debugbus:"},
        {"a character that is none",
         "revision: 630 (6.3.0.2)\nbos:\n  - iova: 0x1000\n    size: 64\n    data: !!ascii85 |\n"
         "     z!!!!~\ndebugbus:\n",
         "line 6: data ends after 1 of 16 dwords, at character 1", "debugbus:"},
        {"a size of terabytes",
         "revision: 630 (6.3.0.2)\nbos:\n  - iova: 0x1000\n    size: 9999999999999\n"
         "    data: !!ascii85 |\n     z\ndebugbus:\n",
         "dwords are too many", "debugbus:"},
        {"a ring that there is not", "ringbuffer:\n  - id: 7\n", "line 2: ring 7, there are 5",
         "id: 7"},
        {"no number", "bos:\n  - iova: 0x1000\n    size: many\n", "line 3: 'many' is not a number",
         "size: 0"},
        {"the end within a line", "revision: 630 (6.3.0.2)\nregisters:\n  - { offset: 0x8",
         "line 3: the dump ends within this line", "{ offset: 0x8"},
        {"a pool that is too small",
         "revision: 630 (6.3.0.2)\nindexed-registers:\n  - regs-name: CP_MEMPOOOL\n"
         "    dwords: 16\n    data: !!ascii85 |\n      z\n",
         "CP_MEMPOOL has", "regs-name: CP_MEMPOOL\n"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const struct lull_crash_options o = {0};
        char *log = NULL, *text = decode(rows[i].text, strlen(rows[i].text), &o, &log);
        test_case(strstr(log, rows[i].log) != NULL && strstr(text, rows[i].out) != NULL,
                  rows[i].name, "got:\n%s\n%s", text, log);
        free(text);
        free(log);
    }
}

/** Cut at many places, and with wrong bits: it ends, and says something. */
static void damaged(const char *name, const char *data, size_t size, size_t step, unsigned flips)
{
    const struct lull_crash_options o = {.summary = true};
    char *copy = malloc(size), *log = NULL;
    uint64_t seed = 0x2545f4914f6cdd1d;
    bool good = copy != NULL;
    for (size_t cut = step; good && cut < size; cut += step) {
        char *text = decode(data, cut, &o, &log);
        good = text != NULL && (log[0] != '\0' || data[cut - 1] == '\n');
        free(text);
        free(log);
    }
    for (unsigned i = 0; good && i < flips; i++) {
        memcpy(copy, data, size);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        copy[(seed >> 33) % size] ^= (char)(1 << (seed >> 28) % 8);
        char *text = decode(copy, size, &o, &log);
        good = text != NULL;
        free(text);
        free(log);
        text =
            sections_of(copy, size, i % 2 != 0 ? LULL_CRASH_PAGE : LULL_CRASH_JSON, LULL_CRASH_ALL);
        good &= text != NULL;
        free(text);
    }
    test_case(good, name, "a cut that was not told");
    free(copy);
}

static char *slurp(const char *folder, const char *name, size_t *size)
{
    char path[4096], *data = NULL;
    (void)snprintf(path, sizeof path, "%s/../shared/traces/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (f != NULL && fseek(f, 0, SEEK_END) == 0 && ftell(f) > 0) {
        *size = (size_t)ftell(f);
        data = calloc(*size + 1, 1);
        rewind(f);
        *size = data != NULL ? fread(data, 1, *size, f) : 0;
    }
    if (f != NULL) {
        fclose(f);
    }
    return data;
}

/** LULL_FLIPS=10000 makes it so many wrong bits, in each dump. */
static unsigned flips(unsigned usual)
{
    const char *wanted = getenv("LULL_FLIPS");
    return wanted != NULL ? (unsigned)strtoul(wanted, NULL, 10) : usual;
}

static void real(const char *folder)
{
    const struct lull_crash_options o = {.summary = true};
    size_t size = 0, want_size = 0;
    char *data = slurp(folder, "crash.devcore", &size), *log = NULL;
    char *want = slurp(folder, "crash.log", &want_size);
    if (data == NULL || want == NULL) {
        test_skip("no dump crash.devcore in ../shared/traces");
    } else {
        char *text = decode(data, size, &o, &log);
        size_t at = 0;
        while (text[at] != '\0' && text[at] == want[at]) {
            at++;
        }
        test_case(strcmp(text, want) == 0, "crash.devcore as crashdec -sf",
                  "differs at %zu: got '%.60s', want '%.60s' %s", at, text + at, want + at, log);
        free(text);
        free(log);
        damaged("crash.devcore, damaged", data, size, CUT, flips(12));
    }
    free(data);
    free(want);
}

int main(void)
{
    const struct where w = {.ib1 = 0x11000, .rem1 = 3};
    size_t size = 0;
    location();
    pages();
    culprit();
    lines();
    state();
    gmu();
    all_sections();
    broken();
    char *data = dump(&w, &size);
    damaged("a small dump, damaged", data, size, 7, flips(FLIPS));
    free(data);
    const char *source = getenv("LULL_SOURCE");
    real(source != NULL ? source : ".");
    return test_end();
}
