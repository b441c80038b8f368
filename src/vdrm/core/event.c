// SPDX-License-Identifier: MIT
// Telling programs that poll: eventfds that wait for sync objects, and sync files.
//
// Source: drm_syncobj_eventfd_ioctl(), syncobj_eventfd_entry_func(), sync_file_poll().
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "vdrm/core/syncobj.h"
#include "vdrm/core/vd.h"

// eventfd_ctx_fdget(): -EBADF, or -EINVAL for a descriptor of something else.
static int check_eventfd(int fd)
{
    static const char want[] = "anon_inode:[eventfd]";
    char path[32] = "", is[sizeof want] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(path, is, sizeof is);
    if (n < 0) {
        return -EBADF;
    }
    return (size_t)n == sizeof want - 1 && memcmp(is, want, (size_t)n) == 0 ? 0 : -EINVAL;
}

int lull_vd_event_add(struct lull_vd_file *f, void *p)
{
    const struct drm_syncobj_eventfd *arg = p;
    if ((arg->flags & ~DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE) != 0 || arg->pad != 0) {
        return -EINVAL;
    }
    struct lull_vd_syncobj *s = lull_vd_syncobj_lookup(f, arg->handle);
    if (s == NULL) {
        return -ENOENT;
    }
    int r = check_eventfd(arg->fd);
    struct lull_vd_event *e = r == 0 ? calloc(1, sizeof *e) : NULL;
    if (e == NULL) {
        return r != 0 ? r : -ENOMEM;
    }
    *e = (struct lull_vd_event){.next = f->d->events,
                                .file = f,
                                .syncobj = s,
                                .point = arg->point,
                                .available = arg->flags != 0,
                                .fd = fcntl(arg->fd, F_DUPFD_CLOEXEC, 3)};
    if (e->fd < 0) {
        free(e);
        return -EMFILE;
    }
    s->refs++;
    f->d->events = e;
    f->d->changed = true; // it may be so already
    return r;
}

static void event_free(struct lull_vd_event *e)
{
    lull_vd_syncobj_put(e->syncobj);
    close(e->fd);
    free(e);
}

// A full eventfd says already what there is to say; writing to it would wait.
static void event_tell(const struct lull_vd_event *e)
{
    struct pollfd p = {.fd = e->fd, .events = POLLOUT};
    if (poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) != 0) {
        eventfd_write(e->fd, 1);
    }
}

void lull_vd_events_drop(struct lull_vd_file *f)
{
    for (struct lull_vd_event **at = &f->d->events; *at != NULL;) {
        struct lull_vd_event *e = *at;
        if (e->file == f) {
            *at = e->next;
            event_free(e);
        } else {
            at = &e->next;
        }
    }
}

// A byte into a pipe that may have no reader any more, without the signal that this gives.
static void tell_pipe(int fd)
{
    const struct timespec now = {0};
    sigset_t pipe_, pending, before;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before);
    if (write(fd, "", 1) < 0 && errno == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
        sigtimedwait(&pipe_, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void lull_vd_notify(struct lull_vd *d)
{
    for (struct lull_vd_event **at = &d->events; *at != NULL;) {
        struct lull_vd_event *e = *at;
        if (lull_vd_syncobj_reached(e->syncobj, e->point, e->available)) {
            *at = e->next;
            event_tell(e);
            event_free(e);
        } else {
            at = &e->next;
        }
    }
    for (struct lull_vd_file *f = d->files; f != NULL && d->options.isolate; f = f->next) {
        if (f->kind == LULL_VD_SYNC_FILE && !f->told && f->fence != NULL && f->fence->done) {
            f->told = true;
            tell_pipe(f->fd);
        }
    }
}
