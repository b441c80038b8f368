// SPDX-License-Identifier: MIT
// Loader, instance, choice of the device, its features and queues.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "vk/internal.h"

enum {
    MAX_DEVICES = 32,
    MAX_FAMILIES = 16,
    AMD_PCI_VENDOR = 0x1002,
    QUALCOMM_VENDOR = 0x5143,
};

static const char loader_name[] = "libvulkan.so.1";

struct named {
    VkResult result;
    const char *name;
};

static const struct named results[] = {
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY"},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED"},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED"},
    {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT"},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT"},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER"},
    {VK_ERROR_FORMAT_NOT_SUPPORTED, "VK_ERROR_FORMAT_NOT_SUPPORTED"},
    {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY"},
    {VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV"},
    {VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN"},
};

struct lull_error *vk_check(struct lull_vk *vk, VkResult result, const char *what)
{
    if (result >= VK_SUCCESS) {
        return NULL;
    }
    vk->lost |= result == VK_ERROR_DEVICE_LOST;
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        if (results[i].result == result) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: %s", what, results[i].name);
        }
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: VkResult %d", what, (int)result);
}

LULL_MUST_USE static struct lull_error *open_loader(struct lull_vk *vk)
{
    vk->loader = dlopen(loader_name, RTLD_NOW | RTLD_LOCAL);
    if (vk->loader == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no Vulkan loader: %s", dlerror());
    }
    PFN_vkGetInstanceProcAddr get = NULL;
    void *symbol = dlsym(vk->loader, "vkGetInstanceProcAddr");
    memcpy(&get, &symbol, sizeof get);
    if (get == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "%s has no vkGetInstanceProcAddr", loader_name);
    }
    vk_api_global(vk, get);
    const VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "lull",
        .apiVersion = VK_API_VERSION_1_3,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };
    struct lull_error *err =
        vk_check(vk, vk->api.CreateInstance(&info, NULL, &vk->instance), "vkCreateInstance");
    if (err == NULL) {
        vk_api_instance(vk);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *enumerate(struct lull_vk *vk, VkPhysicalDevice *devices,
                                                  uint32_t *ret_n)
{
    *ret_n = MAX_DEVICES;
    return vk_check(vk, vk->api.EnumeratePhysicalDevices(vk->instance, ret_n, devices),
                    "vkEnumeratePhysicalDevices");
}

static VkPhysicalDeviceProperties properties(struct lull_vk *vk, VkPhysicalDevice device)
{
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    vk->api.GetPhysicalDeviceProperties2(device, &p);
    return p.properties;
}

static bool wanted(const VkPhysicalDeviceProperties *p, const char *device)
{
    if (device != NULL && strcmp(device, LULL_VK_OWN) == 0) {
        return p->vendorID == AMD_PCI_VENDOR || p->vendorID == QUALCOMM_VENDOR;
    }
    // People say lavapipe, the device says llvmpipe.
    const char *name = device != NULL && strcmp(device, "lavapipe") == 0 ? "llvmpipe" : device;
    return name == NULL || strcasestr(p->deviceName, name) != NULL;
}

LULL_MUST_USE static struct lull_error *choose(struct lull_vk *vk, const char *device)
{
    VkPhysicalDevice devices[MAX_DEVICES] = {0};
    uint32_t n = 0;
    struct lull_error *err = enumerate(vk, devices, &n);
    if (err != NULL) {
        return err;
    }
    struct lull_str names = {0};
    for (uint32_t i = 0; i < n; i++) {
        const VkPhysicalDeviceProperties p = properties(vk, devices[i]);
        if (wanted(&p, device)) {
            vk->physical = devices[i];
            break;
        }
        lull_str_addf(&names, "%s%s", i > 0 ? ", " : "", p.deviceName);
    }
    if (vk->physical == VK_NULL_HANDLE) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "no Vulkan device '%s'; there is: %s",
                             device != NULL ? device : "",
                             names.size != 0 ? lull_str_text(&names) : "none");
    }
    lull_error_free(names.err);
    lull_str_free(&names);
    return err;
}

/** The first family that computes (and draws, if it shall), and one that computes without graphics.
 */
LULL_MUST_USE static struct lull_error *families(struct lull_vk *vk)
{
    VkQueueFamilyProperties f[MAX_FAMILIES] = {0};
    uint32_t n = MAX_FAMILIES;
    vk->api.GetPhysicalDeviceQueueFamilyProperties(vk->physical, &n, f);
    vk->family = vk->async_family = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if ((f[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || f[i].queueCount == 0) {
            continue;
        }
        if (vk->family == UINT32_MAX &&
            (!vk->draws || (f[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0)) {
            vk->family = i;
        }
        if (vk->async_family == UINT32_MAX && (f[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0) {
            vk->async_family = i;
        }
    }
    if (vk->family == UINT32_MAX) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' has no %s queue", lull_vk_name(vk),
                              vk->draws ? "graphics" : "compute");
    }
    if (vk->async_family == UINT32_MAX) {
        vk->async_family = vk->family;
    }
    return NULL;
}

static bool has_extension(const VkExtensionProperties *have, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(have[i].extensionName, name) == 0) {
            return true;
        }
    }
    return false;
}

/** Extensions that add to Vulkan 1.3, with the offset of their features if any. */
struct extension {
    const char *name;
    size_t features; ///< In struct vk_features; 0: none.
    VkStructureType type;
    bool draws;        ///< Only for draws:
    enum vk_extra bit; ///< which it is.
};

static const struct extension extensions[] = {
    {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, offsetof(struct vk_features, atomic_float),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, false, 0},
    {VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME, offsetof(struct vk_features, atomic_float2),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, false, 0},
    {VK_KHR_SHADER_CLOCK_EXTENSION_NAME, offsetof(struct vk_features, clock),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, false, 0},
    {VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME, offsetof(struct vk_features, image_int64),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT, false, 0},
    {VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
     offsetof(struct vk_features, explicit_layout),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, false, 0},
    {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, offsetof(struct vk_features, robustness2),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, false, 0},
    {"VK_KHR_cooperative_matrix", offsetof(struct vk_features, cooperative_matrix),
     (VkStructureType)VK_COOPERATIVE_MATRIX_FEATURES, false, 0},
    {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, offsetof(struct vk_features, feedback),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, true, VK_EXTRA_FEEDBACK},
    {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, offsetof(struct vk_features, condition),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT, true,
     VK_EXTRA_CONDITION},
    {VK_EXT_MESH_SHADER_EXTENSION_NAME, offsetof(struct vk_features, mesh),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT, true, VK_EXTRA_MESH},
    {VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME, offsetof(struct vk_features, divisor),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT, true,
     VK_EXTRA_DIVISOR},
    {VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME, offsetof(struct vk_features, provoking),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT, true, VK_EXTRA_PROVOKING},
    {VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME, offsetof(struct vk_features, depth_clip),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT, true, VK_EXTRA_DEPTH_CLIP},
    {VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME, offsetof(struct vk_features, clip_control),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT, true,
     VK_EXTRA_CLIP_CONTROL},
    {VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME, offsetof(struct vk_features, index_u8),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT, true, VK_EXTRA_INDEX_U8},
    {VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME, offsetof(struct vk_features, generated),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT, true,
     VK_EXTRA_GENERATED},
    {VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME, offsetof(struct vk_features, lines),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT, true, VK_EXTRA_LINES},
    {VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME, offsetof(struct vk_features, interlock),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT, true,
     VK_EXTRA_INTERLOCK},
    {VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, offsetof(struct vk_features, rate),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR, true, VK_EXTRA_RATE},
    {VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME, 0, VK_STRUCTURE_TYPE_APPLICATION_INFO, true,
     VK_EXTRA_CONSERVATIVE},
    {VK_EXT_DISCARD_RECTANGLES_EXTENSION_NAME, 0, VK_STRUCTURE_TYPE_APPLICATION_INFO, true,
     VK_EXTRA_RECTANGLES},
    {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, 0, VK_STRUCTURE_TYPE_APPLICATION_INFO, false, 0},
};

enum { NEXTENSIONS = sizeof extensions / sizeof extensions[0] };

/** Names of the extensions that the device has, and the chain of features with them in it. */
LULL_MUST_USE static struct lull_error *query(struct lull_vk *vk, const char **names,
                                              uint32_t *ret_n)
{
    uint32_t n = 0;
    struct lull_error *err =
        vk_check(vk, vk->api.EnumerateDeviceExtensionProperties(vk->physical, NULL, &n, NULL),
                 "vkEnumerateDeviceExtensionProperties");
    lull_cleanup(lull_freep) VkExtensionProperties *have = calloc(n + 1, sizeof *have);
    if (err == NULL && have == NULL) {
        err = &lull_enomem;
    }
    if (err == NULL) {
        err = vk_check(vk, vk->api.EnumerateDeviceExtensionProperties(vk->physical, NULL, &n, have),
                       "vkEnumerateDeviceExtensionProperties");
    }
    if (err != NULL) {
        return err;
    }
    struct vk_features *f = &vk->features;
    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    f->core.pNext = &f->v11;
    f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    f->v11.pNext = &f->v12;
    f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    f->v12.pNext = &f->v13;
    f->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    *ret_n = 0;
    for (size_t i = 0; i < NEXTENSIONS; i++) {
        if ((extensions[i].draws && !vk->draws) || !has_extension(have, n, extensions[i].name)) {
            continue;
        }
        vk->extras |= extensions[i].draws ? 1U << extensions[i].bit : 0;
        names[(*ret_n)++] = extensions[i].name;
        vk->push_descriptors |=
            strcmp(extensions[i].name, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) == 0;
        if (extensions[i].features != 0) {
            VkBaseOutStructure *s =
                (VkBaseOutStructure *)(void *)((char *)f + extensions[i].features);
            s->sType = extensions[i].type;
            s->pNext = f->v13.pNext;
            f->v13.pNext = s;
        }
    }
    vk->api.GetPhysicalDeviceFeatures2(vk->physical, &f->core);
    // Out-of-bounds accesses shall do what the shader's code does, not what a check makes of it.
    f->core.features.robustBufferAccess = VK_FALSE;
    f->robustness2.robustBufferAccess2 = VK_FALSE;
    // What needs features that are not asked for.
    f->mesh.primitiveFragmentShadingRateMeshShader = VK_FALSE;
    f->rate.primitiveFragmentShadingRate = f->rate.attachmentFragmentShadingRate = VK_FALSE;
    return NULL;
}

LULL_MUST_USE static struct lull_error *make_device(struct lull_vk *vk)
{
    const char *names[NEXTENSIONS] = {0};
    uint32_t nnames = 0;
    struct lull_error *err = query(vk, names, &nnames);
    if (err == NULL) {
        err = families(vk);
    }
    if (err != NULL) {
        return err;
    }
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queues[2] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = vk->family,
         .queueCount = 1,
         .pQueuePriorities = &priority},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = vk->async_family,
         .queueCount = 1,
         .pQueuePriorities = &priority},
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &vk->features.core,
        .queueCreateInfoCount = vk->family != vk->async_family ? 2 : 1,
        .pQueueCreateInfos = queues,
        .enabledExtensionCount = nnames,
        .ppEnabledExtensionNames = names,
    };
    err = vk_check(vk, vk->api.CreateDevice(vk->physical, &info, NULL, &vk->device),
                   "vkCreateDevice");
    if (err == NULL) {
        vk_api_device(vk);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *open_device(const char *device, bool draws,
                                                    struct lull_vk **ret)
{
    struct lull_vk *vk = calloc(1, sizeof *vk);
    if (vk == NULL) {
        return &lull_enomem;
    }
    vk->draws = draws;
    struct lull_error *err = open_loader(vk);
    if (err == NULL) {
        err = choose(vk, device);
    }
    if (err == NULL) {
        vk->props.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
        vk->props13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
        vk->props11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
        vk->props.pNext = &vk->props13;
        vk->props13.pNext = &vk->props11;
        vk->api.GetPhysicalDeviceProperties2(vk->physical, &vk->props);
        vk->api.GetPhysicalDeviceMemoryProperties(vk->physical, &vk->memory);
        if (vk->props.properties.apiVersion < VK_API_VERSION_1_3) {
            err = lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' has Vulkan %u.%u, 1.3 is needed",
                                 lull_vk_name(vk),
                                 VK_API_VERSION_MAJOR(vk->props.properties.apiVersion),
                                 VK_API_VERSION_MINOR(vk->props.properties.apiVersion));
        }
    }
    if (err == NULL) {
        err = make_device(vk);
    }
    if (err != NULL) {
        lull_vk_close(vk);
        return err;
    }
    *ret = vk;
    return NULL;
}

struct lull_error *lull_vk_open(const char *device, struct lull_vk **ret)
{
    return open_device(device, false, ret);
}

struct lull_error *lull_vk_open_draws(const char *device, struct lull_vk **ret)
{
    return open_device(device, true, ret);
}

void lull_vk_close(struct lull_vk *vk)
{
    if (vk == NULL) {
        return;
    }
    if (vk->lost) { // a driver may wait for a GPU that never ends
        free(vk);
        return;
    }
    if (vk->device != VK_NULL_HANDLE) {
        vk->api.DestroyDevice(vk->device, NULL);
    }
    if (vk->instance != VK_NULL_HANDLE && vk->api.DestroyInstance != NULL) {
        vk->api.DestroyInstance(vk->instance, NULL);
    }
    // The loader stays: drivers have threads and exit handlers of their own.
    free(vk);
}

const char *lull_vk_name(const struct lull_vk *vk)
{
    return vk->props.properties.deviceName;
}

struct lull_error *lull_vk_list(struct lull_str *out)
{
    static const char *const types[] = {"other", "integrated GPU", "GPU", "virtual GPU", "CPU"};
    struct lull_vk *vk = calloc(1, sizeof *vk);
    if (vk == NULL) {
        return &lull_enomem;
    }
    VkPhysicalDevice devices[MAX_DEVICES] = {0};
    uint32_t n = 0;
    struct lull_error *err = open_loader(vk);
    if (err == NULL) {
        err = enumerate(vk, devices, &n);
    }
    for (uint32_t i = 0; err == NULL && i < n; i++) {
        const VkPhysicalDeviceProperties p = properties(vk, devices[i]);
        lull_str_addf(out, "%s, Vulkan %u.%u.%u, %s\n", p.deviceName,
                      VK_API_VERSION_MAJOR(p.apiVersion), VK_API_VERSION_MINOR(p.apiVersion),
                      VK_API_VERSION_PATCH(p.apiVersion),
                      p.deviceType <= VK_PHYSICAL_DEVICE_TYPE_CPU ? types[p.deviceType] : "other");
    }
    lull_vk_close(vk);
    return err;
}
