// SPDX-License-Identifier: MIT
// SDMA: each packet's effect on memory, what it refuses, and windows of tiled images at the offsets
// that addrlib computes (tests/tex/addrlib.vec) or that bits of coordinates taken in turn give.
//
// Packets are written as dwords (sources: Linux sdma_v6_0_0_pkt_open.h, sdma_v6_0.c).
#include "gpu_fixture.h"
#include "test.h"
#include "tex/tiling.h"

#include <inttypes.h>

enum { MAX = 24, CYCLES = 100000 };

#define LO(offset) ((uint32_t)(FIXTURE_VA + (offset)))
#define HI ((uint32_t)(FIXTURE_VA >> 32))
#define AT(offset) LO(offset), HI
#define FOREVER (0xfffu << 16 | 10)

/** A stream, and the dword at @p at after it ran. The memory before: dword i at 4 i is 0x1000 + i.
 */
static const struct {
    const char *name;
    uint32_t dwords[MAX];
    unsigned n;
    uint32_t at, want;
} effects[] = {
    {"COPY linear", {1, 7, 0, AT(0x10), AT(0x40)}, 7, 0x44, 0x1005},
    {"COPY linear ends", {1, 7, 0, AT(0x10), AT(0x40)}, 7, 0x48, 0x1012},
    {"COPY linear, bytes", {1, 1, 0, AT(0x11), AT(0x42)}, 7, 0x40, 0x00101010},
    {"COPY of 3 MiB", {1, 0x2fffef, 0, AT(0x1000), AT(0x40)}, 7, 0x1040, 0x1800},
    {"the packet after it", {1, 0x2fffef, 0, AT(0x1000), AT(0x40), 5, AT(0x44), 7}, 11, 0x44, 7},
    {"WRITE linear", {2, AT(0x40), 1, 8, 9, 5, AT(0x80), 7}, 10, 0x44, 9},
    {"WRITE linear ends", {2, AT(0x40), 1, 8, 9, 5, AT(0x80), 7}, 10, 0x48, 0x1012},
    {"after WRITE", {2, AT(0x40), 1, 8, 9, 5, AT(0x80), 7}, 10, 0x80, 7},
    {"FENCE", {5 | 3 << 16, AT(0x40), 0xabc}, 4, 0x40, 0xabc},
    {"NOP with dwords", {0 | 2 << 16, 5, 5, 5, AT(0x40), 7}, 7, 0x40, 7},
    {"TRAP", {6, 0, 5, AT(0x40), 7}, 6, 0x40, 7},
    {"GCR_REQ", {0x11, 0, 0, 0, 0, 5, AT(0x40), 7}, 9, 0x40, 7},
    {"CONSTANT_FILL", {0xb | 2u << 30, AT(0x40), 0xabcd, 11}, 5, 0x48, 0xabcd},
    {"CONSTANT_FILL ends", {0xb | 2u << 30, AT(0x40), 0xabcd, 11}, 5, 0x4c, 0x1013},
    {"CONSTANT_FILL of 3 MiB",
     {0xb | 2u << 30, AT(0x40), 0xabcd, 0x2fffef},
     5,
     0x40 + 0x2ffff0 - 4,
     0xabcd},
    {"COND_EXE does", {9, AT(0x10), 0x1004, 4, 5, AT(0x40), 7}, 9, 0x40, 7},
    {"COND_EXE skips", {9, AT(0x10), 0x1005, 4, 5, AT(0x40), 7}, 9, 0x40, 0x1010},
    {"POLL_REGMEM equal",
     {8 | 3 << 28 | 1u << 31, AT(0x10), 0x1004, 0xffff, FOREVER, 5, AT(0x40), 7},
     10,
     0x40,
     7},
    {"POLL_REGMEM not equal, masked",
     {8 | 4 << 28 | 1u << 31, AT(0x10), 1, 0xff, FOREVER, 5, AT(0x40), 7},
     10,
     0x40,
     7},
    {"ATOMIC add", {0xa | 0x0fu << 25, AT(0x40), 5, 0, 0, 0, 0}, 8, 0x40, 0x1015},
    {"ATOMIC add of 64 bits",
     {0xa | 0x2fu << 25, AT(0x40), 0xfffffff0, 1, 0, 0, 0},
     8,
     0x44,
     0x1011 + 2},
    {"ATOMIC compare and swap", {0xa | 0x08u << 25, AT(0x40), 5, 0, 0x1010, 0, 0}, 8, 0x40, 5},
    // from 2,1,0 of rows of 8 and slices of 32 to 1,0,1 of rows of 4 and slices of 16; 2x2x2
    {"COPY linear window",
     {0x401 | 2u << 29, AT(0), 2 | 1 << 16, 0 | 7 << 13, 31, AT(0x400), 1, 1 | 3 << 13, 15,
      1 | 1 << 16, 1},
     13,
     0x400 + 4 * (16 + 4 + 1),
     0x1000 + 2 * 8 + 2},
    {"COPY linear window, second slice",
     {0x401 | 2u << 29, AT(0), 2 | 1 << 16, 0 | 7 << 13, 31, AT(0x400), 1, 1 | 3 << 13, 15,
      1 | 1 << 16, 1},
     13,
     0x400 + 4 * (2 * 16 + 2),
     0x1000 + 32 + 8 + 3},
    {"COPY linear window, bytes",
     {0x401 | 0u << 29, AT(0x10), 1, 7 << 13, 31, AT(0x400), 2, 7 << 13, 31, 0, 0},
     13,
     0x400,
     0x00101100},
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
        fixture_submit(&f, (enum lull_ring)(LULL_RING_SDMA0 + i % 2), i);
        const bool ended = fixture_run(&f, CYCLES, &done);
        const uint32_t got = fixture_u32(&f, effects[i].at);
        test_case(ended && done.result == LULL_JOB_DONE && done.cookie == i &&
                      got == effects[i].want,
                  effects[i].name,
                  "ended %d, result %d '%s', 0x%" PRIx32 " at 0x%" PRIx32 ", want 0x%" PRIx32,
                  ended, done.result, done.message, got, effects[i].at, effects[i].want);
    }
    fixture_free(&f);
}

#define UNMAPPED 0x12000000, 0x7f00
/** A window of 4x4 of an image of 8x8, 4 bytes: from HEADER to RECT, with INFO as given. */
#define TILED(header, info, rect)                                                                  \
    {                                                                                              \
        0x501 | (header), AT(0), 0, 7 << 16, 7, info, AT(0x1000), 0, 3 << 16, 15, rect, 0, 0, 0, 0 \
    }

/** Streams that end their job, and what the message says. */
static const struct {
    const char *name;
    uint32_t dwords[MAX];
    unsigned n;
    enum lull_job_result result;
    const char *message;
} refused[] = {
    {"unknown packet",
     {0, 0xff},
     2,
     LULL_JOB_BAD_PACKET,
     "sdma 0: packet 0x00ff at dword 1 of IB 0x7f00125f0000: the model does not know this packet"},
    {"page tables", {0x0c}, 1, LULL_JOB_BAD_PACKET, "PTEPDE_GEN at dword 0"},
    {"registers", {0x0e, 0, 0}, 3, LULL_JOB_BAD_PACKET, "SRBM_WRITE at"},
    {"indirect buffer", {4, 0, 0, 0, 0, 0}, 6, LULL_JOB_BAD_PACKET, "INDIRECT at"},
    {"cut off", {1, 7, 0, AT(0)}, 5, LULL_JOB_BAD_PACKET, "packet of 7 dwords, 5 left"},
    {"data cut off", {2, AT(0), 9, 1, 2}, 6, LULL_JOB_BAD_PACKET, "packet of 14 dwords, 6 left"},
    {"metadata cut off", TILED(1 << 19, 2 | 2 << 3 | 1 << 9, 0), 16, LULL_JOB_BAD_PACKET,
     "packet of 17 dwords, 16 left"},
    {"read of nothing", {1, 7, 0, UNMAPPED, AT(0)}, 7, LULL_JOB_FAULT, "read of 0x7f0012000000"},
    {"write to nothing", {5, UNMAPPED, 1}, 4, LULL_JOB_FAULT, "write to 0x7f0012000000"},
    {"copy to two places",
     {1 | 1 << 27, 7, 0, AT(0), AT(64)},
     7,
     LULL_JOB_BAD_PACKET,
     "0x08000001"},
    {"copy backwards", {1 | 1 << 25, 7, 0, AT(0), AT(64)}, 7, LULL_JOB_BAD_PACKET, "forwards"},
    {"swapped bytes", {1, 7, 1 << 16, AT(0), AT(64)}, 7, LULL_JOB_BAD_PACKET, "swaps bytes"},
    {"poll of a register",
     {8 | 3 << 28, AT(0), 0, 0, FOREVER},
     6,
     LULL_JOB_BAD_PACKET,
     "registers are not for command buffers"},
    {"poll that gives up",
     {8 | 1u << 31, AT(0), 0, 0, 5 << 16},
     6,
     LULL_JOB_BAD_PACKET,
     "5 tries: only 0xfff"},
    {"fill of bytes", {0xb, AT(0), 0, 3}, 5, LULL_JOB_BAD_PACKET, "only dwords"},
    {"fill of half a dword", {0xb | 2u << 30, AT(0), 0, 1}, 5, LULL_JOB_BAD_PACKET, "2 bytes at"},
    {"skips too much", {9, AT(0), 0, 2, 0}, 6, LULL_JOB_BAD_PACKET, "skips 2 dwords, 1 left"},
    {"unknown atomic", {0xa, AT(0), 0, 0, 0, 0, 0}, 8, LULL_JOB_BAD_PACKET, "operation 0x00"},
    {"reserved swizzle mode", TILED(0, 2 | 1 << 3 | 1 << 9, 0), 14, LULL_JOB_BAD_PACKET, "swizzle"},
    {"no such level", TILED(0, 2 | 2 << 3 | 1 << 9 | 1 << 20, 0), 14, LULL_JOB_BAD_PACKET, "level"},
    {"elements of 32 bytes", TILED(0, 5 | 2 << 3 | 1 << 9, 0), 14, LULL_JOB_BAD_PACKET, "32 bytes"},
    {"dimension 3", TILED(0, 2 | 2 << 3 | 3 << 9, 0), 14, LULL_JOB_BAD_PACKET, "dimension"},
    {"outside", TILED(0, 2 | 2 << 3 | 1 << 9, 8), 14, LULL_JOB_BAD_PACKET,
     "9x1x1 at 0,0,0 of a level of 8x8x1"},
    {"encrypted", TILED(1 << 18, 2 | 2 << 3 | 1 << 9, 0), 14, LULL_JOB_BAD_PACKET, "encrypted"},
    {"elements of two sizes",
     {0x601, AT(0), 0, 7 << 16, 7, 2 | 2 << 3 | 1 << 9, AT(0x1000), 0, 7 << 16, 7,
      1 | 2 << 3 | 1 << 9, 0, 0},
     15,
     LULL_JOB_BAD_PACKET,
     "elements of 4 bytes to elements of 2"},
};

static void test_refused(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    for (size_t i = 0; i < TEST_ROWS(refused); i++) {
        struct lull_gpu_done done = {0};
        put_stream(&f, refused[i].dwords, refused[i].n);
        fixture_submit(&f, LULL_RING_SDMA0, i);
        const bool ended = fixture_run(&f, CYCLES, &done);
        test_case(ended && done.result == refused[i].result &&
                      strstr(done.message, refused[i].message) != NULL,
                  refused[i].name, "ended %d, result %d '%s', want '%s'", ended, done.result,
                  done.message, refused[i].message);
    }
    // SDMA1 (14), a read, VMID 1
    const uint32_t clear = lull_gpu_read_reg(f.g, (struct lull_bank){0}, 0xa090);
    lull_gpu_write_reg(f.g, (struct lull_bank){0}, 0xa090, clear | 1);
    struct lull_gpu_done done = {0};
    put_stream(&f, (const uint32_t[]){1, 7, 0, UNMAPPED, AT(0)}, 7);
    fixture_submit(&f, LULL_RING_SDMA1, 0);
    (void)fixture_run(&f, CYCLES, &done);
    const uint32_t status = lull_gpu_read_reg(f.g, (struct lull_bank){0}, 0xa0a0);
    test_case((status >> 9 & 0x1ff) == 14 && (status >> 18 & 1) == 0 && (status >> 20 & 15) == 1,
              "page fault of SDMA1", "0x%08" PRIx32, status);
    fixture_free(&f);
}

/** POLL_REGMEM blocks its ring, and only that; another ring's packet ends it. Timestamps grow. */
static void test_wait(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    fixture_put32(&f, 0x100, 0);
    fixture_put32(&f, 0x104, 0);
    const uint32_t wait[] = {
        8 | 5u << 28 | 1u << 31, AT(0x100), 1, UINT32_MAX, FOREVER, 0x20d, AT(0x208)};
    const uint32_t other[] = {0x10d, AT(0x200), 5, AT(0x100), 1};
    put_stream(&f, wait, 9);
    fixture_put32(&f, 0x100, 0);
    fixture_submit(&f, LULL_RING_SDMA0, 1);
    bool ended = fixture_run(&f, CYCLES, &done);
    test_case(!ended, "POLL_REGMEM waits", "ended %d", ended);
    memcpy(fixture_mem(&f, 0x2000), other, sizeof other);
    const struct lull_gpu_job job = {
        .vmid = FIXTURE_VMID, .cookie = 2, .nibs = 1, .ib = {{FIXTURE_VA + 0x2000, 7}}};
    struct lull_error *err = lull_gpu_submit(f.g, LULL_RING_SDMA1, &job);
    ended = fixture_run(&f, CYCLES, &done);
    test_case(err == NULL && ended && done.cookie == 2 && done.ring == LULL_RING_SDMA1,
              "SDMA1 goes on", "ended %d '%s'", ended, done.message);
    ended = fixture_run(&f, CYCLES, &done);
    const uint64_t a = fixture_u64(&f, 0x200), b = fixture_u64(&f, 0x208);
    test_case(ended && done.cookie == 1 && a != 0 && a < b, "its fence ends the wait of SDMA0",
              "ended %d, %" PRIu64 " %" PRIu64, ended, a, b);
    fixture_free(&f);
}

/** Bits of x and y in turn, x first: 256B_D (mode 2) for elements of 2, 4 and 16 bytes. */
static uint32_t in_turn(uint32_t x, uint32_t y)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 8; i++) {
        r |= (x >> i & 1) << 2 * i | (y >> i & 1) << (2 * i + 1);
    }
    return r;
}

enum { W = 37, H = 21, D = 3, TILED_AT = 0x100000, OTHER_AT = 0x200000, LINEAR_AT = 0x300000 };

/** Offset of an element of an image of W x H x D in 256B_D. */
static uint32_t offset_of(unsigned log2, uint32_t x, uint32_t y, uint32_t z)
{
    const unsigned bits = 8 - log2, bw = (bits + 1) / 2, bh = bits / 2; // log2 of a block's size
    const uint32_t across = (W + (1u << bw) - 1) >> bw, down = (H + (1u << bh) - 1) >> bh;
    const uint32_t block = (z * down + (y >> bh)) * across + (x >> bw);
    return block * 256 + (in_turn(x & ((1u << bw) - 1), y & ((1u << bh) - 1)) << log2);
}

/** Fill the image at @p at: each element's first two bytes say where it is, and @p mark. */
static void fill(const struct fixture *f, unsigned log2, uint32_t at, uint32_t mark)
{
    memset(fixture_mem(f, at), 0xee, 0x40000);
    for (uint32_t i = 0; i < W * H * D; i++) {
        const uint16_t v = (uint16_t)(i * 7 + mark);
        memcpy(fixture_mem(f, at + offset_of(log2, i % W, i / W % H, i / W / H)), &v, sizeof v);
    }
}

static uint16_t element(const struct fixture *f, uint32_t at)
{
    uint16_t v = 0;
    memcpy(&v, fixture_mem(f, at), sizeof v);
    return v;
}

struct window_case {
    unsigned log2;
    enum { TO_LINEAR, TO_TILED, T2T } kind;
    uint32_t x, y, z, w, h, d;
    uint32_t to_x, to_y, to_z;
};

/** The packet of @p c: from the image at TILED_AT, or to it. @return Dwords. */
static unsigned window_packet(const struct window_case *c, uint32_t *p)
{
    const uint32_t info = c->log2 | 2 << 3 | 1 << 9;
    const uint32_t image[] = {AT(TILED_AT), c->x | c->y << 16, c->z | (W - 1) << 16,
                              (H - 1) | (D - 1) << 16, info};
    const uint32_t other[] = {AT(OTHER_AT), c->to_x | c->to_y << 16, c->to_z | (W - 1) << 16,
                              (H - 1) | (D - 1) << 16, info};
    const uint32_t linear[] = {AT(LINEAR_AT), c->to_x | c->to_y << 16, c->to_z | 63 << 16,
                               64 * 40 - 1};
    const unsigned n = c->kind == T2T ? 6 : 5;
    p[0] = c->kind == T2T ? 0x601 : 0x501 | (c->kind == TO_LINEAR ? 1u << 31 : 0);
    memcpy(p + 1, image, sizeof image);
    memcpy(p + 7, c->kind == T2T ? other : linear, n * sizeof *p);
    p[7 + n] = (c->w - 1) | (c->h - 1) << 16;
    p[8 + n] = c->d - 1;
    return 9 + n;
}

static uint32_t linear_of(const struct window_case *c, uint32_t x, uint32_t y, uint32_t z)
{
    return LINEAR_AT + (((z * 40 + y) * 64 + x) << c->log2);
}

/** Elements that are not what they must be: inside the window copied, outside as before. */
static unsigned wrong(const struct fixture *f, const struct window_case *c)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < W * H * D; i++) {
        const uint32_t x = i % W, y = i / W % H, z = i / W / H; // of the image written
        const uint32_t cx = c->kind == TO_TILED ? c->x : c->to_x;
        const uint32_t cy = c->kind == TO_TILED ? c->y : c->to_y;
        const uint32_t cz = c->kind == TO_TILED ? c->z : c->to_z;
        const bool in = x - cx < c->w && y - cy < c->h && z - cz < c->d;
        const uint32_t sx = x - cx + (c->kind == TO_TILED ? c->to_x : c->x);
        const uint32_t sy = y - cy + (c->kind == TO_TILED ? c->to_y : c->y);
        const uint32_t sz = z - cz + (c->kind == TO_TILED ? c->to_z : c->z);
        const uint32_t from = (sz * H + sy) * W + sx; // in the image read
        uint16_t want = 0, got = 0;
        if (c->kind == TO_TILED) {
            got = element(f, TILED_AT + offset_of(c->log2, x, y, z));
            want = in ? (uint16_t)(sx + sy * 64 + sz * 64 * 40) : (uint16_t)(i * 7);
        } else if (c->kind == TO_LINEAR) {
            got = element(f, linear_of(c, x, y, z));
            want = in ? (uint16_t)(from * 7) : (uint16_t)(x + y * 64 + z * 64 * 40);
        } else {
            got = element(f, OTHER_AT + offset_of(c->log2, x, y, z));
            want = in ? (uint16_t)(from * 7) : (uint16_t)(i * 7 + 99);
        }
        n += got != want;
    }
    return n;
}

static void test_windows(void)
{
    static const struct window_case cases[] = {
        {2, TO_LINEAR, 0, 0, 0, W, H, D, 0, 0, 0},   {2, TO_TILED, 0, 0, 0, W, H, D, 0, 0, 0},
        {2, TO_LINEAR, 5, 3, 1, 20, 11, 2, 1, 2, 0}, {2, TO_TILED, 5, 3, 1, 20, 11, 2, 1, 2, 0},
        {1, TO_LINEAR, 5, 3, 0, 9, 11, 1, 1, 2, 2},  {1, TO_TILED, 16, 8, 2, 16, 8, 1, 1, 2, 0},
        {4, TO_LINEAR, 5, 3, 0, 9, 11, 3, 1, 2, 0},  {4, TO_TILED, 36, 20, 2, 1, 1, 1, 0, 0, 0},
        {2, T2T, 8, 8, 0, 16, 8, 2, 16, 0, 1},       {4, T2T, 3, 1, 1, 5, 7, 1, 4, 0, 0},
        {1, T2T, 0, 0, 0, W, H, D, 0, 0, 0},
    };
    struct fixture f = fixture_new(0, 1, 1, 1);
    for (size_t i = 0; i < TEST_ROWS(cases); i++) {
        const struct window_case *c = &cases[i];
        uint32_t packet[MAX] = {0};
        char name[64] = "";
        struct lull_gpu_done done = {0};
        fill(&f, c->log2, TILED_AT, 0);
        fill(&f, c->log2, OTHER_AT, 99);
        for (uint32_t k = 0; k < 64 * 40 * D; k++) {
            const uint16_t v = (uint16_t)k;
            memcpy(fixture_mem(&f, LINEAR_AT + (k << c->log2)), &v, sizeof v);
        }
        const unsigned n = window_packet(c, packet);
        for (unsigned k = 0; k < n; k++) {
            lull_pm4_emit(&f.b, packet[k]);
        }
        fixture_submit(&f, LULL_RING_SDMA0, i);
        const bool ended = fixture_run(&f, CYCLES, &done);
        const unsigned bad = wrong(&f, c);
        snprintf(name, sizeof name, "window %zu: kind %d, %u bytes", i, c->kind, 1u << c->log2);
        test_case(ended && done.result == LULL_JOB_DONE && bad == 0, name, "'%s' %u wrong",
                  done.message, bad);
    }
    fixture_free(&f);
}

enum { META_AT = 0x280000, META_BYTES = 0x20000, SIDE = 32 };

/** A compressed image of SIDE x SIDE, 4 bytes, all 0x55, with metadata of @p word everywhere. */
struct compressed {
    const char *name;
    uint32_t mode, word;
    enum { FROM, INTO, OF_SRC, OF_DST } kind;
    uint32_t in, out; ///< What is copied, what the rest of the image is afterwards.
};

static uint32_t image_at(const struct fixture *f, uint32_t at, uint32_t mode, uint32_t x,
                         uint32_t y)
{
    const struct lull_image_desc d = {.base = FIXTURE_VA,
                                      .format = lull_format_by_name("32_UINT"),
                                      .type = LULL_IMAGE_2D_ARRAY,
                                      .sw_mode = (uint8_t)mode,
                                      .width = SIDE,
                                      .height = SIDE,
                                      .depth = 1,
                                      .samples = 1};
    struct lull_tiling t = {0};
    if (lull_tiling_prepare(&d, 0, &t) != LULL_TEX_OK) {
        abort();
    }
    return fixture_u32(f, at + (uint32_t)lull_tiling_offset(&t, x, y, 0, 0));
}

/** 16 x 8 elements at 8, 8 from the image or into it; the other side is 0x11 all over. */
static void put_compressed(struct fixture *f, const struct compressed *c)
{
    const uint32_t info = 2 | c->mode << 3 | 1 << 9, at = 8 | 8 << 16;
    const uint32_t image[] = {AT(TILED_AT), at, (SIDE - 1) << 16, SIDE - 1, info};
    const uint32_t other[] = {AT(OTHER_AT), at, (SIDE - 1) << 16, SIDE - 1, info};
    const uint32_t linear[] = {AT(LINEAR_AT), 0, 15 << 16, 16 * 8 - 1};
    const uint32_t end[] = {15 | 7 << 16, 0, AT(META_AT), 1u << 31};
    const bool t2t = c->kind >= OF_SRC;
    uint32_t p[18] = {0x501u | 1 << 19 | (c->kind == FROM ? 1u << 31 : 0)};
    if (t2t) {
        p[0] = 0x601u | 1 << 19 | (c->kind == OF_SRC ? 1u << 31 : 0);
    }
    memcpy(p + 1, c->kind == OF_DST ? other : image, sizeof image);
    memcpy(p + 7, t2t ? c->kind == OF_DST ? image : other : linear, t2t ? 24 : 20);
    memcpy(p + (t2t ? 13 : 12), end, sizeof end);
    for (unsigned i = 0; i < (t2t ? 18u : 17u); i++) {
        lull_pm4_emit(&f->b, p[i]);
    }
    memset(fixture_mem(f, TILED_AT), 0x55, 0x40000);
    memset(fixture_mem(f, OTHER_AT), 0x11, 0x40000);
    memset(fixture_mem(f, LINEAR_AT), 0x11, 0x1000);
    for (uint32_t i = 0; i < META_BYTES; i += 4) {
        fixture_put32(f, META_AT + i, c->word);
    }
}

static void test_compressed(void)
{
    static const struct compressed cases[] = {
        {"from DCC", 27, 0x02020202, FROM, UINT32_MAX, UINT32_MAX},
        {"from plain DCC", 27, UINT32_MAX, FROM, 0x55555555, 0x55555555},
        {"into DCC", 27, 0x08080808, INTO, 0x11111111, 0xff000000},
        {"from HTILE", 24, 0xfffffff0, FROM, 0x3f800000, 0x3f800000},
        {"into HTILE", 24, 0xfffffff0, INTO, 0x11111111, 0x3f800000},
        {"tiled from DCC", 27, 0x02020202, OF_SRC, UINT32_MAX, UINT32_MAX},
        {"tiled into DCC", 27, 0x08080808, OF_DST, 0x11111111, 0xff000000},
    };
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    for (size_t i = 0; i < TEST_ROWS(cases); i++) {
        const struct compressed *c = &cases[i];
        unsigned bad = 0;
        put_compressed(&f, c);
        fixture_submit(&f, LULL_RING_SDMA0, i);
        const bool ended = fixture_run(&f, CYCLES, &done);
        for (uint32_t n = 0; n < SIDE * SIDE; n++) {
            const uint32_t x = n % SIDE, y = n / SIDE;
            const bool in = x - 8 < 16 && y - 8 < 8;
            const bool into = c->kind == INTO || c->kind == OF_DST;
            bad += image_at(&f, TILED_AT, c->mode, x, y) != (in && into ? c->in : c->out);
            bad += c->kind == OF_SRC && in && image_at(&f, OTHER_AT, c->mode, x, y) != c->in;
            bad += c->kind == FROM && in &&
                   fixture_u32(&f, LINEAR_AT + 4 * ((y - 8) * 16 + x - 8)) != c->in;
        }
        test_case(ended && done.result == LULL_JOB_DONE && bad == 0, c->name, "'%s' %u wrong",
                  done.message, bad);
    }
    put_compressed(&f, &(const struct compressed){.mode = 27, .word = 0x40404040, .kind = FROM});
    fixture_submit(&f, LULL_RING_SDMA0, 0);
    (void)fixture_run(&f, CYCLES, &done);
    test_case(done.result == LULL_JOB_BAD_PACKET && strstr(done.message, "metadata at 0x") != NULL,
              "an unknown key", "'%s'", done.message);
    fixture_free(&f);
}

/** A line of addrlib.vec. */
struct vector {
    char mode[16];
    unsigned type, width, height, slices, format, levels, samples, low, level, x, y, z, sample;
    unsigned long long offset;
};

static unsigned mode_number(const char *name)
{
    unsigned i = 0;
    while (i < 32 && strcmp(lull_sw_mode_name(i), name) != 0) {
        i++;
    }
    return i;
}

/** Copy the one element out of the image, or into it. @return It went between the right places. */
static bool run_vector(struct fixture *f, const struct vector *v, bool out, char why[160])
{
    const struct lull_format_info *format = lull_format_by_code(v->format);
    const unsigned bytes = format->bytes, mode = mode_number(v->mode);
    const unsigned w = (v->width + format->block_width - 1) / format->block_width;
    const unsigned h = (v->height + format->block_height - 1) / format->block_height;
    const bool thick = v->type == LULL_IMAGE_3D && strstr(v->mode, "_Z") == NULL &&
                       strstr(v->mode, "_R") == NULL; // as RADV has it
    const uint32_t packet[] = {0x501 | (out ? 1u << 31 : 0),
                               AT(v->low),
                               v->x | v->y << 16,
                               v->z | (w - 1) << 16,
                               (h - 1) | (v->slices - 1) << 16,
                               (unsigned)__builtin_ctz(bytes) | mode << 3 | (thick ? 2 : 1) << 9 |
                                   (v->levels - 1) << 16 | v->level << 20,
                               AT(LINEAR_AT + 0x80000),
                               0,
                               0,
                               0,
                               0,
                               0};
    uint8_t *image = fixture_mem(f, (uint32_t)v->offset);
    uint8_t *linear = fixture_mem(f, LINEAR_AT + 0x80000);
    struct lull_gpu_done done = {0};
    memset(image, 0x11, bytes);
    memset(linear, 0x22, bytes);
    for (unsigned i = 0; i < sizeof packet / 4; i++) {
        lull_pm4_emit(&f->b, packet[i]);
    }
    fixture_submit(f, LULL_RING_SDMA0, 0);
    const bool ended = fixture_run(f, CYCLES, &done);
    const bool ok = memcmp(image, linear, bytes) == 0 && image[0] == (out ? 0x11 : 0x22);
    snprintf(why, 160, "%s %ux%ux%u level %u at %u,%u,%u: '%.60s'", v->mode, v->width, v->height,
             v->slices, v->level, v->x, v->y, v->z, done.message);
    return ended && done.result == LULL_JOB_DONE && ok;
}

static void test_vectors(const char *path)
{
    FILE *file = fopen(path, "r");
    struct fixture f = fixture_new(0, 1, 1, 1);
    char line[256] = "", why[160] = "", first[160] = "";
    unsigned rows = 0, bad = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        struct vector v = {0};
        if (line[0] == '#' ||
            sscanf(line, "%15s | %u %ux%ux%u %u %u %u | %u | %u %u %u %u %u | %llx", v.mode,
                   &v.type, &v.width, &v.height, &v.slices, &v.format, &v.levels, &v.samples,
                   &v.low, &v.level, &v.x, &v.y, &v.z, &v.sample, &v.offset) != 15 ||
            v.samples != 1 || v.offset + 16 > LINEAR_AT || strcmp(v.mode, "LINEAR") == 0 ||
            v.slices > 0x2000) {
            continue;
        }
        rows++;
        if (!run_vector(&f, &v, rows % 2 != 0, why) && bad++ == 0) {
            memcpy(first, why, sizeof first);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    test_case(rows > 400 && bad == 0, "elements where addrlib has them", "%u of %u wrong: %s", bad,
              rows, first);
    fixture_free(&f);
}

int main(int argc, char **argv)
{
    test_effects();
    test_refused();
    test_wait();
    test_windows();
    test_compressed();
    test_vectors(argc > 1 ? argv[1] : "");
    return test_end();
}
