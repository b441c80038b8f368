// SPDX-License-Identifier: MIT
/** @file
 * One draw on the ring that draws, as registers: what the command line's draws are made of.
 */
#ifndef LULL_TARGET_AMD_DRAW_H
#define LULL_TARGET_AMD_DRAW_H

#include "target/amd/device.h"

enum {
    LULL_AMD_DRAW_SGPRS = 32,
    LULL_AMD_DRAW_REGISTERS = 320,
    LULL_AMD_ATTRIBUTE_RING_BYTES = 22 << 16, ///< For each shader engine; as RADV has it.
    LULL_AMD_TESS_LEVEL_BYTES = 0x3000 * 4,   ///< Memory of levels, for each engine; as RADV.
    LULL_AMD_TESS_OFF_CHIP_BYTES = 32 << 10,  ///< Memory of patches of a group.
    LULL_AMD_TESS_GROUPS = 256,               ///< Groups that have some, for each engine.
};

/** A shader: SPI_SHADER_PGM_RSRC1 and 2, without scratch. */
struct lull_amd_draw_stage {
    uint64_t code_va;
    uint32_t rsrc1, rsrc2;
    uint32_t user_data[LULL_AMD_DRAW_SGPRS];
    unsigned nuser_data;
    unsigned view_at;       ///< Which of them is the view's number, and 1; 0: none.
    uint32_t scratch_bytes; ///< Of a lane.
    bool wave32;
};

struct lull_amd_draw_register {
    uint32_t offset, value; ///< hw/draw11_regs.h: of the context, or uconfig.
};

struct lull_amd_draw {
    struct lull_amd_draw_stage gs, ps;
    struct lull_amd_draw_stage hs; ///< Of patches; code_va 0: none.
    struct lull_amd_draw_register registers[LULL_AMD_DRAW_REGISTERS];
    unsigned nregisters;
    uint32_t count, instances;
    uint32_t view_mask;   ///< One draw for each bit, which is told its number; 0: one draw.
    uint32_t groups[3];   ///< Not 0: a mesh of so many workgroups, instead of count vertices.
    uint64_t index_va;    ///< 0: not indexed.
    uint32_t max_indices; ///< That are there.
};

/** Set a register, or change it. */
void lull_amd_draw_set(struct lull_amd_draw *draw, uint32_t offset, uint32_t value);

/** The attribute ring's size on this device, in bytes. */
uint64_t lull_amd_attribute_ring_bytes(const struct lull_amd_device *d);

/** Bytes for levels of patches, and for what hull shaders put out, on this device. */
uint64_t lull_amd_tess_level_bytes(const struct lull_amd_device *d);
uint64_t lull_amd_tess_off_chip_bytes(const struct lull_amd_device *d);

/**
 * Build the IB, submit it on the ring that draws; lull_amd_wait() waits for it.
 *
 * @return LULL_ERR_INVALID for more registers than there is room for.
 */
struct lull_error *lull_amd_submit_draw(struct lull_amd_device *d,
                                        const struct lull_amd_draw *draw) LULL_MUST_USE;

#endif
