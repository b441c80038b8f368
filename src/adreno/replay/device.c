// SPDX-License-Identifier: MIT
#include "adreno/replay/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { PAGE = 4096, DWORD = 4 };

/** A buffer of the kernel. */
struct span {
    uint64_t start, end; // Whole pages.
    struct lull_msm_bo bo;
};

struct lull_rp_device {
    struct lull_kernel *k;
    int fd;
    uint32_t queue;
    struct lull_msm_gpu gpu;
    size_t nspans;
    struct span *spans; // By address.
};

struct lull_error *lull_rp_device_open(struct lull_kernel *k, const char *path,
                                       struct lull_rp_device **ret)
{
    struct lull_rp_device *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return &lull_enomem;
    }
    *d = (struct lull_rp_device){.k = k, .fd = -1};
    struct lull_error *err = lull_msm_open(k, path, &d->fd);
    err = err != NULL ? err : lull_msm_gpu(k, d->fd, &d->gpu);
    if (err == NULL && d->gpu.va_size == 0) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "%s: this kernel does not let programs choose the addresses of their "
                             "buffers (MSM_INFO_SET_IOVA)",
                             path);
    }
    err = err != NULL ? err : lull_msm_queue_new(k, d->fd, 0, &d->queue);
    if (err != NULL) {
        lull_rp_device_close(d);
        return err;
    }
    *ret = d;
    return NULL;
}

static void drop(struct lull_rp_device *d, struct span *spans, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        lull_msm_bo_free(d->k, d->fd, &spans[i].bo);
    }
    free(spans);
}

void lull_rp_device_close(struct lull_rp_device *d)
{
    if (d != NULL) {
        drop(d, d->spans, d->nspans);
        if (d->fd >= 0) {
            d->k->close(d->k, d->fd);
        }
        free(d);
    }
}

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/** The pages of all ranges, those that share one together. */
LULL_MUST_USE static struct lull_error *pages_of(const struct lull_rp_submit *s, struct span **ret,
                                                 size_t *ret_n)
{
    struct span *all = calloc(s->nbuffers + 1, sizeof *all);
    size_t n = 0, m = 0;
    if (all == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < s->nbuffers; i++) {
        const struct lull_rp_buffer *b = &s->buffers[i];
        if (b->address > UINT64_MAX - b->size - PAGE) {
            free(all);
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "submit %" PRIu64 ": the buffer of %" PRIu32
                                  " bytes at 0x%" PRIx64 " leaves the address space",
                                  s->number, b->size, b->address);
        }
        if (b->size != 0) {
            all[n++] = (struct span){.start = b->address / PAGE * PAGE,
                                     .end = (b->address + b->size + PAGE - 1) / PAGE * PAGE};
        }
    }
    qsort(all, n, sizeof *all, by_start);
    for (size_t i = 0; i < n; i++) {
        if (m != 0 && all[i].start < all[m - 1].end) {
            all[m - 1].end = all[i].end > all[m - 1].end ? all[i].end : all[m - 1].end;
        } else {
            all[m++] = all[i];
        }
    }
    *ret = all;
    *ret_n = m;
    return NULL;
}

static struct span *span_at(const struct lull_rp_device *d, uint64_t address)
{
    size_t low = 0, high = d->nspans;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (d->spans[mid].start <= address) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low != 0 && address < d->spans[low - 1].end ? &d->spans[low - 1] : NULL;
}

/** Buffers that stay are moved over, then those that are not there are made. */
LULL_MUST_USE static struct lull_error *exchange(struct lull_rp_device *d, struct span *spans,
                                                 size_t n)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; i < n; i++) {
        struct span *old = span_at(d, spans[i].start);
        if (old != NULL && old->start == spans[i].start && old->end == spans[i].end) {
            spans[i].bo = old->bo;
            old->bo = (struct lull_msm_bo){0};
        }
    }
    drop(d, d->spans, d->nspans);
    d->spans = spans;
    d->nspans = n;
    for (size_t i = 0; err == NULL && i < n; i++) {
        if (spans[i].bo.handle == 0) {
            err = lull_msm_bo_new(d->k, d->fd, spans[i].end - spans[i].start, 0, spans[i].start,
                                  &spans[i].bo);
        }
    }
    return err;
}

struct lull_error *lull_rp_device_place(struct lull_rp_device *d, const struct lull_rp_submit *s)
{
    struct span *spans = NULL;
    size_t n = 0;
    struct lull_error *err = pages_of(s, &spans, &n);
    err = err != NULL ? err : exchange(d, spans, n);
    for (size_t i = 0; err == NULL && i < s->nbuffers; i++) {
        const struct lull_rp_buffer *b = &s->buffers[i];
        const struct span *in = b->held != 0 ? span_at(d, b->address) : NULL;
        if (in != NULL) {
            memcpy((uint8_t *)in->bo.map + (b->address - in->start), b->data, b->held);
        }
    }
    return lull_error_in(err, "submit %" PRIu64, s->number);
}

LULL_MUST_USE static struct lull_error *commands(const struct lull_rp_device *d,
                                                 const struct lull_rp_submit *s,
                                                 struct lull_msm_cmd *ret)
{
    for (size_t i = 0; i < s->nstreams; i++) {
        const struct lull_rp_stream *st = &s->streams[i];
        const struct span *in = span_at(d, st->address);
        const uint64_t at = in != NULL ? st->address - in->start : 0;
        if (in == NULL || (uint64_t)st->dwords * DWORD > in->end - st->address) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "stream %" PRIu64 " of %" PRIu32 " dwords at 0x%" PRIx64
                                  " is not in a buffer of its submit",
                                  st->number, st->dwords, st->address);
        }
        ret[i] = (struct lull_msm_cmd){
            .bo = (unsigned)(in - d->spans), .offset = (uint32_t)at, .size = st->dwords * DWORD};
    }
    return NULL;
}

struct lull_error *lull_rp_device_submit(struct lull_rp_device *d, const struct lull_rp_submit *s,
                                         uint32_t *ret_fence)
{
    lull_cleanup(lull_freep) const struct lull_msm_bo **bos = calloc(d->nspans + 1, sizeof *bos);
    lull_cleanup(lull_freep) struct lull_msm_cmd *cmds = calloc(s->nstreams + 1, sizeof *cmds);
    if (bos == NULL || cmds == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < d->nspans; i++) {
        bos[i] = &d->spans[i].bo;
    }
    const struct lull_msm_submit submit = {
        .queue = d->queue, .bos = bos, .nbos = d->nspans, .cmds = cmds, .ncmds = s->nstreams};
    struct lull_error *err = commands(d, s, cmds);
    err = err != NULL ? err : lull_msm_submit(d->k, d->fd, &submit, ret_fence);
    return lull_error_in(err, "submit %" PRIu64, s->number);
}

struct lull_error *lull_rp_device_wait(struct lull_rp_device *d, uint32_t fence,
                                       uint64_t timeout_ns, bool *ret_done, uint64_t *ret_hangs)
{
    struct lull_error *err = lull_msm_wait(d->k, d->fd, d->queue, fence, timeout_ns, ret_done);
    return err != NULL ? err : lull_msm_faults(d->k, d->fd, ret_hangs);
}

struct lull_error *lull_rp_device_run(struct lull_rp_device *d, const struct lull_rp_submit *s,
                                      uint64_t timeout_ns, bool *ret_done, bool *ret_hang)
{
    uint64_t before = 0, after = 0;
    uint32_t fence = 0;
    struct lull_error *err = lull_msm_faults(d->k, d->fd, &before);
    err = err != NULL ? err : lull_rp_device_submit(d, s, &fence);
    err = err != NULL ? err : lull_rp_device_wait(d, fence, timeout_ns, ret_done, &after);
    *ret_hang = err == NULL && after != before;
    return err;
}

const uint8_t *lull_rp_device_memory(const struct lull_rp_device *d, uint64_t address,
                                     uint64_t *ret_size)
{
    const struct span *in = span_at(d, address);
    if (in == NULL || in->bo.map == NULL) {
        *ret_size = 0;
        return NULL;
    }
    *ret_size = in->end - address;
    return (const uint8_t *)in->bo.map + (address - in->start);
}

bool lull_rp_device_buffer(const struct lull_rp_device *d, size_t i, uint64_t *ret_start,
                           uint64_t *ret_size)
{
    if (i < d->nspans) {
        *ret_start = d->spans[i].start;
        *ret_size = d->spans[i].end - d->spans[i].start;
    }
    return i < d->nspans;
}

void lull_rp_device_hole(const struct lull_rp_device *d, uint64_t *ret_start, uint64_t *ret_size)
{
    uint64_t at = d->gpu.va_start;
    const uint64_t end = d->gpu.va_start + d->gpu.va_size;
    *ret_start = at;
    *ret_size = 0;
    for (size_t i = 0; i <= d->nspans; i++) {
        const uint64_t to = i < d->nspans && d->spans[i].start < end ? d->spans[i].start : end;
        if (to > at && to - at > *ret_size) {
            *ret_start = at;
            *ret_size = to - at;
        }
        at = i < d->nspans && d->spans[i].end > at ? d->spans[i].end : at;
    }
}
