// SPDX-License-Identifier: MIT
// The log of who wrote memory last (model/written.h): what it asks of the GPU, and packets that
// tell it.
#include "model/written.h"

#include "model/amd/gpu/gpu_impl.h"

static const uint8_t *look(void *ctx, uint32_t vmid, uint64_t address)
{
    struct lull_gpu *g = ctx;
    struct lull_vm *vm = &g->vm[vmid % LULL_NVMID];
    const struct lull_vm_fault was = vm->fault;
    const uint8_t *at = lull_vm_host(vm, address, LULL_ACCESS_READ);
    vm->fault = was;
    return at;
}

static bool who(void *ctx, const struct lull_observed *at, uint64_t *launch, uint32_t *index)
{
    const struct lull_gpu *g = ctx;
    const struct lull_wave *w = at->wave;
    const struct lull_gpu_slot *s = w->owner;
    const struct lull_gpu_group *group = s->group;
    const bool draw = group->work->kind != LULL_WORK_COMPUTE;
    *launch = draw ? g->draw_id : group->work->id;
    *index = 0;
    while (*index < group->nslots && group->slots[*index] != s) {
        ++*index;
    }
    return draw;
}

struct lull_written *lull_gpu_log_writes(struct lull_gpu *g, const struct lull_written_host *host,
                                         uint64_t bytes)
{
    lull_written_free(g->written);
    g->written = NULL;
    if (host != NULL) {
        struct lull_written_host all = *host;
        all.look_ctx = g;
        all.look = look;
        all.who = who;
        g->written = lull_written_new(&all, bytes);
    }
    lull_gpu_observe(g, g->observer);
    return g->written;
}

void lull_gpu_wrote(struct lull_gpu *g, const struct lull_gpu_ring *r, uint32_t vmid, uint64_t to,
                    uint64_t bytes, const uint64_t *from, bool fills)
{
    if (g->written == NULL || bytes == 0) {
        return;
    }
    const struct lull_writer by = {.kind = from != NULL ? LULL_WRITER_COPY
                                           : fills      ? LULL_WRITER_FILL
                                                        : LULL_WRITER_PACKET,
                                   .ring = r->id,
                                   .launch = r->ndispatches != 0 ? r->launch_id + 1 : 0,
                                   .pc = from != NULL ? *from : 0,
                                   .time = g->time};
    lull_written_packet(g->written, vmid, r->head != NULL ? r->head->job.cookie : 0, to, bytes,
                        &by);
}

void lull_gpu_wrote_pixel(struct lull_gpu *g, uint32_t vmid, uint64_t to, unsigned bytes,
                          unsigned lane, const struct lull_writer *by)
{
    struct lull_writer now = *by;
    now.time = g->time;
    lull_written_pixel(g->written, vmid, to, bytes, lane, &now);
}
