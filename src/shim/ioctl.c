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

static int drm_ioctl(int fd, const struct stat *st, unsigned long request, void *arg)
{
    struct lull_shim_call c = {
        .request = {.op = LULL_WIRE_IOCTL, .a = request, .b = (uint64_t)(uintptr_t)arg},
        .fds = {-1, -1}};
    const long r = lull_shim_request(fd, st, &c);
    if (r >= 0 && c.reply.action == LULL_WIRE_PATCH && c.fds[0] >= 0) {
        void *to = NULL;
        memcpy(&to, &c.reply.value, sizeof to);
        memcpy(to, &c.fds[0], sizeof c.fds[0]);
        c.fds[0] = -1;
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
