// SPDX-License-Identifier: MIT
/** @file
 * VK_EXT_shader_object, which is newer than Debian 12's Vulkan headers: what the layer needs of it.
 * Source: Khronos Vulkan-Docs, vk.xml, extension 483.
 */
#ifndef LULL_LAYER_PRINTF_SHADER_OBJECT_H
#define LULL_LAYER_PRINTF_SHADER_OBJECT_H

#include <vulkan/vulkan_core.h>

typedef uint64_t lull_vk_shader; ///< VkShaderEXT.
enum {
    LULL_VK_SHADER_SPIRV = 1,                   ///< A VkShaderCodeTypeEXT; 0 is the driver's own.
    LULL_VK_OBJECT_TYPE_SHADER_EXT = 1000482000 ///< A VkObjectType.
};

/** VkShaderCreateInfoEXT. */
struct lull_vk_shader_info {
    VkStructureType sType;
    const void *pNext;
    VkFlags flags;
    VkShaderStageFlagBits stage;
    VkShaderStageFlags nextStage;
    uint32_t codeType;
    size_t codeSize;
    const void *pCode;
    const char *pName;
    uint32_t setLayoutCount;
    const VkDescriptorSetLayout *pSetLayouts;
    uint32_t pushConstantRangeCount;
    const VkPushConstantRange *pPushConstantRanges;
    const VkSpecializationInfo *pSpecializationInfo;
};

/** PFN_vkCreateShadersEXT. */
typedef VkResult(VKAPI_PTR *lull_vk_create_shaders)(VkDevice device, uint32_t n,
                                                    const struct lull_vk_shader_info *infos,
                                                    const VkAllocationCallbacks *alloc,
                                                    lull_vk_shader *ret);

/** PFN_vkDestroyShaderEXT. */
typedef void(VKAPI_PTR *lull_vk_destroy_shader)(VkDevice device, lull_vk_shader shader,
                                                const VkAllocationCallbacks *alloc);

/** PFN_vkCmdBindShadersEXT. */
typedef void(VKAPI_PTR *lull_vk_bind_shaders)(VkCommandBuffer c, uint32_t n,
                                              const VkShaderStageFlagBits *stages,
                                              const lull_vk_shader *shaders);

/** VkPhysicalDeviceShaderObjectFeaturesEXT. */
struct lull_vk_shader_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderObject;
};
enum {
    LULL_VK_SHADER_FEATURES = 1000482000, ///< Its sType.
    LULL_VK_SHADER_INFO = 1000482002      ///< Of struct lull_vk_shader_info.
};

#endif
