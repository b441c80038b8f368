// SPDX-License-Identifier: MIT
/** @file
 * Draws, as far as drivers need them for copies and clears of images: a rectangle, one sample, no
 * depth, no blending, one colour target.
 *
 * This is no graphics pipeline. RADV copies to and clears images on its universal queue by drawing
 * a rectangle with shaders of its own; so a RECTLIST of three vertices runs its vertex shader
 * (NGG, passthrough) in one wave and its pixel shader in as many as the rectangle needs, one after
 * the other while the command processor waits. Everything else is refused by name.
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

/** Pixels that are drawn: from first to before end. */
struct lull_gfx_area {
    int32_t x0, y0, x1, y1;
};

/** A draw at work. */
struct lull_gfx {
    struct lull_cp *cp;
    struct lull_wave_host host;
    struct lull_wave w;
    struct lull_workgroup wg;
    uint8_t lds[4096];
    uint32_t vgpr[LULL_WAVE_VGPRS * LULL_GFX_LANES];
    /** Of exports: vertex shader. */
    uint32_t position[LULL_GFX_POSITIONS][4][LULL_GFX_CORNERS];
    /** Of exports: pixel shader. */
    uint32_t color[4][LULL_GFX_LANES];
    uint64_t colored; ///< Lanes that exported.
    bool pixels;      ///< The pixel shader runs.
    uint64_t budget;  ///< Instructions left to all waves of the draw.
    double x[LULL_GFX_CORNERS], y[LULL_GFX_CORNERS]; ///< Corners in pixels.
    uint32_t param[LULL_GFX_PARAMS][4][3];           ///< P0, P10, P20.
    struct lull_gfx_target target;
};

static inline uint32_t lull_gfx_reg(struct lull_gfx *x, uint32_t offset)
{
    return lull_cp_read_reg(x->cp, offset);
}

/** VGPRs of a wave by the VGPRS field of RSRC1. Source: LLVM AMDGPUUsage. */
static inline unsigned lull_gfx_nvgprs(uint32_t field, unsigned lanes)
{
    const unsigned n = (field + 1) * (lanes == 32 ? 8 : 4);
    return n < LULL_WAVE_VGPRS ? n : LULL_WAVE_VGPRS;
}

/** Registers of a shader's program. */
struct lull_gfx_program {
    uint32_t lo, hi, rsrc1, user; ///< Register offsets.
    uint32_t mode;                ///< MODE at the start.
    unsigned lanes, nvgprs, first_user, nuser;
};

/** A fresh wave at the start of the program; registers 0 but for user data. */
void lull_gfx_start(struct lull_gfx *x, const struct lull_gfx_program *p);
/** Run it to its end. False: it did not come there. */
bool lull_gfx_run(struct lull_gfx *x);

/** NULL, or why the colour target cannot be drawn to. */
const char *lull_gfx_open_target(struct lull_gfx *x);
/** Write what lanes of @p covered exported, at the pixels @p px, @p py. False: memory refused. */
bool lull_gfx_write(struct lull_gfx *x, uint64_t covered, const int32_t *px, const int32_t *py,
                    uint32_t layer);

/** Shade the pixels of @p area. False: a shader or memory refused. */
bool lull_gfx_shade(struct lull_gfx *x, const struct lull_gfx_area *area, uint32_t layer);

#endif
