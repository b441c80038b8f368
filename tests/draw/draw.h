// SPDX-License-Identifier: MIT
/** @file
 * A scene drawn on a Vulkan device, offscreen. Results are the bytes of targets and buffers, and
 * numbers of queries. Failures are values: a device that refuses a draw is what tests ask about.
 */
#ifndef LULL_TESTS_DRAW_DRAW_H
#define LULL_TESTS_DRAW_DRAW_H

#include "scene.h"

enum {
    DRAW_QUERIES = 16,
    DRAW_STATISTICS = 11,
    DRAW_QUERY_BYTES = 128, ///< Of one query's results.
    DRAW_DONE = 0x600d,
};

/** Extensions that scenes may need and devices may lack; bits of gpu.has. */
enum gpu_extension {
    GPU_FEEDBACK,
    GPU_CONDITION,
    GPU_MESH,
    GPU_DIVISOR,
    GPU_PROVOKING,
    GPU_DEPTH_CLIP,
    GPU_CLIP_CONTROL,
    GPU_INDEX_U8,
    GPU_GENERATED,
    GPU_LINES,
    GPU_NEXTENSIONS,
};

struct gpu {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties props;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceFeatures features;
    unsigned has; ///< Bits by enum gpu_extension.
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    PFN_vkCmdBeginTransformFeedbackEXT begin_feedback;
    PFN_vkCmdEndTransformFeedbackEXT end_feedback;
    PFN_vkCmdBindTransformFeedbackBuffersEXT bind_feedback;
    PFN_vkCmdBeginConditionalRenderingEXT begin_condition;
    PFN_vkCmdEndConditionalRenderingEXT end_condition;
    PFN_vkCmdDrawIndirectByteCountEXT draw_feedback;
    PFN_vkCmdBeginQueryIndexedEXT begin_indexed;
    PFN_vkCmdEndQueryIndexedEXT end_indexed;
    PFN_vkCmdDrawMeshTasksEXT draw_mesh;
};

struct gpu_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint8_t *map;
    size_t size;
};

struct gpu_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    VkFormat format;
};

/** A device whose name contains @p name; the same instance for all calls. */
struct lull_error *gpu_open(struct gpu *g, const char *name) LULL_MUST_USE;
/** The device and what hangs on it; gpu_open() makes another. */
void gpu_close(struct gpu *g);
/** "what: VkResult N", or NULL. */
struct lull_error *gpu_check(VkResult r, const char *what) LULL_MUST_USE;

struct lull_error *gpu_buffer_new(const struct gpu *g, size_t size,
                                  struct gpu_buffer *ret) LULL_MUST_USE;
void gpu_buffer_done(const struct gpu *g, struct gpu_buffer *b);

struct gpu_image_info {
    VkFormat format;
    uint32_t width, height, layers, samples;
    VkImageUsageFlags usage;
};
struct lull_error *gpu_image_new(const struct gpu *g, const struct gpu_image_info *info,
                                 struct gpu_image *ret) LULL_MUST_USE;
void gpu_image_done(const struct gpu *g, struct gpu_image *i);
/** Aspects of a format. */
VkImageAspectFlags gpu_aspects(VkFormat f);

/** All that is made for a scene. */
struct work {
    struct gpu *g;
    const struct scene *s;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkSampler sampler[2];
    struct gpu_buffer buffers[SCENE_BUFFERS];
    struct gpu_image textures[SCENE_RESOURCES];
    struct gpu_image targets[SCENE_TARGETS + 1], resolved[SCENE_TARGETS + 1]; ///< Last: depth.
    struct gpu_buffer results[SCENE_TARGETS + 2];                             ///< Last: stencil.
    struct gpu_buffer done; ///< The last command fills it.
    VkPipeline *pipelines;  ///< Of each step.
    uint32_t nqueries;
    VkQueryPool queries[DRAW_QUERIES];
    VkQueryType query_types[DRAW_QUERIES];
    uint32_t query_streams[DRAW_QUERIES];
    struct gpu_buffer copied; ///< Results of the queries as the GPU copies them.
    VkCommandBuffer cmd, secondary;
};

/** Why the device cannot draw the scene; NULL: it can. LULL_ERR_UNSUPPORTED. */
struct lull_error *work_lacks(const struct gpu *g, const struct scene *s) LULL_MUST_USE;
/** Images, buffers and descriptors of the scene. Call work_done() also after an error. */
struct lull_error *work_make(struct work *w) LULL_MUST_USE;
/** A pipeline for each draw. */
struct lull_error *work_pipelines(struct work *w) LULL_MUST_USE;
/** Record, submit, wait. */
struct lull_error *work_run(struct work *w) LULL_MUST_USE;
void work_done(struct work *w);

#endif
