// SPDX-License-Identifier: MIT
/** @file
 * An amdgpu device opened for launching work: buffers, kernels, jobs.
 *
 * Talks to the kernel through drm/ only; the same code drives the virtual
 * driver and hardware. lull run needs no more than this; the debugger adds
 * target/amd/debug.h on top.
 */
#ifndef LULL_TARGET_AMD_DEVICE_H
#define LULL_TARGET_AMD_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "drm/core/kernel.h"

struct lull_amd_device;

/** Open @p path (NULL: /dev/dri/renderD128) on @p k, which must outlive the device. */
struct lull_error *lull_amd_device_open(struct lull_kernel *k, const char *path,
                                        struct lull_amd_device **ret) LULL_MUST_USE;
void lull_amd_device_close(struct lull_amd_device *d);
/** The same, but its buffers stay until all who have the file open are gone: waves use them. */
void lull_amd_device_leave(struct lull_amd_device *d);

/**
 * A device on an open DRM file of another process: buffers made on it lie in that process's GPU
 * address space, in a window of VAs that drivers do not use. It takes no jobs.
 *
 * @param fd From k->adopt; owned by the device then, also if there is an error.
 */
struct lull_error *lull_amd_device_adopt(struct lull_kernel *k, int fd,
                                         struct lull_amd_device **ret) LULL_MUST_USE;

/** A buffer, mapped for both sides. Owned by the device; dies with it. */
struct lull_amd_bo {
    const char *name;
    uint64_t va;   ///< GPU virtual address, 4 KiB aligned.
    uint64_t size; ///< Bytes asked for; the mapping is rounded up to 4 KiB.
    void *map;     ///< Host view.
    uint32_t handle;
    bool vram, writable, executable;
};

enum lull_amd_bo_flags {
    LULL_AMD_BO_READONLY = 1,
    LULL_AMD_BO_EXEC = 2,
    LULL_AMD_BO_GTT = 4,      ///< In system memory; else VRAM.
    LULL_AMD_BO_UNCACHED = 8, ///< By the GPU: host and waves see each other's stores.
};

struct lull_error *lull_amd_bo_new(struct lull_amd_device *d, const char *name, uint64_t size,
                                   unsigned flags, struct lull_amd_bo **ret) LULL_MUST_USE;

/** From now on buffers lie @p apart, 64 GiB from each other: who goes too far behind one or in
 * front of it comes into none. All other addresses are as they would be without. */
void lull_amd_device_apart(struct lull_amd_device *d, bool apart);

/** The buffers of @p d, from number 0 on; NULL: no more. */
const struct lull_amd_bo *lull_amd_bo_nth(const struct lull_amd_device *d, size_t i);

/** All zeros, as it was new. */
void lull_amd_bo_clear(const struct lull_amd_bo *bo);

/** What to run. Registers as COMPUTE_PGM_RSRC*; lengths in the units named. */
struct lull_amd_dispatch {
    uint64_t code_va;
    uint32_t rsrc1, rsrc2, rsrc3;
    uint32_t user_data[16];
    unsigned nuser_data;
    uint32_t grid[3];  ///< Work-items.
    uint32_t block[3]; ///< Work-items in a workgroup.
    bool wave32;
    uint32_t scratch_bytes; ///< Per lane.
    uint32_t lds_bytes;     ///< Per workgroup; goes into rsrc2.
};

/** Build the IB, submit it on the compute ring. One job at a time. */
struct lull_error *lull_amd_submit(struct lull_amd_device *d,
                                   const struct lull_amd_dispatch *dispatch) LULL_MUST_USE;

enum lull_amd_wait {
    LULL_AMD_WAIT_BUSY, ///< Time is up.
    LULL_AMD_WAIT_DONE,
    LULL_AMD_WAIT_LOST, ///< Context reset: guilty of a hang or a fault.
};

/** Wait for the job last submitted. */
struct lull_error *lull_amd_wait(struct lull_amd_device *d, uint64_t timeout_ns,
                                 enum lull_amd_wait *ret) LULL_MUST_USE;

#endif
