// SPDX-License-Identifier: MIT
// Pipelines and shader objects: those whose shaders print get a number, as a specialization
// constant of these shaders.
#include <stdlib.h>
#include <string.h>

#include "layer/printf/printf.h"
#include "layer/printf/shader_object.h"

/** While pipelines are created: copies of what changes. */
struct making {
    struct lull_lp_device *d;
    struct lull_arena arena; ///< Of the copies.
    uint32_t **words;        ///< Lowered code of shaders that came without a module; for free().
    size_t nwords, room;
    bool failed; ///< Memory was short: the program's own infos are used.
};

static void *copy_of(struct making *k, const void *from, size_t n, size_t size)
{
    void *copy = lull_arena_calloc(&k->arena, n + 1, size);
    k->failed |= copy == NULL;
    return copy != NULL && n != 0 ? memcpy(copy, from, n * size) : copy;
}

static void making_done(struct making *k)
{
    for (size_t i = 0; i < k->nwords; i++) {
        free(k->words[i]);
    }
    free(k->words);
    lull_arena_done(&k->arena);
}

struct lull_lp_pipeline *lull_lp_pipeline(struct lull_lp_device *d, uint64_t handle)
{
    struct lull_lp_pipeline *p = handle != 0 ? d->pipelines : NULL;
    while (p != NULL && p->handle != handle) {
        p = p->other;
    }
    return p;
}

/** A pipeline that prints, with the next number; NULL: no memory. */
static struct lull_lp_pipeline *new_pipeline(struct making *k)
{
    pthread_mutex_lock(&k->d->lock);
    struct lull_lp_pipeline *p = lull_arena_calloc(&k->d->arena, 1, sizeof *p);
    if (p != NULL) {
        p->number = ++k->d->npipelines;
        p->other = k->d->pipelines;
        k->d->pipelines = p;
    }
    pthread_mutex_unlock(&k->d->lock);
    k->failed |= p == NULL;
    return p;
}

static void made(struct lull_lp_device *d, struct lull_lp_pipeline *p, uint64_t handle)
{
    if (p != NULL) {
        pthread_mutex_lock(&d->lock);
        p->handle = handle;
        pthread_mutex_unlock(&d->lock);
    }
}

/** The specialization constants of a stage, and one more. */
static const VkSpecializationInfo *with_number(struct making *k, const VkSpecializationInfo *old,
                                               uint32_t number)
{
    const VkSpecializationInfo none = {0};
    const VkSpecializationInfo *from = old != NULL ? old : &none;
    VkSpecializationInfo *now = copy_of(k, from, 1, sizeof *now);
    VkSpecializationMapEntry *map = copy_of(k, from->pMapEntries, from->mapEntryCount, sizeof *map);
    uint8_t *data = lull_arena_calloc(&k->arena, from->dataSize + sizeof number, 1);
    if (now == NULL || map == NULL || data == NULL) {
        k->failed = true;
        return old;
    }
    if (from->dataSize != 0) {
        memcpy(data, from->pData, from->dataSize);
    }
    memcpy(data + from->dataSize, &number, sizeof number);
    map[from->mapEntryCount] = (VkSpecializationMapEntry){
        .constantID = LULL_LP_SPEC_ID, .offset = (uint32_t)from->dataSize, .size = sizeof number};
    *now =
        (VkSpecializationInfo){from->mapEntryCount + 1, map, from->dataSize + sizeof number, data};
    return now;
}

/** Bytes of a struct that may stand in front of the code in a stage's chain; 0: not known. */
static size_t chain_size(VkStructureType type)
{
    static const struct {
        VkStructureType type;
        size_t bytes;
    } known[] = {
        {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
         sizeof(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo)},
        {VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, sizeof(VkDebugUtilsObjectNameInfoEXT)},
        {VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
         sizeof(VkPipelineRobustnessCreateInfoEXT)},
        {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT,
         sizeof(VkPipelineShaderStageModuleIdentifierCreateInfoEXT)},
        {VK_STRUCTURE_TYPE_SHADER_MODULE_VALIDATION_CACHE_CREATE_INFO_EXT,
         sizeof(VkShaderModuleValidationCacheCreateInfoEXT)},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].type == type) {
            return known[i].bytes;
        }
    }
    return 0;
}

/** Copies of the structs of a chain in front of @p code, and @p now for that. NULL: one is not
 * known, so that nothing can be put behind it; or no memory. */
static const void *chain_with(struct making *k, const VkBaseInStructure *chain,
                              const VkShaderModuleCreateInfo *code,
                              const VkShaderModuleCreateInfo *now)
{
    const VkBaseInStructure *first = NULL, **end = &first;
    for (; chain != (const void *)code; chain = chain->pNext) {
        const size_t size = chain_size(chain->sType);
        VkBaseInStructure *copy = size != 0 ? copy_of(k, chain, 1, size) : NULL;
        if (copy == NULL) {
            lull_lp_complain("a shader without a module prints nothing: in front of its code is a "
                             "struct of type %d, which the layer does not know",
                             (int)chain->sType);
            return NULL;
        }
        *end = copy;
        end = &copy->pNext;
    }
    *end = (const void *)now;
    return first;
}

/** Code that a stage brings itself, lowered: the stage's chain with it. NULL: it has none, or it
 * does not print, or nothing can be put in its place. */
static const void *own_code(struct making *k, const VkPipelineShaderStageCreateInfo *stage)
{
    const VkBaseInStructure *in = stage->module == VK_NULL_HANDLE ? stage->pNext : NULL;
    uint32_t *words = NULL;
    size_t n = 0;
    while (in != NULL && in->sType != VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO) {
        in = in->pNext;
    }
    const VkShaderModuleCreateInfo *code = (const void *)in;
    if (code == NULL || !lull_lp_room(&k->words, k->nwords, &k->room, sizeof *k->words) ||
        lull_lp_lower(k->d, code->pCode, code->codeSize, &words, &n) == NULL) {
        return NULL;
    }
    k->words[k->nwords++] = words;
    VkShaderModuleCreateInfo *now = copy_of(k, code, 1, sizeof *now);
    if (now == NULL) {
        return NULL;
    }
    now->pCode = words;
    now->codeSize = 4 * n;
    return chain_with(k, stage->pNext, code, now);
}

/** Stages, changed where they print. *ret is set, and *p made, if one does. */
static void stages(struct making *k, const VkPipelineShaderStageCreateInfo *from, uint32_t n,
                   struct lull_lp_pipeline **p, const VkPipelineShaderStageCreateInfo **ret)
{
    VkPipelineShaderStageCreateInfo *now = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const void *own = own_code(k, &from[i]);
        pthread_mutex_lock(&k->d->lock);
        const bool prints = own != NULL || lull_lp_module(k->d, from[i].module) != NULL;
        pthread_mutex_unlock(&k->d->lock);
        if (!prints) {
            continue;
        }
        now = now != NULL ? now : copy_of(k, from, n, sizeof *now);
        *p = *p != NULL ? *p : new_pipeline(k);
        if (k->failed) {
            return;
        }
        (*p)->own = true;
        now[i].pNext = own != NULL ? own : from[i].pNext;
        now[i].pSpecializationInfo = with_number(k, from[i].pSpecializationInfo, (*p)->number);
    }
    *ret = now != NULL ? now : from;
}

/** A library whose numbers entries may hold, once. */
static void add_library(struct lull_lp_pipeline *p, const struct lull_lp_pipeline *library)
{
    for (size_t i = 0; i < LULL_LP_LIBRARIES; i++) {
        if (p->libraries[i] == library) {
            return;
        }
        if (p->libraries[i] == NULL) {
            p->libraries[i] = library;
            return;
        }
    }
}

/** Libraries that a pipeline is linked of, and theirs: if one prints, so does the pipeline. */
static void libraries(struct making *k, const void *chain, struct lull_lp_pipeline **p)
{
    const VkBaseInStructure *in = chain;
    while (in != NULL && in->sType != VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR) {
        in = in->pNext;
    }
    const VkPipelineLibraryCreateInfoKHR *info = (const void *)in;
    for (uint32_t i = 0; info != NULL && i < info->libraryCount; i++) {
        pthread_mutex_lock(&k->d->lock);
        const struct lull_lp_pipeline *library =
            lull_lp_pipeline(k->d, (uint64_t)info->pLibraries[i]);
        pthread_mutex_unlock(&k->d->lock);
        if (library == NULL) {
            continue;
        }
        *p = *p != NULL ? *p : new_pipeline(k);
        if (*p == NULL) {
            return;
        }
        if (library->own) {
            add_library(*p, library);
        }
        for (size_t n = 0; n < LULL_LP_LIBRARIES && library->libraries[n] != NULL; n++) {
            add_library(*p, library->libraries[n]);
        }
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL compute_pipelines(VkDevice device, VkPipelineCache cache,
                                                        uint32_t n,
                                                        const VkComputePipelineCreateInfo *infos,
                                                        const VkAllocationCallbacks *alloc,
                                                        VkPipeline *ret)
{
    struct lull_lp_device *d = lull_lp_device(device);
    struct making k = {.d = d};
    VkComputePipelineCreateInfo *now = copy_of(&k, infos, n, sizeof *now);
    struct lull_lp_pipeline **p = lull_arena_calloc(&k.arena, n + 1, sizeof *p);
    k.failed |= p == NULL;
    for (uint32_t i = 0; i < n && !k.failed; i++) {
        const VkPipelineShaderStageCreateInfo *stage = &infos[i].stage;
        stages(&k, &infos[i].stage, 1, &p[i], &stage);
        now[i].stage = *stage;
    }
    const VkResult r =
        d->next.compute_pipelines(device, cache, n, k.failed ? infos : now, alloc, ret);
    for (uint32_t i = 0; i < n && !k.failed; i++) {
        made(d, p[i], (uint64_t)ret[i]);
    }
    making_done(&k);
    return r;
}

static VKAPI_ATTR VkResult VKAPI_CALL graphics_pipelines(VkDevice device, VkPipelineCache cache,
                                                         uint32_t n,
                                                         const VkGraphicsPipelineCreateInfo *infos,
                                                         const VkAllocationCallbacks *alloc,
                                                         VkPipeline *ret)
{
    struct lull_lp_device *d = lull_lp_device(device);
    struct making k = {.d = d};
    VkGraphicsPipelineCreateInfo *now = copy_of(&k, infos, n, sizeof *now);
    struct lull_lp_pipeline **p = lull_arena_calloc(&k.arena, n + 1, sizeof *p);
    k.failed |= p == NULL;
    for (uint32_t i = 0; i < n && !k.failed; i++) {
        stages(&k, infos[i].pStages, infos[i].stageCount, &p[i], &now[i].pStages);
        libraries(&k, infos[i].pNext, &p[i]);
    }
    const VkResult r =
        d->next.graphics_pipelines(device, cache, n, k.failed ? infos : now, alloc, ret);
    for (uint32_t i = 0; i < n && !k.failed; i++) {
        made(d, p[i], (uint64_t)ret[i]);
    }
    making_done(&k);
    return r;
}

/** Pipelines that print are made at once: a deferred operation would outlive the copies. Libraries
 * of rays keep their numbers where they are linked, and nothing counts what is launched. */
static VKAPI_ATTR VkResult VKAPI_CALL ray_pipelines(VkDevice device, VkDeferredOperationKHR later,
                                                    VkPipelineCache cache, uint32_t n,
                                                    const VkRayTracingPipelineCreateInfoKHR *infos,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkPipeline *ret)
{
    struct lull_lp_device *d = lull_lp_device(device);
    struct making k = {.d = d};
    VkRayTracingPipelineCreateInfoKHR *now = copy_of(&k, infos, n, sizeof *now);
    struct lull_lp_pipeline **p = lull_arena_calloc(&k.arena, n + 1, sizeof *p);
    bool prints = false;
    k.failed |= p == NULL;
    for (uint32_t i = 0; i < n && !k.failed; i++) {
        stages(&k, infos[i].pStages, infos[i].stageCount, &p[i], &now[i].pStages);
        prints |= p[i] != NULL;
    }
    prints = prints && !k.failed;
    VkResult r = d->next.ray_pipelines(device, prints ? VK_NULL_HANDLE : later, cache, n,
                                       prints ? now : infos, alloc, ret);
    for (uint32_t i = 0; prints && i < n; i++) {
        made(d, p[i], (uint64_t)ret[i]);
    }
    if (prints && later != VK_NULL_HANDLE && r == VK_SUCCESS) {
        r = VK_OPERATION_NOT_DEFERRED_KHR;
    }
    making_done(&k);
    return r;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_shaders(VkDevice device, uint32_t n,
                                                     const struct lull_vk_shader_info *infos,
                                                     const VkAllocationCallbacks *alloc,
                                                     lull_vk_shader *ret)
{
    struct lull_lp_device *d = lull_lp_device(device);
    struct making k = {.d = d};
    struct lull_vk_shader_info *now = copy_of(&k, infos, n, sizeof *now);
    struct lull_lp_pipeline **p = lull_arena_calloc(&k.arena, n + 1, sizeof *p);
    k.failed |= p == NULL;
    for (uint32_t i = 0; i < n && !k.failed; i++) {
        uint32_t *words = NULL;
        size_t nwords = 0;
        if (infos[i].codeType != LULL_VK_SHADER_SPIRV ||
            !lull_lp_room(&k.words, k.nwords, &k.room, sizeof *k.words) ||
            lull_lp_lower(d, infos[i].pCode, infos[i].codeSize, &words, &nwords) == NULL) {
            continue;
        }
        k.words[k.nwords++] = words;
        p[i] = new_pipeline(&k);
        now[i].pCode = words;
        now[i].codeSize = 4 * nwords;
        if (p[i] != NULL) {
            p[i]->own = true;
            now[i].pSpecializationInfo =
                with_number(&k, infos[i].pSpecializationInfo, p[i]->number);
        }
    }
    const VkResult r = d->next.create_shaders(device, n, k.failed ? infos : now, alloc, ret);
    for (uint32_t i = 0; i < n && !k.failed; i++) {
        made(d, p[i], ret[i]);
    }
    making_done(&k);
    return r;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                                   const VkAllocationCallbacks *alloc)
{
    struct lull_lp_device *d = lull_lp_device(device);
    pthread_mutex_lock(&d->lock);
    struct lull_lp_pipeline *p = lull_lp_pipeline(d, (uint64_t)pipeline);
    if (p != NULL) {
        p->handle = 0;
    }
    pthread_mutex_unlock(&d->lock);
    d->next.destroy_pipeline(device, pipeline, alloc);
}

static VKAPI_ATTR void VKAPI_CALL destroy_shader(VkDevice device, lull_vk_shader shader,
                                                 const VkAllocationCallbacks *alloc)
{
    struct lull_lp_device *d = lull_lp_device(device);
    pthread_mutex_lock(&d->lock);
    struct lull_lp_pipeline *p = lull_lp_pipeline(d, shader);
    if (p != NULL) {
        p->handle = 0;
    }
    pthread_mutex_unlock(&d->lock);
    d->next.destroy_shader(device, shader, alloc);
}

static VKAPI_ATTR VkResult VKAPI_CALL set_name(VkDevice device,
                                               const VkDebugUtilsObjectNameInfoEXT *info)
{
    struct lull_lp_device *d = lull_lp_device(device);
    pthread_mutex_lock(&d->lock);
    struct lull_lp_module *m = info->objectType == VK_OBJECT_TYPE_SHADER_MODULE
                                   ? lull_lp_module(d, (VkShaderModule)info->objectHandle)
                                   : NULL;
    struct lull_lp_pipeline *p =
        info->objectType == VK_OBJECT_TYPE_PIPELINE ||
                (uint32_t)info->objectType == LULL_VK_OBJECT_TYPE_SHADER_EXT
            ? lull_lp_pipeline(d, info->objectHandle)
            : NULL;
    if (m != NULL) {
        m->name = lull_lp_keep(d, info->pObjectName);
    }
    if (p != NULL) {
        p->name = lull_lp_keep(d, info->pObjectName);
    }
    pthread_mutex_unlock(&d->lock);
    // Programs may find the function without its extension: there is none behind this one then.
    return d->next.set_name != NULL ? d->next.set_name(device, info) : VK_SUCCESS;
}

const struct lull_loader_hook *lull_lp_pipeline_hooks(size_t *ret)
{
    static const struct lull_loader_hook hooks[] = {
        {"vkCreateComputePipelines", (PFN_vkVoidFunction)compute_pipelines},
        {"vkCreateGraphicsPipelines", (PFN_vkVoidFunction)graphics_pipelines},
        {"vkCreateRayTracingPipelinesKHR", (PFN_vkVoidFunction)ray_pipelines},
        {"vkCreateShadersEXT", (PFN_vkVoidFunction)create_shaders},
        {"vkDestroyShaderEXT", (PFN_vkVoidFunction)destroy_shader},
        {"vkSetDebugUtilsObjectNameEXT", (PFN_vkVoidFunction)set_name},
        {"vkDestroyPipeline", (PFN_vkVoidFunction)destroy_pipeline},
    };
    *ret = sizeof hooks / sizeof hooks[0];
    return hooks;
}
