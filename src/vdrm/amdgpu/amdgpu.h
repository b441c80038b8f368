// SPDX-License-Identifier: MIT
/** @file
 * The virtual amdgpu: what it adds to the core's device, files and buffers.
 */
#ifndef LULL_VDRM_AMDGPU_H
#define LULL_VDRM_AMDGPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "uapi/amdgpu.h"
#include "vdrm/amdgpu/gpu_ops.h"
#include "vdrm/amdgpu/vdrm.h"
#include "vdrm/amdgpu/vm.h"
#include "vdrm/core/heap.h"
#include "vdrm/core/vd.h"

enum {
    LULL_VD_NVMID = 8,         ///< 0 is the kernel's, 1 to 7 are for clients.
    LULL_VD_NIP = 2,           ///< Engines that are there: gfx, compute.
    LULL_VD_HW_JOBS = 2,       ///< amdgpu.sched_hw_submission: jobs on a ring.
    LULL_VD_RECORDS = 65536,   ///< Dispatches remembered.
    LULL_VD_NS_PER_CYCLE = 10, ///< One cycle is one tick of the 100 MHz clock.
};

/** In lull_vd.regions. */
enum { LULL_VD_VRAM, LULL_VD_GTT };

struct lull_vd_amdgpu {
    struct lull_vd vd; ///< First.
    struct lull_vd_gpu gpu;
    uint64_t lockup_cycles; ///< As struct lull_vdrm_options has them.
    uint32_t lockup_ms;
    struct lull_vd_vm *vmids[LULL_VD_NVMID]; ///< Who has it.
    uint64_t vmid_used[LULL_VD_NVMID], vmid_clock;
    struct lull_vd_job *jobs; ///< Not finished, oldest first.
    unsigned on_ring[LULL_RING_COUNT];
    uint64_t resets;                      ///< gpu_reset_counter
    struct lull_dispatch_record *records; ///< A ring of LULL_VD_RECORDS, or NULL.
    uint64_t ndispatches;                 ///< Ever.
    bool held[LULL_RING_COUNT];           ///< Its newest dispatch is not to begin.
    struct {
        const struct lull_vd_job *job;
        uint64_t progress, since_ns;
    } watch[LULL_RING_COUNT]; ///< Threaded: how far the job at the head had come, and when.
};

/** A DRM file. Its id is the PASID in messages. */
struct lull_vd_amdgpu_file {
    struct lull_vd_file f; ///< First.
    struct lull_vd_idr ctxs, lists;
    struct lull_vd_vm vm;
};

struct lull_vd_amdgpu_bo {
    struct lull_vd_bo bo;  ///< First.
    struct lull_list maps; ///< Of struct lull_vd_map.
    uint32_t domains;      ///< Preferred.
    uint64_t flags, alignment;
    uint64_t tiling, meta_flags;
    uint32_t meta_size, meta[64];
};

static inline struct lull_vd_amdgpu *lull_vd_amdgpu(struct lull_vd *d)
{
    return (struct lull_vd_amdgpu *)d;
}

static inline const struct lull_vd_amdgpu *lull_vd_amdgpu_const(const struct lull_vd *d)
{
    return (const struct lull_vd_amdgpu *)d;
}

/** Of a DRM file. */
static inline struct lull_vd_amdgpu_file *lull_vd_amdgpu_file(struct lull_vd_file *f)
{
    return (struct lull_vd_amdgpu_file *)f;
}

static inline struct lull_vd_vm *lull_vd_vm_of(struct lull_vd_file *f)
{
    return &lull_vd_amdgpu_file(f)->vm;
}

static inline struct lull_vd_amdgpu_bo *lull_vd_amdgpu_bo(struct lull_vd_bo *bo)
{
    return (struct lull_vd_amdgpu_bo *)bo;
}

extern const struct lull_vd_sysfs lull_vd_amdgpu_sysfs;

/* Short names for the GPU. */

static inline uint32_t lull_vd_read_reg(struct lull_vd_amdgpu *d, struct lull_bank bank,
                                        uint32_t offset)
{
    return d->gpu.ops->read_reg(d->gpu.gpu, bank, offset);
}

static inline void lull_vd_write_reg(struct lull_vd_amdgpu *d, struct lull_bank bank,
                                     uint32_t offset, uint32_t value)
{
    d->gpu.ops->write_reg(d->gpu.gpu, bank, offset, value);
}

/** GRBM_GFX_INDEX that reaches every unit. */
uint32_t lull_vd_grbm_all(void);

#endif
