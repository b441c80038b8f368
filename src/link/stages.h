// SPDX-License-Identifier: MIT
/** @file
 * Which hardware stages a GPU has.
 */
#ifndef LULL_LINK_STAGES_H
#define LULL_LINK_STAGES_H

/**
 * What to write in place of a shader for hardware stage @p stage ("vs") on a GPU of major version
 * @p gfx (11: gfx11), in words; NULL: the GPU has the stage, or nothing is known of it.
 *
 * Source: AMD PAL, inc/core/palPipelineAbi.h (HardwareStage: LS and ES are part of HS and GS from
 * gfx9 on); Mesa 25.0.7, src/amd/vulkan/radv_shader.c (gfx11: each draw is NGG, in HS, GS and PS).
 */
const char *lull_stage_instead(unsigned gfx, const char *stage);

#endif
