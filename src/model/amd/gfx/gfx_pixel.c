// SPDX-License-Identifier: MIT
// Pixel shader: quads of pixels in waves, what their registers hold at the start.
#include <string.h>

#include "model/amd/gfx/gfx.h"

enum {
    MAX_INPUT_VGPRS = 24,
    QUAD = 4,
    TILE = 8,
    INPUTS = 16,
    PERSP_PULL = 3,
    FIRST_POSITION = 8,
    POSITIONS = 4
};

/** The pixels of a wave. */
struct batch {
    int32_t x[LULL_GFX_LANES], y[LULL_GFX_LANES];
    uint64_t covered;
};

static void set_float(struct lull_gfx *x, unsigned reg, unsigned lane, double v)
{
    const float f = (float)v;
    memcpy(&x->vgpr[reg * x->w.lanes + lane], &f, sizeof(f));
}

/** Barycentric coordinates I and J of a point: P = P0 + I * P10 + J * P20. */
static void barycentric(const struct lull_gfx *x, double px, double py, double ij[2])
{
    const double ax = x->x[1] - x->x[0];
    const double ay = x->y[1] - x->y[0];
    const double bx = x->x[2] - x->x[0];
    const double by = x->y[2] - x->y[0];
    const double det = ax * by - ay * bx;
    const double dx = px - x->x[0];
    const double dy = py - x->y[0];
    ij[0] = (dx * by - dy * bx) / det;
    ij[1] = (ax * dy - ay * dx) / det;
}

/** VGPRs in the order of SPI_PS_INPUT_ADDR. The centre of the pixel stands for centroid and sample.
 */
static void set_inputs(struct lull_gfx *x, const struct batch *b)
{
    static const uint8_t sizes[INPUTS] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const uint32_t addr = lull_gfx_reg(x, LULL_DRAW11_SPI_PS_INPUT_ADDR);
    for (unsigned l = 0; l < x->w.lanes; l++) {
        double ij[2] = {0};
        unsigned reg = 0;
        barycentric(x, b->x[l] + 0.5, b->y[l] + 0.5, ij);
        const double position[POSITIONS] = {b->x[l] + 0.5, b->y[l] + 0.5, 0, 1};
        for (unsigned i = 0; i < INPUTS; i++) {
            if ((addr >> i & 1) == 0) {
                continue;
            }
            if (sizes[i] > 1) {
                set_float(x, reg, l, ij[0]);
                set_float(x, reg + 1, l, ij[1]);
            }
            if (i == PERSP_PULL) { // I/W, J/W, 1/W
                set_float(x, reg + 2, l, 1);
            } else if (i >= FIRST_POSITION && i < FIRST_POSITION + POSITIONS) {
                set_float(x, reg, l, position[i - FIRST_POSITION]);
            } else if (i == INPUTS - 1) {
                x->vgpr[reg * x->w.lanes + l] = (uint32_t)b->x[l] | (uint32_t)b->y[l] << 16;
            } else if (sizes[i] == 1) { // Front face, sample 0 of all that are covered.
                x->vgpr[reg * x->w.lanes + l] = i == 12 || i == 14;
            }
            reg += sizes[i];
        }
    }
}

static bool shade(struct lull_gfx *x, const struct batch *b, uint32_t layer)
{
    const uint32_t rsrc2 = lull_gfx_reg(x, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS);
    const uint32_t rsrc1 = lull_gfx_reg(x, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS);
    const uint32_t control = lull_gfx_reg(x, LULL_DRAW11_SPI_PS_IN_CONTROL);
    const unsigned lanes =
        lull_get(control, LULL_DRAW11_SPI_PS_IN_CONTROL__PS_W32_EN_MASK) != 0 ? 32 : 64;
    const unsigned field = lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__VGPRS_MASK);
    const unsigned nvgprs = lull_gfx_nvgprs(field, lanes);
    const struct lull_gfx_program p = {
        .lo = LULL_DRAW11_SPI_SHADER_PGM_LO_PS,
        .hi = LULL_DRAW11_SPI_SHADER_PGM_HI_PS,
        .user = LULL_DRAW11_SPI_SHADER_USER_DATA_PS_0,
        .mode =
            lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__FLOAT_MODE_MASK) |
            lull_field_put(lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__DX10_CLAMP_MASK),
                           LULL_HWREG_MODE__DX10_CLAMP_MASK) |
            lull_field_put(lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__IEEE_MODE_MASK),
                           LULL_HWREG_MODE__IEEE_MASK) |
            lull_field_put(lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__FP16_OVFL_MASK),
                           LULL_HWREG_MODE__FP16_OVFL_MASK),
        .lanes = lanes,
        .nvgprs = nvgprs > MAX_INPUT_VGPRS ? nvgprs : MAX_INPUT_VGPRS,
        .nuser = lull_get(rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS__USER_SGPR_MASK) |
                 lull_get(rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS__USER_SGPR_MSB_MASK) << 5,
    };
    x->pixels = true;
    x->colored = 0;
    memset(x->color, 0, sizeof(x->color));
    lull_gfx_start(x, &p);
    set_inputs(x, b);
    x->w.sgpr[LULL_RDNA_EXEC] = (uint32_t)b->covered;
    x->w.sgpr[LULL_RDNA_EXEC + 1] = (uint32_t)(b->covered >> 32);
    return lull_gfx_run(x) && lull_gfx_write(x, b->covered, b->x, b->y, layer);
}

/** Lanes of one wave of @p lanes from corner (@p tx, @p ty): quads row by row. */
static void gather(const struct lull_gfx_area *a, int32_t tx, int32_t ty, unsigned lanes,
                   struct batch *b)
{
    b->covered = 0;
    for (unsigned l = 0; l < lanes; l++) {
        const unsigned quad = l / QUAD;
        b->x[l] = tx + (int32_t)(quad % (TILE / 2) * 2 + (l & 1));
        b->y[l] = ty + (int32_t)(quad / (TILE / 2) * 2 + (l >> 1 & 1));
        if (b->x[l] >= a->x0 && b->x[l] < a->x1 && b->y[l] >= a->y0 && b->y[l] < a->y1) {
            b->covered |= UINT64_C(1) << l;
        }
    }
}

bool lull_gfx_shade(struct lull_gfx *x, const struct lull_gfx_area *area, uint32_t layer)
{
    const uint32_t control = lull_gfx_reg(x, LULL_DRAW11_SPI_PS_IN_CONTROL);
    const bool narrow = (control & LULL_DRAW11_SPI_PS_IN_CONTROL__PS_W32_EN_MASK) != 0;
    const unsigned lanes = narrow ? 32 : 64;
    const int32_t rows = (int32_t)lanes / TILE;
    struct batch b = {0};
    for (int32_t y = area->y0 & ~1; y < area->y1; y += rows) {
        for (int32_t px = area->x0 & ~1; px < area->x1; px += TILE) {
            gather(area, px, y, lanes, &b);
            if (b.covered != 0 && !shade(x, &b, layer)) {
                return false;
            }
        }
    }
    return true;
}
