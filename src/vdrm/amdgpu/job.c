// SPDX-License-Identifier: MIT
// Jobs, and who is at the head of a ring.
#include <stdlib.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/ctx.h"
#include "vdrm/amdgpu/job.h"
#include "vdrm/core/user.h"

void lull_vda_job_free(struct lull_vda *d, struct lull_vda_job *job)
{
    if (job == NULL) {
        return;
    }
    for (size_t i = 0; i < job->ndeps; i++) {
        lull_vd_fence_put(job->deps[i].fence);
    }
    free(job->deps);
    lull_vd_fence_put(job->fence);
    if (job->user_fence != NULL) {
        lull_vd_bo_put(&d->vd, job->user_fence);
    }
    if (job->ctx != NULL) {
        lull_vda_ctx_put(job->ctx);
    }
    free(job);
}

bool lull_vda_job_depend(struct lull_vda_job *job, struct lull_vd_fence *fence, bool scheduled)
{
    if (job->ndeps == job->deps_room) {
        const size_t room = job->deps_room * 2 + 4;
        struct lull_vda_dep *deps = realloc(job->deps, room * sizeof *deps);
        if (deps == NULL) {
            return false;
        }
        job->deps = deps;
        job->deps_room = room;
    }
    job->deps[job->ndeps++] =
        (struct lull_vda_dep){.fence = lull_vd_fence_get(fence), .scheduled = scheduled};
    return true;
}

struct lull_vda_job *lull_vda_ring_head(const struct lull_vda *d, enum lull_ring ring)
{
    for (struct lull_vda_job *j = d->jobs; j != NULL; j = j->next) {
        if (j->on_ring && j->ring == ring) {
            return j;
        }
    }
    return NULL;
}

struct lull_vda_origin lull_vda_origin_of(const struct lull_vda *d, uint64_t cookie)
{
    struct lull_vda_origin r = {0};
    const struct lull_vda_job *job = d->jobs;
    while (job != NULL && lull_vd_ptr(job) != cookie) {
        job = job->next;
    }
    if (job == NULL) {
        return r;
    }
    r.pid = (uint32_t)job->file->pid;
    r.file = job->file->id;
    r.job = job->seq;
    r.frame = job->frame;
    const struct lull_vd_idr *ctxs = &lull_vda_file(job->file)->ctxs;
    for (uint32_t i = 0; i < ctxs->n; i++) {
        r.ctx = ctxs->slots[i] == job->ctx ? i + 1 : r.ctx;
    }
    return r;
}
