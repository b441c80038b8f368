// SPDX-License-Identifier: MIT
/* A dispatch run by two compilers' code on the same memory. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/source/priv.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"

enum { MAX_BOS = 65536, WAIT_MS = 20, WAITS = 30000, DWORD = 4 };

/** Bytes of a process that are kept, at most; twice as many are needed. */
#define MOST_BYTES (UINT64_C(1) << 30)

/** A buffer before and after. */
struct kept {
    bool prints; ///< It is of the printf layer: kept, but not compared.
    uint64_t va, size;
    uint8_t *before, *lull; ///< Owned.
};

struct snapshot {
    struct lull_debug *d;
    struct kept *all; ///< Owned.
    size_t n;
};

static void snapshot_done(struct snapshot *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->all[i].before);
        free(s->all[i].lull);
    }
    free(s->all);
}

/** Is it memory that the program's code may write, and that means something to it? */
static bool counts(const struct lull_debug *d, const struct lull_bo_info *bo)
{
    const uint64_t scratch = d->dispatch.scratch_va - bo->va;
    const bool spilled =
        lull_get(d->dispatch.rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__SCRATCH_EN_MASK) != 0;
    return bo->writable && bo->name[0] == '\0' && !(spilled && scratch < bo->size);
}

/** Keep all that counts. */
LULL_MUST_USE static struct lull_error *take(struct lull_debug *d, struct snapshot *s)
{
    lull_cleanup(lull_freep) struct lull_bo_info *bos = calloc(MAX_BOS, sizeof *bos);
    size_t n = 0;
    uint64_t total = 0;
    struct lull_dispatch_names names = {0};
    lull_debug_names_of(d, &d->dispatch, &names);
    s->d = d;
    s->all = calloc(MAX_BOS, sizeof *s->all);
    struct lull_error *err =
        bos == NULL || s->all == NULL ? &lull_enomem : lull_debug_bos(d, bos, MAX_BOS, &n);
    for (size_t i = 0; err == NULL && i < n && i < MAX_BOS; i++) {
        if (!counts(d, &bos[i])) {
            continue;
        }
        total += bos[i].size;
        if (total > MOST_BYTES) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "the process has more than 1 GiB mapped for writing");
        }
        struct kept *k = &s->all[s->n++];
        *k = (struct kept){.prints =
                               names.names != NULL && lull_names_printf(names.names, bos[i].va),
                           .va = bos[i].va,
                           .size = bos[i].size,
                           .before = malloc(bos[i].size),
                           .lull = malloc(bos[i].size)};
        err = k->before == NULL || k->lull == NULL
                  ? &lull_enomem
                  : d->target->ops->read(d->target, k->va, k->before, k->size);
    }
    return err;
}

static uint32_t dword_at(const uint8_t *bytes, uint64_t at)
{
    uint32_t v = 0;
    memcpy(&v, bytes + at, sizeof v);
    return v;
}

/** Write back what differs from @p now, so that nothing else is touched. */
LULL_MUST_USE static struct lull_error *put_back(const struct snapshot *s, const struct kept *k,
                                                 const uint8_t *now)
{
    struct lull_error *err = NULL;
    for (uint64_t at = 0; err == NULL && at < k->size;) {
        if (dword_at(now, at) == dword_at(k->before, at)) {
            at += DWORD;
            continue;
        }
        uint64_t end = at;
        while (end < k->size && dword_at(now, end) != dword_at(k->before, end)) {
            end += DWORD;
        }
        err = s->d->target->ops->write(s->d->target, k->va + at, k->before + at, end - at);
        at = end;
    }
    return err;
}

/** Does the dispatch stand in front of its packet again? Another that does goes on. */
LULL_MUST_USE static struct lull_error *is_back(struct lull_debug *d, bool *ret)
{
    struct lull_dispatch_info now = {0};
    size_t n = 0;
    struct lull_error *err = d->target->ops->dispatches(d->target, d->dispatch.number, &now, 1, &n);
    *ret = err == NULL && n != 0 && now.phase == LULL_PHASE_HELD;
    if (err == NULL && n != 0 && now.phase == LULL_PHASE_KILLED) {
        return lull_error_new(LULL_ERR_FAULT, "its job was ended");
    }
    return err != NULL || *ret ? err : d->target->ops->release(d->target);
}

/** Dispatches before the held one have ended. Waves of one that has not stand while it is held, and
 * it may wait for them. */
LULL_MUST_USE static struct lull_error *is_alone(struct lull_debug *d)
{
    enum { BEFORE = 64 };
    struct lull_dispatch_info all[BEFORE] = {{0}};
    const uint64_t first = d->dispatch.number > BEFORE ? d->dispatch.number - BEFORE : 0;
    size_t n = 0;
    struct lull_error *err = d->target->ops->dispatches(d->target, first, all, BEFORE, &n);
    for (size_t i = 0; err == NULL && i < n && i < BEFORE; i++) {
        if (all[i].number < d->dispatch.number && all[i].phase == LULL_PHASE_RUNNING) {
            err = lull_error_new(LULL_ERR_UNSUPPORTED,
                                 "dispatch %" PRIu64 ", which came before it, has not ended",
                                 all[i].number);
        }
    }
    return err;
}

/** Run the held dispatch to its end, after which it is held again. */
LULL_MUST_USE static struct lull_error *run(struct lull_debug *d,
                                            const struct lull_other_code *code, const char *whose)
{
    const struct lull_target_ops *ops = d->target->ops;
    struct lull_error *err = ops->redirect(d->target, code, true);
    err = err != NULL ? err : ops->release(d->target);
    bool back = false;
    for (unsigned i = 0; err == NULL && !back; i++) {
        enum lull_event event = LULL_EVENT_TIMEOUT;
        err = ops->wait(d->target, WAIT_MS, &event);
        if (err == NULL && event == LULL_EVENT_HELD) {
            err = is_back(d, &back);
        } else if (err == NULL && (event != LULL_EVENT_TIMEOUT || i == WAITS ||
                                   (d->interrupted != NULL && d->interrupted(d->interrupt_ctx)))) {
            d->held = false;
            err = lull_debug_refresh(d);
            err = err != NULL
                      ? err
                      : lull_error_new(LULL_ERR_FAULT, "%s did not come to its end%s", whose,
                                       event == LULL_EVENT_STOPPED
                                           ? ": a wave has stopped ('info waves')"
                                           : "");
        }
    }
    return err;
}

/** What lull's code left. Then memory is as before. */
LULL_MUST_USE static struct lull_error *after_lull(struct snapshot *s)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < s->n; i++) {
        struct kept *k = &s->all[i];
        err = s->d->target->ops->read(s->d->target, k->va, k->lull, k->size);
        err = err != NULL ? err : put_back(s, k, k->lull);
    }
    return err;
}

/** Bytes of a dword that are not 0. */
static unsigned bytes_set(uint32_t v)
{
    unsigned n = 0;
    for (; v != 0; v >>= 8) {
        n += (v & UINT8_MAX) != 0;
    }
    return n;
}

/** Is it a float that is a normal number or 0? */
static bool is_float(uint32_t bits, float *ret)
{
    memcpy(ret, &bits, sizeof *ret);
    return isnormal(*ret) || *ret == 0;
}

/** A float's place among all floats: neighbours are 1 apart. */
static int64_t rank_of(uint32_t bits)
{
    const int64_t size = (int64_t)(bits & INT32_MAX);
    return bits > INT32_MAX ? -size : size;
}

/** A dword that the two left different. */
static void differs(const struct lull_source_options *o, uint64_t va, uint32_t before,
                    uint32_t driver, uint32_t lull, struct lull_source_result *ret)
{
    float x = 0, y = 0;
    uint64_t ulps = 0;
    if (is_float(driver, &x) && is_float(lull, &y)) {
        const double most = fmax(fabs((double)x), fabs((double)y));
        ulps = (uint64_t)llabs(rank_of(driver) - rank_of(lull));
        if ((o->ulps != 0 && ulps <= o->ulps) ||
            (o->relative > 0 && fabs((double)x - (double)y) <= o->relative * most)) {
            ret->nnear++;
            return;
        }
        ret->nfloats++;
        ret->ulps = ulps > ret->ulps ? ulps : ret->ulps;
    }
    if (ret->ndiffer == 0) {
        ret->va = va;
        ret->before = before;
        ret->driver = driver;
        ret->lull = lull;
    }
    ret->nvalues++;
    ret->ndiffer += bytes_set(driver ^ lull);
}

static void compare(const struct lull_source_options *o, const struct kept *k,
                    const uint8_t *driver, struct lull_source_result *ret)
{
    uint64_t wrote = 0;
    for (uint64_t at = 0; at < k->size; at += DWORD) {
        const uint32_t before = dword_at(k->before, at);
        const uint32_t by_driver = dword_at(driver, at), by_lull = dword_at(k->lull, at);
        wrote += bytes_set((by_driver ^ before) | (by_lull ^ before));
        if (by_driver != by_lull) {
            differs(o, k->va + at, before, by_driver, by_lull, ret);
        }
    }
    ret->wrote += wrote;
    ret->nbuffers += wrote != 0;
}

/** What the driver's code left, compared. Then memory is as before. */
LULL_MUST_USE static struct lull_error *after_driver(struct snapshot *s,
                                                     const struct lull_source_options *o,
                                                     struct lull_source_result *ret)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < s->n; i++) {
        const struct kept *k = &s->all[i];
        lull_cleanup(lull_freep) uint8_t *now = malloc(k->size);
        err =
            now == NULL ? &lull_enomem : s->d->target->ops->read(s->d->target, k->va, now, k->size);
        if (err == NULL) {
            if (!k->prints) {
                compare(o, k, now, ret);
            }
            err = put_back(s, k, now);
        }
    }
    ret->equal = ret->ndiffer == 0;
    return err;
}

struct lull_error *lull_source_compare(struct lull_debug *d, const struct lull_source_options *o,
                                       struct lull_str *notes, struct lull_source_result *ret)
{
    const struct lull_target_ops *ops = d->target->ops;
    struct lull_other_code code = {0};
    struct snapshot s = {0};
    *ret = (struct lull_source_result){0};
    struct lull_error *err = lull_source_make(d, o, notes, &code);
    if (err != NULL) {
        return err;
    }
    err = is_alone(d);
    err = err != NULL ? err : take(d, &s);
    err = err != NULL ? err : ops->set_breakpoints(d->target, NULL, 0);
    err = err != NULL ? err : ops->set_watchpoints(d->target, NULL, 0);
    err = err != NULL ? err : ops->stop_new_waves(d->target, false);
    err = err != NULL ? err : run(d, &code, "lull's code");
    err = err != NULL ? err : after_lull(&s);
    err = err != NULL ? err : run(d, NULL, "the driver's code");
    err = err != NULL ? err : after_driver(&s, o, ret);
    snapshot_done(&s);
    struct lull_error *again = lull_debug_sync_breakpoints(d);
    again = again != NULL ? again : lull_debug_sync_watchpoints(d);
    if (err != NULL) {
        lull_error_free(again);
    }
    return err != NULL ? err : again;
}
