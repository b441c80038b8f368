// SPDX-License-Identifier: MIT
/** @file
 * The back end of Adreno (RB): what happens to samples behind the fragment shader, and before it
 * when tests come early.
 *
 *   rop.c        what registers say
 *   rop_depth.c  tests of depth and stencil
 *   rop_color.c  masks, blending, logic operations, writing
 *   rop_place.c  where samples are
 *
 * Order: coverage and the sample mask of registers; lull_arop_early() if `early`; the shader, whose
 * killed pixels leave the mask; lull_arop_output(): the shader's sample mask, alpha to coverage,
 * tests that are late, counting, targets.
 * Source: shared facts on Adreno's draws, 3.4, 3.5; Mesa registers/adreno/a6xx.xml.
 */
#ifndef LULL_MODEL_ADRENO_DRAW_ROP_H
#define LULL_MODEL_ADRENO_DRAW_ROP_H

#include "base/error.h"
#include "model/adreno/draw/surface.h"
#include "model/raster/output.h"

enum {
    LULL_AROP_TARGETS = 8,
    LULL_AROP_SAMPLES = 4,
    LULL_AROP_PIXELS = 4, ///< Of a quad: n is at x + (n & 1), y + (n >> 1).
};

/** Where the back end gets all from. Must outlive what is read from it. */
struct lull_arop_source {
    unsigned gpu_id; ///< 630, 660, 740.
    void *ctx;
    uint32_t (*reg)(void *ctx, uint32_t number);
    struct lull_ir3_memory memory;
    const struct lull_agmem *gmem;
    uint64_t *passed; ///< Samples that have passed all tests: counted on. NULL: nobody counts.
};

/** A colour target of a draw. */
struct lull_arop_target {
    bool any;                           ///< There is one, and it is written.
    bool reads;                         ///< What the texel was matters.
    uint8_t logic;                      ///< As lull_raster_logic() takes it; 0xc: none.
    uint32_t keep[LULL_ASURFACE_WORDS]; ///< Bits of the texel that stay.
    struct lull_raster_blend blend;
    struct lull_asurface at;
};

/** Depth and stencil of a draw. */
struct lull_arop_depth {
    bool any;            ///< Something is tested or written.
    bool depth, stencil; ///< Which of them.
    bool clamp;          ///< To zmin and zmax.
    float zmin, zmax;
    uint32_t units; ///< Largest value of a fixed-point buffer; 0: floats.
    bool packed;    ///< Stencil is in the highest byte of depth's dword.
    struct lull_asurface z, s;
    struct lull_raster_depth_state state;
};

/** What registers say of the output of one draw. Plain data but for what it borrows. */
struct lull_arop {
    unsigned samples;     ///< Of a pixel: 1, 2, 4.
    uint32_t sample_mask; ///< Bit s.
    bool early;           ///< Tests come before the shader.
    bool alpha_to_coverage, alpha_to_one;
    bool dual;                    ///< Output 1 is the second source of target 0.
    bool counts;                  ///< Samples that pass are counted.
    bool half[LULL_AROP_TARGETS]; ///< Outputs are half registers.
    uint32_t tile[2];   ///< Size of a tile, if targets are in the memory of tiles; else 0.
    uint32_t window[2]; ///< Pixels from the screen's origin to that of the tile.
    struct lull_arop_target target[LULL_AROP_TARGETS];
    struct lull_arop_depth zs;
    struct lull_arop_source source;
};

/** 2 by 2 pixels of one primitive. */
struct lull_arop_quad {
    uint32_t x, y; ///< On the screen; even.
    uint32_t layer;
    bool front;
    uint32_t mask; ///< Bit n * 8 + s: sample s of pixel n is covered, and alive.
    float z[LULL_AROP_PIXELS][LULL_AROP_SAMPLES]; ///< Depth, 0 to 1, of covered samples.

    /* What the shader says; for lull_arop_output(). */
    /** Registers as they are: singles, halves (in the low bits) or integers. Of outputs that the
     * shader has. */
    uint32_t out[LULL_AROP_TARGETS][LULL_AROP_PIXELS][4];
    bool writes_depth, writes_mask, writes_stencil;
    float depth[LULL_AROP_PIXELS];
    uint32_t sample_mask[LULL_AROP_PIXELS];
    uint8_t stencil[LULL_AROP_PIXELS]; ///< The reference.
};

/** What registers say now. @return What is refused, by name. */
struct lull_error *lull_arop_read(const struct lull_arop_source *source,
                                  struct lull_arop *ret) LULL_MUST_USE;

/** Tests of depth and stencil before the shader, and what they write; nothing if they are late.
 * @return The samples that are left of @p q->mask. */
uint32_t lull_arop_early(const struct lull_arop *r, const struct lull_arop_quad *q);

/** All that comes behind the shader, of the samples in @p q->mask. @return Those written. */
uint32_t lull_arop_output(const struct lull_arop *r, const struct lull_arop_quad *q);

#endif
