// SPDX-License-Identifier: MIT
// Pixel shader: primitives to batches of quads, sixteen of them a wave.
//
// A quad that no sample of is left after the tests before the shader has no wave. With sample
// shading a quad is there once for each of the samples that the shader runs for, in their order.
#include <string.h>

#include "model/amd/gfx/gfx.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    MAX_INPUT_VGPRS = 24,
    QUAD = 4,
    CHUNK = 32,
    ALL_SAMPLES = 0x01010101,
};

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

#define REG(g, NAME) lull_gfx_reg((g), LULL_DRAW11_##NAME)
#define FIELD(word, NAME) lull_get((word), LULL_DRAW11_##NAME##_MASK)
#define HAS(word, NAME) (((word)&LULL_DRAW11_##NAME##_MASK) != 0)

/** A batch being made. */
struct maker {
    struct lull_gpu *g;
    struct lull_vm *vm;
    struct lull_gfx_batch *b;
    struct lull_gfx_setup setup;
    unsigned room;       ///< Quads.
    unsigned iterations; ///< Of the shader, for samples of a pixel.
    uint32_t mask;       ///< Samples, as those of a quad.
    bool early;
    bool ordered; ///< in_order()
};

/** How far something came. */
enum made { MORE, FULL, REFUSED };

/** Samples that AA_MASK leaves, of a quad: pixels at even and odd places have their own. */
static uint32_t sample_mask(const struct lull_gpu *g)
{
    uint32_t mask = 0;
    for (unsigned n = 0; n < QUAD; n++) {
        const uint32_t row = lull_gfx_reg(g, LULL_DRAW11_PA_SC_AA_MASK + 4 * (n / 2));
        mask |= (row >> 16 * (n % 2) & UINT8_MAX) << LULL_RASTER_SAMPLES * n;
    }
    return mask;
}

static unsigned iterations(const struct lull_gpu *g)
{
    const unsigned samples = 1u << lull_gfx_log2_samples(g);
    const unsigned n = 1u << FIELD(REG(g, DB_EQAA), DB_EQAA__PS_ITER_SAMPLES);
    const bool on = HAS(REG(g, PA_SC_MODE_CNTL_1), PA_SC_MODE_CNTL_1__PS_ITER_SAMPLE);
    return !on ? 1 : n < samples ? n : samples;
}

/** Where primitives overlap, the shaders of the second begin when those of the first are done
 * (POPS): no two quads of a batch are at the same place. */
static bool in_order(const struct lull_gpu *g)
{
    return HAS(REG(g, DB_SHADER_CONTROL), DB_SHADER_CONTROL__PRIMITIVE_ORDERED_PIXEL_SHADER);
}

static struct maker begin(struct lull_cp *cp)
{
    struct lull_gpu *g = cp->g;
    struct lull_gfx_batch *b = &lull_gfx_of(g)->batch;
    const uint32_t control = REG(g, SPI_PS_IN_CONTROL);
    const unsigned lanes = HAS(control, SPI_PS_IN_CONTROL__PS_W32_EN) ? 32 : 64;
    b->nquads = b->nparts = b->nwaves = b->nparams = b->order = 0;
    g->nseen = 0;
    b->inputs = FIELD(control, SPI_PS_IN_CONTROL__NUM_INTERP) +
                FIELD(control, SPI_PS_IN_CONTROL__NUM_PRIM_INTERP);
    b->inputs = b->inputs < LULL_GFX_PARAMS ? b->inputs : LULL_GFX_PARAMS;
    b->wave_quads = lanes / QUAD;
    b->early = lull_gfx_depth_is_early(g);
    return (struct maker){
        .g = g,
        .vm = cp->vm,
        .b = b,
        .room = LULL_GFX_BATCH_WAVES * lanes / QUAD,
        .iterations = iterations(g),
        .mask = sample_mask(g),
        .early = b->early != 0,
        .ordered = in_order(g),
    };
}

/** A quad of the batch's last part. */
static enum made add_quad(struct maker *m, const struct lull_gfx_part *part,
                          const struct lull_raster_quad *q)
{
    struct lull_gfx_batch *b = m->b;
    struct lull_gfx_quad quad = {.q = *q, .part = (uint16_t)b->nparts, .sample = UINT8_MAX};
    quad.q.mask &= m->mask;
    quad.covered = quad.q.mask;
    quad.index = b->nquads;
    if (quad.q.mask != 0 && m->early) {
        uint32_t passed = 0;
        if (!lull_gfx_depth_test(m->g, m->vm, part, &quad, NULL, NULL, &passed)) {
            return REFUSED;
        }
        quad.q.mask = passed;
    }
    const uint32_t alive = quad.q.mask;
    for (unsigned i = 0; i < m->iterations; i++) {
        if (m->iterations > 1) {
            uint32_t samples = 0;
            for (unsigned s = i; s < LULL_RASTER_SAMPLES; s += m->iterations) {
                samples |= (uint32_t)ALL_SAMPLES << s;
            }
            quad.q.mask = alive & samples;
            quad.sample = (uint8_t)i;
        }
        if (quad.q.mask != 0) {
            quad.index = b->nquads;
            b->quads[b->nquads++] = quad;
        }
    }
    return MORE;
}

/** The batch has a quad where @p q is. */
static bool overlaps(const struct lull_gfx_batch *b, const struct lull_raster_quad *q)
{
    unsigned i = 0;
    while (i < b->nquads && (b->quads[i].q.x != q->x || b->quads[i].q.y != q->y)) {
        i++;
    }
    return i < b->nquads;
}

/** The next quads of @p part, at most @p max, to @p ret; FULL: the first has to wait. */
static enum made next_quads(struct maker *m, const struct lull_gfx_part *part, unsigned max,
                            struct lull_raster_quad *ret, unsigned *n)
{
    struct lull_gfx_batch *b = m->b;
    const struct lull_raster_cursor at = b->cursor;
    *n = max == 0 ? 0
                  : lull_raster_cover(&m->setup.state, &part->raster, &b->cursor, ret,
                                      m->ordered ? 1 : max);
    if (m->ordered && *n != 0 && overlaps(b, ret)) {
        b->cursor = at;
        *n = 0;
        return FULL;
    }
    return max == 0 ? FULL : MORE;
}

/** Quads of @p part from the batch's cursor on. */
static enum made add_part(struct maker *m, struct lull_gfx_part *part)
{
    struct lull_gfx_batch *b = m->b;
    const unsigned before = b->nquads;
    enum made made = MORE;
    if (b->nparts == LULL_GFX_BATCH_PARTS || b->nparams + b->inputs > LULL_GFX_BATCH_PARAMS) {
        return FULL;
    }
    part->order = b->order++;
    while (made == MORE && b->cursor.done == 0) {
        struct lull_raster_quad quads[CHUNK];
        const unsigned room = (m->room - b->nquads) / m->iterations;
        unsigned n = 0;
        made = next_quads(m, part, room < CHUNK ? room : CHUNK, quads, &n);
        for (unsigned i = 0; made == MORE && i < n; i++) {
            made = add_quad(m, part, &quads[i]);
        }
    }
    if (b->nquads == before) {
        return made;
    }
    const struct lull_gfx_part *last = b->nparts != 0 ? &b->parts[b->nparts - 1] : NULL;
    if (last != NULL && last->prim == part->prim) {
        part->param = last->param;
    } else if (!lull_gfx_read_params(m->g, m->vm, part)) {
        return REFUSED;
    }
    b->parts[b->nparts++] = *part;
    return made;
}

/** Primitive @p prim is a line of a strip whose stipple goes on. Geometry shaders and tessellation
 * do not tell: each of their lines begins anew. */
static bool continues(const struct lull_gpu *g, unsigned prim)
{
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    const uint32_t stages = REG(g, VGT_SHADER_STAGES_EN);
    return s->shape == LULL_RASTER_LINE && prim < s->nprims && s->follows[prim] != 0 &&
           !HAS(stages, VGT_SHADER_STAGES_EN__GS_EN) && !lull_gfx_meshes(g) &&
           !lull_gfx_tessellates(g);
}

/** Primitives from where the batch before stopped. */
static enum made fill(struct maker *m)
{
    struct lull_gfx_batch *b = m->b;
    enum made made = MORE;
    for (; b->prim < lull_gfx_of(m->g)->sub.out_prims; b->prim++) {
        struct lull_gfx_part parts[LULL_RASTER_PARTS];
        b->stipple = continues(m->g, b->prim) ? b->stipple : 0;
        const unsigned n = lull_gfx_prim_parts(m->g, &m->setup, b->prim, parts);
        for (; b->part < n; b->part++) {
            made = add_part(m, &parts[b->part]);
            if (made != MORE) {
                return made;
            }
            b->cursor = (struct lull_raster_cursor){0};
        }
        b->part = 0;
        if (n == 1 && m->setup.state.stipple_repeat != 0) {
            b->stipple = parts[0].raster.stipple + lull_raster_fragments(&parts[0].raster);
        }
    }
    return made;
}

static bool launch(struct lull_cp *cp)
{
    const struct lull_gpu *g = cp->g;
    struct lull_gfx_batch *b = &lull_gfx_of(g)->batch;
    const uint32_t rsrc1 = REG(g, SPI_SHADER_PGM_RSRC1_PS);
    const uint32_t lanes = b->wave_quads * QUAD;
    const unsigned nvgprs = lull_gfx_nvgprs(FIELD(rsrc1, SPI_SHADER_PGM_RSRC1_PS__VGPRS), lanes);
    b->nwaves = (b->nquads + b->wave_quads - 1) / b->wave_quads;
    for (unsigned i = 0; i < b->nwaves; i++) {
        memset(b->out[i].written, 0, sizeof(b->out[i].written));
        b->out[i].z_written = 0;
        b->out[i].alive = 0;
    }
    const struct lull_gfx_program p = {
        .lo = LULL_DRAW11_SPI_SHADER_PGM_LO_PS,
        .hi = LULL_DRAW11_SPI_SHADER_PGM_HI_PS,
        .rsrc1 = compute_rsrc1(rsrc1),
        .lanes = lanes,
        .rsrc2 = lull_gfx_rsrc2(REG(g, SPI_SHADER_PGM_RSRC2_PS),
                                LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS__EXCP_EN_MASK),
        .nvgprs = nvgprs > MAX_INPUT_VGPRS ? nvgprs : MAX_INPUT_VGPRS,
        .waves = {b->nwaves, 1},
    };
    return lull_gfx_launch(cp, LULL_WORK_PIXELS, &p);
}

enum lull_gfx_result lull_gfx_batch(struct lull_cp *cp)
{
    struct maker m = begin(cp);
    if (fill(&m) == REFUSED) {
        return LULL_GFX_FAULT;
    }
    if (m.b->nquads == 0) {
        lull_gfx_tell_seen(m.g);
        m.b->prim = m.b->part = 0;
        m.b->cursor = (struct lull_raster_cursor){0};
        return LULL_GFX_NONE;
    }
    return launch(cp) ? LULL_GFX_LAUNCHED : LULL_GFX_NO_MEMORY;
}

/** Samples of a quad's pixels all stand at the same places. */
static bool same_places(const struct lull_gpu *g)
{
    for (unsigned i = 4; i < 16; i++) { // four registers for each pixel
        if (lull_gfx_reg(g, LULL_DRAW11_PA_SC_AA_SAMPLE_LOCS + 4 * i) !=
            lull_gfx_reg(g, LULL_DRAW11_PA_SC_AA_SAMPLE_LOCS + 4 * (i % 4))) {
            return false;
        }
    }
    return true;
}

/** A rate of shading comes from somewhere that is not known to be that of pixels. */
static bool shades_coarsely(const struct lull_gpu *g)
{
    const uint32_t cntl = REG(g, PA_CL_VRS_CNTL);
    const bool vertex = FIELD(cntl, PA_CL_VRS_CNTL__VERTEX_RATE_COMBINER_MODE) != 0 &&
                        HAS(REG(g, PA_CL_VS_OUT_CNTL), PA_CL_VS_OUT_CNTL__USE_VTX_VRS_RATE);
    const bool primitive =
        FIELD(cntl, PA_CL_VRS_CNTL__PRIMITIVE_RATE_COMBINER_MODE) != 0 &&
        HAS(REG(g, VGT_DRAW_PAYLOAD_CNTL), VGT_DRAW_PAYLOAD_CNTL__EN_PRIM_PAYLOAD);
    const bool surface =
        FIELD(cntl, PA_CL_VRS_CNTL__HTILE_RATE_COMBINER_MODE) != 0 &&
        HAS(REG(g, PA_SC_VRS_OVERRIDE_CNTL), PA_SC_VRS_OVERRIDE_CNTL__VRS_SURFACE_ENABLE);
    return FIELD(cntl, PA_CL_VRS_CNTL__SAMPLE_ITER_COMBINER_MODE) !=
               LULL_DRAW11_PA_CL_VRS_CNTL__SAMPLE_ITER_COMBINER_MODE__OVERRIDE &&
           (REG(g, GE_VRS_RATE) != 0 || vertex || primitive || surface);
}

const char *lull_gfx_pixel_check(struct lull_gpu *g)
{
    const struct {
        bool there;
        const char *what;
    } refused[] = {
        {FIELD(REG(g, PA_CL_CLIP_CNTL), PA_CL_CLIP_CNTL__UCP_ENA) != 0, "with user clip planes"},
        {HAS(REG(g, PA_SC_MODE_CNTL_0), PA_SC_MODE_CNTL_0__LINE_STIPPLE_ENABLE) &&
             HAS(REG(g, PA_SC_MODE_CNTL_0), PA_SC_MODE_CNTL_0__MSAA_ENABLE),
         "stippled lines with samples"},
        {in_order(g) && iterations(g) > 1, "with pixel shaders in order for each sample"},
        {shades_coarsely(g), "with pixels that share a shader's lane"},
        {lull_gfx_log2_samples(g) > 3, "with 16 samples"},
        {!same_places(g), "with samples at other places in each pixel of a quad"},
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (refused[i].there) {
            return refused[i].what;
        }
    }
    return NULL;
}

static const struct lull_wave_host batch_host = {
    .sendmsg = lull_host_sendmsg,
    .sendmsg_rtn = lull_host_sendmsg_rtn,
    .vm_fault = lull_host_fault,
    .clock = lull_host_clock,
    .border_colors = lull_gfx_border_colors,
    .gds = lull_host_gds,
    .export_lanes = lull_gfx_keep_export,
    .param = lull_gfx_load_param,
};

const struct lull_work_source lull_work_pixels = {.host = &batch_host,
                                                  .start = lull_gfx_start_pixels};
