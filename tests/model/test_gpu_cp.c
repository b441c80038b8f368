// SPDX-License-Identifier: MIT
// Command processor: each packet's effect on memory, registers and time, and what it refuses.
//
// Packets are written as dwords (sources: Linux nvd.h, Mesa sid.h), not with the builder.
#include "gpu_fixture.h"
#include "test.h"

#include <inttypes.h>

enum { MAX = 40 };

#define HEADER_NOP_PAD 0xffff1000u

#define LO(offset) ((uint32_t)(FIXTURE_VA + (offset)))
#define HI ((uint32_t)(FIXTURE_VA >> 32))

/** A stream, and the dword at @p at after it ran. The memory before: dword i at 4 i is 0x1000 + i.
 */
static const struct {
    const char *name;
    uint32_t dwords[MAX];
    unsigned n;
    uint32_t at, want;
} effects[] = {
    {"WRITE_DATA to memory", {0xc0043700, 5 << 8, LO(0x40), HI, 7, 8}, 6, 0x44, 8},
    {"WRITE_DATA as old drivers", {0xc0033700, 1 << 8, LO(0x40), HI, 7}, 5, 0x40, 7},
    {"WRITE_DATA through L2", {0xc0033700, 2 << 8, LO(0x40), HI, 7}, 5, 0x40, 7},
    {"WRITE_DATA to one address", {0xc0043700, 5 << 8 | 1 << 16, LO(0x40), HI, 7, 8}, 6, 0x40, 8},
    {"WRITE_DATA to one address leaves the next",
     {0xc0043700, 5 << 8 | 1 << 16, LO(0x40), HI, 7, 8},
     6,
     0x44,
     0x1011},
    {"COPY_DATA memory to memory",
     {0xc0044000, 1 | 5 << 8, LO(0x10), HI, LO(0x40), HI},
     6,
     0x40,
     0x1004},
    {"COPY_DATA of 64 bits",
     {0xc0044000, 2 | 2 << 8 | 1 << 16, LO(0x10), HI, LO(0x40), HI},
     6,
     0x44,
     0x1005},
    {"COPY_DATA of 32 bits leaves the rest",
     {0xc0044000, 1 | 5 << 8, LO(0x10), HI, LO(0x40), HI},
     6,
     0x44,
     0x1011},
    {"COPY_DATA immediate",
     {0xc0044000, 5 | 5 << 8 | 1 << 16, 0xa, 0xb, LO(0x40), HI},
     6,
     0x44,
     0xb},
    // COMPUTE_USER_DATA_1 (0xb904) set, then read as a register
    {"COPY_DATA from a register",
     {0xc0017600, 0x241, 0x77, 0xc0044000, 0 | 5 << 8, 0x2e41, 0, LO(0x40), HI},
     9,
     0x40,
     0x77},
    {"COPY_DATA to a register",
     {0xc0044000, 5 | 0 << 8, 0x99, 0, 0x2e41, 0, 0xc0044000, 0 | 5 << 8, 0x2e41, 0, LO(0x40), HI},
     12,
     0x40,
     0x99},
    {"SET_UCONFIG_REG",
     {0xc0017900, 0x40, 0x55, 0xc0044000, 0 | 5 << 8, 0xc040, 0, LO(0x40), HI},
     9,
     0x40,
     0x55},
    {"SET_CONTEXT_REG",
     {0xc0016900, 0x10, 0x66, 0xc0044000, 0 | 5 << 8, 0xa010, 0, LO(0x40), HI},
     9,
     0x40,
     0x66},
    {"SET_SH_REG_PAIRS_PACKED",
     {0xc003bb00, 2, 0x240 | 0x241u << 16, 0x21, 0x22, 0xc0044000, 5 << 8, 0x2e41, 0, LO(0x40), HI},
     11,
     0x40,
     0x22},
    {"DMA_DATA fill",
     {0xc0055000, 3 << 20 | 2 << 29, 0xabcd, 0, LO(0x40), HI, 12},
     7,
     0x48,
     0xabcd},
    {"DMA_DATA fill ends",
     {0xc0055000, 3 << 20 | 2 << 29, 0xabcd, 0, LO(0x40), HI, 12},
     7,
     0x4c,
     0x1013},
    {"DMA_DATA copy", {0xc0055000, 3 << 20 | 3 << 29, LO(0), HI, LO(0x40), HI, 8}, 7, 0x44, 0x1001},
    {"DMA_DATA copy, plain addresses",
     {0xc0055000, 0, LO(0), HI, LO(0x40), HI, 8},
     7,
     0x44,
     0x1001},
    {"DMA_DATA across pages",
     {0xc0055000, 3 << 20 | 2 << 29, 0xabcd, 0, LO(0x40), HI, 0x5000},
     7,
     0x503c,
     0xabcd},
    {"DMA_DATA to nowhere",
     {0xc0055000, 2 << 20 | 2 << 29, 0xabcd, 0, LO(0x40), HI, 8},
     7,
     0x40,
     0x1010},
    {"DMA_DATA of nothing",
     {0xc0055000, 3 << 20 | 3u << 29 | 1u << 31, 0, 0, 0, 0, 0},
     7,
     0x40,
     0x1010},
    {"RELEASE_MEM 32 bits", {0xc0064900, 0x514, 1 << 29, LO(0x40), HI, 1, 2, 0}, 8, 0x40, 1},
    {"RELEASE_MEM 32 bits leaves the rest",
     {0xc0064900, 0x514, 1 << 29, LO(0x40), HI, 1, 2, 0},
     8,
     0x44,
     0x1011},
    {"RELEASE_MEM 64 bits", {0xc0064900, 0x528, 2 << 29, LO(0x40), HI, 1, 2, 0}, 8, 0x44, 2},
    {"RELEASE_MEM of nothing", {0xc0064900, 0x514, 0, LO(0x40), HI, 1, 2, 0}, 8, 0x40, 0x1010},
    {"COND_EXEC true",
     {0xc0032200, LO(0), HI, 0, 5, 0xc0033700, 5 << 8, LO(0x40), HI, 7},
     10,
     0x40,
     7},
    // dword at 0x80000 is 0
    {"COND_EXEC false",
     {0xc0032200, LO(0x80000), HI, 0, 5, 0xc0033700, 5 << 8, LO(0x40), HI, 7},
     10,
     0x40,
     0x1010},
    {"SET_PREDICATION false",
     {0xc0022000, 4 << 16 | 1 << 8, LO(0x80000), HI, 0xc0033701, 5 << 8, LO(0x40), HI, 7},
     9,
     0x40,
     0x1010},
    {"SET_PREDICATION true",
     {0xc0022000, 3 << 16 | 1 << 8, LO(0), HI, 0xc0033701, 5 << 8, LO(0x40), HI, 7},
     9,
     0x40,
     7},
    {"SET_PREDICATION inverted",
     {0xc0022000, 3 << 16, LO(0), HI, 0xc0033701, 5 << 8, LO(0x40), HI, 7},
     9,
     0x40,
     0x1010},
    {"SET_PREDICATION inverted, of 0",
     {0xc0022000, 4 << 16, LO(0x80000), HI, 0xc0033701, 5 << 8, LO(0x40), HI, 7},
     9,
     0x40,
     7},
    {"SET_PREDICATION of 64 bits sees the upper half",
     {0xc0033700, 5 << 8, LO(0x80004), HI, 1, 0xc0022000, 3 << 16 | 1 << 8, LO(0x80000), HI,
      0xc0033701, 5 << 8, LO(0x40), HI, 7},
     14,
     0x40,
     7},
    {"SET_PREDICATION of 32 bits does not",
     {0xc0033700, 5 << 8, LO(0x80004), HI, 1, 0xc0022000, 4 << 16 | 1 << 8, LO(0x80000), HI,
      0xc0033701, 5 << 8, LO(0x40), HI, 7},
     14,
     0x40,
     0x1010},
    {"SET_PREDICATION takes a draw away, which this ring would refuse",
     {0xc0022000, 4 << 16 | 1 << 8, LO(0x80000), HI, 0xc0012d01, 3, 2, 0xc0033700, 5 << 8, LO(0x40),
      HI, 7},
     12,
     0x40,
     7},
    {"SET_PREDICATION without the packet's bit",
     {0xc0022000, 4 << 16 | 1 << 8, LO(0x80000), HI, 0xc0033700, 5 << 8, LO(0x40), HI, 7},
     9,
     0x40,
     7},
    {"SET_PREDICATION cleared",
     {0xc0022000, 4 << 16 | 1 << 8, LO(0x80000), HI, 0xc0022000, 0, 0, 0, 0xc0033701, 5 << 8,
      LO(0x40), HI, 7},
     13,
     0x40,
     7},
    {"ATOMIC_MEM add", {0xc0071e00, 0x0f, LO(0x40), HI, 5, 0, 0, 0, 0}, 9, 0x40, 0x1015},
    {"ATOMIC_MEM add of 64 bits carries",
     {0xc0071e00, 0x6f, LO(0x40), HI, 0xfffffff0, 0, 0, 0, 0},
     9,
     0x44,
     0x1012},
    {"ATOMIC_MEM compare and swap",
     {0xc0071e00, 0x48, LO(0x40), HI, 9, 0, 0x1010, 0, 0},
     9,
     0x40,
     9},
    {"ATOMIC_MEM compare fails",
     {0xc0071e00, 0x48, LO(0x40), HI, 9, 0, 0x1011, 0, 0},
     9,
     0x40,
     0x1010},
    {"ATOMIC_MEM signed min",
     {0xc0071e00, 0x11, LO(0x40), HI, 0xffffffff, 0, 0, 0, 0},
     9,
     0x40,
     0xffffffff},
    {"ATOMIC_MEM unsigned min",
     {0xc0071e00, 0x12, LO(0x40), HI, 0xffffffff, 0, 0, 0, 0},
     9,
     0x40,
     0x1010},
    {"ATOMIC_MEM increment wraps",
     {0xc0071e00, 0x18, LO(0x40), HI, 0x1010, 0, 0, 0, 0},
     9,
     0x40,
     0},
    {"ATOMIC_MEM decrement wraps",
     {0xc0071e00, 0x19, LO(0x40), HI, 0x100, 0, 0, 0, 0},
     9,
     0x40,
     0x100},
    {"WAIT_REG_MEM that holds",
     {0xc0053c00, 3 | 1 << 4, LO(0), HI, 0x1000, 0xffff, 4, 0xc0033700, 5 << 8, LO(0x40), HI, 7},
     12,
     0x40,
     7},
    {"LOAD_SH_REG_INDEX",
     {0xc0036300, LO(0), HI, 0x240, 3, 0xc0044000, 5 << 8, 0x2e42, 0, LO(0x40), HI},
     11,
     0x40,
     0x1002},
    {"DMA_DATA from registers",
     {0xc0027600, 0x241, 0x77, 0x78, 0xc0055000, 0, 0x2e41, 0, LO(0x40), HI, 8 | 1 << 26},
     11,
     0x44,
     0x78},
    {"DMA_DATA to registers",
     {0xc0055000, 0, LO(0x10), HI, 0x2e41, 0, 8 | 1 << 27, 0xc0044000, 5 << 8, 0x2e42, 0, LO(0x40),
      HI},
     13,
     0x40,
     0x1005},
    {"DMA_DATA from one address",
     {0xc0055000, 3 << 20 | 3 << 29, LO(0x10), HI, LO(0x40), HI, 8 | 1 << 28},
     7,
     0x44,
     0x1004},
    {"DMA_DATA to one address",
     {0xc0055000, 3 << 20 | 3 << 29, LO(0x10), HI, LO(0x40), HI, 8 | 1 << 29},
     7,
     0x40,
     0x1005},
    {"COPY_DATA of what an atomic found",
     {0xc0071e00, 0x0f, LO(0x80), HI, 5, 0, 0, 0, 0, 0xc0044000, 6 | 5 << 8, 0, 0, LO(0x40), HI},
     15,
     0x40,
     0x1020},
    {"COPY_DATA from SQ_IND_DATA shows nothing",
     {0xc0044000, 5 << 8, 0x2379, 0, LO(0x40), HI},
     6,
     0x40,
     0},
    {"LOAD_SH_REG", // registers 0x240 and on, as at 0x240 * 4 in memory
     {0xc0035f00, LO(0), HI, 0x240, 3, 0xc0044000, 5 << 8, 0x2e42, 0, LO(0x40), HI},
     11,
     0x40,
     0x1242},
    {"LOAD_CONTEXT_REG",
     {0xc0036100, LO(0), HI, 0x10, 2, 0xc0044000, 5 << 8, 0xa011, 0, LO(0x40), HI},
     11,
     0x40,
     0x1011},
    {"LOAD_UCONFIG_REG of two ranges",
     {0xc0055e00, LO(0), HI, 0x40, 1, 0x80, 1, 0xc0044000, 5 << 8, 0xc080, 0, LO(0x40), HI},
     13,
     0x40,
     0x1080},
    {"LOAD_CONTEXT_REG_INDEX",
     {0xc0039f00, LO(0x20), HI, 0x10, 2, 0xc0044000, 5 << 8, 0xa011, 0, LO(0x40), HI},
     11,
     0x40,
     0x1009},
    {"SET_CONTEXT_REG_PAIRS_PACKED",
     {0xc003b900, 2, 0x10 | 0x12u << 16, 0x21, 0x22, 0xc0044000, 5 << 8, 0xa012, 0, LO(0x40), HI},
     11,
     0x40,
     0x22},
    {"CONTEXT_REG_RMW",
     {0xc0016900, 0x10, 0x6789, 0xc0025100, 0x10, 0xff, 0xabcd, 0xc0044000, 5 << 8, 0xa010, 0,
      LO(0x40), HI},
     13,
     0x40,
     0x67cd},
    {"REG_RMW",
     {0xc0017600, 0x240, 0x6789, 0xc0022100, 0x2e40, 0xff00, 0x12, 0xc0044000, 5 << 8, 0x2e40, 0,
      LO(0x40), HI},
     13,
     0x40,
     0x6712},
    {"REG_RMW with masks from registers",
     {0xc0037600, 0x240, 0x6789, 0xff, 0x1100, 0xc0022100, 0xc0002e40, 0x2e41, 0x2e42, 0xc0044000,
      5 << 8, 0x2e40, 0, LO(0x40), HI},
     15,
     0x40,
     0x1189},
    {"COND_WRITE that holds",
     {0xc0074500, 3 | 1 << 4 | 1 << 8, LO(0x10), HI, 0x1004, 0xffff, LO(0x40), HI, 7},
     9,
     0x40,
     7},
    {"COND_WRITE that does not",
     {0xc0074500, 4 | 1 << 4 | 1 << 8, LO(0x10), HI, 0x1004, 0xffff, LO(0x40), HI, 7},
     9,
     0x40,
     0x1010},
    {"PRED_EXEC for this GPU",
     {0xc0002300, 5 | 1 << 24, 0xc0033700, 5 << 8, LO(0x40), HI, 7},
     7,
     0x40,
     7},
    {"PRED_EXEC for another",
     {0xc0002300, 5 | 2 << 24, 0xc0033700, 5 << 8, LO(0x40), HI, 7},
     7,
     0x40,
     0x1010},
    // ZPASS: 24 counters 16 bytes apart, bit 63 says that one is there (Mesa radv_query.c)
    {"occlusion counter of the first", {0xc0024600, 0x139, LO(0x40), HI}, 4, 0x44, 0x80000000},
    {"occlusion counter of the last", {0xc0024600, 0x139, LO(0x40), HI}, 4, 0x1b4, 0x80000000},
    {"no occlusion counter behind", {0xc0024600, 0x139, LO(0x40), HI}, 4, 0x1c4, 0x1071},
    {"EVENT_WRITE_ZPASS", {0xc001b100, LO(0x40), HI}, 3, 0x44, 0x80000000},
    {"streamout counters", {0xc0024600, 0x320, LO(0x40), HI}, 4, 0x4c, 0x80000000},
    {"PIXEL_PIPE_STAT_CONTROL writes nothing", {0xc0024600, 0x138, LO(0x40), HI}, 4, 0x40, 0x1010},
    {"a compute ring writes one pipeline counter", {0xc0024600, 0x21e, LO(0x40), HI}, 4, 0x44, 0},
    {"and leaves the next", {0xc0024600, 0x21e, LO(0x40), HI}, 4, 0x48, 0x1012},
    {"packets to be ignored",
     {0xc0012800,
      0,
      0,
      0xc0001200,
      0,
      0xc0004200,
      0,
      0xc0004600,
      0x0410,
      0xc0065800,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0x80000000,
      HEADER_NOP_PAD,
      0xc0011000,
      1,
      2,
      0xc0033700,
      5 << 8,
      LO(0x40),
      HI,
      7},
     27,
     0x40,
     7},
    // the last: nothing is 0 behind them
    {"DMA_DATA of 3 MiB",
     {0xc0055000, 3 << 20 | 2 << 29, 0xabcd, 0, LO(0x40), HI, 0x2ffff0},
     7,
     0x40 + 0x2ffff0 - 4,
     0xabcd},
    {"DMA_DATA of 3 MiB ends",
     {0xc0055000, 3 << 20 | 2 << 29, 0xabcd, 0, LO(0x40), HI, 0x2ffff0, 0xc0033700, 5 << 8,
      LO(0x44), HI, 7},
     12,
     0x44,
     7},
    {"DMA_DATA copies 3 MiB",
     {0xc0055000, 3 << 20 | 3 << 29, LO(0x1000), HI, LO(0x40), HI, 0x2ffff0},
     7,
     0x1040,
     0x1800},
};

static void put_stream(struct fixture *f, const uint32_t *dwords, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        lull_pm4_emit(&f->b, dwords[i]);
    }
    for (uint32_t i = 0; i < 0x6000 / 4; i++) {
        fixture_put32(f, 4 * i, 0x1000 + i);
    }
}

static void test_effects(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    for (size_t i = 0; i < TEST_ROWS(effects); i++) {
        struct lull_gpu_done done = {0};
        put_stream(&f, effects[i].dwords, effects[i].n);
        fixture_submit(&f, LULL_RING_COMPUTE0, i);
        const bool ended = fixture_run(&f, 100000, &done);
        const uint32_t got = fixture_u32(&f, effects[i].at);
        test_case(ended && done.result == LULL_JOB_DONE && done.cookie == i &&
                      got == effects[i].want,
                  effects[i].name,
                  "ended %d, result %d '%s', 0x%" PRIx32 " at 0x%" PRIx32 ", want 0x%" PRIx32,
                  ended, done.result, done.message, got, effects[i].at, effects[i].want);
    }
    fixture_free(&f);
}

/** Streams that end their job, and what the message says. */
static const struct {
    const char *name;
    uint32_t dwords[MAX];
    unsigned n;
    enum lull_job_result result;
    const char *message;
} refused[] = {
    {"draw",
     {HEADER_NOP_PAD, 0xc0012d00, 3, 2},
     4,
     LULL_JOB_BAD_PACKET,
     "compute 0: DRAW_INDEX_AUTO at dword 1 of IB 0x7f00125f0000: this ring only computes"},
    {"mesh shaders", {0xc0034e00, 1, 1, 1, 2}, 5, LULL_JOB_BAD_PACKET, "DISPATCH_MESH_DIRECT at"},
    {"SET_CONFIG_REG is the kernel's",
     {0xc0016800, 0x37b, 0x93},
     3,
     LULL_JOB_BAD_PACKET,
     "SET_CONFIG_REG at dword 0"},
    {"REG_RMW of a privileged register",
     {0xc0022100, 0x237b, 0, 0x93},
     4,
     LULL_JOB_BAD_PACKET,
     "register 0x8dec"},
    {"LOAD_CONTEXT_REG beyond the end",
     {0xc0036100, LO(0), HI, 0x3ff, 2},
     5,
     LULL_JOB_BAD_PACKET,
     "2 registers from 0x28ffc"},
    {"COND_WRITE to a privileged register",
     {0xc0074500, 0, 0, 0, 0, 0, 0x237b, 0, 0x93},
     9,
     LULL_JOB_BAD_PACKET,
     "register 0x8dec"},
    {"DMA_DATA to a privileged register",
     {0xc0055000, 0, LO(0), HI, 0x237b, 0, 4 | 1 << 27},
     7,
     LULL_JOB_BAD_PACKET,
     "register 0x8dec"},
    {"unknown opcode", {0xc000ff00, 0}, 2, LULL_JOB_BAD_PACKET, "type 3 packet 0xff at dword 0"},
    {"type 0", {0x00002000, 0}, 2, LULL_JOB_BAD_PACKET, "type 0 packets are not for gfx11"},
    {"type 1", {0x40000000}, 1, LULL_JOB_BAD_PACKET, "of type 1"},
    {"cut off", {0xc0031500, 1, 2}, 3, LULL_JOB_BAD_PACKET, "packet of 4 dwords, 2 left in the IB"},
    {"too short", {0xc0003700, 0}, 2, LULL_JOB_BAD_PACKET, "WRITE_DATA at dword 0"},
    {"WRITE_DATA to a privileged register",
     {0xc0033700, 0, 0x28e8, 0, 1},
     5,
     LULL_JOB_BAD_PACKET,
     "register 0xa3a0"},
    {"WRITE_DATA to GDS of a job that has none",
     {0xc0033700, 3 << 8, 0, 0, 1},
     5,
     LULL_JOB_BAD_PACKET,
     "4 bytes of GDS at 0x0: the job has 0"},
    {"SET_SH_REG beyond the end",
     {0xc0027600, 0x3ff, 1, 2},
     4,
     LULL_JOB_BAD_PACKET,
     "2 registers from 0xbffc"},
    {"SET_CONTEXT_REG that would reach TBA",
     {0xc0016900, 0x9e6, 1},
     3,
     LULL_JOB_BAD_PACKET,
     "0x2a798"},
    {"COPY_DATA from GDS",
     {0xc0044000, 3 | 5 << 8, 0, 0, LO(0), HI},
     6,
     LULL_JOB_BAD_PACKET,
     "the job has 0"},
    {"DMA_DATA fill of a register",
     {0xc0055000, 2 << 29, 0, 0, 0x2e40, 0, 8 | 1 << 27},
     7,
     LULL_JOB_BAD_PACKET,
     "command 0x08000008"},
    {"DMA_DATA from GDS",
     {0xc0055000, 1 << 29, 0, 0, LO(0), HI, 8},
     7,
     LULL_JOB_BAD_PACKET,
     "8 bytes of GDS at 0x0: the job has 0"},
    {"DISPATCH_INDIRECT of the gfx ring",
     {0xc0011600, 0, 5},
     3,
     LULL_JOB_BAD_PACKET,
     "2 dwords on this ring"},
    {"ATOMIC_MEM off its grid",
     {0xc0071e00, 0x2f, LO(4), HI, 1, 0, 0, 0, 0},
     9,
     LULL_JOB_BAD_PACKET,
     "not aligned"},
    {"ATOMIC_MEM of floats",
     {0xc0071e00, 0x02, LO(4), HI, 1, 0, 0, 0, 0},
     9,
     LULL_JOB_BAD_PACKET,
     "operation 0x02"},
    {"COND_EXEC out of the IB",
     {0xc0032200, LO(0x80000), HI, 0, 5},
     5,
     LULL_JOB_BAD_PACKET,
     "skips 5 dwords, 0 left"},
    {"predicate by a counter",
     {0xc0022000, 1 << 16, LO(0), HI},
     4,
     LULL_JOB_BAD_PACKET,
     "operation 1"},
    {"write to an address not mapped",
     {0xc0033700, 5 << 8, 0x1000, 5, 1},
     5,
     LULL_JOB_FAULT,
     "write to 0x500001000"},
    {"read of an address not mapped",
     {0xc0044000, 1 | 5 << 8, 0x1000, 5, LO(0), HI},
     6,
     LULL_JOB_FAULT,
     "read of 0x500001000"},
    {"IB not mapped",
     {0xc0023f00, 0x1000, 5, 16},
     4,
     LULL_JOB_FAULT,
     "of IB 0x500001000: read of 0x500001000"},
};

static void test_refused(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    for (size_t i = 0; i < TEST_ROWS(refused); i++) {
        struct lull_gpu_done done = {0};
        put_stream(&f, refused[i].dwords, refused[i].n);
        fixture_submit(&f, LULL_RING_COMPUTE0, i);
        const bool ended = fixture_run(&f, 100000, &done);
        test_case(ended && done.result == refused[i].result &&
                      strstr(done.message, refused[i].message) != NULL,
                  refused[i].name, "ended %d, result %d '%s', want %d '%s'", ended, done.result,
                  done.message, refused[i].result, refused[i].message);
    }
    fixture_free(&f);
}

/** Fault status: the first one stays until it is cleared. */
static void test_fault_registers(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    const struct lull_bank bank = {0};
    const uint32_t streams[2][5] = {{0xc0033700, 5 << 8, 0x1000, 5, 1},
                                    {0xc0033700, 5 << 8, 0x2000, 6, 1}};
    uint32_t status[2] = {0}, address[2] = {0};
    for (unsigned i = 0; i < 2; i++) {
        struct lull_gpu_done done = {0};
        put_stream(&f, streams[i], 5);
        fixture_submit(&f, LULL_RING_GFX, 0);
        (void)fixture_run(&f, 1000, &done);
        status[i] = lull_gpu_read_reg(f.g, bank, 0xa0a0);
        address[i] = lull_gpu_read_reg(f.g, bank, 0xa0a4);
    }
    // VMID 1, write, client CPF (4), a walker error
    test_case((status[0] >> 20 & 15) == 1 && (status[0] >> 18 & 1) == 1 &&
                  (status[0] >> 9 & 0x1ff) == 4 && (status[0] >> 1 & 7) != 0 &&
                  (status[0] & 1) == 0,
              "fault status", "0x%08" PRIx32, status[0]);
    test_case(address[0] == 0x500001 && address[1] == 0x500001 && status[1] == (status[0] | 1),
              "first fault stays, more are told", "0x%" PRIx32 " 0x%" PRIx32 " 0x%08" PRIx32,
              address[0], address[1], status[1]);
    lull_gpu_write_reg(f.g, bank, 0xa090, 1);
    status[0] = lull_gpu_read_reg(f.g, bank, 0xa0a0);
    test_case(status[0] == 0, "cleared", "0x%08" PRIx32, status[0]);
    fixture_free(&f);
}

/** WAIT_REG_MEM blocks its ring, and only that; memory that the host changes ends it. */
static void test_wait(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    fixture_put32(&f, 0x100, 0);
    lull_pm4_wait_mem_equal(&f.b, FIXTURE_VA + 0x100, 1, 0xffffffff);
    fixture_submit(&f, LULL_RING_COMPUTE0, 1);
    bool ended = fixture_run(&f, 10000, &done);
    test_case(!ended && lull_gpu_run(f.g, 10000) == 0, "WAIT_REG_MEM waits", "ended %d", ended);
    // another ring goes on, from an IB of its own
    const uint32_t nop = HEADER_NOP_PAD;
    memcpy(fixture_mem(&f, 0x2000), &nop, sizeof nop);
    const struct lull_gpu_job job = {
        .vmid = FIXTURE_VMID, .cookie = 2, .nibs = 1, .ib = {{FIXTURE_VA + 0x2000, 1}}};
    struct lull_error *err = lull_gpu_submit(f.g, LULL_RING_COMPUTE0 + 1, &job);
    ended = fixture_run(&f, 10000, &done);
    test_case(err == NULL && ended && done.cookie == 2 && done.ring == LULL_RING_COMPUTE0 + 1,
              "other rings go on", "ended %d", ended);
    const uint32_t busy = lull_gpu_read_reg(f.g, (struct lull_bank){0}, 0x8010);
    fixture_put32(&f, 0x100, 1);
    ended = fixture_run(&f, 10000, &done);
    test_case(ended && done.cookie == 1 && done.result == LULL_JOB_DONE,
              "the host's write ends the wait", "ended %d", ended);
    const uint32_t idle = lull_gpu_read_reg(f.g, (struct lull_bank){0}, 0x8010);
    test_case(busy >> 31 == 1 && idle == 0, "GRBM_STATUS.GUI_ACTIVE",
              "0x%08" PRIx32 " 0x%08" PRIx32, busy, idle);
    fixture_free(&f);
}

/** Fillers take a cycle each, also over pages that do not lie beside each other, and end with their
 * IB; those behind it are not looked at. */
static void test_fillers(void)
{
    enum {
        AT = 0x2ff0,
        PAGE = 0x1000,
        PAGES = 3,
        MOVED = 0x200000,
        LAST = 2,
        BEHIND = 300,
        SMALL = 7
    };
    static const uint32_t counts[] = {0, 1, 3, 4, 5, 63, 64, 65, 700, 2000};
    const uint32_t write[] = {0xc0033700, 5 << 8, LO(0x40), HI, 7}, nop = HEADER_NOP_PAD;
    for (unsigned i = 0; i < 2 * TEST_ROWS(counts); i++) {
        const uint32_t n = counts[i / 2], ndwords = n + TEST_ROWS(write) + LAST;
        struct fixture f = fixture_new(0, 1, 1, 1);
        uint64_t *t = (uint64_t *)(void *)(lull_gpu_phys(f.g)->vram + FIXTURE_TABLES);
        for (uint32_t k = 1; k <= PAGES; k++) {
            t[1536 + AT / PAGE + k] += MOVED;
        }
        for (uint32_t k = 0; k < ndwords + BEHIND; k++) {
            const uint32_t at = AT + 4 * k;
            const bool fills = k < n || k >= n + TEST_ROWS(write);
            fixture_put32(&f, at, nop);
            fixture_put32(&f, at < AT / PAGE * PAGE + PAGE ? at : at + MOVED,
                          fills ? nop : write[k - n]);
        }
        const struct lull_gpu_job job = {
            .vmid = FIXTURE_VMID, .cookie = 1, .nibs = 1, .ib = {{FIXTURE_VA + AT, ndwords}}};
        struct lull_error *err = lull_gpu_submit(f.g, LULL_RING_COMPUTE0, &job);
        struct lull_gpu_done done = {0};
        uint64_t most = 0, budget = i % 2 == 0 ? SMALL : 100000;
        bool ended = false;
        for (unsigned k = 0; k < 10000 && !ended; k++) {
            const uint64_t used = lull_gpu_run(f.g, budget);
            most = used > most ? used : most;
            ended = lull_gpu_next_done(f.g, &done);
        }
        // The start and the end of a job take one, too.
        test_case(err == NULL && ended && done.result == LULL_JOB_DONE &&
                      fixture_u32(&f, 0x40) == 7 && lull_gpu_time(f.g) == n + LAST + 3 &&
                      most <= budget,
                  "fillers", "%u: ended %d, %" PRIu64 " cycles, at once %" PRIu64, n, ended,
                  lull_gpu_time(f.g), most);
        fixture_free(&f);
    }
}

/** IB1 calls IB2 and goes on; a chain does not come back; IB2 calls nothing; endless chains only
 * take time. */
static void test_indirect(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    const uint32_t one = 1, two = 2;
    struct lull_pm4_builder ib2 =
        lull_pm4_builder_of((uint32_t *)(void *)fixture_mem(&f, 0x2000), 64);
    lull_pm4_write_data(&ib2, FIXTURE_VA, &one, 1);
    lull_pm4_indirect(&f.b, FIXTURE_VA + 0x2000, 5, false);
    lull_pm4_write_data(&f.b, FIXTURE_VA + 4, &two, 1);
    fixture_submit(&f, LULL_RING_GFX, 1);
    bool ended = fixture_run(&f, 1000, &done);
    test_case(ended && done.result == LULL_JOB_DONE && fixture_u32(&f, 0) == 1 &&
                  fixture_u32(&f, 4) == 2,
              "IB2 returns", "'%s' %u %u", done.message, fixture_u32(&f, 0), fixture_u32(&f, 4));
    fixture_put32(&f, 0, 0);
    fixture_put32(&f, 4, 0);
    lull_pm4_indirect(&f.b, FIXTURE_VA + 0x2000, 5, true);
    lull_pm4_write_data(&f.b, FIXTURE_VA + 4, &two, 1);
    fixture_submit(&f, LULL_RING_GFX, 1);
    ended = fixture_run(&f, 1000, &done);
    test_case(
        ended && done.result == LULL_JOB_DONE && fixture_u32(&f, 0) == 1 && fixture_u32(&f, 4) == 0,
        "a chain does not", "'%s' %u %u", done.message, fixture_u32(&f, 0), fixture_u32(&f, 4));
    lull_pm4_indirect(&ib2, FIXTURE_VA + 0x2000, 5, false);
    lull_pm4_indirect(&f.b, FIXTURE_VA + 0x2000, 9, false);
    fixture_submit(&f, LULL_RING_GFX, 1);
    ended = fixture_run(&f, 1000, &done);
    test_case(ended && done.result == LULL_JOB_BAD_PACKET &&
                  strstr(done.message, "nested more than 2") != NULL,
              "IB3", "'%s'", done.message);
    lull_pm4_indirect(&f.b, FIXTURE_VA + FIXTURE_IB, 4, true);
    fixture_submit(&f, LULL_RING_GFX, 9);
    ended = fixture_run(&f, 5000, &done);
    test_case(!ended && lull_gpu_job_cycles(f.g, LULL_RING_GFX) >= 5000, "endless chain",
              "ended %d, %" PRIu64 " cycles", ended, lull_gpu_job_cycles(f.g, LULL_RING_GFX));
    lull_gpu_reset_ring(f.g, LULL_RING_GFX);
    ended = lull_gpu_next_done(f.g, &done);
    test_case(ended && done.result == LULL_JOB_KILLED && done.cookie == 9 &&
                  lull_gpu_run(f.g, 100) == 0,
              "reset_ring", "ended %d, result %d", ended, done.result);
    fixture_free(&f);
}

/** The clock goes on with cycles and never with the host's time. */
static void test_clock(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    const uint64_t before = lull_gpu_clock(f.g);
    lull_pm4_copy_clock(&f.b, FIXTURE_VA);
    lull_pm4_copy_clock(&f.b, FIXTURE_VA + 8);
    fixture_submit(&f, LULL_RING_COMPUTE0, 0);
    (void)fixture_run(&f, 100, &done);
    const uint64_t a = fixture_u64(&f, 0), b = fixture_u64(&f, 8), after = lull_gpu_clock(f.g);
    test_case(before != 0 && before < a && a < b && b < after, "GPU clock",
              "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, before, a, b, after);
    fixture_free(&f);
}

static void test_submit(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    const struct {
        const char *name;
        unsigned ring;
        struct lull_gpu_job job;
    } bad[] = {
        {"ring 7", 7, {.vmid = 1, .nibs = 1}},
        {"vmid 16", 0, {.vmid = 16, .nibs = 1}},
        {"no IB", 0, {.vmid = 1}},
        {"nine IBs", 0, {.vmid = 1, .nibs = 9}},
    };
    for (size_t i = 0; i < TEST_ROWS(bad); i++) {
        struct lull_error *err = lull_gpu_submit(f.g, (enum lull_ring)bad[i].ring, &bad[i].job);
        test_case(err != NULL && lull_error_code(err) == LULL_ERR_INVALID, bad[i].name, "no error");
        lull_error_free(err);
    }
    const struct lull_gpu_job empty = {.vmid = FIXTURE_VMID, .nibs = 1, .cookie = 3};
    struct lull_gpu_done done = {0};
    struct lull_error *err = lull_gpu_submit(f.g, LULL_RING_GFX, &empty);
    const bool ended = fixture_run(&f, 10, &done);
    test_case(err == NULL && ended && done.cookie == 3 && done.result == LULL_JOB_DONE,
              "IB of no dwords", "ended %d", ended);
    lull_error_free(err);
    fixture_free(&f);
}

int main(void)
{
    test_effects();
    test_refused();
    test_fault_registers();
    test_wait();
    test_fillers();
    test_indirect();
    test_clock();
    test_submit();
    return test_end();
}
