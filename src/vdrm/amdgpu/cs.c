// SPDX-License-Identifier: MIT
// Command submission.
//
// Source: amdgpu_cs.c; the checks come in its order, because clients see which errno wins.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/calls.h"
#include "vdrm/amdgpu/ctx.h"
#include "vdrm/amdgpu/job.h"
#include "vdrm/core/syncobj.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"

enum {
    MAX_CHUNKS = 4096, // the kernel's limit is its memory
    MAX_CHUNK_DWORDS = 1 << 20,
    IB_MAX_DWORDS = 0xfffff, // AMDGPU_GFX_SDMA_IB_PACKET_SIZE_MAX_DW
    MAX_IBS_GFX = 192,       // amdgpu_ring_max_ibs()
    MAX_IBS_COMPUTE = 125,
    MAX_IBS_SDMA = 49,
    GANG = 4, // AMDGPU_CS_GANG_SIZE
};

struct chunk {
    uint32_t id, ndwords;
    uint32_t *data;
};

// A syncobj that the submission will signal.
struct post {
    struct lull_vd_syncobj *syncobj; // A reference.
    uint64_t point;
};

struct parser {
    struct lull_vd_file *f;
    struct lull_vda_ctx *ctx;        // Borrowed.
    struct lull_vda_job *jobs[GANG]; // One for each ring that has command buffers.
    unsigned njobs;
    struct lull_vda_job *leader; // Of jobs: that of the last command buffer. Its end is the gang's.
    struct lull_vd_bo *user_fence; // A reference, or NULL.
    uint32_t user_fence_offset;
    struct chunk *chunks;
    uint32_t nchunks;
    struct lull_vda_list *list; // Owned.
    bool have_list, preempt;
    struct post *posts;
    uint32_t nposts;
    bool have_posts;
};

static void parser_done(struct parser *p)
{
    for (uint32_t i = 0; i < p->nchunks; i++) {
        free(p->chunks[i].data);
    }
    free(p->chunks);
    for (uint32_t i = 0; i < p->nposts; i++) {
        lull_vd_syncobj_put(p->posts[i].syncobj);
    }
    free(p->posts);
    lull_vda_list_free(p->f->d, p->list);
    for (unsigned i = 0; i < p->njobs; i++) {
        lull_vda_job_free(lull_vda(p->f->d), p->jobs[i]);
    }
    if (p->user_fence != NULL) {
        lull_vd_bo_put(p->f->d, p->user_fence);
    }
}

// By engine: its first ring, and the command buffers that a submission to it may have.
static const struct engine {
    enum lull_ring ring;
    unsigned max_ibs;
} engines[LULL_VDA_NIP] = {
    [AMDGPU_HW_IP_GFX] = {LULL_RING_GFX, MAX_IBS_GFX},
    [AMDGPU_HW_IP_COMPUTE] = {LULL_RING_COMPUTE0, MAX_IBS_COMPUTE},
    [AMDGPU_HW_IP_DMA] = {LULL_RING_SDMA0, MAX_IBS_SDMA},
};

// A job of the submission, still without command buffers; NULL: no memory.
static struct lull_vda_job *new_job(struct parser *p)
{
    struct lull_vda_job *job = calloc(1, sizeof *job);
    if (job == NULL) {
        return NULL;
    }
    p->jobs[p->njobs++] = job;
    job->file = p->f;
    job->ctx = p->ctx;
    p->ctx->refs++;
    job->fence = lull_vd_fence_new(false);
    return job->fence != NULL ? job : NULL;
}

// amdgpu_cs_job_idx(): the job for the ring that @p ib names.
static int job_of(struct parser *p, const struct drm_amdgpu_cs_chunk_ib *ib,
                  struct lull_vda_job **ret)
{
    struct lull_vda_entity *e = NULL;
    const int r = lull_vda_ctx_entity(p->ctx, ib->ip_type, ib->ip_instance, ib->ring, &e);
    if (r != 0) {
        return r;
    }
    for (unsigned i = 0; i < p->njobs; i++) {
        if (p->jobs[i]->entity == e) {
            *ret = p->jobs[i];
            return 0;
        }
    }
    if (ib->ip_type >= LULL_VDA_NIP || p->njobs == GANG) {
        return -EINVAL;
    }
    struct lull_vda_job *job = new_job(p);
    if (job == NULL) {
        return -ENOMEM;
    }
    job->entity = e;
    job->ring = (enum lull_ring)(engines[ib->ip_type].ring + ib->ring);
    *ret = job;
    return 0;
}

// amdgpu_cs_p1_ib()
static int pass1_ib(struct parser *p, const struct drm_amdgpu_cs_chunk_ib *ib)
{
    struct lull_vda_job *job = NULL;
    const int r = job_of(p, ib, &job);
    if (r != 0) {
        return r;
    }
    if (job->nibs >= engines[ib->ip_type].max_ibs) {
        return -EINVAL;
    }
    job->nibs++;
    p->leader = job;
    return 0;
}

// amdgpu_cs_p1_user_fence()
static int pass1_user_fence(struct parser *p, const struct drm_amdgpu_cs_chunk_fence *fence)
{
    struct lull_vd_bo *bo = lull_vd_bo_lookup(p->f, fence->handle);
    if (bo == NULL || p->user_fence != NULL) {
        return -EINVAL;
    }
    bo->refs++;
    p->user_fence = bo;
    p->user_fence_offset = fence->offset;
    return bo->size != LULL_VD_PAGE || fence->offset > bo->size - 8 ? -EINVAL : 0;
}

static int pass1_chunk(struct parser *p, const struct chunk *c)
{
    static const uint8_t min_dwords[] = {
        [AMDGPU_CHUNK_ID_IB] = sizeof(struct drm_amdgpu_cs_chunk_ib) / 4,
        [AMDGPU_CHUNK_ID_FENCE] = sizeof(struct drm_amdgpu_cs_chunk_fence) / 4,
        [AMDGPU_CHUNK_ID_BO_HANDLES] = sizeof(struct drm_amdgpu_bo_list_in) / 4,
        [AMDGPU_CHUNK_ID_CP_GFX_SHADOW] = sizeof(struct drm_amdgpu_cs_chunk_cp_gfx_shadow) / 4,
    };
    if (c->id == 0 || c->id > AMDGPU_CHUNK_ID_CP_GFX_SHADOW || c->ndwords < min_dwords[c->id]) {
        return -EINVAL;
    }
    switch (c->id) {
    case AMDGPU_CHUNK_ID_IB:
        return pass1_ib(p, (const void *)c->data);
    case AMDGPU_CHUNK_ID_FENCE:
        return pass1_user_fence(p, (const void *)c->data);
    case AMDGPU_CHUNK_ID_BO_HANDLES:
        if (p->have_list) {
            return -EINVAL;
        }
        p->have_list = true;
        return lull_vda_list_new(p->f, (const void *)c->data, &p->list);
    default:
        return 0;
    }
}

// amdgpu_cs_pass1(): copy the chunks and look at each once
static int pass1(struct parser *p, const struct drm_amdgpu_cs_in *in)
{
    if (in->num_chunks > MAX_CHUNKS) {
        return -ENOMEM;
    }
    p->chunks = calloc(in->num_chunks, sizeof *p->chunks);
    if (p->chunks == NULL) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < in->num_chunks; i++) {
        uint64_t pointer = 0;
        struct drm_amdgpu_cs_chunk user = {0};
        if (lull_vd_from_user(&pointer, in->chunks + i * sizeof pointer, sizeof pointer) != 0 ||
            lull_vd_from_user(&user, pointer, sizeof user) != 0) {
            return -EFAULT;
        }
        struct chunk *c = &p->chunks[p->nchunks];
        if (user.length_dw > MAX_CHUNK_DWORDS) {
            return -ENOMEM;
        }
        // A little more than needed, and never nothing: an empty chunk of an id that needs none is
        // fine.
        *c = (struct chunk){.id = user.chunk_id, .ndwords = user.length_dw};
        c->data = calloc(user.length_dw + 8ull, 4);
        if (c->data == NULL) {
            return -ENOMEM;
        }
        p->nchunks++;
        if (lull_vd_from_user(c->data, user.chunk_data, user.length_dw * 4ull) != 0) {
            return -EFAULT;
        }
        const int r = pass1_chunk(p, c);
        if (r != 0) {
            return r;
        }
    }
    return p->njobs == 0 ? -EINVAL : 0;
}

// amdgpu_cs_p2_ib()
static int pass2_ib(struct parser *p, const struct drm_amdgpu_cs_chunk_ib *ib)
{
    if (ib->ip_type == AMDGPU_HW_IP_GFX && (ib->flags & AMDGPU_IB_FLAG_PREEMPT) != 0) {
        if (p->preempt) {
            return -EINVAL;
        }
        p->preempt = true;
    }
    if (ib->ib_bytes / 4 > IB_MAX_DWORDS) {
        return -EINVAL;
    }
    struct lull_vda_job *job = NULL;
    const int r = job_of(p, ib, &job);
    if (r == 0) {
        job->ibs[job->nibs++] =
            (struct lull_vda_ib){.va = ib->va_start, .ndwords = ib->ib_bytes / 4};
    }
    return r;
}

// amdgpu_sync_push_to_job(): all jobs of the gang depend on @p fence.
static bool depend(struct parser *p, struct lull_vd_fence *fence, bool scheduled)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < p->njobs; i++) {
        ok = lull_vda_job_depend(p->jobs[i], fence, scheduled);
    }
    return ok;
}

// For lull_vd_syncobj_fences().
static bool take(void *parser, struct lull_vd_fence *fence)
{
    return depend(parser, fence, false);
}

// amdgpu_cs_p2_dependencies()
static int pass2_deps(struct parser *p, const struct chunk *c)
{
    const struct drm_amdgpu_cs_chunk_dep *deps = (const void *)c->data;
    for (size_t i = 0; i < c->ndwords * sizeof(uint32_t) / sizeof *deps; i++) {
        struct lull_vda_ctx *ctx = lull_vda_ctx_lookup(p->f, deps[i].ctx_id);
        struct lull_vda_entity *e = NULL;
        struct lull_vd_fence *fence = NULL;
        if (ctx == NULL) {
            return -EINVAL;
        }
        int r = lull_vda_ctx_entity(ctx, deps[i].ip_type, deps[i].ip_instance, deps[i].ring, &e);
        if (r == 0) {
            r = lull_vda_ctx_fence(e, deps[i].handle, &fence);
        }
        if (r != 0) {
            return r;
        }
        if (fence != NULL && !depend(p, fence, c->id == AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES)) {
            r = -ENOMEM;
        }
        lull_vd_fence_put(fence);
        if (r != 0) {
            return r;
        }
    }
    return 0;
}

// amdgpu_cs_p2_syncobj_in(), amdgpu_cs_p2_syncobj_timeline_wait()
static int pass2_in(struct parser *p, const struct chunk *c)
{
    const bool timeline = c->id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT;
    const size_t size = timeline ? sizeof(struct drm_amdgpu_cs_chunk_syncobj)
                                 : sizeof(struct drm_amdgpu_cs_chunk_sem);
    for (size_t i = 0; i < c->ndwords * sizeof(uint32_t) / size; i++) {
        struct drm_amdgpu_cs_chunk_syncobj o = {0};
        memcpy(&o, (const char *)c->data + i * size, size);
        const struct lull_vd_sync sync = {.handle = o.handle, .point = o.point, .flags = o.flags};
        const int r = lull_vd_syncobj_fences(p->f, &sync, take, p);
        if (r != 0) {
            return r;
        }
    }
    return 0;
}

// amdgpu_cs_p2_syncobj_out(), amdgpu_cs_p2_syncobj_timeline_signal()
static int pass2_out(struct parser *p, const struct chunk *c)
{
    const bool timeline = c->id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL;
    const size_t size = timeline ? sizeof(struct drm_amdgpu_cs_chunk_syncobj)
                                 : sizeof(struct drm_amdgpu_cs_chunk_sem);
    const size_t n = c->ndwords * sizeof(uint32_t) / size;
    if (p->have_posts) {
        return -EINVAL;
    }
    p->have_posts = true;
    p->posts = calloc(n + 1, sizeof *p->posts);
    if (p->posts == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        struct drm_amdgpu_cs_chunk_syncobj o = {0};
        memcpy(&o, (const char *)c->data + i * size, size);
        p->posts[i].syncobj = lull_vd_syncobj_lookup(p->f, o.handle);
        p->posts[i].point = timeline ? o.point : 0;
        if (p->posts[i].syncobj == NULL) {
            return -EINVAL;
        }
        p->posts[i].syncobj->refs++;
        p->nposts++;
    }
    return 0;
}

// amdgpu_cs_pass2()
static int pass2(struct parser *p)
{
    int r = 0;
    for (unsigned i = 0; i < p->njobs; i++) {
        p->jobs[i]->nibs = 0;
    }
    for (uint32_t i = 0; r == 0 && i < p->nchunks; i++) {
        const struct chunk *c = &p->chunks[i];
        switch (c->id) {
        case AMDGPU_CHUNK_ID_IB:
            r = pass2_ib(p, (const void *)c->data);
            break;
        case AMDGPU_CHUNK_ID_DEPENDENCIES:
        case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES:
            r = pass2_deps(p, c);
            break;
        case AMDGPU_CHUNK_ID_SYNCOBJ_IN:
        case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT:
            r = pass2_in(p, c);
            break;
        case AMDGPU_CHUNK_ID_SYNCOBJ_OUT:
        case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL:
            r = pass2_out(p, c);
            break;
        case AMDGPU_CHUNK_ID_CP_GFX_SHADOW: // no shadowing here: only its check
            r = (((const struct drm_amdgpu_cs_chunk_cp_gfx_shadow *)(const void *)c->data)->flags &
                 ~(uint64_t)AMDGPU_CS_CHUNK_CP_GFX_SHADOW_FLAGS_INIT_SHADOW) != 0
                    ? -EINVAL
                    : 0;
            break;
        default:
            break;
        }
    }
    return r;
}

// amdgpu_cs_parser_bos(), amdgpu_cs_vm_handling(), amdgpu_ctx_wait_prev_fence()
static int resources(struct parser *p, const struct drm_amdgpu_cs_in *in,
                     const struct lull_vda_list **list)
{
    if (in->bo_list_handle != 0 && p->have_list) {
        return -EINVAL;
    }
    if (in->bo_list_handle != 0 && lull_vda_list_lookup(p->f, in->bo_list_handle) == NULL) {
        return -ENOENT;
    }
    // The context remembers so many submissions: wait for the oldest. Others may come first.
    struct lull_vda_entity *e = p->leader->entity;
    struct lull_vd_fence *oldest = e->fences[e->sequence % LULL_VDA_SCHED_JOBS];
    while (oldest != NULL && !oldest->done) {
        lull_vd_fence_get(oldest);
        lull_vd_wait_fence(p->f, oldest, (struct lull_vd_deadline){.forever = true});
        const bool done = oldest->done;
        lull_vd_fence_put(oldest);
        if (!done) {
            return -EBUSY; // the kernel would sleep on
        }
        oldest = e->fences[e->sequence % LULL_VDA_SCHED_JOBS];
    }
    // No waits from here on: a list that others may free is not kept.
    *list = in->bo_list_handle != 0 ? lull_vda_list_lookup(p->f, in->bo_list_handle) : p->list;
    if (in->bo_list_handle != 0 && *list == NULL) {
        return -ENOENT;
    }
    const int r = lull_vda_vm_update(lull_vda(p->f->d), lull_vda_vm_of(p->f));
    return r == -EBUSY ? 0 : r;
}

// amdgpu_job_set_resources()
static void set_gds(struct lull_vda *d, struct lull_vda_job *job, const struct lull_vda_list *list)
{
    for (uint32_t i = 0; list != NULL && i < list->n; i++) {
        const struct lull_vda_bo *bo = lull_vda_bo(list->bos[i]);
        if (bo->chip == &d->gds) {
            job->gds_base = (uint32_t)bo->chip_at;
            job->gds_size = (uint32_t)bo->chip_size;
        }
    }
}

// Who waits for the buffers waits for all jobs of the gang.
static bool remember(struct parser *p, const struct lull_vda_list *list)
{
    bool ok = true;
    for (unsigned k = 0; ok && k < p->njobs; k++) {
        struct lull_vd_fence *fence = p->jobs[k]->fence;
        ok = lull_vd_fence_set_add(&lull_vda_vm_of(p->f)->fences, fence);
        for (uint32_t i = 0; ok && list != NULL && i < list->n; i++) {
            ok = lull_vd_fence_set_add(&list->bos[i]->fences, fence);
        }
    }
    return ok && (p->user_fence == NULL ||
                  lull_vd_fence_set_add(&p->user_fence->fences, p->leader->fence));
}

// The syncobjs that the end of the leader signals. False: no memory.
static bool post(struct parser *p)
{
    struct lull_vd *d = p->f->d;
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->nposts; i++) {
        if (p->posts[i].point == 0) {
            lull_vd_syncobj_replace(d, p->posts[i].syncobj, p->leader->fence);
        } else {
            ok = lull_vd_syncobj_add_point(d, p->posts[i].syncobj, p->leader->fence,
                                           p->posts[i].point) == 0;
        }
    }
    return ok;
}

// The leader starts when the others have: they are on their rings. False: no memory.
static bool form_gang(struct parser *p)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < p->njobs; i++) {
        if (p->jobs[i] != p->leader) {
            ok = lull_vda_job_depend(p->leader, p->jobs[i]->fence, true);
        }
        p->jobs[i]->gang = p->njobs > 1 ? lull_vd_ptr(p->leader) : 0;
    }
    return ok;
}

// To the end of the driver's list.
static void enqueue(struct parser *p, const struct lull_vda_list *list)
{
    struct lull_vda *d = lull_vda(p->f->d);
    struct lull_vda_job **end = &d->jobs;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    for (unsigned i = 0; i < p->njobs; i++) {
        set_gds(d, p->jobs[i], list);
        p->jobs[i]->seq = p->leader->seq;
        *end = p->jobs[i];
        end = &p->jobs[i]->next;
    }
    p->njobs = 0;
}

// amdgpu_cs_submit()
static int submit(struct parser *p, const struct lull_vda_list *list, uint64_t *ret)
{
    struct lull_vd *d = p->f->d;
    struct lull_vda_job *job = p->leader;
    struct lull_vda_entity *e = job->entity;
    if (!form_gang(p) || !remember(p, list) || !post(p)) {
        for (unsigned i = 0; i < p->njobs; i++) {
            p->jobs[i]->fence->done = true; // nobody waits for it
        }
        return -ENOMEM;
    }
    job->user_fence = p->user_fence;
    job->user_fence_offset = p->user_fence_offset;
    p->user_fence = NULL;
    job->seq = e->sequence++;
    job->frame = lull_vda_frames_of(lull_vda(d), p->f->pid);
    struct lull_vd_fence **slot = &e->fences[job->seq % LULL_VDA_SCHED_JOBS];
    lull_vd_fence_put(*slot);
    *slot = lull_vd_fence_get(job->fence);
    *ret = job->seq;
    enqueue(p, list);
    lull_vd_submitted(d);
    return 0;
}

static int parse(struct parser *p, const struct drm_amdgpu_cs_in *in, uint64_t *ret)
{
    const struct lull_vda_list *list = NULL;
    int r = pass1(p, in);
    if (r == 0) {
        r = pass2(p);
    }
    if (r == 0) {
        r = resources(p, in, &list);
    }
    return r == 0 ? submit(p, list, ret) : r;
}

// amdgpu_cs_ioctl()
int lull_vda_cs(struct lull_vd_file *f, void *user)
{
    union drm_amdgpu_cs *arg = user;
    struct parser p = {.f = f, .ctx = lull_vda_ctx_lookup(f, arg->in.ctx_id)};
    if (arg->in.num_chunks == 0 || p.ctx == NULL) {
        return -EINVAL;
    }
    uint64_t seq = 0;
    const int r = parse(&p, &arg->in, &seq);
    parser_done(&p);
    if (r == 0) {
        arg->out.handle = seq;
        lull_vd_poll(f->d);
    }
    return r;
}
