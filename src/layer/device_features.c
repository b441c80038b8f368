// SPDX-License-Identifier: MIT
#include "layer/device_features.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "layer/loader.h"

/** A word of the program's struct becomes VK_TRUE. The kernel writes it, so that a struct in memory
 * that nobody may write is an answer, not a fault. */
static bool set(struct lull_features *f, const VkBool32 *word)
{
    VkBool32 yes = VK_TRUE;
    const struct iovec from = {&yes, sizeof yes}, to = {(void *)(uintptr_t)word, sizeof yes};
    if (*word == VK_TRUE) {
        return true;
    }
    if (f->nchanged == LULL_FEATURES_CHANGES ||
        process_vm_writev(getpid(), &from, 1, &to, 1, 0) != (ssize_t)sizeof yes) {
        return false;
    }
    f->changed[f->nchanged++] = (VkBool32 *)(uintptr_t)word;
    return true;
}

/** The struct of a chain; NULL: it has none. */
static const void *in_chain(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *in = chain;
    while (in != NULL && in->sType != type) {
        in = in->pNext;
    }
    return in;
}

/** The extension by this name, if the device has it and the program does not ask for it. */
static void ask_extension(VkPhysicalDevice physical, struct lull_features *f, const char *name)
{
    bool there = lull_loader_has_extension(physical, name);
    const uint32_t count = f->now.enabledExtensionCount;
    for (uint32_t k = 0; k < count; k++) {
        there = there && strcmp(f->now.ppEnabledExtensionNames[k], name) != 0;
    }
    const char **names = there ? calloc(count + 1, sizeof *names) : NULL;
    if (names != NULL) {
        if (count != 0) {
            memcpy(names, f->now.ppEnabledExtensionNames, count * sizeof *names);
        }
        names[count] = name;
        f->extensions = names;
        f->now.ppEnabledExtensionNames = names;
        f->now.enabledExtensionCount = count + 1;
    }
}

/** Does the device have addresses of buffers? */
static bool has_addresses(VkPhysicalDevice physical)
{
    const struct lull_loader_instance *i = lull_loader_instance(physical);
    VkPhysicalDeviceBufferDeviceAddressFeatures address = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = &address};
    PFN_vkGetPhysicalDeviceFeatures2 features =
        (PFN_vkGetPhysicalDeviceFeatures2)i->next_proc(i->handle, "vkGetPhysicalDeviceFeatures2");
    if (features == NULL) {
        features = (PFN_vkGetPhysicalDeviceFeatures2)i->next_proc(
            i->handle, "vkGetPhysicalDeviceFeatures2KHR");
    }
    if (features == NULL) {
        return true; // An instance of 1.0: the device says it when it is created.
    }
    features(physical, &all);
    return address.bufferDeviceAddress == VK_TRUE;
}

static bool ask_address(VkPhysicalDevice physical, struct lull_features *f)
{
    const VkPhysicalDeviceVulkan12Features *v12 =
        in_chain(f->now.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    const VkPhysicalDeviceBufferDeviceAddressFeatures *own =
        in_chain(f->now.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
    if (v12 != NULL) {
        return set(f, &v12->bufferDeviceAddress);
    }
    if (own != NULL) {
        return set(f, &own->bufferDeviceAddress);
    }
    ask_extension(physical, f, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME);
    f->address = (VkPhysicalDeviceBufferDeviceAddressFeatures){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
        .pNext = (void *)(uintptr_t)f->now.pNext,
        .bufferDeviceAddress = VK_TRUE};
    f->now.pNext = &f->address;
    return true;
}

/** Stores and atomics in the stages of draws, where the device has them. A device without them
 * prints from compute shaders only, as does one that does not let us ask. */
static void ask_stores(VkPhysicalDevice physical, struct lull_features *f)
{
    const struct lull_loader_instance *i = lull_loader_instance(physical);
    VkPhysicalDeviceFeatures has = {0};
    ((PFN_vkGetPhysicalDeviceFeatures)i->next_proc(i->handle, "vkGetPhysicalDeviceFeatures"))(
        physical, &has);
    const VkPhysicalDeviceFeatures2 *two =
        in_chain(f->now.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    if (two != NULL) {
        if (has.vertexPipelineStoresAndAtomics) {
            set(f, &two->features.vertexPipelineStoresAndAtomics);
        }
        if (has.fragmentStoresAndAtomics) {
            set(f, &two->features.fragmentStoresAndAtomics);
        }
        return;
    }
    if (f->now.pEnabledFeatures != NULL) {
        f->core = *f->now.pEnabledFeatures;
    }
    f->core.vertexPipelineStoresAndAtomics |= has.vertexPipelineStoresAndAtomics;
    f->core.fragmentStoresAndAtomics |= has.fragmentStoresAndAtomics;
    f->now.pEnabledFeatures = &f->core;
}

const char *lull_features_ask(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                              struct lull_features *f)
{
    f->now = *info;
    if (!has_addresses(physical)) {
        return "the device has no bufferDeviceAddress";
    }
    if (!ask_address(physical, f)) {
        return "the program's struct of features cannot be changed, and does not ask for "
               "bufferDeviceAddress";
    }
    ask_stores(physical, f);
    return NULL;
}

void lull_features_done(struct lull_features *f)
{
    for (unsigned i = 0; i < f->nchanged; i++) {
        *f->changed[i] = VK_FALSE;
    }
    free(f->extensions);
    f->extensions = NULL;
}
