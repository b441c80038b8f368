// SPDX-License-Identifier: MIT
#include "drm/msm/msm.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "drm/core/call.h"
#include "drm/core/file.h"
#include "uapi/msm.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

// clang-format off
static const struct lull_drm_name names[] = {
    {DRM_IOCTL_MSM_GET_PARAM, "MSM_GET_PARAM"},
    {DRM_IOCTL_MSM_GEM_NEW, "MSM_GEM_NEW"},
    {DRM_IOCTL_MSM_GEM_INFO, "MSM_GEM_INFO"},
    {DRM_IOCTL_MSM_GEM_SUBMIT, "MSM_GEM_SUBMIT"},
    {DRM_IOCTL_MSM_WAIT_FENCE, "MSM_WAIT_FENCE"},
    {DRM_IOCTL_MSM_SUBMITQUEUE_NEW, "MSM_SUBMITQUEUE_NEW"},
    {DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, "MSM_SUBMITQUEUE_CLOSE"},
};

// Source: the functions of Linux 6.12 that answer each request.
static const struct lull_drm_hint hints[] = {
    {DRM_IOCTL_MSM_GET_PARAM, EINVAL, "this kernel does not know the parameter"},
    {DRM_IOCTL_MSM_GEM_NEW, EINVAL, "a buffer of 0 bytes, or bad flags"},
    {DRM_IOCTL_MSM_GEM_NEW, ENOMEM, "larger than the memory that is left"},
    {DRM_IOCTL_MSM_GEM_INFO, ENOSPC, "the address is taken, not a multiple of 4096, or outside of what clients may use"},
    {DRM_IOCTL_MSM_GEM_INFO, EBUSY, "the buffer has another address already"},
    {DRM_IOCTL_MSM_GEM_INFO, EOPNOTSUPP, "this GPU has one address space for all, in which only the kernel chooses addresses"},
    {DRM_IOCTL_MSM_GEM_SUBMIT, EINVAL, "no such buffer, or a command buffer that is empty or leaves its buffer"},
    {DRM_IOCTL_MSM_GEM_SUBMIT, ENOENT, "no such queue or sync object"},
    {DRM_IOCTL_MSM_GEM_SUBMIT, EALREADY, "a buffer stands in the list twice"},
    {DRM_IOCTL_MSM_WAIT_FENCE, EINVAL, "no such fence was given yet"},
    {DRM_IOCTL_MSM_SUBMITQUEUE_NEW, EINVAL, "no such priority"},
};
// clang-format on

static const struct lull_drm_words words = {
    .names = names, .nnames = COUNT(names), .hints = hints, .nhints = COUNT(hints)};

struct lull_error *lull_msm_open(struct lull_kernel *k, const char *path, int *ret)
{
    return lull_drm_open(k, path, "msm", ret);
}

LULL_MUST_USE static struct lull_error *ask(struct lull_kernel *k, int fd, uint32_t param,
                                            uint64_t *ret)
{
    struct drm_msm_param p = {.pipe = MSM_PIPE_3D0, .param = param};
    struct lull_error *err =
        lull_drm_call(k, fd, &words, DRM_IOCTL_MSM_GET_PARAM, &p, "parameter %u", param);
    if (err == NULL) {
        *ret = p.value;
    }
    return err;
}

struct lull_error *lull_msm_gpu(struct lull_kernel *k, int fd, struct lull_msm_gpu *ret)
{
    struct lull_msm_gpu g = {0};
    uint64_t priorities = 0;
    const struct {
        uint32_t param;
        uint64_t *to;
        bool may_fail;
    } params[] = {
        {MSM_PARAM_GPU_ID, &g.gpu_id, false},        {MSM_PARAM_CHIP_ID, &g.chip_id, false},
        {MSM_PARAM_GMEM_SIZE, &g.gmem_bytes, false}, {MSM_PARAM_GMEM_BASE, &g.gmem_base, true},
        {MSM_PARAM_VA_START, &g.va_start, true},     {MSM_PARAM_VA_SIZE, &g.va_size, true},
        {MSM_PARAM_PRIORITIES, &priorities, true},
    };
    for (size_t i = 0; i < COUNT(params); i++) {
        struct lull_error *err = ask(k, fd, params[i].param, params[i].to);
        if (err != NULL && !params[i].may_fail) {
            return err;
        }
        lull_error_free(err);
    }
    g.priorities = (unsigned)priorities;
    *ret = g;
    return NULL;
}

struct lull_error *lull_msm_faults(struct lull_kernel *k, int fd, uint64_t *ret)
{
    return ask(k, fd, MSM_PARAM_FAULTS, ret);
}

struct lull_error *lull_msm_queue_new(struct lull_kernel *k, int fd, unsigned priority,
                                      uint32_t *ret)
{
    struct drm_msm_submitqueue q = {.prio = priority};
    struct lull_error *err =
        lull_drm_call(k, fd, &words, DRM_IOCTL_MSM_SUBMITQUEUE_NEW, &q, "priority %u", priority);
    if (err == NULL) {
        *ret = q.id;
    }
    return err;
}

struct lull_error *lull_msm_queue_close(struct lull_kernel *k, int fd, uint32_t id)
{
    return lull_drm_call(k, fd, &words, DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, &id, "queue %u", id);
}

LULL_MUST_USE static struct lull_error *info(struct lull_kernel *k, int fd, uint32_t handle,
                                             uint32_t what, uint64_t *value)
{
    struct drm_msm_gem_info i = {.handle = handle, .info = what, .value = *value};
    struct lull_error *err = lull_drm_call(k, fd, &words, DRM_IOCTL_MSM_GEM_INFO, &i,
                                           "handle %u, 0x%llx", handle, (unsigned long long)*value);
    if (err == NULL) {
        *value = i.value;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *place(struct lull_kernel *k, int fd, uint64_t iova,
                                              struct lull_msm_bo *bo)
{
    const uint32_t what = iova != 0 ? MSM_INFO_SET_IOVA : MSM_INFO_GET_IOVA;
    uint64_t offset = 0;
    bo->iova = iova;
    struct lull_error *err = info(k, fd, bo->handle, what, &bo->iova);
    if (err == NULL) {
        err = info(k, fd, bo->handle, MSM_INFO_GET_OFFSET, &offset);
    }
    const int r = err == NULL ? k->mmap(k, fd, bo->size, offset, &bo->map) : 0;
    return r != 0 ? lull_error_os(-r, "mmap of %llu bytes", (unsigned long long)bo->size) : err;
}

struct lull_error *lull_msm_bo_new(struct lull_kernel *k, int fd, uint64_t size, unsigned flags,
                                   uint64_t iova, struct lull_msm_bo *ret)
{
    struct drm_msm_gem_new n = {
        .size = size,
        .flags = ((flags & LULL_MSM_CACHED) != 0 ? MSM_BO_CACHED_COHERENT : MSM_BO_WC) |
                 ((flags & LULL_MSM_READONLY) != 0 ? MSM_BO_GPU_READONLY : 0)};
    struct lull_error *err = lull_drm_call(k, fd, &words, DRM_IOCTL_MSM_GEM_NEW, &n, "%llu bytes",
                                           (unsigned long long)size);
    if (err != NULL) {
        return err;
    }
    struct lull_msm_bo bo = {.handle = n.handle, .size = size};
    err = place(k, fd, iova, &bo);
    if (err != NULL) {
        lull_msm_bo_free(k, fd, &bo);
        return err;
    }
    *ret = bo;
    return NULL;
}

void lull_msm_bo_free(struct lull_kernel *k, int fd, struct lull_msm_bo *bo)
{
    if (bo->map != NULL) {
        k->munmap(k, bo->map, bo->size);
    }
    if (bo->handle != 0) {
        lull_error_free(lull_drm_gem_close(k, fd, bo->handle));
    }
    *bo = (struct lull_msm_bo){0};
}

struct lull_error *lull_msm_submit(struct lull_kernel *k, int fd, const struct lull_msm_submit *s,
                                   uint32_t *ret)
{
    lull_cleanup(lull_freep) struct drm_msm_gem_submit_bo *bos = calloc(s->nbos + 1, sizeof *bos);
    lull_cleanup(lull_freep) struct drm_msm_gem_submit_cmd *cmds =
        calloc(s->ncmds + 1, sizeof *cmds);
    if (bos == NULL || cmds == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < s->nbos; i++) {
        bos[i].flags = MSM_SUBMIT_BO_READ | MSM_SUBMIT_BO_WRITE | MSM_SUBMIT_BO_DUMP;
        bos[i].handle = s->bos[i]->handle;
        bos[i].presumed = s->bos[i]->iova;
    }
    for (size_t i = 0; i < s->ncmds; i++) {
        cmds[i].type = MSM_SUBMIT_CMD_BUF;
        cmds[i].submit_idx = s->cmds[i].bo;
        cmds[i].submit_offset = s->cmds[i].offset;
        cmds[i].size = s->cmds[i].size;
    }
    struct drm_msm_gem_submit arg = {.flags = MSM_PIPE_3D0,
                                     .nr_bos = (uint32_t)s->nbos,
                                     .nr_cmds = (uint32_t)s->ncmds,
                                     .bos = lull_drm_ptr(bos),
                                     .cmds = lull_drm_ptr(cmds),
                                     .fence_fd = -1,
                                     .queueid = s->queue};
    struct lull_error *err =
        lull_drm_call(k, fd, &words, DRM_IOCTL_MSM_GEM_SUBMIT, &arg,
                      "queue %u, %zu buffers, %zu command buffers", s->queue, s->nbos, s->ncmds);
    if (err == NULL) {
        *ret = arg.fence;
    }
    return err;
}

struct lull_error *lull_msm_wait(struct lull_kernel *k, int fd, uint32_t queue, uint32_t fence,
                                 uint64_t timeout_ns, bool *ret_done)
{
    const uint64_t until = lull_drm_deadline(k, timeout_ns);
    struct drm_msm_wait_fence w = {.fence = fence,
                                   .timeout = {.tv_sec = (int64_t)(until / 1000000000),
                                               .tv_nsec = (int64_t)(until % 1000000000)},
                                   .queueid = queue};
    const int r = k->ioctl(k, fd, DRM_IOCTL_MSM_WAIT_FENCE, &w);
    if (r == 0 || r == -ETIMEDOUT) {
        *ret_done = r == 0;
        return NULL;
    }
    return lull_drm_call(k, fd, &words, DRM_IOCTL_MSM_WAIT_FENCE, &w, "queue %u, fence %u", queue,
                         fence);
}
