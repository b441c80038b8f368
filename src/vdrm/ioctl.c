// SPDX-License-Identifier: MIT
// DRM's dispatcher: which calls there are, who may make them, copies in and out; and the core
// calls.
//
// Source: drm_ioctl.c, drm_auth.c, amdgpu_drv.c, amdgpu_sched.c.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/vdrm_priv.h"

enum {
    RENDER = 1, // also through render nodes
    AUTH = 2,   // only authenticated clients
    MASTER = 4,
    ROOT = 8,
};

// clang-format off
static const struct {
    unsigned long request;
    unsigned who;
} drm_calls[] = {
    {DRM_IOCTL_VERSION, RENDER},
    {DRM_IOCTL_GET_UNIQUE, 0},
    {DRM_IOCTL_GET_MAGIC, 0},
    {DRM_IOCTL_GET_CLIENT, 0},
    {DRM_IOCTL_GET_STATS, 0},
    {DRM_IOCTL_GET_CAP, RENDER},
    {DRM_IOCTL_SET_CLIENT_CAP, 0},
    {DRM_IOCTL_SET_VERSION, MASTER},
    {DRM_IOCTL_SET_UNIQUE, AUTH | MASTER | ROOT},
    {DRM_IOCTL_BLOCK, AUTH | MASTER | ROOT},
    {DRM_IOCTL_UNBLOCK, AUTH | MASTER | ROOT},
    {DRM_IOCTL_AUTH_MAGIC, MASTER},
    {DRM_IOCTL_SET_MASTER, 0},
    {DRM_IOCTL_DROP_MASTER, 0},
    {DRM_IOCTL_ADD_DRAW, AUTH | MASTER | ROOT},
    {DRM_IOCTL_RM_DRAW, AUTH | MASTER | ROOT},
    {DRM_IOCTL_FINISH, AUTH},
    {DRM_IOCTL_WAIT_VBLANK, 0},
    {DRM_IOCTL_UPDATE_DRAW, AUTH | MASTER | ROOT},
    {DRM_IOCTL_GEM_CLOSE, RENDER},
    {DRM_IOCTL_GEM_FLINK, AUTH},
    {DRM_IOCTL_GEM_OPEN, AUTH},
    {DRM_IOCTL_MODE_GETRESOURCES, 0},
    {DRM_IOCTL_PRIME_HANDLE_TO_FD, RENDER},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, RENDER},
    {DRM_IOCTL_MODE_GETPLANERESOURCES, 0},
    {DRM_IOCTL_MODE_GETCRTC, 0},
    {DRM_IOCTL_MODE_SETCRTC, MASTER},
    {DRM_IOCTL_MODE_GETPLANE, 0},
    {DRM_IOCTL_MODE_SETPLANE, MASTER},
    {DRM_IOCTL_MODE_CURSOR, MASTER},
    {DRM_IOCTL_MODE_GETGAMMA, 0},
    {DRM_IOCTL_MODE_SETGAMMA, MASTER},
    {DRM_IOCTL_MODE_GETENCODER, 0},
    {DRM_IOCTL_MODE_GETCONNECTOR, 0},
    {DRM_IOCTL_MODE_ATTACHMODE, MASTER},
    {DRM_IOCTL_MODE_DETACHMODE, MASTER},
    {DRM_IOCTL_MODE_GETPROPERTY, 0},
    {DRM_IOCTL_MODE_SETPROPERTY, MASTER},
    {DRM_IOCTL_MODE_GETPROPBLOB, 0},
    {DRM_IOCTL_MODE_GETFB, 0},
    {DRM_IOCTL_MODE_GETFB2, 0},
    {DRM_IOCTL_MODE_ADDFB, 0},
    {DRM_IOCTL_MODE_ADDFB2, 0},
    {DRM_IOCTL_MODE_RMFB, 0},
    {DRM_IOCTL_MODE_CLOSEFB, 0},
    {DRM_IOCTL_MODE_PAGE_FLIP, MASTER},
    {DRM_IOCTL_MODE_DIRTYFB, MASTER},
    {DRM_IOCTL_MODE_CREATE_DUMB, 0},
    {DRM_IOCTL_MODE_MAP_DUMB, 0},
    {DRM_IOCTL_MODE_DESTROY_DUMB, 0},
    {DRM_IOCTL_MODE_OBJ_GETPROPERTIES, 0},
    {DRM_IOCTL_MODE_OBJ_SETPROPERTY, MASTER},
    {DRM_IOCTL_MODE_CURSOR2, MASTER},
    {DRM_IOCTL_MODE_ATOMIC, MASTER},
    {DRM_IOCTL_MODE_CREATEPROPBLOB, 0},
    {DRM_IOCTL_MODE_DESTROYPROPBLOB, 0},
    {DRM_IOCTL_SYNCOBJ_CREATE, RENDER},
    {DRM_IOCTL_SYNCOBJ_DESTROY, RENDER},
    {DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, RENDER},
    {DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, RENDER},
    {DRM_IOCTL_SYNCOBJ_TRANSFER, RENDER},
    {DRM_IOCTL_SYNCOBJ_WAIT, RENDER},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, RENDER},
    {DRM_IOCTL_SYNCOBJ_EVENTFD, RENDER},
    {DRM_IOCTL_SYNCOBJ_RESET, RENDER},
    {DRM_IOCTL_SYNCOBJ_SIGNAL, RENDER},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, RENDER},
    {DRM_IOCTL_SYNCOBJ_QUERY, RENDER},
    {DRM_IOCTL_CRTC_GET_SEQUENCE, 0},
    {DRM_IOCTL_CRTC_QUEUE_SEQUENCE, 0},
    {DRM_IOCTL_MODE_CREATE_LEASE, MASTER},
    {DRM_IOCTL_MODE_LIST_LESSEES, MASTER},
    {DRM_IOCTL_MODE_GET_LEASE, MASTER},
    {DRM_IOCTL_MODE_REVOKE_LEASE, MASTER},
    {DRM_IOCTL_AMDGPU_GEM_CREATE, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_CTX, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_VM, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_SCHED, MASTER},
    {DRM_IOCTL_AMDGPU_BO_LIST, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_GEM_MMAP, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_CS, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_INFO, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_WAIT_CS, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_WAIT_FENCES, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_GEM_METADATA, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_GEM_VA, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_GEM_OP, AUTH | RENDER},
    {DRM_IOCTL_AMDGPU_GEM_USERPTR, AUTH | RENDER},
};
// clang-format on

// drm_copy_field()
static int copy_field(char *to, __kernel_size_t *len, const char *value)
{
    const size_t n = strlen(value), part = n < *len ? n : *len;
    *len = n;
    return part > 0 && to != NULL ? lull_vd_to_user(lull_vd_ptr(to), value, part) : 0;
}

static int drm_version_call(struct drm_version *v)
{
    v->version_major = 3;
    v->version_minor = 61; // of Linux 6.12
    v->version_patchlevel = 0;
    int r = copy_field(v->name, &v->name_len, "amdgpu");
    if (r == 0) {
        r = copy_field(v->date, &v->date_len, "20150101");
    }
    return r != 0 ? r : copy_field(v->desc, &v->desc_len, "AMD GPU");
}

// drm_getcap(); of display there is nothing.
static int get_cap(struct drm_get_cap *c)
{
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

static int get_unique(struct drm_unique *u)
{
    static const char bus_id[] = "pci:0000:03:00.0";
    const size_t n = sizeof bus_id - 1;
    const int r = u->unique_len >= n ? lull_vd_to_user(lull_vd_ptr(u->unique), bus_id, n) : 0;
    u->unique_len = r == 0 ? n : u->unique_len;
    return r;
}

static int get_client(const struct lull_vd_file *f, struct drm_client *c)
{
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

static int get_magic(struct lull_vd_file *f, struct drm_auth *a)
{
    if (f->magic == 0) {
        f->magic = ++f->d->next_magic;
    }
    a->magic = f->magic;
    return 0;
}

static int auth_magic(struct lull_vd_file *f, const struct drm_auth *a)
{
    for (struct lull_vd_file *o = f->d->files; o != NULL; o = o->next) {
        if (o->kind == LULL_VD_DRM && o->magic == a->magic && a->magic != 0) {
            o->authenticated = true;
            o->magic = 0;
            return 0;
        }
    }
    return -EINVAL;
}

// amdgpu_vm_ioctl(). The kernel has one VMID for all who reserve; here each has its own while they
// last.
static int vm_call(struct lull_vd_file *f, const union drm_amdgpu_vm *arg)
{
    if (arg->in.flags != 0) {
        return -EINVAL;
    }
    switch (arg->in.op) {
    case AMDGPU_VM_OP_RESERVE_VMID:
        if (!lull_vd_vm_grab(f->d, &f->vm)) {
            return -EBUSY;
        }
        f->vm.reserved = true;
        return 0;
    case AMDGPU_VM_OP_UNRESERVE_VMID:
        f->vm.reserved = false;
        return 0;
    default:
        return -EINVAL;
    }
}

// amdgpu_sched_ioctl()
static int sched_call(struct lull_vd_file *f, const union drm_amdgpu_sched *arg)
{
    if (arg->in.op != AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE &&
        arg->in.op != AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE) {
        return -EINVAL;
    }
    switch (arg->in.priority) {
    case AMDGPU_CTX_PRIORITY_VERY_LOW:
    case AMDGPU_CTX_PRIORITY_LOW:
    case AMDGPU_CTX_PRIORITY_NORMAL:
    case AMDGPU_CTX_PRIORITY_HIGH:
    case AMDGPU_CTX_PRIORITY_VERY_HIGH:
        break;
    default:
        return -EINVAL;
    }
    const struct lull_vd_file *other = lull_vd_file_of(f->d, (int)arg->in.fd);
    if (other == NULL || other->kind != LULL_VD_DRM) {
        return -EINVAL;
    }
    const bool ctx = arg->in.op == AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE;
    return ctx && lull_vd_ctx_lookup(other, arg->in.ctx_id) == NULL ? -EINVAL : 0;
}

static void bo_close(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    lull_vd_vm_forget(f->d, &f->vm, bo);
    if (!lull_vd_userptr_park(f, bo)) {
        lull_vd_bo_put(f->d, bo);
    }
}

// drm_gem_handle_delete()
static int gem_close(struct lull_vd_file *f, const struct drm_gem_close *arg)
{
    struct lull_vd_bo *bo = lull_vd_bo_unhandle(f, arg->handle);
    if (bo == NULL) {
        return -EINVAL;
    }
    bo_close(f, bo);
    return 0;
}

static int core_call(struct lull_vd_file *f, unsigned nr, void *arg)
{
    switch (nr) {
    case _IOC_NR(DRM_IOCTL_VERSION):
        return drm_version_call(arg);
    case _IOC_NR(DRM_IOCTL_GET_UNIQUE):
        return get_unique(arg);
    case _IOC_NR(DRM_IOCTL_GET_MAGIC):
        return get_magic(f, arg);
    case _IOC_NR(DRM_IOCTL_AUTH_MAGIC):
        return auth_magic(f, arg);
    case _IOC_NR(DRM_IOCTL_GET_CLIENT):
        return get_client(f, arg);
    case _IOC_NR(DRM_IOCTL_GET_CAP):
        return get_cap(arg);
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
        return gem_close(f, arg);
    case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
        return lull_vd_prime_export(f, arg);
    case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
        return lull_vd_prime_import(f, arg);
    case _IOC_NR(DRM_IOCTL_SET_UNIQUE):
        return -EINVAL; // drm_invalid_op()
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_EVENTFD):
        return lull_vd_event_add(f, arg);
    default:
        return nr >= _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE) ? lull_vd_syncobj_ioctl(f, nr, arg)
                                                       : -EOPNOTSUPP;
    }
}

static int driver_call(struct lull_vd_file *f, unsigned nr, void *arg)
{
    switch (nr - DRM_COMMAND_BASE) {
    case DRM_AMDGPU_GEM_CREATE:
        return lull_vd_gem_create(f, arg);
    case DRM_AMDGPU_GEM_MMAP:
        return lull_vd_gem_mmap(f, arg);
    case DRM_AMDGPU_CTX:
        return lull_vd_ctx(f, arg);
    case DRM_AMDGPU_BO_LIST:
        return lull_vd_bo_list(f, arg);
    case DRM_AMDGPU_CS:
        return lull_vd_cs(f, arg);
    case DRM_AMDGPU_INFO:
        return lull_vd_info(f, arg);
    case DRM_AMDGPU_GEM_METADATA:
        return lull_vd_gem_metadata(f, arg);
    case DRM_AMDGPU_GEM_WAIT_IDLE:
        return lull_vd_gem_wait_idle(f, arg);
    case DRM_AMDGPU_GEM_VA:
        return lull_vd_vm_va(f, arg);
    case DRM_AMDGPU_WAIT_CS:
        return lull_vd_wait_cs(f, arg);
    case DRM_AMDGPU_GEM_OP:
        return lull_vd_gem_op(f, arg);
    case DRM_AMDGPU_GEM_USERPTR:
        return lull_vd_gem_userptr(f, arg);
    case DRM_AMDGPU_WAIT_FENCES:
        return lull_vd_wait_fences(f, arg);
    case DRM_AMDGPU_VM:
        return vm_call(f, arg);
    case DRM_AMDGPU_FENCE_TO_HANDLE:
        return lull_vd_fence_to_handle(f, arg);
    default:
        return sched_call(f, arg);
    }
}

// drm_ioctl_permit()
static int permit(const struct lull_vd_file *f, unsigned who)
{
    const bool denied = (who & ROOT) != 0 ||
                        ((who & AUTH) != 0 && !f->render && !f->authenticated) ||
                        ((who & MASTER) != 0 && !f->master) || ((who & RENDER) == 0 && f->render);
    return denied ? -EACCES : 0;
}

// Where a call has a descriptor: an argument, or a new one.
struct fd_place {
    unsigned long request;
    size_t offset;
    bool out;
};

static const struct fd_place *fd_place(unsigned long request, const void *data)
{
    static const struct fd_place places[] = {
        {DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, offsetof(struct drm_syncobj_handle, fd), true},
        {DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, offsetof(struct drm_syncobj_handle, fd), false},
        {DRM_IOCTL_SYNCOBJ_EVENTFD, offsetof(struct drm_syncobj_eventfd, fd), false},
        {DRM_IOCTL_PRIME_HANDLE_TO_FD, offsetof(struct drm_prime_handle, fd), true},
        {DRM_IOCTL_PRIME_FD_TO_HANDLE, offsetof(struct drm_prime_handle, fd), false},
        {DRM_IOCTL_AMDGPU_SCHED, offsetof(struct drm_amdgpu_sched_in, fd), false},
        {DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, 0, true},
    };
    size_t i = 0;
    while (i < sizeof places / sizeof places[0] && _IOC_NR(places[i].request) != _IOC_NR(request)) {
        i++;
    }
    if (i == sizeof places / sizeof places[0]) {
        return NULL;
    }
    const union drm_amdgpu_fence_to_handle *fence = data;
    return places[i].request == DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE &&
                   fence->in.what == AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ
               ? NULL
               : &places[i];
}

// A call with the client's descriptors turned into ours, and ours kept back for it.
static int dispatch(struct lull_vd_file *f, unsigned nr, void *data, uint64_t arg)
{
    struct lull_vd_client *current = lull_vd_client_now();
    const struct fd_place *place =
        current != NULL ? fd_place(_IOC(0, DRM_IOCTL_BASE, nr, 0), data) : NULL;
    if (place != NULL && !place->out) {
        int *fd = (void *)((char *)data + place->offset);
        if (current->arg_fd < 0) {
            current->want_fd = *fd;
            return -EBADF;
        }
        *fd = current->arg_fd;
    }
    const int r = nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END ? driver_call(f, nr, data)
                                                                 : core_call(f, nr, data);
    if (place != NULL && place->out && r == 0) {
        int *fd = (void *)((char *)data + place->offset);
        current->out_fd = *fd;
        current->out_at = arg + place->offset;
        *fd = -1;
    }
    return r;
}

// drm_ioctl()
int lull_vd_drm_ioctl(struct lull_vd_file *f, unsigned long request, void *arg)
{
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE) {
        return -ENOTTY;
    }
    size_t i = 0;
    while (i < sizeof drm_calls / sizeof drm_calls[0] &&
           _IOC_NR(drm_calls[i].request) != _IOC_NR(request)) {
        i++;
    }
    if (i == sizeof drm_calls / sizeof drm_calls[0]) {
        return -EINVAL;
    }
    // The caller's structure may be an older, shorter one, or a newer, longer one.
    const unsigned long call = drm_calls[i].request;
    const size_t size = _IOC_SIZE(request), own = _IOC_SIZE(call);
    const size_t in = (request & call & IOC_IN) != 0 ? size : 0,
                 out = (request & call & IOC_OUT) != 0 ? size : 0;
    void *data = calloc(1, (size > own ? size : own) + 8);
    if (data == NULL) {
        return -ENOMEM;
    }
    int r = lull_vd_from_user(data, lull_vd_ptr(arg), in);
    if (r == 0) {
        const unsigned nr = _IOC_NR(request);
        r = permit(f, drm_calls[i].who);
        if (r == 0) {
            r = dispatch(f, nr, data, lull_vd_ptr(arg));
        }
        if (lull_vd_to_user(lull_vd_ptr(arg), data, out) != 0) {
            r = -EFAULT;
        }
    }
    free(data);
    return r;
}
