// SPDX-License-Identifier: MIT
/** @file
 * Vulkan's formats of vertex attributes and colour targets, and what AMD's GPUs have for them.
 *
 * The rows are data/fmt/vulkan.formats (gen/vkfmt.py).
 */
#ifndef LULL_LINK_VKFORMAT_H
#define LULL_LINK_VKFORMAT_H

#include <stdbool.h>
#include <stdint.h>

/** What a component's bits are. */
enum lull_vkformat_kind {
    LULL_VKFORMAT_UNORM,
    LULL_VKFORMAT_SNORM,
    LULL_VKFORMAT_USCALED,
    LULL_VKFORMAT_SSCALED,
    LULL_VKFORMAT_UINT,
    LULL_VKFORMAT_SINT,
    LULL_VKFORMAT_FLOAT,
    LULL_VKFORMAT_SRGB,
};

/** Generations of GPUs with numbers of their own. */
enum lull_vkformat_gpu {
    LULL_VKFORMAT_GFX9,
    LULL_VKFORMAT_GFX10,
    LULL_VKFORMAT_GFX11, ///< And gfx12.
    LULL_VKFORMAT_GPUS,
};

struct lull_vkformat {
    const char *name;   ///< Without VK_FORMAT_.
    uint8_t kind;       ///< enum lull_vkformat_kind, of the first component.
    uint8_t components; ///< 1 to 4.
    uint8_t bytes;      ///< Of all components.
    uint8_t bits;       ///< Of the widest component.
    /** Format number of a buffer load of all of it, and of one component, by enum
     * lull_vkformat_gpu, as LLVM's intrinsics have it; 0: there is none, components are packed. */
    uint8_t whole[LULL_VKFORMAT_GPUS], part[LULL_VKFORMAT_GPUS];
    uint8_t part_bytes;
    bool wide;          ///< Components of 64 bits: @c part loads two dwords.
    bool bgra;          ///< Blue comes first in memory.
    bool vertex, color; ///< For vertex buffers, for colour targets.
};

extern const struct lull_vkformat lull_vkformats[];
extern const unsigned lull_nvkformats;

/** By name, with or without VK_FORMAT_, in any case of letters; NULL if there is none. */
const struct lull_vkformat *lull_vkformat_named(const char *name);

/** The generation of gfx9, gfx10 and so on. */
enum lull_vkformat_gpu lull_vkformat_gpu(unsigned gfx);

/** Do shaders see integers? */
bool lull_vkformat_is_integer(const struct lull_vkformat *f);

#endif
