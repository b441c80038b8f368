// SPDX-License-Identifier: MIT
/** @file
 * The virtual amdgpu: what it adds to the core's device, files and buffers. Its names begin with
 * lull_vda_, those of the core with lull_vd_.
 *
 * What stands here calls only what stands above it (test `cycles`):
 *
 *   regs.c     banks of registers
 *   frames.c   what processes have presented
 *   pt.c       page tables in VRAM
 *   vm.c       address spaces: mappings, VMIDs
 *   gem.c      calls on buffers
 *   ctx.c      contexts, buffer lists
 *   job.c      jobs
 *   guard.c    what is done when a debugger goes
 *   dispatches.c  records of dispatches, and catches
 *   drawn.c       what draws draw: primitives, pixels
 *   draws.c       records of draws
 *   time.c        the GPU kept as it was, and made so again
 *   rings.c    rings and fences in debugfs
 *   sched.c    jobs on rings, hangs, page faults
 *   cs.c       command submission
 *   wait_cs.c  waiting for jobs
 *   info.c     AMDGPU_INFO
 *   vm_info.c  amdgpu_vm_info
 *   debugfs.c  registers, waves, memory
 *   pci.c      the device in sysfs
 *   driver.c   the table by which the core knows all this
 *   model.c    all this on the model GPU
 */
#ifndef LULL_VDRM_AMDGPU_H
#define LULL_VDRM_AMDGPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "drm/amdgpu/debugfs_abi.h"
#include "uapi/amdgpu.h"
#include "vdrm/amdgpu/gpu_ops.h"
#include "vdrm/amdgpu/vdrm.h"
#include "vdrm/amdgpu/vm.h"
#include "vdrm/core/heap.h"
#include "vdrm/core/vd.h"

enum {
    LULL_VDA_NVMID = 8,         ///< 0 is the kernel's, 1 to 7 are for clients.
    LULL_VDA_NIP = 3,           ///< Engines that are there: gfx, compute, SDMA.
    LULL_VDA_HW_JOBS = 2,       ///< amdgpu.sched_hw_submission: jobs on a ring.
    LULL_VDA_RECORDS = 65536,   ///< Dispatches remembered.
    LULL_VDA_OA = 16,           ///< Ordered append units; Linux gfx_v11_0_set_gds_init().
    LULL_VDA_DRAWS = 512,       ///< Draws, with their registers.
    LULL_VDA_NS_PER_CYCLE = 10, ///< One cycle is one tick of the 100 MHz clock.
};

/** In lull_vd.regions. */
enum { LULL_VDA_VRAM, LULL_VDA_GTT };

struct lull_vda {
    struct lull_vd vd; ///< First.
    struct lull_vda_gpu gpu;
    struct lull_vd_heap gds, oa; ///< Bytes; units.
    uint64_t lockup_cycles;      ///< As struct lull_vdrm_options has them.
    uint32_t lockup_ms;
    struct lull_vda_vm *vmids[LULL_VDA_NVMID]; ///< Who has it.
    uint64_t vmid_used[LULL_VDA_NVMID], vmid_clock;
    struct lull_vda_job *jobs; ///< Not finished, oldest first.
    unsigned on_ring[LULL_RING_COUNT];
    uint32_t emitted[LULL_RING_COUNT];                  ///< Fences: jobs that came there, ever.
    uint64_t resets;                                    ///< gpu_reset_counter
    struct lull_dispatch_record *records;               ///< A ring of LULL_VDA_RECORDS, or NULL.
    uint64_t ndispatches;                               ///< Ever.
    bool held[LULL_RING_COUNT];                         ///< Its newest dispatch is not to begin.
    bool stays[LULL_RING_COUNT];                        ///< It runs, and is held again at its end.
    struct lull_control_launch launch[LULL_RING_COUNT]; ///< How it is to; op 0: as it is.
    struct lull_draw_record *draws; ///< A ring of LULL_VDA_DRAWS, or NULL: none has come.
    uint64_t ndraws;                ///< Ever.
    struct lull_fragment_record
        *fragments;                 ///< A ring of LULL_NFRAGMENTS, or NULL: no pixel is watched.
    uint64_t nfragments;            ///< Since the pixel is.
    bool draw_held;                 ///< The newest draw is not to begin.
    struct lull_vda_drawn *drawn;   ///< What is counted of draws; NULL: nothing.
    struct lull_vda_frames *frames; ///< A list: what processes have presented.
    struct lull_written *written;   ///< The GPU's log of writes, or NULL.
    bool ends_held;                 ///< LULL_TIME_HOLD_ENDS.
    bool starts_held;               ///< The same: no job comes to a ring.
    struct lull_aim_record aimed;   ///< What the last LULL_CONTROL_AIM came to.
    struct {
        const struct lull_vda_job *job;
        uint64_t progress, since_ns;
    } watch[LULL_RING_COUNT]; ///< Threaded: how far the job at the head had come, and when.
};

/** A DRM file. Its id is the PASID in messages. */
struct lull_vda_file {
    struct lull_vd_file f; ///< First.
    struct lull_vd_idr ctxs, lists;
    struct lull_vda_vm vm;
};

struct lull_vda_bo {
    struct lull_vd_bo bo;  ///< First.
    struct lull_list maps; ///< Of struct lull_vda_map.
    uint32_t domains;      ///< Preferred.
    uint64_t flags, alignment;
    uint64_t tiling, meta_flags;
    struct lull_vd_heap *chip; ///< lull_vda.gds or oa, of which it has a part; NULL: it is memory.
    uint64_t chip_at, chip_size;
    uint32_t meta_size, meta[64];
};

static inline struct lull_vda *lull_vda(struct lull_vd *d)
{
    return (struct lull_vda *)d;
}

static inline const struct lull_vda *lull_vda_const(const struct lull_vd *d)
{
    return (const struct lull_vda *)d;
}

/** Of a DRM file. */
static inline struct lull_vda_file *lull_vda_file(struct lull_vd_file *f)
{
    return (struct lull_vda_file *)f;
}

static inline struct lull_vda_vm *lull_vda_vm_of(struct lull_vd_file *f)
{
    return &lull_vda_file(f)->vm;
}

static inline struct lull_vda_bo *lull_vda_bo(struct lull_vd_bo *bo)
{
    return (struct lull_vda_bo *)bo;
}

extern const struct lull_vd_sysfs lull_vda_sysfs;

/* Short names for the GPU. */

static inline uint32_t lull_vda_read_reg(struct lull_vda *d, struct lull_bank bank, uint32_t offset)
{
    return d->gpu.ops->read_reg(d->gpu.gpu, bank, offset);
}

static inline void lull_vda_write_reg(struct lull_vda *d, struct lull_bank bank, uint32_t offset,
                                      uint32_t value)
{
    d->gpu.ops->write_reg(d->gpu.gpu, bank, offset, value);
}

/* frames.c */

/** What process @p pid has presented so far. */
uint64_t lull_vda_frames_of(const struct lull_vda *d, pid_t pid);
void lull_vda_frames_done(struct lull_vda *d);

/** GRBM_GFX_INDEX that reaches every unit. */
uint32_t lull_vda_grbm_all(void);

#endif
