// SPDX-License-Identifier: MIT
// Who wrote memory last: lull_written, which no real kernel has.
#include <errno.h>

#include "drm/core/written_abi.h"
#include "model/written.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/amdgpu/job.h"
#include "vdrm/core/user.h"

static struct lull_vda_written *file_of(struct lull_vd_file *f)
{
    return (struct lull_vda_written *)f;
}

/** DRM files are named as records name them. */
static uint32_t space(void *ctx, uint32_t vmid)
{
    const struct lull_vda *d = ctx;
    const struct lull_vda_vm *vm = vmid < LULL_VDA_NVMID ? d->vmids[vmid] : NULL;
    return vm != NULL ? lull_container(vm, struct lull_vda_file, vm)->f.id : 0;
}

static uint64_t job(void *ctx, uint64_t cookie)
{
    return lull_vda_origin_of(ctx, cookie).job;
}

static int limit(struct lull_vda *d, struct lull_vda_written *f, uint64_t bytes)
{
    const struct lull_written_host host = {.ctx = d, .space = space, .job = job};
    d->written = d->gpu.ops->log_writes(d->gpu.gpu, bytes != 0 ? &host : NULL, bytes);
    f->logs = d->written != NULL;
    return f->logs || bytes == 0 ? 0 : -ENOMEM;
}

/** Of pixels a record is of a quad: which of its pixels a lane is. */
static void pixel_of(unsigned lane, struct lull_written_record *ret)
{
    ret->workgroup[0] += lane & 1;
    ret->workgroup[1] += lane >> 1 & 1;
}

static void ask(struct lull_vda *d, struct lull_vda_written *f, const struct lull_written_op *o)
{
    struct lull_written_answer a = {0};
    struct lull_written_record *r = &f->found;
    *r = (struct lull_written_record){0};
    const bool any = lull_written_find(d->written, o->client, o->address, o->bytes,
                                       o->op == LULL_WRITTEN_BEFORE, o->value, &a);
    r->known = a.known;
    for (unsigned i = 0; i < LULL_WRITTEN_NVALUES; i++) {
        r->values[i] = a.values[i];
    }
    if (!any) {
        return;
    }
    r->kind = a.by.kind;
    r->lane = a.lane;
    r->number = a.number;
    r->address = a.address;
    r->launch = a.by.launch;
    r->job = a.by.job;
    r->pc = a.by.pc;
    r->time = a.by.time;
    r->index = a.by.index;
    r->place = a.by.place;
    r->target = a.by.target;
    r->ring = a.by.ring;
    for (unsigned i = 0; i < 3; i++) {
        r->workgroup[i] = a.by.workgroup[i];
    }
    if (r->kind == LULL_WROTE_COPY) {
        r->pc += a.address - a.by.to;
    }
    if (r->kind >= LULL_WROTE_COLOR && r->kind <= LULL_WROTE_STENCIL) {
        pixel_of(a.lane, r);
    }
}

ssize_t lull_vda_written_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_vda *d = lull_vda(f->d);
    struct lull_written_op o = {0};
    if (d->gpu.ops->log_writes == NULL) {
        return -EOPNOTSUPP;
    }
    if (pos != 0 || size != sizeof o) {
        return -EINVAL;
    }
    if (lull_vd_from_user(&o, buf, sizeof o) != 0) {
        return -EFAULT;
    }
    if (o.op == LULL_WRITTEN_LIMIT) {
        const int r = limit(d, file_of(f), o.value);
        return r != 0 ? r : (ssize_t)size;
    }
    if ((o.op != LULL_WRITTEN_ASK && o.op != LULL_WRITTEN_BEFORE) || o.bytes > UINT32_MAX) {
        return -EINVAL;
    }
    if (d->written == NULL) {
        return -ENODATA;
    }
    ask(d, file_of(f), &o);
    return (ssize_t)size;
}

ssize_t lull_vda_written_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_written_record *r = &file_of(f)->found;
    if (pos != 0 || size != sizeof *r) {
        return -EINVAL;
    }
    return lull_vd_to_user(buf, r, sizeof *r) != 0 ? -EFAULT : (ssize_t)size;
}

void lull_vda_written_done(struct lull_vd_file *f)
{
    if (file_of(f)->logs) {
        (void)limit(lull_vda(f->d), file_of(f), 0);
    }
}

void lull_vda_written_forget(struct lull_vda *d, const struct lull_vd_file *f, uint64_t va,
                             uint64_t bytes)
{
    if (d->written != NULL) {
        lull_written_forget(d->written, f->id, va, bytes);
    }
}
