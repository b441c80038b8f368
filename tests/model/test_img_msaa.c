// SPDX-License-Identifier: MIT
/** @file
 * Images with several samples: image_load, image_store and image_msaa_load, which gives four
 * samples of one component. Every texel and sample is written where src/tex says it lies (tested
 * against addrlib) and has a value of its own, so one taken from another place is seen.
 */
#include <stdint.h>

#include "img_msaa_rows.h"
#include "wave_fixture.h"

#include "img_fixture.h"

enum { T_2D_MSAA = 14, T_2D_MSAA_ARRAY, WIDTH = 20, HEIGHT = 12, OUT = 8, FILL = 0x5a5a5a5a };

/** X in the low bits, then Y, sample, and a component's own. */
static uint32_t value_at(unsigned x, unsigned y, unsigned sample)
{
    return x | y << 5 | sample << 9;
}

static uint8_t *texel(const struct fixture *f, const struct img *i, unsigned x, unsigned y,
                      unsigned sample)
{
    uint32_t d[8] = {0};
    struct lull_image_desc desc;
    struct lull_tiling t;
    img_desc(i, d);
    lull_image_desc_parse(d, &desc);
    if (lull_tiling_prepare(&desc, 0, &t) != LULL_TEX_OK) {
        abort();
    }
    const uint64_t va = lull_tiling_texel_va(&t, x, y, 0, sample);
    return fix_at(f, (va & 0xffffffffffffull) - (FIX_VA & 0xffffffffffffull));
}

/** An image of 16_16_16_16_UINT or 32_UINT whose descriptor is bound and whose texels are filled:
 * component c of a texel is its value plus c * 0x1000. */
static struct fixture *filled(const struct img *i, unsigned samples)
{
    struct fixture *f = fix_new(32, 1);
    img_bind(f, i);
    for (unsigned n = 0; n < WIDTH * HEIGHT * samples; n++) {
        const unsigned x = n % WIDTH, y = n / WIDTH % HEIGHT, s = n / WIDTH / HEIGHT;
        uint16_t v[4] = {0};
        for (unsigned c = 0; c < 4; c++) {
            v[c] = (uint16_t)(value_at(x, y, s) + c * 0x1000);
        }
        memcpy(texel(f, i, x, y, s), v, i->format == F_32_UINT ? 2 : 8);
    }
    for (unsigned r = OUT; r < OUT + 6; r++) {
        fill_reg(f, r, FILL);
    }
    return f;
}

static struct img image(unsigned type, unsigned format, unsigned samples)
{
    return (struct img){.format = format,
                        .type = type,
                        .width = WIDTH,
                        .height = HEIGHT,
                        .depth = 1,
                        .last = (unsigned)__builtin_ctz(samples), // There: log2 of the samples.
                        .sw_mode = 27};
}

static void address(struct fixture *f, unsigned lane, const uint32_t v[4])
{
    for (unsigned i = 0; i < 4; i++) {
        fix_v(f, i)[lane] = v[i];
    }
}

// clang-format off
static const char *const loads[] = {
    ASM("image_load v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA"),
    ASM("image_load v8, v[0:3], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA_ARRAY"),
};
// clang-format on

/** Lanes at all kinds of places; beyond the samples, the image and the array there is 0. */
static void test_load(unsigned samples, bool array)
{
    const struct img i = image(array ? T_2D_MSAA_ARRAY : T_2D_MSAA, F_32_UINT, samples);
    struct fixture *f = filled(&i, samples);
    const uint32_t last = samples - 1;
    const uint32_t places[][3] = {{0, 0, 0},   {3, 7, last},       {19, 11, last},
                                  {19, 11, 0}, {5, 2, samples},    {20, 0, 0},
                                  {0, 12, 0},  {4, 4, samples / 2}};
    for (unsigned l = 0; l < 32; l++) {
        const uint32_t *p = places[l % 8], slice = l >= 24;
        address(f, l, (uint32_t[]){p[0], p[1], array ? slice : p[2], p[2]});
    }
    const enum lull_exec_result r = fix_run(f, loads[array]);
    unsigned bad = 0;
    for (unsigned l = 0; l < 32; l++) {
        const uint32_t *p = places[l % 8];
        const bool inside = p[0] < WIDTH && p[1] < HEIGHT && p[2] < samples && !(array && l >= 24);
        bad |= fix_v(f, OUT)[l] == (inside ? value_at(p[0], p[1], p[2]) : 0) ? 0 : 1u << l;
    }
    char name[64];
    snprintf(name, sizeof name, "image_load, %u samples%s", samples, array ? ", array" : "");
    test_case(r == LULL_EXEC_NEXT && bad == 0, name, "result %d, lanes 0x%x", (int)r, bad);
    fix_free(f);
}

static void test_store(unsigned samples)
{
    const struct img i = image(T_2D_MSAA, F_32_UINT, samples);
    struct fixture *f = filled(&i, samples);
    const uint32_t last = samples - 1;
    f->w.sgpr[LULL_RDNA_EXEC] = 3;
    address(f, 0, (uint32_t[]){9, 6, last, 0});
    address(f, 1, (uint32_t[]){9, 6, samples, 0}); // There is no such sample.
    const enum lull_exec_result r =
        fix_run(f, ASM("image_store v8, v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA"));
    unsigned bad = 0;
    for (unsigned n = 0; n < WIDTH * HEIGHT * samples; n++) {
        const unsigned x = n % WIDTH, y = n / WIDTH % HEIGHT, s = n / WIDTH / HEIGHT;
        uint32_t got = 0;
        memcpy(&got, texel(f, &i, x, y, s), 4);
        bad += got != (x == 9 && y == 6 && s == last ? FILL : value_at(x, y, s));
    }
    test_case(r == LULL_EXEC_NEXT && bad == 0, "image_store", "%u samples: result %d, %u wrong",
              samples, (int)r, bad);
    fix_free(f);
}

/** Component by DMASK, samples from the one given on; after the last there is 0. */
static void test_fragments(unsigned samples, unsigned first, bool d16)
{
    static const char *const texts[4][2] = {
        {ASM("image_msaa_load v[8:12], v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA tfe"),
         ASM("image_msaa_load v[8:9], v[0:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA d16")},
        {ASM("image_msaa_load v[8:12], v[0:2], s[0:7] dmask:0x2 dim:SQ_RSRC_IMG_2D_MSAA tfe"),
         ASM("image_msaa_load v[8:9], v[0:2], s[0:7] dmask:0x2 dim:SQ_RSRC_IMG_2D_MSAA d16")},
        {ASM("image_msaa_load v[8:12], v[0:2], s[0:7] dmask:0x4 dim:SQ_RSRC_IMG_2D_MSAA tfe"),
         ASM("image_msaa_load v[8:9], v[0:2], s[0:7] dmask:0x4 dim:SQ_RSRC_IMG_2D_MSAA d16")},
        {ASM("image_msaa_load v[8:12], v[0:2], s[0:7] dmask:0x8 dim:SQ_RSRC_IMG_2D_MSAA tfe"),
         ASM("image_msaa_load v[8:9], v[0:2], s[0:7] dmask:0x8 dim:SQ_RSRC_IMG_2D_MSAA d16")}};
    const struct img i = image(T_2D_MSAA, F_16161616_UINT, samples);
    for (unsigned c = 0; c < 4; c++) {
        struct fixture *f = filled(&i, samples);
        uint32_t want[6] = {FILL, FILL, FILL, FILL, FILL, FILL};
        address(f, 7, (uint32_t[]){13, 5, first, 0});
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t v = first + k < samples ? value_at(13, 5, first + k) + c * 0x1000 : 0;
            want[d16 ? k / 2 : k] = d16 && k % 2 != 0 ? want[k / 2] | v << 16 : v;
        }
        want[4] = d16 ? FILL : 0; // TFE
        const enum lull_exec_result r = fix_run(f, texts[c][d16]);
        unsigned k = 0;
        while (k < 6 && fix_v(f, OUT + k)[7] == want[k]) {
            k++;
        }
        test_case(r == LULL_EXEC_NEXT && k == 6, d16 ? "image_msaa_load d16" : "image_msaa_load",
                  "%u samples from %u, component %u: result %d, v%u is %08x", samples, first, c,
                  (int)r, OUT + k, fix_v(f, OUT + k % 6)[7]);
        fix_free(f);
    }
}

int main(void)
{
    for (unsigned samples = 2; samples <= 8; samples *= 2) {
        test_load(samples, false);
        test_load(samples, true);
        test_store(samples);
        for (unsigned first = 0; first < samples; first += 4) {
            test_fragments(samples, first, false);
            test_fragments(samples, first, true);
        }
    }
    return test_end();
}
