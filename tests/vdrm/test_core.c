// SPDX-License-Identifier: MIT
// The core of the virtual driver under a driver of a few lines, "toy": what any driver gets from
// its table. What calls answer is what Linux's do: drm_ioctl.c, drm_gem.c, drm_syncobj.c.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drm/amdgpu/amdgpu.h"
#include "drm/core/file.h"
#include "drm/core/syncobj.h"
#include "test.h"
#include "uapi/drm.h"
#include "vdrm/core/client.h"
#include "vdrm/core/server.h"
#include "vdrm/core/syncobj.h"
#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"
#include "vdrm/core/wait.h"

/* The toy: one call makes a buffer, one does work for some cycles and then signals. */

enum { TOY_PAGES = 1 << 11, TOY_JOBS = 8, TOY_NS = 52 };
#define TOY_SIZE ((uint64_t)TOY_PAGES << LULL_VD_PAGE_SHIFT)
#define TOY_BASE 0x100000000ull
#define TOY_STUCK UINT64_MAX // cycles: only end_stall() ends it

struct toy_new {
    uint64_t size, offset;
    uint32_t handle, flags;
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
    int opened, closed, things, forgotten, nodes, done;
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
    struct lull_vd_bo *bo = NULL;
    int r = lull_vd_bo_new(f, arg->size, 0, 1, &bo);
    if (r != 0) {
        return r;
    }
    ((struct toy_bo *)bo)->flags = arg->flags;
    bo->no_map = (arg->flags & TOY_NO_MAP) != 0;
    bo->no_export = (arg->flags & TOY_NO_EXPORT) != 0;
    arg->offset = bo->offset;
    return lull_vd_bo_publish(f, bo, &arg->handle);
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

/* The tests. */

static int open_render(struct lull_kernel *k)
{
    return k->open(k, "/dev/dri/renderD128", O_RDWR);
}

static int make(struct lull_kernel *k, int fd, uint64_t size, uint32_t flags, struct toy_new *ret)
{
    *ret = (struct toy_new){.size = size, .flags = flags};
    return k->ioctl(k, fd, TOY_NEW, ret);
}

static int bo_close(struct lull_kernel *k, int fd, uint32_t handle)
{
    struct drm_gem_close arg = {.handle = handle};
    return k->ioctl(k, fd, DRM_IOCTL_GEM_CLOSE, &arg);
}

static void same(long long got, long long want, const char *name)
{
    test_case(got == want, name, "got %lld, not %lld", got, want);
}

static void test_names(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int fd = open_render(k), card = k->open(k, "/dev/dri/card0", O_RDWR);
    char name[8] = "", desc[8] = "", unique[16] = "", log[64] = "";
    struct drm_version v = {.name = name, .name_len = 7, .desc = desc, .desc_len = 7};
    struct drm_unique u = {.unique = unique, .unique_len = sizeof unique};
    k->ioctl(k, fd, DRM_IOCTL_VERSION, &v);
    k->ioctl(k, card, DRM_IOCTL_GET_UNIQUE, &u);
    test_case(strcmp(name, "toy") == 0 && strcmp(desc, "a toy") == 0 && v.version_major == 7 &&
                  v.version_minor == 8,
              "VERSION says the driver's", "%s %s %d.%d", name, desc, v.version_major,
              v.version_minor);
    test_case(strcmp(unique, "platform:toy") == 0, "GET_UNIQUE says the device's", "%s", unique);
    const int kmsg = k->open(k, "/dev/kmsg", O_RDONLY);
    const ssize_t n = k->pread(k, kmsg, log, sizeof log - 1, 0);
    test_case(n > 0 && strstr(log, ";toy: toy 52\n") != NULL,
              "the kernel log has the driver's word", "%zd: %s", n, log);
    k->destroy(k);
}

static void test_rights(void)
{
    static const struct {
        const char *name;
        bool first; // The first who opens card0, else the second.
        bool render;
        unsigned long request;
        int want;
    } rows[] = {
        {"another letter than d", true, false, _IO('e', 0), -ENOTTY},
        {"a number that nobody has", true, false, DRM_IO(0x20), -EINVAL},
        {"a number of drivers that this one has not", true, false, DRM_IO(DRM_COMMAND_BASE + 9),
         -EINVAL},
        {"a core call that nothing answers", true, false, DRM_IOCTL_MODE_GETRESOURCES, -EOPNOTSUPP},
        {"one that render nodes do not have", true, true, DRM_IOCTL_MODE_GETRESOURCES, -EACCES},
        {"one for the master, by another", false, false, DRM_IOCTL_MODE_DIRTYFB, -EACCES},
        {"one of the driver's, not authenticated", false, false, TOY_NEW, -EACCES},
        {"the same through a render node", true, true, TOY_NEW, 0},
        {"the same by the master", true, false, TOY_NEW, 0},
    };
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int card[2] = {k->open(k, "/dev/dri/card0", O_RDWR),
                         k->open(k, "/dev/dri/card0", O_RDWR)};
    const int render = open_render(k);
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        union {
            struct toy_new toy;
            uint8_t bytes[256];
        } arg = {.toy = {.size = 1}};
        const int fd = rows[i].render ? render : card[rows[i].first ? 0 : 1];
        same(k->ioctl(k, fd, rows[i].request, &arg), rows[i].want, rows[i].name);
    }
    k->destroy(k);
}

static void test_buffers(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int fd = open_render(k);
    struct toy_new a = {0}, b = {0}, c = {0};
    same(make(k, fd, 0, 0, &a), -ENOSPC, "a buffer of no bytes");
    same(make(k, fd, TOY_SIZE + 1, 0, &a), -ENOMEM, "a buffer larger than the memory");
    make(k, fd, 5000, 0, &a);
    make(k, fd, 1, TOY_NO_MAP, &b);
    test_case(a.handle == 1 && b.handle == 2, "handles count from 1", "%u %u", a.handle, b.handle);
    test_case(a.offset == 0 && b.offset == 2 << LULL_VD_PAGE_SHIFT, "sizes are rounded up to pages",
              "0x%llx 0x%llx", (unsigned long long)a.offset, (unsigned long long)b.offset);
    void *map = NULL;
    same(k->mmap(k, fd, 2 << LULL_VD_PAGE_SHIFT, a.offset, &map), 0, "mmap of a buffer");
    memset(map, 0x5a, 5000);
    const struct toy *t = (const struct toy *)lull_vd_of(k);
    test_case(t->mem[4999] == 0x5a, "what is written is the GPU's memory", "0x%x", t->mem[4999]);
    k->munmap(k, map, 2 << LULL_VD_PAGE_SHIFT);
    same(k->mmap(k, fd, LULL_VD_PAGE, b.offset, &map), -EPERM, "mmap of one that says no");
    same(k->mmap(k, fd, LULL_VD_PAGE, LULL_VD_PAGE, &map), -EINVAL, "mmap from a buffer's middle");
    same(bo_close(k, fd, a.handle), 0, "GEM_CLOSE");
    same(bo_close(k, fd, a.handle), -EINVAL, "GEM_CLOSE again");
    same(counts.forgotten, 1, "the driver forgets the buffer");
    make(k, fd, 5000, 0, &c);
    test_case(c.handle == a.handle && c.offset == a.offset && t->mem[4999] == 0,
              "handle and place are given out again, as zeros", "%u 0x%llx 0x%x", c.handle,
              (unsigned long long)c.offset, t->mem[4999]);
    k->destroy(k);
}

static void test_prime(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int fd = open_render(k), other = open_render(k);
    struct toy_new a = {0}, b = {0};
    make(k, fd, 1, 0, &a);
    make(k, fd, 1, TOY_NO_EXPORT, &b);
    struct drm_prime_handle out = {.handle = a.handle}, no = {.handle = b.handle};
    same(k->ioctl(k, fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &no), -EPERM, "export of one that says no");
    same(k->ioctl(k, fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out), 0, "export");
    struct drm_prime_handle in = {.fd = out.fd};
    same(k->ioctl(k, other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in), 0, "import in another file");
    k->close(k, fd);
    k->close(k, out.fd);
    void *map = NULL;
    same(k->mmap(k, other, 1, a.offset, &map), 0, "the importer maps it when the maker has gone");
    k->destroy(k);
}

static uint32_t syncobj(struct lull_kernel *k, int fd)
{
    uint32_t handle = 0;
    struct lull_error *err = lull_syncobj_create(k, fd, false, &handle);
    lull_error_free(err);
    return handle;
}

static int work(struct lull_kernel *k, int fd, uint32_t sync, uint64_t cycles)
{
    struct toy_work arg = {.cycles = cycles, .syncobj = sync};
    return k->ioctl(k, fd, TOY_WORK, &arg);
}

static int wait_for(struct lull_kernel *k, int fd, uint32_t sync, int64_t until)
{
    struct drm_syncobj_wait arg = {
        .handles = lull_vd_ptr(&sync), .count_handles = 1, .timeout_nsec = until};
    return k->ioctl(k, fd, DRM_IOCTL_SYNCOBJ_WAIT, &arg);
}

static void test_time(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){.poll_cycles = 10}, &counts);
    const int fd = open_render(k);
    const uint32_t s = syncobj(k, fd);
    same(wait_for(k, fd, s, 0), -EINVAL, "a sync object without a fence");
    same(work(k, fd, s + 1, 1), -ENOENT, "work for a sync object that is not there");
    work(k, fd, s, 1000);
    const uint64_t start = k->now_ns(k);
    same(wait_for(k, fd, s, 0), -ETIME, "a look before its time");
    same((long long)(k->now_ns(k) - start), 10 * TOY_NS, "lets one poll pass");
    same(wait_for(k, fd, s, (int64_t)(start + 100 * TOY_NS)), -ETIME, "a wait that is too short");
    same((long long)(k->now_ns(k) - start), 100 * TOY_NS, "ends at its time");
    same(wait_for(k, fd, s, (int64_t)(start + 1000000 * TOY_NS)), 0, "a wait that is long enough");
    same((long long)(k->now_ns(k) - start), 1000 * TOY_NS, "ends with the work");
    work(k, fd, s, TOY_STUCK);
    const uint64_t before = k->now_ns(k);
    same(wait_for(k, fd, s, (int64_t)(before + 5000 * TOY_NS)), -ETIME, "work that does not move");
    same((long long)(k->now_ns(k) - before), 5000 * TOY_NS, "the client's clock goes on");
    same(toy_of(lull_vd_of(k))->njobs, 1, "it is left alone");
    same(wait_for(k, fd, s, INT64_MAX), 0, "a wait without end for it");
    same(toy_of(lull_vd_of(k))->njobs, 0, "ends it");
    k->destroy(k);
}

static void test_event(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){.isolate = true}, &counts);
    const int fd = open_render(k);
    const uint32_t s = syncobj(k, fd);
    work(k, fd, s, 50);
    struct drm_syncobj_handle h = {.handle = s,
                                   .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    same(k->ioctl(k, fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), 0, "a sync file");
    struct pollfd p = {.fd = lull_vd_file_give(lull_vd_of(k), h.fd), .events = POLLIN};
    same(poll(&p, 1, 0), 0, "says nothing before its fence is done");
    wait_for(k, fd, s, INT64_MAX);
    same(poll(&p, 1, 0), 1, "and then does");
    close(p.fd);
    k->destroy(k);
}

// A call as the server makes it for another process, whose descriptors are not ours.
static void test_descriptors(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){.isolate = true}, &counts);
    const int fd = open_render(k);
    const uint32_t one = syncobj(k, fd), two = syncobj(k, fd);
    struct lull_vd_client c = {.peer = {.pid = getpid(), .pidfd = -1}, .arg_fd = -1, .want_fd = -1};
    c.peer.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    lull_vd_client_set(&c);
    c.out_fd = -1;
    struct toy_work arg = {.cycles = 100, .syncobj = one};
    k->ioctl(k, fd, TOY_WORK, &arg);
    test_case(c.want_fd == -1 && c.out_fd == -1, "no descriptor in a call", "%d %d", c.want_fd,
              c.out_fd);
    arg.flags = TOY_FENCE_OUT;
    k->ioctl(k, fd, TOY_WORK, &arg);
    test_case(c.out_fd >= 0 && arg.fence == -1 && c.out_at == lull_vd_ptr(&arg.fence),
              "a new one is kept back for the client", "%d %d", c.out_fd, arg.fence);
    const int first = c.out_fd;
    arg = (struct toy_work){.syncobj = two, .flags = TOY_FENCE_IN | TOY_FENCE_OUT, .fence = 77};
    c.out_fd = -1;
    test_case(k->ioctl(k, fd, TOY_WORK, &arg) == -EBADF && c.want_fd == 77 && c.out_fd == -1,
              "one that is given is asked for first", "%d %d", c.want_fd, c.out_fd);
    c.arg_fd = first;
    same(k->ioctl(k, fd, TOY_WORK, &arg), 0, "and then the call is made");
    test_case(c.out_fd >= 0 && c.out_fd != first && arg.fence == -1, "with a new one as well",
              "%d %d", c.out_fd, arg.fence);
    const uint64_t start = k->now_ns(k);
    same(wait_for(k, fd, two, INT64_MAX), 0, "work behind a sync file");
    same((long long)(k->now_ns(k) - start), 100 * TOY_NS, "ends when that does");
    c.arg_fd = fd;
    same(k->ioctl(k, fd, TOY_WORK, &arg), -EINVAL, "a descriptor of something else");
    lull_vd_client_set(NULL);
    close(c.peer.pidfd);
    k->destroy(k);
}

static void test_files(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    char text[32] = "";
    const int one = k->open(k, "/sys/kernel/debug/dri/0/toy_store", O_RDWR);
    const int two = k->open(k, "/sys/kernel/debug/dri/toy.0/toy_store", O_RDWR);
    same(k->pwrite(k, one, "first", 5, 0), 5, "a file of the driver's takes what is written");
    k->pwrite(k, two, "second", 6, 0);
    const ssize_t n = k->pread(k, one, text, sizeof text, 1);
    test_case(n == 7 && strcmp(text, "irst") == 0, "each open file has its own", "%zd: %s", n,
              text);
    same(k->ioctl(k, one, TOY_NEW, text), -ENOTTY, "and no ioctl if it has none");
    k->close(k, one);
    same(counts.nodes, 1, "close() of the file is called");
    const int clock = k->open(k, "/sys/kernel/debug/dri/128/toy_text", O_RDONLY);
    memset(text, 0, sizeof text);
    same(k->pread(k, clock, text, sizeof text, 0), 1, "a text of the driver's");
    same(k->open(k, "/sys/kernel/debug/dri/0/none", O_RDONLY), -ENOENT, "no such file in debugfs");
    const int uevent = k->open(k, "/sys/class/drm/card0/device/uevent", O_RDONLY);
    memset(text, 0, sizeof text);
    k->pread(k, uevent, text, sizeof text, 0);
    test_case(strcmp(text, "DRIVER=toy\n") == 0, "a file of the device in sysfs", "%s", text);
    test_case(k->open(k, "/sys/devices/toy/uevent", O_RDONLY) >= 0 &&
                  k->open(k, "/sys/devices/toy/uevent", O_RDWR) == -EACCES &&
                  k->open(k, "/sys/devices/toy/config", O_RDONLY) == -ENOENT,
              "by its bus; not to be written; no others", "wrong");
    k->destroy(k);
    same(counts.nodes, 2, "the end closes what is open");
}

static bool says(int dir, const char *path, const char *want)
{
    char text[32] = "";
    const int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return n >= 0 && strcmp(text, want) == 0;
}

static void test_tree(const char *dir)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    same(lull_vd_sysfs_tree(lull_vd_of(k), at), 0, "the machine as files");
    test_case(says(at, DEVICE "/self/uevent", "DRIVER=toy\n") &&
                  says(at, DEVICE "/enable", "1\n") && says(at, "dev/dri/card0", "") &&
                  says(at, "dev/dri/renderD128", ""),
              "has links, texts, the device's files and nodes", "not all");
    test_case(faccessat(at, DEVICE "/config", F_OK, 0) != 0, "and no PCI", "there is a config");
    close(at);
    k->destroy(k);
}

static void test_close(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    const int fd = open_render(k);
    struct toy_new a = {0};
    make(k, fd, TOY_SIZE, 0, &a);
    k->close(k, fd);
    test_case(counts.opened == 1 && counts.closed == 1 && counts.things == 100 && counts.done == 0,
              "closing a file drops all that the driver has in it, in parts", "%d %d %d %d",
              counts.opened, counts.closed, counts.things, counts.done);
    same(make(k, open_render(k), TOY_SIZE, 0, &a), 0, "and its buffers");
    k->destroy(k);
    test_case(counts.opened == 2 && counts.closed == 2 && counts.things == 200 && counts.done == 1,
              "the end closes files first, then the driver", "%d %d %d %d", counts.opened,
              counts.closed, counts.things, counts.done);
}

static void says_error(struct lull_error *err, const char *want, const char *name)
{
    const char *got = err != NULL ? lull_error_message(err) : "no error";
    test_case(strcmp(got, want) == 0, name, "%s", got);
    lull_error_free(err);
}

// What clients of DRM have for any driver.
static void test_client(void)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k = toy_kernel((struct lull_vd_options){0}, &counts);
    int fd = -1;
    struct toy_new a = {0};
    struct lull_error *err = lull_drm_open(k, "/dev/dri/renderD128", "toy", &fd);
    test_case(err == NULL && fd >= 0, "opened by the driver's name", "%d", fd);
    lull_error_free(err);
    says_error(lull_amdgpu_open(k, "/dev/dri/renderD128", &(int){-1}),
               "/dev/dri/renderD128: its driver is toy, not amdgpu", "not by another's");
    make(k, fd, 1, 0, &a);
    says_error(lull_drm_gem_close(k, fd, a.handle), "no error", "a buffer is closed");
    says_error(lull_drm_gem_close(k, fd, a.handle),
               "GEM_CLOSE of handle 1: no such buffer: Invalid argument", "closed again");
    k->destroy(k);
}

// Another process's way: everything through a socket, on the driver's own thread.
static void test_served(const char *dir)
{
    struct toy_counts counts = {0};
    struct lull_kernel *k =
        toy_kernel((struct lull_vd_options){.isolate = true, .threaded = true}, &counts);
    struct lull_server *server = NULL;
    struct lull_kernel *c = NULL;
    char path[128] = "";
    snprintf(path, sizeof path, "%s/toy.sock", dir);
    struct lull_error *err = lull_server_new(k, path, false, &server);
    err = err == NULL ? lull_client_new(path, &c) : err;
    if (!test_case(err == NULL, "a server for the driver", "%s",
                   err != NULL ? lull_error_message(err) : "")) {
        lull_error_free(err);
        return;
    }
    const int fd = open_render(c);
    struct toy_new a = {0};
    void *map = NULL;
    same(make(c, fd, 1, 0, &a), 0, "a buffer through it");
    same(c->mmap(c, fd, LULL_VD_PAGE, a.offset, &map), 0, "its memory");
    memcpy(map, "seen", 4);
    const struct toy *t = (const struct toy *)lull_vd_of(k);
    test_case(memcmp(t->mem + a.offset, "seen", 4) == 0, "is the GPU's", "%.4s",
              (const char *)t->mem + a.offset);
    const uint32_t s = syncobj(c, fd);
    work(c, fd, s, 1000);
    same(wait_for(c, fd, s, INT64_MAX), 0, "a wait that the driver's thread ends");
    c->munmap(c, map, LULL_VD_PAGE);
    c->close(c, fd);
    c->destroy(c);
    lull_server_free(server);
    k->destroy(k);
    same(counts.things, 100, "nothing is left");
}

int main(void)
{
    char dir[] = "/tmp/lull-core-XXXXXX", tree[64] = "";
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    test_names();
    test_rights();
    test_buffers();
    test_prime();
    test_time();
    test_event();
    test_descriptors();
    test_files();
    test_close();
    test_client();
    test_served(dir);
    snprintf(tree, sizeof tree, "rm -rf %s", dir);
    test_tree(dir);
    return system(tree) != 0 ? 1 : test_end();
}
