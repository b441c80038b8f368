// SPDX-License-Identifier: MIT
// A device with all features that it has, buffers and images.
#include <stdlib.h>
#include <string.h>

#include "draw.h"

enum { MAX_DEVICES = 16, MAX_EXTENSIONS = 512 };

struct lull_error *gpu_check(VkResult r, const char *what)
{
    return r >= 0 ? NULL
           : r == VK_ERROR_DEVICE_LOST
               ? lull_error_new(LULL_ERR_OS, "%s: device lost", what)
               : lull_error_new(LULL_ERR_OS, "%s: VkResult %d", what, (int)r);
}

static const struct {
    const char *name;
    size_t features; ///< Size of the struct of features.
    VkStructureType type;
} extensions[GPU_NEXTENSIONS] = {
    [GPU_FEEDBACK] = {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
                      sizeof(VkPhysicalDeviceTransformFeedbackFeaturesEXT),
                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT},
    [GPU_CONDITION] = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
                       sizeof(VkPhysicalDeviceConditionalRenderingFeaturesEXT),
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT},
    [GPU_MESH] = {VK_EXT_MESH_SHADER_EXTENSION_NAME, sizeof(VkPhysicalDeviceMeshShaderFeaturesEXT),
                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT},
    [GPU_DIVISOR] = {VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
                     sizeof(VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT),
                     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT},
    [GPU_PROVOKING] = {VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
                       sizeof(VkPhysicalDeviceProvokingVertexFeaturesEXT),
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT},
    [GPU_DEPTH_CLIP] = {VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,
                        sizeof(VkPhysicalDeviceDepthClipEnableFeaturesEXT),
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT},
    [GPU_CLIP_CONTROL] = {VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME,
                          sizeof(VkPhysicalDeviceDepthClipControlFeaturesEXT),
                          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT},
    [GPU_INDEX_U8] = {VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
                      sizeof(VkPhysicalDeviceIndexTypeUint8FeaturesEXT),
                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT},
    [GPU_GENERATED] = {VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME,
                       sizeof(VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT),
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT},
    [GPU_LINES] = {VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
                   sizeof(VkPhysicalDeviceLineRasterizationFeaturesEXT),
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT},
};

/** Room for any struct of features. */
union features {
    VkBaseOutStructure base;
    uint64_t room[64];
};

static struct lull_error *find_device(struct gpu *g, const char *name)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkPhysicalDevice all[MAX_DEVICES] = {0};
    uint32_t n = MAX_DEVICES;
    struct lull_error *err =
        gpu_check(vkCreateInstance(&info, NULL, &g->instance), "vkCreateInstance");
    if (err == NULL) {
        err = gpu_check(vkEnumeratePhysicalDevices(g->instance, &n, all), "devices");
    }
    for (uint32_t i = 0; err == NULL && i < n && g->physical == VK_NULL_HANDLE; i++) {
        vkGetPhysicalDeviceProperties(all[i], &g->props);
        if (strstr(g->props.deviceName, name) != NULL) {
            g->physical = all[i];
        }
    }
    return err != NULL || g->physical != VK_NULL_HANDLE
               ? err
               : lull_error_new(LULL_ERR_NOT_FOUND, "no device is called %s", name);
}

static struct lull_error *find_extensions(struct gpu *g)
{
    VkExtensionProperties *all = calloc(MAX_EXTENSIONS, sizeof *all);
    uint32_t n = MAX_EXTENSIONS;
    if (all == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err =
        gpu_check(vkEnumerateDeviceExtensionProperties(g->physical, NULL, &n, all), "extensions");
    for (uint32_t i = 0; err == NULL && i < n; i++) {
        for (unsigned k = 0; k < GPU_NEXTENSIONS; k++) {
            if (strcmp(all[i].extensionName, extensions[k].name) == 0) {
                g->has |= 1U << k;
            }
        }
    }
    free(all);
    return err;
}

static void find_functions(struct gpu *g)
{
    VkDevice d = g->device;
    g->begin_feedback = (PFN_vkCmdBeginTransformFeedbackEXT)vkGetDeviceProcAddr(
        d, "vkCmdBeginTransformFeedbackEXT");
    g->end_feedback =
        (PFN_vkCmdEndTransformFeedbackEXT)vkGetDeviceProcAddr(d, "vkCmdEndTransformFeedbackEXT");
    g->bind_feedback = (PFN_vkCmdBindTransformFeedbackBuffersEXT)vkGetDeviceProcAddr(
        d, "vkCmdBindTransformFeedbackBuffersEXT");
    g->begin_condition = (PFN_vkCmdBeginConditionalRenderingEXT)vkGetDeviceProcAddr(
        d, "vkCmdBeginConditionalRenderingEXT");
    g->end_condition = (PFN_vkCmdEndConditionalRenderingEXT)vkGetDeviceProcAddr(
        d, "vkCmdEndConditionalRenderingEXT");
    g->draw_feedback =
        (PFN_vkCmdDrawIndirectByteCountEXT)vkGetDeviceProcAddr(d, "vkCmdDrawIndirectByteCountEXT");
    g->begin_indexed =
        (PFN_vkCmdBeginQueryIndexedEXT)vkGetDeviceProcAddr(d, "vkCmdBeginQueryIndexedEXT");
    g->end_indexed = (PFN_vkCmdEndQueryIndexedEXT)vkGetDeviceProcAddr(d, "vkCmdEndQueryIndexedEXT");
    g->draw_mesh = (PFN_vkCmdDrawMeshTasksEXT)vkGetDeviceProcAddr(d, "vkCmdDrawMeshTasksEXT");
}

/** The device with every feature it offers of 1.0 to 1.3 and of the extensions. */
static struct lull_error *make_device(struct gpu *g)
{
    union features of[GPU_NEXTENSIONS] = {0};
    const char *names[GPU_NEXTENSIONS] = {NULL};
    uint32_t n = 0;
    VkPhysicalDeviceVulkan13Features v13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13};
    VkPhysicalDeviceVulkan11Features v11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &v12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &v11};
    VkBaseOutStructure *last = (VkBaseOutStructure *)&v13;
    for (unsigned k = 0; k < GPU_NEXTENSIONS; k++) {
        if ((g->has >> k & 1) != 0) {
            names[n++] = extensions[k].name;
            of[k].base.sType = extensions[k].type;
            last->pNext = &of[k].base;
            last = &of[k].base;
        }
    }
    vkGetPhysicalDeviceFeatures2(g->physical, &features);
    features.features.robustBufferAccess = VK_FALSE;
    if ((g->has >> GPU_MESH & 1) != 0) { // what needs more features than are asked for
        VkPhysicalDeviceMeshShaderFeaturesEXT *mesh = (void *)&of[GPU_MESH];
        mesh->multiviewMeshShader = mesh->primitiveFragmentShadingRateMeshShader = VK_FALSE;
    }
    g->features = features.features;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = n,
                                     .ppEnabledExtensionNames = names};
    return gpu_check(vkCreateDevice(g->physical, &info, NULL, &g->device), "vkCreateDevice");
}

struct lull_error *gpu_open(struct gpu *g, const char *name)
{
    struct lull_error *err = g->physical == VK_NULL_HANDLE ? find_device(g, name) : NULL;
    if (err == NULL && g->has == 0) {
        vkGetPhysicalDeviceMemoryProperties(g->physical, &g->memory);
        err = find_extensions(g);
    }
    if (err == NULL) {
        err = make_device(g);
    }
    if (err != NULL) {
        return err;
    }
    find_functions(g);
    vkGetDeviceQueue(g->device, 0, 0, &g->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    return gpu_check(vkCreateCommandPool(g->device, &pool, NULL, &g->pool), "command pool");
}

void gpu_close(struct gpu *g)
{
    if (g->device != VK_NULL_HANDLE) {
        vkDestroyCommandPool(g->device, g->pool, NULL);
        vkDestroyDevice(g->device, NULL);
    }
    g->device = VK_NULL_HANDLE;
    g->pool = VK_NULL_HANDLE;
}

/** Memory of one of the types in @p types with @p flags. */
static struct lull_error *allocate(const struct gpu *g, const VkMemoryRequirements *need,
                                   VkMemoryPropertyFlags flags, VkDeviceMemory *ret)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = need->size};
    while (info.memoryTypeIndex < g->memory.memoryTypeCount &&
           ((need->memoryTypeBits >> info.memoryTypeIndex & 1) == 0 ||
            (g->memory.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)) {
        info.memoryTypeIndex++;
    }
    return gpu_check(vkAllocateMemory(g->device, &info, NULL, ret), "vkAllocateMemory");
}

struct lull_error *gpu_buffer_new(const struct gpu *g, size_t size, struct gpu_buffer *ret)
{
    VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
        VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
        VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
        VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    if ((g->has >> GPU_FEEDBACK & 1) != 0) {
        usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                 VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT;
    }
    if ((g->has >> GPU_CONDITION & 1) != 0) {
        usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
    }
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VkMemoryRequirements need = {0};
    void *map = NULL;
    struct lull_error *err =
        gpu_check(vkCreateBuffer(g->device, &info, NULL, &ret->buffer), "vkCreateBuffer");
    if (err != NULL) {
        return err;
    }
    vkGetBufferMemoryRequirements(g->device, ret->buffer, &need);
    err = allocate(g, &need,
                   VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                   &ret->memory);
    if (err == NULL) {
        err = gpu_check(vkBindBufferMemory(g->device, ret->buffer, ret->memory, 0), "bind");
    }
    if (err == NULL) {
        err = gpu_check(vkMapMemory(g->device, ret->memory, 0, VK_WHOLE_SIZE, 0, &map), "map");
    }
    ret->map = map;
    ret->size = size;
    return err;
}

void gpu_buffer_done(const struct gpu *g, struct gpu_buffer *b)
{
    vkDestroyBuffer(g->device, b->buffer, NULL);
    vkFreeMemory(g->device, b->memory, NULL);
}

VkImageAspectFlags gpu_aspects(VkFormat f)
{
    return f == VK_FORMAT_S8_UINT ? VK_IMAGE_ASPECT_STENCIL_BIT
           : f == VK_FORMAT_D32_SFLOAT_S8_UINT
               ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT
           : f == VK_FORMAT_D16_UNORM || f == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                   : VK_IMAGE_ASPECT_COLOR_BIT;
}

struct lull_error *gpu_image_new(const struct gpu *g, const struct gpu_image_info *i,
                                 struct gpu_image *ret)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = i->format,
                                    .extent = {i->width, i->height, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = i->layers,
                                    .samples = (VkSampleCountFlagBits)i->samples,
                                    .usage = i->usage};
    VkMemoryRequirements need = {0};
    ret->format = i->format;
    struct lull_error *err =
        gpu_check(vkCreateImage(g->device, &info, NULL, &ret->image), "vkCreateImage");
    if (err != NULL) {
        return err;
    }
    vkGetImageMemoryRequirements(g->device, ret->image, &need);
    err = allocate(g, &need, 0, &ret->memory);
    if (err == NULL) {
        err = gpu_check(vkBindImageMemory(g->device, ret->image, ret->memory, 0), "bind");
    }
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = ret->image,
        .viewType = i->layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
        .format = i->format,
        .subresourceRange = {gpu_aspects(i->format), 0, 1, 0, i->layers}};
    return err != NULL ? err
                       : gpu_check(vkCreateImageView(g->device, &view, NULL, &ret->view), "view");
}

void gpu_image_done(const struct gpu *g, struct gpu_image *i)
{
    vkDestroyImageView(g->device, i->view, NULL);
    vkDestroyImage(g->device, i->image, NULL);
    vkFreeMemory(g->device, i->memory, NULL);
}
