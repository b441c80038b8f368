// SPDX-License-Identifier: MIT
/** @file
 * Whether the shaders that a Vulkan program dispatches call loads or stores atomic, by what
 * VK_LAYER_LULL_names has written: code does not show it of stores, and of an Adreno of loads, and
 * races can be told only if none does.
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
    bool known;    ///< Dispatches are.
    unsigned some; ///< LULL_CHECK_ATOMIC_LOADS and so on: the shader of one does.
};

/** For struct lull_check_objects.atomics; @p modules is a struct lull_check_modules. */
unsigned lull_check_modules_atomic(void *modules);

void lull_check_modules_done(struct lull_check_modules *m);

#endif
