// SPDX-License-Identifier: MIT
// Quads to waves of pixels: what the rasteriser covers, what waves start with, what slots hold, and
// what goes to the back end.
//
// A quad that no sample of is left after the tests before the shader has no fibers. With sample
// shading a quad is there once for each sample. A pixel that is not covered, or is covered whole,
// has its centre for a centroid; else it is the first covered sample.
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/front.h"

enum {
    QUAD = 4,
    ALL_SAMPLES = 0x01010101,
    SUBPIXELS = 16, ///< Of the unit of XYCOORDREGID.
    ONE = 0x3f800000,
};

/** Two bits of slots of VPC. */
enum { INTERP_FLAT = 1, INTERP_ZERO, INTERP_ONE };
enum { REPL_S = 1, REPL_T, REPL_ONE_MINUS_T };

#define REG(d, NAME) lull_adraw_reg((d), LULL_A6XX_##NAME)

/* Inputs that are slots */

static unsigned two_bits(const struct lull_adraw *d, uint32_t first, uint32_t slot)
{
    return lull_adraw_reg(d, first + slot / 16 % 8) >> 2 * (slot % 16) & 3;
}

/** A slot that nobody has written; false: a vertex has. */
static bool made_up(const struct lull_adraw *d, const struct lull_adraw_part *part, uint32_t slot,
                    uint32_t *ret)
{
    const uint32_t cntl = REG(d, VPC_CNTL_0);
    const unsigned mode = two_bits(d, LULL_A6XX_VPC_VARYING_INTERP_MODE, slot);
    if (slot != LULL_ADRAW_NO_SLOT && slot == lull_a6xx_vpc_cntl_0__primidloc(cntl)) {
        *ret = part->id;
    } else if (slot >= LULL_ADRAW_SLOTS || mode == INTERP_ZERO ||
               slot == lull_a6xx_vpc_cntl_0__viewidloc(cntl)) {
        *ret = 0;
    } else if (mode == INTERP_ONE) {
        *ret = ONE;
    } else {
        return false;
    }
    return true;
}

/** A coordinate that takes the place of a slot of points and rectangles. */
static bool replaced(const struct lull_adraw *d, const struct lull_adraw_part *part, uint32_t slot,
                     uint32_t v[3])
{
    const unsigned mode = two_bits(d, LULL_A6XX_VPC_VARYING_PS_REPL_MODE, slot);
    const bool rect = d->shape == LULL_RASTER_RECT;
    if (mode == 0 || slot >= LULL_ADRAW_SLOTS || (!rect && d->shape != LULL_RASTER_POINT)) {
        return false;
    }
    const uint32_t from = rect ? part->vertex[0]->slot[slot] : 0,
                   to = rect ? part->vertex[1]->slot[slot] : ONE;
    const bool down = mode == REPL_ONE_MINUS_T;
    v[0] = down ? to : from;
    v[1] = mode == REPL_S ? to : v[0];
    v[2] = mode == REPL_S ? v[0] : down ? from : to;
    return true;
}

static const struct lull_adraw_part *part_of(const struct lull_adraw *d, unsigned quad)
{
    return &d->parts[quad < d->nquads ? d->quads[quad].part : 0];
}

static uint32_t flat(void *ctx, unsigned quad, uint32_t slot)
{
    const struct lull_adraw *d = ctx;
    const struct lull_adraw_part *part = part_of(d, quad);
    uint32_t v = 0;
    return made_up(d, part, slot, &v) ? v : part->vertex[part->provoking]->slot[slot];
}

static void slot_of(void *ctx, unsigned quad, uint32_t slot, uint32_t ret[3])
{
    const struct lull_adraw *d = ctx;
    const struct lull_adraw_part *part = part_of(d, quad);
    const bool changes = d->shape == LULL_RASTER_LINE || d->shape == LULL_RASTER_TRIANGLE;
    if (made_up(d, part, slot, &ret[0])) {
        ret[1] = ret[2] = ret[0];
    } else if (!replaced(d, part, slot, ret)) {
        const bool once = two_bits(d, LULL_A6XX_VPC_VARYING_INTERP_MODE, slot) == INTERP_FLAT;
        for (unsigned k = 0; k < 3; k++) {
            const unsigned vertex = once ? part->provoking : changes ? k : 0;
            ret[k] = part->vertex[vertex]->slot[slot];
        }
    }
}

/* Inputs that are in registers from the start */

void lull_adraw_read_inputs(struct lull_adraw *d)
{
    const struct lull_acompute_source *s = &d->source.shaders;
    const uint32_t c2 =
        lull_astage_reg(s, LULL_A6XX_HLSQ_CONTROL_2_REG, LULL_A6XX_HLSQ_CONTROL_2_REG__A7XX);
    const uint32_t c3 =
        lull_astage_reg(s, LULL_A6XX_HLSQ_CONTROL_3_REG, LULL_A6XX_HLSQ_CONTROL_3_REG__A7XX);
    const uint32_t c4 =
        lull_astage_reg(s, LULL_A6XX_HLSQ_CONTROL_4_REG, LULL_A6XX_HLSQ_CONTROL_4_REG__A7XX);
    const uint32_t ctrl = REG(d, SP_FS_CTRL_REG0);
    d->inputs = (struct lull_adraw_inputs){
        .ij = {[LULL_ADRAW_CENTER] = {(uint8_t)lull_a6xx_hlsq_control_3_reg__ij_persp_pixel(c3),
                                      (uint8_t)lull_a6xx_hlsq_control_3_reg__ij_linear_pixel(c3)},
               [LULL_ADRAW_CENTROID] =
                   {(uint8_t)lull_a6xx_hlsq_control_3_reg__ij_persp_centroid(c3),
                    (uint8_t)lull_a6xx_hlsq_control_3_reg__ij_linear_centroid(c3)},
               [LULL_ADRAW_SAMPLE] = {(uint8_t)lull_a6xx_hlsq_control_4_reg__ij_persp_sample(c4),
                                      (uint8_t)lull_a6xx_hlsq_control_4_reg__ij_linear_sample(c4)}},
        .xy = (uint8_t)lull_a6xx_hlsq_control_4_reg__xycoordregid(c4),
        .zw = (uint8_t)lull_a6xx_hlsq_control_4_reg__zwcoordregid(c4),
        .face = (uint8_t)lull_a6xx_hlsq_control_2_reg__faceregid(c2),
        .sample = (uint8_t)lull_a6xx_hlsq_control_2_reg__sampleid(c2),
        .mask = (uint8_t)lull_a6xx_hlsq_control_2_reg__samplemask(c2),
        .center_w = (uint8_t)lull_a6xx_hlsq_control_2_reg__centerrhw(c2),
    };
    d->fibers =
        lull_a6xx_sp_fs_ctrl_reg0__threadsize(ctrl) != 0 ? LULL_IR3_FIBERS : LULL_IR3_FIBERS / 2;
    d->per_sample = lull_a6xx_gras_sample_cntl__per_samp_mode(REG(d, GRAS_SAMPLE_CNTL)) != 0;
    d->fragments = (struct lull_ir3_fragments){.ctx = d, .slot = slot_of, .flat = flat};
    for (unsigned i = 0; i < d->raster.nsamples && i < LULL_IR3_SAMPLES; i++) {
        memcpy(d->fragments.sample[i], d->raster.sample[i], sizeof d->fragments.sample[i]);
    }
}

/** The sample that stands for @p place of pixel @p n; -1: its centre. */
static int sample_of(const struct lull_adraw *d, const struct lull_adraw_quad *q, unsigned n,
                     enum lull_adraw_place place)
{
    const unsigned all = (1u << d->raster.nsamples) - 1;
    const unsigned covered = q->covered >> LULL_ADRAW_PIXEL_BITS * n & all;
    if (place == LULL_ADRAW_CENTER || d->raster.center_only || d->raster.nsamples == 1) {
        return -1;
    }
    if (q->sample != UINT8_MAX || place == LULL_ADRAW_SAMPLE) {
        return q->sample != UINT8_MAX ? q->sample : 0;
    }
    return covered == 0 || covered == all ? -1 : __builtin_ctz(covered);
}

/** A place of pixel @p n, in pixels; @p sample -1: its centre. */
static void place_of(const struct lull_adraw *d, const struct lull_adraw_quad *q, unsigned n,
                     int sample, double ret[2])
{
    ret[0] = q->q.x + (n & 1) + .5 + (sample < 0 ? 0 : d->raster.sample[sample][0] / 16.0);
    ret[1] = q->q.y + (n >> 1) + .5 + (sample < 0 ? 0 : d->raster.sample[sample][1] / 16.0);
}

static void set_float(struct lull_ir3_wave *w, unsigned reg, unsigned fiber, float f)
{
    uint32_t v = 0;
    memcpy(&v, &f, sizeof v);
    lull_ir3_set(w, reg, false, fiber, v);
}

static void put_barycentrics(struct lull_adraw *d, const struct lull_adraw_quad *q, unsigned fiber)
{
    for (unsigned place = 0; place < 3; place++) {
        const uint8_t *reg = d->inputs.ij[place];
        double at[2];
        struct lull_raster_point p;
        if (reg[0] == LULL_ADRAW_NO_REG && reg[1] == LULL_ADRAW_NO_REG) {
            continue;
        }
        const unsigned n = fiber % QUAD;
        place_of(d, q, n, sample_of(d, q, n, (enum lull_adraw_place)place), at);
        lull_raster_at(&d->parts[q->part].raster, at[0], at[1], &p);
        if (reg[0] != LULL_ADRAW_NO_REG) {
            set_float(&d->wave, reg[0], fiber, p.i);
            set_float(&d->wave, reg[0] + 1u, fiber, p.j);
        }
        if (reg[1] != LULL_ADRAW_NO_REG) {
            set_float(&d->wave, reg[1], fiber, p.i_linear);
            set_float(&d->wave, reg[1] + 1u, fiber, p.j_linear);
        }
    }
}

/** All but barycentric coordinates. Registers that are not there take nothing. */
static void put_others(struct lull_adraw *d, const struct lull_adraw_quad *q, unsigned fiber)
{
    const struct lull_adraw_inputs *in = &d->inputs;
    const struct lull_raster_prim *prim = &d->parts[q->part].raster;
    const unsigned n = fiber % QUAD;
    double at[2], center[2];
    struct lull_raster_point p, middle;
    place_of(d, q, n, sample_of(d, q, n, d->per_sample ? LULL_ADRAW_SAMPLE : LULL_ADRAW_CENTER),
             at);
    place_of(d, q, n, -1, center);
    lull_raster_at(prim, at[0], at[1], &p);
    lull_raster_at(prim, center[0], center[1], &middle);
    for (unsigned k = 0; k < 2 && in->xy != LULL_ADRAW_NO_REG; k++) {
        lull_ir3_set(&d->wave, in->xy + k, false, fiber, (uint32_t)(int32_t)(at[k] * SUBPIXELS));
    }
    if (in->zw != LULL_ADRAW_NO_REG) {
        set_float(&d->wave, in->zw, fiber, p.z);
        set_float(&d->wave, in->zw + 1u, fiber, p.one_w);
    }
    if (in->center_w != LULL_ADRAW_NO_REG) {
        set_float(&d->wave, in->center_w, fiber, middle.one_w);
    }
    lull_ir3_set(&d->wave, in->face, true, fiber, prim->front != 0 ? 0 : 0xffff);
    lull_ir3_set(&d->wave, in->sample, true, fiber, q->sample != UINT8_MAX ? q->sample : 0);
    lull_ir3_set(&d->wave, in->mask, false, fiber,
                 q->covered >> LULL_ADRAW_PIXEL_BITS * n & UINT8_MAX);
}

void lull_adraw_start_pixels(struct lull_adraw *d)
{
    struct lull_ir3_mask live = {{0, 0}}, alive = {{0, 0}};
    unsigned n = 0;
    for (unsigned i = 0; i < d->nquads; i++) {
        for (unsigned k = 0; k < QUAD; k++) {
            const unsigned fiber = QUAD * i + k;
            const uint64_t bit = UINT64_C(1) << fiber % 64;
            const bool covered = (d->quads[i].q.mask >> LULL_ADRAW_PIXEL_BITS * k & UINT8_MAX) != 0;
            live.w[fiber / 64] |= bit;
            alive.w[fiber / 64] |= covered ? bit : 0;
            n += covered;
        }
    }
    lull_ir3_wave_start(&d->wave, d->fibers, &live);
    lull_ir3_wave_assume(&d->wave, &d->env[LULL_ASTAGE_FS].assume);
    for (unsigned i = 0; i < 2; i++) {
        d->wave.helpers.w[i] = live.w[i] & ~alive.w[i];
    }
    for (unsigned fiber = 0; fiber < QUAD * d->nquads; fiber++) {
        put_barycentrics(d, &d->quads[fiber / QUAD], fiber);
        put_others(d, &d->quads[fiber / QUAD], fiber);
    }
    lull_adraw_prefetch(d);
    lull_adraw_count(d, LULL_ADRAW_FS, n);
}

/* Quads */

static struct lull_arop_quad to_output(const struct lull_adraw *d,
                                       const struct lull_adraw_part *part,
                                       const struct lull_raster_quad *q)
{
    struct lull_arop_quad ret = {.x = q->x,
                                 .y = q->y,
                                 .layer = part->layer,
                                 .front = part->raster.front != 0,
                                 .mask = q->mask};
    for (unsigned n = 0; n < QUAD; n++) {
        for (unsigned s = 0; s < d->raster.nsamples && s < LULL_AROP_SAMPLES; s++) {
            const bool center = d->raster.center_only;
            const double x = q->x + (n & 1) + .5 + (center ? 0 : d->raster.sample[s][0] / 16.0),
                         y = q->y + (n >> 1) + .5 + (center ? 0 : d->raster.sample[s][1] / 16.0);
            ret.z[n][s] = lull_raster_depth_at(&part->raster, x, y);
        }
    }
    return ret;
}

/** A quad of the last part, once for each sample that the shader runs for. */
static void add_quad(struct lull_adraw *d, const struct lull_raster_quad *q)
{
    struct lull_adraw_quad quad = {.q = *q, .part = (uint16_t)d->nparts, .sample = UINT8_MAX};
    quad.q.mask &= d->rop.sample_mask * ALL_SAMPLES;
    quad.covered = quad.q.mask;
    if (quad.q.mask != 0 && d->rop.early) {
        const struct lull_arop_quad out = to_output(d, &d->parts[d->nparts], &quad.q);
        quad.q.mask = lull_arop_early(&d->rop, &out);
    }
    const uint32_t alive = quad.q.mask;
    for (unsigned i = 0; i < (d->per_sample ? d->raster.nsamples : 1u); i++) {
        if (d->per_sample) {
            quad.q.mask = alive & (uint32_t)ALL_SAMPLES << i;
            quad.sample = (uint8_t)i;
        }
        if (quad.q.mask != 0) {
            d->quads[d->nquads++] = quad;
        }
    }
}

/** Quads of the part at hand from the cursor on. @return False: there is no room. */
static bool fill_part(struct lull_adraw *d)
{
    const unsigned times = d->per_sample ? d->raster.nsamples : 1;
    const unsigned before = d->nquads;
    d->parts[d->nparts] = d->like;
    d->parts[d->nparts].raster = d->prims[d->prim];
    while (d->cursor.done == 0) {
        struct lull_raster_quad quads[LULL_ADRAW_QUADS];
        const unsigned room = (d->fibers / QUAD - d->nquads) / times;
        if (room == 0) {
            break;
        }
        const unsigned n =
            lull_raster_cover(&d->raster, &d->prims[d->prim], &d->cursor, quads, room);
        for (unsigned i = 0; i < n; i++) {
            add_quad(d, &quads[i]);
        }
    }
    d->nparts += d->nquads != before;
    return d->cursor.done != 0;
}

bool lull_adraw_fill(struct lull_adraw *d)
{
    d->nquads = d->nparts = 0;
    for (;;) {
        for (; d->prim < d->nprims; d->prim++) {
            if (d->nparts == LULL_ADRAW_QUADS || !fill_part(d)) {
                return true;
            }
            d->cursor = (struct lull_raster_cursor){0};
        }
        if (!lull_adraw_assemble(d)) {
            return d->nquads != 0;
        }
        lull_adraw_set_up(d);
    }
}

/* What waves leave */

void lull_adraw_note_gives(const struct lull_adraw *d, struct lull_ir3_launch *ret)
{
    const unsigned targets = lull_a6xx_sp_fs_output_cntl1__mrt(REG(d, SP_FS_OUTPUT_CNTL1));
    const uint32_t components = REG(d, RB_RENDER_COMPONENTS);
    ret->ngives = 0;
    for (unsigned t = 0; t < targets && t < LULL_AROP_TARGETS; t++) {
        const uint32_t o = lull_adraw_reg(d, LULL_A6XX_SP_FS_OUTPUT_REG + t);
        const unsigned reg = lull_a6xx_sp_fs_output_reg__regid(o);
        for (unsigned c = 0; c < 4 && reg != LULL_ADRAW_NO_REG; c++) {
            if ((components >> (4 * t + c) & 1) != 0) {
                ret->gives[ret->ngives++] = (struct lull_ir3_operand){
                    .kind = LULL_IR3_K_GPR,
                    .half = lull_a6xx_sp_fs_output_reg__half_precision(o) != 0,
                    .value = (int32_t)(reg + c)};
            }
        }
    }
}

/** What the shader says of pixel @p n, whose fiber is @p fiber. */
static void read_pixel(const struct lull_adraw *d, unsigned fiber, unsigned n,
                       struct lull_arop_quad *out)
{
    const uint32_t cntl = REG(d, SP_FS_OUTPUT_CNTL0);
    const unsigned depth = lull_a6xx_sp_fs_output_cntl0__depth_regid(cntl),
                   mask = lull_a6xx_sp_fs_output_cntl0__sampmask_regid(cntl),
                   stencil = lull_a6xx_sp_fs_output_cntl0__stencilref_regid(cntl);
    const unsigned targets = lull_a6xx_sp_fs_output_cntl1__mrt(REG(d, SP_FS_OUTPUT_CNTL1));
    const bool dual = lull_a6xx_sp_fs_output_cntl0__dual_color_in_enable(cntl) != 0;
    for (unsigned t = 0; t < (dual && targets < 2 ? 2 : targets) && t < LULL_AROP_TARGETS; t++) {
        const uint32_t o = lull_adraw_reg(d, LULL_A6XX_SP_FS_OUTPUT_REG + t);
        const unsigned reg = lull_a6xx_sp_fs_output_reg__regid(o);
        for (unsigned c = 0; c < 4; c++) {
            out->out[t][n][c] = lull_ir3_get(
                &d->wave, reg + c, lull_a6xx_sp_fs_output_reg__half_precision(o) != 0, fiber);
        }
    }
    const uint32_t z = lull_ir3_get(&d->wave, depth, false, fiber);
    memcpy(&out->depth[n], &z, sizeof z);
    out->writes_depth = depth != LULL_ADRAW_NO_REG;
    out->sample_mask[n] = lull_ir3_get(&d->wave, mask, false, fiber);
    out->writes_mask = mask != LULL_ADRAW_NO_REG;
    out->stencil[n] = (uint8_t)lull_ir3_get(&d->wave, stencil, false, fiber);
    out->writes_stencil = stencil != LULL_ADRAW_NO_REG;
}

void lull_adraw_output(struct lull_adraw *d)
{
    for (unsigned i = 0; i < d->nquads; i++) {
        const struct lull_adraw_quad *q = &d->quads[i];
        struct lull_arop_quad out = to_output(d, &d->parts[q->part], &q->q);
        for (unsigned n = 0; n < QUAD; n++) {
            const unsigned fiber = QUAD * i + n;
            if (lull_ir3_on(&d->wave.helpers, fiber)) {
                out.mask &= ~((uint32_t)UINT8_MAX << LULL_ADRAW_PIXEL_BITS * n);
            }
            read_pixel(d, fiber, n, &out);
        }
        if (out.mask != 0) {
            (void)lull_arop_output(&d->rop, &out);
        }
    }
}
