// SPDX-License-Identifier: MIT
// What may be drawn, the vertex shader, and the rectangle.
//
// Sources: Mesa 22.3.6 src/amd/vulkan radv_shader_args.c (registers at the start of shaders),
// radv_meta_blit2d.c, radv_meta_clear.c; gfx11.json. Chosen here: the wave of a draw's vertices is
// number 0 of its group and has the start of the attribute ring.
#include <math.h>
#include <string.h>

#include "hw/chips.h"
#include "model/amd/gfx/gfx.h"

enum {
    LDS_BYTES = 4096, // Of each wave.
    MAX_INSTANCES = 1 << 13,
    FIRST_USER_GS = 8, // Merged shaders: SGPRs before user data.
    TG_INFO = 2,
    WAVE_INFO = 3,
    VERTEX_ID = 5, // VGPRs of merged shaders.
    INSTANCE_ID = 8,
    PRIM_0_1_2 = 0 | 1 << 10 | 2 << 20,
    PARAM_BYTES = 512, // A parameter of 32 vertices in the attribute ring: 16 bytes each.
    DEFAULT_PARAM = 0x20,
    LAYER_MASK = 0x1fff,
    SCISSOR_MAX = 1 << 15,
};

uint64_t lull_gfx_exec(const struct lull_wave *w)
{
    return (uint64_t)(w->lanes == 64 ? w->sgpr[LULL_RDNA_EXEC + 1] : 0) << 32 |
           w->sgpr[LULL_RDNA_EXEC];
}

const uint32_t *lull_gfx_export_row(const struct lull_wave *w, const struct lull_rdna_insn *in,
                                    unsigned i)
{
    return w->vgpr + (size_t)(in->nsa[i] - LULL_RDNA_VGPR0) * w->lanes;
}

uint64_t lull_gfx_border_colors(struct lull_wave *w)
{
    const struct lull_gpu *g = lull_gpu_of(w);
    return (uint64_t)lull_gfx_reg(g, LULL_DRAW11_TA_BC_BASE_ADDR_HI) << 40 |
           (uint64_t)lull_gfx_reg(g, LULL_DRAW11_TA_BC_BASE_ADDR) << 8;
}

void lull_gfx_host_param(struct lull_wave *w, unsigned attr, unsigned channel, uint32_t *to)
{
    const struct lull_gpu_draw *d = &lull_gpu_of(w)->draw;
    const uint32_t *p = d->param[attr % LULL_GFX_PARAMS][channel % 4];
    for (unsigned l = 0; l < w->lanes; l++) {
        to[l] = l % 4 < 3 ? p[l % 4] : 0;
    }
}

/** Positions of vertices. */
static bool export_position(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    struct lull_gpu_draw *d = &lull_gpu_of(w)->draw;
    const unsigned pos = in->exp_target - LULL_DRAW11_EXP__TARGET__POS0;
    const uint64_t exec = lull_gfx_exec(w);
    for (unsigned c = 0; pos < LULL_GFX_RECT_POSITIONS && c < 4; c++) {
        for (unsigned l = 0; (in->exp_en >> c & 1) != 0 && l < LULL_GFX_CORNERS; l++) {
            if ((exec >> l & 1) != 0) {
                d->position[pos][c][l] = lull_gfx_export_row(w, in, c)[l];
                d->exported = 1;
            }
        }
    }
    return true;
}

static const struct lull_wave_host vertex_host = {
    .sendmsg = lull_host_sendmsg, // GS_ALLOC_REQ: there is room
    .sendmsg_rtn = lull_host_sendmsg_rtn,
    .vm_fault = lull_host_fault,
    .clock = lull_host_clock,
    .border_colors = lull_gfx_border_colors,
    .export_lanes = export_position,
    .param = lull_gfx_host_param,
};

void lull_gfx_user_data(const struct lull_gpu *g, uint32_t reg, unsigned n, uint32_t *first)
{
    for (unsigned i = 0; i < n && i < 32; i++) {
        first[i] = lull_gfx_reg(g, reg + 4 * i);
    }
}

bool lull_gfx_launch(struct lull_cp *cp, enum lull_work_kind kind, const struct lull_gfx_program *p)
{
    struct lull_gpu *g = cp->g;
    const uint64_t pgm = (uint64_t)lull_gfx_reg(g, p->hi) << 40 | (uint64_t)lull_gfx_reg(g, p->lo)
                                                                      << 8;
    const uint32_t granule = g->config.chip->vgpr_granule;
    const uint32_t items = p->lanes * (p->per_group != 0 ? p->per_group : 1);
    struct lull_work work = {
        .pgm = (uint64_t)((int64_t)(pgm << 16) >> 16),
        .index = cp->r->ndispatches,
        .rsrc1 = p->rsrc1,
        .rsrc2 = p->rsrc2,
        .end = {p->waves[0], p->waves[1], 1},
        .full = {items, 1, 1},
        .last = {items, 1, 1},
        .lanes = p->lanes,
        .nvgprs = p->nvgprs,
        .vgpr_cost = (p->nvgprs * (p->lanes / 32) + granule - 1) / granule * granule,
        .lds_bytes = p->lds_bytes,
    };
    memset(work.cus, UINT8_MAX, sizeof(work.cus));
    g->draw.kind = kind;
    return lull_spi_add(g, cp->r, kind, &work);
}

/** NULL, or what it is about the draw that this GPU does not do. */
static const char *check_state(struct lull_gpu *g, uint32_t vertices)
{
    const uint32_t stages = lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const uint32_t depth = lull_gfx_reg(g, LULL_DRAW11_DB_DEPTH_CONTROL);
    const uint32_t prim = lull_gfx_reg(g, LULL_DRAW11_VGT_PRIMITIVE_TYPE);
    const uint32_t scratch = LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS__SCRATCH_EN_MASK;
    if (lull_get(prim, LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE_MASK) !=
            LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__RECTLIST ||
        vertices != LULL_GFX_CORNERS) {
        return "other than a rectangle";
    }
    if ((stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__PRIMGEN_PASSTHRU_EN_MASK) == 0 ||
        (stages & (LULL_DRAW11_VGT_SHADER_STAGES_EN__LS_EN_MASK |
                   LULL_DRAW11_VGT_SHADER_STAGES_EN__HS_EN_MASK)) != 0) {
        return "with geometry or tessellation shaders";
    }
    if ((depth & (LULL_DRAW11_DB_DEPTH_CONTROL__STENCIL_ENABLE_MASK |
                  LULL_DRAW11_DB_DEPTH_CONTROL__Z_ENABLE_MASK)) != 0 &&
        (lull_gfx_reg(g, LULL_DRAW11_DB_Z_INFO) & LULL_DRAW11_DB_Z_INFO__FORMAT_MASK) +
                (lull_gfx_reg(g, LULL_DRAW11_DB_STENCIL_INFO) &
                 LULL_DRAW11_DB_STENCIL_INFO__FORMAT_MASK) !=
            0) {
        return "to a depth or stencil image";
    }
    if ((lull_gfx_reg(g, LULL_DRAW11_PA_SC_AA_CONFIG) &
         LULL_DRAW11_PA_SC_AA_CONFIG__MSAA_NUM_SAMPLES_MASK) != 0 ||
        (lull_gfx_reg(g, LULL_DRAW11_CB_COLOR0_ATTRIB) &
         LULL_DRAW11_CB_COLOR0_ATTRIB__NUM_FRAGMENTS_MASK) != 0) {
        return "with several samples";
    }
    if ((lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS) & scratch) != 0 ||
        (lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS) & scratch) != 0) {
        return "with scratch memory";
    }
    return lull_gfx_open_target(g);
}

/** Merged shaders: the wave that makes the primitive and its vertices. */
static void start_vertices(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                           const uint32_t items[3], struct lull_wave *w)
{
    (void)group;
    (void)index;
    (void)items;
    lull_gfx_user_data(g, LULL_DRAW11_SPI_SHADER_USER_DATA_GS_0, 32, &w->sgpr[FIRST_USER_GS]);
    w->sgpr[0] = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_LO_GS);
    w->sgpr[1] = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_HI_GS);
    w->sgpr[TG_INFO] = LULL_GFX_CORNERS << 12 | 1u << 22; // Vertices and primitives of the group.
    w->sgpr[WAVE_INFO] = LULL_GFX_CORNERS | 1u << 8;      // Those of the wave.
    w->vgpr[0] = PRIM_0_1_2;
    for (unsigned l = 0; l < LULL_GFX_CORNERS; l++) {
        w->vgpr[VERTEX_ID * w->lanes + l] = l;
        w->vgpr[INSTANCE_ID * w->lanes + l] = g->draw.instance;
    }
    w->sgpr[LULL_RDNA_EXEC] = UINT32_MAX;
    w->sgpr[LULL_RDNA_EXEC + 1] = w->lanes == 64 ? UINT32_MAX : 0;
}

const struct lull_work_source lull_work_rect_vertices = {.host = &vertex_host,
                                                         .start = start_vertices};

/** The vertices of the next instance. */
static bool run_vertices(struct lull_cp *cp)
{
    struct lull_gpu *g = cp->g;
    const uint32_t rsrc1 = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS);
    const uint32_t stages = lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const unsigned lanes =
        lull_get(stages, LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_W32_EN_MASK) != 0 ? 32 : 64;
    const unsigned nvgprs =
        lull_gfx_nvgprs(lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__VGPRS_MASK), lanes);
    const struct lull_gfx_program p = {
        .lo = LULL_DRAW11_SPI_SHADER_PGM_LO_ES,
        .hi = LULL_DRAW11_SPI_SHADER_PGM_HI_ES,
        .rsrc1 =
            lull_field_put(lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__FLOAT_MODE_MASK),
                           LULL_GC11_COMPUTE_PGM_RSRC1__FLOAT_MODE_MASK) |
            lull_field_put(lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__DX10_CLAMP_MASK),
                           LULL_GC11_COMPUTE_PGM_RSRC1__DX10_CLAMP_MASK),
        .lanes = lanes,
        .nvgprs = nvgprs > INSTANCE_ID ? nvgprs : INSTANCE_ID + 1,
        .lds_bytes = LDS_BYTES,
        .waves = {1, 1},
    };
    memset(g->draw.position, 0, sizeof(g->draw.position));
    g->draw.exported = 0;
    return lull_gfx_launch(cp, LULL_WORK_RECT_VERTICES, &p);
}

/** P0, P10, P20 of the parameters that the vertex shader left in the attribute ring. */
static bool read_params(struct lull_cp *cp)
{
    struct lull_gpu *g = cp->g;
    struct lull_gpu_draw *x = &g->draw;
    const uint64_t ring = (uint64_t)lull_gfx_reg(g, LULL_DRAW11_SPI_ATTRIBUTE_RING_BASE) << 16;
    const uint64_t base = (uint64_t)((int64_t)(ring << 16) >> 16);
    const uint32_t n = lull_get(lull_gfx_reg(g, LULL_DRAW11_SPI_PS_IN_CONTROL),
                                LULL_DRAW11_SPI_PS_IN_CONTROL__NUM_INTERP_MASK);
    memset(x->param, 0, sizeof(x->param));
    for (unsigned i = 0; i < n && i < LULL_GFX_PARAMS; i++) {
        const uint32_t control = lull_gfx_reg(g, LULL_DRAW11_SPI_PS_INPUT_CNTL_0 + 4 * i);
        const uint32_t slot = lull_get(control, LULL_DRAW11_SPI_PS_INPUT_CNTL_0__OFFSET_MASK);
        float v[LULL_GFX_CORNERS][4] = {{0}};
        if (slot >= DEFAULT_PARAM) {
            continue;
        }
        for (unsigned k = 0; k < LULL_GFX_CORNERS; k++) {
            if (!lull_vm_read(cp->vm, base + slot * PARAM_BYTES + k * sizeof(v[k]), v[k],
                              sizeof(v[k]))) {
                return false;
            }
        }
        const bool flat = (control & LULL_DRAW11_SPI_PS_INPUT_CNTL_0__FLAT_SHADE_MASK) != 0;
        for (unsigned c = 0; c < 4; c++) {
            const float d1 = flat ? 0 : v[1][c] - v[0][c];
            const float d2 = flat ? 0 : v[2][c] - v[0][c];
            memcpy(&x->param[i][c][0], &v[0][c], sizeof(float));
            memcpy(&x->param[i][c][1], &d1, sizeof(float));
            memcpy(&x->param[i][c][2], &d2, sizeof(float));
        }
    }
    return true;
}

static float reg_float(const struct lull_gpu *g, uint32_t offset)
{
    const uint32_t bits = lull_gfx_reg(g, offset);
    float f = 0;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static double position(const struct lull_gpu_draw *x, unsigned c, unsigned corner)
{
    float f = 0;
    memcpy(&f, &x->position[0][c][corner], sizeof(f));
    return f;
}

/** First pixel whose centre is at @p v or after. */
static int32_t pixel_from(double v)
{
    const double p = ceil(v - 0.5);
    return p < 0 ? 0 : p > SCISSOR_MAX ? SCISSOR_MAX : (int32_t)p;
}

static void clip(struct lull_gpu *g, uint32_t tl, uint32_t br)
{
    struct lull_gpu_draw *a = &g->draw;
    const uint32_t from = lull_gfx_reg(g, tl);
    const uint32_t to = lull_gfx_reg(g, br);
    const int32_t x0 = (int32_t)(from & 0x7fff);
    const int32_t y0 = (int32_t)(from >> 16 & 0x7fff);
    const int32_t x1 = (int32_t)(to & 0x7fff);
    const int32_t y1 = (int32_t)(to >> 16 & 0x7fff);
    a->x0 = x0 > a->x0 ? x0 : a->x0;
    a->y0 = y0 > a->y0 ? y0 : a->y0;
    a->x1 = x1 < a->x1 ? x1 : a->x1;
    a->y1 = y1 < a->y1 ? y1 : a->y1;
}

/** Corners in pixels, and the pixels inside. False: not a rectangle that stands straight. */
static bool find_area(struct lull_gpu *g)
{
    struct lull_gpu_draw *x = &g->draw;
    const double sx = reg_float(g, LULL_DRAW11_PA_CL_VPORT_XSCALE_0);
    const double ox = reg_float(g, LULL_DRAW11_PA_CL_VPORT_XOFFSET_0);
    const double sy = reg_float(g, LULL_DRAW11_PA_CL_VPORT_YSCALE_0);
    const double oy = reg_float(g, LULL_DRAW11_PA_CL_VPORT_YOFFSET_0);
    double lo[2] = {INFINITY, INFINITY};
    double hi[2] = {-INFINITY, -INFINITY};
    for (unsigned k = 0; k < LULL_GFX_CORNERS; k++) {
        const double w = position(x, 3, k);
        if (!(w > 0) || w < position(x, 3, 0) || w > position(x, 3, 0)) {
            return false;
        }
        x->x[k] = position(x, 0, k) / w * sx + ox;
        x->y[k] = position(x, 1, k) / w * sy + oy;
        lo[0] = fmin(lo[0], x->x[k]);
        hi[0] = fmax(hi[0], x->x[k]);
        lo[1] = fmin(lo[1], x->y[k]);
        hi[1] = fmax(hi[1], x->y[k]);
    }
    x->x0 = pixel_from(lo[0]);
    x->y0 = pixel_from(lo[1]);
    x->x1 = pixel_from(hi[0]);
    x->y1 = pixel_from(hi[1]);
    clip(g, LULL_DRAW11_PA_SC_SCREEN_SCISSOR_TL, LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR);
    clip(g, LULL_DRAW11_PA_SC_WINDOW_SCISSOR_TL, LULL_DRAW11_PA_SC_WINDOW_SCISSOR_BR);
    clip(g, LULL_DRAW11_PA_SC_GENERIC_SCISSOR_TL, LULL_DRAW11_PA_SC_GENERIC_SCISSOR_BR);
    if ((lull_gfx_reg(g, LULL_DRAW11_PA_SC_MODE_CNTL_0) &
         LULL_DRAW11_PA_SC_MODE_CNTL_0__VPORT_SCISSOR_ENABLE_MASK) != 0) {
        clip(g, LULL_DRAW11_PA_SC_VPORT_SCISSOR_TL_0, LULL_DRAW11_PA_SC_VPORT_SCISSOR_BR_0);
    }
    return true;
}

/** Nothing of the draw is left to do. */
static enum lull_cp_result end(struct lull_cp *cp, enum lull_cp_result result)
{
    cp->g->draw.kind = LULL_WORK_COMPUTE;
    return result;
}

static enum lull_cp_result no_memory(struct lull_cp *cp)
{
    return end(cp, lull_cp_bad(cp, "no memory for a draw"));
}

/** The next instance from @p i on, or the end. */
static enum lull_cp_result draw_instance(struct lull_cp *cp, uint32_t i)
{
    if (i >= lull_gfx_reg(cp->g, LULL_DRAW11_VGT_NUM_INSTANCES)) {
        return end(cp, LULL_CP_NEXT);
    }
    cp->g->draw.instance = i;
    return run_vertices(cp) ? LULL_CP_AGAIN : no_memory(cp);
}

/** The vertices of an instance are there: have its pixels shaded, if there are any. */
static enum lull_cp_result draw_pixels(struct lull_cp *cp)
{
    struct lull_gpu *g = cp->g;
    struct lull_gpu_draw *d = &g->draw;
    if (!read_params(cp)) {
        return end(cp, lull_cp_fault(cp));
    }
    if (d->exported == 0) { // its wave was killed
        return draw_instance(cp, d->instance + 1);
    }
    if (!find_area(g)) {
        return end(cp, lull_cp_bad(cp, "it draws in perspective, and this GPU only computes"));
    }
    const bool layered = (lull_gfx_reg(g, LULL_DRAW11_PA_CL_VS_OUT_CNTL) &
                          LULL_DRAW11_PA_CL_VS_OUT_CNTL__USE_VTX_RENDER_TARGET_INDX_MASK) != 0;
    d->layer = layered ? d->position[1][2][0] & LAYER_MASK : 0;
    if (g->target == NULL) { // restored
        (void)lull_gfx_open_target(g);
    }
    if (g->target != NULL && g->target->any) {
        const int32_t width = (int32_t)g->target->tiling.width; // Beyond it nothing is written.
        const int32_t height = (int32_t)g->target->tiling.height;
        d->x1 = d->x1 < width ? d->x1 : width;
        d->y1 = d->y1 < height ? d->y1 : height;
        if (d->x0 < d->x1 && d->y0 < d->y1) {
            return lull_gfx_shade(cp) ? LULL_CP_AGAIN : no_memory(cp);
        }
    }
    return draw_instance(cp, d->instance + 1);
}

static enum lull_cp_result begin(struct lull_cp *cp)
{
    const char *why = check_state(cp->g, cp->p.body[0]);
    if (why != NULL) {
        return lull_cp_bad(cp, "it draws %s, and this GPU only computes", why);
    }
    const uint32_t instances = lull_gfx_reg(cp->g, LULL_DRAW11_VGT_NUM_INSTANCES);
    if (instances > MAX_INSTANCES) {
        return lull_cp_bad(cp, "it draws %u instances", instances);
    }
    return draw_instance(cp, 0);
}

enum lull_cp_result lull_gfx_clear_state(struct lull_cp *cp)
{
    static const uint32_t scissors[] = {
        LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR, LULL_DRAW11_PA_SC_WINDOW_SCISSOR_BR,
        LULL_DRAW11_PA_SC_GENERIC_SCISSOR_BR, LULL_DRAW11_PA_SC_VPORT_SCISSOR_BR_0};
    for (uint32_t at = 0; at < LULL_CONTEXT_BYTES; at += sizeof(uint32_t)) {
        lull_cp_write_reg(cp, LULL_CONTEXT_BASE + at, 0);
    }
    for (unsigned i = 0; i < sizeof(scissors) / sizeof(scissors[0]); i++) {
        lull_cp_write_reg(cp, scissors[i],
                          LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR__X__CLEAR
                                  << LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR__X_SHIFT |
                              LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR__Y__CLEAR
                                  << LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR__Y_SHIFT);
    }
    lull_cp_write_reg(cp, LULL_DRAW11_CB_TARGET_MASK, UINT32_MAX);
    lull_cp_write_reg(cp, LULL_DRAW11_CB_SHADER_MASK, UINT32_MAX);
    return LULL_CP_NEXT;
}

enum lull_cp_result lull_gfx_draw_auto(struct lull_cp *cp)
{
    if (cp->r->id != LULL_RING_GFX) {
        return lull_cp_bad(cp, "it draws, and this GPU only computes");
    }
    if (!lull_spi_idle(cp->r)) {
        return LULL_CP_AGAIN;
    }
    switch ((enum lull_work_kind)cp->g->draw.kind) {
    case LULL_WORK_RECT_VERTICES:
        return draw_pixels(cp);
    case LULL_WORK_RECT_PIXELS:
        return draw_instance(cp, cp->g->draw.instance + 1);
    case LULL_WORK_COMPUTE:
    case LULL_WORK_HULL:
    case LULL_WORK_GEOMETRY:
    case LULL_WORK_PIXELS:
    case LULL_WORK_KINDS:
        break;
    }
    return begin(cp);
}
