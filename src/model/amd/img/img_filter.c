// SPDX-License-Identifier: MIT
// Texels that samples are made of, and what they become.
#include <string.h>

#include "model/amd/img/img.h"
#include "model/fp/fp_host.h"

/** Where @p p is in @p level, with CLAMP_X, Y, Z. False: no such level. */
static bool spot_of(struct lull_img *g, const struct lull_img_point *p, int32_t level, bool linear,
                    struct lull_spot *s)
{
    const struct lull_extent *e = lull_img_extent(g, level);
    if (e == NULL) {
        return false;
    }
    const uint32_t size[3] = {e->width, e->height, e->depth};
    *s = (struct lull_spot){
        .slice = p->slice,
        .dims = g->dims,
        .normal = (!g->in->unorm && !g->sampler.unnormalized) || g->cube,
        .cube = g->cube && !g->sampler.disable_cube_wrap,
        .trunc = g->sampler.trunc_coord,
    };
    for (unsigned d = 0; d < g->dims; d++) {
        // v_cube_sc and _tc are made to lie in 1 to 2.
        s->coord[d] = (double)p->coord[d] - (g->cube && d < 2 ? 1 : 0);
        s->size[d] = (int32_t)size[d];
        s->offset[d] = p->offset[d];
        s->wrap[d] = g->sampler.clamp[d];
        s->linear[d] = d == 2 && g->sampler.z_filter != 0 ? g->sampler.z_filter == 2 : linear;
    }
    return true;
}

static double as_double(const struct lull_img *g, uint32_t bits)
{
    if (lull_img_is_float(g)) {
        return (double)lull_f32_value(bits);
    }
    return g->format.kind == LULL_FORMAT_SINT ? (double)(int32_t)bits : (double)bits;
}

static double compared(const struct lull_img *g, const struct lull_img_point *p, uint32_t x)
{
    double ref = (double)p->reference;
    if (g->format.kind == LULL_FORMAT_UNORM) {
        ref = ref > 0 ? ref < 1 ? ref : 1 : 0;
    }
    return lull_taps_compare(g->sampler.compare, ref, as_double(g, x));
}

static void fetch(struct lull_img *g, const struct lull_img_point *p, int32_t level,
                  const struct lull_tap *tap, uint32_t rgba[4])
{
    if (tap->border) {
        memcpy(rgba, g->border, sizeof(g->border));
    } else {
        const struct lull_img_texel t = {tap->x, tap->y, tap->z, level, 0};
        lull_img_fetch(g, p->lane, &t, rgba);
    }
}

double lull_img_reduce(const struct lull_img *g, const double *v, const double *weight, unsigned n)
{
    return lull_taps_reduce(g->sampler.filter_mode, v, weight, n);
}

void lull_img_filter(struct lull_img *g, const struct lull_img_point *p, int32_t level, bool linear,
                     double rgba[4])
{
    struct lull_spot s;
    struct lull_tap tap[LULL_TAPS];
    double v[4][LULL_TAPS], weight[LULL_TAPS]; // as many as are used are written
    const unsigned n = spot_of(g, p, level, linear, &s) ? lull_taps(&s, tap) : 0;
    unsigned used = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t bits[4] = {0};
        if (tap[i].weight <= 0) {
            continue;
        }
        fetch(g, p, level, &tap[i], bits);
        weight[used] = tap[i].weight;
        if (g->at.compare != LULL_IMG_NONE) {
            v[0][used] = compared(g, p, bits[0]);
            v[1][used] = v[2][used] = 0;
            v[3][used] = 1;
        } else {
            for (unsigned c = 0; c < 4; c++) {
                v[c][used] = as_double(g, bits[c]);
            }
        }
        used++;
    }
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = lull_img_reduce(g, v[c], weight, used);
    }
}

void lull_img_point_bits(struct lull_img *g, const struct lull_img_point *p, int32_t level,
                         uint32_t rgba[4])
{
    struct lull_spot s;
    struct lull_tap tap[LULL_TAPS];
    memset(rgba, 0, 4 * sizeof(rgba[0]));
    if (spot_of(g, p, level, false, &s) && lull_taps(&s, tap) > 0) {
        fetch(g, p, level, &tap[0], rgba);
    }
}

void lull_img_gather(struct lull_img *g, const struct lull_img_point *p, int32_t level, bool row,
                     uint32_t ret[4])
{
    const unsigned c = g->in->dmask == 0 ? 0 : (unsigned)__builtin_ctz(g->in->dmask);
    struct lull_spot s;
    struct lull_tap tap[4];
    memset(ret, 0, 4 * sizeof(ret[0]));
    if (!spot_of(g, p, level, true, &s)) {
        return;
    }
    lull_taps_square(&s, row, tap);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t bits[4] = {0}, value[4] = {0};
        fetch(g, p, level, &tap[i], bits);
        if (g->at.compare != LULL_IMG_NONE) {
            bits[0] = lull_f32_bits((float)compared(g, p, bits[0]));
        }
        lull_dst_select(&g->format, g->desc.dst_sel, bits, value);
        ret[i] = value[c];
    }
}
