// SPDX-License-Identifier: MIT
/** @file
 * The virtual msm's files in debugfs, for debuggers of the model. No real kernel has them.
 */
#ifndef LULL_VDRM_MSM_DEBUGFS_H
#define LULL_VDRM_MSM_DEBUGFS_H

#include "vdrm/core/file.h"
#include "vdrm/msm/msm.h"

enum { LULL_VDM_NODES = 8 };
extern const struct lull_vd_node lull_vdm_nodes[LULL_VDM_NODES];

#endif
