// SPDX-License-Identifier: MIT
// Ray queries in a compute shader: two instances of random triangles, their trees built by the
// driver on the device, random rays. Expected: every triangle tried here, in double.
// argv[1]: part of the device's name; argv[2]: SPIR-V of ray_query.comp. TAP.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "test.h"

enum { NTRIANGLES = 200, NRAYS = 512, LOCAL = 64, INSTANCES = 2, CODE_BYTES = 1 << 16 };

struct memory {
    VkBuffer buffer;
    VkDeviceAddress address;
    void *map;
};

struct host {
    VkDevice device;
    VkPhysicalDeviceMemoryProperties types;
    VkQueue queue;
    VkCommandPool pool;
    PFN_vkGetAccelerationStructureBuildSizesKHR sizes;
    PFN_vkCreateAccelerationStructureKHR create;
    PFN_vkCmdBuildAccelerationStructuresKHR build;
    PFN_vkGetAccelerationStructureDeviceAddressKHR address;
};

/** What is built: bottom level or top level. */
struct tree {
    VkAccelerationStructureGeometryKHR geometry;
    VkAccelerationStructureBuildGeometryInfoKHR info;
    uint32_t count;
    VkDeviceAddress address;
};

static const float shift[INSTANCES] = {0, 3}; // To x, from y.

static void must(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        printf("Bail out! %s: VkResult %d\n", what, (int)r);
        exit(1);
    }
}

static VkPhysicalDevice find_device(const char *name)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_2};
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
            return all[i];
        }
    }
    must(VK_INCOMPLETE, name);
    return VK_NULL_HANDLE;
}

static void open_device(struct host *h, const char *name)
{
    static const char *const extensions[] = {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                             VK_KHR_RAY_QUERY_EXTENSION_NAME,
                                             VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME};
    const float priority = 1;
    VkPhysicalDevice physical = find_device(name);
    VkPhysicalDeviceRayQueryFeaturesKHR query = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR, .rayQuery = VK_TRUE};
    VkPhysicalDeviceAccelerationStructureFeaturesKHR trees = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
        .pNext = &query,
        .accelerationStructure = VK_TRUE};
    const VkPhysicalDeviceVulkan12Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &trees,
        .bufferDeviceAddress = VK_TRUE};
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = 3,
                                     .ppEnabledExtensionNames = extensions};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    must(vkCreateDevice(physical, &info, NULL, &h->device), "vkCreateDevice");
    must(vkCreateCommandPool(h->device, &pool, NULL, &h->pool), "vkCreateCommandPool");
    vkGetDeviceQueue(h->device, 0, 0, &h->queue);
    vkGetPhysicalDeviceMemoryProperties(physical, &h->types);
    h->sizes = (PFN_vkGetAccelerationStructureBuildSizesKHR)vkGetDeviceProcAddr(
        h->device, "vkGetAccelerationStructureBuildSizesKHR");
    h->create = (PFN_vkCreateAccelerationStructureKHR)vkGetDeviceProcAddr(
        h->device, "vkCreateAccelerationStructureKHR");
    h->build = (PFN_vkCmdBuildAccelerationStructuresKHR)vkGetDeviceProcAddr(
        h->device, "vkCmdBuildAccelerationStructuresKHR");
    h->address = (PFN_vkGetAccelerationStructureDeviceAddressKHR)vkGetDeviceProcAddr(
        h->device, "vkGetAccelerationStructureDeviceAddressKHR");
}

static struct memory make_memory(struct host *h, VkDeviceSize bytes)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = bytes,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |
                 VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR};
    const VkMemoryPropertyFlags want =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    struct memory m = {0};
    VkMemoryRequirements need = {0};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint32_t type = 0;
    must(vkCreateBuffer(h->device, &info, NULL, &m.buffer), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(h->device, m.buffer, &need);
    while (type + 1 < h->types.memoryTypeCount &&
           ((need.memoryTypeBits >> type & 1) == 0 ||
            (h->types.memoryTypes[type].propertyFlags & want) != want)) {
        type++;
    }
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .pNext = &flags,
                                           .allocationSize = need.size,
                                           .memoryTypeIndex = type};
    must(vkAllocateMemory(h->device, &allocate, NULL, &memory), "vkAllocateMemory");
    must(vkBindBufferMemory(h->device, m.buffer, memory, 0), "vkBindBufferMemory");
    must(vkMapMemory(h->device, memory, 0, VK_WHOLE_SIZE, 0, &m.map), "vkMapMemory");
    const VkBufferDeviceAddressInfo where = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                             .buffer = m.buffer};
    m.address = vkGetBufferDeviceAddress(h->device, &where);
    return m;
}

/** Memory for a tree of @p t->geometry; its building is recorded by record_build(). */
static void make_tree(struct host *h, struct tree *t, VkAccelerationStructureTypeKHR type)
{
    enum { ALIGN = 256 };
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    t->geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
    t->geometry.flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
    t->info = (VkAccelerationStructureBuildGeometryInfoKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = type,
        .geometryCount = 1,
        .pGeometries = &t->geometry};
    h->sizes(h->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &t->info, &t->count,
             &sizes);
    const VkAccelerationStructureCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = make_memory(h, sizes.accelerationStructureSize).buffer,
        .size = sizes.accelerationStructureSize,
        .type = type};
    must(h->create(h->device, &info, NULL, &t->info.dstAccelerationStructure), "create tree");
    t->info.scratchData.deviceAddress =
        (make_memory(h, sizes.buildScratchSize + ALIGN).address + ALIGN - 1) & ~(ALIGN - 1ull);
    const VkAccelerationStructureDeviceAddressInfoKHR where = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = t->info.dstAccelerationStructure};
    t->address = h->address(h->device, &where);
}

static void barrier(VkCommandBuffer cmd)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL);
}

static VkPipeline make_pipeline(struct host *h, const char *path, VkPipelineLayout *layout)
{
    static uint32_t code[CODE_BYTES / 4];
    FILE *f = fopen(path, "rb");
    must(f != NULL ? VK_SUCCESS : VK_INCOMPLETE, path);
    const size_t bytes = fread(code, 1, sizeof code, f);
    fclose(f);
    const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkShaderModule module = VK_NULL_HANDLE;
    must(vkCreateShaderModule(h->device, &module_info, NULL, &module), "vkCreateShaderModule");
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 24};
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range};
    must(vkCreatePipelineLayout(h->device, &layout_info, NULL, layout), "vkCreatePipelineLayout");
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = *layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    must(vkCreateComputePipelines(h->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
         "pipeline");
    return pipeline;
}

/** Build @p trees, trace @p rays, wait. */
static void run(struct host *h, const char *path, const struct tree trees[2],
                const VkDeviceAddress push[3])
{
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = h->pool,
        .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = make_pipeline(h, path, &layout);
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    must(vkAllocateCommandBuffers(h->device, &allocate, &cmd), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(cmd, &begin), "vkBeginCommandBuffer");
    for (unsigned i = 0; i < 2; i++) {
        const VkAccelerationStructureBuildRangeInfoKHR range = {trees[i].count, 0, 0, 0};
        const VkAccelerationStructureBuildRangeInfoKHR *const ranges = &range;
        h->build(cmd, 1, &trees[i].info, &ranges);
        barrier(cmd);
    }
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 24, push);
    vkCmdDispatch(cmd, NRAYS / LOCAL, 1, 1);
    must(vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    must(vkQueueSubmit(h->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(h->queue), "vkQueueWaitIdle");
}

/** From -1 to 1. */
static float random_unit(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1;
}

/** By Cramer's rule. False: no hit before @p hit[0], which with the barycentrics is replaced. */
static bool try_triangle(float t[3][3], float move, const float *ray, double hit[3])
{
    double e1[3] = {0}, e2[3] = {0}, s[3] = {0}, h[3] = {0}, q[3] = {0}, d[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        const double moved = (double)t[0][i] + (double)(i == 0 ? move : i == 1 ? -move : 0);
        e1[i] = (double)t[1][i] - (double)t[0][i];
        e2[i] = (double)t[2][i] - (double)t[0][i];
        s[i] = (double)ray[i] - moved;
        d[i] = (double)ray[4 + i];
    }
    for (unsigned i = 0; i < 3; i++) {
        const unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        h[i] = d[j] * e2[k] - d[k] * e2[j];
        q[i] = s[j] * e1[k] - s[k] * e1[j];
    }
    const double det = e1[0] * h[0] + e1[1] * h[1] + e1[2] * h[2];
    const double u = (s[0] * h[0] + s[1] * h[1] + s[2] * h[2]) / det;
    const double v = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    const double at = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) / det;
    if (!(u >= 0 && v >= 0 && u + v <= 1 && at >= 0 && at < hit[0])) {
        return false;
    }
    hit[0] = at;
    hit[1] = u;
    hit[2] = v;
    return true;
}

static bool near(float a, double b)
{
    return fabs((double)a - b) < 1e-3;
}

/** Whether @p got is what @p ray hits first. @p[in,out] hits is counted. */
static bool right(float triangles[][3][3], const float *ray, const float *got, unsigned *hits)
{
    double hit[3] = {100, 0, 0};
    int primitive = -1, instance = -1;
    for (int k = 0; k < INSTANCES; k++) {
        for (int i = 0; i < NTRIANGLES; i++) {
            if (try_triangle(triangles[i], shift[k], ray, hit)) {
                primitive = i;
                instance = k;
            }
        }
    }
    if (primitive < 0) {
        return got[0] < 0;
    }
    ++*hits;
    return near(got[0], hit[0]) && near(got[1], primitive) && near(got[2], instance) &&
           near(got[4], hit[1]) && near(got[5], hit[2]);
}

static void fill(float (*triangles)[3][3], float (*rays)[8])
{
    uint32_t state = 7;
    for (unsigned i = 0; i < NTRIANGLES; i++) {
        for (unsigned d = 0; d < 3; d++) {
            const float centre = 4 * random_unit(&state);
            for (unsigned k = 0; k < 3; k++) {
                triangles[i][k][d] = centre + random_unit(&state);
            }
        }
    }
    for (unsigned i = 0; i < NRAYS; i++) {
        for (unsigned d = 0; d < 3; d++) {
            rays[i][d] = 6 * random_unit(&state);
            rays[i][4 + d] = i % 16 == d ? 0 : random_unit(&state); // Some along a plane.
        }
    }
}

int main(int argc, char **argv)
{
    struct host h = {0};
    must(argc == 3 ? VK_SUCCESS : VK_INCOMPLETE, "usage: ray_query DEVICE SPIRV");
    open_device(&h, argv[1]);
    const struct memory vertices = make_memory(&h, NTRIANGLES * 36),
                        rays = make_memory(&h, NRAYS * 32), hits = make_memory(&h, NRAYS * 32),
                        placed =
                            make_memory(&h, INSTANCES * sizeof(VkAccelerationStructureInstanceKHR));
    float(*triangles)[3][3] = vertices.map, (*ray)[8] = rays.map, (*got)[8] = hits.map;
    fill(triangles, ray);
    struct tree trees[2] = {{.count = NTRIANGLES}, {.count = INSTANCES}};
    trees[0].geometry.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
    trees[0].geometry.geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
        .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
        .vertexData = {.deviceAddress = vertices.address},
        .vertexStride = 12,
        .maxVertex = 3 * NTRIANGLES - 1,
        .indexType = VK_INDEX_TYPE_NONE_KHR};
    trees[1].geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
    trees[1].geometry.geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
        .data = {.deviceAddress = placed.address}};
    make_tree(&h, &trees[0], VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR);
    make_tree(&h, &trees[1], VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR);
    VkAccelerationStructureInstanceKHR *const instances = placed.map;
    for (unsigned i = 0; i < INSTANCES; i++) {
        instances[i] = (VkAccelerationStructureInstanceKHR){
            .transform = {{{1, 0, 0, shift[i]}, {0, 1, 0, -shift[i]}, {0, 0, 1, 0}}},
            .mask = 0xff,
            .accelerationStructureReference = trees[0].address};
    }
    run(&h, argv[2], trees, (VkDeviceAddress[]){trees[1].address, rays.address, hits.address});
    unsigned nhits = 0, bad = 0;
    for (unsigned i = 0; i < NRAYS; i++) {
        bad += !right(triangles, ray[i], got[i], &nhits);
    }
    test_case(bad == 0 && nhits > 50, "rays hit what they should", "%u of %u wrong, %u hits", bad,
              (unsigned)NRAYS, nhits);
    return test_end();
}
