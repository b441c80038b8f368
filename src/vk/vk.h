// SPDX-License-Identifier: MIT
/** @file
 * A small Vulkan host: one compute shader, its resources, one dispatch, results back. Scenes are
 * drawn by vk/draw.
 *
 * It knows Vulkan's API only, so it runs on any device that the Vulkan loader offers; the loader
 * is opened at run time. Not thread-safe: a struct lull_vk belongs to one thread.
 */
#ifndef LULL_VK_VK_H
#define LULL_VK_VK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "vk/module.h"

struct lull_vk;

/** Name of the device that lull brings, as lull_vk_open() knows it. */
#define LULL_VK_OWN "lull"

/**
 * Open the Vulkan loader and the first device whose name has @p device in it, with all features
 * switched on that it has and a compute shader can use.
 *
 * @param device LULL_VK_OWN: the first device of AMD or Qualcomm. NULL: the first device.
 * @return LULL_ERR_NOT_FOUND if there is no loader or no such device; the message lists the
 * devices. LULL_ERR_UNSUPPORTED: a call failed, with its VkResult.
 */
struct lull_error *lull_vk_open(const char *device, struct lull_vk **ret) LULL_MUST_USE;

/** The same with a queue that draws, and all extensions that scenes may need. */
struct lull_error *lull_vk_open_draws(const char *device, struct lull_vk **ret) LULL_MUST_USE;
void lull_vk_close(struct lull_vk *vk);

/** deviceName. */
const char *lull_vk_name(const struct lull_vk *vk);

/** One line for each device: name, version of the API, type. */
struct lull_error *lull_vk_list(struct lull_str *out) LULL_MUST_USE;

/** A texel format: its name here (as in GLSL, "rgba8ui") and the bytes of a texel. */
struct lull_vk_format {
    const char *name;
    uint32_t bytes;
    int32_t vk;       ///< VkFormat.
    const char *type; ///< Of a component, for patterns and comparisons: "u8", "f16"; "" if packed.
};

/** NULL if the name is not known. */
const struct lull_vk_format *lull_vk_format_find(const char *name);

/** Names of all formats, separated by blanks. */
void lull_vk_format_names(struct lull_str *out);

enum lull_vk_kind {
    LULL_VK_BUFFER,
    LULL_VK_TEXELS, ///< Texel buffer.
    LULL_VK_IMAGE,  ///< Storage or sampled image, or with a sampler.
    LULL_VK_SAMPLER,
};

enum lull_vk_wrap {
    LULL_VK_REPEAT,
    LULL_VK_MIRROR,
    LULL_VK_CLAMP,
    LULL_VK_BORDER,
    LULL_VK_MIRROR_ONCE,
};

enum lull_vk_border { LULL_VK_TRANSPARENT, LULL_VK_BLACK, LULL_VK_WHITE };

struct lull_vk_sampler {
    bool linear, mip_linear, unnormalized;
    bool immutable; ///< It stands in the set's layout. Pipelines need it not.
    enum lull_vk_wrap wrap[3];
    enum lull_vk_border border;
    int compare; ///< VkCompareOp, or -1: none.
    float min_lod, max_lod, bias;
    unsigned aniso; ///< 0: off.
};

/** Nearest, repeat, all levels. */
struct lull_vk_sampler lull_vk_sampler_default(void);

struct lull_vk_image {
    uint32_t width, height, depth; ///< Texels; 1 where the image has no such extent.
    uint32_t dims;                 ///< 1, 2, 3: how many extents were given.
    uint32_t mips, layers;         ///< At least 1.
    bool linear_tiling;
    uint32_t samples; ///< 2, 4, 8: of each texel, one after the other in bytes; else one. Only of
                      ///< pipelines.
    bool cube; ///< Six layers are the faces of a cube. Only pipelines need it: shaders say so.
};

/** Bytes of all levels and layers, tightly packed: level 0 with all its layers first. */
uint64_t lull_vk_image_bytes(const struct lull_vk_image *image, const struct lull_vk_format *f);

/** One element of a binding, or a buffer that has only an address. */
struct lull_vk_resource {
    const char *name; ///< "0.1", "0.1[3]", or the buffer's name; for messages.
    bool bound;       ///< false: no descriptor, only an address.
    uint32_t set, binding, element;
    enum lull_vk_kind kind;
    /** Before: what is put in. After lull_vk_run(): what is in it; if the run did not end well, of
     * a BUFFER what was written until then, others are as before. Borrowed. */
    uint8_t *bytes;
    size_t size;
    const struct lull_vk_format *format; ///< TEXELS, IMAGE.
    uint64_t offset, range;              ///< Bytes; range 0: the rest.
    bool dynamic;                        ///< Bound with a dynamic offset:
    uint64_t dynamic_offset;             ///< that part of offset; the descriptor has the other.
    const struct lull_vk_resource *same; ///< Whose memory it is (BUFFER, TEXELS); NULL: its own.
    struct lull_vk_image image;
    struct lull_vk_sampler sampler;
};

/** Put the address of a buffer into push constants or into another buffer. */
struct lull_vk_address {
    size_t into;     ///< Resource whose bytes get it; SIZE_MAX: the push constants.
    uint64_t offset; ///< Bytes.
    size_t of;       ///< Resource.
};

/** All borrowed. */
struct lull_vk_case {
    const void *spirv;
    size_t spirv_bytes;
    const struct lull_vk_module *module;
    const char *entry; ///< NULL: the only compute entry point.
    uint32_t groups[3], base[3];
    bool indirect;          ///< vkCmdDispatchIndirect.
    int push_set;           ///< This set by push descriptors; -1: none.
    unsigned subgroup_size; ///< 0: the driver's choice.
    bool full_subgroups;    ///< VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT.
    unsigned repeat;        ///< Dispatches one after the other with barriers; 0 is 1.
    bool async_queue;       ///< A queue family without graphics, not the first that computes.
    uint64_t timeout_ns;    ///< Of host time.
    /** Asked before it waits and now and then while it runs: true ends the wait as a time-out
     * would. NULL: nobody. */
    bool (*stop)(void *arg);
    void *stop_arg;
    uint8_t *push;
    size_t push_bytes;
    const struct lull_vk_spec *specs;
    size_t nspecs;
    struct lull_vk_resource *resources;
    size_t nresources;
    const struct lull_vk_address *addresses;
    size_t naddresses;
};

enum lull_vk_end { LULL_VK_DONE, LULL_VK_LOST, LULL_VK_HANG };

struct lull_vk_result {
    enum lull_vk_end end;
    uint64_t ns; ///< Host time from submission to the end.
};

/**
 * Check @p c against the shader's interface and the device, run it, and copy every resource back.
 *
 * @return LULL_ERR_INVALID: the case does not fit the shader: a binding is missing, of another
 * kind, too small, or not in the shader; push constants of another size; an unknown constant.
 * LULL_ERR_UNSUPPORTED: the device lacks something, or a call failed. A lost device and a hang
 * are results, not errors.
 */
struct lull_error *lull_vk_run(struct lull_vk *vk, const struct lull_vk_case *c,
                               struct lull_vk_result *ret) LULL_MUST_USE;

#endif
