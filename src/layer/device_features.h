// SPDX-License-Identifier: MIT
/** @file
 * What a layer asks of a device beyond what the program does: addresses of buffers, and stores
 * and atomics in the stages of draws.
 */
#ifndef LULL_LAYER_DEVICE_FEATURES_H
#define LULL_LAYER_DEVICE_FEATURES_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

enum { LULL_FEATURES_CHANGES = 4 };

/** How a device is created with more features. Zero-initialise. */
struct lull_features {
    VkDeviceCreateInfo now;
    VkPhysicalDeviceBufferDeviceAddressFeatures address;
    VkPhysicalDeviceFeatures core;
    const char **extensions; ///< For free().
    /** Words of the program's own structs that are VK_TRUE until done(). */
    VkBool32 *changed[LULL_FEATURES_CHANGES];
    unsigned nchanged;
};

/** Ask for the features. NULL: done; else why the device cannot have them. */
const char *lull_features_ask(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                              struct lull_features *f);

/** The device is there: the program's structs are as they were. */
void lull_features_done(struct lull_features *f);

#endif
