// SPDX-License-Identifier: MIT
/** @file
 * Whether the shaders that a Vulkan program dispatches call loads atomic, by what
 * VK_LAYER_LULL_names has written: of an Adreno code does not show it, and races can be told only
 * if none does.
 */
#ifndef LULL_CLI_CHECK_MODULES_H
#define LULL_CLI_CHECK_MODULES_H

#include <stdbool.h>
#include <stddef.h>

/** Zero-initialise. */
struct lull_check_modules {
    const char *dir; ///< Where the layer writes; NULL: there is none. Outlives the run.
    struct lull_check_program *programs; ///< Owned.
    size_t n;
    bool known, some; ///< Dispatches are known; the shader of one does.
};

/** For struct lull_check_objects.atomic_loads; @p modules is a struct lull_check_modules. */
bool lull_check_modules_atomic(void *modules);

void lull_check_modules_done(struct lull_check_modules *m);

#endif
