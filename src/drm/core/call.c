// SPDX-License-Identifier: MIT
#include "drm/core/call.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "uapi/drm.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

// clang-format off
static const struct lull_drm_name names[] = {
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
};

// Source: the functions of Linux 6.12 that answer each request.
static const struct lull_drm_hint hints[] = {
    {DRM_IOCTL_GEM_CLOSE, EINVAL, "no such buffer"},
    {DRM_IOCTL_SYNCOBJ_DESTROY, EINVAL, "no such sync object"},
    {DRM_IOCTL_SYNCOBJ_WAIT, EINVAL, "a sync object has no fence yet"},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, EINVAL, "a sync object has no fence for the point yet"},
    {DRM_IOCTL_SYNCOBJ_TRANSFER, EINVAL, "the source has no fence for the point yet"},
    {0, ENOENT, "no such handle"},
    {0, ENOTTY, "not a DRM device"},
    {0, EACCES, "not allowed through this file: use a render node"},
    {0, ENODEV, "the device is gone"},
    {0, EFAULT, "a bad pointer"},
};
// clang-format on

const struct lull_drm_words lull_drm_words = {
    .names = names,
    .nnames = COUNT(names),
    .hints = hints,
    .nhints = COUNT(hints),
};

static const char *hint_in(const struct lull_drm_words *words, unsigned long request, int errnum)
{
    for (size_t i = 0; i < words->nhints; i++) {
        const struct lull_drm_hint *h = &words->hints[i];
        if ((h->request == request || h->request == 0) && h->errnum == errnum) {
            return h->hint;
        }
    }
    return NULL;
}

// What the errno says, or "".
static const char *hint_of(const struct lull_drm_words *words, unsigned long request, int errnum)
{
    const char *hint = hint_in(words, request, errnum);
    hint = hint != NULL ? hint : hint_in(&lull_drm_words, request, errnum);
    return hint != NULL ? hint : "";
}

static const char *name_of(const struct lull_drm_words *words, unsigned long request)
{
    for (size_t i = 0; i < words->nnames; i++) {
        if (words->names[i].request == request) {
            return words->names[i].name;
        }
    }
    return "ioctl";
}

struct lull_error *lull_drm_call(struct lull_kernel *k, int fd, const struct lull_drm_words *words,
                                 unsigned long request, void *arg, const char *fmt, ...)
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
    const char *hint = hint_of(words, request, -r);
    return lull_error_os(-r, "%s of %s%s%s", name_of(words, request), args,
                         hint[0] != '\0' ? ": " : "", hint);
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
