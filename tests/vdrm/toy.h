// SPDX-License-Identifier: MIT
/** @file
 * A driver of a few lines on the core of the virtual driver. One call makes a buffer, one does work
 * for some cycles and then signals.
 */
#ifndef LULL_TEST_TOY_H
#define LULL_TEST_TOY_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"
#include "uapi/drm.h"
#include "vdrm/core/syncobj.h"
#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"

enum { TOY_PAGES = 1 << 11, TOY_JOBS = 8, TOY_NS = 52 };
#define TOY_SIZE ((uint64_t)TOY_PAGES << LULL_VD_PAGE_SHIFT)
#define TOY_BASE 0x100000000ull
#define TOY_STUCK UINT64_MAX // cycles: only end_stall() ends it

struct toy_new {
    uint64_t size, offset;
    uint32_t handle, flags;
    uint64_t pages; // Of the client, that it takes the place of; 0: none.
};

struct toy_work {
    uint64_t cycles;
    uint32_t syncobj, flags;
    int32_t fence, pad; // Sync files.
};

enum { TOY_NO_MAP = 1, TOY_NO_EXPORT = 2 };         // toy_new.flags
enum { TOY_FENCE_IN = 0x10, TOY_FENCE_OUT = 0x20 }; // toy_work.flags: begin behind it; give one
#define TOY_NEW DRM_IOWR(DRM_COMMAND_BASE + 0, struct toy_new)
#define TOY_WORK DRM_IOWR(DRM_COMMAND_BASE + 1, struct toy_work)

struct toy_counts {
    int opened, closed, things, forgotten, nodes, done, mapped;
};

struct toy {
    struct lull_vd vd; // First.
    uint8_t *mem;
    uint64_t clock;
    struct {
        struct lull_vd_fence *fence, *behind; // behind: NULL, or done when it ends.
        uint64_t end;
    } jobs[TOY_JOBS];
    unsigned njobs;
    struct toy_counts *counts; // The test's: it outlives the driver.
};

struct toy_file {
    struct lull_vd_file f; // First.
    int things;            // What drop() has to free.
};

struct toy_bo {
    struct lull_vd_bo bo; // First.
    uint32_t flags;
};

struct toy_node {
    struct lull_vd_file f; // First.
    char text[8];
};

static struct toy *toy_of(struct lull_vd *d)
{
    return (struct toy *)d;
}

static int toy_new(struct lull_vd_file *f, void *p)
{
    struct toy_new *arg = p;
    const struct lull_vd_pages pages = {.address = arg->pages, .size = arg->size};
    struct lull_vd_bo *bo = NULL;
    int r = arg->pages != 0 ? lull_vd_userptr_check(f, &pages) : 0;
    r = r == 0 ? lull_vd_bo_new(f, arg->size, 0, 1, &bo) : r;
    if (r != 0) {
        return r;
    }
    ((struct toy_bo *)bo)->flags = arg->flags;
    bo->no_map = (arg->flags & TOY_NO_MAP) != 0;
    bo->no_export = (arg->flags & TOY_NO_EXPORT) != 0;
    arg->offset = bo->offset;
    return arg->pages != 0 ? lull_vd_userptr_publish(f, bo, arg->pages, &arg->handle)
                           : lull_vd_bo_publish(f, bo, &arg->handle);
}

static int toy_work(struct lull_vd_file *f, void *p)
{
    struct toy_work *arg = p;
    struct toy *t = toy_of(f->d);
    struct lull_vd_syncobj *s = lull_vd_syncobj_lookup(f, arg->syncobj);
    struct lull_vd_fence *behind =
        (arg->flags & TOY_FENCE_IN) != 0 ? lull_vd_sync_file_fence(f->d, arg->fence) : NULL;
    if (s == NULL || ((arg->flags & TOY_FENCE_IN) != 0 && behind == NULL)) {
        return s == NULL ? -ENOENT : -EINVAL;
    }
    struct lull_vd_fence *fence = t->njobs < TOY_JOBS ? lull_vd_fence_new(false) : NULL;
    if (fence == NULL) {
        return -ENOMEM;
    }
    lull_vd_syncobj_replace(f->d, s, fence);
    t->jobs[t->njobs].fence = fence;
    t->jobs[t->njobs].behind = behind != NULL ? lull_vd_fence_get(behind) : NULL;
    t->jobs[t->njobs++].end = arg->cycles == TOY_STUCK ? TOY_STUCK : t->clock + arg->cycles;
    lull_vd_submitted(f->d);
    return (arg->flags & TOY_FENCE_OUT) != 0 ? lull_vd_sync_file(f->d, fence, &arg->fence) : 0;
}

static unsigned toy_fd(const void *p)
{
    const struct toy_work *arg = p;
    return ((arg->flags & TOY_FENCE_IN) != 0 ? LULL_VD_FD_IN : 0) |
           ((arg->flags & TOY_FENCE_OUT) != 0 ? LULL_VD_FD_OUT : 0);
}

static void job_end(struct toy *t, unsigned i, int error)
{
    struct lull_vd_fence *fence = t->jobs[i].fence;
    fence->error = error;
    fence->scheduled = fence->done = true;
    t->vd.changed = true;
    lull_vd_fence_put(fence);
    lull_vd_fence_put(t->jobs[i].behind);
    t->jobs[i] = t->jobs[--t->njobs];
}

static bool toy_advance(struct lull_vd *d)
{
    struct toy *t = toy_of(d);
    const unsigned before = t->njobs;
    for (unsigned i = t->njobs; i-- > 0;) {
        const struct lull_vd_fence *behind = t->jobs[i].behind;
        if (t->jobs[i].end <= t->clock && (behind == NULL || behind->done)) {
            job_end(t, i, 0);
        }
    }
    return t->njobs != before;
}

// Cycles pass while there is work that moves.
static uint64_t toy_run(struct lull_vd *d, uint64_t cycles)
{
    struct toy *t = toy_of(d);
    uint64_t most = 0;
    for (unsigned i = 0; i < t->njobs; i++) {
        const uint64_t end = t->jobs[i].end;
        const uint64_t left = end == TOY_STUCK || end < t->clock ? 0 : end - t->clock;
        most = left > most ? left : most;
    }
    const uint64_t n = most < cycles ? most : cycles;
    t->clock += n;
    return n;
}

static uint64_t toy_clock(const struct lull_vd *d)
{
    return ((const struct toy *)d)->clock;
}

static bool toy_busy(const struct lull_vd *d)
{
    return ((const struct toy *)d)->njobs > 0;
}

static bool toy_no(const struct lull_vd *d)
{
    (void)d;
    return false;
}

static bool toy_check(struct lull_vd *d)
{
    (void)d;
    return false;
}

static bool toy_end_stall(struct lull_vd *d)
{
    struct toy *t = toy_of(d);
    const bool any = t->njobs > 0;
    if (any) {
        job_end(t, 0, -ETIME);
    }
    return any;
}

static int toy_start(struct lull_vd *d)
{
    lull_vd_log(d, 6, "toy %d", TOY_NS);
    return 0;
}

static void toy_done(struct lull_vd *d)
{
    struct toy *t = toy_of(d);
    while (t->njobs > 0) {
        job_end(t, 0, -ENODEV);
    }
    t->counts->done++;
    munmap(t->mem, TOY_SIZE);
    close(d->memfd);
}

static int toy_open(struct lull_vd_file *f)
{
    toy_of(f->d)->counts->opened++;
    ((struct toy_file *)f)->things = 100;
    return 0;
}

static void toy_close(struct lull_vd_file *f)
{
    toy_of(f->d)->counts->closed++;
}

static bool toy_drop(struct lull_vd_file *f, unsigned *budget)
{
    struct toy_file *t = (struct toy_file *)f;
    for (; t->things > 0 && *budget > 0; --*budget, t->things--) {
        toy_of(f->d)->counts->things++;
    }
    return t->things == 0;
}

static void toy_forget(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    toy_of(f->d)->counts->forgotten += ((struct toy_bo *)bo)->flags == 0;
}

static void toy_mapped(const struct lull_vd *d, const uint8_t *mem, uint64_t size)
{
    const struct toy *t = (const struct toy *)d;
    t->counts->mapped += mem >= t->mem && size <= TOY_SIZE - (uint64_t)(mem - t->mem);
}

static ssize_t node_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return lull_vd_give(buf, size, ((struct toy_node *)f)->text, 8, pos);
}

static ssize_t node_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    if (pos != 0 || size > 8) {
        return -EINVAL;
    }
    const int r = lull_vd_from_user(((struct toy_node *)f)->text, buf, size);
    return r != 0 ? r : (ssize_t)size;
}

static void node_close(struct lull_vd_file *f)
{
    toy_of(f->d)->counts->nodes++;
}

static void node_text(struct lull_vd *d, struct lull_str *ret)
{
    lull_str_addf(ret, "%llu", (unsigned long long)toy_of(d)->clock);
}

static void device_file(const struct lull_vd *d, const char *name, struct lull_str *ret)
{
    (void)d;
    if (strcmp(name, "uevent") == 0) {
        lull_str_addf(ret, "DRIVER=toy\n");
    }
}

#define DEVICE "sys/devices/toy"

static const char *const folders[] = {"dev", "dev/dri", "sys", "sys/devices", DEVICE};
static const struct lull_vd_entry links[] = {{DEVICE "/self", "../toy"}};
static const struct lull_vd_entry texts[] = {{DEVICE "/enable", "1\n"}};
static const char *const files[] = {"uevent"};
static const struct lull_vd_sysfs toy_sysfs = {
    .device = DEVICE,
    .bus = "/sys/devices/toy/",
    .folders = folders,
    .nfolders = TEST_ROWS(folders),
    .links = links,
    .nlinks = TEST_ROWS(links),
    .texts = texts,
    .ntexts = TEST_ROWS(texts),
    .files = files,
    .nfiles = TEST_ROWS(files),
    .file = device_file,
};

static const struct lull_vd_ioctl toy_calls[] = {
    {TOY_NEW, LULL_VD_AUTH | LULL_VD_RENDER | LULL_VD_MEMORY, .call = toy_new},
    {TOY_WORK, LULL_VD_AUTH | LULL_VD_RENDER, .call = toy_work,
     .fd_at = offsetof(struct toy_work, fence), .fd_by = toy_fd},
};

static const struct lull_vd_node toy_nodes[] = {
    {.name = "toy_text", .text = node_text},
    {.name = "toy_store",
     .size = sizeof(struct toy_node),
     .read = node_read,
     .write = node_write,
     .close = node_close},
};

static const struct lull_vd_driver toy_driver = {
    .name = "toy",
    .date = "20260101",
    .desc = "a toy",
    .major = 7,
    .minor = 8,
    .unique = "platform:toy",
    .device = "toy.0",
    .log = "toy: ",
    .ioctls = toy_calls,
    .nioctls = TEST_ROWS(toy_calls),
    .nodes = toy_nodes,
    .nnodes = TEST_ROWS(toy_nodes),
    .sysfs = &toy_sysfs,
    .file_size = sizeof(struct toy_file),
    .bo_size = sizeof(struct toy_bo),
    .ns_per_cycle = TOY_NS,
    .start = toy_start,
    .done = toy_done,
    .open = toy_open,
    .close = toy_close,
    .drop = toy_drop,
    .forget = toy_forget,
    .advance = toy_advance,
    .run = toy_run,
    .clock = toy_clock,
    .busy = toy_busy,
    .held = toy_no,
    .check = toy_check,
    .end_stall = toy_end_stall,
    .mapped = toy_mapped,
};

static struct lull_kernel *toy_kernel(struct lull_vd_options options, struct toy_counts *counts)
{
    struct toy *t = calloc(1, sizeof *t);
    const int fd = memfd_create("toy", MFD_CLOEXEC);
    struct lull_kernel *k = NULL;
    if (t == NULL || fd < 0 || ftruncate(fd, (off_t)TOY_SIZE) != 0) {
        abort();
    }
    t->mem = mmap(NULL, TOY_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    t->counts = counts;
    t->vd.driver = &toy_driver;
    t->vd.options = options;
    t->vd.memfd = fd;
    t->vd.nregions = 1;
    t->vd.regions[0] = (struct lull_vd_region){.mem = t->mem, .size = TOY_SIZE, .base = TOY_BASE};
    if (t->mem == MAP_FAILED || lull_vd_start(&t->vd, &k) != NULL) {
        abort();
    }
    return k;
}

#endif
