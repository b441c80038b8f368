// SPDX-License-Identifier: MIT
/** @file
 * Draws, as far as drivers need them for copies and clears of images: a rectangle, one sample, no
 * depth, no blending, one colour target.
 *
 * This is no graphics pipeline. RADV copies to and clears images on its universal queue by drawing
 * a rectangle with shaders of its own; so a RECTLIST of three vertices runs its vertex shader
 * (NGG, passthrough) in one wave and then its pixel shader in as many as the rectangle needs, for
 * one instance after the other. Their waves are work like a dispatch's: the command processor
 * stands at the packet until all are gone. Everything else is refused by name.
 *
 *   gfx_draw.c   what may be drawn; vertex shader; rectangle
 *   gfx_pixel.c  pixel shader: quads, interpolation
 *   gfx_color.c  exports to texels
 *   gfx_insn.c   exp and lds_param_load
 */
#ifndef LULL_MODEL_AMD_GFX_H
#define LULL_MODEL_AMD_GFX_H

#include "hw/draw11_regs.h"
#include "model/amd/cp/cp.h"
#include "model/amd/wave/exec.h"
#include "tex/tiling.h"

enum {
    LULL_GFX_CORNERS = 3, ///< Vertices of a rectangle; the fourth is opposite to the first.
    LULL_GFX_POSITIONS = 2,
    LULL_GFX_LANES = 64,
    LULL_GFX_PARAMS = 32,
};

/** Texels that pixels go to. */
struct lull_gfx_target {
    bool any; ///< There is a target, and it is written.
    struct lull_tiling tiling;
    const struct lull_format_info *format;
    uint32_t export_format; ///< EXPORT_FORMAT of draw11.reg.
    uint8_t from[4];        ///< Which of R G B A a component of the texel is.
    uint32_t slice;         ///< First of the view.
    uint32_t slice_max;     ///< Last.
};

/** Of the gfx ring, and those that all rings share. */
static inline uint32_t lull_gfx_reg(const struct lull_gpu *g, uint32_t offset)
{
    const bool sh = offset >= LULL_SH_BASE && offset - LULL_SH_BASE < LULL_SH_BYTES;
    return sh ? lull_sh(&g->rings[LULL_RING_GFX], offset) : g->mmio[offset / sizeof(g->mmio[0])];
}

/** VGPRs of a wave by the VGPRS field of RSRC1. Source: LLVM AMDGPUUsage. */
static inline unsigned lull_gfx_nvgprs(uint32_t field, unsigned lanes)
{
    const unsigned n = (field + 1) * (lanes == 32 ? 8 : 4);
    return n < LULL_WAVE_VGPRS ? n : LULL_WAVE_VGPRS;
}

/** A shader's program, and how many waves of it, in a grid of waves. */
struct lull_gfx_program {
    uint32_t lo, hi; ///< Register offsets.
    uint32_t rsrc1;  ///< As COMPUTE_PGM_RSRC1.
    unsigned lanes, nvgprs;
    uint32_t waves[2];
};

/** Have it run. False: no memory. */
bool lull_gfx_launch(struct lull_cp *cp, enum lull_work_kind kind,
                     const struct lull_gfx_program *p);
/** Put @p n registers from @p reg on into SGPRs from @p first on. */
void lull_gfx_user_data(const struct lull_gpu *g, uint32_t reg, unsigned n, uint32_t *first);
/** What a wave finds that is not that of compute waves. */
uint64_t lull_gfx_border_colors(struct lull_wave *w);
void lull_gfx_host_param(struct lull_wave *w, unsigned attr, unsigned channel, uint32_t ret[3]);
/** Lanes of EXEC. */
uint64_t lull_gfx_exec(const struct lull_wave *w);
/** Row of lanes of source @p i of an export. */
const uint32_t *lull_gfx_export_row(const struct lull_wave *w, const struct lull_rdna_insn *in,
                                    unsigned i);

/** NULL, or why the colour target cannot be drawn to. Makes g->target anew. */
const char *lull_gfx_open_target(struct lull_gpu *g);

/** What a wave of pixels exports. */
struct lull_gfx_colors {
    int32_t x[LULL_GFX_LANES], y[LULL_GFX_LANES]; ///< Of the pixels.
    uint64_t covered;                             ///< Lanes whose pixels are drawn.
    uint32_t color[4][LULL_GFX_LANES];
};

/** Write what lanes of @p lanes exported. False: memory refused; @p vm says why. */
bool lull_gfx_write(struct lull_gpu *g, struct lull_vm *vm, uint64_t lanes,
                    const struct lull_gfx_colors *c);

/** Have the pixels of g->draw shaded. False: no memory. */
bool lull_gfx_shade(struct lull_cp *cp);

#endif
