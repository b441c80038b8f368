// SPDX-License-Identifier: MIT
// What registers say of a draw's output, and the order of what happens to samples.
//
// Chosen here, because nobody says: alpha to coverage lights as many samples as alpha is parts of
// all, rounded, the first ones; samples count where they have passed everything, also if tests are
// early.
#include "model/adreno/draw/rop.h"

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/rop_part.h"
#include "model/adreno/exec/texel.h"

enum {
    ALPHA = 3,
    PIXEL_BITS = 8, ///< Of a quad's mask.
    ALL_PIXELS = 0x01010101,
    MOST_SAMPLES_LOG2 = 2,
};

/** Whether targets are in the memory of tiles, and which part of the screen they are. */
LULL_MUST_USE static struct lull_error *read_place(struct lull_arop *r)
{
    const uint32_t bin = lull_arop_reg(r, LULL_A6XX_RB_BIN_CONTROL);
    const uint32_t window = lull_arop_reg(r, LULL_A6XX_RB_WINDOW_OFFSET);
    // On a7xx each buffer has a bit that says that it is in memory.
    const bool memory = r->source.gpu_id >= 700 ? lull_arop_reg(r, LULL_A6XX_RB_UNKNOWN_8812) != 0
                                                : lull_a6xx_rb_bin_control__buffers_location(bin) ==
                                                      LULL_BUFFERS_IN_SYSMEM;
    if (memory) {
        return NULL;
    }
    r->window[0] = lull_a6xx_reg_xy__x(window);
    r->window[1] = lull_a6xx_reg_xy__y(window);
    r->tile[0] = lull_a6xx_rb_bin_control__binw(bin);
    r->tile[1] = lull_a6xx_rb_bin_control__binh(bin);
    if (r->tile[0] == 0 || r->tile[1] == 0 || r->source.gmem == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "a draw to tiles of %ux%u", r->tile[0],
                              r->tile[1]);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_samples(struct lull_arop *r)
{
    const uint32_t blend = lull_arop_reg(r, LULL_A6XX_RB_BLEND_CNTL);
    const uint32_t n =
        lull_a6xx_rb_ras_msaa_cntl__samples(lull_arop_reg(r, LULL_A6XX_RB_RAS_MSAA_CNTL));
    const uint32_t to =
        lull_a6xx_rb_dest_msaa_cntl__samples(lull_arop_reg(r, LULL_A6XX_RB_DEST_MSAA_CNTL));
    if (n != to || n > MOST_SAMPLES_LOG2) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a draw of %u samples to targets of %u",
                              1u << n, 1u << to);
    }
    r->samples = 1u << n;
    r->sample_mask = lull_a6xx_rb_blend_cntl__sample_mask(blend) & ((1u << r->samples) - 1);
    r->alpha_to_coverage = lull_a6xx_rb_blend_cntl__alpha_to_coverage(blend) != 0;
    r->alpha_to_one = lull_a6xx_rb_blend_cntl__alpha_to_one(blend) != 0;
    r->dual = lull_a6xx_rb_blend_cntl__dual_color_in_enable(blend) != 0;
    return NULL;
}

LULL_MUST_USE static struct lull_error *refused(const struct lull_arop *r)
{
    const uint32_t alpha = lull_arop_reg(r, LULL_A6XX_RB_ALPHA_CONTROL);
    if (lull_arop_reg(r, LULL_A6XX_RB_DITHER_CNTL) != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a draw that dithers");
    }
    if (lull_a6xx_rb_alpha_control__alpha_test(alpha) != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a draw with an alpha test");
    }
    return NULL;
}

struct lull_error *lull_arop_read(const struct lull_arop_source *source, struct lull_arop *ret)
{
    struct lull_arop r = {.source = *source, .samples = 1};
    struct lull_error *err = refused(&r);
    if (err == NULL) {
        err = read_place(&r);
    }
    if (err == NULL) {
        err = read_samples(&r);
    }
    if (err == NULL) {
        err = lull_arop_read_targets(&r);
    }
    if (err == NULL) {
        err = lull_arop_read_depth(&r);
    }
    if (err != NULL) {
        return err;
    }
    const uint32_t z = lull_arop_reg(&r, LULL_A6XX_RB_DEPTH_PLANE_CNTL);
    const uint32_t count = lull_arop_reg(&r, LULL_A6XX_RB_SAMPLE_COUNT_CONTROL);
    r.early = lull_a6xx_rb_depth_plane_cntl__z_mode(z) == LULL_A6XX_EARLY_Z;
    r.counts = source->passed != NULL && lull_a6xx_rb_sample_count_control__disable(count) == 0;
    *ret = r;
    return NULL;
}

/** The samples of @p mask that the draw has at all. */
static uint32_t existing(const struct lull_arop *r, uint32_t mask)
{
    return mask & r->sample_mask * ALL_PIXELS;
}

uint32_t lull_arop_early(const struct lull_arop *r, const struct lull_arop_quad *q)
{
    const uint32_t mask = existing(r, q->mask);
    return r->early ? lull_arop_test(r, q, mask) : mask;
}

/** Samples that an alpha stands for. */
static uint32_t alpha_samples(const struct lull_arop *r, float alpha)
{
    const float count = alpha * (float)r->samples + 0.5f;
    const unsigned lit = !(count >= 1)                ? 0
                         : count >= (float)r->samples ? r->samples
                                                      : (unsigned)count;
    return (1u << lit) - 1;
}

uint32_t lull_arop_output(const struct lull_arop *r, const struct lull_arop_quad *q)
{
    uint32_t mask = existing(r, q->mask);
    for (unsigned n = 0; n < LULL_AROP_PIXELS; n++) {
        uint32_t keep = (1u << PIXEL_BITS) - 1;
        if (q->writes_mask) {
            keep &= q->sample_mask[n];
        }
        if (r->alpha_to_coverage) {
            keep &= alpha_samples(r, lull_arop_number(r, q, 0, n, ALPHA));
        }
        mask &= ~((uint32_t)UINT8_MAX << n * PIXEL_BITS) | keep << n * PIXEL_BITS;
    }
    if (!r->early) {
        mask = lull_arop_test(r, q, mask);
    }
    if (r->counts) {
        *r->source.passed += (uint64_t)__builtin_popcount(mask);
    }
    lull_arop_write(r, q, mask);
    return mask;
}
