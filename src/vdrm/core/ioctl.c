// SPDX-License-Identifier: MIT
// DRM's dispatcher: which calls there are, who may make them, copies in and out; and the core
// calls.
//
// Source: drm_ioctl.c, drm_auth.c.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/drm.h"
#include "vdrm/core/syncobj.h"
#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"

// drm_copy_field()
static int copy_field(char *to, __kernel_size_t *len, const char *value)
{
    const size_t n = strlen(value), part = n < *len ? n : *len;
    *len = n;
    return part > 0 && to != NULL ? lull_vd_to_user(lull_vd_ptr(to), value, part) : 0;
}

static int version(struct lull_vd_file *f, void *p)
{
    const struct lull_vd_driver *driver = f->d->driver;
    struct drm_version *v = p;
    v->version_major = driver->major;
    v->version_minor = driver->minor;
    v->version_patchlevel = 0;
    int r = copy_field(v->name, &v->name_len, driver->name);
    if (r == 0) {
        r = copy_field(v->date, &v->date_len, driver->date);
    }
    return r != 0 ? r : copy_field(v->desc, &v->desc_len, driver->desc);
}

// drm_getcap(); of display there is nothing.
static int get_cap(struct lull_vd_file *f, void *p)
{
    struct drm_get_cap *c = p;
    (void)f;
    c->value = 0;
    switch (c->capability) {
    case DRM_CAP_TIMESTAMP_MONOTONIC:
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE:
        c->value = 1;
        return 0;
    case DRM_CAP_PRIME:
        c->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
        return 0;
    case DRM_CAP_DUMB_BUFFER:
    case DRM_CAP_VBLANK_HIGH_CRTC:
    case DRM_CAP_DUMB_PREFERRED_DEPTH:
    case DRM_CAP_DUMB_PREFER_SHADOW:
    case DRM_CAP_ASYNC_PAGE_FLIP:
    case DRM_CAP_PAGE_FLIP_TARGET:
    case DRM_CAP_CURSOR_WIDTH:
    case DRM_CAP_CURSOR_HEIGHT:
    case DRM_CAP_ADDFB2_MODIFIERS:
    case DRM_CAP_CRTC_IN_VBLANK_EVENT:
    case DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP:
        return 0;
    default:
        return -EINVAL;
    }
}

static int get_unique(struct lull_vd_file *f, void *p)
{
    struct drm_unique *u = p;
    const char *bus_id = f->d->driver->unique;
    const size_t n = strlen(bus_id);
    const int r = u->unique_len >= n ? lull_vd_to_user(lull_vd_ptr(u->unique), bus_id, n) : 0;
    u->unique_len = r == 0 ? n : u->unique_len;
    return r;
}

static int get_client(struct lull_vd_file *f, void *p)
{
    struct drm_client *c = p;
    if (c->idx != 0) {
        return -EINVAL;
    }
    c->auth = f->authenticated;
    c->pid = (unsigned long)lull_vd_client_pid();
    c->uid = 65534; // overflowuid
    c->magic = 0;
    c->iocs = 0;
    return 0;
}

static int get_magic(struct lull_vd_file *f, void *p)
{
    struct drm_auth *a = p;
    if (f->magic == 0) {
        f->magic = ++f->d->next_magic;
    }
    a->magic = f->magic;
    return 0;
}

static int auth_magic(struct lull_vd_file *f, void *p)
{
    const struct drm_auth *a = p;
    for (struct lull_vd_file *o = f->d->files; o != NULL; o = o->next) {
        if (o->kind == LULL_VD_DRM && o->magic == a->magic && a->magic != 0) {
            o->authenticated = true;
            o->magic = 0;
            return 0;
        }
    }
    return -EINVAL;
}

// drm_invalid_op()
static int invalid(struct lull_vd_file *f, void *arg)
{
    (void)f;
    (void)arg;
    return -EINVAL;
}

static void bo_close(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    f->d->driver->forget(f, bo);
    if (!lull_vd_userptr_park(f, bo)) {
        lull_vd_bo_put(f->d, bo);
    }
}

// drm_gem_handle_delete()
static int gem_close(struct lull_vd_file *f, void *p)
{
    const struct drm_gem_close *arg = p;
    struct lull_vd_bo *bo = lull_vd_bo_unhandle(f, arg->handle);
    if (bo == NULL) {
        return -EINVAL;
    }
    bo_close(f, bo);
    return 0;
}

enum {
    RENDER = LULL_VD_RENDER,
    AUTH = LULL_VD_AUTH,
    MASTER = LULL_VD_MASTER,
    ROOT = LULL_VD_ROOT,
};

// clang-format off
static const struct lull_vd_ioctl core_calls[] = {
    {DRM_IOCTL_VERSION, RENDER, .call = version},
    {DRM_IOCTL_GET_UNIQUE, 0, .call = get_unique},
    {DRM_IOCTL_GET_MAGIC, 0, .call = get_magic},
    {DRM_IOCTL_GET_CLIENT, 0, .call = get_client},
    {DRM_IOCTL_GET_STATS, 0, .call = NULL},
    {DRM_IOCTL_GET_CAP, RENDER, .call = get_cap},
    {DRM_IOCTL_SET_CLIENT_CAP, 0, .call = NULL},
    {DRM_IOCTL_SET_VERSION, MASTER, .call = NULL},
    {DRM_IOCTL_SET_UNIQUE, AUTH | MASTER | ROOT, .call = invalid},
    {DRM_IOCTL_BLOCK, AUTH | MASTER | ROOT, .call = NULL},
    {DRM_IOCTL_UNBLOCK, AUTH | MASTER | ROOT, .call = NULL},
    {DRM_IOCTL_AUTH_MAGIC, MASTER, .call = auth_magic},
    {DRM_IOCTL_SET_MASTER, 0, .call = NULL},
    {DRM_IOCTL_DROP_MASTER, 0, .call = NULL},
    {DRM_IOCTL_ADD_DRAW, AUTH | MASTER | ROOT, .call = NULL},
    {DRM_IOCTL_RM_DRAW, AUTH | MASTER | ROOT, .call = NULL},
    {DRM_IOCTL_FINISH, AUTH, .call = NULL},
    {DRM_IOCTL_WAIT_VBLANK, 0, .call = NULL},
    {DRM_IOCTL_UPDATE_DRAW, AUTH | MASTER | ROOT, .call = NULL},
    {DRM_IOCTL_GEM_CLOSE, RENDER, .call = gem_close},
    {DRM_IOCTL_GEM_FLINK, AUTH, .call = NULL},
    {DRM_IOCTL_GEM_OPEN, AUTH, .call = NULL},
    {DRM_IOCTL_MODE_GETRESOURCES, 0, .call = NULL},
    {DRM_IOCTL_PRIME_HANDLE_TO_FD, RENDER, .call = lull_vd_prime_export, .fd = LULL_VD_FD_OUT, .fd_at = offsetof(struct drm_prime_handle, fd)},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, RENDER, .call = lull_vd_prime_import, .fd = LULL_VD_FD_IN, .fd_at = offsetof(struct drm_prime_handle, fd)},
    {DRM_IOCTL_MODE_GETPLANERESOURCES, 0, .call = NULL},
    {DRM_IOCTL_MODE_GETCRTC, 0, .call = NULL},
    {DRM_IOCTL_MODE_SETCRTC, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_GETPLANE, 0, .call = NULL},
    {DRM_IOCTL_MODE_SETPLANE, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_CURSOR, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_GETGAMMA, 0, .call = NULL},
    {DRM_IOCTL_MODE_SETGAMMA, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_GETENCODER, 0, .call = NULL},
    {DRM_IOCTL_MODE_GETCONNECTOR, 0, .call = NULL},
    {DRM_IOCTL_MODE_ATTACHMODE, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_DETACHMODE, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_GETPROPERTY, 0, .call = NULL},
    {DRM_IOCTL_MODE_SETPROPERTY, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_GETPROPBLOB, 0, .call = NULL},
    {DRM_IOCTL_MODE_GETFB, 0, .call = NULL},
    {DRM_IOCTL_MODE_GETFB2, 0, .call = NULL},
    {DRM_IOCTL_MODE_ADDFB, 0, .call = NULL},
    {DRM_IOCTL_MODE_ADDFB2, 0, .call = NULL},
    {DRM_IOCTL_MODE_RMFB, 0, .call = NULL},
    {DRM_IOCTL_MODE_CLOSEFB, 0, .call = NULL},
    {DRM_IOCTL_MODE_PAGE_FLIP, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_DIRTYFB, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_CREATE_DUMB, 0, .call = NULL},
    {DRM_IOCTL_MODE_MAP_DUMB, 0, .call = NULL},
    {DRM_IOCTL_MODE_DESTROY_DUMB, 0, .call = NULL},
    {DRM_IOCTL_MODE_OBJ_GETPROPERTIES, 0, .call = NULL},
    {DRM_IOCTL_MODE_OBJ_SETPROPERTY, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_CURSOR2, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_ATOMIC, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_CREATEPROPBLOB, 0, .call = NULL},
    {DRM_IOCTL_MODE_DESTROYPROPBLOB, 0, .call = NULL},
    {DRM_IOCTL_SYNCOBJ_CREATE, RENDER, .call = lull_vd_syncobj_create},
    {DRM_IOCTL_SYNCOBJ_DESTROY, RENDER, .call = lull_vd_syncobj_destroy},
    {DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, RENDER, .call = lull_vd_syncobj_to_fd, .fd = LULL_VD_FD_OUT, .fd_at = offsetof(struct drm_syncobj_handle, fd)},
    {DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, RENDER, .call = lull_vd_syncobj_from_fd, .fd = LULL_VD_FD_IN, .fd_at = offsetof(struct drm_syncobj_handle, fd)},
    {DRM_IOCTL_SYNCOBJ_TRANSFER, RENDER, .call = lull_vd_syncobj_transfer},
    {DRM_IOCTL_SYNCOBJ_WAIT, RENDER, .call = lull_vd_syncobj_wait},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, RENDER, .call = lull_vd_syncobj_timeline_wait},
    {DRM_IOCTL_SYNCOBJ_EVENTFD, RENDER, .call = lull_vd_event_add, .fd = LULL_VD_FD_IN, .fd_at = offsetof(struct drm_syncobj_eventfd, fd)},
    {DRM_IOCTL_SYNCOBJ_RESET, RENDER, .call = lull_vd_syncobj_reset},
    {DRM_IOCTL_SYNCOBJ_SIGNAL, RENDER, .call = lull_vd_syncobj_signal},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, RENDER, .call = lull_vd_syncobj_timeline_signal},
    {DRM_IOCTL_SYNCOBJ_QUERY, RENDER, .call = lull_vd_syncobj_query},
    {DRM_IOCTL_CRTC_GET_SEQUENCE, 0, .call = NULL},
    {DRM_IOCTL_CRTC_QUEUE_SEQUENCE, 0, .call = NULL},
    {DRM_IOCTL_MODE_CREATE_LEASE, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_LIST_LESSEES, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_GET_LEASE, MASTER, .call = NULL},
    {DRM_IOCTL_MODE_REVOKE_LEASE, MASTER, .call = NULL},
};
// clang-format on

static const struct lull_vd_ioctl *find(const struct lull_vd_ioctl *rows, size_t n, unsigned nr)
{
    for (size_t i = 0; i < n; i++) {
        if (_IOC_NR(rows[i].request) == nr) {
            return &rows[i];
        }
    }
    return NULL;
}

const struct lull_vd_ioctl *lull_vd_ioctl_of(const struct lull_vd *d, unsigned long request)
{
    const unsigned nr = _IOC_NR(request);
    return nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END
               ? find(d->driver->ioctls, d->driver->nioctls, nr)
               : find(core_calls, sizeof core_calls / sizeof core_calls[0], nr);
}

// drm_ioctl_permit()
static int permit(const struct lull_vd_file *f, unsigned who)
{
    const bool denied = (who & ROOT) != 0 ||
                        ((who & AUTH) != 0 && !f->render && !f->authenticated) ||
                        ((who & MASTER) != 0 && !f->master) || ((who & RENDER) == 0 && f->render);
    return denied ? -EACCES : 0;
}

// A call with the client's descriptors turned into ours, and ours kept back for it.
static int dispatch(struct lull_vd_file *f, const struct lull_vd_ioctl *row, void *data,
                    uint64_t arg)
{
    struct lull_vd_client *current = lull_vd_client_now();
    int *fd = (void *)((char *)data + row->fd_at);
    const unsigned fds = current == NULL ? 0 : row->fd_by != NULL ? row->fd_by(data) : row->fd;
    if ((fds & LULL_VD_FD_IN) != 0) {
        if (current->arg_fd < 0) {
            current->want_fd = *fd;
            return -EBADF;
        }
        *fd = current->arg_fd;
    }
    const int r = row->call != NULL ? row->call(f, data) : -EOPNOTSUPP;
    if ((fds & LULL_VD_FD_OUT) != 0 && r == 0) {
        current->out_fd = *fd;
        current->out_at = arg + row->fd_at;
        *fd = -1;
    }
    return r;
}

int lull_vd_drm_ioctl(struct lull_vd_file *f, unsigned long request, void *arg)
{
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE) {
        return -ENOTTY;
    }
    const struct lull_vd_ioctl *row = lull_vd_ioctl_of(f->d, request);
    if (row == NULL) {
        return -EINVAL;
    }
    // The caller's structure may be an older, shorter one, or a newer, longer one.
    const size_t size = _IOC_SIZE(request), own = _IOC_SIZE(row->request);
    const size_t in = (request & row->request & IOC_IN) != 0 ? size : 0,
                 out = (request & row->request & IOC_OUT) != 0 ? size : 0;
    void *data = calloc(1, (size > own ? size : own) + 8);
    if (data == NULL) {
        return -ENOMEM;
    }
    int r = lull_vd_from_user(data, lull_vd_ptr(arg), in);
    if (r == 0) {
        r = permit(f, row->who);
        if (r == 0) {
            r = dispatch(f, row, data, lull_vd_ptr(arg));
        }
        if (lull_vd_to_user(lull_vd_ptr(arg), data, out) != 0) {
            r = -EFAULT;
        }
    }
    free(data);
    return r;
}
