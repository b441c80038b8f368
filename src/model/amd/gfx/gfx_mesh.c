// SPDX-License-Identifier: MIT
// Mesh shaders: workgroups of a grid that put out vertices and primitives themselves. Each is a
// subgroup of its own, in the order x, y, z.
//
// Sources: Mesa 25.0.7 radv_shader.c, radv_shader_args.c, ac_nir_lower_ngg_mesh.c (fast launch 2:
// registers at the start, what an exported primitive carries); gfx11.json.
#include "model/amd/gfx/gfx.h"

enum {
    FAST_LAUNCH = 2, // of VGT_SHADER_STAGES_EN.GS_FAST_LAUNCH
    GROUP_XY = 4,    // SGPRs: ids of the workgroup, 16 bits each
    GROUP_Z = 5,     // above the place in the attribute ring
    HIGH = 16,
    ID_BITS = 10, // of a thread, in a VGPR
    MAX_GROUP = 0xffff,
};

#define REG(g, NAME) lull_gfx_reg((g), LULL_DRAW11_##NAME)
#define FIELD(word, NAME) lull_get((word), LULL_DRAW11_##NAME##_MASK)

bool lull_gfx_meshes(const struct lull_gpu *g)
{
    return FIELD(REG(g, VGT_SHADER_STAGES_EN), VGT_SHADER_STAGES_EN__GS_FAST_LAUNCH) != 0;
}

uint32_t lull_gfx_mesh_threads(const struct lull_gpu *g)
{
    return FIELD(REG(g, SPI_SHADER_GS_MESHLET_DIM), SPI_SHADER_GS_MESHLET_DIM__THREADGROUP_SIZE) +
           1;
}

/** Threads of a workgroup in each direction. */
static void size_of(const struct lull_gpu *g, uint32_t ret[3])
{
    const uint32_t dim = REG(g, SPI_SHADER_GS_MESHLET_DIM);
    ret[0] = FIELD(dim, SPI_SHADER_GS_MESHLET_DIM__NUM_THREAD_X) + 1;
    ret[1] = FIELD(dim, SPI_SHADER_GS_MESHLET_DIM__NUM_THREAD_Y) + 1;
    ret[2] = FIELD(dim, SPI_SHADER_GS_MESHLET_DIM__NUM_THREAD_Z) + 1;
}

const char *lull_gfx_mesh_check(const struct lull_gpu *g)
{
    const uint32_t *grid = lull_gfx_of(g)->call.grid;
    const uint32_t launch =
        FIELD(REG(g, VGT_SHADER_STAGES_EN), VGT_SHADER_STAGES_EN__GS_FAST_LAUNCH);
    const bool mesh = grid[0] != 0;
    if (!mesh && launch == 0) {
        return NULL;
    }
    if (!mesh || launch != FAST_LAUNCH) {
        return mesh ? "a mesh without a mesh shader" : "with a mesh shader, but not a mesh";
    }
    for (unsigned i = 0; i < 3; i++) {
        if (grid[i] > MAX_GROUP + 1) {
            return "a mesh of more than 65536 workgroups in a direction";
        }
    }
    return NULL;
}

enum lull_gfx_result lull_gfx_mesh_next(struct lull_cp *cp)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    const uint32_t *grid = x->call.grid;
    const uint64_t at = x->place.at;
    if (at >= (uint64_t)grid[0] * grid[1] * grid[2]) {
        return LULL_GFX_NONE;
    }
    x->sub.nvertices = x->sub.nprims = 0;
    x->sub.group[0] = (uint32_t)(at % grid[0]);
    x->sub.group[1] = (uint32_t)(at / grid[0] % grid[1]);
    x->sub.group[2] = (uint32_t)(at / grid[0] / grid[1]);
    x->place.at++;
    return LULL_GFX_LAUNCHED;
}

void lull_gfx_start_mesh(struct lull_gpu *g, unsigned index, struct lull_wave *w)
{
    const uint32_t *group = lull_gfx_of(g)->sub.group;
    uint32_t size[3];
    size_of(g, size);
    w->sgpr[GROUP_XY] = group[0] | group[1] << HIGH;
    w->sgpr[GROUP_Z] = group[2] << HIGH;
    for (unsigned l = 0; l < w->lanes; l++) {
        const uint32_t n = index * w->lanes + l;
        const uint32_t x = n % size[0], y = n / size[0] % size[1], z = n / size[0] / size[1];
        w->vgpr[l] = x | y << ID_BITS | z << 2 * ID_BITS;
    }
    g->counters.ms_invocations += index == 0 ? (uint64_t)size[0] * size[1] * size[2] : 0;
}
