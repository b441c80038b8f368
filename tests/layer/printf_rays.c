// SPDX-License-Identifier: MIT
// A Vulkan program that knows nothing of lull: it sends four rays at a triangle, which two of them
// hit. What VK_LAYER_LULL_printf prints of it, printf_draw.py knows.
//
//     printf_rays whole|library|deferred RAYGEN.spv MISS.spv HIT.spv
//     printf_rays query COMPUTE.spv
//
// library: the generation in one, the others in another, linked. deferred: by a deferred operation.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

enum { MAX_STAGES = 3, CODE_BYTES = 1 << 16, RAYS = 4, HANDLE_BYTES = 32, TABLE_STRIDE = 256 };

struct memory {
    VkBuffer buffer;
    VkDeviceAddress address;
    void *map;
};

struct program {
    const char *way;
    VkPhysicalDevice physical;
    VkDevice device;
    VkPhysicalDeviceMemoryProperties types;
    VkQueue queue;
    VkPipelineLayout layout;
    VkPipelineShaderStageCreateInfo stages[MAX_STAGES];
    uint32_t nstages;
    PFN_vkGetAccelerationStructureBuildSizesKHR sizes;
    PFN_vkCreateAccelerationStructureKHR create_tree;
    PFN_vkCmdBuildAccelerationStructuresKHR build;
    PFN_vkGetAccelerationStructureDeviceAddressKHR tree_address;
    PFN_vkCreateRayTracingPipelinesKHR create;
    PFN_vkGetRayTracingShaderGroupHandlesKHR handles;
    PFN_vkCmdTraceRaysKHR trace;
    PFN_vkCreateDeferredOperationKHR create_deferred;
    PFN_vkDeferredOperationJoinKHR join;
};

struct tree {
    VkAccelerationStructureGeometryKHR geometry;
    VkAccelerationStructureBuildGeometryInfoKHR info;
    VkDeviceAddress address;
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

static void find_functions(struct program *p)
{
#define FIND(to, name) p->to = (PFN_##name)vkGetDeviceProcAddr(p->device, #name)
    FIND(sizes, vkGetAccelerationStructureBuildSizesKHR);
    FIND(create_tree, vkCreateAccelerationStructureKHR);
    FIND(build, vkCmdBuildAccelerationStructuresKHR);
    FIND(tree_address, vkGetAccelerationStructureDeviceAddressKHR);
    FIND(create, vkCreateRayTracingPipelinesKHR);
    FIND(handles, vkGetRayTracingShaderGroupHandlesKHR);
    FIND(trace, vkCmdTraceRaysKHR);
    FIND(create_deferred, vkCreateDeferredOperationKHR);
    FIND(join, vkDeferredOperationJoinKHR);
#undef FIND
}

static void make_device(struct program *p)
{
    static const char *const extensions[] = {
        VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
        VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
        VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_KHR_RAY_QUERY_EXTENSION_NAME};
    const bool queries = strcmp(p->way, "query") == 0; // some drivers have the pipelines alone
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkInstance instance = VK_NULL_HANDLE;
    uint32_t count = 1;
    must(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    if (vkEnumeratePhysicalDevices(instance, &count, &p->physical) < 0 || count != 1) {
        must(VK_ERROR_UNKNOWN, "no device");
    }
    vkGetPhysicalDeviceMemoryProperties(p->physical, &p->types);
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipelines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
        .rayTracingPipeline = VK_TRUE};
    VkPhysicalDeviceRayQueryFeaturesKHR query = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
        .pNext = &pipelines,
        .rayQuery = VK_TRUE};
    VkPhysicalDeviceAccelerationStructureFeaturesKHR trees = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
        .pNext = queries ? (void *)&query : &pipelines,
        .accelerationStructure = VK_TRUE};
    const VkPhysicalDeviceVulkan12Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &trees,
        .bufferDeviceAddress = VK_TRUE};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount = queries ? 5 : 4,
                                       .ppEnabledExtensionNames = extensions};
    must(vkCreateDevice(p->physical, &device, NULL, &p->device), "vkCreateDevice");
    vkGetDeviceQueue(p->device, 0, 0, &p->queue);
    find_functions(p);
}

static struct memory make_memory(const struct program *p, VkDeviceSize bytes)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = bytes,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |
                 VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                 VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR};
    const VkMemoryPropertyFlags want =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    struct memory m = {0};
    VkMemoryRequirements need = {0};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint32_t type = 0;
    must(vkCreateBuffer(p->device, &info, NULL, &m.buffer), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(p->device, m.buffer, &need);
    while (type + 1 < p->types.memoryTypeCount &&
           ((need.memoryTypeBits >> type & 1) == 0 ||
            (p->types.memoryTypes[type].propertyFlags & want) != want)) {
        type++;
    }
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .pNext = &flags,
                                           .allocationSize = need.size,
                                           .memoryTypeIndex = type};
    must(vkAllocateMemory(p->device, &allocate, NULL, &memory), "vkAllocateMemory");
    must(vkBindBufferMemory(p->device, m.buffer, memory, 0), "vkBindBufferMemory");
    must(vkMapMemory(p->device, memory, 0, VK_WHOLE_SIZE, 0, &m.map), "vkMapMemory");
    const VkBufferDeviceAddressInfo where = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                             .buffer = m.buffer};
    m.address = vkGetBufferDeviceAddress(p->device, &where);
    return m;
}

/** Memory for a tree of @p t->geometry, of one primitive. */
static void make_tree(const struct program *p, struct tree *t, VkAccelerationStructureTypeKHR type)
{
    enum { ALIGN = 256 };
    const uint32_t count = 1;
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    t->geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
    t->geometry.flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
    t->info = (VkAccelerationStructureBuildGeometryInfoKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = type,
        .geometryCount = 1,
        .pGeometries = &t->geometry};
    p->sizes(p->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &t->info, &count, &sizes);
    const VkAccelerationStructureCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = make_memory(p, sizes.accelerationStructureSize).buffer,
        .size = sizes.accelerationStructureSize,
        .type = type};
    must(p->create_tree(p->device, &info, NULL, &t->info.dstAccelerationStructure), "create tree");
    t->info.scratchData.deviceAddress =
        (make_memory(p, sizes.buildScratchSize + ALIGN).address + ALIGN - 1) & ~(ALIGN - 1ull);
    const VkAccelerationStructureDeviceAddressInfoKHR where = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = t->info.dstAccelerationStructure};
    t->address = p->tree_address(p->device, &where);
}

/** A triangle over the points (0,0) and (1,0), not (2,0); and an instance of it. */
static void make_trees(const struct program *p, struct tree trees[2])
{
    static const float at[3][3] = {{-1, -1, 0}, {2.5f, -1, 0}, {-1, 2.5f, 0}};
    const struct memory corners = make_memory(p, sizeof at);
    memcpy(corners.map, at, sizeof at);
    trees[0].geometry.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
    trees[0].geometry.geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
        .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
        .vertexData = {corners.address},
        .vertexStride = sizeof at[0],
        .maxVertex = 2,
        .indexType = VK_INDEX_TYPE_NONE_KHR};
    make_tree(p, &trees[0], VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR);
    const VkAccelerationStructureInstanceKHR instance = {
        .transform = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
        .mask = 0xff,
        .accelerationStructureReference = trees[0].address};
    const struct memory instances = make_memory(p, sizeof instance);
    memcpy(instances.map, &instance, sizeof instance);
    trees[1].geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
    trees[1].geometry.geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
        .data = {instances.address}};
    make_tree(p, &trees[1], VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR);
}

static void add_stage(struct program *p, const char *path)
{
    static const VkShaderStageFlagBits kinds[] = {VK_SHADER_STAGE_RAYGEN_BIT_KHR,
                                                  VK_SHADER_STAGE_MISS_BIT_KHR,
                                                  VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR};
    static uint32_t code[CODE_BYTES / 4];
    FILE *f = fopen(path, "rb");
    const size_t bytes = f != NULL ? fread(code, 1, sizeof code, f) : 0;
    must(f != NULL ? VK_SUCCESS : VK_ERROR_UNKNOWN, path);
    fclose(f);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkPipelineShaderStageCreateInfo *s = &p->stages[p->nstages];
    *s = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = way(p, "query") ? VK_SHADER_STAGE_COMPUTE_BIT : kinds[p->nstages],
        .pName = "main"};
    must(vkCreateShaderModule(p->device, &info, NULL, &s->module), "vkCreateShaderModule");
    p->nstages++;
}

/** The stages from @p first on, each a group; of libraries, if there are any. */
static VkPipeline make_part(const struct program *p, uint32_t first, uint32_t n,
                            VkPipelineCreateFlags flags, const VkPipeline *libraries,
                            uint32_t nlibraries)
{
    const VkRayTracingPipelineInterfaceCreateInfoKHR between = {
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
        .maxPipelineRayPayloadSize = 4,
        .maxPipelineRayHitAttributeSize = 8};
    const VkPipelineLibraryCreateInfoKHR library = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
        .libraryCount = nlibraries,
        .pLibraries = libraries};
    VkRayTracingShaderGroupCreateInfoKHR groups[MAX_STAGES] = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        const bool hit = p->stages[first + i].stage == VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR;
        groups[i] = (VkRayTracingShaderGroupCreateInfoKHR){
            .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
            .type = hit ? VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR
                        : VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
            .generalShader = hit ? VK_SHADER_UNUSED_KHR : i,
            .closestHitShader = hit ? i : VK_SHADER_UNUSED_KHR,
            .anyHitShader = VK_SHADER_UNUSED_KHR,
            .intersectionShader = VK_SHADER_UNUSED_KHR};
    }
    const bool linked = nlibraries != 0 || (flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
    const VkRayTracingPipelineCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
        .flags = flags,
        .stageCount = n,
        .pStages = &p->stages[first],
        .groupCount = n,
        .pGroups = groups,
        .maxPipelineRayRecursionDepth = 1,
        .pLibraryInfo = nlibraries != 0 ? &library : NULL,
        .pLibraryInterface = linked ? &between : NULL,
        .layout = p->layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDeferredOperationKHR later = VK_NULL_HANDLE;
    if (way(p, "deferred")) {
        must(p->create_deferred(p->device, NULL, &later), "vkCreateDeferredOperationKHR");
    }
    const VkResult r = p->create(p->device, later, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    if (r == VK_OPERATION_DEFERRED_KHR) {
        must(p->join(p->device, later), "vkDeferredOperationJoinKHR");
    } else {
        must(r == VK_OPERATION_NOT_DEFERRED_KHR ? VK_SUCCESS : r, "vkCreateRayTracingPipelinesKHR");
    }
    return pipeline;
}

static VkPipeline make_pipeline(const struct program *p)
{
    const VkComputePipelineCreateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .stage = p->stages[0],
                                              .layout = p->layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (way(p, "query")) {
        must(vkCreateComputePipelines(p->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
             "vkCreateComputePipelines");
        return pipeline;
    }
    if (way(p, "library")) {
        const VkPipeline parts[2] = {
            make_part(p, 0, 1, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, NULL, 0),
            make_part(p, 1, 2, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, NULL, 0)};
        return make_part(p, 0, 0, 0, parts, 2);
    }
    return make_part(p, 0, p->nstages, 0, NULL, 0);
}

static void trace(const struct program *p, VkCommandBuffer c, VkPipeline pipeline)
{
    uint8_t handles[MAX_STAGES * HANDLE_BYTES] = {0};
    const struct memory table = make_memory(p, MAX_STAGES * TABLE_STRIDE);
    VkStridedDeviceAddressRegionKHR at[4] = {{0}};
    must(p->handles(p->device, pipeline, 0, MAX_STAGES, sizeof handles, handles),
         "vkGetRayTracingShaderGroupHandlesKHR");
    for (uint32_t i = 0; i < MAX_STAGES; i++) {
        memcpy((uint8_t *)table.map + (size_t)i * TABLE_STRIDE, &handles[(size_t)i * HANDLE_BYTES],
               HANDLE_BYTES);
        at[i] = (VkStridedDeviceAddressRegionKHR){table.address + (size_t)i * TABLE_STRIDE,
                                                  HANDLE_BYTES, HANDLE_BYTES};
    }
    p->trace(c, &at[0], &at[1], &at[2], &at[3], RAYS, 1, 1);
}

static void run(const struct program *p, VkPipeline pipeline)
{
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandBufferCount = 1};
    VkCommandBuffer c = VK_NULL_HANDLE;
    struct tree trees[2] = {{.address = 0}, {.address = 0}};
    const VkAccelerationStructureBuildRangeInfoKHR range = {1, 0, 0, 0};
    const VkAccelerationStructureBuildRangeInfoKHR *const ranges = &range;
    make_trees(p, trees);
    must(vkCreateCommandPool(p->device, &pool_info, NULL, &allocate.commandPool),
         "vkCreateCommandPool");
    must(vkAllocateCommandBuffers(p->device, &allocate, &c), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(c, &begin), "vkBeginCommandBuffer");
    for (unsigned i = 0; i < 2; i++) {
        p->build(c, 1, &trees[i].info, &ranges);
        vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL);
    }
    const bool query = way(p, "query");
    vkCmdBindPipeline(
        c, query ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR,
        pipeline);
    vkCmdPushConstants(c, p->layout, VK_SHADER_STAGE_ALL, 0, sizeof trees[1].address,
                       &trees[1].address);
    if (query) {
        vkCmdDispatch(c, RAYS, 1, 1);
    } else {
        trace(p, c, pipeline);
    }
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
    make_device(&p);
    for (int i = 2; i < argc; i++) {
        add_stage(&p, argv[i]);
    }
    const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 8};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    must(vkCreatePipelineLayout(p.device, &layout, NULL, &p.layout), "vkCreatePipelineLayout");
    run(&p, make_pipeline(&p));
    puts("done");
    return 0; // Without destroying anything, as many programs do.
}
