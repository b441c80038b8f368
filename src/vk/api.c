// SPDX-License-Identifier: MIT
// The loader's functions by name.
#include <string.h>

#include "vk/internal.h"

struct entry {
    const char *name;
    size_t offset; ///< In struct vk_api.
};

// clang-format off
static const struct entry of_instance[] = {
    {"vkEnumeratePhysicalDevices", offsetof(struct vk_api, EnumeratePhysicalDevices)},
    {"vkGetPhysicalDeviceProperties2", offsetof(struct vk_api, GetPhysicalDeviceProperties2)},
    {"vkGetPhysicalDeviceFeatures2", offsetof(struct vk_api, GetPhysicalDeviceFeatures2)},
    {"vkGetPhysicalDeviceQueueFamilyProperties", offsetof(struct vk_api, GetPhysicalDeviceQueueFamilyProperties)},
    {"vkGetPhysicalDeviceMemoryProperties", offsetof(struct vk_api, GetPhysicalDeviceMemoryProperties)},
    {"vkGetPhysicalDeviceFormatProperties", offsetof(struct vk_api, GetPhysicalDeviceFormatProperties)},
    {"vkEnumerateDeviceExtensionProperties", offsetof(struct vk_api, EnumerateDeviceExtensionProperties)},
    {"vkCreateDevice", offsetof(struct vk_api, CreateDevice)},
    {"vkDestroyInstance", offsetof(struct vk_api, DestroyInstance)},
    {"vkGetDeviceProcAddr", offsetof(struct vk_api, GetDeviceProcAddr)},
};

static const struct entry of_device[] = {
    {"vkDestroyDevice", offsetof(struct vk_api, DestroyDevice)},
    {"vkGetDeviceQueue", offsetof(struct vk_api, GetDeviceQueue)},
    {"vkCreateBuffer", offsetof(struct vk_api, CreateBuffer)},
    {"vkDestroyBuffer", offsetof(struct vk_api, DestroyBuffer)},
    {"vkGetBufferMemoryRequirements", offsetof(struct vk_api, GetBufferMemoryRequirements)},
    {"vkGetBufferDeviceAddress", offsetof(struct vk_api, GetBufferDeviceAddress)},
    {"vkAllocateMemory", offsetof(struct vk_api, AllocateMemory)},
    {"vkFreeMemory", offsetof(struct vk_api, FreeMemory)},
    {"vkBindBufferMemory", offsetof(struct vk_api, BindBufferMemory)},
    {"vkBindImageMemory", offsetof(struct vk_api, BindImageMemory)},
    {"vkMapMemory", offsetof(struct vk_api, MapMemory)},
    {"vkCreateBufferView", offsetof(struct vk_api, CreateBufferView)},
    {"vkDestroyBufferView", offsetof(struct vk_api, DestroyBufferView)},
    {"vkCreateImage", offsetof(struct vk_api, CreateImage)},
    {"vkDestroyImage", offsetof(struct vk_api, DestroyImage)},
    {"vkGetImageMemoryRequirements", offsetof(struct vk_api, GetImageMemoryRequirements)},
    {"vkCreateImageView", offsetof(struct vk_api, CreateImageView)},
    {"vkDestroyImageView", offsetof(struct vk_api, DestroyImageView)},
    {"vkCreateSampler", offsetof(struct vk_api, CreateSampler)},
    {"vkDestroySampler", offsetof(struct vk_api, DestroySampler)},
    {"vkCreateShaderModule", offsetof(struct vk_api, CreateShaderModule)},
    {"vkDestroyShaderModule", offsetof(struct vk_api, DestroyShaderModule)},
    {"vkCreateDescriptorSetLayout", offsetof(struct vk_api, CreateDescriptorSetLayout)},
    {"vkDestroyDescriptorSetLayout", offsetof(struct vk_api, DestroyDescriptorSetLayout)},
    {"vkCreatePipelineLayout", offsetof(struct vk_api, CreatePipelineLayout)},
    {"vkDestroyPipelineLayout", offsetof(struct vk_api, DestroyPipelineLayout)},
    {"vkCreateComputePipelines", offsetof(struct vk_api, CreateComputePipelines)},
    {"vkDestroyPipeline", offsetof(struct vk_api, DestroyPipeline)},
    {"vkCreateDescriptorPool", offsetof(struct vk_api, CreateDescriptorPool)},
    {"vkDestroyDescriptorPool", offsetof(struct vk_api, DestroyDescriptorPool)},
    {"vkAllocateDescriptorSets", offsetof(struct vk_api, AllocateDescriptorSets)},
    {"vkUpdateDescriptorSets", offsetof(struct vk_api, UpdateDescriptorSets)},
    {"vkCreateCommandPool", offsetof(struct vk_api, CreateCommandPool)},
    {"vkDestroyCommandPool", offsetof(struct vk_api, DestroyCommandPool)},
    {"vkAllocateCommandBuffers", offsetof(struct vk_api, AllocateCommandBuffers)},
    {"vkBeginCommandBuffer", offsetof(struct vk_api, BeginCommandBuffer)},
    {"vkEndCommandBuffer", offsetof(struct vk_api, EndCommandBuffer)},
    {"vkCmdBindPipeline", offsetof(struct vk_api, CmdBindPipeline)},
    {"vkCmdBindDescriptorSets", offsetof(struct vk_api, CmdBindDescriptorSets)},
    {"vkCmdPushConstants", offsetof(struct vk_api, CmdPushConstants)},
    {"vkCmdDispatch", offsetof(struct vk_api, CmdDispatch)},
    {"vkCmdDispatchBase", offsetof(struct vk_api, CmdDispatchBase)},
    {"vkCmdDispatchIndirect", offsetof(struct vk_api, CmdDispatchIndirect)},
    {"vkCmdPipelineBarrier", offsetof(struct vk_api, CmdPipelineBarrier)},
    {"vkCmdCopyBufferToImage", offsetof(struct vk_api, CmdCopyBufferToImage)},
    {"vkCmdCopyImageToBuffer", offsetof(struct vk_api, CmdCopyImageToBuffer)},
    {"vkQueueSubmit", offsetof(struct vk_api, QueueSubmit)},
    {"vkQueueWaitIdle", offsetof(struct vk_api, QueueWaitIdle)},
    {"vkCreateFence", offsetof(struct vk_api, CreateFence)},
    {"vkDestroyFence", offsetof(struct vk_api, DestroyFence)},
    {"vkWaitForFences", offsetof(struct vk_api, WaitForFences)},
    {"vkDeviceWaitIdle", offsetof(struct vk_api, DeviceWaitIdle)},
    {"vkCmdPushDescriptorSetKHR", offsetof(struct vk_api, CmdPushDescriptorSetKHR)},
    {"vkCmdBeginQuery", offsetof(struct vk_api, CmdBeginQuery)},
    {"vkCmdBeginRendering", offsetof(struct vk_api, CmdBeginRendering)},
    {"vkCmdBindIndexBuffer", offsetof(struct vk_api, CmdBindIndexBuffer)},
    {"vkCmdBindVertexBuffers", offsetof(struct vk_api, CmdBindVertexBuffers)},
    {"vkCmdClearAttachments", offsetof(struct vk_api, CmdClearAttachments)},
    {"vkCmdCopyQueryPoolResults", offsetof(struct vk_api, CmdCopyQueryPoolResults)},
    {"vkCmdDraw", offsetof(struct vk_api, CmdDraw)},
    {"vkCmdDrawIndexed", offsetof(struct vk_api, CmdDrawIndexed)},
    {"vkCmdDrawIndexedIndirect", offsetof(struct vk_api, CmdDrawIndexedIndirect)},
    {"vkCmdDrawIndexedIndirectCount", offsetof(struct vk_api, CmdDrawIndexedIndirectCount)},
    {"vkCmdDrawIndirect", offsetof(struct vk_api, CmdDrawIndirect)},
    {"vkCmdDrawIndirectCount", offsetof(struct vk_api, CmdDrawIndirectCount)},
    {"vkCmdEndQuery", offsetof(struct vk_api, CmdEndQuery)},
    {"vkCmdEndRendering", offsetof(struct vk_api, CmdEndRendering)},
    {"vkCmdExecuteCommands", offsetof(struct vk_api, CmdExecuteCommands)},
    {"vkCmdFillBuffer", offsetof(struct vk_api, CmdFillBuffer)},
    {"vkCmdResetQueryPool", offsetof(struct vk_api, CmdResetQueryPool)},
    {"vkCmdWriteTimestamp", offsetof(struct vk_api, CmdWriteTimestamp)},
    {"vkCreateGraphicsPipelines", offsetof(struct vk_api, CreateGraphicsPipelines)},
    {"vkCreateQueryPool", offsetof(struct vk_api, CreateQueryPool)},
    {"vkDestroyQueryPool", offsetof(struct vk_api, DestroyQueryPool)},
    {"vkGetQueryPoolResults", offsetof(struct vk_api, GetQueryPoolResults)},
    {"vkFreeCommandBuffers", offsetof(struct vk_api, FreeCommandBuffers)},
    {"vkCmdBeginTransformFeedbackEXT", offsetof(struct vk_api, CmdBeginTransformFeedbackEXT)},
    {"vkCmdEndTransformFeedbackEXT", offsetof(struct vk_api, CmdEndTransformFeedbackEXT)},
    {"vkCmdBindTransformFeedbackBuffersEXT", offsetof(struct vk_api, CmdBindTransformFeedbackBuffersEXT)},
    {"vkCmdBeginConditionalRenderingEXT", offsetof(struct vk_api, CmdBeginConditionalRenderingEXT)},
    {"vkCmdEndConditionalRenderingEXT", offsetof(struct vk_api, CmdEndConditionalRenderingEXT)},
    {"vkCmdDrawIndirectByteCountEXT", offsetof(struct vk_api, CmdDrawIndirectByteCountEXT)},
    {"vkCmdBeginQueryIndexedEXT", offsetof(struct vk_api, CmdBeginQueryIndexedEXT)},
    {"vkCmdEndQueryIndexedEXT", offsetof(struct vk_api, CmdEndQueryIndexedEXT)},
    {"vkCmdDrawMeshTasksEXT", offsetof(struct vk_api, CmdDrawMeshTasksEXT)},
    {"vkCmdDrawMeshTasksIndirectEXT", offsetof(struct vk_api, CmdDrawMeshTasksIndirectEXT)},
    {"vkCmdDrawMeshTasksIndirectCountEXT",
     offsetof(struct vk_api, CmdDrawMeshTasksIndirectCountEXT)},
};
// clang-format on

/** Function pointers all have the same size on the systems lull runs on. */
static void put(struct vk_api *api, size_t offset, PFN_vkVoidFunction fn)
{
    memcpy((char *)api + offset, &fn, sizeof fn);
}

void vk_api_global(struct lull_vk *vk, PFN_vkGetInstanceProcAddr get)
{
    vk->api.GetInstanceProcAddr = get;
    put(&vk->api, offsetof(struct vk_api, CreateInstance), get(NULL, "vkCreateInstance"));
}

void vk_api_instance(struct lull_vk *vk)
{
    for (size_t i = 0; i < sizeof of_instance / sizeof of_instance[0]; i++) {
        put(&vk->api, of_instance[i].offset,
            vk->api.GetInstanceProcAddr(vk->instance, of_instance[i].name));
    }
}

void vk_api_device(struct lull_vk *vk)
{
    for (size_t i = 0; i < sizeof of_device / sizeof of_device[0]; i++) {
        put(&vk->api, of_device[i].offset,
            vk->api.GetDeviceProcAddr(vk->device, of_device[i].name));
    }
}
