// SPDX-License-Identifier: MIT
/** @file
 * What happens to a sample behind the shader: depth and stencil tests, blending, logic operations.
 * No vendor's registers, no memory, no formats: values in, values out.
 *
 *   depth.c  tests of depth bounds, stencil, depth; the stencil's new value
 *   blend.c  blending and logic operations
 *
 * Source: Vulkan 1.3, "Fragment Operations" and "The Framebuffer".
 */
#ifndef LULL_MODEL_RASTER_OUTPUT_H
#define LULL_MODEL_RASTER_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

/** Comparisons, as VkCompareOp has them: bit 0 less, bit 1 equal, bit 2 greater. */
enum lull_raster_compare {
    LULL_RASTER_NEVER,
    LULL_RASTER_LESS,
    LULL_RASTER_EQUAL,
    LULL_RASTER_LESS_EQUAL,
    LULL_RASTER_GREATER,
    LULL_RASTER_NOT_EQUAL,
    LULL_RASTER_GREATER_EQUAL,
    LULL_RASTER_ALWAYS,
};

enum lull_raster_stencil_op {
    LULL_RASTER_KEEP,
    LULL_RASTER_ZERO,
    LULL_RASTER_ONES,
    LULL_RASTER_REPLACE,       ///< By the reference.
    LULL_RASTER_REPLACE_VALUE, ///< By `value`.
    LULL_RASTER_ADD_CLAMP,     ///< Add and subtract `value`.
    LULL_RASTER_SUB_CLAMP,
    LULL_RASTER_INVERT,
    LULL_RASTER_ADD_WRAP,
    LULL_RASTER_SUB_WRAP,
    LULL_RASTER_AND, ///< With `value`, as those below.
    LULL_RASTER_OR,
    LULL_RASTER_XOR,
    LULL_RASTER_NAND,
    LULL_RASTER_NOR,
    LULL_RASTER_XNOR,
};

struct lull_raster_stencil {
    uint8_t compare;                ///< enum lull_raster_compare.
    uint8_t fail, depth_fail, pass; ///< enum lull_raster_stencil_op.
    uint8_t reference, value, read_mask, write_mask;
};

struct lull_raster_depth_state {
    bool depth_test, depth_write, stencil_test, bounds_test;
    uint8_t compare; ///< enum lull_raster_compare.
    float bounds_min, bounds_max;
    struct lull_raster_stencil front, back;
};

/** One sample's depth and stencil, in the units of the buffer (a float holds 16 bits exactly). */
struct lull_raster_depth {
    float z;
    uint8_t stencil;
};

enum lull_raster_verdict {
    LULL_RASTER_PASS,
    LULL_RASTER_FAIL_BOUNDS,
    LULL_RASTER_FAIL_STENCIL,
    LULL_RASTER_FAIL_DEPTH,
};

/** Test @p z (in the buffer's units) against @p at, and make @p at what the buffer holds then. */
enum lull_raster_verdict lull_raster_test(const struct lull_raster_depth_state *s, bool front,
                                          float z, struct lull_raster_depth *at);

enum lull_raster_factor {
    LULL_RASTER_F_ZERO,
    LULL_RASTER_F_ONE,
    LULL_RASTER_F_SRC,
    LULL_RASTER_F_ONE_MINUS_SRC,
    LULL_RASTER_F_SRC_ALPHA,
    LULL_RASTER_F_ONE_MINUS_SRC_ALPHA,
    LULL_RASTER_F_DST_ALPHA,
    LULL_RASTER_F_ONE_MINUS_DST_ALPHA,
    LULL_RASTER_F_DST,
    LULL_RASTER_F_ONE_MINUS_DST,
    LULL_RASTER_F_SRC_ALPHA_SATURATE,
    LULL_RASTER_F_CONSTANT,
    LULL_RASTER_F_ONE_MINUS_CONSTANT,
    LULL_RASTER_F_SRC1,
    LULL_RASTER_F_ONE_MINUS_SRC1,
    LULL_RASTER_F_SRC1_ALPHA,
    LULL_RASTER_F_ONE_MINUS_SRC1_ALPHA,
    LULL_RASTER_F_CONSTANT_ALPHA,
    LULL_RASTER_F_ONE_MINUS_CONSTANT_ALPHA,
};

enum lull_raster_combine {
    LULL_RASTER_ADD,
    LULL_RASTER_SUBTRACT, ///< Source - destination.
    LULL_RASTER_MIN,
    LULL_RASTER_MAX,
    LULL_RASTER_REVERSE_SUBTRACT,
};

/** What source, factors and result are clamped to. */
enum lull_raster_range { LULL_RASTER_ANY, LULL_RASTER_UNORM, LULL_RASTER_SNORM };

struct lull_raster_blend {
    bool on;
    uint8_t src[2], dst[2], op[2]; ///< Of colour, of alpha: factors, factors, combine.
    uint8_t range;                 ///< enum lull_raster_range.
    float constant[4];
};

/** R G B A of @p src, of dual-source @p src1, and of the target @p dst. */
void lull_raster_blend(const struct lull_raster_blend *b, const float src[4], const float src1[4],
                       const float dst[4], float ret[4]);

/** @p op: bit n is the result for the bits source n >> 1, destination n & 1 (copy: 0xc). */
uint32_t lull_raster_logic(unsigned op, uint32_t src, uint32_t dst);

#endif
