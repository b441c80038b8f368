// SPDX-License-Identifier: MIT
// Waiting for submissions.
//
// Source: amdgpu_cs_wait_ioctl(), amdgpu_cs_wait_fences_ioctl(), amdgpu_cs_fence_to_handle_ioctl(),
// amdgpu_gem_wait_idle_ioctl().
#include <errno.h>
#include <stdlib.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/calls.h"
#include "vdrm/amdgpu/ctx.h"
#include "vdrm/core/syncobj.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"

enum { MAX_FENCES = 1 << 20 };

// amdgpu_gem_timeout(): negative is forever.
static struct lull_vd_deadline deadline_of(const struct lull_vd_file *f, uint64_t timeout_ns)
{
    return (int64_t)timeout_ns < 0 ? (struct lull_vd_deadline){.forever = true}
                                   : lull_vd_until(f->d, timeout_ns);
}

// 1 done, 0 time is up, or the fence's error. Keeps the fence alive meanwhile.
static int fence_wait(struct lull_vd_file *f, struct lull_vd_fence *fence,
                      struct lull_vd_deadline deadline)
{
    if (!lull_vd_wait_fence(f, fence, deadline)) {
        return 0;
    }
    return fence->error != 0 ? fence->error : 1;
}

static int get_fence(const struct lull_vd_file *f, const struct drm_amdgpu_fence *user,
                     struct lull_vd_fence **ret)
{
    struct lull_vda_ctx *ctx = lull_vda_ctx_lookup(f, user->ctx_id);
    struct lull_vda_entity *e = NULL;
    if (ctx == NULL) {
        return -EINVAL;
    }
    const int r = lull_vda_ctx_entity(ctx, user->ip_type, user->ip_instance, user->ring, &e);
    return r != 0 ? r : lull_vda_ctx_fence(e, user->seq_no, ret);
}

int lull_vda_wait_cs(struct lull_vd_file *f, void *p)
{
    union drm_amdgpu_wait_cs *arg = p;
    const struct drm_amdgpu_fence user = {
        .ctx_id = arg->in.ctx_id,
        .ip_type = arg->in.ip_type,
        .ip_instance = arg->in.ip_instance,
        .ring = arg->in.ring,
        .seq_no = arg->in.handle,
    };
    struct lull_vd_fence *fence = NULL;
    int r = get_fence(f, &user, &fence);
    if (r != 0) {
        return r;
    }
    r = fence != NULL ? fence_wait(f, fence, deadline_of(f, arg->in.timeout)) : 1;
    lull_vd_fence_put(fence);
    if (r < 0) {
        return r;
    }
    *arg = (union drm_amdgpu_wait_cs){.out = {.status = r == 0}};
    return 0;
}

struct many {
    struct lull_vd_fence **fences; // NULL: done long ago.
    uint32_t n, first;
};

static bool any_ready(void *arg)
{
    struct many *m = arg;
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->fences[i] == NULL || m->fences[i]->done) {
            m->first = i;
            return true;
        }
    }
    return false;
}

// Result 1, 0 or an error, as fence_wait().
static int wait_any(struct lull_vd_file *f, struct many *m, struct lull_vd_deadline deadline)
{
    if (m->n == 0) {
        return -EINVAL; // dma_fence_wait_any_timeout()
    }
    if (!lull_vd_wait(f, any_ready, m, deadline)) {
        return 0;
    }
    const struct lull_vd_fence *fence = m->fences[m->first];
    return fence != NULL && fence->error != 0 ? fence->error : 1;
}

static int wait_all(struct lull_vd_file *f, struct many *m, struct lull_vd_deadline deadline)
{
    int r = 1;
    for (uint32_t i = 0; r > 0 && i < m->n; i++) {
        r = m->fences[i] != NULL ? fence_wait(f, m->fences[i], deadline) : 1;
    }
    return r;
}

int lull_vda_wait_fences(struct lull_vd_file *f, void *p)
{
    union drm_amdgpu_wait_fences *arg = p;
    const uint32_t n = arg->in.fence_count;
    if (n > MAX_FENCES) {
        return -ENOMEM;
    }
    struct drm_amdgpu_fence *user = calloc(n + 1ull, sizeof *user);
    struct many m = {
        .fences = calloc(n + 1ull, sizeof(struct lull_vd_fence *)), .n = n, .first = UINT32_MAX};
    int r = user == NULL || m.fences == NULL
                ? -ENOMEM
                : lull_vd_from_user(user, arg->in.fences, n * sizeof *user);
    for (uint32_t i = 0; r == 0 && i < n; i++) {
        r = get_fence(f, &user[i], &m.fences[i]);
    }
    if (r == 0) {
        const struct lull_vd_deadline deadline = deadline_of(f, arg->in.timeout_ns);
        r = arg->in.wait_all != 0 ? wait_all(f, &m, deadline) : wait_any(f, &m, deadline);
        if (r >= 0) {
            const uint32_t first = arg->in.wait_all != 0 ? 0 : m.first;
            *arg =
                (union drm_amdgpu_wait_fences){.out = {.status = r > 0, .first_signaled = first}};
            r = 0;
        }
    }
    for (uint32_t i = 0; m.fences != NULL && i < n; i++) {
        lull_vd_fence_put(m.fences[i]);
    }
    free(m.fences);
    free(user);
    return r;
}

static int to_syncobj(struct lull_vd_file *f, struct lull_vd_fence *fence, uint32_t *ret)
{
    struct lull_vd_syncobj *s = lull_vd_syncobj_new(fence);
    return s != NULL ? lull_vd_syncobj_publish(f, s, ret) : -ENOMEM;
}

static int to_syncobj_fd(struct lull_vd *d, struct lull_vd_fence *fence, int *ret)
{
    struct lull_vd_syncobj *s = lull_vd_syncobj_new(fence);
    const int r = s != NULL ? lull_vd_syncobj_fd(d, s, ret) : -ENOMEM;
    lull_vd_syncobj_put(s);
    return r;
}

int lull_vda_fence_to_handle(struct lull_vd_file *f, void *p)
{
    union drm_amdgpu_fence_to_handle *arg = p;
    struct lull_vd_fence *fence = NULL;
    int r = get_fence(f, &arg->in.fence, &fence);
    if (r == 0 && fence == NULL) {
        fence = lull_vd_fence_new(true);
        r = fence != NULL ? 0 : -ENOMEM;
    }
    if (r != 0) {
        return r;
    }
    uint32_t handle = 0;
    int fd = 0;
    switch (arg->in.what) {
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ:
        r = to_syncobj(f, fence, &handle);
        break;
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD:
        r = to_syncobj_fd(f->d, fence, &fd);
        break;
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD:
        r = lull_vd_sync_file(f->d, fence, &fd);
        break;
    default:
        r = -EINVAL;
        break;
    }
    lull_vd_fence_put(fence);
    if (r == 0) {
        arg->out.handle = handle != 0 ? handle : (uint32_t)fd;
    }
    return r;
}

struct idle {
    const struct lull_vd_fence_set *own, *client;
};

static bool idle_ready(void *arg)
{
    const struct idle *i = arg;
    return lull_vd_fence_set_idle(i->own) &&
           (i->client == NULL || lull_vd_fence_set_idle(i->client));
}

int lull_vda_gem_wait_idle(struct lull_vd_file *f, void *p)
{
    union drm_amdgpu_gem_wait_idle *arg = p;
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->in.handle);
    if (bo == NULL) {
        return -ENOENT;
    }
    bo->refs++;
    const bool always = (lull_vda_bo(bo)->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID) != 0;
    struct idle i = {.own = &bo->fences, .client = always ? &lull_vda_vm_of(f)->fences : NULL};
    const bool idle = lull_vd_wait(f, idle_ready, &i, deadline_of(f, arg->in.timeout));
    lull_vd_bo_put(f->d, bo);
    *arg = (union drm_amdgpu_gem_wait_idle){.out = {.status = !idle}};
    return 0;
}
