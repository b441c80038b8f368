// SPDX-License-Identifier: MIT
// Samples and gathers: addresses as floats, levels of detail, and what is put together from them.
#include <math.h>

#include "model/amd/img/img.h"
#include "model/fp/fp_host.h"

enum {
    MAX_ANISO = 16,
    MAX_VALUES = 2 * MAX_ANISO,
    MAX_FACE = 1 << 17, // More than any face number.
};

static const double lod_limit = 128; // Beyond all levels and biases.
static const double one = LULL_IMG_ONE;

enum { FILTER_POINT, FILTER_LINEAR, FILTER_ANISO_POINT, FILTER_ANISO_LINEAR };
enum { MIP_NONE, MIP_POINT, MIP_LINEAR };

/** Change of the coordinates towards the next pixel to the right and below. */
struct gradients {
    float d[2][3];
};

/** What a lane samples. */
struct lod {
    float raw;      // Biased, before clamping.
    int32_t fixed;  // Clamped, with LULL_SAMPLE_FRACTION bits.
    unsigned ntaps; // Along step.
    float step[3];  // Longer gradient.
    bool mag;
};

static float half_or_single(const struct lull_img *g, uint32_t bits)
{
    return g->in->a16 ? lull_format_from_half((uint16_t)bits) : lull_f32_value(bits);
}

static float body(const struct lull_img *g, unsigned c, unsigned lane)
{
    return half_or_single(g, lull_img_body(g, c, lane));
}

/** To nearest even, 0 to @p last. */
static int32_t nearest(float v, int32_t last)
{
    const float r = isnan(v) ? 0 : nearbyintf(v);
    return r <= 0 ? 0 : r >= (float)last ? last : (int32_t)r;
}

/**
 * Cube: 8 * layer + face, the layer not yet clamped and perhaps below 0.
 * Source: RDNA3 ISA guide 10.3; Mesa leaves the clamping to hardware from gfx9 on.
 */
static int32_t cube_slice(const struct lull_img *g, float v)
{
    const int32_t last = (int32_t)g->slices / 6 - 1;
    const int32_t i = v < 0 ? -nearest(-v, MAX_FACE) : nearest(v, MAX_FACE);
    const int32_t face = (i & 7) < 6 ? i & 7 : 5;
    const int32_t layer = i >> 3 < last ? i >> 3 : last;
    return 6 * (layer > 0 ? layer : 0) + face;
}

/** Offsets are 6 bits with sign in three bytes. Source: RDNA3 ISA guide 10.4. */
static int32_t offset_of(uint32_t bits, unsigned d)
{
    return (int32_t)(bits >> (8 * d) << 26) >> 26;
}

static struct lull_img_point point_of(const struct lull_img *g, unsigned lane)
{
    struct lull_img_point p = {.lane = lane};
    const unsigned own = g->at.ngrads, n = g->at.ncoords;
    for (unsigned d = 0; d < g->dims && d < n; d++) {
        p.coord[d] = d < own || d == 2 ? body(g, d, lane) : 0;
    }
    const bool sliced = g->dims < 3 && own < 3 && n > own;
    if (g->cube) {
        p.slice = cube_slice(g, sliced ? body(g, own, lane) : 0);
    } else if (sliced && lull_image_is_array(&g->desc)) {
        p.slice = nearest(body(g, own, lane), (int32_t)g->slices - 1);
    }
    if (g->at.offset != LULL_IMG_NONE) {
        const uint32_t bits = lull_img_addr(g, g->at.offset, lane);
        for (unsigned d = 0; d < 3; d++) {
            p.offset[d] = offset_of(bits, d);
        }
    }
    if (g->at.compare != LULL_IMG_NONE) {
        p.reference = lull_f32_value(lull_img_addr(g, g->at.compare, lane));
    }
    return p;
}

static float gradient(const struct lull_img *g, unsigned dir, unsigned c, unsigned lane)
{
    const unsigned n = g->at.ngrads;
    if (!g->at.g16) {
        return lull_f32_value(lull_img_addr(g, g->at.grad + dir * n + c, lane));
    }
    const uint32_t pair = lull_img_addr(g, g->at.grad + dir * ((n + 1) / 2) + c / 2, lane);
    return lull_format_from_half((uint16_t)(pair >> (c % 2 * 16)));
}

static struct gradients gradients_of(const struct lull_img *g, unsigned lane)
{
    struct gradients r = {{{0}}};
    const unsigned quad = lane & ~3u;
    for (unsigned c = 0; c < g->at.ngrads && c < g->dims; c++) {
        for (unsigned dir = 0; dir < 2; dir++) {
            r.d[dir][c] = g->at.grad != LULL_IMG_NONE
                              ? gradient(g, dir, c, lane)
                              : body(g, c, quad + 1 + dir) - body(g, c, quad);
        }
    }
    return r;
}

static bool is_aniso(const struct lull_img *g)
{
    return g->sampler.max_aniso > 0 && (g->sampler.mag_filter >= FILTER_ANISO_POINT ||
                                        g->sampler.min_filter >= FILTER_ANISO_POINT);
}

/** log2 of the texels that a pixel covers. Source: Vulkan 1.3, "Scale factor operation". */
static double from_gradients(struct lull_img *g, unsigned lane, struct lod *lod)
{
    const struct gradients gr = gradients_of(g, lane);
    const struct lull_extent *e = lull_img_extent(g, 0);
    const bool normal = !g->in->unorm && !g->sampler.unnormalized;
    double size[3] = {1, 1, 1};
    if (normal && e != NULL) {
        size[0] = e->width;
        size[1] = e->height;
        size[2] = e->depth;
    }
    const unsigned most =
        is_aniso(g) ? 1u << (g->sampler.max_aniso < 4 ? g->sampler.max_aniso : 4) : 1;
    const struct lull_footprint f = lull_footprint(gr.d, size, g->dims, most);
    lod->ntaps = f.ntaps;
    memcpy(lod->step, gr.d[f.along], sizeof(lod->step));
    return f.lod;
}

static float limit(double v)
{
    return (float)(v > lod_limit ? lod_limit : v > -lod_limit ? v : isnan(v) ? 0 : -lod_limit);
}

/** Whatever the level of detail is, the sample is the same. */
static bool is_any_lod(const struct lull_img *g)
{
    return g->levels == 1 && g->op->kind != LULL_MEM_LOD && !is_aniso(g) &&
           g->sampler.mag_filter == g->sampler.min_filter;
}

static struct lod lod_of(struct lull_img *g, unsigned lane)
{
    struct lod lod = {.ntaps = 1};
    double v = 0;
    if (is_any_lod(g)) {
        return lod;
    }
    if ((g->op->flags & LULL_MEM_F_LEVEL) != 0) {
        v = (double)body(g, g->at.ncoords, lane);
    } else if ((g->op->flags & LULL_MEM_F_LEVEL0) == 0) {
        v = from_gradients(g, lane, &lod);
    }
    v = (double)limit(v) + (double)g->sampler.lod_bias;
    if (g->at.bias != LULL_IMG_NONE) {
        v += (double)half_or_single(g, lull_img_addr(g, g->at.bias, lane));
    }
    lod.raw = limit(v);
    double least = (double)g->sampler.min_lod;
    const double image = (double)g->desc.min_lod - g->desc.base_level;
    least = image > least ? image : least;
    if ((g->op->flags & LULL_MEM_F_MINLOD) != 0) {
        const double own = (double)body(g, g->at.ncoords, lane);
        least = own > least ? own : least;
    }
    double clamped = (double)lod.raw;
    clamped = clamped > (double)g->sampler.max_lod ? (double)g->sampler.max_lod : clamped;
    clamped = clamped < least ? least : clamped;
    lod.fixed = (int32_t)floor((double)limit(clamped) * one + 0.5);
    lod.mag = lod.fixed <= 0;
    return lod;
}

/** The nearest level, halves down. */
static int32_t nearest_level(const struct lull_img *g, const struct lod *lod)
{
    return g->sampler.mip_filter == MIP_NONE ? 0 : lull_level_nearest(lod->fixed, g->levels);
}

/** Levels to blend and the weight of the second. @return how many. */
static unsigned choose_levels(const struct lull_img *g, const struct lod *lod, int32_t level[2],
                              double weight[2])
{
    if (g->sampler.mip_filter == MIP_LINEAR) {
        return lull_levels_linear(lod->fixed, g->levels, level, weight);
    }
    level[0] = nearest_level(g, lod);
    weight[0] = 1;
    return 1;
}

static uint32_t to_single(double v)
{
    return lull_f32_flush(lull_f32_bits((float)v), 0);
}

/** A sample is one texel as it is: nothing is weighed, and no value of it is flushed. */
static bool is_one_texel(const struct lull_img *g, const struct lod *lod, bool linear)
{
    enum { TABLE = 3 };
    return !linear && g->bytes && g->dims < 3 && !g->cube && lod->ntaps == 1 && g->levels == 1 &&
           g->at.compare == LULL_IMG_NONE && g->sampler.border_type != TABLE;
}

static void sample_float(struct lull_img *g, const struct lull_img_point *p, const struct lod *lod,
                         uint32_t rgba[4])
{
    const unsigned filter = lod->mag ? g->sampler.mag_filter : g->sampler.min_filter;
    const bool linear = filter == FILTER_LINEAR || filter == FILTER_ANISO_LINEAR;
    double v[4][MAX_VALUES], weight[MAX_VALUES], part[2] = {0}; // v, weight: n are written
    int32_t level[2] = {0};
    if (is_one_texel(g, lod, linear)) {
        lull_img_point_bits(g, p, 0, rgba);
        return;
    }
    const unsigned nlevels = choose_levels(g, lod, level, part);
    unsigned n = 0;
    for (unsigned t = 1; t <= lod->ntaps; t++) {
        struct lull_img_point at = *p;
        for (unsigned d = 0; d < 3 && lod->ntaps > 1; d++) {
            at.coord[d] += lod->step[d] * lull_footprint_step(t, lod->ntaps);
        }
        for (unsigned i = 0; i < nlevels; i++, n++) {
            double texel[4] = {0};
            lull_img_filter(g, &at, level[i], linear, texel);
            weight[n] = part[i] / lod->ntaps;
            for (unsigned c = 0; c < 4; c++) {
                v[c][n] = texel[c];
            }
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = to_single(lull_img_reduce(g, v[c], weight, n));
    }
}

/** image_get_lod: the level that a sample takes, and the level as computed. */
static void level_values(const struct lull_img *g, const struct lod *lod, uint32_t value[4])
{
    const float last = (float)(g->levels - 1);
    float x = (float)(lod->fixed / one);
    x = x < 0 ? 0 : x > last ? last : x;
    if (g->sampler.mip_filter != MIP_LINEAR) {
        x = (float)nearest_level(g, lod);
    }
    value[0] = lull_f32_bits(x);
    value[1] = lull_f32_bits(lod->raw);
}

static void sample_lane(struct lull_img *g, unsigned lane, uint32_t value[4])
{
    const struct lod lod = lod_of(g, lane);
    uint32_t rgba[4] = {0};
    if (g->op->kind == LULL_MEM_LOD) {
        level_values(g, &lod, value);
        return;
    }
    const struct lull_img_point p = point_of(g, lane);
    if (g->op->kind != LULL_MEM_SAMPLE) {
        lull_img_gather(g, &p, nearest_level(g, &lod), g->op->kind == LULL_MEM_GATHER_H, value);
        return;
    }
    if (lull_img_is_float(g)) {
        sample_float(g, &p, &lod, rgba);
    } else {
        lull_img_point_bits(g, &p, nearest_level(g, &lod), rgba);
    }
    lull_dst_select(&g->format, g->desc.dst_sel, rgba, value);
}

void lull_img_sample(struct lull_img *g, uint64_t mask, struct lull_img_rows *rows)
{
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint32_t value[4] = {0};
        if (g->levels > 0) {
            sample_lane(g, l, value);
        }
        for (unsigned c = 0; c < 4; c++) {
            rows->v[c][l] = value[c];
        }
    }
}
