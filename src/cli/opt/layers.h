// SPDX-License-Identifier: MIT
/** @file
 * lull's Vulkan layers in the environment of programs.
 */
#ifndef LULL_CLI_OPT_LAYERS_H
#define LULL_CLI_OPT_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/** A layer of lull's, behind those that the environment names; for arm64 programs @p arm64.
 * LULL_ERR_NOT_FOUND: it is not where lull is. */
struct lull_error *lull_layers_add(const char *name, bool arm64) LULL_MUST_USE;

/** Lines of printf of a program's shaders: VK_LAYER_LULL_printf (src/layer/printf/printf.h). */
struct lull_printf_layer {
    bool wanted;
    uint64_t bytes;      ///< Of its buffer; 0: the layer's own choice.
    const char *records; ///< What lines begin with; NULL: place and workgroup.
};

/** The layer into this process's environment, for the program @p argv on that GPU (NULL: gfx1100).
 * Before there are threads. LULL_ERR_INVALID: its options without --printf, or a list that it does
 * not know. */
struct lull_error *lull_printf_layer_set(const struct lull_printf_layer *p, const char *gpu,
                                         char *const argv[]) LULL_MUST_USE;

/** Lines of a program's compute shaders: VK_LAYER_LULL_lines (src/layer/lines/lines.h). Before
 * there are threads. LULL_ERR_INVALID: not @p wanted, or
 * @p noopt of an Adreno. */
struct lull_error *lull_lines_layer_set(bool wanted, bool noopt, const char *gpu) LULL_MUST_USE;

#endif
