// SPDX-License-Identifier: MIT
// A queue that can only copy (on RADV: SDMA): buffers filled, updated and copied, images of many
// formats, levels, layers and depths written, copied in part and read back. argv[1]: part of the
// device's name. TAP; the expected values are computed here. Skipped where there is no such queue.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "test.h"

enum { SPACE = 1 << 22, OUT = SPACE / 2 };

struct host {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceMemoryProperties types;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkBuffer buffer; ///< SPACE bytes.
    uint8_t *map;
};

static void must(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        printf("Bail out! %s: VkResult %d\n", what, (int)r);
        exit(1);
    }
}

/** False: no queue family that can only copy. */
static bool find_family(struct host *h)
{
    const VkQueueFlags more = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    VkQueueFamilyProperties all[16] = {{0}};
    uint32_t n = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(h->physical, &n, all);
    while (h->family < n && ((all[h->family].queueFlags & VK_QUEUE_TRANSFER_BIT) == 0 ||
                             (all[h->family].queueFlags & more) != 0)) {
        h->family++;
    }
    return h->family < n;
}

static bool open_device(struct host *h, const char *name)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    VkPhysicalDevice all[16] = {0};
    uint32_t n = 16;
    must(vkCreateInstance(&info, NULL, &h->instance), "vkCreateInstance");
    must(vkEnumeratePhysicalDevices(h->instance, &n, all), "vkEnumeratePhysicalDevices");
    for (uint32_t i = 0; i < n && h->physical == VK_NULL_HANDLE; i++) {
        VkPhysicalDeviceProperties props = {0};
        vkGetPhysicalDeviceProperties(all[i], &props);
        if (strstr(props.deviceName, name) != NULL) {
            h->physical = all[i];
        }
    }
    must(h->physical != VK_NULL_HANDLE ? VK_SUCCESS : VK_INCOMPLETE, name);
    if (!find_family(h)) {
        return false;
    }
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = h->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    must(vkCreateDevice(h->physical, &device, NULL, &h->device), "vkCreateDevice");
    vkGetDeviceQueue(h->device, h->family, 0, &h->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = h->family};
    must(vkCreateCommandPool(h->device, &pool, NULL, &h->pool), "vkCreateCommandPool");
    vkGetPhysicalDeviceMemoryProperties(h->physical, &h->types);
    return true;
}

static VkDeviceMemory allocate(const struct host *h, VkMemoryRequirements need,
                               VkMemoryPropertyFlags want)
{
    uint32_t type = 0;
    while (type + 1 < h->types.memoryTypeCount &&
           ((need.memoryTypeBits >> type & 1) == 0 ||
            (h->types.memoryTypes[type].propertyFlags & want) != want)) {
        type++;
    }
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = need.size,
                                       .memoryTypeIndex = type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    must(vkAllocateMemory(h->device, &info, NULL, &memory), "vkAllocateMemory");
    return memory;
}

static void make_buffer(struct host *h)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = SPACE,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements need = {0};
    void *map = NULL;
    must(vkCreateBuffer(h->device, &info, NULL, &h->buffer), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(h->device, h->buffer, &need);
    const VkDeviceMemory memory = allocate(
        h, need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    must(vkBindBufferMemory(h->device, h->buffer, memory, 0), "vkBindBufferMemory");
    must(vkMapMemory(h->device, memory, 0, VK_WHOLE_SIZE, 0, &map), "vkMapMemory");
    h->map = map;
}

static VkCommandBuffer begin(const struct host *h)
{
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = h->pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    const VkCommandBufferBeginInfo how = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    must(vkAllocateCommandBuffers(h->device, &info, &cmd), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(cmd, &how), "vkBeginCommandBuffer");
    return cmd;
}

static void submit(const struct host *h, VkCommandBuffer cmd)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    must(vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    must(vkQueueSubmit(h->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(h->queue), "vkQueueWaitIdle");
    vkFreeCommandBuffers(h->device, h->pool, 1, &cmd);
}

static void barrier(VkCommandBuffer cmd)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                         &all, 0, NULL, 0, NULL);
}

static void buffers(const struct host *h)
{
    const uint32_t data[] = {1, 2, 3, 4, 5};
    const VkBufferCopy copies[] = {{0, 4096, 20}, {1001, 8195, 7777}};
    for (uint32_t i = 0; i < 65536; i++) {
        h->map[i] = (uint8_t)(i * 13 >> 3);
    }
    VkCommandBuffer cmd = begin(h);
    vkCmdUpdateBuffer(cmd, h->buffer, 0, sizeof data, data);
    vkCmdFillBuffer(cmd, h->buffer, 65536, 1 << 21, 0xabcdef01);
    barrier(cmd);
    vkCmdCopyBuffer(cmd, h->buffer, h->buffer, 2, copies);
    submit(h, cmd);
    uint32_t ends[3] = {0};
    memcpy(&ends[0], h->map + 65536, 4);
    memcpy(&ends[1], h->map + 65536 + (1 << 21) - 4, 4);
    memcpy(&ends[2], h->map + 65536 + (1 << 21), 4);
    test_case(ends[0] == 0xabcdef01 && ends[1] == 0xabcdef01 && ends[2] == 0, "fill", "%x %x %x",
              ends[0], ends[1], ends[2]);
    test_case(memcmp(h->map, data, sizeof data) == 0 && memcmp(h->map + 4096, data, 20) == 0 &&
                  h->map[4116] == (uint8_t)(4116 * 13 >> 3),
              "update and copy", "not so");
    bool same = h->map[8194] == (uint8_t)(8194 * 13 >> 3) &&
                h->map[8195 + 7777] == (uint8_t)((8195 + 7777) * 13 >> 3);
    for (uint32_t i = 0; i < 3000; i++) { // up to what the other copy changes
        same &= h->map[8195 + i] == (uint8_t)((1001 + i) * 13 >> 3);
    }
    test_case(same, "copy of odd bytes", "not so");
}

/** An image; its texels are the bytes of a counter. */
static const struct image_case {
    const char *name;
    VkFormat format;
    uint32_t bytes, block; ///< Of a texel, or of a block of so many texels across and down.
    VkImageType type;
    uint32_t w, h, d, levels, layers;
} images[] = {
    {"RGBA8", VK_FORMAT_R8G8B8A8_UNORM, 4, 1, VK_IMAGE_TYPE_2D, 300, 200, 1, 1, 1},
    {"RGBA8, levels and layers", VK_FORMAT_R8G8B8A8_UNORM, 4, 1, VK_IMAGE_TYPE_2D, 140, 75, 1, 4,
     3},
    {"R8, odd", VK_FORMAT_R8_UINT, 1, 1, VK_IMAGE_TYPE_2D, 77, 33, 1, 3, 1},
    {"R16", VK_FORMAT_R16_UINT, 2, 1, VK_IMAGE_TYPE_2D, 129, 64, 1, 2, 2},
    {"RG32", VK_FORMAT_R32G32_UINT, 8, 1, VK_IMAGE_TYPE_2D, 65, 65, 1, 7, 1},
    {"RGBA32", VK_FORMAT_R32G32B32A32_UINT, 16, 1, VK_IMAGE_TYPE_2D, 50, 60, 1, 1, 2},
    {"BC1", VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8, 4, VK_IMAGE_TYPE_2D, 128, 160, 1, 3, 1},
    {"3D", VK_FORMAT_R8G8B8A8_UNORM, 4, 1, VK_IMAGE_TYPE_3D, 40, 34, 17, 3, 1},
    {"1D", VK_FORMAT_R8G8B8A8_UNORM, 4, 1, VK_IMAGE_TYPE_1D, 333, 1, 1, 1, 1},
};

static VkImage make_image(const struct host *h, const struct image_case *c)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = c->type,
                                    .format = c->format,
                                    .extent = {c->w, c->h, c->d},
                                    .mipLevels = c->levels,
                                    .arrayLayers = c->layers,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_OPTIMAL,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                             VK_IMAGE_USAGE_SAMPLED_BIT};
    VkImage image = VK_NULL_HANDLE;
    VkMemoryRequirements need = {0};
    must(vkCreateImage(h->device, &info, NULL, &image), "vkCreateImage");
    vkGetImageMemoryRequirements(h->device, image, &need);
    must(vkBindImageMemory(h->device, image, allocate(h, need, 0), 0), "vkBindImageMemory");
    return image;
}

static void to_general(VkCommandBuffer cmd, VkImage image)
{
    const VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0,
                                                         VK_REMAINING_MIP_LEVELS, 0,
                                                         VK_REMAINING_ARRAY_LAYERS}};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                         0, NULL, 0, NULL, 1, &b);
}

static uint32_t at_least_1(uint32_t v)
{
    return v != 0 ? v : 1;
}

/** Elements of a level: texels or blocks. */
struct size {
    uint32_t w, h, d;
};

static struct size elements(const struct image_case *c, uint32_t level)
{
    return (struct size){(at_least_1(c->w >> level) + c->block - 1) / c->block,
                         (at_least_1(c->h >> level) + c->block - 1) / c->block,
                         at_least_1(c->d >> level)};
}

/** All levels, tightly packed from @p offset on. @return Bytes. */
static uint64_t regions(const struct image_case *c, uint64_t offset, VkBufferImageCopy *ret)
{
    const uint64_t start = offset;
    for (uint32_t i = 0; i < c->levels; i++) {
        const struct size s = elements(c, i);
        ret[i] =
            (VkBufferImageCopy){.bufferOffset = offset,
                                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, c->layers},
                                .imageExtent = {at_least_1(c->w >> i), at_least_1(c->h >> i), s.d}};
        offset += (uint64_t)s.w * s.h * s.d * c->layers * c->bytes;
        offset = (offset + 15) & ~UINT64_C(15);
    }
    return offset - start;
}

/** A window of level 0 of the first layer: where in elements, and its size. */
struct window {
    uint32_t x, y, to_x, to_y, w, h;
};

/** What the second image's bytes must be: those of the first, the window moved. */
static void expect(const struct image_case *c, const struct window *v, uint8_t *bytes)
{
    const struct size s = elements(c, 0);
    uint8_t *before = malloc((size_t)s.w * s.h * c->bytes);
    if (before == NULL) {
        abort();
    }
    memcpy(before, bytes, (size_t)s.w * s.h * c->bytes);
    for (uint32_t y = 0; y < v->h; y++) {
        memcpy(bytes + ((size_t)(v->to_y + y) * s.w + v->to_x) * c->bytes,
               before + ((size_t)(v->y + y) * s.w + v->x) * c->bytes, (size_t)v->w * c->bytes);
    }
    free(before);
}

static struct window window_of(const struct image_case *c, unsigned kind)
{
    const struct size s = elements(c, 0);
    if (kind == 0) { // aligned to blocks: one packet from tiled to tiled
        return (struct window){0, 0, 16, s.h > 1 ? 16 : 0, 16, s.h > 1 ? 16 : 1};
    }
    return (struct window){3, s.h / 3, 1, 0, s.w - 5, s.h - s.h / 3};
}

/** Buffer to one image and another; a window of the first to the second; the second to buffer. */
static void one_image(const struct host *h, const struct image_case *c, unsigned kind)
{
    VkBufferImageCopy in[16] = {{0}}, out[16] = {{0}};
    const struct window v = window_of(c, kind);
    const VkImage a = make_image(h, c), b = make_image(h, c);
    const uint64_t size = regions(c, 0, in);
    (void)regions(c, OUT, out);
    for (uint64_t i = 0; i < size; i++) {
        h->map[i] = (uint8_t)(i ^ i >> 7 ^ i >> 15);
    }
    memset(h->map + OUT, 0xee, size);
    const VkImageCopy copy = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .srcOffset = {(int32_t)(v.x * c->block), (int32_t)(v.y * c->block), 0},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .dstOffset = {(int32_t)(v.to_x * c->block), (int32_t)(v.to_y * c->block), 0},
        .extent = {v.w * c->block, v.h * c->block, 1}};
    VkCommandBuffer cmd = begin(h);
    to_general(cmd, a);
    to_general(cmd, b);
    vkCmdCopyBufferToImage(cmd, h->buffer, a, VK_IMAGE_LAYOUT_GENERAL, c->levels, in);
    vkCmdCopyBufferToImage(cmd, h->buffer, b, VK_IMAGE_LAYOUT_GENERAL, c->levels, in);
    barrier(cmd);
    if (elements(c, 0).w >= 32) {
        vkCmdCopyImage(cmd, a, VK_IMAGE_LAYOUT_GENERAL, b, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
        expect(c, &v, h->map);
    }
    barrier(cmd);
    vkCmdCopyImageToBuffer(cmd, b, VK_IMAGE_LAYOUT_GENERAL, h->buffer, c->levels, out);
    // What the buffer must hold in the end stands where it was read from: keep that apart.
    uint8_t *want = malloc(size);
    if (want == NULL) {
        abort();
    }
    memcpy(want, h->map, size);
    for (uint64_t i = 0; i < size; i++) {
        h->map[i] = (uint8_t)(i ^ i >> 7 ^ i >> 15);
    }
    submit(h, cmd);
    uint64_t bad = 0;
    for (uint32_t i = 0; i < c->levels; i++) {
        const struct size s = elements(c, i);
        const uint64_t n = (uint64_t)s.w * s.h * s.d * c->layers * c->bytes;
        bad += memcmp(want + in[i].bufferOffset, h->map + out[i].bufferOffset, n) != 0;
    }
    char name[64] = "";
    snprintf(name, sizeof name, "%s, %s", c->name, kind == 0 ? "aligned window" : "odd window");
    test_case(bad == 0, name, "%u levels are not so", (unsigned)bad);
    free(want);
    vkDestroyImage(h->device, a, NULL);
    vkDestroyImage(h->device, b, NULL);
}

int main(int argc, char **argv)
{
    struct host h = {0};
    if (argc < 2) {
        return 2;
    }
    if (!open_device(&h, argv[1])) {
        printf("1..0 # SKIP %s has no queue that can only copy\n", argv[1]);
        return 0;
    }
    make_buffer(&h);
    buffers(&h);
    for (size_t i = 0; i < TEST_ROWS(images); i++) {
        one_image(&h, &images[i], 0);
        one_image(&h, &images[i], 1);
    }
    vkDestroyDevice(h.device, NULL);
    vkDestroyInstance(h.instance, NULL);
    return test_end();
}
