// SPDX-License-Identifier: MIT
/** @file
 * Sync objects: a fence that can be replaced, or a timeline of fences. Telling programs that poll.
 */
#ifndef LULL_VDRM_CORE_SYNCOBJ_H
#define LULL_VDRM_CORE_SYNCOBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lull_vd;
struct lull_vd_fence;
struct lull_vd_file;

/** A link of a timeline, or (the first only) a plain fence. */
struct lull_vd_point {
    uint64_t seqno, prev_seqno, context; ///< context: links of one are in order.
    bool plain;
    struct lull_vd_fence *fence; ///< A reference.
};

struct lull_vd_syncobj {
    unsigned refs;
    struct lull_vd_point *points; ///< None: no fence.
    size_t n, room;
};

struct lull_vd_syncobj *lull_vd_syncobj_new(struct lull_vd_fence *fence);
void lull_vd_syncobj_put(struct lull_vd_syncobj *s);
void lull_vd_syncobj_replace(struct lull_vd *d, struct lull_vd_syncobj *s,
                             struct lull_vd_fence *fence);
int lull_vd_syncobj_add_point(struct lull_vd *d, struct lull_vd_syncobj *s,
                              struct lull_vd_fence *fence, uint64_t point);
struct lull_vd_syncobj *lull_vd_syncobj_lookup(const struct lull_vd_file *f, uint32_t handle);
/** Is there a fence for the point, and (unless @p available) is it done? */
bool lull_vd_syncobj_reached(struct lull_vd_syncobj *s, uint64_t point, bool available);

/** A file's name of a sync object, or with point != 0 a point on its timeline. */
struct lull_vd_sync {
    uint32_t handle;
    uint64_t point;
    uint64_t flags; ///< DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT
};

/**
 * drm_syncobj_find_fence(): @p take is called for each fence that is not done of those that
 * @p sync stands for. It takes a reference of what it keeps.
 *
 * @return 0, -errno, or -ENOMEM if take says no.
 */
int lull_vd_syncobj_fences(struct lull_vd_file *f, const struct lull_vd_sync *sync,
                           bool (*take)(void *ctx, struct lull_vd_fence *fence), void *ctx);

/** A handle for @p s, which the caller has just made: its reference goes over. @return 0 or
 * -ENOMEM, and then the sync object is gone. */
int lull_vd_syncobj_publish(struct lull_vd_file *f, struct lull_vd_syncobj *s, uint32_t *ret);
/** A descriptor for @p s, of which it takes a reference. @return 0 or -errno. */
int lull_vd_syncobj_fd(struct lull_vd *d, struct lull_vd_syncobj *s, int *ret);
/** A sync file: a descriptor that stands for @p fence, of which it takes a reference. @return 0 or
 * -errno. */
int lull_vd_sync_file(struct lull_vd *d, struct lull_vd_fence *fence, int *ret);
/** What a sync file stands for, borrowed; NULL: the descriptor is no sync file. */
struct lull_vd_fence *lull_vd_sync_file_fence(const struct lull_vd *d, int fd);

/* Calls. */

int lull_vd_syncobj_create(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_destroy(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_to_fd(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_from_fd(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_transfer(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_wait(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_timeline_wait(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_reset(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_signal(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_timeline_signal(struct lull_vd_file *f, void *arg);
int lull_vd_syncobj_query(struct lull_vd_file *f, void *arg);
/** drm_syncobj_eventfd_ioctl() */
int lull_vd_event_add(struct lull_vd_file *f, void *arg);

/** An eventfd that waits for a point of a sync object. */
struct lull_vd_event {
    struct lull_vd_event *next;
    struct lull_vd_file *file;       ///< That registered it, and takes it along when it goes.
    struct lull_vd_syncobj *syncobj; ///< A reference.
    uint64_t point;
    bool available; ///< A fence is enough; it need not be done.
    int fd;
};

/** Tell eventfds and sync files of fences that are done. */
void lull_vd_notify(struct lull_vd *d);
/** Forget the eventfds that @p f registered. */
void lull_vd_events_drop(struct lull_vd_file *f);

#endif
