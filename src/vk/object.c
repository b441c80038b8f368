// SPDX-License-Identifier: MIT
// One resource on the device: buffer, image, views, sampler, and its bytes in and out.
#include <string.h>

#include "vk/internal.h"

enum { MIN_BUFFER = 16, COPY_ALIGN = 16 };

struct lull_vk_sampler lull_vk_sampler_default(void)
{
    return (struct lull_vk_sampler){.compare = -1, .max_lod = VK_LOD_CLAMP_NONE};
}

static uint32_t level_extent(uint32_t extent, uint32_t level)
{
    const uint32_t e = extent >> level;
    return e != 0 ? e : 1;
}

/** Bytes of one level with all its layers. */
static uint64_t level_bytes(const struct lull_vk_image *i, const struct lull_vk_format *f,
                            uint32_t level)
{
    return (uint64_t)level_extent(i->width, level) * level_extent(i->height, level) *
           level_extent(i->depth, level) * i->layers * f->bytes;
}

uint64_t lull_vk_image_bytes(const struct lull_vk_image *image, const struct lull_vk_format *f)
{
    uint64_t bytes = 0;
    for (uint32_t level = 0; level < image->mips; level++) {
        bytes += level_bytes(image, f, level);
    }
    return image->samples > 1 ? bytes * image->samples : bytes;
}

/** Offset of a level in the staging buffer: there each level starts aligned. */
static uint64_t level_offset(const struct lull_vk_image *i, const struct lull_vk_format *f,
                             uint32_t level)
{
    uint64_t offset = 0;
    for (uint32_t l = 0; l < level; l++) {
        offset += (level_bytes(i, f, l) + COPY_ALIGN - 1) / COPY_ALIGN * COPY_ALIGN;
    }
    return offset;
}

LULL_MUST_USE static struct lull_error *memory_type(const struct lull_vk *vk, uint32_t allowed,
                                                    VkMemoryPropertyFlags want, uint32_t *ret)
{
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++) {
        if ((allowed >> i & 1) != 0 && (vk->memory.memoryTypes[i].propertyFlags & want) == want) {
            *ret = i;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED, "no memory type with properties 0x%x", want);
}

LULL_MUST_USE static struct lull_error *allocate(struct lull_vk *vk,
                                                 const VkMemoryRequirements *need,
                                                 VkMemoryPropertyFlags want, bool address,
                                                 VkDeviceMemory *ret)
{
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = address ? &flags : NULL,
        .allocationSize = need->size,
    };
    struct lull_error *err = memory_type(vk, need->memoryTypeBits, want, &info.memoryTypeIndex);
    return err != NULL ? err
                       : vk_check(vk, vk->api.AllocateMemory(vk->device, &info, NULL, ret),
                                  "vkAllocateMemory");
}

VkBufferUsageFlags vk_object_usage(const struct lull_vk *vk, const struct vk_object *o)
{
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (o->r->kind == LULL_VK_BUFFER) {
        usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    } else if (o->r->kind == LULL_VK_TEXELS) {
        usage |= o->type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
                     ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
                     : VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    }
    if (vk->features.v12.bufferDeviceAddress && o->r->kind == LULL_VK_BUFFER) {
        usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    }
    return usage;
}

LULL_MUST_USE static struct lull_error *make_buffer(struct lull_vk *vk, struct vk_object *o)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = o->size < MIN_BUFFER ? MIN_BUFFER : (o->size + 3) / 4 * 4,
        .usage = vk_object_usage(vk, o) | o->borrowers,
    };
    struct lull_error *err =
        vk_check(vk, vk->api.CreateBuffer(vk->device, &info, NULL, &o->buffer), "vkCreateBuffer");
    if (err != NULL) {
        return err;
    }
    VkMemoryRequirements need = {0};
    vk->api.GetBufferMemoryRequirements(vk->device, o->buffer, &need);
    err = allocate(vk, &need,
                   VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                   (info.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0, &o->memory);
    if (err == NULL) {
        err = vk_check(vk, vk->api.BindBufferMemory(vk->device, o->buffer, o->memory, 0),
                       "vkBindBufferMemory");
    }
    void *map = NULL;
    if (err == NULL) {
        err = vk_check(vk, vk->api.MapMemory(vk->device, o->memory, 0, VK_WHOLE_SIZE, 0, &map),
                       "vkMapMemory");
    }
    if (err == NULL) {
        o->map = map;
        memset(o->map, 0, info.size);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *make_texels(struct lull_vk *vk, struct vk_object *o)
{
    const VkFormat format = (VkFormat)o->r->format->vk;
    const bool storage = o->type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    const VkFormatFeatureFlags want = storage ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT
                                              : VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
    VkFormatProperties have = {0};
    vk->api.GetPhysicalDeviceFormatProperties(vk->physical, format, &have);
    if ((have.bufferFeatures & want) == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' has no %s texel buffers of format %s",
                              lull_vk_name(vk), storage ? "storage" : "uniform",
                              o->r->format->name);
    }
    const VkBufferViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
        .buffer = o->buffer,
        .format = format,
        .offset = o->r->offset,
        .range = o->r->range != 0 ? o->r->range : o->r->size - o->r->offset,
    };
    return vk_check(vk, vk->api.CreateBufferView(vk->device, &info, NULL, &o->buffer_view),
                    "vkCreateBufferView");
}

static const VkSamplerAddressMode wraps[] = {
    [LULL_VK_REPEAT] = VK_SAMPLER_ADDRESS_MODE_REPEAT,
    [LULL_VK_MIRROR] = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
    [LULL_VK_CLAMP] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
    [LULL_VK_BORDER] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
    [LULL_VK_MIRROR_ONCE] = VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE,
};

static VkBorderColor border(const struct lull_vk_resource *r)
{
    static const VkBorderColor floats[] = {
        [LULL_VK_TRANSPARENT] = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
        [LULL_VK_BLACK] = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK,
        [LULL_VK_WHITE] = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
    };
    static const VkBorderColor ints[] = {
        [LULL_VK_TRANSPARENT] = VK_BORDER_COLOR_INT_TRANSPARENT_BLACK,
        [LULL_VK_BLACK] = VK_BORDER_COLOR_INT_OPAQUE_BLACK,
        [LULL_VK_WHITE] = VK_BORDER_COLOR_INT_OPAQUE_WHITE,
    };
    const char *name = r->format != NULL ? r->format->name : "";
    const size_t n = strlen(name);
    const bool integer = n > 1 && name[n - 1] == 'i';
    return (integer ? ints : floats)[r->sampler.border];
}

LULL_MUST_USE static struct lull_error *make_sampler(struct lull_vk *vk, struct vk_object *o)
{
    const struct lull_vk_sampler *s = &o->r->sampler;
    const VkFilter filter = s->linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    const VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = filter,
        .minFilter = filter,
        .mipmapMode =
            s->mip_linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = wraps[s->wrap[0]],
        .addressModeV = wraps[s->wrap[1]],
        .addressModeW = wraps[s->wrap[2]],
        .mipLodBias = s->bias,
        .anisotropyEnable = s->aniso != 0,
        .maxAnisotropy = (float)s->aniso,
        .compareEnable = s->compare >= 0,
        .compareOp = s->compare >= 0 ? (VkCompareOp)s->compare : VK_COMPARE_OP_NEVER,
        .minLod = s->min_lod,
        .maxLod = s->unnormalized ? s->min_lod : s->max_lod,
        .borderColor = border(o->r),
        .unnormalizedCoordinates = s->unnormalized,
    };
    return vk_check(vk, vk->api.CreateSampler(vk->device, &info, NULL, &o->sampler),
                    "vkCreateSampler");
}

/** Copy between the case's bytes (levels packed) and the mapped buffer (levels aligned). */
static void image_bytes(const struct vk_object *o, bool in)
{
    const struct lull_vk_resource *r = o->r;
    size_t at = 0;
    for (uint32_t level = 0; level < r->image.mips; level++) {
        size_t n = (size_t)level_bytes(&r->image, r->format, level);
        uint8_t *map = o->map + level_offset(&r->image, r->format, level);
        n = at < r->size && n > r->size - at ? r->size - at : n;
        if (at >= r->size) {
            break;
        }
        if (in) {
            memcpy(map, r->bytes + at, n);
        } else {
            memcpy(r->bytes + at, map, n);
        }
        at += n;
    }
}

struct lull_error *vk_object_make(struct lull_vk *vk, struct vk_object *o)
{
    const struct lull_vk_resource *r = o->r;
    struct lull_error *err = NULL;
    if (r->kind == LULL_VK_SAMPLER) {
        return lull_error_in(make_sampler(vk, o), "%s", r->name);
    }
    o->size =
        r->kind == LULL_VK_IMAGE ? level_offset(&r->image, r->format, r->image.mips) : r->size;
    err = make_buffer(vk, o);
    if (err == NULL && r->kind == LULL_VK_TEXELS) {
        err = make_texels(vk, o);
    }
    if (err == NULL && o->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) {
        err = make_sampler(vk, o);
    }
    if (err == NULL) {
        vk_object_bytes(o, true);
    }
    return lull_error_in(err, "%s", r->name);
}

struct lull_error *vk_object_borrow(struct lull_vk *vk, struct vk_object *o,
                                    const struct vk_object *of)
{
    o->buffer = of->buffer; // without a map: nothing is copied
    struct lull_error *err = o->r->kind == LULL_VK_TEXELS ? make_texels(vk, o) : NULL;
    return lull_error_in(err, "%s", o->r->name);
}

void vk_object_bytes(const struct vk_object *o, bool in)
{
    if (o->map == NULL) {
        return;
    }
    if (o->r->kind == LULL_VK_IMAGE) {
        image_bytes(o, in);
    } else if (in) {
        memcpy(o->map, o->r->bytes, o->r->size);
    } else {
        memcpy(o->r->bytes, o->map, o->r->size);
    }
}

static VkImageAspectFlags aspect(const struct vk_object *o)
{
    return o->r->format->name[0] == 'd' ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

LULL_MUST_USE static struct lull_error *check_format(struct lull_vk *vk, const struct vk_object *o)
{
    const struct lull_vk_resource *r = o->r;
    VkFormatProperties have = {0};
    vk->api.GetPhysicalDeviceFormatProperties(vk->physical, (VkFormat)r->format->vk, &have);
    const VkFormatFeatureFlags features =
        r->image.linear_tiling ? have.linearTilingFeatures : have.optimalTilingFeatures;
    const bool storage = o->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    VkFormatFeatureFlags want =
        storage ? VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT : VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    const char *what = storage ? "storage images" : "sampled images";
    if ((features & want) == want && o->sampler != VK_NULL_HANDLE && r->sampler.linear) {
        want = VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
        what = "linear filtering";
    }
    return (features & want) == want
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "%s: '%s' has no %s of format %s%s", r->name,
                                lull_vk_name(vk), what, r->format->name,
                                r->image.linear_tiling ? ", tiling linear" : "");
}

static VkImageCreateInfo image_info(const struct vk_object *o, VkImageViewType type)
{
    const struct lull_vk_image *i = &o->r->image;
    const bool cube = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    const bool one = type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    return (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = one                             ? VK_IMAGE_TYPE_1D
                     : type == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D
                                                     : VK_IMAGE_TYPE_2D,
        .format = (VkFormat)o->r->format->vk,
        .extent = {i->width, i->height, i->depth},
        .mipLevels = i->mips,
        .arrayLayers = i->layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = i->linear_tiling ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 (o->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? VK_IMAGE_USAGE_STORAGE_BIT
                                                              : VK_IMAGE_USAGE_SAMPLED_BIT),
    };
}

struct lull_error *vk_object_image(struct lull_vk *vk, struct vk_object *o, VkImageViewType type)
{
    struct lull_error *err = check_format(vk, o);
    if (err != NULL) {
        return err;
    }
    const VkImageCreateInfo info = image_info(o, type);
    err = vk_check(vk, vk->api.CreateImage(vk->device, &info, NULL, &o->image), "vkCreateImage");
    VkMemoryRequirements need = {0};
    if (err == NULL) {
        vk->api.GetImageMemoryRequirements(vk->device, o->image, &need);
        err = allocate(vk, &need, 0, false, &o->image_memory);
    }
    if (err == NULL) {
        err = vk_check(vk, vk->api.BindImageMemory(vk->device, o->image, o->image_memory, 0),
                       "vkBindImageMemory");
    }
    if (err == NULL) {
        const VkImageViewCreateInfo view = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
            .image = o->image,
            .viewType = type,
            .format = info.format,
            .subresourceRange = {aspect(o), 0, info.mipLevels, 0, info.arrayLayers},
        };
        err = vk_check(vk, vk->api.CreateImageView(vk->device, &view, NULL, &o->view),
                       "vkCreateImageView");
    }
    o->layout = o->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                    ? VK_IMAGE_LAYOUT_GENERAL
                    : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    return lull_error_in(err, "%s", o->r->name);
}

static void transition(struct lull_vk *vk, VkCommandBuffer cmd, const struct vk_object *o,
                       VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = o->image,
        .subresourceRange = {aspect(o), 0, o->r->image.mips, 0, o->r->image.layers},
    };
    vk->api.CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                               VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                               &barrier);
}

void vk_object_copy(struct lull_vk *vk, VkCommandBuffer cmd, const struct vk_object *o, bool in)
{
    const struct lull_vk_image *i = &o->r->image;
    const VkImageLayout copy =
        in ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    transition(vk, cmd, o, in ? VK_IMAGE_LAYOUT_UNDEFINED : o->layout, copy);
    for (uint32_t level = 0; level < i->mips; level++) {
        const VkBufferImageCopy region = {
            .bufferOffset = level_offset(i, o->r->format, level),
            .imageSubresource = {aspect(o), level, 0, i->layers},
            .imageExtent = {level_extent(i->width, level), level_extent(i->height, level),
                            level_extent(i->depth, level)},
        };
        if (in) {
            vk->api.CmdCopyBufferToImage(cmd, o->buffer, o->image, copy, 1, &region);
        } else {
            vk->api.CmdCopyImageToBuffer(cmd, o->image, copy, o->buffer, 1, &region);
        }
    }
    if (in) {
        transition(vk, cmd, o, copy, o->layout);
    }
}

void vk_object_done(struct lull_vk *vk, struct vk_object *o)
{
    vk->api.DestroySampler(vk->device, o->sampler, NULL);
    vk->api.DestroyImageView(vk->device, o->view, NULL);
    vk->api.DestroyImage(vk->device, o->image, NULL);
    vk->api.FreeMemory(vk->device, o->image_memory, NULL);
    vk->api.DestroyBufferView(vk->device, o->buffer_view, NULL);
    const bool borrowed = o->r != NULL && o->r->same != NULL;
    vk->api.DestroyBuffer(vk->device, borrowed ? VK_NULL_HANDLE : o->buffer, NULL);
    vk->api.FreeMemory(vk->device, o->memory, NULL);
}
