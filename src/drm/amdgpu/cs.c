// SPDX-License-Identifier: MIT
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "drm/amdgpu/amdgpu.h"
#include "drm/amdgpu/call.h"
#include "uapi/amdgpu.h"

static_assert((int)LULL_AMDGPU_GFX == AMDGPU_HW_IP_GFX &&
                  (int)LULL_AMDGPU_COMPUTE == AMDGPU_HW_IP_COMPUTE &&
                  (int)LULL_AMDGPU_SDMA == AMDGPU_HW_IP_DMA,
              "engines");

enum {
    CHUNKS_FIXED = 5, // buffers, user fence, dependencies, in, out
    IBS_MAX = 192,
};

struct lull_error *lull_amdgpu_bo_list_create(struct lull_kernel *k, int fd,
                                              const uint32_t *handles, size_t n, uint32_t *ret)
{
    struct drm_amdgpu_bo_list_entry *entries = calloc(n + 1, sizeof *entries);
    if (entries == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        entries[i].bo_handle = handles[i];
    }
    union drm_amdgpu_bo_list arg = {.in = {.operation = AMDGPU_BO_LIST_OP_CREATE,
                                           .bo_number = (uint32_t)n,
                                           .bo_info_size = sizeof *entries,
                                           .bo_info_ptr = lull_drm_ptr(entries)}};
    struct lull_error *err =
        lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_BO_LIST, &arg, "%zu buffers", n);
    free(entries);
    if (err == NULL) {
        *ret = arg.out.list_handle;
    }
    return err;
}

struct lull_error *lull_amdgpu_bo_list_free(struct lull_kernel *k, int fd, uint32_t list)
{
    union drm_amdgpu_bo_list arg = {
        .in = {.operation = AMDGPU_BO_LIST_OP_DESTROY,
               .list_handle = list,
               .bo_info_size = sizeof(struct drm_amdgpu_bo_list_entry)}};
    return lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_BO_LIST, &arg, "free list %u",
                         list);
}

struct chunks {
    struct lull_arena arena;
    struct drm_amdgpu_cs_chunk *chunks;
    uint32_t n;
};

// A new chunk with room for @p count records of @p size bytes; NULL if memory is short.
static void *chunk_add(struct chunks *c, uint32_t id, size_t count, size_t size)
{
    void *data = lull_arena_calloc(&c->arena, count, size);
    if (data != NULL) {
        c->chunks[c->n++] = (struct drm_amdgpu_cs_chunk){.chunk_id = id,
                                                         .length_dw = (uint32_t)(count * size / 4),
                                                         .chunk_data = lull_drm_ptr(data)};
    }
    return data;
}

static bool chunk_ibs(struct chunks *c, const struct lull_amdgpu_submit *s)
{
    for (size_t i = 0; i < s->nibs; i++) {
        struct drm_amdgpu_cs_chunk_ib *ib = chunk_add(c, AMDGPU_CHUNK_ID_IB, 1, sizeof *ib);
        if (ib == NULL) {
            return false;
        }
        ib->flags = s->ibs[i].flags;
        ib->va_start = s->ibs[i].va;
        ib->ib_bytes = s->ibs[i].bytes;
        ib->ip_type = s->ip;
        ib->ring = s->ring;
    }
    return true;
}

static bool chunk_bos(struct chunks *c, const struct lull_amdgpu_submit *s)
{
    struct drm_amdgpu_bo_list_entry *e = lull_arena_calloc(&c->arena, s->nbos, sizeof *e);
    struct drm_amdgpu_bo_list_in *list = chunk_add(c, AMDGPU_CHUNK_ID_BO_HANDLES, 1, sizeof *list);
    if (e == NULL || list == NULL) {
        return false;
    }
    for (size_t i = 0; i < s->nbos; i++) {
        e[i].bo_handle = s->bos[i];
    }
    *list = (struct drm_amdgpu_bo_list_in){
        .operation = UINT32_MAX,
        .list_handle = UINT32_MAX,
        .bo_number = (uint32_t)s->nbos,
        .bo_info_size = sizeof *e,
        .bo_info_ptr = lull_drm_ptr(e),
    };
    return true;
}

static bool chunk_deps(struct chunks *c, const struct lull_amdgpu_submit *s)
{
    struct drm_amdgpu_cs_chunk_dep *d =
        chunk_add(c, AMDGPU_CHUNK_ID_DEPENDENCIES, s->ndeps, sizeof *d);
    for (size_t i = 0; d != NULL && i < s->ndeps; i++) {
        d[i] = (struct drm_amdgpu_cs_chunk_dep){
            .ip_type = s->deps[i].ip,
            .ring = s->deps[i].ring,
            .ctx_id = s->deps[i].ctx,
            .handle = s->deps[i].seq,
        };
    }
    return d != NULL;
}

static bool chunk_syncs(struct chunks *c, uint32_t id, const struct lull_syncobj_point *syncs,
                        size_t n)
{
    struct drm_amdgpu_cs_chunk_syncobj *o = chunk_add(c, id, n, sizeof *o);
    for (size_t i = 0; o != NULL && i < n; i++) {
        o[i] = (struct drm_amdgpu_cs_chunk_syncobj){.handle = syncs[i].handle,
                                                    .point = syncs[i].point};
    }
    return o != NULL;
}

static bool chunks_build(struct chunks *c, const struct lull_amdgpu_submit *s)
{
    c->chunks = lull_arena_calloc(&c->arena, s->nibs + CHUNKS_FIXED, sizeof *c->chunks);
    bool ok = c->chunks != NULL && chunk_ibs(c, s);
    if (ok && s->nbos > 0) {
        ok = chunk_bos(c, s);
    }
    if (ok && s->fence_bo != 0) {
        struct drm_amdgpu_cs_chunk_fence *f = chunk_add(c, AMDGPU_CHUNK_ID_FENCE, 1, sizeof *f);
        ok = f != NULL;
        if (ok) {
            f->handle = s->fence_bo;
            f->offset = s->fence_offset;
        }
    }
    if (ok && s->ndeps > 0) {
        ok = chunk_deps(c, s);
    }
    if (ok && s->nin > 0) {
        ok = chunk_syncs(c, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, s->in, s->nin);
    }
    if (ok && s->nout > 0) {
        ok = chunk_syncs(c, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, s->out, s->nout);
    }
    return ok;
}

struct lull_error *lull_amdgpu_submit(struct lull_kernel *k, int fd,
                                      const struct lull_amdgpu_submit *s, uint64_t *ret)
{
    if (s->nibs == 0 || s->nibs > IBS_MAX) {
        return lull_error_new(LULL_ERR_INVALID, "submission of %zu command buffers; 1 to %d can be",
                              s->nibs, IBS_MAX);
    }
    struct chunks c = {0};
    uint64_t pointers[IBS_MAX + CHUNKS_FIXED] = {0};
    struct lull_error *err = chunks_build(&c, s) ? NULL : &lull_enomem;
    for (uint32_t i = 0; err == NULL && i < c.n; i++) {
        pointers[i] = lull_drm_ptr(&c.chunks[i]);
    }
    if (err == NULL) {
        union drm_amdgpu_cs arg = {.in = {.ctx_id = s->ctx,
                                          .bo_list_handle = s->bo_list,
                                          .num_chunks = c.n,
                                          .chunks = lull_drm_ptr(pointers)}};
        err = lull_drm_call(
            k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_CS, &arg,
            "%zu command buffers (first %u bytes at 0x%llx), context %u, engine %u ring %u",
            s->nibs, s->ibs[0].bytes, (unsigned long long)s->ibs[0].va, s->ctx, s->ip, s->ring);
        if (err == NULL) {
            *ret = arg.out.handle;
        }
    }
    lull_arena_done(&c.arena);
    return err;
}

struct lull_error *lull_amdgpu_wait(struct lull_kernel *k, int fd,
                                    const struct lull_amdgpu_fence *fence, uint64_t timeout_ns,
                                    bool *ret_done)
{
    // Here an absolute time below 0 as a signed number means forever.
    const uint64_t deadline =
        timeout_ns == LULL_AMDGPU_FOREVER ? UINT64_MAX : lull_drm_deadline(k, timeout_ns);
    union drm_amdgpu_wait_cs arg = {.in = {.handle = fence->seq,
                                           .timeout = deadline,
                                           .ip_type = fence->ip,
                                           .ring = fence->ring,
                                           .ctx_id = fence->ctx}};
    struct lull_error *err =
        lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_WAIT_CS, &arg,
                      "submission %llu of context %u, engine %u ring %u",
                      (unsigned long long)fence->seq, fence->ctx, fence->ip, fence->ring);
    if (err == NULL) {
        *ret_done = arg.out.status == 0;
    }
    return err;
}

struct lull_error *lull_amdgpu_wait_fences(struct lull_kernel *k, int fd,
                                           const struct lull_amdgpu_wait_many *w, bool *ret_done,
                                           uint32_t *ret_first)
{
    struct drm_amdgpu_fence *fences = calloc(w->n + 1, sizeof *fences);
    if (fences == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < w->n; i++) {
        fences[i] = (struct drm_amdgpu_fence){.ctx_id = w->fences[i].ctx,
                                              .ip_type = w->fences[i].ip,
                                              .ring = w->fences[i].ring,
                                              .seq_no = w->fences[i].seq};
    }
    const uint64_t deadline =
        w->timeout_ns == LULL_AMDGPU_FOREVER ? UINT64_MAX : lull_drm_deadline(k, w->timeout_ns);
    union drm_amdgpu_wait_fences arg = {.in = {.fences = lull_drm_ptr(fences),
                                               .fence_count = (uint32_t)w->n,
                                               .wait_all = w->all,
                                               .timeout_ns = deadline}};
    struct lull_error *err =
        lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_WAIT_FENCES, &arg,
                      "%s of %zu submissions", w->all ? "all" : "any", w->n);
    free(fences);
    if (err == NULL) {
        *ret_done = arg.out.status != 0;
        if (ret_first != NULL) {
            *ret_first = arg.out.first_signaled;
        }
    }
    return err;
}

bool lull_amdgpu_is_lost(const struct lull_error *err)
{
    const int e = err != NULL ? lull_error_errno(err) : 0;
    return e == ENODATA || e == ETIME || e == ECANCELED;
}

struct lull_error *lull_amdgpu_fence_to_syncobj(struct lull_kernel *k, int fd,
                                                const struct lull_amdgpu_fence *fence,
                                                uint32_t *ret)
{
    union drm_amdgpu_fence_to_handle arg = {.in = {.fence = {.ctx_id = fence->ctx,
                                                             .ip_type = fence->ip,
                                                             .ring = fence->ring,
                                                             .seq_no = fence->seq},
                                                   .what = AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ}};
    struct lull_error *err =
        lull_drm_call(k, fd, &lull_amdgpu_words, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &arg,
                      "submission %llu of context %u", (unsigned long long)fence->seq, fence->ctx);
    if (err == NULL) {
        *ret = arg.out.handle;
    }
    return err;
}
