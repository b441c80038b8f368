// SPDX-License-Identifier: MIT
// Opening: nodes of ours come from the driver, everything else from where it is.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/shim.h"

static bool ends(const char *path, const char *with)
{
    const size_t n = strlen(path), m = strlen(with);
    return n >= m && strcmp(path + n - m, with) == 0;
}

// Open a node of ours through the driver. @return False: it is not one.
static bool open_node(int dir, const char *path, int flags, int *ret)
{
    if (path == NULL || !(ends(path, "renderD128") || ends(path, "card0")) ||
        (flags & (O_PATH | O_DIRECTORY)) != 0) {
        return false;
    }
    struct stat st = {0};
    bool card = false;
    const int saved = errno;
    const int fd = (int)syscall(SYS_openat, dir, path, O_PATH | O_CLOEXEC, 0);
    if (fd >= 0) {
        lull_shim_fstat(fd, &st);
        syscall(SYS_close, fd);
    }
    errno = saved;
    if (fd < 0 || (st.st_mode & LULL_WIRE_MODE_PLACE) == 0 || !lull_shim_is_drm(&st, &card)) {
        return false;
    }
    const char *name = card ? "/dev/dri/card0" : "/dev/dri/renderD128";
    struct lull_shim_call c = {.request = {.op = LULL_WIRE_OPEN, .a = (uint64_t)(unsigned)flags},
                               .tail = name,
                               .ntail = strlen(name),
                               .send_fd = -1};
    int r = lull_shim_exchange(&c);
    r = r == 0 ? (int)c.reply.result : r;
    *ret = r < 0 ? -1 : c.fds[0];
    if (r < 0) {
        errno = -r;
        return true;
    }
    if ((flags & O_CLOEXEC) == 0) {
        syscall(SYS_fcntl, *ret, F_SETFD, 0);
    }
    if ((flags & O_NONBLOCK) != 0) {
        syscall(SYS_fcntl, *ret, F_SETFL, O_RDWR | O_NONBLOCK);
    }
    lull_shim_drm_used();
    return true;
}

static int do_open(int dir, const char *path, int flags, mode_t mode)
{
    char buf[PATH_MAX];
    int fd = -1;
    const char *to = lull_shim_place(path, buf);
    if (lull_shim_active() && open_node(dir, to, flags, &fd)) {
        return fd;
    }
    static int (*real)(int, const char *, int, ...);
    LULL_SHIM_REAL(real, "openat64");
    return real(dir, to, flags, mode);
}

/** The mode that stands behind the flags, if they say that there is one. */
static mode_t mode_of(int flags, va_list args)
{
    const bool has = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return has ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...) LULL_SHIM_EXPORT;
int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    return do_open(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) LULL_SHIM_EXPORT;
int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    return do_open(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...) LULL_SHIM_EXPORT;
int openat(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    return do_open(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...) LULL_SHIM_EXPORT;
int openat64(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    return do_open(dir, path, flags, mode);
}

// What -D_FORTIFY_SOURCE makes of open() without a mode.
int __open_2(const char *path, int flags) LULL_SHIM_EXPORT;
int __open_2(const char *path, int flags)
{
    return do_open(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags) LULL_SHIM_EXPORT;
int __open64_2(const char *path, int flags)
{
    return do_open(AT_FDCWD, path, flags, 0);
}

int __openat_2(int dir, const char *path, int flags) LULL_SHIM_EXPORT;
int __openat_2(int dir, const char *path, int flags)
{
    return do_open(dir, path, flags, 0);
}

int __openat64_2(int dir, const char *path, int flags) LULL_SHIM_EXPORT;
int __openat64_2(int dir, const char *path, int flags)
{
    return do_open(dir, path, flags, 0);
}
