// SPDX-License-Identifier: MIT
// Where samples of targets are, in memory and in tiles.
#include "model/adreno/draw/rop_part.h"

void lull_arop_place(const struct lull_arop *r, struct lull_asurface *s, uint64_t base,
                     uint32_t gmem)
{
    s->base = base;
    if (r->tile[0] != 0) {
        s->tiled = false;
        s->gmem = r->source.gmem;
        s->base = gmem;
        s->pitch = r->tile[0] * s->bytes * s->samples;
        s->layer_bytes = 0;
    }
}

bool lull_arop_sample_at(const struct lull_arop *r, const struct lull_asurface *s,
                         const struct lull_arop_quad *q, unsigned pixel, unsigned sample,
                         uint64_t *ret)
{
    const uint32_t x = q->x + (pixel & 1) - r->window[0], y = q->y + (pixel >> 1) - r->window[1];
    if (s->gmem != NULL && (x >= r->tile[0] || y >= r->tile[1])) {
        return false;
    }
    *ret = lull_asurface_at(s, x, y, q->layer, sample);
    return true;
}
