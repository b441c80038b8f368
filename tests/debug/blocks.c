// SPDX-License-Identifier: MIT
// A Vulkan program for the debugger: three dispatches of blocks.comp in one submission, each of
// which reads what the one before wrote, with an inline uniform block. Its exit status is 0 if
// the words are right, which it computes too.
#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan.h>

enum { WORDS = 64, ROUNDS = 3, BLOCK_WORDS = 5, CODE_WORDS = 4096 };

static const uint32_t block[BLOCK_WORDS] = {3, 50, 700, 9000, 100000};

struct program {
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkBuffer buffer;
    uint32_t *map;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

static void must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, result);
        exit(2);
    }
}

static void make_device(struct program *p)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    const VkPhysicalDeviceVulkan13Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .inlineUniformBlock = VK_TRUE};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    VkInstance instance = VK_NULL_HANDLE;
    uint32_t count = 1;
    must(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    if (vkEnumeratePhysicalDevices(instance, &count, &p->physical) < 0 || count != 1) {
        must(VK_ERROR_UNKNOWN, "no device");
    }
    must(vkCreateDevice(p->physical, &device, NULL, &p->device), "vkCreateDevice");
    vkGetDeviceQueue(p->device, 0, 0, &p->queue);
}

static void make_buffer(struct program *p)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = WORDS * sizeof *p->map,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .allocationSize = 4096};
    VkPhysicalDeviceMemoryProperties types = {0};
    VkDeviceMemory m = VK_NULL_HANDLE;
    vkGetPhysicalDeviceMemoryProperties(p->physical, &types);
    while ((types.memoryTypes[memory.memoryTypeIndex].propertyFlags &
            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0) {
        memory.memoryTypeIndex++;
    }
    must(vkCreateBuffer(p->device, &info, NULL, &p->buffer), "vkCreateBuffer");
    must(vkAllocateMemory(p->device, &memory, NULL, &m), "vkAllocateMemory");
    must(vkBindBufferMemory(p->device, p->buffer, m, 0), "vkBindBufferMemory");
    must(vkMapMemory(p->device, m, 0, VK_WHOLE_SIZE, 0, (void **)&p->map), "vkMapMemory");
    for (uint32_t i = 0; i < WORDS; i++) {
        p->map[i] = i;
    }
}

static void make_set(struct program *p)
{
    const VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 32, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 2,
        .pBindings = bindings};
    const VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                           {VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 32}};
    const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
        .maxInlineUniformBlockBindings = 1};
    const VkDescriptorPoolCreateInfo pool_info = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .pNext = &blocks,
                                                  .maxSets = 1,
                                                  .poolSizeCount = 2,
                                                  .pPoolSizes = sizes};
    VkDescriptorPool pool = VK_NULL_HANDLE;
    must(vkCreateDescriptorSetLayout(p->device, &layout, NULL, &p->set_layout), "set layout");
    must(vkCreateDescriptorPool(p->device, &pool_info, NULL, &pool), "vkCreateDescriptorPool");
    const VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &p->set_layout};
    must(vkAllocateDescriptorSets(p->device, &allocate, &p->set), "vkAllocateDescriptorSets");
    const VkDescriptorBufferInfo buffer = {p->buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSetInlineUniformBlock bytes = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
        .dataSize = sizeof block,
        .pData = block};
    const VkWriteDescriptorSet writes[2] = {
        {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = p->set,
         .descriptorCount = 1,
         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .pBufferInfo = &buffer},
        {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .pNext = &bytes,
         .dstSet = p->set,
         .dstBinding = 1,
         .descriptorCount = sizeof block,
         .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK}};
    vkUpdateDescriptorSets(p->device, 2, writes, 0, NULL);
}

static void make_pipeline(struct program *p, const char *path)
{
    static uint32_t code[CODE_WORDS];
    FILE *f = fopen(path, "rb");
    const size_t size = f != NULL ? fread(code, 1, sizeof code, f) : 0;
    must(f != NULL ? VK_SUCCESS : VK_ERROR_UNKNOWN, path);
    fclose(f);
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &p->set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"}};
    must(vkCreateShaderModule(p->device, &module, NULL, &info.stage.module),
         "vkCreateShaderModule");
    must(vkCreatePipelineLayout(p->device, &layout, NULL, &p->layout), "vkCreatePipelineLayout");
    info.layout = p->layout;
    must(vkCreateComputePipelines(p->device, VK_NULL_HANDLE, 1, &info, NULL, &p->pipeline),
         "vkCreateComputePipelines");
}

static void run(const struct program *p)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkMemoryBarrier between = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask =
                                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandBufferCount = 1};
    VkCommandBuffer c = VK_NULL_HANDLE;
    must(vkCreateCommandPool(p->device, &pool, NULL, &info.commandPool), "vkCreateCommandPool");
    must(vkAllocateCommandBuffers(p->device, &info, &c), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(c, &begin), "vkBeginCommandBuffer");
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &p->set, 0, NULL);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        vkCmdPushConstants(c, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof round, &round);
        vkCmdDispatch(c, WORDS / 32, 1, 1);
        vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &between, 0, NULL, 0,
                             NULL);
    }
    must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    must(vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(p->queue), "vkQueueWaitIdle");
}

int main(int argc, char **argv)
{
    struct program p = {.map = NULL};
    int wrong = 0;
    if (argc != 2) {
        return 2;
    }
    make_device(&p);
    make_buffer(&p);
    make_set(&p);
    make_pipeline(&p, argv[1]);
    run(&p);
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t want = i;
        for (uint32_t round = 1; round <= ROUNDS; round++) {
            want = want * 3 + block[i & 3] + block[4] * round;
        }
        wrong += p.map[i] != want;
    }
    printf("%d words are wrong\n", wrong);
    return wrong != 0;
}
