// SPDX-License-Identifier: MIT
/** @file
 * A scene: shaders, vertices, state, targets and draws, as text that a person writes. Knows
 * Vulkan's words and no device. The format: docs/formats/scene.md.
 */
#ifndef LULL_SCENE_SCENE_H
#define LULL_SCENE_SCENE_H

#define VK_NO_PROTOTYPES
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#include "base/error.h"

enum {
    LULL_SCENE_TARGETS = 8,
    LULL_SCENE_BINDINGS = 8,
    LULL_SCENE_ATTRIBUTES = 16,
    LULL_SCENE_INNER = 100,    ///< Overestimated, and shaders may ask whether a pixel is filled.
    LULL_SCENE_RECTANGLES = 4, ///< Discard rectangles.
    LULL_SCENE_VIEWPORTS = 16,
    LULL_SCENE_SPECS = 16,
    LULL_SCENE_BUFFERS = 32,
    LULL_SCENE_RESOURCES = 8,
    LULL_SCENE_SHADERS = 64,
    LULL_SCENE_QUERIES = 16,
    LULL_SCENE_PUSH = 128,
    LULL_SCENE_NAME = 32,
    LULL_SCENE_LINE = 80,
    LULL_SCENE_FEEDBACKS = 4,
    LULL_SCENE_DRAW_ARGS = 2 * LULL_SCENE_FEEDBACKS,
    LULL_SCENE_AUTO = 2, ///< Of depth_clip: the opposite of depth_clamp.
};

/** No buffer: of an index buffer, of feedback's pairs. */
#define LULL_SCENE_NONE UINT32_MAX

enum lull_scene_stage {
    LULL_SCENE_VERT,
    LULL_SCENE_TESC,
    LULL_SCENE_TESE,
    LULL_SCENE_GEOM,
    LULL_SCENE_TASK,
    LULL_SCENE_MESH,
    LULL_SCENE_FRAG,
    LULL_SCENE_NSTAGES,
};

/** How a format's clear value and results are read. */
enum lull_scene_class { LULL_SCENE_FLOAT, LULL_SCENE_UINT, LULL_SCENE_SINT, LULL_SCENE_DEPTH };

struct lull_scene_format {
    const char *name; ///< Without VK_FORMAT_.
    VkFormat format;
    unsigned bytes; ///< Of a texel.
    enum lull_scene_class type;
};

struct lull_scene_target {
    const struct lull_scene_format *format; ///< NULL: there is none.
    VkClearValue clear;
};

/** Bytes with a name. */
struct lull_scene_buffer {
    char name[LULL_SCENE_NAME];
    uint8_t *data; ///< Owned.
    size_t size;   ///< In bytes; at least 1.
    bool out;      ///< Its contents are a result.
};

/** A shader: a file's path, or GLSL that stands in the scene. */
struct lull_scene_shader {
    enum lull_scene_stage stage;
    unsigned line;  ///< Of the scene that names it.
    char *path;     ///< Owned; NULL: text.
    char *text;     ///< Owned; so many empty lines first that the compiler's lines are the scene's.
    uint8_t *spirv; ///< Owned; NULL until lull_scene_shaders().
    size_t spirv_bytes;
};

/** What a descriptor of set 0 shows. */
struct lull_scene_resource {
    VkDescriptorType type;
    uint32_t binding, buffer;               ///< buffer: index in buffers of the scene.
    const struct lull_scene_format *format; ///< Of a texture; and its size in texels.
    uint32_t width, height;
    VkFilter filter;
};

/** All that a draw's pipeline and dynamic state is made of. No pointers. */
struct lull_scene_state {
    uint32_t shader[LULL_SCENE_NSTAGES]; ///< Index in shaders of the scene plus 1; 0: none.
    uint32_t nspecs, spec_id[LULL_SCENE_SPECS], spec_value[LULL_SCENE_SPECS];
    VkPrimitiveTopology topology;
    VkBool32 restart;
    uint32_t patch;
    VkPolygonMode polygon;
    VkCullModeFlagBits cull;
    VkFrontFace front;
    VkProvokingVertexModeEXT provoking;
    VkLineRasterizationModeEXT line_mode;
    float line_width;
    uint32_t stipple_factor, stipple_pattern; ///< factor 0: no pattern.
    uint32_t conservative; ///< VkConservativeRasterizationModeEXT, or LULL_SCENE_INNER.
    VkBool32 interlock;    ///< Fragment shaders order themselves.
    VkExtent2D rate;       ///< Pixels that a fragment has.
    VkBool32 has_rectangles;
    VkDiscardRectangleModeEXT rectangle_mode;
    uint32_t nrectangles;
    VkRect2D rectangles[LULL_SCENE_RECTANGLES];
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
    VkPipelineColorBlendAttachmentState blend[LULL_SCENE_TARGETS];
    VkBool32 has_logic;
    VkLogicOp logic;
    float constants[4];
    uint32_t nviewports;
    VkViewport viewports[LULL_SCENE_VIEWPORTS];
    VkRect2D scissors[LULL_SCENE_VIEWPORTS];
    uint32_t nbindings, nattributes;
    VkVertexInputBindingDescription bindings[LULL_SCENE_BINDINGS];
    uint32_t divisor[LULL_SCENE_BINDINGS];
    uint32_t vertex_buffer[LULL_SCENE_BINDINGS]; ///< Indices in buffers of the scene.
    VkDeviceSize vertex_offset[LULL_SCENE_BINDINGS];
    VkVertexInputAttributeDescription attributes[LULL_SCENE_ATTRIBUTES];
    uint32_t index_buffer; ///< LULL_SCENE_NONE: none.
    VkIndexType index_type;
    uint32_t npush; ///< In bytes.
    uint8_t push[LULL_SCENE_PUSH];
};

enum lull_scene_step_kind {
    LULL_SCENE_DRAW,
    LULL_SCENE_DRAW_INDEXED,
    LULL_SCENE_DRAW_INDIRECT,
    LULL_SCENE_DRAW_INDEXED_INDIRECT,
    LULL_SCENE_DRAW_INDIRECT_COUNT,
    LULL_SCENE_DRAW_INDEXED_INDIRECT_COUNT,
    LULL_SCENE_DRAW_MESH,
    LULL_SCENE_DRAW_MESH_INDIRECT,
    LULL_SCENE_DRAW_MESH_INDIRECT_COUNT,
    LULL_SCENE_DRAW_FEEDBACK, ///< arg 0: counter, 1: bytes of a vertex, 2: instances.
    LULL_SCENE_QUERY_BEGIN,   ///< arg 0: VkQueryType, 1: VkQueryControlFlags, 2: stream.
    LULL_SCENE_QUERY_END,
    LULL_SCENE_CONDITION_BEGIN, ///< arg 0: buffer, 1: offset, 2: inverted.
    LULL_SCENE_CONDITION_END,
    LULL_SCENE_FEEDBACK_BEGIN, ///< args by pairs: buffer of the vertices, of the counter.
    LULL_SCENE_FEEDBACK_END,
    LULL_SCENE_CLEAR, ///< arg 0: target, or LULL_SCENE_NONE for depth; 1..4: a rectangle.
};

/** Of workgroups of mesh shaders. */
static inline bool lull_scene_is_mesh(enum lull_scene_step_kind k)
{
    return k == LULL_SCENE_DRAW_MESH || k == LULL_SCENE_DRAW_MESH_INDIRECT ||
           k == LULL_SCENE_DRAW_MESH_INDIRECT_COUNT;
}

struct lull_scene_step {
    enum lull_scene_step_kind kind;
    uint32_t args[LULL_SCENE_DRAW_ARGS];
    VkClearValue clear;
    struct lull_scene_state *state; ///< Of draws; owned.
    unsigned line;                  ///< Of the scene.
    char text[LULL_SCENE_LINE];     ///< That line, as far as it fits.
};

struct lull_scene {
    uint32_t width, height, layers, samples, views;
    bool secondary; ///< All draws in a secondary command buffer.
    uint32_t ntargets, nbuffers, nresources, nshaders;
    struct lull_scene_target targets[LULL_SCENE_TARGETS], depth;
    struct lull_scene_buffer buffers[LULL_SCENE_BUFFERS];
    struct lull_scene_resource resources[LULL_SCENE_RESOURCES];
    struct lull_scene_shader shaders[LULL_SCENE_SHADERS];
    size_t nsteps;
    struct lull_scene_step *steps;
};

/**
 * Read a scene out of @p text. Shaders' paths become relative to the folder of @p path, which is
 * also its name in messages; no file is opened.
 *
 * @return LULL_ERR_BAD_DATA with @p path and the line; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_scene_parse(struct lull_scene *s, const char *path, const void *text,
                                    size_t size) LULL_MUST_USE;

/** The same of a file. */
struct lull_error *lull_scene_read(struct lull_scene *s, const char *path) LULL_MUST_USE;
void lull_scene_done(struct lull_scene *s);

/** Read and compile all shaders that draws use. Errors name file and line of the scene, too. */
struct lull_error *lull_scene_shaders(struct lull_scene *s, const char *path) LULL_MUST_USE;

/** Is it a draw or a clear: a step that changes targets? */
bool lull_scene_draws(const struct lull_scene_step *t);

/** Leave out all draws and clears behind the first @p n; the other steps stay. */
void lull_scene_cut(struct lull_scene *s, size_t n);

/** A name of a table and its number. */
struct lull_scene_word {
    const char *name;
    uint32_t value;
};

/** The row of @p name in a table that ends with {0}; NULL: none. */
const struct lull_scene_word *lull_scene_word(const struct lull_scene_word *table,
                                              const char *name);

/** The format of that name; NULL: not one that scenes know. */
const struct lull_scene_format *lull_scene_format(const char *name);

extern const struct lull_scene_word lull_scene_topologies[], lull_scene_polygons[],
    lull_scene_culls[], lull_scene_fronts[], lull_scene_compares[], lull_scene_stencil_ops[],
    lull_scene_factors[], lull_scene_blend_ops[], lull_scene_logic_ops[], lull_scene_index_types[],
    lull_scene_stages[], lull_scene_switches[], lull_scene_provoking[], lull_scene_line_modes[],
    lull_scene_conservative[], lull_scene_filters[];

#endif
