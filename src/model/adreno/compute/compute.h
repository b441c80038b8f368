// SPDX-License-Identifier: MIT
/** @file
 * Dispatches of Adreno: what registers and loaded state say of one, and its groups, one after the
 * other.
 *
 * Registers: data/adreno/a6xx.dom. Source: Mesa vulkan/tu_shader.cc, tu_cmd_buffer.cc (who sets
 * what), ir3/ir3.c (sizes of waves).
 */
#ifndef LULL_MODEL_ADRENO_COMPUTE_COMPUTE_H
#define LULL_MODEL_ADRENO_COMPUTE_COMPUTE_H

#include "adreno/stream/stream.h"
#include "base/error.h"
#include "model/adreno/exec/group.h"

/** What packets have loaded for compute shaders. Plain data. */
struct lull_acompute_state {
    uint32_t consts[LULL_IR3_CONSTS];
    uint32_t shared[64]; ///< Shared constants.
    uint64_t ubo[32];    ///< Descriptors.
};

/** Where a dispatch gets all from. Must outlive it. */
struct lull_acompute_source {
    unsigned gpu_id; ///< 630, 660, 740.
    void *ctx;
    uint32_t (*reg)(void *ctx, uint32_t number);
    struct lull_ir3_memory memory;
    struct lull_acompute_state *state;
    uint64_t seed;                   ///< Order of waves; 0: in turns.
    bool fused;                      ///< mad rounds once.
    struct lull_observer *observers; ///< Told of all that waves do; NULL: nobody.
};

/** A dispatch under way. */
struct lull_acompute;

/**
 * CP_LOAD_STATE6: @p l is one of a compute shader, or of all. What is not constants or UBOs has no
 * effect here, because shaders find it in memory. @p packet: what it stands in.
 */
void lull_acompute_load(struct lull_acompute_state *s, const struct lull_ir3_memory *memory,
                        unsigned gen, const struct lull_as_packet *packet,
                        const struct lull_as_load *l);

/** A dispatch of @p groups by what registers say now. @return What makes it impossible. */
struct lull_error *lull_acompute_new(const struct lull_acompute_source *source,
                                     const uint32_t groups[3],
                                     struct lull_acompute **ret) LULL_MUST_USE;
void lull_acompute_free(struct lull_acompute *c);

/**
 * Execute up to @p most instructions of waves.
 *
 * @return What stopped it for good: "wave 3 of group 1,0,0 at instruction 17: ...".
 */
struct lull_error *lull_acompute_run(struct lull_acompute *c, uint64_t most,
                                     uint64_t *done) LULL_MUST_USE;
bool lull_acompute_ended(const struct lull_acompute *c);

#endif
