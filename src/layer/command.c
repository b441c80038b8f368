// SPDX-License-Identifier: MIT
// Command buffers: which labels are open, and the dispatches recorded.
#include <stdlib.h>
#include <string.h>

#include "layer/layer.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

struct lull_layer_commands *lull_layer_commands_of(VkCommandBuffer cmd)
{
    struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_COMMANDS, HANDLE(cmd));
    return e != NULL ? e->data : NULL;
}

static void drop_items(struct lull_layer_commands *c)
{
    for (size_t i = 0; i < c->nitems; i++) {
        free(c->items[i].head);
        free(c->items[i].labels);
        free(c->items[i].tail);
    }
    c->nitems = 0;
}

static void forget_sets(struct lull_layer_sets *b)
{
    for (size_t i = 0; i < LULL_LAYER_MAX_SETS; i++) {
        free(b->offsets[i]);
    }
    free(b->pushed);
    *b = (struct lull_layer_sets){.nsets = 0};
}

// A new recording, and what vkCmdExecuteCommands leaves: nothing is bound.
static void forget_state(struct lull_layer_commands *c)
{
    c->pipeline = 0;
    c->graphics = 0;
    forget_sets(&c->compute);
    forget_sets(&c->draws);
    memset(c->push, 0, sizeof c->push);
    c->npush = 0;
}

void lull_layer_commands_reset(struct lull_layer_commands *c)
{
    drop_items(c);
    forget_state(c);
    lull_layer_labels_done(&c->labels);
}

void lull_layer_commands_drop(uint64_t handle)
{
    struct lull_layer_commands *c = lull_layer_drop(LULL_LAYER_COMMANDS, handle);
    if (c != NULL) {
        lull_layer_commands_reset(c);
        free(c->items);
        free(c);
    }
}

static void add_commands(VkDevice device, VkCommandPool pool, VkCommandBuffer cmd)
{
    lull_layer_commands_drop(HANDLE(cmd)); // One of the same handle that went unseen.
    struct lull_layer_commands *c = calloc(1, sizeof *c);
    struct lull_layer_entry *e =
        c != NULL ? lull_layer_put(LULL_LAYER_COMMANDS, HANDLE(cmd)) : NULL;
    if (e == NULL) {
        free(c);
        return;
    }
    c->device = device;
    c->pool = HANDLE(pool);
    e->data = c;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_cmds(VkDevice device,
                                                    const VkCommandBufferAllocateInfo *info,
                                                    VkCommandBuffer *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    VkResult result =
        ((PFN_vkAllocateCommandBuffers)d->next[LULL_FN_ALLOCATE_CMDS])(device, info, ret);
    if (result == VK_SUCCESS) {
        lull_layer_lock();
        for (uint32_t i = 0; i < info->commandBufferCount; i++) {
            add_commands(device, info->commandPool, ret[i]);
        }
        lull_layer_unlock();
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL free_cmds(VkDevice device, VkCommandPool pool, uint32_t count,
                                            const VkCommandBuffer *cmds)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    lull_layer_lock();
    for (uint32_t i = 0; i < count; i++) {
        lull_layer_commands_drop(HANDLE(cmds[i]));
    }
    lull_layer_unlock();
    ((PFN_vkFreeCommandBuffers)d->next[LULL_FN_FREE_CMDS])(device, pool, count, cmds);
}

static void drop_of_pool(struct lull_layer_entry *e, void *arg)
{
    const struct lull_layer_commands *c = e->data;
    if (c->pool == *(const uint64_t *)arg) {
        lull_layer_commands_drop(e->handle);
    }
}

static void reset_of_pool(struct lull_layer_entry *e, void *arg)
{
    struct lull_layer_commands *c = e->data;
    if (c->pool == *(const uint64_t *)arg) {
        lull_layer_commands_reset(c);
    }
}

static VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice device, VkCommandPool pool,
                                               const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    uint64_t handle = HANDLE(pool);
    lull_layer_lock();
    lull_layer_each(LULL_LAYER_COMMANDS, drop_of_pool, &handle);
    lull_layer_unlock();
    ((PFN_vkDestroyCommandPool)d->next[LULL_FN_DESTROY_POOL])(device, pool, alloc);
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_pool(VkDevice device, VkCommandPool pool,
                                                 VkCommandPoolResetFlags flags)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    uint64_t handle = HANDLE(pool);
    lull_layer_lock();
    lull_layer_each(LULL_LAYER_COMMANDS, reset_of_pool, &handle);
    lull_layer_unlock();
    return ((PFN_vkResetCommandPool)d->next[LULL_FN_RESET_POOL])(device, pool, flags);
}

static void reset_known(VkCommandBuffer cmd)
{
    lull_layer_lock();
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    if (c != NULL) {
        lull_layer_commands_reset(c);
    }
    lull_layer_unlock();
}

static VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer cmd,
                                            const VkCommandBufferBeginInfo *info)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    reset_known(cmd);
    return ((PFN_vkBeginCommandBuffer)d->next[LULL_FN_BEGIN])(cmd, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL reset(VkCommandBuffer cmd, VkCommandBufferResetFlags flags)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    reset_known(cmd);
    return ((PFN_vkResetCommandBuffer)d->next[LULL_FN_RESET])(cmd, flags);
}

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer cmd, VkPipelineBindPoint point,
                                                VkPipeline pipeline)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    lull_layer_lock();
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    if (c != NULL && point == VK_PIPELINE_BIND_POINT_COMPUTE) {
        c->pipeline = HANDLE(pipeline);
    } else if (c != NULL && point == VK_PIPELINE_BIND_POINT_GRAPHICS) {
        c->graphics = HANDLE(pipeline);
    }
    lull_layer_unlock();
    ((PFN_vkCmdBindPipeline)d->next[LULL_FN_BIND_PIPELINE])(cmd, point, pipeline);
}

static void add_sets(struct lull_str *s, const struct lull_layer_sets *b)
{
    lull_str_addf(s, ",\"sets\":[");
    uint32_t last = 0; // Sets with offsets, and those before them.
    for (uint32_t i = 0; i < b->nsets; i++) {
        const char *comma = i > 0 ? "," : "";
        if (b->sets[i] == UINT64_MAX) {
            lull_str_addf(s, "%s\"push\"", comma);
        } else if (b->sets[i] == 0) {
            lull_str_addf(s, "%snull", comma);
        } else {
            lull_str_addf(s, "%s\"0x%llx\"", comma, (unsigned long long)b->sets[i]);
        }
        last = b->noffsets[i] > 0 ? i + 1 : last;
    }
    lull_str_addf(s, "]%s", last > 0 ? ",\"offsets\":[" : "");
    for (uint32_t i = 0; i < last; i++) {
        lull_str_addf(s, "%s[", i > 0 ? "," : "");
        for (uint32_t n = 0; n < b->noffsets[i]; n++) {
            lull_str_addf(s, "%s%u", n > 0 ? "," : "", b->offsets[i][n]);
        }
        lull_str_addf(s, "]");
    }
    lull_str_addf(s, "%s", last > 0 ? "]" : "");
}

// Takes the text of head and tail.
static void add_item(struct lull_layer_commands *c, enum lull_layer_item_kind kind,
                     struct lull_str *head, const char *labels, struct lull_str *tail)
{
    if (c->nitems == c->room) {
        size_t room = 2 * c->room + 8;
        struct lull_layer_item *items = realloc(c->items, room * sizeof *items);
        if (items != NULL) {
            c->items = items;
            c->room = room;
        }
    }
    char *copy = strdup(labels);
    if (c->nitems == c->room || copy == NULL || head->err != NULL || tail->err != NULL) {
        free(copy);
        lull_str_free(head);
        lull_str_free(tail);
        return;
    }
    c->items[c->nitems++] = (struct lull_layer_item){
        .kind = kind, .head = head->text, .labels = copy, .tail = tail->text};
}

// Adds what is bound to a dispatch whose grid is in *how, which is taken.
static void add_dispatch(VkCommandBuffer cmd, struct lull_str *how)
{
    lull_str_addf(how, ",\"stack\":%llu", (unsigned long long)lull_layer_stack());
    lull_layer_lock();
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    if (c == NULL) {
        lull_layer_unlock();
        lull_str_free(how);
        return;
    }
    lull_str_addf(how, ",\"pipeline\":\"0x%llx\"", (unsigned long long)c->pipeline);
    struct lull_str tail = {0};
    add_sets(&tail, &c->compute);
    lull_layer_add_pushed(&tail, &c->compute);
    lull_str_addf(&tail, ",\"push\":\"");
    for (uint32_t i = 0; i < c->npush; i++) {
        lull_str_addf(&tail, "%02x", c->push[i]);
    }
    lull_str_addf(&tail, "\"");
    add_item(c, LULL_LAYER_DISPATCH, how, lull_str_text(&c->labels.text), &tail);
    lull_layer_unlock();
}

void lull_layer_add_draw(uint64_t cmd, struct lull_str *how)
{
    lull_str_addf(how, ",\"stack\":%llu", (unsigned long long)lull_layer_stack());
    lull_layer_lock();
    const struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_COMMANDS, cmd);
    struct lull_layer_commands *c = e != NULL ? e->data : NULL;
    if (c != NULL) {
        struct lull_str tail = {0};
        lull_str_addf(how, ",\"pipeline\":\"0x%llx\"", (unsigned long long)c->graphics);
        add_sets(&tail, &c->draws);
        lull_layer_add_pushed(&tail, &c->draws);
        add_item(c, LULL_LAYER_DRAW, how, lull_str_text(&c->labels.text), &tail);
    } else {
        lull_str_free(how);
    }
    lull_layer_unlock();
}

/** What has a head alone; takes *text. */
static void add_alone(uint64_t cmd, enum lull_layer_item_kind kind, struct lull_str *text)
{
    lull_layer_lock();
    const struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_COMMANDS, cmd);
    struct lull_layer_commands *c = e != NULL ? e->data : NULL;
    if (c != NULL) {
        struct lull_str tail = {0};
        lull_str_addf(&tail, "%s", "");
        add_item(c, kind, text, "", &tail);
    } else {
        lull_str_free(text);
    }
    lull_layer_unlock();
}

void lull_layer_add_order(uint64_t cmd, struct lull_str *text)
{
    add_alone(cmd, LULL_LAYER_ORDER, text);
}

void lull_layer_add_transfer(uint64_t cmd, struct lull_str *text)
{
    add_alone(cmd, LULL_LAYER_TRANSFER, text);
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    struct lull_str how = {0};
    lull_str_addf(&how, "\"grid\":[%u,%u,%u]", x, y, z);
    add_dispatch(cmd, &how);
    ((PFN_vkCmdDispatch)d->next[LULL_FN_DISPATCH])(cmd, x, y, z);
}

static void dispatch_base_by(enum lull_layer_fn fn, VkCommandBuffer cmd, const uint32_t base[3],
                             const uint32_t grid[3])
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    struct lull_str how = {0};
    lull_str_addf(&how, "\"grid\":[%u,%u,%u],\"base\":[%u,%u,%u]", grid[0], grid[1], grid[2],
                  base[0], base[1], base[2]);
    add_dispatch(cmd, &how);
    ((PFN_vkCmdDispatchBase)d->next[fn])(cmd, base[0], base[1], base[2], grid[0], grid[1], grid[2]);
}

static VKAPI_ATTR void VKAPI_CALL dispatch_base(VkCommandBuffer cmd, uint32_t bx, uint32_t by,
                                                uint32_t bz, uint32_t x, uint32_t y, uint32_t z)
{
    dispatch_base_by(LULL_FN_DISPATCH_BASE, cmd, (uint32_t[3]){bx, by, bz}, (uint32_t[3]){x, y, z});
}

static VKAPI_ATTR void VKAPI_CALL dispatch_base_khr(VkCommandBuffer cmd, uint32_t bx, uint32_t by,
                                                    uint32_t bz, uint32_t x, uint32_t y, uint32_t z)
{
    dispatch_base_by(LULL_FN_DISPATCH_BASE_KHR, cmd, (uint32_t[3]){bx, by, bz},
                     (uint32_t[3]){x, y, z});
}

static VKAPI_ATTR void VKAPI_CALL dispatch_indirect(VkCommandBuffer cmd, VkBuffer buffer,
                                                    VkDeviceSize offset)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    struct lull_str how = {0};
    lull_str_addf(&how, "\"indirect\":{\"buffer\":\"0x%llx\",\"offset\":%llu}",
                  (unsigned long long)HANDLE(buffer), (unsigned long long)offset);
    add_dispatch(cmd, &how);
    ((PFN_vkCmdDispatchIndirect)d->next[LULL_FN_DISPATCH_INDIRECT])(cmd, buffer, offset);
}

// What a secondary command buffer holds now is in the primary from now on.
static void take_items(struct lull_layer_commands *c, const struct lull_layer_commands *from)
{
    for (size_t i = 0; i < from->nitems; i++) {
        const struct lull_layer_item *item = &from->items[i];
        const char *outer = lull_str_text(&c->labels.text);
        struct lull_str head = {0}, labels = {0}, tail = {0};
        lull_str_addf(&head, "%s", item->head);
        lull_str_addf(&labels, "%s%s%s", outer,
                      outer[0] != '\0' && item->labels[0] != '\0' ? "," : "", item->labels);
        lull_str_addf(&tail, "%s", item->tail);
        add_item(c, item->kind, &head, lull_str_text(&labels), &tail);
        lull_str_free(&labels);
    }
}

static VKAPI_ATTR void VKAPI_CALL execute(VkCommandBuffer cmd, uint32_t count,
                                          const VkCommandBuffer *cmds)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    lull_layer_lock();
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    for (uint32_t i = 0; c != NULL && i < count; i++) {
        const struct lull_layer_commands *from = lull_layer_commands_of(cmds[i]);
        if (from != NULL && from != c) {
            take_items(c, from);
        }
    }
    if (c != NULL) {
        forget_state(c);
    }
    lull_layer_unlock();
    ((PFN_vkCmdExecuteCommands)d->next[LULL_FN_EXECUTE])(cmd, count, cmds);
}

static VKAPI_ATTR void VKAPI_CALL begin_label(VkCommandBuffer cmd, const VkDebugUtilsLabelEXT *info)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    lull_layer_lock();
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    if (c != NULL) {
        lull_layer_label_push(&c->labels, info->pLabelName);
    }
    lull_layer_unlock();
    PFN_vkCmdBeginDebugUtilsLabelEXT next =
        (PFN_vkCmdBeginDebugUtilsLabelEXT)d->next[LULL_FN_BEGIN_LABEL];
    if (next != NULL) {
        next(cmd, info);
    }
}

static VKAPI_ATTR void VKAPI_CALL end_label(VkCommandBuffer cmd)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    lull_layer_lock();
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    if (c != NULL) {
        lull_layer_label_pop(&c->labels);
    }
    lull_layer_unlock();
    PFN_vkCmdEndDebugUtilsLabelEXT next =
        (PFN_vkCmdEndDebugUtilsLabelEXT)d->next[LULL_FN_END_LABEL];
    if (next != NULL) {
        next(cmd);
    }
}

const struct lull_layer_hook *lull_layer_command_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkAllocateCommandBuffers", LULL_FN_ALLOCATE_CMDS, (PFN_vkVoidFunction)allocate_cmds},
        {"vkFreeCommandBuffers", LULL_FN_FREE_CMDS, (PFN_vkVoidFunction)free_cmds},
        {"vkDestroyCommandPool", LULL_FN_DESTROY_POOL, (PFN_vkVoidFunction)destroy_pool},
        {"vkResetCommandPool", LULL_FN_RESET_POOL, (PFN_vkVoidFunction)reset_pool},
        {"vkBeginCommandBuffer", LULL_FN_BEGIN, (PFN_vkVoidFunction)begin},
        {"vkResetCommandBuffer", LULL_FN_RESET, (PFN_vkVoidFunction)reset},
        {"vkCmdBindPipeline", LULL_FN_BIND_PIPELINE, (PFN_vkVoidFunction)bind_pipeline},
        {"vkCmdDispatch", LULL_FN_DISPATCH, (PFN_vkVoidFunction)dispatch},
        {"vkCmdDispatchBase", LULL_FN_DISPATCH_BASE, (PFN_vkVoidFunction)dispatch_base},
        {"vkCmdDispatchBaseKHR", LULL_FN_DISPATCH_BASE_KHR, (PFN_vkVoidFunction)dispatch_base_khr},
        {"vkCmdDispatchIndirect", LULL_FN_DISPATCH_INDIRECT, (PFN_vkVoidFunction)dispatch_indirect},
        {"vkCmdExecuteCommands", LULL_FN_EXECUTE, (PFN_vkVoidFunction)execute},
        {"vkCmdBeginDebugUtilsLabelEXT", LULL_FN_BEGIN_LABEL, (PFN_vkVoidFunction)begin_label},
        {"vkCmdEndDebugUtilsLabelEXT", LULL_FN_END_LABEL, (PFN_vkVoidFunction)end_label},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
