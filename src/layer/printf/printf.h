// SPDX-License-Identifier: MIT
/** @file
 * VK_LAYER_LULL_printf inside: debugPrintfEXT in programs that lull did not write.
 *
 * The device gets bufferDeviceAddress and one printf buffer that the host sees. Modules are lowered
 * when the program hands them over (`src/spirv`), with the buffer's address as a constant: no
 * layout, set or push constant of the program changes. Pipelines whose shaders print get their
 * number as a specialization constant. In front of each dispatch that prints, its number goes into
 * the buffer's header; draws are known by pipeline. Whenever the program waits or submits, new
 * entries are printed; once nothing that was submitted runs any more, the buffer starts anew.
 *
 * The environment says how: LULL_PRINTF, "stdout" (also if not set) or "stderr"; LULL_PRINTF_SIZE,
 * bytes of the buffer; LULL_PRINTF_RECORD, what lines begin with, "none" or a list of place,
 * workgroup, wave, lane ("place,workgroup" if not set).
 *
 * Its state hangs on one static object, since a layer has no context argument; one lock guards it,
 * and a device's lock what is submitted to it. Neither is held in the driver, but the device's
 * around a submission and the fence behind it.
 */
#ifndef LULL_LAYER_PRINTF_H
#define LULL_LAYER_PRINTF_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <vulkan/vulkan_core.h>

#include "base/arena.h"
#include "base/error.h"
#include "layer/loader.h"
#include "layer/printf/shader_object.h"
#include "printf/decode.h"

enum {
    LULL_LP_SPEC_ID = 0x6c756c6c, ///< Specialization constant of a pipeline's number.
    LULL_LP_BINDS = 3,            ///< Bind points: graphics, compute, rays.
    LULL_LP_LIBRARIES = 4,        ///< With shaders of their own, that a pipeline is linked of.
    LULL_LP_STAGES = 8,           ///< Of draws, as bits of VkShaderStageFlagBits: the last is mesh.
};

/** The next layer's functions of a device; their names in the same order: layer.c. */
struct lull_lp_next {
    PFN_vkDestroyDevice destroy_device;
    PFN_vkCreateBuffer create_buffer;
    PFN_vkDestroyBuffer destroy_buffer;
    PFN_vkGetBufferMemoryRequirements requirements;
    PFN_vkAllocateMemory allocate;
    PFN_vkFreeMemory free_memory;
    PFN_vkBindBufferMemory bind;
    PFN_vkMapMemory map;
    PFN_vkCreateFence create_fence;
    PFN_vkDestroyFence destroy_fence;
    PFN_vkResetFences reset_fences;
    PFN_vkGetFenceStatus fence_status;
    PFN_vkWaitForFences wait_fences;
    PFN_vkQueueSubmit submit;
    PFN_vkQueueSubmit2 submit2;
    PFN_vkQueueSubmit2 submit2_khr;
    PFN_vkQueueWaitIdle queue_idle;
    PFN_vkDeviceWaitIdle device_idle;
    PFN_vkWaitSemaphores wait_semaphores;
    PFN_vkWaitSemaphores wait_semaphores_khr;
    PFN_vkGetSemaphoreCounterValue counter;
    PFN_vkGetSemaphoreCounterValue counter_khr;
    PFN_vkGetEventStatus event_status;
    PFN_vkGetQueryPoolResults query_results;
    PFN_vkQueuePresentKHR present;
    PFN_vkSetDebugUtilsObjectNameEXT set_name;
    PFN_vkCreateShaderModule create_module;
    PFN_vkDestroyShaderModule destroy_module;
    PFN_vkCreateComputePipelines compute_pipelines;
    PFN_vkCreateGraphicsPipelines graphics_pipelines;
    PFN_vkCreateRayTracingPipelinesKHR ray_pipelines;
    PFN_vkDestroyPipeline destroy_pipeline;
    lull_vk_create_shaders create_shaders;
    lull_vk_destroy_shader destroy_shader;
    lull_vk_bind_shaders bind_shaders;
    PFN_vkBeginCommandBuffer begin;
    PFN_vkFreeCommandBuffers free_commands;
    PFN_vkCmdBindPipeline bind_pipeline;
    PFN_vkCmdExecuteCommands execute;
    PFN_vkCmdPipelineBarrier barrier;
    PFN_vkCmdFillBuffer fill;
    PFN_vkCmdDispatch dispatch;
    PFN_vkCmdDispatchIndirect dispatch_indirect;
    PFN_vkCmdDispatchBase dispatch_base;
    PFN_vkCmdDispatchBase dispatch_base_khr;
    PFN_vkCmdDraw draw;
    PFN_vkCmdDrawIndexed draw_indexed;
    PFN_vkCmdDrawIndirect draw_indirect;
    PFN_vkCmdDrawIndexedIndirect draw_indexed_indirect;
    PFN_vkCmdDrawIndirectCount draw_count;
    PFN_vkCmdDrawIndirectCount draw_count_khr;
    PFN_vkCmdDrawIndexedIndirectCount draw_indexed_count;
    PFN_vkCmdDrawIndexedIndirectCount draw_indexed_count_khr;
    PFN_vkCmdDrawIndirectByteCountEXT draw_byte_count;
    PFN_vkCmdDrawMultiEXT draw_multi;
    PFN_vkCmdDrawMultiIndexedEXT draw_multi_indexed;
    PFN_vkCmdDrawMeshTasksEXT draw_mesh;
    PFN_vkCmdDrawMeshTasksIndirectEXT draw_mesh_indirect;
    PFN_vkCmdDrawMeshTasksIndirectCountEXT draw_mesh_count;
};

/** A module that prints. */
struct lull_lp_module {
    VkShaderModule handle; ///< VK_NULL_HANDLE: destroyed, or it came with a pipeline.
    uint32_t number;       ///< From 1.
    uint32_t model;        ///< SpvExecutionModel of its entry points; UINT32_MAX: of several kinds.
    const char *name;      ///< The program's; NULL: none.
    struct lull_lp_module *other;
};

/** A call of printf. */
struct lull_lp_site {
    const struct lull_lp_module *module;
    const char *file; ///< NULL: not known.
    uint32_t line;
};

/** A pipeline or a shader object that prints. */
struct lull_lp_pipeline {
    uint64_t handle; ///< 0: destroyed.
    uint32_t number; ///< From 1. What entries hold, but of what is linked: there it is a library's.
    bool own;        ///< Shaders of its own print, not only those of libraries.
    const char *name;                                            ///< The program's; NULL: none.
    const struct lull_lp_pipeline *libraries[LULL_LP_LIBRARIES]; ///< All whose own shaders print.
    struct { ///< Draws that were submitted since the buffer was empty.
        uint64_t first, last, n;
    } draws;
    struct lull_lp_pipeline *other;
};

/** A dispatch or draw of a command buffer by a pipeline that prints. */
struct lull_lp_use {
    struct lull_lp_pipeline *pipeline;
    bool draw;
    uint32_t index;  ///< Among the dispatches, or draws, of the command buffer.
    uint32_t serial; ///< Of a dispatch: what the buffer's header holds meanwhile.
};

struct lull_lp_commands {
    VkCommandBuffer handle;
    struct lull_lp_pipeline *bound[LULL_LP_BINDS];    ///< NULL: one that does not print.
    struct lull_lp_pipeline *objects[LULL_LP_STAGES]; ///< Shader objects of draws, likewise.
    uint32_t ndispatches, ndraws;
    struct lull_lp_use *uses;
    size_t nuses, room;
    struct lull_lp_commands *other;
};

/** A dispatch whose entries hold its serial. */
struct lull_lp_serial {
    uint64_t number;  ///< Among the device's dispatches, at its last submission.
    uint32_t submits; ///< Since the buffer was empty.
};

/** A fence of the layer behind a submission. */
struct lull_lp_fence {
    VkFence own;
    VkFence of; ///< The program's for that submission; VK_NULL_HANDLE.
};

struct lull_lp_device {
    void *key;
    VkDevice handle;
    PFN_vkGetDeviceProcAddr next_proc;
    pid_t process; ///< Of the program: a child of it has the device's memory, but nothing to print.
    struct lull_lp_next next;
    struct lull_lp_device *other;
    VkBuffer buffer; ///< VK_NULL_HANDLE: printf is off.
    VkDeviceMemory memory;
    VkDeviceAddress address;
    uint32_t bytes;
    void *map;
    unsigned records;     ///< enum lull_printf_record.
    pthread_mutex_t lock; ///< Of all that follows.
    bool prints;          ///< There is a module that does.
    struct lull_printf_table *table;
    struct lull_printf_decoder decoder;
    struct lull_arena arena; ///< Modules, pipelines, names: they live as long as the device.
    struct lull_lp_module *modules;
    uint32_t nmodules;
    struct lull_lp_pipeline *pipelines;
    uint32_t npipelines;
    struct lull_lp_commands *commands;
    struct lull_lp_site *sites; ///< By number.
    size_t nsites, sites_room;
    struct lull_lp_serial *serials; ///< By serial.
    size_t nserials, serials_room;
    struct lull_lp_fence *fences; ///< First those that were not seen to have passed.
    size_t npending, nfences, fences_room;
    uint64_t seen;    ///< Dwords that were asked for at
    uint64_t seen_ns; ///< this time, when something ran.
    bool in_vain;     ///< One waited for them, and none has passed since.
    bool submitted;   ///< Something, since the buffer was empty.
    VkQueue queue;    ///< That dispatches whose numbers are recorded went to since; VK_NULL_HANDLE.
    bool several;     ///< They went to others, too: one's number may stand in another's entries.
    uint64_t ndispatches, ndraws; ///< Submitted so far.
};

/** The device of any of its dispatchable handles. */
struct lull_lp_device *lull_lp_device(const void *handle);
void lull_lp_device_add(struct lull_lp_device *d);
void lull_lp_device_drop(struct lull_lp_device *d);

/** Room for one more behind @p n objects of @p size bytes. False: no memory. */
bool lull_lp_room(void *items, size_t n, size_t *room, size_t size);

/** A line on standard error. */
void lull_lp_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** The buffer, if the device has addresses; else d->buffer stays VK_NULL_HANDLE and a line says
 * why. @p info: of the device, whose queues share it. */
void lull_lp_buffer(struct lull_lp_device *d, VkPhysicalDevice physical,
                    const VkDeviceCreateInfo *info);
void lull_lp_buffer_done(struct lull_lp_device *d);

/** The program's fences have passed (@p all of them, or some): those of the layer behind the same
 * submissions come at once, so wait for them. */
void lull_lp_follow(struct lull_lp_device *d, uint32_t n, const VkFence *fences, bool all);

/** The device is lost: nothing runs any more, and no fence says so. */
void lull_lp_lost(struct lull_lp_device *d);

/** Print what is new. @p last: nothing runs any more. While something does, only entries whose
 * place was taken 20 ms ago: a lane stores the header first, and the rest may come later. */
void lull_lp_drain(struct lull_lp_device *d, bool last);

/** Before a submission: a buffer that is more than half full is only emptied when nothing runs, so
 * wait for what does, 0.2 s at most (it may itself wait for the program), and not again before
 * something ended. */
void lull_lp_make_room(struct lull_lp_device *d);

/** The program ends: print what is there, and what comes within a second. */
void lull_lp_end(struct lull_lp_device *d);

/** Decode and print, with the lock held. @p live: entries may be on their way. */
void lull_lp_report(struct lull_lp_device *d, bool live);

/** Functions in front of the next layer's. */
const struct lull_loader_hook *lull_lp_module_hooks(size_t *ret);
const struct lull_loader_hook *lull_lp_pipeline_hooks(size_t *ret);
const struct lull_loader_hook *lull_lp_command_hooks(size_t *ret);
const struct lull_loader_hook *lull_lp_draw_hooks(size_t *ret);
const struct lull_loader_hook *lull_lp_submit_hooks(size_t *ret);

/**
 * Lower a module.
 *
 * @param[out] ret For free(); NULL: it does not print, or could not be lowered (a line said why).
 */
struct lull_lp_module *lull_lp_lower(struct lull_lp_device *d, const void *code, size_t size,
                                     uint32_t **ret, size_t *ret_words);

/** The module that prints with this handle, the pipeline; NULL: there is none. Lock held. */
struct lull_lp_module *lull_lp_module(struct lull_lp_device *d, VkShaderModule handle);
struct lull_lp_pipeline *lull_lp_pipeline(struct lull_lp_device *d, uint64_t handle);

/** Count what a command buffer brings to the GPU by @p queue. Lock held. */
void lull_lp_submitted(struct lull_lp_device *d, VkQueue queue, VkCommandBuffer handle);

/** A name in the device's arena; NULL: no memory, or none. */
const char *lull_lp_keep(struct lull_lp_device *d, const char *text);

#endif
