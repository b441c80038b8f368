// SPDX-License-Identifier: MIT
// What the loader calls: instances, devices, and who answers which name.
// Source: Khronos Vulkan-Loader, docs/LoaderLayerInterface.md, "Layer Interface Version 2".
#include <stdlib.h>
#include <string.h>

#include <vulkan/vk_layer.h>

#include "layer/layer.h"
#include "layer/loader.h"

struct instance {
    void *key;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr next_proc;
    // Asked for at once: later the loader's end of the chain gives the start of the chain.
    PFN_vkDestroyInstance destroy;
    PFN_vkGetPhysicalDeviceProperties properties;
    bool debug_utils;
    struct instance *other;
};

static struct {
    struct instance *instances; // With the lock held.
} known;

static struct instance *instance_of(const void *handle)
{
    void *key = lull_layer_key(handle);
    lull_layer_lock();
    struct instance *i = known.instances;
    while (i != NULL && i->key != key) {
        i = i->other;
    }
    lull_layer_unlock();
    return i;
}

static bool has_name(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static VkLayerInstanceCreateInfo *instance_link(const VkInstanceCreateInfo *info)
{
    const VkLayerInstanceCreateInfo *p = info->pNext;
    while (p != NULL && (p->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                         p->function != VK_LAYER_LINK_INFO)) {
        p = p->pNext;
    }
    return (VkLayerInstanceCreateInfo *)p; // The loader gives it to be moved on.
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *alloc,
                                                      VkInstance *ret)
{
    VkLayerInstanceCreateInfo *link = instance_link(info);
    if (link == NULL || link->u.pLayerInfo == NULL) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next(VK_NULL_HANDLE, "vkCreateInstance");
    if (create == NULL) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    struct instance *i = calloc(1, sizeof *i);
    if (i == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    VkResult result = create(info, alloc, ret);
    if (result != VK_SUCCESS) {
        free(i);
        return result;
    }
    i->key = lull_layer_key(*ret);
    i->handle = *ret;
    i->next_proc = next;
    i->destroy = (PFN_vkDestroyInstance)next(*ret, "vkDestroyInstance");
    i->properties = (PFN_vkGetPhysicalDeviceProperties)next(*ret, "vkGetPhysicalDeviceProperties");
    i->debug_utils = has_name(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                              VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    lull_layer_lock();
    i->other = known.instances;
    known.instances = i;
    lull_layer_unlock();
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle,
                                                   const VkAllocationCallbacks *alloc)
{
    struct instance *i = handle != VK_NULL_HANDLE ? instance_of(handle) : NULL;
    if (i == NULL) {
        return;
    }
    lull_layer_lock();
    struct instance **at = &known.instances;
    while (*at != i) {
        at = &(*at)->other;
    }
    *at = i->other;
    lull_layer_unlock();
    i->destroy(handle, alloc);
    free(i);
}

static VkLayerDeviceCreateInfo *device_link(const VkDeviceCreateInfo *info)
{
    const VkLayerDeviceCreateInfo *p = info->pNext;
    while (p != NULL && (p->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
                         p->function != VK_LAYER_LINK_INFO)) {
        p = p->pNext;
    }
    return (VkLayerDeviceCreateInfo *)p;
}

static void add_hooks(struct lull_layer_device *d, const struct lull_layer_hook *hooks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        d->next[hooks[i].fn] = d->next_proc(d->handle, hooks[i].name);
    }
}

/** Does the program want accesses outside of buffers to give what is defined? */
static bool is_robust(const VkDeviceCreateInfo *info)
{
    bool robust =
        info->pEnabledFeatures != NULL && info->pEnabledFeatures->robustBufferAccess != VK_FALSE;
    for (const VkBaseInStructure *p = info->pNext; p != NULL; p = p->pNext) {
        const void *is = p;
        if (p->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
            const VkPhysicalDeviceFeatures2 *f = is;
            robust = robust || f->features.robustBufferAccess != VK_FALSE;
        } else if (p->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT) {
            const VkPhysicalDeviceRobustness2FeaturesEXT *f = is;
            robust = robust || f->robustBufferAccess2 != VK_FALSE;
        } else if (p->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT) {
            const VkPhysicalDevicePipelineRobustnessFeaturesEXT *f = is;
            robust = robust || f->pipelineRobustness != VK_FALSE;
        }
    }
    return robust;
}

// Drivers whose vkGetBufferDeviceAddress is right for any buffer: AMD's RADV, Qualcomm's Turnip.
// Source: Mesa, radv_GetBufferDeviceAddress, tu_GetBufferDeviceAddress.
static bool tells_where(const struct instance *i, VkPhysicalDevice physical)
{
    enum { AMD = 0x1002, QUALCOMM = 0x5143 };
    VkPhysicalDeviceProperties properties = {0};
    if (i->properties != NULL) {
        i->properties(physical, &properties);
    }
    return properties.vendorID == AMD || properties.vendorID == QUALCOMM;
}

// The extension by which it tells, where the program has not asked for it: NULL: nothing to add.
static const char *extension_for(const struct instance *i, VkPhysicalDevice physical,
                                 const VkDeviceCreateInfo *info)
{
    static const char name[] = VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME;
    const PFN_vkEnumerateDeviceExtensionProperties list =
        (PFN_vkEnumerateDeviceExtensionProperties)i->next_proc(
            i->handle, "vkEnumerateDeviceExtensionProperties");
    const char *const *const names = info->ppEnabledExtensionNames;
    const uint32_t n = info->enabledExtensionCount;
    uint32_t count = 0;
    if (list == NULL || has_name(names, n, name) ||
        has_name(names, n, VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME) ||
        list(physical, NULL, &count, NULL) != VK_SUCCESS) {
        return NULL;
    }
    VkExtensionProperties *all = calloc(count + 1, sizeof *all);
    const bool listed = all != NULL && list(physical, NULL, &count, all) == VK_SUCCESS;
    bool there = false;
    for (uint32_t k = 0; listed && k < count; k++) {
        there = there || strcmp(all[k].extensionName, name) == 0;
    }
    free(all);
    return there ? name : NULL;
}

// With what tells where buffers are.
static VkResult create_with(PFN_vkCreateDevice create, VkPhysicalDevice physical,
                            const VkDeviceCreateInfo *info, const VkAllocationCallbacks *alloc,
                            VkDevice *ret, const char *extension)
{
    const uint32_t n = info->enabledExtensionCount;
    VkDeviceCreateInfo more = *info;
    const char **names = extension != NULL ? malloc((n + 1) * sizeof *names) : NULL;
    for (uint32_t k = 0; names != NULL && k < n; k++) {
        names[k] = info->ppEnabledExtensionNames[k];
    }
    if (names != NULL) {
        names[n] = extension;
        more.ppEnabledExtensionNames = names;
        more.enabledExtensionCount = n + 1;
    }
    const VkResult result = create(physical, &more, alloc, ret);
    free(names);
    return result;
}

// Tells the file of the device and starts to listen to it.
static void add_device(struct lull_layer_device *d, const struct instance *i,
                       VkPhysicalDevice physical, bool robust)
{
    size_t n = 0;
    const struct lull_layer_hook *hooks = lull_layer_object_hooks(&n);
    add_hooks(d, hooks, n);
    hooks = lull_layer_descriptor_hooks(&n);
    add_hooks(d, hooks, n);
    hooks = lull_layer_command_hooks(&n);
    add_hooks(d, hooks, n);
    hooks = lull_layer_bind_hooks(&n);
    add_hooks(d, hooks, n);
    hooks = lull_layer_draw_hooks(&n);
    add_hooks(d, hooks, n);
    hooks = lull_layer_order_hooks(&n);
    add_hooks(d, hooks, n);
    hooks = lull_layer_event_hooks(&n);
    add_hooks(d, hooks, n);
    hooks = lull_layer_semaphore_hooks(&n);
    add_hooks(d, hooks, n);
    hooks = lull_layer_transfer_hooks(&n);
    add_hooks(d, hooks, n);
    hooks = lull_layer_submit_hooks(&n);
    add_hooks(d, hooks, n);
    d->next[LULL_FN_DESTROY_DEVICE] = d->next_proc(d->handle, "vkDestroyDevice");
    VkPhysicalDeviceProperties properties = {0};
    if (i->properties != NULL) {
        i->properties(physical, &properties);
    }
    char *name = lull_layer_utf8(properties.deviceName);
    lull_layer_lock();
    lull_layer_device_add(d);
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "device");
    lull_json_put_hex(&j, "device", (uint64_t)(uintptr_t)d->handle);
    lull_json_put_str(&j, "name", name != NULL ? name : "");
    lull_json_put_bool(&j, "robust", robust);
    lull_layer_write(&j);
    lull_layer_unlock();
    free(name);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkDevice *ret)
{
    const struct instance *i = instance_of(physical);
    VkLayerDeviceCreateInfo *link = device_link(info);
    if (i == NULL || link == NULL || link->u.pLayerInfo == NULL) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)next(i->handle, "vkCreateDevice");
    struct lull_layer_device *d = calloc(1, sizeof *d);
    if (create == NULL || d == NULL) {
        free(d);
        return create == NULL ? VK_ERROR_INITIALIZATION_FAILED : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    const bool told = lull_layer_on() && tells_where(i, physical);
    const char *extension = told ? extension_for(i, physical, info) : NULL;
    VkResult result = create_with(create, physical, info, alloc, ret, extension);
    if (result != VK_SUCCESS) {
        free(d);
        return result;
    }
    d->key = lull_layer_key(*ret);
    d->handle = *ret;
    d->next_proc = next_device;
    d->debug_utils = i->debug_utils;
    if (told) {
        d->where = (PFN_vkGetBufferDeviceAddress)next_device(*ret, "vkGetBufferDeviceAddress");
        d->where =
            d->where != NULL
                ? d->where
                : (PFN_vkGetBufferDeviceAddress)next_device(*ret, "vkGetBufferDeviceAddressKHR");
    }
    add_device(d, i, physical, is_robust(info));
    return result;
}

static void drop_queue(struct lull_layer_entry *e, void *arg)
{
    struct lull_layer_queue *q = e->data;
    if (q->device == (VkDevice)arg) {
        lull_layer_drop(LULL_LAYER_QUEUE, e->handle);
        lull_layer_labels_done(&q->labels);
        free(q);
    }
}

static void drop_commands(struct lull_layer_entry *e, void *arg)
{
    const struct lull_layer_commands *c = e->data;
    if (c->device == (VkDevice)arg) {
        lull_layer_commands_drop(e->handle);
    }
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle,
                                                 const VkAllocationCallbacks *alloc)
{
    struct lull_layer_device *d = handle != VK_NULL_HANDLE ? lull_layer_device(handle) : NULL;
    if (d == NULL) {
        return;
    }
    lull_layer_lock();
    lull_layer_each(LULL_LAYER_QUEUE, drop_queue, handle);
    lull_layer_each(LULL_LAYER_COMMANDS, drop_commands, handle);
    lull_layer_device_drop(d);
    lull_layer_unlock();
    ((PFN_vkDestroyDevice)d->next[LULL_FN_DESTROY_DEVICE])(handle, alloc);
    free(d);
}

static PFN_vkVoidFunction hook_in(const struct lull_layer_hook *hooks, size_t n, const char *name,
                                  enum lull_layer_fn *ret)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(hooks[i].name, name) == 0) {
            *ret = hooks[i].fn;
            return hooks[i].hook;
        }
    }
    return NULL;
}

static PFN_vkVoidFunction device_hook(const char *name, enum lull_layer_fn *ret)
{
    size_t n = 0;
    const struct lull_layer_hook *hooks = lull_layer_object_hooks(&n);
    PFN_vkVoidFunction fn = hook_in(hooks, n, name, ret);
    if (fn == NULL) {
        hooks = lull_layer_descriptor_hooks(&n);
        fn = hook_in(hooks, n, name, ret);
    }
    if (fn == NULL) {
        hooks = lull_layer_command_hooks(&n);
        fn = hook_in(hooks, n, name, ret);
    }
    if (fn == NULL) {
        hooks = lull_layer_bind_hooks(&n);
        fn = hook_in(hooks, n, name, ret);
    }
    if (fn == NULL) {
        hooks = lull_layer_draw_hooks(&n);
        fn = hook_in(hooks, n, name, ret);
    }
    if (fn == NULL) {
        hooks = lull_layer_order_hooks(&n);
        fn = hook_in(hooks, n, name, ret);
    }
    if (fn == NULL) {
        hooks = lull_layer_event_hooks(&n);
        fn = hook_in(hooks, n, name, ret);
    }
    if (fn == NULL) {
        hooks = lull_layer_semaphore_hooks(&n);
        fn = hook_in(hooks, n, name, ret);
    }
    if (fn == NULL) {
        hooks = lull_layer_transfer_hooks(&n);
        fn = hook_in(hooks, n, name, ret);
    }
    if (fn == NULL) {
        hooks = lull_layer_submit_hooks(&n);
        fn = hook_in(hooks, n, name, ret);
    }
    return fn;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice handle, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)device_proc;
    }
    if (strcmp(name, "vkDestroyDevice") == 0) {
        return (PFN_vkVoidFunction)destroy_device;
    }
    const struct lull_layer_device *d = lull_layer_device(handle);
    if (d == NULL) {
        return NULL;
    }
    enum lull_layer_fn fn = LULL_NFNS;
    PFN_vkVoidFunction hook = lull_layer_on() ? device_hook(name, &fn) : NULL;
    // Labels and names end in the loader where a driver has none.
    bool label = fn >= LULL_FN_BEGIN_LABEL && fn <= LULL_FN_SET_NAME && d->debug_utils;
    if (hook != NULL && (label || d->next[fn] != NULL)) {
        return hook;
    }
    return d->next_proc(handle, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance handle, const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction fn;
    } own[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_proc},
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
        {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
    };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (strcmp(own[i].name, name) == 0) {
            return own[i].fn;
        }
    }
    const struct instance *i = handle != VK_NULL_HANDLE ? instance_of(handle) : NULL;
    if (i == NULL) {
        return NULL;
    }
    enum lull_layer_fn fn = LULL_NFNS;
    PFN_vkVoidFunction hook = lull_layer_on() ? device_hook(name, &fn) : NULL;
    PFN_vkVoidFunction next = i->next_proc(handle, name);
    return hook != NULL && next != NULL ? hook : next;
}

VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *v)
{
    return lull_loader_negotiate(v, instance_proc, device_proc);
}
