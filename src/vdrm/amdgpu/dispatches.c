// SPDX-License-Identifier: MIT
// Records of dispatches, and catches that hold them: lull_dispatches and lull_control, which no
// real kernel has.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/ctx.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/amdgpu/job.h"
#include "vdrm/core/crumbs.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"

static struct lull_dispatch_record *record_of(const struct lull_vda *d, uint64_t number)
{
    return number < d->ndispatches && number + LULL_VDA_RECORDS >= d->ndispatches
               ? &d->records[number % LULL_VDA_RECORDS]
               : NULL;
}

// One catch of an open lull_control.
static bool catch_matches(const struct lull_control *c, const struct lull_dispatch_record *r)
{
    return c->op != 0 && (c->match & LULL_CATCH_DRAW) == 0 &&
           ((c->match & LULL_CATCH_NUMBER) == 0 || c->number == r->number) &&
           ((c->match & LULL_CATCH_ADDRESS) == 0 || c->address == r->code) &&
           ((c->match & LULL_CATCH_PID) == 0 || c->pid == r->pid);
}

// Slots of @p f that match, a bit each.
static uint32_t catches(const struct lull_vda_control *f, const struct lull_dispatch_record *r)
{
    uint32_t v = 0;
    for (unsigned i = 0; f->catches != NULL && i < LULL_NCATCHES; i++) {
        v |= catch_matches(&f->catches[i], r) ? 1u << i : 0;
    }
    return v;
}

static bool caught(const struct lull_vda *d, const struct lull_dispatch_record *r)
{
    for (const struct lull_vd_file *f = d->vd.files; f != NULL; f = f->next) {
        const struct lull_vda_control *c = lull_vda_control_of(f);
        if (c != NULL && f->fds > 0 && catches(c, r) != 0) {
            return true;
        }
    }
    return false;
}

static struct lull_dispatch_record *new_record(struct lull_vda *d, const struct lull_gpu_launch *l)
{
    const uint64_t number = d->ndispatches++;
    const struct lull_vda_origin from = lull_vda_origin_of(d, l->cookie);
    struct lull_dispatch_record *r = &d->records[number % LULL_VDA_RECORDS];
    *r = (struct lull_dispatch_record){
        .number = number,
        .state = LULL_DISPATCH_RUNNING,
        .pid = from.pid,
        .file = from.file,
        .ctx = from.ctx,
        .job = from.job,
        .frame = from.frame,
        .ring = l->ring,
        .vmid = l->vmid,
        .code = l->code,
        .packet = l->packet,
        .initiator = l->initiator,
        .tmpring = l->tmpring,
        .scratch = l->scratch,
    };
    memcpy(r->rsrc, l->rsrc, sizeof r->rsrc);
    memcpy(r->grid, l->grid, sizeof r->grid);
    memcpy(r->block, l->block, sizeof r->block);
    memcpy(r->start, l->start, sizeof r->start);
    memcpy(r->cus, l->cus, sizeof r->cus);
    memcpy(r->user_data, l->user_data, sizeof r->user_data);
    return r;
}

/** What LULL_CONTROL_LAUNCH asked for counts once. */
static void relaunch(struct lull_control_launch *from, struct lull_gpu_relaunch *ret)
{
    if (from->control.op != 0) {
        *ret = (struct lull_gpu_relaunch){.other = (from->control.match & LULL_LAUNCH_OTHER) != 0,
                                          .stay = (from->control.match & LULL_LAUNCH_STAY) != 0,
                                          .code = from->code,
                                          .scratch = from->scratch,
                                          .tmpring = from->tmpring};
        memcpy(ret->rsrc, from->rsrc, sizeof ret->rsrc);
        memcpy(ret->user_data, from->user_data, sizeof ret->user_data);
    }
    *from = (struct lull_control_launch){0};
}

static bool on_launch(void *ctx, const struct lull_gpu_launch *l, bool again, uint64_t *id,
                      struct lull_gpu_relaunch *how)
{
    struct lull_vda *d = ctx;
    struct lull_dispatch_record *r = again ? record_of(d, *id) : new_record(d, l);
    if (r == NULL) {
        return true; // so many others came since that nobody can release it any more
    }
    *id = r->number;
    if (!again && caught(d, r)) {
        r->state = LULL_DISPATCH_HELD;
        d->held[l->ring] = true;
    }
    if (d->held[l->ring]) {
        return false;
    }
    relaunch(&d->launch[l->ring], how);
    d->stays[l->ring] = how->stay;
    r->state = LULL_DISPATCH_RUNNING;
    r->began = d->gpu.ops->clock(d->gpu.gpu);
    return true;
}

static void on_ended(void *ctx, uint64_t id, uint64_t groups, bool killed)
{
    struct lull_vda *d = ctx;
    struct lull_dispatch_record *r = record_of(d, id);
    if (r == NULL) {
        return;
    }
    if (r->state == LULL_DISPATCH_HELD) {
        d->held[r->ring] = false;
    }
    const struct lull_vda_job *job = lull_vda_ring_head(d, (enum lull_ring)r->ring);
    killed = killed || (job != NULL && job->error != 0); // by soft recovery: wave for wave
    const bool back = d->stays[r->ring] && r->state == LULL_DISPATCH_RUNNING;
    d->stays[r->ring] = d->stays[r->ring] && !back;
    if (back && !killed) {
        r->state = LULL_DISPATCH_HELD;
        r->began = 0;
        d->held[r->ring] = caught(d, r); // else it runs as it is: nobody is left to let it go
        return;
    }
    d->launch[r->ring] = (struct lull_control_launch){0};
    r->state = killed ? LULL_DISPATCH_KILLED : LULL_DISPATCH_DONE;
    r->ended = d->gpu.ops->clock(d->gpu.gpu);
    r->groups = groups;
}

int lull_vda_dispatches_init(struct lull_vda *d)
{
    if (d->gpu.ops->watch == NULL) {
        return 0;
    }
    d->records = calloc(LULL_VDA_RECORDS, sizeof *d->records);
    if (d->records == NULL) {
        return -ENOMEM;
    }
    const struct lull_gpu_watcher watcher = {.ctx = d,
                                             .launch = on_launch,
                                             .ended = on_ended,
                                             .draw = lull_vda_on_draw,
                                             .draw_ended = lull_vda_on_draw_ended,
                                             .fragment = lull_vda_on_fragment,
                                             .shaded = lull_vda_on_shaded,
                                             .primitive = lull_vda_on_primitive,
                                             .aimed = lull_vda_on_aimed};
    d->gpu.ops->watch(d->gpu.gpu, &watcher);
    return 0;
}

bool lull_vda_holding(const struct lull_vd *vd)
{
    const struct lull_vda *d = lull_vda_const(vd);
    bool any = d->draw_held || lull_vd_crumbs_stand(vd);
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        any = any || d->held[i];
    }
    return any;
}

// The number of the dispatch that @p ring stands in front of.
static struct lull_dispatch_record *held_on(const struct lull_vda *d, unsigned ring)
{
    for (uint64_t n = d->ndispatches; d->held[ring] && n-- > 0;) {
        struct lull_dispatch_record *r = record_of(d, n);
        if (r == NULL) {
            break;
        }
        if (r->ring == ring) { // none comes behind it
            return r;
        }
    }
    return NULL;
}

static int release(struct lull_vda *d, uint64_t number)
{
    bool any = number == UINT64_MAX;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        const struct lull_dispatch_record *r = held_on(d, i);
        if (r != NULL && (number == UINT64_MAX || r->number == number)) {
            d->held[i] = false;
            any = true;
        }
    }
    return any ? 0 : -ENOENT;
}

static ssize_t launch(struct lull_vda *d, uint64_t buf)
{
    struct lull_control_launch l = {0};
    if (lull_vd_from_user(&l, buf, sizeof l) != 0) {
        return -EFAULT;
    }
    const uint32_t known = LULL_LAUNCH_OTHER | LULL_LAUNCH_STAY;
    if (l.control.op != LULL_CONTROL_LAUNCH || (l.control.match & ~known) != 0 ||
        l.code % 256 != 0 || l.scratch % 256 != 0) {
        return -EINVAL;
    }
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        const struct lull_dispatch_record *r = held_on(d, i);
        if (r != NULL && r->number == l.control.number) {
            d->launch[i] = l;
            d->held[i] = false;
            return sizeof l;
        }
    }
    return -ENOENT;
}

static int release_draw(struct lull_vda *d, uint64_t number)
{
    const struct lull_draw_record *r = lull_vda_held_draw(d);
    if (r == NULL || (number != UINT64_MAX && number != r->number)) {
        return number == UINT64_MAX ? 0 : -ENOENT;
    }
    d->draw_held = false;
    return 0;
}

void lull_vda_control_done(struct lull_vd_file *f)
{
    struct lull_vda *d = lull_vda(f->d);
    struct lull_vda_control *own = (struct lull_vda_control *)f;
    lull_vda_guards_done(own);
    if (own->aims) {
        (void)lull_vda_aim_set(own, &(const struct lull_control){.slot = LULL_AIM_OFF});
    }
    free(own->catches);
    own->catches = NULL;
    if (own->draws) {
        (void)lull_vda_drawn_set(d, &(struct lull_control){.op = LULL_CONTROL_DRAWN});
    }
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        const struct lull_dispatch_record *r = held_on(d, i);
        if (r != NULL && !caught(d, r)) {
            d->held[i] = false;
        }
    }
    const struct lull_draw_record *draw = lull_vda_held_draw(d);
    if (draw != NULL && !lull_vda_draw_caught(d, draw)) {
        d->draw_held = false;
    }
}

ssize_t lull_vda_control_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_vda_control *own = (struct lull_vda_control *)f;
    struct lull_control c = {0};
    if (pos == 0 && size == sizeof(struct lull_control_launch)) {
        return launch(lull_vda(f->d), buf);
    }
    if (pos != 0 || size != sizeof c) {
        return -EINVAL;
    }
    if (lull_vd_from_user(&c, buf, sizeof c) != 0) {
        return -EFAULT;
    }
    const uint32_t known =
        LULL_CATCH_NUMBER | LULL_CATCH_ADDRESS | LULL_CATCH_PID | LULL_CATCH_DRAW;
    if (c.op == LULL_CONTROL_RELEASE) {
        const bool draw = (c.match & LULL_CATCH_DRAW) != 0;
        const int r = (draw ? release_draw : release)(lull_vda(f->d), c.number);
        return r != 0 ? r : (ssize_t)size;
    }
    if (c.op == LULL_CONTROL_PIXEL) {
        const int r = lull_vda_pixel_set(lull_vda(f->d), &c);
        return r != 0 ? r : (ssize_t)size;
    }
    if (c.op == LULL_CONTROL_AIM) {
        const int r = lull_vda_aim_set(own, &c);
        return r != 0 ? r : (ssize_t)size;
    }
    if (c.op == LULL_CONTROL_DRAWN) {
        const int r = lull_vda_drawn_set(lull_vda(f->d), &c);
        own->draws = r == 0 && c.match != 0;
        return r != 0 ? r : (ssize_t)size;
    }
    if (c.op == LULL_CONTROL_GUARD) {
        const int r = lull_vda_guard_set(own, &c);
        return r != 0 ? r : (ssize_t)size;
    }
    if (c.slot >= LULL_NCATCHES || (c.match & ~known) != 0 ||
        (c.op != LULL_CONTROL_CATCH && c.op != LULL_CONTROL_FORGET)) {
        return -EINVAL;
    }
    if (own->catches == NULL) {
        own->catches = calloc(LULL_NCATCHES, sizeof *own->catches);
    }
    if (own->catches == NULL) {
        return -ENOMEM;
    }
    own->catches[c.slot] = c.op == LULL_CONTROL_CATCH ? c : (struct lull_control){0};
    return (ssize_t)size;
}

ssize_t lull_vda_control_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vda *d = lull_vda(f->d);
    lull_vd_poll(f->d);
    struct lull_control_state s = {
        .count = d->ndispatches,
        .oldest = d->ndispatches > LULL_VDA_RECORDS ? d->ndispatches - LULL_VDA_RECORDS : 0,
        .draws = d->ndraws,
        .oldest_draw = d->ndraws > LULL_VDA_DRAWS ? d->ndraws - LULL_VDA_DRAWS : 0,
    };
    if (pos != 0 || size != sizeof s) {
        return -EINVAL;
    }
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        const struct lull_dispatch_record *r = held_on(d, i);
        if (r != NULL) {
            s.held[s.nheld].number = r->number;
            s.held[s.nheld].ring = i;
            s.held[s.nheld++].catches = catches((const struct lull_vda_control *)f, r);
        }
    }
    const struct lull_draw_record *draw = lull_vda_held_draw(d);
    if (draw != NULL && s.nheld < LULL_NRINGS) {
        s.held[s.nheld].number = draw->number;
        s.held[s.nheld].draw = 1;
        s.held[s.nheld++].catches = lull_vda_draw_catches((const struct lull_vda_control *)f, draw);
    }
    return lull_vd_to_user(buf, &s, sizeof s) != 0 ? -EFAULT : (ssize_t)sizeof s;
}

ssize_t lull_vda_dispatches_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vda *d = lull_vda(f->d);
    const size_t unit = sizeof(struct lull_dispatch_record);
    if (size % unit != 0 || pos % unit != 0) {
        return -EINVAL;
    }
    size_t done = 0;
    for (uint64_t n = pos / unit; done < size && n < d->ndispatches; n++, done += unit) {
        const struct lull_dispatch_record lost = {.number = n, .state = LULL_DISPATCH_LOST};
        const struct lull_dispatch_record *r = record_of(d, n);
        if (lull_vd_to_user(buf + done, r != NULL ? r : &lost, unit) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)done;
}
