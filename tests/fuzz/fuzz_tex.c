// SPDX-License-Identifier: MIT
/** @file
 * Any bits as descriptors: printing works, offsets stay inside the size that the tiling computes,
 * and formats read and write no more than their bytes (the sanitizer sees).
 *
 * Input: 8 dwords of an image, then bytes that choose texels and are texels.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "tex/dump.h"

enum { DWORDS = 8, MAX_TEXEL = 16, MAX_PIXELS = 1 << 14 };

struct input {
    const uint8_t *data;
    size_t size, at;
};

static uint32_t next(struct input *in)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 4; i++) {
        v = v << 8 | (in->size == 0 ? 0 : in->data[in->at++ % in->size]);
    }
    return v;
}

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void show(const uint32_t *dwords, const struct lull_image_desc *d)
{
    struct lull_str s = {0};
    struct lull_sampler_desc sampler = {0};
    struct lull_buffer_desc buffer = {0};
    lull_sampler_desc_parse(dwords, &sampler);
    lull_buffer_desc_parse(dwords + 4, &buffer);
    lull_image_desc_show(d, &s);
    lull_sampler_desc_show(&sampler, &s);
    lull_buffer_desc_show(&buffer, &s);
    check(s.err == NULL && s.size > 0);
    lull_str_free(&s);
}

static void formats(const struct lull_format_info *f, struct input *in)
{
    uint32_t rgba[4] = {next(in), next(in), next(in), next(in)};
    uint8_t *texel = malloc(f->bytes); // Exactly: the sanitizer guards its ends.
    check(texel != NULL);
    memset(texel, 0, f->bytes);
    lull_format_pack(f, rgba, texel);
    lull_format_unpack_block(f, texel, next(in), next(in), rgba);
    for (unsigned i = 0; i < f->bytes; i++) {
        texel[i] = (uint8_t)next(in);
    }
    lull_format_unpack(f, texel, rgba);
    free(texel);
}

static void texels(const struct lull_image_desc *d, struct input *in)
{
    for (unsigned n = 0; n < 16; n++) {
        struct lull_tiling t = {0};
        const unsigned level = next(in) % 17;
        const enum lull_tex_status status = lull_tiling_prepare(d, level, &t);
        check(status <= LULL_TEX_OK && lull_tex_status_text(status)[0] != '?');
        if (status != LULL_TEX_OK) {
            continue;
        }
        const struct lull_extent e = lull_image_extent(d, level);
        check(t.bytes <= MAX_TEXEL && t.width * t.texels_x >= e.width);
        const uint32_t x = next(in) % t.width;
        const uint32_t y = next(in) % t.height;
        const uint32_t z = next(in) % t.depth;
        const uint64_t at = lull_tiling_offset(&t, x, y, z, next(in) % t.samples);
        check(at < t.size && t.size - at >= t.bytes);
    }
}

static bool some_memory(void *ctx, uint64_t va, void *buf, size_t bytes)
{
    (void)ctx;
    memset(buf, (int)(va >> 12 & UINT8_MAX), bytes);
    return (va >> 12) % 5 != 0;
}

static void picture(const struct lull_image_desc *d, struct input *in)
{
    const struct lull_tex_memory m = {.read = some_memory};
    struct lull_pixels p = {0};
    const unsigned level = next(in) % 16;
    const struct lull_extent e = lull_image_extent(d, d->base_level + level);
    if ((uint64_t)e.width * e.height > MAX_PIXELS) {
        return;
    }
    struct lull_error *err =
        lull_tex_read_level(&m, d, level, next(in) % 8, (enum lull_pixel_form)(next(in) % 2), &p);
    check((err == NULL) == (p.data != NULL));
    lull_error_free(err);
    lull_pixels_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size, 0};
    uint32_t dwords[DWORDS] = {0};
    struct lull_image_desc d = {0};
    for (unsigned i = 0; i < DWORDS; i++) {
        dwords[i] = next(&in);
    }
    lull_image_desc_parse(dwords, &d);
    show(dwords, &d);
    if (d.format != NULL) {
        formats(d.format, &in);
    }
    texels(&d, &in);
    picture(&d, &in);
    return 0;
}
