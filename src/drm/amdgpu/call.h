// SPDX-License-Identifier: MIT
/** @file
 * How errors of amdgpu's ioctls are said.
 */
#ifndef LULL_DRM_AMDGPU_CALL_H
#define LULL_DRM_AMDGPU_CALL_H

#include "drm/core/call.h"

extern const struct lull_drm_words lull_amdgpu_words;

#endif
