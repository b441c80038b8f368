// SPDX-License-Identifier: MIT
/** @file
 * What registers say of the draw's output: colour targets, depth and stencil. Made at the start of
 * a draw, and anew after a restore; it holds no state of its own.
 *
 *   gfx_target.c  struct lull_gfx_color: opened, and written
 *   gfx_depth.c   struct lull_gfx_zs: opened, tested and written
 *   gfx_meta.c    what is cleared by metadata becomes plain, before anything is drawn
 */
#ifndef LULL_MODEL_AMD_GFX_OUTPUT_H
#define LULL_MODEL_AMD_GFX_OUTPUT_H

#include "model/amd/gfx/gfx.h"
#include "tex/meta.h"

enum {
    LULL_GFX_MAX_TEXEL = 16, ///< Bytes.
    LULL_GFX_RGBA = 4,
};

/** Texels in memory: a level and the slices of a view. */
struct lull_gfx_surface {
    struct lull_tiling tiling;
    struct lull_tiling_steps steps;
    struct lull_meta meta;     ///< Of its kind: LULL_META_NONE if there is none.
    uint32_t slice, slice_max; ///< Of the view: absolute.
    uint32_t right, down;      ///< To the next texel of a quad: XORed into tiled offsets, added to
                               ///< linear ones.
    uint32_t sample[LULL_RASTER_SAMPLES]; ///< XORed into the offset of sample 0.
};

/** How texels of a target come about: the general way, and quicker ones that give the same. */
enum lull_gfx_path {
    LULL_GFX_GENERAL,
    LULL_GFX_COPY_8888,  ///< Halves to 8_8_8_8_UNORM, all four components.
    LULL_GFX_BLEND_8888, ///< The same, added by factors 0, 1, source alpha, 1 - source alpha.
};

struct lull_gfx_color {
    bool any;    ///< There is a target, and it is written.
    bool blends; ///< blend.on.
    bool dual;   ///< By factors of the second source, which is export 1.
    bool reads;  ///< What the texel was matters.
    bool opaque; ///< The target's alpha counts as 1.
    uint8_t path;
    uint8_t exported;            ///< Number of the export that it takes.
    uint8_t export_format[2];    ///< EXPORT_FORMAT of draw11.reg: of it, of the second source.
    uint8_t logic;               ///< As lull_raster_logic() takes it; 0xc: none.
    uint8_t from[LULL_GFX_RGBA]; ///< Which of R G B A a component of the texel is.
    uint32_t keep[LULL_GFX_MAX_TEXEL / sizeof(uint32_t)]; ///< Bits of the texel that are masked.
    const struct lull_format_info *format;
    struct lull_raster_blend blend;
    struct lull_gfx_surface at;
};

/** Depth and stencil. */
struct lull_gfx_zs {
    bool any;       ///< Something is tested or written.
    bool has_depth; ///< There is a plane, else all depths pass.
    bool has_stencil;
    bool fixed; ///< 16 bits, UNORM; else floats.
    struct lull_raster_depth_state state;
    struct lull_gfx_surface depth, stencil;
    uint32_t nsamples;
    double place[LULL_RASTER_SAMPLES][2]; ///< In the pixel.
};

/** Which of the draw's targets it was whose memory refused. */
enum lull_gfx_refused {
    LULL_GFX_REFUSED_NONE,
    LULL_GFX_REFUSED_DEPTH,
    LULL_GFX_REFUSED_STENCIL,
    LULL_GFX_REFUSED_COLOR, ///< And on, by number of target.
};

struct lull_gfx_output {
    struct lull_gfx_color color[LULL_GFX_TARGETS];
    struct lull_gfx_zs zs;
    unsigned refused; ///< enum lull_gfx_refused, for who ends the draw.
};

/** Of the draw under way. NULL: no memory of the host. */
struct lull_gfx_output *lull_gfx_output_of(struct lull_gpu *g);

/**
 * Make all that the draw may touch plain: tiles of @p o that metadata says are cleared. NULL, or
 * why not. gfx_meta.c
 */
const char *lull_gfx_open_meta(struct lull_gpu *g, const struct lull_gfx_output *o);
/** NULL, or why depth and stencil cannot be tested. Makes o->zs. gfx_depth.c */
const char *lull_gfx_open_depth(const struct lull_gpu *g, struct lull_gfx_zs *ret);
/** Level @p level of @p d, slices @p first to @p last. NULL, or why not. */
const char *lull_gfx_open_surface(const struct lull_image_desc *d, unsigned level, uint32_t first,
                                  uint32_t last, struct lull_gfx_surface *ret);
/** Offsets of the pixels of a quad, from tiling.base. @p corner: that of 0, 0 of their slice. */
void lull_gfx_quad_offsets(const struct lull_gfx_surface *s, const struct lull_raster_quad *q,
                           uint64_t corner, uint64_t ret[4]);

#endif
