// SPDX-License-Identifier: MIT
// Tessellation: a group of patches is one workgroup of merged LS and HS waves; then the tessellator
// makes of each patch's levels, which the waves leave in a ring in memory, points, and these are
// the vertices of subgroups.
//
// Sources: Mesa 22.3.6 and 25.0.7 radv_shader_args.c, ac_nir_lower_tess_io_to_mem.c (registers at
// the start, levels in memory, the message that stands for them), radv_cmd_buffer.c; gfx11.json.
// Chosen here: each group has both rings from their start on, as the points of the one before are
// done; a subgroup has points of several patches, each point of a patch once.
#include <stdlib.h>
#include <string.h>

#include "model/amd/gfx/gfx.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    FIRST_USER = 8, // SGPRs
    OFFCHIP_OFFSET = 2,
    WAVE_INFO = 3, // threads of LS in 7:0, of HS in 15:8
    WAVE_INFO_HS = 8,
    LEVELS_OFFSET = 4,
    WAVE_NUMBER = 5,
    PATCH_ID = 0,     // VGPRs
    RELATIVE_IDS = 1, // patch of the group in 7:0, output control point in 12:8
    CONTROL_POINT = 8,
    VERTEX_ID = 2,
    INSTANCE_ID = 5,
    HS_TESSFACTOR = 2, // s_sendmsg: all levels are bit 0 of M0
    MSG_MASK = 0xff,
    LDS_GRANULE = 512,
    LEVELS = 6,
    ABSENT = UINT16_MAX,
};

/** Number of levels of a patch in memory. */
static const uint8_t nlevels[] = {
    [LULL_TESS_ISOLINES] = 2, [LULL_TESS_TRIANGLES] = 4, [LULL_TESS_QUADS] = 6};

/** False: not one that can be asked for. */
static bool read_mode(const struct lull_gpu *g, struct lull_tess_mode *ret)
{
    static const uint8_t spacings[] = {
        [LULL_DRAW11_VGT_TF_PARAM__PARTITIONING__INTEGER] = LULL_TESS_EQUAL,
        [LULL_DRAW11_VGT_TF_PARAM__PARTITIONING__POW2] = LULL_TESS_EQUAL,
        [LULL_DRAW11_VGT_TF_PARAM__PARTITIONING__FRAC_ODD] = LULL_TESS_FRACTIONAL_ODD,
        [LULL_DRAW11_VGT_TF_PARAM__PARTITIONING__FRAC_EVEN] = LULL_TESS_FRACTIONAL_EVEN,
    };
    static const uint8_t domains[] = {
        [LULL_DRAW11_VGT_TF_PARAM__TYPE__ISOLINE] = LULL_TESS_ISOLINES,
        [LULL_DRAW11_VGT_TF_PARAM__TYPE__TRIANGLE] = LULL_TESS_TRIANGLES,
        [LULL_DRAW11_VGT_TF_PARAM__TYPE__QUAD] = LULL_TESS_QUADS,
    };
    static const uint8_t outputs[] = {
        [LULL_DRAW11_VGT_TF_PARAM__TOPOLOGY__POINT] = LULL_TESS_POINTS,
        [LULL_DRAW11_VGT_TF_PARAM__TOPOLOGY__LINE] = LULL_TESS_LINES,
        [LULL_DRAW11_VGT_TF_PARAM__TOPOLOGY__TRIANGLE_CW] = LULL_TESS_CLOCKWISE,
        [LULL_DRAW11_VGT_TF_PARAM__TOPOLOGY__TRIANGLE_CCW] = LULL_TESS_COUNTERCLOCKWISE,
    };
    const uint32_t v = lull_gfx_reg(g, LULL_DRAW11_VGT_TF_PARAM);
    const uint32_t domain = lull_get(v, LULL_DRAW11_VGT_TF_PARAM__TYPE_MASK);
    const uint32_t spacing = lull_get(v, LULL_DRAW11_VGT_TF_PARAM__PARTITIONING_MASK);
    const uint32_t output = lull_get(v, LULL_DRAW11_VGT_TF_PARAM__TOPOLOGY_MASK);
    if (domain >= sizeof(domains) || spacing >= sizeof(spacings) || output >= sizeof(outputs)) {
        return false;
    }
    *ret = (struct lull_tess_mode){(enum lull_tess_domain)domains[domain],
                                   (enum lull_tess_spacing)spacings[spacing],
                                   (enum lull_tess_output)outputs[output]};
    return ret->output == LULL_TESS_POINTS ||
           (ret->output == LULL_TESS_LINES) == (ret->domain == LULL_TESS_ISOLINES);
}

/** What of the merged shader the registers say. */
struct hull {
    uint32_t lanes, lds_bytes, rsrc1, rsrc2;
    uint32_t npatches, in, out; ///< Of a group, at most; control points.
};

static struct hull read_hull(const struct lull_gpu *g)
{
    const uint32_t stages = lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const uint32_t rsrc2 = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_HS);
    const uint32_t config = lull_gfx_reg(g, LULL_DRAW11_VGT_LS_HS_CONFIG);
    return (struct hull){
        .lanes = (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__HS_W32_EN_MASK) != 0 ? 32 : 64,
        .lds_bytes =
            lull_get(rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_HS__LDS_SIZE_MASK) * LDS_GRANULE,
        .rsrc1 = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_HS),
        .rsrc2 = rsrc2,
        .npatches = lull_get(config, LULL_DRAW11_VGT_LS_HS_CONFIG__NUM_PATCHES_MASK),
        .in = lull_get(config, LULL_DRAW11_VGT_LS_HS_CONFIG__HS_NUM_INPUT_CP_MASK),
        .out = lull_get(config, LULL_DRAW11_VGT_LS_HS_CONFIG__HS_NUM_OUTPUT_CP_MASK),
    };
}

bool lull_gfx_tessellates(const struct lull_gpu *g)
{
    return (lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN) &
            LULL_DRAW11_VGT_SHADER_STAGES_EN__HS_EN_MASK) != 0;
}

uint32_t lull_gfx_patch_points(const struct lull_gpu *g)
{
    const uint32_t n = read_hull(g).out;
    return n != 0 ? n : 1;
}

const char *lull_gfx_hull_check(const struct lull_gpu *g)
{
    const struct hull h = read_hull(g);
    const bool wgp = (h.rsrc1 & LULL_DRAW11_SPI_SHADER_PGM_RSRC1_HS__WGP_MODE_MASK) != 0;
    struct lull_tess_mode mode = {0};
    if (!lull_gfx_tessellates(g)) {
        return NULL;
    }
    if (!read_mode(g, &mode)) {
        return "patches tessellated in an unknown way";
    }
    if (h.in == 0 || h.npatches == 0) {
        return "patches of nothing, or groups of no patches";
    }
    if (h.npatches * h.out > LULL_GROUP_WAVES * h.lanes) {
        return "more control points in a group than there is room for";
    }
    if (h.lds_bytes > LULL_CU_LDS_BYTES * (wgp ? 2u : 1u)) {
        return "with more LDS than there is";
    }
    return NULL;
}

static uint32_t part(uint32_t total, uint32_t lanes, unsigned index)
{
    const uint32_t before = lanes * index;
    return total <= before ? 0 : total - before < lanes ? total - before : lanes;
}

static void put(struct lull_wave *w, unsigned reg, unsigned lane, uint32_t value)
{
    w->vgpr[reg * w->lanes + lane] = value;
}

static void start_hull(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                       const uint32_t items[3], struct lull_wave *w)
{
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    const struct hull h = read_hull(g);
    const uint32_t first = w->lanes * index;
    const uint32_t nls = part(s->nvertices, w->lanes, index);
    const uint32_t nhs = part(s->nprims * h.out, w->lanes, index);
    (void)group;
    (void)items;
    lull_gfx_user_data(g, LULL_DRAW11_SPI_SHADER_USER_DATA_HS_0, 32, &w->sgpr[FIRST_USER]);
    w->sgpr[0] = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_LO_HS);
    w->sgpr[1] = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_HI_HS);
    w->sgpr[OFFCHIP_OFFSET] = w->sgpr[LEVELS_OFFSET] = 0;
    w->sgpr[WAVE_INFO] = nls | nhs << WAVE_INFO_HS;
    w->sgpr[WAVE_NUMBER] = index;
    w->sgpr[LULL_RDNA_EXEC] = UINT32_MAX;
    w->sgpr[LULL_RDNA_EXEC + 1] = w->lanes == 64 ? UINT32_MAX : 0;
    for (unsigned l = 0; l < nls; l++) {
        put(w, VERTEX_ID, l, s->vertex[first + l]);
        put(w, INSTANCE_ID, l, s->instance);
    }
    for (unsigned l = 0; l < nhs; l++) {
        const uint32_t patch = (first + l) / h.out;
        put(w, PATCH_ID, l, s->prim_id[patch]);
        put(w, RELATIVE_IDS, l, patch | (first + l) % h.out << CONTROL_POINT);
    }
    g->counters.vs_invocations += nls;
}

static void message(struct lull_wave *w, uint32_t msg)
{
    struct lull_gfx_hull *h = &lull_gfx_of(lull_gpu_of(w))->hull;
    if ((msg & MSG_MASK) == HS_TESSFACTOR) {
        h->said = (w->sgpr[LULL_RDNA_M0] & 1) != 0 ? LULL_GFX_LEVELS_1 : LULL_GFX_LEVELS_0;
        return;
    }
    lull_host_sendmsg(w, msg);
}

static const struct lull_wave_host hull_host = {
    .sendmsg = message,
    .sendmsg_rtn = lull_host_sendmsg_rtn,
    .vm_fault = lull_host_fault,
    .clock = lull_host_clock,
    .border_colors = lull_gfx_border_colors,
};

const struct lull_work_source lull_work_hull = {.host = &hull_host, .start = start_hull};

/** RSRC1 as that of a compute shader. */
static uint32_t compute_rsrc1(uint32_t rsrc1)
{
    static const uint32_t fields[][2] = {
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_HS__FLOAT_MODE_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__FLOAT_MODE_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_HS__DX10_CLAMP_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__DX10_CLAMP_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_HS__IEEE_MODE_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__IEEE_MODE_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_HS__FP16_OVFL_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__FP16_OVFL_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_HS__WGP_MODE_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__WGP_MODE_MASK},
    };
    uint32_t ret = 0;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        ret |= lull_field_put(lull_get(rsrc1, fields[i][0]), fields[i][1]);
    }
    return ret;
}

enum lull_gfx_result lull_gfx_hull_launch(struct lull_cp *cp)
{
    struct lull_gpu *g = cp->g;
    struct lull_gfx *x = lull_gfx_of(g);
    const struct lull_gfx_subgroup *s = &x->sub;
    const struct hull h = read_hull(g);
    const unsigned nvgprs = lull_gfx_nvgprs(
        lull_get(h.rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_HS__VGPRS_MASK), h.lanes);
    const uint32_t nhs = s->nprims * h.out;
    const uint32_t threads = s->nvertices > nhs ? s->nvertices : nhs;
    const uint32_t nwaves = (threads + h.lanes - 1) / h.lanes;
    const struct lull_gfx_program p = {
        .lo = LULL_DRAW11_SPI_SHADER_PGM_LO_LS,
        .hi = LULL_DRAW11_SPI_SHADER_PGM_HI_LS,
        .rsrc1 = compute_rsrc1(h.rsrc1),
        .rsrc2 = lull_gfx_rsrc2(h.rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_HS__EXCP_EN_MASK),
        .lanes = h.lanes,
        .nvgprs = nvgprs > INSTANCE_ID ? nvgprs : INSTANCE_ID + 1,
        .lds_bytes = h.lds_bytes,
        .waves = {1, 1},
        .per_group = nwaves < LULL_GROUP_WAVES ? nwaves : LULL_GROUP_WAVES, // it was checked
    };
    x->hull.npatches = s->nprims;
    x->hull.instance = s->instance;
    x->hull.said = LULL_GFX_LEVELS_IN_MEMORY;
    x->hull.patch = x->hull.prim = x->hull.invocation = 0;
    memcpy(x->hull.patch_id, s->prim_id, sizeof(x->hull.patch_id));
    g->counters.hs_invocations += s->nprims;
    return lull_gfx_launch(cp, LULL_WORK_HULL, &p) ? LULL_GFX_LAUNCHED : LULL_GFX_NO_MEMORY;
}

/** Levels of patch @p patch of the group. False: memory refused. */
static bool read_levels(struct lull_cp *cp, enum lull_tess_domain domain, uint32_t patch,
                        struct lull_tess_levels *ret)
{
    const struct lull_gpu *g = cp->g;
    const uint32_t said = lull_gfx_of(g)->hull.said;
    const uint64_t ring = (uint64_t)lull_gfx_reg(g, LULL_DRAW11_VGT_TF_MEMORY_BASE_HI) << 40 |
                          (uint64_t)lull_gfx_reg(g, LULL_DRAW11_VGT_TF_MEMORY_BASE) << 8;
    const uint64_t base = (uint64_t)((int64_t)(ring << 16) >> 16);
    const uint32_t most = lull_gfx_reg(g, LULL_DRAW11_VGT_HOS_MAX_TESS_LEVEL);
    const size_t bytes = nlevels[domain] * sizeof(float);
    float level[LEVELS] = {0};
    float max = 0;
    memcpy(&max, &most, sizeof(max));
    for (unsigned i = 0; i < LEVELS; i++) {
        level[i] = said == LULL_GFX_LEVELS_1 ? 1 : 0;
    }
    if (said == LULL_GFX_LEVELS_IN_MEMORY &&
        !lull_vm_read(cp->vm, base + patch * bytes, level, bytes)) {
        return false;
    }
    for (unsigned i = 0; i < LEVELS; i++) {
        level[i] = level[i] > max ? max : level[i];
    }
    const unsigned nouter = domain == LULL_TESS_TRIANGLES ? 3 : 4;
    memcpy(ret->outer, level, sizeof(ret->outer));
    memcpy(ret->inner, level + nouter, (domain == LULL_TESS_TRIANGLES ? 1 : 2) * sizeof(float));
    if (domain == LULL_TESS_ISOLINES) { // the parts of lines come first
        ret->outer[0] = level[1];
        ret->outer[1] = level[0];
    }
    return true;
}

/** A patch, tessellated, and which of its points the subgroup has. */
struct lull_gfx_patch {
    uint32_t key[LEVELS + 1]; ///< It was made of these: levels and VGT_TF_PARAM.
    struct lull_tess_plan plan;
    struct lull_tess_point point[LULL_TESS_POINTS_MAX];
    uint16_t index[LULL_TESS_INDICES_MAX];
    uint16_t vertex[LULL_TESS_POINTS_MAX]; ///< Of the subgroup; ABSENT: not there.
};

static bool tessellate(struct lull_cp *cp, uint32_t patch, struct lull_gfx_patch *ret)
{
    struct lull_tess_mode mode = {0};
    struct lull_tess_levels levels = {0};
    if (!read_mode(cp->g, &mode)) {
        mode.output = LULL_TESS_POINTS; // it was refused
    }
    if (!read_levels(cp, mode.domain, patch, &levels)) {
        return false;
    }
    uint32_t key[LEVELS + 1] = {0};
    memcpy(key, levels.outer, sizeof(levels.outer));
    memcpy(key + LULL_TESS_SIDES, levels.inner, sizeof(levels.inner));
    key[LEVELS] = lull_gfx_reg(cp->g, LULL_DRAW11_VGT_TF_PARAM);
    if (ret->plan.npoints == 0 || memcmp(key, ret->key, sizeof(key)) != 0) {
        memcpy(ret->key, key, sizeof(key));
        lull_tess_plan(&mode, &levels, &ret->plan);
        lull_tess_points(&ret->plan, ret->point);
        lull_tess_indices(&ret->plan, ret->index);
    }
    memset(ret->vertex, UINT8_MAX, sizeof(ret->vertex));
    return true;
}

/** The vertex of the subgroup that is point @p point: a new one, if it is not there. */
static uint16_t vertex_of(struct lull_gfx *x, struct lull_gfx_patch *p, uint16_t point)
{
    struct lull_gfx_subgroup *s = &x->sub;
    if (p->vertex[point] == ABSENT) {
        x->hull.point[s->nvertices] = p->point[point];
        x->hull.of_patch[s->nvertices] = x->hull.patch;
        p->vertex[point] = (uint16_t)s->nvertices++;
    }
    return p->vertex[point];
}

/** Add the next primitive of the patch, for each invocation of a geometry shader. */
static void add_prim(const struct lull_gfx_limits *limits, struct lull_gfx *x,
                     struct lull_gfx_patch *p)
{
    struct lull_gfx_subgroup *s = &x->sub;
    struct lull_gfx_hull *h = &x->hull;
    const unsigned corners = p->plan.corners;
    uint16_t v[6] = {0};
    for (unsigned i = 0; i < corners; i++) {
        v[i] = vertex_of(x, p, p->index[h->prim * corners + i]);
    }
    const uint32_t end = limits->alone ? h->invocation + 1 : limits->invocations;
    for (uint32_t i = limits->alone ? h->invocation : 0; i < end; i++) {
        memcpy(s->prim[s->nprims], v, sizeof(v));
        s->prim_id[s->nprims] = h->patch_id[h->patch];
        s->invocation[s->nprims++] = i;
    }
    h->invocation++;
    if (!limits->alone || h->invocation >= limits->invocations) {
        h->invocation = 0;
        h->prim++;
    }
}

static enum lull_gfx_result fill(struct lull_cp *cp, struct lull_gfx_patch *p)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    struct lull_gfx_hull *h = &x->hull;
    const struct lull_gfx_limits limits = lull_gfx_limits(cp->g);
    for (; h->patch < h->npatches; h->patch++, h->prim = 0) {
        if (!tessellate(cp, h->patch, p)) {
            return LULL_GFX_FAULT;
        }
        while (h->prim * p->plan.corners < p->plan.nindices) {
            if (lull_gfx_is_full(&limits, &x->sub, p->plan.corners)) {
                return LULL_GFX_LAUNCHED;
            }
            add_prim(&limits, x, p);
        }
    }
    return x->sub.nprims != 0 ? LULL_GFX_LAUNCHED : LULL_GFX_NONE;
}

enum lull_gfx_result lull_gfx_tessellate(struct lull_cp *cp)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    if (cp->g->patch == NULL) {
        cp->g->patch = calloc(1, sizeof(*cp->g->patch));
    }
    if (cp->g->patch == NULL) {
        return LULL_GFX_NO_MEMORY;
    }
    x->sub.nvertices = x->sub.nprims = 0;
    x->sub.instance = x->hull.instance;
    return fill(cp, cp->g->patch);
}
