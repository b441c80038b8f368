// SPDX-License-Identifier: MIT
#include "drm/core/syncobj.h"

#include <errno.h>

#include "drm/core/call.h"
#include "uapi/drm.h"

struct lull_error *lull_syncobj_create(struct lull_kernel *k, int fd, bool signalled, uint32_t *ret)
{
    struct drm_syncobj_create arg = {.flags = signalled ? DRM_SYNCOBJ_CREATE_SIGNALED : 0};
    struct lull_error *err = lull_drm_call(k, fd, &lull_drm_words, DRM_IOCTL_SYNCOBJ_CREATE, &arg,
                                           "flags %u", arg.flags);
    if (err == NULL) {
        *ret = arg.handle;
    }
    return err;
}

struct lull_error *lull_syncobj_destroy(struct lull_kernel *k, int fd, uint32_t handle)
{
    struct drm_syncobj_destroy arg = {.handle = handle};
    return lull_drm_call(k, fd, &lull_drm_words, DRM_IOCTL_SYNCOBJ_DESTROY, &arg, "handle %u",
                         handle);
}

LULL_MUST_USE static struct lull_error *array_op(struct lull_kernel *k, int fd,
                                                 unsigned long request, const uint32_t *handles,
                                                 size_t n)
{
    struct drm_syncobj_array arg = {.handles = lull_drm_ptr(handles), .count_handles = (uint32_t)n};
    return lull_drm_call(k, fd, &lull_drm_words, request, &arg, "%zu sync objects", n);
}

struct lull_error *lull_syncobj_reset(struct lull_kernel *k, int fd, const uint32_t *handles,
                                      size_t n)
{
    return array_op(k, fd, DRM_IOCTL_SYNCOBJ_RESET, handles, n);
}

struct lull_error *lull_syncobj_signal(struct lull_kernel *k, int fd, const uint32_t *handles,
                                       size_t n)
{
    return array_op(k, fd, DRM_IOCTL_SYNCOBJ_SIGNAL, handles, n);
}

// Time running out is an answer here, not an error.
LULL_MUST_USE static struct lull_error *wait_result(struct lull_error *err, bool *ret_done)
{
    if (err != NULL && lull_error_errno(err) == ETIME) {
        lull_error_free(err);
        *ret_done = false;
        return NULL;
    }
    if (err == NULL) {
        *ret_done = true;
    }
    return err;
}

struct lull_error *lull_syncobj_wait(struct lull_kernel *k, int fd,
                                     const struct lull_syncobj_wait *w, bool *ret_done,
                                     uint32_t *ret_first)
{
    const uint32_t flags = (w->all ? DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL : 0) |
                           (w->for_submit ? DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT : 0) |
                           (w->available ? DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE : 0);
    const int64_t deadline = (int64_t)lull_drm_deadline(k, w->timeout_ns);
    uint32_t first = 0;
    struct lull_error *err = NULL;
    if (w->points == NULL && !w->available) {
        struct drm_syncobj_wait arg = {.handles = lull_drm_ptr(w->handles),
                                       .timeout_nsec = deadline,
                                       .count_handles = (uint32_t)w->n,
                                       .flags = flags};
        err = lull_drm_call(k, fd, &lull_drm_words, DRM_IOCTL_SYNCOBJ_WAIT, &arg,
                            "%zu sync objects", w->n);
        first = arg.first_signaled;
    } else {
        struct drm_syncobj_timeline_wait arg = {.handles = lull_drm_ptr(w->handles),
                                                .points = lull_drm_ptr(w->points),
                                                .timeout_nsec = deadline,
                                                .count_handles = (uint32_t)w->n,
                                                .flags = flags};
        err = lull_drm_call(k, fd, &lull_drm_words, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &arg,
                            "%zu sync objects", w->n);
        first = arg.first_signaled;
    }
    err = wait_result(err, ret_done);
    if (err == NULL && ret_first != NULL) {
        *ret_first = first;
    }
    return err;
}

struct lull_error *lull_syncobj_timeline_signal(struct lull_kernel *k, int fd,
                                                const uint32_t *handles, const uint64_t *points,
                                                size_t n)
{
    struct drm_syncobj_timeline_array arg = {.handles = lull_drm_ptr(handles),
                                             .points = lull_drm_ptr(points),
                                             .count_handles = (uint32_t)n};
    return lull_drm_call(k, fd, &lull_drm_words, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &arg,
                         "%zu sync objects", n);
}

struct lull_error *lull_syncobj_query(struct lull_kernel *k, int fd, const uint32_t *handles,
                                      size_t n, bool submitted, uint64_t *ret_points)
{
    struct drm_syncobj_timeline_array arg = {
        .handles = lull_drm_ptr(handles),
        .points = lull_drm_ptr(ret_points),
        .count_handles = (uint32_t)n,
        .flags = submitted ? DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED : 0,
    };
    return lull_drm_call(k, fd, &lull_drm_words, DRM_IOCTL_SYNCOBJ_QUERY, &arg, "%zu sync objects",
                         n);
}

struct lull_error *lull_syncobj_transfer(struct lull_kernel *k, int fd,
                                         struct lull_syncobj_point from,
                                         struct lull_syncobj_point to)
{
    struct drm_syncobj_transfer arg = {.src_handle = from.handle,
                                       .dst_handle = to.handle,
                                       .src_point = from.point,
                                       .dst_point = to.point};
    return lull_drm_call(k, fd, &lull_drm_words, DRM_IOCTL_SYNCOBJ_TRANSFER, &arg,
                         "handle %u point %llu to handle %u point %llu", from.handle,
                         (unsigned long long)from.point, to.handle, (unsigned long long)to.point);
}
