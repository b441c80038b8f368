// SPDX-License-Identifier: MIT
/** @file
 * Descriptors as RADV writes them (dwords put together by hand from its source), taken apart and
 * shown.
 */
#include <string.h>

#include "base/str.h"
#include "test.h"
#include "tex/descriptor.h"

struct row {
    char kind; // 'i' image, 's' sampler, 'b' buffer
    uint32_t dword[8];
    const char *want;
};

static const struct row rows[] = {
    {'i', {0}, "null image"},
    // 640x480, RGBA8, SW 27 = 64KB_R_X, base_level 0 of 1, address 0x800012340000.
    {'i',
     {0x00123400, 0xc2a00080, 0x0077c09f, 0x91b00fac, 0, 0x00400000, 0, 0},
     "image 2D 640x480 8_8_8_8_UNORM at 0x800012340000 64KB_R_X"},
    // A cube of 64 with 7 levels, BGRA; faces 6 to 11.
    {'i',
     {0x1000, 0xc2a60000, 0x000fc00f, 0xb1b60f2e, 0x0006000b, 0, 0, 0},
     "image CUBE 64x64 8_8_8_8_UNORM at 0x000000100000 64KB_R_X levels 0-6 of 7 slices 6-11 sel "
     "ZYXW"},
    // 3D 16x8x4, R32F, SW 25 = 64KB_S_X; min lod 1.5 = 0x180.
    {'i',
     {0x1000, 0xc1640000, 0x0001c003, 0xa1940204, 3, 0, 0x0000000c, 0},
     "image 3D 16x8x4 32_FLOAT at 0x000000100000 64KB_S_X levels 0-4 of 5 min_lod 1.5 sel X001"},
    // 4 samples: LAST_LEVEL and MAX_MIP are log2. DCC at 0x123456700.
    {'i',
     {0x1000, 0xc1420000, 0x0001c003, 0xe1820fac, 0, 0, 0x67200000, 0x12345},
     "image 2D_MSAA 16x8 32_UINT at 0x000000100000 64KB_Z_X 4 samples DCC at 0x000123456700"},
    {'i',
     {0x1000, 0xc0000000, 3, 0x80000fac, 0x1f, 0, 0, 0},
     "image 1D 16 format 0 (unknown) at 0x000000100000 LINEAR pitch 32"},
    {'i',
     {0, 0, 0, 0x10000000, 0, 0, 0, 0},
     "image ? 1x1 format 0 (unknown) at 0x000000000000 LINEAR sel 0000"},
    // Linear, repeat, lod 0 to 15.
    {'s',
     {0, 0x00f00000, 0x08500000, 0, 0, 0, 0, 0},
     "sampler mag BILINEAR min BILINEAR mip LINEAR wrap WRAP WRAP WRAP lod 0-15 border "
     "TRANS_BLACK"},
    {'s',
     {0x48003192, 0x00200080, 0x3fff | 0x00200000, 0xc0140000, 0, 0, 0, 0},
     "sampler mag ANISO_POINT min POINT mip NONE wrap CLAMP_LAST_TEXEL CLAMP_LAST_TEXEL "
     "CLAMP_BORDER lod 0.5-2"
     " bias -0.00390625 compare LEQUAL MAX border REGISTER 5 trunc_coord"},
    {'b',
     {0x1000, 0x00108000, 10, 0x00016fac, 0, 0, 0, 0},
     "buffer 160 bytes at 0x800000001000 stride 16 32_FLOAT oob STRUCTURED_WITH_OFFSET"},
    {'b',
     {0x1000, 0x4004ffff, 10, 0x30e16fac, 0, 0, 0, 0},
     "buffer 10 bytes at 0xffff00001000 stride 4 32_FLOAT oob RAW swizzled by 4 bytes, 64 lanes "
     "add_tid"},
};

static void test_row(const struct row *r)
{
    struct lull_str s = {0};
    struct lull_image_desc i = {0};
    struct lull_sampler_desc p = {0};
    struct lull_buffer_desc b = {0};
    if (r->kind == 'i') {
        lull_image_desc_parse(r->dword, &i);
        lull_image_desc_show(&i, &s);
    } else if (r->kind == 's') {
        lull_sampler_desc_parse(r->dword, &p);
        lull_sampler_desc_show(&p, &s);
    } else {
        lull_buffer_desc_parse(r->dword, &b);
        lull_buffer_desc_show(&b, &s);
    }
    test_case(strcmp(lull_str_text(&s), r->want) == 0, r->want, "got  '%s'", lull_str_text(&s));
    lull_str_free(&s);
}

static void test_select(void)
{
    const struct lull_format_info *f = lull_format_by_name("8_8_8_8_UNORM");
    const struct lull_format_info *u = lull_format_by_name("32_UINT");
    const uint8_t bgra[4] = {6, 5, 4, 1};
    const uint32_t in[4] = {10, 20, 30, 40};
    uint32_t got[4] = {0};
    lull_dst_select(f, bgra, in, got);
    test_case(got[0] == 30 && got[1] == 20 && got[2] == 10 && got[3] == 0x3f800000, "select ZYX1",
              "%u %u %u %x", got[0], got[1], got[2], got[3]);
    lull_dst_select(u, bgra, in, got);
    test_case(got[3] == 1, "1 of an integer format", "%x", got[3]);
    lull_dst_unselect(bgra, in, got);
    test_case(got[0] == 30 && got[1] == 20 && got[2] == 10 && got[3] == 0, "store ZYX1",
              "%u %u %u %u", got[0], got[1], got[2], got[3]);
    const uint8_t twice[4] = {4, 4, 0, 2};
    lull_dst_unselect(twice, in, got);
    test_case(got[0] == 10 && got[1] == 0, "store XX0?: the first", "%u %u", got[0], got[1]);
}

static void test_extent(void)
{
    struct lull_image_desc d = {.type = LULL_IMAGE_3D, .width = 5, .height = 3, .depth = 9};
    const struct lull_extent e = lull_image_extent(&d, 2);
    test_case(e.width == 1 && e.height == 1 && e.depth == 2, "extent of a level", "%ux%ux%u",
              e.width, e.height, e.depth);
    d.type = LULL_IMAGE_2D_ARRAY;
    d.first_slice = 2;
    d.last_slice = 4;
    test_case(lull_image_extent(&d, 0).depth == 3, "slices that can be seen", "%u",
              lull_image_extent(&d, 0).depth);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i]);
    }
    test_select();
    test_extent();
    return test_end();
}
