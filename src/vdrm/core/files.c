// SPDX-License-Identifier: MIT
// Files by their descriptors.
//
// A file descriptor is a duplicate of the GPU's memfd: a number that belongs to nobody else. With
// options.isolate it is the file's own memfd, or a pipe of which the client gets the reading end:
// files that other processes can hold, and that can be told apart by inode.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"

struct lull_vd_file *lull_vd_file_find(const struct lull_vd *d, int fd)
{
    struct lull_vd_file *f = fd >= 0 ? d->files : NULL;
    while (f != NULL && f->fd != fd) {
        f = f->next;
    }
    return f;
}

struct lull_vd_file *lull_vd_file_of(const struct lull_vd *d, int fd)
{
    struct lull_vd_file *f = lull_vd_file_find(d, fd);
    return f != NULL && f->kind == LULL_VD_ALIAS ? f->alias : f;
}

// What the file's fd is, and the client's end if there is one. @return The fd, or -1.
static int make_fd(const struct lull_vd *d, const struct lull_vd_own *own, int *ret_give)
{
    int ends[2] = {-1, -1};
    if (own != NULL || !d->options.isolate) {
        return fcntl(own != NULL ? own->fd : d->memfd, F_DUPFD_CLOEXEC, 3);
    }
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return -1;
    }
    *ret_give = ends[0];
    return ends[1];
}

// A file of @p size bytes.
static int file_new(struct lull_vd *d, enum lull_vd_kind kind, size_t size,
                    const struct lull_vd_own *own, struct lull_vd_file **ret)
{
    struct lull_vd_file *f = calloc(1, size);
    if (f == NULL) {
        return -ENOMEM;
    }
    f->give = -1;
    f->fd = make_fd(d, own, &f->give);
    if (f->fd < 0) {
        free(f);
        return -EMFILE; // what else can be
    }
    f->d = d;
    f->kind = kind;
    f->fds = 1;
    f->pid = lull_vd_client_pid();
    d->changed = d->changed || kind == LULL_VD_SYNC_FILE; // its fence may be done
    f->next = d->files;
    d->files = f;
    *ret = f;
    return 0;
}

int lull_vd_file_new_own(struct lull_vd *d, enum lull_vd_kind kind, const struct lull_vd_own *own,
                         struct lull_vd_file **ret)
{
    const size_t size = kind == LULL_VD_DRM ? d->driver->file_size : sizeof(struct lull_vd_file);
    return file_new(d, kind, size, own, ret);
}

int lull_vd_file_new(struct lull_vd *d, enum lull_vd_kind kind, int flags,
                     struct lull_vd_file **ret)
{
    const int r = lull_vd_file_new_own(d, kind, NULL, ret);
    if (r == 0) {
        (*ret)->flags = flags;
    }
    return r;
}

int lull_vd_file_new_node(struct lull_vd *d, const struct lull_vd_node *node, int flags,
                          struct lull_vd_file **ret)
{
    const size_t size = node->size != 0 ? node->size : sizeof(struct lull_vd_file);
    const int r = file_new(d, LULL_VD_NODE, size, NULL, ret);
    if (r == 0) {
        (*ret)->flags = flags;
        (*ret)->node = node;
    }
    return r;
}

int lull_vd_file_give(struct lull_vd *d, int fd)
{
    lull_vd_lock(d);
    struct lull_vd_file *f = lull_vd_file_find(d, fd);
    const int give = f != NULL ? f->give : -1;
    if (f != NULL) {
        f->give = -1;
    }
    lull_vd_unlock(d);
    return give;
}

void lull_vd_file_hang_up(struct lull_vd *d, int fd)
{
    lull_vd_lock(d);
    struct lull_vd_file *f = lull_vd_file_find(d, fd);
    if (f != NULL) {
        f->hung_up = true;
        d->changed = true;
    }
    lull_vd_unlock(d);
}
