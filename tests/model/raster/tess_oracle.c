// SPDX-License-Identifier: MIT
// The tessellator, compared with another one: the Vulkan driver's whose name has argv[1] in it.
// argv[2]: where the shaders are; argv[3], if given: it is a failure if there is no such driver.
// Each primitive of random patches must be there: same points to the last bit, same first corner,
// same winding. Vulkan leaves that to the implementation, so this holds for drivers whose
// tessellator is Direct3D's, such as lavapipe, and for RADV on the model.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "model/raster/tess.h"
#include "test.h"

enum { PATCHES = 64, ROOM = 160000, LEVELS = 6, FOUND = 7, HEADER = 4 };

struct host {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorSet set;
    VkBuffer levels, found;
    float *map_levels;
    uint32_t *map_found; ///< count, room, then primitives of FOUND floats
};

static void must(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        printf("Bail out! %s: VkResult %d\n", what, (int)r);
        exit(1);
    }
}

/** False: there is no such driver. */
static bool find_device(struct host *h, const char *name)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkPhysicalDevice all[16] = {0};
    uint32_t n = 16;
    if (vkCreateInstance(&info, NULL, &h->instance) != VK_SUCCESS ||
        vkEnumeratePhysicalDevices(h->instance, &n, all) != VK_SUCCESS) {
        return false;
    }
    for (uint32_t i = 0; i < n && h->physical == VK_NULL_HANDLE; i++) {
        VkPhysicalDeviceProperties props = {0};
        vkGetPhysicalDeviceProperties(all[i], &props);
        if (strstr(props.deviceName, name) != NULL) {
            h->physical = all[i];
            printf("# %s\n", props.deviceName);
        }
    }
    return h->physical != VK_NULL_HANDLE;
}

static void open_device(struct host *h)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkPhysicalDeviceVulkan13Features dynamic = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = true};
    const VkPhysicalDeviceFeatures features = {.tessellationShader = true,
                                               .geometryShader = true,
                                               .shaderTessellationAndGeometryPointSize = true,
                                               .vertexPipelineStoresAndAtomics = true};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &dynamic,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .pEnabledFeatures = &features};
    must(vkCreateDevice(h->physical, &device, NULL, &h->device), "vkCreateDevice");
    vkGetDeviceQueue(h->device, 0, 0, &h->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    must(vkCreateCommandPool(h->device, &pool, NULL, &h->pool), "vkCreateCommandPool");
}

static void *make_buffer(struct host *h, VkDeviceSize size, VkBuffer *ret)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryRequirements need = {0};
    VkPhysicalDeviceMemoryProperties types = {0};
    must(vkCreateBuffer(h->device, &info, NULL, ret), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(h->device, *ret, &need);
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
    must(vkBindBufferMemory(h->device, *ret, memory, 0), "vkBindBufferMemory");
    must(vkMapMemory(h->device, memory, 0, VK_WHOLE_SIZE, 0, &map), "vkMapMemory");
    return map;
}

static void make_set(struct host *h)
{
    VkDescriptorSetLayoutBinding bindings[2] = {{0}};
    for (uint32_t i = 0; i < 2; i++) {
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .descriptorCount = 1,
                                           .stageFlags = VK_SHADER_STAGE_ALL_GRAPHICS};
    }
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 2,
        .pBindings = bindings};
    must(vkCreateDescriptorSetLayout(h->device, &set, NULL, &h->set_layout), "set layout");
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &h->set_layout};
    must(vkCreatePipelineLayout(h->device, &layout, NULL, &h->layout), "pipeline layout");
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    VkDescriptorPool pool = VK_NULL_HANDLE;
    must(vkCreateDescriptorPool(h->device, &info, NULL, &pool), "descriptor pool");
    const VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &h->set_layout};
    must(vkAllocateDescriptorSets(h->device, &allocate, &h->set), "descriptor set");
    const VkDescriptorBufferInfo buffers[2] = {{h->levels, 0, VK_WHOLE_SIZE},
                                               {h->found, 0, VK_WHOLE_SIZE}};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = h->set,
                                        .descriptorCount = 2, // goes on into binding 1
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = buffers};
    vkUpdateDescriptorSets(h->device, 1, &write, 0, NULL);
}

static VkPipelineShaderStageCreateInfo stage(struct host *h, VkShaderStageFlagBits stage,
                                             const char *folder, const char *name)
{
    static uint32_t words[16384];
    char path[512];
    snprintf(path, sizeof(path), "%s/tess_oracle_%s.spv", folder, name);
    FILE *f = fopen(path, "rb");
    const size_t size = f != NULL ? fread(words, 1, sizeof words, f) : 0;
    must(size > 0 ? VK_SUCCESS : VK_INCOMPLETE, path);
    fclose(f);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkShaderModule module = VK_NULL_HANDLE;
    must(vkCreateShaderModule(h->device, &info, NULL, &module), path);
    return (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = stage,
        .module = module,
        .pName = "main"};
}

static VkPipeline make_pipeline(struct host *h, const VkPipelineShaderStageCreateInfo stages[4])
{
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST};
    const VkPipelineTessellationStateCreateInfo tessellation = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .patchControlPoints = 1};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .rasterizerDiscardEnable = true,
        .lineWidth = 1};
    const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    const VkGraphicsPipelineCreateInfo info = {.sType =
                                                   VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &rendering,
                                               .stageCount = 4,
                                               .pStages = stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pTessellationState = &tessellation,
                                               .pRasterizationState = &raster,
                                               .layout = h->layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    must(vkCreateGraphicsPipelines(h->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
         "pipeline");
    return pipeline;
}

static void draw(struct host *h, VkPipeline pipeline)
{
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = h->pool,
        .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                       .renderArea = {.extent = {16, 16}},
                                       .layerCount = 1};
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    must(vkAllocateCommandBuffers(h->device, &allocate, &cmd), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(cmd, &begin), "vkBeginCommandBuffer");
    vkCmdBeginRendering(cmd, &rendering);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, h->layout, 0, 1, &h->set, 0,
                            NULL);
    vkCmdDraw(cmd, PATCHES, 1, 0, 0);
    vkCmdEndRendering(cmd);
    must(vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    must(vkQueueSubmit(h->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(h->queue), "vkQueueWaitIdle");
}

static float random_level(uint32_t *seed)
{
    static const float edges[] = {1, 2, 3, 64, 65, 0.25F, 1.000005F, 1.00001F, 1.5F, 62.5F, NAN, 0};
    *seed = *seed * 1664525 + 1013904223;
    const uint32_t r = *seed >> 8;
    return r % 16 == 0  ? edges[r / 16 % TEST_ROWS(edges)]
           : r % 4 == 0 ? (float)(1 + r / 16 % 12)
                        : (float)(r % 4000) / (r / 16 % 16 == 0 ? 61.F : 400.F) + 0.01F;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, FOUND * sizeof(float));
}

/** What the tessellator makes of the patches. @return primitives. */
static uint32_t ours(const struct host *h, const struct lull_tess_mode *mode, float *ret)
{
    static struct lull_tess_point point[LULL_TESS_POINTS_MAX];
    static uint16_t index[LULL_TESS_INDICES_MAX];
    uint32_t n = 0;
    for (unsigned i = 0; i < PATCHES; i++) {
        struct lull_tess_levels levels = {0};
        struct lull_tess_plan plan = {0};
        memcpy(levels.outer, h->map_levels + (size_t)LEVELS * i, sizeof(levels.outer));
        memcpy(levels.inner, h->map_levels + (size_t)LEVELS * i + 4, sizeof(levels.inner));
        lull_tess_plan(mode, &levels, &plan);
        lull_tess_points(&plan, point);
        lull_tess_indices(&plan, index);
        for (uint32_t k = 0; k < plan.nindices && n < ROOM; n++) {
            float *to = ret + (size_t)FOUND * n;
            memset(to, 0, FOUND * sizeof(*to));
            *to++ = (float)i;
            for (unsigned c = 0; c < plan.corners; c++, k++) {
                *to++ = point[index[k]].u;
                *to++ = point[index[k]].v;
            }
        }
    }
    return n;
}

static void run(struct host *h, const char *folder, const char *name,
                const struct lull_tess_mode *mode)
{
    static float want[FOUND * ROOM], got[FOUND * ROOM];
    static const char *const inputs[] = {"points", "lines", "triangles", "triangles"};
    const VkPipelineShaderStageCreateInfo stages[4] = {
        stage(h, VK_SHADER_STAGE_VERTEX_BIT, folder, "vert"),
        stage(h, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, folder, "tesc"),
        stage(h, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, folder, name),
        stage(h, VK_SHADER_STAGE_GEOMETRY_BIT, folder, inputs[mode->output])};
    uint32_t seed = (uint32_t)strlen(name);
    for (unsigned i = 0; i < LEVELS * PATCHES; i++) {
        h->map_levels[i] = random_level(&seed);
    }
    memset(h->map_found, 0, 4 * (HEADER + (size_t)FOUND * ROOM));
    h->map_found[1] = ROOM;
    draw(h, make_pipeline(h, stages));
    const uint32_t n = h->map_found[0];
    const uint32_t mine = ours(h, mode, want);
    memcpy(got, h->map_found + HEADER, sizeof(got));
    if (!test_case(n == mine && n > PATCHES && n < ROOM, name, "%u primitives, %u there", mine,
                   n)) {
        return;
    }
    qsort(want, n, FOUND * sizeof(float), compare);
    qsort(got, n, FOUND * sizeof(float), compare);
    uint32_t at = 0;
    while (at < n && compare(want + (size_t)FOUND * at, got + (size_t)FOUND * at) == 0) {
        at++;
    }
    const float *w = want + (size_t)FOUND * (at < n ? at : 0);
    const float *g = got + (size_t)FOUND * (at < n ? at : 0);
    test_case(at == n, "each primitive is the same",
              "%s: patch %g: (%a %a) (%a %a) (%a %a), there patch %g: (%a %a) (%a %a) (%a %a)",
              name, w[0], w[1], w[2], w[3], w[4], w[5], w[6], g[0], g[1], g[2], g[3], g[4], g[5],
              g[6]);
}

static void run_all(struct host *h, const char *folder)
{
    static const char *const domains[] = {"isolines", "triangles", "quads"};
    static const char *const spacings[] = {"equal_spacing", "fractional_odd_spacing",
                                           "fractional_even_spacing"};
    static const char *const outputs[] = {"point_mode", "cw", "cw", "ccw"};
    for (unsigned i = 0; i < 3 * 3 * 4; i++) {
        const struct lull_tess_mode mode = {(enum lull_tess_domain)(i / 12),
                                            (enum lull_tess_spacing)(i / 4 % 3),
                                            (enum lull_tess_output)(i % 4)};
        const bool lines = mode.output == LULL_TESS_LINES;
        char name[80];
        snprintf(name, sizeof(name), "%s_%s_%s", domains[i / 12], spacings[i / 4 % 3],
                 outputs[i % 4]);
        if (mode.output == LULL_TESS_POINTS || lines == (mode.domain == LULL_TESS_ISOLINES)) {
            run(h, folder, name, &mode);
        }
    }
}

int main(int argc, char **argv)
{
    struct host h = {0};
    if (argc != 3 && argc != 4) {
        return 2;
    }
    if (!find_device(&h, argv[1])) {
        if (argc == 4) {
            test_case(false, argv[1], "no such Vulkan device");
        } else {
            test_skip("no Vulkan driver for a device named %s", argv[1]);
        }
        return test_end();
    }
    open_device(&h);
    h.map_levels = make_buffer(&h, sizeof(float) * LEVELS * PATCHES, &h.levels);
    h.map_found = make_buffer(&h, 4 * (HEADER + (VkDeviceSize)FOUND * ROOM), &h.found);
    make_set(&h);
    run_all(&h, argv[2]);
    return test_end();
}
