// SPDX-License-Identifier: MIT
/** @file
 * What the layer asks of a device beyond what the program does: addresses of buffers, and stores
 * and atomics in the stages of draws.
 */
#ifndef LULL_LAYER_PRINTF_FEATURES_H
#define LULL_LAYER_PRINTF_FEATURES_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

enum { LULL_LP_CHANGES = 4 };

/** How a device is created with more features. Zero-initialise. */
struct lull_lp_features {
    VkDeviceCreateInfo now;
    VkPhysicalDeviceBufferDeviceAddressFeatures address;
    VkPhysicalDeviceFeatures core;
    const char **extensions; ///< For free().
    /** Words of the program's own structs that are VK_TRUE until done(). */
    VkBool32 *changed[LULL_LP_CHANGES];
    unsigned nchanged;
};

/** Ask for the features. False: the device cannot do it, which is said on standard error. */
bool lull_lp_features_ask(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                          struct lull_lp_features *f);

/** The device is there: the program's structs are as they were. */
void lull_lp_features_done(struct lull_lp_features *f);

#endif
