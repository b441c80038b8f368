// SPDX-License-Identifier: MIT
#include "drm/core/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int real_open(struct lull_kernel *k, const char *path, int flags)
{
    (void)k;
    const int fd = open(path, flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int real_ioctl(struct lull_kernel *k, int fd, unsigned long request, void *arg)
{
    (void)k;
    int r = 0;
    do {
        r = ioctl(fd, request, arg);
    } while (r < 0 && (errno == EINTR || errno == EAGAIN));
    return r < 0 ? -errno : r;
}

static int real_mmap(struct lull_kernel *k, int fd, size_t size, uint64_t offset, void **ret)
{
    (void)k;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    if (map == MAP_FAILED) {
        return -errno;
    }
    *ret = map;
    return 0;
}

static int real_munmap(struct lull_kernel *k, void *map, size_t size)
{
    (void)k;
    return munmap(map, size) < 0 ? -errno : 0;
}

static ssize_t real_pread(struct lull_kernel *k, int fd, void *buf, size_t size, uint64_t offset)
{
    (void)k;
    const ssize_t n = pread(fd, buf, size, (off_t)offset);
    return n < 0 ? -errno : n;
}

static ssize_t real_pwrite(struct lull_kernel *k, int fd, const void *buf, size_t size,
                           uint64_t offset)
{
    (void)k;
    const ssize_t n = pwrite(fd, buf, size, (off_t)offset);
    return n < 0 ? -errno : n;
}

static int real_close(struct lull_kernel *k, int fd)
{
    (void)k;
    return close(fd) < 0 ? -errno : 0;
}

// Is fd number @p fd of process @p pid a DRM render node?
static bool is_render_node(pid_t pid, const char *fd)
{
    char path[288] = "", target[64] = "";
    snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)pid, fd);
    const ssize_t n = readlink(path, target, sizeof target - 1);
    static const char prefix[] = "/dev/dri/renderD";
    return n > 0 && strncmp(target, prefix, sizeof prefix - 1) == 0;
}

static int by_number(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Number of the @p index-th of its fds, by number, that is one; or -errno.
static int find_render_fd(pid_t pid, unsigned index)
{
    enum { MOST = 1024 };
    int fds[MOST] = {0};
    size_t n = 0;
    char path[32] = "";
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    if (dir == NULL) {
        return errno == ENOENT ? -ESRCH : -errno;
    }
    const struct dirent *e = NULL;
    while (n < MOST && (e = readdir(dir)) != NULL) {
        if (e->d_name[0] != '.' && is_render_node(pid, e->d_name)) {
            fds[n++] = (int)strtol(e->d_name, NULL, 10);
        }
    }
    closedir(dir);
    qsort(fds, n, sizeof fds[0], by_number);
    return index < n ? fds[index] : -ENOENT;
}

static int real_adopt(struct lull_kernel *k, pid_t pid, unsigned index)
{
    (void)k;
    const int theirs = find_render_fd(pid, index);
    if (theirs < 0) {
        return theirs;
    }
    const long pidfd = syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0) {
        return -errno;
    }
    const long fd = syscall(SYS_pidfd_getfd, (int)pidfd, theirs, 0);
    const int r = fd < 0 ? -errno : (int)fd;
    close((int)pidfd);
    return r;
}

static uint64_t real_now_ns(struct lull_kernel *k)
{
    (void)k;
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void real_destroy(struct lull_kernel *k)
{
    free(k);
}

struct lull_error *lull_kernel_real(struct lull_kernel **ret)
{
    struct lull_kernel *k = calloc(1, sizeof *k);
    if (k == NULL) {
        return &lull_enomem;
    }
    *k = (struct lull_kernel){
        .open = real_open,
        .ioctl = real_ioctl,
        .mmap = real_mmap,
        .munmap = real_munmap,
        .pread = real_pread,
        .pwrite = real_pwrite,
        .close = real_close,
        .adopt = real_adopt,
        .now_ns = real_now_ns,
        .destroy = real_destroy,
    };
    *ret = k;
    return NULL;
}
