// SPDX-License-Identifier: MIT
// A Vulkan program that knows nothing of lull: it draws twice with one pipeline that is made in one
// of several ways. What VK_LAYER_LULL_printf prints of it, printf_draw.py knows.
//
//     printf_draw WAY SHADER.spv...
//
// A shader's stage is the ending before .spv: a.vert.spv. 8 by 8 pixels, three vertices or one
// workgroup, two instances. WAY: whole; multi, whole and drawn by vkCmdDrawMultiEXT; objects, no
// pipeline but shader objects (vertex and fragment shader, dynamic state: printf_objects.h); or of
// libraries: parts (four of them), optimised (linked again by the driver), nested (libraries of
// libraries), inline (the code comes with the library).
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#include "layer/printf/shader_object.h"
#include "printf_objects.h"

enum { PIXELS = 8, MAX_STAGES = 5, CODE_BYTES = 1 << 16, PARTS = 4 };

struct program {
    const char *way;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkImage image;
    VkImageView view;
    VkPipelineLayout layout;
    VkPipelineShaderStageCreateInfo stages[MAX_STAGES]; // The fragment shader is the last.
    VkShaderModuleCreateInfo code[MAX_STAGES];
    VkDebugUtilsObjectNameInfoEXT names[MAX_STAGES]; // In front of the code in a stage's chain.
    uint32_t nstages;
    VkShaderStageFlags all;
};

static void must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, result);
        exit(1);
    }
}

static bool way(const struct program *p, const char *name)
{
    return strcmp(p->way, name) == 0;
}

static bool has(const struct program *p, VkShaderStageFlagBits stage)
{
    return (p->all & stage) != 0;
}

static void find_device(struct program *p)
{
    static const char *const debug[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app,
                                       .enabledExtensionCount = 1,
                                       .ppEnabledExtensionNames = debug};
    VkInstance instance = VK_NULL_HANDLE;
    uint32_t count = 1;
    must(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    if (vkEnumeratePhysicalDevices(instance, &count, &p->physical) < 0 || count != 1) {
        must(VK_ERROR_UNKNOWN, "no device");
    }
}

static void make_device(struct program *p)
{
    static const char *const library[] = {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                          VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME};
    static const char *const mesh[] = {VK_EXT_MESH_SHADER_EXTENSION_NAME};
    static const char *const multi[] = {VK_EXT_MULTI_DRAW_EXTENSION_NAME};
    static const char *const object[] = {"VK_EXT_shader_object"};
    find_device(p);
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
        .graphicsPipelineLibrary = VK_TRUE};
    VkPhysicalDeviceMeshShaderFeaturesEXT meshes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
        .taskShader = VK_TRUE,
        .meshShader = VK_TRUE};
    VkPhysicalDeviceMultiDrawFeaturesEXT multis = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT, .multiDraw = VK_TRUE};
    const bool with_mesh = has(p, VK_SHADER_STAGE_MESH_BIT_EXT);
    const bool whole = way(p, "whole"), with_multi = way(p, "multi");
    const bool with_objects = way(p, "objects");
    struct lull_vk_shader_features objects = {.sType = (VkStructureType)LULL_VK_SHADER_FEATURES,
                                              .shaderObject = VK_TRUE};
    VkPhysicalDeviceVulkan13Features v13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .pNext = with_mesh      ? (void *)&meshes
                 : with_multi   ? (void *)&multis
                 : with_objects ? (void *)&objects
                 : whole        ? NULL
                                : (void *)&libraries,
        .dynamicRendering = VK_TRUE,
        .maintenance4 = VK_TRUE};
    const VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &v13,
        .features = {.geometryShader = VK_TRUE, .tessellationShader = VK_TRUE}};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount =
                                           with_mesh || with_multi || with_objects ? 1
                                           : whole                                 ? 0
                                                                                   : 2,
                                       .ppEnabledExtensionNames = with_mesh      ? mesh
                                                                  : with_multi   ? multi
                                                                  : with_objects ? object
                                                                                 : library};
    must(vkCreateDevice(p->physical, &device, NULL, &p->device), "vkCreateDevice");
    vkGetDeviceQueue(p->device, 0, 0, &p->queue);
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
                  {".task.", VK_SHADER_STAGE_TASK_BIT_EXT},
                  {".mesh.", VK_SHADER_STAGE_MESH_BIT_EXT},
                  {".frag.", VK_SHADER_STAGE_FRAGMENT_BIT}};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (strstr(path, stages[i].name) != NULL) {
            return stages[i].stage;
        }
    }
    must(VK_ERROR_UNKNOWN, path);
    return 0;
}

/** Of a shader, all but the module. */
static void read_stage(struct program *p, const char *path)
{
    static uint32_t code[MAX_STAGES][CODE_BYTES / 4];
    const uint32_t i = p->nstages++;
    FILE *f = fopen(path, "rb");
    const size_t bytes = f != NULL ? fread(code[i], 1, sizeof code[i], f) : 0;
    must(f != NULL ? VK_SUCCESS : VK_ERROR_UNKNOWN, path);
    fclose(f);
    p->code[i] = (VkShaderModuleCreateInfo){
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code[i]};
    p->names[i] =
        (VkDebugUtilsObjectNameInfoEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                        .pNext = &p->code[i],
                                        .pObjectName = "inline"};
    p->stages[i] = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = stage_of(path),
        .pName = "main"};
    p->all |= p->stages[i].stage;
}

static void make_modules(struct program *p)
{
    for (uint32_t i = 0; i < p->nstages; i++) {
        if (way(p, "objects")) {
            continue;
        }
        if (way(p, "inline")) {
            p->stages[i].pNext = &p->names[i];
        } else {
            must(vkCreateShaderModule(p->device, &p->code[i], NULL, &p->stages[i].module),
                 "vkCreateShaderModule");
        }
    }
}

static void make_image(struct program *p)
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
    VkDeviceMemory memory = VK_NULL_HANDLE;
    must(vkCreateImage(p->device, &info, NULL, &p->image), "vkCreateImage");
    vkGetImageMemoryRequirements(p->device, p->image, &need);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = need.size};
    while ((need.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0) {
        allocate.memoryTypeIndex++;
    }
    must(vkAllocateMemory(p->device, &allocate, NULL, &memory), "vkAllocateMemory");
    must(vkBindImageMemory(p->device, p->image, memory, 0), "vkBindImageMemory");
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = p->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = info.format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    must(vkCreateImageView(p->device, &view, NULL, &p->view), "vkCreateImageView");
}

static VkPipeline create(const struct program *p, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    must(vkCreateGraphicsPipelines(p->device, VK_NULL_HANDLE, 1, info, NULL, &pipeline),
         "vkCreateGraphicsPipelines");
    return pipeline;
}

/** A library of the parts @p which of @p all, or all that is drawn with. */
static VkPipeline make_part(const struct program *p, VkGraphicsPipelineLibraryFlagsEXT which,
                            const VkGraphicsPipelineCreateInfo *all)
{
    const VkGraphicsPipelineLibraryCreateInfoEXT library = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
        .pNext = (void *)(uintptr_t)all->pNext,
        .flags = which};
    VkGraphicsPipelineCreateInfo info = *all;
    info.pNext = &library;
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |
                 VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;
    info.stageCount = 0;
    if ((which & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) != 0) {
        info.stageCount = p->nstages - 1;
    } else if ((which & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT) != 0) {
        info.stageCount = 1;
        info.pStages = &p->stages[p->nstages - 1];
    }
    return create(p, &info);
}

static VkPipeline link_parts(const struct program *p, const VkPipeline *parts, uint32_t n,
                             VkPipelineCreateFlags flags)
{
    const VkPipelineLibraryCreateInfoKHR libraries = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
        .libraryCount = n,
        .pLibraries = parts};
    const VkGraphicsPipelineCreateInfo info = {.sType =
                                                   VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &libraries,
                                               .flags = flags,
                                               .layout = p->layout};
    return create(p, &info);
}

static VkPipeline make_linked(const struct program *p, const VkGraphicsPipelineCreateInfo *all)
{
    VkPipeline parts[PARTS] = {VK_NULL_HANDLE};
    for (uint32_t i = 0; i < PARTS; i++) {
        parts[i] = make_part(p, 1u << i, all);
    }
    if (way(p, "nested")) {
        const VkPipelineCreateFlags flags =
            VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |
            VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;
        const VkPipeline halves[2] = {link_parts(p, parts, 2, flags),
                                      link_parts(p, parts + 2, 2, flags)};
        return link_parts(p, halves, 2, 0);
    }
    return link_parts(p, parts, PARTS,
                      way(p, "optimised") ? VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT : 0);
}

static VkPipeline make_pipeline(const struct program *p)
{
    const bool patches = has(p, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT);
    const bool mesh = has(p, VK_SHADER_STAGE_MESH_BIT_EXT);
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
        .patchControlPoints = 3};
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
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    const VkPipelineColorBlendAttachmentState color = {.colorWriteMask = VK_COLOR_COMPONENT_R_BIT};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &color};
    const VkGraphicsPipelineCreateInfo all = {.sType =
                                                  VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                              .pNext = &rendering,
                                              .stageCount = p->nstages,
                                              .pStages = p->stages,
                                              .pVertexInputState = mesh ? NULL : &input,
                                              .pInputAssemblyState = mesh ? NULL : &assembly,
                                              .pTessellationState = patches ? &tessellation : NULL,
                                              .pViewportState = &view,
                                              .pRasterizationState = &raster,
                                              .pMultisampleState = &samples,
                                              .pDepthStencilState = &depth,
                                              .pColorBlendState = &blend,
                                              .layout = p->layout};
    return way(p, "whole") || way(p, "multi") ? create(p, &all) : make_linked(p, &all);
}

/** The target, ready to be drawn to. */
static void to_general(const struct program *p, VkCommandBuffer c)
{
    const VkImageMemoryBarrier image = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = p->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                         VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, NULL, 0, NULL, 1,
                         &image);
}

static void draw(const struct program *p, VkCommandBuffer c)
{
    const PFN_vkCmdDrawMeshTasksEXT mesh =
        (PFN_vkCmdDrawMeshTasksEXT)vkGetDeviceProcAddr(p->device, "vkCmdDrawMeshTasksEXT");
    if (has(p, VK_SHADER_STAGE_MESH_BIT_EXT)) {
        mesh(c, 1, 1, 1);
    } else if (way(p, "multi")) {
        const PFN_vkCmdDrawMultiEXT multi =
            (PFN_vkCmdDrawMultiEXT)vkGetDeviceProcAddr(p->device, "vkCmdDrawMultiEXT");
        const VkMultiDrawInfoEXT info = {0, 3};
        multi(c, 1, &info, 2, 0, sizeof info);
    } else {
        vkCmdDraw(c, 3, 2, 0, 0);
    }
}

/** Shader objects of all stages, with the state that a pipeline would have. */
static void bind_objects(const struct program *p, VkCommandBuffer c)
{
    struct lull_vk_shader_info infos[MAX_STAGES];
    VkShaderStageFlagBits stages[MAX_STAGES];
    lull_vk_shader objects[MAX_STAGES] = {0};
    for (uint32_t i = 0; i < p->nstages; i++) {
        stages[i] = p->stages[i].stage;
        infos[i] = (struct lull_vk_shader_info){
            .sType = (VkStructureType)LULL_VK_SHADER_INFO,
            .stage = stages[i],
            .nextStage = i + 1 < p->nstages ? (VkFlags)p->stages[i + 1].stage : 0,
            .codeType = LULL_VK_SHADER_SPIRV,
            .codeSize = p->code[i].codeSize,
            .pCode = p->code[i].pCode,
            .pName = "main"};
    }
    const lull_vk_create_shaders make =
        (lull_vk_create_shaders)vkGetDeviceProcAddr(p->device, "vkCreateShadersEXT");
    const lull_vk_bind_shaders bind =
        (lull_vk_bind_shaders)vkGetDeviceProcAddr(p->device, "vkCmdBindShadersEXT");
    must(make(p->device, p->nstages, infos, NULL, objects), "vkCreateShadersEXT");
    bind(c, p->nstages, stages, objects);
    printf_objects_state(p->device, c, PIXELS);
}

/** Twice in one command buffer. */
static void draws(const struct program *p, VkPipeline pipeline)
{
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = p->view,
                                             .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                       .renderArea = {{0, 0}, {PIXELS, PIXELS}},
                                       .layerCount = 1,
                                       .colorAttachmentCount = 1,
                                       .pColorAttachments = &color};
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandBufferCount = 1};
    VkCommandBuffer c = VK_NULL_HANDLE;
    must(vkCreateCommandPool(p->device, &pool_info, NULL, &info.commandPool),
         "vkCreateCommandPool");
    must(vkAllocateCommandBuffers(p->device, &info, &c), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(c, &begin), "vkBeginCommandBuffer");
    to_general(p, c);
    vkCmdBeginRendering(c, &rendering);
    if (way(p, "objects")) {
        bind_objects(p, c);
    } else {
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    }
    draw(p, c);
    draw(p, c);
    vkCmdEndRendering(c);
    must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    must(vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(p->queue), "vkQueueWaitIdle");
}

int main(int argc, char **argv)
{
    struct program p = {.way = argc > 2 ? argv[1] : ""};
    if (argc <= 2 || argc > 2 + MAX_STAGES) {
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        read_stage(&p, argv[i]);
    }
    make_device(&p);
    make_modules(&p);
    make_image(&p);
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    must(vkCreatePipelineLayout(p.device, &layout, NULL, &p.layout), "vkCreatePipelineLayout");
    draws(&p, way(&p, "objects") ? VK_NULL_HANDLE : make_pipeline(&p));
    puts("done");
    return 0; // Without destroying anything, as many programs do.
}
