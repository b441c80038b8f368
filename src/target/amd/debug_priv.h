// SPDX-License-Identifier: MIT
/** @file
 * Inside of an AMD debug target. For src/target/ only.
 */
#ifndef LULL_TARGET_AMD_DEBUG_PRIV_H
#define LULL_TARGET_AMD_DEBUG_PRIV_H

#include "drm/amdgpu_debugfs.h"
#include "target/amd/device_priv.h"
#include "target/target.h"

struct lull_amd_target {
    struct lull_target base;
    struct lull_amd_device *d; ///< Borrowed.
    struct lull_debugfs debugfs;
    unsigned vmid, wgps; ///< wgps: of a shader array, for slot numbers.
    struct lull_amd_bo *handler, *control, *slots;
    uint32_t nslots, flags;
    uint32_t seen; ///< Stops taken from the handler's queue so far.
    size_t nstopped;
    uint32_t *stopped;  ///< Slots of waves that stand, oldest first; room for all.
    uint64_t groups[3]; ///< Workgroups of the dispatch.
    size_t nwatches;    ///< Hardware watchpoints in use.
    bool installed;
};

/** A one-wave dispatch that reads HW_ID2: which VMID the kernel gave us. */
struct lull_error *lull_amd_probe_vmid(struct lull_amd_target *t) LULL_MUST_USE;

// Ops in memory.c.
struct lull_error *lull_amd_running(struct lull_target *t, struct lull_wave_info *infos,
                                    size_t room, size_t *ret) LULL_MUST_USE;
struct lull_error *lull_amd_read(struct lull_target *t, uint64_t va, void *buf,
                                 size_t size) LULL_MUST_USE;
struct lull_error *lull_amd_write(struct lull_target *t, uint64_t va, const void *buf,
                                  size_t size) LULL_MUST_USE;
struct lull_error *lull_amd_bos(struct lull_target *t, struct lull_bo_info *infos, size_t room,
                                size_t *ret) LULL_MUST_USE;
struct lull_error *lull_amd_walk(struct lull_target *t, uint64_t va,
                                 struct lull_walk *ret) LULL_MUST_USE;

#endif
