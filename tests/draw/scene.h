// SPDX-License-Identifier: MIT
/** @file
 * A scene: shaders, vertices, state, targets and draws, as text that a person writes. Knows
 * Vulkan's words and no device. The words: README.md in this folder.
 */
#ifndef LULL_TESTS_DRAW_SCENE_H
#define LULL_TESTS_DRAW_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#include "base/error.h"

enum {
    SCENE_TARGETS = 8,
    SCENE_BINDINGS = 8,
    SCENE_ATTRIBUTES = 16,
    SCENE_VIEWPORTS = 16,
    SCENE_SPECS = 16,
    SCENE_BUFFERS = 32,
    SCENE_RESOURCES = 8,
    SCENE_PUSH = 128,
    SCENE_PATH = 512,
    SCENE_NAME = 32,
    SCENE_FEEDBACKS = 4,
    SCENE_DRAW_ARGS = 2 * SCENE_FEEDBACKS,
    SCENE_AUTO = 2, ///< Of depth_clip: the opposite of depth_clamp.
};

enum scene_stage {
    SCENE_VERT,
    SCENE_TESC,
    SCENE_TESE,
    SCENE_GEOM,
    SCENE_TASK,
    SCENE_MESH,
    SCENE_FRAG,
    SCENE_NSTAGES,
};

/** How a format's clear value and results are read. */
enum scene_class { SCENE_FLOAT, SCENE_UINT, SCENE_SINT, SCENE_DEPTH };

struct scene_format {
    const char *name; ///< Without VK_FORMAT_.
    VkFormat format;
    unsigned bytes; ///< Of a texel.
    enum scene_class type;
};

struct scene_target {
    const struct scene_format *format; ///< NULL: there is none.
    VkClearValue clear;
};

/** Bytes with a name. */
struct scene_buffer {
    char name[SCENE_NAME];
    uint8_t *data; ///< Owned.
    size_t size;   ///< In bytes.
    bool out;      ///< Its contents are a result.
};

/** What a descriptor of set 0 shows. */
struct scene_resource {
    VkDescriptorType type;
    uint32_t binding, buffer;          ///< buffer: index in scene.buffers.
    const struct scene_format *format; ///< Of a texture; and its size in texels.
    uint32_t width, height;
    VkFilter filter;
};

/** All that a draw's pipeline and dynamic state is made of. No pointers but to constants. */
struct scene_state {
    char shader[SCENE_NSTAGES][SCENE_PATH]; ///< Files of SPIR-V; "": none.
    uint32_t nspecs, spec_id[SCENE_SPECS], spec_value[SCENE_SPECS];
    VkPrimitiveTopology topology;
    VkBool32 restart;
    uint32_t patch;
    VkPolygonMode polygon;
    VkCullModeFlagBits cull;
    VkFrontFace front;
    VkProvokingVertexModeEXT provoking;
    VkLineRasterizationModeEXT line_mode;
    float line_width;
    VkBool32 depth_clamp, depth_clip, discard, negative_one;
    VkBool32 has_bias;
    float bias[3]; ///< Constant, clamp, slope.
    uint32_t sample_mask;
    float sample_shading; ///< 0: off.
    VkBool32 alpha_to_coverage, alpha_to_one;
    VkBool32 depth_test, depth_write, has_bounds, stencil_test;
    VkCompareOp depth_compare;
    float bounds[2];
    VkStencilOpState stencil[2]; ///< Front and back.
    VkPipelineColorBlendAttachmentState blend[SCENE_TARGETS];
    VkBool32 has_logic;
    VkLogicOp logic;
    float constants[4];
    uint32_t nviewports;
    VkViewport viewports[SCENE_VIEWPORTS];
    VkRect2D scissors[SCENE_VIEWPORTS];
    uint32_t nbindings, nattributes;
    VkVertexInputBindingDescription bindings[SCENE_BINDINGS];
    uint32_t divisor[SCENE_BINDINGS];
    uint32_t vertex_buffer[SCENE_BINDINGS]; ///< Indices in scene.buffers.
    VkDeviceSize vertex_offset[SCENE_BINDINGS];
    VkVertexInputAttributeDescription attributes[SCENE_ATTRIBUTES];
    uint32_t index_buffer;
    VkIndexType index_type;
    uint32_t npush; ///< In bytes.
    uint8_t push[SCENE_PUSH];
};

enum scene_step_kind {
    SCENE_DRAW,
    SCENE_DRAW_INDEXED,
    SCENE_DRAW_INDIRECT,
    SCENE_DRAW_INDEXED_INDIRECT,
    SCENE_DRAW_INDIRECT_COUNT,
    SCENE_DRAW_INDEXED_INDIRECT_COUNT,
    SCENE_DRAW_MESH,
    SCENE_DRAW_FEEDBACK, ///< arg 0: counter, 1: bytes of a vertex, 2: instances.
    SCENE_QUERY_BEGIN,   ///< arg 0: VkQueryType, 1: VkQueryControlFlags, 2: stream.
    SCENE_QUERY_END,
    SCENE_CONDITION_BEGIN, ///< arg 0: buffer, 1: offset, 2: inverted.
    SCENE_CONDITION_END,
    SCENE_FEEDBACK_BEGIN, ///< args by pairs: buffer of the vertices, of the counter.
    SCENE_FEEDBACK_END,
    SCENE_CLEAR, ///< arg 0: target, or UINT32_MAX for depth; 1..4: a rectangle.
};

struct scene_step {
    enum scene_step_kind kind;
    uint32_t args[SCENE_DRAW_ARGS];
    VkClearValue clear;
    struct scene_state *state; ///< Of draws; owned.
};

struct scene {
    uint32_t width, height, layers, samples, views;
    bool secondary; ///< All draws in a secondary command buffer.
    uint32_t ntargets, nbuffers, nresources;
    struct scene_target targets[SCENE_TARGETS], depth;
    struct scene_buffer buffers[SCENE_BUFFERS];
    struct scene_resource resources[SCENE_RESOURCES];
    size_t nsteps;
    struct scene_step *steps;
};

/** Read a scene. Shaders' paths are relative to the folder of @p path. Messages name file and line.
 */
struct lull_error *scene_read(struct scene *s, const char *path) LULL_MUST_USE;
void scene_done(struct scene *s);

/** A name of a table and its number. */
struct scene_word {
    const char *name;
    uint32_t value;
};

/** The row of @p name in a table that ends with {0}; NULL: none. */
const struct scene_word *scene_word(const struct scene_word *table, const char *name);

/** The format of that name; NULL: not one that scenes know. */
const struct scene_format *scene_format(const char *name);

extern const struct scene_word scene_topologies[], scene_polygons[], scene_culls[], scene_fronts[],
    scene_compares[], scene_stencil_ops[], scene_factors[], scene_blend_ops[], scene_logic_ops[],
    scene_index_types[], scene_stages[], scene_switches[], scene_provoking[], scene_line_modes[],
    scene_filters[];

#endif
