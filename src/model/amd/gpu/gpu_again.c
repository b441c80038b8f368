// SPDX-License-Identifier: MIT
// Workgroups that begin as the one before them in the same place did, but for their ids: how its
// waves began is kept, and copied.
#include <string.h>

#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_pool.h"
#include "model/amd/gpu/gpu_range.h"
#include "model/amd/gpu/gpu_spi.h"

void lull_again_keep(struct lull_gpu_image *m, const struct lull_gpu_group *group)
{
    const struct lull_work *d = group->work;
    const size_t row = d->lanes * sizeof m->ids[0][0];
    bool plain = true;
    for (unsigned i = 0; i < group->nslots; i++) {
        const struct lull_gpu_slot *s = group->slots[i];
        // One dirty VGPR: the others are 0.
        plain = plain && s->w.state == LULL_WAVE_RUNNING && s->w.pending == 0 && s->dirty == 1;
        m->w[i] = s->w;
        memcpy(m->ids[i], s->w.vgpr, row);
    }
    lull_spi_group_items(d, group->wg.id, m->items);
    lull_spi_id_sgprs(d, m->sgpr);
    m->group = plain ? group : NULL;
}

/** Wave @p i, with the ids of its group, in slot @p s, whose own things stay. */
static void start_wave(const struct lull_gpu_image *m, const struct lull_gpu_group *group,
                       unsigned i, struct lull_gpu_slot *s)
{
    const struct lull_work *d = group->work;
    struct lull_wave *w = &s->w;
    uint32_t *vgpr = w->vgpr;
    const uint64_t flat_scratch = w->flat_scratch;
    const uint32_t hw_id1 = w->hw_id1;
    const size_t row = d->lanes * sizeof m->ids[0][0], all = lull_spi_vgpr_bytes(d);
    const size_t dirty = s->dirty < d->nvgprs ? s->dirty * row : all; // Behind them all is 0.
    lull_pool_copy(vgpr, m->ids[i], row);
    if (dirty > row) {
        lull_pool_clear(vgpr + d->lanes, dirty - row);
    }
    lull_pool_copy(w, &m->w[i], sizeof *w);
    w->vgpr = vgpr;
    w->flat_scratch = flat_scratch;
    w->hw_id1 = hw_id1;
    w->owner = s;
    for (unsigned k = 0; k < 3; k++) {
        w->sgpr[LULL_SPI_TTMP_GROUP + k] = group->wg.id[k];
        if (m->sgpr[k] != LULL_SPI_NO_SGPR) {
            w->sgpr[m->sgpr[k]] = group->wg.id[k];
        }
    }
    s->wake_at = s->look_at = 0;
    s->steps = 0;
    s->was = LULL_WAVE_RUNNING;
    s->dirty = 1;
}

uint32_t lull_again_start(const struct lull_gpu_image *m, struct lull_gpu_group *group,
                          uint64_t number)
{
    const struct lull_work *d = group->work;
    uint32_t id[3] = {0}, items[3] = {0};
    if (m->group != group) {
        return 0;
    }
    lull_range_ids(d, number, id);
    lull_spi_group_items(d, id, items);
    if (memcmp(items, m->items, sizeof items) != 0) {
        return 0;
    }
    memcpy(group->wg.id, id, sizeof id);
    group->wg.nended = group->wg.nbarrier = group->next = 0;
    group->ngone = 0;
    if (d->lds_bytes != 0) {
        lull_pool_clear(group->wg.lds, d->lds_bytes);
    }
    for (unsigned i = 0; i < group->nslots; i++) {
        group->slots[i] = group->gone[i];
        start_wave(m, group, i, group->gone[i]);
    }
    return items[0] * items[1] * items[2];
}
