// SPDX-License-Identifier: MIT
/** @file
 * --gpu: which GPU lull brings, and the virtual kernel with it.
 */
#ifndef LULL_CLI_GPU_H
#define LULL_CLI_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/opt/engine.h"
#include "drm/core/kernel.h"
#include "hw/achips.h"
#include "isa/ir3/assume.h"

struct lull_order;

/** Is @p name an Adreno, whose programs are arm64 ones? NULL is gfx1100. */
bool lull_gpu_is_adreno(const char *name);
/** The Adreno @p name; NULL: there is none. */
const struct lull_achip *lull_gpu_chip(const char *name);
/** Is @p name a GPU that lull brings? */
bool lull_gpu_is_own(const char *name);

/** A GPU for programs. */
struct lull_gpu_how {
    const char *name;         ///< NULL: gfx1100.
    uint64_t seed;            ///< Order of waves; 0: round robin.
    struct lull_order *order; ///< The same, model/order.h; NULL: none. Borrowed.
    uint32_t hang_ms;    ///< Time without progress until a job is a hang; 0: as the kernel has it.
    uint32_t longest_ms; ///< Of an Adreno: until it is one, even if it moves; 0: none.
    const struct lull_ir3_assumptions *assume; ///< Of an Adreno; NULL: the defaults.
    const struct lull_engine_option *engine;   ///< NULL: the interpreter.
};

/** A virtual kernel with the GPU @p how behind it. @return LULL_ERR_INVALID: there is no such GPU;
 * LULL_ERR_UNSUPPORTED: no such engine on this machine. */
struct lull_error *lull_gpu_kernel(const struct lull_gpu_how *how,
                                   struct lull_kernel **ret) LULL_MUST_USE;

struct lull_observer;
/** @p o watches the model behind @p k, which has GPU @p name, from now on, and outlives it; so does
 * still @p before, which alone did till now, or NULL. */
void lull_gpu_kernel_observe(struct lull_kernel *k, const char *name, struct lull_observer *o,
                             struct lull_observer *before);

#endif
