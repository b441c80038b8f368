// SPDX-License-Identifier: MIT
/** @file
 * amdgpu's ioctls.
 */
#ifndef LULL_VDRM_AMDGPU_CALLS_H
#define LULL_VDRM_AMDGPU_CALLS_H

struct lull_vd;
struct lull_vd_bo;
struct lull_vd_file;

/** See struct lull_vd_driver. */
void lull_vda_bo_done(struct lull_vd *d, struct lull_vd_bo *bo);

int lull_vda_gem_create(struct lull_vd_file *f, void *arg);
int lull_vda_gem_mmap(struct lull_vd_file *f, void *arg);
int lull_vda_gem_op(struct lull_vd_file *f, void *arg);
int lull_vda_gem_metadata(struct lull_vd_file *f, void *arg);
int lull_vda_gem_userptr(struct lull_vd_file *f, void *arg);
int lull_vda_gem_va(struct lull_vd_file *f, void *arg);
int lull_vda_gem_wait_idle(struct lull_vd_file *f, void *arg);
int lull_vda_ctx(struct lull_vd_file *f, void *arg);
int lull_vda_bo_list(struct lull_vd_file *f, void *arg);
int lull_vda_cs(struct lull_vd_file *f, void *arg);
int lull_vda_info(struct lull_vd_file *f, void *arg);
int lull_vda_wait_cs(struct lull_vd_file *f, void *arg);
int lull_vda_wait_fences(struct lull_vd_file *f, void *arg);
int lull_vda_fence_to_handle(struct lull_vd_file *f, void *arg);
int lull_vda_presented(struct lull_vd_file *f, void *arg);

#endif
