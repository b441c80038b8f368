// SPDX-License-Identifier: MIT
/** @file
 * Resources of the command line (vk_args.h) as buffers and descriptors of gfx1100.
 */
#ifndef LULL_CLI_PAL_BIND_H
#define LULL_CLI_PAL_BIND_H

#include "cli/vulkan/vk_args.h"
#include "target/amd/pal.h"
#include "tex/format.h"

enum { LULL_PAL_BUFFER_BYTES = 16 /**< Of a buffer's descriptor. */ };

struct lull_pal_image {
    uint32_t words[8];
};

/** Zero-initialise; lull_pal_bind_done() at the end. Buffers belong to the device. */
struct lull_pal_bound {
    struct lull_pal_binding *bindings; ///< With room for one more.
    size_t n;
    struct lull_amd_bo **bos;      ///< One for each resource; NULL for samplers.
    struct lull_pal_image *images; ///< One for each resource: its descriptor, of images.
};

/**
 * Make a buffer for each resource, put addresses where they are asked for, copy the contents in.
 *
 * Images are linear: 1D, 2D, 3D and cubes, with layers and levels.
 */
struct lull_error *lull_pal_bind(struct lull_vk_args *args, struct lull_amd_device *d,
                                 struct lull_pal_bound *ret) LULL_MUST_USE;

/**
 * gfx11's format of a colour target.
 * @param swap its COMP_SWAP.
 * @param from which of R G B A (0 to 3) its components X Y Z W are.
 */
struct lull_error *lull_pal_color_format(const struct lull_vk_format *f,
                                         const struct lull_format_info **ret, uint32_t *swap,
                                         uint8_t from[4]) LULL_MUST_USE;

/** X Y Z W, in word 3 of descriptors. */
uint32_t lull_pal_all_channels(void);

/** After the run: the contents back into args. */
void lull_pal_bind_back(const struct lull_pal_bound *bound, struct lull_vk_args *args);
void lull_pal_bind_done(struct lull_pal_bound *bound);

#endif
