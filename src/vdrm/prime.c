// SPDX-License-Identifier: MIT
// Buffers that others see too: other DRM files, through dma-bufs, and the client, whose own pages
// they are.
//
// Source: drm_prime.c, amdgpu_dma_buf.c, amdgpu_gem_userptr_ioctl(),
// amdgpu_ttm_tt_get_user_pages().
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "vdrm/vdrm_priv.h"

// A file that other processes can map has to be one that holds this buffer and nothing else.
static int separate(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    struct lull_vd_client *client = lull_vd_client_now();
    if (bo->own == NULL || bo->own != f->own) {
        return 0; // not isolated, or done already
    }
    const int r = lull_vd_own_move(f->d, bo);
    if (r == 0 && client != NULL) {
        client->share = LULL_VD_MOVED;
        client->offset = bo->offset;
        client->size = bo->size;
    }
    return r;
}

// drm_prime_handle_to_fd_ioctl(), amdgpu_gem_prime_export()
int lull_vd_prime_export(struct lull_vd_file *f, struct drm_prime_handle *arg)
{
    if ((arg->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR)) != 0) {
        return -EINVAL;
    }
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->handle);
    if (bo == NULL) {
        return -ENOENT;
    }
    if (bo->userptr != 0 || (bo->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID) != 0) {
        return -EPERM;
    }
    int r = separate(f, bo);
    struct lull_vd_file *file = NULL;
    if (r == 0) {
        r = lull_vd_file_new_own(f->d, LULL_VD_DMA_BUF, bo->own, &file);
    }
    if (r != 0) {
        return r;
    }
    bo->refs++;
    file->bo = bo;
    arg->fd = file->fd;
    return 0;
}

// drm_prime_fd_to_handle_ioctl(), dma_buf_get()
int lull_vd_prime_import(struct lull_vd_file *f, struct drm_prime_handle *arg)
{
    const struct lull_vd_file *file = lull_vd_file_of(f->d, arg->fd);
    if (file == NULL) {
        return fcntl(arg->fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
    }
    if (file->kind != LULL_VD_DMA_BUF) {
        return -EINVAL;
    }
    uint32_t handle = lull_vd_bo_handle_of(f, file->bo);
    if (handle == 0) {
        handle = lull_vd_bo_handle(f, file->bo);
    }
    arg->handle = handle;
    return handle != 0 ? 0 : -ENOMEM;
}

// A line of /proc/PID/maps.
struct vma {
    uint64_t start, end;
    char prot[5];
    uint64_t inode;
};

static bool vma_read(const char *line, struct vma *ret)
{
    unsigned long long start = 0, end = 0, inode = 0;
    char prot[8] = "";
    if (sscanf(line, "%llx-%llx %7s %*x %*x:%*x %llu", &start, &end, prot, &inode) != 4) {
        return false;
    }
    *ret = (struct vma){.start = start, .end = end, .inode = inode};
    memcpy(ret->prot, prot, sizeof ret->prot - 1);
    return true;
}

static bool overlap(const struct lull_vd_bo *bo, uint64_t start, uint64_t end)
{
    return bo->userptr < end && start < bo->userptr + bo->size;
}

static struct lull_vd_bo *userptr_of(struct lull_list *l)
{
    return lull_container(l, struct lull_vd_bo, userptr_link);
}

// Pages that userptr buffers of this file have taken already: for the client they are still the
// memory that they were, and programs import two halves of a page as two buffers.
static bool taken(const struct lull_vd_file *f, uint64_t start, uint64_t end)
{
    struct lull_list *all = &f->own->userptrs;
    while (start < end) {
        uint64_t next = start;
        for (struct lull_list *l = all->next; l != all; l = l->next) {
            const struct lull_vd_bo *bo = userptr_of(l);
            if (overlap(bo, start, start + 1)) {
                next = bo->userptr + bo->size;
            }
        }
        if (next == start) {
            return false;
        }
        start = next;
    }
    return true;
}

// Let the older buffers see the pages of @p bo that were theirs.
static int retake(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    struct lull_list *all = &f->own->userptrs;
    for (struct lull_list *l = all->next; l != all; l = l->next) {
        struct lull_vd_bo *old = userptr_of(l);
        if (old == bo || !overlap(old, bo->userptr, bo->userptr + bo->size)) {
            continue;
        }
        const uint64_t start = old->userptr > bo->userptr ? old->userptr : bo->userptr;
        const uint64_t old_end = old->userptr + old->size, new_end = bo->userptr + bo->size;
        const uint64_t end = old_end < new_end ? old_end : new_end;
        struct lull_vd_bo **newer =
            realloc(old->newer, (old->nnewer + 1) * sizeof(struct lull_vd_bo *));
        if (newer == NULL) {
            return -ENOMEM;
        }
        old->newer = newer;
        if (mmap(lull_vd_bo_mem(f->d, old) + (start - old->userptr), end - start,
                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, bo->own->fd,
                 (off_t)(bo->own_offset + (start - bo->userptr))) == MAP_FAILED) {
            return -errno;
        }
        old->newer[old->nnewer++] = bo;
        bo->refs++;
    }
    return 0;
}

// Are these pages private memory of no file? What lies in a file, amdgpu refuses with
// AMDGPU_GEM_USERPTR_ANONONLY, and so do we without: no process may shrink what the GPU sees.
static int anonymous(const struct lull_vd_file *f, const struct lull_vd_peer *peer,
                     uint64_t address, uint64_t size, bool readonly)
{
    char path[32] = "";
    snprintf(path, sizeof path, "/proc/%d/maps", (int)peer->pid);
    lull_cleanup(lull_fclosep) FILE *maps = fopen(path, "re");
    lull_cleanup(lull_freep) char *line = NULL;
    size_t room = 0;
    uint64_t at = address;
    while (maps != NULL && at < address + size && getline(&line, &room, maps) > 0) {
        struct vma v = {0};
        if (!vma_read(line, &v) || v.end <= at) {
            continue;
        }
        if (v.start > at || v.prot[0] != 'r' || (v.prot[1] != 'w' && !readonly)) {
            return -EFAULT;
        }
        const uint64_t end = v.end < address + size ? v.end : address + size;
        if ((v.inode != 0 || v.prot[3] != 'p') && !taken(f, at, end)) {
            return -EPERM;
        }
        at = v.end;
    }
    return at < address + size || !lull_vd_peer_there(peer) ? -EFAULT : 0;
}

// A buffer whose memory is to take the place of the client's pages. In this process that cannot be:
// it has no shim.
static int userptr_new(struct lull_vd_file *f, struct drm_amdgpu_gem_userptr *arg)
{
    struct lull_vd_client *client = lull_vd_client_now();
    if (client == NULL || f->own == NULL) {
        return -ENODEV; // as a kernel without HMM mirrors
    }
    if (arg->size == 0 || arg->addr + arg->size < arg->addr) {
        return -EINVAL;
    }
    int r = anonymous(f, &client->peer, arg->addr, arg->size,
                      (arg->flags & AMDGPU_GEM_USERPTR_READONLY) != 0);
    struct lull_vd_bo *bo = NULL;
    const struct drm_amdgpu_gem_create_in in = {.bo_size = arg->size,
                                                .domains = AMDGPU_GEM_DOMAIN_GTT};
    if (r == 0) {
        r = lull_vd_bo_new(f, &in, &bo);
    }
    if (r != 0) {
        return r;
    }
    bo->domains = AMDGPU_GEM_DOMAIN_CPU;
    bo->userptr = arg->addr;
    lull_list_add(&f->own->userptrs, &bo->userptr_link);
    arg->handle = lull_vd_bo_handle(f, bo);
    r = arg->handle != 0 ? retake(f, bo) : -ENOMEM;
    lull_vd_bo_put(f->d, bo);
    if (r != 0) {
        if (arg->handle != 0) {
            lull_vd_bo_put(f->d, lull_vd_bo_unhandle(f, arg->handle));
        }
        return r;
    }
    client->share = LULL_VD_SHARE;
    client->address = arg->addr;
    client->size = arg->size;
    client->offset = bo->offset;
    return 0;
}

int lull_vd_gem_userptr(struct lull_vd_file *f, struct drm_amdgpu_gem_userptr *arg)
{
    const uint32_t known = AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_ANONONLY |
                           AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
    if (((arg->addr | arg->size) & (LULL_VD_PAGE - 1)) != 0 || (arg->flags & ~known) != 0) {
        return -EINVAL;
    }
    if ((arg->flags & (AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_REGISTER)) == 0) {
        return -EACCES;
    }
    return userptr_new(f, arg);
}

bool lull_vd_userptr_park(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    struct lull_vd_client *client = lull_vd_client_now();
    if (bo->userptr == 0 || client == NULL) {
        return false;
    }
    struct lull_vd_bo **parked = realloc(f->parked, (f->nparked + 1) * sizeof(struct lull_vd_bo *));
    if (parked == NULL) {
        return false; // the client's pages turn to zeros; there is no better end
    }
    f->parked = parked;
    f->parked[f->nparked++] = bo;
    client->share = LULL_VD_UNSHARE;
    client->address = bo->userptr;
    client->size = bo->size;
    client->offset = bo->offset;
    return true;
}

int lull_vd_userptr_release(struct lull_vd_file *f, uint64_t offset)
{
    for (size_t i = 0; i < f->nparked; i++) {
        if (f->parked[i]->offset == offset) {
            struct lull_vd_bo *bo = f->parked[i];
            f->parked[i] = f->parked[--f->nparked];
            lull_vd_bo_put(f->d, bo);
            return 0;
        }
    }
    return -ENOENT;
}
