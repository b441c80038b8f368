// SPDX-License-Identifier: MIT
/** @file
 * A kernel to talk to: the system calls that a GPU client makes.
 *
 * The real one passes them on; vdrm answers them from the model GPU; tests
 * give canned answers. All return -errno on failure, as the kernel does.
 */
#ifndef LULL_DRM_CORE_KERNEL_H
#define LULL_DRM_CORE_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct lull_kernel {
    /** @p path: /dev/dri/..., /sys/kernel/debug/dri/N/..., /sys/... @return fd or -errno. */
    int (*open)(struct lull_kernel *k, const char *path, int flags);
    int (*ioctl)(struct lull_kernel *k, int fd, unsigned long request, void *arg);
    /** PROT_READ|PROT_WRITE, MAP_SHARED. @return 0 or -errno. */
    int (*mmap)(struct lull_kernel *k, int fd, size_t size, uint64_t offset, void **ret);
    int (*munmap)(struct lull_kernel *k, void *map, size_t size);
    ssize_t (*pread)(struct lull_kernel *k, int fd, void *buf, size_t size, uint64_t offset);
    ssize_t (*pwrite)(struct lull_kernel *k, int fd, const void *buf, size_t size, uint64_t offset);
    int (*close)(struct lull_kernel *k, int fd);
    /**
     * The @p index-th DRM render file that process @p pid has open, as an fd of ours for the same
     * open file: its buffers, contexts and address space. NULL: not possible.
     *
     * @return fd, -ENOENT if there are not so many, -ESRCH, or another -errno.
     */
    int (*adopt)(struct lull_kernel *k, pid_t pid, unsigned index);
    /** CLOCK_MONOTONIC in ns, by which the kernel's ioctls take absolute timeouts. NULL: the
     * machine's. */
    uint64_t (*now_ns)(struct lull_kernel *k);
    /** Free the kernel; all its fds must be closed. */
    void (*destroy)(struct lull_kernel *k);
};

/** The machine's own kernel. ioctl is retried on EINTR and EAGAIN. */
struct lull_error *lull_kernel_real(struct lull_kernel **ret) LULL_MUST_USE;

#endif
