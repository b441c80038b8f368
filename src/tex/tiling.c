// SPDX-License-Identifier: MIT
// Source of the layouts: Mesa 22.3.6, src/amd/addrlib (gfx11), as docs/formats/images.md says.
#include "tex/tiling.h"

#include <string.h>

#include "tex/tile.h"

enum {
    LINEAR_ALIGN = 256, // Bytes of a row.
    MICRO_BITS = 8,     // Blocks of 256 bytes have no mip tail.
    THICK_MICRO_BITS = 10,
    MAX_SAMPLES_LOG2 = 3,
};

/** log2 of the size of 1 KiB of a thick image, and of 256 bytes, by log2 of the element's bytes. */
static const uint8_t thick_1k[5][3] = {{4, 3, 3}, {3, 3, 3}, {3, 3, 2}, {3, 2, 2}, {2, 2, 2}};
static const uint8_t thick_256[5][2] = {{3, 2}, {2, 2}, {2, 2}, {2, 1}, {1, 1}};
static const uint8_t thin_256[5][2] = {{4, 4}, {4, 3}, {3, 3}, {3, 2}, {2, 2}};

/** What all levels of an image have in common. */
struct chain {
    const struct lull_image_desc *d;
    const struct lull_tile_mode *mode;
    uint32_t width, height; // Of level 0, in elements.
    unsigned levels, bytes_log2, samples_log2;
    bool thick;
    uint8_t block[3];        // log2 of a block's size.
    uint32_t tail_w, tail_h; // Levels up to this size go into the mip tail.
    unsigned tail_max;       // If they are at most so many.
    unsigned first_in_tail;  // == levels: none.
};

static uint32_t up(uint32_t v, unsigned log2)
{
    return ((v + (1u << log2) - 1) >> log2) << log2;
}

static uint32_t level_size(uint32_t v, unsigned level)
{
    return (uint32_t)(((uint64_t)v + (1u << level) - 1) >> level);
}

static void find_block(struct chain *c)
{
    const unsigned bits = c->mode->block_bits;
    if (c->thick) {
        const unsigned times = (bits - THICK_MICRO_BITS) / 3;
        const unsigned rest = (bits - THICK_MICRO_BITS) % 3;
        const uint8_t *k = thick_1k[c->bytes_log2];
        c->block[0] = (uint8_t)(k[0] + times);
        c->block[1] = (uint8_t)(k[1] + times + rest / 2);
        c->block[2] = (uint8_t)(k[2] + times + (rest != 0));
        return;
    }
    const unsigned n = bits - c->bytes_log2 - c->samples_log2;
    c->block[0] = (uint8_t)((n + (c->samples_log2 % 2 == 0)) / 2);
    c->block[1] = (uint8_t)(n - c->block[0]);
    c->block[2] = 0;
}

static void find_tail(struct chain *c)
{
    const unsigned bits = c->mode->block_bits;
    c->first_in_tail = c->levels;
    if (c->levels == 1 || bits == MICRO_BITS) {
        return;
    }
    unsigned w = c->block[0];
    unsigned h = c->block[1];
    if (!c->thick || bits % 3 == 1) {
        w--;
    } else if (bits % 3 == 0) {
        h--;
    }
    if ((c->mode->order == LULL_TILE_Z || c->mode->order == LULL_TILE_R) && c->bytes_log2 <= 1) {
        w -= thin_256[c->bytes_log2][0] - 3u;
        h -= thin_256[c->bytes_log2][1] - 3u;
    }
    const unsigned effective = c->thick ? bits - (bits - MICRO_BITS) / 3 : bits;
    c->tail_max = effective <= 11 ? 1 + (1u << (effective - 9)) : effective - 4;
    for (unsigned i = 0; i < c->levels; i++) {
        if (level_size(c->width, i) <= 1u << w && level_size(c->height, i) <= 1u << h &&
            c->levels - i <= c->tail_max) {
            c->first_in_tail = i;
            return;
        }
    }
}

/** Bytes of a level that is not in the tail: of a slice, or of a layer of blocks. */
static uint64_t level_bytes(const struct chain *c, unsigned level)
{
    const uint64_t w = up(level_size(c->width, level), c->block[0]) >> c->block[0];
    const uint64_t h = up(level_size(c->height, level), c->block[1]) >> c->block[1];
    return w * h << c->mode->block_bits;
}

/** Corner of a level in the tail's block. */
static void place_in_tail(const struct chain *c, unsigned level, struct lull_tiling *t)
{
    const unsigned m = c->tail_max - 1 - (level - c->first_in_tail);
    const uint32_t offset = m > 6 ? 16u << m : m << 8;
    uint32_t x = 0;
    uint32_t y = 0;
    for (unsigned i = 0; i < 6; i++) { // Bits of the offset alternate, y first, from bit 8.
        y |= (offset >> (8 + 2 * i) & 1) << i;
        x |= (offset >> (9 + 2 * i) & 1) << i;
    }
    const uint8_t *micro = c->thick ? thick_256[c->bytes_log2] : thin_256[c->bytes_log2];
    t->tail_x = x << micro[0];
    t->tail_y = y << micro[1];
    t->in_tail = true;
}

static void lay_out_tiled(const struct chain *c, unsigned level, struct lull_tiling *t)
{
    const uint64_t tail = c->first_in_tail < c->levels ? UINT64_C(1) << c->mode->block_bits : 0;
    uint64_t below = tail; // Smaller levels come first.
    for (unsigned i = c->first_in_tail; i-- > 0;) {
        if (i == level) {
            t->level = below;
        }
        below += level_bytes(c, i);
    }
    t->slice = below;
    t->row = (uint64_t)(up(t->width, c->block[0]) >> c->block[0]) << c->mode->block_bits;
    if (level >= c->first_in_tail) {
        place_in_tail(c, level, t);
    }
    if (c->mode->takes_xor) {
        t->xor_bits = (uint32_t)t->base & ((1u << c->mode->block_bits) - 1);
        t->base -= t->xor_bits;
    }
}

static uint64_t linear_row(const struct chain *c, unsigned level)
{
    const uint64_t bytes = (uint64_t)level_size(c->width, level) * c->d->format->bytes;
    const uint64_t row = (bytes + LINEAR_ALIGN - 1) / LINEAR_ALIGN * LINEAR_ALIGN;
    const uint64_t own = (uint64_t)c->d->pitch * c->d->format->bytes;
    return level == 0 && own > row ? own : row;
}

static void lay_out_linear(const struct chain *c, unsigned level, struct lull_tiling *t)
{
    uint64_t below = 0;
    for (unsigned i = c->levels; i-- > 0;) {
        if (i == level) {
            t->level = below;
        }
        below += linear_row(c, i) * level_size(c->height, i);
    }
    t->slice = below;
    t->row = linear_row(c, level);
}

/** Slices, or layers of blocks, of the whole image. */
static uint64_t layers(const struct chain *c)
{
    const uint64_t n = c->d->type == LULL_IMAGE_3D ? c->d->depth : (uint64_t)c->d->last_slice + 1;
    return (n + (1u << c->block[2]) - 1) >> c->block[2];
}

static enum lull_tex_status open_chain(const struct lull_image_desc *d, struct chain *c,
                                       const struct lull_tile_pattern **pattern)
{
    const enum lull_tex_status status = lull_image_check(d);
    if (status != LULL_TEX_OK) {
        return status;
    }
    const struct lull_format_info *f = d->format;
    c->d = d;
    c->mode = &lull_tile_modes[d->sw_mode];
    c->width = (d->width + f->block_width - 1) / f->block_width;
    c->height = (d->height + f->block_height - 1) / f->block_height;
    c->levels = d->samples == 1 ? d->max_mip + 1u : 1;
    c->samples_log2 = (unsigned)__builtin_ctz(d->samples);
    c->bytes_log2 = (unsigned)__builtin_ctz(f->bytes);
    if (c->mode->name == NULL) {
        return LULL_TEX_MODE;
    }
    if (c->mode->block_bits == 0) {
        return d->samples == 1 ? LULL_TEX_OK : LULL_TEX_SAMPLES;
    }
    const bool three = d->type == LULL_IMAGE_3D;
    const unsigned at = lull_tile_index[three][d->sw_mode][c->samples_log2][c->bytes_log2];
    if (at == 0 || f->bytes != 1u << c->bytes_log2) {
        return d->samples == 1 ? LULL_TEX_MODE : LULL_TEX_SAMPLES;
    }
    c->thick = three && (c->mode->order == LULL_TILE_S || c->mode->order == LULL_TILE_D);
    *pattern = &lull_tile_patterns[at - 1];
    find_block(c);
    find_tail(c);
    return LULL_TEX_OK;
}

enum lull_tex_status lull_tiling_prepare(const struct lull_image_desc *d, unsigned level,
                                         struct lull_tiling *ret)
{
    struct chain c = {0};
    struct lull_tiling t = {0};
    const enum lull_tex_status status = open_chain(d, &c, &t.pattern);
    if (status != LULL_TEX_OK) {
        return status;
    }
    if (level >= c.levels) {
        return LULL_TEX_LEVEL;
    }
    t.base = d->base;
    t.width = level_size(c.width, level);
    t.height = level_size(c.height, level);
    t.depth = d->type == LULL_IMAGE_3D ? lull_image_extent(d, level).depth : d->last_slice + 1;
    t.samples = d->samples;
    t.bytes = d->format->bytes;
    t.texels_x = d->format->block_width;
    t.texels_y = d->format->block_height;
    t.block_bits = c.mode->block_bits;
    t.first_in_tail = (uint8_t)c.first_in_tail;
    for (unsigned i = 0; i < 3; i++) {
        t.block_log2[i] = c.block[i];
    }
    if (t.pattern == NULL) {
        lay_out_linear(&c, level, &t);
    } else {
        lay_out_tiled(&c, level, &t);
    }
    t.size = t.slice * layers(&c);
    *ret = t;
    return LULL_TEX_OK;
}

/** XOR of the masks of the bits that are set in @p v. */
static uint32_t mix(const uint32_t *masks, unsigned n, uint32_t v)
{
    uint32_t r = 0;
    for (v &= (1u << n) - 1; v != 0; v &= v - 1) {
        r ^= masks[__builtin_ctz(v)];
    }
    return r;
}

#define COUNT(a) ((unsigned)(sizeof(a) / sizeof((a)[0])))

uint64_t lull_tiling_offset(const struct lull_tiling *t, uint32_t x, uint32_t y, uint32_t z,
                            uint32_t sample)
{
    const struct lull_tile_pattern *p = t->pattern;
    const uint64_t at = t->level + (z >> t->block_log2[2]) * t->slice;
    if (p == NULL) {
        return at + y * t->row + (uint64_t)x * t->bytes;
    }
    const uint64_t block =
        (y >> t->block_log2[1]) * t->row + ((uint64_t)(x >> t->block_log2[0]) << t->block_bits);
    const uint32_t in = mix(p->x, COUNT(p->x), x + t->tail_x) ^
                        mix(p->y, COUNT(p->y), y + t->tail_y) ^ mix(p->z, COUNT(p->z), z) ^
                        mix(p->sample, COUNT(p->sample), sample);
    return at + block + (in ^ t->xor_bits);
}

void lull_tiling_steps_make(const struct lull_tiling *t, struct lull_tiling_steps *ret)
{
    enum { BITS = 5, STEPS = 1 << BITS };
    const struct lull_tile_pattern *p = t->pattern;
    memset(ret, 0, sizeof(*ret));
    if (p == NULL) {
        return;
    }
    for (unsigned i = 1; i < STEPS; i++) {
        const unsigned rest = i & (i - 1), bit = (unsigned)__builtin_ctz(i);
        for (unsigned k = 0; k < 2; k++) {
            ret->x[k][i] = ret->x[k][rest] ^ p->x[BITS * k + bit];
            ret->y[k][i] = ret->y[k][rest] ^ p->y[BITS * k + bit];
        }
    }
    // Offsets are counted from the corner's, which has the tail's place.
    const uint32_t corner = mix(p->x, COUNT(p->x), t->tail_x) ^ mix(p->y, COUNT(p->y), t->tail_y);
    for (unsigned i = 0; i < STEPS; i++) {
        ret->x[0][i] ^= corner;
    }
}

uint64_t lull_tiling_texel_va(const struct lull_tiling *t, uint32_t x, uint32_t y, uint32_t z,
                              uint32_t sample)
{
    return t->base + lull_tiling_offset(t, x / t->texels_x, y / t->texels_y, z, sample);
}

const char *lull_sw_mode_name(unsigned sw_mode)
{
    const char *name = sw_mode < COUNT(lull_tile_modes) ? lull_tile_modes[sw_mode].name : NULL;
    return name == NULL ? "?" : name;
}
