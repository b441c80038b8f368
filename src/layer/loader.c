// SPDX-License-Identifier: MIT
#include "layer/loader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct lull_loader_instance *instances;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

void *lull_loader_key(const void *handle)
{
    void *key = NULL;
    memcpy(&key, handle, sizeof key); // The loader puts its table's address first.
    return key;
}

const struct lull_loader_instance *lull_loader_instance(const void *handle)
{
    void *key = lull_loader_key(handle);
    pthread_mutex_lock(&known.lock);
    const struct lull_loader_instance *i = known.instances;
    while (i != NULL && i->key != key) {
        i = i->other;
    }
    pthread_mutex_unlock(&known.lock);
    return i;
}

/** The loader's link in a chain of structs: @p type with VK_LAYER_LINK_INFO. */
static void *link_of(const void *next, VkStructureType type)
{
    const VkLayerDeviceCreateInfo *p = next; // Both kinds begin alike.
    while (p != NULL && (p->sType != type || p->function != VK_LAYER_LINK_INFO)) {
        p = p->pNext;
    }
    return (void *)(uintptr_t)p; // The loader gives it to be moved on.
}

VKAPI_ATTR VkResult VKAPI_CALL lull_loader_create_instance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *alloc,
                                                           VkInstance *ret)
{
    VkLayerInstanceCreateInfo *link =
        link_of(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    struct lull_loader_instance *i = calloc(1, sizeof *i);
    if (link == NULL || link->u.pLayerInfo == NULL || i == NULL) {
        free(i);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    i->next_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const VkResult r =
        ((PFN_vkCreateInstance)i->next_proc(VK_NULL_HANDLE, "vkCreateInstance"))(info, alloc, ret);
    if (r != VK_SUCCESS) {
        free(i);
        return r;
    }
    i->key = lull_loader_key(*ret);
    i->handle = *ret;
    i->destroy = (PFN_vkDestroyInstance)i->next_proc(*ret, "vkDestroyInstance");
    pthread_mutex_lock(&known.lock);
    i->other = known.instances;
    known.instances = i;
    pthread_mutex_unlock(&known.lock);
    return r;
}

VKAPI_ATTR void VKAPI_CALL lull_loader_destroy_instance(VkInstance handle,
                                                        const VkAllocationCallbacks *alloc)
{
    const struct lull_loader_instance *i =
        handle != VK_NULL_HANDLE ? lull_loader_instance(handle) : NULL;
    if (i == NULL) {
        return;
    }
    pthread_mutex_lock(&known.lock);
    struct lull_loader_instance **at = &known.instances;
    while (*at != i) {
        at = &(*at)->other;
    }
    struct lull_loader_instance *gone = *at;
    *at = gone->other;
    pthread_mutex_unlock(&known.lock);
    gone->destroy(handle, alloc);
    free(gone);
}

VkResult lull_loader_create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                   const VkAllocationCallbacks *alloc, VkDevice *ret,
                                   PFN_vkGetDeviceProcAddr *ret_proc)
{
    const struct lull_loader_instance *i = lull_loader_instance(physical);
    VkLayerDeviceCreateInfo *link =
        link_of(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (i == NULL || link == NULL || link->u.pLayerInfo == NULL) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    *ret_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return ((PFN_vkCreateDevice)next(i->handle, "vkCreateDevice"))(physical, info, alloc, ret);
}

PFN_vkVoidFunction lull_loader_find(const struct lull_loader_hook *hooks, size_t n,
                                    const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(hooks[i].name, name) == 0) {
            return hooks[i].fn;
        }
    }
    return NULL;
}

PFN_vkVoidFunction lull_loader_proc(VkInstance handle, const char *name, PFN_vkVoidFunction hook)
{
    const struct lull_loader_instance *i =
        handle != VK_NULL_HANDLE ? lull_loader_instance(handle) : NULL;
    const PFN_vkVoidFunction next = i != NULL ? i->next_proc(handle, name) : NULL;
    return hook != NULL && next != NULL ? hook : next;
}

VkResult lull_loader_negotiate(VkNegotiateLayerInterface *v, PFN_vkGetInstanceProcAddr instance,
                               PFN_vkGetDeviceProcAddr device)
{
    if (v == NULL || v->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        v->loaderLayerInterfaceVersion < 2) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    v->loaderLayerInterfaceVersion = 2;
    v->pfnGetInstanceProcAddr = instance;
    v->pfnGetDeviceProcAddr = device;
    v->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}

bool lull_loader_has_extension(VkPhysicalDevice physical, const char *name)
{
    const struct lull_loader_instance *i = lull_loader_instance(physical);
    PFN_vkEnumerateDeviceExtensionProperties list =
        (PFN_vkEnumerateDeviceExtensionProperties)i->next_proc(
            i->handle, "vkEnumerateDeviceExtensionProperties");
    uint32_t n = 0;
    bool there = false;
    VkExtensionProperties *have =
        list(physical, NULL, &n, NULL) == VK_SUCCESS ? calloc(n + 1, sizeof *have) : NULL;
    if (have != NULL && list(physical, NULL, &n, have) == VK_SUCCESS) {
        for (uint32_t k = 0; k < n; k++) {
            there |= strcmp(have[k].extensionName, name) == 0;
        }
    }
    free(have);
    return there;
}
