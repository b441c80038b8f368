// SPDX-License-Identifier: MIT
// Dispatches that nothing orders, on two queues: what they leave behind shows in which order waves
// ran. argv[1]: SPIR-V of order.comp. Prints a number that stands for all of it, for each of the
// stages.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { GROUPS = 48, LOCAL = 64, WORDS = 4 + GROUPS * LOCAL, QUEUES = 2 };

struct host {
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue[QUEUES];
    VkCommandPool pool[QUEUES];
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
    uint32_t *map;
};

static void must(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, (int)r);
        exit(2);
    }
}

#define MUST(call) must(call, #call)

/* Family 0 and family 1: gfx and compute, where there are both. */
static void open_device(struct host *h)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkInstance instance = NULL;
    uint32_t n = 1, families = 0;
    MUST(vkCreateInstance(&info, NULL, &instance));
    const VkResult r = vkEnumeratePhysicalDevices(instance, &n, &h->physical);
    must(n == 1 && r >= 0 ? VK_SUCCESS : VK_INCOMPLETE, "a device");
    vkGetPhysicalDeviceQueueFamilyProperties(h->physical, &families, NULL);
    const uint32_t last = families > 1 ? 1 : 0;
    const float priority = 1;
    VkDeviceQueueCreateInfo queues[QUEUES] = {{0}};
    for (uint32_t i = 0; i <= last; i++) {
        queues[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = i,
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
    }
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = last + 1,
                                       .pQueueCreateInfos = queues};
    MUST(vkCreateDevice(h->physical, &device, NULL, &h->device));
    for (uint32_t i = 0; i < QUEUES; i++) {
        const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .queueFamilyIndex = i < last ? i : last};
        vkGetDeviceQueue(h->device, pool.queueFamilyIndex, 0, &h->queue[i]);
        MUST(vkCreateCommandPool(h->device, &pool, NULL, &h->pool[i]));
    }
}

static VkBuffer make_buffer(struct host *h)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 4 * WORDS,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    const VkMemoryPropertyFlags want =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkMemoryRequirements need = {0};
    VkPhysicalDeviceMemoryProperties types = {0};
    MUST(vkCreateBuffer(h->device, &info, NULL, &buffer));
    vkGetBufferMemoryRequirements(h->device, buffer, &need);
    vkGetPhysicalDeviceMemoryProperties(h->physical, &types);
    uint32_t type = 0;
    while ((need.memoryTypeBits >> type & 1) == 0 ||
           (types.memoryTypes[type].propertyFlags & want) != want) {
        type++;
    }
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .allocationSize = need.size,
                                           .memoryTypeIndex = type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void *map = NULL;
    MUST(vkAllocateMemory(h->device, &allocate, NULL, &memory));
    MUST(vkBindBufferMemory(h->device, buffer, memory, 0));
    MUST(vkMapMemory(h->device, memory, 0, VK_WHOLE_SIZE, 0, &map));
    h->map = map;
    return buffer;
}

static void make_set(struct host *h)
{
    const VkDescriptorSetLayoutBinding binding = {.descriptorType =
                                                      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 1,
        .pBindings = &binding};
    const VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       .descriptorCount = 1};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    MUST(vkCreateDescriptorSetLayout(h->device, &layout, NULL, &h->set_layout));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &h->set_layout};
    MUST(vkCreateDescriptorPool(h->device, &pool, NULL, &allocate.descriptorPool));
    MUST(vkAllocateDescriptorSets(h->device, &allocate, &h->set));
    const VkDescriptorBufferInfo buffer = {.buffer = make_buffer(h), .range = VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = h->set,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(h->device, 1, &write, 0, NULL);
}

static void make_pipeline(struct host *h, const char *path)
{
    static uint32_t code[16384];
    FILE *f = fopen(path, "rb");
    const size_t bytes = f != NULL ? fread(code, 1, sizeof code, f) : 0;
    must(bytes != 0 ? VK_SUCCESS : VK_INCOMPLETE, path);
    fclose(f);
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 4};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &h->set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    MUST(vkCreatePipelineLayout(h->device, &layout, NULL, &h->layout));
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = h->layout};
    MUST(vkCreateShaderModule(h->device, &module, NULL, &info.stage.module));
    MUST(vkCreateComputePipelines(h->device, VK_NULL_HANDLE, 1, &info, NULL, &h->pipeline));
}

/* Two dispatches, one directly behind the other. */
static void submit(struct host *h, unsigned queue, uint32_t salt)
{
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = h->pool[queue],
        .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer cmd = NULL;
    MUST(vkAllocateCommandBuffers(h->device, &allocate, &cmd));
    MUST(vkBeginCommandBuffer(cmd, &begin));
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, h->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, h->layout, 0, 1, &h->set, 0, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t push = salt + i;
        vkCmdPushConstants(cmd, h->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
        vkCmdDispatch(cmd, GROUPS, 1, 1);
    }
    MUST(vkEndCommandBuffer(cmd));
    const VkSubmitInfo work = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    MUST(vkQueueSubmit(h->queue[queue], 1, &work, VK_NULL_HANDLE));
}

/* FNV-1a of what the buffer holds. */
static uint64_t digest(const struct host *h)
{
    uint64_t v = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; i < WORDS; i++) {
        v = (v ^ h->map[i]) * UINT64_C(0x100000001b3);
    }
    return v;
}

int main(int argc, char **argv)
{
    struct host h = {0};
    open_device(&h);
    make_set(&h);
    make_pipeline(&h, argc > 1 ? argv[1] : "order.spv");
    memset(h.map, 0, 4 * WORDS);
    submit(&h, 0, 100);
    MUST(vkQueueWaitIdle(h.queue[0]));
    printf("one queue %016" PRIx64 "\n", digest(&h));
    submit(&h, 0, 200);
    submit(&h, 1, 300);
    submit(&h, 0, 400);
    MUST(vkQueueWaitIdle(h.queue[0]));
    MUST(vkQueueWaitIdle(h.queue[1]));
    printf("two queues %016" PRIx64 "\n", digest(&h));
    return 0;
}
