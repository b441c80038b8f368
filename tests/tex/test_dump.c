// SPDX-License-Identifier: MIT
/** @file
 * Levels of images as rows of pixels, out of memory that is an array here.
 */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "tex/dump.h"

enum {
    SIZE = 1 << 20,
    SEL_XYZW = 0xfac,
    SEL_ZYXW = 0xf2e,
    SEL_XYZ1 = 0x3ac,
    FMT_8_UNORM = 1,
    FMT_32_UINT = 20,
    FMT_32_FLOAT = 22,
    FMT_8888_UNORM = 42,
    FMT_8888_SINT = 47,
    FMT_8888_SRGB = 66,
    FMT_32x3_UINT = 58,
    FMT_BC4 = 115,
    FMT_BC7 = 121,
};
#define BASE UINT64_C(0x100000)

struct memory {
    uint8_t *data;
    uint64_t limit; // Bytes that are mapped.
    unsigned reads;
};

static bool read_memory(void *ctx, uint64_t va, void *buf, size_t bytes)
{
    struct memory *m = ctx;
    m->reads++;
    if (va < BASE || va - BASE + bytes > m->limit) {
        return false;
    }
    memcpy(buf, m->data + (va - BASE), bytes);
    return true;
}

static void describe(struct lull_image_desc *d, unsigned type, unsigned w, unsigned h,
                     unsigned depth, unsigned mode, unsigned format, unsigned levels, unsigned sel)
{
    const uint32_t dwords[8] = {
        (uint32_t)(BASE >> 8),
        (levels - 1) << 16 | format << 20 | (w - 1) << 30,
        (w - 1) >> 2 | (h - 1) << 14,
        sel | (levels - 1) << 16 | mode << 20 | type << 28,
        depth - 1,
    };
    lull_image_desc_parse(dwords, d);
}

/** Each texel of level @p level is x, y, z, 0xee. */
static void paint(struct memory *m, const struct lull_image_desc *d, unsigned level)
{
    struct lull_tiling t = {0};
    if (lull_tiling_prepare(d, level, &t) != LULL_TEX_OK) {
        return;
    }
    for (uint32_t z = 0; z < t.depth; z++) {
        for (uint32_t i = 0; i < t.width * t.height; i++) {
            const uint8_t texel[4] = {(uint8_t)(i % t.width), (uint8_t)(i / t.width), (uint8_t)z,
                                      0xee};
            memcpy(m->data + lull_tiling_offset(&t, i % t.width, i / t.width, z, 0), texel,
                   t.bytes);
        }
    }
}

static void test_tiled(struct memory *m)
{
    static const struct {
        const char *name;
        unsigned type, depth, mode, levels, level, slice;
    } rows[] = {
        {"linear", 9, 1, 0, 1, 0, 0},        {"linear level", 9, 1, 0, 5, 2, 0},
        {"64KB_R_X", 9, 1, 27, 1, 0, 0},     {"64KB_R_X level in the tail", 9, 1, 27, 6, 3, 0},
        {"array slice", 13, 3, 27, 1, 0, 2}, {"3D slice", 10, 5, 25, 1, 0, 4},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_image_desc d = {0};
        struct lull_pixels p = {0};
        const struct lull_tex_memory tm = {m, read_memory};
        describe(&d, rows[i].type, 50, 40, rows[i].depth, rows[i].mode, FMT_8888_UNORM,
                 rows[i].levels, SEL_ZYXW);
        memset(m->data, 0, SIZE);
        m->reads = 0;
        paint(m, &d, rows[i].level);
        struct lull_error *err =
            lull_tex_read_level(&tm, &d, rows[i].level, rows[i].slice, LULL_PIXELS_RGBA8, &p);
        bool ok =
            err == NULL && p.width == 50u >> rows[i].level && p.height == 40u >> rows[i].level;
        for (uint32_t k = 0; ok && k < p.width * p.height; k++) {
            const uint8_t want[4] = {(uint8_t)rows[i].slice, (uint8_t)(k / p.width),
                                     (uint8_t)(k % p.width), 0xee};
            ok = memcmp(p.data + 4 * k, want, 4) == 0;
        }
        test_case(ok && m->reads <= 32, rows[i].name, "%ux%u, %u reads: %s", p.width, p.height,
                  m->reads, err == NULL ? "wrong pixels" : lull_error_message(err));
        lull_error_free(err);
        lull_pixels_done(&p);
    }
}

/** One texel, what it holds, and its picture. */
static const struct {
    const char *name;
    unsigned format, sel;
    uint8_t memory[16];
    uint8_t want[4];
} texels[] = {
    {"unorm", FMT_8888_UNORM, SEL_XYZW, {1, 2, 3, 4}, {1, 2, 3, 4}},
    {"alpha 1", FMT_8888_UNORM, SEL_XYZ1, {1, 2, 3, 4}, {1, 2, 3, 255}},
    {"one component", FMT_8_UNORM, SEL_XYZW, {9}, {9, 0, 0, 255}},
    {"sRGB stays", FMT_8888_SRGB, SEL_XYZW, {1, 100, 254, 77}, {1, 100, 254, 77}},
    {"integers", FMT_8888_SINT, SEL_XYZW, {5, 0x80, 127, 6}, {5, 0, 127, 6}},
    {"big integer, opaque", FMT_32_UINT, SEL_XYZW, {0, 1, 0, 0}, {255, 0, 0, 255}},
    {"12 bytes", FMT_32x3_UINT, SEL_XYZW, {7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1}, {7, 8, 255, 255}},
    {"BC4", FMT_BC4, SEL_XYZW, {200, 100}, {200, 0, 0, 255}},
};

static void test_texels(struct memory *m)
{
    for (size_t i = 0; i < TEST_ROWS(texels); i++) {
        struct lull_image_desc d = {0};
        struct lull_pixels p = {0};
        const struct lull_tex_memory tm = {m, read_memory};
        describe(&d, 9, 1, 1, 1, 0, texels[i].format, 1, texels[i].sel);
        memset(m->data, 0, SIZE);
        memcpy(m->data, texels[i].memory, sizeof(texels[i].memory));
        struct lull_error *err = lull_tex_read_level(&tm, &d, 0, 0, LULL_PIXELS_RGBA8, &p);
        const bool ok = err == NULL && memcmp(p.data, texels[i].want, 4) == 0;
        test_case(ok, texels[i].name, "%s", err == NULL ? "wrong" : lull_error_message(err));
        lull_error_free(err);
        lull_pixels_done(&p);
    }
}

static void test_values(struct memory *m)
{
    struct lull_image_desc d = {0};
    struct lull_pixels p = {0};
    const struct lull_tex_memory tm = {m, read_memory};
    const uint32_t want[4] = {0x12345678, 0, 0, 1};
    describe(&d, 9, 1, 1, 1, 0, FMT_32_UINT, 1, SEL_XYZW);
    memcpy(m->data, want, 4);
    struct lull_error *err = lull_tex_read_level(&tm, &d, 0, 0, LULL_PIXELS_RGBA32, &p);
    test_case(err == NULL && memcmp(p.data, want, sizeof(want)) == 0, "values", "wrong");
    lull_error_free(err);
    lull_pixels_done(&p);
}

/** Metadata that is the same everywhere: keys of colours, words of depth; memory has 0xee. */
static void test_metadata(struct memory *m)
{
    enum { KEYS = SIZE / 2, R_X = 27, Z_X = 24, HALF = 0x3f000000, ONE = 0x3f800000 };
    static const struct {
        const char *name;
        unsigned mode, format;
        uint32_t word, clear, want; // clear: depth of registers, 0: not known; want 0xbad: refused
        uint64_t limit;
    } rows[] = {
        {"key: as memory is", R_X, FMT_32_UINT, 0xffffffff, 0, 0xeeeeeeee, SIZE},
        {"key: zeros", R_X, FMT_32_UINT, 0, 0, 0, SIZE},
        {"key: ones", R_X, FMT_32_UINT, 0x02020202, 0, 0xffffffff, SIZE},
        {"key: first texel of its tile", R_X, FMT_32_UINT, 0x01010101, 0, 0xeeeeeeee, SIZE},
        {"key that no clear writes", R_X, FMT_32_UINT, 0x55555555, 0, 0xbad, SIZE},
        {"keys that are not mapped", R_X, FMT_32_UINT, 0, 0, 0xeeeeeeee, KEYS},
        {"word: as memory is", Z_X, FMT_32_FLOAT, 0xffffffff, ONE, 0xeeeeeeee, SIZE},
        {"word: cleared to 1", Z_X, FMT_32_FLOAT, 0xfffc0000, 0, ONE, SIZE},
        {"word: cleared to 0", Z_X, FMT_32_FLOAT, 0, 0, 0, SIZE},
        {"word: cleared to what registers say", Z_X, FMT_32_FLOAT, 0x80000000, HALF, HALF, SIZE},
        {"word: cleared to what nobody says", Z_X, FMT_32_FLOAT, 0x80000000, 0, 0xbad, SIZE},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_image_desc d = {0};
        struct lull_pixels p = {0};
        const struct lull_tex_memory tm = {m, read_memory};
        describe(&d, 9, 50, 40, 1, rows[i].mode, rows[i].format, 1, SEL_XYZW);
        d.compressed = true;
        d.metadata = BASE + KEYS;
        d.clear.known = rows[i].clear != 0;
        memcpy(&d.clear.depth, &rows[i].clear, sizeof(rows[i].clear));
        memset(m->data, 0xee, KEYS);
        for (unsigned at = KEYS; at < SIZE; at += sizeof(rows[i].word)) {
            memcpy(m->data + at, &rows[i].word, sizeof(rows[i].word));
        }
        m->limit = rows[i].limit;
        struct lull_error *err = lull_tex_read_level(&tm, &d, 0, 0, LULL_PIXELS_RGBA32, &p);
        bool ok = rows[i].want != 0xbad
                      ? err == NULL
                      : err != NULL && lull_error_code(err) == LULL_ERR_UNSUPPORTED;
        for (uint32_t k = 0; err == NULL && k < p.width * p.height; k++) {
            ok = ok && memcmp(p.data + (size_t)16 * k, &rows[i].want, sizeof(rows[i].want)) == 0;
        }
        test_case(ok, rows[i].name, "%s", err == NULL ? "wrong" : lull_error_message(err));
        lull_error_free(err);
        lull_pixels_done(&p);
    }
    m->limit = SIZE;
}

static void test_errors(struct memory *m)
{
    static const struct {
        const char *name, *want;
        unsigned format, level, slice;
        uint64_t limit;
        enum lull_error_code code;
    } rows[] = {
        {"format", "BC6, BC7", FMT_BC7, 0, 0, SIZE, LULL_ERR_UNSUPPORTED},
        {"level", "no such level", FMT_32_UINT, 2, 0, SIZE, LULL_ERR_INVALID},
        {"slice", "slice 3 of 1", FMT_32_UINT, 0, 3, SIZE, LULL_ERR_INVALID},
        {"memory", "not mapped", FMT_32_UINT, 0, 0, 0, LULL_ERR_FAULT},
        {"half the memory", NULL, FMT_32_UINT, 0, 0, 12288, LULL_ERR_FAULT},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_image_desc d = {0};
        struct lull_pixels p = {0};
        const struct lull_tex_memory tm = {m, read_memory};
        describe(&d, 9, 64, 64, 1, 0, rows[i].format, 2, SEL_XYZW);
        m->limit = rows[i].limit;
        struct lull_error *err =
            lull_tex_read_level(&tm, &d, rows[i].level, rows[i].slice, LULL_PIXELS_RGBA8, &p);
        const bool ok = rows[i].want == NULL
                            ? err == NULL && p.width == 64
                            : err != NULL && lull_error_code(err) == rows[i].code &&
                                  strstr(lull_error_message(err), rows[i].want) != NULL;
        test_case(ok, rows[i].name, "%s", err == NULL ? "no error" : lull_error_message(err));
        lull_error_free(err);
        lull_pixels_done(&p);
    }
}

int main(void)
{
    struct memory m = {.data = calloc(1, SIZE), .limit = SIZE};
    if (m.data == NULL) {
        return 1;
    }
    test_tiled(&m);
    test_texels(&m);
    test_values(&m);
    test_metadata(&m);
    test_errors(&m);
    free(m.data);
    return test_end();
}
