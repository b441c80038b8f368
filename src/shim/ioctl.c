// SPDX-License-Identifier: MIT
// ioctl() and mmap() on the GPU's files.
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/shim.h"

enum { DRM_TYPE = 'd', DMA_BUF_TYPE = 'b' };

struct map_how {
    int prot, flags, fd;
    off_t offset;
};

// Descriptors that nobody asked for.
static void drop(struct lull_shim_call *c)
{
    for (int i = 0; i < 2; i++) {
        if (c->fds[i] >= 0) {
            syscall(SYS_close, c->fds[i]);
            c->fds[i] = -1;
        }
    }
}

// The new descriptor's number goes where the program expects it.
static void patch(struct lull_shim_call *c)
{
    void *to = NULL;
    if (c->fds[0] >= 0) {
        memcpy(&to, &c->reply.value, sizeof to);
        memcpy(to, &c->fds[0], sizeof c->fds[0]);
        c->fds[0] = -1;
    }
}

static long follow(int fd, const struct stat *st, struct lull_shim_call *c, long r)
{
    switch (c->reply.action) {
    case LULL_WIRE_MOVED:
        lull_shim_moved(st, &c->reply, c->fds[0]);
        patch(c);
        return r;
    case LULL_WIRE_PATCH:
        patch(c);
        return r;
    case LULL_WIRE_SHARE: {
        const int shared = lull_shim_share(fd, &c->reply);
        return shared != 0 ? shared : r;
    }
    case LULL_WIRE_UNSHARE: {
        lull_shim_unshare(st, &c->reply);
        struct lull_shim_call release = {.request = {.op = LULL_WIRE_RELEASE, .a = c->reply.offset},
                                         .fds = {-1, -1}};
        lull_shim_request(fd, st, &release);
        return r;
    }
    default:
        return r;
    }
}

// The argument and what is around it, in its page, goes along: what it points to is often there.
static void with_argument(struct lull_shim_call *c, uintptr_t arg, size_t size)
{
    enum { PAGE = 4096 };
    if (size == 0 || size > LULL_WIRE_MAX_ARG || arg < PAGE || arg > UINTPTR_MAX - PAGE) {
        return;
    }
    const uintptr_t page = arg & ~(uintptr_t)(PAGE - 1);
    const uintptr_t end = page + PAGE, last = arg + size;
    const uintptr_t from = arg - page > LULL_WIRE_AROUND ? arg - LULL_WIRE_AROUND : page;
    uintptr_t to = last;
    if (last < end) {
        to = end - last > LULL_WIRE_AROUND ? last + LULL_WIRE_AROUND : end;
    }
    c->request.c = from;
    c->ntail = to - from;
    memcpy(&c->tail, &from, sizeof from);
    memcpy(&c->arg, &arg, sizeof arg);
    c->narg = size;
}

static int drm_ioctl(int fd, const struct stat *st, unsigned long request, void *arg)
{
    struct lull_shim_call c = {
        .request = {.op = LULL_WIRE_IOCTL, .a = request, .b = (uint64_t)(uintptr_t)arg},
        .fds = {-1, -1}};
    with_argument(&c, (uintptr_t)arg, _IOC_SIZE(request));
    long r = lull_shim_request(fd, st, &c);
    if (r >= 0) {
        r = follow(fd, st, &c, r);
    }
    drop(&c);
    if (r < 0) {
        errno = (int)-r;
        return -1;
    }
    return (int)r;
}

int ioctl(int fd, unsigned long request, ...) LULL_SHIM_EXPORT;
int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    const unsigned type = _IOC_TYPE(request);
    struct stat st = {0};
    if ((type == DRM_TYPE || type == DMA_BUF_TYPE) && lull_shim_active() &&
        lull_shim_fstat(fd, &st) == 0) {
        bool card = false;
        if (type == DRM_TYPE && lull_shim_is_drm(&st, &card)) {
            lull_shim_drm_used();
            return drm_ioctl(fd, &st, request, arg);
        }
        if (type == DMA_BUF_TYPE && S_ISREG(st.st_mode) &&
            (st.st_mode & LULL_WIRE_MODE_MASK) == LULL_WIRE_MODE_DMABUF) {
            return 0; // DMA_BUF_IOCTL_SYNC and names: memory here is coherent
        }
    }
    // The system call itself: there is nothing in libc's function but this.
    return (int)syscall(SYS_ioctl, fd, request, arg);
}

// A mapping of a DRM file: the driver says whether, and of what; buffers that several processes
// share lie in files of their own.
static void *map_drm(const struct stat *st, void *at, size_t size, const struct map_how *how)
{
    struct lull_shim_call c = {
        .request = {.op = LULL_WIRE_MMAP,
                    .a = (uint64_t)how->offset,
                    .b = size,
                    .c = (uint32_t)how->prot | (uint64_t)(uint32_t)how->flags << 32},
        .fds = {-1, -1}};
    const long r = lull_shim_request(how->fd, st, &c);
    if (r < 0) {
        drop(&c);
        errno = (int)-r;
        return MAP_FAILED;
    }
    const int other = c.fds[0];
    void *p = lull_shim_mmap(at, size, how->prot, how->flags, other >= 0 ? other : how->fd,
                             other >= 0 ? (off_t)c.reply.offset : how->offset);
    const int saved = errno;
    drop(&c);
    errno = saved;
    return p;
}

// A dma-buf is mapped as a whole or in parts, never beyond its end. dma_buf_mmap_internal(),
// ttm_bo_mmap_obj()
static bool dmabuf_refused(const struct stat *st, size_t size, const struct map_how *how)
{
    if (!S_ISREG(st->st_mode) || (st->st_mode & LULL_WIRE_MODE_MASK) != LULL_WIRE_MODE_DMABUF) {
        return false;
    }
    return size > (uint64_t)st->st_size || (uint64_t)how->offset > (uint64_t)st->st_size - size ||
           ((how->flags & MAP_TYPE) == MAP_PRIVATE && how->prot != PROT_NONE);
}

static void *do_mmap(void *at, size_t size, const struct map_how *how)
{
    struct stat st = {0};
    bool card = false;
    if (how->fd >= 0 && (how->flags & MAP_ANONYMOUS) == 0 && lull_shim_active() &&
        lull_shim_fstat(how->fd, &st) == 0) {
        if (lull_shim_is_drm(&st, &card)) {
            return map_drm(&st, at, size, how);
        }
        if (dmabuf_refused(&st, size, how)) {
            errno = EINVAL;
            return MAP_FAILED;
        }
    }
    return lull_shim_mmap(at, size, how->prot, how->flags, how->fd, how->offset);
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset) LULL_SHIM_EXPORT;
void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
    return do_mmap(at, size, &(const struct map_how){prot, flags, fd, offset});
}

void *mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t offset) LULL_SHIM_EXPORT;
void *mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t offset)
{
    return do_mmap(at, size, &(const struct map_how){prot, flags, fd, offset});
}
