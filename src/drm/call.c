// SPDX-License-Identifier: MIT
#include "drm/drm_priv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "uapi/amdgpu.h"

// clang-format off
static const struct {
    unsigned long request;
    const char *name;
} call_names[] = {
    {DRM_IOCTL_VERSION, "VERSION"},
    {DRM_IOCTL_GET_CAP, "GET_CAP"},
    {DRM_IOCTL_GEM_CLOSE, "GEM_CLOSE"},
    {DRM_IOCTL_SYNCOBJ_CREATE, "SYNCOBJ_CREATE"},
    {DRM_IOCTL_SYNCOBJ_DESTROY, "SYNCOBJ_DESTROY"},
    {DRM_IOCTL_SYNCOBJ_WAIT, "SYNCOBJ_WAIT"},
    {DRM_IOCTL_SYNCOBJ_RESET, "SYNCOBJ_RESET"},
    {DRM_IOCTL_SYNCOBJ_SIGNAL, "SYNCOBJ_SIGNAL"},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, "SYNCOBJ_TIMELINE_WAIT"},
    {DRM_IOCTL_SYNCOBJ_QUERY, "SYNCOBJ_QUERY"},
    {DRM_IOCTL_SYNCOBJ_TRANSFER, "SYNCOBJ_TRANSFER"},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, "SYNCOBJ_TIMELINE_SIGNAL"},
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

// request 0: of any. Source: the functions of Linux 6.12 that answer each request.
static const struct {
    unsigned long request;
    int errnum;
    const char *hint;
} call_hints[] = {
    {DRM_IOCTL_GEM_CLOSE, EINVAL, "no such buffer"},
    {DRM_IOCTL_SYNCOBJ_DESTROY, EINVAL, "no such sync object"},
    {DRM_IOCTL_SYNCOBJ_WAIT, EINVAL, "a sync object has no fence yet"},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, EINVAL, "a sync object has no fence for the point yet"},
    {DRM_IOCTL_SYNCOBJ_TRANSFER, EINVAL, "the source has no fence for the point yet"},
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
    {0, ENOENT, "no such handle"},
    {0, ENOTTY, "not a DRM device"},
    {0, EACCES, "not allowed through this file: use a render node"},
    {0, ENODEV, "the device is gone"},
    {0, EFAULT, "a bad pointer"},
};
// clang-format on

const char *lull_drm_hint(unsigned long request, int errnum)
{
    for (size_t i = 0; i < sizeof call_hints / sizeof call_hints[0]; i++) {
        if ((call_hints[i].request == request || call_hints[i].request == 0) &&
            call_hints[i].errnum == errnum) {
            return call_hints[i].hint;
        }
    }
    return "";
}

static const char *call_name(unsigned long request)
{
    for (size_t i = 0; i < sizeof call_names / sizeof call_names[0]; i++) {
        if (call_names[i].request == request) {
            return call_names[i].name;
        }
    }
    return "ioctl";
}

struct lull_error *lull_drm_call(struct lull_kernel *k, int fd, unsigned long request, void *arg,
                                 const char *fmt, ...)
{
    const int r = k->ioctl(k, fd, request, arg);
    if (r >= 0) {
        return NULL;
    }
    char args[160] = "";
    va_list va;
    va_start(va, fmt);
    vsnprintf(args, sizeof args, fmt, va);
    va_end(va);
    const char *hint = lull_drm_hint(request, -r);
    return lull_error_os(-r, "%s of %s%s%s", call_name(request), args, hint[0] != '\0' ? ": " : "",
                         hint);
}

uint64_t lull_drm_deadline(struct lull_kernel *k, uint64_t timeout_ns)
{
    if (timeout_ns == 0) {
        return 0;
    }
    uint64_t now = 0;
    if (k->now_ns != NULL) {
        now = k->now_ns(k);
    } else {
        struct timespec t = {0};
        clock_gettime(CLOCK_MONOTONIC, &t);
        now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    }
    return timeout_ns > (uint64_t)INT64_MAX - now ? (uint64_t)INT64_MAX : now + timeout_ns;
}
