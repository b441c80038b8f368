// SPDX-License-Identifier: MIT
/*
 * Images copied, cleared and scaled by Vulkan commands, on the device whose name has argv[1] in it,
 * on a graphics or compute queue (argv[2]). Expected texels are computed here. Prints "ok" or what
 * is wrong.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { MAX_LEVELS = 8, MAX_TEXEL = 16, ROOM = 1 << 22 };

struct vk {
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkPhysicalDeviceMemoryProperties memory;
    bool graphics;
};

struct buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint8_t *data;
};

struct image {
    VkImage image;
    VkDeviceMemory memory;
    uint32_t w, h, d, layers, levels, texel;
};

static void want(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        printf("%s: VkResult %d\n", what, r);
        exit(1);
    }
}

static void open_device(struct vk *v, const char *name, VkQueueFlags flags)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo ici = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                      .pApplicationInfo = &app};
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice all[16];
    VkQueueFamilyProperties families[16];
    uint32_t n = 16;
    uint32_t nfamilies = 16;
    uint32_t family = UINT32_MAX;
    want(vkCreateInstance(&ici, NULL, &instance), "vkCreateInstance");
    want(vkEnumeratePhysicalDevices(instance, &n, all), "vkEnumeratePhysicalDevices");
    for (uint32_t i = 0; i < n; i++) {
        VkPhysicalDeviceProperties p;
        vkGetPhysicalDeviceProperties(all[i], &p);
        v->physical = strstr(p.deviceName, name) != NULL ? all[i] : v->physical;
    }
    vkGetPhysicalDeviceQueueFamilyProperties(v->physical, &nfamilies, families);
    for (uint32_t i = nfamilies; i-- > 0;) {
        const VkQueueFlags both =
            families[i].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
        family = (flags & VK_QUEUE_GRAPHICS_BIT) == (both & VK_QUEUE_GRAPHICS_BIT) && both != 0
                     ? i
                     : family;
    }
    const float one = 1;
    const VkDeviceQueueCreateInfo qci = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                         .queueFamilyIndex = family,
                                         .queueCount = 1,
                                         .pQueuePriorities = &one};
    const VkPhysicalDeviceFeatures features = {.textureCompressionBC = VK_TRUE};
    const VkDeviceCreateInfo dci = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &qci,
                                    .pEnabledFeatures = &features};
    want(vkCreateDevice(v->physical, &dci, NULL, &v->device), "vkCreateDevice");
    vkGetDeviceQueue(v->device, family, 0, &v->queue);
    vkGetPhysicalDeviceMemoryProperties(v->physical, &v->memory);
    const VkCommandPoolCreateInfo pci = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = family};
    want(vkCreateCommandPool(v->device, &pci, NULL, &v->pool), "vkCreateCommandPool");
    v->graphics = (flags & VK_QUEUE_GRAPHICS_BIT) != 0;
}

static VkDeviceMemory allocate(struct vk *v, const VkMemoryRequirements *r,
                               VkMemoryPropertyFlags flags)
{
    uint32_t type = 0;
    VkDeviceMemory m = VK_NULL_HANDLE;
    for (uint32_t i = v->memory.memoryTypeCount; i-- > 0;) {
        const bool ok = (r->memoryTypeBits >> i & 1) != 0 &&
                        (v->memory.memoryTypes[i].propertyFlags & flags) == flags;
        type = ok ? i : type;
    }
    const VkMemoryAllocateInfo mai = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .allocationSize = r->size,
                                      .memoryTypeIndex = type};
    want(vkAllocateMemory(v->device, &mai, NULL, &m), "vkAllocateMemory");
    return m;
}

static struct buffer make_buffer(struct vk *v)
{
    struct buffer b = {0};
    VkMemoryRequirements r;
    void *data = NULL;
    const VkBufferCreateInfo bci = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = ROOM,
                                    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                             VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    want(vkCreateBuffer(v->device, &bci, NULL, &b.buffer), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(v->device, b.buffer, &r);
    b.memory =
        allocate(v, &r, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    want(vkBindBufferMemory(v->device, b.buffer, b.memory, 0), "vkBindBufferMemory");
    want(vkMapMemory(v->device, b.memory, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
    b.data = data;
    return b;
}

static void make_image(struct vk *v, VkImageType type, VkFormat format, struct image *m)
{
    VkMemoryRequirements r;
    const VkImageCreateInfo ici = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                   .imageType = type,
                                   .format = format,
                                   .extent = {m->w, m->h, m->d},
                                   .mipLevels = m->levels,
                                   .arrayLayers = m->layers,
                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                   .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                            VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    want(vkCreateImage(v->device, &ici, NULL, &m->image), "vkCreateImage");
    vkGetImageMemoryRequirements(v->device, m->image, &r);
    m->memory = allocate(v, &r, 0);
    want(vkBindImageMemory(v->device, m->image, m->memory, 0), "vkBindImageMemory");
}

static void drop_image(struct vk *v, struct image *m)
{
    vkDestroyImage(v->device, m->image, NULL);
    vkFreeMemory(v->device, m->memory, NULL);
}

static VkCommandBuffer begin(struct vk *v)
{
    VkCommandBuffer c = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo cai = {.sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = v->pool,
                                             .commandBufferCount = 1};
    const VkCommandBufferBeginInfo cbi = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    want(vkAllocateCommandBuffers(v->device, &cai, &c), "vkAllocateCommandBuffers");
    want(vkBeginCommandBuffer(c, &cbi), "vkBeginCommandBuffer");
    return c;
}

static void run(struct vk *v, VkCommandBuffer c)
{
    const VkSubmitInfo si = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    want(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    want(vkQueueSubmit(v->queue, 1, &si, VK_NULL_HANDLE), "vkQueueSubmit");
    want(vkQueueWaitIdle(v->queue), "vkQueueWaitIdle");
    vkFreeCommandBuffers(v->device, v->pool, 1, &c);
}

/** Everything before is done, for everything after. */
static void wait_for(VkCommandBuffer c, const struct image *m, VkImageLayout from)
{
    const VkImageMemoryBarrier b = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = m->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, m->levels, 0, m->layers}};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         0, 0, NULL, 0, NULL, 1, &b);
}

static uint32_t small(uint32_t v, uint32_t level)
{
    return v >> level > 0 ? v >> level : 1;
}

/** Where each level lies in a buffer. @return Bytes. */
static size_t regions(const struct image *m, uint32_t block, VkBufferImageCopy *r)
{
    size_t at = 0;
    for (uint32_t i = 0; i < m->levels; i++) {
        const uint32_t w = small(m->w, i);
        const uint32_t h = small(m->h, i);
        const uint32_t d = small(m->d, i);
        r[i] = (VkBufferImageCopy){.bufferOffset = at,
                                   .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, m->layers},
                                   .imageExtent = {w, h, d}};
        at += (size_t)((w + block - 1) / block) * ((h + block - 1) / block) * d * m->layers *
              m->texel;
        at = (at + MAX_TEXEL - 1) / MAX_TEXEL * MAX_TEXEL;
    }
    return at;
}

static void read_back(struct vk *v, const struct image *m, const struct buffer *to)
{
    VkBufferImageCopy r[MAX_LEVELS];
    regions(m, 1, r);
    VkCommandBuffer c = begin(v);
    wait_for(c, m, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImageToBuffer(c, m->image, VK_IMAGE_LAYOUT_GENERAL, to->buffer, m->levels, r);
    run(v, c);
}

static const struct {
    const char *name;
    VkImageType type;
    VkFormat format;
    uint32_t texel, block, w, h, d, layers, levels;
} copies[] = {
    {"8 bits", VK_IMAGE_TYPE_2D, VK_FORMAT_R8_UNORM, 1, 1, 67, 45, 1, 1, 1},
    {"RGBA8, levels, layers", VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 4, 1, 70, 33, 1, 3, 7},
    {"16 bits, 3D", VK_IMAGE_TYPE_3D, VK_FORMAT_R16_UINT, 2, 1, 33, 9, 17, 1, 5},
    {"64 bits, 1D", VK_IMAGE_TYPE_1D, VK_FORMAT_R16G16B16A16_SINT, 8, 1, 300, 1, 1, 1, 3},
    {"128 bits", VK_IMAGE_TYPE_2D, VK_FORMAT_R32G32B32A32_UINT, 16, 1, 40, 50, 1, 2, 6},
    {"BC1", VK_IMAGE_TYPE_2D, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8, 4, 130, 70, 1, 1, 8},
    {"BC3, 3D", VK_IMAGE_TYPE_3D, VK_FORMAT_BC3_UNORM_BLOCK, 16, 4, 20, 30, 7, 1, 1},
};

/** Bytes into an image and back. */
static bool copy(struct vk *v, const struct buffer *from, const struct buffer *to)
{
    for (size_t k = 0; k < sizeof(copies) / sizeof(copies[0]); k++) {
        struct image m = {.w = copies[k].w,
                          .h = copies[k].h,
                          .d = copies[k].d,
                          .layers = copies[k].layers,
                          .levels = copies[k].levels,
                          .texel = copies[k].texel};
        VkBufferImageCopy r[MAX_LEVELS];
        make_image(v, copies[k].type, copies[k].format, &m);
        const size_t size = regions(&m, copies[k].block, r);
        for (size_t i = 0; i < size; i++) {
            from->data[i] = (uint8_t)(i * 131 + (i >> 8) * 17 + k);
        }
        memset(to->data, 0, size);
        VkCommandBuffer c = begin(v);
        wait_for(c, &m, VK_IMAGE_LAYOUT_UNDEFINED);
        vkCmdCopyBufferToImage(c, from->buffer, m.image, VK_IMAGE_LAYOUT_GENERAL, m.levels, r);
        wait_for(c, &m, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdCopyImageToBuffer(c, m.image, VK_IMAGE_LAYOUT_GENERAL, to->buffer, m.levels, r);
        run(v, c);
        for (uint32_t i = 0; i < m.levels; i++) {
            const size_t end = i + 1 < m.levels ? r[i + 1].bufferOffset : size;
            for (size_t at = r[i].bufferOffset; at + MAX_TEXEL <= end; at++) {
                if (from->data[at] != to->data[at]) {
                    printf("copy %s, level %u: byte %zu is %02x, want %02x\n", copies[k].name, i,
                           at, to->data[at], from->data[at]);
                    return false;
                }
            }
        }
        drop_image(v, &m);
    }
    return true;
}

static const struct {
    VkFormat format;
    uint32_t texel;
    VkClearColorValue color;
    uint8_t want[MAX_TEXEL];
} clears[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, 4, {.float32 = {0, 1, 0.2f, 0.4f}}, {0, 255, 51, 102}},
    {VK_FORMAT_B8G8R8A8_UNORM, 4, {.float32 = {0, 1, 0.2f, 0.4f}}, {51, 255, 0, 102}},
    {VK_FORMAT_R8G8_UINT, 2, {.uint32 = {7, 200, 9, 9}}, {7, 200}},
    {VK_FORMAT_R16_SINT, 2, {.int32 = {-2, 9, 9, 9}}, {0xfe, 0xff}},
    {VK_FORMAT_R16G16B16A16_SFLOAT,
     8,
     {.float32 = {1, -2, 0.5f, 0}},
     {0, 0x3c, 0, 0xc0, 0, 0x38, 0, 0}},
    {VK_FORMAT_R32_UINT, 4, {.uint32 = {0x12345678, 9, 9, 9}}, {0x78, 0x56, 0x34, 0x12}},
    {VK_FORMAT_R32G32_SFLOAT,
     8,
     {.float32 = {1, 0.75f, 9, 9}},
     {0, 0, 0x80, 0x3f, 0, 0, 0x40, 0x3f}},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, {.float32 = {1, 0, 0, 1}}, {0xff, 3, 0, 0xc0}},
};

/** All of an image to 0, then one level of one layer to a colour. */
static bool clear(struct vk *v, const struct buffer *to)
{
    for (size_t k = 0; k < sizeof(clears) / sizeof(clears[0]); k++) {
        struct image m = {
            .w = 37, .h = 29, .d = 1, .layers = 3, .levels = 2, .texel = clears[k].texel};
        const VkClearColorValue zero = {{0}};
        const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 0, 3};
        const VkImageSubresourceRange some = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 1, 1};
        const size_t level = (size_t)37 * 29 * m.texel;
        const size_t layer = (size_t)18 * 14 * m.texel;
        const size_t first = (3 * level + MAX_TEXEL - 1) / MAX_TEXEL * MAX_TEXEL;
        make_image(v, VK_IMAGE_TYPE_2D, clears[k].format, &m);
        VkCommandBuffer c = begin(v);
        wait_for(c, &m, VK_IMAGE_LAYOUT_UNDEFINED);
        vkCmdClearColorImage(c, m.image, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &all);
        wait_for(c, &m, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdClearColorImage(c, m.image, VK_IMAGE_LAYOUT_GENERAL, &clears[k].color, 1, &some);
        run(v, c);
        memset(to->data, 0xee, first + 3 * layer);
        read_back(v, &m, to);
        for (size_t i = 0; i < first + 3 * layer; i++) {
            const bool gap = i >= 3 * level && i < first;
            const bool in = i >= first + layer && i < first + 2 * layer;
            const uint8_t want_byte = gap ? 0xee : in ? clears[k].want[(i - first) % m.texel] : 0;
            if (to->data[i] != want_byte) {
                printf("clear of format %d: byte %zu is %02x, want %02x\n", clears[k].format, i,
                       to->data[i], want_byte);
                return false;
            }
        }
        drop_image(v, &m);
    }
    return true;
}

/** 32x16 twice as big and upside down, and a part of it copied between images. */
static bool scale(struct vk *v, const struct buffer *from, const struct buffer *to)
{
    struct image a = {.w = 32, .h = 16, .d = 1, .layers = 1, .levels = 1, .texel = 4};
    struct image b = {.w = 64, .h = 32, .d = 1, .layers = 2, .levels = 1, .texel = 4};
    const VkImageSubresourceLayers l0 = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageSubresourceLayers l1 = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1};
    const VkImageBlit blit = {l0, {{0, 0, 0}, {32, 16, 1}}, l0, {{0, 32, 0}, {64, 0, 1}}};
    const VkImageCopy part = {l0, {3, 2, 0}, l1, {40, 20, 0}, {20, 10, 1}};
    VkBufferImageCopy r[MAX_LEVELS];
    make_image(v, VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, &a);
    make_image(v, VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, &b);
    const size_t size = regions(&a, 1, r);
    for (size_t i = 0; i < size; i++) {
        from->data[i] = (uint8_t)(i * 7 + i / 128);
    }
    VkCommandBuffer c = begin(v);
    wait_for(c, &a, VK_IMAGE_LAYOUT_UNDEFINED);
    wait_for(c, &b, VK_IMAGE_LAYOUT_UNDEFINED);
    vkCmdCopyBufferToImage(c, from->buffer, a.image, VK_IMAGE_LAYOUT_GENERAL, 1, r);
    wait_for(c, &a, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBlitImage(c, a.image, VK_IMAGE_LAYOUT_GENERAL, b.image, VK_IMAGE_LAYOUT_GENERAL, 1, &blit,
                   VK_FILTER_NEAREST);
    vkCmdCopyImage(c, a.image, VK_IMAGE_LAYOUT_GENERAL, b.image, VK_IMAGE_LAYOUT_GENERAL, 1, &part);
    run(v, c);
    read_back(v, &b, to);
    for (uint32_t i = 0; i < 64 * 32; i++) {
        const uint32_t x = i % 64;
        const uint32_t y = i / 64;
        if (memcmp(to->data + 4 * i, from->data + 4 * ((31 - y) / 2 * 32 + x / 2), 4) != 0) {
            printf("blit: pixel %u, %u\n", x, y);
            return false;
        }
        const uint32_t second = 64 * 32 + i;
        if (x >= 40 && x < 60 && y >= 20 && y < 30 &&
            memcmp(to->data + 4 * second, from->data + 4 * ((y - 18) * 32 + x - 37), 4) != 0) {
            printf("copy between images: pixel %u, %u\n", x, y);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct vk v = {0};
    const bool graphics = argc > 2 && strcmp(argv[2], "graphics") == 0;
    open_device(&v, argc > 1 ? argv[1] : "",
                graphics ? VK_QUEUE_GRAPHICS_BIT : VK_QUEUE_COMPUTE_BIT);
    const struct buffer from = make_buffer(&v);
    const struct buffer to = make_buffer(&v);
    if (!copy(&v, &from, &to) || !clear(&v, &to) || (v.graphics && !scale(&v, &from, &to))) {
        return 1;
    }
    printf("ok\n");
    return 0;
}
