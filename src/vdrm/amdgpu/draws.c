// SPDX-License-Identifier: MIT
// Records of draws, catches that hold them, and what they did to a pixel: lull_draws, lull_pixels,
// which no real kernel has. They have
// numbers of their own; dispatches.c has the file that both are caught by.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/amdgpu/job.h"
#include "vdrm/core/user.h"

static bool catch_matches(const struct lull_control *c, const struct lull_draw_record *r)
{
    bool address = (c->match & LULL_CATCH_ADDRESS) == 0;
    for (unsigned i = 0; i < LULL_DRAW_STAGES; i++) {
        address = address || (r->code[i] != 0 && c->address == r->code[i]);
    }
    return c->op != 0 && (c->match & LULL_CATCH_DRAW) != 0 && address &&
           ((c->match & LULL_CATCH_NUMBER) == 0 || c->number == r->number) &&
           ((c->match & LULL_CATCH_PID) == 0 || c->pid == r->pid);
}

uint32_t lull_vda_draw_catches(const struct lull_vda_control *f, const struct lull_draw_record *r)
{
    uint32_t v = 0;
    for (unsigned i = 0; f->catches != NULL && i < LULL_NCATCHES; i++) {
        v |= catch_matches(&f->catches[i], r) ? 1u << i : 0;
    }
    return v;
}

bool lull_vda_draw_caught(const struct lull_vda *d, const struct lull_draw_record *r)
{
    for (const struct lull_vd_file *f = d->vd.files; f != NULL; f = f->next) {
        const struct lull_vda_control *c = lull_vda_control_of(f);
        if (c != NULL && f->fds > 0 && lull_vda_draw_catches(c, r) != 0) {
            return true;
        }
    }
    return false;
}

struct lull_draw_record *lull_vda_held_draw(const struct lull_vda *d)
{
    return d->draw_held ? lull_vda_draw_record(d, d->ndraws - 1) : NULL;
}

/** NULL: no memory. */
static struct lull_draw_record *new_record(struct lull_vda *d, const struct lull_gpu_draw_launch *l)
{
    if (d->draws == NULL) {
        d->draws = calloc(LULL_VDA_DRAWS, sizeof *d->draws);
    }
    if (d->draws == NULL) {
        return NULL;
    }
    const uint64_t number = d->ndraws++;
    const struct lull_vda_origin from = lull_vda_origin_of(d, l->cookie);
    struct lull_draw_record *r = &d->draws[number % LULL_VDA_DRAWS];
    *r = (struct lull_draw_record){
        .number = number,
        .state = LULL_DISPATCH_RUNNING,
        .pid = from.pid,
        .file = from.file,
        .ctx = from.ctx,
        .job = from.job,
        .frame = from.frame,
        .vmid = l->vmid,
        .count = l->count,
        .packet = l->packet,
        .index_va = l->index_va,
        .index_bytes = l->index_bytes,
        .instances = l->instances,
        .part = l->part,
    };
    memcpy(r->code, l->code, sizeof r->code);
    memcpy(r->grid, l->grid, sizeof r->grid);
    memcpy(r->context, l->context, sizeof r->context);
    memcpy(r->sh, l->sh, sizeof r->sh);
    memcpy(r->uconfig, l->uconfig, sizeof r->uconfig);
    return r;
}

bool lull_vda_on_draw(void *ctx, const struct lull_gpu_draw_launch *l, bool again, uint64_t *id)
{
    struct lull_vda *d = ctx;
    struct lull_draw_record *r = again ? lull_vda_draw_record(d, *id) : new_record(d, l);
    if (r == NULL) {
        *id = again ? *id : UINT64_MAX;
        return true;
    }
    *id = r->number;
    if (!again && lull_vda_draw_caught(d, r)) {
        r->state = LULL_DISPATCH_HELD;
        d->draw_held = true;
    }
    if (d->draw_held) {
        return false;
    }
    r->state = LULL_DISPATCH_RUNNING;
    r->began = d->gpu.ops->clock(d->gpu.gpu);
    lull_vda_drawn_begin(d, r);
    return true;
}

void lull_vda_on_draw_ended(void *ctx, uint64_t id, bool killed)
{
    struct lull_vda *d = ctx;
    struct lull_draw_record *r = lull_vda_draw_record(d, id);
    if (r == NULL) {
        return;
    }
    if (r->state == LULL_DISPATCH_HELD) {
        d->draw_held = false;
    }
    const struct lull_vda_job *job = lull_vda_ring_head(d, LULL_RING_GFX);
    killed = killed || (job != NULL && job->error != 0);
    r->state = killed ? LULL_DISPATCH_KILLED : LULL_DISPATCH_DONE;
    r->ended = d->gpu.ops->clock(d->gpu.gpu);
}

ssize_t lull_vda_draws_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vda *d = lull_vda_const(f->d);
    const size_t unit = sizeof(struct lull_draw_record);
    if (size % unit != 0 || pos % unit != 0) {
        return -EINVAL;
    }
    struct lull_draw_record *lost = calloc(1, unit);
    if (lost == NULL) {
        return -ENOMEM;
    }
    size_t done = 0;
    ssize_t err = 0;
    for (uint64_t n = pos / unit; err == 0 && done < size && n < d->ndraws; n++, done += unit) {
        const struct lull_draw_record *r = lull_vda_draw_record(d, n);
        lost->number = n;
        lost->state = LULL_DISPATCH_LOST;
        err = lull_vd_to_user(buf + done, r != NULL ? r : lost, unit) != 0 ? -EFAULT : 0;
    }
    free(lost);
    return err != 0 ? err : (ssize_t)done;
}

int lull_vda_pixel_set(struct lull_vda *d, const struct lull_control *c)
{
    if (c->match > 1 || d->gpu.ops->watch_pixel == NULL) {
        return -EINVAL;
    }
    if (c->match == 1 && d->fragments == NULL) {
        d->fragments = calloc(LULL_NFRAGMENTS, sizeof *d->fragments);
        if (d->fragments == NULL) {
            return -ENOMEM;
        }
    }
    d->nfragments = 0;
    d->gpu.ops->watch_pixel(d->gpu.gpu, c->match == 1, c->value & UINT16_MAX, c->value >> 16);
    return 0;
}

void lull_vda_on_fragment(void *ctx, const struct lull_gpu_fragment *f)
{
    struct lull_vda *d = ctx;
    if (d->fragments == NULL) {
        return;
    }
    struct lull_fragment_record *r = &d->fragments[d->nfragments % LULL_NFRAGMENTS];
    *r = (struct lull_fragment_record){
        .number = d->nfragments++,
        .draw = f->draw,
        .x = f->x,
        .y = f->y,
        .layer = f->layer,
        .sample = f->sample,
        .prim = f->prim,
        .instance = f->instance,
        .fate = f->fate,
        .early = f->early,
        .has = f->stages,
        .targets = f->targets,
        .z = f->z,
        .z_before = f->z_before,
        .stencil_before = f->stencil_before,
    };
    static_assert(sizeof r->color == sizeof f->color, "the same targets");
    memcpy(r->color, f->color, sizeof r->color);
}

ssize_t lull_vda_pixels_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vda *d = lull_vda_const(f->d);
    const size_t unit = sizeof(struct lull_fragment_record);
    if (size % unit != 0 || pos % unit != 0) {
        return -EINVAL;
    }
    size_t done = 0;
    for (uint64_t n = pos / unit; done < size && n < d->nfragments; n++, done += unit) {
        struct lull_fragment_record r = d->fragments[n % LULL_NFRAGMENTS];
        r.number = n + LULL_NFRAGMENTS >= d->nfragments ? n : UINT64_MAX; // written over
        if (lull_vd_to_user(buf + done, &r, unit) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)done;
}
