// SPDX-License-Identifier: MIT
/** @file
 * Shared by the files that change modules.
 */
#ifndef LULL_SPIRV_MUTATE_PRIV_H
#define LULL_SPIRV_MUTATE_PRIV_H

#include <stdint.h>

/** An operation that takes the same operands and gives the same type; 0: none. */
uint32_t lull_spv_other_op(uint32_t op);
/** The same of GLSL.std.450. */
uint32_t lull_spv_other_glsl(uint32_t op);

#endif
