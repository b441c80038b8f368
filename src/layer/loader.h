// SPDX-License-Identifier: MIT
/** @file
 * What every layer does for the Vulkan loader: instances are created and known by their key, the
 * loader's link in a chain of structs is moved on, names of functions are looked up in tables.
 *
 * Source: Khronos Vulkan-Loader, docs/LoaderLayerInterface.md, "Layer Interface Version 2".
 */
#ifndef LULL_LAYER_LOADER_H
#define LULL_LAYER_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vk_layer.h>

struct lull_loader_instance {
    void *key;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr next_proc;
    PFN_vkDestroyInstance destroy;
    struct lull_loader_instance *other;
};

/** A function that the layer has in front of the next one's. */
struct lull_loader_hook {
    const char *name;
    PFN_vkVoidFunction fn;
};

/** Chained to the create info of what a layer of lull's makes for itself, which is not the
 * program's. Drivers step over types that they do not know. */
#define LULL_LOADER_OWN ((VkStructureType)0x4c554c4c)

/** Is it? */
static inline bool lull_loader_is_own(const void *chain)
{
    const VkBaseInStructure *p = chain;
    while (p != NULL && p->sType != LULL_LOADER_OWN) {
        p = p->pNext;
    }
    return p != NULL;
}

/** The first word of a dispatchable handle: all handles of an instance, or of a device, share it.
 */
void *lull_loader_key(const void *handle);

/** The instance of an instance or a physical device; NULL: not known. */
const struct lull_loader_instance *lull_loader_instance(const void *handle);

/** Has the device an extension of this name? */
bool lull_loader_has_extension(VkPhysicalDevice physical, const char *name);

/** vkCreateInstance and vkDestroyInstance. */
VKAPI_ATTR VkResult VKAPI_CALL lull_loader_create_instance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *alloc,
                                                           VkInstance *ret);
VKAPI_ATTR void VKAPI_CALL lull_loader_destroy_instance(VkInstance handle,
                                                        const VkAllocationCallbacks *alloc);

/** Create the device with the next layer, and say who knows its functions. */
VkResult lull_loader_create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                   const VkAllocationCallbacks *alloc, VkDevice *ret,
                                   PFN_vkGetDeviceProcAddr *ret_proc);

/** A function of a table; NULL: not in it. */
PFN_vkVoidFunction lull_loader_find(const struct lull_loader_hook *hooks, size_t n,
                                    const char *name);

/** What vkGetInstanceProcAddr answers for a device's function: @p hook if it is one and the next
 * layer has the function, else the next layer's. */
PFN_vkVoidFunction lull_loader_proc(VkInstance handle, const char *name, PFN_vkVoidFunction hook);

/** What vkNegotiateLoaderLayerInterfaceVersion answers. */
VkResult lull_loader_negotiate(VkNegotiateLayerInterface *v, PFN_vkGetInstanceProcAddr instance,
                               PFN_vkGetDeviceProcAddr device);

#endif
