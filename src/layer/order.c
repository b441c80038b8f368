// SPDX-License-Identifier: MIT
// What orders work: barriers and events in command buffers, and waits of the host.
#include "layer/layer.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

/** From what to what, VkPipelineStageFlags2 and VkAccessFlags2, and of which memory. */
struct order {
    uint64_t from, made, to, seen;
    const VkBufferMemoryBarrier2 *buffer; // Only these bytes; NULL: not.
    VkImage image;                        // Only this image; VK_NULL_HANDLE: not.
    uint32_t nevents;                     // That it waits for; 0: it is no wait for events.
    const VkEvent *events;
};

static const char *between(bool *first)
{
    const char *text = *first ? ",{" : ",";
    *first = false;
    return text;
}

// Of which memory it is, and of which events.
static void add_part(struct lull_str *s, const struct order *o)
{
    bool first = true;
    if (o->buffer != NULL) {
        lull_str_addf(s, "%s\"buffer\":\"0x%llx\",\"offset\":%llu", between(&first),
                      (unsigned long long)HANDLE(o->buffer->buffer),
                      (unsigned long long)o->buffer->offset);
        if (o->buffer->size != VK_WHOLE_SIZE) { // Else it reaches to the end.
            lull_str_addf(s, ",\"size\":%llu", (unsigned long long)o->buffer->size);
        }
    } else if (o->image != VK_NULL_HANDLE) {
        lull_str_addf(s, "%s\"image\":\"0x%llx\"", between(&first),
                      (unsigned long long)HANDLE(o->image));
    }
    for (uint32_t i = 0; i < o->nevents; i++) {
        const bool list = i != 0;
        lull_str_addf(s, "%s%s\"0x%llx\"%s", list ? "," : between(&first),
                      list ? "" : "\"events\":[", (unsigned long long)HANDLE(o->events[i]),
                      i + 1 == o->nevents ? "]" : "");
    }
    if (!first) {
        lull_str_addf(s, "}");
    }
}

static void add(VkCommandBuffer cmd, const struct order *o)
{
    struct lull_str text = {0};
    lull_str_addf(&text, "[%llu,%llu,%llu,%llu", (unsigned long long)o->from,
                  (unsigned long long)o->made, (unsigned long long)o->to,
                  (unsigned long long)o->seen);
    add_part(&text, o);
    lull_str_addf(&text, "]");
    lull_layer_add_order(HANDLE(cmd), &text);
}

/** Barriers as vkCmdPipelineBarrier() and vkCmdWaitEvents() take them. */
struct lists {
    uint32_t nmemory, nbuffers, nimages;
    const VkMemoryBarrier *memory;
    const VkBufferMemoryBarrier *buffers;
    const VkImageMemoryBarrier *images;
    uint32_t nevents; // As of an order.
    const VkEvent *events;
};

// Each by itself; without any, their stages.
static void add_lists(VkCommandBuffer cmd, VkPipelineStageFlags from, VkPipelineStageFlags to,
                      const struct lists *l)
{
    struct order o = {.from = from, .to = to, .nevents = l->nevents, .events = l->events};
    if (l->nmemory == 0 && l->nbuffers == 0 && l->nimages == 0) {
        add(cmd, &o);
    }
    for (uint32_t i = 0; i < l->nmemory; i++) {
        o.made = l->memory[i].srcAccessMask;
        o.seen = l->memory[i].dstAccessMask;
        add(cmd, &o);
    }
    for (uint32_t i = 0; i < l->nbuffers; i++) {
        const VkBufferMemoryBarrier *b = &l->buffers[i];
        const VkBufferMemoryBarrier2 part = {
            .buffer = b->buffer, .offset = b->offset, .size = b->size};
        o.made = b->srcAccessMask;
        o.seen = b->dstAccessMask;
        o.buffer = &part;
        add(cmd, &o);
        o.buffer = NULL;
    }
    for (uint32_t i = 0; i < l->nimages; i++) {
        o.made = l->images[i].srcAccessMask;
        o.seen = l->images[i].dstAccessMask;
        o.image = l->images[i].image;
        add(cmd, &o);
    }
}

static VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer cmd, VkPipelineStageFlags from,
                                          VkPipelineStageFlags to, VkDependencyFlags flags,
                                          uint32_t nmemory, const VkMemoryBarrier *memory,
                                          uint32_t nbuffers, const VkBufferMemoryBarrier *buffers,
                                          uint32_t nimages, const VkImageMemoryBarrier *images)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_lists(cmd, from, to,
              &(struct lists){nmemory, nbuffers, nimages, memory, buffers, images, 0, NULL});
    ((PFN_vkCmdPipelineBarrier)d->next[LULL_FN_BARRIER])(cmd, from, to, flags, nmemory, memory,
                                                         nbuffers, buffers, nimages, images);
}

static VKAPI_ATTR void VKAPI_CALL wait_events(VkCommandBuffer cmd, uint32_t nevents,
                                              const VkEvent *events, VkPipelineStageFlags from,
                                              VkPipelineStageFlags to, uint32_t nmemory,
                                              const VkMemoryBarrier *memory, uint32_t nbuffers,
                                              const VkBufferMemoryBarrier *buffers,
                                              uint32_t nimages, const VkImageMemoryBarrier *images)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_lists(
        cmd, from, to,
        &(struct lists){nmemory, nbuffers, nimages, memory, buffers, images, nevents, events});
    ((PFN_vkCmdWaitEvents)d->next[LULL_FN_WAIT_EVENTS])(cmd, nevents, events, from, to, nmemory,
                                                        memory, nbuffers, buffers, nimages, images);
}

// event NULL: it is no wait for one.
static void add_info(VkCommandBuffer cmd, const VkDependencyInfo *info, const VkEvent *event)
{
    struct order o = {.nevents = event != NULL, .events = event};
    for (uint32_t i = 0; i < info->memoryBarrierCount; i++) {
        const VkMemoryBarrier2 *b = &info->pMemoryBarriers[i];
        o.from = b->srcStageMask, o.made = b->srcAccessMask;
        o.to = b->dstStageMask, o.seen = b->dstAccessMask;
        add(cmd, &o);
    }
    for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++) {
        const VkBufferMemoryBarrier2 *b = &info->pBufferMemoryBarriers[i];
        o.from = b->srcStageMask, o.made = b->srcAccessMask;
        o.to = b->dstStageMask, o.seen = b->dstAccessMask;
        o.buffer = b;
        add(cmd, &o);
    }
    o.buffer = NULL;
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++) {
        const VkImageMemoryBarrier2 *b = &info->pImageMemoryBarriers[i];
        o.from = b->srcStageMask, o.made = b->srcAccessMask;
        o.to = b->dstStageMask, o.seen = b->dstAccessMask;
        o.image = b->image;
        add(cmd, &o);
    }
}

static void barrier2_by(enum lull_layer_fn fn, VkCommandBuffer cmd, const VkDependencyInfo *info)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_info(cmd, info, NULL);
    ((PFN_vkCmdPipelineBarrier2)d->next[fn])(cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL barrier2(VkCommandBuffer cmd, const VkDependencyInfo *info)
{
    barrier2_by(LULL_FN_BARRIER2, cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL barrier2_khr(VkCommandBuffer cmd, const VkDependencyInfo *info)
{
    barrier2_by(LULL_FN_BARRIER2_KHR, cmd, info);
}

static void wait_events2_by(enum lull_layer_fn fn, VkCommandBuffer cmd, uint32_t n,
                            const VkEvent *events, const VkDependencyInfo *infos)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    for (uint32_t i = 0; i < n; i++) {
        add_info(cmd, &infos[i], &events[i]);
    }
    ((PFN_vkCmdWaitEvents2)d->next[fn])(cmd, n, events, infos);
}

static VKAPI_ATTR void VKAPI_CALL wait_events2(VkCommandBuffer cmd, uint32_t n,
                                               const VkEvent *events, const VkDependencyInfo *infos)
{
    wait_events2_by(LULL_FN_WAIT_EVENTS2, cmd, n, events, infos);
}

static VKAPI_ATTR void VKAPI_CALL wait_events2_khr(VkCommandBuffer cmd, uint32_t n,
                                                   const VkEvent *events,
                                                   const VkDependencyInfo *infos)
{
    wait_events2_by(LULL_FN_WAIT_EVENTS2_KHR, cmd, n, events, infos);
}

// What a render pass waits for stands in what it was made of: it is taken for all.
static void add_pass(VkCommandBuffer cmd)
{
    add(cmd, &(struct order){.from = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                             .made = VK_ACCESS_2_MEMORY_WRITE_BIT,
                             .to = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                             .seen = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT});
}

static VKAPI_ATTR void VKAPI_CALL begin_pass(VkCommandBuffer cmd, const VkRenderPassBeginInfo *info,
                                             VkSubpassContents contents)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_pass(cmd);
    ((PFN_vkCmdBeginRenderPass)d->next[LULL_FN_BEGIN_PASS])(cmd, info, contents);
}

static void begin_pass2_by(enum lull_layer_fn fn, VkCommandBuffer cmd,
                           const VkRenderPassBeginInfo *info, const VkSubpassBeginInfo *begin)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_pass(cmd);
    ((PFN_vkCmdBeginRenderPass2)d->next[fn])(cmd, info, begin);
}

static VKAPI_ATTR void VKAPI_CALL begin_pass2(VkCommandBuffer cmd,
                                              const VkRenderPassBeginInfo *info,
                                              const VkSubpassBeginInfo *begin)
{
    begin_pass2_by(LULL_FN_BEGIN_PASS2, cmd, info, begin);
}

static VKAPI_ATTR void VKAPI_CALL begin_pass2_khr(VkCommandBuffer cmd,
                                                  const VkRenderPassBeginInfo *info,
                                                  const VkSubpassBeginInfo *begin)
{
    begin_pass2_by(LULL_FN_BEGIN_PASS2_KHR, cmd, info, begin);
}

static VkResult waited(VkResult result)
{
    if (result == VK_SUCCESS) {
        lull_layer_lock();
        lull_layer_waited();
        lull_layer_unlock();
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_fences(VkDevice device, uint32_t n,
                                                  const VkFence *fences, VkBool32 all, uint64_t ns)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    return waited(((PFN_vkWaitForFences)d->next[LULL_FN_WAIT_FENCES])(device, n, fences, all, ns));
}

static VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice device, VkFence fence)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    return waited(((PFN_vkGetFenceStatus)d->next[LULL_FN_FENCE_STATUS])(device, fence));
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_idle(VkQueue queue)
{
    const struct lull_layer_device *d = lull_layer_device(queue);
    return waited(((PFN_vkQueueWaitIdle)d->next[LULL_FN_QUEUE_IDLE])(queue));
}

static VKAPI_ATTR VkResult VKAPI_CALL device_idle(VkDevice device)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    return waited(((PFN_vkDeviceWaitIdle)d->next[LULL_FN_DEVICE_IDLE])(device));
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores(VkDevice device,
                                                      const VkSemaphoreWaitInfo *info, uint64_t ns)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    return waited(((PFN_vkWaitSemaphores)d->next[LULL_FN_WAIT_SEMAPHORES])(device, info, ns));
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores_khr(VkDevice device,
                                                          const VkSemaphoreWaitInfo *info,
                                                          uint64_t ns)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    return waited(((PFN_vkWaitSemaphores)d->next[LULL_FN_WAIT_SEMAPHORES_KHR])(device, info, ns));
}

static VKAPI_ATTR VkResult VKAPI_CALL counter_value(VkDevice device, VkSemaphore semaphore,
                                                    uint64_t *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    return waited(
        ((PFN_vkGetSemaphoreCounterValue)d->next[LULL_FN_COUNTER_VALUE])(device, semaphore, ret));
}

static VKAPI_ATTR VkResult VKAPI_CALL counter_value_khr(VkDevice device, VkSemaphore semaphore,
                                                        uint64_t *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    return waited(((PFN_vkGetSemaphoreCounterValue)d->next[LULL_FN_COUNTER_VALUE_KHR])(
        device, semaphore, ret));
}

// Results that are waited for are those of work that is done.
static VKAPI_ATTR VkResult VKAPI_CALL query_results(VkDevice device, VkQueryPool pool,
                                                    uint32_t first, uint32_t n, size_t size,
                                                    void *data, VkDeviceSize stride,
                                                    VkQueryResultFlags flags)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    return waited(((PFN_vkGetQueryPoolResults)d->next[LULL_FN_QUERY_RESULTS])(
        device, pool, first, n, size, data, stride, flags));
}

static VKAPI_ATTR VkResult VKAPI_CALL event_status(VkDevice device, VkEvent event)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    const VkResult result = ((PFN_vkGetEventStatus)d->next[LULL_FN_EVENT_STATUS])(device, event);
    waited(result == VK_EVENT_SET ? VK_SUCCESS : VK_NOT_READY);
    return result;
}

const struct lull_layer_hook *lull_layer_order_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkCmdPipelineBarrier", LULL_FN_BARRIER, (PFN_vkVoidFunction)barrier},
        {"vkCmdPipelineBarrier2", LULL_FN_BARRIER2, (PFN_vkVoidFunction)barrier2},
        {"vkCmdPipelineBarrier2KHR", LULL_FN_BARRIER2_KHR, (PFN_vkVoidFunction)barrier2_khr},
        {"vkCmdWaitEvents", LULL_FN_WAIT_EVENTS, (PFN_vkVoidFunction)wait_events},
        {"vkCmdWaitEvents2", LULL_FN_WAIT_EVENTS2, (PFN_vkVoidFunction)wait_events2},
        {"vkCmdWaitEvents2KHR", LULL_FN_WAIT_EVENTS2_KHR, (PFN_vkVoidFunction)wait_events2_khr},
        {"vkCmdBeginRenderPass", LULL_FN_BEGIN_PASS, (PFN_vkVoidFunction)begin_pass},
        {"vkCmdBeginRenderPass2", LULL_FN_BEGIN_PASS2, (PFN_vkVoidFunction)begin_pass2},
        {"vkCmdBeginRenderPass2KHR", LULL_FN_BEGIN_PASS2_KHR, (PFN_vkVoidFunction)begin_pass2_khr},
        {"vkWaitForFences", LULL_FN_WAIT_FENCES, (PFN_vkVoidFunction)wait_fences},
        {"vkGetFenceStatus", LULL_FN_FENCE_STATUS, (PFN_vkVoidFunction)fence_status},
        {"vkQueueWaitIdle", LULL_FN_QUEUE_IDLE, (PFN_vkVoidFunction)queue_idle},
        {"vkDeviceWaitIdle", LULL_FN_DEVICE_IDLE, (PFN_vkVoidFunction)device_idle},
        {"vkWaitSemaphores", LULL_FN_WAIT_SEMAPHORES, (PFN_vkVoidFunction)wait_semaphores},
        {"vkWaitSemaphoresKHR", LULL_FN_WAIT_SEMAPHORES_KHR,
         (PFN_vkVoidFunction)wait_semaphores_khr},
        {"vkGetSemaphoreCounterValue", LULL_FN_COUNTER_VALUE, (PFN_vkVoidFunction)counter_value},
        {"vkGetSemaphoreCounterValueKHR", LULL_FN_COUNTER_VALUE_KHR,
         (PFN_vkVoidFunction)counter_value_khr},
        {"vkGetQueryPoolResults", LULL_FN_QUERY_RESULTS, (PFN_vkVoidFunction)query_results},
        {"vkGetEventStatus", LULL_FN_EVENT_STATUS, (PFN_vkVoidFunction)event_status},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
