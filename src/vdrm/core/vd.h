// SPDX-License-Identifier: MIT
/** @file
 * A kernel with a virtual DRM driver: what all drivers have in common. The driver's own lies
 * around it: its struct begins with struct lull_vd, and what it does is its struct lull_vd_driver.
 *
 * Source: Linux 6.12 drivers/gpu/drm, as facts.
 *
 * What stands here calls only what stands above it (test `cycles`):
 *
 *   heap.c     free ranges, handles
 *   fence.c    fences
 *   door.c     sockets and who comes in
 *   user.c     who makes a call, and its memory
 *   clock.c    clocks and timeouts
 *   log.c      the kernel's log
 *   thread.c   the lock
 *   crumbs.c   packets of programs, by number
 *   worker.c   the thread on which the GPU runs
 *   wait.c     waits, and polls
 *   own.c      memory of one file's own
 *   bo.c       buffers
 *   files.c    files by their descriptors
 *   syncobj.c  sync objects
 *   event.c    eventfds and sync files that programs poll
 *   userptr.c  buffers that take the place of a client's pages
 *   prime.c    buffers shared with other files
 *   ioctl.c    DRM's dispatcher and core ioctls
 *   sysfs.c    the device in sysfs, also as real files for other processes
 *   device.c   files: open, close, mmap, read, write; how it all begins and ends
 *   server.c   the driver for other processes
 *   launch.c   what programs are, and emulators for those of arm64
 *   session.c  programs that have the GPU
 *   client.c   the other end of that: the kernel of another process
 */
#ifndef LULL_VDRM_CORE_VD_H
#define LULL_VDRM_CORE_VD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/tree.h"
#include "drm/core/kernel.h"
#include "vdrm/core/bo.h"
#include "vdrm/core/driver.h"
#include "vdrm/core/file.h"
#include "vdrm/core/thread.h"

enum {
    LULL_VD_MAX_REGIONS = 2,
    LULL_VD_KMSG_LINES = 512,
};

struct lull_vd_options {
    uint32_t poll_cycles; ///< Cycles that one polling call lets pass; 0: the default, 100.
    /** Timeouts are by the machine's CLOCK_MONOTONIC, else by the GPU's time. */
    bool host_clock;
    /** Calls may come from any number of threads, and the GPU runs on a thread of its own. */
    bool threaded;
    /** That share the GPU's work (not its clients'); 0: the GPU's own alone, group by group in the
     * order of the scheduler. */
    unsigned threads;
    /** Clients are other processes: files have memory and descriptors of their own. */
    bool isolate;
    bool own_calls; ///< All calls are lull's own: their pointers are good, and not looked at first.
};

struct lull_vd_kmsg {
    uint64_t time_us;
    unsigned level;
    char text[256];
};

struct lull_vd {
    struct lull_kernel k; ///< First.
    /* Given to lull_vd_start(). */
    const struct lull_vd_driver *driver;
    struct lull_vd_options options;
    int memfd; ///< All regions. The driver's.
    struct lull_vd_region regions[LULL_VD_MAX_REGIONS];
    unsigned nregions;
    /* The core's. */
    struct lull_vd_file *files;
    struct lull_vd_event *events;
    struct lull_tree bos;   ///< Of struct lull_vd_bo.
    struct lull_tree mmaps; ///< Of mappings into the host's memory, by address.
    uint64_t idle_ns;       ///< Time that passed for clients and not for programs on the GPU.
    uint64_t next_context;  ///< Of timelines.
    uint32_t next_file_id, next_magic;
    struct lull_vd_kmsg *kmsg; ///< A ring of LULL_VD_KMSG_LINES.
    uint64_t kmsg_n;
    struct lull_vd_crumbs *crumbs; ///< Owned; NULL: nobody wants them.
    struct lull_vd_thread thread;
    const char *folder; ///< Of the session, for lull_vd_places(); NULL: none. Borrowed.
    int places;         ///< 0: not made yet; 1: they are there; else why not, -errno.
    void (*notify)(struct lull_vd *d); ///< Called with the lock when something changed.
    bool changed;                      ///< Those who wait should look again.
};

static inline struct lull_vd *lull_vd_of(struct lull_kernel *k)
{
    return (struct lull_vd *)k;
}

/**
 * @p d becomes a kernel. It is of malloc() and freed with it, also if this fails: zeros, but for
 * the first fields and the driver's own.
 */
struct lull_error *lull_vd_start(struct lull_vd *d, struct lull_kernel **ret) LULL_MUST_USE;

/** A line of the driver's in the kernel log. @p level: 3 error, 4 warning, 6 information. */
void lull_vd_log(struct lull_vd *d, unsigned level, const char *fmt, ...) LULL_PRINTF(3, 4);
ssize_t lull_vd_kmsg_read(struct lull_vd_file *f, uint64_t buf, size_t size);

/** What the device's file at @p path of sysfs says: 0 or -ENOENT, -ENOMEM. */
int lull_vd_sysfs(const struct lull_vd *d, const char *path, struct lull_str *ret);
/** Make /dev/dri and the device's sysfs as real files below folder @p dir: 0 or -errno. The last is
 * dev/dri/renderD128. */
int lull_vd_sysfs_tree(const struct lull_vd *d, int dir);
/** The same in lull_vd.folder, the first time that a client wants them. */
int lull_vd_places(struct lull_vd *d);

#endif
