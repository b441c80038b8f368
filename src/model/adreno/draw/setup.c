// SPDX-License-Identifier: MIT
// From registers and vertices to what model/raster takes.
//
// A rectangle has two vertices, opposite corners; the first stands for all that is not said to run
// along x or y. I and J of it run from corner to corner; those of a point are its coordinates.
#include <math.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/front.h"

enum { VIEWPORTS = 16, SCISSOR_BITS = 0xffff };

#define REG(d, NAME) lull_adraw_reg((d), LULL_A6XX_##NAME)

static float as_float(uint32_t bits)
{
    float f = 0;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t reg7(const struct lull_adraw *d, uint32_t a6, uint32_t a7)
{
    return lull_astage_reg(&d->source.shaders, a6, a7);
}

const char *lull_adraw_refuses(const struct lull_adraw *d)
{
    const bool a7 = d->source.shaders.gpu_id >= 700;
    const uint32_t conservative = REG(d, GRAS_SU_CONSERVATIVE_RAS_CNTL);
    const struct {
        bool there;
        const char *what;
    } refused[] = {
        {lull_a6xx_sp_xs_config__enabled(REG(d, SP_HS_CONFIG)) != 0, "tessellation"},
        {lull_a6xx_sp_xs_config__enabled(REG(d, SP_GS_CONFIG)) != 0, "a geometry shader"},
        {lull_a6xx_vpc_so_stream_cntl__stream_enable(REG(d, VPC_SO_STREAM_CNTL)) != 0,
         "transform feedback"},
        {lull_a6xx_multiview_cntl__enable(REG(d, PC_MULTIVIEW_CNTL)) != 0, "several views"},
        {lull_a6xx_gras_su_conservative_ras_cntl__conservativerasen(conservative) != 0,
         "conservative rasterisation"},
        {a7 && lull_a6xx_sp_ps_aliased_components_control__enabled(
                   REG(d, SP_PS_ALIASED_COMPONENTS_CONTROL)) != 0,
         "outputs by alias.rt"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (refused[i].there) {
            return refused[i].what;
        }
    }
    return NULL;
}

/** Cut @p box by a scissor, whose lower right corner is the last pixel. */
static void cut(const struct lull_adraw *d, uint32_t tl, uint32_t br, struct lull_raster_box *box)
{
    const uint32_t from = lull_adraw_reg(d, tl), to = lull_adraw_reg(d, br);
    const int32_t x0 = (int32_t)lull_a6xx_scissor_xy__x(from),
                  y0 = (int32_t)lull_a6xx_scissor_xy__y(from),
                  x1 = (int32_t)lull_a6xx_scissor_xy__x(to) + 1,
                  y1 = (int32_t)lull_a6xx_scissor_xy__y(to) + 1;
    box->x0 = x0 > box->x0 ? x0 : box->x0;
    box->y0 = y0 > box->y0 ? y0 : box->y0;
    box->x1 = x1 < box->x1 ? x1 : box->x1;
    box->y1 = y1 < box->y1 ? y1 : box->y1;
}

static void read_viewport(const struct lull_adraw *d, unsigned n, struct lull_raster_viewport *v)
{
    const uint32_t at = n * LULL_A6XX_GRAS_CL_VPORT__STRIDE;
    const uint32_t screen = n * LULL_A6XX_GRAS_SC_SCREEN_SCISSOR__STRIDE;
    const uint32_t view = n * LULL_A6XX_GRAS_SC_VIEWPORT_SCISSOR__STRIDE;
    const uint32_t offset[3] = {LULL_A6XX_GRAS_CL_VPORT_XOFFSET, LULL_A6XX_GRAS_CL_VPORT_YOFFSET,
                                LULL_A6XX_GRAS_CL_VPORT_ZOFFSET};
    const uint32_t scale[3] = {LULL_A6XX_GRAS_CL_VPORT_XSCALE, LULL_A6XX_GRAS_CL_VPORT_YSCALE,
                               LULL_A6XX_GRAS_CL_VPORT_ZSCALE};
    for (unsigned i = 0; i < 3; i++) {
        v->offset[i] = as_float(lull_adraw_reg(d, offset[i] + at));
        v->scale[i] = as_float(lull_adraw_reg(d, scale[i] + at));
    }
    v->zmin = -INFINITY; // The back end clamps.
    v->zmax = INFINITY;
    v->scissor = (struct lull_raster_box){0, 0, SCISSOR_BITS, SCISSOR_BITS};
    cut(d, LULL_A6XX_GRAS_SC_WINDOW_SCISSOR_TL, LULL_A6XX_GRAS_SC_WINDOW_SCISSOR_BR, &v->scissor);
    cut(d, LULL_A6XX_GRAS_SC_SCREEN_SCISSOR_TL + screen,
        LULL_A6XX_GRAS_SC_SCREEN_SCISSOR_BR + screen, &v->scissor);
    cut(d, LULL_A6XX_GRAS_SC_VIEWPORT_SCISSOR_TL + view,
        LULL_A6XX_GRAS_SC_VIEWPORT_SCISSOR_BR + view, &v->scissor);
}

static enum lull_raster_fill fill_of(uint32_t mode)
{
    return mode == LULL_POLYMODE6_POINTS  ? LULL_RASTER_FILL_POINT
           : mode == LULL_POLYMODE6_LINES ? LULL_RASTER_FILL_LINE
                                          : LULL_RASTER_FILL;
}

/** Faces and the bias of depth. */
static void read_faces(const struct lull_adraw *d, struct lull_raster_state *s)
{
    const uint32_t su = REG(d, GRAS_SU_CNTL);
    const uint32_t format =
        lull_a6xx_gras_su_depth_buffer_info__depth_format(REG(d, GRAS_SU_DEPTH_BUFFER_INFO));
    s->front_clockwise = lull_a6xx_gras_su_cntl__front_cw(su) != 0;
    s->cull_front = lull_a6xx_gras_su_cntl__cull_front(su) != 0;
    s->cull_back = lull_a6xx_gras_su_cntl__cull_back(su) != 0;
    s->fill_front = s->fill_back =
        fill_of(lull_a6xx_vpc_polygon_mode__mode(REG(d, VPC_POLYGON_MODE)));
    s->bias_front = s->bias_back = lull_a6xx_gras_su_cntl__poly_offset(su) != 0;
    s->bias_float = format == LULL_DEPTH6_32;
    s->bias_bits = format == LULL_DEPTH6_32 ? 23 : format == LULL_DEPTH6_24_8 ? 24 : 16;
    s->bias_constant = as_float(REG(d, GRAS_SU_POLY_OFFSET_OFFSET));
    s->bias_slope[0] = s->bias_slope[1] = as_float(REG(d, GRAS_SU_POLY_OFFSET_SCALE));
    s->bias_clamp = as_float(REG(d, GRAS_SU_POLY_OFFSET_OFFSET_CLAMP));
}

/** Where samples stand by themselves. */
static const int8_t standard[3][4][2] = {
    {{0, 0}}, {{4, 4}, {-4, -4}}, {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}}};

static void read_samples(const struct lull_adraw *d, struct lull_raster_state *s)
{
    const unsigned log2 = lull_a6xx_gras_ras_msaa_cntl__samples(REG(d, GRAS_RAS_MSAA_CNTL));
    const bool own = lull_a6xx_sample_config__location_enable(REG(d, GRAS_SAMPLE_CONFIG)) != 0;
    s->nsamples = (uint8_t)(1 << (log2 < 2 ? log2 : 2));
    s->center_only = lull_a6xx_gras_dest_msaa_cntl__msaa_disable(REG(d, GRAS_DEST_MSAA_CNTL)) != 0;
    for (unsigned i = 0; i < s->nsamples; i++) {
        const uint32_t at = REG(d, GRAS_SAMPLE_LOCATION_0) >> 8 * i;
        s->sample[i][0] = own ? (int8_t)((at & 15) - 8) : standard[log2 < 2 ? log2 : 2][i][0];
        s->sample[i][1] = own ? (int8_t)((at >> 4 & 15) - 8) : standard[log2 < 2 ? log2 : 2][i][1];
    }
}

void lull_adraw_read_raster(struct lull_adraw *d)
{
    const uint32_t clip = REG(d, GRAS_CL_CNTL);
    const uint32_t planes = REG(d, GRAS_VS_CL_CNTL);
    const uint32_t su = REG(d, GRAS_SU_CNTL);
    const uint32_t minmax = REG(d, GRAS_SU_POINT_MINMAX);
    const bool square = lull_a6xx_gras_su_cntl__line_mode(su) == LULL_RECTANGULAR;
    struct lull_raster_state *s = &d->raster;
    *s = (struct lull_raster_state){
        .no_clip = lull_a6xx_gras_cl_cntl__clip_disable(clip) != 0,
        .z_zero_to_one = lull_a6xx_gras_cl_cntl__zero_gb_scale_z(clip) != 0,
        .clip_near = lull_a6xx_gras_cl_cntl__znear_clip_disable(clip) == 0,
        .clip_far = lull_a6xx_gras_cl_cntl__zfar_clip_disable(clip) == 0,
        .window_coords = lull_a6xx_gras_cl_cntl__vp_xform_disable(clip) != 0,
        .clip_planes = (uint8_t)lull_a6xx_gras_xs_cl_cntl__clip_mask(planes),
        .cull_planes = (uint8_t)lull_a6xx_gras_xs_cl_cntl__cull_mask(planes),
        .line_width = (float)lull_a6xx_gras_su_cntl__linehalfwidth(su) / 2,
        .line_rectangular = square,
        .line_bresenham = !square,
        .point_min = (float)lull_a6xx_gras_su_point_minmax__min(minmax) / 16,
        .point_max = (float)lull_a6xx_gras_su_point_minmax__max(minmax) / 16,
    };
    read_faces(d, s);
    read_samples(d, s);
    d->has_raster = false;
    d->last_provokes =
        lull_a6xx_primitive_cntl_0__provoking_vtx_last(REG(d, PC_PRIMITIVE_CNTL_0)) != 0;
    d->restarts = lull_a6xx_primitive_cntl_0__primitive_restart(REG(d, PC_PRIMITIVE_CNTL_0)) != 0;
    d->restart = REG(d, PC_RESTART_INDEX);
    d->discards = lull_a6xx_pc_raster_cntl__discard(
                      reg7(d, LULL_A6XX_PC_RASTER_CNTL, LULL_A6XX_PC_RASTER_CNTL__A7XX)) != 0;
}

static float slot(const struct lull_adraw_vertex *v, unsigned n)
{
    return n < LULL_ADRAW_SLOTS ? as_float(v->slot[n]) : 0;
}

static struct lull_raster_vertex vertex(const struct lull_adraw *d,
                                        const struct lull_adraw_vertex *v)
{
    const struct lull_adraw_places *p = &d->places;
    struct lull_raster_vertex ret = {
        .point_size = p->size != LULL_ADRAW_NO_SLOT
                          ? slot(v, p->size)
                          : (float)(int16_t)(REG(d, GRAS_SU_POINT_SIZE) & 0xffff) / 16};
    for (unsigned c = 0; c < 4; c++) {
        ret.pos[c] = slot(v, p->position + c);
        for (unsigned k = 0; k < 2; k++) {
            ret.distance[4 * k + c] =
                p->distance[k] != LULL_ADRAW_NO_SLOT ? slot(v, p->distance[k] + c) : 0;
        }
    }
    return ret;
}

/** I and J of a point are its coordinates: its inputs are that or do not change. */
static void point_coordinates(struct lull_raster_prim *p)
{
    const double w = p->one_w.c; // Everywhere.
    p->i = p->s;
    p->j = p->t;
    p->i_w = (struct lull_raster_plane){p->s.a * w, p->s.b * w, p->s.c * w};
    p->j_w = (struct lull_raster_plane){p->t.a * w, p->t.b * w, p->t.c * w};
}

void lull_adraw_set_up(struct lull_adraw *d)
{
    const struct lull_adraw_vertex *first = d->like.vertex[d->like.provoking];
    const unsigned viewport =
        d->places.view != LULL_ADRAW_NO_SLOT ? first->slot[d->places.view] % VIEWPORTS : 0;
    struct lull_raster_vertex v[3];
    for (unsigned k = 0; k < 3; k++) {
        v[k] = vertex(d, d->like.vertex[k]);
    }
    if (d->shape == LULL_RASTER_RECT) {
        const struct lull_raster_vertex far = v[1];
        v[1] = v[2] = v[0];
        v[1].pos[0] = far.pos[0];
        v[2].pos[1] = far.pos[1];
    }
    if (!d->has_raster || d->viewport != viewport) {
        read_viewport(d, viewport, &d->raster.viewport);
        d->viewport = viewport;
        d->has_raster = true;
    }
    d->like.layer = d->places.layer != LULL_ADRAW_NO_SLOT ? first->slot[d->places.layer] : 0;
    d->nprims = d->discards ? 0 : lull_raster_setup(&d->raster, d->shape, v, d->prims);
    d->prim = 0;
    d->cursor = (struct lull_raster_cursor){0};
    for (unsigned i = 0; i < d->nprims && d->shape == LULL_RASTER_POINT; i++) {
        point_coordinates(&d->prims[i]);
    }
    lull_adraw_count(d, LULL_ADRAW_CLIP_IN, 1); // Turnip: primitives generated, discarded or not
    lull_adraw_count(d, LULL_ADRAW_CLIP_OUT, d->nprims != 0);
}
