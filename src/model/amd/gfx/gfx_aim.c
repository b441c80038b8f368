// SPDX-License-Identifier: MIT
// Is this the wave that is looked for (lull_gpu_aim())? Asked when a wave of a draw starts.
#include "model/amd/gfx/gfx.h"
#include "model/amd/gpu/gpu_spi.h"

enum { QUAD = 4 };

/** The first lane that shades the pixel. */
static bool pixel_lane(const struct lull_gpu *g, const struct lull_gpu_group *group,
                       struct lull_gpu_aimed *ret)
{
    const struct lull_gfx_batch *b = &lull_gfx_of(g)->batch;
    const struct lull_gpu_aim *a = &g->aim;
    const uint32_t first = group->wg.id[0] * b->wave_quads;
    for (uint32_t i = 0; i < b->wave_quads * QUAD && first + i / QUAD < b->nquads; i++) {
        const struct lull_gfx_quad *q = &b->quads[first + i / QUAD];
        const uint32_t n = i % QUAD;
        const uint32_t prim = b->parts[q->part].prim_id;
        const uint32_t alive = q->q.mask >> LULL_RASTER_SAMPLES * n & UINT8_MAX;
        const uint32_t wanted = a->sample == UINT32_MAX ? alive : alive & 1u << a->sample;
        if (wanted != 0 && q->q.x + (n & 1) == a->x && q->q.y + (n >> 1) == a->y &&
            (a->prim == UINT32_MAX || a->prim == prim)) {
            ret->lane = i;
            ret->prim = prim;
            ret->sample = (uint32_t)__builtin_ctz(wanted);
            ret->instance = lull_gfx_of(g)->sub.instance;
            return true;
        }
    }
    return false;
}

/** Threads of the subgroup that wave @p w, number @p index of its group, has: @p first on. */
static uint32_t part(const struct lull_wave *w, unsigned index, uint32_t total, uint32_t *first)
{
    *first = w->lanes * index;
    return total <= *first ? 0 : total - *first < w->lanes ? total - *first : w->lanes;
}

/** The lane of the vertex shader for that place of the draw: of the index that stands there. */
static bool vertex_lane(const struct lull_gpu *g, const struct lull_work *d, unsigned index,
                        const struct lull_wave *w, struct lull_gpu_aimed *ret)
{
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    const bool first_stage = (d->kind == LULL_WORK_HULL) == lull_gfx_tessellates(g);
    uint32_t first = 0;
    const uint32_t n = part(w, index, s->nvertices, &first);
    if (!first_stage || lull_gfx_meshes(g) || s->instance != g->aim.instance ||
        !lull_gfx_index(&lull_gfx_of(g)->call, w->vm, g->aim.index, &ret->index)) {
        return false;
    }
    while (ret->lane < n && s->vertex[first + ret->lane] != ret->index) {
        ret->lane++;
    }
    ret->instance = s->instance;
    return ret->lane < n;
}

/** Thread g->aim.index of the workgroup of meshes that is counted there. */
static bool mesh_lane(const struct lull_gpu *g, unsigned index, const struct lull_wave *w,
                      struct lull_gpu_aimed *ret)
{
    const uint32_t *group = lull_gfx_of(g)->sub.group;
    const uint32_t *grid = lull_gfx_of(g)->call.grid;
    const uint64_t number = group[0] + grid[0] * (group[1] + (uint64_t)grid[1] * group[2]);
    uint32_t first = 0;
    const uint32_t n = part(w, index, lull_gfx_mesh_threads(g), &first);
    ret->lane = g->aim.index - first; // wraps where it is too small
    ret->prim = g->aim.index;
    ret->instance = (uint32_t)number;
    return number == g->aim.instance && ret->lane < n;
}

/** The first lane of the shader that runs for a primitive: geometry; of patches without one hull.
 */
static bool primitive_lane(const struct lull_gpu *g, const struct lull_work *d, unsigned index,
                           const struct lull_wave *w, struct lull_gpu_aimed *ret)
{
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    const bool gs = (lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN) &
                     LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_EN_MASK) != 0;
    const bool hull = lull_gfx_tessellates(g) && !gs;
    if (lull_gfx_meshes(g)) {
        return mesh_lane(g, index, w, ret);
    }
    if ((d->kind == LULL_WORK_HULL) != hull || s->instance != g->aim.instance) {
        return false;
    }
    const uint32_t threads = hull ? lull_gfx_patch_points(g) : 1; // of a primitive
    uint32_t first = 0;
    const uint32_t n = part(w, index, s->nprims * threads, &first);
    while (ret->lane < n && s->prim_id[(first + ret->lane) / threads] != g->aim.index) {
        ret->lane++;
    }
    ret->prim = g->aim.index;
    ret->instance = s->instance;
    return ret->lane < n;
}

bool lull_gfx_aim(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                  const struct lull_wave *w)
{
    const struct lull_work *d = group->work;
    struct lull_gpu_aimed a = {.draw = g->draw_id,
                               .hw_id1 = w->hw_id1,
                               .vmid = d->vmid,
                               .prim = UINT32_MAX,
                               .sample = UINT32_MAX,
                               .index = UINT32_MAX};
    bool found = d->kind != LULL_WORK_COMPUTE && g->draw_open != 0 &&
                 (g->aim.draw == UINT64_MAX || g->aim.draw == g->draw_id);
    if (found && g->aim.kind == LULL_GPU_AIM_PIXEL) {
        found = d->kind == LULL_WORK_PIXELS && pixel_lane(g, group, &a);
    } else if (found) {
        found =
            d->kind != LULL_WORK_PIXELS &&
            (g->aim.kind == LULL_GPU_AIM_VERTEX ? vertex_lane : primitive_lane)(g, d, index, w, &a);
    }
    if (found) {
        g->aim.kind = LULL_GPU_AIM_OFF;
        if (g->watcher.aimed != NULL) {
            g->watcher.aimed(g->watcher.ctx, &a);
        }
    }
    return found;
}

static bool pixels(const struct lull_gpu *g, const struct lull_gpu_group *group, uint32_t lanes,
                   uint32_t (*at)[2])
{
    const struct lull_gfx_batch *b = &lull_gfx_of(g)->batch;
    const uint32_t first = group->wg.id[0] * b->wave_quads;
    for (uint32_t i = 0; i < lanes && first + i / QUAD < b->nquads; i++) {
        const struct lull_gfx_quad *q = &b->quads[first + i / QUAD];
        at[i][0] = q->q.x + (i & 1);
        at[i][1] = q->q.y + (i % QUAD >> 1);
    }
    return true;
}

bool lull_gfx_lanes(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                    const struct lull_wave *w, const char **stage, uint32_t (*at)[2])
{
    const struct lull_work *d = group->work;
    const struct lull_gfx_subgroup *s = &lull_gfx_of(g)->sub;
    const bool tessellates = lull_gfx_tessellates(g), meshes = lull_gfx_meshes(g);
    if (d->kind == LULL_WORK_PIXELS) {
        *stage = "fragment shader";
        return pixels(g, group, w->lanes, at);
    }
    *stage = meshes                      ? "mesh shader"
             : d->kind == LULL_WORK_HULL ? "vertex or tessellation control shader"
             : tessellates               ? "tessellation evaluation shader"
                                         : "vertex shader";
    if (meshes || tessellates) {
        return false;
    }
    uint32_t first = 0;
    const uint32_t n = part(w, index, s->nvertices, &first);
    for (uint32_t i = 0; i < n; i++) {
        at[i][0] = s->vertex[first + i];
        at[i][1] = s->instance;
    }
    return n != 0;
}
