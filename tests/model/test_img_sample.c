// SPDX-License-Identifier: MIT
// Images with samplers. Expected values by the formulas of Vulkan 1.3, chapter "Image operations",
// with 8 bits of fraction in texel coordinates and levels.
#include <stdint.h>

#include "img_sample_rows.h"
#include "wave_fixture.h"

#include "img_fixture.h"

enum { POINT, LINEAR, OUT = 16 };
static const char *const sample_2d =
    ASM("image_sample_lz v[16:19], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D");
static const char *const sample_l_2d =
    ASM("image_sample_l v[16:19], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D");
static const struct img small = {.format = F_32_FLOAT, .type = T_2D, .width = 8, .height = 4};

static float value_at(int x, int y, int z)
{
    return (float)(1 + x * x + 7 * y + 31 * z);
}

static void fill(struct fixture *f, const struct img *i, unsigned level)
{
    const unsigned d = i->type == T_3D ? img_size(i->depth, level) : i->depth == 0 ? 1 : i->depth;
    for (unsigned z = 0; z < d; z++) {
        for (unsigned y = 0; y < img_size(i->height == 0 ? 1 : i->height, level); y++) {
            for (unsigned x = 0; x < img_size(i->width, level); x++) {
                const float v = value_at((int)x, (int)y, (int)z);
                memcpy(img_texel(f, i, level, x, y, z), &v, 4);
            }
        }
    }
}

/** A whole level of one value. */
static void flood(struct fixture *f, const struct img *i, unsigned level, float v)
{
    for (unsigned y = 0; y < img_size(i->height, level); y++) {
        for (unsigned x = 0; x < img_size(i->width, level); x++) {
            memcpy(img_texel(f, i, level, x, y, 0), &v, 4);
        }
    }
}

static void want(struct fixture *f, const char *text, const char *name, unsigned lane, float value)
{
    const enum lull_exec_result r = fix_run(f, text);
    const float got = get_f(f, OUT, lane);
    test_case(r == LULL_EXEC_NEXT && fabsf(got - value) <= 1e-5f * (1 + fabsf(value)), name,
              "%s: result %d, %g not %g", text, (int)r, (double)got, (double)value);
}

static void address(struct fixture *f, unsigned lane, unsigned n, const float *v)
{
    for (unsigned i = 0; i < n; i++) {
        put_f(f, i, lane, v[i]);
    }
}

// The wrapping operations of Vulkan's table; -1: border.
static int mirror(int a)
{
    return a >= 0 ? a : -(1 + a);
}

static int mod(int a, int b)
{
    return (a % b + b) % b;
}

static int wrapped(unsigned clamp, int i, int size)
{
    switch (clamp) {
    case 0:
        return mod(i, size);
    case 1:
        return size - 1 - mirror(mod(i, 2 * size) - size);
    case 2:
        return i < 0 ? 0 : i < size ? i : size - 1;
    case 3:
        return mirror(i) < size ? mirror(i) : size - 1;
    case 6:
        return i >= 0 && i < size ? i : -1;
    default:
        return mirror(i) < size ? mirror(i) : -1;
    }
}

static float reference_texel(const struct smp *s, int x, int y)
{
    x = wrapped(s->clamp_x, x, 8);
    y = wrapped(s->clamp_y, y, 4);
    return x < 0 || y < 0 ? 0 : value_at(x, y, 0);
}

static float reference(const struct smp *s, float u, float v)
{
    const double x = (double)u * 8, y = (double)v * 4;
    if (s->mag == POINT) {
        return reference_texel(s, (int)floor(x), (int)floor(y));
    }
    const int fx = (int)floor((x - 0.5) * 256 + 0.5), fy = (int)floor((y - 0.5) * 256 + 0.5);
    const int i = (int)floor(fx / 256.0), j = (int)floor(fy / 256.0);
    const double a = (fx - 256 * i) / 256.0, b = (fy - 256 * j) / 256.0;
    return (float)((1 - a) * (1 - b) * (double)reference_texel(s, i, j) +
                   a * (1 - b) * (double)reference_texel(s, i + 1, j) +
                   (1 - a) * b * (double)reference_texel(s, i, j + 1) +
                   a * b * (double)reference_texel(s, i + 1, j + 1));
}

static void test_wrapping(void)
{
    static const unsigned clamps[] = {0, 1, 2, 3, 6, 7};
    for (unsigned c = 0; c < 2 * TEST_ROWS(clamps); c++) {
        const struct smp s = {.clamp_x = clamps[c / 2],
                              .clamp_y = clamps[(c / 2 + 2) % 6],
                              .trunc = 1,
                              .mag = c % 2,
                              .min = c % 2};
        struct fixture *f = fix_new(64, c + 1);
        img_bind(f, &small);
        smp_bind(f, &s);
        fill(f, &small, 0);
        for (unsigned l = 0; l < 64; l++) {
            put_f(f, 0, l, (float)l * 0.081f - 2.6f);
            put_f(f, 1, l, (float)(l * 29 % 64) * 0.07f - 2.2f);
        }
        fix_run(f, sample_2d);
        unsigned l = 0;
        while (l < 64 &&
               fabsf(get_f(f, OUT, l) - reference(&s, get_f(f, 0, l), get_f(f, 1, l))) < 1e-4f) {
            l++;
        }
        char name[64];
        snprintf(name, sizeof name, "%s, CLAMP_X %u, CLAMP_Y %u", c % 2 == 0 ? "point" : "bilinear",
                 s.clamp_x, s.clamp_y);
        test_case(l == 64, name, "(%g, %g) is %g not %g", (double)get_f(f, 0, l % 64),
                  (double)get_f(f, 1, l % 64), (double)get_f(f, OUT, l % 64),
                  (double)reference(&s, get_f(f, 0, l % 64), get_f(f, 1, l % 64)));
        fix_free(f);
    }
}

static void test_coordinates(void)
{
    struct fixture *f = fix_new(32, 1);
    img_bind(f, &small);
    fill(f, &small, 0);
    smp_bind(f, &(struct smp){.trunc = 1});
    address(f, 0, 2, (float[]){2.999f / 8, 0});
    want(f, sample_2d, "TRUNC_COORD goes down", 0, value_at(2, 0, 0));
    smp_bind(f, &(struct smp){0});
    want(f, sample_2d, "without, to the nearest of 256", 0, value_at(3, 0, 0));
    smp_bind(f, &(struct smp){.unnorm = 1, .trunc = 1, .clamp_x = 2, .clamp_y = 2});
    address(f, 0, 2, (float[]){5.25f, 2.75f});
    want(f, sample_2d, "unnormalised", 0, value_at(5, 2, 0));
    smp_bind(f, &(struct smp){.trunc = 1, .clamp_x = 2, .clamp_y = 2});
    want(
        f,
        ASM("image_sample_lz v[16:19], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm"),
        "unnormalised by the instruction", 0, value_at(5, 2, 0));
    fix_v(f, 0)[0] = 0x3800 << 16 | 0x3600; // 0.5, 0.375
    want(f, ASM("image_sample_lz v[16:19], v0, s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D a16"),
         "A16", 0, value_at(3, 2, 0));
    address(f, 0, 2, (float[]){NAN, INFINITY});
    want(f, sample_2d, "NaN is 0, infinity at the edge", 0, value_at(0, 3, 0));
    address(f, 0, 3, (float[]){0, 0.5f, 0.5f});
    fix_v(f, 0)[0] = 0x3f | 2 << 8; // -1, 2
    want(f, ASM("image_sample_lz_o v[16:19], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
         "offsets", 0, value_at(3, 3, 0)); // y = 4 is clamped.
    smp_bind(f, &(struct smp){
                    .mag = LINEAR, .min = LINEAR, .clamp_x = 4, .clamp_y = 2, .border_type = 2});
    address(f, 0, 2, (float[]){-3, 0.125f});
    want(f, sample_2d, "clamp half border: half of it at most", 0, (value_at(0, 0, 0) + 1) / 2);
    smp_bind(f, &(struct smp){.trunc = 1});
    f->w.sgpr[LULL_RDNA_EXEC] = 2;
    fill_reg(f, OUT, 99);
    fix_run(f, sample_2d);
    test_case(fix_v(f, OUT)[0] == 99 && fix_v(f, OUT)[1] != 99, "EXEC", "%x", fix_v(f, OUT)[0]);
    fix_free(f);
}

static const struct img chain = {
    .format = F_32_FLOAT, .type = T_2D, .width = 32, .height = 32, .levels = 6, .last = 5};

static const struct {
    const char *name;
    struct smp s;
    unsigned base, last, min_lod;
    float lod, want;
} lods[] = {
    {"lod 1.5, linear", {.mip = 2}, 0, 5, 0, 1.5f, 15},
    {"lod 2.25, linear", {.mip = 2}, 0, 5, 0, 2.25f, 22.5f},
    {"lod has 8 bits of fraction", {.mip = 2}, 0, 5, 0, 1 + 1.4f / 256, 10 + 10 / 256.0f},
    {"lod 1.4, point", {.mip = 1}, 0, 5, 0, 1.4f, 10},
    {"lod 1.6, point", {.mip = 1}, 0, 5, 0, 1.6f, 20},
    {"no mip filter", {0}, 0, 5, 0, 3, 0},
    {"lod beyond the last", {.mip = 2}, 0, 5, 0, 9, 50},
    {"lod below 0", {.mip = 2}, 0, 5, 0, -9, 0},
    {"MIN_LOD", {.mip = 2, .min_lod = 3 << 8}, 0, 5, 0, 1, 30},
    {"MAX_LOD", {.mip = 2, .max_lod = 2 << 8 | 128}, 0, 5, 0, 4, 25},
    {"LOD_BIAS", {.mip = 2, .bias = 256}, 0, 5, 0, 1.5f, 25},
    {"LOD_BIAS below 0", {.mip = 2, .bias = -128}, 0, 5, 0, 1.5f, 10},
    {"base level of the view", {.mip = 2}, 2, 4, 0, 1, 30},
    {"last level of the view", {.mip = 2}, 2, 4, 0, 5, 40},
    {"MIN_LOD of the image counts from the resource", {.mip = 2}, 1, 5, 3 << 8, 0, 30},
};

static void test_lods(void)
{
    for (unsigned i = 0; i < TEST_ROWS(lods); i++) {
        struct fixture *f = fix_new(32, 1);
        struct img img = chain;
        for (unsigned level = 0; level < 6; level++) {
            flood(f, &img, level, 10 * (float)level);
        }
        img.base = lods[i].base;
        img.last = lods[i].last;
        img.min_lod = lods[i].min_lod;
        img_bind(f, &img);
        smp_bind(f, &lods[i].s);
        address(f, 3, 3, (float[]){0.5f, 0.5f, lods[i].lod});
        want(f, sample_l_2d, lods[i].name, 3, lods[i].want);
        fix_free(f);
    }
}

// Levels as above, mip filter linear: what level each form computes.
static const struct {
    const char *name, *text;
    struct smp s;
    uint32_t first; // Of v0, as bits, before the floats.
    bool has_first;
    float rest[9];
    float want;
} forms[] = {
    {"gradients of 4 and 2 texels",
     ASM("image_sample_d v[16:19], v[0:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
     {.mip = 2},
     0,
     false,
     {0.125f, 0, 0, 0.0625f, 0.5f, 0.5f},
     20},
    {"the vertical one is longer",
     "image_sample_d v[16:19], v[0:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
     {.mip = 2},
     0,
     false,
     {0.0625f, 0, 0, 0.25f, 0.5f, 0.5f},
     30},
    {"length of a gradient",
     "image_sample_d v[16:19], v[0:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
     {.mip = 2},
     0,
     false,
     {3 / 32.0f, 4 / 32.0f, 0, 0, 0.5f, 0.5f},
     10 * 594 / 256.0f},
    {"gradients of 0",
     "image_sample_d v[16:19], v[0:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
     {.mip = 2},
     0,
     false,
     {0, 0, 0, 0, 0.5f, 0.5f},
     0},
    {"_d_cl raises the level",
     ASM("image_sample_d_cl v[16:19], v[0:6], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
     {.mip = 2},
     0,
     false,
     {0.125f, 0, 0, 0, 0.5f, 0.5f, 3.5f},
     35},
    {"_d_cl below",
     "image_sample_d_cl v[16:19], v[0:6], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
     {.mip = 2},
     0,
     false,
     {0.125f, 0, 0, 0, 0.5f, 0.5f, 1},
     20},
    {"_l_o",
     ASM("image_sample_l_o v[16:19], v[0:3], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
     {.mip = 2},
     0x0101,
     true,
     {0.5f, 0.5f, 2.5f},
     25},
    {"_d_o",
     ASM("image_sample_d_o v16, v[0:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
     {.mip = 2},
     0,
     true,
     {0.125f, 0, 0, 0, 0.5f, 0.5f},
     20},
    {"_d_g16",
     ASM("image_sample_d_g16 v[16:19], v[0:3], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
     {.mip = 2},
     0x3000,
     true,
     {0, 0.5f, 0.5f},
     20},
    {"_b in a quad of equal lanes",
     ASM("image_sample_b v[16:19], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
     {.mip = 2, .min_lod = 0},
     0x43000000,
     true,
     {0.5f, 0.5f},
     0},
    {"anisotropic: level of the shorter",
     "image_sample_d v[16:19], v[0:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
     {.mip = 2, .max_aniso = 4, .mag = 3, .min = 3},
     0,
     false,
     {0.25f, 0, 0, 0.0625f, 0.5f, 0.5f},
     10},
    {"anisotropic, 2:1 at most",
     "image_sample_d v[16:19], v[0:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
     {.mip = 2, .max_aniso = 1, .mag = 3, .min = 3},
     0,
     false,
     {0.25f, 0, 0, 0.0625f, 0.5f, 0.5f},
     20},
};

static void test_forms(void)
{
    for (unsigned i = 0; i < TEST_ROWS(forms); i++) {
        struct fixture *f = fix_new(32, 1);
        for (unsigned level = 0; level < 6; level++) {
            flood(f, &chain, level, 10 * (float)level);
        }
        img_bind(f, &chain);
        smp_bind(f, &forms[i].s);
        for (unsigned l = 0; l < 32; l++) {
            fix_v(f, 0)[l] = forms[i].first;
            for (unsigned k = 0; k < 9; k++) {
                put_f(f, k + forms[i].has_first, l, forms[i].rest[k]);
            }
        }
        want(f, forms[i].text, forms[i].name, 9, forms[i].want);
        fix_free(f);
    }
}

static void test_quads(void)
{
    struct fixture *f = fix_new(32, 1);
    for (unsigned level = 0; level < 6; level++) {
        flood(f, &chain, level, 10 * (float)level);
    }
    img_bind(f, &chain);
    smp_bind(f, &(struct smp){.mip = 2});
    for (unsigned l = 0; l < 32; l++) { // Quads 8 texels wide and 2 high.
        address(f, l, 2, (float[]){(float)(l & 1) * 0.25f, (float)(l >> 1 & 1) * 0.0625f});
        put_f(f, 2, l, 0.25f);
    }
    want(f, ASM("image_sample v[16:19], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
         "level from the quad", 7, 30);
    want(f, ASM("image_get_lod v[16:17], v[0:1], s[0:7], s[8:11] dmask:0x3 dim:SQ_RSRC_IMG_2D"),
         "image_get_lod", 7, 3);
    smp_bind(f, &(struct smp){.mip = 2, .max_lod = 2 << 8});
    want(f, "image_get_lod v[16:17], v[0:1], s[0:7], s[8:11] dmask:0x3 dim:SQ_RSRC_IMG_2D",
         "image_get_lod, clamped", 7, 2);
    test_case(fabsf(get_f(f, OUT + 1, 7) - 3) < 1e-6f, "and not clamped", "%g",
              (double)get_f(f, OUT + 1, 7));
    smp_bind(f, &(struct smp){.mip = 2});
    want(f, ASM("image_sample_cl v[16:19], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
         "image_sample_cl below the level", 7, 30);
    fix_free(f);
}

static void test_filters_by_level(void)
{
    struct fixture *f = fix_new(32, 1);
    fill(f, &small, 0);
    img_bind(f, &small);
    smp_bind(f, &(struct smp){.mag = LINEAR, .min = POINT, .trunc = 1, .mip = 1});
    address(f, 0, 3, (float[]){3 / 8.0f, 0.125f, 0});
    want(f, sample_l_2d, "level 0: MAG_FILTER", 0, (value_at(2, 0, 0) + value_at(3, 0, 0)) / 2);
    put_f(f, 2, 0, 0.25f);
    want(f, sample_l_2d, "level above 0: MIN_FILTER", 0, value_at(3, 0, 0));
    smp_bind(f, &(struct smp){.mag = LINEAR, .mode = 1});
    put_f(f, 2, 0, 0);
    want(f, sample_l_2d, "minimum", 0, value_at(2, 0, 0));
    smp_bind(f, &(struct smp){.mag = LINEAR, .mode = 2});
    want(f, sample_l_2d, "maximum", 0, value_at(3, 0, 0));
    put_f(f, 0, 0, 2.5f / 8);
    want(f, sample_l_2d, "maximum without texels of weight 0", 0, value_at(2, 0, 0));
    fix_free(f);
}

static void test_3d_and_arrays(void)
{
    struct fixture *f = fix_new(32, 1);
    const struct img solid = {
        .format = F_32_FLOAT, .type = T_3D, .width = 8, .height = 4, .depth = 4};
    fill(f, &solid, 0);
    img_bind(f, &solid);
    smp_bind(f, &(struct smp){.mag = LINEAR});
    address(f, 0, 3, (float[]){2.5f / 8, 1.5f / 4, 2 / 4.0f});
    const char *text =
        ASM("image_sample_lz v[16:19], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_3D");
    want(f, text, "3D, linear", 0, (value_at(2, 1, 1) + value_at(2, 1, 2)) / 2);
    smp_bind(f, &(struct smp){.mag = LINEAR, .z = 1});
    want(f, text, "3D, Z_FILTER point", 0, value_at(2, 1, 2));
    const struct img array = {
        .format = F_32_FLOAT, .type = T_2D_ARRAY, .width = 8, .height = 4, .depth = 4};
    fill(f, &array, 0);
    img_bind(f, &array);
    smp_bind(f, &(struct smp){.trunc = 1});
    static const struct {
        float slice;
        int want;
    } rows[] = {{0.49f, 0}, {0.5f, 0}, {1.5f, 2}, {2.5f, 2}, {2.51f, 3}, {9, 3}, {-1, 0}, {NAN, 0}};
    for (unsigned l = 0; l < TEST_ROWS(rows); l++) {
        address(f, l, 3, (float[]){2.5f / 8, 1.5f / 4, rows[l].slice});
    }
    for (unsigned l = 0; l < TEST_ROWS(rows); l++) {
        want(f,
             ASM("image_sample_lz v16, v[0:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY"),
             "slice to nearest even, clamped", l, value_at(2, 1, rows[l].want));
    }
    const struct img line = {.format = F_32_FLOAT, .type = T_1D_ARRAY, .width = 8, .depth = 4};
    fill(f, &line, 0);
    img_bind(f, &line);
    smp_bind(f, &(struct smp){.mag = LINEAR});
    address(f, 0, 2, (float[]){2 / 8.0f, 3});
    want(
        f,
        ASM("image_sample_lz v[16:19], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_1D_ARRAY"),
        "1D array, linear", 0, (value_at(1, 0, 3) + value_at(2, 0, 3)) / 2);
    fix_free(f);
}

// Vulkan's table "Cube map face and coordinate selection": sc, tc by axis and sign.
static int face_of(const double r[3], double *s, double *t)
{
    const double x = fabs(r[0]), y = fabs(r[1]), z = fabs(r[2]);
    double sc = 0, tc = 0, ma = z;
    int face = 0;
    if (x > y && x > z) {
        face = r[0] > 0 ? 0 : 1;
        sc = r[0] > 0 ? -r[2] : r[2];
        tc = -r[1];
        ma = x;
    } else if (y > z) {
        face = r[1] > 0 ? 2 : 3;
        sc = r[0];
        tc = r[1] > 0 ? r[2] : -r[2];
        ma = y;
    } else {
        face = r[2] > 0 ? 4 : 5;
        sc = r[2] > 0 ? r[0] : -r[0];
        tc = -r[1];
    }
    *s = sc / ma / 2 + 0.5;
    *t = tc / ma / 2 + 0.5;
    return face;
}

/** Direction of (s, t), perhaps beyond 0 to 1, in the plane of a face. */
static void direction(int face, double s, double t, double r[3])
{
    const double sc = 2 * s - 1, tc = 2 * t - 1;
    const double rows[6][3] = {{1, -tc, -sc}, {-1, -tc, sc}, {sc, 1, tc},
                               {sc, -1, -tc}, {sc, -tc, 1},  {-sc, -tc, -1}};
    memcpy(r, rows[face], sizeof rows[face]);
}

static float cube_value(int face, double s, double t)
{
    double r[3] = {0}, a = 0, b = 0;
    direction(face, s, t, r);
    const int f = face_of(r, &a, &b);
    return value_at((int)floor(a * 4), (int)floor(b * 4), f);
}

static void test_cube(void)
{
    struct fixture *f = fix_new(32, 1);
    const struct img cube = {
        .format = F_32_FLOAT, .type = T_CUBE, .width = 4, .height = 4, .depth = 12};
    fill(f, &cube, 0);
    img_bind(f, &cube);
    const char *text =
        ASM("image_sample_lz v[16:19], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_CUBE");
    smp_bind(f, &(struct smp){.trunc = 1});
    address(f, 0, 3, (float[]){1 + 3.5f / 4, 1 + 1.5f / 4, 8 + 5});
    want(f, text, "cube: s and t from 1 to 2, 8 * layer + face", 0, value_at(3, 1, 11));
    address(f, 0, 3, (float[]){1 + 3.5f / 4, 1 + 1.5f / 4, 8 * -2 + 3});
    want(f, text, "cube: layers below 0 keep the face", 0, value_at(3, 1, 3));
    address(f, 0, 3, (float[]){1 + 3.5f / 4, 1 + 1.5f / 4, 8 * 9 + 3});
    want(f, text, "cube: layers beyond the last", 0, value_at(3, 1, 9));
    smp_bind(f, &(struct smp){.mag = LINEAR, .clamp_x = 2, .clamp_y = 2});
    for (int face = 0; face < 6; face++) {
        for (int side = 0; side < 4; side++) {
            for (int k = 0; k < 4; k++) {
                const double across = side % 2 == 0 ? 0 : 1, along = (k + 0.5) / 4;
                const double out = side % 2 == 0 ? -0.05 : 1.05, in = side % 2 == 0 ? 0.1 : 0.9;
                const bool x = side < 2;
                address(f, 0, 3,
                        (float[]){1 + (float)(x ? across : along), 1 + (float)(x ? along : across),
                                  (float)face});
                const float expected = (cube_value(face, x ? in : along, x ? along : in) +
                                        cube_value(face, x ? out : along, x ? along : out)) /
                                       2;
                fix_run(f, text);
                if (fabsf(get_f(f, OUT, 0) - expected) > 1e-4f || (k == 3 && side == 3)) {
                    test_case(fabsf(get_f(f, OUT, 0) - expected) <= 1e-4f,
                              "cube: seamless edges of a face",
                              "face %d side %d texel %d: %g not %g", face, side, k,
                              (double)get_f(f, OUT, 0), (double)expected);
                }
            }
        }
    }
    address(f, 0, 3, (float[]){1, 1, 4}); // +Z, up left: -X and +Y meet.
    const float corner =
        (value_at(0, 0, 4) + cube_value(4, -0.05, 0.05) + cube_value(4, 0.05, -0.05)) / 3;
    want(f, text, "cube: a corner is the mean of three", 0, corner);
    smp_bind(f, &(struct smp){.mag = LINEAR, .clamp_x = 2, .clamp_y = 2, .no_cube_wrap = 1});
    want(f, text, "cube: DISABLE_CUBE_WRAP", 0, value_at(0, 0, 4));
    smp_bind(f, &(struct smp){.mag = LINEAR});
    address(f, 0, 3, (float[]){3e38f, 1.5f, 4});
    test_case(fix_run(f, text) == LULL_EXEC_NEXT, "cube: far beyond an edge", " ");
    struct img face = cube;
    face.depth = 1;
    img_bind(f, &face);
    address(f, 0, 3, (float[]){1.5f, 1.5f, 4});
    want(f, text, "cube: a face that the view does not have", 0, 0);
    fix_free(f);
}

static void test_gather(void)
{
    struct fixture *f = fix_new(32, 1);
    fill(f, &small, 0);
    img_bind(f, &small);
    smp_bind(f, &(struct smp){.trunc = 1});
    address(f, 0, 2, (float[]){3 / 8.0f, 2 / 4.0f});
    const float four[4] = {value_at(2, 2, 0), value_at(3, 2, 0), value_at(3, 1, 0),
                           value_at(2, 1, 0)};
    fix_run(f,
            ASM("image_gather4_lz v[16:19], v[0:1], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"));
    unsigned k = 0;
    while (k < 4 && fabsf(get_f(f, OUT + k, 0) - four[k]) < 1e-6f) {
        k++;
    }
    test_case(k == 4, "gather: from lower left against the clock", "%u is %g", k,
              (double)get_f(f, OUT + k % 4, 0));
    want(f, ASM("image_gather4_lz v[16:19], v[0:1], s[0:7], s[8:11] dmask:0x8 dim:SQ_RSRC_IMG_2D"),
         "gather of W", 0, 1);
    put_f(f, 2, 0, 2 / 4.0f);
    put_f(f, 1, 0, 3 / 8.0f);
    fix_v(f, 0)[0] = 1 | 0x3f << 8;
    want(f,
         ASM("image_gather4_lz_o v[16:19], v[0:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
         "gather with offsets", 0, value_at(3, 1, 0));
    smp_bind(f, &(struct smp){.trunc = 1, .compare = 1});
    put_f(f, 0, 0, value_at(2, 1, 0));
    fix_run(
        f,
        ASM("image_gather4_c_lz v[16:19], v[0:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"));
    test_case(get_f(f, OUT, 0) > 0.5f && get_f(f, OUT + 2, 0) > 0.5f && get_f(f, OUT + 3, 0) < 0.5f,
              "gather with comparison: less", "%g %g %g", (double)get_f(f, OUT, 0),
              (double)get_f(f, OUT + 2, 0), (double)get_f(f, OUT + 3, 0));
    struct img ints = small;
    ints.format = F_32_UINT;
    img_bind(f, &ints);
    address(f, 0, 2, (float[]){3 / 8.0f, 2 / 4.0f});
    fix_run(f, "image_gather4_lz v[16:19], v[0:1], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D");
    test_case(fabsf(get_f(f, OUT + 1, 0) - four[1]) < 1e-6f, "gather of integers", "%x",
              fix_v(f, OUT)[0]);
    fix_free(f);
}

static void test_compare(void)
{
    static const struct {
        unsigned func;
        bool want[3]; // Reference below, equal, above the texel.
    } rows[] = {{0, {0, 0, 0}}, {1, {1, 0, 0}}, {2, {0, 1, 0}}, {3, {1, 1, 0}},
                {4, {0, 0, 1}}, {5, {1, 0, 1}}, {6, {0, 1, 1}}, {7, {1, 1, 1}}};
    struct fixture *f = fix_new(32, 1);
    struct img d16 = {.format = F_16_UNORM, .type = T_2D, .width = 8, .height = 4};
    const float texel = value_at(2, 1, 0);
    fill(f, &small, 0);
    img_bind(f, &small);
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        smp_bind(f, &(struct smp){.trunc = 1, .compare = rows[i].func});
        for (unsigned k = 0; k < 3; k++) {
            address(f, k, 3, (float[]){texel + (float)k - 1, 2.5f / 8, 1.5f / 4});
        }
        fix_run(f,
                ASM("image_sample_c_lz v16, v[0:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"));
        unsigned k = 0;
        while (k < 3 && (get_f(f, OUT, k) > 0.5f) == rows[i].want[k]) {
            k++;
        }
        test_case(k == 3, "DEPTH_COMPARE_FUNC", "function %u, reference %u", rows[i].func, k);
    }
    smp_bind(f, &(struct smp){.mag = LINEAR, .compare = 1});
    address(f, 0, 3, (float[]){texel, 3 / 8.0f, 1.5f / 4});
    want(f, "image_sample_c_lz v16, v[0:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D",
         "filter of comparisons", 0, 0.5f);
    img_bind(f, &d16);
    smp_bind(f, &(struct smp){.trunc = 1, .compare = 2});
    memset(img_texel(f, &d16, 0, 2, 1, 0), 0xff, 2);
    address(f, 0, 3, (float[]){7, 2.5f / 8, 1.5f / 4});
    want(f, "image_sample_c_lz v16, v[0:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D",
         "reference clamped for UNORM", 0, 1);
    fix_free(f);
}

static uint64_t border_table(struct lull_wave *w)
{
    (void)w;
    return FIX_VA + 0x8000;
}

static void test_border(void)
{
    static const struct {
        const char *name;
        unsigned format, type, swizzle, dst_sel;
        uint32_t want[4];
    } rows[] = {
        {"border: transparent black", F_8888_UNORM, 0, 0, 0, {0, 0, 0, 0}},
        {"border: opaque black", F_8888_UNORM, 1, 0, 0, {0, 0, 0, 0x3f800000}},
        {"border: white", F_8888_UNORM, 2, 0, 0, {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000}},
        {"border: white of integers", F_8888_UINT, 2, 0, 0, {1, 1, 1, 1}},
        {"border: from the table", F_8888_UNORM, 3, 0, 0, {0x3e800000, 2, 3, 4}},
        {"border: BC_SWIZZLE and DST_SEL ZYXW",
         F_8888_UINT,
         3,
         4,
         07 << 9 | 04 << 6 | 05 << 3 | 06,
         {0x3e800000, 2, 3, 4}},
        {"border: BC_SWIZZLE XWYZ", F_8888_UINT, 3, 1, 0, {0x3e800000, 4, 2, 3}},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct fixture *f = fix_new(32, 1);
        const struct img img = {.format = rows[i].format,
                                .type = T_2D,
                                .width = 8,
                                .height = 4,
                                .bc_swizzle = rows[i].swizzle,
                                .dst_sel = rows[i].dst_sel};
        static const uint32_t color[4] = {0x3e800000, 2, 3, 4};
        memcpy(fix_at(f, 0x8000 + 16 * 5), color, 16);
        f->host.border_colors = border_table;
        img_bind(f, &img);
        smp_bind(f, &(struct smp){
                        .clamp_x = 6, .clamp_y = 6, .border_type = rows[i].type, .border_ptr = 5});
        address(f, 0, 2, (float[]){-0.5f, 0.5f});
        fix_run(f, sample_2d);
        unsigned k = 0;
        // Samples flush denormals of floats.
        const bool is_float = rows[i].format == F_8888_UNORM && rows[i].type == 3;
        while (k < 4 && fix_v(f, OUT + k)[0] == (is_float && k > 0 ? 0 : rows[i].want[k])) {
            k++;
        }
        test_case(k == 4, rows[i].name, "component %u is %x", k, fix_v(f, OUT + k % 4)[0]);
        fix_free(f);
    }
}

static void test_conversions(void)
{
    struct fixture *f = fix_new(32, 1);
    const struct img srgb = {.format = F_8888_SRGB, .type = T_2D, .width = 8, .height = 4};
    img_bind(f, &srgb);
    memset(img_texel(f, &srgb, 0, 1, 0, 0), 0xff, 4);
    memset(img_texel(f, &srgb, 0, 2, 0, 0), 0x80, 4);
    smp_bind(f, &(struct smp){.mag = LINEAR});
    address(f, 0, 2, (float[]){1 / 8.0f, 0.125f});
    want(f, sample_2d, "sRGB is filtered as linear", 0, 0.5f);
    put_f(f, 0, 0, 2.5f / 8);
    want(f, sample_2d, "sRGB 0x80", 0, powf((128 / 255.0f + 0.055f) / 1.055f, 2.4f));
    smp_bind(f, &(struct smp){.mag = LINEAR, .skip_degamma = 1});
    want(f, sample_2d, "SKIP_DEGAMMA", 0, 128 / 255.0f);
    smp_bind(f, &(struct smp){.trunc = 1});
    fix_run(
        f,
        ASM("image_sample_lz v[16:17], v[0:1], s[0:7], s[8:11] dmask:0xe dim:SQ_RSRC_IMG_2D d16"));
    test_case((fix_v(f, OUT + 1)[0] & 0xffff) == 0x3804, "D16: 128/255 as a half towards 0", "%x",
              fix_v(f, OUT + 1)[0]);
    const struct img ints = {.format = F_8888_SINT, .type = T_2D, .width = 8, .height = 4};
    img_bind(f, &ints);
    fix_run(f, sample_2d);
    test_case(fix_v(f, OUT)[0] == 0xffffff80 && fix_v(f, OUT + 3)[0] == 0xffffff80, "integers",
              "%x", fix_v(f, OUT)[0]);
    fix_free(f);
}

/** Four bytes of UNORM, as whole texels and filtered. */
static void test_bytes(void)
{
    const struct img bytes = {.format = F_8888_UNORM, .type = T_2D, .width = 8, .height = 4};
    const uint8_t texel[4] = {51, 102, 153, 255};
    struct fixture *f = fix_new(32, 1);
    img_bind(f, &bytes);
    memset(img_texel(f, &bytes, 0, 0, 0, 0), 0, 8);
    memcpy(img_texel(f, &bytes, 0, 1, 0, 0), texel, sizeof texel);
    smp_bind(f, &(struct smp){.trunc = 1});
    address(f, 0, 2, (float[]){1.5f / 8, 0.125f});
    want(f, sample_2d, "a texel of bytes", 0, 0.2f);
    smp_bind(f, &(struct smp){.mag = LINEAR, .min = LINEAR});
    put_f(f, 0, 0, 1 / 8.0f);
    want(f, sample_2d, "bytes are filtered", 0, 0.1f);
    fix_free(f);
}

int main(void)
{
    test_bytes();
    test_wrapping();
    test_coordinates();
    test_lods();
    test_forms();
    test_quads();
    test_filters_by_level();
    test_3d_and_arrays();
    test_cube();
    test_gather();
    test_compare();
    test_border();
    test_conversions();
    return test_end();
}
