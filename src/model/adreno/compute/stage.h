// SPDX-License-Identifier: MIT
/** @file
 * A shader stage of Adreno: what registers and loaded state say of its code and of what it reaches.
 *
 * Registers: data/adreno/a6xx.dom. Source: Mesa vulkan/tu_shader.cc, tu_cmd_buffer.cc (who sets
 * what).
 */
#ifndef LULL_MODEL_ADRENO_COMPUTE_STAGE_H
#define LULL_MODEL_ADRENO_COMPUTE_STAGE_H

#include "adreno/stream/stream.h"
#include "base/error.h"
#include "model/adreno/exec/wave.h"

enum lull_astage { LULL_ASTAGE_VS, LULL_ASTAGE_FS, LULL_ASTAGE_CS, LULL_ASTAGES };

enum { LULL_ASTAGE_SHARED = 64 }; ///< Dwords of shared constants.

/** What packets have loaded for shaders. Plain data. */
struct lull_acompute_state {
    struct {
        uint32_t consts[LULL_IR3_CONSTS];
        uint64_t ubo[32]; ///< Descriptors.
    } stage[LULL_ASTAGES];
    uint32_t shared[LULL_ASTAGE_SHARED]; ///< Shared constants; Turnip loads those of dispatches by
                                         ///< ANY_IBO, too.
};

/** Where a draw or dispatch gets all from. Must outlive it. */
struct lull_acompute_source {
    unsigned gpu_id;    ///< 630, 660, 740.
    uint32_t sp_fibers; ///< That a shader processor holds.
    void *ctx;
    uint32_t (*reg)(void *ctx, uint32_t number);
    struct lull_ir3_memory memory;
    struct lull_acompute_state *state;
    uint64_t seed;            ///< Order of waves; 0: in turns.
    struct lull_order *order; ///< Who waits for whom in dispatches, model/order.h; NULL: nobody.
    struct lull_ir3_stops *stops; ///< What a debugger wants; NULL: nobody can.
    struct lull_ir3_assumptions assume;
    struct lull_observer *observers;      ///< Told of all that waves do; NULL: nobody.
    uint64_t *launches;                   ///< Counts dispatches and draws.
    uint64_t dispatches;                  ///< Dispatches before this one.
    const uint64_t *draws;                ///< Draws before the next one; NULL: not known.
    uint32_t space;                       ///< Its address space: ASID.
    const struct lull_ir3_engine *engine; ///< Compiles programs; NULL: nobody does.
    void *engine_state;
};

/** A register whose number is another on a7xx. */
static inline uint32_t lull_astage_reg(const struct lull_acompute_source *s, uint32_t a6,
                                       uint32_t a7)
{
    return s->reg(s->ctx, s->gpu_id >= 700 ? a7 : a6);
}

/** Two registers, the lower half first. */
static inline uint64_t lull_astage_reg64(const struct lull_acompute_source *s, uint32_t number)
{
    return s->reg(s->ctx, number) | (uint64_t)s->reg(s->ctx, number + 1) << 32;
}

/**
 * CP_LOAD_STATE6: @p l is one of a stage, or of all. What is not constants or UBOs has no effect
 * here, because shaders find it in memory. @p packet: what it stands in.
 */
void lull_astage_load(struct lull_acompute_state *s, const struct lull_ir3_memory *memory,
                      unsigned gen, const struct lull_as_packet *packet,
                      const struct lull_as_load *l);

/** The code of @p stage. */
struct lull_error *lull_astage_code(const struct lull_acompute_source *s, enum lull_astage stage,
                                    struct lull_ir3_program *ret) LULL_MUST_USE;

/** What shaders of @p stage reach, but for program, shared memory and preamble: the caller's. */
void lull_astage_env(const struct lull_acompute_source *s, enum lull_astage stage,
                     struct lull_ir3_env *ret);

#endif
