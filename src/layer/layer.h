// SPDX-License-Identifier: MIT
/** @file
 * VK_LAYER_LULL_names inside: what its files share. Format of what it writes:
 * docs/formats/names.md.
 *
 * The layer only listens: each call goes on unchanged, and what it says is written before or after.
 * Devices of RADV and Turnip alone get one extension more, by which these drivers say where buffers
 * are; where images are is asked with a buffer in the same place, for the length of that call.
 * A Vulkan layer has no context argument, so its state (devices, command buffers, the file) hangs
 * on one static object in state.c behind one lock. The lock is never held while the next layer or
 * the driver is called. When memory is short, records are lost, never calls.
 */
#ifndef LULL_LAYER_LAYER_H
#define LULL_LAYER_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "base/json.h"
#include "base/str.h"

/** Device functions that the layer hears of; indices of struct lull_layer_device.next. */
enum lull_layer_fn {
    LULL_FN_DESTROY_DEVICE,
    LULL_FN_GET_QUEUE,
    LULL_FN_GET_QUEUE2,
    LULL_FN_SUBMIT,
    LULL_FN_SUBMIT2,
    LULL_FN_SUBMIT2_KHR,
    LULL_FN_PRESENT,
    LULL_FN_CREATE_SHADER,
    LULL_FN_DESTROY_SHADER,
    LULL_FN_CREATE_PIPELINES,
    LULL_FN_CREATE_GRAPHICS,
    LULL_FN_DESTROY_PIPELINE,
    LULL_FN_CREATE_SAMPLER,
    LULL_FN_DESTROY_SAMPLER,
    LULL_FN_CREATE_SET_LAYOUT,
    LULL_FN_DESTROY_SET_LAYOUT,
    LULL_FN_CREATE_LAYOUT,
    LULL_FN_DESTROY_LAYOUT,
    LULL_FN_ALLOCATE_SETS,
    LULL_FN_ALLOCATE_MEMORY,
    LULL_FN_FREE_MEMORY,
    LULL_FN_CREATE_BUFFER,
    LULL_FN_DESTROY_BUFFER,
    LULL_FN_CREATE_IMAGE,
    LULL_FN_DESTROY_IMAGE,
    LULL_FN_BIND_BUFFER,
    LULL_FN_BIND_BUFFER2,
    LULL_FN_BIND_BUFFER2_KHR,
    LULL_FN_BIND_IMAGE,
    LULL_FN_BIND_IMAGE2,
    LULL_FN_BIND_IMAGE2_KHR,
    LULL_FN_ADDRESS,
    LULL_FN_ADDRESS_KHR,
    LULL_FN_ADDRESS_EXT,
    LULL_FN_CREATE_IMAGE_VIEW,
    LULL_FN_DESTROY_IMAGE_VIEW,
    LULL_FN_CREATE_BUFFER_VIEW,
    LULL_FN_DESTROY_BUFFER_VIEW,
    LULL_FN_UPDATE_SETS,
    LULL_FN_CREATE_TEMPLATE,
    LULL_FN_CREATE_TEMPLATE_KHR,
    LULL_FN_DESTROY_TEMPLATE,
    LULL_FN_DESTROY_TEMPLATE_KHR,
    LULL_FN_UPDATE_TEMPLATE,
    LULL_FN_UPDATE_TEMPLATE_KHR,
    LULL_FN_ALLOCATE_CMDS,
    LULL_FN_FREE_CMDS,
    LULL_FN_DESTROY_POOL,
    LULL_FN_RESET_POOL,
    LULL_FN_BEGIN,
    LULL_FN_RESET,
    LULL_FN_BIND_PIPELINE,
    LULL_FN_BIND_SETS,
    LULL_FN_PUSH_SET,
    LULL_FN_PUSH_SET_TEMPLATE,
    LULL_FN_PUSH_CONSTANTS,
    LULL_FN_BIND_SETS2,
    LULL_FN_BIND_SETS2_KHR,
    LULL_FN_PUSH_SET_CORE,
    LULL_FN_PUSH_SET2,
    LULL_FN_PUSH_SET2_KHR,
    LULL_FN_PUSH_SET_TEMPLATE_CORE,
    LULL_FN_PUSH_SET_TEMPLATE2,
    LULL_FN_PUSH_SET_TEMPLATE2_KHR,
    LULL_FN_PUSH_CONSTANTS2,
    LULL_FN_PUSH_CONSTANTS2_KHR,
    LULL_FN_DISPATCH,
    LULL_FN_DISPATCH_BASE,
    LULL_FN_DISPATCH_BASE_KHR,
    LULL_FN_DISPATCH_INDIRECT,
    LULL_FN_EXECUTE,
    LULL_FN_DRAW,
    LULL_FN_DRAW_INDEXED,
    LULL_FN_DRAW_INDIRECT,
    LULL_FN_DRAW_INDEXED_INDIRECT,
    LULL_FN_DRAW_COUNT,
    LULL_FN_DRAW_COUNT_KHR,
    LULL_FN_DRAW_INDEXED_COUNT,
    LULL_FN_DRAW_INDEXED_COUNT_KHR,
    LULL_FN_DRAW_MESH,
    LULL_FN_DRAW_MESH_INDIRECT,
    LULL_FN_DRAW_MESH_COUNT,
    LULL_FN_FILL,
    LULL_FN_UPDATE,
    LULL_FN_COPY,
    LULL_FN_COPY2,
    LULL_FN_COPY2_KHR,
    LULL_FN_BARRIER,
    LULL_FN_BARRIER2,
    LULL_FN_BARRIER2_KHR,
    LULL_FN_WAIT_EVENTS,
    LULL_FN_WAIT_EVENTS2,
    LULL_FN_WAIT_EVENTS2_KHR,
    LULL_FN_CMD_SET_EVENT,
    LULL_FN_CMD_SET_EVENT2,
    LULL_FN_CMD_SET_EVENT2_KHR,
    LULL_FN_CMD_RESET_EVENT,
    LULL_FN_CMD_RESET_EVENT2,
    LULL_FN_CMD_RESET_EVENT2_KHR,
    LULL_FN_SET_EVENT,
    LULL_FN_CREATE_SEMAPHORE,
    LULL_FN_DESTROY_SEMAPHORE,
    LULL_FN_IMPORT_SEMAPHORE,
    LULL_FN_SIGNAL_SEMAPHORE,
    LULL_FN_SIGNAL_SEMAPHORE_KHR,
    LULL_FN_BEGIN_PASS,
    LULL_FN_BEGIN_PASS2,
    LULL_FN_BEGIN_PASS2_KHR,
    LULL_FN_WAIT_FENCES,
    LULL_FN_FENCE_STATUS,
    LULL_FN_QUEUE_IDLE,
    LULL_FN_DEVICE_IDLE,
    LULL_FN_WAIT_SEMAPHORES,
    LULL_FN_WAIT_SEMAPHORES_KHR,
    LULL_FN_COUNTER_VALUE,
    LULL_FN_COUNTER_VALUE_KHR,
    LULL_FN_QUERY_RESULTS,
    LULL_FN_EVENT_STATUS,
    LULL_FN_BEGIN_LABEL,
    LULL_FN_END_LABEL,
    LULL_FN_QUEUE_BEGIN_LABEL,
    LULL_FN_QUEUE_END_LABEL,
    LULL_FN_SET_NAME,
    LULL_NFNS,
};

struct lull_layer_device {
    void *key; ///< First word of all its dispatchable handles.
    VkDevice handle;
    PFN_vkGetDeviceProcAddr next_proc;
    bool debug_utils;                   ///< The program switched VK_EXT_debug_utils on.
    PFN_vkVoidFunction next[LULL_NFNS]; ///< NULL: not there.
    /** Where the driver has any buffer; NULL: it would not say. */
    PFN_vkGetBufferDeviceAddress where;
    struct lull_layer_device *other;
};

/** A hook and its Vulkan name; the table ends the hooks of a file. */
struct lull_layer_hook {
    const char *name;
    enum lull_layer_fn fn;
    PFN_vkVoidFunction hook;
};

enum { LULL_LAYER_MAX_SETS = 32, LULL_LAYER_MAX_PUSH = 256 };

/** What handles of a kind mean: the layer's own map, by kind and handle. */
enum lull_layer_kind {
    LULL_LAYER_HASH,       ///< value: hash of a shader module.
    LULL_LAYER_SAMPLER,    ///< data: its VkSamplerCreateInfo.
    LULL_LAYER_SET_LAYOUT, ///< value: number of dynamic descriptors.
    LULL_LAYER_LAYOUT,     ///< data: struct lull_layer_layout
    LULL_LAYER_QUEUE,      ///< data: struct lull_layer_queue
    LULL_LAYER_COMMANDS,   ///< data: struct lull_layer_commands
    LULL_LAYER_STACK,      ///< By its hash; value: its number.
    LULL_LAYER_VIEW,       ///< data: what an image or buffer view shows.
    LULL_LAYER_TEMPLATE,   ///< data: a descriptor update template.
};

struct lull_layer_layout {
    uint32_t nsets, dynamic[LULL_LAYER_MAX_SETS];
};

/** Open labels, as the inside of a JSON list: `"a","b"`. */
struct lull_layer_labels {
    struct lull_str text;
    size_t depth, nends;
    size_t *ends; ///< Length of text below each label.
};

struct lull_layer_queue {
    VkDevice device;
    uint32_t family, index;
    struct lull_layer_labels labels;
};

/** A value under a key. */
struct lull_layer_entry {
    enum lull_layer_kind kind;
    uint64_t handle, value;
    void *data; ///< Owned by who put it.
    struct lull_layer_entry *next;
};

/** @{ The lock of all that is below. */
void lull_layer_lock(void);
void lull_layer_unlock(void);
/** @} */

/** The device of a dispatchable handle. Takes the lock itself. */
struct lull_layer_device *lull_layer_device(const void *handle);
/** What the loader puts first in a handle: the same for a device, its queues and command buffers.
 */
void *lull_layer_key(const void *handle);
/* With the lock held: it is known, or no longer. */
void lull_layer_device_add(struct lull_layer_device *d);
void lull_layer_device_drop(struct lull_layer_device *d);

/** @{ The map; with the lock held. find: NULL if none. put: replaces, returns NULL if memory is
 * short. drop: gives data back to the caller. first/next: all of a kind. */
struct lull_layer_entry *lull_layer_find(enum lull_layer_kind kind, uint64_t handle);
struct lull_layer_entry *lull_layer_put(enum lull_layer_kind kind, uint64_t handle);
void *lull_layer_drop(enum lull_layer_kind kind, uint64_t handle);
void lull_layer_each(enum lull_layer_kind kind, void (*fn)(struct lull_layer_entry *e, void *arg),
                     void *arg);
/** @} */

/** Is there a directory to write into? */
bool lull_layer_on(void);

/** A Vulkan handle that is not a pointer, as the number that records have. */
#define LULL_LAYER_HANDLE(h) ((uint64_t)(uintptr_t)(h))

/** Start a record of @p kind; with the lock held until lull_layer_write(). */
struct lull_json lull_layer_record(struct lull_str *out, const char *kind);

/** End the record, append it to the file, free it. */
void lull_layer_write(struct lull_json *j);

/** Save a module's bytes once; returns its hash, *ret_name the file's name or "". Lock held. */
uint64_t lull_layer_save(const void *code, size_t size, struct lull_str *ret_name);

/** A name that came from the program, as valid UTF-8. For free(); NULL if memory is short. */
char *lull_layer_utf8(const char *text);

/** The structure of @p type in a chain of pNext; NULL: none. */
const void *lull_layer_in_chain(const void *chain, VkStructureType type);

/** Number for the next submission; lock held. */
uint64_t lull_layer_submit_number(void);
/** Number for the next stack, from 1 on; lock held. */
uint64_t lull_layer_stack_number(void);
/**
 * Write down who called the layer, once. Takes the lock itself.
 *
 * @return Number of the stack; 0: not known.
 */
uint64_t lull_layer_stack(void);
/** Add a draw of command buffer @p cmd; takes *how, which says how much. Takes the lock itself. */
void lull_layer_add_draw(uint64_t cmd, struct lull_str *how);
/** Add a barrier of command buffer @p cmd, or that it sets or resets an event, as JSON; takes
 * *text. Takes the lock itself. */
void lull_layer_add_order(uint64_t cmd, struct lull_str *text);
/** The same of a copy, fill or update, members of an object. */
void lull_layer_add_transfer(uint64_t cmd, struct lull_str *text);
/** The host has waited for work; lock held. Written once until there is new work. */
void lull_layer_waited(void);
/** Tell the virtual driver that a frame was presented. */
void lull_layer_presented(void);

/** A buffer has its memory: write down where it is. Takes the lock itself. */
void lull_layer_placed(const struct lull_layer_device *d, VkBuffer buffer);
/** An image has all of its memory at byte @p offset of @p memory: the same. */
void lull_layer_image_placed(const struct lull_layer_device *d, VkImage image,
                             VkDeviceMemory memory, VkDeviceSize offset);

/** @{ The hooks of object.c, descriptor.c, command.c, bind.c, draw.c, order.c, event.c,
 * semaphore.c, transfer.c and submit.c, by index; NULL behind the last. */
const struct lull_layer_hook *lull_layer_object_hooks(size_t *ret_count);
const struct lull_layer_hook *lull_layer_descriptor_hooks(size_t *ret_count);
const struct lull_layer_hook *lull_layer_command_hooks(size_t *ret_count);
const struct lull_layer_hook *lull_layer_bind_hooks(size_t *ret_count);
const struct lull_layer_hook *lull_layer_draw_hooks(size_t *ret_count);
const struct lull_layer_hook *lull_layer_order_hooks(size_t *ret_count);
const struct lull_layer_hook *lull_layer_event_hooks(size_t *ret_count);
const struct lull_layer_hook *lull_layer_semaphore_hooks(size_t *ret_count);
const struct lull_layer_hook *lull_layer_transfer_hooks(size_t *ret_count);
const struct lull_layer_hook *lull_layer_submit_hooks(size_t *ret_count);
/** @} */

/** @{ Labels, lock held. */
void lull_layer_label_push(struct lull_layer_labels *l, const char *name);
void lull_layer_label_pop(struct lull_layer_labels *l);
void lull_layer_labels_done(struct lull_layer_labels *l);
/** @} */

enum lull_layer_item_kind {
    LULL_LAYER_DISPATCH,
    LULL_LAYER_DRAW,
    LULL_LAYER_ORDER,
    LULL_LAYER_TRANSFER,
};

/** A dispatch or draw as recorded: JSON, in front of the labels' list, its inside, and behind it.
 * A barrier and a transfer have a head alone. */
struct lull_layer_item {
    enum lull_layer_item_kind kind;
    char *head, *labels, *tail;
};

/** A descriptor that a command buffer pushes. */
struct lull_layer_pushed {
    uint32_t set, binding, element, type;
    uint64_t object, offset, range; ///< A VkBuffer or VkImage; range VK_WHOLE_SIZE: to its end.
};

/** Descriptor sets of a bind point. */
struct lull_layer_sets {
    uint64_t sets[LULL_LAYER_MAX_SETS]; ///< UINT64_MAX: pushed.
    uint32_t *offsets[LULL_LAYER_MAX_SETS];
    uint32_t noffsets[LULL_LAYER_MAX_SETS], nsets;
    struct lull_layer_pushed *pushed;
    size_t npushed;
};

/** A command buffer. */
struct lull_layer_commands {
    VkDevice device;
    uint64_t pool;
    uint64_t pipeline, graphics; ///< Bound for compute, for graphics.
    struct lull_layer_sets compute, draws;
    uint8_t push[LULL_LAYER_MAX_PUSH];
    uint32_t npush;
    struct lull_layer_labels labels;
    size_t nitems, room;
    struct lull_layer_item *items;
};

/** With the lock held; NULL: not known, or memory was short. */
struct lull_layer_commands *lull_layer_commands_of(VkCommandBuffer cmd);

/** Set @p set has these pushed descriptors from now on. Lock held. */
void lull_layer_push(struct lull_layer_sets *b, uint32_t set, uint32_t count,
                     const VkWriteDescriptorSet *writes);

/** The same of @p data by a template, which says for which bind point: that is returned; NULL: it
 * is not known. */
struct lull_layer_sets *lull_layer_push_with(struct lull_layer_commands *c, uint32_t set,
                                             VkDescriptorUpdateTemplate with, const void *data);

/** Member "pushed" of a dispatch or draw, behind a comma; nothing if there are none. Lock held. */
void lull_layer_add_pushed(struct lull_str *s, const struct lull_layer_sets *b);

/** Forget what was recorded. Lock held. */
void lull_layer_commands_reset(struct lull_layer_commands *c);

/** Forget the command buffer itself, if it is known. Lock held. */
void lull_layer_commands_drop(uint64_t handle);

#endif
