// SPDX-License-Identifier: MIT
// Queues of a Vulkan device: order between them, waits for the host, queries, predication. A
// program as anybody writes one; expected values are computed here. argv[1]: SPIR-V of queues.comp;
// argv[2]: "lost" for the one test that loses the device, "wait" to wait for ever for what a lost
// job would have written.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "test.h"

enum {
    GFX,
    COMPUTE,
    NQUEUES,
    LOCAL = 64,
    GROUPS = 16,
    N = GROUPS * LOCAL,
    FLAG = N * 4, // offsets in the buffer, in bytes
    INDIRECT = FLAG + 256,
    RESULTS = INDIRECT + 256,
    BYTES = 1 << 20,
    SPIN = 1 << 30,
};

struct push {
    uint64_t data, flag;
    uint32_t mul, add, spin;
};

struct vk {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family[NQUEUES];
    VkQueue queue[NQUEUES];
    VkCommandPool pool[NQUEUES];
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint64_t address;
    uint8_t *map;
    VkSemaphore timeline;
    uint64_t at; ///< Value of the timeline that the next job signals.
};

static void must(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        printf("not ok - %s: VkResult %d\n", what, r);
        exit(1);
    }
}

static void open_device(struct vk *v)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    must(vkCreateInstance(&info, NULL, &v->instance), "instance");
    uint32_t n = 1;
    must(vkEnumeratePhysicalDevices(v->instance, &n, &v->physical), "physical device");
    VkQueueFamilyProperties families[8];
    n = 8;
    vkGetPhysicalDeviceQueueFamilyProperties(v->physical, &n, families);
    for (uint32_t i = n; i-- > 0;) {
        const bool gfx = (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
        if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) {
            v->family[gfx ? GFX : COMPUTE] = i;
        }
    }
    const float priority = 1;
    VkDeviceQueueCreateInfo queues[NQUEUES];
    for (unsigned i = 0; i < NQUEUES; i++) {
        queues[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = v->family[i],
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
    }
    VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
        .conditionalRendering = VK_TRUE};
    VkPhysicalDeviceVulkan12Features vulkan12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &conditional,
        .timelineSemaphore = VK_TRUE,
        .hostQueryReset = VK_TRUE,
        .bufferDeviceAddress = VK_TRUE};
    const VkPhysicalDeviceFeatures features = {.pipelineStatisticsQuery = VK_TRUE};
    static const char *const extensions[] = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME};
    VkPhysicalDeviceVulkan13Features vulkan13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .pNext = &vulkan12,
        .dynamicRendering = VK_TRUE};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &vulkan13,
                                       .queueCreateInfoCount = NQUEUES,
                                       .pQueueCreateInfos = queues,
                                       .enabledExtensionCount = 1,
                                       .ppEnabledExtensionNames = extensions,
                                       .pEnabledFeatures = &features};
    must(vkCreateDevice(v->physical, &device, NULL, &v->device), "device");
}

static void make_queues(struct vk *v)
{
    for (unsigned i = 0; i < NQUEUES; i++) {
        vkGetDeviceQueue(v->device, v->family[i], 0, &v->queue[i]);
        const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .queueFamilyIndex = v->family[i]};
        must(vkCreateCommandPool(v->device, &pool, NULL, &v->pool[i]), "command pool");
    }
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &type};
    must(vkCreateSemaphore(v->device, &info, NULL, &v->timeline), "semaphore");
}

static void make_pipeline(struct vk *v, const char *path)
{
    static uint32_t code[1 << 14];
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(code, 1, sizeof code, file) : 0;
    must(size != 0 ? VK_SUCCESS : VK_ERROR_UNKNOWN, path);
    fclose(file);
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct push)};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
    must(vkCreatePipelineLayout(v->device, &layout, NULL, &v->layout), "pipeline layout");
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    VkShaderModule module;
    must(vkCreateShaderModule(v->device, &info, NULL, &module), "shader module");
    const VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = v->layout};
    must(vkCreateComputePipelines(v->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &v->pipeline),
         "pipeline");
    vkDestroyShaderModule(v->device, module, NULL);
}

static void make_buffer(struct vk *v)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = BYTES,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT};
    must(vkCreateBuffer(v->device, &info, NULL, &v->buffer), "buffer");
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(v->device, v->buffer, &need);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(v->physical, &types);
    const VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while ((need.memoryTypeBits >> type & 1) == 0 ||
           (types.memoryTypes[type].propertyFlags & flags) != flags) {
        type++;
    }
    const VkMemoryAllocateFlagsInfo address = {.sType =
                                                   VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                               .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .pNext = &address,
                                        .allocationSize = need.size,
                                        .memoryTypeIndex = type};
    must(vkAllocateMemory(v->device, &alloc, NULL, &v->memory), "memory");
    must(vkBindBufferMemory(v->device, v->buffer, v->memory, 0), "bind");
    const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = v->buffer};
    v->address = vkGetBufferDeviceAddress(v->device, &of);
    void *map = NULL;
    must(vkMapMemory(v->device, v->memory, 0, VK_WHOLE_SIZE, 0, &map), "map");
    v->map = map;
}

static uint32_t word(const struct vk *v, uint32_t offset)
{
    uint32_t value = 0;
    memcpy(&value, v->map + offset, sizeof value);
    return value;
}

static void put(const struct vk *v, uint32_t offset, uint32_t value)
{
    memcpy(v->map + offset, &value, sizeof value);
}

static VkCommandBuffer begin(struct vk *v, unsigned queue)
{
    const VkCommandBufferAllocateInfo alloc = {.sType =
                                                   VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = v->pool[queue],
                                               .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                               .commandBufferCount = 1};
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer c;
    must(vkAllocateCommandBuffers(v->device, &alloc, &c), "command buffer");
    must(vkBeginCommandBuffer(c, &info), "begin");
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, v->pipeline);
    return c;
}

/** Every word becomes itself * mul + add; with @p spin only when FLAG is set. */
static void set(const struct vk *v, VkCommandBuffer c, uint32_t mul, uint32_t add, uint32_t spin)
{
    const struct push push = {v->address, v->address + FLAG, mul, add, spin};
    vkCmdPushConstants(c, v->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
}

static void barrier(VkCommandBuffer c)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         0, 1, &all, 0, NULL, 0, NULL);
}

/** Submit: waits for @p after (0: nothing) on the timeline, signals a new value, which is returned.
 */
static uint64_t submit(struct vk *v, unsigned queue, VkCommandBuffer c, uint64_t after)
{
    barrier(c);
    must(vkEndCommandBuffer(c), "end");
    const uint64_t signal = ++v->at;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = after != 0,
        .pWaitSemaphoreValues = &after,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &signal};
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = after != 0,
                               .pWaitSemaphores = &v->timeline,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &c,
                               .signalSemaphoreCount = 1,
                               .pSignalSemaphores = &v->timeline};
    must(vkQueueSubmit(v->queue[queue], 1, &info, VK_NULL_HANDLE), "submit");
    return signal;
}

static VkResult wait_for(const struct vk *v, uint64_t value, uint64_t timeout)
{
    const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &v->timeline,
                                      .pValues = &value};
    return vkWaitSemaphores(v->device, &info, timeout);
}

static void fresh(const struct vk *v)
{
    for (uint32_t i = 0; i < N; i++) {
        put(v, 4 * i, i);
    }
    memset(v->map + FLAG, 0, BYTES - FLAG);
}

/** Words that are not i * mul + add. */
static unsigned wrong(const struct vk *v, uint32_t mul, uint32_t add)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < N; i++) {
        n += word(v, 4 * i) != i * mul + add;
    }
    return n;
}

static void test_order(struct vk *v)
{
    fresh(v);
    // Submitted in the wrong order: the later value's job first.
    VkCommandBuffer second = begin(v, GFX), first = begin(v, COMPUTE);
    set(v, second, 3, 1, 0);
    vkCmdDispatch(second, GROUPS, 1, 1);
    set(v, first, 5, 2, 0);
    vkCmdDispatch(first, GROUPS, 1, 1);
    const uint64_t a = submit(v, COMPUTE, first, 0);
    must(wait_for(v, submit(v, GFX, second, a), UINT64_MAX), "wait");
    test_case(wrong(v, 15, 7) == 0, "graphics queue after compute queue", "%u words are wrong",
              wrong(v, 15, 7));
    // The host comes last.
    fresh(v);
    VkCommandBuffer c = begin(v, COMPUTE);
    set(v, c, 7, 0, 0);
    vkCmdDispatch(c, GROUPS, 1, 1);
    const uint64_t host = ++v->at, end = submit(v, COMPUTE, c, host);
    const VkResult early = wait_for(v, end, 20000000);
    const VkSemaphoreSignalInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = v->timeline, .value = host};
    must(vkSignalSemaphore(v->device, &signal), "signal");
    must(wait_for(v, end, UINT64_MAX), "wait");
    test_case(early == VK_TIMEOUT && wrong(v, 7, 0) == 0, "a submission that waits for the host",
              "%d, %u words are wrong", early, wrong(v, 7, 0));
}

// Waves of one queue spin until one of the other queue's has come.
static void test_overlap(struct vk *v)
{
    fresh(v);
    VkCommandBuffer spin = begin(v, GFX), go = begin(v, COMPUTE);
    set(v, spin, 2, 1, SPIN);
    vkCmdDispatch(spin, GROUPS, 1, 1);
    vkCmdFillBuffer(go, v->buffer, FLAG, 4, 1);
    const uint64_t a = submit(v, GFX, spin, 0);
    const VkResult early = wait_for(v, a, 20000000);
    submit(v, COMPUTE, go, 0);
    must(wait_for(v, a, UINT64_MAX), "wait");
    test_case(early == VK_TIMEOUT && wrong(v, 2, 1) == 0, "two queues overlap",
              "%d, %u words are wrong", early, wrong(v, 2, 1));
}

static void test_event(struct vk *v, unsigned queue)
{
    const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    fresh(v);
    must(vkCreateEvent(v->device, &info, NULL, &event), "event");
    VkCommandBuffer c = begin(v, queue);
    vkCmdWaitEvents(c, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                    0, NULL, 0, NULL, 0, NULL);
    set(v, c, 9, 4, 0);
    vkCmdDispatch(c, GROUPS, 1, 1);
    const uint64_t a = submit(v, queue, c, 0);
    const VkResult early = wait_for(v, a, 20000000);
    const bool untouched = wrong(v, 1, 0) == 0;
    must(vkSetEvent(v->device, event), "set event");
    must(wait_for(v, a, UINT64_MAX), "wait");
    test_case(early == VK_TIMEOUT && untouched && wrong(v, 9, 4) == 0,
              queue == GFX ? "an event that the host sets, graphics queue"
                           : "an event that the host sets, compute queue",
              "%d, %u words are wrong", early, wrong(v, 9, 4));
    vkDestroyEvent(v->device, event, NULL);
}

static VkQueryPool make_pool(const struct vk *v, VkQueryType type, uint32_t n)
{
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = type,
        .queryCount = n,
        .pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT};
    VkQueryPool pool;
    must(vkCreateQueryPool(v->device, &info, NULL, &pool), "query pool");
    vkResetQueryPool(v->device, pool, 0, n);
    return pool;
}

static void test_queries(struct vk *v)
{
    const VkQueryPool stats = make_pool(v, VK_QUERY_TYPE_PIPELINE_STATISTICS, 2);
    const VkQueryPool times = make_pool(v, VK_QUERY_TYPE_TIMESTAMP, 2);
    uint64_t t[2] = {0}, n[2] = {0};
    fresh(v);
    VkCommandBuffer c = begin(v, GFX);
    set(v, c, 1, 1, 0);
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, times, 0);
    for (uint32_t i = 0; i < 2; i++) {
        vkCmdBeginQuery(c, stats, i, 0);
        vkCmdDispatch(c, GROUPS - i, 1 + i, 1);
        vkCmdEndQuery(c, stats, i);
        barrier(c);
    }
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times, 1);
    vkCmdCopyQueryPoolResults(c, times, 0, 2, v->buffer, RESULTS, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    vkCmdCopyQueryPoolResults(c, stats, 0, 2, v->buffer, RESULTS + 16, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    must(wait_for(v, submit(v, GFX, c, 0), UINT64_MAX), "wait");
    const VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
    must(vkGetQueryPoolResults(v->device, times, 0, 2, sizeof t, t, 8, flags), "times");
    must(vkGetQueryPoolResults(v->device, stats, 0, 2, sizeof n, n, 8, flags), "stats");
    test_case(n[0] == N && n[1] == (GROUPS - 1) * 2 * LOCAL, "compute shader invocations",
              "%llu and %llu", (unsigned long long)n[0], (unsigned long long)n[1]);
    test_case(t[0] != 0 && t[1] > t[0], "timestamps", "%llu, then %llu", (unsigned long long)t[0],
              (unsigned long long)t[1]);
    test_case(memcmp(v->map + RESULTS, t, sizeof t) == 0 &&
                  memcmp(v->map + RESULTS + 16, n, sizeof n) == 0,
              "the GPU's copies of them", "differ");
    vkDestroyQueryPool(v->device, stats, NULL);
    vkDestroyQueryPool(v->device, times, NULL);
}

static void test_condition(struct vk *v, unsigned queue)
{
    const PFN_vkCmdBeginConditionalRenderingEXT begin_if =
        (PFN_vkCmdBeginConditionalRenderingEXT)vkGetDeviceProcAddr(
            v->device, "vkCmdBeginConditionalRenderingEXT");
    const PFN_vkCmdEndConditionalRenderingEXT end_if =
        (PFN_vkCmdEndConditionalRenderingEXT)vkGetDeviceProcAddr(v->device,
                                                                 "vkCmdEndConditionalRenderingEXT");
    fresh(v);
    put(v, FLAG + 4, 1); // FLAG itself is 0
    const uint32_t groups[3] = {GROUPS, 1, 1};
    memcpy(v->map + INDIRECT, groups, sizeof groups);
    VkCommandBuffer c = begin(v, queue);
    uint32_t mul = 1;
    for (uint32_t i = 0; i < 4; i++) { // if (0), if (1), if (!0), if (!1)
        const VkConditionalRenderingBeginInfoEXT info = {
            .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
            .buffer = v->buffer,
            .offset = FLAG + 4 * (i & 1),
            .flags = i >= 2 ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0};
        mul *= i == 1 || i == 2 ? i + 2 : 1;
        begin_if(c, &info);
        set(v, c, i + 2, 0, 0);
        if (i < 2) {
            vkCmdDispatch(c, GROUPS, 1, 1);
        } else {
            vkCmdDispatchIndirect(c, v->buffer, INDIRECT);
        }
        end_if(c);
        barrier(c);
    }
    must(wait_for(v, submit(v, queue, c, 0), UINT64_MAX), "wait");
    test_case(wrong(v, mul, 0) == 0,
              queue == GFX ? "conditional dispatches, graphics queue"
                           : "conditional dispatches, compute queue",
              "%u words are wrong; the first is %u", wrong(v, mul, 0), word(v, 4));
}

static void test_copies(struct vk *v, unsigned queue)
{
    enum { FROM = 1 << 18, TO = 3 << 18, SIZE = 200004 };
    unsigned bad = 0;
    fresh(v);
    for (uint32_t i = 0; i < SIZE; i += 4) {
        put(v, FROM + i, i * 2654435761u);
    }
    VkCommandBuffer c = begin(v, queue);
    const VkBufferCopy copy = {.srcOffset = FROM, .dstOffset = TO, .size = SIZE};
    const VkBufferCopy small = {.srcOffset = FROM, .dstOffset = RESULTS, .size = 12};
    const uint32_t update[3] = {1, 2, 3};
    vkCmdCopyBuffer(c, v->buffer, v->buffer, 1, &copy);
    vkCmdCopyBuffer(c, v->buffer, v->buffer, 1, &small);
    vkCmdUpdateBuffer(c, v->buffer, RESULTS + 64, sizeof update, update);
    vkCmdFillBuffer(c, v->buffer, RESULTS + 128, 65536, 0xabcdef01);
    must(wait_for(v, submit(v, queue, c, 0), UINT64_MAX), "wait");
    bad += memcmp(v->map + FROM, v->map + TO, SIZE) != 0;
    bad += memcmp(v->map + FROM, v->map + RESULTS, 12) != 0;
    bad += memcmp(update, v->map + RESULTS + 64, sizeof update) != 0;
    for (uint32_t i = 0; i < 65536; i += 4) {
        bad += word(v, RESULTS + 128 + i) != 0xabcdef01;
    }
    bad += word(v, RESULTS + 128 + 65536) != 0;
    test_case(bad == 0,
              queue == GFX ? "copies and fills, graphics queue" : "copies and fills, compute queue",
              "%u are wrong", bad);
}

// A buffer whose memory is gone.
static VkBuffer make_gone(const struct vk *v)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 4096,
                                     .usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT};
    VkBuffer buffer;
    must(vkCreateBuffer(v->device, &info, NULL, &buffer), "buffer");
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(v->device, buffer, &need);
    const VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .allocationSize = need.size,
                                        .memoryTypeIndex =
                                            (uint32_t)__builtin_ctz(need.memoryTypeBits)};
    VkDeviceMemory memory;
    must(vkAllocateMemory(v->device, &alloc, NULL, &memory), "memory");
    must(vkBindBufferMemory(v->device, buffer, memory, 0), "bind");
    vkFreeMemory(v->device, memory, NULL);
    return buffer;
}

// A dispatch as big as memory says that is gone: the command processor faults. Behind it 1 goes to
// FLAG.
static uint64_t submit_lost(struct vk *v)
{
    VkCommandBuffer c = begin(v, GFX);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, v->pipeline);
    vkCmdDispatchIndirect(c, make_gone(v), 0);
    vkCmdFillBuffer(c, v->buffer, FLAG, 4, 1);
    return submit(v, GFX, c, 0);
}

// The program ends as one does whose device is lost.
static void test_lost(struct vk *v)
{
    wait_for(v, submit_lost(v), UINT64_MAX);
    VkCommandBuffer next = begin(v, GFX);
    must(vkEndCommandBuffer(next), "end");
    const VkSubmitInfo again = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &next};
    const VkResult r = vkQueueSubmit(v->queue[GFX], 1, &again, VK_NULL_HANDLE);
    test_case(r == VK_ERROR_DEVICE_LOST, "work that faults loses the device", "VkResult %d", r);
}

// No call of Vulkan says that the device is lost.
static void wait_for_ever(struct vk *v)
{
    volatile const uint32_t *flag = (const uint32_t *)(v->map + FLAG);
    submit_lost(v);
    while (*flag == 0) {
        usleep(1000);
    }
}

static void done(struct vk *v)
{
    vkDeviceWaitIdle(v->device);
    vkDestroySemaphore(v->device, v->timeline, NULL);
    vkDestroyBuffer(v->device, v->buffer, NULL);
    vkFreeMemory(v->device, v->memory, NULL);
    vkDestroyPipeline(v->device, v->pipeline, NULL);
    vkDestroyPipelineLayout(v->device, v->layout, NULL);
    for (unsigned i = 0; i < NQUEUES; i++) {
        vkDestroyCommandPool(v->device, v->pool[i], NULL);
    }
    vkDestroyDevice(v->device, NULL);
    vkDestroyInstance(v->instance, NULL);
}

int main(int argc, char **argv)
{
    struct vk v = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_device(&v);
    make_queues(&v);
    make_pipeline(&v, argc > 1 ? argv[1] : "queues.spv");
    make_buffer(&v);
    if (argc > 2 && strcmp(argv[2], "lost") == 0) {
        test_lost(&v);
        return test_end();
    }
    if (argc > 2 && strcmp(argv[2], "wait") == 0) {
        wait_for_ever(&v);
        return 0;
    }
    test_order(&v);
    test_overlap(&v);
    test_queries(&v);
    for (unsigned queue = 0; queue < NQUEUES; queue++) {
        test_event(&v, queue);
        test_condition(&v, queue);
        test_copies(&v, queue);
    }
    done(&v);
    return test_end();
}
