// SPDX-License-Identifier: MIT
/** @file
 * What VK_LAYER_LULL_names wrote about a Vulkan program: shaders, pipelines, layouts, names and the
 * dispatches it submitted, and which of the GPU's dispatches those are.
 *
 * Format: docs/formats/names.md. The file grows while it is read; its lines may be anything: a line
 * that cannot be understood is counted, told and skipped. Handles are reused by drivers, so each
 * record points to what a handle meant when its line was written.
 */
#ifndef LULL_IMAGE_NAMES_H
#define LULL_IMAGE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/spirv.h"

struct lull_names;

/** A VkShaderModule, or the module inside a pipeline's stage. */
struct lull_names_shader {
    uint64_t handle;  ///< 0: given inside a pipeline.
    const char *hash; ///< Of the SPIR-V's bytes, 16 digits.
    const char *name; ///< By VK_EXT_debug_utils, "" if none.
    const char *file; ///< Path of the saved SPIR-V, "" if it was not saved.
    bool prints;      ///< It uses debug printf. Known once lull_names_spirv() has read it.
};

/** Of a VkSamplerCreateInfo; its enumerations as they are. */
struct lull_names_sampler {
    uint32_t mag, min, mip, wrap[3];
    uint32_t compare; ///< VkCompareOp; 0 (never) without comparison, too.
    uint32_t border;  ///< VkBorderColor.
    uint32_t unnormalized;
    float bias, min_lod, max_lod;
    float anisotropy; ///< 0: off.
};

struct lull_names_slot {
    uint32_t binding;
    uint32_t type;                             ///< VkDescriptorType.
    uint32_t count;                            ///< Descriptors; bytes of an inline uniform block.
    uint32_t stages, flags;                    ///< VkShaderStageFlags, VkDescriptorBindingFlags.
    uint32_t immutable;                        ///< Samplers that the layout itself has; 0: none.
    const struct lull_names_sampler *samplers; ///< These; NULL: not known.
};

/** A VkDescriptorSetLayout. */
struct lull_names_set_layout {
    uint64_t handle;
    uint32_t flags; ///< VkDescriptorSetLayoutCreateFlags.
    size_t nslots;
    const struct lull_names_slot *slots; ///< As the program gave them.
};

struct lull_names_range {
    uint32_t stages, offset, size; ///< Bytes.
};

/** A VkPipelineLayout. */
struct lull_names_layout {
    uint64_t handle;
    size_t nsets;
    const struct lull_names_set_layout *const *sets; ///< NULL entries: not known.
    size_t nranges;
    const struct lull_names_range *ranges;
};

struct lull_names_spec {
    uint32_t id;
    uint32_t size;  ///< Bytes, 1 to 8.
    uint64_t value; ///< From bit 0.
};

/** A stage of a graphics pipeline. */
struct lull_names_stage {
    uint32_t stage; ///< VkShaderStageFlagBits.
    const char *entry;
    const struct lull_names_shader *shader; ///< NULL: not known.
};

/** A vertex attribute, with what its binding says. */
struct lull_names_attribute {
    uint32_t location, binding, format, offset, stride, rate; ///< VkFormat; VkVertexInputRate.
};

/** A compute or graphics VkPipeline. */
struct lull_names_pipeline {
    uint64_t handle;
    const char *name; ///< By VK_EXT_debug_utils, else "".
    const char *entry;
    const struct lull_names_shader *shader; ///< NULL: not known.
    const struct lull_names_layout *layout; ///< NULL: not known.
    uint32_t subgroup;                      ///< Required size; 0: the driver's choice.
    uint32_t local_size[3]; ///< With its specialization constants; 0: not known (no SPIR-V).
    size_t nspecs;
    const struct lull_names_spec *specs;
    // Graphics alone, which has no entry, shader, subgroup, local size and specs of its own:
    size_t nstages;
    const struct lull_names_stage *stages;
    size_t nattributes;
    const struct lull_names_attribute *attributes;
};

/** A VkDeviceMemory, VkBuffer or VkImage. Freed ones stay, with freed set. */
enum lull_names_kind { LULL_NAMES_MEMORY, LULL_NAMES_BUFFER, LULL_NAMES_IMAGE };

struct lull_names_object {
    enum lull_names_kind kind;
    uint64_t handle;
    const char *name; ///< By VK_EXT_debug_utils, else "".
    bool freed;
    uint64_t size;           ///< Bytes; 0 for an image.
    uint32_t usage;          ///< VkBufferUsageFlags, VkImageUsageFlags; memory: its type's index.
    uint64_t memory, offset; ///< Handle, and bytes into it; memory 0: not bound.
    uint64_t address;        ///< Device address if the program asked for it; 0.
    uint64_t place;          ///< The same of any buffer or image; 0: not known.
    uint64_t place_bytes;    ///< What it has there.
    uint32_t format, image_type, tiling; ///< VkFormat, VkImageType, VkImageTiling of an image.
    uint32_t extent[3], mips, layers, samples;
};

/** A call in a program of the host. */
struct lull_names_frame {
    const char *module; ///< Path.
    uint64_t offset;    ///< Where the call returns to, in the module's own addresses.
};

/** Who called, from the innermost on. */
struct lull_names_stack {
    size_t nframes;
    const struct lull_names_frame *frames;
};

/** Of which memory a barrier is. */
enum lull_names_part { LULL_NAMES_WHOLE, LULL_NAMES_BYTES, LULL_NAMES_ONE_IMAGE };

/** A barrier: what is before it in stages @p from is in front of what is behind it in stages @p to
 * (VkPipelineStageFlags2), with the accesses of both (VkAccessFlags2) to the memory of part. In
 * older files one is of all parts of a call together, and of all memory. */
struct lull_names_barrier {
    uint64_t from, made, to, seen;
    enum lull_names_part part;
    const struct lull_names_object *object; ///< The buffer or image; NULL: not known.
    uint64_t offset, size;                  ///< Bytes of the buffer; size UINT64_MAX: to its end.
    uint64_t number; ///< Counts barriers, and events that are set, in the order of submissions.
    bool event;      ///< It waits for one that is set on the GPU, by number
    uint64_t set;    ///< set, for what is in front of that
    uint64_t stages; ///< in these stages.
};

struct lull_names_barriers {
    const struct lull_names_barrier *at;
    size_t n;
};

/** A copy, fill or update of a buffer. */
struct lull_names_transfer {
    const char *call; ///< "vkCmdFillBuffer".
    uint64_t bytes;   ///< 0: not known.
    size_t behind;    ///< Of the barriers between the two dispatches, those in front of it.
    uint64_t waits;   ///< As in struct lull_names_dispatch.
    uint32_t family, index;
    bool order_known;
};

struct lull_names_transfers {
    const struct lull_names_transfer *at;
    size_t n;
};

/** A dispatch or draw inside a submission, in the order in which the queue runs them. */
struct lull_names_dispatch {
    uint64_t number; ///< Counts the file's dispatches, or draws, from 0: lull_names_dispatch_at().
    uint64_t submit; ///< Number of its submission in this process.
    uint32_t family, index; ///< Queue.
    uint64_t command_buffer;
    const struct lull_names_pipeline *pipeline; ///< NULL: not known.
    bool indirect;
    /** Workgroups; grid is 0 if indirect. Of draws: vertices, instances, and 1, or 2 if indexed; of
     * mesh shaders, workgroups. */
    uint32_t grid[3], base[3];
    uint64_t buffer, offset; ///< Where the grid is, if indirect.
    size_t nlabels;
    const char *const *labels; ///< From the outermost (queue, command buffer) inwards.
    size_t nsets;
    const uint64_t *sets; ///< Handles of VkDescriptorSet; 0: none; UINT64_MAX: pushed.
    const struct lull_names_bound *bound; ///< For lull_names_descriptors(); NULL: not known.
    size_t npush;
    const uint8_t *push;                                 ///< Push constants from byte 0 on.
    const struct lull_names_stack *recorded, *submitted; ///< NULL: not known.
    // Of dispatches alone:
    bool order_known; ///< The file says what is between it and the one before: older ones do not.
    struct lull_names_barriers after;      ///< Recorded behind the dispatch before.
    struct lull_names_transfers transfers; ///< The same.
    uint64_t waits; ///< Counts waits of the host, and submissions that wait for semaphores.
};

/** A descriptor, as it was written when a dispatch was submitted. */
struct lull_names_descriptor {
    uint32_t set, binding, element;
    uint32_t type;                          ///< VkDescriptorType.
    const struct lull_names_object *object; ///< A buffer or an image; NULL: none, or not known.
    uint64_t offset, range;                 ///< Bytes of the buffer, with the dynamic offset.
    uint32_t level, layer;                  ///< Of an image: the first that is shown.
};

/** One complaint about the file. */
struct lull_names_complaint {
    size_t line; ///< From 1.
    const char *text;
};

/**
 * Open the records of process @p pid in directory @p dir, which may not be there yet.
 *
 * Nothing is read before lull_names_update().
 */
struct lull_error *lull_names_open(const char *dir, uint32_t pid,
                                   struct lull_names **ret) LULL_MUST_USE;

/** Read the lines that were completed since. A file that is not there has none. */
struct lull_error *lull_names_update(struct lull_names *n) LULL_MUST_USE;

void lull_names_free(struct lull_names *n);

/** Name of the program, "" until the first line was read. */
const char *lull_names_program(const struct lull_names *n);

/** @{ All of a kind in the order of their lines. What is returned stays until lull_names_free(),
 * and names and flags in it change with updates. */
size_t lull_names_npipelines(const struct lull_names *n);
const struct lull_names_pipeline *lull_names_pipeline_at(const struct lull_names *n, size_t i);
size_t lull_names_nobjects(const struct lull_names *n);
const struct lull_names_object *lull_names_object_at(const struct lull_names *n, size_t i);
size_t lull_names_ndispatches(const struct lull_names *n);
const struct lull_names_dispatch *lull_names_dispatch_at(const struct lull_names *n, size_t i);
size_t lull_names_ndraws(const struct lull_names *n);
/** Lines that were skipped; at most 100 have a complaint, all are counted. */
size_t lull_names_ncomplaints(const struct lull_names *n);
const struct lull_names_complaint *lull_names_complaint_at(const struct lull_names *n, size_t i);
/** @} */

/** The layout of descriptor set @p set as allocated now; NULL: not known. */
const struct lull_names_set_layout *lull_names_set(const struct lull_names *n, uint64_t set);

/** The descriptors that dispatch @p d has bound: as many as were written, at most @p room. */
size_t lull_names_descriptors(const struct lull_names_dispatch *d,
                              struct lull_names_descriptor *ret, size_t room);

/** The newest live object of @p kind whose memory, by device address, covers @p address; NULL. */
const struct lull_names_object *lull_names_at_address(const struct lull_names *n, uint64_t address);

/**
 * Reflection of a shader's saved SPIR-V, read once.
 *
 * @return NULL if it was not saved or cannot be read (a complaint of line 0 tells why).
 */
const struct lull_spirv *lull_names_spirv(struct lull_names *n, const struct lull_names_shader *s);

/** Has the program asked for defined results of accesses outside of buffers (robustBufferAccess),
 * on each of its devices? */
bool lull_names_robust(const struct lull_names *n);

/** Does the printf layer's buffer (src/layer/printf) begin at @p address of the process? */
bool lull_names_printf(const struct lull_names *n, uint64_t address);

/** What the program says about the order of two dispatches. */
enum lull_names_order {
    LULL_NAMES_ORDERED,   ///< Or it is not known.
    LULL_NAMES_NO_MEMORY, ///< The second waits for the first, but may not see what that wrote:
    LULL_NAMES_ACCESSES,  ///< the barrier is for other accesses,
    LULL_NAMES_ELSEWHERE, ///< or for other memory.
    LULL_NAMES_EARLY,     ///< The event that the second waits for is set in front of the first.
    LULL_NAMES_UNORDERED, ///< No barrier between them is for both.
    LULL_NAMES_QUEUES,    ///< On two queues, and nothing waits for anything.
    LULL_NAMES_LOW,       ///< A timeline semaphore is waited for with too low a value.
};

/** What two do to the same byte. */
enum lull_names_hazard {
    LULL_NAMES_READ,  ///< The second loads what the first stored.
    LULL_NAMES_WRITE, ///< Both store.
    LULL_NAMES_AFTER, ///< The second stores what the first loaded: that it waits is enough.
};

struct lull_names_access {
    enum lull_names_hazard hazard;
    uint64_t address; ///< As the driver has it; 0: not known.
};

/** @p a is submitted in front of @p b. A wait for any fence or binary semaphore between them
 * counts, and a wait for a value of a timeline semaphore for what is in front of its signal. */
enum lull_names_order lull_names_order(const struct lull_names *n,
                                       const struct lull_names_dispatch *a,
                                       const struct lull_names_dispatch *b,
                                       const struct lull_names_access *what);

/** Of LULL_NAMES_LOW: the value that is waited for, and the one that is signalled behind @p a.
 * False: no such wait. */
bool lull_names_low(const struct lull_names *n, const struct lull_names_dispatch *a,
                    const struct lull_names_dispatch *b, uint64_t *ret_waited, uint64_t *ret_value);

/** The same of @p a and what reads the workgroups of @p b, which is indirect, at @p address. */
enum lull_names_order lull_names_order_grid(const struct lull_names *n,
                                            const struct lull_names_dispatch *a,
                                            const struct lull_names_dispatch *b, uint64_t address);

/** Transfers between dispatch @p number - 1 and @p number, which may be the number of dispatches:
 * behind the last. */
struct lull_names_transfers lull_names_transfers_at(const struct lull_names *n, uint64_t number);

/** The same of @p d and a transfer of those at @p number. */
enum lull_names_order lull_names_order_transfer(const struct lull_names *n, uint64_t number,
                                                const struct lull_names_transfer *t,
                                                const struct lull_names_dispatch *d,
                                                const struct lull_names_access *what);

/** The same of a transfer, and what reads the workgroups of @p d behind it at @p address. */
enum lull_names_order lull_names_order_transfer_grid(const struct lull_names *n, uint64_t number,
                                                     const struct lull_names_transfer *t,
                                                     const struct lull_names_dispatch *d,
                                                     uint64_t address);

/** What the hardware says of one dispatch. */
struct lull_names_hw {
    uint32_t ring;    ///< 0: gfx; 1 and up: compute ring 0 and up.
    uint32_t grid[3]; ///< Workgroups, as the packet gives them: with a base, that may be their end.
    uint32_t block[3]; ///< Work-items of a workgroup.
    uint64_t code;     ///< GPU address.
};

struct lull_names_matched {
    const struct lull_names_dispatch *record; ///< NULL: the driver's own, or not known.
    bool sure;                                ///< No other assignment fits what is known.
};

/**
 * Tell which record each dispatch of the process is.
 *
 * The records of a queue run in order, and drivers put dispatches of their own between them. A
 * record fits if its grid (unless indirect) and its pipeline's workgroup are the dispatch's, and
 * its pipeline is not known to have other code. Where two dispatches fit one record, the first is
 * taken and sure is false, until a later use of the pipeline tells.
 *
 * @param hw All dispatches of the process from its first, in the order in which they started.
 * @param[out] ret One per dispatch.
 */
struct lull_error *lull_names_match(const struct lull_names *n, const struct lull_names_hw *hw,
                                    size_t nhw, struct lull_names_matched *ret) LULL_MUST_USE;

/** The same for draws: @p hw has grids as records of draws have them, and as code any number that
 * is the same for the same code of all stages. */
struct lull_error *lull_names_match_draws(const struct lull_names *n,
                                          const struct lull_names_hw *hw, size_t nhw,
                                          struct lull_names_matched *ret) LULL_MUST_USE;

#endif
