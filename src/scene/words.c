// SPDX-License-Identifier: MIT
// Vulkan's words as scenes write them.
#include <string.h>

#include "scene/scene.h"

const struct lull_scene_word lull_scene_topologies[] = {
    {"points", VK_PRIMITIVE_TOPOLOGY_POINT_LIST},
    {"lines", VK_PRIMITIVE_TOPOLOGY_LINE_LIST},
    {"line_strip", VK_PRIMITIVE_TOPOLOGY_LINE_STRIP},
    {"triangles", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
    {"triangle_strip", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP},
    {"triangle_fan", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN},
    {"lines_adjacency", VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY},
    {"line_strip_adjacency", VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY},
    {"triangles_adjacency", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY},
    {"triangle_strip_adjacency", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY},
    {"patches", VK_PRIMITIVE_TOPOLOGY_PATCH_LIST},
    {0},
};

const struct lull_scene_word lull_scene_polygons[] = {
    {"fill", VK_POLYGON_MODE_FILL},
    {"line", VK_POLYGON_MODE_LINE},
    {"point", VK_POLYGON_MODE_POINT},
    {0},
};

const struct lull_scene_word lull_scene_culls[] = {
    {"none", VK_CULL_MODE_NONE},
    {"front", VK_CULL_MODE_FRONT_BIT},
    {"back", VK_CULL_MODE_BACK_BIT},
    {"both", VK_CULL_MODE_FRONT_AND_BACK},
    {0},
};

const struct lull_scene_word lull_scene_fronts[] = {
    {"ccw", VK_FRONT_FACE_COUNTER_CLOCKWISE},
    {"cw", VK_FRONT_FACE_CLOCKWISE},
    {0},
};

const struct lull_scene_word lull_scene_line_modes[] = {
    {"default", VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT},
    {"bresenham", VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT},
    {0},
};

const struct lull_scene_word lull_scene_conservative[] = {
    {"off", VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT},
    {"over", VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT},
    {"under", VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT},
    {"inner", LULL_SCENE_INNER},
    {0},
};

const struct lull_scene_word lull_scene_provoking[] = {
    {"first", VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT},
    {"last", VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT},
    {0},
};

const struct lull_scene_word lull_scene_compares[] = {
    {"never", VK_COMPARE_OP_NEVER},
    {"less", VK_COMPARE_OP_LESS},
    {"equal", VK_COMPARE_OP_EQUAL},
    {"less_equal", VK_COMPARE_OP_LESS_OR_EQUAL},
    {"greater", VK_COMPARE_OP_GREATER},
    {"not_equal", VK_COMPARE_OP_NOT_EQUAL},
    {"greater_equal", VK_COMPARE_OP_GREATER_OR_EQUAL},
    {"always", VK_COMPARE_OP_ALWAYS},
    {0},
};

const struct lull_scene_word lull_scene_stencil_ops[] = {
    {"keep", VK_STENCIL_OP_KEEP},
    {"zero", VK_STENCIL_OP_ZERO},
    {"replace", VK_STENCIL_OP_REPLACE},
    {"increment_clamp", VK_STENCIL_OP_INCREMENT_AND_CLAMP},
    {"decrement_clamp", VK_STENCIL_OP_DECREMENT_AND_CLAMP},
    {"invert", VK_STENCIL_OP_INVERT},
    {"increment_wrap", VK_STENCIL_OP_INCREMENT_AND_WRAP},
    {"decrement_wrap", VK_STENCIL_OP_DECREMENT_AND_WRAP},
    {0},
};

const struct lull_scene_word lull_scene_factors[] = {
    {"zero", VK_BLEND_FACTOR_ZERO},
    {"one", VK_BLEND_FACTOR_ONE},
    {"src_color", VK_BLEND_FACTOR_SRC_COLOR},
    {"one_minus_src_color", VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR},
    {"dst_color", VK_BLEND_FACTOR_DST_COLOR},
    {"one_minus_dst_color", VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR},
    {"src_alpha", VK_BLEND_FACTOR_SRC_ALPHA},
    {"one_minus_src_alpha", VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA},
    {"dst_alpha", VK_BLEND_FACTOR_DST_ALPHA},
    {"one_minus_dst_alpha", VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA},
    {"constant_color", VK_BLEND_FACTOR_CONSTANT_COLOR},
    {"one_minus_constant_color", VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR},
    {"constant_alpha", VK_BLEND_FACTOR_CONSTANT_ALPHA},
    {"one_minus_constant_alpha", VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA},
    {"src_alpha_saturate", VK_BLEND_FACTOR_SRC_ALPHA_SATURATE},
    {"src1_color", VK_BLEND_FACTOR_SRC1_COLOR},
    {"one_minus_src1_color", VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR},
    {"src1_alpha", VK_BLEND_FACTOR_SRC1_ALPHA},
    {"one_minus_src1_alpha", VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA},
    {0},
};

const struct lull_scene_word lull_scene_blend_ops[] = {
    {"add", VK_BLEND_OP_ADD},
    {"subtract", VK_BLEND_OP_SUBTRACT},
    {"reverse", VK_BLEND_OP_REVERSE_SUBTRACT},
    {"min", VK_BLEND_OP_MIN},
    {"max", VK_BLEND_OP_MAX},
    {0},
};

const struct lull_scene_word lull_scene_logic_ops[] = {
    {"clear", VK_LOGIC_OP_CLEAR},
    {"and", VK_LOGIC_OP_AND},
    {"and_reverse", VK_LOGIC_OP_AND_REVERSE},
    {"copy", VK_LOGIC_OP_COPY},
    {"and_inverted", VK_LOGIC_OP_AND_INVERTED},
    {"no_op", VK_LOGIC_OP_NO_OP},
    {"xor", VK_LOGIC_OP_XOR},
    {"or", VK_LOGIC_OP_OR},
    {"nor", VK_LOGIC_OP_NOR},
    {"equivalent", VK_LOGIC_OP_EQUIVALENT},
    {"invert", VK_LOGIC_OP_INVERT},
    {"or_reverse", VK_LOGIC_OP_OR_REVERSE},
    {"copy_inverted", VK_LOGIC_OP_COPY_INVERTED},
    {"or_inverted", VK_LOGIC_OP_OR_INVERTED},
    {"nand", VK_LOGIC_OP_NAND},
    {"set", VK_LOGIC_OP_SET},
    {0},
};

const struct lull_scene_word lull_scene_index_types[] = {
    {"u16", VK_INDEX_TYPE_UINT16},
    {"u32", VK_INDEX_TYPE_UINT32},
    {"u8", VK_INDEX_TYPE_UINT8_EXT},
    {0},
};

const struct lull_scene_word lull_scene_stages[] = {
    {"vert", LULL_SCENE_VERT}, {"tesc", LULL_SCENE_TESC},
    {"tese", LULL_SCENE_TESE}, {"geom", LULL_SCENE_GEOM},
    {"task", LULL_SCENE_TASK}, {"mesh", LULL_SCENE_MESH},
    {"frag", LULL_SCENE_FRAG}, {0},
};

const struct lull_scene_word lull_scene_switches[] = {{"off", VK_FALSE}, {"on", VK_TRUE}, {0}};

const struct lull_scene_word lull_scene_filters[] = {
    {"nearest", VK_FILTER_NEAREST}, {"linear", VK_FILTER_LINEAR}, {0}};

static const struct lull_scene_format formats[] = {
    {"R8_UNORM", VK_FORMAT_R8_UNORM, 1, LULL_SCENE_FLOAT},
    {"R8_SNORM", VK_FORMAT_R8_SNORM, 1, LULL_SCENE_FLOAT},
    {"R8_UINT", VK_FORMAT_R8_UINT, 1, LULL_SCENE_UINT},
    {"R8_SINT", VK_FORMAT_R8_SINT, 1, LULL_SCENE_SINT},
    {"R8G8_UNORM", VK_FORMAT_R8G8_UNORM, 2, LULL_SCENE_FLOAT},
    {"R8G8_SNORM", VK_FORMAT_R8G8_SNORM, 2, LULL_SCENE_FLOAT},
    {"R8G8_UINT", VK_FORMAT_R8G8_UINT, 2, LULL_SCENE_UINT},
    {"R8G8B8A8_UNORM", VK_FORMAT_R8G8B8A8_UNORM, 4, LULL_SCENE_FLOAT},
    {"R8G8B8A8_SNORM", VK_FORMAT_R8G8B8A8_SNORM, 4, LULL_SCENE_FLOAT},
    {"R8G8B8A8_SRGB", VK_FORMAT_R8G8B8A8_SRGB, 4, LULL_SCENE_FLOAT},
    {"R8G8B8A8_UINT", VK_FORMAT_R8G8B8A8_UINT, 4, LULL_SCENE_UINT},
    {"R8G8B8A8_SINT", VK_FORMAT_R8G8B8A8_SINT, 4, LULL_SCENE_SINT},
    {"R8G8B8A8_USCALED", VK_FORMAT_R8G8B8A8_USCALED, 4, LULL_SCENE_FLOAT},
    {"R8G8B8A8_SSCALED", VK_FORMAT_R8G8B8A8_SSCALED, 4, LULL_SCENE_FLOAT},
    {"B8G8R8A8_UNORM", VK_FORMAT_B8G8R8A8_UNORM, 4, LULL_SCENE_FLOAT},
    {"B8G8R8A8_SRGB", VK_FORMAT_B8G8R8A8_SRGB, 4, LULL_SCENE_FLOAT},
    {"A8B8G8R8_UNORM_PACK32", VK_FORMAT_A8B8G8R8_UNORM_PACK32, 4, LULL_SCENE_FLOAT},
    {"R5G6B5_UNORM_PACK16", VK_FORMAT_R5G6B5_UNORM_PACK16, 2, LULL_SCENE_FLOAT},
    {"A1R5G5B5_UNORM_PACK16", VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2, LULL_SCENE_FLOAT},
    {"A2B10G10R10_UNORM_PACK32", VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, LULL_SCENE_FLOAT},
    {"A2B10G10R10_SNORM_PACK32", VK_FORMAT_A2B10G10R10_SNORM_PACK32, 4, LULL_SCENE_FLOAT},
    {"A2B10G10R10_UINT_PACK32", VK_FORMAT_A2B10G10R10_UINT_PACK32, 4, LULL_SCENE_UINT},
    {"B10G11R11_UFLOAT_PACK32", VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, LULL_SCENE_FLOAT},
    {"R16_UNORM", VK_FORMAT_R16_UNORM, 2, LULL_SCENE_FLOAT},
    {"R16_UINT", VK_FORMAT_R16_UINT, 2, LULL_SCENE_UINT},
    {"R16_SFLOAT", VK_FORMAT_R16_SFLOAT, 2, LULL_SCENE_FLOAT},
    {"R16G16_UNORM", VK_FORMAT_R16G16_UNORM, 4, LULL_SCENE_FLOAT},
    {"R16G16_SNORM", VK_FORMAT_R16G16_SNORM, 4, LULL_SCENE_FLOAT},
    {"R16G16_UINT", VK_FORMAT_R16G16_UINT, 4, LULL_SCENE_UINT},
    {"R16G16_SINT", VK_FORMAT_R16G16_SINT, 4, LULL_SCENE_SINT},
    {"R16G16_SFLOAT", VK_FORMAT_R16G16_SFLOAT, 4, LULL_SCENE_FLOAT},
    {"R16G16B16A16_UNORM", VK_FORMAT_R16G16B16A16_UNORM, 8, LULL_SCENE_FLOAT},
    {"R16G16B16A16_SNORM", VK_FORMAT_R16G16B16A16_SNORM, 8, LULL_SCENE_FLOAT},
    {"R16G16B16A16_UINT", VK_FORMAT_R16G16B16A16_UINT, 8, LULL_SCENE_UINT},
    {"R16G16B16A16_SFLOAT", VK_FORMAT_R16G16B16A16_SFLOAT, 8, LULL_SCENE_FLOAT},
    {"R32_UINT", VK_FORMAT_R32_UINT, 4, LULL_SCENE_UINT},
    {"R32_SINT", VK_FORMAT_R32_SINT, 4, LULL_SCENE_SINT},
    {"R32_SFLOAT", VK_FORMAT_R32_SFLOAT, 4, LULL_SCENE_FLOAT},
    {"R32G32_UINT", VK_FORMAT_R32G32_UINT, 8, LULL_SCENE_UINT},
    {"R32G32_SFLOAT", VK_FORMAT_R32G32_SFLOAT, 8, LULL_SCENE_FLOAT},
    {"R32G32B32_UINT", VK_FORMAT_R32G32B32_UINT, 12, LULL_SCENE_UINT},
    {"R32G32B32_SFLOAT", VK_FORMAT_R32G32B32_SFLOAT, 12, LULL_SCENE_FLOAT},
    {"R32G32B32A32_UINT", VK_FORMAT_R32G32B32A32_UINT, 16, LULL_SCENE_UINT},
    {"R32G32B32A32_SINT", VK_FORMAT_R32G32B32A32_SINT, 16, LULL_SCENE_SINT},
    {"R32G32B32A32_SFLOAT", VK_FORMAT_R32G32B32A32_SFLOAT, 16, LULL_SCENE_FLOAT},
    {"D16_UNORM", VK_FORMAT_D16_UNORM, 2, LULL_SCENE_DEPTH},
    {"D32_SFLOAT", VK_FORMAT_D32_SFLOAT, 4, LULL_SCENE_DEPTH},
    {"D32_SFLOAT_S8_UINT", VK_FORMAT_D32_SFLOAT_S8_UINT, 4, LULL_SCENE_DEPTH},
    {"S8_UINT", VK_FORMAT_S8_UINT, 1, LULL_SCENE_DEPTH},
};

const struct lull_scene_word *lull_scene_word(const struct lull_scene_word *table, const char *name)
{
    while (table->name != NULL && strcmp(table->name, name) != 0) {
        table++;
    }
    return table->name != NULL ? table : NULL;
}

const struct lull_scene_format *lull_scene_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}
