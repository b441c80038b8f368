// SPDX-License-Identifier: MIT
/** @file
 * Which hardware stages a GPU has.
 */
#ifndef LULL_LINK_STAGES_H
#define LULL_LINK_STAGES_H

#include <stdint.h>

/**
 * What to write in place of a shader for hardware stage @p stage ("vs") on a GPU of major version
 * @p gfx (11: gfx11), in words; NULL: the GPU has the stage, or nothing is known of it.
 *
 * Source: AMD PAL, inc/core/palPipelineAbi.h (HardwareStage: LS and ES are part of HS and GS from
 * gfx9 on); Mesa 25.0.7, src/amd/vulkan/radv_shader.c (gfx11: each draw is NGG, in HS, GS and PS).
 */
const char *lull_stage_instead(unsigned gfx, const char *stage);

/** LLPC's shader stages, as layouts have them in `visibility`. */
enum {
    LULL_STAGE_TASK = 1 << 0,
    LULL_STAGE_VERTEX = 1 << 1,
    LULL_STAGE_TESS_CONTROL = 1 << 2,
    LULL_STAGE_TESS_EVAL = 1 << 3,
    LULL_STAGE_GEOMETRY = 1 << 4,
    LULL_STAGE_MESH = 1 << 5,
    LULL_STAGE_FRAGMENT = 1 << 6,
    LULL_STAGE_COMPUTE = 1 << 7,
    LULL_STAGE_RAY_TRACING = 0x3f << 8, ///< They are compute shaders.
    LULL_STAGE_ALL = 0xff,
};

/**
 * Shader stages that a hardware stage may run.
 *
 * @param stage "gs", "ps", in either case, and anything behind it.
 */
uint32_t lull_stage_bits(const char *stage);

#endif
