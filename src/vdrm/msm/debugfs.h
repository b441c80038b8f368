// SPDX-License-Identifier: MIT
/** @file
 * The virtual msm's files in debugfs and sysfs: those of the kernel's driver, and some for
 * debuggers of the model, which no real kernel has.
 */
#ifndef LULL_VDRM_MSM_DEBUGFS_H
#define LULL_VDRM_MSM_DEBUGFS_H

#include "vdrm/core/file.h"
#include "vdrm/msm/msm.h"

enum { LULL_VDM_NODES = 24 };
extern const struct lull_vd_node lull_vdm_nodes[LULL_VDM_NODES];

/* time.c */

ssize_t lull_vdm_time_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vdm_time_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
void lull_vdm_time_close(struct lull_vd_file *f);

#endif
