// SPDX-License-Identifier: MIT
// What becomes of the pixel that is watched (lull_gpu_watch_pixel()): kept sample by sample while a
// batch is made and committed, told at its end in the order of primitives.
#include <stdlib.h>
#include <string.h>

#include "model/amd/gfx/gfx.h"

/** What is known so far of a sample. */
struct lull_gfx_seen {
    uint32_t order; ///< Of its part in the batch.
    bool ended;
    struct lull_gpu_fragment f;
};

/** What is known of a sample of @p part, or a place for it. NULL: no memory, it is not told of. */
static struct lull_gfx_seen *seen_of(struct lull_gpu *g, const struct lull_gfx_part *part,
                                     uint32_t sample)
{
    enum { FIRST_ROOM = 64 };
    for (uint32_t i = 0; i < g->nseen; i++) {
        if (g->seen[i].order == part->order && g->seen[i].f.sample == sample) {
            return &g->seen[i];
        }
    }
    if (g->nseen == g->seen_room) {
        const uint32_t room = g->seen_room != 0 ? 2 * g->seen_room : FIRST_ROOM;
        struct lull_gfx_seen *more = realloc(g->seen, room * sizeof(*more));
        if (more == NULL) {
            return NULL;
        }
        g->seen = more;
        g->seen_room = room;
    }
    struct lull_gfx_seen *s = &g->seen[g->nseen++];
    *s = (struct lull_gfx_seen){.order = part->order,
                                .f = {.draw = g->draw_id,
                                      .x = g->pixel_x,
                                      .y = g->pixel_y,
                                      .layer = part->layer,
                                      .sample = sample,
                                      .prim = part->prim_id,
                                      .instance = lull_gfx_of(g)->sub.instance,
                                      .early = lull_gfx_of(g)->batch.early}};
    return s;
}

void lull_gfx_saw_test(struct lull_gpu *g, const struct lull_gfx_part *part,
                       const struct lull_gpu_fragment *f, enum lull_raster_verdict verdict)
{
    static const enum lull_gpu_fate fates[] = {
        [LULL_RASTER_FAIL_BOUNDS] = LULL_FATE_BOUNDS,
        [LULL_RASTER_FAIL_STENCIL] = LULL_FATE_STENCIL,
        [LULL_RASTER_FAIL_DEPTH] = LULL_FATE_DEPTH,
    };
    struct lull_gfx_seen *s = seen_of(g, part, f->sample);
    if (s == NULL) {
        return;
    }
    s->f.stages = f->stages;
    s->f.z = f->z;
    s->f.z_before = f->z_before;
    s->f.stencil_before = f->stencil_before;
    if (verdict != LULL_RASTER_PASS) {
        s->f.fate = fates[verdict];
        s->ended = true;
    }
}

void lull_gfx_saw_color(struct lull_gpu *g, const struct lull_gfx_part *part, unsigned sample,
                        unsigned n, const struct lull_gpu_color *color)
{
    struct lull_gfx_seen *s = seen_of(g, part, sample);
    if (s != NULL) {
        s->f.targets |= 1u << n;
        s->f.color[n] = *color;
    }
}

void lull_gfx_saw_end(struct lull_gpu *g, const struct lull_gfx_part *part, unsigned samples,
                      enum lull_gpu_fate fate)
{
    for (; samples != 0; samples &= samples - 1) {
        struct lull_gfx_seen *s = seen_of(g, part, (uint32_t)__builtin_ctz(samples));
        if (s != NULL) {
            s->f.fate = fate;
            s->ended = true;
        }
    }
}

static int by_order(const void *pa, const void *pb)
{
    const struct lull_gfx_seen *a = pa;
    const struct lull_gfx_seen *b = pb;
    return a->order != b->order         ? (a->order < b->order ? -1 : 1)
           : a->f.sample != b->f.sample ? (a->f.sample < b->f.sample ? -1 : 1)
                                        : 0;
}

void lull_gfx_tell_seen(struct lull_gpu *g)
{
    if (g->nseen != 0) {
        qsort(g->seen, g->nseen, sizeof(*g->seen), by_order);
    }
    for (uint32_t i = 0; i < g->nseen && g->watcher.fragment != NULL; i++) {
        if (g->seen[i].ended) {
            g->watcher.fragment(g->watcher.ctx, &g->seen[i].f);
        }
    }
    g->nseen = 0;
}

void lull_gfx_saw_prims(struct lull_gpu *g)
{
    enum { STEP = 10, VERTEX = 0x1ff, NONE = 31 }; // of an exported primitive
    const struct lull_gfx_subgroup *sub = &lull_gfx_of(g)->sub;
    for (unsigned i = 0; i < sub->out_prims && i < LULL_GFX_PRIMS; i++) {
        struct lull_gpu_primitive p = {.draw = g->draw_id,
                                       .prim = sub->prim_id[i],
                                       .instance = sub->instance,
                                       .corners = sub->shape == LULL_RASTER_POINT  ? 1
                                                  : sub->shape == LULL_RASTER_LINE ? 2
                                                                                   : 3};
        bool good = sub->connect[i] >> NONE == 0;
        for (unsigned k = 0; good && k < p.corners; k++) {
            const unsigned v = sub->connect[i] >> k * STEP & VERTEX;
            good = v < sub->out_vertices && v < LULL_GFX_VERTICES;
            for (unsigned c = 0; good && c < 4; c++) {
                memcpy(&p.pos[k][c], &sub->position[0][c][v], sizeof(p.pos[k][c]));
            }
        }
        if (good && g->watcher.primitive != NULL) {
            g->watcher.primitive(g->watcher.ctx, &p);
        }
    }
}

void lull_gfx_saw_quad(struct lull_gpu *g, const struct lull_gfx_quad *q, uint32_t written)
{
    const struct lull_gfx *x = lull_gfx_of(g);
    for (unsigned n = 0; n < 4 && g->watcher.shaded != NULL; n++) {
        const struct lull_gpu_shaded s = {
            .draw = g->draw_id,
            .x = q->q.x + (n & 1),
            .y = q->q.y + (n >> 1),
            .layer = x->batch.parts[q->part].layer,
            .prim = x->batch.parts[q->part].prim_id,
            .instance = x->sub.instance,
            .written = written >> LULL_RASTER_SAMPLES * n & UINT8_MAX,
        };
        if ((q->q.mask >> LULL_RASTER_SAMPLES * n & UINT8_MAX) != 0) {
            g->watcher.shaded(g->watcher.ctx, &s);
        }
    }
}
