// SPDX-License-Identifier: MIT
/** @file
 * Virtual kernel driver: amdgpu's ioctls, mmap offsets and debugfs files on the model GPU.
 *
 * Looks like a machine with one Navi 31 (/dev/dri/renderD128, debugfs dri/0).
 * Without threads time passes for the GPU only inside calls that wait or poll: WAIT_CS,
 * SYNCOBJ_WAIT, debugfs reads and CS itself; so one client and one seed give one history.
 *
 * One cycle of the GPU is one tick of its 100 MHz clock: 10 ns; a timeout of 1 ms is 100,000
 * cycles. A wait with timeout 0, a submission and a debugfs read of registers or waves let
 * poll_cycles pass. If nothing can move (idle, or all waves halted) a wait returns at once as if
 * its time were up, and a wait without end ends the job as a hang does, unless lockup_cycles is
 * UINT64_MAX; then it returns too.
 */
#ifndef LULL_VDRM_AMDGPU_VDRM_H
#define LULL_VDRM_AMDGPU_VDRM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"

struct lull_engine;
struct lull_gpu;
struct lull_order;

struct lull_vdrm_options {
    uint64_t vram_size, gtt_size; ///< Bytes; 0: 24 GiB and 32 GiB (sparse).
    uint64_t seed;                ///< Wave scheduler; 0: round robin.
    /** Cycles until a job is a hang (lockup_timeout); 0: the default, 1e9 (10 s); UINT64_MAX:
     * never. */
    uint64_t lockup_cycles;
    uint32_t poll_cycles; ///< Cycles that one polling call lets pass; 0: the default, 100.
    /**
     * Timeouts are by the machine's CLOCK_MONOTONIC: for clients that are programs of their own.
     * Else by the kernel's now_ns, which is the GPU's time, so that the host's speed changes
     * nothing.
     */
    bool host_clock;
    /**
     * Calls may come from any number of threads, and the GPU runs on a thread of its own while
     * somebody waits for it, or nobody has submitted anything for a while. Waits wait; all timeouts
     * are by CLOCK_MONOTONIC. lockup_cycles is then not used, but for UINT64_MAX.
     */
    bool threaded;
    /**
     * Threaded: milliseconds without progress (a packet, or the end of a workgroup) until a job is
     * a hang; 0: the defaults, 10 s, and 60 s while waves run or on compute rings.
     */
    uint32_t lockup_ms;
    /**
     * Clients are other processes: each DRM file has memory of its own (a sparse memfd in which its
     * buffers lie at the offsets that GEM_MMAP gives), and descriptors are files of their own, to
     * be told apart by inode. For lull_server_new().
     */
    bool isolate;
    /** All calls are lull's own: memory that they point to is there, and nobody asks the machine's
     * kernel for it. Without it any pointer may come: -EFAULT. */
    bool own_calls;
    /**
     * Threads that run workgroups of dispatches; 0 and 1: no other than the GPU's own. With more
     * their order is not the same in each run, unless there is a seed or somebody watches; see
     * lull_gpu_config.
     */
    unsigned threads;
    struct lull_order *order;         ///< Order of waves, model/order.h; NULL: none. Borrowed.
    const struct lull_engine *engine; ///< Executes what runs often; NULL: the interpreter does.
};

struct lull_error *lull_vdrm_new(const struct lull_vdrm_options *options,
                                 struct lull_kernel **ret) LULL_MUST_USE;

/** The model behind the driver: for observers and benchmarks only, never for the debugger. */
struct lull_gpu *lull_vdrm_gpu(struct lull_kernel *k);

#endif
