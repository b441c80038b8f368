// SPDX-License-Identifier: MIT
// A scene's commands: recorded, submitted, waited for.
#include <string.h>

#include "vk/draw/internal.h"

static const VkImageLayout color_layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                           depth_layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                           source_layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;

/** Everything before is done and seen by everything after. */
static void barrier(const struct draw_work *w, VkCommandBuffer cmd, const struct draw_image *i,
                    VkImageLayout from, VkImageLayout to)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    VkImageMemoryBarrier image = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                  .dstAccessMask =
                                      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                  .oldLayout = from,
                                  .newLayout = to,
                                  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED};
    if (i != NULL) {
        image.image = i->image;
        image.subresourceRange = (VkImageSubresourceRange){
            draw_aspects(i->format), 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    }
    w->vk->api.CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                                  0, i == NULL, &all, 0, NULL, i != NULL, &image);
}

static void prepare(struct draw_work *w)
{
    const struct lull_scene *s = w->s;
    for (uint32_t i = 0; i < w->nqueries; i++) {
        w->vk->api.CmdResetQueryPool(w->cmd, w->queries[i], 0, 1);
    }
    for (uint32_t i = 0; i < s->nresources; i++) {
        const struct lull_scene_resource *r = &s->resources[i];
        const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                        .imageExtent = {r->width, r->height, 1}};
        if (r->format == NULL) {
            continue;
        }
        barrier(w, w->cmd, &w->textures[i], VK_IMAGE_LAYOUT_UNDEFINED,
                VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        w->vk->api.CmdCopyBufferToImage(w->cmd, w->buffers[r->buffer].buffer, w->textures[i].image,
                                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
        barrier(w, w->cmd, &w->textures[i], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    for (uint32_t i = 0; i < LULL_SCENE_TARGETS + 1; i++) {
        const VkImageLayout to = i == LULL_SCENE_TARGETS ? depth_layout : color_layout;
        if (w->targets[i].image != VK_NULL_HANDLE) {
            barrier(w, w->cmd, &w->targets[i], VK_IMAGE_LAYOUT_UNDEFINED, to);
        }
        if (w->resolved[i].image != VK_NULL_HANDLE) {
            barrier(w, w->cmd, &w->resolved[i], VK_IMAGE_LAYOUT_UNDEFINED, to);
        }
    }
}

static VkRenderingAttachmentInfo attachment(const struct draw_work *w, uint32_t i,
                                            VkAttachmentLoadOp load)
{
    const bool depth = i == LULL_SCENE_TARGETS;
    const struct lull_scene_target *t = depth ? &w->s->depth : &w->s->targets[i];
    VkRenderingAttachmentInfo a = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                   .imageView = w->targets[i].view,
                                   .imageLayout = depth ? depth_layout : color_layout,
                                   .loadOp = load,
                                   .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                   .clearValue = t->clear};
    if (w->resolved[i].view != VK_NULL_HANDLE) {
        a.resolveMode = t->format->type == LULL_SCENE_FLOAT ? VK_RESOLVE_MODE_AVERAGE_BIT
                                                            : VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
        a.resolveImageView = w->resolved[i].view;
        a.resolveImageLayout = a.imageLayout;
    }
    return a;
}

static void begin_rendering(const struct draw_work *w, VkAttachmentLoadOp load)
{
    const struct lull_scene *s = w->s;
    VkRenderingAttachmentInfo colors[LULL_SCENE_TARGETS] = {{0}};
    const VkRenderingAttachmentInfo depth = s->depth.format != NULL
                                                ? attachment(w, LULL_SCENE_TARGETS, load)
                                                : (VkRenderingAttachmentInfo){0};
    const VkImageAspectFlags aspects = draw_aspects(w->targets[LULL_SCENE_TARGETS].format);
    for (uint32_t i = 0; i < s->ntargets; i++) {
        colors[i] = attachment(w, i, load);
    }
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .flags = s->secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0,
        .renderArea = {{0, 0}, {s->width, s->height}},
        .layerCount = s->views != 0 ? 1 : s->layers,
        .viewMask = s->views,
        .colorAttachmentCount = s->ntargets,
        .pColorAttachments = colors,
        .pDepthAttachment = (aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0 ? &depth : NULL,
        .pStencilAttachment = (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0 ? &depth : NULL};
    w->vk->api.CmdBeginRendering(w->cmd, &info);
}

static void bind(const struct draw_work *w, VkCommandBuffer cmd, size_t step)
{
    const struct lull_scene_state *t = w->s->steps[step].state;
    w->vk->api.CmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, w->pipelines[step]);
    w->vk->api.CmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, w->layout, 0, 1, &w->set,
                                     0, NULL);
    if (t->npush != 0) {
        w->vk->api.CmdPushConstants(cmd, w->layout, VK_SHADER_STAGE_ALL, 0, t->npush, t->push);
    }
    for (uint32_t i = 0; i < t->nbindings; i++) {
        w->vk->api.CmdBindVertexBuffers(cmd, i, 1, &w->buffers[t->vertex_buffer[i]].buffer,
                                        &t->vertex_offset[i]);
    }
    if (t->index_buffer != UINT32_MAX) {
        w->vk->api.CmdBindIndexBuffer(cmd, w->buffers[t->index_buffer].buffer, 0, t->index_type);
    }
}

static void clear(const struct draw_work *w, VkCommandBuffer cmd, const struct lull_scene_step *t)
{
    const bool depth = t->args[0] == UINT32_MAX;
    const VkClearAttachment what = {depth ? draw_aspects(w->s->depth.format->format)
                                          : VK_IMAGE_ASPECT_COLOR_BIT,
                                    depth ? 0 : t->args[0], t->clear};
    const VkClearRect rect = {
        {{(int32_t)t->args[1], (int32_t)t->args[2]}, {t->args[3], t->args[4]}},
        0,
        w->s->views != 0 ? 1 : w->s->layers};
    w->vk->api.CmdClearAttachments(cmd, 1, &what, 1, &rect);
}

static void begin_condition(const struct draw_work *w, VkCommandBuffer cmd, const uint32_t *a)
{
    const VkConditionalRenderingBeginInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
        .buffer = w->buffers[a[0]].buffer,
        .offset = a[1],
        .flags = a[2] != 0 ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0};
    w->vk->api.CmdBeginConditionalRenderingEXT(cmd, &info);
}

/** Bind the buffers, begin, or end: all three by the pairs of @p t. */
static void feedback(const struct draw_work *w, VkCommandBuffer cmd,
                     const struct lull_scene_step *t, enum lull_scene_step_kind what)
{
    VkBuffer buffers[LULL_SCENE_FEEDBACKS] = {0}, counters[LULL_SCENE_FEEDBACKS] = {0};
    const VkDeviceSize zeros[LULL_SCENE_FEEDBACKS] = {0};
    uint32_t n = 0;
    for (; n < LULL_SCENE_FEEDBACKS && t->args[2 * n] != UINT32_MAX; n++) {
        buffers[n] = w->buffers[t->args[2 * n]].buffer;
        counters[n] = w->buffers[t->args[2 * n + 1]].buffer;
    }
    if (what == LULL_SCENE_FEEDBACK_BEGIN) {
        const VkDeviceSize sizes[LULL_SCENE_FEEDBACKS] = {VK_WHOLE_SIZE, VK_WHOLE_SIZE,
                                                          VK_WHOLE_SIZE, VK_WHOLE_SIZE};
        w->vk->api.CmdBindTransformFeedbackBuffersEXT(cmd, 0, n, buffers, zeros, sizes);
    } else if (what == LULL_SCENE_DRAW) {
        w->vk->api.CmdBeginTransformFeedbackEXT(cmd, 0, n, counters, zeros);
    } else {
        w->vk->api.CmdEndTransformFeedbackEXT(cmd, 0, n, counters, zeros);
    }
}

/** What feedback wrote is read as vertices and counts, behind a pass of its own. */
static void feedback_over(const struct draw_work *w)
{
    w->vk->api.CmdEndRendering(w->cmd);
    barrier(w, w->cmd, NULL, 0, 0);
    begin_rendering(w, VK_ATTACHMENT_LOAD_OP_LOAD);
}

static void begin_query(const struct draw_work *w, VkCommandBuffer cmd,
                        const struct lull_scene_step *t, uint32_t *query)
{
    const uint32_t *a = t->args;
    if (a[0] == VK_QUERY_TYPE_TIMESTAMP) {
        w->vk->api.CmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                     w->queries[(*query)++], 0);
    } else if (a[2] != 0) {
        w->vk->api.CmdBeginQueryIndexedEXT(cmd, w->queries[*query], 0, a[1], a[2]);
    } else {
        w->vk->api.CmdBeginQuery(cmd, w->queries[*query], 0, a[1]);
    }
}

static void end_query(const struct draw_work *w, VkCommandBuffer cmd, uint32_t *query)
{
    const uint32_t stream = w->query_streams[*query];
    if (stream != 0) {
        w->vk->api.CmdEndQueryIndexedEXT(cmd, w->queries[(*query)++], 0, stream);
    } else {
        w->vk->api.CmdEndQuery(cmd, w->queries[(*query)++], 0);
    }
}

static void one_step(const struct draw_work *w, VkCommandBuffer cmd,
                     const struct lull_scene_step *t, uint32_t *query)
{
    const uint32_t *a = t->args;
    VkBuffer buffer = a[0] < LULL_SCENE_BUFFERS ? w->buffers[a[0]].buffer : VK_NULL_HANDLE;
    switch (t->kind) {
    case LULL_SCENE_DRAW:
        w->vk->api.CmdDraw(cmd, a[0], a[1], a[2], a[3]);
        break;
    case LULL_SCENE_DRAW_INDEXED:
        w->vk->api.CmdDrawIndexed(cmd, a[0], a[1], a[2], (int32_t)a[3], a[4]);
        break;
    case LULL_SCENE_DRAW_INDIRECT:
        w->vk->api.CmdDrawIndirect(cmd, buffer, a[1], a[2], a[3]);
        break;
    case LULL_SCENE_DRAW_INDEXED_INDIRECT:
        w->vk->api.CmdDrawIndexedIndirect(cmd, buffer, a[1], a[2], a[3]);
        break;
    case LULL_SCENE_DRAW_INDIRECT_COUNT: // arguments 16 bytes apart
        w->vk->api.CmdDrawIndirectCount(cmd, buffer, a[1], w->buffers[a[2]].buffer, a[3], a[4], 16);
        break;
    case LULL_SCENE_DRAW_INDEXED_INDIRECT_COUNT: // 20 bytes apart
        w->vk->api.CmdDrawIndexedIndirectCount(cmd, buffer, a[1], w->buffers[a[2]].buffer, a[3],
                                               a[4], 20);
        break;
    case LULL_SCENE_DRAW_MESH:
        w->vk->api.CmdDrawMeshTasksEXT(cmd, a[0], a[1], a[2]);
        break;
    case LULL_SCENE_DRAW_MESH_INDIRECT:
        w->vk->api.CmdDrawMeshTasksIndirectEXT(cmd, buffer, a[1], a[2], a[3]);
        break;
    case LULL_SCENE_DRAW_MESH_INDIRECT_COUNT: // 12 bytes apart
        w->vk->api.CmdDrawMeshTasksIndirectCountEXT(cmd, buffer, a[1], w->buffers[a[2]].buffer,
                                                    a[3], a[4], 12);
        break;
    case LULL_SCENE_DRAW_FEEDBACK:
        w->vk->api.CmdDrawIndirectByteCountEXT(cmd, a[2], 0, buffer, 0, 0, a[1]);
        break;
    case LULL_SCENE_QUERY_BEGIN:
        begin_query(w, cmd, t, query);
        break;
    case LULL_SCENE_QUERY_END:
        end_query(w, cmd, query);
        break;
    case LULL_SCENE_CONDITION_BEGIN:
        begin_condition(w, cmd, a);
        break;
    case LULL_SCENE_CONDITION_END:
        w->vk->api.CmdEndConditionalRenderingEXT(cmd);
        break;
    case LULL_SCENE_FEEDBACK_BEGIN:
        feedback(w, cmd, t, LULL_SCENE_FEEDBACK_BEGIN);
        break;
    case LULL_SCENE_FEEDBACK_END: // of the last that began: steps()
        break;
    case LULL_SCENE_CLEAR:
        clear(w, cmd, t);
        break;
    }
}

static void steps(const struct draw_work *w, VkCommandBuffer cmd)
{
    uint32_t query = 0;
    const struct lull_scene_step *with = NULL; // the feedback that was asked for
    bool begun = false;                        // it begins with a pipeline bound
    for (size_t i = 0; i < w->s->nsteps; i++) {
        const struct lull_scene_step *t = &w->s->steps[i];
        if (t->state != NULL) {
            bind(w, cmd, i);
            if (with != NULL && !begun) {
                feedback(w, cmd, with, LULL_SCENE_DRAW);
                begun = true;
            }
        }
        one_step(w, cmd, t, &query);
        if (t->kind == LULL_SCENE_FEEDBACK_BEGIN) {
            with = t;
        } else if (t->kind == LULL_SCENE_FEEDBACK_END && begun) {
            feedback(w, cmd, with, LULL_SCENE_FEEDBACK_END);
            feedback_over(w);
            with = NULL;
            begun = false;
        }
    }
}

LULL_MUST_USE static struct lull_error *record_secondary(struct draw_work *w)
{
    VkFormat formats[LULL_SCENE_TARGETS] = {0};
    VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .viewMask = w->s->views,
        .colorAttachmentCount = w->s->ntargets,
        .pColorAttachmentFormats = formats,
        .rasterizationSamples = (VkSampleCountFlagBits)w->s->samples};
    const VkFormat depth = w->targets[LULL_SCENE_TARGETS].format;
    const VkImageAspectFlags aspects = draw_aspects(depth);
    rendering.depthAttachmentFormat =
        (aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0 ? depth : VK_FORMAT_UNDEFINED;
    rendering.stencilAttachmentFormat =
        (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0 ? depth : VK_FORMAT_UNDEFINED;
    for (uint32_t i = 0; i < w->s->ntargets; i++) {
        formats[i] = w->targets[i].format;
    }
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags =
                                                VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                            .pInheritanceInfo = &inherit};
    struct lull_error *err =
        vk_check(w->vk, w->vk->api.BeginCommandBuffer(w->secondary, &begin), "begin");
    if (err == NULL) {
        steps(w, w->secondary);
        err = vk_check(w->vk, w->vk->api.EndCommandBuffer(w->secondary), "end");
    }
    return err;
}

static void render(struct draw_work *w)
{
    begin_rendering(w, VK_ATTACHMENT_LOAD_OP_CLEAR);
    if (w->s->secondary) {
        w->vk->api.CmdExecuteCommands(w->cmd, 1, &w->secondary);
    } else {
        steps(w, w->cmd);
    }
    w->vk->api.CmdEndRendering(w->cmd);
}

static void copy_out(struct draw_work *w)
{
    barrier(w, w->cmd, NULL, 0, 0);
    for (uint32_t i = 0; i < LULL_SCENE_TARGETS + 1; i++) {
        const struct draw_image *from =
            w->resolved[i].image != VK_NULL_HANDLE ? &w->resolved[i] : &w->targets[i];
        if (from->image == VK_NULL_HANDLE) {
            continue;
        }
        barrier(w, w->cmd, from, i == LULL_SCENE_TARGETS ? depth_layout : color_layout,
                source_layout);
        const VkImageAspectFlags aspects = draw_aspects(from->format);
        for (VkImageAspectFlags a = 1; a <= VK_IMAGE_ASPECT_STENCIL_BIT; a <<= 1) {
            const VkBufferImageCopy copy = {.imageSubresource = {a, 0, 0, w->s->layers},
                                            .imageExtent = {w->s->width, w->s->height, 1}};
            const uint32_t to = a == VK_IMAGE_ASPECT_STENCIL_BIT ? LULL_SCENE_TARGETS + 1 : i;
            if ((aspects & a) != 0) {
                w->vk->api.CmdCopyImageToBuffer(w->cmd, from->image, source_layout,
                                                w->results[to].buffer, 1, &copy);
            }
        }
    }
    for (uint32_t i = 0; i < w->nqueries; i++) {
        w->vk->api.CmdCopyQueryPoolResults(w->cmd, w->queries[i], 0, 1, w->copied.buffer,
                                           (VkDeviceSize)i * DRAW_QUERY_BYTES, DRAW_QUERY_BYTES,
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    }
    barrier(w, w->cmd, NULL, 0, 0);
    w->vk->api.CmdFillBuffer(w->cmd, w->done.buffer, 0, VK_WHOLE_SIZE, DRAW_DONE);
    barrier(w, w->cmd, NULL, 0, 0);
}

/** A driver may not notice that its work was given up. */
static bool is_done(const struct draw_work *w)
{
    uint32_t word = 0;
    memcpy(&word, w->done.map, sizeof word);
    return word == DRAW_DONE;
}

struct lull_error *draw_run(struct draw_work *w, uint64_t timeout_ns, enum lull_vk_end *ret)
{
    struct vk_api *api = &w->vk->api;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &w->cmd};
    VkQueue queue = VK_NULL_HANDLE;
    api->GetDeviceQueue(w->vk->device, w->vk->family, 0, &queue);
    struct lull_error *err = w->s->secondary ? record_secondary(w) : NULL;
    if (err == NULL) {
        err = vk_check(w->vk, api->BeginCommandBuffer(w->cmd, &begin), "vkBeginCommandBuffer");
    }
    if (err != NULL) {
        return err;
    }
    prepare(w);
    render(w);
    copy_out(w);
    err = vk_check(w->vk, api->EndCommandBuffer(w->cmd), "vkEndCommandBuffer");
    if (err != NULL) {
        return err;
    }
    VkResult r = api->QueueSubmit(queue, 1, &submit, w->fence);
    if (r == VK_SUCCESS) {
        r = api->WaitForFences(w->vk->device, 1, &w->fence, VK_TRUE, timeout_ns);
    }
    if (r == VK_SUCCESS) { // where drivers look at the state of the device
        r = api->QueueWaitIdle(queue);
    }
    *ret = r == VK_TIMEOUT                                        ? LULL_VK_HANG
           : r == VK_ERROR_DEVICE_LOST || (r >= 0 && !is_done(w)) ? LULL_VK_LOST
                                                                  : LULL_VK_DONE;
    w->vk->lost |= *ret != LULL_VK_DONE;
    return *ret == LULL_VK_LOST ? NULL : vk_check(w->vk, r, "vkQueueSubmit");
}
