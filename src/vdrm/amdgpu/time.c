// SPDX-License-Identifier: MIT
// The GPU kept as it was at some times, and made so again: lull_time, which no real kernel has.
//
// What is kept is the GPU, its memory and its registers, not the driver: between a mark and now no
// job may have been put on a ring or taken off one. So whoever goes back has the ends of jobs held.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/pages.h"
#include "model/state.h"
#include "model/written.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/core/user.h"

enum { LOOKED_AT = 64, OPEN = 16 };

/** What the driver knows of dispatches and draws; the GPU asks and tells it all again. */
struct known {
    bool held[LULL_RING_COUNT], stays[LULL_RING_COUNT], draw_held;
    struct lull_control_launch launch[LULL_RING_COUNT];
    uint64_t ndispatches, ndraws, nfragments;
    struct lull_vda_drawn_count drawn;
    struct {
        uint64_t number;
        uint32_t state;
        bool draw;
    } open[OPEN]; ///< Newest that have not ended.
    unsigned nopen;
};

struct lull_vda_mark {
    uint64_t number, bytes; ///< bytes: what it costs beside the marks before.
    uint64_t jobs;          ///< Put on rings so far.
    struct lull_gpu_state state;
    struct known known;
};

static struct lull_vda_time *time_of(struct lull_vd_file *f)
{
    return (struct lull_vda_time *)f;
}

static uint64_t jobs_so_far(const struct lull_vda *d)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        n += (uint64_t)d->emitted[i] << 8; // and those that were taken off
        n -= d->on_ring[i];
    }
    return n;
}

static bool can(const struct lull_vda *d)
{
    const struct lull_gpu_ops *ops = d->gpu.ops;
    return ops->save != NULL && ops->restore != NULL && ops->time != NULL && ops->began != NULL &&
           ops->stop_at != NULL && ops->still != NULL && ops->any_done != NULL &&
           ops->handlers_busy != NULL && ops->executed != NULL && ops->trace != NULL &&
           ops->traced != NULL && ops->traced_at != NULL;
}

static int errno_of(struct lull_error *err)
{
    const int r = err == NULL ? 0 : err == &lull_enomem ? -ENOMEM : -EINVAL;
    lull_error_free(err);
    return r;
}

static uint32_t *state_of(struct lull_vda *d, uint64_t number, bool draw)
{
    struct lull_draw_record *r = draw ? lull_vda_draw_record(d, number) : NULL;
    return !draw ? &d->records[number % LULL_VDA_RECORDS].state : r != NULL ? &r->state : NULL;
}

static void know(struct lull_vda *d, struct known *k)
{
    *k = (struct known){.draw_held = d->draw_held,
                        .ndispatches = d->ndispatches,
                        .ndraws = d->ndraws,
                        .nfragments = d->nfragments,
                        .drawn = lull_vda_drawn_counted(d)};
    memcpy(k->held, d->held, sizeof k->held);
    memcpy(k->stays, d->stays, sizeof k->stays);
    memcpy(k->launch, d->launch, sizeof k->launch);
    for (unsigned i = 0; i < 2 * LOOKED_AT && k->nopen < OPEN; i++) {
        const bool draw = i >= LOOKED_AT;
        const uint64_t back = i % LOOKED_AT, n = draw ? d->ndraws : d->ndispatches;
        const uint32_t *state = back < n ? state_of(d, n - 1 - back, draw) : NULL;
        if (state != NULL && (*state == LULL_DISPATCH_HELD || *state == LULL_DISPATCH_RUNNING)) {
            k->open[k->nopen].number = n - 1 - back;
            k->open[k->nopen].state = *state;
            k->open[k->nopen++].draw = draw;
        }
    }
}

static void know_again(struct lull_vda *d, const struct known *k)
{
    memcpy(d->held, k->held, sizeof d->held);
    memcpy(d->stays, k->stays, sizeof d->stays);
    memcpy(d->launch, k->launch, sizeof d->launch);
    d->draw_held = k->draw_held;
    d->ndispatches = k->ndispatches;
    d->ndraws = k->ndraws;
    d->nfragments = k->nfragments;
    lull_vda_drawn_count(d, &k->drawn);
    for (unsigned i = 0; i < k->nopen; i++) {
        uint32_t *state = state_of(d, k->open[i].number, k->open[i].draw);
        if (state != NULL) {
            *state = k->open[i].state;
        }
    }
}

static void written_drop(struct lull_vda *d, uint64_t number)
{
    if (d->written != NULL) {
        lull_written_drop(d->written, number);
    }
}

static int mark(struct lull_vda *d, struct lull_vda_time *t)
{
    if (t->n == t->room) {
        const size_t room = t->room == 0 ? 16 : 2 * t->room;
        struct lull_vda_mark *all = reallocarray(t->marks, room, sizeof *all);
        if (all == NULL) {
            return -ENOMEM;
        }
        t->marks = all;
        t->room = room;
    }
    struct lull_vda_mark m = {.number = t->last + 1, .jobs = jobs_so_far(d)};
    if (d->written != NULL && !lull_written_mark(d->written, m.number)) {
        return -ENOMEM;
    }
    const int r = errno_of(d->gpu.ops->save(d->gpu.gpu, true, &m.state));
    if (r != 0) {
        written_drop(d, m.number);
        return r;
    }
    const struct lull_gpu_state *before = t->n != 0 ? &t->marks[t->n - 1].state : NULL;
    const uint64_t pages =
        lull_picture_own(m.state.memory, before != NULL ? before->memory : NULL) +
        lull_picture_own(m.state.registers, before != NULL ? before->registers : NULL);
    m.bytes = m.state.size + (pages << LULL_PAGES_SHIFT);
    know(d, &m.known);
    t->marks[t->n++] = m;
    t->last++;
    return 0;
}

static int restore(struct lull_vda *d, const struct lull_vda_time *t, uint64_t number)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct lull_vda_mark *m = &t->marks[i];
        if (m->number != number) {
            continue;
        }
        const int r = m->jobs != jobs_so_far(d)
                          ? -EBUSY
                          : errno_of(d->gpu.ops->restore(d->gpu.gpu, true, &m->state));
        if (r == 0) {
            know_again(d, &m->known);
        }
        if (r == 0 && d->written != NULL) {
            lull_written_restore(d->written, number);
        }
        return r;
    }
    return -ENOENT;
}

static int drop(struct lull_vda *d, struct lull_vda_time *t, uint64_t number)
{
    if (number == UINT64_MAX && can(d)) {
        (void)d->gpu.ops->began(d->gpu.gpu, true);
    }
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (number == UINT64_MAX || t->marks[i].number == number) {
            lull_gpu_state_done(&t->marks[i].state);
        } else {
            t->marks[kept++] = t->marks[i];
        }
    }
    written_drop(d, number);
    const bool any = kept != t->n || number == UINT64_MAX;
    t->n = kept;
    return any ? 0 : -ENOENT;
}

static int trace(struct lull_vda *d, const struct lull_time_trace *from)
{
    struct lull_gpu_trace_want want = {
        .vmid = from->vmid,
        .wave = from->wave != 0,
        .place = from->place,
        .hidden = from->wave == 2 ? LULL_TRACED_WAVE : 0,
        .ncodes = from->ncodes,
        .nranges = from->nranges,
    };
    if (from->ncodes > LULL_TRACE_CODES || from->nranges > LULL_TRACE_RANGES) {
        return -EINVAL;
    }
    memcpy(want.workgroup, from->workgroup, sizeof want.workgroup);
    memcpy(want.codes, from->codes, sizeof want.codes);
    for (unsigned i = 0; i < from->nranges; i++) {
        want.ranges[i] = (struct lull_gpu_trace_range){
            .address = from->ranges[i].address,
            .bytes = from->ranges[i].bytes,
            .local = from->ranges[i].local != 0,
            .loads = from->ranges[i].loads != 0,
            .registers = from->ranges[i].registers != 0,
            .scratch = from->ranges[i].scratch != 0,
        };
        if (want.ranges[i].registers && want.ranges[i].bytes > LULL_TRACE_REGS) {
            return -EINVAL;
        }
        memcpy(want.ranges[i].workgroup, from->ranges[i].workgroup,
               sizeof want.ranges[i].workgroup);
    }
    return errno_of(d->gpu.ops->trace(d->gpu.gpu, &want));
}

static int operate(struct lull_vda *d, struct lull_vda_time *t, const struct lull_time_op *o)
{
    switch (o->op) {
    case LULL_TIME_MARK:
        return mark(d, t);
    case LULL_TIME_RESTORE:
        return restore(d, t, o->value);
    case LULL_TIME_DROP:
        return drop(d, t, o->value);
    case LULL_TIME_STOP:
        d->gpu.ops->stop_at(d->gpu.gpu, o->value, o->vmid);
        return 0;
    case LULL_TIME_STILL:
        d->gpu.ops->still(d->gpu.gpu, o->value != 0);
        return 0;
    case LULL_TIME_HOLD_ENDS:
        d->ends_held = o->value != 0;
        d->starts_held = o->value == LULL_TIME_HOLD_STARTS;
        return 0;
    case LULL_TIME_NO_TRACE:
        return errno_of(d->gpu.ops->trace(d->gpu.gpu, NULL));
    default:
        return -EINVAL;
    }
}

ssize_t lull_vda_time_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_vda *d = lull_vda(f->d);
    struct lull_time_op o = {0};
    struct lull_time_trace t = {0};
    if (!can(d)) {
        return -EOPNOTSUPP;
    }
    if (pos != 0 || (size != sizeof o && size != sizeof t)) {
        return -EINVAL;
    }
    if (lull_vd_from_user(size == sizeof o ? (void *)&o : &t, buf, size) != 0) {
        return -EFAULT;
    }
    const int r = size == sizeof o ? operate(d, time_of(f), &o) : trace(d, &t);
    return r != 0 ? r : (ssize_t)size;
}

static ssize_t read_state(struct lull_vda *d, const struct lull_vda_time *t, uint64_t buf)
{
    struct lull_time_state s = {
        .now = d->gpu.ops->time(d->gpu.gpu),
        .began = d->gpu.ops->began(d->gpu.gpu, false),
        .mark = t->last,
        .marks = t->n,
        .traced = d->gpu.ops->traced(d->gpu.gpu),
        .ended = d->ends_held && d->gpu.ops->any_done(d->gpu.gpu),
        .busy = d->gpu.ops->handlers_busy(d->gpu.gpu),
    };
    for (size_t i = 0; i < t->n; i++) {
        s.bytes += t->marks[i].bytes;
    }
    return lull_vd_to_user(buf, &s, sizeof s) != 0 ? -EFAULT : (ssize_t)sizeof s;
}

static ssize_t read_records(const struct lull_vda *d, uint64_t buf, size_t size, uint64_t at)
{
    const size_t unit = sizeof(struct lull_time_record);
    size_t done = 0;
    if (size % unit != 0 || at % unit != 0) {
        return -EINVAL;
    }
    for (uint64_t n = at / unit; done < size; n++, done += unit) {
        const struct lull_gpu_traced *t = d->gpu.ops->traced_at(d->gpu.gpu, n);
        if (t == NULL) {
            break;
        }
        struct lull_time_record r = {
            .time = t->time,
            .pc = t->pc,
            .exec = t->exec,
            .lanes = t->lanes,
            .executed = t->executed,
            .place = t->place,
            .hits = t->hits,
            .index = t->index,
        };
        memcpy(r.workgroup, t->workgroup, sizeof r.workgroup);
        if (lull_vd_to_user(buf + done, &r, unit) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)done;
}

ssize_t lull_vda_time_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_vda *d = lull_vda(f->d);
    if (!can(d)) {
        return -EOPNOTSUPP;
    }
    if (pos == 0 && size == sizeof(struct lull_time_state)) {
        return read_state(d, time_of(f), buf);
    }
    if (pos >= LULL_TIME_WAVE_AT && size == sizeof(uint64_t)) {
        const uint64_t n = d->gpu.ops->executed(d->gpu.gpu, (uint32_t)(pos - LULL_TIME_WAVE_AT));
        return lull_vd_to_user(buf, &n, sizeof n) != 0 ? -EFAULT : (ssize_t)size;
    }
    return pos >= LULL_TIME_TRACE_AT && pos < LULL_TIME_WAVE_AT
               ? read_records(d, buf, size, pos - LULL_TIME_TRACE_AT)
               : -EINVAL;
}

void lull_vda_time_done(struct lull_vd_file *f)
{
    struct lull_vda *d = lull_vda(f->d);
    struct lull_vda_time *t = time_of(f);
    (void)drop(d, t, UINT64_MAX);
    free(t->marks);
    t->marks = NULL;
    if (can(d)) {
        lull_error_free(d->gpu.ops->trace(d->gpu.gpu, NULL));
        d->gpu.ops->stop_at(d->gpu.gpu, UINT64_MAX, 0);
        d->gpu.ops->still(d->gpu.gpu, false);
    }
    d->ends_held = d->starts_held = false;
}
