// SPDX-License-Identifier: MIT
// Swapchains and presentation.
#include "layer/frames.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/str.h"
#include "file/png.h"
#include "layer/loader.h"

enum { MAX_SWAPCHAINS = 16 };

struct queue {
    VkQueue handle;
    VkDevice device;
    uint32_t family;
    struct queue *other;
};

static struct {
    pthread_mutex_t lock;
    struct lull_frames_device *devices;
    struct queue *queues;
    struct lull_frames_swapchain *swapchains;
    uint64_t frames; ///< Presented so far.
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct lull_frames_device *device_of(const void *handle)
{
    void *key = lull_loader_key(handle);
    pthread_mutex_lock(&all.lock);
    struct lull_frames_device *d = all.devices;
    while (d != NULL && d->key != key) {
        d = d->other;
    }
    pthread_mutex_unlock(&all.lock);
    return d;
}

/** What went wrong first is what is told. */
static void complain(struct lull_error *err, const char *what)
{
    const char *dir = getenv("LULL_FRAMES");
    struct lull_str path = {0}, line = {0};
    lull_str_addf(&path, "%s/.lull-frames", dir != NULL ? dir : ".");
    lull_str_addf(&line, "%s: %s\n", what, lull_error_message(err));
    if (path.err == NULL && line.err == NULL && access(path.text, F_OK) != 0) {
        lull_error_free(lull_output_write(path.text, line.text, line.size));
    }
    lull_str_free(&path);
    lull_str_free(&line);
    lull_error_free(err);
}

LULL_MUST_USE static struct lull_error *write_frame(const struct lull_frames_swapchain *s,
                                                    const struct lull_frames_copy *c, uint64_t n)
{
    const char *dir = getenv("LULL_FRAMES"), *parent = getenv("LULL_FRAMES_PARENT");
    const size_t texels = (size_t)s->extent.width * s->extent.height;
    lull_cleanup(lull_freep) uint8_t *rgba = malloc(texels * 4);
    struct lull_str path = {0};
    if (rgba == NULL) {
        return &lull_enomem;
    }
    lull_frames_convert(s->format, c->map, texels, rgba);
    lull_str_addf(&path, "%s/frame-", dir);
    if (parent == NULL || strtol(parent, NULL, 10) != getppid()) {
        lull_str_addf(&path, "%d-", (int)getpid());
    }
    lull_str_addf(&path, "%05llu.png", (unsigned long long)n);
    struct lull_error *err = path.err;
    if (err == NULL) {
        err = lull_png_write(path.text, s->extent.width, s->extent.height, rgba);
    }
    lull_str_free(&path);
    return err;
}

static struct lull_frames_swapchain *find_swapchain(VkSwapchainKHR handle)
{
    pthread_mutex_lock(&all.lock);
    struct lull_frames_swapchain *s = all.swapchains;
    while (s != NULL && s->handle != handle) {
        s = s->other;
    }
    pthread_mutex_unlock(&all.lock);
    return s;
}

/** The only frame to write; 0: all. */
static uint64_t only(void)
{
    const char *text = getenv("LULL_FRAMES_ONLY");
    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

/** Copies of what is to be presented; those that could not be made have no map. */
static void read_all(VkQueue queue, VkPresentInfoKHR *info, struct lull_frames_copy *copies)
{
    uint32_t family = 0;
    pthread_mutex_lock(&all.lock);
    const uint64_t before = all.frames, one = only();
    for (const struct queue *q = all.queues; q != NULL; q = q->other) {
        family = q->handle == queue ? q->family : family;
    }
    pthread_mutex_unlock(&all.lock);
    if (one != 0 && (one <= before || one > before + info->swapchainCount)) {
        return;
    }
    for (uint32_t i = 0; i < info->swapchainCount && i < MAX_SWAPCHAINS; i++) {
        const struct lull_frames_swapchain *s = find_swapchain(info->pSwapchains[i]);
        bool waited = false;
        if (s == NULL || !s->readable || info->pImageIndices[i] >= s->nimages) {
            continue;
        }
        struct lull_error *err =
            lull_frames_read(s, info->pImageIndices[i], queue, family, info, &waited, &copies[i]);
        if (waited) {
            info->waitSemaphoreCount = 0;
        }
        if (err != NULL) {
            char what[64] = "";
            snprintf(what, sizeof what, "frame %llu", (unsigned long long)(before + i + 1));
            complain(err, what);
            lull_frames_copy_done(s->device, &copies[i]);
        }
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR *info)
{
    const struct lull_frames_device *d = device_of(queue);
    struct lull_frames_copy copies[MAX_SWAPCHAINS] = {{0}};
    VkResult results[MAX_SWAPCHAINS] = {0};
    VkPresentInfoKHR now = *info;
    if (now.pResults == NULL && now.swapchainCount <= MAX_SWAPCHAINS) {
        now.pResults = results;
    }
    read_all(queue, &now, copies);
    const VkResult result = d->next.present(queue, &now);
    for (uint32_t i = 0; i < now.swapchainCount && i < MAX_SWAPCHAINS; i++) {
        const VkResult r = result < 0 && now.swapchainCount == 1 ? result : now.pResults[i];
        const struct lull_frames_swapchain *s = find_swapchain(info->pSwapchains[i]);
        if (r == VK_SUCCESS || r == VK_SUBOPTIMAL_KHR) {
            pthread_mutex_lock(&all.lock);
            const uint64_t n = ++all.frames;
            pthread_mutex_unlock(&all.lock);
            struct lull_error *err = copies[i].map != NULL && (only() == 0 || only() == n)
                                         ? write_frame(s, &copies[i], n)
                                         : NULL;
            if (err != NULL) {
                complain(err, "a frame cannot be written");
            }
        }
        if (s != NULL) {
            lull_frames_copy_done(s->device, &copies[i]);
        }
    }
    return result;
}

static bool is_readable(const struct lull_frames_device *d, const VkSwapchainCreateInfoKHR *info)
{
    VkSurfaceCapabilitiesKHR c = {0};
    struct lull_error *err = NULL;
    if (lull_frames_texel(info->imageFormat) == 0) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "its format, VkFormat %d, is not known",
                             (int)info->imageFormat);
    } else if (d->capabilities == NULL ||
               d->capabilities(d->physical, info->surface, &c) != VK_SUCCESS ||
               (c.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "its images cannot be copied");
    }
    if (err != NULL) {
        complain(err, "a swapchain");
        return false;
    }
    return true;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_swapchain(VkDevice device,
                                                       const VkSwapchainCreateInfoKHR *info,
                                                       const VkAllocationCallbacks *alloc,
                                                       VkSwapchainKHR *ret)
{
    const struct lull_frames_device *d = device_of(device);
    struct lull_frames_swapchain *s = calloc(1, sizeof *s);
    VkSwapchainCreateInfoKHR more = *info;
    const bool readable = s != NULL && is_readable(d, info);
    more.imageUsage |= readable ? VK_IMAGE_USAGE_TRANSFER_SRC_BIT : 0;
    const VkResult r = d->next.create_swapchain(device, &more, alloc, ret);
    if (r != VK_SUCCESS || s == NULL) {
        free(s);
        return r;
    }
    s->handle = *ret;
    s->device = d;
    s->format = info->imageFormat;
    s->extent = info->imageExtent;
    if (readable && d->next.images(device, *ret, &s->nimages, NULL) == VK_SUCCESS) {
        s->images = calloc((size_t)s->nimages + 1, sizeof(VkImage));
        s->readable =
            s->images != NULL && d->next.images(device, *ret, &s->nimages, s->images) == VK_SUCCESS;
    }
    pthread_mutex_lock(&all.lock);
    s->other = all.swapchains;
    all.swapchains = s;
    pthread_mutex_unlock(&all.lock);
    return r;
}

/** Take swapchains out of the list: @p handle, or all of @p d. */
static void drop_swapchains(const struct lull_frames_device *d, VkSwapchainKHR handle)
{
    pthread_mutex_lock(&all.lock);
    for (struct lull_frames_swapchain **at = &all.swapchains; *at != NULL;) {
        struct lull_frames_swapchain *s = *at;
        if (s->device == d && (handle == VK_NULL_HANDLE || s->handle == handle)) {
            *at = s->other;
            free(s->images);
            free(s);
        } else {
            at = &s->other;
        }
    }
    pthread_mutex_unlock(&all.lock);
}

static VKAPI_ATTR void VKAPI_CALL destroy_swapchain(VkDevice device, VkSwapchainKHR handle,
                                                    const VkAllocationCallbacks *alloc)
{
    const struct lull_frames_device *d = device_of(device);
    if (handle != VK_NULL_HANDLE) {
        drop_swapchains(d, handle);
    }
    d->next.destroy_swapchain(device, handle, alloc);
}

static void add_queue(VkDevice device, uint32_t family, VkQueue handle)
{
    struct queue *q = handle != VK_NULL_HANDLE ? calloc(1, sizeof *q) : NULL;
    if (q != NULL) {
        *q = (struct queue){.handle = handle, .device = device, .family = family};
        pthread_mutex_lock(&all.lock);
        q->other = all.queues;
        all.queues = q;
        pthread_mutex_unlock(&all.lock);
    }
}

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index,
                                            VkQueue *ret)
{
    device_of(device)->next.get_queue(device, family, index, ret);
    add_queue(device, family, *ret);
}

static VKAPI_ATTR void VKAPI_CALL get_queue2(VkDevice device, const VkDeviceQueueInfo2 *info,
                                             VkQueue *ret)
{
    device_of(device)->next.get_queue2(device, info, ret);
    add_queue(device, info->queueFamilyIndex, *ret);
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle,
                                                 const VkAllocationCallbacks *alloc)
{
    struct lull_frames_device *d = handle != VK_NULL_HANDLE ? device_of(handle) : NULL;
    if (d == NULL) {
        return;
    }
    drop_swapchains(d, VK_NULL_HANDLE);
    pthread_mutex_lock(&all.lock);
    for (struct queue **at = &all.queues; *at != NULL;) {
        struct queue *q = *at;
        if (q->device == handle) {
            *at = q->other;
            free(q);
        } else {
            at = &q->other;
        }
    }
    struct lull_frames_device **at = &all.devices;
    while (*at != d) {
        at = &(*at)->other;
    }
    *at = d->other;
    pthread_mutex_unlock(&all.lock);
    d->next.destroy_device(handle, alloc);
    free(d);
}

static void find_next(struct lull_frames_device *d)
{
    static const char *const names[] = {
        // as struct lull_frames_next has them
        "vkDestroyDevice",
        "vkGetDeviceQueue",
        "vkGetDeviceQueue2",
        "vkCreateSwapchainKHR",
        "vkDestroySwapchainKHR",
        "vkGetSwapchainImagesKHR",
        "vkQueuePresentKHR",
        "vkQueueSubmit",
        "vkCreateBuffer",
        "vkDestroyBuffer",
        "vkGetBufferMemoryRequirements",
        "vkAllocateMemory",
        "vkFreeMemory",
        "vkBindBufferMemory",
        "vkMapMemory",
        "vkCreateCommandPool",
        "vkDestroyCommandPool",
        "vkAllocateCommandBuffers",
        "vkBeginCommandBuffer",
        "vkEndCommandBuffer",
        "vkCmdPipelineBarrier",
        "vkCmdCopyImageToBuffer",
        "vkCmdFillBuffer",
        "vkCreateFence",
        "vkDestroyFence",
        "vkWaitForFences",
    };
    static_assert(sizeof names / sizeof names[0] ==
                      sizeof(struct lull_frames_next) / sizeof(PFN_vkVoidFunction),
                  "a name for each function");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const PFN_vkVoidFunction fn = d->next_proc(d->handle, names[i]);
        memcpy((PFN_vkVoidFunction *)&d->next + i, &fn, sizeof fn);
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkDevice *ret)
{
    const struct lull_loader_instance *i = lull_loader_instance(physical);
    struct lull_frames_device *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    const VkResult r = lull_loader_create_device(physical, info, alloc, ret, &d->next_proc);
    if (r != VK_SUCCESS) {
        free(d);
        return r;
    }
    d->key = lull_loader_key(*ret);
    d->handle = *ret;
    d->physical = physical;
    d->capabilities = (PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR)i->next_proc(
        i->handle, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
    ((PFN_vkGetPhysicalDeviceMemoryProperties)i->next_proc(
        i->handle, "vkGetPhysicalDeviceMemoryProperties"))(physical, &d->memory);
    find_next(d);
    pthread_mutex_lock(&all.lock);
    d->other = all.devices;
    all.devices = d;
    pthread_mutex_unlock(&all.lock);
    return r;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice handle, const char *name);

static PFN_vkVoidFunction device_hook(const char *name)
{
    static const struct lull_loader_hook hooks[] = {
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
        {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
        {"vkGetDeviceQueue", (PFN_vkVoidFunction)get_queue},
        {"vkGetDeviceQueue2", (PFN_vkVoidFunction)get_queue2},
        {"vkCreateSwapchainKHR", (PFN_vkVoidFunction)create_swapchain},
        {"vkDestroySwapchainKHR", (PFN_vkVoidFunction)destroy_swapchain},
        {"vkQueuePresentKHR", (PFN_vkVoidFunction)present},
    };
    return lull_loader_find(hooks, sizeof hooks / sizeof hooks[0], name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice handle, const char *name)
{
    const struct lull_frames_device *d = device_of(handle);
    const PFN_vkVoidFunction hook = device_hook(name);
    const PFN_vkVoidFunction next = d != NULL ? d->next_proc(handle, name) : NULL;
    return hook != NULL && (next != NULL || d == NULL) ? hook : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance handle, const char *name)
{
    static const struct lull_loader_hook own[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_proc},
        {"vkCreateInstance", (PFN_vkVoidFunction)lull_loader_create_instance},
        {"vkDestroyInstance", (PFN_vkVoidFunction)lull_loader_destroy_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
        {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
    };
    const PFN_vkVoidFunction mine = lull_loader_find(own, sizeof own / sizeof own[0], name);
    return mine != NULL ? mine : lull_loader_proc(handle, name, device_hook(name));
}

VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *v)
{
    return lull_loader_negotiate(v, instance_proc, device_proc);
}
