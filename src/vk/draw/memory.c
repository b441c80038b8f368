// SPDX-License-Identifier: MIT
// Buffers and images.
#include "vk/draw/internal.h"

/** Memory of one of the types in @p types with @p flags. */
LULL_MUST_USE static struct lull_error *allocate(struct lull_vk *vk,
                                                 const VkMemoryRequirements *need,
                                                 VkMemoryPropertyFlags flags, VkDeviceMemory *ret)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = need->size};
    while (info.memoryTypeIndex < vk->memory.memoryTypeCount &&
           ((need->memoryTypeBits >> info.memoryTypeIndex & 1) == 0 ||
            (vk->memory.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)) {
        info.memoryTypeIndex++;
    }
    return vk_check(vk, vk->api.AllocateMemory(vk->device, &info, NULL, ret), "vkAllocateMemory");
}

struct lull_error *draw_buffer_new(struct lull_vk *vk, size_t size, struct draw_buffer *ret)
{
    VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
        VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
        VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
        VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    if ((vk->extras >> VK_EXTRA_FEEDBACK & 1) != 0) {
        usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                 VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT;
    }
    if ((vk->extras >> VK_EXTRA_CONDITION & 1) != 0) {
        usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
    }
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VkMemoryRequirements need = {0};
    void *map = NULL;
    struct lull_error *err =
        vk_check(vk, vk->api.CreateBuffer(vk->device, &info, NULL, &ret->buffer), "vkCreateBuffer");
    if (err != NULL) {
        return err;
    }
    vk->api.GetBufferMemoryRequirements(vk->device, ret->buffer, &need);
    err = allocate(vk, &need,
                   VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                   &ret->memory);
    if (err == NULL) {
        err =
            vk_check(vk, vk->api.BindBufferMemory(vk->device, ret->buffer, ret->memory, 0), "bind");
    }
    if (err == NULL) {
        err = vk_check(vk, vk->api.MapMemory(vk->device, ret->memory, 0, VK_WHOLE_SIZE, 0, &map),
                       "map");
    }
    ret->map = map;
    ret->size = size;
    return err;
}

void draw_buffer_done(struct lull_vk *vk, struct draw_buffer *b)
{
    vk->api.DestroyBuffer(vk->device, b->buffer, NULL);
    vk->api.FreeMemory(vk->device, b->memory, NULL);
}

VkImageAspectFlags draw_aspects(VkFormat f)
{
    return f == VK_FORMAT_S8_UINT ? VK_IMAGE_ASPECT_STENCIL_BIT
           : f == VK_FORMAT_D32_SFLOAT_S8_UINT
               ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT
           : f == VK_FORMAT_D16_UNORM || f == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                   : VK_IMAGE_ASPECT_COLOR_BIT;
}

struct lull_error *draw_image_new(struct lull_vk *vk, const struct draw_image_info *i,
                                  struct draw_image *ret)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = i->format,
                                    .extent = {i->width, i->height, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = i->layers,
                                    .samples = (VkSampleCountFlagBits)i->samples,
                                    .usage = i->usage};
    VkMemoryRequirements need = {0};
    ret->format = i->format;
    struct lull_error *err =
        vk_check(vk, vk->api.CreateImage(vk->device, &info, NULL, &ret->image), "vkCreateImage");
    if (err != NULL) {
        return err;
    }
    vk->api.GetImageMemoryRequirements(vk->device, ret->image, &need);
    err = allocate(vk, &need, 0, &ret->memory);
    if (err == NULL) {
        err = vk_check(vk, vk->api.BindImageMemory(vk->device, ret->image, ret->memory, 0), "bind");
    }
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = ret->image,
        .viewType = i->layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
        .format = i->format,
        .subresourceRange = {draw_aspects(i->format), 0, 1, 0, i->layers}};
    return err != NULL
               ? err
               : vk_check(vk, vk->api.CreateImageView(vk->device, &view, NULL, &ret->view), "view");
}

void draw_image_done(struct lull_vk *vk, struct draw_image *i)
{
    vk->api.DestroyImageView(vk->device, i->view, NULL);
    vk->api.DestroyImage(vk->device, i->image, NULL);
    vk->api.FreeMemory(vk->device, i->memory, NULL);
}
