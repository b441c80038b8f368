// SPDX-License-Identifier: MIT
// The driver as the core sees it: its calls, files, and the GPU's time.
//
// Source: amdgpu_drv.c, amdgpu_sched.c, amdgpu_vm.c.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "drm/amdgpu/frame_abi.h"
#include "hw/chips.h"
#include "model/pages.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/calls.h"
#include "vdrm/amdgpu/ctx.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/amdgpu/job.h"
#include "vdrm/core/crumbs.h"

// amdgpu_vm_ioctl(). The kernel has one VMID for all who reserve; here each has its own while they
// last.
static int vm_call(struct lull_vd_file *f, void *p)
{
    const union drm_amdgpu_vm *arg = p;
    struct lull_vda_vm *vm = lull_vda_vm_of(f);
    if (arg->in.flags != 0) {
        return -EINVAL;
    }
    switch (arg->in.op) {
    case AMDGPU_VM_OP_RESERVE_VMID:
        if (!lull_vda_vm_grab(lull_vda(f->d), vm)) {
            return -EBUSY;
        }
        vm->reserved = true;
        return 0;
    case AMDGPU_VM_OP_UNRESERVE_VMID:
        vm->reserved = false;
        return 0;
    default:
        return -EINVAL;
    }
}

// amdgpu_sched_ioctl()
static int sched_call(struct lull_vd_file *f, void *p)
{
    const union drm_amdgpu_sched *arg = p;
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
    return ctx && lull_vda_ctx_lookup(other, arg->in.ctx_id) == NULL ? -EINVAL : 0;
}

enum { DEFAULT_LOCKUP = 1000000000 }; // 10 s

// FENCE_TO_HANDLE answers with a descriptor, or with a handle.
static unsigned fence_fd(const void *arg)
{
    const union drm_amdgpu_fence_to_handle *fence = arg;
    return fence->in.what != AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ ? LULL_VD_FD_OUT : 0;
}

enum { CLIENT = LULL_VD_AUTH | LULL_VD_RENDER };

// clang-format off
static const struct lull_vd_ioctl calls[] = {
    {DRM_IOCTL_AMDGPU_GEM_CREATE, CLIENT | LULL_VD_MEMORY, .call = lull_vda_gem_create},
    {DRM_IOCTL_AMDGPU_CTX, CLIENT, .call = lull_vda_ctx},
    {DRM_IOCTL_AMDGPU_VM, CLIENT, .call = vm_call},
    {DRM_IOCTL_AMDGPU_SCHED, LULL_VD_MASTER, .call = sched_call, .fd = LULL_VD_FD_IN, .fd_at = offsetof(struct drm_amdgpu_sched_in, fd)},
    {DRM_IOCTL_AMDGPU_BO_LIST, CLIENT, .call = lull_vda_bo_list},
    {DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, CLIENT, .call = lull_vda_fence_to_handle, .fd_at = offsetof(union drm_amdgpu_fence_to_handle, out.handle), .fd_by = fence_fd},
    {DRM_IOCTL_AMDGPU_GEM_MMAP, CLIENT, .call = lull_vda_gem_mmap},
    {DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, CLIENT, .call = lull_vda_gem_wait_idle},
    {DRM_IOCTL_AMDGPU_CS, CLIENT, .call = lull_vda_cs},
    {DRM_IOCTL_AMDGPU_INFO, CLIENT, .call = lull_vda_info},
    {DRM_IOCTL_AMDGPU_WAIT_CS, CLIENT, .call = lull_vda_wait_cs},
    {DRM_IOCTL_AMDGPU_WAIT_FENCES, CLIENT, .call = lull_vda_wait_fences},
    {DRM_IOCTL_AMDGPU_GEM_METADATA, CLIENT, .call = lull_vda_gem_metadata},
    {DRM_IOCTL_AMDGPU_GEM_VA, CLIENT, .call = lull_vda_gem_va},
    {DRM_IOCTL_AMDGPU_GEM_OP, CLIENT, .call = lull_vda_gem_op},
    {DRM_IOCTL_AMDGPU_GEM_USERPTR, CLIENT, .call = lull_vda_gem_userptr},
    {LULL_IOCTL_PRESENTED, CLIENT, .call = lull_vda_presented}, // no real kernel has it
};
// clang-format on

static int open_file(struct lull_vd_file *f)
{
    return lull_vda_vm_init(lull_vda(f->d), lull_vda_vm_of(f));
}

static bool drop(struct lull_vd_file *f, unsigned *budget)
{
    struct lull_vda_file *a = lull_vda_file(f);
    if (!lull_vda_vm_done(lull_vda(f->d), &a->vm, budget)) {
        return false;
    }
    for (; *budget > 0; --*budget) {
        void *p = NULL;
        if ((p = lull_vd_idr_remove_any(&a->lists)) != NULL) {
            lull_vda_list_free(f->d, p);
        } else if ((p = lull_vd_idr_remove_any(&a->ctxs)) != NULL) {
            lull_vda_ctx_put(p);
        } else {
            lull_vd_idr_done(&a->lists);
            lull_vd_idr_done(&a->ctxs);
            return true;
        }
    }
    return false;
}

static void forget(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    lull_vda_vm_forget(lull_vda(f->d), lull_vda_vm_of(f), bo);
}

static uint64_t clock_of(const struct lull_vd *d)
{
    const struct lull_vda_gpu *g = &lull_vda_const(d)->gpu;
    return g->ops->clock(g->gpu);
}

static bool busy(const struct lull_vd *d)
{
    return lull_vda_const(d)->jobs != NULL;
}

static bool pause_gpu(struct lull_vd *d, bool on)
{
    const struct lull_vda_gpu *g = &lull_vda(d)->gpu;
    if (g->ops->pause != NULL) {
        g->ops->pause(g->gpu, on);
    }
    return g->ops->pause != NULL;
}

static uint64_t slept(const struct lull_vd *d)
{
    const struct lull_vda_gpu *g = &lull_vda_const(d)->gpu;
    return g->ops->slept != NULL ? g->ops->slept(g->gpu) : 0;
}

static void idle(struct lull_vd *d, uint64_t cycles)
{
    const struct lull_vda_gpu *g = &lull_vda(d)->gpu;
    if (g->ops->idle != NULL) {
        g->ops->idle(g->gpu, cycles);
    }
}

static bool crumb(void *ctx, const struct lull_crumb_packet *p, bool again)
{
    struct lull_vda *d = ctx;
    struct lull_vd_crumb c = {.stream = p->stream,
                              .ring = p->ring,
                              .buffer = p->buffer,
                              .packet = p->address,
                              .after = p->after};
    snprintf(c.name, sizeof c.name, "%s", p->name != NULL ? p->name : "");
    return lull_vd_crumb(&d->vd, &c, again);
}

static bool crumbs(struct lull_vd *vd, bool packets)
{
    struct lull_vda *d = lull_vda(vd);
    const struct lull_crumb_watcher to = {.ctx = d, .packets = packets, .crumb = crumb};
    if (d->gpu.ops->crumbs != NULL) {
        d->gpu.ops->crumbs(d->gpu.gpu, &to);
    }
    return d->gpu.ops->crumbs != NULL;
}

static int start(struct lull_vd *vd)
{
    struct lull_vda *d = lull_vda(vd);
    const struct lull_chip *c = d->gpu.chip;
    const int r = lull_vda_dispatches_init(d);
    if (r != 0) {
        return r;
    }
    if (!lull_vd_heap_init(&d->gds, LULL_GDS_BYTES) || !lull_vd_heap_init(&d->oa, LULL_VDA_OA)) {
        return -ENOMEM;
    }
    lull_vda_vm_setup(d);
    lull_vd_log(
        vd, 6, "initializing kernel modesetting (IP DISCOVERY 0x%04X:0x%04X 0x%04X:0x%04X 0x%02X).",
        c->vendor, c->device, c->vendor, c->subsystem, c->revision);
    return 0;
}

static void done(struct lull_vd *vd)
{
    struct lull_vda *d = lull_vda(vd);
    d->gpu.ops->destroy(d->gpu.gpu);
    free(d->records);
    lull_vd_heap_done(&d->gds);
    lull_vd_heap_done(&d->oa);
    free(d->draws);
    free(d->fragments);
    lull_vda_frames_done(d);
    lull_vda_drawn_done(d);
}

/** For pictures of the GPU's memory. */
static void mapped(const struct lull_vd *vd, const uint8_t *mem, uint64_t size)
{
    struct lull_pages *pages = lull_vda_const(vd)->gpu.phys->pages;
    if (pages != NULL) {
        lull_pages_other(pages, (uint64_t)(mem - pages->map), size);
    }
}

static const struct lull_vd_driver driver = {
    .name = "amdgpu",
    .date = "20150101",
    .desc = "AMD GPU",
    .major = 3,
    .minor = 61, // of Linux 6.12
    .unique = "pci:0000:03:00.0",
    .device = "0000:03:00.0",
    .log = "amdgpu 0000:03:00.0: amdgpu: ",
    .ioctls = calls,
    .nioctls = sizeof calls / sizeof calls[0],
    .nodes = lull_vda_nodes,
    .nnodes = LULL_VDA_NODES,
    .sysfs = &lull_vda_sysfs,
    .file_size = sizeof(struct lull_vda_file),
    .bo_size = sizeof(struct lull_vda_bo),
    .ns_per_cycle = LULL_VDA_NS_PER_CYCLE,
    .start = start,
    .done = done,
    .open = open_file,
    .close = lull_vda_kill_jobs,
    .drop = drop,
    .forget = forget,
    .advance = lull_vda_advance,
    .run = lull_vda_run,
    .clock = clock_of,
    .busy = busy,
    .held = lull_vda_holding,
    .check = lull_vda_check,
    .end_stall = lull_vda_end_stall,
    .mapped = mapped,
    .bo_done = lull_vda_bo_done,
    .pause = pause_gpu,
    .slept = slept,
    .idle = idle,
    .crumbs = crumbs,
};

struct lull_error *lull_vda_new(const struct lull_vdrm_options *options, struct lull_vda_gpu gpu,
                                struct lull_kernel **ret)
{
    struct lull_vda *d = calloc(1, sizeof *d);
    if (d == NULL) {
        gpu.ops->destroy(gpu.gpu);
        return &lull_enomem;
    }
    d->gpu = gpu;
    d->lockup_cycles = options->lockup_cycles != 0 ? options->lockup_cycles : DEFAULT_LOCKUP;
    d->lockup_ms = options->lockup_ms;
    d->vd.driver = &driver;
    d->vd.options = (struct lull_vd_options){.poll_cycles = options->poll_cycles,
                                             .host_clock = options->host_clock,
                                             .threaded = options->threaded,
                                             .threads = options->threads,
                                             .isolate = options->isolate,
                                             .own_calls = options->own_calls};
    d->vd.memfd = gpu.memfd;
    d->vd.nregions = 2;
    d->vd.regions[LULL_VDA_VRAM] =
        (struct lull_vd_region){.mem = gpu.phys->vram, .size = gpu.phys->vram_size};
    d->vd.regions[LULL_VDA_GTT] = (struct lull_vd_region){.mem = gpu.phys->system,
                                                          .size = gpu.phys->system_size,
                                                          .base = gpu.phys->system_base,
                                                          .offset = gpu.phys->vram_size};
    return lull_vd_start(&d->vd, ret);
}
