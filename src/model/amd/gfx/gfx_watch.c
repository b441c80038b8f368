// SPDX-License-Identifier: MIT
// What becomes of the pixel that is watched (lull_gpu_watch_pixel()): told sample by sample when it
// is over, in the order of commits; samples that fail in front of the shader come first.
#include <string.h>

#include "model/amd/gfx/gfx.h"

/** What is known of a sample, or a place for it; the last one if there are too many. */
static struct lull_gfx_seen *seen_of(struct lull_gfx_batch *b, uint32_t part, uint32_t sample)
{
    for (uint32_t i = 0; i < b->nseen; i++) {
        if (b->seen[i].part == part && b->seen[i].sample == sample) {
            return &b->seen[i];
        }
    }
    b->nseen += b->nseen < LULL_GFX_SEEN;
    struct lull_gfx_seen *s = &b->seen[b->nseen - 1];
    *s = (struct lull_gfx_seen){.part = part,
                                .sample = sample,
                                .prim_id = b->parts[part].prim_id,
                                .layer = b->parts[part].layer};
    return s;
}

static void tell(struct lull_gpu *g, const struct lull_gfx_seen *s, enum lull_gpu_fate fate)
{
    const struct lull_gfx *x = lull_gfx_of(g);
    struct lull_gpu_fragment f = {
        .draw = g->draw_id,
        .x = g->pixel_x,
        .y = g->pixel_y,
        .layer = s->layer,
        .sample = s->sample,
        .prim = s->prim_id,
        .instance = x->sub.instance,
        .fate = fate,
        .early = x->batch.early,
        .stages = s->stages,
        .z = s->z,
        .z_before = s->z_before,
        .stencil_before = s->stencil_before,
    };
    memcpy(f.shader, s->shader, sizeof(f.shader));
    memcpy(f.before, s->before, sizeof(f.before));
    memcpy(f.after, s->after, sizeof(f.after));
    if (g->watcher.fragment != NULL) {
        g->watcher.fragment(g->watcher.ctx, &f);
    }
}

void lull_gfx_saw_test(struct lull_gpu *g, const struct lull_gfx_seen *seen,
                       enum lull_raster_verdict verdict)
{
    static const enum lull_gpu_fate fates[] = {
        [LULL_RASTER_FAIL_BOUNDS] = LULL_FATE_BOUNDS,
        [LULL_RASTER_FAIL_STENCIL] = LULL_FATE_STENCIL,
        [LULL_RASTER_FAIL_DEPTH] = LULL_FATE_DEPTH,
    };
    struct lull_gfx_seen *s = seen_of(&lull_gfx_of(g)->batch, seen->part, seen->sample);
    *s = *seen;
    if (verdict != LULL_RASTER_PASS) {
        tell(g, s, fates[verdict]);
    }
}

void lull_gfx_saw_color(struct lull_gpu *g, const struct lull_gfx_seen *seen)
{
    struct lull_gfx_seen *s = seen_of(&lull_gfx_of(g)->batch, seen->part, seen->sample);
    s->stages |= LULL_FRAGMENT_COLOR;
    memcpy(s->shader, seen->shader, sizeof(s->shader));
    memcpy(s->before, seen->before, sizeof(s->before));
    memcpy(s->after, seen->after, sizeof(s->after));
}

void lull_gfx_saw_end(struct lull_gpu *g, uint32_t part, unsigned samples, enum lull_gpu_fate fate)
{
    for (; samples != 0; samples &= samples - 1) {
        tell(g, seen_of(&lull_gfx_of(g)->batch, part, (uint32_t)__builtin_ctz(samples)), fate);
    }
}
