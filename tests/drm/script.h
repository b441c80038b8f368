// SPDX-License-Identifier: MIT
/** @file
 * A kernel that gives canned answers and remembers what it was asked.
 */
#ifndef LULL_TEST_SCRIPT_H
#define LULL_TEST_SCRIPT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drm/core/kernel.h"

enum { SCRIPT_CALLS = 16, SCRIPT_BYTES = 512 };

struct script_call {
    unsigned long request;
    int result;
    const void *out; ///< Copied over the argument, out_size bytes.
    size_t out_size;
};

struct script {
    struct lull_kernel k;
    const struct script_call *calls; ///< Answers to ioctl in order; a NULL or used-up list gives 0.
    size_t ncalls, at;
    unsigned long requests[SCRIPT_CALLS]; ///< What was asked.
    unsigned char args[SCRIPT_CALLS][SCRIPT_BYTES];
    int open_result;    ///< 0: 100, 101, ...
    const char *refuse; ///< open of a path that ends so gives open_result, others work.
    int nopen, nclose;
    char path[128];
    ssize_t io_result;                   ///< 0: all bytes.
    unsigned char io[SCRIPT_BYTES * 16]; ///< What pread gives.
    uint64_t io_offset;
    size_t io_size;
    uint64_t map_offset;
    char map[64];
};

static int script_open(struct lull_kernel *k, const char *path, int flags)
{
    struct script *s = (struct script *)k;
    (void)flags;
    snprintf(s->path, sizeof s->path, "%s", path);
    const size_t n = strlen(path), m = s->refuse != NULL ? strlen(s->refuse) : 0;
    if (s->open_result < 0 && (m == 0 || (n >= m && strcmp(path + n - m, s->refuse) == 0))) {
        return s->open_result;
    }
    return 100 + s->nopen++;
}

static int script_ioctl(struct lull_kernel *k, int fd, unsigned long request, void *arg)
{
    struct script *s = (struct script *)k;
    (void)fd;
    const size_t at = s->at++;
    if (at >= SCRIPT_CALLS) {
        abort();
    }
    s->requests[at] = request;
    memcpy(s->args[at], arg, request >> 16 & 0x3fff);
    if (at >= s->ncalls) {
        return 0;
    }
    if (s->calls[at].out != NULL) {
        memcpy(arg, s->calls[at].out, s->calls[at].out_size);
    }
    return s->calls[at].result;
}

static int script_mmap(struct lull_kernel *k, int fd, size_t size, uint64_t offset, void **ret)
{
    struct script *s = (struct script *)k;
    (void)fd;
    if (size > sizeof s->map) {
        return -EINVAL;
    }
    s->map_offset = offset;
    *ret = s->map;
    return 0;
}

static int script_munmap(struct lull_kernel *k, void *map, size_t size)
{
    (void)k;
    (void)map;
    (void)size;
    return 0;
}

static ssize_t script_pread(struct lull_kernel *k, int fd, void *buf, size_t size, uint64_t offset)
{
    struct script *s = (struct script *)k;
    (void)fd;
    s->io_offset = offset;
    s->io_size = size;
    if (s->io_result < 0) {
        return s->io_result;
    }
    const size_t n = s->io_result != 0 && (size_t)s->io_result < size ? (size_t)s->io_result : size;
    if (n > sizeof s->io) {
        abort();
    }
    memcpy(buf, s->io, n);
    return (ssize_t)n;
}

static ssize_t script_pwrite(struct lull_kernel *k, int fd, const void *buf, size_t size,
                             uint64_t offset)
{
    struct script *s = (struct script *)k;
    (void)fd;
    s->io_offset = offset;
    s->io_size = size;
    if (s->io_result >= 0) {
        memcpy(s->io, buf, size);
    }
    return s->io_result < 0 ? s->io_result : (ssize_t)size;
}

static int script_close(struct lull_kernel *k, int fd)
{
    (void)fd;
    ((struct script *)k)->nclose++;
    return 0;
}

static uint64_t script_now(struct lull_kernel *k)
{
    (void)k;
    return 1000;
}

static inline struct script script_new(const struct script_call *calls, size_t n)
{
    return (struct script){
        .k = {.open = script_open,
              .ioctl = script_ioctl,
              .mmap = script_mmap,
              .munmap = script_munmap,
              .pread = script_pread,
              .pwrite = script_pwrite,
              .close = script_close,
              .now_ns = script_now},
        .calls = calls,
        .ncalls = n,
    };
}

#endif
