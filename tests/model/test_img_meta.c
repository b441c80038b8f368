// SPDX-License-Identifier: MIT
/** @file
 * Images whose metadata says that they are cleared: image_load, image_sample and image_store find
 * the clear value, blocks that were touched are plain afterwards, others as they were. Keys and
 * words are those that Mesa's radv_meta_clear.c fills in.
 */
#include <stdint.h>

#include "img_meta_rows.h"
#include "wave_fixture.h"

#include "img_fixture.h"
#include "tex/meta.h"

enum {
    T_2D_MSAA = 14,
    W = 20,
    H = 12,
    META_BYTES = 0x20000,
    FILL = 0x55,
    MODE_R = 27,
    MODE_Z = 24
};
#define META_VA (FIX_VA + 0x1000000)
#define META_PA (6u << 20)

// clang-format off
static const char *const load = ASM("image_load v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D");
static const char *const load_msaa = ASM("image_load v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA");
static const char *const store = ASM("image_store v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D");
static const char *const sample = ASM("image_sample_lz v8, v[0:1], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D");
static const char *const add = ASM("image_atomic_add v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc");
// clang-format on

struct scene {
    struct fixture *f;
    struct lull_image_desc desc;
    struct lull_tiling t;
    struct lull_meta m;
};

static uint8_t *meta_at(const struct scene *s, uint32_t x, uint32_t y)
{
    const uint64_t va = lull_meta_va(&s->m, &s->t, x, y, 0, 0);
    return s->f->g->phys.vram + META_PA + (va - (s->desc.metadata));
}

static uint8_t *texel_at(const struct scene *s, uint32_t x, uint32_t y, uint32_t n)
{
    const uint64_t va = s->t.base + lull_tiling_offset(&s->t, x, y, 0, n);
    return fix_at(s->f, (va & 0xffffffffffffull) - (FIX_VA & 0xffffffffffffull));
}

/** An image of W x H, all its bytes FILL, with metadata of @p word (DCC: its low byte) all over. */
static struct scene scene(unsigned format, unsigned mode, unsigned samples, uint32_t word)
{
    const struct img i = {.format = format,
                          .type = samples > 1 ? T_2D_MSAA : T_2D,
                          .width = W,
                          .height = H,
                          .depth = 1,
                          .last = (unsigned)__builtin_ctz(samples),
                          .sw_mode = mode};
    struct scene s = {.f = fix_new(32, 1)};
    uint32_t *d = s.f->w.sgpr;
    gpuvm_map_range(s.f->g, META_VA, META_PA | PTE_RWX, META_BYTES);
    img_bind(s.f, &i);
    // Source: Mesa gfx11-rsrc.json: META_PIPE_ALIGNED 19, COMPRESSION_EN 21, address from bit 24.
    d[6] |= 1u << 19 | 1u << 21 | (uint32_t)(META_VA >> 8) << 24;
    d[7] = (uint32_t)(META_VA >> 16);
    lull_image_desc_parse(d, &s.desc);
    if (lull_tiling_prepare(&s.desc, 0, &s.t) != LULL_TEX_OK) {
        abort();
    }
    lull_meta_prepare(&s.desc, 0, &s.t, &s.m);
    for (unsigned at = 0; at < FIX_AREA; at++) {
        *fix_at(s.f, at) = FILL;
    }
    for (uint32_t at = 0; at < META_BYTES; at += 4) {
        memcpy(s.f->g->phys.vram + META_PA + at, &word, sizeof word);
    }
    return s;
}

/** Lane l reads texel (l % 8 + x, l / 8 + y). */
static void coordinates(const struct scene *s, uint32_t x, uint32_t y)
{
    for (unsigned l = 0; l < 32; l++) {
        fix_v(s->f, 0)[l] = x + l % 8;
        fix_v(s->f, 1)[l] = y + l / 8;
        fix_v(s->f, 2)[l] = 0;
        fix_v(s->f, 8)[l] = 0xabab;
    }
}

/** What is loaded: the texel of the clear, then plain metadata where it was touched. */
static const struct {
    const char *name;
    unsigned format, mode;
    uint32_t word, want;
    uint32_t plain; ///< Of the tile that was touched.
} clears[] = {
    {"DCC, bits 0", F_32_UINT, MODE_R, 0, 0, 0xff},
    {"DCC, bits 1", F_32_UINT, MODE_R, 0x02020202, UINT32_MAX, 0xff},
    {"DCC, last component 1", F_32_UINT, MODE_R, 0x08080808, 0xff000000, 0xff},
    {"DCC, last component 0", F_32_UINT, MODE_R, 0x0a0a0a0a, 0x00ffffff, 0xff},
    {"DCC, singles of 1", F_32_UINT, MODE_R, 0x06060606, 0x3f800000, 0xff},
    {"DCC, 256 KiB blocks", F_32_UINT, 31, 0x02020202, UINT32_MAX, 0xff},
    {"DCC, plain", F_32_UINT, MODE_R, UINT32_MAX, 0x55555555, 0xff},
    {"HTILE, depth 1", F_32_FLOAT, MODE_Z, 0xfffffff0, 0x3f800000, 0xffffffff},
    {"HTILE, depth 0", F_32_FLOAT, MODE_Z, 0, 0, 0xf},
    {"HTILE, depth 1 with stencil", F_32_FLOAT, MODE_Z, 0xfffc00f0, 0x3f800000, 0xfffc00ff},
    {"HTILE, plain", F_32_FLOAT, MODE_Z, 0xfffc000f, 0x55555555, 0xfffc000f},
    {"HTILE, 16 bits", F_16_UNORM, MODE_Z, 0xfffffff0, 0x3f800000, 0xffffffff},
    {"HTILE, stencil", F_8_UINT, MODE_Z, 0xfffc00f0, 0, 0xfffc03f0},
    {"HTILE, stencil plain, depth cleared", F_8_UINT, MODE_Z, 0xfffc03f0, 0x55, 0xfffc03f0},
};

static void test_load(void)
{
    for (size_t i = 0; i < TEST_ROWS(clears); i++) {
        struct scene s = scene(clears[i].format, clears[i].mode, 1, clears[i].word);
        coordinates(&s, 0, 0);
        const enum lull_exec_result r = fix_run(s.f, load);
        unsigned bad = 0;
        for (unsigned l = 0; l < 32; l++) {
            bad += fix_v(s.f, 8)[l] != clears[i].want;
        }
        uint32_t near = 0, far = 0;
        const size_t n = clears[i].mode == MODE_Z ? 4 : 1;
        memcpy(&near, meta_at(&s, 1, 1), n);
        memcpy(&far, meta_at(&s, 17, 9), n);
        const bool memory = *texel_at(&s, 17, 9, 0) == FILL;
        test_case(r == LULL_EXEC_NEXT && bad == 0 && near == clears[i].plain &&
                      far == (n == 4 ? clears[i].word : clears[i].word & 0xff) && memory,
                  clears[i].name, "result %d, %u lanes, 0x%x, words 0x%x 0x%x, memory %d", (int)r,
                  bad, fix_v(s.f, 8)[0], near, far, memory);
        fix_free(s.f);
    }
}

/** The colour stands in the first texel of each tile, of sample 0. */
static void test_single(unsigned samples)
{
    struct scene s = scene(F_32_UINT, MODE_R, samples, 0x01010101);
    const uint32_t colors[2] = {0x11223344, 0x99aabbcc};
    memcpy(texel_at(&s, 0, 0, 0), &colors[0], 4);
    memcpy(texel_at(&s, 8, 0, 0), &colors[1], 4);
    coordinates(&s, 4, 4); // texels of two tiles
    for (unsigned l = 0; l < 32; l++) {
        fix_v(s.f, 2)[l] = samples - 1;
    }
    const enum lull_exec_result r = fix_run(s.f, samples > 1 ? load_msaa : load);
    unsigned bad = 0;
    for (unsigned l = 0; l < 32; l++) {
        bad += fix_v(s.f, 8)[l] != colors[4 + l % 8 >= 8];
    }
    // once the first texel is another, the rest of its tile stays as it was
    memset(texel_at(&s, 0, 0, 0), 0, 4);
    coordinates(&s, 0, 0);
    const enum lull_exec_result r2 = fix_run(s.f, samples > 1 ? load_msaa : load);
    for (unsigned l = 0; l < 32; l++) {
        bad += fix_v(s.f, 8)[l] != (l == 0 ? 0 : colors[0]);
    }
    char name[64] = "";
    snprintf(name, sizeof name, "DCC, a single colour, %u samples", samples);
    test_case(r == LULL_EXEC_NEXT && r2 == LULL_EXEC_NEXT && bad == 0, name, "%d %d, %u lanes",
              (int)r, (int)r2, bad);
    fix_free(s.f);
}

/** A store changes its texel; its neighbours are what they were cleared to. So with atomics. */
static void test_store(void)
{
    struct scene s = scene(F_32_UINT, MODE_R, 1, 0x02020202);
    coordinates(&s, 3, 5);
    s.f->w.sgpr[LULL_RDNA_EXEC] = 1;
    enum lull_exec_result r = fix_run(s.f, store);
    uint32_t got[3] = {0};
    memcpy(&got[0], texel_at(&s, 3, 5, 0), 4);
    memcpy(&got[1], texel_at(&s, 4, 5, 0), 4);
    memcpy(&got[2], texel_at(&s, 12, 5, 0), 4);
    test_case(r == LULL_EXEC_NEXT && got[0] == 0xabab && got[1] == UINT32_MAX &&
                  got[2] == 0x55555555 && *meta_at(&s, 3, 5) == 0xff && *meta_at(&s, 12, 5) == 2,
              "image_store", "%d, 0x%x 0x%x 0x%x", (int)r, got[0], got[1], got[2]);
    coordinates(&s, 12, 5);
    r = fix_run(s.f, add);
    memcpy(&got[0], texel_at(&s, 12, 5, 0), 4);
    memcpy(&got[1], texel_at(&s, 13, 5, 0), 4);
    test_case(r == LULL_EXEC_NEXT && got[0] == 0xabaa && fix_v(s.f, 8)[0] == UINT32_MAX &&
                  got[1] == UINT32_MAX,
              "image_atomic_add", "%d, 0x%x 0x%x", (int)r, got[0], got[1]);
    fix_free(s.f);
}

static void test_sample(void)
{
    struct scene s = scene(F_8888_UNORM, MODE_R, 1, 0x02020202);
    smp_bind(s.f, &(const struct smp){.mag = 1, .min = 1});
    for (unsigned l = 0; l < 32; l++) {
        put_f(s.f, 0, l, (float)l / 32);
        put_f(s.f, 1, l, 0.5f);
    }
    const enum lull_exec_result r = fix_run(s.f, sample);
    unsigned bad = 0;
    for (unsigned l = 0; l < 32; l++) {
        bad += get_f(s.f, 8, l) != 1.0f;
    }
    test_case(r == LULL_EXEC_NEXT && bad == 0, "image_sample", "%d, %u lanes", (int)r, bad);
    fix_free(s.f);
}

/** A key that is none, a depth that no word can say, metadata that is not mapped. */
static void test_refused(void)
{
    struct scene s = scene(F_32_UINT, MODE_R, 1, 0x40404040);
    coordinates(&s, 0, 0);
    enum lull_exec_result r = fix_run(s.f, load);
    test_case(r == LULL_EXEC_ILLEGAL, "unknown key", "%d", (int)r);
    r = fix_run(s.f, store);
    test_case(r == LULL_EXEC_ILLEGAL && *texel_at(&s, 0, 0, 0) == FILL, "stored to", "%d", (int)r);
    r = fix_run(s.f, add);
    test_case(r == LULL_EXEC_ILLEGAL && *texel_at(&s, 0, 0, 0) == FILL, "added to", "%d", (int)r);
    fix_free(s.f);
    s = scene(F_32_FLOAT, MODE_Z, 1, 0x800000f0);
    coordinates(&s, 0, 0);
    r = fix_run(s.f, load);
    test_case(r == LULL_EXEC_ILLEGAL, "depth that is not 0 or 1", "%d", (int)r);
    fix_free(s.f);
    s = scene(F_32_UINT, MODE_R, 1, 0);
    s.f->w.sgpr[7] += 0x100;
    coordinates(&s, 0, 0);
    r = fix_run(s.f, load);
    test_case(r == LULL_EXEC_MEMORY && s.f->nfaults == 1 && fix_v(s.f, 8)[0] == 0xabab,
              "metadata that is not mapped", "%d, %u faults", (int)r, s.f->nfaults);
    fix_free(s.f);
}

int main(void)
{
    test_load();
    test_single(1);
    test_single(4);
    test_single(8);
    test_store();
    test_sample();
    test_refused();
    return test_end();
}
