// SPDX-License-Identifier: MIT
/** @file
 * Images, samplers and texel buffers of `lull run --vulkan-device interpreter`, as gfx11 would have
 * them in memory.
 */
#ifndef LULL_CLI_VULKAN_VK_TEXELS_H
#define LULL_CLI_VULKAN_VK_TEXELS_H

#include "front/texel/texel.h"
#include "vk/vk.h"

struct lull_vk_texels;

/** @param c Borrowed. @return LULL_ERR_UNSUPPORTED: a format that there is not. */
struct lull_error *lull_vk_texels_new(const struct lull_vk_case *c,
                                      struct lull_vk_texels **ret) LULL_MUST_USE;
void lull_vk_texels_free(struct lull_vk_texels *t);

/** Memory of resource @p i, if it is an image: its bytes, and how many. NULL: it is none. */
uint8_t *lull_vk_texels_memory(struct lull_vk_texels *t, size_t i, size_t *ret_size);

/** The texels of all images into the case's bytes. */
void lull_vk_texels_done(struct lull_vk_texels *t);

/** What the interpreter asks for. @p address: where a resource begins. */
struct lull_error *lull_vk_texels_do(struct lull_vk_texels *t,
                                     const struct lull_texel_memory *memory,
                                     uint64_t (*address)(size_t i),
                                     struct lull_ev_image *io) LULL_MUST_USE;

#endif
