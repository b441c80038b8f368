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

/* For debuggers. */

/** Do its waves stand because somebody wants it? */
bool lull_acompute_stands(const struct lull_acompute *c);
/** The group under way; NULL: none is now. */
struct lull_ir3_group *lull_acompute_group(struct lull_acompute *c);
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
