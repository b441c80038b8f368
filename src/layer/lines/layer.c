// SPDX-License-Identifier: MIT
// Devices, modules and pipelines; who answers which name.
#include <stdlib.h>
#include <string.h>

#include "layer/device_features.h"
#include "layer/lines/lines.h"
#include "spirv/marks.h"

static struct {
    pthread_mutex_t lock;
    struct lull_ll_device *devices;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct lull_ll_device *device_of(const void *handle)
{
    void *key = lull_loader_key(handle);
    pthread_mutex_lock(&all.lock);
    struct lull_ll_device *d = all.devices;
    while (d != NULL && d->key != key) {
        d = d->other;
    }
    pthread_mutex_unlock(&all.lock);
    return d;
}

/** What the device is created with: the program's, and the extension. */
struct asking {
    VkDeviceCreateInfo now;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR feature;
    const char **names; ///< Owned.
};

/** False: the driver shows no code, or the program has the feature's struct and does not ask for
 * it. */
static bool ask(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, struct asking *a)
{
    static const char name[] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    const uint32_t n = info->enabledExtensionCount;
    bool asked = false;
    a->now = *info;
    if (!lull_loader_has_extension(physical, name)) {
        lull_ll_complain("the driver has no %s", name);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        asked |= strcmp(info->ppEnabledExtensionNames[i], name) == 0;
    }
    for (const VkBaseInStructure *in = info->pNext; in != NULL; in = in->pNext) {
        if (in->sType ==
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR) {
            const VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR *f = (const void *)in;
            return asked && f->pipelineExecutableInfo == VK_TRUE;
        }
    }
    a->names = calloc(n + 1, sizeof *a->names);
    if (a->names == NULL) {
        return false;
    }
    if (n != 0) {
        memcpy(a->names, info->ppEnabledExtensionNames, n * sizeof *a->names);
    }
    a->names[n] = name;
    a->feature = (VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pNext = (void *)(uintptr_t)info->pNext,
        .pipelineExecutableInfo = VK_TRUE};
    a->now.pNext = &a->feature;
    a->now.ppEnabledExtensionNames = a->names;
    a->now.enabledExtensionCount = n + (asked ? 0 : 1);
    return true;
}

/** Does the device get what marks of indices need, and are they wanted? */
static bool asks_addresses(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                           struct lull_features *f)
{
    const char *why = "they are not wanted";
    if ((lull_ll_marks() & LULL_SPV_MARK_INDICES) != 0) {
        why = lull_features_ask(physical, info, f);
        if (why != NULL) {
            lull_ll_complain("indices are not looked at: %s", why);
        }
    }
    return why == NULL;
}

static PFN_vkVoidFunction next_of(const struct lull_ll_device *d, const char *name)
{
    return d->next_proc(d->handle, name);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkDevice *ret)
{
    struct lull_ll_device *d = calloc(1, sizeof *d);
    struct asking a = {0};
    struct lull_features f = {.now = *info};
    if (d == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    const bool marks = asks_addresses(physical, info, &f);
    d->on = getenv("LULL_LINES") != NULL && ask(physical, &f.now, &a);
    const VkResult r =
        lull_loader_create_device(physical, d->on ? &a.now : &f.now, alloc, ret, &d->next_proc);
    free(a.names);
    lull_features_done(&f);
    if (r != VK_SUCCESS) {
        free(d);
        return r;
    }
    d->key = lull_loader_key(*ret);
    d->handle = *ret;
    d->destroy = (PFN_vkDestroyDevice)next_of(d, "vkDestroyDevice");
    d->create_module = (PFN_vkCreateShaderModule)next_of(d, "vkCreateShaderModule");
    d->destroy_module = (PFN_vkDestroyShaderModule)next_of(d, "vkDestroyShaderModule");
    d->create_pipelines = (PFN_vkCreateComputePipelines)next_of(d, "vkCreateComputePipelines");
    d->create_graphics = (PFN_vkCreateGraphicsPipelines)next_of(d, "vkCreateGraphicsPipelines");
    d->destroy_pipeline = (PFN_vkDestroyPipeline)next_of(d, "vkDestroyPipeline");
    d->create_cache = (PFN_vkCreatePipelineCache)next_of(d, "vkCreatePipelineCache");
    d->destroy_cache = (PFN_vkDestroyPipelineCache)next_of(d, "vkDestroyPipelineCache");
    d->executables = (PFN_vkGetPipelineExecutablePropertiesKHR)next_of(
        d, "vkGetPipelineExecutablePropertiesKHR");
    d->representations = (PFN_vkGetPipelineExecutableInternalRepresentationsKHR)next_of(
        d, "vkGetPipelineExecutableInternalRepresentationsKHR");
    d->on = d->on && d->executables != NULL && d->representations != NULL;
    if (marks) {
        lull_ll_buffer(d);
    }
    pthread_mutex_lock(&all.lock);
    d->other = all.devices;
    all.devices = d;
    pthread_mutex_unlock(&all.lock);
    return r;
}

static void free_module(struct lull_ll_module *m)
{
    free(m->code);
    free(m);
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle,
                                                 const VkAllocationCallbacks *alloc)
{
    struct lull_ll_device *d = handle != VK_NULL_HANDLE ? device_of(handle) : NULL;
    if (d == NULL) {
        return;
    }
    pthread_mutex_lock(&all.lock);
    struct lull_ll_device **at = &all.devices;
    while (*at != d) {
        at = &(*at)->other;
    }
    *at = d->other;
    pthread_mutex_unlock(&all.lock);
    if (d->buffer != VK_NULL_HANDLE) {
        lull_ll_buffer_done(d);
    }
    d->destroy(handle, alloc);
    for (struct lull_ll_module *m = d->modules, *other = NULL; m != NULL; m = other) {
        other = m->other;
        free_module(m);
    }
    free(d);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice handle,
                                                    const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkShaderModule *ret)
{
    struct lull_ll_device *d = device_of(handle);
    VkShaderModuleCreateInfo now = *info;
    size_t bytes = 0;
    uint32_t *marked = lull_ll_marked(d, info->pCode, info->codeSize, &bytes);
    now.pCode = marked != NULL ? marked : info->pCode;
    now.codeSize = marked != NULL ? bytes : info->codeSize;
    const VkResult r = d->create_module(handle, &now, alloc, ret);
    struct lull_ll_module *m = r == VK_SUCCESS && d->on ? calloc(1, sizeof *m) : NULL;
    if (m != NULL) {
        m->code = marked != NULL ? marked : malloc(now.codeSize + 1);
    }
    if (m == NULL || m->code == NULL) {
        free(marked);
        free(m);
        return r;
    }
    if (marked == NULL) {
        memcpy(m->code, now.pCode, now.codeSize);
    }
    m->bytes = now.codeSize;
    m->handle = *ret;
    pthread_mutex_lock(&all.lock);
    m->other = d->modules;
    d->modules = m;
    pthread_mutex_unlock(&all.lock);
    return r;
}

static VKAPI_ATTR void VKAPI_CALL destroy_module(VkDevice handle, VkShaderModule module,
                                                 const VkAllocationCallbacks *alloc)
{
    struct lull_ll_device *d = device_of(handle);
    struct lull_ll_module *gone = NULL;
    pthread_mutex_lock(&all.lock);
    struct lull_ll_module **at = &d->modules;
    while (*at != NULL && (*at)->handle != module) {
        at = &(*at)->other;
    }
    if (*at != NULL) {
        gone = *at;
        *at = gone->other;
    }
    pthread_mutex_unlock(&all.lock);
    if (gone != NULL) {
        free_module(gone);
    }
    d->destroy_module(handle, module, alloc);
}

/** Compile @p s with changes, whose code @p stage says. */
static void look_at(struct lull_ll_device *d, struct lull_ll_shader *s,
                    const VkPipelineShaderStageCreateInfo *stage)
{
    const VkShaderModuleCreateInfo *own = stage->pNext;
    if (stage->module == VK_NULL_HANDLE) {
        if (own != NULL && own->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO) {
            s->code = own->pCode;
            s->bytes = own->codeSize;
            lull_ll_write(d, s);
        }
        return;
    }
    pthread_mutex_lock(&all.lock);
    const struct lull_ll_module *m = d->modules;
    while (m != NULL && m->handle != stage->module) {
        m = m->other;
    }
    pthread_mutex_unlock(&all.lock);
    if (m != NULL) {
        s->code = m->code;
        s->bytes = m->bytes;
        lull_ll_write(d, s);
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice handle, VkPipelineCache cache,
                                                       uint32_t n,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *alloc,
                                                       VkPipeline *ret)
{
    struct lull_ll_device *d = device_of(handle);
    const char *how = getenv("LULL_LINES");
    struct lull_ll_marked marked = {0};
    VkComputePipelineCreateInfo *now = calloc(n + 1, sizeof *now);
    if (now == NULL) {
        return d->create_pipelines(handle, cache, n, infos, alloc, ret);
    }
    for (uint32_t i = 0; i < n; i++) {
        now[i] = infos[i];
        lull_ll_mark_stage(d, &marked, &now[i].stage);
        if (how != NULL && strcmp(how, "noopt") == 0) {
            now[i].flags |= VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT;
        }
    }
    const VkResult r = d->create_pipelines(handle, cache, n, now, alloc, ret);
    for (uint32_t i = 0; i < n; i++) {
        if (d->on && ret[i] != VK_NULL_HANDLE) {
            struct lull_ll_shader shader = {.compute = &now[i]};
            look_at(d, &shader, &now[i].stage);
        }
    }
    free(now);
    lull_ll_marked_done(&marked);
    return r;
}

static void free_graphics(VkGraphicsPipelineCreateInfo *now,
                          const VkGraphicsPipelineCreateInfo *infos, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (now[i].pStages != infos[i].pStages) {
            free((void *)(uintptr_t)now[i].pStages);
        }
    }
    free(now);
}

/** Copies of @p infos whose own code has marks. NULL: no memory. */
static VkGraphicsPipelineCreateInfo *mark_graphics(const struct lull_ll_device *d,
                                                   struct lull_ll_marked *marked,
                                                   const VkGraphicsPipelineCreateInfo *infos,
                                                   uint32_t n)
{
    VkGraphicsPipelineCreateInfo *now = calloc(n + 1, sizeof *now);
    for (uint32_t i = 0; now != NULL && i < n; i++) {
        VkPipelineShaderStageCreateInfo *stages = calloc(infos[i].stageCount + 1, sizeof *stages);
        now[i] = infos[i];
        for (uint32_t k = 0; stages != NULL && k < infos[i].stageCount; k++) {
            stages[k] = infos[i].pStages[k];
            lull_ll_mark_stage(d, marked, &stages[k]);
        }
        now[i].pStages = stages != NULL ? stages : infos[i].pStages;
    }
    return now;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_graphics(VkDevice handle, VkPipelineCache cache,
                                                      uint32_t n,
                                                      const VkGraphicsPipelineCreateInfo *infos,
                                                      const VkAllocationCallbacks *alloc,
                                                      VkPipeline *ret)
{
    struct lull_ll_device *d = device_of(handle);
    struct lull_ll_marked marked = {0};
    VkGraphicsPipelineCreateInfo *now = mark_graphics(d, &marked, infos, n);
    if (now == NULL) {
        return d->create_graphics(handle, cache, n, infos, alloc, ret);
    }
    const VkResult r = d->create_graphics(handle, cache, n, now, alloc, ret);
    for (uint32_t i = 0; i < n; i++) {
        const bool whole = d->on && (now[i].flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) == 0;
        for (uint32_t k = 0; whole && ret[i] != VK_NULL_HANDLE && k < now[i].stageCount; k++) {
            struct lull_ll_shader shader = {.graphics = &now[i], .stage = k};
            look_at(d, &shader, &now[i].pStages[k]);
        }
    }
    free_graphics(now, infos, n);
    lull_ll_marked_done(&marked);
    return r;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice handle, const char *name);

static PFN_vkVoidFunction device_hook(const char *name)
{
    static const struct lull_loader_hook own[] = {
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
        {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
        {"vkCreateShaderModule", (PFN_vkVoidFunction)create_module},
        {"vkDestroyShaderModule", (PFN_vkVoidFunction)destroy_module},
        {"vkCreateComputePipelines", (PFN_vkVoidFunction)create_pipelines},
        {"vkCreateGraphicsPipelines", (PFN_vkVoidFunction)create_graphics},
    };
    return lull_loader_find(own, sizeof own / sizeof own[0], name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice handle, const char *name)
{
    const struct lull_ll_device *d = device_of(handle);
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
