// SPDX-License-Identifier: MIT
#include "compile/cache_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "compile/run.h"

// Name of the folder, "" where there is to be none; for free(), or NULL.
static char *folder(void)
{
    const char *own = getenv("LULL_CACHE"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    char *ret = NULL;
    int n = 0;
    if (own != NULL && own[0] != '\0') {
        return strdup(strcmp(own, "off") == 0 ? "" : own);
    }
    if (cache != NULL && cache[0] == '/') {
        n = asprintf(&ret, "%s/lull", cache);
    } else if (home != NULL && home[0] == '/') {
        n = asprintf(&ret, "%s/.cache/lull", home);
    } else {
        return strdup("");
    }
    return n < 0 ? NULL : ret;
}

// The folder and the one that it is in. What a home is is not made here.
static bool make(char *path)
{
    char *slash = strrchr(path, '/');
    if (mkdir(path, 0700) == 0 || errno == EEXIST) {
        return true;
    }
    if (errno != ENOENT || slash == NULL || slash == path) {
        return false;
    }
    *slash = '\0';
    const bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
    *slash = '/';
    return ok && (mkdir(path, 0700) == 0 || errno == EEXIST);
}

/** What others could write to is not read: who owns a compiled program owns what it does. */
static bool is_ours(const char *path)
{
    struct stat st = {0};
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool lull_cache_dir_there(void)
{
    lull_cleanup(lull_freep) char *path = folder();
    return path != NULL && path[0] != '\0' && make(path) && is_ours(path);
}

static char *path_of(const char *name)
{
    lull_cleanup(lull_freep) char *dir = folder();
    char *ret = NULL;
    return dir == NULL || asprintf(&ret, "%s/%s", dir, name) < 0 ? NULL : ret;
}

struct lull_error *lull_cache_dir_read(const char *name, uint8_t **ret, size_t *ret_size)
{
    lull_cleanup(lull_freep) char *path = path_of(name);
    if (path == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_run_read(path, ret, ret_size);
    if (err == NULL) {
        (void)utimensat(AT_FDCWD, path, NULL, 0);
    }
    return err;
}

struct file {
    char *name;
    off_t size;
    struct timespec used;
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct file *)a)->used,
                          *y = &((const struct file *)b)->used;
    return x->tv_sec != y->tv_sec ? (x->tv_sec < y->tv_sec ? -1 : 1)
                                  : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/** The files of a folder. @return How many; what there is no memory for is not among them. */
static size_t list(DIR *d, struct file **ret)
{
    size_t n = 0, room = 0;
    for (struct dirent *e = NULL; (e = readdir(d)) != NULL;) {
        struct stat st = {0};
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)) {
            continue;
        }
        if (n == room) {
            room = room != 0 ? 2 * room : 64;
            struct file *more = realloc(*ret, room * sizeof *more);
            if (more == NULL) {
                break;
            }
            *ret = more;
        }
        (*ret)[n] = (struct file){strdup(e->d_name), st.st_size, st.st_mtim};
        n += (*ret)[n].name != NULL;
    }
    return n;
}

static void sweep(const char *dir)
{
    lull_cleanup(lull_freep) struct file *files = NULL;
    DIR *d = opendir(dir);
    if (d == NULL) {
        return;
    }
    const size_t n = list(d, &files);
    size_t left = n;
    off_t bytes = 0;
    if (n != 0) {
        qsort(files, n, sizeof *files, by_use);
    }
    for (size_t i = 0; i < n; i++) {
        bytes += files[i].size;
    }
    for (size_t i = 0; i < n; i++) {
        if (left > LULL_CACHE_MAX_FILES || bytes > LULL_CACHE_MAX_BYTES) {
            unlinkat(dirfd(d), files[i].name, 0);
            left--;
            bytes -= files[i].size;
        }
        free(files[i].name);
    }
    closedir(d);
}

void lull_cache_dir_write(const char *name, const void *bytes, size_t size)
{
    lull_cleanup(lull_freep) char *dir = folder();
    lull_cleanup(lull_freep) char *path = path_of(name);
    char *made = NULL;
    if (dir == NULL || path == NULL || asprintf(&made, "%s.%ld", path, (long)getpid()) < 0) {
        return;
    }
    struct lull_error *err = lull_run_write(made, bytes, size);
    if (err != NULL || rename(made, path) != 0) {
        unlink(made); // a full disk, say: there is no cache then
    }
    lull_error_free(err);
    free(made);
    if (name[0] == '0') {
        sweep(dir);
    }
}
