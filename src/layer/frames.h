// SPDX-License-Identifier: MIT
/** @file
 * VK_LAYER_LULL_frames inside: each image that a program presents, written as PNG.
 *
 * The layer asks for swapchain images that can be copied. At vkQueuePresentKHR it waits for what
 * the program would have presentation wait for, copies the image into memory of its own, waits for
 * that, presents without a wait, and writes the file if the image was presented.
 *
 * The environment says where: LULL_FRAMES, a directory; LULL_FRAMES_ONLY, the number of the only
 * frame that is written; LULL_FRAMES_PARENT, the process whose child writes frame-N.png (others
 * write frame-PID-N.png). What went wrong first stands in LULL_FRAMES/.lull-frames.
 *
 * Its state hangs on one static object behind one lock, since a layer has no context argument; the
 * lock is never held while the next layer or the driver is called.
 */
#ifndef LULL_LAYER_FRAMES_H
#define LULL_LAYER_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "base/error.h"

/** The next layer's functions of a device. */
struct lull_frames_next {
    PFN_vkDestroyDevice destroy_device;
    PFN_vkGetDeviceQueue get_queue;
    PFN_vkGetDeviceQueue2 get_queue2;
    PFN_vkCreateSwapchainKHR create_swapchain;
    PFN_vkDestroySwapchainKHR destroy_swapchain;
    PFN_vkGetSwapchainImagesKHR images;
    PFN_vkQueuePresentKHR present;
    PFN_vkQueueSubmit submit;
    PFN_vkCreateBuffer create_buffer;
    PFN_vkDestroyBuffer destroy_buffer;
    PFN_vkGetBufferMemoryRequirements requirements;
    PFN_vkAllocateMemory allocate;
    PFN_vkFreeMemory free_memory;
    PFN_vkBindBufferMemory bind;
    PFN_vkMapMemory map;
    PFN_vkCreateCommandPool create_pool;
    PFN_vkDestroyCommandPool destroy_pool;
    PFN_vkAllocateCommandBuffers commands;
    PFN_vkBeginCommandBuffer begin;
    PFN_vkEndCommandBuffer end;
    PFN_vkCmdPipelineBarrier barrier;
    PFN_vkCmdCopyImageToBuffer copy;
    PFN_vkCmdFillBuffer fill;
    PFN_vkCreateFence create_fence;
    PFN_vkDestroyFence destroy_fence;
    PFN_vkWaitForFences wait;
};

struct lull_frames_device {
    void *key; ///< First word of all its dispatchable handles.
    VkDevice handle;
    PFN_vkGetDeviceProcAddr next_proc;
    struct lull_frames_next next;
    VkPhysicalDevice physical;
    PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR capabilities; ///< NULL: no surfaces.
    VkPhysicalDeviceMemoryProperties memory;
    struct lull_frames_device *other;
};

/** A picture on its way: the copy in memory. */
struct lull_frames_copy {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkCommandPool pool;
    VkFence fence;
    uint8_t *map;
    size_t bytes; ///< Of the image; a word behind it says that the copy was done.
};

struct lull_frames_swapchain {
    VkSwapchainKHR handle;
    const struct lull_frames_device *device;
    VkFormat format;
    VkExtent2D extent;
    bool readable; ///< Its images can be copied.
    uint32_t nimages;
    VkImage *images;
    struct lull_frames_swapchain *other;
};

/** Bytes of a texel; 0: the layer does not know the format. */
size_t lull_frames_texel(VkFormat format);

/** Texels to red, green, blue, 255. */
void lull_frames_convert(VkFormat format, const uint8_t *texels, size_t n, uint8_t *rgba);

/**
 * Copy image @p index of @p s, in a submission to @p queue (of @p family) that waits for @p info's
 * semaphores: they are waited for on success and, if *ret_waited, on failure, too.
 */
struct lull_error *lull_frames_read(const struct lull_frames_swapchain *s, uint32_t index,
                                    VkQueue queue, uint32_t family, const VkPresentInfoKHR *info,
                                    bool *ret_waited, struct lull_frames_copy *ret) LULL_MUST_USE;
void lull_frames_copy_done(const struct lull_frames_device *d, struct lull_frames_copy *c);

#endif
