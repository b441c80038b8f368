// SPDX-License-Identifier: MIT
/** @file
 * The GPU as the virtual driver sees it: a struct that the model fills, or a test.
 *
 * Same contract as model/amd/gpu/gpu.h, whose functions these are.
 */
#ifndef LULL_VDRM_GPU_OPS_H
#define LULL_VDRM_GPU_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/kernel.h"
#include "model/amd/gpu/gpu.h"
#include "vdrm/vdrm.h"

struct lull_vd_gpu_ops {
    void (*destroy)(void *gpu);
    struct lull_error *(*submit)(void *gpu, enum lull_ring ring, const struct lull_gpu_job *job);
    uint64_t (*run)(void *gpu, uint64_t cycles);
    bool (*next_done)(void *gpu, struct lull_gpu_done *ret);
    uint64_t (*job_cycles)(void *gpu, enum lull_ring ring);
    void (*reset_ring)(void *gpu, enum lull_ring ring);
    uint32_t (*read_reg)(void *gpu, struct lull_bank bank, uint32_t byte_offset);
    void (*write_reg)(void *gpu, struct lull_bank bank, uint32_t byte_offset, uint32_t value);
    void (*flush_tlb)(void *gpu, uint32_t vmid);
    uint64_t (*clock)(void *gpu);
    /* May be NULL. */
    uint64_t (*progress)(void *gpu, enum lull_ring ring);
    bool (*dispatching)(void *gpu, enum lull_ring ring);
    unsigned (*unqueue)(void *gpu, enum lull_ring ring, uint64_t cookie);
    uint64_t (*slept)(void *gpu);
    void (*idle)(void *gpu, uint64_t ticks);
    void (*watch)(void *gpu, const struct lull_gpu_watcher *watcher);
    void (*pause)(void *gpu, bool on);
};

/** A GPU and its memory. The driver owns gpu from then on and destroys it. */
struct lull_vd_gpu {
    const struct lull_vd_gpu_ops *ops;
    void *gpu;
    const struct lull_chip *chip; ///< What the driver says of it.
    struct lull_phys *phys; ///< Both sizes multiples of 2 MiB.
    int memfd;              ///< VRAM at 0, system memory at phys->vram_size. Borrowed.
    unsigned se, sa_per_se, wgp_per_sa;
};

/** A kernel with the virtual driver on @p gpu; destroys gpu even if it fails. */
struct lull_error *lull_vd_new(const struct lull_vdrm_options *options, struct lull_vd_gpu gpu,
                               struct lull_kernel **ret) LULL_MUST_USE;

#endif
