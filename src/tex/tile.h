// SPDX-License-Identifier: MIT
/** @file
 * Inside the tiling: the tables that gen/tile.py makes of data/tile/gfx11.tile.
 */
#ifndef LULL_TEX_TILE_H
#define LULL_TEX_TILE_H

#include <stdbool.h>
#include <stdint.h>

enum lull_tile_order {
    LULL_TILE_LINEAR,
    LULL_TILE_Z,
    LULL_TILE_S,
    LULL_TILE_D,
    LULL_TILE_R,
};

/** A swizzle mode. */
struct lull_tile_mode {
    const char *name;   ///< NULL: reserved.
    uint8_t block_bits; ///< log2 of a block's bytes.
    uint8_t order;      ///< enum lull_tile_order.
    bool takes_xor;     ///< The low bits of the image's address are XORed into offsets.
};

/** Address bits inside a block that change with bit n of a coordinate (of the level, in elements).
 */
struct lull_tile_pattern {
    uint32_t x[10], y[10], z[8], sample[3];
};

extern const struct lull_tile_mode lull_tile_modes[32];
extern const struct lull_tile_pattern lull_tile_patterns[];
/** Index + 1 in lull_tile_patterns by 3D or not, mode, log2 of samples, log2 of bytes; 0: none. */
extern const uint8_t lull_tile_index[2][32][4][5];

#endif
