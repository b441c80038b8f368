// SPDX-License-Identifier: MIT
// Samples of textures that a wave of pixels has before its first instruction.
#include "hw/adreno_doms.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/front.h"
#include "model/adreno/exec/texture.h"

enum { COMMANDS = 4, SAM = 1 }; // SAM: of a6xx_tex_prefetch_cmd; gathers of R, G, B, A follow.

#define REG(d, NAME) lull_adraw_reg((d), LULL_A6XX_##NAME)

/** Fields of a command whose places differ from a6xx to a7xx. */
struct fields {
    unsigned kind, texture, sampler, wrmask, dst;
    bool bindless, half;
};

static struct fields fields(const struct lull_adraw *d, uint32_t cmd)
{
    if (d->source.shaders.gpu_id >= 700) {
        return (struct fields){.kind = lull_a6xx_sp_fs_prefetch_cmd__cmd__a7xx(cmd),
                               .texture = lull_a6xx_sp_fs_prefetch_cmd__tex_id__a7xx(cmd),
                               .sampler = lull_a6xx_sp_fs_prefetch_cmd__samp_id__a7xx(cmd),
                               .wrmask = lull_a6xx_sp_fs_prefetch_cmd__wrmask__a7xx(cmd),
                               .dst = lull_a6xx_sp_fs_prefetch_cmd__dst__a7xx(cmd),
                               .bindless = lull_a6xx_sp_fs_prefetch_cmd__bindless__a7xx(cmd) != 0,
                               .half = lull_a6xx_sp_fs_prefetch_cmd__half__a7xx(cmd) != 0};
    }
    return (struct fields){.kind = lull_a6xx_sp_fs_prefetch_cmd__cmd(cmd),
                           .texture = lull_a6xx_sp_fs_prefetch_cmd__tex_id(cmd),
                           .sampler = lull_a6xx_sp_fs_prefetch_cmd__samp_id(cmd),
                           .wrmask = lull_a6xx_sp_fs_prefetch_cmd__wrmask(cmd),
                           .dst = lull_a6xx_sp_fs_prefetch_cmd__dst(cmd),
                           .bindless = lull_a6xx_sp_fs_prefetch_cmd__bindless(cmd) != 0,
                           .half = lull_a6xx_sp_fs_prefetch_cmd__half(cmd) != 0};
}

static struct lull_ir3_prefetch command(const struct lull_adraw *d, unsigned n)
{
    const uint32_t cmd =
        lull_adraw_reg(d, LULL_A6XX_SP_FS_PREFETCH_CMD + n * LULL_A6XX_SP_FS_PREFETCH__STRIDE);
    const uint32_t ids = lull_adraw_reg(d, LULL_A6XX_SP_FS_BINDLESS_PREFETCH_CMD +
                                               n * LULL_A6XX_SP_FS_BINDLESS_PREFETCH__STRIDE);
    const struct fields f = fields(d, cmd);
    return (struct lull_ir3_prefetch){
        .tables = {f.bindless, (uint8_t)f.texture, (uint8_t)f.sampler},
        .texture = f.bindless ? lull_a6xx_sp_fs_bindless_prefetch_cmd__tex_id(ids) : f.texture,
        .sampler = f.bindless ? lull_a6xx_sp_fs_bindless_prefetch_cmd__samp_id(ids) : f.sampler,
        .op = f.kind == SAM ? LULL_IR3_OP_SAM
                            : (enum lull_ir3_op)(LULL_IR3_OP_GATHER4R + f.kind - SAM - 1),
        .wrmask = (uint8_t)f.wrmask,
        .half = f.half,
        .dst = f.dst};
}

/** The coordinate in slot @p slot at the centres of pixels. */
static void coordinate(const struct lull_adraw *d, uint32_t slot, uint32_t ret[LULL_IR3_FIBERS])
{
    for (unsigned i = 0; i < d->fibers; i++) {
        struct lull_raster_point p = {.i = 0};
        if (i / 4 < d->nquads) {
            const struct lull_adraw_quad *q = &d->quads[i / 4];
            lull_raster_at(&d->parts[q->part].raster, q->q.x + (i & 1) + .5,
                           q->q.y + (i >> 1 & 1) + .5, &p);
        }
        ret[i] = lull_ir3_interpolate(&d->fragments, i / 4, slot, p.i, p.j);
    }
}

void lull_adraw_prefetch(struct lull_adraw *d)
{
    const uint32_t cntl = REG(d, SP_FS_PREFETCH_CNTL);
    const unsigned count = lull_a6xx_sp_fs_prefetch_cntl__count(cntl);
    for (unsigned n = 0; n < count && n < COMMANDS; n++) {
        const uint32_t cmd =
            lull_adraw_reg(d, LULL_A6XX_SP_FS_PREFETCH_CMD + n * LULL_A6XX_SP_FS_PREFETCH__STRIDE);
        const struct lull_ir3_prefetch p = command(d, n);
        uint32_t at[2][LULL_IR3_FIBERS] = {{0}};
        for (unsigned k = 0; k < 2; k++) {
            coordinate(d, lull_a6xx_sp_fs_prefetch_cmd__src(cmd) + k, at[k]);
        }
        if (!lull_ir3_prefetch(&d->wave, &d->env[LULL_ASTAGE_FS], &p, at)) {
            return;
        }
    }
    for (unsigned i = 0; i < 2 && lull_a6xx_sp_fs_prefetch_cntl__endofquad(cntl) != 0; i++) {
        d->wave.exec.w[i] &= ~d->wave.helpers.w[i];
    }
}
