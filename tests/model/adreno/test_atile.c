// SPDX-License-Identifier: MIT
// The memory of tiles: BLIT events clear it, load it, store it whole or resolved; the 2D engine
// reads it. Tiles of 32x16 at 64,48 of the screen; what is expected is computed by hand.
#include <stdlib.h>

#include "back_end.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "model/adreno/draw/blit.h"
#include "model/adreno/exec/texel.h"
#include "test.h"

enum {
    WIDTH = 32,
    HEIGHT = 16,
    X = 64,
    Y = 48,
    BASE = 4096, ///< In the memory of tiles.
    TO = BACK_END_BASE + 0x10000,
    PITCH = 512,
    SAMPLE_0 = 4,
    DEPTH = 8,
    UNTOUCHED = 0xee,
};

struct machine {
    struct back_end b;
    uint8_t tile[BASE + WIDTH * HEIGHT * 16];
    struct lull_agmem gmem;
};

static void set(struct machine *m, uint32_t number, uint32_t v)
{
    m->b.regs[number] = v;
}

/** An event: @p info is RB_BLIT_INFO, @p dst RB_BLIT_DST_INFO, @p samples their log. */
static struct machine *fresh(uint32_t info, uint32_t dst, uint32_t samples)
{
    struct machine *m = calloc(1, sizeof *m);
    if (m == NULL) {
        abort();
    }
    memset(m->tile, UNTOUCHED, sizeof m->tile);
    memset(m->b.memory, UNTOUCHED, sizeof m->b.memory);
    m->gmem = (struct lull_agmem){m->tile, sizeof m->tile};
    set(m, LULL_A6XX_RB_BIN_CONTROL2, WIDTH / 32 | HEIGHT / 16 << 8);
    set(m, LULL_A6XX_RB_WINDOW_OFFSET2, X | Y << 16);
    set(m, LULL_A6XX_RB_BLIT_SCISSOR_TL, (X + 1) | (Y + 2) << 16);
    set(m, LULL_A6XX_RB_BLIT_SCISSOR_BR, 1000 | 1000 << 16);
    set(m, LULL_A6XX_RB_BLIT_INFO, info);
    set(m, LULL_A6XX_RB_BLIT_DST_INFO, dst);
    set(m, LULL_A6XX_RB_BLIT_DST, TO);
    set(m, LULL_A6XX_RB_BLIT_DST_PITCH, PITCH / 64);
    set(m, LULL_A6XX_RB_BLIT_GMEM_MSAA_CNTL, samples << 3);
    set(m, LULL_A6XX_RB_BLIT_BASE_GMEM, BASE);
    set(m, LULL_A6XX_RB_BLIT_CLEAR_COLOR_DW0, 0x44332211);
    set(m, LULL_A6XX_RB_BLIT_CLEAR_COLOR_DW0 + 1, 0x88776655);
    return m;
}

static struct lull_error *go(struct machine *m, unsigned gpu_id, bool event)
{
    const struct lull_arop_source s = {.gpu_id = gpu_id,
                                       .ctx = &m->b,
                                       .reg = back_end_reg,
                                       .memory = {.ctx = &m->b, .at = back_end_at},
                                       .gmem = &m->gmem};
    struct lull_ablit blit = {.under_way = false};
    struct lull_error *err = event ? lull_ablit_event(&s, &blit) : lull_ablit_start(&s, &blit);
    while (err == NULL && blit.under_way) {
        (void)lull_ablit_run(&blit, 7);
    }
    return err;
}

static uint32_t info(uint32_t type, uint32_t more)
{
    return type | more;
}

static uint32_t dst(uint32_t format, uint32_t tile, uint32_t swap, uint32_t samples)
{
    return tile | samples << 3 | swap << 5 | format << 7;
}

static bool in_region(uint32_t x, uint32_t y)
{
    return x >= 1 && y >= 2;
}

/** Packed texels into all samples of the tile's part of the scissor. */
static void clears(void)
{
    static const struct {
        const char *name;
        uint32_t format, samples, mask;
        unsigned bytes; ///< Of a sample.
        uint8_t want[8];
    } rows[] = {
        // clang-format off
        {"a colour", LULL_FMT6_8_8_8_8_UNORM, 0, 15, 4, {0x11, 0x22, 0x33, 0x44}},
        {"all samples", LULL_FMT6_8_8_8_8_UNORM, 2, 15, 4, {0x11, 0x22, 0x33, 0x44}},
        {"halves", LULL_FMT6_16_16_16_16_FLOAT, 1, 15, 8, {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}},
        {"depth", LULL_FMT6_Z24_UNORM_S8_UINT, 0, 7, 4, {0x11, 0x22, 0x33, UNTOUCHED}},
        {"stencil", LULL_FMT6_Z24_UNORM_S8_UINT, 0, 8, 4, {UNTOUCHED, UNTOUCHED, UNTOUCHED, 0x44}},
        {"16 bits of depth", LULL_FMT6_16_UNORM, 0, 15, 2, {0x11, 0x22}},
        {"stencil of its own", LULL_FMT6_8_UINT, 0, 15, 1, {0x11}},
        // clang-format on
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct machine *m = fresh(info(LULL_BLIT_EVENT_CLEAR, rows[i].mask << 4),
                                  dst(rows[i].format, 0, 0, 0), rows[i].samples);
        struct lull_error *err = go(m, i % 2 != 0 ? 740 : 630, true);
        const uint32_t n = rows[i].bytes << rows[i].samples;
        unsigned bad = 0;
        for (uint32_t k = 0; k < BASE + WIDTH * HEIGHT * n; k++) {
            const uint32_t p = (k - BASE) / n, x = p % WIDTH, y = p / WIDTH;
            const bool in = k >= BASE && in_region(x, y);
            bad += m->tile[k] != (in ? rows[i].want[(k - BASE) % rows[i].bytes] : UNTOUCHED);
        }
        test_case(err == NULL && bad == 0, rows[i].name, "%s, %u bytes are wrong",
                  err != NULL ? lull_error_message(err) : "done", bad);
        lull_error_free(err);
        free(m);
    }
}

/** Samples of pixel 3,5 of the tile, and what they become where it is on the screen. */
static void stores(void)
{
    static const struct {
        const char *name;
        uint32_t format, more, tile, swap, from, to; ///< from, to: samples.
        unsigned bytes, of;                          ///< bytes: of a sample. of: in the image.
        uint8_t was[16], want[16];
    } rows[] = {
        // clang-format off
        {"as it is", LULL_FMT6_8_8_8_8_UNORM, 0, 0, 0, 0, 0, 4, 4, {1, 2, 3, 4}, {1, 2, 3, 4}},
        {"tiled", LULL_FMT6_8_8_8_8_UNORM, 0, LULL_TILE6_3, 0, 0, 0, 4, 4, {1, 2, 3, 4}, {1, 2, 3, 4}},
        {"swapped", LULL_FMT6_8_8_8_8_UNORM, 0, 0, LULL_WXYZ, 0, 0, 4, 4, {1, 2, 3, 4}, {3, 2, 1, 4}},
        {"all samples", LULL_FMT6_8_UNORM, 0, 0, 0, 2, 2, 1, 4, {1, 2, 3, 4}, {1, 2, 3, 4}},
        {"all samples, swapped", LULL_FMT6_8_8_8_8_UNORM, 0, 0, LULL_WXYZ, 1, 1, 4, 8,
         {1, 2, 3, 4, 5, 6, 7, 8}, {3, 2, 1, 4, 7, 6, 5, 8}},
        {"averaged", LULL_FMT6_8_UNORM, 0, 0, 0, 2, 0, 1, 1, {0, 100, 200, 20}, {80}},
        {"averaged, two", LULL_FMT6_8_UNORM, 0, 0, 0, 1, 0, 1, 1, {10, 20}, {15}},
        {"the first sample", LULL_FMT6_8_UNORM, SAMPLE_0, 0, 0, 2, 0, 1, 1, {9, 100, 200, 20}, {9}},
        {"the first of depth", LULL_FMT6_Z24_UNORM_S8_UINT, SAMPLE_0 | DEPTH, 0, 0, 1, 0, 4, 4,
         {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4}},
        {"the first integer", LULL_FMT6_8_UINT, 0, 0, 0, 2, 0, 1, 1, {9, 100, 200, 20}, {9}},
        // clang-format on
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct machine *m =
            fresh(info(LULL_BLIT_EVENT_STORE, rows[i].more),
                  dst(rows[i].format, rows[i].tile, rows[i].swap, rows[i].to), rows[i].from);
        const uint32_t n = rows[i].bytes << rows[i].from;
        memcpy(m->tile + BASE + (5 * WIDTH + 3) * n, rows[i].was, n);
        struct lull_error *err = go(m, 660, true);
        const uint64_t at = rows[i].tile == LULL_TILE6_3
                                ? lull_tile6_3(lull_ir3_chip(660), rows[i].of, PITCH, X + 3, Y + 5)
                                : (uint64_t)(Y + 5) * PITCH + (X + 3) * rows[i].of;
        const uint8_t *got = m->b.memory + (TO - BACK_END_BASE) + at;
        const uint8_t *before =
            m->b.memory + (TO - BACK_END_BASE) + (Y + 5) * PITCH + X * rows[i].of;
        test_case(err == NULL && memcmp(got, rows[i].want, rows[i].of) == 0 &&
                      (rows[i].tile != 0 || *before == UNTOUCHED),
                  rows[i].name, "%s: %u %u %u %u %u %u %u %u",
                  err != NULL ? lull_error_message(err) : "done", got[0], got[1], got[2], got[3],
                  got[4], got[5], got[6], got[7]);
        lull_error_free(err);
        free(m);
    }
}

static void load(void)
{
    struct machine *m = fresh(info(LULL_BLIT_EVENT_LOAD, 0), dst(LULL_FMT6_8_8_UNORM, 0, 0, 1), 1);
    static const uint8_t texel[] = {1, 2, 3, 4};
    memcpy(m->b.memory + (TO - BACK_END_BASE) + (Y + 5) * PITCH + (X + 3) * 4, texel, sizeof texel);
    struct lull_error *err = go(m, 630, true);
    test_case(err == NULL && memcmp(m->tile + BASE + (5 * WIDTH + 3) * 4, texel, 4) == 0,
              "a tile is loaded", "%s", err != NULL ? lull_error_message(err) : "other bytes");
    lull_error_free(err);
    free(m);
}

/** The 2D engine reads tiles at addresses of textures, in coordinates of the screen. */
static void engine(void)
{
    for (unsigned gpu_id = 630; gpu_id <= 740; gpu_id += 110) {
        struct machine *m = fresh(0, 0, 0);
        const bool a7 = gpu_id >= 700;
        const uint32_t source[] = {LULL_FMT6_8_8_8_8_UNORM | LULL_TILE6_2 << 8, 0,
                                   (uint32_t)lull_ir3_chip(gpu_id)->gmem_base + BASE, 0,
                                   a7 ? WIDTH * 4 << 3 : WIDTH * 4 / 64 << 9};
        const uint32_t target[] = {LULL_FMT6_8_8_8_8_UNORM, TO, 0, PITCH / 64};
        const uint32_t places[] = {(X + 3) << 8, (X + 3) << 8, (Y + 5) << 8, (Y + 5) << 8, 2, 2};
        memcpy(&m->b.regs[a7 ? LULL_A6XX_SP_PS_2D_SRC_INFO__A7XX : LULL_A6XX_SP_PS_2D_SRC_INFO],
               source, sizeof source);
        memcpy(&m->b.regs[LULL_A6XX_RB_2D_DST_INFO], target, sizeof target);
        memcpy(&m->b.regs[LULL_A6XX_GRAS_2D_SRC_TL_X], places, sizeof places);
        set(m, a7 ? LULL_A6XX_SP_PS_2D_WINDOW_OFFSET : LULL_A6XX_SP_TP_WINDOW_OFFSET, X | Y << 16);
        set(m, LULL_A6XX_RB_2D_BLIT_CNTL, 15 << 20);
        memcpy(m->tile + BASE + (5 * WIDTH + 3) * 4, "\1\2\3\4", 4);
        struct lull_error *err = go(m, gpu_id, false);
        const uint8_t *got = m->b.memory + (TO - BACK_END_BASE) + 8;
        test_case(err == NULL && memcmp(got, "\1\2\3\4", 4) == 0, "the 2D engine reads a tile",
                  "a%u: %s: %u %u %u %u", gpu_id, err != NULL ? lull_error_message(err) : "done",
                  got[0], got[1], got[2], got[3]);
        lull_error_free(err);
        free(m);
    }
}

static void refusals(void)
{
    static const struct {
        uint32_t info, format, tile, from, to;
        const char *message;
    } rows[] = {
        {LULL_BLIT_EVENT_STORE_AND_CLEAR, 3, 0, 0, 0, "BLIT: a tile that is stored and cleared"},
        {LULL_BLIT_EVENT_CLEAR, 148, 0, 0, 0, "BLIT: the tile of format 148"},
        {LULL_BLIT_EVENT_STORE, 3, 1, 0, 0, "BLIT: the image in tile mode 1"},
        {LULL_BLIT_EVENT_STORE, 3, 0, 3, 0, "BLIT: the tile with 8 samples"},
        {LULL_BLIT_EVENT_LOAD, 3, 0, 1, 0, "BLIT: 1 samples to 2"},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct machine *m =
            fresh(rows[i].info, dst(rows[i].format, rows[i].tile, 0, rows[i].to), rows[i].from);
        struct lull_error *err = go(m, 630, true);
        const char *got = err != NULL ? lull_error_message(err) : "it is done";
        test_case(strcmp(got, rows[i].message) == 0, rows[i].message, "got '%s'", got);
        lull_error_free(err);
        free(m);
    }
}

int main(void)
{
    clears();
    stores();
    load();
    engine();
    refusals();
    return test_end();
}
