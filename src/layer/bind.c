// SPDX-License-Identifier: MIT
// What command buffers bind for compute and for draws: descriptor sets, pushed descriptors; push
// constants of compute.
#include <stdlib.h>
#include <string.h>

#include "layer/layer.h"
#include "layer/maintenance6.h"

#define HANDLE(h) LULL_LAYER_HANDLE(h)

// What was pushed to set at is there no more.
static void forget_pushed(struct lull_layer_sets *b, uint32_t at)
{
    size_t n = 0;
    for (size_t i = 0; i < b->npushed; i++) {
        if (b->pushed[i].set != at) {
            b->pushed[n++] = b->pushed[i];
        }
    }
    b->npushed = n;
}

static void set_bound(struct lull_layer_sets *b, uint32_t at, uint64_t set)
{
    if (at < LULL_LAYER_MAX_SETS) {
        b->sets[at] = set;
        b->nsets = b->nsets > at ? b->nsets : at + 1;
        free(b->offsets[at]);
        b->offsets[at] = NULL;
        b->noffsets[at] = 0;
    }
}

// The next dynamic offsets belong to set at; returns how many.
static uint32_t take_offsets(struct lull_layer_sets *b, const struct lull_layer_layout *l,
                             uint32_t at, const uint32_t *offsets, uint32_t left)
{
    uint32_t n = l != NULL && at < l->nsets ? l->dynamic[at] : 0;
    n = n < left ? n : left;
    uint32_t *copy = n > 0 && at < LULL_LAYER_MAX_SETS ? malloc(n * sizeof *copy) : NULL;
    if (copy != NULL) {
        memcpy(copy, offsets, n * sizeof *copy);
        b->offsets[at] = copy;
        b->noffsets[at] = n;
    }
    return n;
}

/** The sets that are bound for @p stages: @p point 0: for compute, 1: for draws; NULL: not of
 * these.
 */
static struct lull_layer_sets *sets_for(struct lull_layer_commands *c, VkShaderStageFlags stages,
                                        unsigned point)
{
    const VkShaderStageFlags draws =
        VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    const VkShaderStageFlags of[] = {VK_SHADER_STAGE_COMPUTE_BIT, draws};
    return c == NULL || (stages & of[point]) == 0 ? NULL : point == 0 ? &c->compute : &c->draws;
}

enum { POINTS = 2 };

/** With the lock held, as all of these. */
static void keep_sets(VkCommandBuffer cmd, const struct lull_vk_bind_sets *b)
{
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    const struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_LAYOUT, HANDLE(b->layout));
    for (unsigned point = 0; point < POINTS; point++) {
        struct lull_layer_sets *to = sets_for(c, b->stageFlags, point);
        uint32_t used = 0;
        for (uint32_t i = 0; to != NULL && i < b->descriptorSetCount; i++) {
            set_bound(to, b->firstSet + i, HANDLE(b->pDescriptorSets[i]));
            forget_pushed(to, b->firstSet + i);
            used += take_offsets(to, e != NULL ? e->data : NULL, b->firstSet + i,
                                 b->pDynamicOffsets + used, b->dynamicOffsetCount - used);
        }
    }
}

static void keep_pushed(VkCommandBuffer cmd, const struct lull_vk_push_set *p)
{
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    for (unsigned point = 0; point < POINTS; point++) {
        struct lull_layer_sets *to = sets_for(c, p->stageFlags, point);
        if (to != NULL) {
            set_bound(to, p->set, UINT64_MAX);
            lull_layer_push(to, p->set, p->descriptorWriteCount, p->pDescriptorWrites);
        }
    }
}

static void keep_pushed_with(VkCommandBuffer cmd, const struct lull_vk_push_template *p)
{
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    struct lull_layer_sets *to =
        c != NULL ? lull_layer_push_with(c, p->set, p->descriptorUpdateTemplate, p->pData) : NULL;
    if (to != NULL) {
        set_bound(to, p->set, UINT64_MAX);
    }
}

static void keep_constants(VkCommandBuffer cmd, const struct lull_vk_push_constants *p)
{
    struct lull_layer_commands *c = lull_layer_commands_of(cmd);
    const bool compute = (p->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    if (c != NULL && compute && p->offset < LULL_LAYER_MAX_PUSH) {
        const uint32_t room = LULL_LAYER_MAX_PUSH - p->offset, n = p->size < room ? p->size : room;
        memcpy(c->push + p->offset, p->pValues, n);
        c->npush = c->npush > p->offset + n ? c->npush : p->offset + n;
    }
}

/** The stages that a bind point is of, as far as they are kept. */
static VkShaderStageFlags stages_of(VkPipelineBindPoint point)
{
    return point == VK_PIPELINE_BIND_POINT_COMPUTE    ? VK_SHADER_STAGE_COMPUTE_BIT
           : point == VK_PIPELINE_BIND_POINT_GRAPHICS ? VK_SHADER_STAGE_ALL_GRAPHICS
                                                      : 0;
}

static VKAPI_ATTR void VKAPI_CALL bind_sets(VkCommandBuffer cmd, VkPipelineBindPoint point,
                                            VkPipelineLayout layout, uint32_t first, uint32_t count,
                                            const VkDescriptorSet *sets, uint32_t noffsets,
                                            const uint32_t *offsets)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    const struct lull_vk_bind_sets b = {.stageFlags = stages_of(point),
                                        .layout = layout,
                                        .firstSet = first,
                                        .descriptorSetCount = count,
                                        .pDescriptorSets = sets,
                                        .dynamicOffsetCount = noffsets,
                                        .pDynamicOffsets = offsets};
    lull_layer_lock();
    keep_sets(cmd, &b);
    lull_layer_unlock();
    ((PFN_vkCmdBindDescriptorSets)d->next[LULL_FN_BIND_SETS])(cmd, point, layout, first, count,
                                                              sets, noffsets, offsets);
}

static void push_by(enum lull_layer_fn fn, VkCommandBuffer cmd, VkPipelineBindPoint point,
                    const struct lull_vk_push_set *p)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    lull_layer_lock();
    keep_pushed(cmd, p);
    lull_layer_unlock();
    ((PFN_vkCmdPushDescriptorSetKHR)d->next[fn])(cmd, point, p->layout, p->set,
                                                 p->descriptorWriteCount, p->pDescriptorWrites);
}

static VKAPI_ATTR void VKAPI_CALL push_set(VkCommandBuffer cmd, VkPipelineBindPoint point,
                                           VkPipelineLayout layout, uint32_t set, uint32_t count,
                                           const VkWriteDescriptorSet *writes)
{
    const struct lull_vk_push_set p = {.stageFlags = stages_of(point),
                                       .layout = layout,
                                       .set = set,
                                       .descriptorWriteCount = count,
                                       .pDescriptorWrites = writes};
    push_by(LULL_FN_PUSH_SET, cmd, point, &p);
}

static VKAPI_ATTR void VKAPI_CALL push_set_core(VkCommandBuffer cmd, VkPipelineBindPoint point,
                                                VkPipelineLayout layout, uint32_t set,
                                                uint32_t count, const VkWriteDescriptorSet *writes)
{
    const struct lull_vk_push_set p = {.stageFlags = stages_of(point),
                                       .layout = layout,
                                       .set = set,
                                       .descriptorWriteCount = count,
                                       .pDescriptorWrites = writes};
    push_by(LULL_FN_PUSH_SET_CORE, cmd, point, &p);
}

static void push_with_by(enum lull_layer_fn fn, VkCommandBuffer cmd,
                         const struct lull_vk_push_template *p)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    lull_layer_lock();
    keep_pushed_with(cmd, p);
    lull_layer_unlock();
    ((PFN_vkCmdPushDescriptorSetWithTemplateKHR)d->next[fn])(cmd, p->descriptorUpdateTemplate,
                                                             p->layout, p->set, p->pData);
}

static VKAPI_ATTR void VKAPI_CALL push_set_template(VkCommandBuffer cmd,
                                                    VkDescriptorUpdateTemplate with,
                                                    VkPipelineLayout layout, uint32_t set,
                                                    const void *data)
{
    const struct lull_vk_push_template p = {
        .descriptorUpdateTemplate = with, .layout = layout, .set = set, .pData = data};
    push_with_by(LULL_FN_PUSH_SET_TEMPLATE, cmd, &p);
}

static VKAPI_ATTR void VKAPI_CALL push_set_template_core(VkCommandBuffer cmd,
                                                         VkDescriptorUpdateTemplate with,
                                                         VkPipelineLayout layout, uint32_t set,
                                                         const void *data)
{
    const struct lull_vk_push_template p = {
        .descriptorUpdateTemplate = with, .layout = layout, .set = set, .pData = data};
    push_with_by(LULL_FN_PUSH_SET_TEMPLATE_CORE, cmd, &p);
}

static VKAPI_ATTR void VKAPI_CALL push_constants(VkCommandBuffer cmd, VkPipelineLayout layout,
                                                 VkShaderStageFlags stages, uint32_t offset,
                                                 uint32_t size, const void *data)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    const struct lull_vk_push_constants p = {
        .stageFlags = stages, .offset = offset, .size = size, .pValues = data};
    lull_layer_lock();
    keep_constants(cmd, &p);
    lull_layer_unlock();
    ((PFN_vkCmdPushConstants)d->next[LULL_FN_PUSH_CONSTANTS])(cmd, layout, stages, offset, size,
                                                              data);
}

/** What VK_KHR_maintenance6 has: all of a call in a struct. */
static void call_next(enum lull_layer_fn fn, VkCommandBuffer cmd, const void *info)
{
    const struct lull_layer_device *d = lull_layer_device(cmd);
    ((lull_vk_of_struct)d->next[fn])(cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL bind_sets2(VkCommandBuffer cmd,
                                             const struct lull_vk_bind_sets *info)
{
    lull_layer_lock();
    keep_sets(cmd, info);
    lull_layer_unlock();
    call_next(LULL_FN_BIND_SETS2, cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL bind_sets2_khr(VkCommandBuffer cmd,
                                                 const struct lull_vk_bind_sets *info)
{
    lull_layer_lock();
    keep_sets(cmd, info);
    lull_layer_unlock();
    call_next(LULL_FN_BIND_SETS2_KHR, cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL push_constants2(VkCommandBuffer cmd,
                                                  const struct lull_vk_push_constants *info)
{
    lull_layer_lock();
    keep_constants(cmd, info);
    lull_layer_unlock();
    call_next(LULL_FN_PUSH_CONSTANTS2, cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL push_constants2_khr(VkCommandBuffer cmd,
                                                      const struct lull_vk_push_constants *info)
{
    lull_layer_lock();
    keep_constants(cmd, info);
    lull_layer_unlock();
    call_next(LULL_FN_PUSH_CONSTANTS2_KHR, cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL push_set2(VkCommandBuffer cmd,
                                            const struct lull_vk_push_set *info)
{
    lull_layer_lock();
    keep_pushed(cmd, info);
    lull_layer_unlock();
    call_next(LULL_FN_PUSH_SET2, cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL push_set2_khr(VkCommandBuffer cmd,
                                                const struct lull_vk_push_set *info)
{
    lull_layer_lock();
    keep_pushed(cmd, info);
    lull_layer_unlock();
    call_next(LULL_FN_PUSH_SET2_KHR, cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL push_template2(VkCommandBuffer cmd,
                                                 const struct lull_vk_push_template *info)
{
    lull_layer_lock();
    keep_pushed_with(cmd, info);
    lull_layer_unlock();
    call_next(LULL_FN_PUSH_SET_TEMPLATE2, cmd, info);
}

static VKAPI_ATTR void VKAPI_CALL push_template2_khr(VkCommandBuffer cmd,
                                                     const struct lull_vk_push_template *info)
{
    lull_layer_lock();
    keep_pushed_with(cmd, info);
    lull_layer_unlock();
    call_next(LULL_FN_PUSH_SET_TEMPLATE2_KHR, cmd, info);
}

const struct lull_layer_hook *lull_layer_bind_hooks(size_t *ret_count)
{
    static const struct lull_layer_hook hooks[] = {
        {"vkCmdBindDescriptorSets", LULL_FN_BIND_SETS, (PFN_vkVoidFunction)bind_sets},
        {"vkCmdBindDescriptorSets2", LULL_FN_BIND_SETS2, (PFN_vkVoidFunction)bind_sets2},
        {"vkCmdBindDescriptorSets2KHR", LULL_FN_BIND_SETS2_KHR, (PFN_vkVoidFunction)bind_sets2_khr},
        {"vkCmdPushDescriptorSet", LULL_FN_PUSH_SET_CORE, (PFN_vkVoidFunction)push_set_core},
        {"vkCmdPushDescriptorSetKHR", LULL_FN_PUSH_SET, (PFN_vkVoidFunction)push_set},
        {"vkCmdPushDescriptorSet2", LULL_FN_PUSH_SET2, (PFN_vkVoidFunction)push_set2},
        {"vkCmdPushDescriptorSet2KHR", LULL_FN_PUSH_SET2_KHR, (PFN_vkVoidFunction)push_set2_khr},
        {"vkCmdPushDescriptorSetWithTemplate", LULL_FN_PUSH_SET_TEMPLATE_CORE,
         (PFN_vkVoidFunction)push_set_template_core},
        {"vkCmdPushDescriptorSetWithTemplateKHR", LULL_FN_PUSH_SET_TEMPLATE,
         (PFN_vkVoidFunction)push_set_template},
        {"vkCmdPushDescriptorSetWithTemplate2", LULL_FN_PUSH_SET_TEMPLATE2,
         (PFN_vkVoidFunction)push_template2},
        {"vkCmdPushDescriptorSetWithTemplate2KHR", LULL_FN_PUSH_SET_TEMPLATE2_KHR,
         (PFN_vkVoidFunction)push_template2_khr},
        {"vkCmdPushConstants", LULL_FN_PUSH_CONSTANTS, (PFN_vkVoidFunction)push_constants},
        {"vkCmdPushConstants2", LULL_FN_PUSH_CONSTANTS2, (PFN_vkVoidFunction)push_constants2},
        {"vkCmdPushConstants2KHR", LULL_FN_PUSH_CONSTANTS2_KHR,
         (PFN_vkVoidFunction)push_constants2_khr},
    };
    *ret_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}
