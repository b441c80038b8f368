// SPDX-License-Identifier: MIT
// A scene's commands: recorded, submitted, waited for.
#include <string.h>

#include "draw.h"

static const VkImageLayout color_layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                           depth_layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                           source_layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;

/** Everything before is done and seen by everything after. */
static void barrier(VkCommandBuffer cmd, const struct gpu_image *i, VkImageLayout from,
                    VkImageLayout to)
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
            gpu_aspects(i->format), 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    }
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0,
                         i == NULL, &all, 0, NULL, i != NULL, &image);
}

static void prepare(struct work *w)
{
    const struct scene *s = w->s;
    for (uint32_t i = 0; i < w->nqueries; i++) {
        vkCmdResetQueryPool(w->cmd, w->queries[i], 0, 1);
    }
    for (uint32_t i = 0; i < s->nresources; i++) {
        const struct scene_resource *r = &s->resources[i];
        const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                        .imageExtent = {r->width, r->height, 1}};
        if (r->format == NULL) {
            continue;
        }
        barrier(w->cmd, &w->textures[i], VK_IMAGE_LAYOUT_UNDEFINED,
                VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdCopyBufferToImage(w->cmd, w->buffers[r->buffer].buffer, w->textures[i].image,
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
        barrier(w->cmd, &w->textures[i], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    for (uint32_t i = 0; i < SCENE_TARGETS + 1; i++) {
        const VkImageLayout to = i == SCENE_TARGETS ? depth_layout : color_layout;
        if (w->targets[i].image != VK_NULL_HANDLE) {
            barrier(w->cmd, &w->targets[i], VK_IMAGE_LAYOUT_UNDEFINED, to);
        }
        if (w->resolved[i].image != VK_NULL_HANDLE) {
            barrier(w->cmd, &w->resolved[i], VK_IMAGE_LAYOUT_UNDEFINED, to);
        }
    }
}

static VkRenderingAttachmentInfo attachment(const struct work *w, uint32_t i,
                                            VkAttachmentLoadOp load)
{
    const bool depth = i == SCENE_TARGETS;
    const struct scene_target *t = depth ? &w->s->depth : &w->s->targets[i];
    VkRenderingAttachmentInfo a = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                   .imageView = w->targets[i].view,
                                   .imageLayout = depth ? depth_layout : color_layout,
                                   .loadOp = load,
                                   .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                   .clearValue = t->clear};
    if (w->resolved[i].view != VK_NULL_HANDLE) {
        a.resolveMode = t->format->type == SCENE_FLOAT ? VK_RESOLVE_MODE_AVERAGE_BIT
                                                       : VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
        a.resolveImageView = w->resolved[i].view;
        a.resolveImageLayout = a.imageLayout;
    }
    return a;
}

static void begin_rendering(const struct work *w, VkAttachmentLoadOp load)
{
    const struct scene *s = w->s;
    VkRenderingAttachmentInfo colors[SCENE_TARGETS] = {{0}};
    const VkRenderingAttachmentInfo depth = s->depth.format != NULL
                                                ? attachment(w, SCENE_TARGETS, load)
                                                : (VkRenderingAttachmentInfo){0};
    const VkImageAspectFlags aspects = gpu_aspects(w->targets[SCENE_TARGETS].format);
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
    vkCmdBeginRendering(w->cmd, &info);
}

static void bind(const struct work *w, VkCommandBuffer cmd, size_t step)
{
    const struct scene_state *t = w->s->steps[step].state;
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, w->pipelines[step]);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, w->layout, 0, 1, &w->set, 0,
                            NULL);
    if (t->npush != 0) {
        vkCmdPushConstants(cmd, w->layout, VK_SHADER_STAGE_ALL, 0, t->npush, t->push);
    }
    for (uint32_t i = 0; i < t->nbindings; i++) {
        vkCmdBindVertexBuffers(cmd, i, 1, &w->buffers[t->vertex_buffer[i]].buffer,
                               &t->vertex_offset[i]);
    }
    if (t->index_buffer != UINT32_MAX) {
        vkCmdBindIndexBuffer(cmd, w->buffers[t->index_buffer].buffer, 0, t->index_type);
    }
}

static void clear(const struct work *w, VkCommandBuffer cmd, const struct scene_step *t)
{
    const bool depth = t->args[0] == UINT32_MAX;
    const VkClearAttachment what = {depth ? gpu_aspects(w->s->depth.format->format)
                                          : VK_IMAGE_ASPECT_COLOR_BIT,
                                    depth ? 0 : t->args[0], t->clear};
    const VkClearRect rect = {
        {{(int32_t)t->args[1], (int32_t)t->args[2]}, {t->args[3], t->args[4]}},
        0,
        w->s->views != 0 ? 1 : w->s->layers};
    vkCmdClearAttachments(cmd, 1, &what, 1, &rect);
}

static void begin_condition(const struct work *w, VkCommandBuffer cmd, const uint32_t *a)
{
    const VkConditionalRenderingBeginInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
        .buffer = w->buffers[a[0]].buffer,
        .offset = a[1],
        .flags = a[2] != 0 ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0};
    w->g->begin_condition(cmd, &info);
}

/** Bind the buffers, begin, or end: all three by the pairs of @p t. */
static void feedback(const struct work *w, VkCommandBuffer cmd, const struct scene_step *t,
                     enum scene_step_kind what)
{
    VkBuffer buffers[SCENE_FEEDBACKS] = {0}, counters[SCENE_FEEDBACKS] = {0};
    const VkDeviceSize zeros[SCENE_FEEDBACKS] = {0};
    uint32_t n = 0;
    for (; n < SCENE_FEEDBACKS && t->args[2 * n] != UINT32_MAX; n++) {
        buffers[n] = w->buffers[t->args[2 * n]].buffer;
        counters[n] = w->buffers[t->args[2 * n + 1]].buffer;
    }
    if (what == SCENE_FEEDBACK_BEGIN) {
        const VkDeviceSize sizes[SCENE_FEEDBACKS] = {VK_WHOLE_SIZE, VK_WHOLE_SIZE, VK_WHOLE_SIZE,
                                                     VK_WHOLE_SIZE};
        w->g->bind_feedback(cmd, 0, n, buffers, zeros, sizes);
    } else if (what == SCENE_DRAW) {
        w->g->begin_feedback(cmd, 0, n, counters, zeros);
    } else {
        w->g->end_feedback(cmd, 0, n, counters, zeros);
    }
}

/** What feedback wrote is read as vertices and counts, behind a pass of its own. */
static void feedback_over(const struct work *w)
{
    vkCmdEndRendering(w->cmd);
    barrier(w->cmd, NULL, 0, 0);
    begin_rendering(w, VK_ATTACHMENT_LOAD_OP_LOAD);
}

static void begin_query(const struct work *w, VkCommandBuffer cmd, const struct scene_step *t,
                        uint32_t *query)
{
    const uint32_t *a = t->args;
    if (a[0] == VK_QUERY_TYPE_TIMESTAMP) {
        vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, w->queries[(*query)++], 0);
    } else if (a[2] != 0) {
        w->g->begin_indexed(cmd, w->queries[*query], 0, a[1], a[2]);
    } else {
        vkCmdBeginQuery(cmd, w->queries[*query], 0, a[1]);
    }
}

static void end_query(const struct work *w, VkCommandBuffer cmd, uint32_t *query)
{
    const uint32_t stream = w->query_streams[*query];
    if (stream != 0) {
        w->g->end_indexed(cmd, w->queries[(*query)++], 0, stream);
    } else {
        vkCmdEndQuery(cmd, w->queries[(*query)++], 0);
    }
}

static void one_step(const struct work *w, VkCommandBuffer cmd, const struct scene_step *t,
                     uint32_t *query)
{
    const uint32_t *a = t->args;
    VkBuffer buffer = a[0] < SCENE_BUFFERS ? w->buffers[a[0]].buffer : VK_NULL_HANDLE;
    switch (t->kind) {
    case SCENE_DRAW:
        vkCmdDraw(cmd, a[0], a[1], a[2], a[3]);
        break;
    case SCENE_DRAW_INDEXED:
        vkCmdDrawIndexed(cmd, a[0], a[1], a[2], (int32_t)a[3], a[4]);
        break;
    case SCENE_DRAW_INDIRECT:
        vkCmdDrawIndirect(cmd, buffer, a[1], a[2], a[3]);
        break;
    case SCENE_DRAW_INDEXED_INDIRECT:
        vkCmdDrawIndexedIndirect(cmd, buffer, a[1], a[2], a[3]);
        break;
    case SCENE_DRAW_INDIRECT_COUNT: // arguments 16 bytes apart
        vkCmdDrawIndirectCount(cmd, buffer, a[1], w->buffers[a[2]].buffer, a[3], a[4], 16);
        break;
    case SCENE_DRAW_INDEXED_INDIRECT_COUNT: // 20 bytes apart
        vkCmdDrawIndexedIndirectCount(cmd, buffer, a[1], w->buffers[a[2]].buffer, a[3], a[4], 20);
        break;
    case SCENE_DRAW_MESH:
        w->g->draw_mesh(cmd, a[0], a[1], a[2]);
        break;
    case SCENE_DRAW_FEEDBACK:
        w->g->draw_feedback(cmd, a[2], 0, buffer, 0, 0, a[1]);
        break;
    case SCENE_QUERY_BEGIN:
        begin_query(w, cmd, t, query);
        break;
    case SCENE_QUERY_END:
        end_query(w, cmd, query);
        break;
    case SCENE_CONDITION_BEGIN:
        begin_condition(w, cmd, a);
        break;
    case SCENE_CONDITION_END:
        w->g->end_condition(cmd);
        break;
    case SCENE_FEEDBACK_BEGIN:
        feedback(w, cmd, t, SCENE_FEEDBACK_BEGIN);
        break;
    case SCENE_FEEDBACK_END: // of the last that began: steps()
        break;
    case SCENE_CLEAR:
        clear(w, cmd, t);
        break;
    }
}

static void steps(const struct work *w, VkCommandBuffer cmd)
{
    uint32_t query = 0;
    const struct scene_step *with = NULL; // the feedback that was asked for
    bool begun = false;                   // it begins with a pipeline bound
    for (size_t i = 0; i < w->s->nsteps; i++) {
        const struct scene_step *t = &w->s->steps[i];
        if (t->state != NULL) {
            bind(w, cmd, i);
            if (with != NULL && !begun) {
                feedback(w, cmd, with, SCENE_DRAW);
                begun = true;
            }
        }
        one_step(w, cmd, t, &query);
        if (t->kind == SCENE_FEEDBACK_BEGIN) {
            with = t;
        } else if (t->kind == SCENE_FEEDBACK_END && begun) {
            feedback(w, cmd, with, SCENE_FEEDBACK_END);
            feedback_over(w);
            with = NULL;
            begun = false;
        }
    }
}

static struct lull_error *record_secondary(struct work *w)
{
    VkFormat formats[SCENE_TARGETS] = {0};
    VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .viewMask = w->s->views,
        .colorAttachmentCount = w->s->ntargets,
        .pColorAttachmentFormats = formats,
        .rasterizationSamples = (VkSampleCountFlagBits)w->s->samples};
    const VkFormat depth = w->targets[SCENE_TARGETS].format;
    const VkImageAspectFlags aspects = gpu_aspects(depth);
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
    struct lull_error *err = gpu_check(vkBeginCommandBuffer(w->secondary, &begin), "begin");
    if (err == NULL) {
        steps(w, w->secondary);
        err = gpu_check(vkEndCommandBuffer(w->secondary), "end");
    }
    return err;
}

static void render(struct work *w)
{
    begin_rendering(w, VK_ATTACHMENT_LOAD_OP_CLEAR);
    if (w->s->secondary) {
        vkCmdExecuteCommands(w->cmd, 1, &w->secondary);
    } else {
        steps(w, w->cmd);
    }
    vkCmdEndRendering(w->cmd);
}

static void copy_out(struct work *w)
{
    barrier(w->cmd, NULL, 0, 0);
    for (uint32_t i = 0; i < SCENE_TARGETS + 1; i++) {
        const struct gpu_image *from =
            w->resolved[i].image != VK_NULL_HANDLE ? &w->resolved[i] : &w->targets[i];
        if (from->image == VK_NULL_HANDLE) {
            continue;
        }
        barrier(w->cmd, from, i == SCENE_TARGETS ? depth_layout : color_layout, source_layout);
        const VkImageAspectFlags aspects = gpu_aspects(from->format);
        for (VkImageAspectFlags a = 1; a <= VK_IMAGE_ASPECT_STENCIL_BIT; a <<= 1) {
            const VkBufferImageCopy copy = {.imageSubresource = {a, 0, 0, w->s->layers},
                                            .imageExtent = {w->s->width, w->s->height, 1}};
            const uint32_t to = a == VK_IMAGE_ASPECT_STENCIL_BIT ? SCENE_TARGETS + 1 : i;
            if ((aspects & a) != 0) {
                vkCmdCopyImageToBuffer(w->cmd, from->image, source_layout, w->results[to].buffer, 1,
                                       &copy);
            }
        }
    }
    for (uint32_t i = 0; i < w->nqueries; i++) {
        vkCmdCopyQueryPoolResults(w->cmd, w->queries[i], 0, 1, w->copied.buffer,
                                  (VkDeviceSize)i * DRAW_QUERY_BYTES, DRAW_QUERY_BYTES,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    }
    barrier(w->cmd, NULL, 0, 0);
    vkCmdFillBuffer(w->cmd, w->done.buffer, 0, VK_WHOLE_SIZE, DRAW_DONE);
    barrier(w->cmd, NULL, 0, 0);
}

/** A driver may not notice that its work was given up. */
static struct lull_error *is_done(const struct work *w)
{
    uint32_t word = 0;
    memcpy(&word, w->done.map, sizeof word);
    return word == DRAW_DONE ? NULL
                             : lull_error_new(LULL_ERR_OS, "the work did not come to its end");
}

struct lull_error *work_run(struct work *w)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &w->cmd};
    struct lull_error *err = w->s->secondary ? record_secondary(w) : NULL;
    if (err == NULL) {
        err = gpu_check(vkBeginCommandBuffer(w->cmd, &begin), "vkBeginCommandBuffer");
    }
    if (err != NULL) {
        return err;
    }
    prepare(w);
    render(w);
    copy_out(w);
    err = gpu_check(vkEndCommandBuffer(w->cmd), "vkEndCommandBuffer");
    if (err == NULL) {
        err = gpu_check(vkQueueSubmit(w->g->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    }
    if (err == NULL) {
        err = gpu_check(vkQueueWaitIdle(w->g->queue), "vkQueueWaitIdle");
    }
    return err != NULL ? err : is_done(w);
}
