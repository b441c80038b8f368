// SPDX-License-Identifier: MIT
/*
 * A Vulkan program as anybody writes one: no header of lull's. Squares of numbers by a compute
 * shader, on the device whose name has argv[1] in it. Prints "ok" or what is wrong.
 *
 * argv[2]: SPIR-V of a shader with local size 64: buffer 0.0 in, 0.1 out: out[i] = in[i] * in[i] +
 * push.add.
 */
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
};

static void want(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        printf("%s: VkResult %d\n", what, r);
        exit(1);
    }
}

static void choose(struct vk *v, const char *name)
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

static void open_device(struct vk *v, const char *name, VkQueueFlags flags)
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
                                       .pQueueCreateInfos = &queue};
    want(vkCreateDevice(v->physical, &device, NULL, &v->device), "vkCreateDevice");
    vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = v->family};
    want(vkCreateCommandPool(v->device, &pool, NULL, &v->pool), "vkCreateCommandPool");
}

static void make_pipeline(struct vk *v, const char *path)
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
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
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

static VkDeviceMemory make_buffer(const struct vk *v, VkDeviceSize size, VkBuffer *ret)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    want(vkCreateBuffer(v->device, &info, NULL, ret), "buffer");
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(v->device, *ret, &need);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(v->physical, &types);
    const VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while ((need.memoryTypeBits >> type & 1) == 0 ||
           (types.memoryTypes[type].propertyFlags & flags) != flags) {
        type++;
    }
    const VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .allocationSize = need.size,
                                        .memoryTypeIndex = type};
    VkDeviceMemory memory;
    want(vkAllocateMemory(v->device, &alloc, NULL, &memory), "memory");
    want(vkBindBufferMemory(v->device, *ret, memory, 0), "bind");
    return memory;
}

static void bind_buffers(struct vk *v, const VkBuffer buffers[2])
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    want(vkCreateDescriptorPool(v->device, &pool, NULL, &v->set_pool), "descriptor pool");
    const VkDescriptorSetAllocateInfo alloc = {.sType =
                                                   VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                               .descriptorPool = v->set_pool,
                                               .descriptorSetCount = 1,
                                               .pSetLayouts = &v->set_layout};
    want(vkAllocateDescriptorSets(v->device, &alloc, &v->set), "descriptor set");
    for (uint32_t i = 0; i < 2; i++) {
        const VkDescriptorBufferInfo info = {buffers[i], 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = v->set,
                                            .dstBinding = i,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &info};
        vkUpdateDescriptorSets(v->device, 1, &write, 0, NULL);
    }
}

static void dispatch(const struct vk *v)
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

static void done(struct vk *v)
{
    vkDestroyDescriptorPool(v->device, v->set_pool, NULL);
    vkDestroyPipeline(v->device, v->pipeline, NULL);
    vkDestroyPipelineLayout(v->device, v->layout, NULL);
    vkDestroyDescriptorSetLayout(v->device, v->set_layout, NULL);
    vkDestroyCommandPool(v->device, v->pool, NULL);
    vkDestroyDevice(v->device, NULL);
    vkDestroyInstance(v->instance, NULL);
}

int main(int argc, char **argv)
{
    struct vk v = {0};
    if (argc < 4) {
        return 2;
    }
    const bool compute = strcmp(argv[3], "compute") == 0;
    open_device(&v, argv[1], VK_QUEUE_COMPUTE_BIT | (compute ? 0 : VK_QUEUE_GRAPHICS_BIT));
    make_pipeline(&v, argv[2]);
    VkBuffer buffers[2];
    VkDeviceMemory memory[2];
    uint32_t *data[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        memory[i] = make_buffer(&v, N * sizeof(uint32_t), &buffers[i]);
        want(vkMapMemory(v.device, memory[i], 0, VK_WHOLE_SIZE, 0, (void **)&data[i]), "map");
    }
    for (uint32_t i = 0; i < N; i++) {
        data[0][i] = i * 2654435761u;
        data[1][i] = 0;
    }
    bind_buffers(&v, buffers);
    dispatch(&v);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t in = i * 2654435761u;
        wrong += data[1][i] != in * in + ADD;
    }
    printf(wrong == 0 ? "ok\n" : "%u of %u wrong\n", wrong, (unsigned)N);
    for (int i = 0; i < 2; i++) {
        vkDestroyBuffer(v.device, buffers[i], NULL);
        vkFreeMemory(v.device, memory[i], NULL);
    }
    done(&v);
    return wrong != 0;
}
