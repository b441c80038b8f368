// SPDX-License-Identifier: MIT
/** @file
 * State of a draw by shader objects: all of it is dynamic. Vertices without attributes, triangles
 * of either face, one sample, one target that takes what is drawn.
 */
#ifndef LULL_TESTS_LAYER_PRINTF_OBJECTS_H
#define LULL_TESTS_LAYER_PRINTF_OBJECTS_H

#include <vulkan/vulkan.h>

#define PRINTF_OBJECTS_GET(name) PFN_##name name##_ = (PFN_##name)vkGetDeviceProcAddr(device, #name)

static inline void printf_objects_raster(VkCommandBuffer c, float size)
{
    const VkViewport viewport = {0, 0, size, size, 0, 1};
    const VkRect2D scissor = {{0, 0}, {(uint32_t)size, (uint32_t)size}};
    vkCmdSetViewportWithCount(c, 1, &viewport);
    vkCmdSetScissorWithCount(c, 1, &scissor);
    vkCmdSetRasterizerDiscardEnable(c, VK_FALSE);
    vkCmdSetPrimitiveTopology(c, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    vkCmdSetPrimitiveRestartEnable(c, VK_FALSE);
    vkCmdSetCullMode(c, VK_CULL_MODE_NONE);
    vkCmdSetFrontFace(c, VK_FRONT_FACE_COUNTER_CLOCKWISE);
    vkCmdSetDepthTestEnable(c, VK_FALSE);
    vkCmdSetDepthWriteEnable(c, VK_FALSE);
    vkCmdSetDepthBoundsTestEnable(c, VK_FALSE);
    vkCmdSetDepthBiasEnable(c, VK_FALSE);
    vkCmdSetStencilTestEnable(c, VK_FALSE);
}

static inline void printf_objects_state(VkDevice device, VkCommandBuffer c, float size)
{
    const VkSampleMask samples = 1;
    const VkBool32 blends = VK_FALSE;
    const VkColorComponentFlags mask = VK_COLOR_COMPONENT_R_BIT;
    PRINTF_OBJECTS_GET(vkCmdSetVertexInputEXT);
    PRINTF_OBJECTS_GET(vkCmdSetRasterizationSamplesEXT);
    PRINTF_OBJECTS_GET(vkCmdSetSampleMaskEXT);
    PRINTF_OBJECTS_GET(vkCmdSetAlphaToCoverageEnableEXT);
    PRINTF_OBJECTS_GET(vkCmdSetPolygonModeEXT);
    PRINTF_OBJECTS_GET(vkCmdSetColorBlendEnableEXT);
    PRINTF_OBJECTS_GET(vkCmdSetColorWriteMaskEXT);
    printf_objects_raster(c, size);
    vkCmdSetVertexInputEXT_(c, 0, NULL, 0, NULL);
    vkCmdSetRasterizationSamplesEXT_(c, VK_SAMPLE_COUNT_1_BIT);
    vkCmdSetSampleMaskEXT_(c, VK_SAMPLE_COUNT_1_BIT, &samples);
    vkCmdSetAlphaToCoverageEnableEXT_(c, VK_FALSE);
    vkCmdSetPolygonModeEXT_(c, VK_POLYGON_MODE_FILL);
    vkCmdSetColorBlendEnableEXT_(c, 0, 1, &blends);
    vkCmdSetColorWriteMaskEXT_(c, 0, 1, &mask);
}

#endif
