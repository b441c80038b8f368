// SPDX-License-Identifier: MIT
/** @file
 * CP_BLIT: the 2D engine, which fills and copies buffers and images.
 *
 * Linear surfaces, one to one. Refused by name: tiled and compressed ones, scaling, turning,
 * samples. Source: shared facts on Adreno's draws; Mesa vulkan/tu_clear_blit.cc.
 */
#ifndef LULL_MODEL_ADRENO_COMPUTE_BLIT_H
#define LULL_MODEL_ADRENO_COMPUTE_BLIT_H

#include "model/adreno/compute/compute.h"

/** What registers say, done at once. @return What makes it impossible. */
struct lull_error *lull_ablit(const struct lull_acompute_source *source) LULL_MUST_USE;

#endif
