// SPDX-License-Identifier: MIT
// From registers and exported vertices to what model/raster takes.
//
// Sources: Mesa 22.3.6 gfx11.json (fields); src/amd/vulkan radv_pipeline.c, radv_cmd_buffer.c
// (units: half sizes of points and lines in 1/16 pixel, slopes of depth bias times 16, samples in
// 1/16 pixel from the centre); radv_nir_lower_fs_barycentric.c of 25.0.7 (P0 is the provoking
// vertex, the others follow in their order). Chosen here: layer and viewport are the provoking
// vertex's; UNDER_RAST_ENABLE draws what is filled, but where shaders ask for inner coverage what
// is met (Mesa writes the same for both); triangles without an area are the back's and flat.
#include <math.h>
#include <string.h>

#include "model/amd/gfx/gfx.h"

enum {
    CONNECT_STEP = 10, // A vertex and an edge flag of the exported word.
    CONNECT_VERTEX = 0x1ff,
    CONNECT_NONE = 31,
    LAYER_MASK = 0x1fff,
    PAYLOAD_VIEWPORT_SHIFT = 20,
    VIEWPORT_SHIFT = 16,
    VIEWPORT_MASK = 15,
    MISC = 1, // Of the position exports, if there is one.
    MISC_SIZE = 0,
    MISC_LAYER = 2,
    MISC_NONE = 4, // Channel of a kill flag.
};

#define REG(g, NAME) lull_gfx_reg((g), LULL_DRAW11_##NAME)
#define FIELD(word, NAME) lull_get((word), LULL_DRAW11_##NAME##_MASK)
#define HAS(word, NAME) (((word)&LULL_DRAW11_##NAME##_MASK) != 0)

static float as_float(uint32_t bits)
{
    float f = 0;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static float reg_float(const struct lull_gpu *g, uint32_t offset)
{
    return as_float(lull_gfx_reg(g, offset));
}

/** Cut @p box by a scissor. */
static void cut(const struct lull_gpu *g, uint32_t tl, uint32_t br, struct lull_raster_box *box)
{
    const uint32_t from = lull_gfx_reg(g, tl);
    const uint32_t to = lull_gfx_reg(g, br);
    const int32_t x0 = (int32_t)(from & 0x7fff);
    const int32_t y0 = (int32_t)(from >> 16 & 0x7fff);
    const int32_t x1 = (int32_t)(to & 0x7fff);
    const int32_t y1 = (int32_t)(to >> 16 & 0x7fff);
    box->x0 = x0 > box->x0 ? x0 : box->x0;
    box->y0 = y0 > box->y0 ? y0 : box->y0;
    box->x1 = x1 < box->x1 ? x1 : box->x1;
    box->y1 = y1 < box->y1 ? y1 : box->y1;
}

static void read_viewport(const struct lull_gpu *g, unsigned n, struct lull_raster_viewport *v)
{
    static const struct {
        uint32_t scale, offset, scale_on, offset_on;
    } axes[3] = {
        {LULL_DRAW11_PA_CL_VPORT_XSCALE, LULL_DRAW11_PA_CL_VPORT_XOFFSET,
         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_X_SCALE_ENA_MASK,
         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_X_OFFSET_ENA_MASK},
        {LULL_DRAW11_PA_CL_VPORT_YSCALE, LULL_DRAW11_PA_CL_VPORT_YOFFSET,
         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_Y_SCALE_ENA_MASK,
         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_Y_OFFSET_ENA_MASK},
        {LULL_DRAW11_PA_CL_VPORT_ZSCALE, LULL_DRAW11_PA_CL_VPORT_ZOFFSET,
         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_Z_SCALE_ENA_MASK,
         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_Z_OFFSET_ENA_MASK},
    };
    const uint32_t at = n * LULL_DRAW11_PA_CL_VPORT_XSCALE__STRIDE;
    const uint32_t vte = REG(g, PA_CL_VTE_CNTL);
    const uint32_t z = n * LULL_DRAW11_PA_SC_VPORT_ZMIN__STRIDE;
    const uint32_t sc = n * LULL_DRAW11_PA_SC_VPORT_SCISSOR_TL__STRIDE;
    for (unsigned i = 0; i < 3; i++) {
        v->scale[i] = (vte & axes[i].scale_on) != 0 ? reg_float(g, axes[i].scale + at) : 1;
        v->offset[i] = (vte & axes[i].offset_on) != 0 ? reg_float(g, axes[i].offset + at) : 0;
    }
    v->zmin = -INFINITY;
    v->zmax = INFINITY;
    if (!HAS(REG(g, DB_RENDER_OVERRIDE), DB_RENDER_OVERRIDE__DISABLE_VIEWPORT_CLAMP)) {
        v->zmin = reg_float(g, LULL_DRAW11_PA_SC_VPORT_ZMIN + z);
        v->zmax = reg_float(g, LULL_DRAW11_PA_SC_VPORT_ZMAX + z);
    }
    v->scissor = (struct lull_raster_box){0, 0, UINT16_MAX, UINT16_MAX};
    cut(g, LULL_DRAW11_PA_SC_SCREEN_SCISSOR_TL, LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR, &v->scissor);
    cut(g, LULL_DRAW11_PA_SC_WINDOW_SCISSOR_TL, LULL_DRAW11_PA_SC_WINDOW_SCISSOR_BR, &v->scissor);
    cut(g, LULL_DRAW11_PA_SC_GENERIC_SCISSOR_TL, LULL_DRAW11_PA_SC_GENERIC_SCISSOR_BR, &v->scissor);
    if (HAS(REG(g, PA_SC_MODE_CNTL_0), PA_SC_MODE_CNTL_0__VPORT_SCISSOR_ENABLE)) {
        cut(g, LULL_DRAW11_PA_SC_VPORT_SCISSOR_TL + sc, LULL_DRAW11_PA_SC_VPORT_SCISSOR_BR + sc,
            &v->scissor);
    }
}

/** Clip rectangles. */
static void read_windows(const struct lull_gpu *g, struct lull_raster_state *s)
{
    s->window_rule = (uint16_t)FIELD(REG(g, PA_SC_CLIPRECT_RULE), PA_SC_CLIPRECT_RULE__CLIP_RULE);
    s->windowed = s->window_rule != LULL_DRAW11_PA_SC_CLIPRECT_RULE__CLIP_RULE__CLEAR;
    for (unsigned i = 0; i < LULL_RASTER_WINDOWS; i++) {
        const uint32_t at = i * LULL_DRAW11_PA_SC_CLIPRECT_TL__STRIDE;
        s->window[i] = (struct lull_raster_box){0, 0, UINT16_MAX, UINT16_MAX};
        cut(g, LULL_DRAW11_PA_SC_CLIPRECT_TL + at, LULL_DRAW11_PA_SC_CLIPRECT_BR + at,
            &s->window[i]);
    }
}

/** Patterns of lines. */
static void read_stipple(const struct lull_gpu *g, struct lull_raster_state *s)
{
    const uint32_t stipple = REG(g, PA_SC_LINE_STIPPLE);
    if (HAS(REG(g, PA_SC_MODE_CNTL_0), PA_SC_MODE_CNTL_0__LINE_STIPPLE_ENABLE)) {
        s->stipple = (uint16_t)FIELD(stipple, PA_SC_LINE_STIPPLE__LINE_PATTERN);
        s->stipple_repeat = (uint16_t)(FIELD(stipple, PA_SC_LINE_STIPPLE__REPEAT_COUNT) + 1);
    }
}

bool lull_gfx_wants_inner(const struct lull_gpu *g)
{
    return HAS(REG(g, PA_SC_CONSERVATIVE_RASTERIZATION_CNTL),
               PA_SC_CONSERVATIVE_RASTERIZATION_CNTL__UNDER_RAST_ENABLE) &&
           FIELD(REG(g, PA_SC_AA_CONFIG), PA_SC_AA_CONFIG__COVERAGE_TO_SHADER_SELECT) ==
               LULL_DRAW11_PA_SC_AA_CONFIG__COVERAGE_TO_SHADER_SELECT__INPUT_INNER_COVERAGE;
}

static enum lull_raster_conservative conservative(const struct lull_gpu *g)
{
    const uint32_t cntl = REG(g, PA_SC_CONSERVATIVE_RASTERIZATION_CNTL);
    return HAS(cntl, PA_SC_CONSERVATIVE_RASTERIZATION_CNTL__OVER_RAST_ENABLE) ||
                   lull_gfx_wants_inner(g)
               ? LULL_RASTER_OVER
           : HAS(cntl, PA_SC_CONSERVATIVE_RASTERIZATION_CNTL__UNDER_RAST_ENABLE)
               ? LULL_RASTER_UNDER
               : LULL_RASTER_EXACT;
}

static enum lull_raster_fill fill_of(uint32_t ptype)
{
    return ptype == LULL_DRAW11_PA_SU_SC_MODE_CNTL__POLYMODE_FRONT_PTYPE__POINTS
               ? LULL_RASTER_FILL_POINT
           : ptype == LULL_DRAW11_PA_SU_SC_MODE_CNTL__POLYMODE_FRONT_PTYPE__LINES
               ? LULL_RASTER_FILL_LINE
               : LULL_RASTER_FILL;
}

/** Faces and the bias of depth. */
static void read_faces(const struct lull_gpu *g, struct lull_raster_state *s)
{
    const uint32_t mode = REG(g, PA_SU_SC_MODE_CNTL);
    const uint32_t format = REG(g, PA_SU_POLY_OFFSET_DB_FMT_CNTL);
    const bool poly = FIELD(mode, PA_SU_SC_MODE_CNTL__POLY_MODE) != 0;
    s->front_clockwise = HAS(mode, PA_SU_SC_MODE_CNTL__FACE);
    s->cull_front = HAS(mode, PA_SU_SC_MODE_CNTL__CULL_FRONT);
    s->cull_back = HAS(mode, PA_SU_SC_MODE_CNTL__CULL_BACK);
    s->fill_front =
        poly ? fill_of(FIELD(mode, PA_SU_SC_MODE_CNTL__POLYMODE_FRONT_PTYPE)) : LULL_RASTER_FILL;
    s->fill_back =
        poly ? fill_of(FIELD(mode, PA_SU_SC_MODE_CNTL__POLYMODE_BACK_PTYPE)) : LULL_RASTER_FILL;
    s->bias_front = HAS(mode, PA_SU_SC_MODE_CNTL__POLY_OFFSET_FRONT_ENABLE);
    s->bias_back = HAS(mode, PA_SU_SC_MODE_CNTL__POLY_OFFSET_BACK_ENABLE);
    s->bias_para = HAS(mode, PA_SU_SC_MODE_CNTL__POLY_OFFSET_PARA_ENABLE);
    s->bias_float = HAS(format, PA_SU_POLY_OFFSET_DB_FMT_CNTL__POLY_OFFSET_DB_IS_FLOAT_FMT);
    s->bias_bits =
        (uint8_t) -
        (int8_t)FIELD(format, PA_SU_POLY_OFFSET_DB_FMT_CNTL__POLY_OFFSET_NEG_NUM_DB_BITS);
    s->bias_constant = reg_float(g, LULL_DRAW11_PA_SU_POLY_OFFSET_FRONT_OFFSET);
    s->bias_slope[0] = reg_float(g, LULL_DRAW11_PA_SU_POLY_OFFSET_FRONT_SCALE) / 16;
    s->bias_slope[1] = reg_float(g, LULL_DRAW11_PA_SU_POLY_OFFSET_BACK_SCALE) / 16;
    s->bias_clamp = reg_float(g, LULL_DRAW11_PA_SU_POLY_OFFSET_CLAMP);
}

unsigned lull_gfx_log2_samples(const struct lull_gpu *g)
{
    const uint32_t aa = REG(g, PA_SC_AA_CONFIG);
    return conservative(g) == LULL_RASTER_UNDER // which has all of them or none
               ? FIELD(aa, PA_SC_AA_CONFIG__MSAA_EXPOSED_SAMPLES)
               : FIELD(aa, PA_SC_AA_CONFIG__MSAA_NUM_SAMPLES);
}

void lull_gfx_read_samples(const struct lull_gpu *g, struct lull_raster_state *s)
{
    const unsigned log2 = lull_gfx_log2_samples(g);
    s->nsamples = (uint8_t)(1 << (log2 < 3 ? log2 : 3));
    s->center_only = !HAS(REG(g, PA_SC_MODE_CNTL_0), PA_SC_MODE_CNTL_0__MSAA_ENABLE);
    for (unsigned i = 0; i < s->nsamples; i++) {
        const uint32_t word =
            lull_gfx_reg(g, LULL_DRAW11_PA_SC_AA_SAMPLE_LOCS + 4 * (i / 4)) >> 8 * (i % 4);
        s->sample[i][0] = (int8_t)((int8_t)(word << 4) >> 4);
        s->sample[i][1] = (int8_t)((int8_t)word >> 4);
    }
}

void lull_gfx_raster_state(const struct lull_gpu *g, unsigned viewport,
                           struct lull_raster_state *ret)
{
    const uint32_t clip = REG(g, PA_CL_CLIP_CNTL);
    const uint32_t vte = REG(g, PA_CL_VTE_CNTL);
    const uint32_t out = REG(g, PA_CL_VS_OUT_CNTL);
    const uint32_t minmax = REG(g, PA_SU_POINT_MINMAX);
    struct lull_raster_state s = {
        .no_clip = HAS(clip, PA_CL_CLIP_CNTL__CLIP_DISABLE),
        .z_zero_to_one = HAS(clip, PA_CL_CLIP_CNTL__DX_CLIP_SPACE_DEF),
        .clip_near = !HAS(clip, PA_CL_CLIP_CNTL__ZCLIP_NEAR_DISABLE),
        .clip_far = !HAS(clip, PA_CL_CLIP_CNTL__ZCLIP_FAR_DISABLE),
        .window_coords = HAS(vte, PA_CL_VTE_CNTL__VTX_XY_FMT),
        .w_is_reciprocal = !HAS(vte, PA_CL_VTE_CNTL__VTX_W0_FMT),
        .clip_planes = (uint8_t)FIELD(out, PA_CL_VS_OUT_CNTL__CLIP_DIST_ENA),
        .cull_planes = (uint8_t)FIELD(out, PA_CL_VS_OUT_CNTL__CULL_DIST_ENA),
        .line_width = (float)FIELD(REG(g, PA_SU_LINE_CNTL), PA_SU_LINE_CNTL__WIDTH) / 8,
        .point_min = (float)FIELD(minmax, PA_SU_POINT_MINMAX__MIN_SIZE) / 8,
        .point_max = (float)FIELD(minmax, PA_SU_POINT_MINMAX__MAX_SIZE) / 8,
    };
    read_viewport(g, viewport, &s.viewport);
    read_faces(g, &s);
    lull_gfx_read_samples(g, &s);
    read_windows(g, &s);
    read_stipple(g, &s);
    s.conservative = conservative(g);
    s.line_rectangular = HAS(REG(g, PA_SC_LINE_CNTL), PA_SC_LINE_CNTL__PERPENDICULAR_ENDCAP_ENA);
    s.line_bresenham = s.center_only && !s.line_rectangular;
    *ret = s;
}

static float position(const struct lull_gfx_subgroup *sub, unsigned n, unsigned c, unsigned vertex)
{
    return n < LULL_GFX_POSITIONS ? as_float(sub->position[n][c][vertex]) : 0;
}

/** Exported vertex @p i. Positions are packed: those that VS_OUT_CNTL does not name are not there.
 */
static void read_vertex(const struct lull_gpu *g, const struct lull_gfx_subgroup *sub, unsigned i,
                        struct lull_raster_vertex *ret)
{
    const uint32_t out = REG(g, PA_CL_VS_OUT_CNTL);
    unsigned at = MISC + HAS(out, PA_CL_VS_OUT_CNTL__VS_OUT_MISC_VEC_ENA);
    for (unsigned c = 0; c < 4; c++) {
        ret->pos[c] = position(sub, 0, c, i);
    }
    const bool own = at > MISC && HAS(out, PA_CL_VS_OUT_CNTL__USE_VTX_POINT_SIZE);
    ret->point_size = own ? position(sub, MISC, MISC_SIZE, i)
                          : (float)FIELD(REG(g, PA_SU_POINT_SIZE), PA_SU_POINT_SIZE__WIDTH) / 8;
    const bool there[2] = {HAS(out, PA_CL_VS_OUT_CNTL__VS_OUT_CCDIST0_VEC_ENA),
                           HAS(out, PA_CL_VS_OUT_CNTL__VS_OUT_CCDIST1_VEC_ENA)};
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned c = 0; c < 4; c++) {
            ret->distance[4 * k + c] = there[k] ? position(sub, at, c, i) : 0;
        }
        at += there[k];
    }
}

/** @p a - @p b - @p c. */
static struct lull_raster_plane less(struct lull_raster_plane a, struct lull_raster_plane b,
                                     struct lull_raster_plane c)
{
    return (struct lull_raster_plane){a.a - b.a - c.a, a.b - b.b - c.b, a.c - b.c - c.c};
}

/** Have I and J count from vertex @p first on. */
static void rotate(struct lull_raster_prim *p, unsigned first)
{
    static const struct lull_raster_plane one = {0, 0, 1};
    const struct lull_raster_plane rest_w = less(p->one_w, p->i_w, p->j_w);
    const struct lull_raster_plane rest = less(one, p->i, p->j);
    if (p->shape == LULL_RASTER_LINE && first == 1) {
        p->i_w = rest_w;
        p->i = rest;
    } else if (p->shape != LULL_RASTER_POINT && first == 1) {
        p->i_w = p->j_w;
        p->i = p->j;
        p->j_w = rest_w;
        p->j = rest;
    } else if (p->shape != LULL_RASTER_POINT && first == 2) {
        p->j_w = p->i_w;
        p->j = p->i;
        p->i_w = rest_w;
        p->i = rest;
    }
}

/** I and J of a point are its coordinates: its inputs are that or do not change. */
static void point_coordinates(struct lull_raster_prim *p)
{
    const double w = p->one_w.c; // everywhere
    p->i = p->s;
    p->j = p->t;
    p->i_w = (struct lull_raster_plane){p->s.a * w, p->s.b * w, p->s.c * w};
    p->j_w = (struct lull_raster_plane){p->t.a * w, p->t.b * w, p->t.c * w};
}

static unsigned corners(uint32_t shape)
{
    return shape == LULL_RASTER_POINT ? 1 : shape == LULL_RASTER_LINE ? 2 : 3;
}

/** Layer and viewport, as vertex @p v says, or the primitive itself. */
static void read_misc(const struct lull_gpu *g, const struct lull_gfx_subgroup *sub, unsigned v,
                      struct lull_gfx_part *ret)
{
    const uint32_t out = REG(g, PA_CL_VS_OUT_CNTL);
    if (HAS(REG(g, VGT_DRAW_PAYLOAD_CNTL), VGT_DRAW_PAYLOAD_CNTL__EN_PRIM_PAYLOAD)) {
        ret->layer = sub->payload[ret->prim] & LAYER_MASK;
        ret->viewport = sub->payload[ret->prim] >> PAYLOAD_VIEWPORT_SHIFT & VIEWPORT_MASK;
        return;
    }
    if (HAS(out, PA_CL_VS_OUT_CNTL__VS_OUT_MISC_VEC_ENA)) {
        const uint32_t z = sub->position[MISC][MISC_LAYER][v];
        ret->layer = HAS(out, PA_CL_VS_OUT_CNTL__USE_VTX_RENDER_TARGET_INDX) ? z & LAYER_MASK : 0;
        ret->viewport = HAS(out, PA_CL_VS_OUT_CNTL__USE_VTX_VIEWPORT_INDX)
                            ? z >> VIEWPORT_SHIFT & VIEWPORT_MASK
                            : 0;
    }
}

unsigned lull_gfx_prim_parts(const struct lull_gpu *g, struct lull_gfx_setup *s, unsigned prim,
                             struct lull_gfx_part ret[LULL_RASTER_PARTS])
{
    const struct lull_gfx_subgroup *sub = &lull_gfx_of(g)->sub;
    const uint32_t word = sub->connect[prim];
    const unsigned n = corners(sub->shape);
    const bool last = HAS(REG(g, PA_SU_SC_MODE_CNTL), PA_SU_SC_MODE_CNTL__PROVOKING_VTX_LAST);
    const unsigned first = last ? n - 1 : 0;
    struct lull_raster_vertex v[3] = {{.point_size = 1}};
    struct lull_raster_prim raster[LULL_RASTER_PARTS];
    struct lull_gfx_part like = {
        .prim = (uint16_t)prim, .prim_id = sub->prim_id[prim], .first = (n - first) % n};
    if (word >> CONNECT_NONE != 0 ||
        HAS(REG(g, PA_CL_CLIP_CNTL), PA_CL_CLIP_CNTL__DX_RASTERIZATION_KILL)) {
        return 0;
    }
    uint16_t index[3] = {0};
    for (unsigned k = 0; k < n; k++) {
        index[k] = (uint16_t)(word >> k * CONNECT_STEP & CONNECT_VERTEX);
        if (index[k] >= sub->out_vertices || index[k] >= LULL_GFX_VERTICES) {
            return 0;
        }
        read_vertex(g, sub, index[k], &v[k]);
    }
    for (unsigned k = 0; k < 3; k++) {
        like.vertex[k] = index[k < n ? (first + k) % n : first];
    }
    read_misc(g, sub, like.vertex[0], &like);
    if (!s->any || s->viewport != like.viewport) {
        *s = (struct lull_gfx_setup){.any = true, .viewport = like.viewport};
        lull_gfx_raster_state(g, like.viewport, &s->state);
    }
    const unsigned nparts = lull_raster_setup(&s->state, sub->shape, v, raster);
    uint32_t before = sub->shape == LULL_RASTER_LINE ? lull_gfx_of(g)->batch.stipple : 0;
    for (unsigned i = 0; i < nparts; i++) {
        if (s->state.stipple_repeat != 0) {
            raster[i].stipple = before;
            before += lull_raster_fragments(&raster[i]);
        }
        ret[i] = like;
        ret[i].raster = raster[i];
        rotate(&ret[i].raster, first);
        if (ret[i].raster.shape == LULL_RASTER_POINT) {
            point_coordinates(&ret[i].raster);
        }
    }
    return nparts;
}
