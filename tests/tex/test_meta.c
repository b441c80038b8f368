// SPDX-License-Identifier: MIT
/** @file
 * Metadata of compressed images: where levels and slices of it lie, against addrlib (meta.vec); no
 * two blocks of a level with one key, none outside the level's; what keys and words stand for.
 */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "tex/meta.h"
#include "tex/tile.h"

enum { LINE = 256, BASE = 0x40000000 };

struct image {
    unsigned mode, width, height, slices, bytes, levels, samples;
};

static void describe(const struct image *m, struct lull_image_desc *d)
{
    const char *const names[17] = {[1] = "8_UINT",
                                   [2] = "16_UINT",
                                   [4] = "32_UINT",
                                   [8] = "32_32_UINT",
                                   [16] = "32_32_32_32_UINT"};
    *d = (struct lull_image_desc){
        .base = 0x10000000,
        .format = lull_format_by_name(names[m->bytes]),
        .type = m->samples > 1 ? LULL_IMAGE_2D_MSAA_ARRAY : LULL_IMAGE_2D_ARRAY,
        .sw_mode = (uint8_t)m->mode,
        .width = m->width,
        .height = m->height,
        .depth = 1,
        .last_slice = m->slices - 1,
        .max_mip = (uint8_t)(m->levels - 1),
        .samples = (uint8_t)m->samples,
        .compressed = true,
        .meta_pipe_aligned = true,
        .metadata = BASE,
    };
}

/**
 * Keys of the last slice of a level: each 256 bytes (HTILE: 8x8 pixels) have one of their own, and
 * it is among the @p size bytes from @p offset on. @return Blocks for which this is not so.
 */
static unsigned check_keys(const struct image *m, const struct lull_tiling *t,
                           const struct lull_meta *meta, uint64_t offset, uint64_t size)
{
    const unsigned unit = meta->kind == LULL_META_DCC ? 1 : 4, z = m->slices - 1;
    const uint64_t start = meta->base + z * meta->slice + offset;
    uint32_t *seen = calloc(size / unit + 1, sizeof *seen);
    unsigned bad = 0;
    if (seen == NULL) {
        abort();
    }
    for (uint32_t y = 0; y < t->height; y++) {
        for (uint32_t x = 0; x < t->width; x++) {
            for (uint32_t s = 0; s < m->samples; s++) {
                const uint64_t va = lull_meta_va(meta, t, x, y, z, s);
                const uint64_t byte = lull_tiling_offset(t, x, y, z, s);
                const uint32_t block = meta->kind == LULL_META_DCC ? (uint32_t)(byte >> 8) + 1
                                                                   : (y / 8 << 16 | x / 8) + 1;
                if (va < start || va - start >= size || (va - start) % unit != 0) {
                    bad++;
                    continue;
                }
                uint32_t *who = &seen[(va - start) / unit];
                bad += *who != 0 && *who != block;
                *who = block;
            }
        }
    }
    free(seen);
    return bad;
}

static bool run_line(const char *line, char *what, size_t room)
{
    struct image m = {0};
    unsigned level = 0;
    unsigned long long slice = 0, offset = 0, size = 0;
    if (sscanf(line, "%u | %ux%ux%u %u %u %u | %u | %llx %llx %llx", &m.mode, &m.width, &m.height,
               &m.slices, &m.bytes, &m.levels, &m.samples, &level, &slice, &offset, &size) != 11) {
        snprintf(what, room, "not understood: %.80s", line);
        return false;
    }
    struct lull_image_desc d = {0};
    struct lull_tiling t = {0};
    struct lull_meta meta = {0};
    describe(&m, &d);
    const enum lull_tex_status status = lull_tiling_prepare(&d, level, &t);
    if (status != LULL_TEX_OK) {
        snprintf(what, room, "%s: %.80s", lull_tex_status_text(status), line);
        return false;
    }
    lull_meta_prepare(&d, level, &t, &meta);
    const bool small = (uint64_t)t.width * t.height * m.samples < 1 << 18; // the others take long
    const unsigned keys = small ? check_keys(&m, &t, &meta, offset, size) : 0;
    snprintf(what, room, "0x%llx 0x%llx, %u keys wrong: %.80s", (unsigned long long)meta.slice,
             (unsigned long long)meta.level, keys, line);
    return meta.slice == slice && meta.level == offset && keys == 0;
}

static void test_vectors(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[LINE] = "", what[LINE] = "", first[LINE] = "";
    unsigned rows = 0, bad = 0;
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        if (line[0] == '#') {
            continue;
        }
        rows++;
        if (!run_line(line, what, sizeof what) && bad++ == 0) {
            memcpy(first, what, sizeof first);
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    test_case(rows > 100 && bad == 0, "levels of metadata as addrlib has them", "%u of %u: %s", bad,
              rows, first);
}

/** Levels in the tail but its first, linear images, and descriptors without compression. */
static void test_none(void)
{
    const struct image m = {27, 300, 300, 1, 4, 9, 1};
    struct lull_image_desc d = {0};
    struct lull_tiling t = {0};
    struct lull_meta meta = {0};
    describe(&m, &d);
    bool first = false, others = true;
    for (unsigned i = 0; i < m.levels; i++) {
        (void)lull_tiling_prepare(&d, i, &t);
        lull_meta_prepare(&d, i, &t, &meta);
        first = first || (t.in_tail && meta.kind == LULL_META_DCC);
        others = others && (i <= t.first_in_tail || meta.kind == LULL_META_NONE);
    }
    test_case(first && others, "of the tail only the first level has keys", "%d %d", first, others);
    d.compressed = false;
    (void)lull_tiling_prepare(&d, 0, &t);
    lull_meta_prepare(&d, 0, &t, &meta);
    test_case(meta.kind == LULL_META_NONE, "not compressed", "kind %d", meta.kind);
    d.compressed = true;
    d.sw_mode = 0;
    (void)lull_tiling_prepare(&d, 0, &t);
    lull_meta_prepare(&d, 0, &t, &meta);
    test_case(meta.kind == LULL_META_NONE, "linear", "kind %d", meta.kind);
}

/** Source: Mesa 25.0.7 radv_meta_clear.c, gfx11_get_fast_clear_parameters(). */
static void test_keys(void)
{
    static const struct {
        uint8_t key, bytes;
        bool known;
        uint8_t texel[16];
    } rows[] = {
        {0x00, 4, true, {0}},
        {0x02, 4, true, {0xff, 0xff, 0xff, 0xff}},
        {0x04, 8, true, {0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c}},
        {0x06, 8, true, {0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f}},
        {0x08, 4, true, {0, 0, 0, 0xff}},
        {0x08, 8, true, {0, 0, 0, 0, 0, 0, 0xff, 0xff}},
        {0x0a, 4, true, {0xff, 0xff, 0xff, 0}},
        {0x0a, 8, true, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0}},
        {0x02, 2, true, {0xff, 0xff}},
        {0x01, 4, false, {0}},
        {0xff, 4, false, {0}},
        {0x40, 4, false, {0}},
        {0x08, 2, false, {0}},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        char name[64] = "";
        uint8_t texel[16] = {0};
        const bool known = lull_meta_dcc_texel(rows[i].key, rows[i].bytes, texel);
        snprintf(name, sizeof name, "key 0x%02x of %u bytes", rows[i].key, rows[i].bytes);
        test_case(
            known == rows[i].known && (!known || memcmp(texel, rows[i].texel, rows[i].bytes) == 0),
            name, "known %d: %02x %02x %02x %02x", known, texel[0], texel[1], texel[2], texel[3]);
    }
}

/** Source: the same file, radv_get_htile_fast_clear_value() and the initial values. */
static void test_words(void)
{
    static const struct {
        uint32_t word;
        bool depth, stencil;
        float value;
    } rows[] = {
        {0xfffc000f, false, true, 1},  // plain, without stencil
        {0xfffff3ff, false, false, 1}, // plain, with stencil
        {0xfffffff0, true, false, 1},  // cleared to 1, without stencil
        {0x00000000, true, true, 0},   // to 0
        {0xfffc00f0, true, true, 1},   // to 1, stencil too
        {0xfffc03f0, true, false, 1},  // depth alone
        {0xfffc00ff, false, true, 1},  // stencil alone
        {0x800000f0, true, true, -1},  // to a half
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        char name[32] = "";
        const bool depth = lull_meta_htile_clear(LULL_META_DEPTH, rows[i].word);
        const bool stencil = lull_meta_htile_clear(LULL_META_STENCIL, rows[i].word);
        const float value = lull_meta_htile_depth(rows[i].word);
        const uint32_t plain = lull_meta_htile_plain(
            LULL_META_STENCIL, lull_meta_htile_plain(LULL_META_DEPTH, rows[i].word));
        snprintf(name, sizeof name, "word 0x%08x", rows[i].word);
        test_case(depth == rows[i].depth && stencil == rows[i].stencil && value == rows[i].value &&
                      !lull_meta_htile_clear(LULL_META_DEPTH, plain) &&
                      !lull_meta_htile_clear(LULL_META_STENCIL, plain) &&
                      (plain & 0xfffffcf0) == (rows[i].word & 0xfffffcf0),
                  name, "depth %d, stencil %d, %g, plain 0x%08x", depth, stencil, (double)value,
                  plain);
    }
}

int main(int argc, char **argv)
{
    test_vectors(argc > 1 ? argv[1] : "");
    test_none();
    test_keys();
    test_words();
    return test_end();
}
