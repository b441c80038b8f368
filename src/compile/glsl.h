// SPDX-License-Identifier: MIT
/** @file
 * GLSL shaders to SPIR-V, by glslangValidator as a program.
 */
#ifndef LULL_COMPILE_GLSL_H
#define LULL_COMPILE_GLSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Does the name say that it is GLSL: .glsl (a compute shader), or a stage as .comp, .tesc? */
bool lull_compile_is_glsl(const char *path);

/**
 * SPIR-V of @p path: a file of GLSL by its name is compiled for Vulkan 1.3 (1.2 where the compiler
 * does not know that), with names and lines; any other file is taken as it is.
 *
 * @param flags Further arguments for the compiler, as -DNAME=VALUE; borrowed.
 * @param[out] ret For free().
 * @return LULL_ERR_BAD_DATA with the compiler's messages; LULL_ERR_NOT_FOUND if it is not
 * installed; LULL_ERR_OS; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_compile_glsl(const char *path, const char *const *flags, size_t nflags,
                                     uint8_t **ret, size_t *ret_size) LULL_MUST_USE;

/** The same of GLSL for @p stage ("vert", "frag", "comp"...), whatever its name ends in. */
struct lull_error *lull_compile_glsl_stage(const char *path, const char *stage,
                                           const char *const *flags, size_t nflags, uint8_t **ret,
                                           size_t *ret_size) LULL_MUST_USE;

#endif
