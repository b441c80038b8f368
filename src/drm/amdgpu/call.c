// SPDX-License-Identifier: MIT
#include "drm/amdgpu/call.h"

#include <errno.h>

#include "uapi/amdgpu.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

// clang-format off
static const struct lull_drm_name names[] = {
    {DRM_IOCTL_AMDGPU_GEM_CREATE, "AMDGPU_GEM_CREATE"},
    {DRM_IOCTL_AMDGPU_GEM_MMAP, "AMDGPU_GEM_MMAP"},
    {DRM_IOCTL_AMDGPU_CTX, "AMDGPU_CTX"},
    {DRM_IOCTL_AMDGPU_BO_LIST, "AMDGPU_BO_LIST"},
    {DRM_IOCTL_AMDGPU_CS, "AMDGPU_CS"},
    {DRM_IOCTL_AMDGPU_INFO, "AMDGPU_INFO"},
    {DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, "AMDGPU_GEM_WAIT_IDLE"},
    {DRM_IOCTL_AMDGPU_GEM_VA, "AMDGPU_GEM_VA"},
    {DRM_IOCTL_AMDGPU_WAIT_CS, "AMDGPU_WAIT_CS"},
    {DRM_IOCTL_AMDGPU_WAIT_FENCES, "AMDGPU_WAIT_FENCES"},
    {DRM_IOCTL_AMDGPU_VM, "AMDGPU_VM"},
    {DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, "AMDGPU_FENCE_TO_HANDLE"},
};

// Source: the functions of Linux 6.12 that answer each request.
static const struct lull_drm_hint hints[] = {
    {DRM_IOCTL_AMDGPU_GEM_CREATE, EINVAL, "bad flags or domains"},
    {DRM_IOCTL_AMDGPU_GEM_CREATE, ENOMEM, "larger than the memory there is, or than what is left of it"},
    {DRM_IOCTL_AMDGPU_GEM_CREATE, ENOSPC, "a buffer of 0 bytes"},
    {DRM_IOCTL_AMDGPU_GEM_MMAP, EPERM, "the buffer was made without CPU access"},
    {DRM_IOCTL_AMDGPU_GEM_VA, EINVAL, "the range overlaps another mapping, leaves the buffer or the address "
        "space, or is not a multiple of 4096; or the flags do not go together"},
    {DRM_IOCTL_AMDGPU_GEM_VA, ENOENT, "no such buffer, or nothing of it is mapped there"},
    {DRM_IOCTL_AMDGPU_CTX, EINVAL, "no such context"},
    {DRM_IOCTL_AMDGPU_BO_LIST, ENOENT, "no such buffer or list"},
    {DRM_IOCTL_AMDGPU_CS, EINVAL, "no such context, engine, ring or sync object, or a malformed chunk"},
    {DRM_IOCTL_AMDGPU_CS, ENOENT, "no such buffer, list or sync object"},
    {DRM_IOCTL_AMDGPU_CS, ENOMEM, "no memory left for page tables or buffers of the submission"},
    {DRM_IOCTL_AMDGPU_CS, ECANCELED, "the context hung the GPU; make a new one"},
    {DRM_IOCTL_AMDGPU_CS, ENODATA, "an earlier job of this context hung and was killed; make a new context"},
    {DRM_IOCTL_AMDGPU_CS, ETIME, "an earlier job of this context hung and its ring was reset; make a new context"},
    {DRM_IOCTL_AMDGPU_WAIT_CS, EINVAL, "no such context, engine, ring or sequence number"},
    {DRM_IOCTL_AMDGPU_WAIT_CS, ENODATA, "the job hung and its waves were killed"},
    {DRM_IOCTL_AMDGPU_WAIT_CS, ETIME, "the job hung and its ring was reset"},
    {DRM_IOCTL_AMDGPU_WAIT_CS, ECANCELED, "the job was cancelled by a reset"},
    {DRM_IOCTL_AMDGPU_WAIT_FENCES, EINVAL, "no such context, engine, ring or sequence number"},
    {DRM_IOCTL_AMDGPU_WAIT_FENCES, ENODATA, "a job hung and its waves were killed"},
    {DRM_IOCTL_AMDGPU_WAIT_FENCES, ETIME, "a job hung and its ring was reset"},
    {DRM_IOCTL_AMDGPU_WAIT_FENCES, ECANCELED, "a job was cancelled by a reset"},
    {DRM_IOCTL_AMDGPU_INFO, EINVAL, "this kernel does not know the question or its argument"},
    {DRM_IOCTL_AMDGPU_INFO, EFAULT, "the register is not one that clients may read"},
};
// clang-format on

const struct lull_drm_words lull_amdgpu_words = {
    .names = names,
    .nnames = COUNT(names),
    .hints = hints,
    .nhints = COUNT(hints),
};
