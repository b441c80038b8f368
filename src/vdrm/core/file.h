// SPDX-License-Identifier: MIT
/** @file
 * Files: what programs open, and what is behind their descriptors.
 */
#ifndef LULL_VDRM_CORE_FILE_H
#define LULL_VDRM_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"
#include "vdrm/core/bo.h"
#include "vdrm/core/heap.h"

struct lull_vd;
struct lull_vd_file;
struct lull_vd_syncobj;

enum lull_vd_kind {
    LULL_VD_DRM,
    LULL_VD_SYNCOBJ_FD,
    LULL_VD_SYNC_FILE,
    LULL_VD_DMA_BUF,
    LULL_VD_KMSG,
    LULL_VD_TEXT,  ///< Read once, at open.
    LULL_VD_NODE,  ///< A file of the driver's in debugfs.
    LULL_VD_ALIAS, ///< Another fd of the file `alias`.
};

/** A file of the driver's. What stands as NULL is refused; buffers and arguments are the client's.
 */
struct lull_vd_node {
    const char *name; ///< In debugfs; elsewhere a path, in which * is anything but a slash.
    size_t size;      ///< Of an open file: what it holds begins with struct lull_vd_file. 0: that.
    /** Instead of the others: what the file says, written at open. */
    void (*text)(struct lull_vd *d, struct lull_str *ret);
    /** May refuse, with a negative errno: then close is not called. May be NULL. */
    int (*open)(struct lull_vd_file *f, const char *path);
    ssize_t (*read)(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
    ssize_t (*write)(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
    int (*ioctl)(struct lull_vd_file *f, unsigned long request, uint64_t arg);
    void (*close)(struct lull_vd_file *f); ///< Nobody finds the file any more.
};

/** What every driver's DRM file begins with (lull_vd_driver.file_size). */
struct lull_vd_file {
    struct lull_vd *d;
    struct lull_vd_file *next;
    int fd;    ///< -1: closed.
    int give;  ///< Isolated, not a DRM file: the end of a pipe that goes to the client, or -1.
    int flags; ///< As opened.
    enum lull_vd_kind kind;
    struct lull_vd_file *alias; ///< LULL_VD_ALIAS
    unsigned fds;               ///< File descriptors: its own and aliases; 0: closed, waits end.
    unsigned pins;              ///< Calls that use it.
    pid_t pid;                  ///< That opened it.
    bool hung_up;               ///< Waits end: see lull_vd_file_hang_up().
    // LULL_VD_DRM
    uint32_t id; ///< From 1, for messages.
    bool render, master, authenticated;
    uint32_t magic;
    struct lull_vd_own *own; ///< NULL: not isolated.
    struct lull_vd_idr bos, syncobjs;
    struct lull_vd_bo **parked; ///< Userptr buffers without a handle, until the client has let go.
    size_t nparked;
    // the others
    const struct lull_vd_node *node; ///< LULL_VD_NODE
    struct lull_vd_syncobj *syncobj;
    struct lull_vd_fence *fence;
    bool told;             ///< The fence is done, and the client's end of the pipe says so.
    struct lull_vd_bo *bo; ///< LULL_VD_DMA_BUF, a reference.
    uint64_t kmsg_next;
    struct lull_str text;
};

/** The file of this descriptor, an alias too; NULL: none. */
struct lull_vd_file *lull_vd_file_find(const struct lull_vd *d, int fd);
/** The same; of an alias the file that it stands for. */
struct lull_vd_file *lull_vd_file_of(const struct lull_vd *d, int fd);
/** New file whose descriptor is one of @p own, borrowed; NULL: as lull_vd_file_new(). */
int lull_vd_file_new_own(struct lull_vd *d, enum lull_vd_kind kind, const struct lull_vd_own *own,
                         struct lull_vd_file **ret);
/** New file with a file descriptor of its own, or -errno. */
int lull_vd_file_new(struct lull_vd *d, enum lull_vd_kind kind, int flags,
                     struct lull_vd_file **ret);
/** The same for an open @p node. */
int lull_vd_file_new_node(struct lull_vd *d, const struct lull_vd_node *node, int flags,
                          struct lull_vd_file **ret);

/** The end of a file's pipe that goes to the client, once; the caller's then. -1: none. */
int lull_vd_file_give(struct lull_vd *d, int fd);
/** Nobody has the file any more: calls on it do not wait from now on. */
void lull_vd_file_hang_up(struct lull_vd *d, int fd);

/** What mmap(2) asks of a DRM file. */
struct lull_vd_mapping {
    uint64_t offset, size; ///< Bytes.
    int prot, flags;       ///< PROT_*, MAP_*.
};

/**
 * The buffer that a mapping shows, borrowed; with the lock held. Its memory is in bo->own at
 * own_offset, or in the GPU's memfd at offset.
 *
 * @return 0 or -errno, as drm_gem_mmap().
 */
int lull_vd_mmap_check(const struct lull_vd_file *f, const struct lull_vd_mapping *m,
                       struct lull_vd_bo **ret);

#endif
