// SPDX-License-Identifier: MIT
// Merged ES and GS waves: the vertices and primitives of a subgroup are one workgroup of them.
//
// Sources: Mesa 22.3.6 and 25.0.7 radv_shader_args.c, ac_nir_lower_ngg.c,
// ac_nir_lower_intrinsics_to_args.c (registers at the start, messages, exports); RDNA3 ISA guide
// 15 (exports). Chosen here: each subgroup has the attribute ring from its start on, as the pixels
// of the one before are done.
#include <string.h>

#include "model/amd/gfx/gfx.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    FIRST_USER = 8, // SGPRs before user data
    TG_INFO = 2,    // an SGPR: ordered id in 11:0, vertices in 20:12, primitives in 30:22
    TG_INFO_ID = 0xfff,
    TG_INFO_VERTICES = 12,
    TG_INFO_PRIMS = 22,
    TG_INFO_MASK = 0x1ff,
    OFFCHIP_OFFSET = 4,
    WAVE_INFO = 3, // an SGPR: threads of ES in 7:0, of GS in 15:8
    WAVE_INFO_PRIMS = 8,
    WAVE_INFO_INDEX = 24,
    WAVE_INFO_WAVES = 28,
    PRIM_ID = 2, // VGPRs
    INVOCATION = 3,
    OFFSETS_4_5 = 4,
    VERTEX_ID = 5,
    INSTANCE_ID = 8,
    POINT_U = 5, // of tessellated points, instead
    POINT_V = 6,
    RELATIVE_PATCH = 7,
    PATCH_ID = 8,
    CONNECT_BITS = 10, // of a vertex in a primitive's word: its number and an edge flag
    GS_ALLOC_REQ = 9,  // s_sendmsg
    MSG_MASK = 0xff,
    ALLOC_PRIMS = 12, // in M0
    ALLOC_MASK = 0xfff,
    LDS_GRANULE = 512,
    ROW_MASK = 0x1f,
};

#define NULL_PRIM (UINT32_C(1) << 31)

/** What of a merged shader the registers say. */
struct geometry {
    bool gs, passthrough, no_message;
    uint32_t lanes, lds_bytes, stages, rsrc1, rsrc2;
};

static struct geometry read_geometry(const struct lull_gpu *g)
{
    const uint32_t stages = lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const uint32_t rsrc2 = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS);
    return (struct geometry){
        .gs = (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_EN_MASK) != 0,
        .passthrough = (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__PRIMGEN_PASSTHRU_EN_MASK) != 0,
        .no_message =
            (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__PRIMGEN_PASSTHRU_NO_MSG_MASK) != 0,
        .lanes = (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_W32_EN_MASK) != 0 ? 32 : 64,
        .lds_bytes =
            lull_get(rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__LDS_SIZE_MASK) * LDS_GRANULE,
        .stages = stages,
        .rsrc1 = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS),
        .rsrc2 = rsrc2,
    };
}

const char *lull_gfx_geom_check(struct lull_gpu *g)
{
    const struct geometry m = read_geometry(g);
    const bool wgp = (m.rsrc1 & LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__WGP_MODE_MASK) != 0;
    if ((m.stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__PRIMGEN_EN_MASK) == 0) {
        return "without NGG";
    }
    if (m.lds_bytes > LULL_CU_LDS_BYTES * (wgp ? 2u : 1u)) {
        return "with more LDS than there is";
    }
    return NULL;
}

/** Threads that can be needed to export what a subgroup makes. */
static uint32_t most_vertices(const struct lull_gpu *g, const struct geometry *m)
{
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    const uint32_t out = lull_get(lull_gfx_reg(g, LULL_DRAW11_VGT_GS_MAX_VERT_OUT),
                                  LULL_DRAW11_VGT_GS_MAX_VERT_OUT__MAX_VERT_OUT_MASK);
    const uint32_t n = m->gs ? s->nprims * out : s->nvertices;
    return n < LULL_GFX_VERTICES ? n : LULL_GFX_VERTICES;
}

static uint32_t part(uint32_t total, uint32_t lanes, unsigned index)
{
    const uint32_t before = lanes * index;
    return total <= before ? 0 : total - before < lanes ? total - before : lanes;
}

/** SGPRs of wave @p index. */
static void start_sgprs(const struct lull_gpu *g, const struct lull_gpu_group *group,
                        unsigned index, const struct geometry *m, struct lull_wave *w)
{
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    lull_gfx_user_data(g, LULL_DRAW11_SPI_SHADER_USER_DATA_GS_0, 32, &w->sgpr[FIRST_USER]);
    w->sgpr[0] = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_LO_GS);
    w->sgpr[1] = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_HI_GS);
    const bool id = (m->stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__NGG_WAVE_ID_EN_MASK) != 0;
    w->sgpr[TG_INFO] = (id ? lull_gfx_of(g)->ordered & TG_INFO_ID : 0) |
                       (most_vertices(g, m) & TG_INFO_MASK) << TG_INFO_VERTICES |
                       (s->nprims & TG_INFO_MASK) << TG_INFO_PRIMS;
    w->sgpr[WAVE_INFO] = part(s->nvertices, w->lanes, index) |
                         part(s->nprims, w->lanes, index) << WAVE_INFO_PRIMS |
                         (uint32_t)index << WAVE_INFO_INDEX | group->wg.nwaves << WAVE_INFO_WAVES;
    w->sgpr[OFFCHIP_OFFSET] = 0; // where the group of patches has what hull shaders put out
    w->sgpr[LULL_RDNA_EXEC] = UINT32_MAX;
    w->sgpr[LULL_RDNA_EXEC + 1] = w->lanes == 64 ? UINT32_MAX : 0;
}

static void put(struct lull_wave *w, unsigned reg, unsigned lane, uint32_t value)
{
    w->vgpr[reg * w->lanes + lane] = value;
}

/** Primitive @p n is lane @p lane: its vertices, as the word it exports or as places in LDS. */
static void start_prim(const struct lull_gpu *g, const struct geometry *m, uint32_t n,
                       struct lull_wave *w, unsigned lane)
{
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    const uint32_t item = lull_get(lull_gfx_reg(g, LULL_DRAW11_VGT_ESGS_RING_ITEMSIZE),
                                   LULL_DRAW11_VGT_ESGS_RING_ITEMSIZE__ITEMSIZE_MASK);
    const uint16_t *v = s->prim[n];
    put(w, PRIM_ID, lane, s->prim_id[n]);
    put(w, INVOCATION, lane, s->invocation[n]);
    if (m->passthrough) {
        put(w, 0, lane, v[0] | (uint32_t)v[1] << CONNECT_BITS | (uint32_t)v[2] << 2 * CONNECT_BITS);
        return;
    }
    put(w, 0, lane, v[0] * item | v[1] * item << 16);
    put(w, 1, lane, v[2] * item | v[3] * item << 16);
    put(w, OFFSETS_4_5, lane, v[4] * item | v[5] * item << 16);
}

/** Vertex @p n is lane @p lane. */
static void start_vertex(const struct lull_gpu *g, uint32_t n, struct lull_wave *w, unsigned lane)
{
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    put(w, VERTEX_ID, lane, s->vertex[n]);
    put(w, INSTANCE_ID, lane, s->instance);
}

/** The same where it is a point of a patch. */
static void start_point(const struct lull_gpu *g, uint32_t n, struct lull_wave *w, unsigned lane)
{
    const struct lull_gfx_hull *h = &lull_gfx_of(g)->hull;
    uint32_t uv[2] = {0};
    memcpy(uv, &h->point[n], sizeof(uv));
    put(w, POINT_U, lane, uv[0]);
    put(w, POINT_V, lane, uv[1]);
    put(w, RELATIVE_PATCH, lane, h->of_patch[n]);
    put(w, PATCH_ID, lane, h->patch_id[h->of_patch[n]]);
}

static void start_geometry(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                           const uint32_t items[3], struct lull_wave *w)
{
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    const struct geometry m = read_geometry(g);
    const uint32_t first = w->lanes * index;
    const uint32_t nvertices = part(s->nvertices, w->lanes, index);
    const uint32_t nprims = part(s->nprims, w->lanes, index);
    (void)items;
    start_sgprs(g, group, index, &m, w);
    if (lull_gfx_meshes(g)) {
        lull_gfx_start_mesh(g, index, w);
        return;
    }
    for (unsigned l = 0; l < nprims; l++) {
        start_prim(g, &m, first + l, w, l);
    }
    const bool points = lull_gfx_tessellates(g);
    for (unsigned l = 0; l < nvertices; l++) {
        (points ? start_point : start_vertex)(g, first + l, w, l);
    }
    *(points ? &g->counters.ds_invocations : &g->counters.vs_invocations) += nvertices;
    g->counters.gs_invocations += m.gs ? nprims : 0;
}

/** Number of @p w in its group. */
static unsigned wave_number(const struct lull_wave *w)
{
    const struct lull_gpu_slot *slot = w->owner;
    unsigned i = 0;
    while (i < slot->group->nslots && slot->group->slots[i] != slot) {
        i++;
    }
    return i;
}

/** Positions of vertices, and primitives. Lanes are those of the subgroup, wave by wave. */
static bool export_geometry(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    struct lull_gfx_subgroup *s = &lull_gfx_of(lull_gpu_of(w))->sub;
    const uint64_t exec = lull_gfx_exec(w);
    const unsigned pos = in->exp_target - LULL_DRAW11_EXP__TARGET__POS0;
    const unsigned row_number = in->exp_row ? w->sgpr[LULL_RDNA_M0] & ROW_MASK : wave_number(w);
    const unsigned first = row_number * w->lanes;
    const bool prim = in->exp_target == LULL_DRAW11_EXP__TARGET__PRIM;
    for (unsigned c = 0; c < 4; c++) {
        if ((in->exp_en >> c & 1) == 0 || (prim ? c > 1 : pos >= LULL_GFX_POSITIONS)) {
            continue;
        }
        const uint32_t *row = lull_gfx_export_row(w, in, c);
        uint32_t *to = !prim ? s->position[pos][c] : c == 0 ? s->connect : s->payload;
        for (unsigned l = 0; l < w->lanes && first + l < LULL_GFX_VERTICES; l++) {
            if ((exec >> l & 1) != 0) {
                to[first + l] = row[l];
            }
        }
    }
    return true;
}

/** GS_ALLOC_REQ: how much is exported. There is room. */
static void message(struct lull_wave *w, uint32_t msg)
{
    struct lull_gfx_subgroup *s = &lull_gfx_of(lull_gpu_of(w))->sub;
    const uint32_t m0 = w->sgpr[LULL_RDNA_M0];
    if ((msg & MSG_MASK) == GS_ALLOC_REQ) {
        const uint32_t nvertices = m0 & ALLOC_MASK, nprims = m0 >> ALLOC_PRIMS & ALLOC_MASK;
        s->out_vertices = nvertices < LULL_GFX_VERTICES ? nvertices : LULL_GFX_VERTICES;
        s->out_prims = nprims < LULL_GFX_PRIMS ? nprims : LULL_GFX_PRIMS;
        lull_gpu_of(w)->counters.ms_primitives += lull_gfx_meshes(lull_gpu_of(w)) ? nprims : 0;
        return;
    }
    lull_host_sendmsg(w, msg);
}

static const struct lull_wave_host geometry_host = {
    .sendmsg = message,
    .sendmsg_rtn = lull_host_sendmsg_rtn,
    .vm_fault = lull_host_fault,
    .clock = lull_host_clock,
    .border_colors = lull_gfx_border_colors,
    .gds = lull_host_gds,
    .export_lanes = export_geometry,
};

const struct lull_work_source lull_work_geometry = {.host = &geometry_host,
                                                    .start = start_geometry};

/** RSRC1 and RSRC2 as those of a compute shader. */
static void compute_rsrc(const struct geometry *m, struct lull_gfx_program *p)
{
    static const uint32_t fields[][2] = {
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__FLOAT_MODE_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__FLOAT_MODE_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__DX10_CLAMP_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__DX10_CLAMP_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__IEEE_MODE_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__IEEE_MODE_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__FP16_OVFL_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__FP16_OVFL_MASK},
        {LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__WGP_MODE_MASK,
         LULL_GC11_COMPUTE_PGM_RSRC1__WGP_MODE_MASK},
    };
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        p->rsrc1 |= lull_field_put(lull_get(m->rsrc1, fields[i][0]), fields[i][1]);
    }
    p->rsrc2 = lull_gfx_rsrc2(m->rsrc2, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__EXCP_EN_MASK);
}

/** What comes out, as model/raster calls it. */
static uint32_t shape_of(const struct lull_gpu *g)
{
    static const uint8_t shapes[] = {
        [LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__POINTLIST] = LULL_RASTER_POINT,
        [LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__LINESTRIP] = LULL_RASTER_LINE,
        [LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__TRISTRIP] = LULL_RASTER_TRIANGLE,
        [LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__RECT_2D] = LULL_RASTER_RECT,
        [LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__RECTLIST] = LULL_RASTER_RECT,
    };
    const uint32_t type = lull_get(lull_gfx_reg(g, LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE),
                                   LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE_MASK);
    return type < sizeof(shapes) ? shapes[type] : LULL_RASTER_TRIANGLE;
}

enum lull_gfx_result lull_gfx_geom_launch(struct lull_cp *cp)
{
    struct lull_gpu *g = cp->g;
    struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    const struct geometry m = read_geometry(g);
    const unsigned nvgprs = lull_gfx_nvgprs(
        lull_get(m.rsrc1, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS__VGPRS_MASK), m.lanes);
    uint32_t threads = s->nvertices > s->nprims ? s->nvertices : s->nprims;
    threads = threads > most_vertices(g, &m) ? threads : most_vertices(g, &m);
    threads = lull_gfx_meshes(g) ? lull_gfx_mesh_threads(g) : threads;
    struct lull_gfx_program p = {
        .lo = LULL_DRAW11_SPI_SHADER_PGM_LO_ES,
        .hi = LULL_DRAW11_SPI_SHADER_PGM_HI_ES,
        .lanes = m.lanes,
        .nvgprs = nvgprs > INSTANCE_ID ? nvgprs : INSTANCE_ID + 1,
        .lds_bytes = m.lds_bytes,
        .waves = {1, 1},
        .per_group = (threads + m.lanes - 1) / m.lanes,
    };
    compute_rsrc(&m, &p);
    s->out_vertices = m.no_message ? s->nvertices : 0;
    s->out_prims = m.no_message ? s->nprims : 0;
    s->shape = shape_of(g);
    memset(s->position, 0, sizeof(s->position));
    memset(s->payload, 0, sizeof(s->payload));
    for (unsigned i = 0; i < LULL_GFX_PRIMS; i++) {
        s->connect[i] = NULL_PRIM;
    }
    return lull_gfx_launch(cp, LULL_WORK_GEOMETRY, &p) ? LULL_GFX_LAUNCHED : LULL_GFX_NO_MEMORY;
}
