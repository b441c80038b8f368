// SPDX-License-Identifier: MIT
// What a scene needs on a device: made, and destroyed.
#include "vk/draw/internal.h"

#include <stdlib.h>
#include <string.h>

LULL_MUST_USE static struct lull_error *make_target(struct draw_work *w, uint32_t i,
                                                    const struct lull_scene_target *t)
{
    const struct lull_scene *s = w->s;
    const VkImageAspectFlags aspects = draw_aspects(t->format->format);
    const struct draw_image_info info = {t->format->format,
                                         s->width,
                                         s->height,
                                         s->layers,
                                         s->samples,
                                         (aspects & VK_IMAGE_ASPECT_COLOR_BIT
                                              ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                              : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) |
                                             VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    const size_t texels = (size_t)s->width * s->height * s->layers;
    struct lull_error *err = draw_image_new(w->vk, &info, &w->targets[i]);
    if (err == NULL && s->samples > 1) {
        struct draw_image_info one = info;
        one.samples = 1;
        err = draw_image_new(w->vk, &one, &w->resolved[i]);
    }
    if (err == NULL) {
        err = draw_buffer_new(w->vk, texels * t->format->bytes, &w->results[i]);
    }
    if (err == NULL && (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) {
        err = draw_buffer_new(w->vk, texels, &w->results[LULL_SCENE_TARGETS + 1]);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *make_layouts(struct draw_work *w)
{
    VkDescriptorSetLayoutBinding bindings[LULL_SCENE_RESOURCES] = {{0}};
    const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, LULL_SCENE_RESOURCES},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, LULL_SCENE_RESOURCES},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, LULL_SCENE_RESOURCES}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 3,
                                             .pPoolSizes = sizes};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = w->s->nresources,
        .pBindings = bindings};
    const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, LULL_SCENE_PUSH};
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
    VkDevice d = w->vk->device;
    struct lull_error *err =
        vk_check(w->vk, w->vk->api.CreateDescriptorSetLayout(d, &layout, NULL, &w->set_layout),
                 "descriptor set layout");
    if (err == NULL) {
        err = vk_check(w->vk, w->vk->api.CreatePipelineLayout(d, &pipeline, NULL, &w->layout),
                       "pipeline layout");
    }
    if (err == NULL) {
        err = vk_check(w->vk, w->vk->api.CreateDescriptorPool(d, &pool, NULL, &w->set_pool),
                       "descriptor pool");
    }
    of.descriptorPool = w->set_pool;
    return err != NULL ? err
                       : vk_check(w->vk, w->vk->api.AllocateDescriptorSets(d, &of, &w->set), "set");
}

LULL_MUST_USE static struct lull_error *make_resource(struct draw_work *w, uint32_t i)
{
    const struct lull_scene_resource *r = &w->s->resources[i];
    const bool texture = r->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    const VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                         .magFilter = r->filter,
                                         .minFilter = r->filter};
    struct lull_error *err = NULL;
    if (texture && w->sampler[r->filter] == VK_NULL_HANDLE) {
        err = vk_check(
            w->vk, w->vk->api.CreateSampler(w->vk->device, &sampler, NULL, &w->sampler[r->filter]),
            "sampler");
    }
    if (texture && err == NULL) {
        const struct draw_image_info info = {r->format->format,
                                             r->width,
                                             r->height,
                                             1,
                                             1,
                                             VK_IMAGE_USAGE_SAMPLED_BIT |
                                                 VK_IMAGE_USAGE_TRANSFER_DST_BIT};
        err = draw_image_new(w->vk, &info, &w->textures[i]);
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
        w->vk->api.UpdateDescriptorSets(w->vk->device, 1, &write, 0, NULL);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *make_queries(struct draw_work *w)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < w->s->nsteps; i++) {
        if (w->s->steps[i].kind != LULL_SCENE_QUERY_BEGIN) {
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
        err = vk_check(
            w->vk, w->vk->api.CreateQueryPool(w->vk->device, &info, NULL, &w->queries[w->nqueries]),
            "vkCreateQueryPool");
        w->nqueries += err == NULL;
    }
    return err != NULL || w->nqueries == 0
               ? err
               : draw_buffer_new(w->vk, (size_t)w->nqueries * DRAW_QUERY_BYTES, &w->copied);
}

LULL_MUST_USE static struct lull_error *make_commands(struct draw_work *w)
{
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = w->vk->family};
    struct lull_error *err =
        vk_check(w->vk, w->vk->api.CreateCommandPool(w->vk->device, &pool, NULL, &w->pool),
                 "vkCreateCommandPool");
    if (err == NULL) {
        err = vk_check(w->vk, w->vk->api.CreateFence(w->vk->device, &fence, NULL, &w->fence),
                       "vkCreateFence");
    }
    if (err != NULL) {
        return err;
    }
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = w->pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    err = vk_check(w->vk, w->vk->api.AllocateCommandBuffers(w->vk->device, &info, &w->cmd),
                   "vkAllocateCommandBuffers");
    info.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    return err != NULL || !w->s->secondary
               ? err
               : vk_check(w->vk,
                          w->vk->api.AllocateCommandBuffers(w->vk->device, &info, &w->secondary),
                          "secondary command buffer");
}

struct lull_error *draw_make(struct draw_work *w)
{
    const struct lull_scene *s = w->s;
    struct lull_error *err = make_layouts(w);
    for (uint32_t i = 0; err == NULL && i < s->nbuffers; i++) {
        err = draw_buffer_new(w->vk, s->buffers[i].size, &w->buffers[i]);
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
        err = make_target(w, LULL_SCENE_TARGETS, &s->depth);
    }
    if (err == NULL) {
        err = make_queries(w);
    }
    if (err == NULL) {
        err = draw_buffer_new(w->vk, sizeof(uint32_t), &w->done);
    }
    return err != NULL ? err : make_commands(w);
}

void draw_done(struct draw_work *w)
{
    VkDevice d = w->vk->device;
    if (w->vk->lost) { // what would be destroyed may still be in use
        free(w->pipelines);
        return;
    }
    w->vk->api.DeviceWaitIdle(d);
    for (size_t i = 0; w->pipelines != NULL && i < w->s->nsteps; i++) {
        w->vk->api.DestroyPipeline(d, w->pipelines[i], NULL);
    }
    free(w->pipelines);
    for (unsigned i = 0; i < LULL_SCENE_BUFFERS; i++) {
        draw_buffer_done(w->vk, &w->buffers[i]);
    }
    for (unsigned i = 0; i < LULL_SCENE_RESOURCES; i++) {
        draw_image_done(w->vk, &w->textures[i]);
    }
    for (unsigned i = 0; i < LULL_SCENE_TARGETS + 1; i++) {
        draw_image_done(w->vk, &w->targets[i]);
        draw_image_done(w->vk, &w->resolved[i]);
    }
    for (unsigned i = 0; i < LULL_SCENE_TARGETS + 2; i++) {
        draw_buffer_done(w->vk, &w->results[i]);
    }
    for (unsigned i = 0; i < w->nqueries; i++) {
        w->vk->api.DestroyQueryPool(d, w->queries[i], NULL);
    }
    for (unsigned i = 0; i < 2; i++) {
        w->vk->api.DestroySampler(d, w->sampler[i], NULL);
    }
    draw_buffer_done(w->vk, &w->copied);
    draw_buffer_done(w->vk, &w->done);
    w->vk->api.DestroyDescriptorPool(d, w->set_pool, NULL);
    w->vk->api.DestroyPipelineLayout(d, w->layout, NULL);
    w->vk->api.DestroyDescriptorSetLayout(d, w->set_layout, NULL);
    w->vk->api.DestroyFence(d, w->fence, NULL);
    w->vk->api.DestroyCommandPool(d, w->pool, NULL); // with its command buffers
}
