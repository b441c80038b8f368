// SPDX-License-Identifier: MIT
// lull_time: a dispatch under way gone back in; drm/msm/debug_abi.h.
#include <errno.h>
#include <string.h>

#include "drm/msm/debug_abi.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"
#include "vdrm/msm/debugfs.h"

enum { HALF = 64 }; // Fibers of what is shown as a wave.

_Static_assert((int)LULL_MSM_CODES == (int)LULL_AGPU_CODES &&
                   (int)LULL_MSM_RANGES == (int)LULL_AGPU_RANGES &&
                   (int)LULL_MSM_IN_REGISTERS == (int)LULL_AGPU_REGISTERS &&
                   (int)LULL_MSM_IN_PRIVATE == (int)LULL_AGPU_PRIVATE &&
                   (int)LULL_HIT_WAVE == (int)LULL_AGPU_HIT_ALL &&
                   (int)LULL_HIT_CODE == (int)LULL_AGPU_HIT_CODE &&
                   (int)LULL_HIT_RANGE == (int)LULL_AGPU_HIT_RANGE,
               "the words of debug_abi.h are those of the GPU");

static const struct lull_agpu_debug_ops *ops_of(const struct lull_vd_file *f)
{
    const struct lull_agpu_debug_ops *ops = lull_vdm_const(f->d)->ops->debug;
    return ops != NULL && ops->remember != NULL ? ops : NULL;
}

static int errno_of(struct lull_error *err)
{
    const int r = err == NULL                                  ? 0
                  : lull_error_code(err) == LULL_ERR_NOT_FOUND ? -ENOENT
                  : lull_error_code(err) == LULL_ERR_NO_MEMORY ? -ENOMEM
                                                               : -EINVAL;
    lull_error_free(err);
    return r;
}

static int search(const struct lull_vd_file *f, const struct lull_msm_search *from)
{
    struct lull_vdm *d = lull_vdm(f->d);
    struct lull_agpu_search s = {.all = from->all != 0,
                                 .who = {.wave = from->wave, .half = from->half},
                                 .ncodes = from->ncodes,
                                 .nranges = from->nranges};
    if (from->ncodes > LULL_MSM_CODES || from->nranges > LULL_MSM_RANGES || from->half > 1) {
        return -EINVAL;
    }
    memcpy(s.who.workgroup, from->workgroup, sizeof s.who.workgroup);
    memcpy(s.codes, from->codes, sizeof s.codes);
    for (uint32_t i = 0; i < from->nranges; i++) {
        if (from->ranges[i].memory > LULL_MSM_IN_PRIVATE) {
            return -EINVAL;
        }
        s.ranges[i].memory = (enum lull_agpu_memory)from->ranges[i].memory;
        s.ranges[i].loads = from->ranges[i].loads != 0;
        s.ranges[i].address = from->ranges[i].address;
        s.ranges[i].size = from->ranges[i].size;
        s.ranges[i].bank = (enum lull_agpu_bank)from->ranges[i].bank;
        memcpy(s.ranges[i].workgroup, from->ranges[i].workgroup, sizeof s.ranges[i].workgroup);
    }
    d->searched = (struct lull_vdm_searched){0};
    return errno_of(ops_of(f)->search(d->gpu, &s, from->until, &d->searched.from, &d->searched.n));
}

static int operate(const struct lull_vd_file *f, const struct lull_msm_time_op *o)
{
    struct lull_agpu *gpu = lull_vdm_const(f->d)->gpu;
    switch (o->op) {
    case LULL_MSM_REMEMBER:
        ops_of(f)->remember(gpu, o->value);
        return 0;
    case LULL_MSM_TRAVEL:
    case LULL_MSM_TRAVEL_AGAIN:
        return errno_of(ops_of(f)->travel(gpu, o->value, o->op == LULL_MSM_TRAVEL_AGAIN));
    default:
        return -EINVAL;
    }
}

ssize_t lull_vdm_time_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_msm_time_op o = {0};
    struct lull_msm_search s = {0};
    if (pos != 0 || ops_of(f) == NULL || (size != sizeof o && size != sizeof s)) {
        return -EINVAL;
    }
    if (lull_vd_from_user(size == sizeof o ? (void *)&o : &s, buf, size) != 0) {
        return -EFAULT;
    }
    f->d->changed = true;
    const int r = size == sizeof o ? operate(f, &o) : search(f, &s);
    return r != 0 ? r : (ssize_t)size;
}

static ssize_t read_state(const struct lull_vd_file *f, uint64_t buf)
{
    const struct lull_vdm *d = lull_vdm_const(f->d);
    struct lull_agpu_travel t = {.on = false};
    ops_of(f)->travelled(d->gpu, &t);
    const struct lull_msm_time_state s = {.on = t.on,
                                          .ended = t.ended,
                                          .held = t.held,
                                          .first = t.first,
                                          .now = t.now,
                                          .last = t.last,
                                          .marks = t.marks,
                                          .bytes = t.bytes,
                                          .found = d->searched.n,
                                          .from = d->searched.from};
    return lull_vd_to_user(buf, &s, sizeof s) != 0 ? -EFAULT : (ssize_t)sizeof s;
}

ssize_t lull_vdm_time_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const size_t unit = sizeof(struct lull_time_record);
    const struct lull_agpu_found *a = NULL;
    size_t done = 0;
    if (ops_of(f) == NULL) {
        return -EINVAL;
    }
    if (pos == 0 && size == sizeof(struct lull_msm_time_state)) {
        return read_state(f, buf);
    }
    if (pos < LULL_TIME_TRACE_AT || size % unit != 0 || (pos - LULL_TIME_TRACE_AT) % unit != 0) {
        return -EINVAL;
    }
    for (size_t n = (size_t)((pos - LULL_TIME_TRACE_AT) / unit);
         done < size && (a = ops_of(f)->found(lull_vdm_const(f->d)->gpu, n)) != NULL;
         n++, done += unit) {
        struct lull_time_record r = {.time = a->time,
                                     .pc = a->pc,
                                     .exec = a->exec,
                                     .executed = a->executed,
                                     .lanes = a->lanes,
                                     .place = lull_msm_place(a->who.wave, a->who.half),
                                     .index = a->who.wave * (a->fibers / HALF) + a->who.half,
                                     .hits = a->hits};
        memcpy(r.workgroup, a->who.workgroup, sizeof r.workgroup);
        if (lull_vd_to_user(buf + done, &r, sizeof r) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)done;
}

void lull_vdm_time_close(struct lull_vd_file *f)
{
    if (ops_of(f) != NULL) {
        ops_of(f)->remember(lull_vdm(f->d)->gpu, 0);
    }
}
