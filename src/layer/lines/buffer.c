// SPDX-License-Identifier: MIT
// Memory that marks of indices are stored to. Nobody reads it: who watches sees the stores.
#include "layer/lines/lines.h"
#include "spirv/marks.h"

static PFN_vkVoidFunction next_of(const struct lull_ll_device *d, const char *name)
{
    return d->next_proc(d->handle, name);
}

static VkDeviceAddress address_of(const struct lull_ll_device *d)
{
    const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = d->buffer};
    PFN_vkGetBufferDeviceAddress get =
        (PFN_vkGetBufferDeviceAddress)next_of(d, "vkGetBufferDeviceAddress");
    if (get == NULL) {
        get = (PFN_vkGetBufferDeviceAddress)next_of(d, "vkGetBufferDeviceAddressKHR");
    }
    return get != NULL ? get(d->handle, &of) : 0;
}

/** Of any type that it may have. */
static bool allocate(struct lull_ll_device *d)
{
    enum { TYPES = 32 };
    VkMemoryRequirements need = {0};
    ((PFN_vkGetBufferMemoryRequirements)next_of(d, "vkGetBufferMemoryRequirements"))(
        d->handle, d->buffer, &need);
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &flags,
                                 .allocationSize = need.size};
    PFN_vkAllocateMemory get = (PFN_vkAllocateMemory)next_of(d, "vkAllocateMemory");
    PFN_vkBindBufferMemory bind = (PFN_vkBindBufferMemory)next_of(d, "vkBindBufferMemory");
    for (uint32_t i = 0; i < TYPES; i++) {
        info.memoryTypeIndex = i;
        if ((need.memoryTypeBits >> i & 1) != 0 &&
            get(d->handle, &info, NULL, &d->memory) == VK_SUCCESS) {
            return bind(d->handle, d->buffer, d->memory, 0) == VK_SUCCESS;
        }
    }
    return false;
}

void lull_ll_buffer(struct lull_ll_device *d)
{
    const VkBaseInStructure mark = {.sType = LULL_LOADER_OWN};
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .pNext = &mark,
                                     .size = LULL_SPV_MARK_BYTES,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                              VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    PFN_vkCreateBuffer create = (PFN_vkCreateBuffer)next_of(d, "vkCreateBuffer");
    if (create(d->handle, &info, NULL, &d->buffer) == VK_SUCCESS && allocate(d)) {
        d->address = address_of(d);
    }
    if (d->address == 0 || d->address % LULL_SPV_MARK_BYTES != 0) {
        lull_ll_complain("indices are not looked at: no memory for marks");
        lull_ll_buffer_done(d);
    }
}

void lull_ll_buffer_done(struct lull_ll_device *d)
{
    ((PFN_vkDestroyBuffer)next_of(d, "vkDestroyBuffer"))(d->handle, d->buffer, NULL);
    ((PFN_vkFreeMemory)next_of(d, "vkFreeMemory"))(d->handle, d->memory, NULL);
    d->buffer = VK_NULL_HANDLE;
    d->memory = VK_NULL_HANDLE;
    d->address = 0;
}
