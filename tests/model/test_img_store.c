// SPDX-License-Identifier: MIT
// Images without samplers: stores and atomics.
#include <stdint.h>

#include "img_store_rows.h"
#include "wave_fixture.h"

#include "img_fixture.h"
#include "isa/rdna/ops.h"

static const struct {
    const char *name, *text;
    unsigned format, dst_sel;
    uint32_t data[4];
    unsigned bytes;
    uint32_t want[4];
} stores[] = {
    {"store 8_8_8_8_UNORM",
     ASM("image_store v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"),
     F_8888_UNORM,
     0,
     {0x3f800000, 0, 0x40000000, 0xbf800000},
     4,
     {0x00ff00ff}},
    {"store with DST_SEL Z Y X W",
     "image_store v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D",
     F_8888_UINT,
     07 << 9 | 04 << 6 | 05 << 3 | 06,
     {1, 2, 3, 4},
     4,
     {0x04010203}},
    {"store dmask 0x9: the rest is 0",
     ASM("image_store v[8:9], v[0:1], s[0:7] dmask:0x9 dim:SQ_RSRC_IMG_2D"),
     F_8888_UINT,
     0,
     {1, 4},
     4,
     {0x04000001}},
    {"store D16",
     ASM("image_store v[8:9], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D d16"),
     F_32323232_FLOAT,
     0,
     {0xc0003c00, 0x00003800},
     16,
     {0x3f800000, 0xc0000000, 0x3f000000, 0}},
    {"store_pck",
     ASM("image_store_pck v[8:9], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D"),
     F_16161616_FLOAT,
     0,
     {0x12345678, 0x9abcdef0},
     8,
     {0x12345678, 0x9abcdef0}},
    {"store_mip",
     ASM("image_store_mip v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
     F_32_UINT,
     0,
     {0x1234},
     4,
     {0x1234}},
    {"store_mip_pck",
     ASM("image_store_mip_pck v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
     F_32_FLOAT,
     0,
     {0x7fa00001},
     4,
     {0x7fa00001}},
};

static void test_stores(void)
{
    for (unsigned i = 0; i < TEST_ROWS(stores); i++) {
        struct fixture *f = fix_new(32, 1);
        const struct img img = {.format = stores[i].format,
                                .type = T_2D,
                                .width = 64,
                                .height = 2,
                                .dst_sel = stores[i].dst_sel};
        uint32_t got[4] = {0};
        img_bind(f, &img);
        memset(img_texel(f, &img, 0, 0, 0, 0), 0xcc, 20);
        f->w.sgpr[LULL_RDNA_EXEC] = 1;
        for (unsigned k = 0; k < 4; k++) {
            fix_v(f, 8 + k)[0] = stores[i].data[k];
        }
        const enum lull_exec_result r = fix_run(f, stores[i].text);
        memcpy(got, img_texel(f, &img, 0, 0, 0, 0), stores[i].bytes);
        const uint8_t after = img_texel(f, &img, 0, 0, 0, 0)[stores[i].bytes];
        test_case(r == LULL_EXEC_NEXT && memcmp(got, stores[i].want, 16) == 0 && after == 0xcc,
                  stores[i].name, "result %d, %08x %08x, after %x", (int)r, got[0], got[1], after);
        fix_free(f);
    }
}

// Two lanes at one texel that holds mem: lane 0 returns mem, lane 1 what lane 0 made of it.
static const struct {
    const char *text;
    uint64_t mem, a, b; // b: the value compared with.
    uint64_t first, second;
    bool wide;
} atomics[] = {
    {ASM("image_atomic_swap v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 5, 9, 0, 9, 9,
     false},
    {ASM("image_atomic_cmpswap v[8:9], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D glc"), 5, 9, 5,
     9, 9, false},
    {ASM("image_atomic_add v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 0xffffffff, 2, 0,
     1, 3, false},
    {ASM("image_atomic_sub v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 1, 2, 0,
     0xffffffff, 0xfffffffd, false},
    {ASM("image_atomic_smin v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 1, 0xfffffffe, 0,
     0xfffffffe, 0xfffffffe, false},
    {ASM("image_atomic_umin v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 1, 0xfffffffe, 0,
     1, 1, false},
    {ASM("image_atomic_smax v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 1, 0xfffffffe, 0,
     1, 1, false},
    {ASM("image_atomic_umax v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 1, 0xfffffffe, 0,
     0xfffffffe, 0xfffffffe, false},
    {ASM("image_atomic_and v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 7, 0xe, 0, 6, 6,
     false},
    {ASM("image_atomic_or v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 1, 6, 0, 7, 7,
     false},
    {ASM("image_atomic_xor v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 1, 3, 0, 2, 1,
     false},
    {ASM("image_atomic_inc v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 4, 5, 0, 5, 0,
     false},
    {ASM("image_atomic_dec v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), 1, 5, 0, 0, 5,
     false},
    {ASM("image_atomic_add v[8:9], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D glc"), 0xffffffff, 2,
     0, 0x100000001, 0x100000003, true},
    {ASM("image_atomic_smax v[8:9], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D glc"), 3,
     UINT64_MAX, 0, 3, 3, true},
    {ASM("image_atomic_cmpswap v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D glc"),
     0x500000000, 9, 0x500000000, 9, 9, true},
};

static void test_atomics(void)
{
    for (unsigned i = 0; i < TEST_ROWS(atomics); i++) {
        struct fixture *f = fix_new(32, 1);
        const struct img img = {.format = atomics[i].wide ? F_32_32_UINT : F_32_UINT,
                                .type = T_2D,
                                .width = 32,
                                .height = 4};
        const unsigned n = atomics[i].wide ? 8 : 4;
        uint64_t got[3] = {0};
        img_bind(f, &img);
        memcpy(img_texel(f, &img, 0, 7, 3, 0), &atomics[i].mem, n);
        f->w.sgpr[LULL_RDNA_EXEC] = 7;
        for (unsigned l = 0; l < 3; l++) {
            img_set(f, l, 2, (uint32_t[]){7, l < 2 ? 3 : 4}); // Lane 2 is outside.
            fix_v(f, 8)[l] = (uint32_t)atomics[i].a;
            fix_v(f, 9)[l] = (uint32_t)(atomics[i].wide ? atomics[i].a >> 32 : atomics[i].b);
            fix_v(f, 10)[l] = (uint32_t)atomics[i].b;
            fix_v(f, 11)[l] = (uint32_t)(atomics[i].b >> 32);
        }
        const enum lull_exec_result r = fix_run(f, atomics[i].text);
        memcpy(&got[2], img_texel(f, &img, 0, 7, 3, 0), n);
        for (unsigned l = 0; l < 2; l++) {
            got[l] = fix_v(f, 8)[l] | (atomics[i].wide ? (uint64_t)fix_v(f, 9)[l] << 32 : 0);
        }
        test_case(r == LULL_EXEC_NEXT && got[0] == atomics[i].mem && got[1] == atomics[i].first &&
                      got[2] == atomics[i].second && fix_v(f, 8)[2] == 0,
                  atomics[i].text, "result %d: %llx %llx, memory %llx, outside %x", (int)r,
                  (unsigned long long)got[0], (unsigned long long)got[1],
                  (unsigned long long)got[2], fix_v(f, 8)[2]);
        fix_free(f);
    }
}

static void test_atomic_refusals(void)
{
    struct fixture *f = fix_new(32, 1);
    const struct img bytes = {.format = F_8888_UINT, .type = T_2D, .width = 64, .height = 4};
    img_bind(f, &bytes);
    fill_reg(f, 8, 1);
    fix_run(f, ASM("image_atomic_add v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"));
    test_case(fix_v(f, 8)[0] == 1, "without glc nothing returns", "%x", fix_v(f, 8)[0]);
    uint32_t got = 0;
    memcpy(&got, img_texel(f, &bytes, 0, 0, 0, 0), 4);
    test_case(got == 32, "32 lanes add to one texel", "%u", got);
    test_case(
        fix_run(f, "image_atomic_add v[8:9], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D glc") ==
            LULL_EXEC_ILLEGAL,
        "64 bits of a 32-bit texel", " ");
    fix_free(f);
}

int main(void)
{
    test_stores();
    test_atomics();
    test_atomic_refusals();
    return test_end();
}
