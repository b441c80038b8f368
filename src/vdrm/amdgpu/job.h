// SPDX-License-Identifier: MIT
/** @file
 * Jobs, and the scheduler that puts them on rings.
 */
#ifndef LULL_VDRM_AMDGPU_JOB_H
#define LULL_VDRM_AMDGPU_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/amd/gpu/gpu.h"
#include "vdrm/core/bo.h"
#include "vdrm/core/fence.h"

struct lull_vd;
struct lull_vda;
struct lull_vda_ctx;
struct lull_vda_entity;
struct lull_vd_file;

struct lull_vda_dep {
    struct lull_vd_fence *fence; ///< A reference.
    bool scheduled;              ///< Enough that it is on its ring.
};

struct lull_vda_ib {
    uint64_t va;
    uint32_t ndwords;
};

struct lull_vda_job {
    struct lull_vda_job *next;
    struct lull_vd_file *file;
    struct lull_vda_ctx *ctx;       ///< A reference.
    struct lull_vda_entity *entity; ///< Of ctx.
    enum lull_ring ring;
    struct lull_vd_fence *fence; ///< A reference.
    uint64_t seq;
    struct lull_vd_bo *user_fence; ///< A reference, or NULL.
    uint32_t user_fence_offset;
    struct lull_vda_dep *deps;
    size_t ndeps, deps_room;
    uint32_t gds_base, gds_size; ///< Of the GDS buffer in its list; 0: none.
    unsigned parts;              ///< Jobs of the model not yet finished.
    bool on_ring;
    int error;      ///< That it will end with.
    uint64_t frame; ///< What its process had presented when it was submitted.
    uint64_t gang;  ///< Jobs of one submission to several rings have the same; 0: it is alone.
    size_t nibs;
    struct lull_vda_ib ibs[192]; ///< amdgpu_ring_max_ibs() at most.
};

void lull_vda_job_free(struct lull_vda *d, struct lull_vda_job *job);
bool lull_vda_job_depend(struct lull_vda_job *job, struct lull_vd_fence *fence, bool scheduled);
/** Oldest job on @p ring, or NULL. */
/** Whose job that is. */
struct lull_vda_origin {
    uint32_t pid, file, ctx;
    uint64_t job, frame;
};
/** Of the job with @p cookie; all 0: of a file that is being closed. */
struct lull_vda_origin lull_vda_origin_of(const struct lull_vda *d, uint64_t cookie);
struct lull_vda_job *lull_vda_ring_head(const struct lull_vda *d, enum lull_ring ring);

/** As the kernel calls it: "gfx_0.0.0". */
const char *lull_vda_ring_name(enum lull_ring ring);

/* The scheduler: see struct lull_vd_driver. */

bool lull_vda_advance(struct lull_vd *d);
uint64_t lull_vda_run(struct lull_vd *d, uint64_t cycles);
bool lull_vda_check(struct lull_vd *d);
bool lull_vda_end_stall(struct lull_vd *d);
/** A file is closed: its jobs must be gone. */
void lull_vda_kill_jobs(struct lull_vd_file *f);

#endif
