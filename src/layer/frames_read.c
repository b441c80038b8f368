// SPDX-License-Identifier: MIT
// A swapchain's image into memory, and its texels as colours.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layer/frames.h"

enum { DONE = 0x0d0ed0ed, WORD = 4, FULL = 255 };

/** Fields of a texel: where red, green, blue begin and how wide they are, in bits. */
static const struct format {
    VkFormat format;
    unsigned bytes, at[3], width[3]; ///< width 16: half floats.
} formats[] = {
    {VK_FORMAT_B8G8R8A8_UNORM, 4, {16, 8, 0}, {8, 8, 8}},
    {VK_FORMAT_B8G8R8A8_SRGB, 4, {16, 8, 0}, {8, 8, 8}},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, {0, 8, 16}, {8, 8, 8}},
    {VK_FORMAT_R8G8B8A8_SRGB, 4, {0, 8, 16}, {8, 8, 8}},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, 4, {0, 8, 16}, {8, 8, 8}},
    {VK_FORMAT_A8B8G8R8_SRGB_PACK32, 4, {0, 8, 16}, {8, 8, 8}},
    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, 4, {20, 10, 0}, {10, 10, 10}},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, {0, 10, 20}, {10, 10, 10}},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, 2, {11, 5, 0}, {5, 6, 5}},
    {VK_FORMAT_B5G6R5_UNORM_PACK16, 2, {0, 5, 11}, {5, 6, 5}},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2, {10, 5, 0}, {5, 5, 5}},
    {VK_FORMAT_R5G5B5A1_UNORM_PACK16, 2, {11, 6, 1}, {5, 5, 5}},
    {VK_FORMAT_B5G5R5A1_UNORM_PACK16, 2, {1, 6, 11}, {5, 5, 5}},
    {VK_FORMAT_R4G4B4A4_UNORM_PACK16, 2, {12, 8, 4}, {4, 4, 4}},
    {VK_FORMAT_B4G4R4A4_UNORM_PACK16, 2, {4, 8, 12}, {4, 4, 4}},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 8, {0, 16, 32}, {16, 16, 16}},
};

static const struct format *find(VkFormat format)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].format == format) {
            return &formats[i];
        }
    }
    return NULL;
}

size_t lull_frames_texel(VkFormat format)
{
    const struct format *f = find(format);
    return f != NULL ? f->bytes : 0;
}

/** A linear half float as 8 bits of sRGB. */
static uint8_t from_half(unsigned h)
{
    enum { MANTISSA = 10, BIAS = 15, INFINITE = 31 };
    const unsigned e = h >> MANTISSA & INFINITE, m = h & ((1U << MANTISSA) - 1);
    const double v = e == INFINITE ? 1
                     : e == 0      ? ldexp(m, 1 - BIAS - MANTISSA)
                                   : ldexp(m + (1U << MANTISSA), (int)e - BIAS - MANTISSA);
    const double linear = h >> (BIAS) != 0 ? 0 : fmin(v, 1);
    const double s = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)lround(s * FULL);
}

void lull_frames_convert(VkFormat format, const uint8_t *texels, size_t n, uint8_t *rgba)
{
    const struct format *f = find(format);
    for (size_t i = 0; f != NULL && i < n; i++) {
        uint64_t word = 0;
        memcpy(&word, texels + i * f->bytes, f->bytes); // little-endian, as the GPU
        for (unsigned c = 0; c < 3; c++) {
            const unsigned most = (1U << f->width[c]) - 1;
            const unsigned v = (unsigned)(word >> f->at[c]) & most;
            rgba[i * 4 + c] =
                f->width[c] == 16 ? from_half(v) : (uint8_t)((v * FULL + most / 2) / most);
        }
        rgba[i * 4 + 3] = FULL;
    }
}

LULL_MUST_USE static struct lull_error *check(VkResult r, const char *what)
{
    return r == VK_SUCCESS ? NULL
                           : lull_error_new(LULL_ERR_UNSUPPORTED, "%s: VkResult %d", what, (int)r);
}

LULL_MUST_USE static struct lull_error *make_buffer(const struct lull_frames_device *d,
                                                    struct lull_frames_copy *c)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = c->bytes + WORD,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryRequirements need = {0};
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    void *map = NULL;
    struct lull_error *err =
        check(d->next.create_buffer(d->handle, &info, NULL, &c->buffer), "vkCreateBuffer");
    if (err != NULL) {
        return err;
    }
    d->next.requirements(d->handle, c->buffer, &need);
    memory.allocationSize = need.size;
    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++) { // the last: cached, where there is
        if ((need.memoryTypeBits >> i & 1) != 0 &&
            (d->memory.memoryTypes[i].propertyFlags & flags) == flags) {
            memory.memoryTypeIndex = i;
        }
    }
    err = check(d->next.allocate(d->handle, &memory, NULL, &c->memory), "vkAllocateMemory");
    if (err == NULL) {
        err = check(d->next.bind(d->handle, c->buffer, c->memory, 0), "vkBindBufferMemory");
    }
    if (err == NULL) {
        err = check(d->next.map(d->handle, c->memory, 0, VK_WHOLE_SIZE, 0, &map), "vkMapMemory");
    }
    c->map = map;
    if (err == NULL) {
        memset(c->map, 0, c->bytes + WORD);
    }
    return err;
}

static void barrier(const struct lull_frames_device *d, VkCommandBuffer cmd, VkImage image,
                    bool back)
{
    const VkImageLayout shown = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
                        source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT,
                                    .oldLayout = back ? source : shown,
                                    .newLayout = back ? shown : source,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
    d->next.barrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0,
                    NULL, 1, &b);
}

LULL_MUST_USE static struct lull_error *record(const struct lull_frames_swapchain *s,
                                               uint32_t index, uint32_t family,
                                               struct lull_frames_copy *c, VkCommandBuffer *ret)
{
    const struct lull_frames_device *d = s->device;
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {s->extent.width, s->extent.height, 1}};
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandBufferCount = 1};
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    struct lull_error *err =
        check(d->next.create_pool(d->handle, &pool, NULL, &c->pool), "vkCreateCommandPool");
    if (err == NULL) {
        err = check(d->next.create_fence(d->handle, &fence, NULL, &c->fence), "vkCreateFence");
    }
    info.commandPool = c->pool;
    if (err == NULL) {
        err = check(d->next.commands(d->handle, &info, &cmd), "vkAllocateCommandBuffers");
    }
    if (err != NULL) {
        return err;
    }
    memcpy((void *)cmd, (const void *)d->handle, sizeof(void *)); // the loader's table, for layers
    err = check(d->next.begin(cmd, &begin), "vkBeginCommandBuffer");
    if (err != NULL) {
        return err;
    }
    barrier(d, cmd, s->images[index], false);
    d->next.copy(cmd, s->images[index], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, c->buffer, 1, &copy);
    barrier(d, cmd, s->images[index], true);
    d->next.fill(cmd, c->buffer, c->bytes, WORD, DONE);
    *ret = cmd;
    return check(d->next.end(cmd), "vkEndCommandBuffer");
}

LULL_MUST_USE static struct lull_error *run(const struct lull_frames_device *d, VkQueue queue,
                                            const VkPresentInfoKHR *info, VkCommandBuffer cmd,
                                            bool *ret_waited, const struct lull_frames_copy *c)
{
    const uint32_t n = info->waitSemaphoreCount;
    VkPipelineStageFlags *stages = calloc(n + 1, sizeof *stages);
    if (stages == NULL) {
        return &lull_enomem;
    }
    for (uint32_t i = 0; i < n; i++) {
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .waitSemaphoreCount = n,
                                 .pWaitSemaphores = info->pWaitSemaphores,
                                 .pWaitDstStageMask = stages,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &cmd};
    struct lull_error *err = check(d->next.submit(queue, 1, &submit, c->fence), "vkQueueSubmit");
    free(stages);
    if (err != NULL) {
        return err;
    }
    *ret_waited = true;
    err = check(d->next.wait(d->handle, 1, &c->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    uint32_t word = 0;
    memcpy(&word, c->map + c->bytes, sizeof word);
    if (err == NULL && word != DONE) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "the GPU gave up the work in front of it");
    }
    return err;
}

struct lull_error *lull_frames_read(const struct lull_frames_swapchain *s, uint32_t index,
                                    VkQueue queue, uint32_t family, const VkPresentInfoKHR *info,
                                    bool *ret_waited, struct lull_frames_copy *ret)
{
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    const size_t texels = (size_t)s->extent.width * s->extent.height;
    *ret_waited = false;
    ret->bytes = (texels * lull_frames_texel(s->format) + WORD - 1) / WORD * WORD;
    struct lull_error *err = make_buffer(s->device, ret);
    if (err == NULL) {
        err = record(s, index, family, ret, &cmd);
    }
    return err != NULL ? err : run(s->device, queue, info, cmd, ret_waited, ret);
}

void lull_frames_copy_done(const struct lull_frames_device *d, struct lull_frames_copy *c)
{
    d->next.destroy_buffer(d->handle, c->buffer, NULL);
    d->next.free_memory(d->handle, c->memory, NULL);
    d->next.destroy_pool(d->handle, c->pool, NULL);
    d->next.destroy_fence(d->handle, c->fence, NULL);
    *c = (struct lull_frames_copy){0};
}
