// SPDX-License-Identifier: MIT
/** @file
 * The files of debug_abi.h as typed calls.
 */
#ifndef LULL_DRM_MSM_DEBUGFS_H
#define LULL_DRM_MSM_DEBUGFS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "drm/core/kernel.h"
#include "drm/msm/debug_abi.h"

enum lull_msm_debugfs_file {
    LULL_MSM_FILE_CONTROL,
    LULL_MSM_FILE_WAVES,
    LULL_MSM_FILE_WAVE_REGS,
    LULL_MSM_FILE_DISPATCHES,
    LULL_MSM_FILE_DRAWS,
    LULL_MSM_FILE_INVOCATIONS,
    LULL_MSM_FILE_MEMORY,
    LULL_MSM_FILE_LOCAL,
    LULL_MSM_FILE_REGISTERS,
    LULL_MSM_FILE_MAPS,
    LULL_MSM_FILE_PACKETS,
    LULL_MSM_FILE_REGISTER_STATES,
    LULL_MSM_FILE_TIME,
    LULL_MSM_FILES,
};

struct lull_msm_debugfs {
    struct lull_kernel *k;   ///< Borrowed.
    unsigned dri;            ///< N of /sys/kernel/debug/dri/N.
    int fds[LULL_MSM_FILES]; ///< And 1; 0: not open.
};

void lull_msm_debugfs_init(struct lull_msm_debugfs *d, struct lull_kernel *k, unsigned dri);
/** What stopped goes on. */
void lull_msm_debugfs_done(struct lull_msm_debugfs *d);

/** As pread(2): @p ret bytes. LULL_ERR_FAULT: nothing is at @p at. LULL_ERR_NOT_FOUND: no such
 * register. */
struct lull_error *lull_msm_debugfs_read(struct lull_msm_debugfs *d,
                                         enum lull_msm_debugfs_file file, uint64_t at, void *buf,
                                         size_t size, size_t *ret) LULL_MUST_USE;
struct lull_error *lull_msm_debugfs_write(struct lull_msm_debugfs *d,
                                          enum lull_msm_debugfs_file file, uint64_t at,
                                          const void *buf, size_t size, size_t *ret) LULL_MUST_USE;

struct lull_error *lull_msm_debugfs_control(struct lull_msm_debugfs *d,
                                            const struct lull_msm_control *c) LULL_MUST_USE;
struct lull_error *lull_msm_debugfs_state(struct lull_msm_debugfs *d,
                                          struct lull_msm_control_state *ret) LULL_MUST_USE;

struct lull_error *lull_msm_debugfs_watch_packets(
    struct lull_msm_debugfs *d, const struct lull_msm_packet_watch *w) LULL_MUST_USE;
struct lull_error *lull_msm_debugfs_packet(struct lull_msm_debugfs *d,
                                           struct lull_msm_packet_state *ret) LULL_MUST_USE;

#endif
