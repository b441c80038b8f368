// SPDX-License-Identifier: MIT
/** @file
 * Buffers and their handles; memory that only one DRM file can reach; buffers that others see too.
 */
#ifndef LULL_VDRM_CORE_BO_H
#define LULL_VDRM_CORE_BO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/tree.h"
#include "uapi/drm.h"
#include "vdrm/core/fence.h"
#include "vdrm/core/heap.h"

struct lull_vd;
struct lull_vd_file;
struct lull_vd_client;

enum {
    LULL_VD_PAGE_SHIFT = 12,
    LULL_VD_PAGE = 1 << LULL_VD_PAGE_SHIFT,
};

/** A range of what the GPU has as memory: buffers lie in one, all of the driver's are one memfd. */
struct lull_vd_region {
    uint8_t *mem;             ///< Where the host sees it.
    uint64_t size, base;      ///< Bytes; the address of its first on the GPU's side.
    uint64_t offset;          ///< In the memfd.
    struct lull_vd_heap heap; ///< What of it is free.
};

/** A sparse memfd as large as the GPU's memory; buffers lie where they are in that. */
struct lull_vd_own {
    unsigned refs;
    int fd;
    struct lull_list userptrs; ///< Of struct lull_vd_bo.
};

/** New memory for a DRM file. @return 0 or -errno. */
int lull_vd_own_new(const struct lull_vd *d, bool render, struct lull_vd_own **ret);
void lull_vd_own_put(struct lull_vd_own *own);

/** What every driver's buffer begins with (lull_vd_driver.bo_size). */
struct lull_vd_bo {
    struct lull_tree_node at;      ///< In lull_vd.bos, by offset.
    struct lull_list handles;      ///< Of struct lull_vd_handle: files that have one.
    struct lull_list userptr_link; ///< In lull_vd_own.userptrs, if it is one.
    unsigned refs;
    uint64_t size;           ///< Bytes, a multiple of 4096.
    uint64_t offset;         ///< In the memfd, and so what mmap(2) of the DRM file takes.
    uint64_t phys;           ///< Address on the GPU's side, without page tables.
    unsigned region;         ///< In lull_vd.regions.
    bool no_map;             ///< mmap(2) is refused.
    bool no_export;          ///< So is PRIME.
    struct lull_vd_own *own; ///< What it lies in, a reference; NULL: the GPU's memfd.
    uint64_t own_offset;     ///< Where in that; offset, but for exported buffers.
    uint64_t userptr;        ///< The client's pages that it took the place of; 0: none.
    struct lull_vd_bo *
        *newer; ///< Userptr buffers, references, that took some of these pages again.
    size_t nnewer;
    struct lull_vd_fence_set fences;
};

/** What a file calls a buffer. */
struct lull_vd_handle {
    struct lull_list link; ///< In lull_vd_bo.handles.
    const struct lull_vd_file *file;
    uint32_t number;
};

/**
 * A buffer of zeros, of lull_vd_driver.bo_size bytes: what of them is the driver's is zero too.
 *
 * @param size, alignment In bytes; rounded up to pages.
 * @param regions A bit for each region that will do, the first with room is taken.
 * @return 0, -ENOSPC for no bytes, or -ENOMEM.
 */
int lull_vd_bo_new(struct lull_vd_file *f, uint64_t size, uint64_t alignment, uint32_t regions,
                   struct lull_vd_bo **ret);
void lull_vd_bo_put(struct lull_vd *d, struct lull_vd_bo *bo);
/** Where the host sees it. */
uint8_t *lull_vd_bo_mem(const struct lull_vd *d, const struct lull_vd_bo *bo);
/** The buffer that lies at @p offset, or begins there if @p start; NULL: none. */
struct lull_vd_bo *lull_vd_bo_at(const struct lull_vd *d, uint64_t offset, bool start);

struct lull_vd_bo *lull_vd_bo_lookup(const struct lull_vd_file *f, uint32_t handle);
/** A handle for @p bo, of which it takes a reference; 0: no memory. */
uint32_t lull_vd_bo_handle(struct lull_vd_file *f, struct lull_vd_bo *bo);
/** The same for a buffer that its caller has just made: its reference goes over. @return 0 or
 * -ENOMEM, and then the buffer is gone. */
int lull_vd_bo_publish(struct lull_vd_file *f, struct lull_vd_bo *bo, uint32_t *ret);
/** The handle is no more; the reference it had is the caller's. NULL: there is none. */
struct lull_vd_bo *lull_vd_bo_unhandle(struct lull_vd_file *f, uint32_t handle);
/** The same for any handle of the file, the greatest first. */
struct lull_vd_bo *lull_vd_bo_unhandle_any(struct lull_vd_file *f);
/** Has the file a handle for it? 0: no. */
uint32_t lull_vd_bo_handle_of(const struct lull_vd_file *f, const struct lull_vd_bo *bo);

/**
 * Give @p bo a memfd of its own, with what is in it, for another process.
 *
 * @return 0 or -errno.
 */
int lull_vd_own_move(const struct lull_vd *d, struct lull_vd_bo *bo);
/** Put @p size bytes of @p fd at @p offset under the GPU's at @p mem, in a region. @return 0 or
 * -errno. */
int lull_vd_map_over(const struct lull_vd *d, uint8_t *mem, uint64_t size, int fd, uint64_t offset);
/** Put @p bo's memory under the GPU's addresses, or the GPU's own back. @return 0 or -errno. */
int lull_vd_own_map(const struct lull_vd *d, const struct lull_vd_bo *bo);
int lull_vd_own_unmap(const struct lull_vd *d, const struct lull_vd_bo *bo);

int lull_vd_prime_export(struct lull_vd_file *f, void *arg);
int lull_vd_prime_import(struct lull_vd_file *f, void *arg);

/** Pages of the client's that a buffer is to take the place of. */
struct lull_vd_pages {
    uint64_t address, size; ///< Bytes, multiples of pages.
    bool readonly;          ///< The GPU will not write them.
};

/**
 * May the client's pages be shared with the GPU? In this process they cannot: it has no shim.
 *
 * @return 0, -ENODEV, or -EINVAL, -EFAULT, -EPERM of the pages.
 */
int lull_vd_userptr_check(const struct lull_vd_file *f, const struct lull_vd_pages *pages);
/**
 * A handle for @p bo, which takes the place of pages that were checked; the caller's reference
 * goes over.
 *
 * @return 0 or -errno, and then the buffer is gone.
 */
int lull_vd_userptr_publish(struct lull_vd_file *f, struct lull_vd_bo *bo, uint64_t address,
                            uint32_t *ret);
/** A handle for a userptr buffer is gone: its memory stays until the client has copied it back.
 * @return False: it is no such buffer. */
bool lull_vd_userptr_park(struct lull_vd_file *f, struct lull_vd_bo *bo);
/** The client has: 0 or -ENOENT. */
int lull_vd_userptr_release(struct lull_vd_file *f, uint64_t offset);

#endif
