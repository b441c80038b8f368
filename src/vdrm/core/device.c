// SPDX-License-Identifier: MIT
// The device's files and what a kernel does with them; how it begins and ends.
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vdrm/core/crumbs.h"
#include "vdrm/core/syncobj.h"
#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"
#include "vdrm/core/wait.h"

enum {
    DEFAULT_POLL = 100, // cycles: 1 us
    PART = 64,          // things that a closed file drops before others have their turn
};

// A mapping of a buffer into the host's memory.
struct mapping {
    struct lull_tree_node at; // In lull_vd.mmaps, by address.
    void *map;
    size_t size;
    struct lull_vd_bo *bo; // A reference.
};

// One of the things that a DRM file holds goes. @return False: it was the last.
static bool drm_drop(struct lull_vd_file *f)
{
    struct lull_vd *d = f->d;
    void *p = NULL;
    if ((p = lull_vd_idr_remove_any(&f->syncobjs)) != NULL) {
        lull_vd_syncobj_put(p);
    } else if ((p = lull_vd_bo_unhandle_any(f)) != NULL) {
        lull_vd_bo_put(d, p);
    } else if (f->nparked > 0) {
        lull_vd_bo_put(d, f->parked[--f->nparked]);
    } else {
        return false;
    }
    return true;
}

// A part of what a DRM file holds goes. @return There is more.
static bool drm_done_part(struct lull_vd_file *f)
{
    unsigned budget = PART;
    const bool more = !f->d->driver->drop(f, &budget);
    while (!more && budget > 0 && drm_drop(f)) {
        budget--;
    }
    return more || budget == 0;
}

// Nobody finds the file any more; others may have the lock in between.
static void drm_done(struct lull_vd_file *f)
{
    while (drm_done_part(f)) {
        lull_vd_yield(f->d);
    }
    lull_vd_idr_done(&f->syncobjs);
    lull_vd_idr_done(&f->bos);
    free(f->parked);
}

static void unlist(struct lull_vd_file *f)
{
    struct lull_vd_file **at = &f->d->files;
    while (*at != f) {
        at = &(*at)->next;
    }
    *at = f->next;
}

static void file_free(struct lull_vd_file *f)
{
    if (f->kind == LULL_VD_DRM) {
        f->d->driver->close(f);
        lull_vd_events_drop(f);
    }
    unlist(f);
    if (f->kind == LULL_VD_DRM) {
        drm_done(f);
    }
    if (f->kind == LULL_VD_NODE && f->node->close != NULL) {
        f->node->close(f);
    }
    lull_vd_syncobj_put(f->syncobj);
    lull_vd_fence_put(f->fence);
    if (f->bo != NULL) {
        lull_vd_bo_put(f->d, f->bo);
    }
    lull_str_free(&f->text);
    lull_vd_own_put(f->own);
    if (f->give >= 0) {
        close(f->give);
    }
    if (f->fd >= 0) {
        close(f->fd);
    }
    free(f);
}

// Calls in which others may come keep their file.
static struct lull_vd_file *pin(struct lull_vd *d, int fd)
{
    struct lull_vd_file *f = lull_vd_file_of(d, fd);
    if (f != NULL) {
        f->pins++;
    }
    return f;
}

static void unpin(struct lull_vd_file *f)
{
    if (--f->pins == 0 && f->fds == 0) {
        file_free(f);
    }
}

// One fd less; the last one's end ends the waits of its calls.
static void fd_put(struct lull_vd_file *f)
{
    if (--f->fds == 0) {
        f->d->changed = true;
        f->pins++;
        unpin(f);
    }
}

static int open_drm(struct lull_vd *d, bool render, int flags, struct lull_vd_file **ret)
{
    struct lull_vd_own *own = NULL;
    int r = d->options.isolate ? lull_vd_own_new(d, render, &own) : 0;
    if (r == 0) {
        r = lull_vd_file_new_own(d, LULL_VD_DRM, own, ret);
    }
    if (r != 0) {
        lull_vd_own_put(own);
        return r;
    }
    struct lull_vd_file *f = *ret;
    f->own = own;
    f->flags = flags;
    f->id = ++d->next_file_id;
    f->render = render;
    f->master = !render; // drm_master_open(): the first becomes it
    for (const struct lull_vd_file *o = d->files; o != NULL; o = o->next) {
        f->master = f->master && (o == f || !o->master);
    }
    f->authenticated = f->master;
    r = d->driver->open(f);
    if (r != 0) {
        file_free(f);
    }
    return r;
}

static const char *after(const char *path, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncmp(path, prefix, n) == 0 ? path + n : NULL;
}

// A file that says what it says now.
static int open_text(struct lull_vd *d, struct lull_str text, int flags, struct lull_vd_file **ret)
{
    const int r = text.err != NULL ? -ENOMEM : lull_vd_file_new(d, LULL_VD_TEXT, flags, ret);
    if (r != 0) {
        lull_str_free(&text);
        return r;
    }
    (*ret)->text = text;
    return 0;
}

// Debugfs has a folder for each minor, and one by the device's name.
static const char *debugfs_name(const struct lull_vd *d, const char *path)
{
    const char *name = after(path, "0/");
    name = name != NULL ? name : after(path, "128/");
    if (name == NULL && after(path, d->driver->device) != NULL) {
        name = after(after(path, d->driver->device), "/");
    }
    return name;
}

static int open_node(struct lull_vd *d, const struct lull_vd_node *node, const char *path,
                     int flags, struct lull_vd_file **ret)
{
    if (node->text != NULL) {
        struct lull_str text = {0};
        node->text(d, &text);
        return open_text(d, text, flags, ret);
    }
    int r = lull_vd_file_new_node(d, node, flags, ret);
    if (r == 0 && node->open != NULL && (r = node->open(*ret, path)) != 0) {
        (*ret)->kind = LULL_VD_TEXT; // it was never open
        file_free(*ret);
    }
    return r;
}

// The driver's file, in debugfs by its name there, else by its path.
static const struct lull_vd_node *node_of(const struct lull_vd *d, const char *path)
{
    const char *debugfs = after(path, "/sys/kernel/debug/dri/");
    const char *name = debugfs != NULL ? debugfs_name(d, debugfs) : path;
    for (size_t i = 0; name != NULL && i < d->driver->nnodes; i++) {
        const struct lull_vd_node *node = &d->driver->nodes[i];
        if (fnmatch(node->name, name, FNM_PATHNAME) == 0) {
            return node;
        }
    }
    return NULL;
}

static int open_sysfs(struct lull_vd *d, const char *path, int flags, struct lull_vd_file **ret)
{
    struct lull_str text = {0};
    int r = lull_vd_sysfs(d, path, &text);
    if (r == 0 && (flags & O_ACCMODE) != O_RDONLY) {
        r = -EACCES;
    }
    if (r != 0) {
        lull_str_free(&text);
        return r;
    }
    return open_text(d, text, flags, ret);
}

static int open_file(struct lull_vd *d, const char *path, int flags)
{
    struct lull_vd_file *f = NULL;
    const struct lull_vd_node *node = node_of(d, path);
    int r = 0;
    if (strcmp(path, "/dev/dri/renderD128") == 0 || strcmp(path, "/dev/dri/card0") == 0) {
        r = open_drm(d, path[9] == 'r', flags, &f);
    } else if (strcmp(path, "/dev/kmsg") == 0) {
        r = lull_vd_file_new(d, LULL_VD_KMSG, flags, &f);
    } else if (node != NULL) {
        r = open_node(d, node, path, flags, &f);
    } else {
        r = open_sysfs(d, path, flags, &f);
    }
    return r != 0 ? r : f->fd;
}

static int vd_open(struct lull_kernel *k, const char *path, int flags)
{
    struct lull_vd *d = lull_vd_of(k);
    lull_vd_lock(d);
    const int r = open_file(d, path, flags);
    lull_vd_unlock(d);
    return r;
}

static int close_file(struct lull_vd *d, int fd)
{
    struct lull_vd_file *f = lull_vd_file_find(d, fd);
    if (f == NULL) {
        return -EBADF;
    }
    if (f->kind == LULL_VD_ALIAS) {
        struct lull_vd_file *of = f->alias;
        file_free(f);
        fd_put(of);
        return 0;
    }
    close(f->fd);
    f->fd = -1;
    fd_put(f);
    return 0;
}

static int vd_close(struct lull_kernel *k, int fd)
{
    struct lull_vd *d = lull_vd_of(k);
    lull_vd_lock(d);
    const int r = close_file(d, fd);
    lull_vd_unlock(d);
    return r;
}

// The fds by which a file is known count as one.
static int adopt(struct lull_vd *d, pid_t pid, unsigned index)
{
    struct lull_vd_file *f = NULL;
    for (struct lull_vd_file *o = d->files; o != NULL; o = o->next) { // the newest first
        if (o->kind == LULL_VD_DRM && o->render && o->fds > 0 && o->pid == pid) {
            unsigned older = 0;
            for (const struct lull_vd_file *q = o->next; q != NULL; q = q->next) {
                older += q->kind == LULL_VD_DRM && q->render && q->fds > 0 && q->pid == pid;
            }
            f = older == index ? o : f;
        }
    }
    if (f == NULL) {
        return -ENOENT;
    }
    struct lull_vd_file *alias = NULL;
    const int r = lull_vd_file_new(d, LULL_VD_ALIAS, f->flags, &alias);
    if (r != 0) {
        return r;
    }
    alias->alias = f;
    f->fds++;
    return alias->fd;
}

static int vd_adopt(struct lull_kernel *k, pid_t pid, unsigned index)
{
    struct lull_vd *d = lull_vd_of(k);
    lull_vd_lock(d);
    const int r = adopt(d, pid, index);
    lull_vd_unlock(d);
    return r;
}

static int vd_ioctl(struct lull_kernel *k, int fd, unsigned long request, void *arg)
{
    struct lull_vd *d = lull_vd_of(k);
    int r = -EBADF;
    lull_vd_lock(d);
    struct lull_vd_file *f = pin(d, fd);
    if (f != NULL) {
        const bool before = lull_vd_own_calls_set(d->options.own_calls);
        if (f->kind == LULL_VD_DRM) {
            r = lull_vd_drm_ioctl(f, request, arg);
        } else if (f->kind == LULL_VD_NODE && f->node->ioctl != NULL) {
            r = f->node->ioctl(f, request, lull_vd_ptr(arg));
        } else {
            r = -ENOTTY;
        }
        (void)lull_vd_own_calls_set(before);
        unpin(f);
    }
    lull_vd_unlock(d);
    return r;
}

// What the kernel's mmap() itself asks of a file: do_mmap().
static int mmap_access(const struct lull_vd_file *f, const struct lull_vd_mapping *m)
{
    const int mode = f->flags & O_ACCMODE;
    const bool writes = (m->flags & MAP_TYPE) != MAP_PRIVATE && (m->prot & PROT_WRITE) != 0;
    return mode == O_WRONLY || (writes && mode != O_RDWR) ? -EACCES : 0;
}

// drm_gem_mmap(): the offset must be the very start of a buffer of the caller's.
// ttm_bo_mmap_obj(): nothing is copied on write, but a private mapping without rights is let
// through.
int lull_vd_mmap_check(const struct lull_vd_file *f, const struct lull_vd_mapping *m,
                       struct lull_vd_bo **ret)
{
    const int r = mmap_access(f, m);
    struct lull_vd_bo *bo = lull_vd_bo_at(f->d, m->offset, true);
    const uint64_t pages = (m->size + LULL_VD_PAGE - 1) & ~(uint64_t)(LULL_VD_PAGE - 1);
    if (r != 0) {
        return r;
    }
    if (bo == NULL || m->size == 0 || pages < m->size || pages > bo->size) {
        return -EINVAL;
    }
    if (lull_vd_bo_handle_of(f, bo) == 0) {
        return -EACCES;
    }
    if (bo->userptr != 0 || bo->no_map) {
        return -EPERM;
    }
    if ((m->flags & MAP_TYPE) == MAP_PRIVATE && m->prot != PROT_NONE) {
        return -EINVAL;
    }
    *ret = bo;
    return 0;
}

static int map_file(struct lull_vd *d, int fd, size_t size, uint64_t offset, void **ret)
{
    struct lull_vd_file *f = lull_vd_file_of(d, fd);
    if (f == NULL) {
        return -EBADF;
    }
    if (f->kind != LULL_VD_DRM) {
        return -ENODEV;
    }
    struct lull_vd_bo *bo = NULL;
    const struct lull_vd_mapping want = {
        .offset = offset, .size = size, .prot = PROT_READ | PROT_WRITE, .flags = MAP_SHARED};
    const int r = lull_vd_mmap_check(f, &want, &bo);
    if (r != 0) {
        return r;
    }
    struct mapping *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return -ENOMEM;
    }
    const int memfd = bo->own != NULL ? bo->own->fd : d->memfd;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd,
                     (off_t)(bo->own != NULL ? bo->own_offset : offset));
    if (map == MAP_FAILED) {
        free(m);
        return -errno;
    }
    bo->refs++;
    *m = (struct mapping){.at.key = lull_vd_ptr(map), .map = map, .size = size, .bo = bo};
    lull_tree_add(&d->mmaps, &m->at);
    *ret = map;
    return 0;
}

static int vd_mmap(struct lull_kernel *k, int fd, size_t size, uint64_t offset, void **ret)
{
    struct lull_vd *d = lull_vd_of(k);
    lull_vd_lock(d);
    const int r = map_file(d, fd, size, offset, ret);
    lull_vd_unlock(d);
    return r;
}

static int unmap(struct lull_vd *d, struct lull_tree_node *n)
{
    if (n == NULL) {
        return -EINVAL;
    }
    struct mapping *m = lull_container(n, struct mapping, at);
    lull_tree_remove(&d->mmaps, n);
    munmap(m->map, m->size);
    lull_vd_bo_put(d, m->bo);
    free(m);
    return 0;
}

static int vd_munmap(struct lull_kernel *k, void *map, size_t size)
{
    struct lull_vd *d = lull_vd_of(k);
    (void)size;
    lull_vd_lock(d);
    const int r = unmap(d, lull_tree_find(&d->mmaps, lull_vd_ptr(map)));
    lull_vd_unlock(d);
    return r;
}

static ssize_t read_file(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t offset)
{
    switch (f->kind) {
    case LULL_VD_NODE:
        return f->node->read != NULL ? f->node->read(f, buf, size, offset) : -EINVAL;
    case LULL_VD_KMSG:
        return lull_vd_kmsg_read(f, buf, size);
    case LULL_VD_TEXT:
        return lull_vd_give(buf, size, lull_str_text(&f->text), f->text.size, offset);
    case LULL_VD_DRM: // events: there are none
        return -EAGAIN;
    case LULL_VD_SYNCOBJ_FD:
    case LULL_VD_SYNC_FILE:
    case LULL_VD_DMA_BUF:
    case LULL_VD_ALIAS:
    default:
        return -EINVAL;
    }
}

static ssize_t write_file(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t offset)
{
    if (f->kind == LULL_VD_KMSG) { // accepted by the kernel; kept by nobody here
        return (ssize_t)size;
    }
    return f->kind == LULL_VD_NODE && f->node->write != NULL ? f->node->write(f, buf, size, offset)
                                                             : -EINVAL;
}

static ssize_t vd_pread(struct lull_kernel *k, int fd, void *buf, size_t size, uint64_t offset)
{
    struct lull_vd *d = lull_vd_of(k);
    ssize_t r = -EBADF;
    lull_vd_lock(d);
    struct lull_vd_file *f = lull_vd_file_of(d, fd);
    if (f != NULL && (f->flags & O_ACCMODE) != O_WRONLY) {
        r = read_file(f, lull_vd_ptr(buf), size, offset);
    }
    lull_vd_unlock(d);
    return r;
}

static ssize_t vd_pwrite(struct lull_kernel *k, int fd, const void *buf, size_t size,
                         uint64_t offset)
{
    struct lull_vd *d = lull_vd_of(k);
    ssize_t r = -EBADF;
    lull_vd_lock(d);
    struct lull_vd_file *f = lull_vd_file_of(d, fd);
    if (f != NULL && (f->flags & O_ACCMODE) != O_RDONLY) {
        r = write_file(f, lull_vd_ptr(buf), size, offset);
    }
    lull_vd_unlock(d);
    return r;
}

static uint64_t vd_now_ns(struct lull_kernel *k)
{
    struct lull_vd *d = lull_vd_of(k);
    lull_vd_lock(d);
    const uint64_t now = lull_vd_now_ns(d);
    lull_vd_unlock(d);
    return now;
}

static void vd_destroy(struct lull_kernel *k)
{
    struct lull_vd *d = lull_vd_of(k);
    lull_vd_thread_stop(d);
    while (d->files != NULL) {
        file_free(d->files);
    }
    while (d->mmaps.root != NULL) {
        unmap(d, d->mmaps.root);
    }
    lull_vd_crumbs_done(d);
    free(d->kmsg);
    for (unsigned i = 0; i < d->nregions; i++) {
        lull_vd_heap_done(&d->regions[i].heap);
    }
    d->driver->done(d);
    free(d);
}

static int start(struct lull_vd *d)
{
    d->kmsg = calloc(LULL_VD_KMSG_LINES, sizeof *d->kmsg);
    bool ok = d->kmsg != NULL;
    for (unsigned i = 0; i < d->nregions; i++) {
        ok = ok && lull_vd_heap_init(&d->regions[i].heap, d->regions[i].size);
    }
    return ok ? d->driver->start(d) : -ENOMEM;
}

struct lull_error *lull_vd_start(struct lull_vd *d, struct lull_kernel **ret)
{
    d->k = (struct lull_kernel){
        .open = vd_open,
        .ioctl = vd_ioctl,
        .mmap = vd_mmap,
        .munmap = vd_munmap,
        .pread = vd_pread,
        .pwrite = vd_pwrite,
        .close = vd_close,
        .adopt = vd_adopt,
        .now_ns = vd_now_ns,
        .destroy = vd_destroy,
    };
    d->notify = lull_vd_notify;
    d->options.poll_cycles = d->options.poll_cycles != 0 ? d->options.poll_cycles : DEFAULT_POLL;
    int r = start(d);
    if (r != 0) {
        vd_destroy(&d->k);
        return r == -ENOMEM ? &lull_enomem : lull_error_os(-r, "virtual GPU");
    }
    r = lull_vd_thread_start(d);
    if (r != 0) {
        vd_destroy(&d->k);
        return lull_error_os(-r, "thread of the virtual GPU");
    }
    *ret = &d->k;
    return NULL;
}
