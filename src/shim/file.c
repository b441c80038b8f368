// SPDX-License-Identifier: MIT
// DRM files as files: they are read like pipes in which no event ever comes, and have no place to
// go to. Without this a program would read and write what lies at the start of the GPU's memory.
//
// Source: drm_read(), drm_poll(), amdgpu_driver_kms_fops; vfs_write(), vfs_llseek().
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim/shim.h"

// Wait for an event that does not come: until a signal.
static ssize_t wait_for_event(void)
{
    static ssize_t (*real)(int, void *, size_t);
    uint64_t n = 0;
    LULL_SHIM_REAL(real, "read");
    const int never = eventfd(0, EFD_CLOEXEC);
    const ssize_t r = never >= 0 ? real(never, &n, sizeof n) : -1;
    const int saved = errno;
    if (never >= 0) {
        syscall(SYS_close, never);
    }
    errno = saved;
    return r;
}

static ssize_t transfer(int fd, const struct stat *st, enum lull_wire_op op, const void *buf,
                        size_t size)
{
    struct lull_shim_call c = {.request = {.op = op, .a = (uint64_t)(uintptr_t)buf, .b = size},
                               .fds = {-1, -1}};
    const long r = lull_shim_request(fd, st, &c);
    if (r == -EAGAIN && (syscall(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK) == 0) {
        return wait_for_event();
    }
    if (r < 0) {
        errno = (int)-r;
    }
    return r < 0 ? -1 : (ssize_t)r;
}

ssize_t read(int fd, void *buf, size_t size) LULL_SHIM_EXPORT;
ssize_t read(int fd, void *buf, size_t size)
{
    static ssize_t (*real)(int, void *, size_t);
    struct stat st = {0};
    LULL_SHIM_REAL(real, "read");
    return lull_shim_drm_fd(fd, &st) ? transfer(fd, &st, LULL_WIRE_PREAD, buf, size)
                                     : real(fd, buf, size);
}

ssize_t readv(int fd, const struct iovec *iov, int n) LULL_SHIM_EXPORT;
ssize_t readv(int fd, const struct iovec *iov, int n)
{
    static ssize_t (*real)(int, const struct iovec *, int);
    struct stat st = {0};
    LULL_SHIM_REAL(real, "readv");
    return lull_shim_drm_fd(fd, &st) ? transfer(fd, &st, LULL_WIRE_PREAD, NULL, 0)
                                     : real(fd, iov, n);
}

ssize_t pread(int fd, void *buf, size_t size, off_t offset) LULL_SHIM_EXPORT;
ssize_t pread(int fd, void *buf, size_t size, off_t offset)
{
    static ssize_t (*real)(int, void *, size_t, off_t);
    struct stat st = {0};
    LULL_SHIM_REAL(real, "pread");
    return lull_shim_drm_fd(fd, &st) ? transfer(fd, &st, LULL_WIRE_PREAD, buf, size)
                                     : real(fd, buf, size, offset);
}

ssize_t pread64(int fd, void *buf, size_t size, off64_t offset) LULL_SHIM_EXPORT;
ssize_t pread64(int fd, void *buf, size_t size, off64_t offset)
{
    return pread(fd, buf, size, offset);
}

ssize_t write(int fd, const void *buf, size_t size) LULL_SHIM_EXPORT;
ssize_t write(int fd, const void *buf, size_t size)
{
    static ssize_t (*real)(int, const void *, size_t);
    struct stat st = {0};
    LULL_SHIM_REAL(real, "write");
    return lull_shim_drm_fd(fd, &st) ? transfer(fd, &st, LULL_WIRE_PWRITE, buf, size)
                                     : real(fd, buf, size);
}

ssize_t writev(int fd, const struct iovec *iov, int n) LULL_SHIM_EXPORT;
ssize_t writev(int fd, const struct iovec *iov, int n)
{
    static ssize_t (*real)(int, const struct iovec *, int);
    struct stat st = {0};
    LULL_SHIM_REAL(real, "writev");
    return lull_shim_drm_fd(fd, &st) ? transfer(fd, &st, LULL_WIRE_PWRITE, NULL, 0)
                                     : real(fd, iov, n);
}

ssize_t pwrite(int fd, const void *buf, size_t size, off_t offset) LULL_SHIM_EXPORT;
ssize_t pwrite(int fd, const void *buf, size_t size, off_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);
    struct stat st = {0};
    LULL_SHIM_REAL(real, "pwrite");
    return lull_shim_drm_fd(fd, &st) ? transfer(fd, &st, LULL_WIRE_PWRITE, buf, size)
                                     : real(fd, buf, size, offset);
}

ssize_t pwrite64(int fd, const void *buf, size_t size, off64_t offset) LULL_SHIM_EXPORT;
ssize_t pwrite64(int fd, const void *buf, size_t size, off64_t offset)
{
    return pwrite(fd, buf, size, offset);
}

off_t lseek(int fd, off_t offset, int whence) LULL_SHIM_EXPORT;
off_t lseek(int fd, off_t offset, int whence)
{
    struct stat st = {0};
    if (lull_shim_drm_fd(fd, &st)) {
        errno = ESPIPE;
        return -1;
    }
    return syscall(SYS_lseek, fd, offset, whence);
}

off64_t lseek64(int fd, off64_t offset, int whence) LULL_SHIM_EXPORT;
off64_t lseek64(int fd, off64_t offset, int whence)
{
    return lseek(fd, offset, whence);
}

// The same files without ours: poll() passes over descriptors below 0. @return There was one.
static bool without_ours(const struct pollfd *fds, nfds_t n, struct pollfd *ret)
{
    bool any = false;
    for (nfds_t i = 0; i < n; i++) {
        struct stat st = {0};
        const bool ours = lull_shim_drm_fd(fds[i].fd, &st);
        ret[i] = fds[i];
        ret[i].fd = ours ? -1 : fds[i].fd;
        any = any || ours;
    }
    return any;
}

int poll(struct pollfd *fds, nfds_t n, int timeout) LULL_SHIM_EXPORT;
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    enum { MOST = 256 };
    static int (*real)(struct pollfd *, nfds_t, int);
    struct pollfd others[MOST];
    LULL_SHIM_REAL(real, "poll");
    if (n > MOST || !without_ours(fds, n, others)) {
        return real(fds, n, timeout);
    }
    const int r = real(others, n, timeout);
    for (nfds_t i = 0; r >= 0 && i < n; i++) {
        fds[i].revents = others[i].revents;
    }
    return r;
}

// What -D_FORTIFY_SOURCE makes of these.
ssize_t __read_chk(int fd, void *buf, size_t size, size_t room) LULL_SHIM_EXPORT;
ssize_t __read_chk(int fd, void *buf, size_t size, size_t room)
{
    static ssize_t (*real)(int, void *, size_t, size_t);
    struct stat st = {0};
    LULL_SHIM_REAL(real, "__read_chk");
    return lull_shim_drm_fd(fd, &st) ? read(fd, buf, size) : real(fd, buf, size, room);
}

ssize_t __pread_chk(int fd, void *buf, size_t size, off_t offset, size_t room) LULL_SHIM_EXPORT;
ssize_t __pread_chk(int fd, void *buf, size_t size, off_t offset, size_t room)
{
    static ssize_t (*real)(int, void *, size_t, off_t, size_t);
    struct stat st = {0};
    LULL_SHIM_REAL(real, "__pread_chk");
    return lull_shim_drm_fd(fd, &st) ? read(fd, buf, size) : real(fd, buf, size, offset, room);
}

ssize_t __pread64_chk(int fd, void *buf, size_t size, off64_t offset, size_t room) LULL_SHIM_EXPORT;
ssize_t __pread64_chk(int fd, void *buf, size_t size, off64_t offset, size_t room)
{
    return __pread_chk(fd, buf, size, offset, room);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room) LULL_SHIM_EXPORT;
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
    static int (*real)(struct pollfd *, nfds_t, int, size_t);
    LULL_SHIM_REAL(real, "__poll_chk");
    return n * sizeof *fds > room ? real(fds, n, timeout, room) : poll(fds, n, timeout);
}
