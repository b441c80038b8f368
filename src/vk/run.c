// SPDX-License-Identifier: MIT
// One case from its bytes to its results.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "vk/internal.h"

enum { NS_PER_S = 1000000000, SLICE_NS = 50000000 };

/** All that one run makes. */
struct job {
    struct lull_vk *vk;
    const struct lull_vk_case *c;
    struct vk_object *objects; ///< One for each resource.
    struct vk_sets sets;
    VkShaderModule module;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkFence fence;
    struct vk_object indirect;
    struct lull_vk_resource indirect_resource;
};

LULL_MUST_USE static struct lull_error *patch_addresses(struct job *j)
{
    for (size_t i = 0; i < j->c->naddresses; i++) {
        const struct lull_vk_address *a = &j->c->addresses[i];
        if (!j->vk->features.v12.bufferDeviceAddress) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' has no buffer device addresses",
                                  lull_vk_name(j->vk));
        }
        const VkBufferDeviceAddressInfo info = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
            .buffer = j->objects[a->of].buffer,
        };
        const uint64_t address = j->vk->api.GetBufferDeviceAddress(j->vk->device, &info);
        const bool push = a->into == SIZE_MAX;
        uint8_t *bytes = push ? j->c->push : j->objects[a->into].map;
        const size_t size = push ? j->c->push_bytes : j->c->resources[a->into].size;
        if (bytes == NULL || size < sizeof address || a->offset > size - sizeof address) {
            return lull_error_new(LULL_ERR_INVALID, "no room for an address at byte %llu",
                                  (unsigned long long)a->offset);
        }
        memcpy(bytes + a->offset, &address, sizeof address);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *make_objects(struct job *j)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; i < j->c->nresources; i++) {
        const struct lull_vk_resource *of = j->c->resources[i].same;
        if (of != NULL) {
            j->objects[of - j->c->resources].borrowers |= vk_object_usage(j->vk, &j->objects[i]);
        }
    }
    for (size_t i = 0; err == NULL && i < j->c->nresources; i++) {
        if (j->c->resources[i].same != NULL) {
            continue; // see below
        }
        err = vk_object_make(j->vk, &j->objects[i]);
        if (err == NULL && j->objects[i].r->kind == LULL_VK_IMAGE) {
            err = vk_object_image(j->vk, &j->objects[i],
                                  vk_sets_find(&j->sets, j->objects[i].r)->view);
        }
    }
    for (size_t i = 0; err == NULL && i < j->c->nresources; i++) {
        const struct lull_vk_resource *of = j->c->resources[i].same;
        if (of != NULL) {
            err = vk_object_borrow(j->vk, &j->objects[i], &j->objects[of - j->c->resources]);
        }
    }
    if (err == NULL && j->c->indirect) {
        j->indirect_resource = (struct lull_vk_resource){
            .name = "groups", .bytes = (uint8_t *)(uintptr_t)j->c->groups, .size = 12};
        j->indirect.r = &j->indirect_resource;
        err = vk_object_make(j->vk, &j->indirect);
    }
    return err != NULL ? err : patch_addresses(j);
}

LULL_MUST_USE static struct lull_error *make_layout(struct job *j)
{
    const struct lull_vk_case *c = j->c;
    const uint32_t most = j->vk->props.properties.limits.maxPushConstantsSize;
    if (c->push_bytes > most) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "push constants of %zu bytes, '%s' has %u",
                              c->push_bytes, lull_vk_name(j->vk), most);
    }
    const uint32_t most_sets = j->vk->props.properties.limits.maxBoundDescriptorSets;
    if (j->sets.nsets > most_sets) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "descriptor set %u, '%s' has 0 to %u",
                              j->sets.nsets - 1, lull_vk_name(j->vk), most_sets - 1);
    }
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, (uint32_t)c->push_bytes};
    const VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = j->sets.nsets,
        .pSetLayouts = j->sets.layouts,
        .pushConstantRangeCount = c->push_bytes != 0,
        .pPushConstantRanges = &range,
    };
    return vk_check(j->vk, j->vk->api.CreatePipelineLayout(j->vk->device, &info, NULL, &j->layout),
                    "vkCreatePipelineLayout");
}

LULL_MUST_USE static struct lull_error *check_subgroup(const struct job *j)
{
    const VkPhysicalDeviceVulkan13Properties *p = &j->vk->props13;
    const unsigned size = j->c->subgroup_size;
    if (size != 0 && (!j->vk->features.v13.subgroupSizeControl || size < p->minSubgroupSize ||
                      size > p->maxSubgroupSize)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' has subgroups of %u to %u, not %u",
                              lull_vk_name(j->vk), p->minSubgroupSize, p->maxSubgroupSize, size);
    }
    return NULL;
}

/** Drivers on CPUs take it from their memory, and lavapipe runs with more than it says. */
LULL_MUST_USE static struct lull_error *check_shared(const struct job *j)
{
    const VkPhysicalDeviceProperties *p = &j->vk->props.properties;
    const uint64_t needs =
        lull_vk_shared_bytes(j->c->module, j->c->entry, j->c->specs, j->c->nspecs);
    if (needs > p->limits.maxComputeSharedMemorySize &&
        p->deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "the shader needs %" PRIu64 " bytes of shared memory, '%s' has %u",
                              needs, lull_vk_name(j->vk), p->limits.maxComputeSharedMemorySize);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *make_pipeline(struct job *j)
{
    const struct lull_vk_case *c = j->c;
    lull_cleanup(lull_freep) VkSpecializationMapEntry *entries =
        calloc(c->nspecs + 1, sizeof *entries);
    struct lull_error *err = entries != NULL ? check_subgroup(j) : &lull_enomem;
    if (err == NULL) {
        err = check_shared(j);
    }
    if (err != NULL) {
        return err;
    }
    for (size_t i = 0; i < c->nspecs; i++) {
        entries[i] = (VkSpecializationMapEntry){
            .constantID = c->specs[i].id,
            .offset = (uint32_t)(i * sizeof c->specs[0] + offsetof(struct lull_vk_spec, bits)),
            .size = c->specs[i].size,
        };
    }
    const VkSpecializationInfo specs = {(uint32_t)c->nspecs, entries,
                                        c->nspecs * sizeof c->specs[0], c->specs};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = c->subgroup_size,
    };
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = c->base[0] != 0 || c->base[1] != 0 || c->base[2] != 0
                     ? VK_PIPELINE_CREATE_DISPATCH_BASE_BIT
                     : 0,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = c->subgroup_size != 0 ? &subgroup : NULL,
                  .flags = c->full_subgroups
                               ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT
                               : 0,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = j->module,
                  .pName = c->entry,
                  .pSpecializationInfo = c->nspecs != 0 ? &specs : NULL},
        .layout = j->layout,
    };
    return vk_check(j->vk,
                    j->vk->api.CreateComputePipelines(j->vk->device, VK_NULL_HANDLE, 1, &info, NULL,
                                                      &j->pipeline),
                    "vkCreateComputePipelines");
}

LULL_MUST_USE static struct lull_error *make_module(struct job *j)
{
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = j->c->spirv_bytes,
        .pCode = j->c->spirv,
    };
    return vk_check(j->vk, j->vk->api.CreateShaderModule(j->vk->device, &info, NULL, &j->module),
                    "vkCreateShaderModule");
}

static void barrier(struct job *j)
{
    const VkMemoryBarrier all = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    j->vk->api.CmdPipelineBarrier(j->cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                                  0, 1, &all, 0, NULL, 0, NULL);
}

static void dispatch(struct job *j)
{
    const struct lull_vk_case *c = j->c;
    const struct vk_api *api = &j->vk->api;
    if (c->indirect) {
        api->CmdDispatchIndirect(j->cmd, j->indirect.buffer, 0);
    } else if (c->base[0] != 0 || c->base[1] != 0 || c->base[2] != 0) {
        api->CmdDispatchBase(j->cmd, c->base[0], c->base[1], c->base[2], c->groups[0], c->groups[1],
                             c->groups[2]);
    } else {
        api->CmdDispatch(j->cmd, c->groups[0], c->groups[1], c->groups[2]);
    }
}

/**
 * Drivers may copy images by drawing on a queue that can; with images it is the one that only
 * computes, as lull's GPU does not draw.
 */
static uint32_t family_of(const struct job *j)
{
    bool async = j->c->async_queue;
    for (size_t i = 0; i < j->c->nresources; i++) {
        async |= j->c->resources[i].kind == LULL_VK_IMAGE;
    }
    return async ? j->vk->async_family : j->vk->family;
}

LULL_MUST_USE static struct lull_error *begin(struct job *j)
{
    const struct vk_api *api = &j->vk->api;
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = family_of(j),
    };
    struct lull_error *err = vk_check(
        j->vk, api->CreateCommandPool(j->vk->device, &pool, NULL, &j->pool), "vkCreateCommandPool");
    if (err == NULL) {
        const VkCommandBufferAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
            .commandPool = j->pool,
            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
            .commandBufferCount = 1,
        };
        err = vk_check(j->vk, api->AllocateCommandBuffers(j->vk->device, &info, &j->cmd),
                       "vkAllocateCommandBuffers");
    }
    if (err == NULL) {
        const VkCommandBufferBeginInfo info = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
        };
        err = vk_check(j->vk, api->BeginCommandBuffer(j->cmd, &info), "vkBeginCommandBuffer");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *record(struct job *j)
{
    const struct vk_api *api = &j->vk->api;
    struct lull_error *err = begin(j);
    if (err != NULL) {
        return err;
    }
    for (size_t i = 0; i < j->c->nresources; i++) {
        if (j->objects[i].image != VK_NULL_HANDLE) {
            vk_object_copy(j->vk, j->cmd, &j->objects[i], true);
        }
    }
    api->CmdBindPipeline(j->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, j->pipeline);
    vk_sets_bind(j->vk, j->cmd, j->layout, j->c, j->objects, &j->sets);
    if (j->c->push_bytes != 0) {
        api->CmdPushConstants(j->cmd, j->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              (uint32_t)j->c->push_bytes, j->c->push);
    }
    for (unsigned i = 0; i < j->c->repeat || i == 0; i++) {
        dispatch(j);
        barrier(j);
    }
    for (size_t i = 0; i < j->c->nresources; i++) {
        if (j->objects[i].image != VK_NULL_HANDLE) {
            vk_object_copy(j->vk, j->cmd, &j->objects[i], false);
        }
    }
    barrier(j);
    return vk_check(j->vk, api->EndCommandBuffer(j->cmd), "vkEndCommandBuffer");
}

static uint64_t now_ns(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/** Wait for the fence, in slices if somebody may stop it. */
static VkResult wait_fence(const struct job *j)
{
    const struct lull_vk_case *c = j->c;
    uint64_t left = c->timeout_ns;
    VkResult r = VK_TIMEOUT;
    while (r == VK_TIMEOUT && left > 0 && (c->stop == NULL || !c->stop(c->stop_arg))) {
        const uint64_t slice = c->stop != NULL && left > SLICE_NS ? SLICE_NS : left;
        r = j->vk->api.WaitForFences(j->vk->device, 1, &j->fence, VK_TRUE, slice);
        left -= slice;
    }
    return r;
}

/** Submit and wait; device loss and a timeout are results. */
LULL_MUST_USE static struct lull_error *go(struct job *j, struct lull_vk_result *ret)
{
    const struct vk_api *api = &j->vk->api;
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    struct lull_error *err =
        vk_check(j->vk, api->CreateFence(j->vk->device, &info, NULL, &j->fence), "vkCreateFence");
    if (err != NULL) {
        return err;
    }
    VkQueue queue = VK_NULL_HANDLE;
    api->GetDeviceQueue(j->vk->device, family_of(j), 0, &queue);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &j->cmd,
    };
    const uint64_t start = now_ns();
    VkResult r = api->QueueSubmit(queue, 1, &submit, j->fence);
    const char *what = "vkQueueSubmit";
    if (r == VK_SUCCESS) {
        r = wait_fence(j);
        what = "vkWaitForFences";
    }
    if (r == VK_SUCCESS) { // where drivers look at the state of the device
        r = api->QueueWaitIdle(queue);
        what = "vkQueueWaitIdle";
    }
    ret->ns = now_ns() - start;
    ret->end = r == VK_TIMEOUT             ? LULL_VK_HANG
               : r == VK_ERROR_DEVICE_LOST ? LULL_VK_LOST
                                           : LULL_VK_DONE;
    j->vk->lost |= ret->end != LULL_VK_DONE;
    return ret->end == LULL_VK_LOST ? NULL : vk_check(j->vk, r, what);
}

static void job_done(struct job *j)
{
    const struct vk_api *api = &j->vk->api;
    VkDevice device = j->vk->device;
    if (!j->vk->lost) { // else what is destroyed may still be in use
        api->DestroyFence(device, j->fence, NULL);
        api->DestroyCommandPool(device, j->pool, NULL);
        api->DestroyPipeline(device, j->pipeline, NULL);
        api->DestroyPipelineLayout(device, j->layout, NULL);
        api->DestroyShaderModule(device, j->module, NULL);
        for (size_t i = 0; j->objects != NULL && i < j->c->nresources; i++) {
            vk_object_done(j->vk, &j->objects[i]);
        }
        vk_object_done(j->vk, &j->indirect);
    }
    vk_sets_done(j->vk, &j->sets);
    free(j->objects);
}

struct lull_error *lull_vk_run(struct lull_vk *vk, const struct lull_vk_case *c,
                               struct lull_vk_result *ret)
{
    struct job j = {.vk = vk, .c = c};
    *ret = (struct lull_vk_result){0};
    j.objects = calloc(c->nresources + 1, sizeof *j.objects);
    struct lull_error *err =
        j.objects != NULL ? vk_check_capabilities(vk, c->module) : &lull_enomem;
    for (size_t i = 0; err == NULL && i < c->nresources; i++) {
        j.objects[i].r = &c->resources[i];
    }
    struct lull_error *(*const steps[])(struct job *) = {make_objects, make_module};
    if (err == NULL) {
        err = vk_sets_match(vk, c, j.objects, &j.sets);
    }
    for (size_t i = 0; err == NULL && i < sizeof steps / sizeof steps[0]; i++) {
        err = steps[i](&j);
    }
    if (err == NULL) {
        err = vk_sets_make(vk, c, j.objects, &j.sets);
    }
    struct lull_error *(*const rest[])(struct job *) = {make_layout, make_pipeline, record};
    for (size_t i = 0; err == NULL && i < sizeof rest / sizeof rest[0]; i++) {
        err = rest[i](&j);
    }
    if (err == NULL) {
        err = go(&j, ret);
    }
    // Also after a hang: what was written until then. Images would have to be copied first.
    for (size_t i = 0; err == NULL && i < c->nresources; i++) {
        if (ret->end == LULL_VK_DONE || c->resources[i].kind == LULL_VK_BUFFER) {
            vk_object_bytes(&j.objects[i], false);
        }
    }
    job_done(&j);
    return err;
}
