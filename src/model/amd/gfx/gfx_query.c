// SPDX-License-Identifier: MIT
// What draws count for queries. Sampled by packets (cp_event.c).
#include <string.h>

#include "model/amd/gfx/gfx.h"

enum {
    CONNECT_STEP = 10, // of an exported primitive: its vertices, 9 bits each
    CONNECT_VERTEX = 0x1ff,
    CONNECT_NONE = 31,
};

/** How many times the view volume is as wide to what may be discarded: 1 or more. */
static float enlarged(const struct lull_gpu *g, uint32_t reg)
{
    const uint32_t v = lull_gfx_reg(g, reg);
    float f = 0;
    memcpy(&f, &v, sizeof(f));
    return f > 1 ? f : 1;
}

/**
 * A bit for each plane of the view volume that exported vertex @p v is beyond. Drivers enlarge it
 * for points and lines, which reach into it from outside (PA_CL_GB_*_DISC_ADJ). Only what is
 * counted needs that: for pictures it is a short cut, as the scissor cuts what lies beyond the
 * viewport.
 */
static unsigned outside(const struct lull_gpu *g, uint32_t clip, unsigned v)
{
    const struct lull_gfx_subgroup *sub = &lull_gfx_of(g)->sub;
    float p[4] = {0};
    for (unsigned c = 0; c < 4; c++) {
        memcpy(&p[c], &sub->position[0][c][v], sizeof(p[c]));
    }
    const bool zero_to_one = (clip & LULL_DRAW11_PA_CL_CLIP_CNTL__DX_CLIP_SPACE_DEF_MASK) != 0;
    const bool near = (clip & LULL_DRAW11_PA_CL_CLIP_CNTL__ZCLIP_NEAR_DISABLE_MASK) == 0;
    const bool far = (clip & LULL_DRAW11_PA_CL_CLIP_CNTL__ZCLIP_FAR_DISABLE_MASK) == 0;
    const float least = zero_to_one ? 0 : -p[3];
    const float x = p[3] * enlarged(g, LULL_DRAW11_PA_CL_GB_HORZ_DISC_ADJ);
    const float y = p[3] * enlarged(g, LULL_DRAW11_PA_CL_GB_VERT_DISC_ADJ);
    return (p[0] < -x ? 1u : 0) | (p[0] > x ? 2u : 0) | (p[1] < -y ? 4u : 0) | (p[1] > y ? 8u : 0) |
           (near && p[2] < least ? 16u : 0) | (far && p[2] > p[3] ? 32u : 0);
}

/**
 * What clipping counts. A primitive is clipped away only if all of it is beyond one plane of the
 * view volume, as Vulkan allows: what distances or facing take away is counted.
 */
void lull_gfx_count_prims(struct lull_gpu *g)
{
    const struct lull_gfx_subgroup *sub = &lull_gfx_of(g)->sub;
    const uint32_t stages = lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const uint32_t clip = lull_gfx_reg(g, LULL_DRAW11_PA_CL_CLIP_CNTL);
    const bool gs = (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_EN_MASK) != 0 &&
                    !lull_gfx_meshes(g); // which have it set, too
    const bool kill = (clip & LULL_DRAW11_PA_CL_CLIP_CNTL__DX_RASTERIZATION_KILL_MASK) != 0;
    const unsigned n = sub->shape == LULL_RASTER_POINT ? 1 : sub->shape == LULL_RASTER_LINE ? 2 : 3;
    for (unsigned i = 0; i < sub->out_prims && i < LULL_GFX_PRIMS; i++) {
        unsigned all = UINT32_MAX;
        if (sub->connect[i] >> CONNECT_NONE != 0) {
            continue;
        }
        for (unsigned k = 0; k < n; k++) {
            const unsigned v = sub->connect[i] >> k * CONNECT_STEP & CONNECT_VERTEX;
            all &= v < LULL_GFX_VERTICES ? outside(g, clip, v) : 0;
        }
        g->counters.gs_primitives += gs;
        g->counters.clip_invocations += !kill;
        g->counters.clip_primitives += !kill && all == 0;
    }
}

void lull_gfx_count_samples(struct lull_gpu *g, uint64_t n)
{
    if ((lull_gfx_reg(g, LULL_DRAW11_DB_COUNT_CONTROL) &
         LULL_DRAW11_DB_COUNT_CONTROL__ZPASS_ENABLE_MASK) != 0) {
        g->counters.samples_passed += n;
    }
}
