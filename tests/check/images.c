// SPDX-License-Identifier: MIT
// A dispatch of images.comp (argv[1], as SPIR-V) of two workgroups, which both store one texel:
// which image, and x, y, z as the shader writes them, say argv[2] to argv[5]. All images lie in one
// allocation, one behind the other. which: 0 flat_image, 1 layers 1 and 2 of "layers", 2 level 1 of
// "levels", 3 "volume", 4 from byte 256 of buffer "row" on, 5 the third of several, 6 "lines", 7
// flat_image, at two places.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

enum { NIMAGES = 7, ROW_BYTES = 4096, ROW_FROM = 256, NVIEWS = 8 };

static const struct {
    const char *name;
    VkImageType type;
    VkExtent3D extent;
    uint32_t mips, layers;
} images[NIMAGES] = {
    {"flat", VK_IMAGE_TYPE_2D, {64, 4, 1}, 1, 1},    {"layers", VK_IMAGE_TYPE_2D, {8, 8, 1}, 1, 3},
    {"levels", VK_IMAGE_TYPE_2D, {32, 32, 1}, 2, 1}, {"volume", VK_IMAGE_TYPE_3D, {4, 4, 4}, 1, 1},
    {"first", VK_IMAGE_TYPE_2D, {16, 16, 1}, 1, 1},  {"", VK_IMAGE_TYPE_2D, {16, 8, 1}, 1, 1},
    {"lines", VK_IMAGE_TYPE_1D, {16, 1, 1}, 1, 4}};

/** What bindings show; the last is sampled. */
static const struct {
    unsigned image;
    VkImageViewType type;
    uint32_t level, layer, layers, set, binding, element;
} views[NVIEWS] = {{0, VK_IMAGE_VIEW_TYPE_2D, 0, 0, 1, 0, 0, 0},
                   {1, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0, 1, 2, 0, 1, 0},
                   {2, VK_IMAGE_VIEW_TYPE_2D, 1, 0, 1, 0, 2, 0},
                   {3, VK_IMAGE_VIEW_TYPE_3D, 0, 0, 1, 0, 3, 0},
                   {4, VK_IMAGE_VIEW_TYPE_2D, 0, 0, 1, 1, 0, 1},
                   {5, VK_IMAGE_VIEW_TYPE_2D, 0, 0, 1, 1, 0, 2},
                   {6, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 0, 1, 3, 1, 2, 0},
                   {2, VK_IMAGE_VIEW_TYPE_2D, 0, 0, 1, 1, 1, 0}};

static VkInstance instance;
static VkPhysicalDevice gpu;
static VkDevice device;
static VkQueue queue;
static VkImage made[NIMAGES];
static VkBuffer row;
static VkBufferView row_view;
static VkSampler sampler;
static VkDescriptorSetLayout set_layouts[2];
static VkDescriptorSet sets[2];
static VkPipelineLayout layout;
static VkPipeline pipeline;

static void check(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, (int)r);
        exit(2);
    }
}

#define CHECK(call) check(call, #call)

static void open_device(void)
{
    const char *debug = "VK_EXT_debug_utils";
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app,
                                       .enabledExtensionCount = 1,
                                       .ppEnabledExtensionNames = &debug};
    uint32_t n = 1;
    CHECK(vkCreateInstance(&info, NULL, &instance));
    vkEnumeratePhysicalDevices(instance, &n, &gpu);
    const float one = 1;
    const VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                            .queueCount = 1,
                                            .pQueuePriorities = &one};
    const VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queues};
    CHECK(vkCreateDevice(gpu, &create, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
}

static void name(VkObjectType type, uint64_t handle, const char *text)
{
    const VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = handle,
        .pObjectName = text};
    const PFN_vkSetDebugUtilsObjectNameEXT set =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(device,
                                                              "vkSetDebugUtilsObjectNameEXT");
    if (text[0] != '\0') {
        CHECK(set(device, &info));
    }
}

static void make_image(unsigned i)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = images[i].type,
                                    .format = VK_FORMAT_R32_UINT,
                                    .extent = images[i].extent,
                                    .mipLevels = images[i].mips,
                                    .arrayLayers = images[i].layers,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage =
                                        VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT};
    CHECK(vkCreateImage(device, &info, NULL, &made[i]));
    name(VK_OBJECT_TYPE_IMAGE, (uint64_t)made[i], images[i].name);
}

static void make_memory(void)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = ROW_BYTES,
                                     .usage = VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT};
    VkDeviceSize at[NIMAGES + 1], end = 0;
    uint32_t types = UINT32_MAX, type = 0;
    CHECK(vkCreateBuffer(device, &info, NULL, &row));
    name(VK_OBJECT_TYPE_BUFFER, (uint64_t)row, "row");
    for (unsigned i = 0; i <= NIMAGES; i++) {
        VkMemoryRequirements r;
        if (i < NIMAGES) {
            make_image(i);
            vkGetImageMemoryRequirements(device, made[i], &r);
        } else {
            vkGetBufferMemoryRequirements(device, row, &r);
        }
        at[i] = (end + r.alignment - 1) / r.alignment * r.alignment;
        end = at[i] + r.size;
        types &= r.memoryTypeBits;
    }
    while ((types >> type & 1) == 0) {
        type++;
    }
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .allocationSize = end,
                                           .memoryTypeIndex = type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    CHECK(vkAllocateMemory(device, &allocate, NULL, &memory));
    for (unsigned i = 0; i < NIMAGES; i++) {
        const VkBindImageMemoryInfo bind = {.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
                                            .image = made[i],
                                            .memory = memory,
                                            .memoryOffset = at[i]};
        if (i % 2 == 0) {
            CHECK(vkBindImageMemory(device, made[i], memory, at[i]));
        } else {
            CHECK(vkBindImageMemory2(device, 1, &bind));
        }
    }
    CHECK(vkBindBufferMemory(device, row, memory, at[NIMAGES]));
    const VkBufferViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                         .buffer = row,
                                         .format = VK_FORMAT_R32_UINT,
                                         .offset = ROW_FROM,
                                         .range = VK_WHOLE_SIZE};
    CHECK(vkCreateBufferView(device, &view, NULL, &row_view));
}

static void make_layouts(void)
{
    static const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {4, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 3, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
    };
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 16},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 2,
                                             .poolSizeCount = 3,
                                             .pPoolSizes = sizes};
    VkDescriptorPool pool = VK_NULL_HANDLE;
    for (unsigned i = 0; i < 2; i++) {
        const VkDescriptorSetLayoutCreateInfo of = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .bindingCount = i == 0 ? 5 : 3,
            .pBindings = i == 0 ? bindings : bindings + 5};
        CHECK(vkCreateDescriptorSetLayout(device, &of, NULL, &set_layouts[i]));
    }
    CHECK(vkCreateDescriptorPool(device, &info, NULL, &pool));
    const VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 2,
        .pSetLayouts = set_layouts};
    CHECK(vkAllocateDescriptorSets(device, &allocate, sets));
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 16};
    const VkPipelineLayoutCreateInfo all = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 2,
                                            .pSetLayouts = set_layouts,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &range};
    CHECK(vkCreatePipelineLayout(device, &all, NULL, &layout));
}

static void write_image(unsigned i)
{
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = made[views[i].image],
                                        .viewType = views[i].type,
                                        .format = VK_FORMAT_R32_UINT,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT,
                                                             views[i].level, 1, views[i].layer,
                                                             views[i].layers}};
    const bool sampled = i + 1 == NVIEWS;
    VkDescriptorImageInfo to = {.sampler = sampled ? sampler : VK_NULL_HANDLE,
                                .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
    CHECK(vkCreateImageView(device, &info, NULL, &to.imageView));
    const VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                    .dstSet = sets[views[i].set],
                                    .dstBinding = views[i].binding,
                                    .dstArrayElement = views[i].element,
                                    .descriptorCount = 1,
                                    .descriptorType =
                                        sampled ? VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
                                                : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                    .pImageInfo = &to};
    vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
}

static void write_sets(void)
{
    const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    CHECK(vkCreateSampler(device, &info, NULL, &sampler));
    for (unsigned i = 0; i < NVIEWS; i++) {
        write_image(i);
    }
    const VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                    .dstSet = sets[0],
                                    .dstBinding = 4,
                                    .descriptorCount = 1,
                                    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                    .pTexelBufferView = &row_view};
    vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
}

static void make_pipeline(const char *path)
{
    FILE *f = fopen(path, "rb");
    static uint32_t words[1 << 16];
    const size_t n = f != NULL ? fread(words, 4, sizeof words / 4, f) : 0;
    VkShaderModule module = VK_NULL_HANDLE;
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * n, .pCode = words};
    if (f == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    fclose(f);
    CHECK(vkCreateShaderModule(device, &info, NULL, &module));
    const VkComputePipelineCreateInfo make = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = layout};
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &make, NULL, &pipeline));
}

static void to_general(VkCommandBuffer cmd)
{
    for (unsigned i = 0; i < NIMAGES; i++) {
        const VkImageMemoryBarrier b = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
            .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
            .newLayout = VK_IMAGE_LAYOUT_GENERAL,
            .image = made[i],
            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                 VK_REMAINING_ARRAY_LAYERS}};
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 1, &b);
    }
}

static void run(char **numbers)
{
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    CHECK(vkCreateCommandPool(device, &info, NULL, &pool));
    const VkCommandBufferAllocateInfo one = {.sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = pool,
                                             .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(device, &one, &cmd));
    CHECK(vkBeginCommandBuffer(cmd, &begin));
    to_general(cmd);
    int32_t push[4];
    for (unsigned i = 0; i < 4; i++) {
        push[i] = atoi(numbers[i]);
    }
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, sets, 0, NULL);
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(cmd, 2, 1, 1);
    CHECK(vkEndCommandBuffer(cmd));
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: images images.spv WHICH X Y Z\n");
        return 2;
    }
    open_device();
    make_memory();
    make_layouts();
    write_sets();
    make_pipeline(argv[1]);
    run(argv + 2);
    puts("done");
    return 0;
}
