/* SPDX-License-Identifier: MIT */
/* amdgpu's and DRM's ioctls. The kernel's build strips __user when it installs headers; the
 * copies here are from the source tree, so it is defined away while they are read. */
#ifndef LULL_UAPI_AMDGPU_H
#define LULL_UAPI_AMDGPU_H

#ifndef __user
#define __user
#define LULL_UAPI_USER
#endif
#include "drm/amdgpu_drm.h"
#include "drm/drm.h"
#ifdef LULL_UAPI_USER
#undef __user
#undef LULL_UAPI_USER
#endif

#endif
