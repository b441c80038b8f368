// SPDX-License-Identifier: MIT
// Two dispatches, the second of which reads what the first wrote: y += 2 x, then z += 2 y. argv[1]
// is passes.comp as SPIR-V, argv[2] how: "right" and others without a bug, or one of the mistakes
// that hosts make; with "local-" in front of it, in the GPU's own memory. All of them give the
// right sum on some drivers, or no word on any.
//
//   glslangValidator -V -gVS passes.comp -o passes.spv
//   cc passes.c -lvulkan -o passes
//   lull exec --check all -- ./passes passes.spv no-barrier
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { N = 1024, LOCAL = 64, BUFFERS = 4, GROUPS = 3, PASSES = 2, BINDINGS = 2 };

static const char *how;
static bool local; // Buffers are in the GPU's own memory, where drivers fill and copy by shaders.
static VkDevice device;
static VkQueue queue;
static VkPipeline pipeline;
static VkEvent event;
static VkPipelineLayout layout;
static VkDescriptorSet sets[PASSES];
static VkBuffer buffers[BUFFERS]; // The last has workgroups of an indirect dispatch.

static void check(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, (int)r);
        exit(2);
    }
}

#define CHECK(call) check(call, #call)

static bool is(const char *name)
{
    return strcmp(how, name) == 0;
}

static bool begins(const char *with)
{
    return strncmp(how, with, strlen(with)) == 0;
}

static VkPhysicalDevice open_device(void)
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app};
    VkInstance instance = NULL;
    VkPhysicalDevice gpu = NULL;
    uint32_t n = 1;
    CHECK(vkCreateInstance(&info, NULL, &instance));
    vkEnumeratePhysicalDevices(instance, &n, &gpu);
    float one = 1;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &one};
    VkPhysicalDeviceFeatures features = {.robustBufferAccess = is("robust-range")};
    VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .pNext = begins("timeline") ? &timelines : NULL,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queues,
                                 .pEnabledFeatures = &features};
    CHECK(n == 1 ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
    CHECK(vkCreateDevice(gpu, &create, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    return gpu;
}

static float *new_buffer(VkPhysicalDevice gpu, VkBuffer *ret)
{
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = N * sizeof(float),
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements need = {0};
    VkPhysicalDeviceMemoryProperties types = {0};
    const VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                       (local ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT : 0);
    CHECK(vkCreateBuffer(device, &info, NULL, ret));
    vkGetBufferMemoryRequirements(device, *ret, &need);
    vkGetPhysicalDeviceMemoryProperties(gpu, &types);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = need.size};
    while ((need.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0 ||
           (types.memoryTypes[allocate.memoryTypeIndex].propertyFlags & want) != want) {
        allocate.memoryTypeIndex++;
    }
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void *map = NULL;
    CHECK(vkAllocateMemory(device, &allocate, NULL, &memory));
    CHECK(vkBindBufferMemory(device, *ret, memory, 0));
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &map));
    return map;
}

static void new_pipeline(const char *path, VkDescriptorSetLayout set_layout)
{
    static uint32_t code[65536];
    FILE *f = fopen(path, "rb");
    size_t bytes = f != NULL ? fread(code, 1, sizeof code, f) : 0;
    if (bytes == 0) {
        fprintf(stderr, "cannot read '%s'\n", path);
        exit(2);
    }
    fclose(f);
    VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 8};
    VkPipelineLayoutCreateInfo layout_info = {.sType =
                                                  VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .setLayoutCount = 1,
                                              .pSetLayouts = &set_layout,
                                              .pushConstantRangeCount = 1,
                                              .pPushConstantRanges = &range};
    CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
    VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = layout};
    CHECK(vkCreateShaderModule(device, &module, NULL, &info.stage.module));
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
}

static VkDescriptorSetLayout new_set_layout(void)
{
    VkDescriptorSetLayoutBinding bindings[BINDINGS] = {{0}};
    for (uint32_t i = 0; i < BINDINGS; i++) {
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .descriptorCount = 1,
                                           .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = BINDINGS,
                                            .pBindings = bindings};
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &set_layout));
    return set_layout;
}

static void new_sets(VkDescriptorSetLayout set_layout)
{
    VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .descriptorCount = PASSES * BINDINGS};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = PASSES,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VkDescriptorSetLayout layouts[PASSES] = {set_layout, set_layout};
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorSetCount = PASSES,
                                        .pSetLayouts = layouts};
    CHECK(vkCreateDescriptorPool(device, &pool, NULL, &info.descriptorPool));
    CHECK(vkAllocateDescriptorSets(device, &info, sets));
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        for (uint32_t i = 0; i < BINDINGS; i++) {
            const bool wrong = is("same-buffer") && pass == 1 && i == 1;
            const bool half = strstr(how, "-range") != NULL && pass == 1 && i == 0;
            VkDescriptorBufferInfo buffer = {.buffer = buffers[wrong ? pass : pass + i],
                                             .range = half ? N / 2 * sizeof(float) : VK_WHOLE_SIZE};
            VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = sets[pass],
                                          .dstBinding = i,
                                          .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                          .pBufferInfo = &buffer};
            if (!is("no-descriptor") || pass == 0 || i == 0) {
                vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
            }
        }
    }
}

static void barrier(VkCommandBuffer cmd, VkPipelineStageFlags from, VkAccessFlags made,
                    VkPipelineStageFlags to)
{
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = made,
                              .dstAccessMask =
                                  VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(cmd, from, to, 0, made != 0, &memory, 0, NULL, 0, NULL);
}

static void pass(VkCommandBuffer cmd, uint32_t number)
{
    struct {
        float a;
        uint32_t n;
    } push = {2, N};
    const struct {
        uint32_t n;
        float a;
    } turned = {N, 2};
    const bool swapped = is("swapped");
    const uint32_t groups = N / LOCAL;
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[number], 0,
                            NULL);
    if (is("parts")) { // The first half adds 0, so that all is as it was.
        push.a = 0;
        vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, &push);
        vkCmdDispatch(cmd, groups / 2, 1, 1);
        barrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
        push.a = 2;
    }
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8,
                       swapped ? (const void *)&turned : (const void *)&push);
    if (begins("indirect") && number == 1) {
        vkCmdDispatchIndirect(cmd, buffers[GROUPS], 0);
    } else {
        vkCmdDispatch(cmd, is("few-groups") ? groups / 2 : groups, 1, 1);
    }
}

/** The same for some bytes of a buffer, of half of it at most. */
static void bytes_barrier(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset)
{
    VkBufferMemoryBarrier bytes = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                   .dstAccessMask =
                                       VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                                   .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                   .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                   .buffer = buffer,
                                   .offset = offset,
                                   .size = N / 2 * sizeof(float)};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 1, &bytes, 0, NULL);
}

/** An event that the second waits for: set behind the first, or in front of it. */
static void set_event(VkCommandBuffer cmd)
{
    VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    if (event == VK_NULL_HANDLE) {
        CHECK(vkCreateEvent(device, &info, NULL, &event));
    }
    vkCmdSetEvent(cmd, event,
                  is("event-wrong-stage") ? VK_PIPELINE_STAGE_TRANSFER_BIT
                                          : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
}

static void wait_event(VkCommandBuffer cmd)
{
    const VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_SHADER_READ_BIT};
    vkCmdWaitEvents(cmd, 1, &event, compute, compute, 1, &memory, 0, NULL, 0, NULL);
}

/** The same with accesses that are wrong, or right. */
static void access_barrier(VkCommandBuffer cmd)
{
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const bool transfers = is("access-of-transfers");
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = transfers ? VK_ACCESS_TRANSFER_WRITE_BIT
                                                         : VK_ACCESS_SHADER_WRITE_BIT,
                              .dstAccessMask = transfers               ? VK_ACCESS_TRANSFER_READ_BIT
                                               : is("access-no-reads") ? VK_ACCESS_SHADER_WRITE_BIT
                                                                       : VK_ACCESS_SHADER_READ_BIT};
    vkCmdPipelineBarrier(cmd, all, all, 0, 1, &memory, 0, NULL, 0, NULL);
}

/** Between the passes, or at an end of a command buffer. */
static void between(VkCommandBuffer cmd)
{
    const VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    if (is("execution-only")) {
        barrier(cmd, compute, 0, compute);
    } else if (is("wrong-stage")) {
        barrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, compute);
    } else if (begins("event")) {
        if (!is("event-early")) {
            set_event(cmd);
        }
        wait_event(cmd);
    } else if (begins("access")) {
        access_barrier(cmd);
    } else if (begins("bytes")) {
        bytes_barrier(cmd, buffers[is("bytes-other-buffer") ? 0 : 1], N / 2 * sizeof(float));
        if (is("bytes")) {
            bytes_barrier(cmd, buffers[1], 0);
        }
    } else if (is("chain")) {
        barrier(cmd, compute, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
        barrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, compute);
    } else if (!is("no-barrier") && !is("submits") && !is("submits-wait") && !begins("timeline")) {
        barrier(cmd, compute, VK_ACCESS_SHADER_WRITE_BIT, compute);
    }
}

/** In front of the first pass: what it adds to is cleared on the GPU. */
static void clear(VkCommandBuffer cmd)
{
    static const float zeros[N];
    static const uint32_t groups[] = {N / LOCAL, 1, 1};
    const VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    if (begins("indirect")) {
        vkCmdUpdateBuffer(cmd, buffers[GROUPS], 0, sizeof groups, groups);
        barrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                is("indirect-update") ? VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT : compute);
    } else if (begins("fill")) {
        vkCmdFillBuffer(cmd, buffers[1], 0, VK_WHOLE_SIZE, 0);
    } else if (begins("update")) {
        vkCmdUpdateBuffer(cmd, buffers[1], 0, sizeof zeros, zeros);
    }
    if (is("fill") || is("update")) {
        barrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, compute);
    } else if (is("fill-wrong-stage")) {
        barrier(cmd, compute, VK_ACCESS_SHADER_WRITE_BIT, compute);
    }
}

/** Behind the last: its result is copied. */
static void copy_back(VkCommandBuffer cmd)
{
    const VkBufferCopy all = {.size = N * sizeof(float)};
    if (is("copy")) {
        barrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_TRANSFER_BIT);
    }
    if (begins("copy")) {
        vkCmdCopyBuffer(cmd, buffers[2], buffers[0], 1, &all);
    }
}

/** A semaphore that each submission gives the next value, and the second waits for. */
static void submit_in_time(VkCommandBuffer cmd)
{
    static VkSemaphore semaphore;
    static uint64_t number;
    const uint64_t value = ++number, wanted = is("timeline-low") ? 1 : value - 1;
    const VkPipelineStageFlags stage = is("timeline-wrong-stage")
                                           ? VK_PIPELINE_STAGE_TRANSFER_BIT
                                           : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    if (semaphore == VK_NULL_HANDLE) {
        CHECK(vkCreateSemaphore(device, &info, NULL, &semaphore));
    }
    const bool waits = value > 2;
    VkTimelineSemaphoreSubmitInfo values = {.sType =
                                                VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = waits,
                                            .pWaitSemaphoreValues = &wanted,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = &value};
    VkSubmitInfo work = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = &values,
                         .waitSemaphoreCount = waits,
                         .pWaitSemaphores = &semaphore,
                         .pWaitDstStageMask = &stage,
                         .commandBufferCount = cmd != NULL,
                         .pCommandBuffers = &cmd,
                         .signalSemaphoreCount = 1,
                         .pSignalSemaphores = &semaphore};
    CHECK(vkQueueSubmit(queue, 1, &work, VK_NULL_HANDLE));
}

static void submit(VkCommandBuffer cmd)
{
    VkSubmitInfo work = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    CHECK(vkEndCommandBuffer(cmd));
    if (begins("timeline")) {
        submit_in_time(cmd);
        return;
    }
    CHECK(vkQueueSubmit(queue, 1, &work, VK_NULL_HANDLE));
}

static void run(void)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandBufferCount = PASSES};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer cmd[PASSES] = {NULL};
    const bool two = begins("submits") || begins("timeline");
    CHECK(vkCreateCommandPool(device, &pool, NULL, &info.commandPool));
    CHECK(vkAllocateCommandBuffers(device, &info, cmd));
    if (begins("timeline")) { // Value 1 is there before the first.
        submit_in_time(NULL);
    }
    CHECK(vkBeginCommandBuffer(cmd[0], &begin));
    clear(cmd[0]);
    if (is("event-early")) {
        set_event(cmd[0]);
    }
    pass(cmd[0], 0);
    if (two) {
        if (is("submits-end")) {
            between(cmd[0]);
        }
        submit(cmd[0]);
        if (is("submits-wait")) {
            CHECK(vkQueueWaitIdle(queue));
        }
        CHECK(vkBeginCommandBuffer(cmd[1], &begin));
    }
    if (!is("submits-end")) {
        between(cmd[two]);
    }
    pass(cmd[two], 1);
    copy_back(cmd[two]);
    submit(cmd[two]);
    CHECK(vkQueueWaitIdle(queue));
}

int main(int argc, char **argv)
{
    static const char in_local[] = "local-";
    how = argc > 2 ? argv[2] : "right";
    local = strncmp(how, in_local, strlen(in_local)) == 0;
    how += local ? strlen(in_local) : 0;
    VkPhysicalDevice gpu = open_device();
    float *values[BUFFERS] = {NULL};
    for (unsigned i = 0; i < BUFFERS; i++) {
        values[i] = new_buffer(gpu, &buffers[i]);
        for (unsigned k = 0; k < N; k++) {
            if (i != 2 || !is("never-written")) {
                values[i][k] = i == 0 ? 1 : 0;
            }
        }
    }
    VkDescriptorSetLayout set_layout = new_set_layout();
    new_pipeline(argc > 1 ? argv[1] : "passes.spv", set_layout);
    new_sets(set_layout);
    run();
    double sum = 0;
    for (unsigned k = 0; k < N; k++) {
        sum += (double)values[2][k];
    }
    printf("sum %g, want %d\n", sum, 4 * N);
    return sum == 4 * N ? 0 : 1;
}
