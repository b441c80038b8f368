// SPDX-License-Identifier: MIT
// Commands that `lull run` has no words for: secondary command buffers, fills, copies, updates,
// push descriptors by template, events, queries. argv[1]: part of the device's name; argv[2]:
// SPIR-V of commands.comp. TAP; the expected values are computed here.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "test.h"

enum { GROUPS = 8, LOCAL = 64, N = GROUPS * LOCAL, BYTES = 4 * N, SPACE = 65536, PAGE = 4096 };

struct host {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties props;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkDescriptorSetLayout set_layout, push_layout;
    VkPipelineLayout layout, push_pipeline_layout;
    VkPipeline pipeline, push_pipeline;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkBuffer a, b; ///< SPACE bytes each; b's first word counts.
    uint32_t *map_a, *map_b;
};

static void must(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        printf("Bail out! %s: VkResult %d\n", what, (int)r);
        exit(1);
    }
}

static void open_device(struct host *h, const char *name)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkPhysicalDevice all[16] = {0};
    uint32_t n = 16;
    must(vkCreateInstance(&info, NULL, &h->instance), "vkCreateInstance");
    must(vkEnumeratePhysicalDevices(h->instance, &n, all), "vkEnumeratePhysicalDevices");
    for (uint32_t i = 0; i < n && h->physical == VK_NULL_HANDLE; i++) {
        vkGetPhysicalDeviceProperties(all[i], &h->props);
        if (strstr(h->props.deviceName, name) != NULL) {
            h->physical = all[i];
        }
    }
    must(h->physical != VK_NULL_HANDLE ? VK_SUCCESS : VK_INCOMPLETE, name);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = h->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    static const char *const extensions[] = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
                                             VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount = 2,
                                       .ppEnabledExtensionNames = extensions};
    must(vkCreateDevice(h->physical, &device, NULL, &h->device), "vkCreateDevice");
    vkGetDeviceQueue(h->device, h->family, 0, &h->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = h->family};
    must(vkCreateCommandPool(h->device, &pool, NULL, &h->pool), "vkCreateCommandPool");
}

static VkBuffer make_buffer(struct host *h, uint32_t **ret_map)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = SPACE,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    VkMemoryRequirements need = {0};
    VkPhysicalDeviceMemoryProperties types = {0};
    must(vkCreateBuffer(h->device, &info, NULL, &buffer), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(h->device, buffer, &need);
    vkGetPhysicalDeviceMemoryProperties(h->physical, &types);
    const VkMemoryPropertyFlags want =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type + 1 < types.memoryTypeCount &&
           ((need.memoryTypeBits >> type & 1) == 0 ||
            (types.memoryTypes[type].propertyFlags & want) != want)) {
        type++;
    }
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .allocationSize = need.size,
                                           .memoryTypeIndex = type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void *map = NULL;
    must(vkAllocateMemory(h->device, &allocate, NULL, &memory), "vkAllocateMemory");
    must(vkBindBufferMemory(h->device, buffer, memory, 0), "vkBindBufferMemory");
    must(vkMapMemory(h->device, memory, 0, VK_WHOLE_SIZE, 0, &map), "vkMapMemory");
    *ret_map = map;
    return buffer;
}

static VkPipelineLayout make_layout(struct host *h, VkDescriptorSetLayoutCreateFlags flags,
                                    VkDescriptorSetLayout *ret_set)
{
    VkDescriptorSetLayoutBinding bindings[2] = {{0}};
    for (uint32_t i = 0; i < 2; i++) {
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .descriptorCount = 1,
                                           .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = flags,
        .bindingCount = 2,
        .pBindings = bindings};
    must(vkCreateDescriptorSetLayout(h->device, &set, NULL, ret_set), "set layout");
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1,
                                             .pSetLayouts = ret_set,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    must(vkCreatePipelineLayout(h->device, &info, NULL, &layout), "pipeline layout");
    return layout;
}

static VkPipeline make_pipeline(struct host *h, VkShaderModule module, VkPipelineLayout layout)
{
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    must(vkCreateComputePipelines(h->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
         "pipeline");
    return pipeline;
}

static void make_pipelines(struct host *h, const char *path)
{
    static uint32_t words[16384];
    FILE *f = fopen(path, "rb");
    const size_t size = f != NULL ? fread(words, 1, sizeof words, f) : 0;
    must(size > 0 ? VK_SUCCESS : VK_INCOMPLETE, path);
    fclose(f);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkShaderModule module = VK_NULL_HANDLE;
    must(vkCreateShaderModule(h->device, &info, NULL, &module), "vkCreateShaderModule");
    h->layout = make_layout(h, 0, &h->set_layout);
    h->push_pipeline_layout =
        make_layout(h, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, &h->push_layout);
    h->pipeline = make_pipeline(h, module, h->layout);
    h->push_pipeline = make_pipeline(h, module, h->push_pipeline_layout);
}

static void make_set(struct host *h)
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    must(vkCreateDescriptorPool(h->device, &pool, NULL, &h->set_pool), "descriptor pool");
    const VkDescriptorSetAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = h->set_pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &h->set_layout};
    must(vkAllocateDescriptorSets(h->device, &info, &h->set), "descriptor set");
    const VkDescriptorBufferInfo buffers[2] = {{h->a, 0, BYTES}, {h->b, 0, 4}};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = h->set,
                                        .descriptorCount = 2, // goes on into binding 1
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = buffers};
    vkUpdateDescriptorSets(h->device, 1, &write, 0, NULL);
}

static VkCommandBuffer begin(struct host *h, VkCommandBufferLevel level)
{
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = h->pool,
                                              .level = level,
                                              .commandBufferCount = 1};
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo start = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                            .pInheritanceInfo = &inherit};
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    must(vkAllocateCommandBuffers(h->device, &info, &cmd), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(cmd, &start), "vkBeginCommandBuffer");
    return cmd;
}

static void barrier(VkCommandBuffer cmd)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &all, 0, NULL, 0, NULL);
}

static void dispatch(struct host *h, VkCommandBuffer cmd, uint32_t mul, uint32_t add)
{
    const uint32_t push[2] = {mul, add};
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, h->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, h->layout, 0, 1, &h->set, 0, NULL);
    vkCmdPushConstants(cmd, h->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(cmd, GROUPS, 1, 1);
    barrier(cmd);
}

static void submit(struct host *h, VkCommandBuffer cmd)
{
    must(vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    must(vkQueueSubmit(h->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(h->queue), "vkQueueWaitIdle");
}

static void clear(struct host *h)
{
    memset(h->map_a, 0, SPACE);
    memset(h->map_b, 0, SPACE);
    for (uint32_t i = 0; i < N; i++) {
        h->map_a[i] = i;
    }
}

/** a is i, worked on by each pair of (mul, add). */
static bool is_worked(const struct host *h, const uint32_t *steps, unsigned n)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t v = i;
        for (unsigned s = 0; s < n; s++) {
            v = v * steps[2 * s] + steps[2 * s + 1] + i / LOCAL;
        }
        if (h->map_a[i] != v) {
            printf("# [%u] is %u, not %u\n", i, h->map_a[i], v);
            return false;
        }
    }
    return h->map_b[0] == n * N;
}

static void secondary(struct host *h)
{
    static const uint32_t steps[] = {3, 5, 7, 1, 3, 5};
    clear(h);
    VkCommandBuffer first = begin(h, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    dispatch(h, first, 3, 5);
    must(vkEndCommandBuffer(first), "vkEndCommandBuffer");
    VkCommandBuffer second = begin(h, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    dispatch(h, second, 7, 1);
    must(vkEndCommandBuffer(second), "vkEndCommandBuffer");
    const VkCommandBuffer both[3] = {first, second, first};
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdExecuteCommands(cmd, 3, both);
    submit(h, cmd);
    test_case(is_worked(h, steps, 3), "secondary command buffers, one of them twice", "not so");
}

static void again(struct host *h)
{
    static const uint32_t steps[] = {5, 9, 5, 9};
    clear(h);
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    dispatch(h, cmd, 5, 9);
    submit(h, cmd);
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    must(vkQueueSubmit(h->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(h->queue), "vkQueueWaitIdle");
    test_case(is_worked(h, steps, 2), "a command buffer submitted twice", "not so");
}

static void many(struct host *h)
{
    enum { STEPS = 200 };
    static uint32_t steps[2 * STEPS];
    clear(h);
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    for (uint32_t i = 0; i < STEPS; i++) {
        steps[2 * i] = 2 * i + 1;
        steps[2 * i + 1] = i * 77;
        dispatch(h, cmd, steps[2 * i], steps[2 * i + 1]);
    }
    submit(h, cmd);
    test_case(is_worked(h, steps, STEPS), "200 dispatches in one command buffer", "not so");
}

static void fill_and_update(struct host *h)
{
    clear(h);
    uint8_t bytes[1000];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 37);
    }
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdFillBuffer(cmd, h->a, 0, 12, 0x01020304);        // small: by the command processor
    vkCmdFillBuffer(cmd, h->a, 16384, 40000, 0xa5a50001); // large: by a shader
    vkCmdFillBuffer(cmd, h->b, 64, VK_WHOLE_SIZE, 0xcafe);
    barrier(cmd);
    vkCmdUpdateBuffer(cmd, h->b, 1024, sizeof bytes, bytes);
    submit(h, cmd);
    bool ok = h->map_a[0] == 0x01020304 && h->map_a[2] == 0x01020304 && h->map_a[3] == 3;
    for (unsigned i = 4096; i < SPACE / 4; i++) {
        ok &= h->map_a[i] == (i < 4096 + 10000 ? 0xa5a50001 : 0);
    }
    for (unsigned i = 16; i < SPACE / 4; i++) {
        ok &= (i >= 256 && i < 506) || h->map_b[i] == 0xcafe;
    }
    ok &= memcmp(h->map_b + 256, bytes, sizeof bytes) == 0 && h->map_b[15] == 0;
    test_case(ok, "vkCmdFillBuffer small, large, whole; vkCmdUpdateBuffer", "not so");
}

static void copies(struct host *h)
{
    clear(h);
    for (unsigned i = 0; i < SPACE / 4; i++) {
        h->map_a[i] = i * 2654435761u;
    }
    const VkBufferCopy regions[] = {{0, 4, 4},     {100, 1003, 17},     {4096, 8192, 4096},
                                    {1, 20001, 3}, {8191, 30000, 9999}, {40000, 45056, 20480}};
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdCopyBuffer(cmd, h->a, h->b, sizeof regions / sizeof regions[0], regions);
    submit(h, cmd);
    static uint8_t want[SPACE];
    for (unsigned i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        memcpy(want + regions[i].dstOffset, (uint8_t *)h->map_a + regions[i].srcOffset,
               regions[i].size);
    }
    test_case(memcmp(want, h->map_b, SPACE) == 0,
              "vkCmdCopyBuffer of aligned and odd regions, small and large", "not so");
}

static void push_template(struct host *h)
{
    static const uint32_t steps[] = {11, 13};
    clear(h);
    const VkDescriptorUpdateTemplateEntry entries[2] = {
        {0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0},
        {1, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sizeof(VkDescriptorBufferInfo), 0}};
    const VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 2,
        .pDescriptorUpdateEntries = entries,
        .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
        .descriptorSetLayout = h->push_layout,
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
        .pipelineLayout = h->push_pipeline_layout};
    VkDescriptorUpdateTemplate template = VK_NULL_HANDLE;
    must(vkCreateDescriptorUpdateTemplate(h->device, &info, NULL, &template), "template");
    PFN_vkCmdPushDescriptorSetWithTemplateKHR push =
        (PFN_vkCmdPushDescriptorSetWithTemplateKHR)vkGetDeviceProcAddr(
            h->device, "vkCmdPushDescriptorSetWithTemplateKHR");
    const VkDescriptorBufferInfo buffers[2] = {{h->a, 0, BYTES}, {h->b, 0, 4}};
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, h->push_pipeline);
    push(cmd, template, h->push_pipeline_layout, 0, buffers);
    vkCmdPushConstants(cmd, h->push_pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, steps);
    vkCmdDispatch(cmd, GROUPS, 1, 1);
    barrier(cmd);
    submit(h, cmd);
    test_case(is_worked(h, steps, 1), "push descriptors by a template", "not so");
    vkDestroyDescriptorUpdateTemplate(h->device, template, NULL);
}

static void events(struct host *h)
{
    static const uint32_t steps[] = {3, 1, 5, 2};
    const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event = VK_NULL_HANDLE;
    clear(h);
    must(vkCreateEvent(h->device, &info, NULL, &event), "vkCreateEvent");
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_SHADER_READ_BIT};
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    dispatch(h, cmd, 3, 1);
    vkCmdSetEvent(cmd, event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    vkCmdWaitEvents(cmd, 1, &event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 1, &all, 0, NULL, 0, NULL);
    dispatch(h, cmd, 5, 2);
    submit(h, cmd);
    test_case(is_worked(h, steps, 2) && vkGetEventStatus(h->device, event) == VK_EVENT_SET,
              "an event between two dispatches", "not so");
    must(vkResetEvent(h->device, event), "vkResetEvent");
    test_case(vkGetEventStatus(h->device, event) == VK_EVENT_RESET, "the event reset", "not so");
    vkDestroyEvent(h->device, event, NULL);
}

static void timestamps(struct host *h)
{
    enum { QUERIES = 3 };
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = QUERIES};
    VkQueryPool pool = VK_NULL_HANDLE;
    must(vkCreateQueryPool(h->device, &info, NULL, &pool), "vkCreateQueryPool");
    clear(h);
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdResetQueryPool(cmd, pool, 0, QUERIES);
    for (uint32_t i = 0; i < QUERIES; i++) {
        vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, i);
        dispatch(h, cmd, 3, 1);
    }
    vkCmdCopyQueryPoolResults(cmd, pool, 0, QUERIES, h->b, 1024, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    barrier(cmd);
    submit(h, cmd);
    uint64_t times[QUERIES] = {0}, copied[QUERIES] = {0};
    const VkResult r = vkGetQueryPoolResults(h->device, pool, 0, QUERIES, sizeof times, times, 8,
                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    memcpy(copied, h->map_b + 256, sizeof copied);
    test_case(r == VK_SUCCESS && times[0] != 0 && times[0] < times[1] && times[1] < times[2],
              "timestamps go up", "not so");
    test_case(memcmp(times, copied, sizeof times) == 0, "and are copied into a buffer", "not so");
    vkDestroyQueryPool(h->device, pool, NULL);
}

static void dispatches(struct host *h)
{
    clear(h);
    const uint32_t push[2] = {1, 1000};
    const uint32_t groups[4] = {0, 2, 1, 1}; // the command's three words start at the second
    memcpy(h->map_a + 8192, groups, sizeof groups);
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, h->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, h->layout, 0, 1, &h->set, 0, NULL);
    vkCmdPushConstants(cmd, h->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    // The other way round the base stays for the indirect one, with RADV and lavapipe of Mesa 22.3.
    vkCmdDispatchIndirect(cmd, h->a, 8192 * 4 + 4);
    barrier(cmd);
    vkCmdDispatchBase(cmd, 5, 0, 0, 3, 1, 1);
    vkCmdDispatch(cmd, 0, 1, 1);
    barrier(cmd);
    submit(h, cmd);
    bool ok = h->map_b[0] == 5 * LOCAL;
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t group = i / LOCAL;
        ok &= h->map_a[i] == i + (group >= 5 || group < 2 ? 1000 + group : 0);
    }
    test_case(ok, "vkCmdDispatchBase, vkCmdDispatchIndirect, and a dispatch of nothing", "not so");
}

/** A buffer of two pages of the program's own at @p pages. */
static VkBuffer import(struct host *h, uint8_t *pages, VkDeviceMemory *ret)
{
    const VkExternalMemoryHandleTypeFlagBits type =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = type};
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .pNext = &external,
                                     .size = 2 * PAGE,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    PFN_vkGetMemoryHostPointerPropertiesEXT get =
        (PFN_vkGetMemoryHostPointerPropertiesEXT)vkGetDeviceProcAddr(
            h->device, "vkGetMemoryHostPointerPropertiesEXT");
    VkMemoryHostPointerPropertiesEXT props = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    must(get(h->device, type, pages, &props), "vkGetMemoryHostPointerPropertiesEXT");
    uint32_t index = 0;
    while ((props.memoryTypeBits >> index & 1) == 0) {
        index++;
    }
    const VkImportMemoryHostPointerInfoEXT pointer = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = type,
        .pHostPointer = pages};
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .pNext = &pointer,
                                           .allocationSize = 2 * PAGE,
                                           .memoryTypeIndex = index};
    VkBuffer buffer = VK_NULL_HANDLE;
    must(vkCreateBuffer(h->device, &info, NULL, &buffer), "vkCreateBuffer");
    must(vkAllocateMemory(h->device, &allocate, NULL, ret), "import of host memory");
    must(vkBindBufferMemory(h->device, buffer, *ret, 0), "vkBindBufferMemory");
    return buffer;
}

/** Pages 0 and 1 are one buffer, 1 and 2 another, as programs do with planes that share a page. */
static void overlapping(struct host *h)
{
    uint8_t *pages = aligned_alloc(PAGE, 3 * PAGE);
    VkDeviceMemory memory[2] = {VK_NULL_HANDLE};
    must(pages != NULL ? VK_SUCCESS : VK_INCOMPLETE, "memory");
    clear(h);
    memset(pages, 7, 3 * PAGE);
    VkBuffer first = import(h, pages, &memory[0]), second = import(h, pages + PAGE, &memory[1]);
    pages[PAGE + 1] = 9; // the host, behind the import
    const VkBufferCopy in = {PAGE, 1024, 64}, out = {PAGE + 64, 2048, 64};
    VkCommandBuffer cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdCopyBuffer(cmd, first, h->b, 1, &in);
    vkCmdFillBuffer(cmd, second, 64, 64, 0x05050505);   // page 1, by the second
    vkCmdFillBuffer(cmd, second, PAGE, 64, 0x06060606); // page 2
    vkCmdFillBuffer(cmd, first, 0, 64, 0x04040404);     // page 0
    barrier(cmd);
    vkCmdCopyBuffer(cmd, first, h->b, 1, &out); // page 1, by the first
    submit(h, cmd);
    const uint8_t *b = (const uint8_t *)h->map_b;
    bool ok = b[1024] == 7 && b[1025] == 9 && b[2048] == 5 && b[2111] == 5 && pages[0] == 4 &&
              pages[64] == 7 && pages[PAGE + 64] == 5 && pages[2 * PAGE] == 6 &&
              pages[2 * PAGE + 64] == 7;
    test_case(ok, "two buffers of host memory that share a page", "not so");
    vkDestroyBuffer(h->device, first, NULL);
    vkFreeMemory(h->device, memory[0], NULL);
    cmd = begin(h, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdFillBuffer(cmd, second, 128, 64, 0x0b0b0b0b);
    submit(h, cmd);
    ok = pages[PAGE + 64] == 5 && pages[PAGE + 128] == 11 && pages[0] == 4;
    vkDestroyBuffer(h->device, second, NULL);
    vkFreeMemory(h->device, memory[1], NULL);
    ok &= pages[PAGE + 64] == 5 && pages[PAGE + 128] == 11 && pages[2 * PAGE] == 6;
    test_case(ok, "the second stays when the first goes, and the memory when both have gone",
              "not so");
    free(pages);
}

int main(int argc, char **argv)
{
    struct host h = {0};
    if (argc < 3) {
        return 2;
    }
    open_device(&h, argv[1]);
    h.a = make_buffer(&h, &h.map_a);
    h.b = make_buffer(&h, &h.map_b);
    make_pipelines(&h, argv[2]);
    make_set(&h);
    secondary(&h);
    again(&h);
    many(&h);
    fill_and_update(&h);
    copies(&h);
    push_template(&h);
    events(&h);
    timestamps(&h);
    dispatches(&h);
    overlapping(&h);
    vkDestroyDevice(h.device, NULL);
    vkDestroyInstance(h.instance, NULL);
    return test_end();
}
