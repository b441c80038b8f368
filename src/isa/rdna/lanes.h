// SPDX-License-Identifier: MIT
/** @file
 * Which lane an instruction reads that shuffles lanes. Inline: the model calls it for each.
 *
 * Source: RDNA3 ISA guide, DPP16 and DPP8 controls; 16.13, pseudo code of DS_SWIZZLE_B32.
 */
#ifndef LULL_ISA_RDNA_LANES_H
#define LULL_ISA_RDNA_LANES_H

#include "isa/rdna/rdna.h"

enum { LULL_RDNA_ROW = 16 }; ///< Lanes in which DPP moves values.

// DPP16's dpp_ctrl.
enum {
    LULL_DPP_QUAD_PERM_LAST = 0xff,
    LULL_DPP_ROW_SHL = 0x100, ///< + 1..15
    LULL_DPP_ROW_SHR = 0x110,
    LULL_DPP_ROW_ROR = 0x120,
    LULL_DPP_ROW_MIRROR = 0x140,
    LULL_DPP_ROW_HALF_MIRROR = 0x141,
    LULL_DPP_ROW_SHARE = 0x150, ///< + lane
    LULL_DPP_ROW_XMASK = 0x160,
};

/** Lane of the same row that lane @p i reads by DPP16; -1: none. */
static inline int lull_rdna_dpp16_lane(uint32_t ctrl, int i)
{
    const int n = (int)(ctrl & 15), row = i & ~15, lane = i & 15;
    if (ctrl <= LULL_DPP_QUAD_PERM_LAST) {
        return (i & ~3) | (int)(ctrl >> (2 * (i & 3)) & 3);
    }
    switch (ctrl & ~15u) {
    case LULL_DPP_ROW_SHL:
        return lane + n < LULL_RDNA_ROW ? row + lane + n : -1;
    case LULL_DPP_ROW_SHR:
        return lane >= n ? row + lane - n : -1;
    case LULL_DPP_ROW_ROR:
        return row + ((lane - n) & 15);
    case LULL_DPP_ROW_MIRROR:
        return ctrl == LULL_DPP_ROW_MIRROR ? row + 15 - lane : (i & ~7) | (7 - (i & 7));
    case LULL_DPP_ROW_SHARE:
        return row + n;
    case LULL_DPP_ROW_XMASK:
        return row + (lane ^ n);
    default:
        return -1;
    }
}

/** Lane that lane @p i reads by DPP8. */
static inline int lull_rdna_dpp8_lane(uint32_t ctrl, int i)
{
    return (i & ~7) | (int)(ctrl >> (3 * (i & 7)) & 7);
}

/** Do row_mask and bank_mask let lane @p i write? */
static inline bool lull_rdna_dpp_on(const struct lull_rdna_insn *in, unsigned i)
{
    return (in->row_mask >> (i / LULL_RDNA_ROW & 3) & 1) != 0 &&
           (in->bank_mask >> (i / 4 & 3) & 1) != 0;
}

/** Lane whose value lane @p l of 32 gets by ds_swizzle_b32. */
static inline unsigned lull_rdna_swizzle_lane(unsigned l, unsigned pattern)
{
    enum { FFT = 0xe000, ROTATE = 0xc000, QUAD = 0x8000, FIVE = 0x1f };
    const unsigned mask = pattern & FIVE;
    if (pattern >= FFT) {
        const unsigned reversed =
            (l & 1) << 4 | (l & 2) << 2 | (l & 4) | (l & 8) >> 2 | (l & 16) >> 4;
        return reversed >> (unsigned)__builtin_popcount(mask) | (l & mask);
    }
    if (pattern >= ROTATE) {
        const unsigned by = pattern >> 5 & FIVE;
        const unsigned to = (pattern >> 10 & 1) != 0 ? l - by : l + by;
        return ((l & mask) | (to & ~mask)) & FIVE;
    }
    if (pattern >= QUAD) {
        return (l & ~3u) | (pattern >> 2 * (l & 3) & 3);
    }
    return (((l & mask) | (pattern >> 5 & FIVE)) ^ (pattern >> 10 & FIVE)) & FIVE;
}

#endif
