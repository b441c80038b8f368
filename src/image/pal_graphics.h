// SPDX-License-Identifier: MIT
/** @file
 * The shaders and registers of a PAL graphics pipeline, what a draw sets before it draws.
 *
 * gfx11 draws through NGG: a primitive shader (.gs) and a pixel shader (.ps), and in front of them,
 * if patches are tessellated, a hull shader (.hs). Both forms of
 * metadata are read: registers by number (.registers, version 2) and by name and field
 * (.graphics_registers, version 3). A register by number wins.
 *
 * Source: PAL inc/core/g_palPipelineAbiMetadata.h and LLPC lgc/include/lgc/state/AbiMetadata.h
 * (keys), lgc/state/RegisterMetadataBuilder.cpp (what they hold); LLVM AMDGPUUsage.
 */
#ifndef LULL_IMAGE_PAL_GRAPHICS_H
#define LULL_IMAGE_PAL_GRAPHICS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LULL_PAL_STAGE_SGPRS = 32,
    LULL_PAL_REGISTERS = 256, ///< Registers of a pipeline, at most.
};

/** One hardware stage. */
struct lull_pal_stage {
    uint64_t entry;        ///< Image offset of the first instruction.
    uint32_t rsrc1, rsrc2; ///< SPI_SHADER_PGM_RSRC*, without scratch.
    bool wave32;
    uint32_t scratch_bytes, lds_bytes; ///< Of a lane; of a workgroup.
    unsigned nuser_data;
    uint32_t user_data[LULL_PAL_STAGE_SGPRS]; ///< As of struct lull_pal_compute.
};

/** A register of a draw (hw/draw11_regs.h), by its byte offset. */
struct lull_pal_register {
    uint32_t offset, value;
};

struct lull_pal_graphics {
    struct lull_pal_stage gs, ps;
    struct lull_pal_stage hs; ///< Of pipelines that tessellate.
    bool has_hs;
    unsigned nregisters;
    struct lull_pal_register registers[LULL_PAL_REGISTERS];
    uint32_t spill_threshold, user_data_limit; ///< As of struct lull_pal_compute.
};

/** The register at byte @p offset, if the pipeline has it. */
bool lull_pal_register(const struct lull_pal_graphics *g, uint32_t offset, uint32_t *ret);

#endif
