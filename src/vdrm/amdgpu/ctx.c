// SPDX-License-Identifier: MIT
// Contexts and buffer lists.
//
// Source: amdgpu_ctx.c, amdgpu_bo_list.c.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/calls.h"
#include "vdrm/amdgpu/ctx.h"
#include "vdrm/core/user.h"

enum {
    MAX_CTXS = 4096,               // AMDGPU_VM_MAX_NUM_CTX
    LIST_MAX_ENTRIES = 128 * 1024, // AMDGPU_BO_LIST_MAX_ENTRIES
};

struct lull_vda_ctx *lull_vda_ctx_lookup(const struct lull_vd_file *f, uint32_t id)
{
    return lull_vd_idr_find(&((const struct lull_vda_file *)f)->ctxs, id);
}

static void entity_free(struct lull_vda_entity *e)
{
    if (e == NULL) {
        return;
    }
    for (unsigned i = 0; i < LULL_VDA_SCHED_JOBS; i++) {
        lull_vd_fence_put(e->fences[i]);
    }
    lull_vd_fence_put(e->last);
    free(e);
}

void lull_vda_ctx_put(struct lull_vda_ctx *ctx)
{
    if (--ctx->refs > 0) {
        return;
    }
    for (unsigned ip = 0; ip < AMDGPU_HW_IP_NUM; ip++) {
        for (unsigned ring = 0; ring < LULL_VDA_RINGS_PER_IP; ring++) {
            entity_free(ctx->entities[ip][ring]);
        }
    }
    free(ctx);
}

int lull_vda_entity_error(const struct lull_vda_entity *e)
{
    return e->last != NULL ? e->last->error : 0;
}

int lull_vda_ctx_entity(struct lull_vda_ctx *ctx, uint32_t ip, uint32_t instance, uint32_t ring,
                        struct lull_vda_entity **ret)
{
    // amdgpu_ctx_num_entities
    static const uint8_t rings[AMDGPU_HW_IP_NUM] = {1, 4, 2, 1, 1, 1, 1, 1, 1, 1};
    if (ip >= AMDGPU_HW_IP_NUM || instance != 0 || ring >= rings[ip]) {
        return -EINVAL;
    }
    struct lull_vda_entity **e = &ctx->entities[ip][ring];
    if (*e == NULL) {
        *e = calloc(1, sizeof **e);
        if (*e == NULL) {
            return -ENOMEM;
        }
        (*e)->sequence = 1;
    }
    *ret = *e;
    return lull_vda_entity_error(*e);
}

int lull_vda_ctx_fence(const struct lull_vda_entity *e, uint64_t seq, struct lull_vd_fence **ret)
{
    if (seq == UINT64_MAX) {
        seq = e->sequence - 1;
    }
    if (seq >= e->sequence) {
        return -EINVAL;
    }
    *ret = NULL;
    if (seq + LULL_VDA_SCHED_JOBS >= e->sequence && e->fences[seq % LULL_VDA_SCHED_JOBS] != NULL) {
        *ret = lull_vd_fence_get(e->fences[seq % LULL_VDA_SCHED_JOBS]);
    }
    return 0;
}

static int ctx_alloc(struct lull_vd_file *f, union drm_amdgpu_ctx *arg)
{
    const int32_t priority = arg->in.priority;
    // amdgpu_ctx_priority_permit(); what is no priority at all counts as normal
    const bool high =
        priority == AMDGPU_CTX_PRIORITY_HIGH || priority == AMDGPU_CTX_PRIORITY_VERY_HIGH;
    if (arg->in.flags != 0) {
        return -EINVAL;
    }
    if (high && !f->master) {
        return -EACCES;
    }
    struct lull_vda_ctx *ctx = calloc(1, sizeof *ctx);
    const uint32_t id = ctx != NULL ? lull_vd_idr_add(&lull_vda_file(f)->ctxs, ctx) : 0;
    if (id == 0 || id >= MAX_CTXS) {
        lull_vd_idr_remove(&lull_vda_file(f)->ctxs, id);
        free(ctx);
        return id == 0 ? -ENOMEM : -ENOSPC;
    }
    *ctx = (struct lull_vda_ctx){
        .refs = 1, .resets = lull_vda(f->d)->resets, .resets_seen = lull_vda(f->d)->resets};
    arg->out.alloc.ctx_id = id;
    return 0;
}

static int ctx_free(struct lull_vd_file *f, uint32_t id)
{
    struct lull_vda_ctx *ctx = lull_vd_idr_remove(&lull_vda_file(f)->ctxs, id);
    if (ctx == NULL) {
        return -EINVAL;
    }
    lull_vda_ctx_put(ctx);
    return 0;
}

// amdgpu_ctx_query(), amdgpu_ctx_query2()
static int ctx_query(struct lull_vd_file *f, union drm_amdgpu_ctx *arg, bool two)
{
    struct lull_vda_ctx *ctx = lull_vda_ctx_lookup(f, arg->in.ctx_id);
    if (ctx == NULL) {
        return -EINVAL;
    }
    arg->out.state.hangs = 0;
    arg->out.state.flags = 0;
    if (two) {
        // Linux says GUILTY only after a reset of the whole GPU; a client that asks wants to know.
        arg->out.state.flags =
            (ctx->resets != lull_vda(f->d)->resets ? AMDGPU_CTX_QUERY2_FLAGS_RESET : 0) |
            (ctx->guilty ? AMDGPU_CTX_QUERY2_FLAGS_GUILTY : 0);
    } else {
        arg->out.state.reset_status = ctx->resets_seen == lull_vda(f->d)->resets
                                          ? AMDGPU_CTX_NO_RESET
                                          : AMDGPU_CTX_UNKNOWN_RESET;
        ctx->resets_seen = lull_vda(f->d)->resets;
    }
    return 0;
}

static int ctx_pstate(struct lull_vd_file *f, union drm_amdgpu_ctx *arg, bool set)
{
    const uint32_t pstate = arg->in.flags & AMDGPU_CTX_STABLE_PSTATE_FLAGS_MASK;
    if (set ? (arg->in.flags != pstate || pstate > AMDGPU_CTX_STABLE_PSTATE_PEAK)
            : arg->in.flags != 0) {
        return -EINVAL;
    }
    if (lull_vda_ctx_lookup(f, arg->in.ctx_id) == NULL) {
        return -EINVAL;
    }
    if (!set) {
        arg->out.pstate.flags = AMDGPU_CTX_STABLE_PSTATE_NONE;
    }
    return 0;
}

// amdgpu_ctx_ioctl()
int lull_vda_ctx(struct lull_vd_file *f, void *p)
{
    union drm_amdgpu_ctx *arg = p;
    switch (arg->in.op) {
    case AMDGPU_CTX_OP_ALLOC_CTX:
        return ctx_alloc(f, arg);
    case AMDGPU_CTX_OP_FREE_CTX:
        return arg->in.flags != 0 ? -EINVAL : ctx_free(f, arg->in.ctx_id);
    case AMDGPU_CTX_OP_QUERY_STATE:
    case AMDGPU_CTX_OP_QUERY_STATE2:
        return arg->in.flags != 0 ? -EINVAL
                                  : ctx_query(f, arg, arg->in.op == AMDGPU_CTX_OP_QUERY_STATE2);
    case AMDGPU_CTX_OP_GET_STABLE_PSTATE:
    case AMDGPU_CTX_OP_SET_STABLE_PSTATE:
        return ctx_pstate(f, arg, arg->in.op == AMDGPU_CTX_OP_SET_STABLE_PSTATE);
    default:
        return -EINVAL;
    }
}

struct lull_vda_list *lull_vda_list_lookup(const struct lull_vd_file *f, uint32_t handle)
{
    return lull_vd_idr_find(&((const struct lull_vda_file *)f)->lists, handle);
}

void lull_vda_list_free(struct lull_vd *d, struct lull_vda_list *list)
{
    if (list == NULL) {
        return;
    }
    for (uint32_t i = 0; i < list->n; i++) {
        lull_vd_bo_put(d, list->bos[i]);
    }
    free(list);
}

int lull_vda_list_new(struct lull_vd_file *f, const struct drm_amdgpu_bo_list_in *in,
                      struct lull_vda_list **ret)
{
    struct drm_amdgpu_bo_list_entry e = {0};
    const size_t part = in->bo_info_size < sizeof e ? in->bo_info_size : sizeof e;
    if (in->bo_number > LIST_MAX_ENTRIES) {
        return -EINVAL;
    }
    struct lull_vda_list *list =
        calloc(1, sizeof *list + in->bo_number * sizeof(struct lull_vd_bo *));
    if (list == NULL) {
        return -ENOMEM;
    }
    int r = 0;
    uint64_t from = in->bo_info_ptr;
    for (uint32_t i = 0; r == 0 && i < in->bo_number; i++, from += in->bo_info_size) {
        e = (struct drm_amdgpu_bo_list_entry){0};
        r = lull_vd_from_user(&e, from, part);
        struct lull_vd_bo *bo = r == 0 ? lull_vd_bo_lookup(f, e.bo_handle) : NULL;
        if (bo != NULL) {
            bo->refs++;
            list->bos[list->n++] = bo;
        } else {
            r = r == 0 ? -ENOENT : r;
        }
    }
    if (r != 0) {
        lull_vda_list_free(f->d, list);
        return r;
    }
    *ret = list;
    return 0;
}

// amdgpu_bo_list_ioctl(): the entries are read even where the operation does not need them.
int lull_vda_bo_list(struct lull_vd_file *f, void *p)
{
    union drm_amdgpu_bo_list *arg = p;
    const uint32_t op = arg->in.operation, handle = arg->in.list_handle;
    struct lull_vda_list *list = NULL;
    if (op > AMDGPU_BO_LIST_OP_UPDATE) {
        return -EINVAL;
    }
    uint32_t result = handle;
    if (op == AMDGPU_BO_LIST_OP_DESTROY) {
        if (arg->in.bo_number > LIST_MAX_ENTRIES) {
            return -EINVAL;
        }
        lull_vda_list_free(f->d, lull_vd_idr_remove(&lull_vda_file(f)->lists, handle));
        result = 0;
    } else {
        const int r = lull_vda_list_new(f, &arg->in, &list);
        if (r != 0) {
            return r;
        }
    }
    if (op == AMDGPU_BO_LIST_OP_UPDATE) {
        struct lull_vda_list *old = lull_vda_list_lookup(f, handle);
        lull_vda_list_free(f->d, old != NULL ? old : list);
        if (old == NULL) {
            return -ENOENT; // idr_replace()
        }
        lull_vda_file(f)->lists.slots[handle - 1] = list;
    } else if (op == AMDGPU_BO_LIST_OP_CREATE) {
        result = lull_vd_idr_add(&lull_vda_file(f)->lists, list);
        if (result == 0) {
            lull_vda_list_free(f->d, list);
            return -ENOMEM;
        }
    }
    *arg = (union drm_amdgpu_bo_list){.out = {.list_handle = result}};
    return 0;
}
