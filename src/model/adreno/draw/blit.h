// SPDX-License-Identifier: MIT
/** @file
 * CP_BLIT: the 2D engine, which fills and copies surfaces, converts, scales, mirrors and resolves;
 * and BLIT events, which clear, load and store the memory of tiles.
 *
 *   blit.c     the 2D engine, and how texels are moved
 *   resolve.c  what registers say of BLIT events
 *
 * Refused by name: quarter turns, targets with samples, formats that nobody knows here.
 * Source: shared facts on Adreno's draws, 3.8; Mesa vulkan/tu_clear_blit.cc (r2d_*).
 */
#ifndef LULL_MODEL_ADRENO_DRAW_BLIT_H
#define LULL_MODEL_ADRENO_DRAW_BLIT_H

#include "model/adreno/draw/rop.h"
#include "model/observer.h"

/** Texels, from the first to before the last. */
struct lull_ablit_box {
    uint32_t x0, y0, x1, y1;
};

/** A blit under way. Plain data, but for what surfaces borrow. */
struct lull_ablit {
    bool under_way;
    bool solid;   ///< `texel` is written everywhere.
    bool raw;     ///< Bytes are copied as they are.
    bool linear;  ///< Filter; else the nearest texel.
    bool average; ///< Of a pixel's samples; else sample 0.
    bool mirror_x, mirror_y;
    struct lull_ir3_memory memory;
    struct lull_asurface from, to;
    int64_t src_x, src_y;       ///< First texel of the source.
    uint32_t src_w, src_h;      ///< As many of them.
    uint32_t width, height;     ///< Of the whole source; 0: nobody said.
    struct lull_ablit_box dst;  ///< What the source's rectangle becomes.
    struct lull_ablit_box part; ///< What of it is written.
    uint32_t x, y;              ///< The next texel of it.
    uint8_t texel[LULL_ASURFACE_TEXEL];
    uint32_t keep[LULL_ASURFACE_WORDS]; ///< Bits of targets' texels that stay.
};

/** The blit that registers say. @return What makes it impossible. */
struct lull_error *lull_ablit_start(const struct lull_arop_source *source,
                                    struct lull_ablit *ret) LULL_MUST_USE;

/** The BLIT event that registers say. @return What makes it impossible. */
struct lull_error *lull_ablit_event(const struct lull_arop_source *source,
                                    struct lull_ablit *ret) LULL_MUST_USE;

/** Up to @p most texels of it. @return How many; less: it was the end. */
uint64_t lull_ablit_run(struct lull_ablit *b, uint64_t most);

/**
 * What row @p y of its part is to observers: bytes that lie in a row in memory, filled, or copied
 * from such. Addresses and bytes of @p ret are set.
 *
 * @return False: it is none, as texels are not in rows, or not copied as they are.
 */
bool lull_ablit_row(const struct lull_ablit *b, uint32_t y, struct lull_transfer *ret);

#endif
