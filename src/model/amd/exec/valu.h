// SPDX-License-Identifier: MIT
/** @file
 * Shared by the vector instructions: lanes of an operand, masked stores.
 */
#ifndef LULL_MODEL_AMD_EXEC_VALU_H
#define LULL_MODEL_AMD_EXEC_VALU_H

#include "model/amd/exec/uop.h"

/** 32 lanes of an operand of up to 64 bits. */
struct lull_operand {
    uint32_t lo[32], hi[32];
};

/** EXEC of lanes 32 * @p half and up. */
uint32_t lull_half_exec(const struct lull_wave *w, unsigned half);

/** Write those of 32 lanes at @p d that @p mask has. */
void lull_lanes_store(uint32_t *d, const uint32_t v[32], uint32_t mask);

#endif
