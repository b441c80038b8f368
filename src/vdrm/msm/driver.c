// SPDX-License-Identifier: MIT
// The driver as the core sees it: its calls, files, and the GPU's time.
//
// Source: msm_drv.c, msm_gpu.c.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vdrm/core/crumbs.h"
#include "vdrm/msm/debugfs.h"
#include "vdrm/msm/msm.h"
#include "vdrm/msm/vdrm.h"

enum {
    LOW_START = 16 << 20,
    DEFAULT_HANG_MS = 500, // DRM_MSM_HANGCHECK_DEFAULT_PERIOD
    MEMORY_AT = 2 << 20,   // offsets for mmap(2) are never 0
};
#define DEFAULT_MEMORY (16ull << 30)
#define MEMORY_BASE 0x80000000ull

enum {
    CLIENT = LULL_VD_RENDER,
    VM_BIND = 0x0d, // DRM_MSM_VM_BIND, of version 1.13
};

static unsigned submit_fd(const void *p)
{
    const struct drm_msm_gem_submit *arg = p;
    return ((arg->flags & MSM_SUBMIT_FENCE_FD_IN) != 0 ? LULL_VD_FD_IN : 0) |
           ((arg->flags & MSM_SUBMIT_FENCE_FD_OUT) != 0 ? LULL_VD_FD_OUT : 0);
}

// clang-format off
static const struct lull_vd_ioctl calls[] = {
    {DRM_IOCTL_MSM_GET_PARAM, CLIENT, .call = lull_vdm_get_param},
    {DRM_IOCTL_MSM_SET_PARAM, CLIENT, .call = lull_vdm_set_param},
    {DRM_IOCTL_MSM_GEM_NEW, CLIENT | LULL_VD_MEMORY, .call = lull_vdm_gem_new},
    {DRM_IOCTL_MSM_GEM_INFO, CLIENT, .call = lull_vdm_gem_info},
    {DRM_IOCTL_MSM_GEM_CPU_PREP, CLIENT, .call = lull_vdm_cpu_prep},
    {DRM_IOCTL_MSM_GEM_CPU_FINI, CLIENT, .call = lull_vdm_cpu_fini},
    {DRM_IOCTL_MSM_GEM_SUBMIT, CLIENT, .call = lull_vdm_submit, .fd_at = offsetof(struct drm_msm_gem_submit, fence_fd), .fd_by = submit_fd},
    {DRM_IOCTL_MSM_WAIT_FENCE, CLIENT, .call = lull_vdm_wait_fence},
    {DRM_IOCTL_MSM_GEM_MADVISE, CLIENT, .call = lull_vdm_madvise},
    {DRM_IOCTL_MSM_SUBMITQUEUE_NEW, CLIENT, .call = lull_vdm_queue_new},
    {DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, CLIENT, .call = lull_vdm_queue_close},
    {DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, CLIENT, .call = lull_vdm_queue_query},
    {DRM_IO(DRM_COMMAND_BASE + VM_BIND), CLIENT, .call = lull_vdm_vm_bind},
};
// clang-format on

// Who looks at what has run wants to know whose it was, when that file is closed, too.
static bool note_owner(struct lull_vdm *d, const struct lull_vdm_file *m)
{
    struct lull_vdm_owner *more = reallocarray(d->owners, d->nowners + 1, sizeof *more);
    if (more != NULL) {
        d->owners = more;
        more[d->nowners++] = (struct lull_vdm_owner){
            .ttbr0 = d->ops->ttbr0(m->space), .pid = (uint32_t)m->f.pid, .client = m->f.id};
    }
    return more != NULL;
}

// context_init(): an address space, and the queue that is always there.
static int open_file(struct lull_vd_file *f)
{
    struct lull_vdm *d = lull_vdm(f->d);
    struct lull_vdm_file *m = lull_vdm_file(f);
    uint32_t id = 0;
    m->space = d->ops->space_new(d->gpu);
    const uint32_t middle = d->chip->rings * LULL_VDM_PRIORITIES / 2;
    const bool known = m->space != NULL && note_owner(d, m);
    const int r = !known ? -ENOMEM : lull_vdm_reserved_map(m);
    return r != 0 ? r : lull_vdm_queue_create(m, middle, 0, &id);
}

static bool drop(struct lull_vd_file *f, unsigned *budget)
{
    struct lull_vdm *d = lull_vdm(f->d);
    struct lull_vdm_file *m = lull_vdm_file(f);
    if (!lull_vdm_maps_drop(m, budget)) {
        return false;
    }
    lull_vdm_queues_done(m);
    for (unsigned i = 0; i < 2; i++) {
        free(m->told[i]);
        m->told[i] = NULL;
    }
    if (m->space != NULL) {
        d->ops->space_free(d->gpu, m->space);
        m->space = NULL;
    }
    return true;
}

// A buffer keeps its addresses as long as there is a handle anywhere.
static void forget(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    (void)f;
    (void)bo;
}

static uint64_t clock_of(const struct lull_vd *d)
{
    const struct lull_vdm *m = lull_vdm_const(d);
    return m->ops->clock(m->gpu);
}

static bool busy(const struct lull_vd *d)
{
    return lull_vdm_const(d)->jobs != NULL;
}

static bool held(const struct lull_vd *d)
{
    const struct lull_vdm *m = lull_vdm_const(d);
    return lull_vd_crumbs_stand(d) || (m->ops->debug != NULL && m->ops->debug->stands(m->gpu));
}

static void idle(struct lull_vd *d, uint64_t cycles)
{
    const struct lull_vdm *m = lull_vdm(d);
    m->ops->idle(m->gpu, cycles);
}

static bool crumb(void *ctx, const struct lull_crumb_packet *p, bool again)
{
    struct lull_vdm *d = ctx;
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
    struct lull_vdm *d = lull_vdm(vd);
    const struct lull_crumb_watcher to = {.ctx = d, .packets = packets, .crumb = crumb};
    if (d->ops->crumbs != NULL) {
        d->ops->crumbs(d->gpu, &to);
    }
    return d->ops->crumbs != NULL;
}

static int start(struct lull_vd *vd)
{
    struct lull_vdm *d = lull_vdm(vd);
    lull_vd_log(vd, 6, "loaded qcom/%s_sqe.fw from new location", d->chip->name);
    return lull_vdm_ring_init(d);
}

static void done(struct lull_vd *vd)
{
    struct lull_vdm *d = lull_vdm(vd);
    d->ops->destroy(d->gpu);
    free(d->owners);
    lull_vdm_dump_free(d);
    lull_vdm_ring_done(d);
    free(d->reserved);
    if (d->memory != NULL) {
        munmap(d->memory, d->memory_size);
    }
    if (vd->memfd >= 0) {
        close(vd->memfd);
    }
}

static const struct lull_vd_driver driver = {
    .name = "msm",
    .date = "20130625",
    .desc = "MSM Snapdragon DRM",
    .major = 1,
    .minor = 12, // of Linux 6.12
    .unique = "5000000.gpu",
    .device = "5000000.gpu",
    .log = "adreno 5000000.gpu: ",
    .ioctls = calls,
    .nioctls = sizeof calls / sizeof calls[0],
    .nodes = lull_vdm_nodes,
    .nnodes = LULL_VDM_NODES,
    .sysfs = &lull_vdm_sysfs,
    .file_size = sizeof(struct lull_vdm_file),
    .bo_size = sizeof(struct lull_vdm_bo),
    .ns_per_cycle = LULL_VDM_NS_PER_CYCLE,
    .start = start,
    .done = done,
    .open = open_file,
    .close = lull_vdm_kill_jobs,
    .drop = drop,
    .forget = forget,
    .advance = lull_vdm_advance,
    .run = lull_vdm_run,
    .clock = clock_of,
    .busy = busy,
    .held = held,
    .check = lull_vdm_check,
    .end_stall = lull_vdm_end_stall,
    .bo_done = lull_vdm_bo_done,
    .idle = idle,
    .crumbs = crumbs,
};

static uint8_t *map_memory(int fd, uint64_t size)
{
    void *p =
        fd >= 0 && ftruncate(fd, (off_t)(MEMORY_AT + size)) == 0
            ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, MEMORY_AT)
            : MAP_FAILED;
    return p != MAP_FAILED ? p : NULL;
}

struct lull_error *lull_vdm_new_on(const struct lull_vdm_options *options,
                                   const struct lull_agpu_ops *ops, struct lull_agpu *gpu,
                                   struct lull_kernel **ret)
{
    const uint64_t size =
        options->memory != 0 ? options->memory & ~(uint64_t)(LULL_VD_PAGE - 1) : DEFAULT_MEMORY;
    const uint32_t ms = options->hang_ms != 0 ? options->hang_ms : DEFAULT_HANG_MS;
    struct lull_vdm *d = calloc(1, sizeof *d);
    if (d == NULL) {
        ops->destroy(gpu);
        return &lull_enomem;
    }
    d->ops = ops;
    d->gpu = gpu;
    d->chip = options->chip;
    d->va_start = options->low_addresses ? LOW_START : d->chip->va_start;
    d->va_size = d->chip->va_start + d->chip->va_size - d->va_start;
    d->hang_ns = ms == UINT32_MAX ? 0 : ms * 1000000ull;
    d->longest_ns = options->longest_ms * 1000000ull;
    d->rd.name = "rd";
    d->hangrd.name = "hangrd";
    d->vd.driver = &driver;
    d->vd.options = (struct lull_vd_options){.poll_cycles = options->poll_cycles,
                                             .host_clock = options->host_clock,
                                             .threaded = options->threaded,
                                             .isolate = options->isolate};
    d->vd.memfd = memfd_create("lull-msm", MFD_CLOEXEC);
    d->memory = map_memory(d->vd.memfd, size);
    d->memory_size = size;
    if (d->memory == NULL) {
        struct lull_error *err = lull_error_os(errno, "memory of the virtual GPU");
        done(&d->vd);
        free(d);
        return err;
    }
    d->vd.nregions = 1;
    d->vd.regions[0] = (struct lull_vd_region){
        .mem = d->memory, .size = size, .base = MEMORY_BASE, .offset = MEMORY_AT};
    return lull_vd_start(&d->vd, ret);
}
