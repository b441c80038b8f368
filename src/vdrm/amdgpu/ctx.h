// SPDX-License-Identifier: MIT
/** @file
 * Contexts and buffer lists.
 */
#ifndef LULL_VDRM_AMDGPU_CTX_H
#define LULL_VDRM_AMDGPU_CTX_H

#include <stdbool.h>
#include <stdint.h>

#include "uapi/amdgpu.h"
#include "vdrm/core/bo.h"
#include "vdrm/core/fence.h"

enum {
    LULL_VDA_RINGS_PER_IP = 4, ///< amdgpu_ctx_num_entities at most.
    LULL_VDA_SCHED_JOBS = 32,  ///< amdgpu.sched_jobs: fences a context remembers per ring.
};

/** A context's queue for one ring. */
struct lull_vda_entity {
    uint64_t sequence; ///< Of the next submission; from 1.
    struct lull_vd_fence *fences[LULL_VDA_SCHED_JOBS];
    struct lull_vd_fence
        *last; ///< Of the job last scheduled: its error is passed on to later ones.
};

/** drm_sched_entity_error() */
int lull_vda_entity_error(const struct lull_vda_entity *e);

struct lull_vda_ctx {
    unsigned refs;
    bool guilty;                  ///< A job of it hung, or its command processor stopped.
    uint64_t resets, resets_seen; ///< Of the GPU, when it was made and at the last QUERY_STATE.
    struct lull_vda_entity *entities[AMDGPU_HW_IP_NUM][LULL_VDA_RINGS_PER_IP];
};

struct lull_vda_ctx *lull_vda_ctx_lookup(const struct lull_vd_file *f, uint32_t id);
void lull_vda_ctx_put(struct lull_vda_ctx *ctx);
/** amdgpu_ctx_get_entity(): -EINVAL, -ENOMEM, or the error of its last job. */
int lull_vda_ctx_entity(struct lull_vda_ctx *ctx, uint32_t ip, uint32_t instance, uint32_t ring,
                        struct lull_vda_entity **ret);
/** amdgpu_ctx_get_fence(): @p ret is NULL if the job is done long since; else a new reference. */
int lull_vda_ctx_fence(const struct lull_vda_entity *e, uint64_t seq, struct lull_vd_fence **ret);

struct lull_vda_list {
    uint32_t n;
    struct lull_vd_bo *bos[]; ///< References.
};

/** amdgpu_bo_create_list_entry_array() and amdgpu_bo_list_create(). */
int lull_vda_list_new(struct lull_vd_file *f, const struct drm_amdgpu_bo_list_in *in,
                      struct lull_vda_list **ret);
void lull_vda_list_free(struct lull_vd *d, struct lull_vda_list *list);
struct lull_vda_list *lull_vda_list_lookup(const struct lull_vd_file *f, uint32_t handle);

#endif
