// SPDX-License-Identifier: MIT
#include "model/adreno/draws.h"

#include <stdio.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"

enum { COMPONENTS = 4 };

static bool is(const struct lull_as_packet *p, const char *name)
{
    return p->name != NULL && strcmp(p->name, name) == 0;
}

struct lull_error *lull_agpu_draws_begin(struct lull_agpu_draws *q,
                                         const struct lull_agpu_drawer *by, unsigned gen,
                                         const struct lull_as_packet *p,
                                         const struct lull_as_draw *d)
{
    const struct lull_apkt_args args = lull_as_args(gen, p);
    *q = (struct lull_agpu_draws){.by = *by,
                                  .call = {.prim = d->prim,
                                           .vertices = d->vertices,
                                           .instances = d->instances,
                                           .index = d->index,
                                           .index_bytes = d->index_bytes,
                                           .first_index = d->first,
                                           .packet = p->address},
                                  .n = 1};
    if (is(p, "CP_DRAW_INDX_OFFSET")) {
        q->call.most = lull_cp_draw_indx_offset__max_indices(&args);
        return NULL;
    }
    if (!is(p, "CP_DRAW_INDIRECT_MULTI")) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "lull does not draw by %s", p->name);
    }
    const uint32_t counted = d->count != 0 ? by->word(by->ctx, d->count) : d->draws;
    q->call.most = lull_cp_draw_indirect_multi__max_indices(&args);
    q->params = lull_cp_draw_indirect_multi__dst_off(&args);
    q->indirect = d->indirect;
    q->stride = d->stride;
    q->n = counted < d->draws ? counted : d->draws;
    return NULL;
}

/** Read what the next draw is. */
static void read_next(struct lull_agpu_draws *q)
{
    const struct lull_agpu_drawer *by = &q->by;
    const uint64_t at = q->indirect + (uint64_t)q->next * q->stride;
    uint32_t w[5]; // Vertices, instances, the first index if there are any, vertex, instance.
    for (unsigned i = 0; i < 5; i++) {
        const bool none = i == 2 && q->call.index_bytes == 0;
        const unsigned dword = q->call.index_bytes == 0 && i > 2 ? i - 1 : i;
        w[i] = none ? 0 : by->word(by->ctx, at + 4 * (uint64_t)dword);
    }
    q->call.vertices = w[0];
    q->call.instances = w[1];
    q->call.first_index = w[2];
    by->set_reg(by->ctx, LULL_A6XX_VFD_INDEX_OFFSET, w[3]);
    by->set_reg(by->ctx, LULL_A6XX_VFD_INSTANCE_START_OFFSET, w[4]);
    const uint32_t params[COMPONENTS] = {q->next, w[3], w[4], 0};
    if (q->params != 0 && (q->params + 1) * COMPONENTS <= LULL_IR3_CONSTS) {
        memcpy(&by->source.shaders.state->stage[LULL_ASTAGE_VS].consts[q->params * COMPONENTS],
               params, sizeof params);
    }
}

struct lull_error *lull_agpu_draws_run(struct lull_agpu_draws *q, uint64_t most, uint64_t *done)
{
    *done = 0;
    if (q->now == NULL && q->next < q->n) {
        if (q->indirect != 0) {
            read_next(q);
        }
        q->call.part = q->next++;
        *done = 1;
        return lull_adraw_new(&q->by.source, &q->call, &q->now);
    }
    struct lull_error *err = lull_adraw_run(q->now, most, done);
    const char *who = lull_adraw_fault(q->now);
    if (who != NULL && q->fault[0] == '\0') {
        snprintf(q->fault, sizeof q->fault, "%s", who);
    }
    if (err == NULL && lull_adraw_ended(q->now)) {
        lull_adraw_free(q->now);
        q->now = NULL;
    }
    return err;
}

bool lull_agpu_draws_on(const struct lull_agpu_draws *q)
{
    return q->now != NULL || q->next < q->n;
}

void lull_agpu_draws_done(struct lull_agpu_draws *q)
{
    lull_adraw_free(q->now);
    memset(q, 0, sizeof *q);
}
