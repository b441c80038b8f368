// SPDX-License-Identifier: MIT
// What may be drawn, the vertex shader, and the rectangle.
//
// Sources: Mesa 22.3.6 src/amd/vulkan radv_shader_args.c (registers at the start of shaders),
// radv_meta_blit2d.c, radv_meta_clear.c; gfx11.json. Chosen here: the wave of a draw's vertices is
// number 0 of its group and has the start of the attribute ring.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/amd/gfx/gfx.h"

enum {
    BUDGET = 1 << 28, // Instructions of a draw: 16384x16384 pixels of a simple shader.
    TURN = 1 << 16,
    WAVE_COST = 64, // Instructions that starting a wave counts as: a draw must come to an end.
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

static struct lull_gfx *gfx_of(const struct lull_wave *w)
{
    return w->owner;
}

static void host_export(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    struct lull_gfx *x = gfx_of(w);
    const uint64_t exec = (uint64_t)(w->lanes == 64 ? w->sgpr[LULL_RDNA_EXEC + 1] : 0) << 32 |
                          w->sgpr[LULL_RDNA_EXEC];
    const unsigned pos = in->exp_target - LULL_DRAW11_EXP__TARGET__POS0;
    for (unsigned c = 0; c < 4; c++) {
        if ((in->exp_en >> c & 1) == 0) {
            continue;
        }
        const uint32_t *row = w->vgpr + (size_t)(in->nsa[c] - LULL_RDNA_VGPR0) * w->lanes;
        for (unsigned l = 0; l < w->lanes; l++) {
            if ((exec >> l & 1) == 0) {
                continue;
            }
            if (x->pixels && in->exp_target == LULL_DRAW11_EXP__TARGET__MRT0) {
                x->color[c][l] = row[l];
            } else if (!x->pixels && pos < LULL_GFX_POSITIONS && l < LULL_GFX_CORNERS) {
                x->position[pos][c][l] = row[l];
            }
        }
    }
    if (x->pixels && in->exp_target == LULL_DRAW11_EXP__TARGET__MRT0) {
        x->colored |= exec;
    }
}

static void host_param(struct lull_wave *w, unsigned attr, unsigned channel, uint32_t ret[3])
{
    memcpy(ret, gfx_of(w)->param[attr % LULL_GFX_PARAMS][channel % 4], 3 * sizeof(ret[0]));
}

static void host_sendmsg(struct lull_wave *w, uint32_t msg)
{
    (void)w; // GS_ALLOC_REQ and DEALLOC_VGPRS: there is room, and nobody waits for it.
    (void)msg;
}

static uint64_t host_sendmsg_rtn(struct lull_wave *w, uint32_t msg)
{
    (void)w;
    (void)msg;
    return 0;
}

static void host_fault(struct lull_wave *w)
{
    (void)w; // The command processor reports it.
}

static uint64_t host_clock(struct lull_wave *w)
{
    return lull_gpu_clock(gfx_of(w)->cp->g);
}

static uint64_t host_border_colors(struct lull_wave *w)
{
    struct lull_gfx *x = gfx_of(w);
    return (uint64_t)lull_gfx_reg(x, LULL_DRAW11_TA_BC_BASE_ADDR_HI) << 40 |
           (uint64_t)lull_gfx_reg(x, LULL_DRAW11_TA_BC_BASE_ADDR) << 8;
}

void lull_gfx_start(struct lull_gfx *x, const struct lull_gfx_program *p)
{
    const uint64_t pgm = (uint64_t)lull_gfx_reg(x, p->hi) << 40 | (uint64_t)lull_gfx_reg(x, p->lo)
                                                                      << 8;
    x->wg = (struct lull_workgroup){.lds = x->lds, .lds_size = sizeof(x->lds), .nwaves = 1};
    memset(x->vgpr, 0, sizeof(x->vgpr[0]) * p->nvgprs * p->lanes);
    x->w = (struct lull_wave){
        .vgpr = x->vgpr,
        .pc = (uint64_t)((int64_t)(pgm << 16) >> 16),
        .lanes = p->lanes,
        .nvgprs = p->nvgprs,
        .mode = p->mode,
        .wg = &x->wg,
        .vm = x->cp->vm,
        .code = x->cp->g->code[x->cp->r->head->job.vmid],
        .host = &x->host,
        .owner = x,
    };
    for (unsigned i = 0; i < p->nuser && i < 32; i++) {
        x->w.sgpr[p->first_user + i] = lull_gfx_reg(x, p->user + 4 * i);
    }
}

bool lull_gfx_run(struct lull_gfx *x)
{
    x->budget -= x->budget < WAVE_COST ? x->budget : WAVE_COST;
    while (x->budget > 0 && x->w.state == LULL_WAVE_RUNNING) {
        const uint32_t turn = x->budget < TURN ? (uint32_t)x->budget : TURN;
        const uint32_t done = lull_wave_run(&x->w, turn);
        x->budget -= done > 0 && done <= x->budget ? done : x->budget;
    }
    return x->w.state == LULL_WAVE_ENDED;
}

/** NULL, or what it is about the draw that this GPU does not do. */
static const char *check_state(struct lull_gfx *x, uint32_t vertices)
{
    const uint32_t stages = lull_gfx_reg(x, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const uint32_t depth = lull_gfx_reg(x, LULL_DRAW11_DB_DEPTH_CONTROL);
    const uint32_t prim = lull_gfx_reg(x, LULL_DRAW11_VGT_PRIMITIVE_TYPE);
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
        (lull_gfx_reg(x, LULL_DRAW11_DB_Z_INFO) & LULL_DRAW11_DB_Z_INFO__FORMAT_MASK) +
                (lull_gfx_reg(x, LULL_DRAW11_DB_STENCIL_INFO) &
                 LULL_DRAW11_DB_STENCIL_INFO__FORMAT_MASK) !=
            0) {
        return "to a depth or stencil image";
    }
    if ((lull_gfx_reg(x, LULL_DRAW11_PA_SC_AA_CONFIG) &
         LULL_DRAW11_PA_SC_AA_CONFIG__MSAA_NUM_SAMPLES_MASK) != 0 ||
        (lull_gfx_reg(x, LULL_DRAW11_CB_COLOR0_ATTRIB) &
         LULL_DRAW11_CB_COLOR0_ATTRIB__NUM_FRAGMENTS_MASK) != 0) {
        return "with several samples";
    }
    if ((lull_gfx_reg(x, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS) & scratch) != 0 ||
        (lull_gfx_reg(x, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS) & scratch) != 0) {
        return "with scratch memory";
    }
    return lull_gfx_open_target(x);
}

static bool run_vertices(struct lull_gfx *x, uint32_t instance)
{
    const uint32_t rsrc1 = lull_gfx_reg(x, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS);
    const uint32_t stages = lull_gfx_reg(x, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const unsigned lanes =
        lull_get(stages, LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_W32_EN_MASK) != 0 ? 32 : 64;
    const unsigned nvgprs =
        lull_gfx_nvgprs(lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__VGPRS_MASK), lanes);
    const struct lull_gfx_program p = {
        .lo = LULL_DRAW11_SPI_SHADER_PGM_LO_ES,
        .hi = LULL_DRAW11_SPI_SHADER_PGM_HI_ES,
        .user = LULL_DRAW11_SPI_SHADER_USER_DATA_GS_0,
        .mode =
            lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__FLOAT_MODE_MASK) |
            lull_field_put(lull_get(rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__DX10_CLAMP_MASK),
                           LULL_HWREG_MODE__DX10_CLAMP_MASK),
        .lanes = lanes,
        .nvgprs = nvgprs > INSTANCE_ID ? nvgprs : INSTANCE_ID + 1,
        .first_user = FIRST_USER_GS,
        .nuser = 32,
    };
    x->pixels = false;
    memset(x->position, 0, sizeof(x->position));
    lull_gfx_start(x, &p);
    x->w.sgpr[0] = lull_gfx_reg(x, LULL_DRAW11_SPI_SHADER_PGM_LO_GS);
    x->w.sgpr[1] = lull_gfx_reg(x, LULL_DRAW11_SPI_SHADER_PGM_HI_GS);
    x->w.sgpr[TG_INFO] = LULL_GFX_CORNERS << 12 | 1u << 22; // Vertices and primitives of the group.
    x->w.sgpr[WAVE_INFO] = LULL_GFX_CORNERS | 1u << 8;      // Those of the wave.
    x->vgpr[0] = PRIM_0_1_2;
    for (unsigned l = 0; l < LULL_GFX_CORNERS; l++) {
        x->vgpr[VERTEX_ID * p.lanes + l] = l;
        x->vgpr[INSTANCE_ID * p.lanes + l] = instance;
    }
    x->w.sgpr[LULL_RDNA_EXEC] = UINT32_MAX;
    x->w.sgpr[LULL_RDNA_EXEC + 1] = p.lanes == 64 ? UINT32_MAX : 0;
    return lull_gfx_run(x);
}

/** P0, P10, P20 of the parameters that the vertex shader left in the attribute ring. */
static bool read_params(struct lull_gfx *x)
{
    const uint64_t ring = (uint64_t)lull_gfx_reg(x, LULL_DRAW11_SPI_ATTRIBUTE_RING_BASE) << 16;
    const uint64_t base = (uint64_t)((int64_t)(ring << 16) >> 16);
    const uint32_t n = lull_get(lull_gfx_reg(x, LULL_DRAW11_SPI_PS_IN_CONTROL),
                                LULL_DRAW11_SPI_PS_IN_CONTROL__NUM_INTERP_MASK);
    memset(x->param, 0, sizeof(x->param));
    for (unsigned i = 0; i < n && i < LULL_GFX_PARAMS; i++) {
        const uint32_t control = lull_gfx_reg(x, LULL_DRAW11_SPI_PS_INPUT_CNTL_0 + 4 * i);
        const uint32_t slot = lull_get(control, LULL_DRAW11_SPI_PS_INPUT_CNTL_0__OFFSET_MASK);
        float v[LULL_GFX_CORNERS][4] = {{0}};
        if (slot >= DEFAULT_PARAM) {
            continue;
        }
        for (unsigned k = 0; k < LULL_GFX_CORNERS; k++) {
            if (!lull_vm_read(x->cp->vm, base + slot * PARAM_BYTES + k * sizeof(v[k]), v[k],
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

static float reg_float(struct lull_gfx *x, uint32_t offset)
{
    const uint32_t bits = lull_gfx_reg(x, offset);
    float f = 0;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static double position(const struct lull_gfx *x, unsigned c, unsigned corner)
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

static void clip(struct lull_gfx *x, uint32_t tl, uint32_t br, struct lull_gfx_area *a)
{
    const uint32_t from = lull_gfx_reg(x, tl);
    const uint32_t to = lull_gfx_reg(x, br);
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
static bool find_area(struct lull_gfx *x, struct lull_gfx_area *a)
{
    const double sx = reg_float(x, LULL_DRAW11_PA_CL_VPORT_XSCALE);
    const double ox = reg_float(x, LULL_DRAW11_PA_CL_VPORT_XOFFSET);
    const double sy = reg_float(x, LULL_DRAW11_PA_CL_VPORT_YSCALE);
    const double oy = reg_float(x, LULL_DRAW11_PA_CL_VPORT_YOFFSET);
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
    *a = (struct lull_gfx_area){pixel_from(lo[0]), pixel_from(lo[1]), pixel_from(hi[0]),
                                pixel_from(hi[1])};
    clip(x, LULL_DRAW11_PA_SC_SCREEN_SCISSOR_TL, LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR, a);
    clip(x, LULL_DRAW11_PA_SC_WINDOW_SCISSOR_TL, LULL_DRAW11_PA_SC_WINDOW_SCISSOR_BR, a);
    clip(x, LULL_DRAW11_PA_SC_GENERIC_SCISSOR_TL, LULL_DRAW11_PA_SC_GENERIC_SCISSOR_BR, a);
    if ((lull_gfx_reg(x, LULL_DRAW11_PA_SC_MODE_CNTL_0) &
         LULL_DRAW11_PA_SC_MODE_CNTL_0__VPORT_SCISSOR_ENABLE_MASK) != 0) {
        clip(x, LULL_DRAW11_PA_SC_VPORT_SCISSOR_0_TL, LULL_DRAW11_PA_SC_VPORT_SCISSOR_0_BR, a);
    }
    return true;
}

enum outcome { DRAWN, NO_RECTANGLE, FAILED };

static enum outcome draw_instance(struct lull_gfx *x, uint32_t instance)
{
    struct lull_gfx_area area = {0};
    if (!run_vertices(x, instance) || !read_params(x)) {
        return FAILED;
    }
    if (!find_area(x, &area)) {
        return NO_RECTANGLE;
    }
    const bool layered = (lull_gfx_reg(x, LULL_DRAW11_PA_CL_VS_OUT_CNTL) &
                          LULL_DRAW11_PA_CL_VS_OUT_CNTL__USE_VTX_RENDER_TARGET_INDX_MASK) != 0;
    const uint32_t layer = layered ? x->position[1][2][0] & LAYER_MASK : 0;
    if (!x->target.any || area.x0 >= area.x1 || area.y0 >= area.y1) {
        return DRAWN;
    }
    const int32_t width = (int32_t)x->target.tiling.width; // Beyond it nothing is written.
    const int32_t height = (int32_t)x->target.tiling.height;
    area.x1 = area.x1 < width ? area.x1 : width;
    area.y1 = area.y1 < height ? area.y1 : height;
    return lull_gfx_shade(x, &area, layer) ? DRAWN : FAILED;
}

static enum lull_cp_result failed(struct lull_cp *cp, const struct lull_gfx *x)
{
    const struct lull_vm_fault *f = &cp->vm->fault;
    if (x->w.state == LULL_WAVE_ENDED || f->walker_error != 0 || f->permission != 0 ||
        f->mapping_error) {
        return lull_cp_fault(cp);
    }
    return lull_cp_bad(cp, "its %s shader stops at 0x%llx", x->pixels ? "pixel" : "vertex",
                       (unsigned long long)x->w.pc);
}

static enum lull_cp_result draw(struct lull_cp *cp, struct lull_gfx *x)
{
    const char *why = check_state(x, cp->p.body[0]);
    if (why != NULL) {
        return lull_cp_bad(cp, "it draws %s, and this GPU only computes", why);
    }
    const uint32_t instances = lull_gfx_reg(x, LULL_DRAW11_VGT_NUM_INSTANCES);
    if (instances > MAX_INSTANCES) {
        return lull_cp_bad(cp, "it draws %u instances", instances);
    }
    cp->vm->fault = (struct lull_vm_fault){0};
    for (uint32_t i = 0; i < instances; i++) {
        const enum outcome o = draw_instance(x, i);
        if (o == NO_RECTANGLE) {
            return lull_cp_bad(cp, "it draws in perspective, and this GPU only computes");
        }
        if (o == FAILED) {
            return failed(cp, x);
        }
    }
    return LULL_CP_NEXT;
}

enum lull_cp_result lull_gfx_clear_state(struct lull_cp *cp)
{
    static const uint32_t scissors[] = {
        LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR, LULL_DRAW11_PA_SC_WINDOW_SCISSOR_BR,
        LULL_DRAW11_PA_SC_GENERIC_SCISSOR_BR, LULL_DRAW11_PA_SC_VPORT_SCISSOR_0_BR};
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
    struct lull_gfx *x = calloc(1, sizeof(*x));
    if (x == NULL) {
        return lull_cp_bad(cp, "no memory for a draw");
    }
    x->cp = cp;
    x->budget = BUDGET;
    x->host = (struct lull_wave_host){
        .sendmsg = host_sendmsg,
        .sendmsg_rtn = host_sendmsg_rtn,
        .vm_fault = host_fault,
        .clock = host_clock,
        .border_colors = host_border_colors,
        .export_lanes = host_export,
        .param = host_param,
    };
    const enum lull_cp_result r = draw(cp, x);
    free(x);
    return r;
}
