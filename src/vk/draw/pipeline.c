// SPDX-License-Identifier: MIT
// A pipeline for each draw of a scene, by dynamic rendering.
#include <stdlib.h>

#include "vk/draw/internal.h"

static const VkShaderStageFlagBits stage_bits[LULL_SCENE_NSTAGES] = {
    [LULL_SCENE_VERT] = VK_SHADER_STAGE_VERTEX_BIT,
    [LULL_SCENE_TESC] = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
    [LULL_SCENE_TESE] = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
    [LULL_SCENE_GEOM] = VK_SHADER_STAGE_GEOMETRY_BIT,
    [LULL_SCENE_TASK] = VK_SHADER_STAGE_TASK_BIT_EXT,
    [LULL_SCENE_MESH] = VK_SHADER_STAGE_MESH_BIT_EXT,
    [LULL_SCENE_FRAG] = VK_SHADER_STAGE_FRAGMENT_BIT,
};

LULL_MUST_USE static struct lull_error *load(struct lull_vk *vk, const struct lull_scene_shader *s,
                                             VkShaderModule *ret)
{
    const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = s->spirv_bytes,
                                           .pCode = (const uint32_t *)(const void *)s->spirv};
    return vk_check(vk, vk->api.CreateShaderModule(vk->device, &info, NULL, ret),
                    "vkCreateShaderModule");
}

/** What the parts of a pipeline's description point to. */
struct parts {
    uint32_t nstages;
    VkPipelineShaderStageCreateInfo stages[LULL_SCENE_NSTAGES];
    VkSpecializationMapEntry entries[LULL_SCENE_SPECS];
    VkSpecializationInfo specs;
    VkVertexInputBindingDivisorDescriptionEXT divisors[LULL_SCENE_BINDINGS];
    VkPipelineVertexInputDivisorStateCreateInfoEXT divisor;
    VkPipelineVertexInputStateCreateInfo input;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkPipelineTessellationStateCreateInfo tessellation;
    VkPipelineViewportDepthClipControlCreateInfoEXT clip_control;
    VkPipelineViewportStateCreateInfo viewport;
    VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking;
    VkPipelineRasterizationConservativeStateCreateInfoEXT conservative;
    VkPipelineDiscardRectangleStateCreateInfoEXT rectangles;
    VkPipelineFragmentShadingRateStateCreateInfoKHR rate;
    VkPipelineRasterizationLineStateCreateInfoEXT line;
    VkPipelineRasterizationDepthClipStateCreateInfoEXT depth_clip;
    VkPipelineRasterizationStateCreateInfo raster;
    VkPipelineMultisampleStateCreateInfo multisample;
    VkPipelineDepthStencilStateCreateInfo depth;
    VkPipelineColorBlendStateCreateInfo blend;
    VkFormat formats[LULL_SCENE_TARGETS];
    VkPipelineRenderingCreateInfo rendering;
};

LULL_MUST_USE static struct lull_error *add_stages(struct draw_work *w,
                                                   const struct lull_scene_state *t,
                                                   struct parts *p)
{
    for (uint32_t i = 0; i < t->nspecs; i++) {
        p->entries[i] = (VkSpecializationMapEntry){t->spec_id[i], 4 * i, 4};
    }
    p->specs = (VkSpecializationInfo){t->nspecs, p->entries, 4 * t->nspecs, t->spec_value};
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < LULL_SCENE_NSTAGES; i++) {
        if (t->shader[i] == 0) {
            continue;
        }
        VkPipelineShaderStageCreateInfo *stage = &p->stages[p->nstages];
        *stage = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = stage_bits[i],
            .pName = "main",
            .pSpecializationInfo = &p->specs};
        err = load(w->vk, &w->s->shaders[t->shader[i] - 1], &stage->module);
        p->nstages += err == NULL;
    }
    return err;
}

static void add_input(struct lull_vk *vk, const struct lull_scene_state *t, struct parts *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->nbindings; i++) {
        if (t->bindings[i].inputRate == VK_VERTEX_INPUT_RATE_INSTANCE && t->divisor[i] != 1) {
            p->divisors[n++] = (VkVertexInputBindingDivisorDescriptionEXT){i, t->divisor[i]};
        }
    }
    p->divisor = (VkPipelineVertexInputDivisorStateCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT,
        .vertexBindingDivisorCount = n,
        .pVertexBindingDivisors = p->divisors};
    p->input = (VkPipelineVertexInputStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .pNext = n != 0 && (vk->extras >> VK_EXTRA_DIVISOR & 1) != 0 ? &p->divisor : NULL,
        .vertexBindingDescriptionCount = t->nbindings,
        .pVertexBindingDescriptions = t->bindings,
        .vertexAttributeDescriptionCount = t->nattributes,
        .pVertexAttributeDescriptions = t->attributes};
    p->assembly = (VkPipelineInputAssemblyStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = t->topology,
        .primitiveRestartEnable = t->restart};
    p->tessellation = (VkPipelineTessellationStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .patchControlPoints = t->patch};
}

static void add_viewport(const struct lull_scene_state *t, struct parts *p)
{
    p->clip_control = (VkPipelineViewportDepthClipControlCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT,
        .negativeOneToOne = VK_TRUE};
    p->viewport = (VkPipelineViewportStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .pNext = t->negative_one != 0 ? &p->clip_control : NULL,
        .viewportCount = t->nviewports,
        .pViewports = t->viewports,
        .scissorCount = t->nviewports,
        .pScissors = t->scissors};
}

static void add_raster(const struct lull_scene *s, const struct lull_scene_state *t,
                       struct parts *p)
{
    p->provoking = (VkPipelineRasterizationProvokingVertexStateCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
        .provokingVertexMode = t->provoking};
    p->depth_clip = (VkPipelineRasterizationDepthClipStateCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
        .depthClipEnable = t->depth_clip};
    const void *next = NULL;
    if (t->provoking != VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT) {
        next = &p->provoking;
    }
    if (t->depth_clip != LULL_SCENE_AUTO) {
        p->depth_clip.pNext = next;
        next = &p->depth_clip;
    }
    p->line = (VkPipelineRasterizationLineStateCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
        .pNext = next,
        .lineRasterizationMode = t->line_mode,
        .stippledLineEnable = t->stipple_factor != 0,
        .lineStippleFactor = t->stipple_factor,
        .lineStipplePattern = (uint16_t)t->stipple_pattern};
    if (t->line_mode != VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT || t->stipple_factor != 0) {
        next = &p->line;
    }
    p->conservative = (VkPipelineRasterizationConservativeStateCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT,
        .pNext = next,
        .conservativeRasterizationMode = t->conservative == LULL_SCENE_INNER
                                             ? VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT
                                             : (VkConservativeRasterizationModeEXT)t->conservative};
    if (t->conservative != VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT) {
        next = &p->conservative;
    }
    p->raster = (VkPipelineRasterizationStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .pNext = next,
        .depthClampEnable = t->depth_clamp,
        .rasterizerDiscardEnable = t->discard,
        .polygonMode = t->polygon,
        .cullMode = t->cull,
        .frontFace = t->front,
        .depthBiasEnable = t->has_bias,
        .depthBiasConstantFactor = t->bias[0],
        .depthBiasClamp = t->bias[1],
        .depthBiasSlopeFactor = t->bias[2],
        .lineWidth = t->line_width};
    p->multisample = (VkPipelineMultisampleStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = (VkSampleCountFlagBits)s->samples,
        .sampleShadingEnable = t->sample_shading > 0,
        .minSampleShading = t->sample_shading,
        .pSampleMask = &t->sample_mask,
        .alphaToCoverageEnable = t->alpha_to_coverage,
        .alphaToOneEnable = t->alpha_to_one};
}

/** As add_rectangles(). */
static const void *add_rate(const struct lull_scene_state *t, const void *next, struct parts *p)
{
    p->rate = (VkPipelineFragmentShadingRateStateCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR,
        .pNext = next,
        .fragmentSize = t->rate,
        .combinerOps = {VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR,
                        VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR}};
    return t->rate.width > 1 || t->rate.height > 1 ? &p->rate : next;
}

/** @return The chain with it in front, if it is asked for. */
static const void *add_rectangles(const struct lull_scene_state *t, const void *next,
                                  struct parts *p)
{
    p->rectangles = (VkPipelineDiscardRectangleStateCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT,
        .pNext = next,
        .discardRectangleMode = t->rectangle_mode,
        .discardRectangleCount = t->nrectangles,
        .pDiscardRectangles = t->rectangles};
    return t->has_rectangles != 0 ? &p->rectangles : next;
}

static void add_tests(const struct lull_scene *s, const struct lull_scene_state *t, struct parts *p)
{
    p->depth = (VkPipelineDepthStencilStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = t->depth_test,
        .depthWriteEnable = t->depth_write,
        .depthCompareOp = t->depth_compare,
        .depthBoundsTestEnable = t->has_bounds,
        .stencilTestEnable = t->stencil_test,
        .front = t->stencil[0],
        .back = t->stencil[1],
        .minDepthBounds = t->bounds[0],
        .maxDepthBounds = t->bounds[1]};
    p->blend = (VkPipelineColorBlendStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .logicOpEnable = t->has_logic,
        .logicOp = t->logic,
        .attachmentCount = s->ntargets,
        .pAttachments = t->blend,
        .blendConstants = {t->constants[0], t->constants[1], t->constants[2], t->constants[3]}};
    for (uint32_t i = 0; i < s->ntargets; i++) {
        p->formats[i] = s->targets[i].format->format;
    }
    const VkFormat depth = s->depth.format != NULL ? s->depth.format->format : VK_FORMAT_UNDEFINED;
    const VkImageAspectFlags aspects = draw_aspects(depth);
    p->rendering =
        (VkPipelineRenderingCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                        .viewMask = s->views,
                                        .colorAttachmentCount = s->ntargets,
                                        .pColorAttachmentFormats = p->formats};
    if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) {
        p->rendering.depthAttachmentFormat = depth;
    }
    if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) {
        p->rendering.stencilAttachmentFormat = depth;
    }
}

LULL_MUST_USE static struct lull_error *make(struct draw_work *w, const struct lull_scene_state *t,
                                             VkPipeline *ret)
{
    struct parts p = {0};
    struct lull_error *err = add_stages(w, t, &p);
    add_input(w->vk, t, &p);
    add_viewport(t, &p);
    add_raster(w->s, t, &p);
    add_tests(w->s, t, &p);
    const bool mesh = t->shader[LULL_SCENE_MESH] != 0;
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = add_rectangles(t, add_rate(t, &p.rendering, &p), &p),
        .stageCount = p.nstages,
        .pStages = p.stages,
        .pVertexInputState = mesh ? NULL : &p.input,
        .pInputAssemblyState = mesh ? NULL : &p.assembly,
        .pTessellationState = t->shader[LULL_SCENE_TESE] != 0 ? &p.tessellation : NULL,
        .pViewportState = &p.viewport,
        .pRasterizationState = &p.raster,
        .pMultisampleState = &p.multisample,
        .pDepthStencilState = &p.depth,
        .pColorBlendState = &p.blend,
        .layout = w->layout};
    if (err == NULL) {
        err = vk_check(
            w->vk,
            w->vk->api.CreateGraphicsPipelines(w->vk->device, VK_NULL_HANDLE, 1, &info, NULL, ret),
            "vkCreateGraphicsPipelines");
    }
    for (uint32_t i = 0; i < p.nstages; i++) {
        w->vk->api.DestroyShaderModule(w->vk->device, p.stages[i].module, NULL);
    }
    return err;
}

struct lull_error *draw_pipelines(struct draw_work *w)
{
    struct lull_error *err = NULL;
    w->pipelines = calloc(w->s->nsteps + 1, sizeof(VkPipeline));
    if (w->pipelines == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < w->s->nsteps; i++) {
        if (w->s->steps[i].state != NULL) {
            err = lull_error_in(make(w, w->s->steps[i].state, &w->pipelines[i]), "line %u",
                                w->s->steps[i].line);
        }
    }
    return err;
}
