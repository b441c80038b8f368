// SPDX-License-Identifier: MIT
/** @file
 * The host's memory for registers of waves, and for workgroups, kept for the next ones. For
 * src/model/amd/gpu only.
 */
#ifndef LULL_MODEL_AMD_GPU_POOL_H
#define LULL_MODEL_AMD_GPU_POOL_H

#include "model/amd/gpu/gpu_impl.h"

/** Memory for VGPRs, aligned to cache lines; NULL: the host has none. */
uint32_t *lull_pool_take(struct lull_gpu_vgprs *v, size_t bytes);
/** @p mem is not used, or was marked. */
void lull_pool_give(struct lull_gpu_vgprs *v, size_t bytes, void *mem);
/** @p mem, of @p bytes, is used no more, and at most its first @p dirty bytes are not 0: all if it
 * is more than there are. */
void lull_pool_mark(void *mem, size_t bytes, size_t dirty);
/** Zeros in @p mem, which was taken or marked, and not used since. */
void lull_pool_zero(void *mem);
/** What was given last; NULL: nothing is there. */
uint32_t *lull_pool_last(struct lull_gpu_vgprs *v, size_t bytes);
/** Zeros, by a function: what compilers make of an initialiser (rep stos) takes longer to start
 * than this takes for some hundred bytes. */
void lull_pool_clear(void *mem, size_t bytes);
/** The same of memcpy() (rep movs). */
void lull_pool_copy(void *to, const void *from, size_t bytes);
void lull_pool_free_vgprs(struct lull_gpu_vgprs *v);
/** A group, all 0 but its LDS, with room for @p lds_bytes; NULL: the host has no memory. */
struct lull_gpu_group *lull_pool_group(struct lull_gpu *g, uint32_t lds_bytes);
void lull_pool_done(struct lull_gpu *g);

#endif
