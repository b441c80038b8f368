// SPDX-License-Identifier: MIT
/** @file
 * Metadata of compressed images of gfx11: DCC keys of colour images, HTILE words of depth and
 * stencil images.
 *
 * A driver fills them for whole levels and slices and leaves the rest to the hardware, so which
 * key belongs to which block inside a level of a slice is nobody's business but the hardware's.
 * Here it is the order of the blocks in memory (DCC) and rows of tiles (HTILE); where levels and
 * slices of metadata lie is addrlib's (Mesa src/amd/addrlib, gfx11, GB_ADDR_CONFIG 0x545). Of the
 * levels in the mip tail only the first has metadata.
 *
 * Pure: no memory is touched here.
 */
#ifndef LULL_TEX_META_H
#define LULL_TEX_META_H

#include "tex/tiling.h"

enum lull_meta_kind {
    LULL_META_NONE,    ///< The level is as its memory is.
    LULL_META_DCC,     ///< A byte for 256 bytes.
    LULL_META_DEPTH,   ///< A dword for 8x8 pixels, which depth
    LULL_META_STENCIL, ///< and stencil share.
};

enum {
    LULL_META_TILE = 8,          ///< Pixels of an HTILE word, across and down.
    LULL_META_BLOCK = 256,       ///< Bytes of a DCC key.
    LULL_META_DCC_PLAIN = 0xff,  ///< Key of a block that is as its memory is.
    LULL_META_DCC_SINGLE = 0x01, ///< The colour stands in the first texel of its tile.
};

/** Metadata of one level. */
struct lull_meta {
    uint64_t base;         ///< VA.
    uint64_t slice;        ///< Bytes from one slice to the next.
    uint64_t level;        ///< Bytes from the start of a slice to this level.
    uint32_t pitch;        ///< HTILE: words of a row of tiles.
    uint8_t kind;          ///< enum lull_meta_kind.
    uint8_t tile_log2[2];  ///< Width and height of a tile in pixels: its keys change together.
    uint8_t block_log2[2]; ///< DCC: the same of the pixels of a key.
};

/**
 * Metadata of level @p level of @p d, whose tiling is @p t: by d->compressed, metadata,
 * meta_pipe_aligned, and the order of its swizzle mode: Z is depth (of 2 and 4 bytes) and stencil.
 */
void lull_meta_prepare(const struct lull_image_desc *d, unsigned level, const struct lull_tiling *t,
                       struct lull_meta *ret);

/** VA of the key or word of an element. */
uint64_t lull_meta_va(const struct lull_meta *m, const struct lull_tiling *t, uint32_t x,
                      uint32_t y, uint32_t z, uint32_t sample);

/**
 * Texel that a DCC key stands for.
 *
 * @param bytes Of the texel: 1 to 16. @param texel So many are written.
 * @return False: the key is PLAIN, SINGLE, or one that no driver clears to.
 */
bool lull_meta_dcc_texel(uint8_t key, unsigned bytes, uint8_t texel[16]);

/** The tile of HTILE word @p word is cleared, as far as @p kind goes. */
bool lull_meta_htile_clear(enum lull_meta_kind kind, uint32_t word);
/**
 * The texel of @p bytes that a cleared tile holds.
 * @return False: a depth that neither @p clear nor the word has.
 */
bool lull_meta_htile_texel(enum lull_meta_kind kind, const struct lull_depth_clear *clear,
                           uint32_t word, unsigned bytes, uint8_t texel[16]);
/** The word once its tile is as its memory is. */
uint32_t lull_meta_htile_plain(enum lull_meta_kind kind, uint32_t word);
/** Depth to which a tile is cleared, where it is 0 or 1; else -1. */
float lull_meta_htile_depth(uint32_t word);

#endif
