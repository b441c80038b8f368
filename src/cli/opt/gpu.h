// SPDX-License-Identifier: MIT
/** @file
 * --gpu: which GPU lull brings, and the virtual kernel with it.
 */
#ifndef LULL_CLI_GPU_H
#define LULL_CLI_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"
#include "hw/achips.h"
#include "isa/ir3/assume.h"

/** Is @p name an Adreno, whose programs are arm64 ones? NULL is gfx1100. */
bool lull_gpu_is_adreno(const char *name);
/** The Adreno @p name; NULL: there is none. */
const struct lull_achip *lull_gpu_chip(const char *name);
/** Is @p name a GPU that lull brings? */
bool lull_gpu_is_own(const char *name);

/**
 * A virtual kernel for programs with the GPU @p name (NULL: gfx1100) behind it.
 *
 * @param hang_ms Time without progress until a job is a hang; 0: as the kernel has it.
 * @param longest_ms Of an Adreno: time until a job is a hang, even if it moves; 0: none.
 * @param assume Of an Adreno; NULL: the defaults.
 * @return LULL_ERR_INVALID: there is no such GPU.
 */
struct lull_error *lull_gpu_kernel(const char *name, uint64_t seed, uint32_t hang_ms,
                                   uint32_t longest_ms, const struct lull_ir3_assumptions *assume,
                                   struct lull_kernel **ret) LULL_MUST_USE;

#endif
