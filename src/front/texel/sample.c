// SPDX-License-Identifier: MIT
// Samples and gathers of one invocation.
#include <math.h>
#include <string.h>

#include "front/texel/priv.h"
#include "model/sample/level.h"

enum { MAX_ANISO = 16, MAX_VALUES = 2 * MAX_ANISO, FACES = 6, CUBE = 3 };
enum { FILTER_LINEAR = 1, FILTER_ANISO_POINT = 2, FILTER_ANISO_LINEAR = 3 };
enum { MIP_NONE, MIP_POINT, MIP_LINEAR };
enum { BORDER_TRANSPARENT, BORDER_BLACK, BORDER_WHITE, BORDER_TABLE };

static const double lod_one = LULL_SAMPLE_ONE;
static const double lod_limit = 128; // beyond all levels and biases

/** Where a sample is. */
struct point {
    float coord[3];
    float d[2][3]; ///< Gradients.
    int32_t slice;
    const struct lull_ev_image *io;
};

/** Which levels, and how many samples along what. */
struct lod {
    int32_t fixed; ///< With LULL_SAMPLE_FRACTION bits.
    unsigned ntaps;
    float step[3];
    bool mag;
};

static bool is_cube(const struct lull_texel_work *w)
{
    return w->t->image.type == LULL_IMAGE_CUBE;
}

/** To nearest even, 0 to @p last. */
static int32_t nearest(float v, int32_t last)
{
    const float r = isnan(v) ? 0 : nearbyintf(v);
    return r <= 0 ? 0 : r >= (float)last ? last : (int32_t)r;
}

static struct point point_of(const struct lull_texel_work *w, const struct lull_ev_image *io)
{
    struct point p = {.io = io};
    const int32_t layers = (int32_t)(is_cube(w) ? w->slices / FACES : w->slices);
    const int32_t layer =
        io->type->arrayed && layers > 0 ? nearest(io->coord[io->spatial], layers - 1) : 0;
    memcpy(p.coord, io->coord, sizeof p.coord);
    memcpy(p.d, io->d, sizeof p.d);
    p.slice = layer;
    if (is_cube(w)) {
        const struct lull_cube_point c = lull_cube_point(io->coord, io->d);
        memcpy(p.coord, c.coord, sizeof c.coord);
        p.coord[2] = 0;
        memcpy(p.d, c.d, sizeof p.d);
        p.slice = FACES * layer + (int32_t)c.face;
    }
    for (unsigned i = w->dims; i < 3; i++) {
        p.coord[i] = 0;
    }
    return p;
}

/** False: no such level. */
static bool spot_of(struct lull_texel_work *w, const struct point *p, int32_t level, bool linear,
                    struct lull_spot *s)
{
    const struct lull_sampler_desc *sampler = &w->t->sampler;
    struct lull_extent e = {0};
    if (lull_texel_level(w, level, &e) == NULL) {
        return false;
    }
    const uint32_t size[3] = {e.width, e.height, e.depth};
    *s = (struct lull_spot){.slice = p->slice,
                            .dims = (uint8_t)w->dims,
                            .normal = !sampler->unnormalized || is_cube(w),
                            .cube = is_cube(w) && !sampler->disable_cube_wrap,
                            .trunc = sampler->trunc_coord};
    for (unsigned d = 0; d < w->dims; d++) {
        s->coord[d] = (double)p->coord[d];
        s->size[d] = (int32_t)size[d];
        s->offset[d] = p->io->offset[d];
        s->wrap[d] = sampler->clamp[d];
        s->linear[d] = d == 2 && sampler->z_filter != 0 ? sampler->z_filter == 2 : linear;
    }
    return true;
}

/** The colour outside, as a texel. */
static void border_of(const struct lull_texel_work *w, uint32_t rgba[4])
{
    // By BC_SWIZZLE: the colour's component for each of the texel's. Source: RDNA3 ISA guide 10.5.
    static const uint8_t order[8][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2},
                                        {2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};
    const struct lull_sampler_desc *s = &w->t->sampler;
    const uint32_t one = lull_format_one(&w->format);
    uint32_t color[4] = {0, 0, 0, 0};
    if (s->border_type == BORDER_BLACK) {
        color[3] = one;
    } else if (s->border_type == BORDER_WHITE) {
        color[0] = color[1] = color[2] = color[3] = one;
    } else if (s->border_type == BORDER_TABLE) {
        memcpy(color, w->t->border, sizeof color);
    }
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = color[order[w->t->image.bc_swizzle & 7][c]];
    }
}

static void fetch(struct lull_texel_work *w, int32_t level, const struct lull_tap *tap,
                  uint32_t rgba[4])
{
    if (tap->border) {
        border_of(w, rgba);
    } else {
        const struct lull_texel_at at = {tap->x, tap->y, tap->z, level, 0};
        lull_texel_fetch(w, &at, rgba);
    }
}

static double as_double(const struct lull_texel_work *w, uint32_t bits)
{
    if (!lull_format_is_integer(&w->format)) {
        return (double)lull_texel_float(bits);
    }
    return w->format.kind == LULL_FORMAT_SINT ? (double)(int32_t)bits : (double)bits;
}

static double compared(const struct lull_texel_work *w, const struct point *p, uint32_t x)
{
    double ref = (double)p->io->reference;
    if (w->format.kind == LULL_FORMAT_UNORM) {
        ref = ref > 0 ? ref < 1 ? ref : 1 : 0;
    }
    return lull_taps_compare(w->t->sampler.compare, ref, as_double(w, x));
}

/** One filtered texel of a level. */
static void filter(struct lull_texel_work *w, const struct point *p, int32_t level, bool linear,
                   double rgba[4])
{
    struct lull_spot s;
    struct lull_tap tap[LULL_TAPS];
    double v[4][LULL_TAPS] = {{0}}, weight[LULL_TAPS] = {0};
    const unsigned n = spot_of(w, p, level, linear, &s) ? lull_taps(&s, tap) : 0;
    unsigned used = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t bits[4] = {0};
        if (tap[i].weight <= 0) {
            continue;
        }
        fetch(w, level, &tap[i], bits);
        weight[used] = tap[i].weight;
        for (unsigned c = 0; c < 4; c++) {
            v[c][used] = !p->io->compares ? as_double(w, bits[c])
                         : c == 0         ? compared(w, p, bits[0])
                                          : c == 3;
        }
        used++;
    }
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = lull_taps_reduce(w->t->sampler.filter_mode, v[c], weight, used);
    }
}

static float limit(double v)
{
    return (float)(v > lod_limit ? lod_limit : v > -lod_limit ? v : isnan(v) ? 0 : -lod_limit);
}

static double from_gradients(struct lull_texel_work *w, const struct point *p, struct lod *lod)
{
    const struct lull_sampler_desc *s = &w->t->sampler;
    const bool aniso = s->max_aniso > 0 &&
                       (s->mag_filter >= FILTER_ANISO_POINT || s->min_filter >= FILTER_ANISO_POINT);
    struct lull_extent e = {1, 1, 1};
    double size[3] = {1, 1, 1};
    if (!s->unnormalized && lull_texel_level(w, 0, &e) != NULL) {
        size[0] = e.width;
        size[1] = e.height;
        size[2] = e.depth;
    }
    const unsigned most = aniso ? 1u << (s->max_aniso < 4 ? s->max_aniso : 4) : 1;
    const struct lull_footprint f = lull_footprint(p->d, size, w->dims, most);
    lod->ntaps = f.ntaps;
    memcpy(lod->step, p->d[f.along], sizeof lod->step);
    return f.lod;
}

static struct lod lod_of(struct lull_texel_work *w, const struct point *p)
{
    const struct lull_sampler_desc *s = &w->t->sampler;
    const struct lull_image_desc *d = &w->t->image;
    struct lod lod = {.ntaps = 1};
    double v = p->io->has_gradients ? from_gradients(w, p, &lod) : (double)p->io->lod;
    v = (double)limit((double)limit(v) + (double)s->lod_bias);
    double least = (double)s->min_lod;
    const double image = (double)d->min_lod - d->base_level;
    least = image > least ? image : least;
    if (p->io->has_min_lod && (double)p->io->min_lod > least) {
        least = (double)p->io->min_lod;
    }
    v = v > (double)s->max_lod ? (double)s->max_lod : v;
    v = v < least ? least : v;
    lod.fixed = (int32_t)floor((double)limit(v) * lod_one + 0.5);
    lod.mag = lod.fixed <= 0;
    return lod;
}

static int32_t nearest_level(const struct lull_texel_work *w, const struct lod *lod)
{
    return w->t->sampler.mip_filter == MIP_NONE ? 0 : lull_level_nearest(lod->fixed, w->levels);
}

/** As samples return it: denormals are 0. */
static uint32_t to_single(double v)
{
    const float f = (float)v;
    return lull_texel_bits(fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f);
}

static void sample_float(struct lull_texel_work *w, const struct point *p, const struct lod *lod,
                         uint32_t rgba[4])
{
    const struct lull_sampler_desc *s = &w->t->sampler;
    const unsigned kind = lod->mag ? s->mag_filter : s->min_filter;
    const bool linear = kind == FILTER_LINEAR || kind == FILTER_ANISO_LINEAR;
    double v[4][MAX_VALUES] = {{0}}, weight[MAX_VALUES] = {0}, part[2] = {1, 0};
    int32_t level[2] = {nearest_level(w, lod), 0};
    const unsigned nlevels =
        s->mip_filter == MIP_LINEAR ? lull_levels_linear(lod->fixed, w->levels, level, part) : 1;
    unsigned n = 0;
    for (unsigned t = 1; t <= lod->ntaps && t <= MAX_ANISO; t++) {
        struct point at = *p;
        for (unsigned d = 0; d < 3 && lod->ntaps > 1; d++) {
            at.coord[d] += lod->step[d] * lull_footprint_step(t, lod->ntaps);
        }
        for (unsigned i = 0; i < nlevels; i++, n++) {
            double texel[4] = {0};
            filter(w, &at, level[i], linear, texel);
            weight[n] = part[i] / lod->ntaps;
            for (unsigned c = 0; c < 4; c++) {
                v[c][n] = texel[c];
            }
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = to_single(lull_taps_reduce(s->filter_mode, v[c], weight, n));
    }
}

/** One texel without a filter, as bits: of integers. */
static void point_bits(struct lull_texel_work *w, const struct point *p, int32_t level,
                       uint32_t rgba[4])
{
    struct lull_spot s;
    struct lull_tap tap[LULL_TAPS];
    if (spot_of(w, p, level, false, &s) && lull_taps(&s, tap) > 0) {
        fetch(w, level, &tap[0], rgba);
    }
}

static void gather(struct lull_texel_work *w, const struct point *p, int32_t level,
                   struct lull_ev_image *io)
{
    struct lull_spot s;
    struct lull_tap tap[4];
    memset(io->v, 0, sizeof io->v);
    if (!spot_of(w, p, level, true, &s)) {
        return;
    }
    lull_taps_square(&s, false, tap);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t bits[4] = {0}, value[4] = {0};
        fetch(w, level, &tap[i], bits);
        if (io->compares) {
            bits[0] = lull_texel_bits((float)compared(w, p, bits[0]));
        }
        lull_dst_select(&w->format, w->t->image.dst_sel, bits, value);
        io->v[i] = value[io->compares ? 0 : io->component];
    }
}

void lull_texel_sample(struct lull_texel_work *w, struct lull_ev_image *io)
{
    const struct point p = point_of(w, io);
    const struct lod lod = lod_of(w, &p);
    uint32_t rgba[4] = {0};
    memset(io->v, 0, sizeof io->v);
    if (w->levels <= 0) {
        return;
    }
    if (io->what == LULL_EV_IMAGE_GATHER) {
        gather(w, &p, nearest_level(w, &lod), io);
        return;
    }
    if (lull_format_is_integer(&w->format)) {
        point_bits(w, &p, nearest_level(w, &lod), rgba);
    } else {
        sample_float(w, &p, &lod, rgba);
    }
    lull_dst_select(&w->format, w->t->image.dst_sel, rgba, io->v);
}
