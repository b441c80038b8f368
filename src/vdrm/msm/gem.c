// SPDX-License-Identifier: MIT
// Calls on buffers.
//
// Source: msm_drv.c, msm_gem.c.
#include <errno.h>
#include <string.h>

#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"
#include "vdrm/msm/msm.h"

enum { ETOOSMALL = 525 }; // the kernel's own

// Not zeros, if that was asked for.
static void stomp(struct lull_vdm *d, struct lull_vd_bo *bo)
{
    const struct lull_vdm_stomp *s = &d->stomp;
    bool wanted = s->all_buffers;
    d->nbuffers++;
    for (unsigned i = 0; i < s->nbuffers; i++) {
        wanted = wanted || s->buffers[i] == d->nbuffers;
    }
    if (wanted) {
        memset(lull_vd_bo_mem(&d->vd, bo), UINT8_MAX, bo->size);
        lull_vd_log(&d->vd, 3, "buffer %u of %llu bytes is filled with garbage", d->nbuffers,
                    (unsigned long long)bo->size);
    }
}

// msm_ioctl_gem_new(), msm_gem_new_impl(). UNCACHED was to be promoted to WC, but what is promoted
// is not what is used: it is refused.
int lull_vdm_gem_new(struct lull_vd_file *f, void *p)
{
    struct drm_msm_gem_new *arg = p;
    const uint32_t mode = arg->flags & MSM_BO_CACHE_MASK;
    struct lull_vd_bo *bo = NULL;
    if ((arg->flags & ~(uint32_t)MSM_BO_FLAGS) != 0 || arg->size == 0 ||
        (mode != MSM_BO_CACHED && mode != MSM_BO_WC && mode != MSM_BO_CACHED_COHERENT)) {
        return -EINVAL;
    }
    // The kernel takes the size for 32 bits.
    const int r = lull_vd_bo_new(f, (uint32_t)arg->size, LULL_VD_PAGE, 1, &bo);
    if (r != 0) {
        return r == -ENOSPC ? -EINVAL : r;
    }
    lull_list_init(&lull_vdm_bo(bo)->maps);
    lull_vdm_bo(bo)->flags = arg->flags;
    stomp(lull_vdm(f->d), bo);
    return lull_vd_bo_publish(f, bo, &arg->handle);
}

static int set_name(struct lull_vdm_bo *bo, const struct drm_msm_gem_info *arg)
{
    if (arg->len >= sizeof bo->name) {
        return -EINVAL;
    }
    memset(bo->name, 0, sizeof bo->name);
    if (lull_vd_from_user(bo->name, arg->value, arg->len) != 0) {
        bo->name[0] = '\0';
        return -EFAULT;
    }
    for (uint32_t i = 0; i < arg->len; i++) {
        const unsigned char c = (unsigned char)bo->name[i]; // isprint(): Latin-1 there
        if ((c < 0x20 || c >= 0x7f) && c < 0xa0) {
            bo->name[i] = '\0';
            break;
        }
    }
    return 0;
}

static int get_name(const struct lull_vdm_bo *bo, struct drm_msm_gem_info *arg)
{
    const uint32_t n = (uint32_t)strnlen(bo->name, sizeof bo->name);
    if (arg->value != 0 && arg->len < n) {
        return -EINVAL;
    }
    arg->len = n;
    return arg->value != 0 ? lull_vd_to_user(arg->value, bo->name, n) : 0;
}

static int set_metadata(struct lull_vdm_bo *bo, const struct drm_msm_gem_info *arg)
{
    uint8_t data[LULL_VDM_METADATA] = {0};
    if (arg->len > sizeof data) {
        return -EOVERFLOW;
    }
    if (lull_vd_from_user(data, arg->value, arg->len) != 0) {
        return -EFAULT;
    }
    memcpy(bo->metadata, data, sizeof data);
    bo->nmetadata = arg->len;
    return 0;
}

static int get_metadata(const struct lull_vdm_bo *bo, struct drm_msm_gem_info *arg)
{
    if (arg->value != 0 && arg->len < bo->nmetadata) {
        return -ETOOSMALL;
    }
    arg->len = bo->nmetadata;
    return arg->value != 0 ? lull_vd_to_user(arg->value, bo->metadata, bo->nmetadata) : 0;
}

static int info(struct lull_vd_file *f, struct lull_vd_bo *bo, struct drm_msm_gem_info *arg)
{
    struct lull_vdm_bo *b = lull_vdm_bo(bo);
    uint64_t iova = 0;
    int r = 0;
    switch (arg->info) {
    case MSM_INFO_GET_OFFSET:
        arg->value = bo->offset;
        return 0;
    case MSM_INFO_GET_IOVA:
        r = lull_vdm_iova_get(lull_vdm_file(f), bo, &iova);
        arg->value = r == 0 ? iova : arg->value;
        return r;
    case MSM_INFO_SET_IOVA:
        return lull_vdm_iova_set(lull_vdm_file(f), bo, arg->value);
    case MSM_INFO_GET_FLAGS:
        arg->value = b->flags;
        return 0;
    case MSM_INFO_SET_NAME:
        return set_name(b, arg);
    case MSM_INFO_GET_NAME:
        return get_name(b, arg);
    case MSM_INFO_SET_METADATA:
        return set_metadata(b, arg);
    default:
        return get_metadata(b, arg);
    }
}

// msm_ioctl_gem_info()
int lull_vdm_gem_info(struct lull_vd_file *f, void *p)
{
    struct drm_msm_gem_info *arg = p;
    const bool by_value = arg->info == MSM_INFO_GET_OFFSET || arg->info == MSM_INFO_GET_IOVA ||
                          arg->info == MSM_INFO_SET_IOVA || arg->info == MSM_INFO_GET_FLAGS;
    if (arg->pad != 0 || arg->info > MSM_INFO_GET_METADATA || (by_value && arg->len != 0)) {
        return -EINVAL;
    }
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->handle);
    return bo != NULL ? info(f, bo, arg) : -ENOENT;
}

struct lull_vd_deadline lull_vdm_deadline(const struct lull_vd *d, const struct drm_msm_timespec *t)
{
    enum { MOST_SECONDS = 1 << 30 }; // ktime_set(): there is a last second
    const int64_t s = t->tv_sec < MOST_SECONDS ? t->tv_sec : MOST_SECONDS;
    const int64_t ns = s * 1000000000 + t->tv_nsec % 1000000000;
    return s < 0 || ns <= 0 ? (struct lull_vd_deadline){0} : lull_vd_until(d, (uint64_t)ns);
}

static bool prepared(void *arg)
{
    return lull_vd_fence_set_idle(arg);
}

// msm_gem_cpu_prep(): without WRITE it waits for those who write.
int lull_vdm_cpu_prep(struct lull_vd_file *f, void *p)
{
    const struct drm_msm_gem_cpu_prep *arg = p;
    if ((arg->op & ~(uint32_t)MSM_PREP_FLAGS) != 0) {
        return -EINVAL;
    }
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->handle);
    if (bo == NULL) {
        return -ENOENT;
    }
    struct lull_vd_fence_set *set =
        (arg->op & MSM_PREP_WRITE) != 0 ? &bo->fences : &lull_vdm_bo(bo)->writers;
    const struct lull_vd_deadline none = {0};
    const struct lull_vd_deadline until =
        (arg->op & MSM_PREP_NOSYNC) != 0 ? none : lull_vdm_deadline(f->d, &arg->timeout);
    const bool poll = until.cycles == 0 && until.ns == 0;
    bo->refs++; // others may close it meanwhile
    const bool idle = lull_vd_wait(f, prepared, set, until);
    lull_vd_bo_put(f->d, bo);
    return idle ? 0 : poll ? -EBUSY : -ETIMEDOUT;
}

int lull_vdm_cpu_fini(struct lull_vd_file *f, void *p)
{
    const struct drm_msm_gem_cpu_fini *arg = p;
    return lull_vd_bo_lookup(f, arg->handle) != NULL ? 0 : -ENOENT;
}

// msm_ioctl_gem_madvise(). Memory is never short here: nothing is purged.
int lull_vdm_madvise(struct lull_vd_file *f, void *p)
{
    struct drm_msm_gem_madvise *arg = p;
    if (arg->madv != MSM_MADV_WILLNEED && arg->madv != MSM_MADV_DONTNEED) {
        return -EINVAL;
    }
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->handle);
    if (bo == NULL) {
        return -ENOENT;
    }
    lull_vdm_bo(bo)->madv = arg->madv == MSM_MADV_DONTNEED ? LULL_VDM_UNWANTED : LULL_VDM_WANTED;
    arg->retained = 1;
    return 0;
}
