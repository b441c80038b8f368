// SPDX-License-Identifier: MIT
// Pixel shader: quads of pixels in waves, what their registers hold at the start.
#include <string.h>

#include "model/amd/gfx/gfx.h"

enum {
    LDS_BYTES = 4096,
    MAX_INPUT_VGPRS = 24,
    QUAD = 4,
    TILE = 8,
    INPUTS = 16,
    PERSP_PULL = 3,
    FIRST_POSITION = 8,
    POSITIONS = 4
};

static void set_float(struct lull_wave *w, unsigned reg, unsigned lane, double v)
{
    const float f = (float)v;
    memcpy(&w->vgpr[reg * w->lanes + lane], &f, sizeof(f));
}

/** Barycentric coordinates I and J of a point: P = P0 + I * P10 + J * P20. */
static void barycentric(const struct lull_gpu_draw *x, double px, double py, double ij[2])
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
static void set_inputs(const struct lull_gpu *g, const struct lull_gfx_colors *b,
                       struct lull_wave *w)
{
    static const uint8_t sizes[INPUTS] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const uint32_t addr = lull_gfx_reg(g, LULL_DRAW11_SPI_PS_INPUT_ADDR);
    for (unsigned l = 0; l < w->lanes; l++) {
        double ij[2] = {0};
        unsigned reg = 0;
        barycentric(&g->draw, b->x[l] + 0.5, b->y[l] + 0.5, ij);
        const double position[POSITIONS] = {b->x[l] + 0.5, b->y[l] + 0.5, 0, 1};
        for (unsigned i = 0; i < INPUTS; i++) {
            if ((addr >> i & 1) == 0) {
                continue;
            }
            if (sizes[i] > 1) {
                set_float(w, reg, l, ij[0]);
                set_float(w, reg + 1, l, ij[1]);
            }
            if (i == PERSP_PULL) { // I/W, J/W, 1/W
                set_float(w, reg + 2, l, 1);
            } else if (i >= FIRST_POSITION && i < FIRST_POSITION + POSITIONS) {
                set_float(w, reg, l, position[i - FIRST_POSITION]);
            } else if (i == INPUTS - 1) {
                w->vgpr[reg * w->lanes + l] = (uint32_t)b->x[l] | (uint32_t)b->y[l] << 16;
            } else if (sizes[i] == 1) { // Front face, sample 0 of all that are covered.
                w->vgpr[reg * w->lanes + l] = i == 12 || i == 14;
            }
            reg += sizes[i];
        }
    }
}

/** The pixels of wave @p id of a grid of them: quads row by row. */
static void gather(const struct lull_gpu_draw *a, const uint32_t id[2], unsigned lanes,
                   struct lull_gfx_colors *b)
{
    const int32_t rows = (int32_t)lanes / TILE;
    const int32_t tx = (a->x0 & ~1) + (int32_t)id[0] * TILE;
    const int32_t ty = (a->y0 & ~1) + (int32_t)id[1] * rows;
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

static void start_pixels(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                         const uint32_t items[3], struct lull_wave *w)
{
    const uint32_t rsrc2 = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS);
    const unsigned nuser = lull_get(rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS__USER_SGPR_MASK) |
                           lull_get(rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS__USER_SGPR_MSB_MASK)
                               << 5;
    struct lull_gfx_colors b = {0};
    (void)index;
    (void)items;
    gather(&g->draw, group->wg.id, w->lanes, &b);
    lull_gfx_user_data(g, LULL_DRAW11_SPI_SHADER_USER_DATA_PS_0, nuser, w->sgpr);
    set_inputs(g, &b, w);
    w->sgpr[LULL_RDNA_EXEC] = (uint32_t)b.covered;
    w->sgpr[LULL_RDNA_EXEC + 1] = (uint32_t)(b.covered >> 32);
}

/** Colours become texels at once; no other wave of the draw has these pixels. */
static bool export_color(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    struct lull_gpu *g = lull_gpu_of(w);
    struct lull_gfx_colors b = {0};
    if (in->exp_target != LULL_DRAW11_EXP__TARGET__MRT0) {
        return true;
    }
    gather(&g->draw, w->wg->id, w->lanes, &b);
    for (unsigned c = 0; c < 4; c++) {
        if ((in->exp_en >> c & 1) != 0) {
            memcpy(b.color[c], lull_gfx_export_row(w, in, c), w->lanes * sizeof(b.color[c][0]));
        }
    }
    if (lull_gfx_write(g, w->vm, lull_gfx_exec(w), &b)) {
        return true;
    }
    lull_host_fault(w);
    return false;
}

static const struct lull_wave_host pixel_host = {
    .sendmsg = lull_host_sendmsg,
    .sendmsg_rtn = lull_host_sendmsg_rtn,
    .vm_fault = lull_host_fault,
    .clock = lull_host_clock,
    .border_colors = lull_gfx_border_colors,
    .export_lanes = export_color,
    .param = lull_gfx_host_param,
};

const struct lull_work_source lull_work_rect_pixels = {.host = &pixel_host, .start = start_pixels};

/** RSRC1 as that of a compute shader. */
static uint32_t compute_rsrc1(uint32_t rsrc1)
{
    static const struct {
        uint32_t from, to;
    } fields[] = {
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__FLOAT_MODE_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__FLOAT_MODE_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__DX10_CLAMP_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__DX10_CLAMP_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__IEEE_MODE_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__IEEE_MODE_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__FP16_OVFL_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__FP16_OVFL_MASK},
    };
    uint32_t v = 0;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        v |= lull_field_put(lull_get(rsrc1, fields[i].from), fields[i].to);
    }
    return v;
}

bool lull_gfx_shade(struct lull_cp *cp)
{
    const struct lull_gpu *g = cp->g;
    const struct lull_gpu_draw *d = &g->draw;
    const uint32_t rsrc1 = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS);
    const uint32_t control = lull_gfx_reg(g, LULL_DRAW11_SPI_PS_IN_CONTROL);
    const unsigned lanes =
        lull_get(control, LULL_DRAW11_SPI_PS_IN_CONTROL__PS_W32_EN_MASK) != 0 ? 32 : 64;
    const unsigned field = lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS__VGPRS_MASK);
    const unsigned nvgprs = lull_gfx_nvgprs(field, lanes);
    const uint32_t rows = lanes / TILE;
    const struct lull_gfx_program p = {
        .lo = LULL_DRAW11_SPI_SHADER_PGM_LO_PS,
        .hi = LULL_DRAW11_SPI_SHADER_PGM_HI_PS,
        .rsrc1 = compute_rsrc1(rsrc1),
        .lanes = lanes,
        .nvgprs = nvgprs > MAX_INPUT_VGPRS ? nvgprs : MAX_INPUT_VGPRS,
        .lds_bytes = LDS_BYTES,
        .waves = {((uint32_t)(d->x1 - (d->x0 & ~1)) + TILE - 1) / TILE,
                  ((uint32_t)(d->y1 - (d->y0 & ~1)) + rows - 1) / rows},
    };
    return lull_gfx_launch(cp, LULL_WORK_RECT_PIXELS, &p);
}
