// SPDX-License-Identifier: MIT
// The 2D engine: registers in, texels out. What is expected is computed here, from Vulkan's words
// on copies, blits, clears and resolves; where tiled texels are is compared with Mesa's in
// ir3_texels.
#include <stdlib.h>

#include "back_end.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "model/adreno/draw/blit.h"
#include "model/adreno/exec/texel.h"
#include "test.h"

enum {
    FROM = BACK_END_BASE + 0x10000,
    TO = BACK_END_BASE + 0x20000,
    PITCH = 256,
    SIDE = 32,
    SOLID = 1 << 7,
    SCISSOR = 1 << 16,
    MASK = 15 << 20,
    TILED = LULL_TILE6_3 << 8,
    SRGB = 1 << 13,
    FILTER = 1 << 16,
    AVERAGE = 1 << 18,
    FOUR = 2 << 14, ///< Samples.
    UNTOUCHED = 0xee,
};

/** A blit as registers have it; coordinates: of the first and last texel. */
struct blit {
    unsigned gpu_id;
    uint32_t cntl;          ///< RB_2D_BLIT_CNTL.
    uint32_t from, to;      ///< INFO.
    uint32_t src[4];        ///< x0 y0 x1 y1
    uint32_t dst[4];        ///< The same.
    uint32_t width, height; ///< Of the source.
    uint32_t solid[4];
    uint32_t kept; ///< RB_2D_UNKNOWN_8C01.
};

static uint32_t xy(const uint32_t *p)
{
    return p[0] | p[1] << 16;
}

static void set(struct back_end *b, uint32_t a6, uint32_t v)
{
    b->regs[a6] = v;
}

static void registers(struct back_end *b, const struct blit *r)
{
    const bool a7 = r->gpu_id >= 700;
    set(b, LULL_A6XX_RB_2D_BLIT_CNTL, r->cntl);
    set(b, a7 ? LULL_A6XX_SP_PS_2D_SRC_INFO__A7XX : LULL_A6XX_SP_PS_2D_SRC_INFO, r->from);
    set(b, a7 ? LULL_A6XX_SP_PS_2D_SRC_SIZE__A7XX : LULL_A6XX_SP_PS_2D_SRC_SIZE,
        r->width | r->height << 15);
    set(b, a7 ? LULL_A6XX_SP_PS_2D_SRC__A7XX : LULL_A6XX_SP_PS_2D_SRC, FROM);
    set(b, a7 ? LULL_A6XX_SP_PS_2D_SRC_PITCH__A7XX : LULL_A6XX_SP_PS_2D_SRC_PITCH,
        a7 ? PITCH << 3 : PITCH / 64 << 9);
    set(b, LULL_A6XX_RB_2D_DST_INFO, r->to);
    set(b, LULL_A6XX_RB_2D_DST, TO);
    set(b, LULL_A6XX_RB_2D_DST_PITCH, PITCH / 64);
    set(b, LULL_A6XX_RB_2D_UNKNOWN_8C01, r->kept);
    set(b, LULL_A6XX_GRAS_2D_SRC_TL_X, r->src[0] << 8);
    set(b, LULL_A6XX_GRAS_2D_SRC_TL_Y, r->src[1] << 8);
    set(b, LULL_A6XX_GRAS_2D_SRC_BR_X, r->src[2] << 8);
    set(b, LULL_A6XX_GRAS_2D_SRC_BR_Y, r->src[3] << 8);
    set(b, LULL_A6XX_GRAS_2D_DST_TL, xy(r->dst));
    set(b, LULL_A6XX_GRAS_2D_DST_BR, xy(r->dst + 2));
    memcpy(&b->regs[LULL_A6XX_RB_2D_SRC_SOLID_C0], r->solid, sizeof r->solid);
}

static struct back_end *fresh(void)
{
    struct back_end *b = calloc(1, sizeof *b);
    if (b == NULL) {
        abort();
    }
    memset(b->memory + (TO - BACK_END_BASE), UNTOUCHED, PITCH * SIDE);
    return b;
}

/** Do it, some texels at a time. NULL: done. */
static struct lull_error *go(struct back_end *b, unsigned gpu_id)
{
    const struct lull_arop_source s = {
        .gpu_id = gpu_id, .ctx = b, .reg = back_end_reg, .memory = {.ctx = b, .at = back_end_at}};
    struct lull_ablit blit = {.under_way = false};
    struct lull_error *err = lull_ablit_start(&s, &blit);
    while (err == NULL && blit.under_way) {
        (void)lull_ablit_run(&blit, 3);
    }
    return err;
}

static uint8_t *texel(struct back_end *b, unsigned gpu_id, uint64_t base, uint32_t info, uint32_t x,
                      uint32_t y)
{
    const uint64_t at = (info & TILED) == TILED
                            ? lull_tile6_3(lull_ir3_chip(gpu_id), 4, PITCH, x, y)
                            : (uint64_t)y * PITCH + (uint64_t)x * 4;
    return b->memory + (base - BACK_END_BASE) + at;
}

/** 5 by 4 texels of R8G8B8A8 from 1,2 to 3,1, in all layouts and orders of components. */
static void copies(void)
{
    static const uint8_t orders[4][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {3, 0, 1, 2}, {3, 2, 1, 0}};
    for (unsigned i = 0; i < 3 * 4 * 16; i++) {
        static const unsigned chips[] = {630, 660, 740};
        const unsigned gpu_id = chips[i % 3], from = i / 12 % 4, to = i / 48;
        const struct blit r = {.gpu_id = gpu_id,
                               .cntl = MASK | LULL_R2D_UNORM8 << 24,
                               .from = LULL_FMT6_8_8_8_8_UNORM | from << 10 | (i / 3 % 2) * TILED,
                               .to = LULL_FMT6_8_8_8_8_UNORM | to << 10 | (i / 6 % 2) * TILED,
                               .src = {1, 2, 5, 5},
                               .dst = {3, 1, 7, 4}};
        struct back_end *b = fresh();
        registers(b, &r);
        for (uint32_t k = 0; k < SIDE * SIDE; k++) {
            uint8_t *at = texel(b, gpu_id, FROM, r.from, k % SIDE, k / SIDE);
            for (unsigned c = 0; c < 4; c++) {
                const uint8_t rgba[4] = {(uint8_t)(k % SIDE), (uint8_t)(k / SIDE), (uint8_t)(3 * k),
                                         9};
                at[c] = rgba[orders[from][c]];
            }
        }
        struct lull_error *err = go(b, gpu_id);
        unsigned bad = 0;
        for (uint32_t k = 0; k < SIDE * SIDE; k++) {
            const uint32_t x = k % SIDE, y = k / SIDE;
            const bool in = x >= 3 && x <= 7 && y >= 1 && y <= 4;
            const uint8_t rgba[4] = {(uint8_t)(x - 2), (uint8_t)(y + 1),
                                     (uint8_t)(3 * (k + SIDE - 2)), 9};
            for (unsigned c = 0; c < 4; c++) {
                const unsigned got = texel(b, gpu_id, TO, r.to, x, y)[c];
                bad += got != (in ? rgba[orders[to][c]] : UNTOUCHED);
            }
        }
        test_case(err == NULL && bad == 0, "a copy", "a%u, from %x to %x: %s, %u bytes", gpu_id,
                  r.from, r.to, err != NULL ? lull_error_message(err) : "done", bad);
        lull_error_free(err);
        free(b);
    }
}

/** One texel at 2,0 of a fill. */
static const struct {
    const char *name;
    uint32_t format, ifmt, swap;
    uint32_t mask, kept;
    uint32_t c[4];
    uint8_t want[8];
} fills[] = {
    // clang-format off
    {"8 bits", LULL_FMT6_8_8_8_8_UNORM, LULL_R2D_UNORM8, 0, 15, 0, {1, 2, 255, 127}, {1, 2, 255, 127}},
    {"8 bits, swapped", LULL_FMT6_8_8_8_8_UNORM, LULL_R2D_UNORM8, LULL_WXYZ, 15, 0, {1, 2, 3, 4},
     {3, 2, 1, 4}},
    {"more than 8 bits", LULL_FMT6_Z24_UNORM_S8_UINT_AS_R8G8B8A8, LULL_R2D_UNORM8, 0, 15, 0,
     {0xabcdef, 0xabcd, 0xab, 0x77}, {0xef, 0xcd, 0xab, 0x77}},
    {"depth of D24S8", LULL_FMT6_Z24_UNORM_S8_UINT_AS_R8G8B8A8, LULL_R2D_UNORM8, 0, 15, 0x08000041,
     {0xabcdef, 0xabcd, 0xab, 0x77}, {0xef, 0xcd, 0xab, UNTOUCHED}},
    {"stencil of D24S8", LULL_FMT6_8_8_8_8_UNORM, LULL_R2D_UNORM8, 0, 15, 0x00084001,
     {0xabcdef, 0xabcd, 0xab, 0x77}, {UNTOUCHED, UNTOUCHED, UNTOUCHED, 0x77}},
    {"two components", LULL_FMT6_8_8_8_8_UNORM, LULL_R2D_UNORM8, 0, 6, 0, {1, 2, 3, 4},
     {UNTOUCHED, 2, 3, UNTOUCHED}},
    {"codes of sRGB", LULL_FMT6_8_8_8_8_UNORM | SRGB, LULL_R2D_UNORM8_SRGB, 0, 15, 0, {1, 2, 188, 127},
     {1, 2, 188, 127}},
    {"signed", LULL_FMT6_8_8_8_8_SNORM, LULL_R2D_UNORM8, 0, 15, 0, {(uint32_t)-127, 127, 3, (uint32_t)-3},
     {0x81, 0x7f, 3, 0xfd}},
    {"halves", LULL_FMT6_16_16_16_16_FLOAT, LULL_R2D_FLOAT16, 0, 15, 0, {0x3c00, 0xc000, 0x7bff, 1},
     {0, 0x3c, 0, 0xc0, 0xff, 0x7b, 1, 0}},
    {"10 bits", LULL_FMT6_10_10_10_2_UNORM_DEST, LULL_R2D_FLOAT16, 0, 15, 0, {0x3c00, 0, 0, 0x3c00},
     {0xff, 3, 0, 0xc0}},
    {"16 bits", LULL_FMT6_16_UNORM, LULL_R2D_FLOAT32, 0, 15, 0, {0x3f800000}, {0xff, 0xff}},
    {"floats", LULL_FMT6_32_32_FLOAT, LULL_R2D_FLOAT32, 0, 15, 0, {0x3f800000, 0xc0000001},
     {0, 0, 0x80, 0x3f, 1, 0, 0, 0xc0}},
    {"8-bit integers", LULL_FMT6_8_UINT, LULL_R2D_INT8, 0, 15, 0, {200}, {200}},
    {"signed integers", LULL_FMT6_16_16_SINT, LULL_R2D_INT16, 0, 15, 0, {(uint32_t)-2, 5},
     {0xfe, 0xff, 5, 0}},
    {"integers", LULL_FMT6_32_32_UINT, LULL_R2D_INT32, 0, 15, 0, {0xfedcba98, 5},
     {0x98, 0xba, 0xdc, 0xfe, 5, 0, 0, 0}},
    // clang-format on
};

static void fill(unsigned i)
{
    const struct blit r = {.gpu_id = 630,
                           .cntl = SOLID | fills[i].mask << 20 | fills[i].ifmt << 24,
                           .to = fills[i].format | fills[i].swap << 10,
                           .dst = {2, 0, 2, 0},
                           .solid = {fills[i].c[0], fills[i].c[1], fills[i].c[2], fills[i].c[3]},
                           .kept = fills[i].kept};
    struct back_end *b = fresh();
    registers(b, &r);
    struct lull_error *err = go(b, 630);
    const unsigned bytes = lull_afmt(fills[i].format & UINT8_MAX)->bytes;
    const uint8_t *at = b->memory + (TO - BACK_END_BASE) + 2 * bytes;
    const bool alone = at[-1] == UNTOUCHED && at[bytes] == UNTOUCHED;
    test_case(err == NULL && alone && memcmp(at, fills[i].want, bytes) == 0, fills[i].name,
              "%s; %02x %02x %02x %02x %02x %02x %02x %02x",
              err != NULL ? lull_error_message(err) : "done", at[0], at[1], at[2], at[3], at[4],
              at[5], at[6], at[7]);
    lull_error_free(err);
    free(b);
}

/** Texels 0,0 and what the target's become: one row. */
static const struct {
    const char *name;
    uint32_t from, to; ///< INFO.
    uint32_t cntl;     ///< RB_2D_BLIT_CNTL, beside the mask.
    uint32_t kept;
    uint32_t x, n, width, into; ///< Texels of the source, of the target.
    uint8_t was[16], want[16];
} rows[] = {
    // clang-format off
    {"8 to 16 bits", LULL_FMT6_8_UNORM, LULL_FMT6_16_UNORM, 0, 0, 0, 1, 1, 1, {0x80}, {0x80, 0x80}},
    {"to sRGB", LULL_FMT6_8_8_8_8_UNORM, LULL_FMT6_8_8_8_8_UNORM | SRGB, 0, 0, 0, 1, 1, 1,
     {128, 255, 0, 128}, {188, 255, 0, 128}},
    {"from sRGB", LULL_FMT6_8_8_8_8_UNORM | SRGB, LULL_FMT6_8_8_8_8_UNORM, 0, 0, 0, 1, 1, 1,
     {188, 255, 0, 128}, {128, 255, 0, 128}},
    {"float to 16 bits", LULL_FMT6_32_FLOAT, LULL_FMT6_16_UNORM, 0, 0, 0, 1, 1, 1, {0, 0, 0, 0x3f},
     {0, 0x80}},
    {"a float as it is", LULL_FMT6_32_FLOAT, LULL_FMT6_32_FLOAT, 0, 0, 0, 1, 1, 1, {1, 0, 0x80, 0x7f},
     {1, 0, 0x80, 0x7f}},
    {"integers that do not fit", LULL_FMT6_16_UINT, LULL_FMT6_8_UINT, 0, 0, 0, 2, 2, 2, {44, 1, 7, 0},
     {255, 7}},
    {"stencil into D24S8", LULL_FMT6_A8_UNORM, LULL_FMT6_Z24_UNORM_S8_UINT_AS_R8G8B8A8, 0, 0x00084001,
     0, 1, 1, 1, {0x5a}, {UNTOUCHED, UNTOUCHED, UNTOUCHED, 0x5a}},
    {"stencil out of D24S8", LULL_FMT6_8_8_8_8_UNORM, LULL_FMT6_A8_UNORM, 0, 0, 0, 1, 1, 1,
     {1, 2, 3, 0x5a}, {0x5a}},
    {"wider, nearest", LULL_FMT6_8_UNORM, LULL_FMT6_8_UNORM, 0, 0, 0, 4, 4, 8, {0, 100, 200, 252},
     {0, 0, 100, 100, 200, 200, 252, 252}},
    {"narrower, nearest", LULL_FMT6_8_UNORM, LULL_FMT6_8_UNORM, 0, 0, 0, 4, 4, 2, {0, 100, 200, 252},
     {100, 252}},
    {"wider by parts, nearest", LULL_FMT6_8_UNORM, LULL_FMT6_8_UNORM, 0, 0, 0, 3, 3, 5, {1, 2, 3},
     {1, 1, 2, 3, 3}},
    {"wider, filtered", LULL_FMT6_8_UNORM | FILTER, LULL_FMT6_8_UNORM, 0, 0, 0, 4, 4, 8,
     {0, 100, 200, 252}, {0, 25, 75, 125, 175, 213, 239, 252}},
    {"narrower, filtered", LULL_FMT6_8_UNORM | FILTER, LULL_FMT6_8_UNORM, 0, 0, 0, 4, 4, 2,
     {0, 100, 200, 252}, {50, 226}},
    {"a part, filtered with its neighbours", LULL_FMT6_8_UNORM | FILTER, LULL_FMT6_8_UNORM, 0, 0, 1, 2,
     4, 4, {0, 100, 200, 252}, {75, 125, 175, 213}},
    {"integers are not filtered", LULL_FMT6_8_UINT | FILTER, LULL_FMT6_8_UINT, 0, 0, 0, 2, 2, 4,
     {0, 100}, {0, 0, 100, 100}},
    {"mirrored", LULL_FMT6_8_UNORM, LULL_FMT6_8_UNORM, LULL_ROTATE_HFLIP, 0, 0, 4, 4, 4, {1, 2, 3, 4},
     {4, 3, 2, 1}},
    {"upside down", LULL_FMT6_8_UNORM, LULL_FMT6_8_UNORM, LULL_ROTATE_VFLIP, 0, 0, 4, 4, 4,
     {1, 2, 3, 4}, {1, 2, 3, 4}},
    {"mirrored and wider", LULL_FMT6_8_UNORM | FILTER, LULL_FMT6_8_UNORM, LULL_ROTATE_180, 0, 0, 4, 4, 8,
     {0, 100, 200, 252}, {252, 239, 213, 175, 125, 75, 25, 0}},
    {"samples, averaged", LULL_FMT6_8_UNORM | FOUR | AVERAGE, LULL_FMT6_8_UNORM, 0, 0, 0, 2, 2, 2,
     {0, 100, 200, 20, 8, 8, 8, 12}, {80, 9}},
    {"the first sample", LULL_FMT6_8_UNORM | FOUR, LULL_FMT6_8_UNORM, 0, 0, 0, 2, 2, 2,
     {3, 100, 200, 20, 8, 9, 9, 12}, {3, 8}},
    {"integers are not averaged", LULL_FMT6_8_UINT | FOUR | AVERAGE, LULL_FMT6_8_UINT, 0, 0, 0, 2, 2, 2,
     {3, 100, 200, 20, 8, 9, 9, 12}, {3, 8}},
    {"linear light is averaged", LULL_FMT6_8_8_8_8_UNORM | SRGB | 1 << 14 | AVERAGE,
     LULL_FMT6_8_8_8_8_UNORM | SRGB, 0, 0, 0, 1, 1, 1, {255, 0, 0, 255, 0, 0, 0, 0}, {188, 0, 0, 128}},
    {"a scissor", LULL_FMT6_8_UNORM, LULL_FMT6_8_UNORM, SCISSOR, 0, 0, 4, 4, 4, {1, 2, 3, 4},
     {UNTOUCHED, 2, 3, UNTOUCHED}},
    // clang-format on
};

static void row(unsigned i, unsigned gpu_id)
{
    const struct blit r = {.gpu_id = gpu_id,
                           .cntl = MASK | rows[i].cntl,
                           .from = rows[i].from,
                           .to = rows[i].to,
                           .src = {rows[i].x, 0, rows[i].x + rows[i].n - 1, 0},
                           .dst = {0, 0, rows[i].into - 1, 0},
                           .width = rows[i].width,
                           .height = 1,
                           .kept = rows[i].kept};
    struct back_end *b = fresh();
    registers(b, &r);
    set(b, LULL_A6XX_GRAS_2D_RESOLVE_CNTL_1, 1);
    set(b, LULL_A6XX_GRAS_2D_RESOLVE_CNTL_2, 2);
    memcpy(b->memory + (FROM - BACK_END_BASE), rows[i].was, sizeof rows[i].was);
    struct lull_error *err = go(b, gpu_id);
    const uint8_t *at = b->memory + (TO - BACK_END_BASE);
    const unsigned bytes = lull_afmt(rows[i].to & UINT8_MAX)->bytes * rows[i].into;
    test_case(err == NULL && memcmp(at, rows[i].want, bytes) == 0 && at[bytes] == UNTOUCHED,
              rows[i].name, "%s; %u %u %u %u %u %u %u %u, then %u",
              err != NULL ? lull_error_message(err) : "done", at[0], at[1], at[2], at[3], at[4],
              at[5], at[6], at[7], at[bytes]);
    lull_error_free(err);
    free(b);
}

/** Rows change places. */
static void upside_down(void)
{
    const struct blit r = {.gpu_id = 630,
                           .cntl = MASK | LULL_ROTATE_VFLIP,
                           .from = LULL_FMT6_8_UNORM,
                           .to = LULL_FMT6_8_UNORM,
                           .src = {0, 0, 0, 1},
                           .dst = {0, 0, 0, 3}};
    struct back_end *b = fresh();
    registers(b, &r);
    b->memory[FROM - BACK_END_BASE] = 1;
    b->memory[FROM - BACK_END_BASE + PITCH] = 2;
    struct lull_error *err = go(b, 630);
    const uint8_t *at = b->memory + (TO - BACK_END_BASE);
    test_case(err == NULL && at[0] == 2 && at[PITCH] == 2 && at[2 * PITCH] == 1 &&
                  at[3 * PITCH] == 1,
              "rows, upside down and higher", "%u %u %u %u", at[0], at[PITCH], at[2 * PITCH],
              at[3 * PITCH]);
    lull_error_free(err);
    free(b);
}

/** A buffer of a7xx that begins between 64 bytes. */
static void unaligned(void)
{
    const struct blit r = {.gpu_id = 740,
                           .cntl = MASK,
                           .from = LULL_FMT6_16_UINT,
                           .to = LULL_FMT6_16_UINT,
                           .src = {0, 0, 1, 0},
                           .dst = {0, 0, 1, 0}};
    struct back_end *b = fresh();
    registers(b, &r);
    set(b, LULL_A6XX_TPL1_2D_SRC_CNTL, 3 << 16 | (uint32_t)LULL_A6XX_TEX_IMG_BUFFER << 29);
    for (unsigned i = 0; i < 16; i++) {
        b->memory[FROM - BACK_END_BASE + i] = (uint8_t)i;
    }
    struct lull_error *err = go(b, 740);
    const uint8_t *at = b->memory + (TO - BACK_END_BASE);
    test_case(err == NULL && at[0] == 6 && at[3] == 9, "a buffer from texel 3 on", "%u %u %u %u",
              at[0], at[1], at[2], at[3]);
    lull_error_free(err);
    free(b);
}

static void refusals(void)
{
    static const struct {
        struct blit r;
        const char *message;
    } cases[] = {
        // clang-format off
        {{630, MASK | SOLID | LULL_R2D_RAW << 24, 0, LULL_FMT6_8_UINT, {0}, {0}, 0, 0, {0}, 0},
         "CP_BLIT: a colour in units of IFMT 0"},
        {{630, MASK | LULL_ROTATE_90, 5, 5, {0}, {0}, 0, 0, {0}, 0}, "CP_BLIT: turned by ROTATE 1"},
        {{630, MASK | 7, 5, 5, {0}, {0}, 0, 0, {0}, 0}, "CP_BLIT: turned by ROTATE 7"},
        {{630, MASK, 5, 5, {0}, {2, 0, 1, 0}, 0, 0, {0}, 0}, "CP_BLIT: from 2,0 to 1,0"},
        {{630, MASK, 5, 5, {0, 3, 0, 2}, {0}, 0, 0, {0}, 0}, "CP_BLIT: a source from 0,3 to 0,2"},
        {{630, MASK, 5, 148, {0}, {0}, 0, 0, {0}, 0}, "CP_BLIT: the destination of format 148"},
        {{630, MASK, 5, 5 | FOUR, {0}, {0}, 0, 0, {0}, 0}, "CP_BLIT: the destination has samples"},
        {{630, MASK, 148, 5, {0}, {0}, 0, 0, {0}, 0}, "CP_BLIT: the source of format 148"},
        {{740, MASK, 5 | 1 << 8, 5, {0}, {0}, 0, 0, {0}, 0}, "CP_BLIT: the source in tile mode 1"},
        {{630, MASK, LULL_FMT6_8_UINT, LULL_FMT6_8_UNORM, {0}, {0}, 0, 0, {0}, 0},
         "CP_BLIT: 8_UINT to 8_UNORM"},
        {{630, MASK, 5, 5, {0}, {0}, 0, 0, {0}, 1}, "CP_BLIT: RB_2D_UNKNOWN_8C01 is 0x00000001"},
        // clang-format on
    };
    for (unsigned i = 0; i < TEST_ROWS(cases); i++) {
        struct back_end *b = fresh();
        registers(b, &cases[i].r);
        struct lull_error *err = go(b, cases[i].r.gpu_id);
        const char *got = err != NULL ? lull_error_message(err) : "it is done";
        test_case(strcmp(got, cases[i].message) == 0, cases[i].message, "got '%s'", got);
        lull_error_free(err);
        free(b);
    }
}

int main(void)
{
    copies();
    for (unsigned i = 0; i < TEST_ROWS(fills); i++) {
        fill(i);
    }
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        row(i, 630);
        row(i, 740);
    }
    upside_down();
    unaligned();
    refusals();
    return test_end();
}
