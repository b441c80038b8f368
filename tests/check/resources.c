// SPDX-License-Identifier: MIT
// A dispatch of resources.comp (argv[1], as SPIR-V) that leaves the range of one descriptor by one
// element, in a buffer that has a name. argv[2] says which descriptor, and how the program has made
// it: parts, moving, last, with words behind it:
//   -push       set 1 is pushed                     -template   set 1 is written by a template
//   -both       set 1 is pushed by a template       -copy       set 1 is copied from another set
//   -later      sets are written anew behind the dispatch
//   -six   the calls of VK_KHR_maintenance6 (struct lull_vk_bind_sets and so on)
//   -secondary  recorded in a secondary command buffer      -indirect  vkCmdDispatchIndirect
// "grid" stores what vkCmdDispatchIndirect reads then, with no barrier between, "grid-shader" with
// one for shaders, "right-grid" with the right one. "address" goes behind a buffer by its address;
// "right", "right-push" leave nothing.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "layer/maintenance6.h"

enum { BYTES = 4096, RANGE = 256, NBUFFERS = 7, PARTS = 3, LANES = 8 };

static const char *const names[NBUFFERS] = {"first part", "second part", "third part", "moving",
                                            "last",       "other",       "apart"};
static const char *how;
static VkInstance instance;
static VkPhysicalDevice gpu;
static VkDevice device;
static VkQueue queue;
static VkBuffer buffers[NBUFFERS];
static VkDescriptorSetLayout set_layouts[2];
static VkDescriptorSet sets[3];
static VkPipelineLayout layout;
static VkPipeline pipeline;
static VkDescriptorUpdateTemplate template;

static void check(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, (int)r);
        exit(2);
    }
}

#define CHECK(call) check(call, #call)
#define PROC(name) ((PFN_##name)vkGetDeviceProcAddr(device, #name))

static bool has(const char *word)
{
    return strstr(how, word) != NULL;
}

static void open_device(void)
{
    const char *debug = "VK_EXT_debug_utils";
    const char *extensions[] = {"VK_KHR_push_descriptor", "VK_KHR_maintenance6"};
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion =
                                 has("address") ? VK_API_VERSION_1_2 : VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app,
                                 .enabledExtensionCount = 1,
                                 .ppEnabledExtensionNames = &debug};
    uint32_t n = 1;
    CHECK(vkCreateInstance(&info, NULL, &instance));
    vkEnumeratePhysicalDevices(instance, &n, &gpu);
    float one = 1;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &one};
    VkPhysicalDeviceVulkan12Features more = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .bufferDeviceAddress = VK_TRUE};
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .pNext = has("address") ? &more : NULL,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queues,
                                 .enabledExtensionCount = has("-six") ? 2 : 1,
                                 .ppEnabledExtensionNames = extensions};
    CHECK(vkCreateDevice(gpu, &create, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
}

/** All buffers in one allocation, one behind the other, with a hole behind each. */
static void make_buffers(void)
{
    const VkBufferUsageFlags address =
        has("address") ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0;
    VkMemoryRequirements r = {0};
    for (unsigned i = 0; i < NBUFFERS; i++) {
        VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .size = BYTES,
                                   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | address |
                                            VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT};
        CHECK(vkCreateBuffer(device, &info, NULL, &buffers[i]));
        vkGetBufferMemoryRequirements(device, buffers[i], &r);
        const VkDebugUtilsObjectNameInfoEXT name = {
            .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
            .objectType = VK_OBJECT_TYPE_BUFFER,
            .objectHandle = (uint64_t)buffers[i],
            .pObjectName = names[i]};
        CHECK(PROC(vkSetDebugUtilsObjectNameEXT)(device, &name));
    }
    VkPhysicalDeviceMemoryProperties all;
    vkGetPhysicalDeviceMemoryProperties(gpu, &all);
    uint32_t type = 0;
    while ((r.memoryTypeBits >> type & 1) == 0 ||
           (all.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) {
        type++;
    }
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = has("address") ? &flags : NULL,
                                 .allocationSize = 2 * BYTES * NBUFFERS,
                                 .memoryTypeIndex = type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void *mapped = NULL;
    CHECK(vkAllocateMemory(device, &info, NULL, &memory));
    for (unsigned i = 0; i < NBUFFERS; i++) {
        CHECK(vkBindBufferMemory(device, buffers[i], memory, 2 * BYTES * i));
    }
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    memset(mapped, 0, info.allocationSize);
    const uint32_t grid[] = {1, 1, 1};
    memcpy((char *)mapped + 2 * BYTES * (NBUFFERS - 1), grid, sizeof grid);
}

static void make_layouts(void)
{
    const bool pushed = has("-push") || has("-both");
    const VkDescriptorSetLayoutBinding first[] = {
        {.binding = 0,
         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .descriptorCount = PARTS,
         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT},
        {.binding = 2,
         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
         .descriptorCount = 1,
         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT}};
    const VkDescriptorSetLayoutBinding second = {.binding = 3,
                                                 .descriptorType =
                                                     VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                 .descriptorCount = 1,
                                                 .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = 2,
                                            .pBindings = first};
    CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &set_layouts[0]));
    info.flags = pushed ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0;
    info.bindingCount = 1;
    info.pBindings = &second;
    CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &set_layouts[1]));
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 16};
    const VkPipelineLayoutCreateInfo all = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 2,
                                            .pSetLayouts = set_layouts,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &range};
    CHECK(vkCreatePipelineLayout(device, &all, NULL, &layout));
    const VkDescriptorUpdateTemplateEntry entry = {.dstBinding = 3,
                                                   .descriptorCount = 1,
                                                   .descriptorType =
                                                       VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                   .offset = 8,
                                                   .stride = sizeof(VkDescriptorBufferInfo)};
    const VkDescriptorUpdateTemplateCreateInfo with = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 1,
        .pDescriptorUpdateEntries = &entry,
        .templateType = pushed ? VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR
                               : VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
        .descriptorSetLayout = set_layouts[1],
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
        .pipelineLayout = layout,
        .set = 1};
    if (has("-template") || has("-both")) {
        CHECK(vkCreateDescriptorUpdateTemplate(device, &with, NULL, &template));
    }
}

static VkWriteDescriptorSet write_of(VkDescriptorSet set, uint32_t binding, uint32_t count,
                                     VkDescriptorType type, const VkDescriptorBufferInfo *to)
{
    return (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = set,
                                  .dstBinding = binding,
                                  .descriptorCount = count,
                                  .descriptorType = type,
                                  .pBufferInfo = to};
}

/** The buffers of set 0: three parts, the second of which begins 512 bytes into its buffer. */
static void write_first(bool turned)
{
    const VkDescriptorBufferInfo parts[] = {{buffers[turned ? 2 : 0], 0, VK_WHOLE_SIZE},
                                            {buffers[has("grid") ? NBUFFERS - 1 : 1],
                                             turned || has("grid") ? 0 : 512,
                                             has("grid") ? VK_WHOLE_SIZE : RANGE},
                                            {buffers[turned ? 0 : 2], 0, VK_WHOLE_SIZE}};
    const VkDescriptorBufferInfo moving = {buffers[turned ? 5 : 3], 256, RANGE};
    const VkWriteDescriptorSet writes[] = {
        write_of(sets[0], 0, PARTS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, parts),
        write_of(sets[0], 2, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, &moving)};
    vkUpdateDescriptorSets(device, 2, writes, 0, NULL);
}

static struct {
    char unused[8];
    VkDescriptorBufferInfo last;
} data;

static void write_sets(void)
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1}};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 3,
                                             .poolSizeCount = 2,
                                             .pPoolSizes = sizes};
    const bool pushed = has("-push") || has("-both");
    VkDescriptorPool pool = VK_NULL_HANDLE;
    CHECK(vkCreateDescriptorPool(device, &info, NULL, &pool));
    const VkDescriptorSetLayout three[] = {set_layouts[0], set_layouts[1], set_layouts[1]};
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = pushed ? 1 : 3,
                                            .pSetLayouts = three};
    CHECK(vkAllocateDescriptorSets(device, &allocate, sets));
    data.last = (VkDescriptorBufferInfo){buffers[4], 1024, RANGE};
    write_first(false);
    if (has("-template")) {
        vkUpdateDescriptorSetWithTemplate(device, sets[1], template, &data);
    } else if (!pushed) {
        const VkWriteDescriptorSet w = write_of(has("-copy") ? sets[2] : sets[1], 3, 1,
                                                VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &data.last);
        const VkCopyDescriptorSet c = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                       .srcSet = sets[2],
                                       .srcBinding = 3,
                                       .dstSet = sets[1],
                                       .dstBinding = 3,
                                       .descriptorCount = 1};
        vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
        vkUpdateDescriptorSets(device, 0, NULL, has("-copy") ? 1 : 0, &c);
    }
}

static void make_pipeline(const char *path)
{
    FILE *f = fopen(path, "rb");
    static uint32_t words[1 << 16];
    const size_t n = f != NULL ? fread(words, 4, sizeof words / 4, f) : 0;
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * n, .pCode = words};
    VkShaderModule module = VK_NULL_HANDLE;
    CHECK(vkCreateShaderModule(device, &info, NULL, &module));
    const VkComputePipelineCreateInfo make = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = layout};
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &make, NULL, &pipeline));
    fclose(f);
}

struct push {
    VkDeviceAddress there;
    uint32_t which, at;
};

/** A dispatch whose last store is the last of an indirect one's workgroups: element 1 of parts[1].
 */
static void record_grid(VkCommandBuffer cmd, struct push push)
{
    push.which = 0;
    push.at = 1;
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(cmd, 1, 1, 1);
    const bool right = has("right");
    const VkMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                               .dstAccessMask = right ? VK_ACCESS_INDIRECT_COMMAND_READ_BIT
                                                      : VK_ACCESS_SHADER_READ_BIT};
    if (strcmp(how, "grid") != 0) {
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             right ? VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT
                                   : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             0, 1, &b, 0, NULL, 0, NULL);
    }
}

static void call(const char *name, VkCommandBuffer cmd, const void *info)
{
    ((lull_vk_of_struct)vkGetDeviceProcAddr(device, name))(cmd, info);
}

/** Sets 0 and 1 by calls with structs. */
static void record_six(VkCommandBuffer cmd, const uint32_t *dynamic)
{
    const VkWriteDescriptorSet w =
        write_of(VK_NULL_HANDLE, 3, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &data.last);
    const struct lull_vk_bind_sets both = {.sType = (VkStructureType)LULL_VK_BIND_SETS,
                                           .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                           .layout = layout,
                                           .descriptorSetCount =
                                               has("-push") || has("-both") ? 1 : 2,
                                           .pDescriptorSets = sets,
                                           .dynamicOffsetCount = 1,
                                           .pDynamicOffsets = dynamic};
    const struct lull_vk_push_set push = {.sType = (VkStructureType)LULL_VK_PUSH_SET,
                                          .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                          .layout = layout,
                                          .set = 1,
                                          .descriptorWriteCount = 1,
                                          .pDescriptorWrites = &w};
    const struct lull_vk_push_template with = {.sType = (VkStructureType)LULL_VK_PUSH_TEMPLATE,
                                               .descriptorUpdateTemplate = template,
                                               .layout = layout,
                                               .set = 1,
                                               .pData = &data};
    call("vkCmdBindDescriptorSets2KHR", cmd, &both);
    if (has("-push")) {
        call("vkCmdPushDescriptorSet2KHR", cmd, &push);
    } else if (has("-both")) {
        call("vkCmdPushDescriptorSetWithTemplate2KHR", cmd, &with);
    }
}

static void push_constants(VkCommandBuffer cmd, const struct push *push)
{
    const struct lull_vk_push_constants info = {.sType = (VkStructureType)LULL_VK_PUSH_CONSTANTS,
                                                .layout = layout,
                                                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                                .size = sizeof *push,
                                                .pValues = push};
    if (has("-six")) {
        call("vkCmdPushConstants2KHR", cmd, &info);
    } else {
        vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof *push, push);
    }
}

/** The dispatch. The last lane's element is the first outside: of 256 bytes, word 63 of parts[1]
 * behind its count, element 16 of uvec4, item 15 of 16 bytes behind 16; and word 1024 of 4096. */
static void record(VkCommandBuffer cmd)
{
    static const struct {
        const char *name;
        uint32_t which, outside;
    } places[] = {{"parts", 0, 63}, {"moving", 1, 16}, {"last", 2, 15}, {"address", 3, 1024}};
    struct push push = {0};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (strncmp(how, places[i].name, strlen(places[i].name)) == 0) {
            push.which = places[i].which;
            push.at = places[i].outside - (LANES - 1);
        }
    }
    push.which = strncmp(how, "right", 5) == 0 ? 2 : push.which;
    if (has("address")) {
        const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                              .buffer = buffers[5]};
        push.there = PROC(vkGetBufferDeviceAddress)(device, &of);
    }
    const uint32_t dynamic = 768;
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    if (!has("-six")) {
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[0], 1,
                                &dynamic);
    }
    if (has("-six")) {
        record_six(cmd, &dynamic);
    } else if (has("-push")) {
        const VkWriteDescriptorSet w =
            write_of(VK_NULL_HANDLE, 3, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &data.last);
        PROC(vkCmdPushDescriptorSetKHR)(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 1, 1, &w);
    } else if (has("-both")) {
        PROC(vkCmdPushDescriptorSetWithTemplateKHR)(cmd, template, layout, 1, &data);
    } else {
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 1, 1, &sets[1], 0,
                                NULL);
    }
    if (has("grid")) {
        record_grid(cmd, push);
        push.which = 2;
        push.at = 0;
    }
    push_constants(cmd, &push);
    if (has("-indirect") || has("grid")) {
        vkCmdDispatchIndirect(cmd, buffers[NBUFFERS - 1], 0);
    } else {
        vkCmdDispatch(cmd, 1, 1, 1);
    }
}

static VkCommandBuffer commands(VkCommandPool pool, VkCommandBufferLevel level)
{
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .level = level,
                                              .commandBufferCount = 1};
    const VkCommandBufferInheritanceInfo from = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .pInheritanceInfo = &from};
    CHECK(vkAllocateCommandBuffers(device, &info, &cmd));
    CHECK(vkBeginCommandBuffer(cmd, &begin));
    return cmd;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: resources resources.spv HOW\n");
        return 2;
    }
    how = argv[2];
    open_device();
    make_buffers();
    make_layouts();
    write_sets();
    make_pipeline(argv[1]);
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool = VK_NULL_HANDLE;
    CHECK(vkCreateCommandPool(device, &info, NULL, &pool));
    VkCommandBuffer cmd = commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    if (has("-secondary")) {
        VkCommandBuffer second = commands(pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
        record(second);
        CHECK(vkEndCommandBuffer(second));
        vkCmdExecuteCommands(cmd, 1, &second);
    } else {
        record(cmd);
    }
    CHECK(vkEndCommandBuffer(cmd));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
    if (has("-later")) {
        write_first(true);
    }
    puts("done");
    return 0;
}
