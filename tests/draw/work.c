// SPDX-License-Identifier: MIT
// What a scene needs on a device: made, and destroyed.
#include "draw.h"

#include <stdlib.h>
#include <string.h>

struct lull_error *work_lacks(const struct gpu *g, const struct scene *s)
{
    const VkPhysicalDeviceLimits *l = &g->props.limits;
    const VkSampleCountFlags counts =
        (s->ntargets != 0 ? l->framebufferColorSampleCounts : ~0U) &
        (s->depth.format != NULL ? l->framebufferDepthSampleCounts : ~0U);
    unsigned needs = 0;
    for (size_t i = 0; i < s->nsteps; i++) {
        const struct scene_step *t = &s->steps[i];
        needs |= t->kind == SCENE_DRAW_MESH ? 1U << GPU_MESH : 0;
        needs |= t->kind == SCENE_CONDITION_BEGIN ? 1U << GPU_CONDITION : 0;
        needs |= t->kind == SCENE_FEEDBACK_BEGIN ? 1U << GPU_FEEDBACK : 0;
        needs |=
            t->kind == SCENE_QUERY_BEGIN && t->args[0] == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT
                ? 1U << GPU_GENERATED
                : 0;
        if (t->state != NULL) {
            needs |= t->state->provoking != 0 ? 1U << GPU_PROVOKING : 0;
            needs |= t->state->depth_clip != SCENE_AUTO ? 1U << GPU_DEPTH_CLIP : 0;
            needs |= t->state->line_mode != 0 ? 1U << GPU_LINES : 0;
            needs |= t->state->negative_one != 0 ? 1U << GPU_CLIP_CONTROL : 0;
            needs |= t->state->index_type == VK_INDEX_TYPE_UINT8_EXT ? 1U << GPU_INDEX_U8 : 0;
        }
        if (t->state != NULL && t->state->has_bounds != 0 && g->features.depthBounds == 0) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "no depth bounds");
        }
        if (t->state != NULL && t->state->alpha_to_one != 0 && g->features.alphaToOne == 0) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "no alpha to one");
        }
    }
    static const char *const names[GPU_NEXTENSIONS] = {
        "transform feedback", "conditional rendering", "mesh shaders",
        "vertex divisors",    "provoking vertex",      "depth clip enable",
        "clip control",       "8-bit indices",         "query of generated primitives",
        "line modes"};
    for (unsigned i = 0; i < GPU_NEXTENSIONS; i++) {
        if ((needs & ~g->has) >> i & 1) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "no %s", names[i]);
        }
    }
    return (counts & s->samples) != 0
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "no %u samples", s->samples);
}

static struct lull_error *make_target(struct work *w, uint32_t i, const struct scene_target *t)
{
    const struct scene *s = w->s;
    const VkImageAspectFlags aspects = gpu_aspects(t->format->format);
    const struct gpu_image_info info = {t->format->format,
                                        s->width,
                                        s->height,
                                        s->layers,
                                        s->samples,
                                        (aspects & VK_IMAGE_ASPECT_COLOR_BIT
                                             ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                             : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) |
                                            VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    const size_t texels = (size_t)s->width * s->height * s->layers;
    struct lull_error *err = gpu_image_new(w->g, &info, &w->targets[i]);
    if (err == NULL && s->samples > 1) {
        struct gpu_image_info one = info;
        one.samples = 1;
        err = gpu_image_new(w->g, &one, &w->resolved[i]);
    }
    if (err == NULL) {
        err = gpu_buffer_new(w->g, texels * t->format->bytes, &w->results[i]);
    }
    if (err == NULL && (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) {
        err = gpu_buffer_new(w->g, texels, &w->results[SCENE_TARGETS + 1]);
    }
    return err;
}

static struct lull_error *make_layouts(struct work *w)
{
    VkDescriptorSetLayoutBinding bindings[SCENE_RESOURCES] = {{0}};
    const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SCENE_RESOURCES},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SCENE_RESOURCES},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, SCENE_RESOURCES}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 3,
                                             .pPoolSizes = sizes};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = w->s->nresources,
        .pBindings = bindings};
    const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, SCENE_PUSH};
    const VkPipelineLayoutCreateInfo pipeline = {.sType =
                                                     VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                 .setLayoutCount = 1,
                                                 .pSetLayouts = &w->set_layout,
                                                 .pushConstantRangeCount = 1,
                                                 .pPushConstantRanges = &push};
    const VkDescriptorSetAllocateInfo set = {.sType =
                                                 VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &w->set_layout};
    VkDescriptorSetAllocateInfo of = set;
    for (uint32_t i = 0; i < w->s->nresources; i++) {
        bindings[i].binding = w->s->resources[i].binding;
        bindings[i].descriptorType = w->s->resources[i].type;
        bindings[i].descriptorCount = 1;
        bindings[i].stageFlags = VK_SHADER_STAGE_ALL;
    }
    VkDevice d = w->g->device;
    struct lull_error *err = gpu_check(
        vkCreateDescriptorSetLayout(d, &layout, NULL, &w->set_layout), "descriptor set layout");
    if (err == NULL) {
        err = gpu_check(vkCreatePipelineLayout(d, &pipeline, NULL, &w->layout), "pipeline layout");
    }
    if (err == NULL) {
        err = gpu_check(vkCreateDescriptorPool(d, &pool, NULL, &w->set_pool), "descriptor pool");
    }
    of.descriptorPool = w->set_pool;
    return err != NULL ? err : gpu_check(vkAllocateDescriptorSets(d, &of, &w->set), "set");
}

static struct lull_error *make_resource(struct work *w, uint32_t i)
{
    const struct scene_resource *r = &w->s->resources[i];
    const bool texture = r->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    const VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                         .magFilter = r->filter,
                                         .minFilter = r->filter};
    struct lull_error *err = NULL;
    if (texture && w->sampler[r->filter] == VK_NULL_HANDLE) {
        err = gpu_check(vkCreateSampler(w->g->device, &sampler, NULL, &w->sampler[r->filter]),
                        "sampler");
    }
    if (texture && err == NULL) {
        const struct gpu_image_info info = {r->format->format,
                                            r->width,
                                            r->height,
                                            1,
                                            1,
                                            VK_IMAGE_USAGE_SAMPLED_BIT |
                                                VK_IMAGE_USAGE_TRANSFER_DST_BIT};
        err = gpu_image_new(w->g, &info, &w->textures[i]);
    }
    const VkDescriptorBufferInfo buffer = {w->buffers[r->buffer].buffer, 0, VK_WHOLE_SIZE};
    const VkDescriptorImageInfo image = {w->sampler[r->filter], w->textures[i].view,
                                         VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = w->set,
                                        .dstBinding = r->binding,
                                        .descriptorCount = 1,
                                        .descriptorType = r->type,
                                        .pBufferInfo = texture ? NULL : &buffer,
                                        .pImageInfo = texture ? &image : NULL};
    if (err == NULL) {
        vkUpdateDescriptorSets(w->g->device, 1, &write, 0, NULL);
    }
    return err;
}

static struct lull_error *make_queries(struct work *w)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < w->s->nsteps; i++) {
        if (w->s->steps[i].kind != SCENE_QUERY_BEGIN || w->nqueries == DRAW_QUERIES) {
            continue;
        }
        const VkQueryType type = (VkQueryType)w->s->steps[i].args[0];
        const VkQueryPoolCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
            .queryType = type,
            .queryCount = 1,
            .pipelineStatistics =
                type == VK_QUERY_TYPE_PIPELINE_STATISTICS ? (1U << DRAW_STATISTICS) - 1 : 0};
        w->query_types[w->nqueries] = type;
        w->query_streams[w->nqueries] = w->s->steps[i].args[2];
        err = gpu_check(vkCreateQueryPool(w->g->device, &info, NULL, &w->queries[w->nqueries]),
                        "vkCreateQueryPool");
        w->nqueries += err == NULL;
    }
    return err != NULL || w->nqueries == 0
               ? err
               : gpu_buffer_new(w->g, (size_t)w->nqueries * DRAW_QUERY_BYTES, &w->copied);
}

static struct lull_error *make_commands(struct work *w)
{
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = w->g->pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    struct lull_error *err =
        gpu_check(vkAllocateCommandBuffers(w->g->device, &info, &w->cmd), "command buffer");
    info.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    return err != NULL || !w->s->secondary
               ? err
               : gpu_check(vkAllocateCommandBuffers(w->g->device, &info, &w->secondary),
                           "secondary command buffer");
}

struct lull_error *work_make(struct work *w)
{
    const struct scene *s = w->s;
    struct lull_error *err = make_layouts(w);
    for (uint32_t i = 0; err == NULL && i < s->nbuffers; i++) {
        err = gpu_buffer_new(w->g, s->buffers[i].size, &w->buffers[i]);
        if (err == NULL) {
            memcpy(w->buffers[i].map, s->buffers[i].data, s->buffers[i].size);
        }
    }
    for (uint32_t i = 0; err == NULL && i < s->nresources; i++) {
        err = make_resource(w, i);
    }
    for (uint32_t i = 0; err == NULL && i < s->ntargets; i++) {
        err = make_target(w, i, &s->targets[i]);
    }
    if (err == NULL && s->depth.format != NULL) {
        err = make_target(w, SCENE_TARGETS, &s->depth);
    }
    if (err == NULL) {
        err = make_queries(w);
    }
    if (err == NULL) {
        err = gpu_buffer_new(w->g, sizeof(uint32_t), &w->done);
    }
    return err != NULL ? err : make_commands(w);
}

void work_done(struct work *w)
{
    VkDevice d = w->g->device;
    vkDeviceWaitIdle(d);
    for (size_t i = 0; w->pipelines != NULL && i < w->s->nsteps; i++) {
        vkDestroyPipeline(d, w->pipelines[i], NULL);
    }
    free(w->pipelines);
    for (unsigned i = 0; i < SCENE_BUFFERS; i++) {
        gpu_buffer_done(w->g, &w->buffers[i]);
    }
    for (unsigned i = 0; i < SCENE_RESOURCES; i++) {
        gpu_image_done(w->g, &w->textures[i]);
    }
    for (unsigned i = 0; i < SCENE_TARGETS + 1; i++) {
        gpu_image_done(w->g, &w->targets[i]);
        gpu_image_done(w->g, &w->resolved[i]);
    }
    for (unsigned i = 0; i < SCENE_TARGETS + 2; i++) {
        gpu_buffer_done(w->g, &w->results[i]);
    }
    for (unsigned i = 0; i < w->nqueries; i++) {
        vkDestroyQueryPool(d, w->queries[i], NULL);
    }
    for (unsigned i = 0; i < 2; i++) {
        vkDestroySampler(d, w->sampler[i], NULL);
    }
    gpu_buffer_done(w->g, &w->copied);
    gpu_buffer_done(w->g, &w->done);
    vkDestroyDescriptorPool(d, w->set_pool, NULL);
    vkDestroyPipelineLayout(d, w->layout, NULL);
    vkDestroyDescriptorSetLayout(d, w->set_layout, NULL);
    if (w->cmd != VK_NULL_HANDLE) {
        vkFreeCommandBuffers(d, w->g->pool, 1, &w->cmd);
    }
    if (w->secondary != VK_NULL_HANDLE) {
        vkFreeCommandBuffers(d, w->g->pool, 1, &w->secondary);
    }
}
