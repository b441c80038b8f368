/* SPDX-License-Identifier: MIT */
/* DRM's own ioctls, of every driver. The kernel's build strips __user when it installs headers; the
 * copies here are from the source tree, so it is defined away while they are read. */
#ifndef LULL_UAPI_DRM_H
#define LULL_UAPI_DRM_H

#ifndef __user
#define __user
#define LULL_UAPI_USER
#endif
#include "drm/drm.h"
#ifdef LULL_UAPI_USER
#undef __user
#undef LULL_UAPI_USER
#endif

#endif
