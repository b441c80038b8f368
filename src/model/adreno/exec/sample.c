// SPDX-License-Identifier: MIT
#include "model/adreno/exec/sample.h"

#include <math.h>
#include <string.h>

#include "hw/adreno_pkts.h"
#include "model/fp/fp_host.h"

enum {
    FACES = 6,
    BORDER_BYTES = 128,  ///< Of a colour in memory; it begins with four dwords of its values.
    MAX_VALUES = 2 * 16, ///< Levels times samples of an anisotropic filter.
    MAX_LAYER = 1 << 20, ///< More than any.
    MAX_LOD = 128 * LULL_SAMPLE_ONE,
};

static int32_t signed_field(uint32_t v, unsigned bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static uint8_t wrap_of(unsigned clamp)
{
    static const uint8_t wraps[8] = {
        [LULL_A6XX_TEX_REPEAT] = LULL_WRAP_REPEAT,
        [LULL_A6XX_TEX_CLAMP_TO_EDGE] = LULL_WRAP_EDGE,
        [LULL_A6XX_TEX_MIRROR_REPEAT] = LULL_WRAP_MIRROR,
        [LULL_A6XX_TEX_CLAMP_TO_BORDER] = LULL_WRAP_BORDER,
        [LULL_A6XX_TEX_MIRROR_CLAMP] = LULL_WRAP_MIRROR_ONCE_EDGE,
    };
    return wraps[clamp & 7];
}

bool lull_ir3_sampler_of(struct lull_ir3_wave *w, const uint32_t *words,
                         struct lull_ir3_sampler *ret)
{
    enum { ANISO = LULL_A6XX_TEX_ANISO, BIAS_BITS = 13, MOST_ANISO = 4 };
    const struct lull_apkt_args p = {words, LULL_IR3_SAMPLER, LULL_IR3_SAMPLER, 0};
    const unsigned mag = lull_a6xx_tex_samp__xy_mag(&p), min = lull_a6xx_tex_samp__xy_min(&p);
    const unsigned aniso = lull_a6xx_tex_samp__aniso(&p);
    *ret = (struct lull_ir3_sampler){
        .mag_linear = mag != LULL_A6XX_TEX_NEAREST,
        .min_linear = min != LULL_A6XX_TEX_NEAREST,
        .mip_linear = lull_a6xx_tex_samp__mipfilter_linear_near(&p) != 0,
        .base_only = lull_a6xx_tex_samp__mipfilter_linear_far(&p) != 0,
        .seamless = lull_a6xx_tex_samp__cubemapseamlessfiltoff(&p) == 0,
        .unnormalized = lull_a6xx_tex_samp__unnorm_coords(&p) != 0,
        .wrap = {wrap_of(lull_a6xx_tex_samp__wrap_s(&p)), wrap_of(lull_a6xx_tex_samp__wrap_t(&p)),
                 wrap_of(lull_a6xx_tex_samp__wrap_r(&p))},
        .aniso =
            (uint8_t)(mag == ANISO || min == ANISO ? 1u << (aniso < MOST_ANISO ? aniso : MOST_ANISO)
                                                   : 1),
        .compare = (uint8_t)lull_a6xx_tex_samp__compare_func(&p),
        .reduction = (uint8_t)lull_a6xx_tex_samp__reduction_mode(&p),
        .border = lull_a6xx_tex_samp__bcolor(&p),
        .bias = signed_field(lull_a6xx_tex_samp__lod_bias(&p), BIAS_BITS),
        .min_lod = (int32_t)lull_a6xx_tex_samp__min_lod(&p),
        .max_lod = (int32_t)lull_a6xx_tex_samp__max_lod(&p),
    };
    if (mag == LULL_A6XX_TEX_CUBIC || min == LULL_A6XX_TEX_CUBIC) {
        lull_ir3_wrong(w, "lull does not do cubic filters of Adreno yet");
        return false;
    }
    return true;
}

static double as_double(const struct lull_format_info *f, uint32_t bits)
{
    return !lull_format_is_integer(f)    ? (double)lull_f32_value(bits)
           : f->kind == LULL_FORMAT_SINT ? (double)(int32_t)bits
                                         : (double)bits;
}

/** A float in the range of normalised formats. */
static double ranged(const struct lull_format_info *f, double v)
{
    const bool normal = f->kind == LULL_FORMAT_UNORM || f->kind == LULL_FORMAT_SRGB;
    const double low = normal ? 0 : -1;
    if (!normal && f->kind != LULL_FORMAT_SNORM) {
        return v;
    }
    return v > low ? v < 1 ? v : 1 : low;
}

void lull_ir3_border(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                     struct lull_ir3_pair *p)
{
    const struct lull_format_info *f = p->image.format;
    const uint64_t at = env->border + (uint64_t)p->sampler.border * BORDER_BYTES;
    bool used = false;
    for (unsigned d = 0; d < 3; d++) {
        used |= p->sampler.wrap[d] == LULL_WRAP_BORDER;
    }
    for (unsigned c = 0; used && c < 4; c++) {
        const bool lacks = f->codec == LULL_FORMAT_PLAIN &&
                           f->component[p->image.w_first ? (c + 1) % 4 : c].bits == 0;
        p->border[c] = lacks ? (c == 3 ? lull_format_one(f) : 0)
                             : lull_ir3_load(w, env, fiber, at + 4 * (uint64_t)c, 4);
        if (!lacks && !lull_format_is_integer(f)) {
            p->border[c] = lull_f32_bits((float)ranged(f, (double)lull_f32_value(p->border[c])));
        }
    }
}

/** The layer that a coordinate means: taken down, for Turnip adds a half before. */
static int32_t layer_of(float v, int32_t last)
{
    return !(v > 0) ? 0 : v >= (float)last ? last : (int32_t)v;
}

/** What a fiber samples, with faces of cubes chosen. */
struct point {
    struct lull_ir3_asked a;
    uint8_t dims;
    int32_t slice;
};

static struct point point_of(const struct lull_ir3_pair *p, const struct lull_ir3_asked *asked)
{
    const struct lull_ir3_image *m = &p->image;
    const bool cube = m->type == LULL_A6XX_TEX_CUBE && asked->cube;
    struct point r = {.a = *asked};
    r.dims = m->type == LULL_A6XX_TEX_3D ? 3 : m->type == LULL_A6XX_TEX_1D ? 1 : 2;
    r.slice = layer_of(asked->layer, (int32_t)m->depth - 1);
    if (cube) {
        const struct lull_cube_point c = lull_cube_point(asked->coord, asked->d);
        memcpy(r.a.coord, c.coord, sizeof c.coord);
        memcpy(r.a.d, c.d, sizeof c.d);
        r.slice = FACES * r.slice + (int32_t)c.face;
    }
    return r;
}

static struct lull_spot spot_of(const struct lull_ir3_pair *p, const struct point *r,
                                const float coord[3], int32_t level, bool linear)
{
    const struct lull_ir3_image *m = &p->image;
    struct lull_spot s = {.slice = r->slice,
                          .dims = r->dims,
                          .normal = !p->sampler.unnormalized,
                          .cube = m->type == LULL_A6XX_TEX_CUBE && p->sampler.seamless,
                          .trunc = true};
    uint32_t size[3];
    lull_ir3_image_size(m, (uint32_t)level, size);
    for (unsigned d = 0; d < s.dims; d++) {
        s.coord[d] = (double)coord[d];
        s.size[d] = (int32_t)size[d];
        s.offset[d] = r->a.offset[d];
        s.wrap[d] = p->sampler.wrap[d];
        s.linear[d] = linear;
    }
    return s;
}

/** What waves and fibers fetch with. */
struct reader {
    struct lull_ir3_wave *w;
    struct lull_ir3_env *env;
    unsigned fiber;
    const struct lull_ir3_pair *p;
};

static void fetch(const struct reader *r, int32_t level, const struct lull_tap *t, uint32_t rgba[4])
{
    if (t->border) {
        memcpy(rgba, r->p->border, sizeof r->p->border);
        return;
    }
    const struct lull_ir3_spot s = {(uint32_t)t->x, (uint32_t)t->y, (uint32_t)t->z, (uint32_t)level,
                                    0};
    lull_ir3_texel_plain(r->w, r->env, r->fiber, &r->p->image, &s, rgba);
}

static double compared(const struct reader *r, const struct lull_ir3_asked *a, uint32_t texel)
{
    const struct lull_format_info *f = r->p->image.format;
    return lull_taps_compare(r->p->sampler.compare, ranged(f, (double)a->reference),
                             as_double(f, texel));
}

/** A filtered texel of a level, before the swizzle. */
static void filtered(const struct reader *r, const struct point *pt, const struct lull_spot *s,
                     int32_t level, double rgba[4])
{
    struct lull_tap tap[LULL_TAPS];
    double v[4][LULL_TAPS], weight[LULL_TAPS]; // as many as are used are written
    const unsigned n = lull_taps(s, tap);
    unsigned used = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t bits[4] = {0};
        if (tap[i].weight <= 0) {
            continue;
        }
        fetch(r, level, &tap[i], bits);
        weight[used] = tap[i].weight;
        for (unsigned c = 0; c < 4; c++) {
            v[c][used] = !pt->a.compares ? as_double(r->p->image.format, bits[c])
                         : c == 0        ? compared(r, &pt->a, bits[0])
                                         : c == 3;
        }
        used++;
    }
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = lull_taps_reduce(r->p->sampler.reduction, v[c], weight, used);
    }
}

/** Levels of detail, in 1/256 of a level. */
struct lod {
    int32_t raw, clamped;
    struct lull_footprint footprint;
};

static int32_t fixed(double v)
{
    v = floor(v * LULL_SAMPLE_ONE + 0.5);
    return isnan(v) ? 0 : v > MAX_LOD ? MAX_LOD : v < -MAX_LOD ? -MAX_LOD : (int32_t)v;
}

static struct lod lod_of(const struct lull_ir3_pair *p, const struct point *pt)
{
    const struct lull_ir3_sampler *s = &p->sampler;
    struct lod l = {.footprint = {.ntaps = 1}};
    uint32_t texels[3];
    lull_ir3_image_size(&p->image, 0, texels);
    double v = (double)pt->a.lod;
    if (!pt->a.explicit_lod) {
        double size[3];
        for (unsigned d = 0; d < 3; d++) {
            size[d] = s->unnormalized ? 1 : texels[d];
        }
        l.footprint = lull_footprint(pt->a.d, size, pt->dims, s->aniso);
        v += l.footprint.lod;
    }
    const int32_t least =
        s->min_lod > (int32_t)p->image.min_lod ? s->min_lod : (int32_t)p->image.min_lod;
    l.raw = fixed(v + (double)s->bias / LULL_SAMPLE_ONE);
    l.clamped = l.raw > s->max_lod ? s->max_lod : l.raw;
    l.clamped = l.clamped < least ? least : l.clamped;
    return l;
}

static unsigned levels_of(const struct lull_ir3_pair *p, int32_t lod, int32_t level[2],
                          double weight[2])
{
    const int32_t levels = p->sampler.base_only ? 1 : (int32_t)p->image.levels;
    if (p->sampler.mip_linear) {
        return lull_levels_linear(lod, levels, level, weight);
    }
    level[0] = lull_level_nearest(lod, levels);
    weight[0] = 1;
    return 1;
}

/** One texel as it is: nothing is weighed, and integers have no mean. */
static void one_texel(const struct reader *r, const struct point *pt, int32_t level,
                      uint32_t rgba[4])
{
    const struct lull_spot s = spot_of(r->p, pt, pt->a.coord, level, false);
    struct lull_tap tap[LULL_TAPS];
    if (lull_taps(&s, tap) > 0) {
        fetch(r, level, &tap[0], rgba);
    }
}

static void filter(const struct reader *r, const struct point *pt, uint32_t rgba[4])
{
    const struct lull_ir3_sampler *sampler = &r->p->sampler;
    const struct lod lod = lod_of(r->p, pt);
    const bool linear = lod.clamped <= 0 ? sampler->mag_linear : sampler->min_linear;
    const bool integers = lull_format_is_integer(r->p->image.format);
    const unsigned ntaps = lod.footprint.ntaps;
    int32_t level[2] = {0};
    double v[4][MAX_VALUES], weight[MAX_VALUES], part[2] = {0}; // v, weight: n are written
    const unsigned nlevels = levels_of(r->p, lod.clamped, level, part);
    if (!pt->a.compares && (integers || (!linear && nlevels == 1 && ntaps == 1))) {
        one_texel(r, pt, level[0], rgba);
        return;
    }
    unsigned n = 0;
    for (unsigned t = 1; t <= ntaps; t++) {
        float coord[3];
        for (unsigned d = 0; d < 3; d++) {
            coord[d] = pt->a.coord[d];
            if (ntaps > 1) {
                coord[d] += pt->a.d[lod.footprint.along][d] * lull_footprint_step(t, ntaps);
            }
        }
        for (unsigned i = 0; i < nlevels; i++, n++) {
            double texel[4] = {0};
            const struct lull_spot s = spot_of(r->p, pt, coord, level[i], linear);
            filtered(r, pt, &s, level[i], texel);
            weight[n] = part[i] / ntaps;
            for (unsigned c = 0; c < 4; c++) {
                v[c][n] = texel[c];
            }
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = lull_f32_bits((float)lull_taps_reduce(sampler->reduction, v[c], weight, n));
    }
}

static void gather(const struct reader *r, const struct point *pt, uint32_t ret[4])
{
    const struct lull_spot s = spot_of(r->p, pt, pt->a.coord, 0, true);
    struct lull_tap tap[4];
    lull_taps_square(&s, false, tap);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t plain[4] = {0}, rgba[4];
        fetch(r, 0, &tap[i], plain);
        if (pt->a.compares) {
            plain[0] = lull_f32_bits((float)compared(r, &pt->a, plain[0]));
        }
        lull_ir3_swizzled(&r->p->image, plain, rgba);
        ret[i] = rgba[pt->a.component];
    }
}

/** The level that a sample takes, and the level as computed. */
static void level_numbers(const struct lull_ir3_pair *p, const struct point *pt, uint32_t ret[4])
{
    const struct lod lod = lod_of(p, pt);
    const int32_t last = p->sampler.base_only ? 0 : (int32_t)p->image.levels - 1;
    const int32_t most = last * LULL_SAMPLE_ONE;
    const int32_t near = lull_level_nearest(lod.clamped, last + 1) * LULL_SAMPLE_ONE;
    ret[0] = (uint32_t)(!p->sampler.mip_linear ? near
                        : lod.clamped < 0      ? 0
                        : lod.clamped > most   ? most
                                               : lod.clamped);
    ret[1] = (uint32_t)lod.raw;
}

void lull_ir3_sample(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                     const struct lull_ir3_pair *p, const struct lull_ir3_asked *a,
                     uint32_t rgba[4])
{
    const struct reader r = {w, env, fiber, p};
    uint32_t plain[4] = {0};
    memset(rgba, 0, 4 * sizeof rgba[0]);
    if (p->image.null) {
        return;
    }
    const struct point pt = point_of(p, a);
    if (a->what == LULL_IR3_GATHER) {
        gather(&r, &pt, rgba);
    } else if (a->what == LULL_IR3_LEVELS) {
        level_numbers(p, &pt, rgba);
    } else {
        filter(&r, &pt, plain);
        lull_ir3_swizzled(&p->image, plain, rgba);
    }
}
