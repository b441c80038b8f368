/* SPDX-License-Identifier: MIT */
/* msm's and DRM's ioctls; see amdgpu.h. */
#ifndef LULL_UAPI_MSM_H
#define LULL_UAPI_MSM_H

#ifndef __user
#define __user
#define LULL_UAPI_USER
#endif
#include "drm/drm.h"
#include "drm/msm_drm.h"
#ifdef LULL_UAPI_USER
#undef __user
#undef LULL_UAPI_USER
#endif

#endif
