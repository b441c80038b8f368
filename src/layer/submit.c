// SPDX-License-Identifier: MIT
// Queues: who they are, their labels, and what is given to them. The record is in the file before
// the driver has the work, so it is there when the first wave runs.
#include <stdlib.h>

#include "layer/layer.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

static void know_queue(VkDevice device, VkQueue queue, uint32_t family, uint32_t index)
{
    if (queue == VK_NULL_HANDLE) {
        return;
    }
    lull_layer_lock();
    if (lull_layer_find(LULL_LAYER_QUEUE, HANDLE(queue)) == NULL) {
        struct lull_layer_queue *q = calloc(1, sizeof *q);
        struct lull_layer_entry *e =
            q != NULL ? lull_layer_put(LULL_LAYER_QUEUE, HANDLE(queue)) : NULL;
        if (e != NULL) {
            q->device = device;
            q->family = family;
            q->index = index;
            e->data = q;
        } else {
            free(q);
        }
    }
    lull_layer_unlock();
}

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index,
                                            VkQueue *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    ((PFN_vkGetDeviceQueue)d->next[LULL_FN_GET_QUEUE])(device, family, index, ret);
    know_queue(device, *ret, family, index);
}

static VKAPI_ATTR void VKAPI_CALL get_queue2(VkDevice device, const VkDeviceQueueInfo2 *info,
                                             VkQueue *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    ((PFN_vkGetDeviceQueue2)d->next[LULL_FN_GET_QUEUE2])(device, info, ret);
    know_queue(device, *ret, info->queueFamilyIndex, info->queueIndex);
}

// With the lock held; NULL: a queue that was asked for in a way that is not heard of.
static struct lull_layer_queue *queue_of(VkQueue queue)
{
    struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_QUEUE, HANDLE(queue));
    return e != NULL ? e->data : NULL;
}

// One submit record being written.
struct record {
    struct lull_str line;
    struct lull_json j;
    const char *labels; // of the queue
    size_t count;
    struct lull_str order, transfers; // Since the last dispatch.
    struct lull_str sync;             // Semaphores.
    size_t norders;
};

static struct record start_record(VkQueue queue, uint64_t stack)
{
    struct record r = {.labels = ""};
    struct lull_layer_queue *q = queue_of(queue);
    r.j = lull_layer_record(&r.line, "submit");
    lull_json_put_u64(&r.j, "n", lull_layer_submit_number());
    lull_json_put_hex(&r.j, "queue", HANDLE(queue));
    lull_json_put_u64(&r.j, "family", q != NULL ? q->family : 0);
    lull_json_put_u64(&r.j, "index", q != NULL ? q->index : 0);
    lull_json_put_u64(&r.j, "stack", stack);
    r.labels = q != NULL ? lull_str_text(&q->labels.text) : "";
    return r;
}

// What is between two dispatches, as a member of an object, and no more.
static void put_between(struct record *r, struct lull_str *list, const char *key)
{
    if (list->size != 0) {
        lull_str_addf(&r->line, ",\"%s\":[%s]", key, lull_str_text(list));
    }
    lull_str_free(list);
    *list = (struct lull_str){0};
}

// A barrier or a transfer.
static void add_between(struct record *r, const struct lull_layer_item *item)
{
    if (item->kind == LULL_LAYER_ORDER) {
        lull_str_addf(&r->order, "%s%s", r->order.size != 0 ? "," : "", item->head);
        r->norders++;
    } else if (item->kind == LULL_LAYER_TRANSFER) {
        lull_str_addf(&r->transfers, "%s{%s,\"behind\":%zu}", r->transfers.size != 0 ? "," : "",
                      item->head, r->norders);
    }
}

static void add_commands(struct record *r, bool draws, VkCommandBuffer cmd)
{
    const struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_COMMANDS, HANDLE(cmd));
    const struct lull_layer_commands *c = e != NULL ? e->data : NULL;
    for (size_t i = 0; c != NULL && i < c->nitems; i++) {
        const struct lull_layer_item *item = &c->items[i];
        if (!draws) {
            add_between(r, item);
        }
        if (item->kind != (draws ? LULL_LAYER_DRAW : LULL_LAYER_DISPATCH)) {
            continue;
        }
        bool both = r->labels[0] != '\0' && item->labels[0] != '\0';
        lull_str_addf(&r->line, "%s{\"cmd\":\"0x%llx\",", r->count++ > 0 ? "," : "",
                      (unsigned long long)HANDLE(cmd));
        lull_str_addf(&r->line, "%s,\"labels\":[%s%s", item->head, r->labels, both ? "," : "");
        lull_str_addf(&r->line, "%s]%s", item->labels, item->tail);
        if (!draws) {
            put_between(r, &r->order, "after");
            put_between(r, &r->transfers, "transfers");
            r->norders = 0;
        }
        lull_str_addf(&r->line, "}");
    }
}

// A batch has dispatches from @p at on: text of the lists of semaphores that follow.
static void begin_sync(struct record *r, size_t at)
{
    lull_str_addf(&r->sync, "%s{\"at\":%zu,\"end\":%zu,\"waits\":[", r->sync.size != 0 ? "," : "",
                  at, r->count);
}

static void add_semaphore(struct record *r, bool first, VkSemaphore semaphore, uint64_t value,
                          uint64_t stages)
{
    lull_str_addf(&r->sync, "%s[\"0x%llx\",%llu,%llu]", first ? "" : ",",
                  (unsigned long long)HANDLE(semaphore), (unsigned long long)value,
                  (unsigned long long)stages);
}

// A semaphore without a value is binary: what signals it the reader does not look for.
static void add_sync(struct record *r, size_t at, const VkSubmitInfo *info)
{
    const VkTimelineSemaphoreSubmitInfo *values =
        lull_layer_in_chain(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    if (info->waitSemaphoreCount == 0 && info->signalSemaphoreCount == 0) {
        return;
    }
    begin_sync(r, at);
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++) {
        const bool there = values != NULL && i < values->waitSemaphoreValueCount;
        add_semaphore(r, i == 0, info->pWaitSemaphores[i],
                      there ? values->pWaitSemaphoreValues[i] : 0, info->pWaitDstStageMask[i]);
    }
    lull_str_addf(&r->sync, "],\"signals\":[");
    for (uint32_t i = 0; i < info->signalSemaphoreCount; i++) {
        const bool there = values != NULL && i < values->signalSemaphoreValueCount;
        add_semaphore(r, i == 0, info->pSignalSemaphores[i],
                      there ? values->pSignalSemaphoreValues[i] : 0,
                      VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    }
    lull_str_addf(&r->sync, "]}");
}

static void add_sync2(struct record *r, size_t at, const VkSubmitInfo2 *info)
{
    if (info->waitSemaphoreInfoCount == 0 && info->signalSemaphoreInfoCount == 0) {
        return;
    }
    begin_sync(r, at);
    for (uint32_t i = 0; i < info->waitSemaphoreInfoCount; i++) {
        const VkSemaphoreSubmitInfo *s = &info->pWaitSemaphoreInfos[i];
        add_semaphore(r, i == 0, s->semaphore, s->value, s->stageMask);
    }
    lull_str_addf(&r->sync, "],\"signals\":[");
    for (uint32_t i = 0; i < info->signalSemaphoreInfoCount; i++) {
        const VkSemaphoreSubmitInfo *s = &info->pSignalSemaphoreInfos[i];
        add_semaphore(r, i == 0, s->semaphore, s->value, s->stageMask);
    }
    lull_str_addf(&r->sync, "]}");
}

// What comes behind the last dispatch, and whether it waits for another submission.
static void end_record(struct record *r, bool waits)
{
    put_between(r, &r->order, "end");
    put_between(r, &r->transfers, "end_transfers");
    put_between(r, &r->sync, "sync");
    lull_json_put_bool(&r->j, "waits", waits);
    lull_layer_write(&r->j);
}

static void begin_list(struct record *r, bool draws)
{
    r->j.out = &r->line; // It moved when it was returned.
    r->count = 0;
    lull_json_key(&r->j, draws ? "draws" : "dispatches");
    lull_json_open(&r->j, '[');
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count,
                                             const VkSubmitInfo *infos, VkFence fence)
{
    const struct lull_layer_device *d = lull_layer_device(queue);
    const uint64_t stack = lull_layer_stack();
    bool waits = false;
    for (uint32_t i = 0; i < count; i++) {
        waits |= infos[i].waitSemaphoreCount != 0;
    }
    lull_layer_lock();
    struct record r = start_record(queue, stack);
    for (unsigned draws = 0; draws < 2; draws++) {
        begin_list(&r, draws != 0);
        for (uint32_t i = 0; i < count; i++) {
            const size_t at = r.count;
            for (uint32_t n = 0; n < infos[i].commandBufferCount; n++) {
                add_commands(&r, draws != 0, infos[i].pCommandBuffers[n]);
            }
            if (draws == 0) {
                add_sync(&r, at, &infos[i]);
            }
        }
        lull_json_close(&r.j, ']');
    }
    end_record(&r, waits);
    lull_layer_unlock();
    return ((PFN_vkQueueSubmit)d->next[LULL_FN_SUBMIT])(queue, count, infos, fence);
}

static void record_submit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *infos)
{
    const uint64_t stack = lull_layer_stack();
    bool waits = false;
    for (uint32_t i = 0; i < count; i++) {
        waits |= infos[i].waitSemaphoreInfoCount != 0;
    }
    lull_layer_lock();
    struct record r = start_record(queue, stack);
    for (unsigned draws = 0; draws < 2; draws++) {
        begin_list(&r, draws != 0);
        for (uint32_t i = 0; i < count; i++) {
            const size_t at = r.count;
            for (uint32_t n = 0; n < infos[i].commandBufferInfoCount; n++) {
                add_commands(&r, draws != 0, infos[i].pCommandBufferInfos[n].commandBuffer);
            }
            if (draws == 0) {
                add_sync2(&r, at, &infos[i]);
            }
        }
        lull_json_close(&r.j, ']');
    }
    end_record(&r, waits);
    lull_layer_unlock();
}

static VKAPI_ATTR VkResult VKAPI_CALL submit2(VkQueue queue, uint32_t count,
                                              const VkSubmitInfo2 *infos, VkFence fence)
{
    const struct lull_layer_device *d = lull_layer_device(queue);
    record_submit2(queue, count, infos);
    return ((PFN_vkQueueSubmit2)d->next[LULL_FN_SUBMIT2])(queue, count, infos, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit2_khr(VkQueue queue, uint32_t count,
                                                  const VkSubmitInfo2 *infos, VkFence fence)
{
    const struct lull_layer_device *d = lull_layer_device(queue);
    record_submit2(queue, count, infos);
    return ((PFN_vkQueueSubmit2)d->next[LULL_FN_SUBMIT2_KHR])(queue, count, infos, fence);
}

// What is submitted from now on is of the next frame. What the driver submits to present is not.
static VKAPI_ATTR VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR *info)
{
    const struct lull_layer_device *d = lull_layer_device(queue);
    VkResult result = ((PFN_vkQueuePresentKHR)d->next[LULL_FN_PRESENT])(queue, info);
    lull_layer_lock();
    lull_layer_presented();
    lull_layer_unlock();
    return result;
}

static VKAPI_ATTR void VKAPI_CALL begin_label(VkQueue queue, const VkDebugUtilsLabelEXT *info)
{
    const struct lull_layer_device *d = lull_layer_device(queue);
    lull_layer_lock();
    struct lull_layer_queue *q = queue_of(queue);
    if (q != NULL) {
        lull_layer_label_push(&q->labels, info->pLabelName);
    }
    lull_layer_unlock();
    PFN_vkQueueBeginDebugUtilsLabelEXT next =
        (PFN_vkQueueBeginDebugUtilsLabelEXT)d->next[LULL_FN_QUEUE_BEGIN_LABEL];
    if (next != NULL) {
        next(queue, info);
    }
}

static VKAPI_ATTR void VKAPI_CALL end_label(VkQueue queue)
{
    const struct lull_layer_device *d = lull_layer_device(queue);
    lull_layer_lock();
    struct lull_layer_queue *q = queue_of(queue);
    if (q != NULL) {
        lull_layer_label_pop(&q->labels);
    }
    lull_layer_unlock();
    PFN_vkQueueEndDebugUtilsLabelEXT next =
        (PFN_vkQueueEndDebugUtilsLabelEXT)d->next[LULL_FN_QUEUE_END_LABEL];
    if (next != NULL) {
        next(queue);
    }
}

const struct lull_layer_hook *lull_layer_submit_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkGetDeviceQueue", LULL_FN_GET_QUEUE, (PFN_vkVoidFunction)get_queue},
        {"vkGetDeviceQueue2", LULL_FN_GET_QUEUE2, (PFN_vkVoidFunction)get_queue2},
        {"vkQueueSubmit", LULL_FN_SUBMIT, (PFN_vkVoidFunction)submit},
        {"vkQueueSubmit2", LULL_FN_SUBMIT2, (PFN_vkVoidFunction)submit2},
        {"vkQueueSubmit2KHR", LULL_FN_SUBMIT2_KHR, (PFN_vkVoidFunction)submit2_khr},
        {"vkQueuePresentKHR", LULL_FN_PRESENT, (PFN_vkVoidFunction)present},
        {"vkQueueBeginDebugUtilsLabelEXT", LULL_FN_QUEUE_BEGIN_LABEL,
         (PFN_vkVoidFunction)begin_label},
        {"vkQueueEndDebugUtilsLabelEXT", LULL_FN_QUEUE_END_LABEL, (PFN_vkVoidFunction)end_label},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
