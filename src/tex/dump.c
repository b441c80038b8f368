// SPDX-License-Identifier: MIT
#include "tex/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tex/format_table.h"
#include "tex/meta.h"

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

/** A level of an image, and where its texels come from. */
struct source {
    struct pages *p;
    const struct lull_image_desc *d;
    struct lull_tiling t;
    struct lull_meta meta;
    uint64_t refused; // texels, by memory
    uint64_t unknown; // texels whose metadata is not understood
};

/** The texel if metadata says that it is cleared, though memory does not have that yet. */
static bool cleared_texel(struct source *s, const uint32_t xyz[3], uint8_t texel[MAX_TEXEL])
{
    const struct lull_tiling *t = &s->t;
    const struct lull_meta *m = &s->meta;
    const enum lull_meta_kind kind = (enum lull_meta_kind)m->kind;
    const uint32_t x = xyz[0] / t->texels_x, y = xyz[1] / t->texels_y;
    const bool keys = kind == LULL_META_DCC;
    uint8_t b[4] = {0};
    bool good = true;
    if (kind == LULL_META_NONE ||
        !read_bytes(s->p, lull_meta_va(m, t, x, y, xyz[2], 0), b, keys ? 1 : sizeof b)) {
        return false;
    }
    const uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    if (keys ? word == LULL_META_DCC_PLAIN : !lull_meta_htile_clear(kind, word)) {
        return false;
    }
    if (keys && word == LULL_META_DCC_SINGLE) {
        const uint64_t first =
            lull_tiling_offset(t, x >> m->tile_log2[0] << m->tile_log2[0],
                               y >> m->tile_log2[1] << m->tile_log2[1], xyz[2], 0);
        good = read_bytes(s->p, t->base + first, texel, t->bytes);
    } else if (keys) {
        good = lull_meta_dcc_texel(b[0], t->bytes, texel);
    } else {
        good = lull_meta_htile_texel(kind, &s->d->clear, word, t->bytes, texel);
    }
    s->unknown += !good;
    return true;
}

static void read_texels(struct source *s, uint32_t z, enum lull_pixel_form form,
                        struct lull_pixels *ret)
{
    const unsigned size = form == LULL_PIXELS_RGBA8 ? 4 : 16;
    const struct lull_image_desc *d = s->d;
    for (uint32_t y = 0; y < ret->height; y++) {
        for (uint32_t x = 0; x < ret->width; x++) {
            uint8_t texel[MAX_TEXEL] = {0};
            uint32_t rgba[4] = {0};
            uint32_t value[4] = {0};
            if (!cleared_texel(s, (const uint32_t[3]){x, y, z}, texel)) {
                s->refused +=
                    !read_bytes(s->p, lull_tiling_texel_va(&s->t, x, y, z, 0), texel, s->t.bytes);
            }
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
    struct source s = {.d = d};
    const unsigned absolute = d->base_level + level;
    const enum lull_tex_status status = lull_tiling_prepare(d, absolute, &s.t);
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
    s.p = calloc(1, sizeof(*s.p));
    if (r.data == NULL || s.p == NULL) {
        free(s.p);
        free(r.data);
        return lull_error_new(LULL_ERR_NO_MEMORY, "no memory for %" PRIu32 "x%" PRIu32 " pixels",
                              e.width, e.height);
    }
    s.p->memory = m;
    lull_meta_prepare(d, absolute, &s.t, &s.meta);
    read_texels(&s, first + slice, form, &r);
    free(s.p);
    if (s.unknown != 0) {
        free(r.data);
        return refuse(LULL_TEX_DCC);
    }
    if (s.refused == count) {
        free(r.data);
        return lull_error_fault(s.t.base, "%s", lull_tex_status_text(LULL_TEX_MEMORY));
    }
    *ret = r;
    return NULL;
}

void lull_pixels_done(struct lull_pixels *p)
{
    free(p->data);
    *p = (struct lull_pixels){0};
}
