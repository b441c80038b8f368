// SPDX-License-Identifier: MIT
// radv_pipe ATTRIBUTES TARGETS X.vert.spv X.frag.spv [X.geom.spv]: have the first Vulkan device
// compile the shaders to a pipeline. Nothing is drawn: with RADV_FORCE_FAMILY RADV compiles for a
// GPU that is not there, and RADV_DEBUG=shaders shows the code. ATTRIBUTES has a letter for each
// location from 0 on: f four floats, g two, u four whole numbers. TARGETS is the same of the colour
// targets.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { MOST = 8, MOST_WORDS = 1 << 16, BYTES = 16 };

static void check(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        fprintf(stderr, "radv_pipe: %s: %d\n", what, r);
        exit(1);
    }
}

static VkFormat format(char letter)
{
    return letter == 'u'   ? VK_FORMAT_R32G32B32A32_UINT
           : letter == 'g' ? VK_FORMAT_R32G32_SFLOAT
                           : VK_FORMAT_R32G32B32A32_SFLOAT;
}

static VkDevice open_device(void)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice gpu = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    uint32_t n = 1;
    check(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    const VkResult r = vkEnumeratePhysicalDevices(instance, &n, &gpu);
    check(n == 1 ? VK_SUCCESS : r, "vkEnumeratePhysicalDevices");
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan13Features more = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .dynamicRendering = VK_TRUE};
    const VkPhysicalDeviceFeatures core = {.geometryShader = VK_TRUE};
    const VkDeviceCreateInfo made = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &more,
                                     .pEnabledFeatures = &core,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    check(vkCreateDevice(gpu, &made, NULL, &device), "vkCreateDevice");
    return device;
}

static VkPipelineShaderStageCreateInfo stage(VkDevice device, const char *path,
                                             VkShaderStageFlagBits which)
{
    static uint32_t words[MOST_WORDS];
    FILE *f = fopen(path, "rb");
    const size_t n = f != NULL ? fread(words, sizeof *words, MOST_WORDS, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = n * sizeof *words,
                                           .pCode = words};
    VkShaderModule m = VK_NULL_HANDLE;
    check(n != 0 ? vkCreateShaderModule(device, &info, NULL, &m) : VK_INCOMPLETE, path);
    return (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = which,
        .module = m,
        .pName = "main"};
}

/** What is fixed of the pipeline beside shaders, attributes and targets. */
static void compile(VkDevice device, const VkPipelineShaderStageCreateInfo *stages, uint32_t n,
                    const VkPipelineVertexInputStateCreateInfo *input,
                    const VkPipelineRenderingCreateInfo *targets)
{
    const VkPipelineLayoutCreateInfo none = {.sType =
                                                 VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo triangles = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkViewport viewport = {.width = 16, .height = 16, .maxDepth = 1};
    const VkRect2D scissor = {.extent = {16, 16}};
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
    VkPipelineColorBlendAttachmentState all[MOST] = {0};
    for (int i = 0; i < MOST; i++) {
        all[i].colorWriteMask = 0xf;
    }
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = targets->colorAttachmentCount,
        .pAttachments = all};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pNext = targets,
                                         .stageCount = n,
                                         .pStages = stages,
                                         .pVertexInputState = input,
                                         .pInputAssemblyState = &triangles,
                                         .pViewportState = &view,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pColorBlendState = &blend};
    VkPipeline made = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(device, &none, NULL, &info.layout), "vkCreatePipelineLayout");
    check(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &made),
          "vkCreateGraphicsPipelines");
}

int main(int argc, char **argv)
{
    VkVertexInputAttributeDescription attributes[MOST] = {0};
    VkFormat formats[MOST] = {0};
    if ((argc != 5 && argc != 6) || strlen(argv[1]) > MOST || strlen(argv[2]) > MOST) {
        fprintf(stderr, "usage: radv_pipe ATTRIBUTES TARGETS X.vert.spv X.frag.spv [X.geom.spv]\n");
        return 2;
    }
    const uint32_t nattributes = (uint32_t)strlen(argv[1]), ntargets = (uint32_t)strlen(argv[2]);
    for (uint32_t i = 0; i < nattributes; i++) {
        attributes[i] = (VkVertexInputAttributeDescription){
            .location = i, .format = format(argv[1][i]), .offset = BYTES * i};
    }
    for (uint32_t i = 0; i < ntargets; i++) {
        formats[i] = format(argv[2][i]);
    }
    const VkVertexInputBindingDescription binding = {.stride = BYTES * MOST};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = 1,
        .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = nattributes,
        .pVertexAttributeDescriptions = attributes};
    const VkPipelineRenderingCreateInfo targets = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = ntargets,
        .pColorAttachmentFormats = formats};
    VkDevice device = open_device();
    VkPipelineShaderStageCreateInfo stages[3] = {
        stage(device, argv[3], VK_SHADER_STAGE_VERTEX_BIT),
        stage(device, argv[4], VK_SHADER_STAGE_FRAGMENT_BIT)};
    if (argc == 6) {
        stages[2] = stage(device, argv[5], VK_SHADER_STAGE_GEOMETRY_BIT);
    }
    compile(device, stages, (uint32_t)argc - 3, &input, &targets);
    return 0;
}
