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

#include "model/adreno/compute/stage.h"
#include "model/adreno/exec/group.h"

/** A dispatch under way. */
struct lull_acompute;

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

/** Who made the first access since the last call that went wrong: "wave 0 of group 1,0,0 at
 * instruction 17, fiber 3". NULL: nobody did. */
const char *lull_acompute_fault(struct lull_acompute *c);

/* For going back in time (model/adreno/past.h). Times are instructions of its waves. */

/** All of it that changes while it runs, but memory. Owned by the caller. */
struct lull_acompute_saved;

uint64_t lull_acompute_time(const struct lull_acompute *c);
/** @p ret_bytes: what it costs. @return NULL: no memory. */
struct lull_acompute_saved *lull_acompute_save(const struct lull_acompute *c, uint64_t *ret_bytes);
void lull_acompute_saved_free(struct lull_acompute_saved *s);
struct lull_error *lull_acompute_put_back(struct lull_acompute *c,
                                          const struct lull_acompute_saved *s) LULL_MUST_USE;
/** What needs no time happens: the next group is there if there is one, and who waits at a barrier
 * that all have come to goes on. */
struct lull_error *lull_acompute_settle(struct lull_acompute *c) LULL_MUST_USE;
/** The wave that executes the next instruction; NULL: none can. */
struct lull_ir3_wave *lull_acompute_next(struct lull_acompute *c);

/* For debuggers. */

/** Do its waves stand because somebody wants it? */
bool lull_acompute_stands(const struct lull_acompute *c);
/** The group under way; NULL: none is now. */
struct lull_ir3_group *lull_acompute_group(struct lull_acompute *c);
/** Waves of other groups under way, which an order of waves makes, do not stand. */
void lull_acompute_let_others_go(struct lull_acompute *c);
/** What its waves share. */
struct lull_ir3_env *lull_acompute_env(struct lull_acompute *c);

/** What a dispatch is. */
struct lull_acompute_shape {
    uint64_t code; ///< Address.
    uint32_t ninsns, groups[3], local[3], fibers;
    uint32_t full, half; ///< Registers of a fiber that it may use, whole ones.
};
struct lull_acompute_shape lull_acompute_shape(const struct lull_acompute *c);

#endif
