// SPDX-License-Identifier: MIT
// A shader compiled once more, for nothing but its code.
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/lines/guard.h"
#include "layer/lines/lines.h"

void lull_ll_complain(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "lull: lines: ");
    vfprintf(stderr, fmt, args);
    fprintf(stderr, "\n");
    va_end(args);
}

/** What of the text is code: dwords, or of Turnip the text itself. */
static bool code_in(const char *name, const char *text, size_t size, struct lull_ll_code *ret)
{
    if (strcmp(name, "Assembly") == 0) {
        return lull_ll_assembly(text, size, ret);
    }
    if (strcmp(name, "IR3 Assembly") != 0 || size == 0) {
        return false;
    }
    ret->text = malloc(size);
    ret->size = size;
    if (ret->text != NULL) {
        memcpy(ret->text, text, size);
    }
    return ret->text != NULL;
}

/** The code of an executable. */
static bool text_of(const struct lull_ll_device *d, const VkPipelineExecutableInfoKHR *executable,
                    struct lull_ll_code *ret)
{
    uint32_t n = 0;
    bool found = false;
    if (d->representations(d->handle, executable, &n, NULL) != VK_SUCCESS || n == 0) {
        return false;
    }
    VkPipelineExecutableInternalRepresentationKHR *all = calloc(n, sizeof *all);
    for (uint32_t i = 0; all != NULL && i < n; i++) {
        all[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
    }
    bool got = all != NULL && d->representations(d->handle, executable, &n, all) == VK_SUCCESS;
    for (uint32_t i = 0; got && i < n; i++) {
        all[i].pData = all[i].dataSize != 0 ? calloc(all[i].dataSize, 1) : NULL;
    }
    got = got && d->representations(d->handle, executable, &n, all) == VK_SUCCESS;
    for (uint32_t i = 0; all != NULL && i < n; i++) {
        char *text = all[i].pData;
        if (got && !found && text != NULL) {
            found = code_in(all[i].name, text, strnlen(text, all[i].dataSize), ret);
        }
        free(text);
    }
    free(all);
    return found;
}

/** The code of the pipeline's executable that @p stage is part of. */
static bool code_of(const struct lull_ll_device *d, VkPipeline pipeline,
                    VkShaderStageFlagBits stage, struct lull_ll_code *ret)
{
    enum { MOST = 8 };
    const VkPipelineInfoKHR of = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR,
                                  .pipeline = pipeline};
    VkPipelineExecutablePropertiesKHR all[MOST] = {{0}};
    uint32_t n = MOST;
    for (uint32_t i = 0; i < MOST; i++) {
        all[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
    }
    if (d->executables(d->handle, &of, &n, all) != VK_SUCCESS) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const VkPipelineExecutableInfoKHR one = {.sType =
                                                     VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                                 .pipeline = pipeline,
                                                 .executableIndex = i};
        if ((all[i].stages & (VkShaderStageFlags)stage) != 0) {
            return text_of(d, &one, ret);
        }
    }
    return false;
}

/** The chain of a stage without the code that it may bring, which the new module replaces. */
static const void *without_code(const void *chain)
{
    const VkBaseInStructure *in = chain;
    return in != NULL && in->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO ? in->pNext : in;
}

static VkPipelineCreateFlags flags_of(VkPipelineCreateFlags flags)
{
    const VkPipelineCreateFlags not_again =
        VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT | VK_PIPELINE_CREATE_DERIVATIVE_BIT |
        VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    return (flags & ~not_again) | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
}

/** In front of what a create info has chained. */
static VkBaseInStructure own(const void *chain)
{
    return (VkBaseInStructure){.sType = LULL_LOADER_OWN, .pNext = chain};
}

static VkPipeline create_compute(const struct lull_ll_device *d,
                                 const VkComputePipelineCreateInfo *info, VkShaderModule module,
                                 VkPipelineCache cache)
{
    VkComputePipelineCreateInfo now = *info;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkBaseInStructure mark = own(NULL);
    now.pNext = &mark;
    now.stage.module = module;
    now.stage.pNext = without_code(info->stage.pNext);
    now.flags = flags_of(info->flags);
    now.basePipelineHandle = VK_NULL_HANDLE;
    now.basePipelineIndex = -1;
    const VkResult r = d->create_pipelines(d->handle, cache, 1, &now, NULL, &pipeline);
    return r == VK_SUCCESS ? pipeline : VK_NULL_HANDLE;
}

static VkPipeline create_graphics(const struct lull_ll_device *d, const struct lull_ll_shader *s,
                                  VkShaderModule module, VkPipelineCache cache)
{
    VkGraphicsPipelineCreateInfo now = *s->graphics;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkPipelineShaderStageCreateInfo *stages = calloc(now.stageCount, sizeof *stages);
    if (stages == NULL) {
        return VK_NULL_HANDLE;
    }
    memcpy(stages, now.pStages, now.stageCount * sizeof *stages);
    stages[s->stage].module = module;
    stages[s->stage].pNext = without_code(stages[s->stage].pNext);
    const VkBaseInStructure mark = own(now.pNext);
    now.pNext = &mark;
    now.pStages = stages;
    now.flags = flags_of(now.flags);
    now.basePipelineHandle = VK_NULL_HANDLE;
    now.basePipelineIndex = -1;
    const VkResult r = d->create_graphics(d->handle, cache, 1, &now, NULL, &pipeline);
    free(stages);
    return r == VK_SUCCESS ? pipeline : VK_NULL_HANDLE;
}

/** A pipeline to be made. */
struct making {
    const struct lull_ll_device *d;
    const struct lull_ll_shader *s;
    VkShaderModule module;
    VkPipelineCache cache;
    VkPipeline pipeline;
};

static void make(void *arg)
{
    struct making *m = arg;
    m->pipeline = m->s->compute != NULL ? create_compute(m->d, m->s->compute, m->module, m->cache)
                                        : create_graphics(m->d, m->s, m->module, m->cache);
}

bool lull_ll_compile(const struct lull_ll_device *d, const struct lull_ll_shader *s,
                     const void *code, size_t bytes, struct lull_ll_code *ret)
{
    static atomic_bool crashed; // What the driver held then it still holds.
    const VkBaseInStructure mark = own(NULL);
    const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .pNext = &mark,
                                           .codeSize = bytes,
                                           .pCode = code};
    // Turnip's own cache has the program's pipeline, and of that no text.
    const VkPipelineCacheCreateInfo empty = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    struct making m = {.d = d, .s = s};
    if (atomic_load(&crashed) ||
        d->create_module(d->handle, &info, NULL, &m.module) != VK_SUCCESS) {
        return false;
    }
    (void)d->create_cache(d->handle, &empty, NULL, &m.cache);
    if (!lull_ll_guard(make, &m)) {
        atomic_store(&crashed, true);
        lull_ll_complain("the driver crashed on a shader with a change: no more lines are found");
        return false;
    }
    const VkShaderStageFlagBits stage =
        s->compute != NULL ? s->compute->stage.stage : s->graphics->pStages[s->stage].stage;
    const bool got = m.pipeline != VK_NULL_HANDLE && code_of(d, m.pipeline, stage, ret);
    if (m.pipeline != VK_NULL_HANDLE) {
        d->destroy_pipeline(d->handle, m.pipeline, NULL);
    }
    d->destroy_cache(d->handle, m.cache, NULL);
    d->destroy_module(d->handle, m.module, NULL);
    return got;
}
