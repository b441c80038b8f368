// SPDX-License-Identifier: MIT
// Submitqueues.
//
// Source: msm_submitqueue.c, msm_gpu_convert_priority().
#include <errno.h>
#include <stdlib.h>

#include "vdrm/core/user.h"
#include "vdrm/msm/msm.h"

struct lull_vdm_queue *lull_vdm_queue_find(const struct lull_vdm_file *f, uint32_t id)
{
    struct lull_vdm_queue *q = f->queues;
    while (q != NULL && q->id != id) {
        q = q->next;
    }
    return q;
}

void lull_vdm_queue_put(struct lull_vdm_queue *q)
{
    if (q != NULL && --q->refs == 0) {
        free(q);
    }
}

// msm_submitqueue_create()
int lull_vdm_queue_create(struct lull_vdm_file *f, uint32_t prio, uint32_t flags, uint32_t *ret)
{
    if (prio / LULL_VDM_PRIORITIES >= lull_vdm_const(f->f.d)->chip->rings) {
        return -EINVAL;
    }
    struct lull_vdm_queue *q = calloc(1, sizeof *q);
    if (q == NULL) {
        return -ENOMEM;
    }
    *q = (struct lull_vdm_queue){
        .refs = 1, .id = f->next_queue++, .flags = flags, .prio = prio, .next_fence = 1};
    struct lull_vdm_queue **at = &f->queues;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = q;
    *ret = q->id;
    return 0;
}

void lull_vdm_queues_done(struct lull_vdm_file *f)
{
    while (f->queues != NULL) {
        struct lull_vdm_queue *q = f->queues;
        f->queues = q->next;
        lull_vdm_queue_put(q);
    }
}

// msm_ioctl_submitqueue_new(). In 6.12 there is no flag.
int lull_vdm_queue_new(struct lull_vd_file *f, void *p)
{
    struct drm_msm_submitqueue *arg = p;
    return (arg->flags & ~(uint32_t)MSM_SUBMITQUEUE_FLAGS) != 0
               ? -EINVAL
               : lull_vdm_queue_create(lull_vdm_file(f), arg->prio, arg->flags, &arg->id);
}

// msm_submitqueue_remove(): queue 0 is nobody's to close.
int lull_vdm_queue_close(struct lull_vd_file *f, void *p)
{
    const uint32_t *id = p;
    struct lull_vdm_queue **at = &lull_vdm_file(f)->queues;
    while (*at != NULL && (*at)->id != *id) {
        at = &(*at)->next;
    }
    struct lull_vdm_queue *q = *at;
    if (*id == 0 || q == NULL) {
        return -ENOENT;
    }
    *at = q->next;
    lull_vdm_queue_put(q);
    return 0;
}

// msm_submitqueue_query(). The call only writes to the kernel: lengths do not come back.
int lull_vdm_queue_query(struct lull_vd_file *f, void *p)
{
    const struct drm_msm_submitqueue_query *arg = p;
    if (arg->pad != 0) {
        return -EINVAL;
    }
    const struct lull_vdm_queue *q = lull_vdm_queue_find(lull_vdm_file(f), arg->id);
    if (q == NULL) {
        return -ENOENT;
    }
    if (arg->param != MSM_SUBMITQUEUE_PARAM_FAULTS) {
        return -EINVAL;
    }
    const size_t n = arg->len < sizeof q->faults ? arg->len : sizeof q->faults;
    return n != 0 ? lull_vd_to_user(arg->data, &q->faults, n) : 0;
}
