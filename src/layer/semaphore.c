// SPDX-License-Identifier: MIT
// Timeline semaphores: that they are there, and that the host signals one. Of one that others may
// signal, too, nothing is written: whoever waits for it waits for all.
#include "layer/layer.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

static void put(const char *kind, VkSemaphore semaphore, uint64_t value)
{
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, kind);
    lull_json_put_hex(&j, "semaphore", HANDLE(semaphore));
    lull_json_put_u64(&j, "value", value);
    lull_layer_write(&j);
    lull_layer_unlock();
}

static VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice device, const VkSemaphoreCreateInfo *info,
                                             const VkAllocationCallbacks *alloc, VkSemaphore *ret)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    const VkSemaphoreTypeCreateInfo *type =
        lull_layer_in_chain(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    const VkResult result =
        ((PFN_vkCreateSemaphore)d->next[LULL_FN_CREATE_SEMAPHORE])(device, info, alloc, ret);
    if (result == VK_SUCCESS && type != NULL && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE &&
        lull_layer_in_chain(info->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO) == NULL) {
        put("semaphore", *ret, type->initialValue);
    }
    return result;
}

static void put_free(VkSemaphore semaphore)
{
    lull_layer_lock();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "free");
    lull_json_put_u64(&j, "type", VK_OBJECT_TYPE_SEMAPHORE);
    lull_json_put_hex(&j, "handle", HANDLE(semaphore));
    lull_layer_write(&j);
    lull_layer_unlock();
}

static VKAPI_ATTR void VKAPI_CALL destroy(VkDevice device, VkSemaphore semaphore,
                                          const VkAllocationCallbacks *alloc)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    if (semaphore != VK_NULL_HANDLE) {
        put_free(semaphore);
    }
    ((PFN_vkDestroySemaphore)d->next[LULL_FN_DESTROY_SEMAPHORE])(device, semaphore, alloc);
}

// What it is from now on others know.
static VKAPI_ATTR VkResult VKAPI_CALL import(VkDevice device,
                                             const VkImportSemaphoreFdInfoKHR *info)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    put_free(info->semaphore);
    return ((PFN_vkImportSemaphoreFdKHR)d->next[LULL_FN_IMPORT_SEMAPHORE])(device, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL signal_value(VkDevice device,
                                                   const VkSemaphoreSignalInfo *info)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    put("signal", info->semaphore, info->value);
    return ((PFN_vkSignalSemaphore)d->next[LULL_FN_SIGNAL_SEMAPHORE])(device, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL signal_khr(VkDevice device, const VkSemaphoreSignalInfo *info)
{
    const struct lull_layer_device *d = lull_layer_device(device);
    put("signal", info->semaphore, info->value);
    return ((PFN_vkSignalSemaphore)d->next[LULL_FN_SIGNAL_SEMAPHORE_KHR])(device, info);
}

const struct lull_layer_hook *lull_layer_semaphore_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkCreateSemaphore", LULL_FN_CREATE_SEMAPHORE, (PFN_vkVoidFunction)create},
        {"vkDestroySemaphore", LULL_FN_DESTROY_SEMAPHORE, (PFN_vkVoidFunction)destroy},
        {"vkImportSemaphoreFdKHR", LULL_FN_IMPORT_SEMAPHORE, (PFN_vkVoidFunction)import},
        {"vkSignalSemaphore", LULL_FN_SIGNAL_SEMAPHORE, (PFN_vkVoidFunction)signal_value},
        {"vkSignalSemaphoreKHR", LULL_FN_SIGNAL_SEMAPHORE_KHR, (PFN_vkVoidFunction)signal_khr},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
