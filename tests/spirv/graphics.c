// SPDX-License-Identifier: MIT
// A host that draws once with lowered shaders and writes the printf buffer to a file.
// argv: part of the device's name, binding | push | spec, bytes of the buffer, file, shaders (their
// stage is the ending before .spv: a.vert.spv). Three vertices, two instances, 8 by 8 pixels.
// binding: set 3, binding 0; push: from byte 0; spec: constants 10 to 12.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum {
    PIXELS = 8,
    MAX_STAGES = 5,
    CODE_BYTES = 1 << 16,
    SETS = 4,
    SPEC = 10,
    FIRST_SHADER = 5,
    DRAW_VERTICES = 3,
    DRAW_INSTANCES = 2,
};

struct where {
    uint64_t address;
    uint32_t bytes;
};

struct host {
    VkPhysicalDevice physical;
    VkDevice device;
    VkPhysicalDeviceMemoryProperties types;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkBuffer buffer;
    uint32_t *map;
    struct where where;
    VkImage image;
    VkImageView view;
    VkDescriptorSetLayout layouts[SETS];
    VkDescriptorSet sets[SETS];
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkPipelineShaderStageCreateInfo stages[MAX_STAGES];
    uint32_t nstages;
    VkShaderStageFlags all;
};

static void must(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, (int)r);
        exit(3);
    }
}

static void find_device(struct host *h, const char *name)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice all[16] = {0};
    uint32_t n = 16;
    must(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    must(vkEnumeratePhysicalDevices(instance, &n, all), "vkEnumeratePhysicalDevices");
    for (uint32_t i = 0; i < n; i++) {
        VkPhysicalDeviceProperties props = {0};
        vkGetPhysicalDeviceProperties(all[i], &props);
        if (strstr(props.deviceName, name) != NULL) {
            h->physical = all[i];
            return;
        }
    }
    must(VK_INCOMPLETE, name);
}

static void open_device(struct host *h, const char *name)
{
    const float priority = 1;
    find_device(h, name);
    VkPhysicalDeviceVulkan13Features v13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .dynamicRendering = VK_TRUE,
        .shaderDemoteToHelperInvocation = VK_TRUE};
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &v13,
        .bufferDeviceAddress = VK_TRUE};
    const VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &v12,
        .features = {.geometryShader = VK_TRUE,
                     .tessellationShader = VK_TRUE,
                     .vertexPipelineStoresAndAtomics = VK_TRUE,
                     .fragmentStoresAndAtomics = VK_TRUE}};
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    must(vkCreateDevice(h->physical, &info, NULL, &h->device), "vkCreateDevice");
    must(vkCreateCommandPool(h->device, &pool, NULL, &h->pool), "vkCreateCommandPool");
    vkGetDeviceQueue(h->device, 0, 0, &h->queue);
    vkGetPhysicalDeviceMemoryProperties(h->physical, &h->types);
}

static VkDeviceMemory allocate(const struct host *h, VkMemoryRequirements need,
                               VkMemoryPropertyFlags want)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint32_t type = 0;
    while (type + 1 < h->types.memoryTypeCount &&
           ((need.memoryTypeBits >> type & 1) == 0 ||
            (h->types.memoryTypes[type].propertyFlags & want) != want)) {
        type++;
    }
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = &flags,
                                       .allocationSize = need.size,
                                       .memoryTypeIndex = type};
    must(vkAllocateMemory(h->device, &info, NULL, &memory), "vkAllocateMemory");
    return memory;
}

/** The printf buffer: zeros in the header, something else behind it. */
static void make_buffer(struct host *h, uint32_t bytes)
{
    enum { HEADER_BYTES = 16, OLD = 0x5a };
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = bytes,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                              VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    VkMemoryRequirements need = {0};
    void *map = NULL;
    must(vkCreateBuffer(h->device, &info, NULL, &h->buffer), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(h->device, h->buffer, &need);
    VkDeviceMemory memory = allocate(
        h, need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    must(vkBindBufferMemory(h->device, h->buffer, memory, 0), "vkBindBufferMemory");
    must(vkMapMemory(h->device, memory, 0, VK_WHOLE_SIZE, 0, &map), "vkMapMemory");
    h->map = map;
    memset(map, OLD, bytes);
    memset(map, 0, HEADER_BYTES);
    const VkBufferDeviceAddressInfo where = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                             .buffer = h->buffer};
    h->where = (struct where){vkGetBufferDeviceAddress(h->device, &where), bytes};
}

static void make_image(struct host *h)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = {PIXELS, PIXELS, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    VkMemoryRequirements need = {0};
    must(vkCreateImage(h->device, &info, NULL, &h->image), "vkCreateImage");
    vkGetImageMemoryRequirements(h->device, h->image, &need);
    must(vkBindImageMemory(h->device, h->image, allocate(h, need, 0), 0), "vkBindImageMemory");
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = h->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = info.format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    must(vkCreateImageView(h->device, &view, NULL, &h->view), "vkCreateImageView");
}

static void make_sets(struct host *h, bool bind)
{
    const VkDescriptorSetLayoutBinding binding = {.descriptorType =
                                                      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_ALL};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool_info = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = SETS,
                                                  .poolSizeCount = 1,
                                                  .pPoolSizes = &size};
    VkDescriptorPool pool = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < SETS; i++) {
        const VkDescriptorSetLayoutCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .bindingCount = bind && i == SETS - 1,
            .pBindings = &binding};
        must(vkCreateDescriptorSetLayout(h->device, &info, NULL, &h->layouts[i]), "set layout");
    }
    must(vkCreateDescriptorPool(h->device, &pool_info, NULL, &pool), "vkCreateDescriptorPool");
    const VkDescriptorSetAllocateInfo allocate_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = SETS,
        .pSetLayouts = h->layouts};
    must(vkAllocateDescriptorSets(h->device, &allocate_info, h->sets), "vkAllocateDescriptorSets");
    const VkDescriptorBufferInfo buffer = {h->buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = h->sets[SETS - 1],
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(h->device, bind, &write, 0, NULL);
}

static VkShaderStageFlagBits stage_of(const char *path)
{
    static const struct {
        const char *name;
        VkShaderStageFlagBits stage;
    } stages[] = {{".vert.", VK_SHADER_STAGE_VERTEX_BIT},
                  {".tesc.", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
                  {".tese.", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
                  {".geom.", VK_SHADER_STAGE_GEOMETRY_BIT},
                  {".frag.", VK_SHADER_STAGE_FRAGMENT_BIT}};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (strstr(path, stages[i].name) != NULL) {
            return stages[i].stage;
        }
    }
    must(VK_INCOMPLETE, path);
    return 0;
}

static void add_stage(struct host *h, const char *path, const VkSpecializationInfo *special)
{
    static uint32_t code[CODE_BYTES / 4];
    FILE *f = fopen(path, "rb");
    must(f != NULL ? VK_SUCCESS : VK_INCOMPLETE, path);
    const size_t bytes = fread(code, 1, sizeof code, f);
    fclose(f);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkPipelineShaderStageCreateInfo *s = &h->stages[h->nstages++];
    *s = (VkPipelineShaderStageCreateInfo){.sType =
                                               VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                           .stage = stage_of(path),
                                           .pName = "main",
                                           .pSpecializationInfo = special};
    must(vkCreateShaderModule(h->device, &info, NULL, &s->module), "vkCreateShaderModule");
    h->all |= s->stage;
}

static void make_layout(struct host *h)
{
    const VkPushConstantRange range = {h->all, 0, sizeof h->where};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = SETS,
                                             .pSetLayouts = h->layouts,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    must(vkCreatePipelineLayout(h->device, &info, NULL, &h->layout), "vkCreatePipelineLayout");
}

static void make_pipeline(struct host *h)
{
    const bool patches = (h->all & VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT) != 0;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkViewport viewport = {0, 0, PIXELS, PIXELS, 0, 1};
    const VkRect2D scissor = {{0, 0}, {PIXELS, PIXELS}};
    const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology =
            patches ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkPipelineTessellationStateCreateInfo tessellation = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .patchControlPoints = DRAW_VERTICES};
    const VkPipelineViewportStateCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &viewport,
        .scissorCount = 1,
        .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendAttachmentState color = {.colorWriteMask = VK_COLOR_COMPONENT_R_BIT};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &color};
    const VkGraphicsPipelineCreateInfo info = {.sType =
                                                   VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &rendering,
                                               .stageCount = h->nstages,
                                               .pStages = h->stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pTessellationState = patches ? &tessellation : NULL,
                                               .pViewportState = &view,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pColorBlendState = &blend,
                                               .layout = h->layout};
    must(vkCreateGraphicsPipelines(h->device, VK_NULL_HANDLE, 1, &info, NULL, &h->pipeline),
         "vkCreateGraphicsPipelines");
}

static void barrier(const struct host *h, VkImageLayout to)
{
    const VkImageMemoryBarrier image = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = h->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(h->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &all, 0, NULL, 1, &image);
}

static void draw(struct host *h, bool bind, bool push)
{
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = h->view,
                                             .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                       .renderArea = {{0, 0}, {PIXELS, PIXELS}},
                                       .layerCount = 1,
                                       .colorAttachmentCount = 1,
                                       .pColorAttachments = &color};
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = h->pool,
                                              .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    must(vkAllocateCommandBuffers(h->device, &info, &h->cmd), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(h->cmd, &begin), "vkBeginCommandBuffer");
    barrier(h, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBindPipeline(h->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, h->pipeline);
    if (bind) {
        vkCmdBindDescriptorSets(h->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, h->layout, 0, SETS,
                                h->sets, 0, NULL);
    }
    if (push) {
        vkCmdPushConstants(h->cmd, h->layout, h->all, 0, 12, &h->where);
    }
    vkCmdBeginRendering(h->cmd, &rendering);
    vkCmdDraw(h->cmd, DRAW_VERTICES, DRAW_INSTANCES, 0, 0);
    vkCmdEndRendering(h->cmd);
    barrier(h, VK_IMAGE_LAYOUT_GENERAL);
    must(vkEndCommandBuffer(h->cmd), "vkEndCommandBuffer");
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &h->cmd};
    must(vkQueueSubmit(h->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(h->queue), "vkQueueWaitIdle");
}

int main(int argc, char **argv)
{
    static const VkSpecializationMapEntry entries[] = {
        {SPEC, 0, 4}, {SPEC + 1, 4, 4}, {SPEC + 2, 8, 4}};
    struct host h = {0};
    if (argc <= FIRST_SHADER || argc > FIRST_SHADER + MAX_STAGES) {
        return 2;
    }
    const char *way = argv[2];
    const bool bind = strcmp(way, "binding") == 0;
    open_device(&h, argv[1]);
    make_buffer(&h, (uint32_t)strtoul(argv[3], NULL, 10));
    make_image(&h);
    make_sets(&h, bind);
    const VkSpecializationInfo special = {3, entries, 12, &h.where};
    for (int i = FIRST_SHADER; i < argc; i++) {
        add_stage(&h, argv[i], strcmp(way, "spec") == 0 ? &special : NULL);
    }
    make_layout(&h);
    make_pipeline(&h);
    draw(&h, bind, strcmp(way, "push") == 0);
    FILE *f = fopen(argv[4], "wb");
    must(f != NULL ? VK_SUCCESS : VK_INCOMPLETE, argv[4]);
    const bool good = fwrite(h.map, 1, h.where.bytes, f) == h.where.bytes;
    return fclose(f) == 0 && good ? 0 : 3;
}
