// SPDX-License-Identifier: MIT
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"

enum { MOST_NAMES = 10000, MODE_BITS = 07777 };

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// What is not a file, or has no name to be replaced by, as a deleted file in /proc/self/fd.
static bool is_direct(const struct lull_output *o, const struct stat *st)
{
    struct stat named = {0};
    return !S_ISREG(st->st_mode) || lstat(o->target, &named) != 0 || !same(st, &named);
}

LULL_MUST_USE static struct lull_error *open_direct(struct lull_output *o, const struct stat *st)
{
    struct stat out = {0};
    if (fstat(STDOUT_FILENO, &out) == 0 && same(&out, st)) {
        (void)fflush(stdout); // what it could not write is known when the program ends
        o->fd = STDOUT_FILENO;
        return NULL;
    }
    o->fd = open(o->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return o->fd < 0 ? lull_error_os(errno, "%s", o->path) : NULL;
}

// A process whose only work is to remove o->temp if this one ends without a word: by Ctrl-C, by
// kill -9. In a session of its own, so that it does not end by the same signal.
static void guard(struct lull_output *o)
{
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return; // then nobody does
    }
    char word = 0;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    if (pid == 0) { // only what is allowed beside threads
        (void)setsid();
        close(ends[0]);
        if (send(ends[1], &word, 1, MSG_NOSIGNAL) < 0 || recv(ends[1], &word, 1, 0) <= 0) {
            unlink(o->temp);
        }
        _exit(0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    o->guard = pid > 0 && recv(ends[0], &word, 1, 0) == 1 ? pid : 0;
    o->leash = ends[0];
    if (o->guard == 0) {
        close(ends[0]);
    }
}

static void dismiss(struct lull_output *o)
{
    if (o->guard > 0) {
        (void)send(o->leash, "", 1, MSG_NOSIGNAL);
        close(o->leash);
        (void)waitpid(o->guard, NULL, 0);
        o->guard = 0;
    }
}

// A new file in the folder of the target; its name does not grow with the target's.
LULL_MUST_USE static struct lull_error *open_beside(struct lull_output *o, bool guarded)
{
    const char *slash = strrchr(o->target, '/');
    const int folder = slash != NULL ? (int)(slash + 1 - o->target) : 0;
    for (unsigned i = 0; i < MOST_NAMES; i++) {
        if (asprintf(&o->temp, "%.*s.lull-%ld-%u.tmp", folder, o->target, (long)getpid(), i) < 0) {
            o->temp = NULL;
            return &lull_enomem;
        }
        if (guarded) {
            guard(o);
        }
        o->fd = open(o->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd >= 0) {
            return NULL;
        }
        const int why = errno;
        dismiss(o);
        errno = why;
        free(o->temp);
        o->temp = NULL;
        if (errno != EEXIST) {
            break;
        }
    }
    return lull_error_os(errno, "%s: a new file beside it", o->path);
}

LULL_MUST_USE static struct lull_error *open_path(struct lull_output *o, const char *path,
                                                  bool named)
{
    struct stat st = {0};
    const bool to_stdout = !named && strcmp(path, "-") == 0;
    *o = (struct lull_output){.fd = -1};
    o->path = strdup(to_stdout ? "standard output" : path);
    struct lull_error *err = o->path == NULL ? &lull_enomem : NULL;
    if (err == NULL && to_stdout) {
        (void)fflush(stdout);
        o->fd = STDOUT_FILENO;
        return NULL;
    }
    if (err == NULL && path[0] == '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "'' is not the name of a file");
    }
    err = err != NULL ? err : lull_path_target(path, &o->target);
    if (err != NULL) {
        return err;
    }
    const bool old = stat(path, &st) == 0;
    if (old && S_ISDIR(st.st_mode)) {
        return lull_error_os(EISDIR, "%s", path);
    }
    if (named && ((old && !S_ISREG(st.st_mode)) || strcmp(path, "-") == 0)) {
        return lull_error_new(LULL_ERR_OS, "%s: is not a file", path);
    }
    struct stat out = {0};
    const bool is_out = fstat(STDOUT_FILENO, &out) == 0 && same(&out, &st);
    if (old && !named && (is_out || is_direct(o, &st))) {
        return open_direct(o, &st);
    }
    if (old && access(path, W_OK) != 0) {
        return lull_error_os(errno, "%s", path);
    }
    err = open_beside(o, named);
    if (err == NULL && old) {
        (void)fchown(o->fd, st.st_uid, st.st_gid);
        err = fchmod(o->fd, st.st_mode & MODE_BITS) != 0 ? lull_error_os(errno, "%s", path) : NULL;
    }
    return err;
}

struct lull_error *lull_output_open(struct lull_output *o, const char *path)
{
    return open_path(o, path, false);
}

struct lull_error *lull_output_open_named(struct lull_output *o, const char *path)
{
    return open_path(o, path, true);
}

struct lull_error *lull_output_put(struct lull_output *o, const void *data, size_t size)
{
    const char *bytes = data;
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(o->fd, bytes + done, size - done);
        if (n < 0 && errno != EINTR) {
            return lull_error_os(errno, "%s", o->path);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return NULL;
}

struct lull_error *lull_output_keep(struct lull_output *o)
{
    const int fd = o->fd;
    o->fd = -1;
    if (fd > STDERR_FILENO && close(fd) != 0) {
        return lull_error_os(errno, "%s", o->path);
    }
    if (o->temp != NULL && rename(o->temp, o->target) != 0) {
        return lull_error_os(errno, "%s", o->path);
    }
    free(o->temp);
    o->temp = NULL;
    dismiss(o);
    return NULL;
}

void lull_output_done(struct lull_output *o)
{
    if (o->fd > STDERR_FILENO) {
        close(o->fd);
    }
    if (o->temp != NULL) {
        (void)unlink(o->temp);
    }
    dismiss(o);
    free(o->path);
    free(o->target);
    free(o->temp);
    *o = (struct lull_output){0};
}

struct lull_error *lull_output_write(const char *path, const void *data, size_t size)
{
    struct lull_output o = {0};
    struct lull_error *err = lull_output_open(&o, path);
    err = err != NULL ? err : lull_output_put(&o, data, size);
    err = err != NULL ? err : lull_output_keep(&o);
    lull_output_done(&o);
    return err;
}
