// SPDX-License-Identifier: MIT
// Sync objects: a fence that can be replaced, or a timeline of fences.
//
// Source: drm_syncobj.c, dma-fence-chain.c.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/drm.h"
#include "vdrm/core/syncobj.h"
#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"
#include "vdrm/core/wait.h"

enum { MAX_HANDLES = 1 << 20 };
#define SUBMIT_NS 5000000000u // DRM_SYNCOBJ_WAIT_FOR_SUBMIT_TIMEOUT

struct lull_vd_syncobj *lull_vd_syncobj_new(struct lull_vd_fence *fence)
{
    struct lull_vd_syncobj *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->refs = 1;
    s->room = 2;
    s->points = calloc(s->room, sizeof *s->points); // so that replacing cannot fail
    if (s->points == NULL) {
        free(s);
        return NULL;
    }
    if (fence != NULL) {
        s->points[s->n++] =
            (struct lull_vd_point){.plain = true, .fence = lull_vd_fence_get(fence)};
    }
    return s;
}

static void drop_points(struct lull_vd_syncobj *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        lull_vd_fence_put(s->points[i].fence);
    }
    memmove(s->points, s->points + n, (s->n - n) * sizeof *s->points);
    s->n -= n;
}

void lull_vd_syncobj_put(struct lull_vd_syncobj *s)
{
    if (s != NULL && --s->refs == 0) {
        drop_points(s, s->n);
        free(s->points);
        free(s);
    }
}

void lull_vd_syncobj_replace(struct lull_vd *d, struct lull_vd_syncobj *s,
                             struct lull_vd_fence *fence)
{
    d->changed = true;
    struct lull_vd_fence *keep = fence != NULL ? lull_vd_fence_get(fence) : NULL;
    drop_points(s, s->n);
    if (keep != NULL) {
        s->points[s->n++] = (struct lull_vd_point){.plain = true, .fence = keep};
    }
}

// Links before the first that is not done carry nothing any more; the newest stays.
static void collect(struct lull_vd_syncobj *s)
{
    size_t n = 0;
    while (n + 1 < s->n && s->points[n].fence->done) {
        n++;
    }
    drop_points(s, n);
}

static bool points_reserve(struct lull_vd_syncobj *s, size_t more)
{
    if (s->points == NULL || s->n + more > s->room) {
        const size_t room = 2 * (s->n + more);
        struct lull_vd_point *points = realloc(s->points, room * sizeof *points);
        if (points == NULL) {
            return false;
        }
        s->points = points;
        s->room = room;
    }
    return true;
}

// One point that stands for @p n fences: as many links that differ in nothing else.
static int add_links(struct lull_vd *d, struct lull_vd_syncobj *s, struct lull_vd_fence **fences,
                     size_t n, uint64_t point)
{
    collect(s);
    d->changed = true;
    if (!points_reserve(s, n)) {
        return -ENOMEM;
    }
    // dma_fence_chain_init()
    const struct lull_vd_point *prev = s->n > 0 ? &s->points[s->n - 1] : NULL;
    struct lull_vd_point p = {.seqno = point};
    if (prev != NULL && !prev->plain && point > prev->seqno) {
        p.context = prev->context;
        p.prev_seqno = prev->seqno;
    } else {
        p.context = ++d->next_context;
        p.seqno = prev != NULL && !prev->plain && prev->seqno > point ? prev->seqno : point;
    }
    for (size_t i = 0; i < n; i++) {
        p.fence = lull_vd_fence_get(fences[i]);
        s->points[s->n++] = p;
    }
    return 0;
}

int lull_vd_syncobj_add_point(struct lull_vd *d, struct lull_vd_syncobj *s,
                              struct lull_vd_fence *fence, uint64_t point)
{
    return add_links(d, s, &fence, 1, point);
}

struct lull_vd_syncobj *lull_vd_syncobj_lookup(const struct lull_vd_file *f, uint32_t handle)
{
    return lull_vd_idr_find(&f->syncobjs, handle);
}

// What stands for point @p seqno: links 0 to ret - 1 must all be done. -EINVAL: nothing yet.
// dma_fence_chain_find_seqno()
static int find_seqno(struct lull_vd_syncobj *s, uint64_t seqno, size_t *ret)
{
    if (s->n == 0) {
        return -EINVAL;
    }
    if (seqno == 0) {
        *ret = s->n;
        return 0;
    }
    const struct lull_vd_point *last = &s->points[s->n - 1];
    if (last->plain || last->seqno < seqno) {
        return -EINVAL;
    }
    size_t i = s->n;
    while (i > 0 && s->points[i - 1].context == last->context &&
           s->points[i - 1].prev_seqno >= seqno) {
        i--;
    }
    *ret = i;
    return 0;
}

static bool points_done(const struct lull_vd_syncobj *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!s->points[i].fence->done) {
            return false;
        }
    }
    return true;
}

struct submit_wait {
    struct lull_vd_syncobj *s;
    uint64_t point;
    size_t n;
};

static bool submitted(void *arg)
{
    struct submit_wait *w = arg;
    return find_seqno(w->s, w->point, &w->n) == 0;
}

// find_seqno(), with the wait of drm_syncobj_find_fence() for somebody to submit what will signal
// it. Without threads nobody can meanwhile.
static int wait_submit(struct lull_vd_file *f, struct lull_vd_syncobj *s, uint64_t point,
                       uint64_t flags, size_t *ret)
{
    struct submit_wait w = {.s = s, .point = point};
    int r = find_seqno(s, point, &w.n);
    if (r != 0 && (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT) != 0) {
        s->refs++;
        const uint64_t until = lull_vd_host_ns() + SUBMIT_NS;
        r = f->d->options.threaded &&
                    lull_vd_wait(f, submitted, &w,
                                 (struct lull_vd_deadline){.ns = until, .host = true})
                ? 0
                : -ETIME;
        if (s->refs == 1) { // destroyed meanwhile
            r = r == 0 ? -ENOENT : r;
        }
        lull_vd_syncobj_put(s);
    }
    *ret = w.n;
    return r;
}

int lull_vd_syncobj_fences(struct lull_vd_file *f, const struct lull_vd_sync *sync,
                           bool (*take)(void *ctx, struct lull_vd_fence *fence), void *ctx)
{
    struct lull_vd_syncobj *s = lull_vd_syncobj_lookup(f, sync->handle);
    if (s == NULL) {
        return -ENOENT;
    }
    if ((sync->flags & ~(uint64_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT) != 0) {
        return -EINVAL;
    }
    size_t n = 0;
    const int r = wait_submit(f, s, sync->point, sync->flags, &n);
    for (size_t i = 0; r == 0 && i < n; i++) {
        if (!s->points[i].fence->done && !take(ctx, s->points[i].fence)) {
            return -ENOMEM;
        }
    }
    return r;
}

int lull_vd_syncobj_publish(struct lull_vd_file *f, struct lull_vd_syncobj *s, uint32_t *ret)
{
    const uint32_t handle = lull_vd_idr_add(&f->syncobjs, s);
    if (handle == 0) {
        lull_vd_syncobj_put(s);
        return -ENOMEM;
    }
    *ret = handle;
    return 0;
}

int lull_vd_syncobj_fd(struct lull_vd *d, struct lull_vd_syncobj *s, int *ret)
{
    struct lull_vd_file *file = NULL;
    const int r = lull_vd_file_new(d, LULL_VD_SYNCOBJ_FD, 0, &file);
    if (r == 0) {
        s->refs++;
        file->syncobj = s;
        *ret = file->fd;
    }
    return r;
}

int lull_vd_sync_file(struct lull_vd *d, struct lull_vd_fence *fence, int *ret)
{
    struct lull_vd_file *file = NULL;
    const int r = lull_vd_file_new(d, LULL_VD_SYNC_FILE, 0, &file);
    if (r == 0) {
        file->fence = lull_vd_fence_get(fence);
        *ret = file->fd;
    }
    return r;
}

struct lull_vd_fence *lull_vd_sync_file_fence(const struct lull_vd *d, int fd)
{
    const struct lull_vd_file *file = lull_vd_file_of(d, fd);
    return file != NULL && file->kind == LULL_VD_SYNC_FILE ? file->fence : NULL;
}

int lull_vd_syncobj_create(struct lull_vd_file *f, void *p)
{
    struct drm_syncobj_create *arg = p;
    if ((arg->flags & ~DRM_SYNCOBJ_CREATE_SIGNALED) != 0) {
        return -EINVAL;
    }
    struct lull_vd_fence *done =
        (arg->flags & DRM_SYNCOBJ_CREATE_SIGNALED) != 0 ? lull_vd_fence_new(true) : NULL;
    if ((arg->flags & DRM_SYNCOBJ_CREATE_SIGNALED) != 0 && done == NULL) {
        return -ENOMEM;
    }
    struct lull_vd_syncobj *s = lull_vd_syncobj_new(done);
    lull_vd_fence_put(done);
    return s != NULL ? lull_vd_syncobj_publish(f, s, &arg->handle) : -ENOMEM;
}

int lull_vd_syncobj_destroy(struct lull_vd_file *f, void *p)
{
    const struct drm_syncobj_destroy *arg = p;
    if (arg->pad != 0) {
        return -EINVAL;
    }
    struct lull_vd_syncobj *s = lull_vd_idr_remove(&f->syncobjs, arg->handle);
    if (s == NULL) {
        return -EINVAL;
    }
    lull_vd_syncobj_put(s);
    return 0;
}

int lull_vd_syncobj_to_fd(struct lull_vd_file *f, void *p)
{
    struct drm_syncobj_handle *arg = p;
    if (arg->pad != 0 || (arg->flags & ~DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE) != 0) {
        return -EINVAL;
    }
    struct lull_vd_syncobj *s = lull_vd_syncobj_lookup(f, arg->handle);
    const bool sync_file = arg->flags != 0;
    if (s == NULL) {
        return sync_file ? -ENOENT : -EINVAL;
    }
    if (sync_file && s->n == 0) {
        return -EINVAL;
    }
    return sync_file ? lull_vd_sync_file(f->d, s->points[s->n - 1].fence, &arg->fd)
                     : lull_vd_syncobj_fd(f->d, s, &arg->fd);
}

int lull_vd_syncobj_from_fd(struct lull_vd_file *f, void *p)
{
    struct drm_syncobj_handle *arg = p;
    if (arg->pad != 0 || (arg->flags & ~DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE) != 0) {
        return -EINVAL;
    }
    const struct lull_vd_file *file = lull_vd_file_of(f->d, arg->fd);
    if (arg->flags != 0) {
        struct lull_vd_fence *fence = lull_vd_sync_file_fence(f->d, arg->fd);
        if (fence == NULL) {
            return -EINVAL;
        }
        struct lull_vd_syncobj *s = lull_vd_syncobj_lookup(f, arg->handle);
        if (s == NULL) {
            return -ENOENT;
        }
        lull_vd_syncobj_replace(f->d, s, fence);
        return 0;
    }
    if (file == NULL || file->kind != LULL_VD_SYNCOBJ_FD) {
        return -EINVAL;
    }
    const uint32_t handle = lull_vd_idr_add(&f->syncobjs, file->syncobj);
    if (handle == 0) {
        return -ENOMEM;
    }
    file->syncobj->refs++;
    arg->handle = handle;
    return 0;
}

// The first @p n links of @p src become what @p dst stands for.
static int copy_links(struct lull_vd *d, struct lull_vd_syncobj *dst,
                      const struct lull_vd_point *links, size_t n)
{
    d->changed = true;
    if (!points_reserve(dst, n)) {
        return -ENOMEM;
    }
    drop_points(dst, dst->n);
    for (size_t i = 0; i < n; i++) {
        dst->points[dst->n] = links[i];
        lull_vd_fence_get(dst->points[dst->n++].fence);
    }
    return 0;
}

// drm_syncobj_transfer_to_timeline(), drm_syncobj_transfer_to_binary()
static int transfer_links(struct lull_vd_file *f, struct lull_vd_syncobj *dst, uint64_t point,
                          const struct lull_vd_point *links, size_t n)
{
    if (point == 0) {
        return copy_links(f->d, dst, links, n);
    }
    struct lull_vd_fence **fences = calloc(n, sizeof(struct lull_vd_fence *));
    if (fences == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        fences[i] = links[i].fence;
    }
    const int r = add_links(f->d, dst, fences, n, point);
    free(fences);
    return r;
}

// What point 1 to @p n of @p src stands for becomes @p point of @p dst.
static int transfer_points(struct lull_vd_file *f, struct lull_vd_syncobj *dst, uint64_t point,
                           const struct lull_vd_syncobj *src, size_t n)
{
    // A copy with references of its own: dst may be src.
    struct lull_vd_point *links = calloc(n + 1, sizeof *links);
    if (links == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        links[i] = src->points[i];
        lull_vd_fence_get(links[i].fence);
    }
    if (n == 0) { // done so long ago that nothing is left of it
        links[0] = (struct lull_vd_point){.plain = true, .fence = lull_vd_fence_new(true)};
        n = links[0].fence != NULL ? 1 : 0;
    }
    const int r = n > 0 ? transfer_links(f, dst, point, links, n) : -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        lull_vd_fence_put(links[i].fence);
    }
    free(links);
    return r;
}

// drm_syncobj_transfer_ioctl()
int lull_vd_syncobj_transfer(struct lull_vd_file *f, void *p)
{
    const struct drm_syncobj_transfer *arg = p;
    if (arg->pad != 0) {
        return -EINVAL;
    }
    struct lull_vd_syncobj *dst = lull_vd_syncobj_lookup(f, arg->dst_handle);
    struct lull_vd_syncobj *src = lull_vd_syncobj_lookup(f, arg->src_handle);
    if (dst == NULL || src == NULL) {
        return -ENOENT;
    }
    if ((arg->flags & ~DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT) != 0) {
        return -EINVAL;
    }
    size_t n = 0;
    dst->refs++;
    int r = wait_submit(f, src, arg->src_point, arg->flags, &n);
    r = r == 0 ? transfer_points(f, dst, arg->dst_point, src, n) : r;
    lull_vd_syncobj_put(dst);
    return r;
}

static void array_free(struct lull_vd_syncobj **s, uint32_t n)
{
    for (uint32_t i = 0; s != NULL && i < n; i++) {
        lull_vd_syncobj_put(s[i]);
    }
    free(s);
}

// drm_syncobj_array_find(): @p ret is n references, for array_free().
static int array_find(const struct lull_vd_file *f, uint64_t handles, uint32_t n,
                      struct lull_vd_syncobj ***ret)
{
    if (n > MAX_HANDLES) {
        return -ENOMEM; // kmalloc_array()
    }
    uint32_t *h = calloc(n, sizeof *h);
    struct lull_vd_syncobj **s = calloc(n, sizeof(struct lull_vd_syncobj *));
    int r = h == NULL || s == NULL ? -ENOMEM : lull_vd_from_user(h, handles, n * sizeof *h);
    for (uint32_t i = 0; r == 0 && i < n; i++) {
        s[i] = lull_vd_syncobj_lookup(f, h[i]);
        r = s[i] == NULL ? -ENOENT : 0;
        if (r == 0) {
            s[i]->refs++;
        }
    }
    free(h);
    if (r != 0 && s != NULL) {
        array_free(s, n);
    }
    if (r != 0) {
        return r;
    }
    *ret = s;
    return 0;
}

static int array_op(struct lull_vd_file *f, const struct drm_syncobj_array *arg, bool signal)
{
    if (arg->pad != 0 || arg->count_handles == 0) {
        return -EINVAL;
    }
    struct lull_vd_syncobj **s = NULL;
    int r = array_find(f, arg->handles, arg->count_handles, &s);
    for (uint32_t i = 0; r == 0 && i < arg->count_handles; i++) {
        struct lull_vd_fence *done = signal ? lull_vd_fence_new(true) : NULL;
        r = signal && done == NULL ? -ENOMEM : 0;
        if (r == 0) {
            lull_vd_syncobj_replace(f->d, s[i], done);
        }
        lull_vd_fence_put(done);
    }
    array_free(s, arg->count_handles);
    return r;
}

int lull_vd_syncobj_timeline_signal(struct lull_vd_file *f, void *p)
{
    const struct drm_syncobj_timeline_array *arg = p;
    if (arg->flags != 0 || arg->count_handles == 0) {
        return -EINVAL;
    }
    struct lull_vd_syncobj **s = NULL;
    int r = array_find(f, arg->handles, arg->count_handles, &s);
    if (r != 0) {
        return r;
    }
    uint64_t *points = calloc(arg->count_handles, sizeof *points);
    r = points == NULL ? -ENOMEM : 0;
    if (r == 0 && arg->points != 0) {
        r = lull_vd_from_user(points, arg->points, arg->count_handles * sizeof *points);
    }
    for (uint32_t i = 0; r == 0 && i < arg->count_handles; i++) {
        struct lull_vd_fence *done = lull_vd_fence_new(true);
        r = done == NULL ? -ENOMEM : lull_vd_syncobj_add_point(f->d, s[i], done, points[i]);
        lull_vd_fence_put(done);
    }
    free(points);
    array_free(s, arg->count_handles);
    return r;
}

// Newest point of which all before are done. drm_syncobj_query_ioctl()
static uint64_t query_point(const struct lull_vd_syncobj *s, bool submitted)
{
    if (s->n == 0 || s->points[s->n - 1].plain) {
        return 0;
    }
    const struct lull_vd_point *last = &s->points[s->n - 1];
    if (submitted) {
        return last->seqno;
    }
    for (size_t i = 0; i < s->n; i++) {
        if (!s->points[i].fence->done) {
            // The kernel walks back only as far as the order holds.
            const struct lull_vd_point *p = &s->points[i];
            return p->context == last->context ? p->prev_seqno : 0;
        }
    }
    return last->seqno;
}

int lull_vd_syncobj_query(struct lull_vd_file *f, void *p)
{
    const struct drm_syncobj_timeline_array *arg = p;
    if ((arg->flags & ~DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED) != 0 || arg->count_handles == 0) {
        return -EINVAL;
    }
    struct lull_vd_syncobj **s = NULL;
    int r = array_find(f, arg->handles, arg->count_handles, &s);
    for (uint32_t i = 0; r == 0 && i < arg->count_handles; i++) {
        const uint64_t point = query_point(s[i], arg->flags != 0);
        r = lull_vd_to_user(arg->points + i * sizeof point, &point, sizeof point);
    }
    array_free(s, arg->count_handles);
    return r;
}

struct array_wait {
    struct lull_vd_syncobj **s;
    const uint64_t *points;
    uint32_t n, flags, first;
};

static bool array_ready(void *arg)
{
    struct array_wait *w = arg;
    uint32_t done = 0;
    for (uint32_t i = w->n; i-- > 0;) {
        size_t n = 0;
        if (find_seqno(w->s[i], w->points[i], &n) == 0 &&
            ((w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE) != 0 || points_done(w->s[i], n))) {
            done++;
            w->first = i;
        }
    }
    return (w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL) != 0 ? done == w->n : done > 0;
}

// drm_syncobj_array_wait_timeout()
static int array_wait(struct lull_vd_file *f, struct array_wait *w, int64_t timeout_ns)
{
    const uint32_t later =
        DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
    for (uint32_t i = 0; i < w->n && (w->flags & later) == 0; i++) {
        size_t n = 0;
        if (find_seqno(w->s[i], w->points[i], &n) != 0) {
            return -EINVAL;
        }
    }
    return lull_vd_wait(f, array_ready, w, lull_vd_drm_deadline(f->d, timeout_ns)) ? 0 : -ETIME;
}

static int wait_common(struct lull_vd_file *f, struct drm_syncobj_timeline_wait *arg,
                       uint32_t possible)
{
    if ((arg->flags & ~possible) != 0) {
        return -EINVAL;
    }
    if (arg->count_handles == 0) {
        return 0;
    }
    struct array_wait w = {.n = arg->count_handles, .flags = arg->flags, .first = UINT32_MAX};
    int r = array_find(f, arg->handles, w.n, &w.s);
    if (r != 0) {
        return r;
    }
    uint64_t *points = calloc(w.n, sizeof *points);
    r = points == NULL ? -ENOMEM : 0;
    if (r == 0 && arg->points != 0) {
        r = lull_vd_from_user(points, arg->points, w.n * sizeof *points);
    }
    w.points = points;
    if (r == 0) {
        r = array_wait(f, &w, arg->timeout_nsec);
    }
    if (r == 0) {
        arg->first_signaled = w.first;
    }
    free(points);
    array_free(w.s, w.n);
    return r;
}

int lull_vd_syncobj_wait(struct lull_vd_file *f, void *p)
{
    struct drm_syncobj_wait *arg = p;
    struct drm_syncobj_timeline_wait t = {.handles = arg->handles,
                                          .timeout_nsec = arg->timeout_nsec,
                                          .count_handles = arg->count_handles,
                                          .flags = arg->flags,
                                          .first_signaled = arg->first_signaled};
    const int r =
        wait_common(f, &t,
                    DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                        DRM_SYNCOBJ_WAIT_FLAGS_WAIT_DEADLINE);
    arg->first_signaled = t.first_signaled;
    return r;
}

bool lull_vd_syncobj_reached(struct lull_vd_syncobj *s, uint64_t point, bool available)
{
    size_t n = 0;
    return find_seqno(s, point, &n) == 0 && (available || points_done(s, n));
}

int lull_vd_syncobj_timeline_wait(struct lull_vd_file *f, void *p)
{
    return wait_common(f, p,
                       DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                           DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE |
                           DRM_SYNCOBJ_WAIT_FLAGS_WAIT_DEADLINE);
}

int lull_vd_syncobj_reset(struct lull_vd_file *f, void *p)
{
    return array_op(f, p, false);
}

int lull_vd_syncobj_signal(struct lull_vd_file *f, void *p)
{
    return array_op(f, p, true);
}
