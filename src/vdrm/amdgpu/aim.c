// SPDX-License-Identifier: MIT
// A lane of draws that is looked for: LULL_CONTROL_AIM and lull_aim, which no real kernel has.
#include <errno.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/core/user.h"

int lull_vda_aim_set(struct lull_vda_control *f, const struct lull_control *c)
{
    static const enum lull_gpu_aim_kind kinds[] = {
        [LULL_AIM_OFF] = LULL_GPU_AIM_OFF,
        [LULL_AIM_PIXEL] = LULL_GPU_AIM_PIXEL,
        [LULL_AIM_VERTEX] = LULL_GPU_AIM_VERTEX,
        [LULL_AIM_PRIMITIVE] = LULL_GPU_AIM_PRIMITIVE,
    };
    enum { SAMPLES = 8 };
    struct lull_vda *d = lull_vda(f->f.d);
    const bool pixel = c->slot == LULL_AIM_PIXEL;
    if (c->slot >= sizeof kinds / sizeof kinds[0] || d->gpu.ops->aim == NULL ||
        (pixel && c->pid >= SAMPLES && c->pid != UINT32_MAX)) {
        return -EINVAL;
    }
    const struct lull_gpu_aim a = {
        .draw = c->number,
        .kind = kinds[c->slot],
        .x = c->value & UINT16_MAX,
        .y = c->value >> 16,
        .sample = c->pid,
        .prim = c->file,
        .index = c->value,
        .instance = c->file,
    };
    f->aims = c->slot != LULL_AIM_OFF;
    if (f->aims) { // what has come stays known when it is over
        d->aimed = (struct lull_aim_record){0};
    }
    d->gpu.ops->aim(d->gpu.gpu, &a);
    return 0;
}

void lull_vda_on_aimed(void *ctx, const struct lull_gpu_aimed *a)
{
    struct lull_vda *d = ctx;
    d->aimed = (struct lull_aim_record){
        .draw = a->draw,
        .found = 1,
        .hw_id1 = a->hw_id1,
        .vmid = a->vmid,
        .lane = a->lane,
        .prim = a->prim,
        .sample = a->sample,
        .index = a->index,
        .instance = a->instance,
    };
}

ssize_t lull_vda_aim_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vda *d = lull_vda_const(f->d);
    if (pos != 0 || size != sizeof d->aimed) {
        return -EINVAL;
    }
    return lull_vd_to_user(buf, &d->aimed, sizeof d->aimed) != 0 ? -EFAULT : (ssize_t)size;
}
