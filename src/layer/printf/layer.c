// SPDX-License-Identifier: MIT
// A device begins and ends; who answers which name.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/device_features.h"
#include "layer/printf/printf.h"
#include "printf/table.h"

static const char *const next_names[] = {
    // as struct lull_lp_next has them
    "vkDestroyDevice",
    "vkCreateBuffer",
    "vkDestroyBuffer",
    "vkGetBufferMemoryRequirements",
    "vkAllocateMemory",
    "vkFreeMemory",
    "vkBindBufferMemory",
    "vkMapMemory",
    "vkCreateFence",
    "vkDestroyFence",
    "vkResetFences",
    "vkGetFenceStatus",
    "vkWaitForFences",
    "vkQueueSubmit",
    "vkQueueSubmit2",
    "vkQueueSubmit2KHR",
    "vkQueueWaitIdle",
    "vkDeviceWaitIdle",
    "vkWaitSemaphores",
    "vkWaitSemaphoresKHR",
    "vkGetSemaphoreCounterValue",
    "vkGetSemaphoreCounterValueKHR",
    "vkGetEventStatus",
    "vkGetQueryPoolResults",
    "vkQueuePresentKHR",
    "vkSetDebugUtilsObjectNameEXT",
    "vkCreateShaderModule",
    "vkDestroyShaderModule",
    "vkCreateComputePipelines",
    "vkCreateGraphicsPipelines",
    "vkCreateRayTracingPipelinesKHR",
    "vkDestroyPipeline",
    "vkCreateShadersEXT",
    "vkDestroyShaderEXT",
    "vkCmdBindShadersEXT",
    "vkBeginCommandBuffer",
    "vkFreeCommandBuffers",
    "vkCmdBindPipeline",
    "vkCmdExecuteCommands",
    "vkCmdPipelineBarrier",
    "vkCmdFillBuffer",
    "vkCmdDispatch",
    "vkCmdDispatchIndirect",
    "vkCmdDispatchBase",
    "vkCmdDispatchBaseKHR",
    "vkCmdDraw",
    "vkCmdDrawIndexed",
    "vkCmdDrawIndirect",
    "vkCmdDrawIndexedIndirect",
    "vkCmdDrawIndirectCount",
    "vkCmdDrawIndirectCountKHR",
    "vkCmdDrawIndexedIndirectCount",
    "vkCmdDrawIndexedIndirectCountKHR",
    "vkCmdDrawIndirectByteCountEXT",
    "vkCmdDrawMultiEXT",
    "vkCmdDrawMultiIndexedEXT",
    "vkCmdDrawMeshTasksEXT",
    "vkCmdDrawMeshTasksIndirectEXT",
    "vkCmdDrawMeshTasksIndirectCountEXT",
};
static_assert(sizeof next_names / sizeof next_names[0] ==
                  sizeof(struct lull_lp_next) / sizeof(PFN_vkVoidFunction),
              "a name for each function");

static void find_next(struct lull_lp_device *d)
{
    for (size_t i = 0; i < sizeof next_names / sizeof next_names[0]; i++) {
        const PFN_vkVoidFunction fn = d->next_proc(d->handle, next_names[i]);
        memcpy((PFN_vkVoidFunction *)&d->next + i, &fn, sizeof fn);
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkDevice *ret)
{
    struct lull_lp_device *d = calloc(1, sizeof *d);
    struct lull_features features = {0};
    if (d == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    const char *why = lull_features_ask(physical, info, &features);
    const bool on = why == NULL;
    if (!on) {
        lull_lp_complain("printf is off: %s", why);
    }
    const VkResult r =
        lull_loader_create_device(physical, on ? &features.now : info, alloc, ret, &d->next_proc);
    lull_features_done(&features);
    if (r != VK_SUCCESS) {
        free(d);
        return r;
    }
    d->key = lull_loader_key(*ret);
    d->handle = *ret;
    d->process = getpid();
    pthread_mutex_init(&d->lock, NULL);
    find_next(d);
    if (on) {
        lull_lp_buffer(d, physical, info);
    }
    lull_lp_device_add(d);
    return r;
}

static void free_device(struct lull_lp_device *d)
{
    for (struct lull_lp_commands *c = d->commands, *other = NULL; c != NULL; c = other) {
        other = c->other;
        free(c->uses);
        free(c);
    }
    lull_printf_table_free(d->table);
    lull_arena_done(&d->arena);
    free(d->sites);
    free(d->serials);
    free(d->fences);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle,
                                                 const VkAllocationCallbacks *alloc)
{
    struct lull_lp_device *d = handle != VK_NULL_HANDLE ? lull_lp_device(handle) : NULL;
    if (d == NULL) {
        return;
    }
    lull_lp_drain(d, true); // A device that is destroyed is idle.
    lull_lp_device_drop(d);
    if (d->buffer != VK_NULL_HANDLE) {
        lull_lp_buffer_done(d);
    }
    d->next.destroy_device(handle, alloc);
    free_device(d);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice handle, const char *name);

static PFN_vkVoidFunction device_hook(const char *name)
{
    static const struct lull_loader_hook own[] = {
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
        {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
    };
    static const struct lull_loader_hook *(*const lists[])(size_t *) = {
        lull_lp_module_hooks, lull_lp_pipeline_hooks, lull_lp_command_hooks, lull_lp_draw_hooks,
        lull_lp_submit_hooks};
    PFN_vkVoidFunction fn = lull_loader_find(own, sizeof own / sizeof own[0], name);
    for (size_t i = 0; fn == NULL && i < sizeof lists / sizeof lists[0]; i++) {
        size_t n = 0;
        const struct lull_loader_hook *hooks = lists[i](&n);
        fn = lull_loader_find(hooks, n, name);
    }
    return fn;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice handle, const char *name)
{
    const struct lull_lp_device *d = lull_lp_device(handle);
    const PFN_vkVoidFunction hook = device_hook(name);
    const PFN_vkVoidFunction next = d != NULL ? d->next_proc(handle, name) : NULL;
    return hook != NULL && (next != NULL || d == NULL) ? hook : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance handle, const char *name)
{
    static const struct lull_loader_hook own[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_proc},
        {"vkCreateInstance", (PFN_vkVoidFunction)lull_loader_create_instance},
        {"vkDestroyInstance", (PFN_vkVoidFunction)lull_loader_destroy_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
        {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
    };
    const PFN_vkVoidFunction mine = lull_loader_find(own, sizeof own / sizeof own[0], name);
    return mine != NULL ? mine : lull_loader_proc(handle, name, device_hook(name));
}

VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *v)
{
    return lull_loader_negotiate(v, instance_proc, device_proc);
}
