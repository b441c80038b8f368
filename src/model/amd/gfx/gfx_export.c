// SPDX-License-Identifier: MIT
// What pixel waves export is kept; when all waves of a batch have ended it becomes texels, in the
// order of primitives.
//
// Sources: RDNA3 ISA guide 15.4 (targets); Mesa 25.0.7 ac_nir_lower_ps_late.c (what stands where in
// the export to MRTZ, by format), gfx11.json. Seen: RADV 22.3.6 exports alpha with the
// colour only, 25.0.7 to MRTZ, too. Chosen here: what a wave exports to a target without a
// component is 0 there; alpha to coverage takes alpha from MRTZ, or from target 0 if MRTZ has none,
// and takes the sample out whose threshold alpha does not reach, thresholds as the offsets of
// DB_ALPHA_TO_MASK say.
#include <string.h>

#include "model/amd/gfx/gfx.h"

enum { QUAD = 4, CHANNELS = 4, EVEN_LANES = 0x55555555, STENCIL_SHIFT = 16 };

#define REG(g, NAME) lull_gfx_reg((g), LULL_DRAW11_##NAME)
#define FIELD(word, NAME) lull_get((word), LULL_DRAW11_##NAME##_MASK)
#define HAS(word, NAME) (((word)&LULL_DRAW11_##NAME##_MASK) != 0)

/** Lanes @p exec of an export to @p to. */
static void keep(const struct lull_wave *w, const struct lull_rdna_insn *in, uint64_t exec,
                 uint32_t to[CHANNELS][LULL_GFX_LANES])
{
    const bool all = exec == UINT64_MAX;
    for (unsigned c = 0; c < CHANNELS; c++) {
        const uint32_t *row = (in->exp_en >> c & 1) != 0 ? lull_gfx_export_row(w, in, c) : NULL;
        if (all && row != NULL) {
            memcpy(to[c], row, sizeof(to[c]));
        } else if (all) {
            memset(to[c], 0, sizeof(to[c]));
        }
        for (uint64_t m = all ? 0 : exec; m != 0; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(m);
            to[c][l] = row != NULL ? row[l] : 0;
        }
    }
}

/**
 * Two sources of a pixel stand in two lanes: the first in the even lane, the second in the odd one.
 * @p odd: they are of odd pixels.
 */
static void keep_dual(const struct lull_wave *w, const struct lull_rdna_insn *in, uint64_t exec,
                      unsigned odd, struct lull_gfx_exports *x)
{
    const uint64_t even = (uint64_t)EVEN_LANES << 32 | EVEN_LANES;
    const uint64_t pairs = (exec | exec >> 1) & even;
    for (unsigned c = 0; c < CHANNELS; c++) {
        const uint32_t *row = (in->exp_en >> c & 1) != 0 ? lull_gfx_export_row(w, in, c) : NULL;
        for (uint64_t m = pairs; m != 0; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(m);
            x->color[0][c][l + odd] = row != NULL ? row[l] : 0;
            x->color[1][c][l + odd] = row != NULL ? row[l + 1] : 0;
        }
    }
    x->written[0] |= pairs << odd;
    x->written[1] |= pairs << odd;
}

bool lull_gfx_keep_export(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    struct lull_gfx_exports *x =
        &lull_gfx_of(lull_gpu_of(w))->batch.out[w->wg->id[0] % LULL_GFX_BATCH_WAVES];
    const uint64_t exec = lull_gfx_exec(w);
    const unsigned target = in->exp_target;
    if (in->exp_en == 0 || target == LULL_DRAW11_EXP__TARGET__NULL) {
        // Nothing but that it is done.
    } else if (target < LULL_DRAW11_EXP__TARGET__MRT0 + LULL_GFX_TARGETS) {
        keep(w, in, exec, x->color[target]);
        x->written[target] |= exec;
    } else if (target == LULL_DRAW11_EXP__TARGET__MRTZ) {
        keep(w, in, exec, x->z);
        x->z_written |= exec;
    } else if (target == LULL_DRAW11_EXP__TARGET__DUAL_SRC_BLEND0 ||
               target == LULL_DRAW11_EXP__TARGET__DUAL_SRC_BLEND1) {
        keep_dual(w, in, exec, target - LULL_DRAW11_EXP__TARGET__DUAL_SRC_BLEND0, x);
    }
    if (in->exp_done) {
        x->alive &= exec;
    }
    x->pc = w->pc;
    x->place = w->hw_id1;
    x->group = w->wg->id[0];
    return true;
}

/** What a wave exported beside colours, as registers say that it is to be taken. */
struct beside {
    bool depth, stencil, mask, alpha, coverage;
    uint8_t stencil_channel, stencil_shift, mask_channel, alpha_channel;
    uint32_t alpha_to_mask;
    unsigned color_format; ///< Of target 0.
    unsigned nsamples;
    bool late;  ///< Depth and stencil are tested after the shader.
    bool plain; ///< What the shader does not discard is written.
};

static struct beside beside_of(const struct lull_gpu *g)
{
    const uint32_t control = REG(g, DB_SHADER_CONTROL);
    const uint32_t format =
        FIELD(REG(g, SPI_SHADER_Z_FORMAT), SPI_SHADER_Z_FORMAT__Z_EXPORT_FORMAT);
    const bool small = format == LULL_DRAW11_SPI_SHADER_Z_FORMAT__Z_EXPORT_FORMAT__UINT16_ABGR;
    const bool two = format == LULL_DRAW11_SPI_SHADER_Z_FORMAT__Z_EXPORT_FORMAT__32_AR;
    const bool four = format == LULL_DRAW11_SPI_SHADER_Z_FORMAT__Z_EXPORT_FORMAT__32_ABGR;
    struct beside z = {
        .depth = HAS(control, DB_SHADER_CONTROL__Z_EXPORT_ENABLE),
        .stencil = HAS(control, DB_SHADER_CONTROL__STENCIL_TEST_VAL_EXPORT_ENABLE),
        .mask = HAS(control, DB_SHADER_CONTROL__MASK_EXPORT_ENABLE),
        .alpha = two || four,
        .stencil_channel = small ? 0 : 1,
        .stencil_shift = small ? STENCIL_SHIFT : 0,
        .mask_channel = small ? 1 : 2,
        .alpha_channel = two ? 1 : 3,
        .coverage = HAS(REG(g, DB_ALPHA_TO_MASK), DB_ALPHA_TO_MASK__ALPHA_TO_MASK_ENABLE) &&
                    !HAS(control, DB_SHADER_CONTROL__ALPHA_TO_MASK_DISABLE),
        .alpha_to_mask = REG(g, DB_ALPHA_TO_MASK),
        .color_format =
            FIELD(REG(g, SPI_SHADER_COL_FORMAT), SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT),
        .nsamples = 1u << lull_gfx_log2_samples(g),
        .late = !lull_gfx_depth_is_early(g),
    };
    z.plain = !z.mask && !z.coverage && !z.late && !g->pixel_watched;
    return z;
}

/** Samples that an alpha stands for in pixel @p n of a quad: as many as it is parts of all. */
static unsigned alpha_samples(const struct beside *z, float alpha, unsigned n)
{
    const unsigned offset =
        z->alpha_to_mask >> (LULL_DRAW11_DB_ALPHA_TO_MASK__OFFSET0_SHIFT + 2 * n) & 3;
    const bool round = (z->alpha_to_mask & LULL_DRAW11_DB_ALPHA_TO_MASK__OFFSET_ROUND_MASK) != 0;
    const float count =
        alpha * (float)z->nsamples + (round ? (float)offset / 4 + 0.125f : (float)offset / 4);
    const unsigned lit = !(count >= 1)                 ? 0
                         : count >= (float)z->nsamples ? z->nsamples
                                                       : (unsigned)count;
    return (1u << lit) - 1;
}

/** The alpha that stands for samples. */
static float alpha_of(const struct beside *z, const struct lull_gfx_exports *x, unsigned lane)
{
    float alpha = 0;
    if (z->alpha) {
        memcpy(&alpha, &x->z[z->alpha_channel][lane], sizeof(alpha));
    } else {
        alpha = lull_gfx_exported_alpha(z->color_format, x, lane);
    }
    return alpha;
}

/** Samples of pixel @p n that the shader leaves of @p alive. */
static unsigned left_of(const struct beside *z, const struct lull_gfx_exports *x, unsigned lane,
                        unsigned alive)
{
    const bool there = (x->z_written >> lane & 1) != 0;
    if ((x->alive >> lane & 1) == 0) {
        return 0;
    }
    if (z->mask && there) {
        alive &= x->z[z->mask_channel][lane];
    }
    if (z->coverage && ((z->alpha ? x->z_written : x->written[0]) >> lane & 1) != 0) {
        alive &= alpha_samples(z, alpha_of(z, x, lane), lane % QUAD);
    }
    return alive;
}

/** The samples of @p quad that are written; its lanes are those from @p lane on. False: memory
 * refused. */
static bool end_quad(struct lull_cp *cp, const struct beside *z, const struct lull_gfx_exports *x,
                     const struct lull_gfx_quad *quad, unsigned lane, uint32_t *mask)
{
    const struct lull_gfx_batch *b = &lull_gfx_of(cp->g)->batch;
    struct lull_gfx_quad q = *quad;
    float depth[QUAD];
    uint8_t stencil[QUAD];
    q.q.mask = 0;
    for (unsigned n = 0; n < QUAD; n++) {
        const unsigned alive = quad->q.mask >> LULL_RASTER_SAMPLES * n & UINT8_MAX;
        const unsigned left = left_of(z, x, lane + n, alive);
        q.q.mask |= left << LULL_RASTER_SAMPLES * n;
        if (lull_gfx_watches(cp->g, &q.q, n)) {
            const bool dead = (x->alive >> (lane + n) & 1) == 0;
            lull_gfx_saw_end(cp->g, &b->parts[q.part], alive & ~left,
                             dead ? LULL_FATE_DISCARDED : LULL_FATE_MASKED);
        }
        memcpy(&depth[n], &x->z[0][lane + n], sizeof(depth[n]));
        stencil[n] = (uint8_t)(x->z[z->stencil_channel][lane + n] >> z->stencil_shift);
    }
    *mask = q.q.mask;
    return *mask == 0 || !z->late ||
           lull_gfx_depth_test(cp->g, cp->vm, &b->parts[q.part], &q, z->depth ? depth : NULL,
                               z->stencil ? stencil : NULL, mask);
}

/** end_quad() where nothing is tested any more. */
static uint32_t end_plain(const struct lull_gfx_exports *x, const struct lull_gfx_quad *quad,
                          unsigned lane)
{
    uint32_t mask = quad->q.mask;
    for (unsigned n = 0; n < QUAD; n++) {
        const bool alive = (x->alive >> (lane + n) & 1) != 0;
        mask &= alive ? UINT32_MAX : ~((uint32_t)UINT8_MAX << LULL_RASTER_SAMPLES * n);
    }
    return mask;
}

/** Tell of the samples that were written, of the pixel that is watched. */
static void watch_written(struct lull_gpu *g, unsigned wave, const uint8_t samples[LULL_GFX_LANES])
{
    const struct lull_gfx_batch *b = &lull_gfx_of(g)->batch;
    for (unsigned i = 0; i < b->wave_quads && wave * b->wave_quads + i < b->nquads; i++) {
        const struct lull_gfx_quad *q = &b->quads[wave * b->wave_quads + i];
        for (unsigned n = 0; n < QUAD; n++) {
            if (lull_gfx_watches(g, &q->q, n)) {
                lull_gfx_saw_end(g, &b->parts[q->part], samples[QUAD * i + n], LULL_FATE_WRITTEN);
            }
        }
    }
}

/** One wave. False: memory refused. */
static bool end_wave(struct lull_cp *cp, const struct beside *z, unsigned wave)
{
    const struct lull_gfx_batch *b = &lull_gfx_of(cp->g)->batch;
    uint8_t samples[LULL_GFX_LANES] = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < b->wave_quads && wave * b->wave_quads + i < b->nquads; i++) {
        const struct lull_gfx_quad *q = &b->quads[wave * b->wave_quads + i];
        uint32_t mask = 0;
        if (z->plain) {
            mask = end_plain(&b->out[wave], q, QUAD * i);
        } else if (!end_quad(cp, z, &b->out[wave], q, QUAD * i, &mask)) {
            return false;
        }
        if (cp->g->drawn_watched) {
            lull_gfx_saw_quad(cp->g, q, mask);
        }
        for (unsigned n = 0; n < QUAD; n++) {
            samples[QUAD * i + n] = (uint8_t)(mask >> LULL_RASTER_SAMPLES * n);
        }
        count += (unsigned)__builtin_popcount(mask);
    }
    lull_gfx_count_samples(cp->g, count);
    if (count != 0 && !lull_gfx_color_write(cp->g, cp->vm, b, wave, samples)) {
        return false;
    }
    if (cp->g->pixel_watched) {
        watch_written(cp->g, wave, samples);
    }
    return true;
}

bool lull_gfx_commit(struct lull_cp *cp)
{
    const struct beside z = beside_of(cp->g);
    const unsigned n = lull_gfx_of(cp->g)->batch.nwaves;
    for (unsigned i = 0; i < n; i++) {
        if (!end_wave(cp, &z, i)) {
            return false;
        }
    }
    lull_gfx_tell_seen(cp->g);
    return true;
}
