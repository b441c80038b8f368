// SPDX-License-Identifier: MIT
// Copies, fills and updates of buffers in command buffers: what orders them and dispatches is the
// program's to say.
#include "layer/layer.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

static void add_buffer(struct lull_str *s, const char *key, VkBuffer buffer, VkDeviceSize offset)
{
    lull_str_addf(s, ",\"%s\":{\"buffer\":\"0x%llx\",\"offset\":%llu}", key,
                  (unsigned long long)HANDLE(buffer), (unsigned long long)offset);
}

/** Of VK_WHOLE_SIZE no size is written: it reaches to the end. */
static void add_size(struct lull_str *s, VkDeviceSize size)
{
    if (size != VK_WHOLE_SIZE) {
        lull_str_addf(s, ",\"size\":%llu", (unsigned long long)size);
    }
}

static VKAPI_ATTR void VKAPI_CALL fill(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset,
                                       VkDeviceSize size, uint32_t data)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    struct lull_str s = {0};
    lull_str_addf(&s, "\"call\":\"vkCmdFillBuffer\"");
    add_buffer(&s, "to", buffer, offset);
    add_size(&s, size);
    lull_layer_add_transfer(HANDLE(cmd), &s);
    ((PFN_vkCmdFillBuffer)d->next[LULL_FN_FILL])(cmd, buffer, offset, size, data);
}

static VKAPI_ATTR void VKAPI_CALL update(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset,
                                         VkDeviceSize size, const void *data)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    struct lull_str s = {0};
    lull_str_addf(&s, "\"call\":\"vkCmdUpdateBuffer\"");
    add_buffer(&s, "to", buffer, offset);
    add_size(&s, size);
    lull_layer_add_transfer(HANDLE(cmd), &s);
    ((PFN_vkCmdUpdateBuffer)d->next[LULL_FN_UPDATE])(cmd, buffer, offset, size, data);
}

static void add_copy(VkCommandBuffer cmd, VkBuffer from, VkBuffer to, const VkBufferCopy *r)
{
    struct lull_str s = {0};
    lull_str_addf(&s, "\"call\":\"vkCmdCopyBuffer\"");
    add_buffer(&s, "to", to, r->dstOffset);
    add_buffer(&s, "from", from, r->srcOffset);
    add_size(&s, r->size);
    lull_layer_add_transfer(HANDLE(cmd), &s);
}

static VKAPI_ATTR void VKAPI_CALL copy(VkCommandBuffer cmd, VkBuffer from, VkBuffer to, uint32_t n,
                                       const VkBufferCopy *regions)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    for (uint32_t i = 0; i < n; i++) {
        add_copy(cmd, from, to, &regions[i]);
    }
    ((PFN_vkCmdCopyBuffer)d->next[LULL_FN_COPY])(cmd, from, to, n, regions);
}

static void copy2_by(enum lull_layer_fn fn, VkCommandBuffer cmd, const VkCopyBufferInfo2 *info)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkBufferCopy2 *r = &info->pRegions[i];
        add_copy(cmd, info->srcBuffer, info->dstBuffer,
                 &(VkBufferCopy){r->srcOffset, r->dstOffset, r->size});
    }
    ((PFN_vkCmdCopyBuffer2)d->next[fn])(cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL copy2(VkCommandBuffer cmd, const VkCopyBufferInfo2 *info)
{
    copy2_by(LULL_FN_COPY2, cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL copy2_khr(VkCommandBuffer cmd, const VkCopyBufferInfo2 *info)
{
    copy2_by(LULL_FN_COPY2_KHR, cmd, info);
}

const struct lull_layer_hook *lull_layer_transfer_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkCmdFillBuffer", LULL_FN_FILL, (PFN_vkVoidFunction)fill},
        {"vkCmdUpdateBuffer", LULL_FN_UPDATE, (PFN_vkVoidFunction)update},
        {"vkCmdCopyBuffer", LULL_FN_COPY, (PFN_vkVoidFunction)copy},
        {"vkCmdCopyBuffer2", LULL_FN_COPY2, (PFN_vkVoidFunction)copy2},
        {"vkCmdCopyBuffer2KHR", LULL_FN_COPY2_KHR, (PFN_vkVoidFunction)copy2_khr},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
