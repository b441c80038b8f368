// SPDX-License-Identifier: MIT
// A Vulkan program that knows nothing of lull: it dispatches one shader, printf.comp, in many ways.
// What VK_LAYER_LULL_printf prints of it, printf.py knows.
//
//     printf_program SHADER.spv WAY
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <vulkan/vulkan.h>

#include "layer/printf/shader_object.h"

enum { ROUNDS = 200, LARGE = 64 << 20 };

struct program {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkPipelineLayout layout;
    VkPipeline pipelines[2];   // K is 10, 20.
    lull_vk_shader objects[2]; // Instead of pipelines.
    lull_vk_bind_shaders bind_shaders;
    VkCommandPool pool;
    VkBuffer groups; // An indirect dispatch: 2, 1, 1.
    VkFence fence;
    const char *way;
};

static void must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, result);
        exit(1);
    }
}

// In memory that nobody may write: a layer that changes it ends the program.
static const VkPhysicalDeviceVulkan12Features without_address = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
static const VkPhysicalDeviceVulkan12Features with_address = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .bufferDeviceAddress = VK_TRUE};

static bool has_objects(const struct program *p)
{
    return strcmp(p->way, "objects") == 0;
}

static void make_device(struct program *p)
{
    static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app,
                                       .enabledExtensionCount = strcmp(p->way, "unnamed") != 0,
                                       .ppEnabledExtensionNames = extensions};
    VkPhysicalDeviceVulkan12Features writable = without_address;
    uint32_t count = 1;
    must(vkCreateInstance(&info, NULL, &p->instance), "vkCreateInstance");
    if (vkEnumeratePhysicalDevices(p->instance, &count, &p->physical) < 0 || count != 1) {
        must(VK_ERROR_UNKNOWN, "no device");
    }
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT library = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
        .graphicsPipelineLibrary = VK_TRUE};
    static const char *const more[] = {VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                                       VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
    static const char *const object[] = {"VK_EXT_shader_object"};
    const struct lull_vk_shader_features objects = {
        .sType = (VkStructureType)LULL_VK_SHADER_FEATURES, .shaderObject = VK_TRUE};
    const bool own_code = strcmp(p->way, "inline") == 0;
    const void *features = own_code                             ? (const void *)&library
                           : has_objects(p)                     ? (const void *)&objects
                           : strcmp(p->way, "readonly") == 0    ? &without_address
                           : strcmp(p->way, "readonly-on") == 0 ? &with_address
                           : strcmp(p->way, "features") == 0    ? &writable
                                                                : NULL;
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount = own_code         ? 2
                                                                : has_objects(p) ? 1
                                                                                 : 0,
                                       .ppEnabledExtensionNames = own_code ? more : object};
    must(vkCreateDevice(p->physical, &device, NULL, &p->device), "vkCreateDevice");
    if (writable.bufferDeviceAddress != VK_FALSE) {
        must(VK_ERROR_UNKNOWN, "the program's struct was changed");
    }
    vkGetDeviceQueue(p->device, 0, 0, &p->queue);
}

static void name_second(const struct program *p, VkObjectType type, uint64_t handle)
{
    const VkDebugUtilsObjectNameInfoEXT name = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = handle,
        .pObjectName = "second\033"};
    const PFN_vkSetDebugUtilsObjectNameEXT set =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(p->device,
                                                              "vkSetDebugUtilsObjectNameEXT");
    if (set != NULL || strcmp(p->way, "unnamed") != 0) {
        must(set(p->device, &name), "vkSetDebugUtilsObjectNameEXT");
    }
}

/** What pipelines would be, as shader objects. The second has a name. */
static void make_objects(struct program *p, const VkPushConstantRange *range, const uint32_t *code,
                         size_t size, const VkSpecializationInfo *special)
{
    struct lull_vk_shader_info infos[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        infos[i] = (struct lull_vk_shader_info){.sType = (VkStructureType)LULL_VK_SHADER_INFO,
                                                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                .codeType = LULL_VK_SHADER_SPIRV,
                                                .codeSize = size,
                                                .pCode = code,
                                                .pName = "main",
                                                .pushConstantRangeCount = 1,
                                                .pPushConstantRanges = range,
                                                .pSpecializationInfo = &special[i]};
    }
    const lull_vk_create_shaders create =
        (lull_vk_create_shaders)vkGetDeviceProcAddr(p->device, "vkCreateShadersEXT");
    p->bind_shaders = (lull_vk_bind_shaders)vkGetDeviceProcAddr(p->device, "vkCmdBindShadersEXT");
    must(create(p->device, 2, infos, NULL, p->objects), "vkCreateShadersEXT");
}

static void make_pipelines(struct program *p, const char *path)
{
    static uint32_t code[4096];
    FILE *f = fopen(path, "rb");
    const size_t size = f != NULL ? fread(code, 1, sizeof code, f) : 0;
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    VkShaderModule shader = VK_NULL_HANDLE;
    must(f != NULL ? VK_SUCCESS : VK_ERROR_UNKNOWN, path);
    fclose(f);
    const bool own_code = strcmp(p->way, "inline") == 0; // The code comes with the pipeline.
    if (!own_code && !has_objects(p)) {
        must(vkCreateShaderModule(p->device, &module, NULL, &shader), "vkCreateShaderModule");
    }
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    must(vkCreatePipelineLayout(p->device, &layout, NULL, &p->layout), "vkCreatePipelineLayout");
    const uint32_t k[2] = {10, 20};
    const VkSpecializationMapEntry map = {0, 0, 4};
    VkComputePipelineCreateInfo infos[2] = {{0}};
    const VkSpecializationInfo special[2] = {{1, &map, 4, &k[0]}, {1, &map, 4, &k[1]}};
    if (has_objects(p)) {
        make_objects(p, &range, code, size, special);
        name_second(p, (VkObjectType)LULL_VK_OBJECT_TYPE_SHADER_EXT, p->objects[1]);
        return;
    }
    for (int i = 0; i < 2; i++) {
        infos[i] = (VkComputePipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .pNext = own_code ? &module : NULL,
                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                      .module = shader,
                      .pName = "main",
                      .pSpecializationInfo = &special[i]},
            .layout = p->layout};
    }
    must(vkCreateComputePipelines(p->device, VK_NULL_HANDLE, 2, infos, NULL, p->pipelines),
         "vkCreateComputePipelines");
    vkDestroyShaderModule(p->device, shader, NULL);
    name_second(p, VK_OBJECT_TYPE_PIPELINE, (uint64_t)p->pipelines[1]);
}

static void make_groups(struct program *p)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 12,
                                     .usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT};
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .allocationSize = 4096};
    VkPhysicalDeviceMemoryProperties types = {0};
    vkGetPhysicalDeviceMemoryProperties(p->physical, &types);
    while ((types.memoryTypes[memory.memoryTypeIndex].propertyFlags &
            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0) {
        memory.memoryTypeIndex++;
    }
    VkDeviceMemory m = VK_NULL_HANDLE;
    uint32_t *map = NULL;
    must(vkCreateBuffer(p->device, &info, NULL, &p->groups), "vkCreateBuffer");
    must(vkAllocateMemory(p->device, &memory, NULL, &m), "vkAllocateMemory");
    must(vkBindBufferMemory(p->device, p->groups, m, 0), "vkBindBufferMemory");
    must(vkMapMemory(p->device, m, 0, VK_WHOLE_SIZE, 0, (void **)&map), "vkMapMemory");
    map[0] = 2;
    map[1] = map[2] = 1;
}

static VkCommandBuffer begin(const struct program *p, VkCommandBufferLevel level)
{
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = p->pool,
                                              .level = level,
                                              .commandBufferCount = 1};
    const VkCommandBufferInheritanceInfo from = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo how = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                          .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                          .pInheritanceInfo = &from};
    VkCommandBuffer c = VK_NULL_HANDLE;
    must(vkAllocateCommandBuffers(p->device, &info, &c), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(c, &how), "vkBeginCommandBuffer");
    return c;
}

static void dispatch(const struct program *p, VkCommandBuffer c, int pipeline, uint32_t round,
                     uint32_t groups)
{
    if (p->bind_shaders != NULL) {
        const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
        p->bind_shaders(c, 1, &stage, &p->objects[pipeline]);
    } else {
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipelines[pipeline]);
    }
    vkCmdPushConstants(c, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &round);
    if (groups != 0) {
        vkCmdDispatch(c, groups, 1, 1);
    } else {
        vkCmdDispatchIndirect(c, p->groups, 0);
    }
}

static void submit(const struct program *p, VkCommandBuffer c, VkFence fence)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    must(vkQueueSubmit(p->queue, 1, &info, fence), "vkQueueSubmit");
}

/** Submit and wait for a fence only. */
static void submit_wait(const struct program *p, VkCommandBuffer c)
{
    submit(p, c, p->fence);
    must(vkWaitForFences(p->device, 1, &p->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    must(vkResetFences(p->device, 1, &p->fence), "vkResetFences");
}

/** Three dispatches of two pipelines, one of them indirect; then one in a secondary buffer. */
static void many(const struct program *p)
{
    VkCommandBuffer c = begin(p, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    dispatch(p, c, 0, 1, 2);
    dispatch(p, c, 1, 2, 1);
    dispatch(p, c, 0, 3, 0);
    VkCommandBuffer second = begin(p, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    dispatch(p, second, 1, 4, 1);
    must(vkEndCommandBuffer(second), "vkEndCommandBuffer");
    vkCmdExecuteCommands(c, 1, &second);
    must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    submit_wait(p, c);
}

/** One buffer, twice before the program waits, then once. */
static void again(const struct program *p)
{
    VkCommandBuffer c = begin(p, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    dispatch(p, c, 0, 7, 1);
    must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    submit(p, c, VK_NULL_HANDLE);
    submit(p, c, VK_NULL_HANDLE);
    must(vkQueueWaitIdle(p->queue), "vkQueueWaitIdle");
    submit_wait(p, c);
}

/** More lines than the buffer holds, but never at once. */
static void rounds(const struct program *p)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        VkCommandBuffer c = begin(p, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        dispatch(p, c, 0, i, 3);
        must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
        submit_wait(p, c);
        vkFreeCommandBuffers(p->device, p->pool, 1, &c);
    }
}

/** More lines than the buffer holds, and always a submission that the program has not waited for:
 * as with frames in flight. */
static void flight(const struct program *p)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkCommandBuffer c[2] = {VK_NULL_HANDLE};
    VkFence fences[2] = {p->fence};
    must(vkCreateFence(p->device, &info, NULL, &fences[1]), "vkCreateFence");
    for (uint32_t i = 0; i < ROUNDS; i++) {
        c[i % 2] = begin(p, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        dispatch(p, c[i % 2], 0, i, 3);
        must(vkEndCommandBuffer(c[i % 2]), "vkEndCommandBuffer");
        submit(p, c[i % 2], fences[i % 2]);
        const uint32_t before = (i + 1) % 2;
        if (i != 0) {
            must(vkWaitForFences(p->device, 1, &fences[before], VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
            must(vkResetFences(p->device, 1, &fences[before]), "vkResetFences");
            vkFreeCommandBuffers(p->device, p->pool, 1, &c[before]);
        }
    }
    must(vkQueueWaitIdle(p->queue), "vkQueueWaitIdle");
}

/** More lines than the buffer holds, at once. */
static void flood(const struct program *p)
{
    VkCommandBuffer c = begin(p, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    dispatch(p, c, 0, 0, 500);
    must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    submit_wait(p, c);
    submit_wait(p, c);
}

/** What NVIDIA's driver does as a program ends: memory that was mapped is there no more. Here it is
 * every large piece. */
static void take_memory(void)
{
    unsigned long from = 0, to = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], may[8];
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %7s", &from, &to, may) == 3 && strncmp(may, "rw", 2) == 0 &&
            to - from >= LARGE) {
            mprotect((void *)from, to - from, PROT_NONE);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const struct program *);
    } ways[] = {{"many", many},     {"again", again},   {"rounds", rounds},    {"flood", flood},
                {"flight", flight}, {"readonly", many}, {"readonly-on", many}, {"features", many},
                {"inline", many},   {"exit", many},     {"objects", many},     {"unnamed", many}};
    struct program p = {.way = argc == 3 ? argv[2] : ""};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (strcmp(p.way, "exit") == 0) {
        atexit(take_memory); // Before the device is there, as the driver's own.
    }
    make_device(&p);
    make_pipelines(&p, argv[1]);
    make_groups(&p);
    must(vkCreateCommandPool(p.device, &pool, NULL, &p.pool), "vkCreateCommandPool");
    must(vkCreateFence(p.device, &fence, NULL, &p.fence), "vkCreateFence");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].name, p.way) == 0) {
            ways[i].run(&p);
            puts("done");
        }
    }
    return 0; // Without destroying anything, as many programs do.
}
