// SPDX-License-Identifier: MIT
// present SURFACE FORMAT WxH FRAMES [WxH FRAMES]: a window (SURFACE: xcb, headless) whose images
// are cleared and presented; a second size makes a new swapchain in place of the first. Frame N is
// of the colour (N, 2 N, 3 N) of 64. FORMAT: a VkFormat's number. "also": two windows at once.
// Ends with 77 if the device has no such surface or format.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

// What vulkan_xcb.h needs of xcb, which is loaded when it is there.
typedef struct xcb_connection_t xcb_connection_t;
typedef uint32_t xcb_window_t;
typedef uint32_t xcb_visualid_t;
#include <vulkan/vulkan_xcb.h>

enum { SKIPPED = 77, MAX_IMAGES = 16, MAX_FORMATS = 64, WINDOWS = 2, COLORS = 64 };

struct window {
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    uint32_t nimages, now;
    VkImage images[MAX_IMAGES];
};

struct host {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkSemaphore ready, drawn;
    VkFence fence;
    unsigned nwindows, frame;
    struct window windows[WINDOWS];
};

static void must(VkResult r, const char *what)
{
    if (r != VK_SUCCESS && r != VK_SUBOPTIMAL_KHR) {
        fprintf(stderr, "%s: VkResult %d\n", what, (int)r);
        exit(r == VK_ERROR_EXTENSION_NOT_PRESENT ? SKIPPED : 1);
    }
}

static void open_device(struct host *h, const char *surface)
{
    const char *of_instance[] = {"VK_KHR_surface", surface}, *of_device = "VK_KHR_swapchain";
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &app,
                                           .enabledExtensionCount = 2,
                                           .ppEnabledExtensionNames = of_instance};
    VkPhysicalDevice all[MAX_IMAGES] = {0};
    VkPhysicalDeviceProperties props = {0};
    uint32_t n = MAX_IMAGES;
    must(vkCreateInstance(&instance, NULL, &h->instance), "vkCreateInstance");
    must(vkEnumeratePhysicalDevices(h->instance, &n, all), "devices");
    for (uint32_t i = 0; i < n; i++) {
        vkGetPhysicalDeviceProperties(all[i], &props);
        h->physical = strstr(props.deviceName, "RADV") != NULL ? all[i] : h->physical;
    }
    must(h->physical != VK_NULL_HANDLE ? VK_SUCCESS : VK_ERROR_UNKNOWN, "RADV");
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount = 1,
                                       .ppEnabledExtensionNames = &of_device};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    must(vkCreateDevice(h->physical, &device, NULL, &h->device), "vkCreateDevice");
    vkGetDeviceQueue(h->device, 0, 0, &h->queue);
    must(vkCreateCommandPool(h->device, &pool, NULL, &h->pool), "command pool");
    must(vkCreateSemaphore(h->device, &semaphore, NULL, &h->drawn), "semaphore");
    must(vkCreateFence(h->device, &fence, NULL, &h->fence), "fence");
}

static void *xcb(const char *name)
{
    void *library = dlopen("libxcb.so.1", RTLD_NOW);
    void *fn = library != NULL ? dlsym(library, name) : NULL;
    if (fn == NULL) {
        fprintf(stderr, "no %s\n", name);
        exit(SKIPPED);
    }
    return fn;
}

/** A window of X, without a wait for it to be shown. */
static VkSurfaceKHR xcb_surface(struct host *h, uint32_t width, uint32_t height)
{
    xcb_connection_t *(*connect)(const char *, int *) = NULL;
    const void *(*setup)(xcb_connection_t *) = NULL;
    struct {
        uint32_t *data;
        int rem, index;
    } (*roots)(const void *) = NULL;
    uint32_t (*id)(xcb_connection_t *) = NULL;
    int (*failed)(xcb_connection_t *) = NULL;
    unsigned (*create)(xcb_connection_t *, uint8_t, uint32_t, uint32_t, int16_t, int16_t, uint16_t,
                       uint16_t, uint16_t, uint16_t, uint32_t, uint32_t, const void *) = NULL;
    unsigned (*show)(xcb_connection_t *, uint32_t) = NULL;
    *(void **)&connect = xcb("xcb_connect");
    *(void **)&setup = xcb("xcb_get_setup");
    *(void **)&roots = xcb("xcb_setup_roots_iterator");
    *(void **)&id = xcb("xcb_generate_id");
    *(void **)&failed = xcb("xcb_connection_has_error");
    *(void **)&create = xcb("xcb_create_window");
    *(void **)&show = xcb("xcb_map_window");
    xcb_connection_t *c = connect(NULL, NULL);
    if (failed(c) != 0) {
        fprintf(stderr, "no X server\n");
        exit(SKIPPED);
    }
    const uint32_t window = id(c);
    create(c, 0, window, roots(setup(c)).data[0], 0, 0, (uint16_t)width, (uint16_t)height, 0, 1, 0,
           0, NULL);
    show(c, window);
    const VkXcbSurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR, .connection = c, .window = window};
    PFN_vkCreateXcbSurfaceKHR make =
        (PFN_vkCreateXcbSurfaceKHR)vkGetInstanceProcAddr(h->instance, "vkCreateXcbSurfaceKHR");
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    must(make(h->instance, &info, NULL, &surface), "vkCreateXcbSurfaceKHR");
    return surface;
}

static VkSurfaceKHR headless_surface(struct host *h)
{
    const VkHeadlessSurfaceCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    PFN_vkCreateHeadlessSurfaceEXT make = (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(
        h->instance, "vkCreateHeadlessSurfaceEXT");
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    must(make != NULL ? make(h->instance, &info, NULL, &surface) : VK_ERROR_EXTENSION_NOT_PRESENT,
         "vkCreateHeadlessSurfaceEXT");
    return surface;
}

static void make_swapchain(struct host *h, struct window *w, VkFormat format, VkExtent2D size)
{
    VkSurfaceFormatKHR formats[MAX_FORMATS] = {{0}};
    VkBool32 can = VK_FALSE;
    bool offered = false;
    uint32_t n = MAX_FORMATS;
    must(vkGetPhysicalDeviceSurfaceSupportKHR(h->physical, 0, w->surface, &can), "support");
    must(vkGetPhysicalDeviceSurfaceFormatsKHR(h->physical, w->surface, &n, formats), "formats");
    for (uint32_t i = 0; i < n; i++) {
        offered |= formats[i].format == format;
    }
    must(offered && can != 0 ? VK_SUCCESS : VK_ERROR_EXTENSION_NOT_PRESENT, "this format");
    const VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                           .surface = w->surface,
                                           .minImageCount = 4,
                                           .imageFormat = format,
                                           .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
                                           .imageExtent = size,
                                           .imageArrayLayers = 1,
                                           .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                         VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                           .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                           .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                           .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                           .oldSwapchain = w->swapchain};
    VkSwapchainKHR old = w->swapchain;
    must(vkCreateSwapchainKHR(h->device, &info, NULL, &w->swapchain), "vkCreateSwapchainKHR");
    vkDestroySwapchainKHR(h->device, old, NULL);
    w->nimages = MAX_IMAGES;
    must(vkGetSwapchainImagesKHR(h->device, w->swapchain, &w->nimages, w->images), "images");
}

static void barrier(VkCommandBuffer cmd, VkImage image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

/** Clear the window's next image; the second window's colour is 1 minus the first's. */
static void clear(struct host *h, VkCommandBuffer cmd, unsigned which)
{
    struct window *w = &h->windows[which];
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    const VkImageLayout to = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    VkClearColorValue color = {.float32 = {0, 0, 0, 1}};
    for (unsigned i = 0; i < 3; i++) {
        const float c = (float)(h->frame * (i + 1) % COLORS) / (float)COLORS;
        color.float32[i] = which == 0 ? c : 1 - c;
    }
    must(vkAcquireNextImageKHR(h->device, w->swapchain, UINT64_MAX, VK_NULL_HANDLE, h->fence,
                               &w->now),
         "acquire");
    must(vkWaitForFences(h->device, 1, &h->fence, VK_TRUE, UINT64_MAX), "wait");
    must(vkResetFences(h->device, 1, &h->fence), "reset");
    barrier(cmd, w->images[w->now], VK_IMAGE_LAYOUT_UNDEFINED, to);
    vkCmdClearColorImage(cmd, w->images[w->now], to, &color, 1, &range);
    barrier(cmd, w->images[w->now], to, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

static void show(struct host *h)
{
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = h->pool,
                                              .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    VkSwapchainKHR swapchains[WINDOWS] = {0};
    uint32_t images[WINDOWS] = {0};
    h->frame++;
    must(vkAllocateCommandBuffers(h->device, &info, &cmd), "commands");
    must(vkBeginCommandBuffer(cmd, &begin), "begin");
    for (unsigned i = 0; i < h->nwindows; i++) {
        clear(h, cmd, i);
        swapchains[i] = h->windows[i].swapchain;
        images[i] = h->windows[i].now;
    }
    must(vkEndCommandBuffer(cmd), "end");
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &cmd,
                                 .signalSemaphoreCount = 1,
                                 .pSignalSemaphores = &h->drawn};
    const VkPresentInfoKHR present = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                      .waitSemaphoreCount = 1,
                                      .pWaitSemaphores = &h->drawn,
                                      .swapchainCount = h->nwindows,
                                      .pSwapchains = swapchains,
                                      .pImageIndices = images};
    must(vkQueueSubmit(h->queue, 1, &submit, VK_NULL_HANDLE), "submit");
    must(vkQueuePresentKHR(h->queue, &present), "present");
    must(vkDeviceWaitIdle(h->device), "idle");
}

/** Swapchain and window, after vkDeviceWaitIdle; a driver's thread may still present for a
 * swapchain that is there. */
static void close_window(struct host *h, struct window *w)
{
    vkDestroySwapchainKHR(h->device, w->swapchain, NULL);
    vkDestroySurfaceKHR(h->instance, w->surface, NULL);
    w->swapchain = VK_NULL_HANDLE;
    w->surface = VK_NULL_HANDLE;
}

static void close_device(struct host *h)
{
    for (unsigned k = 0; k < h->nwindows; k++) {
        close_window(h, &h->windows[k]);
    }
    vkDestroyFence(h->device, h->fence, NULL);
    vkDestroySemaphore(h->device, h->drawn, NULL);
    vkDestroyCommandPool(h->device, h->pool, NULL);
    vkDestroyDevice(h->device, NULL);
    vkDestroyInstance(h->instance, NULL);
}

int main(int argc, char **argv)
{
    struct host h = {.nwindows = 1};
    VkExtent2D size = {0};
    if (argc > 1 && strcmp(argv[argc - 1], "also") == 0) {
        h.nwindows = 2;
        argc--;
    }
    if (argc < 5) {
        return 2;
    }
    const bool x = strcmp(argv[1], "xcb") == 0;
    open_device(&h, x ? "VK_KHR_xcb_surface" : "VK_EXT_headless_surface");
    for (int i = 3; i + 1 < argc; i += 2) {
        sscanf(argv[i], "%ux%u", &size.width, &size.height);
        for (unsigned k = 0; k < h.nwindows; k++) {
            struct window *w = &h.windows[k];
            // X refuses images of another size than the window's.
            if (w->surface == VK_NULL_HANDLE || x) {
                close_window(&h, w);
                w->surface = x ? xcb_surface(&h, size.width, size.height) : headless_surface(&h);
            }
            make_swapchain(&h, w, (VkFormat)strtol(argv[2], NULL, 10), size);
        }
        for (long n = strtol(argv[i + 1], NULL, 10); n > 0; n--) {
            show(&h);
        }
    }
    close_device(&h);
    return 0;
}
