// SPDX-License-Identifier: MIT
/** @file
 * A scene drawn on a Vulkan device, offscreen. Results are the bytes of targets and buffers, and
 * numbers of queries.
 */
#ifndef LULL_VK_DRAW_DRAW_H
#define LULL_VK_DRAW_DRAW_H

#include "base/error.h"
#include "scene/scene.h"
#include "vk/vk.h"

enum { LULL_DRAWN_MOST = LULL_SCENE_TARGETS + 2 + LULL_SCENE_BUFFERS + 1 };

/** One result: texels as the format has them, layer after layer; or bytes. */
struct lull_drawn_item {
    char name[LULL_SCENE_NAME]; ///< "target0", "depth", "stencil", "queries", a buffer's name.
    uint8_t *bytes;             ///< Owned.
    size_t size;
};

/** Zero-initialise; lull_drawn_done() at the end. */
struct lull_drawn {
    enum lull_vk_end end;
    size_t n; ///< None, if it did not come to its end.
    struct lull_drawn_item items[LULL_DRAWN_MOST];
};

/**
 * Draw @p s, whose shaders are loaded, on a device opened by lull_vk_open_draws(). A lost device
 * and a hang are results: the device is of no more use then.
 *
 * @param timeout_ns Of host time.
 * @return LULL_ERR_UNSUPPORTED: the device lacks something that the scene needs, or a call failed.
 */
struct lull_error *lull_vk_draw(struct lull_vk *vk, const struct lull_scene *s, uint64_t timeout_ns,
                                struct lull_drawn *ret) LULL_MUST_USE;
void lull_drawn_done(struct lull_drawn *d);

/** Why the device cannot draw the scene; NULL: it can. LULL_ERR_UNSUPPORTED. */
struct lull_error *lull_vk_lacks(struct lull_vk *vk, const struct lull_scene *s) LULL_MUST_USE;

#endif
