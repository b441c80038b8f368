// SPDX-License-Identifier: MIT
/** @file
 * Layout of the ioctls and offsets of amdgpu's debugfs files; no header of the kernel exports it.
 *
 * Source: Linux 6.12, amdgpu_umr.h (structs, numbers) and amdgpu_debugfs.c (offsets), as facts.
 */
#ifndef LULL_DRM_DEBUGFS_ABI_H
#define LULL_DRM_DEBUGFS_ABI_H

#include <stdint.h>
#include <sys/ioctl.h>

/** amdgpu_regs2: which bank later reads and writes of this file mean. */
struct lull_regs2_v1 {
    uint32_t use_srbm, use_grbm, pg_lock;
    struct {
        uint32_t se, sh, instance; ///< UINT32_MAX: broadcast.
    } grbm;
    struct {
        uint32_t me, pipe, queue, vmid;
    } srbm;
};

struct lull_regs2_v2 {
    struct lull_regs2_v1 bank;
    uint32_t xcc_id;
};

/** amdgpu_gprwave: which wave later reads of this file mean. */
struct lull_gprwave {
    uint32_t gpr_or_wave; ///< 0: wave status.
    uint32_t se, sh, cu, wave, simd, xcc_id;
    struct {
        uint32_t thread, vgpr_or_sgpr; ///< 1: VGPR.
    } gpr;
};

#define LULL_REGS2_SET_V1 _IOWR(0x20, 0, struct lull_regs2_v1)
#define LULL_REGS2_SET_V2 _IOWR(0x20, 1, struct lull_regs2_v2)
#define LULL_GPRWAVE_SET _IOWR(0x20, 0, struct lull_gprwave)

enum {
    LULL_DEBUGFS_MAX_BYTES = 4096, ///< Of one read or write of registers.
};

/** Bit positions in the file offset of amdgpu_wave. */
enum {
    LULL_WAVE_POS_SE = 7,
    LULL_WAVE_POS_SH = 15,
    LULL_WAVE_POS_CU = 23,
    LULL_WAVE_POS_WAVE = 31,
    LULL_WAVE_POS_SIMD = 37,
};

/** Bit positions in the file offset of amdgpu_gpr. */
enum {
    LULL_GPR_POS_SE = 12,
    LULL_GPR_POS_SH = 20,
    LULL_GPR_POS_CU = 28,
    LULL_GPR_POS_WAVE = 36,
    LULL_GPR_POS_SIMD = 44,
    LULL_GPR_POS_THREAD = 52,
    LULL_GPR_POS_BANK = 60, ///< 0 VGPR, 1 SGPR.
};

/** Dwords of a wave's status as both files give it, type 3 (gfx11). */
enum {
    LULL_WAVE3_TYPE,
    LULL_WAVE3_STATUS,
    LULL_WAVE3_PC_LO,
    LULL_WAVE3_PC_HI,
    LULL_WAVE3_EXEC_LO,
    LULL_WAVE3_EXEC_HI,
    LULL_WAVE3_HW_ID1,
    LULL_WAVE3_HW_ID2,
    LULL_WAVE3_GPR_ALLOC,
    LULL_WAVE3_LDS_ALLOC,
    LULL_WAVE3_TRAPSTS,
    LULL_WAVE3_IB_STS,
    LULL_WAVE3_IB_STS2,
    LULL_WAVE3_IB_DBG1,
    LULL_WAVE3_M0,
    LULL_WAVE3_MODE,
    LULL_WAVE3_DWORDS,
};

#endif
