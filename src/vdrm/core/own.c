// SPDX-License-Identifier: MIT
// Memory that only one DRM file can reach. The GPU sees all of it in one range: pieces of the
// files' memfds are mapped over it, each at the offset that it has in its memfd.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vdrm/core/driver.h"
#include "vdrm/core/vd.h"
#include "vdrm/core/wire.h"

// A memfd of @p size bytes that nobody can shrink: what is mapped here stays there. @p mode tells
// clients what it is. Opened anew, so that the kernel counts who has it (see server.c).
static int make_memfd(const char *name, uint64_t size, unsigned mode)
{
    const int first = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (first < 0) {
        return -errno;
    }
    char path[32] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", first);
    int r = 0;
    if (ftruncate(first, (off_t)size) != 0 || fchmod(first, mode) != 0 ||
        fcntl(first, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        (r = open(path, O_RDWR | O_CLOEXEC)) < 0) {
        r = -errno;
    }
    close(first);
    return r;
}

static int own_new(const char *name, uint64_t size, unsigned mode, struct lull_vd_own **ret)
{
    struct lull_vd_own *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return -ENOMEM;
    }
    own->refs = 1;
    lull_list_init(&own->userptrs);
    own->fd = make_memfd(name, size, mode);
    if (own->fd < 0) {
        const int r = own->fd;
        free(own);
        return r;
    }
    *ret = own;
    return 0;
}

int lull_vd_own_new(const struct lull_vd *d, bool render, struct lull_vd_own **ret)
{
    const struct lull_vd_region *last = &d->regions[d->nregions - 1];
    return own_new(render ? "lull-renderD128" : "lull-card0", last->offset + last->size,
                   render ? LULL_WIRE_MODE_RENDER : LULL_WIRE_MODE_CARD, ret);
}

void lull_vd_own_put(struct lull_vd_own *own)
{
    if (own != NULL && --own->refs == 0) {
        close(own->fd);
        free(own);
    }
}

uint8_t *lull_vd_bo_mem(const struct lull_vd *d, const struct lull_vd_bo *bo)
{
    const struct lull_vd_region *r = &d->regions[bo->region];
    return r->mem + (bo->phys - r->base);
}

int lull_vd_map_over(const struct lull_vd *d, uint8_t *mem, uint64_t size, int fd, uint64_t offset)
{
    uint8_t *at = mmap(mem, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
                       fd, (off_t)offset);
    if (at == MAP_FAILED) {
        return -errno;
    }
    if (d->driver->mapped != NULL) {
        d->driver->mapped(d, at, size);
    }
    return 0;
}

static int map(const struct lull_vd *d, const struct lull_vd_bo *bo, int fd, uint64_t offset)
{
    return lull_vd_map_over(d, lull_vd_bo_mem(d, bo), bo->size, fd, offset);
}

int lull_vd_own_map(const struct lull_vd *d, const struct lull_vd_bo *bo)
{
    return map(d, bo, bo->own->fd, bo->own_offset);
}

int lull_vd_own_unmap(const struct lull_vd *d, const struct lull_vd_bo *bo)
{
    return map(d, bo, d->memfd, bo->offset);
}

// Write what is in the buffer to its new home.
static int copy_out(const struct lull_vd *d, const struct lull_vd_bo *bo, int fd)
{
    const uint8_t *mem = lull_vd_bo_mem(d, bo);
    for (uint64_t done = 0; done < bo->size;) {
        const ssize_t n = pwrite(fd, mem + done, bo->size - done, (off_t)done);
        if (n <= 0) {
            return n < 0 ? -errno : -EIO;
        }
        done += (uint64_t)n;
    }
    return 0;
}

int lull_vd_own_move(const struct lull_vd *d, struct lull_vd_bo *bo)
{
    struct lull_vd_own *own = NULL;
    int r = own_new("lull-dmabuf", bo->size, LULL_WIRE_MODE_DMABUF, &own);
    if (r == 0) {
        r = copy_out(d, bo, own->fd);
    }
    if (r == 0) {
        r = map(d, bo, own->fd, 0);
    }
    if (r != 0) {
        lull_vd_own_put(own);
        return r;
    }
    fallocate(bo->own->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)bo->own_offset,
              (off_t)bo->size);
    lull_vd_own_put(bo->own);
    bo->own = own;
    bo->own_offset = 0;
    return 0;
}
