// SPDX-License-Identifier: MIT
// Submission, and waiting for it.
//
// Source: msm_gem_submit.c; the checks come in its order, because clients see which errno wins.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/core/syncobj.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"
#include "vdrm/msm/msm.h"

enum { MOST = 1 << 16 }; // buffers, commands and sync objects: the kernel's limit is its memory

// A sync object that is signalled, or reset.
struct post {
    struct lull_vd_syncobj *syncobj; // A reference.
    uint64_t point;
};

struct parser {
    struct lull_vd_file *f;
    struct drm_msm_gem_submit *arg;
    struct lull_vdm_job *job;
    struct post *resets, *posts;
    uint32_t nresets, nposts;
};

static void parser_done(struct parser *p)
{
    for (uint32_t i = 0; i < p->nresets; i++) {
        lull_vd_syncobj_put(p->resets[i].syncobj);
    }
    for (uint32_t i = 0; i < p->nposts; i++) {
        lull_vd_syncobj_put(p->posts[i].syncobj);
    }
    free(p->resets);
    free(p->posts);
    lull_vdm_job_free(lull_vdm(p->f->d), p->job);
}

static bool depend(void *ctx, struct lull_vd_fence *fence)
{
    struct lull_vdm_job *job = ctx;
    return lull_vd_fence_set_add(&job->deps, fence);
}

// Sync object @p i of an array whose entries may be shorter or longer than ours.
static int sync_at(const struct parser *p, uint64_t array, uint32_t i,
                   struct drm_msm_gem_submit_syncobj *ret)
{
    const uint32_t stride = p->arg->syncobj_stride;
    const size_t size = stride < sizeof *ret ? stride : sizeof *ret;
    return lull_vd_from_user(ret, array + (uint64_t)i * stride, size);
}

static bool keep(struct post *to, uint32_t *n, struct lull_vd_syncobj *s, uint64_t point)
{
    if (s != NULL) {
        s->refs++;
        to[(*n)++] = (struct post){.syncobj = s, .point = point};
    }
    return s != NULL;
}

// msm_parse_deps()
static int sync_in(struct parser *p)
{
    const struct drm_msm_gem_submit *arg = p->arg;
    struct drm_msm_gem_submit_syncobj s = {0};
    if (arg->nr_in_syncobjs > MOST ||
        (p->resets = calloc(arg->nr_in_syncobjs + 1, sizeof *p->resets)) == NULL) {
        return -ENOMEM;
    }
    int r = 0;
    for (uint32_t i = 0; r == 0 && i < arg->nr_in_syncobjs; i++) {
        r = sync_at(p, arg->in_syncobjs, i, &s);
        if (r == 0 && (s.flags & ~(uint32_t)MSM_SUBMIT_SYNCOBJ_FLAGS) != 0) {
            r = -EINVAL;
        }
        const struct lull_vd_sync sync = {.handle = s.handle, .point = s.point};
        r = r == 0 ? lull_vd_syncobj_fences(p->f, &sync, depend, p->job) : r;
        if (r == 0 && (s.flags & MSM_SUBMIT_SYNCOBJ_RESET) != 0 &&
            !keep(p->resets, &p->nresets, lull_vd_syncobj_lookup(p->f, s.handle), 0)) {
            r = -EINVAL;
        }
    }
    return r;
}

// msm_parse_post_deps()
static int sync_out(struct parser *p)
{
    const struct drm_msm_gem_submit *arg = p->arg;
    struct drm_msm_gem_submit_syncobj s = {0};
    if (arg->nr_out_syncobjs > MOST ||
        (p->posts = calloc(arg->nr_out_syncobjs + 1, sizeof *p->posts)) == NULL) {
        return -ENOMEM;
    }
    int r = 0;
    for (uint32_t i = 0; r == 0 && i < arg->nr_out_syncobjs; i++) {
        r = sync_at(p, arg->out_syncobjs, i, &s);
        if (r == 0 && (s.flags != 0 || !keep(p->posts, &p->nposts,
                                             lull_vd_syncobj_lookup(p->f, s.handle), s.point))) {
            r = -EINVAL;
        }
    }
    return r;
}

// submit_lookup_objects()
static int buffers(struct parser *p)
{
    const struct drm_msm_gem_submit *arg = p->arg;
    struct lull_vdm_job *job = p->job;
    job->bos = calloc(arg->nr_bos + 1, sizeof *job->bos);
    job->bo_flags = calloc(arg->nr_bos + 1, sizeof *job->bo_flags);
    uint32_t *handles = calloc(arg->nr_bos + 1, sizeof *handles);
    int r = job->bos == NULL || job->bo_flags == NULL || handles == NULL ? -ENOMEM : 0;
    for (uint32_t i = 0; r == 0 && i < arg->nr_bos; i++) {
        struct drm_msm_gem_submit_bo bo = {0};
        if (lull_vd_from_user(&bo, arg->bos + (uint64_t)i * sizeof bo, sizeof bo) != 0) {
            r = -EFAULT;
        } else if ((bo.flags & ~(uint32_t)MSM_SUBMIT_BO_FLAGS) != 0 ||
                   (bo.flags & (MSM_SUBMIT_BO_READ | MSM_SUBMIT_BO_WRITE)) == 0) {
            r = -EINVAL;
        }
        handles[i] = bo.handle;
        job->bo_flags[i] = bo.flags;
    }
    for (uint32_t i = 0; r == 0 && i < arg->nr_bos; i++) {
        struct lull_vd_bo *bo = lull_vd_bo_lookup(p->f, handles[i]);
        if (bo == NULL) {
            r = -EINVAL;
        } else {
            bo->refs++;
            job->bos[job->nbos++] = bo;
        }
    }
    free(handles);
    return r;
}

// submit_lookup_cmds()
static int commands(struct parser *p)
{
    const struct drm_msm_gem_submit *arg = p->arg;
    p->job->cmds = calloc(arg->nr_cmds + 1, sizeof *p->job->cmds);
    if (p->job->cmds == NULL) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < arg->nr_cmds; i++) {
        struct drm_msm_gem_submit_cmd c = {0};
        if (lull_vd_from_user(&c, arg->cmds + (uint64_t)i * sizeof c, sizeof c) != 0) {
            return -EFAULT;
        }
        if (c.type < MSM_SUBMIT_CMD_BUF || c.type > MSM_SUBMIT_CMD_CTX_RESTORE_BUF ||
            c.size % 4 != 0) {
            return -EINVAL;
        }
        if (c.nr_relocs != 0) { // a6xx and later have none, but the array is read before
            struct drm_msm_gem_submit_reloc reloc = {0};
            const int r = lull_vd_from_user(&reloc, c.relocs, sizeof reloc);
            return r != 0 ? r : -EINVAL;
        }
        p->job->cmds[p->job->ncmds++] = (struct lull_vdm_cmd){.iova = c.submit_offset & ~3u,
                                                              .type = c.type,
                                                              .ndwords = c.size / 4,
                                                              .bo = c.submit_idx};
    }
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct lull_vd_bo *const *x = a, *const *y = b;
    return (uintptr_t)*x < (uintptr_t)*y ? -1 : *x != *y;
}

// drm_exec_lock_obj(): each buffer once.
static int lock(const struct lull_vdm_job *job)
{
    struct lull_vd_bo **sorted = calloc(job->nbos + 1, sizeof(struct lull_vd_bo *));
    if (sorted == NULL) {
        return -ENOMEM;
    }
    memcpy(sorted, job->bos, job->nbos * sizeof(struct lull_vd_bo *));
    qsort(sorted, job->nbos, sizeof(struct lull_vd_bo *), by_address);
    int r = 0;
    for (uint32_t i = 1; i < job->nbos; i++) {
        r = sorted[i] == sorted[i - 1] ? -EALREADY : r;
    }
    free(sorted);
    return r;
}

static bool depend_all(struct lull_vdm_job *job, const struct lull_vd_fence_set *set)
{
    bool ok = true;
    for (size_t i = 0; ok && i < set->n; i++) {
        ok = set->fences[i]->done || depend(job, set->fences[i]);
    }
    return ok;
}

// submit_fence_sync(): who writes waits for all, who reads for those who write.
static int implicit(const struct parser *p)
{
    struct lull_vdm_job *job = p->job;
    bool ok = true;
    for (uint32_t i = 0; ok && i < job->nbos; i++) {
        const bool write = (job->bo_flags[i] & MSM_SUBMIT_BO_WRITE) != 0;
        if ((job->bo_flags[i] & MSM_SUBMIT_BO_NO_IMPLICIT) == 0) {
            ok = depend_all(job, write ? &job->bos[i]->fences : &lull_vdm_bo(job->bos[i])->writers);
        }
    }
    return ok ? 0 : -ENOMEM;
}

// submit_pin_objects(), and where command buffers are
static int places(const struct parser *p)
{
    struct lull_vdm_job *job = p->job;
    uint64_t iova = 0;
    int r = 0;
    for (uint32_t i = 0; r == 0 && i < job->nbos; i++) {
        r = lull_vdm_iova_get(lull_vdm_file(p->f), job->bos[i], &iova);
    }
    for (uint32_t i = 0; r == 0 && i < job->ncmds; i++) {
        struct lull_vdm_cmd *c = &job->cmds[i];
        if (c->bo >= job->nbos) {
            return -EINVAL;
        }
        struct lull_vd_bo *bo = job->bos[c->bo];
        if (c->ndwords == 0 || c->ndwords + c->iova / 4 > bo->size / 4) {
            return -EINVAL;
        }
        c->iova += lull_vdm_iova(lull_vdm_file(p->f), bo);
    }
    return r;
}

static const struct lull_vdm_job *pending(const struct lull_vdm *d, const struct lull_vdm_queue *q,
                                          uint32_t fence)
{
    const struct lull_vdm_job *j = d->jobs;
    while (j != NULL && (j->queue != q || j->fence_id != fence)) {
        j = j->next;
    }
    return j;
}

// A number for the fence: the client's, or the next that is not in use, up to INT_MAX.
static int number(struct parser *p)
{
    const struct lull_vdm *d = lull_vdm(p->f->d);
    struct lull_vdm_queue *q = p->job->queue;
    if ((p->arg->flags & MSM_SUBMIT_FENCE_SN_IN) != 0) {
        if (p->arg->fence == 0 || pending(d, q, p->arg->fence) != NULL) {
            return -EINVAL;
        }
        p->job->fence_id = p->arg->fence;
        return 0;
    }
    while (pending(d, q, q->next_fence) != NULL) {
        q->next_fence = q->next_fence < INT_MAX - 1 ? q->next_fence + 1 : 1;
    }
    p->job->fence_id = q->next_fence;
    q->next_fence = q->next_fence < INT_MAX - 1 ? q->next_fence + 1 : 1;
    return 0;
}

// submit_attach_object_fences(), msm_process_post_deps()
static int attach(struct parser *p)
{
    struct lull_vdm_job *job = p->job;
    struct lull_vd *d = p->f->d;
    bool ok = true;
    for (uint32_t i = 0; ok && i < job->nbos; i++) {
        ok = lull_vd_fence_set_add(&job->bos[i]->fences, job->fence) &&
             ((job->bo_flags[i] & MSM_SUBMIT_BO_WRITE) == 0 ||
              lull_vd_fence_set_add(&lull_vdm_bo(job->bos[i])->writers, job->fence));
    }
    for (uint32_t i = 0; ok && i < p->nresets; i++) {
        lull_vd_syncobj_replace(d, p->resets[i].syncobj, NULL);
    }
    for (uint32_t i = 0; ok && i < p->nposts; i++) {
        if (p->posts[i].point == 0) {
            lull_vd_syncobj_replace(d, p->posts[i].syncobj, job->fence);
        } else {
            ok = lull_vd_syncobj_add_point(d, p->posts[i].syncobj, job->fence, p->posts[i].point) ==
                 0;
        }
    }
    return ok ? 0 : -ENOMEM;
}

static void enqueue(struct parser *p)
{
    struct lull_vdm_job **end = &lull_vdm(p->f->d)->jobs;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = p->job;
    p->arg->fence = p->job->queue->last_fence = p->job->fence_id;
    p->job = NULL;
    lull_vd_submitted(p->f->d);
}

static int parse(struct parser *p)
{
    const uint32_t flags = p->arg->flags;
    int fd = -1;
    if ((flags & MSM_SUBMIT_FENCE_FD_IN) != 0) {
        struct lull_vd_fence *in = lull_vd_sync_file_fence(p->f->d, p->arg->fence_fd);
        if (in == NULL) {
            return -EINVAL;
        }
        if (!in->done && !depend(p->job, in)) {
            return -ENOMEM;
        }
    }
    int r = (flags & MSM_SUBMIT_SYNCOBJ_IN) != 0 ? sync_in(p) : 0;
    r = r == 0 && (flags & MSM_SUBMIT_SYNCOBJ_OUT) != 0 ? sync_out(p) : r;
    r = r == 0 ? buffers(p) : r;
    r = r == 0 ? commands(p) : r;
    r = r == 0 ? lock(p->job) : r;
    r = r == 0 && (flags & MSM_SUBMIT_NO_IMPLICIT) == 0 ? implicit(p) : r;
    r = r == 0 ? places(p) : r;
    r = r == 0 ? number(p) : r;
    r = r == 0 && (flags & MSM_SUBMIT_FENCE_FD_OUT) != 0
            ? lull_vd_sync_file(p->f->d, p->job->fence, &fd)
            : r;
    r = r == 0 ? attach(p) : r;
    if (r != 0) {
        p->job->fence->done = true; // nobody waits for it
        return r;
    }
    p->arg->fence_fd = fd >= 0 ? fd : p->arg->fence_fd;
    enqueue(p);
    return 0;
}

// msm_ioctl_gem_submit(). SUDO needs CAP_SYS_RAWIO, which clients have not.
int lull_vdm_submit(struct lull_vd_file *f, void *user)
{
    struct drm_msm_gem_submit *arg = user;
    const uint32_t pipe = arg->flags & 0xffff, flags = arg->flags & ~0xffffu;
    if (arg->pad != 0 || pipe != MSM_PIPE_3D0 || (flags & ~(uint32_t)MSM_SUBMIT_FLAGS) != 0 ||
        (flags & MSM_SUBMIT_SUDO) != 0) {
        return -EINVAL;
    }
    struct lull_vdm_queue *q = lull_vdm_queue_find(lull_vdm_file(f), arg->queueid);
    if (q == NULL) {
        return -ENOENT;
    }
    struct lull_vdm_job *job =
        arg->nr_bos <= MOST && arg->nr_cmds <= MOST ? calloc(1, sizeof *job) : NULL;
    struct parser p = {.f = f, .arg = arg, .job = job};
    if (job == NULL) {
        return -ENOMEM;
    }
    job->file = f;
    job->queue = q;
    q->refs++;
    job->fence = lull_vd_fence_new(false);
    const int r = job->fence != NULL ? parse(&p) : -ENOMEM;
    parser_done(&p);
    if (r == 0) {
        lull_vd_poll(f->d);
    }
    return r;
}

// msm_ioctl_wait_fence(): a number that is not known any more is done.
int lull_vdm_wait_fence(struct lull_vd_file *f, void *p)
{
    const struct drm_msm_wait_fence *arg = p;
    if ((arg->flags & ~(uint32_t)MSM_WAIT_FENCE_FLAGS) != 0) {
        return -EINVAL;
    }
    const struct lull_vdm_queue *q = lull_vdm_queue_find(lull_vdm_file(f), arg->queueid);
    if (q == NULL) {
        return -ENOENT;
    }
    if ((int32_t)(arg->fence - q->last_fence) > 0) {
        return -EINVAL;
    }
    const struct lull_vdm_job *job = pending(lull_vdm(f->d), q, arg->fence);
    if (job == NULL) {
        return 0;
    }
    struct lull_vd_fence *fence = lull_vd_fence_get(job->fence);
    const bool done = lull_vd_wait_fence(f, fence, lull_vdm_deadline(f->d, &arg->timeout));
    lull_vd_fence_put(fence);
    return done ? 0 : -ETIMEDOUT;
}
