// SPDX-License-Identifier: MIT
/** @file
 * Draws of Adreno: vertex shaders, assembly, rasterising, fragment shaders, the back end.
 *
 *   draw.c      one draw, from its registers to its last wave
 *   vertex.c    vertices are fetched, shaded and kept
 *   assemble.c  which of them are a primitive
 *   setup.c     what registers say to model/raster
 *   pixel.c     quads to waves of pixels, what these start with and leave behind
 *   prefetch.c  textures that are sampled before a wave starts
 *   shown.c     what debuggers and faults are told
 *
 * One wave is in flight at a time: up to 64 vertices in the order of the draw, then the pixels of
 * their primitives, as many quads a wave as fit, then the next vertices. So the order that Vulkan
 * promises is there by itself. Every primitive is visible: what a binning pass found is not asked.
 * Registers: data/adreno/a6xx.dom. Source: shared facts on Adreno's draws, 2 to 4.
 */
#ifndef LULL_MODEL_ADRENO_DRAW_DRAW_H
#define LULL_MODEL_ADRENO_DRAW_DRAW_H

#include "model/adreno/compute/stage.h"
#include "model/adreno/draw/rop.h"
#include "model/adreno/exec/group.h"

/** What draws count, as RBBM_PRIMCTR does. */
enum lull_adraw_counter {
    LULL_ADRAW_VERTICES,
    LULL_ADRAW_PRIMITIVES,
    LULL_ADRAW_VS,
    LULL_ADRAW_HS,
    LULL_ADRAW_DS,
    LULL_ADRAW_GS,
    LULL_ADRAW_GS_PRIMITIVES,
    LULL_ADRAW_CLIP_IN,
    LULL_ADRAW_CLIP_OUT,
    LULL_ADRAW_FS,
    LULL_ADRAW_COUNTERS,
};

/** Where a draw gets all from, and what it counts on. Must outlive it. */
struct lull_adraw_source {
    struct lull_acompute_source shaders;
    struct lull_arop_source output;
    uint64_t *counters; ///< LULL_ADRAW_COUNTERS; NULL: nobody counts.
};

/** What a packet says of a draw. */
struct lull_adraw_call {
    unsigned prim; ///< enum pc_di_primtype.
    uint32_t vertices, instances;
    uint64_t index;       ///< Address of indices.
    uint32_t index_bytes; ///< 0: no indices.
    uint32_t first_index; ///< From `index` on.
    uint32_t most;        ///< Indices that are there.
    uint64_t packet;      ///< Address of the packet that draws,
    uint32_t part;        ///< and which of its draws it is.
};

/** A draw under way. */
struct lull_adraw;

/** A draw by what registers say now. @return What makes it impossible, by name. */
struct lull_error *lull_adraw_new(const struct lull_adraw_source *source,
                                  const struct lull_adraw_call *call,
                                  struct lull_adraw **ret) LULL_MUST_USE;
void lull_adraw_free(struct lull_adraw *d);

/**
 * Execute up to @p most instructions of waves.
 *
 * @return What stopped it for good: "a wave of fragments at instruction 17: ...".
 */
struct lull_error *lull_adraw_run(struct lull_adraw *d, uint64_t most,
                                  uint64_t *done) LULL_MUST_USE;
bool lull_adraw_ended(const struct lull_adraw *d);

/** Who made the first access since the last call that went wrong: "fragment shader at instruction
 * 17, fiber 5: pixel 12,7, primitive 0". NULL: nobody did. */
const char *lull_adraw_fault(struct lull_adraw *d);

/* For going back in time (model/adreno/past.h). Times are instructions of its waves. */

/** All of it that changes while it runs, and of the GPU what it changes, but memory. free() it. */
struct lull_adraw_saved;

uint64_t lull_adraw_time(const struct lull_adraw *d);
/** @p ret_bytes: what it costs. @return NULL: no memory. */
struct lull_adraw_saved *lull_adraw_save(const struct lull_adraw *d, uint64_t *ret_bytes);
void lull_adraw_put_back(struct lull_adraw *d, const struct lull_adraw_saved *s);
/** What comes between waves happens: the next one is there, if there is one. */
void lull_adraw_settle(struct lull_adraw *d);
/** Memory that its shaders and the back end see from now on; who looks on. */
void lull_adraw_set_memory(struct lull_adraw *d, const struct lull_ir3_memory *m);
void lull_adraw_set_observers(struct lull_adraw *d, struct lull_observer *observers);

/* For debuggers. */

/** Does its wave stand because somebody wants it? */
bool lull_adraw_stands(struct lull_adraw *d);
/** The wave in flight, as a group of its own; NULL: none is now. */
struct lull_ir3_group *lull_adraw_group(struct lull_adraw *d);
/** What it reaches. */
struct lull_ir3_env *lull_adraw_env(struct lull_adraw *d);

/** What waves of @p stage do. */
const struct lull_ir3_env *lull_adraw_stage(const struct lull_adraw *d, enum lull_astage stage);

/** Which invocation of its shader a fiber is. */
struct lull_adraw_invocation {
    enum lull_astage stage;
    uint32_t vertex, instance;               ///< As the shader knows them.
    uint32_t x, y, sample, primitive, layer; ///< Of fragments; of the instance.
    bool per_sample;                         ///< The shader runs for that sample alone.
    bool helper;                             ///< It is there for the derivatives of others.
};
/** @return False: the fiber is nobody. */
bool lull_adraw_invocation(const struct lull_adraw *d, unsigned fiber,
                           struct lull_adraw_invocation *ret);

/** What a draw is. */
struct lull_adraw_summary {
    struct lull_adraw_call call;
    struct {
        uint64_t code; ///< Address.
        uint32_t ninsns, fibers;
        uint32_t full, half; ///< Registers of a fiber that it may use, whole ones.
    } stage[2];              ///< By enum lull_astage: VS, FS.
    uint32_t window[4];      ///< Where it may draw, x0 y0 x1 y1: of a tile, if there are tiles.
};
struct lull_adraw_summary lull_adraw_summary(const struct lull_adraw *d);

#endif
