// SPDX-License-Identifier: MIT
// A Vulkan program that draws a floor, a red triangle and a blue pane of glass; or would, but for
// two mistakes: the triangle is black, the pane is not there.
//
//   glslangValidator -V drawing.vert -o drawing.vert.spv
//   glslangValidator -V drawing.frag -o drawing.frag.spv
//   cc drawing.c -lvulkan -o drawing
//   lull exec -- ./drawing drawing.vert.spv drawing.frag.spv
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { SIZE = 64, FLOOR = 0, TRIANGLE = 1, PANE = 2, DRAWS = 3, TEXEL = 4 };

struct push {
    float place[4], color[4], light[4];
};

static const struct push draws[DRAWS] = {
    [FLOOR] = {{-1, -1, 0.9f, 2}, {0.4f, 0.4f, 0.4f, 1}, {0, 0, 1, 0}},
    [TRIANGLE] = {{-0.75f, -0.75f, 0.5f, 1}, {1, 0, 0, 1}, {0, 0, 0, 0}}, // mistake: no light
    [PANE] = {{0.25f, 0.25f, 0.25f, 0.5f}, {0, 0, 1, 0.6f}, {0, 0, 1, 0}},
};

static const char *const names[DRAWS] = {
    [FLOOR] = "floor", [TRIANGLE] = "triangle", [PANE] = "pane"};

static VkDevice device;
static VkPhysicalDevice gpu;
static PFN_vkSetDebugUtilsObjectNameEXT set_name; // these three for whoever debugs it
static PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
static PFN_vkCmdEndDebugUtilsLabelEXT end_label;

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
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const char *const labels = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app,
                                       .enabledExtensionCount = 1,
                                       .ppEnabledExtensionNames = &labels};
    VkInstance instance = NULL;
    CHECK(vkCreateInstance(&info, NULL, &instance));
    uint32_t n = 1;
    const VkResult r = vkEnumeratePhysicalDevices(instance, &n, &gpu);
    if (n == 0 || (r != VK_SUCCESS && r != VK_INCOMPLETE)) {
        fprintf(stderr, "no Vulkan device\n");
        exit(2);
    }
    set_name = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
        instance, "vkSetDebugUtilsObjectNameEXT");
    begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
        instance, "vkCmdBeginDebugUtilsLabelEXT");
    end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(instance,
                                                                      "vkCmdEndDebugUtilsLabelEXT");
    const float one = 1;
    VkPhysicalDeviceVulkan13Features with = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = 1};
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &one};
    const VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &with,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    CHECK(vkCreateDevice(gpu, &create, NULL, &device));
}

static VkDeviceMemory allocate(VkMemoryRequirements need, VkMemoryPropertyFlags want)
{
    VkPhysicalDeviceMemoryProperties types = {0};
    vkGetPhysicalDeviceMemoryProperties(gpu, &types);
    uint32_t type = 0;
    while ((need.memoryTypeBits >> type & 1) == 0 ||
           (types.memoryTypes[type].propertyFlags & want) != want) {
        type++;
    }
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = need.size,
                                       .memoryTypeIndex = type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    CHECK(vkAllocateMemory(device, &info, NULL, &memory));
    return memory;
}

static VkImage new_image(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect,
                         VkImageView *ret_view)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = format,
                                    .extent = {SIZE, SIZE, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = usage};
    VkImage image = VK_NULL_HANDLE;
    CHECK(vkCreateImage(device, &info, NULL, &image));
    VkMemoryRequirements need = {0};
    vkGetImageMemoryRequirements(device, image, &need);
    CHECK(vkBindImageMemory(device, image, allocate(need, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0));
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = format,
                                        .subresourceRange = {aspect, 0, 1, 0, 1}};
    CHECK(vkCreateImageView(device, &view, NULL, ret_view));
    return image;
}

static uint8_t *new_buffer(VkBuffer *ret)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = (VkDeviceSize)SIZE * SIZE * TEXEL,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    CHECK(vkCreateBuffer(device, &info, NULL, ret));
    VkMemoryRequirements need = {0};
    vkGetBufferMemoryRequirements(device, *ret, &need);
    VkDeviceMemory memory =
        allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkBindBufferMemory(device, *ret, memory, 0));
    void *map = NULL;
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &map));
    return map;
}

static VkPipelineShaderStageCreateInfo new_stage(const char *path, VkShaderStageFlagBits stage)
{
    static uint32_t code[65536];
    FILE *f = fopen(path, "rb");
    const size_t bytes = f != NULL ? fread(code, 1, sizeof code, f) : 0;
    if (bytes == 0) {
        fprintf(stderr, "cannot read '%s'\n", path);
        exit(2);
    }
    fclose(f);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkPipelineShaderStageCreateInfo ret = {.sType =
                                               VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                           .stage = stage,
                                           .pName = "main"};
    CHECK(vkCreateShaderModule(device, &info, NULL, &ret.module));
    return ret;
}

/** What all pipelines here have in common is static. */
static VkPipeline new_pipeline(const VkPipelineShaderStageCreateInfo stages[2],
                               VkPipelineLayout layout,
                               const VkPipelineColorBlendAttachmentState *blend, const char *name)
{
    static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    static const VkViewport viewport = {0, 0, SIZE, SIZE, 0, 1};
    static const VkRect2D scissor = {{0, 0}, {SIZE, SIZE}};
    static const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .depthAttachmentFormat = VK_FORMAT_D32_SFLOAT};
    static const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    static const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP};
    static const VkPipelineViewportStateCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &viewport,
        .scissorCount = 1,
        .pScissors = &scissor};
    static const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    static const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    static const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = 1,
        .depthWriteEnable = 1,
        .depthCompareOp = VK_COMPARE_OP_LESS};
    const VkPipelineColorBlendStateCreateInfo blending = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = blend};
    const VkGraphicsPipelineCreateInfo info = {.sType =
                                                   VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &rendering,
                                               .stageCount = 2,
                                               .pStages = stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pViewportState = &view,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pDepthStencilState = &depth,
                                               .pColorBlendState = &blending,
                                               .layout = layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    const VkDebugUtilsObjectNameInfoEXT called = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = VK_OBJECT_TYPE_PIPELINE,
        .objectHandle = (uint64_t)(uintptr_t)pipeline,
        .pObjectName = name};
    CHECK(set_name(device, &called));
    return pipeline;
}

static void turn(VkCommandBuffer cmd, VkImage image, VkImageLayout from, VkImageLayout to,
                 VkImageAspectFlags aspect)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT |
                                                           VK_ACCESS_MEMORY_WRITE_BIT,
                                          .oldLayout = from,
                                          .newLayout = to,
                                          .image = image,
                                          .subresourceRange = {aspect, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void begin_rendering(VkCommandBuffer cmd, VkImageView color, VkImageView depth)
{
    const VkRenderingAttachmentInfo target = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = color,
        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    VkRenderingAttachmentInfo z = target;
    z.imageView = depth;
    z.clearValue.depthStencil.depth = 1;
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea = {{0, 0}, {SIZE, SIZE}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &target,
                                  .pDepthAttachment = &z};
    vkCmdBeginRendering(cmd, &info);
}

static void draw_all(VkCommandBuffer cmd, VkPipelineLayout layout, const VkPipeline pipelines[2])
{
    const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    for (unsigned i = 0; i < DRAWS; i++) {
        const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                            .pLabelName = names[i]};
        begin_label(cmd, &label);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[i == PANE]);
        vkCmdPushConstants(cmd, layout, stages, 0, sizeof draws[i], &draws[i]);
        vkCmdDraw(cmd, i == TRIANGLE ? 3 : 4, 1, 0, 0);
        end_label(cmd);
    }
}

static void submit(VkCommandBuffer cmd)
{
    VkQueue queue = NULL;
    vkGetDeviceQueue(device, 0, 0, &queue);
    const VkSubmitInfo work = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    CHECK(vkEndCommandBuffer(cmd));
    CHECK(vkQueueSubmit(queue, 1, &work, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
}

static VkCommandBuffer new_commands(void)
{
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                       .commandBufferCount = 1};
    CHECK(vkCreateCommandPool(device, &info, NULL, &one.commandPool));
    VkCommandBuffer cmd = NULL;
    CHECK(vkAllocateCommandBuffers(device, &one, &cmd));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(cmd, &begin));
    return cmd;
}

static void picture(VkPipelineLayout layout, const VkPipeline pipelines[2], VkBuffer to)
{
    const VkImageUsageFlags usage =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    VkImageView color = VK_NULL_HANDLE;
    VkImageView depth = VK_NULL_HANDLE;
    VkImage image = new_image(VK_FORMAT_R8G8B8A8_UNORM, usage, VK_IMAGE_ASPECT_COLOR_BIT, &color);
    VkImage z = new_image(VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                          VK_IMAGE_ASPECT_DEPTH_BIT, &depth);
    VkCommandBuffer cmd = new_commands();
    turn(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_ASPECT_COLOR_BIT);
    turn(cmd, z, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_ASPECT_DEPTH_BIT);
    begin_rendering(cmd, color, depth);
    draw_all(cmd, layout, pipelines);
    vkCmdEndRendering(cmd);
    turn(cmd, image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_ASPECT_COLOR_BIT);
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {SIZE, SIZE, 1}};
    vkCmdCopyImageToBuffer(cmd, image, VK_IMAGE_LAYOUT_GENERAL, to, 1, &copy);
    submit(cmd);
}

/** One of them is as it should be. */
static int look(const char *what, const uint8_t *texels, unsigned x, unsigned y,
                const uint8_t want[3])
{
    const uint8_t *at = texels + TEXEL * ((size_t)y * SIZE + x);
    const int good = memcmp(at, want, 3) == 0;
    printf("%-8s at %u,%u: %3u %3u %3u%s\n", what, x, y, at[0], at[1], at[2],
           good ? "" : ", which is wrong");
    return good;
}

int main(int argc, char **argv)
{
    open_device();
    VkBuffer buffer = VK_NULL_HANDLE;
    const uint8_t *texels = new_buffer(&buffer);
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_VERTEX_BIT |
                                                     VK_SHADER_STAGE_FRAGMENT_BIT,
                                       .size = sizeof(struct push)};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    CHECK(vkCreatePipelineLayout(device, &info, NULL, &layout));
    const VkPipelineShaderStageCreateInfo stages[2] = {
        new_stage(argc > 1 ? argv[1] : "drawing.vert.spv", VK_SHADER_STAGE_VERTEX_BIT),
        new_stage(argc > 2 ? argv[2] : "drawing.frag.spv", VK_SHADER_STAGE_FRAGMENT_BIT)};
    const VkPipelineColorBlendAttachmentState solid = {.colorWriteMask = 0xf};
    const VkPipelineColorBlendAttachmentState glass = {
        .blendEnable = 1,
        .srcColorBlendFactor = VK_BLEND_FACTOR_ZERO, // mistake: SRC_ALPHA was meant
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,  // and ONE_MINUS_SRC_ALPHA
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .colorWriteMask = 0xf};
    const VkPipeline pipelines[2] = {new_pipeline(stages, layout, &solid, "solid"),
                                     new_pipeline(stages, layout, &glass, "glass")};
    picture(layout, pipelines, buffer);
    int good = look("floor", texels, 60, 4, (const uint8_t[]){102, 102, 102});
    good &= look("triangle", texels, 16, 16, (const uint8_t[]){255, 0, 0});
    good &= look("pane", texels, 48, 48, (const uint8_t[]){41, 41, 194});
    return good ? 0 : 1;
}
