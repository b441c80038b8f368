// SPDX-License-Identifier: MIT
/** @file
 * A SPIR-V module as a host must see it: entry points, bindings, push and specialization constants.
 */
#ifndef LULL_VK_MODULE_H
#define LULL_VK_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/spirv.h"

enum lull_vk_class {
    LULL_VK_UNIFORM_BUFFER,
    LULL_VK_STORAGE_BUFFER,
    LULL_VK_UNIFORM_TEXELS,
    LULL_VK_STORAGE_TEXELS,
    LULL_VK_STORAGE_IMAGE,
    LULL_VK_SAMPLED_IMAGE,
    LULL_VK_COMBINED, ///< Image with sampler.
    LULL_VK_ONLY_SAMPLER,
};

enum lull_vk_dim { LULL_VK_1D, LULL_VK_2D, LULL_VK_3D, LULL_VK_CUBE };

/** A variable with a set and a binding. */
struct lull_vk_var {
    const char *name; ///< Of the variable or its block; "" if stripped.
    uint32_t set, binding;
    enum lull_vk_class class;
    uint32_t count; ///< Elements of an array, 1 if it is none, 0 if its size is not in the shader.
    uint64_t min_bytes;   ///< Buffers: without the part of a runtime array.
    bool writable;        ///< Storage that is not declared readonly.
    enum lull_vk_dim dim; ///< Images.
    bool arrayed;         ///< Images.
    const char *format;   ///< Images and texel buffers: as lull_vk_format_find(); NULL: none.
    const char *element;  ///< Buffers whose every number is of one type: "f32"; else "u32".
};

struct lull_vk_constant {
    uint32_t id;
    char kind;     ///< 'b' bool, 'i', 'u', 'f'.
    unsigned size; ///< Bytes: 1, 2, 4, 8; of a bool 4.
};

struct lull_vk_module {
    const char **entries; ///< Compute entry points.
    size_t nentries;
    struct lull_vk_var *vars; ///< In the order of set and binding.
    size_t nvars;
    struct lull_vk_constant *constants;
    size_t nconstants;
    uint64_t push_bytes;
    uint32_t *capabilities; ///< SpvCapability.
    size_t ncapabilities;
    struct lull_spirv spirv; ///< And its arena, which owns all of it.
};

/** A specialization constant's value: 4 or 8 bytes as the shader declares it. */
struct lull_vk_spec {
    uint32_t id;
    uint64_t bits;
    unsigned size; ///< 1, 2, 4 or 8; 1 for bool is stored as a VkBool32.
};

/**
 * Bytes of shared memory that an entry point asks for at least: its variables one behind the other,
 * without gaps. What cannot be told counts as 0: arrays whose length is computed from constants
 * that @p specs may change, and the variables of one of several entry points of a module before
 * SPIR-V 1.4, which does not say whose they are. Blocks share their bytes, the largest counts.
 * Source: Vulkan 1.3, "Shader Resource and Storage Class Correspondence", Workgroup.
 */
uint64_t lull_vk_shared_bytes(const struct lull_vk_module *m, const char *entry,
                              const struct lull_vk_spec *specs, size_t nspecs);

/**
 * Read a module of little-endian words.
 *
 * @return LULL_ERR_UNSUPPORTED: not SPIR-V, or of the other byte order. LULL_ERR_BAD_DATA: it
 * contradicts itself; the message names the word.
 */
struct lull_error *lull_vk_module_parse(const void *bytes, size_t size,
                                        struct lull_vk_module **ret) LULL_MUST_USE;
void lull_vk_module_free(struct lull_vk_module *m);

#endif
