// SPDX-License-Identifier: MIT
/** @file
 * Resources of the command line (vk_args.h) as buffers and descriptors of gfx1100.
 */
#ifndef LULL_CLI_PAL_BIND_H
#define LULL_CLI_PAL_BIND_H

#include "cli/vulkan/vk_args.h"
#include "target/amd/pal.h"

enum { LULL_PAL_BUFFER_BYTES = 16 /**< Of a buffer's descriptor. */ };

/** Zero-initialise; lull_pal_bind_done() at the end. Buffers belong to the device. */
struct lull_pal_bound {
    struct lull_pal_binding *bindings; ///< With room for one more.
    size_t n;
    struct lull_amd_bo **bos; ///< One for each resource; NULL for samplers.
};

/**
 * Make a buffer for each resource, put addresses where they are asked for, copy the contents in.
 *
 * Images are linear: 1D, 2D and 3D, with layers, one level.
 */
struct lull_error *lull_pal_bind(struct lull_vk_args *args, struct lull_amd_device *d,
                                 struct lull_pal_bound *ret) LULL_MUST_USE;

/** After the run: the contents back into args. */
void lull_pal_bind_back(const struct lull_pal_bound *bound, struct lull_vk_args *args);
void lull_pal_bind_done(struct lull_pal_bound *bound);

#endif
