// SPDX-License-Identifier: MIT
#include "tex/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tex/format_table.h"

enum {
    PAGE = 4096,
    SLOTS = 256,    // Pages kept: a row of blocks of a wide image.
    MAX_TEXEL = 16, // Bytes.
    MAX_PIXELS = 1 << 28,
};

/** Pages of GPU memory that were read. */
struct pages {
    const struct lull_tex_memory *memory;
    uint64_t va[SLOTS]; // Of the page, | 1 if it is there, | 2 if memory refused it.
    uint8_t data[SLOTS][PAGE];
};

static const uint8_t *page_at(struct pages *p, uint64_t va)
{
    const uint64_t start = va & ~(uint64_t)(PAGE - 1);
    const unsigned slot = (unsigned)(start / PAGE % SLOTS);
    if ((p->va[slot] & ~UINT64_C(3)) != start || (p->va[slot] & 3) == 0) {
        const bool ok = p->memory->read(p->memory->ctx, start, p->data[slot], PAGE);
        p->va[slot] = start | (ok ? 1 : 2);
    }
    return (p->va[slot] & 1) != 0 ? p->data[slot] : NULL;
}

/** @p bytes at @p va; false and zeros if memory refuses. */
static bool read_bytes(struct pages *p, uint64_t va, uint8_t *buf, unsigned bytes)
{
    memset(buf, 0, bytes);
    for (unsigned done = 0; done < bytes;) {
        const unsigned left = PAGE - (unsigned)((va + done) % PAGE);
        const unsigned n = bytes - done < left ? bytes - done : left;
        const uint8_t *page = page_at(p, va + done);
        if (page == NULL) {
            return false;
        }
        memcpy(buf + done, page + (va + done) % PAGE, n);
        done += n;
    }
    return true;
}

/** Alpha of an integer format that has none: opaque in a picture, whatever a shader sees. */
static bool no_alpha(const struct lull_image_desc *d)
{
    const unsigned sel = d->dst_sel[3];
    return lull_format_is_integer(d->format) &&
           (sel == LULL_DST_SEL_1 ||
            (sel >= LULL_DST_SEL_X && sel - LULL_DST_SEL_X >= d->format->components));
}

static void to_bytes(const struct lull_image_desc *d, const uint32_t value[4], uint8_t ret[4])
{
    static const struct lull_format_info bytes = {
        .bytes = 4,
        .codec = LULL_FORMAT_PLAIN,
        .components = 4,
        .block_width = 1,
        .block_height = 1,
        .component = {{0, 8, LULL_FORMAT_UNORM},
                      {8, 8, LULL_FORMAT_UNORM},
                      {16, 8, LULL_FORMAT_UNORM},
                      {24, 8, LULL_FORMAT_UNORM}},
    };
    struct lull_format_info f = bytes;
    for (unsigned i = 0; i < 4; i++) {
        if (lull_format_is_integer(d->format)) {
            f.component[i].kind = LULL_FORMAT_UINT;
        } else if (d->format->kind == LULL_FORMAT_SRGB && i < 3) {
            f.component[i].kind = LULL_FORMAT_SRGB; // Pictures are sRGB, too.
        }
    }
    uint32_t v[4] = {value[0], value[1], value[2], value[3]};
    for (unsigned i = 0; d->format->kind == LULL_FORMAT_SINT && i < 4; i++) {
        v[i] = (int32_t)v[i] < 0 ? 0 : v[i];
    }
    lull_format_pack(&f, v, ret);
    if (no_alpha(d)) {
        ret[3] = UINT8_MAX;
    }
}

/** @return Texels that memory refused. */
static uint64_t read_texels(struct pages *p, const struct lull_image_desc *d,
                            const struct lull_tiling *t, uint32_t z, enum lull_pixel_form form,
                            struct lull_pixels *ret)
{
    const unsigned size = form == LULL_PIXELS_RGBA8 ? 4 : 16;
    uint64_t refused = 0;
    for (uint32_t y = 0; y < ret->height; y++) {
        for (uint32_t x = 0; x < ret->width; x++) {
            uint8_t texel[MAX_TEXEL] = {0};
            uint32_t rgba[4] = {0};
            uint32_t value[4] = {0};
            refused += !read_bytes(p, lull_tiling_texel_va(t, x, y, z, 0), texel, t->bytes);
            lull_format_unpack_block(d->format, texel, x, y, rgba);
            lull_dst_select(d->format, d->dst_sel, rgba, value);
            uint8_t *at = ret->data + ((size_t)y * ret->width + x) * size;
            if (form == LULL_PIXELS_RGBA8) {
                to_bytes(d, value, at);
            } else {
                memcpy(at, value, sizeof(value));
            }
        }
    }
    return refused;
}

LULL_MUST_USE static struct lull_error *refuse(enum lull_tex_status status)
{
    const bool caller = status == LULL_TEX_LEVEL;
    return lull_error_new(caller ? LULL_ERR_INVALID : LULL_ERR_UNSUPPORTED, "%s",
                          lull_tex_status_text(status));
}

struct lull_error *lull_tex_read_level(const struct lull_tex_memory *m,
                                       const struct lull_image_desc *d, unsigned level,
                                       unsigned slice, enum lull_pixel_form form,
                                       struct lull_pixels *ret)
{
    struct lull_tiling t = {0};
    const unsigned absolute = d->base_level + level;
    const enum lull_tex_status status = lull_tiling_prepare(d, absolute, &t);
    if (status != LULL_TEX_OK) {
        return refuse(status);
    }
    const struct lull_extent e = lull_image_extent(d, absolute);
    const uint32_t first = d->type == LULL_IMAGE_3D && !d->uav3d ? 0 : d->first_slice;
    if (slice >= e.depth) {
        return lull_error_new(LULL_ERR_INVALID, "slice %u of %" PRIu32, slice, e.depth);
    }
    struct lull_pixels r = {.width = e.width, .height = e.height};
    const uint64_t count = (uint64_t)e.width * e.height;
    if (count > MAX_PIXELS) {
        return refuse(LULL_TEX_SIZE);
    }
    r.data = calloc(count, form == LULL_PIXELS_RGBA8 ? 4 : 16);
    struct pages *p = calloc(1, sizeof(*p));
    if (r.data == NULL || p == NULL) {
        free(p);
        free(r.data);
        return lull_error_new(LULL_ERR_NO_MEMORY, "no memory for %" PRIu32 "x%" PRIu32 " pixels",
                              e.width, e.height);
    }
    p->memory = m;
    const uint64_t refused = read_texels(p, d, &t, first + slice, form, &r);
    free(p);
    if (refused == count) {
        free(r.data);
        return lull_error_fault(t.base, "%s", lull_tex_status_text(LULL_TEX_MEMORY));
    }
    *ret = r;
    return NULL;
}

void lull_pixels_done(struct lull_pixels *p)
{
    free(p->data);
    *p = (struct lull_pixels){0};
}
