// SPDX-License-Identifier: MIT
/** @file
 * VK_KHR_maintenance6, which is newer than Debian 12's Vulkan headers: what layers need of it.
 * Source: Khronos Vulkan-Docs, vk.xml, extension 546, and Vulkan 1.4, which has it.
 */
#ifndef LULL_LAYER_MAINTENANCE6_H
#define LULL_LAYER_MAINTENANCE6_H

#include <vulkan/vulkan_core.h>

/** VkBindDescriptorSetsInfo. */
struct lull_vk_bind_sets {
    VkStructureType sType;
    const void *pNext;
    VkShaderStageFlags stageFlags;
    VkPipelineLayout layout;
    uint32_t firstSet;
    uint32_t descriptorSetCount;
    const VkDescriptorSet *pDescriptorSets;
    uint32_t dynamicOffsetCount;
    const uint32_t *pDynamicOffsets;
};

/** VkPushConstantsInfo. */
struct lull_vk_push_constants {
    VkStructureType sType;
    const void *pNext;
    VkPipelineLayout layout;
    VkShaderStageFlags stageFlags;
    uint32_t offset;
    uint32_t size;
    const void *pValues;
};

/** VkPushDescriptorSetInfo. */
struct lull_vk_push_set {
    VkStructureType sType;
    const void *pNext;
    VkShaderStageFlags stageFlags;
    VkPipelineLayout layout;
    uint32_t set;
    uint32_t descriptorWriteCount;
    const VkWriteDescriptorSet *pDescriptorWrites;
};

/** VkPushDescriptorSetWithTemplateInfo. */
struct lull_vk_push_template {
    VkStructureType sType;
    const void *pNext;
    VkDescriptorUpdateTemplate descriptorUpdateTemplate;
    VkPipelineLayout layout;
    uint32_t set;
    const void *pData;
};

/** PFN_vkCmdBindDescriptorSets2, PFN_vkCmdPushConstants2 and so on. */
typedef void(VKAPI_PTR *lull_vk_of_struct)(VkCommandBuffer cmd, const void *info);

enum {
    LULL_VK_BIND_SETS = 1000545003, ///< Their sType.
    LULL_VK_PUSH_CONSTANTS = 1000545004,
    LULL_VK_PUSH_SET = 1000545005,
    LULL_VK_PUSH_TEMPLATE = 1000545006,
};

#endif
