// SPDX-License-Identifier: MIT
// Submissions, and the calls by which a program waits for them: then new entries are printed.
#include <stdlib.h>

#include "layer/printf/printf.h"

/** A fence behind what was submitted to @p queue with the program's @p of; lock held. */
static void fence_behind(struct lull_lp_device *d, VkQueue queue, VkFence of)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    if (d->npending == d->nfences) {
        if (!lull_lp_room(&d->fences, d->nfences, &d->fences_room, sizeof *d->fences) ||
            d->next.create_fence(d->handle, &info, NULL, &fence) != VK_SUCCESS) {
            return;
        }
        d->fences[d->nfences++].own = fence;
    }
    d->fences[d->npending].of = of;
    if (d->next.submit(queue, 0, NULL, d->fences[d->npending].own) == VK_SUCCESS) {
        d->npending++;
    }
}

/** True: something may print; the lock is held until after_submit(). */
static bool before_submit(struct lull_lp_device *d)
{
    if (d->buffer == VK_NULL_HANDLE || !d->prints) {
        return false;
    }
    lull_lp_make_room(d);
    lull_lp_drain(d, false);
    pthread_mutex_lock(&d->lock);
    d->submitted = true;
    return true;
}

static VkResult after_submit(struct lull_lp_device *d, VkQueue queue, VkFence fence, bool prints,
                             VkResult result)
{
    if (prints) {
        if (result == VK_SUCCESS) {
            fence_behind(d, queue, fence);
        }
        pthread_mutex_unlock(&d->lock);
    }
    if (result == VK_ERROR_DEVICE_LOST) {
        lull_lp_lost(d);
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t n, const VkSubmitInfo *infos,
                                             VkFence fence)
{
    struct lull_lp_device *d = lull_lp_device(queue);
    const bool prints = before_submit(d);
    for (uint32_t i = 0; prints && i < n; i++) {
        for (uint32_t k = 0; k < infos[i].commandBufferCount; k++) {
            lull_lp_submitted(d, queue, infos[i].pCommandBuffers[k]);
        }
    }
    return after_submit(d, queue, fence, prints, d->next.submit(queue, n, infos, fence));
}

static VkResult submit_by(PFN_vkQueueSubmit2 next, VkQueue queue, uint32_t n,
                          const VkSubmitInfo2 *infos, VkFence fence)
{
    struct lull_lp_device *d = lull_lp_device(queue);
    const bool prints = before_submit(d);
    for (uint32_t i = 0; prints && i < n; i++) {
        for (uint32_t k = 0; k < infos[i].commandBufferInfoCount; k++) {
            lull_lp_submitted(d, queue, infos[i].pCommandBufferInfos[k].commandBuffer);
        }
    }
    return after_submit(d, queue, fence, prints, next(queue, n, infos, fence));
}

static VKAPI_ATTR VkResult VKAPI_CALL submit2(VkQueue queue, uint32_t n, const VkSubmitInfo2 *infos,
                                              VkFence fence)
{
    return submit_by(lull_lp_device(queue)->next.submit2, queue, n, infos, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit2_khr(VkQueue queue, uint32_t n,
                                                  const VkSubmitInfo2 *infos, VkFence fence)
{
    return submit_by(lull_lp_device(queue)->next.submit2_khr, queue, n, infos, fence);
}

static VkResult drained(struct lull_lp_device *d, VkResult result)
{
    if (result == VK_ERROR_DEVICE_LOST) {
        lull_lp_lost(d);
    } else {
        lull_lp_drain(d, false);
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_idle(VkQueue queue)
{
    struct lull_lp_device *d = lull_lp_device(queue);
    return drained(d, d->next.queue_idle(queue));
}

static VKAPI_ATTR VkResult VKAPI_CALL device_idle(VkDevice device)
{
    struct lull_lp_device *d = lull_lp_device(device);
    return drained(d, d->next.device_idle(device));
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_fences(VkDevice device, uint32_t n,
                                                  const VkFence *fences, VkBool32 all,
                                                  uint64_t timeout)
{
    struct lull_lp_device *d = lull_lp_device(device);
    const VkResult result = d->next.wait_fences(device, n, fences, all, timeout);
    if (result == VK_SUCCESS) {
        lull_lp_follow(d, n, fences, all || n == 1);
    }
    return drained(d, result);
}

static VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice device, VkFence fence)
{
    struct lull_lp_device *d = lull_lp_device(device);
    const VkResult result = d->next.fence_status(device, fence);
    if (result == VK_SUCCESS) {
        lull_lp_follow(d, 1, &fence, true);
    }
    return result == VK_NOT_READY ? result : drained(d, result);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores(VkDevice device,
                                                      const VkSemaphoreWaitInfo *info,
                                                      uint64_t timeout)
{
    struct lull_lp_device *d = lull_lp_device(device);
    return drained(d, d->next.wait_semaphores(device, info, timeout));
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores_khr(VkDevice device,
                                                          const VkSemaphoreWaitInfo *info,
                                                          uint64_t timeout)
{
    struct lull_lp_device *d = lull_lp_device(device);
    return drained(d, d->next.wait_semaphores_khr(device, info, timeout));
}

// Calls by which programs poll instead.
static VKAPI_ATTR VkResult VKAPI_CALL counter(VkDevice device, VkSemaphore semaphore, uint64_t *ret)
{
    struct lull_lp_device *d = lull_lp_device(device);
    return drained(d, d->next.counter(device, semaphore, ret));
}

static VKAPI_ATTR VkResult VKAPI_CALL counter_khr(VkDevice device, VkSemaphore semaphore,
                                                  uint64_t *ret)
{
    struct lull_lp_device *d = lull_lp_device(device);
    return drained(d, d->next.counter_khr(device, semaphore, ret));
}

static VKAPI_ATTR VkResult VKAPI_CALL event_status(VkDevice device, VkEvent event)
{
    struct lull_lp_device *d = lull_lp_device(device);
    const VkResult result = d->next.event_status(device, event);
    return result == VK_EVENT_SET ? drained(d, result) : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL query_results(VkDevice device, VkQueryPool pool,
                                                    uint32_t first, uint32_t n, size_t size,
                                                    void *ret, VkDeviceSize stride,
                                                    VkQueryResultFlags flags)
{
    struct lull_lp_device *d = lull_lp_device(device);
    const VkResult result = d->next.query_results(device, pool, first, n, size, ret, stride, flags);
    return result == VK_NOT_READY ? result : drained(d, result);
}

static VKAPI_ATTR VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR *info)
{
    struct lull_lp_device *d = lull_lp_device(queue);
    return drained(d, d->next.present(queue, info));
}

const struct lull_loader_hook *lull_lp_submit_hooks(size_t *ret)
{
    static const struct lull_loader_hook hooks[] = {
        {"vkQueueSubmit", (PFN_vkVoidFunction)submit},
        {"vkQueueSubmit2", (PFN_vkVoidFunction)submit2},
        {"vkQueueSubmit2KHR", (PFN_vkVoidFunction)submit2_khr},
        {"vkQueueWaitIdle", (PFN_vkVoidFunction)queue_idle},
        {"vkDeviceWaitIdle", (PFN_vkVoidFunction)device_idle},
        {"vkWaitForFences", (PFN_vkVoidFunction)wait_fences},
        {"vkGetFenceStatus", (PFN_vkVoidFunction)fence_status},
        {"vkWaitSemaphores", (PFN_vkVoidFunction)wait_semaphores},
        {"vkWaitSemaphoresKHR", (PFN_vkVoidFunction)wait_semaphores_khr},
        {"vkGetSemaphoreCounterValue", (PFN_vkVoidFunction)counter},
        {"vkGetSemaphoreCounterValueKHR", (PFN_vkVoidFunction)counter_khr},
        {"vkGetEventStatus", (PFN_vkVoidFunction)event_status},
        {"vkGetQueryPoolResults", (PFN_vkVoidFunction)query_results},
        {"vkQueuePresentKHR", (PFN_vkVoidFunction)present},
    };
    *ret = sizeof hooks / sizeof hooks[0];
    return hooks;
}
