// SPDX-License-Identifier: MIT
/** @file
 * What makes a driver of the core: its calls, its files, its GPU's time. A driver is one constant
 * struct lull_vd_driver and what its functions do.
 *
 * Functions that answer system calls return 0 or a negative errno, as the kernel's do; the name of
 * the kernel function whose checks are followed stands at each. All of it runs under the lock of
 * thread.c, which only lull_vd_wait() releases: what is needed behind a wait must be owned.
 */
#ifndef LULL_VDRM_CORE_DRIVER_H
#define LULL_VDRM_CORE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "vdrm/core/file.h"

struct lull_vd;

/** Who may make a call, and what it needs. */
enum {
    LULL_VD_RENDER = 1, ///< Also through render nodes.
    LULL_VD_AUTH = 2,   ///< Only authenticated clients.
    LULL_VD_MASTER = 4,
    LULL_VD_ROOT = 8,
    LULL_VD_MEMORY = 16, ///< -ENOMEM may mean that what ended clients had is still to be freed.
};

/** What a descriptor in the argument of a call is; bits. */
enum {
    LULL_VD_FD_IN = 1,  ///< One of the client's.
    LULL_VD_FD_OUT = 2, ///< A new one.
};

struct lull_vd_ioctl {
    unsigned long request;
    unsigned who;
    /** @p arg: a copy of the client's, zero behind what it gave. NULL: -EOPNOTSUPP. */
    int (*call)(struct lull_vd_file *f, void *arg);
    unsigned fd;                        ///< LULL_VD_FD_*; 0: there is none.
    size_t fd_at;                       ///< Where it is: an int.
    unsigned (*fd_by)(const void *arg); ///< Instead of fd, where the argument decides.
};

/** The row of @p request, by its number alone; NULL: there is no such call. */
const struct lull_vd_ioctl *lull_vd_ioctl_of(const struct lull_vd *d, unsigned long request);
/** drm_ioctl() */
int lull_vd_drm_ioctl(struct lull_vd_file *f, unsigned long request, void *arg);

/** A name, and what it says or points to. */
struct lull_vd_entry {
    const char *name, *text;
};

/** The device in sysfs: what the machine's folder has beside dev/dri. Paths without first slash. */
struct lull_vd_sysfs {
    const char *device; ///< The folder of the device.
    const char *bus;    ///< The same by its bus, as programs open it: with first and last slash.
    const char *const *folders; ///< In order.
    size_t nfolders;
    const struct lull_vd_entry *links, *texts;
    size_t nlinks, ntexts;
    const char *const *files; ///< Of the device, that file() knows.
    size_t nfiles;
    /** What a file of the device says; nothing: there is none. */
    void (*file)(const struct lull_vd *d, const char *name, struct lull_str *ret);
    /** PCI configuration space, type 0 header, given as zeros; NULL: no PCI device. */
    void (*config)(const struct lull_vd *d, uint8_t ret[256]);
};

struct lull_vd_driver {
    const char *name, *date, *desc; ///< DRM_IOCTL_VERSION
    int major, minor;
    const char *unique;                 ///< DRM_IOCTL_GET_UNIQUE: "bus:device".
    const char *device;                 ///< In debugfs's paths beside the numbers of minors.
    const char *log;                    ///< What its lines in the kernel log begin with.
    const struct lull_vd_ioctl *ioctls; ///< Numbers DRM_COMMAND_BASE and above.
    size_t nioctls;
    const struct lull_vd_node *nodes;
    size_t nnodes;
    const struct lull_vd_sysfs *sysfs;
    size_t file_size, bo_size; ///< Of its DRM files and buffers, which begin with the core's.
    unsigned ns_per_cycle;     ///< Of its GPU's clock.

    /** The core is there: the rest, before any thread. @return 0 or -errno. */
    int (*start)(struct lull_vd *d);
    /** All files and buffers are gone: what start() made, and what there was before. */
    void (*done)(struct lull_vd *d);

    /** A DRM file is opened. @return 0 or -errno. */
    int (*open)(struct lull_vd_file *f);
    /** It is closed: what it has put on the GPU must be gone. */
    void (*close)(struct lull_vd_file *f);
    /** Free what it holds, as many things as @p budget still allows. @return All are gone. */
    bool (*drop)(struct lull_vd_file *f, unsigned *budget);
    /** Its handle for a buffer is gone: no mapping of its own stays. */
    void (*forget)(struct lull_vd_file *f, struct lull_vd_bo *bo);

    /* The GPU's time. */

    /** Collect what is done, put what is ready on the rings. @return Something happened. */
    bool (*advance)(struct lull_vd *d);
    /** Let the GPU run. @return Cycles that passed; 0: nothing can move. */
    uint64_t (*run)(struct lull_vd *d, uint64_t cycles);
    /** What its clock says, in cycles. */
    uint64_t (*clock)(const struct lull_vd *d);
    /** Is anything submitted that is not done? */
    bool (*busy)(const struct lull_vd *d);
    /** Does it stand because somebody wants it to? Then nothing is a hang. */
    bool (*held)(const struct lull_vd *d);
    /** End what has run, or not moved, for too long. @return There was something. */
    bool (*check)(struct lull_vd *d);
    /** A client waits for ever and nothing moves: end the oldest that is on the GPU. @return There
     * was something. */
    bool (*end_stall)(struct lull_vd *d);
    /* These may be NULL. */
    /** Nobody has @p bo any more: give back what of it is the driver's. */
    void (*bo_done)(struct lull_vd *d, struct lull_vd_bo *bo);
    /** Memory of another file lies now at @p mem, in a region. */
    void (*mapped)(const struct lull_vd *d, const uint8_t *mem, uint64_t size);
    /** While on, run() moves nothing of programs. @return It can do that. */
    bool (*pause)(struct lull_vd *d, bool on);
    /** Cycles so far in which all that could move was asleep. */
    uint64_t (*slept)(const struct lull_vd *d);
    /** Let cycles of the clock pass in which nothing moves. */
    void (*idle)(struct lull_vd *d, uint64_t cycles);
    /** From now on the GPU tells of its packets (lull_vd_crumb()): all, or those that draw.
     * @return It can do that. */
    bool (*crumbs)(struct lull_vd *d, bool packets);
};

#endif
