// SPDX-License-Identifier: MIT
/** @file
 * amdgpu's ioctls.
 */
#ifndef LULL_VDRM_AMDGPU_CALLS_H
#define LULL_VDRM_AMDGPU_CALLS_H

struct lull_vd_file;

int lull_vd_gem_create(struct lull_vd_file *f, void *arg);
int lull_vd_gem_mmap(struct lull_vd_file *f, void *arg);
int lull_vd_gem_op(struct lull_vd_file *f, void *arg);
int lull_vd_gem_metadata(struct lull_vd_file *f, void *arg);
int lull_vd_gem_userptr(struct lull_vd_file *f, void *arg);
int lull_vd_gem_va(struct lull_vd_file *f, void *arg);
int lull_vd_gem_wait_idle(struct lull_vd_file *f, void *arg);
int lull_vd_ctx(struct lull_vd_file *f, void *arg);
int lull_vd_bo_list(struct lull_vd_file *f, void *arg);
int lull_vd_cs(struct lull_vd_file *f, void *arg);
int lull_vd_info(struct lull_vd_file *f, void *arg);
int lull_vd_wait_cs(struct lull_vd_file *f, void *arg);
int lull_vd_wait_fences(struct lull_vd_file *f, void *arg);
int lull_vd_fence_to_handle(struct lull_vd_file *f, void *arg);

#endif
