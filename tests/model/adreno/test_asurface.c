// SPDX-License-Identifier: MIT
// Surfaces: where samples are, and what their bytes mean.
#include <stdlib.h>

#include "back_end.h"
#include "hw/adreno_pkts.h"
#include "model/adreno/draw/surface.h"
#include "model/adreno/exec/texel.h"
#include "test.h"

enum { SIDE = 64 };

/** Every sample has its own bytes, and they fill the surface. */
static void bijections(void)
{
    static const uint8_t sizes[][2] = {{1, 1}, {4, 1}, {4, 4},  {2, 2},
                                       {8, 2}, {8, 4}, {16, 2}, {16, 4}};
    static uint8_t seen[SIDE * SIDE * 64];
    for (unsigned i = 0; i < TEST_ROWS(sizes) * 2; i++) {
        const uint8_t *n = sizes[i / 2];
        const uint32_t bytes = (uint32_t)n[0] * n[1];
        const struct lull_asurface s = {.chip = lull_ir3_chip(i % 2 != 0 ? 660 : 630),
                                        .tiled = true,
                                        .bytes = n[0],
                                        .samples = n[1],
                                        .pitch = SIDE * bytes};
        unsigned twice = 0, outside = 0;
        memset(seen, 0, sizeof seen);
        for (uint32_t k = 0; k < SIDE * SIDE * (uint32_t)n[1]; k++) {
            const uint64_t at = lull_asurface_at(&s, k / n[1] % SIDE, k / n[1] / SIDE, 0, k % n[1]);
            outside += at + n[0] > SIDE * SIDE * bytes || at % n[0] != 0;
            twice += at < sizeof seen && seen[at]++ != 0;
        }
        test_case(twice == 0 && outside == 0, "places",
                  "%u bytes, %u samples: %u twice, %u outside", n[0], n[1], twice, outside);
    }
}

/** Source: vectors that Mesa's own code gives (shared facts on Adreno's draws, 3.7): 4 bytes. With
 * samples the pixel takes the place of the texel. */
static void vectors(void)
{
    static const struct {
        bool tiled;
        unsigned gen;
        uint8_t bytes, samples;
        uint32_t pitch, x, y, layer, sample;
        uint64_t at;
    } rows[] = {
        {false, 630, 4, 1, 256, 5, 3, 0, 0, 788},
        {false, 630, 4, 4, 256, 5, 3, 0, 2, 856},
        {false, 660, 2, 1, 256, 5, 3, 2, 0, 8970},
        {true, 630, 4, 1, 256, 33, 17, 0, 0, 6668},
        {true, 740, 4, 1, 256, 33, 17, 1, 0, 11788},
        {true, 740, 2, 2, 256, 63, 63, 0, 1, 15614},
        {true, 630, 1, 4, 16384, 4000, 63, 0, 3, 995115},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        const struct lull_asurface s = {.chip = lull_ir3_chip(rows[i].gen),
                                        .tiled = rows[i].tiled,
                                        .bytes = rows[i].bytes,
                                        .samples = rows[i].samples,
                                        .pitch = rows[i].pitch,
                                        .layer_bytes = 4096};
        const uint64_t at =
            lull_asurface_at(&s, rows[i].x, rows[i].y, rows[i].layer, rows[i].sample);
        test_case(at == rows[i].at, "vector", "row %u: got %llu, want %llu", i,
                  (unsigned long long)at, (unsigned long long)rows[i].at);
    }
}

static const struct {
    unsigned format, swap;
    bool srgb;
    float rgba[4];
    uint8_t bytes[4];
    float back[4];
} texel_rows[] = {
    {LULL_FMT6_8_8_8_8_UNORM,
     LULL_WZYX,
     false,
     {1, 0, 0.2f, 0.4f},
     {255, 0, 51, 102},
     {1, 0, 0.2f, 0.4f}},
    {LULL_FMT6_8_8_8_8_UNORM,
     LULL_WXYZ,
     false,
     {1, 0, 0.2f, 0.4f},
     {51, 0, 255, 102},
     {1, 0, 0.2f, 0.4f}},
    {LULL_FMT6_8_8_8_8_UNORM,
     LULL_XYZW,
     false,
     {1, 0, 0.2f, 0.4f},
     {102, 51, 0, 255},
     {1, 0, 0.2f, 0.4f}},
    {LULL_FMT6_8_8_8_8_UNORM,
     LULL_ZYXW,
     false,
     {1, 0, 0.2f, 0.4f},
     {102, 255, 0, 51},
     {1, 0, 0.2f, 0.4f}},
    {LULL_FMT6_8_8_UNORM, LULL_WZYX, false, {1, 0.2f, 1, 0}, {255, 51}, {1, 0.2f, 0, 1}},
    {LULL_FMT6_A8_UNORM, LULL_WZYX, false, {1, 1, 1, 0.2f}, {51}, {0, 0, 0, 0.2f}},
    {LULL_FMT6_8_8_8_8_UNORM,
     LULL_WZYX,
     true,
     {1, 0, 0.2158605f, 0.2f},
     {255, 0, 128, 51},
     {1, 0, 0.2158605f, 0.2f}},
};

/** R G B A to bytes and back. */
static void texels(void)
{
    for (unsigned i = 0; i < TEST_ROWS(texel_rows); i++) {
        const struct lull_asurface_is is = {.name = "it",
                                            .format = texel_rows[i].format,
                                            .swap = texel_rows[i].swap,
                                            .srgb = texel_rows[i].srgb};
        struct lull_asurface s = {0};
        uint32_t rgba[4], back[4];
        uint8_t texel[LULL_ASURFACE_TEXEL];
        struct lull_error *err = lull_asurface_open(lull_ir3_chip(630), &is, &s);
        if (err != NULL) {
            test_case(false, "texel", "row %u: %s", i, lull_error_message(err));
            lull_error_free(err);
            continue;
        }
        memcpy(rgba, texel_rows[i].rgba, sizeof rgba);
        lull_asurface_pack(&s, rgba, texel);
        lull_asurface_unpack(&s, texel, back);
        bool ok = memcmp(texel, texel_rows[i].bytes, s.bytes) == 0;
        for (unsigned k = 0; k < 4; k++) {
            float f = 0;
            memcpy(&f, &back[k], sizeof f);
            ok = ok && f > texel_rows[i].back[k] - 1e-6f && f < texel_rows[i].back[k] + 1e-6f;
        }
        test_case(ok, "texel", "row %u: %02x %02x %02x %02x, back %08x %08x %08x %08x", i, texel[0],
                  texel[1], texel[2], texel[3], back[0], back[1], back[2], back[3]);
    }
}

static void refusals(void)
{
    static const struct {
        struct lull_asurface_is is;
        const char *message;
    } rows[] = {
        {{"it", LULL_FMT6_NV12_Y, LULL_TILE6_LINEAR, 0, 0, false}, "it of format 148"},
        {{"it", LULL_FMT6_16_UNORM, LULL_TILE6_LINEAR, 0, 0, true}, "it of format 21 with sRGB"},
        {{"it", LULL_FMT6_8_UNORM, LULL_TILE6_2, 0, 0, false}, "it in tile mode 2"},
        {{"it", LULL_FMT6_32_32_32_UINT, LULL_TILE6_3, 0, 0, false},
         "it with tiled texels of 12 bytes"},
        {{"it", LULL_FMT6_8_UNORM, LULL_TILE6_3, 0, 3, false}, "it with 8 samples"},
        {{"it", LULL_FMT6_8_8_UNORM, LULL_TILE6_3, LULL_WXYZ, 0, false},
         "it of format 15 with swap 1"},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_asurface s = {0};
        struct lull_error *err = lull_asurface_open(lull_ir3_chip(630), &rows[i].is, &s);
        test_case(err != NULL && strcmp(lull_error_message(err), rows[i].message) == 0, "refused",
                  "row %u: got '%s', want '%s'", i, err != NULL ? lull_error_message(err) : "",
                  rows[i].message);
        lull_error_free(err);
    }
}

/** Bytes go to memory and come back; what is outside is told, and reads as zeros. */
static void moves(void)
{
    static const uint8_t bytes[] = {1, 2, 4, 8, 12, 16};
    struct back_end *b = calloc(1, sizeof *b);
    uint8_t tile[32] = {0};
    const struct lull_agmem gmem = {tile, sizeof tile};
    for (unsigned i = 0; b != NULL && i < TEST_ROWS(bytes) * 2; i++) {
        const struct lull_ir3_memory m = {.ctx = b, .at = back_end_at};
        const bool in_tile = i % 2 != 0;
        const struct lull_asurface s = {
            .bytes = bytes[i / 2], .samples = 1, .gmem = in_tile ? &gmem : NULL};
        const uint64_t at = in_tile ? 16 : BACK_END_BASE + 20, end = in_tile ? 32 : 16;
        uint8_t texel[LULL_ASURFACE_TEXEL], back[LULL_ASURFACE_TEXEL];
        memset(texel, 0x5a, sizeof texel);
        const bool stored = lull_asurface_store(&s, &m, at, texel);
        const bool loaded = lull_asurface_load(&s, &m, at, back);
        const bool right = memcmp(texel, back, s.bytes) == 0;
        const bool nowhere = !lull_asurface_store(&s, &m, end, texel) &&
                             !lull_asurface_load(&s, &m, end, back) && back[0] == 0;
        test_case(stored && loaded && right && nowhere, "moved", "%u bytes: %d %d %d %d", s.bytes,
                  stored, loaded, right, nowhere);
    }
    free(b);
}

int main(void)
{
    bijections();
    vectors();
    texels();
    refusals();
    moves();
    return test_end();
}
