// SPDX-License-Identifier: MIT
// Calls that take a path or tell of a file: the same calls on the place where it really is.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "shim/shim.h"

FILE *fopen(const char *path, const char *mode) LULL_SHIM_EXPORT;
FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*real)(const char *, const char *);
    char buf[PATH_MAX];
    LULL_SHIM_REAL(real, "fopen");
    return real(lull_shim_place(path, buf), mode);
}

FILE *fopen64(const char *path, const char *mode) LULL_SHIM_EXPORT;
FILE *fopen64(const char *path, const char *mode)
{
    static FILE *(*real)(const char *, const char *);
    char buf[PATH_MAX];
    LULL_SHIM_REAL(real, "fopen64");
    return real(lull_shim_place(path, buf), mode);
}

DIR *opendir(const char *path) LULL_SHIM_EXPORT;
DIR *opendir(const char *path)
{
    static DIR *(*real)(const char *);
    char buf[PATH_MAX];
    LULL_SHIM_REAL(real, "opendir");
    return real(lull_shim_place(path, buf));
}

typedef int scandir_filter(const struct dirent *);
typedef int scandir_order(const struct dirent **, const struct dirent **);

int scandir(const char *path, struct dirent ***ret, scandir_filter *filter,
            scandir_order *order) LULL_SHIM_EXPORT;
int scandir(const char *path, struct dirent ***ret, scandir_filter *filter, scandir_order *order)
{
    static int (*real)(const char *, struct dirent ***, scandir_filter *, scandir_order *);
    char buf[PATH_MAX];
    LULL_SHIM_REAL(real, "scandir");
    return real(lull_shim_place(path, buf), ret, filter, order);
}

typedef int scandir64_filter(const struct dirent64 *);
typedef int scandir64_order(const struct dirent64 **, const struct dirent64 **);

int scandir64(const char *path, struct dirent64 ***ret, scandir64_filter *filter,
              scandir64_order *order) LULL_SHIM_EXPORT;
int scandir64(const char *path, struct dirent64 ***ret, scandir64_filter *filter,
              scandir64_order *order)
{
    static int (*real)(const char *, struct dirent64 ***, scandir64_filter *, scandir64_order *);
    char buf[PATH_MAX];
    LULL_SHIM_REAL(real, "scandir64");
    return real(lull_shim_place(path, buf), ret, filter, order);
}

int access(const char *path, int mode) LULL_SHIM_EXPORT;
int access(const char *path, int mode)
{
    static int (*real)(const char *, int);
    char buf[PATH_MAX];
    LULL_SHIM_REAL(real, "access");
    return real(lull_shim_place(path, buf), mode);
}

int faccessat(int dir, const char *path, int mode, int flags) LULL_SHIM_EXPORT;
int faccessat(int dir, const char *path, int mode, int flags)
{
    static int (*real)(int, const char *, int, int);
    char buf[PATH_MAX];
    LULL_SHIM_REAL(real, "faccessat");
    return real(dir, lull_shim_place(path, buf), mode, flags);
}

ssize_t getxattr(const char *path, const char *name, void *value, size_t size) LULL_SHIM_EXPORT;
ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
    char buf[PATH_MAX];
    return syscall(SYS_getxattr, lull_shim_place(path, buf), name, value, size);
}

ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size) LULL_SHIM_EXPORT;
ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
    char buf[PATH_MAX];
    return syscall(SYS_lgetxattr, lull_shim_place(path, buf), name, value, size);
}

int glob(const char *pattern, int flags, int (*error)(const char *, int),
         glob_t *ret) LULL_SHIM_EXPORT;
int glob(const char *pattern, int flags, int (*error)(const char *, int), glob_t *ret)
{
    static int (*real)(const char *, int, int (*)(const char *, int), glob_t *);
    char buf[PATH_MAX];
    LULL_SHIM_REAL(real, "glob");
    const char *to = lull_shim_place(pattern, buf);
    const int r = real(to, flags, error, ret);
    for (size_t i = 0; r == 0 && to != pattern && i < ret->gl_pathc; i++) {
        char *found = ret->gl_pathv[ret->gl_offs + i];
        lull_shim_unplace(found, strlen(found) + 1);
    }
    return r;
}

// The same structure on this machine, as is that of scandir64().
int glob64(const char *pattern, int flags, int (*error)(const char *, int),
           glob64_t *ret) LULL_SHIM_EXPORT;
int glob64(const char *pattern, int flags, int (*error)(const char *, int), glob64_t *ret)
{
    return glob(pattern, flags, error, (glob_t *)(void *)ret);
}

// /proc/self/fd/N of a DRM file says "/memfd:lull-renderD128 (deleted)".
static size_t fix_link(char *link, size_t n)
{
    static const struct {
        const char *is, *says;
    } names[] = {
        {"/memfd:lull-renderD128", "/dev/dri/renderD128"},
        {"/memfd:lull-card0", "/dev/dri/card0"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t is = strlen(names[i].is), says = strlen(names[i].says);
        if (n >= is && memcmp(link, names[i].is, is) == 0) {
            memcpy(link, names[i].says, says);
            return says;
        }
    }
    return lull_shim_unplace(link, n);
}

static ssize_t link_at(int dir, const char *path, char *to, size_t size)
{
    char buf[PATH_MAX], link[PATH_MAX];
    if (!lull_shim_active()) {
        return syscall(SYS_readlinkat, dir, path, to, size);
    }
    const long n = syscall(SYS_readlinkat, dir, lull_shim_place(path, buf), link, sizeof link);
    if (n < 0 || size > SSIZE_MAX || size == 0) { // its error, or that of the size
        return n < 0 ? n : syscall(SYS_readlinkat, dir, path, to, size);
    }
    const size_t now = fix_link(link, (size_t)n), part = now < size ? now : size;
    memcpy(to, link, part);
    return (ssize_t)part;
}

ssize_t readlink(const char *path, char *to, size_t size) LULL_SHIM_EXPORT;
ssize_t readlink(const char *path, char *to, size_t size)
{
    return link_at(AT_FDCWD, path, to, size);
}

ssize_t readlinkat(int dir, const char *path, char *to, size_t size) LULL_SHIM_EXPORT;
ssize_t readlinkat(int dir, const char *path, char *to, size_t size)
{
    return link_at(dir, path, to, size);
}

// What -D_FORTIFY_SOURCE makes of it.
ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room) LULL_SHIM_EXPORT;
ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room)
{
    if (size > room) {
        abort();
    }
    return readlink(path, to, size);
}

char *realpath(const char *path, char *to) LULL_SHIM_EXPORT;
char *realpath(const char *path, char *to)
{
    static char *(*real)(const char *, char *);
    char buf[PATH_MAX];
    LULL_SHIM_REAL(real, "realpath");
    char *p = real(lull_shim_place(path, buf), to);
    if (p != NULL && lull_shim_active()) {
        lull_shim_unplace(p, strlen(p) + 1);
    }
    return p;
}

char *__realpath_chk(const char *path, char *to, size_t room) LULL_SHIM_EXPORT;
char *__realpath_chk(const char *path, char *to, size_t room)
{
    if (room < PATH_MAX) {
        abort();
    }
    return realpath(path, to);
}

char *canonicalize_file_name(const char *path) LULL_SHIM_EXPORT;
char *canonicalize_file_name(const char *path)
{
    return realpath(path, NULL);
}

static int stat_at(int dir, const char *path, struct stat *st, int flags)
{
    char buf[PATH_MAX];
    const long r = syscall(SYS_newfstatat, dir, lull_shim_place(path, buf), st, flags);
    if (r == 0 && lull_shim_active()) {
        lull_shim_fix(st);
    }
    return (int)r;
}

// On this machine struct stat and struct stat64 are the same.
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "32-bit machine");

static int stat_at64(int dir, const char *path, struct stat64 *st, int flags)
{
    return stat_at(dir, path, (struct stat *)(void *)st, flags);
}

int stat(const char *path, struct stat *st) LULL_SHIM_EXPORT;
int stat(const char *path, struct stat *st)
{
    return stat_at(AT_FDCWD, path, st, 0);
}

int stat64(const char *path, struct stat64 *st) LULL_SHIM_EXPORT;
int stat64(const char *path, struct stat64 *st)
{
    return stat_at64(AT_FDCWD, path, st, 0);
}

int lstat(const char *path, struct stat *st) LULL_SHIM_EXPORT;
int lstat(const char *path, struct stat *st)
{
    return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int lstat64(const char *path, struct stat64 *st) LULL_SHIM_EXPORT;
int lstat64(const char *path, struct stat64 *st)
{
    return stat_at64(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *st) LULL_SHIM_EXPORT;
int fstat(int fd, struct stat *st)
{
    const long r = syscall(SYS_fstat, fd, st);
    if (r == 0 && lull_shim_active()) {
        lull_shim_fix(st);
    }
    return (int)r;
}

int fstat64(int fd, struct stat64 *st) LULL_SHIM_EXPORT;
int fstat64(int fd, struct stat64 *st)
{
    return fstat(fd, (struct stat *)(void *)st);
}

int fstatat(int dir, const char *path, struct stat *st, int flags) LULL_SHIM_EXPORT;
int fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return stat_at(dir, path, st, flags);
}

int fstatat64(int dir, const char *path, struct stat64 *st, int flags) LULL_SHIM_EXPORT;
int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
    return stat_at64(dir, path, st, flags);
}

int statx(int dir, const char *path, int flags, unsigned mask, struct statx *st) LULL_SHIM_EXPORT;
int statx(int dir, const char *path, int flags, unsigned mask, struct statx *st)
{
    char buf[PATH_MAX];
    const long r = syscall(SYS_statx, dir, lull_shim_place(path, buf), flags, mask, st);
    struct stat s = {.st_mode = r == 0 ? st->stx_mode : 0};
    bool card = false;
    if (r == 0 && lull_shim_active() && lull_shim_is_drm(&s, &card)) {
        lull_shim_fix(&s);
        st->stx_mode = (uint16_t)s.st_mode;
        st->stx_rdev_major = major(s.st_rdev);
        st->stx_rdev_minor = minor(s.st_rdev);
        st->stx_size = 0;
        st->stx_blocks = 0;
    }
    return (int)r;
}

// Names that programs built before glibc 2.33 call.
int __xstat(int version, const char *path, struct stat *st) LULL_SHIM_EXPORT;
int __xstat(int version, const char *path, struct stat *st)
{
    (void)version;
    return stat(path, st);
}

int __xstat64(int version, const char *path, struct stat64 *st) LULL_SHIM_EXPORT;
int __xstat64(int version, const char *path, struct stat64 *st)
{
    (void)version;
    return stat64(path, st);
}

int __lxstat(int version, const char *path, struct stat *st) LULL_SHIM_EXPORT;
int __lxstat(int version, const char *path, struct stat *st)
{
    (void)version;
    return lstat(path, st);
}

int __lxstat64(int version, const char *path, struct stat64 *st) LULL_SHIM_EXPORT;
int __lxstat64(int version, const char *path, struct stat64 *st)
{
    (void)version;
    return lstat64(path, st);
}

int __fxstat(int version, int fd, struct stat *st) LULL_SHIM_EXPORT;
int __fxstat(int version, int fd, struct stat *st)
{
    (void)version;
    return fstat(fd, st);
}

int __fxstat64(int version, int fd, struct stat64 *st) LULL_SHIM_EXPORT;
int __fxstat64(int version, int fd, struct stat64 *st)
{
    (void)version;
    return fstat64(fd, st);
}
