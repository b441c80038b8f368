// SPDX-License-Identifier: MIT
// Events: where in command buffers they are set and reset, and that the host sets one.
#include "layer/layer.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

static void add_set(VkCommandBuffer cmd, VkEvent event, uint64_t stages)
{
    struct lull_str text = {0};
    lull_str_addf(&text, "{\"set\":\"0x%llx\",\"stages\":%llu}", (unsigned long long)HANDLE(event),
                  (unsigned long long)stages);
    lull_layer_add_order(HANDLE(cmd), &text);
}

static void add_reset(VkCommandBuffer cmd, VkEvent event)
{
    struct lull_str text = {0};
    lull_str_addf(&text, "{\"reset\":\"0x%llx\"}", (unsigned long long)HANDLE(event));
    lull_layer_add_order(HANDLE(cmd), &text);
}

static VKAPI_ATTR void VKAPI_CALL set(VkCommandBuffer cmd, VkEvent event,
                                      VkPipelineStageFlags stages)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_set(cmd, event, stages);
    ((PFN_vkCmdSetEvent)d->next[LULL_FN_CMD_SET_EVENT])(cmd, event, stages);
}

// Its stages are those of the wait, which has the same barriers.
static VKAPI_ATTR void VKAPI_CALL set2(VkCommandBuffer cmd, VkEvent event,
                                       const VkDependencyInfo *info)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_set(cmd, event, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
    ((PFN_vkCmdSetEvent2)d->next[LULL_FN_CMD_SET_EVENT2])(cmd, event, info);
}

static VKAPI_ATTR void VKAPI_CALL set2_khr(VkCommandBuffer cmd, VkEvent event,
                                           const VkDependencyInfo *info)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_set(cmd, event, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
    ((PFN_vkCmdSetEvent2)d->next[LULL_FN_CMD_SET_EVENT2_KHR])(cmd, event, info);
}

static VKAPI_ATTR void VKAPI_CALL reset(VkCommandBuffer cmd, VkEvent event,
                                        VkPipelineStageFlags stages)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_reset(cmd, event);
    ((PFN_vkCmdResetEvent)d->next[LULL_FN_CMD_RESET_EVENT])(cmd, event, stages);
}

static VKAPI_ATTR void VKAPI_CALL reset2(VkCommandBuffer cmd, VkEvent event,
                                         VkPipelineStageFlags2 stages)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_reset(cmd, event);
    ((PFN_vkCmdResetEvent2)d->next[LULL_FN_CMD_RESET_EVENT2])(cmd, event, stages);
}

static VKAPI_ATTR void VKAPI_CALL reset2_khr(VkCommandBuffer cmd, VkEvent event,
                                             VkPipelineStageFlags2 stages)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    add_reset(cmd, event);
    ((PFN_vkCmdResetEvent2)d->next[LULL_FN_CMD_RESET_EVENT2_KHR])(cmd, event, stages);
}

static VKAPI_ATTR VkResult VKAPI_CALL host_set(VkDevice device, VkEvent event)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "event");
    lull_json_put_hex(&j, "event", HANDLE(event));
    lull_layer_write(&j);
    lull_layer_unlock();
    return ((PFN_vkSetEvent)d->next[LULL_FN_SET_EVENT])(device, event);
}

const struct lull_layer_hook *lull_layer_event_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkCmdSetEvent", LULL_FN_CMD_SET_EVENT, (PFN_vkVoidFunction)set},
        {"vkCmdSetEvent2", LULL_FN_CMD_SET_EVENT2, (PFN_vkVoidFunction)set2},
        {"vkCmdSetEvent2KHR", LULL_FN_CMD_SET_EVENT2_KHR, (PFN_vkVoidFunction)set2_khr},
        {"vkCmdResetEvent", LULL_FN_CMD_RESET_EVENT, (PFN_vkVoidFunction)reset},
        {"vkCmdResetEvent2", LULL_FN_CMD_RESET_EVENT2, (PFN_vkVoidFunction)reset2},
        {"vkCmdResetEvent2KHR", LULL_FN_CMD_RESET_EVENT2_KHR, (PFN_vkVoidFunction)reset2_khr},
        {"vkSetEvent", LULL_FN_SET_EVENT, (PFN_vkVoidFunction)host_set},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
