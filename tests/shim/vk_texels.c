// SPDX-License-Identifier: MIT
/*
 * An image that a compute shader (argv[2], image.comp) writes, counts on and reads, on the device
 * whose name has argv[1] in it. Prints "ok" or what is wrong.
 */
#include "vk.h"

static VkDeviceMemory make_image(struct vk *v)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R32_UINT,
                                    .extent = {LOCAL, N / LOCAL, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_OPTIMAL,
                                    .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    want(vkCreateImage(v->device, &info, NULL, &v->image), "image");
    VkMemoryRequirements need;
    vkGetImageMemoryRequirements(v->device, v->image, &need);
    const VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .allocationSize = need.size,
                                        .memoryTypeIndex = memory_type(v, need.memoryTypeBits, 0)};
    VkDeviceMemory memory;
    want(vkAllocateMemory(v->device, &alloc, NULL, &memory), "memory");
    want(vkBindImageMemory(v->device, v->image, memory, 0), "bind");
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = v->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = VK_FORMAT_R32_UINT,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    want(vkCreateImageView(v->device, &view, NULL, &v->view), "view");
    return memory;
}

int main(int argc, char **argv)
{
    struct vk v = {0};
    if (argc < 3) {
        return 2;
    }
    open_device(&v, argv[1], VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT, NULL, 0);
    const VkDeviceMemory image = make_image(&v);
    make_pipeline(&v, argv[2]);
    VkBuffer buffers[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
    uint32_t *data = NULL;
    const VkDeviceMemory memory = make_buffer(&v, N * sizeof(uint32_t), &buffers[1], NULL, NULL);
    want(vkMapMemory(v.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&data), "map");
    memset(data, 0, N * sizeof(uint32_t));
    bind_buffers(&v, buffers);
    dispatch(&v);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t x = LOCAL - 1 - i % LOCAL, y = i / LOCAL;
        wrong += data[i] != x * x + 1000 * y + ADD + N / LOCAL;
    }
    printf(wrong == 0 ? "ok\n" : "%u of %u wrong\n", wrong, (unsigned)N);
    vkDestroyImageView(v.device, v.view, NULL);
    vkDestroyImage(v.device, v.image, NULL);
    vkFreeMemory(v.device, image, NULL);
    vkDestroyBuffer(v.device, buffers[1], NULL);
    vkFreeMemory(v.device, memory, NULL);
    done(&v);
    return wrong != 0;
}
