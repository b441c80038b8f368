// SPDX-License-Identifier: MIT
#include "target/adreno/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/adreno/stream.h"

enum { PAGE = 4096, GAP = 1 << 16, MOST_BUFFERS = 64 };

struct lull_adreno_device {
    struct lull_kernel *k;
    int fd;
    const struct lull_achip *chip;
    uint64_t code; ///< Of the last run.
    uint64_t next; ///< Where the next buffer goes; 0: the kernel says.
    struct lull_msm_bo bos[MOST_BUFFERS];
    size_t nbos;
};

struct lull_error *lull_adreno_device_open(struct lull_kernel *k, const char *path,
                                           const struct lull_achip *chip,
                                           struct lull_adreno_device **ret)
{
    struct lull_adreno_device *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return &lull_enomem;
    }
    *d = (struct lull_adreno_device){.k = k, .fd = -1, .chip = chip};
    struct lull_msm_gpu gpu = {0};
    struct lull_error *err = lull_msm_open(k, path, &d->fd);
    err = err != NULL ? err : lull_msm_gpu(k, d->fd, &gpu);
    if (err != NULL) {
        lull_adreno_device_close(d);
        return err;
    }
    if (gpu.va_size != 0) { // In the upper half: the lower one is for those who choose.
        d->next = (gpu.va_start + gpu.va_size / 2) / GAP * GAP;
    }
    *ret = d;
    return NULL;
}

void lull_adreno_device_close(struct lull_adreno_device *d)
{
    if (d == NULL) {
        return;
    }
    for (size_t i = 0; i < d->nbos; i++) {
        lull_msm_bo_free(d->k, d->fd, &d->bos[i]);
    }
    if (d->fd >= 0) {
        d->k->close(d->k, d->fd);
    }
    free(d);
}

struct lull_error *lull_adreno_buffer_new(struct lull_adreno_device *d, uint64_t bytes,
                                          uint64_t address, const struct lull_msm_bo **ret)
{
    const uint64_t size = (bytes + PAGE - 1) / PAGE * PAGE;
    if (d->nbos == MOST_BUFFERS) {
        return lull_error_new(LULL_ERR_INVALID, "more than %d buffers", MOST_BUFFERS);
    }
    struct lull_error *err = lull_msm_bo_new(d->k, d->fd, size, LULL_MSM_CACHED,
                                             address != 0 ? address : d->next, &d->bos[d->nbos]);
    if (err != NULL) {
        return err;
    }
    if (address == 0 && d->next != 0) { // What runs over an end must not get to the next one.
        d->next += (size + GAP - 1) / GAP * GAP + GAP;
    }
    *ret = &d->bos[d->nbos++];
    return NULL;
}

LULL_MUST_USE static struct lull_error *place_code(struct lull_adreno_device *d,
                                                   struct lull_adreno_dispatch *dispatch)
{
    const struct lull_msm_bo *bo = NULL;
    const size_t n = dispatch->launch->nwords, unit = LULL_ADRENO_CODE_UNIT;
    const size_t units = (n + unit - 1) / unit;
    struct lull_error *err =
        lull_adreno_buffer_new(d, units * unit * sizeof *dispatch->launch->words, 0, &bo);
    if (err == NULL) {
        memcpy(bo->map, dispatch->launch->words, n * sizeof *dispatch->launch->words);
        dispatch->code = d->code = bo->iova;
        dispatch->code_units = (uint32_t)units;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *place_descriptors(struct lull_adreno_device *d,
                                                          struct lull_adreno_dispatch *dispatch)
{
    const struct lull_adreno_launch *l = dispatch->launch;
    const struct lull_msm_bo *bo = NULL;
    uint32_t all[2][LULL_ADRENO_BUFFERS][LULL_ADRENO_DESCRIPTOR] = {0}; // Storage; all of them.
    struct lull_error *err = lull_adreno_buffer_new(d, sizeof all, 0, &bo);
    unsigned n = 0;
    for (unsigned i = 0; err == NULL && i < l->kernel->nbuffers; i++) {
        const struct lull_adreno_buffer *b = &l->kernel->buffers[i];
        err = lull_adreno_descriptor(d->chip->gen, l->buffers[i]->iova, b, all[1][i]);
        if (err == NULL && !b->uniform) {
            memcpy(all[0][n++], all[1][i], sizeof all[1][i]);
        }
    }
    if (err == NULL) {
        memcpy(bo->map, all, sizeof all);
        dispatch->descriptors = bo->iova;
        dispatch->bindless = bo->iova + sizeof all[0];
    }
    return err;
}

LULL_MUST_USE static struct lull_error *place_private(struct lull_adreno_device *d,
                                                      struct lull_adreno_dispatch *dispatch)
{
    const struct lull_msm_bo *bo = NULL;
    const uint64_t bytes = lull_adreno_private_bytes(dispatch->launch->kernel, d->chip);
    struct lull_error *err = bytes != 0 ? lull_adreno_buffer_new(d, bytes, 0, &bo) : NULL;
    dispatch->priv = bo != NULL ? bo->iova : 0;
    return err;
}

/** The command buffer @p b, and all there is. */
LULL_MUST_USE static struct lull_error *submit(struct lull_adreno_device *d,
                                               const struct lull_abuild *b, uint32_t *ret_fence)
{
    const struct lull_msm_bo *bos[MOST_BUFFERS], *bo = NULL;
    const uint32_t bytes = (uint32_t)(b->n * sizeof *b->words);
    struct lull_error *err = lull_adreno_buffer_new(d, bytes, 0, &bo);
    if (err != NULL) {
        return err;
    }
    memcpy(bo->map, b->words, bytes);
    for (size_t i = 0; i < d->nbos; i++) {
        bos[i] = &d->bos[i];
    }
    const struct lull_msm_cmd cmd = {.bo = (unsigned)(bo - d->bos), .size = bytes};
    const struct lull_msm_submit s = {.bos = bos, .nbos = d->nbos, .cmds = &cmd, .ncmds = 1};
    return lull_msm_submit(d->k, d->fd, &s, ret_fence);
}

uint64_t lull_adreno_code(const struct lull_adreno_device *d)
{
    return d->code;
}

struct lull_error *lull_adreno_run(struct lull_adreno_device *d, const struct lull_adreno_launch *l,
                                   uint64_t timeout_ns, bool *ret_done)
{
    struct lull_adreno_dispatch dispatch = {.chip = d->chip, .launch = l};
    struct lull_abuild b = {0};
    uint32_t fence = 0;
    struct lull_error *err = place_code(d, &dispatch);
    err = err != NULL ? err : place_descriptors(d, &dispatch);
    err = err != NULL ? err : place_private(d, &dispatch);
    if (err == NULL) {
        lull_adreno_stream(&b, &dispatch);
        err = b.err;
        b.err = NULL;
    }
    err = err != NULL ? err : submit(d, &b, &fence);
    err = err != NULL ? err : lull_msm_wait(d->k, d->fd, 0, fence, timeout_ns, ret_done);
    lull_abuild_done(&b);
    return err;
}
