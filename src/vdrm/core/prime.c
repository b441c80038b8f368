// SPDX-License-Identifier: MIT
// Buffers that other DRM files see too, through dma-bufs.
//
// Source: drm_prime.c.
#include <errno.h>
#include <fcntl.h>

#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"

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

// drm_prime_handle_to_fd_ioctl()
int lull_vd_prime_export(struct lull_vd_file *f, void *p)
{
    struct drm_prime_handle *arg = p;
    if ((arg->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR)) != 0) {
        return -EINVAL;
    }
    struct lull_vd_bo *bo = lull_vd_bo_lookup(f, arg->handle);
    if (bo == NULL) {
        return -ENOENT;
    }
    if (bo->userptr != 0 || bo->no_export) {
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
int lull_vd_prime_import(struct lull_vd_file *f, void *p)
{
    struct drm_prime_handle *arg = p;
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
