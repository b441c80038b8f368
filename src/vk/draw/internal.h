// SPDX-License-Identifier: MIT
/** @file
 * The inside of src/vk/draw: what is made on a device for one scene.
 */
#ifndef LULL_VK_DRAW_INTERNAL_H
#define LULL_VK_DRAW_INTERNAL_H

#include "scene/scene.h"
#include "vk/draw/draw.h"
#include "vk/internal.h"

enum {
    DRAW_STATISTICS = 11,
    DRAW_QUERY_BYTES = 128, ///< Of one query's results.
    DRAW_DONE = 0x600d,
};

struct draw_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint8_t *map;
    size_t size;
};

struct draw_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    VkFormat format;
};

struct lull_error *draw_buffer_new(struct lull_vk *vk, size_t size,
                                   struct draw_buffer *ret) LULL_MUST_USE;
void draw_buffer_done(struct lull_vk *vk, struct draw_buffer *b);

struct draw_image_info {
    VkFormat format;
    uint32_t width, height, layers, samples;
    VkImageUsageFlags usage;
};
struct lull_error *draw_image_new(struct lull_vk *vk, const struct draw_image_info *info,
                                  struct draw_image *ret) LULL_MUST_USE;
void draw_image_done(struct lull_vk *vk, struct draw_image *i);
/** Aspects of a format. */
VkImageAspectFlags draw_aspects(VkFormat f);

/** All that is made for a scene. */
struct draw_work {
    struct lull_vk *vk;
    const struct lull_scene *s;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkSampler sampler[2];
    struct draw_buffer buffers[LULL_SCENE_BUFFERS];
    struct draw_image textures[LULL_SCENE_RESOURCES];
    struct draw_image targets[LULL_SCENE_TARGETS + 1],
        resolved[LULL_SCENE_TARGETS + 1];               ///< Last: depth.
    struct draw_buffer results[LULL_SCENE_TARGETS + 2]; ///< Last: stencil.
    struct draw_buffer done;                            ///< The last command fills it.
    VkPipeline *pipelines;                              ///< Of each step.
    uint32_t nqueries;
    VkQueryPool queries[LULL_SCENE_QUERIES];
    VkQueryType query_types[LULL_SCENE_QUERIES];
    uint32_t query_streams[LULL_SCENE_QUERIES];
    struct draw_buffer copied; ///< Results of the queries as the GPU copies them.
    VkCommandPool pool;
    VkCommandBuffer cmd, secondary;
    VkFence fence;
};

/** Images, buffers and descriptors of the scene. Call draw_done() also after an error. */
struct lull_error *draw_make(struct draw_work *w) LULL_MUST_USE;
/** A pipeline for each draw. */
struct lull_error *draw_pipelines(struct draw_work *w) LULL_MUST_USE;
/** Record, submit, wait. A lost device and a hang are results. */
struct lull_error *draw_run(struct draw_work *w, uint64_t timeout_ns,
                            enum lull_vk_end *ret) LULL_MUST_USE;
void draw_done(struct draw_work *w);

#endif
