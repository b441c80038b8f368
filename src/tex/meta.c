// SPDX-License-Identifier: MIT
// Source of sizes: Mesa 22.3.6 src/amd/addrlib gfx11addrlib.cpp, HwlComputeDccInfo,
// HwlComputeHtileInfo, GetMetaBlkSize for 32 pipes and 32 packers; of words: Mesa 25.0.7
// src/amd/vulkan/meta/radv_meta_clear.c.
#include "tex/meta.h"

#include <string.h>

#include "tex/tile.h"

enum {
    BLOCK_BITS = 8,          // log2 of LULL_META_BLOCK
    DCC_LOG2 = 14,           // bytes of a block of keys, at least
    DCC_UNALIGNED_LOG2 = 12, // if it is not spread over the pipes
    HTILE_LOG2 = 17,         // bytes of a block of words,
    HTILE_WIDTH_LOG2 = 11,   // and its pixels
    HTILE_HEIGHT_LOG2 = 10,
    TILE_LOG2 = 3,
    WORD = 4,
    ZMASK = 0xf, // 0: cleared; 15: as in memory
    SMEM = 0x3 << 8,
    ZMAX_SHIFT = 18,
    ZMAX_ONE = 0x3fff,
};

/** A block of metadata. */
struct block {
    unsigned log2, width_log2, height_log2; // Bytes; pixels.
};

static struct block dcc_block(const struct lull_image_desc *d, unsigned bytes_log2)
{
    const unsigned samples_log2 = (unsigned)__builtin_ctz(d->samples);
    const unsigned small = bytes_log2 + samples_log2;
    struct block b = {.log2 = DCC_UNALIGNED_LOG2};
    if (d->meta_pipe_aligned) {
        b.log2 = DCC_LOG2;
        if (samples_log2 == 3) {
            b.log2++;
        }
        if (small > 2 && DCC_UNALIGNED_LOG2 + small - 2 > b.log2) {
            b.log2 = DCC_UNALIGNED_LOG2 + small - 2;
        }
    }
    const unsigned bits = b.log2 + BLOCK_BITS - small;
    b.width_log2 = (bits + 1) / 2;
    b.height_log2 = bits / 2;
    return b;
}

static uint64_t blocks(uint32_t size, unsigned level, unsigned log2)
{
    const uint64_t pixels = ((uint64_t)size + (1u << level) - 1) >> level;
    return (pixels + (1u << log2) - 1) >> log2;
}

/** Where the level lies in a slice: smaller levels come first, the tail before all. */
static void place(const struct lull_image_desc *d, unsigned level, const struct lull_tiling *t,
                  struct block b, struct lull_meta *m)
{
    const unsigned levels = d->samples == 1 ? d->max_mip + 1u : 1;
    uint64_t below = t->first_in_tail < levels ? UINT64_C(1) << b.log2 : 0;
    for (unsigned i = t->first_in_tail < levels ? t->first_in_tail : levels; i-- > 0;) {
        if (i == level) {
            m->level = below;
        }
        below += blocks(d->width, i, b.width_log2) * blocks(d->height, i, b.height_log2) << b.log2;
    }
    m->slice = below;
    m->pitch = (uint32_t)blocks(d->width, level, b.width_log2) << (b.width_log2 - TILE_LOG2);
}

void lull_meta_prepare(const struct lull_image_desc *d, unsigned level, const struct lull_tiling *t,
                       struct lull_meta *ret)
{
    const bool depth = lull_tile_modes[d->sw_mode].order == LULL_TILE_Z;
    const unsigned bytes_log2 = (unsigned)__builtin_ctz(t->bytes);
    const unsigned samples_log2 = (unsigned)__builtin_ctz(t->samples);
    const struct block htile = {HTILE_LOG2, HTILE_WIDTH_LOG2, HTILE_HEIGHT_LOG2};
    struct lull_meta m = {.base = d->metadata};
    *ret = (struct lull_meta){.kind = LULL_META_NONE};
    if (!d->compressed || t->pattern == NULL || level > t->first_in_tail) {
        return;
    }
    place(d, level, t, depth ? htile : dcc_block(d, bytes_log2), &m);
    m.kind = !depth ? LULL_META_DCC : t->bytes == 1 ? LULL_META_STENCIL : LULL_META_DEPTH;
    const unsigned tile = BLOCK_BITS - bytes_log2, block = tile - samples_log2;
    m.tile_log2[0] = (uint8_t)(depth ? TILE_LOG2 : (tile + 1) / 2);
    m.tile_log2[1] = (uint8_t)(depth ? TILE_LOG2 : tile / 2);
    m.block_log2[0] = (uint8_t)((block + 1) / 2);
    m.block_log2[1] = (uint8_t)(block / 2);
    *ret = m;
}

uint64_t lull_meta_va(const struct lull_meta *m, const struct lull_tiling *t, uint32_t x,
                      uint32_t y, uint32_t z, uint32_t sample)
{
    const uint64_t level = m->base + z * m->slice + m->level;
    if (m->kind != LULL_META_DCC) {
        return level + ((uint64_t)(y >> TILE_LOG2) * m->pitch + (x >> TILE_LOG2)) * WORD;
    }
    const uint64_t start = t->level + z * t->slice;
    return level + ((lull_tiling_offset(t, x, y, z, sample) - start) >> BLOCK_BITS);
}

bool lull_meta_dcc_texel(uint8_t key, unsigned bytes, uint8_t texel[16])
{
    const unsigned last = bytes / 4; // the bytes of the last of four components
    memset(texel, 0, bytes);
    switch (key) {
    case 0x00: // all bits 0
        return true;
    case 0x02: // all bits 1
        memset(texel, 0xff, bytes);
        return true;
    case 0x04: // halfs of 1
    case 0x06: // singles of 1
        for (unsigned i = 0; i + 1 < bytes && i + 1 < 16; i += 2) {
            const uint16_t half = key == 0x04 ? 0x3c00 : i % 4 == 2 ? 0x3f80 : 0;
            texel[i] = (uint8_t)half;
            texel[i + 1] = (uint8_t)(half >> 8);
        }
        return true;
    case 0x08: // the last component's bits 1, the others' 0
        memset(texel + bytes - last, 0xff, last);
        return bytes >= 4;
    case 0x0a: // the reverse
        memset(texel, 0xff, bytes - last);
        return bytes >= 4;
    default:
        return false;
    }
}

bool lull_meta_htile_clear(enum lull_meta_kind kind, uint32_t word)
{
    return (word & (kind == LULL_META_STENCIL ? SMEM : ZMASK)) == 0;
}

uint32_t lull_meta_htile_plain(enum lull_meta_kind kind, uint32_t word)
{
    return word | (kind == LULL_META_STENCIL ? SMEM : ZMASK);
}

float lull_meta_htile_depth(uint32_t word)
{
    const uint32_t zmax = word >> ZMAX_SHIFT;
    return zmax == 0 ? 0.0f : zmax == ZMAX_ONE ? 1.0f : -1.0f;
}

bool lull_meta_htile_texel(enum lull_meta_kind kind, const struct lull_depth_clear *clear,
                           uint32_t word, unsigned bytes, uint8_t texel[16])
{
    const float depth = clear->known ? clear->depth : lull_meta_htile_depth(word);
    if (kind == LULL_META_STENCIL) {
        texel[0] = clear->known ? clear->stencil : 0;
    } else if (!(depth >= 0)) {
        return false;
    } else if (bytes == sizeof depth) {
        memcpy(texel, &depth, sizeof depth);
    } else {
        const double d = depth < 1 ? depth : 1;
        const uint16_t unorm = (uint16_t)(d * UINT16_MAX + 0.5);
        memcpy(texel, &unorm, sizeof unorm);
    }
    return true;
}
