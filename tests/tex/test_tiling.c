// SPDX-License-Identifier: MIT
/** @file
 * Offsets of elements against addrlib (addrlib.vec), and what must hold for every image: no two
 * elements in one place, none outside.
 */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "tex/tiling.h"

enum { LINE = 256, BASE_HIGH = 0x1234, TYPE_3D = 10, SEL_XYZW = 0xfac };

/** What a line says of an image. */
struct image {
    char mode[16];
    unsigned type, width, height, slices, format, levels, samples, low;
};

static unsigned mode_number(const char *name)
{
    for (unsigned i = 0; i < 32; i++) {
        if (strcmp(lull_sw_mode_name(i), name) == 0) {
            return i;
        }
    }
    return 1; // Reserved.
}

static void describe(const struct image *m, struct lull_image_desc *d)
{
    const unsigned top = m->samples > 1 ? (unsigned)__builtin_ctz(m->samples) : m->levels - 1;
    const uint64_t va = (uint64_t)BASE_HIGH << 32 | m->low;
    const uint32_t dwords[8] = {
        (uint32_t)(va >> 8),
        (uint32_t)(va >> 40) | top << 16 | m->format << 20 | (m->width - 1) << 30,
        (m->width - 1) >> 2 | (m->height - 1) << 14,
        SEL_XYZW | top << 16 | mode_number(m->mode) << 20 | m->type << 28,
        m->slices - 1,
    };
    lull_image_desc_parse(dwords, d);
}

struct tally {
    char mode[16];
    unsigned rows, bad;
    char first[LINE];
};

static void tally_end(const struct tally *t)
{
    char name[LINE] = "";
    snprintf(name, sizeof(name), "%.15s: %u offsets", t->mode, t->rows);
    test_case(t->bad == 0 && t->rows > 0, name, "%u wrong, first: %s", t->bad, t->first);
}

/** One line of addrlib.vec. */
static bool run_line(const char *line, struct image *m, char *what, size_t room)
{
    unsigned level = 0;
    unsigned x = 0;
    unsigned y = 0;
    unsigned z = 0;
    unsigned sample = 0;
    unsigned long long want = 0;
    if (sscanf(line, "%15s | %u %ux%ux%u %u %u %u | %u | %u %u %u %u %u | %llx", m->mode, &m->type,
               &m->width, &m->height, &m->slices, &m->format, &m->levels, &m->samples, &m->low,
               &level, &x, &y, &z, &sample, &want) != 15) {
        snprintf(what, room, "not understood: %.80s", line);
        return false;
    }
    struct lull_image_desc d = {0};
    struct lull_tiling t = {0};
    describe(m, &d);
    const enum lull_tex_status status = lull_tiling_prepare(&d, level, &t);
    const unsigned long long got =
        status == LULL_TEX_OK ? lull_tiling_offset(&t, x, y, z, sample) : UINT64_MAX;
    struct lull_tiling_steps steps;
    lull_tiling_steps_make(&t, &steps);
    const unsigned long long step =
        status == LULL_TEX_OK
            ? lull_tiling_step(&t, &steps, lull_tiling_offset(&t, 0, 0, z, sample), x, y)
            : UINT64_MAX;
    snprintf(what, room, "0x%llx, by steps 0x%llx, want 0x%llx (%s): %.120s", got, step, want,
             lull_tex_status_text(status), line);
    return got == want && step == want && got + t.bytes <= t.size &&
           t.base == (uint64_t)BASE_HIGH << 32;
}

static void test_vectors(const char *path)
{
    FILE *f = fopen(path, "r");
    static struct tally tallies[32];
    char line[LINE] = "";
    if (f == NULL) {
        test_case(false, "addrlib.vec", "cannot be opened");
        return;
    }
    while (fgets(line, sizeof(line), f) != NULL) {
        struct image m = {0};
        char what[LINE] = "";
        if (line[0] == '#') {
            continue;
        }
        const bool ok = run_line(line, &m, what, sizeof(what));
        struct tally *t = &tallies[mode_number(m.mode)];
        memcpy(t->mode, m.mode, sizeof(t->mode));
        t->rows++;
        if (!ok && t->bad++ == 0) {
            memcpy(t->first, what, sizeof(t->first));
        }
    }
    fclose(f);
    for (unsigned i = 0; i < TEST_ROWS(tallies); i++) {
        if (tallies[i].rows != 0) {
            tally_end(&tallies[i]);
        }
    }
}

/** Images small enough to mark every byte. Levels share the image's memory, so all of them at once.
 */
static const struct image whole[] = {
    {"LINEAR", 9, 100, 30, 1, 42, 7, 1, 0},       {"LINEAR", 13, 33, 7, 3, 1, 1, 1, 0},
    {"LINEAR", 9, 37, 5, 1, 60, 1, 1, 0},         {"LINEAR", 10, 17, 9, 5, 20, 5, 1, 0},
    {"256B_D", 13, 70, 33, 2, 14, 7, 1, 0},       {"4KB_D_X", 9, 100, 100, 1, 42, 7, 1, 0x300},
    {"64KB_R_X", 9, 300, 200, 1, 42, 9, 1, 0},    {"64KB_R_X", 13, 256, 256, 4, 1, 9, 1, 0x8f00},
    {"64KB_R_X", 8, 5000, 1, 1, 22, 13, 1, 0},    {"64KB_D_X", 9, 130, 140, 1, 63, 8, 1, 0x500},
    {"256KB_R_X", 13, 520, 300, 2, 71, 10, 1, 0}, {"256KB_D_X", 9, 64, 64, 1, 109, 7, 1, 0},
    {"4KB_S", 10, 33, 20, 17, 42, 6, 1, 0},       {"4KB_S_X", 10, 64, 64, 64, 1, 7, 1, 0x100},
    {"64KB_S_X", 10, 65, 40, 33, 57, 7, 1, 0},    {"64KB_S_T", 10, 40, 40, 40, 42, 1, 1, 0},
    {"256KB_S_X", 10, 100, 70, 65, 23, 7, 1, 0},  {"64KB_D_X", 10, 40, 40, 40, 50, 6, 1, 0},
    {"64KB_Z_X", 10, 40, 60, 7, 42, 6, 1, 0},     {"256KB_R_X", 10, 300, 20, 9, 2, 9, 1, 0x1f00},
    {"64KB_Z_X", 14, 100, 120, 1, 42, 1, 4, 0},   {"256KB_Z_X", 15, 100, 90, 3, 57, 1, 8, 0},
    {"64KB_R_X", 14, 65, 65, 1, 1, 1, 2, 0},
};

/** Mark all elements of a level. @return How many were outside or marked before. */
static unsigned long mark_level(const struct lull_image_desc *d, unsigned level, uint8_t *marks)
{
    struct lull_tiling t = {0};
    unsigned long bad = 0;
    if (lull_tiling_prepare(d, level, &t) != LULL_TEX_OK) {
        return 1;
    }
    const struct lull_extent e = lull_image_extent(d, level);
    const uint32_t w = (e.width + t.texels_x - 1) / t.texels_x;
    const uint32_t h = (e.height + t.texels_y - 1) / t.texels_y;
    const uint32_t slices = d->type == TYPE_3D ? e.depth : d->last_slice + 1;
    for (uint64_t i = 0; i < (uint64_t)w * h * slices * t.samples; i++) {
        const uint64_t at =
            lull_tiling_offset(&t, (uint32_t)(i % w), (uint32_t)(i / w % h),
                               (uint32_t)(i / w / h % slices), (uint32_t)(i / w / h / slices));
        if (at + t.bytes > t.size) {
            bad++;
            continue;
        }
        for (unsigned b = 0; b < t.bytes; b++) {
            bad += marks[at + b];
            marks[at + b] = 1;
        }
    }
    return bad;
}

static void test_whole(const struct image *m)
{
    struct lull_image_desc d = {0};
    struct lull_tiling t = {0};
    char name[LINE] = "";
    describe(m, &d);
    snprintf(name, sizeof(name), "every element of %s type %u %ux%ux%u format %u levels %u",
             m->mode, m->type, m->width, m->height, m->slices, m->format, m->levels);
    const enum lull_tex_status status = lull_tiling_prepare(&d, 0, &t);
    uint8_t *marks = status == LULL_TEX_OK ? calloc(1, t.size) : NULL;
    if (marks == NULL) {
        test_case(false, name, "%s", lull_tex_status_text(status));
        return;
    }
    unsigned long bad = 0;
    for (unsigned i = 0; i < m->levels; i++) {
        bad += mark_level(&d, i, marks);
    }
    test_case(bad == 0, name, "%lu bytes outside or twice", bad);
    free(marks);
}

struct refusal {
    const char *name;
    struct image image;
    unsigned level;
    enum lull_tex_status want;
};

static const struct refusal refusals[] = {
    {"reserved mode", {"none", 9, 4, 4, 1, 42, 1, 1, 0}, 0, LULL_TEX_MODE},
    {"standard order of 2D", {"64KB_S_X", 9, 4, 4, 1, 42, 1, 1, 0}, 0, LULL_TEX_MODE},
    {"256KB_D_X of 3D", {"256KB_D_X", 10, 4, 4, 4, 42, 1, 1, 0}, 0, LULL_TEX_MODE},
    {"12 bytes, tiled", {"64KB_R_X", 9, 4, 4, 1, 60, 1, 1, 0}, 0, LULL_TEX_MODE},
    {"samples, linear", {"LINEAR", 14, 4, 4, 1, 42, 1, 4, 0}, 0, LULL_TEX_SAMPLES},
    {"samples, display order", {"64KB_D_X", 14, 4, 4, 1, 42, 1, 4, 0}, 0, LULL_TEX_SAMPLES},
    {"level", {"LINEAR", 9, 4, 4, 1, 42, 3, 1, 0}, 3, LULL_TEX_LEVEL},
    {"type", {"LINEAR", 7, 4, 4, 1, 42, 1, 1, 0}, 0, LULL_TEX_TYPE},
    {"null", {"LINEAR", 0, 4, 4, 1, 42, 1, 1, 0}, 0, LULL_TEX_NULL},
    {"format", {"LINEAR", 9, 4, 4, 1, 100, 1, 1, 0}, 0, LULL_TEX_FORMAT},
    {"BC7", {"LINEAR", 9, 4, 4, 1, 121, 1, 1, 0}, 0, LULL_TEX_FORMAT},
};

static void test_refusal(const struct refusal *r)
{
    struct lull_image_desc d = {0};
    struct lull_tiling t = {.size = 1};
    describe(&r->image, &d);
    const enum lull_tex_status got = lull_tiling_prepare(&d, r->level, &t);
    test_case(got == r->want && t.size == 1, r->name, "%s", lull_tex_status_text(got));
}

static void test_pitch(void)
{
    const struct image m = {"LINEAR", 9, 100, 30, 512, 42, 1, 1, 0}; // DEPTH is 511: pitch 512.
    struct lull_image_desc d = {0};
    struct lull_tiling t = {0};
    describe(&m, &d);
    const enum lull_tex_status status = lull_tiling_prepare(&d, 0, &t);
    test_case(status == LULL_TEX_OK && t.row == 2048 && t.size == 2048 * 30 && d.last_slice == 0,
              "own pitch", "row %llu size %llu", (unsigned long long)t.row,
              (unsigned long long)t.size);
}

int main(int argc, char **argv)
{
    test_vectors(argc > 1 ? argv[1] : "");
    for (size_t i = 0; i < TEST_ROWS(whole); i++) {
        test_whole(&whole[i]);
    }
    for (size_t i = 0; i < TEST_ROWS(refusals); i++) {
        test_refusal(&refusals[i]);
    }
    test_pitch();
    return test_end();
}
