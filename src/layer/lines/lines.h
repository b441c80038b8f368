// SPDX-License-Identifier: MIT
/** @file
 * VK_LAYER_LULL_lines inside: which machine code comes of which line of a shader.
 *
 * When the program creates a pipeline, the layer lets the driver compile its shaders again, and
 * again with one instruction of one of them changed at a time (spirv/mutate.h), and writes the code
 * that came of each to $LULL_NAMES/PID-N.lines (docs/formats/lines.md). What the program itself
 * gets is as it asked for it, but compute pipelines are not optimised if $LULL_LINES is "noopt".
 * If it is "few", only so much is compiled as hardly delays the program, and only what has lines.
 * If $LULL_MARKS is "divisions", "indices" or both with a comma, shaders get marks first, for
 * --check divzero and index (spirv/marks.h), and it is all about the marked ones; if $LULL_LINES is
 * not set, nothing is compiled again. Places with an index go to $LULL_NAMES/PID.marks
 * (docs/formats/marks.md), before the module is created.
 *
 * The code is what VK_KHR_pipeline_executable_properties says as "Assembly" (RADV, with dwords) or
 * "IR3 Assembly" (Turnip, the text alone), which the layer asks the device for. One lock guards the
 * list of devices and modules; it is not held in the driver.
 */
#ifndef LULL_LAYER_LINES_H
#define LULL_LAYER_LINES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "base/str.h"
#include "layer/loader.h"
#include "spirv/module.h"

struct lull_ll_module {
    VkShaderModule handle;
    uint32_t *code; ///< Owned.
    size_t bytes;
    struct lull_ll_module *other;
};

struct lull_ll_device {
    void *key;
    VkDevice handle;
    bool on; ///< The driver shows its code.
    PFN_vkGetDeviceProcAddr next_proc;
    VkBuffer buffer; ///< That marks of indices go to; VK_NULL_HANDLE: none do.
    VkDeviceMemory memory;
    VkDeviceAddress address;
    PFN_vkDestroyDevice destroy;
    PFN_vkCreateShaderModule create_module;
    PFN_vkDestroyShaderModule destroy_module;
    PFN_vkCreateComputePipelines create_pipelines;
    PFN_vkCreateGraphicsPipelines create_graphics;
    PFN_vkDestroyPipeline destroy_pipeline;
    PFN_vkCreatePipelineCache create_cache;
    PFN_vkDestroyPipelineCache destroy_cache;
    PFN_vkGetPipelineExecutablePropertiesKHR executables;
    PFN_vkGetPipelineExecutableInternalRepresentationsKHR representations;
    struct lull_ll_module *modules;
    struct lull_ll_device *other;
};

/** Machine code as dwords, or as text if words is NULL. */
struct lull_ll_code {
    uint32_t *words; ///< For free().
    size_t n;
    char *text; ///< For free(); of an Adreno.
    size_t size;
};

/** A line on standard error. */
void lull_ll_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * The dwords that a text of assembly has as comments, "v_add_u32 ... ; 4a000000".
 *
 * @return False: there are none, or memory is short.
 */
bool lull_ll_assembly(const char *text, size_t size, struct lull_ll_code *ret);

/** Of $LULL_MARKS: LULL_SPV_MARK_*. */
unsigned lull_ll_marks(void);

/** Memory for marks of indices, or a line on standard error that says why not. */
void lull_ll_buffer(struct lull_ll_device *d);
void lull_ll_buffer_done(struct lull_ll_device *d);

/** The module with what $LULL_MARKS asks for, for free(). NULL: it asks for nothing, or the module
 * has none of it. */
uint32_t *lull_ll_marked(const struct lull_ll_device *d, const void *code, size_t bytes,
                         size_t *ret_bytes);

/** Code with marks of stages that have no module, while pipelines are created. */
struct lull_ll_marked {
    struct lull_ll_marked_code {
        VkShaderModuleCreateInfo info;
        uint32_t *words; ///< Owned.
        struct lull_ll_marked_code *other;
    } * all; ///< Owned, each.
};

/** @p stage gets its own code with marks, which lives as long as @p m. */
void lull_ll_mark_stage(const struct lull_ll_device *d, struct lull_ll_marked *m,
                        VkPipelineShaderStageCreateInfo *stage);
void lull_ll_marked_done(struct lull_ll_marked *m);

/** A shader of a pipeline. */
struct lull_ll_shader {
    const VkComputePipelineCreateInfo *compute;   ///< Or NULL, and
    const VkGraphicsPipelineCreateInfo *graphics; ///< stage @p stage of this.
    uint32_t stage;
    const void *code; ///< SPIR-V.
    size_t bytes;
};

/** What the driver makes of @p s with @p code in place of its own. False: nothing. */
bool lull_ll_compile(const struct lull_ll_device *d, const struct lull_ll_shader *s,
                     const void *code, size_t bytes, struct lull_ll_code *ret);

/** Compile the shader with all changes, and write the file. */
void lull_ll_write(const struct lull_ll_device *d, const struct lull_ll_shader *s);

#endif
