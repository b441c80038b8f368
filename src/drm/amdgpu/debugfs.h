// SPDX-License-Identifier: MIT
/** @file
 * amdgpu's debugfs files: registers, waves, memory.
 *
 * /sys/kernel/debug/dri/N/amdgpu_*, for root only. Files are opened when first needed, and an
 * error about one says what would make it work.
 *
 * Not yet run on hardware. Source: Linux 6.12 amdgpu_debugfs.c, amdgpu_ttm.c.
 */
#ifndef LULL_DRM_AMDGPU_DEBUGFS_H
#define LULL_DRM_AMDGPU_DEBUGFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "drm/amdgpu/debugfs_abi.h"
#include "drm/core/kernel.h"
#include "drm/core/written_abi.h"

enum lull_debugfs_file {
    LULL_DEBUGFS_REGS2,
    LULL_DEBUGFS_WAVE,
    LULL_DEBUGFS_GPRWAVE,
    LULL_DEBUGFS_GPR,
    LULL_DEBUGFS_VRAM,
    LULL_DEBUGFS_IOMEM,
    LULL_DEBUGFS_VM_INFO,
    LULL_DEBUGFS_GCA_CONFIG,
    LULL_DEBUGFS_DISPATCHES,
    LULL_DEBUGFS_DRAWS,
    LULL_DEBUGFS_PIXELS,
    LULL_DEBUGFS_AIM,
    LULL_DEBUGFS_DRAWN_PIXELS,
    LULL_DEBUGFS_DRAWN_PRIMITIVES,
    LULL_DEBUGFS_CONTROL,
    LULL_DEBUGFS_TIME,
    LULL_DEBUGFS_WRITTEN,
    LULL_DEBUGFS_NFILES,
};

/** How amdgpu_regs2 is told the bank. */
enum lull_regs2_abi {
    LULL_REGS2_UNKNOWN,
    LULL_REGS2_V2,
    /**
     * Older kernels. Linux 6.12 still takes this call but forgets its VMID; it is used only where
     * V2 is refused, that is, on kernels that copy it whole.
     */
    LULL_REGS2_V1,
};

/** Zero-initialise; lull_debugfs_done() at the end. */
struct lull_debugfs {
    struct lull_kernel *k;        ///< Borrowed.
    unsigned dri;                 ///< N of /sys/kernel/debug/dri/N.
    int fds[LULL_DEBUGFS_NFILES]; ///< 0: not open; else fd + 1.
    enum lull_regs2_abi abi;
};

void lull_debugfs_init(struct lull_debugfs *d, struct lull_kernel *k, unsigned dri);
void lull_debugfs_done(struct lull_debugfs *d);

enum { LULL_BANK_ALL = -1 };

/** Which copy of a banked register. All zero: no bank. */
struct lull_reg_bank {
    bool grbm;            ///< Use se, sa, instance.
    bool srbm;            ///< Use me, pipe, queue, vmid.
    int se, sa, instance; ///< LULL_BANK_ALL: broadcast. instance: wgp << 2 | simd on gfx11.
    uint32_t me, pipe, queue, vmid;
};

/** @p n consecutive registers from byte @p offset. */
struct lull_error *lull_debugfs_read_regs(struct lull_debugfs *d, const struct lull_reg_bank *bank,
                                          uint32_t offset, uint32_t *values,
                                          size_t n) LULL_MUST_USE;
struct lull_error *lull_debugfs_write_regs(struct lull_debugfs *d, const struct lull_reg_bank *bank,
                                           uint32_t offset, const uint32_t *values,
                                           size_t n) LULL_MUST_USE;

/** A place where a wave can be. */
struct lull_wave_slot {
    uint8_t se, sa, wgp, simd, wave;
};

/** Registers of a wave as gfx11's kernel driver shows them ("type 3"). */
struct lull_wave_status {
    uint64_t pc, exec;
    uint32_t status, hw_id1, hw_id2, gpr_alloc, lds_alloc, trapsts;
    uint32_t ib_sts, ib_sts2, ib_dbg1, m0, mode;
};

/** By amdgpu_wave. An empty slot gives a status without its VALID bit. */
struct lull_error *lull_debugfs_read_wave(struct lull_debugfs *d, struct lull_wave_slot slot,
                                          struct lull_wave_status *ret) LULL_MUST_USE;

/**
 * SGPRs 0 to @p n - 1 of a halted wave; TTMPs follow at the index the hardware gives them.
 *
 * By amdgpu_gprwave, or amdgpu_gpr where there is no such file. @p n at most 1024.
 */
struct lull_error *lull_debugfs_read_sgprs(struct lull_debugfs *d, struct lull_wave_slot slot,
                                           uint32_t *values, size_t n) LULL_MUST_USE;
/** VGPRs 0 to @p n - 1 of one lane. */
struct lull_error *lull_debugfs_read_vgprs(struct lull_debugfs *d, struct lull_wave_slot slot,
                                           uint32_t lane, uint32_t *values, size_t n) LULL_MUST_USE;

/** Video memory by physical address; address and size multiples of 4. */
struct lull_error *lull_debugfs_read_vram(struct lull_debugfs *d, uint64_t address, void *buf,
                                          size_t size) LULL_MUST_USE;
struct lull_error *lull_debugfs_write_vram(struct lull_debugfs *d, uint64_t address,
                                           const void *buf, size_t size) LULL_MUST_USE;

/** System memory by bus address, only pages that belong to buffers of the GPU. */
struct lull_error *lull_debugfs_read_iomem(struct lull_debugfs *d, uint64_t address, void *buf,
                                           size_t size) LULL_MUST_USE;
struct lull_error *lull_debugfs_write_iomem(struct lull_debugfs *d, uint64_t address,
                                            const void *buf, size_t size) LULL_MUST_USE;

/** Clients and their buffers, as text. */
struct lull_error *lull_debugfs_vm_info(struct lull_debugfs *d, struct lull_str *ret) LULL_MUST_USE;

/** How many of what could hold waves. */
struct lull_gca_config {
    uint32_t shader_engines, arrays_per_engine, wgps_per_array;
};
struct lull_error *lull_debugfs_gca_config(struct lull_debugfs *d,
                                           struct lull_gca_config *ret) LULL_MUST_USE;

/* Dispatches and draws: on the virtual driver only. Elsewhere these fail with ENOENT of the file.
 */

/**
 * Records of dispatches @p first and up to @p n - 1 behind it.
 *
 * @param ret_n How many there are, up to @p n; 0 if @p first has not come yet.
 */
struct lull_error *lull_debugfs_dispatches(struct lull_debugfs *d, uint64_t first,
                                           struct lull_dispatch_record *records, size_t n,
                                           size_t *ret_n) LULL_MUST_USE;
/** The same of draws. */
struct lull_error *lull_debugfs_draws(struct lull_debugfs *d, uint64_t first,
                                      struct lull_draw_record *records, size_t n,
                                      size_t *ret_n) LULL_MUST_USE;
/** The same of what draws did to the pixel that is watched; number UINT64_MAX: written over. */
struct lull_error *lull_debugfs_fragments(struct lull_debugfs *d, uint64_t first,
                                          struct lull_fragment_record *records, size_t n,
                                          size_t *ret_n) LULL_MUST_USE;
/** @{ What LULL_CONTROL_DRAWN counted. */
struct lull_error *lull_debugfs_drawn_pixels(struct lull_debugfs *d,
                                             struct lull_drawn_pixel *records, size_t n,
                                             size_t *ret_n) LULL_MUST_USE;
struct lull_error *lull_debugfs_drawn_primitives(struct lull_debugfs *d,
                                                 struct lull_drawn_primitive *records, size_t n,
                                                 size_t *ret_n) LULL_MUST_USE;
/** @} */
/** The wave that LULL_CONTROL_AIM looked for. */
struct lull_error *lull_debugfs_aim(struct lull_debugfs *d,
                                    struct lull_aim_record *ret) LULL_MUST_USE;
/** How many dispatches there were, and which are held. Lets the GPU run for one poll first. */
struct lull_error *lull_debugfs_control_state(struct lull_debugfs *d,
                                              struct lull_control_state *ret) LULL_MUST_USE;
/** Set or forget a catch, or release a held dispatch; LULL_ERR_OS EINVAL: no such slot. */
struct lull_error *lull_debugfs_control(struct lull_debugfs *d,
                                        const struct lull_control *control) LULL_MUST_USE;
/** LULL_CONTROL_LAUNCH. */
struct lull_error *lull_debugfs_launch(struct lull_debugfs *d,
                                       const struct lull_control_launch *launch) LULL_MUST_USE;

/** lull_written. @p ret: the answer, or NULL. */
struct lull_error *lull_debugfs_written(struct lull_debugfs *d, const struct lull_written_op *op,
                                        struct lull_written_record *ret) LULL_MUST_USE;

/** @{ lull_time. LULL_TIME_MARK gives the number with the next state. */
struct lull_error *lull_debugfs_time(struct lull_debugfs *d, uint32_t op, uint32_t vmid,
                                     uint64_t value) LULL_MUST_USE;
struct lull_error *lull_debugfs_time_state(struct lull_debugfs *d,
                                           struct lull_time_state *ret) LULL_MUST_USE;
struct lull_error *lull_debugfs_time_trace(struct lull_debugfs *d,
                                           const struct lull_time_trace *trace) LULL_MUST_USE;
/** Records from @p first on, at most @p n of them. */
struct lull_error *lull_debugfs_time_records(struct lull_debugfs *d, uint64_t first,
                                             struct lull_time_record *ret, size_t n,
                                             size_t *ret_n) LULL_MUST_USE;
struct lull_error *lull_debugfs_executed(struct lull_debugfs *d, uint32_t place,
                                         uint64_t *ret) LULL_MUST_USE;
/** @} */

#endif
