// SPDX-License-Identifier: MIT
// What drivers clear by filling metadata, for colour and depth targets: at the start of a draw all
// tiles of its views that are cleared get the clear value and are marked as plain. So the draw
// itself sees memory only, and draws whose one purpose is to decompress have nothing left to do.
#include <string.h>

#include "model/amd/gfx/gfx_output.h"
#include "model/amd/mem/meta.h"

static const char *open_surface(struct lull_gpu *g, const struct lull_gfx_surface *s)
{
    const uint32_t depth = lull_gfx_reg(g, LULL_DRAW11_DB_DEPTH_CLEAR);
    const uint32_t stencil = lull_gfx_reg(g, LULL_DRAW11_DB_STENCIL_CLEAR);
    const struct lull_gpu_job_node *job = g->rings[LULL_RING_GFX].head;
    struct lull_meta_image i = {
        .tiling = s->tiling,
        .meta = s->meta,
        .clear = {.known = true,
                  .stencil = (uint8_t)(stencil & LULL_DRAW11_DB_STENCIL_CLEAR__CLEAR_MASK)},
    };
    memcpy(&i.clear.depth, &depth, sizeof(i.clear.depth));
    if (s->meta.kind == LULL_META_NONE || job == NULL) {
        return NULL;
    }
    const enum lull_meta_result r =
        lull_meta_open_level(&g->vm[job->job.vmid], &i, s->slice, s->slice_max);
    return r == LULL_META_OPEN      ? NULL
           : r == LULL_META_REFUSED ? "to an image whose metadata or memory is not mapped"
                                    : "to an image whose metadata says what it does not know";
}

const char *lull_gfx_open_meta(struct lull_gpu *g, const struct lull_gfx_output *o)
{
    const char *why = open_surface(g, &o->zs.depth);
    if (why == NULL) {
        why = open_surface(g, &o->zs.stencil);
    }
    for (unsigned n = 0; why == NULL && n < LULL_GFX_TARGETS; n++) {
        why = open_surface(g, &o->color[n].at);
    }
    return why;
}
