// SPDX-License-Identifier: MIT
/** @file
 * The inside of src/vk: the loader's functions, the device, and what one run makes.
 */
#ifndef LULL_VK_INTERNAL_H
#define LULL_VK_INTERNAL_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include "vk/vk.h"

/** Functions of the loader, the instance and the device; loaded by name (api.c). */
struct vk_api {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    PFN_vkCreateInstance CreateInstance;
    PFN_vkEnumeratePhysicalDevices EnumeratePhysicalDevices;
    PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2;
    PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties GetPhysicalDeviceQueueFamilyProperties;
    PFN_vkGetPhysicalDeviceMemoryProperties GetPhysicalDeviceMemoryProperties;
    PFN_vkGetPhysicalDeviceFormatProperties GetPhysicalDeviceFormatProperties;
    PFN_vkEnumerateDeviceExtensionProperties EnumerateDeviceExtensionProperties;
    PFN_vkCreateDevice CreateDevice;
    PFN_vkDestroyInstance DestroyInstance;
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
    PFN_vkDestroyDevice DestroyDevice;
    PFN_vkGetDeviceQueue GetDeviceQueue;
    PFN_vkCreateBuffer CreateBuffer;
    PFN_vkDestroyBuffer DestroyBuffer;
    PFN_vkGetBufferMemoryRequirements GetBufferMemoryRequirements;
    PFN_vkGetBufferDeviceAddress GetBufferDeviceAddress;
    PFN_vkAllocateMemory AllocateMemory;
    PFN_vkFreeMemory FreeMemory;
    PFN_vkBindBufferMemory BindBufferMemory;
    PFN_vkBindImageMemory BindImageMemory;
    PFN_vkMapMemory MapMemory;
    PFN_vkCreateBufferView CreateBufferView;
    PFN_vkDestroyBufferView DestroyBufferView;
    PFN_vkCreateImage CreateImage;
    PFN_vkDestroyImage DestroyImage;
    PFN_vkGetImageMemoryRequirements GetImageMemoryRequirements;
    PFN_vkCreateImageView CreateImageView;
    PFN_vkDestroyImageView DestroyImageView;
    PFN_vkCreateSampler CreateSampler;
    PFN_vkDestroySampler DestroySampler;
    PFN_vkCreateShaderModule CreateShaderModule;
    PFN_vkDestroyShaderModule DestroyShaderModule;
    PFN_vkCreateDescriptorSetLayout CreateDescriptorSetLayout;
    PFN_vkDestroyDescriptorSetLayout DestroyDescriptorSetLayout;
    PFN_vkCreatePipelineLayout CreatePipelineLayout;
    PFN_vkDestroyPipelineLayout DestroyPipelineLayout;
    PFN_vkCreateComputePipelines CreateComputePipelines;
    PFN_vkDestroyPipeline DestroyPipeline;
    PFN_vkCreateDescriptorPool CreateDescriptorPool;
    PFN_vkDestroyDescriptorPool DestroyDescriptorPool;
    PFN_vkAllocateDescriptorSets AllocateDescriptorSets;
    PFN_vkUpdateDescriptorSets UpdateDescriptorSets;
    PFN_vkCreateCommandPool CreateCommandPool;
    PFN_vkDestroyCommandPool DestroyCommandPool;
    PFN_vkAllocateCommandBuffers AllocateCommandBuffers;
    PFN_vkBeginCommandBuffer BeginCommandBuffer;
    PFN_vkEndCommandBuffer EndCommandBuffer;
    PFN_vkCmdBindPipeline CmdBindPipeline;
    PFN_vkCmdBindDescriptorSets CmdBindDescriptorSets;
    PFN_vkCmdPushConstants CmdPushConstants;
    PFN_vkCmdDispatch CmdDispatch;
    PFN_vkCmdDispatchBase CmdDispatchBase;
    PFN_vkCmdDispatchIndirect CmdDispatchIndirect;
    PFN_vkCmdPipelineBarrier CmdPipelineBarrier;
    PFN_vkCmdCopyBufferToImage CmdCopyBufferToImage;
    PFN_vkCmdCopyImageToBuffer CmdCopyImageToBuffer;
    PFN_vkQueueSubmit QueueSubmit;
    PFN_vkQueueWaitIdle QueueWaitIdle;
    PFN_vkCreateFence CreateFence;
    PFN_vkDestroyFence DestroyFence;
    PFN_vkWaitForFences WaitForFences;
    PFN_vkDeviceWaitIdle DeviceWaitIdle;
    PFN_vkCmdPushDescriptorSetKHR CmdPushDescriptorSetKHR;
    // For draws.
    PFN_vkCmdBeginQuery CmdBeginQuery;
    PFN_vkCmdBeginRendering CmdBeginRendering;
    PFN_vkCmdBindIndexBuffer CmdBindIndexBuffer;
    PFN_vkCmdBindVertexBuffers CmdBindVertexBuffers;
    PFN_vkCmdClearAttachments CmdClearAttachments;
    PFN_vkCmdCopyQueryPoolResults CmdCopyQueryPoolResults;
    PFN_vkCmdDraw CmdDraw;
    PFN_vkCmdDrawIndexed CmdDrawIndexed;
    PFN_vkCmdDrawIndexedIndirect CmdDrawIndexedIndirect;
    PFN_vkCmdDrawIndexedIndirectCount CmdDrawIndexedIndirectCount;
    PFN_vkCmdDrawIndirect CmdDrawIndirect;
    PFN_vkCmdDrawIndirectCount CmdDrawIndirectCount;
    PFN_vkCmdEndQuery CmdEndQuery;
    PFN_vkCmdEndRendering CmdEndRendering;
    PFN_vkCmdExecuteCommands CmdExecuteCommands;
    PFN_vkCmdFillBuffer CmdFillBuffer;
    PFN_vkCmdResetQueryPool CmdResetQueryPool;
    PFN_vkCmdWriteTimestamp CmdWriteTimestamp;
    PFN_vkCreateGraphicsPipelines CreateGraphicsPipelines;
    PFN_vkCreateQueryPool CreateQueryPool;
    PFN_vkDestroyQueryPool DestroyQueryPool;
    PFN_vkGetQueryPoolResults GetQueryPoolResults;
    PFN_vkFreeCommandBuffers FreeCommandBuffers;
    PFN_vkCmdBeginTransformFeedbackEXT CmdBeginTransformFeedbackEXT;
    PFN_vkCmdEndTransformFeedbackEXT CmdEndTransformFeedbackEXT;
    PFN_vkCmdBindTransformFeedbackBuffersEXT CmdBindTransformFeedbackBuffersEXT;
    PFN_vkCmdBeginConditionalRenderingEXT CmdBeginConditionalRenderingEXT;
    PFN_vkCmdEndConditionalRenderingEXT CmdEndConditionalRenderingEXT;
    PFN_vkCmdDrawIndirectByteCountEXT CmdDrawIndirectByteCountEXT;
    PFN_vkCmdBeginQueryIndexedEXT CmdBeginQueryIndexedEXT;
    PFN_vkCmdEndQueryIndexedEXT CmdEndQueryIndexedEXT;
    PFN_vkCmdDrawMeshTasksEXT CmdDrawMeshTasksEXT;
    PFN_vkCmdDrawMeshTasksIndirectEXT CmdDrawMeshTasksIndirectEXT;
    PFN_vkCmdDrawMeshTasksIndirectCountEXT CmdDrawMeshTasksIndirectCountEXT;
};

/** Extensions that draws may need and devices may lack; bits of lull_vk.extras. */
enum vk_extra {
    VK_EXTRA_FEEDBACK,
    VK_EXTRA_CONDITION,
    VK_EXTRA_MESH,
    VK_EXTRA_DIVISOR,
    VK_EXTRA_PROVOKING,
    VK_EXTRA_DEPTH_CLIP,
    VK_EXTRA_CLIP_CONTROL,
    VK_EXTRA_INDEX_U8,
    VK_EXTRA_GENERATED,
    VK_EXTRA_LINES,
    VK_EXTRA_CONSERVATIVE,
    VK_EXTRA_RECTANGLES,
    VK_EXTRA_INTERLOCK,
    VK_EXTRA_RATE,
    VK_NEXTRAS,
};

/** Features of VK_KHR_cooperative_matrix, which is newer than the package's headers (1.3.239).
 * Source: Khronos, Vulkan registry (vk.xml), extension 507. */
struct vk_cooperative_matrix {
    VkStructureType type; ///< VK_COOPERATIVE_MATRIX_FEATURES.
    void *next;
    VkBool32 matrix, robust;
};

enum { VK_COOPERATIVE_MATRIX_FEATURES = 1000506000 };

/** What a device has and what of it is switched on: one chain, filled by one call. */
struct vk_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2;
    VkPhysicalDeviceShaderClockFeaturesKHR clock;
    VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image_int64;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout;
    VkPhysicalDeviceRobustness2FeaturesEXT robustness2;
    struct vk_cooperative_matrix cooperative_matrix;
    // For draws.
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback;
    VkPhysicalDeviceConditionalRenderingFeaturesEXT condition;
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh;
    VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor;
    VkPhysicalDeviceProvokingVertexFeaturesEXT provoking;
    VkPhysicalDeviceDepthClipEnableFeaturesEXT depth_clip;
    VkPhysicalDeviceDepthClipControlFeaturesEXT clip_control;
    VkPhysicalDeviceIndexTypeUint8FeaturesEXT index_u8;
    VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated;
    VkPhysicalDeviceLineRasterizationFeaturesEXT lines;
    VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT interlock;
    VkPhysicalDeviceFragmentShadingRateFeaturesKHR rate;
};

struct lull_vk {
    void *loader; ///< From dlopen().
    struct vk_api api;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties2 props;
    VkPhysicalDeviceVulkan11Properties props11;
    VkPhysicalDeviceVulkan13Properties props13;
    VkPhysicalDeviceMemoryProperties memory;
    struct vk_features features; ///< All that are on.
    bool push_descriptors;
    bool draws;      ///< Opened for draws.
    unsigned extras; ///< Bits by enum vk_extra; only if it draws.
    VkDevice device;
    uint32_t family, async_family; ///< Equal if there is only one.
    bool lost;
};

/** Load the functions that need no instance, of an instance, of a device. Missing ones stay NULL.
 */
void vk_api_global(struct lull_vk *vk, PFN_vkGetInstanceProcAddr get);
void vk_api_instance(struct lull_vk *vk);
void vk_api_device(struct lull_vk *vk);

/** NULL for VK_SUCCESS and positive results, else "<what>: VK_ERROR_..."; device loss is kept. */
struct lull_error *vk_check(struct lull_vk *vk, VkResult result, const char *what) LULL_MUST_USE;

/** What one resource is on the device. */
struct vk_object {
    const struct lull_vk_resource *r;
    VkDescriptorType type;        ///< Of its descriptor.
    VkBufferUsageFlags borrowers; ///< What those use its memory for that borrow it.
    VkBuffer buffer;              ///< Its bytes; of an image: for the copies.
    VkDeviceMemory memory;
    uint8_t *map;
    VkDeviceSize size;
    VkBufferView buffer_view;
    VkImage image;
    VkDeviceMemory image_memory;
    VkImageView view;
    VkImageLayout layout; ///< While the shader runs.
    VkSampler sampler;
};

/** Make the buffer (of an image: for the copies), the buffer view, the sampler of @p o->r. */
struct lull_error *vk_object_make(struct lull_vk *vk, struct vk_object *o) LULL_MUST_USE;

/** Make @p o, which has the memory of @p of: its buffer is that, a buffer view is its own. */
struct lull_error *vk_object_borrow(struct lull_vk *vk, struct vk_object *o,
                                    const struct vk_object *of) LULL_MUST_USE;

/** What the buffer of @p o is used for, without what borrowers do. */
VkBufferUsageFlags vk_object_usage(const struct lull_vk *vk, const struct vk_object *o);

/** Then, for an image: the image and its view of kind @p type. */
struct lull_error *vk_object_image(struct lull_vk *vk, struct vk_object *o,
                                   VkImageViewType type) LULL_MUST_USE;
void vk_object_done(struct lull_vk *vk, struct vk_object *o);

/** Copy the case's bytes into the mapped buffer, or back. */
void vk_object_bytes(const struct vk_object *o, bool in);

/** Record the copy of an image from or to its buffer, with its layout transitions. */
void vk_object_copy(struct lull_vk *vk, VkCommandBuffer cmd, const struct vk_object *o, bool in);

/** A binding as the shader declares it. */
struct vk_binding {
    const struct lull_vk_var *var;
    uint32_t set, binding;
    uint32_t count; ///< Elements; 0: a runtime array.
    VkDescriptorType type;
    VkImageViewType view; ///< Images.
    uint64_t min_bytes;   ///< Buffers.
};

/** The shader's interface and what the case puts there: descriptor sets and their layouts. */
struct vk_sets {
    struct vk_binding *bindings;
    size_t nbindings;
    uint32_t nsets;
    VkDescriptorSetLayout *layouts; ///< nsets.
    VkDescriptorSet *sets;          ///< nsets; NULL for a push set.
    VkDescriptorPool pool;
    uint32_t *dynamic; ///< Dynamic offsets in the order of vkCmdBindDescriptorSets.
    uint32_t ndynamic;
};

/** Fill @p ret->bindings, check the case's resources against them, set type of all @p objects. */
struct lull_error *vk_sets_match(struct lull_vk *vk, const struct lull_vk_case *c,
                                 struct vk_object *objects, struct vk_sets *ret) LULL_MUST_USE;

/** Layouts, pool, sets, and the descriptors of all @p objects. */
struct lull_error *vk_sets_make(struct lull_vk *vk, const struct lull_vk_case *c,
                                struct vk_object *objects, struct vk_sets *s) LULL_MUST_USE;

/** Record the binding of all sets, also the push set. */
void vk_sets_bind(struct lull_vk *vk, VkCommandBuffer cmd, VkPipelineLayout layout,
                  const struct lull_vk_case *c, struct vk_object *objects, struct vk_sets *s);
void vk_sets_done(struct lull_vk *vk, struct vk_sets *s);

/** The binding of @p r in the shader; NULL: there is none. */
const struct vk_binding *vk_sets_find(const struct vk_sets *s, const struct lull_vk_resource *r);

/** LULL_ERR_UNSUPPORTED if @p module declares a capability that the device's features lack. */
struct lull_error *vk_check_capabilities(const struct lull_vk *vk,
                                         const struct lull_vk_module *module) LULL_MUST_USE;

#endif
