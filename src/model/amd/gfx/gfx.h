// SPDX-License-Identifier: MIT
/** @file
 * Draws: from a draw packet to texels.
 *
 * gfx11 has NGG geometry only: a subgroup of vertices and primitives is one workgroup of merged
 * waves, which export positions and primitives; parameters go to the attribute ring in memory.
 * Primitives become quads (model/raster), sixteen of them a wave of the pixel shader, whatever
 * primitive each is of; what pixel waves export is kept and becomes texels in the order of
 * primitives. All waves are work like a dispatch's, and the command processor stands at the packet
 * until the draw is done: its handler is called whenever the ring is idle, and takes the next step
 * (enum lull_gfx_step). What is not done is refused by name.
 *
 *   gfx_packet.c  draw packets
 *   gfx_draw.c    steps
 *   gfx_fetch.c   indices, restart, topologies: primitives of vertices, subgroups of them
 *   gfx_geom.c    merged ES and GS waves, what they export
 *   gfx_mesh.c    mesh shaders
 *   gfx_task.c    meshes that task shaders ask for
 *   gfx_hs.c      merged LS and HS waves, tessellation
 *   gfx_prim.c    exports to primitives for model/raster, and the state it needs
 *   gfx_pixel.c   batches of quads, pixel waves
 *   gfx_input.c   what pixel waves start with, and the parameters that they load
 *   gfx_export.c  what pixel waves export, and its end as texels, in order
 *   gfx_target.c  colour targets
 *   gfx_depth.c   depth and stencil
 *   gfx_meta.c    HTILE and DCC
 *   gfx_query.c   what is counted
 *   gfx_watch.c   what becomes of a pixel that is watched
 *   gfx_aim.c     the wave that is looked for
 *   gfx_insn.c    exp and lds_param_load
 */
#ifndef LULL_MODEL_AMD_GFX_H
#define LULL_MODEL_AMD_GFX_H

#include "hw/draw11_regs.h"
#include "model/amd/cp/cp.h"
#include "model/amd/wave/exec.h"
#include "model/raster/output.h"
#include "model/raster/raster.h"
#include "model/raster/tess.h"
#include "tex/tiling.h"

enum {
    LULL_GFX_LANES = 64,
    LULL_GFX_VERTICES = 256, ///< Of a subgroup, at most: GE_MAX_OUTPUT_PER_SUBGROUP.
    LULL_GFX_PRIMS = 256,
    LULL_GFX_POSITIONS = 4, ///< Position exports of a vertex.
    LULL_GFX_PARAMS = 32,   ///< Inputs of a pixel shader.
    LULL_GFX_TARGETS = 8,
    LULL_GFX_QUADS = 16, ///< Of a wave of 64.
    LULL_GFX_BATCH_WAVES = 32,
    LULL_GFX_BATCH_QUADS = LULL_GFX_BATCH_WAVES * LULL_GFX_QUADS,
    LULL_GFX_BATCH_PARTS = 256,
    LULL_GFX_BATCH_PARAMS = 2048, ///< Inputs of all its primitives.
};

/** What the waves that run are; what comes when they have ended. */
enum lull_gfx_step {
    LULL_GFX_IDLE,     ///< No draw is under way.
    LULL_GFX_BEGIN,    ///< No waves: draw number lull_gfx.draw of the packet is next.
    LULL_GFX_FETCH,    ///< No waves: the next subgroup is to be looked for.
    LULL_GFX_BATCH,    ///< No waves: the next batch of the subgroup is.
    LULL_GFX_HULL,     ///< LS and HS: then the tessellator.
    LULL_GFX_POINTS,   ///< No waves: the next subgroup of tessellated points is to be made.
    LULL_GFX_GEOMETRY, ///< ES and GS of a subgroup: then its pixels.
    LULL_GFX_PIXELS,   ///< A batch: then its texels, the next batch or the next subgroup.
};

/** What a draw packet asks for, indirect arguments read. gfx_draw.c */
struct lull_gfx_call {
    uint64_t index_va;    ///< Of the first index.
    uint32_t index_bytes; ///< 0: vertices are numbered; 1, 2, 4.
    uint32_t max_indices; ///< Those beyond read as 0.
    uint32_t count, instances;
    uint32_t grid[3]; ///< Of mesh workgroups; 0: not a mesh draw.
};

/** Where the next subgroup begins. gfx_fetch.c */
struct lull_gfx_place {
    uint64_t run;        ///< Where the strip (or fan, or list) began: an index of the draw.
    uint64_t at;         ///< The next primitive, counted from there.
    uint32_t instance;   ///< Of the draw.
    uint32_t prim_id;    ///< Of the next primitive.
    uint32_t invocation; ///< Of the geometry shader: the next, where each has its own subgroup.
    uint32_t pad;
};

/** Threads of a subgroup and what they exported. gfx_fetch.c, gfx_geom.c */
struct lull_gfx_subgroup {
    uint32_t nvertices, nprims;         ///< Threads of ES, of GS.
    uint32_t instance;                  ///< All vertices are of one.
    uint32_t vertex[LULL_GFX_VERTICES]; ///< Index; tessellated: lull_gfx.hull has the points.
    uint16_t prim[LULL_GFX_PRIMS][6];   ///< Vertices of the subgroup, with adjacency.
    uint32_t prim_id[LULL_GFX_PRIMS];
    uint8_t follows[LULL_GFX_PRIMS];     ///< 0 or 1: it is of the strip of the one before.
    uint32_t invocation[LULL_GFX_PRIMS]; ///< Of the geometry shader.
    uint32_t out_vertices, out_prims;    ///< As GS_ALLOC_REQ says, else nvertices and nprims.
    uint32_t shape;                      ///< enum lull_raster_shape of what comes out.
    uint32_t
        connect[LULL_GFX_PRIMS]; ///< Exported primitives: three vertices of 9 bits; bit 31: none.
    uint32_t payload[LULL_GFX_PRIMS]; ///< Of exported primitives: layer 12:0, viewport 23:20.
    uint32_t position[LULL_GFX_POSITIONS][4][LULL_GFX_VERTICES];
    uint32_t group[3]; ///< Of meshes: the workgroup.
    uint32_t pad;
};

/** How hull shaders said what the levels of their patches are. */
enum lull_gfx_levels { LULL_GFX_LEVELS_IN_MEMORY, LULL_GFX_LEVELS_0, LULL_GFX_LEVELS_1 };

/** A group of patches whose LS and HS waves run or have run, and how far it is tessellated.
 * gfx_hs.c */
struct lull_gfx_hull {
    uint32_t npatches, instance;
    uint32_t said;                    ///< enum lull_gfx_levels.
    uint32_t patch, prim, invocation; ///< Next: of the group, of the patch, of the geometry shader.
    uint32_t patch_id[LULL_GFX_PRIMS];
    struct lull_tess_point point[LULL_GFX_VERTICES]; ///< Of the subgroup's vertices.
    uint32_t of_patch[LULL_GFX_VERTICES];            ///< Of the group.
};

/** A part of a primitive, as quads refer to it. gfx_prim.c */
struct lull_gfx_part {
    struct lull_raster_prim raster;
    uint16_t vertex[3]; ///< Of its primitive, as exported, the provoking one first: P0, P1, P2.
    uint16_t prim;      ///< Exported primitive.
    uint32_t prim_id, layer, viewport;
    uint32_t param; ///< First of its inputs in struct lull_gfx_batch.
    uint32_t first; ///< Which of P0 to P2 its first vertex is.
    uint32_t order; ///< In the batch, counting those of which nothing was left, too.
};

struct lull_gfx_quad {
    struct lull_raster_quad q; ///< mask: samples that are covered, after the early tests alive.
    uint16_t part;             ///< Of struct lull_gfx_batch.
    uint8_t sample;            ///< The shader runs for this one; UINT8_MAX: for the pixel.
    uint8_t pad;
    uint32_t covered; ///< Samples before the early tests.
    uint32_t index;   ///< In the batch, or where it would have been.
};

/** What a wave of pixels exported. gfx_export.c */
struct lull_gfx_exports {
    uint32_t color[LULL_GFX_TARGETS][4][LULL_GFX_LANES]; ///< Dual source: targets 0 and 1.
    uint32_t z[4][LULL_GFX_LANES];                       ///< Depth, stencil, mask, alpha: MRTZ.
    uint64_t written[LULL_GFX_TARGETS], z_written;       ///< Lanes.
    uint64_t alive;        ///< Lanes at the last export: the others are discarded.
    uint64_t pc;           ///< Of the last export.
    uint32_t place, group; ///< Of the wave: HW_ID1; number of its workgroup.
};

/** Pixels that are shaded together. gfx_pixel.c */
struct lull_gfx_batch {
    uint32_t nquads, nparts, nwaves, nparams;
    uint32_t inputs;     ///< Of each primitive.
    uint32_t wave_quads; ///< 16; of waves of 32: 8.
    uint32_t prim, part; ///< Where the next batch goes on: exported primitive, its part.
    struct lull_raster_cursor cursor; ///< In that part.
    uint32_t stipple;                 ///< Fragments of the strip before that primitive.
    uint32_t order, early; ///< order: of the next part; early: 0 or 1, tests before the shader.
    struct lull_gfx_part parts[LULL_GFX_BATCH_PARTS];
    struct lull_gfx_quad quads[LULL_GFX_BATCH_QUADS];
    uint32_t param[LULL_GFX_BATCH_PARAMS][4][4]; ///< By channel: P0, P10, P20, 0.
    struct lull_gfx_exports out[LULL_GFX_BATCH_WAVES];
};

/** The draw under way: all state, no pointers; saved with the GPU (lull_gpu.gfx). */
struct lull_gfx {
    uint32_t step;         ///< enum lull_gfx_step.
    uint32_t draw, ndraws; ///< Of an indirect packet: which one, of how many.
    uint32_t ordered;      ///< Subgroups so far: ids for ds_ordered_count, from draw to draw.
    uint64_t first_entry;  ///< Of task shaders: that of draw 0.
    struct lull_gfx_call call;
    struct lull_gfx_place place;
    struct lull_gfx_subgroup sub;
    struct lull_gfx_hull hull;
    struct lull_gfx_batch batch;
};

/** Which of a quad's pixels have samples in @p mask: bit n is pixel n. */
static inline unsigned lull_gfx_pixels(uint32_t mask)
{
    mask |= mask >> 4 & 0x0f0f0f0f;
    mask |= mask >> 2 & 0x03030303;
    mask = (mask | mask >> 1) & 0x01010101;
    return mask * 0x01020408u >> 24 & 15; // bit 8 * n comes to 24 + n
}

/** The draw of @p g: not NULL after the first one has begun. */
static inline struct lull_gfx *lull_gfx_of(const struct lull_gpu *g)
{
    return g->gfx;
}

/** Of the gfx ring, and those that all rings share. */
static inline uint32_t lull_gfx_reg(const struct lull_gpu *g, uint32_t offset)
{
    const bool sh = offset >= LULL_SH_BASE && offset - LULL_SH_BASE < LULL_SH_BYTES;
    return sh ? lull_sh(&g->rings[LULL_RING_GFX], offset) : g->mmio[offset / sizeof(g->mmio[0])];
}

/** VGPRs of a wave by the VGPRS field of RSRC1. Source: LLVM AMDGPUUsage. */
static inline unsigned lull_gfx_nvgprs(uint32_t field, unsigned lanes)
{
    const unsigned n = (field + 1) * (lanes == 32 ? 8 : 4);
    return n < LULL_WAVE_VGPRS ? n : LULL_WAVE_VGPRS;
}

/** Groups of waves of one shader. */
struct lull_gfx_program {
    uint32_t lo, hi;       ///< Register offsets of its address.
    uint32_t rsrc1, rsrc2; ///< As COMPUTE_PGM_RSRC1 and 2.
    uint32_t lanes, nvgprs, lds_bytes;
    uint32_t waves[2];  ///< Groups, in two directions.
    uint32_t per_group; ///< Waves of a group; 0: 1.
};

/** How far a step came. */
enum lull_gfx_result {
    LULL_GFX_LAUNCHED, ///< Waves run.
    LULL_GFX_NONE,     ///< There is nothing left.
    LULL_GFX_FAULT,    ///< Memory refused: cp->vm->fault.
    LULL_GFX_NO_MEMORY,
    LULL_GFX_MORE,  ///< Nothing yet, after much work: call again.
    LULL_GFX_ENDED, ///< The job has ended.
};

/** What a packet asks for. */
struct lull_gfx_packet {
    /** How many draws. False: memory refused. NULL: one. */
    bool (*count)(struct lull_cp *cp, uint32_t *ndraws);
    /** Draw number gfx.draw, and the registers that come with it. False: memory refused. */
    bool (*read)(struct lull_cp *cp, struct lull_gfx_call *call);
    /** Instead of both, if nobody knows how many: LAUNCHED: the next is there; MORE: not yet. */
    enum lull_gfx_result (*next)(struct lull_cp *cp, struct lull_gfx_call *call);
};

// gfx_packet.c
/** A grid of workgroups of mesh shaders. */
void lull_gfx_call_mesh(const uint32_t dim[3], struct lull_gfx_call *call);

// gfx_task.c
/** Of struct lull_gfx_packet. */
enum lull_gfx_result lull_gfx_next_task(struct lull_cp *cp, struct lull_gfx_call *call);

// gfx_launch.c
/** Begin the draws of the packet at which @p cp stands, or go on with them. */
enum lull_cp_result lull_gfx_draw(struct lull_cp *cp, const struct lull_gfx_packet *p);
/** Have it run. False: no memory. */
bool lull_gfx_launch(struct lull_cp *cp, enum lull_work_kind kind,
                     const struct lull_gfx_program *p);
/** Put @p n registers from @p reg on into SGPRs from @p first on. */
void lull_gfx_user_data(const struct lull_gpu *g, uint32_t reg, unsigned n, uint32_t *first);

/** RSRC2 of a graphics stage as that of a compute shader. @p excp_mask: its EXCP_EN. */
uint32_t lull_gfx_rsrc2(uint32_t rsrc2, uint32_t excp_mask);

// gfx_fetch.c
/** NULL, or why these primitives cannot be drawn. gfx.call is set; nothing has been fetched. */
const char *lull_gfx_fetch_check(const struct lull_gpu *g);
/**
 * Fill gfx.sub with the next subgroup from gfx.place on, all 0 at the start of a draw. NONE: all
 * are done; LAUNCHED: it is there. Of patches vertex[] has the control points, patch by patch.
 */
enum lull_gfx_result lull_gfx_fetch(struct lull_cp *cp);
/** Index number @p at of @p call. False: it has fewer, or memory refused. */
bool lull_gfx_index(const struct lull_gfx_call *call, struct lull_vm *vm, uint64_t at,
                    uint32_t *ret);
/** How much a subgroup of ES and GS may have. */
struct lull_gfx_limits {
    uint32_t prims, vertices;
    uint32_t invocations; ///< Of a geometry shader, for each primitive.
    bool alone;           ///< Each of them has a subgroup of its own.
};
struct lull_gfx_limits lull_gfx_limits(const struct lull_gpu *g);
/** No room for a primitive of @p nvertices more. */
bool lull_gfx_is_full(const struct lull_gfx_limits *l, const struct lull_gfx_subgroup *s,
                      unsigned nvertices);

// gfx_hs.c
/** Patches are tessellated. */
bool lull_gfx_tessellates(const struct lull_gpu *g);
/** Threads of HS for each patch: its control points. */
uint32_t lull_gfx_patch_points(const struct lull_gpu *g);
/** NULL also if they are not. */
const char *lull_gfx_hull_check(const struct lull_gpu *g);
/** Launch the LS and HS waves of the patches of gfx.sub. */
enum lull_gfx_result lull_gfx_hull_launch(struct lull_cp *cp);
/** Fill gfx.sub with the next points and primitives of the patches whose waves have ended. NONE:
 * all are done; LAUNCHED: it is there. */
enum lull_gfx_result lull_gfx_tessellate(struct lull_cp *cp);

// gfx_geom.c
const char *lull_gfx_geom_check(struct lull_gpu *g);
/** Launch the waves of gfx.sub. */
enum lull_gfx_result lull_gfx_geom_launch(struct lull_cp *cp);

// gfx_mesh.c
/** The registers say that primitives come from mesh shaders. */
bool lull_gfx_meshes(const struct lull_gpu *g);
/** NULL, or why gfx.call cannot be drawn. */
const char *lull_gfx_mesh_check(const struct lull_gpu *g);
/** Threads of a workgroup. */
uint32_t lull_gfx_mesh_threads(const struct lull_gpu *g);
/** As lull_gfx_fetch(): the next workgroup of the grid. */
enum lull_gfx_result lull_gfx_mesh_next(struct lull_cp *cp);
/** The registers of wave @p index that are not those of all merged waves. */
void lull_gfx_start_mesh(struct lull_gpu *g, unsigned index, struct lull_wave *w);

// gfx_prim.c
/** What registers say of primitives, read once: all 0 at first. */
struct lull_gfx_setup {
    struct lull_raster_state state;
    uint32_t viewport; ///< That it is of.
    bool any;
};

/** The parts of exported primitive @p prim of gfx.sub, in order; @return how many. @p s is of it
 * then. */
unsigned lull_gfx_prim_parts(const struct lull_gpu *g, struct lull_gfx_setup *s, unsigned prim,
                             struct lull_gfx_part ret[LULL_RASTER_PARTS]);
/** Of a primitive with that viewport. */
void lull_gfx_raster_state(const struct lull_gpu *g, unsigned viewport,
                           struct lull_raster_state *ret);
/** Pixel shaders are told which pixels are filled (inner coverage), of those that are met. */
bool lull_gfx_wants_inner(const struct lull_gpu *g);
/** Of samples of a pixel: 0 to 4. */
unsigned lull_gfx_log2_samples(const struct lull_gpu *g);
/** Only what it says of samples. */
void lull_gfx_read_samples(const struct lull_gpu *g, struct lull_raster_state *ret);

// gfx_pixel.c
const char *lull_gfx_pixel_check(struct lull_gpu *g);
/** The next batch of gfx.sub. NONE: all its primitives are done, and those of the next subgroup
 * can begin. */
enum lull_gfx_result lull_gfx_batch(struct lull_cp *cp);

// gfx_input.c
/** Parameters of vertices that a primitive's inputs are made of, from the attribute ring, to
 * batch.param. False: memory refused. */
bool lull_gfx_read_params(struct lull_gpu *g, struct lull_vm *vm, struct lull_gfx_part *part);
/** The registers of pixel wave @p index of @p group. */
void lull_gfx_start_pixels(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                           const uint32_t items[3], struct lull_wave *w);
/** Of struct lull_wave_host, for pixels. */
void lull_gfx_load_param(struct lull_wave *w, unsigned attr, unsigned channel, uint32_t *to);

// gfx_export.c
/** Of struct lull_wave_host, for pixels. */
bool lull_gfx_keep_export(struct lull_wave *w, const struct lull_rdna_insn *in);
/** The waves of the batch have ended: their texels, in order. False: memory refused. */
bool lull_gfx_commit(struct lull_cp *cp);

// gfx_target.c, gfx_depth.c
/** NULL, or why it cannot be drawn to. Makes g->output, all that registers say of output, anew. */
const char *lull_gfx_open_output(struct lull_gpu *g);
/** Depth and stencil are tested and written before the shader. */
bool lull_gfx_depth_is_early(const struct lull_gpu *g);
/**
 * Test the samples *mask of quad @p q of @p part, and write what passes.
 *
 * @param z, stencil Of the four pixels, as the shader exported them; NULL: interpolated, and the
 * registers' reference.
 * @param mask Out: the samples that passed. @return False: memory refused.
 */
bool lull_gfx_depth_test(struct lull_gpu *g, struct lull_vm *vm, const struct lull_gfx_part *part,
                         const struct lull_gfx_quad *q, const float z[4], const uint8_t stencil[4],
                         uint32_t *mask);
/** Alpha that lane @p lane exported to target 0 in @p format, of SPI_SHADER_COL_FORMAT. */
float lull_gfx_exported_alpha(unsigned format, const struct lull_gfx_exports *x, unsigned lane);
/** Blend and write what wave @p wave of the batch exported. @p samples: of each lane's pixel those
 * that are written. False: memory refused. */
bool lull_gfx_color_write(struct lull_gpu *g, struct lull_vm *vm, const struct lull_gfx_batch *b,
                          unsigned wave, const uint8_t samples[LULL_GFX_LANES]);

// gfx_query.c
/** The primitives that the subgroup exported. */
void lull_gfx_count_prims(struct lull_gpu *g);
/** @p n samples passed depth and stencil tests: an occlusion query may want to know. */
void lull_gfx_count_samples(struct lull_gpu *g, uint64_t n);

/** What a wave finds that is not that of compute waves. */
uint64_t lull_gfx_border_colors(struct lull_wave *w);
/** Lanes of EXEC. */
uint64_t lull_gfx_exec(const struct lull_wave *w);
/** Row of lanes of source @p i of an export. */
const uint32_t *lull_gfx_export_row(const struct lull_wave *w, const struct lull_rdna_insn *in,
                                    unsigned i);

// gfx_watch.c
/** For lull_gpu_watch_drawn(): the primitives that the subgroup exported. */
void lull_gfx_saw_prims(struct lull_gpu *g);
/** The same: a quad is over, of whose samples @p written passed all tests. */
void lull_gfx_saw_quad(struct lull_gpu *g, const struct lull_gfx_quad *q, uint32_t written);
/** Pixel @p n of @p q is the one that is watched. */
static inline bool lull_gfx_watches(const struct lull_gpu *g, const struct lull_raster_quad *q,
                                    unsigned n)
{
    return g->pixel_watched && q->x + (n & 1) == g->pixel_x && q->y + (n >> 1) == g->pixel_y;
}
/** A sample of it was tested for depth and stencil, as @p f says. */
void lull_gfx_saw_test(struct lull_gpu *g, const struct lull_gfx_part *part,
                       const struct lull_gpu_fragment *f, enum lull_raster_verdict verdict);
/** Colour target @p n of it was written. */
void lull_gfx_saw_color(struct lull_gpu *g, const struct lull_gfx_part *part, unsigned sample,
                        unsigned n, const struct lull_gpu_color *color);
/** Samples of it came to @p fate; bits of @p samples. */
void lull_gfx_saw_end(struct lull_gpu *g, const struct lull_gfx_part *part, unsigned samples,
                      enum lull_gpu_fate fate);
/** The batch is over: tell the watcher, in the order of primitives. */
void lull_gfx_tell_seen(struct lull_gpu *g);

#endif
