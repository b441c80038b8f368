// SPDX-License-Identifier: MIT
/** @file
 * Rings in the text that kernels show of them: amdgpu's amdgpu_fence_info, and msm's file gpu,
 * which is also in its crash dumps.
 *
 * Source: Linux 6.12 amdgpu_fence.c (amdgpu_debugfs_fence_info_show()), adreno_gpu.c
 * (adreno_show()).
 */
#ifndef LULL_DRM_CORE_RINGLOG_H
#define LULL_DRM_CORE_RINGLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cur.h"

enum { LULL_RINGLOG_NAME = 32 };

struct lull_ringlog {
    char name[LULL_RINGLOG_NAME]; ///< "gfx_0.0.0"; of msm its number.
    uint32_t emitted, signaled;   ///< Fences; signaled: the last one that is done.
    bool has_pointers;            ///< Of msm: the text has them.
    uint32_t rptr, wptr;          ///< In dwords.
};

/** The next ring in @p text; false: there is none. */
bool lull_ringlog_next(struct lull_cur *text, struct lull_ringlog *ret);

#endif
