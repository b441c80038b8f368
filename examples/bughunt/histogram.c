// SPDX-License-Identifier: MIT
// A Vulkan program with a bug in its shader: histogram.comp loses pixels.
//
//   glslangValidator -V -gVS histogram.comp -o histogram.spv
//   cc histogram.c -lvulkan -o histogram
//   lull exec -- ./histogram histogram.spv
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { PIXELS = 4096, BINS = 256, BUFFERS = 2, LOCAL = 64 };

struct push {
    uint32_t pixels;
    float bins;
};

static VkDevice device;

static void check(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, (int)r);
        exit(2);
    }
}

#define CHECK(call) check(call, #call)

static VkPhysicalDevice open_device(void)
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app};
    VkInstance instance = NULL;
    CHECK(vkCreateInstance(&info, NULL, &instance));
    VkPhysicalDevice gpu = NULL;
    uint32_t n = 1;
    VkResult r = vkEnumeratePhysicalDevices(instance, &n, &gpu);
    if (n == 0 || (r != VK_SUCCESS && r != VK_INCOMPLETE)) {
        fprintf(stderr, "no Vulkan device\n");
        exit(2);
    }
    float one = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &one};
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue};
    CHECK(vkCreateDevice(gpu, &create, NULL, &device));
    return gpu;
}

static void *new_buffer(VkPhysicalDevice gpu, VkDeviceSize size, VkBuffer *ret)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    CHECK(vkCreateBuffer(device, &info, NULL, ret));
    VkMemoryRequirements need = {0};
    vkGetBufferMemoryRequirements(device, *ret, &need);
    VkPhysicalDeviceMemoryProperties types = {0};
    vkGetPhysicalDeviceMemoryProperties(gpu, &types);
    uint32_t type = 0;
    const VkMemoryPropertyFlags want =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    while ((need.memoryTypeBits >> type & 1) == 0 ||
           (types.memoryTypes[type].propertyFlags & want) != want) {
        type++;
    }
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = need.size,
                                     .memoryTypeIndex = type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    CHECK(vkAllocateMemory(device, &allocate, NULL, &memory));
    CHECK(vkBindBufferMemory(device, *ret, memory, 0));
    void *map = NULL;
    CHECK(vkMapMemory(device, memory, 0, size, 0, &map));
    memset(map, 0, size);
    return map;
}

static VkDescriptorSetLayout new_layout(void)
{
    VkDescriptorSetLayoutBinding bindings[BUFFERS] = {{0}};
    for (uint32_t i = 0; i < BUFFERS; i++) {
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .descriptorCount = 1,
                                           .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = BUFFERS,
                                            .pBindings = bindings};
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &layout));
    return layout;
}

static VkPipeline new_pipeline(const char *path, VkPipelineLayout layout)
{
    static uint32_t code[65536];
    FILE *f = fopen(path, "rb");
    size_t bytes = f != NULL ? fread(code, 1, sizeof code, f) : 0;
    if (bytes == 0) {
        fprintf(stderr, "cannot read '%s'\n", path);
        exit(2);
    }
    fclose(f);
    VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = layout};
    CHECK(vkCreateShaderModule(device, &module, NULL, &info.stage.module));
    VkPipeline pipeline = VK_NULL_HANDLE;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

static VkDescriptorSet new_set(VkDescriptorSetLayout layout, const VkBuffer buffers[BUFFERS])
{
    VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .descriptorCount = BUFFERS};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &layout};
    CHECK(vkCreateDescriptorPool(device, &info, NULL, &allocate.descriptorPool));
    VkDescriptorSet set = VK_NULL_HANDLE;
    CHECK(vkAllocateDescriptorSets(device, &allocate, &set));
    for (uint32_t i = 0; i < BUFFERS; i++) {
        VkDescriptorBufferInfo buffer = {.buffer = buffers[i], .range = VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
    return set;
}

static void submit(VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set)
{
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandBufferCount = 1};
    CHECK(vkCreateCommandPool(device, &info, NULL, &allocate.commandPool));
    VkCommandBuffer cmd = NULL;
    CHECK(vkAllocateCommandBuffers(device, &allocate, &cmd));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    struct push push = {.pixels = PIXELS, .bins = BINS};
    CHECK(vkBeginCommandBuffer(cmd, &begin));
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(cmd, PIXELS / LOCAL, 1, 1);
    CHECK(vkEndCommandBuffer(cmd));
    VkQueue queue = NULL;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkSubmitInfo work = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    CHECK(vkQueueSubmit(queue, 1, &work, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
}

int main(int argc, char **argv)
{
    VkPhysicalDevice gpu = open_device();
    VkBuffer buffers[BUFFERS] = {VK_NULL_HANDLE};
    float *pixel = new_buffer(gpu, PIXELS * sizeof *pixel, &buffers[0]);
    uint32_t *bin = new_buffer(gpu, BINS * sizeof *bin, &buffers[1]);
    for (uint32_t i = 0; i < PIXELS; i++) {
        pixel[i] = (float)(i * 37 % 101) / 100; // 0 to 1, both included
    }
    VkDescriptorSetLayout set_layout = new_layout();
    VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                 .size = sizeof(struct push)};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &set_layout,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    CHECK(vkCreatePipelineLayout(device, &info, NULL, &layout));
    VkPipeline pipeline = new_pipeline(argc > 1 ? argv[1] : "histogram.spv", layout);
    submit(pipeline, layout, new_set(set_layout, buffers));
    uint32_t sum = 0;
    for (uint32_t i = 0; i < BINS; i++) {
        sum += bin[i];
    }
    printf("%d pixels, %u counted\n", PIXELS, sum);
    return sum == PIXELS ? 0 : 1;
}
