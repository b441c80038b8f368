// SPDX-License-Identifier: MIT
/** @file
 * Virtual kernel driver: msm's ioctls on a GPU behind struct lull_agpu_ops (model/adreno/gpu.h).
 *
 * Looks like a machine with one Adreno as a platform device (/dev/dri/renderD128), driver version
 * 1.12, as Linux 6.12 has it, without VM_BIND. Each open file has an address space of its own.
 *
 * Time passes as vdrm/amdgpu/vdrm.h says; one cycle is one tick of the 19.2 MHz counter.
 */
#ifndef LULL_VDRM_MSM_VDRM_H
#define LULL_VDRM_MSM_VDRM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"
#include "hw/achips.h"
#include "model/adreno/gpu.h"

struct lull_ir3_engine;
struct lull_order;

struct lull_vdm_options {
    const struct lull_achip *chip; ///< NULL: a660.
    uint64_t memory;               ///< Bytes for buffers; 0: 16 GiB (sparse).
    uint64_t seed;                 ///< Of the model.
    struct lull_order *order;      ///< Of waves of dispatches, model/order.h; NULL: none. Borrowed.
    struct lull_ir3_assumptions assume;
    const struct lull_ir3_engine *engine; ///< Executes shaders; NULL: the interpreter does.
    uint32_t poll_cycles;                 ///< As in struct lull_vdrm_options.
    /** Milliseconds without progress until a submit is a hang (hangcheck_period_ms); 0: the
     * default, 500; UINT32_MAX: never. */
    uint32_t hang_ms;
    /** Addresses begin at 16 MiB, as where the kernel has one address space for all files:
     * adreno_iommu_create_vm(). Each file keeps its own here. */
    bool low_addresses;
    /** Milliseconds that a submit may run: one that takes longer is a hang although it moves, as an
     * endless loop does; 0: as long as it takes. */
    uint32_t longest_ms;
    bool host_clock, threaded, isolate; ///< As in struct lull_vdrm_options.
};

/** A kernel with the virtual driver on the model. */
struct lull_error *lull_vdm_new(const struct lull_vdm_options *options,
                                struct lull_kernel **ret) LULL_MUST_USE;
/** The same on @p gpu, of which it makes all calls through @p ops; destroys gpu even if it fails.
 */
struct lull_error *lull_vdm_new_on(const struct lull_vdm_options *options,
                                   const struct lull_agpu_ops *ops, struct lull_agpu *gpu,
                                   struct lull_kernel **ret) LULL_MUST_USE;

/** The model behind a kernel of lull_vdm_new(): for observers, before it has work. */
struct lull_agpu *lull_vdm_gpu(struct lull_kernel *k);

/** Garbage where programs may think that there is none. */
struct lull_vdm_stomp {
    /** Registers that are written in front of each submit, and at the start of each render pass.
     * They stay the caller's as long as the kernel lives. */
    const uint32_t *submit, *pass;
    unsigned nsubmit, npass;
    unsigned
        packets; ///< In front of each submit, at least: CP_NOP behind the writes. For the clock.
    /** Buffers that do not begin with zeros, by number from 1 in the order in which they are made.
     * The log names them. */
    const uint32_t *buffers;
    unsigned nbuffers;
    bool all_buffers;
};

enum { LULL_VDM_STOMP_MOST = 2048 }; ///< Registers.

/** From now on; before there is work. @return LULL_ERR_NO_MEMORY. */
struct lull_error *lull_vdm_stomp(struct lull_kernel *k,
                                  const struct lull_vdm_stomp *stomp) LULL_MUST_USE;

/**
 * Memory that the driver keeps for lull itself: in the address space of each file that is opened
 * from now on, @p size bytes of @p memory lie at @p iova, whole pages. Programs see no buffer
 * there.
 *
 * @p memory is borrowed. LULL_ERR_INVALID: programs may have buffers there, or lull has already.
 */
struct lull_error *lull_vdm_reserve(struct lull_kernel *k, uint64_t iova, uint64_t size,
                                    uint8_t *memory) LULL_MUST_USE;

/** The chip of that name ("a660"); NULL: none. */
const struct lull_achip *lull_vdm_chip(const char *name);
/** That of a chip id, whose last byte is a patch level, or, without one, of a GPU id; 0: not known.
 * NULL: none. */
const struct lull_achip *lull_vdm_chip_of(uint64_t chip_id, uint64_t gpu_id);

#endif
