// SPDX-License-Identifier: MIT
// Images without samplers: loads, sizes, faults; operands of all kinds.
#include <stdint.h>

#include "img_load_rows.h"
#include "wave_fixture.h"

#include "img_fixture.h"
#include "isa/rdna/ops.h"

static const struct img plain = {.format = F_32_UINT, .type = T_2D, .width = 64, .height = 8};

static uint32_t texel_value(unsigned level, unsigned x, unsigned y, unsigned z)
{
    return 0x80000000u | level << 24 | z << 16 | y << 8 | x;
}

/** Texels of 4 bytes get texel_value() in all levels and slices. */
static void fill(struct fixture *f, const struct img *i)
{
    for (unsigned level = 0; level < (i->levels == 0 ? 1 : i->levels); level++) {
        const unsigned d = i->type == T_3D ? img_size(i->depth, level)
                           : i->depth == 0 ? 1
                                           : i->depth;
        for (unsigned z = 0; z < d; z++) {
            for (unsigned y = 0; y < img_size(i->height == 0 ? 1 : i->height, level); y++) {
                for (unsigned x = 0; x < img_size(i->width, level); x++) {
                    const uint32_t v = texel_value(level, x, y, z);
                    memcpy(img_texel(f, i, level, x, y, z), &v, 4);
                }
            }
        }
    }
}

static void want(struct fixture *f, const char *text, const char *name, unsigned reg, unsigned lane,
                 uint32_t value)
{
    const enum lull_exec_result r = fix_run(f, text);
    const uint32_t got = fix_v(f, reg)[lane];
    test_case(r == LULL_EXEC_NEXT && got == value, name, "%s: result %d, %08x not %08x", text,
              (int)r, got, value);
}

// Rows of 256 bytes: linear, as in the guide; no library between the test and the bytes.
static void test_linear(void)
{
    struct fixture *f = fix_new(32, 1);
    img_bind(f, &plain);
    for (uint32_t i = 0; i < 8 * 256; i += 4) {
        memcpy(fix_at(f, i), &i, 4);
    }
    for (unsigned l = 0; l < 32; l++) {
        img_set(f, l, 2, (uint32_t[]){2 * l, l % 8});
    }
    fix_run(f, ASM("image_load v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"));
    unsigned l = 0;
    while (l < 32 && fix_v(f, 8)[l] == l % 8 * 256 + 8 * l) {
        l++;
    }
    test_case(l == 32, "image_load of a linear image", "lane %u: %x", l, fix_v(f, 8)[l % 32]);
    fix_free(f);
}

static const uint32_t outside[][2] = {
    {64, 0}, {0, 8}, {UINT32_MAX, 0}, {0, UINT32_MAX}, {0x10000, 0}};

static void test_bounds(void)
{
    struct fixture *f = fix_new(32, 1);
    struct img i = plain;
    i.dst_sel = X001; // Z Y X W: X 0 0 1
    img_bind(f, &i);
    fill(f, &i);
    for (unsigned l = 0; l < TEST_ROWS(outside); l++) {
        img_set(f, l, 2, outside[l]);
    }
    img_set(f, 31, 2, (uint32_t[]){63, 7});
    fix_run(f, ASM("image_load v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"));
    for (unsigned l = 0; l < TEST_ROWS(outside); l++) {
        test_case(fix_v(f, 8)[l] == 0 && fix_v(f, 9)[l] == 0 && fix_v(f, 11)[l] == 1,
                  "load outside: 0 0 0 1 by DST_SEL", "lane %u: %x %x", l, fix_v(f, 8)[l],
                  fix_v(f, 11)[l]);
    }
    test_case(fix_v(f, 8)[31] == texel_value(0, 63, 7, 0), "last texel", "%x", fix_v(f, 8)[31]);
    fill_reg(f, 8, 77);
    fix_run(f, ASM("image_store v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"));
    uint32_t got[3] = {0};
    memcpy(&got[0], img_texel(f, &i, 0, 63, 7, 0), 4);
    memcpy(&got[1], img_texel(f, &i, 0, 0, 1, 0), 4);
    memcpy(&got[2], fix_at(f, 8 * 256), 4);
    test_case(got[0] == 77 && got[1] == texel_value(0, 0, 1, 0) && got[2] == 0,
              "stores outside are dropped", "%x %x %x", got[0], got[1], got[2]);
    memset(f->w.sgpr, 0, 32);
    want(f, ASM("image_load v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"),
         "a descriptor of zeros loads 0", 11, 31, 0);
    test_case(fix_run(f, "image_store v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D") ==
                  LULL_EXEC_NEXT,
              "and stores nothing", " ");
    fix_free(f);
}

static void test_exec_and_operands(void)
{
    struct fixture *f = fix_new(64, 1);
    img_bind(f, &plain);
    fill(f, &plain);
    fill_reg(f, 8, 5);
    img_set(f, 3, 2, (uint32_t[]){9, 4});
    img_set(f, 40, 2, (uint32_t[]){10, 4});
    f->w.sgpr[LULL_RDNA_EXEC] = 1u << 3;
    f->w.sgpr[LULL_RDNA_EXEC + 1] = 1u << 8;
    fix_run(f, "image_load v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D");
    test_case(fix_v(f, 8)[3] == texel_value(0, 9, 4, 0) &&
                  fix_v(f, 8)[40] == texel_value(0, 10, 4, 0) && fix_v(f, 8)[4] == 5 &&
                  fix_v(f, 8)[0] == 5,
              "EXEC of wave64", "%x %x", fix_v(f, 8)[3], fix_v(f, 8)[4]);
    fix_v(f, 12)[3] = 11;
    fix_v(f, 6)[3] = 2;
    want(f, ASM("image_load v8, [v12, v6], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"), "NSA", 8, 3,
         texel_value(0, 11, 2, 0));
    fix_v(f, 0)[3] = 3 << 16 | 12;
    want(f, ASM("image_load v8, v0, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D a16"), "A16", 8, 3,
         texel_value(0, 12, 3, 0));
    fix_v(f, 9)[3] = 99;
    want(f, ASM("image_load v[8:9], v0, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D a16 tfe"),
         "TFE: resident", 9, 3, 0);
    test_case(fix_v(f, 9)[2] == 0, "TFE of an inactive lane", "%x", fix_v(f, 9)[2]);
    f->w.nvgprs = 9;
    test_case(fix_run(f, "image_load v[8:9], v0, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D a16 tfe") ==
                  LULL_EXEC_ILLEGAL,
              "a register that the wave does not have", " ");
    fix_free(f);
}

static const struct {
    const char *name, *text;
    struct img img;
    uint32_t address[4];
    uint32_t want;
} shapes[] = {
    {"1D",
     ASM("image_load v8, v0, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D"),
     {.format = F_32_UINT, .type = T_1D, .width = 100},
     {99},
     0x80000063},
    {"1D array",
     ASM("image_load v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D_ARRAY"),
     {.format = F_32_UINT, .type = T_1D_ARRAY, .width = 64, .depth = 4},
     {5, 3},
     0x80030005},
    {"1D array, slice outside",
     "image_load v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D_ARRAY",
     {.format = F_32_UINT, .type = T_1D_ARRAY, .width = 64, .depth = 4},
     {5, 4},
     0},
    {"2D array",
     ASM("image_load v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY"),
     {.format = F_32_UINT, .type = T_2D_ARRAY, .width = 64, .height = 4, .depth = 4},
     {5, 2, 3},
     0x80030205},
    {"view of slices",
     "image_load v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY",
     {.format = F_32_UINT,
      .type = T_2D_ARRAY,
      .width = 64,
      .height = 4,
      .depth = 4,
      .first_slice = 2},
     {5, 2, 1},
     0x80030205},
    {"beyond the view",
     "image_load v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY",
     {.format = F_32_UINT,
      .type = T_2D_ARRAY,
      .width = 64,
      .height = 4,
      .depth = 4,
      .first_slice = 2},
     {5, 2, 2},
     0},
    {"one slice of an array",
     "image_load v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
     {.format = F_32_UINT,
      .type = T_2D_ARRAY,
      .width = 64,
      .height = 4,
      .depth = 2,
      .first_slice = 1},
     {6, 1, 9},
     0x80010106},
    {"cube: 6 * slice + face",
     ASM("image_load v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_CUBE"),
     {.format = F_32_UINT, .type = T_CUBE, .width = 16, .height = 16, .depth = 12},
     {5, 2, 8},
     0x80080205},
    {"3D",
     ASM("image_load v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_3D"),
     {.format = F_32_UINT, .type = T_3D, .width = 16, .height = 8, .depth = 8},
     {5, 2, 7},
     0x80070205},
    {"3D, outside",
     "image_load v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_3D",
     {.format = F_32_UINT, .type = T_3D, .width = 16, .height = 8, .depth = 8},
     {5, 2, 8},
     0},
    {"level",
     ASM("image_load_mip v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
     {.format = F_32_UINT, .type = T_2D, .width = 64, .height = 16, .levels = 4, .last = 3},
     {7, 1, 3},
     0x83000107},
    {"level of a view",
     "image_load_mip v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
     {.format = F_32_UINT,
      .type = T_2D,
      .width = 64,
      .height = 16,
      .levels = 4,
      .base = 1,
      .last = 2},
     {7, 1, 1},
     0x82000107},
    {"no such level",
     "image_load_mip v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
     {.format = F_32_UINT,
      .type = T_2D,
      .width = 64,
      .height = 16,
      .levels = 4,
      .base = 1,
      .last = 2},
     {7, 1, 2},
     0},
    {"without level: the base level",
     "image_load v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
     {.format = F_32_UINT,
      .type = T_2D,
      .width = 64,
      .height = 16,
      .levels = 4,
      .base = 2,
      .last = 2},
     {7, 1},
     0x82000107},
    {"width of the level",
     "image_load_mip v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
     {.format = F_32_UINT, .type = T_2D, .width = 64, .height = 16, .levels = 4, .last = 3},
     {8, 1, 3},
     0},
    {"3D level, NSA",
     ASM("image_load_mip v8, [v0, v1, v2, v3], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_3D"),
     {.format = F_32_UINT,
      .type = T_3D,
      .width = 16,
      .height = 8,
      .depth = 8,
      .levels = 3,
      .last = 2},
     {3, 1, 1, 2},
     0x82010103},
};

static void test_shapes(void)
{
    for (unsigned i = 0; i < TEST_ROWS(shapes); i++) {
        struct fixture *f = fix_new(32, 1);
        img_bind(f, &shapes[i].img);
        fill(f, &shapes[i].img);
        img_set(f, 6, 4, shapes[i].address);
        want(f, shapes[i].text, shapes[i].name, 8, 6, shapes[i].want);
        fix_free(f);
    }
}

// The same with A16: address components in halves of VGPRs, the first one low.
static void test_a16(void)
{
    for (unsigned i = 0; i < TEST_ROWS(shapes); i++) {
        struct fixture *f = fix_new(32, 1);
        struct lull_rdna_insn in = fix_decode(shapes[i].text);
        const unsigned n = lull_rdna_image_addr_dwords(&in);
        uint32_t a[4] = {0xbeef, 0xbeef, 0xbeef, 0xbeef}; // of nobody
        memcpy(a, shapes[i].address, n * sizeof a[0]);
        in.a16 = true;
        in.naddr = 0;
        img_bind(f, &shapes[i].img);
        fill(f, &shapes[i].img);
        img_set(f, 6, 2, (uint32_t[]){a[0] | a[1] << 16, a[2] | a[3] << 16});
        lull_mem_handler(&in, f->w.table)(&f->w, &in);
        test_case(fix_v(f, 8)[6] == shapes[i].want, "A16", "%s: %08x", shapes[i].name,
                  fix_v(f, 8)[6]);
        fix_free(f);
    }
}

// Texel (0, 0) holds the bytes; what registers v8.. have after the load.
static const struct {
    const char *name, *text;
    unsigned format, dst_sel;
    uint32_t texel[4];
    unsigned n;
    uint32_t want[5];
} formats[] = {
    {"8_8_8_8_UNORM",
     ASM("image_load v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"),
     F_8888_UNORM,
     0,
     {0xff00ff00},
     4,
     {0, 0x3f800000, 0, 0x3f800000}},
    {"DST_SEL Z Y X W",
     "image_load v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D",
     F_8888_UINT,
     07 << 9 | 04 << 6 | 05 << 3 | 06,
     {0x04030201},
     4,
     {3, 2, 1, 4}},
    {"dmask 0xa",
     ASM("image_load v[8:9], v[0:1], s[0:7] dmask:0xa dim:SQ_RSRC_IMG_2D"),
     F_8888_UINT,
     0,
     {0x04030201},
     3,
     {2, 4, 0xdead}},
    {"missing components",
     "image_load v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D",
     F_32_FLOAT,
     0,
     {0x40000000},
     4,
     {0x40000000, 0, 0, 0x3f800000}},
    {"8_8_8_8_SINT",
     "image_load v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D",
     F_8888_SINT,
     0,
     {0x80ff7f01},
     4,
     {1, 0x7f, UINT32_MAX, 0xffffff80}},
    {"denormals stay",
     "image_load v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D",
     F_32_FLOAT,
     0,
     {1},
     1,
     {1}},
    {"128 bits",
     "image_load v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D",
     F_32323232_UINT,
     0,
     {1, 2, 3, 4},
     4,
     {1, 2, 3, 4}},
    {"D16 of 4",
     ASM("image_load v[8:9], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D d16"),
     F_8888_UNORM,
     0,
     {0xff00ff00},
     3,
     {0x3c000000, 0x3c000000, 0xdead}},
    {"D16 of 3: the upper half stays",
     ASM("image_load v[8:9], v[0:1], s[0:7] dmask:0x7 dim:SQ_RSRC_IMG_2D d16"),
     F_32323232_FLOAT,
     0,
     {0x3f800000, 0xc0000000, 0x3f000000},
     2,
     {0xc0003c00, 0x3800}},
    {"D16 of integers",
     "image_load v[8:9], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D d16",
     F_8888_SINT,
     0,
     {0x80ff7f01},
     2,
     {0x007f0001, 0xff80ffff}},
    {"pck",
     ASM("image_load_pck v[8:9], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D"),
     F_16161616_FLOAT,
     0,
     {0x11112222, 0x33334444},
     2,
     {0x11112222, 0x33334444}},
    {"pck of a byte",
     ASM("image_load_pck v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
     F_8_UNORM,
     0,
     {0xf0},
     1,
     {0xf0}},
    {"pck_sgn of a byte",
     ASM("image_load_pck_sgn v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
     F_8_UNORM,
     0,
     {0xf0},
     1,
     {0xfffffff0}},
    {"mip_pck",
     ASM("image_load_mip_pck v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
     F_32_FLOAT,
     0,
     {0x12345678},
     1,
     {0x12345678}},
    {"mip_pck_sgn",
     ASM("image_load_mip_pck_sgn v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
     F_16_UNORM,
     0,
     {0x8765},
     1,
     {0xffff8765}},
};

static void test_formats(void)
{
    for (unsigned i = 0; i < TEST_ROWS(formats); i++) {
        struct fixture *f = fix_new(32, 1);
        const struct img img = {.format = formats[i].format,
                                .type = T_2D,
                                .width = 64,
                                .height = 2,
                                .dst_sel = formats[i].dst_sel};
        img_bind(f, &img);
        memcpy(img_texel(f, &img, 0, 0, 0, 0), formats[i].texel, 16);
        for (unsigned r = 8; r < 13; r++) {
            fill_reg(f, r, r == 9 && formats[i].n == 2 ? 0 : 0xdead);
        }
        const enum lull_exec_result r = fix_run(f, formats[i].text);
        unsigned k = 0;
        while (k < formats[i].n && fix_v(f, 8 + k)[31] == formats[i].want[k]) {
            k++;
        }
        test_case(r == LULL_EXEC_NEXT && k == formats[i].n, formats[i].name,
                  "result %d, v%u is %08x", (int)r, 8 + k, fix_v(f, 8 + k)[31]);
        fix_free(f);
    }
}

static const struct {
    const char *name;
    struct img img;
    uint32_t level;
    uint32_t want[4];
} sizes[] = {
    {"size of 2D",
     {.format = F_32_UINT, .type = T_2D, .width = 60, .height = 7, .levels = 3, .last = 2},
     0,
     {60, 7, 1, 3}},
    {"size of a level",
     {.format = F_32_UINT, .type = T_2D, .width = 60, .height = 7, .levels = 3, .last = 2},
     2,
     {15, 1, 1, 3}},
    {"size of a view",
     {.format = F_32_UINT,
      .type = T_2D,
      .width = 60,
      .height = 7,
      .levels = 3,
      .base = 1,
      .last = 2},
     1,
     {15, 1, 1, 2}},
    {"size of no level",
     {.format = F_32_UINT, .type = T_2D, .width = 60, .height = 7, .levels = 3, .last = 2},
     3,
     {0, 0, 0, 3}},
    {"size of an array",
     {.format = F_32_UINT,
      .type = T_2D_ARRAY,
      .width = 60,
      .height = 7,
      .depth = 5,
      .first_slice = 2},
     0,
     {60, 7, 3, 1}},
    {"size of a cube array",
     {.format = F_32_UINT, .type = T_CUBE, .width = 8, .height = 8, .depth = 12},
     0,
     {8, 8, 12, 1}},
    {"size of 3D",
     {.format = F_32_UINT,
      .type = T_3D,
      .width = 60,
      .height = 7,
      .depth = 9,
      .levels = 3,
      .last = 2},
     1,
     {30, 3, 4, 3}},
};

static void test_sizes(void)
{
    for (unsigned i = 0; i < TEST_ROWS(sizes); i++) {
        struct fixture *f = fix_new(32, 1);
        img_bind(f, &sizes[i].img);
        fix_v(f, 0)[5] = sizes[i].level;
        fix_run(f, ASM("image_get_resinfo v[8:11], v0, s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"));
        unsigned k = 0;
        while (k < 4 && fix_v(f, 8 + k)[5] == sizes[i].want[k]) {
            k++;
        }
        test_case(k == 4, sizes[i].name, "component %u is %u", k, fix_v(f, 8 + k)[5]);
        fix_free(f);
    }
}

static void test_faults(void)
{
    struct fixture *f = fix_new(32, 1);
    struct img i = plain;
    i.at = FIX_AREA - 1024; // Rows 4 to 7 are beyond the mapped pages.
    i.width = 64;
    img_bind(f, &i);
    for (unsigned l = 0; l < 32; l++) {
        img_set(f, l, 2, (uint32_t[]){l, l < 30 ? 3 : 4});
    }
    fill_reg(f, 8, 5);
    const enum lull_exec_result r =
        fix_run(f, "image_load v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D");
    test_case(r == LULL_EXEC_MEMORY && f->nfaults == 1 && fix_v(f, 8)[0] == 5 &&
                  f->g->vm.fault.va == FIX_VA + FIX_AREA + 30 * 4,
              "a load that memory refuses", "result %d, %u faults at %llx", (int)r, f->nfaults,
              (unsigned long long)f->g->vm.fault.va);
    fix_free(f);
}

// The quick way and the plain one, which an observer asks for.
static const struct img both[] = {
    {.format = F_32_UINT, .type = T_2D, .width = 61, .height = 9},
    {.format = F_32_UINT, .type = T_2D, .width = 61, .height = 9, .sw_mode = 27},
    {.format = F_32_FLOAT, .type = T_2D, .width = 61, .height = 9, .dst_sel = X001},
    {.format = F_32_32_UINT,
     .type = T_2D_ARRAY,
     .width = 30,
     .height = 5,
     .depth = 4,
     .first_slice = 1},
    {.format = F_32323232_UINT, .type = T_2D, .width = 31, .height = 9, .sw_mode = 27},
    {.format = F_8888_UNORM,
     .type = T_2D,
     .width = 61,
     .height = 9,
     .dst_sel = 07 << 9 | 04 << 6 | 05 << 3 | 06},
    {.format = F_8888_UNORM, .type = T_CUBE, .width = 16, .height = 16, .depth = 6},
    {.format = F_32_UINT, .type = T_3D, .width = 16, .height = 8, .depth = 8},
    {.format = F_32_UINT, .type = T_1D_ARRAY, .width = 64, .depth = 5},
    {.format = F_32_UINT,
     .type = T_2D,
     .width = 64,
     .height = 16,
     .levels = 4,
     .base = 1,
     .last = 2},
};

static void random_state(struct fixture *f, const struct img *i)
{
    f->state = 7;
    img_bind(f, i);
    for (unsigned b = 0; b < FIX_AREA; b++) {
        *fix_at(f, b) = (uint8_t)fix_random(f);
    }
    for (unsigned l = 0; l < 64; l++) {
        fix_v(f, 0)[l] = (uint32_t)fix_random(f) % (i->width + 1);
        fix_v(f, 1)[l] = (uint32_t)fix_random(f) % 8;
        fix_v(f, 2)[l] = (uint32_t)fix_random(f) % 5;
        for (unsigned r = 8; r < 12; r++) {
            fix_v(f, r)[l] = (uint32_t)fix_random(f);
        }
    }
}

static void test_quick(void)
{
    static const char *const texts[][2] = {
        {ASM("image_load v[8:11], v[0:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY"),
         ASM("image_store v[8:10], v[0:2], s[0:7] dmask:0xb dim:SQ_RSRC_IMG_2D_ARRAY")},
        {ASM("image_load v[8:9], v[0:1], s[0:7] dmask:0xa dim:SQ_RSRC_IMG_1D_ARRAY"),
         ASM("image_store v[8:9], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_1D_ARRAY")}};
    static struct lull_observer nobody;
    struct fixture *quick = fix_new(64, 1), *plain_way = fix_new(64, 1);
    lull_wave_observe(&plain_way->w, &nobody);
    for (unsigned i = 0; i < TEST_ROWS(both); i++) {
        const bool array_1d = both[i].type == T_1D_ARRAY;
        for (unsigned k = 0; k < 2; k++) {
            random_state(quick, &both[i]);
            random_state(plain_way, &both[i]);
            fix_run(quick, texts[array_1d][k]);
            fix_run(plain_way, texts[array_1d][k]);
            bool same = memcmp(quick->vgpr, plain_way->vgpr, sizeof quick->vgpr) == 0;
            for (unsigned b = 0; b < FIX_AREA; b += 4096) {
                same &= memcmp(fix_at(quick, b), fix_at(plain_way, b), 4096) == 0;
            }
            test_case(same, k == 0 ? "quick load" : "quick store",
                      "row %u differs from the plain way", i);
        }
    }
    fix_free(quick);
    fix_free(plain_way);
}

/** Lanes of one instruction read texels of different levels, all in the mip tail: addresses as
 * src/tex has them, which tests/tex compares with addrlib's. */
static void test_levels(void)
{
    enum { LEVELS = 4, SIZE = 64 };
    const struct img i = {.format = F_32_UINT,
                          .type = T_2D,
                          .width = SIZE,
                          .height = SIZE,
                          .levels = LEVELS,
                          .last = LEVELS - 1,
                          .sw_mode = 27};
    struct fixture *f = fix_new(64, 1);
    struct lull_image_desc d = {0};
    unsigned bad = 0;
    random_state(f, &i);
    lull_image_desc_parse(f->w.sgpr, &d);
    for (unsigned l = 0; l < 64; l++) {
        fix_v(f, 2)[l] = l % LEVELS;
        fix_v(f, 0)[l] %= SIZE >> l % LEVELS;
        fix_v(f, 1)[l] %= SIZE >> l % LEVELS;
    }
    const enum lull_exec_result r =
        fix_run(f, ASM("image_load_mip v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"));
    for (unsigned l = 0; l < 64; l++) {
        struct lull_tiling t = {0};
        uint32_t want = 0;
        const bool there = lull_tiling_prepare(&d, l % LEVELS, &t) == LULL_TEX_OK;
        const uint64_t at = lull_tiling_offset(&t, fix_v(f, 0)[l], fix_v(f, 1)[l], 0, 0);
        memcpy(&want, fix_at(f, (t.base - d.base) + at), sizeof want);
        bad += !there || fix_v(f, 8)[l] != want;
    }
    test_case(r == LULL_EXEC_NEXT && bad == 0, "lanes of different levels", "result %d, %u wrong",
              (int)r, bad);
    fix_free(f);
}

int main(void)
{
    test_levels();
    test_quick();
    test_linear();
    test_bounds();
    test_exec_and_operands();
    test_shapes();
    test_a16();
    test_formats();
    test_sizes();
    test_faults();
    return test_end();
}
