// SPDX-License-Identifier: MIT
/** @file
 * What the Vulkan programs of these tests have in common: no header of lull's.
 */
#ifndef LULL_TEST_VK_H
#define LULL_TEST_VK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { N = 1024, LOCAL = 64, ADD = 7 };

struct vk {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkImage image;    ///< There is one: binding 0 is it, not a buffer.
    VkImageView view; ///< Of it.
};

static inline VkDescriptorType first_binding(const struct vk *v)
{
    return v->view != VK_NULL_HANDLE ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                     : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static inline void want(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        printf("%s: VkResult %d\n", what, r);
        exit(1);
    }
}

static inline void choose(struct vk *v, const char *name)
{
    uint32_t n = 16;
    VkPhysicalDevice all[16];
    want(vkEnumeratePhysicalDevices(v->instance, &n, all), "vkEnumeratePhysicalDevices");
    for (uint32_t i = 0; i < n; i++) {
        VkPhysicalDeviceProperties p;
        vkGetPhysicalDeviceProperties(all[i], &p);
        if (strstr(p.deviceName, name) != NULL) {
            v->physical = all[i];
            return;
        }
    }
    printf("no device '%s'\n", name);
    exit(1);
}

// Any memory type with these properties.
static inline uint32_t memory_type(const struct vk *v, uint32_t bits, VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(v->physical, &types);
    uint32_t type = 0;
    while (type < types.memoryTypeCount &&
           ((bits >> type & 1) == 0 || (types.memoryTypes[type].propertyFlags & flags) != flags)) {
        type++;
    }
    if (type == types.memoryTypeCount) {
        printf("no memory type\n");
        exit(1);
    }
    return type;
}

static inline void open_device(struct vk *v, const char *name, VkQueueFlags flags,
                               const char *const *extensions, uint32_t nextensions)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    want(vkCreateInstance(&info, NULL, &v->instance), "vkCreateInstance");
    choose(v, name);
    uint32_t n = 8;
    VkQueueFamilyProperties families[8];
    vkGetPhysicalDeviceQueueFamilyProperties(v->physical, &n, families);
    for (v->family = 0; v->family < n; v->family++) {
        const VkQueueFlags both = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
        if ((families[v->family].queueFlags & both) == flags) {
            break;
        }
    }
    if (v->family == n) {
        printf("no such queue\n");
        exit(1);
    }
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = v->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount = nextensions,
                                       .ppEnabledExtensionNames = extensions};
    want(vkCreateDevice(v->physical, &device, NULL, &v->device), "vkCreateDevice");
    vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = v->family};
    want(vkCreateCommandPool(v->device, &pool, NULL, &v->pool), "vkCreateCommandPool");
}

static inline void make_pipeline(struct vk *v, const char *path)
{
    static uint32_t code[1 << 14];
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(code, 1, sizeof code, file) : 0;
    if (size == 0) {
        printf("%s: cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    const VkDescriptorSetLayoutBinding bindings[2] = {
        {0, first_binding(v), 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 2,
        .pBindings = bindings};
    want(vkCreateDescriptorSetLayout(v->device, &set_info, NULL, &v->set_layout), "set layout");
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &v->set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
    want(vkCreatePipelineLayout(v->device, &layout, NULL, &v->layout), "pipeline layout");
    const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    VkShaderModule module;
    want(vkCreateShaderModule(v->device, &module_info, NULL, &module), "shader module");
    const VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = v->layout};
    want(vkCreateComputePipelines(v->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &v->pipeline),
         "pipeline");
    vkDestroyShaderModule(v->device, module, NULL);
}

// A buffer and its memory; @p buffer_next, @p memory_next: what is chained to their structures.
static inline VkDeviceMemory make_buffer(const struct vk *v, VkDeviceSize size, VkBuffer *ret,
                                         const void *buffer_next, const void *memory_next)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .pNext = buffer_next,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    want(vkCreateBuffer(v->device, &info, NULL, ret), "buffer");
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(v->device, *ret, &need);
    const VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .pNext = memory_next,
                                        .allocationSize = need.size,
                                        .memoryTypeIndex =
                                            memory_type(v, need.memoryTypeBits, flags)};
    VkDeviceMemory memory;
    want(vkAllocateMemory(v->device, &alloc, NULL, &memory), "memory");
    want(vkBindBufferMemory(v->device, *ret, memory, 0), "bind");
    return memory;
}

static inline void bind_buffers(struct vk *v, const VkBuffer buffers[2])
{
    const VkDescriptorPoolSize sizes[2] = {{first_binding(v), 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 2,
                                             .pPoolSizes = sizes};
    want(vkCreateDescriptorPool(v->device, &pool, NULL, &v->set_pool), "descriptor pool");
    const VkDescriptorSetAllocateInfo alloc = {.sType =
                                                   VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                               .descriptorPool = v->set_pool,
                                               .descriptorSetCount = 1,
                                               .pSetLayouts = &v->set_layout};
    want(vkAllocateDescriptorSets(v->device, &alloc, &v->set), "descriptor set");
    for (uint32_t i = 0; i < 2; i++) {
        const VkDescriptorBufferInfo info = {buffers[i], 0, VK_WHOLE_SIZE};
        const VkDescriptorImageInfo image = {VK_NULL_HANDLE, v->view, VK_IMAGE_LAYOUT_GENERAL};
        const VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = v->set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = i == 0 ? first_binding(v) : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pImageInfo = &image,
            .pBufferInfo = &info};
        vkUpdateDescriptorSets(v->device, 1, &write, 0, NULL);
    }
}

static inline void general(const struct vk *v, VkCommandBuffer commands)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = v->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static inline void dispatch(const struct vk *v)
{
    const VkCommandBufferAllocateInfo alloc = {.sType =
                                                   VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = v->pool,
                                               .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                               .commandBufferCount = 1};
    VkCommandBuffer commands;
    want(vkAllocateCommandBuffers(v->device, &alloc, &commands), "command buffer");
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    want(vkBeginCommandBuffer(commands, &begin), "begin");
    const uint32_t add = ADD;
    if (v->image != VK_NULL_HANDLE) {
        general(v, commands);
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, v->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, v->layout, 0, 1, &v->set, 0,
                            NULL);
    vkCmdPushConstants(commands, v->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof add, &add);
    vkCmdDispatch(commands, N / LOCAL, 1, 1);
    want(vkEndCommandBuffer(commands), "end");
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    want(vkCreateFence(v->device, &fence_info, NULL, &fence), "fence");
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands};
    want(vkQueueSubmit(v->queue, 1, &submit, fence), "submit");
    want(vkWaitForFences(v->device, 1, &fence, VK_TRUE, UINT64_MAX), "wait");
    vkDestroyFence(v->device, fence, NULL);
}

static inline void done(struct vk *v)
{
    vkDestroyDescriptorPool(v->device, v->set_pool, NULL);
    vkDestroyPipeline(v->device, v->pipeline, NULL);
    vkDestroyPipelineLayout(v->device, v->layout, NULL);
    vkDestroyDescriptorSetLayout(v->device, v->set_layout, NULL);
    vkDestroyCommandPool(v->device, v->pool, NULL);
    vkDestroyDevice(v->device, NULL);
    vkDestroyInstance(v->instance, NULL);
}

#endif
