// SPDX-License-Identifier: MIT
/** @file
 * The virtual msm's files in debugfs and sysfs: those of the kernel's driver, and some for
 * debuggers of the model, which no real kernel has.
 */
#ifndef LULL_VDRM_MSM_DEBUGFS_H
#define LULL_VDRM_MSM_DEBUGFS_H

#include "vdrm/core/file.h"
#include "vdrm/msm/msm.h"

enum { LULL_VDM_NODES = 23 };
extern const struct lull_vd_node lull_vdm_nodes[LULL_VDM_NODES];

#endif
