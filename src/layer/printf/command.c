// SPDX-License-Identifier: MIT
// Command buffers: which dispatches and draws print, and the number of a dispatch in the buffer's
// header while it runs.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "layer/printf/command.h"

static struct lull_lp_commands *find(struct lull_lp_device *d, VkCommandBuffer handle)
{
    struct lull_lp_commands *c = d->commands;
    while (c != NULL && c->handle != handle) {
        c = c->other;
    }
    return c;
}

static struct lull_lp_commands *find_or_make(struct lull_lp_device *d, VkCommandBuffer handle)
{
    struct lull_lp_commands *c = find(d, handle);
    if (c == NULL && (c = calloc(1, sizeof *c)) != NULL) {
        c->handle = handle;
        c->other = d->commands;
        d->commands = c;
    }
    return c;
}

static struct lull_lp_use *add_use(struct lull_lp_commands *c, const struct lull_lp_use *use)
{
    if (!lull_lp_room(&c->uses, c->nuses, &c->room, sizeof *c->uses)) {
        return NULL;
    }
    c->uses[c->nuses] = *use;
    return &c->uses[c->nuses++];
}

static VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer handle,
                                            const VkCommandBufferBeginInfo *info)
{
    struct lull_lp_device *d = lull_lp_device(handle);
    pthread_mutex_lock(&d->lock);
    struct lull_lp_commands *c = find(d, handle);
    if (c != NULL) {
        c->nuses = c->ndispatches = c->ndraws = 0;
        memset(c->bound, 0, sizeof c->bound);
        memset(c->objects, 0, sizeof c->objects);
    }
    pthread_mutex_unlock(&d->lock);
    return d->next.begin(handle, info);
}

static VKAPI_ATTR void VKAPI_CALL free_commands(VkDevice device, VkCommandPool pool, uint32_t n,
                                                const VkCommandBuffer *handles)
{
    struct lull_lp_device *d = lull_lp_device(device);
    pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; i < n; i++) {
        struct lull_lp_commands **at = &d->commands;
        while (*at != NULL && (*at)->handle != handles[i]) {
            at = &(*at)->other;
        }
        struct lull_lp_commands *gone = *at;
        if (gone != NULL) {
            *at = gone->other;
            free(gone->uses);
            free(gone);
        }
    }
    pthread_mutex_unlock(&d->lock);
    d->next.free_commands(device, pool, n, handles);
}

static int bind_index(VkPipelineBindPoint point)
{
    switch (point) {
    case VK_PIPELINE_BIND_POINT_GRAPHICS:
        return 0;
    case VK_PIPELINE_BIND_POINT_COMPUTE:
        return 1;
    case VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR:
        return 2;
    case VK_PIPELINE_BIND_POINT_SUBPASS_SHADING_HUAWEI:
    case VK_PIPELINE_BIND_POINT_MAX_ENUM:
    default:
        return -1;
    }
}

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                VkPipeline pipeline)
{
    struct lull_lp_device *d = lull_lp_device(handle);
    const int at = bind_index(point);
    pthread_mutex_lock(&d->lock);
    struct lull_lp_commands *c = d->prints && at >= 0 ? find_or_make(d, handle) : NULL;
    if (c != NULL) {
        c->bound[at] = lull_lp_pipeline(d, (uint64_t)pipeline);
    }
    if (c != NULL && at == 0) {
        memset(c->objects, 0, sizeof c->objects);
    }
    pthread_mutex_unlock(&d->lock);
    d->next.bind_pipeline(handle, point, pipeline);
}

/** Shader objects. Those of draws are several, with a number each. */
static VKAPI_ATTR void VKAPI_CALL bind_shaders(VkCommandBuffer handle, uint32_t n,
                                               const VkShaderStageFlagBits *stages,
                                               const lull_vk_shader *shaders)
{
    struct lull_lp_device *d = lull_lp_device(handle);
    pthread_mutex_lock(&d->lock);
    struct lull_lp_commands *c = d->prints ? find_or_make(d, handle) : NULL;
    for (uint32_t i = 0; c != NULL && i < n; i++) {
        struct lull_lp_pipeline *object = shaders != NULL ? lull_lp_pipeline(d, shaders[i]) : NULL;
        if (stages[i] == VK_SHADER_STAGE_COMPUTE_BIT) {
            c->bound[1] = object;
        } else {
            c->bound[0] = NULL;
            c->objects[(unsigned)__builtin_ctz(stages[i]) % LULL_LP_STAGES] = object;
        }
    }
    pthread_mutex_unlock(&d->lock);
    d->next.bind_shaders(handle, n, stages, shaders);
}

static VKAPI_ATTR void VKAPI_CALL execute(VkCommandBuffer handle, uint32_t n,
                                          const VkCommandBuffer *handles)
{
    struct lull_lp_device *d = lull_lp_device(handle);
    pthread_mutex_lock(&d->lock);
    struct lull_lp_commands *c = d->prints ? find_or_make(d, handle) : NULL;
    for (uint32_t i = 0; c != NULL && i < n; i++) {
        const struct lull_lp_commands *other = find(d, handles[i]);
        for (size_t k = 0; other != NULL && k < other->nuses; k++) {
            struct lull_lp_use use = other->uses[k];
            use.index += use.draw ? c->ndraws : c->ndispatches;
            add_use(c, &use);
        }
        c->ndispatches += other != NULL ? other->ndispatches : 0;
        c->ndraws += other != NULL ? other->ndraws : 0;
    }
    pthread_mutex_unlock(&d->lock);
    d->next.execute(handle, n, handles);
}

/** The number of the next dispatch into the buffer's header, behind those before it. */
static void fill(struct lull_lp_device *d, VkCommandBuffer handle, uint32_t serial)
{
    enum { DISPATCH_AT = 12 };
    const VkMemoryBarrier before = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT};
    const VkMemoryBarrier behind = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_SHADER_READ_BIT};
    d->next.barrier(handle, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                    1, &before, 0, NULL, 0, NULL);
    d->next.fill(handle, d->buffer, DISPATCH_AT, 4, serial);
    d->next.barrier(handle, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                    1, &behind, 0, NULL, 0, NULL);
}

struct lull_lp_device *lull_lp_dispatch(VkCommandBuffer handle)
{
    struct lull_lp_device *d = lull_lp_device(handle);
    bool marks = false;
    uint32_t serial = 0;
    pthread_mutex_lock(&d->lock);
    struct lull_lp_commands *c = d->prints ? find_or_make(d, handle) : NULL;
    if (c != NULL && c->bound[1] != NULL &&
        lull_lp_room(&d->serials, d->nserials, &d->serials_room, sizeof *d->serials)) {
        serial = (uint32_t)d->nserials;
        const struct lull_lp_use use = {c->bound[1], false, c->ndispatches, serial};
        d->serials[d->nserials++] = (struct lull_lp_serial){0};
        marks = add_use(c, &use) != NULL && (d->records & LULL_PRINTF_DISPATCH) != 0;
    }
    if (c != NULL) {
        c->ndispatches++;
    }
    pthread_mutex_unlock(&d->lock);
    if (marks) {
        fill(d, handle, serial);
    }
    return d;
}

struct lull_lp_device *lull_lp_draw(VkCommandBuffer handle)
{
    struct lull_lp_device *d = lull_lp_device(handle);
    pthread_mutex_lock(&d->lock);
    struct lull_lp_commands *c = d->prints ? find_or_make(d, handle) : NULL;
    if (c != NULL) {
        struct lull_lp_use use = {c->bound[0], true, c->ndraws++, 0};
        if (use.pipeline != NULL) {
            add_use(c, &use);
        }
        for (size_t i = 0; i < LULL_LP_STAGES; i++) {
            use.pipeline = c->objects[i];
            if (use.pipeline != NULL) {
                add_use(c, &use);
            }
        }
    }
    pthread_mutex_unlock(&d->lock);
    return d;
}

static void drawn(struct lull_lp_pipeline *p, uint64_t number)
{
    p->draws.first = p->draws.n == 0 ? number : p->draws.first;
    p->draws.last = number;
    p->draws.n++;
}

/** Entries of linked pipelines hold a library's number. */
static void drawn_by(struct lull_lp_device *d, struct lull_lp_pipeline *p, uint64_t number)
{
    drawn(p, number);
    for (struct lull_lp_pipeline *other = d->pipelines; other != NULL; other = other->other) {
        for (size_t i = 0; i < LULL_LP_LIBRARIES; i++) {
            if (p->libraries[i] == other) {
                drawn(other, number);
            }
        }
    }
}

void lull_lp_submitted(struct lull_lp_device *d, VkQueue queue, VkCommandBuffer handle)
{
    const struct lull_lp_commands *c = find(d, handle);
    for (size_t i = 0; c != NULL && i < c->nuses; i++) {
        const struct lull_lp_use *use = &c->uses[i];
        if (use->draw) {
            drawn_by(d, use->pipeline, d->ndraws + use->index);
        } else {
            d->serials[use->serial].number = d->ndispatches + use->index;
            d->serials[use->serial].submits++;
            d->several |= d->queue != VK_NULL_HANDLE && d->queue != queue;
            d->queue = queue;
        }
    }
    d->ndispatches += c != NULL ? c->ndispatches : 0;
    d->ndraws += c != NULL ? c->ndraws : 0;
}

const struct lull_loader_hook *lull_lp_command_hooks(size_t *ret)
{
    static const struct lull_loader_hook hooks[] = {
        {"vkBeginCommandBuffer", (PFN_vkVoidFunction)begin},
        {"vkFreeCommandBuffers", (PFN_vkVoidFunction)free_commands},
        {"vkCmdBindPipeline", (PFN_vkVoidFunction)bind_pipeline},
        {"vkCmdBindShadersEXT", (PFN_vkVoidFunction)bind_shaders},
        {"vkCmdExecuteCommands", (PFN_vkVoidFunction)execute},
    };
    *ret = sizeof hooks / sizeof hooks[0];
    return hooks;
}
