// SPDX-License-Identifier: MIT
// A shader compiled once more, for nothing but its code.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/** The text "Assembly" of the pipeline's only executable. */
static bool code_of(const struct lull_ll_device *d, VkPipeline pipeline, struct lull_ll_code *ret)
{
    const VkPipelineInfoKHR of = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR,
                                  .pipeline = pipeline};
    const VkPipelineExecutableInfoKHR first = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline};
    uint32_t n = 0;
    bool found = false;
    if (d->executables(d->handle, &of, &n, NULL) != VK_SUCCESS || n != 1 ||
        d->representations(d->handle, &first, &n, NULL) != VK_SUCCESS || n == 0) {
        return false;
    }
    VkPipelineExecutableInternalRepresentationKHR *all = calloc(n, sizeof *all);
    for (uint32_t i = 0; all != NULL && i < n; i++) {
        all[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
    }
    bool got = all != NULL && d->representations(d->handle, &first, &n, all) == VK_SUCCESS;
    for (uint32_t i = 0; got && i < n; i++) {
        all[i].pData = all[i].dataSize != 0 ? calloc(all[i].dataSize, 1) : NULL;
    }
    got = got && d->representations(d->handle, &first, &n, all) == VK_SUCCESS;
    for (uint32_t i = 0; all != NULL && i < n; i++) {
        char *text = all[i].pData;
        if (got && !found && text != NULL && strcmp(all[i].name, "Assembly") == 0) {
            found = lull_ll_assembly(text, strnlen(text, all[i].dataSize), ret);
        }
        free(text);
    }
    free(all);
    return found;
}

/** The chain of a stage without the code that it may bring, which the new module replaces. */
static const void *without_code(const void *chain)
{
    const VkBaseInStructure *in = chain;
    return in != NULL && in->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO ? in->pNext : in;
}

bool lull_ll_compile(const struct lull_ll_device *d, const VkComputePipelineCreateInfo *info,
                     const void *code, size_t bytes, struct lull_ll_code *ret)
{
    const VkPipelineCreateFlags not_again =
        VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT | VK_PIPELINE_CREATE_DERIVATIVE_BIT |
        VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkComputePipelineCreateInfo now = *info;
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (d->create_module(d->handle, &module, NULL, &now.stage.module) != VK_SUCCESS) {
        return false;
    }
    now.pNext = NULL;
    now.stage.pNext = without_code(info->stage.pNext);
    now.flags =
        (info->flags & ~not_again) | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    now.basePipelineHandle = VK_NULL_HANDLE;
    now.basePipelineIndex = -1;
    const bool made =
        d->create_pipelines(d->handle, VK_NULL_HANDLE, 1, &now, NULL, &pipeline) == VK_SUCCESS &&
        pipeline != VK_NULL_HANDLE;
    const bool got = made && code_of(d, pipeline, ret);
    if (made) {
        d->destroy_pipeline(d->handle, pipeline, NULL);
    }
    d->destroy_module(d->handle, now.stage.module, NULL);
    return got;
}
